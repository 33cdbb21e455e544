// A sparse Jacobian and a sparse Hessian, from the plain function to all values: recording, pattern, colours and passes. Beside
// ADOL-C's sparse drivers, if it is installed: of each the faster of its two ways.
#include <admpi.hpp>
#include <admpi/sparsity.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#ifdef ADMPI_BENCH_ADOLC
#include <adolc/adolc.h>
#include <adolc/adolc_sparse.h>
#endif

#include "../../cpp_tests/harness/chain.hpp"
#include "bench.hpp"

using test::chain;

namespace {

constexpr int runs = 5;

/// A step of the ocean's temperature (examples_c/heat_flux/ocean.hpp) on a grid of n x n cells, periodic east-west.
struct ocean_step {
  int n;
  template <class T>
  std::vector<T> operator()(const std::vector<T> &temperature) const {
    using std::exp;
    std::vector<T> potential(temperature.size()), next(temperature.size());
    for (std::size_t k = 0; k < temperature.size(); ++k) potential[k] = exp(0.3 * (temperature[k] - 1.0));
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(std::min(std::max(i, 0), n - 1) * n + (j + n) % n); };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        next[at(i, j)] = temperature[at(i, j)] + 0.1 * (potential[at(i - 1, j)] + potential[at(i + 1, j)] + potential[at(i, j - 1)] +
                                                        potential[at(i, j + 1)] - 4.0 * potential[at(i, j)]);
    return next;
  }
};

std::vector<double> points(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.9 + 0.3 * std::sin(1.0 + static_cast<double>(i));
  return x;
}

struct figure {
  double seconds;
  std::size_t elements;
  double sum;  ///< of the values: all tools find the same
};

void print(const char *what, const char *tool, const figure &one) {
  std::printf("%-32s %-28s %9.1f ms %8zu elements, sum %.10g\n", what, tool, 1e3 * one.seconds, one.elements, one.sum);
}

template <class Run>
figure ours(Run run) {
  bench::fastest time;
  admpi::csr made;
  for (int i = 0; i < runs; ++i) time.run([&] { made = run(); });
  figure one{time.seconds(), made.value.size(), 0.0};
  for (const double value : made.value) one.sum += value;
  return one;
}

#ifdef ADMPI_BENCH_ADOLC

/// What `call(&n, &rows, &columns, &values)` makes after `record()`. A Hessian's upper triangle counts for both.
template <class Record, class Call>
figure theirs(bool is_triangle, Record record, Call call) {
  bench::fastest time;
  figure one{};
  for (int i = 0; i < runs; ++i) {
    int n = 0;
    unsigned *rows = nullptr, *columns = nullptr;
    double *values = nullptr;
    time.run([&] {
      record();
      call(&n, &rows, &columns, &values);
    });
    one = {0.0, 0, 0.0};
    for (int k = 0; k < n; ++k) {
      const bool counts_twice = is_triangle && rows[k] != columns[k];
      one.elements += counts_twice ? 2 : 1;
      one.sum += (counts_twice ? 2.0 : 1.0) * values[k];
    }
    std::free(rows);
    std::free(columns);
    std::free(values);
  }
  one.seconds = time.seconds();
  return one;
}

figure fastest_of(const figure &a, const figure &b) { return a.seconds <= b.seconds ? a : b; }

template <class F>
void record_vector(short tag, F f, const std::vector<double> &x) {
  trace_on(tag);
  std::vector<adouble> active(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) active[i] <<= x[i];
  std::vector<adouble> y = f(active);
  double value;
  for (adouble &one : y) one >>= value;
  trace_off();
}

figure their_jacobian(const ocean_step &f, const std::vector<double> &x) {
  const int n = static_cast<int>(x.size());
  const auto by = [&](int rows) {
    return theirs(false, [&] { record_vector(1, f, x); }, [&](int *count, unsigned **i, unsigned **j, double **values) {
      int options[4] = {0, 0, 0, rows};
      sparse_jac(1, n, n, 0, x.data(), count, i, j, values, options);
    });
  };
  return fastest_of(by(0), by(1));
}

figure their_hessian(const std::vector<double> &x) {
  const int n = static_cast<int>(x.size());
  const auto by = [&](int direct) {
    const auto record = [&] { record_vector(2, [](const std::vector<adouble> &all) { return std::vector<adouble>{chain()(all)}; }, x); };
    return theirs(true, record, [&](int *count, unsigned **i, unsigned **j, double **values) {
      int options[2] = {0, direct};
      sparse_hess(2, n, 0, x.data(), count, i, j, values, options);
    });
  };
  return fastest_of(by(0), by(1));
}

#endif

}  // namespace

int main() {
  const ocean_step step{100};
  const std::vector<double> x = points(10000), z = points(100000);
  const char *first = "Jacobian, ocean step, 100 x 100", *second = "Hessian, chain of 100000";
  const figure jacobian = ours([&] { return admpi::sparse_jacobian(step, x); });
  print(first, "admpi", jacobian);
  const admpi::coloured_pattern p = admpi::sparsity(step, x);
  print(first, "admpi, pattern known", ours([&] { return admpi::sparse_jacobian(step, x, p); }));
  const figure hessian = ours([&] { return admpi::sparse_hessian(chain(), z); });
  print(second, "admpi", hessian);
  const admpi::coloured_pattern q = admpi::hessian_sparsity(chain(), z);
  print(second, "admpi, pattern known", ours([&] { return admpi::sparse_hessian(chain(), z, q); }));
#ifdef ADMPI_BENCH_ADOLC
  const figure their_first = their_jacobian(step, x), their_second = their_hessian(z);
  print(first, "ADOL-C", their_first);
  print(second, "ADOL-C", their_second);
  std::printf("ADOL-C's time over admpi's: Jacobian %.1f, Hessian %.1f\n", their_first.seconds / jacobian.seconds,
              their_second.seconds / hessian.seconds);
#endif
}
