/* For programs written for BigMPI: its names, with its signatures. They are those of admpi.h but for
 * MPIX_Type_create_hvector_x, which is MPI's there and BigMPI's here. */
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

static inline int BigMPI_Type_create_hvector_x(int count, MPI_Count array_of_blocklengths[],
                                               MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                                               MPI_Datatype *newtype) {
  return MPIX_Type_create_hindexed_x(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}
#define MPIX_Type_create_hvector_x BigMPI_Type_create_hvector_x

#ifdef __cplusplus
}
#endif

#endif
