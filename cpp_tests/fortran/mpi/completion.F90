! Requests: statuses, indices from 1, flags, persistent ones, many at once.
#include "binding.h"
program test_completion
  use support
  implicit none
  call begin()
  call statuses_of_many(3)
  call statuses_of_many(40)
  call one_by_one()
  call some()
  call flags()
  call persistent()
  call freed()
  call passive()
  call finish()

contains

  ! More than 32 requests are converted elsewhere.
  subroutine statuses_of_many(n)
    integer, intent(in) :: n
    type(admpi_var) :: x(n), y(n)
    HANDLE(AMPI_Request) :: requests(2*n)
#ifdef ADMPI_TEST_F08
    type(AMPI_Status) :: statuses(2*n)
#else
    integer :: statuses(AMPI_STATUS_SIZE, 2*n)
#endif
    integer :: i, from, to, counted
    from = modulo(rank - 1, ranks)
    to = modulo(rank + 1, ranks)
    call inputs(x)
    do i = 1, n
      call AMPI_Irecv(y(i), 1, AMPI_ADOUBLE, AMPI_ANY_SOURCE, i, AMPI_COMM_WORLD, requests(i), code)
    end do
    do i = n, 1, -1
      call AMPI_Isend(x(i), 1, AMPI_ADOUBLE, to, i, AMPI_COMM_WORLD, requests(n + i), code)
    end do
    call AMPI_Waitall(2*n, requests, statuses, code)
    do i = 1, n
#ifdef ADMPI_TEST_F08
      call check('source', statuses(i)%MPI_SOURCE, from)
      call check('tag', statuses(i)%MPI_TAG, i)
      call AMPI_Get_count(statuses(i), AMPI_ADOUBLE, counted, code)
#else
      call check('source', statuses(AMPI_SOURCE, i), from)
      call check('tag', statuses(AMPI_TAG, i), i)
      call AMPI_Get_count(statuses(:, i), AMPI_ADOUBLE, counted, code)
#endif
      if (requests(i) /= AMPI_REQUEST_NULL) error stop 'a request is left'
    end do
    call check('received', admpi_value(y), 10d0*from + [(dble(i), i=1, n)])
    call check('adjoints', swept(x, y), (to + 1d0)*[(dble(i), i=1, n)])
  end subroutine

  subroutine one_by_one()
    integer, parameter :: n = 5
    type(admpi_var) :: x(n), y(n)
    HANDLE(AMPI_Request) :: requests(n), sends(n)
    STATUS :: status
    logical :: seen(n), flag
    integer :: i, at, turn
    call inputs(x)
    do i = 1, n
      call AMPI_Irecv(y(i), 1, AMPI_ADOUBLE, rank, i, AMPI_COMM_WORLD, requests(i), code)
    end do
    seen = .false.
    do turn = n, 1, -1
      call AMPI_Isend(x(turn), 1, AMPI_ADOUBLE, rank, turn, AMPI_COMM_WORLD, sends(turn), code)
      if (mod(turn, 2) == 0) then
        call AMPI_Waitany(n, requests, at, status, code)
      else
        flag = .false.
        do while (.not. flag)
          call AMPI_Testany(n, requests, at, flag, status, code)
        end do
      end if
      call check('index', at, turn)
      call check('tag', STATUS_TAG(status), turn)
      if (seen(at)) error stop 'twice'
      seen(at) = .true.
      if (requests(at) /= AMPI_REQUEST_NULL) error stop 'a request is left'
    end do
    call AMPI_Waitall(n, sends, AMPI_STATUSES_IGNORE, code)
    call check('adjoints', swept(x, y), (rank + 1)*[(dble(i), i=1, n)])
  end subroutine

  subroutine some()
    integer, parameter :: n = 4
    type(admpi_var) :: x(n), y(n)
    HANDLE(AMPI_Request) :: requests(n), sends(n)
#ifdef ADMPI_TEST_F08
    type(AMPI_Status) :: statuses(n)
#else
    integer :: statuses(AMPI_STATUS_SIZE, n)
#endif
    integer :: i, indices(n), done, total
    logical :: tests
    call inputs(x)
    do i = 1, n
      call AMPI_Irecv(y(i), 1, AMPI_ADOUBLE, rank, 10*i, AMPI_COMM_WORLD, requests(i), code)
    end do
    call AMPI_Testsome(n, requests, done, indices, statuses, code)
    call check('none', done, 0)
    do i = 1, n
      call AMPI_Isend(x(i), 1, AMPI_ADOUBLE, rank, 10*i, AMPI_COMM_WORLD, sends(i), code)
    end do
    total = 0
    tests = .false.
    do while (total < n)
      if (tests) then
        call AMPI_Testsome(n, requests, done, indices, statuses, code)
      else
        call AMPI_Waitsome(n, requests, done, indices, statuses, code)
      end if
      tests = .not. tests
      do i = 1, done
        if (requests(indices(i)) /= AMPI_REQUEST_NULL) error stop 'a request is left'
#ifdef ADMPI_TEST_F08
        call check('tag', statuses(i)%MPI_TAG, 10*indices(i))
#else
        call check('tag', statuses(AMPI_TAG, i), 10*indices(i))
#endif
      end do
      total = total + done
    end do
    call check('all', total, n)
    call AMPI_Waitall(n, sends, AMPI_STATUSES_IGNORE, code)
    call check('adjoints', swept(x, y), (rank + 1)*[(dble(i), i=1, n)])
  end subroutine

  subroutine flags()
    type(admpi_var) :: x(1), y(1)
    HANDLE(AMPI_Request) :: receive, send
    STATUS :: status
    logical :: flag, other
    call inputs(x)
    call AMPI_Irecv(y, 1, AMPI_ADOUBLE, rank, 8, AMPI_COMM_WORLD, receive, code)
    call AMPI_Test(receive, flag, status, code)
    ! As a logical: neither both nor none.
    other = .not. flag
    if (flag .eqv. .true. .or. .not. (other .eqv. .true.)) error stop 'nothing was sent'
    call AMPI_Isend(x, 1, AMPI_ADOUBLE, rank, 8, AMPI_COMM_WORLD, send, code)
    call AMPI_Wait(send, AMPI_STATUS_IGNORE, code)
    flag = .false.
    do while (.not. flag)
      call AMPI_Request_get_status(receive, flag, status, code)
    end do
    if (receive == AMPI_REQUEST_NULL) error stop 'a request is lost'
    if (flag .neqv. .true.) error stop 'the value of a flag'
    call AMPI_Test(receive, flag, status, code)
    if (.not. flag .or. receive /= AMPI_REQUEST_NULL) error stop 'a request is left'
    call check('source', STATUS_SOURCE(status), rank)
    call check('adjoints', swept(x, y), [rank + 1d0])
  end subroutine

  subroutine persistent()
    type(admpi_var) :: x(1), sent(1), received(1), y(2)
    HANDLE(AMPI_Request) :: requests(2)
    integer :: turn
    call AMPI_Recv_init(received, 1, AMPI_ADOUBLE, rank, 9, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Send_init(sent, 1, AMPI_ADOUBLE, rank, 9, AMPI_COMM_WORLD, requests(2), code)
    call inputs(x)
    do turn = 1, 2
      sent(1) = x(1)*turn
      if (turn == 1) then
        call AMPI_Startall(2, requests, code)
      else
        call AMPI_Start(requests(1), code)
        call AMPI_Start(requests(2), code)
      end if
      call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
      if (requests(1) == AMPI_REQUEST_NULL .or. requests(2) == AMPI_REQUEST_NULL) error stop 'a request is lost'
      y(turn) = received(1)
    end do
    call check('received', admpi_value(y), (10d0*rank + 1)*[1d0, 2d0])
    call check('adjoints', swept(x, y), [(rank + 1)*5d0])
    call AMPI_Request_free(requests(1), code)
    call AMPI_Request_free(requests(2), code)
    if (requests(1) /= AMPI_REQUEST_NULL) error stop 'a request is left'
  end subroutine

  subroutine freed()
    type(admpi_var) :: x(1), y(1), unread(1)
    HANDLE(AMPI_Request) :: request
    STATUS :: status
    logical :: cancelled
    call inputs(x)
    call AMPI_Isend(x, 1, AMPI_ADOUBLE, rank, 4, AMPI_COMM_WORLD, request, code)
    call AMPI_Request_free(request, code)
    if (request /= AMPI_REQUEST_NULL) error stop 'a request is left'
    call AMPI_Irecv(unread, 1, AMPI_ADOUBLE, rank, 44, AMPI_COMM_WORLD, request, code)
    call AMPI_Cancel(request, code)
    call AMPI_Wait(request, status, code)
    call AMPI_Test_cancelled(status, cancelled, code)
    if (.not. cancelled) error stop 'not cancelled'
    call AMPI_Recv(y, 1, AMPI_ADOUBLE, rank, 4, AMPI_COMM_WORLD, status, code)
    call check('adjoints', swept(x, y), [rank + 1d0])
  end subroutine

  ! Requests of passive calls are the library's, too.
  subroutine passive()
    integer :: sent, received
    HANDLE(AMPI_Request) :: requests(3)
    HANDLE(AMPI_Comm) :: copy
    sent = 100 + rank
    received = 0
    call AMPI_Irecv(received, 1, AMPI_INTEGER, rank, 6, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(sent, 1, AMPI_INTEGER, rank, 6, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Ibarrier(AMPI_COMM_WORLD, requests(3), code)
    call AMPI_Waitall(3, requests, AMPI_STATUSES_IGNORE, code)
    call check('received', received, 100 + rank)
    call AMPI_Comm_idup(AMPI_COMM_WORLD, copy, requests(1), code)
    call AMPI_Wait(requests(1), AMPI_STATUS_IGNORE, code)
    call AMPI_Comm_size(copy, received, code)
    call check('size', received, ranks)
    call AMPI_Comm_free(copy, code)
  end subroutine
end program
