/* Generated from src/capi/ampi.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_AMPI_H
#define ADMPI_AMPI_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/abi.h"
#include "admpi/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The datatype of one active double (admpi_var): what stands in place of MPI_DOUBLE for active data. Types may
 *  be built from it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE;

/** The datatype of an admpi_var_int, for reductions by MPI_MINLOC and MPI_MAXLOC: what stands in place of
 *  MPI_DOUBLE_INT for active data. MPI_DATATYPE_NULL before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_ADOUBLE_INT;

/** The datatype of an element of a matrix. The buffer is the matrix, an `admpi_varmat *`; counts and displacements are
 *  in elements, column by column. Received elements get new ids. Nothing can be built from it. MPI_DATATYPE_NULL
 *  before AMPI_Init or admpi_init. */
extern MPI_Datatype AMPI_VARMAT;

/** The same for a part of a matrix: the buffer is an `admpi_view *`, which is read when the call starts. */
extern MPI_Datatype AMPI_VIEW;

#ifdef __cplusplus
}
#endif

/**
 * Messages and bytes that this process has sent for active data.
 */
typedef struct admpi_mpi_statistics_t {
  /**
   * messages of active values, and parts brought to collectives
   */
  uint64_t forward_messages;
  /**
   * their bytes: 8 an active double
   */
  uint64_t forward_bytes;
  /**
   * messages of adjoints, and parts brought to collectives of adjoints
   */
  uint64_t adjoint_messages;
  /**
   * their bytes: 8 a double and direction
   */
  uint64_t adjoint_bytes;
} admpi_mpi_statistics_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Init. Also initialises the library and registers MPI_COMM_WORLD and MPI_COMM_SELF with it. Collective over all
 * processes. `AMPI_Init` passes the sizes that its header saw.
 * @param[in,out] argc  as in MPI; may be NULL
 * @param[in,out] argv  as in MPI; may be NULL
 * @param sizes         what the program was compiled with
 * @return an MPI code
 */
int admpi_detail_mpi_init(int *argc,
                          char ***argv,
                          const admpi_mpi_sizes *sizes);

/**
 * MPI_Init_thread. Also initialises the library; see admpi_detail_mpi_init.
 * @param[in,out] argc   as in MPI; may be NULL
 * @param[in,out] argv   as in MPI; may be NULL
 * @param required       the level of thread support that the program needs
 * @param[out] provided  the level that MPI provides
 * @param sizes          what the program was compiled with
 * @return an MPI code
 */
int admpi_detail_mpi_init_thread(int *argc,
                                 char ***argv,
                                 int required,
                                 int *provided,
                                 const admpi_mpi_sizes *sizes);

/**
 * Initialises the library in a program that calls MPI_Init itself. Registers `comm` and MPI_COMM_SELF, which then may
 * carry active data. Collective over `comm`; may be called again for other communicators. `admpi_init` passes the sizes
 * that its header saw.
 * @param comm   an intracommunicator
 * @param sizes  what the program was compiled with
 * @return ADMPI_SUCCESS, ADMPI_ERR_ABI, ADMPI_ERR_ARGUMENT (MPI_COMM_NULL), ADMPI_ERR_MPI, ADMPI_ERR_UNSUPPORTED
 */
int admpi_detail_init(MPI_Comm comm,
                      const admpi_mpi_sizes *sizes);

/**
 * Frees the library's MPI objects: communicators, AMPI_ADOUBLE. Collective over all processes. MPI_Finalize does this
 * too.
 * @return ADMPI_SUCCESS, ADMPI_ERR_MPI
 */
int admpi_finalize(void);

/**
 * MPI_Finalize. Collective over all processes.
 * @return an MPI code
 */
int AMPI_Finalize(void);

/**
 * Counts what this process has sent so far for active data. Local.
 * @param[out] statistics_out  counts of messages and bytes
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int admpi_mpi_statistics(struct admpi_mpi_statistics_t *statistics_out);

/**
 * Seeds a value that all ranks of `comm` hold, such as the result of an Allreduce. The seed is set once, on rank 0, since
 * the objective is the sum of what the ranks seed. All ranks of `comm` call this function, which does not communicate.
 * @param tape       the tape of `y`
 * @param comm       a communicator over which `y` is replicated
 * @param y          the value
 * @param weight     added to its adjoint
 * @param direction  below the tape's width
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_MPI
 */
int admpi_tape_seed_replicated(admpi_tape *tape,
                               MPI_Comm comm,
                               admpi_var y,
                               double weight,
                               int direction);

/**
 * Gives up, on all ranks, a sweep that stopped at a place which messages cross. Receives and drops the adjoints that are
 * in flight on `comm`, and forgets those that are held back. Clear the adjoints afterwards. In a callback of a sweep it
 * gives up a sweep that the callback began; the outer sweep goes on. Collective over `comm`.
 * @param tape  the calling process's tape
 * @param comm  the communicator whose messages cross the place
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MPI
 */
int admpi_tape_abandon_sweep(admpi_tape *tape,
                             MPI_Comm comm);

/**
 * Registers a communicator that plain MPI_ calls made, so that it may carry active data. Collective over `comm`. Does
 * nothing if the library knows it already.
 * @param comm  an intracommunicator
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_register(MPI_Comm comm);

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
 * @param info          hints for the duplicate
 * @param[out] newcomm  the duplicate
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm);

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
 * @param info          hints
 * @param[out] newcomm  the new one, or MPI_COMM_NULL
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm);

/**
 * MPI_Comm_free. What was recorded on the communicator can still be reversed. Collective over `comm`.
 * @param[in,out] comm  MPI_COMM_NULL on return
 * @return an MPI code, raised on `comm`
 */
int AMPI_Comm_free(MPI_Comm *comm);

/**
 * MPI_Cart_create. Registers the new communicator with the library. Collective over `comm_old`.
 * @param comm_old       the communicator
 * @param ndims          number of dimensions
 * @param dims           `ndims` sizes
 * @param periods        `ndims` flags
 * @param reorder        whether ranks may be reordered
 * @param[out] comm_cart the new one, or MPI_COMM_NULL
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

/**
 * MPI_Dist_graph_create. Registers the new communicator with the library. Collective over `comm_old`.
 * @param comm_old              the communicator
 * @param n                     number of nodes whose edges this rank gives
 * @param sources               those `n` nodes
 * @param degrees               how many edges each has
 * @param destinations          the targets of these edges, node by node
 * @param weights               their weights, or MPI_UNWEIGHTED
 * @param info                  hints
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
 * @param info                  hints
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
 * Declares that the program may poll, as ADMPI_POLLING=1 in the environment does: its next action may depend on what has
 * arrived by then, through Test or Iprobe, the completion that Waitany found, or the message that a wildcard matched.
 * From now on, the adjoints of collectives that do not make their members wait for each other (Bcast, Reduce, Gather,
 * Scatter, Scan, Exscan, the neighbourhood calls, and calls with counts of zero) are recorded to travel point to point.
 * This takes one message per rank, but never waits for a rank that is not involved. All ranks must set the same value,
 * at the same place among their collectives. Local.
 * @param on  0 or 1
 * @return ADMPI_SUCCESS
 */
int admpi_set_polling(int on);

/**
 * Sets the source line of this thread's next AMPI_ call, for the messages of checking mode. If ADMPI_SOURCE_LINES is
 * defined before the headers are included, every differentiated call sets it.
 * @param file  the source file: a string that lives as long as the program; NULL is ignored
 * @param line  the line
 */
void admpi_at(const char *file,
              int line);

/**
 * Checks that the C++ type of a buffer matches its datatype: active values need an active datatype, others a passive one.
 * For the overloads of `admpi.hpp`. Local.
 * @param call      the AMPI_ call, for the message
 * @param content   what the buffer contains: 0 plain numbers, 1 `admpi::var`, 2 an `admpi_varmat`, 3 an `admpi_view`
 * @param datatype  the datatype of the call
 * @param comm      where an error is raised
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`
 */
int admpi_detail_check_buffer(const char *call,
                              int content,
                              MPI_Datatype datatype,
                              MPI_Comm comm);

/**
 * Returns the datatype of a scalar with two adjacent parts, such as the value and derivative of a tangent. For
 * `admpi::mpi_type`. The datatype belongs to the library. Local.
 * @param part           the type of each part: a predefined type, AMPI_ADOUBLE, or another such scalar
 * @param[out] type_out  the type, committed
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MPI (also if the library is not initialised)
 */
int admpi_detail_bundle_type(MPI_Datatype part,
                             MPI_Datatype *type_out);

/**
 * Returns the datatype of a scalar followed by an `int`, for MPI_MINLOC and MPI_MAXLOC. For `admpi::mpi_type`. The datatype
 * belongs to the library. Local.
 * @param part           the type of the scalar, as for admpi_detail_bundle_type or made by it
 * @param extent         bytes from one pair to the next
 * @param[out] type_out  the type, committed
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the extent is too small for both),
 *         ADMPI_ERR_MPI (also if the library is not initialised)
 */
int admpi_detail_pair_type(MPI_Datatype part,
                           int64_t extent,
                           MPI_Datatype *type_out);

/**
 * Returns the datatype for a buffer of such scalars if the program passes one built from AMPI_ADOUBLE or from the scalar's
 * own type. For the overloads of `admpi.hpp`. It lives as long as `datatype`. Local.
 * @param call               the AMPI_ call, for the message
 * @param scalar             of admpi_detail_bundle_type
 * @param datatype           what the program passed
 * @param comm               where an error is raised
 * @param[out] datatype_out  `datatype` with `scalar` instead of AMPI_ADOUBLE
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`: nothing in `datatype` is such a scalar
 */
int admpi_detail_bundle_buffer(const char *call,
                               MPI_Datatype scalar,
                               MPI_Datatype datatype,
                               MPI_Comm comm,
                               MPI_Datatype *datatype_out);

/**
 * admpi_detail_bundle_buffer for the datatypes of the peers of a collective call. Datatypes of peers with count 0 are not
 * checked. Local.
 * @param call                the AMPI_ call, for the message
 * @param scalar              of admpi_detail_bundle_type
 * @param peers               which: 0 the ranks of `comm`, 1 the sources of its topology, 2 the destinations
 * @param counts              one per peer
 * @param datatypes           one per peer
 * @param comm                where an error is raised
 * @param[out] datatypes_out  one per peer; they may be read until the program ends
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`
 */
int admpi_detail_bundle_buffers(const char *call,
                                MPI_Datatype scalar,
                                int peers,
                                const int *counts,
                                const MPI_Datatype *datatypes,
                                MPI_Comm comm,
                                const MPI_Datatype **datatypes_out);

/**
 * As admpi_detail_bundle_buffers, with counts past 2^31.
 * @param call                the AMPI_ call, for the message
 * @param scalar              of admpi_detail_bundle_type
 * @param peers               which: 0 the ranks of `comm`, 1 the sources of its topology, 2 the destinations
 * @param counts              one per peer
 * @param datatypes           one per peer
 * @param comm                where an error is raised
 * @param[out] datatypes_out  one per peer; they may be read until the program ends
 * @return MPI_SUCCESS, or an MPI code, raised on `comm`
 */
int admpi_detail_bundle_buffers_c(const char *call,
                                  MPI_Datatype scalar,
                                  int peers,
                                  const MPI_Count *counts,
                                  const MPI_Datatype *datatypes,
                                  MPI_Comm comm,
                                  const MPI_Datatype **datatypes_out);

/**
 * Raises the error of a call that the overloads of `admpi.hpp` refuse. Local.
 * @param call  the AMPI_ call
 * @param why   the reason and the remedy
 * @param comm  where it is raised
 * @return an MPI code, raised on `comm`
 */
int admpi_detail_refuse(const char *call, const char *why, MPI_Comm comm);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_AMPI_H */
