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

/* MPI_Init without AMPI_Init: all calls on active data say what to do, and none hands MPI what is no type. */
static void uninitialised(void) {
  static const char cure[] = "call AMPI_Init instead of MPI_Init, or admpi_init(MPI_COMM_WORLD) after it";
  admpi_var x[2] = {{1.0, 0, 0}, {2.0, 0, 0}}, y[16];
  int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8] = {0}, rank;
  char packed[64];
  AMPI_Request q = AMPI_REQUEST_NULL;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#define REFUSED(call) \
  expect(MPI_SUCCESS != (call) && strstr(admpi_last_error(), cure) != NULL && strncmp(admpi_last_error(), #call, 8) == 0, #call)
  REFUSED(AMPI_Send(x, 1, AMPI_ADOUBLE, rank, 0, MPI_COMM_WORLD));
  REFUSED(AMPI_Recv(x, 1, AMPI_ADOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  REFUSED(AMPI_Isend(x, 1, AMPI_ADOUBLE, rank, 0, MPI_COMM_WORLD, &q));
  REFUSED(AMPI_Irecv(x, 1, AMPI_ADOUBLE, rank, 0, MPI_COMM_WORLD, &q));
  REFUSED(AMPI_Send_init(x, 1, AMPI_ADOUBLE, rank, 0, MPI_COMM_WORLD, &q));
  REFUSED(AMPI_Recv_init(x, 1, AMPI_ADOUBLE, rank, 0, MPI_COMM_WORLD, &q));
  REFUSED(AMPI_Sendrecv(x, 1, AMPI_ADOUBLE, rank, 0, y, 1, AMPI_ADOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  REFUSED(AMPI_Bcast(x, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD));
  REFUSED(AMPI_Ibcast(x, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD, &q));
  REFUSED(AMPI_Allreduce(x, y, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD));
  REFUSED(AMPI_Scan(x, y, 1, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD));
  REFUSED(AMPI_Reduce_local(x, y, 1, AMPI_ADOUBLE, MPI_PROD));
  REFUSED(AMPI_Allgather(x, 1, AMPI_ADOUBLE, y, 1, AMPI_ADOUBLE, MPI_COMM_WORLD));
  REFUSED(AMPI_Allgatherv(x, 1, AMPI_ADOUBLE, y, ones, zeros, AMPI_ADOUBLE, MPI_COMM_WORLD));
  REFUSED(AMPI_Alltoallv(y, ones, zeros, AMPI_ADOUBLE, y, ones, zeros, AMPI_ADOUBLE, MPI_COMM_WORLD));
  REFUSED(AMPI_Pack(x, 1, AMPI_ADOUBLE, packed, 64, zeros, MPI_COMM_WORLD));
  REFUSED(AMPI_Comm_register(MPI_COMM_WORLD));
  REFUSED(admpi_detail_pair_type(AMPI_ADOUBLE, 24, &made));
  expect(q == AMPI_REQUEST_NULL, "no request was made");
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
  uninitialised();
  expect(admpi_init(MPI_COMM_NULL) == ADMPI_ERR_ARGUMENT, "admpi_init without a communicator");
  expect(strstr(admpi_last_error(), "comm is MPI_COMM_NULL") != NULL, "its argument in the message");
  expect(AMPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS, "communicators may be made before admpi_init");
  expect(admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS, "admpi_init");
  expect(AMPI_Comm_register(MPI_COMM_NULL) != MPI_SUCCESS, "AMPI_Comm_register of none");
  expect(strstr(admpi_last_error(), "AMPI_Comm_register: comm is MPI_COMM_NULL") != NULL, "its argument in the message");
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
