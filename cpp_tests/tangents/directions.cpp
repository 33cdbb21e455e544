// Tangents in several directions: each is what tangent<double> gives along it, to the last bit.
#include <admpi.hpp>
#include <admpi/complex.hpp>
#include <admpi/derivatives.hpp>
#include <admpi/sparsity.hpp>
#include <admpi/tangent_densities.hpp>
#include <admpi/tangent_solve.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"
#include "scalars/function_lists.h"

using admpi::directions;
using admpi::tangent;

namespace {

using numbers = std::vector<double>;
constexpr double infinity = std::numeric_limits<double>::infinity();

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(const tangent<double> &a, const tangent<double> &b) { return same(a.value, b.value) && same(a.derivative, b.derivative); }

template <class T, int N>
tangent<T> in_direction(const tangent<T, N> &x, int k) {
  return {x.value, x.derivative[k]};
}

/// Numbers from 0.1 to 0.9 with directions, some of them zero.
template <int N>
std::vector<tangent<double, N>> drawn(std::mt19937 &random, std::size_t n) {
  std::vector<tangent<double, N>> x(n);
  for (auto &one : x) {
    one.value = 0.1 + 0.8 * static_cast<double>(random() % 1000) / 999.0;
    for (double &d : one.derivative) d = random() % 4 == 0 ? 0.0 : static_cast<double>(random() % 2001) / 1000.0 - 1.0;
  }
  return x;
}

/// f of `x` is, in each direction, f of tangents along it.
template <class F, int N>
void check_each(const std::string &name, F &&f, const std::vector<tangent<double, N>> &x) {
  CAPTURE(name);
  const tangent<double, N> y = f(x);
  for (int k = 0; k < N; ++k) {
    CAPTURE(k);
    std::vector<tangent<double>> along;
    for (const auto &one : x) along.push_back(in_direction(one, k));
    const tangent<double> expected = f(along);
    CHECK(same(in_direction(y, k), expected));
  }
}

template <int N>
void check_functions() {
  CAPTURE(N);
  std::mt19937 random(N);
  for (int round = 0; round < 5; ++round) {
    const auto x = drawn<N>(random, 4);
    const auto check = [&](const char *name, auto &&f) { check_each(name, f, x); };
#define CHECK_ONE(name, shift) check(#name, [](const auto &v) { return admpi::name(v[0] + (shift)); });
    TEST_OF_ONE(CHECK_ONE)
#undef CHECK_ONE
#define CHECK_TWO(name, shift)                                                         \
  check(#name, [](const auto &v) { return admpi::name(v[0] + (shift), v[1]); });       \
  check(#name " with a number", [](const auto &v) { return admpi::name(v[0] + (shift), 0.3); }); \
  check(#name " of a number", [](const auto &v) { return admpi::name(0.7 + (shift), v[1]); });
    TEST_OF_TWO(CHECK_TWO)
#undef CHECK_TWO
    check("+ - * /", [](const auto &v) { return v[0] * v[1] - v[2] / v[3] + v[0]; });
    check("numbers on the right", [](const auto &v) { return ((v[0] + 1) * 3 - 2.5f) / 7.0; });
    check("numbers on the left", [](const auto &v) { return 2.0 - 3 * (1.5 + v[0]) + 4 / v[1]; });
    check("numbers of all types", [](const auto &v) {
      auto y = v[0];
      const auto with = [&](auto n) {
        y = (y * n + n) / n - n * y + (v[1] - n) * (n - v[2]) + n / v[3] + fma(v[0], n, v[1]);
        y *= n, y /= n, y += n, y -= n;
      };
      with(2), with(3L), with(2LL), with(3U), with(std::size_t(5)), with(short(2)), with('\1'), with(true);
      with(0.5f), with(0.75), with(1.5L);
      return y + pow(v[0], 2L) + fmax(v[1], 1U);
    });
    check("signs", [](const auto &v) { return -v[0] + +v[1]; });
    check("assignments", [](const auto &v) {
      auto y = v[0];
      y += v[1];
      y *= v[2];
      y -= 0.5;
      y /= v[3];
      ++y;
      y--;
      return y += 2;
    });
    check("choices", [](const auto &v) {
      return std::max(v[0], v[1]) + std::min(v[2], 0.5) * fmax(0.4, v[3]) - fmin(v[0], v[3]) + admpi::clamp(v[1], 0.3, v[2]);
    });
    check("fma", [](const auto &v) { return fma(v[0], v[1], v[2]) + fma(v[0], 2.0, v[3]) - fma(3.0, v[1], 1.0); });
    check("hypot of three", [](const auto &v) { return hypot(v[0], v[1], 0.5); });
    check("powers of two", [](const auto &v) { return ldexp(v[0], 3) * scalbn(v[1], -2) + scalbln(v[2], 1L); });
    check("parts", [](const auto &v) {
      int exponent = 0;
      double whole = 0.0;
      return frexp(v[0] * 10.0, &exponent) + modf(v[1] * 5.0, &whole) + floor(v[2] * 3.0) + copysign(v[3], -1.0) + fabs(v[0] - 0.5);
    });
    check("in std", [](const auto &v) { return std::exp(std::sin(v[0])) + std::pow(v[1], 2) * std::sqrt(v[2]); });
    check("complex", [](const auto &v) {
      using T = std::decay_t<decltype(v[0])>;
      const std::complex<T> z(v[0], v[1]), w(v[2], v[3]);
      return (z * w / (z + 1.0) + exp(w) * sqrt(z)).imag() + abs(z) + pow(z, v[2]).real();
    });
  }
}

/// A program of many statements that its numbers choose.
template <class T>
T program(std::vector<T> v, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < 60; ++i) {
    const std::size_t a = random() % v.size(), b = random() % v.size(), to = random() % v.size();
    switch (random() % 6) {
      case 0: v[to] = v[a] * v[b] - 0.5 * v[to]; break;
      case 1: v[to] = sin(v[a]) / (2.0 + v[b] * v[b]); break;
      case 2: v[to] = v[a] < v[b] ? exp(-v[a]) : T(tanh(v[b])); break;
      case 3: v[to] += sqrt(1.0 + v[a] * v[a]) * 0.25; break;
      case 4: v[to] = atan2(v[a], 2.0 + abs(v[b])); break;
      default: v[to] = fmax(v[a], v[b]) * 0.9; break;
    }
  }
  T sum = 0.0;
  for (const T &one : v) sum += one;
  return sum;
}

template <int N>
void check_programs() {
  CAPTURE(N);
  std::mt19937 random(N + 100);
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto x = drawn<N>(random, 6);
    check_each("program", [seed](const auto &v) { return program(v, seed); }, x);
  }
}

}  // namespace

TEST_CASE("test_directions_functions") {
  check_functions<3>();
  check_functions<4>();
}

TEST_CASE("test_directions_random_programs") {
  check_programs<2>();
  check_programs<4>();
  check_programs<5>();
  check_programs<8>();
  check_programs<16>();
}

TEST_CASE("test_directions_of_zero_do_not_meet_infinite_partials") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const tangent<double, 5> x(0.0, {{0.0, 1.0, -2.0, nan, 0.0}});
  const auto y = sqrt(x);
  CHECK(y.derivative[0] == 0.0);
  CHECK(y.derivative[1] == infinity);
  CHECK(y.derivative[2] == -infinity);
  CHECK(std::isnan(y.derivative[3]));
  CHECK(y.derivative[4] == 0.0);
  CHECK(pow(x, 0.5).derivative[4] == 0.0);
}

TEST_CASE("test_directions_are_set_and_read") {
  tangent<double, 3> x = 2;
  CHECK(x.derivative[1] == 0.0);
  CHECK(x.derivative.size() == 3);
  set_derivative(x, directions<double, 3>{{1.0, 2.0, 3.0}});
  CHECK(derivative(x)[2] == 3.0);
  double sum = 0.0;
  for (const double d : (x * x).derivative) sum += d;
  CHECK(sum == 24.0);
  CHECK(admpi::value(x) == 2.0);
  CHECK(static_cast<int>(x) == 2);
  CHECK(x > 1.5);
  CHECK(std::isfinite(x));
  CHECK(std::numeric_limits<tangent<double, 3>>::max() > x);
  std::stringstream stream("7.5");
  stream >> x;
  CHECK(x == 7.5);
  CHECK(x.derivative[0] == 0.0);
  std::ostringstream out;
  out << x;
  CHECK(out.str() == "7.5");
}

TEST_CASE("test_directions_types") {
  using T = tangent<double, 3>;
  static_assert(std::is_trivially_copyable<T>::value, "copied by bytes");
  static_assert(std::is_same<tangent<double, 1>, tangent<double>>::value, "one direction is none to name");
  static_assert(!std::is_convertible<T, double>::value, "it would lose derivatives");
  static_assert(!std::is_convertible<tangent<double, 2>, T>::value, "directions do not change");
  static_assert(!std::is_constructible<T, tangent<double>>::value, "directions do not change");
  CHECK(sizeof(T) == 4 * sizeof(double));
}

TEST_CASE("test_directions_in_nests") {
  // The derivatives by x and y, and of each of these those by x, y and both.
  using inner = tangent<double, 2>;
  using outer = tangent<inner, 3>;
  outer x = inner(0.7, {{1.0, 0.0}}), y = inner(1.3, {{0.0, 1.0}});
  x.derivative[0] = 1.0;
  y.derivative[1] = 1.0;
  x.derivative[2] = 1.0;
  y.derivative[2] = 1.0;
  const outer z = x * x * sin(y) + exp(x * y);
  const double a = 0.7, b = 1.3, e = std::exp(a * b);
  const double xx = 2.0 * std::sin(b) + b * b * e, xy = 2.0 * a * std::cos(b) + (1.0 + a * b) * e, yy = -a * a * std::sin(b) + a * a * e;
  CHECK(z.derivative[0].value == doctest::Approx(2.0 * a * std::sin(b) + b * e).epsilon(1e-14));
  CHECK(z.derivative[0].derivative[0] == doctest::Approx(xx).epsilon(1e-14));
  CHECK(z.derivative[0].derivative[1] == doctest::Approx(xy).epsilon(1e-14));
  CHECK(z.derivative[1].derivative[0] == doctest::Approx(xy).epsilon(1e-14));
  CHECK(z.derivative[1].derivative[1] == doctest::Approx(yy).epsilon(1e-14));
  CHECK(z.derivative[2].derivative[0] == doctest::Approx(xx + xy).epsilon(1e-14));
  CHECK(z.derivative[2].derivative[1] == doctest::Approx(xy + yy).epsilon(1e-14));
  // In the other order.
  tangent<tangent<double>, 2> u = tangent<double>(a, 1.0), v = tangent<double>(b, 0.0);
  u.derivative[0] = 1.0;
  v.derivative[1] = 1.0;
  const auto w = u * u * sin(v) + exp(u * v);
  CHECK(w.derivative[0].derivative == doctest::Approx(xx).epsilon(1e-14));
  CHECK(w.derivative[1].derivative == doctest::Approx(xy).epsilon(1e-14));
}

TEST_CASE("test_directions_of_densities") {
  std::mt19937 random(7);
  const auto x = drawn<3>(random, 6);
  const auto part = [](const auto &v, std::size_t from, std::size_t n) {
    using T = std::decay_t<decltype(v[0])>;
    return std::vector<T>(v.begin() + static_cast<std::ptrdiff_t>(from), v.begin() + static_cast<std::ptrdiff_t>(from + n));
  };
  const auto check = [&](const char *name, auto &&f) {
    CAPTURE(std::string(name));
    const tangent<double, 3> y = f(x);
    for (int k = 0; k < 3; ++k) {
      std::vector<tangent<double>> along;
      for (const auto &one : x) along.push_back(in_direction(one, k));
      const tangent<double> expected = f(along);
      CHECK(y.value == expected.value);
      CHECK(y.derivative[k] == doctest::Approx(expected.derivative).epsilon(1e-14));
    }
  };
  check("normal", [&](const auto &v) { return normal_lpdf(part(v, 0, 3), v[3], v[4]); });
  check("normal of numbers", [&](const auto &v) { return normal_lpdf(numbers{0.5, 1.5}, v[3], 2); });
  check("student_t", [&](const auto &v) { return student_t_lpdf(part(v, 0, 2), v[2], v[3], part(v, 4, 2)); });
  check("gamma", [&](const auto &v) { return gamma_lpdf(part(v, 0, 2), v[2], v[3]); });
  check("bernoulli", [&](const auto &v) { return bernoulli_logit_lpmf(std::vector<int>{1, 0, 1}, part(v, 0, 3)); });
  check("poisson", [&](const auto &v) { return poisson_log_lpmf(std::vector<int>{3, 0, 2}, part(v, 0, 3)); });
  check("multi_normal", [&](const auto &v) {
    using T = std::decay_t<decltype(v[0])>;
    constexpr int n = std::is_same<T, tangent<double>>::value ? 1 : 3;
    const admpi::tangent_argument_of<n> sigma(2, 2, {v[4] + 1.0, v[5] * 0.2, v[5] * 0.2, v[3] + 1.0});
    return multi_normal_lpdf(part(v, 0, 2), part(v, 2, 2), sigma);
  });

  // Second derivatives, against tangents of tangents.
  using inner = tangent<double>;
  tangent<inner, 2> mu = inner(0.3, 1.0), sigma = inner(0.8, 0.5);
  mu.derivative[0] = 1.0;
  sigma.derivative[1] = 1.0;
  const auto lp = normal_lpdf(1.1, mu, sigma);
  for (int k = 0; k < 2; ++k) {
    const tangent<inner> expected = normal_lpdf(1.1, tangent<inner>(mu.value, mu.derivative[k]), tangent<inner>(sigma.value, sigma.derivative[k]));
    CHECK(lp.derivative[k].value == doctest::Approx(expected.derivative.value).epsilon(1e-14));
    CHECK(lp.derivative[k].derivative == doctest::Approx(expected.derivative.derivative).epsilon(1e-14));
  }
}

namespace {

/// The products of the elements of two operands.
struct products {
  void forward(const admpi::operation_call &c) const {
    for (int i = 0; i < 3; ++i) c.result(0).value[i] = c.operand(0).value[i] * c.operand(1).value[i];
  }
  void reverse(const admpi::operation_call &c) const {
    for (int k = 0; k < 2; ++k) {
      if (c.operand(k).adjoint == nullptr) continue;
      for (int i = 0; i < 3; ++i) c.operand(k).adjoint[i] = c.operand(1 - k).value[i] * c.result(0).adjoint[i];
    }
  }
};

}  // namespace

TEST_CASE("test_directions_of_operations") {
  std::mt19937 random(9);
  const auto a = drawn<3>(random, 3), b = drawn<3>(random, 3);
  const std::vector<admpi::tangent_argument_of<3>> operands{a, b};
  const auto y = admpi::apply_operation_along(products(), operands, {{3, 1}});
  const auto braced = admpi::apply_operation_along<3>(products(), {a, b}, {{3, 1}});
  REQUIRE(y.size() == 1);
  for (std::size_t i = 0; i < 3; ++i) {
    const tangent<double, 3> expected = a[i] * b[i];
    for (int k = 0; k < 3; ++k) {
      CHECK(y[0][i].derivative[k] == doctest::Approx(expected.derivative[k]).epsilon(1e-15));
      CHECK(braced[0][i].derivative[k] == y[0][i].derivative[k]);
    }
  }
}

TEST_CASE("test_directions_of_solutions") {
  std::mt19937 random(8);
  // (2 + p) x = b and x = cos(x) p, element by element.
  const auto solve = [](const std::vector<admpi::varmat> &p, const numbers &rhs, bool) {
    numbers x = rhs;
    const numbers q = p[0].values();
    for (std::size_t k = 0; k < x.size(); ++k) x[k] /= 2.0 + q[k];
    return x;
  };
  const auto product = [](const auto &p, auto x) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = (2.0 + p[0][k]) * x[k];
    return x;
  };
  const auto step = [](auto x, const auto &p) {
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = cos(x[k]) * p[0][k];
    return x;
  };
  const auto b = drawn<3>(random, 2), p = drawn<3>(random, 2);
  const auto x = linear_solve(b, {p}, solve, product);
  admpi::fixed_point_options exact;
  exact.tolerance = 1e-14;
  const auto z = fixed_point(step, b, {p}, exact);
  for (std::size_t i = 0; i < 2; ++i) {
    const double q = 2.0 + p[i].value, c = std::cos(z[i].value), s = std::sin(z[i].value);
    for (int k = 0; k < 3; ++k) {
      CHECK(x[i].derivative[k] == doctest::Approx((b[i].derivative[k] - x[i].value * p[i].derivative[k]) / q).epsilon(1e-13));
      CHECK(z[i].derivative[k] == doctest::Approx(c * p[i].derivative[k] / (1.0 + s * p[i].value)).epsilon(1e-11));
    }
  }
}

namespace {

template <class F>
struct counted {
  F f;
  int *calls;
  template <class X>
  auto operator()(const X &x) const {
    ++*calls;
    return f(x);
  }
};
template <class F>
counted(F, int *) -> counted<F>;

/// Takes one direction only.
struct narrow {
  int *calls;
  std::vector<tangent<double>> operator()(const std::vector<tangent<double>> &x) const {
    ++*calls;
    return f(x);
  }
  std::vector<admpi::var> operator()(const std::vector<admpi::var> &x) const { return f(x); }
  template <class X>
  static X f(const X &x) {
    X y;
    for (std::size_t i = 0; i < 200; ++i) y.push_back(x[i % x.size()] * x[(i + 1) % x.size()] * (1.0 + static_cast<double>(i)));
    return y;
  }
};

}  // namespace

TEST_CASE("test_directions_in_jacobians") {
  const numbers x{0.4, -1.2, 0.8, 1.5, 0.3, -0.6};
  const auto wide = [](const auto &v) { return narrow::f(v); };
  int calls = 0;
  const admpi::dense j = admpi::jacobian(counted{wide, &calls}, x);
  CHECK(calls == 2);  // Six inputs, four at once.
  int single = 0;
  const admpi::dense one = admpi::jacobian(narrow{&single}, x);
  CHECK(single == 6);
  REQUIRE(j.rows == 200);
  REQUIRE(j.cols == 6);
  for (std::int64_t i = 0; i < j.rows; ++i) {
    const double factor = 1.0 + static_cast<double>(i);
    const std::int64_t a = i % 6, b = (i + 1) % 6;
    for (std::int64_t k = 0; k < j.cols; ++k) {
      const double expected = k == a ? x[static_cast<std::size_t>(b)] * factor : k == b ? x[static_cast<std::size_t>(a)] * factor : 0.0;
      CHECK(j(i, k) == doctest::Approx(expected).epsilon(1e-15));
      CHECK(one(i, k) == doctest::Approx(expected).epsilon(1e-15));
    }
  }
  // One input, none, and no result.
  CHECK(admpi::jacobian([](const auto &v) { return std::decay_t<decltype(v)>{v[0] * v[0], v[0]}; }, {3.0})(0, 0) == 6.0);
  CHECK(admpi::jacobian([](const auto &v) { return v; }, {}).rows == 0);
  CHECK(admpi::jacobian([](const auto &v) { return std::decay_t<decltype(v)>(); }, {1.0, 2.0}).cols == 2);

  // A matrix of one full column: by columns, whose three colours one tangent has.
  calls = 0;
  const auto banded = [](const auto &v) {
    auto y = v;
    for (std::size_t i = 0; i < v.size(); ++i) y[i] = v[0] * v[i] + sin(v[i == 0 ? 0 : i - 1]);
    return y;
  };
  numbers at(50);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = 0.1 * static_cast<double>(i) - 2.0;
  const admpi::coloured_pattern pattern = admpi::sparsity(banded, at);
  REQUIRE(pattern.by == admpi::colour_by::columns);
  REQUIRE(pattern.colours == 3);
  const admpi::csr sparse = admpi::sparse_jacobian(counted{banded, &calls}, at, pattern);
  CHECK(calls == 1);
  const admpi::dense full = admpi::jacobian(banded, at);
  std::size_t elements = 0;
  for (std::int64_t i = 0; i < full.rows; ++i)
    for (int e = sparse.row_start[static_cast<std::size_t>(i)]; e < sparse.row_start[static_cast<std::size_t>(i) + 1]; ++e, ++elements)
      CHECK(sparse.value[static_cast<std::size_t>(e)] == doctest::Approx(full(i, sparse.column[static_cast<std::size_t>(e)])).epsilon(1e-14));
  CHECK(elements == sparse.value.size());
}
