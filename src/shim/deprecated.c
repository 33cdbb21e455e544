/* The functions of admpi/deprecated.h: programs that were built with the old names go on running. */
#define ADMPI_RENAMED(name)
#include "admpi/deprecated.h"

int32_t admpi_tape_width(admpi_tape *tape, int32_t width) { return admpi_tape_set_width(tape, width); }

#if ADMPI_HAVE_MPI
int admpi_seed_replicated(admpi_tape *tape, MPI_Comm comm, admpi_var y, double weight, int direction) {
  return admpi_tape_seed_replicated(tape, comm, y, weight, direction);
}
int admpi_abandon_sweep(admpi_tape *tape, MPI_Comm comm) { return admpi_tape_abandon_sweep(tape, comm); }
#endif
