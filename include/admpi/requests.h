/* Generated from src/capi/requests.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_REQUESTS_H
#define ADMPI_REQUESTS_H

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
 * MPI_Mprobe. The message counts as posted by this call, which determines the order of its adjoint among those of other
 * receives.
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag           message tag or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] message  receive it with AMPI_Mrecv or AMPI_Imrecv
 * @param[out] status   or MPI_STATUS_IGNORE; MPI_Get_count counts in the type of the receiver
 * @return an MPI code, raised on `comm`
 */
int AMPI_Mprobe(int source,
                int tag,
                MPI_Comm comm,
                MPI_Message *message,
                MPI_Status *status);

/**
 * MPI_Improbe. See AMPI_Mprobe.
 * @param source        rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag           message tag or MPI_ANY_TAG
 * @param comm          for active data, a communicator that the library knows
 * @param[out] flag     1 if there was a message, else 0
 * @param[out] message  receive it with AMPI_Mrecv or AMPI_Imrecv
 * @param[out] status   or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status);

/**
 * MPI_Probe.
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag          message tag or MPI_ANY_TAG
 * @param comm         a communicator
 * @param[out] status  or MPI_STATUS_IGNORE; MPI_Get_count counts in the type of the receiver
 * @return an MPI code, raised on `comm`
 */
int AMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status);

/**
 * MPI_Iprobe.
 * @param source       rank, MPI_ANY_SOURCE or MPI_PROC_NULL
 * @param tag          message tag or MPI_ANY_TAG
 * @param comm         a communicator
 * @param[out] flag    1 if there was a message, else 0
 * @param[out] status  or MPI_STATUS_IGNORE
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status);

/**
 * MPI_Barrier. Collective over `comm`.
 * @param comm  a communicator
 * @return an MPI code, raised on `comm`
 */
int AMPI_Barrier(MPI_Comm comm);

/**
 * MPI_Barrier_init: each start is AMPI_Ibarrier. Collective over `comm`, which may be freed before a start.
 * @param comm          a communicator
 * @param info          not looked at
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Barrier_init(MPI_Comm comm, MPI_Info info, AMPI_Request *request);

/**
 * MPI_Start. Each start decides whether the message is recorded.
 * @param[in,out] request  persistent and not active
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Start(AMPI_Request *request);

/**
 * MPI_Startall. The requests start in the order of the array.
 * @param count             number of requests
 * @param[in,out] requests  `count` requests, persistent and not active
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Startall(int count, AMPI_Request *requests);

/**
 * MPI_Wait. The completion of an active receive is recorded, on the tape that its start was recorded on.
 * @param[in,out] request  AMPI_REQUEST_NULL on return, unless it is persistent; this holds in the calls below too
 * @param[out] status      or MPI_STATUS_IGNORE
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Wait(AMPI_Request *request,
              MPI_Status *status);

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
 * @param[out] indices      their indices: room for `incount`
 * @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Waitsome(int incount, AMPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);

/**
 * MPI_Testsome.
 * @param incount           number of requests
 * @param[in,out] requests  `incount` requests; those completed are AMPI_REQUEST_NULL on return
 * @param[out] outcount     how many, or MPI_UNDEFINED if none was active
 * @param[out] indices      their indices: room for `incount`
 * @param[out] statuses     room for `incount`, or MPI_STATUSES_IGNORE
 * @return an MPI code, raised on a request's communicator
 */
int AMPI_Testsome(int incount, AMPI_Request *requests, int *outcount, int *indices, MPI_Status *statuses);

/**
 * MPI_Request_free. An active send may be freed: its adjoint still comes back. An active receive must not be freed.
 * @param[in,out] request  AMPI_REQUEST_NULL on return
 * @return an MPI code, raised on the request's communicator
 */
int AMPI_Request_free(AMPI_Request *request);

/**
 * MPI_Request_get_status. It does not complete the request, so an active buffer does not hold new values yet.
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
 * Returns the Fortran number of a request, which is valid until the request completes.
 * @param request  or AMPI_REQUEST_NULL
 * @return the number; 0 for AMPI_REQUEST_NULL
 */
MPI_Fint AMPI_Request_c2f(AMPI_Request request);

/**
 * Returns the request with a number from AMPI_Request_c2f.
 * @param request  the number
 * @return the request; AMPI_REQUEST_NULL for 0 and for a number that is not in use
 */
AMPI_Request AMPI_Request_f2c(MPI_Fint request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_REQUESTS_H */
