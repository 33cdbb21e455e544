// Functions of many numbers at once against the C library's in long double: how far off in units in the last place, values
// and derivatives, what the formulas are not good for, and that what stands beside a number does not matter.
#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "scalars/function_lists.h"

namespace {

using numbers = std::vector<double>;
using many = int32_t (*)(int64_t, const double *, double *, double *);
using exact = long double (*)(long double);

constexpr double infinite = std::numeric_limits<double>::infinity();

struct function {
  const char *name;
  many of_all;
  exact value, derivative;
  /// What the value and the derivative may be off by, in units in the last place.
  double most, most_derivative;
  /// Whether the value at x has all its bits.
  bool (*takes)(double x);
};

#define FORMULA(name, value, derivative, most, most_derivative, takes)                                                                  \
  {#name, admpi_values_##name, [](long double x) { return value; }, [](long double x) { return derivative; }, most, most_derivative, \
   []([[maybe_unused]] double x) { return takes; }},
const function functions[] = {TEST_FORMULAS(FORMULA)};
#undef FORMULA

const function &called(const std::string &name) {
  for (const function &f : functions) {
    if (f.name == name) return f;
  }
  throw std::out_of_range(name);
}

/// The distance in units in the last place of what is right.
double error(double got, long double right) {
  const double rounded = static_cast<double>(right);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) == std::isnan(got) ? 0.0 : infinite;
  if (got == rounded) return static_cast<double>(std::fabs(right - rounded)) == 0.0 ? 0.0 : 0.5;
  if (std::isinf(got) || std::isinf(rounded)) return infinite;
  const double size = std::fabs(rounded);
  const double next = std::nextafter(size, infinite);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - right) / (static_cast<long double>(next) - size));
}

struct evaluated {
  numbers y, d;
};

evaluated evaluate(const function &f, const numbers &x) {
  evaluated e{numbers(x.size()), numbers(x.size())};
  REQUIRE(f.of_all(static_cast<int64_t>(x.size()), x.data(), e.y.data(), e.d.data()) == ADMPI_SUCCESS);
  numbers alone(x.size());
  REQUIRE(f.of_all(static_cast<int64_t>(x.size()), x.data(), alone.data(), nullptr) == ADMPI_SUCCESS);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE((alone[i] == e.y[i] || std::isnan(alone[i])));
  return e;
}

void check(const function &f, const numbers &x) {
  const evaluated e = evaluate(f, x);
  double worst = 0.0, worst_derivative = 0.0, at = 0.0, at_derivative = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = error(e.y[i], f.value(x[i])), off_derivative = error(e.d[i], f.derivative(x[i]));
    if (off > worst) worst = off, at = x[i];
    if (off_derivative > worst_derivative) worst_derivative = off_derivative, at_derivative = x[i];
  }
  CAPTURE(std::string(f.name));
  CAPTURE(at);
  CAPTURE(at_derivative);
  CHECK(worst <= f.most);
  CHECK(worst_derivative <= f.most_derivative);
}

/// Numbers from a to b, neither of them special in any way.
numbers between(double a, double b, int n = 100000) {
  numbers x;
  std::uint64_t state = 12345;
  for (int i = 0; i < n; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    x.push_back(a + (b - a) * (static_cast<double>(state >> 11) * 0x1p-53));
  }
  return x;
}

}  // namespace

TEST_CASE("test_elementary_accuracy_in_the_ordinary_range") {
  for (const function &f : functions) {
    for (const double scale : {1e-300, 1e-9, 0.01, 0.5, 1.0, 3.0, 19.9, 300.0, 707.9}) {
      numbers x;
      for (const double number : between(-scale, scale)) {
        if (f.takes(number)) x.push_back(number);
      }
      check(f, x);
    }
  }
  // The angles that are closest to multiples of pi / 2, and large ones.
  for (const function &f : {called("sin"), called("cos"), called("tan")}) {
    numbers x = between(-1e6, 1e6);
    for (int k = -400000; k < 400000; k += 7) x.push_back(k * 1.57079632679489661923);
    check(f, x);
  }
  numbers around_one;
  for (int k = -1000; k <= 1000; ++k) around_one.push_back(1.0 + k * 0x1p-52);
  for (const char *name : {"log", "log2", "log10", "atan"}) check(called(name), around_one);
  numbers exponents;
  for (int k = -1074; k < 1024; ++k) exponents.push_back(std::ldexp(1.37, k));
  for (const char *name : {"log", "log2", "log10", "cbrt", "asinh"}) check(called(name), exponents);
}

TEST_CASE("test_elementary_what_the_formulas_are_not_good_for") {
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const numbers special = {0.0,   -0.0,   infinite, -infinite, nan,   least,  -least,  most,     -most,  1e-310, -1e-310, 708.0, -708.0,
                           709.7, 709.8,  710.0,    -709.0,    -745.1, -745.2, -746.0,  1e5,      -1e5,   1e7,    -1e7,    1e22,  20.0,
                           -20.0, 1.0,    -1.0,     0x1p-1022, 0x1p-1023, 0x1p1023, 0x1p20, -0x1p20, 0x1p-30};
  for (const function &f : functions) {
    for (const double x : special) {
      const evaluated e = evaluate(f, {x});
      CAPTURE(std::string(f.name));
      CAPTURE(x);
      // Subnormal results have fewer bits: 1 / (1 + exp(-x)) as doubles have it.
      const bool vanishes = f.of_all == admpi_values_inv_logit && x < -700.0;
      if (!vanishes) CHECK(error(e.y[0], f.value(x)) <= f.most);
      if (!std::isnan(e.y[0])) CHECK(std::signbit(e.y[0]) == std::signbit(static_cast<double>(f.value(x))));
    }
  }
  CHECK(evaluate(called("exp"), {-infinite}).d[0] == 0.0);
  CHECK(evaluate(called("log"), {0.0}).d[0] == infinite);
  CHECK(evaluate(called("tanh"), {infinite, -infinite}).d == numbers{0.0, 0.0});
  CHECK(evaluate(called("inv_logit"), {800.0, -800.0}).y == numbers{1.0, 0.0});
  CHECK(evaluate(called("erf"), {infinite, -infinite, 30.0, -30.0}).y == numbers{1.0, -1.0, 1.0, -1.0});
  CHECK(evaluate(called("erfc"), {infinite, -infinite, 30.0, -30.0}).y == numbers{0.0, 2.0, 0.0, 2.0});
  CHECK(evaluate(called("Phi"), {infinite, -infinite, 40.0, -40.0}).y == numbers{1.0, 0.0, 1.0, 0.0});
  for (const char *name : {"erf", "erfc", "Phi"}) CHECK(evaluate(called(name), {infinite, -infinite, 50.0}).d == numbers(3, 0.0));
}

TEST_CASE("test_elementary_neighbours_do_not_matter") {
  for (const function &f : functions) {
    const numbers x = between(f.takes(0.1) ? 0.1 : 1.1, f.takes(9.0) ? 9.0 : 0.9, 200);
    const evaluated all = evaluate(f, x);
    for (std::size_t n : {1, 2, 3, 7, 15, 16, 17, 63, 64, 65}) {
      numbers some(x.begin() + 5, x.begin() + 5 + static_cast<std::ptrdiff_t>(n));
      const evaluated plain = evaluate(f, some);
      some[n / 2] = infinite;
      const evaluated beside = evaluate(f, some);
      for (std::size_t i = 0; i < n; ++i) {
        CHECK(plain.y[i] == all.y[i + 5]);
        CHECK(plain.d[i] == all.d[i + 5]);
        if (i != n / 2) CHECK(beside.y[i] == all.y[i + 5]);
        if (i != n / 2) CHECK(beside.d[i] == all.d[i + 5]);
      }
    }
  }
}

/// Logarithms of powers of the base are integers, and powers of integers: no digit may be missing.
TEST_CASE("test_elementary_integers_are_exact") {
  for (int k = -1022; k < 1024; ++k) CHECK(evaluate(called("log2"), {std::ldexp(1.0, k)}).y[0] == k);
  for (int k = -1020; k < 1021; ++k) CHECK(evaluate(called("exp2"), {static_cast<double>(k)}).y[0] == std::ldexp(1.0, k));
  double power = 1.0;
  for (int k = 0; k <= 22; ++k, power *= 10.0) CHECK(evaluate(called("log10"), {power}).y[0] == k);
  for (int k = 1; k < 1000; ++k) CHECK(evaluate(called("cbrt"), {static_cast<double>(k) * k * k}).y[0] == k);
}

TEST_CASE("test_elementary_powers") {
  const auto check_all = [](const numbers &x1, const numbers &x2) {
    const auto n = static_cast<int64_t>(x1.size());
    numbers y(x1.size()), alone(x1.size()), d1(x1.size()), d2(x1.size()), d2_alone(x1.size());
    REQUIRE(admpi_values_pow(n, x1.data(), x2.data(), y.data(), d1.data(), d2.data()) == ADMPI_SUCCESS);
    REQUIRE(admpi_values_pow(n, x1.data(), x2.data(), alone.data(), nullptr, nullptr) == ADMPI_SUCCESS);
    REQUIRE(admpi_values_pow(n, x1.data(), x2.data(), alone.data(), nullptr, d2_alone.data()) == ADMPI_SUCCESS);
    double worst = 0.0;
    for (std::size_t i = 0; i < x1.size(); ++i) {
      const long double a = x1[i], b = x2[i], right = std::pow(a, b);
      CAPTURE(x1[i]);
      CAPTURE(x2[i]);
      worst = std::fmax(worst, error(y[i], right));
      const long double by_x1 = b * right / a, by_x2 = right * std::log(a);
      const auto ordinary = [](long double d) { return std::fabs(std::log(std::fabs(d))) < 700; };
      if (ordinary(a) && ordinary(right) && ordinary(by_x1)) REQUIRE(error(d1[i], by_x1) <= 3.0);
      if (ordinary(right) && ordinary(by_x2)) REQUIRE(error(d2[i], by_x2) <= 2.5);
      REQUIRE((alone[i] == y[i] || std::isnan(y[i])));
      REQUIRE((d2_alone[i] == d2[i] || std::isnan(d2[i])));
    }
    CHECK(worst <= 1.0);
  };
  for (const double scale : {1e-3, 0.5, 2.0, 30.0, 700.0}) {
    const numbers exponent = between(-scale, scale);
    numbers base, near_one;
    const numbers logs = between(-690.0, 690.0);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      base.push_back(std::exp(logs[i] / std::fmax(1.0, std::fabs(exponent[i]))));
      near_one.push_back(1.0 + 1e-3 * std::sin(static_cast<double>(i)));
    }
    check_all(base, exponent);
    check_all(near_one, exponent);
  }
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  numbers x1, x2;
  for (const double a : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e-310, least, most, -most, infinite, -infinite, std::nan("")}) {
    for (const double b : {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, -3.0, 1e-310, 1e300, infinite, -infinite, std::nan("")}) {
      x1.push_back(a);
      x2.push_back(b);
    }
  }
  check_all(x1, x2);
  // In range where neither x^p / x nor p / x may be.
  for (const double base : {1e-310, 1e-300, 5e-281, 2.06e-284, 3e-308}) {
    for (const double p : {1e-5, 0.5, 0.02, -0.0885, -0.1, -0.002, 1e-300}) {
      double y, d1;
      REQUIRE(admpi_values_pow(1, &base, &p, &y, &d1, nullptr) == ADMPI_SUCCESS);
      const long double right = p * std::pow(static_cast<long double>(base), static_cast<long double>(p) - 1.0L);
      CAPTURE(base);
      CAPTURE(p);
      const bool in_range = std::fabs(right) < std::numeric_limits<double>::max();
      CHECK((in_range ? std::fabs(static_cast<double>((d1 - right) / right)) < 1e-13 : std::isinf(d1)));
    }
  }
  // As of scalars: p x^(p - 1), and 0 for p = 0; log(x) x^p, and 0 where x is not positive.
  numbers y(4), d1(4), d2(4);
  const numbers zero_or_less = {0.0, 0.0, 0.0, -2.0}, power = {0.0, 1.0, 0.5, 3.0};
  REQUIRE(admpi_values_pow(4, zero_or_less.data(), power.data(), y.data(), d1.data(), d2.data()) == ADMPI_SUCCESS);
  CHECK(y == numbers{1.0, 0.0, 0.0, -8.0});
  CHECK(d1 == numbers{0.0, 1.0, infinite, 12.0});
  CHECK(d2 == numbers{0.0, 0.0, 0.0, 0.0});
}

TEST_CASE("test_elementary_hypot_and_atan2") {
  const auto check_all = [](const numbers &x1, const numbers &x2) {
    const auto n = static_cast<int64_t>(x1.size());
    double worst[2][3] = {};
    for (const bool angle : {false, true}) {
      const auto of_all = angle ? admpi_values_atan2 : admpi_values_hypot;
      numbers y(x1.size()), alone(x1.size()), d1(x1.size()), d2(x1.size());
      REQUIRE(of_all(n, x1.data(), x2.data(), y.data(), d1.data(), d2.data()) == ADMPI_SUCCESS);
      REQUIRE(of_all(n, x1.data(), x2.data(), alone.data(), nullptr, nullptr) == ADMPI_SUCCESS);
      for (std::size_t i = 0; i < x1.size(); ++i) {
        const long double a = x1[i], b = x2[i], r = std::hypot(a, b);
        CAPTURE(x1[i]);
        CAPTURE(x2[i]);
        const long double right[3] = {angle ? std::atan2(a, b) : r, angle ? b / r / r : a / r, angle ? -a / r / r : b / r};
        const double got[3] = {y[i], d1[i], d2[i]};
        for (int k = 0; k < 3; ++k) {
          // At the origin no direction is better than another; the subnormal have fewer bits.
          if (k > 0 && r == 0) CHECK(got[k] == 0.0);
          else if (std::fabs(right[k]) > 1e-300L || right[k] == 0) worst[angle][k] = std::fmax(worst[angle][k], error(got[k], right[k]));
        }
        if (!std::isnan(y[i])) REQUIRE(std::signbit(y[i]) == std::signbit(static_cast<double>(right[0])));
        REQUIRE((alone[i] == y[i] || std::isnan(y[i])));
      }
    }
    CHECK(worst[0][0] <= 1.0);
    CHECK(worst[1][0] <= 2.5);
    for (const auto &of : worst) {
      CHECK(of[1] <= 4.0);
      CHECK(of[2] <= 4.0);
    }
  };
  for (const double scale : {1e-130, 1.0, 1e130}) {
    const numbers x1 = between(-scale, scale);
    for (const double ratio : {1e-9, 0.1, 0.5, 1.0, 3.0, 1e20}) {
      numbers x2 = between(-scale, scale);
      std::reverse(x2.begin(), x2.end());
      for (double &x : x2) x *= ratio;
      check_all(x1, x2);
    }
  }
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  numbers x1, x2;
  for (const double a : {0.0, 1.0, 0.5, 1e-310, 1e-150, 1e-140, 1e140, 1e150, least, most, infinite, std::nan("")}) {
    for (const double b : {0.0, 1.0, 2.0, 1e-310, 1e-150, 1e-140, 1e140, 1e150, least, most, infinite, std::nan("")}) {
      for (const int signs : {0, 1, 2, 3}) {
        x1.push_back(signs & 1 ? -a : a);
        x2.push_back(signs & 2 ? -b : b);
      }
    }
  }
  const auto n = static_cast<int64_t>(x1.size());
  numbers y(x1.size()), d1(x1.size()), d2(x1.size());
  REQUIRE(admpi_values_hypot(n, x1.data(), x2.data(), y.data(), d1.data(), d2.data()) == ADMPI_SUCCESS);
  for (std::size_t i = 0; i < x1.size(); ++i) CHECK(error(y[i], std::hypot(static_cast<long double>(x1[i]), x2[i])) <= 1.0);
  REQUIRE(admpi_values_atan2(n, x1.data(), x2.data(), y.data(), d1.data(), d2.data()) == ADMPI_SUCCESS);
  for (std::size_t i = 0; i < x1.size(); ++i) {
    CAPTURE(x1[i]);
    CAPTURE(x2[i]);
    const double right = std::atan2(x1[i], x2[i]);
    CHECK((std::isnan(right) ? std::isnan(y[i]) : std::fabs(y[i] - right) <= 2.5 * std::numeric_limits<double>::epsilon() * std::fabs(right)));
    if (!std::isnan(right)) CHECK(std::signbit(y[i]) == std::signbit(right));
  }
}

TEST_CASE("test_elementary_wrong_arguments") {
  double x = 1.0, y = 7.0;
  CHECK(admpi_values_exp(1, nullptr, &y, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_values_exp(1, &x, nullptr, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_values_exp(-1, &x, &y, nullptr) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_values_exp(0, nullptr, nullptr, nullptr) == ADMPI_SUCCESS);
  CHECK(admpi_values_pow(1, &x, nullptr, &y, nullptr, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_values_pow(1, &x, &x, nullptr, nullptr, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_values_pow(-1, &x, &x, &y, nullptr, nullptr) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_values_hypot(1, nullptr, &x, &y, nullptr, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_values_atan2(1, &x, nullptr, &y, nullptr, nullptr) == ADMPI_ERR_NULL);
  CHECK(y == 7.0);
}
