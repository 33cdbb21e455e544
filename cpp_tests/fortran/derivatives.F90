! Derivatives of procedures: gradients, Jacobians, their products, Hessians, checks; with and without a tape; mistakes.
module derivative_tests
  use admpi
  use admpi_tangents
  use admpi_derivatives
  use check
  implicit none
  real(8), parameter :: at(3) = [0.7d0, -1.3d0, 0.4d0]
  integer, parameter :: m = 18
  integer :: calls = 0
  type(admpi_var) :: outer
contains
  subroutine objective(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y
    calls = calls + 1
    y = x(1)*sin(x(2)) + x(3)**2*x(1)
  end subroutine
  subroutine along(x, y)
    type(admpi_tangent_var), intent(in) :: x(:)
    type(admpi_tangent_var), intent(inout) :: y
    y = x(1)*sin(x(2)) + x(3)**2*x(1)
  end subroutine
  function by_hand() result(h)
    real(8) :: h(3, 3)
    h = 0
    h(1, 2) = cos(at(2))
    h(2, 1) = h(1, 2)
    h(2, 2) = -at(1)*sin(at(2))
    h(1, 3) = 2*at(3)
    h(3, 1) = h(1, 3)
    h(3, 3) = 2*at(1)
  end function

  ! The third result is constant.
  subroutine results(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y(:)
    integer :: i
    do i = 1, size(y)
      y(i) = i*x(1)*x(2) + x(3)
    end do
    if (size(y) > 2) y(3) = 2.5d0
  end subroutine
  ! On a ring; another branch where the first input is negative.
  subroutine ring(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y(:)
    integer :: i
    do i = 1, size(y)
      if (x(1) > 0d0) then
        y(i) = x(i)*x(mod(i, size(x)) + 1)
      else
        y(i) = x(i)*x(i)
      end if
    end do
  end subroutine
  subroutine sparse_of(n)
    integer, intent(in) :: n
    integer, allocatable :: row_start(:), column(:)
    real(8), allocatable :: value(:)
    real(8) :: x(n), results(n)
    integer :: i, first, ierr
    x = [(1 + 0.25d0*i, i=1, n)]
    call admpi_sparse_jacobian(ring, x, n, row_start, column, value, results)
    call equal(size(value), 2*n, 'elements')
    call equal(row_start(n + 1), 2*n + 1, 'end of the rows')
    do i = 1, n
      first = row_start(i)
      call near(results(i), x(i)*x(mod(i, n) + 1), 'a result')
      call equal(column(first), merge(1, i, i == n), 'first column')
      call equal(column(first + 1), merge(n, i + 1, i == n), 'second column')
      call near(value(first), merge(x(n), x(mod(i, n) + 1), i == n), 'first element')
      call near(value(first + 1), merge(x(1), x(i), i == n), 'second element')
    end do
    x(1) = 3d0
    call admpi_sparse_jacobian(ring, x, n, row_start, column, value) ! the same pattern
    call near(value(2), 3d0, 'an element of a known pattern')
    deallocate (row_start, column)
    x(1) = -1d0
    call admpi_sparse_jacobian(ring, x, n, row_start, column, value)
    call equal(size(value), n, 'elements of a diagonal')
    x(1) = 1d0
    call admpi_sparse_jacobian(ring, x, n, row_start, column, value, ierr=ierr)
    call refused(ierr, 'of the pattern lacks an element', 'a pattern of another branch')
    call admpi_sparse_jacobian(ring, x, n - 1, row_start, column, value, ierr=ierr)
    call refused(ierr, 'row_start without its end has', 'a pattern of other rows')
  end subroutine
  ! Nothing is set.
  subroutine nothing(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y
    if (size(x) < 0) y = x(1)
  end subroutine
  subroutine nothing_along(x, y)
    type(admpi_tangent_var), intent(in) :: x(:)
    type(admpi_tangent_var), intent(inout) :: y
    if (size(x) < 0) y = x(1)
  end subroutine
  ! A derivative is lost.
  subroutine loses(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y
    y = exp(x(1))*admpi_value(x(2)) + x(3)
  end subroutine
  subroutine times_outer(x, y)
    type(admpi_var), intent(in) :: x(:)
    type(admpi_var), intent(inout) :: y
    y = outer*x(1)*x(2)*x(3)
  end subroutine

  subroutine refused(ierr, words, what)
    integer, intent(in) :: ierr
    character(*), intent(in) :: words, what
    if (ierr /= 0 .and. index(admpi_last_error(), words) > 0) return
    call fail(what//': '//admpi_last_error())
  end subroutine

  subroutine all_of_them()
    real(8) :: value, gradient(3), jacobian(m, 3), values(m), w(m), product(3), hessian(3, 3), h(3, 3), none(0)
    type(admpi_input_check) :: checks(3)
    integer :: i, wrong, ierr
    calls = 0
    call admpi_gradient(objective, at, gradient, value)
    call equal(calls, 1, 'calls of a gradient')
    call near(value, at(1)*sin(at(2)) + at(3)**2*at(1), 'value')
    call near(gradient(1), sin(at(2)) + at(3)**2, 'gradient 1')
    call near(gradient(2), at(1)*cos(at(2)), 'gradient 2')
    call near(gradient(3), 2*at(3)*at(1), 'gradient 3')

    call admpi_jacobian(results, at, jacobian, values)
    do i = 1, m
      call near(values(i), merge(2.5d0, i*at(1)*at(2) + at(3), i == 3), 'values')
      call near(jacobian(i, 1), merge(0d0, i*at(2), i == 3), 'jacobian 1')
      call near(jacobian(i, 2), merge(0d0, i*at(1), i == 3), 'jacobian 2')
      call near(jacobian(i, 3), merge(0d0, 1d0, i == 3), 'jacobian 3')
      w(i) = 1d0/i
    end do
    call admpi_transposed_jacobian_product(results, at, w, product, values)
    do i = 1, 3
      call near(product(i), sum(w*jacobian(:, i)), 'transposed product', 1d-13)
    end do

    call sparse_of(3)
    call sparse_of(40)
    h = by_hand()
    call admpi_hessian(along, at, hessian)
    do i = 1, 3
      call near(maxval(abs(hessian(:, i) - h(:, i))), 0d0, 'hessian')
    end do
    call admpi_hessian_product(along, at, [1d0, 2d0, -0.5d0], product)
    call near(maxval(abs(product - matmul(h, [1d0, 2d0, -0.5d0]))), 0d0, 'hessian product')

    call admpi_check_gradient(objective, at, wrong, checks)
    call equal(wrong, 0, 'wrong derivatives')
    if (.not. all(checks%is_right)) call fail('checks of a right gradient')
    call admpi_check_gradient(loses, at, wrong, checks, tolerance=1d-5)
    call equal(wrong, 1, 'wrong derivatives of a lost one')
    if (.not. all(checks%is_right .eqv. [.true., .false., .true.])) call fail('which derivative is lost')
    call near(checks(2)%difference, exp(at(1)), 'difference of a lost one', 1d-7)

    call admpi_gradient(objective, at, gradient(:2), ierr=ierr)
    call refused(ierr, 'gradient has 2 elements, but x has 3', 'a short gradient')
    call admpi_jacobian(results, at, jacobian(:, :2), ierr=ierr)
    call refused(ierr, 'a row of jacobian has 2 elements, but x has 3', 'a narrow jacobian')
    call admpi_hessian(along, at, hessian(:2, :), ierr=ierr)
    call refused(ierr, 'a column of hessian has 2 elements, but x has 3', 'a low hessian')
    call admpi_hessian_product(along, at, at(:1), product, ierr)
    call refused(ierr, 'v has 1 elements, but x has 3', 'a short direction')
    call admpi_gradient(nothing, at, gradient, ierr=ierr)
    call refused(ierr, 'has not set y[0]', 'a result that is not set')
    call admpi_hessian_product(nothing_along, at, at, product, ierr)
    call refused(ierr, 'has not set y[0]', 'a result that is not set, along a direction')
    call admpi_jacobian(results, none, jacobian(:0, :0), ierr=ierr)
    call equal(ierr, 0, 'no inputs and no results')
  end subroutine
end module

program derivatives_test
  use derivative_tests
  implicit none
  real(8) :: gradient(3)
  integer :: before
  call all_of_them()
  call begin()
  outer = 3d0
  call tape%input(outer)
  before = statements()
  call all_of_them()
  call admpi_gradient(times_outer, at, gradient)
  call near(gradient(1), 3*at(2)*at(3), 'values from elsewhere are constants')
  call equal(statements(), before, 'statements that are left')
  call finish()
end program
