// Forward mode through linear systems and fixed points by routines of the user's, against reverse sweeps, finite differences and
// each other.
#include <admpi/tangent_solve.hpp>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::tangent;
using admpi::var;
using admpi::varmat;
using test::numbers;

namespace {

constexpr std::size_t n = 4;

bool close(double got, double expected, double tolerance = 1e-12) {
  return std::fabs(got - expected) <= tolerance * (1.0 + std::fabs(expected));
}

numbers some(double from) {
  numbers all;
  for (std::size_t k = 0; k < n; ++k) all.push_back(0.5 + 0.4 * std::sin(from + 1.7 * static_cast<double>(k)));
  return all;
}

/// A(p) x = p x - x of the next but one, times the root of p there: with a diagonal that dominates, not symmetric.
const auto product = [](const auto &p, const auto &x) {
  auto y = x;
  for (std::size_t k = 0; k < n; ++k) y[k] = (3.0 + p[0][k]) * x[k] - sqrt(p[0][(k + 1) % n]) * x[(k + 1) % n] * p[1][0];
  return y;
};

numbers solve(const std::vector<varmat> &p, const numbers &rhs, bool transposed) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    const auto at = [&](std::size_t k) { return p[0].values()[k]; };
    return i == j ? 3.0 + at(i) : j == (i + 1) % n ? -std::sqrt(at(j)) * p[1].values()[0] : 0.0;
  };
  numbers x(n);  // by Jacobi's iteration
  for (int step = 0; step < 200; ++step) {
    numbers next = rhs;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (i != j) next[i] -= (transposed ? entry(j, i) : entry(i, j)) * x[j];
      }
      next[i] /= entry(i, i);
    }
    x = next;
  }
  return x;
}

/// A contraction that is not linear in anything.
const auto ring = [](const auto &x, const auto &p) {
  auto y = x;
  for (std::size_t k = 0; k < n; ++k) y[k] = 0.4 * sin(x[(k + 1) % n] * p[1][0]) + p[0][k] * exp(-0.3 * x[k] * x[k]);
  return y;
};

admpi::fixed_point_options exact() {
  admpi::fixed_point_options options;
  options.tolerance = 1e-15;
  return options;
}

/// The two as functions of b (or start), q and s, on any scalar.
struct linear {
  template <class T>
  std::vector<tangent<T>> operator()(const std::vector<std::vector<tangent<T>>> &in) const {
    return linear_solve(in[0], {in[1], in[2]}, &solve, product);
  }
  varmat operator()(const std::vector<varmat> &in) const {
    const auto of_matrices = [](const std::vector<varmat> &p, const varmat &x) {
      return varmat(product(std::vector<std::vector<var>>{p[0].vars(), p[1].vars()}, x.vars()));
    };
    return linear_solve(in[0], {in[1], in[2]}, &solve, of_matrices);
  }
};
struct fixed {
  template <class T>
  std::vector<tangent<T>> operator()(const std::vector<std::vector<tangent<T>>> &in) const {
    return fixed_point(ring, in[0], {in[1], in[2]}, exact());
  }
  varmat operator()(const std::vector<varmat> &in) const {
    const auto of_matrices = [](const varmat &x, const std::vector<varmat> &p) {
      return varmat(ring(x.vars(), std::vector<std::vector<var>>{p[0].vars(), p[1].vars()}));
    };
    return fixed_point(of_matrices, in[0], {in[1], in[2]}, exact());
  }
};

const std::vector<numbers> at{some(0.3), some(1.1), {0.7}};
const std::vector<numbers> u{some(2.0), some(4.1), {-0.9}}, v{some(5.5), some(0.2), {0.4}};
const numbers weight = some(9.0);

template <class T>
using inputs = std::vector<std::vector<tangent<T>>>;

template <class T, class X, class D>
inputs<T> with(const std::vector<X> &x, const std::vector<D> &direction) {
  inputs<T> all;
  for (std::size_t i = 0; i < x.size(); ++i) {
    all.emplace_back();
    for (std::size_t k = 0; k < x[i].size(); ++k) all.back().push_back({T(x[i][k]), T(direction[i][k])});
  }
  return all;
}

std::vector<numbers> moved(const std::vector<numbers> &x, const std::vector<numbers> &direction, double h) {
  std::vector<numbers> all = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t k = 0; k < x[i].size(); ++k) all[i][k] += h * direction[i][k];
  }
  return all;
}

/// weight . f, its gradient, and the values of f, by a sweep.
template <class F>
numbers by_sweep(F f, const std::vector<numbers> &x, std::vector<numbers> &gradient) {
  test::recording_tape tape;
  std::vector<varmat> in;
  for (const numbers &each : x) {
    in.emplace_back(each);
    tape.input(in.back());
  }
  const varmat y = f(in);
  tape.seed(y, weight);
  tape.reverse();
  for (const varmat &each : in) gradient.push_back(tape.adjoints(each));
  return y.values();
}

double dot(const std::vector<numbers> &a, const std::vector<numbers> &b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a[i].size(); ++k) sum += a[i][k] * b[i][k];
  }
  return sum;
}

template <class F>
void check_against_sweeps(F f) {
  std::vector<numbers> gradient;
  const numbers expected = by_sweep(f, at, gradient);
  const auto y = f(with<double>(at, u));
  double along = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    CHECK(close(y[k].value, expected[k]));
    along += weight[k] * y[k].derivative;
  }
  CHECK(close(along, dot(gradient, u)));
  CHECK(along != 0.0);
  // Central differences of the values, and of the derivatives.
  const double h = 1e-5;
  const auto up = f(with<double>(moved(at, v, h), u)), down = f(with<double>(moved(at, v, -h), u));
  using twice = tangent<double>;
  inputs<twice> nested;
  for (std::size_t i = 0; i < at.size(); ++i) {
    nested.emplace_back();
    for (std::size_t k = 0; k < at[i].size(); ++k) nested[i].push_back({twice(at[i][k], v[i][k]), twice(u[i][k], 0.0)});
  }
  const auto second = f(nested);
  double of_second = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    CHECK(close(second[k].value.value, expected[k]));
    CHECK(close(second[k].derivative.value, y[k].derivative));
    CHECK(close(second[k].value.derivative, (up[k].value - down[k].value) / (2.0 * h), 1e-8));
    CHECK(close(second[k].derivative.derivative, (up[k].derivative - down[k].derivative) / (2.0 * h), 1e-8));
    of_second += weight[k] * second[k].derivative.derivative;
  }
  CHECK(std::fabs(of_second) > 1e-3);
  // tangent<var>: the Hessian times u, of which v picks the same.
  test::recording_tape tape;
  std::vector<std::vector<var>> in;
  inputs<var> along_u;
  for (std::size_t i = 0; i < at.size(); ++i) {
    in.emplace_back(at[i].begin(), at[i].end());
    tape.input(in.back());
  }
  const std::vector<tangent<var>> recorded = f(with<var>(in, u));
  for (std::size_t k = 0; k < n; ++k) {
    CHECK(close(recorded[k].derivative.value, y[k].derivative));
    tape.seed(recorded[k].derivative, weight[k]);
  }
  tape.reverse();
  double of_sweep = 0.0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (std::size_t k = 0; k < in[i].size(); ++k) of_sweep += tape.adjoint(in[i][k]) * v[i][k];
  }
  CHECK(close(of_sweep, of_second, 1e-11));
}

}  // namespace

TEST_CASE("test_tangent_solve_linear_systems") { check_against_sweeps(linear{}); }

TEST_CASE("test_tangent_solve_fixed_points") { check_against_sweeps(fixed{}); }

namespace {

/// On matrices: x = p x^2 / 8 + 1 / p, and (2 + p^2) x = b.
const auto curve = [](const auto &x, const auto &p) { return std::decay_t<decltype(x)>(0.125 * elt_multiply(p[0], square(x)) + 1.0 / p[0]); };
const auto scaled = [](const auto &p, const auto &x) { return std::decay_t<decltype(x)>(elt_multiply(2.0 + square(p[0]), x)); };
const auto divide = [](const std::vector<varmat> &p, const numbers &rhs, bool) {
  numbers x = rhs;
  const numbers q = p[0].values();
  for (std::size_t k = 0; k < x.size(); ++k) x[k] /= 2.0 + q[k] * q[k];
  return x;
};

/// The sums of what f makes of T, element by element, where T is a tangent of a tangent and of scalars on a tape.
template <class F, class G>
void check_matrices(F of_matrices, G closed_form) {
  test::recording_tape tape;
  varmat a(2, 2, numbers{1.2, 0.9, 1.5, 1.1}.data());
  const varmat direction(2, 2, numbers{0.5, -1.0, 0.25, 0.75}.data());
  tape.input(a);
  const tangent<varmat> y = of_matrices(tangent<varmat>{a, direction});
  CHECK(y.value.rows() == 2);
  tape.seed(sum(y.derivative));
  tape.reverse();
  const numbers got = tape.adjoints(a), value = y.value.values(), derivative = y.derivative.values();
  for (std::size_t k = 0; k < 4; ++k) {
    using twice = tangent<tangent<double>>;
    const double d = direction.values()[k];
    const twice expected = closed_form(twice(tangent<double>(a.values()[k], 1.0), tangent<double>(d, 0.0)));
    CHECK(close(value[k], expected.value.value));
    CHECK(close(derivative[k], expected.derivative.value));
    CHECK(close(got[k], expected.derivative.derivative, 1e-10));
  }
}

}  // namespace

TEST_CASE("test_tangent_solve_matrices") {
  check_matrices([](const tangent<varmat> &a) { return fixed_point(curve, tangent<varmat>{varmat(2, 2), varmat(2, 2)}, {a}, exact()); },
                 [](const auto &p) { return (1.0 - sqrt(1.0 - 0.5)) * 4.0 / p; });
  check_matrices([](const tangent<varmat> &a) { return linear_solve(a, {a}, divide, scaled); },
                 [](const auto &p) { return p / (2.0 + p * p); });
}

TEST_CASE("test_tangent_solve_errors") {
  using tangents = std::vector<tangent<double>>;
  const tangents b(n, tangent<double>(1.0, 1.0)), s{tangent<double>(0.7, 1.0)};
  const auto none = [](const auto &, const auto &x) { return std::decay_t<decltype(x)>(); };
  CHECK(test::message([&] { linear_solve(b, {b, s}, &solve, none); }) == "linear_solve: the product has 0 elements, expected 4");
  admpi::fixed_point_options few;
  few.max_iterations = 2;
  CHECK(test::message<admpi::convergence_error>([&] { fixed_point(ring, b, {b, s}, few); })
            .find("fixed_point: the iteration did not converge in 2 iterations") == 0);
  // A norm of one's own, also for the derivative.
  int asked = 0;
  const auto norm = [&](const numbers &x) {
    ++asked;
    double most = 0.0;
    for (const double each : x) most = std::fmax(most, std::fabs(each));
    return most;
  };
  const tangents x = fixed_point(ring, b, {b, s}, exact(), norm), same = fixed_point(ring, b, {b, s}, exact());
  CHECK(asked > 10);
  for (std::size_t k = 0; k < n; ++k) CHECK(close(x[k].derivative, same[k].derivative));
}
