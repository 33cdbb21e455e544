! Arguments that stand for something by their address.
#include "binding.h"
program test_sentinels
  use support
  implicit none
  call begin()
  call bottom()
  call in_place()
  call in_place_of_the_root()
  call in_place_of_types()
  call weights()
  call weights_empty()
  call ignored_statuses()
  call null_requests()
  call null_processes()
  call finish()

contains

  ! Addresses in a datatype, so MPI_BOTTOM in place of the buffer.
  subroutine bottom()
    type(admpi_var) :: x(4), y(4)
    integer(AMPI_ADDRESS_KIND) :: places(2)
    HANDLE(AMPI_Datatype) :: sent, received
    call AMPI_Get_address(x(1), places(1), code)
    call AMPI_Get_address(x(4), places(2), code)
    call AMPI_Type_create_hindexed(2, [1, 1], places, AMPI_ADOUBLE, sent, code)
    call AMPI_Type_commit(sent, code)
    call AMPI_Get_address(y(2), places(1), code)
    call AMPI_Get_address(y(3), places(2), code)
    call AMPI_Type_create_hindexed(2, [1, 1], places, AMPI_ADOUBLE, received, code)
    call AMPI_Type_commit(received, code)
    call inputs(x)
    y = 0d0
    call AMPI_Sendrecv(AMPI_BOTTOM, 1, sent, rank, 5, AMPI_BOTTOM, 1, received, rank, 5, AMPI_COMM_WORLD, &
      AMPI_STATUS_IGNORE, code)
    call check('bottom', admpi_value(y), [0d0, 10d0*rank + 1, 10d0*rank + 4, 0d0])
    call check('bottom, adjoints', swept(x, y), (rank + 1)*[2d0, 0d0, 0d0, 3d0])
    call AMPI_Type_free(sent, code)
    call AMPI_Type_free(received, code)
  end subroutine

  subroutine in_place()
    type(admpi_var) :: x(2), y(2), z(ranks)
    integer :: i
    real(8) :: weights
    weights = ranks*(ranks + 1)/2
    call inputs(x)
    y = x
    call AMPI_Allreduce(AMPI_IN_PLACE, y, 2, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    call check('allreduce', admpi_value(y), [(5d0*ranks*(ranks - 1) + i*ranks, i=1, 2)])
    call check('allreduce, adjoints', swept(x, y), weights*[1d0, 2d0])
    call inputs(x)
    z = 0d0
    z(rank + 1) = x(1)
    call AMPI_Allgather(AMPI_IN_PLACE, 0, AMPI_DATATYPE_NULL, z, 1, AMPI_ADOUBLE, AMPI_COMM_WORLD, code)
    call check('allgather', admpi_value(z), [(10d0*i + 1, i=0, ranks - 1)])
    call check('allgather, adjoints', swept(x, z), weights*(rank + 1)*[1d0, 0d0])
    call inputs(x)
    z = x(1)
    call AMPI_Alltoall(AMPI_IN_PLACE, 0, AMPI_DATATYPE_NULL, z, 1, AMPI_ADOUBLE, AMPI_COMM_WORLD, code)
    call check('alltoall', admpi_value(z), [(10d0*i + 1, i=0, ranks - 1)])
    call check('alltoall, adjoints', swept(x, z), (rank + 1)*weights*[1d0, 0d0])
    call inputs(x)
    y = x
    call AMPI_Scan(AMPI_IN_PLACE, y, 2, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD, code)
    call check('scan', admpi_value(y), [(5d0*rank*(rank + 1) + i*(rank + 1), i=1, 2)])
    call check('scan, adjoints', swept(x, y), (weights - rank*(rank + 1)/2)*[1d0, 2d0])
  end subroutine

  subroutine in_place_of_the_root()
    type(admpi_var) :: x(1), y(1), z(ranks)
    integer :: i
    call inputs(x)
    y = x
    if (rank == 0) then
      call AMPI_Reduce(AMPI_IN_PLACE, y, 1, AMPI_ADOUBLE, AMPI_SUM, 0, AMPI_COMM_WORLD, code)
      call check('reduce', admpi_value(y(1)), 5d0*ranks*(ranks - 1) + ranks)
    else
      call AMPI_Reduce(y, y, 1, AMPI_ADOUBLE, AMPI_SUM, 0, AMPI_COMM_WORLD, code)
      y = 0d0
    end if
    call check('reduce, adjoints', swept(x, y), [1d0])
    call inputs(x)
    z = 0d0
    z(1) = x(1)
    if (rank == 0) then
      call AMPI_Gather(AMPI_IN_PLACE, 0, AMPI_DATATYPE_NULL, z, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
      call check('gather', admpi_value(z), [(10d0*i + 1, i=0, ranks - 1)])
    else
      call AMPI_Gather(x, 1, AMPI_ADOUBLE, z, 0, AMPI_DATATYPE_NULL, 0, AMPI_COMM_WORLD, code)
      z = 0d0
    end if
    call check('gather, adjoints', swept(x, z), [rank + 1d0])
    call inputs(x)
    z = x(1)
    if (rank == 0) then
      call AMPI_Scatter(z, 1, AMPI_ADOUBLE, AMPI_IN_PLACE, 0, AMPI_DATATYPE_NULL, 0, AMPI_COMM_WORLD, code)
      y(1) = z(1)
    else
      call AMPI_Scatter(z, 0, AMPI_DATATYPE_NULL, y, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD, code)
    end if
    call check('scatter', admpi_value(y), [1d0])
    call check('scatter, adjoints', swept(x, y), [merge(0.5d0*ranks*(ranks + 1), 0d0, rank == 0)])
  end subroutine

  ! The types of an Alltoallw: an array for as many ranks as there are; nothing is read of those of the sender in place.
  subroutine in_place_of_types()
    type(admpi_var) :: x(1), z(ranks)
    HANDLE(AMPI_Datatype) :: types(ranks), unread(1)
    integer :: places(ranks), counts(ranks), i
    types = AMPI_ADOUBLE
    counts = 1
    places = [(16*i, i=0, ranks - 1)]
    call inputs(x)
    z = x(1)
    call AMPI_Alltoallw(AMPI_IN_PLACE, counts, places, unread, z, counts, places, types, AMPI_COMM_WORLD, code)
    call check('alltoallw', admpi_value(z), [(10d0*i + 1, i=0, ranks - 1)])
    call check('alltoallw, adjoints', swept(x, z), [(rank + 1)*0.5d0*ranks*(ranks + 1)])
  end subroutine

  ! A ring, made by both calls.
  subroutine weights()
    type(admpi_var) :: x(1), y(1)
    HANDLE(AMPI_Comm) :: ring
    integer :: made, before, after, in, out
    logical :: weighted
    before = modulo(rank - 1, ranks)
    after = modulo(rank + 1, ranks)
    do made = 1, 2
      if (made == 1) then
        call AMPI_Dist_graph_create_adjacent(AMPI_COMM_WORLD, 1, [before], AMPI_UNWEIGHTED, 1, [after], AMPI_UNWEIGHTED, &
          AMPI_INFO_NULL, .false., ring, code)
      else
        call AMPI_Dist_graph_create(AMPI_COMM_WORLD, 1, [rank], [1], [after], AMPI_UNWEIGHTED, AMPI_INFO_NULL, .false., &
          ring, code)
      end if
      call AMPI_Dist_graph_neighbors_count(ring, in, out, weighted, code)
      if (weighted) error stop 'the edges have no weights'
      call inputs(x)
      call AMPI_Neighbor_allgather(x, 1, AMPI_ADOUBLE, y, 1, AMPI_ADOUBLE, ring, code)
      call check('ring', admpi_value(y), [10d0*before + 1])
      call check('ring, adjoints', swept(x, y), [after + 1d0])
      call AMPI_Comm_free(ring, code)
      if (ring /= AMPI_COMM_NULL) error stop 'a communicator is left'
    end do
  end subroutine

  ! Only rank 0 has neighbours, itself; its edge has a weight.
  subroutine weights_empty()
    HANDLE(AMPI_Comm) :: graph
    integer :: sources(1), destinations(1), in(1), out(1), n, m
    logical :: weighted
    if (rank == 0) then
      call AMPI_Dist_graph_create_adjacent(AMPI_COMM_WORLD, 1, [0], [7], 1, [0], [7], AMPI_INFO_NULL, .false., graph, code)
    else
      call AMPI_Dist_graph_create_adjacent(AMPI_COMM_WORLD, 0, [0], AMPI_WEIGHTS_EMPTY, 0, [0], AMPI_WEIGHTS_EMPTY, &
        AMPI_INFO_NULL, .false., graph, code)
    end if
    call AMPI_Dist_graph_neighbors_count(graph, n, m, weighted, code)
    call check('neighbours', n + m, merge(2, 0, rank == 0))
    if (.not. weighted) error stop 'the edges have weights'
    if (rank == 0) then
      call AMPI_Dist_graph_neighbors(graph, 1, sources, in, 1, destinations, out, code)
      call check('weight', in(1) + out(1), 14)
    end if
    call AMPI_Comm_free(graph, code)
  end subroutine

  subroutine ignored_statuses()
    type(admpi_var) :: x(2), y(2)
    HANDLE(AMPI_Request) :: requests(4), one
    HANDLE(AMPI_Message) :: message
    integer :: done, indices(4), i
    logical :: flag
    call inputs(x)
    do i = 1, 2
      call AMPI_Irecv(y(i), 1, AMPI_ADOUBLE, rank, i, AMPI_COMM_WORLD, requests(i), code)
      call AMPI_Isend(x(i), 1, AMPI_ADOUBLE, rank, i, AMPI_COMM_WORLD, requests(2 + i), code)
    end do
    call AMPI_Waitsome(4, requests, done, indices, AMPI_STATUSES_IGNORE, code)
    call AMPI_Waitany(4, requests, i, AMPI_STATUS_IGNORE, code)
    flag = .false.
    do while (.not. flag)
      call AMPI_Testall(4, requests, flag, AMPI_STATUSES_IGNORE, code)
    end do
    call check('received', admpi_value(y), 10d0*rank + [1d0, 2d0])
    call AMPI_Isend(x(1), 1, AMPI_ADOUBLE, rank, 3, AMPI_COMM_WORLD, one, code)
    call AMPI_Probe(rank, 3, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call AMPI_Mprobe(rank, 3, AMPI_COMM_WORLD, message, AMPI_STATUS_IGNORE, code)
    call AMPI_Mrecv(y(2), 1, AMPI_ADOUBLE, message, AMPI_STATUS_IGNORE, code)
    if (message /= AMPI_MESSAGE_NULL) error stop 'a message is left'
    call AMPI_Wait(one, AMPI_STATUS_IGNORE, code)
    call check('matched', admpi_value(y(2)), 10d0*rank + 1)
    call check('adjoints', swept(x, y), (rank + 1)*[3d0, 0d0])
  end subroutine

  subroutine null_requests()
    HANDLE(AMPI_Request) :: requests(2)
    STATUS :: status
    integer :: at
    logical :: flag
    requests = AMPI_REQUEST_NULL
    call AMPI_Wait(requests(1), status, code)
    call check('source of an empty status', STATUS_SOURCE(status), AMPI_ANY_SOURCE)
    call AMPI_Waitany(2, requests, at, status, code)
    call check('index', at, AMPI_UNDEFINED)
    call AMPI_Testsome(2, requests, at, [0, 0], AMPI_STATUSES_IGNORE, code)
    call check('outcount', at, AMPI_UNDEFINED)
    call AMPI_Test(requests(2), flag, AMPI_STATUS_IGNORE, code)
    if (.not. flag) error stop 'no request is complete'
  end subroutine

  subroutine null_processes()
    type(admpi_var) :: x(1), y(1)
    STATUS :: status
    call inputs(x)
    y = x
    call AMPI_Send(x, 1, AMPI_ADOUBLE, AMPI_PROC_NULL, 0, AMPI_COMM_WORLD, code)
    call AMPI_Recv(y, 1, AMPI_ADOUBLE, AMPI_PROC_NULL, 0, AMPI_COMM_WORLD, status, code)
    call check('source', STATUS_SOURCE(status), AMPI_PROC_NULL)
    call check('adjoints', swept(x, y), [rank + 1d0])
  end subroutine
end program
