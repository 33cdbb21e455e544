! Tangents: the same program with active values, tangents of numbers and tangents of active values. J v by each, and H v against
! differences of gradients.
module tangents
  use check
  use admpi_tangents
  implicit none
  integer, parameter :: most = 80
  real(8), parameter :: at(6) = [1.25d0, 2.5d0, 0.75d0, -1.5d0, 3.25d0, 0.5d0]
  real(8), parameter :: along(6) = [0.3d0, -1d0, 0.7d0, 0.2d0, 0d0, 1.1d0], c(6) = [1d0, -2d0, 0.5d0, 3d0, -1d0, 2d0]
  real(8), parameter :: c9(9) = [1d0, -2d0, 0.5d0, 3d0, -1d0, 2d0, 0.25d0, 1.5d0, -0.5d0]
contains
  subroutine of_active(u, y, k)
    type(admpi_var), intent(in) :: u(6)
    type(admpi_var), intent(out) :: y(most)
    type(admpi_var) :: m(3, 2), n(2, 3)
    integer, intent(out) :: k
#include "tangent_cases.h"
  end subroutine
  subroutine of_tangents(u, y, k)
    type(admpi_tangent), intent(in) :: u(6)
    type(admpi_tangent), intent(out) :: y(most)
    type(admpi_tangent) :: m(3, 2), n(2, 3)
    integer, intent(out) :: k
#include "tangent_cases.h"
  end subroutine
  subroutine of_active_tangents(u, y, k)
    type(admpi_tangent_var), intent(in) :: u(6)
    type(admpi_tangent_var), intent(out) :: y(most)
    type(admpi_tangent_var) :: m(3, 2), n(2, 3)
    integer, intent(out) :: k
#include "tangent_cases.h"
  end subroutine

  ! Value and gradient of every case.
  subroutine gradients(where, values, jacobian, k)
    real(8), intent(in) :: where(6)
    real(8), intent(out) :: values(most), jacobian(6, most)
    integer, intent(out) :: k
    type(admpi_var) :: u(6), y(most)
    integer :: i
    call inputs(u, where)
    call of_active(u, y, k)
    values = admpi_value(y)
    do i = 1, k
      call tape%clear_adjoints()
      call tape%seed(y(i), 1d0)
      call tape%reverse()
      jacobian(:, i) = tape%adjoint(u)
    end do
  end subroutine

  subroutine test_cases()
    real(8), parameter :: h = 1d-5
    real(8) :: values(most), other(most), jacobian(6, most), up(6, most), down(6, most), wanted(6)
    type(admpi_tangent) :: t(most)
    type(admpi_tangent_var) :: w(most)
    type(admpi_var) :: u(6), direction(6)
    integer :: i, j, k, again
    character(12) :: name
    call gradients(at, values, jacobian, k)
    call gradients(at + h*along, other, up, again)
    call gradients(at - h*along, other, down, again)
    call of_tangents(admpi_tangent(at, along), t, again)
    call equal(again, k, 'cases')
    call inputs(u, at)
    direction = along
    call tape%input(direction)
    call of_active_tangents(admpi_tangent_var(u, direction), w, again)
    do i = 1, k
      write (name, '(a, i0)') 'case ', i
      call near(t(i)%value, values(i), name//'value of the tangent', 1d-14)
      call near(t(i)%derivative, dot_product(jacobian(:, i), along), name//'tangent', 1d-13)
      call near(admpi_value(w(i)), values(i), name//'value of the active tangent', 1d-14)
      call near(admpi_value(w(i)%derivative), dot_product(jacobian(:, i), along), name//'active tangent', 1d-13)
      call tape%clear_adjoints()
      call tape%seed(w(i)%value, 1d0)
      call tape%reverse()
      call close_to(tape%adjoint(u), jacobian(:, i), name//'gradient', 1d-13)
      call tape%clear_adjoints()
      call tape%seed(w(i)%derivative, 1d0)
      call tape%reverse()
      call close_to(tape%adjoint(direction), jacobian(:, i), name//'by the direction', 1d-13)
      wanted = (up(:, i) - down(:, i))/(2*h)
      call close_to(tape%adjoint(u), wanted, name//'Hessian times the direction', 2d-8)
    end do
    call equal(admpi_live_expressions(), 0, 'live expressions')
  contains
    subroutine close_to(got, expected, what, tolerance)
      real(8), intent(in) :: got(:), expected(:), tolerance
      character(*), intent(in) :: what
      do j = 1, size(got)
        call near(got(j), expected(j), what, tolerance*max(1d0, maxval(abs(expected))))
      end do
    end subroutine
  end subroutine

  ! Comparisons, conversions, constants; what is recorded.
  subroutine test_kinds()
    type(admpi_tangent) :: t, s(3), unset
    type(admpi_tangent_var) :: w, q(2)
    type(admpi_var) :: x(2), y
    t = admpi_tangent(2.5d0, 1d0)
    if (.not. (t > 2 .and. t < 2.6 .and. 3d0 >= t .and. t == 2.5d0 .and. t /= 3_8 .and. t <= t)) call fail('comparisons')
    if (int(t) /= 2 .or. nint(t + 1) /= 4 .or. floor(-t) /= -3 .or. ceiling(t) /= 3) call fail('integers')
    if (admpi_value(t) /= 2.5d0 .or. aint(t) /= 2d0 .or. anint(t + 1) /= 4d0 .or. isnan(t)) call fail('reals')
    if (epsilon(t) /= epsilon(1d0) .or. huge(t) /= huge(1d0)) call fail('epsilon, huge')
    if (unset%value /= 0 .or. unset%derivative /= 0) call fail('initial values')
    t = 3
    call near(t%derivative, 0d0, 'a constant')
    s = admpi_tangent([1d0, 2d0, 3d0], [0d0, 1d0, 0d0])
    s(1) = 2.5
    s(3) = 4_8
    if (any(maxloc(s) /= [3]) .or. minloc(s, 1) /= 2 .or. maxloc(s, 1, s < 3) /= 1) call fail('maxloc, minloc')
    if (any(admpi_derivative(s) /= [0d0, 1d0, 0d0])) call fail('derivatives')
    ! A direction of zero takes no part.
    t = sqrt(admpi_tangent(0d0, 0d0)) + atan2(admpi_tangent(0d0), 0d0) + norm2([admpi_tangent(0d0, 1d0)])
    call near(t%derivative, 0d0, 'a direction of zero')
    call inputs(x, [2d0, 3d0])
    w = x(1)
    w = w*3d0
    call equal(statements(), 1, 'without a direction there is the value alone')
    ! Operators are pure: a compiler that optimises drops one whose result nobody reads.
    call near(admpi_value(w), 6d0, 'without a direction')
    w = admpi_tangent_var(x(1), x(2))*admpi_tangent_var(x(2), 0d0)
    call equal(statements(), 3, 'value and derivative are a statement each')
    w = sin(w)
    call equal(statements(), 5, 'a function')
    if (.not. (w < 2 .and. x(1) > w .and. w <= 1d0 .and. .not. isnan(w))) call fail('comparisons of active tangents')
    q = [w, admpi_tangent_var(1d0, 2d0)]
    y = sum(q%derivative)
    call near(admpi_value(y), admpi_value(admpi_derivative(w)) + 2, 'components')
  end subroutine

  ! User code for one type: pure and elemental, with components.
  pure elemental function logistic(x) result(y)
    type(admpi_tangent), intent(in) :: x
    type(admpi_tangent) :: y
    y = 1/(1 + exp(-x))
  end function
  subroutine test_user_code()
    type :: cell
      type(admpi_tangent), allocatable :: u(:)
    end type
    type(cell) :: a, b
    type(admpi_tangent) :: y
    a%u = logistic(admpi_tangent([0d0, 1d0], [1d0, 0d0]))
    b = a
    where (b%u > 0.6d0) b%u = b%u*2d0
    y = sum(b%u)
    call near(y%value, 0.5d0 + 2/(1 + exp(-1d0)), 'user code')
    call near(y%derivative, 0.25d0, 'user code: derivative')
  end subroutine
end module

program test_tangents
  use tangents
  implicit none
  call begin()
  call test_cases()
  call test_kinds()
  call test_user_code()
  call finish()
end program
