/* AdjoinableMPI's types and names: pairings, requests, datatypes. */
#ifndef ADMPI_ADJOINABLE_TYPES_H
#define ADMPI_ADJOINABLE_TYPES_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a message is paired with. The library finds out by itself: any of them is right. */
enum AMPI_PairedWith_E {
  AMPI_TO_RECV,
  AMPI_FROM_SEND,
  AMPI_TO_IRECV_WAIT,
  AMPI_TO_IRECV_WAITALL,
  AMPI_FROM_ISEND_WAIT,
  AMPI_FROM_ISEND_WAITALL,
  AMPI_FROM_BSEND,
  AMPI_FROM_RSEND
};
/** A number, since Fortran passes one. */
typedef int AMPI_PairedWith;

/** MPI's own type. What FW_AMPI_Isend and its like return there is completed by FW_AMPI_Wait and its like only. */
typedef MPI_Request AMPI_Request;

/** MPI's own type. FW_AMPI_Put and its like need one that FW_AMPI_Win_create has made. */
typedef MPI_Win AMPI_Win;

/** Whether data have derivatives. */
enum AMPI_Activity_E { AMPI_PASSIVE, AMPI_ACTIVE };
/** A number, since Fortran passes one. */
typedef int AMPI_Activity;

/** The tangent, or the adjoint, of a user's operation inout = in op inout: (in, in's, inout, inout's, items, datatype, datatype of the
 *  tangents or adjoints). */
typedef void(TLM_userFunctionF)(void *, void *, void *, void *, int *, MPI_Datatype *, MPI_Datatype *);
typedef void(ADJ_userFunctionF)(void *, void *, void *, void *, int *, MPI_Datatype *, MPI_Datatype *);

/** MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE_PRECISION and MPI_REAL under the names for active data. */
extern MPI_Datatype AMPI_ADOUBLE;
extern MPI_Datatype AMPI_AFLOAT;
extern MPI_Datatype AMPI_ADOUBLE_PRECISION;
extern MPI_Datatype AMPI_AREAL;

#ifdef __cplusplus
}
#endif

#endif
