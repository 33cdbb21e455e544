// Forward mode through log densities and operations of the user's own, against reverse sweeps.
#include <admpi/tangent_densities.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::argument;
using admpi::operation_call;
using admpi::tangent;
using admpi::tangent_argument;
using admpi::var;
using admpi::varmat;
using test::close;
using test::numbers;

namespace {

using tangents = std::vector<tangent<double>>;

tangents with(const numbers &x, const numbers &along) {
  tangents all;
  for (std::size_t k = 0; k < x.size(); ++k) all.push_back({x[k], along[k]});
  return all;
}

/// <gradient, direction> by a sweep.
template <class F>
tangent<double> by_sweep(F f, const std::vector<tangent_argument> &x) {
  test::recording_tape tape;
  std::vector<varmat> in;
  for (const tangent_argument &each : x) {
    in.emplace_back(each.rows(), each.cols(), each.values().data());
    if (!each.is_constant()) tape.input(in.back());
  }
  const var y = f(in);
  tape.seed(y);
  tape.reverse();
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const numbers adjoint = tape.adjoints(in[k]);
    for (std::size_t e = 0; e < adjoint.size(); ++e) sum += adjoint[e] * x[k].elements()[e].derivative;
  }
  return {y.value, sum};
}

void check_same(const tangent<double> &got, const tangent<double> &expected) {
  CHECK(close(got.value, expected.value));
  CHECK(close(got.derivative, expected.derivative));
  CHECK(expected.derivative != 0.0);
}

}  // namespace

TEST_CASE("test_tangent_densities_agree_with_sweeps") {
  const tangents y = with({0.7, -1.3, 0.2}, {0.5, -0.2, 1.0}), positive = with({0.6, 1.7, 0.35}, {0.1, 0.9, -0.4});
  const tangent<double> mu(0.3, 1.5), sigma(0.8, -0.7);
  check_same(normal_lpdf(y, mu, sigma), by_sweep([](const auto &x) { return normal_lpdf(x[0], x[1](0), x[2](0)); }, {y, mu, sigma}));
  check_same(normal_lpdf(numbers{0.7, 1.0}, mu, 2.0),
             by_sweep([](const auto &x) { return normal_lpdf(x[0], x[1](0), 2.0); }, {numbers{0.7, 1.0}, mu}));
  check_same(normal_lpdf(1.5, mu, 2), by_sweep([](const auto &x) { return normal_lpdf(1.5, x[0](0), 2); }, {mu}));
  check_same(student_t_lpdf(y, positive, mu, sigma),
             by_sweep([](const auto &x) { return student_t_lpdf(x[0], x[1], x[2](0), x[3](0)); }, {y, positive, mu, sigma}));
  check_same(gamma_lpdf(positive, tangent<double>(1.4, 1.0), 0.5),
             by_sweep([](const auto &x) { return gamma_lpdf(x[0], x[1](0), 0.5); }, {positive, tangent<double>(1.4, 1.0)}));
  const std::vector<int> bits{1, 0, 1}, counts{3, 0, 2};
  check_same(bernoulli_logit_lpmf(bits, y), by_sweep([&](const auto &x) { return bernoulli_logit_lpmf(bits, x[0]); }, {y}));
  check_same(poisson_log_lpmf(counts, y), by_sweep([&](const auto &x) { return poisson_log_lpmf(counts, x[0]); }, {y}));
  const tangent_argument l(2, 2, with({1.2, 0.4, 0.0, 0.9}, {0.3, -1.0, 5.0, 0.2})), data(2, 1, with({0.5, 1.0}, {1.0, 0.0}));
  check_same(multi_normal_cholesky_lpdf(data, numbers{0.1, 0.2}, l),
             by_sweep([](const auto &x) { return multi_normal_cholesky_lpdf(x[0], numbers{0.1, 0.2}, x[1]); }, {data, l}));
  check_same(multi_normal_lpdf(data, numbers{0.1, 0.2}, l),
             by_sweep([](const auto &x) { return multi_normal_lpdf(x[0], numbers{0.1, 0.2}, x[1]); }, {data, l}));
}

TEST_CASE("test_tangent_densities_beside_a_recording") {
  const tangent<double> mu(0.3, 1.5);
  const tangent<double> alone = normal_lpdf(1.5, mu, 2.0);
  CHECK(close(alone.derivative, 1.5 * 1.2 / 4.0));
  // An infinite partial derivative has no part in a direction without its argument.
  CHECK(gamma_lpdf(0.0, 2.0, tangent<double>(1.0, 1.0)).derivative == 2.0);
  test::recording_tape tape;
  var x = 2.0;
  tape.input(x);
  const auto before = tape.statistics();
  const tangent<double> lp = normal_lpdf(1.5, mu, 2.0);
  CHECK(lp.derivative == alone.derivative);
  CHECK(tape.statistics().events == before.events);
  // Nothing to differentiate: a constant.
  CHECK(normal_lpdf(1.5, tangent<double>(0.3), 2.0).derivative == 0.0);
  CHECK(test::message([] { normal_lpdf(1.0, tangent<double>(0.0, 1.0), -2.0); }) ==
        "normal_lpdf: sigma = -2 is not positive and finite");
  CHECK(test::message([] { tangent_argument(2, 2, tangents(3)); }) == "tangent_argument: 3 elements are not 2 x 2");
}

namespace {

/// Second derivatives of a density along a direction, by all ways there are, against differences of gradients. The arguments are
/// columns of three numbers each, or the first of them alone.
template <class F>
void second(F f, const std::vector<numbers> &at, unsigned fixed = 0) {
  const std::size_t n = at.size();
  const auto direction = [](std::size_t p, std::size_t k) { return 0.3 + 0.4 * static_cast<double>(p) - 0.25 * static_cast<double>(k); };
  const auto moved = [&](double t) {
    auto x = at;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t k = 0; k < 3; ++k) x[p][k] += (fixed >> p & 1) != 0 ? 0.0 : t * direction(p, k);
    }
    return x;
  };
  const auto gradient = [&](double t) {
    const auto point = moved(t);
    test::recording_tape tape;
    std::vector<std::vector<var>> x;
    for (const numbers &each : point) {
      x.emplace_back(each.begin(), each.end());
      tape.input(x.back());
    }
    const var y = f(x);
    tape.seed(y);
    tape.reverse();
    numbers all{y.value};
    for (const auto &each : x) {
      for (const var &element : each) all.push_back(tape.adjoint(element));
    }
    return all;
  };
  const double h = 1e-5;
  const numbers up = gradient(h), down = gradient(-h), here = gradient(0.0);
  const auto slope = [&](std::size_t k) { return (up[k] - down[k]) / (2.0 * h); };
  double second = 0.0;
  for (std::size_t k = 0; k < 3 * n; ++k) second += (fixed >> (k / 3) & 1) != 0 ? 0.0 : direction(k / 3, k % 3) * slope(1 + k);
  const auto near = [](double got, double expected) { return std::fabs(got - expected) <= 1e-7 * (1.0 + std::fabs(expected)); };
  test::recording_tape tape;
  // Scalars, and matrices of them.
  std::vector<std::vector<tangent<var>>> x;
  std::vector<std::vector<var>> in;
  std::vector<tangent<varmat>> matrices;
  std::vector<varmat> of;
  std::vector<std::vector<tangent<tangent<double>>>> forward;
  for (std::size_t p = 0; p < n; ++p) {
    in.emplace_back(at[p].begin(), at[p].end());
    tape.input(in.back());
    of.emplace_back(at[p]);
    tape.input(of.back());
    x.emplace_back();
    forward.emplace_back();
    numbers to;
    for (std::size_t k = 0; k < 3; ++k) {
      to.push_back((fixed >> p & 1) != 0 ? 0.0 : direction(p, k));
      x[p].push_back({in[p][k], var(to[k])});
      forward[p].push_back({tangent<double>(at[p][k], to[k]), tangent<double>(to[k])});
    }
    matrices.push_back({of[p], varmat(to)});
  }
  for (const bool as_matrices : {false, true}) {
    CAPTURE(as_matrices);
    const tangent<var> y = as_matrices ? f(matrices) : f(x);
    CHECK(near(y.value.value, here[0]));
    CHECK(near(y.derivative.value, slope(0)));
    tape.clear_adjoints();
    tape.seed(y.derivative);
    tape.reverse();
    for (std::size_t k = 0; k < 3 * n; ++k) {
      CAPTURE(k);
      CHECK(near(as_matrices ? tape.adjoints(of[k / 3])[k % 3] : tape.adjoint(in[k / 3][k % 3]), slope(1 + k)));
    }
  }
  const tangent<tangent<double>> y = f(forward);
  CHECK(near(y.value.value, here[0]));
  CHECK(near(y.value.derivative, slope(0)));
  CHECK(near(y.derivative.value, slope(0)));
  CHECK(near(y.derivative.derivative, second));
}

tangent<var> first(const tangent<varmat> &x) { return x(0, 0); }
template <class T>
T first(const std::vector<T> &x) {
  return x[0];
}

}  // namespace

TEST_CASE("test_tangent_densities_second_derivatives") {
  const numbers y{0.7, -1.3, 0.2}, mu{0.3, 0.1, -0.6}, positive{0.6, 1.7, 0.35}, shape{2.4, 0.7, 5.2};
  second([](const auto &x) { return normal_lpdf(x[0], x[1], x[2]); }, {y, mu, positive});
  second([](const auto &x) { return normal_lpdf(x[0], first(x[1]), first(x[2])); }, {y, mu, positive});
  second([](const auto &x) { return normal_lpdf(0.4, first(x[0]), first(x[1])); }, {mu, positive});
  second([](const auto &x) { return student_t_lpdf(x[0], x[1], x[2], x[3]); }, {y, shape, mu, positive});
  second([](const auto &x) { return student_t_lpdf(x[0], first(x[1]), 0.2, first(x[2])); }, {y, shape, positive});
  second([](const auto &x) { return gamma_lpdf(x[0], x[1], x[2]); }, {positive, shape, positive});
  second([](const auto &x) { return gamma_lpdf(numbers{0.3, 2.0}, first(x[0]), first(x[1])); }, {shape, positive});
  const std::vector<int> bits{1, 0, 1}, counts{3, 0, 2};
  second([&](const auto &x) { return bernoulli_logit_lpmf(bits, x[0]); }, {y});
  second([&](const auto &x) { return bernoulli_logit_lpmf(bits, first(x[0])); }, {y});
  second([&](const auto &x) { return poisson_log_lpmf(counts, x[0]); }, {y});
  // An argument without a derivative in the direction.
  second([](const auto &x) { return normal_lpdf(x[0], x[1], x[2]); }, {y, mu, positive}, 2);
  // As a job of a map has them.
  const auto span = [](const auto &v) { return admpi::span<const std::decay_t<decltype(v[0])>>(v.data(), static_cast<std::int64_t>(v.size())); };
  second([&](const auto &x) {
    if constexpr (std::is_same_v<std::decay_t<decltype(x[0])>, tangent<varmat>>) return normal_lpdf(mu, x[0], x[1]);
    else return normal_lpdf(span(mu), span(x[0]), span(x[1]));
  }, {y, positive});
  CHECK(admpi::gamma_lpdf(std::array<double, 2>{0.5, 1.5}, 2.0, 1.0).value == admpi::gamma_lpdf(numbers{0.5, 1.5}, 2.0, 1.0).value);
  test::recording_tape tape;
  var rate = 1.0;
  tape.input(rate);
  // Its infinite partial derivative has no part.
  const tangent<var> lp = gamma_lpdf(0.0, 2.0, tangent<var>(rate, 1.0));
  CHECK(lp.derivative.value == 2.0);
  tape.seed(lp.derivative);
  tape.reverse();
  CHECK(tape.adjoint(rate) == -2.0);
  CHECK(gamma_lpdf(-1.0, 2.0, tangent<var>(rate, 1.0)).derivative.value == 0.0);
  CHECK(test::message([&] { normal_lpdf(1.0, 0.0, tangent<var>(-rate, 1.0)); }) ==
        "normal_lpdf: sigma = -1 is not positive and finite");
}

/// First derivatives by tangent<var> where its own formulas of the partial derivatives are at their limits, against a sweep.
TEST_CASE("test_tangent_densities_far_out") {
  const auto slopes = [](auto density, double at) {
    test::recording_tape tape;
    var x = at;
    tape.input(x);
    const var along = density(tangent<var>(x, var(1.0))).derivative;
    tape.seed(density(x));
    tape.reverse();
    return numbers{along.value, tape.adjoint(x)};
  };
  const auto check = [&](auto density, double at, double tolerance = 1e-13) {
    const numbers both = slopes(density, at);
    CAPTURE(at);
    CHECK(both[0] == doctest::Approx(both[1]).epsilon(tolerance));
  };
  check([](const auto &y) { return gamma_lpdf(y, 1.0, 2.0); }, 0.0);
  check([](const auto &y) { return student_t_lpdf(y, 3.0, 0.0, 1.0); }, 1e155);
  check([](const auto &sigma) { return student_t_lpdf(1e155, 3.0, 0.0, sigma); }, 1.0);
  check([](const auto &sigma) { return student_t_lpdf(1.0, 3.0, 0.0, sigma); }, 1e-200);
  check([](const auto &nu) { return student_t_lpdf(1e160, nu, 0.0, 1.0); }, 3.0);
  for (const double nu : {1e2, 1e4, 1e6}) check([](const auto &x) { return student_t_lpdf(0.3, x, 0.1, 1.2); }, nu, 1e-15 * nu);
  const numbers infinite = slopes([](const auto &y) { return gamma_lpdf(y, 2.0, 3.0); }, -0.0);
  CHECK(infinite == numbers(2, std::numeric_limits<double>::infinity()));
}

TEST_CASE("test_tangent_densities_second_derivatives_of_the_multivariate_normal") {
  const numbers at{0.5, 1.0, -0.2, 0.4, 0.1, 0.2, 1.3, 0.4, 0.0, 0.9}, along{0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.2, 0.6, 0.0, -0.3};
  // y with two columns, the mean and the scale, from one column of numbers.
  const auto part = [](const auto &x, int from, int rows, int cols) { return x.segment(from, rows * cols).reshaped(rows, cols); };
  const auto check = [&](const auto &f) {
    const auto gradient = [&](double t, bool tangents, double *slope) {
      test::recording_tape tape;
      numbers p = at;
      for (std::size_t k = 0; k < p.size(); ++k) p[k] += t * along[k];
      varmat x(p);
      tape.input(x);
      if (tangents) {
        const tangent<var> y = f(tangent<varmat>{x, varmat(along)});
        *slope = y.derivative.value;
        tape.seed(y.derivative);
      } else {
        const var y = f(x);
        *slope = y.value;
        tape.seed(y);
      }
      tape.reverse();
      return tape.adjoints(x);
    };
    double slope = 0.0, high = 0.0, low = 0.0;
    const numbers got = gradient(0.0, true, &slope), up = gradient(1e-5, false, &high), down = gradient(-1e-5, false, &low);
    CHECK(slope == doctest::Approx((high - low) / 2e-5).epsilon(1e-8));
    for (std::size_t k = 0; k < got.size(); ++k) {
      CAPTURE(k);
      CHECK(std::fabs(got[k] - (up[k] - down[k]) / 2e-5) < 1e-7);
    }
  };
  check([&](const auto &x) { return multi_normal_cholesky_lpdf(part(x, 0, 2, 2), part(x, 4, 2, 1), part(x, 6, 2, 2)); });
  check([&](const auto &x) { return multi_normal_lpdf(part(x, 0, 2, 1), part(x, 4, 2, 1), part(x, 6, 2, 2)); });
  check([&](const auto &x) { return multi_normal_lpdf(part(x, 0, 2, 2), part(x, 2, 2, 2), part(x, 6, 2, 2)); });
  const varmat plain(2, 1, numbers{0.2, 0.1}.data()), spd(2, 2, numbers{2.0, 0.5, 0.5, 1.25}.data());
  check([&](const auto &x) { return multi_normal_cholesky_lpdf(plain, plain, part(x, 6, 2, 2)); });
  check([&](const auto &x) { return multi_normal_lpdf(plain, part(x, 4, 2, 1), spd); });
}

namespace {

/// y = s * x, element by element, and q = the sum of x^2.
struct scaled {
  std::vector<bool> *asked = nullptr;
  void forward(const operation_call &c) const {
    for (int i = 0; i < c.result(0).rows; ++i) {
      const double x = c.operand(0).value[i];
      c.result(0).value[i] = c.operand(1).value[0] * x;
      c.result(1).value[0] += x * x;
    }
  }
  void reverse(const operation_call &c) const {
    if (asked != nullptr) *asked = {c.operand(0).adjoint != nullptr, c.operand(1).adjoint != nullptr};
    for (int i = 0; i < c.result(0).rows; ++i) {
      const double w = c.result(0).adjoint[i], x = c.operand(0).value[i];
      if (c.operand(0).adjoint != nullptr) {
        c.operand(0).adjoint[i] = c.operand(1).value[0] * w + 2.0 * x * c.result(1).adjoint[0];
      }
      if (c.operand(1).adjoint != nullptr) c.operand(1).adjoint[0] += x * w;
    }
  }
};

}  // namespace

TEST_CASE("test_tangent_operations") {
  const tangents x = with({1.0, -2.0, 0.5}, {0.3, 1.0, -2.0});
  std::vector<bool> asked;
  const auto both = admpi::apply_operation_along(scaled{&asked}, {x, tangent<double>(3.0, 0.25)}, {{3, 1}, {1, 1}});
  CHECK(asked == std::vector<bool>{true, true});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(both[0][i].value == 3.0 * x[i].value);
    CHECK(close(both[0][i].derivative, 3.0 * x[i].derivative + 0.25 * x[i].value));
  }
  CHECK(both[1][0].value == 5.25);
  CHECK(close(both[1][0].derivative, 2.0 * (0.3 - 2.0 - 1.0)));
  const auto one = admpi::apply_operation_along(scaled{&asked}, {tangent_argument(x), tangent_argument(3.0)}, {{3, 1}, {1, 1}});
  CHECK(asked == std::vector<bool>{true, false});
  CHECK(one[0][1].derivative == 3.0);
}
