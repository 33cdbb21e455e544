/* 02: the same in C: operators become functions on admpi_var, passed and returned by value.
 *
 * Every call of the tape returns a status. The operators cannot; if one of them fails, the next reverse sweep returns the
 * error. */
#include <admpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) {
  if (status == ADMPI_SUCCESS) return;
  fprintf(stderr, "error %d: %s\n", status, admpi_last_error());
  exit(1);
}

static admpi_var f(admpi_var x, admpi_var y) {
  return admpi_add(admpi_mul(x, admpi_sin(y)), admpi_exp(admpi_mul(x, y)));
}

int main(void) {
  const double point[2] = {0.5, 2.0};
  double gradient[2];
  admpi_tape *tape;
  admpi_var x[2], z;

  check(admpi_tape_new(&tape));
  check(admpi_tape_activate(tape, NULL)); /* the calling thread now records on it */

  check(admpi_tape_start(tape));
  check(admpi_tape_input(tape, point, 2, x));
  z = f(x[0], x[1]);
  check(admpi_tape_stop(tape));

  check(admpi_tape_seed(tape, z, 1.0, 0));
  check(admpi_tape_reverse(tape));
  check(admpi_tape_adjoints(tape, x, 2, 0, gradient));

  printf("f(0.5, 2) = %.12f\n", z.value);
  printf("df/dx = %.12f, by hand %.12f\n", gradient[0], sin(2.0) + 2.0 * exp(1.0));
  printf("df/dy = %.12f, by hand %.12f\n", gradient[1], 0.5 * cos(2.0) + 0.5 * exp(1.0));
  admpi_tape_free(tape);
  return 0;
}
