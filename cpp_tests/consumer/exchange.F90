! The smallest program that uses the Fortran modules of adjoint MPI: y = product of x over all ranks, and its derivative.
program exchange
  use admpi
  use ampi
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: x, y
  integer :: rank, ranks, code
  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  call tape%new()
  call tape%activate()
  call tape%start()
  x = 2d0
  call tape%input(x)
  call AMPI_Allreduce(x, y, 1, AMPI_ADOUBLE, AMPI_PROD, AMPI_COMM_WORLD, code)
  call admpi_tape_seed_replicated(tape, AMPI_COMM_WORLD, y, 1d0)
  call tape%reverse()
  if (abs(tape%adjoint(x) - 2d0**(ranks - 1)) > 1d-14) error stop 1
  if (rank == 0) print '(a, f8.5)', 'dy/dx = ', tape%adjoint(x)
  call tape%free()
  call AMPI_Finalize(code)
end program
