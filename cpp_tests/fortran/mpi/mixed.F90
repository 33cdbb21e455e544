! All three bindings in one program, in three dialects: Fortran 2008 starts a call, Fortran 90 ends it, and Fortran 77
! (mixed_fixed.F) adds up in COMMON.
program test_mixed
  use admpi
  use ampi
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: x(2), y(2)
  real(8) :: gradient(2)
  integer :: rank, code, requests(2)
  common /total/ y
  external addup
  interface
    subroutine start_by_f08(x, y, comm, requests)
      use admpi
      type(admpi_var), asynchronous :: x(2), y(2)
      integer :: comm, requests(2)
    end subroutine
    subroutine end_by_include(requests)
      integer :: requests(2)
    end subroutine
  end interface
  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call tape%new()
  call tape%activate()
  call tape%start()
  x = [2d0 + rank, 3d0]
  call tape%input(x)
  call start_by_f08(x, y, AMPI_COMM_WORLD, requests)
  if (any(requests == AMPI_REQUEST_NULL)) error stop 'no request'
  call end_by_include(requests)
  if (any(requests /= AMPI_REQUEST_NULL)) error stop 'a request is left'
  if (abs(admpi_value(y(1)) - admpi_value(x(1))) > 0) error stop 'what was received'
  call addup()
  call tape%seed(y(1), 1d0)
  call tape%reverse()
  gradient = tape%adjoint(x)
  call AMPI_Comm_size(AMPI_COMM_WORLD, rank, code)
  if (maxval(abs(gradient - [dble(rank), 0d0])) > 1d-12) error stop 'adjoints'
  call tape%free()
  call AMPI_Finalize(code)
end program

subroutine start_by_f08(x, y, comm, requests)
  use admpi
  use ampi_f08
  implicit none
  type(admpi_var), asynchronous :: x(2), y(2)
  integer :: comm, requests(2), rank
  type(AMPI_Comm) :: of_f08
  type(AMPI_Request) :: request(2)
  of_f08%MPI_VAL = comm
  call AMPI_Comm_rank(of_f08, rank)
  call AMPI_Irecv(y, 2, AMPI_ADOUBLE, rank, 0, of_f08, request(1))
  call AMPI_Isend(x, 2, AMPI_ADOUBLE, rank, 0, of_f08, request(2))
  requests = request%MPI_VAL
end subroutine

subroutine end_by_include(requests)
  implicit none
  include 'ampif.h'
  integer :: requests(2), code
  call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
end subroutine
