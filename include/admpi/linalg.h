/* Generated from src/capi/linalg.rs by tests/headers.rs; edit that. */

#ifndef ADMPI_LINALG_H
#define ADMPI_LINALG_H

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
 * Multiplies two matrices. Each may be active or passive, and any part of a matrix; a transposed one is multiplied as it
 * lies.
 * @param a           `m x k` elements
 * @param b           `k x n` elements; may overlap a
 * @param[out] c_out  the product, `m x n`; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_multiply(const admpi_view *a,
                       const admpi_view *b,
                       admpi_varmat **c_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_LINALG_H */
