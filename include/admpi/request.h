/* admpi: the request of adjoint MPI. */
#ifndef ADMPI_REQUEST_H
#define ADMPI_REQUEST_H

/** A nonblocking call under way: a handle of the size of a pointer under every MPI, for passive calls too.
 *  It may be copied and kept in any memory. What it must be is in admpi.h. */
typedef struct admpi_request *AMPI_Request;

/** No request: what a handle becomes when its call is complete. */
#define AMPI_REQUEST_NULL ((AMPI_Request)0)

#endif
