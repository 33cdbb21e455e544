! Complex tangents: the cases of complex_cases.h with active numbers, tangents and active tangents. J v by each, and H v against
! differences of gradients.
module complex_tangents
  use check
  use admpi_tangents
  use admpi_complex
  use admpi_complex_tangents
  implicit none
  integer, parameter :: most = 180, inputs_of_all = 12
  real(8), parameter :: at(inputs_of_all) = [1.25d0, 0.5d0, -0.75d0, 1.5d0, 0.5d0, -0.25d0, 2d0, -1d0, 1.5d0, 0.75d0, 2.25d0, -0.5d0]
  real(8), parameter :: direction_of_all(inputs_of_all) = [0.3d0, -1d0, 0.7d0, 0.2d0, 0d0, 1.1d0, -0.4d0, 0.6d0, 0.9d0, -0.8d0, 0d0, 0.5d0]
  complex(8), parameter :: c(4) = [(1d0, -2d0), (0.5d0, 1.5d0), (-1d0, 0.25d0), (2d0, 1d0)]
contains
  subroutine of_active(z, x, y, k)
    type(admpi_var_complex), intent(in) :: z(4)
    type(admpi_var), intent(in) :: x(4)
    type(admpi_var_complex), intent(out) :: y(most)
    integer, intent(out) :: k
    type(admpi_var_complex) :: w, v, m(2, 2), n(2, 2)
    type(admpi_var) :: r
#include "complex_cases.h"
  end subroutine
  subroutine of_tangents(z, x, y, k)
    type(admpi_tangent_complex), intent(in) :: z(4)
    type(admpi_tangent), intent(in) :: x(4)
    type(admpi_tangent_complex), intent(out) :: y(most)
    integer, intent(out) :: k
    type(admpi_tangent_complex) :: w, v, m(2, 2), n(2, 2)
    type(admpi_tangent) :: r
#include "complex_cases.h"
  end subroutine
  subroutine of_active_tangents(z, x, y, k)
    type(admpi_tangent_var_complex), intent(in) :: z(4)
    type(admpi_tangent_var), intent(in) :: x(4)
    type(admpi_tangent_var_complex), intent(out) :: y(most)
    integer, intent(out) :: k
    type(admpi_tangent_var_complex) :: w, v, m(2, 2), n(2, 2)
    type(admpi_tangent_var) :: r
#include "complex_cases.h"
  end subroutine

  ! Values of all cases, and the gradients of both parts.
  subroutine gradients(where, values, jacobian, k)
    real(8), intent(in) :: where(inputs_of_all)
    complex(8), intent(out) :: values(most)
    real(8), intent(out) :: jacobian(inputs_of_all, 2, most)
    integer, intent(out) :: k
    type(admpi_var) :: u(inputs_of_all)
    type(admpi_var_complex) :: y(most)
    integer :: i
    call inputs(u, where)
    call of_active(cmplx(u(1:7:2), u(2:8:2)), u(9:), y, k)
    values = admpi_value(y)
    do i = 1, k
      jacobian(:, 1, i) = gradient(y(i)%re)
      jacobian(:, 2, i) = gradient(y(i)%im)
    end do
  contains
    function gradient(of) result(g)
      type(admpi_var), intent(in) :: of
      real(8) :: g(inputs_of_all)
      call tape%clear_adjoints()
      call tape%seed(of, 1d0)
      call tape%reverse()
      g = tape%adjoint(u)
    end function
  end subroutine

  subroutine test_cases()
    real(8), parameter :: h = 1d-5
    complex(8) :: values(most), other(most), along
    real(8) :: jacobian(inputs_of_all, 2, most), up(inputs_of_all, 2, most), down(inputs_of_all, 2, most)
    type(admpi_tangent) :: a(inputs_of_all)
    type(admpi_tangent_var) :: b(inputs_of_all), part
    type(admpi_tangent_complex) :: t(most)
    type(admpi_tangent_var_complex) :: w(most)
    type(admpi_var) :: u(inputs_of_all), direction(inputs_of_all)
    integer :: i, j, k, again
    character(12) :: name
    call gradients(at, values, jacobian, k)
    call gradients(at + h*direction_of_all, other, up, again)
    call gradients(at - h*direction_of_all, other, down, again)
    a = admpi_tangent(at, direction_of_all)
    call of_tangents(cmplx(a(1:7:2), a(2:8:2)), a(9:), t, again)
    call equal(again, k, 'cases')
    call inputs(u, at)
    direction = direction_of_all
    call tape%input(direction)
    b = admpi_tangent_var(u, direction)
    call of_active_tangents(cmplx(b(1:7:2), b(2:8:2)), b(9:), w, again)
    do i = 1, k
      write (name, '(a, i0)') 'case ', i
      along = cmplx(dot_product(jacobian(:, 1, i), direction_of_all), dot_product(jacobian(:, 2, i), direction_of_all), 8)
      call near(abs(admpi_value(t(i)) - values(i)), 0d0, name//'value of the tangent', 1d-14*max(1d0, abs(values(i))))
      call near(abs(admpi_derivative(t(i)) - along), 0d0, name//'tangent', 1d-12*max(1d0, abs(along)))
      call near(abs(admpi_value(w(i)) - values(i)), 0d0, name//'value of the active tangent', 1d-14*max(1d0, abs(values(i))))
      call near(abs(admpi_value(admpi_derivative(w(i))) - along), 0d0, name//'active tangent', 1d-12*max(1d0, abs(along)))
      do j = 1, 2
        part = w(i)%re
        if (j == 2) part = w(i)%im
        call tape%clear_adjoints()
        call tape%seed(part%value, 1d0)
        call tape%reverse()
        call close_to(tape%adjoint(u), jacobian(:, j, i), name//'gradient', 1d-12)
        call tape%clear_adjoints()
        call tape%seed(part%derivative, 1d0)
        call tape%reverse()
        call close_to(tape%adjoint(direction), jacobian(:, j, i), name//'by the direction', 1d-12)
        call close_to(tape%adjoint(u), (up(:, j, i) - down(:, j, i))/(2*h), name//'Hessian times the direction', 1d-7)
      end do
    end do
    call equal(admpi_live_expressions(), 0, 'live expressions')
  contains
    subroutine close_to(got, expected, what, tolerance)
      real(8), intent(in) :: got(:), expected(:), tolerance
      character(*), intent(in) :: what
      integer :: l
      do l = 1, size(got)
        call near(got(l), expected(l), what, tolerance*max(1d0, maxval(abs(expected))))
      end do
    end subroutine
  end subroutine

  ! Constants, active numbers as constants, what is recorded.
  subroutine test_kinds()
    type(admpi_tangent_complex) :: t, unset
    type(admpi_tangent_var_complex) :: w
    type(admpi_var_complex) :: z
    type(admpi_var) :: x(2)
    type(admpi_tangent) :: r
    if (admpi_value(unset) /= 0 .or. admpi_derivative(unset) /= 0) call fail('initial value')
    t = admpi_tangent_complex((3d0, -4d0), (1d0, 2d0))
    if (.not. (t == (3d0, -4d0) .and. t /= 3d0 .and. t == t .and. 2 /= t)) call fail('comparisons')
    r = abs(t)
    call near(admpi_derivative(r), -1d0, 'abs')
    r = t
    call near(admpi_derivative(r), 1d0, 'the real part')
    ! A direction of zero takes no part.
    t = sqrt(admpi_tangent_complex((0d0, 0d0)))
    if (admpi_derivative(t) /= 0) call fail('a direction of zero')
    t = (2d0, 1d0)
    if (admpi_derivative(t) /= 0) call fail('a constant')
    call inputs(x, [3d0, -4d0])
    z = admpi_var_complex(x(1), x(2))
    w = z
    w = w*w
    if (admpi_value(w) /= (-7d0, -24d0)) call fail('a product')
    call equal(statements(), 2, 'statements without a direction')
    w = admpi_tangent_var_complex(z, (1d0, 0d0))
    w = z*w + x(1)/w - w**z + x(2)*(0d0, 1d0)*w
    call near(abs(admpi_value(admpi_derivative(w)) - wanted(admpi_value(z))), 0d0, 'active numbers as constants', 1d-12)
    if (w == z .or. w /= w .or. x(1) == w) call fail('comparisons with active numbers')
  contains
    complex(8) function wanted(v)
      complex(8), intent(in) :: v
      wanted = v - 3/v**2 - v*v**(v - 1) + (-4)*(0d0, 1d0)
    end function
  end subroutine
end module

program complex_tangent_program
  use complex_tangents
  implicit none
  call begin()
  call test_cases()
  call test_kinds()
  call finish()
end program
