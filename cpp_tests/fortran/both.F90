! One source, active or not: ADMPI_ACTIVE decides.
#include <admpi.h>
program both
  use admpi
  implicit none
  ADMPI_REAL :: x(3), y
  type(admpi_tape) :: tape

  call tape%new()
  call tape%activate()
  call tape%start()
  x = [1d0, 2d0, 3d0]
#ifdef ADMPI_ACTIVE
  call tape%input(x)
#endif
  y = sum(x*x)*maxval(x) + exp(x(1))
  if (abs(admpi_value(y) - (42 + exp(1d0))) > 1d-14) error stop 'value'
#ifdef ADMPI_ACTIVE
  call tape%seed(y, 1d0)
  call tape%reverse()
  if (any(abs(tape%adjoint(x) - [6 + exp(1d0), 12d0, 18 + 14d0]) > 1d-14)) error stop 'gradient'
#endif
  call tape%free()
end program
