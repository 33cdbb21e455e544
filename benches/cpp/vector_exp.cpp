#include "vector_exp.hpp"

#include <cmath>

bool has_vector_exp() {
#if defined(__x86_64__) && defined(__AVX2__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

double vector_sum_of_exp(const double *x, std::int64_t n) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(x[i]);
  return sum;
}
