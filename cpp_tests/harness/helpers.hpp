// What several tests share.
#ifndef ADMPI_TESTS_HELPERS_HPP
#define ADMPI_TESTS_HELPERS_HPP

#include <admpi.hpp>

#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/function_ref.hpp"
#include "harness/recording_tape.hpp"

namespace test {

/// What f writes to standard error.
template <class F>
std::string standard_error_of(F f) {
  std::FILE *file = std::tmpfile();
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  f();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  ::close(before);
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(&text[0], 1, text.size(), file));
  std::fclose(file);
  return text;
}

using numbers = std::vector<double>;

/// A number between 0 and 1 for each place: all differ, and are the same in every program.
inline double fraction(std::int64_t place) {
  const double x = std::sin(12.9898 * static_cast<double>(place + 1)) * 43758.5453;
  return x - std::floor(x);
}

/// Numbers between -1 and 1, for the places from `from` on.
inline numbers some(std::int64_t n, std::int64_t from = 0) {
  numbers x(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) x[static_cast<std::size_t>(k)] = 2.0 * fraction(from + k) - 1.0;
  return x;
}

inline bool close(double got, double expected, double digits = 1e-13) {
  return std::fabs(got - expected) <= digits * (1.0 + std::fabs(expected));
}

/// The code of the error that f throws; 0 if it throws none.
template <class F>
int code_of(F f) {
  try {
    f();
  } catch (const admpi::error &e) {
    return e.code();
  }
  return 0;
}

/// The message of the error that f must throw.
template <class Error = admpi::argument_error, class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

/// A value and two derivatives.
struct derivatives {
  double value;
  double first;
  double second;
};

/// y = f(a, b) with active operands as asked, seeded and swept.
inline derivatives through_tape(function_ref<admpi::var(admpi::var, admpi::var)> f, double a, double b, bool active_a, bool active_b) {
  recording_tape tape;
  admpi::var x = a, y = b;
  if (active_a) tape.input(x);
  if (active_b) tape.input(y);
  const admpi::var z = f(x, y);
  tape.stop();
  tape.seed(z);
  tape.reverse();
  return {z.value, tape.adjoint(x), tape.adjoint(y)};
}

}  // namespace test

#endif
