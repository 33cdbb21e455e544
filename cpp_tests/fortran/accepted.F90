! What the language does with active variables without code of the module: it must compile, and be right.
module accepted
  use check
  implicit none
  type :: field
    type(admpi_var), allocatable :: u(:, :)
    type(admpi_var), pointer :: halo(:) => null()
    type(admpi_var) :: mean
  contains
    procedure :: cell
    procedure, private :: add_fields
    generic :: operator(+) => add_fields
    final :: close_field
  end type
  type, extends(field) :: tracer
    type(admpi_var) :: decay = admpi_var(0.5d0, 0, 0)
  end type
  interface scaled
    procedure scaled_var, scaled_real
  end interface
#ifdef ADMPI_PLAIN_TEST
#define IMPURE
#else
#define IMPURE impure
#endif
contains
  subroutine close_field(self)
    type(field), intent(inout) :: self
    if (allocated(self%u)) deallocate (self%u)
  end subroutine
  pure function cell(self, i, j) result(y)
    class(field), intent(in) :: self
    integer, intent(in) :: i, j
    type(admpi_var) :: y
    y = self%u(i, j)
  end function
  function add_fields(a, b) result(y)
    class(field), intent(in) :: a, b
    type(field) :: y
    y%u = admpi_var(a%u + b%u) ! a%u + b%u alone would not allocate
  end function
  IMPURE elemental function scaled_var(x, factor) result(y)
    type(admpi_var), intent(in) :: x
    real(8), intent(in), optional :: factor
    type(admpi_var) :: y
    y = x
    if (present(factor)) y = x*factor
  end function
  elemental function scaled_real(x, factor) result(y)
    real(8), intent(in) :: x, factor
    real(8) :: y
    y = x*factor
  end function
  IMPURE elemental subroutine double_it(x)
    type(admpi_var), intent(inout) :: x
    x = 2*x
  end subroutine
  subroutine fill(x)
    type(admpi_var), intent(out) :: x(:)
    x(1) = 1d0
  end subroutine
  subroutine old_style(x, n)
    integer :: n
    type(admpi_var) :: x(n), y(n)
    x = x + 1
    y = x
    x = y
  end subroutine
  recursive function factorial(x, n) result(y)
    type(admpi_var), intent(in) :: x
    integer, intent(in) :: n
    type(admpi_var) :: y, mine
    mine = x + n
    y = 1d0
    if (n > 0) y = factorial(x, n - 1)
    y = y*mine
  end function

  subroutine test_types()
    type(admpi_var) :: x(4), y
    type(tracer) :: a
    class(field), allocatable :: b, c
    type(admpi_var), target :: edge(2)
    integer :: i, j
    call inputs(x, [1d0, 2d0, 3d0, 4d0])
    a%u = reshape(x, [2, 2])
    allocate (b, source=a)
    allocate (c)
    c%u = a%u
    edge = x(3:4)
    a%halo => edge
    a%mean = sum(a%u)/4d0
    y = b%cell(2, 2)*a%halo(1) + a%mean*a%decay
    call expect('components', y, 4d0*3 + 2.5d0*0.5d0, x, [0.125d0, 0.125d0, 4.125d0, 3.125d0])
    call inputs(x, [1d0, 2d0, 3d0, 4d0])
    a%u = reshape(x, [2, 2])
    c = a + a
    forall (i=1:2, j=1:2) a%u(i, j) = c%u(j, i)
    y = a%u(1, 2)
    call expect('operators of types, forall', y, 4d0, x, [0d0, 2d0, 0d0, 0d0])
    if (.not. same_type_as(a, a)) call fail('same_type_as')
  end subroutine

  subroutine test_procedures()
    type(admpi_var) :: x(4), y, z(4)
    call inputs(x, [1d0, 2d0, 3d0, 4d0])
    z = scaled(x, 3d0)
    call double_it(z(2:3))
    call old_style(z, 4)
    y = sum(z) + scaled(x(1)) + scaled(2d0, 3d0)
    call expect('procedures', y, (3 + 12 + 18 + 12) + 4 + 1 + 6d0, x, [4d0, 6d0, 6d0, 3d0])
    call inputs(x, [1d0, 2d0, 3d0, 4d0])
    y = factorial(x(1), 3)
    call expect('recursion keeps its variables', y, 24d0, x, [24*(1 + 1/2d0 + 1/3d0 + 1/4d0), 0d0, 0d0, 0d0])
    call fill(z)
    if (any(z(2:)%id /= 0)) call fail('intent(out) has an id')
    call equal(z(2)%id, 0, 'intent(out)')
  end subroutine

  subroutine test_implicit()
    implicit type(admpi_var) (a-h, o-z)
    dimension x(2)
    call inputs(x, [2d0, 5d0])
    a = x(1)*x(2)
    b = a/x(1) - 1
    call expect('implicit', b, 4d0, x, [0d0, 1d0])
  end subroutine

  subroutine test_conditions()
    type(admpi_var) :: x(3), y, z(3)
    integer :: i
    call inputs(x, [1d0, 2d0, 3d0])
    z = [admpi_var :: x(2), admpi_var(1d0), admpi_var(3*x(1))]
    y = 0
    do i = 1, 3
      if (x(i)*z(i) > 1 .and. x(i) + 1 /= 2d0) y = y + x(i)*z(i)
    end do
    select case (int(x(2)*x(3)))
    case (6)
      y = y*x(3)
    case default
      call fail('select case')
    end select
    y = y + merge(x(1), x(2), any(x*x > 8d0)) + count(x > 1)
    call expect('conditions', y, 3d0*(2 + 9) + 1 + 2, x, [3*3*3 + 1d0, 3*1d0, 3*3d0 + 11])
  end subroutine

  subroutine test_io()
    type(admpi_var) :: x, y
    real(8) :: value
    character(40) :: line
    x = 2.5d0
    write (line, '(f8.3)') admpi_value(x*2d0)
    read (line, *) value
    y = value
    call near(admpi_value(y), 5d0, 'input and output')
    call equal(admpi_live_expressions(), 0, 'input and output: live expressions')
  end subroutine
end module

program test_accepted
  use accepted
  implicit none
  call begin()
  call test_types()
  call test_procedures()
  call test_implicit()
  call test_conditions()
  call test_io()
  call finish()
end program
