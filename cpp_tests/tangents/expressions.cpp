// Expressions of tangent<var>: two statements an assignment, whatever the operands; their parts, their limits, and what ends them.
#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using admpi::tangent;
using admpi::var;

namespace {

using second = tangent<var>;
using nested = tangent<tangent<double>>;

/// Some inputs with directions, and what was recorded since they were made.
struct recording {
  admpi::tape tape;
  std::vector<second> x;
  admpi::tape_statistics before{};

  explicit recording(const std::vector<double> &at, bool with_directions = true) : x(at.begin(), at.end()) {
    tape.start();
    for (std::size_t i = 0; i < x.size(); ++i) {
      tape.input(x[i].value);
      if (!with_directions) continue;
      x[i].derivative = along(i);
      tape.input(x[i].derivative);
    }
    mark();
  }
  static double along(std::size_t i) { return 0.5 + 0.25 * static_cast<double>(i); }
  void mark() { before = tape.statistics(); }
  std::uint64_t statements() const { return tape.statistics().statements - before.statements; }
  std::uint64_t arguments() const { return tape.statistics().arguments - before.arguments; }
  void sweep(const var &y) {
    tape.clear_adjoints();
    tape.seed(y);
    tape.reverse();
  }
};

/// Value, derivative, gradient and Hessian times the direction by sweeps, and by tangents of tangents.
template <class F>
void check_against_tangents(const std::vector<double> &at, F f) {
  recording r(at);
  const second y = f(r.x);
  std::vector<double> gradient, product, along_directions;
  r.sweep(y.value);
  for (const second &one : r.x) gradient.push_back(r.tape.adjoint(one.value));
  r.sweep(y.derivative);
  for (const second &one : r.x) product.push_back(r.tape.adjoint(one.value));
  for (const second &one : r.x) along_directions.push_back(r.tape.adjoint(one.derivative));
  for (std::size_t i = 0; i < at.size(); ++i) {
    CAPTURE(i);
    std::vector<nested> moved(at.begin(), at.end());
    for (std::size_t j = 0; j < at.size(); ++j) moved[j].value.derivative = recording::along(j);
    moved[i].derivative.value = 1.0;
    const nested z = f(moved);
    CHECK(y.value.value == doctest::Approx(z.value.value).epsilon(1e-14));
    CHECK(y.derivative.value == doctest::Approx(z.value.derivative).epsilon(1e-13));
    CHECK(gradient[i] == doctest::Approx(z.derivative.value).epsilon(1e-13));
    CHECK(along_directions[i] == doctest::Approx(z.derivative.value).epsilon(1e-13));
    CHECK(product[i] == doctest::Approx(z.derivative.derivative).epsilon(1e-12));
  }
}

template <int N, class T, class E>
auto long_sum(const T &x, const E &rest) {
  if constexpr (N == 0) {
    return T(rest);
  } else {
    return long_sum<N - 1>(x, x * sin(rest));
  }
}

}  // namespace

TEST_CASE("test_tangent_expressions_two_statements_an_assignment") {
  recording r({2.0, 3.0, 0.5});
  second z = r.x[0] * r.x[1] + sin(r.x[0]) / (r.x[1] - 1.0) + r.x[0] * r.x[1];
  CHECK(r.statements() == 2);
  CHECK(r.arguments() == 2 + 4);  // the derivative's: both directions, and both values
  r.mark();
  z -= r.x[0] * r.x[2];
  CHECK(r.statements() == 2);
  CHECK(r.arguments() == 3 + 5);  // z counts for the derivative by its own only
  r.mark();
  z = 2.0 * z + r.x[0] - 1.0;
  CHECK(r.statements() == 2);
  CHECK(r.arguments() == 2 + 2);  // a sum has no second derivatives
  r.mark();
  z = abs(z) + fdim(z, r.x[0]);
  CHECK(r.arguments() == 2 + 2);  // z is one argument of each
}

TEST_CASE("test_tangent_expressions_copies_and_choices_record_nothing") {
  recording r({2.0, 3.0});
  second z = r.x[0];
  std::swap(z, r.x[1]);
  CHECK(max(z, r.x[1]).value.id == z.value.id);
  CHECK(fmin(r.x[1], 5.0).derivative.id == r.x[1].derivative.id);
  CHECK(std::max<second>(0.0, z).value.id == z.value.id);
  CHECK(r.statements() == 0);
  CHECK(max(z * z, z).value.value == 9.0);
  CHECK(min(z * z, z).value.id == z.value.id);
  CHECK(r.statements() == 2);  // of the choice alone
}

TEST_CASE("test_tangent_expressions_against_tangents_of_tangents") {
  check_against_tangents({0.7, 1.3, 0.4}, [](const auto &x) {
    using T = std::decay_t<decltype(x[0])>;
    T y = x[0];
    y = y * x[1] / (x[2] + 2.0) - 3.0 / x[0] + pow(x[1], 1.5) + pow(2.0, x[2]) * pow(x[0], x[1]);
    y += square(y) + inv(x[1]) - log(y * x[2] + 4.0) + fma(x[0] * x[1], x[1], x[2]);
    y *= hypot(y, x[0], 1.0) + atan2(x[0], x[1] * x[2]);
    T w = clamp(y * 0.1, 0.0, 100.0) * copysign(x[2] * x[1], -1.0) + ldexp(x[0] * x[2], 3) + max(x[0] * x[0], x[1]);
    w = -w / y + y;
    return w;
  });
  // More leaves than an expression may have.
  check_against_tangents({0.9, 0.3}, [](const auto &x) { return long_sum<80>(x[0], x[0] * x[1]) + x[0] * x[1]; });
}

TEST_CASE("test_tangent_expressions_have_parts") {
  recording r({2.0, 3.0});
  const auto e = r.x[0] * r.x[1];
  CHECK(r.statements() == 0);
  CHECK(e.value.value == 6.0);
  CHECK(e.derivative.value == 0.5 * 3.0 + 0.75 * 2.0);
  CHECK(value(e) == 6.0);
  CHECK(static_cast<int>(e) == 6);
  CHECK(e > r.x[0]);
  CHECK(e == 6.0);
  CHECK(7.0 != e);
  CHECK(isfinite(e));
  CHECK(floor(e * 1.1).derivative.value == 0.0);
  std::ostringstream text;
  text << e;
  CHECK(text.str() == "6");
  // As values of their own.
  const var y = 2.0 * e.derivative + e.value;
  r.sweep(y);
  CHECK(r.tape.adjoint(r.x[0].value) == 2.0 * 0.75 + 3.0);
  CHECK(r.tape.adjoint(r.x[1].derivative) == 4.0);
  r.sweep(derivative(e));
  CHECK(r.tape.adjoint(r.x[1].value) == 0.5);
  const second z = r.x[0].value.value > 1.0 ? e : r.x[0] * r.x[1];
  CHECK(z.value.value == 6.0);
  static_assert(!std::is_convertible<decltype(e), var>::value, "the derivative would be lost");
  static_assert(!std::is_copy_constructible<std::decay_t<decltype(e.value)>>::value, "it lies in its expression");
}

TEST_CASE("test_tangent_expressions_of_what_is_constant_in_the_direction") {
  recording r({2.0, 3.0});
  var c = 4.0;
  r.tape.input(c);
  r.mark();
  const second y = r.x[0] * c * c + r.x[1] / c - c;
  CHECK(r.statements() == 2);
  CHECK(y.derivative.value == 0.5 * 16.0 + 0.75 / 4.0);
  r.sweep(y.derivative);
  CHECK(r.tape.adjoint(c) == doctest::Approx(0.5 * 8.0 - 0.75 / 16.0));
  CHECK(r.tape.adjoint(r.x[0].derivative) == 16.0);
  r.sweep(y.value);
  CHECK(r.tape.adjoint(c) == doctest::Approx(2.0 * 8.0 - 3.0 / 16.0 - 1.0));
  // A passive value with an active derivative, and the reverse.
  second p = 5.0, q = c;
  p.derivative = c;
  r.mark();
  const second z = p * q + p * p * q;
  CHECK(r.statements() == 2);
  CHECK(r.arguments() == 1 + 2);
  r.sweep(z.derivative);
  CHECK(z.derivative.value == 4.0 * 4.0 * (1.0 + 2.0 * 5.0));
  CHECK(r.tape.adjoint(c) == 2.0 * 4.0 * 11.0);
}

TEST_CASE("test_tangent_expressions_without_a_direction_meet_no_infinite_partials") {
  recording r({0.0, 2.0}, false);
  const second y = sqrt(r.x[0]) * r.x[1] + r.x[1] * r.x[1];
  CHECK(y.derivative.value == 0.0);
  r.sweep(y.derivative);
  CHECK(r.tape.adjoint(r.x[0].value) == 0.0);
  CHECK(r.tape.adjoint(r.x[1].value) == 0.0);
}

TEST_CASE("test_tangent_expressions_on_tapes_that_do_not_record") {
  recording r({2.0, 3.0});
  r.tape.stop();
  const second y = r.x[0] * r.x[1] + sin(r.x[0] * r.x[1]) * r.x[1];
  CHECK(y.value.id == 0);
  CHECK(y.derivative.id == 0);
  CHECK(y.value.value == doctest::Approx(6.0 + 3.0 * std::sin(6.0)));
  CHECK(y.derivative.value == doctest::Approx(3.0 + 0.75 * std::sin(6.0) + 9.0 * std::cos(6.0)));
  CHECK(r.statements() == 0);
}

TEST_CASE("test_tangent_expressions_of_values_that_a_reset_has_ended_are_refused") {
  admpi_set_check(1);
  {
    recording r({2.0, 3.0});
    const second old = r.x[0] * r.x[1];
    r.tape.reset();
    r.tape.start();
    CHECK_THROWS_WITH_AS(second(old * old), doctest::Contains("expression of value 36"), admpi::error);
    CHECK_THROWS_AS(second(old * old * old * old), admpi::error);
  }
  admpi_set_check(0);
}

TEST_CASE_TEMPLATE("test_tangent_expressions_clamp_of_three_of_a_type", T, tangent<double>, tangent<var>) {
  const T a(1.1, 1.0), low(0.7, 2.0), high(1.9, 3.0);
  CHECK(admpi::derivative(T(std::clamp(a, low, high))) == 1.0);
  CHECK(admpi::derivative(T(std::clamp(T(0.1, 1.0), low, high))) == 2.0);
  CHECK(admpi::derivative(T(std::clamp(T(9.0, 1.0), low, high))) == 3.0);
}

TEST_CASE("test_tangent_expressions_zero_direction_meets_an_infinite_slope") {
  using plain = tangent<double>;
  CHECK(pow(plain(0.0, 0.0), 0.5).derivative == 0.0);
  CHECK(pow(plain(0.0, 0.0), -1.0).derivative == 0.0);
  CHECK(pow(2.0, plain(5000.0, 0.0)).derivative == 0.0);
  const tangent<var> y = pow(tangent<var>(0.0), 0.5);
  CHECK(admpi::value(y.derivative) == 0.0);
}

TEST_CASE("test_tangent_expressions_functions_of_their_parts") {
  const tangent<var> x(2.0, 1.0), y(6.0, 0.5);
  const auto e = x * y;
  CHECK(admpi::value(var(sin(e.value))) == std::sin(12.0));
  CHECK(admpi::value(var(-e.derivative)) == -7.0);
  CHECK(admpi::value(var(ldexp(e.value, 2))) == 48.0);
}
