/* admpi: array statements in C. Sums, products and functions of parts of matrices, element by element, each one event.
 * In C++ use expressions. For pairs of your own loops: admpi_array_apply in admpi/arrays.h.
 *
 * The loops are compiled with the program; the reverse loops compute the partial derivatives again. Conventions at ties,
 * jumps and singular points: admpi/partials.h. Each function returns what admpi_array_apply returns. Free the matrix that
 * it makes with admpi_varmat_free. */
#ifndef ADMPI_KERNELS_H
#define ADMPI_KERNELS_H

#include "admpi/arrays.h"
#include "admpi/ops.h"
#include "admpi/special.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Element (i, j) of an operand. */
static inline double admpi_value_at(const admpi_values *v, int64_t i, int64_t j) {
  return v->value[i * v->row_step + j * v->col_step];
}

/** Its adjoint in direction k. */
static inline double admpi_adjoint_at(const admpi_adjoint *a, int64_t i, int64_t j, int64_t k) {
  return a->adjoint[i * a->row_step + j * a->col_step + k];
}

/** Adds to that, if there is one. */
static inline void admpi_adjoint_add(const admpi_adjoint *a, int64_t i, int64_t j, int64_t k, double w) {
  if (a->adjoint != NULL) a->adjoint[i * a->row_step + j * a->col_step + k] += w;
}

#define ADMPI_LOOP(...)                          \
  for (int64_t j = 0; j < call->cols; ++j) {     \
    for (int64_t i = 0; i < call->rows; ++i) {   \
      __VA_ARGS__;                               \
    }                                            \
  }

/* A weight of 0 adds nothing, also where a partial is infinite. */
#define ADMPI_REVERSE_LOOP(...)                                  \
  for (int64_t k = 0; k < call->width; ++k) {                    \
    ADMPI_LOOP({                                                 \
      const double w = admpi_adjoint_at(&call->result, i, j, k); \
      if (w != 0.0) __VA_ARGS__                                  \
    })                                                           \
  }

/** name(a) */
#define ADMPI_STATEMENT_1(name)                                                                   \
  static inline int32_t admpi_array_##name(admpi_view a, admpi_varmat **b_out) {                  \
    const admpi_operand operand = admpi_operand_part(a);                                          \
    return admpi_array_apply(a.rows, a.cols, &operand, 1, admpi_forward_##name, admpi_reverse_##name, NULL, 0, b_out); \
  }

/** name(a, b), for parts of the same shape */
#define ADMPI_STATEMENT_2(name)                                                                   \
  static inline int32_t admpi_array_##name(admpi_view a, admpi_view b, admpi_varmat **c_out) {    \
    const admpi_operand operand[2] = {admpi_operand_part(a), admpi_operand_part(b)};              \
    return admpi_array_apply(a.rows, a.cols, operand, 2, admpi_forward_##name, admpi_reverse_##name, NULL, 0, c_out); \
  }

#define ADMPI_KERNEL_1(name, expression)                                                          \
  static inline int32_t admpi_forward_##name(const admpi_forward_call *call) {                    \
    ADMPI_LOOP({                                                                                  \
      const double x = admpi_value_at(&call->value[0], i, j);                                     \
      call->result[i + j * call->rows] = expression;                                              \
    })                                                                                            \
    return 0;                                                                                     \
  }                                                                                               \
  static inline int32_t admpi_reverse_##name(const admpi_kernel_call *call) {                     \
    ADMPI_REVERSE_LOOP({                                                                          \
      const double x = admpi_value_at(&call->value[0], i, j);                                     \
      const double y = expression;                                                                \
      admpi_adjoint_add(&call->operand[0], i, j, k, w *admpi_partial_##name(x, y));               \
    })                                                                                            \
    return 0;                                                                                     \
  }                                                                                               \
  ADMPI_STATEMENT_1(name)

/* Numbers that are worked on at once. */
#define ADMPI_AT_ONCE 128

/* Up to ADMPI_AT_ONCE values from number `first` on, column by column: where they lie, or brought together in `room`. */
static inline const double *admpi_detail_values_from(const admpi_values *v, int64_t rows, int64_t first, int64_t n,
                                                    double *room) {
  int64_t i = first % rows, j = first / rows;
  if (v->row_step == 1 && v->col_step == rows) return v->value + first;
  for (int64_t l = 0; l < n; ++l) {
    room[l] = admpi_value_at(v, i, j);
    if (++i == rows) i = 0, ++j;
  }
  return room;
}

typedef int32_t (*admpi_detail_values_function)(int64_t n, const double *x, double *y_out, double *derivative_out);

static inline int32_t admpi_detail_forward_of_many(const admpi_forward_call *call,
                                                   admpi_detail_values_function function) {
  const int64_t all = call->rows * call->cols;
  for (int64_t first = 0; first < all; first += ADMPI_AT_ONCE) {
    const int64_t n = all - first < ADMPI_AT_ONCE ? all - first : ADMPI_AT_ONCE;
    double room[ADMPI_AT_ONCE];
    const double *x = admpi_detail_values_from(&call->value[0], call->rows, first, n, room);
    const int32_t status = function(n, x, call->result + first, NULL);
    if (status != 0) return status;
  }
  return 0;
}

/* Adds to the adjoints of an operand from element `first` on, column by column. */
static inline void admpi_detail_reverse_chunk(const admpi_kernel_call *call, int64_t first, int64_t n, int operand,
                                              const double *derivative) {
  for (int64_t k = 0; k < call->width; ++k) {
    int64_t i = first % call->rows, j = first / call->rows;
    for (int64_t l = 0; l < n; ++l) {
      const double w = admpi_adjoint_at(&call->result, i, j, k);
      if (w != 0.0) admpi_adjoint_add(&call->operand[operand], i, j, k, w * derivative[l]);
      if (++i == call->rows) i = 0, ++j;
    }
  }
}

static inline int32_t admpi_detail_reverse_of_many(const admpi_kernel_call *call,
                                                   admpi_detail_values_function function) {
  const int64_t all = call->rows * call->cols;
  for (int64_t first = 0; first < all; first += ADMPI_AT_ONCE) {
    const int64_t n = all - first < ADMPI_AT_ONCE ? all - first : ADMPI_AT_ONCE;
    double room[ADMPI_AT_ONCE], y[ADMPI_AT_ONCE], derivative[ADMPI_AT_ONCE];
    const double *x = admpi_detail_values_from(&call->value[0], call->rows, first, n, room);
    const int32_t status = function(n, x, y, derivative);
    if (status != 0) return status;
    admpi_detail_reverse_chunk(call, first, n, 0, derivative);
  }
  return 0;
}

typedef int32_t (*admpi_detail_values_function_2)(int64_t n, const double *x1, const double *x2, double *y_out,
                                           double *derivative_1_out, double *derivative_2_out);

static inline int32_t admpi_detail_forward_of_many_2(const admpi_forward_call *call,
                                                     admpi_detail_values_function_2 function) {
  const int64_t all = call->rows * call->cols;
  for (int64_t first = 0; first < all; first += ADMPI_AT_ONCE) {
    const int64_t n = all - first < ADMPI_AT_ONCE ? all - first : ADMPI_AT_ONCE;
    double room[2][ADMPI_AT_ONCE];
    const double *x1 = admpi_detail_values_from(&call->value[0], call->rows, first, n, room[0]);
    const double *x2 = admpi_detail_values_from(&call->value[1], call->rows, first, n, room[1]);
    const int32_t status = function(n, x1, x2, call->result + first, NULL, NULL);
    if (status != 0) return status;
  }
  return 0;
}

static inline int32_t admpi_detail_reverse_of_many_2(const admpi_kernel_call *call,
                                                     admpi_detail_values_function_2 function) {
  const int64_t all = call->rows * call->cols;
  for (int64_t first = 0; first < all; first += ADMPI_AT_ONCE) {
    const int64_t n = all - first < ADMPI_AT_ONCE ? all - first : ADMPI_AT_ONCE;
    double room[2][ADMPI_AT_ONCE], y[ADMPI_AT_ONCE], derivative[2][ADMPI_AT_ONCE];
    const double *x1 = admpi_detail_values_from(&call->value[0], call->rows, first, n, room[0]);
    const double *x2 = admpi_detail_values_from(&call->value[1], call->rows, first, n, room[1]);
    const int32_t status = function(n, x1, x2, y, derivative[0], derivative[1]);
    if (status != 0) return status;
    admpi_detail_reverse_chunk(call, first, n, 0, derivative[0]);
    admpi_detail_reverse_chunk(call, first, n, 1, derivative[1]);
  }
  return 0;
}

#define ADMPI_KERNEL_OF_MANY(name, expression)                                                    \
  static inline int32_t admpi_forward_##name(const admpi_forward_call *call) {                    \
    return admpi_detail_forward_of_many(call, admpi_values_##name);                                      \
  }                                                                                               \
  static inline int32_t admpi_reverse_##name(const admpi_kernel_call *call) {                     \
    return admpi_detail_reverse_of_many(call, admpi_values_##name);                                      \
  }                                                                                               \
  ADMPI_STATEMENT_1(name)

#define ADMPI_KERNEL_2(name, expression, partial_1, partial_2)                                    \
  static inline int32_t admpi_forward_##name(const admpi_forward_call *call) {                    \
    ADMPI_LOOP({                                                                                  \
      const double x1 = admpi_value_at(&call->value[0], i, j);                                    \
      const double x2 = admpi_value_at(&call->value[1], i, j);                                    \
      call->result[i + j * call->rows] = expression;                                              \
    })                                                                                            \
    return 0;                                                                                     \
  }                                                                                               \
  static inline int32_t admpi_reverse_##name(const admpi_kernel_call *call) {                     \
    ADMPI_REVERSE_LOOP({                                                                          \
      const double x1 = admpi_value_at(&call->value[0], i, j);                                    \
      const double x2 = admpi_value_at(&call->value[1], i, j);                                    \
      const double y = expression;                                                                \
      (void)x1, (void)x2, (void)y;                                                                \
      admpi_adjoint_add(&call->operand[0], i, j, k, w *(partial_1));                              \
      admpi_adjoint_add(&call->operand[1], i, j, k, w *(partial_2));                              \
    })                                                                                            \
    return 0;                                                                                     \
  }                                                                                               \
  ADMPI_STATEMENT_2(name)

#define ADMPI_KERNEL_OF_MANY_2(name, expression)                                                  \
  static inline int32_t admpi_forward_##name(const admpi_forward_call *call) {                    \
    return admpi_detail_forward_of_many_2(call, admpi_values_##name);                                    \
  }                                                                                               \
  static inline int32_t admpi_reverse_##name(const admpi_kernel_call *call) {                     \
    return admpi_detail_reverse_of_many_2(call, admpi_values_##name);                                    \
  }                                                                                               \
  ADMPI_STATEMENT_2(name)

#define ADMPI_KERNEL_OF(name, expression) \
  ADMPI_KERNEL_2(name, expression, admpi_partial_1_##name(x1, x2, y), admpi_partial_2_##name(x1, x2, y))

ADMPI_KERNEL_2(add, x1 + x2, 1.0, 1.0)
ADMPI_KERNEL_2(sub, x1 - x2, 1.0, -1.0)
ADMPI_KERNEL_2(mul, x1 *x2, x2, x1)
ADMPI_KERNEL_OF(div, x1 / x2)

ADMPI_FUNCTIONS_OF_MANY(ADMPI_KERNEL_OF_MANY)
ADMPI_FUNCTIONS_OF_ONE(ADMPI_KERNEL_1)
ADMPI_PAIRS_OF_MANY(ADMPI_KERNEL_OF_MANY_2)
ADMPI_PAIRS_OF_ONE(ADMPI_KERNEL_OF)

static inline int32_t admpi_forward_axpy(const admpi_forward_call *call) {
  const double alpha = call->value[0].value[0];
  ADMPI_LOOP(call->result[i + j * call->rows] =
                 alpha * admpi_value_at(&call->value[1], i, j) + admpi_value_at(&call->value[2], i, j))
  return 0;
}
static inline int32_t admpi_reverse_axpy(const admpi_kernel_call *call) {
  const double alpha = call->value[0].value[0];
  ADMPI_REVERSE_LOOP({
    admpi_adjoint_add(&call->operand[0], 0, 0, k, w * admpi_value_at(&call->value[1], i, j));
    admpi_adjoint_add(&call->operand[1], i, j, k, w * alpha);
    admpi_adjoint_add(&call->operand[2], i, j, k, w);
  })
  return 0;
}
/** alpha * x + y, for parts of the same shape */
static inline int32_t admpi_array_axpy(admpi_var alpha, admpi_view x, admpi_view y, admpi_varmat **z_out) {
  const admpi_operand operand[3] = {admpi_operand_scalar(alpha), admpi_operand_part(x), admpi_operand_part(y)};
  return admpi_array_apply(x.rows, x.cols, operand, 3, admpi_forward_axpy, admpi_reverse_axpy, NULL, 0, z_out);
}

#undef ADMPI_LOOP
#undef ADMPI_REVERSE_LOOP
#undef ADMPI_STATEMENT_1
#undef ADMPI_STATEMENT_2
#undef ADMPI_KERNEL_1
#undef ADMPI_KERNEL_2
#undef ADMPI_KERNEL_OF
#undef ADMPI_KERNEL_OF_MANY
#undef ADMPI_KERNEL_OF_MANY_2
#undef ADMPI_AT_ONCE

#ifdef __cplusplus
}
#endif

#endif
