// What the tests of the tape share: a program, its gradient, and the error that a call throws.
#ifndef ADMPI_TESTS_TAPE_PROGRAMS_HPP
#define ADMPI_TESTS_TAPE_PROGRAMS_HPP

#include <admpi.hpp>
#include <admpi.h>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

namespace tapes {

using admpi::var;

/// Makes tapes check their operands while it lives.
struct checking {
  checking() { admpi_set_check(1); }
  ~checking() { admpi_set_check(0); }
};

/// The exception that f throws, as its code and message.
template <class F>
std::pair<int, std::string> thrown(F f) {
  try {
    f();
  } catch (const admpi::error &e) {
    return {e.code(), e.what()};
  }
  return {0, ""};
}

/// A program of some statements over a few values.
template <class T>
T program(const std::vector<T> &x) {
  using std::exp;
  using std::sin;
  std::vector<T> v(x);
  for (int i = 0; i < 200; ++i) {
    const std::size_t a = static_cast<std::size_t>(i) % v.size(), b = static_cast<std::size_t>(3 * i + 1) % v.size();
    v[a] = sin(v[a] * v[b]) + 0.9 * v[b] - 0.1 * v[a] * v[a];
    if (i % 7 == 0) v[b] += exp(-v[a]);
  }
  T sum = 0.0;
  for (const T &e : v) sum += e;
  return sum;
}

const std::vector<double> start{0.3, -0.7, 1.1, 0.2};

/// The gradient of program by forward mode.
inline std::vector<double> program_gradient() {
  std::vector<double> gradient;
  for (std::size_t i = 0; i < start.size(); ++i) {
    std::vector<admpi::tangent<double>> x(start.begin(), start.end());
    x[i].derivative = 1.0;
    gradient.push_back(program(x).derivative);
  }
  return gradient;
}

}  // namespace tapes

#endif
