! 24: a long time loop on a short tape, in one call: example 19 in Fortran.
!
! Heat in a rod, 2000 steps. On one tape every step is recorded. A time loop keeps some states instead; the sweep runs the steps
! between them again, and records one at a time. The gradient is the same.
module rod
  use admpi
  use admpi_time_loops
  implicit none
  integer, parameter :: n = 50, steps = 2000
  type(admpi_tape) :: tape
  type(admpi_var), target :: u(n), k
contains
  recursive subroutine advance(step, status)
    integer, intent(in) :: step       ! from 1
    integer, intent(inout) :: status  ! 0 on entry; anything else: the step has failed
    u(2:n - 1) = u(2:n - 1) + k*(u(1:n - 2) - 2d0*u(2:n - 1) + u(3:n)) - 0.001d0*u(2:n - 1)*u(2:n - 1)
  end subroutine

  ! The gradient of the sum of squares at the end, to the start and to k.
  subroutine gradient(loop, g)
    type(admpi_time_loop), intent(in) :: loop
    real(8), intent(out) :: g(n + 1)
    type(admpi_var) :: start(n), diffusivity, total
    integer :: i
    call tape%reset()
    call tape%start()
    u = [(sin(0.1d0*(i - 1)), i=1, n)]
    k = 0.2d0
    call tape%input(u)
    call tape%input(k)
    start = u
    diffusivity = k
    call loop%run(steps, advance)
    total = sum(u*u)
    call tape%stop()
    call tape%seed(total, 1d0)
    call tape%reverse()
    g = [tape%adjoint(start), tape%adjoint(diffusivity)]
  end subroutine
end module

program time_loop
  use rod
  implicit none
  type(admpi_time_loop) :: loop
  type(admpi_time_loop_statistics) :: did
  real(8) :: whole(n + 1), g(n + 1)
  call tape%new()
  call tape%activate()
  call loop%new(tape)
  call loop%state(u)       ! what steps read and write
  call loop%parameters(k)  ! what they only read
  call loop%all()
  call gradient(loop, whole)
  call loop%binomial(20)
  call gradient(loop, g)
  call loop%statistics(did)
  print '(a, f10.6)', 'gradient to k on one tape:   ', whole(n + 1)
  print '(a, f10.6)', 'gradient to k with 20 states:', g(n + 1)
  print '(a, l2)', 'the same to rounding:', all(abs(g - whole) <= 1d-12*maxval(abs(whole)))
  print '(a, i0, a, i0)', 'states kept: ', did%snapshots, ', steps run again: ', did%advanced
  call loop%free()
  call tape%free()
end program
