! 12: example 03 in Fortran: a value crosses from rank 0 to rank 1, its adjoint crosses back.
!
! `use ampi` instead of `use mpi`, type(admpi_var) instead of real(8), AMPI_ADOUBLE instead of MPI_DOUBLE_PRECISION.
program two_ranks
  use admpi
  use ampi
  implicit none
  real(8), parameter :: point = 1.2d0
  type(admpi_tape) :: tape
  type(admpi_var) :: x, u, y
  integer :: rank, ierror

  call AMPI_Init(ierror)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, ierror)
  call tape%new()
  call tape%activate()
  call tape%start()
  if (rank == 0) then
    x = point
    call tape%input(x)
    u = x**2
    call AMPI_Send(u, 1, AMPI_ADOUBLE, 1, 0, AMPI_COMM_WORLD, ierror)
  else if (rank == 1) then
    call AMPI_Recv(u, 1, AMPI_ADOUBLE, 0, 0, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, ierror)
    y = sin(u)
    call tape%seed(y, 1d0)
  end if
  call tape%stop()
  call tape%reverse()

  if (rank == 0) print '("dy/dx = ", f0.12, ", by hand ", f0.12)', tape%adjoint(x), 2*point*cos(point**2)
  call tape%free()
  call AMPI_Finalize(ierror)
end program
