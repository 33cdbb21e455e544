! Expressions without memory: the next sweep says so, and after a reset all is well again. The address space is limited to what the
! program has.
program test_memory
  use check
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    integer(c_int) function setrlimit(resource, limits) bind(C)
      import
      integer(c_int), value :: resource
      integer(c_long), intent(in) :: limits(2)
    end function
    integer(c_int) function getrlimit(resource, limits) bind(C)
      import
      integer(c_int), value :: resource
      integer(c_long), intent(inout) :: limits(2)
    end function
  end interface
  integer(c_int), parameter :: address_space = 9
  integer, parameter :: n = 20000
  integer(c_long) :: limits(2), pages
  type(admpi_var) :: x(n), y
  real(8) :: gradient(n)
  integer :: error, unit, round
  call begin()
  call inputs(x, spread(1d0, 1, n))
  error = deep(500)
  if (getrlimit(address_space, limits) /= 0) error stop 'getrlimit'
  do round = 1, 2
    open (newunit=unit, file='/proc/self/statm', status='old')
    read (unit, *) pages
    close (unit)
    if (setrlimit(address_space, [pages*4096 + 2000000, limits(2)]) /= 0) error stop 'setrlimit'
    ! All expressions of the array are live.
    y = sum(((x + 2d0*x) + (3d0*x + 4d0*x))*((x + 5d0*x) + (6d0*x + 7d0*x)) + x*x)
    if (setrlimit(address_space, limits) /= 0) error stop 'setrlimit'
    call tape%reverse(error)
    if (error == 0 .or. index(admpi_last_error(), 'memory') == 0) call fail('expressions without memory are no error')
    call inputs(x, spread(1d0, 1, n))
  end do
  y = sum(((x + 2d0*x) + (3d0*x + 4d0*x))*((x + 5d0*x) + (6d0*x + 7d0*x)) + x*x)
  call tape%seed(y, 1d0)
  call tape%reverse()
  gradient = tape%adjoint(x)
  if (any(gradient /= 382d0)) call fail('expressions after a reset')
  call finish()
contains
  ! The stack has room from now on.
  recursive integer function deep(n) result(y)
    integer, intent(in) :: n
    integer :: room(500)
    room = n
    y = room(mod(n, 500) + 1)
    if (n > 0) y = y + deep(n - 1)
  end function
end program
