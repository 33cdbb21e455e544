// A function whose Hessian is tridiagonal, for tests and benches of derivatives.
#ifndef ADMPI_TEST_CHAIN_HPP
#define ADMPI_TEST_CHAIN_HPP

#include <cstddef>
#include <vector>

namespace test {

/// Rosenbrock's function in a chain.
struct chain {
  template <class T>
  T operator()(const std::vector<T> &x) const {
    T sum = 0.0;
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const T a = x[i + 1] - x[i] * x[i], b = 1.0 - x[i];
      sum += 100.0 * a * a + b * b;
    }
    return sum;
  }
};

}  // namespace test

#endif
