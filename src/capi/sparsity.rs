//! The C interface of sparsity: patterns of Jacobians and Hessians from a recording, and their colours.
//! `include/admpi/sparsity.h` is generated from this file.

use super::linalg::admpi_sparse;
use super::{array, array_mut, entry, get, give_handle, put};
use crate::count::{as_c, from_c};
use crate::error::{Code, Error, Result};
use crate::sparsity::{self, Colouring, Pattern};
use crate::tape::Tape;
use std::sync::Arc;

// By the names under which C knows them: they are defined in `include/admpi/var.h`.
use crate::tape::{Cursors as admpi_tape, Var as admpi_var};

/// Columns of one colour share no row: a product with a vector gives a Jacobian's elements in all of them.
pub const ADMPI_COLOUR_COLUMNS: i32 = 0;
/// Rows of one colour share no column: a sweep gives a Jacobian's elements in all of them.
pub const ADMPI_COLOUR_ROWS: i32 = 1;
/// Of a symmetric pattern: of each element, a product with a vector gives it or the one across the diagonal.
pub const ADMPI_COLOUR_SYMMETRIC: i32 = 2;

/// # Safety
/// `tape` is NULL, the placeholder, or a live tape.
unsafe fn handle(
    tape: *mut admpi_tape,
    pattern: impl FnOnce(&crate::tape::Dependences, &Tape) -> Result<Pattern>,
) -> Result<admpi_sparse> {
    // SAFETY: as the C contract says.
    unsafe {
        let tape = super::tape::tape(tape)?;
        let dependences = Tape::dependences(tape)?;
        Ok(admpi_sparse(Arc::new(pattern(&dependences, tape)?)))
    }
}

/// Finds the pattern of the Jacobian of `y` by `x` from what the tape has recorded, from the base of the innermost nest on: where
/// it may have elements for any values that take the same branches. What functions of your own compute depends on all their
/// operands. The tape is left as it was.
/// @param x           `n` values, such as inputs; what they were made of does not count
/// @param n           number of columns
/// @param y           `m` values; passive ones have empty rows
/// @param m           number of rows
/// @param[out] s_out  the pattern, with ascending columns in each row; free it with admpi_sparse_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST,
///         ADMPI_ERR_UNSUPPORTED (through a time loop, or other ranks), ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_sparsity(
    tape: *mut admpi_tape,
    x: *const admpi_var,
    n: i64,
    y: *const admpi_var,
    m: i64,
    s_out: *mut *mut admpi_sparse,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("s_out", s_out), || {
            let x = array("x", x, from_c("n", n)?)?;
            let y = array("y", y, from_c("m", m)?)?;
            handle(tape, |dependences, tape| {
                tape.check_vars("x", x)?;
                tape.check_vars("y", y)?;
                sparsity::jacobian(dependences, x, y)
            })
        })
    }
}

/// Finds the pattern of the Hessian of a function by `x`, as admpi_tape_sparsity does, from a recording of its derivative in the
/// direction `v`, whatever that is. It may have more than the Hessian: in a sum of two products each factor meets both.
/// @param x           `n` inputs
/// @param v           the direction: `n` inputs
/// @param n           number of rows and columns
/// @param y           the derivative
/// @param[out] s_out  the pattern, which is symmetric; free it with admpi_sparse_free
/// @return as admpi_tape_sparsity
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tape_hessian_sparsity(
    tape: *mut admpi_tape,
    x: *const admpi_var,
    v: *const admpi_var,
    n: i64,
    y: admpi_var,
    s_out: *mut *mut admpi_sparse,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        give_handle(("s_out", s_out), || {
            let n = from_c("n", n)?;
            let (x, v) = (array("x", x, n)?, array("v", v, n)?);
            handle(tape, |dependences, tape| {
                tape.check_vars("x", x)?;
                tape.check_vars("v", v)?;
                tape.check_var("y", &y)?;
                sparsity::hessian(dependences, x, v, &y)
            })
        })
    }
}

/// Tells the size of a pattern.
/// @param s              a pattern
/// @param[out] rows_out  number of rows
/// @param[out] cols_out  number of columns
/// @param[out] n_out     number of elements
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_size(
    s: *const admpi_sparse,
    rows_out: *mut i64,
    cols_out: *mut i64,
    n_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let pattern = &get("s", s)?.0;
        put("rows_out", rows_out, || Ok(as_c(pattern.rows())))?;
        put("cols_out", cols_out, || Ok(as_c(pattern.cols())))?;
        put("n_out", n_out, || Ok(as_c(pattern.column().len())))
    })
}

/// Copies a pattern: row i has the elements from row_start_out[i] up to row_start_out[i + 1].
/// @param s                   a pattern
/// @param[out] row_start_out  `rows + 1` numbers, from 0 on
/// @param[out] column_out     the column of each element, from 0
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_rows(
    s: *const admpi_sparse,
    row_start_out: *mut i64,
    column_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let pattern = &get("s", s)?.0;
        let start = array_mut("row_start_out", row_start_out, pattern.rows() + 1)?;
        let column = array_mut("column_out", column_out, pattern.column().len())?;
        start.iter_mut().zip(pattern.start()).for_each(|(to, &from)| *to = as_c(from));
        column.iter_mut().zip(pattern.column()).for_each(|(to, &from)| *to = i64::from(from));
        Ok(())
    })
}

/// Colours the columns or rows of a pattern, with few colours.
/// @param s                 a pattern
/// @param by                ADMPI_COLOUR_COLUMNS, ADMPI_COLOUR_ROWS or ADMPI_COLOUR_SYMMETRIC, which trusts that the pattern is
///                          symmetric
/// @param[out] colour_out   the colour of each column or row, from 0 on
/// @param[out] colours_out  how many colours
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_colour(
    s: *const admpi_sparse,
    by: i32,
    colour_out: *mut i32,
    colours_out: *mut i32,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let pattern = &get("s", s)?.0;
        let wrong = |text: String| Err(Error::new(Code::Argument, text));
        let (n, colouring): (usize, fn(&Pattern) -> Colouring) = match by {
            ADMPI_COLOUR_COLUMNS => (pattern.cols(), sparsity::columns),
            ADMPI_COLOUR_ROWS => (pattern.rows(), sparsity::rows),
            ADMPI_COLOUR_SYMMETRIC if pattern.rows() != pattern.cols() => {
                let (rows, cols) = (pattern.rows(), pattern.cols());
                return wrong(format!("s: a pattern of {rows} x {cols} is not symmetric"));
            }
            ADMPI_COLOUR_SYMMETRIC => (pattern.rows(), sparsity::symmetric),
            _ => return wrong(format!("by = {by} is no ADMPI_COLOUR constant")),
        };
        let colour_out = array_mut("colour_out", colour_out, n)?;
        put("colours_out", colours_out, || {
            let Colouring { colour, colours } = colouring(pattern);
            colour_out.iter_mut().zip(&colour).for_each(|(to, &from)| *to = from.cast_signed());
            Ok(colours.cast_signed())
        })
    })
}
