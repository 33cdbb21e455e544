/* Linear systems and fixed points by functions of the program's, in C. */
#include <admpi.h>

#include <stdlib.h>

#include "harness/check.h"

static admpi_tape *tape;
static int destroyed, solves, products;

static void destroy(void *data) {
  destroyed += *(int *)data;
  free(data);
}

static int *counted(void) {
  int *one = malloc(sizeof *one);
  *one = 1;
  return one;
}

static double value_of(const admpi_varmat *a, int64_t i) { return admpi_view_get(admpi_view_all(a), i, 0).value; }

/* The matrix {{p0, p1}, {0, p2}} of a vector p. */
static int32_t solve(const admpi_solve_call *call) {
  const double p0 = value_of(call->p[0], 0), p1 = value_of(call->p[0], 1), p2 = value_of(call->p[0], 2);
  int64_t j;
  ++solves;
  CHECK(call->n_p == 1);
  CHECK(call->rows == 2);
  CHECK(*(int *)call->data == 1);
  CHECK(admpi_view_get(admpi_view_all(call->p[0]), 0, 0).id == 0);
  for (j = 0; j < call->cols; ++j) {
    const double *b = call->rhs + 2 * j;
    double *x = call->x + 2 * j;
    if (call->transposed) {
      x[0] = b[0] / p0;
      x[1] = (b[1] - p1 * x[0]) / p2;
    } else {
      x[1] = b[1] / p2;
      x[0] = (b[0] - p1 * x[1]) / p0;
    }
  }
  return 0;
}

static int32_t product(int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data) {
  const admpi_view q = admpi_view_all(p[0]), v = admpi_view_all(x);
  admpi_var y[8];
  int64_t j;
  ++products;
  CHECK(n_p == 1);
  CHECK(*(int *)data == 1);
  for (j = 0; j < v.cols; ++j) {
    y[2 * j] = admpi_add(admpi_mul(admpi_view_get(q, 0, 0), admpi_view_get(v, 0, j)),
                         admpi_mul(admpi_view_get(q, 1, 0), admpi_view_get(v, 1, j)));
    y[2 * j + 1] = admpi_mul(admpi_view_get(q, 2, 0), admpi_view_get(v, 1, j));
  }
  return admpi_varmat_from_vars(y, 2, v.cols, y_out);
}

static admpi_varmat *input(const double *value, int64_t rows, int64_t cols) {
  admpi_varmat *a = NULL;
  CHECK(admpi_varmat_new(value, rows, cols, &a) == 0);
  CHECK(admpi_varmat_input(tape, a) == 0);
  return a;
}

static void sweep(const admpi_varmat *y, const double *weight, int64_t n) {
  const admpi_view all = admpi_view_all(y);
  CHECK(admpi_tape_clear_adjoints(tape) == 0);
  CHECK(admpi_varmat_seed(tape, &all, weight, n, 0) == 0);
  CHECK(admpi_tape_reverse(tape) == 0);
}

static void adjoints(const admpi_varmat *x, double *out, int64_t n) {
  const admpi_view all = admpi_view_all(x);
  CHECK(admpi_varmat_adjoints(tape, &all, 0, n, out) == 0);
}

static void test_equations_linear_solve(void) {
  const double p_value[3] = {2.0, 0.5, 4.0}, b_value[4] = {1.0, 2.0, -3.0, 0.25}, weight[4] = {1.0, -2.0, 0.5, 3.0};
  const admpi_linear_system system = {sizeof system, &solve, &product, &destroy};
  admpi_varmat *p = input(p_value, 3, 1), *b = input(b_value, 2, 2), *x = NULL;
  const admpi_operand of_b = admpi_operand_part(admpi_view_all(b)), of_p = admpi_operand_part(admpi_view_all(p));
  double g_p[3] = {0.0, 0.0, 0.0}, g_b[4], got[4];
  admpi_statistics before, after;
  int j;
  destroyed = solves = products = 0;
  CHECK(admpi_tape_statistics(tape, &before) == 0);
  CHECK(admpi_linear_solve(&system, counted(), &of_b, &of_p, 1, &x) == 0);
  CHECK(admpi_tape_statistics(tape, &after) == 0);
  CHECK(after.events == before.events + 1);
  CHECK(after.statements == before.statements);
  sweep(x, weight, 4);
  CHECK(solves == 2);
  CHECK(products == 1);
  /* x1 = b1 / p2 and x0 = (b0 - p1 x1) / p0, backwards. */
  for (j = 0; j < 2; ++j) {
    const double x1 = b_value[2 * j + 1] / 4.0, x0 = (b_value[2 * j] - 0.5 * x1) / 2.0;
    const double g0 = weight[2 * j] / 2.0, g1 = (weight[2 * j + 1] - 0.5 * g0) / 4.0;
    CHECK_CLOSE(admpi_view_get(admpi_view_all(x), 0, j).value, x0);
    CHECK_CLOSE(admpi_view_get(admpi_view_all(x), 1, j).value, x1);
    g_b[2 * j] = g0;
    g_b[2 * j + 1] = g1;
    g_p[0] -= g0 * x0;
    g_p[1] -= g0 * x1;
    g_p[2] -= g1 * x1;
  }
  adjoints(b, got, 4);
  for (j = 0; j < 4; ++j) CHECK_CLOSE(got[j], g_b[j]);
  adjoints(p, got, 3);
  for (j = 0; j < 3; ++j) CHECK_CLOSE(got[j], g_p[j]);
  /* Again, and the nests have left nothing behind. */
  CHECK(admpi_tape_statistics(tape, &before) == 0);
  sweep(x, weight, 4);
  adjoints(p, got, 3);
  for (j = 0; j < 3; ++j) CHECK_CLOSE(got[j], g_p[j]);
  CHECK(admpi_tape_statistics(tape, &after) == 0);
  CHECK(after.events == before.events);
  /* A right-hand side alone needs no product. */
  {
    admpi_varmat *passive = NULL, *y = NULL;
    admpi_operand of_passive;
    CHECK(admpi_varmat_new(p_value, 3, 1, &passive) == 0);
    of_passive = admpi_operand_part(admpi_view_all(passive));
    CHECK(admpi_linear_solve(&system, counted(), &of_b, &of_passive, 1, &y) == 0);
    products = 0;
    sweep(y, weight, 4);
    CHECK(products == 1); /* of the system above */
    adjoints(b, got, 4);
    for (j = 0; j < 4; ++j) CHECK_CLOSE(got[j], g_b[j]);
    admpi_varmat_free(passive);
    admpi_varmat_free(y);
  }
  CHECK(destroyed == 0);
  admpi_varmat_free(x);
  CHECK(admpi_tape_reset(tape) == 0);
  CHECK(destroyed == 2);
  admpi_varmat_free(p);
  admpi_varmat_free(b);
}

static int32_t fails(const admpi_solve_call *call) {
  (void)call;
  return 7;
}

/* The status of a call of the library's that has failed in it. */
static int32_t passes_on(const admpi_solve_call *call) {
  admpi_varmat *made;
  (void)call;
  return admpi_varmat_new(NULL, -1, 1, &made);
}

static int32_t none(int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data) {
  (void)n_p, (void)p, (void)x, (void)y_out, (void)data;
  return 0;
}

static int32_t too_short(int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data) {
  (void)n_p, (void)p, (void)x, (void)data;
  return admpi_varmat_new(NULL, 1, 1, y_out);
}

static void test_equations_errors(void) {
  const double p_value[3] = {2.0, 0.5, 4.0}, b_value[2] = {1.0, 2.0}, weight[2] = {1.0, 1.0};
  admpi_linear_system system = {sizeof system, &solve, &product, &destroy};
  admpi_varmat *p = input(p_value, 3, 1), *b = input(b_value, 2, 1), *x = NULL;
  const admpi_operand of_b = admpi_operand_part(admpi_view_all(b)), of_p = admpi_operand_part(admpi_view_all(p));
  destroyed = 0;
  CHECK(admpi_linear_solve(NULL, NULL, &of_b, &of_p, 1, &x) == ADMPI_ERR_NULL);
  CHECK(strcmp(admpi_last_error(), "system is NULL") == 0);
  system.size = 8;
  CHECK(admpi_linear_solve(&system, NULL, &of_b, &of_p, 1, &x) == ADMPI_ERR_ARGUMENT);
  CHECK(strcmp(admpi_last_error(), "system.size = 8 is less than 32") == 0);
  system.size = sizeof system;
  system.solve = NULL;
  CHECK(admpi_linear_solve(&system, counted(), &of_b, &of_p, 1, &x) == ADMPI_ERR_NULL);
  CHECK(strcmp(admpi_last_error(), "system.solve is NULL") == 0);
  system.solve = &fails;
  CHECK(admpi_linear_solve(&system, counted(), &of_b, &of_p, 1, &x) == ADMPI_ERR_CALLBACK);
  CHECK(strcmp(admpi_last_error(), "the user's function returned 7") == 0);
  CHECK(destroyed == 2);
  system.solve = &passes_on;
  CHECK(admpi_linear_solve(&system, counted(), &of_b, &of_p, 1, &x) == ADMPI_ERR_CALLBACK);
  CHECK(strcmp(admpi_last_error(), "the user's function returned 2: rows = -1 is negative") == 0);
  destroyed = 2;
  CHECK(x == NULL);
  CHECK(admpi_tls_tape->recording);
  system.solve = &solve;
  system.product = &none;
  CHECK(admpi_linear_solve(&system, counted(), &of_b, &of_p, 1, &x) == 0);
  {
    const admpi_view all = admpi_view_all(x);
    CHECK(admpi_varmat_seed(tape, &all, weight, 2, 0) == 0);
    CHECK(admpi_tape_reverse(tape) == ADMPI_ERR_NULL);
    CHECK(strstr(admpi_last_error(), "linear_solve: the product made no matrix") != NULL);
  }
  admpi_varmat_free(x);
  x = NULL;
  CHECK(admpi_tape_clear_adjoints(tape) == 0);
  system.product = &too_short;
  CHECK(admpi_linear_solve(&system, counted(), &of_b, &of_p, 1, &x) == 0);
  {
    const admpi_view all = admpi_view_all(x);
    CHECK(admpi_varmat_seed(tape, &all, weight, 2, 0) == 0);
    CHECK(admpi_tape_reverse(tape) == ADMPI_ERR_ARGUMENT);
    CHECK(strstr(admpi_last_error(), "linear_solve: the product is 1 x 1, expected 2 x 1") != NULL);
  }
  admpi_varmat_free(x);
  CHECK(admpi_tape_clear_adjoints(tape) == 0);
  CHECK(admpi_tape_reset(tape) == 0);
  CHECK(destroyed == 4);
  admpi_varmat_free(p);
  admpi_varmat_free(b);
}

/* x = p cos(x), element by element. */
static int32_t swing(int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data) {
  admpi_varmat *c = NULL;
  int32_t status = admpi_array_cos(admpi_view_all(x), &c);
  CHECK(n_p == 1);
  (void)data;
  if (status == 0) status = admpi_array_mul(admpi_view_all(p[0]), admpi_view_all(c), y_out);
  admpi_varmat_free(c);
  return status;
}

static double sum_of_sizes(int64_t n, const double *x, void *data) {
  double sum = 0.0;
  int64_t i;
  (void)data;
  for (i = 0; i < n; ++i) sum += fabs(x[i]);
  return sum;
}

static void test_equations_fixed_point(void) {
  const double p_value[2] = {0.3, -0.6}, weight[2] = {2.0, -1.0};
  admpi_fixed_point_map map = {sizeof map, &swing, NULL, &destroy, 1e-15, 1000};
  admpi_varmat *p = input(p_value, 2, 1), *start = NULL, *x = NULL;
  const admpi_operand of_p = admpi_operand_part(admpi_view_all(p));
  admpi_view from;
  double got[2];
  int i, way;
  CHECK(admpi_varmat_new(NULL, 2, 1, &start) == 0);
  from = admpi_view_all(start);
  destroyed = 0;
  for (way = 0; way < 2; ++way) {
    map.norm = way == 0 ? NULL : &sum_of_sizes;
    CHECK(admpi_fixed_point(&map, counted(), &from, &of_p, 1, &x) == 0);
    sweep(x, weight, 2);
    adjoints(p, got, 2);
    for (i = 0; i < 2; ++i) {
      const double at = value_of(x, i);
      CHECK(fabs(at - p_value[i] * cos(at)) < 1e-15);
      CHECK(fabs(got[i] - weight[i] * cos(at) / (1.0 + p_value[i] * sin(at))) < 1e-14);
    }
    admpi_varmat_free(x);
  }
  x = NULL;
  map.max_iterations = 2;
  CHECK(admpi_fixed_point(&map, counted(), &from, &of_p, 1, &x) == ADMPI_ERR_CONVERGENCE);
  CHECK(strstr(admpi_last_error(), "fixed_point: the iteration did not converge in 2 iterations") != NULL);
  map.evaluate = NULL;
  CHECK(admpi_fixed_point(&map, counted(), &from, &of_p, 1, &x) == ADMPI_ERR_NULL);
  CHECK(strcmp(admpi_last_error(), "map.evaluate is NULL") == 0);
  CHECK(x == NULL);
  CHECK(destroyed == 2);
  admpi_varmat_free(start);
  CHECK(admpi_tape_reset(tape) == 0);
  CHECK(destroyed == 4);
  admpi_varmat_free(p);
}

int main(void) {
  CHECK(admpi_tape_new(&tape) == 0);
  CHECK(admpi_tape_activate(tape, NULL) == 0);
  CHECK(admpi_tape_start(tape) == 0);
  test_equations_linear_solve();
  test_equations_errors();
  test_equations_fixed_point();
  admpi_tape_free(tape);
  return failures != 0;
}
