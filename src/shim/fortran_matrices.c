/* Matrices in Fortran. Fortran copies objects bit by bit where it likes, and does not always destroy them, so an object holds no
 * handle: it holds a place in the table below, and the stamp of its owner. What is freed, or used a second time, has another
 * stamp there. So a mistake is an error, never another's memory. */
#include <pthread.h>
#include <stdlib.h>

#include "admpi/kernels.h"
#include "admpi/tape.h"
#include "admpi/varmat.h"

/* What an object of Fortran begins with: the part of a matrix, or a scalar, and the place of the owner. Place 0: nobody's; a scalar
 * then has a stamp, and what has never been assigned has none. */
typedef struct admpif_part {
  admpi_operand operand;
  uint32_t place;
  uint32_t stamp;
} admpif_part;

/* `home` is the address of the variable that owns the matrix; NULL: the result of a function, which is used once. */
typedef struct entry {
  admpi_varmat *matrix;
  const void *home;
  uint32_t stamp;
  uint32_t next_free;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *table;
static uint32_t length, first_free, last_stamp;
static int32_t held;

static void forget(entry *one) {
  *one = (entry){.next_free = first_free};
  first_free = (uint32_t)(one - table);
  held--;
}

static entry *found(const admpif_part *part) {
  if (part->place == 0 || part->place >= length) return NULL;
  entry *one = table + part->place;
  return one->matrix != NULL && one->stamp == part->stamp ? one : NULL;
}

static uint32_t free_place(void) {
  if (first_free == 0) {
    const uint32_t more = length == 0 ? 64 : 2 * length;
    entry *larger = more < length ? NULL : realloc(table, more * sizeof *table);
    if (larger == NULL) return 0;
    for (uint32_t i = more - 1; i >= length && i > 0; i--) {
      larger[i] = (entry){.next_free = first_free};
      first_free = i;
    }
    table = larger;
    length = more;
  }
  const uint32_t place = first_free;
  first_free = table[place].next_free;
  return place;
}

/* Gives a matrix an owner. */
int32_t admpif_matrix_hold(admpi_varmat *matrix, const void *home, admpif_part *part_out) {
  pthread_mutex_lock(&lock);
  const uint32_t place = free_place();
  if (place != 0) {
    if (++last_stamp == 0) last_stamp = 1;
    table[place] = (entry){matrix, home, last_stamp, 0};
    *part_out = (admpif_part){admpi_operand_part(admpi_view_all(matrix)), place, last_stamp};
    held++;
  }
  pthread_mutex_unlock(&lock);
  if (place != 0) return ADMPI_SUCCESS;
  admpi_varmat_free(matrix);
  return admpi_detail_refuse_call(ADMPI_ERR_MEMORY, "no memory for the table of matrices");
}

/* Frees the matrix of a part, if this is its owner: `home`, or NULL for a result. */
void admpif_matrix_release(const admpif_part *part, const void *home) {
  admpi_varmat *matrix = NULL;
  pthread_mutex_lock(&lock);
  entry *one = found(part);
  if (one != NULL && one->home == home) {
    matrix = one->matrix;
    forget(one);
  }
  pthread_mutex_unlock(&lock);
  admpi_varmat_free(matrix);
}

/* A result becomes the matrix of the variable at `home`: 1, or 0 if it is no result. */
int32_t admpif_matrix_move(const admpif_part *part, const void *home) {
  pthread_mutex_lock(&lock);
  entry *one = found(part);
  const int32_t moved = one != NULL && one->home == NULL;
  if (moved) one->home = home;
  pthread_mutex_unlock(&lock);
  return moved;
}

/* Whether a part may be read and, with `home`, written to as the matrix of the variable there. */
int32_t admpif_matrix_check(const admpif_part *part, const void *home, int32_t or_scalar) {
  if (part->place == 0 && part->stamp != 0 && or_scalar) return ADMPI_SUCCESS;
  if (part->place == 0) {
    return admpi_detail_refuse_call(ADMPI_ERR_NULL, part->stamp == 0 ? "a matrix has never been assigned, or has been freed"
                                                                     : "a scalar stands for a matrix");
  }
  pthread_mutex_lock(&lock);
  const entry *one = found(part);
  const int32_t foreign = one != NULL && home != NULL && one->home != home;
  pthread_mutex_unlock(&lock);
  if (one == NULL) {
    return admpi_detail_refuse_call(ADMPI_ERR_STALE, "a matrix has been freed or assigned anew since this view of it was made, or a "
                                                     "result is used a second time");
  }
  if (foreign) {
    return admpi_detail_refuse_call(ADMPI_ERR_STALE, "the compiler has made this matrix as a copy of another, bit by bit: assign it "
                                                     "as a whole first");
  }
  return ADMPI_SUCCESS;
}

/* Ends the ownership of a result, whose matrix is the caller's from then on. NULL: it is no result. */
admpi_varmat *admpif_matrix_forget(const admpif_part *part) {
  admpi_varmat *matrix = NULL;
  pthread_mutex_lock(&lock);
  entry *one = found(part);
  if (one != NULL && one->home == NULL) {
    matrix = one->matrix;
    forget(one);
  }
  pthread_mutex_unlock(&lock);
  return matrix;
}

/* How many matrices variables and results own. */
int32_t admpif_matrices(void) { return held; }

/* Array statements; the shapes of parts must agree. */
#define OF_ONE(name, formula)                                                                                 \
  int32_t admpif_array_##name(const admpi_view *a, admpi_varmat **b_out) { return admpi_array_##name(*a, b_out); }

static int32_t array_of_two(const admpi_operand *a, const admpi_operand *b, admpi_forward forward, admpi_kernel reverse,
                            admpi_varmat **c_out) {
  const admpi_operand operand[2] = {*a, *b};
  const admpi_view *of = a->view.of != NULL ? &a->view : &b->view;
  if (of->of == NULL) return admpi_detail_refuse_call(ADMPI_ERR_NULL, "both operands are scalars");
  return admpi_array_apply(of->rows, of->cols, operand, 2, forward, reverse, NULL, 0, c_out);
}
#define OF_TWO(name, formula)                                                                                 \
  int32_t admpif_array_##name(const admpi_operand *a, const admpi_operand *b, admpi_varmat **c_out) {         \
    return array_of_two(a, b, admpi_forward_##name, admpi_reverse_##name, c_out);                             \
  }
ADMPI_FUNCTIONS_OF_MANY(OF_ONE)
ADMPI_FUNCTIONS_OF_ONE(OF_ONE)
OF_TWO(add, )
OF_TWO(sub, )
OF_TWO(mul, )
OF_TWO(div, )
ADMPI_PAIRS_OF_MANY(OF_TWO)
ADMPI_PAIRS_OF_ONE(OF_TWO)

/* Tangents of arrays. `slopes` gives the partial derivatives of a function by its operands, which are tangents, as tangents: of
 * (value, derivative) of each in turn, (value, derivative) by each. */
typedef void (*admpif_slopes)(int32_t function, const double *operand, double *slope); /* 4 numbers each */
typedef struct admpif_along {
  admpif_slopes slopes;
  int32_t function;
  int32_t n; /* values and derivatives: 2 or 4 */
} admpif_along;

static void slopes_at(const admpif_along *of, const admpi_values *value, int64_t i, int64_t j, double *x, double *slope) {
  for (int32_t k = 0; k < of->n; k++) x[k] = value[k].value[i * value[k].row_step + j * value[k].col_step];
  of->slopes(of->function, x, slope);
}

/* The derivative of the result. A direction of zero takes no part, whatever the partial derivative. */
static int32_t forward_along(const admpi_forward_call *call) {
  const admpif_along *of = call->payload;
  double x[4] = {0.0}, slope[4];
  for (int64_t j = 0; j < call->cols; j++) {
    for (int64_t i = 0; i < call->rows; i++) {
      double sum = 0.0;
      slopes_at(of, call->value, i, j, x, slope);
      for (int32_t k = 0; k < of->n; k += 2) {
        if (x[k + 1] != 0.0) sum += slope[k] * x[k + 1];
      }
      call->result[i + j * call->rows] = sum;
    }
  }
  return 0;
}

/* By the value of an operand it is the derivative of the slope, since second derivatives are symmetric; by the derivative of an
 * operand it is the slope. */
static void add_along(const admpif_along *of, const admpi_kernel_call *call, int64_t i, int64_t j) {
  const double *above = call->result.adjoint + i * call->result.row_step + j * call->result.col_step;
  double x[4] = {0.0}, slope[4];
  int known = 0;
  for (int64_t w = 0; w < call->width; w++) {
    if (above[w] == 0.0) continue;
    if (!known) slopes_at(of, call->value, i, j, x, slope);
    known = 1;
    for (int32_t k = 0; k < of->n; k++) {
      const admpi_adjoint *to = call->operand + k;
      if (to->adjoint != NULL) to->adjoint[i * to->row_step + j * to->col_step + w] += slope[k ^ 1] * above[w];
    }
  }
}

static int32_t reverse_along(const admpi_kernel_call *call) {
  for (int64_t j = 0; j < call->cols; j++) {
    for (int64_t i = 0; i < call->rows; i++) add_along(call->payload, call, i, j);
  }
  return 0;
}

/* The derivative of a function of one or two operands, each an array or a scalar with its derivative: `n` is 2 or 4. */
int32_t admpif_array_along(const admpi_operand *operand, int32_t n, admpif_slopes slopes, int32_t function, admpi_varmat **y_out) {
  const admpif_along of = {slopes, function, n};
  const admpi_view *like = NULL;
  for (int32_t k = n - 1; k >= 0; k--) {
    if (operand[k].view.of != NULL) like = &operand[k].view;
  }
  if (like == NULL) return admpi_detail_refuse_call(ADMPI_ERR_NULL, "all operands are scalars");
  return admpi_array_apply(like->rows, like->cols, operand, n, forward_along, reverse_along, &of, sizeof of, y_out);
}
