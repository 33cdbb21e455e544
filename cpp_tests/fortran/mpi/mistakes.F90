! Mistakes with messages, and what checking mode says of them: run with ADMPI_CHECK=1 on 2 ranks.
#include "binding.h"
program mistakes
  use admpi
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  type(admpi_tape) :: tape
  type(admpi_var) :: x(4), y(4)
  integer :: rank, code, failed

  call AMPI_Init(code)
  call AMPI_Comm_rank(AMPI_COMM_WORLD, rank, code)
  call AMPI_Comm_set_errhandler(AMPI_COMM_SELF, AMPI_ERRORS_RETURN, code)
  call tape%new()
  call tape%activate()

  ! Half of the array, and as values and ids in turn. How many elements there are behind the first one no descriptor tells.
  call tape%start()
  x = 1d0
  call tape%input(x)
  call AMPI_Allreduce(x(1), y(1), 4, AMPI_DOUBLE_PRECISION, AMPI_SUM, AMPI_COMM_SELF, code)
  if (code == AMPI_SUCCESS .or. index(admpi_last_error(), 'is sent as bytes') == 0) then
    print *, rank, code, admpi_last_error()
    error stop 'an active buffer of reals'
  end if

  ! One side records a message, the other does not.
  call tape%reset()
  call tape%start()
  x = 1d0
  call tape%input(x)
  y = 2*x
  if (rank == 0) then
    call AMPI_Send(y, 4, AMPI_ADOUBLE, 1, 0, AMPI_COMM_WORLD, code)
  else
    call tape%stop()
    call AMPI_Recv(y, 4, AMPI_ADOUBLE, 0, 0, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE, code)
    call tape%start()
    y = 2*x
  end if
  call tape%seed(y, [1d0, 1d0, 1d0, 1d0])
  call tape%reverse(ierr=failed)
  if (failed == 0 .or. index(admpi_last_error(), 'rank') == 0) then
    print *, rank, failed, admpi_last_error()
    error stop 'one side that does not record'
  end if
  call admpi_tape_abandon_sweep(tape, AMPI_COMM_WORLD, code)
  call tape%free()
  call AMPI_Finalize(code)
end program
