! 13: example 04 in Fortran: a halo exchange, differentiated.
!
! A ring of cells is distributed over the ranks. In each step every cell becomes the mean of itself and its two neighbours, for which
! the ranks exchange their outermost cells. Handles are those of mpi_f08, and every call may omit its last argument.
program halo
  use admpi
  use ampi_f08
  implicit none
  integer, parameter :: cells = 12, steps = 4, watched = 4
  type(admpi_tape) :: tape
  type(admpi_var), allocatable :: start(:), cell(:)
  real(8) :: gradient(cells)
  integer :: rank, ranks, n, first, step, i

  call AMPI_Init()
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks)
  n = cells/ranks  ! on 1, 2, 3 or 4 ranks
  first = rank*n
  allocate (start(n), cell(0:n + 1))
  start = [(dble(first + i), i=1, n)]

  call tape%new()
  call tape%activate()
  call tape%start()
  call tape%input(start)
  cell(1:n) = start
  do step = 1, steps
    call exchange_halo(modulo(rank - 1, ranks), modulo(rank + 1, ranks))
    cell(1:n) = (cell(0:n - 1) + cell(1:n) + cell(2:n + 1))/3d0
  end do
  call tape%stop()

  if (first < watched .and. watched <= first + n) call tape%seed(cell(watched - first), 1d0)
  call tape%reverse()
  call AMPI_Gather(81*tape%adjoint(start), n, AMPI_DOUBLE_PRECISION, gradient, n, AMPI_DOUBLE_PRECISION, 0, AMPI_COMM_WORLD)
  if (rank == 0) print '("d(cell 4 after 4 steps) / d(cell ", i2, ") = ", f5.2, " / 81")', (i, gradient(i), i=1, cells)
  call tape%free()
  call AMPI_Finalize()

contains

  subroutine exchange_halo(left, right)
    integer, intent(in) :: left, right
    type(AMPI_Request) :: request(4)
    call AMPI_Irecv(cell(0), 1, AMPI_ADOUBLE, left, 0, AMPI_COMM_WORLD, request(1))
    call AMPI_Irecv(cell(n + 1), 1, AMPI_ADOUBLE, right, 1, AMPI_COMM_WORLD, request(2))
    call AMPI_Isend(cell(n), 1, AMPI_ADOUBLE, right, 0, AMPI_COMM_WORLD, request(3))
    call AMPI_Isend(cell(1), 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, request(4))
    call AMPI_Waitall(4, request, AMPI_STATUSES_IGNORE)
  end subroutine
end program
