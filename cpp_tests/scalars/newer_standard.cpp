// What C++20 adds to the names that templated code expects of its scalar. Compiled as C++20.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>
#include <vector>

#include <admpi/float.hpp>

#include <doctest/doctest.h>
#include "harness/recording_tape.hpp"

using admpi::float_var;
using admpi::tangent;
using admpi::value;
using admpi::var;

namespace {

/// Interpolates with and without namespace, also between numbers.
template <class T>
T interpolated(const T &a, const T &b, const T &t) {
  using std::lerp;
  return lerp(a, b, t) * std::lerp(a, 2.0, t) + std::numbers::pi_v<T> * lerp(0.5, b, 0.25);
}

/// By the formula.
template <class T>
T by_hand(const T &a, const T &b, const T &t) {
  return (a + t * (b - a)) * (a + t * (2.0 - a)) + std::numbers::pi_v<T> * (0.5 + 0.25 * (b - 0.5));
}

bool near(double got, double expected) { return std::fabs(got - expected) <= 1e-14 * (1.0 + std::fabs(expected)); }

template <class F>
std::vector<double> gradient(F f, const std::vector<double> &at) {
  test::recording_tape tape;
  std::vector<var> x(at.begin(), at.end());
  tape.input(x);
  const var y = f(x[0], x[1], x[2]);
  tape.seed(y);
  tape.reverse();
  return {tape.adjoint(x[0]), tape.adjoint(x[1]), tape.adjoint(x[2]), y.value};
}

// At 0 and 1, between and outside, upwards and downwards, on both sides of zero.
const std::vector<std::vector<double>> points = {
    {1.5, 2.5, 0.3}, {1.5, 2.5, 1.0}, {2.5, -1.5, 0.0}, {-2.5, -1.5, 1.7}, {3.0, 3.0, 0.5}};

}  // namespace

TEST_CASE("test_lerp_has_the_value_of_std_and_the_derivatives_of_the_formula") {
  for (const auto &at : points) {
    const auto got = gradient([](const auto &...x) { return interpolated(x...); }, at);
    const auto expected = gradient([](const auto &...x) { return by_hand(x...); }, at);
    for (std::size_t i = 0; i < 4; ++i) CHECK(near(got[i], expected[i]));
    CHECK(got[3] == interpolated(at[0], at[1], at[2]));
    for (std::size_t i = 0; i < 3; ++i) {
      std::vector<tangent<double>> x(at.begin(), at.end());
      std::vector<tangent<double, 3>> several(at.begin(), at.end());
      x[i].derivative = 1.0;
      several[i].derivative[2] = 1.0;
      const auto along = interpolated(x[0], x[1], x[2]);
      CHECK(near(along.derivative, expected[i]));
      CHECK(along.value == got[3]);
      CHECK(near(interpolated(several[0], several[1], several[2]).derivative[2], expected[i]));
      std::vector<tangent<tangent<double>>> both(at.begin(), at.end());
      both[i].value.derivative = 1.0;
      for (auto &each : both) each.derivative = 1.0;
      const auto second = [&](auto f) {
        test::recording_tape tape;
        std::vector<tangent<var>> z(at.begin(), at.end());
        for (auto &each : z) {
          tape.input(each.value);
          each.derivative = 1.0;
        }
        const tangent<var> y = f(z[0], z[1], z[2]);
        tape.seed(y.derivative);
        tape.reverse();
        return tape.adjoint(z[i].value);
      };
      const double curved = by_hand(both[0], both[1], both[2]).derivative.derivative;
      CHECK(near(second([](const auto &...x) { return interpolated(x...); }), curved));
      CHECK(near(interpolated(both[0], both[1], both[2]).derivative.derivative, curved));
    }
  }
}

TEST_CASE("test_lerp_of_floats_rounds_as_that_of_std") {
  for (const auto &at : points) {
    const float a = static_cast<float>(at[0] + 0.1), b = static_cast<float>(at[1]), t = static_cast<float>(at[2]);
    const float_var y = std::lerp(float_var(a), float_var(b), float_var(t));
    CHECK(value(y) == static_cast<double>(std::lerp(a, b, t)));
  }
}

TEST_CASE("test_numbers_are_those_of_the_precision") {
  static_assert(std::is_same_v<decltype(std::numbers::pi_v<var>), const var>);
  static_assert(std::numbers::pi_v<tangent<double>>.value == std::numbers::pi);
  CHECK(value(std::numbers::egamma_v<var>) == std::numbers::egamma);
  CHECK(value(std::numbers::phi_v<tangent<var>>) == std::numbers::phi);
  CHECK(value(std::numbers::sqrt2_v<float_var>) == static_cast<double>(std::numbers::sqrt2_v<float>));
}

namespace {

template <class T>
struct point {
  T x;
  int n;
  auto operator<=>(const point &) const = default;
};

template <class T>
void compare() {
  const T one = 1.0, two = 2.0, nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(point<T>{one, 2} < point<T>{two, 1});
  CHECK(point<T>{one, 2} > point<T>{one, 1});
  CHECK(point<T>{two, 1} == point<T>{two, 1});
  CHECK((one <=> 2.0) == std::partial_ordering::less);
  CHECK((3 <=> two) == std::partial_ordering::greater);
  CHECK((two * two <=> two + two) == std::partial_ordering::equivalent);
  CHECK((nan <=> one) == std::partial_ordering::unordered);
}

}  // namespace

TEST_CASE("test_structures_of_scalars_are_compared") {
  compare<double>();
  compare<var>();
  compare<float_var>();
  compare<tangent<double>>();
  compare<tangent<double, 3>>();
  compare<tangent<var>>();
}

TEST_CASE("test_limits_of_floats_are_active_floats") {
  const float_var x = 0.5f;
  CHECK(value(std::max(x, std::numeric_limits<float_var>::max())) == static_cast<double>(std::numeric_limits<float>::max()));
  CHECK(std::numeric_limits<float_var>::epsilon() == std::numeric_limits<float>::epsilon());
}
