! Horizontally polarised shear waves in a vertical section of the Earth's mantle: an ordinary MPI program in Fortran.
!
! The traces of admpi are ADMPI_REAL, ADMPI_REAL_TYPE and ADMPI_VALUE, and the derivative of a solver. Without ADMPI_ACTIVE
! they are a real, its MPI type and nothing. The active build compiles what fortran/mpi_to_ampi.sed makes of this file.
!
!   section     the grid, its blocks on the ranks, their neighbours; scatter and gather
!   fields      arrays with halos
!   earth       PREM: density and shear speed
!   smoothing   a field made smooth: implicit diffusion by conjugate gradients
!   waves       velocity and stress on a staggered grid, of fourth order in space; sources, stations
#include <admpi.h>

module section_of_the_earth
#ifdef ADMPI_ACTIVE
  use admpi
#endif
  use mpi
  implicit none
  integer, parameter :: halo = 2

  ! What all ranks know of the run. Lengths are in km, times in s.
  type :: settings
    integer :: nx = 0, nz = 0, nt = 0
    real(8) :: h = 0, dt = 0, period = 0
    integer :: sources = 0, stations_every = 0
    real(8) :: source_x(16) = 0, source_z(16) = 0
    real(8) :: smooth_over = 0, amplitude = 0, prior = 0
    integer :: iterations = 0
  end type

  type :: section
    type(settings) :: set
    integer :: comm = MPI_COMM_NULL, rank = 0, ranks = 1
    integer :: west = MPI_PROC_NULL, east = MPI_PROC_NULL, top = MPI_PROC_NULL, bottom = MPI_PROC_NULL
    integer :: nx = 0, nz = 0 ! of this block
    integer :: x0 = 0, z0 = 0 ! its cell (i, j) is (x0 + i, z0 + j) of the whole
    integer, allocatable :: blocks(:, :) ! x0, z0, nx, nz of each rank
    integer :: column = MPI_DATATYPE_NULL, row = MPI_DATATYPE_NULL ! what a neighbour needs of a field
  contains
    procedure :: open => open_section
    procedure :: close => close_section
    procedure :: scatter
    procedure :: gather
    procedure :: total
    procedure, private :: offsets
  end type

contains

  ! Reads the settings on rank 0, and cuts the section into blocks.
  subroutine open_section(self, comm, file)
    class(section), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: file
    integer :: dims(2), mine(4), at(2), code
    call read_settings(self%set, comm, file)
    call MPI_Comm_size(comm, self%ranks, code)
    dims = 0
    call MPI_Dims_create(self%ranks, 2, dims, code)
    call MPI_Cart_create(comm, 2, dims, [.false., .false.], .false., self%comm, code)
    call MPI_Comm_rank(self%comm, self%rank, code)
    call MPI_Cart_shift(self%comm, 0, 1, self%west, self%east, code)
    call MPI_Cart_shift(self%comm, 1, 1, self%top, self%bottom, code)
    call MPI_Cart_coords(self%comm, self%rank, 2, at, code)
    self%x0 = self%set%nx*at(1)/dims(1)
    self%z0 = self%set%nz*at(2)/dims(2)
    self%nx = self%set%nx*(at(1) + 1)/dims(1) - self%x0
    self%nz = self%set%nz*(at(2) + 1)/dims(2) - self%z0
    if (self%nx < halo .or. self%nz < halo) error stop 'mantle: too many ranks for this grid'
    mine = [self%x0, self%z0, self%nx, self%nz]
    allocate (self%blocks(4, self%ranks))
    call MPI_Allgather(mine, 4, MPI_INTEGER, self%blocks, 4, MPI_INTEGER, self%comm, code)
    call MPI_Type_vector(self%nz, halo, self%nx + 2*halo, ADMPI_REAL_TYPE, self%column, code)
    call MPI_Type_commit(self%column, code)
    call MPI_Type_vector(halo, self%nx, self%nx + 2*halo, ADMPI_REAL_TYPE, self%row, code)
    call MPI_Type_commit(self%row, code)
  end subroutine

  subroutine close_section(self)
    class(section), intent(inout) :: self
    integer :: code
    call MPI_Type_free(self%column, code)
    call MPI_Type_free(self%row, code)
    call MPI_Comm_free(self%comm, code)
  end subroutine

  subroutine read_settings(set, comm, file)
    type(settings), intent(out) :: set
    integer, intent(in) :: comm
    character(*), intent(in) :: file
    integer :: nx, nz, nt, sources, stations_every, iterations, rank, unit, code, whole(6)
    real(8) :: h, dt, period, source_x(16), source_z(16), smooth_over, amplitude, prior, numbers(6)
    namelist /mantle/ nx, nz, nt, h, dt, period, sources, source_x, source_z, stations_every, smooth_over, amplitude, &
      prior, iterations
    call MPI_Comm_rank(comm, rank, code)
    source_x = 0
    source_z = 0
    if (rank == 0) then
      open (newunit=unit, file=file, status='old', action='read')
      read (unit, nml=mantle)
      close (unit)
      whole = [nx, nz, nt, sources, stations_every, iterations]
      numbers = [h, dt, period, smooth_over, amplitude, prior]
    end if
    call MPI_Bcast(whole, 6, MPI_INTEGER, 0, comm, code)
    call MPI_Bcast(numbers, 6, MPI_DOUBLE_PRECISION, 0, comm, code)
    call MPI_Bcast(source_x, 16, MPI_DOUBLE_PRECISION, 0, comm, code)
    call MPI_Bcast(source_z, 16, MPI_DOUBLE_PRECISION, 0, comm, code)
    set = settings(whole(1), whole(2), whole(3), numbers(1), numbers(2), numbers(3), whole(4), whole(5), source_x, &
      source_z, numbers(4), numbers(5), numbers(6), whole(6))
  end subroutine

  subroutine offsets(self, counts, starts)
    class(section), intent(in) :: self
    integer, intent(out) :: counts(self%ranks), starts(self%ranks)
    integer :: r
    counts = self%blocks(3, :)*self%blocks(4, :)
    starts(1) = 0
    do r = 2, self%ranks
      starts(r) = starts(r - 1) + counts(r - 1)
    end do
  end subroutine

  ! From the whole on rank 0 to the blocks.
  subroutine scatter(self, whole, block)
    class(section), intent(in) :: self
    ADMPI_REAL, intent(in) :: whole(:, :)
    ADMPI_REAL, intent(out) :: block(self%nx, self%nz)
    ADMPI_REAL, allocatable :: packed(:)
    integer :: counts(self%ranks), starts(self%ranks), r, code
    call self%offsets(counts, starts)
    allocate (packed(merge(sum(counts), 0, self%rank == 0)))
    if (self%rank == 0) then
      do r = 1, self%ranks
        associate (b => self%blocks(:, r))
          packed(starts(r) + 1:starts(r) + counts(r)) = &
            reshape(whole(b(1) + 1:b(1) + b(3), b(2) + 1:b(2) + b(4)), [counts(r)])
        end associate
      end do
    end if
    call MPI_Scatterv(packed, counts, starts, ADMPI_REAL_TYPE, block, size(block), ADMPI_REAL_TYPE, 0, self%comm, code)
  end subroutine

  ! From the blocks to the whole on rank 0: values, for pictures.
  subroutine gather(self, block, whole)
    class(section), intent(in) :: self
    real(8), intent(in) :: block(self%nx, self%nz)
    real(8), intent(inout) :: whole(:, :)
    real(8), allocatable :: packed(:)
    integer :: counts(self%ranks), starts(self%ranks), r, code
    call self%offsets(counts, starts)
    allocate (packed(merge(sum(counts), 0, self%rank == 0)))
    call MPI_Gatherv(block, size(block), MPI_DOUBLE_PRECISION, packed, counts, starts, MPI_DOUBLE_PRECISION, 0, &
      self%comm, code)
    if (self%rank /= 0) return
    do r = 1, self%ranks
      associate (b => self%blocks(:, r))
        whole(b(1) + 1:b(1) + b(3), b(2) + 1:b(2) + b(4)) = reshape(packed(starts(r) + 1:starts(r) + counts(r)), b(3:4))
      end associate
    end do
  end subroutine

  ! The sum over the ranks, on all of them.
  function total(self, part) result(whole)
    class(section), intent(in) :: self
    ADMPI_REAL, intent(in) :: part
    ADMPI_REAL :: whole
    integer :: code
    whole = part
    call MPI_Allreduce(MPI_IN_PLACE, whole, 1, ADMPI_REAL_TYPE, MPI_SUM, self%comm, code)
  end function
end module

module fields
#ifdef ADMPI_ACTIVE
  use admpi
#endif
  use mpi
  use section_of_the_earth
  implicit none

  type :: field
    type(section), pointer :: on => null()
    ADMPI_REAL, allocatable :: a(:, :)
  contains
    procedure :: open => open_field
    procedure :: exchange
    procedure :: mirror
    procedure :: inner
    final :: close_field
  end type

contains

  subroutine open_field(self, on)
    class(field), intent(inout) :: self
    type(section), intent(in), target :: on
    self%on => on
    allocate (self%a(1 - halo:on%nx + halo, 1 - halo:on%nz + halo))
    self%a = 0d0
  end subroutine

  subroutine close_field(self)
    type(field), intent(inout) :: self
    if (allocated(self%a)) deallocate (self%a)
    nullify (self%on)
  end subroutine

  ! The values of this block, without the halo.
  pure function inner(self) result(block)
    class(field), intent(in) :: self
    ADMPI_REAL :: block(self%on%nx, self%on%nz)
    block = self%a(1:self%on%nx, 1:self%on%nz)
  end function

  ! The halos on all four sides. There is nothing beyond the edges of the section.
  subroutine exchange(self)
    class(field), intent(inout) :: self
    integer :: requests(8), nx, nz, code
    nx = self%on%nx
    nz = self%on%nz
    associate (a => self%a, on => self%on)
      call MPI_Irecv(a(1 - halo, 1), 1, on%column, on%west, 1, on%comm, requests(1), code)
      call MPI_Irecv(a(nx + 1, 1), 1, on%column, on%east, 2, on%comm, requests(2), code)
      call MPI_Irecv(a(1, 1 - halo), 1, on%row, on%top, 3, on%comm, requests(3), code)
      call MPI_Irecv(a(1, nz + 1), 1, on%row, on%bottom, 4, on%comm, requests(4), code)
      call MPI_Isend(a(nx + 1 - halo, 1), 1, on%column, on%east, 1, on%comm, requests(5), code)
      call MPI_Isend(a(1, 1), 1, on%column, on%west, 2, on%comm, requests(6), code)
      call MPI_Isend(a(1, nz + 1 - halo), 1, on%row, on%bottom, 3, on%comm, requests(7), code)
      call MPI_Isend(a(1, 1), 1, on%row, on%top, 4, on%comm, requests(8), code)
    end associate
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE, code)
  end subroutine

  ! Beyond the edges of the section stands what stands at them.
  subroutine mirror(self)
    class(field), intent(inout) :: self
    integer :: nx, nz
    nx = self%on%nx
    nz = self%on%nz
    if (self%on%west == MPI_PROC_NULL) self%a(0, :) = self%a(1, :)
    if (self%on%east == MPI_PROC_NULL) self%a(nx + 1, :) = self%a(nx, :)
    if (self%on%top == MPI_PROC_NULL) self%a(:, 0) = self%a(:, 1)
    if (self%on%bottom == MPI_PROC_NULL) self%a(:, nz + 1) = self%a(:, nz)
  end subroutine
end module

! The Preliminary Reference Earth Model: each property is a cubic polynomial of the radius in each layer.
module earth
  use mpi
  implicit none
  real(8), parameter, private :: radius = 6371
  type :: layer
    real(8) :: inner = 0, outer = 0, density(0:3) = 0, shear(0:3) = 0
  end type
  type(layer), protected :: layers(32)
  integer, protected :: number_of_layers = 0

contains

  subroutine read_earth(file, comm)
    character(*), intent(in) :: file
    integer, intent(in) :: comm
    real(8) :: numbers(10, size(layers))
    integer :: rank, unit, status, code, k
    call MPI_Comm_rank(comm, rank, code)
    if (rank == 0) then
      open (newunit=unit, file=file, status='old', action='read')
      read (unit, *)
      read (unit, *)
      number_of_layers = 0
      do
        read (unit, *, iostat=status) numbers(:, number_of_layers + 1)
        if (status /= 0) exit
        number_of_layers = number_of_layers + 1
      end do
      close (unit)
    end if
    call MPI_Bcast(number_of_layers, 1, MPI_INTEGER, 0, comm, code)
    call MPI_Bcast(numbers, 10*number_of_layers, MPI_DOUBLE_PRECISION, 0, comm, code)
    do k = 1, number_of_layers
      layers(k) = layer(numbers(1, k), numbers(2, k), numbers(3:6, k), numbers(7:10, k))
    end do
  end subroutine

  pure integer function layer_at(depth)
    real(8), intent(in) :: depth
    do layer_at = number_of_layers, 2, -1
      if (radius - depth >= layers(layer_at)%inner) return
    end do
  end function

  pure real(8) function polynomial(coefficients, depth)
    real(8), intent(in) :: coefficients(0:3), depth
    real(8) :: x
    x = (radius - depth)/radius
    polynomial = coefficients(0) + x*(coefficients(1) + x*(coefficients(2) + x*coefficients(3)))
  end function

  pure real(8) function density(depth)
    real(8), intent(in) :: depth
    density = polynomial(layers(layer_at(depth))%density, depth)
  end function

  pure real(8) function shear_speed(depth)
    real(8), intent(in) :: depth
    shear_speed = polynomial(layers(layer_at(depth))%shear, depth)
  end function
end module

module smoothing
#ifdef ADMPI_ACTIVE
  use, intrinsic :: iso_c_binding
  use admpi
#endif
  use fields
  implicit none
  integer, parameter :: most = 500
  real(8), parameter :: accuracy = 1d-14 ! of the residual, relative
#ifdef ADMPI_ACTIVE
  type(admpi_tape), pointer :: records => null() ! the tape that gets the derivative of smooth; null if none records
  type, private :: solver ! what the derivative needs to know
    type(section), pointer :: on => null()
    real(8) :: length = 0
  end type
#endif

contains

  ! f := (1 - length**2 Laplace)**-1 f, with no flux through the edges.
  subroutine smooth(f, length)
    type(field), intent(inout) :: f
    real(8), intent(in) :: length
#ifdef ADMPI_ACTIVE
    if (associated(records)) then
      call smooth_and_record(f, length)
      return
    end if
#endif
    call solve(f, length)
  end subroutine

#ifdef ADMPI_ACTIVE
  ! The matrix is symmetric: the derivative of the solution is another solution. To record the iterations would take more
  ! memory, and be wrong where they end early: of a right side of zeros there is none.
  subroutine smooth_and_record(f, length)
    type(field), intent(inout) :: f
    real(8), intent(in) :: length
    type(field) :: values
    type(admpi_var) :: smoothed(f%on%nx*f%on%nz)
    type(solver), target :: how
    integer :: n
    n = size(smoothed)
    call values%open(f%on)
    values%a = admpi_value(f%a)
    call records%stop()
    call solve(values, length)
    call records%start()
    how%on => f%on
    how%length = length
    call records%callback(reshape(f%inner(), [n]), reshape(admpi_value(values%inner()), [n]), smooth_adjoints, &
      c_loc(how), smoothed, payload_size=int(storage_size(how)/8, c_int64_t))
    f%a(1:f%on%nx, 1:f%on%nz) = reshape(smoothed, [f%on%nx, f%on%nz])
  end subroutine

  function smooth_adjoints(n_out, n_in, width, out_adjoint, in_adjoint, payload) bind(C) result(status)
    integer(c_int64_t), value :: n_out, n_in
    integer(c_int32_t), value :: width
    real(c_double), intent(in) :: out_adjoint(width, n_out)
    real(c_double), intent(inout) :: in_adjoint(width, n_in)
    type(c_ptr), value :: payload
    integer(c_int32_t) :: status
    type(solver), pointer :: how
    type(field) :: f
    integer :: direction, nx, nz
    call c_f_pointer(payload, how)
    nx = how%on%nx
    nz = how%on%nz
    call f%open(how%on)
    do direction = 1, width
      f%a(1:nx, 1:nz) = reshape(out_adjoint(direction, :), [nx, nz])
      call solve(f, how%length)
      in_adjoint(direction, :) = in_adjoint(direction, :) + reshape(admpi_value(f%inner()), [n_in])
    end do
    status = 0
  end function
#endif

  ! Conjugate gradients.
  subroutine solve(f, length)
    type(field), intent(inout) :: f
    real(8), intent(in) :: length
    type(field) :: x, direction
    ADMPI_REAL, allocatable :: r(:, :), q(:, :)
    ADMPI_REAL :: rr, before, alpha
    real(8) :: k, start
    integer :: step, nx, nz
    nx = f%on%nx
    nz = f%on%nz
    k = (length/f%on%set%h)**2
    call x%open(f%on)
    call direction%open(f%on)
    allocate (r(nx, nz), q(nx, nz))
    r = f%inner()
    direction%a(1:nx, 1:nz) = r
    rr = f%on%total(square(r))
    start = ADMPI_VALUE(rr)
    do step = 1, most
      if (rr <= accuracy**2*start) exit
      call multiply(direction, k, q)
      alpha = rr/f%on%total(dot(direction%inner(), q))
      x%a(1:nx, 1:nz) = x%a(1:nx, 1:nz) + alpha*direction%a(1:nx, 1:nz)
      r = r - alpha*q
      before = rr
      rr = f%on%total(square(r))
      alpha = rr/before
      direction%a(1:nx, 1:nz) = r + alpha*direction%a(1:nx, 1:nz)
    end do
    if (step > most) error stop 'mantle: the conjugate gradients do not converge'
    f%a(1:nx, 1:nz) = x%inner()
  end subroutine

  function dot(a, b) result(y)
    ADMPI_REAL, intent(in) :: a(:, :), b(:, :)
    ADMPI_REAL :: y
    y = sum(a*b)
  end function

  function square(a) result(y)
    ADMPI_REAL, intent(in) :: a(:, :)
    ADMPI_REAL :: y
    y = sum(a*a)
  end function

  subroutine multiply(d, k, q)
    type(field), intent(inout) :: d
    real(8), intent(in) :: k
    ADMPI_REAL, intent(out) :: q(:, :)
    integer :: i, j
    call d%exchange()
    call d%mirror()
    do j = 1, d%on%nz
      do i = 1, d%on%nx
        q(i, j) = (1 + 4*k)*d%a(i, j) - k*(d%a(i - 1, j) + d%a(i + 1, j) + d%a(i, j - 1) + d%a(i, j + 1))
      end do
    end do
  end subroutine
end module

module waves
#ifdef ADMPI_ACTIVE
  use admpi
#endif
  use fields
  use earth
  use smoothing
  implicit none
  real(8), parameter, private :: c1 = 9d0/8, c2 = -1d0/24

  ! What the waves run through. The modulus of rigidity is wanted between the cells, where the stresses are.
  type :: medium
    real(8), allocatable :: density(:, :)
    ADMPI_REAL, allocatable :: modulus_x(:, :), modulus_z(:, :)
  contains
    procedure :: set => set_medium
  end type

  ! Velocity in the cells, stresses east of them and below them.
  type :: wave
    type(section), pointer :: on => null()
    type(field) :: v, sx, sz
  contains
    procedure :: open => open_wave
    procedure :: advance
    procedure :: absorb => absorb_nothing
  end type

  ! A wave that the edges in the mantle absorb.
  type, extends(wave) :: absorbed_wave
    real(8), allocatable :: factor(:, :)
  contains
    procedure :: open => open_absorbed
    procedure :: absorb => absorb_at_edges
  end type

  ! What stations at the surface record, one in a column.
  type :: seismograms
    integer :: stations = 0
    integer, allocatable :: cell(:)
    ADMPI_REAL, allocatable :: v(:, :)
  contains
    procedure :: open => open_seismograms
  end type

contains

  ! The medium whose shear speed is that of PREM times 1 + perturbation.
  subroutine set_medium(self, perturbation)
    class(medium), intent(inout) :: self
    type(field), intent(in) :: perturbation
    type(field) :: modulus
    real(8) :: depth
    integer :: i, j, nx, nz
    nx = perturbation%on%nx
    nz = perturbation%on%nz
    if (.not. allocated(self%density)) allocate (self%density(nx, nz), self%modulus_x(nx, nz), self%modulus_z(nx, nz))
    call modulus%open(perturbation%on)
    do j = 1, nz
      depth = (perturbation%on%z0 + j - 0.5d0)*perturbation%on%set%h
      do i = 1, nx
        self%density(i, j) = density(depth)
        modulus%a(i, j) = density(depth)*(shear_speed(depth)*(1 + perturbation%a(i, j)))**2
      end do
    end do
    call modulus%exchange()
    call modulus%mirror()
    do j = 1, nz
      do i = 1, nx
        self%modulus_x(i, j) = (modulus%a(i, j) + modulus%a(i + 1, j))/2
        self%modulus_z(i, j) = (modulus%a(i, j) + modulus%a(i, j + 1))/2
      end do
    end do
  end subroutine

  subroutine open_wave(self, on)
    class(wave), intent(inout) :: self
    type(section), intent(in), target :: on
    self%on => on
    call self%v%open(on)
    call self%sx%open(on)
    call self%sz%open(on)
  end subroutine

  subroutine open_absorbed(self, on)
    class(absorbed_wave), intent(inout) :: self
    type(section), intent(in), target :: on
    integer, parameter :: width = 10
    integer :: i, j, cells
    call self%wave%open(on)
    allocate (self%factor(on%nx, on%nz))
    do j = 1, on%nz
      do i = 1, on%nx
        cells = min(on%x0 + i - 1, on%set%nx - on%x0 - i, on%set%nz - on%z0 - j)
        self%factor(i, j) = exp(-(0.04d0*max(0, width - cells))**2)
      end do
    end do
  end subroutine

  subroutine absorb_nothing(self)
    class(wave), intent(inout) :: self
  end subroutine

  subroutine absorb_at_edges(self)
    class(absorbed_wave), intent(inout) :: self
    integer :: i, j
    do j = 1, self%on%nz
      do i = 1, self%on%nx
        if (self%factor(i, j) < 1) then
          self%v%a(i, j) = self%v%a(i, j)*self%factor(i, j)
          self%sx%a(i, j) = self%sx%a(i, j)*self%factor(i, j)
          self%sz%a(i, j) = self%sz%a(i, j)*self%factor(i, j)
        end if
      end do
    end do
  end subroutine

  ! One step. At the surface the stress is 0: it is odd there, and the velocity even.
  subroutine advance(self, through)
    class(wave), intent(inout) :: self
    type(medium), intent(in) :: through
    real(8) :: r, s
    integer :: i, j, nx, nz
    nx = self%on%nx
    nz = self%on%nz
    r = self%on%set%dt/self%on%set%h
    call self%sx%exchange()
    call self%sz%exchange()
    associate (v => self%v%a, sx => self%sx%a, sz => self%sz%a)
      if (self%on%top == MPI_PROC_NULL) sz(:, -1) = -sz(:, 1)
      do j = 1, nz
        do i = 1, nx
          s = r/through%density(i, j)
          v(i, j) = v(i, j) + s*(c1*(sx(i, j) - sx(i - 1, j)) + c2*(sx(i + 1, j) - sx(i - 2, j)) &
            + c1*(sz(i, j) - sz(i, j - 1)) + c2*(sz(i, j + 1) - sz(i, j - 2)))
        end do
      end do
      call self%v%exchange()
      if (self%on%top == MPI_PROC_NULL) then
        v(:, 0) = v(:, 1)
        v(:, -1) = v(:, 2)
      end if
      do j = 1, nz
        do i = 1, nx
          sx(i, j) = sx(i, j) + r*through%modulus_x(i, j)*(c1*(v(i + 1, j) - v(i, j)) + c2*(v(i + 2, j) - v(i - 1, j)))
          sz(i, j) = sz(i, j) + r*through%modulus_z(i, j)*(c1*(v(i, j + 1) - v(i, j)) + c2*(v(i, j + 2) - v(i, j - 1)))
        end do
      end do
    end associate
    call self%absorb()
  end subroutine

  subroutine open_seismograms(self, on)
    class(seismograms), intent(inout) :: self
    type(section), intent(in) :: on
    integer :: i
    self%cell = [integer ::]
    if (on%top == MPI_PROC_NULL) then
      self%cell = pack([(i, i=1, on%nx)], &
        mod([(on%x0 + i, i=1, on%nx)], on%set%stations_every) == on%set%stations_every/2)
    end if
    self%stations = size(self%cell)
    allocate (self%v(on%set%nt, self%stations))
    self%v = 0d0
  end subroutine

  ! What the stations record of an earthquake, whose force is given at each step.
  subroutine shake(on, through, source, force, seen)
    type(section), intent(in), target :: on
    type(medium), intent(in) :: through
    integer, intent(in) :: source
    ADMPI_REAL, intent(in) :: force(:)
    type(seismograms), intent(inout) :: seen
    class(wave), allocatable :: w
    integer :: i, j, k, step
    allocate (absorbed_wave :: w)
    call w%open(on)
    i = nint(on%set%source_x(source)/on%set%h) - on%x0
    j = nint(on%set%source_z(source)/on%set%h) - on%z0
    do step = 1, on%set%nt
      if (i >= 1 .and. i <= on%nx .and. j >= 1 .and. j <= on%nz) w%v%a(i, j) = w%v%a(i, j) + force(step)
      call w%advance(through)
      do k = 1, seen%stations
        seen%v(step, k) = w%v%a(seen%cell(k), 1)
      end do
    end do
  end subroutine

  ! The force of an earthquake: the first derivative of a Gaussian.
  pure function pulse(set) result(force)
    type(settings), intent(in) :: set
    real(8) :: force(set%nt), t
    integer :: step
    do step = 1, set%nt
      t = 6*((step - 1)*set%dt/set%period - 1)
      force(step) = -t*exp(-t*t/2)
    end do
  end function

  ! The perturbation that the controls stand for: smooth, and of the amplitude that one expects.
  subroutine perturb(controls, perturbation)
    ADMPI_REAL, intent(in) :: controls(:, :) ! of the whole section, on rank 0
    type(field), intent(inout) :: perturbation
    ADMPI_REAL, allocatable :: block(:, :)
    integer :: nx, nz
    nx = perturbation%on%nx
    nz = perturbation%on%nz
    allocate (block(nx, nz))
    call perturbation%on%scatter(controls, block)
    perturbation%a(1:nx, 1:nz) = perturbation%on%set%amplitude*block
    call smooth(perturbation, perturbation%on%set%smooth_over)
    call smooth(perturbation, perturbation%on%set%smooth_over)
  end subroutine

  ! Half the square of what is seen minus what was observed, on all ranks.
  function misfit(on, seen, observed) result(y)
    type(section), intent(in) :: on
    type(seismograms), intent(in) :: seen
    real(8), intent(in) :: observed(:, :)
    ADMPI_REAL :: y, mine
    integer :: k, step
    mine = 0d0
    do k = 1, seen%stations
      do step = 1, on%set%nt
        mine = mine + (seen%v(step, k) - observed(step, k))**2
      end do
    end do
    y = on%total(mine)
    y = 0.5d0*on%set%dt*y
  end function

  ! What the twin experiment is to find: a cold slab that sinks to the east, and a hot plume.
  subroutine truth(perturbation)
    type(field), intent(inout) :: perturbation
    real(8) :: x, z, width, depth
    integer :: i, j
    width = perturbation%on%set%nx*perturbation%on%set%h
    depth = perturbation%on%set%nz*perturbation%on%set%h
    do j = 1, perturbation%on%nz
      do i = 1, perturbation%on%nx
        x = (perturbation%on%x0 + i - 0.5d0)*perturbation%on%set%h/width
        z = (perturbation%on%z0 + j - 0.5d0)*perturbation%on%set%h/depth
        perturbation%a(i, j) = 0.05d0*exp(-((x - 0.25d0 - 0.3d0*z)/0.05d0)**2)/(1 + exp((z - 0.7d0)/0.05d0)) &
          - 0.04d0*exp(-((x - 0.75d0)/0.06d0)**2 - ((z - 0.5d0)/0.25d0)**2)
      end do
    end do
  end subroutine
end module
