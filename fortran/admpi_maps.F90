! Maps for Fortran: one procedure for many independent jobs, on this thread, on threads or on other ranks. docs/fortran.md
! explains. Jobs count from 1.
module admpi_maps
  use, intrinsic :: iso_c_binding
  use admpi, only: admpi_var, admpi_detail_refusal, admpi_detail_report
  implicit none
  private

  integer, parameter :: dp = c_double

  ! Who does the jobs; see admpi/map.h.
  integer, parameter, public :: ADMPI_MAP_DEFAULT = 0, ADMPI_MAP_SERIAL = 1, ADMPI_MAP_THREADS = 2, ADMPI_MAP_MPI = 3, &
    ADMPI_MAP_MPI_THREADS = 4

  ! A job. Its results y and its status are 0 on entry; another status makes the map fail. It may run on several threads at once,
  ! so it is recursive: gfortran otherwise makes large local arrays static.
  abstract interface
    recursive subroutine admpi_job(shared, own, x_r, x_i, y, status)
      import :: admpi_var, dp, c_int32_t
      type(admpi_var), intent(in) :: shared(:), own(:)
      real(dp), intent(in) :: x_r(:)
      integer(c_int32_t), intent(in) :: x_i(:)
      type(admpi_var), intent(inout) :: y(:)
      integer, intent(inout) :: status
    end subroutine
  end interface
  public :: admpi_job

  ! What C keeps for a job: its context is the address of one.
  type :: context
    procedure(admpi_job), pointer, nopass :: job => null()
  end type

  ! A registered job. A copy is the same one, until unregister.
  type :: admpi_map_function
    private
    integer(c_int32_t) :: number = -1
    type(context), pointer :: context => null()
  contains
    procedure :: register
    procedure :: unregister
  end type
  public :: admpi_map_function

  ! Data of the jobs. After an update only the new handle is valid.
  type, bind(C) :: admpi_map_data
    private
    integer(c_int32_t) :: id = 0, generation = 0
  end type
  public :: admpi_map_data

  ! The first job that failed, where it ran and what it returned; job 0: no job caused the failure.
  type :: admpi_map_failure
    integer :: job = 0, rank = 0, code = 0
    character(:), allocatable :: text
  end type
  public :: admpi_map_failure

  ! A map. A copy is the same map, until free. One that is not new runs serially. Without ierr an error ends the program.
  type :: admpi_map
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: new
    procedure :: free
    procedure :: set_backend
    procedure :: stop => stop_workers
    procedure :: data_new
    procedure :: data_update
    procedure :: data_free
    procedure :: run
    procedure :: run_sum
    procedure :: hessian
  end type
  public :: admpi_map

  public :: admpi_map_fail, admpi_map_number, admpi_map_shared_r, admpi_map_shared_i, admpi_map_last_failure

  ! admpi_map_values, admpi_map_call and admpi_map_failure of admpi/map.h.
  type, bind(C) :: c_values
    integer(c_int64_t) :: jobs = 0
    type(c_ptr) :: x_r = c_null_ptr
    integer(c_int64_t) :: n_r = 0
    type(c_ptr) :: r_end = c_null_ptr, x_i = c_null_ptr
    integer(c_int64_t) :: n_i = 0
    type(c_ptr) :: i_end = c_null_ptr, shared_r = c_null_ptr
    integer(c_int64_t) :: n_shared_r = 0
    type(c_ptr) :: shared_i = c_null_ptr
    integer(c_int64_t) :: n_shared_i = 0
  end type
  type, bind(C) :: c_call
    integer(c_int32_t) :: function
    type(admpi_map_data) :: data
    integer(c_int64_t) :: jobs
    type(c_ptr) :: shared
    integer(c_int64_t) :: n_shared
    type(c_ptr) :: job
    integer(c_int64_t) :: n_job
    type(c_ptr) :: job_end = c_null_ptr
    integer(c_int64_t) :: n_y
    type(c_ptr) :: y_end = c_null_ptr
  end type
  type, bind(C) :: c_failure
    integer(c_int64_t) :: job
    integer(c_int32_t) :: rank, code
    type(c_ptr) :: text
  end type

  ! What a call points to, and its number of jobs while the arguments are looked at.
  type :: parameters
    integer(c_int64_t) :: jobs = -1
    integer(c_int64_t), allocatable :: own_end(:), y_end(:)
  end type

  interface
    integer(c_int32_t) function c_register(name, fn, ctx, number) bind(C, name='admpi_map_register')
      import
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr), value :: fn
      type(c_ptr), value :: ctx
      integer(c_int32_t), intent(out) :: number
    end function
    integer(c_int32_t) function c_unregister(number) bind(C, name='admpi_map_unregister')
      import
      integer(c_int32_t), value :: number
    end function
    subroutine c_fail(text) bind(C, name='admpi_map_fail')
      import
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
    type(c_ptr) function c_shared_r(n) bind(C, name='admpi_map_shared_r')
      import
      integer(c_int64_t), intent(out) :: n
    end function
    type(c_ptr) function c_shared_i(n) bind(C, name='admpi_map_shared_i')
      import
      integer(c_int64_t), intent(out) :: n
    end function
    integer(c_int64_t) function c_job() bind(C, name='admpi_map_job')
      import
    end function
    integer(c_int32_t) function c_new(backend, threads, map) bind(C, name='admpi_map_new')
      import
      integer(c_int32_t), value :: backend, threads
      type(c_ptr), intent(inout) :: map
    end function
    integer(c_int32_t) function c_set_backend(map, backend, threads) bind(C, name='admpi_map_set_backend')
      import
      type(c_ptr), value :: map
      integer(c_int32_t), value :: backend, threads
    end function
    integer(c_int32_t) function c_stop(map) bind(C, name='admpi_map_stop')
      import
      type(c_ptr), value :: map
    end function
    subroutine c_free(map) bind(C, name='admpi_map_free')
      import
      type(c_ptr), value :: map
    end subroutine
    integer(c_int32_t) function c_data_new(map, values, data) bind(C, name='admpi_map_data_new')
      import
      type(c_ptr), value :: map
      type(c_values), intent(in) :: values
      type(admpi_map_data), intent(inout) :: data
    end function
    integer(c_int32_t) function c_data_update(map, old, values, data) bind(C, name='admpi_map_data_update')
      import
      type(c_ptr), value :: map
      type(admpi_map_data), value :: old
      type(c_values), intent(in) :: values
      type(admpi_map_data), intent(inout) :: data
    end function
    integer(c_int32_t) function c_data_free(map, data) bind(C, name='admpi_map_data_free')
      import
      type(c_ptr), value :: map
      type(admpi_map_data), value :: data
    end function
    integer(c_int32_t) function c_run(map, call, y) bind(C, name='admpi_map_run')
      import
      type(c_ptr), value :: map
      type(c_call), intent(in) :: call
      type(admpi_var), intent(inout) :: y(*)
    end function
    integer(c_int32_t) function c_run_sum(map, call, y) bind(C, name='admpi_map_run_sum')
      import
      type(c_ptr), value :: map
      type(c_call), intent(in) :: call
      type(admpi_var), intent(inout) :: y(*)
    end function
    integer(c_int32_t) function c_hessian(map, call, value, gradient, hessian) bind(C, name='admpi_map_hessian')
      import
      type(c_ptr), value :: map, value, gradient, hessian
      type(c_call), intent(in) :: call
    end function
    integer(c_int32_t) function c_last_failure(failure) bind(C, name='admpi_map_last_failure')
      import
      type(c_failure), intent(out) :: failure
    end function
    integer(c_size_t) function c_strlen(text) bind(C, name='strlen')
      import
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! Arrays of any rank below are contiguous: gfortran 12 does not pass on the gaps of one that has some.

  ! The function that C calls: the job is in its context.
  recursive function call_job(shared, n_shared, own, n_own, x_r, n_r, x_i, n_i, y, n_y, ctx) bind(C) result(status)
    integer(c_int64_t), value :: n_shared, n_own, n_r, n_i, n_y
    type(admpi_var), intent(in) :: shared(n_shared), own(n_own)
    real(dp), intent(in) :: x_r(n_r)
    integer(c_int32_t), intent(in) :: x_i(n_i)
    type(admpi_var), intent(inout) :: y(n_y)
    type(c_ptr), value :: ctx
    integer(c_int32_t) :: status
    type(context), pointer :: called
    integer :: answer
    call c_f_pointer(ctx, called)
    answer = 0
    call called%job(shared, own, x_r, x_i, y, answer)
    status = answer
  end function

  subroutine register(self, name, job, ierr)
    class(admpi_map_function), intent(inout) :: self
    character(*), intent(in) :: name
    procedure(admpi_job) :: job
    integer, intent(out), optional :: ierr
    type(context), pointer :: new_context
    integer(c_int32_t) :: status
    allocate (new_context)
    new_context%job => job
    status = c_register(trim(name)//c_null_char, c_funloc(call_job), c_loc(new_context), self%number)
    if (status == 0) then
      self%context => new_context
    else
      deallocate (new_context)
    end if
    call admpi_detail_report(status, 'register', ierr)
  end subroutine

  subroutine unregister(self, ierr)
    class(admpi_map_function), intent(inout) :: self
    integer, intent(out), optional :: ierr
    integer(c_int32_t) :: status
    status = c_unregister(self%number)
    if (status == 0) then
      deallocate (self%context)
      self%number = -1
    end if
    call admpi_detail_report(status, 'unregister', ierr)
  end subroutine

  ! In a job: the text of the error that the job is about to return.
  subroutine admpi_map_fail(text)
    character(*), intent(in) :: text
    call c_fail(trim(text)//c_null_char)
  end subroutine
  ! In a job: its number; 0 outside of jobs.
  integer function admpi_map_number()
    admpi_map_number = int(c_job()) + 1
  end function
  ! In a job: the data that all jobs share.
  function admpi_map_shared_r() result(x)
    real(dp), pointer :: x(:)
    integer(c_int64_t) :: n
    type(c_ptr) :: at
    n = 0
    at = c_shared_r(n)
    call c_f_pointer(at, x, [n])
  end function
  function admpi_map_shared_i() result(x)
    integer(c_int32_t), pointer :: x(:)
    integer(c_int64_t) :: n
    type(c_ptr) :: at
    n = 0
    at = c_shared_i(n)
    call c_f_pointer(at, x, [n])
  end function

  ! The thread's last call of a map that failed.
  subroutine admpi_map_last_failure(failure)
    type(admpi_map_failure), intent(inout) :: failure
    type(c_failure) :: found
    character(kind=c_char), pointer :: text(:)
    integer :: i
    if (c_last_failure(found) /= 0) return
    failure%job = int(found%job) + 1
    failure%rank = found%rank
    failure%code = found%code
    failure%text = ''
    if (.not. c_associated(found%text)) return
    call c_f_pointer(found%text, text, [c_strlen(found%text)])
    failure%text = repeat(' ', size(text))
    do i = 1, size(text)
      failure%text(i:i) = text(i)
    end do
  end subroutine

  ! backend: ADMPI_MAP_DEFAULT. threads: as many as there are cores, or ADMPI_MAP_THREADS of the environment.
  subroutine new(self, backend, threads, ierr)
    class(admpi_map), intent(inout) :: self
    integer, intent(in), optional :: backend, threads
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_new(given(backend), given(threads), self%handle), 'new', ierr)
  end subroutine
  subroutine set_backend(self, backend, threads, ierr)
    class(admpi_map), intent(in) :: self
    integer, intent(in) :: backend
    integer, intent(in), optional :: threads
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_set_backend(self%handle, given(backend), given(threads)), 'set_backend', ierr)
  end subroutine
  subroutine stop_workers(self, ierr)
    class(admpi_map), intent(in) :: self
    integer, intent(out), optional :: ierr
    call admpi_detail_report(c_stop(self%handle), 'stop', ierr)
  end subroutine
  subroutine free(self)
    class(admpi_map), intent(inout) :: self
    call c_free(self%handle)
    self%handle = c_null_ptr
  end subroutine
  pure integer(c_int32_t) function given(number)
    integer, intent(in), optional :: number
    given = 0
    if (present(number)) given = int(number, c_int32_t)
  end function

  ! Data job by job: x_r(:, i) and x_i(:, i) are those of job i; of arrays of rank 1 r_end(i) and i_end(i) say where they end, or
  ! each of `jobs` jobs has the same number. shared_r, shared_i: for all jobs.
  subroutine data_new(self, data, x_r, x_i, shared_r, shared_i, r_end, i_end, jobs, ierr)
    class(admpi_map), intent(in) :: self
    type(admpi_map_data), intent(inout) :: data
    real(dp), intent(in), optional, contiguous :: x_r(..)
    real(dp), intent(in), optional :: shared_r(:)
    integer(c_int32_t), intent(in), optional, contiguous :: x_i(..)
    integer(c_int32_t), intent(in), optional :: shared_i(:)
    integer, intent(in), optional :: r_end(:), i_end(:), jobs
    integer, intent(out), optional :: ierr
    call put_data(.false., self, data, x_r, x_i, shared_r, shared_i, r_end, i_end, jobs, 'data_new', ierr)
  end subroutine
  subroutine data_update(self, data, x_r, x_i, shared_r, shared_i, r_end, i_end, jobs, ierr)
    class(admpi_map), intent(in) :: self
    type(admpi_map_data), intent(inout) :: data
    real(dp), intent(in), optional, contiguous :: x_r(..)
    real(dp), intent(in), optional :: shared_r(:)
    integer(c_int32_t), intent(in), optional, contiguous :: x_i(..)
    integer(c_int32_t), intent(in), optional :: shared_i(:)
    integer, intent(in), optional :: r_end(:), i_end(:), jobs
    integer, intent(out), optional :: ierr
    call put_data(.true., self, data, x_r, x_i, shared_r, shared_i, r_end, i_end, jobs, 'data_update', ierr)
  end subroutine
  subroutine put_data(replaces, self, data, x_r, x_i, shared_r, shared_i, r_end, i_end, jobs, what, ierr)
    logical, intent(in) :: replaces
    class(admpi_map), intent(in) :: self
    type(admpi_map_data), intent(inout) :: data
    real(dp), intent(in), optional, contiguous :: x_r(..)
    real(dp), intent(in), optional :: shared_r(:)
    integer(c_int32_t), intent(in), optional, contiguous :: x_i(..)
    integer(c_int32_t), intent(in), optional :: shared_i(:)
    integer, intent(in), optional :: r_end(:), i_end(:), jobs
    character(*), intent(in) :: what
    integer, intent(out), optional :: ierr
    type(c_values) :: values
    real(dp), allocatable, target :: r(:), r_of_all(:)
    integer(c_int32_t), allocatable, target :: i(:), i_of_all(:)
    integer(c_int64_t), allocatable, target :: ends_of_r(:), ends_of_i(:)
    integer(c_int64_t) :: count
    integer(c_int32_t) :: status
    status = 0
    count = -1
    if (present(jobs)) call agree(count, jobs, status)
    allocate (r(0), i(0), r_of_all(0), i_of_all(0))
    if (present(x_r)) then
      select rank (x_r)
      rank (1)
        r = x_r
      rank (2)
        call agree(count, size(x_r, 2), status)
        r = reshape(x_r, [size(x_r)])
      rank default
        status = admpi_detail_refusal(what//': x_r must have rank 1 or 2')
      end select
    end if
    if (present(x_i)) then
      select rank (x_i)
      rank (1)
        i = x_i
      rank (2)
        call agree(count, size(x_i, 2), status)
        i = reshape(x_i, [size(x_i)])
      rank default
        status = admpi_detail_refusal(what//': x_i must have rank 1 or 2')
      end select
    end if
    if (present(shared_r)) r_of_all = shared_r
    if (present(shared_i)) i_of_all = shared_i
    if (present(r_end)) then
      call agree(count, size(r_end), status)
      ends_of_r = r_end
      values%r_end = c_loc(ends_of_r)
    end if
    if (present(i_end)) then
      call agree(count, size(i_end), status)
      ends_of_i = i_end
      values%i_end = c_loc(ends_of_i)
    end if
    ! Without a number of jobs there can be shared data only.
    values%jobs = max(count, 0_c_int64_t)
    if (status == 0) then
      values%x_r = c_loc(r)
      values%n_r = size(r)
      values%x_i = c_loc(i)
      values%n_i = size(i)
      values%shared_r = c_loc(r_of_all)
      values%n_shared_r = size(r_of_all)
      values%shared_i = c_loc(i_of_all)
      values%n_shared_i = size(i_of_all)
      if (replaces) then
        status = c_data_update(self%handle, data, values, data)
      else
        status = c_data_new(self%handle, values, data)
      end if
    end if
    call admpi_detail_report(status, what, ierr)
  end subroutine
  subroutine data_free(self, data, ierr)
    class(admpi_map), intent(in) :: self
    type(admpi_map_data), intent(inout) :: data
    integer, intent(out), optional :: ierr
    integer(c_int32_t) :: status
    status = c_data_free(self%handle, data)
    if (status == 0) data = admpi_map_data()
    call admpi_detail_report(status, 'data_free', ierr)
  end subroutine

  ! Arguments must speak of the same number of jobs.
  subroutine agree(count, n, status)
    integer(c_int64_t), intent(inout) :: count
    integer, intent(in) :: n
    integer(c_int32_t), intent(inout) :: status
    character(80) :: text
    if (count >= 0 .and. count /= n .and. status == 0) then
      write (text, '(a, i0, a, i0, a)') 'one argument is for ', count, ' jobs, another one for ', n
      status = admpi_detail_refusal(trim(text))
    end if
    count = n
  end subroutine

  ! Runs all jobs: own(:, i) are the parameters of job i, y(:, i) its results. Of arrays of rank 1 own_end(i) and y_end(i) say where
  ! they end, or each of `jobs` jobs has the same number.
  subroutine run(self, function, shared, own, y, data, own_end, y_end, jobs, ierr)
    class(admpi_map), intent(in) :: self
    type(admpi_map_function), intent(in) :: function
    type(admpi_var), intent(in), target, contiguous :: shared(:), own(..)
    type(admpi_var), intent(inout), contiguous :: y(..)
    type(admpi_map_data), intent(in), optional :: data
    integer, intent(in), optional :: own_end(:), y_end(:), jobs
    integer, intent(out), optional :: ierr
    type(parameters), target :: held
    type(c_call) :: call
    integer(c_int32_t) :: status
    call prepare(call, held, status, function, shared, own, data, own_end, jobs)
    if (present(y_end)) then
      call agree(held%jobs, size(y_end), status)
      held%y_end = y_end
      call%y_end = c_loc(held%y_end)
    end if
    select rank (y)
    rank (1)
      call%n_y = size(y)
      call check_jobs(call, held, status)
      if (status == 0) status = c_run(self%handle, call, y)
    rank (2)
      call agree(held%jobs, size(y, 2), status)
      call%n_y = size(y)
      call check_jobs(call, held, status)
      if (status == 0) status = c_run(self%handle, call, y)
    rank default
      status = admpi_detail_refusal('y must have rank 1 or 2')
    end select
    call admpi_detail_report(status, 'run', ierr)
  end subroutine

  ! The same, but only the sums over all jobs are returned.
  subroutine run_sum(self, function, shared, own, y, data, own_end, jobs, ierr)
    class(admpi_map), intent(in) :: self
    type(admpi_map_function), intent(in) :: function
    type(admpi_var), intent(in), target, contiguous :: shared(:), own(..)
    type(admpi_var), intent(inout), contiguous :: y(:)
    type(admpi_map_data), intent(in), optional :: data
    integer, intent(in), optional :: own_end(:), jobs
    integer, intent(out), optional :: ierr
    type(parameters), target :: held
    type(c_call) :: call
    integer(c_int32_t) :: status
    call prepare(call, held, status, function, shared, own, data, own_end, jobs)
    call%n_y = size(y)
    call check_jobs(call, held, status)
    if (status == 0) status = c_run_sum(self%handle, call, y)
    call admpi_detail_report(status, 'run_sum', ierr)
  end subroutine

  subroutine prepare(call, held, status, function, shared, own, data, own_end, jobs)
    type(c_call), intent(inout) :: call
    type(parameters), intent(inout), target :: held
    integer(c_int32_t), intent(out) :: status
    type(admpi_map_function), intent(in) :: function
    type(admpi_var), intent(in), target, contiguous :: shared(:), own(..)
    type(admpi_map_data), intent(in), optional :: data
    integer, intent(in), optional :: own_end(:), jobs
    status = 0
    call%function = function%number
    if (present(data)) call%data = data
    if (present(jobs)) call agree(held%jobs, jobs, status)
    if (present(own_end)) then
      call agree(held%jobs, size(own_end), status)
      held%own_end = own_end
      call%job_end = c_loc(held%own_end)
    end if
    call%shared = c_loc(shared)
    call%n_shared = size(shared)
    select rank (own)
    rank (1)
      call%job = c_loc(own)
    rank (2)
      call agree(held%jobs, size(own, 2), status)
      call%job = c_loc(own)
    rank default
      status = admpi_detail_refusal('own must have rank 1 or 2')
    end select
    call%n_job = size(own)
  end subroutine

  subroutine check_jobs(call, held, status)
    type(c_call), intent(inout) :: call
    type(parameters), intent(in) :: held
    integer(c_int32_t), intent(inout) :: status
    if (held%jobs < 0 .and. status == 0) &
      status = admpi_detail_refusal('no argument tells the number of jobs: own or y of rank 2, own_end, y_end or jobs')
    call%jobs = held%jobs
  end subroutine

  ! Values, gradients and second derivatives of all results, as plain numbers: hessian(:, :, k) are those of result k. The job
  ! works on pairs of a value and a tangent, as admpi/map.h says; own(:, i) and value(:, i) are those of job i.
  subroutine hessian(self, function, shared, own, value, gradients, hessians, data, ierr)
    class(admpi_map), intent(in) :: self
    type(admpi_map_function), intent(in) :: function
    type(admpi_var), intent(in), target, contiguous :: shared(:), own(:, :)
    real(dp), intent(inout), target, contiguous :: value(:, :), gradients(:, :, :), hessians(:, :, :, :)
    type(admpi_map_data), intent(in), optional :: data
    integer, intent(out), optional :: ierr
    type(parameters), target :: held
    type(c_call) :: call
    integer(c_int32_t) :: status
    integer :: d
    call prepare(call, held, status, function, shared, own, data)
    call agree(held%jobs, size(value, 2), status)
    d = size(shared) + size(own, 1)
    if (any(shape(gradients) /= [d, shape(value)]) .or. any(shape(hessians) /= [d, d, shape(value)])) then
      status = admpi_detail_refusal('gradients and hessians must have the shapes [d, shape(value)] and [d, d, shape(value)], ' &
        //'where d = size(shared) + size(own, 1)')
    end if
    call%n_y = size(value)
    call check_jobs(call, held, status)
    if (status == 0) status = c_hessian(self%handle, call, c_loc(value), c_loc(gradients), c_loc(hessians))
    call admpi_detail_report(status, 'hessian', ierr)
  end subroutine

end module
