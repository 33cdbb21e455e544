! Calls of MPI-4, which are there on every MPI: persistent collectives and partitioned messages.
#include "binding.h"
program test_later
  use support
  implicit none
  real(8), asynchronous :: r(4)
  type(admpi_var), asynchronous :: x(4), y(4), z(4)
  real(8), asynchronous :: s(4)
  HANDLE(AMPI_Request) :: request, pair(2)
  integer :: i
  logical :: flag
  call begin()
  call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_RETURN, code)
  r = rank
  call AMPI_Bcast_init(r, 4, AMPI_DOUBLE_PRECISION, 0, AMPI_COMM_WORLD, AMPI_INFO_NULL, request, code)
  call AMPI_Start(request, code)
  call AMPI_Wait(request, AMPI_STATUS_IGNORE, code)
  call check('Bcast_init', r, [0d0, 0d0, 0d0, 0d0])
  call AMPI_Request_free(request, code)
  call inputs(x)
  call AMPI_Bcast_init(y, 4, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, AMPI_INFO_NULL, request, code)
  do i = 1, 2
    y = i*x
    call AMPI_Start(request, code)
    call AMPI_Wait(request, AMPI_STATUS_IGNORE, code)
    call check('Bcast_init, active', admpi_value(y), i*[1d0, 2d0, 3d0, 4d0])
  end do
  call AMPI_Request_free(request, code)
  call check('Bcast_init, adjoints', swept(x, y), merge(ranks*(ranks + 1), 0, rank == 0)*[1d0, 2d0, 3d0, 4d0])
  call AMPI_Psend_init(r, 2, 2_AMPI_COUNT_KIND, AMPI_DOUBLE_PRECISION, rank, 0, AMPI_COMM_WORLD, AMPI_INFO_NULL, &
    pair(1), code)
  call AMPI_Precv_init(s, 1, 4_AMPI_COUNT_KIND, AMPI_DOUBLE_PRECISION, rank, 0, AMPI_COMM_WORLD, AMPI_INFO_NULL, &
    pair(2), code)
  r = [1d0, 2d0, 3d0, 4d0]
  call AMPI_Startall(2, pair, code)
  call AMPI_Pready_list(2, [1, 0], pair(1), code)
  call AMPI_Waitall(2, pair, AMPI_STATUSES_IGNORE, code)
  call check('Psend_init', s, [1d0, 2d0, 3d0, 4d0])
  call AMPI_Request_free(pair(1), code)
  call AMPI_Request_free(pair(2), code)
  call inputs(x)
  call AMPI_Psend_init(y, 2, 2_AMPI_COUNT_KIND, AMPI_ADOUBLE, rank, 0, AMPI_COMM_WORLD, AMPI_INFO_NULL, pair(1), code)
  call AMPI_Precv_init(z, 4, 1_AMPI_COUNT_KIND, AMPI_ADOUBLE, rank, 0, AMPI_COMM_WORLD, AMPI_INFO_NULL, pair(2), code)
  do i = 1, 2
    call AMPI_Startall(2, pair, code)
    y = (i + rank)*x
    call AMPI_Pready(1, pair(1), code)
    call AMPI_Parrived(pair(2), 3, flag, code)
    if (flag) error stop 2
    call AMPI_Pready_range(0, 0, pair(1), code)
    flag = .false.
    do while (.not. flag)
      call AMPI_Parrived(pair(2), 3, flag, code)
    end do
    call check('Psend_init, active', admpi_value(z), (i + rank)*admpi_value(x))
    call AMPI_Waitall(2, pair, AMPI_STATUSES_IGNORE, code)
  end do
  call check('Psend_init, adjoints', swept(x, z), (2 + rank)*(rank + 1)*[1d0, 2d0, 3d0, 4d0])
  call AMPI_Pready(0, pair(1), code)
  call refused('AMPI_Pready', 'request is not started')
  call AMPI_Request_free(pair(1), code)
  call AMPI_Request_free(pair(2), code)
  call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_ARE_FATAL, code)
  call finish()

contains

  function message() result(text)
    character(AMPI_MAX_ERROR_STRING) :: text
    integer :: length, other
    call AMPI_Error_string(code, text, length, other)
  end function

  subroutine refused(call, why)
    character(*), intent(in) :: call, why
    if (code /= AMPI_SUCCESS .and. index(message(), call//': '//why) > 0) return
    print *, call, ': ', trim(message())
    error stop 1
  end subroutine
end program
