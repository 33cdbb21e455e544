! y(k) of complex z and real x, active or not: operators with every kind of operand, functions, parts, folds. w, v, m and n have the
! type of z, r that of x.
  k = 0
#define CASE k = k + 1; y(k) =
#define FOUR(op) CASE z(1) op z(2); CASE z(1) op x(1); CASE x(1) op z(2); CASE z(1) op c(1); CASE c(1) op z(2); CASE z(1) op 2.5d0; \
  CASE 2.5d0 op z(2); CASE z(1) op 2.5; CASE 2.5 op z(2); CASE z(1) op 3; CASE 3 op z(2); CASE z(1) op 3_8; CASE 3_8 op z(2); \
  CASE z(1) op (1.5, 0.5); CASE (1.5, 0.5) op z(2); CASE x(1) op c(1); CASE c(1) op x(2); CASE x(1) op (1.5, 0.5); \
  CASE (1.5, 0.5) op x(2); CASE z(1) op (x(1)*x(2)); CASE (x(1)*x(2)) op z(2); CASE c(1) op (x(1)*x(2)); CASE (x(1)*x(2)) op c(2)
  FOUR(+)
  FOUR(-)
  FOUR(*)
  FOUR(/)
  FOUR(**)
  CASE z(1)**0 + z(1)**1 + z(1)**(-1) + z(2)**2 + z(3)**(-3) + x(1)*x(2)
  CASE (-z(1))*(+z(2))
  CASE exp(z(1))
  CASE log(z(2))
  CASE sqrt(z(1)) + sqrt(z(3))
  CASE sin(z(1))*cos(z(2))
  CASE tan(z(3))
  CASE sinh(z(1))*cosh(z(2))
  CASE tanh(z(3))
  CASE asin(z(1)) + asin(z(3))
  CASE acos(z(1)) + acos(z(3))
  CASE atan(z(1)) + atan(z(3))
  CASE asinh(z(1)) + asinh(z(3))
  CASE acosh(z(1)) + acosh(z(3))
  CASE atanh(z(1)) + atanh(z(3))
  CASE abs(z(1))*z(2) + abs(z(3) - z(3)) + abs(z(4))
  CASE aimag(z(1))*real(z(2))*dble(z(3)) + real(z(1), 8)*z(4) + real(z(2), kind=8)
  CASE conjg(z(1))*z(2) - conjg(z(3)*z(4))
  CASE cmplx(x(1), x(2), 8)*cmplx(x(1), 2d0, kind=8) + cmplx(2d0, x(2), 8) + cmplx(x(1), 2., 8)*cmplx(3., x(1)*x(3), 8)
  CASE cmplx(x(1), kind=8)*cmplx(x(1)*x(2), 3, 8) + cmplx(z(1), kind=8)*cmplx(2, x(3), 8) + cmplx(x(1)*x(2), x(3)*x(1), 8)
  w = x(1)
  v = x(1)*x(2)
  CASE w*v + z(1)
  w = c(2)
  v = 2.5d0
  CASE w*z(1) + v*z(2)
  w = (1.5, 0.5)
  v = 3
  CASE w*z(1) + v*z(2)
  w = 2.5
  v = 3_8
  CASE w*z(1) + v*z(2)
  r = z(1)*z(2)
  CASE r*z(3)
  CASE sum(z*z) + sum(z, real(c) > 0) + sum(z*x(1), mask=.true.) + sum(z, 1) + sum(z, .false.) + sum(z, 1, .true.)
  CASE product(z) + product(z, aimag(c) > 0) + product(z(2:1)) + product(z, 1)
  CASE dot_product(z, z*z) + dot_product(z, c) + dot_product(c, z) + dot_product(x, c) + dot_product(c, x) + dot_product(z, x)
  CASE dot_product(x, z) + dot_product(z, real(c)) + dot_product(real(c), z)
  m = reshape(z, [2, 2])
  m = m*c(1) + transpose(m)
  n = m
  CASE sum(matmul(m, n)*reshape(c, [2, 2])) + sum(matmul(m, reshape(c, [2, 2]))) + sum(matmul(reshape(c, [2, 2]), m))
  CASE sum(matmul(z(1:2), m)*c(1:2)) + sum(matmul(m, z(3:4))) + sum(matmul(reshape(x, [2, 2]), m)) + sum(matmul(m, x(1:2)))
  CASE sum(sum(m, 1)*sum(n, dim=2)) + sum(product(m, 2, .true.)) + sum(matmul(reshape(c, [2, 2]), x(:2)) + matmul(real(c(1:2)), m))
  CASE sum(exp(m(2:1:-1, :))/m(1:2, :)) + sum(m(:, 2)*n(1, :))
#undef CASE
#undef FOUR
