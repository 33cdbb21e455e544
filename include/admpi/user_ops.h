/* Generated from src/capi/user_ops.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_USER_OPS_H
#define ADMPI_USER_OPS_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

/**
 * The adjoint of one application of an operation, result = in op inout, to `len` items of `size` doubles each, in one
 * direction. It gets the values of the operands and the adjoint of the result, and adds to `in_adjoint` and
 * `inout_adjoint`. Must not throw.
 */
typedef void (*AMPI_Op_adjoint_function)(const double *in,
                                         const double *inout,
                                         const double *result_adjoint,
                                         double *in_adjoint,
                                         double *inout_adjoint,
                                         int len,
                                         int size);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Op_create for an operation that may get active data. On active data `function` gets arrays of admpi_var, in the
 * layout of the call's datatype, and the tape records what it computes. On passive data MPI calls it. It must not throw.
 * @param function  inout = in op inout
 * @param commute   1 if the operation is commutative; operands keep the order of ranks anyway
 * @param[out] op   free it with AMPI_Op_free
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Op_create(MPI_User_function function,
                   int commute,
                   MPI_Op *op);

/**
 * Tells whether AMPI_Op_create_adjoint made an operation, so that its function knows doubles only. For the overloads of
 * `admpi.hpp`. Local.
 * @param op  an operation
 * @return 1 or 0
 */
int admpi_detail_op_has_adjoint(MPI_Op op);

/**
 * As AMPI_Op_create, for an operation whose derivative is known. `function` gets plain doubles only: those of active data
 * without gaps (items of several doubles under a contiguous datatype of MPI_DOUBLE). Those of AMPI_AFLOAT come as doubles,
 * too, and the results are rounded to floats. Reverse sweeps call `derivative`. The tape keeps the values of the operands.
 * @param function    inout = in op inout
 * @param derivative  its adjoint
 * @param commute     1 if the operation is commutative; operands keep the order of ranks anyway
 * @param[out] op     free it with AMPI_Op_free
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Op_create_adjoint(MPI_User_function function,
                           AMPI_Op_adjoint_function derivative,
                           int commute,
                           MPI_Op *op);

/**
 * MPI_Op_free. Recorded calls of the operation stay valid.
 * @param[in,out] op  the operation, then MPI_OP_NULL
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Op_free(MPI_Op *op);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_USER_OPS_H */
