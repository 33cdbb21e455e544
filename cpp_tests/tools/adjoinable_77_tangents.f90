! Fortran 77 by address: tangents, whichever request is complete, operations of the user's, and a window.
program tangents
  implicit none
  include 'ampi/ampif.h'
  integer, parameter :: n = 3
  external combine, combine_d, combine_b
  double precision :: x(n), xd(n), xb(n), y(n), yd(n), yb(n), memory(n), memory_b(n)
  integer :: rank, ranks, left, right, ierr, requests(2), index, outcount, indices(2), op, i, win, number
  integer :: status(MPI_STATUS_SIZE)
  integer(kind=MPI_ADDRESS_KIND) :: size, disp
  logical :: flag

  call ampi_init_nt(ierr)
  call ampi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call ampi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  x = [(1d0 + rank + 0.5d0 * i, i = 1, n)]
  xd = 7 * x

  ! Tangents arrive with the numbers.
  call tls_ampi_irecv(y, yd, n, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, left, 1, AMPI_FROM_SEND, MPI_COMM_WORLD, &
    requests(1), ierr)
  call tls_ampi_isend(x, xd, n, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, right, 1, AMPI_TO_RECV, MPI_COMM_WORLD, &
    requests(2), ierr)
  call tls_ampi_waitany(2, requests, index, status, ierr)
  if (index < 1 .or. index > 2) call wrong("the index of Waitany")
  if (requests(index) /= MPI_REQUEST_NULL) call wrong("the request of Waitany")
  flag = .false.
  do while (.not. flag)
    call tls_ampi_testall(2, requests, flag, MPI_STATUSES_IGNORE, ierr)
  end do
  if (any(yd /= 7 * y) .or. y(1) /= 1.5d0 + left) call wrong("tangents")
  call MPI_Op_create(combine, .false., op, ierr)
  call tls_ampi_allreduce(x, xd, y, yd, n, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, op, combine_d, MPI_COMM_WORLD, ierr)
  if (any(abs(yd - 7 * y) > 1d-12 * abs(y))) call wrong("tangents of the user's operation")
  call tls_ampi_reduce(x, xd, y, yd, n, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, MPI_SUM, 0, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. any(abs(yd - 7 * y) > 1d-12 * abs(y))) call wrong("tangents of a sum")

  ! Whichever is complete, forwards and backwards.
  call fw_ampi_irecv(y, n, AMPI_ADOUBLE_PRECISION, left, 2, AMPI_FROM_SEND, MPI_COMM_WORLD, requests(1), ierr)
  call fw_ampi_isend(x, n, AMPI_ADOUBLE_PRECISION, right, 2, AMPI_TO_RECV, MPI_COMM_WORLD, requests(2), ierr)
  flag = .false.
  i = 0
  do while (.not. flag)
    call fw_ampi_test(requests(1), flag, status, ierr)
    i = i + 1
  end do
  if (status(MPI_SOURCE) /= left) call wrong("the status of Test")
  call fw_ampi_waitsome(2, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
  if (outcount /= 1 .or. indices(1) /= 2) call wrong("the indices of Waitsome")
  yb = [(10d0 * rank + index, index = 1, n)]
  xb = 0
  call adtool_ampi_turn(y, yb)
  call bw_ampi_waitsome(2, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
  do index = 1, i
    call bw_ampi_test(requests(1), flag, status, ierr)
  end do
  call bw_ampi_isend(xb, n, AMPI_ADOUBLE_PRECISION, right, 2, AMPI_TO_RECV, MPI_COMM_WORLD, requests(2), ierr)
  call bw_ampi_irecv(yb, n, AMPI_ADOUBLE_PRECISION, left, 2, AMPI_FROM_SEND, MPI_COMM_WORLD, requests(1), ierr)
  if (any(xb /= [(10d0 * right + index, index = 1, n)]) .or. any(yb /= 0)) call wrong("the sweep of Test and Waitsome")

  ! An operation of the user's: the first operand, and twice the second.
  call fws_ampi_allreduce(x, y, n, AMPI_ADOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
  xb = 0
  yb = 1
  call bws_ampi_allreduce(x, xb, y, yb, n, AMPI_ADOUBLE_PRECISION, AMPI_ADOUBLE_PRECISION, op, combine_b, MPI_COMM_WORLD, ierr)
  ! A tree of neighbours: how often a rank is the second operand.
  number = rank
  i = 0
  do while (number > 0)
    i = i + mod(number, 2)
    number = number / 2
  end do
  if (any(xb /= ranks * 2d0 ** i)) call wrong("the adjoint of the user's operation")
  call MPI_Op_free(op, ierr)

  ! A window; there is none on one rank.
  if (ranks > 1) then
    memory = 0
    size = 8 * n
    disp = 1
    call fw_ampi_win_create(memory, size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call fw_ampi_win_fence(0, win, ierr)
    call fw_ampi_put(x, 2, AMPI_ADOUBLE_PRECISION, right, disp, 2, AMPI_ADOUBLE_PRECISION, win, ierr)
    call fw_ampi_win_fence(0, win, ierr)
    call fw_ampi_win_free(win, ierr)
    if (memory(1) /= 0 .or. memory(2) /= 1.5d0 + left) call wrong("what was put")
    memory_b = [(100d0 * rank + i, i = 1, n)]
    xb = 0
    call adtool_ampi_turn(memory, memory_b)
    call bw_ampi_win_free(win, ierr)
    call bw_ampi_win_fence(0, win, ierr)
    call bw_ampi_put(xb, 2, AMPI_ADOUBLE_PRECISION, right, disp, 2, AMPI_ADOUBLE_PRECISION, win, ierr)
    call bw_ampi_win_fence(0, win, ierr)
    call bw_ampi_win_create(memory_b, size, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    if (xb(1) /= 100d0 * right + 2 .or. xb(3) /= 0 .or. memory_b(1) /= 100d0 * rank + 1) call wrong("the sweep of what was put")
  end if
  call ampi_finalize_nt(ierr)

contains

  subroutine wrong(what)
    character(*), intent(in) :: what
    print *, what, " on rank ", rank, " of ", ranks
    error stop 1
  end subroutine

end program tangents

subroutine combine(a, b, n, datatype)
  implicit none
  integer :: n, datatype
  double precision :: a(n), b(n)
  if (datatype == 0) n = n ! MPI's
  b = a + 2 * b
end subroutine

subroutine combine_d(a, ad, b, bd, n, datatype, datatyped)
  implicit none
  include 'mpif.h'
  integer :: n, datatype, datatyped
  double precision :: a(n), ad(n), b(n), bd(n)
  if (datatype /= MPI_DOUBLE_PRECISION .or. datatyped /= MPI_DOUBLE_PRECISION) error stop "the datatypes are not Fortran's"
  b = a + 2 * b
  bd = ad + 2 * bd
end subroutine

subroutine combine_b(a, ab, b, bb, n, datatype, datatypeb)
  implicit none
  include 'mpif.h'
  integer :: n, datatype, datatypeb
  double precision :: a(n), ab(n), b(n), bb(n)
  if (datatype /= MPI_DOUBLE_PRECISION .or. datatypeb /= MPI_DOUBLE_PRECISION) error stop "the datatypes are not Fortran's"
  ab = ab + bb
  bb = 2 * bb
  if (.false.) a = b
end subroutine
