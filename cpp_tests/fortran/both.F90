! One source, active or not: ADMPI_ACTIVE decides.
#include <admpi.h>
program both
  use admpi
#ifdef ADMPI_ACTIVE
  use admpi_complex
#endif
  implicit none
  ADMPI_REAL :: x(3), y
  ADMPI_COMPLEX :: z
  type(admpi_tape) :: tape

  call tape%new()
  call tape%activate()
  call tape%start()
  x = [1d0, 2d0, 3d0]
#ifdef ADMPI_ACTIVE
  call tape%input(x)
#endif
  z = (0d0, 1d0)*x(1)
  y = sum(x*x)*maxval(x) + exp(x(1)) + real(z*z, 8) + x(1)*x(1)
  if (abs(admpi_value(y) - (42 + exp(1d0))) > 1d-14) error stop 'value'
#ifdef ADMPI_ACTIVE
  call tape%seed(y, 1d0)
  call tape%reverse()
  if (any(abs(tape%adjoint(x) - [6 + exp(1d0), 12d0, 18 + 14d0]) > 1d-14)) error stop 'gradient'
#endif
  call tape%free()
end program
