/* admpi: the calls that initialise the library. They pass the sizes that this compilation saw, so that the library of one
 * MPI refuses a program of another before anything else happens. The library exports functions of the same names for
 * Fortran, Rust and dlsym, which check only the MPI that is loaded. */
#ifndef ADMPI_INIT_H
#define ADMPI_INIT_H

#include "admpi/abi.h"
#include "admpi/ampi.h"

#ifndef ADMPI_INIT_FUNCTION
#define ADMPI_INIT_FUNCTION static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** MPI_Init. Also initialises the library: MPI_COMM_WORLD and MPI_COMM_SELF may carry active data afterwards.
 *  Collective over all processes.
 *  @param[in,out] argc  as in MPI; may be NULL
 *  @param[in,out] argv  as in MPI; may be NULL
 *  @return an MPI code */
ADMPI_INIT_FUNCTION int AMPI_Init(int *argc, char ***argv) {
  const admpi_mpi_sizes sizes = admpi_sizes_of_program();
  return admpi_detail_mpi_init(argc, argv, &sizes);
}

/** MPI_Init_thread. Also initialises the library; see AMPI_Init.
 *  @param[in,out] argc   as in MPI; may be NULL
 *  @param[in,out] argv   as in MPI; may be NULL
 *  @param required       the level of thread support that the program needs
 *  @param[out] provided  the level that MPI provides
 *  @return an MPI code */
ADMPI_INIT_FUNCTION int AMPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  const admpi_mpi_sizes sizes = admpi_sizes_of_program();
  return admpi_detail_mpi_init_thread(argc, argv, required, provided, &sizes);
}

/** Initialises the library in a program that calls MPI_Init itself: `comm` and MPI_COMM_SELF may carry active
 *  data afterwards. Collective over `comm`; may be called again for other communicators.
 *  @param comm  an intracommunicator
 *  @return ADMPI_SUCCESS, ADMPI_ERR_ABI, ADMPI_ERR_ARGUMENT (MPI_COMM_NULL), ADMPI_ERR_MPI, ADMPI_ERR_UNSUPPORTED */
ADMPI_INIT_FUNCTION int admpi_init(MPI_Comm comm) {
  const admpi_mpi_sizes sizes = admpi_sizes_of_program();
  return admpi_detail_init(comm, &sizes);
}

#ifdef __cplusplus
}
#endif

#endif
