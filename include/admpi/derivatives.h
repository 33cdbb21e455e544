/* Generated from src/capi/derivatives.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_DERIVATIVES_H
#define ADMPI_DERIVATIVES_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/linalg.h"

/**
 * A function of active values, with AMPI calls if ranks compute it together. What it records is swept and forgotten. Active values
 * from elsewhere are constants.
 * @param x         the inputs
 * @param n         how many
 * @param[out] y    the results, each of which the function sets
 * @param m         how many
 * @param ctx       the context given with it
 * @return 0, or any other number: the call ends with ADMPI_ERR_CALLBACK
 */
typedef int32_t (*admpi_function_fn)(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx);

/**
 * What admpi_check_gradient found of an input.
 */
typedef struct admpi_input_check {
  /**
   * The derivative by a sweep.
   */
  double reverse;
  /**
   * The derivative by central differences: of those for eight steps, the one that changed least from step to step.
   */
  double difference;
  /**
   * Whether one of the differences agrees with the sweep.
   */
  int64_t is_right;
} admpi_input_check;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The gradient of a function with one result, by a recording and a sweep: on a nest of the thread's tape, or on a tape of its own if the
 * thread has none. If all ranks call it together, it is the gradient of the sum of what the function returns on the ranks, by this
 * rank's inputs. Of one that returns the same on all: admpi_gradient_ranks.
 * @param f                  the function
 * @param ctx                its context
 * @param x                  where
 * @param n                  number of inputs
 * @param[out] value_out     the function's value, or NULL
 * @param[out] gradient_out  `n` derivatives
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the function has not set its result), ADMPI_ERR_CALLBACK, and as
 *         admpi_tape_reverse
 */
int32_t admpi_gradient(admpi_function_fn f,
                       void *ctx,
                       const double *x,
                       int64_t n,
                       double *value_out,
                       double *gradient_out);

/**
 * The Jacobian of a function, by one recording and a sweep for each 16 results, or for each result on a tape that the thread has.
 * @param f                  the function, which communicates with no other rank
 * @param ctx                its context
 * @param x                  where
 * @param n                  number of inputs
 * @param m                  number of results
 * @param[out] value_out     `m` values, or NULL
 * @param[out] jacobian_out  `m * n` derivatives, column by column: that of result i by input j is `jacobian_out[i + j * m]`. After an
 *                           error it may hold anything
 * @return as admpi_gradient
 */
int32_t admpi_jacobian(admpi_function_fn f,
                       void *ctx,
                       const double *x,
                       int64_t n,
                       int64_t m,
                       double *value_out,
                       double *jacobian_out);

/**
 * Weights times the Jacobian of a function: the gradient of the results, weighted, by a sweep.
 * @param f                 the function
 * @param ctx               its context
 * @param x                 where
 * @param n                 number of inputs
 * @param w                 the weights
 * @param m                 number of results
 * @param[out] value_out    `m` values, or NULL
 * @param[out] product_out  `n` derivatives
 * @return as admpi_gradient
 */
int32_t admpi_transposed_jacobian_product(admpi_function_fn f,
                                          void *ctx,
                                          const double *x,
                                          int64_t n,
                                          const double *w,
                                          int64_t m,
                                          double *value_out,
                                          double *product_out);

/**
 * Finds where the Jacobian of a function may have elements, from one recording: for any inputs at which it takes the same branches.
 * admpi_sparse_rows copies it.
 * @param f           the function, which communicates with no other rank
 * @param ctx         its context
 * @param x           where
 * @param n           number of inputs
 * @param m           number of results
 * @param[out] s_out  the pattern, with ascending columns in each row; free it with admpi_sparse_free
 * @return as admpi_gradient, and as admpi_tape_sparsity
 */
int32_t admpi_jacobian_sparsity(admpi_function_fn f,
                                void *ctx,
                                const double *x,
                                int64_t n,
                                int64_t m,
                                admpi_sparse **s_out);

/**
 * The elements of a function's Jacobian that a pattern has, by one recording and a sweep for each 16 colours of rows, or for each
 * colour on a tape that the thread has. A pattern that lacks an element is an error.
 * @param f                 the function, with a result for each row, which communicates with no other rank
 * @param ctx               its context
 * @param x                 where
 * @param n                 number of inputs
 * @param s                 a pattern, such as one of admpi_jacobian_sparsity or admpi_sparse_new
 * @param[out] value_out    a value for each row, or NULL
 * @param[out] element_out  the elements, row by row, as admpi_sparse_rows has them. After an error they may be anything
 * @return as admpi_gradient; ADMPI_ERR_ARGUMENT if the pattern has not `n` columns, or lacks an element
 */
int32_t admpi_sparse_jacobian(admpi_function_fn f,
                              void *ctx,
                              const double *x,
                              int64_t n,
                              const admpi_sparse *s,
                              double *value_out,
                              double *element_out);

/**
 * Compares the gradient of a function with one result, by a sweep, with central differences of its values, for steps from 1e-2 to 1e-9
 * times max(1, |x|): one of them must agree. At a kink differences tell nothing. Calls the function 16 times for each input.
 * @param f                the function
 * @param ctx              its context
 * @param x                where
 * @param n                number of inputs
 * @param tolerance        how far the two may differ, relative to the larger, such as 1e-6
 * @param[out] checks_out  what was found of each input
 * @param[out] wrong_out   how many derivatives are wrong
 * @return as admpi_gradient
 */
int32_t admpi_check_gradient(admpi_function_fn f,
                             void *ctx,
                             const double *x,
                             int64_t n,
                             double tolerance,
                             struct admpi_input_check *checks_out,
                             int64_t *wrong_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_DERIVATIVES_H */
