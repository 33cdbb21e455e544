! Buffers by descriptor: elements that do not fit the datatype are refused, sections are sent as they lie.
#include "binding.h"
program test_buffers
  use support
  use, intrinsic :: iso_c_binding
  implicit none
  type :: pair
    real(8) :: a, b
  end type
  type :: particle
    real(8) :: mass
    type(admpi_var) :: x
  end type
  interface
    type(c_ptr) function malloc(bytes) bind(C)
      import
      integer(c_size_t), value :: bytes
    end function
    subroutine free(memory) bind(C)
      import
      type(c_ptr), value :: memory
    end subroutine
  end interface
  HANDLE(AMPI_Request) :: requests(2)
  call begin()
  call elements()
  call elements_that_do_not_count()
  call structures()
  call passive_among_active()
  call rows()
  call parts_of_planes()
  call persistent()
  call blocking()
  call collectives()
  call scalars_and_pointers()
  call memory_of_c()
  call refused_sections()
  call finish()

contains

  subroutine expect(what, message)
    character(*), intent(in) :: what, message
    character(AMPI_MAX_ERROR_STRING) :: text
    integer :: length, other
    if (code == AMPI_SUCCESS) then
      print *, what, ' is accepted'
      error stop 1
    end if
    call AMPI_Error_string(code, text, length, other)
    if (index(text, message) > 0) return
    print *, what, ': "', trim(text), '" has no "', message, '"'
    error stop 1
  end subroutine

  subroutine quietly()
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_RETURN, code)
  end subroutine

  subroutine loudly()
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_ARE_FATAL, code)
  end subroutine

  subroutine elements()
    character(*), parameter :: no_var = ': the datatype is AMPI_ADOUBLE and the elements are no admpi_var'
    character(*), parameter :: lost = ': the elements are admpi_var and the datatype is MPI_DOUBLE_PRECISION'
    type(admpi_var), target :: x(3)
    real(8) :: r(3)
    integer :: i(3)
    complex(8) :: z
    type(c_ptr) :: address
    HANDLE(AMPI_Datatype) :: column, beside
    integer(AMPI_ADDRESS_KIND) :: places(2)
    r = 0d0
    i = 0
    z = 0d0
    x = 0d0
    call quietly()
    call AMPI_Send(r, 3, AMPI_ADOUBLE, rank, 0, AMPI_COMM_WORLD, code)
    call expect('Send of reals', 'AMPI_Send: buf'//no_var)
    call AMPI_Irecv(i, 3, AMPI_ADOUBLE, rank, 0, AMPI_COMM_WORLD, requests(1), code)
    call expect('Irecv of integers', 'AMPI_Irecv: buf'//no_var)
    call AMPI_Bcast(z, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
    call expect('Bcast of a complex number', 'AMPI_Bcast: buffer'//no_var)
    call AMPI_Allreduce(x, r, 3, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    call expect('Allreduce to reals', 'AMPI_Allreduce: recvbuf'//no_var)
    call AMPI_Allgather(x, 1, AMPI_ADOUBLE, r, 1, AMPI_ADOUBLE, AMPI_COMM_WORLD, code)
    call expect('Allgather to reals', 'AMPI_Allgather: recvbuf'//no_var)
    call AMPI_Type_vector(2, 1, 2, AMPI_ADOUBLE, column, code)
    call AMPI_Type_commit(column, code)
    call AMPI_Send(r, 1, column, rank, 0, AMPI_COMM_WORLD, code)
    call expect('Send of reals in a column', 'AMPI_Send: buf: the datatype is built from AMPI_ADOUBLE')
    call AMPI_Irecv(r, 1, column, rank, 0, AMPI_COMM_WORLD, requests(1), code)
    call expect('Irecv of reals in a column', 'AMPI_Irecv: buf: the datatype is built from AMPI_ADOUBLE')
    call AMPI_Type_free(column, code)
    ! Of items with passive parts an array of reals may be the beginning.
    places = [integer(AMPI_ADDRESS_KIND) :: 0, 8]
    call AMPI_Type_create_struct(2, [1, 1], places, [AMPI_DOUBLE_PRECISION, AMPI_ADOUBLE], beside, code)
    call AMPI_Type_commit(beside, code)
    call AMPI_Send(r, 0, beside, AMPI_PROC_NULL, 0, AMPI_COMM_WORLD, code)
    call check('items with passive parts', code, AMPI_SUCCESS)
    call AMPI_Type_free(beside, code)
    address = c_loc(x)
    call AMPI_Send(address, 3, AMPI_ADOUBLE, rank, 0, AMPI_COMM_WORLD, code)
    call expect('Send of an address', 'AMPI_Send: buf'//no_var)
    call AMPI_Send(x, 3, AMPI_DOUBLE_PRECISION, rank, 0, AMPI_COMM_WORLD, code)
    call expect('Send without derivatives', 'AMPI_Send: buf'//lost)
    call AMPI_Allreduce(AMPI_IN_PLACE, x(2:), 2, AMPI_REAL8, AMPI_SUM, AMPI_COMM_WORLD, code)
    call expect('Allreduce without derivatives', 'AMPI_Allreduce: recvbuf'//lost)
    call loudly()
  end subroutine

  ! A buffer that does not count may be anything.
  subroutine elements_that_do_not_count()
    type(admpi_var) :: x(1), y(1), z(ranks)
    integer :: nothing
    call inputs(x)
    y = x
    if (rank == 0) then
      call AMPI_Reduce(AMPI_IN_PLACE, y, 1, AMPI_ADOUBLE, AMPI_SUM, 0, AMPI_COMM_WORLD, code)
      call AMPI_Gather(x, 1, AMPI_ADOUBLE, z, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
      call AMPI_Scatter(z, 1, AMPI_ADOUBLE, AMPI_IN_PLACE, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
      call check('sum', admpi_value(y(1)), 5d0*ranks*(ranks - 1) + ranks)
    else
      call AMPI_Reduce(x, nothing, 1, AMPI_ADOUBLE, AMPI_SUM, 0, AMPI_COMM_WORLD, code)
      call AMPI_Gather(x, 1, AMPI_ADOUBLE, nothing, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
      call AMPI_Scatter(nothing, 1, AMPI_ADOUBLE, y, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
      call check('scattered', admpi_value(y(1)), 10d0*rank + 1)
    end if
  end subroutine

  ! Two reals of the user's are as large as an active variable; a structure may begin with a real.
  subroutine structures()
    type(pair) :: sent(2), got(2)
    type(particle), target :: one, other
    HANDLE(AMPI_Datatype) :: of_particle, unsized
    integer(AMPI_ADDRESS_KIND) :: places(2), whole
    sent = [pair(1d0, 2d0), pair(3d0, rank + 0d0)]
    call AMPI_Sendrecv(sent, 4, AMPI_DOUBLE_PRECISION, rank, 1, got, 4, AMPI_DOUBLE_PRECISION, rank, 1, &
      AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call check('pairs', [got%a, got%b], [1d0, 3d0, 2d0, rank + 0d0])
    call AMPI_Get_address(one%mass, whole, code)
    call AMPI_Get_address(one%x, places(2), code)
    places = [0_AMPI_ADDRESS_KIND, places(2) - whole]
    call AMPI_Type_create_struct(2, [1, 1], places, [AMPI_DOUBLE_PRECISION, AMPI_ADOUBLE], unsized, code)
    call AMPI_Type_create_resized(unsized, 0_AMPI_ADDRESS_KIND, storage_size(one)/8_AMPI_ADDRESS_KIND, of_particle, code)
    call AMPI_Type_commit(of_particle, code)
    one%mass = 5
    one%x = 7d0
    call AMPI_Sendrecv(one%mass, 1, of_particle, rank, 1, other%mass, 1, of_particle, rank, 1, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('particle', [other%mass, admpi_value(other%x)], [5d0, 7d0])
    call AMPI_Type_free(of_particle, code)
    call AMPI_Type_free(unsized, code)
  end subroutine

  ! Constants between variables, in front of them and behind, in an array and in a section.
  subroutine passive_among_active()
    type(admpi_var) :: x(4), y(4), z(4), row(2, 4)
    call inputs(x)
    y = [x(1), admpi_var(7d0), x(3), admpi_var(9d0)]
    row(1, :) = [admpi_var(7d0), x(2), admpi_var(9d0), x(4)]
    call AMPI_Irecv(z, 4, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(y, 4, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check('constants', admpi_value(z), [10d0*rank + 1, 7d0, 10d0*rank + 3, 9d0])
    call AMPI_Sendrecv(row(1, :), 4, AMPI_ADOUBLE, rank, 1, y, 4, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('constants of a section', admpi_value(y), [7d0, 10d0*rank + 2, 9d0, 10d0*rank + 4])
    call check('adjoints beside constants', swept(x, [z, y]), (rank + 1)*[1d0, 6d0, 3d0, 8d0])
  end subroutine

  ! Nonblocking calls send rows of a matrix to themselves, the other way round.
  subroutine rows()
    type(admpi_var) :: x(3, 4), y(2, 8)
    real(8) :: r(3, 4), s(2, 8)
    real(8), target :: weights(12)
    integer :: i
    call inputs_of(x, size(x))
    y = 0d0
    call AMPI_Irecv(y(2, 7:1:-2), 4, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(x(2, :), 4, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check('received', admpi_value(y(2, 1:7:2)), [(10d0*rank + i, i=11, 2, -3)])
    call check('untouched', admpi_value(y(1, :)), [(0d0, i=1, 8)])
    weights = swept_of(x, size(x), y(2, 1:7:2))
    call check('adjoints', weights, (rank + 1d0)*[0, 4, 0, 0, 3, 0, 0, 2, 0, 0, 1, 0])
    r = reshape([(dble(i), i=1, 12)], [3, 4])
    s = 0
    call AMPI_Irecv(s(2, 1:7:2), 4, AMPI_DOUBLE_PRECISION, rank, 1, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(r(2, :), 4, AMPI_DOUBLE_PRECISION, rank, 1, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check('passive', s(2, 1:7:2), [2d0, 5d0, 8d0, 11d0])
  end subroutine

  ! The count may end within a line of a section of three dimensions.
  subroutine parts_of_planes()
    type(admpi_var) :: x(4, 4, 4), y(11)
    real(8) :: want(64)
    integer :: i, j, k, n
    call inputs_of(x, size(x))
    call AMPI_Irecv(y, 11, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(x(1:4:2, 2:4, 3:4), 11, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    want = 0
    n = 0
    do k = 3, 4
      do j = 2, 4
        do i = 1, 4, 2
          n = n + 1
          if (n > 11) exit
          call check('plane', admpi_value(y(n)), 10d0*rank + i + 4*(j - 1) + 16*(k - 1))
          want(i + 4*(j - 1) + 16*(k - 1)) = (rank + 1d0)*n
        end do
      end do
    end do
    call check('plane, adjoints', swept_of(x, size(x), y), want)
  end subroutine

  subroutine persistent()
    type(admpi_var) :: x(3, 2), y(3, 2)
    integer :: turn
    call AMPI_Recv_init(y(3, :), 2, AMPI_ADOUBLE, rank, 2, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Send_init(x(1, :), 2, AMPI_ADOUBLE, rank, 2, AMPI_COMM_WORLD, requests(2), code)
    do turn = 1, 2
      call inputs_of(x, size(x))
      y = 0d0
      call AMPI_Startall(2, requests, code)
      call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
      call check('started', admpi_value(y(3, :)), [10d0*rank + 1, 10d0*rank + 4])
      call check('started, adjoints', swept_of(x, size(x), y(3, :)), (rank + 1)*[1d0, 0d0, 0d0, 2d0, 0d0, 0d0])
    end do
    call AMPI_Request_free(requests(1), code)
    call AMPI_Request_free(requests(2), code)
  end subroutine

  ! A copy is sent and received, under any datatype.
  subroutine blocking()
    type(admpi_var) :: x(3, 4), y(2, 4), z(3, 2)
    HANDLE(AMPI_Datatype) :: two
    call inputs_of(x, size(x))
    y = 0d0
    call AMPI_Type_contiguous(2, AMPI_ADOUBLE, two, code)
    call AMPI_Type_commit(two, code)
    call AMPI_Sendrecv(x(1, :), 2, two, rank, 1, y(2, :), 4, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call AMPI_Type_free(two, code)
    call check('copied', admpi_value(y(2, :)), 10d0*rank + [1d0, 4d0, 7d0, 10d0])
    call check('beside', admpi_value(y(1, :)), [0d0, 0d0, 0d0, 0d0])
    call check('copied, adjoints', swept_of(x, size(x), y(2, :)), (rank + 1d0)*[1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0])
    call inputs_of(z, size(z))
    call AMPI_Allreduce(AMPI_IN_PLACE, z(2, :), 2, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    call check('reduced', admpi_value(z(2, :)), 5d0*ranks*(ranks - 1) + ranks*[2d0, 5d0])
    call check('not reduced', admpi_value(z(3, :)), 10d0*rank + [3d0, 6d0])
  end subroutine

  subroutine collectives()
    type(admpi_var) :: x(2, 3), y(2, 3), z(3*ranks)
    integer :: i
    call inputs_of(x, size(x))
    y = x
    call AMPI_Ibcast(y(1, :), 3, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Wait(requests(1), AMPI_STATUS_IGNORE, code)
    call check('ibcast', admpi_value(y(1, :)), [1d0, 3d0, 5d0])
    call AMPI_Iallgather(x(2, :), 3, AMPI_ADOUBLE, z, 3, AMPI_ADOUBLE, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Wait(requests(1), AMPI_STATUS_IGNORE, code)
    call check('iallgather', admpi_value(z), [(10d0*((i - 1)/3) + 2*modulo(i - 1, 3) + 2, i=1, 3*ranks)])
    call check('iallgather, adjoints', swept_of(x, size(x), z), &
      [(merge(0d0, 0.5d0*ranks*(ranks + 1)*(3*rank + (i + 1)/2), modulo(i, 2) == 1), i=1, 6)])
  end subroutine

  subroutine scalars_and_pointers()
    type(admpi_var), target :: x(2, 2)
    type(admpi_var), allocatable :: y(:)
    type(admpi_var), pointer :: at(:), one
    type(admpi_var) :: s
    call inputs_of(x, size(x))
    allocate (y(2))
    at => x(2, :)
    one => x(1, 2)
    call AMPI_Irecv(y, 2, AMPI_ADOUBLE, rank, 3, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(at, 2, AMPI_ADOUBLE, rank, 3, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check('pointer', admpi_value(y), 10d0*rank + [2d0, 4d0])
    call AMPI_Sendrecv(one, 1, AMPI_ADOUBLE, rank, 3, s, 1, AMPI_ADOUBLE, rank, 3, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('scalar', admpi_value(s), 10d0*rank + 3)
    ! An element stands for the array behind it.
    call AMPI_Sendrecv(x(2, 1), 2, AMPI_ADOUBLE, rank, 3, y(1), 2, AMPI_ADOUBLE, rank, 3, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('behind an element', admpi_value(y), 10d0*rank + [2d0, 3d0])
  end subroutine

  ! Fortran knows this memory by its address alone. Of a slice of it every second element is sent.
  subroutine memory_of_c()
    type(admpi_var), target :: x(6)
    type(admpi_var), pointer, asynchronous :: memory(:), again(:)
    type(admpi_var), pointer :: same(:)
    type(c_ptr) :: address
    call inputs_of(x, 6)
    call c_f_pointer(c_loc(x), same, [6])
    address = malloc(int(12*storage_size(x)/8, c_size_t))
    call c_f_pointer(address, memory, [6])
    call c_f_pointer(c_loc(memory(6)), again, [7])
    call AMPI_Irecv(memory, 3, AMPI_ADOUBLE, rank, 4, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Isend(same(2::2), 3, AMPI_ADOUBLE, rank, 4, AMPI_COMM_WORLD, requests(2), code)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check('memory of C', admpi_value(memory(:3)), 10d0*rank + [2d0, 4d0, 6d0])
    call AMPI_Irecv(again(1:3:2), 2, AMPI_ADOUBLE, rank, 4, AMPI_COMM_WORLD, requests(1), code)
    call AMPI_Send(memory, 2, AMPI_ADOUBLE, rank, 4, AMPI_COMM_WORLD, code)
    call AMPI_Wait(requests(1), AMPI_STATUS_IGNORE, code)
    call check('behind an address', admpi_value(again(1:3:2)), 10d0*rank + [2d0, 4d0])
    call check('memory of C, adjoints', swept_of(x, 6, [memory(3), again(3)]), (rank + 1)*[0d0, 0d0, 0d0, 2d0, 0d0, 1d0])
    call free(address)
  end subroutine

  subroutine refused_sections()
    type(admpi_var), asynchronous :: x(3, 3), y(3)
    HANDLE(AMPI_Datatype) :: two
    x = 0d0
    call AMPI_Type_contiguous(2, AMPI_ADOUBLE, two, code)
    call AMPI_Type_commit(two, code)
    call quietly()
    call AMPI_Iallreduce(x(1, :), y, 3, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, requests(1), code)
    call expect('Iallreduce of a section', 'AMPI_Iallreduce: sendbuf: it is a section that is not contiguous, and the call')
    call AMPI_Isend(x(1, :), 1, two, rank, 1, AMPI_COMM_WORLD, requests(1), code)
    call expect('Isend of larger items', 'with 3 elements of 16 bytes, and there are 1 items of 32 bytes')
    call AMPI_Isend(x(1, :), 4, AMPI_ADOUBLE, rank, 1, AMPI_COMM_WORLD, requests(1), code)
    call expect('Isend of more items', 'with 3 elements of 16 bytes, and there are 4 items of 16 bytes')
    call loudly()
    call AMPI_Type_free(two, code)
  end subroutine

  subroutine inputs_of(x, n)
    integer, intent(in) :: n
    type(admpi_var), intent(inout) :: x(n)
    call inputs(x)
  end subroutine

  function swept_of(x, n, y) result(gradient)
    integer, intent(in) :: n
    type(admpi_var), intent(in) :: x(n), y(:)
    real(8) :: gradient(n)
    gradient = swept(x, y)
  end function
end program
