/* admpi: matrices of active doubles, for access to elements.
 *
 * A matrix is bound to a block of values in column-major order. Its elements are scalars: element (i, j) is the admpi_var
 * with that value and id. So scalar code reads and writes matrices at no cost, and records nothing for it.
 * Views are parts of matrices, described by an offset and two steps; they see later assignments. */
#ifndef ADMPI_MATRIX_H
#define ADMPI_MATRIX_H

#include "admpi/var.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Id and tag of an element, as in an admpi_var. */
typedef struct admpi_id {
  uint32_t id;
  uint32_t tag;
} admpi_id;

/** Elements of a matrix that have consecutive ids, or are passive, up to where the next run begins. */
typedef struct admpi_run {
  int64_t from;
  admpi_id id; /**< of element `from`; id 0 is passive */
} admpi_run;

/** Values and ids of a matrix, for access to elements: admpi_view_get reads an element, whatever form the ids have.
 *  The rest of a block is private and follows this structure. */
typedef struct admpi_block {
  double *value;
  admpi_id *ids;  /**< see admpi_view_get */
  uint32_t id0;
  uint32_t tag;
  uint32_t step;
  uint32_t epoch; /**< while this is the epoch of the thread's tape, elements may be written through value and ids */
} admpi_block;

/** A matrix, column-major. The functions of admpi/varmat.h make and free it; its fields are private. admpi.h has the
 *  contract of its handle. */
typedef struct admpi_varmat {
  admpi_block *block;
  int64_t rows;
  int64_t cols;
  int64_t references; /**< code that adds one here (atomically if threads read it) releases it with admpi_varmat_free */
} admpi_varmat;

/** A part of a matrix: its element (i, j) is element offset + i * row_step + j * col_step of the block. It is a plain
 *  value, and valid as long as the matrix lives and has that many elements. Steps are not negative. */
typedef struct admpi_view {
  admpi_varmat *of;
  int64_t offset;
  int64_t rows;
  int64_t cols;
  int64_t row_step;
  int64_t col_step;
} admpi_view;

/** An operand of an array statement, a density or a user's operation: a part of a matrix, or, if view.of is NULL, a scalar. */
typedef struct admpi_operand {
  admpi_view view;
  admpi_var scalar;
} admpi_operand;

/** The adjoints of an operand or of the result of an array statement: those of element (i, j) begin at
 *  adjoint + i * row_step + j * col_step, one per direction. */
typedef struct admpi_adjoint {
  double *adjoint; /**< NULL if there is nothing to add to */
  int64_t row_step;
  int64_t col_step;
} admpi_adjoint;

/** The values of an operand: element (i, j) is value[i * row_step + j * col_step]. A scalar has steps of 0. */
typedef struct admpi_values {
  const double *value;
  int64_t row_step;
  int64_t col_step;
} admpi_values;

/** The argument of the forward function of an array statement. */
typedef struct admpi_forward_call {
  int64_t rows;
  int64_t cols;
  double *result;            /**< output: element (i, j) is result[i + j * rows] */
  const admpi_values *value; /**< of the operands */
  const void *payload;
} admpi_forward_call;

/** The argument of the reverse function of an array statement. */
typedef struct admpi_kernel_call {
  int64_t rows; /**< of the part that was computed */
  int64_t cols;
  int64_t width;                /**< directions of the sweep */
  admpi_adjoint result;         /**< input */
  const admpi_adjoint *operand; /**< the function adds to these; in the order of recording; they may overlap each other */
  const void *payload;          /**< the copy in the tape */
  const admpi_values *value;    /**< the operands' values, as they were when the statement was recorded */
} admpi_kernel_call;

/** An operand of a user's operation, column by column. */
typedef struct admpi_operation_operand {
  int64_t rows;
  int64_t cols;
  const double *value; /**< `rows*cols` */
  double *adjoint;     /**< `rows*cols`, zero on entry: set it to what is added to the operand's adjoints. NULL in the
                            forward function and where the operand is passive */
} admpi_operation_operand;

/** A result of a user's operation, column by column. */
typedef struct admpi_operation_result {
  int64_t rows;
  int64_t cols;
  double *value;         /**< `rows*cols`: the forward function sets it; later read only */
  const double *adjoint; /**< `rows*cols`; NULL in the forward function */
} admpi_operation_result;

/** The argument of the functions of a user's operation. */
typedef struct admpi_operation_call {
  int64_t n_operands;
  const admpi_operation_operand *operand;
  int64_t n_results;
  const admpi_operation_result *result;
  void *data;
} admpi_operation_call;

/** A user's operation. Functions return 0, or any other number, which ends the call or the sweep with
 *  ADMPI_ERR_CALLBACK. They throw no exceptions. */
typedef struct admpi_operation {
  size_t size; /**< sizeof(admpi_operation) */
  /** Computes the values of the results, which are zero on entry. */
  int32_t (*forward)(const admpi_operation_call *call);
  /** Computes adjoints of the operands from those of the results; called once for each direction of a sweep, on every
   *  sweep that passes, and with the values that operands and results had when the operation was recorded. On the
   *  swept tape it may record and sweep a nest of its own. */
  int32_t (*reverse)(const admpi_operation_call *call);
  /** Destroys the data, once: when the operation is forgotten with its place of the tape. It cannot use the tape. May be
   *  NULL. */
  void (*destroy)(void *data);
} admpi_operation;

/** The argument of the function that solves a linear system. */
typedef struct admpi_solve_call {
  int64_t n_p;
  admpi_varmat *const *p; /**< the parameters, passive; matrices of one element for scalars */
  int64_t rows;
  int64_t cols;
  const double *rhs;  /**< `rows*cols`, column by column */
  double *x;          /**< `rows*cols`: output, the solution */
  int32_t transposed; /**< nonzero: solve with the transpose of A */
  void *data;
} admpi_solve_call;

/** A linear system A(p) x = b. Functions return 0, or any other number, which ends the call or the sweep with
 *  ADMPI_ERR_CALLBACK. They throw no exceptions. */
typedef struct admpi_linear_system {
  size_t size; /**< sizeof(admpi_linear_system) */
  /** Solves with plain numbers, by any method; it is not recorded. */
  int32_t (*solve)(const admpi_solve_call *call);
  /** Computes A(p) x, which is recorded and reversed: a matrix of the shape of x, which the library frees. */
  int32_t (*product)(int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data);
  /** Destroys the data, once, as that of an admpi_operation. May be NULL. */
  void (*destroy)(void *data);
} admpi_linear_system;

/** A fixed point x = f(x, p). Functions return values as above. */
typedef struct admpi_fixed_point_map {
  size_t size; /**< sizeof(admpi_fixed_point_map) */
  /** Computes f(x, p): a matrix of the shape of x, which the library frees. Only a sweep records and reverses it. */
  int32_t (*evaluate)(int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data);
  /** What measures iterates and their changes. NULL: the largest magnitude. Where an iterate is spread over ranks, which must do
   *  the same number of iterations, it asks all of them. */
  double (*norm)(int64_t n, const double *x, void *data);
  /** Destroys the data, once, as that of an admpi_operation. May be NULL. */
  void (*destroy)(void *data);
  double tolerance; /**< of the change in an iteration, relative to the larger of 1 and the iterate; in the sweep to the adjoint */
  int64_t max_iterations;
} admpi_fixed_point_map;

/** A part of a matrix as an operand, and a scalar, active or not. */
static inline admpi_operand admpi_operand_part(admpi_view part) {
  admpi_operand operand = {part, {0.0, 0, 0}};
  return operand;
}
static inline admpi_operand admpi_operand_scalar(admpi_var x) {
  admpi_operand operand = {{NULL, 0, 0, 0, 0, 0}, x};
  return operand;
}
static inline admpi_operand admpi_operand_value(double x) {
  admpi_operand operand = {{NULL, 0, 0, 0, 0, 0}, {x, 0, 0}};
  return operand;
}

/** The whole matrix. */
static inline admpi_view admpi_view_all(const admpi_varmat *a) {
  admpi_view view = {(admpi_varmat *)a, 0, a->rows, a->cols, 1, a->rows};
  return view;
}

/** The block of rows x cols elements that begins at (i, j). */
static inline admpi_view admpi_view_block(admpi_view v, int64_t i, int64_t j, int64_t rows, int64_t cols) {
  v.offset += i * v.row_step + j * v.col_step;
  v.rows = rows;
  v.cols = cols;
  return v;
}

static inline admpi_view admpi_view_row(admpi_view v, int64_t i) { return admpi_view_block(v, i, 0, 1, v.cols); }

static inline admpi_view admpi_view_col(admpi_view v, int64_t j) { return admpi_view_block(v, 0, j, v.rows, 1); }

static inline admpi_view admpi_view_transpose(admpi_view v) {
  admpi_view view = {v.of, v.offset, v.cols, v.rows, v.col_step, v.row_step};
  return view;
}

/** Every `step`-th element along a column, from the first on. */
static inline admpi_view admpi_view_every(admpi_view v, int64_t step) {
  if (step > v.rows) step = v.rows > 0 ? v.rows : 1; /* neither product nor sum below is past 2^63 */
  v.rows = (v.rows + step - 1) / step;
  v.row_step *= step;
  return v;
}

/** The elements on the diagonal, as a column. */
static inline admpi_view admpi_view_diagonal(admpi_view v) {
  v.rows = v.rows < v.cols ? v.rows : v.cols;
  v.cols = 1;
  v.row_step += v.col_step;
  return v;
}

/* The ids of a block have one of three forms. `ids` is NULL: element k has id0 + k * step and the tag of the block, where
 * step is 1, or 0 if all elements are passive; id0 is then 0. Its lowest bit is set: it is one more than the address of an
 * array of admpi_run, in the order of `from`, which is INT64_MAX behind the last. Else it has an id for each element. */

/* Id and tag of element k, if the ids are runs. */
static inline admpi_id admpi_detail_run_id(const admpi_block *block, int64_t k) {
  const admpi_run *run = (const admpi_run *)((const char *)block->ids - 1);
  while (run[1].from <= k) ++run;
  admpi_id id = run->id;
  if (id.id != 0) id.id += (uint32_t)(k - run->from);
  return id;
}

/** Element (i, j) of a view. Indices are not checked. */
static inline admpi_var admpi_view_get(admpi_view v, int64_t i, int64_t j) {
  const admpi_block *block = v.of->block;
  const int64_t k = v.offset + i * v.row_step + j * v.col_step;
  admpi_var x = {block->value[k], block->id0 + (uint32_t)k * block->step, block->tag};
  if (block->ids != NULL) {
    const admpi_id id = ((uintptr_t)block->ids & 1) != 0 ? admpi_detail_run_id(block, k) : block->ids[k];
    x.id = id.id;
    x.tag = id.tag;
  }
  return x;
}

#ifdef __cplusplus
}
#endif

#endif
