! Time loops: each schedule against one tape, to the last bit; each kind of state; hooks, nests, failures, wrong use.
module time_loop_tests
  use, intrinsic :: iso_c_binding
  use admpi
  use admpi_matrices
  use admpi_tangents
  use admpi_complex
  use admpi_complex_tangents
  use admpi_time_loops
  use check
  implicit none
  integer, parameter :: rows = 3, cols = 2
  type(admpi_var), target :: u(rows, cols), total, k(2)
  type(admpi_var), target :: nothing(0)
  type(admpi_tangent_var), target :: heat(2)
  type(admpi_var_complex), target :: psi(2), phase
  type(admpi_tangent_var_complex), target :: xi(2), turn
  type(admpi_varmat), target :: a
  integer :: noise = 1, failing = 0, most = 0, calls = 0
  type :: generator
    integer :: noise
  end type
contains
  recursive subroutine advance(step, status)
    integer, intent(in) :: step
    integer, intent(inout) :: status
    calls = calls + 1
    u = u + k(1)*sin(cshift(u, 1, 1)) - k(2)*dble(step)*1d-2*u**2
    total = total + sum(u)*1d-2
    if (step == failing) status = 1
  end subroutine

  logical recursive function more(step)
    integer, intent(in) :: step
    more = step <= most
  end function

  ! What the step draws is not active.
  recursive subroutine random_step(step, status)
    integer, intent(in) :: step
    integer, intent(inout) :: status
    noise = mod(137*noise + step, 1009)
    total = total*(1d0 + k(1)*dble(noise)*1d-4)
    status = 0
  end subroutine
  recursive subroutine save_noise(kept)
    class(*), allocatable, intent(out) :: kept
    allocate (kept, source=generator(noise))
  end subroutine
  recursive subroutine restore_noise(kept)
    class(*), intent(in) :: kept
    select type (kept)
    type is (generator)
      noise = kept%noise
    class default
      call fail('restore: another type')
    end select
  end subroutine

  recursive subroutine heat_step(step, status)
    integer, intent(in) :: step
    integer, intent(inout) :: status
    heat = heat + k(1)*sin(heat)*dble(mod(step, 3))
    heat(1) = heat(1)*heat(2)*0.5d0
    status = 0
  end subroutine

  recursive subroutine wave_step(step, status)
    integer, intent(in) :: step
    integer, intent(inout) :: status
    psi = psi*phase + (0d0, 0.1d0)*conjg(psi(2:1:-1))**2
    xi = xi*turn + (0d0, 0.1d0)*conjg(xi(2:1:-1))**2
    if (step < 0) status = 1
  end subroutine

  recursive subroutine matrix_step(step, status)
    integer, intent(in) :: step
    integer, intent(inout) :: status
    type(admpi_varmat) :: next
    next = a + k(1)*sin(a)*(1d0/dble(step))
    a = next
    status = 0
  end subroutine

  ! A loop in a step of a loop.
  recursive subroutine outer_step(step, status)
    integer, intent(in) :: step
    integer, intent(inout) :: status
    type(admpi_time_loop) :: inner
    call inner%new(tape)
    call inner%binomial(2)
    call inner%state(u)
    call inner%state(total)
    call inner%parameters(k)
    call inner%run(5, advance)
    call inner%free()
    status = 0
  end subroutine

  subroutine start()
    integer :: i
    call tape%reset()
    call tape%start()
    u = reshape([(0.1d0*dble(i), i=1, size(u))], [rows, cols])
    total = 0d0
    k = [0.03d0, 0.2d0]
    noise = 1
  end subroutine

  ! The gradient of a run: first all of u, then k.
  subroutine gradient_of(loop, steps, g, while)
    type(admpi_time_loop), intent(in) :: loop
    integer, intent(in) :: steps
    real(8), intent(out) :: g(rows*cols + 2)
    logical, intent(in), optional :: while
    type(admpi_var) :: u0(rows, cols), k0(2)
    integer :: done
    call start()
    call tape%input(u)
    call tape%input(k)
    u0 = u
    k0 = k
    if (present(while)) then
      most = steps
      call loop%run_while(more, advance, done)
      call equal(done, steps, 'steps of run_while')
    else
      call loop%run(steps, advance)
    end if
    k = 7d0 ! the loop has its own copy
    total = total*u(1, 1)
    call tape%seed(total, 1d0)
    call tape%stop()
    call tape%reverse()
    g = [reshape(tape%adjoint(u0), [rows*cols]), tape%adjoint(k0)]
  end subroutine

  subroutine declare(loop)
    type(admpi_time_loop), intent(inout) :: loop
    call loop%new(tape)
    call loop%state(u)
    call loop%state(total)
    call loop%state(nothing)
    call loop%parameters(k)
  end subroutine

  subroutine schedules()
    integer, parameter :: lengths(4) = [0, 1, 7, 40]
    type(admpi_time_loop) :: loop
    type(admpi_time_loop_statistics) :: did
    real(8) :: whole(rows*cols + 2), g(rows*cols + 2)
    integer :: i, kind, snapshots, block
    do i = 1, size(lengths)
      call declare(loop)
      call loop%all()
      call gradient_of(loop, lengths(i), whole)
      call same('all, by a condition', .true.)
      call loop%blocks(6)
      call same('blocks', .false.)
      call same('blocks, by a condition', .true.)
      call loop%binomial(3)
      call same('binomial', .false.)
      call loop%chosen(kind, snapshots, block)
      call equal(kind, ADMPI_LOOP_BINOMIAL, 'schedule')
      call equal(snapshots, 3, 'snapshots')
      call equal(block, 1, 'block')
      call same('binomial, by a condition', .true.)
      call loop%binomial(2, 4)
      call same('binomial of blocks', .false.)
      call loop%mixed(3)
      call same('mixed', .false.)
      call loop%mixed(2, 3)
      call same('mixed of blocks', .false.)
      call loop%automatic()
      call loop%budget(4096_c_int64_t)
      call same('automatic', .false.)
      call loop%blocks(6)
      call loop%disk('.', 100)
      call same('disk', .false.)
      call loop%binomial(2)
      call loop%disk('.', 3, write=0.5d0, read=0.25d0)
      call same('two levels', .false.)
      call loop%free()
    end do

    ! The number of steps run again: 40 steps by 3 states, beside the one before the last step.
    call declare(loop)
    call loop%binomial(3)
    call gradient_of(loop, 40, g)
    call loop%statistics(did)
    call equal(int(did%first), 40, 'steps')
    call equal(int(did%recorded), 40, 'recorded')
    if (did%advanced < 40 .or. did%advanced > 160) call fail('steps run again')
    call equal(int(did%snapshots), 4, 'states kept')
    call loop%free()
  contains
    subroutine same(what, while)
      character(*), intent(in) :: what
      logical, intent(in) :: while
      if (while) then
        call gradient_of(loop, lengths(i), g, while)
      else
        call gradient_of(loop, lengths(i), g)
      end if
      if (any(g /= whole)) call fail(what//': not the same gradient')
    end subroutine
  end subroutine

  ! The sweep restores what `save` kept. The object is freed before it.
  subroutine hooks()
    real(8) :: whole(2), g(2)
    call swept(.true., whole)
    call swept(.false., g)
    if (any(g /= whole)) call fail('hooks: not the same gradient')
  contains
    subroutine swept(all, g)
      logical, intent(in) :: all
      real(8), intent(out) :: g(2)
      type(admpi_time_loop) :: loop
      type(admpi_var) :: k0(2)
      call start()
      call tape%input(k)
      k0 = k
      total = 1d0
      call loop%new(tape)
      if (all) then
        call loop%all()
      else
        call loop%binomial(2)
      end if
      call loop%state(total)
      call loop%parameters(k)
      call loop%save(save_noise, restore_noise)
      call loop%save(save_noise, restore_noise)
      call loop%run(20, random_step)
      call loop%free()
      call tape%seed(total, 1d0)
      call tape%stop()
      call tape%reverse()
      g = tape%adjoint(k0)
    end subroutine
  end subroutine

  ! Second derivatives: a Hessian times a direction.
  subroutine tangents()
    real(8) :: whole(4), g(4)
    call swept(.true., whole)
    call swept(.false., g)
    if (any(g /= whole) .or. .not. any(abs(g) > 1d-3)) call fail('tangents: not the same')
  contains
    subroutine swept(all, g)
      logical, intent(in) :: all
      real(8), intent(out) :: g(4)
      type(admpi_time_loop) :: loop
      type(admpi_tangent_var) :: heat0(2)
      call start()
      heat(1)%value = 0.7d0
      heat(2)%value = 1.2d0
      heat(1)%derivative = 1d0
      heat(2)%derivative = -0.5d0
      call tape%input(heat%value)
      call tape%input(heat%derivative)
      heat0 = heat
      call loop%new(tape)
      if (all) then
        call loop%all()
      else
        call loop%binomial(2)
      end if
      call loop%state(heat)
      call loop%parameters(k)
      call loop%run(15, heat_step)
      call loop%free()
      call tape%seed(heat(1)%derivative, 1d0)
      call tape%stop()
      call tape%reverse()
      g = [tape%adjoint(heat0%value), tape%adjoint(heat0%derivative)]
    end subroutine
  end subroutine

  ! Complex numbers, and tangents of them.
  subroutine complex_numbers()
    complex(8) :: whole(6), g(6)
    call swept(.true., whole)
    call swept(.false., g)
    if (any(g /= whole) .or. .not. all(abs(g) > 1d-6)) call fail('complex numbers: not the same')
  contains
    subroutine swept(all_kept, g)
      logical, intent(in) :: all_kept
      complex(8), intent(out) :: g(6)
      type(admpi_time_loop) :: loop
      type(admpi_var_complex) :: psi0(2), xi0(2)
      call start()
      psi0 = [(0.5d0, 0.25d0), (-0.75d0, 1d0)]
      xi0 = [(0.25d0, -0.5d0), (0.5d0, 0.75d0)]
      phase = (0.6d0, 0.7d0)
      call tape%input(psi0)
      call tape%input(xi0)
      call tape%input(phase)
      psi = psi0
      xi = admpi_tangent_var_complex(xi0, [(1d0, 0d0), (0d0, -1d0)])
      turn = phase
      call loop%new(tape)
      if (all_kept) then
        call loop%all()
      else
        call loop%binomial(2)
      end if
      call loop%state(psi)
      call loop%parameters(phase)
      call loop%state(xi)
      call loop%parameters(turn)
      call loop%run(15, wave_step)
      call loop%free()
      call tape%seed(psi(1), (1d0, -0.5d0))
      call tape%seed(admpi_derivative(xi(2)), (0.25d0, 1d0))
      call tape%stop()
      call tape%reverse()
      g = [tape%adjoint(psi0), tape%adjoint(xi0), tape%adjoint(phase), (1d0, 0d0)]
    end subroutine
  end subroutine

  subroutine matrices()
    real(8) :: whole(6), g(6)
    call swept(.true., whole)
    call swept(.false., g)
    if (any(g /= whole)) call fail('matrices: not the same gradient')
  contains
    subroutine swept(all, g)
      logical, intent(in) :: all
      real(8), intent(out) :: g(6)
      type(admpi_time_loop) :: loop
      type(admpi_varmat) :: a0
      type(admpi_var) :: k0(2)
      call start()
      a = reshape([0.1d0, 0.4d0, 0.9d0, 1.6d0], [2, 2])
      call a%input(tape)
      call tape%input(k)
      a0 = a
      k0 = k
      call loop%new(tape)
      if (all) then
        call loop%all()
      else
        call loop%binomial(2)
      end if
      call loop%state(a)
      call loop%parameters(k)
      call loop%run(9, matrix_step)
      call loop%free()
      total = sum(a*a)
      call tape%seed(total, 1d0)
      call tape%stop()
      call tape%reverse()
      g = [reshape(a0%adjoint(tape), [4]), tape%adjoint(k0)]
    end subroutine
  end subroutine

  subroutine nested()
    real(8) :: whole(rows*cols), g(rows*cols)
    call swept(.true., whole)
    call swept(.false., g)
    if (any(g /= whole)) call fail('nested: not the same gradient')
  contains
    subroutine swept(all, g)
      logical, intent(in) :: all
      real(8), intent(out) :: g(rows*cols)
      type(admpi_time_loop) :: loop
      type(admpi_var) :: u0(rows, cols)
      integer :: step, inner, status
      call start()
      call tape%input(u)
      u0 = u
      if (all) then
        do step = 1, 6
          do inner = 1, 5
            status = 0
            call advance(inner, status)
          end do
        end do
      else
        call declare(loop)
        call loop%binomial(2)
        call loop%run(6, outer_step)
        call loop%free()
      end if
      call tape%seed(total, 1d0)
      call tape%stop()
      call tape%reverse()
      g = reshape(tape%adjoint(u0), [rows*cols])
    end subroutine
  end subroutine

  ! A step that is an internal procedure, in a run that is swept while its host runs.
  subroutine internal()
    type(admpi_time_loop) :: loop
    type(admpi_var), target :: x
    type(admpi_var) :: x0
    call start()
    x = 0.5d0
    call tape%input(x)
    x0 = x
    call loop%new(tape)
    call loop%binomial(1)
    call loop%state(x)
    call loop%run(10, twice)
    call tape%seed(x, 1d0)
    call tape%reverse()
    call near(tape%adjoint(x0), 1024d0, 'internal step')
    call loop%free()
  contains
    recursive subroutine twice(step, status)
      integer, intent(in) :: step
      integer, intent(inout) :: status
      x = x*2d0
      if (step < 1 .or. step > 10) status = 1
    end subroutine
  end subroutine

  subroutine mistakes()
    type(admpi_time_loop) :: loop, none
    real(8) :: before, whole(rows*cols + 2), g(rows*cols + 2)
    integer :: ierr
    call declare(loop)
    call loop%blocks(4)
    call gradient_of(loop, 10, whole)
    call start()
    call tape%input(u)
    before = admpi_value(u(2, 1))
    failing = 7
    call loop%run(10, advance, ierr)
    if (ierr == 0) call fail('a step that fails')
    call near(admpi_value(u(2, 1)), before, 'the state after a step that fails')
    failing = 0
    call gradient_of(loop, 10, g)
    if (any(g /= whole)) call fail('the run after one that failed')

    call none%run(3, advance, ierr)
    call refused('loop', 'a loop that is not new')
    call none%state(u, ierr)
    call refused('loop', 'a state of no loop')
    call loop%state(u(:, 1), ierr)
    call equal(ierr, 0, 'a column')
    call loop%state(u(1, :), ierr)
    call refused('gaps', 'a row as state')
    call loop%parameters(u(1, :), ierr)
    call refused('gaps', 'a row as parameters')
    call loop%state(psi(2:1:-1), ierr)
    call refused('gaps', 'complex numbers in reverse')
    call loop%state(heat(2:1:-1), ierr)
    call refused('gaps', 'tangents in reverse')
    call loop%budget(-5_c_int64_t, ierr)
    call refused('-5', 'a budget')
    call loop%blocks(0, ierr)
    call refused('0', 'blocks of no step')
    call loop%binomial(-1, ierr=ierr)
    call refused('-1', 'a number of states')
    call loop%run(-2, advance, ierr)
    call refused('-2', 'a number of steps')
    call loop%disk('/no/such/directory', 3)
    call start()
    call loop%run(10, advance, ierr)
    call refused('/no/such/directory', 'a directory')
    call loop%free()
    call loop%free()
  contains
    subroutine refused(word, what)
      character(*), intent(in) :: word, what
      if (ierr == 0) then
        call fail(what//': no error')
      else if (index(admpi_last_error(), word) == 0) then
        call fail(what//': '//admpi_last_error())
      end if
    end subroutine
  end subroutine

  subroutine many_loops()
    type(admpi_time_loop) :: loop
    type(admpi_statistics) :: first, last
    real(8) :: g(rows*cols + 2)
    integer :: i
    do i = 1, 300
      call declare(loop)
      call loop%binomial(2)
      call loop%save(save_noise, restore_noise)
      call gradient_of(loop, 8, g)
      call loop%free()
      if (i == 100) call tape%statistics(first)
    end do
    call tape%statistics(last)
    if (last%committed_bytes /= first%committed_bytes) call fail('many loops: memory grows')
  end subroutine
end module

program test_time_loops
  use time_loop_tests
  implicit none
  call begin()
  call schedules()
  call hooks()
  call tangents()
  call complex_numbers()
  call matrices()
  call nested()
  call internal()
  call mistakes()
  call many_loops()
  call finish()
end program
