! What must not compile. After `! says:` stands what gfortran then says; `fused says:` of that mode alone. After `! write:`
! stands what to write instead.
module refused
  use admpi
  implicit none
  type(admpi_var) :: shared
  common /block/ shared ! says: may not have default initializer
  type :: rigid
    sequence
    type(admpi_var) :: x ! says: does not have the SEQUENCE attribute
  end type
  type :: own
    type(admpi_var) :: x
  end type
  interface operator(*)
    procedure times
  end interface
  interface put_of_a_library
    procedure put_reals
  end interface
  type(admpi_var) :: initial = 1d0 ! says: Incompatible initialization ! write: type(admpi_var) :: initial = admpi_var(1d0, 0, 0)
contains
  subroutine takes(x)
    type(admpi_var), intent(in) :: x
  end subroutine
  subroutine takes_real(x)
    real(8), intent(in) :: x
  end subroutine
  integer function put_reals(x)
    real(8), intent(in) :: x(:)
    put_reals = size(x)
  end function
  subroutine sized(x)
    type(admpi_var) :: x(*)
    intent(out) :: x ! says: default initializer ! write: intent(inout) :: x
  end subroutine
  function times(a, b) result(c)
    type(admpi_var), intent(in) :: a
    type(own), intent(in) :: b
    type(own) :: c
    c%x = a*b%x
  end function
  subroutine refuse(any_type, fixed)
    class(*), intent(in) :: any_type
    type(admpi_var), intent(in) :: fixed
    type(admpi_var), parameter :: two = admpi_var(2d0) ! says: must be an intrinsic function ! write: type(admpi_var), parameter :: two = admpi_var(2d0, 0, 0)
    type(admpi_var), target :: x, y, z(2)
    type(admpi_var), allocatable :: a(:)
    type(admpi_var), pointer :: active
    real(8), pointer :: passive
    type(admpi_tape) :: tape
    type(own) :: w
    real(8) :: r
    complex(8) :: c
    type(admpi_var) :: square, t
    integer :: i
    square(t) = t*t ! fused says: Cannot convert ! write: square(t) = admpi_var(t*t)
    equivalence (x, r) ! says: EQUIVALENCE
    data y /1d0/ ! says: Incompatible types in DATA ! write: y = 1d0
    r = x ! says: Cannot convert ! write: r = admpi_value(x)
    if (x) 1, 1, 1 ! says: Arithmetic IF ! write: if (admpi_value(x)) 1, 1, 1
1   continue
    forall (i=1:2) z(i) = z(i)*r ! fused says: inside a FORALL block ! write: z = z*r
    do concurrent (i=1:2)
      z(i) = z(i) + r ! fused says: inside a DO CONCURRENT block
    end do
    r = real(x) ! says: Cannot convert ! write: r = admpi_value(x)
    r = dble(x*y) ! says: Cannot convert ! write: r = admpi_value(x*y)
    print *, real(x*y) ! fused says: PRIVATE components ! write: print *, admpi_value(x*y)
    call takes(1d0) ! says: Type mismatch in argument ! write: call takes(admpi_var(1d0))
    call takes_real(x) ! says: Type mismatch in argument ! write: call takes_real(admpi_value(x))
    z = [x, 1d0] ! says: array constructor at (1) is REAL(8) ! write: z = [x, admpi_var(1d0)]
    y = dsqrt(x) ! says: must be REAL ! write: y = sqrt(x)
    c = cmplx(x, 0d0) ! says: must have a numeric type ! write: c = cmplx(admpi_value(x), 0d0)
    print '(f8.3)', sngl(x) ! says: must be REAL ! write: print '(f8.3)', admpi_value(x)
    c = x*(0d0, 1d0) ! says: Unexpected derived-type entities ! write: c = admpi_value(x)*(0d0, 1d0)
    call random_number(x) ! says: must be REAL ! write: call random_number(r)
    y = max(x, 0.) ! says: is not consistent with a specific intrinsic ! write: y = max(x, 0d0)
    i = int(x, 8) ! says: is not consistent with a specific intrinsic ! write: i = int(admpi_value(x), 8)
    i = nint(x*y, kind=8) ! says: is not consistent with a specific intrinsic ! write: i = nint(admpi_value(x*y), kind=8)
    print *, put_of_a_library(z) ! says: no specific function for the generic ! write: print *, put_of_a_library(admpi_value(z))
    allocate (a(2), source=0d0) ! says: type incompatible with source-expr ! write: allocate (a(2), source=admpi_var(0d0))
    passive => x ! says: Different types in pointer assignment ! write: active => x
    call tape%input(fixed) ! says: no matching specific binding ! write: call tape%input(x)
    call tape%seed(y, 1.) ! says: no matching specific binding ! write: call tape%seed(y, 1d0)
    call tape%seed(z, 1d0) ! says: no matching specific binding ! write: call tape%seed(z, [1d0, 1d0])
    w = (x*y)*w ! fused says: Unexpected derived-type entities ! write: w = admpi_var(x*y)*w
    call takes(x*y) ! fused says: Type mismatch in argument ! write: call takes(admpi_var(x*y))
    y = merge(x*y, x, .true.) ! fused says: must be the same type ! write: y = merge(admpi_var(x*y), x, .true.)
    print *, x*y ! fused says: PRIVATE components ! write: print *, admpi_value(x*y)
    z([2, 1]) = z*r ! fused says: Cannot convert ! write: z([2, 1]) = admpi_var(z*r)
    z([2, 1]) = [r, r] ! says: Cannot convert ! write: z([2, 1]) = admpi_var([r, r])
    z = [x*y, x] ! fused says: array constructor ! write: z = [admpi_var(x*y), x]
    select type (any_type)
    type is (admpi_var) ! says: a type with the BIND attribute in SELECT TYPE ! write: type is (real(8))
    end select
  end subroutine
  pure function pure_product(x) result(y)
    type(admpi_var), intent(in) :: x
    type(admpi_var) :: y
    y = x*x ! fused says: impure function
  end function
end module
