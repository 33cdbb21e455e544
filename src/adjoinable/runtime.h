/* What the calls of libadmpi_adjoinable share: how numbers become active values, how a call ends, how it is reversed. */
#ifndef ADMPI_ADJOINABLE_RUNTIME_H
#define ADMPI_ADJOINABLE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "admpi/steps.h"
#include "ampi/ampi.h"

/* Of admpi/ampi.h, which declares calls of other arguments under this library's names. */
int admpi_detail_raise(const char *call, int code, MPI_Comm comm);
int admpi_detail_refuse(const char *call, const char *why, MPI_Comm comm);

struct admpi_request;

/* A function or variable of libadmpi whose name this library has too: the version tells them apart. */
#define OURS(name) admpi_ours_##name
#define OURS_IS(type, name, parameters) \
  extern type OURS(name) parameters;    \
  __asm__(".symver admpi_ours_" #name "," #name "@" ADMPI_VERSION_NODE);

typedef struct adjoinable_argument {
  const char *name;
  void *buffer;
  int64_t n;
  MPI_Datatype datatype; /* then libadmpi's */
  int flags;
  int significant;
  void *values;
  int floats;
} adjoinable_argument;

/* What is to be done with a call; any other number is the code of an error. */
enum { ADJOINABLE_ACTIVE = -1, ADJOINABLE_PASSIVE = -2 };

/* What numbers a datatype is of; others: it holds some among other things, or of other kinds. */
typedef enum adjoinable_numbers {
  ADJOINABLE_NO_NUMBERS,
  ADJOINABLE_DOUBLES,
  ADJOINABLE_FLOATS,
  ADJOINABLE_OTHERS
} adjoinable_numbers;
adjoinable_numbers adjoinable_content(MPI_Datatype datatype);

int adjoinable_ranks(MPI_Comm comm);
int adjoinable_rank(MPI_Comm comm);
/* Numbers from the beginning of a buffer to the end of its last part. */
int64_t adjoinable_span(const int counts[], const int displs[], const void *buffer, MPI_Comm comm);

/* Opens the step of a call. */
int adjoinable_begin(const char *call, MPI_Comm comm, MPI_Op op, adjoinable_argument *of, int n);
int adjoinable_end(const char *call, MPI_Comm comm, int code);
int adjoinable_end_started(const char *call, MPI_Comm comm, int code, int is_active, void *own, AMPI_Request *request);
/* A status that counts floats. */
void adjoinable_count(MPI_Status *status, int floats);
int adjoinable_reverse(const char *call, MPI_Comm comm, void *adjoints[], int n, void *completed);

/* Completes a request in the open step. */
int adjoinable_complete(const char *call, AMPI_Request *request, MPI_Status *status);
/* An error if an FW_ call has started the request. */
int adjoinable_not_ours(const char *call, AMPI_Request request);

/* Requests: the number of a call under way, or -1 if the request is MPI's. */
int64_t adjoinable_number(AMPI_Request request);
AMPI_Request adjoinable_request(int64_t number);

#endif
