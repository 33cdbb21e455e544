//! The C interface of users' operations on matrices. `include/admpi/operations.h` is generated from this file.

use super::{array, array_mut, entry, get};
use crate::count::from_c;
use std::ffi::c_void;

// By the names under which C knows them: they are defined in `include/admpi/matrix.h`.
use crate::tape::{
    Argument as admpi_operand, Matrix as admpi_varmat, Operation as admpi_operation,
};

/// Applies an operation of the user's, as one event: its forward function is called now, its reverse function by every sweep
/// that passes. If no operand is active, or the tape does not record, the results are passive.
/// @param operation        its functions; the struct is copied
/// @param data             handed to the functions. From here on the library's to destroy, whatever this call returns, if
///                         operation is not NULL and has its size
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
