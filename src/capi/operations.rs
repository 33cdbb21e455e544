//! The C interface of users' operations on matrices. `include/admpi/operations.h` is generated from this file.

use super::support::matrices::give_matrix;
use super::{array, array_mut, entry, get};
use crate::count::from_c;
use crate::implicit;
use std::ffi::c_void;

// By the names under which C knows them: they are defined in `include/admpi/matrix.h`.
use crate::implicit::{FixedPoint as admpi_fixed_point_map, LinearSystem as admpi_linear_system};
use crate::matrix::{Argument as admpi_operand, Matrix as admpi_varmat, View as admpi_view};
use crate::user_operation::UserOperation as admpi_operation;

/// Applies a user's operation, as one event. Its forward function is called now, its reverse function by every sweep that
/// passes the event. If no operand is active, or the tape does not record, the results are passive.
/// @param operation        its functions; the struct is copied
/// @param data             passed to the functions. If operation is not NULL and has its size, the library destroys the data,
///                         whatever this call returns
/// @param operand          `n_operands` parts of matrices or scalars
/// @param n_operands       how many
/// @param shape            `2*n_results` numbers: rows and columns of each result
/// @param n_results        how many
/// @param[out] result_out  `n_results` matrices; free them with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_CALLBACK (the forward function failed),
///         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST (the forward function reset the tape),
///         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_operation_apply(
    operation: *const admpi_operation,
    data: *mut c_void,
    operand: *const admpi_operand,
    n_operands: i64,
    shape: *const i64,
    n_results: i64,
    result_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let operation = get("operation", operation)?;
        let data = operation.data(data)?;
        let operands = array("operand", operand, from_c("n_operands", n_operands)?)?;
        let n = from_c("n_results", n_results)?;
        let shapes = array("shape", shape.cast::<[i64; 2]>(), n)?;
        let out = array_mut("result_out", result_out, n)?;
        let results = operation.apply(data, operands, shapes)?;
        for (out, result) in out.iter_mut().zip(results) {
            *out = result.into_raw();
        }
        Ok(())
    })
}

/// Solves A(p) x = b for a matrix given by a user's functions, as one event. The sweep solves once with the transpose, and
/// records and reverses one product in a nest. The iterations of the solver are not recorded.
/// @param system      its functions; the struct is copied
/// @param data        passed to the functions. If system is not NULL and has its size, the library destroys the data, whatever
///                    this call returns
/// @param b           part of a matrix, or a scalar
/// @param p           `n_p` parts of matrices or scalars: everything active that A depends on. A sweep in which the functions
///                    use another active value fails (ADMPI_ERR_ARGUMENT)
/// @param n_p         how many
/// @param[out] x_out  the solution, of the shape of b; free it with admpi_varmat_free
/// @return as admpi_operation_apply; a sweep returns ADMPI_ERR_ARGUMENT if the product is not of the shape of b
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_linear_solve(
    system: *const admpi_linear_system,
    data: *mut c_void,
    b: *const admpi_operand,
    p: *const admpi_operand,
    n_p: i64,
    x_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("x_out", x_out), || {
            let (system, b) = (get("system", system)?, get("b", b)?);
            let p = array("p", p, from_c("n_p", n_p)?)?;
            implicit::linear_solve(system, data, b, p)
        })
    }
}

/// Finds x with x = f(x, p) by iterating a contraction f from a start, as one event. The sweep iterates over one recording of
/// f at the solution. The iterations are not recorded.
/// @param map         f, and the criterion for convergence; the struct is copied
/// @param data        passed to the functions. If map is not NULL and has its size, the library destroys the data, whatever
///                    this call returns
/// @param start       part of a matrix; the solution does not depend on it
/// @param p           `n_p` parts of matrices or scalars: everything active that f depends on
/// @param n_p         how many
/// @param[out] x_out  the solution, of the shape of start; free it with admpi_varmat_free
/// @return as admpi_operation_apply, and ADMPI_ERR_CONVERGENCE, which a sweep may return too: the message tells the number of
///         iterations and the last change
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_fixed_point(
    map: *const admpi_fixed_point_map,
    data: *mut c_void,
    start: *const admpi_view,
    p: *const admpi_operand,
    n_p: i64,
    x_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("x_out", x_out), || {
            let (map, start) = (get("map", map)?, get("start", start)?);
            let p = array("p", p, from_c("n_p", n_p)?)?;
            implicit::fixed_point(map, data, start, p)
        })
    }
}
