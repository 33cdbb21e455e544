// Log densities against formulas on scalars, in all mixes of arrays and scalars, active and passive; against 30 digits; at the
// edges; and what they refuse.
#include <admpi.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::argument;
using admpi::var;
using admpi::varmat;
using admpi::view;
using test::message;
using test::numbers;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
const double half_log_tau = 0.5 * std::log(2.0 * std::acos(-1.0));

bool close(double got, double expected, double digits = 2e-13) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  return std::fabs(got - expected) <= digits * (1.0 + std::fabs(expected));
}

// The densities once more, by operations on scalars.
const auto normal = [](auto y, auto mu, auto sigma) {
  const auto z = (y - mu) / sigma;
  return -0.5 * z * z - log(sigma) - half_log_tau;
};
const auto student_t = [](auto y, auto nu, auto mu, auto sigma) {
  const auto z = (y - mu) / sigma;
  return lgamma(0.5 * (nu + 1.0)) - lgamma(0.5 * nu) - 0.5 * log(nu * std::acos(-1.0)) - log(sigma) -
         0.5 * (nu + 1.0) * log(1.0 + z * z / nu);
};
const auto gamma_density = [](auto y, auto alpha, auto beta) {
  return alpha * log(beta) - lgamma(alpha) + (alpha - 1.0) * log(y) - beta * y;
};
const auto bernoulli_logit = [](auto y, auto alpha) {
  return y * log(inv_logit(alpha)) + (1.0 - y) * log(1.0 - inv_logit(alpha));
};
const auto poisson_log = [](auto y, auto alpha) { return y * alpha - exp(alpha) - lgamma(y + 1.0); };

/// One argument: its values, of which a scalar takes the first, and whether it may be active.
struct given {
  numbers values;
  bool continuous = true;
};

const given observed{{0.7, -1.3, 0.2, 2.9, -0.4}};
const given location{{0.1, 0.5, -0.8, 1.9, -0.3}};
const given positive{{0.6, 1.7, 0.35, 2.2, 1.1}};
const given shape{{1.4, 0.7, 2.9, 12.5, 3.1}};
const given logit_value{{-0.4, 2.1, 0.0, -3.7, 0.9}};
const given bits{{1.0, 0.0, 0.0, 1.0, 1.0}, false};
const given counts{{3.0, 0.0, 1.0, 7.0, 2.0}, false};

/// An argument on the tape: a scalar or an array, for the event and for the formula.
struct made {
  std::vector<var> elements;
  varmat matrix;
  bool scalar;

  made(admpi::tape_ref tape, const given &from, bool is_scalar, bool active) : scalar(is_scalar) {
    numbers values = from.values;
    if (scalar) values.resize(1);
    matrix = varmat(values);
    if (active && from.continuous) tape.input(matrix);
    elements = matrix.vars();
  }
  argument passed() const { return scalar ? argument(elements[0]) : argument(matrix); }
  var at(std::size_t i) const { return elements[scalar ? 0 : i]; }
};

template <class Event, class Formula, std::size_t... I>
void check_mix(Event event, Formula formula, const std::array<given, sizeof...(I)> &from, unsigned mask,
               std::index_sequence<I...>) {
  constexpr unsigned count = sizeof...(I);
  test::recording_tape tape;
  const std::array<made, count> arguments{made(tape, from[I], mask >> I & 1, mask >> (I + count) & 1)...};
  const bool all_scalar = (arguments[I].scalar && ...);
  const std::size_t n = all_scalar ? 1 : from[0].values.size();
  const std::uint64_t statements = tape.statistics().statements;
  const var lp = event(arguments[I].passed()...);
  CHECK(tape.statistics().statements == statements);
  var sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += formula(arguments[I].at(i)...);
  CHECK(close(lp.value, sum.value));
  const auto gradient = [&](const var &y) {
    tape.clear_adjoints();
    tape.seed(y, 1.5);
    tape.reverse();
    numbers all;
    for (const made &each : arguments) {
      for (const var &element : each.elements) all.push_back(element.id == 0 ? 0.0 : tape.adjoint(element));
    }
    return all;
  };
  const numbers got = gradient(lp), expected = gradient(sum);
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(close(got[k], expected[k]));
  }
  CHECK(gradient(lp) == got);
}

template <std::size_t N, class Event, class Formula>
void check_density(Event event, Formula formula, const std::array<given, N> &from) {
  for (unsigned mask = 0; mask < 1u << (2 * N); ++mask) {
    CAPTURE(mask);
    check_mix(event, formula, from, mask, std::make_index_sequence<N>());
  }
}

}  // namespace

TEST_CASE("test_densities_agree_with_scalars") {
  check_density<3>(&admpi::normal_lpdf, normal, {observed, location, positive});
  check_density<4>(&admpi::student_t_lpdf, student_t, {observed, shape, location, positive});
  check_density<3>(&admpi::gamma_lpdf, gamma_density, {positive, shape, positive});
  check_density<2>(&admpi::bernoulli_logit_lpmf, bernoulli_logit, {bits, logit_value});
  check_density<2>(&admpi::poisson_log_lpmf, poisson_log, {counts, logit_value});
}

// By mpmath, 30 digits.
TEST_CASE("test_densities_values") {
  CHECK(close(admpi::normal_lpdf(0.3, -1.2, 0.7).value, -2.8581819566128792, 1e-14));
  CHECK(close(admpi::normal_lpdf(100000.0, 3.0, 0.001).value, -4999700004499993.8, 1e-14));
  CHECK(close(admpi::normal_lpdf(1.0, 1.0, 10000000000.0).value, -23.94478946314513, 1e-14));
  CHECK(close(admpi::student_t_lpdf(0.3, 4.0, -1.2, 0.7).value, -2.5354497452026543, 1e-14));
  CHECK(close(admpi::student_t_lpdf(2.5, 0.01, 0.0, 3.0).value, -6.2499215192779605, 1e-14));
  CHECK(close(admpi::student_t_lpdf(1.5, 10000000000.0, 0.5, 2.0).value, -1.7370857138005556, 1e-14));
  CHECK(close(admpi::student_t_lpdf(100000000.0, 3.0, 0.0, 1.0).value, -72.486387248096753, 1e-14));
  CHECK(close(admpi::gamma_lpdf(0.3, 2.5, 1.5).value, -1.5269793066914122, 1e-14));
  CHECK(close(admpi::gamma_lpdf(1e-05, 0.001, 1.0).value, 4.5942236541214044, 1e-14));
  CHECK(close(admpi::gamma_lpdf(1000.0, 1000.0, 1.0).value, -4.3728995060262968, 1e-12));
  CHECK(close(admpi::bernoulli_logit_lpmf(1.0, 0.7).value, -0.40318604888545791, 1e-14));
  CHECK(close(admpi::bernoulli_logit_lpmf(0.0, 0.7).value, -1.1031860488854579, 1e-14));
  CHECK(close(admpi::bernoulli_logit_lpmf(1.0, 40.0).value, -4.248354255291589e-18, 1e-14));
  CHECK(close(admpi::bernoulli_logit_lpmf(0.0, -40.0).value, -4.248354255291589e-18, 1e-14));
  CHECK(close(admpi::poisson_log_lpmf(3.0, 0.7).value, -1.7055121766985316, 1e-14));
  CHECK(close(admpi::poisson_log_lpmf(0.0, -30.0).value, -9.3576229688401746e-14, 1e-14));
  CHECK(close(admpi::poisson_log_lpmf(1000000.0, 13.8).value, -127.49588720459796, 1e-9));
}

TEST_CASE("test_densities_far_out") {
  // Where the parts of a formula would cancel, overflow or vanish.
  CHECK(close(admpi::bernoulli_logit_lpmf(1, -800.0).value, -800.0, 1e-15));
  CHECK(admpi::bernoulli_logit_lpmf(0, -800.0).value == 0.0);
  CHECK(admpi::bernoulli_logit_lpmf(1, infinite).value == 0.0);
  CHECK(admpi::bernoulli_logit_lpmf(0, infinite).value == -infinite);
  CHECK(admpi::poisson_log_lpmf(0, -infinite).value == 0.0);
  CHECK(admpi::poisson_log_lpmf(2, -infinite).value == -infinite);
  CHECK(admpi::poisson_log_lpmf(2, infinite).value == -infinite);
  CHECK(admpi::poisson_log_lpmf(0, 800.0).value == -infinite);
  CHECK(admpi::gamma_lpdf(-0.5, 2.0, 1.0).value == -infinite);
  CHECK(admpi::gamma_lpdf(0.0, 2.0, 1.0).value == -infinite);
  CHECK(admpi::gamma_lpdf(0.0, 0.5, 1.0).value == infinite);
  CHECK(close(admpi::gamma_lpdf(0.0, 1.0, 3.0).value, std::log(3.0), 1e-15));

  test::recording_tape tape;
  std::vector<var> x{0.0, -0.5, 1.0};
  var alpha = 1.0, beta = 3.0;
  tape.input(x);
  tape.input(alpha);
  tape.input(beta);
  const auto seeded = [&](const var &lp) {
    tape.clear_adjoints();
    tape.seed(lp);
    tape.reverse();
  };
  seeded(admpi::gamma_lpdf(x, 1.0, beta));
  CHECK(tape.adjoint(x[0]) == -3.0);
  CHECK(tape.adjoint(x[1]) == 0.0);
  CHECK(tape.adjoint(beta) == doctest::Approx(2.0 / 3.0 - 1.0));
  // From the right, whatever the sign of zero.
  x[0].value = -0.0;
  CHECK(admpi::gamma_lpdf(-0.0, 2.0, 1.0).value == -infinite);
  seeded(admpi::gamma_lpdf(x[0], 2.0, 1.0));
  CHECK(tape.adjoint(x[0]) == infinite);
  seeded(admpi::gamma_lpdf(x[0], 0.5, 1.0));
  CHECK(tape.adjoint(x[0]) == -infinite);
  seeded(admpi::bernoulli_logit_lpmf(1, 800.0 * alpha));
  CHECK(tape.adjoint(alpha) == 0.0);
  seeded(admpi::bernoulli_logit_lpmf(0, 800.0 * alpha));
  CHECK(tape.adjoint(alpha) == -800.0);
}

// By mpmath, 60 digits: squares of these are past the range of doubles.
TEST_CASE("test_densities_student_t_in_the_tails") {
  struct {
    double y, nu, mu, sigma, lp, of_y, of_nu, of_sigma;
  } const cases[] = {
      {1e200, 3.0, 0.0, 1.0, -1840.8717386675238, -4e-200, -459.27456527391514, 3.0},
      {-1e170, 3.0, 0.0, 1.0, -1564.5615275082384, 4e-170, -390.19701248409377, 3.0},
      {1.0, 1.0, 0.0, 1e-320, -737.97197077682331, -2.0, -735.63409371041396, infinite},
      {1e308, 1.0, -1e308, 1.0, -1420.9234415313014, -1e-308, -708.69620864216607, 1.0},
      {1e308, 2.0, -1e308, 1e300, -748.11701167175064, -1.5e-308, -17.960401514792283, 2e-300},
      {1e-200, 0.5, 0.0, 1.0, -1.3105329259115095, -3e-200, 0.57079632679489662, -1.0},
      {2.0, 1e200, 0.0, 1e-150, -1.1582240183026223e+202, -5e199, -115.32240183026223, infinite},
      {1.0, 1e-300, 0.25, 2.0, -691.18099300632187, -1.3333333333333333, 1e300, 0.0},
  };
  const auto near = [](double got, double expected) {
    return got == expected || std::fabs(got - expected) <= 2e-15 * std::fabs(expected);
  };
  for (const auto &each : cases) {
    CAPTURE(each.y);
    test::recording_tape tape;
    var y = each.y, nu = each.nu, mu = each.mu, sigma = each.sigma;
    for (var *x : {&y, &nu, &mu, &sigma}) tape.input(*x);
    const var lp = student_t_lpdf(y, nu, mu, sigma);
    CHECK(near(lp.value, each.lp));
    tape.seed(lp);
    tape.reverse();
    CHECK(near(tape.adjoint(y), each.of_y));
    CHECK(near(tape.adjoint(nu), each.of_nu));
    CHECK(near(tape.adjoint(mu), -each.of_y));
    CHECK(near(tape.adjoint(sigma), each.of_sigma));
  }
}

TEST_CASE("test_densities_of_parts_expressions_and_vectors") {
  test::recording_tape tape;
  varmat a(3, 4, numbers{0.3, 1.1, -0.7, 2.0, 0.4, -1.2, 0.9, 0.8, 1.6, -0.1, 0.2, 0.5}.data());
  var s = 0.8;
  tape.input(a);
  tape.input(s);
  // Listed ids, repeated ones among them.
  a(1, 2) = a(0, 0);
  a(1, 3) = 2.0 * s;
  const auto gradient = [&](const var &y) {
    tape.clear_adjoints();
    tape.seed(y);
    tape.reverse();
    numbers all = tape.adjoints(a);
    all.push_back(tape.adjoint(s));
    return all;
  };
  const auto compare = [&](const var &lp, const var &sum) {
    CHECK(close(lp.value, sum.value));
    const numbers got = gradient(lp), expected = gradient(sum);
    for (std::size_t k = 0; k < got.size(); ++k) {
      CAPTURE(k);
      CHECK(close(got[k], expected[k]));
    }
  };
  const auto by_scalars = [&](auto y, auto mu, auto sigma, std::size_t n) {
    var sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) sum += normal(var(y(i)), var(mu(i)), var(sigma(i)));
    return sum;
  };
  const auto of = [](const std::vector<var> &x) { return [&x](std::size_t i) { return x[i]; }; };
  const std::vector<var> row = a.row(1).vars(), other = a.row(2).vars(), turned = a.transpose().vars(), all = a.vars();
  const auto scale = [&](std::size_t) { return s; };
  compare(normal_lpdf(a.row(1), a.row(2), s), by_scalars(of(row), of(other), scale, 4));
  compare(normal_lpdf(a.transpose(), turned, s), by_scalars(of(turned), of(turned), scale, 12));
  compare(normal_lpdf(a, 0.25, exp(a)), by_scalars(of(all), [](std::size_t) { return var(0.25); },
                                                   [&](std::size_t i) { return var(exp(all[i])); }, 12));
  compare(normal_lpdf(numbers{1.0, 2.0}, a.row(0).every(2), s + 1.0),
          by_scalars([](std::size_t i) { return var(1.0 + static_cast<double>(i)); },
                     [&](std::size_t i) { return var(a(0, static_cast<std::int64_t>(2 * i))); },
                     [&](std::size_t) { return var(s + 1.0); }, 2));
  // The same matrix twice: the mean is what is observed.
  compare(normal_lpdf(a, a, s), by_scalars(of(all), of(all), scale, 12));
  // None at all.
  CHECK(normal_lpdf(numbers{}, s, 1.0).value == 0.0);
  compare(normal_lpdf(a.block(0, 0, 0, 2), s, 1.0), var(0.0 * s));
}

TEST_CASE("test_densities_of_matrices_that_are_overwritten_afterwards") {
  test::recording_tape tape;
  varmat y(3, 1, numbers{0.3, 1.1, -0.7}.data()), mu(3, 1, numbers{0.1, 0.2, 0.4}.data());
  tape.input(y);
  var sigma = 0.8;
  tape.input(sigma);
  const varmat before = y;
  const std::vector<var> elements = y.vars();
  numbers data{5.0, 6.0, 7.0};
  varmat passive(data);
  const var lp = normal_lpdf(y, mu, sigma) + normal_lpdf(passive, y, sigma);
  y(1) = 3.0 * sigma;
  mu(2) = 9.0;
  passive(0) = 100.0;
  var sum = 0.0;
  const double mean[] = {0.1, 0.2, 0.4};
  for (std::size_t i = 0; i < 3; ++i) {
    sum += normal(elements[i], var(mean[i]), sigma) + normal(var(data[i]), elements[i], sigma);
  }
  for (int sweep = 0; sweep < 2; ++sweep) {
    tape.clear_adjoints();
    tape.seed(sum);
    tape.reverse();
    const numbers expected = tape.adjoints(before);
    const double of_sigma = tape.adjoint(sigma);
    tape.clear_adjoints();
    tape.seed(lp);
    tape.reverse();
    const numbers got = tape.adjoints(before);
    for (std::size_t i = 0; i < 3; ++i) CHECK(close(got[i], expected[i]));
    CHECK(close(tape.adjoint(sigma), of_sigma));
    CHECK(y(1).value == 3.0 * 0.8);
  }
}

TEST_CASE("test_densities_in_directions_ranges_and_nests") {
  test::recording_tape tape;
  tape.set_width(4);
  varmat y(2, 1, numbers{0.3, 1.1}.data());
  var sigma = 0.8;
  tape.input(y);
  tape.input(sigma);
  const admpi::position bottom = tape.position();
  const var twice = 2.0 * sigma;
  const admpi::position middle = tape.position();
  const var lp = normal_lpdf(y, 0.0, twice);
  const admpi::position end = tape.position();
  for (int k = 0; k < 4; ++k) tape.seed(lp, k == 2 ? 0.0 : 1.0 + k, k);
  tape.keep(twice);
  tape.reverse(end, middle);
  CHECK(tape.adjoint(sigma, 1) == 0.0);
  tape.reverse(middle, bottom);
  const double z0 = 0.3 / 1.6, z1 = 1.1 / 1.6;
  for (int k = 0; k < 4; ++k) {
    const double weight = k == 2 ? 0.0 : 1.0 + k;
    CHECK(close(tape.adjoint(y(0), k), -weight * z0 / 1.6));
    CHECK(close(tape.adjoint(y(1), k), -weight * z1 / 1.6));
    CHECK(close(tape.adjoint(sigma, k), 2.0 * weight * (z0 * z0 + z1 * z1 - 2.0) / 1.6));
  }
  // An isolated nest leaves what lies outside alone.
  tape.clear_adjoints();
  {
    admpi::nested nest(ADMPI_NEST_ISOLATED);
    var mu = 0.5;
    tape.input(mu);
    tape.seed(normal_lpdf(y, mu, twice));
    tape.reverse();
    CHECK(close(tape.adjoint(mu), (0.3 - 0.5 + 1.1 - 0.5) / (1.6 * 1.6)));
    CHECK(tape.adjoint(y(0)) == 0.0);
    CHECK(tape.adjoint(twice) == 0.0);
  }
}

TEST_CASE("test_densities_without_a_recording") {
  CHECK(close(admpi::normal_lpdf(numbers{1.0, 2.0}, 0.0, 2.0).value, -0.5 * 1.25 - 2.0 * (std::log(2.0) + half_log_tau)));
  admpi::tape tape;
  var mu = 0.5;
  tape.start();
  tape.input(mu);
  tape.stop();
  CHECK(normal_lpdf(1.0, mu, 2.0).id == 0);
  tape.start();
  CHECK(admpi::normal_lpdf(1.0, 0.5, 2.0).id == 0);
  CHECK(normal_lpdf(1.0, mu, 2.0).id != 0);
}

TEST_CASE("test_densities_say_what_is_wrong") {
  using admpi::argument_error;
  using std::string;
  CHECK(message<argument_error>([] { admpi::normal_lpdf(1.0, 0.0, -2.0); }) ==
        "normal_lpdf: sigma = -2 is not positive and finite");
  CHECK(message<argument_error>([] { admpi::normal_lpdf(1.0, 0.0, numbers{1.0, 0.5, 0.0}); }) ==
        "normal_lpdf: sigma[2] = 0 is not positive and finite");
  CHECK(message<argument_error>([] { admpi::normal_lpdf(numbers{1.0, nan_value}, 0.0, 1.0); }) ==
        "normal_lpdf: y[1] = NaN is not finite");
  CHECK(message<argument_error>([] {
          varmat mu(2, 2);
          mu(1, 1) = infinite;
          admpi::normal_lpdf(0.0, mu, 1.0);
        }) == "normal_lpdf: mu(1, 1) = inf is not finite");
  CHECK(message<argument_error>([] { admpi::normal_lpdf(numbers{1.0, 2.0}, numbers{1.0, 2.0, 3.0}, 1.0); }) ==
        "normal_lpdf: y has 2 elements, but mu has 3");
  CHECK(message<argument_error>([] { admpi::student_t_lpdf(1.0, infinite, 0.0, 1.0); }) ==
        "student_t_lpdf: nu = inf is not positive and finite");
  CHECK(message<argument_error>([] { admpi::gamma_lpdf(1.0, 2.0, nan_value); }) ==
        "gamma_lpdf: beta = NaN is not positive and finite");
  CHECK(message<argument_error>([] { admpi::bernoulli_logit_lpmf(std::vector<int>{1, 2}, 0.0); }) ==
        "bernoulli_logit_lpmf: y[1] = 2 is not 0 or 1");
  CHECK(message<argument_error>([] { admpi::bernoulli_logit_lpmf(1, nan_value); }) ==
        "bernoulli_logit_lpmf: alpha = NaN is not a number");
  CHECK(message<argument_error>([] { admpi::poisson_log_lpmf(1.5, 0.0); }) ==
        "poisson_log_lpmf: y = 1.5 is not an integer from 0 on");
  CHECK(message<argument_error>([] { admpi::poisson_log_lpmf(-1, 0.0); }) ==
        "poisson_log_lpmf: y = -1 is not an integer from 0 on");
  test::recording_tape tape;
  var x = 1.0;
  tape.input(x);
  CHECK(message<admpi::unsupported_error>([&] { poisson_log_lpmf(x, 0.0); }) ==
        "poisson_log_lpmf: y is active, but it must be an integer from 0 on");
  const std::uint64_t events = tape.statistics().events;
  CHECK_THROWS_AS(normal_lpdf(x, 0.0, -1.0), argument_error);
  CHECK(tape.statistics().events == events);
  tape.reset();
  CHECK(message<admpi::stale_error>([&] { normal_lpdf(x, 0.0, 1.0); }).find("y (value 1") == 0);

  const admpi_operand one = admpi_operand_value(1.0);
  admpi_var lp;
  CHECK(admpi_normal_lpdf(nullptr, &one, &one, &lp) == ADMPI_ERR_NULL);
  CHECK(string(admpi_last_error()) == "y is NULL");
  CHECK(admpi_normal_lpdf(&one, &one, nullptr, &lp) == ADMPI_ERR_NULL);
  CHECK(string(admpi_last_error()) == "sigma is NULL");
  CHECK(admpi_normal_lpdf(&one, &one, &one, nullptr) == ADMPI_ERR_NULL);
  CHECK(string(admpi_last_error()) == "lp_out is NULL");
  const admpi_var two = {2.0, 0, 0};
  const admpi_operand scale = admpi_operand_scalar(two);
  CHECK(admpi_normal_lpdf(&one, &one, &scale, &lp) == ADMPI_SUCCESS);
  CHECK(close(lp.value, -std::log(2.0) - half_log_tau));
}

namespace {

/// The density of column j of y by scalars, with forward substitution.
var multi_normal(const view &y, const view &mu, const view &l, std::int64_t j) {
  var sum = 0.0;
  std::vector<var> z;
  for (std::int64_t i = 0; i < y.rows(); ++i) {
    var r = y(i, j) - mu(i, mu.cols() == 1 ? 0 : j);
    for (std::int64_t k = 0; k < i; ++k) r -= l(i, k) * z[static_cast<std::size_t>(k)];
    z.push_back(r / l(i, i));
    sum += -0.5 * z.back() * z.back() - log(l(i, i)) - half_log_tau;
  }
  return sum;
}

}  // namespace

TEST_CASE("test_densities_multi_normal_cholesky_agrees_with_scalars") {
  for (unsigned mask = 0; mask < 32; ++mask) {
    CAPTURE(mask);
    const std::int64_t n = 4, m = (mask & 8) != 0 ? 3 : 1, means = (mask & 16) != 0 ? m : 1;
    test::recording_tape tape;
    const auto matrix = [&](std::int64_t rows, std::int64_t cols, double by, bool active) {
      numbers x;
      for (std::int64_t k = 0; k < rows * cols; ++k) x.push_back(std::sin(by * static_cast<double>(k + 1)));
      varmat a(rows, cols, x.data());
      if (active) tape.input(a);
      return a;
    };
    varmat y = matrix(n, m, 1.7, mask & 1), mu = matrix(n, means, 0.9, mask & 2), l = matrix(n, n, 2.3, false);
    for (std::int64_t i = 0; i < n; ++i) {
      l(i, i) = 1.0 + 0.3 * static_cast<double>(i);
      // Not read.
      for (std::int64_t j = i + 1; j < n; ++j) l(i, j) = nan_value;
    }
    if ((mask & 4) != 0) tape.input(l);
    const var lp = multi_normal_cholesky_lpdf(y, mu, l);
    var sum = 0.0;
    for (std::int64_t j = 0; j < m; ++j) sum += multi_normal(y, mu, l, j);
    CHECK(close(lp.value, sum.value));
    CHECK((lp.id != 0) == ((mask & 7) != 0));
    const auto gradient = [&](const var &of) {
      tape.clear_adjoints();
      tape.seed(of, 1.5);
      tape.reverse();
      numbers all;
      for (const varmat *a : {&y, &mu, &l}) {
        for (const double adjoint : tape.adjoints(*a)) all.push_back(adjoint);
      }
      return all;
    };
    const numbers got = gradient(lp), expected = gradient(sum);
    for (std::size_t k = 0; k < got.size(); ++k) {
      CAPTURE(k);
      CHECK(close(got[k], expected[k]));
    }
    CHECK(gradient(lp) == got);
  }
}

TEST_CASE("test_densities_multi_normal_by_the_covariance") {
  for (unsigned mask = 0; mask < 16; ++mask) {
    CAPTURE(mask);
    const std::int64_t n = 4, m = (mask & 8) != 0 ? 3 : 1;
    test::recording_tape tape;
    const auto matrix = [&](std::int64_t rows, std::int64_t cols, double by, bool active) {
      numbers x;
      for (std::int64_t k = 0; k < rows * cols; ++k) x.push_back(std::sin(by * static_cast<double>(k + 1)));
      varmat a(rows, cols, x.data());
      if (active) tape.input(a);
      return a;
    };
    const varmat y = matrix(n, m, 1.7, mask & 1), mu = matrix(n, 1, 0.9, mask & 2);
    varmat sigma = tcrossprod(matrix(n, n + 1, 2.3, false));
    for (std::int64_t i = 0; i < n; ++i) sigma(i, i) += 1.0;
    // Not read.
    sigma(0, 2) = nan_value;
    if ((mask & 4) != 0) tape.input(sigma);
    const std::uint64_t events = tape.statistics().events;
    const var lp = multi_normal_lpdf(y, mu, sigma);
    CHECK(tape.statistics().events == events + ((mask & 7) != 0 ? 1 : 0));
    const var expected = multi_normal_cholesky_lpdf(y, mu, cholesky(sigma));
    CHECK(close(lp.value, expected.value));
    const auto gradient = [&](const var &of) {
      tape.clear_adjoints();
      tape.seed(of, 1.5);
      tape.reverse();
      numbers all;
      for (const varmat *a : {&y, &mu, static_cast<const varmat *>(&sigma)}) {
        for (const double adjoint : tape.adjoints(*a)) all.push_back(adjoint);
      }
      return all;
    };
    const numbers got = gradient(lp), wanted = gradient(expected);
    for (std::size_t k = 0; k < got.size(); ++k) {
      CAPTURE(k);
      CHECK(close(got[k], wanted[k], 1e-11));
    }
    CHECK(gradient(lp) == got);
  }
  const varmat y(2, 1), mu(2, 1);
  const auto of = [&](const varmat &sigma) {
    return message<admpi::argument_error>([&] { admpi::multi_normal_lpdf(y, mu, sigma); });
  };
  CHECK(of(varmat(3, 3)) == "multi_normal_lpdf: y is 2 x 1, but sigma is 3 x 3");
  CHECK(of(varmat(2, 2, numbers{1.0, 2.0, 2.0, 1.0}.data())) ==
        "multi_normal_lpdf: sigma is not positive definite: pivot 1 is not positive");
  CHECK(of(varmat(2, 2, numbers{1.0, nan_value, 2.0, 1.0}.data())) == "multi_normal_lpdf: sigma(1, 0) = NaN is not finite");
}

TEST_CASE("test_densities_multi_normal_cholesky_in_directions_and_of_parts") {
  test::recording_tape tape;
  tape.set_width(2);
  varmat all(5, 5);
  for (std::int64_t k = 0; k < 25; ++k) all(k) = std::cos(1.3 * static_cast<double>(k)) + (k % 6 == 0 ? 2.0 : 0.0);
  tape.input(all);
  const view l = all.block(1, 1, 3, 3), y = all.row(4).segment(0, 3).transpose(), mu = all.col(0).segment(1, 3);
  const var lp = multi_normal_cholesky_lpdf(y, mu, l), sum = multi_normal(y, mu, l, 0);
  all(2, 2) = 17.0;
  const auto gradient = [&](const var &of, int direction) {
    tape.clear_adjoints();
    tape.seed(of, 0.5, 0);
    tape.seed(of, -3.0, 1);
    tape.reverse();
    return tape.adjoints(all, direction);
  };
  for (int direction = 0; direction < 2; ++direction) {
    const numbers got = gradient(lp, direction), expected = gradient(sum, direction);
    for (std::size_t k = 0; k < got.size(); ++k) CHECK(close(got[k], expected[k]));
  }
}

TEST_CASE("test_densities_multi_normal_cholesky_says_what_is_wrong") {
  using admpi::argument_error;
  const varmat y(3, 2), mu(3, 1);
  varmat l(3, 3);
  for (std::int64_t i = 0; i < 3; ++i) l(i, i) = 1.0;
  const auto of = [&](const argument &a, const argument &b, const argument &c) {
    return message<argument_error>([&] { admpi::multi_normal_cholesky_lpdf(a, b, c); });
  };
  CHECK(of(y, varmat(2, 1), l) == "multi_normal_cholesky_lpdf: y is 3 x 2, but mu is 2 x 1");
  CHECK(of(y, mu, varmat(3, 2)) == "multi_normal_cholesky_lpdf: y is 3 x 2, but l is 3 x 2");
  l(2, 1) = nan_value;
  CHECK(of(y, mu, l) == "multi_normal_cholesky_lpdf: l(2, 1) = NaN is not finite");
  l(1, 1) = -0.5;
  CHECK(of(y, mu, l) == "multi_normal_cholesky_lpdf: l(1, 1) = -0.5 is not positive and finite");
  varmat wrong = y;
  wrong(1, 1) = infinite;
  CHECK(of(wrong, mu, l) == "multi_normal_cholesky_lpdf: y(1, 1) = inf is not finite");
  wrong = mu;
  wrong(2) = nan_value;
  CHECK(of(y, wrong, l) == "multi_normal_cholesky_lpdf: mu[2] = NaN is not finite");
  CHECK(of(1.0, varmat(3, 2), l) == "multi_normal_cholesky_lpdf: y is 1 x 1, but mu is 3 x 2");
}

TEST_CASE("test_densities_multi_normal_of_scalars") {
  test::recording_tape tape;
  var y = 0.3, mu = -1.2, sigma = 0.7;
  tape.input(y);
  tape.input(mu);
  tape.input(sigma);
  const var expected = admpi::normal_lpdf(y, mu, sigma);
  for (const var &lp : {admpi::multi_normal_cholesky_lpdf(y, mu, sigma), admpi::multi_normal_lpdf(y, mu, square(sigma))}) {
    CHECK(close(lp.value, expected.value));
    for (const var *x : {&y, &mu, &sigma}) {
      double slope[2];
      for (const int way : {0, 1}) {
        tape.clear_adjoints();
        tape.seed(way == 0 ? lp : expected);
        tape.reverse();
        slope[way] = tape.adjoint(*x);
      }
      CHECK(close(slope[0], slope[1]));
    }
  }
}
