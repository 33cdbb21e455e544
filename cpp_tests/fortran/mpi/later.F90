! Calls of MPI-4. Persistent collectives are there on every MPI, and differentiated. Partitioned messages do what the MPI
! has, or say that it lacks them; active data are refused.
#include "binding.h"
program test_later
  use support
  implicit none
  real(8), asynchronous :: r(4)
  type(admpi_var), asynchronous :: x(4), y(4)
  HANDLE(AMPI_Request) :: request
  integer :: i
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
  call AMPI_Psend_init(r, 2, 2_AMPI_COUNT_KIND, AMPI_DOUBLE_PRECISION, rank, 0, AMPI_COMM_WORLD, &
    AMPI_INFO_NULL, request, code)
  if (is_there('AMPI_Psend_init')) call AMPI_Request_free(request, code)
  x = 1d0
  call AMPI_Psend_init(x, 2, 2_AMPI_COUNT_KIND, AMPI_ADOUBLE, rank, 0, AMPI_COMM_WORLD, AMPI_INFO_NULL, &
    request, code)
  call refused('AMPI_Psend_init')
  call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_ARE_FATAL, code)
  call finish()

contains

  function message() result(text)
    character(AMPI_MAX_ERROR_STRING) :: text
    integer :: length, other
    call AMPI_Error_string(code, text, length, other)
  end function

  logical function is_there(call)
    character(*), intent(in) :: call
    is_there = code == AMPI_SUCCESS
    if (is_there .or. index(message(), call//': the MPI in use has no such call, which came with MPI-4') > 0) return
    print *, call, ': ', trim(message())
    error stop 1
  end function

  subroutine refused(call)
    character(*), intent(in) :: call
    if (code /= AMPI_SUCCESS .and. index(message(), call//': the datatype is active') > 0) return
    print *, call, ': ', trim(message())
    error stop 1
  end subroutine
end program
