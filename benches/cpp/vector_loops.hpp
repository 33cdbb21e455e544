// The best code that gcc makes of plain loops over elementary functions: compiled with -O3 -ffast-math -mavx2 -mfma, which calls
// libmvec.
#ifndef ADMPI_BENCH_VECTOR_LOOPS_HPP
#define ADMPI_BENCH_VECTOR_LOOPS_HPP

#include <cstdint>

/// Whether they were compiled so, and the machine can.
bool has_vector_loops();

double vector_sum_of_exp(const double *x, std::int64_t n);

#define VECTOR_LOOPS(F)                                                                                              \
  F(exp) F(exp2) F(expm1) F(log) F(log2) F(log10) F(log1p) F(sin) F(cos) F(tan) F(asin) F(acos) F(atan) F(sinh) F(cosh) \
  F(tanh) F(asinh) F(atanh) F(cbrt) F(erf) F(erfc)
#define VECTOR_LOOP(name) void vector_##name(std::int64_t n, const double *x, double *y);
VECTOR_LOOPS(VECTOR_LOOP)
#undef VECTOR_LOOP

#define VECTOR_LOOPS_OF_PAIRS(F) F(pow) F(hypot) F(atan2)
#define VECTOR_LOOP(name) void vector_##name(std::int64_t n, const double *x1, const double *x2, double *y);
VECTOR_LOOPS_OF_PAIRS(VECTOR_LOOP)
#undef VECTOR_LOOP

#endif
