// Forward mode, alone, nested, and over the tape; random programs in forward and reverse mode.
#include <admpi.hpp>

#include <cmath>
#include <ostream>
#include <random>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/recording_tape.hpp"

using admpi::tangent;
using admpi::var;

namespace {

using matrix = std::vector<std::vector<double>>;

template <class T>
T rosenbrock(const std::vector<T> &x) {
  T sum = 0.0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const T a = x[i + 1] - x[i] * x[i];
    const T b = 1.0 - x[i];
    sum += 100.0 * a * a + b * b;
  }
  return sum;
}

matrix rosenbrock_hessian(const std::vector<double> &x) {
  const std::size_t n = x.size();
  matrix h(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i + 1 < n; ++i) {
    h[i][i] += 1200.0 * x[i] * x[i] - 400.0 * x[i + 1] + 2.0;
    h[i][i + 1] -= 400.0 * x[i];
    h[i + 1][i] -= 400.0 * x[i];
    h[i + 1][i + 1] += 200.0;
  }
  return h;
}

/// exp(x0 x1) sin(x2) + log(x0) / x1 + pow(x2, x0).
template <class T>
T mixed(const std::vector<T> &x) {
  using std::exp;
  using std::log;
  using std::pow;
  using std::sin;
  return exp(x[0] * x[1]) * sin(x[2]) + log(x[0]) / x[1] + pow(x[2], x[0]);
}

matrix mixed_hessian(const std::vector<double> &x) {
  const double a = x[0], b = x[1], c = x[2];
  const double e = std::exp(a * b), s = std::sin(c), k = std::cos(c), p = std::pow(c, a), l = std::log(c);
  matrix h(3, std::vector<double>(3));
  h[0][0] = b * b * e * s - 1.0 / (a * a * b) + l * l * p;
  h[0][1] = h[1][0] = (1.0 + a * b) * e * s - 1.0 / (a * b * b);
  h[0][2] = h[2][0] = b * e * k + p / c * (1.0 + a * l);
  h[1][1] = a * a * e * s + 2.0 * std::log(a) / (b * b * b);
  h[1][2] = h[2][1] = a * e * k;
  h[2][2] = -e * s + a * (a - 1.0) * p / (c * c);
  return h;
}

/// Column j of the Hessian by a sweep over forward mode.
template <class F>
matrix hessian_by_sweeps(F f, const std::vector<double> &x) {
  const std::size_t n = x.size();
  matrix h(n, std::vector<double>(n));
  for (std::size_t j = 0; j < n; ++j) {
    test::recording_tape tape;
    std::vector<tangent<var>> active(x.begin(), x.end());
    for (auto &a : active) tape.input(a.value);
    active[j].derivative = 1.0;
    const tangent<var> y = f(active);
    tape.seed(y.derivative);
    tape.reverse();
    for (std::size_t i = 0; i < n; ++i) h[i][j] = tape.adjoint(active[i].value);
  }
  return h;
}

template <class F>
matrix hessian_by_tangents(F f, const std::vector<double> &x) {
  const std::size_t n = x.size();
  matrix h(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<tangent<tangent<double>>> active(x.begin(), x.end());
      active[i].value.derivative = 1.0;
      active[j].derivative.value = 1.0;
      h[i][j] = f(active).derivative.derivative;
    }
  }
  return h;
}

void check_matrices(const matrix &got, const matrix &expected) {
  double scale = 0.0;
  for (const auto &row : expected) {
    for (const double e : row) scale = std::fmax(scale, std::fabs(e));
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (std::size_t j = 0; j < expected.size(); ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(std::fabs(got[i][j] - expected[i][j]) <= 1e-13 * scale);
    }
  }
}

/// Operations on bounded values, so that a program of any length stays finite.
template <class T>
T operation(int op, const T &a, const T &b, const T &c, double k) {
  using std::atan;
  using std::atan2;
  using std::cos;
  using std::erf;
  using std::exp;
  using std::fabs;
  using std::fma;
  using std::fmax;
  using std::fmin;
  using std::hypot;
  using std::log1p;
  using std::pow;
  using std::sin;
  using std::sqrt;
  using std::tanh;
  switch (op) {
    case 0: return 0.5 * (a + b);
    case 1: return a - k * b;
    case 2: return sin(a * b + c) - 0.3 * a * b * c * a;
    case 3: return tanh(a + 2.0 * b) * cos(c);
    case 4: return a / (1.5 + b * b) + c / (k + c * c + a * a);
    case 5: return exp(-a * a) * b + c - c * 0.5;
    case 6: return atan(a * k) + erf(b) * sqrt(1.0 + c * c);
    case 7: return fmax(a, b * c) - fmin(a, k);
    case 8: return hypot(a, 1.0 + b * b) - log1p(c * c);
    case 9: return atan2(a, 2.0 + sin(b)) + fabs(c) * k;
    case 10: return pow(1.1 + a * a, 0.3) - pow(1.0 + k, b) + fma(a, b, c * k);
    case 11: return a;
    default: {
      T x = a;
      x *= b;
      x += c;
      x -= k;
      x /= 2.0;
      return sin(x);
    }
  }
}

/// A random straight-line program of n values; the same one for every scalar type.
template <class T>
T random_program(unsigned seed, std::vector<T> v, int steps) {
  using std::tanh;
  std::mt19937 random(seed);
  const auto pick = [&](unsigned n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0; i < steps; ++i) {
    const int op = static_cast<int>(pick(13));
    const std::size_t a = pick(8), b = pick(8), c = pick(8), to = pick(8);
    const double k = 0.25 + static_cast<double>(pick(4)) / 4.0;
    v[to] = operation(op, v[a], v[b], v[c], k);
    // Bounded again, in a statement of its own.
    if (op == 1 || op == 6 || op == 8 || op == 9 || op == 10) v[to] = 2.0 * tanh(0.5 * v[to]);
  }
  T sum = 0.0;
  for (std::size_t i = 0; i < 8; ++i) sum += v[i] * (1.0 + 0.1 * static_cast<double>(i));
  return sum;
}

std::vector<double> random_start(unsigned seed) {
  std::mt19937 random(seed + 1000);
  std::vector<double> x(8);
  for (double &e : x) e = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
  return x;
}

}  // namespace

TEST_CASE("test_tangent_hessians_of_functions_with_known_ones") {
  const std::vector<double> x{-1.2, 1.0, 0.7, 1.9}, z{1.3, 0.8, 2.1};
  const auto first = [](const auto &v) { return rosenbrock(v); };
  const auto second = [](const auto &v) { return mixed(v); };
  check_matrices(hessian_by_sweeps(first, x), rosenbrock_hessian(x));
  check_matrices(hessian_by_tangents(first, x), rosenbrock_hessian(x));
  check_matrices(hessian_by_sweeps(second, z), mixed_hessian(z));
  check_matrices(hessian_by_tangents(second, z), mixed_hessian(z));
}

TEST_CASE("test_tangent_third_derivatives") {
  using T = tangent<tangent<tangent<double>>>;
  T x = 0.7;
  x.value.value.derivative = 1.0;
  x.value.derivative.value = 1.0;
  x.derivative.value.value = 1.0;
  CHECK(sin(x).derivative.derivative.derivative == doctest::Approx(-std::cos(0.7)).epsilon(1e-14));
  CHECK((x * x * x).derivative.derivative.derivative == doctest::Approx(6.0).epsilon(1e-14));
  CHECK(pow(x, 4.0).derivative.derivative.derivative == doctest::Approx(24.0 * 0.7).epsilon(1e-13));
}

TEST_CASE("test_tangent_constants_do_not_meet_infinite_partials") {
  // d/dx of 0 * x + sqrt(c) where sqrt has no slope at c = 0.
  const tangent<double> x(2.0, 1.0);
  CHECK(pow(x, 0.0).derivative == 0.0);
  CHECK((x * std::numeric_limits<double>::infinity()).derivative == std::numeric_limits<double>::infinity());
  CHECK(pow(0.0, x).derivative == 0.0);
  CHECK((5.0 / x).derivative == -1.25);
}

TEST_CASE("test_tangent_operators_of_all_mixes") {
  tangent<double> x(2.0, 1.0);
  CHECK((1 + x - 3).derivative == 1.0);
  CHECK((2 - x).derivative == -1.0);
  CHECK((x * 3 / 2.0f).derivative == 1.5);
  x += 1;
  x -= x * 0.5;
  x *= 4;
  x /= 2;
  CHECK(x.value == 3.0);
  CHECK(x.derivative == 1.0);
  ++x;
  --x;
  CHECK((+x).value == 3.0);
  CHECK((-x).derivative == -1.0);
  CHECK(x == 3);
  CHECK(2 < x);
  CHECK(x >= 3.0);
  CHECK(x != x + 1);
  CHECK(static_cast<int>(x) == 3);
  CHECK(admpi::value(x) == 3.0);
  CHECK(admpi::derivative(x) == 1.0);
  CHECK(std::isfinite(x));
  CHECK_FALSE(isnan(x));
  CHECK(std::max(x, 5.0).value == 5.0);
  CHECK(std::max(x, 5.0).derivative == 0.0);

  // An expression of var is a constant for tangent<var>.
  test::recording_tape tape;
  var a = 3.0;
  tape.input(a);
  const tangent<var> t(a, 1.0);
  const tangent<var> y = t * (a + 1.0) + a - a / t;
  CHECK(y.value.value == 14.0);
  CHECK(y.derivative.value == doctest::Approx(4.0 + 1.0 / 3.0));
  tape.seed(y.derivative);
  tape.reverse();
  // derivative = a + 1 + a / a^2 (both a are the input).
  CHECK(tape.adjoint(a) == doctest::Approx(1.0 - 1.0 / 9.0).epsilon(1e-14));
  using TT = tangent<tangent<double>>;
  const TT nested = TT(tangent<double>(2.0, 1.0), tangent<double>(1.0)) * tangent<double>(3.0, 1.0);
  CHECK(nested.value.value == 6.0);
  CHECK(nested.value.derivative == 5.0);
  CHECK(nested.derivative.value == 3.0);
  CHECK(nested.derivative.derivative == 1.0);
}

TEST_CASE("test_tangent_random_programs_agree_with_sweeps") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const std::vector<double> x = random_start(seed);
    const int steps = 20 + static_cast<int>(seed) * 5;
    test::recording_tape tape;
    std::vector<var> active(x.begin(), x.end());
    tape.input(active);
    const var y = random_program(seed, active, steps);
    REQUIRE(y.value == random_program(seed, x, steps));
    tape.seed(y);
    tape.reverse();
    std::mt19937 random(seed);
    std::vector<tangent<double>> forward(x.begin(), x.end());
    double along = 0.0, size = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      forward[i].derivative = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
      along += tape.adjoint(active[i]) * forward[i].derivative;
      size += std::fabs(tape.adjoint(active[i]) * forward[i].derivative);
    }
    const double expected = random_program(seed, forward, steps).derivative;
    CHECK(std::isfinite(expected));
    CHECK(std::fabs(along - expected) <= 1e-12 * std::fmax(size, 1e-3));
  }
}

TEST_CASE("test_tangent_random_programs_have_symmetric_hessians") {
  for (unsigned seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const std::vector<double> x = random_start(seed);
    const auto f = [seed](const auto &v) { return random_program(seed, v, 30); };
    const matrix sweeps = hessian_by_sweeps(f, x);
    check_matrices(sweeps, hessian_by_tangents(f, x));
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CHECK(sweeps[i][j] == doctest::Approx(sweeps[j][i]).epsilon(1e-10).scale(1e-3));
      }
    }
  }
}

TEST_CASE("test_tangent_types") {
  static_assert(std::is_trivially_copyable<tangent<var>>::value, "");
  static_assert(!std::is_convertible<tangent<double>, double>::value, "");
  constexpr tangent<double> x(2.0, 1.0);
  constexpr tangent<double> y = x * x + 1.0;
  static_assert(y.value == 5.0 && y.derivative == 4.0, "constant expressions");
  CHECK(y.derivative == 4.0);
}
