#include "runtime.h"

#include <stdio.h>

OURS_IS(MPI_Datatype, AMPI_ADOUBLE, )

int adjoinable_ranks(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

int adjoinable_rank(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int64_t adjoinable_span(const int counts[], const int displs[], const void *buffer, MPI_Comm comm) {
  int64_t end = 0;
  (void)buffer;
  for (int rank = 0, ranks = adjoinable_ranks(comm); rank < ranks; rank++) {
    if (counts[rank] == 0) continue;
    if (displs[rank] < 0 || counts[rank] < 0) return -1;
    const int64_t behind = (int64_t)displs[rank] + counts[rank];
    if (behind > end) end = behind;
  }
  return end;
}

static int is_one_of(MPI_Datatype datatype, const MPI_Datatype list[], int n) {
  for (int i = 0; i < n; i++)
    if (list[i] == datatype && datatype != MPI_DATATYPE_NULL) return 1;
  return 0;
}

adjoinable_numbers adjoinable_content(MPI_Datatype datatype) {
  const MPI_Datatype doubles[] = {MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8};
  const MPI_Datatype floats[] = {MPI_FLOAT, MPI_REAL, MPI_REAL4};
  /* They hold numbers among other things, or of other kinds. */
  const MPI_Datatype refused[] = {
      MPI_LONG_DOUBLE, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL, MPI_2DOUBLE_PRECISION,
      MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
  };
  int n_integers, n_addresses, n_types, combiner;
  if (is_one_of(datatype, doubles, sizeof doubles / sizeof *doubles)) return ADJOINABLE_DOUBLES;
  if (is_one_of(datatype, floats, sizeof floats / sizeof *floats)) return ADJOINABLE_FLOATS;
  if (is_one_of(datatype, refused, sizeof refused / sizeof *refused)) return ADJOINABLE_OTHERS;
  if (datatype == MPI_DATATYPE_NULL) return ADJOINABLE_NO_NUMBERS; /* MPI says so */
  MPI_Type_get_envelope(datatype, &n_integers, &n_addresses, &n_types, &combiner);
  return combiner == MPI_COMBINER_NAMED ? ADJOINABLE_NO_NUMBERS : ADJOINABLE_OTHERS;
}

static int is_built_in(MPI_Op op) {
  const MPI_Op ops[] = {MPI_OP_NULL, MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (ops[i] == op) return 1;
  return 0;
}

/* Ends a step that has not gone well. */
static int given_up(const char *call, MPI_Comm comm, int status) {
  const int code = admpi_detail_raise(call, status, comm);
  admpi_step_close(1);
  return code == MPI_SUCCESS ? MPI_ERR_OTHER : code;
}

static int refused(const char *call, MPI_Comm comm, const char *why) {
  const int code = admpi_detail_refuse(call, why, comm);
  admpi_step_close(1);
  return code == MPI_SUCCESS ? MPI_ERR_OTHER : code;
}

int adjoinable_begin(const char *call, MPI_Comm comm, MPI_Op op, adjoinable_argument *of, int n) {
  int in_place = 0, active = 0, passive = 0, status = admpi_step_open(call);
  if (status != ADMPI_SUCCESS) {
    const int code = admpi_detail_raise(call, status, comm);
    return code == MPI_SUCCESS ? MPI_ERR_OTHER : code;
  }
  for (int i = 0; i < n; i++) {
    if (!of[i].significant) continue;
    if (of[i].buffer == MPI_IN_PLACE) {
      in_place = 1;
      continue;
    }
    switch (adjoinable_content(of[i].datatype)) {
      case ADJOINABLE_OTHERS:
        return refused(call, comm,
                       "the datatype is not one of plain doubles or floats, and only those are differentiated by FW_ and BW_; "
                       "send the parts with numbers separately, as MPI_DOUBLE or MPI_FLOAT");
      case ADJOINABLE_FLOATS: of[i].floats = 1; /* fall through */
      case ADJOINABLE_DOUBLES: active = 1; break;
      default: passive = 1;
    }
  }
  if (active && passive)
    return refused(call, comm, "one datatype is of numbers and the other is not: both must be, or neither");
  if (!active) return ADJOINABLE_PASSIVE;
  if (!is_built_in(op))
    return refused(call, comm, "only MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX are differentiated by FW_ and BW_");
  for (int i = 0; i < n; i++) {
    of[i].values = of[i].buffer;
    of[i].datatype = OURS(AMPI_ADOUBLE);
    if (!of[i].significant || of[i].buffer == MPI_IN_PLACE) {
      /* The place of its adjoints in BW_ stays its own. */
      admpi_var *none;
      status = admpi_step_argument(of[i].name, NULL, 0, 0, &none);
    } else {
      const int flags = (in_place ? ADMPI_STEP_READ | ADMPI_STEP_WRITTEN : of[i].flags) | (of[i].floats ? ADMPI_STEP_FLOAT : 0);
      admpi_var *values = NULL;
      status = admpi_step_argument(of[i].name, of[i].buffer, of[i].n, flags, &values);
      of[i].values = values;
    }
    if (status != ADMPI_SUCCESS) return given_up(call, comm, status);
  }
  return ADJOINABLE_ACTIVE;
}

int adjoinable_end(const char *call, MPI_Comm comm, int code) {
  const int status = admpi_step_close(code != MPI_SUCCESS);
  if (code != MPI_SUCCESS || status == ADMPI_SUCCESS) return code;
  return admpi_detail_raise(call, status, comm);
}

int adjoinable_end_started(const char *call, MPI_Comm comm, int code, int is_active, void *own, AMPI_Request *request) {
  int64_t number = 0;
  int status;
  if (code != MPI_SUCCESS || !is_active) return adjoinable_end(call, comm, code);
  status = admpi_step_close_started(own, &number);
  if (status != ADMPI_SUCCESS) return admpi_detail_raise(call, status, comm);
  *request = adjoinable_request(number);
  return MPI_SUCCESS;
}

/* Active values travel as doubles. */
void adjoinable_count(MPI_Status *status, int floats) {
  int n;
  if (!floats || status == MPI_STATUS_IGNORE) return;
  if (MPI_Get_count(status, MPI_DOUBLE, &n) == MPI_SUCCESS && n != MPI_UNDEFINED) MPI_Status_set_elements(status, MPI_FLOAT, n);
}

int adjoinable_reverse(const char *call, MPI_Comm comm, void *adjoints[], int n, void *completed) {
  const int status = admpi_step_reverse(call, (void *const *)adjoints, n, completed);
  char name[64];
  if (status == ADMPI_SUCCESS) return MPI_SUCCESS;
  snprintf(name, sizeof name, "BW_%s", call);
  return admpi_detail_raise(name, status, comm);
}

/* The requests of calls under way are values that MPI's own never have: odd addresses, or numbers of no kind of handle. */
#ifdef OPEN_MPI
AMPI_Request adjoinable_request(int64_t number) { return (AMPI_Request)(uintptr_t)(2 * number + 1); }

int64_t adjoinable_number(AMPI_Request request) {
  const uintptr_t address = (uintptr_t)request;
  return address & 1 ? (int64_t)(address >> 1) : -1;
}
#else
enum { FIRST = 0x1000, BEHIND = 0x10000000 };

AMPI_Request adjoinable_request(int64_t number) { return (AMPI_Request)(FIRST + number); }

int64_t adjoinable_number(AMPI_Request request) {
  return request >= FIRST && request < BEHIND ? (int64_t)request - FIRST : -1;
}
#endif
