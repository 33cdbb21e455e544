/* A user's program in C: the derivative of x*y + sin(x), and with MPI that of a message around a ring. */
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

#if ADMPI_HAVE_MPI
/* Rank r seeds its neighbour's x^2, so that the adjoint of its own x is 2x. */
static int ring(void) {
  int rank = 0;
  int size = 1;
  double x;
  double dx = 0.0;
  admpi_tape *tape = NULL;
  admpi_var own;
  admpi_var square;
  admpi_var left;
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  AMPI_Comm_size(AMPI_COMM_WORLD, &size);
  x = 1.0 + rank;
  if (admpi_tape_new(&tape) != ADMPI_SUCCESS || admpi_tape_activate(tape, NULL) != ADMPI_SUCCESS ||
      admpi_tape_start(tape) != ADMPI_SUCCESS || admpi_tape_input(tape, &x, 1, &own) != ADMPI_SUCCESS)
    return 1;
  square = admpi_mul(own, own);
  AMPI_Sendrecv(&square, 1, AMPI_ADOUBLE, (rank + 1) % size, 0, &left, 1, AMPI_ADOUBLE, (rank + size - 1) % size,
                0, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE);
  if (admpi_tape_seed(tape, left, 1.0, 0) != ADMPI_SUCCESS || admpi_tape_reverse(tape) != ADMPI_SUCCESS ||
      admpi_tape_adjoint(tape, own, 0, &dx) != ADMPI_SUCCESS)
    return 1;
  admpi_tape_free(tape);
  printf("rank %d of %d: %g\n", rank, size, dx);
  return dx == 2.0 * x ? 0 : 1;
}
#endif

int main(int argc, char **argv) {
  double dx = 0.0;
  double dy = 0.0;
  int wrong;
  int code = derivative(&dx, &dy);
  if (code != ADMPI_SUCCESS) {
    fprintf(stderr, "admpi: error %d: %s\n", code, admpi_last_error());
    return 1;
  }
  printf("admpi %s: %.15g %.15g\n", admpi_version(), dx, dy);
  wrong = !(fabs(dx - (-2.0 + cos(1.5))) < 1e-15 && dy == 1.5);
#if ADMPI_HAVE_MPI
  AMPI_Init(&argc, &argv);
  wrong += ring();
  AMPI_Finalize();
#else
  (void)argc;
  (void)argv;
#endif
  return wrong != 0;
}
