/* MPI tells of a loss, which it is made to here: the root by a send that fails, the workers by a receive, or by a send in the
   middle of a call. */
#include <admpi.h>

#include "harness/check.h"

#define MOST 5000
/* Parameters of so many jobs travel behind the order. */
#define LONG 20
#define PARAMETERS 2000

static int rank, size, no_send, no_receive;
/* This send fails, if it is not 0. */
static int failing_send;

int MPI_Isend(const void *words, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
  return no_send || (failing_send > 0 && --failing_send == 0) ? MPI_ERR_OTHER : PMPI_Isend(words, n, type, to, tag, comm, request);
}

int MPI_Irecv(void *words, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
  return no_receive ? MPI_ERR_OTHER : PMPI_Irecv(words, n, type, from, tag, comm, request);
}

/* Where the shared parameter is -1, its worker receives no order after this one; where it is -2 or -3, that worker's first or second
   send from then on fails; where it is -4, the first send of rank 1 alone. */
static int32_t losing(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                      int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  (void)n_shared, (void)job, (void)n_job, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y, (void)ctx;
  if (shared[0].value == -1.0 && rank != 0) no_receive = 1;
  if (shared[0].value == -4.0 && rank == 1) failing_send = 1;
  if (shared[0].value < -1.0 && shared[0].value > -4.0 && rank != 0 && failing_send == 0) failing_send = (int)-shared[0].value - 1;
  y[0] = admpi_mul_d(shared[0], 2.0);
  return 0;
}

/* Each job has that many parameters. */
static void check_run_of(admpi_map *map, int32_t function, int64_t jobs, int64_t parameters, double x, int32_t code) {
  static admpi_var y[MOST], job[LONG * PARAMETERS];
  admpi_var shared;
  admpi_map_call call = {.function = function, .jobs = jobs, .shared = &shared, .n_shared = 1, .job = job, .n_job = jobs * parameters,
                         .n_y = jobs};
  admpi_statistics before, after;
  double adjoint;
  int64_t i;
  CHECK(admpi_tape_reset(admpi_tls_tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(admpi_tls_tape, &x, 1, &shared) == ADMPI_SUCCESS);
  for (i = 0; i < jobs; ++i) y[i] = admpi_passive(-7.0);
  CHECK(admpi_tape_statistics(admpi_tls_tape, &before) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == code);
  CHECK(admpi_tape_statistics(admpi_tls_tape, &after) == ADMPI_SUCCESS);
  CHECK((after.used_bytes == before.used_bytes) == (code != ADMPI_SUCCESS));
  for (i = 0; i < jobs; ++i) {
    CHECK(y[i].value == (code == ADMPI_SUCCESS ? 2.0 * x : -7.0));
    CHECK(admpi_tape_seed(admpi_tls_tape, y[i], 1.0, 0) == ADMPI_SUCCESS);
  }
  CHECK(admpi_tape_reverse(admpi_tls_tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoint(admpi_tls_tape, shared, 0, &adjoint) == ADMPI_SUCCESS);
  CHECK(adjoint == (code == ADMPI_SUCCESS ? 2.0 * (double)jobs : 0.0));
}

static void check_run(admpi_map *map, int32_t function, int64_t jobs, double x, int32_t code) {
  check_run_of(map, function, jobs, 0, x, code);
}

/* The last ones are of rank 1 alone: the others are let go, idle or with an answer that is long. */
enum way { SEND_OF_ROOT, RECEIVE, RECEIVE_OF_LONG, KEEP, ANSWER, REST_OF_ANSWER, ONE_ANSWER, ONE_OF_LONG_ANSWERS, WAYS };

static void lose(int32_t function, enum way how) {
  admpi_map *map = NULL;
  static const double numbers[MOST];
  admpi_map_values values = {.jobs = 1, .x_r = numbers, .n_r = MOST};
  admpi_map_data data;
  CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_SUCCESS);
  check_run(map, function, 16, 1.0, ADMPI_SUCCESS);
  if (how <= KEEP) check_run(map, function, size, -1.0, ADMPI_SUCCESS); /* one order for each */
  if (how == KEEP) {
    CHECK(admpi_map_data_new(map, &values, &data) == ADMPI_ERR_MPI);
  } else if (how < KEEP) {
    no_send = how == SEND_OF_ROOT;
    /* Of so many the times are not known, by which a rank might get none. */
    check_run_of(map, function, LONG, how == RECEIVE_OF_LONG ? PARAMETERS : 0, 1.0, ADMPI_ERR_MPI);
    no_send = 0;
  } else if (how == ANSWER || how == ONE_ANSWER) {
    check_run(map, function, size, how == ANSWER ? -2.0 : -4.0, ADMPI_ERR_MPI); /* one order for each */
  } else if (how == ONE_OF_LONG_ANSWERS) {
    check_run(map, function, MOST, -4.0, ADMPI_ERR_MPI);
  } else {
    check_run(map, function, MOST, -3.0, ADMPI_ERR_MPI);
  }
  CHECK((strstr(admpi_last_error(), "has left, since MPI failed there") != NULL) == (how != SEND_OF_ROOT && how != REST_OF_ANSWER));
  CHECK((strstr(admpi_last_error(), "0 words of rank ") != NULL) == (how == REST_OF_ANSWER));
  /* What cannot be known to be in step is not used again. */
  check_run(map, function, 16, 1.0, ADMPI_ERR_MPI);
  CHECK(strstr(admpi_last_error(), "workers are lost") != NULL);
  CHECK(admpi_map_data_new(map, &values, &data) == ADMPI_ERR_MPI);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_SERIAL, 0) == ADMPI_SUCCESS);
  check_run(map, function, 16, 3.0, ADMPI_SUCCESS);
  CHECK(admpi_map_stop(map) == ADMPI_ERR_MPI);
  check_run(map, function, 16, 4.0, ADMPI_SUCCESS);
  admpi_map_free(map);
}

int main(int argc, char **argv) {
  admpi_tape *tape = NULL;
  int32_t function = 0;
  int all = 0, how;
  CHECK(AMPI_Init(&argc, &argv) == MPI_SUCCESS);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(admpi_map_register("losing", losing, NULL, &function) == ADMPI_SUCCESS);
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  for (how = 0; how < WAYS; ++how) {
    if (rank == 0) {
      lose(function, (enum way)how);
    } else {
      CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_ERR_MPI);
      no_receive = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  admpi_tape_free(tape);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  AMPI_Finalize();
  return all != 0;
}
