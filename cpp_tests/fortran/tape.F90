! A tape in Fortran: record, sweep, adjoints.
program test_tape
  use admpi
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: x(3), y, z
  real(8) :: g(3)

  call tape%new()
  call tape%activate()
  call tape%start()
  x = [2d0, 3d0, 5d0]
  call tape%input(x)
  y = x(1)*x(2) + sin(x(3))/x(1) - 2*x(2)**2
  z = 1d0
  z = z*y
  call tape%seed(z, 1d0)
  call tape%reverse()
  g = tape%adjoint(x)
  if (abs(admpi_value(y) - (6d0 + sin(5d0)/2d0 - 18d0)) > 1d-14) error stop 'value'
  if (maxval(abs(g - [3d0 - sin(5d0)/4d0, 2d0 - 12d0, cos(5d0)/2d0])) > 1d-14) error stop 'gradient'
  call tape%free()
end program
