/* Array statements in C: every function against the operator on scalars, and a pair of loops of the program's own. */
#include <admpi.h>

#include <stdlib.h>

#include "harness/check.h"
#include "scalars/function_lists.h"

enum { rows = 5, cols = 3, n = rows * cols };

static admpi_tape *tape;

/* Different at every place, inside the domains of all functions below after their shift. */
static double number(int k) { return 0.1 + 0.8 * ((k * 37 + 11) % 97) / 97.0; }

static admpi_varmat *inputs(int from, double shift) {
  double value[n];
  admpi_varmat *a = NULL;
  int k;
  for (k = 0; k < n; ++k) value[k] = number(from + k) + shift;
  CHECK(admpi_varmat_new(value, rows, cols, &a) == 0);
  CHECK(admpi_varmat_input(tape, a) == 0);
  return a;
}

static void seed(const admpi_varmat *y) {
  const admpi_view all = admpi_view_all(y);
  double weight[n];
  int k;
  for (k = 0; k < n; ++k) weight[k] = 1.0 + k;
  CHECK(admpi_tape_clear_adjoints(tape) == 0);
  CHECK(admpi_varmat_seed(tape, &all, weight, n, 0) == 0);
  CHECK(admpi_tape_reverse(tape) == 0);
}

static void gradient(const admpi_varmat *x, double *out) {
  const admpi_view all = admpi_view_all(x);
  CHECK(admpi_varmat_adjoints(tape, &all, 0, n, out) == 0);
}

static void compare(const char *name, const admpi_varmat *y, const admpi_varmat *expected, const admpi_varmat *x1,
                    const admpi_varmat *x2) {
  double got[2][n], wanted[2][n];
  const admpi_varmat *x[2] = {x1, x2};
  int k, i;
  seed(y);
  for (i = 0; i < 2; ++i) gradient(x[i], got[i]);
  seed(expected);
  for (i = 0; i < 2; ++i) gradient(x[i], wanted[i]);
  for (k = 0; k < n; ++k) {
    const double a = admpi_view_get(admpi_view_all(y), k % rows, k / rows).value;
    const double b = admpi_view_get(admpi_view_all(expected), k % rows, k / rows).value;
    int fine = fabs(a - b) <= 1e-15 * fabs(b);
    for (i = 0; i < 2; ++i) fine = fine && fabs(got[i][k] - wanted[i][k]) <= 1e-14 * (1.0 + fabs(wanted[i][k]));
    if (!fine) {
      ++failures;
      fprintf(stderr, "%s of element %d: %.17g, expected %.17g; %.17g %.17g, expected %.17g %.17g\n", name, k, a, b, got[0][k],
              got[1][k], wanted[0][k], wanted[1][k]);
    }
  }
}

/* The same by operators on the elements. */
#define SCALARS(matrix, expression)                                     \
  {                                                                     \
    const admpi_view to = admpi_view_all(matrix);                       \
    for (int j = 0; j < cols; ++j)                                      \
      for (int i = 0; i < rows; ++i) {                                  \
        const admpi_var a = admpi_view_get(admpi_view_all(x), i, j);    \
        const admpi_var b = admpi_view_get(admpi_view_all(y), i, j);    \
        (void)a, (void)b;                                               \
        CHECK(admpi_varmat_set(&to, i, j, expression) == 0);            \
      }                                                                 \
  }

static void test_kernels_functions(void) {
#define FUNCTION(name, shift)                                             \
  {                                                                       \
    admpi_varmat *x = inputs(0, shift), *y = inputs(50, 0.0), *z = NULL, *s = NULL; \
    CHECK(admpi_array_##name(admpi_view_all(x), &z) == 0);                \
    CHECK(admpi_varmat_new(NULL, rows, cols, &s) == 0);                   \
    SCALARS(s, admpi_##name(a))                                           \
    compare(#name, z, s, x, y);                                           \
    admpi_varmat_free(x);                                                 \
    admpi_varmat_free(y);                                                 \
    admpi_varmat_free(z);                                                 \
    admpi_varmat_free(s);                                                 \
  }
  TEST_OF_ONE(FUNCTION)
#undef FUNCTION
#define FUNCTION(name, shift)                                                           \
  {                                                                                     \
    admpi_varmat *x = inputs(0, shift), *y = inputs(50, 0.3), *z = NULL, *s = NULL;     \
    CHECK(admpi_array_##name(admpi_view_all(x), admpi_view_all(y), &z) == 0);           \
    CHECK(admpi_varmat_new(NULL, rows, cols, &s) == 0);                                 \
    SCALARS(s, admpi_##name(a, b))                                                      \
    compare(#name, z, s, x, y);                                                         \
    admpi_varmat_free(x);                                                               \
    admpi_varmat_free(y);                                                               \
    admpi_varmat_free(z);                                                               \
    admpi_varmat_free(s);                                                               \
  }
  FUNCTION(add, 0.0)
  FUNCTION(sub, 0.0)
  FUNCTION(mul, 0.0)
  FUNCTION(div, 0.0)
  TEST_OF_TWO(FUNCTION)
#undef FUNCTION
}

/* More elements than are worked on at once, of parts whose columns and rows do not lie one behind the other, and in two directions. */
static void test_kernels_functions_of_many(void) {
  enum { tall = 150, wide = 7, many = tall * wide };
  static double value[many], weight[2][many], got[many];
  admpi_varmat *x = NULL;
  int k, l, v;
  for (k = 0; k < many; ++k) value[k] = 0.3 + number(k);
  CHECK(admpi_varmat_new(value, tall, wide, &x) == 0);
  CHECK(admpi_varmat_input(tape, x) == 0);
  CHECK(admpi_tape_set_width(tape, 2) == 0);
  for (l = 0; l < 2; ++l)
    for (k = 0; k < many; ++k) weight[l][k] = k % 5 == l ? 0.0 : 0.5 + l + number(3 * k);
  {
    const admpi_view all = admpi_view_all(x);
    const admpi_view part[4] = {all, admpi_view_block(all, 3, 1, 140, 5), admpi_view_transpose(admpi_view_block(all, 0, 2, 149, 3)),
                                admpi_view_block(all, 8, 0, 1, wide)};
    for (v = 0; v < 4; ++v) {
      admpi_varmat *y = NULL;
      const int64_t m = part[v].rows * part[v].cols;
      int64_t i, j;
      CHECK(admpi_array_log1p(part[v], &y) == 0);
      CHECK(admpi_tape_clear_adjoints(tape) == 0);
      {
        const admpi_view of_y = admpi_view_all(y);
        for (l = 0; l < 2; ++l) CHECK(admpi_varmat_seed(tape, &of_y, weight[l], m, l) == 0);
        for (j = 0; j < part[v].cols; ++j)
          for (i = 0; i < part[v].rows; ++i) {
            const double wanted = log1p(admpi_view_get(part[v], i, j).value);
            CHECK(fabs(admpi_view_get(of_y, i, j).value - wanted) <= 1e-15 * wanted);
          }
      }
      CHECK(admpi_tape_reverse(tape) == 0);
      for (l = 0; l < 2; ++l) {
        double total = 0.0, expected = 0.0;
        CHECK(admpi_varmat_adjoints(tape, &part[v], l, m, got) == 0);
        for (j = 0; j < part[v].cols; ++j)
          for (i = 0; i < part[v].rows; ++i) {
            const double w = weight[l][i + j * part[v].rows] / (1.0 + admpi_view_get(part[v], i, j).value);
            expected += w;
            CHECK(fabs(got[i + j * part[v].rows] - w) <= 1e-15 * w);
          }
        /* Nothing beside the part. */
        CHECK(admpi_varmat_adjoints(tape, &all, l, many, got) == 0);
        for (k = 0; k < many; ++k) total += got[k];
        CHECK(fabs(total - expected) <= 1e-12 * expected);
      }
      admpi_varmat_free(y);
    }
  }
  CHECK(admpi_tape_set_width(tape, 1) == 0);
  admpi_varmat_free(x);
}

/* The order is an integer. */
static void test_kernels_polygamma(void) {
  const double order[n] = {0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4};
  admpi_varmat *k = NULL, *x = inputs(0, 0.0), *y = NULL, *s = NULL, *z = NULL;
  CHECK(admpi_varmat_new(order, rows, cols, &k) == 0);
  y = inputs(50, 0.0);
  CHECK(admpi_array_polygamma(admpi_view_all(k), admpi_view_all(x), &z) == 0);
  CHECK(admpi_varmat_new(NULL, rows, cols, &s) == 0);
  SCALARS(s, admpi_d_polygamma(order[i + j * rows], a))
  compare("polygamma", z, s, x, y);
  admpi_varmat_free(k);
  admpi_varmat_free(x);
  admpi_varmat_free(y);
  admpi_varmat_free(s);
  admpi_varmat_free(z);
}

static void test_kernels_axpy_of_parts(void) {
  admpi_varmat *x = inputs(0, 0.0), *y = inputs(50, 0.0), *z = NULL, *wrong = NULL;
  const admpi_view left = admpi_view_block(admpi_view_all(x), 0, 0, 3, 2);
  const admpi_view right = admpi_view_transpose(admpi_view_block(admpi_view_all(y), 1, 0, 2, 3));
  const admpi_var alpha = admpi_view_get(admpi_view_all(x), 0, 0);
  double gx[n], gy[n], of_alpha = 0.0, weight[6];
  int i, j;
  admpi_statistics before, after;
  CHECK(admpi_tape_statistics(tape, &before) == 0);
  CHECK(admpi_array_axpy(alpha, left, right, &z) == 0);
  CHECK(admpi_tape_statistics(tape, &after) == 0);
  CHECK(after.events == before.events + 1);
  const admpi_view all = admpi_view_all(z);
  for (i = 0; i < 6; ++i) weight[i] = 2.0 + i;
  CHECK(admpi_tape_clear_adjoints(tape) == 0);
  CHECK(admpi_varmat_seed(tape, &all, weight, 6, 0) == 0);
  CHECK(admpi_tape_reverse(tape) == 0);
  gradient(x, gx);
  gradient(y, gy);
  for (j = 0; j < 2; ++j) {
    for (i = 0; i < 3; ++i) {
      const double a = admpi_view_get(left, i, j).value, b = admpi_view_get(right, i, j).value, w = weight[i + 3 * j];
      CHECK(admpi_view_get(all, i, j).value == alpha.value * a + b);
      of_alpha += w * a;
      CHECK(gy[(1 + j) + rows * i] == w);
      if (i != 0 || j != 0) CHECK(gx[i + rows * j] == w * alpha.value);
    }
  }
  CHECK(fabs(gx[0] - (of_alpha + weight[0] * alpha.value)) < 1e-14);
  /* Shapes are those of the first. */
  CHECK(admpi_array_add(left, admpi_view_all(y), &wrong) == ADMPI_ERR_ARGUMENT);
  CHECK(strstr(admpi_last_error(), "operand[1] is 5 x 3, not 3 x 2") != NULL);
  CHECK(wrong == NULL);
  admpi_varmat_free(x);
  admpi_varmat_free(y);
  admpi_varmat_free(z);
}

/* c * a * b + s of the program's own. */
static int32_t forward(const admpi_forward_call *call) {
  const double c = *(const double *)call->payload;
  int64_t i, j;
  if (c < 0.0) return 3;
  for (j = 0; j < call->cols; ++j)
    for (i = 0; i < call->rows; ++i)
      call->result[i + j * call->rows] =
          c * admpi_value_at(&call->value[0], i, j) * admpi_value_at(&call->value[1], i, j) + call->value[2].value[0];
  return 0;
}

static int32_t reverse(const admpi_kernel_call *call) {
  const double c = *(const double *)call->payload;
  int64_t i, j, k;
  for (k = 0; k < call->width; ++k)
    for (j = 0; j < call->cols; ++j)
      for (i = 0; i < call->rows; ++i) {
        const double w = admpi_adjoint_at(&call->result, i, j, k);
        admpi_adjoint_add(&call->operand[0], i, j, k, w * c * admpi_value_at(&call->value[1], i, j));
        admpi_adjoint_add(&call->operand[1], i, j, k, w * c * admpi_value_at(&call->value[0], i, j));
        admpi_adjoint_add(&call->operand[2], i, j, k, w);
      }
  return c == 7.0 ? 5 : 0;
}

static void test_kernels_of_the_program(void) {
  admpi_varmat *x = inputs(0, 0.0), *y = inputs(50, 0.0), *z = NULL, *s = NULL;
  const admpi_var t = admpi_view_get(admpi_view_all(y), 2, 2);
  const admpi_operand operand[3] = {admpi_operand_part(admpi_view_all(x)), admpi_operand_part(admpi_view_all(y)),
                                    admpi_operand_scalar(t)};
  const admpi_view part = admpi_view_block(admpi_view_all(x), 1, 1, 2, 2);
  double c = 1.5;
  const double zeros[4] = {0.0, 0.0, 0.0, 0.0};
  CHECK(admpi_array_apply(rows, cols, operand, 3, forward, reverse, &c, sizeof c, &z) == 0);
  CHECK(admpi_varmat_new(NULL, rows, cols, &s) == 0);
  SCALARS(s, admpi_add(admpi_mul(admpi_mul_d(a, 1.5), b), t))
  /* The tape has its own copy, and the operands' values as they were. */
  c = 0.0;
  CHECK(admpi_varmat_assign_values(&part, zeros, 4) == 0);
  {
    admpi_varmat *of_x = inputs(0, 0.0);
    compare("own", z, s, of_x, y);
    admpi_varmat_free(of_x);
  }
  c = -1.0;
  CHECK(admpi_array_apply(rows, cols, operand, 3, forward, reverse, &c, sizeof c, &z) == ADMPI_ERR_CALLBACK);
  CHECK(strstr(admpi_last_error(), "3") != NULL);
  CHECK(admpi_array_apply(rows, cols, operand, 3, NULL, reverse, &c, sizeof c, &z) == ADMPI_ERR_NULL);
  CHECK(strstr(admpi_last_error(), "forward") != NULL);
  CHECK(admpi_array_apply(rows, cols, operand, 3, forward, NULL, &c, sizeof c, &z) == ADMPI_ERR_NULL);
  CHECK(strstr(admpi_last_error(), "reverse") != NULL);
  CHECK(admpi_array_apply(rows, cols, operand, 3, forward, reverse, &c, sizeof c, NULL) == ADMPI_ERR_NULL);
  CHECK(admpi_array_apply(-1, cols, operand, 3, forward, reverse, &c, sizeof c, &z) == ADMPI_ERR_ARGUMENT);
  c = 7.0;
  admpi_varmat_free(z);
  CHECK(admpi_array_apply(rows, cols, operand, 3, forward, reverse, &c, sizeof c, &z) == 0);
  {
    const admpi_view all = admpi_view_all(z);
    const double one[n] = {1.0};
    CHECK(admpi_varmat_seed(tape, &all, one, n, 0) == 0);
    CHECK(admpi_tape_reverse(tape) == ADMPI_ERR_CALLBACK);
  }
  admpi_varmat_free(x);
  admpi_varmat_free(y);
  admpi_varmat_free(z);
  admpi_varmat_free(s);
}

int main(void) {
  CHECK(admpi_tape_new(&tape) == 0);
  CHECK(admpi_tape_activate(tape, NULL) == 0);
  CHECK(admpi_tape_start(tape) == 0);
  test_kernels_functions();
  test_kernels_functions_of_many();
  test_kernels_polygamma();
  test_kernels_axpy_of_parts();
  test_kernels_of_the_program();
  admpi_tape_free(tape);
  return failures != 0;
}
