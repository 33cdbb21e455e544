// Second derivatives: a tangent of matrices and a reverse sweep, against the same on scalars.
#include <admpi/tangent_linalg.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/function_ref.hpp"
#include "harness/helpers.hpp"
#include "scalars/function_lists.h"

using admpi::tangent;
using admpi::var;
using admpi::varmat;
using admpi::view;
using test::numbers;

namespace {

constexpr int rows = 3, cols = 4, n = rows * cols;

double number(int k) { return 0.2 + 0.6 * test::fraction(k); }

numbers some(int from) {
  numbers x;
  for (int k = 0; k < n; ++k) x.push_back(number(from + k));
  return x;
}

struct result {
  double value, derivative;
  numbers gradient_x, gradient_y, hessian_x, hessian_y;
};

template <class X>
void finish(admpi::tape &tape, const tangent<var> &z, const X &x, const X &y, result &r) {
  r.value = z.value.value;
  r.derivative = z.derivative.value;
  const auto adjoints = [&](const X &of) {
    if constexpr (std::is_same_v<X, varmat>) {
      return tape.adjoints(of);
    } else {
      numbers g;
      for (const var &v : of) g.push_back(tape.adjoint(v));
      return g;
    }
  };
  tape.seed(z.value);
  tape.reverse();
  r.gradient_x = adjoints(x);
  r.gradient_y = adjoints(y);
  tape.clear_adjoints();
  tape.seed(z.derivative);
  tape.reverse();
  r.hessian_x = adjoints(x);
  r.hessian_y = adjoints(y);
}

/// f of matrices, and of each of their elements, with weights that differ.
using of_three = test::function_refs<tangent<varmat>(const tangent<varmat> &, const tangent<varmat> &, const tangent<var> &),
                                     tangent<var>(const tangent<var> &, const tangent<var> &, const tangent<var> &)>;
void compare(const of_three &f) {
  const numbers px = some(0), py = some(50), vx = some(100), vy = some(150), w = some(200);
  result got, expected;
  {
    test::recording_tape tape;
    varmat x(rows, cols, px.data()), y(rows, cols, py.data());
    tape.input(x);
    tape.input(y);
    const tangent<varmat> a{x, varmat(rows, cols, vx.data())}, b{y, varmat(rows, cols, vy.data())};
    const tangent<varmat> c = f(a, b, a(1, 2));
    finish(tape, dot(c, varmat(rows, cols, w.data())), x, y, got);
  }
  {
    test::recording_tape tape;
    std::vector<var> x(px.begin(), px.end()), y(py.begin(), py.end());
    tape.input(x);
    tape.input(y);
    tangent<var> z = 0.0;
    const auto at = [](const std::vector<var> &u, const numbers &v, std::size_t k) { return tangent<var>(u[k], var(v[k])); };
    for (std::size_t k = 0; k < n; ++k) z += f(at(x, vx, k), at(y, vy, k), at(x, vx, 1 + 2 * rows)) * w[k];
    finish(tape, z, x, y, expected);
  }
  CHECK(got.value == doctest::Approx(expected.value).epsilon(1e-13));
  CHECK(got.derivative == doctest::Approx(expected.derivative).epsilon(1e-13));
  for (std::size_t k = 0; k < n; ++k) {
    CAPTURE(k);
    CHECK(got.gradient_x[k] == doctest::Approx(expected.gradient_x[k]).epsilon(1e-12));
    CHECK(got.gradient_y[k] == doctest::Approx(expected.gradient_y[k]).epsilon(1e-12));
    CHECK(got.hessian_x[k] == doctest::Approx(expected.hessian_x[k]).epsilon(1e-11));
    CHECK(got.hessian_y[k] == doctest::Approx(expected.hessian_y[k]).epsilon(1e-11));
  }
}

#define COMPARE(expression)                                                                                             \
  do {                                                                                                                  \
    INFO(#expression);                                                                                                  \
    compare([](const auto &a, const auto &b, const tangent<var> &s) { return (void)a, (void)b, (void)s, expression; }); \
  } while (false)

}  // namespace

TEST_CASE("test_tangent_arrays_arithmetic") {
  COMPARE(elt_multiply(a, b) + a);
  COMPARE(elt_divide(a, b) - b);
  COMPARE(elt_multiply(a - 2.0, 3.0 - b) / 4.0);
  COMPARE(1.0 / (a + b));
  COMPARE(elt_multiply(-a, b));
  COMPARE(s * a + b / s - s / a);
  COMPARE(elt_multiply(a - s, s + b));
  COMPARE(elt_multiply(square(a), inv(b)));
}

TEST_CASE("test_tangent_arrays_compound_assignments") {
  compare([](const auto &a, const auto &b, const tangent<var> &s) {
    auto c = a;
    c += b;
    c *= s;
    c -= 0.5 * a;
    c = elt_divide(c, b + 1.0);
    c /= s;
    c *= 3.0;
    return c;
  });
}

TEST_CASE("test_tangent_arrays_functions") {
#define UNARY(name, shift) COMPARE(elt_multiply(name(elt_multiply(a, b) + shift), b));
  TEST_OF_ONE(UNARY)
#undef UNARY
#define BINARY(name, shift) COMPARE(elt_multiply(name(a + shift, b), b));
  TEST_OF_TWO(BINARY)
#undef BINARY
  COMPARE(elt_multiply(fabs(a - 0.5), b));
  COMPARE(elt_multiply(pow(a, 3.0), pow(2.0, b)));
  COMPARE(elt_multiply(max(a, b), a));
  COMPARE(elt_multiply(min(elt_multiply(a, a), b), b));
}

TEST_CASE("test_tangent_arrays_reductions_and_products") {
  test::recording_tape tape;
  varmat x(3, 3, some(0).data());
  tape.input(x);
  numbers v = some(50);
  v.resize(9);
  const tangent<varmat> a{x, varmat(3, 3, v.data())};
  // (d/dt) of the gradient at x + t v, by differences of gradients.
  const auto f = [](const auto &m) { return dot(exp(multiply(m, m)), cumulative_sum(m)) + mean(m) * dot_self(m); };
  const tangent<var> y = f(a);
  tape.seed(y.derivative);
  tape.reverse();
  const numbers hv = tape.adjoints(x);
  const auto gradient = [&](double t) {
    test::recording_tape own;
    numbers p = some(0);
    p.resize(9);
    for (std::size_t k = 0; k < 9; ++k) p[k] += t * v[k];
    varmat m(3, 3, p.data());
    own.input(m);
    own.seed(f(m));
    own.reverse();
    return own.adjoints(m);
  };
  const numbers up = gradient(1e-5), down = gradient(-1e-5);
  for (std::size_t k = 0; k < 9; ++k) CHECK(hv[k] == doctest::Approx((up[k] - down[k]) / 2e-5).epsilon(1e-7));
}

TEST_CASE("test_tangent_arrays_scalars_with_arrays_that_are_fixed") {
  const numbers weights = some(30);
  const auto with = [&](const auto &f) {
    // The scalar's second derivative against differences of its first one.
    const auto at = [&](double t) {
      test::recording_tape tape;
      var x = t;
      tape.input(x);
      const tangent<var> y = f(tangent<var>(x, var(1.0)), varmat(rows, cols, weights.data()));
      const double slope = y.derivative.value;
      tape.seed(y.derivative);
      tape.reverse();
      return std::vector<double>{y.value.value, slope, tape.adjoint(x)};
    };
    const auto here = at(0.7), up = at(0.7 + 1e-5), down = at(0.7 - 1e-5);
    CHECK(here[1] == doctest::Approx((up[0] - down[0]) / 2e-5).epsilon(1e-8));
    CHECK(here[2] == doctest::Approx((up[1] - down[1]) / 2e-5).epsilon(1e-8));
  };
  with([](const auto &s, const auto &x) { return sum(square((x - s) / s)); });
  with([](const auto &s, const auto &x) { return sum(elt_divide(elt_multiply(exp(s * x), s - x), x + s)); });
  with([](const auto &s, const auto &x) { return sum(elt_multiply(elt_multiply(s + x, s / x), x * 2.0 * s)); });
}

TEST_CASE("test_tangent_arrays_choices_and_flat_functions") {
  COMPARE(elt_multiply(max(a, 0.5), b));
  COMPARE(min(0.4, square(a)));
  COMPARE(elt_multiply(fmax(a, b), fmin(a * 2.0, s)));
  COMPARE(elt_multiply(max(s, a), a));
  COMPARE(elt_multiply(elt_multiply(fma(a, b, s), fma(2.0, a, b)), fma(a, s, 1.0)));
  COMPARE(elt_multiply(floor(10.0 * a), square(b)) + trunc(3.0 * a) + a);
  const double nan = std::nan("");
  const tangent<varmat> a{varmat(numbers{nan, 1.0}), varmat(numbers{2.0, 3.0})}, b{varmat(numbers{1.0, nan}), varmat(numbers{4.0, 5.0})};
  CHECK(fmax(a, b).derivative.values() == numbers{4.0, 3.0});
  CHECK(max(a, b).derivative.values() == numbers{2.0, 3.0});
  const tangent<varmat> chosen = select(a > 0.5 || b == 1.0, 7.0, b);
  CHECK(chosen.value.values() == numbers{7.0, 7.0});
  CHECK(select(b != b, a, 0.0).derivative.values() == numbers{0.0, 3.0});
}

namespace {

/// Gradients along a direction: by a sweep from the derivative, and by differences.
void second(const test::function_refs<var(const varmat &), tangent<var>(const tangent<varmat> &)> &f) {
  numbers p = some(0), v = some(50);
  const auto gradient = [&](double t, const varmat &direction, double *value, double *slope) {
    test::recording_tape own;
    numbers q = p;
    for (std::size_t k = 0; k < q.size(); ++k) q[k] += t * v[k];
    varmat m(n, 1, q.data());
    own.input(m);
    if (direction.size() == 0) {
      const var y = f(m);
      *value = y.value;
      own.seed(y);
    } else {
      const tangent<var> y = f(tangent<varmat>{m, direction});
      *value = y.value.value;
      *slope = y.derivative.value;
      own.seed(y.derivative);
    }
    own.reverse();
    return own.adjoints(m);
  };
  double value = 0.0, slope = 0.0, high = 0.0, low = 0.0, here = 0.0;
  const numbers got = gradient(0.0, varmat(n, 1, v.data()), &value, &slope);
  gradient(0.0, varmat(), &here, nullptr);
  const numbers up = gradient(1e-5, varmat(), &high, nullptr), down = gradient(-1e-5, varmat(), &low, nullptr);
  CHECK(value == doctest::Approx(here).epsilon(1e-13));
  CHECK(slope == doctest::Approx((high - low) / 2e-5).epsilon(1e-8));
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(got[k] - (up[k] - down[k]) / 2e-5) < 1e-8);
  }
}

}  // namespace

/// What a function is not moved along has no part in the derivative, even where its partial derivative is infinite; second
/// derivatives where the function is flat are zero, not NaN.
TEST_CASE("test_tangent_arrays_at_the_ends_of_their_range") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const tangent<varmat> x{varmat(numbers{0.0, 4.0}), varmat(numbers{0.0, 1.0})};
  CHECK(sum(sqrt(x)).derivative.value == 0.25);
  CHECK(sum(pow(x, 0.5)).derivative.value == doctest::Approx(0.25));
  CHECK(sum(multiply_log(x, varmat(numbers{0.0, 1.0}))).derivative.value == 0.0);
  const auto curvature = [](auto f, numbers at, numbers along) {
    test::recording_tape tape;
    varmat a(at), d(along);
    tape.input(a);
    tape.seed(sum(f(tangent<varmat>{a, d})).derivative);
    tape.reverse();
    return tape.adjoints(a);
  };
  CHECK(curvature([](const auto &a) { return tanh(a); }, {1000.0, -800.0}, {1.0, 1.0}) == numbers{0.0, 0.0});
  const auto less = [](const auto &a) { return log_diff_exp(a, varmat(numbers{0.0, -inf})); };
  CHECK(curvature(less, {800.0, 5.0}, {1.0, 1.0}) == numbers{0.0, 0.0});
  const auto norm = [](const auto &a) { return tangent<varmat>{varmat(1, 1), varmat(1, 1)} + norm2(a); };
  const numbers turned = curvature(norm, {3e-160, 4e-160}, {0.8, -0.6});
  CHECK(turned[0] == doctest::Approx(0.8 / 5e-160));
  CHECK(turned[1] == doctest::Approx(-0.6 / 5e-160));
}

TEST_CASE("test_tangent_arrays_reductions") {
  const varmat weight(n, 1, some(90).data());
  second([](const auto &x) { return norm2(x) * mean(x); });
  second([](const auto &x) { return norm2(exp(x)); });
  second([](const auto &x) { return variance(elt_multiply(x, x)); });
  second([](const auto &x) { return log_sum_exp(3.0 * square(x)); });
  second([&](const auto &x) { return dot(softmax(2.0 * x), weight); });
  second([&](const auto &x) { return dot(log_softmax(square(x)), weight); });
  second([](const auto &x) { return max_element(square(x)) * min_element(x); });
  second([&](const auto &x) { return dot(square(cumulative_sum(x)), weight); });
  constexpr double inf = std::numeric_limits<double>::infinity();
  const tangent<varmat> high{varmat(numbers{1.0, inf}), varmat(numbers{2.0, 3.0})}, low{varmat(numbers{-inf}), varmat(numbers{2.0})};
  CHECK(log_sum_exp(high).derivative.value == 3.0);
  CHECK(log_sum_exp(low).derivative.value == 0.0);
  CHECK(norm2(tangent<varmat>{varmat(2, 1), varmat(numbers{1.0, 2.0})}).derivative.value == 0.0);
  std::int64_t place = 0;
  CHECK(max_element(high, &place).derivative.value == 3.0);
  CHECK(place == 1);
  CHECK(min_element(high, &place).derivative.value == 2.0);
  CHECK(place == 0);
}

TEST_CASE("test_tangent_arrays_parts_that_are_joined_and_gathered") {
  const varmat weight(n, 1, some(90).data()), twice(2 * n, 1, [] {
                                                                auto w = some(70);
                                                                const auto more = some(110);
                                                                w.insert(w.end(), more.begin(), more.end());
                                                                return w;
                                                              }().data());
  using std::vector;
  const auto column = [](const auto &x) { return x.reshaped(n, 1); };
  second([&](const auto &x) {
    using X = std::decay_t<decltype(x)>;
    using list = vector<std::conditional_t<std::is_same<X, varmat>::value, view, X>>;
    const X y = square(x);
    return dot(vcat(list{y, x}), twice) + sum(square(hcat(list{y.head(2), x.tail(2)}).reshaped(4, 1)));
  });
  second([&](const auto &x) {
    const auto y = x.gather({3, 3, 0, 5});
    return dot(square(scatter_add(x, {1, 1, 7, 2}, square(y))), weight) + dot_self(x.every(5));
  });
  second([&](const auto &x) {
    const auto square_of = x.head(9).reshaped(3, 3);
    return sum(square(square_of.diagonal())) + dot(square(column(x)), weight);
  });
}

TEST_CASE("test_tangent_arrays_parts") {
  test::recording_tape tape;
  varmat x(4, 1, some(0).data());
  tape.input(x);
  const numbers v = some(50);
  const tangent<varmat> a{x, varmat(4, 1, v.data())};
  // The energy of a chain: its Hessian is known.
  const tangent<varmat> stretch = a.segment(1, 3) - a.segment(0, 3);
  const tangent<var> energy = dot(square(stretch), stretch);
  tape.seed(energy.derivative);
  tape.reverse();
  const numbers hv = tape.adjoints(x);
  for (int k = 0; k < 4; ++k) {
    double expected = 0.0;
    const auto d = [&](int i) { return x(i + 1).value - x(i).value; };
    const auto e = [&](int i) { return v[static_cast<std::size_t>(i + 1)] - v[static_cast<std::size_t>(i)]; };
    if (k > 0) expected += 6.0 * d(k - 1) * e(k - 1);
    if (k < 3) expected -= 6.0 * d(k) * e(k);
    CHECK(hv[static_cast<std::size_t>(k)] == doctest::Approx(expected));
  }
}

TEST_CASE("test_tangent_arrays_elements_shapes_and_products_with_fixed_arrays") {
  test::recording_tape tape;
  varmat x(rows, cols, some(0).data());
  const varmat v(rows, cols, some(100).data()), w(rows, cols, some(200).data());
  tape.input(x);
  const tangent<varmat> a{x, v};
  CHECK(a.rows() == rows);
  CHECK(a.cols() == cols);
  CHECK(a.size() == n);
  CHECK(a(rows + 1).value.value == std::as_const(x)(1, 1).value);
  CHECK(a(rows + 1).derivative.value == v(1, 1).value);
  CHECK(a.every(2, 2)(1, 1).derivative.value == v(2, 2).value);
  for (const tangent<var> &product : {dot(square(a), w), dot(w, square(a))}) {
    tape.clear_adjoints();
    tape.seed(product.derivative);
    tape.reverse();
    const numbers second = tape.adjoints(x);
    for (std::size_t k = 0; k < n; ++k) CHECK(second[k] == doctest::Approx(2.0 * some(200)[k] * some(100)[k]));
  }
  // An assignment to a part, which is a copy, would be lost.
  static_assert(!std::is_assignable<decltype(a.col(0)), tangent<varmat>>::value, "a part is constant");
  static_assert(!std::is_assignable<decltype(a(0, 0)), tangent<var>>::value, "an element is constant");
}

TEST_CASE("test_tangent_arrays_as_ranges") {
  test::recording_tape tape;
  varmat x(rows, cols, some(100).data());
  tape.input(x);
  const tangent<varmat> a{x, varmat(rows, cols, some(200).data())};
  tangent<var> sum = 0.0;
  for (const tangent<var> &each : a) sum += each * each;
  const tangent<var> same = a.dot(a);
  CHECK(sum.value.value == doctest::Approx(same.value.value));
  CHECK(sum.derivative.value == doctest::Approx(same.derivative.value));
  CHECK(a[4].derivative.value == a(1, 1).derivative.value);
  CHECK((a.sum() - admpi::sum(a)).derivative.value == 0.0);
  CHECK(a.mean().derivative.value == mean(a).derivative.value);
  CHECK(a.norm2().derivative.value == norm2(a).derivative.value);
  CHECK(a.variance().derivative.value == variance(a).derivative.value);
  CHECK(a.max_element().derivative.value == max_element(a).derivative.value);
  CHECK(a.min_element().derivative.value == min_element(a).derivative.value);
  const tangent<varmat> bounded = std::clamp(a, 0.3, 0.6), most = std::max(a, 0.5), of_two = std::max(a, bounded);
  for (int k = 0; k < n; ++k) {
    const double value = a[k].value.value, slope = a[k].derivative.value;
    CHECK(bounded[k].derivative.value == (value < 0.3 || value > 0.6 ? 0.0 : slope));
    CHECK(most[k].derivative.value == (value < 0.5 ? 0.0 : slope));
    CHECK(of_two[k].value.value == std::max(value, 0.3));
  }
  tangent<varmat> seeded{x, {}};
  set_derivative(seeded, 2.0);
  CHECK(derivative(seeded).values() == numbers(n, 2.0));
  set_derivative(seeded, a.derivative);
  CHECK(derivative(dot_self(seeded)).value == doctest::Approx(same.derivative.value));
}
