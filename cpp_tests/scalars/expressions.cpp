// How expressions become statements: aliasing, compound assignment, merging of leaves, cutting of large
// expressions, lifetimes, and what templated code expects of a scalar.
#include <admpi.h>
#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using admpi::value;
using admpi::var;

namespace {

/// A recording tape and what was recorded since some point.
struct recording {
  admpi::tape tape;
  admpi::tape_statistics before{};

  recording() { tape.start(); }
  var input(double x) {
    var v = x;
    tape.input(v);
    before = tape.statistics();
    return v;
  }
  void mark() { before = tape.statistics(); }
  std::uint64_t statements() const { return tape.statistics().statements - before.statements; }
  std::uint64_t arguments() const { return tape.statistics().arguments - before.arguments; }
  void sweep(const var &y) {
    tape.clear_adjoints();
    tape.seed(y);
    tape.reverse();
  }
};

template <class T>
T horner(const T &x) {
  using std::sin;
  T y = 1;
  for (int i = 0; i < 3; ++i) y = y * x + sin(x);
  return y;
}

/// x repeated N times in one expression: x + (x + (x + ...)).
template <int N, class E>
auto chain_of(const var &x, const E &rest) {
  if constexpr (N == 0) {
    return rest * 1.0;
  } else {
    return chain_of<N - 1>(x, x + rest);
  }
}

template <std::size_t... I>
var sum_of_squares(const std::vector<var> &x, std::index_sequence<I...>) {
  return ((x[I] * x[I]) + ...);
}

}  // namespace

TEST_CASE("test_expressions_one_statement_an_assignment") {
  recording r;
  const var x = r.input(2.0);
  const var y = r.input(3.0);
  const var z = x * y + sin(x) / (y - 1.0);
  CHECK(r.statements() == 1);
  // Four leaves of two values.
  CHECK(r.arguments() == 2);
  CHECK(z.value == 2.0 * 3.0 + std::sin(2.0) / 2.0);
  r.sweep(z);
  CHECK(r.tape.adjoint(x) == doctest::Approx(3.0 + std::cos(2.0) / 2.0).epsilon(1e-15));
  CHECK(r.tape.adjoint(y) == doctest::Approx(2.0 - std::sin(2.0) / 4.0).epsilon(1e-15));
}

TEST_CASE("test_expressions_a_copy_records_nothing") {
  recording r;
  const var x = r.input(2.0);
  var y = x;
  std::vector<var> many(10, x);
  y = many[3];
  CHECK(r.statements() == 0);
  CHECK(y.id == x.id);
  CHECK(y.tag == x.tag);
  r.sweep(y);
  CHECK(r.tape.adjoint(x) == 1.0);
}

TEST_CASE("test_expressions_may_assign_to_their_own_operands") {
  recording r;
  const var x0 = r.input(3.0);
  var x = x0;
  x = x * x + x;
  CHECK(x.value == 12.0);
  x = x;
  x = x / x + x;
  CHECK(x.value == 13.0);
  r.sweep(x);
  CHECK(r.tape.adjoint(x0) == doctest::Approx(7.0).epsilon(1e-15));

  var a = x0 * 2.0;
  var b = x0 * 5.0;
  std::swap(a, b);
  r.sweep(a);
  CHECK(r.tape.adjoint(x0) == 5.0);
}

TEST_CASE("test_expressions_compound_assignment") {
  recording r;
  const var x0 = r.input(3.0);
  const var y0 = r.input(2.0);
  const auto derivatives = [&](const var &z) {
    r.sweep(z);
    return std::make_pair(r.tape.adjoint(x0), r.tape.adjoint(y0));
  };
  var z = x0;
  z += y0;
  CHECK(z.value == 5.0);
  CHECK(derivatives(z) == std::make_pair(1.0, 1.0));
  z -= x0 * y0;
  CHECK(z.value == -1.0);
  CHECK(derivatives(z) == std::make_pair(-1.0, -2.0));
  z *= y0;
  CHECK(z.value == -2.0);
  CHECK(derivatives(z) == std::make_pair(-2.0, -5.0));
  z /= y0;
  CHECK(z.value == -1.0);
  CHECK(derivatives(z) == std::make_pair(-1.0, -2.0));
  z += z;
  CHECK(derivatives(z) == std::make_pair(-2.0, -4.0));
  z *= z;
  CHECK(z.value == 4.0);
  CHECK(derivatives(z) == std::make_pair(8.0, 16.0));

  z = x0;
  r.mark();
  z += 1;
  z -= 2.5;
  z *= 4;
  z /= 0.5f;
  CHECK(r.statements() == 4);
  CHECK(z.value == 12.0);
  CHECK(derivatives(z) == std::make_pair(8.0, 0.0));
  const var before = z++;
  CHECK(before.value == 12.0);
  CHECK((++z).value == 14.0);
  CHECK((z--).value == 14.0);
  CHECK((--z).value == 12.0);
  CHECK(derivatives(z) == std::make_pair(8.0, 0.0));
}

TEST_CASE("test_expressions_passive_operands_leave_no_trace") {
  recording r;
  const var x = r.input(3.0);
  const var p = 4.0;
  const auto before = r.tape.position();
  const var q = p * p + sin(p);
  CHECK(q.id == 0);
  CHECK(q.tag == 0);
  CHECK(r.tape.position().id == before.id);
  CHECK(r.statements() == 0);
  // One active leaf among passive ones, in every place, for few leaves and for many.
  for (int place = 0; place < 5; ++place) {
    var v[5] = {2.0, 3.0, 4.0, 5.0, 6.0};
    v[place] = x;
    r.mark();
    const var two = v[0] * v[1];
    const var many = v[0] * v[1] + v[2] * v[3] + v[4];
    CHECK(r.arguments() == (place < 2 ? 2 : 1));
    CHECK(r.statements() == (place < 2 ? 2 : 1));
    r.sweep(many);
    const double expected[] = {3.0, 2.0, 5.0, 4.0, 1.0};
    CHECK(r.tape.adjoint(x) == expected[place]);
    r.sweep(two);
    CHECK(r.tape.adjoint(x) == (place < 2 ? expected[place] : 0.0));
  }
}

TEST_CASE("test_expressions_repeated_leaves_are_merged") {
  recording r;
  const var x = r.input(1.5);
  const var y = r.input(0.5);
  const var p = 7.0;
  r.mark();
  const var z = x * y + x * x + y * y * p + p * x + sin(x * y);
  CHECK(r.statements() == 1);
  CHECK(r.arguments() == 2);
  r.sweep(z);
  CHECK(r.tape.adjoint(x) == doctest::Approx(0.5 + 3.0 + 7.0 + 0.5 * std::cos(0.75)).epsilon(1e-15));
  CHECK(r.tape.adjoint(y) == doctest::Approx(1.5 + 7.0 + 1.5 * std::cos(0.75)).epsilon(1e-15));
}

TEST_CASE_TEMPLATE("test_expressions_merging_survives_leaves_that_are_the_same_by_chance", T, var, admpi::tangent<var>) {
  // The compiler knows some leaves to be the same; others are so in some statements.
  const auto active = [](auto &x) -> var & {
    if constexpr (std::is_same<T, var>::value) {
      return x;
    } else {
      return x.value;
    }
  };
  admpi::tape tape;
  tape.start();
  for (int round = 0; round < 3; ++round) {
    tape.reset();
    constexpr std::size_t n = 2000;
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 1.0 + static_cast<double>(i);
    for (T &one : x) tape.input(active(one));
    T sum = 0.0;
    std::vector<double> expected(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t a = (i * 7) % n, b = (i * 256 + 3) % n, c = (i * 512 + i) % n;
      if ((i + static_cast<std::size_t>(round)) % 2 == 0) {
        sum = sum + x[a] * x[b] + x[c] * x[a] + x[b] - 3.0 * x[c];
        expected[a] += value(x[b]) + value(x[c]);
        expected[b] += value(x[a]) + 1.0;
        expected[c] += value(x[a]) - 3.0;
      } else {
        sum = x[a] * x[a] - x[b] + sum;
        expected[a] += 2.0 * value(x[a]);
        expected[b] -= 1.0;
      }
    }
    tape.seed(active(sum));
    tape.reverse();
    for (std::size_t i = 0; i < n; ++i) REQUIRE(tape.adjoint(active(x[i])) == expected[i]);
  }
}

TEST_CASE("test_expressions_elements_of_a_grid_are_merged") {
  recording r;
  std::vector<var> u(256 * 3, var(1.0));
  r.tape.input(u);
  r.mark();
  const int k = 256 + 100;
  const var y = u[k] - u[k] * (u[k + 256] - u[k - 256]) + (u[k + 256] - 2.0 * u[k] + u[k - 256]);
  CHECK(r.arguments() == 3);
  CHECK(y.value == 1.0);
}

namespace {

/// The derivative of a hexahedron's volume by a coordinate of a corner.
template <class T>
[[gnu::noinline]] T volume_derivative(const T *y, const T *z) {
  return (y[1] + y[2]) * (z[0] + z[1]) - (y[0] + y[1]) * (z[1] + z[2]) + (y[0] + y[4]) * (z[3] + z[4]) -
         (y[3] + y[4]) * (z[0] + z[4]) - (y[2] + y[5]) * (z[3] + z[5]) + (y[3] + y[5]) * (z[2] + z[5]);
}

}  // namespace

TEST_CASE("test_expressions_merge_each_of_many_leaves") {
  constexpr int n = 12;
  recording r;
  std::vector<var> x(n);
  std::vector<admpi::tangent<var>> moved(n);
  std::vector<admpi::tangent<admpi::tangent<double>>> expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double value = 0.5 + static_cast<double>(i * i), direction = 1.0 / (1.0 + static_cast<double>(i));
    x[i] = value;
    moved[i] = {value, direction};
    expected[i].value = {value, direction};
    for (var *one : {&x[i], &moved[i].value, &moved[i].derivative}) r.tape.input(*one);
  }
  r.mark();
  const var y = volume_derivative(&x[0], &x[n / 2]);
  CHECK(r.statements() == 1);
  CHECK(r.arguments() == n);
  r.mark();
  const admpi::tangent<var> z = volume_derivative(&moved[0], &moved[n / 2]);
  CHECK(r.statements() == 2);
  CHECK(r.arguments() == n + 2 * n);
  r.tape.stop();
  for (std::size_t i = 0; i < n; ++i) {
    expected[i].derivative = {1.0, 0.0};
    const auto by_hand = volume_derivative(&expected[0], &expected[n / 2]).derivative;
    expected[i].derivative = {0.0, 0.0};
    r.sweep(y);
    CHECK(r.tape.adjoint(x[i]) == doctest::Approx(by_hand.value).epsilon(1e-14));
    r.sweep(z.derivative);
    CHECK(r.tape.adjoint(moved[i].derivative) == doctest::Approx(by_hand.value).epsilon(1e-14));
    CHECK(r.tape.adjoint(moved[i].value) == doctest::Approx(by_hand.derivative).epsilon(1e-14));
  }
}

/// The larger of each with the smaller, and leaves behind them.
template <class T>
T choices(const T &x, const T &y, const T &z) {
  using std::fmax;
  using std::fmin;
  T a = fmax(x * y, z) * x + fmin(x, y * z) * fmax(y, 2.0) * z + x;
  a = a * z + fmax(fmax(x, y) * z, fmin(z, x) * y) - x * fmax(a, y) * x;
  return a * y + fmin(a, z) * z;
}

TEST_CASE("test_expressions_leaves_behind_a_choice") {
  // A choice has the leaves of one operand, on which the places of those behind do not depend.
  admpi::tape tape;
  for (int i = 0; i < 200; ++i) {
    const double at[] = {0.3 + std::fmod(i * 0.7137, 3.0), 0.2 + std::fmod(i * 0.317, 2.0), 0.5 + std::fmod(i * 1.137, 2.5)};
    tape.reset();
    tape.start();
    std::vector<var> x(std::begin(at), std::end(at));
    tape.input(x);
    const var y = choices(x[0], x[1], x[2]);
    tape.stop();
    tape.seed(y);
    tape.reverse();
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::vector<admpi::tangent<double>> along(std::begin(at), std::end(at));
      along[k].derivative = 1.0;
      const double expected = choices(along[0], along[1], along[2]).derivative;
      CHECK(tape.adjoint(x[k]) == doctest::Approx(expected).epsilon(1e-13));
    }
  }
}

TEST_CASE("test_expressions_of_many_leaves_are_cut") {
  recording r;
  const var x = r.input(0.25);
  const var y = r.input(0.5);
  r.mark();
  const var z = chain_of<60>(x, y * 2.0);
  CHECK(r.statements() == 1);
  r.sweep(z);
  CHECK(z.value == 16.0);
  CHECK(r.tape.adjoint(x) == 60.0);
  CHECK(r.tape.adjoint(y) == 2.0);

  r.mark();
  const var w = chain_of<150>(x, y * 2.0);
  CHECK(r.statements() > 1);
  CHECK(r.statements() < 10);
  r.sweep(w);
  CHECK(w.value == 38.5);
  CHECK(r.tape.adjoint(x) == 150.0);
  CHECK(r.tape.adjoint(y) == 2.0);

  const auto half = chain_of<40>(x, y);
  const var product = fma(half, half, half);
  r.sweep(product);
  CHECK(r.tape.adjoint(y) == doctest::Approx(2.0 * (40 * 0.25 + 0.5) + 1.0).epsilon(1e-14));
}

TEST_CASE("test_expressions_many_distinct_leaves_in_one_statement") {
  recording r;
  std::vector<var> x(64, var(1.0));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  r.tape.input(x);
  r.mark();
  const var s = sum_of_squares(x, std::make_index_sequence<32>());
  CHECK(r.statements() == 1);
  CHECK(r.arguments() == 32);
  r.sweep(s);
  for (std::size_t i = 0; i < 32; ++i) CHECK(r.tape.adjoint(x[i]) == 2.0 * x[i].value);
  CHECK(r.tape.adjoint(x[32]) == 0.0);
}

TEST_CASE("test_expressions_outlive_their_operands") {
  recording r;
  const var x = r.input(2.0);
  auto make = [&] {
    var a = x * 3.0;
    const double c = 5.0;
    return a * a + c * a;
  };
  auto kept = make();
  std::vector<double> clobber(1000, 1.0);
  var a = x;
  auto product = a * a;
  a = 100.0;  // the expression keeps the value it was made of, as a double would
  const var y = kept;
  const var z = product;
  CHECK(y.value == 66.0);
  CHECK(z.value == 4.0);
  r.sweep(y);
  CHECK(r.tape.adjoint(x) == 2.0 * 6.0 * 3.0 + 15.0);
  r.sweep(z);
  CHECK(r.tape.adjoint(x) == 4.0);
  CHECK(clobber[999] == 1.0);
}

TEST_CASE("test_expressions_comparisons_of_all_mixes") {
  const var a = 1.0, b = 2.0;
  CHECK(a < b);
  CHECK(a <= b);
  CHECK(b > a);
  CHECK(b >= a);
  CHECK(a != b);
  CHECK(a == a);
  CHECK_FALSE(a == b);
  CHECK(a < 2);
  CHECK(a < 2.0f);
  CHECK(1 == a);
  CHECK(0.5 < a);
  CHECK(a + b == 3.0);
  CHECK(a + b > a * b);
  CHECK(2.0 * a <= b);
  CHECK(-a != b);
  const var nothing = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(nothing == nothing);
  CHECK(nothing != nothing);
  CHECK_FALSE(nothing < a);
  CHECK_FALSE(nothing >= a);
}

TEST_CASE("test_expressions_choice_and_conversion") {
  recording r;
  const var x = r.input(2.5);
  const bool yes = x > 1.0;
  const var y = yes ? x * 2.0 : x;
  CHECK(y.value == 5.0);
  CHECK(static_cast<int>(x) == 2);
  CHECK(static_cast<bool>(x));
  std::vector<int> table{10, 20, 30};
  CHECK(table[static_cast<std::size_t>(x)] == 30);
  const var from_int = 7;
  const var from_float{1.5f};
  long n = 3;
  const var from_long{n};
  CHECK(from_int.value == 7.0);
  CHECK(from_float.value == 1.5);
  CHECK(from_long.value == 3.0);
  var z;
  CHECK(z.value == 0.0);
  CHECK(z.id == 0);
  z = 4;
  CHECK(value(z) == 4.0);
  CHECK(value(z * 2.0) == 8.0);
  CHECK(value(3.5) == 3.5);
}

TEST_CASE("test_expressions_templated_code_compiles_for_double_and_var") {
  recording r;
  const var x = r.input(0.5);
  CHECK(horner(0.5) == horner(x).value);
  // Qualified calls, and the algorithms of std.
  CHECK(std::exp(x).value == std::exp(0.5));
  CHECK(value(std::pow(x, 2)) == 0.25);
  CHECK(value(std::pow(2.0, x * 1.0)) == std::pow(2.0, 0.5));
  CHECK(value(std::abs(-x)) == 0.5);
  CHECK(value(std::fabs(-x)) == 0.5);
  CHECK(value(std::max(x, var(3.0))) == 3.0);
  CHECK(value(std::max(x, 3.0)) == 3.0);
  CHECK(value(std::min(2.0 * x, x)) == 0.5);
  CHECK(value(std::fmax(x, 3.0)) == 3.0);
  CHECK(value(std::hypot(x, 1.0)) == std::hypot(0.5, 1.0));
  CHECK(value(std::fma(x, 2.0, 1.0)) == 2.0);
  std::vector<var> v{3.0, 1.0, 2.0};
  std::sort(v.begin(), v.end());
  CHECK(v[0].value == 1.0);
  CHECK(std::max_element(v.begin(), v.end())->value == 3.0);
}

TEST_CASE("test_expressions_convert_to_integers_like_values") {
  recording r;
  const var x = r.input(7.5);
  const var h = 2.0;
  CHECK(static_cast<int>(x / h) == 3);
  CHECK(static_cast<long>(-x) == -7);
  CHECK(static_cast<std::size_t>(floor(x * h) + 0.5) == 15);
  CHECK_FALSE(static_cast<bool>(x - x));
  if (x - 7.5) FAIL("zero is false");
  static_assert(!std::is_convertible<var, int>::value && !std::is_constructible<double, var>::value);
}

TEST_CASE("test_expressions_std_choice_with_its_type_named") {
  recording r;
  const var x = r.input(0.5);
  const auto check = [&](const var &y, double expected, double derivative) {
    r.sweep(y);
    CHECK(y.value == expected);
    CHECK(r.tape.adjoint(x) == derivative);
  };
  check(std::max<var>(0.0, x), 0.5, 1.0);
  check(std::max<var>(x, 1), 1.0, 0.0);
  check(std::min<var>(x * x, x), 0.25, 1.0);
  check(std::min<var>(x, x * x), 0.25, 1.0);
  check(std::min<var>(2.0 * x, x * 3.0), 1.0, 2.0);
  check(std::max({x, var(x * 4.0), var(1.0)}), 2.0, 4.0);
  check(std::clamp<var>(x, 0.0, 1.0), 0.5, 1.0);
  CHECK(std::max<var>(1.0f, 2).value == 2.0);
  using T = admpi::tangent<double>;
  T t(0.5, 1.0);
  CHECK(std::max<T>(1.0, 2.0).value == 2.0);
  CHECK(std::max<T>(t * 2.0, 0.25).derivative == 2.0);
  CHECK(std::max<T>(0.0, t).derivative == 1.0);
  CHECK((t++).value == 0.5);
  CHECK((t--).value == 1.5);
  CHECK(t.value == 0.5);
  CHECK(t.derivative == 1.0);
}

TEST_CASE("test_expressions_classification") {
  using limits = std::numeric_limits<var>;
  CHECK(std::isnan(limits::quiet_NaN()));
  CHECK(isnan(limits::quiet_NaN() + 1.0));
  CHECK(std::isinf(limits::infinity()));
  CHECK_FALSE(std::isfinite(-limits::infinity()));
  CHECK(std::isfinite(var(1.0)));
  CHECK(std::isnormal(var(1.0)));
  CHECK_FALSE(std::isnormal(limits::denorm_min()));
  CHECK(std::signbit(var(-0.0)));
  CHECK_FALSE(signbit(var(2.0)));
}

TEST_CASE("test_expressions_numeric_limits") {
  using limits = std::numeric_limits<var>;
  static_assert(limits::is_specialized && limits::digits == 53 && limits::has_infinity);
  static_assert(std::is_same<decltype(limits::max()), var>::value);
  CHECK(limits::max().value == std::numeric_limits<double>::max());
  CHECK(limits::min().value == std::numeric_limits<double>::min());
  CHECK(limits::lowest().value == std::numeric_limits<double>::lowest());
  CHECK(limits::epsilon().value == std::numeric_limits<double>::epsilon());
  CHECK(limits::infinity().id == 0);
  CHECK(std::numeric_limits<const var>::is_specialized);
  CHECK(std::numeric_limits<admpi::tangent<var>>::epsilon().value.value == std::numeric_limits<double>::epsilon());
}

TEST_CASE("test_expressions_streams") {
  std::ostringstream out;
  out.precision(3);
  const var x = 1.25;
  out << x << ' ' << x * 2.0 << ' ' << admpi::tangent<double>(0.5, 7.0);
  CHECK(out.str() == "1.25 2.5 0.5");
  std::istringstream in("4.5 nothing");
  var y = 1.0;
  in >> y;
  CHECK(y.value == 4.5);
  in >> y;
  CHECK(in.fail());
  CHECK(y.value == 4.5);
}

TEST_CASE("test_expressions_var_is_an_admpi_var") {
  static_assert(sizeof(var) == 16 && std::is_trivially_copyable<var>::value && std::is_standard_layout<var>::value);
  static_assert(std::is_trivially_destructible<var>::value);
  recording r;
  var x[2] = {r.input(2.0), r.input(3.0)};
  admpi_var *c = x;
  CHECK(c[1].value == 3.0);
  const admpi_var product = admpi_mul(x[0], x[1]);
  const var y = product;
  r.sweep(y);
  CHECK(r.tape.adjoint(x[0]) == 3.0);
  CHECK(reinterpret_cast<var *>(c)[1].id == x[1].id);
}
