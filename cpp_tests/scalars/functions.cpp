// Every function against its analytic derivative, through all recorders: admpi::var, the C operators, and
// tangents, with plain numbers on either side.
#include <admpi.h>
#include <admpi.hpp>
#include <admpi/complex.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "scalars/function_lists.h"
#include "harness/function_ref.hpp"
#include "harness/helpers.hpp"

using admpi::tangent;
using admpi::var;
using test::derivatives;
using test::through_tape;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

/// The same number, or both NaN, or both the same infinity.
bool same(double a, double b, double tolerance = 0.0) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= tolerance * std::fmax(std::fabs(a), std::fabs(b));
}

constexpr double digits = 4e-15;

using unary_c = admpi_var (*)(admpi_var);
using binary_c = admpi_var (*)(admpi_var, admpi_var);
using left_c = admpi_var (*)(admpi_var, double);
using right_c = admpi_var (*)(double, admpi_var);

using real = long double;
using T = tangent<double>;
using TT = tangent<T>;
using of_one = test::function_refs<double(double), var(var), T(T), TT(TT), tangent<var>(tangent<var>)>;
using of_two = test::function_refs<double(double, double), var(var, var), var(var, double), var(double, var), T(T, T), T(T, double),
                                   T(double, T), TT(TT, double), TT(double, TT), tangent<var>(tangent<var>, double)>;

/// `inner` is 3 f(x + 0) + 1.
void check_unary(const char *name, const of_one &f, test::function_ref<var(var)> inner, unary_c c, test::function_ref<real(real)> df,
                 const std::vector<double> &points) {
  CAPTURE(std::string(name));
  for (const double x : points) {
    CAPTURE(x);
    const double value = f(x);
    const double expected = static_cast<double>(df(static_cast<long double>(x)));
    const auto check = [&](derivatives d) {
      CHECK(same(d.value, value));
      CHECK(same(d.first, expected, digits));
    };
    check(through_tape([&](var a, var) { return var(f(a)); }, x, 0.0, true, false));
    check(through_tape([&](var a, var) { return var(c(a)); }, x, 0.0, true, false));
    CHECK(same(through_tape([&](var a, var) { return inner(a); }, x, 0.0, true, false).first, 3.0 * expected, digits));
    // A passive argument gives a passive result.
    const derivatives passive = through_tape([&](var a, var) { return var(f(a)); }, x, 0.0, false, false);
    CHECK(same(passive.value, value));
    CHECK(passive.first == 0.0);

    const T t = f(T(x, 1.0));
    CHECK(same(t.value, value));
    CHECK(same(t.derivative, expected, digits));
    const TT tt = f(TT(T(x, 1.0), T(1.0)));
    CHECK(same(tt.value.value, value));
    CHECK(same(tt.value.derivative, expected, digits));
    CHECK(same(tt.derivative.value, expected, digits));
    const tangent<var> tv = f(tangent<var>(var(x), var(1.0)));
    CHECK(same(tv.derivative.value, expected, digits));
  }
}

/// f is generic over the scalar; df is the derivative, written without the library. As an inner node, f is part of an expression.
template <class F, class D>
void check_unary(const char *name, F f, unary_c c, D df, const std::vector<double> &points) {
  check_unary(name, f, [&](var a) { return var(3.0 * f(a + 0.0) + 1.0); }, c, df, points);
}

/// The same for two variables; NULL where C has no such form.
void check_binary(const char *name, const of_two &f, binary_c vv, left_c vd, right_c dv, test::function_ref<real(real, real)> d1,
                  test::function_ref<real(real, real)> d2, const std::vector<std::pair<double, double>> &points) {
  CAPTURE(std::string(name));
  for (const auto &[a, b] : points) {
    CAPTURE(a);
    CAPTURE(b);
    const double value = f(a, b);
    const double first = static_cast<double>(d1(static_cast<long double>(a), static_cast<long double>(b)));
    const double second = static_cast<double>(d2(static_cast<long double>(a), static_cast<long double>(b)));
    const auto check = [&, a = a, b = b](test::function_ref<var(var, var)> g, bool active_a, bool active_b) {
      const derivatives d = through_tape(g, a, b, active_a, active_b);
      CHECK(same(d.value, value));
      CHECK(same(d.first, active_a ? first : 0.0, digits));
      CHECK(same(d.second, active_b ? second : 0.0, digits));
    };
    const double ca = a;
    const double cb = b;
    for (int mask = 0; mask < 4; ++mask) {
      const bool active_a = (mask & 1) != 0;
      const bool active_b = (mask & 2) != 0;
      check([&](var x, var y) { return var(f(x, y)); }, active_a, active_b);
      if (vv != nullptr) check([&](var x, var y) { return var(vv(x, y)); }, active_a, active_b);
    }
    check([&](var x, var) { return var(f(x, cb)); }, true, false);
    check([&](var, var y) { return var(f(ca, y)); }, false, true);
    if (vd != nullptr) check([&](var x, var) { return var(vd(x, cb)); }, true, false);
    if (dv != nullptr) check([&](var, var y) { return var(dv(ca, y)); }, false, true);

    CHECK(same(f(T(a, 1.0), T(b, 0.0)).value, value));
    CHECK(same(f(T(a, 1.0), b).derivative, first, digits));
    CHECK(same(f(a, T(b, 1.0)).derivative, second, digits));
    CHECK(same(f(tangent<var>(var(a), var(1.0)), b).derivative.value, first, digits));
    CHECK(same(f(TT(T(a), T(1.0)), b).derivative.value, first, digits));
    CHECK(same(f(a, TT(T(b), T(1.0))).derivative.value, second, digits));
    if (std::isfinite(first) && std::isfinite(second)) {
      CHECK(same(f(T(a, 1.0), T(b, 0.0)).derivative, first, digits));
      CHECK(same(f(T(a, 0.0), T(b, 1.0)).derivative, second, digits));
    }
  }
}

/// What is computed of three scalars, by the ways that `results` lists for those that are active, has this value and these partials.
template <class Results>
void check_three(double a, double b, double c, const Results &results, double value, double of_a, double of_b, double of_c,
                 double tolerance) {
  for (int mask = 0; mask < 8; ++mask) {
    CAPTURE(mask);
    test::recording_tape tape;
    var x = a, y = b, z = c;
    if (mask & 1) tape.input(x);
    if (mask & 2) tape.input(y);
    if (mask & 4) tape.input(z);
    for (const var &w : results(x, y, z, mask)) {
      tape.clear_adjoints();
      tape.seed(w);
      tape.reverse();
      CHECK(same(w.value, value, tolerance));
      CHECK(same(tape.adjoint(x), mask & 1 ? of_a : 0.0, tolerance));
      CHECK(same(tape.adjoint(y), mask & 2 ? of_b : 0.0, tolerance));
      CHECK(same(tape.adjoint(z), mask & 4 ? of_c : 0.0, tolerance));
    }
  }
}

#define UNARY(scope, name, derivative, ...)                                                     \
  check_unary(                                                                                  \
      #name,                                                                                    \
      [](auto x) {                                                                              \
        using scope::name;                                                                      \
        return name(x);                                                                         \
      },                                                                                        \
      admpi_##name, [](real x) -> real { return derivative; }, std::vector<double> __VA_ARGS__);
#define BINARY(name, vv, vd, dv, of_a, of_b, ...)                                               \
  check_binary(                                                                                 \
      #name,                                                                                    \
      [](auto a, auto b) {                                                                      \
        using std::name;                                                                        \
        return name(a, b);                                                                      \
      },                                                                                        \
      vv, vd, dv, []([[maybe_unused]] real a, [[maybe_unused]] real b) -> real { return of_a; }, \
      []([[maybe_unused]] real a, [[maybe_unused]] real b) -> real { return of_b; }, __VA_ARGS__);

}  // namespace

TEST_CASE("test_functions_of_one_variable") {
  TEST_STD_UNARY(UNARY)
  check_unary(
      "fabs", [](auto x) { using std::fabs; return fabs(x); }, admpi_abs, [](real x) -> real { return (x > 0) - (x < 0); },
      {-3.0, 0.0, 4.0});
  check_unary(
      "minus", [](auto x) { return -x; }, admpi_neg, [](real) -> real { return -1; }, {-3.0, 0.0, 1.5});
}

TEST_CASE("test_functions_of_two_variables") { TEST_STD_BINARY(BINARY) }

TEST_CASE("test_functions_square_root_of_minus_zero_has_the_slope_of_zero") {
  CHECK(through_tape([](var x, var) { return var(sqrt(x)); }, -0.0, 0.0, true, false).first == infinity);
}

TEST_CASE("test_functions_outside_the_domain_the_value_is_nan") {
  for (const double x : {-1.5, -2.0}) {
    CHECK(std::isnan(through_tape([](var a, var) { return var(sqrt(a)); }, x, 0.0, true, false).value));
    CHECK(std::isnan(through_tape([](var a, var) { return var(sqrt(a)); }, x, 0.0, true, false).first));
    CHECK(std::isnan(through_tape([](var a, var) { return var(log(a)); }, x, 0.0, true, false).value));
    CHECK(std::isnan(through_tape([](var a, var) { return var(asin(a)); }, x, 0.0, true, false).first));
    CHECK(std::isnan(through_tape([](var a, var) { return var(acosh(a)); }, x, 0.0, true, false).first));
    CHECK(std::isnan(through_tape([](var a, var) { return var(pow(a, 0.5)); }, x, 0.0, true, false).value));
  }
}

TEST_CASE("test_functions_arithmetic") {
  const std::vector<std::pair<double, double>> points{{2.0, 3.0},       {-1.5, 0.25}, {0.0, 4.0},
                                                      {1e200, 1e-100}, {7.0, -7.0},  {0.0, 1e-310}};
  check_binary(
      "+", [](auto a, auto b) { return a + b; }, admpi_add, admpi_add_d, nullptr, [](real, real) -> real { return 1; },
      [](real, real) -> real { return 1; }, points);
  check_binary(
      "-", [](auto a, auto b) { return a - b; }, admpi_sub, admpi_sub_d, admpi_d_sub, [](real, real) -> real { return 1; },
      [](real, real) -> real { return -1; }, points);
  check_binary(
      "*", [](auto a, auto b) { return a * b; }, admpi_mul, admpi_mul_d, nullptr, [](real, real b) { return b; },
      [](real a, real) { return a; }, points);
  check_binary(
      "/", [](auto a, auto b) { return a / b; }, admpi_div, admpi_div_d, admpi_d_div, [](real, real b) { return 1 / b; },
      [](real a, real b) { return -a / (b * b); }, points);
}

TEST_CASE("test_functions_division_by_zero_is_infinite") {
  check_binary(
      "/", [](auto a, auto b) { return a / b; }, admpi_div, admpi_div_d, admpi_d_div,
      [](real, real) -> real { return infinity; }, [](real, real) -> real { return -infinity; }, {{1.0, 0.0}});
}

TEST_CASE("test_functions_pow_of_an_integer") {
  const derivatives d = through_tape([](var x, var) { return var(pow(x, 3)); }, -2.0, 0.0, true, false);
  CHECK(d.value == -8.0);
  CHECK(d.first == 12.0);
}

TEST_CASE("test_functions_pow_at_zero_has_second_derivatives") {
  const TT y = pow(TT(T(0.0, 1.0), T(1.0)), 2.0);
  CHECK(y.derivative.value == 0.0);
  CHECK(y.derivative.derivative == 2.0);
}

TEST_CASE("test_functions_pow_of_exponent_zero_has_mixed_derivatives") {
  // The derivative of p x^(p - 1) in p, at p = 0, and once more.
  const TT along_x = pow(TT(T(4.0, 0.0), T(1.0)), TT(T(0.0, 1.0), T(0.0)));
  CHECK(along_x.derivative.value == 0.0);
  CHECK(along_x.derivative.derivative == 0.25);
  using U = tangent<TT>;
  const U third = pow(U(TT(4.0), TT(1.0)), U(TT(T(0.0, 1.0), T(1.0)), TT(0.0)));
  CHECK(third.derivative.derivative.derivative == doctest::Approx(0.5 * std::log(4.0)).epsilon(1e-15));

  test::recording_tape tape;
  var x = 4.0, p = 0.0;
  tape.input(x);
  tape.input(p);
  const tangent<var> y = pow(tangent<var>(x, var(1.0)), tangent<var>(p, var(0.0)));
  tape.seed(y.derivative);
  tape.reverse();
  CHECK(tape.adjoint(x) == 0.0);
  CHECK(tape.adjoint(p) == 0.25);
}

TEST_CASE("test_functions_pow_of_negative_bases_has_symmetric_second_derivatives") {
  // The exponent is an integer there, and constant: p x^(p - 1) has no derivative in p, as log(x) x^p is 0 for all x.
  for (const double exponent : {-2.0, 1.0, 3.0, 200.0}) {
    for (const bool along_base : {true, false}) {
      test::recording_tape tape;
      var x = -1.5, p = exponent;
      tape.input(x);
      tape.input(p);
      const tangent<var> y = pow(tangent<var>(x, along_base ? 1.0 : 0.0), tangent<var>(p, along_base ? 0.0 : 1.0));
      CHECK(y.derivative.value == doctest::Approx(along_base ? exponent * std::pow(-1.5, exponent - 1.0) : 0.0).epsilon(1e-14));
      tape.seed(y.derivative);
      tape.reverse();
      const double second = along_base ? exponent * (exponent - 1.0) * std::pow(-1.5, exponent - 2.0) : 0.0;
      CHECK(tape.adjoint(x) == doctest::Approx(second).epsilon(1e-14));
      CHECK(tape.adjoint(p) == 0.0);
    }
  }
  // Where the power has lost its digits.
  const TT small = pow(TT(T(-1e-170, 0.0), T(1.0)), TT(T(2.0, 1.0), T(0.0)));
  CHECK(small.derivative.value == -2e-170);
  CHECK(small.derivative.derivative == 0.0);
}

TEST_CASE("test_functions_copysign") {
  // Of var, and of tangents to the second order: d is the derivative in x, whatever the sign depends on.
  const auto check = [](double x, double y, double d) {
    const derivatives by_tape = through_tape([](var a, var b) { return var(std::copysign(a, b) * 2.0); }, x, y, true, true);
    CHECK(same(by_tape.value, 2.0 * std::copysign(x, y)));
    CHECK(by_tape.first == 2.0 * d);
    CHECK(by_tape.second == 0.0);
    CHECK(through_tape([](var a, var b) { return admpi_copysign(a, b); }, x, y, true, true).first == d);
    CHECK(through_tape([&](var a, var) { return admpi_copysign_d(a, y); }, x, y, true, false).first == d);
    CHECK(through_tape([&](var a, var) { return var(std::copysign(a, y)); }, x, y, true, false).first == d);
    CHECK(through_tape([&](var, var b) { return var(std::copysign(x, b)); }, x, y, false, true).value == std::copysign(x, y));
    const TT t = std::copysign(TT(T(x, 1.0), T(1.0)), TT(T(y, 1.0), T(1.0)));
    CHECK(admpi::value(t) == std::copysign(x, y));
    CHECK(t.derivative.value == d);
    CHECK(t.derivative.derivative == 0.0);
    CHECK(std::copysign(T(x, 3.0), y).derivative == 3.0 * d);
    CHECK(std::copysign(x, T(y, 3.0)).derivative == 0.0);
  };
  check(2.0, 3.0, 1.0);
  check(-2.0, 3.0, -1.0);
  check(2.0, -0.0, -1.0);
  check(-2.0, -1.0, 1.0);
  check(0.0, -1.0, 0.0);
  check(-0.0, 1.0, 0.0);
  CHECK(std::signbit(var(std::copysign(var(0.0), -1.0))));
  // Where the sign of y comes from an infinite slope, nothing of it arrives.
  CHECK(through_tape([](var a, var b) { return var(copysign(a, sqrt(b))); }, 2.0, 0.0, true, true).second == 0.0);
}

TEST_CASE("test_functions_of_the_exponent") {
  const auto check = [](const char *name, const auto &f, double x, double slope) {
    CAPTURE(std::string(name));
    CAPTURE(x);
    const double value = f(x);
    const auto through = [&](auto g) { return through_tape([&](var a, var) { return var(g(a)); }, x, 0.0, true, false); };
    const derivatives d = through(f), inner = through([&](var a) { return 3.0 * f(a * 1.0) + 1.0; });
    CHECK(same(d.value, value));
    CHECK(d.first == slope);
    CHECK(inner.first == 3.0 * slope);
    const tangent<double> t = f(tangent<double>(x, 1.0));
    CHECK(same(t.value, value));
    CHECK(t.derivative == slope);
    const TT tt = f(TT(T(x, 1.0), T(2.0, 5.0)));
    CHECK(same(tt.value.value, value));
    CHECK(tt.value.derivative == slope);
    CHECK(tt.derivative.value == 2.0 * slope);
    CHECK(tt.derivative.derivative == 5.0 * slope);
    CHECK(f(tangent<var>(var(x), var(1.0))).derivative.value == slope);
  };
  for (const double x : {0.3, -5.75, 0.0, 1e300, 3e-320, -4.0}) {
    check("ldexp", [](const auto &a) { using std::ldexp; return ldexp(a, 3); }, x, 8.0);
    check("scalbn", [](const auto &a) { using std::scalbn; return scalbn(a, -2); }, x, 0.25);
    check("scalbln", [](const auto &a) { using std::scalbln; return scalbln(a, 4L); }, x, 16.0);
    int n;
    std::frexp(x, &n);
    if (n > -1000)
      check("frexp", [](const auto &a) { using std::frexp; int m; return frexp(a, &m); }, x, std::ldexp(1.0, -n));
    check("modf", [](const auto &a) { using std::modf; double whole; return modf(a, &whole); }, x, 1.0);
  }
  check("modf", [](const auto &a) { using std::modf; double whole; return modf(a, &whole); }, -infinity, 1.0);
  // Beyond the numbers, and back.
  CHECK(std::isinf(scalbln(var(1.0), 100000L).value));
  CHECK(scalbln(var(1.0), -(100000L)).value == 0.0);
  // The integral part in the program's scalar.
  const auto parts = [](auto x, auto *whole) {
    using std::modf;
    return modf(x, whole);
  };
  var whole;
  tangent<double> of_tangent;
  CHECK(var(parts(var(-2.75), &whole)).value == -0.75);
  CHECK(whole.value == -2.0);
  CHECK(parts(tangent<double>(3.5, 2.0), &of_tangent).derivative == 2.0);
  CHECK(of_tangent.value == 3.0);
  CHECK(of_tangent.derivative == 0.0);
  var same_place = 2.25;
  var rest = modf(same_place, &same_place);
  CHECK(rest.value == 0.25);
  CHECK(same_place.value == 2.0);
}

TEST_CASE("test_functions_hypot_of_three") {
  const double a = 2.0, b = -3.0, c = 6.0;
  const auto results = [&](const var &x, const var &y, const var &z, int mask) {
    return std::vector<var>{hypot(x, y, z), std::hypot(x * 1.0, y, z), mask & 6 ? var(hypot(x, y, z)) : var(hypot(x, b, c)),
                            mask & 3 ? var(hypot(x, y, z)) : var(hypot(a, b, z))};
  };
  check_three(a, b, c, results, 7.0, a / 7.0, b / 7.0, c / 7.0, 1e-15);
  CHECK(hypot(T(a, 1.0), T(b, 0.0), T(c, 0.0)).derivative == doctest::Approx(a / 7.0));
  CHECK(hypot(a, b, T(c, 1.0)).derivative == doctest::Approx(c / 7.0));
  CHECK(hypot(T(0.0, 1.0), 0.0, 0.0).derivative == 0.0);
}

TEST_CASE("test_functions_whose_results_are_integers") {
  for (const double x : {-2.5, 0.75, 1.5, 40.25}) {
    const var a = x;
    const tangent<tangent<double>> t = x;
    CHECK(std::lround(a) == std::lround(x));
    CHECK(std::llround(a * 1.0) == std::llround(x));
    CHECK(std::lrint(t) == std::lrint(x));
    CHECK(std::llrint(a) == std::llrint(x));
    CHECK(std::ilogb(t) == std::ilogb(x));
    CHECK(std::fpclassify(a) == FP_NORMAL);
    CHECK(logb(a).value == std::logb(x));
  }
}

TEST_CASE("test_functions_minimum_and_maximum") {
  const auto fmin = [](auto a, auto b) { using std::fmin; return fmin(a, b); };
  const auto fmax = [](auto a, auto b) { using std::fmax; return fmax(a, b); };
  // The first operand takes a tie, a number beats a NaN.
  const auto min_1 = [](real a, real b) -> real { return a <= b || std::isnan(b); };
  const auto max_1 = [](real a, real b) -> real { return a >= b || std::isnan(b); };
  const std::vector<std::pair<double, double>> points{{1.0, 2.0},  {2.0, 1.0},       {3.0, 3.0},       {-infinity, 0.0},
                                                      {5.0, -5.0}, {nan_value, 1.0}, {1.0, nan_value}, {nan_value, nan_value}};
  check_binary("fmin", fmin, admpi_fmin, admpi_fmin_d, nullptr, min_1, [&](real a, real b) { return 1 - min_1(a, b); },
               points);
  check_binary("fmax", fmax, admpi_fmax, admpi_fmax_d, nullptr, max_1, [&](real a, real b) { return 1 - max_1(a, b); },
               points);
  const auto min = [](auto a, auto b) { using std::min; return min(a, b); };
  const auto max = [](auto a, auto b) { using std::max; return max(a, b); };
  for (const auto &[a, b] : points) {
    const derivatives low = through_tape([&](var x, var y) { return var(min(1.0 * x, y)); }, a, b, true, true);
    CHECK(same(low.value, std::min(a, b)));
    CHECK(low.first == (b < a ? 0.0 : 1.0));
    const derivatives high = through_tape([&](var x, var y) { return var(max(x, y)); }, a, b, true, true);
    CHECK(same(high.value, std::max(a, b)));
    CHECK(high.first == (a < b ? 0.0 : 1.0));
  }
}

TEST_CASE("test_functions_the_operand_that_is_not_chosen_adds_nothing") {
  // sqrt has an infinite derivative at 0; 0 times infinity would poison the gradient.
  const derivatives d = through_tape([](var x, var) { return var(fmin(sqrt(x) + 1.0, x)); }, 0.0, 0.0, true, false);
  CHECK(d.value == 0.0);
  CHECK(d.first == 1.0);
}

TEST_CASE("test_functions_fma") {
  const double a = 1.25, b = -3.5, c = 0.75;
  const auto results = [&](const var &x, const var &y, const var &z, int mask) {
    return std::vector<var>{fma(x, y, z), admpi_fma(x, y, z), std::fma(x * 1.0, y, z),
                            mask & 2 ? var(fma(x, y, z)) : var(admpi_fma_d(x, b, z)),
                            mask & 1 ? var(fma(x, y, z)) : var(fma(a, y, z)),
                            mask & 6 ? var(fma(x, y, z)) : var(fma(x, b, c))};
  };
  check_three(a, b, c, results, std::fma(a, b, c), b, a, 1.0, 0.0);
  // Rounded once: the product alone is not representable.
  const double h = 1.0 + 0x1p-30;
  CHECK(admpi::value(fma(var(h), var(h), var(-1.0))) == std::fma(h, h, -1.0));
  CHECK(fma(T(a, 1.0), T(b, 0.0), T(c, 0.0)).derivative == b);
  CHECK(fma(T(a, 0.0), b, T(c, 1.0)).derivative == 1.0);
}

TEST_CASE("test_functions_piecewise_constant_results_are_passive") {
  for (const double x : {-2.5, -0.5, 0.0, 0.5, 1.0, 2.7}) {
    test::recording_tape tape;
    var a = x;
    tape.input(a);
    const auto before = tape.statistics().statements;
    const var results[] = {floor(a), ceil(a * 1.0), round(a), trunc(a), std::rint(a), std::nearbyint(a), std::logb(a),
                           admpi_floor(a), admpi_ceil(a), admpi_round(a), admpi_trunc(a)};
    const double expected[] = {std::floor(x), std::ceil(x), std::round(x), std::trunc(x), std::rint(x), std::nearbyint(x),
                               std::logb(x),  std::floor(x), std::ceil(x), std::round(x), std::trunc(x)};
    for (int i = 0; i < 11; ++i) {
      CHECK(results[i].value == expected[i]);
      CHECK(results[i].id == 0);
    }
    CHECK(tape.statistics().statements == before);
    CHECK(floor(tangent<double>(x, 1.0)).derivative == 0.0);
  }
}

namespace {

using cdouble = std::complex<double>;

template <class T>
cdouble values_of(const std::complex<T> &z) {
  return {value(z.real()), value(z.imag())};
}

bool close(const cdouble &a, const cdouble &b) { return std::abs(a - b) <= 1e-13 * (1.0 + std::abs(b)); }

/// f is holomorphic with the derivative df: the adjoints of its parts are those of Cauchy and Riemann, and its derivative in a
/// direction is df times that.
void check_holomorphic(const char *name,
                       const test::function_refs<cdouble(const cdouble &), std::complex<var>(const std::complex<var> &),
                                                 std::complex<T>(const std::complex<T> &),
                                                 std::complex<tangent<var>>(const std::complex<tangent<var>> &)> &f,
                       test::function_ref<cdouble(const cdouble &)> df) {
  CAPTURE(std::string(name));
  for (const cdouble z : {cdouble(0.7, -0.4), cdouble(-1.2, 0.5), cdouble(0.3, 2.1)}) {
    CAPTURE(z.real());
    const cdouble w = f(z), slope = df(z);
    admpi::tape tape;
    tape.set_width(2);
    tape.start();
    var x = z.real(), y = z.imag();
    tape.input(x);
    tape.input(y);
    const std::complex<var> v = f(std::complex<var>(x, y));
    CHECK(close(values_of(v), w));
    tape.seed(v.real());
    tape.seed(v.imag(), 1.0, 1);
    tape.reverse();
    CHECK(close({tape.adjoint(x), -tape.adjoint(y)}, slope));
    CHECK(close({tape.adjoint(y, 1), tape.adjoint(x, 1)}, slope));

    const cdouble direction(0.5, -1.5);
    const std::complex<T> t = f(std::complex<T>(T(z.real(), 0.5), T(z.imag(), -1.5)));
    CHECK(close(values_of(t), w));
    CHECK(close({t.real().derivative, t.imag().derivative}, slope * direction));
    using S = tangent<var>;
    const std::complex<S> s = f(std::complex<S>(S(x, var(0.5)), S(y, var(-1.5))));
    CHECK(close({s.real().derivative.value, s.imag().derivative.value}, slope * direction));
    // The adjoints of the derivative are those of slope * direction: of a second derivative, by differences.
    tape.clear_adjoints();
    tape.seed(s.real().derivative);
    tape.reverse();
    const double h = 1e-6;
    const cdouble second = (df(z + h) - df(z - h)) / (2.0 * h) * direction;
    CHECK(tape.adjoint(x) == doctest::Approx(second.real()).epsilon(1e-7));
    CHECK(tape.adjoint(y) == doctest::Approx(-second.imag()).epsilon(1e-7));
  }
}
#define HOLOMORPHIC(of_z, derivative) \
  check_holomorphic(#of_z, [](const auto &z) { return of_z; }, [](const cdouble &z) { return derivative; })

constexpr cdouble constant_c(0.3, -1.1);

}  // namespace

TEST_CASE("test_functions_complex") {
  HOLOMORPHIC(2.0 * z, cdouble(2.0) + 0.0 * z);
  HOLOMORPHIC(z * 2.0 + 1.0, cdouble(2.0) + 0.0 * z);
  HOLOMORPHIC(1.0 - z / 4.0, cdouble(-0.25) + 0.0 * z);
  HOLOMORPHIC(1.0 + z - 3.0, cdouble(1.0) + 0.0 * z);
  HOLOMORPHIC(1.0 / z, -1.0 / (z * z));
  HOLOMORPHIC(z * z / (z - 0.5), (z * z - z) / ((z - 0.5) * (z - 0.5)));
  HOLOMORPHIC(constant_c * z + z * constant_c, 2.0 * constant_c + 0.0 * z);
  HOLOMORPHIC(constant_c - z + (z - constant_c) * z, -1.0 + 2.0 * z - constant_c);
  HOLOMORPHIC(constant_c / z + z / constant_c, -constant_c / (z * z) + 1.0 / constant_c);
  HOLOMORPHIC(exp(z), exp(z));
  HOLOMORPHIC(log(z), 1.0 / z);
  HOLOMORPHIC(log10(z), 1.0 / (z * std::log(10.0)));
  HOLOMORPHIC(std::log10(z), 1.0 / (z * std::log(10.0)));
  HOLOMORPHIC(sqrt(z), 0.5 / sqrt(z));
  HOLOMORPHIC(pow(z, 2), 2.0 * z);
  HOLOMORPHIC(std::pow(z, 2.5), 2.5 * std::pow(z, 1.5));
  HOLOMORPHIC(pow(z, z.real() * 0.0 + 3.0), 3.0 * z * z);
  CHECK(values_of(std::pow(std::complex<var>(0.0, 0.0), 2.0)) == cdouble(0.0));
  HOLOMORPHIC(pow(2.0, z), std::log(2.0) * std::pow(2.0, z));
  HOLOMORPHIC(pow(z, constant_c), constant_c * std::pow(z, constant_c - 1.0));
  HOLOMORPHIC(pow(constant_c, z), std::log(constant_c) * std::pow(constant_c, z));
  HOLOMORPHIC(pow(z, z), std::pow(z, z) * (log(z) + 1.0));
  HOLOMORPHIC(sin(z), cos(z));
  HOLOMORPHIC(cos(z), -sin(z));
  HOLOMORPHIC(tan(z), 1.0 / (cos(z) * cos(z)));
  HOLOMORPHIC(sinh(z), cosh(z));
  HOLOMORPHIC(cosh(z), sinh(z));
  HOLOMORPHIC(tanh(z), 1.0 / (cosh(z) * cosh(z)));
  HOLOMORPHIC(asin(z), 1.0 / sqrt(1.0 - z * z));
  HOLOMORPHIC(acos(z), -1.0 / sqrt(1.0 - z * z));
  HOLOMORPHIC(atan(z), 1.0 / (1.0 + z * z));
  HOLOMORPHIC(asinh(z), 1.0 / sqrt(1.0 + z * z));
  HOLOMORPHIC(acosh(z), 1.0 / (sqrt(z - 1.0) * sqrt(z + 1.0)));
  HOLOMORPHIC(atanh(z), 1.0 / (1.0 - z * z));
}

namespace {

/// Of a real number, by complex ones.
struct through_complex {
  template <class T>
  T operator()(const T &x) const {
    using Z = std::complex<T>;
    const Z z(x, x * x), turned = cdouble(0.0, 1.0) * x + std::conj(z) * 2.0 - std::proj(z);
    T sum = std::abs(z) + std::norm(turned) * std::arg(z) + z.imag();
    const Z w = std::polar(x, 0.3) + std::polar(2.0, x) + std::polar(x, x);
    sum += w.real() * w.imag();
    CHECK((z == z && z != 1.0 && 1.0 != z && Z(T(2.0), T(0.0)) == 2.0 && z != cdouble(0.0, 1.0)));
    std::vector<Z> all{z, w, turned};
    const Z total = std::accumulate(all.begin(), all.end(), Z(0.0));
    return sum + norm(total + x);
  }
};

/// What stands for a complex number where it is one of doubles: numbers, expressions, lists of two.
struct through_conversions {
  template <class T>
  T operator()(const T &x) const {
    using Z = std::complex<T>;
    static_assert(sizeof(Z) == 2 * sizeof(T) && std::is_trivially_copyable<Z>::value == std::is_trivially_copyable<T>::value, "");
    const auto square = [](const Z &z) { return z * z; };
    const Z zero = 0, one = 1.0, i = {0, 1}, z = {x, 2.0}, product = x * x, parts(x * x, x + 1.0);
    const std::vector<Z> all = {.5, 3, x, z};
    Z sum = std::accumulate(all.begin(), all.end(), Z()) + zero + one + product * parts;
    sum += square(2.0) + square(x) + (x > 0.0 ? z : 0) + (x > 0.0 ? 1 : z);
    Z w;
    w = {0, x};
    sum += w;
    w = {x * x, 1};
    sum -= w * i;
    w = 2;
    sum *= w;
    w = x + 1.0;
    sum /= w;
    w = cdouble(0.5, -1.5);
    sum = sum * w + z;
    sum += x * x;
    sum += 1;
    sum -= x;
    sum *= 2;
    sum *= x * x;
    sum /= x + 3.0;
    sum *= cdouble(0.5, -1.0);
    sum /= cdouble(0.5, 2.0);
    sum += cdouble(0.5, 2.0);
    sum *= sum;
    w.real(x * sum.real());
    w.imag(3.0);
    return norm(sum) + sum.imag() + norm(w) + (sum != 0.0 && !(0.0 == sum) && w != x ? x : 0.0 * x);
  }
};

/// f at 0.8, with the derivative in every number type, against that of doubles.
template <class F>
void check_of_complex(const F &f) {
  const double x = 0.8, h = 1e-6, expected = (f(x + h) - f(x - h)) / (2.0 * h);
  test::recording_tape tape;
  var a = x;
  tape.input(a);
  const var y = f(a);
  CHECK(y.value == doctest::Approx(f(x)));
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(a) == doctest::Approx(expected).epsilon(1e-8));
  CHECK(f(tangent<double>(x, 1.0)).derivative == doctest::Approx(expected).epsilon(1e-8));
  CHECK(f(tangent<var>(a, var(1.0))).derivative.value == doctest::Approx(expected).epsilon(1e-8));
  using directions = tangent<double, 2>;
  const directions both = f(directions(x, {1.0, -2.0}));
  CHECK(both.derivative[0] == doctest::Approx(expected).epsilon(1e-8));
  CHECK(both.derivative[1] == doctest::Approx(-2.0 * expected).epsilon(1e-8));
}

}  // namespace

TEST_CASE("test_functions_of_complex_parts") { check_of_complex(through_complex{}); }

TEST_CASE("test_functions_complex_from_numbers") {
  check_of_complex(through_conversions{});
  constexpr std::complex<var> constant(1.0, 2.0);
  CHECK(values_of(constant) == cdouble(1.0, 2.0));
}

namespace {

/// What a driver does that is templated on its scalar: the value of z * z at 1 + 2i, and its derivative along 3 + 4i.
template <class T>
void check_complex_driver(const cdouble &along) {
  using admpi::derivative;
  using admpi::set_derivative;
  using admpi::value;
  std::complex<T> z(1.0, 2.0);
  set_derivative(z, cdouble(3.0, 4.0));
  const std::complex<T> y = z * z;
  const cdouble at = value(y), slope = value(derivative(y));
  CHECK(at == cdouble(-3.0, 4.0));
  CHECK(slope == along);
}

}  // namespace

TEST_CASE("test_functions_complex_values_and_derivatives") {
  check_complex_driver<double>(cdouble(0.0));
  check_complex_driver<tangent<double>>(cdouble(-10.0, 20.0));
  check_complex_driver<tangent<var>>(cdouble(-10.0, 20.0));
  test::recording_tape tape;
  std::complex<var> z(1.0, 2.0);
  tape.input(z);
  std::complex<var> y = z * z;
  admpi::set_derivative(y, cdouble(3.0, 4.0));
  tape.reverse();
  CHECK(admpi::derivative(z) == cdouble(22.0, -4.0));
}

namespace {

/// Of the number types: what standard algorithms do with them, together with plain numbers.
struct through_algorithms {
  template <class T>
  T operator()(const T &x) const {
    T sum = std::clamp(x, 0.0, 1.0) + std::clamp(x * x, 10, 20) + std::clamp(-x, -1.0, T(1.0)) + std::clamp(0.0, x, x + 1.0);
    sum += std::min(x, 7.0) + std::max(0.0, x) + std::min({x, 2.0 * x, x * x}) * std::max({x, T(0.1)});
    const std::vector<T> all{x, x * x, 3.0 * x};
    sum += std::accumulate(all.begin(), all.end(), T(0.0)) * std::accumulate(all.begin(), all.end(), T(1.0), std::multiplies<>());
    sum += std::inner_product(all.begin(), all.end(), all.begin(), T(0.0)) + *std::max_element(all.begin(), all.end());
    return sum;
  }
};

/// The same for doubles, of which the lists have other types.
double value_of_algorithms(double x) {
  double sum = std::clamp(x, 0.0, 1.0) + std::clamp(x * x, 10.0, 20.0) + std::clamp(-x, -1.0, 1.0) + std::clamp(0.0, x, x + 1.0);
  sum += std::min(x, 7.0) + std::max(0.0, x) + std::min({x, 2.0 * x, x * x}) * std::max(x, 0.1);
  return sum + (x + x * x + 3.0 * x) * (3.0 * x * x * x * x) + x * x + x * x * x * x + 9.0 * x * x + std::max(x * x, 3.0 * x);
}

}  // namespace

TEST_CASE("test_functions_in_standard_algorithms") {
  const through_algorithms f{};
  for (const double x : {0.4, 0.9, 1.6, 3.3, 5.0}) {
    CAPTURE(x);
    const double h = 1e-6;
    const double value = value_of_algorithms(x), slope = (value_of_algorithms(x + h) - value_of_algorithms(x - h)) / (2.0 * h);
    test::recording_tape tape;
    var a = x;
    tape.input(a);
    const var y = f(a);
    CHECK(y.value == doctest::Approx(value));
    tape.seed(y);
    tape.reverse();
    CHECK(tape.adjoint(a) == doctest::Approx(slope).epsilon(1e-8));
    CHECK(f(tangent<double>(x, 1.0)).derivative == doctest::Approx(slope).epsilon(1e-8));
  }
  const var x = 2.0, low = 3.0;
  CHECK(value(std::min({x, 1.0, x * x})) == 1.0);
  CHECK(value(admpi::max({x, low, x * low})) == 6.0);
  CHECK(std::min({tangent<double>(2.0, 5.0), 3.0}).derivative == 5.0);
  // At a bound, and of equal ones, the first: x.
  CHECK(std::clamp(tangent<double>(1.0, 5.0), 0.0, 1.0).derivative == 5.0);
  CHECK(std::isnan(value(std::clamp(var(nan_value), 0.0, 1.0))));
}

namespace {

/// One driver for all number types: the derivative in a direction, or the adjoint, or none.
template <class Real>
double driver(double at) {
  Real x = at;
  if constexpr (std::is_same_v<Real, var>) admpi::current_tape().input(x);
  if constexpr (!std::is_same_v<Real, var>) set_derivative(x, 2.0);
  Real y = sin(x) * x;
  if constexpr (std::is_same_v<Real, var>) {
    set_derivative(y, 2.0);
    admpi::current_tape().reverse();
    return derivative(x);
  } else {
    return admpi::value(derivative(y));
  }
}

}  // namespace

TEST_CASE("test_functions_set_derivative") {
  using admpi::derivative;
  using admpi::set_derivative;
  const double slope = 2.0 * (std::sin(0.7) + 0.7 * std::cos(0.7));
  test::recording_tape tape;
  CHECK(driver<var>(0.7) == doctest::Approx(slope));
  CHECK(driver<tangent<double>>(0.7) == doctest::Approx(slope));
  CHECK(driver<tangent<var>>(0.7) == doctest::Approx(slope));
  double plain = 0.7;
  set_derivative(plain, 2.0);
  CHECK(plain == 0.7);
  CHECK(derivative(plain) == 0.0);
}

TEST_CASE("test_functions_streams") {
  std::stringstream text("1.5 2.5 oops");
  tangent<double> t(0.0, 3.0);
  tangent<var> s(0.0, 3.0);
  text >> t >> s;
  CHECK(t.value == 1.5);
  CHECK(t.derivative == 0.0);
  CHECK(s.value.value == 2.5);
  CHECK(s.derivative.value == 0.0);
  text >> t;
  CHECK(text.fail());
  CHECK(t.value == 1.5);
  std::ostringstream out;
  out << t << ' ' << s << ' ' << var(0.25) * 2.0;
  CHECK(out.str() == "1.5 2.5 0.5");
}

TEST_CASE("test_functions_conversions_to_doubles_are_refused") {
  static_assert(!std::is_constructible_v<double, var> && !std::is_constructible_v<float, tangent<double>>);
  static_assert(!std::is_convertible_v<var, double> && std::is_constructible_v<int, var> && std::is_constructible_v<bool, var>);
}
