/* Generated from src/capi/arrays.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_ARRAYS_H
#define ADMPI_ARRAYS_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/matrix.h"

/**
 * The forward function of an array statement: it writes the result.
 * @param call  shape, values and result
 * @return 0, or any other number: the statement ends with ADMPI_ERR_CALLBACK
 */
typedef int32_t (*admpi_forward)(const admpi_forward_call *call);

/**
 * The reverse function of an array statement: it adds to the adjoints of the operands. It does not use the tape.
 * @param call  shapes and adjoints
 * @return 0, or any other number: the sweep ends with ADMPI_ERR_CALLBACK
 */
typedef int32_t (*admpi_kernel)(const admpi_kernel_call *call);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a matrix with a pair of functions, as one event. The matrix is passive if all operands are passive or the tape does
 * not record.
 * @param rows          of the result
 * @param cols          of the result
 * @param operand       `n` parts of matrices of that shape, or scalars; they may overlap each other
 * @param n             how many
 * @param forward       computes the result
 * @param reverse       adds to the adjoints of the operands, which it gets in this order with their values
 * @param payload       data for both
 * @param payload_size  bytes of payload, which are copied into the tape
 * @param[out] a_out    the matrix; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_CALLBACK, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_array_apply(int64_t rows,
                          int64_t cols,
                          const admpi_operand *operand,
                          int64_t n,
                          admpi_forward forward,
                          admpi_kernel reverse,
                          const void *payload,
                          size_t payload_size,
                          admpi_varmat **a_out);

/**
 * Makes a matrix whose values the caller computes and writes to its block before any other use.
 * @param rows        number of rows
 * @param cols        number of columns
 * @param like        NULL, or a matrix whose shape and values the new one has
 * @param[out] a_out  the matrix, passive; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_detail_array_fresh(int64_t rows, int64_t cols, const admpi_varmat *like, admpi_varmat **a_out);

/**
 * Records, as one event, that part of a matrix made by admpi_detail_array_fresh was computed from operands. The part stays
 * passive if all operands are passive or the tape does not record.
 * @param part          the part that was computed
 * @param carried       NULL, or the matrix from which the other elements were taken
 * @param operand       `n` parts of matrices or scalars. Operands that are matrices may overlap each other
 * @param n             how many
 * @param fn            the reverse function; it gets the adjoints of the operands in this order
 * @param payload       its data
 * @param payload_size  bytes of payload to copy into the tape; the values of operands may be pointed to, since they
 *                      stay where they are
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_detail_array_record(const admpi_view *part,
                                  const admpi_varmat *carried,
                                  const admpi_operand *operand,
                                  int64_t n,
                                  admpi_kernel fn,
                                  const void *payload,
                                  size_t payload_size);

/**
 * Computes the running sums of the elements of a view in column-major order, as one event.
 * @param a           part of a matrix
 * @param[out] b_out  a matrix of its shape: element k is the sum of the elements 0 to k; free it with admpi_varmat_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_cumulative_sum(const admpi_view *a,
                             admpi_varmat **b_out);

/**
 * Joins parts of matrices into one matrix, as one event.
 * @param part        `n` parts of matrices
 * @param n           number of parts
 * @param below       nonzero: one below the other; 0: side by side
 * @param[out] a_out  the matrix; free it with admpi_varmat_free
 * @return as admpi_cumulative_sum
 */
int32_t admpi_concatenate(const admpi_view *part, int64_t n, int32_t below, admpi_varmat **a_out);

/**
 * Copies a view and adds the elements of another at the given places, as one event.
 * @param a           part of a matrix
 * @param index       `n` places in `a`, from 0, column-major; they may repeat
 * @param n           number of places
 * @param b           part of a matrix of `n` elements; may overlap a
 * @param[out] c_out  a matrix of the shape of `a`; free it with admpi_varmat_free
 * @return as admpi_cumulative_sum
 */
int32_t admpi_scatter_add(const admpi_view *a,
                          const int64_t *index,
                          int64_t n,
                          const admpi_view *b,
                          admpi_varmat **c_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_ARRAYS_H */
