/* A program that begins in C. Each language calls the other: its tape, its MPI, its active variables. */
#include <admpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/** In parts.F90: the sum over all ranks of the squares of x(i), on the tape that is current. */
void sum_of_squares_(const admpi_var *x, const MPI_Fint *n, const MPI_Fint *comm, admpi_var *y);

static void check(const char *what, double got, double want) {
  if (fabs(got - want) <= 1e-12) return;
  fprintf(stderr, "%s: got %g, not %g\n", what, got, want);
  abort();
}

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  admpi_tape *tape;
  if (admpi_tape_new(&tape) != ADMPI_SUCCESS) return 1;
  admpi_tape_activate(tape, NULL);
  admpi_tape_start(tape);
  const double values[2] = {rank, rank + 1};
  admpi_var x[2], y;
  admpi_tape_input(tape, values, 2, x);
  const MPI_Fint n = 2, comm = MPI_Comm_c2f(MPI_COMM_WORLD);
  sum_of_squares_(x, &n, &comm, &y);
  admpi_tape_seed_replicated(tape, MPI_COMM_WORLD, y, 1.0, 0);
  admpi_tape_reverse(tape);
  for (int i = 0; i < 2; i++) {
    double adjoint;
    admpi_tape_adjoint(tape, x[i], 0, &adjoint);
    check("adjoint", adjoint, 2.0 * (rank + i));
  }
  admpi_tape_free(tape);
  AMPI_Finalize();
  return 0;
}
