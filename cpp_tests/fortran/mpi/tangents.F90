! Forward mode and a Hessian times a direction over ranks: J v against the gradient, H v against differences of gradients. Then the
! calls one by one, and what is refused.
#include "binding.h"
module tangents
  use admpi
  use admpi_tangents
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  integer, parameter :: cells = 4, steps = 3
  integer :: rank, ranks, left, right, code
  external :: times
  type(admpi_tape) :: tape
contains
  ! A reaction on a ring: the sum of squares at the end, of all ranks.
  subroutine of_active(start, y)
    type(admpi_var), intent(in) :: start(cells)
    type(admpi_var), intent(out) :: y
    type(admpi_var) :: u(0:cells + 1), mine
    integer :: i
    u(1:cells) = start
    do i = 1, steps
      call AMPI_Sendrecv(u(cells), 1, AMPI_ADOUBLE, right, 1, u(0), 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, &
        AMPI_STATUS_IGNORE, code)
      call AMPI_Sendrecv(u(1), 1, AMPI_ADOUBLE, left, 2, u(cells + 1), 1, AMPI_ADOUBLE, right, 2, AMPI_COMM_WORLD, &
        AMPI_STATUS_IGNORE, code)
      u(1:cells) = admpi_var(u(1:cells) + 0.1d0*u(1:cells)*(u(0:cells - 1) - 2*u(1:cells) + u(2:cells + 1)))
    end do
    mine = sum(u(1:cells)*u(1:cells))
    call AMPI_Allreduce(mine, y, 1, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    y = log(y)
  end subroutine

  subroutine of_tangents(start, y)
    type(admpi_tangent), intent(in) :: start(cells)
    type(admpi_tangent), intent(out) :: y
    type(admpi_tangent) :: u(0:cells + 1), mine
    integer :: i
    u(1:cells) = start
    do i = 1, steps
      call AMPI_Sendrecv(u(cells), 1, AMPI_TANGENT, right, 1, u(0), 1, AMPI_TANGENT, left, 1, AMPI_COMM_WORLD, &
        AMPI_STATUS_IGNORE, code)
      call AMPI_Sendrecv(u(1), 1, AMPI_TANGENT, left, 2, u(cells + 1), 1, AMPI_TANGENT, right, 2, AMPI_COMM_WORLD, &
        AMPI_STATUS_IGNORE, code)
      u(1:cells) = u(1:cells) + 0.1d0*u(1:cells)*(u(0:cells - 1) - 2*u(1:cells) + u(2:cells + 1))
    end do
    mine = sum(u(1:cells)*u(1:cells))
    call AMPI_Allreduce(mine, y, 1, AMPI_TANGENT, AMPI_SUM, AMPI_COMM_WORLD, code)
    y = log(y)
  end subroutine

  subroutine of_active_tangents(start, y)
    type(admpi_tangent_var), intent(in) :: start(cells)
    type(admpi_tangent_var), intent(out) :: y
    type(admpi_tangent_var) :: u(0:cells + 1), mine
    integer :: i
    u(1:cells) = start
    do i = 1, steps
      call AMPI_Sendrecv(u(cells), 1, AMPI_TANGENT_VAR, right, 1, u(0), 1, AMPI_TANGENT_VAR, left, 1, AMPI_COMM_WORLD, &
        AMPI_STATUS_IGNORE, code)
      call AMPI_Sendrecv(u(1), 1, AMPI_TANGENT_VAR, left, 2, u(cells + 1), 1, AMPI_TANGENT_VAR, right, 2, AMPI_COMM_WORLD, &
        AMPI_STATUS_IGNORE, code)
      u(1:cells) = u(1:cells) + 0.1d0*u(1:cells)*(u(0:cells - 1) - 2*u(1:cells) + u(2:cells + 1))
    end do
    mine = sum(u(1:cells)*u(1:cells))
    call AMPI_Allreduce(mine, y, 1, AMPI_TANGENT_VAR, AMPI_SUM, AMPI_COMM_WORLD, code)
    y = log(y)
  end subroutine

  ! The result is on all ranks: rank 0 seeds it.
  function gradient(at) result(g)
    real(8), intent(in) :: at(cells)
    real(8) :: g(cells)
    type(admpi_var) :: x(cells), y
    call tape%reset()
    call tape%start()
    x = at
    call tape%input(x)
    call of_active(x, y)
    if (rank == 0) call tape%seed(y, 1d0)
    call tape%reverse()
    g = tape%adjoint(x)
  end function

  subroutine check(what, got, expected, tolerance)
    character(*), intent(in) :: what
    real(8), intent(in) :: got(:), expected(:), tolerance
    if (all(abs(got - expected) <= tolerance)) return
    print *, 'rank', rank, what, ': got', got, 'not', expected
    error stop 1
  end subroutine

  ! Of the rank: 1.5 + rank, in the direction 2 - rank.
  real(8) function value_of(rank)
    integer, intent(in) :: rank
    value_of = 1.5d0 + rank
  end function

  real(8) function direction_of(rank)
    integer, intent(in) :: rank
    direction_of = 2d0 - rank
  end function

  ! A value and its derivative.
  subroutine check_pair(what, got, value, derivative)
    character(*), intent(in) :: what
    type(admpi_tangent), intent(in) :: got
    real(8), intent(in) :: value, derivative
    call check(what, [got%value, got%derivative], [value, derivative], 1d-13*max(1d0, abs(value), abs(derivative)))
  end subroutine

  ! The product of the values of ranks first to last, and its derivative.
  type(admpi_tangent) function product_of(first, last)
    integer, intent(in) :: first, last
    integer :: i
    product_of = admpi_tangent(1d0)
    do i = first, last
      product_of = product_of*admpi_tangent(value_of(i), direction_of(i))
    end do
  end function

  subroutine plain_calls()
    type(admpi_tangent) :: x, y, z(2), all(ranks), want
    HANDLE(AMPI_Request) :: requests(2)
    HANDLE(AMPI_Op) :: op
    HANDLE(AMPI_Datatype) :: two
    integer :: i, last
    last = ranks - 1
    x = admpi_tangent(value_of(rank), direction_of(rank))
    call AMPI_Irecv(y, 1, AMPI_TANGENT, left, 1, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(x, 1, AMPI_TANGENT, right, 1, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check_pair('Isend', y, value_of(left), direction_of(left))
    y = x
    call AMPI_Bcast(y, 1, AMPI_TANGENT, last, AMPI_COMM_WORLD, code)
    call check_pair('Bcast', y, value_of(last), direction_of(last))
    call AMPI_Gather(x, 1, AMPI_TANGENT, all, 1, AMPI_TANGENT, 0, AMPI_COMM_WORLD, code)
    call AMPI_Bcast(all, ranks, AMPI_TANGENT, 0, AMPI_COMM_WORLD, code)
    call check_pair('Gather', all(ranks), value_of(last), direction_of(last))
    call AMPI_Type_contiguous(2, AMPI_TANGENT, two, code)
    call AMPI_Type_commit(two, code)
    z = [x, 2*x]
    call AMPI_Sendrecv_replace(z, 1, two, right, 2, left, 2, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call check_pair('a derived type', z(2), 2*value_of(left), 2*direction_of(left))
    call AMPI_Type_free(two, code)

    want = admpi_tangent(sum([(value_of(i), i=0, last)]), sum([(direction_of(i), i=0, last)]))
    call AMPI_Allreduce(x, y, 1, AMPI_TANGENT, AMPI_SUM, AMPI_COMM_WORLD, code)
    call check_pair('sum', y, want%value, want%derivative)
    want = product_of(0, last)
    call AMPI_Allreduce(x, y, 1, AMPI_TANGENT, AMPI_PROD, AMPI_COMM_WORLD, code)
    call check_pair('product', y, want%value, want%derivative)
    y = x
    call AMPI_Allreduce(AMPI_IN_PLACE, y, 1, AMPI_TANGENT, AMPI_PROD, AMPI_COMM_WORLD, code)
    call check_pair('product in place', y, want%value, want%derivative)
    call AMPI_Iallreduce(x, y, 1, AMPI_TANGENT, AMPI_PROD, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Wait(requests(1), AMPI_STATUS_IGNORE, code)
    call check_pair('Iallreduce', y, want%value, want%derivative)
    y = x
    call AMPI_Reduce(x, y, 1, AMPI_TANGENT, AMPI_PROD, 0, AMPI_COMM_WORLD, code)
    if (rank == 0) call check_pair('Reduce', y, want%value, want%derivative)
    all = x
    call AMPI_Reduce_scatter_block(all, y, 1, AMPI_TANGENT, AMPI_PROD, AMPI_COMM_WORLD, code)
    call check_pair('Reduce_scatter_block', y, want%value, want%derivative)
    want = product_of(0, rank)
    call AMPI_Scan(x, y, 1, AMPI_TANGENT, AMPI_PROD, AMPI_COMM_WORLD, code)
    call check_pair('Scan', y, want%value, want%derivative)
    call AMPI_Allreduce(x, y, 1, AMPI_TANGENT, AMPI_MIN, AMPI_COMM_WORLD, code)
    call check_pair('min', y, value_of(0), direction_of(0))
    call AMPI_Allreduce(x, y, 1, AMPI_TANGENT, AMPI_MAX, AMPI_COMM_WORLD, code)
    call check_pair('max', y, value_of(last), direction_of(last))
    ! Among equal values that of the lowest rank, as for active ones.
    call AMPI_Allreduce(admpi_tangent(1d0, direction_of(rank)), y, 1, AMPI_TANGENT, AMPI_MAX, AMPI_COMM_WORLD, code)
    call check_pair('max of equals', y, 1d0, direction_of(0))
    y = admpi_tangent(3d0, 5d0)
    call AMPI_Reduce_local(x, y, 1, AMPI_TANGENT, AMPI_PROD, code)
    want = x*admpi_tangent(3d0, 5d0)
    call check_pair('Reduce_local', y, want%value, want%derivative)
    call AMPI_Op_create(times, .false., op, code)
    call AMPI_Allreduce(x, y, 1, AMPI_TANGENT, op, AMPI_COMM_WORLD, code)
    want = product_of(0, last)
    call check_pair('an operation', y, want%value, want%derivative)
    call AMPI_Op_free(op, code)
  end subroutine

  ! Two inputs on each rank: the value, and nothing in a direction of one on rank 0.
  subroutine active_calls()
    type(admpi_tangent_var) :: x, y, z, all(ranks)
    type(admpi_tangent) :: want
    type(admpi_var) :: v
    HANDLE(AMPI_Request) :: requests(2)
    real(8) :: expected
    integer :: i, j, last
    last = ranks - 1
    call again()
    call AMPI_Irecv(y, 1, AMPI_TANGENT_VAR, left, 1, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(x, 1, AMPI_TANGENT_VAR, right, 1, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check('Isend, active', [admpi_value(y%value), admpi_value(y%derivative)], [value_of(left), direction_of(left)], 0d0)
    y = y*y
    call swept_by(y%derivative, 1d0)
    call check('Isend, second derivative', [tape%adjoint(v)], [2*direction_of(rank)], 1d-13)

    call again()
    call AMPI_Allgather(x, 1, AMPI_TANGENT_VAR, all, 1, AMPI_TANGENT_VAR, AMPI_COMM_WORLD, code)
    z = product(all)
    call AMPI_Allreduce(x, y, 1, AMPI_TANGENT_VAR, AMPI_PROD, AMPI_COMM_WORLD, code)
    want = product_of(0, last)
    call check('product, active', [admpi_value(y%value), admpi_value(y%derivative)], [want%value, want%derivative], 1d-12)
    call check('Allgather, active', [admpi_value(z%value), admpi_value(z%derivative)], [want%value, want%derivative], 1d-12)
    ! The derivative of that by the value of this rank, on all ranks: of the product of the others.
    expected = 0
    do i = 0, last
      if (i == rank) cycle
      expected = expected + direction_of(i)*product([(merge(1d0, value_of(j), j == i .or. j == rank), j=0, last)])
    end do
    call swept_by(y%derivative, merge(1d0, 0d0, rank == 0))
    call check('product, second derivative', [tape%adjoint(v)], [expected], 1d-12)

    call again()
    y = x*x
    call AMPI_Allreduce(AMPI_IN_PLACE, y, 1, AMPI_TANGENT_VAR, AMPI_SUM, AMPI_COMM_WORLD, code)
    call swept_by(y%derivative, merge(1d0, 0d0, rank == 0))
    call check('sum, second derivative', [tape%adjoint(v)], [2*direction_of(rank)], 1d-13)
    call again()
    y = x*x
    call AMPI_Allreduce(y, z, 1, AMPI_TANGENT_VAR, AMPI_MAX, AMPI_COMM_WORLD, code)
    call swept_by(z%derivative, merge(1d0, 0d0, rank == 0))
    call check('max, second derivative', [tape%adjoint(v)], [merge(2*direction_of(rank), 0d0, rank == last)], 1d-13)
  contains
    subroutine again()
      call tape%reset()
      call tape%start()
      v = value_of(rank)
      call tape%input(v)
      x = admpi_tangent_var(v, direction_of(rank))
    end subroutine
    subroutine swept_by(y, weight)
      type(admpi_var), intent(in) :: y
      real(8), intent(in) :: weight
      call tape%seed(y, weight)
      call tape%reverse()
    end subroutine
  end subroutine

  subroutine expect(what, message)
    character(*), intent(in) :: what, message
    character(AMPI_MAX_ERROR_STRING) :: text
    integer :: length, other
    if (code == AMPI_SUCCESS) then
      print *, what, ' is accepted'
      error stop 1
    end if
    call AMPI_Error_string(code, text, length, other)
    if (index(text, message) > 0) return
    print *, what, ': "', trim(text), '" has no "', message, '"'
    error stop 1
  end subroutine

  ! What would be wrong: an operation on parts, and another type's datatype.
  subroutine refused()
    type(admpi_tangent) :: x(2), y(2)
    type(admpi_tangent_var) :: t(2)
    HANDLE(AMPI_Datatype) :: two
    x = admpi_tangent(1d0, [1d0, 0.1d0])
    t = admpi_tangent_var(1d0, 2d0)
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_RETURN, code)
    call AMPI_Comm_set_errhandler(AMPI_COMM_SELF, AMPI_ERRORS_RETURN, code)
    call AMPI_Type_contiguous(2, AMPI_TANGENT, two, code)
    call AMPI_Type_commit(two, code)
    call AMPI_Allreduce(x, y, 1, two, AMPI_PROD, AMPI_COMM_SELF, code)
    call expect('a product of parts', 'op would reduce values and derivatives separately')
    call AMPI_Type_free(two, code)
    call AMPI_Allreduce(x, y, 1, AMPI_TANGENT, AMPI_MAXLOC, AMPI_COMM_SELF, code)
    call expect('MAXLOC', 'op: MPI_MINLOC and MPI_MAXLOC')
#ifdef ADMPI_TEST_DESCRIPTORS
    call AMPI_Send(x, 1, AMPI_ADOUBLE, rank, 1, AMPI_COMM_SELF, code)
    call expect('a tangent whose derivative is no id', 'element 1 is no admpi_var')
    call AMPI_Send(x(2:), 1, AMPI_ADOUBLE, rank, 1, AMPI_COMM_SELF, code)
    call expect('a tangent whose derivative looks like an id', 'element 1 is no admpi_var')
    call AMPI_Bcast(x, 2, AMPI_ADOUBLE, 0, AMPI_COMM_SELF, code)
    call expect('Bcast of tangents', 'AMPI_Bcast: buffer: the datatype is AMPI_ADOUBLE and element 1')
    call AMPI_Send(x(2:1:-1), 2, AMPI_ADOUBLE, rank, 1, AMPI_COMM_SELF, code)
    call expect('a section of tangents', 'element 1 is no admpi_var')
    call AMPI_Send(x, 2, AMPI_DOUBLE_PRECISION, rank, 1, AMPI_COMM_SELF, code)
    call expect('tangents as reals', 'AMPI_TANGENT')
    call AMPI_Send(t, 2, AMPI_DOUBLE_PRECISION, rank, 1, AMPI_COMM_SELF, code)
    call expect('active tangents as reals', 'AMPI_TANGENT_VAR')
    call AMPI_Send(t, 2, AMPI_ADOUBLE, rank, 1, AMPI_COMM_SELF, code)
    call expect('active tangents as active values', 'an admpi_tangent_var: AMPI_TANGENT_VAR')
    call AMPI_Send(t, 2, AMPI_TANGENT, rank, 1, AMPI_COMM_SELF, code)
    call expect('active tangents as passive ones', 'the elements are no admpi_tangent')
    call AMPI_Recv(x, 2, AMPI_TANGENT_VAR, rank, 1, AMPI_COMM_SELF, AMPI_STATUS_IGNORE, code)
    call expect('passive tangents as active ones', 'the elements are no admpi_tangent_var')
    call AMPI_Send(x%value, 2, AMPI_TANGENT, rank, 1, AMPI_COMM_SELF, code)
    call expect('reals as tangents', 'the elements are no admpi_tangent')
#endif
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_ARE_FATAL, code)
    call AMPI_Comm_set_errhandler(AMPI_COMM_SELF, AMPI_ERRORS_ARE_FATAL, code)
  end subroutine
end module

subroutine times(in, inout, n, datatype)
  use admpi_tangents
  implicit none
  integer :: n, datatype
  type(admpi_tangent) :: in(n), inout(n)
  if (datatype == 0) error stop 'no datatype'
  inout = in*inout
end subroutine

program test_tangents
  use tangents
  implicit none
  real(8), parameter :: h = 1d-5
  real(8) :: at(cells), direction(cells), mine, all, up(cells), down(cells)
  type(admpi_tangent) :: t
  type(admpi_var) :: x(cells)
  type(admpi_tangent_var) :: y
  integer :: i
  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call tape%new()
  call tape%activate()
  at = [(1 + 0.3d0*sin(dble(i + cells*rank)), i=1, cells)]
  direction = [(cos(dble(2*i - cells*rank)), i=1, cells)]

  call of_tangents(admpi_tangent(at, direction), t)
  mine = dot_product(gradient(at), direction)
  call AMPI_Allreduce(mine, all, 1, AMPI_DOUBLE_PRECISION, AMPI_SUM, AMPI_COMM_WORLD, code)
  call check('forward mode', [t%derivative], [all], 1d-13)

  up = gradient(at + h*direction)
  down = gradient(at - h*direction)
  call tape%reset()
  call tape%start()
  x = at
  call tape%input(x)
  call of_active_tangents(admpi_tangent_var(x, direction), y)
  call check('the derivative on the tape', [admpi_value(y%derivative)], [all], 1d-13)
  if (rank == 0) call tape%seed(y%derivative, 1d0)
  call tape%reverse()
  call check('the Hessian times the direction', tape%adjoint(x), (up - down)/(2*h), 1d-8)
  call plain_calls()
  call active_calls()
  call refused()
  call tape%free()
  call AMPI_Finalize(code)
end program
