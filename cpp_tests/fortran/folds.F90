#ifdef ADMPI_PLAIN_TEST
#define MADE(fused, plain) plain
#else
#define MADE(fused, plain) fused
#endif
! sum, product, maxval and the like for all ranks, with dim and mask, of variables and of expressions; dot_product and matmul.
module folds
  use check
  implicit none
contains
  subroutine test_ranks()
    type(admpi_var) :: x(128), y
    type(admpi_var) :: a2(4, 32), a3(4, 4, 8), a7(2, 2, 2, 2, 2, 2, 2), s3(4, 8), s7(2, 2, 2, 2, 2, 2), p2(32), m2(4)
    real(8) :: v(128), r3(4, 4, 8), r7(2, 2, 2, 2, 2, 2, 2), expected(128)
    integer :: i
    v = [(sin(1d0*i) + 1.5d0, i=1, 128)]
    r3 = reshape(v, [4, 4, 8])
    r7 = reshape(v, [2, 2, 2, 2, 2, 2, 2])

    call inputs(x, v)
    y = sum(x)
    call expect('sum', y, sum(v), x, [(1d0, i=1, 128)], 1)
    call inputs(x, v)
    a7 = reshape(x, [2, 2, 2, 2, 2, 2, 2])
    y = sum(a7)
    call expect('sum of rank 7', y, sum(v), x, [(1d0, i=1, 128)], 1)
    call inputs(x, v)
    a7 = reshape(x, [2, 2, 2, 2, 2, 2, 2])
    s7 = sum(a7, 4)
    call near(maxval(abs(admpi_value(s7) - sum(r7, 4))), 0d0, 'sum of rank 7 along 4')
    call equal(statements(), 64, 'sum of rank 7 along 4: statements')
    s7 = sum(a7*a7, dim=7, mask=a7 > 1d0)
    call near(maxval(abs(admpi_value(s7) - sum(r7*r7, 7, r7 > 1))), 0d0, 'masked sum of an expression of rank 7')
    s3 = maxval(reshape(x, [4, 4, 8]), 2)
    if (any(admpi_value(s3) /= maxval(r3, 2))) call fail('maxval along 2')
    s3 = minval(abs(reshape(x, [4, 4, 8])), 1)
    if (any(admpi_value(s3) /= minval(r3, 1))) call fail('minval along 1')

    call inputs(x, v)
    y = sum(x*x)
    call expect('sum of an expression', y, sum(v*v), x, 2*v, MADE(2, 129))
    call inputs(x, v)
    y = sum(x, mask=x > 1d0)
    call expect('masked sum', y, sum(v, mask=v > 1), x, merge(1d0, 0d0, v > 1), 1)
    call inputs(x, v)
    y = sum(x*x, x > 1d0)
    call expect('masked sum of an expression', y, sum(v*v, v > 1), x, merge(2*v, 0d0, v > 1))
    ! One mask for all elements.
    call inputs(x, v)
    y = sum(x, .true.) + sum(x, mask=.false.) + sum(x*x, .true.) + product(x*x, .false.)
    call expect('a sum with one mask', y, sum(v) + sum(v*v) + 1, x, 1 + 2*v)
    a3 = reshape(x, [4, 4, 8])
    s3 = sum(a3, 2, v(1) > 0)
    call near(maxval(abs(admpi_value(s3) - sum(r3, 2))), 0d0, 'sum along 2 with one mask')
    if (any(maxloc(x, .true.) /= maxloc(v)) .or. any(maxloc(a3*a3, mask=.false.) /= 0)) call fail('maxloc with one mask')
    if (any(minloc(a3, 3, .true.) /= minloc(r3, 3))) call fail('minloc along 3 with one mask')
    if (admpi_value(maxval(x, .false.)) /= -huge(1d0)) call fail('maxval without elements')
    call inputs(x, v)
    a3 = reshape(x, [4, 4, 8])
    y = sum(a3(2, :, ::3))
    call near(admpi_value(y), sum(r3(2, :, ::3)), 'sum of a section')

    expected = 0
    expected(:9) = product(v(:9))/v(:9)
    call inputs(x, v)
    y = product(x(:9))
    call expect('product', y, product(v(:9)), x, expected, 1)
    v(3) = 0
    expected = 0
    expected(3) = product(v(:2))*product(v(4:9))
    call inputs(x, v)
    y = product(x(:9))
    call expect('product with a zero', y, 0d0, x, expected, 1)
    v(3) = 1.1d0

    expected = 0
    expected(maxloc(v)) = 1
    call inputs(x, v)
    y = maxval(x)
    call expect('maxval', y, maxval(v), x, expected, 0)
    expected = 0
    expected(maxloc(v, mask=v < 2)) = 2*maxval(v, mask=v < 2)
    call inputs(x, v)
    y = maxval(x*x, mask=x < 2d0)
    call expect('masked maxval of an expression', y, maxval(v*v, mask=v < 2), x, expected)
    if (any(maxloc(x) /= maxloc(v)) .or. minloc(x*x, 1) /= minloc(v*v, 1)) call fail('maxloc, minloc')
    if (any(maxloc(reshape(x, [4, 4, 8]), 2) /= maxloc(r3, 2))) call fail('maxloc along 2')
    if (any(minloc(reshape(x, [4, 4, 8]), 3, reshape(x, [4, 4, 8]) > 1d0) /= minloc(r3, 3, r3 > 1))) call fail('masked minloc')

    call inputs(x, v)
    y = norm2(x)
    call expect('norm2', y, norm2(v), x, v/norm2(v), 1)
    call inputs(x, 0*v)
    y = norm2(x - 0d0*x)
    call expect('norm2 of zeros', y, 0d0, x, 0*v)

    call inputs(x, v)
    a2 = reshape(x, [4, 32])
    p2 = product(a2, 1)
    m2 = sum(a2, 2, a2 > 1d0)
    call near(maxval(abs(admpi_value(p2) - product(reshape(v, [4, 32]), 1))), 0d0, 'product along 1')
    y = sum(a2(:, :0)) + product(a2(:, :0))
    call near(admpi_value(y), 1d0, 'of nothing')
    if (admpi_value(maxval(x(:0))) /= -huge(1d0)) call fail('maxval of nothing')
    call equal(admpi_live_expressions(), 0, 'folds: live expressions')
  end subroutine

  subroutine test_products()
    type(admpi_var) :: x(24), y, a(3, 4), b(4, 3), c(3, 3)
    real(8) :: v(24), ra(3, 4), rb(4, 3), g(24)
    integer :: i
    v = [(cos(1d0*i), i=1, 24)]
    ra = reshape(v(:12), [3, 4])
    rb = reshape(v(13:), [4, 3])
    call inputs(x, v)
    y = dot_product(x(:12), x(13:))
    call expect('dot_product vv', y, dot_product(v(:12), v(13:)), x, [v(13:), v(:12)], 1)
    call inputs(x, v)
    y = dot_product(x(:12), x(:12))
    call expect('dot_product of itself', y, dot_product(v(:12), v(:12)), x, [2*v(:12), 0*v(13:)], 1)
    call inputs(x, v)
    y = dot_product(v, x) + dot_product(x, v)
    call expect('dot_product dv, vd', y, 2*dot_product(v, v), x, 2*v)
    call inputs(x, v)
    y = dot_product(2*x, v) + dot_product(v, x*x) + dot_product(x*x, x)
    call expect('dot_product of expressions', y, 2*dot_product(v, v) + 2*sum(v**3), x, 2*v + 2*v*v + 3*v*v)

    call inputs(x, v)
    a = reshape(x(:12), [3, 4])
    b = reshape(x(13:), [4, 3])
    c = matmul(a, b)
    call equal(statements(), 9, 'matmul: statements')
    call near(maxval(abs(admpi_value(c) - matmul(ra, rb))), 0d0, 'matmul')
    y = sum(c)
    g(:12) = reshape(spread(sum(rb, 2), 1, 3), [12])
    g(13:) = reshape(spread(sum(ra, 1), 2, 3), [12])
    call expect('matmul vv', y, sum(matmul(ra, rb)), x, g)
    call inputs(x, v)
    a = reshape(x(:12), [3, 4])
    b = reshape(x(13:), [4, 3])
    y = sum(matmul(a, rb) + matmul(ra, b) + matmul(ra, b*1d0))
    g(13:) = 2*g(13:)
    call expect('matmul vd, dv, de', y, 3*sum(matmul(ra, rb)), x, g)
    call inputs(x, v)
    a = reshape(x(:12), [3, 4])
    y = sum(matmul(a, v(:4))) + sum(matmul(v(:3), a)) + sum(matmul(a, x(13:16))) + sum(matmul(x(13:15), a))
    call near(admpi_value(y), sum(matmul(ra, v(:4))) + sum(matmul(v(:3), ra)) + sum(matmul(ra, v(13:16))) &
      + sum(matmul(v(13:15), ra)), 'matmul with vectors')
  end subroutine

  ! One statement for each 254 operands.
  subroutine test_long()
    integer, parameter :: n = 100000
    type(admpi_var), allocatable :: x(:)
    type(admpi_var) :: y
    real(8), allocatable :: v(:)
    integer :: i
    allocate (x(n), v(n))
    v = [(1d0/i, i=1, n)]
    call inputs(x, v)
    y = sum(x)
    call expect('a long sum', y, sum(v), x, [(1d0, i=1, n)], 396, tolerance=1d-13)
    call inputs(x, v)
    y = sum(x*x)
    call expect('a long sum of expressions', y, sum(v*v), x, 2*v, MADE(794, n + 396), tolerance=1d-13)
    call inputs(x, v)
    y = sum(sin(x) + x*x - 3d0)
    call near(admpi_value(y), sum(sin(v) + v*v - 3), 'a long sum of larger expressions', 1d-10)
    call equal(admpi_live_expressions(), 0, 'long sums: live expressions')
    call inputs(x, v)
    y = dot_product(x, x)
    call expect('a long dot_product', y, sum(v*v), x, 2*v, tolerance=1d-13)
    call inputs(x, v)
    y = norm2(x)
    call expect('a long norm2', y, norm2(v), x, v/norm2(v))
  end subroutine
end module

program test_folds
  use folds
  implicit none
  call begin()
  call test_ranks()
  call test_products()
  call test_long()
  call finish()
end program
