//! The C interface of users' operations. `include/admpi/user_ops.h` is generated from this file.

use super::mpi_call;
use crate::ampi::hold::{self, Used};
use crate::ampi::user_op;
use crate::mpi::raw::{self, MPI_Op, MPI_User_function};
use crate::mpi::{Comm, Derivative, Function, Op, ffi};
use std::ffi::c_int;

/// The adjoint of one application of an operation, result = in op inout, to `len` items of `size` doubles each, in one
/// direction. It gets the values of the operands and the adjoint of the result, and adds to `in_adjoint` and
/// `inout_adjoint`. Must not throw.
#[allow(non_camel_case_types)]
pub type AMPI_Op_adjoint_function = Option<
    unsafe extern "C" fn(
        r#in: *const f64,
        inout: *const f64,
        result_adjoint: *const f64,
        in_adjoint: *mut f64,
        inout_adjoint: *mut f64,
        len: c_int,
        size: c_int,
    ),
>;

/// MPI_Op_create for an operation that may get active data. On active data `function` gets arrays of admpi_var, in the
/// layout of the call's datatype, and the tape records what it computes. On passive data MPI calls it. It must not throw.
/// @param function  inout = in op inout
/// @param commute   1 if the operation is commutative; operands keep the order of ranks anyway
/// @param[out] op   free it with AMPI_Op_free
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Op_create(
    function: MPI_User_function,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    mpi_call("AMPI_Op_create", Comm::world(), || {
        // SAFETY: the user's promise.
        let (function, op) = unsafe { (Function::new(function)?, super::out("op", op)?) };
        *op = user_op::create(function, None, commute)?.raw();
        Ok(())
    })
}

/// Tells whether AMPI_Op_create_adjoint made an operation, so that its function knows doubles only. For the overloads of
/// `admpi.hpp`. Local.
/// @param op  an operation
/// @return 1 or 0
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_op_has_adjoint(op: MPI_Op) -> c_int {
    // SAFETY: as the C contract says.
    let op = unsafe { Op::new(op) };
    c_int::from(user_op::find(op).is_some_and(|custom| custom.has_derivative()))
}

/// As AMPI_Op_create, for an operation whose derivative is known. `function` gets plain doubles only: those of active data
/// without gaps (items of several doubles under a contiguous datatype of MPI_DOUBLE). Those of AMPI_AFLOAT come as doubles,
/// too, and the results are rounded to floats. Reverse sweeps call `derivative`. The tape keeps the values of the operands.
/// @param function    inout = in op inout
/// @param derivative  its adjoint
/// @param commute     1 if the operation is commutative; operands keep the order of ranks anyway
/// @param[out] op     free it with AMPI_Op_free
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Op_create_adjoint(
    function: MPI_User_function,
    derivative: AMPI_Op_adjoint_function,
    commute: c_int,
    op: *mut MPI_Op,
) -> c_int {
    mpi_call("AMPI_Op_create_adjoint", Comm::world(), || {
        // SAFETY: the user's promise.
        let (function, op) = unsafe { (Function::new(function)?, super::out("op", op)?) };
        // SAFETY: as above.
        let derivative = unsafe { Derivative::new(derivative)? };
        *op = user_op::create(function, Some(derivative), commute)?.raw();
        Ok(())
    })
}

/// MPI_Op_free. Recorded calls of the operation stay valid.
/// @param[in,out] op  the operation, then MPI_OP_NULL
/// @return an MPI code, raised on MPI_COMM_WORLD
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn AMPI_Op_free(op: *mut MPI_Op) -> c_int {
    // SAFETY: NULL, or a place of the user's.
    if let Some(place) = unsafe { op.as_mut() } {
        // SAFETY: a handle that the user holds.
        let op = unsafe { Op::new(*place) };
        if hold::give_up(Used::Op(op)) {
            *place = Op::null().raw();
            return raw::SUCCESS;
        }
        user_op::forget(op);
    }
    // SAFETY: as MPI's contract says.
    unsafe { ffi::MPI_Op_free(op) }
}
