/* The C operators: what they record, mixes with doubles, a program of them, and errors that wait for the sweep.
 * Every function against its derivative is in test_functions.cpp. */
#include <admpi.h>

#include "harness/check.h"

static admpi_tape *tape;

static admpi_var input(double x) {
  admpi_var v;
  CHECK(admpi_tape_input(tape, &x, 1, &v) == ADMPI_SUCCESS);
  return v;
}

static double adjoint(admpi_var x) {
  double a = -1.0;
  CHECK(admpi_tape_adjoint(tape, x, 0, &a) == ADMPI_SUCCESS);
  return a;
}

static void sweep(admpi_var y) {
  CHECK(admpi_tape_clear_adjoints(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_seed(tape, y, 1.0, 0) == ADMPI_SUCCESS);
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
}

static uint64_t statements(void) {
  admpi_statistics s;
  CHECK(admpi_tape_statistics(tape, &s) == ADMPI_SUCCESS);
  return s.statements;
}

static uint64_t arguments(void) {
  admpi_statistics s;
  CHECK(admpi_tape_statistics(tape, &s) == ADMPI_SUCCESS);
  return s.arguments;
}

/* One statement each, of as many arguments as there are active operands. */
static void test_operators_statements(void) {
  admpi_var x = input(2.0), y = input(3.0), p = admpi_passive(4.0), z;
  uint64_t s = statements(), a = arguments();
  z = admpi_mul(x, y);
  CHECK(statements() == s + 1 && arguments() == a + 2);
  CHECK(z.value == 6.0 && z.id == y.id + 1 && z.tag == x.tag);
  z = admpi_mul(x, p);
  CHECK(statements() == s + 2 && arguments() == a + 3);
  sweep(z);
  CHECK(adjoint(x) == 4.0);
  z = admpi_mul(p, x);
  CHECK(statements() == s + 3 && arguments() == a + 4);
  sweep(z);
  CHECK(adjoint(x) == 4.0);
  z = admpi_mul(p, p);
  CHECK(statements() == s + 3 && z.value == 16.0 && z.id == 0 && z.tag == 0);
  z = admpi_mul_d(p, 2.0);
  CHECK(statements() == s + 3 && z.id == 0);
  z = admpi_fma(p, p, x);
  CHECK(statements() == s + 4 && arguments() == a + 5);
  sweep(z);
  CHECK(adjoint(x) == 1.0);
  z = admpi_fma(x, p, y);
  CHECK(arguments() == a + 7);
  sweep(z);
  CHECK(adjoint(x) == 4.0 && adjoint(y) == 1.0);
  CHECK(admpi_value(z) == 11.0);
}

static void test_operators_the_same_operand_twice(void) {
  admpi_var x = input(3.0);
  sweep(admpi_mul(x, x));
  CHECK(adjoint(x) == 6.0);
  sweep(admpi_sub(x, x));
  CHECK(adjoint(x) == 0.0);
  sweep(admpi_fma(x, x, x));
  CHECK(adjoint(x) == 7.0);
  sweep(admpi_pow(x, x));
  CHECK_CLOSE(adjoint(x), 27.0 * (log(3.0) + 1.0));
}

/* f(x, y) = atan2(x y, hypot(x, y)) + exp(-x) / (1 - y)^2, some 2000 statements of it. */
static void test_operators_program(void) {
  const double a = 0.7, b = -0.4;
  const double p = a * b, h = sqrt(a * a + b * b), q = p * p + h * h, e = exp(-a), d = 1.0 - b;
  admpi_var x = input(a), y = input(b), sum = admpi_passive(0.0);
  int i;
  for (i = 0; i < 200; ++i) {
    admpi_var t = admpi_atan2(admpi_mul(x, y), admpi_hypot(x, y));
    admpi_var u = admpi_div(admpi_exp(admpi_neg(x)), admpi_square(admpi_d_sub(1.0, y)));
    sum = admpi_add(sum, admpi_mul_d(admpi_add(t, u), 1.0 / 128.0));
  }
  sweep(sum);
  CHECK_CLOSE(sum.value, 200.0 / 128.0 * (atan2(p, h) + e / (d * d)));
  CHECK(fabs(adjoint(x) - 200.0 / 128.0 * ((h * b - p * a / h) / q - e / (d * d))) < 1e-13);
  CHECK(fabs(adjoint(y) - 200.0 / 128.0 * ((h * a - p * b / h) / q + 2.0 * e / (d * d * d))) < 1e-13);
}

/* A minimum is one of its operands: nothing is recorded. */
static void test_operators_choices_record_nothing(void) {
  admpi_var x = input(2.0), y = input(3.0), z;
  uint64_t s = statements();
  z = admpi_fmin(x, y);
  CHECK(z.id == x.id && z.value == 2.0);
  z = admpi_fmax(x, y);
  CHECK(z.id == y.id);
  z = admpi_fmin(y, y);
  CHECK(z.id == y.id);
  z = admpi_fmax_d(x, 2.5);
  CHECK(z.id == 0 && z.value == 2.5);
  z = admpi_fmax_d(x, 2.0);
  CHECK(z.id == x.id);
  z = admpi_fmin_d(admpi_passive(NAN), 1.0);
  CHECK(z.value == 1.0);
  CHECK(statements() == s);
}

/* Without a recording, and without a tape, results are passive. */
static void test_operators_without_a_recording(void) {
  admpi_var x = input(2.0), z;
  CHECK(admpi_tape_stop(tape) == ADMPI_SUCCESS);
  z = admpi_fma(x, x, admpi_sin(x));
  CHECK(z.id == 0 && z.tag == 0);
  CHECK(z.value == fma(2.0, 2.0, sin(2.0)));
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_activate(NULL, NULL) == ADMPI_SUCCESS);
  z = admpi_mul(x, x);
  CHECK(z.id == 0 && z.value == 4.0);
  CHECK(admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  z = admpi_mul(x, x);
  CHECK(z.id != 0);
}

/* The first error stays with the tape until the sweep; the tape is usable after a reset. */
static void test_operators_errors_wait_for_the_sweep(void) {
  admpi_statistics s;
  admpi_var x, y;
  int i;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_trim(tape) == ADMPI_SUCCESS);
  x = input(1.0);
  CHECK(admpi_tape_set_limit(tape, 16 << 20) == ADMPI_SUCCESS);
  y = x;
  for (i = 0; i < 3000000 && y.id != 0; ++i) y = admpi_mul(x, y);
  CHECK(i > 1000 && y.id == 0 && y.value == 1.0);
  for (i = 0; i < 1000; ++i) y = admpi_mul(x, y);
  CHECK(y.id == 0 && y.value == 1.0);
  CHECK(admpi_tape_statistics(tape, &s) == ADMPI_SUCCESS);
  CHECK(s.committed_bytes <= 16 << 20);
  CHECK(admpi_tape_reverse(tape) == ADMPI_ERR_LIMIT);
  CHECK(strstr(admpi_last_error(), "limit") != NULL);
  CHECK(admpi_tape_reverse(tape) == ADMPI_ERR_LIMIT);
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_set_limit(tape, 0) == ADMPI_SUCCESS);
  x = input(3.0);
  sweep(admpi_mul(x, x));
  CHECK(adjoint(x) == 6.0);
}

/* A rounded value is the same active value, and records nothing. */
static void test_operators_floats(void) {
  admpi_var x = input(1.0 / 3.0), y, z;
  uint64_t s = statements();
  y = admpi_to_float(x);
  CHECK(statements() == s && y.id == x.id && y.tag == x.tag);
  CHECK(y.value == (double)(float)(1.0 / 3.0) && y.value != x.value);
  z = admpi_to_float(admpi_mul(y, y));
  CHECK(z.value == (double)((float)y.value * (float)y.value));
  sweep(z);
  CHECK(adjoint(x) == 2.0 * y.value);
}

int main(void) {
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  test_operators_statements();
  test_operators_floats();
  test_operators_the_same_operand_twice();
  test_operators_program();
  test_operators_choices_record_nothing();
  test_operators_without_a_recording();
  test_operators_errors_wait_for_the_sweep();
  admpi_tape_free(tape);
  return failures != 0;
}
