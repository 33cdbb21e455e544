/* A rank dies: a worker in a job, by a signal or by an end that MPI knows nothing of; the root while workers wait. With MPI's
 * usual launchers the program ends; where the root lives on, its calls return errors. In no case does anyone wait for ever. */
#define _XOPEN_SOURCE 700 /* kill */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <admpi.h>

#include "harness/check.h"

static int rank, size;
static const char *how;

static void die(void) {
  if (strcmp(how, "exit") == 0) _exit(3);
  kill(getpid(), SIGKILL);
}

static int32_t deadly(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                      int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  (void)n_shared, (void)job, (void)n_job, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y, (void)ctx;
  if (shared[0].value < 0.0 && rank == size - 1) die();
  y[0] = shared[0];
  return 0;
}

int main(int argc, char **argv) {
  admpi_var shared = admpi_passive(1.0), y[16];
  admpi_map_call call = {.jobs = 16, .shared = &shared, .n_shared = 1, .n_y = 16};
  admpi_map *map = NULL;
  how = argc > 1 ? argv[1] : "";
  CHECK(AMPI_Init(&argc, &argv) == MPI_SUCCESS);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(admpi_map_register("deadly", deadly, NULL, &call.function) == ADMPI_SUCCESS);
  if (rank != 0) {
    CHECK(admpi_map_serve(MPI_COMM_WORLD) != ADMPI_SUCCESS);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  CHECK(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, &map) == ADMPI_SUCCESS);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_SUCCESS && y[15].value == 1.0);
  if (failures != 0) {
    puts("nobody was to die yet");
    admpi_map_free(map);
    AMPI_Finalize();
    return 0; /* which is not what is expected */
  }
  if (strcmp(how, "root") == 0) die();
  shared = admpi_passive(-1.0);
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_MPI);
  printf("the root lives on: %s\n", admpi_last_error());
  CHECK(admpi_map_run(map, &call, y) == ADMPI_ERR_MPI && strstr(admpi_last_error(), "workers are lost") != NULL);
  admpi_map_free(map);
  fflush(stdout);
  if (failures == 0) MPI_Abort(MPI_COMM_WORLD, 3);
  return 0; /* nor is this */
}
