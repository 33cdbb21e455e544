/* For programs written for BigMPI: its names, with its signatures. They are those of admpi.h; this header
 * brings them without anything else of the library. */
#ifndef BIGMPI_H_INCLUDED
#define BIGMPI_H_INCLUDED

#include <mpi.h>

#include "admpi/large.h"
#include "admpi/large_types.h"

#define BIGMPI_CONST const

#ifdef __cplusplus
extern "C" {
#endif

static inline int MPIX_Init(int *argc, char ***argv) { return MPI_Init(argc, argv); }

static inline int MPIX_Init_thread(int *argc, char ***argv, int requested, int *provided) {
  return MPI_Init_thread(argc, argv, requested, provided);
}

static inline int MPIX_Finalize(void) { return MPI_Finalize(); }

#ifdef __cplusplus
}
#endif

#endif
