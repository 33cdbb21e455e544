! Second derivatives of matrices: each function on active matrices and on tangents of them. Values and gradients agree, the
! derivative is the gradient times the direction, and its gradient is that of differences of gradients. Functions element by
! element against tangents of scalars.
#define CASE(what) k = k + 1; y(k) = what
module matrix_tangent_tests
  use admpi
  use admpi_matrices
  use admpi_tangents
  use admpi_matrix_tangents
  use check
  implicit none
  integer, parameter :: most = 60
  ! The square matrix, the tall one and the scalar.
  integer, parameter :: n = 9 + 8 + 1
  real(8), parameter :: at(n) = [1.9d0, 0.4d0, 0.7d0, 0.3d0, 2.3d0, 0.5d0, 0.8d0, 0.2d0, 1.7d0, &
    1.2d0, 0.3d0, -0.4d0, 0.9d0, 0.6d0, 1.8d0, 0.2d0, -0.7d0, 1.3d0]
  real(8), parameter :: along(n) = [0.3d0, -1d0, 0.7d0, 0.2d0, 0.4d0, 1.1d0, -0.6d0, 0.9d0, 0.5d0, &
    -0.2d0, 0.8d0, 0.1d0, 0.6d0, -0.9d0, 0.3d0, 0.7d0, 0.25d0, -0.4d0]
contains
  subroutine constants(fixed, unit, small)
    type(admpi_varmat), intent(inout) :: fixed, unit, small
    fixed = reshape([2d0, 0.3d0, 0.6d0, 0.4d0, 1.5d0, 0.2d0, 0.7d0, 0.1d0, 1.8d0], [3, 3])
    unit = reshape([1d0, 0d0, 0d0, 0d0, 2d0, 0d0, 0d0, 0d0, 3d0], [3, 3])
    small = [1d0, 1d-9, 2d0]
  end subroutine
  subroutine of_active(a, t, s, y, k)
    type(admpi_varmat), intent(in) :: a, t
    type(admpi_var), intent(in) :: s
    type(admpi_var), intent(inout) :: y(most)
    integer, intent(out) :: k
    type(admpi_varmat) :: fixed, unit, small, half, spd, u, v, w
    call constants(fixed, unit, small)
    call active_cases()
  contains
    subroutine active_cases()
#include "matrix_tangent_cases.h"
    end subroutine
  end subroutine
  subroutine of_tangents(a, t, s, y, k)
    type(admpi_tangent_varmat), intent(in) :: a, t
    type(admpi_tangent_var), intent(in) :: s
    type(admpi_tangent_var), intent(inout) :: y(most)
    integer, intent(out) :: k
    type(admpi_varmat) :: fixed, unit, small
    type(admpi_tangent_varmat) :: half, spd, u, v, w
    call constants(fixed, unit, small)
    call tangent_cases()
  contains
    subroutine tangent_cases()
#include "matrix_tangent_cases.h"
    end subroutine
  end subroutine

  subroutine start(a, t, s, where)
    type(admpi_varmat), intent(inout) :: a, t
    type(admpi_var), intent(inout) :: s
    real(8), intent(in) :: where(n)
    call tape%reset()
    call tape%start()
    a = reshape(where(:9), [3, 3])
    t = reshape(where(10:17), [4, 2])
    s = where(n)
    call a%input(tape)
    call t%input(tape)
    call tape%input(s)
  end subroutine
  function gradient_of(a, t, s, y) result(g)
    type(admpi_varmat), intent(in) :: a, t
    type(admpi_var), intent(in) :: s, y
    real(8) :: g(n)
    call tape%clear_adjoints()
    call tape%seed(y, 1d0)
    call tape%reverse()
    g = [reshape(a%adjoint(tape), [9]), reshape(t%adjoint(tape), [8]), tape%adjoint(s)]
  end function
  subroutine gradients(where, values, jacobian, k)
    real(8), intent(in) :: where(n)
    real(8), intent(out) :: values(most), jacobian(n, most)
    integer, intent(out) :: k
    type(admpi_varmat) :: a, t
    type(admpi_var) :: s, y(most)
    integer :: i
    call start(a, t, s, where)
    call of_active(a, t, s, y, k)
    values = admpi_value(y)
    do i = 1, k
      jacobian(:, i) = gradient_of(a, t, s, y(i))
    end do
  end subroutine

  subroutine cases()
    real(8), parameter :: h = 1d-5
    real(8) :: values(most), other(most), jacobian(n, most), up(n, most), down(n, most), wanted(n), got(n), along_it
    type(admpi_varmat) :: a, t
    type(admpi_var) :: s
    type(admpi_tangent_varmat) :: ta, tt
    type(admpi_tangent_var) :: ts, y(most)
    integer :: i, k, again, live
    character(40) :: name
    live = admpi_live_matrices()
    call gradients(at, values, jacobian, k)
    call gradients(at + h*along, other, up, again)
    call gradients(at - h*along, other, down, again)
    call start(a, t, s, at)
    ta = admpi_tangent_varmat(a, reshape(along(:9), [3, 3]))
    tt = admpi_tangent_varmat(t, reshape(along(10:17), [4, 2]))
    ts = admpi_tangent_var(s, along(n))
    call of_tangents(ta, tt, ts, y, again)
    call equal(again, k, 'cases')
    call equal(admpi_live_matrices() - live, 6, 'matrices owned')
    call equal(admpi_live_expressions(), 0, 'live expressions')
    do i = 1, k
      write (name, '(a, i0)') 'matrix case ', i
      call near(admpi_value(y(i)), values(i), trim(name)//': value', 1d-12)
      along_it = dot_product(jacobian(:, i), along)
      call near(admpi_value(y(i)%derivative), along_it, trim(name)//': derivative', 1d-11*scale_of(jacobian(:, i)))
      got = gradient_of(a, t, s, y(i)%value)
      call near(maxval(abs(got - jacobian(:, i))), 0d0, trim(name)//': gradient', 1d-11*scale_of(jacobian(:, i)))
      wanted = (up(:, i) - down(:, i))/(2*h)
      got = gradient_of(a, t, s, y(i)%derivative)
      call near(maxval(abs(got - wanted)), 0d0, trim(name)//': Hessian times the direction', 1d-7*scale_of(wanted))
    end do
  end subroutine
  real(8) function scale_of(x)
    real(8), intent(in) :: x(:)
    scale_of = 1 + maxval(abs(x))
  end function

#define ONE(name) \
    z = name(x); w = name(u); call same('name', z, w, a, b, da, db)
#define TWO(name) \
    z = name(x, x2); w = name(u, u2); call same('name', z, w, a, b, da, db); \
    z = name(x, fixed); w = name(u, constant); call same('name', z, w, a, b, da, db); \
    z = name(fixed, x2); w = name(constant, u2); call same('name', z, w, a, b, da, db)
  subroutine element_wise()
    type(admpi_varmat) :: a, da, fixed
    type(admpi_var) :: b(3, 2), db(3, 2)
    type(admpi_tangent_varmat) :: x, x2, z
    type(admpi_tangent_var) :: u(3, 2), u2(3, 2), w(3, 2), constant(3, 2)
    real(8), parameter :: values(3, 2) = reshape([0.3d0, 0.7d0, 0.15d0, 0.55d0, 0.85d0, 0.42d0], [3, 2])
    real(8), parameter :: direction(3, 2) = reshape([0.5d0, -1d0, 0.25d0, 0d0, 1.5d0, -0.7d0], [3, 2])
    call tape%reset()
    call tape%start()
    a = values
    da = direction
    call a%input(tape)
    call da%input(tape)
    b = values
    db = direction
    call tape%input(b)
    call tape%input(db)
    x = admpi_tangent_varmat(a, da)
    u = admpi_tangent_var(b, db)
    x2 = x*0.5d0 + 0.05d0
    u2 = u*0.5d0 + 0.05d0
    fixed = values*1.25d0
    constant = admpi_tangent_var(values*1.25d0)
    ONE(admpi_square)
    ONE(admpi_inv)
    ONE(sqrt)
    ONE(admpi_cbrt)
    ONE(abs)
    ONE(exp)
    ONE(admpi_exp2)
    ONE(admpi_expm1)
    ONE(log)
    ONE(admpi_log2)
    ONE(log10)
    ONE(admpi_log1p)
    ONE(sin)
    ONE(cos)
    ONE(tan)
    ONE(asin)
    ONE(acos)
    ONE(atan)
    ONE(sinh)
    ONE(cosh)
    ONE(tanh)
    ONE(asinh)
    ONE(atanh)
    ONE(erf)
    ONE(erfc)
    ONE(admpi_Phi)
    ONE(log_gamma)
    ONE(gamma)
    ONE(admpi_digamma)
    ONE(admpi_trigamma)
    ONE(admpi_inv_logit)
    ONE(admpi_logit)
    ONE(admpi_log1p_exp)
    z = x**x2; w = u**u2; call same('power', z, w, a, b, da, db)
    z = x**fixed; w = u**constant; call same('power', z, w, a, b, da, db)
    z = fixed**x2; w = constant**u2; call same('power', z, w, a, b, da, db)
    TWO(hypot)
    TWO(atan2)
    TWO(mod)
    TWO(admpi_remainder)
    TWO(dim)
    TWO(admpi_lbeta)
    TWO(admpi_beta)
    TWO(admpi_log_sum_exp)
    TWO(admpi_multiply_log)
    x = x + 1d0
    u = u + 1d0
    ONE(acosh)
    TWO(admpi_log_diff_exp)
    z = hypot(x, admpi_scalar(u(1, 1)))
    w = hypot(u, u(1, 1))
    call near(maxval(abs(admpi_value(z) - admpi_value(w))), 0d0, 'a tangent for all elements', 1d-14)
  end subroutine
  ! A matrix of tangents and the same as scalars, and the sweeps from their parts.
  subroutine same(name, z, w, a, b, da, db)
    character(*), intent(in) :: name
    type(admpi_tangent_varmat), intent(in) :: z
    type(admpi_tangent_var), intent(in) :: w(:, :)
    type(admpi_varmat), intent(in) :: a, da
    type(admpi_var), intent(in) :: b(:, :), db(:, :)
    call near(maxval(abs(admpi_value(z) - admpi_value(w))), 0d0, name//': values', 1d-13)
    call near(maxval(abs(admpi_value(z%derivative) - admpi_value(w%derivative))), 0d0, name//': derivatives', 1d-12)
    call swept(name//' of values', z%value, w%value)
    call swept(name//' of derivatives', z%derivative, w%derivative)
  contains
    subroutine swept(what, matrix, scalars)
      character(*), intent(in) :: what
      type(admpi_varmat), intent(in) :: matrix
      type(admpi_var), intent(in) :: scalars(:, :)
      real(8) :: got(3, 2), got_d(3, 2)
      integer :: i, j
      call tape%clear_adjoints()
      call matrix%seed(tape, 0.75d0)
      call tape%reverse()
      got = a%adjoint(tape)
      got_d = da%adjoint(tape)
      call tape%clear_adjoints()
      do j = 1, 2
        do i = 1, 3
          call tape%seed(scalars(i, j), 0.75d0)
        end do
      end do
      call tape%reverse()
      call near(maxval(abs(got - tape%adjoint(b))), 0d0, what//': adjoints', 1d-12*(1 + maxval(abs(got))))
      call near(maxval(abs(got_d - tape%adjoint(db))), 0d0, what//': adjoints of the direction', &
        1d-12*(1 + maxval(abs(got_d))))
    end subroutine
  end subroutine

  ! A function of an array is one event for the values and one for the derivatives, whatever its size.
  subroutine events()
    type(admpi_varmat) :: a, da
    type(admpi_tangent_varmat) :: x, y
    type(admpi_statistics) :: before, after
    call tape%reset()
    call tape%start()
    a = admpi_varmat(100, 100)
    call a%input(tape)
    da = a + 1d0
    x = admpi_tangent_varmat(a, da)
    call tape%statistics(before)
    y = sin(x)
    call tape%statistics(after)
    call equal(int(after%events - before%events), 2, 'events of a function of 10000 elements')
    call equal(int(after%statements - before%statements), 0, 'statements of it')
  end subroutine

  subroutine refused()
    type(admpi_varmat) :: a
    type(admpi_tangent_varmat) :: x, y
    integer :: ierr
    a = admpi_varmat(2, 3)
    x = admpi_tangent_varmat(a)
    y = admpi_inverse(x, ierr)
    call equal(merge(1, 0, ierr /= 0), 1, 'the inverse of a matrix that is not square')
    a = admpi_varmat(2, 2)
    x = admpi_tangent_varmat(a)
    y = admpi_solve(x, x, ierr)
    call equal(merge(1, 0, index(admpi_last_error(), 'singular') > 0), 1, 'the message of a singular system')
    x%value = 1d0
    call admpi_assign(x%value%diagonal(), 2d0)
    y = admpi_cholesky(x, ierr)
    call equal(ierr, 0, 'a factor')
  end subroutine
end module

program test
  use matrix_tangent_tests
  implicit none
  call begin()
  call cases()
  call element_wise()
  call events()
  call refused()
  call finish()
end program
