/* Generated from src/capi/neighbors.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_NEIGHBORS_H
#define ADMPI_NEIGHBORS_H

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
 * MPI_Neighbor_allgather. If a neighbour is MPI_PROC_NULL, its part of the receive buffer keeps its values and
 * derivatives. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgather(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            int recvcount,
                            MPI_Datatype recvtype,
                            MPI_Comm comm);

/**
 * AMPI_Neighbor_allgather with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgather_c(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              MPI_Count recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm);

/**
 * MPI_Ineighbor_allgather: as AMPI_Neighbor_allgather. Send buffers are copied. The receive buffer has its values
 * and ids once the request is complete.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_allgather(const void *sendbuf,
                             int sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             int recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm,
                             AMPI_Request *request);

/**
 * AMPI_Ineighbor_allgather with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_allgather_c(const void *sendbuf,
                               MPI_Count sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               MPI_Count recvcount,
                               MPI_Datatype recvtype,
                               MPI_Comm comm,
                               AMPI_Request *request);

/**
 * MPI_Neighbor_allgather_init: each start is AMPI_Neighbor_allgather without blocking. The arrays must live as long
 * as the request; communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgather_init(const void *sendbuf,
                                 int sendcount,
                                 MPI_Datatype sendtype,
                                 void *recvbuf,
                                 int recvcount,
                                 MPI_Datatype recvtype,
                                 MPI_Comm comm,
                                 MPI_Info info,
                                 AMPI_Request *request);

/**
 * AMPI_Neighbor_allgather_init with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgather_init_c(const void *sendbuf,
                                   MPI_Count sendcount,
                                   MPI_Datatype sendtype,
                                   void *recvbuf,
                                   MPI_Count recvcount,
                                   MPI_Datatype recvtype,
                                   MPI_Comm comm,
                                   MPI_Info info,
                                   AMPI_Request *request);

/**
 * MPI_Neighbor_allgatherv. If a neighbour is MPI_PROC_NULL, its part of the receive buffer keeps its values and
 * derivatives. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgatherv(const void *sendbuf,
                             int sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             const int *recvcounts,
                             const int *displs,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

/**
 * AMPI_Neighbor_allgatherv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgatherv_c(const void *sendbuf,
                               MPI_Count sendcount,
                               MPI_Datatype sendtype,
                               void *recvbuf,
                               const MPI_Count *recvcounts,
                               const MPI_Aint *displs,
                               MPI_Datatype recvtype,
                               MPI_Comm comm);

/**
 * MPI_Ineighbor_allgatherv: as AMPI_Neighbor_allgatherv. Send buffers are copied. The receive buffer has its values
 * and ids once the request is complete.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_allgatherv(const void *sendbuf,
                              int sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              const int *recvcounts,
                              const int *displs,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              AMPI_Request *request);

/**
 * AMPI_Ineighbor_allgatherv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_allgatherv_c(const void *sendbuf,
                                MPI_Count sendcount,
                                MPI_Datatype sendtype,
                                void *recvbuf,
                                const MPI_Count *recvcounts,
                                const MPI_Aint *displs,
                                MPI_Datatype recvtype,
                                MPI_Comm comm,
                                AMPI_Request *request);

/**
 * MPI_Neighbor_allgatherv_init: each start is AMPI_Neighbor_allgatherv without blocking. The arrays must live as
 * long as the request; communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgatherv_init(const void *sendbuf,
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
 * AMPI_Neighbor_allgatherv_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       `sendcount` items of `sendtype`
 * @param sendcount     number of items
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param displs        where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_allgatherv_init_c(const void *sendbuf,
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
 * MPI_Neighbor_alltoall. If a neighbour is MPI_PROC_NULL, its part of the receive buffer keeps its values and
 * derivatives. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       `sendcount` items of `sendtype` for each destination
 * @param sendcount     number of items for one destination
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoall(const void *sendbuf,
                           int sendcount,
                           MPI_Datatype sendtype,
                           void *recvbuf,
                           int recvcount,
                           MPI_Datatype recvtype,
                           MPI_Comm comm);

/**
 * AMPI_Neighbor_alltoall with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each destination
 * @param sendcount     number of items for one destination
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoall_c(const void *sendbuf,
                             MPI_Count sendcount,
                             MPI_Datatype sendtype,
                             void *recvbuf,
                             MPI_Count recvcount,
                             MPI_Datatype recvtype,
                             MPI_Comm comm);

/**
 * MPI_Ineighbor_alltoall: as AMPI_Neighbor_alltoall. Send buffers are copied. The receive buffer has its values and
 * ids once the request is complete.
 * @param sendbuf       `sendcount` items of `sendtype` for each destination
 * @param sendcount     number of items for one destination
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_alltoall(const void *sendbuf,
                            int sendcount,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            int recvcount,
                            MPI_Datatype recvtype,
                            MPI_Comm comm,
                            AMPI_Request *request);

/**
 * AMPI_Ineighbor_alltoall with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each destination
 * @param sendcount     number of items for one destination
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_alltoall_c(const void *sendbuf,
                              MPI_Count sendcount,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              MPI_Count recvcount,
                              MPI_Datatype recvtype,
                              MPI_Comm comm,
                              AMPI_Request *request);

/**
 * MPI_Neighbor_alltoall_init: each start is AMPI_Neighbor_alltoall without blocking. The arrays must live as long as
 * the request; communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       `sendcount` items of `sendtype` for each destination
 * @param sendcount     number of items for one destination
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoall_init(const void *sendbuf,
                                int sendcount,
                                MPI_Datatype sendtype,
                                void *recvbuf,
                                int recvcount,
                                MPI_Datatype recvtype,
                                MPI_Comm comm,
                                MPI_Info info,
                                AMPI_Request *request);

/**
 * AMPI_Neighbor_alltoall_init with counts past 2^31.
 * @param sendbuf       `sendcount` items of `sendtype` for each destination
 * @param sendcount     number of items for one destination
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for `recvcount` items from each source
 * @param recvcount     number of items from one source
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoall_init_c(const void *sendbuf,
                                  MPI_Count sendcount,
                                  MPI_Datatype sendtype,
                                  void *recvbuf,
                                  MPI_Count recvcount,
                                  MPI_Datatype recvtype,
                                  MPI_Comm comm,
                                  MPI_Info info,
                                  AMPI_Request *request);

/**
 * MPI_Neighbor_alltoallv. If a neighbour is MPI_PROC_NULL, its part of the receive buffer keeps its values and
 * derivatives. Collective over `comm`; registers `comm` if the library does not know it yet.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallv(const void *sendbuf,
                            const int *sendcounts,
                            const int *sdispls,
                            MPI_Datatype sendtype,
                            void *recvbuf,
                            const int *recvcounts,
                            const int *rdispls,
                            MPI_Datatype recvtype,
                            MPI_Comm comm);

/**
 * AMPI_Neighbor_alltoallv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallv_c(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              MPI_Datatype sendtype,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              MPI_Datatype recvtype,
                              MPI_Comm comm);

/**
 * MPI_Ineighbor_alltoallv: as AMPI_Neighbor_alltoallv. Send buffers are copied. The receive buffer has its values
 * and ids once the request is complete.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_alltoallv(const void *sendbuf,
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
 * AMPI_Ineighbor_alltoallv with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_alltoallv_c(const void *sendbuf,
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
 * MPI_Neighbor_alltoallv_init: each start is AMPI_Neighbor_alltoallv without blocking. The arrays must live as long
 * as the request; communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallv_init(const void *sendbuf,
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
 * AMPI_Neighbor_alltoallv_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in extents of `sendtype`
 * @param sendtype      AMPI_ADOUBLE or a type built from it for active data
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in extents of `recvtype`
 * @param recvtype      active if `sendtype` is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallv_init_c(const void *sendbuf,
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
 * MPI_Neighbor_alltoallw. If a neighbour is MPI_PROC_NULL, its part of the receive buffer keeps its values and
 * derivatives. Collective over `comm`, which the library must know. If active data move between any two ranks, every
 * rank with neighbours must pass at least one active type, possibly for a part without items.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each destination, active or passive
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each source, active if the sender's is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallw(const void *sendbuf,
                            const int *sendcounts,
                            const MPI_Aint *sdispls,
                            const MPI_Datatype *sendtypes,
                            void *recvbuf,
                            const int *recvcounts,
                            const MPI_Aint *rdispls,
                            const MPI_Datatype *recvtypes,
                            MPI_Comm comm);

/**
 * AMPI_Neighbor_alltoallw with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each destination, active or passive
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each source, active if the sender's is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallw_c(const void *sendbuf,
                              const MPI_Count *sendcounts,
                              const MPI_Aint *sdispls,
                              const MPI_Datatype *sendtypes,
                              void *recvbuf,
                              const MPI_Count *recvcounts,
                              const MPI_Aint *rdispls,
                              const MPI_Datatype *recvtypes,
                              MPI_Comm comm);

/**
 * MPI_Ineighbor_alltoallw: as AMPI_Neighbor_alltoallw. Send buffers are copied. The receive buffer has its values
 * and ids once the request is complete.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each destination, active or passive
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each source, active if the sender's is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_alltoallw(const void *sendbuf,
                             const int *sendcounts,
                             const MPI_Aint *sdispls,
                             const MPI_Datatype *sendtypes,
                             void *recvbuf,
                             const int *recvcounts,
                             const MPI_Aint *rdispls,
                             const MPI_Datatype *recvtypes,
                             MPI_Comm comm,
                             AMPI_Request *request);

/**
 * AMPI_Ineighbor_alltoallw with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each destination, active or passive
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each source, active if the sender's is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology, which for active data the library must know
 * @param[out] request  to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `comm`
 */
int AMPI_Ineighbor_alltoallw_c(const void *sendbuf,
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
 * MPI_Neighbor_alltoallw_init: each start is AMPI_Neighbor_alltoallw without blocking. The arrays must live as long
 * as the request; communicator, operation and datatypes may be freed before a start.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each destination, active or passive
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each source, active if the sender's is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallw_init(const void *sendbuf,
                                 const int *sendcounts,
                                 const MPI_Aint *sdispls,
                                 const MPI_Datatype *sendtypes,
                                 void *recvbuf,
                                 const int *recvcounts,
                                 const MPI_Aint *rdispls,
                                 const MPI_Datatype *recvtypes,
                                 MPI_Comm comm,
                                 MPI_Info info,
                                 AMPI_Request *request);

/**
 * AMPI_Neighbor_alltoallw_init with counts and displacements past 2^31. All ranks call this form.
 * @param sendbuf       the items for all destinations
 * @param sendcounts    number of items for each destination
 * @param sdispls       where each part begins, in bytes
 * @param sendtypes     a datatype for each destination, active or passive
 * @param[out] recvbuf  room for the items of all sources
 * @param recvcounts    number of items from each source
 * @param rdispls       where each part goes, in bytes
 * @param recvtypes     a datatype for each source, active if the sender's is
 * @param comm          a communicator with a Cartesian, graph or distributed-graph topology
 * @param info          not looked at where the library makes the call
 * @param[out] request  to be started by AMPI_Start or AMPI_Startall, and freed by AMPI_Request_free
 * @return an MPI code, raised on `comm`
 */
int AMPI_Neighbor_alltoallw_init_c(const void *sendbuf,
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

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_NEIGHBORS_H */
