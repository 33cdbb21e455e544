! What is the library's own: the beginning after MPI_Init, communicators that MPI made, results that all ranks hold.
#include "binding.h"
program test_replicated
  use admpi
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  type(admpi_tape) :: tape
  type(admpi_var) :: x(2), y(1)
  HANDLE(AMPI_Comm) :: comm
  real(8) :: gradient(2)
  integer :: rank, ranks, code, turn
  interface
    integer function MPI_Init_in_C(argc, argv) bind(C, name='MPI_Init')
      use, intrinsic :: iso_c_binding
      type(c_ptr), value :: argc, argv
    end function
  end interface
  call begin_elsewhere()
  call admpi_init(AMPI_COMM_WORLD, code)
  if (code /= 0) error stop 'admpi_init'
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_size(AMPI_COMM_WORLD, ranks, code)
  call unknown_to_the_library(comm)
  call AMPI_Comm_register(comm, code)
  if (code /= AMPI_SUCCESS) error stop 'AMPI_Comm_register'
  call tape%new()
  call tape%activate()
  do turn = 1, 2
    call tape%reset()
    call tape%start()
    x = [1d0 + rank, 3d0]
    call tape%input(x)
    call AMPI_Allreduce(x(1), y, 1, AMPI_ADOUBLE, AMPI_PROD, comm, code)
    y(1) = y(1)*x(2)
#ifdef ADMPI_TEST_INCLUDE
    call admpi_tape_seed_replicated(tape, comm, y(1), 2d0, 1, code)
#else
    if (turn == 1) then
      call admpi_tape_seed_replicated(tape, comm, y(1), 2d0)
    else
      call admpi_tape_seed_replicated(tape, comm, y(1), 2d0, 1, code)
      if (code /= 0) error stop 'seed'
    end if
#endif
    call tape%reverse()
    gradient = tape%adjoint(x)
    ! Of the product on rank 0 alone.
    if (abs(gradient(1) - 6d0*product_of(ranks)/(1d0 + rank)) > 1d-12) error stop 'the adjoint of a factor'
    if (abs(gradient(2) - merge(2d0*product_of(ranks), 0d0, rank == 0)) > 1d-12) error stop 'the adjoint of a local value'
  end do
  ! Directions count from 1.
  call admpi_tape_seed_replicated(tape, comm, y(1), 2d0, 2, code)
  if (code == 0) error stop 'a direction that there is not'
  call tape%free()
  call admpi_finalize(code)
  call AMPI_Finalize(code)

contains

  subroutine begin_elsewhere()
    use, intrinsic :: iso_c_binding
    if (MPI_Init_in_C(c_null_ptr, c_null_ptr) /= 0) error stop 'MPI_Init'
  end subroutine

  real(8) function product_of(n)
    integer, intent(in) :: n
    integer :: i
    product_of = 1
    do i = 1, n
      product_of = product_of*i
    end do
  end function

  ! A communicator of which the library does not hear.
  subroutine unknown_to_the_library(comm)
    HANDLE(AMPI_Comm), intent(out) :: comm
    HANDLE(AMPI_Request) :: request
    call AMPI_Comm_idup(AMPI_COMM_WORLD, comm, request, code)
    call AMPI_Wait(request, AMPI_STATUS_IGNORE, code)
    call AMPI_Comm_free(comm, code)
    call AMPI_Comm_idup_with_info(AMPI_COMM_WORLD, AMPI_INFO_NULL, comm, request, code)
    call AMPI_Wait(request, AMPI_STATUS_IGNORE, code)
  end subroutine
end program
