! Matrices in Fortran: values and derivatives against the same on scalars; who owns what; mistakes.
module matrix_tests
  use admpi
  use admpi_matrices
  use check
  implicit none
contains
  subroutine start()
    call tape%reset()
    call tape%start()
  end subroutine

  real(8) function wave(i)
    integer, intent(in) :: i
    wave = 1.3d0 + sin(real(i, 8))
  end function
  function waves(m, n) result(x)
    integer, intent(in) :: m, n
    real(8) :: x(m, n)
    integer :: i
    x = reshape([(wave(i), i=1, m*n)], [m, n])
  end function

  subroutine same(got, expected, what)
    real(8), intent(in) :: got(:, :), expected(:, :)
    character(*), intent(in) :: what
    if (any(shape(got) /= shape(expected))) then
      call fail(what//': shape')
      return
    end if
    call near(maxval(abs(got - expected)), 0d0, what, 1d-12)
  end subroutine

  ! A function of the user's: what it returns is used once.
  function relaxed(x, s) result(y)
    class(admpi_array), intent(in) :: x
    type(admpi_var), intent(in) :: s
    type(admpi_result) :: y
    type(admpi_varmat) :: local
    local = x
    local = local + s*exp(-local)
    y = local/(1d0 + local)
  end function

  subroutine expressions()
    type(admpi_varmat) :: a, b, c
    type(admpi_var) :: s, x(3, 4), y(3, 4), t, z
    real(8) :: g(3, 4), of_t
    integer :: live
    live = admpi_live_matrices()
    call start()
    a = waves(3, 4)
    call a%input(tape)
    s = 0.7d0
    call tape%input(s)
    b = relaxed(a, s)
    c = sqrt(a*b + 2)**2 - hypot(a, admpi_scalar(s))/3d0
    c = -c + atan2(a, b)*s + 2d0**a + max_free(a)
    z = sum(c) + dot_product(a, b) + norm2(a%col(2)) + maxval(b) - minval(a%row(1))
    call equal(admpi_live_expressions(), 0, 'live expressions')
    call equal(admpi_live_matrices() - live, 3, 'matrices owned')
    call tape%seed(z, 1d0)
    call tape%reverse()
    g = a%adjoint(tape)
    of_t = tape%adjoint(s)
    t = z
    call start()
    x = waves(3, 4)
    s = 0.7d0
    call tape%input(x)
    call tape%input(s)
    y = x + s*exp(-x)
    y = y/(1d0 + y)
    z = sum(-(sqrt(x*y + 2)**2 - hypot(x, s)/3d0) + atan2(x, y)*s + 2d0**x + x) + sum(x*y) + norm2(x(:, 2)) + maxval(y) - &
      minval(x(1, :))
    call near(admpi_value(t), admpi_value(z), 'value of expressions', 1d-13)
    call tape%seed(z, 1d0)
    call tape%reverse()
    call same(g, tape%adjoint(x), 'gradient of expressions')
    call near(of_t, tape%adjoint(s), 'derivative by a scalar', 1d-12)
  end subroutine
  function max_free(a) result(y)
    class(admpi_array), intent(in) :: a
    type(admpi_result) :: y
    y = +admpi_varmat(a)
  end function

  ! Directional differences of what linear algebra gives.
  type(admpi_var) function algebra(a) result(y)
    type(admpi_varmat), intent(in) :: a
    type(admpi_varmat) :: s, l, u, q, r, v, w
    integer :: rows(4)
    s = admpi_tcrossprod(a) + admpi_varmat(unit(4))
    call admpi_lu(a, l, u, rows)
    y = sum(l*l) + sum(u%diagonal())
    call admpi_qr(a, q, r)
    y = y + sum(q) + sum(r)
    call admpi_eigen_sym(s, w, v)
    y = y + sum(w*w) + sum(v*v)
    call admpi_svd(a, u, w, v)
    y = y + w%at(1) + sum(u*u)
    y = y + admpi_log_determinant(s) + admpi_determinant(a) + admpi_trace(admpi_inverse(s)) + admpi_log_determinant_spd(s)
    w = admpi_solve(a, a%col(1) + 1) + admpi_solve_spd(s, a%col(2)) + admpi_solve_lower(admpi_cholesky(s), a%col(3))
    y = y + sum(w) + sum(matmul(transpose(a), a)) + sum(admpi_quad_form(s, a))
    y = y + sum(admpi_diag_pre_multiply(a%col(1), a)) + sum(admpi_singular_values(a)) + sum(admpi_cumulative_sum(a%col(4)))
    y = y + admpi_multi_normal_lpdf(a%col(1), a%col(2), s) + admpi_normal_lpdf(a, admpi_scalar(0.3d0), admpi_scalar(exp_of(a)))
  end function
  type(admpi_var) function exp_of(a)
    class(admpi_array), intent(in) :: a
    exp_of = exp(a%at(1, 1)/10)
  end function
  function unit(n) result(x)
    integer, intent(in) :: n
    real(8) :: x(n, n)
    integer :: i
    x = 0
    do i = 1, n
      x(i, i) = 1
    end do
  end function
  subroutine linear_algebra()
    type(admpi_varmat) :: a
    type(admpi_var) :: y, up, down
    real(8) :: g(4, 4), along(4, 4), x(4, 4)
    real(8), parameter :: h = 1d-6
    integer :: live
    live = admpi_live_matrices()
    along = waves(4, 4) - 1
    x = waves(4, 4) + 2*unit(4)
    x(3, 1) = -x(3, 1)
    call start()
    a = x
    call a%input(tape)
    y = algebra(a)
    call tape%seed(y, 1d0)
    call tape%reverse()
    g = a%adjoint(tape)
    call tape%stop()
    a = x + h*along
    up = algebra(a)
    a = x - h*along
    down = algebra(a)
    call near(sum(g*along), (admpi_value(up) - admpi_value(down))/(2*h), 'derivative of linear algebra', 1d-7)
    call equal(admpi_live_matrices() - live, 1, 'matrices after linear algebra')
  end subroutine

  subroutine parts()
    type(admpi_varmat) :: a, b
    type(admpi_view) :: v
    type(admpi_var) :: x(2, 3), y
    real(8) :: r(3, 4)
    call start()
    r = waves(3, 4)
    a = r
    call equal(a%rows(), 3, 'rows')
    call equal(size(a), 12, 'size')
    call equal(size(a, 2), 4, 'size of a dimension')
    call same(admpi_value(a%section(2, 3, 2, 4)), r(2:3, 2:4), 'a section')
    call same(admpi_value(a%transposed()), transpose(r), 'transposed')
    call same(admpi_value(transpose(a + 1d0)), transpose(r + 1), 'a transposed result')
    b = transpose(a + 1d0)
    call same(admpi_value(b), transpose(r + 1), 'a matrix of a transposed result')
    call same(admpi_value(a%every(2)), r(1:3:2, :), 'every second row')
    x = 5d0
    call tape%input(x)
    v = a%section(1, 2, 1, 3)
    call admpi_assign(v, x)
    call equal(statements(), 0, 'statements of an assignment')
    b = a
    call a%put(1, 1, 7d0)
    call a%put(3, 4, admpi_var(x(2, 3)*2 + 0d0*x(1, 1)))
    call near(admpi_value(b%at(1, 1)), 5d0, 'a copy keeps its elements')
    call near(admpi_value(a%at(1, 1)), 7d0, 'an element')
    call near(admpi_value(a%at(12)), 10d0, 'an element by its number')
    y = sum(a*a)
    call tape%seed(y, 1d0)
    call tape%reverse()
    call near(tape%adjoint(x(1, 1)), 0d0, 'derivative of what is overwritten')
    call near(tape%adjoint(x(2, 3)), 10d0 + 2*2*10d0, 'derivative of elements')
    call admpi_assign(a%col(2), [1d0, 2d0, 3d0])
    call admpi_assign(a%row(1), 9d0)
    call admpi_assign(a%col(4), a%col(2))
    call near(admpi_value(sum(a%col(4))), 14d0, 'columns assigned')
    b = admpi_vcat(admpi_hcat(a, b), admpi_varmat(1, 8))
    call equal(b%cols(), 8, 'columns side by side')
    b = admpi_gather(a, [1, 3, 3])
    call near(admpi_value(b%at(3)), admpi_value(a%at(3, 1)), 'gather')
    call admpi_scatter(b, [2], x(1:1, 1))
    b = admpi_scatter_add(b, [2, 2], b%section(1, 2, 1, 1))
    call near(admpi_value(b%at(2)), 5d0 + 9d0 + 5d0, 'scatter_add')
    call b%reshape(1, 3)
    call equal(b%cols(), 3, 'reshape')
    call b%compact()
    x = 0d0
    x(:, 2:) = admpi_vars(a%section(1, 2, 1, 2))
    call near(admpi_value(x(1, 2)), 9d0, 'elements as scalars')
    a = 0d0
    call near(admpi_value(sum(a)), 0d0, 'filled')
  end subroutine

  ! 1 2 . / . . 3, in compressed rows.
  subroutine sparse_matrices()
    type(admpi_sparse) :: s
    type(admpi_varmat) :: value, b
    type(admpi_var) :: y
    integer :: ierr
    call start()
    call s%new(2, 3, [1, 3, 4], [1, 2, 3])
    value = [1d0, 2d0, 3d0]
    b = [5d0, 7d0, 11d0]
    call value%input(tape)
    call b%input(tape)
    call same(admpi_value(admpi_sparse_multiply(s, value, b)), reshape([19d0, 33d0], [2, 1]), 'a sparse product')
    b = admpi_sparse_multiply_transposed(s, value, admpi_sparse_multiply(s, value, b))
    y = sum(b)
    call tape%seed(y, 1d0)
    call tape%reverse()
    ! y = (v1 + v2) (5 v1 + 7 v2) + 11 v3 v3
    call same(value%adjoint(tape), reshape([19d0 + 15d0, 19d0 + 21d0, 66d0], [3, 1]), 'adjoints of a sparse product')
    b = admpi_sparse_multiply(s, b, admpi_varmat(2, 1), ierr)
    call equal(ierr, 2, 'shapes of a sparse product')
    call s%new(2, 3, [1, 3, 5], [1, 2, 3], ierr)
    call equal(ierr, 2, 'a pattern of too many elements')
    call s%new(2, 3, [1, 3], [1, 2, 3], ierr)
    call equal(ierr, 2, 'a pattern of too few rows')
    call s%free()
    b = admpi_sparse_multiply(s, value, b, ierr)
    call equal(ierr, 1, 'a pattern that is freed')
  end subroutine

  ! Variables of every kind own their matrices, and lose them with their lives.
  subroutine owners()
    type(admpi_varmat) :: a, b(3)
    type(admpi_varmat), allocatable :: c, d(:)
    integer :: live
    live = admpi_live_matrices()
    a = waves(2, 2)
    b(1) = a + a*a - a
    b(2) = b(1)
    b(3) = b(2)
    b(1) = b(1)
    b(1) = b(1) + 1d0
    call equal(admpi_live_matrices() - live, 4, 'arrays of matrices')
    b(2:3) = b(1)
    call near(admpi_value(b(3)%at(1)), admpi_value(b(1)%at(1)), 'arrays of matrices, assigned')
    allocate (c, d(2))
    c = a
    d(1) = c
    d(2) = c
    call equal(admpi_live_matrices() - live, 7, 'allocated matrices')
    deallocate (d)
    call equal(admpi_live_matrices() - live, 5, 'deallocated matrices')
    call b(2)%free()
    b(1) = b(2)
    call c%free()
    call c%free()
  end subroutine
  subroutine leave_all()
    integer :: live
    live = admpi_live_matrices()
    call owners()
    call equal(admpi_live_matrices(), live, 'left by variables')
  end subroutine

  subroutine refused(ierr, code, text, what)
    integer, intent(in) :: ierr, code
    character(*), intent(in) :: text, what
    call equal(ierr, code, what)
    if (index(admpi_last_error(), text) == 0) call fail(what//': '//admpi_last_error())
  end subroutine
  subroutine mistakes()
    type(admpi_varmat) :: a, b, never
    type(admpi_view) :: v
    type(admpi_result) :: once
    type(admpi_tape) :: other
    integer :: ierr
    a = waves(2, 3)
    b = admpi_solve(a, a, ierr)
    call refused(ierr, 2, '2 x 3', 'a system that is not square')
    b = admpi_inverse(admpi_varmat(reshape([1d0, 2d0, 2d0, 4d0], [2, 2])), ierr)
    call refused(ierr, 2, 'singular', 'a singular matrix')
    b = array_sum(a, a%transposed(), ierr)
    call refused(ierr, 2, 'operand[1] is 3 x 2, not 2 x 3', 'shapes of a sum')
    b = exp(never, ierr)
    call refused(ierr, 1, 'never been assigned', 'a matrix that was never assigned')
    call admpi_assign(a%col(1), [1d0, 2d0, 3d0], ierr)
    call refused(ierr, 2, 'the array is 3 x 1, but the matrix is 2 x 1', 'an array of another size')
    call a%seed(tape, waves(3, 2), ierr=ierr)
    call refused(ierr, 2, 'weight is 3 x 2, but the matrix is 2 x 3', 'a weight of another shape')
    v = a%col(1)
    a = waves(2, 2)
    b = exp(v, ierr)
    call refused(ierr, 6, 'assigned anew', 'a view of an old matrix')
    call a%free()
    b = exp(a, ierr)
    call refused(ierr, 1, 'freed', 'a freed matrix')
    a = waves(2, 2)
    once = a + a
    b = exp(once, ierr)
    call equal(ierr, 0, 'a result')
    b = exp(once, ierr)
    call refused(ierr, 6, 'used a second time', 'a result, again')
    b = exp(admpi_scalar(2d0), ierr)
    call equal(ierr, 1, 'a scalar for a matrix')
    b = hypot(admpi_scalar(2d0), admpi_scalar(3d0), ierr)
    call refused(ierr, 1, 'both operands are scalars', 'two scalars for a matrix')
    ! On a passive tape and another thread's.
    call a%input(tape, ierr)
    call equal(ierr, 0, 'input')
    call tape%stop()
    call a%input(tape, ierr)
    call refused(ierr, 8, '', 'an input of a tape that is stopped')
    call start()
    b = exp(a, ierr)
    call equal(ierr, 6, 'a matrix of before the reset')
    a = waves(2, 2)
    call a%input(tape)
    call other%new()
    call other%activate()
    call other%start()
    b = exp(a, ierr)
    call equal(ierr, 6, 'a matrix of another tape')
    call a%seed(other, 1d0, ierr=ierr)
    call equal(ierr, 6, 'a seed of another tape')
    call tape%activate()
    call other%free()
    b = waves(2, 2)
  end subroutine
  function array_sum(a, b, ierr) result(y)
    class(admpi_array), intent(in) :: a, b
    integer, intent(out) :: ierr
    type(admpi_result) :: y
    y = hypot(a, b, ierr)
  end function
end module

program test_matrices
  use matrix_tests
  implicit none
  call begin()
  call expressions()
  call linear_algebra()
  call parts()
  call sparse_matrices()
  call leave_all()
  call mistakes()
  call equal(admpi_live_matrices(), 0, 'matrices at the end')
  call finish()
end program
