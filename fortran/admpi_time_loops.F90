! Long time loops on a short tape, for Fortran: docs/fortran.md explains. Steps count from 1.
!
! ADMPI_WITHOUT_TANGENTS: without states of admpi_tangents, for tests that save the time to compile it.
module admpi_time_loops
  use, intrinsic :: iso_c_binding
  use admpi, only: admpi_tape, admpi_var, admpi_var_complex, admpi_detail_refusal, admpi_detail_report
  use admpi_matrices, only: admpi_buffer, admpi_varmat
#ifndef ADMPI_WITHOUT_TANGENTS
  use admpi_tangents, only: admpi_tangent_var
  use admpi_complex_tangents, only: admpi_tangent_var_complex
#endif
  implicit none
  private

  integer, parameter :: dp = c_double

  ! Schedules; see admpi/time_loop.h.
  integer, parameter, public :: ADMPI_LOOP_ALL = 0, ADMPI_LOOP_BLOCKS = 1, ADMPI_LOOP_BINOMIAL = 2, ADMPI_LOOP_MIXED = 3, &
    ADMPI_LOOP_AUTO = 4

  ! A step. Its status is 0 on entry; another status ends the run, or the sweep. Sweeps run steps within steps of other loops, so
  ! it is recursive.
  abstract interface
    recursive subroutine admpi_time_step(step, status)
      integer, intent(in) :: step
      integer, intent(inout) :: status
    end subroutine
    ! Whether there is another step. Sweeps do not ask.
    recursive function admpi_time_condition(step) result(go_on)
      integer, intent(in) :: step
      logical :: go_on
    end function
    ! Hands out a copy of what is not active, and takes the program back to it.
    recursive subroutine admpi_time_save(kept)
      class(*), allocatable, intent(out) :: kept
    end subroutine
    recursive subroutine admpi_time_restore(kept)
      class(*), intent(in) :: kept
    end subroutine
  end interface
  public :: admpi_time_step, admpi_time_condition, admpi_time_save, admpi_time_restore

  ! Two procedures that keep what is not active. The loop's object and its runs share the list: each element counts who refers
  ! to it.
  type :: hooks
    procedure(admpi_time_save), pointer, nopass :: save => null()
    procedure(admpi_time_restore), pointer, nopass :: restore => null()
    integer :: references = 1
    type(hooks), pointer :: next => null()
  end type
  type :: copy
    class(*), allocatable :: kept
  end type

  ! What C keeps for a run: its context is the address of one.
  type :: context
    procedure(admpi_time_step), pointer, nopass :: step => null()
    procedure(admpi_time_condition), pointer, nopass :: condition => null()
    type(hooks), pointer :: held => null()
  end type

  ! What the loops of an object have done: admpi_time_loop_statistics of admpi/time_loop.h.
  type, bind(C), public :: admpi_time_loop_statistics
    integer(c_int64_t) :: first, advanced, recorded, snapshots, snapshot_bytes, disk_snapshots, disk_bytes, records
  end type

  ! A time loop. A copy is the same loop, until free. Without ierr an error ends the program. The handle is the first component:
  ! admpi_time_loop_set_comm of ampi finds it there.
  type, public :: admpi_time_loop
    type(c_ptr) :: handle = c_null_ptr
    type(hooks), pointer, private :: held => null()
  contains
    procedure :: new
    procedure :: free
    procedure :: automatic
    procedure :: budget
    procedure :: all => all_on_tape
    procedure :: blocks
    procedure :: binomial
    procedure :: mixed
    procedure :: disk
    procedure, private :: state_of_vars, state_of_complex, state_of_matrix
    procedure, private :: parameters_of_vars, parameters_of_complex, parameters_of_matrix
    generic :: state => state_of_vars, state_of_complex, state_of_matrix
    generic :: parameters => parameters_of_vars, parameters_of_complex, parameters_of_matrix
#ifndef ADMPI_WITHOUT_TANGENTS
    procedure, private :: state_of_tangents, state_of_complex_tangents, parameters_of_tangents, parameters_of_complex_tangents
    generic :: state => state_of_tangents, state_of_complex_tangents
    generic :: parameters => parameters_of_tangents, parameters_of_complex_tangents
#endif
    procedure :: save => save_by
    procedure :: run
    procedure :: run_while
    procedure :: chosen
    procedure :: statistics
  end type

  interface
    integer(c_int32_t) function c_new(tape, loop) bind(C, name='admpi_time_loop_new')
      import
      type(c_ptr), value :: tape
      type(c_ptr), intent(inout) :: loop
    end function
    subroutine c_free(loop) bind(C, name='admpi_time_loop_free')
      import
      type(c_ptr), value :: loop
    end subroutine
    integer(c_int32_t) function c_set_schedule(loop, kind, snapshots, block) bind(C, name='admpi_time_loop_set_schedule')
      import
      type(c_ptr), value :: loop
      integer(c_int32_t), value :: kind
      integer(c_int64_t), value :: snapshots, block
    end function
    integer(c_int32_t) function c_schedule(loop, kind, snapshots, block) bind(C, name='admpi_time_loop_schedule')
      import
      type(c_ptr), value :: loop
      integer(c_int32_t), intent(out) :: kind
      integer(c_int64_t), intent(out) :: snapshots, block
    end function
    integer(c_int32_t) function c_set_budget(loop, bytes) bind(C, name='admpi_time_loop_set_budget')
      import
      type(c_ptr), value :: loop
      integer(c_int64_t), value :: bytes
    end function
    integer(c_int32_t) function c_set_disk(loop, directory, snapshots, write, read) bind(C, name='admpi_time_loop_set_disk')
      import
      type(c_ptr), value :: loop
      character(kind=c_char), intent(in) :: directory(*)
      integer(c_int64_t), value :: snapshots
      real(c_double), value :: write, read
    end function
    integer(c_int32_t) function c_state(loop, x, n) bind(C, name='admpi_time_loop_state')
      import
      type(c_ptr), value :: loop, x
      integer(c_int64_t), value :: n
    end function
    integer(c_int32_t) function c_parameters(loop, x, n) bind(C, name='admpi_time_loop_parameters')
      import
      type(c_ptr), value :: loop, x
      integer(c_int64_t), value :: n
    end function
    integer(c_int32_t) function c_state_matrix(loop, locate, object) bind(C, name='admpi_time_loop_state_matrix_at')
      import
      type(c_ptr), value :: loop, object
      type(c_funptr), value :: locate
    end function
    integer(c_int32_t) function c_parameter_matrix(loop, locate, object) bind(C, name='admpi_time_loop_parameter_matrix_at')
      import
      type(c_ptr), value :: loop, object
      type(c_funptr), value :: locate
    end function
    integer(c_int32_t) function c_save(loop, save, restore, free, ctx) bind(C, name='admpi_time_loop_save')
      import
      type(c_ptr), value :: loop, ctx
      type(c_funptr), value :: save, restore, free
    end function
    integer(c_int32_t) function c_run(loop, steps, step, ctx, destroy) bind(C, name='admpi_time_loop_run')
      import
      type(c_ptr), value :: loop, ctx
      integer(c_int64_t), value :: steps
      type(c_funptr), value :: step, destroy
    end function
    integer(c_int32_t) function c_run_while(loop, condition, step, ctx, destroy, steps) bind(C, name='admpi_time_loop_run_while')
      import
      type(c_ptr), value :: loop, ctx
      type(c_funptr), value :: condition, step, destroy
      integer(c_int64_t), intent(out) :: steps
    end function
    integer(c_int32_t) function c_statistics(loop, statistics) bind(C, name='admpi_time_loop_statistics_of')
      import
      type(c_ptr), value :: loop
      type(admpi_time_loop_statistics), intent(inout) :: statistics
    end function
  end interface

contains

  subroutine new(self, tape, ierr)
    class(admpi_time_loop), intent(inout) :: self
    type(admpi_tape), intent(in) :: tape
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_new(tape%handle, self%handle), 'new', ierr)
  end subroutine
  ! Runs that a tape holds outlive it.
  subroutine free(self)
    class(admpi_time_loop), intent(inout) :: self
    call c_free(self%handle)
    self%handle = c_null_ptr
    call release(self%held)
  end subroutine

  ! The first steps decide: everything is on the tape if that fits into the budget; else the fewest steps are run again. The
  ! default. On ranks it needs admpi_time_loop_set_comm.
  subroutine automatic(self, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(out), optional :: ierr
    call set_schedule(self, ADMPI_LOOP_AUTO, 0, 0, 'automatic', ierr)
  end subroutine
  ! The bytes that a run and its sweep may take, for automatic; 0: what the tape's limit leaves, or the machine has free.
  subroutine budget(self, bytes, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer(c_int64_t), intent(in) :: bytes
    integer, intent(out), optional :: ierr
    if (bytes < 0) then
      call refuse('budget', 'bytes is', bytes, 'it must not be negative', ierr)
    else
      call admpi_detail_report(c_set_budget(self%handle, bytes), 'budget', ierr)
    end if
  end subroutine
  ! Everything is on the tape.
  subroutine all_on_tape(self, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(out), optional :: ierr
    call set_schedule(self, ADMPI_LOOP_ALL, 0, 0, 'all', ierr)
  end subroutine
  ! The state is kept before every `steps` steps. Each step is run twice.
  subroutine blocks(self, steps, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(in) :: steps
    integer, intent(out), optional :: ierr
    call set_schedule(self, ADMPI_LOOP_BLOCKS, 0, steps, 'blocks', ierr)
  end subroutine
  ! At most `snapshots` states are kept, beside the one before the last block, and `block` steps recorded at a time (1 unless
  ! given), so that the fewest steps are run again.
  subroutine binomial(self, snapshots, block, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(in) :: snapshots
    integer, intent(in), optional :: block
    integer, intent(out), optional :: ierr
    call set_schedule(self, ADMPI_LOOP_BINOMIAL, snapshots, block, 'binomial', ierr)
  end subroutine
  ! At most `units` states and recorded blocks are kept, beside the state before the loop.
  subroutine mixed(self, units, block, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(in) :: units
    integer, intent(in), optional :: block
    integer, intent(out), optional :: ierr
    call set_schedule(self, ADMPI_LOOP_MIXED, units, block, 'mixed', ierr)
  end subroutine
  subroutine set_schedule(self, kind, snapshots, block, what, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(in) :: kind, snapshots
    integer, intent(in), optional :: block
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: steps
    steps = 1
    if (present(block)) steps = block
    call admpi_detail_report(c_set_schedule(self%handle, int(kind, c_int32_t), int(snapshots, c_int64_t), steps), what, ierr)
  end subroutine
  ! Up to `snapshots` states may be kept on disk too, in a file of each rank without a name. To write and to read one costs as much
  ! as so many runs of a step (1 unless given).
  subroutine disk(self, directory, snapshots, write, read, ierr)
    class(admpi_time_loop), intent(in) :: self
    character(*), intent(in) :: directory
    integer, intent(in) :: snapshots
    real(dp), intent(in), optional :: write, read
    integer, intent(out), optional :: ierr
    real(dp) :: writing, reading
    writing = 1
    reading = 1
    if (present(write)) writing = write
    if (present(read)) reading = read
    call admpi_detail_report(c_set_disk(self%handle, trim(directory)//c_null_char, int(snapshots, c_int64_t), writing, reading), &
      'disk', ierr)
  end subroutine

  ! What steps read and write: active variables, scalars or arrays, of every number type, and matrices. They stay where they are
  ! as long as the tape holds a run: no step allocates them anew. The dummies are not contiguous, or the compiler would hand over
  ! a copy of what has gaps.
  subroutine state_at(self, is_whole, x, n, ierr)
    class(admpi_time_loop), intent(in) :: self
    logical, intent(in) :: is_whole
    type(c_ptr), intent(in) :: x
    integer(c_int64_t), intent(in) :: n
    integer, intent(out), optional :: ierr
    if (.not. is_whole) then
      call refuse_gaps('state', ierr)
    else
      call admpi_detail_report(c_state(self%handle, x, n), 'state', ierr)
    end if
  end subroutine
  subroutine state_of_vars(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_var), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call state_at(self, is_contiguous(x), c_loc(x), size(x, kind=c_int64_t), ierr)
  end subroutine
  subroutine state_of_complex(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_var_complex), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call state_at(self, is_contiguous(x), c_loc(x), 2*size(x, kind=c_int64_t), ierr)
  end subroutine
  subroutine state_of_matrix(self, a, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_varmat), intent(inout), target :: a
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_state_matrix(self%handle, c_funloc(locate), c_loc(a)), 'state', ierr)
  end subroutine
#ifndef ADMPI_WITHOUT_TANGENTS
  subroutine state_of_tangents(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_tangent_var), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call state_at(self, is_contiguous(x), c_loc(x), 2*size(x, kind=c_int64_t), ierr)
  end subroutine
  subroutine state_of_complex_tangents(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_tangent_var_complex), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call state_at(self, is_contiguous(x), c_loc(x), 4*size(x, kind=c_int64_t), ierr)
  end subroutine
#endif

  ! What steps read and none writes. The program may change it after the run.
  subroutine parameters_at(self, is_whole, x, n, ierr)
    class(admpi_time_loop), intent(in) :: self
    logical, intent(in) :: is_whole
    type(c_ptr), intent(in) :: x
    integer(c_int64_t), intent(in) :: n
    integer, intent(out), optional :: ierr
    if (.not. is_whole) then
      call refuse_gaps('parameters', ierr)
    else
      call admpi_detail_report(c_parameters(self%handle, x, n), 'parameters', ierr)
    end if
  end subroutine
  subroutine parameters_of_vars(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_var), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call parameters_at(self, is_contiguous(x), c_loc(x), size(x, kind=c_int64_t), ierr)
  end subroutine
  subroutine parameters_of_complex(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_var_complex), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call parameters_at(self, is_contiguous(x), c_loc(x), 2*size(x, kind=c_int64_t), ierr)
  end subroutine
  subroutine parameters_of_matrix(self, a, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_varmat), intent(inout), target :: a
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_parameter_matrix(self%handle, c_funloc(locate), c_loc(a)), 'parameters', ierr)
  end subroutine
#ifndef ADMPI_WITHOUT_TANGENTS
  subroutine parameters_of_tangents(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_tangent_var), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call parameters_at(self, is_contiguous(x), c_loc(x), 2*size(x, kind=c_int64_t), ierr)
  end subroutine
  subroutine parameters_of_complex_tangents(self, x, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_tangent_var_complex), intent(inout), target :: x(..)
    integer, intent(out), optional :: ierr
    call parameters_at(self, is_contiguous(x), c_loc(x), 4*size(x, kind=c_int64_t), ierr)
  end subroutine
#endif

  ! The matrix that a variable owns now.
  function locate(object) bind(C) result(matrix)
    type(c_ptr), value :: object
    type(c_ptr) :: matrix
    type(admpi_varmat), pointer :: a
    type(admpi_buffer), target :: whole
    type(c_ptr), pointer :: of
    call c_f_pointer(object, a)
    whole = a%buffer()
    call c_f_pointer(c_loc(whole), of) ! its first component
    matrix = of
  end function

  subroutine refuse_gaps(what, ierr)
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    call admpi_detail_report(admpi_detail_refusal(what//': the array has gaps; declare the array that it is a part of'), what, ierr)
  end subroutine
  subroutine refuse(what, subject, number, rule, ierr)
    character(*), intent(in) :: what, subject, rule
    integer(c_int64_t), intent(in) :: number
    integer, intent(out), optional :: ierr
    character(24) :: text
    write (text, '(i0)') number
    call admpi_detail_report(admpi_detail_refusal(what//': '//subject//' '//trim(text)//'; '//rule), what, ierr)
  end subroutine

  ! Keeps what is not active, such as a random generator, with each state.
  subroutine save_by(self, save, restore, ierr)
    class(admpi_time_loop), intent(inout) :: self
    procedure(admpi_time_save) :: save
    procedure(admpi_time_restore) :: restore
    integer, intent(out), optional :: ierr
    type(hooks), pointer :: more
    integer(c_int32_t) :: status
    allocate (more)
    more%save => save
    more%restore => restore
    status = c_save(self%handle, c_funloc(call_save), c_funloc(call_restore), c_funloc(free_copy), c_loc(more))
    if (status == 0) then
      more%next => self%held
      self%held => more
    else
      deallocate (more)
    end if
    call admpi_detail_report(status, 'save', ierr)
  end subroutine
  recursive function call_save(ctx) bind(C) result(kept)
    type(c_ptr), value :: ctx
    type(c_ptr) :: kept
    type(hooks), pointer :: both
    type(copy), pointer :: made
    call c_f_pointer(ctx, both)
    allocate (made)
    call both%save(made%kept)
    kept = c_loc(made)
  end function
  recursive subroutine call_restore(ctx, kept) bind(C)
    type(c_ptr), value :: ctx, kept
    type(hooks), pointer :: both
    type(copy), pointer :: made
    call c_f_pointer(ctx, both)
    call c_f_pointer(kept, made)
    if (allocated(made%kept)) call both%restore(made%kept)
  end subroutine
  subroutine free_copy(ctx, kept) bind(C)
    type(c_ptr), value :: ctx, kept
    type(copy), pointer :: made
    call c_f_pointer(kept, made)
    deallocate (made)
  end subroutine

  ! Ends a reference to a list.
  subroutine release(list)
    type(hooks), pointer, intent(inout) :: list
    type(hooks), pointer :: first
    do while (associated(list))
      list%references = list%references - 1
      if (list%references > 0) exit
      first => list
      list => first%next
      deallocate (first)
    end do
    list => null()
  end subroutine

  ! Runs step(1), step(2) and so on. If the tape records, it gets one event.
  subroutine run(self, steps, step, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(in) :: steps
    procedure(admpi_time_step) :: step
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_run(self%handle, int(steps, c_int64_t), c_funloc(call_step), context_of(self, step), &
      c_funloc(destroy)), 'run', ierr)
  end subroutine
  ! Runs steps while condition(step) is true. A sweep does not ask it. `steps` tells how many were run.
  subroutine run_while(self, condition, step, steps, ierr)
    class(admpi_time_loop), intent(in) :: self
    procedure(admpi_time_condition) :: condition
    procedure(admpi_time_step) :: step
    integer, intent(out), optional :: steps
    integer, intent(out), optional :: ierr
    integer(c_int64_t) :: done
    integer(c_int32_t) :: status
    done = 0
    status = c_run_while(self%handle, c_funloc(call_condition), c_funloc(call_step), context_of(self, step, condition), &
      c_funloc(destroy), done)
    if (present(steps)) steps = int(done)
    call admpi_detail_report(status, 'run_while', ierr)
  end subroutine
  function context_of(self, step, condition) result(ctx)
    class(admpi_time_loop), intent(in) :: self
    procedure(admpi_time_step) :: step
    procedure(admpi_time_condition), optional :: condition
    type(c_ptr) :: ctx
    type(context), pointer :: made
    allocate (made)
    made%step => step
    if (present(condition)) made%condition => condition
    made%held => self%held
    if (associated(made%held)) made%held%references = made%held%references + 1
    ctx = c_loc(made)
  end function
  recursive function call_step(step, ctx) bind(C) result(status)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: ctx
    integer(c_int32_t) :: status
    type(context), pointer :: run
    integer :: answer
    call c_f_pointer(ctx, run)
    answer = 0
    call run%step(int(step) + 1, answer)
    status = answer
  end function
  recursive function call_condition(step, ctx, go_on) bind(C) result(status)
    integer(c_int64_t), value :: step
    type(c_ptr), value :: ctx
    integer(c_int32_t), intent(out) :: go_on
    integer(c_int32_t) :: status
    type(context), pointer :: run
    call c_f_pointer(ctx, run)
    go_on = merge(1_c_int32_t, 0_c_int32_t, run%condition(int(step) + 1))
    status = 0
  end function
  subroutine destroy(ctx) bind(C)
    type(c_ptr), value :: ctx
    type(context), pointer :: run
    call c_f_pointer(ctx, run)
    call release(run%held)
    deallocate (run)
  end subroutine

  ! What schedule the last run had: one of the ADMPI_LOOP constants, its snapshots and the steps of a block, or 0.
  subroutine chosen(self, kind, snapshots, block, ierr)
    class(admpi_time_loop), intent(in) :: self
    integer, intent(out) :: kind, snapshots, block
    integer, intent(out), optional :: ierr
    integer(c_int32_t) :: c_kind, status
    integer(c_int64_t) :: states, steps
    c_kind = 0
    states = 0
    steps = 0
    status = c_schedule(self%handle, c_kind, states, steps)
    kind = c_kind
    snapshots = int(states)
    block = int(steps)
    call admpi_detail_report(status, 'chosen', ierr)
  end subroutine

  subroutine statistics(self, now, ierr)
    class(admpi_time_loop), intent(in) :: self
    type(admpi_time_loop_statistics), intent(out) :: now
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_statistics(self%handle, now), 'statistics', ierr)
  end subroutine

end module
