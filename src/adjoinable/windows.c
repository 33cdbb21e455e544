/* Windows of doubles, in epochs between fences. libadmpi's windows are of active values: each window has one beside it, with a place
 * for each double. A fence is a step: it brings the doubles there, lets libadmpi carry out what was asked for since the last one,
 * and takes back what has changed. An operation is a step that a fence completes. */
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

OURS_IS(int, AMPI_Win_create, (void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win))
OURS_IS(int, AMPI_Win_free, (MPI_Win * win))
OURS_IS(int, AMPI_Win_fence, (int assert, MPI_Win win))
OURS_IS(int, AMPI_Put, (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                        MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win))
OURS_IS(int, AMPI_Get, (void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                        int target_count, MPI_Datatype target_datatype, MPI_Win win))
OURS_IS(int, AMPI_Accumulate, (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                               MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win win))

enum { SCALE = sizeof(admpi_var) / sizeof(double) };

typedef struct window {
  MPI_Comm comm;
  void *base;
  int64_t n; /* doubles */
  admpi_var *values;
  MPI_Win active;
  int64_t *started; /* operations that the next fence completes */
  int64_t n_started, room;
} window;

static int key = MPI_KEYVAL_INVALID;

static window *of_window(MPI_Win win) {
  window *of = NULL;
  int is_there = 0;
  if (key == MPI_KEYVAL_INVALID || win == MPI_WIN_NULL) return NULL;
  MPI_Win_get_attr(win, key, &of, &is_there);
  return is_there ? of : NULL;
}

static void forget(window *of) {
  if (of == NULL) return;
  free(of->values);
  free(of->started);
  free(of);
}

int AMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, AMPI_Win *win) {
  return MPI_Win_create(base, size, disp_unit, info, comm, win);
}
int AMPI_Win_free(AMPI_Win *win) { return MPI_Win_free(win); }
int AMPI_Win_fence(int assert, AMPI_Win win) { return MPI_Win_fence(assert, win); }
int AMPI_Put(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
             int target_count, MPI_Datatype target_datatype, AMPI_Win win) {
  return MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
}
int AMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
             int target_count, MPI_Datatype target_datatype, AMPI_Win win) {
  return MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, win);
}
int AMPI_Accumulate(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                    int target_count, MPI_Datatype target_datatype, MPI_Op op, AMPI_Win win) {
  return MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, target_datatype, op, win);
}

/* A step in which nothing is recorded. */
static int empty_step(const char *call, MPI_Comm comm) {
  const int status = admpi_step_open(call);
  if (status != ADMPI_SUCCESS) return adjoinable_raised(call, status, comm);
  return adjoinable_end(call, comm, MPI_SUCCESS);
}

static int make(window *of, MPI_Aint size, int disp_unit, MPI_Comm comm) {
  MPI_Info info;
  int code;
  of->n = (int64_t)size / (int64_t)sizeof(double);
  of->values = calloc((size_t)of->n + 1, sizeof *of->values);
  if (of->values == NULL) return MPI_ERR_NO_MEM;
  MPI_Info_create(&info);
  MPI_Info_set(info, "admpi_active", "true");
  MPI_Info_set(info, "no_locks", "true");
  code = OURS(AMPI_Win_create)(of->values, (MPI_Aint)(of->n * (int64_t)sizeof(admpi_var)), SCALE * disp_unit, info, comm, &of->active);
  MPI_Info_free(&info);
  return code;
}

int FW_AMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, AMPI_Win *win) {
  window *const of = calloc(1, sizeof *of);
  int code = of == NULL ? MPI_ERR_NO_MEM : make(of, size, disp_unit, comm);
  if (code == MPI_SUCCESS) code = MPI_Win_create(base, size, disp_unit, info, comm, win);
  if (code != MPI_SUCCESS) {
    forget(of);
    return code;
  }
  of->comm = comm;
  of->base = base;
  if (key == MPI_KEYVAL_INVALID) MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL);
  MPI_Win_set_attr(*win, key, of);
  return empty_step("AMPI_Win_create", comm);
}

int BW_AMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, AMPI_Win *win) {
  (void)base, (void)size, (void)disp_unit, (void)info, (void)win;
  return adjoinable_reverse("AMPI_Win_create", comm, NULL, 0, NULL);
}

static int not_made(const char *call) {
  return adjoinable_refused(call, MPI_COMM_WORLD, "the window is not for FW_ calls: make it by FW_AMPI_Win_create");
}

int FW_AMPI_Win_free(AMPI_Win *win) {
  window *const of = of_window(*win);
  int code;
  if (of == NULL) return not_made("AMPI_Win_free");
  if (of->n_started > 0)
    return adjoinable_refused("AMPI_Win_free", of->comm, "operations of the window are not complete: call FW_AMPI_Win_fence first");
  code = OURS(AMPI_Win_free)(&of->active);
  if (code == MPI_SUCCESS) code = MPI_Win_free(win);
  if (code != MPI_SUCCESS) return code;
  forget(of);
  return empty_step("AMPI_Win_free", MPI_COMM_WORLD);
}

int BW_AMPI_Win_free(AMPI_Win *win) {
  (void)win;
  return adjoinable_reverse("AMPI_Win_free", MPI_COMM_WORLD, NULL, 0, NULL);
}

/* The open step is that of a fence. */
static int carry_out(window *of, int assert, MPI_Win win) {
  static const char call[] = "AMPI_Win_fence";
  const size_t bytes = (size_t)of->n * sizeof *of->values;
  admpi_var *values = NULL;
  int status = admpi_step_argument("base", of->base, of->n, ADMPI_STEP_READ | ADMPI_STEP_WRITTEN | ADMPI_STEP_TURNED, &values), code;
  if (status != ADMPI_SUCCESS) return adjoinable_raised(call, status, of->comm);
  if (bytes > 0) memcpy(of->values, values, bytes);
  code = OURS(AMPI_Win_fence)(assert, of->active);
  if (code == MPI_SUCCESS) code = MPI_Win_fence(assert, win);
  if (code != MPI_SUCCESS) return code;
  if (bytes > 0) memcpy(values, of->values, bytes);
  for (int64_t i = 0; i < of->n_started && status == ADMPI_SUCCESS; i++) status = admpi_step_completed(of->started[i]);
  of->n_started = 0;
  return status == ADMPI_SUCCESS ? MPI_SUCCESS : adjoinable_raised(call, status, of->comm);
}

int FW_AMPI_Win_fence(int assert, AMPI_Win win) {
  static const char call[] = "AMPI_Win_fence";
  window *const of = of_window(win);
  int status;
  if (of == NULL) return not_made(call);
  status = admpi_step_open(call);
  if (status != ADMPI_SUCCESS) return adjoinable_raised(call, status, of->comm);
  return adjoinable_end(call, of->comm, carry_out(of, assert, win));
}

int BW_AMPI_Win_fence(int assert, AMPI_Win win) {
  (void)assert, (void)win;
  return adjoinable_reverse("AMPI_Win_fence", MPI_COMM_WORLD, NULL, 0, NULL);
}

/* The places of doubles that a type of the user's describes in a window. */
static int target_type(const adjoinable_item *item, MPI_Datatype *made) {
  MPI_Aint *const offsets = malloc((size_t)item->n * sizeof *offsets);
  MPI_Datatype parts;
  if (offsets == NULL) return MPI_ERR_NO_MEM;
  for (int64_t k = 0; k < item->n; k++) offsets[k] = (MPI_Aint)(SCALE * item->numbers[k].offset);
  MPI_Type_create_hindexed_block((int)item->n, 1, offsets, item->active, &parts);
  MPI_Type_create_resized(parts, 0, (MPI_Aint)(SCALE * item->extent), made);
  MPI_Type_free(&parts);
  free(offsets);
  return MPI_Type_commit(made);
}

static int is_of_doubles(const adjoinable_item *item) {
  if (item->n_bytes > 0 || item->extent % (int64_t)sizeof(double) != 0) return 0;
  for (int64_t k = 0; k < item->n; k++)
    if (item->numbers[k].floats || item->numbers[k].offset % (int64_t)sizeof(double) != 0) return 0;
  return 1;
}

/* An operation on numbers, by one of libadmpi's calls. */
typedef struct operation {
  const char *call;
  int flags;
  void *addr;
  int n;
  MPI_Datatype datatype;
  int rank;
  MPI_Aint disp;
  int target_n;
  MPI_Datatype target;
  MPI_Op op;
  MPI_Win win;
  window *window;
  const adjoinable_item *item, *target_item;
} operation;

typedef int perform(const operation *of, const void *values, MPI_Datatype target);

static int put(const operation *of, const void *values, MPI_Datatype target) {
  return OURS(AMPI_Put)(values, of->n, of->item->active, of->rank, of->disp, of->target_n, target, of->window->active);
}
static int get(const operation *of, const void *values, MPI_Datatype target) {
  return OURS(AMPI_Get)((void *)values, of->n, of->item->active, of->rank, of->disp, of->target_n, target, of->window->active);
}
static int accumulate(const operation *of, const void *values, MPI_Datatype target) {
  return OURS(AMPI_Accumulate)(values, of->n, of->item->active, of->rank, of->disp, of->target_n, target, of->op, of->window->active);
}

static int keep(window *of, int64_t number) {
  if (of->n_started == of->room) {
    int64_t *const more = realloc(of->started, (size_t)(2 * of->room + 8) * sizeof *more);
    if (more == NULL) return MPI_ERR_NO_MEM;
    of->started = more;
    of->room = 2 * of->room + 8;
  }
  of->started[of->n_started++] = number;
  return MPI_SUCCESS;
}

/* In the open step. */
static int make_operation(const operation *of, perform *how) {
  void *values = NULL;
  MPI_Datatype made = MPI_DATATYPE_NULL, target = of->target_item->active;
  const int plain = adjoinable_is_plain(of->target_item);
  int code = MPI_SUCCESS;
  const int status = admpi_step_items("origin_addr", of->addr, of->n, of->item->id, of->flags, &values);
  if (status != ADMPI_SUCCESS) return adjoinable_raised(of->call, status, of->window->comm);
  if (!plain) code = target_type(of->target_item, &made);
  if (code == MPI_SUCCESS) code = how(of, values, plain ? target : made);
  if (!plain) MPI_Type_free(&made);
  return code;
}

/* An error, unless it is of doubles in a window of FW_AMPI_Win_create. */
static int look(operation *of) {
  const adjoinable_numbers origin = adjoinable_content(of->datatype, &of->item);
  const adjoinable_numbers target = adjoinable_content(of->target, &of->target_item);
  of->window = of_window(of->win);
  if (of->window == NULL) return not_made(of->call);
  if (origin == ADJOINABLE_NUMBERS && target == ADJOINABLE_NUMBERS && is_of_doubles(of->item) && is_of_doubles(of->target_item))
    return MPI_SUCCESS;
  return adjoinable_refused(of->call, of->window->comm,
                            "origin_datatype and target_datatype must be of doubles alone: keep the rest in a window of AMPI_Win_create");
}

static int start(operation *of, perform *how) {
  int64_t number = 0;
  int code = look(of), status;
  if (code != MPI_SUCCESS) return code;
  status = admpi_step_open(of->call);
  if (status != ADMPI_SUCCESS) return adjoinable_raised(of->call, status, of->window->comm);
  code = make_operation(of, how);
  if (code != MPI_SUCCESS) return adjoinable_end(of->call, of->window->comm, code);
  status = admpi_step_close_started(of->window, &number);
  if (status != ADMPI_SUCCESS) return adjoinable_raised(of->call, status, of->window->comm);
  return keep(of->window, number);
}

int FW_AMPI_Put(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win) {
  operation of = {.call = "AMPI_Put", .flags = ADMPI_STEP_READ, .addr = origin_addr, .n = origin_count, .datatype = origin_datatype,
                  .rank = target_rank, .disp = target_disp, .target_n = target_count, .target = target_datatype, .win = win};
  return start(&of, put);
}

int FW_AMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win) {
  operation of = {.call = "AMPI_Get", .flags = ADMPI_STEP_WRITTEN, .addr = origin_addr, .n = origin_count, .datatype = origin_datatype,
                  .rank = target_rank, .disp = target_disp, .target_n = target_count, .target = target_datatype, .win = win};
  return start(&of, get);
}

int FW_AMPI_Accumulate(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       int target_count, MPI_Datatype target_datatype, MPI_Op op, AMPI_Win win) {
  operation of = {.call = "AMPI_Accumulate", .flags = ADMPI_STEP_READ, .addr = origin_addr, .n = origin_count, .datatype = origin_datatype,
                  .rank = target_rank, .disp = target_disp, .target_n = target_count, .target = target_datatype, .op = op, .win = win};
  return start(&of, accumulate);
}

static int back(const char *call, void *origin_addr, int origin_count, MPI_Datatype origin_datatype) {
  const adjoinable_adjoint of[] = {{origin_addr, origin_count, origin_datatype}};
  return adjoinable_reverse(call, MPI_COMM_WORLD, of, 1, NULL);
}

int BW_AMPI_Put(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win) {
  (void)target_rank, (void)target_disp, (void)target_count, (void)target_datatype, (void)win;
  return back("AMPI_Put", origin_addr, origin_count, origin_datatype);
}

int BW_AMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win) {
  (void)target_rank, (void)target_disp, (void)target_count, (void)target_datatype, (void)win;
  return back("AMPI_Get", origin_addr, origin_count, origin_datatype);
}

int BW_AMPI_Accumulate(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       int target_count, MPI_Datatype target_datatype, MPI_Op op, AMPI_Win win) {
  (void)target_rank, (void)target_disp, (void)target_count, (void)target_datatype, (void)op, (void)win;
  return back("AMPI_Accumulate", origin_addr, origin_count, origin_datatype);
}
