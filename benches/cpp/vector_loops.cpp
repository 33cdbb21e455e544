#include "vector_loops.hpp"

#include <cmath>

bool has_vector_loops() {
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

#define VECTOR_LOOP(name)                                                            \
  void vector_##name(std::int64_t n, const double *__restrict x, double *__restrict y) { \
    for (std::int64_t i = 0; i < n; ++i) y[i] = std::name(x[i]);                     \
  }
VECTOR_LOOPS(VECTOR_LOOP)

#define VECTOR_LOOP_OF_PAIRS(name)                                                                                     \
  void vector_##name(std::int64_t n, const double *__restrict x1, const double *__restrict x2, double *__restrict y) { \
    for (std::int64_t i = 0; i < n; ++i) y[i] = std::name(x1[i], x2[i]);                                               \
  }
VECTOR_LOOPS_OF_PAIRS(VECTOR_LOOP_OF_PAIRS)
