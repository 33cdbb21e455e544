! Every operator for every pair of kinds, scalars and arrays: values, derivatives, statements.
#ifdef ADMPI_PLAIN_TEST
#define MADE(fused, plain) plain
#else
#define MADE(fused, plain) fused
#endif
module pairs
  use check
  implicit none
  real(8), parameter :: p = 1.25d0, q = 2.5d0
contains
  subroutine test_add()
    type(admpi_var) :: x(3), y
    real(8) :: a, b, da, db
    call inputs(x, [p, q, 1d0])
    y = x(1) + x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = 1d0
    call expect('add vv', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) + (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = 1d0
    call expect('add ve', y, a+b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = x(1) + 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('add vd', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) + 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('add vs', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) + 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('add vi', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) + 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('add vl', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) + x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = 1d0
    call expect('add ev', y, a+b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) + (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = 1d0
    call expect('add ee', y, a+b, x, [da, db, da*p + db*q], MADE(1, 3))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) + 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('add ed', y, a+b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) + 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('add es', y, a+b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) + 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('add ei', y, a+b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) + 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('add el', y, a+b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 + x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add dv', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 + (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add de', y, a+b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5 + x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add sv', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5 + (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add se', y, a+b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2 + x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add iv', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2 + (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add ie', y, a+b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2_8 + x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add lv', y, a+b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2_8 + (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = 1d0
    call expect('add le', y, a+b, x, [da, db, 0d0 + db*q], MADE(1, 2))
  end subroutine
  subroutine test_sub()
    type(admpi_var) :: x(3), y
    real(8) :: a, b, da, db
    call inputs(x, [p, q, 1d0])
    y = x(1) - x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = -1d0
    call expect('sub vv', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) - (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = -1d0
    call expect('sub ve', y, a-b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = x(1) - 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('sub vd', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) - 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('sub vs', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) - 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('sub vi', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) - 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('sub vl', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) - x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = -1d0
    call expect('sub ev', y, a-b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) - (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    db = -1d0
    call expect('sub ee', y, a-b, x, [da, db, da*p + db*q], MADE(1, 3))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) - 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('sub ed', y, a-b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) - 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1d0
    call expect('sub es', y, a-b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) - 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('sub ei', y, a-b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) - 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1d0
    call expect('sub el', y, a-b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 - x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub dv', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 - (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub de', y, a-b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5 - x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub sv', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5 - (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub se', y, a-b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2 - x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub iv', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2 - (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub ie', y, a-b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2_8 - x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub lv', y, a-b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2_8 - (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -1d0
    call expect('sub le', y, a-b, x, [da, db, 0d0 + db*q], MADE(1, 2))
  end subroutine
  subroutine test_mul()
    type(admpi_var) :: x(3), y
    real(8) :: a, b, da, db
    call inputs(x, [p, q, 1d0])
    y = x(1) * x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    db = a
    call expect('mul vv', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) * (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    db = a
    call expect('mul ve', y, a*b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = x(1) * 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    call expect('mul vd', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) * 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    call expect('mul vs', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) * 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b
    call expect('mul vi', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) * 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b
    call expect('mul vl', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) * x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    db = a
    call expect('mul ev', y, a*b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) * (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    db = a
    call expect('mul ee', y, a*b, x, [da, db, da*p + db*q], MADE(1, 3))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) * 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    call expect('mul ed', y, a*b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) * 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b
    call expect('mul es', y, a*b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) * 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b
    call expect('mul ei', y, a*b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) * 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b
    call expect('mul el', y, a*b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 * x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul dv', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 * (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul de', y, a*b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5 * x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul sv', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5 * (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul se', y, a*b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2 * x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul iv', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2 * (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul ie', y, a*b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2_8 * x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul lv', y, a*b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2_8 * (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = a
    call expect('mul le', y, a*b, x, [da, db, 0d0 + db*q], MADE(1, 2))
  end subroutine
  subroutine test_div()
    type(admpi_var) :: x(3), y
    real(8) :: a, b, da, db
    call inputs(x, [p, q, 1d0])
    y = x(1) / x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    db = -a/b**2
    call expect('div vv', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) / (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    db = -a/b**2
    call expect('div ve', y, a/b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = x(1) / 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    call expect('div vd', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) / 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    call expect('div vs', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) / 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1/b
    call expect('div vi', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) / 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1/b
    call expect('div vl', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) / x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    db = -a/b**2
    call expect('div ev', y, a/b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) / (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    db = -a/b**2
    call expect('div ee', y, a/b, x, [da, db, da*p + db*q], MADE(1, 3))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) / 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    call expect('div ed', y, a/b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) / 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = 1/b
    call expect('div es', y, a/b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) / 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1/b
    call expect('div ei', y, a/b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) / 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = 1/b
    call expect('div el', y, a/b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 / x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div dv', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 / (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div de', y, a/b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5 / x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div sv', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5 / (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div se', y, a/b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2 / x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div iv', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2 / (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div ie', y, a/b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2_8 / x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div lv', y, a/b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2_8 / (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = -a/b**2
    call expect('div le', y, a/b, x, [da, db, 0d0 + db*q], MADE(1, 2))
  end subroutine
  subroutine test_pow()
    type(admpi_var) :: x(3), y
    real(8) :: a, b, da, db
    call inputs(x, [p, q, 1d0])
    y = x(1) ** x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    db = log(a)*a**b
    call expect('pow vv', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) ** (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    db = log(a)*a**b
    call expect('pow ve', y, a**b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = x(1) ** 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow vd', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) ** 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow vs', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) ** 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow vi', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = x(1) ** 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow vl', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) ** x(2)
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    db = log(a)*a**b
    call expect('pow ev', y, a**b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) ** (x(2)*x(3))
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    db = log(a)*a**b
    call expect('pow ee', y, a**b, x, [da, db, da*p + db*q], MADE(1, 3))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) ** 2.5d0
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow ed', y, a**b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) ** 2.5
    a = 1.25d0; b = 2.5d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow es', y, a**b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) ** 3
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow ei', y, a**b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = (x(1)*x(3)) ** 3_8
    a = 1.25d0; b = 3d0
    da = 0; db = 0
    da = b*a**(b-1)
    call expect('pow el', y, a**b, x, [da, db, da*p + 0d0], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 ** x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow dv', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5d0 ** (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow de', y, a**b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2.5 ** x(2)
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow sv', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2.5 ** (x(2)*x(3))
    a = 2.5d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow se', y, a**b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2 ** x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow iv', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2 ** (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow ie', y, a**b, x, [da, db, 0d0 + db*q], MADE(1, 2))
    call inputs(x, [p, q, 1d0])
    y = 2_8 ** x(2)
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow lv', y, a**b, x, [da, db, 0d0 + 0d0], MADE(1, 1))
    call inputs(x, [p, q, 1d0])
    y = 2_8 ** (x(2)*x(3))
    a = 2d0; b = 2.5d0
    da = 0; db = 0
    db = log(a)*a**b
    call expect('pow le', y, a**b, x, [da, db, 0d0 + db*q], MADE(1, 2))
  end subroutine
  subroutine test_comparisons()
    type(admpi_var) :: x(3)
    call inputs(x, [p, q, 1d0])
    if ((x(1) == x(2)) .neqv. (1.25d0 == 2.5d0)) call fail('eq vv')
    if ((x(1) == (x(2)*x(3))) .neqv. (1.25d0 == 2.5d0)) call fail('eq ve')
    if ((x(1) == 2.5d0) .neqv. (1.25d0 == 2.5d0)) call fail('eq vd')
    if ((x(1) == 2.5) .neqv. (1.25d0 == 2.5d0)) call fail('eq vs')
    if ((x(1) == 3) .neqv. (1.25d0 == 3d0)) call fail('eq vi')
    if ((x(1) == 3_8) .neqv. (1.25d0 == 3d0)) call fail('eq vl')
    if (((x(1)*x(3)) == x(2)) .neqv. (1.25d0 == 2.5d0)) call fail('eq ev')
    if (((x(1)*x(3)) == (x(2)*x(3))) .neqv. (1.25d0 == 2.5d0)) call fail('eq ee')
    if (((x(1)*x(3)) == 2.5d0) .neqv. (1.25d0 == 2.5d0)) call fail('eq ed')
    if (((x(1)*x(3)) == 2.5) .neqv. (1.25d0 == 2.5d0)) call fail('eq es')
    if (((x(1)*x(3)) == 3) .neqv. (1.25d0 == 3d0)) call fail('eq ei')
    if (((x(1)*x(3)) == 3_8) .neqv. (1.25d0 == 3d0)) call fail('eq el')
    if ((2.5d0 == x(2)) .neqv. (2.5d0 == 2.5d0)) call fail('eq dv')
    if ((2.5d0 == (x(2)*x(3))) .neqv. (2.5d0 == 2.5d0)) call fail('eq de')
    if ((2.5 == x(2)) .neqv. (2.5d0 == 2.5d0)) call fail('eq sv')
    if ((2.5 == (x(2)*x(3))) .neqv. (2.5d0 == 2.5d0)) call fail('eq se')
    if ((2 == x(2)) .neqv. (2d0 == 2.5d0)) call fail('eq iv')
    if ((2 == (x(2)*x(3))) .neqv. (2d0 == 2.5d0)) call fail('eq ie')
    if ((2_8 == x(2)) .neqv. (2d0 == 2.5d0)) call fail('eq lv')
    if ((2_8 == (x(2)*x(3))) .neqv. (2d0 == 2.5d0)) call fail('eq le')
    if ((x(1) /= x(2)) .neqv. (1.25d0 /= 2.5d0)) call fail('ne vv')
    if ((x(1) /= (x(2)*x(3))) .neqv. (1.25d0 /= 2.5d0)) call fail('ne ve')
    if ((x(1) /= 2.5d0) .neqv. (1.25d0 /= 2.5d0)) call fail('ne vd')
    if ((x(1) /= 2.5) .neqv. (1.25d0 /= 2.5d0)) call fail('ne vs')
    if ((x(1) /= 3) .neqv. (1.25d0 /= 3d0)) call fail('ne vi')
    if ((x(1) /= 3_8) .neqv. (1.25d0 /= 3d0)) call fail('ne vl')
    if (((x(1)*x(3)) /= x(2)) .neqv. (1.25d0 /= 2.5d0)) call fail('ne ev')
    if (((x(1)*x(3)) /= (x(2)*x(3))) .neqv. (1.25d0 /= 2.5d0)) call fail('ne ee')
    if (((x(1)*x(3)) /= 2.5d0) .neqv. (1.25d0 /= 2.5d0)) call fail('ne ed')
    if (((x(1)*x(3)) /= 2.5) .neqv. (1.25d0 /= 2.5d0)) call fail('ne es')
    if (((x(1)*x(3)) /= 3) .neqv. (1.25d0 /= 3d0)) call fail('ne ei')
    if (((x(1)*x(3)) /= 3_8) .neqv. (1.25d0 /= 3d0)) call fail('ne el')
    if ((2.5d0 /= x(2)) .neqv. (2.5d0 /= 2.5d0)) call fail('ne dv')
    if ((2.5d0 /= (x(2)*x(3))) .neqv. (2.5d0 /= 2.5d0)) call fail('ne de')
    if ((2.5 /= x(2)) .neqv. (2.5d0 /= 2.5d0)) call fail('ne sv')
    if ((2.5 /= (x(2)*x(3))) .neqv. (2.5d0 /= 2.5d0)) call fail('ne se')
    if ((2 /= x(2)) .neqv. (2d0 /= 2.5d0)) call fail('ne iv')
    if ((2 /= (x(2)*x(3))) .neqv. (2d0 /= 2.5d0)) call fail('ne ie')
    if ((2_8 /= x(2)) .neqv. (2d0 /= 2.5d0)) call fail('ne lv')
    if ((2_8 /= (x(2)*x(3))) .neqv. (2d0 /= 2.5d0)) call fail('ne le')
    if ((x(1) < x(2)) .neqv. (1.25d0 < 2.5d0)) call fail('lt vv')
    if ((x(1) < (x(2)*x(3))) .neqv. (1.25d0 < 2.5d0)) call fail('lt ve')
    if ((x(1) < 2.5d0) .neqv. (1.25d0 < 2.5d0)) call fail('lt vd')
    if ((x(1) < 2.5) .neqv. (1.25d0 < 2.5d0)) call fail('lt vs')
    if ((x(1) < 3) .neqv. (1.25d0 < 3d0)) call fail('lt vi')
    if ((x(1) < 3_8) .neqv. (1.25d0 < 3d0)) call fail('lt vl')
    if (((x(1)*x(3)) < x(2)) .neqv. (1.25d0 < 2.5d0)) call fail('lt ev')
    if (((x(1)*x(3)) < (x(2)*x(3))) .neqv. (1.25d0 < 2.5d0)) call fail('lt ee')
    if (((x(1)*x(3)) < 2.5d0) .neqv. (1.25d0 < 2.5d0)) call fail('lt ed')
    if (((x(1)*x(3)) < 2.5) .neqv. (1.25d0 < 2.5d0)) call fail('lt es')
    if (((x(1)*x(3)) < 3) .neqv. (1.25d0 < 3d0)) call fail('lt ei')
    if (((x(1)*x(3)) < 3_8) .neqv. (1.25d0 < 3d0)) call fail('lt el')
    if ((2.5d0 < x(2)) .neqv. (2.5d0 < 2.5d0)) call fail('lt dv')
    if ((2.5d0 < (x(2)*x(3))) .neqv. (2.5d0 < 2.5d0)) call fail('lt de')
    if ((2.5 < x(2)) .neqv. (2.5d0 < 2.5d0)) call fail('lt sv')
    if ((2.5 < (x(2)*x(3))) .neqv. (2.5d0 < 2.5d0)) call fail('lt se')
    if ((2 < x(2)) .neqv. (2d0 < 2.5d0)) call fail('lt iv')
    if ((2 < (x(2)*x(3))) .neqv. (2d0 < 2.5d0)) call fail('lt ie')
    if ((2_8 < x(2)) .neqv. (2d0 < 2.5d0)) call fail('lt lv')
    if ((2_8 < (x(2)*x(3))) .neqv. (2d0 < 2.5d0)) call fail('lt le')
    if ((x(1) <= x(2)) .neqv. (1.25d0 <= 2.5d0)) call fail('le vv')
    if ((x(1) <= (x(2)*x(3))) .neqv. (1.25d0 <= 2.5d0)) call fail('le ve')
    if ((x(1) <= 2.5d0) .neqv. (1.25d0 <= 2.5d0)) call fail('le vd')
    if ((x(1) <= 2.5) .neqv. (1.25d0 <= 2.5d0)) call fail('le vs')
    if ((x(1) <= 3) .neqv. (1.25d0 <= 3d0)) call fail('le vi')
    if ((x(1) <= 3_8) .neqv. (1.25d0 <= 3d0)) call fail('le vl')
    if (((x(1)*x(3)) <= x(2)) .neqv. (1.25d0 <= 2.5d0)) call fail('le ev')
    if (((x(1)*x(3)) <= (x(2)*x(3))) .neqv. (1.25d0 <= 2.5d0)) call fail('le ee')
    if (((x(1)*x(3)) <= 2.5d0) .neqv. (1.25d0 <= 2.5d0)) call fail('le ed')
    if (((x(1)*x(3)) <= 2.5) .neqv. (1.25d0 <= 2.5d0)) call fail('le es')
    if (((x(1)*x(3)) <= 3) .neqv. (1.25d0 <= 3d0)) call fail('le ei')
    if (((x(1)*x(3)) <= 3_8) .neqv. (1.25d0 <= 3d0)) call fail('le el')
    if ((2.5d0 <= x(2)) .neqv. (2.5d0 <= 2.5d0)) call fail('le dv')
    if ((2.5d0 <= (x(2)*x(3))) .neqv. (2.5d0 <= 2.5d0)) call fail('le de')
    if ((2.5 <= x(2)) .neqv. (2.5d0 <= 2.5d0)) call fail('le sv')
    if ((2.5 <= (x(2)*x(3))) .neqv. (2.5d0 <= 2.5d0)) call fail('le se')
    if ((2 <= x(2)) .neqv. (2d0 <= 2.5d0)) call fail('le iv')
    if ((2 <= (x(2)*x(3))) .neqv. (2d0 <= 2.5d0)) call fail('le ie')
    if ((2_8 <= x(2)) .neqv. (2d0 <= 2.5d0)) call fail('le lv')
    if ((2_8 <= (x(2)*x(3))) .neqv. (2d0 <= 2.5d0)) call fail('le le')
    if ((x(1) > x(2)) .neqv. (1.25d0 > 2.5d0)) call fail('gt vv')
    if ((x(1) > (x(2)*x(3))) .neqv. (1.25d0 > 2.5d0)) call fail('gt ve')
    if ((x(1) > 2.5d0) .neqv. (1.25d0 > 2.5d0)) call fail('gt vd')
    if ((x(1) > 2.5) .neqv. (1.25d0 > 2.5d0)) call fail('gt vs')
    if ((x(1) > 3) .neqv. (1.25d0 > 3d0)) call fail('gt vi')
    if ((x(1) > 3_8) .neqv. (1.25d0 > 3d0)) call fail('gt vl')
    if (((x(1)*x(3)) > x(2)) .neqv. (1.25d0 > 2.5d0)) call fail('gt ev')
    if (((x(1)*x(3)) > (x(2)*x(3))) .neqv. (1.25d0 > 2.5d0)) call fail('gt ee')
    if (((x(1)*x(3)) > 2.5d0) .neqv. (1.25d0 > 2.5d0)) call fail('gt ed')
    if (((x(1)*x(3)) > 2.5) .neqv. (1.25d0 > 2.5d0)) call fail('gt es')
    if (((x(1)*x(3)) > 3) .neqv. (1.25d0 > 3d0)) call fail('gt ei')
    if (((x(1)*x(3)) > 3_8) .neqv. (1.25d0 > 3d0)) call fail('gt el')
    if ((2.5d0 > x(2)) .neqv. (2.5d0 > 2.5d0)) call fail('gt dv')
    if ((2.5d0 > (x(2)*x(3))) .neqv. (2.5d0 > 2.5d0)) call fail('gt de')
    if ((2.5 > x(2)) .neqv. (2.5d0 > 2.5d0)) call fail('gt sv')
    if ((2.5 > (x(2)*x(3))) .neqv. (2.5d0 > 2.5d0)) call fail('gt se')
    if ((2 > x(2)) .neqv. (2d0 > 2.5d0)) call fail('gt iv')
    if ((2 > (x(2)*x(3))) .neqv. (2d0 > 2.5d0)) call fail('gt ie')
    if ((2_8 > x(2)) .neqv. (2d0 > 2.5d0)) call fail('gt lv')
    if ((2_8 > (x(2)*x(3))) .neqv. (2d0 > 2.5d0)) call fail('gt le')
    if ((x(1) >= x(2)) .neqv. (1.25d0 >= 2.5d0)) call fail('ge vv')
    if ((x(1) >= (x(2)*x(3))) .neqv. (1.25d0 >= 2.5d0)) call fail('ge ve')
    if ((x(1) >= 2.5d0) .neqv. (1.25d0 >= 2.5d0)) call fail('ge vd')
    if ((x(1) >= 2.5) .neqv. (1.25d0 >= 2.5d0)) call fail('ge vs')
    if ((x(1) >= 3) .neqv. (1.25d0 >= 3d0)) call fail('ge vi')
    if ((x(1) >= 3_8) .neqv. (1.25d0 >= 3d0)) call fail('ge vl')
    if (((x(1)*x(3)) >= x(2)) .neqv. (1.25d0 >= 2.5d0)) call fail('ge ev')
    if (((x(1)*x(3)) >= (x(2)*x(3))) .neqv. (1.25d0 >= 2.5d0)) call fail('ge ee')
    if (((x(1)*x(3)) >= 2.5d0) .neqv. (1.25d0 >= 2.5d0)) call fail('ge ed')
    if (((x(1)*x(3)) >= 2.5) .neqv. (1.25d0 >= 2.5d0)) call fail('ge es')
    if (((x(1)*x(3)) >= 3) .neqv. (1.25d0 >= 3d0)) call fail('ge ei')
    if (((x(1)*x(3)) >= 3_8) .neqv. (1.25d0 >= 3d0)) call fail('ge el')
    if ((2.5d0 >= x(2)) .neqv. (2.5d0 >= 2.5d0)) call fail('ge dv')
    if ((2.5d0 >= (x(2)*x(3))) .neqv. (2.5d0 >= 2.5d0)) call fail('ge de')
    if ((2.5 >= x(2)) .neqv. (2.5d0 >= 2.5d0)) call fail('ge sv')
    if ((2.5 >= (x(2)*x(3))) .neqv. (2.5d0 >= 2.5d0)) call fail('ge se')
    if ((2 >= x(2)) .neqv. (2d0 >= 2.5d0)) call fail('ge iv')
    if ((2 >= (x(2)*x(3))) .neqv. (2d0 >= 2.5d0)) call fail('ge ie')
    if ((2_8 >= x(2)) .neqv. (2d0 >= 2.5d0)) call fail('ge lv')
    if ((2_8 >= (x(2)*x(3))) .neqv. (2d0 >= 2.5d0)) call fail('ge le')
    call equal(admpi_live_expressions(), 0, 'comparisons: live expressions')
  end subroutine
end module

program test_pairs
  use pairs
  implicit none
  call begin()
  call test_add()
  call test_sub()
  call test_mul()
  call test_div()
  call test_pow()
  call test_comparisons()
  call finish()
end program
