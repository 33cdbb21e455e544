/* Generated from src/capi/derivatives_ranks.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_DERIVATIVES_RANKS_H
#define ADMPI_DERIVATIVES_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/derivatives.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The gradient of an objective that the ranks of a communicator compute together, by this rank's inputs. All of them call it. The
 * function returns the objective, the same on every rank, such as the result of an Allreduce. Where all ranks have the same inputs,
 * the gradient is the sum of what they get.
 * @param f                  the function
 * @param ctx                its context
 * @param x                  this rank's part of where
 * @param n                  number of this rank's inputs, perhaps 0
 * @param comm               the ranks
 * @param[out] value_out     the objective, or NULL
 * @param[out] gradient_out  `n` derivatives
 * @return as admpi_gradient; ADMPI_ERR_ARGUMENT on all ranks if the function returned different values; ADMPI_ERR_MPI
 */
int32_t admpi_gradient_ranks(admpi_function_fn f,
                             void *ctx,
                             const double *x,
                             int64_t n,
                             MPI_Comm comm,
                             double *value_out,
                             double *gradient_out);

/**
 * As admpi_check_gradient of such an objective. Calls the function 16 times for each input of all ranks.
 * @param f                the function
 * @param ctx              its context
 * @param x                this rank's part of where
 * @param n                number of this rank's inputs, perhaps 0
 * @param comm             the ranks
 * @param tolerance        the same on all ranks
 * @param[out] checks_out  what was found of each of this rank's inputs
 * @param[out] wrong_out   how many derivatives of all ranks are wrong
 * @return as admpi_gradient_ranks
 */
int32_t admpi_check_gradient_ranks(admpi_function_fn f,
                                   void *ctx,
                                   const double *x,
                                   int64_t n,
                                   MPI_Comm comm,
                                   double tolerance,
                                   admpi_input_check *checks_out,
                                   int64_t *wrong_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_DERIVATIVES_RANKS_H */
