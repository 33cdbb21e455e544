/* Drivers in C: gradients, Jacobians, products and checks of functions of active values, on a tape of their own, on the
 * thread's tape, and where the function makes a mistake. */
#include <admpi.h>

#include <stdlib.h>

#include "harness/check.h"

enum { N = 3, M = 19 };

static const double at[N] = {0.7, -1.3, 0.4};
static int calls;

/* y = x0 sin(x1) + x2 x2, called at N inputs. */
static int32_t objective(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  CHECK(n == N && m == 1 && ctx == &calls);
  ++calls;
  *y = admpi_add(admpi_mul(x[0], admpi_sin(x[1])), admpi_mul(x[2], x[2]));
  return 0;
}

/* y[i] = i x0 x1 + x2, but y[2] is constant and y[3] is an input. */
static int32_t results(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  CHECK(n == N && ctx == NULL);
  for (int i = 0; i < m; i++) y[i] = admpi_add(admpi_mul_d(admpi_mul(x[0], x[1]), i), x[2]);
  if (m > 2) y[2] = admpi_passive(2.5);
  if (m > 3) y[3] = x[1];
  return 0;
}
static double derivative(int i, int j) {
  if (i == 2) return 0.0;
  if (i == 3) return j == 1 ? 1.0 : 0.0;
  return j == 0 ? i * at[1] : j == 1 ? i * at[0] : 1.0;
}

static int32_t nothing(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  (void)n, (void)ctx;
  for (int i = 0; i < m - 1; i++) y[i] = x[0];
  return 0;
}

static int32_t constants(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  (void)x, (void)n, (void)ctx;
  for (int i = 0; i < m; i++) y[i] = admpi_passive(i);
  return 0;
}

static int32_t seven(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  (void)x, (void)n, (void)y, (void)m, (void)ctx;
  return 7;
}

/* A derivative is lost: that by x1. */
static int32_t loses(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  (void)n, (void)m, (void)ctx;
  *y = admpi_add(admpi_mul_d(admpi_exp(x[0]), x[1].value), admpi_mul(x[2], x[0]));
  return 0;
}

static int32_t times_outside(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  (void)n, (void)m;
  *y = admpi_mul(x[0], *(const admpi_var *)ctx);
  return 0;
}

static void test_gradient(void) {
  double value = 0.0, gradient[N] = {0.0};
  calls = 0;
  CHECK(admpi_gradient(objective, &calls, at, N, &value, gradient) == ADMPI_SUCCESS);
  CHECK(calls == 1);
  CHECK_CLOSE(value, at[0] * sin(at[1]) + at[2] * at[2]);
  CHECK_CLOSE(gradient[0], sin(at[1]));
  CHECK_CLOSE(gradient[1], at[0] * cos(at[1]));
  CHECK_CLOSE(gradient[2], 2.0 * at[2]);
  CHECK(admpi_gradient(objective, &calls, at, N, NULL, gradient) == ADMPI_SUCCESS);
}

static void test_jacobian(int m) {
  double *values = malloc((size_t)(m + 1) * sizeof *values), *jacobian = malloc((size_t)(m * N + 1) * sizeof *jacobian);
  double weights[M + 1], product[N];
  CHECK(admpi_jacobian(results, NULL, at, N, m, values, jacobian) == ADMPI_SUCCESS);
  for (int i = 0; i < m; i++) {
    CHECK_CLOSE(values[i], i == 2 ? 2.5 : i == 3 ? at[1] : i * (at[0] * at[1]) + at[2]);
    for (int j = 0; j < N; j++) CHECK_CLOSE(jacobian[i + j * m], derivative(i, j));
    weights[i] = 1.0 + i;
  }
  CHECK(admpi_transposed_jacobian_product(results, NULL, at, N, weights, m, NULL, product) == ADMPI_SUCCESS);
  for (int j = 0; j < N; j++) {
    double sum = 0.0;
    for (int i = 0; i < m; i++) sum += weights[i] * derivative(i, j);
    CHECK(fabs(product[j] - sum) <= 1e-13 * fabs(sum));
  }
  free(values);
  free(jacobian);
}

/* y[i] = x[i] x[i + 1] on a ring, or x[i] x[i] where x[0] is negative; the last result is constant. */
static int32_t ring(const admpi_var *x, int64_t n, admpi_var *y, int64_t m, void *ctx) {
  (void)ctx;
  for (int64_t i = 0; i < m; i++) y[i] = admpi_mul(x[i], x[0].value < 0.0 ? x[i] : x[(i + 1) % n]);
  if (m > 0) y[m - 1] = admpi_passive(1.0);
  return 0;
}

static void test_sparse(int n) {
  admpi_sparse *s = NULL, *other = NULL;
  int64_t rows = -1, cols = -1, elements = -1;
  double x[40], value[40], element[80];
  int64_t start[41], column[80];
  for (int i = 0; i < n; i++) x[i] = 1.0 + 0.25 * i;
  CHECK(admpi_jacobian_sparsity(ring, NULL, x, n, n, &s) == ADMPI_SUCCESS);
  CHECK(admpi_sparse_size(s, &rows, &cols, &elements) == ADMPI_SUCCESS && rows == n && cols == n && elements == (n > 0 ? 2 * (n - 1) : 0));
  CHECK(admpi_sparse_rows(s, start, column) == ADMPI_SUCCESS);
  CHECK(admpi_sparse_jacobian(ring, NULL, x, n, s, value, element) == ADMPI_SUCCESS);
  for (int i = 0; i + 1 < n; i++) {
    CHECK_CLOSE(value[i], x[i] * x[i + 1]);
    CHECK(start[i] == 2 * i && column[2 * i] == i && column[2 * i + 1] == i + 1);
    CHECK_CLOSE(element[2 * i], x[i + 1]);
    CHECK_CLOSE(element[2 * i + 1], x[i]);
  }
  if (n > 1) {
    x[0] = -1.0;
    CHECK(admpi_jacobian_sparsity(ring, NULL, x, n, n, &other) == ADMPI_SUCCESS);
    CHECK(admpi_sparse_jacobian(ring, NULL, x, n, other, NULL, element) == ADMPI_SUCCESS);
    x[0] = 1.0;
    CHECK(admpi_sparse_jacobian(ring, NULL, x, n, other, NULL, element) == ADMPI_ERR_ARGUMENT);
    CHECK(strstr(admpi_last_error(), "column 1 of the pattern lacks an element") != NULL);
    CHECK(admpi_sparse_jacobian(ring, NULL, x, n - 1, s, NULL, element) == ADMPI_ERR_ARGUMENT);
    CHECK(strstr(admpi_last_error(), "columns, but there are") != NULL);
  }
  admpi_sparse_free(other);
  admpi_sparse_free(s);
}

/* Every result of every input: as many colours as rows. */
static void test_sparse_where_all_are_there(void) {
  admpi_sparse *s = NULL;
  double element[M * N];
  CHECK(admpi_jacobian_sparsity(results, NULL, at, N, M, &s) == ADMPI_SUCCESS);
  CHECK(admpi_sparse_jacobian(results, NULL, at, N, s, NULL, element) == ADMPI_SUCCESS);
  for (int i = 0, e = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      if (i != 2 && (i != 3 || j == 1)) CHECK_CLOSE(element[e++], derivative(i, j));
  admpi_sparse_free(s);
  CHECK(admpi_sparse_jacobian(results, NULL, at, N, NULL, NULL, element) == ADMPI_ERR_NULL);
  CHECK(admpi_jacobian_sparsity(seven, NULL, at, N, M, &s) == ADMPI_ERR_CALLBACK);
}

static void test_check(void) {
  admpi_input_check checks[N];
  int64_t wrong = -1;
  calls = 0;
  CHECK(admpi_check_gradient(objective, &calls, at, N, 1e-6, checks, &wrong) == ADMPI_SUCCESS);
  CHECK(wrong == 0 && calls == 1 + 16 * N);
  for (int i = 0; i < N; i++) CHECK(checks[i].is_right && fabs(checks[i].reverse - checks[i].difference) < 1e-6);
  CHECK(admpi_check_gradient(loses, NULL, at, N, 1e-6, checks, &wrong) == ADMPI_SUCCESS);
  CHECK(wrong == 1 && checks[0].is_right && !checks[1].is_right && checks[2].is_right);
  CHECK(checks[1].reverse == 0.0 && fabs(checks[1].difference - exp(at[0])) < 1e-6);
}

static void test_mistakes(void) {
  double value = 3.0, gradient[N] = {4.0, 4.0, 4.0}, jacobian[M * N], values[5];
  int64_t wrong;
  CHECK(admpi_gradient(NULL, NULL, at, N, &value, gradient) == ADMPI_ERR_NULL && strstr(admpi_last_error(), "f is NULL"));
  CHECK(admpi_gradient(objective, &calls, NULL, N, &value, gradient) == ADMPI_ERR_NULL && strstr(admpi_last_error(), "x is NULL"));
  CHECK(admpi_gradient(objective, &calls, at, -1, &value, gradient) == ADMPI_ERR_ARGUMENT && strstr(admpi_last_error(), "n = -1"));
  CHECK(admpi_gradient(objective, &calls, at, N, &value, NULL) == ADMPI_ERR_NULL && strstr(admpi_last_error(), "gradient_out"));
  CHECK(admpi_gradient(seven, NULL, at, N, &value, gradient) == ADMPI_ERR_CALLBACK && strstr(admpi_last_error(), "returned 7"));
  CHECK(admpi_gradient(nothing, NULL, at, N, &value, gradient) == ADMPI_ERR_ARGUMENT && strstr(admpi_last_error(), "has not set y[0]"));
  CHECK(value == 3.0 && gradient[0] == 4.0);
  CHECK(admpi_jacobian(nothing, NULL, at, N, M, NULL, jacobian) == ADMPI_ERR_ARGUMENT && strstr(admpi_last_error(), "has not set y[18]"));
  CHECK(admpi_jacobian(results, NULL, at, N, -2, NULL, jacobian) == ADMPI_ERR_ARGUMENT && strstr(admpi_last_error(), "m = -2"));
  CHECK(admpi_check_gradient(objective, &calls, at, N, 1e-6, NULL, &wrong) == ADMPI_ERR_NULL && strstr(admpi_last_error(), "checks_out"));
  CHECK(admpi_jacobian(results, NULL, at, N, 0, NULL, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_jacobian(constants, NULL, NULL, 0, 5, values, NULL) == ADMPI_SUCCESS && values[4] == 4.0);
  CHECK(admpi_gradient(constants, NULL, NULL, 0, &value, NULL) == ADMPI_SUCCESS && value == 0.0);
  CHECK(admpi_check_gradient(constants, NULL, NULL, 0, 1e-6, NULL, &wrong) == ADMPI_SUCCESS && wrong == 0);
}

/* Checking mode is that of the program, also on a tape for the time of a call: a value of another tape is found. */
static void test_values_of_another_tape(void) {
  const char *check = getenv("ADMPI_CHECK");
  const int is_checked = check != NULL && strcmp(check, "0") != 0;
  admpi_tape *other;
  admpi_var outer;
  double gradient[N];
  const double two = 2.0;
  CHECK(admpi_tape_new(&other) == ADMPI_SUCCESS && admpi_tape_activate(other, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(other) == ADMPI_SUCCESS && admpi_tape_input(other, &two, 1, &outer) == ADMPI_SUCCESS);
  CHECK(admpi_tape_activate(NULL, NULL) == ADMPI_SUCCESS);
  if (is_checked) {
    CHECK(admpi_gradient(times_outside, &outer, at, N, NULL, gradient) == ADMPI_ERR_STALE);
    CHECK(strstr(admpi_last_error(), "belongs to another tape") != NULL);
  }
  admpi_tape_free(other);
}

int main(void) {
  admpi_tape *tape;
  admpi_var outer;
  admpi_statistics before, after;
  double gradient[N], adjoint = 0.0;
  const double two = 2.0;
  test_values_of_another_tape();
  for (int on_tape = 0; on_tape < 2; on_tape++) {
    if (on_tape) {
      CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS && admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
      CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS && admpi_tape_input(tape, &two, 1, &outer) == ADMPI_SUCCESS);
      CHECK(admpi_tape_statistics(tape, &before) == ADMPI_SUCCESS);
    }
    test_gradient();
    for (int m = 0; m <= M; m++) test_jacobian(m);
    for (int n = 0; n < 40; n += n < 4 ? 1 : 7) test_sparse(n);
    test_sparse_where_all_are_there();
    test_check();
    test_mistakes();
  }
  /* Nothing is left on the tape, which still works; its values are constants for functions. */
  CHECK(admpi_tape_statistics(tape, &after) == ADMPI_SUCCESS);
  CHECK(after.statements == before.statements && after.ids == before.ids && after.events == before.events);
  CHECK(admpi_gradient(times_outside, &outer, at, N, NULL, gradient) == ADMPI_SUCCESS);
  CHECK(gradient[0] == 2.0 && gradient[1] == 0.0);
  outer = admpi_mul(outer, outer);
  CHECK(admpi_tape_seed(tape, outer, 1.0, 0) == ADMPI_SUCCESS && admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, &two, 1, &outer) == ADMPI_SUCCESS);
  CHECK(admpi_tape_stop(tape) == ADMPI_SUCCESS);
  CHECK(admpi_gradient(objective, &calls, at, N, NULL, gradient) == ADMPI_SUCCESS);
  CHECK_CLOSE(gradient[2], 2.0 * at[2]);
  CHECK(admpi_tape_statistics(tape, &after) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoint(tape, outer, 0, &adjoint) == ADMPI_SUCCESS && adjoint == 0.0);
  admpi_tape_free(tape);
  return failures != 0;
}
