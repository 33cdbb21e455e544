! A program without active data, which must do the same when its prefix is replaced. Compiled as it is, and with AMPI_ for MPI_.
#ifdef PLAIN_F08
#define HANDLE(name) type(name)
#define STATUS type(MPI_Status)
#define SOURCE_OF(status) status%MPI_SOURCE
#define TAG_OF(status) status%MPI_TAG
#else
#define HANDLE(name) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE_OF(status) status(MPI_SOURCE)
#define TAG_OF(status) status(MPI_TAG)
#endif
module plain_functions
#ifdef PLAIN_MODULE
  use PLAIN_MODULE
#endif
  implicit none
#ifdef PLAIN_INCLUDE
  include PLAIN_INCLUDE
#endif
  integer, parameter :: line = 60, room = 100
  character(line) :: lines(room) = ''
  integer :: rank, ranks, code, said = 0

contains

  subroutine say(what, number)
    character(*), intent(in) :: what
    integer, intent(in) :: number
    said = said + 1
    write (lines(said), '(i0, ": ", a, " ", i0, " ", i0)') rank, what, number, code
  end subroutine

  ! The lines of the ranks, one rank after the other.
  subroutine tell()
    character(line) :: all(room, ranks)
    integer :: i, r
    call MPI_Gather(lines, line*room, MPI_CHARACTER, all, line*room, MPI_CHARACTER, 0, MPI_COMM_WORLD, code)
    if (rank /= 0) return
    do r = 1, ranks
      do i = 1, room
        if (all(i, r) /= '') print '(a)', trim(all(i, r))
      end do
    end do
  end subroutine

#ifdef PLAIN_F08
  subroutine largest(in, inout, n, datatype)
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: in, inout
    integer :: n
    HANDLE(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [n])
    call c_f_pointer(inout, b, [n])
    if (datatype /= MPI_INTEGER) error stop 'the type'
    b = max(a, b)
  end subroutine
#else
  subroutine largest(a, b, n, datatype)
    integer :: n, datatype
    integer :: a(n), b(n)
    if (datatype /= MPI_INTEGER) error stop 'the type'
    b = max(a, b)
  end subroutine
#endif
end module

program plain
  use plain_functions
  implicit none
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  call messages()
  call collectives()
  call groups()
  call hints()
  call windows()
  call files()
  call graphs()
  call types()
  call errors()
  call environment()
  call tell()
  call MPI_Finalize(code)

contains

  subroutine messages()
    use, intrinsic :: iso_c_binding, only: c_ptr
    integer :: out(3), in(3), counted, next, before, size, at
    character :: buffer(1000)
#ifdef PLAIN_F08
    type(c_ptr) :: at_buffer
#endif
    HANDLE(MPI_Request) :: request
    STATUS :: status
    logical :: flag
    next = modulo(rank + 1, ranks)
    before = modulo(rank - 1, ranks)
    out = rank
    call MPI_Isend(out, 3, MPI_INTEGER, next, 7, MPI_COMM_WORLD, request, code)
    call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, code)
    call MPI_Get_count(status, MPI_INTEGER, counted, code)
    call say('count', counted)
    call MPI_Get_elements(status, MPI_INTEGER, counted, code)
    call say('elements', counted)
    call MPI_Recv(in, 3, MPI_INTEGER, before, 7, MPI_COMM_WORLD, status, code)
    call say('source', SOURCE_OF(status))
    call say('tag', TAG_OF(status))
    call MPI_Wait(request, status, code)
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, status, code)
    call say('probed', merge(1, 0, flag))
    call MPI_Pack_size(3, MPI_INTEGER, MPI_COMM_WORLD, size, code)
    call say('packed', size)
    at = 0
    call MPI_Pack(out, 3, MPI_INTEGER, buffer, 1000, at, MPI_COMM_WORLD, code)
    call say('position', at)
    at = 0
    call MPI_Unpack(buffer, 1000, at, in, 3, MPI_INTEGER, MPI_COMM_WORLD, code)
    call say('unpacked', in(3))
    call MPI_Buffer_attach(buffer, 1000, code)
    call MPI_Bsend(out, 1, MPI_INTEGER, next, 8, MPI_COMM_WORLD, code)
    call MPI_Recv(in, 1, MPI_INTEGER, before, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    call say('buffered', in(1))
#ifdef PLAIN_F08
    call MPI_Buffer_detach(at_buffer, size, code)
#else
    call MPI_Buffer_detach(buffer, size, code)
#endif
    call say('detached', size)
  end subroutine

  subroutine collectives()
    HANDLE(MPI_Op) :: op
    integer :: mine(2), theirs(2), all(2*ranks), counts(ranks), places(ranks), i
    logical :: commutes
    mine = [rank, -rank]
    call MPI_Op_create(largest, .true., op, code)
    call MPI_Op_commutative(op, commutes, code)
    call say('commutes', merge(1, 0, commutes))
    call MPI_Allreduce(mine, theirs, 2, MPI_INTEGER, op, MPI_COMM_WORLD, code)
    call say('largest', theirs(1) + 100*theirs(2))
    call MPI_Op_free(op, code)
    call MPI_Gather(mine, 2, MPI_INTEGER, all, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
    if (rank == 0) call say('gathered', sum(all(1:2*ranks:2)))
    counts = 1
    places = [(2*i, i=0, ranks - 1)]
    all = 0
    call MPI_Allgatherv(mine, 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, MPI_COMM_WORLD, code)
    call say('allgathered', sum(all))
    call MPI_Reduce_scatter_block(MPI_IN_PLACE, all, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    call say('scattered', all(1))
    call MPI_Exscan(mine, theirs, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, code)
    if (rank > 0) call say('exscan', theirs(1))
    call MPI_Reduce_local(mine, theirs, 1, MPI_INTEGER, MPI_BOR, code)
  end subroutine

  subroutine groups()
    HANDLE(MPI_Group) :: all, first, none
    HANDLE(MPI_Comm) :: comm
    integer :: n, to(1), result
    call MPI_Comm_group(MPI_COMM_WORLD, all, code)
    call MPI_Group_range_incl(all, 1, reshape([0, 0, 1], [3, 1]), first, code)
    call MPI_Group_size(first, n, code)
    call say('group', n)
    call MPI_Group_translate_ranks(all, 1, [ranks - 1], first, to, code)
    call say('translated', merge(1, 0, to(1) == MPI_UNDEFINED))
    call MPI_Group_difference(all, all, none, code)
    call MPI_Group_compare(none, MPI_GROUP_EMPTY, result, code)
    call say('compared', merge(1, 0, result == MPI_IDENT))
    call MPI_Comm_create(MPI_COMM_WORLD, first, comm, code)
    if (comm /= MPI_COMM_NULL) then
      call MPI_Comm_size(comm, n, code)
      call say('created', n)
      call MPI_Comm_free(comm, code)
    end if
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm, code)
    call MPI_Comm_size(comm, n, code)
    call say('shared', n)
    call MPI_Comm_free(comm, code)
    call MPI_Group_free(first, code)
    call MPI_Group_free(all, code)
  end subroutine

  subroutine hints()
    HANDLE(MPI_Info) :: info
    character(20) :: value
    character(MPI_MAX_INFO_KEY) :: key
    logical :: found
    integer :: n
    call MPI_Info_create(info, code)
    call MPI_Info_set(info, 'colour  ', ' light green ', code)
    call MPI_Info_get_nkeys(info, n, code)
    call say('keys', n)
    call MPI_Info_get_nthkey(info, 0, key, code)
    call say(trim(key), len_trim(key))
    call MPI_Info_get(info, 'colour', 20, value, found, code)
    call say(trim(value), merge(1, 0, found))
    call MPI_Info_get_valuelen(info, 'colour', n, found, code)
    call say('length', n)
    call MPI_Info_get(info, 'taste', 20, value, found, code)
    call say('found', merge(1, 0, found))
    call MPI_Info_free(info, code)
  end subroutine

  subroutine windows()
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    integer, pointer :: memory(:)
    type(c_ptr) :: at
    integer :: next, i
    HANDLE(MPI_Win) :: win
    integer(MPI_ADDRESS_KIND) :: size
    next = modulo(rank + 1, ranks)
    size = 16
    call MPI_Win_allocate(size, 4, MPI_INFO_NULL, MPI_COMM_WORLD, at, win, code)
    call c_f_pointer(at, memory, [4])
    memory = [(rank*10 + i, i=1, 4)]
    call MPI_Win_fence(0, win, code)
    i = 77 + rank
    size = 2
    call MPI_Put(i, 1, MPI_INTEGER, next, size, 1, MPI_INTEGER, win, code)
    call MPI_Win_fence(0, win, code)
    call MPI_Accumulate(i, 1, MPI_INTEGER, next, size, 1, MPI_INTEGER, MPI_SUM, win, code)
    call MPI_Win_fence(0, win, code)
    call say('window', memory(3))
    call MPI_Win_free(win, code)
    call say('freed', merge(1, 0, win == MPI_WIN_NULL))
  end subroutine

  subroutine files()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Datatype) :: etype, filetype
    STATUS :: status
    integer :: numbers(2), n
    integer(MPI_OFFSET_KIND) :: at
    character(20) :: view
    call MPI_File_open(MPI_COMM_WORLD, 'fortran_plain.bin', MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
      MPI_INFO_NULL, file, code)
    call say('opened', 0)
    numbers = [rank, rank + 1]
    at = 8*rank
    call MPI_File_write_at(file, at, numbers, 2, MPI_INTEGER, status, code)
    call MPI_Get_count(status, MPI_INTEGER, n, code)
    call say('written', n)
    call MPI_File_sync(file, code)
    call MPI_Barrier(MPI_COMM_WORLD, code)
    at = 8*modulo(rank + 1, ranks)
    call MPI_File_read_at_all(file, at, numbers, 2, MPI_INTEGER, MPI_STATUS_IGNORE, code)
    call say('read', numbers(2))
    call MPI_File_get_size(file, at, code)
    call say('size', int(at))
    at = 0
    call MPI_File_set_view(file, at, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, code)
    call MPI_File_get_view(file, at, etype, filetype, view, code)
    call say(trim(view), len_trim(view))
    call MPI_File_close(file, code)
  end subroutine

  subroutine graphs()
    HANDLE(MPI_Comm) :: graph, grid
    integer :: index(ranks), edges(ranks), i, n, dims(2), topology
    logical :: periods(2)
    index = [(i, i=1, ranks)]
    edges = [(modulo(i + 1, ranks), i=0, ranks - 1)]
    call MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, .false., graph, code)
    call MPI_Graph_neighbors_count(graph, rank, n, code)
    call say('neighbours', n)
    call MPI_Topo_test(graph, topology, code)
    call say('topology', merge(1, 0, topology == MPI_GRAPH))
    call MPI_Comm_free(graph, code)
    dims = 0
    call MPI_Dims_create(ranks, 2, dims, code)
    call say('dims', dims(1)*dims(2))
    periods = .true.
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid, code)
    call MPI_Cart_rank(grid, [0, 0], n, code)
    call say('corner', n)
    call MPI_Comm_free(grid, code)
  end subroutine

  subroutine types()
    HANDLE(MPI_Datatype) :: block
    integer :: n, integers, addresses, datatypes, combiner
    character(MPI_MAX_OBJECT_NAME) :: name
    real(8) :: x
    call MPI_Type_create_subarray(2, [4, 5], [2, 3], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, block, code)
    call MPI_Type_commit(block, code)
    call MPI_Type_size(block, n, code)
    call say('subarray', n)
    call MPI_Type_get_envelope(block, integers, addresses, datatypes, combiner, code)
    call say('envelope', merge(1, 0, combiner == MPI_COMBINER_SUBARRAY))
    call MPI_Type_set_name(block, 'a block', code)
    call MPI_Type_get_name(block, name, n, code)
    call say(trim(name), n)
    call MPI_Type_free(block, code)
    call MPI_Type_create_f90_real(12, MPI_UNDEFINED, block, code)
    call MPI_Type_size(block, n, code)
    call say('f90 real', n)
#ifndef PLAIN_INCLUDE
    call MPI_Sizeof(x, n, code)
    call say('sizeof', n)
#else
    x = 8
    call say('sizeof', int(x))
#endif
  end subroutine

  subroutine errors()
    character(MPI_MAX_ERROR_STRING) :: text
    integer :: n, class, mine
    call MPI_Add_error_class(class, code)
    call MPI_Add_error_code(class, mine, code)
    call MPI_Add_error_string(mine, 'too warm', code)
    call MPI_Error_string(mine, text, n, code)
    call say(trim(text), n)
    call MPI_Error_class(mine, n, code)
    call say('class', merge(1, 0, n == class))
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
    call MPI_Send(n, 1, MPI_INTEGER, ranks + 1, 0, MPI_COMM_WORLD, code)
    call MPI_Error_class(code, n, code)
    call say('rank', merge(1, 0, n == MPI_ERR_RANK))
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, code)
  end subroutine

  subroutine environment()
    integer :: version, subversion, n
    character(MPI_MAX_PROCESSOR_NAME) :: name
    logical :: flag
    integer(MPI_ADDRESS_KIND) :: a, b
    call MPI_Get_version(version, subversion, code)
    call say('version', 10*version + subversion)
    call MPI_Get_processor_name(name, n, code)
    call say('processor', merge(1, 0, len_trim(name) == n))
    call MPI_Initialized(flag, code)
    call say('initialised', merge(1, 0, flag))
    call MPI_Finalized(flag, code)
    call say('finalised', merge(1, 0, flag))
    if (MPI_Wtime() < 0 .or. MPI_Wtick() <= 0) call say('time', 0)
    call MPI_Get_address(version, a, code)
#ifdef PLAIN_INCLUDE
    ! Of which not every mpif.h says the type.
    b = a + 40
    call say('difference', int(b - a))
#else
    b = MPI_Aint_add(a, 40_MPI_ADDRESS_KIND)
    call say('difference', int(MPI_Aint_diff(b, a)))
#endif
    call MPI_Query_thread(n, code)
    call say('threads', merge(1, 0, n == MPI_THREAD_SINGLE))
    call MPI_Pcontrol(0)
  end subroutine
end program
