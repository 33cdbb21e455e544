// What a program of programs.hpp gives by admpi's own tape, for other tools to be compared with.
#ifndef ADMPI_TESTS_TOOLS_OUTCOME_HPP
#define ADMPI_TESTS_TOOLS_OUTCOME_HPP

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/ranks.hpp"
#include "tools/random_programs.hpp"

namespace programs {

struct outcome {
  std::vector<double> values, gradient;  // gradient: one direction behind the other
};

inline outcome by_own_tape(int which, int directions) {
  outcome found;
  admpi::tape tape;
  list<admpi::var> x(length), y;
  for (int i = 0; i < length; ++i) x[i] = input(i);
  tape.start();
  tape.input(x);
  const list<admpi::var> start = x;
  run<admpi::var>(which, AMPI_ADOUBLE, x, y);
  for (const auto &one : y) found.values.push_back(admpi::value(one));
  for (int d = 0; d < directions; ++d) {
    for (std::size_t i = 0; i < y.size(); ++i) tape.seed(y[i], weight(i, d));
    tape.reverse();
    for (const auto &one : start) found.gradient.push_back(tape.adjoint(one));
    tape.clear_adjoints();
  }
  return found;
}

inline void check_same(const outcome &one, const outcome &other) {
  CHECK(test::same_sums(one.values, other.values));
  REQUIRE(one.gradient.size() == other.gradient.size());
  double largest = 0;
  for (std::size_t i = 0; i < one.gradient.size(); ++i) {
    CHECK(one.gradient[i] == doctest::Approx(other.gradient[i]).epsilon(SUMS_REPEAT ? 1e-13 : 1e-9));
    largest = std::max(largest, std::fabs(other.gradient[i]));
  }
  CHECK(largest > 0);
}

}  // namespace programs

#endif
