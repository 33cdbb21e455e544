! Matrices as components. gfortran 12 copies them bit by bit, and destroys what has never been there. Such a copy is the same matrix: it
! can be read as long as that has not been assigned anew, and not be written to. Not under valgrind, which sees what the compiler does.
module components
  use admpi
  use admpi_matrices
  use check
  implicit none
  type :: model
    type(admpi_varmat) :: a
    type(admpi_varmat), allocatable :: parts(:)
  end type
contains
  subroutine copies()
    type(model) :: m, n
    type(admpi_var) :: of_sum
    integer :: ierr
    m%a = reshape([1d0, 2d0, 3d0, 4d0], [2, 2])
    allocate (m%parts(2))
    m%parts(1) = m%a
    m%parts(2) = m%a + m%a
    call equal(admpi_live_matrices(), 3, 'components')
    n = m
    of_sum = sum(n%a) + sum(n%parts(2))
    call near(admpi_value(of_sum), 30d0, 'components of a copy')
    call admpi_assign(n%a, 5d0, ierr)
    if (ierr /= 0) call equal(ierr, 6, 'a copy by the compiler')
    of_sum = sum(m%a)
    call near(admpi_value(of_sum), 10d0, 'a component after an assignment to its copy')
    m%parts(2) = m%a
    of_sum = sum(n%parts(2), ierr)
    if (ierr == 0) call near(admpi_value(of_sum), 20d0, 'a component of a copy')
    if (ierr /= 0) call equal(ierr, 6, 'a copy of what has been assigned anew')
    n%parts(2) = m%parts(2)
    call n%parts(2)%put(1, 1, 5d0)
    of_sum = sum(m%parts(2)) + sum(n%parts(2))
    call near(admpi_value(of_sum), 24d0, 'a component that was assigned')
  end subroutine
end module

program test_components
  use components
  implicit none
  integer :: i
  call begin()
  do i = 1, 3
    call copies()
    call equal(admpi_live_matrices(), 0, 'matrices at the end')
  end do
  call finish()
end program
