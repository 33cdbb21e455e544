! The heat equation on a ring of ranks: its gradient against differences.
#include "binding.h"
module heat
  use admpi
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  integer, parameter :: cells = 5, steps = 6
  integer :: rank, ranks, left, right, code

contains

  subroutine exchange(u, step)
    type(admpi_var), intent(inout) :: u(0:cells + 1)
    integer, intent(in) :: step
    HANDLE(AMPI_Request) :: requests(4)
    HANDLE(AMPI_Request) :: one
    STATUS :: status
    select case (mod(step, 3))
    case (0)
      call AMPI_Irecv(u(0), 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, requests(1), code)
      call AMPI_Irecv(u(cells + 1), 1, AMPI_ADOUBLE, right, 2, AMPI_COMM_WORLD, requests(2), code)
      call AMPI_Isend(u(cells), 1, AMPI_ADOUBLE, right, 1, AMPI_COMM_WORLD, requests(3), code)
      call AMPI_Isend(u(1), 1, AMPI_ADOUBLE, left, 2, AMPI_COMM_WORLD, requests(4), code)
      call AMPI_Waitall(4, requests, AMPI_STATUSES_IGNORE, code)
      if (any_left(requests)) error stop 'a request is left'
    case (1)
      call AMPI_Sendrecv(u(cells), 1, AMPI_ADOUBLE, right, 1, u(0), 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, status, code)
      if (STATUS_SOURCE(status) /= left .or. STATUS_TAG(status) /= 1) error stop 'status'
      call AMPI_Sendrecv(u(1), 1, AMPI_ADOUBLE, left, 2, u(cells + 1), 1, AMPI_ADOUBLE, right, 2, &
        AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    case default
      call AMPI_Irecv(u(0), 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, one, code)
      call AMPI_Send(u(cells), 1, AMPI_ADOUBLE, right, 1, AMPI_COMM_WORLD, code)
      call AMPI_Wait(one, status, code)
      if (one /= AMPI_REQUEST_NULL) error stop 'the request is left'
      call AMPI_Isend(u(1), 1, AMPI_ADOUBLE, left, 2, AMPI_COMM_WORLD, one, code)
      call AMPI_Recv(u(cells + 1), 1, AMPI_ADOUBLE, right, 2, AMPI_COMM_WORLD, status, code)
      call AMPI_Wait(one, AMPI_STATUS_IGNORE, code)
    end select
  end subroutine

  logical function any_left(requests)
    HANDLE(AMPI_Request), intent(in) :: requests(:)
    integer :: i
    any_left = .false.
    do i = 1, size(requests)
      if (requests(i) /= AMPI_REQUEST_NULL) any_left = .true.
    end do
  end function

  ! The mean square at the end, on rank 0, and the sum of the cells, on all.
  subroutine solve(start, diffusivity, square, total)
    type(admpi_var), intent(in) :: start(cells), diffusivity
    type(admpi_var), intent(out) :: square, total
    type(admpi_var) :: u(0:cells + 1), next(cells), k, mine(2), both(2)
    integer :: step, i
    u(1:cells) = start
    k = diffusivity
    call AMPI_Bcast(k, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
    do step = 1, steps
      call exchange(u, step)
      do i = 1, cells
        next(i) = u(i) + k*u(i)*(u(i - 1) - 2d0*u(i) + u(i + 1))
      end do
      u(1:cells) = next
    end do
    mine(1) = u(1)*u(1)
    mine(2) = u(1)
    do i = 2, cells
      mine(1) = mine(1) + u(i)*u(i)
      mine(2) = mine(2) + u(i)*i
    end do
    call AMPI_Reduce(mine(1), square, 1, AMPI_ADOUBLE, AMPI_SUM, 0, AMPI_COMM_WORLD, code)
    both = mine
    call AMPI_Allreduce(AMPI_IN_PLACE, both, 2, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    total = both(2)*both(2)
  end subroutine

  ! The objective with one number of one rank moved: passive.
  real(8) function moved(where, rank_of_it, by)
    integer, intent(in) :: where, rank_of_it
    real(8), intent(in) :: by
    type(admpi_var) :: start(cells), k, square, total
    real(8) :: parts(1), whole(1)
    call initial(start, k)
    if (rank == rank_of_it) then
      if (where == 0) then
        k%value = k%value + by
      else
        start(where)%value = start(where)%value + by
      end if
    end if
    call solve(start, k, square, total)
    parts(1) = 0
    if (rank == 0) parts(1) = admpi_value(square)
    parts(1) = parts(1) + admpi_value(total)*(rank + 1)
    call AMPI_Allreduce(parts, whole, 1, AMPI_DOUBLE_PRECISION, AMPI_SUM, AMPI_COMM_WORLD, code)
    moved = whole(1)
  end function

  subroutine initial(start, k)
    type(admpi_var), intent(out) :: start(cells), k
    integer :: i
    do i = 1, cells
      start(i) = 1d0 + 0.3d0*sin(dble(i + cells*rank))
    end do
    k = 0.1d0
  end subroutine
end module

program test_heat
  use heat
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: start(cells), k, square, total
  real(8) :: gradient(0:cells), difference, worst
  integer :: i, r
  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  call tape%new()
  call tape%activate()
  call tape%start()
  call initial(start, k)
  call tape%input(start)
  call tape%input(k)
  call solve(start, k, square, total)
  if (rank == 0) call tape%seed(square, 1d0)
  call tape%seed(total, dble(rank + 1))
  call tape%stop()
  call tape%reverse()
  gradient(1:) = tape%adjoint(start)
  gradient(0) = tape%adjoint(k)
  worst = 0
  do r = 0, ranks - 1
    do i = merge(0, 1, r == 0), cells
      difference = (moved(i, r, 1d-5) - moved(i, r, -1d-5))/2d-5
      if (rank == r) worst = max(worst, abs(difference - gradient(i))/max(1d0, abs(difference)))
    end do
  end do
  if (rank /= 0 .and. gradient(0) /= 0) error stop 'only the root has the adjoint of what is broadcast'
  if (worst > 1d-7) then
    print *, 'rank', rank, 'relative error of the gradient', worst
    error stop 'gradient'
  end if
  call tape%free()
  call AMPI_Finalize(code)
end program
