! What must not compile. After `! says:` stands what gfortran then says; `fused says:` of that mode alone.
module refused
  use admpi
  implicit none
  type(admpi_var) :: shared
  common /block/ shared ! says: may not have default initializer
  type :: rigid
    sequence
    type(admpi_var) :: x ! says: does not have the SEQUENCE attribute
  end type
contains
  subroutine takes(x)
    type(admpi_var), intent(in) :: x
  end subroutine
  subroutine sized(x)
    type(admpi_var) :: x(*)
    intent(out) :: x ! says: default initializer
  end subroutine
  subroutine refuse()
    type(admpi_var), parameter :: two = admpi_var(2d0) ! says: must be an intrinsic function
    type(admpi_var) :: x, y, z(2)
    real(8) :: r
    equivalence (x, r) ! says: EQUIVALENCE
    data y /1d0/ ! says: Incompatible types in DATA
    r = x ! says: Cannot convert
    call takes(1d0) ! says: Type mismatch in argument
    z = [x, 1d0] ! says: array constructor at (1) is REAL(8)
    y = dsqrt(x) ! says: must be REAL
    call takes(x*y) ! fused says: Type mismatch in argument
    y = merge(x*y, x, .true.) ! fused says: must be the same type
    print *, x*y ! fused says: PRIVATE components
    z = [x*y, x] ! fused says: array constructor
  end subroutine
  pure function pure_product(x) result(y)
    type(admpi_var), intent(in) :: x
    type(admpi_var) :: y
    y = x*x ! fused says: impure function
  end function
end module
