! Operations whose adjoint the program knows, and the largest number of operations.
#include "binding.h"
module pairs
  implicit none
  integer :: applied = 0, derived = 0
contains
  ! Complex numbers in pairs of reals: (a, b)(c, d).
  subroutine times(in, inout, n, datatype)
    integer :: n, datatype
    real(8) :: in(2, n), inout(2, n), product(2)
    integer :: i
    applied = applied + 1
    if (datatype == 0 .and. n < 0) return
    do i = 1, n
      product = [in(1, i)*inout(1, i) - in(2, i)*inout(2, i), in(1, i)*inout(2, i) + in(2, i)*inout(1, i)]
      inout(:, i) = product
    end do
  end subroutine

  subroutine times_adjoint(in, inout, result_adjoint, in_adjoint, inout_adjoint, len, size)
    integer, intent(in) :: len, size
    double precision, intent(in) :: in(size, len), inout(size, len), result_adjoint(size, len)
    double precision, intent(inout) :: in_adjoint(size, len), inout_adjoint(size, len)
    integer :: i
    derived = derived + 1
    if (size /= 2) error stop 'doubles of an item'
    do i = 1, len
      in_adjoint(:, i) = in_adjoint(:, i) + back(inout(:, i), result_adjoint(:, i))
      inout_adjoint(:, i) = inout_adjoint(:, i) + back(in(:, i), result_adjoint(:, i))
    end do
  end subroutine

  ! What the adjoint of a product is for the factor beside `other`.
  function back(other, adjoint) result(r)
    real(8), intent(in) :: other(2), adjoint(2)
    real(8) :: r(2)
    r = [other(1)*adjoint(1) + other(2)*adjoint(2), other(1)*adjoint(2) - other(2)*adjoint(1)]
  end function
end module

program test_derivatives
  use support
  use pairs
  implicit none
#if defined(ADMPI_TEST_INCLUDE)
  external :: many_operations
#else
  interface
    subroutine many_operations(created, code)
      integer, intent(out) :: created, code
    end subroutine
  end interface
#endif
#if defined(ADMPI_TEST_F08)
  procedure(AMPI_User_function) :: times_f08
#define TIMES times_f08
#else
#define TIMES times
#endif
  HANDLE(AMPI_Datatype) :: pair
  HANDLE(AMPI_Op) :: op
  type(admpi_var) :: x(6), y(6)
  real(8) :: want(6), weights(6), other(6), passive(4), got(4)
  integer :: i, k, n, text_length
  character(AMPI_MAX_ERROR_STRING) :: text
  call begin()
  call AMPI_Op_create_adjoint(TIMES, times_adjoint, .true., op, code)
  if (code /= AMPI_SUCCESS) error stop 'AMPI_Op_create_adjoint'
  call AMPI_Type_contiguous(2, AMPI_ADOUBLE, pair, code)
  call AMPI_Type_commit(pair, code)
  call inputs(x)
  call AMPI_Allreduce(x, y, 3, pair, op, AMPI_COMM_WORLD, code)
  ! The product of all numbers, and that of all others, whose adjoint this rank's factor gets.
  want = [1d0, 0d0, 1d0, 0d0, 1d0, 0d0]
  other = want
  do k = 0, ranks - 1
    do i = 1, 5, 2
      want(i:i + 1) = product_of(want(i:i + 1), [10d0*k + i, 10d0*k + i + 1])
      if (k /= rank) other(i:i + 1) = product_of(other(i:i + 1), [10d0*k + i, 10d0*k + i + 1])
    end do
  end do
  call check('product', admpi_value(y), want)
  if (ranks > 1 .and. rank == 0 .and. applied == 0) error stop 'the operation was not called'
  weights = 0.5d0*ranks*(ranks + 1)*[(i, i=1, 6)]
  do i = 1, 5, 2
    want(i:i + 1) = back(other(i:i + 1), weights(i:i + 1))
  end do
  call check('adjoints', swept(x, y), want)
  if (ranks > 1 .and. rank == 0 .and. derived == 0) error stop 'the adjoint was not called'
  call AMPI_Type_free(pair, code)
  ! Passive data are MPI's to reduce.
  call AMPI_Type_contiguous(2, AMPI_DOUBLE_PRECISION, pair, code)
  call AMPI_Type_commit(pair, code)
  passive = [0d0, 1d0, 2d0, 0d0]
  call AMPI_Allreduce(passive, got, 2, pair, op, AMPI_COMM_WORLD, code)
  other(1:4) = [1d0, 0d0, 2d0**ranks, 0d0]
  do k = 1, ranks
    other(1:2) = product_of(other(1:2), [0d0, 1d0])
  end do
  call check('passive', got, other(1:4))
  call AMPI_Type_free(pair, code)
  call AMPI_Op_free(op, code)
  ! The 65th procedure is refused; `times` has a place already.
  call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_RETURN, code)
  call many_operations(n, code)
  call check('operations', n, 63)
  call AMPI_Error_string(code, text, text_length, i)
  if (index(text, 'AMPI_Op_create: Fortran may pass at most 64 different procedures') == 0) then
    print *, trim(text)
    error stop 'the message'
  end if
  call AMPI_Op_create_adjoint(TIMES, times_adjoint, .true., op, code)
  if (code /= AMPI_SUCCESS) error stop 'a procedure that has a place'
  call AMPI_Op_free(op, code)
  call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_ARE_FATAL, code)
  call finish()

contains

  function product_of(a, b) result(r)
    real(8), intent(in) :: a(2), b(2)
    real(8) :: r(2)
    r = [a(1)*b(1) - a(2)*b(2), a(1)*b(2) + a(2)*b(1)]
  end function
end program

#if defined(ADMPI_TEST_F08)
subroutine times_f08(invec, inoutvec, len, datatype)
  use, intrinsic :: iso_c_binding
  use ampi_f08
  use pairs
  implicit none
  type(c_ptr), value :: invec, inoutvec
  integer :: len
  type(AMPI_Datatype) :: datatype
  real(8), pointer :: in(:, :), inout(:, :)
  call c_f_pointer(invec, in, [2, len])
  call c_f_pointer(inoutvec, inout, [2, len])
  call times(in, inout, len, datatype%MPI_VAL)
end subroutine
#endif
