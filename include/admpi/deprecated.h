/* admpi: C functions under the names that they had first. They do the same, and a program that calls one is told the new name
 * by -Wdeprecated-declarations. They go away in version 0.2. */
#ifndef ADMPI_DEPRECATED_H
#define ADMPI_DEPRECATED_H

#include "admpi/tape.h"
#if ADMPI_HAVE_MPI
#include "admpi/ampi.h"
#endif

/* Says which function to call instead. src/shim/deprecated.c, which defines the old names, needs no telling. */
#ifndef ADMPI_RENAMED
#define ADMPI_RENAMED(name) __attribute__((deprecated("call " #name)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

int32_t admpi_tape_width(admpi_tape *tape, int32_t width) ADMPI_RENAMED(admpi_tape_set_width);

#if ADMPI_HAVE_MPI
int admpi_seed_replicated(admpi_tape *tape, MPI_Comm comm, admpi_var y, double weight, int direction)
    ADMPI_RENAMED(admpi_tape_seed_replicated);
int admpi_abandon_sweep(admpi_tape *tape, MPI_Comm comm) ADMPI_RENAMED(admpi_tape_abandon_sweep);
#endif

#ifdef __cplusplus
}
#endif

#undef ADMPI_RENAMED

#endif
