! 11: example 01 in Fortran: type(admpi_var) instead of real(8), and the gradient of a function.
!
! An assignment records one statement, however many operators stand in it.
module functions
  use admpi
  implicit none
contains
  function f(x, y) result(z)
    type(admpi_var), intent(in) :: x, y
    type(admpi_var) :: z
    z = x*sin(y) + exp(x*y)
  end function
end module

program first_tape
  use functions
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: x(2), z
  real(8) :: gradient(2)

  call tape%new()
  call tape%activate() ! this thread now records on it

  call tape%start()
  x = [0.5d0, 2d0]
  call tape%input(x)
  z = f(x(1), x(2))
  call tape%stop()

  call tape%seed(z, 1d0)
  call tape%reverse()
  gradient = tape%adjoint(x)

  print '("f(0.5, 2) = ", f0.12)', admpi_value(z)
  print '("df/dx = ", f0.12, ", by hand ", f0.12)', gradient(1), sin(2d0) + 2*exp(1d0)
  print '("df/dy = ", f0.12, ", by hand ", f0.12)', gradient(2), 0.5d0*cos(2d0) + 0.5d0*exp(1d0)
  call tape%free()
end program
