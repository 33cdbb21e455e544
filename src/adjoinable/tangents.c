/* Tangent calls: TLS_AMPI_Send and its kin. */
#include "tangents.h"

#include <stdlib.h>
#include <string.h>

typedef struct pair {
  double value, tangent;
} pair;

static MPI_Datatype pair_type(void) {
  static MPI_Datatype type = MPI_DATATYPE_NULL;
  if (type == MPI_DATATYPE_NULL) {
    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  }
  return type;
}

static double number(const void *numbers, int64_t i, int floats) {
  return floats ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static void put(void *numbers, int64_t i, int floats, double value) {
  if (floats)
    ((float *)numbers)[i] = (float)value;
  else
    ((double *)numbers)[i] = value;
}

static int refused(const char *call, MPI_Comm comm, const char *why) {
  const int code = admpi_detail_refuse(call, why, comm);
  return code == MPI_SUCCESS ? MPI_ERR_OTHER : code;
}

static void forget(adjoinable_tangent *of, int n) {
  for (int i = 0; i < n; i++) {
    if (of[i].values != MPI_IN_PLACE) free(of[i].values);
    of[i].values = NULL;
  }
}

/* Pairs of all numbers of an argument, also of those that the call writes: what it leaves alone stays as it is. */
static int fill(const char *call, MPI_Comm comm, adjoinable_tangent *of) {
  pair *pairs;
  if (of->n < 0) return refused(call, comm, "a count is negative");
  if (of->n > 0 && (of->buffer == NULL || of->shadow == NULL))
    return refused(call, comm, "a buffer is NULL, or that of its tangents");
  pairs = malloc(((size_t)of->n + 1) * sizeof *pairs);
  if (pairs == NULL) return MPI_ERR_NO_MEM;
  for (int64_t i = 0; i < of->n; i++)
    pairs[i] = (pair){number(of->buffer, i, of->floats), number(of->shadow, i, of->floats)};
  of->values = pairs;
  return MPI_SUCCESS;
}

int adjoinable_tangents(const char *call, MPI_Comm comm, adjoinable_tangent *of, int n) {
  int active = 0, passive = 0, in_place = 0, code = MPI_SUCCESS;
  for (int i = 0; i < n; i++) {
    if (!of[i].significant) continue;
    if (of[i].buffer == MPI_IN_PLACE) {
      in_place = 1;
      continue;
    }
    switch (adjoinable_content(of[i].datatype)) {
      case ADJOINABLE_OTHERS:
        return refused(call, comm,
                       "the datatype is not one of plain doubles or floats, and only those are differentiated; send the parts with "
                       "numbers separately, as MPI_DOUBLE or MPI_FLOAT");
      case ADJOINABLE_FLOATS: of[i].floats = 1; /* fall through */
      case ADJOINABLE_DOUBLES: active = 1; break;
      default: passive = 1;
    }
  }
  if (active && passive)
    return refused(call, comm, "one datatype is of numbers and the other is not: both must be, or neither");
  if (!active) return ADJOINABLE_PASSIVE;
  for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
    of[i].datatype = pair_type();
    of[i].values = of[i].buffer == MPI_IN_PLACE ? MPI_IN_PLACE : NULL;
    if (in_place) of[i].flags = ADMPI_STEP_READ | ADMPI_STEP_WRITTEN;
    if (of[i].significant && of[i].buffer != MPI_IN_PLACE) code = fill(call, comm, &of[i]);
  }
  if (code == MPI_SUCCESS) return ADJOINABLE_ACTIVE;
  forget(of, n);
  return code;
}

static void settle(const adjoinable_tangent *of) {
  const pair *const pairs = of->values;
  if (of->values == NULL || of->values == MPI_IN_PLACE || !(of->flags & ADMPI_STEP_WRITTEN)) return;
  for (int64_t i = 0; i < of->n; i++) {
    put(of->buffer, i, of->floats, pairs[i].value);
    put(of->shadow, i, of->floats, pairs[i].tangent);
  }
}

int adjoinable_tangents_end(adjoinable_tangent *of, int n, int code) {
  for (int i = 0; i < n && code == MPI_SUCCESS; i++) settle(&of[i]);
  forget(of, n);
  return code;
}

void adjoinable_tangents_count(MPI_Status *status, int floats) {
  int n = 0;
  if (status == MPI_STATUS_IGNORE || MPI_Get_elements(status, MPI_DOUBLE, &n) != MPI_SUCCESS || n == MPI_UNDEFINED) return;
  MPI_Status_set_elements(status, floats ? MPI_FLOAT : MPI_DOUBLE, n / 2);
}

/* Calls under way, by their requests. */
enum { ARGUMENTS = 2 };
typedef struct started {
  struct started *next;
  MPI_Request request;
  int n;
  adjoinable_tangent of[ARGUMENTS];
} started;

static _Thread_local started *under_way;

int adjoinable_tangents_started(const adjoinable_tangent *of, int n, int code, MPI_Request request) {
  adjoinable_tangent copy[ARGUMENTS];
  started *one;
  memcpy(copy, of, (size_t)n * sizeof *of);
  if (code != MPI_SUCCESS) return adjoinable_tangents_end(copy, n, code);
  one = malloc(sizeof *one);
  if (one == NULL) return MPI_ERR_NO_MEM; /* MPI still uses the pairs */
  *one = (started){under_way, request, n, {{0}}};
  memcpy(one->of, copy, sizeof copy);
  under_way = one;
  return MPI_SUCCESS;
}

/* Takes the call of a request out of the list. */
static started *taken(MPI_Request request) {
  for (started **at = &under_way; *at != NULL; at = &(*at)->next) {
    started *const one = *at;
    if (one->request != request) continue;
    *at = one->next;
    return one;
  }
  return NULL;
}

int TLS_AMPI_Wait(AMPI_Request *request, MPI_Status *status) {
  started *const one = *request == MPI_REQUEST_NULL ? NULL : taken(*request);
  int code = MPI_Wait(request, status);
  if (one == NULL) return code;
  if (code == MPI_SUCCESS) adjoinable_tangents_count(status, one->of[one->n - 1].floats);
  code = adjoinable_tangents_end(one->of, one->n, code);
  free(one);
  return code;
}

int TLS_AMPI_Wait_ST(AMPI_Request *request, void *buf, void *bufd, MPI_Status *status) {
  (void)buf, (void)bufd;
  return TLS_AMPI_Wait(request, status);
}

int TLS_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status statuses[]) {
  for (int i = 0; i < count; i++) {
    const int code = TLS_AMPI_Wait(&requests[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int TLS_AMPI_Barrier(MPI_Comm comm) { return MPI_Barrier(comm); }

/* Operations on pairs. */
#define EACH(expression)                                             \
  do {                                                               \
    const pair *in = low;                                            \
    pair *inout = high;                                              \
    (void)datatype;                                                  \
    for (int i = 0; i < *n; i++) {                                   \
      const pair a = in[i], b = inout[i];                            \
      inout[i] = expression;                                         \
    }                                                                \
  } while (0)

static void sum(void *low, void *high, int *n, MPI_Datatype *datatype) {
  EACH(((pair){a.value + b.value, a.tangent + b.tangent}));
}
static void product(void *low, void *high, int *n, MPI_Datatype *datatype) {
  EACH(((pair){a.value * b.value, a.tangent * b.value + a.value * b.tangent}));
}
/* Of equal ones the lower rank's counts, as in a reverse sweep. */
static void minimum(void *low, void *high, int *n, MPI_Datatype *datatype) { EACH(b.value < a.value ? b : a); }
static void maximum(void *low, void *high, int *n, MPI_Datatype *datatype) { EACH(b.value > a.value ? b : a); }

/* The user's function of the call under way: MPI hands nothing on. */
static _Thread_local struct {
  TLM_userFunctionF *function;
  int floats;
} users;

static void by_user(void *low, void *high, int *n, MPI_Datatype *datatype) {
  const int floats = users.floats;
  const size_t bytes = floats ? sizeof(float) : sizeof(double);
  MPI_Datatype type = floats ? MPI_FLOAT : MPI_DOUBLE;
  char *const room = malloc(4 * (size_t)*n * bytes + 1);
  char *at[4];
  pair *const pairs[2] = {low, high};
  (void)datatype;
  if (room == NULL) abort(); /* an operation cannot fail */
  for (int k = 0; k < 4; k++) at[k] = room + (size_t)k * (size_t)*n * bytes;
  for (int i = 0; i < *n; i++)
    for (int k = 0; k < 2; k++) {
      put(at[2 * k], i, floats, pairs[k][i].value);
      put(at[2 * k + 1], i, floats, pairs[k][i].tangent);
    }
  users.function(at[0], at[1], at[2], at[3], n, &type, &type);
  for (int i = 0; i < *n; i++) pairs[1][i] = (pair){number(at[2], i, floats), number(at[3], i, floats)};
  free(room);
}

int adjoinable_tangents_op(const char *call, MPI_Comm comm, MPI_Op *op, TLM_userFunctionF *function, int floats, int is_started) {
  static MPI_Op made[6] = {MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL};
  static MPI_User_function *const functions[] = {sum, product, minimum, maximum, by_user, by_user};
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  int which = 0, commutes = 1;
  while (which < 4 && ops[which] != *op) which++;
  if (which == 4) {
    if (function == NULL) return refused(call, comm, "op is an operation of the user's: pass the function that computes its tangents");
    if (is_started) return refused(call, comm, "op is an operation of the user's, which only calls that block take");
    users.function = function;
    users.floats = floats;
    MPI_Op_commutative(*op, &commutes);
    if (!commutes) which = 5;
  }
  /* MIN and MAX go from the lowest rank to the highest, so that equal ones are told apart. */
  if (made[which] == MPI_OP_NULL) MPI_Op_create(functions[which], which < 2 || which == 4, &made[which]);
  *op = made[which];
  return MPI_SUCCESS;
}
