/* Generated from src/capi/messages.rs by tests/headers.rs; edit that. */

#ifndef ADMPI_MESSAGES_H
#define ADMPI_MESSAGES_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/request.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Send. An active message is recorded if the tape records; both ends must do alike.
 * @param buf       `count` items of `datatype`; may be reused on return
 * @param count     number of items
 * @param datatype  AMPI_ADOUBLE or a type built from it for active data, any other for passive data
 * @param dest      rank, or MPI_PROC_NULL
 * @param tag       message tag
 * @param comm      for active data one that has entered the library
 * @return an MPI code, raised on `comm`
 */
int AMPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm);

/**
 * MPI_Recv. What arrives gets fresh ids; a buffer that is not written keeps its values and derivatives.
 * @param[out] buf     room for `count` items of `datatype`
 * @param count        number of items, at least as many as arrive
 * @param datatype     AMPI_ADOUBLE or a type built from it for active data
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag          message tag or MPI_ANY_TAG
 * @param comm         for active data one that has entered the library
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Recv(void *buf,
              int count,
              MPI_Datatype datatype,
              int source,
              int tag,
              MPI_Comm comm,
              MPI_Status *status);

/**
 * MPI_Isend. Active values are copied: their buffer may be changed at once, though MPI forbids it.
 * @param buf           `count` items of `datatype`
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data
 * @param dest          rank, or MPI_PROC_NULL
 * @param tag           message tag
 * @param comm          for active data one that has entered the library
 * @param[out] request  to be completed by an AMPI_ call
 * @return an MPI code, raised on `comm`
 */
int AMPI_Isend(const void *buf,
               int count,
               MPI_Datatype datatype,
               int dest,
               int tag,
               MPI_Comm comm,
               AMPI_Request *request);

/**
 * MPI_Irecv. The values and their ids are in the buffer once the request is complete, and not before.
 * @param[out] buf      room for `count` items of `datatype`, until completion
 * @param count         number of items, at least as many as arrive
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag           message tag or MPI_ANY_TAG
 * @param comm          for active data one that has entered the library
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Irecv(void *buf,
               int count,
               MPI_Datatype datatype,
               int source,
               int tag,
               MPI_Comm comm,
               AMPI_Request *request);

/**
 * MPI_Sendrecv. Both buffers are active, or neither.
 * @param sendbuf      `sendcount` items of `sendtype`
 * @param sendcount    number of items
 * @param sendtype     AMPI_ADOUBLE or a type built from it for active data
 * @param dest         rank, or MPI_PROC_NULL
 * @param sendtag      tag of the message sent
 * @param[out] recvbuf room for `recvcount` items of `recvtype`, apart from `sendbuf`
 * @param recvcount    number of items, at least as many as arrive
 * @param recvtype     AMPI_ADOUBLE or a type built from it for active data
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param recvtag      tag of the message received, or MPI_ANY_TAG
 * @param comm         for active data one that has entered the library
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Sendrecv(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  int dest,
                  int sendtag,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int source,
                  int recvtag,
                  MPI_Comm comm,
                  MPI_Status *status);

/**
 * MPI_Wait. The completion of an active receive is recorded, on the tape that its start was recorded on.
 * @param[in,out] request  AMPI_REQUEST_NULL on return
 * @param[out] status      or MPI_STATUS_IGNORE
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Wait(AMPI_Request *request, MPI_Status *status);

/**
 * MPI_Test.
 * @param[in,out] request  AMPI_REQUEST_NULL on return if complete
 * @param[out] flag        1 if complete, else 0
 * @param[out] status      or MPI_STATUS_IGNORE
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status);

/**
 * MPI_Waitall. Completions are recorded in the order of the array.
 * @param count             number of requests
 * @param[in,out] requests  `count` requests, AMPI_REQUEST_NULL on return
 * @param[out] statuses     `count` statuses, or MPI_STATUSES_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Waitall(int count, AMPI_Request *requests, MPI_Status *statuses);

/**
 * MPI_Testall.
 * @param count             number of requests
 * @param[in,out] requests  `count` requests, AMPI_REQUEST_NULL on return if all are complete
 * @param[out] flag         1 if all are complete, else 0
 * @param[out] statuses     `count` statuses, or MPI_STATUSES_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Testall(int count, AMPI_Request *requests, int *flag, MPI_Status *statuses);

/**
 * MPI_Waitany.
 * @param count             number of requests
 * @param[in,out] requests  `count` requests; the one completed is AMPI_REQUEST_NULL on return
 * @param[out] index        which one, or MPI_UNDEFINED if none was active
 * @param[out] status       or MPI_STATUS_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Waitany(int count, AMPI_Request *requests, int *index, MPI_Status *status);

/**
 * MPI_Testany.
 * @param count             number of requests
 * @param[in,out] requests  `count` requests; the one completed is AMPI_REQUEST_NULL on return
 * @param[out] index        which one, or MPI_UNDEFINED
 * @param[out] flag         1 if one is complete or none was active, else 0
 * @param[out] status       or MPI_STATUS_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Testany(int count, AMPI_Request *requests, int *index, int *flag, MPI_Status *status);

/**
 * MPI_Waitsome.
 * @param incount           number of requests
 * @param[in,out] requests  `incount` requests; those completed are AMPI_REQUEST_NULL on return
 * @param[out] outcount     how many, or MPI_UNDEFINED if none was active
 * @param[out] indices      which ones: room for `incount`
 * @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Waitsome(int incount, AMPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);

/**
 * MPI_Testsome.
 * @param incount           number of requests
 * @param[in,out] requests  `incount` requests; those completed are AMPI_REQUEST_NULL on return
 * @param[out] outcount     how many, or MPI_UNDEFINED if none was active
 * @param[out] indices      which ones: room for `incount`
 * @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Testsome(int incount, AMPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);

/**
 * MPI_Request_free. An active send may be freed, and its adjoint still comes back; an active receive may not.
 * @param[in,out] request  AMPI_REQUEST_NULL on return
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Request_free(AMPI_Request *request);

/**
 * MPI_Request_get_status. Nothing is completed, so an active buffer holds nothing new yet.
 * @param request      the request
 * @param[out] flag    1 if the call is complete, else 0
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Request_get_status(AMPI_Request request, int *flag, MPI_Status *status);

/**
 * MPI_Cancel. A receive that is cancelled is not recorded; an active send cannot be cancelled.
 * @param request  the request, which is still to be completed
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Cancel(AMPI_Request *request);

/**
 * A request's number for Fortran, which it keeps until it is completed.
 * @param request  or AMPI_REQUEST_NULL
 * @return the number; 0 for AMPI_REQUEST_NULL
 */
MPI_Fint AMPI_Request_c2f(AMPI_Request request);

/**
 * The request with a number that AMPI_Request_c2f gave.
 * @param request  the number
 * @return the request; AMPI_REQUEST_NULL for 0 and for a number that is not in use
 */
AMPI_Request AMPI_Request_f2c(MPI_Fint request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_MESSAGES_H */
