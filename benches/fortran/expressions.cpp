// The loops of expressions.F90 in C++, for the ratios.
#include <admpi.hpp>

#include <cstdint>

extern "C" void burgers_in_cpp(std::int64_t n, const admpi::var *u, double a, double b, admpi::var *v) {
  for (std::int64_t i = 1; i < n - 1; ++i) {
    v[i] = u[i] - a * u[i] * (u[i + 1] - u[i - 1]) + b * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
  }
}

extern "C" void chain_in_cpp(std::int64_t links, admpi::var *x, const admpi::var *y, double c) {
  for (std::int64_t i = 0; i < links; ++i) {
    const admpi::var t = *x + *y;
    const admpi::var s = t * c;
    const admpi::var u = sin(s);
    *x = exp(u) - 1.0;
  }
}
