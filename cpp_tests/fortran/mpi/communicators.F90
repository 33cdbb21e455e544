! Communicators that the library keeps books about, logicals in arrays, and functions of the user's that MPI calls.
#include "binding.h"
module functions
  use support
  implicit none
  integer :: copies = 0, deletions = 0, errors = 0, queries = 0, frees = 0

contains

  subroutine copy(comm, key, extra, attribute, out, flag, code)
    HANDLE(AMPI_Comm) :: comm
    integer :: key, code
    integer(AMPI_ADDRESS_KIND) :: extra, attribute, out
    logical :: flag
    copies = copies + 1
    out = attribute + extra
    flag = .true.
    code = AMPI_SUCCESS
  end subroutine

  subroutine forget(comm, key, attribute, extra, code)
    HANDLE(AMPI_Comm) :: comm
    integer :: key, code
    integer(AMPI_ADDRESS_KIND) :: attribute, extra
    deletions = deletions + 1
    code = AMPI_SUCCESS
  end subroutine

  subroutine handle_error(comm, code)
    HANDLE(AMPI_Comm) :: comm
    integer :: code
    errors = errors + 1
  end subroutine

  subroutine query(extra, status, code)
    integer(AMPI_ADDRESS_KIND) :: extra
    STATUS :: status
    integer :: code, ignored
    queries = queries + 1
    call AMPI_Status_set_elements(status, AMPI_INTEGER, int(extra), ignored)
    call AMPI_Status_set_cancelled(status, .false., ignored)
    STATUS_SOURCE(status) = 5
    STATUS_TAG(status) = 6
    code = AMPI_SUCCESS
  end subroutine

  subroutine release(extra, code)
    integer(AMPI_ADDRESS_KIND) :: extra
    integer :: code
    frees = frees + 1
    code = AMPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, code)
    integer(AMPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: code
    code = AMPI_SUCCESS
  end subroutine
end module

program test_communicators
  use functions
  implicit none
  call begin()
  call splits()
  call grids()
  call attributes()
  call no_functions()
  call handlers()
  call generalized()
  call names()
  call finish()

contains

  subroutine splits()
    HANDLE(AMPI_Comm) :: half, copied, same
    type(admpi_var) :: x(1), y(1)
    integer :: members, result
    call AMPI_Comm_split(AMPI_COMM_WORLD, mod(rank, 2), -rank, half, code)
    call AMPI_Comm_dup(half, copied, code)
    call AMPI_Comm_compare(half, copied, result, code)
    call check('compare', result, AMPI_CONGRUENT)
    call AMPI_Comm_size(copied, members, code)
    call inputs(x)
    call AMPI_Allreduce(x, y, 1, AMPI_ADOUBLE, AMPI_SUM, copied, code)
    call AMPI_Comm_dup_with_info(AMPI_COMM_WORLD, AMPI_INFO_NULL, same, code)
    call AMPI_Bcast(y, 1, AMPI_ADOUBLE, 0, same, code)
    ! Of the sum over the even ranks, what all have in the end.
    call check('adjoints', swept(x, y), [merge(ranks*(ranks + 1)/2d0, 0d0, mod(rank, 2) == 0)])
    call AMPI_Comm_free(half, code)
    call AMPI_Comm_free(copied, code)
    call AMPI_Comm_free(same, code)
    if (half /= AMPI_COMM_NULL) error stop 'a communicator is left'
  end subroutine

  subroutine grids()
    HANDLE(AMPI_Comm) :: grid, line
    logical :: periods(2), has(2)
    integer :: dims(2), coords(2), got(2), before, after, members
    dims = [ranks, 1]
    periods = [.true., .false.]
    call AMPI_Cart_create(AMPI_COMM_WORLD, 2, dims, periods, .false., grid, code)
    call AMPI_Cart_get(grid, 2, got, has, coords, code)
    if (.not. has(1) .or. has(2)) error stop 'periods'
    call check('coordinates', coords(1), rank)
    call AMPI_Cart_shift(grid, 0, 1, before, after, code)
    call check('shift', after, modulo(rank + 1, ranks))
    call AMPI_Cart_shift(grid, 1, 1, before, after, code)
    call check('no shift', after, AMPI_PROC_NULL)
    call AMPI_Cart_sub(grid, [.true., .false.], line, code)
    call AMPI_Comm_size(line, members, code)
    call check('line', members, ranks)
    call AMPI_Comm_free(line, code)
    call AMPI_Cart_sub(grid, [.false., .true.], line, code)
    call AMPI_Comm_size(line, members, code)
    call check('point', members, 1)
    call AMPI_Comm_free(line, code)
    call AMPI_Comm_free(grid, code)
  end subroutine

  subroutine attributes()
    HANDLE(AMPI_Comm) :: one, other
    integer :: key
    integer(AMPI_ADDRESS_KIND) :: value
    logical :: found
    call AMPI_Comm_dup(AMPI_COMM_SELF, one, code)
    call AMPI_Comm_create_keyval(copy, forget, key, 100_AMPI_ADDRESS_KIND, code)
    call AMPI_Comm_set_attr(one, key, 42_AMPI_ADDRESS_KIND, code)
    call AMPI_Comm_dup(one, other, code)
    call AMPI_Comm_get_attr(other, key, value, found, code)
    if (.not. found) error stop 'no attribute'
    call check('attribute', int(value), 142)
    call AMPI_Comm_free(other, code)
    call AMPI_Comm_free(one, code)
    call check('copies', copies, 1)
    call check('deletions', deletions, 2)
    call AMPI_Comm_free_keyval(key, code)
    call check('key', key, AMPI_KEYVAL_INVALID)
    call AMPI_Comm_get_attr(AMPI_COMM_WORLD, AMPI_TAG_UB, value, found, code)
    if (.not. found .or. value < 32767) error stop 'the largest tag'
  end subroutine

  ! MPI's own functions, under their AMPI_ names.
  subroutine no_functions()
    HANDLE(AMPI_Comm) :: one, other
    integer :: keys(2), i
    integer(AMPI_ADDRESS_KIND) :: value
    logical :: found
    call AMPI_Comm_dup(AMPI_COMM_SELF, one, code)
    call AMPI_Comm_create_keyval(AMPI_COMM_DUP_FN, AMPI_COMM_NULL_DELETE_FN, keys(1), 0_AMPI_ADDRESS_KIND, code)
    call AMPI_Comm_create_keyval(AMPI_COMM_NULL_COPY_FN, AMPI_COMM_NULL_DELETE_FN, keys(2), 0_AMPI_ADDRESS_KIND, code)
    do i = 1, 2
      call AMPI_Comm_set_attr(one, keys(i), 7_AMPI_ADDRESS_KIND, code)
    end do
    call AMPI_Comm_dup(one, other, code)
    do i = 1, 2
      call AMPI_Comm_get_attr(other, keys(i), value, found, code)
      if (found .neqv. i == 1) error stop 'which attribute is copied'
      call AMPI_Comm_free_keyval(keys(i), code)
    end do
    call AMPI_Comm_free(one, code)
    call AMPI_Comm_free(other, code)
  end subroutine

  subroutine handlers()
    HANDLE(AMPI_Errhandler) :: mine
    HANDLE(AMPI_Comm) :: comm
    call AMPI_Comm_dup(AMPI_COMM_SELF, comm, code)
    call AMPI_Comm_create_errhandler(handle_error, mine, code)
    call AMPI_Comm_set_errhandler(comm, mine, code)
    call AMPI_Comm_call_errhandler(comm, AMPI_ERR_OTHER, code)
    call check('errors', errors, 1)
    ! An error of the library's reaches it, too.
    call AMPI_Send(comm, -1, AMPI_ADOUBLE, 0, 0, comm, code)
    if (code == AMPI_SUCCESS) error stop 'a negative count'
    call check('errors', errors, 2)
    call AMPI_Errhandler_free(mine, code)
    call AMPI_Comm_free(comm, code)
  end subroutine

  subroutine generalized()
    HANDLE(AMPI_Request) :: request
    STATUS :: status
    integer :: counted
    call AMPI_Grequest_start(query, release, cancel, 3_AMPI_ADDRESS_KIND, request, code)
    call AMPI_Grequest_complete(request, code)
    call AMPI_Wait(request, status, code)
    call check('queries', queries, 1)
    call check('frees', frees, 1)
    call check('source', STATUS_SOURCE(status), 5)
    call check('tag', STATUS_TAG(status), 6)
    call AMPI_Get_count(status, AMPI_INTEGER, counted, code)
    call check('count', counted, 3)
    if (request /= AMPI_REQUEST_NULL) error stop 'a request is left'
  end subroutine

  subroutine names()
    HANDLE(AMPI_Comm) :: comm
    character(AMPI_MAX_OBJECT_NAME) :: name
    integer :: length
    call AMPI_Comm_dup(AMPI_COMM_SELF, comm, code)
    call AMPI_Comm_set_name(comm, 'ocean and ice   ', code)
    name = repeat('x', len(name))
    call AMPI_Comm_get_name(comm, name, length, code)
    call check('length', length, 13)
    call check('name', trim(name), 'ocean and ice')
    call AMPI_Comm_free(comm, code)
  end subroutine
end program
