! What the programs share: the beginning, the end, and comparisons.
#include "binding.h"
module support
  use admpi
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  integer :: rank, ranks, code
  type(admpi_tape) :: tape

  interface check
    procedure check_value, check_values, check_integer, check_text
  end interface

contains

  subroutine begin()
    call AMPI_Init(code)
    call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
    call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
    call tape%new()
    call tape%activate()
  end subroutine

  subroutine finish()
    call tape%free()
    call AMPI_Finalize(code)
  end subroutine

  ! Recorded anew: x(i) = 10*rank + i.
  subroutine inputs(x)
    type(admpi_var), intent(out) :: x(:)
    integer :: i
    call tape%reset()
    call tape%start()
    do i = 1, size(x)
      x(i) = dble(10*rank + i)
    end do
    call tape%input(x)
  end subroutine

  ! The adjoints of x if y(i) has the weight i*(rank + 1).
  function swept(x, y) result(gradient)
    type(admpi_var), intent(in) :: x(:), y(:)
    real(8) :: gradient(size(x))
    integer :: i
    do i = 1, size(y)
      call tape%seed(y(i), dble(i*(rank + 1)))
    end do
    call tape%stop()
    call tape%reverse()
    gradient = tape%adjoint(x)
  end function

  subroutine check_value(what, got, want)
    character(*), intent(in) :: what
    real(8), intent(in) :: got, want
    if (abs(got - want) <= 1d-12*max(1d0, abs(want))) return
    print *, 'rank', rank, what, ': got', got, 'not', want
    error stop 1
  end subroutine

  subroutine check_values(what, got, want)
    character(*), intent(in) :: what
    real(8), intent(in) :: got(:), want(:)
    integer :: i
    if (size(got) /= size(want)) error stop 'sizes'
    do i = 1, size(got)
      call check_value(what, got(i), want(i))
    end do
  end subroutine

  subroutine check_integer(what, got, want)
    character(*), intent(in) :: what
    integer, intent(in) :: got, want
    if (got == want) return
    print *, 'rank', rank, what, ': got', got, 'not', want
    error stop 1
  end subroutine

  subroutine check_text(what, got, want)
    character(*), intent(in) :: what, got, want
    if (got == want) return
    print *, 'rank', rank, what, ': got "', got, '" not "', want, '"'
    error stop 1
  end subroutine
end module
