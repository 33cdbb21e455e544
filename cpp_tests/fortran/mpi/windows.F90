! Windows of active data: fences with Put, Get and Accumulate, epochs of start and post, and locks.
#include "binding.h"
module memory
  use admpi
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 3
  ! What others write to, while Fortran does not see it.
  type(admpi_var), target, asynchronous, save :: room(n), fetched(n)
end module

program test_windows
  use support
  use memory
  use admpi_tangents
  implicit none
  integer(AMPI_ADDRESS_KIND), parameter :: zero = 0, bytes = 16*n
  HANDLE(AMPI_Win) :: win
  integer :: right, left, i
  call begin()
  right = modulo(rank + 1, ranks)
  left = modulo(rank - 1, ranks)
  call AMPI_Win_create(room, bytes, 16, AMPI_INFO_NULL, AMPI_COMM_WORLD, win, code)
  call put()
  call get()
  call accumulate()
  call posted()
  call locked()
  call AMPI_Win_free(win, code)
#if !defined(ADMPI_TEST_INCLUDE)
  call allocated_room()
  call tangents()
#endif
  call finish()

contains

  subroutine fence()
    call AMPI_Win_fence(0, win, code)
  end subroutine

  ! Room of x(1), then all elements of left's x. Element i of the room has the weight i*(rank + 1).
  subroutine put()
    type(admpi_var) :: x(n)
    call inputs(x)
    room = 0d0
    call fence()
    call AMPI_Put(x, n, AMPI_ADOUBLE, right, zero, n, AMPI_ADOUBLE, win, code)
    call fence()
    call check('put', admpi_value(room), [(10d0*left + i, i=1, n)])
    call check('put, adjoints', swept(x, room), [(dble(i*(right + 1)), i=1, n)])
  end subroutine

  subroutine get()
    type(admpi_var) :: x(n)
    call inputs(x)
    room = x
    fetched = 0d0
    call fence()
    ! The two last of right's, one apart from the other.
    call AMPI_Get(fetched(1), 2, AMPI_ADOUBLE, right, 1_AMPI_ADDRESS_KIND, 2, AMPI_ADOUBLE, win, code)
    call fence()
    call check('get', admpi_value(fetched), [10d0*right + 2, 10d0*right + 3, 0d0])
    call check('get, adjoints', swept(x, fetched), (left + 1)*[0d0, 1d0, 2d0])
  end subroutine

  ! Sums, and products with what lies there.
  subroutine accumulate()
    type(admpi_var) :: x(n)
    real(8) :: all
    call inputs(x)
    room = 0d0
    call fence()
    call AMPI_Accumulate(x, n, AMPI_ADOUBLE, 0, zero, n, AMPI_ADOUBLE, AMPI_SUM, win, code)
    call fence()
    all = 5d0*ranks*(ranks - 1)
    if (rank == 0) call check('sum', admpi_value(room), [(all + ranks*i, i=1, n)])
    call check('sum, adjoints', swept(x, room), [(dble(i), i=1, n)])
    call inputs(x)
    room = x
    call fence()
    call AMPI_Accumulate(x, n, AMPI_ADOUBLE, right, zero, n, AMPI_ADOUBLE, AMPI_PROD, win, code)
    call fence()
    call check('product', admpi_value(room), [((10d0*rank + i)*(10*left + i), i=1, n)])
    call check('product, adjoints', swept(x, room), [(dble(i*((rank + 1)*(10*left + i) + (right + 1)*(10*right + i))), i=1, n)])
  end subroutine

  ! Each rank posts its room to the left and starts an epoch on the right.
  subroutine posted()
    HANDLE(AMPI_Group) :: all, sources, targets
    type(admpi_var) :: x(n)
    call AMPI_Comm_group(AMPI_COMM_WORLD, all, code)
    call AMPI_Group_incl(all, 1, [left], sources, code)
    call AMPI_Group_incl(all, 1, [right], targets, code)
    call inputs(x)
    room = 0d0
    call AMPI_Win_post(sources, 0, win, code)
    call AMPI_Win_start(targets, 0, win, code)
    call AMPI_Put(x(2), 2, AMPI_ADOUBLE, right, 1_AMPI_ADDRESS_KIND, 2, AMPI_ADOUBLE, win, code)
    call AMPI_Win_complete(win, code)
    call AMPI_Win_wait(win, code)
    call check('posted', admpi_value(room), [0d0, 10d0*left + 2, 10d0*left + 3])
    call check('posted, adjoints', swept(x, room), (right + 1)*[0d0, 2d0, 3d0])
    call AMPI_Group_free(all, code)
    call AMPI_Group_free(sources, code)
    call AMPI_Group_free(targets, code)
  end subroutine

  ! What left has put is there after a barrier.
  subroutine locked()
    type(admpi_var) :: x(n)
    call inputs(x)
    room = 0d0
    call AMPI_Barrier(AMPI_COMM_WORLD, code)
    call AMPI_Win_lock(AMPI_LOCK_EXCLUSIVE, right, 0, win, code)
    call AMPI_Put(x, n, AMPI_ADOUBLE, right, zero, n, AMPI_ADOUBLE, win, code)
    call AMPI_Win_unlock(right, win, code)
    call AMPI_Barrier(AMPI_COMM_WORLD, code)
    call check('locked', admpi_value(room), [(10d0*left + i, i=1, n)])
    call check('locked, adjoints', swept(x, room), [(dble(i*(right + 1)), i=1, n)])
  end subroutine

#if !defined(ADMPI_TEST_INCLUDE)
  ! A row of a matrix into memory that MPI has allocated.
  subroutine allocated_room()
    type(admpi_var), pointer, asynchronous :: there(:)
    type(admpi_var) :: x(2, n), y(n)
    real(8) :: gradient(2*n)
    type(c_ptr) :: address
    call AMPI_Win_allocate(bytes, 16, AMPI_INFO_NULL, AMPI_COMM_WORLD, address, win, code)
    call c_f_pointer(address, there, [n])
    call inputs_of(x)
    call fence()
#if defined(ADMPI_TEST_DESCRIPTORS)
    call AMPI_Put(x(2, :), n, AMPI_ADOUBLE, right, zero, n, AMPI_ADOUBLE, win, code)
#else
    y = x(2, :)
    call AMPI_Put(y, n, AMPI_ADOUBLE, right, zero, n, AMPI_ADOUBLE, win, code)
#endif
    call fence()
    y = there
    call check('allocated', admpi_value(y), [(10d0*left + 2*i, i=1, n)])
    gradient = swept_of(x, y)
    call check('allocated, adjoints', gradient, [(0d0, dble(i*(right + 1)), i=1, n)])
    call AMPI_Win_free(win, code)
  end subroutine

  subroutine inputs_of(x)
    type(admpi_var), intent(inout) :: x(2*n)
    call inputs(x)
  end subroutine

  function swept_of(x, y) result(gradient)
    type(admpi_var), intent(in) :: x(2*n), y(:)
    real(8) :: gradient(2*n)
    gradient = swept(x, y)
  end function

  ! On a tape accumulates are those that act on values and derivatives alike, without one any.
  subroutine tangents()
    type(admpi_tangent_var), pointer, asynchronous :: there(:)
    type(admpi_tangent_var) :: t
    type(admpi_tangent), pointer, asynchronous :: plain(:)
    type(admpi_tangent) :: p
    type(admpi_var) :: x(1), y(1)
    type(c_ptr) :: address
    integer :: failed
    call AMPI_Win_allocate(2*bytes, 32, AMPI_INFO_NULL, AMPI_COMM_WORLD, address, win, code)
    call c_f_pointer(address, there, [n])
    call inputs(x)
    t = admpi_tangent_var(x(1), 3d0)
    t = t*t
    call fence()
    call AMPI_Put(t, 1, AMPI_TANGENT_VAR, right, 1_AMPI_ADDRESS_KIND, 1, AMPI_TANGENT_VAR, win, code)
    call fence()
    y(1) = there(2)%derivative
    call check('a tangent', admpi_value(y), [6*(10d0*left + 1)])
    call check('a tangent, second derivative', swept(x, y), [6d0*(right + 1)])
    ! (x, 1) times (x**2, 6*x) of the left one.
    call inputs(x)
    t = admpi_tangent_var(x(1), 3d0)
    t = t*t
    there(1) = admpi_tangent_var(x(1), 1d0)
    call fence()
    call AMPI_Accumulate(t, 1, AMPI_TANGENT_VAR, right, zero, 1, AMPI_TANGENT_VAR, AMPI_PROD, win, code)
    call fence()
    y(1) = there(1)%derivative
    associate (here => 10d0*rank + 1, beside => 10d0*left + 1)
      call check('a product of active tangents', admpi_value(y), [beside**2 + 6*beside*here])
    end associate
    associate (here => 10d0*rank + 1, there => 10d0*right + 1, beside => 10d0*left + 1)
      call check('a product of active tangents, second derivative', swept(x, y), &
        [6*beside*(rank + 1) + (2*here + 6*there)*(right + 1)])
    end associate
    call AMPI_Win_set_errhandler(win, AMPI_ERRORS_RETURN, code)
    call fence()
    call AMPI_Accumulate(t, 1, AMPI_TANGENT_VAR, rank, zero, 1, AMPI_TANGENT_VAR, AMPI_MAXLOC, win, failed)
    call fence()
    if (failed == AMPI_SUCCESS) error stop 'AMPI_MAXLOC of tangents is not refused'
    call AMPI_Win_free(win, code)

    call AMPI_Win_allocate(bytes, 16, AMPI_INFO_NULL, AMPI_COMM_WORLD, address, win, code)
    call c_f_pointer(address, plain, [n])
    plain(1) = admpi_tangent(2d0, 1d0)
    p = admpi_tangent(3d0 + rank, 5d0)
    call fence()
    call AMPI_Accumulate(p, 1, AMPI_TANGENT, right, zero, 1, AMPI_TANGENT, AMPI_PROD, win, code)
    call fence()
    call check('a product of tangents', [plain(1)%value, plain(1)%derivative], [2*(3d0 + left), 10 + (3d0 + left)])
    call AMPI_Win_free(win, code)
  end subroutine
#endif
end program
