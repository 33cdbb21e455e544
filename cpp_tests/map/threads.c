/* Maps of this process: all cases serially and on threads, memory, and what is not a case of theirs. */
#define _XOPEN_SOURCE 700 /* setenv, getrlimit */
#include "map/cases.h"

static void with(int32_t backend, int32_t threads, int workers) {
  admpi_map *map = NULL;
  CHECK(admpi_map_new(backend, threads, &map) == ADMPI_SUCCESS);
  check_map(map, workers);
  admpi_map_free(map);
}

/* One map, whose jobs are done by others from call to call. */
static void test_map_changes_backend(void) {
  admpi_map *map = NULL;
  CHECK(admpi_map_new(ADMPI_MAP_DEFAULT, 0, &map) == ADMPI_SUCCESS);
  check_problem(map, 9, 1, 1, 1, 1);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_THREADS, 4) == ADMPI_SUCCESS);
  check_threads(map);
  check_problem(map, 9, 1, 1, 1, 1);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_THREADS, 2) == ADMPI_SUCCESS);
  check_problem(map, 9, 1, 1, 1, 1);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_SERIAL, 0) == ADMPI_SUCCESS);
  check_problem(map, 9, 1, 1, 1, 1);
  CHECK(admpi_map_set_backend(map, 77, 0) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_map_set_backend(map, ADMPI_MAP_THREADS, -1) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_map_set_backend(NULL, ADMPI_MAP_SERIAL, 0) == ADMPI_ERR_NULL);
  admpi_map_free(map);
  admpi_map_free(NULL);
}

static void test_map_environment(void) {
  admpi_map *map = NULL;
  setenv("ADMPI_MAP", "threads", 1);
  setenv("ADMPI_MAP_THREADS", "3", 1);
  CHECK(admpi_map_new(ADMPI_MAP_DEFAULT, 0, &map) == ADMPI_SUCCESS);
  begun = 0;
  check_threads(map);
  check_problem(map, 9, 1, 1, 1, 1);
  admpi_map_free(map);
  setenv("ADMPI_MAP", "nonsense", 1);
  CHECK(admpi_map_new(ADMPI_MAP_DEFAULT, 0, &map) == ADMPI_ERR_ARGUMENT);
  CHECK(strstr(admpi_last_error(), "ADMPI_MAP=nonsense") != NULL);
  unsetenv("ADMPI_MAP");
  unsetenv("ADMPI_MAP_THREADS");
}

static void test_map_registration(void) {
  int32_t again = 0, other = 0;
  CHECK(admpi_map_register("product", product, NULL, &again) == ADMPI_ERR_ARGUMENT);
  CHECK(strstr(admpi_last_error(), "product") != NULL);
  CHECK(admpi_map_register(NULL, product, NULL, &again) == ADMPI_ERR_NULL);
  CHECK(admpi_map_register("x", NULL, NULL, &again) == ADMPI_ERR_NULL);
  CHECK(admpi_map_register("x", product, NULL, NULL) == ADMPI_ERR_NULL);
  CHECK(admpi_map_register("x", product, NULL, &again) == ADMPI_SUCCESS);
  CHECK(admpi_map_unregister(again) == ADMPI_SUCCESS);
  CHECK(admpi_map_unregister(again) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_map_register("x", product, NULL, &other) == ADMPI_SUCCESS && other != again);
  CHECK(admpi_map_unregister(other) == ADMPI_SUCCESS);
  CHECK(admpi_map_unregister(0) == ADMPI_ERR_ARGUMENT && admpi_map_unregister(-1) == ADMPI_ERR_ARGUMENT);
}

static void test_map_outside_of_jobs(void) {
  int64_t n = -1;
  admpi_map_failure failure;
  CHECK(admpi_map_shared_r(&n) == NULL && n == 0);
  CHECK(admpi_map_shared_i(NULL) == NULL);
  CHECK(admpi_map_job() == -1);
  admpi_map_fail(NULL);
  CHECK(admpi_map_last_failure(NULL) == ADMPI_ERR_NULL);
  CHECK(admpi_map_run(NULL, NULL, NULL) == ADMPI_ERR_NULL);
  CHECK(admpi_map_last_failure(&failure) == ADMPI_SUCCESS);
}

/* What a call leaves: 8 bytes of adjoint and of each derivative for a result, and one event. */
static void test_map_bytes(void) {
  enum { JOBS = 1000, SHARED = 20, OWN = 5 };
  static double values[SHARED + JOBS * OWN];
  static admpi_var x[SHARED + JOBS * OWN], y[JOBS];
  admpi_map_call call = {.function = f_model, .jobs = JOBS, .shared = x, .n_shared = SHARED, .job = x + SHARED,
                         .n_job = JOBS * OWN, .n_y = JOBS};
  admpi_statistics before, after;
  double bytes;
  CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_input(tape, values, SHARED + JOBS * OWN, x) == ADMPI_SUCCESS);
  CHECK(admpi_tape_statistics(tape, &before) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(NULL, &call, y) == ADMPI_SUCCESS);
  CHECK(admpi_tape_statistics(tape, &after) == ADMPI_SUCCESS);
  bytes = (double)(after.used_bytes - before.used_bytes) / JOBS;
  CHECK(bytes >= 8.0 * (1 + SHARED + OWN) && bytes <= 210.0);
  CHECK(after.events == before.events + 1 && after.ids == before.ids + JOBS);
}

/* A copy of the data does not fit. */
static void test_map_data_without_memory(void) {
  enum { MANY = 6000000 };
  double *x_r = calloc(MANY, sizeof *x_r);
  admpi_map_values values = {.jobs = 1, .x_r = x_r, .n_r = MANY};
  admpi_map_data data = {7, 7};
  struct rlimit before = limit_memory(16);
  CHECK(admpi_map_data_new(NULL, &values, &data) == ADMPI_ERR_MEMORY && data.id == 7 && data.generation == 7);
  CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
  CHECK(admpi_map_data_new(NULL, &values, &data) == ADMPI_SUCCESS);
  CHECK(admpi_map_data_free(NULL, data) == ADMPI_SUCCESS);
  free(x_r);
}

static void test_map_memory_is_flat(int calls) {
  double s = 1.0, p[3] = {1.0, 2.0, 3.0};
  admpi_var shared, job[3], y[3];
  admpi_map_call call = {.function = f_product, .jobs = 3, .shared = &shared, .n_shared = 1, .job = job, .n_job = 3,
                         .n_y = 3};
  int64_t before = 0;
  int i;
  for (i = 0; i < calls; ++i) {
    if (i == calls / 10) before = resident();
    CHECK(admpi_tape_reset(tape) == ADMPI_SUCCESS);
    CHECK(admpi_tape_input(tape, &s, 1, &shared) == ADMPI_SUCCESS);
    CHECK(admpi_tape_input(tape, p, 3, job) == ADMPI_SUCCESS);
    CHECK(admpi_map_run(NULL, &call, y) == ADMPI_SUCCESS);
  }
  CHECK(resident() <= before + 64);
}

int main(int argc, char **argv) {
  int quick = argc > 1 && strcmp(argv[1], "quick") == 0;
  register_functions();
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  check_map(NULL, 1);
  with(ADMPI_MAP_SERIAL, 0, 1);
  with(ADMPI_MAP_THREADS, 2, 2);
  if (!quick) {
    with(ADMPI_MAP_THREADS, 1, 1);
    with(ADMPI_MAP_THREADS, 3, 3);
    with(ADMPI_MAP_THREADS, 7, 7);
  }
  test_map_changes_backend();
  test_map_environment();
  test_map_registration();
  test_map_outside_of_jobs();
  test_map_bytes();
  /* Under valgrind, which runs the quick ones, memory grows by valgrind's own. */
  if (!quick) {
    test_map_memory_is_flat(100000);
    check_no_memory(NULL);
    test_map_data_without_memory();
  }
  admpi_tape_free(tape);
  return failures != 0;
}
