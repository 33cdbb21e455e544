! Operations, linear systems and fixed points of a program's own, in Fortran: against the same on scalars, how often their procedures
! are called, how long their objects live, and mistakes.
module operation_tests
  use admpi
  use admpi_matrices
  use admpi_operations
  use check
  implicit none
  integer :: living = 0, reversed = 0, solved = 0

  ! An object that counts its copies.
  type :: counted
    logical :: kept = .false.
  contains
    final :: forget
  end type

  ! y = s*x**power and the sum of x.
  type, extends(admpi_operation) :: scaled_power
    integer :: power = 2
    type(counted) :: mine
  contains
    procedure :: forward => scaled_forward
    procedure :: reverse => scaled_reverse
  end type
  type, extends(admpi_operation) :: failing
    integer :: forward_status = 0, reverse_status = 0
  contains
    procedure :: forward => failing_forward
    procedure :: reverse => failing_reverse
  end type

  ! The matrix {{p1, p2}, {0, p3}} of a vector p.
  type, extends(admpi_linear_system) :: triangle
    integer :: status = 0
  contains
    procedure :: solve => triangle_solve
    procedure :: product => triangle_product
  end type

  ! x = cos(p*x)/2 + q, element by element.
  type, extends(admpi_fixed_point_map) :: cosine
    real(8) :: factor = 0.5d0
  contains
    procedure :: evaluate => cosine_of
  end type
  ! The same with a norm of its own.
  type, extends(cosine) :: in_mean
  contains
    procedure :: norm => mean_norm
  end type
contains
  subroutine forget(self)
    type(counted), intent(inout) :: self
    if (self%kept) living = living - 1
  end subroutine

  recursive subroutine scaled_forward(self, call, status)
    class(scaled_power), intent(inout) :: self
    type(admpi_operation_call), intent(in) :: call
    integer, intent(inout) :: status
    real(8), pointer :: x(:, :), s(:, :), y(:, :), total(:, :)
    if (.not. self%mine%kept) living = living + 1
    self%mine%kept = .true.
    x => call%operand(1)
    s => call%operand(2)
    y => call%result(1)
    total => call%result(2)
    y = s(1, 1)*x**self%power
    total = sum(x)
    if (associated(call%operand_adjoint(1)) .or. associated(call%result_adjoint(1))) status = 1
  end subroutine
  recursive subroutine scaled_reverse(self, call, status)
    class(scaled_power), intent(inout) :: self
    type(admpi_operation_call), intent(in) :: call
    integer, intent(inout) :: status
    real(8), pointer :: x(:, :), s(:, :), of_x(:, :), of_s(:, :), of_y(:, :), of_total(:, :)
    reversed = reversed + 1
    x => call%operand(1)
    s => call%operand(2)
    of_x => call%operand_adjoint(1)
    of_s => call%operand_adjoint(2)
    of_y => call%result_adjoint(1)
    of_total => call%result_adjoint(2)
    if (associated(of_x)) of_x = s(1, 1)*self%power*x**(self%power - 1)*of_y + of_total(1, 1)
    if (associated(of_s)) of_s = sum(x**self%power*of_y)
    if (.not. associated(of_x) .and. .not. associated(of_s)) status = 1
  end subroutine

  recursive subroutine failing_forward(self, call, status)
    class(failing), intent(inout) :: self
    type(admpi_operation_call), intent(in) :: call
    integer, intent(inout) :: status
    real(8), pointer :: x(:, :), y(:, :)
    x => call%operand(1)
    y => call%result(1)
    y = x
    status = self%forward_status
  end subroutine
  recursive subroutine failing_reverse(self, call, status)
    class(failing), intent(inout) :: self
    type(admpi_operation_call), intent(in) :: call
    integer, intent(inout) :: status
    real(8), pointer :: of_x(:, :)
    of_x => call%operand_adjoint(1)
    of_x = 0
    status = self%reverse_status
  end subroutine

  recursive subroutine triangle_solve(self, p, rhs, x, transposed, status)
    class(triangle), intent(inout) :: self
    type(admpi_view), intent(in) :: p(:)
    real(8), intent(in) :: rhs(:, :)
    real(8), intent(inout) :: x(:, :)
    logical, intent(in) :: transposed
    integer, intent(inout) :: status
    real(8) :: a(3, 1)
    a = admpi_value(p(1))
    solved = solved + 1
    status = self%status
    if (transposed) then
      x(1, :) = rhs(1, :)/a(1, 1)
      x(2, :) = (rhs(2, :) - a(2, 1)*x(1, :))/a(3, 1)
    else
      x(2, :) = rhs(2, :)/a(3, 1)
      x(1, :) = (rhs(1, :) - a(2, 1)*x(2, :))/a(1, 1)
    end if
  end subroutine
  recursive subroutine triangle_product(self, p, x, y, status)
    class(triangle), intent(inout) :: self
    type(admpi_view), intent(in) :: p(:), x
    type(admpi_varmat), intent(inout) :: y
    integer, intent(inout) :: status
    status = self%status
    y = admpi_vcat(p(1)%at(1)*x%row(1) + p(1)%at(2)*x%row(2), p(1)%at(3)*x%row(2))
  end subroutine

  recursive subroutine cosine_of(self, p, x, y, status)
    class(cosine), intent(inout) :: self
    type(admpi_view), intent(in) :: p(:), x
    type(admpi_varmat), intent(inout) :: y
    integer, intent(inout) :: status
    y = self%factor*cos(p(1)*x) + p(2)%at(1, 1)
    if (size(p) /= 2) status = 1
  end subroutine
  recursive function mean_norm(self, x) result(y)
    class(in_mean), intent(inout) :: self
    real(8), intent(in) :: x(:)
    real(8) :: y
    y = sqrt(sum(x*x)/size(x))
    if (self%factor < 0) y = 0
  end function

  subroutine start()
    call tape%reset()
    call tape%start()
  end subroutine

  subroutine operations()
    type(scaled_power) :: operation
    type(admpi_varmat) :: a, y(2)
    type(admpi_var) :: s, z, b(3, 2), w(3, 2)
    real(8) :: values(3, 2), g(3, 2), of_s
    integer :: live
    values = reshape([0.5d0, 1.5d0, -1d0, 2d0, 0.25d0, 3d0], [3, 2])
    live = admpi_live_matrices()
    call start()
    a = values
    call a%input(tape)
    s = 0.75d0
    call tape%input(s)
    operation%power = 3
    ! A result as an operand, and the parameters of the object are those of the call.
    call admpi_apply_operation_to(operation, [admpi_operand(exp(a)), admpi_operand(s)], reshape([3, 2, 1, 1], [2, 2]), y)
    operation%power = 1
    call equal(admpi_live_matrices() - live, 3, 'matrices owned')
    call equal(living, 1, 'the copy on the tape')
    z = sum(y(1)*y(1)) + 2*y(2)%at(1)
    call tape%seed(z, 1d0)
    call tape%reverse()
    g = a%adjoint(tape)
    of_s = tape%adjoint(s)
    call equal(reversed, 1, 'calls of reverse')
    call tape%set_width(4)
    call tape%seed(z, 1d0, direction=4)
    call tape%reverse()
    call near(maxval(abs(a%adjoint(tape, 4) - g)), 0d0, 'direction 4 of an operation')
    call equal(reversed, 5, 'calls of reverse with 4 directions')
    call tape%set_width(1)
    call start()
    call equal(living, 0, 'copies after a reset')
    b = values
    s = 0.75d0
    call tape%input(b)
    call tape%input(s)
    w = exp(b)
    w = s*w**3
    z = sum(w*w) + 2*sum(exp(b))
    call tape%seed(z, 1d0)
    call tape%reverse()
    call near(maxval(abs(g - tape%adjoint(b)))/maxval(abs(g)), 0d0, 'an operation by its operand', 1d-13)
    call near(of_s, tape%adjoint(s), 'an operation by a scalar', 1d-12)
  end subroutine

  subroutine passive_operands()
    type(scaled_power) :: operation
    type(admpi_varmat) :: a, y(2)
    integer :: before
    call start()
    a = [1d0, 2d0]
    before = reversed
    call admpi_apply_operation_to(operation, [admpi_operand(a), admpi_operand(2d0)], reshape([2, 1, 1, 1], [2, 2]), y)
    call near(sum(admpi_value(y(1))), 10d0, 'values of a passive operation')
    call tape%reverse()
    call equal(reversed, before, 'a passive operation is not reversed')
    call equal(living, 0, 'nothing is kept of it')
  end subroutine

  subroutine mistakes()
    type(failing) :: operation
    type(admpi_varmat) :: a, y, many(1)
    type(admpi_varmat) :: never
    integer :: ierr, live
    call start()
    a = [1d0, 2d0]
    call a%input(tape)
    live = admpi_live_matrices()
    operation%forward_status = 3
    y = admpi_apply_operation(operation, [admpi_operand(a + 1d0)], 2, 1, ierr)
    call refused(ierr, 'returned 3', 'a forward procedure that fails')
    call equal(admpi_live_matrices(), live, 'matrices after a failure')
    y = admpi_apply_operation(operation, [admpi_operand(never)], 2, 1, ierr)
    call refused(ierr, 'never been assigned', 'an operand without elements')
    call admpi_apply_operation_to(operation, [admpi_operand(a)], reshape([2, 1, 1, 1], [2, 2]), many, ierr)
    call refused(ierr, 'a column for each result', 'shapes that are too many')
    operation%forward_status = 0
    operation%reverse_status = 4
    y = admpi_apply_operation(operation, [admpi_operand(a)], 2, 1)
    call y%seed(tape, 1d0)
    call tape%reverse(ierr=ierr)
    call refused(ierr, 'returned 4', 'a reverse procedure that fails')
  end subroutine
  subroutine refused(ierr, text, what)
    integer, intent(in) :: ierr
    character(*), intent(in) :: text, what
    if (ierr == 0) call fail(what//' passes')
    if (index(admpi_last_error(), text) == 0) call fail(what//': '//admpi_last_error())
  end subroutine

  subroutine systems()
    type(triangle) :: system
    type(admpi_varmat) :: p, b, x
    type(admpi_var) :: z, q(3), c(2), u, v
    real(8) :: of_p(3, 1), of_b(2, 1)
    integer :: ierr
    call start()
    p = [2d0, 0.5d0, 1.5d0]
    b = [1d0, 3d0]
    call p%input(tape)
    call b%input(tape)
    x = admpi_linear_solve(system, b*b, [admpi_operand(p)])
    call equal(solved, 1, 'solves of a call')
    z = sum(x*x)
    call tape%seed(z, 1d0)
    call tape%reverse()
    call equal(solved, 2, 'solves with a sweep')
    of_p = p%adjoint(tape)
    of_b = b%adjoint(tape)
    call start()
    q = [2d0, 0.5d0, 1.5d0]
    c = [1d0, 3d0]
    call tape%input(q)
    call tape%input(c)
    v = c(2)*c(2)/q(3)
    u = (c(1)*c(1) - q(2)*v)/q(1)
    z = u*u + v*v
    call tape%seed(z, 1d0)
    call tape%reverse()
    call near(maxval(abs(of_p(:, 1) - tape%adjoint(q))), 0d0, 'a linear system by its parameters', 1d-12)
    call near(maxval(abs(of_b(:, 1) - tape%adjoint(c))), 0d0, 'a linear system by its right side', 1d-12)
    system%status = 1
    x = admpi_linear_solve(system, b, [admpi_operand(p)], ierr)
    if (ierr == 0) call fail('a solver that fails passes')
  end subroutine

  subroutine fixed_points()
    type(cosine) :: map
    type(in_mean) :: other
    call fixed_point_of(map, 'a fixed point')
    call fixed_point_of(other, 'a fixed point with a norm')
  end subroutine
  subroutine fixed_point_of(map, what)
    class(cosine), intent(inout) :: map
    character(*), intent(in) :: what
    real(8), parameter :: h = 1d-6
    real(8) :: at(3), of_p(2, 1), of_q, up, down
    type(admpi_varmat) :: p, x
    type(admpi_var) :: q, z
    integer :: i, ierr
    at = [0.4d0, 0.7d0, 0.2d0]
    call start()
    p = at(:2)
    q = at(3)
    call p%input(tape)
    call tape%input(q)
    x = admpi_fixed_point(map, admpi_varmat(2, 1), [admpi_operand(p), admpi_operand(q)])
    z = sum(x*x)
    call near(admpi_value(z), solution(at), what//': value', 1d-11)
    call tape%seed(z, 1d0)
    call tape%reverse()
    of_p = p%adjoint(tape)
    of_q = tape%adjoint(q)
    do i = 1, 3
      at(i) = at(i) + h
      up = solution(at)
      at(i) = at(i) - 2*h
      down = solution(at)
      at(i) = at(i) + h
      if (i < 3) call near(of_p(i, 1), (up - down)/(2*h), what//' by its parameters', 1d-8)
      if (i == 3) call near(of_q, (up - down)/(2*h), what//' by a scalar', 1d-8)
    end do
    map%max_iterations = 2
    x = admpi_fixed_point(map, admpi_varmat(2, 1), [admpi_operand(p), admpi_operand(q)], ierr)
    call refused(ierr, 'iteration', what//' that does not converge')
    map%max_iterations = 1000
  end subroutine
  real(8) function solution(at)
    real(8), intent(in) :: at(3)
    real(8) :: x(2)
    integer :: i
    x = 0
    do i = 1, 200
      x = 0.5d0*cos(at(:2)*x) + at(3)
    end do
    solution = sum(x*x)
  end function
end module

program test
  use operation_tests
  implicit none
  call begin()
  call operations()
  call passive_operands()
  call mistakes()
  call systems()
  call fixed_points()
  call tape%reset()
  call equal(admpi_live_matrices(), 0, 'matrices at the end')
  call finish()
end program
