//! The C interface of sparsity on ranks. `include/admpi/sparsity_ranks.h` is generated from this file.

use super::linalg::admpi_sparse;
use super::{array, entry, mpi_status, name, null};
use crate::ampi::sparsity;
use crate::count::from_c;
use crate::error::{Code, Error};
use crate::mpi::raw::MPI_Comm;
use crate::mpi::{Comm, MpiResult};
use crate::sparsity::Pattern;
use std::ffi::c_char;
use std::sync::Arc;

// By the names under which C knows them: they are defined in `include/admpi/var.h`.
use crate::tape::{Cursors as admpi_tape, Var as admpi_var};

/// # Safety
/// `s_out` is NULL or a place for a handle.
unsafe fn give(
    comm: Comm,
    s_out: *mut *mut admpi_sparse,
    pattern: impl FnOnce() -> MpiResult<Pattern>,
) -> MpiResult<()> {
    let is_there = if s_out.is_null() { Err(null("s_out")) } else { Ok(()) };
    sparsity::agreed(comm, is_there)?;
    let made = Box::into_raw(Box::new(admpi_sparse(Arc::new(pattern()?))));
    // SAFETY: the caller's promise.
    unsafe { *s_out = made };
    Ok(())
}

/// Finds the rows of this rank's results of the pattern of a Jacobian that ranks compute together, as admpi_tape_sparsity does, also
/// through messages and collectives. All ranks of `comm` call; together they are all that the recordings communicate with. Inputs
/// are numbered rank by rank. A tape of width w takes a pass over the messages for each w ranks. Products over ranks (MPI_PROD) and
/// one-sided calls are not followed. An error of one rank is an error of all, which names the rank.
/// @param x           `n` inputs of this rank
/// @param n           may differ between ranks; the pattern has as many columns as all ranks have inputs
/// @param y           `m` results of this rank; passive ones have empty rows
/// @param m           number of rows
/// @param comm        an intracommunicator
/// @param[out] s_out  the pattern, with ascending columns in each row; free it with admpi_sparse_free
/// @return as admpi_tape_sparsity; ADMPI_ERR_MISMATCH (tapes of different widths), ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_sparsity_ranks(
    tape: *mut admpi_tape,
    x: *const admpi_var,
    n: i64,
    y: *const admpi_var,
    m: i64,
    comm: MPI_Comm,
    s_out: *mut *mut admpi_sparse,
) -> i32 {
    mpi_status("admpi_tape_sparsity_ranks", || {
        // SAFETY: as the C contract says.
        let comm = unsafe { Comm::new(comm) };
        // SAFETY: as above.
        let asked = || unsafe {
            let tape = super::tape::tape(tape)?;
            let (x, y) = (array("x", x, from_c("n", n)?)?, array("y", y, from_c("m", m)?)?);
            tape.check_vars("x", x)?;
            tape.check_vars("y", y)?;
            Ok((tape, x, y))
        };
        // SAFETY: as above.
        unsafe { give(comm, s_out, || sparsity::jacobian(comm, asked())) }
    })
}

/// Finds the rows of this rank's inputs of the pattern of a Hessian that ranks compute together, as admpi_tape_hessian_sparsity
/// does, and as admpi_tape_sparsity_ranks.
/// @param x           `n` inputs of this rank
/// @param v           the direction: `n` inputs
/// @param n           number of rows; may differ between ranks
/// @param y           the derivative, which is the same on all ranks, or one of the summands that the ranks have
/// @param comm        an intracommunicator
/// @param[out] s_out  the pattern; free it with admpi_sparse_free
/// @return as admpi_tape_sparsity_ranks
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_hessian_sparsity_ranks(
    tape: *mut admpi_tape,
    x: *const admpi_var,
    v: *const admpi_var,
    n: i64,
    y: admpi_var,
    comm: MPI_Comm,
    s_out: *mut *mut admpi_sparse,
) -> i32 {
    mpi_status("admpi_tape_hessian_sparsity_ranks", || {
        // SAFETY: as the C contract says.
        let comm = unsafe { Comm::new(comm) };
        // SAFETY: as above.
        let asked = || unsafe {
            let tape = super::tape::tape(tape)?;
            let n = from_c("n", n)?;
            let (x, v) = (array("x", x, n)?, array("v", v, n)?);
            tape.check_vars("x", x)?;
            tape.check_vars("v", v)?;
            tape.check_var("y", &y)?;
            Ok((tape, x, v, y))
        };
        // SAFETY: as above.
        unsafe { give(comm, s_out, || sparsity::hessian(comm, asked())) }
    })
}

/// An error of one rank becomes an error of all: that of the lowest rank that has one, which the message names. For the drivers of
/// `admpi/sparsity_ranks.hpp`. Collective over `comm`.
/// @param comm  an intracommunicator
/// @param code  an ADMPI_ERR code, or ADMPI_SUCCESS
/// @param text  the message, if there is an error
/// @return ADMPI_SUCCESS on all ranks, or the code of that error
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_agree(
    comm: MPI_Comm,
    code: i32,
    text: *const c_char,
) -> i32 {
    entry(|| {
        let own = match Code::from_c(code) {
            None if code == 0 => Ok(()),
            // SAFETY: as the C contract says.
            code => Err(Error::new(code.unwrap_or(Code::Argument), unsafe { name(text) })),
        };
        // SAFETY: as the C contract says.
        let agreed = sparsity::agreed(unsafe { Comm::new(comm) }, own);
        agreed.map_err(|failure| failure.into_error("communication of the ranks"))
    })
}
