! The smallest program that uses the Fortran module: y = x**2 + sin(x), and its derivative.
program consumer
  use admpi
  use admpi_maps, only: admpi_map
  use admpi_matrices, only: admpi_live_matrices
  implicit none
  type(admpi_tape) :: tape
  type(admpi_map) :: map
  type(admpi_var) :: x, y

  call tape%new()
  call tape%activate()
  call tape%start()
  x = 2d0
  call tape%input(x)
  y = x**2 + sin(x)
  call tape%seed(y, 1d0)
  call tape%reverse()
  print '(a, f8.5)', 'dy/dx = ', tape%adjoint(x)
  if (abs(tape%adjoint(x) - (4 + cos(2d0))) > 1d-14) error stop 1
  call map%new()
  call map%free()
  if (admpi_live_matrices() /= 0) error stop 'matrices'
  call tape%free()
end program
