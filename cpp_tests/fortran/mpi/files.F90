! Files of active values: numbers are written, and what is read is passive.
#include "binding.h"
program test_files
  use support
  use admpi_tangents
  implicit none
  integer, parameter :: n = 4
  call begin()
  call through_a_file(.true.)
  call through_a_file(.false.)
  call tangents_through_a_file()
  call finish()

contains

  ! Writes x, reads it back as numbers and into y, of which the last element is not read.
  subroutine through_a_file(blocking)
    logical, intent(in) :: blocking
    type(admpi_var) :: x(n), y(n + 1)
    real(8) :: numbers(n)
    integer(AMPI_OFFSET_KIND) :: start, place
    HANDLE(AMPI_File) :: handle
    HANDLE(AMPI_Request) :: request
    integer :: i
    start = 0
    place = n*rank
    call AMPI_File_open(AMPI_COMM_WORLD, merge('fortran_1.dat', 'fortran_2.dat', blocking), &
                        AMPI_MODE_CREATE + AMPI_MODE_RDWR + AMPI_MODE_DELETE_ON_CLOSE, AMPI_INFO_NULL, handle, code)
    call check('open', code, AMPI_SUCCESS)
    call AMPI_File_set_view(handle, start, AMPI_ADOUBLE, AMPI_ADOUBLE, 'native', AMPI_INFO_NULL, code)
    call inputs(x)
    do i = 1, n + 1
      y(i) = 3d0*x(1)
    end do
    call AMPI_File_write_at_all(handle, place, x, n, AMPI_ADOUBLE, AMPI_STATUS_IGNORE, code)
    call AMPI_File_sync(handle, code)
    call AMPI_File_read_at_all(handle, place, numbers, n, AMPI_DOUBLE_PRECISION, AMPI_STATUS_IGNORE, code)
    call check('numbers', numbers, admpi_value(x))
    if (blocking) then
      call AMPI_File_read_at_all(handle, place, y, n, AMPI_ADOUBLE, AMPI_STATUS_IGNORE, code)
    else
      call AMPI_File_iread_at(handle, place, y, n, AMPI_ADOUBLE, request, code)
      call AMPI_Wait(request, AMPI_STATUS_IGNORE, code)
    end if
    call check('read', admpi_value(y(:n)), numbers)
    call check('adjoints', swept(x, y), [3d0*(n + 1)*(rank + 1), (0d0, i=2, n)])
    call AMPI_File_close(handle, code)
  end subroutine

  ! Their values, by a view of them.
  subroutine tangents_through_a_file()
    type(admpi_tangent) :: x(n), y(n)
    real(8) :: numbers(n)
    integer(AMPI_OFFSET_KIND) :: start, place
    HANDLE(AMPI_File) :: handle
    integer :: i
    start = 0
    place = n*rank
    do i = 1, n
      x(i) = admpi_tangent(10d0*rank + i, 2d0)
      y(i) = admpi_tangent(0d0, 3d0)
    end do
    call AMPI_File_open(AMPI_COMM_WORLD, 'fortran_3.dat', AMPI_MODE_CREATE + AMPI_MODE_RDWR + AMPI_MODE_DELETE_ON_CLOSE, &
                        AMPI_INFO_NULL, handle, code)
    call AMPI_File_set_view(handle, start, AMPI_TANGENT, AMPI_TANGENT, 'native', AMPI_INFO_NULL, code)
    call AMPI_File_write_at_all(handle, place, x, n, AMPI_TANGENT, AMPI_STATUS_IGNORE, code)
    call AMPI_File_sync(handle, code)
    call AMPI_File_read_at_all(handle, place, numbers, n, AMPI_DOUBLE_PRECISION, AMPI_STATUS_IGNORE, code)
    call check('numbers of tangents', numbers, admpi_value(x))
    call AMPI_File_read_at_all(handle, place, y, n - 1, AMPI_TANGENT, AMPI_STATUS_IGNORE, code)
    call check('tangents read', admpi_value(y), [numbers(:n - 1), 0d0])
    call check('their derivatives', admpi_derivative(y), [(0d0, i=2, n), 3d0])
    call AMPI_File_close(handle, code)
  end subroutine
end program
