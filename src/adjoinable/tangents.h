/* What tangent calls share: numbers and their tangents travel side by side, in one message. */
#ifndef ADMPI_ADJOINABLE_TANGENTS_H
#define ADMPI_ADJOINABLE_TANGENTS_H

#include "runtime.h"

typedef struct adjoinable_tangent {
  const char *name;
  void *buffer;
  void *shadow; /* the tangents */
  int64_t n;
  MPI_Datatype datatype; /* then that of pairs */
  int flags;
  int significant;
  void *values; /* pairs, or MPI_IN_PLACE */
  int floats;
} adjoinable_tangent;

/* ADJOINABLE_ACTIVE: there are pairs of all arguments. ADJOINABLE_PASSIVE: MPI makes the call. Else an error. */
int adjoinable_tangents(const char *call, MPI_Comm comm, adjoinable_tangent *of, int n);
/* Ends a call that has been made with them: numbers and tangents that it has written go where they belong. */
int adjoinable_tangents_end(adjoinable_tangent *of, int n, int code);
/* The same when the request is complete. */
int adjoinable_tangents_started(const adjoinable_tangent *of, int n, int code, MPI_Request request);
/* A status that counts numbers, not pairs. */
void adjoinable_tangents_count(MPI_Status *status, int floats);
/* An operation on pairs in the place of one on numbers; `function` computes the tangents of one of the user's. */
int adjoinable_tangents_op(const char *call, MPI_Comm comm, MPI_Op *op, TLM_userFunctionF *function, int floats, int is_started);

#endif
