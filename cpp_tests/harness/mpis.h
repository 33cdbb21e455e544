/* In what an MPI may differ from the others. */
#ifndef ADMPI_TESTS_HARNESS_MPIS_H
#define ADMPI_TESTS_HARNESS_MPIS_H

#include <mpi.h>

/* Whether a sum is added in the same order in each call. */
#if defined(I_MPI_NUMVERSION) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000)
#define SUMS_REPEAT 0
#else
#define SUMS_REPEAT 1
#endif

/* Whether a call says what is wrong after the error's handler has returned. MPICH 5.0 says MPI_SUCCESS. */
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000
#define HANDLED_ERRORS_ARE_RETURNED 0
#else
#define HANDLED_ERRORS_ARE_RETURNED 1
#endif

#endif
