! A time loop over ranks: halos by persistent requests and an Allreduce in each step. Each schedule gives the bits of one tape.
#include "binding.h"
module ring
  use support
  use admpi_time_loops
  implicit none
  integer, parameter :: cells = 4, steps = 21
  type(admpi_var), target :: u(0:cells + 1), k, total
  HANDLE(AMPI_Request) :: halo(4)
  integer :: left, right
contains
  recursive subroutine advance(step, status)
    integer, intent(in) :: step
    integer, intent(inout) :: status
    type(admpi_var) :: mine, mean
    call AMPI_Startall(4, halo, code)
    call AMPI_Waitall(4, halo, AMPI_STATUSES_IGNORE, code)
    mine = sum(u(1:cells))
    call AMPI_Allreduce(mine, mean, 1, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    mean = mean/dble(cells*ranks)
    u(1:cells) = u(1:cells) + k*(u(0:cells - 1) - 2d0*u(1:cells) + u(2:cells + 1)) - 1d-2*dble(step)*mean*u(1:cells)
    total = total + mean*mean
    status = 0
  end subroutine

  subroutine gradient_of(loop, g)
    type(admpi_time_loop), intent(in) :: loop
    real(8), intent(out) :: g(cells + 1)
    type(admpi_var) :: u0(cells), k0
    call tape%reset()
    call inputs(u0) ! which starts recording
    u = 0d0
    u(1:cells) = 0.1d0*u0
    k = 0.15d0
    call tape%input(k)
    k0 = k
    total = 0d0
    call loop%run(steps, advance)
    call admpi_tape_seed_replicated(tape, AMPI_COMM_WORLD, total, 1d0, 1, code)
    call tape%seed(u(1), dble(rank + 1))
    call tape%stop()
    call tape%reverse()
    g = [tape%adjoint(u0), tape%adjoint(k0)]
  end subroutine
end module

program test_time_loop_ranks
  use ring
  implicit none
  type(admpi_time_loop) :: loop
  real(8) :: whole(cells + 1), g(cells + 1)
  integer :: i, kind, snapshots, block, agreed(3), most(3)
  call begin()
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  call AMPI_Recv_init(u(0), 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, halo(1), code)
  call AMPI_Recv_init(u(cells + 1), 1, AMPI_ADOUBLE, right, 2, AMPI_COMM_WORLD, halo(2), code)
  call AMPI_Send_init(u(cells), 1, AMPI_ADOUBLE, right, 1, AMPI_COMM_WORLD, halo(3), code)
  call AMPI_Send_init(u(1), 1, AMPI_ADOUBLE, left, 2, AMPI_COMM_WORLD, halo(4), code)
  call loop%new(tape)
  call loop%state(u)
  call loop%state(total)
  call loop%parameters(k)
  call admpi_time_loop_set_comm(AMPI_COMM_WORLD, loop, code)
  call check_integer('set_comm', code, 0)
  call loop%all()
  call gradient_of(loop, whole)
  if (.not. all(abs(whole) > 1d-6)) error stop 'no gradient'
  call loop%binomial(3)
  call same('binomial')
  call loop%blocks(4)
  call same('blocks')
  call loop%mixed(4)
  call same('mixed')
  ! The smallest budget decides, on all ranks.
  call loop%automatic()
  call loop%budget(2000_8*int(rank + 1, 8))
  call same('automatic')
  call loop%chosen(kind, snapshots, block)
  agreed = [kind, snapshots, block]
  call AMPI_Allreduce(agreed, most, 3, AMPI_INTEGER, AMPI_MAX, AMPI_COMM_WORLD, code)
  do i = 1, 3
    call check_integer('agreed', agreed(i), most(i))
  end do
  if (kind == ADMPI_LOOP_ALL) error stop 'the budget is not kept'

  ! Ranks that differ.
  if (ranks > 1) then
    call loop%blocks(4 + rank)
    call tape%reset()
    call tape%start()
    u = 1d0
    call loop%run(steps, advance, code)
    if (code == 0 .or. index(admpi_last_error(), 'rank') == 0) error stop 'ranks differ, and nothing says so'
  end if
  call loop%free()
  do i = 1, 4
    call AMPI_Request_free(halo(i), code)
  end do
  call finish()
contains
  subroutine same(what)
    character(*), intent(in) :: what
    call gradient_of(loop, g)
    if (any(g /= whole)) then
      print *, 'rank', rank, what, g, whole
      error stop 'not the same gradient'
    end if
  end subroutine
end program
