//! The C interface of linear algebra. `include/admpi/linalg.h` is generated from this file.

use super::varmat::with_tape;
use super::{array, array_mut, entry, get, null, put};
use crate::count::from_c;
use crate::error::{Code, Error, Result};
use crate::linalg::{self, Pattern, Triangle};
use crate::matrix::{Operand, Owned};
use crate::tape::Tape;
use std::sync::Arc;

// By the names under which C knows them: they are defined in `include/admpi/matrix.h` and `var.h`.
use crate::matrix::{Matrix as admpi_varmat, View as admpi_view};
use crate::tape::Var as admpi_var;

/// Calls an operation with a view as its operand.
///
/// # Safety
/// The view is NULL or of a live matrix.
unsafe fn with_one<R>(
    (name, a): (&str, *const admpi_view),
    operation: impl FnOnce(Option<&mut Tape>, Operand) -> Result<R>,
) -> Result<R> {
    // SAFETY: the caller's promise.
    let a = unsafe { get(name, a)? };
    with_tape(|tape| {
        // SAFETY: the caller's promise.
        let a = unsafe { Tape::operand(tape.as_deref(), name, a)? };
        operation(tape, a)
    })
}

/// The same with two.
///
/// # Safety
/// As for `with_one`.
unsafe fn with_two<R>(
    a: (&str, *const admpi_view),
    (name, b): (&str, *const admpi_view),
    operation: impl FnOnce(Option<&mut Tape>, Operand, Operand) -> Result<R>,
) -> Result<R> {
    // SAFETY: the caller's promise.
    let b = unsafe { get(name, b)? };
    // SAFETY: the caller's promise.
    unsafe {
        with_one(a, |tape, a| {
            let b = Tape::operand(tape.as_deref(), name, b)?;
            operation(tape, a, b)
        })
    }
}

/// Writes matrices that an operation makes, if all went well.
///
/// # Safety
/// The pointers are NULL or may be written to.
unsafe fn put_matrices<const N: usize>(
    outputs: [(&str, *mut *mut admpi_varmat); N],
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

/// A matrix that an operation makes of one.
///
/// # Safety
/// As for `with_one` and `put_matrices`.
unsafe fn matrix_of(
    output: (&str, *mut *mut admpi_varmat),
    a: (&str, *const admpi_view),
    operation: impl FnOnce(Option<&mut Tape>, Operand) -> Result<Owned>,
) -> i32 {
    // SAFETY: the caller's promise.
    entry(|| unsafe { put_matrices([output], || Ok([with_one(a, operation)?])) })
}

/// The same of two.
///
/// # Safety
/// As for `matrix_of`.
unsafe fn matrix_of_two(
    output: (&str, *mut *mut admpi_varmat),
    a: (&str, *const admpi_view),
    b: (&str, *const admpi_view),
    operation: impl FnOnce(Option<&mut Tape>, Operand, Operand) -> Result<Owned>,
) -> i32 {
    // SAFETY: the caller's promise.
    entry(|| unsafe { put_matrices([output], || Ok([with_two(a, b, operation)?])) })
}

/// A scalar that an operation makes of a matrix.
///
/// # Safety
/// As for `with_one`; `x_out` is NULL or may be written to.
unsafe fn scalar_of(
    x_out: *mut admpi_var,
    a: *const admpi_view,
    operation: impl FnOnce(Option<&mut Tape>, Operand) -> Result<admpi_var>,
) -> i32 {
    // SAFETY: the caller's promise.
    entry(|| unsafe { put("x_out", x_out, || with_one(("a", a), operation)) })
}

/// Multiplies two matrices. Each may be active or passive, and any part of a matrix. Transposed views are not copied.
/// @param a           `m x k` elements
/// @param b           `k x n` elements; may overlap a
/// @param[out] c_out  the product, `m x n`; free it with admpi_varmat_free
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
///         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_multiply(
    a: *const admpi_view,
    b: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of_two(("c_out", c_out), ("a", a), ("b", b), linalg::multiply) }
}

/// Multiplies a matrix by its transpose.
/// @param a           `m x n` elements
/// @param[out] c_out  a times its transpose, `m x m`; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_tcrossprod(
    a: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of(("c_out", c_out), ("a", a), linalg::tcrossprod) }
}

/// Computes the transpose of b, times a, times b.
/// @param a           `n x n` elements
/// @param b           `n x m` elements; may overlap a
/// @param[out] c_out  the product, `m x m`; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_quad_form(
    a: *const admpi_view,
    b: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of_two(("c_out", c_out), ("a", a), ("b", b), linalg::quad_form) }
}

/// Adds up all elements.
/// @param a           part of a matrix
/// @param[out] x_out  the sum
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sum(a: *const admpi_view, x_out: *mut admpi_var) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { scalar_of(x_out, a, linalg::sum) }
}

/// Adds up the elements on the diagonal.
/// @param a           `n x n` elements
/// @param[out] x_out  the sum
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_trace(a: *const admpi_view, x_out: *mut admpi_var) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { scalar_of(x_out, a, linalg::trace) }
}

/// Makes a diagonal matrix.
/// @param d           `n` elements, a row or a column
/// @param[out] c_out  `n x n`, d on the diagonal, else 0; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_diag(
    d: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of(("c_out", c_out), ("d", d), linalg::diag) }
}

/// Multiplies row i by element i of a vector.
/// @param d           `m` elements, a row or a column
/// @param a           `m x n` elements
/// @param[out] c_out  `m x n`; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_diag_pre_multiply(
    d: *const admpi_view,
    a: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of_two(("c_out", c_out), ("d", d), ("a", a), linalg::diag_pre_multiply) }
}

/// Multiplies column j by element j of a vector.
/// @param a           `m x n` elements
/// @param d           `n` elements, a row or a column
/// @param[out] c_out  `m x n`; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_diag_post_multiply(
    a: *const admpi_view,
    d: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of_two(("c_out", c_out), ("a", a), ("d", d), linalg::diag_post_multiply) }
}

/// Solves a x = b, by LU factors, which the sweep uses again. For a transposed system give the transposed view.
/// @param a           `n x n` elements
/// @param b           `n x m` elements; may overlap a
/// @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_solve(
    a: *const admpi_view,
    b: *const admpi_view,
    x_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of_two(("x_out", x_out), ("a", a), ("b", b), linalg::solve) }
}

/// Solves a x = b for a symmetric, positive definite matrix, by its Cholesky factor, which the sweep uses again. The
/// lower triangle of `a` is read, and holds the adjoints of both.
/// @param a           `n x n` elements
/// @param b           `n x m` elements; may overlap a
/// @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_solve_spd(
    a: *const admpi_view,
    b: *const admpi_view,
    x_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of_two(("x_out", x_out), ("a", a), ("b", b), linalg::solve_spd) }
}

/// Solves a x = b, where a is lower triangular: the other elements are not read. A transposed view of a matrix that is
/// upper triangular is lower triangular.
/// @param a           `n x n` elements
/// @param b           `n x m` elements; may overlap a
/// @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if an element on the diagonal is 0
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_solve_lower(
    a: *const admpi_view,
    b: *const admpi_view,
    x_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        matrix_of_two(("x_out", x_out), ("a", a), ("b", b), |tape, a, b| {
            linalg::solve_triangular(tape, Triangle::Lower, a, b)
        })
    }
}

/// Solves a x = b, where a is upper triangular: the other elements are not read. A transposed view of a matrix that is
/// lower triangular is upper triangular.
/// @param a           `n x n` elements
/// @param b           `n x m` elements; may overlap a
/// @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if an element on the diagonal is 0
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_solve_upper(
    a: *const admpi_view,
    b: *const admpi_view,
    x_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        matrix_of_two(("x_out", x_out), ("a", a), ("b", b), |tape, a, b| {
            linalg::solve_triangular(tape, Triangle::Upper, a, b)
        })
    }
}

/// Inverts a matrix.
/// @param a           `n x n` elements
/// @param[out] c_out  the inverse, `n x n`; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_inverse(
    a: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of(("c_out", c_out), ("a", a), linalg::inverse) }
}

/// Inverts a symmetric, positive definite matrix. The lower triangle of `a` is read, and holds the adjoints of both.
/// @param a           `n x n` elements
/// @param[out] c_out  the inverse, `n x n`, both triangles; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_inverse_spd(
    a: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of(("c_out", c_out), ("a", a), linalg::inverse_spd) }
}

/// Computes the determinant. Only a sweep computes the inverse that the derivative needs. A singular matrix has a gradient too.
/// @param a           `n x n` elements
/// @param[out] x_out  the determinant; 1 for no elements
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_determinant(
    a: *const admpi_view,
    x_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { scalar_of(x_out, a, linalg::determinant) }
}

/// Computes the logarithm of the absolute value of the determinant. The determinant itself may exceed the range of doubles.
/// @param a           `n x n` elements
/// @param[out] x_out  the logarithm
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_log_determinant(
    a: *const admpi_view,
    x_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { scalar_of(x_out, a, linalg::log_determinant) }
}

/// Computes the logarithm of the determinant of a symmetric, positive definite matrix. The lower triangle of `a` is
/// read, and holds the adjoints of both.
/// @param a           `n x n` elements
/// @param[out] x_out  the logarithm
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_log_determinant_spd(
    a: *const admpi_view,
    x_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { scalar_of(x_out, a, linalg::log_determinant_spd) }
}

/// Factors a symmetric, positive definite matrix: a is l times its transpose. The lower triangle of `a` is read, and
/// holds the adjoints of both.
/// @param a           `n x n` elements
/// @param[out] l_out  l, lower triangular, `n x n`; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_cholesky(
    a: *const admpi_view,
    l_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of(("l_out", l_out), ("a", a), linalg::cholesky) }
}

/// Factors a matrix with permuted rows: row i of l times u is row row_out[i] of a. k is the smaller of m and n.
/// @param a             `m x n` elements
/// @param m             number of rows of a
/// @param[out] l_out    `m x k`, lower triangular, 1 on the diagonal; free it with admpi_varmat_free
/// @param[out] u_out    `k x n`, upper triangular; free it with admpi_varmat_free
/// @param[out] row_out  `m` numbers of rows, from 0
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_lu(
    a: *const admpi_view,
    m: i64,
    l_out: *mut *mut admpi_varmat,
    u_out: *mut *mut admpi_varmat,
    row_out: *mut i64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        let rows = array_mut("row_out", row_out, from_c("m", m)?)?;
        put_matrices([("l_out", l_out), ("u_out", u_out)], || {
            check_count("m", rows.len(), get("a", a)?.rows)?;
            let (l, u, order) = with_one(("a", a), linalg::lu)?;
            for (row, at) in rows.iter_mut().zip(order) {
                *row = i64::try_from(at).unwrap_or(i64::MAX);
            }
            Ok([l, u])
        })
    })
}

/// Factors a matrix into q with orthonormal columns and r, upper triangular with a positive diagonal. k is the smaller of
/// m and n.
/// @param a           `m x n` elements
/// @param[out] q_out  `m x k`; free it with admpi_varmat_free
/// @param[out] r_out  `k x n`; free it with admpi_varmat_free
/// @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a does not have full rank: the message names the column
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_qr(
    a: *const admpi_view,
    q_out: *mut *mut admpi_varmat,
    r_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put_matrices([("q_out", q_out), ("r_out", r_out)], || {
            Ok(with_one(("a", a), linalg::qr)?.into())
        })
    })
}

/// Computes the eigenvalues of a symmetric matrix. The lower triangle of `a` is read, and holds the adjoints of both.
/// @param a               `n x n` elements
/// @param[out] value_out  the eigenvalues, ascending, `n x 1`; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_eigenvalues_sym(
    a: *const admpi_view,
    value_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of(("value_out", value_out), ("a", a), linalg::eigenvalues_sym) }
}

/// Computes eigenvalues and eigenvectors of a symmetric matrix. The lower triangle of `a` is read, and holds the adjoints
/// of both. Vectors of equal values are not unique: if the choice matters there is no derivative, and none is added.
/// @param a                `n x n` elements
/// @param[out] value_out   the eigenvalues, ascending, `n x 1`; free it with admpi_varmat_free
/// @param[out] vector_out  the eigenvectors, orthonormal columns, `n x n`; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_eigen_sym(
    a: *const admpi_view,
    value_out: *mut *mut admpi_varmat,
    vector_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put_matrices([("value_out", value_out), ("vector_out", vector_out)], || {
            Ok(with_one(("a", a), linalg::eigen_sym)?.into())
        })
    })
}

/// Computes the singular values of a matrix.
/// @param a           `m x n` elements
/// @param[out] s_out  the singular values, descending, as many as the smaller of m and n, a column; free it with
///                    admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_singular_values(
    a: *const admpi_view,
    s_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { matrix_of(("s_out", s_out), ("a", a), linalg::singular_values) }
}

/// Computes singular values and vectors: a is u times the diagonal matrix of s times the transpose of v. k is the
/// smaller of m and n. Vectors of equal or zero values are not unique: if the choice matters there is no derivative, and none is
/// added.
/// @param a           `m x n` elements
/// @param[out] u_out  orthonormal columns, `m x k`; free it with admpi_varmat_free
/// @param[out] s_out  the singular values, descending, `k x 1`; free it with admpi_varmat_free
/// @param[out] v_out  orthonormal columns, `n x k`; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_svd(
    a: *const admpi_view,
    u_out: *mut *mut admpi_varmat,
    s_out: *mut *mut admpi_varmat,
    v_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put_matrices([("u_out", u_out), ("s_out", s_out), ("v_out", v_out)], || {
            Ok(with_one(("a", a), linalg::svd)?.into())
        })
    })
}

/// The pattern of a sparse matrix: where it has elements, in compressed rows. Opaque.
#[allow(non_camel_case_types)]
pub struct admpi_sparse(Arc<Pattern>);

/// Makes the pattern of a sparse matrix. The values are not part of it: each product takes them, and they may be active.
/// @param rows         number of rows
/// @param cols         number of columns
/// @param row_start    `rows + 1` numbers, ascending from 0 to n: row i has the elements from row_start[i] up to
///                     row_start[i + 1]
/// @param column       `n` columns, from 0; if a column occurs twice in a row, its elements are added
/// @param n            number of elements
/// @param[out] s_out   the pattern, which threads may share; free it with admpi_sparse_free, at any time
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_new(
    rows: i64,
    cols: i64,
    row_start: *const i64,
    column: *const i64,
    n: i64,
    s_out: *mut *mut admpi_sparse,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put("s_out", s_out, || {
            let (rows, cols) = (from_c("rows", rows)?, from_c("cols", cols)?);
            let start = array("row_start", row_start, rows.saturating_add(1))?;
            let column = array("column", column, from_c("n", n)?)?;
            let pattern = Pattern::new(rows, cols, start, column)?;
            Ok(Box::into_raw(Box::new(admpi_sparse(pattern))))
        })
    })
}

/// Makes another handle of the same pattern, without a copy.
/// @param s           the pattern
/// @param[out] t_out  the handle; free it with admpi_sparse_free, in any order
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_copy(
    s: *const admpi_sparse,
    t_out: *mut *mut admpi_sparse,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put("t_out", t_out, || {
            let pattern = get("s", s)?;
            Ok(Box::into_raw(Box::new(admpi_sparse(Arc::clone(&pattern.0)))))
        })
    })
}

/// Frees a pattern. Recorded products stay valid.
/// @param s  NULL is fine
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_free(s: *mut admpi_sparse) {
    entry(|| {
        if !s.is_null() {
            // SAFETY: made by `admpi_sparse_new`, and given up by the caller.
            drop(unsafe { Box::from_raw(s) });
        }
        Ok(())
    });
}

/// Multiplies a sparse matrix by a dense one. The values and the other matrix may each be active or passive.
/// @param s           the pattern
/// @param value       its values, a row or a column, in the order of the pattern
/// @param b           as many rows as the pattern has columns, any number of columns; may overlap value
/// @param[out] c_out  as many rows as the pattern has, as many columns as b; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_multiply(
    s: *const admpi_sparse,
    value: *const admpi_view,
    b: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put_matrices([("c_out", c_out)], || {
            let pattern = &get("s", s)?.0;
            Ok([with_two(("value", value), ("b", b), |tape, value, b| {
                linalg::sparse_multiply(tape, pattern, false, &value, b)
            })?])
        })
    })
}

/// Multiplies the transpose of a sparse matrix by a dense one. The values and the other matrix may each be active or
/// passive.
/// @param s           the pattern
/// @param value       its values, a row or a column, in the order of the pattern
/// @param b           as many rows as the pattern has, any number of columns; may overlap value
/// @param[out] c_out  as many rows as the pattern has columns, as many columns as b; free it with admpi_varmat_free
/// @return as admpi_multiply
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_sparse_multiply_transposed(
    s: *const admpi_sparse,
    value: *const admpi_view,
    b: *const admpi_view,
    c_out: *mut *mut admpi_varmat,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put_matrices([("c_out", c_out)], || {
            let pattern = &get("s", s)?.0;
            Ok([with_two(("value", value), ("b", b), |tape, value, b| {
                linalg::sparse_multiply(tape, pattern, true, &value, b)
            })?])
        })
    })
}

fn check_count(name: &str, given: usize, rows: i64) -> Result<()> {
    if i64::try_from(given) == Ok(rows) {
        return Ok(());
    }
    Err(Error::new(Code::Argument, format!("{name} = {given}, but a has {rows} rows")))
}
