/* Every function of the tape with NULL, negative and absurd arguments: a status with a message that names the argument,
 * outputs untouched, and the tape as it was. */
#include <admpi.h>

#include <stdlib.h>

#include "harness/check.h"

static admpi_tape *tape;
static admpi_var x, y;

/* The status, and the name in the message. */
static void expect(const char *file, int line, int got, int code, const char *named) {
  if (got != code) {
    ++failures;
    fprintf(stderr, "%s:%d: status %d, expected %d\n", file, line, got, code);
  } else if (named != NULL && strstr(admpi_last_error(), named) == NULL) {
    ++failures;
    fprintf(stderr, "%s:%d: '%s' does not name %s\n", file, line, admpi_last_error(), named);
  }
}
#define EXPECT(call, code, named) expect(__FILE__, __LINE__, (call), (code), (named))
#define EXPECT_NULL(call, named) EXPECT(call, ADMPI_ERR_NULL, named)

static void nothing(void *payload) { (void)payload; }

static int reverse_nothing(int64_t n_out, int64_t n_in, int width, const double *out_adjoint, double *in_adjoint,
                           void *payload) {
  (void)n_out, (void)n_in, (void)width, (void)out_adjoint, (void)in_adjoint, (void)payload;
  return 0;
}

static int reverse_seven(int64_t n_out, int64_t n_in, int width, const double *out_adjoint, double *in_adjoint,
                         void *payload) {
  (void)n_out, (void)n_in, (void)width, (void)out_adjoint, (void)in_adjoint, (void)payload;
  return 7;
}

static void test_arguments_no_tape_given(void) {
  admpi_statistics statistics;
  admpi_position position = {0};
  admpi_nest nest = {0};
  admpi_var v;
  double value = 1.0;
  uint32_t id;
  EXPECT_NULL(admpi_tape_new(NULL), "tape_out");
  admpi_tape_free(NULL);
  EXPECT_NULL(admpi_tape_start(NULL), "tape");
  EXPECT_NULL(admpi_tape_stop(NULL), "tape");
  EXPECT_NULL(admpi_tape_input(NULL, &value, 1, &v), "tape");
  EXPECT_NULL(admpi_tape_input_ids(NULL, 1, &id), "tape");
  EXPECT_NULL(admpi_tape_set_width(NULL, 1), "tape");
  EXPECT_NULL(admpi_tape_seed(NULL, y, 1.0, 0), "tape");
  EXPECT_NULL(admpi_tape_keep(NULL, y), "tape");
  EXPECT_NULL(admpi_tape_reverse(NULL), "tape");
  EXPECT_NULL(admpi_tape_reverse_range(NULL, &position, &position), "tape");
  EXPECT_NULL(admpi_tape_adjoint(NULL, x, 0, &value), "tape");
  EXPECT_NULL(admpi_tape_adjoints(NULL, &x, 1, 0, &value), "tape");
  EXPECT_NULL(admpi_tape_clear_adjoints(NULL), "tape");
  EXPECT_NULL(admpi_tape_reset(NULL), "tape");
  EXPECT_NULL(admpi_tape_position(NULL, &position), "tape");
  EXPECT_NULL(admpi_tape_reset_to(NULL, &position), "tape");
  EXPECT_NULL(admpi_tape_start_nested(NULL, 0, &nest), "tape");
  EXPECT_NULL(admpi_tape_recover_nested(NULL, nest), "tape");
  EXPECT_NULL(admpi_tape_on_recover(NULL, nothing, NULL), "tape");
  EXPECT_NULL(admpi_tape_callback(NULL, &x, 1, &value, 1, reverse_nothing, NULL, 0, &v), "tape");
  EXPECT_NULL(admpi_tape_precomputed(NULL, 1.0, &x, &value, 1, &v), "tape");
  EXPECT_NULL(admpi_tape_statistics(NULL, &statistics), "tape");
  EXPECT_NULL(admpi_tape_set_limit(NULL, 0), "tape");
  EXPECT_NULL(admpi_tape_trim(NULL), "tape");
  EXPECT_NULL(admpi_detail_tape_grow(NULL, 1), "tape");
  EXPECT_NULL(admpi_detail_tape_check(NULL, &x), "tape");
  admpi_detail_tape_fail(NULL, ADMPI_ERR_STALE);
}

static void test_arguments_null(void) {
  admpi_position position;
  admpi_var v = {5.0, 6, 7};
  double value = 1.0;
  CHECK(admpi_tape_position(tape, &position) == ADMPI_SUCCESS);
  EXPECT_NULL(admpi_tape_input(tape, NULL, 1, &v), "value");
  EXPECT_NULL(admpi_tape_input(tape, &value, 1, NULL), "x_out");
  EXPECT_NULL(admpi_tape_input_ids(tape, 1, NULL), "first_id_out");
  EXPECT_NULL(admpi_tape_reverse_range(tape, NULL, &position), "from");
  EXPECT_NULL(admpi_tape_reverse_range(tape, &position, NULL), "to");
  EXPECT_NULL(admpi_tape_adjoint(tape, x, 0, NULL), "adjoint_out");
  EXPECT_NULL(admpi_tape_adjoints(tape, NULL, 1, 0, &value), "x");
  EXPECT_NULL(admpi_tape_adjoints(tape, &x, 1, 0, NULL), "adjoint_out");
  EXPECT_NULL(admpi_tape_position(tape, NULL), "position_out");
  EXPECT_NULL(admpi_tape_reset_to(tape, NULL), "position");
  EXPECT_NULL(admpi_tape_start_nested(tape, 0, NULL), "nest_out");
  EXPECT_NULL(admpi_tape_on_recover(tape, NULL, NULL), "fn");
  EXPECT_NULL(admpi_tape_callback(tape, NULL, 1, &value, 1, reverse_nothing, NULL, 0, &v), "in");
  EXPECT_NULL(admpi_tape_callback(tape, &x, 1, NULL, 1, reverse_nothing, NULL, 0, &v), "value");
  EXPECT_NULL(admpi_tape_callback(tape, &x, 1, &value, 1, NULL, NULL, 0, &v), "fn");
  EXPECT_NULL(admpi_tape_callback(tape, &x, 1, &value, 1, reverse_nothing, NULL, 0, NULL), "y_out");
  EXPECT_NULL(admpi_tape_callback(tape, &x, 1, &value, 1, reverse_nothing, NULL, 8, &v), "payload");
  EXPECT_NULL(admpi_tape_precomputed(tape, 1.0, NULL, &value, 1, &v), "operand");
  EXPECT_NULL(admpi_tape_precomputed(tape, 1.0, &x, NULL, 1, &v), "partial");
  EXPECT_NULL(admpi_tape_precomputed(tape, 1.0, &x, &value, 1, NULL), "y_out");
  EXPECT_NULL(admpi_tape_statistics(tape, NULL), "statistics_out");
  EXPECT_NULL(admpi_detail_tape_check(tape, NULL), "operand");
  CHECK(v.value == 5.0 && v.id == 6 && v.tag == 7);
  CHECK(value == 1.0);
  /* NULL arrays of no elements are fine. */
  EXPECT(admpi_tape_input(tape, NULL, 0, NULL), ADMPI_SUCCESS, NULL);
  EXPECT(admpi_tape_adjoints(tape, NULL, 0, 0, NULL), ADMPI_SUCCESS, NULL);
  EXPECT(admpi_tape_precomputed(tape, 1.0, NULL, NULL, 0, &v), ADMPI_SUCCESS, NULL);
  CHECK(v.value == 1.0 && v.id == 0);
}

static void test_arguments_numbers(void) {
  const int widths[] = {0, -1, 3, 5, 17, 1 << 30, INT32_MIN};
  const int64_t counts[] = {-1, INT64_MIN};
  admpi_nest nest = {99};
  admpi_var v = {5.0, 6, 7};
  double value = 1.0;
  uint32_t id = 77;
  size_t i;
  for (i = 0; i < sizeof widths / sizeof *widths; ++i) {
    EXPECT(admpi_tape_set_width(tape, widths[i]), ADMPI_ERR_ARGUMENT, "width");
  }
  for (i = 0; i < sizeof counts / sizeof *counts; ++i) {
    EXPECT(admpi_tape_input(tape, &value, counts[i], &v), ADMPI_ERR_ARGUMENT, "n = ");
    EXPECT(admpi_tape_input_ids(tape, counts[i], &id), ADMPI_ERR_ARGUMENT, "n = ");
    EXPECT(admpi_tape_adjoints(tape, &x, counts[i], 0, &value), ADMPI_ERR_ARGUMENT, "n = ");
    EXPECT(admpi_tape_callback(tape, &x, counts[i], &value, 1, reverse_nothing, NULL, 0, &v), ADMPI_ERR_ARGUMENT, "n_in");
    EXPECT(admpi_tape_callback(tape, &x, 1, &value, counts[i], reverse_nothing, NULL, 0, &v), ADMPI_ERR_ARGUMENT, "n_out");
    EXPECT(admpi_tape_precomputed(tape, 1.0, &x, &value, counts[i], &v), ADMPI_ERR_ARGUMENT, "n = ");
  }
  /* More ids than there are. */
  EXPECT(admpi_tape_input_ids(tape, INT64_MAX, &id), ADMPI_ERR_IDS, NULL);
  EXPECT(admpi_tape_input_ids(tape, INT64_C(1) << 32, &id), ADMPI_ERR_IDS, NULL);
  CHECK(id == 77);
  for (i = 0; i < 3; ++i) {
    const int directions[] = {-1, 1, INT32_MAX};
    EXPECT(admpi_tape_seed(tape, y, 1.0, directions[i]), ADMPI_ERR_ARGUMENT, "direction");
    EXPECT(admpi_tape_adjoint(tape, x, directions[i], &value), ADMPI_ERR_ARGUMENT, "direction");
    EXPECT(admpi_tape_adjoints(tape, &x, 1, directions[i], &value), ADMPI_ERR_ARGUMENT, "direction");
  }
  EXPECT(admpi_detail_tape_grow(tape, 254), ADMPI_SUCCESS, NULL);
  EXPECT(admpi_detail_tape_grow(tape, 255), ADMPI_ERR_ARGUMENT, "n = 255");
  EXPECT(admpi_tape_set_width(tape, -4), ADMPI_ERR_ARGUMENT, "width = -4");
  EXPECT(admpi_tape_start_nested(tape, 1, &nest), ADMPI_ERR_ARGUMENT, "flags");
  EXPECT(admpi_tape_start_nested(tape, -1, &nest), ADMPI_ERR_ARGUMENT, "flags");
  EXPECT(admpi_tape_recover_nested(tape, nest), ADMPI_ERR_NEST, "nest");
  CHECK(nest.token == 99);
  EXPECT(admpi_detail_tape_activate(tape, ADMPI_TAPE_ABI + 1, NULL), ADMPI_ERR_ABI, "ABI");
  CHECK(v.value == 5.0 && v.id == 6 && v.tag == 7);
  CHECK(value == 1.0);
}

static void test_arguments_foreign_values(void) {
  admpi_var beyond = {1.0, 4000000000u, 0}, stranger = {1.0, x.id, x.tag + 1000}, v = {5.0, 6, 7};
  const admpi_var values[] = {beyond, stranger};
  double value = 1.0;
  size_t i;
  beyond.tag = x.tag;
  for (i = 0; i < 2; ++i) {
    EXPECT(admpi_tape_seed(tape, values[i], 1.0, 0), ADMPI_ERR_STALE, "y");
    EXPECT(admpi_tape_keep(tape, values[i]), ADMPI_ERR_STALE, "y");
    EXPECT(admpi_tape_adjoint(tape, values[i], 0, &value), ADMPI_ERR_STALE, "x");
    EXPECT(admpi_tape_adjoints(tape, &values[i], 1, 0, &value), ADMPI_ERR_STALE, "x");
    EXPECT(admpi_detail_tape_check(tape, &values[i]), ADMPI_ERR_STALE, "operand");
    EXPECT(admpi_tape_callback(tape, &values[i], 1, &value, 1, reverse_nothing, NULL, 0, &v), ADMPI_ERR_STALE, "in");
    EXPECT(admpi_tape_precomputed(tape, 1.0, &values[i], &value, 1, &v), ADMPI_ERR_STALE, "operand");
  }
  CHECK(v.value == 5.0 && v.id == 6 && v.tag == 7);
  /* Passive values are fine everywhere. */
  v = admpi_passive(3.0);
  EXPECT(admpi_tape_seed(tape, v, 1.0, 0), ADMPI_SUCCESS, NULL);
  EXPECT(admpi_tape_keep(tape, v), ADMPI_SUCCESS, NULL);
  EXPECT(admpi_tape_adjoint(tape, v, 0, &value), ADMPI_SUCCESS, NULL);
  CHECK(value == 0.0);
  EXPECT(admpi_detail_tape_check(tape, &v), ADMPI_SUCCESS, NULL);
}

static void test_arguments_positions(void) {
  admpi_position here, absurd;
  CHECK(admpi_tape_position(tape, &here) == ADMPI_SUCCESS);
  memset(&absurd, 0xff, sizeof absurd);
  EXPECT(admpi_tape_reverse_range(tape, &absurd, &here), ADMPI_ERR_RANGE, "from");
  EXPECT(admpi_tape_reverse_range(tape, &here, &absurd), ADMPI_ERR_RANGE, "to");
  EXPECT(admpi_tape_reset_to(tape, &absurd), ADMPI_ERR_RANGE, "position");
  absurd = here;
  absurd.argument += 1;
  EXPECT(admpi_tape_reset_to(tape, &absurd), ADMPI_ERR_RANGE, "position");
}

static void test_arguments_callback_status(void) {
  const double value = 4.0;
  admpi_var v;
  admpi_position here;
  CHECK(admpi_tape_position(tape, &here) == ADMPI_SUCCESS);
  CHECK(admpi_tape_callback(tape, &x, 1, &value, 1, reverse_seven, NULL, 0, &v) == ADMPI_SUCCESS);
  CHECK(admpi_tape_seed(tape, v, 1.0, 0) == ADMPI_SUCCESS);
  EXPECT(admpi_tape_reverse(tape), ADMPI_ERR_CALLBACK, "7");
  CHECK(admpi_tape_clear_adjoints(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_reset_to(tape, &here) == ADMPI_SUCCESS);
}

/* A thread without a tape has a placeholder: no function may touch it. */
static void test_arguments_the_placeholder(void) {
  admpi_tape *before = NULL, *none;
  admpi_position position;
  double value = 1.0;
  admpi_var v;
  CHECK(admpi_tape_activate(NULL, &before) == ADMPI_SUCCESS);
  CHECK(before == tape);
  none = admpi_tls_tape;
  EXPECT(admpi_tape_start(none), ADMPI_ERR_NO_TAPE, NULL);
  EXPECT(admpi_tape_input(none, &value, 1, &v), ADMPI_ERR_NO_TAPE, NULL);
  EXPECT(admpi_tape_reverse(none), ADMPI_ERR_NO_TAPE, NULL);
  EXPECT(admpi_tape_position(none, &position), ADMPI_ERR_NO_TAPE, NULL);
  CHECK(admpi_detail_tape_grow(none, 1) == -1);
  admpi_detail_tape_fail(none, ADMPI_ERR_STALE);
  admpi_tape_free(none);
  CHECK(admpi_tape_activate(none, &before) == ADMPI_SUCCESS);
  CHECK(before == NULL);
  CHECK(admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
}

static void test_arguments_matrices(void) {
  const double values[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  double out[6] = {0.0};
  admpi_var v[6] = {{5.0, 6, 7}};
  admpi_varmat *a = NULL, *none = (admpi_varmat *)&values;
  admpi_view all, bad;
  EXPECT_NULL(admpi_varmat_new(values, 2, 3, NULL), "a_out");
  EXPECT(admpi_varmat_new(values, 2, -3, &none), ADMPI_ERR_ARGUMENT, "cols = -3");
  EXPECT(admpi_varmat_new(NULL, INT64_MAX, 4, &none), ADMPI_ERR_ARGUMENT, "rows * cols");
  EXPECT_NULL(admpi_varmat_from_vars(NULL, 1, 1, &none), "x");
  EXPECT_NULL(admpi_varmat_from_view(NULL, &none), "view");
  EXPECT_NULL(admpi_varmat_copy(NULL, &none), "a");
  CHECK(none == (admpi_varmat *)&values);
  CHECK(admpi_varmat_new(values, 2, 3, &a) == ADMPI_SUCCESS);
  all = admpi_view_all(a);
  EXPECT_NULL(admpi_varmat_rebind(NULL, a), "a");
  EXPECT_NULL(admpi_varmat_rebind(a, NULL), "b");
  EXPECT_NULL(admpi_varmat_reshape(NULL, 1, 6), "a");
  EXPECT(admpi_varmat_reshape(a, 4, 2), ADMPI_ERR_ARGUMENT, "4 x 2");
  EXPECT_NULL(admpi_varmat_compact(NULL), "a");
  EXPECT_NULL(admpi_varmat_input(tape, NULL), "a");
  EXPECT_NULL(admpi_varmat_input(NULL, a), "tape");
  EXPECT_NULL(admpi_varmat_set(NULL, 0, 0, x), "view");
  EXPECT(admpi_varmat_set(&all, 2, 0, x), ADMPI_ERR_RANGE, "i = 2");
  EXPECT(admpi_varmat_set(&all, 0, -1, x), ADMPI_ERR_RANGE, "j = -1");
  EXPECT_NULL(admpi_varmat_assign(NULL, &all), "to");
  EXPECT_NULL(admpi_varmat_assign(&all, NULL), "from");
  EXPECT_NULL(admpi_varmat_assign_vars(&all, NULL, 6), "x");
  EXPECT(admpi_varmat_assign_vars(&all, v, 5), ADMPI_ERR_ARGUMENT, "n = 5");
  EXPECT_NULL(admpi_varmat_assign_values(&all, NULL, 6), "value");
  EXPECT(admpi_varmat_assign_values(&all, values, 3), ADMPI_ERR_ARGUMENT, "n = 3");
  EXPECT_NULL(admpi_varmat_values(&all, 6, NULL), "value_out");
  EXPECT(admpi_varmat_values(&all, -6, out), ADMPI_ERR_ARGUMENT, "n = -6");
  EXPECT_NULL(admpi_varmat_vars(NULL, 6, v), "view");
  EXPECT(admpi_varmat_vars(&all, 2, v), ADMPI_ERR_ARGUMENT, "n = 2");
  EXPECT_NULL(admpi_varmat_seed(tape, &all, NULL, 6, 0), "weight");
  EXPECT(admpi_varmat_seed(tape, &all, values, 6, 1), ADMPI_ERR_ARGUMENT, "direction = 1");
  EXPECT_NULL(admpi_varmat_adjoints(tape, &all, 0, 6, NULL), "adjoint_out");
  EXPECT(admpi_varmat_adjoints(tape, &all, -1, 6, out), ADMPI_ERR_ARGUMENT, "direction = -1");
  bad = all;
  bad.of = NULL;
  EXPECT_NULL(admpi_varmat_values(&bad, 6, out), "view.of");
  bad = admpi_view_block(all, 1, 1, 2, 2);
  EXPECT(admpi_varmat_values(&bad, 4, out), ADMPI_ERR_RANGE, "2 x 2 from element 3");
  bad = all;
  bad.col_step = -1;
  EXPECT(admpi_varmat_values(&bad, 6, out), ADMPI_ERR_ARGUMENT, "col_step = -1");
  bad.col_step = INT64_MAX;
  EXPECT(admpi_varmat_values(&bad, 6, out), ADMPI_ERR_RANGE, "not within");
  bad.cols = bad.rows = INT64_MAX;
  EXPECT(admpi_varmat_values(&bad, 6, out), ADMPI_ERR_RANGE, "not within");
  CHECK(out[0] == 0.0 && v[0].value == 5.0 && v[0].id == 6);
  CHECK(admpi_varmat_values(&all, 6, out) == ADMPI_SUCCESS && memcmp(out, values, sizeof out) == 0);
  /* Elements in line, and parts of parts. */
  CHECK(admpi_view_get(admpi_view_transpose(all), 2, 1).value == 6.0);
  CHECK(admpi_view_get(admpi_view_row(admpi_view_block(all, 0, 1, 2, 2), 1), 0, 1).value == 6.0);
  CHECK(admpi_view_get(admpi_view_diagonal(admpi_view_block(all, 0, 1, 2, 2)), 1, 0).value == 6.0);
  CHECK(admpi_view_get(admpi_view_every(admpi_view_transpose(all), 2), 1, 0).value == 5.0);
  CHECK(admpi_varmat_set(&all, 1, 2, x) == ADMPI_SUCCESS);
  CHECK(admpi_view_get(admpi_view_col(all, 2), 1, 0).id == x.id && admpi_view_get(all, 0, 0).id == 0);
  admpi_varmat_free(a);
  admpi_varmat_free(NULL);
}

static void test_arguments_linear_algebra(void) {
  int32_t (*const of_one[])(const admpi_view *, admpi_varmat **) = {
      admpi_tcrossprod, admpi_inverse, admpi_inverse_spd, admpi_cholesky, admpi_eigenvalues_sym, admpi_singular_values};
  int32_t (*const of_two[])(const admpi_view *, const admpi_view *, admpi_varmat **) = {
      admpi_multiply, admpi_quad_form, admpi_solve, admpi_solve_spd, admpi_solve_lower, admpi_solve_upper};
  int32_t (*const to_scalar[])(const admpi_view *, admpi_var *) = {
      admpi_sum, admpi_trace, admpi_determinant, admpi_log_determinant, admpi_log_determinant_spd};
  int32_t (*const to_two[])(const admpi_view *, admpi_varmat **, admpi_varmat **) = {admpi_qr, admpi_eigen_sym};
  const double values[] = {4.0, 2.0, 2.0, 3.0};
  const int64_t start[] = {0, 1, 2}, column[] = {1, 0};
  double got[4] = {0.0};
  int64_t row[2] = {7, 7};
  admpi_var z = {5.0, 6, 7};
  admpi_varmat *a = NULL, *b = NULL, *none = (admpi_varmat *)&values;
  admpi_sparse *s = NULL;
  admpi_view all;
  size_t i;
  CHECK(admpi_varmat_new(values, 2, 2, &a) == ADMPI_SUCCESS);
  all = admpi_view_all(a);
  for (i = 0; i < sizeof of_one / sizeof *of_one; ++i) {
    EXPECT_NULL(of_one[i](NULL, &none), "a");
    EXPECT_NULL(of_one[i](&all, NULL), "_out");
  }
  for (i = 0; i < sizeof of_two / sizeof *of_two; ++i) {
    EXPECT_NULL(of_two[i](NULL, &all, &none), "a");
    EXPECT_NULL(of_two[i](&all, NULL, &none), "b");
    EXPECT_NULL(of_two[i](&all, &all, NULL), "_out");
  }
  for (i = 0; i < sizeof to_scalar / sizeof *to_scalar; ++i) {
    EXPECT_NULL(to_scalar[i](NULL, &z), "a");
    EXPECT_NULL(to_scalar[i](&all, NULL), "x_out");
  }
  for (i = 0; i < sizeof to_two / sizeof *to_two; ++i) {
    EXPECT_NULL(to_two[i](NULL, &none, &none), "a");
    EXPECT_NULL(to_two[i](&all, NULL, &none), "_out");
    EXPECT_NULL(to_two[i](&all, &none, NULL), "_out");
  }
  EXPECT_NULL(admpi_diag(NULL, &none), "d");
  EXPECT_NULL(admpi_diag_pre_multiply(NULL, &all, &none), "d");
  EXPECT_NULL(admpi_diag_post_multiply(&all, NULL, &none), "d");
  EXPECT_NULL(admpi_lu(&all, 2, &none, NULL, row), "u_out");
  EXPECT_NULL(admpi_lu(&all, 2, &none, &none, NULL), "row_out");
  EXPECT(admpi_lu(&all, -2, &none, &none, row), ADMPI_ERR_ARGUMENT, "m = -2");
  EXPECT(admpi_lu(&all, 1, &none, &none, row), ADMPI_ERR_ARGUMENT, "m = 1");
  EXPECT_NULL(admpi_svd(&all, &none, NULL, &none), "s_out");
  EXPECT_NULL(admpi_sparse_new(2, 2, NULL, column, 2, &s), "row_start");
  EXPECT_NULL(admpi_sparse_new(2, 2, start, NULL, 2, &s), "column");
  EXPECT(admpi_sparse_new(-2, 2, start, column, 2, &s), ADMPI_ERR_ARGUMENT, "rows = -2");
  EXPECT(admpi_sparse_new(INT64_MAX, 2, start, column, 2, &s), ADMPI_ERR_ARGUMENT, "row_start");
  EXPECT(admpi_sparse_new(2, 2, start, column, -2, &s), ADMPI_ERR_ARGUMENT, "n = -2");
  EXPECT_NULL(admpi_sparse_new(2, 2, start, column, 2, NULL), "s_out");
  CHECK(s == NULL && admpi_sparse_new(2, 2, start, column, 2, &s) == ADMPI_SUCCESS);
  {
    admpi_view value = admpi_view_block(all, 0, 0, 2, 1);
    EXPECT_NULL(admpi_sparse_multiply(NULL, &value, &all, &none), "s");
    EXPECT_NULL(admpi_sparse_multiply(s, NULL, &all, &none), "value");
    EXPECT_NULL(admpi_sparse_multiply_transposed(s, &value, NULL, &none), "b");
    EXPECT(admpi_sparse_multiply(s, &all, &all, &none), ADMPI_ERR_ARGUMENT, "value is 2 x 2");
    CHECK(none == (admpi_varmat *)&values && row[0] == 7 && z.id == 6);
    CHECK(admpi_sparse_multiply(s, &value, &all, &b) == ADMPI_SUCCESS);
  }
  /* (0 4; 2 0) times (4 2; 2 3). */
  CHECK(admpi_varmat_values(&(admpi_view){b, 0, 4, 1, 1, 4}, 4, got) == ADMPI_SUCCESS);
  CHECK(got[0] == 8.0 && got[1] == 8.0 && got[2] == 12.0 && got[3] == 4.0);
  admpi_varmat_free(b);
  admpi_sparse_free(s);
  admpi_sparse_free(NULL);
  CHECK(admpi_lu(&all, 2, &b, &none, row) == ADMPI_SUCCESS && row[0] == 0 && row[1] == 1);
  CHECK(admpi_view_get(admpi_view_all(b), 1, 0).value == 0.5 && admpi_view_get(admpi_view_all(none), 1, 1).value == 2.0);
  CHECK(admpi_determinant(&all, &z) == ADMPI_SUCCESS && z.value == 8.0 && z.id == 0);
  admpi_varmat_free(b);
  admpi_varmat_free(none);
  admpi_varmat_free(a);
}

/* y = c x^2, an element at a time, the factor in the payload. */
struct squares {
  double factor;
  const double *x;
};

static int reverse_squares(const admpi_kernel_call *call) {
  const struct squares *of = call->payload;
  const admpi_adjoint *to = call->operand;
  for (int64_t j = 0; j < call->cols; ++j) {
    for (int64_t i = 0; i < call->rows; ++i) {
      for (int64_t k = 0; k < call->width; ++k) {
        to->adjoint[i * to->row_step + j * to->col_step + k] +=
            of->factor * 2.0 * of->x[i + j * call->rows] *
            call->result.adjoint[i * call->result.row_step + j * call->result.col_step + k];
      }
    }
  }
  return of->factor == 7.0 ? 7 : 0;
}

static void test_arguments_array_statements(void) {
  const double values[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  admpi_varmat *a = NULL, *b = NULL, *none = (admpi_varmat *)&values;
  admpi_position here;
  struct squares of = {3.0, NULL};
  double out[6];
  CHECK(admpi_tape_position(tape, &here) == ADMPI_SUCCESS);
  CHECK(admpi_varmat_new(values, 2, 3, &a) == ADMPI_SUCCESS && admpi_varmat_input(tape, a) == ADMPI_SUCCESS);
  EXPECT_NULL(admpi_detail_array_fresh(2, 3, NULL, NULL), "a_out");
  EXPECT(admpi_detail_array_fresh(-2, 3, NULL, &none), ADMPI_ERR_ARGUMENT, "rows = -2");
  CHECK(none == (admpi_varmat *)&values);
  CHECK(admpi_detail_array_fresh(2, 3, NULL, &b) == ADMPI_SUCCESS);
  {
    admpi_view all = admpi_view_all(b), outside = admpi_view_block(all, 1, 1, 2, 3);
    admpi_operand x_and_a[2] = {{admpi_view_all(a), {0.0, 0, 0}}, {{NULL, 0, 0, 0, 0, 0}, {0.0, 0, 0}}};
    x_and_a[1].scalar = x;
    of.x = a->block->value;
    for (int k = 0; k < 6; ++k) b->block->value[k] = 3.0 * values[k] * values[k];
    EXPECT_NULL(admpi_detail_array_record(NULL, NULL, x_and_a, 2, reverse_squares, &of, sizeof of), "part");
    EXPECT_NULL(admpi_detail_array_record(&all, NULL, NULL, 2, reverse_squares, &of, sizeof of), "operand");
    EXPECT_NULL(admpi_detail_array_record(&all, NULL, x_and_a, 2, NULL, &of, sizeof of), "fn");
    EXPECT_NULL(admpi_detail_array_record(&all, NULL, x_and_a, 2, reverse_squares, NULL, sizeof of), "payload");
    EXPECT(admpi_detail_array_record(&all, NULL, x_and_a, -1, reverse_squares, &of, sizeof of),
           ADMPI_ERR_ARGUMENT, "n = -1");
    EXPECT(admpi_detail_array_record(&outside, NULL, x_and_a, 2, reverse_squares, &of, sizeof of),
           ADMPI_ERR_RANGE, "part");
    x_and_a[0].view.rows = 4;
    EXPECT(admpi_detail_array_record(&all, NULL, x_and_a, 2, reverse_squares, &of, sizeof of),
           ADMPI_ERR_RANGE, "operand[0]");
    x_and_a[0].view.rows = 2;
    CHECK(admpi_detail_array_record(&all, NULL, x_and_a, 2, reverse_squares, &of, sizeof of) == ADMPI_SUCCESS);
    EXPECT(admpi_detail_array_record(&all, NULL, x_and_a, 2, reverse_squares, &of, sizeof of),
           ADMPI_ERR_ARGUMENT, "admpi_detail_array_fresh");
    CHECK(admpi_varmat_seed(tape, &all, values, 6, 0) == ADMPI_SUCCESS && admpi_tape_reverse(tape) == ADMPI_SUCCESS);
    CHECK(admpi_varmat_adjoints(tape, &x_and_a[0].view, 0, 6, out) == ADMPI_SUCCESS);
    for (int k = 0; k < 6; ++k) CHECK(out[k] == 6.0 * values[k] * values[k]);
  }
  admpi_varmat_free(b);
  of.factor = 7.0;
  CHECK(admpi_detail_array_fresh(2, 3, a, &b) == ADMPI_SUCCESS && b->block->value[5] == 6.0);
  {
    admpi_view all = admpi_view_all(b);
    admpi_operand operand = {admpi_view_all(a), {0.0, 0, 0}};
    CHECK(admpi_detail_array_record(&all, a, &operand, 1, reverse_squares, &of, sizeof of) == ADMPI_SUCCESS);
    CHECK(admpi_varmat_seed(tape, &all, values, 6, 0) == ADMPI_SUCCESS);
    EXPECT(admpi_tape_reverse(tape), ADMPI_ERR_CALLBACK, "returned 7");
  }
  CHECK(admpi_tape_clear_adjoints(tape) == ADMPI_SUCCESS && admpi_tape_reset_to(tape, &here) == ADMPI_SUCCESS);
  admpi_varmat_free(b);
  admpi_varmat_free(a);
}

int main(void) {
  const double values[] = {2.0, 3.0};
  admpi_var inputs[2];
  admpi_statistics before, after;
  double a = 0.0;
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  EXPECT(admpi_tape_input(tape, values, 1, inputs), ADMPI_ERR_NOT_RECORDING, NULL);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, values, 2, inputs) == ADMPI_SUCCESS);
  x = inputs[0];
  y = admpi_mul(x, inputs[1]);
  CHECK(admpi_tape_statistics(tape, &before) == ADMPI_SUCCESS);

  test_arguments_no_tape_given();
  test_arguments_null();
  test_arguments_numbers();
  test_arguments_foreign_values();
  test_arguments_positions();
  test_arguments_callback_status();
  test_arguments_matrices();
  test_arguments_linear_algebra();
  test_arguments_array_statements();
  test_arguments_the_placeholder();

  /* After all that the tape still holds what it held, and works. */
  CHECK(admpi_tape_statistics(tape, &after) == ADMPI_SUCCESS);
  CHECK(after.statements == before.statements && after.ids == before.ids && after.arguments == before.arguments);
  CHECK(after.events == before.events);
  CHECK(admpi_tape_seed(tape, y, 1.0, 0) == ADMPI_SUCCESS);
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoint(tape, x, 0, &a) == ADMPI_SUCCESS);
  CHECK(a == 3.0);
  CHECK(strcmp(admpi_version(), ADMPI_VERSION) == 0);
  admpi_tape_free(tape);
  return failures != 0;
}
