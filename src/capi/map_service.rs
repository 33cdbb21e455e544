//! Maps over ranks. `include/admpi/map_service.h` is generated from this file.

use super::map::{admpi_map, backend};
use super::{mpi_status, out};
use crate::map::{self, Map, Service};
use crate::mpi::Comm;
use crate::mpi::raw::MPI_Comm;

/// Makes a map whose jobs are done by the ranks of a communicator, including the caller. Collective: rank 0 of comm calls
/// this function, all others call admpi_map_serve, which returns if this fails. The communicator is duplicated, and may be
/// freed.
/// @param comm          an intracommunicator
/// @param backend       who does the jobs at first: any back end
/// @param threads       threads per rank, if threads do the jobs; 0: ADMPI_MAP_THREADS of the environment, or as many as there
///                      are cores. Only the calling thread calls MPI
/// @param[out] map_out  the map; free it with admpi_map_free, which ends the service, as does MPI_Finalize
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MPI
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_new_mpi(
    comm: MPI_Comm,
    backend: i32,
    threads: i32,
    map_out: *mut *mut admpi_map,
) -> i32 {
    mpi_status("admpi_map_new_mpi", || {
        // First, and dropped if anything is wrong: the others serve by now.
        // SAFETY: as the C contract says.
        let service = Service::new(unsafe { Comm::new(comm) })?;
        // SAFETY: as above.
        let map_out = unsafe { out("map_out", map_out)? };
        let backend = self::backend(backend, threads, true)?;
        *map_out = Box::into_raw(Box::new(admpi_map(Map::new(backend, Some(service)))));
        Ok(())
    })
}

/// Does jobs for the map that rank 0 of comm makes with admpi_map_new_mpi, until rank 0 stops or frees the map. If a job
/// fails, the root handles the failure and this function goes on. It mostly sleeps while there is nothing to do.
/// @param comm  an intracommunicator
/// @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MPI (MPI failed here or at another rank)
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_map_serve(comm: MPI_Comm) -> i32 {
    // SAFETY: as the C contract says.
    mpi_status("admpi_map_serve", || map::serve(unsafe { Comm::new(comm) }))
}
