! 16: how to trust a gradient, in Fortran: differences, and for linear parts the adjoint identity <w, A v> = <A^T w, v>.
!
! The ranks own the cells of a rod. The objective is the mean square of the rod after some steps of diffusion with a diffusivity
! that depends on the temperature. Differences are right to half of the digits at best; the identity to nearly all of them.
module rod
  use admpi
  use ampi
  implicit none
  integer, parameter :: cells = 24, steps = 10
  integer :: rank, ranks, first, n, code
contains
  subroutine diffuse(u, slope)
    type(admpi_var), intent(inout) :: u(0:n + 1)
    real(8), intent(in) :: slope ! 0: a linear model
    type(admpi_var) :: next(n)
    integer :: step, i, requests(4), left, right
    left = merge(rank - 1, AMPI_PROC_NULL, rank > 0)
    right = merge(rank + 1, AMPI_PROC_NULL, rank < ranks - 1)
    do step = 1, steps
      call AMPI_Irecv(u(0), 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, requests(1), code)
      call AMPI_Irecv(u(n + 1), 1, AMPI_ADOUBLE, right, 2, AMPI_COMM_WORLD, requests(2), code)
      call AMPI_Isend(u(n), 1, AMPI_ADOUBLE, right, 1, AMPI_COMM_WORLD, requests(3), code)
      call AMPI_Isend(u(1), 1, AMPI_ADOUBLE, left, 2, AMPI_COMM_WORLD, requests(4), code)
      call AMPI_Waitall(4, requests, AMPI_STATUSES_IGNORE, code)
      do i = 1, n
        next(i) = u(i) + (0.2d0 + slope*u(i))*(u(i - 1) - 2*u(i) + u(i + 1))
      end do
      u(1:n) = next
    end do
  end subroutine

  subroutine objective(x, slope, u, y)
    type(admpi_var), intent(in) :: x(:)
    real(8), intent(in) :: slope
    type(admpi_var), intent(inout) :: u(0:n + 1)
    type(admpi_var), intent(out) :: y
    type(admpi_var) :: mine
    u = 0d0
    u(1:n) = x
    call diffuse(u, slope)
    mine = sum(u(1:n)**2)/cells
    call AMPI_Allreduce(mine, y, 1, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
  end subroutine

  real(8) function over_ranks(mine) result(y)
    real(8), intent(in) :: mine
    call AMPI_Allreduce(mine, y, 1, AMPI_DOUBLE_PRECISION, AMPI_SUM, AMPI_COMM_WORLD, code)
  end function
end module

program check_gradient
  use rod
  implicit none
  real(8), parameter :: e = 1d-5
  type(admpi_tape) :: tape
  type(admpi_var), allocatable :: x(:), u(:)
  type(admpi_var) :: y, above, below
  real(8), allocatable :: x0(:), v(:), w(:), g(:), av(:)
  real(8) :: by_sweep, by_differences, w_a_v
  integer :: i
  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  first = cells*rank/ranks
  n = cells*(rank + 1)/ranks - first
  allocate (x(n), u(0:n + 1))
  x0 = [(1 + 0.5d0*sin(0.7d0*(first + i)), i=1, n)]
  v = [(cos(1.1d0*(first + i)), i=1, n)] ! any direction, and any weights
  w = [(sin(2.3d0*(first + i)), i=1, n)]
  call tape%new()
  call tape%activate()

  call tape%start()
  x = x0
  call tape%input(x)
  call objective(x, 0.05d0, u, y)
  call tape%stop()
  call admpi_tape_seed_replicated(tape, AMPI_COMM_WORLD, y, 1d0)
  call tape%reverse()
  g = tape%adjoint(x)
  by_sweep = over_ranks(sum(g*v))

  ! The same without a recording, on both sides of x0.
  x = x0 + e*v
  call objective(x, 0.05d0, u, above)
  x = x0 - e*v
  call objective(x, 0.05d0, u, below)
  by_differences = (admpi_value(above) - admpi_value(below))/(2*e)
  if (rank == 0) print '("along v: by the sweep ", f0.8, ", by differences ", f0.8)', by_sweep, by_differences
  if (abs(by_sweep - by_differences) > 1d-8*abs(by_sweep)) error stop 'the gradient is wrong'

  ! The linear model A: its value at v is A v, and a sweep with the weights w gives A^T w.
  call tape%reset()
  call tape%start()
  x = v
  call tape%input(x)
  call objective(x, 0d0, u, y)
  call tape%stop()
  av = admpi_value(u(1:n))
  call tape%seed(u(1:n), w)
  call tape%reverse()
  g = tape%adjoint(x)
  w_a_v = over_ranks(sum(w*av))
  by_sweep = over_ranks(sum(g*v))
  if (rank == 0) print '("<w, A v> = ", f0.12, ", <A^T w, v> = ", f0.12)', w_a_v, by_sweep
  if (abs(by_sweep - w_a_v) > 1d-14) error stop 'the adjoint is wrong'
  call tape%free()
  call AMPI_Finalize(code)
end program
