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
 * The adjoint of one application of an operation to `len` items of `size` doubles each, in one direction: of
 * result = in op inout it is told the operands' values and the result's adjoint, and adds what the operands get
 * to `in_adjoint` and `inout_adjoint`. Must not throw.
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
 * MPI_Op_create of an operation that may be given active data. Then `function` is called with arrays of admpi_var,
 * laid out as the call's datatype has them, and what it computes is recorded on the tape; on passive data MPI calls
 * it. Must not throw.
 * @param function  inout = in op inout
 * @param commute   1 if the operation is commutative; the order of ranks is kept all the same
 * @param[out] op   to be freed by AMPI_Op_free
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Op_create(MPI_User_function function,
                   int commute,
                   MPI_Op *op);

/**
 * Whether an operation was made by AMPI_Op_create_adjoint, so that its function knows doubles only. The overloads of
 * `admpi.hpp` ask. Local.
 * @param op  an operation
 * @return 1 or 0
 */
int admpi_detail_op_has_adjoint(MPI_Op op);

/**
 * As AMPI_Op_create of an operation whose derivative is known: `function` sees plain doubles only, those of
 * active data one behind the other (items of several doubles under a contiguous datatype of MPI_DOUBLE), and
 * `derivative` is called in reverse sweeps. The tape keeps the operands' values.
 * @param function    inout = in op inout
 * @param derivative  its adjoint
 * @param commute     1 if the operation is commutative; the order of ranks is kept all the same
 * @param[out] op     to be freed by AMPI_Op_free
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Op_create_adjoint(MPI_User_function function,
                           AMPI_Op_adjoint_function derivative,
                           int commute,
                           MPI_Op *op);

/**
 * MPI_Op_free. What was recorded with the operation stays.
 * @param[in,out] op  the operation, then MPI_OP_NULL
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Op_free(MPI_Op *op);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_USER_OPS_H */
