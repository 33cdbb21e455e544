! What beginners do, and what checking mode says of it. Each gives a wrong derivative, most of them in silence.
! `mistakes overwritten` ends with an error.
module mistakes
  use admpi
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: x(3), y
  integer :: failures = 0

contains

  subroutine record()
    call tape%reset()
    call tape%start()
    x = [1d0, 2d0, 3d0]
    call tape%input(x)
  end subroutine

  ! Seeds y and sweeps: one of them must fail, and say so.
  subroutine expect(what, words)
    character(*), intent(in) :: what, words
    integer :: code
    call tape%seed(y, 1d0, ierr=code)
    if (code == 0) call tape%reverse(ierr=code)
    call expect_error(what, code, words)
  end subroutine

  subroutine expect_error(what, code, words)
    character(*), intent(in) :: what, words
    integer, intent(in) :: code
    if (code /= 0 .and. index(admpi_last_error(), words) > 0) return
    print *, what, ': code', code, ', "', admpi_last_error(), '" lacks "', words, '"'
    failures = failures + 1
  end subroutine

  subroutine writes_the_first(a)
    type(admpi_var), intent(out) :: a(:)
    a(1) = 1d0
  end subroutine

  subroutine skips_zeros(a, b)
    type(admpi_var), intent(in) :: a
    type(admpi_var), intent(out) :: b
    b = 0d0
    if (a /= 0) b = 2*a
  end subroutine
end module

program test_mistakes
  use mistakes
  implicit none
  type(admpi_var), save :: kept
  type(admpi_var) :: z(3)
  character(8) :: text
  integer :: unit, code
  call tape%new()
  call tape%activate()

  call tape%start()
  x = [1d0, 2d0, 3d0]
  y = sum(x*x)
  call expect('no input', 'declare the inputs before')

  call record()
  x = [1d0, 2d0, 3d0]
  y = sum(x*x)
  call expect('an input that is assigned again', 'declare the inputs before')

  call record()
  y = admpi_value(x(1))*2
  call expect('a value in the middle', 'declare the inputs before')

  call record()
  z = x
  call writes_the_first(z)
  y = z(2)
  call expect('intent(out) forgets what is not written', 'declare the inputs before')

  call record()
  call skips_zeros(admpi_var(x(1) - 1), y)
  call expect('a branch that skips zeros', 'declare the inputs before')

  call record()
  kept = x(1)*x(2)
  call record()
  y = kept*x(3)
  call expect('a value of the recording before', 'stale')

  call record()
  z = 2*x
  open (newunit=unit, status='scratch', form='unformatted')
  write (unit) z
  rewind (unit)
  call record()
  read (unit) z
  close (unit)
  y = sum(z*x)
  call expect('a value of a recording before, from a file', 'stale')

  ! Of each element three numbers are read.
  call record()
  text = '4 5 6'
  read (text, *) z(1)
  y = z(1)*x(1)
  call expect('a value that is read with id and tag', 'from a file')

  call record()
  y = sum(x*x)
  call tape%seed(y, 1d0) ! forgotten by the reset
  call record()
  y = sum(x*x)
  call tape%reverse(ierr=code)
  call expect_error('no seed', code, 'nothing was seeded')

  if (command_argument_count() > 0) then
    call record()
    x = 2*x
    y = sum(x*x)
    call tape%seed(y, 1d0)
    call tape%reverse()
    print *, tape%adjoint(x)
  end if
  call tape%free()
  if (failures > 0) error stop 1
end program
