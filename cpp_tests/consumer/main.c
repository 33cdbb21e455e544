/* A user's program in C: the derivative of x*y + sin(x), and over two ranks where there is MPI. */
#include <admpi.h>
#include <math.h>
#include <stdio.h>

static int derivative(double *dx_out, double *dy_out) {
  const double start[2] = {1.5, -2.0};
  admpi_tape *tape = NULL;
  admpi_var in[2];
  admpi_var result;
  int code = admpi_tape_new(&tape);
  if (code == ADMPI_SUCCESS) code = admpi_tape_activate(tape, NULL);
  if (code == ADMPI_SUCCESS) code = admpi_tape_start(tape);
  if (code == ADMPI_SUCCESS) code = admpi_tape_input(tape, start, 2, in);
  if (code != ADMPI_SUCCESS) return code;
  result = admpi_add(admpi_mul(in[0], in[1]), admpi_sin(in[0]));
  code = admpi_tape_seed(tape, result, 1.0, 0);
  if (code == ADMPI_SUCCESS) code = admpi_tape_reverse(tape);
  if (code == ADMPI_SUCCESS) code = admpi_tape_adjoint(tape, in[0], 0, dx_out);
  if (code == ADMPI_SUCCESS) code = admpi_tape_adjoint(tape, in[1], 0, dy_out);
  admpi_tape_free(tape);
  return code;
}

int main(void) {
  double dx = 0.0;
  double dy = 0.0;
  int code = derivative(&dx, &dy);
  if (code != ADMPI_SUCCESS) {
    fprintf(stderr, "admpi: error %d: %s\n", code, admpi_last_error());
    return 1;
  }
  printf("admpi %s: %.15g %.15g\n", admpi_version(), dx, dy);
  return fabs(dx - (-2.0 + cos(1.5))) < 1e-15 && dy == 1.5 ? 0 : 1;
}
