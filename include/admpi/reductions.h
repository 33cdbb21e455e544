/* Generated from src/capi/reductions.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_REDUCTIONS_H
#define ADMPI_REDUCTIONS_H

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
 * MPI_Allreduce. Accepts the operations of AMPI_Reduce for active data. Collective over `comm`; registers `comm` if
 * the library does not know it yet.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allreduce(const void *sendbuf,
                   void *recvbuf,
                   int count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   MPI_Comm comm);

/**
 * AMPI_Allreduce with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allreduce_c(const void *sendbuf,
                     void *recvbuf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm);

/**
 * MPI_Iallreduce: as AMPI_Allreduce. Send buffers are copied. The receive buffer has its values and ids once the
 * request is complete. A user-defined operation is applied at completion: every rank needs memory for the operands
 * of all ranks.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iallreduce(const void *sendbuf,
                    void *recvbuf,
                    int count,
                    MPI_Datatype datatype,
                    MPI_Op op,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * AMPI_Iallreduce with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iallreduce_c(const void *sendbuf,
                      void *recvbuf,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      MPI_Op op,
                      MPI_Comm comm,
                      AMPI_Request *request);

/**
 * MPI_Allreduce_init: each start is AMPI_Allreduce without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allreduce_init(const void *sendbuf,
                        void *recvbuf,
                        int count,
                        MPI_Datatype datatype,
                        MPI_Op op,
                        MPI_Comm comm,
                        MPI_Info info,
                        AMPI_Request *request);

/**
 * AMPI_Allreduce_init with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allreduce_init_c(const void *sendbuf,
                          void *recvbuf,
                          MPI_Count count,
                          MPI_Datatype datatype,
                          MPI_Op op,
                          MPI_Comm comm,
                          MPI_Info info,
                          AMPI_Request *request);

/**
 * MPI_Exscan. The receive buffer of rank 0 keeps its values and derivatives. Accepts the operations of AMPI_Reduce
 * for active data. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items; rank 0 receives nothing
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Exscan(const void *sendbuf,
                void *recvbuf,
                int count,
                MPI_Datatype datatype,
                MPI_Op op,
                MPI_Comm comm);

/**
 * AMPI_Exscan with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items; rank 0 receives nothing
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Exscan_c(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  MPI_Comm comm);

/**
 * MPI_Iexscan: as AMPI_Exscan. Send buffers are copied. The receive buffer has its values and ids once the request
 * is complete. A user-defined operation is applied at completion: every rank needs memory for the operands of all
 * ranks.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items; rank 0 receives nothing
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iexscan(const void *sendbuf,
                 void *recvbuf,
                 int count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 MPI_Comm comm,
                 AMPI_Request *request);

/**
 * AMPI_Iexscan with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items; rank 0 receives nothing
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iexscan_c(const void *sendbuf,
                   void *recvbuf,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * MPI_Exscan_init: each start is AMPI_Exscan without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items; rank 0 receives nothing
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Exscan_init(const void *sendbuf,
                     void *recvbuf,
                     int count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm,
                     MPI_Info info,
                     AMPI_Request *request);

/**
 * AMPI_Exscan_init with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items; rank 0 receives nothing
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Exscan_init_c(const void *sendbuf,
                       void *recvbuf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       MPI_Comm comm,
                       MPI_Info info,
                       AMPI_Request *request);

/**
 * MPI_Reduce. MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX and operations of AMPI_Op_create and AMPI_Op_create_adjoint reduce
 * active doubles; MPI_MINLOC and MPI_MAXLOC reduce pairs (AMPI_ADOUBLE_INT), MPI_SUM and MPI_PROD complex numbers
 * (AMPI_ADOUBLE_COMPLEX). Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
 * @param[out] recvbuf  room for `count` items, on the root
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param root          the rank that gets the result
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce(const void *sendbuf,
                void *recvbuf,
                int count,
                MPI_Datatype datatype,
                MPI_Op op,
                int root,
                MPI_Comm comm);

/**
 * AMPI_Reduce with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
 * @param[out] recvbuf  room for `count` items, on the root
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param root          the rank that gets the result
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_c(const void *sendbuf,
                  void *recvbuf,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  MPI_Op op,
                  int root,
                  MPI_Comm comm);

/**
 * MPI_Ireduce: as AMPI_Reduce. Send buffers are copied. The receive buffer has its values and ids once the request
 * is complete. A user-defined operation is applied at completion: the root needs memory for the operands of all
 * ranks.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
 * @param[out] recvbuf  room for `count` items, on the root
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param root          the rank that gets the result
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ireduce(const void *sendbuf,
                 void *recvbuf,
                 int count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 int root,
                 MPI_Comm comm,
                 AMPI_Request *request);

/**
 * AMPI_Ireduce with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
 * @param[out] recvbuf  room for `count` items, on the root
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param root          the rank that gets the result
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ireduce_c(const void *sendbuf,
                   void *recvbuf,
                   MPI_Count count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   int root,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * MPI_Reduce_init: each start is AMPI_Reduce without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
 * @param[out] recvbuf  room for `count` items, on the root
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param root          the rank that gets the result
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_init(const void *sendbuf,
                     void *recvbuf,
                     int count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     int root,
                     MPI_Comm comm,
                     MPI_Info info,
                     AMPI_Request *request);

/**
 * AMPI_Reduce_init with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE on the root
 * @param[out] recvbuf  room for `count` items, on the root
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param root          the rank that gets the result
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_init_c(const void *sendbuf,
                       void *recvbuf,
                       MPI_Count count,
                       MPI_Datatype datatype,
                       MPI_Op op,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       AMPI_Request *request);

/**
 * MPI_Reduce_local. With active data, the result is recorded like any local computation.
 * @param inbuf             `count` items of `datatype`: the left operands
 * @param[in,out] inoutbuf  `count` items: the right operands, then the results
 * @param count             number of items
 * @param datatype          AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op                the operation, as in AMPI_Reduce
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op);

/**
 * AMPI_Reduce_local with a count past 2^31.
 * @param inbuf             `count` items of `datatype`: the left operands
 * @param[in,out] inoutbuf  `count` items: the right operands, then the results
 * @param count             number of items
 * @param datatype          AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op                the operation, as in AMPI_Reduce
 * @return an MPI code, raised on MPI_COMM_WORLD
 */
int AMPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op);

/**
 * MPI_Reduce_scatter. Accepts the operations of AMPI_Reduce for active data. Collective over `comm`; registers
 * `comm` if the library does not know it yet.
 * @param sendbuf       the items for all ranks in succession, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for this rank's items of the result
 * @param recvcounts    number of items of the result for each rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter(const void *sendbuf,
                        void *recvbuf,
                        const int *recvcounts,
                        MPI_Datatype datatype,
                        MPI_Op op,
                        MPI_Comm comm);

/**
 * AMPI_Reduce_scatter with counts past 2^31.
 * @param sendbuf       the items for all ranks in succession, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for this rank's items of the result
 * @param recvcounts    number of items of the result for each rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter_c(const void *sendbuf,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          MPI_Datatype datatype,
                          MPI_Op op,
                          MPI_Comm comm);

/**
 * MPI_Ireduce_scatter: as AMPI_Reduce_scatter. Send buffers are copied. The receive buffer has its values and ids
 * once the request is complete. A user-defined operation is applied at completion: each rank needs memory for the
 * operands of all ranks for its part.
 * @param sendbuf       the items for all ranks in succession, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for this rank's items of the result
 * @param recvcounts    number of items of the result for each rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ireduce_scatter(const void *sendbuf,
                         void *recvbuf,
                         const int *recvcounts,
                         MPI_Datatype datatype,
                         MPI_Op op,
                         MPI_Comm comm,
                         AMPI_Request *request);

/**
 * AMPI_Ireduce_scatter with counts past 2^31.
 * @param sendbuf       the items for all ranks in succession, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for this rank's items of the result
 * @param recvcounts    number of items of the result for each rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ireduce_scatter_c(const void *sendbuf,
                           void *recvbuf,
                           const MPI_Count *recvcounts,
                           MPI_Datatype datatype,
                           MPI_Op op,
                           MPI_Comm comm,
                           AMPI_Request *request);

/**
 * MPI_Reduce_scatter_init: each start is AMPI_Reduce_scatter without blocking. The arrays must live as long as the
 * request; communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       the items for all ranks in succession, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for this rank's items of the result
 * @param recvcounts    number of items of the result for each rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter_init(const void *sendbuf,
                             void *recvbuf,
                             const int *recvcounts,
                             MPI_Datatype datatype,
                             MPI_Op op,
                             MPI_Comm comm,
                             MPI_Info info,
                             AMPI_Request *request);

/**
 * AMPI_Reduce_scatter_init with counts past 2^31.
 * @param sendbuf       the items for all ranks in succession, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for this rank's items of the result
 * @param recvcounts    number of items of the result for each rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter_init_c(const void *sendbuf,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               MPI_Datatype datatype,
                               MPI_Op op,
                               MPI_Comm comm,
                               MPI_Info info,
                               AMPI_Request *request);

/**
 * MPI_Reduce_scatter_block. Accepts the operations of AMPI_Reduce for active data. Collective over `comm`; registers
 * `comm` if the library does not know it yet.
 * @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for `recvcount` items
 * @param recvcount     number of items of the result for one rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter_block(const void *sendbuf,
                              void *recvbuf,
                              int recvcount,
                              MPI_Datatype datatype,
                              MPI_Op op,
                              MPI_Comm comm);

/**
 * AMPI_Reduce_scatter_block with a count past 2^31.
 * @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for `recvcount` items
 * @param recvcount     number of items of the result for one rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter_block_c(const void *sendbuf,
                                void *recvbuf,
                                MPI_Count recvcount,
                                MPI_Datatype datatype,
                                MPI_Op op,
                                MPI_Comm comm);

/**
 * MPI_Ireduce_scatter_block: as AMPI_Reduce_scatter_block. Send buffers are copied. The receive buffer has its
 * values and ids once the request is complete. A user-defined operation is applied at completion: each rank needs
 * memory for the operands of all ranks for its part.
 * @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for `recvcount` items
 * @param recvcount     number of items of the result for one rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ireduce_scatter_block(const void *sendbuf,
                               void *recvbuf,
                               int recvcount,
                               MPI_Datatype datatype,
                               MPI_Op op,
                               MPI_Comm comm,
                               AMPI_Request *request);

/**
 * AMPI_Ireduce_scatter_block with a count past 2^31.
 * @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for `recvcount` items
 * @param recvcount     number of items of the result for one rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ireduce_scatter_block_c(const void *sendbuf,
                                 void *recvbuf,
                                 MPI_Count recvcount,
                                 MPI_Datatype datatype,
                                 MPI_Op op,
                                 MPI_Comm comm,
                                 AMPI_Request *request);

/**
 * MPI_Reduce_scatter_block_init: each start is AMPI_Reduce_scatter_block without blocking. The arrays must live as
 * long as the request; communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for `recvcount` items
 * @param recvcount     number of items of the result for one rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter_block_init(const void *sendbuf,
                                   void *recvbuf,
                                   int recvcount,
                                   MPI_Datatype datatype,
                                   MPI_Op op,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   AMPI_Request *request);

/**
 * AMPI_Reduce_scatter_block_init with a count past 2^31.
 * @param sendbuf       `recvcount` items for each rank, or MPI_IN_PLACE: then they are in `recvbuf`
 * @param[out] recvbuf  room for `recvcount` items
 * @param recvcount     number of items of the result for one rank
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Reduce_scatter_block_init_c(const void *sendbuf,
                                     void *recvbuf,
                                     MPI_Count recvcount,
                                     MPI_Datatype datatype,
                                     MPI_Op op,
                                     MPI_Comm comm,
                                     MPI_Info info,
                                     AMPI_Request *request);

/**
 * MPI_Scan. Accepts the operations of AMPI_Reduce for active data. Collective over `comm`; registers `comm` if the
 * library does not know it yet.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scan(const void *sendbuf,
              void *recvbuf,
              int count,
              MPI_Datatype datatype,
              MPI_Op op,
              MPI_Comm comm);

/**
 * AMPI_Scan with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scan_c(const void *sendbuf,
                void *recvbuf,
                MPI_Count count,
                MPI_Datatype datatype,
                MPI_Op op,
                MPI_Comm comm);

/**
 * MPI_Iscan: as AMPI_Scan. Send buffers are copied. The receive buffer has its values and ids once the request is
 * complete. A user-defined operation is applied at completion: every rank needs memory for the operands of all
 * ranks.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iscan(const void *sendbuf,
               void *recvbuf,
               int count,
               MPI_Datatype datatype,
               MPI_Op op,
               MPI_Comm comm,
               AMPI_Request *request);

/**
 * AMPI_Iscan with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iscan_c(const void *sendbuf,
                 void *recvbuf,
                 MPI_Count count,
                 MPI_Datatype datatype,
                 MPI_Op op,
                 MPI_Comm comm,
                 AMPI_Request *request);

/**
 * MPI_Scan_init: each start is AMPI_Scan without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scan_init(const void *sendbuf,
                   void *recvbuf,
                   int count,
                   MPI_Datatype datatype,
                   MPI_Op op,
                   MPI_Comm comm,
                   MPI_Info info,
                   AMPI_Request *request);

/**
 * AMPI_Scan_init with a count past 2^31.
 * @param sendbuf       `count` items of `datatype`, or MPI_IN_PLACE
 * @param[out] recvbuf  room for `count` items
 * @param count         number of items
 * @param datatype      AMPI_ADOUBLE or a type built from it for active data, or AMPI_ADOUBLE_INT
 * @param op            the operation
 * @param comm          an intracommunicator for active data; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scan_init_c(const void *sendbuf,
                     void *recvbuf,
                     MPI_Count count,
                     MPI_Datatype datatype,
                     MPI_Op op,
                     MPI_Comm comm,
                     MPI_Info info,
                     AMPI_Request *request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_REDUCTIONS_H */
