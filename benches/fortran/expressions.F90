! Recording and sweeping in Fortran beside C++: a Burgers cell, which is one statement of ten operators, a chain of four
! small statements, and a map of jobs that have one statement; the cell also with tangents of active values. Times are those of
! the fastest step.
module loops
  use admpi
  use admpi_maps
  use admpi_tangents
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine burgers_in_cpp(n, u, a, b, v) bind(C)
      import
      integer(c_int64_t), value :: n
      type(admpi_var), intent(in) :: u(*)
      real(c_double), value :: a, b
      type(admpi_var), intent(inout) :: v(*)
    end subroutine
    subroutine burgers_tangents_in_cpp(n, u, a, b, v) bind(C)
      import
      integer(c_int64_t), value :: n
      type(admpi_tangent_var), intent(in) :: u(*)
      real(c_double), value :: a, b
      type(admpi_tangent_var), intent(inout) :: v(*)
    end subroutine
    subroutine chain_in_cpp(links, x, y, c) bind(C)
      import
      integer(c_int64_t), value :: links
      type(admpi_var), intent(inout) :: x
      type(admpi_var), intent(in) :: y
      real(c_double), value :: c
    end subroutine
    subroutine map_in_cpp(jobs, shared, own, y) bind(C)
      import
      integer(c_int64_t), value :: jobs
      type(admpi_var), intent(in) :: shared(*), own(*)
      type(admpi_var), intent(inout) :: y(*)
    end subroutine
  end interface
contains
  recursive subroutine small_job(shared, own, x_r, x_i, y, status)
    type(admpi_var), intent(in) :: shared(:), own(:)
    real(8), intent(in) :: x_r(:)
    integer, intent(in) :: x_i(:)
    type(admpi_var), intent(inout) :: y(:)
    integer, intent(inout) :: status
    y(1) = shared(1)*own(1)
    if (size(x_r) + size(x_i) > 0) status = 1
  end subroutine

  subroutine burgers(u, a, b, v)
    type(admpi_var), intent(in) :: u(:)
    real(8), intent(in) :: a, b
    type(admpi_var), intent(inout) :: v(:)
    integer :: i
    do i = 2, size(u) - 1
      v(i) = u(i) - a*u(i)*(u(i + 1) - u(i - 1)) + b*(u(i + 1) - 2*u(i) + u(i - 1))
    end do
  end subroutine

  subroutine burgers_tangents(u, a, b, v)
    type(admpi_tangent_var), intent(in) :: u(:)
    real(8), intent(in) :: a, b
    type(admpi_tangent_var), intent(inout) :: v(:)
    integer :: i
    do i = 2, size(u) - 1
      v(i) = u(i) - a*u(i)*(u(i + 1) - u(i - 1)) + b*(u(i + 1) - 2*u(i) + u(i - 1))
    end do
  end subroutine

  subroutine chain(links, x, y, c)
    integer, intent(in) :: links
    type(admpi_var), intent(inout) :: x
    type(admpi_var), intent(in) :: y
    real(8), intent(in) :: c
    type(admpi_var) :: t, s, u
    integer :: i
    do i = 1, links
      t = x + y
      s = t*c
      u = sin(s)
      x = exp(u) - 1
    end do
  end subroutine

  real(8) function now()
    integer(8) :: count, rate
    call system_clock(count, rate)
    now = real(count, 8)/real(rate, 8)
  end function
end module

program expressions
  use loops
  implicit none
  integer, parameter :: n = 10002, steps = 50, rounds = 15, links = 10000, jobs = 4096
  type(admpi_map) :: map
  type(admpi_map_function) :: job
  type(admpi_tape) :: tape
  type(admpi_var), allocatable :: u(:), v(:), w(:)
  type(admpi_var) :: x, y
  type(admpi_statistics) :: before, after
  type(admpi_tangent_var), allocatable :: s(:), t(:)
  real(8) :: record(2), passive(2), sweep(2), bytes(2), tangents(2), link(2), each(2), gradient(2), start
  integer :: i, round, which
  character(len=*), parameter :: name(2) = ['Fortran', 'C++    ']

  allocate (u(n), v(n), w(n), s(n), t(n))
  call tape%new()
  call tape%activate()
  record = huge(1d0)
  passive = huge(1d0)
  sweep = huge(1d0)
  tangents = huge(1d0)
  link = huge(1d0)
  each = huge(1d0)
  call job%register('small', small_job)
  do round = 1, rounds
    do which = 1, 2
      call begin
      v = u
      w = u
      start = now()
      if (which == 1) call burgers(v, 0.1d0, 0.2d0, w)
      if (which == 2) call burgers_in_cpp(int(n, 8), v, 0.1d0, 0.2d0, w)
      passive(which) = min(passive(which), now() - start)
      call tape%input(u)
      v = u
      w = u
      call tape%statistics(before)
      do i = 1, steps
        start = now()
        if (which == 1) call burgers(v, 0.1d0, 0.2d0, w)
        if (which == 2) call burgers_in_cpp(int(n, 8), v, 0.1d0, 0.2d0, w)
        record(which) = min(record(which), now() - start)
        call swap(v, w)
      end do
      call tape%statistics(after)
      bytes(which) = real(after%used_bytes - before%used_bytes, 8)/(n - 2)/steps
      do i = 1, n
        call tape%seed(v(i), 1d0)
      end do
      start = now()
      call tape%reverse()
      sweep(which) = min(sweep(which), now() - start)
      gradient(which) = sum(tape%adjoint(u)*[(cos(0.01d0*i), i=1, n)])
    end do
    if (abs(gradient(1) - gradient(2)) > 1d-12*abs(gradient(2))) error stop 'burgers: another gradient than in C++'
    do which = 1, 2
      call begin
      call tape%input(u)
      s = admpi_tangent_var(u, [(cos(0.002d0*i), i=1, n)])
      t = s
      do i = 1, steps/10
        start = now()
        if (which == 1) call burgers_tangents(s, 0.1d0, 0.2d0, t)
        if (which == 2) call burgers_tangents_in_cpp(int(n, 8), s, 0.1d0, 0.2d0, t)
        tangents(which) = min(tangents(which), now() - start)
        s = t
      end do
      call tape%seed(s%derivative, [(1d0, i=1, n)])
      call tape%reverse()
      gradient(which) = sum(tape%adjoint(u)*[(cos(0.01d0*i), i=1, n)])
    end do
    if (abs(gradient(1) - gradient(2)) > 1d-12*abs(gradient(2))) error stop 'tangents: another gradient than in C++'
    do which = 1, 2
      call tape%reset()
      call tape%start()
      x = -1d-3
      y = 0
      call tape%input(x)
      call tape%input(y)
      v(1) = x
      do i = 1, steps
        start = now()
        if (which == 1) call chain(links, v(1), y, 1 - 1d-7)
        if (which == 2) call chain_in_cpp(int(links, 8), v(1), y, 1 - 1d-7)
        link(which) = min(link(which), now() - start)
      end do
      call tape%seed(v(1), 1d0)
      call tape%reverse()
      gradient(which) = tape%adjoint(x)
    end do
    if (abs(gradient(1) - gradient(2)) > 1d-12*abs(gradient(2))) error stop 'chain: another gradient than in C++'
    do which = 1, 2
      call begin
      call tape%input(u)
      start = now()
      if (which == 1) call map%run(job, u(:1), u(2:jobs + 1), v(:jobs), jobs=jobs)
      if (which == 2) call map_in_cpp(int(jobs, 8), u, u(2), v)
      each(which) = min(each(which), now() - start)
      do i = 1, jobs
        call tape%seed(v(i), 1d0)
      end do
      call tape%reverse()
      gradient(which) = tape%adjoint(u(1))
    end do
    if (abs(gradient(1) - gradient(2)) > 1d-12*abs(gradient(2))) error stop 'map: another gradient than in C++'
  end do
  record = record*1d9/(n - 2)
  passive = passive*1d9/(n - 2)
  sweep = sweep*1d9/(n - 2)/steps
  tangents = tangents*1d9/(n - 2)
  link = link*1d9/links
  each = each*1d9/jobs
  do which = 1, 2
    print '(a, a, f7.1, a, f6.1, a, f6.1, a, f6.1, a, f7.1, a, f7.1, a)', name(which), ': Burgers cell record', &
      record(which), ' ns, passive', passive(which), ' ns, sweep', sweep(which), ' ns,', bytes(which), &
      ' bytes; chain', link(which), ' ns a link; map', each(which), ' ns a job'
  end do
  call row('Burgers cell: record over C++', record(1)/record(2))
  call row('Burgers cell: sweep over C++', sweep(1)/sweep(2))
  call row('Burgers cell of passive values, ns', passive(1))
  call row('Burgers cell of tangents: record over C++', tangents(1)/tangents(2))
  call row('chain: record over C++', link(1)/link(2))
  call row('map: a job over C++', each(1)/each(2))
#ifdef ADMPI_BENCH_PLAIN
  call row('Burgers cell, plain, ns', record(1), 60d0)
#else
  call row('Burgers cell, ns', record(1), 45d0)
  call row('Burgers cell: sweep, ns', sweep(1), 5d0)
  call row('Burgers cell: bytes', bytes(1), 45d0)
#endif
  call row('chain, ns a link', link(1), 55d0)
contains
  subroutine begin
    integer :: at
    call tape%reset()
    call tape%start()
    do at = 1, n
      u(at) = sin(0.001d0*at)
    end do
  end subroutine
  subroutine swap(a, b)
    type(admpi_var), allocatable, intent(inout) :: a(:), b(:)
    type(admpi_var), allocatable :: c(:)
    call move_alloc(a, c)
    call move_alloc(b, a)
    call move_alloc(c, b)
  end subroutine
  subroutine row(what, measured, goal)
    character(*), intent(in) :: what
    real(8), intent(in) :: measured
    real(8), intent(in), optional :: goal
    if (.not. present(goal)) then
      print '(a64, f9.2)', what//repeat(' ', 64), measured
    else if (measured <= goal) then
      print '(a64, f9.2, a, f5.0)', what//repeat(' ', 64), measured, '   <= ', goal
    else
      print '(a64, f9.2, a, f5.0, a, f4.0, a)', what//repeat(' ', 64), measured, '   <= ', goal, ' missed by ', &
        100*(measured/goal - 1), ' %'
    end if
  end subroutine
end program
