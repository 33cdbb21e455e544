/* What the generated guards (mpi_guards.c) stand on: functions of the adjoint MPI module. */
#ifndef ADMPI_SHIM_MPI_GUARDS_H
#define ADMPI_SHIM_MPI_GUARDS_H

#include <mpi.h>
#include <stddef.h>

#include "admpi/ampi_guards.h"
#include "admpi/large.h"

/** Whether the datatype holds an active double. */
int admpi_shim_active(MPI_Datatype datatype);

/** 0 if the datatype of what a call sends holds no active double (MPI_DATATYPE_NULL holds none), else the MPI error code whose
 *  string says that `call` cannot be differentiated. In checking mode also the code whose string says that there is an active value in
 *  the `count` items at `buffer`. Local; it raises nothing, the guard does. */
int admpi_shim_sent(const char *call, const void *buffer, MPI_Count count, MPI_Datatype datatype);

/** As admpi_shim_sent, of what a call writes to a file: active values are written as numbers. MPI finds floats and the values of
 *  tangents in a copy, which `*moving` keeps: `*buffer` and `*datatype` are those of the copy then. */
int admpi_shim_written(const char *call, const void **buffer, MPI_Count count, MPI_Datatype *datatype, void **moving);

/** Before a call reads `count` items from a file into `*buffer`: 0, or the MPI error code whose string says why not. Sets `*moving`
 *  if they are active. MPI may have to read into another `*buffer`, under another `*datatype`; `at_once` says that the call waits. */
int admpi_shim_read_into(const char *call, void **buffer, MPI_Count count, MPI_Datatype *datatype, int at_once, void **moving);

/** After either: what has been read is passive, as much as `status` tells; NULL where nothing has. Changes it to tell of the
 *  user's items. It may be MPI_STATUS_IGNORE where nothing is read. Takes `moving`, or NULL. */
void admpi_shim_moved(void *moving, int code, MPI_Status *status);

/** The same where a call with `_end` is to follow on the file. Takes `moving`, which is not NULL. */
void admpi_shim_moved_at_end(void *moving, int code, MPI_Fint file);

/** What that call is to pass to admpi_shim_moved, or NULL; `buffer` leads to its buffer. */
void *admpi_shim_end_of_moving(MPI_Fint file, const void *buffer);

/** The library's request for MPI's, of a call that does not wait. Takes `moving`, or NULL. */
AMPI_Request admpi_shim_moving_request(void *moving, MPI_Request request);

/** Puts the type that an active `*datatype` has in a file in its place, and in `*made`, which the caller frees. 0, or the MPI error
 *  code whose string names `argument` and says why there is none. */
int admpi_shim_in_file(const char *call, const char *argument, MPI_Datatype *datatype, MPI_Datatype *made);

/** The MPI error code whose string says that an argument is NULL. Local; raises nothing. */
int admpi_shim_null(const char *call, const char *argument);

/** The library's request for one of MPI's, AMPI_REQUEST_NULL for MPI_REQUEST_NULL. It lives until a
 *  completion or Request_free leaves MPI_REQUEST_NULL in it: that of a persistent request survives a Wait. */
AMPI_Request admpi_shim_wrap_request(MPI_Request request);

/** The place where a wrapped request is kept; NULL for AMPI_REQUEST_NULL and for the request of an active
 *  call. */
MPI_Request *admpi_shim_wrapped_request(AMPI_Request request);

/** Whether the library made the partitioned request; looks at its address alone. */
int admpi_shim_is_partitioned(AMPI_Request request);

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

/* Whether the MPI in use has partitioned messages. */
#if MPI_VERSION >= 4
#define GUARD_HAS_PARTITIONED 1
#else
#define GUARD_HAS_PARTITIONED 0
#endif

/* An MPI-3 takes no hints here, and need not heed them. */
#if MPI_VERSION < 4
#define MPI_Comm_idup_with_info(comm, info, newcomm, request) ((void)(info), MPI_Comm_idup(comm, newcomm, request))
#endif

static inline void guard_free(MPI_Datatype *made) {
  if (*made != MPI_DATATYPE_NULL)
    MPI_Type_free(made);
}

/* MPI's own handle, and MPI_REQUEST_NULL where there is none, which MPI refuses by its own error. */
static inline MPI_Request guard_handle(AMPI_Request request) {
  const MPI_Request *place = admpi_shim_wrapped_request(request);
  return place == NULL ? MPI_REQUEST_NULL : *place;
}

#endif
