/* admpi: a special function that is inline, for C and C++ alike. */
#ifndef ADMPI_NORMAL_H
#define ADMPI_NORMAL_H

#include <math.h>

/** The distribution function of the normal distribution. Beside those of admpi/special.h. */
static inline double admpi_value_Phi(double x) {
  /* The rounding error of x / sqrt(2) would grow with the square of x, so it is corrected to first order. */
  const double root = 0.707106781186547524400844, root_rest = -4.83364665672645651859358e-17;
  double z = -x * root;
  double rest = z - z == 0.0 ? fma(-x, root, -z) - x * root_rest : 0.0;
  return 0.5 * (erfc(z) - 1.12837916709551257389616 * exp(-z * z) * rest);
}

#endif
