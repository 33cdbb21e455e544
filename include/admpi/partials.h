/* admpi: the partial derivatives of every differentiable function, written once for C and C++.
 *
 * No include guard: admpi/ops.h includes this file with the macros below set to plain functions on
 * double, admpi.hpp once more with templates on a scalar type T, so that forward mode nests over the
 * same formulas. The bodies therefore use only what double, admpi::var and admpi::tangent share.
 *
 *   ADMPI_PARTIAL(name)       dy/dx of y = name(x), from x and y
 *   ADMPI_PARTIAL_1(name)     dy/dx1 of y = name(x1, x2), from x1, x2 and y
 *   ADMPI_PARTIAL_2(name)     dy/dx2
 *   ADMPI_REAL                the scalar type
 *   ADMPI_SPECIAL(name)       a special function of that type
 *
 * Conventions where the derivative does not exist:
 *   - Where there is a subgradient, the one of least norm: abs(0) and hypot(0, 0) have derivative 0.
 *   - Where the derivative is infinite, it is infinite: sqrt(0), cbrt(0), log(0), pow(0, p) for 0 < p < 1,
 *     asin(+-1), acosh(1), atanh(+-1). A zero there would be a wrong gradient that nobody notices.
 *   - fmin and fmax: one operand takes all, the first in a tie, the one that is a number if the other is NaN.
 *     They need no partials: the result is the chosen operand.
 *   - pow(x, p) in x is p x^(p-1), and 0 for p = 0 whatever x is. In p it is log(x) x^p for x > 0 and 0 for
 *     x <= 0, where x^p is defined at isolated exponents only, or constant. For x < 0 mixed second derivatives are 0.
 *   - atan2(0, 0) has derivative 0: no direction is better than another.
 *   - fmod(x, y) and remainder(x, y): 1 in x and the integer that x / y is rounded to, negated, in y, the values
 *     between the jumps.
 *   - copysign(x, y): that of abs(x), or its negative; y counts as constant. fdim(x, x): 0, as for abs.
 *   - lgamma and its derivatives at their poles: the derivative is that of the next order there, an infinity where
 *     both sides agree on it, else NaN. The order of polygamma is an integer: it has no derivative, and 0 stands for it.
 *   - log_sum_exp of two infinities of one sign: each takes half. log_diff_exp(x, x): infinite, also where x is -inf.
 *   - multiply_log(0, 0) is 0, with derivative -inf in the first and 0 in the second.
 *   - floor, ceil, round, trunc: 0 everywhere; the result is passive.
 *   - Outside a function's domain the value is NaN and the partial is whatever its formula gives. */

ADMPI_PARTIAL(square) { return 2.0 * x; }
ADMPI_PARTIAL(inv) { return -(y * y); }
ADMPI_PARTIAL(sqrt) { return 0.5 / (y + 0.0); } /* sqrt(-0) is -0: the sum makes that +inf too */
ADMPI_PARTIAL(cbrt) { return 1.0 / (3.0 * (y * y)); }
ADMPI_PARTIAL(abs) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

ADMPI_PARTIAL(exp) { return y; }
ADMPI_PARTIAL(exp2) { return 0.693147180559945309417232 * y; }
ADMPI_PARTIAL(expm1) {
  if (y > -0.5) return y + 1.0;
  return exp(x); /* where 1 would swallow the digits */
}
ADMPI_PARTIAL(log) { return 1.0 / x; }
ADMPI_PARTIAL(log2) { return 1.44269504088896340735992 / x; }
ADMPI_PARTIAL(log10) { return 0.434294481903251827651129 / x; }
ADMPI_PARTIAL(log1p) { return 1.0 / (x + 1.0); }

ADMPI_PARTIAL(sin) { return cos(x); }
ADMPI_PARTIAL(cos) { return -sin(x); }
ADMPI_PARTIAL(tan) { return 1.0 + y * y; }
ADMPI_PARTIAL(asin) { return 1.0 / sqrt((1.0 - x) * (1.0 + x)); }
ADMPI_PARTIAL(acos) { return -1.0 / sqrt((1.0 - x) * (1.0 + x)); }
ADMPI_PARTIAL(atan) { return 1.0 / (1.0 + x * x); }

ADMPI_PARTIAL(sinh) { return cosh(x); }
ADMPI_PARTIAL(cosh) { return sinh(x); }
ADMPI_PARTIAL(tanh) {
  if (y * y < 0.5) return 1.0 - y * y;
  /* Where tanh saturates, 1 - y^2 has lost the digits. */
  ADMPI_REAL a = x;
  if (x < 0.0) a = -x;
  ADMPI_REAL e = exp(-2.0 * a);
  ADMPI_REAL c = 1.0 + e;
  return 4.0 * e / (c * c);
}
ADMPI_PARTIAL(asinh) { return 1.0 / hypot(1.0, x); } /* x^2 overflows long before 1/x vanishes */
/* Two roots: (x - 1)(x + 1) would be positive, and the derivative finite, also below -1. */
ADMPI_PARTIAL(acosh) { return 1.0 / (sqrt(x - 1.0) * sqrt(x + 1.0)); }
ADMPI_PARTIAL(atanh) { return 1.0 / ((1.0 - x) * (1.0 + x)); }

ADMPI_PARTIAL(erf) { return 1.12837916709551257389616 * exp(-(x * x)); }
ADMPI_PARTIAL(erfc) { return -1.12837916709551257389616 * exp(-(x * x)); }

ADMPI_PARTIAL_1(div) { return 1.0 / x2; }
ADMPI_PARTIAL_2(div) { return -(y / x2); } /* by 1 / x2, which may overflow, 0 would become NaN */

ADMPI_PARTIAL_1(pow) {
  if (x2 == 0.0) {
    if (x1 > 0.0) return x2 * y / x1; /* no plain zero: it changes with x2 */
    return 0.0;
  }
  ADMPI_REAL p = x2;
  if (x1 < 0.0) p = floor(x2); /* an integer there, and constant, as the derivative in it is 0 */
  /* p y / x1 saves a second power wherever y neither vanishes nor overflows: nor does the quotient of the smaller. */
  if (y * y > 0.0 && y - y == 0.0) {
    if (fabs(p) < fabs(y)) return y * (p / x1);
    return p * (y / x1);
  }
  return p * pow(x1, p - 1.0);
}
ADMPI_PARTIAL_2(pow) {
  if (x1 > 0.0) return y * log(x1);
  return 0.0;
}

ADMPI_PARTIAL_1(hypot) {
  if (y == 0.0) return 0.0;
  return x1 / y;
}
ADMPI_PARTIAL_2(hypot) {
  if (y == 0.0) return 0.0;
  return x2 / y;
}

/* Through hypot, since x1^2 + x2^2 overflows and underflows long before the angle does. */
ADMPI_PARTIAL_1(atan2) {
  if (x1 == 0.0 && x2 == 0.0) return 0.0;
  ADMPI_REAL radius = hypot(x1, x2);
  return x2 / radius / radius;
}
ADMPI_PARTIAL_2(atan2) {
  if (x1 == 0.0 && x2 == 0.0) return 0.0;
  ADMPI_REAL radius = hypot(x1, x2);
  return -(x1 / radius / radius);
}

ADMPI_PARTIAL_1(fmod) { return 1.0; }
/* (y - x1) / x2 is the integer -trunc(x1 / x2) without the quotient's wrong rounding at a jump. */
ADMPI_PARTIAL_2(fmod) { return (y - x1) / x2; }

ADMPI_PARTIAL_1(remainder) { return 1.0; }
ADMPI_PARTIAL_2(remainder) { return (y - x1) / x2; }

ADMPI_PARTIAL_1(fdim) { return x1 > x2 ? 1.0 : 0.0; }
ADMPI_PARTIAL_2(fdim) { return x1 > x2 ? -1.0 : 0.0; }

ADMPI_PARTIAL_1(copysign) { return x1 == 0.0 ? 0.0 : (x1 > 0.0) == (y > 0.0) ? 1.0 : -1.0; }

ADMPI_PARTIAL(lgamma) { return ADMPI_SPECIAL(digamma)(x); }
ADMPI_PARTIAL(tgamma) { return y * ADMPI_SPECIAL(digamma)(x); }
ADMPI_PARTIAL(digamma) { return ADMPI_SPECIAL(trigamma)(x); }
ADMPI_PARTIAL(trigamma) { return ADMPI_SPECIAL(polygamma)(2.0, x); }
ADMPI_PARTIAL_1(polygamma) { return 0.0; }
ADMPI_PARTIAL_2(polygamma) { return ADMPI_SPECIAL(polygamma)(x1 + 1.0, x2); }

ADMPI_PARTIAL_1(digamma_difference) { return ADMPI_SPECIAL(trigamma)(x1) - ADMPI_SPECIAL(trigamma)(x1 + x2); }
ADMPI_PARTIAL_2(digamma_difference) { return -ADMPI_SPECIAL(trigamma)(x1 + x2); }
ADMPI_PARTIAL_1(lbeta) { return ADMPI_SPECIAL(digamma_difference)(x1, x2); }
ADMPI_PARTIAL_2(lbeta) { return ADMPI_SPECIAL(digamma_difference)(x2, x1); }
ADMPI_PARTIAL_1(beta) { return y * ADMPI_SPECIAL(digamma_difference)(x1, x2); }
ADMPI_PARTIAL_2(beta) { return y * ADMPI_SPECIAL(digamma_difference)(x2, x1); }

ADMPI_PARTIAL(inv_logit) { return y * ADMPI_SPECIAL(inv_logit)(-x); } /* 1 - y has lost its digits for large x */
ADMPI_PARTIAL(logit) { return 1.0 / (x * (1.0 - x)); }
ADMPI_PARTIAL(log1p_exp) { return ADMPI_SPECIAL(inv_logit)(x); }
ADMPI_PARTIAL_1(log_sum_exp) {
  ADMPI_REAL d = x1 - x2;
  if (d != d && x1 == x2) return 0.5;
  return ADMPI_SPECIAL(inv_logit)(d);
}
ADMPI_PARTIAL_2(log_sum_exp) {
  ADMPI_REAL d = x2 - x1;
  if (d != d && x1 == x2) return 0.5;
  return ADMPI_SPECIAL(inv_logit)(d);
}
ADMPI_PARTIAL_1(log_diff_exp) {
  ADMPI_REAL d = x1 - x2;
  if (d != d && x1 == x2 && x1 < 0.0) return HUGE_VAL;
  return -1.0 / expm1(-d);
}
ADMPI_PARTIAL_2(log_diff_exp) {
  ADMPI_REAL d = x1 - x2;
  if (d != d && x1 == x2 && x1 < 0.0) return -HUGE_VAL;
  ADMPI_REAL e = exp(-d); /* 0, and so are its derivatives, where b is far below */
  return e / expm1(-d);
}
ADMPI_PARTIAL_1(multiply_log) { return log(x2); }
ADMPI_PARTIAL_2(multiply_log) {
  if (x1 == 0.0 && x2 == 0.0) return 0.0;
  return x1 / x2;
}

ADMPI_PARTIAL(Phi) { return 0.398942280401432677939946 * exp(-0.5 * (x * x)); }

#undef ADMPI_PARTIAL
#undef ADMPI_PARTIAL_1
#undef ADMPI_PARTIAL_2
#undef ADMPI_REAL
#undef ADMPI_SPECIAL
