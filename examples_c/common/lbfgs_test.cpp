/* The optimiser by itself: a curved valley, and a function with a wall where it is not defined. */
#include "lbfgs.hpp"

#include <cmath>
#include <cstdio>

namespace {

using lbfgs::Vector;

double rosenbrock(const Vector &x, Vector &gradient) {
  double sum = 0;
  gradient.assign(x.size(), 0.0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    sum += a * a + 100 * b * b;
    gradient[i] += -2 * a - 400 * b * x[i];
    gradient[i + 1] += 200 * b;
  }
  return sum;
}

/* Minimum at x = 2, y = 3; not a number beyond x = 0 and y = 0. */
double barrier(const Vector &x, Vector &gradient) {
  gradient = {1 - 2 / x[0], 1 - 3 / x[1]};
  return x[0] - 2 * std::log(x[0]) + x[1] - 3 * std::log(x[1]);
}

int failures = 0;

void check_minimum(const char *name, const lbfgs::Function &f, const Vector &start, const Vector &expected) {
  double last = INFINITY;
  bool decreases = true;
  const auto observe = [&](const lbfgs::State &state) {
    decreases = decreases && state.value < last;
    last = state.value;
    return state.gradient_norm > 1e-7;
  };
  const lbfgs::State end = lbfgs::minimise(f, start, 200, observe, 0.01);
  double error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) error = std::fmax(error, std::fabs(end.x[i] - expected[i]));
  const bool passed = decreases && error < 1e-6;
  std::printf("%-12s %3d iterations, %3d evaluations, error %.1e: %s\n", name, end.iteration, end.evaluations, error,
              passed ? "passed" : "FAILED");
  if (!passed) ++failures;
}

}  // namespace

int main() {
  check_minimum("rosenbrock", rosenbrock, Vector(10, -1.0), Vector(10, 1.0));
  check_minimum("barrier", barrier, {0.1, 40.0}, {2.0, 3.0});
  return failures;
}
