! Tells the library what the module mpi_f08 has: before main, from ampi_beside.c.
subroutine admpif_tell_f08
  use mpi_f08
  implicit none
  external :: admpif_sentinels
  call admpif_sentinels(1, MPI_STATUS_SIZE, MPI_COMM_WORLD%MPI_VAL, .true., MPI_BOTTOM, MPI_IN_PLACE, &
    MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY)
end subroutine admpif_tell_f08
