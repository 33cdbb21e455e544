! What the tests of the module admpi share: values and derivatives of one statement against differences and formulas.
module check
  use admpi
  implicit none
  type(admpi_tape) :: tape
  integer :: failures = 0
contains
  subroutine begin()
    call tape%new()
    call tape%activate()
    call tape%start()
  end subroutine

  subroutine finish()
    call tape%free()
    call equal(admpi_live_expressions(), 0, 'live expressions at the end')
    if (failures > 0) then
      print '(i0, a)', failures, ' failures'
      error stop 1
    end if
  end subroutine

  subroutine fail(what)
    character(*), intent(in) :: what
    failures = failures + 1
    print '(2a)', 'FAILED: ', what
  end subroutine

  subroutine equal(got, expected, what)
    integer, intent(in) :: got, expected
    character(*), intent(in) :: what
    if (got == expected) return
    failures = failures + 1
    print '(3a, i0, a, i0)', 'FAILED: ', what, ': ', got, ', expected ', expected
  end subroutine

  subroutine near(got, expected, what, tolerance)
    real(8), intent(in) :: got, expected
    character(*), intent(in) :: what
    real(8), intent(in), optional :: tolerance
    real(8) :: allowed
    allowed = 4d-15
    if (present(tolerance)) allowed = tolerance
    if (abs(got - expected) <= allowed*max(1d0, abs(expected))) return
    failures = failures + 1
    print '(3a, es24.16, a, es24.16)', 'FAILED: ', what, ': ', got, ', expected ', expected
  end subroutine

  integer function statements()
    type(admpi_statistics) :: now
    call tape%statistics(now)
    statements = int(now%statements)
  end function

  ! Inputs with these values, on an empty tape.
  subroutine inputs(x, values)
    type(admpi_var), intent(inout) :: x(:)
    real(8), intent(in) :: values(:)
    call tape%reset()
    call tape%start()
    x = values
    call tape%input(x)
  end subroutine

  ! Value, derivatives and number of statements of y = f(x).
  subroutine expect(what, y, value, x, gradient, made, tolerance)
    character(*), intent(in) :: what
    type(admpi_var), intent(in) :: y, x(:)
    real(8), intent(in) :: value, gradient(:)
    integer, intent(in), optional :: made
    real(8), intent(in), optional :: tolerance ! of the value
    real(8) :: got(size(x))
    integer :: i
    call near(admpi_value(y), value, what//': value', tolerance)
    if (present(made)) call equal(statements(), made, what//': statements')
    call equal(admpi_live_expressions(), 0, what//': live expressions')
    call tape%seed(y, 1d0)
    call tape%reverse()
    got = tape%adjoint(x)
    do i = 1, size(x)
      call near(got(i), gradient(i), what//': derivative')
    end do
  end subroutine
end module
