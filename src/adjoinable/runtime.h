/* What the calls of libadmpi_adjoinable share: how numbers become active values, how a call ends, how it is reversed. */
#ifndef ADMPI_ADJOINABLE_RUNTIME_H
#define ADMPI_ADJOINABLE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "admpi/steps.h"
#include "ampi/ampi.h"
#include "items.h"

/* Of admpi/ampi.h, which declares calls of other arguments under this library's names. */
int admpi_detail_raise(const char *call, int code, MPI_Comm comm);
int admpi_detail_refuse(const char *call, const char *why, MPI_Comm comm);
MPI_Datatype admpi_detail_numbers_type(void);

struct admpi_request;

/* A function or variable of libadmpi whose name this library has too: the version tells them apart. */
#define OURS(name) admpi_ours_##name
#define OURS_IS(type, name, parameters) \
  extern type OURS(name) parameters;    \
  __asm__(".symver admpi_ours_" #name "," #name "@" ADMPI_VERSION_NODE);

typedef struct adjoinable_argument {
  const char *name;
  void *buffer;
  int64_t n;             /* items */
  MPI_Datatype datatype; /* then libadmpi's */
  int flags;
  int significant;
  void *values;
  const adjoinable_item *item;
} adjoinable_argument;

/* Adjoints as a BW_ call is told of them: `n` items of `datatype`, or -1, which is not compared. */
typedef struct adjoinable_adjoint {
  void *buffer;
  int64_t n;
  MPI_Datatype datatype;
} adjoinable_adjoint;

/* What is to be done with a call; any other number is the code of an error. */
enum { ADJOINABLE_ACTIVE = -1, ADJOINABLE_PASSIVE = -2 };

/* Called before a step is opened, or after it was closed. */
int adjoinable_refused(const char *call, MPI_Comm comm, const char *why);
/* Raises an error of the library's. */
int adjoinable_raised(const char *call, int status, MPI_Comm comm);

int adjoinable_ranks(MPI_Comm comm);
int adjoinable_rank(MPI_Comm comm);
/* Numbers from the beginning of a buffer to the end of its last part. */
int64_t adjoinable_span(const int counts[], const int displs[], int n);
/* Those that a rank receives from, or sends to, in a neighbourhood. */
int adjoinable_sources(MPI_Comm comm);
int adjoinable_destinations(MPI_Comm comm);
int64_t adjoinable_sum(const int counts[], int n);

/* Opens the step of a call. An operation becomes one that libadmpi reduces by. */
int adjoinable_begin(const char *call, MPI_Comm comm, MPI_Op *op, int waits, adjoinable_argument *of, int n);
int adjoinable_end(const char *call, MPI_Comm comm, int code);
/* `item` and `datatype`: what the status of its completion counts. */
int adjoinable_end_started(const char *call, MPI_Comm comm, int code, int is_active, void *own, const adjoinable_item *item,
                           MPI_Datatype datatype, AMPI_Request *request);
/* A status that counts items as they travelled becomes one of the user's items. */
void adjoinable_count(MPI_Status *status, MPI_Datatype travelled, MPI_Datatype datatype);
void adjoinable_count_started(MPI_Status *status, int64_t number);
int adjoinable_reverse(const char *call, MPI_Comm comm, const adjoinable_adjoint *of, int n, void *completed);

/* Operations of the user's. The one of the call under way: MPI and libadmpi hand nothing on. */
typedef struct adjoinable_users {
  MPI_Op op;
  MPI_Datatype datatype, shadow; /* of the numbers; of adjoints or tangents */
  const adjoinable_item *item, *shadow_item;
  TLM_userFunctionF *function;
  int fortran; /* its datatypes are integers */
} adjoinable_users;
void adjoinable_call(const adjoinable_users *users, void *in, void *ind, void *inout, void *inoutd, int n);
/* The next function comes from Fortran. */
void adjoinable_from_fortran(int is_fortran);
int adjoinable_is_fortran(void);

/* The shadow of MPI_COMM_WORLD, and that of a communicator that goes. */
int adjoinable_shadow_world(void);
int adjoinable_shadow_freed(MPI_Comm comm);

/* Refuses what cannot be numbers with their tangents. */
int adjoinable_bundled(const char *call, MPI_Comm comm, MPI_Op op, const MPI_Datatype datatypes[], int n);

int adjoinable_is_built_in(MPI_Op op);
/* libadmpi's operation for one of the user's. */
int adjoinable_users_op(const char *call, MPI_Comm comm, MPI_Op *op, int waits, const adjoinable_argument *of, MPI_Datatype datatype);
/* As adjoinable_reverse, of a reduction by an operation that may be the user's: `function` is its adjoint. */
int adjoinable_reverse_users(const char *call, MPI_Comm comm, const adjoinable_adjoint *of, int n, MPI_Op op,
                             TLM_userFunctionF *function, MPI_Datatype datatype, MPI_Datatype datatypeb);

/* Completes a request in the open step. */
int adjoinable_complete(const char *call, AMPI_Request *request, MPI_Status *status);
/* An error if an FW_ call has started the request. */
int adjoinable_not_ours(const char *call, AMPI_Request request);

/* Requests: the number of a call under way, or -1 if the request is MPI's. */
int64_t adjoinable_number(AMPI_Request request);
AMPI_Request adjoinable_request(int64_t number);

#endif
