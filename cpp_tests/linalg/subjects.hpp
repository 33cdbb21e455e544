// Every function of linear algebra as a subject of tests, and what tests compare.
#ifndef ADMPI_TESTS_LINALG_SUBJECTS_HPP
#define ADMPI_TESTS_LINALG_SUBJECTS_HPP

#include <admpi/tangent_linalg.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

namespace subjects_of_linalg {

using namespace admpi;
using test::numbers;
using test::some;
using views = std::vector<view>;
using matrices = std::vector<varmat>;
using tangents = std::vector<tangent<varmat>>;

inline varmat any(std::int64_t rows, std::int64_t cols, std::int64_t from = 0) {
  return varmat(rows, cols, some(rows * cols, from).data());
}

inline varmat shifted(varmat a, double by) {
  for (std::int64_t i = 0; i < a.rows(); ++i) a(i, i) += by;
  return a;
}

inline varmat positive(std::int64_t n, std::int64_t from = 0) {
  return shifted(tcrossprod(any(n, n, from)), 0.5);
}

// What functions return, as a list of matrices.

inline matrices list(const varmat &a) { return {a}; }
inline matrices list(const var &x) { return {x.id == 0 ? varmat(1, 1, &x.value) : varmat(1, 1, &x)}; }
inline tangents list(const tangent<varmat> &a) { return {a}; }
inline tangents list(const tangent<var> &x) { return {{varmat(1, 1, &x.value), varmat(1, 1, &x.derivative)}}; }
template <class M>
std::vector<M> list(const lu_factors<M> &f) {
  return {f.l, f.u};
}
template <class M>
std::vector<M> list(const qr_factors<M> &f) {
  return {f.q, f.r};
}
template <class M>
std::vector<M> list(const eigen_pairs<M> &f) {
  return {f.values, f.vectors};
}
template <class M>
std::vector<M> list(const singular_triplets<M> &f) {
  return {f.u, f.s, f.v};
}

/// A function at a point.
struct subject {
  std::string name;
  matrices at;
  std::function<matrices(const views &)> f;
  std::function<tangents(const tangents &)> tangent_of;
};

#define SUBJECT(name, at, ...)                                                                         \
  subject {                                                                                            \
    name, at, [=](const views &x) { return list(__VA_ARGS__); }, [=](const tangents &x) { return list(__VA_ARGS__); } \
  }

inline sparse pattern() {
  // An empty row, an element twice, columns in any order.
  return sparse(4, 5, std::vector<int>{0, 3, 3, 6, 8}, std::vector<int>{4, 0, 2, 1, 1, 3, 0, 4});
}

inline views as_views(const matrices &x) { return views(x.begin(), x.end()); }

/// Columns of vectors may turn round between two points.
inline void align(matrices &y, const matrices &base) {
  for (std::size_t r = 0; r < y.size(); ++r) {
    for (std::int64_t j = 0; j < y[r].cols() && y[r].rows() > 1; ++j) {
      double along = 0.0;
      for (std::int64_t i = 0; i < y[r].rows(); ++i) along += y[r](i, j).value * base[r](i, j).value;
      for (std::int64_t i = 0; i < y[r].rows() && along < 0.0; ++i) y[r](i, j) = -y[r](i, j);
    }
  }
}

/// The weights of the results of a subject.
inline numbers weights(std::size_t result, std::int64_t n, int direction = 0) {
  return some(n, 300 + 40 * static_cast<std::int64_t>(result) + 11 * direction);
}

inline double weighted(const matrices &y) {
  double total = 0.0;
  for (std::size_t r = 0; r < y.size(); ++r) {
    const numbers value = y[r].values(), weight = weights(r, y[r].size());
    for (std::size_t k = 0; k < value.size(); ++k) total += weight[k] * value[k];
  }
  return total;
}

inline varmat moved(const varmat &a, std::int64_t k, double by) {
  numbers x = a.values();
  x[static_cast<std::size_t>(k)] += by;
  return varmat(a.rows(), a.cols(), x.data());
}

/// The gradient in operand p by central differences, without a tape that records.
inline numbers differences(const subject &of, std::size_t p) {
  const matrices base = of.f(as_views(of.at));
  numbers gradient;
  for (std::int64_t k = 0; k < of.at[p].size(); ++k) {
    double side[2];
    for (const int way : {0, 1}) {
      matrices x = of.at;
      x[p] = moved(x[p], k, way == 0 ? 1e-5 : -1e-5);
      matrices y = of.f(as_views(x));
      align(y, base);
      side[way] = weighted(y);
    }
    gradient.push_back((side[0] - side[1]) / 2e-5);
  }
  return gradient;
}

inline void check_close(const numbers &got, const numbers &expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  double scale = 1.0;
  for (const double x : expected) scale = std::fmax(scale, std::fabs(x));
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(got[k] - expected[k]) <= tolerance * scale);
  }
}

struct recording : test::recording_tape {
  matrices inputs(const matrices &at) {
    matrices x = at;
    for (varmat &a : x) input(a);
    return x;
  }
  void seed_results(const matrices &y, int direction = 0) {
    for (std::size_t r = 0; r < y.size(); ++r) seed(y[r], weights(r, y[r].size(), direction), direction);
  }
  std::vector<numbers> gradients(const matrices &y, const matrices &x) {
    clear_adjoints();
    seed_results(y);
    reverse();
    std::vector<numbers> all;
    for (const varmat &a : x) all.push_back(adjoints(a));
    return all;
  }
};

}  // namespace subjects_of_linalg

#endif
