! Tells the library what the module mpi has: before main, from ampi_beside.c.
subroutine admpif_tell
  use mpi
  implicit none
  external :: admpif_sentinels
  call admpif_sentinels(0, MPI_STATUS_SIZE, MPI_COMM_WORLD, .true., MPI_BOTTOM, MPI_IN_PLACE, &
    MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY)
end subroutine admpif_tell
