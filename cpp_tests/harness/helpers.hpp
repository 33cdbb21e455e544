// What several tests share.
#ifndef ADMPI_TESTS_HELPERS_HPP
#define ADMPI_TESTS_HELPERS_HPP

#include <admpi.hpp>

#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

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
  close(before);
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(&text[0], 1, text.size(), file));
  std::fclose(file);
  return text;
}

using numbers = std::vector<double>;

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
template <class F>
derivatives through_tape(F f, double a, double b, bool active_a, bool active_b) {
  admpi::tape tape;
  tape.start();
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
