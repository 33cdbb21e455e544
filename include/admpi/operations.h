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
 * Applies a user's operation, as one event. Its forward function is called now, its reverse function by every sweep that
 * passes the event. If no operand is active, or the tape does not record, the results are passive.
 * @param operation        its functions; the struct is copied
 * @param data             passed to the functions. If operation is not NULL and has its size, the library destroys the data,
 *                         whatever this call returns
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
 * Solves A(p) x = b for a matrix given by a user's functions, as one event. The sweep solves once with the transpose, and
 * records and reverses one product in a nest. The iterations of the solver are not recorded.
 * @param system      its functions; the struct is copied
 * @param data        passed to the functions. If system is not NULL and has its size, the library destroys the data, whatever
 *                    this call returns
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
 * Finds x with x = f(x, p) by iterating a contraction f from a start, as one event. The sweep iterates over one recording of
 * f at the solution. The iterations are not recorded.
 * @param map         f, and the criterion for convergence; the struct is copied
 * @param data        passed to the functions. If map is not NULL and has its size, the library destroys the data, whatever
 *                    this call returns
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
