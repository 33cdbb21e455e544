/* The functions of admpi/deprecated.h do what those of the new names do. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <admpi.h>

#include "../check.h"

static void tape_functions(void) {
  admpi_tape *tape = NULL;
  admpi_statistics statistics;
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_width(tape, 4) == ADMPI_SUCCESS);
  CHECK(admpi_tape_statistics(tape, &statistics) == ADMPI_SUCCESS && statistics.width == 4);
  CHECK(admpi_tape_width(tape, 3) == ADMPI_ERR_ARGUMENT);
  admpi_tape_free(tape);
}

#if ADMPI_HAVE_MPI
static void sweeps_over_ranks(void) {
  admpi_tape *tape = NULL;
  admpi_var x;
  const double one = 1.0;
  double adjoint = 0.0;
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS && admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS && admpi_tape_input(tape, &one, 1, &x) == ADMPI_SUCCESS);
  CHECK(admpi_seed_replicated(tape, MPI_COMM_WORLD, x, 3.0, 0) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoint(tape, x, 0, &adjoint) == ADMPI_SUCCESS && adjoint == 3.0);
  CHECK(admpi_seed_replicated(NULL, MPI_COMM_WORLD, x, 3.0, 0) == ADMPI_ERR_NULL);
  CHECK(admpi_abandon_sweep(tape, MPI_COMM_WORLD) == ADMPI_SUCCESS);
  CHECK(admpi_abandon_sweep(NULL, MPI_COMM_WORLD) == ADMPI_ERR_NULL);
  admpi_tape_free(tape);
}
#endif

int main(void) {
  tape_functions();
#if ADMPI_HAVE_MPI
  AMPI_Init(NULL, NULL);
  sweeps_over_ranks();
  AMPI_Finalize();
#endif
  return failures != 0;
}
