// Special functions: values and derivatives against 60 digits (special_values.hpp), through all recorders, and at the
// edges.
#include <admpi.h>
#include <admpi.hpp>
#include <admpi/tangent_arrays.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "scalars/function_lists.h"
#include "harness/function_ref.hpp"
#include "harness/helpers.hpp"
#include "scalars/special_values.hpp"

using admpi::tangent;
using admpi::var;
using test::derivatives;
using test::through_tape;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// To 1e-14 of the expected value, or to what some units in the last place of the arguments change: `change` is the sum of
/// |x df/dx|.
bool close(double got, double expected, double change, double digits = 1e-14) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) {
    // Rounding may go either way where the largest number is near.
    return got == expected || (std::isinf(got) && std::fabs(expected) > 1.79e308 && std::signbit(got) == std::signbit(expected));
  }
  const double allowed = digits * std::fabs(expected) + 4.0 * epsilon * (std::isfinite(change) ? change : 0.0);
  return std::fabs(got - expected) <= allowed;
}

/// The same number, or NaN.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

using unary_c = admpi_var (*)(admpi_var);
using binary_c = admpi_var (*)(admpi_var, admpi_var);
using left_c = admpi_var (*)(admpi_var, double);
using right_c = admpi_var (*)(double, admpi_var);

using T = tangent<double>;
using TT = tangent<T>;
using of_one = test::function_refs<double(double), var(var), T(T), TT(TT), tangent<var>(tangent<var>)>;
using of_two = test::function_refs<double(double, double), var(var, var), var(var, double), var(double, var), T(T, double), T(double, T),
                                   TT(TT, double), TT(double, TT), TT(TT, TT)>;

template <class Row>
struct row_list {
  const Row *first, *last;
  template <std::size_t N>
  row_list(const Row (&rows)[N]) : first(rows), last(rows + N) {}
  const Row *begin() const { return first; }
  const Row *end() const { return last; }
};

void check_unary(const char *name, const of_one &f, unary_c c, row_list<unary_row> rows) {
  CAPTURE(std::string(name));
  for (const auto &[x, value, first, second] : rows) {
    CAPTURE(x);
    const auto change = [x = x](double slope) { return std::fabs(x * slope); };
    const double plain = f(x);
    CHECK(close(plain, value, change(first)));
    const derivatives by_var = through_tape([&](var a, var) { return var(f(a)); }, x, 0.0, true, false);
    CHECK(by_var.value == plain);
    CHECK(close(by_var.first, first, change(second)));
    const derivatives by_c = through_tape([&](var a, var) { return var(c(a)); }, x, 0.0, true, false);
    CHECK(by_c.value == plain);
    CHECK((by_c.first == by_var.first || std::isnan(by_c.first)));
    const derivatives passive = through_tape([&](var a, var) { return var(f(a)); }, x, 0.0, false, false);
    CHECK(passive.value == plain);
    CHECK(passive.first == 0.0);

    const T t = f(T(x, 1.0));
    CHECK(t.value == plain);
    CHECK(close(t.derivative, first, change(second)));
    if (!std::isfinite(first) || !std::isfinite(second)) continue;
    // Second derivatives: forward over forward, and reverse over forward. What cancels in them are terms like f' / x.
    const double terms = change(second) + std::fabs(first / (x == 0.0 ? 1.0 : x));
    const TT tt = f(TT(T(x, 1.0), T(1.0)));
    CHECK(tt.value.value == plain);
    CHECK(close(tt.derivative.derivative, second, terms, 1e-13));
    test::recording_tape tape;
    var a = x;
    tape.input(a);
    const tangent<var> tv = f(tangent<var>(a, var(1.0)));
    tape.seed(tv.derivative);
    tape.reverse();
    CHECK(close(tv.derivative.value, first, change(second)));
    CHECK(close(tape.adjoint(a), second, terms, 1e-13));
  }
}

void check_binary(const char *name, const of_two &f, binary_c vv, left_c vd, right_c dv, row_list<binary_row> rows) {
  CAPTURE(std::string(name));
  for (const binary_row &row : rows) {
    const double a = row.a, b = row.b;
    CAPTURE(a);
    CAPTURE(b);
    const auto change = [a, b](double by_a, double by_b) { return std::fabs(a * by_a) + std::fabs(b * by_b); };
    const double plain = f(a, b);
    CHECK(close(plain, row.value, change(row.a1, row.b1)));
    const double of_a = change(row.aa, row.ab), of_b = change(row.ab, row.bb);
    const auto check = [&](test::function_ref<var(var, var)> g, bool active_a, bool active_b) {
      const derivatives d = through_tape(g, a, b, active_a, active_b);
      CHECK(d.value == plain);
      CHECK(close(d.first, active_a ? row.a1 : 0.0, of_a));
      CHECK(close(d.second, active_b ? row.b1 : 0.0, of_b));
    };
    for (int mask = 0; mask < 4; ++mask) {
      check([&](var x, var y) { return var(f(x, y)); }, mask & 1, mask & 2);
      if (vv != nullptr) check([&](var x, var y) { return var(vv(x, y)); }, mask & 1, mask & 2);
    }
    check([&](var x, var) { return var(f(x, b)); }, true, false);
    check([&](var, var y) { return var(f(a, y)); }, false, true);
    if (vd != nullptr) check([&](var x, var) { return var(vd(x, b)); }, true, false);
    if (dv != nullptr) check([&](var, var y) { return var(dv(a, y)); }, false, true);

    CHECK(close(f(T(a, 1.0), b).derivative, row.a1, of_a));
    CHECK(close(f(a, T(b, 1.0)).derivative, row.b1, of_b));
    // The matrix of second derivatives, by forward over forward.
    const double terms = std::fabs(row.a1 / (a == 0.0 ? 1.0 : a)) + std::fabs(row.b1 / (b == 0.0 ? 1.0 : b));
    CHECK(close(f(TT(T(a, 1.0), T(1.0)), b).derivative.derivative, row.aa, terms, 1e-13));
    CHECK(close(f(a, TT(T(b, 1.0), T(1.0))).derivative.derivative, row.bb, terms, 1e-13));
    CHECK(close(f(TT(T(a, 1.0), T(0.0)), TT(T(b, 0.0), T(1.0))).derivative.derivative, row.ab, terms, 1e-13));
    CHECK(close(f(TT(T(a, 0.0), T(1.0)), TT(T(b, 1.0), T(0.0))).derivative.derivative, row.ab, terms, 1e-13));
  }
}

#define UNARY(name)                                    \
  check_unary(                                         \
      #name,                                           \
      [](auto x) {                                     \
        using admpi::detail::name; /* for doubles */   \
        return name(x);                                \
      },                                               \
      admpi_##name, name##_rows);

#define BINARY(name, vv, vd, dv)                           \
  check_binary(                                        \
      #name,                                           \
      [](auto x, auto y) {                             \
        using admpi::detail::name;                     \
        return name(x, y);                             \
      },                                               \
      vv, vd, dv, name##_rows);

/// The derivative of a function of one variable.
double slope(test::function_ref<var(var)> f, double x) {
  return through_tape([&](var a, var) { return var(f(a)); }, x, 0.0, true, false).first;
}

/// The two of a function of two.
std::vector<double> slopes(test::function_ref<var(var, var)> f, double a, double b) {
  const derivatives d = through_tape([&](var x, var y) { return var(f(x, y)); }, a, b, true, true);
  return {d.first, d.second};
}

}  // namespace

TEST_CASE("test_special_functions_of_one_variable") { TEST_SPECIAL_UNARY(UNARY) }

TEST_CASE("test_special_functions_of_two_variables") { TEST_SPECIAL_BINARY(BINARY) }

TEST_CASE("test_special_functions_at_the_ends_of_their_domains") {
#define VALUE(name, value, ...) CHECK_MESSAGE(same(admpi_value_##name(__VA_ARGS__), value), #name "(" #__VA_ARGS__ ")");
  TEST_SPECIAL_VALUES(VALUE)
#undef VALUE
#define SLOPE(name, of_x, x) CHECK_MESSAGE(same(slope([](auto at) { return name(at); }, x), of_x), #name "(" #x ")");
  TEST_SPECIAL_SLOPES(SLOPE)
#undef SLOPE
#define SLOPES(name, of_a, of_b, a, b)                                                   \
  {                                                                                      \
    const auto got = slopes([](auto x, auto y) { return name(x, y); }, a, b);            \
    CHECK_MESSAGE((same(got[0], of_a) && same(got[1], of_b)), #name "(" #a ", " #b ")"); \
  }
  TEST_SPECIAL_SLOPES_OF_TWO(SLOPES)
#undef SLOPES
}

TEST_CASE("test_special_digamma_difference") {
  // Of integer steps the difference is a sum of fractions.
  CHECK(admpi_value_digamma_difference(1.5, 2.0) == doctest::Approx(-(1 / 1.5 + 1 / 2.5)).epsilon(1e-15));
  CHECK(admpi::digamma_difference(1.5, 2.0) == admpi_value_digamma_difference(1.5, 2.0));
  CHECK(admpi_value_digamma_difference(1e8, 1.0) == doctest::Approx(-1e-8).epsilon(1e-15));
}

TEST_CASE("test_special_gamma_at_the_integers_is_exact") {
  double factorial = 1.0;
  for (int n = 1; n < 20; ++n) {
    CHECK(admpi_value_tgamma(n) == factorial);
    factorial *= n;
  }
}

TEST_CASE("test_special_gamma_too_small_to_be_told_from_zero") {
  for (const double x : {-190.5, -191.5, -1000.5, -1001.5}) {
    CHECK(admpi_value_tgamma(x) == 0.0);
    CHECK(std::signbit(admpi_value_tgamma(x)) == (std::fmod(x, 2.0) == -0.5));
  }
  CHECK(admpi_value_tgamma(-176.5) != 0.0);
}

TEST_CASE("test_special_beta_of_small_and_large_arguments") {
  // 1 / a + 1 / b, where the gamma function of neither sum nor product is a number.
  CHECK(close(admpi_value_beta(1e-200, 2e-200), 1.5e200, 0.0));
  CHECK(close(admpi_value_beta(1e-300, 1e300), 1e300, 1e300 * 700));
}

TEST_CASE("test_special_functions_far_out") {
  // By mpmath, 60 digits: what a formula goes through is past the range of doubles, or below it.
  CHECK(close(admpi_value_beta(3e-300, 2e-300), 8.3333333333333329e+299, 0.0));
  CHECK(close(admpi_value_beta(1e-308, 1e-5), 1e308, 0.0));
  CHECK(close(admpi_value_beta(5e-10, 9e-10), 3111111111.111111, 0.0));
  CHECK(close(admpi_value_digamma_difference(1e-300, 1e300), -1e300, 0.0));
  CHECK(close(admpi_value_digamma_difference(1.5e308, 1.5e308), -std::log(2.0), 0.0));
}

TEST_CASE("test_special_multiply_log_has_mixed_derivatives_at_zero") {
  // Half of what is at stake has a second derivative where the value does not depend on it.
  CHECK(multiply_log(TT(T(0.0, 1.0), T(0.0)), TT(T(2.0, 0.0), T(1.0))).derivative.derivative == 0.5);
}

TEST_CASE("test_special_functions_in_expressions_and_in_std") {
  test::recording_tape tape;
  var x = 1.7, y = 0.4;
  tape.input(x);
  tape.input(y);
  const std::uint64_t before = tape.statistics().statements;
  const var z = std::lgamma(x * y) + 2.0 * log_sum_exp(x - y, 0.5) - admpi::beta(x, y + 1.0);
  CHECK(tape.statistics().statements == before + 1);
  tape.seed(z);
  tape.reverse();
  const double p = 1.7 * 0.4, s = admpi_value_inv_logit(1.7 - 0.4 - 0.5), b = admpi_value_beta(1.7, 1.4);
  CHECK(z.value == doctest::Approx(admpi_value_lgamma(p) + 2.0 * admpi_value_log_sum_exp(1.3, 0.5) - b).epsilon(1e-15));
  const double sum = admpi_value_digamma(1.7 + 1.4);
  const double of_x = 0.4 * admpi_value_digamma(p) + 2.0 * s - b * (admpi_value_digamma(1.7) - sum);
  const double of_y = 1.7 * admpi_value_digamma(p) - 2.0 * s - b * (admpi_value_digamma(1.4) - sum);
  CHECK(tape.adjoint(x) == doctest::Approx(of_x).epsilon(1e-14));
  CHECK(tape.adjoint(y) == doctest::Approx(of_y).epsilon(1e-14));
}

TEST_CASE("test_special_functions_of_arrays") {
  test::recording_tape tape;
  admpi::varmat a(3, 1, std::vector<double>{0.3, 1.7, 2.9}.data());
  var s = 0.8;
  tape.input(a);
  tape.input(s);
  const auto f = [](auto x, auto y) {
    return elt_multiply(lgamma(x), inv_logit(y - x)) + beta(x, y + 1.0) - log_sum_exp(x, 2.0 * y) + multiply_log(y, digamma(x + 2.0)) + Phi(x);
  };
  const std::uint64_t events = tape.statistics().events;
  const admpi::varmat y = f(a, s);
  CHECK(tape.statistics().events == events + 1);
  std::vector<var> expected;
  for (const var &x : a.vars()) expected.push_back(f(x, s));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(y.values()[i] == expected[i].value);
    tape.clear_adjoints();
    tape.seed(expected[i], 1.5);
    tape.reverse();
    const std::vector<double> of_a = tape.adjoints(a);
    const double of_s = tape.adjoint(s);
    tape.clear_adjoints();
    tape.seed(y(static_cast<std::int64_t>(i)), 1.5);
    tape.reverse();
    CHECK(close(tape.adjoints(a)[i], of_a[i], 0.0));
    CHECK(close(tape.adjoint(s), of_s, 0.0));
  }
}

TEST_CASE("test_special_functions_of_arrays_have_second_derivatives") {
  test::recording_tape tape;
  admpi::varmat a(3, 1, std::vector<double>{0.3, 1.7, 2.9}.data());
  tape.input(a);
  const auto f = [](const auto &x) { return elt_multiply(lgamma(x), inv_logit(x)) + beta(x, 1.4) - log_sum_exp(0.3, x) + Phi(x); };
  const admpi::varmat ones(std::vector<double>{1.0, 1.0, 1.0});
  const admpi::tangent<admpi::varmat> y = f(admpi::tangent<admpi::varmat>{a, ones});
  tape.seed(y.derivative);
  tape.reverse();
  const std::vector<double> got = tape.adjoints(a), values = a.values(), derivatives = y.derivative.values();
  for (std::size_t i = 0; i < 3; ++i) {
    const TT expected = f(TT(T(values[i], 1.0), T(1.0)));
    CHECK(close(derivatives[i], expected.derivative.value, 0.0));
    CHECK(close(got[i], expected.derivative.derivative, 0.0, 1e-13));
  }
}
