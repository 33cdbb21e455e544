//! What the functions of matrices share: views become operands, and what an operation makes becomes handles.

use super::arguments::{array, array_mut, entry, get, give, null};
use crate::count::from_c;
use crate::densities::{Density, log_density};
use crate::error::{Code, Error, Result};
use crate::linalg;
use crate::matrix::{Argument, Input, Matrix, Operand, Owned, View};
use crate::sparsity::Pattern;
use crate::tape::{Tape, Var, with_current};
use std::sync::Arc;

/// The values of several results, or the first error.
fn all<T, const N: usize>(results: [Result<T>; N]) -> Result<[T; N]> {
    let mut failure = None;
    let values = results.map(|result| result.map_err(|error| failure.get_or_insert(error)).ok());
    match failure {
        Some(error) => Err(error),
        None => Ok(values.map(|value| value.expect("a value, since nothing failed"))),
    }
}

/// Calls an operation with views as its operands.
///
/// # Safety
/// The views are NULL or of live matrices.
unsafe fn with_operands<R, const N: usize>(
    views: [(&str, *const View); N],
    operation: impl FnOnce(Option<&mut Tape>, [Operand; N]) -> Result<R>,
) -> Result<R> {
    with_current(|tape| {
        let operands = views.map(|(name, view)| {
            // SAFETY: the caller's promise.
            unsafe { Tape::operand(tape.as_deref(), name, get(name, view)?) }
        });
        operation(tape, all(operands)?)
    })
}

/// Writes matrices, if all went well.
///
/// # Safety
/// The pointers are NULL or may be written to.
unsafe fn put_matrices<const N: usize>(
    outputs: [(&str, *mut *mut Matrix); N],
    make: impl FnOnce() -> Result<[Owned; N]>,
) -> Result<()> {
    if let Some((name, _)) = outputs.iter().find(|(_, output)| output.is_null()) {
        return Err(null(name));
    }
    for ((_, output), matrix) in outputs.into_iter().zip(make()?) {
        // SAFETY: the caller's promise.
        unsafe { output.write(matrix.into_raw()) };
    }
    Ok(())
}

/// Matrices that an operation makes of others.
///
/// # Safety
/// As for `with_operands` and `put_matrices`.
pub unsafe fn matrices<const M: usize, const N: usize>(
    outputs: [(&str, *mut *mut Matrix); M],
    views: [(&str, *const View); N],
    operation: impl FnOnce(Option<&mut Tape>, [Operand; N]) -> Result<[Owned; M]>,
) -> i32 {
    // SAFETY: the caller's promise.
    entry(|| unsafe { put_matrices(outputs, || with_operands(views, operation)) })
}

/// A matrix that a call makes.
///
/// # Safety
/// The output is NULL or may be written to.
pub unsafe fn give_matrix(
    output: (&str, *mut *mut Matrix),
    make: impl FnOnce() -> Result<Owned>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { give(output, || Ok(make()?.into_raw())) }
}

/// A matrix that an operation makes of others.
///
/// # Safety
/// As for `matrices`.
pub unsafe fn matrix<const N: usize>(
    output: (&str, *mut *mut Matrix),
    views: [(&str, *const View); N],
    operation: impl FnOnce(Option<&mut Tape>, [Operand; N]) -> Result<Owned>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { give_matrix(output, || with_operands(views, operation)) }
}

/// A scalar that an operation makes of matrices.
///
/// # Safety
/// As for `with_operands`; the output is NULL or may be written to.
pub unsafe fn scalar<const N: usize>(
    output: (&str, *mut Var),
    views: [(&str, *const View); N],
    operation: impl FnOnce(Option<&mut Tape>, [Operand; N]) -> Result<Var>,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { give(output, || with_operands(views, operation)) }
}

/// The density `D` of these arguments.
///
/// # Safety
/// What is not NULL is live, and so are the matrices; `lp_out` is NULL or may be written to.
pub unsafe fn density<D: Density<K>, const K: usize>(
    lp_out: *mut Var,
    arguments: [*const Argument; K],
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        give(("lp_out", lp_out), || {
            with_current(|tape| {
                let mut names = D::ARGUMENTS.into_iter();
                let inputs = arguments.map(|argument| {
                    let (name, _) = names.next().expect("a name for each argument");
                    Input::new(tape.as_deref(), name, get(name, argument)?)
                });
                log_density::<D, K>(tape, all(inputs)?)
            })
        })
    }
}

/// # Safety
/// As for `matrices`; `row_out` leads to `m` numbers.
pub unsafe fn lu(
    a: *const View,
    m: i64,
    l_out: *mut *mut Matrix,
    u_out: *mut *mut Matrix,
    row_out: *mut i64,
) -> i32 {
    // SAFETY: the caller's promise.
    entry(|| unsafe {
        let rows = array_mut("row_out", row_out, from_c("m", m)?)?;
        put_matrices([("l_out", l_out), ("u_out", u_out)], || {
            check_count("m", rows.len(), get("a", a)?.rows)?;
            let (l, u, order) = with_operands([("a", a)], |tape, [a]| linalg::lu(tape, a))?;
            for (row, at) in rows.iter_mut().zip(order) {
                *row = i64::try_from(at).unwrap_or(i64::MAX);
            }
            Ok([l, u])
        })
    })
}

fn check_count(name: &str, given: usize, rows: i64) -> Result<()> {
    if i64::try_from(given) == Ok(rows) {
        return Ok(());
    }
    Err(Error::new(Code::Argument, format!("{name} = {given}, but a has {rows} rows")))
}

/// # Safety
/// The arrays are as long as the comment of `admpi_sparse_new` says.
pub unsafe fn pattern(
    rows: i64,
    cols: i64,
    row_start: *const i64,
    column: *const i64,
    n: i64,
) -> Result<Arc<Pattern>> {
    let (rows, cols) = (from_c("rows", rows)?, from_c("cols", cols)?);
    // SAFETY: the caller's promise.
    let (start, column) = unsafe {
        (
            array("row_start", row_start, rows.saturating_add(1))?,
            array("column", column, from_c("n", n)?)?,
        )
    };
    Pattern::read(rows, cols, start, column).map(Arc::new)
}
