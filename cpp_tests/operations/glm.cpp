// Densities of generalised linear models against the densities of alpha + x beta: every mix of active and passive, one
// intercept or many, data by columns, by rows and with gaps, in one direction and four; and what they refuse.
#include <admpi.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::var;
using admpi::varmat;
using admpi::view;
using test::message;
using test::numbers;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

numbers waves(std::int64_t n, double step, double size = 1.0) {
  numbers x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = size * std::sin(1.0 + step * static_cast<double>(i));
  return x;
}

/// Data as a part of a matrix that lies by columns, by rows, or with gaps between all elements.
struct data {
  varmat holder;
  view x;

  data(std::int64_t n, std::int64_t k, int lie)
      : holder(lie == 1 ? varmat(k, n, waves(n * k, 0.7).data()) : varmat(2 * n, k + 1, waves(2 * n * (k + 1), 0.7).data())),
        x(lie == 0 ? holder.block(n, 1, n, k) : lie == 1 ? holder.transpose() : holder.all().every(2, 1).block(0, 0, n, k)) {}
};

struct model {
  varmat y, alpha, beta, sigma;
};

template <class Glm, class Density>
void check_model(Glm glm, Density density, const model &given, const view &x, unsigned active, int width) {
  test::recording_tape tape;
  tape.set_width(width);
  model m = given;
  varmat *const inputs[] = {&m.alpha, &m.beta, &m.sigma};
  for (unsigned i = 0; i < 3; ++i) {
    if (active >> i & 1) tape.input(*inputs[i]);
  }
  const std::uint64_t events = tape.statistics().events, statements = tape.statistics().statements;
  const var lp = glm(m, x);
  CHECK(tape.statistics().events <= events + 4);  // itself, and the first hold of each operand
  CHECK(tape.statistics().statements == statements);
  const var expected = density(m, x);
  CHECK(lp.value == doctest::Approx(expected.value).epsilon(1e-12));
  CHECK((lp.id == 0) == (expected.id == 0));
  const auto gradient = [&](const var &of) {
    numbers all;
    if (of.id == 0) return all;
    tape.clear_adjoints();
    for (int k = 0; k < width; ++k) tape.seed(of, 1.5 - k, k);
    tape.reverse();
    for (unsigned i = 0; i < 3; ++i) {
      if (!(active >> i & 1)) continue;
      for (const var &element : inputs[i]->vars()) {
        for (int k = 0; k < width; ++k) all.push_back(tape.adjoint(element, k));
      }
    }
    return all;
  };
  const numbers got = gradient(lp), of_density = gradient(expected);
  REQUIRE(got.size() == of_density.size());
  double largest = 1.0;
  for (const double each : of_density) largest = std::max(largest, std::fabs(each));
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got[i] - of_density[i]) <= 1e-13 * largest);
  }
  CHECK(gradient(lp) == got);
}

template <class Glm, class Density>
void check_models(const numbers &observed, Glm glm, Density density) {
  for (const std::int64_t n : {0, 1, 2, 63, 64, 65, 300}) {
    for (const std::int64_t k : {0, 1, 3, 300}) {
      for (const std::int64_t intercepts : {std::int64_t(1), n}) {
        for (int lie = 0; lie < 3; ++lie) {
          CAPTURE(n);
          CAPTURE(k);
          CAPTURE(intercepts);
          CAPTURE(lie);
          const data of(n, k, lie);
          numbers y(observed.begin(), observed.begin() + n);
          numbers sigma = waves(intercepts, 0.3, 0.5);
          for (double &each : sigma) each += 1.0;
          const model m{varmat(y), varmat(waves(intercepts, 0.9)), varmat(waves(k, 1.3, 0.2)), varmat(sigma)};
          const unsigned active = static_cast<unsigned>(n + k + lie + intercepts) % 8;
          check_model(glm, density, m, of.x, active, 1);
          check_model(glm, density, m, of.x, 7, n == 65 ? 4 : 1);
        }
      }
    }
  }
}

/// alpha + x beta, where alpha may be one number.
varmat predictor(const model &m, const view &x) {
  const varmat product = multiply(x, m.beta);
  if (m.alpha.size() == 1) return product + var(m.alpha(0));
  return m.alpha + product;
}

numbers bits(std::int64_t n) {
  numbers all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(i % 3 == 0);
  return all;
}

numbers counts(std::int64_t n) {
  numbers all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(static_cast<double>(i % 5));
  return all;
}

}  // namespace

TEST_CASE("test_glm_agrees_with_density_of_predictor") {
  check_models(
      bits(300), [](const model &m, const view &x) { return admpi::bernoulli_logit_glm_lpmf(m.y, x, m.alpha, m.beta); },
      [](const model &m, const view &x) { return admpi::bernoulli_logit_lpmf(m.y, predictor(m, x)); });
  check_models(
      counts(300), [](const model &m, const view &x) { return admpi::poisson_log_glm_lpmf(m.y, x, m.alpha, m.beta); },
      [](const model &m, const view &x) { return admpi::poisson_log_lpmf(m.y, predictor(m, x)); });
  check_models(
      waves(300, 0.4), [](const model &m, const view &x) { return admpi::normal_id_glm_lpdf(m.y, x, m.alpha, m.beta, m.sigma); },
      [](const model &m, const view &x) {
        const varmat mean = predictor(m, x);
        if (m.sigma.size() == 1) return admpi::normal_lpdf(m.y, mean, var(m.sigma(0)));
        return admpi::normal_lpdf(m.y, mean, m.sigma);
      });
}

TEST_CASE("test_glm_takes_scalars_and_vectors") {
  const varmat x(2, 1, numbers{0.5, -1.0}.data());
  test::recording_tape tape;
  var alpha = 0.3;
  std::vector<var> beta{2.0};
  tape.input(alpha);
  tape.input(beta[0]);
  const var lp = admpi::bernoulli_logit_glm_lpmf(std::vector<int>{1, 0}, x, alpha, beta);
  tape.seed(lp);
  tape.reverse();
  const double missed = 1.0 / (1.0 + std::exp(1.3)), came = 1.0 / (1.0 + std::exp(1.7));
  CHECK(lp.value == doctest::Approx(std::log(1.0 - missed) + std::log(1.0 - came)));
  CHECK(tape.adjoint(alpha) == doctest::Approx(missed - came));
  CHECK(tape.adjoint(beta[0]) == doctest::Approx(0.5 * missed + came));
}

TEST_CASE("test_glm_refuses_what_it_cannot_read") {
  using admpi::argument_error;
  const varmat x(2, 1, numbers{1.0, 2.0}.data());
  const numbers y{1.0, 0.0};
  CHECK(message<argument_error>([&] { bernoulli_logit_glm_lpmf(numbers{1.0}, x, 0.0, 1.0); }) ==
        "bernoulli_logit_glm_lpmf: x is 2 x 1, but y has 1 elements");
  CHECK(message<argument_error>([&] { bernoulli_logit_glm_lpmf(y, x, 0.0, numbers{1.0, 2.0}); }) ==
        "bernoulli_logit_glm_lpmf: x is 2 x 1, but beta has 2 elements");
  CHECK(message<argument_error>([&] { poisson_log_glm_lpmf(y, x, numbers{1.0, 2.0, 3.0}, 1.0); }) ==
        "poisson_log_glm_lpmf: x is 2 x 1, but alpha has 3 elements");
  CHECK(message<argument_error>([&] { bernoulli_logit_glm_lpmf(numbers{1.0, 2.0}, x, 0.0, 1.0); }) ==
        "bernoulli_logit_glm_lpmf: y[1] = 2 is not 0 or 1");
  CHECK(message<argument_error>([&] { normal_id_glm_lpdf(y, x, 0.0, 1.0, 0.0); }) ==
        "normal_id_glm_lpdf: sigma[0] = 0 is not positive and finite");
  CHECK(message<argument_error>([&] { normal_id_glm_lpdf(y, x, 0.0, infinite, 1.0); }) ==
        "normal_id_glm_lpdf: beta[0] = inf is not finite");
  CHECK(message<argument_error>([&] { normal_id_glm_lpdf(y, x, numbers{0.0, infinite}, 1.0, 1.0); }) ==
        "normal_id_glm_lpdf: alpha[1] = inf is not finite");
  CHECK(message<argument_error>([&] { normal_id_glm_lpdf(y, varmat(2, 1, numbers{1.0, infinite}.data()), 0.0, 1.0, 1.0); }) ==
        "normal_id_glm_lpdf: x(1, 0) = inf is not finite");
  CHECK(message<argument_error>([&] { normal_id_glm_lpdf(y, x, 0.0, 1e308, 1.0); }) ==
        "normal_id_glm_lpdf: the predictor of row 1 of x = inf is not finite");
  test::recording_tape tape;
  varmat active = x;
  tape.input(active);
  const std::uint64_t events = tape.statistics().events;
  CHECK(message<admpi::unsupported_error>([&] { bernoulli_logit_glm_lpmf(y, active, 0.0, 1.0); }) ==
        "bernoulli_logit_glm_lpmf: x is active, but it must be data; write alpha + multiply(x, beta), and take the density of that");
  CHECK(tape.statistics().events == events);
}
