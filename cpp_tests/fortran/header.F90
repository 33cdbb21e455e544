! Fortran reads the constants from the one header.
#include <admpi.h>
#include <admpi.h>
program test_header
  implicit none
  character(len=8) :: have_mpi
  call get_command_argument(1, have_mpi)
  if (ADMPI_SUCCESS /= 0 .or. ADMPI_ERR_NULL /= 1 .or. ADMPI_ERR_THREAD /= 16 .or. ADMPI_ERR_MISMATCH /= 17) stop 1
  if (ADMPI_HAVE_MPI /= ADMPI_MPI_OPENMPI + ADMPI_MPI_MPICH) stop 2
  if ((ADMPI_HAVE_MPI == 1) .neqv. (trim(have_mpi) == '1')) stop 3
  if (ADMPI_VERSION_MAJOR < 0 .or. ADMPI_VERSION_MINOR < 0) stop 4
end program test_header
