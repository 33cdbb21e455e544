// Linear algebra: the gradient of sum(A * B) over three products of passive matrices, which is what it takes at least, and
// the gradient of a Cholesky factor over the factor.
#include <admpi.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

#include "bench.hpp"

namespace {

std::vector<double> some(std::int64_t n, int kind) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) x[static_cast<std::size_t>(k)] = std::sin(0.37 * static_cast<double>(k) + kind);
  return x;
}

/// In turns, some tenths of a millisecond each or one call, so that what else the machine does falls on both.
template <class Plain, class Active>
double ratio(std::int64_t n, Plain plain, Active active) {
  const double work = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  const int repeat = 1 + static_cast<int>(2e6 / (work + 2e3));
  const int runs = work > 5e7 ? 60 : 300;
  bench::fastest of_plain, of_active;
  for (int i = 0; i < runs; ++i) {
    of_plain.run([&] {
      for (int k = 0; k < repeat; ++k) plain();
    });
    of_active.run([&] {
      for (int k = 0; k < repeat; ++k) active();
    });
  }
  return of_active.seconds() / of_plain.seconds();
}

void product(std::int64_t n, double goal) {
  const admpi::varmat plain_a(n, n, some(n * n, 1).data()), plain_b(n, n, some(n * n, 2).data());
  admpi::tape tape;
  tape.start();
  admpi::varmat a = plain_a, b = plain_b;
  tape.input(a);
  tape.input(b);
  const admpi::position start = tape.position();
  const auto gradient = [&] {
    const admpi::var s = sum(multiply(a, b));
    tape.seed(s);
    tape.reverse();
    tape.reset_to(start);
  };
  gradient();
  // The adjoint of A(i, j) is the sum of row j of B.
  double row = 0.0;
  for (std::int64_t j = 0; j < n; ++j) row += plain_b(n / 2, j).value;
  bench::check("gradient of sum(A * B)", tape.adjoint(a(n / 3, n / 2)), row, 1e-12);
  const double measured = ratio(
      n, [&] { for (int k = 0; k < 3; ++k) bench::use(multiply(plain_a, plain_b)); }, gradient);
  char what[80];
  std::snprintf(what, sizeof what, "gradient of sum(A * B) over 3 products, n = %d", static_cast<int>(n));
  bench::row(what, measured, goal);
}

void cholesky_factor(std::int64_t n, double goal) {
  const admpi::varmat half(n, n, some(n * n, 1).data());
  admpi::varmat plain = tcrossprod(half);
  for (std::int64_t i = 0; i < n; ++i) plain(i, i) += static_cast<double>(n);
  admpi::tape tape;
  tape.start();
  admpi::varmat a = plain;
  tape.input(a);
  const admpi::position start = tape.position();
  const auto gradient = [&] {
    tape.seed(sum(cholesky(a)));
    tape.reverse();
    tape.reset_to(start);
  };
  gradient();
  // The derivative along a direction, by differences.
  const std::vector<double> adjoint = tape.adjoints(a);
  double along = 0.0, sides[2];
  for (const int side : {0, 1}) {
    admpi::varmat moved = plain;
    for (std::int64_t i = 0; i < n; ++i) moved(i, i) += (side == 0 ? 1e-3 : -1e-3) * static_cast<double>(i % 7);
    const std::vector<double> l = cholesky(moved).values();
    sides[side] = 0.0;
    for (const double x : l) sides[side] += x;
  }
  for (std::int64_t i = 0; i < n; ++i) along += adjoint[static_cast<std::size_t>(i * n + i)] * static_cast<double>(i % 7);
  bench::check("gradient of a Cholesky factor", along, (sides[0] - sides[1]) / 2e-3, 1e-6);
  const double measured = ratio(n, [&] { bench::use(cholesky(plain)); }, gradient);
  char what[80];
  std::snprintf(what, sizeof what, "gradient of cholesky over cholesky, n = %d", static_cast<int>(n));
  bench::row(what, measured, goal);
}

}  // namespace

int main() {
  product(8, 1.5);
  product(32, 1.2);
  product(64, 1.1);
  product(256, 1.03);
  product(512, 1.0);
  cholesky_factor(500, 4.0);
  return 0;
}
