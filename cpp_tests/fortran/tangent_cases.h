! y(k) of u, for each type with a derivative: operators with every kind of operand, choices, folds. m and n have the type of u.
  k = 0
#define CASE k = k + 1; y(k) =
#define FOUR(op) CASE u(1) op u(2); CASE (u(1) op 2.5d0)*u(2); CASE (u(1) op 2.5)*u(2); CASE (u(1) op 3)*u(2); \
  CASE (u(1) op 3_8)*u(2); CASE (2.5d0 op u(2))*u(1); CASE (2.5 op u(2))*u(1); CASE (3 op u(2))*u(1); CASE (3_8 op u(2))*u(1)
  FOUR(+)
  FOUR(-)
  FOUR(*)
  FOUR(/)
  FOUR(**)
  CASE (-u(1))*u(1) + (+u(2))
  CASE u(1)**0 + u(1)**1 + u(1)**(-1) + u(1)**2 + u(1)**(-3)
  CASE max(u(1), u(2))*u(1) + min(u(1), 2d0, u(2)) + max(0.5d0, u(1)*u(3), u(2), 0d0) + min(9d0, 8d0, 7d0, u(1)*u(4))
  CASE max(u(1), u(2), u(3), u(4), u(5), u(6))**2 + min(u(1), u(2), u(3), u(4), u(5))**2
  CASE sign(u(1)*u(1), u(4)) + sign(u(2)*u(2), -3d0) + sign(2d0, u(1)) + mod(u(1)*u(3), u(2)) + modulo(u(4)*u(4)*u(4), u(2))
  CASE admpi_fma(u(1), u(2), u(3)) + admpi_fma(u(1), 2d0, u(3)) + admpi_fma(3d0, u(2), 1d0) + admpi_fma(2d0, 3d0, u(1)*u(1))
  CASE real(u(1), kind=8)*dble(u(2))
  CASE dim(u(1), u(4)) + atan2(u(1), u(2)) + hypot(u(1), 3d0) + erfc_scaled(u(1)) + admpi_polygamma(1, u(3))
  CASE sum(u*u) + sum(u*u, u > 1d0) + sum(u*u, mask=.true.) + sum(u*u, 1) + sum(u, .false.) + sum(u*u, 1, .true.)
  CASE product(u) + product(u, u > 0) + maxval(u*u) + minval(u*u, mask=u > 0d0) + norm2(u)
  CASE dot_product(u, u*u) + dot_product(u*u, c) + dot_product(c, u*u)
  m = reshape(u, [3, 2])
  m = m*m
  n = reshape(u(6:1:-1), [2, 3])
  CASE sum(matmul(m, n)*reshape(c9, [3, 3])) + sum(matmul(n, m)) + sum(matmul(m, reshape(c, [2, 3]))) + sum(matmul(reshape(c, [2, 3]), m))
  CASE sum(matmul(u(1:3), m)*u(1:2)) + sum(matmul(n, u(1:3))) + sum(matmul(c(:2), n)**2) + sum(matmul(m, c(:2))**2)
  CASE sum(sum(m, 1)*sum(n, 2)) + sum(product(m, 2, m > 0)) + sum(maxval(n*n, 1)) + sum(minval(m, dim=2))
  CASE sum(sin(m(2:3, :))*exp(m(1:2, :))) + sum(m(::2, 2)/n(1, :2))
#undef CASE
#undef FOUR
