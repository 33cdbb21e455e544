! Matrices and their parts as buffers: a ring of columns, a halo, and a sum over the ranks, against the same on arrays.
#include "binding.h"
program test_mpi_matrices
  use admpi
  use admpi_matrices
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  integer, parameter :: n = 5
  type(admpi_tape) :: tape
  type(admpi_varmat) :: a, b
  type(admpi_var) :: x(n, n), y(n, n), z
  type(admpi_buffer) :: ghost, edge
  HANDLE(AMPI_Request) :: requests(2)
  real(8) :: start(n, n), of_matrix(n, n), of_array(n, n), values(2)
  integer :: rank, ranks, left, right, code, i

  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  start = reshape([(0.1d0*i + rank, i=1, n*n)], [n, n])
  call tape%new()
  call tape%activate()

  call tape%start()
  a = start
  b = admpi_varmat(n, n)
  call a%input(tape)
  b = a*a
  ghost = buffer_of(b, 1)
  edge = buffer_of(b, n)
  call AMPI_Irecv(ghost, n, AMPI_VARMAT, left, 7, AMPI_COMM_WORLD, requests(1), code)
  call AMPI_Isend(edge, n, AMPI_VARMAT, right, 7, AMPI_COMM_WORLD, requests(2), code)
  call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
  ! From a matrix into an array, and back.
  x(:, 1) = 0d0
  edge = buffer_of(b, 2)
  call AMPI_Sendrecv(edge, n, AMPI_VARMAT, right, 8, x, n, AMPI_ADOUBLE, left, 8, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
  call admpi_assign(b%row(3), x(:, 1))
  call AMPI_Allreduce(AMPI_IN_PLACE, b%buffer(), n*n, AMPI_VARMAT, AMPI_SUM, AMPI_COMM_WORLD, code)
  if (code /= AMPI_SUCCESS) error stop 'AMPI_Allreduce'
  z = sum(b*b + b*(1d0 + rank))
  values(1) = admpi_value(z)
  call tape%seed(z, 1d0)
  call tape%reverse()
  of_matrix = a%adjoint(tape)
  call a%free()
  call b%free()

  call tape%reset()
  call tape%start()
  x = start
  call tape%input(x)
  y = x*x
  a = admpi_varmat(1, 1)
  call AMPI_Irecv(y(:, 1), n, AMPI_ADOUBLE, left, 7, AMPI_COMM_WORLD, requests(1), code)
  call AMPI_Isend(y(:, n), n, AMPI_ADOUBLE, right, 7, AMPI_COMM_WORLD, requests(2), code)
  call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
  block
    type(admpi_var) :: line(n)
    line = 0d0
    call AMPI_Sendrecv(y(:, 2), n, AMPI_ADOUBLE, right, 8, line, n, AMPI_ADOUBLE, left, 8, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    y(3, :) = line
  end block
  call AMPI_Allreduce(AMPI_IN_PLACE, y, n*n, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
  z = sum(y*y + y*(1d0 + rank))
  values(2) = admpi_value(z)
  call tape%seed(z, 1d0)
  call tape%reverse()
  of_array = tape%adjoint(x)
  if (abs(values(1) - values(2)) > 1d-12*abs(values(2))) error stop 'values'
  if (maxval(abs(of_matrix - of_array)) > 1d-12*maxval(abs(of_array))) error stop 'adjoints'
  call a%free()
  if (admpi_live_matrices() /= 0) error stop 'matrices at the end'
  call tape%free()
  call AMPI_Finalize(code)
contains
  type(admpi_buffer) function buffer_of(m, column)
    type(admpi_varmat), intent(in) :: m
    integer, intent(in) :: column
    type(admpi_view) :: v
    v = m%col(column)
    buffer_of = v%buffer()
  end function
end program
