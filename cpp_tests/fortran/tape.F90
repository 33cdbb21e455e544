! A tape in Fortran: record, sweep, adjoints.
program test_tape
  use admpi
  implicit none
  type(admpi_tape) :: tape
  type(admpi_var) :: x(3), y, z
  real(8) :: g(3)

  call tape%new()
  call tape%activate()
  call tape%start()
  x = [2d0, 3d0, 5d0]
  call tape%input(x)
  y = x(1)*x(2) + sin(x(3))/x(1) - 2*x(2)**2
  z = 1d0
  z = z*y
  call tape%seed(z, 1d0)
  call tape%reverse()
  g = tape%adjoint(x)
  if (abs(admpi_value(y) - (6d0 + sin(5d0)/2d0 - 18d0)) > 1d-14) error stop 'value'
  if (maxval(abs(g - [3d0 - sin(5d0)/4d0, 2d0 - 12d0, cos(5d0)/2d0])) > 1d-14) error stop 'gradient'
  call profiled()
  call tape%free()

contains

  ! Regions, and the table of their profile.
  subroutine profiled()
    type(admpi_profile) :: profile
    character(:), allocatable :: table
    integer :: status, i

    call tape%profile_table(table, ierr=status)
    if (status == 0 .or. index(admpi_last_error(), 'admpi_tape_set_profile') == 0) error stop 'no profile'
    call admpi_region_begin('ignored')
    call tape%set_profile(.true.)
    call admpi_region_begin('model')
    call admpi_region_begin('inner  ')
    y = x(1)*x(2)
    call admpi_region_end('model', status)
    if (status == 0 .or. index(admpi_last_error(), 'innermost open region is "inner"') == 0) error stop 'region_end'
    call admpi_region_end('inner')
    call admpi_region_end('model')
    call tape%profile_table(table, most=0)
    if (index(table, 'model/inner ') == 0 .or. index(table, 'ignored') /= 0) error stop 'profile_table'
    call tape%profile_table(table, most=1)
    if (index(table, '(others)') == 0) error stop 'most'
    ! An object that is read again, and one that holds nothing.
    do i = 1, 2
      call tape%profile(profile)
      call profile%table(table, most=0)
      if (index(table, 'model/inner ') == 0) error stop 'profile'
    end do
    call profile%free()
    call profile%table(table, ierr=status)
    if (status == 0 .or. table /= '' .or. index(admpi_last_error(), 'profile') == 0) error stop 'no profile is held'
    call tape%set_profile(.false.)
    call admpi_region_end('passed over')
  end subroutine
end program
