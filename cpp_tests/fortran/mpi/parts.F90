! What main_in_c.c calls.
#include "binding.h"
subroutine sum_of_squares(x, n, comm_of_c, y)
  use admpi
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  integer, intent(in) :: n, comm_of_c
  type(admpi_var), intent(in) :: x(n)
  type(admpi_var), intent(out) :: y
  HANDLE(AMPI_Comm) :: comm
  integer :: code
#if defined(ADMPI_TEST_F08)
  comm%MPI_VAL = comm_of_c
#else
  comm = comm_of_c
#endif
  y = sum(x**2)
  call AMPI_Allreduce(AMPI_IN_PLACE, y, 1, AMPI_ADOUBLE, AMPI_SUM, comm, code)
end subroutine
