! 28: complex numbers over ranks: a wave packet meets a barrier, and how much of it gets through is differentiated.
!
! The Schroedinger equation on a line of cells, which are distributed over the ranks. A step is a Taylor series of exp(-i H dt) of
! four terms, for each of which the ranks exchange their outermost cells. The inputs are the heights of the barrier in 5 cells.
program waves
  use admpi
  use admpi_complex
  use ampi
  implicit none
  integer, parameter :: cells = 96, steps = 120, barrier = 5, behind = 56
  complex(8), parameter :: i = (0d0, 1d0)
  real(8), parameter :: dt = 0.6d0
  type(admpi_tape) :: tape
  type(admpi_var) :: height(barrier), through, all_through
  type(admpi_var), allocatable :: potential(:)
  type(admpi_var_complex), allocatable :: psi(:), term(:), h_term(:)
  real(8) :: gradient(barrier), whole(barrier)
  integer :: rank, ranks, n, first, left, right, step, k, j, code

  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  n = cells/ranks  ! on 1, 2, 3 or 4 ranks
  first = rank*n
  left = merge(rank - 1, AMPI_PROC_NULL, rank > 0)
  right = merge(rank + 1, AMPI_PROC_NULL, rank < ranks - 1)
  allocate (potential(n), psi(n), term(0:n + 1), h_term(n))

  call tape%new()
  call tape%activate()
  call tape%start()
  height = 0.3d0
  call tape%input(height)
  do j = 1, n
    potential(j) = 0d0
    if (abs(first + j - 48) <= barrier/2) potential(j) = height(first + j - 48 + barrier/2 + 1)
    psi(j) = exp(-((first + j - 24)/8d0)**2)*exp(i*0.9d0*(first + j))
  end do
  psi = psi/sqrt(norm_of(psi))

  term = (0d0, 0d0)
  do step = 1, steps
    term(1:n) = psi
    do k = 1, 4
      call exchange_halo()
      h_term = potential*term(1:n) - 0.5d0*(term(0:n - 1) - 2d0*term(1:n) + term(2:n + 1))
      term(1:n) = (-i*dt/k)*h_term
      psi = psi + term(1:n)
    end do
  end do
  through = sum(abs(psi)**2, [(first + j > behind, j=1, n)])
  call AMPI_Allreduce(through, all_through, 1, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
  call tape%stop()

  if (rank == 0) call tape%seed(all_through, 1d0)
  call tape%reverse()
  ! Each rank has the part of the gradient that its cells contribute.
  gradient = tape%adjoint(height)
  call AMPI_Reduce(gradient, whole, barrier, AMPI_DOUBLE_PRECISION, AMPI_SUM, 0, AMPI_COMM_WORLD, code)
  if (rank == 0) then
    print '("through the barrier: ", f8.6)', admpi_value(all_through)
    print '("by the heights:     ", 5f10.6)', whole
  end if
  call tape%free()
  call AMPI_Finalize(code)

contains

  ! The integral of |x|**2, which is passive here.
  real(8) function norm_of(x)
    type(admpi_var_complex), intent(in) :: x(:)
    real(8) :: own
    own = sum(abs(admpi_value(x))**2)
    call AMPI_Allreduce(own, norm_of, 1, AMPI_DOUBLE_PRECISION, AMPI_SUM, AMPI_COMM_WORLD, code)
  end function

  subroutine exchange_halo()
    call AMPI_Sendrecv(term(n), 1, AMPI_ADOUBLE_COMPLEX, right, 0, term(0), 1, AMPI_ADOUBLE_COMPLEX, left, 0, &
      AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call AMPI_Sendrecv(term(1), 1, AMPI_ADOUBLE_COMPLEX, left, 1, term(n + 1), 1, AMPI_ADOUBLE_COMPLEX, right, 1, &
      AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
  end subroutine
end program
