/* 03: a value crosses from rank 0 to rank 1, its adjoint crosses back.
 *
 * Rank 0 holds x and sends u = x^2. Rank 1 computes y = sin(u) and seeds it. In the reverse sweep, which both ranks enter, the
 * adjoint of u travels from rank 1 to rank 0. The only change to the messages is AMPI_ADOUBLE instead of MPI_DOUBLE. */
#include <admpi.h>
#include <math.h>
#include <stdio.h>

static void check(int status) {
  if (status == ADMPI_SUCCESS) return;
  fprintf(stderr, "error %d: %s\n", status, admpi_last_error());
  AMPI_Abort(AMPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  const double point = 1.2;
  int rank;
  admpi_tape *tape;
  admpi_var x, u, y;

  AMPI_Init(&argc, &argv);
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  check(admpi_tape_new(&tape));
  check(admpi_tape_activate(tape, NULL));
  check(admpi_tape_start(tape));
  if (rank == 0) {
    check(admpi_tape_input(tape, &point, 1, &x));
    u = admpi_square(x);
    AMPI_Send(&u, 1, AMPI_ADOUBLE, 1, 0, AMPI_COMM_WORLD);
  } else if (rank == 1) {
    AMPI_Recv(&u, 1, AMPI_ADOUBLE, 0, 0, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE);
    y = admpi_sin(u);
    check(admpi_tape_seed(tape, y, 1.0, 0));
  }
  check(admpi_tape_stop(tape));
  check(admpi_tape_reverse(tape));

  if (rank == 0) {
    double dydx;
    check(admpi_tape_adjoint(tape, x, 0, &dydx));
    printf("dy/dx = %.12f, by hand %.12f\n", dydx, 2 * point * cos(point * point));
  }
  admpi_tape_free(tape);
  AMPI_Finalize();
  return 0;
}
