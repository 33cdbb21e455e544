! A profile over ranks: rank r enters a region 2*(r + 1) times, and rank 0 one of its own. Rank 0 has the table of all.
#include "binding.h"
program test_profile
  use support
  implicit none
  type(admpi_profile) :: profile
  type(admpi_var) :: x, y
  character(:), allocatable :: table
  integer :: i
  call begin()
  call tape%set_profile(.true.)
  call tape%start()
  x = 1d0 + rank
  call tape%input(x)
  y = x
  do i = 1, 2*(rank + 1)
    call admpi_region_begin('work')
    y = sin(y)*x
    call admpi_region_end('work')
  end do
  if (rank == 0) then
    do i = 1, ranks
      call admpi_region_begin('alone')
      y = 2d0*y
      call admpi_region_end('alone')
    end do
  end if
  call tape%seed(y, 1d0)
  call tape%reverse()

  ! Its own profile first.
  call tape%profile(profile)
  call profile%table(table)
  call check_integer('own work', count_of('work'), 2*(rank + 1))
  call check_integer('columns of one rank', index(table, 'least'), 0)
  call admpi_profile_gather(AMPI_COMM_WORLD, profile, code)
  call check_integer('gather', code, 0)
  call profile%table(table, most=0)
  if (rank == 0) then
    ! Means.
    call check_integer('work', count_of('work'), ranks + 1)
    call check_integer('alone', count_of('alone'), 1)
    if ((index(table, 'least') > 0) .neqv. ranks > 1) error stop 'the spread is missing'
  else
    call check_text('elsewhere', table, '')
  end if
  call profile%free()

  ! Nothing to gather is an error.
  call admpi_profile_gather(AMPI_COMM_WORLD, profile, code)
  if (code == 0 .or. index(admpi_last_error(), 'profile is NULL') == 0) error stop 'no profile, and nothing says so'
  call finish()
contains
  ! The first number behind a region's name.
  integer function count_of(region)
    character(*), intent(in) :: region
    integer :: at
    at = index(table, new_line('a')//region//' ')
    if (at == 0) error stop 'a region is missing'
    read (table(at + 1 + len(region):), *) count_of
  end function
end program
