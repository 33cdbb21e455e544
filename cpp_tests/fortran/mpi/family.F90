! Modules that were compiled for another MPI: AMPI_Init says so and begins nothing. `lacking`: a program without admpi's objects.
program test_family
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none
  external :: admpif_sentinels, ampi_init
  character(10) :: mistake
  integer :: code, size, world
  logical :: begun

  interface
    function last_error() bind(C, name='admpi_last_error') result(text)
      import
      type(c_ptr) :: text
    end function
  end interface

  call get_command_argument(1, mistake)
  size = MPI_STATUS_SIZE
  world = MPI_COMM_WORLD
  select case (mistake)
  case ('size')
    size = 11 - size
  case ('world')
    world = merge(1140850688, 0, world == 0)
  case ('lacking')
    size = 0
  end select
  call admpif_sentinels(0, size, world, .true., MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, &
    MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY)
  call ampi_init(code)
  call MPI_Initialized(begun, code)
  print '(a)', text_of(last_error())
  if (begun .neqv. mistake == 'none') error stop 'whether MPI began'
  if (begun) call MPI_Finalize(code)

contains

  function text_of(at) result(text)
    type(c_ptr), intent(in) :: at
    character(:), allocatable :: text
    character, pointer :: from(:)
    call c_f_pointer(at, from, [1000])
    text = ''
    do while (from(len(text) + 1) /= c_null_char)
      text = text//from(len(text) + 1)
    end do
  end function
end program
