#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>

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

int adjoinable_sources(MPI_Comm comm) {
  int sources, destinations, weighted, kind;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) return MPI_Cartdim_get(comm, &sources) == MPI_SUCCESS ? 2 * sources : 0;
  if (kind == MPI_GRAPH) return MPI_Graph_neighbors_count(comm, adjoinable_rank(comm), &sources) == MPI_SUCCESS ? sources : 0;
  if (kind != MPI_DIST_GRAPH) return 0; /* MPI says so */
  return MPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted) == MPI_SUCCESS ? sources : 0;
}

int adjoinable_destinations(MPI_Comm comm) {
  int sources, destinations, weighted, kind;
  MPI_Topo_test(comm, &kind);
  if (kind != MPI_DIST_GRAPH) return adjoinable_sources(comm);
  return MPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted) == MPI_SUCCESS ? destinations : 0;
}

int64_t adjoinable_span(const int counts[], const int displs[], int n) {
  int64_t end = 0;
  for (int i = 0; i < n; i++) {
    if (counts[i] == 0) continue;
    if (displs[i] < 0 || counts[i] < 0) return -1;
    const int64_t behind = (int64_t)displs[i] + counts[i];
    if (behind > end) end = behind;
  }
  return end;
}

int64_t adjoinable_sum(const int counts[], int n) {
  int64_t sum = 0;
  for (int i = 0; i < n; i++) sum += counts[i];
  return sum;
}

int adjoinable_is_built_in(MPI_Op op) {
  const MPI_Op ops[] = {MPI_OP_NULL, MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (ops[i] == op) return 1;
  return 0;
}

/* Operations of MPI's that have no derivative, or are of indices. */
static int is_left_out(MPI_Op op) {
  const MPI_Op ops[] = {MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (ops[i] == op) return 1;
  return 0;
}

int adjoinable_raised(const char *call, int status, MPI_Comm comm) {
  const int code = admpi_detail_raise(call, status, comm);
  return code == MPI_SUCCESS ? MPI_ERR_OTHER : code;
}

int adjoinable_refused(const char *call, MPI_Comm comm, const char *why) {
  const int code = admpi_detail_refuse(call, why, comm);
  return code == MPI_SUCCESS ? MPI_ERR_OTHER : code;
}

/* Ends a step that has not gone well. */
static int given_up(const char *call, MPI_Comm comm, int status) {
  const int code = adjoinable_raised(call, status, comm);
  admpi_step_close(1);
  return code;
}

static int refused(const char *call, MPI_Comm comm, const char *why) {
  const int code = adjoinable_refused(call, comm, why);
  admpi_step_close(1);
  return code;
}

static int stage(adjoinable_argument *of, int in_place) {
  void *values = NULL;
  /* The place of its adjoints in BW_ stays its own. */
  if (!of->significant || of->buffer == MPI_IN_PLACE) return admpi_step_items(of->name, NULL, 0, ADMPI_STEP_ITEM_DOUBLE, 0, &values);
  int flags = in_place ? ADMPI_STEP_READ | ADMPI_STEP_WRITTEN : of->flags;
  /* A COMMON block of Fortran's may have doubles at any address. */
  if (of->item->id != ADMPI_STEP_ITEM_DOUBLE || (uintptr_t)of->buffer % sizeof(double) != 0) flags &= ~ADMPI_STEP_LENT;
  const int status = admpi_step_items(of->name, of->buffer, of->n, of->item->id, flags, &values);
  of->values = values;
  of->datatype = flags & ADMPI_STEP_LENT ? admpi_detail_numbers_type() : of->item->active;
  return status;
}

static const char *why_not(MPI_Op op, const adjoinable_item *item) {
  if (op == MPI_OP_NULL) return NULL;
  if (is_left_out(op)) return "of MPI's operations only MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX are differentiated by FW_ and BW_";
  if (adjoinable_is_built_in(op) && !adjoinable_is_plain(item))
    return "op is MPI's own, which takes plain doubles and floats, and the datatype is made of them: use an operation of your own";
  return NULL;
}

int adjoinable_begin(const char *call, MPI_Comm comm, MPI_Op *op, int waits, adjoinable_argument *of, int n) {
  const adjoinable_argument *active = NULL;
  const char *why;
  int in_place = 0, passive = 0, status = admpi_step_open(call);
  if (status != ADMPI_SUCCESS) return adjoinable_raised(call, status, comm);
  for (int i = 0; i < n; i++) {
    if (!of[i].significant) continue;
    if (of[i].buffer == MPI_IN_PLACE) {
      in_place = 1;
      continue;
    }
    switch (adjoinable_content(of[i].datatype, &of[i].item)) {
      case ADJOINABLE_OTHERS:
        return refused(call, comm, "the datatype has long doubles, and only doubles and floats are differentiated by FW_ and BW_");
      case ADJOINABLE_NUMBERS: active = &of[i]; break;
      default: passive = 1;
    }
  }
  if (active != NULL && passive)
    return refused(call, comm, "one datatype is of numbers and the other is not: both must be, or neither");
  if (active == NULL) return ADJOINABLE_PASSIVE;
  why = why_not(*op, active->item);
  if (why != NULL) return refused(call, comm, why);
  const MPI_Datatype datatype = active->datatype;
  for (int i = 0; i < n; i++) {
    of[i].values = of[i].buffer;
    of[i].datatype = active->item->active;
    status = stage(&of[i], in_place);
    if (status != ADMPI_SUCCESS) return given_up(call, comm, status);
  }
  if (!adjoinable_is_built_in(*op)) {
    const int code = adjoinable_users_op(call, comm, op, waits, active, datatype);
    if (code != MPI_SUCCESS) admpi_step_close(1);
    if (code != MPI_SUCCESS) return code;
  }
  return ADJOINABLE_ACTIVE;
}

int adjoinable_end(const char *call, MPI_Comm comm, int code) {
  const int status = admpi_step_close(code != MPI_SUCCESS);
  if (code != MPI_SUCCESS || status == ADMPI_SUCCESS) return code;
  return admpi_detail_raise(call, status, comm);
}

/* Of calls under way, by their numbers: what a status counts. */
static _Thread_local struct counted {
  const adjoinable_item *item;
  MPI_Datatype datatype;
} *counted;
static _Thread_local int64_t room;

static int note(int64_t number, const adjoinable_item *item, MPI_Datatype datatype) {
  if (number >= room) {
    struct counted *const more = realloc(counted, (size_t)(2 * number + 16) * sizeof *more);
    if (more == NULL) return MPI_ERR_NO_MEM;
    counted = more;
    room = 2 * number + 16;
  }
  counted[number] = (struct counted){item, datatype};
  return MPI_SUCCESS;
}

void adjoinable_count_started(MPI_Status *status, int64_t number) {
  if (number < room && counted[number].item != NULL) adjoinable_count(status, counted[number].item->active, counted[number].datatype);
}

int adjoinable_end_started(const char *call, MPI_Comm comm, int code, int is_active, void *own, const adjoinable_item *item,
                           MPI_Datatype datatype, AMPI_Request *request) {
  int64_t number = 0;
  int status;
  if (code != MPI_SUCCESS || !is_active) return adjoinable_end(call, comm, code);
  status = admpi_step_close_started(own, &number);
  if (status != ADMPI_SUCCESS) return admpi_detail_raise(call, status, comm);
  *request = adjoinable_request(number);
  return note(number, item, datatype);
}

void adjoinable_count(MPI_Status *status, MPI_Datatype travelled, MPI_Datatype datatype) {
  int n, bytes;
  if (status == MPI_STATUS_IGNORE || MPI_Get_count(status, travelled, &n) != MPI_SUCCESS || n == MPI_UNDEFINED) return;
  MPI_Type_size(datatype, &bytes);
  MPI_Status_set_elements(status, MPI_BYTE, n * bytes);
}

/* How adjoints lie: as the numbers if nothing is told, and in place nothing lies. */
static void tell(const adjoinable_adjoint *of, void **buffer, int64_t *item, int64_t *count) {
  const adjoinable_item *told = NULL;
  *buffer = of->buffer;
  *item = ADMPI_STEP_ITEM_DOUBLE;
  *count = -1;
  if (of->n < 0 || of->buffer == NULL || of->buffer == MPI_IN_PLACE) return;
  if (adjoinable_content(of->datatype, &told) != ADJOINABLE_NUMBERS) return;
  *item = told->id;
  *count = of->n;
}

int adjoinable_reverse(const char *call, MPI_Comm comm, const adjoinable_adjoint *of, int n, void *completed) {
  enum { MOST = 4 };
  void *buffers[MOST] = {0};
  int64_t items[MOST], counts[MOST];
  char name[64];
  for (int i = 0; i < n; i++) tell(&of[i], &buffers[i], &items[i], &counts[i]);
  const int status = admpi_step_reverse_items(call, buffers, items, counts, n, completed);
  if (status == ADMPI_SUCCESS) return MPI_SUCCESS;
  snprintf(name, sizeof name, "BW_%s", call);
  return adjoinable_raised(name, status, comm);
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
