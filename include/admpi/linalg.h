/* Generated from src/capi/linalg.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_LINALG_H
#define ADMPI_LINALG_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/matrix.h"

/**
 * The pattern of a sparse matrix: where it has elements, in compressed rows. Opaque.
 */
typedef struct admpi_sparse admpi_sparse;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Multiplies two matrices. Each may be active or passive, and any part of a matrix. Transposed views are not copied.
 * @param a           `m x k` elements
 * @param b           `k x n` elements; may overlap a
 * @param[out] c_out  the product, `m x n`; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_multiply(const admpi_view *a,
                       const admpi_view *b,
                       admpi_varmat **c_out);

/**
 * Multiplies a matrix by its transpose.
 * @param a           `m x n` elements
 * @param[out] c_out  a times its transpose, `m x m`; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_tcrossprod(const admpi_view *a, admpi_varmat **c_out);

/**
 * Computes the transpose of b, times a, times b.
 * @param a           `n x n` elements
 * @param b           `n x m` elements; may overlap a
 * @param[out] c_out  the product, `m x m`; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_quad_form(const admpi_view *a, const admpi_view *b, admpi_varmat **c_out);

/**
 * Adds up all elements.
 * @param a           part of a matrix
 * @param[out] x_out  the sum
 * @return as admpi_multiply
 */
int32_t admpi_sum(const admpi_view *a, admpi_var *x_out);

/**
 * Adds up the elements on the diagonal.
 * @param a           `n x n` elements
 * @param[out] x_out  the sum
 * @return as admpi_multiply
 */
int32_t admpi_trace(const admpi_view *a, admpi_var *x_out);

/**
 * Makes a diagonal matrix.
 * @param d           `n` elements, a row or a column
 * @param[out] c_out  `n x n`, d on the diagonal, else 0; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_diag(const admpi_view *d, admpi_varmat **c_out);

/**
 * Multiplies row i by element i of a vector.
 * @param d           `m` elements, a row or a column
 * @param a           `m x n` elements
 * @param[out] c_out  `m x n`; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_diag_pre_multiply(const admpi_view *d, const admpi_view *a, admpi_varmat **c_out);

/**
 * Multiplies column j by element j of a vector.
 * @param a           `m x n` elements
 * @param d           `n` elements, a row or a column
 * @param[out] c_out  `m x n`; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_diag_post_multiply(const admpi_view *a, const admpi_view *d, admpi_varmat **c_out);

/**
 * Solves a x = b, by LU factors, which the sweep uses again. For a transposed system give the transposed view.
 * @param a           `n x n` elements
 * @param b           `n x m` elements; may overlap a
 * @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
 */
int32_t admpi_solve(const admpi_view *a,
                    const admpi_view *b,
                    admpi_varmat **x_out);

/**
 * Solves a x = b for a symmetric, positive definite matrix, by its Cholesky factor, which the sweep uses again. The
 * lower triangle of `a` is read, and holds the adjoints of both.
 * @param a           `n x n` elements
 * @param b           `n x m` elements; may overlap a
 * @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
 */
int32_t admpi_solve_spd(const admpi_view *a,
                        const admpi_view *b,
                        admpi_varmat **x_out);

/**
 * Solves a x = b, where a is lower triangular: the other elements are not read. A transposed view of a matrix that is
 * upper triangular is lower triangular.
 * @param a           `n x n` elements
 * @param b           `n x m` elements; may overlap a
 * @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if an element on the diagonal is 0
 */
int32_t admpi_solve_lower(const admpi_view *a,
                          const admpi_view *b,
                          admpi_varmat **x_out);

/**
 * Solves a x = b, where a is upper triangular: the other elements are not read. A transposed view of a matrix that is
 * lower triangular is upper triangular.
 * @param a           `n x n` elements
 * @param b           `n x m` elements; may overlap a
 * @param[out] x_out  the solution, `n x m`; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if an element on the diagonal is 0
 */
int32_t admpi_solve_upper(const admpi_view *a,
                          const admpi_view *b,
                          admpi_varmat **x_out);

/**
 * Inverts a matrix.
 * @param a           `n x n` elements
 * @param[out] c_out  the inverse, `n x n`; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
 */
int32_t admpi_inverse(const admpi_view *a, admpi_varmat **c_out);

/**
 * Inverts a symmetric, positive definite matrix. The lower triangle of `a` is read, and holds the adjoints of both.
 * @param a           `n x n` elements
 * @param[out] c_out  the inverse, `n x n`, both triangles; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
 */
int32_t admpi_inverse_spd(const admpi_view *a,
                          admpi_varmat **c_out);

/**
 * Computes the determinant. Only a sweep computes the inverse that the derivative needs. A singular matrix has a
 * gradient too.
 * @param a           `n x n` elements
 * @param[out] x_out  the determinant; 1 for no elements
 * @return as admpi_multiply
 */
int32_t admpi_determinant(const admpi_view *a,
                          admpi_var *x_out);

/**
 * Computes the logarithm of the absolute value of the determinant. The determinant itself may exceed the range of
 * doubles.
 * @param a           `n x n` elements
 * @param[out] x_out  the logarithm
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
 */
int32_t admpi_log_determinant(const admpi_view *a,
                              admpi_var *x_out);

/**
 * Computes the logarithm of the determinant of a symmetric, positive definite matrix. The lower triangle of `a` is
 * read, and holds the adjoints of both.
 * @param a           `n x n` elements
 * @param[out] x_out  the logarithm
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
 */
int32_t admpi_log_determinant_spd(const admpi_view *a,
                                  admpi_var *x_out);

/**
 * Factors a symmetric, positive definite matrix: a is l times its transpose. The lower triangle of `a` is read, and
 * holds the adjoints of both.
 * @param a           `n x n` elements
 * @param[out] l_out  l, lower triangular, `n x n`; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is not positive definite: the message names the pivot
 */
int32_t admpi_cholesky(const admpi_view *a,
                       admpi_varmat **l_out);

/**
 * Factors a matrix with permuted rows: row i of l times u is row row_out[i] of a. k is the smaller of m and n.
 * @param a             `m x n` elements
 * @param m             number of rows of a
 * @param[out] l_out    `m x k`, lower triangular, 1 on the diagonal; free it with admpi_varmat_free
 * @param[out] u_out    `k x n`, upper triangular; free it with admpi_varmat_free
 * @param[out] row_out  `m` numbers of rows, from 0
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a is singular: the message names the column
 */
int32_t admpi_lu(const admpi_view *a,
                 int64_t m,
                 admpi_varmat **l_out,
                 admpi_varmat **u_out,
                 int64_t *row_out);

/**
 * Factors a matrix into q with orthonormal columns and r, upper triangular with a positive diagonal. k is the smaller
 * of m and n.
 * @param a           `m x n` elements
 * @param[out] q_out  `m x k`; free it with admpi_varmat_free
 * @param[out] r_out  `k x n`; free it with admpi_varmat_free
 * @return as admpi_multiply, ADMPI_ERR_ARGUMENT also if a does not have full rank: the message names the column
 */
int32_t admpi_qr(const admpi_view *a,
                 admpi_varmat **q_out,
                 admpi_varmat **r_out);

/**
 * Computes the eigenvalues of a symmetric matrix. The lower triangle of `a` is read, and holds the adjoints of both.
 * @param a               `n x n` elements
 * @param[out] value_out  the eigenvalues, ascending, `n x 1`; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_eigenvalues_sym(const admpi_view *a,
                              admpi_varmat **value_out);

/**
 * Computes eigenvalues and eigenvectors of a symmetric matrix. The lower triangle of `a` is read, and holds the
 * adjoints of both. Vectors of equal values are not unique: if the choice matters there is no derivative, and none is
 * added.
 * @param a                `n x n` elements
 * @param[out] value_out   the eigenvalues, ascending, `n x 1`; free it with admpi_varmat_free
 * @param[out] vector_out  the eigenvectors, orthonormal columns, `n x n`; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_eigen_sym(const admpi_view *a,
                        admpi_varmat **value_out,
                        admpi_varmat **vector_out);

/**
 * Computes the singular values of a matrix.
 * @param a           `m x n` elements
 * @param[out] s_out  the singular values, descending, as many as the smaller of m and n, a column; free it with
 *                    admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_singular_values(const admpi_view *a,
                              admpi_varmat **s_out);

/**
 * Computes singular values and vectors: a is u times the diagonal matrix of s times the transpose of v. k is the
 * smaller of m and n. Vectors of equal or zero values are not unique: if the choice matters there is no derivative,
 * and none is added.
 * @param a           `m x n` elements
 * @param[out] u_out  orthonormal columns, `m x k`; free it with admpi_varmat_free
 * @param[out] s_out  the singular values, descending, `k x 1`; free it with admpi_varmat_free
 * @param[out] v_out  orthonormal columns, `n x k`; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_svd(const admpi_view *a,
                  admpi_varmat **u_out,
                  admpi_varmat **s_out,
                  admpi_varmat **v_out);

/**
 * Makes the pattern of a sparse matrix. The values are not part of it: each product takes them, and they may be
 * active.
 * @param rows        number of rows
 * @param cols        number of columns
 * @param row_start   `rows + 1` numbers, ascending from 0 to n: row i has the elements from row_start[i] up to
 *                    row_start[i + 1]
 * @param column      `n` columns, from 0; if a column occurs twice in a row, its elements are added
 * @param n           number of elements
 * @param[out] s_out  the pattern, which threads may share; free it with admpi_sparse_free, at any time
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_sparse_new(int64_t rows,
                         int64_t cols,
                         const int64_t *row_start,
                         const int64_t *column,
                         int64_t n,
                         struct admpi_sparse **s_out);

/**
 * Makes another handle of the same pattern, without a copy.
 * @param s           the pattern
 * @param[out] t_out  the handle; free it with admpi_sparse_free, in any order
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_sparse_copy(const struct admpi_sparse *s, struct admpi_sparse **t_out);

/**
 * Frees a pattern. Recorded products stay valid.
 * @param s  NULL is fine
 */
void admpi_sparse_free(struct admpi_sparse *s);

/**
 * Multiplies a sparse matrix by a dense one. The values and the other matrix may each be active or passive.
 * @param s           the pattern
 * @param value       its values, a row or a column, in the order of the pattern
 * @param b           as many rows as the pattern has columns, any number of columns; may overlap value
 * @param[out] c_out  as many rows as the pattern has, as many columns as b; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_sparse_multiply(const struct admpi_sparse *s,
                              const admpi_view *value,
                              const admpi_view *b,
                              admpi_varmat **c_out);

/**
 * Multiplies the transpose of a sparse matrix by a dense one. The values and the other matrix may each be active or
 * passive.
 * @param s           the pattern
 * @param value       its values, a row or a column, in the order of the pattern
 * @param b           as many rows as the pattern has, any number of columns; may overlap value
 * @param[out] c_out  as many rows as the pattern has columns, as many columns as b; free it with admpi_varmat_free
 * @return as admpi_multiply
 */
int32_t admpi_sparse_multiply_transposed(const struct admpi_sparse *s,
                                         const admpi_view *value,
                                         const admpi_view *b,
                                         admpi_varmat **c_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_LINALG_H */
