/* Generated from src/capi/operations.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_OPERATIONS_H
#define ADMPI_OPERATIONS_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Applies an operation of the user's, as one event: its forward function is called now, its reverse function by every sweep
 * that passes. If no operand is active, or the tape does not record, the results are passive.
 * @param operation        its functions; the struct is copied
 * @param data             handed to the functions. From here on the library's to destroy, whatever this call returns, if
 *                         operation is not NULL and has its size
 * @param operand          `n_operands` parts of matrices or scalars
 * @param n_operands       how many
 * @param shape            `2*n_results` numbers: rows and columns of each result
 * @param n_results        how many
 * @param[out] result_out  `n_results` matrices; free them with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_CALLBACK (the forward function failed),
 *         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST (the forward function reset the tape),
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_operation_apply(const admpi_operation *operation,
                              void *data,
                              const admpi_operand *operand,
                              int64_t n_operands,
                              const int64_t *shape,
                              int64_t n_results,
                              admpi_varmat **result_out);

/**
 * Solves A(p) x = b for a matrix that only functions of the user's know, as one event. The sweep solves with the transpose
 * once, and records and reverses one product in a nest; of the solver's iterations nothing is recorded.
 * @param system      its functions; the struct is copied
 * @param data        handed to the functions. From here on the library's to destroy, whatever this call returns, if system
 *                    is not NULL and has its size
 * @param b           part of a matrix, or a scalar
 * @param p           `n_p` parts of matrices or scalars: everything active that A depends on. A sweep in which the functions
 *                    use another active value fails (ADMPI_ERR_ARGUMENT)
 * @param n_p         how many
 * @param[out] x_out  the solution, of the shape of b; free it with admpi_varmat_free
 * @return as admpi_operation_apply; a sweep returns ADMPI_ERR_ARGUMENT if the product is not of the shape of b
 */
int32_t admpi_linear_solve(const admpi_linear_system *system,
                           void *data,
                           const admpi_operand *b,
                           const admpi_operand *p,
                           int64_t n_p,
                           admpi_varmat **x_out);

/**
 * Finds x with x = f(x, p) by iterating from a start, where f contracts, as one event. The sweep iterates likewise, over one
 * recording of f at the solution; of the iterations nothing is recorded.
 * @param map         f, and when x counts as found; the struct is copied
 * @param data        handed to the functions. From here on the library's to destroy, whatever this call returns, if map is
 *                    not NULL and has its size
 * @param start       part of a matrix; the solution does not depend on it
 * @param p           `n_p` parts of matrices or scalars: everything active that f depends on
 * @param n_p         how many
 * @param[out] x_out  the solution, of the shape of start; free it with admpi_varmat_free
 * @return as admpi_operation_apply, and ADMPI_ERR_CONVERGENCE, which a sweep may return too: the message tells the number of
 *         iterations and the last change
 */
int32_t admpi_fixed_point(const admpi_fixed_point_map *map,
                          void *data,
                          const admpi_view *start,
                          const admpi_operand *p,
                          int64_t n_p,
                          admpi_varmat **x_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_OPERATIONS_H */
