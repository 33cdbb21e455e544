//! The C interface of array statements. `include/admpi/arrays.h` is generated from this file.

use super::support::matrices::{give_matrix, matrix};
use super::varmat::{elements, with_tape};
use super::{array, entry, get, null};
use crate::count::from_c;
use crate::error::Result;
use crate::linalg;
use crate::matrix::numbered;
use crate::tape::Tape;
use std::ffi::c_void;

// By the names under which C knows them: they are defined in `include/admpi/matrix.h`.
use crate::matrix::{
    Argument as admpi_operand, ForwardCall as admpi_forward_call, KernelCall as admpi_kernel_call,
    Matrix as admpi_varmat, View as admpi_view,
};

/// The reverse function of an array statement: it adds to the adjoints of the operands. It does not use the tape.
/// @param call  shapes and adjoints
/// @return 0, or any other number: the sweep ends with ADMPI_ERR_CALLBACK
#[allow(non_camel_case_types)]
pub type admpi_kernel = Option<unsafe extern "C-unwind" fn(call: *const admpi_kernel_call) -> i32>;

/// The forward function of an array statement: it writes the result.
/// @param call  shape, values and result
/// @return 0, or any other number: the statement ends with ADMPI_ERR_CALLBACK
#[allow(non_camel_case_types)]
pub type admpi_forward =
    Option<unsafe extern "C-unwind" fn(call: *const admpi_forward_call) -> i32>;

/// Makes a matrix with a pair of functions, as one event. The matrix is passive if all operands are passive or the tape does
/// not record.
/// @param rows          of the result
/// @param cols          of the result
/// @param operand       `n` parts of matrices of that shape, or scalars; they may overlap each other
/// @param n             how many
/// @param forward       computes the result
/// @param reverse       adds to the adjoints of the operands, which it gets in this order with their values
/// @param payload       data for both
/// @param payload_size  bytes of payload, which are copied into the tape
/// @param[out] a_out    the matrix; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
///         ADMPI_ERR_CALLBACK, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_array_apply(
    rows: i64,
    cols: i64,
    operand: *const admpi_operand,
    n: i64,
    forward: admpi_forward,
    reverse: admpi_kernel,
    payload: *const c_void,
    payload_size: usize,
    a_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("a_out", a_out), || {
            let (rows, cols, _) = elements(rows, cols)?;
            let operands = array("operand", operand, from_c("n", n)?)?;
            let forward = forward.ok_or_else(|| null("forward"))?;
            let reverse = reverse.ok_or_else(|| null("reverse"))?;
            let payload = array("payload", payload.cast::<u8>(), payload_size)?;
            with_tape(|tape| Tape::apply(tape, (rows, cols), operands, forward, reverse, payload))
        })
    }
}

/// Makes a matrix whose values the caller computes and writes to its block before any other use.
/// @param rows        number of rows
/// @param cols        number of columns
/// @param like        NULL, or a matrix whose shape and values the new one has
/// @param[out] a_out  the matrix, passive; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_array_fresh(
    rows: i64,
    cols: i64,
    like: *const admpi_varmat,
    a_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("a_out", a_out), || {
            let (rows, cols, _) = elements(rows, cols)?;
            with_tape(|tape| Tape::fresh(tape, rows, cols, like))
        })
    }
}

/// Records, as one event, that part of a matrix made by admpi_detail_array_fresh was computed from operands. The part stays
/// passive if all operands are passive or the tape does not record.
/// @param part          the part that was computed
/// @param carried       NULL, or the matrix from which the other elements were taken
/// @param operand       `n` parts of matrices or scalars. Operands that are matrices may overlap each other
/// @param n             how many
/// @param fn            the reverse function; it gets the adjoints of the operands in this order
/// @param payload       its data
/// @param payload_size  bytes of payload to copy into the tape; the values of operands may be pointed to, since they
///                      stay where they are
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
///         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_detail_array_record(
    part: *const admpi_view,
    carried: *const admpi_varmat,
    operand: *const admpi_operand,
    n: i64,
    r#fn: admpi_kernel,
    payload: *const c_void,
    payload_size: usize,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let operands = array("operand", operand, from_c("n", n)?)?;
        let (part, kernel) = (get("part", part)?, r#fn.ok_or_else(|| null("fn"))?);
        let payload = array("payload", payload.cast::<u8>(), payload_size)?;
        with_tape(|tape| Tape::array_statement(tape, part, carried, operands, kernel, payload))
    })
}

/// Computes the running sums of the elements of a view in column-major order, as one event.
/// @param a           part of a matrix
/// @param[out] b_out  a matrix of its shape: element k is the sum of the elements 0 to k; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
///         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_cumulative_sum(
    a: *const admpi_view,
    b_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix(("b_out", b_out), [("a", a)], |tape, [a]| linalg::cumulative_sum(tape, a)) }
}

/// Joins parts of matrices into one matrix, as one event.
/// @param part        `n` parts of matrices
/// @param n           number of parts
/// @param below       nonzero: one below the other; 0: side by side
/// @param[out] a_out  the matrix; free it with admpi_varmat_free
/// @return as admpi_cumulative_sum
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_concatenate(
    part: *const admpi_view,
    n: i64,
    below: i32,
    a_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_matrix(("a_out", a_out), || {
            let parts = array("part", part, from_c("n", n)?)?;
            with_tape(|tape| {
                let operand = |(k, part)| {
                    numbered("part", k, |name| Tape::operand(tape.as_deref(), name, part))
                };
                let parts: Result<Vec<_>> = parts.iter().enumerate().map(operand).collect();
                linalg::concatenate(tape, &parts?, below != 0)
            })
        })
    }
}

/// Copies a view and adds the elements of another at the given places, as one event.
/// @param a           part of a matrix
/// @param index       `n` places in `a`, from 0, column-major; they may repeat
/// @param n           number of places
/// @param b           part of a matrix of `n` elements; may overlap a
/// @param[out] c_out  a matrix of the shape of `a`; free it with admpi_varmat_free
/// @return as admpi_cumulative_sum
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_scatter_add(
    a: *const admpi_view,
    index: *const i64,
    n: i64,
    b: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        matrix(("c_out", c_out), [("a", a), ("b", b)], |tape, [a, b]| {
            let index = array("index", index, from_c("n", n)?)?;
            linalg::scatter_add(tape, a, index, b)
        })
    }
}
