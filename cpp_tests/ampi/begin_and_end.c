/* Before MPI begins, between MPI_Init and AMPI_Init, and after the end of the library, in C. */
#include <admpi.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "failed: %s (last error: %s)\n", what, admpi_last_error());
  failures++;
}

static double ring(admpi_tape *tape, MPI_Comm comm) {
  const double start = 1.5;
  double adjoint = 0.0;
  int rank, size;
  admpi_var x, y;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  admpi_tape_reset(tape);
  admpi_tape_input(tape, &start, 1, &x);
  AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, (rank + 1) % size, 0, &y, 1, AMPI_ADOUBLE, (rank + size - 1) % size, 0, comm,
                MPI_STATUS_IGNORE);
  y = admpi_mul(y, y);
  admpi_tape_seed(tape, y, 1.0, 0);
  expect(admpi_tape_reverse(tape) == ADMPI_SUCCESS, "reverse");
  admpi_tape_adjoint(tape, x, 0, &adjoint);
  return adjoint;
}

int main(int argc, char **argv) {
  admpi_tape *tape = NULL;
  MPI_Comm comm;
  admpi_mpi_statistics_t counts;

  expect(AMPI_ADOUBLE == MPI_DATATYPE_NULL, "no active datatype before initialisation");
  expect(admpi_init(MPI_COMM_WORLD) == ADMPI_ERR_MPI, "admpi_init before MPI_Init");
  expect(strncmp(admpi_last_error(), "admpi_init: ", 12) == 0, "its name in the message");
  expect(admpi_finalize() == ADMPI_SUCCESS, "admpi_finalize of nothing");
  expect(admpi_mpi_statistics(&counts) == ADMPI_SUCCESS && counts.forward_messages == 0, "statistics of nothing");
  admpi_tape_new(&tape);
  admpi_tape_activate(tape, NULL);
  admpi_tape_start(tape);

  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  expect(AMPI_Comm_register(MPI_COMM_WORLD) != MPI_SUCCESS, "AMPI_Comm_register before admpi_init");
  expect(strstr(admpi_last_error(), "AMPI_Init") != NULL, "the cure in the message");
  expect(AMPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS, "communicators may be made before admpi_init");
  expect(admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS, "admpi_init");
  expect(ring(tape, MPI_COMM_WORLD) == 3.0, "the ring's gradient");
  expect(AMPI_Comm_register(comm) == MPI_SUCCESS, "registering what was made before");
  expect(ring(tape, comm) == 3.0, "the ring's gradient there");
  AMPI_Comm_free(&comm);

  expect(admpi_finalize() == ADMPI_SUCCESS, "admpi_finalize");
  expect(AMPI_ADOUBLE == MPI_DATATYPE_NULL, "no active datatype after admpi_finalize");
  expect(admpi_tape_reverse(tape) == ADMPI_ERR_MPI, "a sweep after admpi_finalize");
  expect(admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS, "admpi_init once more");
  expect(ring(tape, MPI_COMM_WORLD) == 3.0, "the ring's gradient once more");

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Finalize();
  expect(admpi_tape_reverse(tape) == ADMPI_ERR_MPI, "a sweep after MPI_Finalize");
  admpi_tape_free(tape);
  return failures != 0;
}
