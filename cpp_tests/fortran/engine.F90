! How expressions become statements: joins, overlaps, temporaries that are consumed out of order, more leaves than a statement
! holds, functions that record statements of their own, recursion, recording that stops, variables that were never set.
#ifdef ADMPI_PLAIN_TEST
#define MADE(fused, plain) plain
#else
#define MADE(fused, plain) fused
#endif
module engine
  use check
  implicit none
contains
  ! A function with statements of its own.
  function inner(x) result(y)
    type(admpi_var), intent(in) :: x
    type(admpi_var) :: y, z
    z = x*x + x
    y = z*2 - sin(z)
  end function
  real(8) function inner_value(x)
    real(8), intent(in) :: x
    inner_value = 2*(x*x + x) - sin(x*x + x)
  end function
  real(8) function inner_slope(x)
    real(8), intent(in) :: x
    inner_slope = (2*x + 1)*(2 - cos(x*x + x))
  end function

  recursive function power(x, n) result(y)
    type(admpi_var), intent(in) :: x
    integer, intent(in) :: n
    type(admpi_var) :: y, half
    if (n == 1) then
      y = x
    else
      half = power(x, n/2)
      y = half*half
      if (mod(n, 2) == 1) y = y*x
    end if
  end function

  subroutine test_trees()
    type(admpi_var) :: x(4), y
    real(8), parameter :: v(4) = [1.5d0, 0.7d0, -0.3d0, 2d0]
    real(8) :: a, b, c, d
    a = v(1); b = v(2); c = v(3); d = v(4)
    call inputs(x, v)
    y = x(1)*x(2) + x(3)*x(4)
    call expect('a join', y, a*b + c*d, x, [b, a, d, c], MADE(1, 3))
    call inputs(x, v)
    y = (x(1) + x(2))*(x(3) - x(4))
    call expect('a product of sums', y, (a + b)*(c - d), x, [c - d, c - d, a + b, -a - b], MADE(1, 3))
    call inputs(x, v)
    y = x(1) - (x(2) - (x(3) - (x(4) - x(1))))
    call expect('to the right', y, a - (b - (c - (d - a))), x, [2d0, -1d0, 1d0, -1d0], MADE(1, 4))
    call inputs(x, v)
    y = x(1)/(x(2)*x(1) + x(4)**2) - sin(x(1)*x(2))**2/exp(x(3))
    call expect('mixed', y, a/(b*a + d**2) - sin(a*b)**2/exp(c), x, [ &
      d**2/(b*a + d**2)**2 - 2*sin(a*b)*cos(a*b)*b/exp(c), -a*a/(b*a + d**2)**2 - 2*sin(a*b)*cos(a*b)*a/exp(c), &
      sin(a*b)**2/exp(c), -2*a*d/(b*a + d**2)**2], MADE(1, 10))
    call inputs(x, v)
    y = -(-x(1)) + (+x(2)) - (+(x(3)*2))
    call expect('signs', y, a + b - 2*c, x, [1d0, 1d0, -2d0, 0d0])
    call inputs(x, v)
    y = 3*(x(1)*0d0 + 2) - x(1)*x(1)*x(1)
    call expect('repeated leaves', y, 6 - a**3, x, [-3*a*a, 0d0, 0d0, 0d0])
    call inputs(x, v)
    x(1) = x(1)*x(1) + x(1)
    y = x(1)
    call near(admpi_value(y), a*a + a, 'itself')
    call inputs(x, v)
    y = inner(x(1))*inner(x(2)) + x(3)*inner(admpi_var(x(1)*x(2)))*x(4)
    call expect('functions', y, inner_value(a)*inner_value(b) + c*inner_value(a*b)*d, x, [ &
      inner_slope(a)*inner_value(b) + c*d*b*inner_slope(a*b), inner_slope(b)*inner_value(a) + c*d*a*inner_slope(a*b), &
      d*inner_value(a*b), c*inner_value(a*b)], MADE(8, 20))
    call inputs(x, v)
    y = (x(1)*x(2))*inner(x(1)) - (x(3) + x(4))*inner(x(4))
    call expect('functions between', y, a*b*inner_value(a) - (c + d)*inner_value(d), x, [ &
      b*inner_value(a) + a*b*inner_slope(a), a*inner_value(a), -inner_value(d), -inner_value(d) - (c + d)*inner_slope(d)])
    call inputs(x, v)
    y = power(x(1), 13)
    call expect('recursion', y, a**13, x, [13*a**12, 0d0, 0d0, 0d0])
  end subroutine

  subroutine test_arrays()
    integer, parameter :: n = 40
    type(admpi_var) :: x(n), u(n), w(n), y
    real(8) :: v(n), r(n), g(n)
    integer :: i
    v = [(1 + 0.01d0*i, i=1, n)]
    ! Overlaps: temporaries of expressions.
    call inputs(x, v)
    u = x
    u(2:n) = u(1:n - 1)*u(2:n)
    y = sum(u)
    g = 0
    do i = 2, n
      g(i) = g(i) + v(i - 1)
      g(i - 1) = g(i - 1) + v(i)
    end do
    g(1) = g(1) + 1
    call expect('an overlap', y, v(1) + sum(v(1:n - 1)*v(2:n)), x, g)
    call inputs(x, v)
    u = x
    u(1:n - 1) = u(1:n - 1)*u(2:n) + u(1:n - 1)
    u(n:1:-1) = u*2d0
    y = u(1)
    call near(admpi_value(y), 2*v(n), 'an overlap turned round')
    ! Consumed first to last.
    call inputs(x, v)
    w = x
    y = sum(w*w) + sum(w*x*w)*2d0
    call expect('sums', y, sum(v**2) + 2*sum(v**3), x, 2*v + 6*v*v)
    call inputs(x, v)
    y = sum(x*x)*sum(x + x*x) - maxval(x*x)
    r = v + v*v
    g = 2*v*sum(r) + sum(v*v)*(1 + 2*v)
    g(n) = g(n) - 2*v(n)
    call expect('products of sums', y, sum(v*v)*sum(r) - v(n)**2, x, g)
    call inputs(x, v)
    w = [x(1)*x(2), x(2)*x(3), (x(i)*x(i + 1), i=3, n - 1), x(n)*x(1)]
    y = sum(w)
    call near(admpi_value(y), sum(v*cshift(v, 1)), 'an array constructor')
    ! Operands that are no neighbours.
    call inputs(x, v)
    w = cshift(x*x, 1) - cshift(2d0*x, 2)*cshift(x + x*x, 3)
    y = sum(w)
    g = 2*v - 2*cshift(v + v*v, 1) - 2*cshift(v, -1)*(1 + 2*v)
    call expect('shifted expressions', y, sum(cshift(v*v, 1) - cshift(2*v, 2)*cshift(v + v*v, 3)), x, g)
    call inputs(x, v)
    w = transposed(x)
    y = sum(w)
    call near(admpi_value(y), sum(v*v), 'a transposed expression')
    call equal(admpi_live_expressions(), 0, 'arrays: live expressions')
  contains
    function transposed(x) result(y)
      type(admpi_var), intent(in) :: x(:)
      type(admpi_var) :: y(size(x)), a(8, 5), b(5, 8)
      a = reshape(x, [8, 5])
      b = transpose(a*a)
      y = reshape(b, [40])
    end function
  end subroutine

  ! More leaves than a statement holds: the larger operand becomes a statement.
  subroutine test_large()
    integer, parameter :: n = 100
    type(admpi_var) :: x(n), y
    real(8) :: v(n)
    integer :: i
    v = [(cos(1d0*i), i=1, n)]
#define TEN(a) (x(a)*2d0 + x(a + 1)*x(a + 2) - x(a + 3) + x(a + 4)*x(a + 5)*3d0 + x(a + 6) + sin(x(a + 7)) - x(a + 8) + x(a + 9))
#define TEN_OF(a) (v(a)*2d0 + v(a + 1)*v(a + 2) - v(a + 3) + v(a + 4)*v(a + 5)*3d0 + v(a + 6) + sin(v(a + 7)) - v(a + 8) + v(a + 9))
#define HUNDRED (TEN(1)*TEN(11) + TEN(21)*TEN(31) + TEN(41) + TEN(51)*TEN(61) + TEN(71) + TEN(81)*TEN(91))
#define HUNDRED_OF (TEN_OF(1)*TEN_OF(11) + TEN_OF(21)*TEN_OF(31) + TEN_OF(41) + TEN_OF(51)*TEN_OF(61) + TEN_OF(71) + TEN_OF(81)*TEN_OF(91))
    call inputs(x, v)
    y = HUNDRED*HUNDRED*HUNDRED + HUNDRED
    call near(admpi_value(y), HUNDRED_OF**3 + HUNDRED_OF, 'a large expression', 1d-13)
    call tape%seed(y, 1d0)
    call tape%reverse()
    call near(tape%adjoint(x(1)), (3*HUNDRED_OF**2 + 1)*2*TEN_OF(11), 'a large expression: derivative', 1d-13)
    call near(tape%adjoint(x(100)), (3*HUNDRED_OF**2 + 1)*TEN_OF(81), 'a large expression: derivative', 1d-13)
    call near(tape%adjoint(x(45)), (3*HUNDRED_OF**2 + 1)*3*v(46), 'a large expression: derivative', 1d-13)
    ! Operand by operand.
#define TEN_ALONE(a) x(a) + x(a + 1) + x(a + 2) + x(a + 3) + x(a + 4) + x(a + 5) + x(a + 6) + x(a + 7) + x(a + 8) + x(a + 9)
#define FIFTY_ALONE(a) TEN_ALONE(a) + TEN_ALONE(a + 10) + TEN_ALONE(a + 20) + TEN_ALONE(a + 30) + TEN_ALONE(a + 40)
    call inputs(x, v)
    y = FIFTY_ALONE(1) + FIFTY_ALONE(51) + FIFTY_ALONE(1) + FIFTY_ALONE(51) + FIFTY_ALONE(1) + FIFTY_ALONE(51)
    call expect('a long expression', y, 3*sum(v), x, [(3d0, i=1, n)], MADE(2, 299))
    call equal(admpi_live_expressions(), 0, 'large: live expressions')
  end subroutine

  subroutine test_recording()
    type(admpi_var) :: x(2), y, z
    type(admpi_statistics) :: now
    call inputs(x, [2d0, 3d0])
    call tape%stop()
    y = x(1)*x(2)
    call tape%start()
    z = x(1)*x(2) + y
    call expect('what is not recorded is constant', z, 12d0, x, [3d0, 2d0], MADE(1, 2))
    call inputs(x, [2d0, 3d0])
    y = 4d0
    z = y*y + sin(y)/y - max(y, 3d0)
    call tape%statistics(now)
    call equal(int(now%statements), 0, 'passive operands: statements')
    call equal(z%id, 0, 'passive operands: id')
    call tape%deactivate()
    y = 2d0
    y = y*y + y
    call near(admpi_value(y), 6d0, 'without a tape')
    call tape%activate()
    call equal(admpi_live_expressions(), 0, 'recording: live expressions')
  end subroutine

  ! Unset halos in memory that was used before have no id.
  subroutine test_unset()
    type(admpi_var), allocatable :: u(:)
    type(admpi_var) :: x(1), y
    integer, allocatable :: garbage(:)
    integer :: i, n
    do n = 1, 3
      allocate (garbage(40000))
      garbage = 7
      deallocate (garbage)
      call inputs(x, [1d0])
      allocate (u(10000))
      do i = 2, 9999
        u(i) = x(1)*2
      end do
      y = sum(u)
      call expect('unset halos', y, 2d0*9998, x, [2d0*9998])
      deallocate (u)
    end do
  end subroutine

  ! Several directions, nests, positions, callbacks.
  subroutine test_tape()
    use, intrinsic :: iso_c_binding
    type(admpi_var) :: x(2), y(2), z, out(1)
    type(admpi_position) :: here
    type(admpi_nest) :: nest
    integer :: error
    real(8), target :: factor = 5d0
    call inputs(x, [2d0, 3d0])
    call tape%set_width(2)
    y(1) = x(1)*x(2)
    y(2) = x(1) + 4*x(2)
    call tape%seed(y(1), 1d0)
    call tape%seed(y(2), 1d0, 2)
    call tape%reverse()
    if (any(tape%adjoint(x) /= [3d0, 2d0]) .or. any(tape%adjoint(x, 2) /= [1d0, 4d0])) call fail('directions')
    call tape%seed(y(1), 1d0, 3, error)
    if (error == 0 .or. index(admpi_last_error(), 'direction') == 0) call fail('a wrong direction is no error')
    call tape%reset()
    call tape%set_width(1)
    call inputs(x, [2d0, 3d0])
    z = x(1)*x(2)
    call tape%position(here)
    call tape%start_nested(nest)
    y = x*x
    call tape%seed(y, [1d0, 1d0])
    call tape%reverse()
    call tape%recover_nested(nest)
    if (any(tape%adjoint(x) /= [4d0, 6d0])) call fail('a nest')
    y = x*z
    call tape%reset_to(here)
    call equal(statements(), 1, 'reset_to')
    call tape%clear_adjoints()
    call tape%callback(x, [10d0], scaled, c_loc(factor), out)
    call tape%precomputed(7d0, x, [1d0, 2d0], z)
    z = z + out(1)
    call tape%seed(z, 1d0)
    call tape%reverse()
    if (any(tape%adjoint(x) /= [6d0, 7d0])) call fail('a callback and a precomputed value')
    call tape%keep(z)
  end subroutine
  function scaled(n_out, n_in, width, out_adjoint, in_adjoint, payload) bind(C) result(status)
    use, intrinsic :: iso_c_binding
    integer(c_int64_t), value :: n_out, n_in
    integer(c_int32_t), value :: width
    real(c_double), intent(in) :: out_adjoint(width, n_out)
    real(c_double), intent(inout) :: in_adjoint(width, n_in)
    type(c_ptr), value :: payload
    integer(c_int32_t) :: status
    real(8), pointer :: factor
    call c_f_pointer(payload, factor)
    in_adjoint = factor*out_adjoint(1, 1)
    status = 0
  end function

  ! Value and derivatives of y, by an array and by a scalar.
  subroutine expect_both(what, y, value, x, of_x, c, of_c, tolerance)
    character(*), intent(in) :: what
    type(admpi_var), intent(in) :: y, x(:), c
    real(8), intent(in) :: value, of_x(:), of_c, tolerance
    real(8) :: got(size(x))
    integer :: i
    call near(admpi_value(y), value, what//': value', tolerance)
    call tape%seed(y, 1d0)
    call tape%reverse()
    got = tape%adjoint(x)
    do i = 1, size(x)
      call near(got(i), of_x(i), what//': by the array', tolerance)
    end do
    call near(tape%adjoint(c), of_c, what//': by the scalar', tolerance)
  end subroutine

  ! An expression that is used for each element of an array, or twice.
  subroutine test_again()
    integer, parameter :: n = 5
    type(admpi_var) :: x(n), c, u(n), y
    real(8), parameter :: v(n) = [1d0, 2d0, 3d0, 4d0, 5d0]
    real(8), parameter :: ones(n) = 1
    integer :: i, made
    call start()
    u = x*(c*3d0)
    call swept('an array times an expression', 6*sum(v), 6*ones, 3*sum(v), 1 + n)
    u = (c*3d0)*x*(c*2d0) - x/(1d0 + c*c) + (c + 1d0)
    call swept('expressions between arrays', 24*sum(v) - sum(v)/5 + 3*n, 24 - 0.2d0*ones, 24*sum(v) + 4*sum(v)/25 + n)
    u = c*c*c
    call swept('an array that is an expression', 8d0*n, 0*ones, 12d0*n, MADE(1, 2))
    u = admpi_var(c*c)*x
    call swept('recorded', 4*sum(v), 4*ones, 4*sum(v))
    u = max(x, c*1.25d0)
    call swept('the largest', 17d0, [0d0, 0d0, 1d0, 1d0, 1d0], 2.5d0)
    u = inner_of(x)*(c*3d0) + atan2(x, c*2d0)
    call swept('functions between', sum(6*[(inner_value(v(i)), i=1, n)] + atan2(v, 4d0)), &
      [(6*inner_slope(v(i)) + 4/(v(i)**2 + 16), i=1, n)], sum(3*[(inner_value(v(i)), i=1, n)] - 2*v/(v**2 + 16)))
    u = 0d0
    if (count(x > c*1.25d0) /= 3 .or. any(c*2d0 + 2d0 <= x)) call fail('comparisons with an expression')
    u = admpi_fma(x, c*c, c*3d0)
    call swept('fma', 4*sum(v) + 6*n, 4*ones, 4*sum(v) + 3*n)
    associate (z => x(1)*c)
      u(1) = z + sin(z)
      u(2) = z
      u(3) = z*z
      u(4:5) = [admpi_var(z), admpi_var(+z)]
    end associate
    call swept('an expression with a name', 2d0 + sin(2d0) + 2 + 4 + 4, [2*(1 + cos(2d0) + 1 + 4 + 2), 0d0, 0d0, 0d0, 0d0], &
      1 + cos(2d0) + 1 + 4 + 2)
#ifndef ADMPI_PLAIN_TEST
    ! What is used again long after its leaves are forgotten is an error.
    associate (z => x(1)*c)
      u(1) = z + 1d0
      do i = 1, 2000
        u(2) = (x(1) + 1d0)*c
      end do
      u(3) = z + 2d0
    end associate
    call tape%reverse(made)
    if (made == 0 .or. index(admpi_last_error(), 'used again') == 0) call fail('a late second use is no error')
    call start()
    ! So is, in checking mode, a copy.
    u = merge(x(1)*c, x(2)*c, [.true., .true., .false., .false., .true.])
    call tape%reverse(made)
    if (checks() .and. (made == 0 .or. index(admpi_last_error(), 'copies') == 0)) call fail('copies of an expression are no error')
#endif
    call tape%reset()
  contains
    subroutine start()
      call inputs(x, v)
      c = 2d0
      u = 0d0
      call tape%input(c)
    end subroutine
    subroutine swept(what, value, of_x, of_c, statements_made)
      character(*), intent(in) :: what
      real(8), intent(in) :: value, of_x(n), of_c
      integer, intent(in), optional :: statements_made
      if (present(statements_made)) call equal(statements(), statements_made, what//': statements')
      call equal(admpi_live_expressions(), 0, what//': live expressions')
      y = sum(u)
      call expect_both(what, y, value, x, of_x, c, of_c, 1d-14)
      call start()
    end subroutine
    impure elemental function inner_of(x) result(y)
      type(admpi_var), intent(in) :: x
      type(admpi_var) :: y
      y = inner(x)
    end function
    logical function checks()
      character(8) :: check
      call get_environment_variable('ADMPI_CHECK', check)
      checks = check == '1'
    end function
  end subroutine

  ! Expressions that are live for long: arrays of them, one that waits for a function of many statements, one that is used again
  ! a thousand operands later, and those that nobody uses.
  subroutine test_long_lives()
    integer, parameter :: n = 3000, rounds = 7
    type(admpi_var) :: x(n), u(n), c, y
    real(8) :: v(n), of_x(n), of_c
    integer :: i, round
    v = [(1 + 1d-3*i, i=1, n)]
    call start()
    y = 0d0
    of_x = 2*2d0*rounds*v
    of_c = rounds*sum(v**2)
    do round = 1, rounds
      y = y + sum(x*x)*c
      u(1:round) = x(1:round)*(c*3d0)
      y = y + sum(u(1:round))
      y = y + (x(round)*c)*slowly(x(1), 1000*round)
      where (v(1:100) < 1.05d0) u(1:100) = x(1:100)*c
      y = y + u(2)
      of_x(1:round) = of_x(1:round) + 6
      of_x(round) = of_x(round) + 2*v(1)
      of_x(1) = of_x(1) + 2*v(round)
      of_x(2) = of_x(2) + 2
      of_c = of_c + 3*sum(v(1:round)) + v(round)*v(1) + v(2)
    end do
    call swept('long lives', 2*of_c) ! it is linear in c
    of_x = 0
    of_x(1:3) = [4*2d0, 1d0, 1d0]
    of_c = 4*v(1)
    ! At any place of the ring of kept leaves.
    do round = 0, 1100, 37
      call start()
      u(2) = slowly(x(2), round)
      associate (z => x(1)*c)
        u(1) = z + 1d0
        u(2) = u(2) + slowly(x(3), 200)
        y = z*3d0 + u(1) + u(2)
      end associate
      call swept('a second use', 8*v(1) + 1 + v(2) + v(3))
    end do
    ! The first use comes late.
    call start()
    associate (z => x(1)*c)
      u(2) = slowly(x(2), 800)
      u(1) = z + 1d0
      u(2) = u(2) + slowly(x(3), 200)
      y = z*3d0 + u(1) + u(2)
    end associate
    call swept('a late first use', 8*v(1) + 1 + v(2) + v(3))
    ! Arrays of expressions, and scalar ones that are used for each element.
    call start()
    y = sum(x*(c*2d0) + slow_ones(x)*(c*c))
    of_x = 4 + 4
    of_c = 2*sum(v) + 4*sum(v)
    call swept('arrays', 8*sum(v))
    call equal(admpi_live_expressions(), 0, 'long lives: live expressions')
    call tape%reset()
  contains
    subroutine start()
      call inputs(x, v)
      c = 2d0
      call tape%input(c)
    end subroutine
    subroutine swept(what, value)
      character(*), intent(in) :: what
      real(8), intent(in) :: value
      call expect_both(what, y, value, x, of_x, c, of_c, 1d-13)
    end subroutine
    ! x, in steps that keep at most four leaves each.
    function slowly(x, steps) result(y)
      type(admpi_var), intent(in) :: x
      integer, intent(in) :: steps
      type(admpi_var) :: y
      integer :: i
      y = x
      do i = 1, steps
        y = (y + x)*0.5d0
      end do
    end function
    impure elemental function slow_ones(x) result(y)
      type(admpi_var), intent(in) :: x
      type(admpi_var) :: y
      y = slowly(x, 3)
    end function
  end subroutine
end module

program test_engine
  use engine
  implicit none
  call begin()
  call test_trees()
  call test_arrays()
  call test_large()
  call test_recording()
  call test_unset()
  call test_tape()
  call test_again()
  call test_long_lives()
  call finish()
end program
