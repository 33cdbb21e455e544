/* admpi: the request of adjoint MPI. */
#ifndef ADMPI_REQUEST_H
#define ADMPI_REQUEST_H

/** A nonblocking call in progress: a handle of the size of a pointer with every MPI, also for passive calls.
 *  It may be copied and kept in any memory. admpi.h has the contract. */
typedef struct admpi_request *AMPI_Request;

/** No request: the value of a handle after its call is complete. */
#define AMPI_REQUEST_NULL ((AMPI_Request)0)

#endif
