! Maps over ranks: rank 0 runs the program, the others do jobs, and serve again after the end of a map.
#include "binding.h"
program test_map_ranks
  use jobs
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  type(admpi_map) :: map
  integer :: rank, ranks, code, total
  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  call register_jobs()
  if (rank == 0) then
    call begin()
#ifdef ADMPI_TEST_INCLUDE
    call admpi_map_new_mpi(AMPI_COMM_WORLD, map, ADMPI_MAP_MPI, 0, code)
#else
    call admpi_map_new_mpi(AMPI_COMM_WORLD, map, ADMPI_MAP_MPI)
#endif
    call try_map(map, 'ranks')
    call map%set_backend(ADMPI_MAP_MPI_THREADS, 2)
    call try_map(map, 'threads on ranks')
    call map%stop()
    call try_map(map, 'stopped')
    call map%free()
    call admpi_map_new_mpi(AMPI_COMM_WORLD, map, ADMPI_MAP_DEFAULT, 1, code)
    call equal(code, 0, 'map_new_mpi')
    call try_map(map, 'again')
    call map%free()
    call tape%free()
  else
    call admpi_map_serve(AMPI_COMM_WORLD, code)
    call equal(code, 0, 'map_serve')
    call admpi_map_serve(AMPI_COMM_WORLD, code)
    call equal(code, 0, 'map_serve again')
  end if
  call AMPI_Allreduce(failures, total, 1, AMPI_INTEGER, AMPI_SUM, AMPI_COMM_WORLD, code)
  call AMPI_Finalize(code)
  if (total > 0) error stop 1
end program
