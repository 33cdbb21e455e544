// Active floats: the values of the plain program bit by bit, in every mixture of types, and the derivatives of doubles.
#include <admpi/float.hpp>

#include <admpi/complex.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/recording_tape.hpp"

using admpi::float_var;
using admpi::value;
using admpi::var;
using test::recording_tape;

// Plain programs in single precision round where they assign.
#pragma GCC diagnostic ignored "-Wfloat-conversion"

namespace {

/// What C++ computes of plain numbers, with the same type.
template <class Real>
bool same(Real expected, Real got) {
  return std::memcmp(&expected, &got, sizeof expected) == 0 || (expected != expected && got != got);
}
template <class Plain, class E>
bool is(Plain expected, const E &got) {
  static_assert(std::is_same<decltype(value(got)), Plain>::value, "an expression of floats is a float, others are doubles");
  return same(expected, value(got));
}

std::vector<float> samples() {
  std::vector<float> all{0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1e-40f, 3e38f, INFINITY, NAN};
  std::mt19937 random(7);
  std::uniform_real_distribution<float> near(-3.0f, 3.0f);
  for (int i = 0; i < 200; ++i) all.push_back(near(random));
  return all;
}

/// As a program in single precision does it: constants of both kinds, integers, compound assignments, a branch.
template <class Real>
std::vector<Real> lorenz(Real x, Real y, Real z, int steps) {
  using std::sin;
  using std::sqrt;
  const Real h = 0.005f;
  Real energy = 0;
  for (int i = 0; i < steps; ++i) {
    const Real dx = 10 * (y - x), dy = x * (28.0f - z) - y, dz = x * y - 8 * z / 3;
    x += h * dx;
    y = y + 0.005 * dy;
    z += h * dz;
    energy += sqrt(x * x + y * y) / (1.0f + z * z) - sin(0.1 * x);
    if (energy > 100.0f) energy /= 2;
  }
  return {x, y, z, energy};
}

}  // namespace

TEST_CASE("test_floats_operators") {
  const double d = 0.1;
  const int odd = 16777217;
  for (const float a : samples()) {
    for (const float b : {0.3f, -2.7f, 16777216.0f, a}) {
      const float_var x = a, y = b;
      const var w = d;
      CHECK((is(a + b, x + y) && is(a - b, x - y) && is(a * b, x * y) && is(a / b, x / y) && is(-a, -x)));
      CHECK((is(a + b, x + b) && is(a - b, a - y) && is(a * b, x * b) && is(a / b, a / y)));
      CHECK((is(a + 3, x + 3) && is(3 - a, 3 - x) && is(a * odd, x * odd) && is(7L / a, 7L / x)));
      CHECK((is(a + d, x + d) && is(d - a, d - x) && is(a * d, x * w) && is(d / a, w / x)));
      // More than one operation, each rounded.
      CHECK((is(a * b + a / b - 0.7f, x * y + x / y - 0.7f) && is((a + b) * d, (x + y) * d)));
      CHECK((is(std::fma(a, b, 0.1f), fma(x, y, 0.1f)) && is(std::fma(a, d, b), fma(x, w, y))));
      CHECK(((a < b) == (x < y) && (a < d) == (x < w) && (a == 0.1f) == (x == 0.1f) && (a >= d) == (x >= d)));
      float plain = a;
      float_var active = a;
      plain += b, plain *= d, plain -= 0.1, plain /= 3, ++plain;
      active += y, active *= w, active -= 0.1, active /= 3, ++active;
      // An assignment rounds, and so does a construction.
      const float rounded = a * d;
      const float_var made = x * w;
      CHECK((is(plain, active) && same<double>(plain, active.value) && same<double>(rounded, made.value)));
    }
  }
}

TEST_CASE("test_floats_functions") {
  for (const float a : samples()) {
    const float_var x = a;
#define SAME(name) CHECK(is(std::name(a), name(x)));
    ADMPI_STD_UNARY(SAME)
    ADMPI_STD_FLAT(SAME)
#undef SAME
#define SAME(name) CHECK(is(std::name(a), std::name(x)));
    ADMPI_STD_UNARY(SAME)
    ADMPI_STD_FLAT(SAME)
#undef SAME
    CHECK((is(std::fabs(a), fabs(x)) && is(std::ldexp(a, 3), ldexp(x, 3)) && is(std::ldexp(a, -140), std::ldexp(x, -140))));
    CHECK((std::isnormal(a) == isnormal(x) && std::isnormal(a) == std::isnormal(x)));
    CHECK((std::isnan(a) == isnan(x) && std::fpclassify(a) == fpclassify(x)));
    for (const float b : {2.0f, -0.7f, a}) {
      const float_var y = b;
#define SAME(name) CHECK((is(std::name(a, b), name(x, y)) && is(std::name(a, b), name(x, b)) && is(std::name(a, b), name(a, y))));
      ADMPI_STD_BINARY(SAME)
#undef SAME
      CHECK((is(std::fmin(a, b), fmin(x, y)) && is(std::max(a, b), max(x, y)) && is(std::max(a, b), std::max(x, y))));
      CHECK((is(std::copysign(a, b), copysign(x, y)) && is(std::pow(a, 2), pow(x, 2)) && is(std::pow(a, 0.5), pow(x, 0.5))));
    }
  }
}

TEST_CASE("test_floats_simulation") {
  const int steps = 2000;
  const std::vector<float> plain = lorenz(1.0f, 1.1f, 20.0f, steps);
  recording_tape tape;
  std::vector<float_var> x{1.0f, 1.1f, 20.0f};
  tape.input(x);
  const std::vector<float_var> active = lorenz(x[0], x[1], x[2], steps);
  for (std::size_t i = 0; i < plain.size(); ++i) CHECK(is(plain[i], active[i]));
  // Few enough steps for the two precisions to agree.
  tape.reset();
  tape.input(x);
  std::vector<var> wide{1.0f, 1.1f, 20.0f};
  tape.input(wide);
  tape.seed(lorenz(x[0], x[1], x[2], 20)[3]);
  tape.seed(lorenz(wide[0], wide[1], wide[2], 20)[3]);
  tape.reverse();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = tape.adjoint(wide[i]);
    CHECK((std::fabs(expected) > 1e-3 && std::fabs(tape.adjoint(x[i]) - expected) < 1e-4 * std::fabs(expected)));
  }
}

TEST_CASE("test_floats_derivatives_of_one_statement") {
  recording_tape tape;
  float_var x = 0.3f, y = 1.7f;
  tape.input(x);
  tape.input(y);
  var wide = x, other = y;
  // A copy, and a conversion between the types, are the same value.
  CHECK((wide.id == x.id && float_var(wide).id == x.id && wide.value == x.value));
  const auto derivatives = [&](const auto &result) {
    tape.clear_adjoints();
    tape.seed(result);
    tape.reverse();
    return std::vector<double>{tape.adjoint(x), tape.adjoint(y)};
  };
  const auto close = [&](const auto &result, const var &expected) {
    const std::vector<double> got = derivatives(result), right = derivatives(expected);
    return std::fabs(got[0] - right[0]) <= 1e-6 * std::fabs(right[0]) && std::fabs(got[1] - right[1]) <= 1e-6 * std::fabs(right[1]);
  };
  CHECK(close(float_var(x * y), wide * other));
  CHECK(close(float_var(x / y - 2 * y), wide / other - 2 * other));
  CHECK(close(float_var(exp(x * y) + atan2(x, y)), exp(wide * other) + atan2(wide, other)));
  CHECK(close(var(pow(x, 3) * other), pow(wide, 3) * other));
  CHECK(close(float_var(fma(x, y, x)), fma(wide, other, wide)));
  CHECK(close(float_var(hypot(x, y, 2.0f) + max(x, y)), hypot(wide, other, 2.0) + max(wide, other)));
  CHECK(close(float_var(lgamma(y) + clamp(x, 0.0f, 1.0f)), lgamma(other) + wide));
}

namespace {

/// The same of plain floats, of active ones and of active doubles, with plain complex numbers `C`.
template <class R, class C>
std::complex<R> with_plain_complex_numbers(R p, R q) {
  const std::complex<R> z(p, q), w = std::polar(p, q);
  const std::complex<C> c(1.5f, 2.0f);
  std::complex<R> all = pow(z, p) + pow(z, z) + pow(z, c) + w;
  all += z * c + c * z + (z + c) - (c - z);
  all += c * p + p * c + c * R(p + q) + pow(c, z);
  std::complex<R> made = {q, 2};
  made *= p * q;
  all += made;
  made = 3;
  all -= made;
  return z == c || !(c != z) ? z : all;
}

}  // namespace

TEST_CASE("test_floats_in_complex_numbers_beside_plain_ones") {
  const float p = 0.3f, q = 0.7f;
  const std::complex<float> right = with_plain_complex_numbers<float, float>(p, q);
  recording_tape tape;
  float_var x = p, y = q;
  var wide = p, other = q;
  tape.input(x);
  tape.input(y);
  tape.input(wide);
  tape.input(other);
  const std::complex<float_var> got = with_plain_complex_numbers<float_var, float>(x, y);
  const std::complex<var> expected = with_plain_complex_numbers<var, double>(wide, other);
  CHECK(value(got.real()) == right.real());
  CHECK(value(got.imag()) == right.imag());
  tape.seed(got.real());
  tape.seed(got.imag(), 3.0);
  tape.seed(expected.real());
  tape.seed(expected.imag(), 3.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == doctest::Approx(tape.adjoint(wide)).epsilon(1e-5));
  CHECK(tape.adjoint(y) == doctest::Approx(tape.adjoint(other)).epsilon(1e-5));
}

TEST_CASE("test_floats_beside_the_standard_library") {
  static_assert(std::numeric_limits<float_var>::digits == 24, "a float");
  static_assert(std::is_same<decltype(value(float_var())), float>::value, "its value is a float");
  std::stringstream stream;
  stream << float_var(0.1f);
  CHECK(stream.str() == "0.1");
  float_var x;
  stream >> x;
  CHECK(x == 0.1f);
  CHECK(static_cast<int>(float_var(2.75f)) == 2);
  const admpi_var third = admpi_to_float(admpi_var{1.0 / 3.0, 0, 0});
  CHECK(third.value == static_cast<double>(1.0f / 3.0f));
}
