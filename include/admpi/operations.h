/* Generated from src/capi/operations.rs by tests/headers.rs; edit that. */

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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_OPERATIONS_H */
