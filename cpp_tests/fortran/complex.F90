! Complex numbers: the same cases with complex(8) and with active numbers. Values, gradients against differences, what is recorded.
module complex_numbers
  use check
  use admpi_complex
  implicit none
  integer, parameter :: most = 180, inputs_of_all = 12
  ! The parts of four complex numbers, and four reals.
  real(8), parameter :: at(inputs_of_all) = [1.25d0, 0.5d0, -0.75d0, 1.5d0, 0.5d0, -0.25d0, 2d0, -1d0, 1.5d0, 0.75d0, 2.25d0, -0.5d0]
  complex(8), parameter :: c(4) = [(1d0, -2d0), (0.5d0, 1.5d0), (-1d0, 0.25d0), (2d0, 1d0)]
contains
  subroutine of_numbers(z, x, y, k)
    complex(8), intent(in) :: z(4)
    real(8), intent(in) :: x(4)
    complex(8), intent(out) :: y(most)
    integer, intent(out) :: k
    complex(8) :: w, v, m(2, 2), n(2, 2)
    real(8) :: r
#include "complex_cases.h"
  end subroutine
  subroutine of_active(z, x, y, k)
    type(admpi_var_complex), intent(in) :: z(4)
    type(admpi_var), intent(in) :: x(4)
    type(admpi_var_complex), intent(out) :: y(most)
    integer, intent(out) :: k
    type(admpi_var_complex) :: w, v, m(2, 2), n(2, 2)
    type(admpi_var) :: r
#include "complex_cases.h"
  end subroutine

  subroutine values_at(where, y, k)
    real(8), intent(in) :: where(inputs_of_all)
    complex(8), intent(out) :: y(most)
    integer, intent(out) :: k
    call of_numbers(cmplx(where(1:7:2), where(2:8:2), 8), where(9:), y, k)
  end subroutine

  subroutine test_cases()
    real(8), parameter :: h = 1d-5
    complex(8) :: expected(most), up(most), down(most), slope(inputs_of_all, most)
    real(8) :: gradient(inputs_of_all)
    type(admpi_var_complex) :: z(4), y(most)
    type(admpi_var) :: u(inputs_of_all)
    integer :: i, j, k, again, part
    character(12) :: name
    call values_at(at, expected, k)
    do j = 1, inputs_of_all
      call values_at(at + h*unit(j), up, again)
      call values_at(at - h*unit(j), down, again)
      slope(j, :k) = (up(:k) - down(:k))/(2*h)
    end do
    call inputs(u, at)
    z%re = u(1:7:2)
    z%im = u(2:8:2)
    call of_active(z, u(9:), y, again)
    call equal(again, k, 'cases')
    call equal(admpi_live_expressions(), 0, 'live expressions')
    do i = 1, k
      write (name, '(a, i0)') 'case ', i
      call near(abs(admpi_value(y(i)) - expected(i)), 0d0, name//'value', 4d-15*max(1d0, abs(expected(i))))
      do part = 1, 2
        call tape%clear_adjoints()
        if (part == 1) call tape%seed(y(i)%re, 1d0)
        if (part == 2) call tape%seed(y(i)%im, 1d0)
        call tape%reverse()
        gradient = tape%adjoint(u)
        do j = 1, inputs_of_all
          call near(gradient(j), merge(real(slope(j, i)), aimag(slope(j, i)), part == 1), name//'gradient', &
            1d-8*max(1d0, maxval(abs(slope(:, i)))))
        end do
      end do
    end do
  end subroutine
  pure function unit(j) result(e)
    integer, intent(in) :: j
    real(8) :: e(inputs_of_all)
    e = 0
    e(j) = 1
  end function

  ! Comparisons, constants, initial values; what is recorded; singular points.
  subroutine test_kinds()
    type(admpi_var_complex) :: z, w, unset, a(2)
    type(admpi_var) :: x(2), y
    if (admpi_value(unset) /= 0) call fail('initial value')
    call inputs(x, [3d0, -4d0])
    z = admpi_var_complex(x(1), x(2))
    if (.not. (z == (3d0, -4d0) .and. z /= x(1) .and. z /= 3 .and. 3d0 /= z .and. (3., -4.) == z .and. z == z)) call fail('comparisons')
    if (x(1) == (3d0, 1d0) .or. (3d0, 0d0) /= x(1)) call fail('comparisons of reals')
    call recorded('a conversion', z, (3d0, -4d0), 0)
    w = z*z
    call recorded('a product', w, (-7d0, -24d0), 2)
    w = w + (1d0, 2d0)
    call recorded('a sum', w, (-6d0, -22d0), 4)
    w = x(1) + (0d0, 1d0)
    call recorded('a real and a constant', w, (3d0, 1d0), 5)
    w = conjg(z)
    call recorded('a conjugate', w, (3d0, 4d0), 6)
    y = z
    call near(admpi_value(y), 3d0, 'the real part')
    call equal(statements(), 6, 'statements of the real part')
    if (z == x(1)*x(2) .or. .not. (x(1) + x(2) /= z)) call fail('comparisons of expressions')
    call equal(admpi_live_expressions(), 0, 'live expressions of comparisons')
    y = abs(z)
    call expect('abs', y, 5d0, x, [0.6d0, -0.8d0])
    z = 0
    w = (2d0, 1d0)*z + 3d0/(z + 1)
    call equal(w%re%id, 0, 'of constants')
    a = [admpi_var_complex(x(1)), admpi_var_complex((1d0, 1d0))]
    a(1) = merge(a(1), a(2), .true.)
    call near(admpi_value(a(1)%re), 3d0, 'merge')
    call inputs(x, [0d0, 0d0])
    y = abs(cmplx(x(1), x(2)))
    call expect('abs at 0', y, 0d0, x, [0d0, 0d0])
    call inputs(x, [0d0, 0d0])
    z = cmplx(x(1), x(2))
    z = z**1 + z**2 + z**(1d0, 0d0) + z**2d0
    call expect('powers at 0', z%re, 0d0, x, [2d0, 0d0])
  contains
    ! Compilers leave out what is pure and not looked at.
    subroutine recorded(what, of, value, made)
      character(*), intent(in) :: what
      type(admpi_var_complex), intent(in) :: of
      complex(8), intent(in) :: value
      integer, intent(in) :: made
      if (admpi_value(of) /= value) call fail(what)
      call equal(statements(), made, 'statements of '//what)
    end subroutine
  end subroutine

  ! Complex inputs and results of a tape: arrays, parts of arrays, scalars, two directions.
  subroutine test_tape()
    type(admpi_var_complex) :: z(2, 3), w, s(3)
    complex(8) :: g(2, 2)
    integer :: i
    call tape%reset()
    call tape%start()
    z = reshape([(cmplx(i, -i, 8), i=1, 6)], [2, 3])
    w = (2d0, 1d0)
    call tape%input(z(:, ::2))
    call tape%input(w)
    if (z(1, 2)%re%id /= 0 .or. z(2, 3)%im%id == 0 .or. w%im%id == 0) call fail('inputs')
    s(1) = z(1, 1)*w
    s(2) = conjg(z(2, 3))
    s(3) = s(1) + s(2)
    call tape%keep(s(1))
    call tape%keep(s(2:3))
    call tape%set_width(2)
    call tape%seed(s(3), (1d0, 0d0))
    call tape%seed(s(1:2), [(0d0, 0d0), (0d0, 1d0)], direction=2)
    call tape%reverse()
    if (tape%adjoint(w) /= (1d0, 1d0) .or. any(tape%adjoint(s(1:2)) /= (1d0, 0d0))) call fail('adjoints')
    g = tape%adjoint(z(:, ::2))
    if (any(g /= reshape([(2d0, -1d0), (0d0, 0d0), (0d0, 0d0), (1d0, 0d0)], [2, 2]))) call fail('adjoints of a part')
    if (tape%adjoint(z(2, 3), 2) /= (0d0, -1d0)) call fail('a direction')
    call tape%set_width(1)
  end subroutine

  ! On both sides of the cuts, which zeros with a sign choose.
  subroutine test_cuts()
    type(admpi_var) :: x(2)
    type(admpi_var_complex) :: z
    complex(8) :: slope
    integer :: side
    do side = -1, 1, 2
      call inputs(x, [2d0, sign(0d0, real(side, 8))])
      z = asin(cmplx(x(1), x(2)))
      slope = 1/sqrt(cmplx(-3d0, sign(0d0, real(-side, 8)), 8))
      call expect('asin on the cut', z%im, side*log(2 + sqrt(3d0)), x, [aimag(slope), real(slope)], tolerance=1d-14)
      call inputs(x, [-4d0, sign(0d0, real(side, 8))])
      z = sqrt(cmplx(x(1), x(2)))
      call expect('sqrt on the cut', z%im, 2d0*side, x, [-0.25d0*side, 0d0])
    end do
  end subroutine
end module

program complex_program
  use complex_numbers
  implicit none
  call begin()
  call test_cases()
  call test_kinds()
  call test_tape()
  call test_cuts()
  call finish()
end program
