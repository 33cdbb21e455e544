/* 06: a function with your own derivative.
 *
 * x solves x + exp(x) = b. Newton's method finds it on plain doubles. The tape only needs dx/db = 1 / (1 + exp(x)), by
 * the implicit function theorem. A callback replaces the recorded iterations: the sweep calls it with the adjoints of the
 * outputs, and it adds to those of the inputs. The payload, here exp(x), is copied into the tape. */
#include <admpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) {
  if (status == ADMPI_SUCCESS) return;
  fprintf(stderr, "error %d: %s\n", status, admpi_last_error());
  exit(1);
}

static double newton(double b) {
  double x = 0;
  int k;
  for (k = 0; k < 50; ++k) x -= (x + exp(x) - b) / (1 + exp(x));
  return x;
}

static int solve_reverse(int64_t n_out, int64_t n_in, int width, const double *out_adjoint, double *in_adjoint, void *payload) {
  const double exp_x = *(const double *)payload;
  int k;
  (void)n_out;
  (void)n_in;
  for (k = 0; k < width; ++k) in_adjoint[k] += out_adjoint[k] / (1 + exp_x); /* width adjoints side by side */
  return 0;
}

static admpi_var solve(admpi_tape *tape, admpi_var b) {
  const double x = newton(b.value), exp_x = exp(x);
  admpi_var result;
  check(admpi_tape_callback(tape, &b, 1, &x, 1, solve_reverse, &exp_x, sizeof exp_x, &result));
  return result;
}

int main(void) {
  const double point = 3.0, h = 1e-5;
  double derivative;
  admpi_tape *tape;
  admpi_var b, y;

  check(admpi_tape_new(&tape));
  check(admpi_tape_activate(tape, NULL));
  check(admpi_tape_start(tape));
  check(admpi_tape_input(tape, &point, 1, &b));
  y = admpi_square(solve(tape, b));
  check(admpi_tape_stop(tape));
  check(admpi_tape_seed(tape, y, 1.0, 0));
  check(admpi_tape_reverse(tape));
  check(admpi_tape_adjoint(tape, b, 0, &derivative));

  printf("d(x^2)/db = %.8f\n", derivative);
  printf("difference  %.8f\n", (pow(newton(point + h), 2) - pow(newton(point - h), 2)) / (2 * h));
  admpi_tape_free(tape);
  return 0;
}
