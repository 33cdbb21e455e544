// Functions of many numbers at once against the C library's in long double: how far off in units in the last place, values
// and derivatives, what the formulas are not good for, and that what stands beside a number does not matter.
#include <admpi.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

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
};

const function functions[] = {
    {"exp", admpi_values_exp, [](long double x) { return std::exp(x); }, [](long double x) { return std::exp(x); }, 1.0, 1.0},
    {"log", admpi_values_log, [](long double x) { return std::log(x); }, [](long double x) { return 1 / x; }, 0.9, 0.51},
    {"sin", admpi_values_sin, [](long double x) { return std::sin(x); }, [](long double x) { return std::cos(x); }, 0.9, 0.9},
    {"cos", admpi_values_cos, [](long double x) { return std::cos(x); }, [](long double x) { return -std::sin(x); }, 0.9, 0.9},
    {"tanh", admpi_values_tanh, [](long double x) { return std::tanh(x); },
     [](long double x) { const long double c = std::cosh(x); return 1 / (c * c); }, 2.5, 4.5},
    {"inv_logit", admpi_values_inv_logit, [](long double x) { return 1 / (1 + std::exp(-x)); },
     [](long double x) { const long double c = std::cosh(0.5L * x); return 0.25L / (c * c); }, 2.5, 4.5},
    {"sqrt", admpi_values_sqrt, [](long double x) { return std::sqrt(x); }, [](long double x) { return 0.5L / std::sqrt(x); }, 0.51, 1.6},
    {"expm1", admpi_values_expm1, [](long double x) { return std::expm1(x); }, [](long double x) { return std::exp(x); }, 2.5, 2.5},
    {"log1p", admpi_values_log1p, [](long double x) { return std::log1p(x); }, [](long double x) { return 1 / (1 + x); }, 2.5, 1.6},
    {"log1p_exp", admpi_values_log1p_exp,
     [](long double x) { return std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x))); },
     [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.5, 2.5},
    {"tan", admpi_values_tan, [](long double x) { return std::tan(x); },
     [](long double x) { const long double c = std::cos(x); return 1 / (c * c); }, 2.5, 6.0},
};

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
numbers between(double a, double b, int n = 200000) {
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
    for (const double scale : {1e-300, 1e-9, 0.01, 1.0, 3.0, 19.9, 300.0, 707.9}) {
      numbers x = between(-scale, scale);
      if (f.of_all == admpi_values_log || f.of_all == admpi_values_sqrt) x = between(0.0, scale);
      if (f.of_all == admpi_values_log1p) x = between(std::fmax(-scale, -0.99999), scale);
      // Where the value has all its bits.
      if (f.of_all == admpi_values_inv_logit || f.of_all == admpi_values_log1p_exp) x = between(std::fmax(-scale, -650.0), scale);
      if (f.of_all == admpi_values_tanh) x = between(-std::fmin(scale, 300.0), std::fmin(scale, 300.0));
      check(f, x);
    }
  }
  // The angles that are closest to multiples of pi / 2, and large ones.
  for (const function &f : {functions[2], functions[3], functions[10]}) {
    numbers x = between(-1e6, 1e6);
    for (int k = -400000; k < 400000; k += 7) x.push_back(k * 1.57079632679489661923);
    check(f, x);
  }
  numbers around_one;
  for (int k = -1000; k <= 1000; ++k) around_one.push_back(1.0 + k * 0x1p-52);
  check(functions[1], around_one);
  numbers exponents;
  for (int k = -1074; k < 1024; ++k) exponents.push_back(std::ldexp(1.37, k));
  check(functions[1], exponents);
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
  CHECK(evaluate(functions[0], {-infinite}).d[0] == 0.0);
  CHECK(evaluate(functions[1], {0.0}).d[0] == infinite);
  CHECK(evaluate(functions[4], {infinite, -infinite}).d == numbers{0.0, 0.0});
  CHECK(evaluate(functions[5], {800.0, -800.0}).y == numbers{1.0, 0.0});
}

TEST_CASE("test_elementary_neighbours_do_not_matter") {
  for (const function &f : functions) {
    const numbers x = between(0.1, 9.0, 200);
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

TEST_CASE("test_elementary_wrong_arguments") {
  double x = 1.0, y = 7.0;
  CHECK(admpi_values_exp(1, nullptr, &y, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_values_exp(1, &x, nullptr, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_values_exp(-1, &x, &y, nullptr) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_values_exp(0, nullptr, nullptr, nullptr) == ADMPI_SUCCESS);
  CHECK(y == 7.0);
}
