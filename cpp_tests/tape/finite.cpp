// ADMPI_CHECK=nan: the first adjoint of a sweep that is not finite is an error, which says what it came from.
#include <admpi.hpp>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using admpi::var;
using admpi::varmat;

namespace {

/// It is read at the first sweep.
const int asked_for = setenv("ADMPI_CHECK", "nan", 1);

/// Sweeps from y, and returns the error.
std::string message_of(admpi::tape_ref tape, const var &y, double weight = 1.0) {
  tape.seed(y, weight);
  try {
    tape.reverse();
  } catch (const admpi::error &error) {
    CHECK(error.code() == ADMPI_ERR_ARGUMENT);
    tape.clear_adjoints();
    return error.what();
  }
  return "";
}

void check_holds(const std::string &text, const std::string &part) {
  CAPTURE(text);
  CHECK(text.find(part) != std::string::npos);
}

TEST_CASE("test_finite_sweeps_pass") {
  for (const int width : {1, 4}) {
    admpi::tape tape;
    tape.set_width(width);
    tape.start();
    var x = 3.0;
    tape.input(x);
    const var y = x * x + sin(x);
    CHECK(message_of(tape, y).empty());
    CHECK(tape.adjoint(x) == 6.0 + std::cos(3.0));
    varmat a(3, 2);
    for (int k = 0; k < 6; ++k) a(k) = 2.0;
    tape.input(a);
    CHECK(message_of(tape, sum(exp(a))).empty());
    CHECK(tape.adjoint(a(0, 0)) == doctest::Approx(std::exp(2.0)));
  }
}

TEST_CASE("test_finite_statement_with_infinite_partial") {
  for (const int width : {1, 2}) {
    admpi::tape tape;
    tape.set_width(width);
    tape.start();
    var x = 0.0, z = 1.0;
    tape.input(x);
    tape.input(z);
    const var root = sqrt(x);
    const var y = 2.0 * root + z;
    const std::string text = message_of(tape, y);
    check_holds(text, "ADMPI_CHECK=nan: the adjoint of operand 1 of 1 (id " + std::to_string(x.id) + ") of the statement that made id " +
                          std::to_string(root.id));
    check_holds(text, "its partial derivative inf times the adjoint 2.0 was added");
  }
}

/// Finite partials, whose product is not.
TEST_CASE("test_finite_overflow") {
  admpi::tape tape;
  tape.start();
  var x = 1.0;
  tape.input(x);
  const var y = 1e200 * x;
  const var z = 1e200 * y;
  check_holds(message_of(tape, z), "its partial derivative 1e200 times the adjoint 1e200");
}

TEST_CASE("test_finite_seed") {
  admpi::tape tape;
  tape.start();
  var x = 1.0;
  tape.input(x);
  const var y = 2.0 * x;
  check_holds(message_of(tape, y, std::nan("")), "(id " + std::to_string(y.id) + ") is NaN: it was seeded");
}

TEST_CASE("test_finite_events") {
  admpi::tape tape;
  tape.start();
  std::vector<var> x = {1.0, 2.0};
  tape.input(x);
  const std::vector<var> y = tape.callback(x, {3.0}, [](const admpi::callback_adjoints &all) {
    if (all.out(0) != 0.0) all.in(1) = std::nan("");
  });
  const std::string text = message_of(tape, y[0]);
  check_holds(text, "callback (event 1) adds NaN to the adjoint of an operand (id " + std::to_string(x[1].id) + ")");
  varmat a(2, 1);
  a(0) = 0.0;
  a(1) = 4.0;
  tape.input(a);
  check_holds(message_of(tape, sum(sqrt(a))), "array statement");
  // A sweep that meets none of it goes on.
  CHECK(message_of(tape, x[0] * x[1]).empty());
  CHECK(tape.adjoint(x[1]) == 1.0);
}

}  // namespace
