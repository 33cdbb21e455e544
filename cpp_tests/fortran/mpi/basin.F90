! Waves in a closed basin, as codes for the weather are written: types with allocatable and pointer components, extension,
! pure getters, final procedures, nonblocking halos. Its adjoint by hand is in reals; admpi's agrees with it.
#include "binding.h"
module basin_grid
  use admpi
  BINDING_USE
  implicit none
  BINDING_INCLUDE
  private
  public :: grid_type, side

  type :: grid_type
    private
    HANDLE(AMPI_Comm) :: comm
    integer :: rank = 0, neighbour(4) = -1 ! west, east, south, north; -1 is a wall
    integer :: x0 = 0, y0 = 0, nx = 0, ny = 0
  contains
    procedure :: get_nx
    procedure :: get_ny
    procedure :: get_x0
    procedure :: get_y0
    procedure :: get_rank
    procedure :: get_comm
    procedure :: get_neighbour
  end type

  interface grid_type
    procedure new_grid
  end interface

contains

  function new_grid(comm, nx, ny) result(self)
    HANDLE(AMPI_Comm), intent(in) :: comm
    integer, intent(in) :: nx, ny
    type(grid_type) :: self
    integer :: ranks, dims(2), i, j, code
    self%comm = comm
    call AMPI_Comm_size(comm, ranks, code)
    call AMPI_Comm_rank(comm, self%rank, code)
    dims = 0
    call AMPI_Dims_create(ranks, 2, dims, code)
    i = mod(self%rank, dims(1))
    j = self%rank/dims(1)
    if (i > 0) self%neighbour(1) = self%rank - 1
    if (i < dims(1) - 1) self%neighbour(2) = self%rank + 1
    if (j > 0) self%neighbour(3) = self%rank - dims(1)
    if (j < dims(2) - 1) self%neighbour(4) = self%rank + dims(1)
    self%x0 = i*nx/dims(1)
    self%y0 = j*ny/dims(2)
    self%nx = (i + 1)*nx/dims(1) - self%x0
    self%ny = (j + 1)*ny/dims(2) - self%y0
  end function

  pure integer function get_nx(self)
    class(grid_type), intent(in) :: self
    get_nx = self%nx
  end function
  pure integer function get_ny(self)
    class(grid_type), intent(in) :: self
    get_ny = self%ny
  end function
  pure integer function get_x0(self)
    class(grid_type), intent(in) :: self
    get_x0 = self%x0
  end function
  pure integer function get_y0(self)
    class(grid_type), intent(in) :: self
    get_y0 = self%y0
  end function
  pure integer function get_rank(self)
    class(grid_type), intent(in) :: self
    get_rank = self%rank
  end function
  pure function get_comm(self) result(comm)
    class(grid_type), intent(in) :: self
    HANDLE(AMPI_Comm) :: comm
    comm = self%comm
  end function
  pure integer function get_neighbour(self, which)
    class(grid_type), intent(in) :: self
    integer, intent(in) :: which
    get_neighbour = self%neighbour(which)
  end function

  ! The cells along a side: (1, nx) and (1, 1) for south and so on; `out` is 1 for those of the halo.
  pure subroutine side(grid, which, out, x, y)
    type(grid_type), intent(in) :: grid
    integer, intent(in) :: which, out
    integer, intent(out) :: x(2), y(2)
    x = [1, grid%nx]
    y = [1, grid%ny]
    select case (which)
    case (1)
      x = 1 - out
    case (2)
      x = grid%nx + out
    case (3)
      y = 1 - out
    case (4)
      y = grid%ny + out
    end select
  end subroutine
end module

module basin_state
  use admpi
  BINDING_USE
  use basin_grid
  implicit none
  BINDING_INCLUDE
  private
  public :: state_type, opposite

  integer, parameter :: opposite(4) = [2, 1, 4, 3]

  type :: state_type
    private
    type(grid_type), pointer, public :: grid => null()
    type(admpi_var), allocatable, public :: u(:, :), v(:, :), h(:, :)
    real(8) :: clock = 0
  contains
    final :: forget
    procedure :: exchange
    procedure :: get_u
    procedure :: get_v
    procedure :: get_h
    procedure :: get_h_pointer
    procedure :: get_clock
    procedure :: advance_clock
  end type

  interface state_type
    procedure new_state
  end interface

contains

  function new_state(grid, u, v, h) result(self)
    type(grid_type), target, intent(in) :: grid
    type(admpi_var), intent(in) :: u(:, :), v(:, :)
    type(admpi_var), intent(in), optional :: h(:, :)
    type(state_type) :: self
    integer :: nx, ny
    nx = grid%get_nx()
    ny = grid%get_ny()
    self%grid => grid
    allocate (self%u(0:nx + 1, 0:ny + 1), self%v(0:nx + 1, 0:ny + 1), self%h(0:nx + 1, 0:ny + 1))
    self%u(1:nx, 1:ny) = u
    self%v(1:nx, 1:ny) = v
    self%h(1:nx, 1:ny) = 1d0
    if (present(h)) self%h(1:nx, 1:ny) = h
  end function

  elemental subroutine forget(self)
    type(state_type), intent(inout) :: self
    nullify (self%grid)
  end subroutine

  subroutine exchange(self)
    class(state_type), intent(inout), target :: self
    type(admpi_var), allocatable :: out(:, :, :), in(:, :, :)
    type(admpi_var), pointer :: field(:, :)
    HANDLE(AMPI_Request) :: requests(8)
    integer :: k, f, n, x(2), y(2), longest, started, code
    longest = max(self%grid%get_nx(), self%grid%get_ny())
    allocate (out(3, longest, 4), in(3, longest, 4))
    started = 0
    do k = 1, 4
      if (self%grid%get_neighbour(k) == -1) cycle
      call side(self%grid, k, 1, x, y)
      n = (x(2) - x(1) + 1)*(y(2) - y(1) + 1)
      started = started + 1
      call AMPI_Irecv(in(1, 1, k), 3*n, AMPI_ADOUBLE, self%grid%get_neighbour(k), opposite(k), self%grid%get_comm(), &
        requests(started), code)
    end do
    do k = 1, 4
      if (self%grid%get_neighbour(k) == -1) cycle
      call side(self%grid, k, 0, x, y)
      n = (x(2) - x(1) + 1)*(y(2) - y(1) + 1)
      do f = 1, 3
        call choose(self, f, field)
        out(f, 1:n, k) = reshape(field(x(1):x(2), y(1):y(2)), [n])
      end do
      started = started + 1
      call AMPI_Isend(out(1, 1, k), 3*n, AMPI_ADOUBLE, self%grid%get_neighbour(k), k, self%grid%get_comm(), &
        requests(started), code)
    end do
    if (started > 0) call AMPI_Waitall(started, requests, AMPI_STATUSES_IGNORE, code)
    do k = 1, 4
      do f = 1, 3
        call choose(self, f, field)
        call side(self%grid, k, 1, x, y)
        if (self%grid%get_neighbour(k) /= -1) then
          n = (x(2) - x(1) + 1)*(y(2) - y(1) + 1)
          field(x(1):x(2), y(1):y(2)) = reshape(in(f, 1:n, k), [x(2) - x(1) + 1, y(2) - y(1) + 1])
        else
          call reflect(field, self%grid, k, (f == 1 .and. k <= 2) .or. (f == 2 .and. k >= 3))
        end if
      end do
    end do
  end subroutine

  ! What leaves through a wall comes back.
  subroutine reflect(field, grid, k, odd)
    type(admpi_var), intent(inout), pointer :: field(:, :)
    type(grid_type), intent(in) :: grid
    integer, intent(in) :: k
    logical, intent(in) :: odd
    integer :: x(2), y(2), x1(2), y1(2)
    call side(grid, k, 1, x, y)
    call side(grid, k, 0, x1, y1)
    if (odd) then
      field(x(1):x(2), y(1):y(2)) = -field(x1(1):x1(2), y1(1):y1(2))
    else
      field(x(1):x(2), y(1):y(2)) = field(x1(1):x1(2), y1(1):y1(2))
    end if
  end subroutine

  subroutine choose(self, f, field)
    class(state_type), intent(in), target :: self
    integer, intent(in) :: f
    type(admpi_var), intent(out), pointer :: field(:, :)
    select case (f)
    case (1)
      field => self%u
    case (2)
      field => self%v
    case default
      call self%get_h_pointer(field)
    end select
  end subroutine

  pure function get_u(self) result(u)
    class(state_type), intent(in) :: self
    type(admpi_var) :: u(self%grid%get_nx(), self%grid%get_ny())
    u = self%u(1:self%grid%get_nx(), 1:self%grid%get_ny())
  end function
  pure function get_v(self) result(v)
    class(state_type), intent(in) :: self
    type(admpi_var) :: v(self%grid%get_nx(), self%grid%get_ny())
    v = self%v(1:self%grid%get_nx(), 1:self%grid%get_ny())
  end function
  pure function get_h(self) result(h)
    class(state_type), intent(in) :: self
    type(admpi_var) :: h(self%grid%get_nx(), self%grid%get_ny())
    h = self%h(1:self%grid%get_nx(), 1:self%grid%get_ny())
  end function
  subroutine get_h_pointer(self, h)
    class(state_type), intent(in), target :: self
    type(admpi_var), intent(inout), pointer :: h(:, :)
    h => self%h
  end subroutine
  pure real(8) function get_clock(self)
    class(state_type), intent(in) :: self
    get_clock = self%clock
  end function
  pure subroutine advance_clock(self, dt)
    class(state_type), intent(inout) :: self
    real(8), intent(in) :: dt
    self%clock = self%clock + dt
  end subroutine
end module

module basin_model
  use admpi
  BINDING_USE
  use basin_grid
  use basin_state
  implicit none
  BINDING_INCLUDE
  private
  public :: model_type, viscous_type, adjoint_type

  real(8), parameter :: gravity = 9.81d0

  type :: model_type
    real(8) :: c = 0.01d0 ! step over cell
  contains
    final :: forget_model
    procedure :: advance
    procedure :: viscosity => no_viscosity
  end type

  type, extends(model_type) :: viscous_type
    real(8) :: nu = 0.05d0
  contains
    procedure :: viscosity => some_viscosity
  end type

  ! The same model by hand: values and adjoints of u, v, h in reals.
  type, extends(viscous_type) :: adjoint_type
  contains
    procedure :: back
  end type

contains

  elemental subroutine forget_model(self)
    type(model_type), intent(inout) :: self
    self%c = 0
  end subroutine

  pure real(8) function no_viscosity(self)
    class(model_type), intent(in) :: self
    no_viscosity = 0*self%c
  end function
  pure real(8) function some_viscosity(self)
    class(viscous_type), intent(in) :: self
    some_viscosity = self%nu
  end function

  subroutine advance(self, state, steps)
    class(model_type), intent(in) :: self
    type(state_type), intent(inout) :: state
    integer, intent(in) :: steps
    type(admpi_var), allocatable :: u(:, :), v(:, :), h(:, :)
    real(8) :: c, nu
    integer :: i, j, step, nx, ny
    nx = state%grid%get_nx()
    ny = state%grid%get_ny()
    c = self%c
    nu = self%viscosity()
    allocate (u(nx, ny), v(nx, ny), h(nx, ny))
    do step = 1, steps
      call state%exchange()
      associate (a => state%u, b => state%v, d => state%h)
        do j = 1, ny
          do i = 1, nx
            u(i, j) = a(i, j) - c*(a(i, j)*(a(i + 1, j) - a(i - 1, j)) + b(i, j)*(a(i, j + 1) - a(i, j - 1)) &
              + gravity*(d(i + 1, j) - d(i - 1, j))) &
              + nu*(a(i + 1, j) + a(i - 1, j) + a(i, j + 1) + a(i, j - 1) - 4*a(i, j))
            v(i, j) = b(i, j) - c*(a(i, j)*(b(i + 1, j) - b(i - 1, j)) + b(i, j)*(b(i, j + 1) - b(i, j - 1)) &
              + gravity*(d(i, j + 1) - d(i, j - 1))) &
              + nu*(b(i + 1, j) + b(i - 1, j) + b(i, j + 1) + b(i, j - 1) - 4*b(i, j))
            h(i, j) = d(i, j) - c*(a(i + 1, j)*d(i + 1, j) - a(i - 1, j)*d(i - 1, j) &
              + b(i, j + 1)*d(i, j + 1) - b(i, j - 1)*d(i, j - 1))
          end do
        end do
      end associate
      state%u(1:nx, 1:ny) = u
      state%v(1:nx, 1:ny) = v
      state%h(1:nx, 1:ny) = h
      call state%advance_clock(c)
    end do
  end subroutine

  ! One step back from the state before it, whose halos are filled: w are the adjoints of u, v, h with their halos, 0.
  subroutine back(self, before, w)
    class(adjoint_type), intent(in) :: self
    type(state_type), intent(in) :: before
    real(8), intent(inout) :: w(0:, 0:, :)
    real(8), allocatable, dimension(:, :) :: a, b, d
    real(8), allocatable :: z(:, :, :)
    real(8) :: c, nu, p, q, r
    integer :: i, j, nx, ny
    nx = before%grid%get_nx()
    ny = before%grid%get_ny()
    c = self%c
    nu = self%viscosity()
    allocate (a(0:nx + 1, 0:ny + 1), b(0:nx + 1, 0:ny + 1), d(0:nx + 1, 0:ny + 1), z(0:nx + 1, 0:ny + 1, 3))
    a = admpi_value(before%u)
    b = admpi_value(before%v)
    d = admpi_value(before%h)
    z = 0
    do j = 1, ny
      do i = 1, nx
        p = w(i, j, 1)
        q = w(i, j, 2)
        r = w(i, j, 3)
        z(i, j, 1) = z(i, j, 1) + p*(1 - c*(a(i + 1, j) - a(i - 1, j)) - 4*nu) - q*c*(b(i + 1, j) - b(i - 1, j))
        z(i + 1, j, 1) = z(i + 1, j, 1) + p*(nu - c*a(i, j)) - r*c*d(i + 1, j)
        z(i - 1, j, 1) = z(i - 1, j, 1) + p*(nu + c*a(i, j)) + r*c*d(i - 1, j)
        z(i, j + 1, 1) = z(i, j + 1, 1) + p*(nu - c*b(i, j))
        z(i, j - 1, 1) = z(i, j - 1, 1) + p*(nu + c*b(i, j))
        z(i, j, 2) = z(i, j, 2) + q*(1 - c*(b(i, j + 1) - b(i, j - 1)) - 4*nu) - p*c*(a(i, j + 1) - a(i, j - 1))
        z(i + 1, j, 2) = z(i + 1, j, 2) + q*(nu - c*a(i, j))
        z(i - 1, j, 2) = z(i - 1, j, 2) + q*(nu + c*a(i, j))
        z(i, j + 1, 2) = z(i, j + 1, 2) + q*(nu - c*b(i, j)) - r*c*d(i, j + 1)
        z(i, j - 1, 2) = z(i, j - 1, 2) + q*(nu + c*b(i, j)) + r*c*d(i, j - 1)
        z(i, j, 3) = z(i, j, 3) + r
        z(i + 1, j, 3) = z(i + 1, j, 3) - c*(gravity*p + r*a(i + 1, j))
        z(i - 1, j, 3) = z(i - 1, j, 3) + c*(gravity*p + r*a(i - 1, j))
        z(i, j + 1, 3) = z(i, j + 1, 3) - c*(gravity*q + r*b(i, j + 1))
        z(i, j - 1, 3) = z(i, j - 1, 3) + c*(gravity*q + r*b(i, j - 1))
      end do
    end do
    call exchange_back(before%grid, z)
    w = z
  end subroutine

  ! What the halos have gathered goes to the cells that they are copies of.
  subroutine exchange_back(grid, z)
    type(grid_type), intent(in) :: grid
    real(8), intent(inout) :: z(0:, 0:, :)
    real(8), allocatable :: out(:, :, :), in(:, :, :)
    HANDLE(AMPI_Request) :: requests(8)
    real(8) :: s
    integer :: k, f, n, x(2), y(2), x1(2), y1(2), longest, started, code
    longest = max(grid%get_nx(), grid%get_ny())
    allocate (out(3, longest, 4), in(3, longest, 4))
    out = 0
    started = 0
    do k = 1, 4
      call side(grid, k, 1, x, y)
      call side(grid, k, 0, x1, y1)
      n = (x(2) - x(1) + 1)*(y(2) - y(1) + 1)
      if (grid%get_neighbour(k) == -1) then
        do f = 1, 3
          s = merge(-1, 1, (f == 1 .and. k <= 2) .or. (f == 2 .and. k >= 3))
          z(x1(1):x1(2), y1(1):y1(2), f) = z(x1(1):x1(2), y1(1):y1(2), f) + s*z(x(1):x(2), y(1):y(2), f)
        end do
      else
        do f = 1, 3
          out(f, 1:n, k) = reshape(z(x(1):x(2), y(1):y(2), f), [n])
        end do
        call AMPI_Irecv(in(1, 1, k), 3*n, AMPI_DOUBLE_PRECISION, grid%get_neighbour(k), opposite(k), &
          grid%get_comm(), requests(started + 1), code)
        call AMPI_Isend(out(1, 1, k), 3*n, AMPI_DOUBLE_PRECISION, grid%get_neighbour(k), k, &
          grid%get_comm(), requests(started + 2), code)
        started = started + 2
      end if
      z(x(1):x(2), y(1):y(2), :) = 0
    end do
    if (started > 0) call AMPI_Waitall(started, requests, AMPI_STATUSES_IGNORE, code)
    do k = 1, 4
      if (grid%get_neighbour(k) == -1) cycle
      call side(grid, k, 0, x, y)
      n = (x(2) - x(1) + 1)*(y(2) - y(1) + 1)
      do f = 1, 3
        z(x(1):x(2), y(1):y(2), f) = z(x(1):x(2), y(1):y(2), f) &
          + reshape(in(f, 1:n, k), [x(2) - x(1) + 1, y(2) - y(1) + 1])
      end do
    end do
  end subroutine
end module

program test_basin
  use admpi
  BINDING_USE
  use basin_grid
  use basin_state
  use basin_model
  implicit none
  BINDING_INCLUDE
  integer, parameter :: steps = 8
  type(grid_type), target :: grid
  type(state_type) :: state
  type(state_type), allocatable :: trajectory(:)
  class(model_type), allocatable :: model
  type(adjoint_type) :: by_hand
  type(admpi_tape) :: tape
  type(admpi_var), allocatable :: x(:, :, :)
  real(8), allocatable :: weight(:, :, :), w(:, :, :)
  real(8) :: worst(2), all(2)
  integer :: i, j, k, nx, ny, step, code

  call AMPI_Init(code)
  grid = grid_type(AMPI_COMM_WORLD, 13, 11)
  nx = grid%get_nx()
  ny = grid%get_ny()
  allocate (x(nx, ny, 3), weight(nx, ny, 3), w(0:nx + 1, 0:ny + 1, 3), trajectory(steps))
  allocate (viscous_type :: model)
  call tape%new()
  call tape%activate()
  call tape%start()
  do k = 1, 3
    do j = 1, ny
      do i = 1, nx
        x(i, j, k) = merge(1, 0, k == 3) + 0.2d0*sin(1.3d0*(grid%get_x0() + i)*k + 0.7d0*(grid%get_y0() + j))
        weight(i, j, k) = cos(0.9d0*(grid%get_x0() + i) + 2.1d0*(grid%get_y0() + j)*k)
      end do
    end do
  end do
  call tape%input(x)
  state = state_type(grid, x(:, :, 1), x(:, :, 2), h=x(:, :, 3))
  call model%advance(state, steps)
  call tape%seed(state%get_u(), weight(:, :, 1))
  call tape%seed(state%get_v(), weight(:, :, 2))
  call tape%seed(state%get_h(), weight(:, :, 3))
  call tape%stop()
  call tape%reverse()
  if (abs(state%get_clock() - steps*0.01d0) > 1d-12) error stop 'clock'

  state = state_type(grid, x(:, :, 1), x(:, :, 2), x(:, :, 3))
  do step = 1, steps
    trajectory(step) = state
    call model%advance(state, 1)
  end do
  w = 0
  w(1:nx, 1:ny, :) = weight
  do step = steps, 1, -1
    call trajectory(step)%exchange()
    call by_hand%back(trajectory(step), w)
  end do
  worst(1) = maxval(abs(tape%adjoint(x) - w(1:nx, 1:ny, :)))
  worst(2) = maxval(abs(w))
  call AMPI_Allreduce(worst, all, 2, AMPI_DOUBLE_PRECISION, AMPI_MAX, AMPI_COMM_WORLD, code)
  if (grid%get_rank() == 0) print '("largest adjoint ", es9.2, ", difference ", es9.2)', all(2), all(1)
  if (all(2) < 0.1d0 .or. .not. all(1) <= 1d-13*all(2)) error stop 'the adjoint by hand differs'
  if (admpi_live_expressions() /= 0) error stop 'expressions are left'
  call tape%free()
  call AMPI_Finalize(code)
end program
