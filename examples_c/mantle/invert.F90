! Which mantle did the stations feel? The shear speed of a section of the Earth from what stations record of a few
! earthquakes.
!
!   invert SETTINGS.nml prem.csv [DIRECTORY]
!
! DIRECTORY gets the fields that pictures.gp draws. The model is mantle.F90; what admpi adds to it is here.
module inversion
  use admpi
  use ampi
  use waves
  implicit none

  type :: record
    real(8), allocatable :: v(:, :)
  end type

  ! The objective: half the square of all misfits, and of the controls, weighted. A gradient has the shape of the controls,
  ! which are the same on all ranks.
  type :: problem
    type(section), pointer :: on => null()
    type(admpi_tape), pointer :: tape => null()
    type(record), allocatable :: observed(:)
    integer :: evaluations = 0
  contains
    procedure :: open => open_problem
    procedure :: value => value_of
    procedure :: gradient => gradient_of
    procedure :: record => record_anew
    procedure :: sweep
    procedure, private :: misfit_of
  end type

contains

  ! Observes the earthquakes of the true Earth. Nothing is recorded.
  subroutine open_problem(self, on)
    class(problem), intent(inout) :: self
    type(section), intent(in), target :: on
    type(field) :: perturbation
    type(medium) :: through
    type(seismograms) :: seen
    type(admpi_var) :: force(on%set%nt)
    integer :: source
    self%on => on
    allocate (self%tape)
    call self%tape%new()
    call self%tape%activate()
    call perturbation%open(on)
    call truth(perturbation)
    call through%set(perturbation)
    allocate (self%observed(on%set%sources))
    force = pulse(on%set)
    call seen%open(on)
    do source = 1, on%set%sources
      call shake(on, through, source, force, seen)
      self%observed(source)%v = admpi_value(seen%v)
    end do
  end subroutine

  subroutine record_anew(self)
    class(problem), intent(inout) :: self
    call self%tape%reset()
    call self%tape%start()
    records => self%tape
  end subroutine

  subroutine sweep(self)
    class(problem), intent(inout) :: self
    records => null()
    call self%tape%stop()
    call self%tape%reverse()
  end subroutine

  function misfit_of(self, controls, source) result(y)
    class(problem), intent(inout) :: self
    type(admpi_var), intent(in) :: controls(:, :)
    integer, intent(in) :: source
    type(admpi_var) :: y
    type(admpi_var) :: force(self%on%set%nt)
    type(field) :: perturbation
    type(medium) :: through
    type(seismograms) :: seen
    call perturbation%open(self%on)
    call perturb(controls, perturbation)
    call through%set(perturbation)
    call seen%open(self%on)
    force = pulse(self%on%set)
    call shake(self%on, through, source, force, seen)
    y = misfit(self%on, seen, self%observed(source)%v)
  end function

  real(8) function value_of(self, x) result(y)
    class(problem), intent(inout) :: self
    real(8), intent(in) :: x(:, :)
    type(admpi_var) :: controls(size(x, 1), size(x, 2))
    integer :: source
    y = self%on%set%prior*sum(x*x)/2
    controls = x
    do source = 1, self%on%set%sources
      y = y + admpi_value(self%misfit_of(controls, source))
    end do
  end function

  ! One recording and one sweep an earthquake: the tape holds one at a time.
  subroutine gradient_of(self, x, y, g)
    class(problem), intent(inout) :: self
    real(8), intent(in) :: x(:, :)
    real(8), intent(out) :: y, g(:, :)
    type(admpi_var) :: controls(size(x, 1), size(x, 2)), part
    integer :: source, code
    y = self%on%set%prior*sum(x*x)/2
    g = 0
    do source = 1, self%on%set%sources
      call self%record()
      controls = x
      if (self%on%rank == 0) call self%tape%input(controls)
      part = self%misfit_of(controls, source)
      call admpi_tape_seed_replicated(self%tape, self%on%comm, part, 1d0)
      call self%sweep()
      y = y + admpi_value(part)
      if (self%on%rank == 0) g = g + self%tape%adjoint(controls)
    end do
    call AMPI_Bcast(g, size(g), AMPI_DOUBLE_PRECISION, 0, self%on%comm, code)
    g = g + self%on%set%prior*x
    self%evaluations = self%evaluations + 1
  end subroutine

  ! Limited-memory BFGS with a search that only halves its step. All ranks do the same.
  subroutine minimise(what, x, iterations, report)
    class(problem), intent(inout) :: what
    real(8), intent(inout) :: x(:, :)
    integer, intent(in) :: iterations
    logical, intent(in) :: report
    integer, parameter :: memory = 8
    real(8), dimension(size(x, 1), size(x, 2)) :: g, direction, candidate, next
    real(8), dimension(size(x, 1), size(x, 2), memory) :: s, t
    real(8) :: y, y_next, slope, step, rho(memory), alpha(memory)
    integer :: iteration, kept, k
    kept = 0
    call what%gradient(x, y, g)
    do iteration = 1, iterations
      direction = -g
      do k = kept, 1, -1
        alpha(k) = rho(k)*sum(s(:, :, k)*direction)
        direction = direction - alpha(k)*t(:, :, k)
      end do
      if (kept > 0) direction = direction/(rho(kept)*sum(t(:, :, kept)**2))
      if (kept == 0) direction = direction/sqrt(sum(g*g))
      do k = 1, kept
        direction = direction + (alpha(k) - rho(k)*sum(t(:, :, k)*direction))*s(:, :, k)
      end do
      slope = sum(g*direction)
      step = 1
      do
        candidate = x + step*direction
        call what%gradient(candidate, y_next, next)
        if (y_next <= y + 1d-4*step*slope) exit
        step = step/2
        if (step < 1d-6) return
      end do
      if (sum((candidate - x)*(next - g)) > 0) then
        if (kept == memory) then
          s(:, :, 1:memory - 1) = s(:, :, 2:)
          t(:, :, 1:memory - 1) = t(:, :, 2:)
          rho(1:memory - 1) = rho(2:)
        else
          kept = kept + 1
        end if
        s(:, :, kept) = candidate - x
        t(:, :, kept) = next - g
        rho(kept) = 1/sum(s(:, :, kept)*t(:, :, kept))
      end if
      x = candidate
      y = y_next
      g = next
      if (report) print '("iteration ", i2, ": objective ", es12.5, ", gradient ", es9.2)', iteration, y, sqrt(sum(g*g))
    end do
  end subroutine

  ! Numbers that look like noise, the same on any number of ranks.
  elemental real(8) function noise(i, j)
    integer, intent(in) :: i, j
    noise = sin(12.9898d0*i + 78.233d0*j)
  end function

  function noise_of(nx, nz, x0, z0) result(w)
    integer, intent(in) :: nx, nz, x0, z0
    real(8) :: w(nx, nz)
    integer :: i, j
    w = reshape([((noise(x0 + i, z0 + j), i=1, nx), j=1, nz)], [nx, nz])
  end function

  subroutine compare(what, a, b, tolerance, report)
    character(*), intent(in) :: what
    real(8), intent(in) :: a, b, tolerance
    logical, intent(in) :: report
    if (report) print '(a, es13.5, " = ", es13.5, ", to ", es7.1)', what, a, b, tolerance
    if (abs(a - b) <= tolerance*max(abs(a), abs(b))) return
    print *, what, ' differ by', a - b
    error stop 1
  end subroutine

  ! Smoothing is linear: <w, S x> = <S^T w, x>. So are waves, in what excites them: <w, G f> = <G^T w, f>. And the
  ! gradient of the whole agrees with differences.
  subroutine check_derivatives(what)
    type(problem), intent(inout) :: what
    type(field) :: perturbation
    type(medium) :: through
    type(seismograms) :: seen
    type(admpi_var) :: controls(what%on%set%nx, what%on%set%nz), force(what%on%set%nt)
    real(8), dimension(what%on%set%nx, what%on%set%nz) :: x, g
    real(8), allocatable :: w(:, :)
    real(8) :: y, e
    integer :: step, k
    associate (on => what%on, tape => what%tape, report => what%on%rank == 0)
      x = noise_of(on%set%nx, on%set%nz, 0, 0)

      call what%record()
      controls = x
      if (on%rank == 0) call tape%input(controls)
      call perturbation%open(on)
      call perturb(controls, perturbation)
      w = noise_of(on%nx, on%nz, on%x0, on%z0 + 1000)
      call tape%seed(perturbation%inner(), w)
      call what%sweep()
      g = 0
      if (on%rank == 0) g = tape%adjoint(controls)
      call compare('<w, S x>', over_ranks(sum(w*admpi_value(perturbation%inner()))), over_ranks(sum(g*x)), 1d-12, &
        report)

      call tape%reset()
      call through%set(perturbation)
      call what%record()
      force = pulse(on%set)
      call tape%input(force)
      call seen%open(on)
      call shake(on, through, 1, force, seen)
      w = reshape([((noise(step, on%x0 + seen%cell(k)), step=1, on%set%nt), k=1, seen%stations)], shape(seen%v))
      call tape%seed(seen%v, w)
      call what%sweep()
      call compare('<w, G f>', over_ranks(sum(w*admpi_value(seen%v))), &
        over_ranks(sum(tape%adjoint(force)*pulse(on%set))), 1d-12, report)

      call what%gradient(0.2d0*x, y, g)
      w = noise_of(on%set%nx, on%set%nz, 0, 2000)
      e = 2d-4
      call compare('gradient, differences', sum(g*w), &
        (what%value(0.2d0*x + e*w) - what%value(0.2d0*x - e*w))/(2*e), 1d-6, report)
      call tape%reset()
    end associate

  contains

    real(8) function over_ranks(mine) result(all)
      real(8), intent(in) :: mine
      integer :: code
      call AMPI_Allreduce(mine, all, 1, AMPI_DOUBLE_PRECISION, AMPI_SUM, what%on%comm, code)
    end function
  end subroutine

  ! What pictures.gp draws.
  subroutine write_field(on, f, file)
    type(section), intent(in) :: on
    type(field), intent(in) :: f
    character(*), intent(in) :: file
    real(8) :: whole(on%set%nx, on%set%nz)
    integer :: unit, i, j
    call on%gather(admpi_value(f%inner()), whole)
    if (on%rank /= 0) return
    open (newunit=unit, file=file, action='write')
    do j = 1, on%set%nz
      write (unit, '(3f12.4)') ((i - 0.5d0)*on%set%h, (j - 0.5d0)*on%set%h, 100*whole(i, j), i=1, on%set%nx)
    end do
    close (unit)
  end subroutine
end module

program invert
  use inversion
  implicit none
  type(section), target :: on
  type(problem) :: what
  type(field) :: found, wanted
  type(admpi_var), allocatable :: controls(:, :)
  real(8), allocatable :: x(:, :), whole(:, :), true(:, :)
  character(1000) :: settings_file, earth_file, directory
  integer :: code, unit, k
  call AMPI_Init(code)
  call get_command_argument(1, settings_file)
  call get_command_argument(2, earth_file)
  call get_command_argument(3, directory)
  call on%open(AMPI_COMM_WORLD, trim(settings_file))
  call read_earth(trim(earth_file), on%comm)
  call what%open(on)
  associate (nx => on%set%nx, nz => on%set%nz)
    allocate (x(nx, nz), controls(nx, nz), whole(nx, nz), true(nx, nz))
  end associate

  call check_derivatives(what)
  x = 0
  if (on%rank == 0) print '("PREM: objective ", es12.5)', what%value(x)
  if (on%rank /= 0) whole(1, 1) = what%value(x)
  call minimise(what, x, on%set%iterations, on%rank == 0)

  call found%open(on)
  call wanted%open(on)
  controls = x
  call perturb(controls, found)
  call truth(wanted)
  call on%gather(admpi_value(found%inner()), whole)
  call on%gather(admpi_value(wanted%inner()), true)
  if (on%rank == 0) print '("Shear speed: correlation with the truth ", f6.3, ", RMSE ", f6.3, " % of ", f6.3, " %")', &
    sum(whole*true)/sqrt(sum(whole**2)*sum(true**2)), 100*sqrt(sum((whole - true)**2)/size(x)), &
    100*sqrt(sum(true**2)/size(x))

  if (directory /= '') then
    call write_field(on, found, trim(directory)//'/found.txt')
    call write_field(on, wanted, trim(directory)//'/truth.txt')
    if (on%rank == 0) then
      open (newunit=unit, file=trim(directory)//'/stations.txt', action='write')
      write (unit, '(f10.2, " 0")') (k*on%set%h, k=max(1, on%set%stations_every/2), on%set%nx, on%set%stations_every)
      close (unit)
      open (newunit=unit, file=trim(directory)//'/earthquakes.txt', action='write')
      write (unit, '(2f10.2)') (on%set%source_x(k), on%set%source_z(k), k=1, on%set%sources)
      close (unit)
    end if
  end if
  call what%tape%free()
  call on%close()
  call AMPI_Finalize(code)
end program
