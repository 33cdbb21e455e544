// The sum of exp over a vector, by the best code that gcc makes of a plain loop: compiled with -O3 -ffast-math -mavx2 -mfma,
// which calls libmvec.
#ifndef ADMPI_BENCH_VECTOR_EXP_HPP
#define ADMPI_BENCH_VECTOR_EXP_HPP

#include <cstdint>

/// Whether it was compiled so, and the machine can.
bool has_vector_exp();

double vector_sum_of_exp(const double *x, std::int64_t n);

#endif
