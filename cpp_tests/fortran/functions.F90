! Functions under their intrinsic names and beyond: values, derivatives, statements; scalars, expressions and arrays.
#ifdef ADMPI_PLAIN_TEST
#define MADE(fused, plain) plain
#else
#define MADE(fused, plain) fused
#endif
#define UNARY(name, at, derivative) x0 = at; call inputs(x, [x0, 1d0, 0d0]); y = name(x(1)); \
  call expect('name', y, name(x0), x, [derivative, 0d0, 0d0], 1); \
  call inputs(x, [x0, 1d0, 0d0]); y = name(x(1)*x(2)); \
  call expect('name of an expression', y, name(x0), x, [derivative, x0*(derivative), 0d0], MADE(1, 2))
#define BINARY(name, first, second, da, db) a = first; b = second; \
  call inputs(x, [a, b, 1d0]); y = name(x(1), x(2)); call expect('name vv', y, name(a, b), x, [da, db, 0d0], 1); \
  call inputs(x, [a, b, 1d0]); y = name(x(1), b); call expect('name vd', y, name(a, b), x, [da, 0d0, 0d0], 1); \
  call inputs(x, [a, b, 1d0]); y = name(a, x(2)); call expect('name dv', y, name(a, b), x, [0d0, db, 0d0], 1); \
  call inputs(x, [a, b, 1d0]); y = name(x(1)*x(3), x(2)); \
  call expect('name ev', y, name(a, b), x, [da, db, a*(da)], MADE(1, 2)); \
  call inputs(x, [a, b, 1d0]); y = name(x(1), x(2)*x(3)); \
  call expect('name ve', y, name(a, b), x, [da, db, b*(db)], MADE(1, 2)); \
  call inputs(x, [a, b, 1d0]); y = name(x(1)*x(3), x(2)*x(3)); \
  call expect('name ee', y, name(a, b), x, [da, db, a*(da) + b*(db)], MADE(1, 3)); \
  call inputs(x, [a, b, 1d0]); y = name(x(1)*x(3), b); call expect('name ed', y, name(a, b), x, [da, 0d0, a*(da)], MADE(1, 2)); \
  call inputs(x, [a, b, 1d0]); y = name(a, x(2)*x(3)); call expect('name de', y, name(a, b), x, [0d0, db, b*(db)], MADE(1, 2))
module functions
  use check
  implicit none
  real(8), parameter :: pi = acos(-1d0)
contains
  subroutine test_unary()
    type(admpi_var) :: x(3), y
    real(8) :: x0
    UNARY(sqrt, 2d0, 0.5d0/sqrt(x0))
    UNARY(exp, 0.3d0, exp(x0))
    UNARY(log, 2d0, 1/x0)
    UNARY(log10, 2d0, 1/(x0*log(10d0)))
    UNARY(sin, 0.7d0, cos(x0))
    UNARY(cos, 0.7d0, -sin(x0))
    UNARY(tan, 0.7d0, 1 + tan(x0)**2)
    UNARY(asin, 0.3d0, 1/sqrt(1 - x0**2))
    UNARY(acos, 0.3d0, -1/sqrt(1 - x0**2))
    UNARY(atan, 0.3d0, 1/(1 + x0**2))
    UNARY(sinh, 0.7d0, cosh(x0))
    UNARY(cosh, 0.7d0, sinh(x0))
    UNARY(tanh, 0.7d0, 1 - tanh(x0)**2)
    UNARY(asinh, 0.7d0, 1/sqrt(1 + x0**2))
    UNARY(acosh, 1.7d0, 1/sqrt(x0**2 - 1))
    UNARY(atanh, 0.7d0, 1/(1 - x0**2))
    UNARY(erf, 0.7d0, 2/sqrt(pi)*exp(-x0**2))
    UNARY(erfc, 0.7d0, -2/sqrt(pi)*exp(-x0**2))
    UNARY(erfc_scaled, 0.7d0, 2*x0*erfc_scaled(x0) - 2/sqrt(pi))
    UNARY(abs, -0.7d0, -1d0)
    UNARY(abs, 0d0, 0d0)
    x0 = 3
    call inputs(x, [x0, 1d0, 0d0])
    y = gamma(x(1))
    call expect('gamma', y, 2d0, x, [2*(1.5d0 - 0.57721566490153286d0), 0d0, 0d0], 1)
    call inputs(x, [x0, 1d0, 0d0])
    y = log_gamma(x(1)*x(2))
    call expect('log_gamma', y, log(2d0), x, [1.5d0 - 0.57721566490153286d0, 3*(1.5d0 - 0.57721566490153286d0), 0d0], MADE(1, 2))
    call inputs(x, [0.5d0, 1d0, 0d0])
    y = admpi_expm1(x(1)) + admpi_log1p(x(1)) + admpi_cbrt(x(1)) + admpi_square(x(1)) + admpi_inv_logit(0*x(1))
    call expect('beyond', y, exp(0.5d0) - 1 + log(1.5d0) + 0.5d0**(1/3d0) + 0.25d0 + 0.5d0, x, &
      [exp(0.5d0) + 1/1.5d0 + 0.5d0**(1/3d0)/1.5d0 + 1, 0d0, 0d0])
    call inputs(x, [0d0, 1d0, 2d0])
    y = admpi_Phi(x(1)) + admpi_Phi(-x(2)) + admpi_log_sum_exp(x(1), x(1)*2) + admpi_beta(x(2), x(3)) + admpi_multiply_log(3d0, x(2))
    call near(admpi_value(y), 0.5d0 + 0.15865525393145705d0 + log(2d0) + 0.5d0, 'special functions')
    call inputs(x, [2d0, 1d0, 0d0])
    y = admpi_polygamma(1, x(1)) - admpi_trigamma(x(1))
    call expect('polygamma', y, 0d0, x, [0d0, 0d0, 0d0])
  end subroutine

  subroutine test_binary()
    type(admpi_var) :: x(3), y
    real(8) :: a, b
    BINARY(atan2, 0.5d0, 1.5d0, b/(a*a + b*b), -a/(a*a + b*b))
    BINARY(hypot, 3d0, 4d0, a/hypot(a, b), b/hypot(a, b))
    BINARY(mod, 7.5d0, 2d0, 1d0, -3d0)
    BINARY(mod, -7.5d0, 2d0, 1d0, 3d0)
    BINARY(modulo, 7.5d0, 2d0, 1d0, -3d0)
    BINARY(modulo, -7.5d0, 2d0, 1d0, 4d0)
    BINARY(dim, 3d0, 2d0, 1d0, -1d0)
    BINARY(dim, 2d0, 3d0, 0d0, 0d0)
    call inputs(x, [3d0, -2d0, 1d0])
    y = sign(x(1), x(2))
    call expect('sign vv', y, -3d0, x, [-1d0, 0d0, 0d0], 1)
    call inputs(x, [3d0, -2d0, 1d0])
    y = sign(x(1)*x(3), x(2)*x(3))
    call expect('sign ee', y, -3d0, x, [-1d0, 0d0, -3d0], MADE(1, 3))
    call inputs(x, [3d0, -2d0, 1d0])
    y = sign(2d0, x(2))
    call expect('sign dv', y, -2d0, x, [0d0, 0d0, 0d0], 0)
  end subroutine

  ! One statement, rounded once.
  subroutine test_fma()
    type(admpi_var) :: x(3), y, z(2)
    real(8), parameter :: a = 1 + epsilon(1d0), b = 1 - epsilon(1d0)
    call inputs(x, [a, b, -1d0])
    y = admpi_fma(x(1), x(2), x(3))
    call expect('fma', y, -epsilon(1d0)**2, x, [b, a, 1d0], 1)
    if (admpi_value(y) /= -epsilon(1d0)**2) call fail('fma is rounded twice')
    call inputs(x, [2d0, 3d0, 5d0])
    y = admpi_fma(x(1)*x(2), x(2), 1d0) + admpi_fma(2d0, x(3), x(1)*x(3)) + admpi_fma(2d0, 3d0, x(1)) + admpi_fma(x(1), 7d0, x(2))
    call expect('fma of other kinds', y, 19d0 + 20d0 + 8d0 + 17d0, x, [9d0 + 5 + 1 + 7, 12d0 + 1, 4d0])
    call inputs(x, [2d0, 3d0, 5d0])
    z = admpi_fma(x(1:2), x(2:3), x(3)*x(1))
    y = z(1) + 2*z(2)
    call expect('fma of arrays', y, 16d0 + 50d0, x, [3d0 + 15, 2d0 + 10, 6d0 + 6])
  end subroutine

  subroutine test_powers()
    type(admpi_var) :: x(1), y
    integer :: i
    real(8) :: d
    do i = -3, 5
      call inputs(x, [1.7d0])
      y = x(1)**i
      d = i*1.7d0**(i - 1)
      call expect('power', y, 1.7d0**i, x, [d], 1)
      call inputs(x, [1.7d0])
      y = (x(1) + 0)**int(i, 8)
      call expect('power of an expression', y, 1.7d0**i, x, [d], MADE(1, 2))
    end do
    call inputs(x, [0d0])
    y = x(1)**0
    call expect('0**0', y, 1d0, x, [0d0])
    call inputs(x, [0d0])
    y = x(1)**1
    call expect('0**1', y, 0d0, x, [1d0])
    call inputs(x, [-2d0])
    y = x(1)**3
    call expect('(-2)**3', y, -8d0, x, [12d0])
  end subroutine

  ! One of the operands: nothing is recorded of variables.
  subroutine test_choices()
    type(admpi_var) :: x(4), y
    call inputs(x, [1d0, 3d0, 2d0, 3d0])
    y = max(x(1), x(2))
    call expect('max', y, 3d0, x, [0d0, 1d0, 0d0, 0d0], 0)
    call inputs(x, [1d0, 3d0, 2d0, 3d0])
    y = max(x(1), x(2), x(3), x(4))
    call expect('max of four: the first of equals', y, 3d0, x, [0d0, 1d0, 0d0, 0d0], 0)
    call inputs(x, [1d0, 3d0, 2d0, 3d0])
    y = min(x(2), x(3), x(4), x(1), x(2), x(3), x(4), x(2))
    call expect('min of eight', y, 1d0, x, [1d0, 0d0, 0d0, 0d0], 0)
    call inputs(x, [1d0, 3d0, 2d0, 3d0])
    y = max(x(1)*x(2), 2d0, x(3)) + min(4.5d0, x(3)*x(3))
    call expect('max and min of expressions', y, 7d0, x, [3d0, 1d0, 4d0, 0d0])
    call inputs(x, [1d0, 3d0, 2d0, 3d0])
    y = max(0d0, x(1)*x(2), x(3), 2.5d0) + min(x(1)*x(2), 9d0, 8d0, x(4)) + max(1d0, 2d0, 3d0, x(2)*x(2))
    call expect('max and min of four kinds', y, 15d0, x, [6d0, 8d0, 0d0, 0d0])
    call inputs(x, [1d0, 3d0, 2d0, 3d0])
    y = max(x(1), 2d0)
    call expect('max with a number', y, 2d0, x, [0d0, 0d0, 0d0, 0d0], 0)
  end subroutine

  subroutine test_conversions()
    type(admpi_var) :: x(2), y
    real(8), parameter :: v = -2.5d0
    call inputs(x, [v, 1d0])
    if (int(x(1)) /= int(v) .or. nint(x(1)) /= nint(v) .or. floor(x(1)) /= floor(v) .or. ceiling(x(1)) /= ceiling(v)) &
      call fail('integers')
    if (int(x(1)*x(2)) /= int(v) .or. nint(x(1)*x(2)) /= nint(v) .or. floor(x(1)*x(2)) /= floor(v)) &
      call fail('integers of expressions')
    if (aint(x(1)) /= aint(v) .or. anint(x(1)*x(2)) /= anint(v)) call fail('aint, anint')
    if (isnan(x(1)) .or. isnan(x(1)*x(2)) .or. .not. isnan(sqrt(x(1)))) call fail('isnan')
    if (epsilon(x(1)) /= epsilon(v) .or. huge(x(1)) /= huge(v) .or. tiny(x(1)) /= tiny(v)) call fail('epsilon')
    if (admpi_value(x(1)*x(2)) /= v .or. admpi_value(v) /= v) call fail('admpi_value')
    if (real(x(1)) /= v .or. real(x(1), 8) /= v .or. dble(x(1)*x(2)) /= v .or. real(x(1)*x(2), 4) /= v .or. real(x(1), kind=4) /= v) call fail('real')
    call equal(admpi_live_expressions(), 0, 'conversions: live expressions')
    call inputs(x, [v, 1d0])
    y = 2*dble(x(1)) + real(x(1)*x(2), kind=8)*real(x(2))
    call expect('real and dble keep the derivative', y, 3*v, x, [3d0, 2*v])
    x(1) = 3
    x(2) = 2.5
    if (x(1) /= 3 .or. x(2) /= 2.5d0) call fail('assignment of numbers')
    x(1) = 4_8
    if (x(1) /= 4) call fail('assignment of long integers')
  end subroutine

  ! Sections, ranks, elemental assignment, and what needs no code of the module.
  subroutine test_arrays()
    type(admpi_var) :: x(6), a(2, 3), b(2, 3), y, z(2, 2, 2), line(3)
    real(8) :: expected(6)
    integer :: i
    call inputs(x, [(real(i, 8), i=1, 6)])
    a = reshape(x, [2, 3])
    b = a*a + 2d0*sin(a)
    y = sum(b(:, ::2)) + sum(transpose(a)) + merge(a(1, 1), a(2, 2), .true.)
    expected = [(2*i + 2*cos(real(i, 8)) + 1, i=1, 6)]
    expected(3:4) = 1
    expected(1) = expected(1) + 1
    call expect('sections', y, 1 + 4 + 25 + 36 + 2*(sin(1d0) + sin(2d0) + sin(5d0) + sin(6d0)) + 22d0, x, expected)
    call inputs(x, [(real(i, 8), i=1, 6)])
    x(2:6) = x(1:5)*x(2:6)
    y = x(6)
    call near(admpi_value(y), 30d0, 'overlap')
    call inputs(x, [(real(i, 8), i=1, 6)])
    z = reshape([x, x(1:2)], [2, 2, 2])
    ! gfortran evaluates the expression for all elements: what it leaves goes with the reset.
    where (z > 3d0) z = z*z
    y = sum(z)
    call tape%seed(y, 1d0)
    call tape%reverse()
    if (any(tape%adjoint(x) /= [2d0, 2d0, 1d0, 8d0, 10d0, 12d0])) call fail('where')
    call inputs(x, [(real(i, 8), i=1, 6)])
    line = cshift(x(1:3), 1)
    y = line(1) + pack_one(x)
    call expect('cshift and pack', y, 8d0, x, [0d0, 1d0, 0d0, 0d0, 0d0, 1d0])
  contains
    type(admpi_var) function pack_one(x)
      type(admpi_var), intent(in) :: x(:)
      type(admpi_var) :: packed(1)
      packed = pack(x, x > 5d0)
      pack_one = packed(1)
    end function
  end subroutine
end module

program test_functions
  use functions
  implicit none
  call begin()
  call test_unary()
  call test_binary()
  call test_fma()
  call test_powers()
  call test_choices()
  call test_conversions()
  call test_arrays()
  call finish()
end program
