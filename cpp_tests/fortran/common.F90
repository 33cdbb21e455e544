! Variables without initial values, as codes in Fortran 77 need them: COMMON, DATA, assumed size.
subroutine compute(y)
  use admpi
  implicit none
  type(admpi_var) :: x, factor, other(3), y
  common /inputs/ x, factor
  common /more/ other
  y = x*factor + other(2)
end subroutine

subroutine clear(x, n)
  use admpi
  implicit none
  integer :: n
  type(admpi_var), intent(out) :: x(*)
  x(1:n) = 0d0
end subroutine

program test_common
  use admpi
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: x, factor, other(3), y, constant
  common /inputs/ x, factor
  common /more/ other
  data constant%value, constant%id, constant%tag /2d0, 0, 0/
  external :: compute, clear

  call tape%new()
  call tape%activate()
  call tape%start()
  if (other(3)%id /= 0) error stop 'COMMON is not zero'
  call clear(other, 3)
  x = 3d0
  factor = constant
  call tape%input(x)
  call compute(y)
  call tape%seed(y, 1d0)
  call tape%reverse()
  if (tape%adjoint(x) /= 2d0 .or. admpi_value(y) /= 6d0) error stop 'gradient'
  call tape%free()
end program
