! The model by itself: earthquakes in PREM, and in the Earth that the inversion is to find. It needs no admpi.
!
!   forward SETTINGS.nml prem.csv
#include <admpi.h>
program forward
  use mpi
  use waves
  implicit none
  type(section), target :: on
  type(field) :: perturbation
  type(medium) :: prem, real_earth
  type(seismograms) :: seen, observed
  character(1000) :: arguments(2)
  ADMPI_REAL, allocatable :: force(:)
  ADMPI_REAL :: y
  integer :: k, code
  call MPI_Init(code)
  do k = 1, 2
    call get_command_argument(k, arguments(k))
  end do
  call on%open(MPI_COMM_WORLD, trim(arguments(1)))
  call read_earth(trim(arguments(2)), on%comm)
  call perturbation%open(on)
  call prem%set(perturbation)
  call truth(perturbation)
  call real_earth%set(perturbation)
  allocate (force(on%set%nt))
  force = pulse(on%set)
  call seen%open(on)
  call observed%open(on)
  do k = 1, on%set%sources
    call shake(on, prem, k, force, seen)
    call shake(on, real_earth, k, force, observed)
    y = misfit(on, seen, ADMPI_VALUE(observed%v))
    if (on%rank == 0) print '("earthquake ", i0, ": misfit of PREM ", es20.12)', k, ADMPI_VALUE(y)
  end do
  call on%close()
  call MPI_Finalize(code)
end program
