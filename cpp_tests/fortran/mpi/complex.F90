! Complex numbers in messages and reductions: the same program with complex(8) and with active numbers, its gradient against
! differences.
#include "binding.h"
module complex_messages
  use support
  use admpi_tangents
  use admpi_complex
  use admpi_complex_tangents
  implicit none
contains
  subroutine with_numbers(z, y)
    complex(8), intent(in) :: z(3)
    real(8), intent(out) :: y
    complex(8) :: u(3), v(2), total(3), factor, halo, all_of_them(ranks)
    HANDLE(AMPI_Request) :: requests(2)
    HANDLE(AMPI_Datatype) :: every_other
#define COMPLEX_TYPE AMPI_DOUBLE_COMPLEX
#include "complex_body.h"
#undef COMPLEX_TYPE
  end subroutine
  subroutine with_active(z, y)
    type(admpi_var_complex), intent(in) :: z(3)
    type(admpi_var), intent(out) :: y
    type(admpi_var_complex) :: u(3), v(2), total(3), factor, halo, all_of_them(ranks)
    HANDLE(AMPI_Request) :: requests(2)
    HANDLE(AMPI_Datatype) :: every_other
#define COMPLEX_TYPE AMPI_ADOUBLE_COMPLEX
#include "complex_body.h"
  end subroutine

  subroutine test_gradient()
    real(8), parameter :: h = 1d-5
    complex(8) :: z(3), moved(3)
    type(admpi_var_complex) :: a(3)
    type(admpi_var) :: y
    real(8) :: value, up, down, wanted, re(3), im(3), sum_of_all, mine
    integer :: i, part, of
    do i = 1, 3
      z(i) = cmplx(0.5d0 + 0.25d0*i - 0.125d0*rank, 0.75d0 - 0.5d0*i + 0.25d0*rank, 8)
    end do
    call with_numbers(z, value)
    call tape%reset()
    call tape%start()
    a = z
    call tape%input(a%re)
    call tape%input(a%im)
    call with_active(a, y)
    call check('value', admpi_value(y), value)
    call tape%seed(y, 1d0)
    call tape%stop()
    call tape%reverse()
    re = tape%adjoint(a%re)
    im = tape%adjoint(a%im)
    ! All ranks have seeded their y.
    do of = 0, ranks - 1
      do i = 1, 3
        do part = 0, 1
          moved = z
          if (of == rank) moved(i) = z(i) + merge((1d0, 0d0), (0d0, 1d0), part == 0)*h
          call with_numbers(moved, up)
          moved = z
          if (of == rank) moved(i) = z(i) - merge((1d0, 0d0), (0d0, 1d0), part == 0)*h
          call with_numbers(moved, down)
          mine = (up - down)/(2*h)
          call AMPI_Allreduce(mine, sum_of_all, 1, AMPI_DOUBLE_PRECISION, AMPI_SUM, AMPI_COMM_WORLD, code)
          wanted = merge(re(i), im(i), part == 0)
          if (of == rank .and. abs(wanted - sum_of_all) > 1d-7*max(1d0, abs(sum_of_all))) then
            print *, 'rank', rank, 'part', part, 'of', i, ': ', wanted, 'not', sum_of_all
            error stop 1
          end if
        end do
      end do
    end do
  end subroutine

  ! As twice as many tangents.
  subroutine test_tangents()
    type(admpi_tangent_complex) :: t(2), s(2)
    type(admpi_tangent_var_complex) :: w(2), v(2)
    type(admpi_var) :: x, y
    real(8) :: all_ranks
    all_ranks = 0.5d0*ranks*(ranks - 1)
    t = admpi_tangent_complex([(1d0, 2d0), (3d0, 0d0)], [(0d0, 1d0), (1d0, 1d0)])*dble(rank)
    call AMPI_Allreduce(t, s, 4, AMPI_TANGENT, AMPI_SUM, AMPI_COMM_WORLD, code)
    call check('tangents', [real(admpi_value(s)), aimag(admpi_derivative(s))], all_ranks*[1d0, 3d0, 1d0, 1d0])
    call tape%reset()
    call tape%start()
    x = dble(rank)
    call tape%input(x)
    w = admpi_tangent_var_complex([(1d0, 2d0), (3d0, 0d0)], [(0d0, 1d0), (1d0, 1d0)])*x
    w(1) = w(1)*w(2)
    call AMPI_Allreduce(w, v, 4, AMPI_TANGENT_VAR, AMPI_SUM, AMPI_COMM_WORLD, code)
    y = v(1)%im%derivative
    call tape%seed(y, 1d0)
    call tape%stop()
    call tape%reverse()
    ! Its derivative is x**2 times (1, 2)*(1, 1) + (0, 1)*(3, 0).
    call check('active tangents', tape%adjoint(x), 2d0*rank*6*ranks)
  end subroutine

#ifdef ADMPI_TEST_DESCRIPTORS
  ! What does not fit the datatype is refused; sections are sent as they lie.
  subroutine test_buffers()
    type(admpi_var_complex) :: z(4), one(2)
    complex(8) :: c(2)
    real(8) :: r(2)
    c = 1d0
    r = 1d0
    z = [(0d0, 1d0), (1d0, 2d0), (2d0, 3d0), (3d0, 4d0)]
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_RETURN, code)
    call AMPI_Send(z, 4, AMPI_DOUBLE_COMPLEX, AMPI_PROC_NULL, 0, AMPI_COMM_WORLD, code)
    call refused('active as passive', 'use AMPI_ADOUBLE_COMPLEX')
    call AMPI_Send(z, 4, AMPI_ADOUBLE, AMPI_PROC_NULL, 0, AMPI_COMM_WORLD, code)
    call refused('complex as real', 'admpi_var_complex: AMPI_ADOUBLE_COMPLEX')
    call AMPI_Send(c, 2, AMPI_ADOUBLE_COMPLEX, AMPI_PROC_NULL, 0, AMPI_COMM_WORLD, code)
    call refused('passive as active', 'the elements are no admpi_var_complex')
    call AMPI_Send(r, 1, AMPI_ADOUBLE_COMPLEX, AMPI_PROC_NULL, 0, AMPI_COMM_WORLD, code)
    call refused('reals as active', 'the elements are no admpi_var_complex')
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_ARE_FATAL, code)
    call AMPI_Sendrecv(z(4:1:-2), 2, AMPI_ADOUBLE_COMPLEX, rank, 3, one, 2, AMPI_ADOUBLE_COMPLEX, rank, 3, &
      AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call check('a section', [real(admpi_value(one)), aimag(admpi_value(one))], [3d0, 1d0, 4d0, 2d0])
  end subroutine
  subroutine refused(what, message)
    character(*), intent(in) :: what, message
    character(AMPI_MAX_ERROR_STRING) :: text
    integer :: length, other
    if (code == AMPI_SUCCESS) error stop 'accepted'
    call AMPI_Error_string(code, text, length, other)
    if (index(text, message) > 0) return
    print *, what, ': "', trim(text), '" has no "', message, '"'
    error stop 1
  end subroutine
#endif
end module

program test_complex
  use complex_messages
  implicit none
  call begin()
  call test_gradient()
  call test_tangents()
#ifdef ADMPI_TEST_DESCRIPTORS
  call test_buffers()
#endif
  call finish()
end program
