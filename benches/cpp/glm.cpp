// Logistic regression: the gradient over a plain loop for the value, by bernoulli_logit_glm_lpmf and by the density of a product.
#include <admpi.hpp>

#include <cmath>
#include <vector>

#include "bench.hpp"

namespace {

constexpr int n = 10000;
constexpr int k = 100;

/// The value by plain loops; the data lie column by column.
double plain(const std::vector<double> &y, const std::vector<double> &x, const std::vector<double> &beta, std::vector<double> &eta) {
  eta.assign(n, 0.0);
  for (int j = 0; j < k; ++j) {
    const double *column = &x[static_cast<std::size_t>(j) * n];
    for (int i = 0; i < n; ++i) eta[i] += column[i] * beta[j];
  }
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double against = y[i] == 0.0 ? eta[i] : -eta[i];
    sum -= against > 0.0 ? against + std::log1p(std::exp(-against)) : std::log1p(std::exp(against));
  }
  return sum;
}

template <class Density>
void measure(const char *what, const std::vector<double> &y, const std::vector<double> &x, const std::vector<double> &start, double goal,
             Density density) {
  const admpi::varmat of_y(y), of_x(n, k, x.data());
  admpi::tape tape;
  tape.start();
  admpi::varmat beta(start);
  tape.input(beta);
  const admpi::position base = tape.position();
  admpi::var lp;
  const auto gradient = [&] {
    tape.clear_adjoints();
    lp = density(of_y, of_x, beta);
    tape.seed(lp);
    tape.reverse();
    tape.reset_to(base);
  };
  std::vector<double> eta;
  gradient();
  bench::check(what, lp.value, plain(y, x, start, eta), 1e-12);
  const double got = tape.adjoint(beta(3));
  std::vector<double> moved = start;
  moved[3] += 1e-5;
  const double above = plain(y, x, moved, eta);
  moved[3] -= 2e-5;
  bench::check(what, got, (above - plain(y, x, moved, eta)) / 2e-5, 1e-5);
  bench::blocks of_plain, of_active;
  for (int run = 0; run < 200; ++run) {
    of_plain.run([&] { bench::use(plain(y, x, start, eta)); });
    of_active.run(gradient);
  }
  bench::row(what, of_active.seconds() / of_plain.seconds(), goal);
}

}  // namespace

int main() {
  std::vector<double> y(n), x(static_cast<std::size_t>(n) * k), beta(k);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37 * static_cast<double>(i % 7919));
  for (int i = 0; i < n; ++i) y[i] = i % 3 == 0;
  for (int j = 0; j < k; ++j) beta[j] = 0.1 * std::cos(j);
  const double goal = 0.95;  // Stan 2.36: 0.95-1.25
  measure("logistic regression, bernoulli_logit_glm_lpmf, over plain value", y, x, beta, goal,
          [](const auto &of_y, const auto &of_x, const auto &b) { return bernoulli_logit_glm_lpmf(of_y, of_x, 0.0, b); });
  measure("the same by bernoulli_logit_lpmf of a product", y, x, beta, goal,
          [](const auto &of_y, const auto &of_x, const auto &b) { return bernoulli_logit_lpmf(of_y, multiply(of_x, b)); });
  return 0;
}
