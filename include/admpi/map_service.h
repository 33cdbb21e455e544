/* Generated from src/capi/map_service.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_MAP_SERVICE_H
#define ADMPI_MAP_SERVICE_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/map.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a map whose jobs are done by the ranks of a communicator, including the caller. Collective: rank 0 of comm calls
 * this function, all others call admpi_map_serve, which returns if this fails. The communicator is duplicated, and may be
 * freed.
 * @param comm          an intracommunicator
 * @param backend       who does the jobs at first: any back end
 * @param threads       threads per rank, if threads do the jobs; 0: ADMPI_MAP_THREADS of the environment, or as many as there
 *                      are cores. Only the calling thread calls MPI
 * @param[out] map_out  the map; free it with admpi_map_free, which ends the service, as does MPI_Finalize
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MPI
 */
int32_t admpi_map_new_mpi(MPI_Comm comm,
                          int32_t backend,
                          int32_t threads,
                          admpi_map **map_out);

/**
 * Does jobs for the map that rank 0 of comm makes with admpi_map_new_mpi, until rank 0 stops or frees the map. If a job
 * fails, the root handles the failure and this function goes on. It mostly sleeps while there is nothing to do.
 * @param comm  an intracommunicator
 * @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MPI (MPI failed here or at another rank)
 */
int32_t admpi_map_serve(MPI_Comm comm);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_MAP_SERVICE_H */
