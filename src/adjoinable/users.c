/* Operations of the user's in reductions: applied to numbers as they lie in the user's memory, recorded as one operation of
 * numbers, and reversed by the function that BWS_ is given. */
#include <stdlib.h>
#include <string.h>

#include "admpi/tape.h"
#include "runtime.h"

OURS_IS(int, AMPI_Op_create, (MPI_User_function * function, int commute, MPI_Op *op))

static _Thread_local adjoinable_users current;  /* of the call that is made */
static _Thread_local adjoinable_users reversed; /* of the call that is reversed */
static _Thread_local int from_fortran;

void adjoinable_from_fortran(int is_fortran) { from_fortran = is_fortran; }
int adjoinable_is_fortran(void) { return from_fortran; }

void adjoinable_call(const adjoinable_users *users, void *in, void *ind, void *inout, void *inoutd, int n) {
  MPI_Datatype datatype = users->datatype, shadow = users->shadow;
  MPI_Fint f_datatype, f_shadow;
  if (!users->fortran) {
    users->function(in, ind, inout, inoutd, &n, &datatype, &shadow);
    return;
  }
  f_datatype = MPI_Type_c2f(datatype);
  f_shadow = MPI_Type_c2f(shadow);
  users->function(in, ind, inout, inoutd, &n, (MPI_Datatype *)&f_datatype, (MPI_Datatype *)&f_shadow);
}

/* Active values to and from items of the user's. */
static void lay_out(const adjoinable_item *item, const admpi_var *values, int64_t n, void *base) {
  for (int64_t i = 0; i < n; i++, values += item->places) {
    for (int64_t k = 0; k < item->n; k++) adjoinable_put(item, base, i, k, values[k].value);
    adjoinable_bytes_in(item, base, i, values + item->n);
  }
}

/* What the tape keeps of an application: this, and behind it the operands as they lay in memory. */
typedef struct application {
  int64_t n, bytes;
  const adjoinable_item *item;
} application;

enum { IN, INOUT, BOTH };

static void *operand(const application *of, int which) {
  return (char *)(of + 1) + which * of->bytes - of->item->low;
}

/* The adjoints of the result become those of `inout`, and what the function adds to `in` those of `in`. */
static int32_t reverse(int64_t n_out, int64_t n_in, int32_t width, const double *out, double *in, void *payload) {
  const application *const of = payload;
  const adjoinable_item *const item = of->item, *const shadow = reversed.shadow_item;
  int64_t *const at = malloc((size_t)(item->n + 1) * sizeof *at);
  void *rooms[BOTH] = {NULL, NULL}, *adjoints[BOTH];
  int32_t answer = 1;
  (void)n_out, (void)n_in, (void)width;
  if (reversed.function == NULL || at == NULL) {
    free(at);
    return 1;
  }
  for (int which = IN; which < BOTH; which++) adjoints[which] = adjoinable_items(shadow, of->n, &rooms[which]);
  if (rooms[IN] != NULL && rooms[INOUT] != NULL && admpi_step_match(item->id, shadow->id, at) == ADMPI_SUCCESS) {
    for (int64_t i = 0; i < of->n; i++)
      for (int64_t k = 0; k < item->n; k++)
        if (at[k] >= 0) adjoinable_put(shadow, adjoints[INOUT], i, at[k], out[i * item->n + k]);
    adjoinable_call(&reversed, operand(of, IN), adjoints[IN], operand(of, INOUT), adjoints[INOUT], (int)of->n);
    for (int which = IN; which < BOTH; which++)
      for (int64_t i = 0; i < of->n; i++)
        for (int64_t k = 0; k < item->n; k++)
          in[(which * of->n + i) * item->n + k] = at[k] >= 0 ? adjoinable_get(shadow, adjoints[which], i, at[k]) : 0;
    answer = 0;
  }
  free(rooms[IN]);
  free(rooms[INOUT]);
  free(at);
  return answer;
}

static void gather(const adjoinable_item *item, const admpi_var *values, int64_t n, admpi_var *to) {
  for (int64_t i = 0; i < n; i++, values += item->places, to += item->n)
    memcpy(to, values, (size_t)item->n * sizeof *to);
}

/* Results, which lie in `base`, as active values. */
static void settle(const adjoinable_item *item, const void *base, int64_t n, const admpi_var *results, admpi_var *values) {
  for (int64_t i = 0; i < n; i++, values += item->places, results += item->n) {
    memcpy(values, results, (size_t)item->n * sizeof *values);
    adjoinable_bytes_out(item, base, i, values + item->n);
  }
}

static void record(const application *of, size_t bytes, const void *result, const admpi_var *in, admpi_var *inout) {
  const adjoinable_item *const item = of->item;
  const int64_t n = of->n * item->n;
  admpi_var *const operands = malloc((size_t)(2 * n + 1) * sizeof *operands);
  double *const values = malloc((size_t)(n + 1) * sizeof *values);
  admpi_tape *tape = NULL;
  if (operands == NULL || values == NULL) abort(); /* an operation cannot fail */
  gather(item, in, of->n, operands);
  gather(item, inout, of->n, operands + n);
  for (int64_t i = 0; i < n; i++) values[i] = adjoinable_get(item, result, i / item->n, i % item->n);
  admpi_tape_activate(NULL, &tape);
  admpi_tape_activate(tape, NULL);
  if (admpi_tape_callback(tape, operands, 2 * n, values, n, reverse, of, bytes, operands) != ADMPI_SUCCESS) abort();
  settle(item, result, of->n, operands, inout);
  free(operands);
  free(values);
}

/* inout = in op inout, of active values. */
static void apply(void *in, void *inout, int *n, MPI_Datatype *datatype) {
  const adjoinable_item *const item = current.item;
  const int64_t each = adjoinable_bytes_of(item, *n);
  const size_t bytes = sizeof(application) + 2 * (size_t)each;
  application *const of = calloc(bytes + 1, 1);
  void *room, *const result = adjoinable_items(item, *n, &room);
  (void)datatype;
  if (of == NULL || room == NULL) abort(); /* an operation cannot fail */
  *of = (application){*n, each, item};
  lay_out(item, in, *n, operand(of, IN));
  lay_out(item, inout, *n, operand(of, INOUT));
  lay_out(item, inout, *n, result);
  MPI_Reduce_local(operand(of, IN), result, *n, current.datatype, current.op);
  record(of, bytes, result, in, inout);
  free(of);
  free(room);
}

int adjoinable_users_op(const char *call, MPI_Comm comm, MPI_Op *op, int waits, const adjoinable_argument *of,
                        MPI_Datatype datatype) {
  static MPI_Op made[2]; /* of each of the kinds that commute and do not */
  static int is_made[2];
  int commutes = 0;
  if (!waits) return adjoinable_refused(call, comm, "op is an operation of the user's, which only calls that block take");
  if (of->item->extent < 0) return adjoinable_refused(call, comm, "op is an operation of the user's, and the extent of the datatype is negative");
  MPI_Op_commutative(*op, &commutes);
  commutes = commutes != 0;
  if (!is_made[commutes]) {
    const int code = OURS(AMPI_Op_create)(apply, commutes, &made[commutes]);
    if (code != MPI_SUCCESS) return code;
    is_made[commutes] = 1;
  }
  current = (adjoinable_users){.op = *op, .datatype = datatype, .item = of->item};
  *op = made[commutes];
  return MPI_SUCCESS;
}

int adjoinable_reverse_users(const char *call, MPI_Comm comm, const adjoinable_adjoint *of, int n, MPI_Op op,
                             TLM_userFunctionF *function, MPI_Datatype datatype, MPI_Datatype datatypeb) {
  const adjoinable_item *shadow = NULL;
  if (adjoinable_is_built_in(op) && op != MPI_OP_NULL) return adjoinable_reverse(call, comm, of, n, NULL);
  if (adjoinable_content(datatypeb, &shadow) != ADJOINABLE_NUMBERS) return adjoinable_reverse(call, comm, of, n, NULL);
  if (function == NULL && op != MPI_OP_NULL)
    return adjoinable_refused(call, comm, "op is an operation of the user's: reverse the call by its BWS_ form, with the function that computes adjoints");
  reversed = (adjoinable_users){.op = op,
                                .datatype = datatype,
                                .shadow = datatypeb,
                                .shadow_item = shadow,
                                .function = function,
                                .fortran = adjoinable_is_fortran()};
  const int code = adjoinable_reverse(call, comm, of, n, NULL);
  reversed = (adjoinable_users){0};
  return code;
}
