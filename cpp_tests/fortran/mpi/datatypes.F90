! Derived types: columns and rows of a matrix, a structure of Fortran's with active and passive parts, packed texts.
#include "binding.h"
program test_datatypes
  use support
  use, intrinsic :: iso_c_binding
  implicit none
  call begin()
  call rows_and_columns()
  call structure()
  call packed()
  call refused()
  call a_type_for_each_neighbour()
  call finish()

contains

  subroutine rows_and_columns()
    type(admpi_var) :: a(3, 4), b(3, 4), x(12), y(12)
    HANDLE(AMPI_Datatype) :: row
    integer :: to, from, size_of_row
    integer(AMPI_ADDRESS_KIND) :: lower, extent
    to = modulo(rank + 1, ranks)
    from = modulo(rank - 1, ranks)
    call AMPI_Type_vector(4, 1, 3, AMPI_ADOUBLE, row, code)
    call AMPI_Type_commit(row, code)
    call AMPI_Type_size(row, size_of_row, code)
    call check('size: of values', size_of_row, 4*8)
    call AMPI_Type_get_extent(row, lower, extent, code)
    call check('extent', int(extent), 10*storage_size(x(1))/8)
    call inputs(x)
    a = reshape(x, [3, 4])
    b = 0d0
    call AMPI_Sendrecv(a(2, 1), 1, row, to, 1, b(3, 1), 1, row, from, 1, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call AMPI_Sendrecv(a(1, 1), 2, AMPI_ADOUBLE, to, 2, b(1, 4), 2, AMPI_ADOUBLE, from, 2, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('row', admpi_value(b(3, :)), 10d0*from + [2d0, 5d0, 8d0, 11d0])
    y = reshape(b, [12])
    ! Row 3 of b has the weights 3, 6, 9, 12, the beginning of column 4 has 10 and 11.
    call check('adjoints', swept(x, y), (to + 1)*[10d0, 3d0 + 11d0, 0d0, 0d0, 6d0, 0d0, 0d0, 9d0, 0d0, 0d0, 12d0, 0d0])
    ! A section that is not contiguous is copied; its ids travel in the copy.
    call inputs(x)
    a = reshape(x, [3, 4])
    b = 0d0
    call AMPI_Sendrecv(a(2, 1:3), 3, AMPI_ADOUBLE, to, 1, b(3, 2:4), 3, AMPI_ADOUBLE, from, 1, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('section', admpi_value(b(3, :)), [0d0, 10d0*from + 2d0, 10d0*from + 5d0, 10d0*from + 8d0])
    y = reshape(b, [12])
    call check('section, adjoints', swept(x, y), (to + 1)*[0d0, 6d0, 0d0, 0d0, 9d0, 0d0, 0d0, 12d0, 0d0, 0d0, 0d0, 0d0])
    call AMPI_Type_free(row, code)
  end subroutine

  subroutine structure()
    type, bind(C) :: particle
      integer(c_int) :: number
      type(admpi_var) :: position(2)
      real(c_double) :: mass
    end type
    type(particle) :: p(2), q(2)
    type(admpi_var) :: x(2)
    HANDLE(AMPI_Datatype) :: of_particle, unsized, types(3)
    integer(AMPI_ADDRESS_KIND) :: places(4)
    integer :: i
    call AMPI_Get_address(p(1)%number, places(1), code)
    call AMPI_Get_address(p(1)%position, places(2), code)
    call AMPI_Get_address(p(1)%mass, places(3), code)
    call AMPI_Get_address(p(2), places(4), code)
    places = [(AMPI_Aint_diff(places(i), places(1)), i=1, 4)]
    types(1) = AMPI_INTEGER
    types(2) = AMPI_ADOUBLE
    types(3) = AMPI_DOUBLE_PRECISION
    call AMPI_Type_create_struct(3, [1, 2, 1], places, types, unsized, code)
    call AMPI_Type_create_resized(unsized, 0_AMPI_ADDRESS_KIND, places(4), of_particle, code)
    call AMPI_Type_commit(of_particle, code)
    call inputs(x)
    do i = 1, 2
      p(i)%number = i + 10*rank
      p(i)%position = x*i
      p(i)%mass = 0.5d0*i
    end do
    call AMPI_Sendrecv(p, 2, of_particle, rank, 3, q, 2, of_particle, rank, 3, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call check('number', q(2)%number, 2 + 10*rank)
    call check('mass', q(2)%mass, 1d0)
    call check('adjoints', swept(x, [q(1)%position, q(2)%position]), (rank + 1)*[1d0 + 6d0, 2d0 + 8d0])
    call AMPI_Type_free(unsized, code)
    call AMPI_Type_free(of_particle, code)
  end subroutine

  ! With the length of a text behind the arguments. Active values keep their derivatives, also in a message.
  subroutine packed()
    type(admpi_var) :: x(3), y(3)
    integer :: numbers(3), back(3), bytes, at
    character :: room(100), sent(300), got(300)
    integer(AMPI_ADDRESS_KIND) :: position
    numbers = [1, -2, 3]
    position = 0
    call AMPI_Pack_external('external32   ', numbers, 3, AMPI_INTEGER, room, 100_AMPI_ADDRESS_KIND, position, code)
    call check('packed', int(position), 12)
    if (ichar(room(4)) /= 1) error stop 'big endian'
    position = 0
    call AMPI_Unpack_external('external32', room, 100_AMPI_ADDRESS_KIND, position, back, 3, AMPI_INTEGER, code)
    call check('unpacked', back(2), -2)
    call inputs(x)
    call AMPI_Pack_size(3, AMPI_ADOUBLE, AMPI_COMM_WORLD, bytes, code)
    at = 0
    call AMPI_Pack(x, 3, AMPI_ADOUBLE, sent, bytes, at, AMPI_COMM_WORLD, code)
    call AMPI_Sendrecv(sent, at, AMPI_PACKED, rank, 5, got, 300, AMPI_PACKED, rank, 5, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    at = 0
    call AMPI_Unpack(got, 300, at, y(1), 1, AMPI_ADOUBLE, AMPI_COMM_WORLD, code)
    call AMPI_Unpack(got, 300, at, y(2:3), 2, AMPI_ADOUBLE, AMPI_COMM_WORLD, code)
    call check('unpacked values', admpi_value(y), admpi_value(x))
    call check('packed, adjoints', swept(x, y), (rank + 1)*[1d0, 2d0, 3d0])
  end subroutine

  ! All send to rank 0, which sends to nobody: the arrays of types have different lengths.
  subroutine a_type_for_each_neighbour()
    type(admpi_var) :: x(1), y(ranks)
    HANDLE(AMPI_Comm) :: star
    HANDLE(AMPI_Datatype) :: sent(1), received(ranks), unread(1)
    integer :: from(ranks), counts(ranks), i
    integer(AMPI_ADDRESS_KIND) :: places(ranks), here(1)
    from = [(i, i=0, ranks - 1)]
    counts = 1
    places = [(16*(ranks - 1 - i), i=0, ranks - 1)]
    here = 0
    sent = AMPI_ADOUBLE
    received = AMPI_ADOUBLE
    call AMPI_Dist_graph_create_adjacent(AMPI_COMM_WORLD, merge(ranks, 0, rank == 0), from, AMPI_UNWEIGHTED, 1, [0], &
      AMPI_UNWEIGHTED, AMPI_INFO_NULL, .false., star, code)
    call inputs(x)
    y = 0d0
    if (rank == 0) then
      call AMPI_Neighbor_alltoallw(x, [1], here, sent, y, counts, places, received, star, code)
      call check('from the last to the first', admpi_value(y), [(10d0*i + 1, i=ranks - 1, 0, -1)])
    else
      call AMPI_Neighbor_alltoallw(x, [1], here, sent, y, [0], here, unread, star, code)
    end if
    call check('to rank 0, adjoints', swept(x, y), [dble(ranks - rank)])
    call AMPI_Comm_free(star, code)
  end subroutine

  ! What cannot be done is refused, with the words of C.
  subroutine refused()
    type(admpi_var) :: x(1)
    character :: room(100)
    character(AMPI_MAX_ERROR_STRING) :: text
    integer :: position, length, first
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_RETURN, code)
    position = 0
    x(1) = 1d0
    call AMPI_Pack(x, 1, AMPI_ADOUBLE, room, 8, position, AMPI_COMM_WORLD, code)
    if (code == AMPI_SUCCESS) error stop 'AMPI_Pack without room for ids'
    first = code
    call AMPI_Error_string(first, text, length, code)
    if (index(text, 'AMPI_Pack') == 0) error stop 'the text of the error'
    call check('blanks behind', len_trim(text), length)
    call AMPI_Comm_set_errhandler(AMPI_COMM_WORLD, AMPI_ERRORS_ARE_FATAL, code)
  end subroutine
end program
