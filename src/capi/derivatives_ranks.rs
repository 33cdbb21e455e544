//! The C interface of drivers for functions that ranks compute together. `include/admpi/derivatives_ranks.h` is generated from
//! this file.

use super::derivatives::{admpi_function_fn, admpi_input_check};
use super::mpi_status;
use crate::ampi::sparsity::Ranks;
use crate::mpi::raw::MPI_Comm;
use crate::mpi::{Comm, MpiResult};
use std::ffi::c_void;

/// # Safety
/// As the C contract says.
unsafe fn ranks_of(comm: MPI_Comm) -> MpiResult<Ranks> {
    // SAFETY: the caller's promise.
    Ranks::of(unsafe { Comm::new(comm) })
}

/// The gradient of an objective that the ranks of a communicator compute together, by this rank's inputs. All of them call it. The
/// function returns the objective, the same on every rank, such as the result of an Allreduce. Where all ranks have the same inputs,
/// the gradient is the sum of what they get.
/// @param f                  the function
/// @param ctx                its context
/// @param x                  this rank's part of where
/// @param n                  number of this rank's inputs, perhaps 0
/// @param comm               the ranks
/// @param[out] value_out     the objective, or NULL
/// @param[out] gradient_out  `n` derivatives
/// @return as admpi_gradient; ADMPI_ERR_ARGUMENT on all ranks if the function returned different values; ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_gradient_ranks(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    comm: MPI_Comm,
    value_out: *mut f64,
    gradient_out: *mut f64,
) -> i32 {
    mpi_status("admpi_gradient_ranks", || {
        // SAFETY: as the C contract says.
        unsafe {
            let (outputs, mut ranks) = ((value_out, gradient_out), ranks_of(comm)?);
            Ok(super::derivatives::gradient((f, ctx), (x, n), outputs, &mut ranks)?)
        }
    })
}

/// As admpi_check_gradient of such an objective. Calls the function 16 times for each input of all ranks.
/// @param f                the function
/// @param ctx              its context
/// @param x                this rank's part of where
/// @param n                number of this rank's inputs, perhaps 0
/// @param comm             the ranks
/// @param tolerance        the same on all ranks
/// @param[out] checks_out  what was found of each of this rank's inputs
/// @param[out] wrong_out   how many derivatives of all ranks are wrong
/// @return as admpi_gradient_ranks
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_check_gradient_ranks(
    f: admpi_function_fn,
    ctx: *mut c_void,
    x: *const f64,
    n: i64,
    comm: MPI_Comm,
    tolerance: f64,
    checks_out: *mut admpi_input_check,
    wrong_out: *mut i64,
) -> i32 {
    mpi_status("admpi_check_gradient_ranks", || {
        // SAFETY: as the C contract says.
        unsafe {
            let (outputs, mut ranks) = ((checks_out, wrong_out), ranks_of(comm)?);
            Ok(super::derivatives::check_gradient(
                (f, ctx),
                (x, n),
                tolerance,
                outputs,
                &mut ranks,
            )?)
        }
    })
}
