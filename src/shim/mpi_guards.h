/* What the generated guards (mpi_guards.c) stand on: functions of the adjoint MPI module, and the
 * questions that decide which arguments of a call are significant. Handles that are not significant may be
 * uninitialised memory, so they are never looked at. */
#ifndef ADMPI_SHIM_MPI_GUARDS_H
#define ADMPI_SHIM_MPI_GUARDS_H

#include <mpi.h>
#if defined(OPEN_MPI) && defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif
#include <stddef.h>

#include "admpi/ampi_guards.h"
#include "admpi/large.h"

/** 0 if the datatype holds no active double (MPI_DATATYPE_NULL holds none), else the MPI error code whose
 *  string says that `call` cannot yet be differentiated. Local; it raises nothing, the guard does. */
int admpi_shim_guard(const char *call, MPI_Datatype datatype);

/** Whether the datatype holds an active double. */
int admpi_shim_active(MPI_Datatype datatype);

/** As admpi_shim_guard of a datatype under which `count` items at `buffer` are sent. In checking mode also the code whose string says
 *  that there is an active value in them. */
int admpi_shim_sent(const char *call, const void *buffer, MPI_Count count, MPI_Datatype datatype);

/** As admpi_shim_sent, of what a call writes to a file: active values are written as numbers. */
int admpi_shim_written(const char *call, const void *buffer, MPI_Count count, MPI_Datatype datatype);

/** Before a call reads `count` items from a file into `buffer`: 0, or the MPI error code whose string says why not. Sets `*reading`
 *  if they are active; `at_once` says that the call waits for them, which may then be under another `*datatype`. */
int admpi_shim_read_into(const char *call, void *buffer, MPI_Count count, MPI_Datatype *datatype, int at_once, void **reading);

/** After it: what has been read is passive. `status` is NULL for a call that does not wait. */
void admpi_shim_has_read(void *reading, int code, const MPI_Status *status);

/** Puts the type that an active `*datatype` has in a file in its place, and in `*made`, which the caller frees. 0, or the MPI error
 *  code whose string names `argument` and says why there is none. */
int admpi_shim_in_file(const char *call, const char *argument, MPI_Datatype *datatype, MPI_Datatype *made);

/** Lets each start of the persistent request look at these items in checking mode, if that is on now. */
void admpi_shim_watch(AMPI_Request request, const void *buffer, MPI_Count count, MPI_Datatype datatype);

/** 0, or the MPI error code whose string says why `op` cannot reduce, or accumulate, the tangents of `datatype`.
 *  Local; they raise nothing. */
int admpi_shim_reduced(const char *call, MPI_Op op, MPI_Datatype datatype);
int admpi_shim_accumulated(const char *call, MPI_Op op, MPI_Datatype datatype);

/** The MPI error code whose string says that the MPI in use has no such call. Local; raises nothing. */
int admpi_shim_lacks(const char *call);

/** The MPI error code whose string says that an argument is NULL. Local; raises nothing. */
int admpi_shim_null(const char *call, const char *argument);

/** The library's request for one of MPI's, AMPI_REQUEST_NULL for MPI_REQUEST_NULL. It lives until a
 *  completion or Request_free leaves MPI_REQUEST_NULL in it: that of a persistent request survives a Wait. */
AMPI_Request admpi_shim_wrap_request(MPI_Request request);

/** The place where a wrapped request is kept; NULL for AMPI_REQUEST_NULL and for the request of an active
 *  call. */
MPI_Request *admpi_shim_wrapped_request(AMPI_Request request);

/** Calls the error handler of the object and returns the code. */
int admpi_shim_raise_comm(MPI_Comm comm, int code);
int admpi_shim_raise_win(MPI_Win win, int code);
int admpi_shim_raise_file(MPI_File file, int code);

/* What is no object has no handler. */
static inline int guard_raise_comm(MPI_Comm comm, int code) {
  return admpi_shim_raise_comm(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, code);
}
static inline int guard_raise_win(MPI_Win win, int code) {
  return win == MPI_WIN_NULL ? guard_raise_comm(MPI_COMM_WORLD, code) : admpi_shim_raise_win(win, code);
}
static inline int guard_raise_file(MPI_File file, int code) { return admpi_shim_raise_file(file, code); }

/* MPI-4's calls under the name that the MPI in use has for them, or the error that says that it has none. */
static inline int guard_lacks(const char *call, MPI_Comm comm) {
  return guard_raise_comm(comm, admpi_shim_lacks(call));
}
#if MPI_VERSION >= 4 || defined(OMPI_HAVE_MPI_EXT_PCOLLREQ)
#define GUARD_HAS_PERSISTENT 0
#else
#define GUARD_HAS_PERSISTENT 0
#endif
#if MPI_VERSION >= 4
#define GUARD_PERSISTENT(call, comm, arguments) MPI_##call arguments
#define GUARD_PARTITIONED(call, comm, arguments) MPI_##call arguments
#else
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define GUARD_PERSISTENT(call, comm, arguments) MPIX_##call arguments
#else
#define GUARD_PERSISTENT(call, comm, arguments) guard_lacks("AMPI_" #call, comm)
#endif
#define GUARD_PARTITIONED(call, comm, arguments) guard_lacks("AMPI_" #call, comm)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

static inline void guard_free(MPI_Datatype *made) {
  if (*made != MPI_DATATYPE_NULL)
    MPI_Type_free(made);
}

/* Which arguments of a collective call with a root are significant here: those that count at the root,
 * those that count at the others. Both do at the root of an intracommunicator. */
enum { GUARD_ROOT = 1, GUARD_OTHERS = 2 };

static inline int guard_side(int root, MPI_Comm comm) {
  int inter = 0, rank = MPI_UNDEFINED;
  if (comm == MPI_COMM_NULL)
    return 0; /* MPI says so under the name of its own call */
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    return root == MPI_ROOT ? GUARD_ROOT : root == MPI_PROC_NULL ? 0 : GUARD_OTHERS;
  MPI_Comm_rank(comm, &rank);
  return rank == root ? GUARD_ROOT | GUARD_OTHERS : GUARD_OTHERS;
}

/* The length of the argument arrays of Alltoallw. */
static inline int guard_peers(MPI_Comm comm) {
  int inter = 0, size = 0;
  if (comm == MPI_COMM_NULL)
    return 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    MPI_Comm_remote_size(comm, &size);
  else
    MPI_Comm_size(comm, &size);
  return size;
}

/* The length of the argument arrays of Reduce_scatter. */
static inline int guard_members(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/* The peers of Neighbor_alltoallw. */
static inline void guard_neighbors(MPI_Comm comm, int *sources, int *destinations) {
  int topology = MPI_UNDEFINED, rank, weighted;
  *sources = *destinations = 0;
  if (comm != MPI_COMM_NULL)
    MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    MPI_Cartdim_get(comm, sources);
    *destinations = *sources *= 2;
  } else if (topology == MPI_GRAPH) {
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, sources);
    *destinations = *sources;
  } else if (topology == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(comm, sources, destinations, &weighted);
  }
}

/* An array of datatypes, one a peer; one that moves nothing is not significant in practice. */
static inline int guard_each(const char *call, int n, const int counts[], const MPI_Datatype datatypes[]) {
  int code = MPI_SUCCESS;
  if (counts == NULL || datatypes == NULL)
    return code;
  for (int i = 0; i < n && code == MPI_SUCCESS; i++)
    if (counts[i] != 0)
      code = admpi_shim_guard(call, datatypes[i]);
  return code;
}

static inline int guard_each_active(int n, const int counts[], const MPI_Datatype datatypes[]) {
  int active = 0;
  (void)counts; /* an active type may stand at a part without items */
  for (int i = 0; i < n && !active && datatypes != NULL; i++)
    active = datatypes[i] != MPI_DATATYPE_NULL && admpi_shim_active(datatypes[i]);
  return active;
}

/* What a persistent call sends to each of `n` peers: of one datatype, of one each with places in bytes, or in succession. */
static inline void guard_watch_list(AMPI_Request request, const void *buffer, int n, const int counts[],
                                    const int displs[], MPI_Datatype datatype) {
  MPI_Aint lowest, extent;
  MPI_Type_get_extent(datatype, &lowest, &extent);
  for (int i = 0; i < n; i++)
    admpi_shim_watch(request, (const char *)buffer + displs[i] * extent, counts[i], datatype);
}
static inline void guard_watch_types(AMPI_Request request, const void *buffer, int n, const int counts[],
                                     const int displs[], const MPI_Datatype datatypes[]) {
  for (int i = 0; i < n; i++)
    admpi_shim_watch(request, (const char *)buffer + displs[i], counts[i], datatypes[i]);
}
static inline void guard_watch_addresses(AMPI_Request request, const void *buffer, int n, const int counts[],
                                         const MPI_Aint displs[], const MPI_Datatype datatypes[]) {
  for (int i = 0; i < n; i++)
    admpi_shim_watch(request, (const char *)buffer + displs[i], counts[i], datatypes[i]);
}
static inline void guard_watch_sum(AMPI_Request request, const void *buffer, int n, const int counts[],
                                   MPI_Datatype datatype) {
  MPI_Count sum = 0;
  for (int i = 0; i < n; i++)
    sum += counts[i];
  admpi_shim_watch(request, buffer, sum, datatype);
}

/* MPI's own handle, and MPI_REQUEST_NULL where there is none, which MPI refuses by its own error. */
static inline MPI_Request guard_handle(AMPI_Request request) {
  const MPI_Request *place = admpi_shim_wrapped_request(request);
  return place == NULL ? MPI_REQUEST_NULL : *place;
}

#endif
