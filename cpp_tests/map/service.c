/* Maps over ranks: all cases, who is told of what fails where, several maps, an end and a new beginning, and what idle
 * workers cost. */
#define _XOPEN_SOURCE 700 /* setenv, getrlimit */
#include "map/cases.h"

static int rank, size;

static int32_t f_messages, f_late, f_where, f_slow;

/* A job that uses AMPI itself: y = p^2 s, by way of messages to itself. */
static int32_t messages(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job,
                        const double *x_r, int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y,
                        void *ctx) {
  admpi_var square = admpi_mul(job[0], job[0]), there, sum;
  (void)n_shared, (void)n_job, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y, (void)ctx;
  if (AMPI_Sendrecv(&square, 1, AMPI_ADOUBLE, 0, 5, &there, 1, AMPI_ADOUBLE, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE))
    return 1;
  if (AMPI_Allreduce(&there, &sum, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_SELF)) return 2;
  y[0] = admpi_mul(sum, shared[0]);
  return 0;
}

/* The rank that runs the job, and an error on all ranks but the root's if the shared parameter is not positive. */
static int32_t where(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                     int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  (void)n_shared, (void)job, (void)n_job, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y, (void)ctx;
  y[0] = admpi_passive(rank);
  if (rank > 0 && shared[0].value <= 0.0) {
    admpi_map_fail("on a worker");
    return 40 + rank;
  }
  return 0;
}

/* The rank that runs the job, which takes rank 1 long. */
static int32_t slow(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                    int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  const struct timespec time = {0, 20000000};
  (void)shared, (void)n_shared, (void)job, (void)n_job, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y, (void)ctx;
  y[0] = admpi_passive(rank);
  if (rank == 1) nanosleep(&time, NULL);
  return 0;
}

static void test_service_messages_in_jobs(admpi_map *map) {
  double s = 1.25, p[9], adjoint;
  admpi_var shared, job[9], y[9];
  admpi_map_call call = {.function = f_messages, .jobs = 9, .shared = &shared, .n_shared = 1, .job = job, .n_job = 9,
                         .n_y = 9};
  int i;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  for (i = 0; i < 9; ++i) p[i] = wave(i);
  CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, p, 9, job) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  for (i = 0; i < 9; ++i) {
    CHECK(y[i].value == p[i] * p[i] * s);
    CHECK(admpi_tape_seed(tape, y[i], 1.0, 0) == ADMPI_SUCCESS);
  }
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  for (i = 0; i < 9; ++i) {
    CHECK(admpi_tape_adjoint(tape, job[i], 0, &adjoint) == ADMPI_SUCCESS);
    CHECK_CLOSE(adjoint, 2.0 * p[i] * s);
  }
}

/* How many ranks have done some of the jobs that tell theirs. */
static int ranks_in(const admpi_var *y, int64_t n) {
  int64_t i, j;
  int seen = 0;
  for (i = 0; i < n; ++i) {
    for (j = 0; j < i && y[j].value != y[i].value; ++j) continue;
    seen += j == i;
  }
  return seen;
}

/* How many ranks have some of the jobs: all, at the first call of so many, of which nobody knows yet what they cost. */
static int ranks_seen(admpi_map *map, int jobs) {
  admpi_var shared = admpi_passive(1.0), y[64];
  admpi_map_call call = {.function = f_where, .jobs = jobs, .shared = &shared, .n_shared = 1, .n_y = jobs};
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  CHECK(y[0].value == 0.0);
  return ranks_in(y, jobs);
}

/* Every rank has jobs where there are enough, and a failure names the first rank that failed. */
static void test_service_ranks(admpi_map *map) {
  admpi_var shared = admpi_passive(1.0), job[64], y[64];
  admpi_map_call call = {.function = f_where, .jobs = 64, .shared = &shared, .n_shared = 1, .job = job, .n_job = 64,
                         .n_y = 64};
  admpi_map_failure failure;
  int i;
  for (i = 0; i < 64; ++i) job[i] = admpi_passive(0.0);
  CHECK(ranks_seen(map, 63) == size);
  shared = admpi_passive(-1.0);
  if (size > 1) {
    CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_CALLBACK);
    CHECK(admpi_map_last_failure(&failure) == ADMPI_SUCCESS);
    CHECK(failure.job >= 0 && failure.rank > 0 && failure.rank < size && failure.code == 40 + failure.rank);
    CHECK(strcmp(failure.text, "on a worker") == 0 && strstr(admpi_last_error(), ": on a worker") != NULL);
  }
  shared = admpi_passive(1.0);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
}

/* Where nothing is known of the jobs' costs, a rank that is slow does fewer than the others. */
static void test_service_chunks(admpi_map *map) {
  admpi_var job[64], y[64];
  admpi_map_call call = {.function = f_slow, .jobs = 64, .job = job, .n_job = 64, .n_y = 64};
  int i, theirs = 0;
  for (i = 0; i < 64; ++i) job[i] = admpi_passive(0.0);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  for (i = 0; i < 64; ++i) theirs += y[i].value == 1.0;
  CHECK(size == 1 ? theirs == 0 : theirs > 0 && theirs < 64 / size);
}

/* What only the root has registered is found out, and does no harm. */
static void test_service_unknown_function(admpi_map *map) {
  admpi_var shared = admpi_passive(2.0), job[20], y[20];
  admpi_map_call call = {.jobs = 20, .shared = &shared, .n_shared = 1, .job = job, .n_job = 20, .n_y = 20};
  admpi_map_failure failure;
  int i;
  for (i = 0; i < 20; ++i) job[i] = admpi_passive(i);
  CHECK(admpi_map_register("late", product, NULL, &f_late) == ADMPI_SUCCESS);
  call.function = f_late;
  if (size > 1) {
    CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_ARGUMENT);
    CHECK(admpi_map_last_failure(&failure) == ADMPI_SUCCESS && failure.job == -1 && failure.rank >= 1);
    CHECK(strcmp(failure.text, "function late: not registered on this rank") == 0);
    CHECK(strncmp(admpi_last_error(), "rank ", 5) == 0 && strstr(admpi_last_error(), failure.text) != NULL);
  }
  CHECK(admpi_map_unregister(f_late) == ADMPI_SUCCESS);
  call.function = f_product;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS && y[19].value == 38.0);
}

/* Data belong to the map that they were made with. */
static void test_service_data(admpi_map *map) {
  double x_r[3] = {1.0, 2.0, 3.0};
  admpi_var shared = admpi_passive(1.0), job[3] = {{1.0, 0, 0}, {2.0, 0, 0}, {3.0, 0, 0}}, y[3];
  admpi_map_values values = {.jobs = 3, .x_r = x_r, .n_r = 3};
  admpi_map_call call = {.function = f_model, .jobs = 3, .shared = &shared, .n_shared = 1, .job = job, .n_job = 3,
                         .n_y = 3};
  admpi_map_data local, data;
  CHECK(admpi_map_data_new(NULL, &values, &local) == ADMPI_SUCCESS);
  CHECK(admpi_map_data_new(map, &values, &data) == ADMPI_SUCCESS);
  call.data = local;
  CHECK(admpi_map_run(NULL, &call, y) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_MISMATCH);
  call.data = data;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(NULL, &call, y) == ADMPI_SUCCESS);
  CHECK(admpi_map_data_update(NULL, data, &values, &data) == ADMPI_ERR_MISMATCH);
  CHECK(admpi_map_data_update(map, local, &values, &local) == ADMPI_ERR_MISMATCH);
  CHECK(admpi_map_data_free(map, data) == ADMPI_SUCCESS);
  CHECK(admpi_map_data_free(NULL, local) == ADMPI_SUCCESS);
}

static void test_service_backends(admpi_map *map) {
  static const int32_t backends[] = {ADMPI_MAP_MPI_THREADS, ADMPI_MAP_SERIAL, ADMPI_MAP_THREADS, ADMPI_MAP_MPI};
  size_t i;
  for (i = 0; i < sizeof backends / sizeof *backends; ++i) {
    CHECK(admpi_map_set_backend(map, backends[i], 2) == ADMPI_SUCCESS);
    if (backends[i] == ADMPI_MAP_MPI_THREADS) check_threads(map);
    check_problem(map, 33, 1, 1, 1, 2);
    check_problem(map, 1000, 1, 1, 1, 1);
    check_failures_of(map, 20, 19);
    check_hessian(map);
  }
}

static void test_service_environment(void) {
  admpi_map *map = NULL;
  setenv("ADMPI_MAP", "serial", 1);
  CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_DEFAULT, 0, &map) == ADMPI_SUCCESS);
  unsetenv("ADMPI_MAP");
  check_problem(map, 7, 1, 1, 1, 1);
  CHECK(ranks_seen(map, 60) == 1);
  setenv("ADMPI_MAP", "mpi+threads", 1);
  setenv("ADMPI_MAP_THREADS", "2", 1);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_DEFAULT, 0) == ADMPI_SUCCESS);
  unsetenv("ADMPI_MAP");
  unsetenv("ADMPI_MAP_THREADS");
  CHECK(ranks_seen(map, 61) == size);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_DEFAULT, 0) == ADMPI_SUCCESS);
  CHECK(ranks_seen(map, 62) == size);
  admpi_map_free(map); /* without a stop */
}

static void test_service_stop(admpi_map *map) {
  admpi_var shared = admpi_passive(2.0), job[3] = {{1.0, 0, 0}, {2.0, 0, 0}, {3.0, 0, 0}}, y[3];
  admpi_map_call call = {.function = f_product, .jobs = 3, .shared = &shared, .n_shared = 1, .job = job, .n_job = 3,
                         .n_y = 3};
  CHECK(admpi_map_stop(map) == ADMPI_SUCCESS);
  CHECK(admpi_map_stop(map) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS && y[2].value == 6.0);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_MPI, 0) == ADMPI_ERR_UNSUPPORTED);
  admpi_map_free(map);
}

/* Two maps at once, on communicators that share the root: calls alternate. */
static void test_service_two_maps(void) {
  MPI_Comm comm[2];
  admpi_map *map[2];
  int of, round;
  for (of = 0; of < 2; ++of)
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 || rank % 2 == of ? 0 : MPI_UNDEFINED, rank, &comm[of]);
  if (rank == 0) {
    for (of = 0; of < 2; ++of) CHECK(admpi_map_new_mpi(comm[of], ADMPI_MAP_MPI, 0, &map[of]) == ADMPI_SUCCESS);
    for (round = 0; round < 6; ++round) {
      check_problem(map[round % 2], 5 + round, round % 3 == 0, 1, 1, 1);
      check_failures_of(map[round % 2], 8, 7);
    }
    /* What one knows the other does not. */
    {
      int32_t x_i[2] = {0, 0};
      admpi_var shared = admpi_passive(1.0), job[2] = {{1.0, 0, 0}, {2.0, 0, 0}}, y[2];
      admpi_map_values values = {.jobs = 2, .x_i = x_i, .n_i = 2};
      admpi_map_call call = {.function = f_failing, .jobs = 2, .shared = &shared, .n_shared = 1, .job = job,
                             .n_job = 2, .n_y = 2};
      CHECK(admpi_map_data_new(map[0], &values, &call.data) == ADMPI_SUCCESS);
      CHECK(admpi_map_run(map[1], &call, y) == ADMPI_ERR_MISMATCH);
      CHECK(admpi_map_data_free(map[1], call.data) == ADMPI_ERR_MISMATCH);
      CHECK(admpi_map_data_free(map[0], call.data) == ADMPI_SUCCESS);
    }
    admpi_map_free(map[0]), admpi_map_free(map[1]);
  } else {
    CHECK(admpi_map_serve(comm[rank % 2]) == ADMPI_SUCCESS);
  }
  for (of = 0; of < 2; ++of)
    if (comm[of] != MPI_COMM_NULL) MPI_Comm_free(&comm[of]);
}

/* The root's results go on to other ranks, and their adjoints come back. */
static void test_service_in_an_adjoint_program(void) {
  admpi_map *map;
  double p[4] = {1.0, 2.0, 3.0, 4.0}, s = 0.5, adjoint;
  admpi_var shared, job[4], y[4], z = {0.0, 0, 0};
  admpi_map_call call = {.function = f_product, .jobs = 4, .shared = &shared, .n_shared = 1, .job = job, .n_job = 4,
                         .n_y = 4};
  int last = size - 1;
  if (size == 1) return;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  if (rank == 0) {
    CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_SUCCESS);
    CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
    CHECK(admpi_tape_input(tape, p, 4, job) == ADMPI_SUCCESS);
    CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
    admpi_map_free(map);
    CHECK(AMPI_Send(y, 4, AMPI_ADOUBLE, last, 3, MPI_COMM_WORLD) == MPI_SUCCESS);
  } else {
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
    if (rank == last) {
      CHECK(AMPI_Recv(y, 4, AMPI_ADOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      z = admpi_mul(admpi_mul(y[0], y[1]), admpi_mul(y[2], y[3]));
      CHECK(z.value == s * s * s * s * 24.0);
      CHECK(admpi_tape_seed(tape, z, 1.0, 0) == ADMPI_SUCCESS);
    }
  }
  CHECK(admpi_tape_reverse(tape) == ADMPI_SUCCESS);
  if (rank == 0) {
    CHECK(admpi_tape_adjoint(tape, shared, 0, &adjoint) == ADMPI_SUCCESS);
    CHECK_CLOSE(adjoint, 4.0 * s * s * s * 24.0);
    CHECK(admpi_tape_adjoint(tape, job[3], 0, &adjoint) == ADMPI_SUCCESS);
    CHECK_CLOSE(adjoint, s * s * s * s * 6.0);
  }
}

static double cpu_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* A worker that waits for two seconds sleeps nearly all of them. */
static void test_service_idle(void) {
  if (rank == 0) {
    admpi_map *map;
    CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_SUCCESS);
    sleep(2);
    admpi_map_free(map);
  } else {
    double before = cpu_seconds(), spent;
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
    spent = cpu_seconds() - before;
    if (rank == 1) printf("CPU seconds of an idle worker in 2 s: %.3f\n", spent);
    CHECK(spent < 0.4);
  }
}

static void test_service_misuse(void) {
  admpi_map *map = NULL;
  if (rank == 0) {
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_ERR_ARGUMENT);
    /* The others serve by then, and are let go. */
    CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, NULL) == ADMPI_ERR_NULL);
    CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, 9, 0, &map) == ADMPI_ERR_ARGUMENT);
  } else {
    CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_ERR_ARGUMENT);
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
  }
  CHECK(admpi_map_new_mpi(MPI_COMM_NULL, ADMPI_MAP_MPI, 0, &map) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_map_serve(MPI_COMM_NULL) == ADMPI_ERR_ARGUMENT);
}

/* Pages that the process has after some calls in a service of their own. */
static int64_t pages_after(int calls) {
  static double values[64];
  admpi_var x[64], y[64];
  admpi_map_call call = {.function = f_product, .shared = x, .n_shared = 1, .job = x + 1};
  admpi_map *map = NULL;
  int i;
  if (rank != 0) {
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
    return resident();
  }
  CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_SUCCESS);
  for (i = 0; i < calls; ++i) {
    CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
    call.jobs = call.n_job = call.n_y = 1 + i % 60;
    CHECK(admpi_tape_input(tape, values, 64, x) == ADMPI_SUCCESS);
    CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  }
  admpi_map_free(map);
  return resident();
}

static void test_service_memory_is_flat(int calls) {
  int64_t before = pages_after(calls / 10 + 60);
  CHECK(pages_after(calls) <= before + 64);
}

/* Data that do not fit into the last worker, or once but not twice, and some that do. The others forget what it refuses. */
static void check_data_without_memory(admpi_map *map) {
  enum { MOST = 6000000 };
  static const int64_t n[] = {MOST, MOST / 2, 64, MOST, MOST};
  double *shared_r = calloc(MOST, sizeof *shared_r);
  admpi_var shared = admpi_passive(1.0), y[64];
  admpi_map_values values = {.shared_r = shared_r};
  admpi_map_data updated = {0, 0};
  admpi_map_call call = {.function = f_where, .shared = &shared, .n_shared = 1};
  char text[32];
  int i;
  snprintf(text, sizeof text, "rank %d: ", size - 1);
  for (i = 0; i < 5; ++i) {
    admpi_map_data data = {0, 0};
    int32_t code = size > 1 && n[i] > 64 ? ADMPI_ERR_MEMORY : ADMPI_SUCCESS;
    values.n_shared_r = n[i];
    values.jobs = call.jobs = call.n_y = 60 - i; /* each for the first time */
    CHECK(admpi_map_data_new(map, &values, &data) == code && (data.id == 0) == (code != ADMPI_SUCCESS));
    if (code != ADMPI_SUCCESS) CHECK(strncmp(admpi_last_error(), text, strlen(text)) == 0);
    call.data = data;
    CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS && ranks_in(y, call.jobs) == size);
    CHECK(admpi_map_data_free(map, data) == ADMPI_SUCCESS);
  }
  /* The workers keep no data but the present ones. */
  values.n_shared_r = MOST / 12;
  CHECK(admpi_map_data_new(map, &values, &updated) == ADMPI_SUCCESS);
  for (i = 0; i < 12; ++i) {
    admpi_map_data data = {0, 0};
    CHECK(admpi_map_data_new(map, &values, &data) == ADMPI_SUCCESS);
    CHECK(admpi_map_data_free(map, data) == ADMPI_SUCCESS);
    CHECK(admpi_map_data_update(map, updated, &values, &updated) == ADMPI_SUCCESS);
  }
  CHECK(admpi_map_data_free(map, updated) == ADMPI_SUCCESS);
  free(shared_r);
}

/* Parameters in several messages, and more of them than the last worker has room for: it says so, and goes on. */
static void test_service_without_memory(void) {
  enum { SOME = 200000, MANY = 6000000 };
  admpi_var *shared, job[64], y[64];
  admpi_map_call call = {.function = f_where, .jobs = 64, .n_shared = MANY, .job = job, .n_job = 64, .n_y = 64};
  admpi_map *map = NULL;
  int i;
  if (rank != 0) {
    struct rlimit before = limit_memory(rank == size - 1 ? 32 : 265);
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
    CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
    return;
  }
  shared = malloc(MANY * sizeof *shared);
  if (shared == NULL) abort();
  for (i = 0; i < MANY; ++i) shared[i] = admpi_passive(1.0);
  for (i = 0; i < 64; ++i) job[i] = admpi_passive(0.0);
  call.shared = shared;
  CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == (size > 1 ? ADMPI_ERR_MEMORY : ADMPI_SUCCESS));
  call.n_shared = SOME;
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS);
  CHECK(ranks_in(y, 64) == size);
  check_data_without_memory(map);
  admpi_map_free(map);
  free(shared);
}

int main(int argc, char **argv) {
  int calls = argc > 1 ? atoi(argv[1]) : 300, all = 0, session;
  CHECK(AMPI_Init(&argc, &argv) == MPI_SUCCESS);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  register_functions();
  CHECK(admpi_map_register("messages", messages, NULL, &f_messages) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("where", where, NULL, &f_where) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("slow", slow, NULL, &f_slow) == ADMPI_SUCCESS);
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  test_service_misuse();
  for (session = 0; session < 2; ++session) {
    admpi_map *map;
    if (rank != 0) {
      CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
      continue;
    }
    CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_SUCCESS);
    if (session == 0) {
      check_map(map, size);
      check_no_memory(map);
    }
    test_service_ranks(map);
    test_service_chunks(map);
    test_service_messages_in_jobs(map);
    test_service_unknown_function(map);
    test_service_data(map);
    if (session == 1) test_service_backends(map);
    test_service_stop(map);
  }
  if (rank == 0)
    test_service_environment();
  else
    CHECK(admpi_map_serve(MPI_COMM_WORLD) == ADMPI_SUCCESS);
  test_service_two_maps();
  test_service_in_an_adjoint_program();
  test_service_memory_is_flat(calls);
  test_service_without_memory();
  test_service_idle();
  admpi_tape_free(tape);
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  AMPI_Finalize();
  return all != 0;
}
