// The loops of expressions.F90 in C++, for the ratios.
#include <admpi.hpp>

#include <cstdint>
#include <cstdlib>

template <class Real>
static void burgers(std::int64_t n, const Real *u, double a, double b, Real *v) {
  for (std::int64_t i = 1; i < n - 1; ++i) {
    v[i] = u[i] - a * u[i] * (u[i + 1] - u[i - 1]) + b * (u[i + 1] - 2.0 * u[i] + u[i - 1]);
  }
}

extern "C" void burgers_in_cpp(std::int64_t n, const admpi::var *u, double a, double b, admpi::var *v) { burgers(n, u, a, b, v); }

extern "C" void burgers_tangents_in_cpp(std::int64_t n, const admpi::tangent<admpi::var> *u, double a, double b,
                                        admpi::tangent<admpi::var> *v) {
  burgers(n, u, a, b, v);
}

extern "C" void chain_in_cpp(std::int64_t links, admpi::var *x, const admpi::var *y, double c) {
  for (std::int64_t i = 0; i < links; ++i) {
    const admpi::var t = *x + *y;
    const admpi::var s = t * c;
    const admpi::var u = sin(s);
    *x = exp(u) - 1.0;
  }
}

static std::int32_t small_job(const admpi_var *shared, std::int64_t, const admpi_var *own, std::int64_t, const double *,
                              std::int64_t, const std::int32_t *, std::int64_t, admpi_var *y, std::int64_t, void *) {
  static_cast<admpi::var &>(*y) = static_cast<const admpi::var &>(*shared) * static_cast<const admpi::var &>(*own);
  return 0;
}

extern "C" void map_in_cpp(std::int64_t jobs, const admpi::var *shared, const admpi::var *own, admpi::var *y) {
  static std::int32_t function = -1;
  if (function < 0 && admpi_map_register("small in C++", small_job, nullptr, &function) != ADMPI_SUCCESS) std::abort();
  admpi_map_call call = {};
  call.function = function;
  call.jobs = call.n_job = call.n_y = jobs;
  call.n_shared = 1;
  call.shared = shared;
  call.job = own;
  if (admpi_map_run(nullptr, &call, y) != ADMPI_SUCCESS) std::abort();
}
