/* Sessions beside MPI_Init: communicators that are made from groups carry active data. */
#include <admpi.h>

#include "harness/check.h"

static int rank, size;

/* Every other name, which a program may have in the place of MPI's. */
static const size_t types[] = {sizeof(AMPI_Session), sizeof(AMPI_Session_errhandler_function *)};
static const int constants[] = {AMPI_ERR_SESSION, AMPI_MAX_PSET_NAME_LEN, AMPI_MAX_STRINGTAG_LEN};
static void (*const calls[])(void) = {
    (void (*)(void))AMPI_Session_get_nth_pset,      (void (*)(void))AMPI_Session_get_pset_info,
    (void (*)(void))AMPI_Session_get_info,          (void (*)(void))AMPI_Session_create_errhandler,
    (void (*)(void))AMPI_Session_set_errhandler,    (void (*)(void))AMPI_Session_get_errhandler,
    (void (*)(void))AMPI_Session_call_errhandler,
};

/* A value goes round, and its derivative comes back. */
static void go_round(MPI_Comm comm, int to, int from) {
  admpi_tape *tape;
  const double start = 2.0;
  admpi_var x, y, z;
  double adjoint = 0.0;
  admpi_tape_new(&tape);
  admpi_tape_activate(tape, NULL);
  admpi_tape_start(tape);
  admpi_tape_input(tape, &start, 1, &x);
  y = admpi_mul(x, x);
  CHECK(AMPI_Sendrecv(&y, 1, AMPI_ADOUBLE, to, 0, &z, 1, AMPI_ADOUBLE, from, 0, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  admpi_tape_stop(tape);
  CHECK(z.value == 4.0);
  admpi_tape_seed(tape, z, 3.0, 0);
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  admpi_tape_adjoint(tape, x, 0, &adjoint);
  CHECK(adjoint == 12.0);
  admpi_tape_free(tape);
}

int main(int argc, char **argv) {
  AMPI_Session session = AMPI_SESSION_NULL;
  MPI_Group all, own, other;
  MPI_Comm comm, inter;
  int provided = 0, psets = 0;
  AMPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
  CHECK(AMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) == MPI_SUCCESS);
  AMPI_Session_get_num_psets(session, MPI_INFO_NULL, &psets);
  CHECK(psets >= 2);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) CHECK(calls[i] != NULL);
  CHECK(types[0] > 0 && types[1] > 0 && constants[0] != MPI_SUCCESS && constants[1] > 0 && constants[2] > 0);
  CHECK(AMPI_Session_f2c(AMPI_Session_c2f(session)) == session);
  AMPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  CHECK(AMPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) == MPI_SUCCESS);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  go_round(comm, (rank + 1) % size, (rank + size - 1) % size);
  AMPI_Comm_free(&comm);
  if (size % 2 == 0) {
    /* The lower half and the upper half. */
    int lower[][3] = {{0, size / 2 - 1, 1}}, upper[][3] = {{size / 2, size - 1, 1}};
    const int is_lower = rank < size / 2;
    MPI_Group_range_incl(all, 1, is_lower ? lower : upper, &own);
    MPI_Group_range_incl(all, 1, is_lower ? upper : lower, &other);
    CHECK(AMPI_Intercomm_create_from_groups(own, 0, other, 0, "halves", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter) == MPI_SUCCESS);
    go_round(inter, rank % (size / 2), rank % (size / 2));
    AMPI_Comm_free(&inter);
    MPI_Group_free(&own);
    MPI_Group_free(&other);
  }
  MPI_Group_free(&all);
  AMPI_Session_finalize(&session);
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  AMPI_Finalize();
  return failures != 0;
}
