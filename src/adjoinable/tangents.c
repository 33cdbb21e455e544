/* Tangent calls: TLS_AMPI_Send and its kin. */
#include "tangents.h"

#include <stdlib.h>
#include <string.h>

typedef struct pair {
  double value, tangent;
} pair;

static int refused(const char *call, MPI_Comm comm, const char *why) { return adjoinable_refused(call, comm, why); }

static void forget(adjoinable_tangent *of, int n) {
  for (int i = 0; i < n; i++) {
    if (of[i].values != MPI_IN_PLACE) free(of[i].values);
    free(of[i].at);
    free(of[i].where);
    of[i].values = NULL;
    of[i].at = of[i].where = NULL;
  }
}

int adjoinable_tangents_displaced(adjoinable_tangent *of, const int counts[], const int displs[], const int shadow_displs[], int n) {
  if (of->n <= 0 || shadow_displs == NULL || memcmp(displs, shadow_displs, (size_t)n * sizeof *displs) == 0) return MPI_SUCCESS;
  of->where = malloc((size_t)of->n * sizeof *of->where);
  if (of->where == NULL) return MPI_ERR_NO_MEM;
  for (int64_t i = 0; i < of->n; i++) of->where[i] = -1;
  for (int part = 0; part < n; part++)
    for (int i = 0; i < counts[part]; i++) of->where[displs[part] + i] = (int64_t)shadow_displs[part] + i;
  return MPI_SUCCESS;
}

/* Where the tangent of a number of item `i` is: its item, or -1. */
static int64_t shadow_of(const adjoinable_tangent *of, int64_t i, int64_t number) {
  if (of->at[number] < 0) return -1;
  return of->where == NULL ? i : of->where[i];
}

static pair *place(const adjoinable_tangent *of, int64_t i) { return (pair *)of->values + i * of->item->places; }

/* Pairs of all numbers of an argument, also of those that the call writes: what it leaves alone stays as it is. */
static int fill(const char *call, MPI_Comm comm, adjoinable_tangent *of) {
  const adjoinable_item *const item = of->item;
  if (of->n < 0) return refused(call, comm, "a count is negative");
  if (of->n > 0 && (of->buffer == NULL || of->shadow == NULL))
    return refused(call, comm, "a buffer is NULL, or that of its tangents");
  of->at = malloc((size_t)item->n * sizeof *of->at);
  of->values = calloc((size_t)(of->n * item->places) + 1, sizeof(pair));
  if (of->values == NULL || of->at == NULL) return MPI_ERR_NO_MEM;
  const int status = admpi_step_match(item->id, of->shadow_item->id, of->at);
  if (status != ADMPI_SUCCESS) return adjoinable_raised(call, status, comm);
  for (int64_t i = 0; i < of->n; i++) {
    pair *const pairs = place(of, i);
    for (int64_t k = 0; k < item->n; k++) {
      const int64_t shadow = shadow_of(of, i, k);
      pairs[k].value = adjoinable_get(item, of->buffer, i, k);
      if (shadow >= 0) pairs[k].tangent = adjoinable_get(of->shadow_item, of->shadow, shadow, of->at[k]);
    }
    adjoinable_bytes_out(item, of->buffer, i, pairs + item->n);
  }
  return MPI_SUCCESS;
}

/* Looks at the datatypes; 1 of an argument of numbers, 0 of another, or an error. */
static int classify(const char *call, MPI_Comm comm, adjoinable_tangent *of, int *code) {
  *code = MPI_SUCCESS;
  switch (adjoinable_content(of->datatype, &of->item)) {
    case ADJOINABLE_NO_NUMBERS: return 0;
    case ADJOINABLE_NUMBERS:
      if (adjoinable_content(of->shadow_type, &of->shadow_item) == ADJOINABLE_NUMBERS) return 1;
      *code = refused(call, comm, "the datatype of the tangents is not one of doubles or floats");
      return 1;
    default: *code = refused(call, comm, "the datatype has long doubles, and only doubles and floats have tangents"); return 1;
  }
}

int adjoinable_tangents(const char *call, MPI_Comm comm, adjoinable_tangent *of, int n) {
  const adjoinable_item *active = NULL;
  int passive = 0, in_place = 0, code = MPI_SUCCESS;
  for (int i = 0; i < n && code == MPI_SUCCESS; i++) {
    if (!of[i].significant) continue;
    if (of[i].buffer == MPI_IN_PLACE)
      in_place = 1;
    else if (classify(call, comm, &of[i], &code))
      active = of[i].item;
    else
      passive = 1;
  }
  if (code == MPI_SUCCESS && active != NULL && passive)
    code = refused(call, comm, "one datatype is of numbers and the other is not: both must be, or neither");
  for (int i = 0; i < n && code == MPI_SUCCESS && active != NULL; i++) {
    of[i].values = of[i].buffer == MPI_IN_PLACE ? MPI_IN_PLACE : NULL;
    if (in_place) of[i].flags = ADMPI_STEP_READ | ADMPI_STEP_WRITTEN;
    of[i].datatype = active->pairs;
    if (!of[i].significant || of[i].buffer == MPI_IN_PLACE) continue;
    of[i].datatype = of[i].item->pairs;
    code = fill(call, comm, &of[i]);
  }
  if (code == MPI_SUCCESS && active != NULL) return ADJOINABLE_ACTIVE;
  forget(of, n);
  return code == MPI_SUCCESS ? ADJOINABLE_PASSIVE : code;
}

static void settle(const adjoinable_tangent *of) {
  const adjoinable_item *const item = of->item;
  if (of->values == NULL || of->values == MPI_IN_PLACE || !(of->flags & ADMPI_STEP_WRITTEN)) return;
  for (int64_t i = 0; i < of->n; i++) {
    const pair *const pairs = place(of, i);
    for (int64_t k = 0; k < item->n; k++) {
      const int64_t shadow = shadow_of(of, i, k);
      adjoinable_put(item, of->buffer, i, k, pairs[k].value);
      if (shadow >= 0) adjoinable_put(of->shadow_item, of->shadow, shadow, of->at[k], pairs[k].tangent);
    }
    adjoinable_bytes_in(item, of->buffer, i, pairs + item->n);
  }
}

int adjoinable_tangents_end(adjoinable_tangent *of, int n, int code) {
  for (int i = 0; i < n && code == MPI_SUCCESS; i++) settle(&of[i]);
  forget(of, n);
  return code;
}

/* Calls under way, by their requests. */
enum { ARGUMENTS = 2 };
typedef struct started {
  struct started *next;
  MPI_Request request;
  MPI_Datatype datatype;
  int n;
  adjoinable_tangent of[ARGUMENTS];
} started;

static _Thread_local started *under_way;

int adjoinable_tangents_started(const adjoinable_tangent *of, int n, int code, MPI_Datatype datatype, MPI_Request request) {
  adjoinable_tangent copy[ARGUMENTS];
  started *one;
  memcpy(copy, of, (size_t)n * sizeof *of);
  if (code != MPI_SUCCESS) return adjoinable_tangents_end(copy, n, code);
  one = malloc(sizeof *one);
  if (one == NULL) return MPI_ERR_NO_MEM; /* MPI still uses the pairs */
  *one = (started){under_way, request, datatype, n, {{0}}};
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

/* Ends the call of a request that is complete. */
static int finish(started *one, MPI_Status *status, int code) {
  if (one == NULL) return code;
  const adjoinable_tangent *const last = &one->of[one->n - 1];
  /* The status of a send tells no count. */
  if (code == MPI_SUCCESS && (last->flags & ADMPI_STEP_WRITTEN) != 0) adjoinable_count(status, last->datatype, one->datatype);
  code = adjoinable_tangents_end(one->of, one->n, code);
  free(one);
  return code;
}

int TLS_AMPI_Wait(AMPI_Request *request, MPI_Status *status) {
  started *const one = *request == MPI_REQUEST_NULL ? NULL : taken(*request);
  return finish(one, status, MPI_Wait(request, status));
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

/* The requests as they were before MPI completed some. */
static AMPI_Request *copied(int count, const AMPI_Request requests[]) {
  AMPI_Request *const before = malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof *before);
  if (before != NULL && count > 0) memcpy(before, requests, (size_t)count * sizeof *before);
  return before;
}

/* Ends the call of a request that MPI has completed, if it was not null before. */
static int end_of(AMPI_Request before, MPI_Status *status, int code) {
  return before == MPI_REQUEST_NULL ? code : finish(taken(before), status, code);
}

int TLS_AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status) {
  const AMPI_Request before = *request;
  const int code = MPI_Test(request, flag, status);
  return code == MPI_SUCCESS && *flag ? end_of(before, status, code) : code;
}

int TLS_AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status statuses[]) {
  AMPI_Request *const before = copied(count, requests);
  int code = before == NULL ? MPI_ERR_NO_MEM : MPI_Testall(count, requests, flag, statuses);
  for (int i = 0; i < count && code == MPI_SUCCESS && *flag; i++)
    code = end_of(before[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i], code);
  free(before);
  return code;
}

int TLS_AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status) {
  AMPI_Request *const before = copied(count, requests);
  int code = before == NULL ? MPI_ERR_NO_MEM : MPI_Waitany(count, requests, index, status);
  if (code == MPI_SUCCESS && *index != MPI_UNDEFINED) code = end_of(before[*index], status, code);
  free(before);
  return code;
}

int TLS_AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  AMPI_Request *const before = copied(count, requests);
  int code = before == NULL ? MPI_ERR_NO_MEM : MPI_Testany(count, requests, index, flag, status);
  if (code == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED) code = end_of(before[*index], status, code);
  free(before);
  return code;
}

typedef int some(int, MPI_Request *, int *, int *, MPI_Status *);

static int of_some(some *mpi, int count, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  AMPI_Request *const before = copied(count, requests);
  int code = before == NULL ? MPI_ERR_NO_MEM : mpi(count, requests, outcount, indices, statuses);
  for (int k = 0; code == MPI_SUCCESS && *outcount != MPI_UNDEFINED && k < *outcount; k++)
    code = end_of(before[indices[k]], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k], code);
  free(before);
  return code;
}

int TLS_AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  return of_some(MPI_Waitsome, incount, requests, outcount, indices, statuses);
}

int TLS_AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  return of_some(MPI_Testsome, incount, requests, outcount, indices, statuses);
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

/* The user's operation of the call under way: MPI hands nothing on. */
static _Thread_local adjoinable_users users;
static _Thread_local const int64_t *users_at;

/* Pairs to and from arrays of numbers and of tangents, as the user's types say. */
static void spread(const pair *pairs, int64_t n, void *numbers, void *tangents) {
  const adjoinable_item *const item = users.item;
  for (int64_t i = 0; i < n; i++, pairs += item->places) {
    for (int64_t k = 0; k < item->n; k++) {
      adjoinable_put(item, numbers, i, k, pairs[k].value);
      if (users_at[k] >= 0) adjoinable_put(users.shadow_item, tangents, i, users_at[k], pairs[k].tangent);
    }
    adjoinable_bytes_in(item, numbers, i, pairs + item->n);
  }
}

static void collect(pair *pairs, int64_t n, const void *numbers, const void *tangents) {
  const adjoinable_item *const item = users.item;
  for (int64_t i = 0; i < n; i++, pairs += item->places) {
    for (int64_t k = 0; k < item->n; k++) {
      pairs[k].value = adjoinable_get(item, numbers, i, k);
      if (users_at[k] >= 0) pairs[k].tangent = adjoinable_get(users.shadow_item, tangents, i, users_at[k]);
    }
    adjoinable_bytes_out(item, numbers, i, pairs + item->n);
  }
}

static void by_user(void *low, void *high, int *n, MPI_Datatype *datatype) {
  pair *const pairs[2] = {low, high};
  void *rooms[4], *at[4];
  (void)datatype;
  for (int k = 0; k < 4; k++) {
    at[k] = adjoinable_items(k % 2 ? users.shadow_item : users.item, *n, &rooms[k]);
    if (rooms[k] == NULL) abort(); /* an operation cannot fail */
  }
  for (int k = 0; k < 2; k++) spread(pairs[k], *n, at[2 * k], at[2 * k + 1]);
  adjoinable_call(&users, at[0], at[1], at[2], at[3], *n);
  collect(pairs[1], *n, at[2], at[3]);
  for (int k = 0; k < 4; k++) free(rooms[k]);
}

static const adjoinable_tangent *with_pairs(const adjoinable_tangent *of, int n) {
  for (int i = 0; i < n; i++)
    if (of[i].at != NULL) return &of[i];
  return NULL;
}

int adjoinable_tangents_op(const char *call, MPI_Comm comm, MPI_Op *op, TLM_userFunctionF *function, const adjoinable_tangent *of,
                           int n, MPI_Datatype datatype, MPI_Datatype shadow, int is_started) {
  static MPI_Op made[6] = {MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL, MPI_OP_NULL};
  static MPI_User_function *const functions[] = {sum, product, minimum, maximum, by_user, by_user};
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  const adjoinable_tangent *const one = with_pairs(of, n);
  int which = 0, commutes = 1;
  while (which < 4 && ops[which] != *op) which++;
  if (one != NULL && which < 4 && !adjoinable_is_plain(one->item))
    return refused(call, comm, "op is MPI's own, which takes plain doubles and floats, and the datatype is made of them: use an operation of your own");
  if (which == 4) {
    if (function == NULL) return refused(call, comm, "op is an operation of the user's: pass the function that computes its tangents");
    if (is_started) return refused(call, comm, "op is an operation of the user's, which only calls that block take");
    users = (adjoinable_users){.op = *op, .datatype = datatype, .shadow = shadow, .function = function, .fortran = adjoinable_is_fortran()};
    if (one != NULL) {
      users.item = one->item;
      users.shadow_item = one->shadow_item;
      users_at = one->at;
    }
    MPI_Op_commutative(*op, &commutes);
    if (!commutes) which = 5;
  }
  /* MIN and MAX go from the lowest rank to the highest, so that equal ones are told apart. */
  if (made[which] == MPI_OP_NULL) MPI_Op_create(functions[which], which < 2 || which == 4, &made[which]);
  *op = made[which];
  return MPI_SUCCESS;
}
