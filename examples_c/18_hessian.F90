! 18: forward mode in Fortran, and a Hessian times a direction.
!
! A tangent carries a value and its derivative in one direction. The same lines work with numbers and, on a tape, with active values.
module functions
  use admpi
  use admpi_tangents
  implicit none
  interface f
    procedure f_tangent, f_active
  end interface
contains
  function f_tangent(x) result(y)
    type(admpi_tangent), intent(in) :: x(2)
    type(admpi_tangent) :: y
    y = x(1)*sin(x(2)) + exp(x(1)*x(2))
  end function
  function f_active(x) result(y)
    type(admpi_tangent_var), intent(in) :: x(2)
    type(admpi_tangent_var) :: y
    y = x(1)*sin(x(2)) + exp(x(1)*x(2))
  end function
end module

program hessian
  use functions
  implicit none
  real(8), parameter :: at(2) = [0.5d0, 2d0], direction(2) = [1d0, -0.25d0]
  type(admpi_tangent) :: t
  type(admpi_tape) :: tape
  type(admpi_var) :: x(2)
  type(admpi_tangent_var) :: y
  real(8) :: hv(2), e

  ! Forward mode: the derivative in one direction.
  t = f(admpi_tangent(at, direction))
  print '("f = ", f0.12, ", in the direction ", f0.12)', admpi_value(t), admpi_derivative(t)

  ! Forward mode on a tape: the sweep from the derivative gives the Hessian times the direction.
  call tape%new()
  call tape%activate()
  call tape%start()
  x = at
  call tape%input(x)
  y = f(admpi_tangent_var(x, direction))
  call tape%seed(y%derivative, 1d0)
  call tape%reverse()
  hv = tape%adjoint(x)

  e = exp(at(1)*at(2))
  print '("H v = ", f0.12, "  ", f0.12)', hv
  print '("by hand ", f0.12, "  ", f0.12)', &
    at(2)**2*e*direction(1) + (cos(at(2)) + (1 + at(1)*at(2))*e)*direction(2), &
    (cos(at(2)) + (1 + at(1)*at(2))*e)*direction(1) + (at(1)**2*e - at(1)*sin(at(2)))*direction(2)
  call tape%free()
end program
