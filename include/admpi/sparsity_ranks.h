/* Generated from src/capi/sparsity_ranks.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_SPARSITY_RANKS_H
#define ADMPI_SPARSITY_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/linalg.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Finds the rows of this rank's results of the pattern of a Jacobian that ranks compute together, as admpi_tape_sparsity does, also
 * through messages and collectives. All ranks of `comm` call; together they are all that the recordings communicate with. Inputs
 * are numbered rank by rank. A tape of width w takes a pass over the messages for each w ranks. Products over ranks (MPI_PROD) and
 * one-sided calls are not followed. An error of one rank is an error of all, which names the rank.
 * @param x           `n` inputs of this rank
 * @param n           may differ between ranks; the pattern has as many columns as all ranks have inputs
 * @param y           `m` results of this rank; passive ones have empty rows
 * @param m           number of rows
 * @param comm        an intracommunicator
 * @param[out] s_out  the pattern, with ascending columns in each row; free it with admpi_sparse_free
 * @return as admpi_tape_sparsity; ADMPI_ERR_MISMATCH (tapes of different widths), ADMPI_ERR_MPI
 */
int32_t admpi_tape_sparsity_ranks(admpi_tape *tape,
                                  const admpi_var *x,
                                  int64_t n,
                                  const admpi_var *y,
                                  int64_t m,
                                  MPI_Comm comm,
                                  admpi_sparse **s_out);

/**
 * Finds the rows of this rank's inputs of the pattern of a Hessian that ranks compute together, as admpi_tape_hessian_sparsity
 * does, and as admpi_tape_sparsity_ranks.
 * @param x           `n` inputs of this rank
 * @param v           the direction: `n` inputs
 * @param n           number of rows; may differ between ranks
 * @param y           the derivative, which is the same on all ranks, or one of the summands that the ranks have
 * @param comm        an intracommunicator
 * @param[out] s_out  the pattern; free it with admpi_sparse_free
 * @return as admpi_tape_sparsity_ranks
 */
int32_t admpi_tape_hessian_sparsity_ranks(admpi_tape *tape,
                                          const admpi_var *x,
                                          const admpi_var *v,
                                          int64_t n,
                                          admpi_var y,
                                          MPI_Comm comm,
                                          admpi_sparse **s_out);

/**
 * An error of one rank becomes an error of all: that of the lowest rank that has one, which the message names. For the drivers of
 * `admpi/sparsity_ranks.hpp`. Collective over `comm`.
 * @param comm  an intracommunicator
 * @param code  an ADMPI_ERR code, or ADMPI_SUCCESS
 * @param text  the message, if there is an error
 * @return ADMPI_SUCCESS on all ranks, or the code of that error
 */
int32_t admpi_detail_agree(MPI_Comm comm,
                           int32_t code,
                           const char *text);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_SPARSITY_RANKS_H */
