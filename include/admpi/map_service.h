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
 * Makes a map whose jobs the ranks of a communicator do, this one among them. Collective: rank 0 of comm, which is to be the caller,
 * makes the map, all others call admpi_map_serve, which returns if this fails. The communicator is duplicated, and may be freed.
 * @param comm          an intracommunicator
 * @param backend       who does the jobs at first: any
 * @param threads       on each rank, where threads do the jobs; 0: ADMPI_MAP_THREADS of the environment, or as many as there are
 *                      cores. MPI is called by the calling thread alone
 * @param[out] map_out  the map; free it with admpi_map_free, which ends the service, as does MPI_Finalize
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MPI
 */
int32_t admpi_map_new_mpi(MPI_Comm comm,
                          int32_t backend,
                          int32_t threads,
                          admpi_map **map_out);

/**
 * Does the jobs of the map that rank 0 of comm makes by admpi_map_new_mpi, until that is stopped or freed there. A job that fails is
 * the root's to deal with: this goes on. While there is nothing to do it sleeps most of the time.
 * @param comm  an intracommunicator
 * @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MPI (the root is lost)
 */
int32_t admpi_map_serve(MPI_Comm comm);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_MAP_SERVICE_H */
