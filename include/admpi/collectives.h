/* Generated from src/capi/collectives.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_COLLECTIVES_H
#define ADMPI_COLLECTIVES_H

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
 * MPI_Allgather. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgather(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

/**
 * AMPI_Allgather with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgather_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

/**
 * MPI_Iallgather: as AMPI_Allgather. Send buffers are copied. The receive buffer has its values and ids once the
 * request is complete.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iallgather(const void *sendbuf,
                    int sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    int recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * AMPI_Iallgather with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iallgather_c(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      MPI_Count recvcount,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      AMPI_Request *request);

/**
 * MPI_Allgather_init: each start is AMPI_Allgather without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgather_init(const void *sendbuf,
                        int sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        int recvcount,
                        MPI_Datatype recvtype,
                        MPI_Comm comm,
                        MPI_Info info,
                        AMPI_Request *request);

/**
 * AMPI_Allgather_init with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgather_init_c(const void *sendbuf,
                          MPI_Count sendcount,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          MPI_Count recvcount,
                          MPI_Datatype recvtype,
                          MPI_Comm comm,
                          MPI_Info info,
                          AMPI_Request *request);

/**
 * MPI_Allgatherv. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgatherv(const void *sendbuf,
                    int sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *displs,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

/**
 * AMPI_Allgatherv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgatherv_c(const void *sendbuf,
                      MPI_Count sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *displs,
                      MPI_Datatype recvtype,
                      MPI_Comm comm);

/**
 * MPI_Iallgatherv: as AMPI_Allgatherv. Send buffers are copied. The receive buffer has its values and ids once the
 * request is complete.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iallgatherv(const void *sendbuf,
                     int sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const int *recvcounts,
                     const int *displs,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     AMPI_Request *request);

/**
 * AMPI_Iallgatherv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iallgatherv_c(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       const MPI_Count *recvcounts,
                       const MPI_Aint *displs,
                       MPI_Datatype recvtype,
                       MPI_Comm comm,
                       AMPI_Request *request);

/**
 * MPI_Allgatherv_init: each start is AMPI_Allgatherv without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgatherv_init(const void *sendbuf,
                         int sendcount,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         const int *recvcounts,
                         const int *displs,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         AMPI_Request *request);

/**
 * AMPI_Allgatherv_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Allgatherv_init_c(const void *sendbuf,
                           MPI_Count sendcount,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           const MPI_Count *recvcounts,
                           const MPI_Aint *displs,
                           MPI_Datatype recvtype,
                           MPI_Comm comm,
                           MPI_Info info,
                           AMPI_Request *request);

/**
 * MPI_Alltoall. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
 * @param sendcount     number of items for one rank
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoall(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  MPI_Comm comm);

/**
 * AMPI_Alltoall with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
 * @param sendcount     number of items for one rank
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoall_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    MPI_Comm comm);

/**
 * MPI_Ialltoall: as AMPI_Alltoall. Send buffers are copied. The receive buffer has its values and ids once the
 * request is complete.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
 * @param sendcount     number of items for one rank
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ialltoall(const void *sendbuf,
                   int sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * AMPI_Ialltoall with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
 * @param sendcount     number of items for one rank
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ialltoall_c(const void *sendbuf,
                     MPI_Count sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     MPI_Comm comm,
                     AMPI_Request *request);

/**
 * MPI_Alltoall_init: each start is AMPI_Alltoall without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
 * @param sendcount     number of items for one rank
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoall_init(const void *sendbuf,
                       int sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       int recvcount,
                       MPI_Datatype recvtype,
                       MPI_Comm comm,
                       MPI_Info info,
                       AMPI_Request *request);

/**
 * AMPI_Alltoall_init with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, or MPI_IN_PLACE
 * @param sendcount     number of items for one rank
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank
 * @param recvcount     number of items from one rank
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoall_init_c(const void *sendbuf,
                         MPI_Count sendcount,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         MPI_Count recvcount,
                         MPI_Datatype recvtype,
                         MPI_Comm comm,
                         MPI_Info info,
                         AMPI_Request *request);

/**
 * MPI_Alltoallv. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallv(const void *sendbuf,
                   const int *sendcounts,
                   const int *sdispls,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const int *recvcounts,
                   const int *rdispls,
                   MPI_Datatype recvtype,
                   MPI_Comm comm);

/**
 * AMPI_Alltoallv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallv_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     MPI_Datatype recvtype,
                     MPI_Comm comm);

/**
 * MPI_Ialltoallv: as AMPI_Alltoallv. Send buffers are copied. The receive buffer has its values and ids once the
 * request is complete.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ialltoallv(const void *sendbuf,
                    const int *sendcounts,
                    const int *sdispls,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *rdispls,
                    MPI_Datatype recvtype,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * AMPI_Ialltoallv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ialltoallv_c(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      MPI_Datatype recvtype,
                      MPI_Comm comm,
                      AMPI_Request *request);

/**
 * MPI_Alltoallv_init: each start is AMPI_Alltoallv without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallv_init(const void *sendbuf,
                        const int *sendcounts,
                        const int *sdispls,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        const int *recvcounts,
                        const int *rdispls,
                        MPI_Datatype recvtype,
                        MPI_Comm comm,
                        MPI_Info info,
                        AMPI_Request *request);

/**
 * AMPI_Alltoallv_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallv_init_c(const void *sendbuf,
                          const MPI_Count *sendcounts,
                          const MPI_Aint *sdispls,
                          MPI_Datatype sendtype,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          const MPI_Aint *rdispls,
                          MPI_Datatype recvtype,
                          MPI_Comm comm,
                          MPI_Info info,
                          AMPI_Request *request);

/**
 * MPI_Alltoallw. Collective over `comm`; registers `comm` if the library does not know it yet. If active data move
 * between any two ranks, every rank must pass at least one active type, possibly for a part without items.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each rank, active or passive
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each rank, active if that rank's type for this rank is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallw(const void *sendbuf,
                   const int *sendcounts,
                   const int *sdispls,
                   const MPI_Datatype *sendtypes,
                   void *recvbuf,
                   const int *recvcounts,
                   const int *rdispls,
                   const MPI_Datatype *recvtypes,
                   MPI_Comm comm);

/**
 * AMPI_Alltoallw with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each rank, active or passive
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each rank, active if that rank's type for this rank is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallw_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *sdispls,
                     const MPI_Datatype *sendtypes,
                     void *recvbuf,
                     const MPI_Count *recvcounts,
                     const MPI_Aint *rdispls,
                     const MPI_Datatype *recvtypes,
                     MPI_Comm comm);

/**
 * MPI_Ialltoallw: as AMPI_Alltoallw. Send buffers are copied. The receive buffer has its values and ids once the
 * request is complete.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each rank, active or passive
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each rank, active if that rank's type for this rank is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ialltoallw(const void *sendbuf,
                    const int *sendcounts,
                    const int *sdispls,
                    const MPI_Datatype *sendtypes,
                    void *recvbuf,
                    const int *recvcounts,
                    const int *rdispls,
                    const MPI_Datatype *recvtypes,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * AMPI_Ialltoallw with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each rank, active or passive
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each rank, active if that rank's type for this rank is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ialltoallw_c(const void *sendbuf,
                      const MPI_Count *sendcounts,
                      const MPI_Aint *sdispls,
                      const MPI_Datatype *sendtypes,
                      void *recvbuf,
                      const MPI_Count *recvcounts,
                      const MPI_Aint *rdispls,
                      const MPI_Datatype *recvtypes,
                      MPI_Comm comm,
                      AMPI_Request *request);

/**
 * MPI_Alltoallw_init: each start is AMPI_Alltoallw without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each rank, active or passive
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each rank, active if that rank's type for this rank is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallw_init(const void *sendbuf,
                        const int *sendcounts,
                        const int *sdispls,
                        const MPI_Datatype *sendtypes,
                        void *recvbuf,
                        const int *recvcounts,
                        const int *rdispls,
                        const MPI_Datatype *recvtypes,
                        MPI_Comm comm,
                        MPI_Info info,
                        AMPI_Request *request);

/**
 * AMPI_Alltoallw_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all ranks, or MPI_IN_PLACE
 * @param sendcounts    number of items for each rank
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each rank, active or passive
 * @param[out] recvbuf  room for the items of all ranks
 * @param recvcounts    number of items from each rank
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each rank, active if that rank's type for this rank is
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Alltoallw_init_c(const void *sendbuf,
                          const MPI_Count *sendcounts,
                          const MPI_Aint *sdispls,
                          const MPI_Datatype *sendtypes,
                          void *recvbuf,
                          const MPI_Count *recvcounts,
                          const MPI_Aint *rdispls,
                          const MPI_Datatype *recvtypes,
                          MPI_Comm comm,
                          MPI_Info info,
                          AMPI_Request *request);

/**
 * MPI_Bcast. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param[in,out] buffer  `count` items of `datatype`
 * @param count           number of items
 * @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
 * @param root            the rank whose buffer is sent
 * @param comm            the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm);

/**
 * AMPI_Bcast with a count past 2^31.
 * @param[in,out] buffer  `count` items of `datatype`
 * @param count           number of items
 * @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
 * @param root            the rank whose buffer is sent
 * @param comm            the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);

/**
 * MPI_Ibcast: as AMPI_Bcast. Send buffers are copied. The receive buffer has its values and ids once the request is
 * complete.
 * @param[in,out] buffer  `count` items of `datatype`
 * @param count           number of items
 * @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
 * @param root            the rank whose buffer is sent
 * @param comm            the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request    to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ibcast(void *buffer,
                int count,
                MPI_Datatype datatype,
                int root,
                MPI_Comm comm,
                AMPI_Request *request);

/**
 * AMPI_Ibcast with a count past 2^31.
 * @param[in,out] buffer  `count` items of `datatype`
 * @param count           number of items
 * @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
 * @param root            the rank whose buffer is sent
 * @param comm            the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request    to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ibcast_c(void *buffer,
                  MPI_Count count,
                  MPI_Datatype datatype,
                  int root,
                  MPI_Comm comm,
                  AMPI_Request *request);

/**
 * MPI_Bcast_init: each start is AMPI_Bcast without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param[in,out] buffer  `count` items of `datatype`
 * @param count           number of items
 * @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
 * @param root            the rank whose buffer is sent
 * @param comm            the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info            not looked at where the library makes the call
 * @param[out] request    to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bcast_init(void *buffer,
                    int count,
                    MPI_Datatype datatype,
                    int root,
                    MPI_Comm comm,
                    MPI_Info info,
                    AMPI_Request *request);

/**
 * AMPI_Bcast_init with a count past 2^31.
 * @param[in,out] buffer  `count` items of `datatype`
 * @param count           number of items
 * @param datatype        AMPI_ADOUBLE or a type built from it for active data, on all ranks
 * @param root            the rank whose buffer is sent
 * @param comm            the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info            not looked at where the library makes the call
 * @param[out] request    to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Bcast_init_c(void *buffer,
                      MPI_Count count,
                      MPI_Datatype datatype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      AMPI_Request *request);

/**
 * MPI_Gather. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank, on the root
 * @param recvcount     number of items from one rank, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gather(const void *sendbuf,
                int sendcount,
                MPI_Datatype sendtype,
                void *recvbuf,
                int recvcount,
                MPI_Datatype recvtype,
                int root,
                MPI_Comm comm);

/**
 * AMPI_Gather with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank, on the root
 * @param recvcount     number of items from one rank, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gather_c(const void *sendbuf,
                  MPI_Count sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  MPI_Count recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm);

/**
 * MPI_Igather: as AMPI_Gather. Send buffers are copied. The receive buffer has its values and ids once the request
 * is complete.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank, on the root
 * @param recvcount     number of items from one rank, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Igather(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm,
                 AMPI_Request *request);

/**
 * AMPI_Igather with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank, on the root
 * @param recvcount     number of items from one rank, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Igather_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * MPI_Gather_init: each start is AMPI_Gather without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank, on the root
 * @param recvcount     number of items from one rank, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gather_init(const void *sendbuf,
                     int sendcount,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     int recvcount,
                     MPI_Datatype recvtype,
                     int root,
                     MPI_Comm comm,
                     MPI_Info info,
                     AMPI_Request *request);

/**
 * AMPI_Gather_init with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each rank, on the root
 * @param recvcount     number of items from one rank, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gather_init_c(const void *sendbuf,
                       MPI_Count sendcount,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       MPI_Count recvcount,
                       MPI_Datatype recvtype,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       AMPI_Request *request);

/**
 * MPI_Gatherv. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks, on the root
 * @param recvcounts    number of items from each rank, on the root
 * @param displs        where each part goes, in extents of `recvtype`, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gatherv(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 const int *recvcounts,
                 const int *displs,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm);

/**
 * AMPI_Gatherv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks, on the root
 * @param recvcounts    number of items from each rank, on the root
 * @param displs        where each part goes, in extents of `recvtype`, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gatherv_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   const MPI_Count *recvcounts,
                   const MPI_Aint *displs,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm);

/**
 * MPI_Igatherv: as AMPI_Gatherv. Send buffers are copied. The receive buffer has its values and ids once the request
 * is complete.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks, on the root
 * @param recvcounts    number of items from each rank, on the root
 * @param displs        where each part goes, in extents of `recvtype`, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Igatherv(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  const int *recvcounts,
                  const int *displs,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm,
                  AMPI_Request *request);

/**
 * AMPI_Igatherv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks, on the root
 * @param recvcounts    number of items from each rank, on the root
 * @param displs        where each part goes, in extents of `recvtype`, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Igatherv_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    const MPI_Count *recvcounts,
                    const MPI_Aint *displs,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * MPI_Gatherv_init: each start is AMPI_Gatherv without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks, on the root
 * @param recvcounts    number of items from each rank, on the root
 * @param displs        where each part goes, in extents of `recvtype`, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gatherv_init(const void *sendbuf,
                      int sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      const int *recvcounts,
                      const int *displs,
                      MPI_Datatype recvtype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      AMPI_Request *request);

/**
 * AMPI_Gatherv_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`, or MPI_IN_PLACE on the root
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all ranks, on the root
 * @param recvcounts    number of items from each rank, on the root
 * @param displs        where each part goes, in extents of `recvtype`, on the root
 * @param recvtype      active if `sendtype` is, on the root
 * @param root          the rank that gathers
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Gatherv_init_c(const void *sendbuf,
                        MPI_Count sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        const MPI_Count *recvcounts,
                        const MPI_Aint *displs,
                        MPI_Datatype recvtype,
                        int root,
                        MPI_Comm comm,
                        MPI_Info info,
                        AMPI_Request *request);

/**
 * MPI_Scatter. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
 * @param sendcount     number of items for one rank, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatter(const void *sendbuf,
                 int sendcount,
                 MPI_Datatype sendtype,
                 void *recvbuf,
                 int recvcount,
                 MPI_Datatype recvtype,
                 int root,
                 MPI_Comm comm);

/**
 * AMPI_Scatter with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
 * @param sendcount     number of items for one rank, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatter_c(const void *sendbuf,
                   MPI_Count sendcount,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   MPI_Count recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm);

/**
 * MPI_Iscatter: as AMPI_Scatter. Send buffers are copied. The receive buffer has its values and ids once the request
 * is complete.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
 * @param sendcount     number of items for one rank, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iscatter(const void *sendbuf,
                  int sendcount,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm,
                  AMPI_Request *request);

/**
 * AMPI_Iscatter with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
 * @param sendcount     number of items for one rank, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iscatter_c(const void *sendbuf,
                    MPI_Count sendcount,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm,
                    AMPI_Request *request);

/**
 * MPI_Scatter_init: each start is AMPI_Scatter without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
 * @param sendcount     number of items for one rank, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatter_init(const void *sendbuf,
                      int sendcount,
                      MPI_Datatype sendtype,
                      void *recvbuf,
                      int recvcount,
                      MPI_Datatype recvtype,
                      int root,
                      MPI_Comm comm,
                      MPI_Info info,
                      AMPI_Request *request);

/**
 * AMPI_Scatter_init with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each rank, on the root
 * @param sendcount     number of items for one rank, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatter_init_c(const void *sendbuf,
                        MPI_Count sendcount,
                        MPI_Datatype sendtype,
                        void *recvbuf,
                        MPI_Count recvcount,
                        MPI_Datatype recvtype,
                        int root,
                        MPI_Comm comm,
                        MPI_Info info,
                        AMPI_Request *request);

/**
 * MPI_Scatterv. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       the items of all ranks, on the root
 * @param sendcounts    number of items for each rank, on the root
 * @param displs        where each part begins, in extents of `sendtype`, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatterv(const void *sendbuf,
                  const int *sendcounts,
                  const int *displs,
                  MPI_Datatype sendtype,
                  void *recvbuf,
                  int recvcount,
                  MPI_Datatype recvtype,
                  int root,
                  MPI_Comm comm);

/**
 * AMPI_Scatterv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items of all ranks, on the root
 * @param sendcounts    number of items for each rank, on the root
 * @param displs        where each part begins, in extents of `sendtype`, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatterv_c(const void *sendbuf,
                    const MPI_Count *sendcounts,
                    const MPI_Aint *displs,
                    MPI_Datatype sendtype,
                    void *recvbuf,
                    MPI_Count recvcount,
                    MPI_Datatype recvtype,
                    int root,
                    MPI_Comm comm);

/**
 * MPI_Iscatterv: as AMPI_Scatterv. Send buffers are copied. The receive buffer has its values and ids once the
 * request is complete.
 * @param sendbuf       the items of all ranks, on the root
 * @param sendcounts    number of items for each rank, on the root
 * @param displs        where each part begins, in extents of `sendtype`, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iscatterv(const void *sendbuf,
                   const int *sendcounts,
                   const int *displs,
                   MPI_Datatype sendtype,
                   void *recvbuf,
                   int recvcount,
                   MPI_Datatype recvtype,
                   int root,
                   MPI_Comm comm,
                   AMPI_Request *request);

/**
 * AMPI_Iscatterv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items of all ranks, on the root
 * @param sendcounts    number of items for each rank, on the root
 * @param displs        where each part begins, in extents of `sendtype`, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends, which the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Iscatterv_c(const void *sendbuf,
                     const MPI_Count *sendcounts,
                     const MPI_Aint *displs,
                     MPI_Datatype sendtype,
                     void *recvbuf,
                     MPI_Count recvcount,
                     MPI_Datatype recvtype,
                     int root,
                     MPI_Comm comm,
                     AMPI_Request *request);

/**
 * MPI_Scatterv_init: each start is AMPI_Scatterv without blocking. The arrays must live as long as the request;
 * communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       the items of all ranks, on the root
 * @param sendcounts    number of items for each rank, on the root
 * @param displs        where each part begins, in extents of `sendtype`, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatterv_init(const void *sendbuf,
                       const int *sendcounts,
                       const int *displs,
                       MPI_Datatype sendtype,
                       void *recvbuf,
                       int recvcount,
                       MPI_Datatype recvtype,
                       int root,
                       MPI_Comm comm,
                       MPI_Info info,
                       AMPI_Request *request);

/**
 * AMPI_Scatterv_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items of all ranks, on the root
 * @param sendcounts    number of items for each rank, on the root
 * @param displs        where each part begins, in extents of `sendtype`, on the root
 * @param sendtype      active if `recvtype` is, on the root
 * @param[out] recvbuf  room for `recvcount` items, or MPI_IN_PLACE on the root
 * @param recvcount     number of items
 * @param recvtype      AMPI_ADOUBLE or a type built from it for active data
 * @param root          the rank that scatters
 * @param comm          the communicator; of an intercommunicator each group gets what the other one sends; between groups the library must know it
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Scatterv_init_c(const void *sendbuf,
                         const MPI_Count *sendcounts,
                         const MPI_Aint *displs,
                         MPI_Datatype sendtype,
                         void *recvbuf,
                         MPI_Count recvcount,
                         MPI_Datatype recvtype,
                         int root,
                         MPI_Comm comm,
                         MPI_Info info,
                         AMPI_Request *request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_COLLECTIVES_H */
