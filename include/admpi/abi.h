/* Binds a program to the build of admpi it was compiled for.
 *
 * Handles are pointers in Open MPI and integers in MPICH, so a program of one MPI that runs with the library of the other
 * crashes at best. Three checks prevent this: mpi.h must be of the family that this admpi was configured for; every object
 * file refers to a symbol that only the library of that family exports; and the calls that initialise admpi pass the
 * sizes that this compilation saw. */
#ifndef ADMPI_ABI_H
#define ADMPI_ABI_H

#include <mpi.h>
#include <stddef.h>

#include "admpi/config.h"

#if ADMPI_MPI_OPENMPI && !defined(OPEN_MPI)
#error "this admpi was built for Open MPI, but the mpi.h found first is of another MPI"
#endif
#if ADMPI_MPI_MPICH && defined(OPEN_MPI)
#error "this admpi was built for an MPI of the MPICH family, but the mpi.h found first is Open MPI's"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a program and the library must agree on, in bytes. */
typedef struct admpi_mpi_sizes {
  size_t comm;
  size_t datatype;
  size_t op;
  size_t request;
  size_t status;
  size_t aint;
} admpi_mpi_sizes;

#if ADMPI_MPI_OPENMPI
#define ADMPI_ABI_CHECK admpi_abi_openmpi
#else
#define ADMPI_ABI_CHECK admpi_abi_mpich
#endif

/** Compares the program's MPI with the library's: the sizes, and which MPI is loaded. Local; may be called
 *  before MPI is initialised.
 *  @param sizes  as the program was compiled; not NULL
 *  @return ADMPI_SUCCESS, ADMPI_ERR_NULL, or ADMPI_ERR_ABI with a message that names the difference */
int ADMPI_ABI_CHECK(const admpi_mpi_sizes *sizes);

static int (*const admpi_abi_bound)(const admpi_mpi_sizes *) __attribute__((used)) = ADMPI_ABI_CHECK;

/** What this compilation saw. */
static inline admpi_mpi_sizes admpi_sizes_of_program(void) {
  const admpi_mpi_sizes sizes = {sizeof(MPI_Comm),    sizeof(MPI_Datatype), sizeof(MPI_Op),
                                 sizeof(MPI_Request), sizeof(MPI_Status),   sizeof(MPI_Aint)};
  return sizes;
}

/** The comparison for the program that this is compiled in. */
static inline int admpi_abi_of_program(void) {
  const admpi_mpi_sizes sizes = admpi_sizes_of_program();
  return ADMPI_ABI_CHECK(&sizes);
}

#ifdef __cplusplus
}
#endif

#endif
