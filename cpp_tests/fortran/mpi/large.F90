! Counts past 2^31: of active data by AMPI_Send_c (in ampi_f08 by AMPI_Send with counts of that kind), of passive data by
! MPIX_Send_x. ADMPI_INT_MAX=7 makes all of these large.
#include "binding.h"
#if defined(ADMPI_TEST_F08)
#define LARGE(name) name
#define ERROR
#else
#define LARGE(name) name/**/_c
#define ERROR , code
#endif
program test_large
  use support
  implicit none
#if defined(ADMPI_TEST_F08)
  interface
    ! Of mpi_f08.
    subroutine wait_for(request)
      use mpi_f08
      type(MPI_Request) :: request
    end subroutine
  end interface
#endif
  integer, parameter :: wide = AMPI_COUNT_KIND, address = AMPI_ADDRESS_KIND
  integer(wide), parameter :: n = 20
  integer :: next, last
  call begin()
  next = modulo(rank + 1, ranks)
  last = modulo(rank - 1, ranks)
  call messages()
  call collectives()
  call passive_messages()
  call passive_collectives()
  call types()
  call packing()
  call finish()

contains

  subroutine messages()
    type(admpi_var), asynchronous :: x(n), y(n)
    HANDLE(AMPI_Request) :: requests(2)
    STATUS :: status
    integer(wide) :: got
    integer :: i
    call inputs(x)
    call LARGE(AMPI_Irecv)(y, n, AMPI_ADOUBLE, last, 1, AMPI_COMM_WORLD, requests(1), code)
    call LARGE(AMPI_Isend)(x, n, AMPI_ADOUBLE, next, 1, AMPI_COMM_WORLD, requests(2) ERROR)
    call AMPI_Waitall(2, requests, AMPI_STATUSES_IGNORE, code)
    call check('received', admpi_value(y), [(10d0*last + i, i=1, int(n))])
    call check('received, adjoints', swept(x, y), [(i*(next + 1d0), i=1, int(n))])
    call inputs(x)
    call LARGE(AMPI_Sendrecv)(x, n, AMPI_ADOUBLE, next, 1, y, n, AMPI_ADOUBLE, last, 1, AMPI_COMM_WORLD, status, code)
    call MPIX_Get_count_x(status, AMPI_ADOUBLE, got, code)
    call check('count', int(got), int(n))
    call check('exchanged, adjoints', swept(x, y), [(i*(next + 1d0), i=1, int(n))])
  end subroutine

  subroutine packing()
    type(admpi_var) :: x(n), y(n)
    character, allocatable :: packed(:)
    integer(wide) :: size, place
    integer :: i
    call inputs(x)
    call LARGE(AMPI_Pack_size)(n, AMPI_ADOUBLE, AMPI_COMM_WORLD, size, code)
    allocate (packed(size))
    place = 0
    call LARGE(AMPI_Pack)(x, n, AMPI_ADOUBLE, packed, size, place, AMPI_COMM_WORLD, code)
    place = 0
    call LARGE(AMPI_Unpack)(packed, size, place, y, n, AMPI_ADOUBLE, AMPI_COMM_WORLD, code)
    call check('packed', admpi_value(y), [(10d0*rank + i, i=1, int(n))])
    call check('packed, adjoints', swept(x, y), [(i*(rank + 1d0), i=1, int(n))])
    deallocate (packed)
    call inputs(x)
    call LARGE(AMPI_Pack_external_size)('external32', n, AMPI_ADOUBLE, size, code)
    allocate (packed(size))
    place = 0
    call LARGE(AMPI_Pack_external)('external32', x, n, AMPI_ADOUBLE, packed, size, place, code)
    place = 0
    call LARGE(AMPI_Unpack_external)('external32', packed, size, place, y, n, AMPI_ADOUBLE, code)
    call check('packed for other machines', admpi_value(y), [(10d0*rank + i, i=1, int(n))])
    call check('packed for other machines, adjoints', swept(x, y), [(i*(rank + 1d0), i=1, int(n))])
  end subroutine

  subroutine collectives()
    type(admpi_var) :: x(n), y(n), z(n*ranks)
    integer(wide) :: counts(ranks)
    integer(address) :: places(ranks)
    integer :: i, k
    real(8) :: total
    total = 0.5d0*ranks*(ranks + 1)
    call inputs(x)
    call LARGE(AMPI_Allreduce)(x, y, n, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    call check('allreduce', admpi_value(y), [(5d0*ranks*(ranks - 1) + i*ranks, i=1, int(n))])
    call check('allreduce, adjoints', swept(x, y), [(i*total, i=1, int(n))])
    ! The part of the first rank behind all others.
    counts = n
    places = [(modulo(i - 1, ranks)*n, i=0, ranks - 1)]
    call inputs(x)
    z = 0d0
    call LARGE(AMPI_Gatherv)(x, n, AMPI_ADOUBLE, z, counts, places, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
    if (rank == 0) then
      call check('gatherv', admpi_value(z), [((10d0*modulo(k + 1, ranks) + i, i=1, int(n)), k=0, ranks - 1)])
    else
      z = 0d0
    end if
    call check('gatherv, adjoints', swept(x, z), [(i + dble(places(rank + 1)), i=1, int(n))])
  end subroutine

  subroutine passive_messages()
    real(8), asynchronous :: x(n), y(n)
    HANDLE(AMPI_Request) :: requests(2)
    integer :: i
    x = [(10d0*rank + i, i=1, int(n))]
    call MPIX_Sendrecv_x(x, n, AMPI_DOUBLE_PRECISION, next, 2, y, n, AMPI_DOUBLE_PRECISION, last, 2, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('sendrecv', y, [(10d0*last + i, i=1, int(n))])
    ! These requests are MPI's.
    y = 0d0
    call MPIX_Irecv_x(y, n, AMPI_DOUBLE_PRECISION, last, 3, AMPI_COMM_WORLD, requests(1), code)
    call MPIX_Isend_x(x, n, AMPI_DOUBLE_PRECISION, next, 3, AMPI_COMM_WORLD, requests(2) ERROR)
    do i = 1, 2
#if defined(ADMPI_TEST_F08)
      call wait_for(requests(i))
#else
      call MPI_Wait(requests(i), AMPI_STATUS_IGNORE, code)
#endif
    end do
    call check('irecv', y, [(10d0*last + i, i=1, int(n))])
    ! And under the names of active data, where the requests are the library's.
    y = 0d0
    call LARGE(AMPI_Irecv)(y, n, AMPI_DOUBLE_PRECISION, last, 4, AMPI_COMM_WORLD, requests(1), code)
    call LARGE(AMPI_Send)(x, n, AMPI_DOUBLE_PRECISION, next, 4, AMPI_COMM_WORLD, code)
    call AMPI_Wait(requests(1), AMPI_STATUS_IGNORE, code)
    call check('irecv_c', y, [(10d0*last + i, i=1, int(n))])
  end subroutine

  subroutine passive_collectives()
    real(8) :: x(n), z(n*ranks)
    integer(wide) :: counts(ranks)
    integer(address) :: places(ranks)
    HANDLE(AMPI_Datatype) :: kinds(ranks)
    integer :: i, k
    x = [(10d0*rank + i, i=1, int(n))]
    call MPIX_Allreduce_x(AMPI_IN_PLACE, x, n, AMPI_DOUBLE_PRECISION, AMPI_SUM, AMPI_COMM_WORLD, code)
    call check('allreduce', x, [(5d0*ranks*(ranks - 1) + i*ranks, i=1, int(n))])
    x = [(10d0*rank + i, i=1, int(n))]
    counts = n
    places = [(8*i*n, i=0, ranks - 1)]
    kinds = AMPI_DOUBLE_PRECISION
    z = [((100d0*k + i, i=1, int(n)), k=1, ranks)]
    call MPIX_Alltoallw_x(AMPI_IN_PLACE, counts, places, kinds, z, counts, places, kinds, AMPI_COMM_WORLD, code)
    call check('alltoallw', z, [((100d0*(rank + 1) + i, i=1, int(n)), k=1, ranks)])
    places = places/8
    call MPIX_Allgatherv_x(x, n, AMPI_DOUBLE_PRECISION, z, counts, places, AMPI_DOUBLE_PRECISION, AMPI_COMM_WORLD ERROR)
    call check('allgatherv', z, [((10d0*k + i, i=1, int(n)), k=0, ranks - 1)])
  end subroutine

  ! Sizes that no INTEGER holds.
  subroutine types()
    integer(wide), parameter :: huge_count = 2_wide**33 + 5
    HANDLE(AMPI_Datatype) :: whole, pair
    integer(wide) :: size
    call MPIX_Type_contiguous_x(huge_count, AMPI_BYTE, whole, code)
    call AMPI_Type_size_x(whole, size, code)
    if (size /= huge_count) error stop 'MPIX_Type_contiguous_x'
    call AMPI_Type_free(whole, code)
    call MPIX_Type_create_struct_x(2_wide, [huge_count, 1_wide], [0_address, int(huge_count, address)], &
      [AMPI_BYTE, AMPI_DOUBLE_PRECISION], pair, code)
    call AMPI_Type_size_x(pair, size, code)
    if (size /= huge_count + 8) error stop 'MPIX_Type_create_struct_x'
    call AMPI_Type_free(pair, code)
    call MPIX_Pack_size_x(huge_count, AMPI_BYTE, AMPI_COMM_WORLD, size, code)
    if (size < huge_count) error stop 'MPIX_Pack_size_x'
  end subroutine
end program

#if defined(ADMPI_TEST_F08)
subroutine wait_for(request)
  use mpi_f08
  implicit none
  type(MPI_Request) :: request
  call MPI_Wait(request, MPI_STATUS_IGNORE)
end subroutine
#endif
