! A program as source transformation writes it, and its sweep, against differences: messages, a receive that completes later, a
! reduction in place and one to a root.
program adjoinable
  implicit none
  include 'ampi/ampif.h'
  integer, parameter :: n = 4
  double precision, parameter :: h = 1d-5
  double precision :: x(n), xb(n), y(n), yb(n), v(n), both(2), sums(2)
  integer :: rank, ranks, left, right, i, ierr, request, requests(2)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  double precision :: kept(n), summed(n)

  call ampi_init_nt(ierr)
  call ampi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call ampi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  v = [(cos(1d0 * i + rank), i = 1, n)]

  both(1) = (objective(h) - objective(-h)) / (2 * h)

  ! Forwards.
  x = start(0d0)
  call fw_ampi_irecv(y, n, AMPI_ADOUBLE_PRECISION, left, 1, AMPI_FROM_SEND, MPI_COMM_WORLD, request, ierr)
  call fw_ampi_send(x, n, AMPI_ADOUBLE_PRECISION, right, 1, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, ierr)
  call fw_ampi_wait(request, status, ierr)
  if (status(MPI_SOURCE) /= left .or. request /= MPI_REQUEST_NULL) error stop "the status is wrong"
  kept = y
  x = x + sin(y)
  call fw_ampi_allreduce(MPI_IN_PLACE, x, n, AMPI_ADOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  summed = x
  y = x * x * (rank + 1)
  call fw_ampi_isend(y, n, AMPI_ADOUBLE_PRECISION, right, 2, AMPI_TO_IRECV_WAITALL, MPI_COMM_WORLD, requests(1), ierr)
  call fw_ampi_irecv(x, n, AMPI_ADOUBLE_PRECISION, left, 2, AMPI_FROM_ISEND_WAITALL, MPI_COMM_WORLD, requests(2), ierr)
  call fw_ampi_waitall(2, requests, statuses, ierr)
  if (statuses(MPI_TAG, 2) /= 2) error stop "a status of all is wrong"
  call fw_ampi_reduce(x, y, n, AMPI_ADOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)

  ! Backwards.
  xb = 0
  yb = 0
  if (rank == 0) yb = 1
  call bws_ampi_reduce(x, xb, y, yb, n, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, MPI_SUM, 0, 0, MPI_COMM_WORLD, ierr)
  yb = 0
  call adtool_ampi_turn(x, xb)
  call bw_ampi_waitall(2, requests, statuses, ierr)
  call bw_ampi_irecv(xb, n, AMPI_ADOUBLE_PRECISION, left, 2, AMPI_FROM_ISEND_WAITALL, MPI_COMM_WORLD, requests(2), ierr)
  call bw_ampi_isend(yb, n, AMPI_ADOUBLE_PRECISION, right, 2, AMPI_TO_IRECV_WAITALL, MPI_COMM_WORLD, requests(1), ierr)
  xb = xb + 2 * summed * (rank + 1) * yb
  yb = 0
  call bw_ampi_allreduce(MPI_IN_PLACE, xb, n, AMPI_ADOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  yb = cos(kept) * xb
  call adtool_ampi_turn(y, yb)
  call bw_ampi_wait(request, status, ierr)
  call bw_ampi_send(xb, n, AMPI_ADOUBLE_PRECISION, right, 1, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, ierr)
  call bw_ampi_irecv(yb, n, AMPI_ADOUBLE_PRECISION, left, 1, AMPI_FROM_SEND, MPI_COMM_WORLD, request, ierr)
  both(2) = sum(xb * v)

  call mpi_allreduce(both, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (abs(sums(1) - sums(2)) > 1d-8 * abs(sums(1)) .or. sums(1) == 0) then
    print *, "by differences ", sums(1), ", by the sweep ", sums(2)
    error stop 1
  end if
  call ampi_finalize_nt(ierr)

contains

  function start(t) result(x)
    double precision, intent(in) :: t
    double precision :: x(n)
    x = [(0.5d0 + 0.1d0 * i + 0.2d0 * rank, i = 1, n)] + t * v
  end function

  double precision function objective(t)
    double precision, intent(in) :: t
    x = start(t)
    call ampi_irecv(y, n, AMPI_ADOUBLE_PRECISION, left, 1, AMPI_FROM_SEND, MPI_COMM_WORLD, request, ierr)
    call ampi_send(x, n, AMPI_ADOUBLE_PRECISION, right, 1, AMPI_TO_IRECV_WAIT, MPI_COMM_WORLD, ierr)
    call ampi_wait(request, status, ierr)
    x = x + sin(y)
    call ampi_allreduce(MPI_IN_PLACE, x, n, AMPI_ADOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    y = x * x * (rank + 1)
    call ampi_isend(y, n, AMPI_ADOUBLE_PRECISION, right, 2, AMPI_TO_IRECV_WAITALL, MPI_COMM_WORLD, requests(1), ierr)
    call ampi_irecv(x, n, AMPI_ADOUBLE_PRECISION, left, 2, AMPI_FROM_ISEND_WAITALL, MPI_COMM_WORLD, requests(2), ierr)
    call ampi_waitall(2, requests, statuses, ierr)
    call ampi_reduce(x, y, n, AMPI_ADOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    objective = 0
    if (rank == 0) objective = sum(y)
  end function

end program adjoinable
