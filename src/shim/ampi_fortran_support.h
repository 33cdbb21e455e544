/* What the generated calls for Fortran (ampi_fortran.c) stand on: how arguments go from Fortran to C and back.
 *
 * Addresses that mean something, such as MPI_IN_PLACE, differ from those of C, and `.true.` depends on the compiler.
 * Fortran itself tells them (admpif_sentinels_) before main, so that no symbol of an MPI is named here. */
#ifndef ADMPI_SHIM_AMPI_FORTRAN_SUPPORT_H
#define ADMPI_SHIM_AMPI_FORTRAN_SUPPORT_H

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "admpi/interface.h"
#include "ampi_fortran.h"

/* Default integers and logicals of Fortran are as wide as an int of C: arrays of counts are handed on as they are. */
_Static_assert(sizeof(MPI_Fint) == sizeof(int), "an INTEGER of Fortran is no int");

/* Arrays up to this length are converted on the stack. */
enum { FORTRAN_FEW = 32 };

/* mpif.h and the module mpi have the same sentinels; mpi_f08 may have others. */
enum { FORTRAN_BINDINGS = 2 };

typedef struct fortran_sentinels {
  const void *bottom, *in_place, *status_ignore, *statuses_ignore, *unweighted, *weights_empty;
} fortran_sentinels;

/* What Fortran told. */
typedef struct fortran_facts {
  fortran_sentinels sentinels[FORTRAN_BINDINGS];
  MPI_Fint status_size[FORTRAN_BINDINGS]; /* 0 where nothing was told */
  MPI_Fint world[FORTRAN_BINDINGS];
  MPI_Fint truth;
} fortran_facts;

extern fortran_facts admpi_shim_fortran __attribute__((visibility("hidden")));

static inline void fortran_code(MPI_Fint *ierror, int code) {
  if (ierror != NULL) *ierror = code;
}

static inline void *fortran_buffer(const void *address) {
  for (int i = 0; i < FORTRAN_BINDINGS; i++) {
    const fortran_sentinels *known = &admpi_shim_fortran.sentinels[i];
    if (address == known->bottom) return MPI_BOTTOM;
    if (address == known->in_place) return MPI_IN_PLACE;
  }
  return (void *)address;
}

static inline const int *fortran_weights(const void *address) {
  for (int i = 0; i < FORTRAN_BINDINGS; i++) {
    const fortran_sentinels *known = &admpi_shim_fortran.sentinels[i];
    if (address == known->unweighted) return MPI_UNWEIGHTED;
    if (address == known->weights_empty) return MPI_WEIGHTS_EMPTY;
  }
  return address;
}

/* Operations on tangents. */
MPI_Op admpi_shim_fortran_tangent_op(MPI_Op op, int is_active) __attribute__((visibility("hidden")));

/* MPI's operations reduce tangents as values with their derivatives. The library refuses them for datatypes made of tangents. */
static inline MPI_Op fortran_op(MPI_Fint op, MPI_Fint datatype) {
  const MPI_Op plain = MPI_Op_f2c(op);
  const int is_active = datatype == admpif_types_[OF_TANGENT_VAR];
  if (datatype == admpif_types_[OF_ADOUBLE] || (!is_active && datatype != admpif_types_[OF_TANGENT])) return plain;
  return admpi_shim_fortran_tangent_op(plain, is_active);
}

static inline MPI_Fint fortran_logical(int value) { return value ? admpi_shim_fortran.truth : 0; }

/* From 0 to 1; MPI_UNDEFINED is as in C. */
static inline void fortran_indices(int n, MPI_Fint indices[]) {
  for (int i = 0; i < n; i++)
    if (indices[i] >= 0) indices[i]++;
}

/* A status goes in and out, since calls leave fields of it as they are. */
static inline MPI_Status *fortran_status(const MPI_Fint *status, MPI_Status *room) {
  for (int i = 0; i < FORTRAN_BINDINGS; i++)
    if (status == admpi_shim_fortran.sentinels[i].status_ignore) return MPI_STATUS_IGNORE;
  MPI_Status_f2c(status, room);
  return room;
}

static inline void fortran_put_status(const MPI_Status *from, MPI_Fint *status) {
  if (from != MPI_STATUS_IGNORE) MPI_Status_c2f(from, status);
}

/* Room for an array of C: `few`, or memory, which may be none. */
static inline void *fortran_room(MPI_Count n, size_t size, void *few) {
  return n <= FORTRAN_FEW ? few : malloc((size_t)n * size);
}

static inline void fortran_release(void *room, const void *few) {
  if (room != few && room != (void *)MPI_STATUSES_IGNORE) free(room);
}

enum { FORTRAN_STATUS_SIZE = sizeof(MPI_Status) / sizeof(MPI_Fint) };

static inline MPI_Status *fortran_statuses(int n, const MPI_Fint *statuses, MPI_Status *few) {
  for (int i = 0; i < FORTRAN_BINDINGS; i++)
    if (statuses == admpi_shim_fortran.sentinels[i].statuses_ignore) return MPI_STATUSES_IGNORE;
  MPI_Status *room = fortran_room(n, sizeof *room, few);
  for (int i = 0; i < n && room != NULL; i++) MPI_Status_f2c(statuses + i * FORTRAN_STATUS_SIZE, &room[i]);
  return room;
}

static inline void fortran_put_statuses(int n, const MPI_Status from[], MPI_Fint *statuses) {
  for (int i = 0; i < n && from != MPI_STATUSES_IGNORE; i++)
    MPI_Status_c2f(&from[i], statuses + i * FORTRAN_STATUS_SIZE);
}

static inline AMPI_Request *fortran_requests(int n, const MPI_Fint requests[], AMPI_Request *few) {
  AMPI_Request *room = fortran_room(n, sizeof *room, few);
  for (int i = 0; i < n && room != NULL; i++) room[i] = AMPI_Request_f2c(requests[i]);
  return room;
}

/* The number of a request stays as long as the request does. */
static inline void fortran_put_requests(int n, const AMPI_Request from[], MPI_Fint requests[]) {
  for (int i = 0; i < n && from != NULL; i++)
    if (from[i] == AMPI_REQUEST_NULL) requests[i] = 0;
}

static inline MPI_Datatype *fortran_datatypes(MPI_Count n, const MPI_Fint datatypes[], MPI_Datatype *few) {
  MPI_Datatype *room = fortran_room(n, sizeof *room, few);
  for (MPI_Count i = 0; i < n && room != NULL; i++) room[i] = MPI_Type_f2c(datatypes[i]);
  return room;
}

static inline int *fortran_logicals(int n, const MPI_Fint logicals[], int *few) {
  int *room = fortran_room(n, sizeof *room, few);
  for (int i = 0; i < n && room != NULL; i++) room[i] = logicals[i] != 0;
  return room;
}

/* A text without the blanks behind it, and with a zero byte. */
static inline char *fortran_string(const char *text, size_t length, char *few) {
  while (length > 0 && text[length - 1] == ' ') length--;
  char *room = length < FORTRAN_FEW ? few : malloc(length + 1);
  if (room != NULL) {
    memcpy(room, text, length);
    room[length] = '\0';
  }
  return room;
}

/* The lengths of arrays that Fortran does not tell: one item for each dimension of a grid, for each peer of an Alltoallw. */
static inline int fortran_dimensions(MPI_Comm comm) {
  int dimensions = 0, topology = MPI_UNDEFINED;
  if (comm != MPI_COMM_NULL) MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) MPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}

/** Keeps the message for admpi_last_error and returns the code. */
int admpi_shim_fail(int code, const char *message);

int admpi_shim_fortran_peers(MPI_Comm comm, int of_sends, int of_neighbors);
#define fortran_peers admpi_shim_fortran_peers

#endif
