! 27: a gradient that is checked, a Jacobian and a Hessian, in Fortran, in one call each.
!
! A procedure sets active results from active inputs. For the Hessian it is written for tangents, too.
module stone
  use admpi
  use admpi_tangents
  use admpi_derivatives
  implicit none
contains
  ! The height of a stone after a second, and how far it got: from its speed, its angle and the drag of the air.
  subroutine fly(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y(:)
    type(admpi_var) :: u, v, drag
    integer :: step
    u = x(1)*cos(x(2))
    v = x(1)*sin(x(2))
    y = 0d0
    do step = 1, 100
      drag = x(3)*sqrt(u*u + v*v)
      y(1) = y(1) + 0.01d0*v
      y(2) = y(2) + 0.01d0*u
      u = u - 0.01d0*drag*u
      v = v - 0.01d0*(9.81d0 + drag*v)
    end do
  end subroutine
  subroutine height(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y
    type(admpi_var) :: both(2)
    call fly(x, both)
    y = both(1)
  end subroutine
  subroutine without_drag(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y
    type(admpi_var) :: mistaken(3)
    mistaken = x
    mistaken(3) = admpi_value(x(3)) ! the mistake
    call height(mistaken, y)
  end subroutine
  subroutine height_along(x, y)
    type(admpi_tangent_var), intent(in) :: x(:)
    type(admpi_tangent_var), intent(inout) :: y
    type(admpi_tangent_var) :: u, v, drag
    integer :: step
    u = x(1)*cos(x(2))
    v = x(1)*sin(x(2))
    y = 0d0
    do step = 1, 100
      drag = x(3)*sqrt(u*u + v*v)
      y = y + 0.01d0*v
      u = u - 0.01d0*drag*u
      v = v - 0.01d0*(9.81d0 + drag*v)
    end do
  end subroutine
end module

program derivatives
  use stone
  implicit none
  real(8), parameter :: x(3) = [20d0, 0.8d0, 0.05d0]
  type(admpi_input_check) :: checks(3)
  real(8) :: jacobian(2, 3), hessian(3, 3)
  integer :: i, wrong
  call admpi_check_gradient(height, x, wrong)
  print '(i0, " derivatives are wrong")', wrong
  call admpi_check_gradient(without_drag, x, wrong, checks)
  do i = 1, 3
    if (.not. checks(i)%is_right) print '("that by x(", i0, ") is:", f9.4, " by the sweep,", f9.4, " by differences")', &
      i, checks(i)%reverse, checks(i)%difference
  end do
  call admpi_jacobian(fly, x, jacobian)
  print '("Jacobian", 3f13.4)', jacobian(1, :)
  print '("        ", 3f13.4)', jacobian(2, :)
  call admpi_hessian(height_along, x, hessian)
  print '("Hessian ", 3f13.4)', hessian(1, :)
  print '("        ", 3f13.4)', hessian(2, :)
  print '("        ", 3f13.4)', hessian(3, :)
end program
