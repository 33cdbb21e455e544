/* Generated from src/capi/communicators.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_COMMUNICATORS_H
#define ADMPI_COMMUNICATORS_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Comm_create. Registers the new communicator with the library. Collective over `comm`.
 * @param comm          the communicator
 * @param group         members of the new one
 * @param[out] newcomm  the new one, or MPI_COMM_NULL
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm);

/**
 * MPI_Comm_create_group. Registers the new communicator with the library. Collective over `group`.
 * @param comm          the communicator
 * @param group         members of the new one
 * @param tag           distinguishes concurrent calls
 * @param[out] newcomm  the new one
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm);

/**
 * MPI_Comm_dup. Registers the new communicator with the library. Collective over `comm`.
 * @param comm          the communicator
 * @param[out] newcomm  its duplicate
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm);

/**
 * MPI_Comm_dup_with_info. Registers the new communicator with the library. Collective over `comm`.
 * @param comm          the communicator
 * @param info          not looked at where the library makes the call
 * @param[out] newcomm  the duplicate
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);

/**
 * MPI_Comm_free. What was recorded on the communicator can still be reversed. Collective over `comm`.
 * @param[in,out] comm  MPI_COMM_NULL on return
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_free(MPI_Comm *comm);

/**
 * MPI_Comm_split. Registers the new communicator with the library. Collective over `comm`.
 * @param comm          the communicator
 * @param color         ranks of one colour form one communicator; MPI_UNDEFINED: no communicator
 * @param key           orders the ranks
 * @param[out] newcomm  the new one, or MPI_COMM_NULL
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm);

/**
 * MPI_Comm_split_type. Registers the new communicator with the library. Collective over `comm`.
 * @param comm          the communicator
 * @param split_type    such as MPI_COMM_TYPE_SHARED; MPI_UNDEFINED: none
 * @param key           orders the ranks
 * @param info          not looked at where the library makes the call
 * @param[out] newcomm  the new one, or MPI_COMM_NULL
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm);

/**
 * MPI_Intercomm_create. Registers the new intercommunicator with the library. Collective over both groups.
 * @param local_comm         the group of this rank
 * @param local_leader       its rank that knows of the other group
 * @param bridge_comm        where the leaders find each other
 * @param remote_leader      the other group's leader there
 * @param tag                of the leaders' messages
 * @param[out] newintercomm  the two groups
 * @return an MPI code, raised on `local_comm`
 */
int AMPI_Intercomm_create(MPI_Comm local_comm,
                          int local_leader,
                          MPI_Comm bridge_comm,
                          int remote_leader,
                          int tag,
                          MPI_Comm *newintercomm);

/**
 * MPI_Intercomm_merge. Registers the new communicator with the library. Collective over both groups.
 * @param intercomm          an intercommunicator
 * @param high               whether this group's ranks come behind those of the other
 * @param[out] newintercomm  an intracommunicator of both groups
 * @return an MPI code, raised on `intercomm`
 */
int AMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintercomm);

/**
 * MPI_Cart_create. Registers the new communicator with the library. Collective over `comm_old`.
 * @param comm_old        the communicator
 * @param ndims           number of dimensions
 * @param dims            `ndims` sizes
 * @param periods         `ndims` flags
 * @param reorder         whether ranks may be reordered
 * @param[out] comm_cart  the new one, or MPI_COMM_NULL
 * @return an MPI code, raised on `comm_old`
 */
int AMPI_Cart_create(MPI_Comm comm_old,
                     int ndims,
                     const int *dims,
                     const int *periods,
                     int reorder,
                     MPI_Comm *comm_cart);

/**
 * MPI_Cart_sub. Registers the new communicator with the library. Collective over `comm`.
 * @param comm          a Cartesian communicator
 * @param remain_dims   a flag for each of its dimensions
 * @param[out] newcomm  the subgrid of this rank
 * @return an MPI code, raised on `comm`
 */
int AMPI_Cart_sub(MPI_Comm comm, const int *remain_dims, MPI_Comm *newcomm);

/**
 * MPI_Dist_graph_create. Registers the new communicator with the library. Collective over `comm_old`.
 * @param comm_old              the communicator
 * @param n                     number of nodes whose edges this rank gives
 * @param sources               those `n` nodes
 * @param degrees               how many edges each has
 * @param destinations          the targets of these edges, node by node
 * @param weights               their weights, or MPI_UNWEIGHTED
 * @param info                  not looked at where the library makes the call
 * @param reorder               whether ranks may be reordered
 * @param[out] comm_dist_graph  the new one
 * @return an MPI code, raised on `comm_old`
 */
int AMPI_Dist_graph_create(MPI_Comm comm_old,
                           int n,
                           const int *sources,
                           const int *degrees,
                           const int *destinations,
                           const int *weights,
                           MPI_Info info,
                           int reorder,
                           MPI_Comm *comm_dist_graph);

/**
 * MPI_Dist_graph_create_adjacent. Registers the new communicator with the library. Collective over `comm_old`.
 * @param comm_old              the communicator
 * @param indegree              number of ranks that lead here
 * @param sources               those ranks
 * @param sourceweights         their weights, or MPI_UNWEIGHTED
 * @param outdegree             number of ranks that this one leads to
 * @param destinations          those ranks
 * @param destweights           their weights, or MPI_UNWEIGHTED
 * @param info                  not looked at where the library makes the call
 * @param reorder               whether ranks may be reordered
 * @param[out] comm_dist_graph  the new one
 * @return an MPI code, raised on `comm_old`
 */
int AMPI_Dist_graph_create_adjacent(MPI_Comm comm_old,
                                    int indegree,
                                    const int *sources,
                                    const int *sourceweights,
                                    int outdegree,
                                    const int *destinations,
                                    const int *destweights,
                                    MPI_Info info,
                                    int reorder,
                                    MPI_Comm *comm_dist_graph);

/**
 * MPI_Graph_create. Registers the new communicator with the library. Collective over `comm_old`.
 * @param comm_old         the communicator
 * @param nnodes           number of nodes
 * @param index            `nnodes` ends of the nodes' lists in `edges`
 * @param edges            neighbours, node by node
 * @param reorder          whether ranks may be reordered
 * @param[out] comm_graph  the new one, or MPI_COMM_NULL
 * @return an MPI code, raised on `comm_old`
 */
int AMPI_Graph_create(MPI_Comm comm_old,
                      int nnodes,
                      const int *index,
                      const int *edges,
                      int reorder,
                      MPI_Comm *comm_graph);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_COMMUNICATORS_H */
