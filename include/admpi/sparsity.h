/* Generated from src/capi/sparsity.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_SPARSITY_H
#define ADMPI_SPARSITY_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/linalg.h"

/**
 * Columns of one colour share no row: a product with a vector gives a Jacobian's elements in all of them.
 */
#define ADMPI_COLOUR_COLUMNS 0

/**
 * Rows of one colour share no column: a sweep gives a Jacobian's elements in all of them.
 */
#define ADMPI_COLOUR_ROWS 1

/**
 * Of a symmetric pattern: of each element, a product with a vector gives it or the one across the diagonal.
 */
#define ADMPI_COLOUR_SYMMETRIC 2

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Finds the pattern of the Jacobian of `y` by `x` from what the tape has recorded, from the base of the innermost nest on: where
 * it may have elements for any values that take the same branches. What functions of your own compute depends on all their
 * operands. The tape is left as it was.
 * @param x           `n` values, such as inputs; what they were made of does not count
 * @param n           number of columns
 * @param y           `m` values; passive ones have empty rows
 * @param m           number of rows
 * @param[out] s_out  the pattern, with ascending columns in each row; free it with admpi_sparse_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST,
 *         ADMPI_ERR_UNSUPPORTED (through a time loop, or other ranks), ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_sparsity(admpi_tape *tape,
                            const admpi_var *x,
                            int64_t n,
                            const admpi_var *y,
                            int64_t m,
                            admpi_sparse **s_out);

/**
 * Finds the pattern of the Hessian of a function by `x`, as admpi_tape_sparsity does, from a recording of its derivative in the
 * direction `v`, whatever that is. It may have more than the Hessian: in a sum of two products each factor meets both.
 * @param x           `n` inputs
 * @param v           the direction: `n` inputs
 * @param n           number of rows and columns
 * @param y           the derivative
 * @param[out] s_out  the pattern, which is symmetric; free it with admpi_sparse_free
 * @return as admpi_tape_sparsity
 */
int32_t admpi_tape_hessian_sparsity(admpi_tape *tape,
                                    const admpi_var *x,
                                    const admpi_var *v,
                                    int64_t n,
                                    admpi_var y,
                                    admpi_sparse **s_out);

/**
 * Tells the size of a pattern.
 * @param s              a pattern
 * @param[out] rows_out  number of rows
 * @param[out] cols_out  number of columns
 * @param[out] n_out     number of elements
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_sparse_size(const admpi_sparse *s, int64_t *rows_out, int64_t *cols_out, int64_t *n_out);

/**
 * Copies a pattern: row i has the elements from row_start_out[i] up to row_start_out[i + 1].
 * @param s                   a pattern
 * @param[out] row_start_out  `rows + 1` numbers, from 0 on
 * @param[out] column_out     the column of each element, from 0
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_sparse_rows(const admpi_sparse *s, int64_t *row_start_out, int64_t *column_out);

/**
 * Colours the columns or rows of a pattern, with few colours.
 * @param s                 a pattern
 * @param by                ADMPI_COLOUR_COLUMNS, ADMPI_COLOUR_ROWS or ADMPI_COLOUR_SYMMETRIC, which trusts that the pattern is
 *                          symmetric
 * @param[out] colour_out   the colour of each column or row, from 0 on
 * @param[out] colours_out  how many colours
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_sparse_colour(const admpi_sparse *s,
                            int32_t by,
                            int32_t *colour_out,
                            int32_t *colours_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_SPARSITY_H */
