/* What tangent calls share: numbers and their tangents travel side by side, in one message. */
#ifndef ADMPI_ADJOINABLE_TANGENTS_H
#define ADMPI_ADJOINABLE_TANGENTS_H

#include "runtime.h"

typedef struct adjoinable_tangent {
  const char *name;
  void *buffer;
  void *shadow; /* the tangents */
  int64_t n;    /* items */
  MPI_Datatype datatype; /* then that of pairs */
  MPI_Datatype shadow_type;
  int flags;
  int significant;
  void *values; /* pairs, or MPI_IN_PLACE */
  const adjoinable_item *item, *shadow_item;
  int64_t *at;    /* of each number of an item where its tangent is, or -1 */
  int64_t *where; /* of each item where that of the tangents is, or -1; NULL: at the same place */
} adjoinable_tangent;

/* Items of the tangents lie elsewhere than those of the numbers. */
int adjoinable_tangents_displaced(adjoinable_tangent *of, const int counts[], const int displs[], const int shadow_displs[], int n);
/* ADJOINABLE_ACTIVE: there are pairs of all arguments. ADJOINABLE_PASSIVE: MPI makes the call. Else an error. */
int adjoinable_tangents(const char *call, MPI_Comm comm, adjoinable_tangent *of, int n);
/* Ends a call that has been made with them: numbers and tangents that it has written go where they belong. */
int adjoinable_tangents_end(adjoinable_tangent *of, int n, int code);
/* The same when the request is complete; `datatype` is that of the last argument. */
int adjoinable_tangents_started(const adjoinable_tangent *of, int n, int code, MPI_Datatype datatype, MPI_Request request);
/* An operation on pairs in the place of one on numbers; `function` computes the tangents of one of the user's. */
int adjoinable_tangents_op(const char *call, MPI_Comm comm, MPI_Op *op, TLM_userFunctionF *function, const adjoinable_tangent *of,
                           int n, MPI_Datatype datatype, MPI_Datatype shadow, int is_started);

#endif
