// Array expressions against the same arithmetic on scalars: every function, shapes, broadcast, overlap, ids in lists,
// parts of matrices, sweeps again and in many directions, reductions.
#include <admpi.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "scalars/function_lists.h"
#include "harness/function_ref.hpp"
#include "harness/helpers.hpp"

using admpi::var;
using admpi::varmat;
using admpi::view;
using test::code_of;
using test::numbers;

namespace {

/// Numbers between 0.2 and 0.9, different at every place.
double number(std::int64_t k) { return 0.2 + 0.7 * test::fraction(k); }

numbers some(std::int64_t n, std::int64_t from = 0) {
  numbers x(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) x[static_cast<std::size_t>(k)] = number(from + k);
  return x;
}

struct recording : test::recording_tape {
  varmat matrix(std::int64_t rows, std::int64_t cols, std::int64_t from = 0) {
    varmat a(rows, cols, some(rows * cols, from).data());
    input(a);
    return a;
  }
  template <class Y>
  numbers gradient(const Y &y, const varmat &x) {
    clear_adjoints();
    seed_all(y);
    reverse();
    return adjoints(x);
  }
  std::uint64_t recorded_events() const { return statistics().events; }
  void seed_all(const view &y) {
    numbers w = some(y.size(), 500);
    seed(y, w);
  }
  void seed_all(const var &y) { seed(y); }
};

void check_close(const numbers &got, const numbers &expected, double tolerance = 1e-13) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(got[k] == doctest::Approx(expected[k]).epsilon(tolerance));
  }
}

/// f on matrices and f on each of their elements as scalars: values and gradients in all of x.
using of_four = test::function_refs<varmat(const view &, const view &, const var &, const var &),
                                    var(const var &, const var &, const var &, const var &)>;
void compare(const of_four &f, std::int64_t rows = 7, std::int64_t cols = 3) {
  recording tape;
  const varmat x = tape.matrix(2 * rows, cols), y = tape.matrix(rows, 2 * cols, 40);
  const view a = x.block(1, 0, rows, cols), b = y.block(0, 1, rows, cols);
  const var s = a(1, 1), t = b(0, 0);
  const auto before = tape.statistics();
  const varmat z = f(a, b, s, t);
  CHECK(tape.statistics().events == before.events + 1);
  // Scalars among themselves are a statement first.
  CHECK(tape.statistics().statements <= before.statements + 1);
  varmat scalars(rows, cols);
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) scalars(i, j) = f(var(a(i, j)), var(b(i, j)), s, t);
  }
  check_close(z.values(), scalars.values());
  for (int sweep = 0; sweep < 2; ++sweep) {
    check_close(tape.gradient(z, x), tape.gradient(scalars, x));
    check_close(tape.gradient(z, y), tape.gradient(scalars, y));
  }
}

#define COMPARE(expression)                                                  \
  do {                                                                       \
    INFO(#expression);                                                       \
    compare([](const auto &a, const auto &b, const var &s, const var &t) {   \
      return (void)s, (void)t, (void)b, expression;                          \
    });                                                                      \
  } while (false)

/// The same choice for scalars.
template <class C, class A, class B, std::enable_if_t<std::is_same_v<C, bool>, int> = 0>
var select(const C &c, const A &a, const B &b) {
  return c ? var(a) : var(b);
}

#define COMPARE_SELECT(condition, one, other) COMPARE(elt_multiply(select(condition, one, other), a))

}  // namespace

TEST_CASE("test_arrays_arithmetic") {
  COMPARE(a + b);
  COMPARE(a - b);
  COMPARE(elt_multiply(a, b));
  COMPARE(elt_divide(a, b));
  COMPARE(-a);
  COMPARE(a * 2.0 + 1);
  COMPARE(3 - a / 4.0f);
  COMPARE(1.0 / a);
  COMPARE(s * a);
  COMPARE(a - t);
  COMPARE(elt_multiply((s + t) / b, a));
  COMPARE(s * s - a * t + b * s);
  COMPARE(elt_multiply(elt_multiply(a, a), a) - elt_multiply(a, b));
  COMPARE(square(a) - inv(b));
}

TEST_CASE("test_arrays_functions") {
#define UNARY(name, shift) COMPARE(name(a * 0.9 + shift) + b);
  TEST_OF_ONE(UNARY)
#undef UNARY
#define BINARY(name, shift) COMPARE(name(a + shift, b));
  TEST_OF_TWO(BINARY)
#undef BINARY
  COMPARE(fabs(a - 0.5) + b);
  COMPARE(pow(a, 3.0));
  COMPARE(pow(2.0, a));
  COMPARE(pow(a, s));
  COMPARE(pow(a - 3.0, 3));
  COMPARE(elt_multiply(pow(exp(a), sin(b)), log(a)));
  COMPARE(pow(pow(a, b), pow(t, a)) + elt_multiply(pow(a, 2.5), exp(b)));
  COMPARE(atan2(a, t));
  COMPARE(fmod(a, b * 0.3));
  COMPARE(remainder(a, b * 0.3));
}

TEST_CASE("test_arrays_choices") {
  COMPARE(elt_multiply(max(a, b), a));
  COMPARE(min(a, b));
  COMPARE(fmax(a, 0.5));
  COMPARE(fmin(0.5, elt_multiply(a, b)));
  COMPARE(max(a, s));
  COMPARE(max(a, a));
}

TEST_CASE("test_arrays_long_columns_and_rows") {
  const auto f = [](const auto &a, const auto &b, const var &s, const var &) { return elt_multiply(sin(a), b) + elt_multiply(s * a, a); };
  for (const auto &[rows, cols] : {std::pair<int, int>{1000, 2}, {63, 2}, {64, 2}, {65, 2}, {2, 129}}) {
    compare(f, rows, cols);
    compare([](const auto &a, const auto &b, const var &, const var &) { return elt_multiply(pow(a, b), a); }, rows, cols);
  }
  // Rows are run through as columns.
  recording tape;
  const varmat x = tape.matrix(4, 300);
  const varmat y = elt_multiply(exp(x.row(1)), x.row(3)) - x.row(1);
  CHECK(y.rows() == 1);
  CHECK(y.cols() == 300);
  const numbers g = tape.gradient(y, x), w = some(300, 500);
  for (std::int64_t k = 0; k < 300; ++k) {
    const double p = x(1, k).value, q = x(3, k).value;
    REQUIRE(y(k).value == doctest::Approx(std::exp(p) * q - p));
    const auto at = [&](std::int64_t i) { return g[static_cast<std::size_t>(4 * k + i)]; };
    const double weight = w[static_cast<std::size_t>(k)];
    REQUIRE(at(1) == doctest::Approx(weight * (std::exp(p) * q - 1.0)));
    REQUIRE(at(3) == doctest::Approx(weight * std::exp(p)));
    REQUIRE(at(0) == 0.0);
  }
}

TEST_CASE("test_arrays_transposed_and_strided_operands") {
  recording tape;
  const varmat x = tape.matrix(4, 4);
  const varmat y = elt_multiply(x, x.transpose()) + x.diagonal()(2) * x;
  varmat z(4, 4);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 4; ++i) z(i, j) = x(i, j) * x(j, i) + x(2, 2) * x(i, j);
  }
  check_close(y.values(), z.values());
  check_close(tape.gradient(y, x), tape.gradient(z, x));
  const varmat v = elt_multiply(square(x.col(1).every(2)), x.row(3).head(2).transpose());
  varmat w(2, 1);
  for (int i = 0; i < 2; ++i) w(i) = x(2 * i, 1) * x(2 * i, 1) * x(3, i);
  check_close(tape.gradient(v, x), tape.gradient(w, x));
}

TEST_CASE("test_arrays_mixed_with_plain_matrices_and_many_directions") {
  for (const int width : {1, 2, 4, 8, 16}) {
    recording tape;
    tape.set_width(width);
    const varmat x = tape.matrix(9, 2), c(9, 2, some(18, 77).data());
    var s = 0.5;
    tape.input(s);
    const varmat y = elt_multiply(c, exp(x * s)) - elt_divide(x, c);
    for (int k = 0; k < width; ++k) tape.seed(y, 1.0 + k, k);
    tape.reverse();
    for (int k = 0; k < width; ++k) {
      numbers expected;
      double of_s = 0.0;
      for (std::int64_t i = 0; i < 18; ++i) {
        const double a = x(i).value, b = c(i).value;
        expected.push_back((1.0 + k) * (b * std::exp(a * 0.5) * 0.5 - 1.0 / b));
        of_s += (1.0 + k) * b * std::exp(a * 0.5) * a;
      }
      check_close(tape.adjoints(x, k), expected);
      CHECK(tape.adjoint(s, k) == doctest::Approx(of_s).epsilon(1e-13));
    }
  }
}

TEST_CASE("test_arrays_stencil_of_shifted_segments_in_place") {
  // The same loop on scalars: small parts and large ones, overlapping what they are computed from.
  constexpr int n = 40, steps = 5;
  for (const int width : {n - 2, 8}) {
    CAPTURE(width);
    recording tape;
    const varmat start = tape.matrix(n, 1);
    var c = 0.1;
    tape.input(c);
    varmat u = start;
    std::vector<var> v = start.vars();
    const view left = u.segment(0, width), here = u.segment(1, width), right = u.segment(2, width);
    for (int step = 0; step < steps; ++step) {
      u.segment(1, width) = here - c * elt_multiply(here, right - left) + 0.2 * (right - 2.0 * here + left);
      std::vector<var> next = v;
      for (std::size_t i = 1; i <= static_cast<std::size_t>(width); ++i) {
        next[i] = v[i] - c * v[i] * (v[i + 1] - v[i - 1]) + 0.2 * (v[i + 1] - 2.0 * v[i] + v[i - 1]);
      }
      v = next;
    }
    const varmat plain(v);
    check_close(u.values(), plain.values());
    const numbers values = u.values();
    for (int sweep = 0; sweep < 2; ++sweep) {
      check_close(tape.gradient(u, start), tape.gradient(plain, start));
      const double of_c = (tape.gradient(u, start), tape.adjoint(c));
      CHECK(of_c == doctest::Approx((tape.gradient(plain, start), tape.adjoint(c))).epsilon(1e-12));
      CHECK(u.values() == values);
    }
    CHECK(start.values() == some(n));
  }
}

TEST_CASE("test_arrays_of_ids_in_lists") {
  recording tape;
  const varmat x = tape.matrix(6, 1);
  varmat a = x;
  a(1) = x(0) * x(5);
  a(2) = 0.5;
  a(4) = a(1);
  const varmat before = elt_multiply(sin(a), a.every(1));
  a(1) = x(2);
  a.tail(2) = x.head(2);
  const varmat after = square(a);
  const double p = x(0).value, q = x(5).value;
  const numbers w = some(6, 500);
  const auto s = [](double y) { return std::sin(y) + y * std::cos(y); };
  const numbers g = tape.gradient(before, x);
  CHECK(g[0] == doctest::Approx(w[0] * s(p) + (w[1] + w[4]) * s(p * q) * q));
  CHECK(g[1] == 0.0);
  CHECK(g[3] == doctest::Approx(w[3] * s(x(3).value)));
  CHECK(g[5] == doctest::Approx(w[5] * s(q) + (w[1] + w[4]) * s(p * q) * p));
  const numbers h = tape.gradient(after, x);
  CHECK(h[0] == doctest::Approx(2.0 * p * (w[0] + w[4])));
  CHECK(h[1] == doctest::Approx(2.0 * x(1).value * w[5]));
  CHECK(h[2] == doctest::Approx(2.0 * x(2).value * w[1]));
  CHECK(h[5] == 0.0);
  const numbers both = (tape.clear_adjoints(), tape.seed_all(before), tape.seed_all(after), tape.reverse(), tape.adjoints(x));
  for (std::size_t k = 0; k < 6; ++k) CHECK(both[k] == doctest::Approx(g[k] + h[k]));
}

TEST_CASE("test_arrays_operands_that_are_overwritten_afterwards") {
  recording tape;
  const varmat x = tape.matrix(6, 1);
  const numbers w = some(6, 500);
  // In place: nobody shares the memory.
  varmat a = 2.0 * x, plain(6, 1, some(6, 90).data());
  const numbers factor = plain.values();
  const varmat y = sin(a), z = elt_multiply(plain, x);
  a(1) = x(3);
  plain(1) = 7.0;
  const numbers of_y = tape.gradient(y, x), of_z = tape.gradient(z, x);
  for (std::size_t k = 0; k < 6; ++k) {
    CHECK(of_y[k] == doctest::Approx(2.0 * std::cos(2.0 * x(static_cast<int>(k)).value) * w[k]));
    CHECK(of_z[k] == doctest::Approx(factor[k] * w[k]));
  }
  // As a whole, a matrix whose ids are a list already.
  varmat listed = 2.0 * x;
  listed(0) = x(3) * x(4);
  const varmat sine = sin(listed);
  listed.all() = std::vector<var>(6, x(2));
  const numbers of_sine = tape.gradient(sine, x);
  CHECK(of_sine[0] == 0.0);
  CHECK(of_sine[1] == doctest::Approx(2.0 * std::cos(2.0 * x(1).value) * w[1]));
  CHECK(of_sine[3] == doctest::Approx(2.0 * std::cos(2.0 * x(3).value) * w[3] + std::cos(x(3).value * x(4).value) * x(4).value * w[0]));
  // The memory that elements were carried over from, by another matrix that has it still.
  varmat b = 2.0 * x;
  b(0) = x(4) * x(5);
  varmat c = b;
  b.tail(5) = 3.0 * b.tail(5);
  c(0) = x(1);
  const numbers of_b = tape.gradient(b, x);
  CHECK(of_b[1] == doctest::Approx(6.0 * w[1]));
  CHECK(of_b[4] == doctest::Approx(6.0 * w[4] + x(5).value * w[0]));
  CHECK(of_b[5] == doctest::Approx(6.0 * w[5] + x(4).value * w[0]));
}

TEST_CASE("test_arrays_parts_carry_the_rest_along") {
  recording tape;
  const varmat x = tape.matrix(5, 4);
  varmat a = x;
  a(0, 0) = x(1, 1) * x(2, 2);
  const view inner = a.block(1, 0, 3, 4);
  const auto before = tape.statistics();
  inner.all() = square(inner);
  CHECK(tape.statistics().events == before.events + 1);
  const std::vector<var> elements = a.vars();
  for (std::size_t k = 1; k < elements.size(); ++k) CHECK(elements[k].id == elements[0].id + k);
  const numbers w = some(20, 500), g = tape.gradient(a, x);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 5; ++i) {
      const auto k = static_cast<std::size_t>(i + 5 * j);
      double expected = i >= 1 && i <= 3 ? 2.0 * x(i, j).value * w[k] : w[k];
      if (k == 0) expected = 0.0;
      if (i == 1 && j == 1) expected += x(2, 2).value * w[0];
      if (i == 2 && j == 2) expected += x(1, 1).value * w[0];
      CHECK(g[k] == doctest::Approx(expected));
    }
  }
  // Outside a recording the others stay what they are.
  tape.stop();
  varmat b = x;
  b.block(0, 0, 4, 4) = x.block(0, 0, 4, 4) * 2.0;
  CHECK(b(4, 0).id == x(4, 0).id);
  CHECK(b(0, 0).id == 0);
}

TEST_CASE("test_arrays_assignments") {
  recording tape;
  const varmat x = tape.matrix(3, 2);
  varmat a = x;
  const view second = a.col(1);
  a += x;
  a *= 2.0;
  a.col(0) -= x.col(1);
  second.all() /= 4.0;
  CHECK(second.values() == a.col(1).values());
  numbers expected;
  for (std::int64_t i = 0; i < 3; ++i) expected.push_back(4.0 * x(i, 0).value - x(i, 1).value);
  for (std::int64_t i = 0; i < 3; ++i) expected.push_back(x(i, 1).value);
  check_close(a.values(), expected);
  const numbers w = some(6, 500);
  check_close(tape.gradient(a, x), {4 * w[0], 4 * w[1], 4 * w[2], w[3] - w[0], w[4] - w[1], w[5] - w[2]});
  const admpi::position here = tape.position();
  const std::vector<var> kept = a.vars();
  a.col(1) = exp(a.col(0));
  a.all() = elt_multiply(a, a);
  tape.reset_to(here);
  CHECK(a(1, 1).id == kept[4].id);
  check_close(a.values(), expected);
  varmat fresh(3, 1);
  fresh = x.col(0) + x.col(1);
  fresh.all() = elt_multiply(fresh, x.col(1));
  CHECK(fresh(2).value == doctest::Approx((x(2, 0).value + x(2, 1).value) * x(2, 1).value));
}

TEST_CASE("test_arrays_wrong_shapes") {
  recording tape;
  varmat a = tape.matrix(3, 2), b = tape.matrix(2, 3);
  CHECK(code_of([&] { varmat(a + b); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { a.col(0) = b.col(0) * 2.0; }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { a.col(0) = a.col(0) + a.row(0); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { varmat(a.block(2, 0, 3, 1) * 2.0); }) == ADMPI_ERR_RANGE);
  try {
    varmat(a + b);
  } catch (const admpi::argument_error &e) {
    CHECK(std::string(e.what()).find("3 x 2 and 2 x 3") != std::string::npos);
  }
  tape.reset();
  CHECK(code_of([&] { varmat(a + 1.0); }) == ADMPI_ERR_STALE);
  CHECK(varmat(varmat(2, 0) + varmat(2, 0)).size() == 0);
}

TEST_CASE("test_arrays_reductions") {
  for (const int n : {1, 7, 64, 200}) {
    recording tape;
    const varmat x = tape.matrix(n, 2), y = tape.matrix(n, 2, 31);
    const auto check = [&](const var &z, const var &scalar) {
      CHECK(z.value == doctest::Approx(scalar.value).epsilon(1e-14));
      check_close(tape.gradient(z, x), tape.gradient(scalar, x), 1e-12);
      check_close(tape.gradient(z, y), tape.gradient(scalar, y), 1e-12);
    };
    var s = 0.0, d = 0.0, q = 0.0, e = 0.0;
    for (std::int64_t k = 0; k < 2 * n; ++k) {
      s += x(k);
      d += x(k) * y(k);
      q += x(k) * x(k);
      e += exp(3.0 * x(k));
    }
    const var m = s / (2.0 * n);
    var v = 0.0;
    for (std::int64_t k = 0; k < 2 * n; ++k) v += square(x(k) - m) / (2.0 * n - 1.0);
    const auto before = tape.statistics();
    const var total = sum(x);
    CHECK(tape.statistics().events == before.events + 1);
    check(total, s);
    check(mean(x), m);
    check(dot(x, y), d);
    check(dot_self(x), q);
    check(norm2(x), sqrt(q));
    check(variance(x), v);
    check(log_sum_exp(3.0 * x), log(e));
    check(sum(elt_multiply(x.row(0), y.row(n - 1))), x(0, 0) * y(n - 1, 0) + x(0, 1) * y(n - 1, 1));
    const varmat p = softmax(3.0 * x), l = log_softmax(3.0 * x);
    varmat ps(n, 2), ls(n, 2);
    for (std::int64_t k = 0; k < 2 * n; ++k) {
      ps(k) = exp(3.0 * x(k)) / e;
      ls(k) = 3.0 * x(k) - log(e);
    }
    check_close(tape.gradient(p, x), tape.gradient(ps, x), 1e-11);
    check_close(tape.gradient(l, x), tape.gradient(ls, x), 1e-11);
  }
}

TEST_CASE("test_arrays_extremes") {
  recording tape;
  varmat x(5, 1, numbers{3.0, 7.0, -1.0, 7.0, -1.0}.data());
  tape.input(x);
  std::int64_t place = -1;
  const auto before = tape.statistics();
  CHECK(max_element(x, &place).id == x(1).id);
  CHECK(place == 1);
  CHECK(min_element(x, &place).id == x(2).id);
  CHECK(place == 2);
  CHECK(tape.statistics().events == before.events);
  CHECK(tape.gradient(max_element(-x), x) == numbers{0.0, 0.0, -1.0, 0.0, 0.0});
  const double nan = std::nan("");
  for (const numbers &with : {numbers{nan, 1.0, 2.0}, numbers{2.0, nan, 1.0}, numbers{1.0, 2.0, nan}}) {
    CHECK(std::isnan(max_element(varmat(with)).value));
    CHECK(std::isnan(min_element(varmat(with)).value));
  }
  CHECK(code_of([] { max_element(varmat()); }) == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_arrays_edges") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  recording tape;
  // An infinite partial is none of the business of elements without adjoint.
  varmat x(3, 1, numbers{0.0, 4.0, 0.0}.data());
  tape.input(x);
  const varmat y = sqrt(x);
  tape.seed(y, numbers{0.0, 1.0, 1.0});
  tape.reverse();
  CHECK(tape.adjoints(x) == numbers{0.0, 0.25, inf});
  tape.clear_adjoints();
  varmat zero(2, 1);
  tape.input(zero);
  const var n = norm2(zero) + zero(0);
  tape.seed(n);
  tape.reverse();
  CHECK(tape.adjoints(zero) == numbers{1.0, 0.0});
  varmat far(2, 1, numbers{1000.0, 1001.0}.data()), low(2, 1, numbers{-inf, -inf}.data());
  tape.input(far);
  tape.input(low);
  CHECK(log_sum_exp(far).value == doctest::Approx(1001.0 + std::log1p(std::exp(-1.0))));
  CHECK(log_sum_exp(low).value == -inf);
  CHECK(softmax(far).values()[1] == doctest::Approx(1.0 / (1.0 + std::exp(-1.0))));
}

TEST_CASE("test_arrays_reductions_of_large_and_of_small_numbers") {
  recording tape;
  for (const double scale : {5e-324, 1e-308, 1e-170, 1e-160, 1e-140, 1.0, 1e150, 1e160, 1e200, 3e307}) {
    CAPTURE(scale);
    varmat x(numbers{3.0 * scale, -4.0 * scale});
    tape.input(x);
    const var n = norm2(x);
    CHECK(n.value == doctest::Approx(5.0 * scale).epsilon(1e-15));
    const numbers slope = tape.gradient(n, x);
    CHECK(slope[0] == doctest::Approx(0.6).epsilon(1e-14));
    CHECK(slope[1] == doctest::Approx(-0.8).epsilon(1e-14));
  }
  CHECK(norm2(varmat(numbers{std::numeric_limits<double>::infinity(), 1.0})).value == std::numeric_limits<double>::infinity());
  CHECK(variance(varmat(numbers{1e16, 1e16 + 2.0})).value == 2.0);
  CHECK(variance(varmat(numbers{1e15, 1e15 + 1.0, 1e15 + 3.0})).value == doctest::Approx(7.0 / 3.0).epsilon(1e-15));
  CHECK(log_softmax(varmat(numbers{1e16, 1e16})).values()[0] == -std::log(2.0));
  CHECK(log_softmax(varmat(numbers{1e6, 1e6})).values()[1] == -std::log(2.0));
}

TEST_CASE("test_arrays_reductions_of_infinite_and_no_numbers_and_of_nothing") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  recording tape;
  varmat high(4, 1, numbers{-inf, 2.0, inf, inf}.data()), low(2, 1, numbers{-inf, -inf}.data()), one(1, 1), none(0, 1);
  for (varmat *x : {&high, &low, &one, &none}) tape.input(*x);
  const var largest = log_sum_exp(high);
  CHECK(largest.value == inf);
  CHECK(tape.gradient(largest, high) == numbers{0.0, 0.0, 1.0, 0.0});
  for (const numbers &with : {numbers{nan, 1.0}, numbers{1.0, nan}, numbers{-inf, nan}, numbers{inf, nan}, numbers{nan, inf}}) {
    varmat x(with);
    tape.input(x);
    CHECK(std::isnan(log_sum_exp(x).value));
    CHECK(std::isnan(tape.gradient(log_sum_exp(x), x)[0]));
    for (const double p : softmax(x).values()) CHECK(std::isnan(p));
  }
  CHECK(log_sum_exp(none).value == -inf);
  CHECK(softmax(none).size() == 0);
  CHECK(log_softmax(none).size() == 0);
  CHECK(norm2(none).value == 0.0);
  CHECK(std::isnan(variance(one).value));
  CHECK(std::isnan(variance(none).value));
  CHECK(std::isnan(mean(none).value));
  CHECK(test::message([&] { min_element(none); }) == "max_element or min_element of an array without elements");
}

TEST_CASE("test_arrays_memory") {
  recording tape;
  const varmat x = tape.matrix(1000, 10);
  const auto before = tape.statistics();
  const varmat y = elt_multiply(sin(x), x) + exp(-x);
  const auto after = tape.statistics();
  CHECK(after.ids - before.ids == 10000);
  CHECK(after.event_bytes - before.event_bytes < 8 * 10000 + 1500);
}

TEST_CASE("test_arrays_select") {
  // The chosen operand alone has a derivative; the other may be NaN.
  COMPARE_SELECT(a < b, elt_multiply(a, b), b);
  COMPARE_SELECT(a * 2.0 >= b + t, sin(a), 3.0);
  COMPARE_SELECT(a > 0.5 && b < s, square(a), elt_divide(a, b));
  COMPARE_SELECT(a <= 0.4 || b != b, 1.0, exp(b));
  recording tape;
  varmat x(4, 1, numbers{-1.0, 0.0, 2.0, -3.0}.data());
  tape.input(x);
  const varmat y = select(x > 0.0, log(x), square(x));
  CHECK(y.values() == numbers{1.0, 0.0, std::log(2.0), 9.0});
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoints(x) == numbers{-2.0, 0.0, 0.5, -6.0});
  CHECK(code_of([&] { varmat(select(x > 0.0, x, varmat(3, 1))); }) == ADMPI_ERR_ARGUMENT);
  const varmat three(numbers{1.0, 2.0, 3.0});
  CHECK(varmat(select(!(three > 1.5), three, 0.0)).values() == numbers{1.0, 0.0, 0.0});
  CHECK(varmat(select(!(three > 1.5 && three < 2.5), three, 0.0)).values() == numbers{1.0, 0.0, 3.0});
}

TEST_CASE("test_arrays_fma_and_flat_functions") {
  COMPARE(fma(a, b, a));
  COMPARE(elt_multiply(fma(a, 2.0, s), b));
  COMPARE(fma(t, 0.5, a));
  recording tape;
  const varmat x = tape.matrix(5, 1);
  const varmat y = elt_multiply(floor(10.0 * x), x) + round(x) + trunc(-x) - ceil(x) + rint(3.0 * x) * 0.0;
  const numbers w = some(5, 500), g = tape.gradient(y, x);
  for (std::size_t k = 0; k < 5; ++k) {
    const double p = number(static_cast<std::int64_t>(k));
    CHECK(y(static_cast<int>(k)).value == doctest::Approx(std::floor(10.0 * p) * p + std::round(p) + std::trunc(-p) - std::ceil(p)));
    CHECK(g[k] == doctest::Approx(std::floor(10.0 * p) * w[k]));
  }
}

TEST_CASE("test_arrays_cumulative_sum") {
  for (const int width : {1, 4}) {
    recording tape;
    tape.set_width(width);
    const varmat x = tape.matrix(6, 4);
    const auto before = tape.statistics();
    const varmat whole = cumulative_sum(x), part = cumulative_sum(x.block(1, 1, 3, 2).transpose());
    CHECK(tape.statistics().events == before.events + 2);
    const view b = x.block(1, 1, 3, 2).transpose();
    varmat of_whole(6, 4), of_part(2, 3);
    var s = 0.0, t = 0.0;
    for (int k = 0; k < 24; ++k) of_whole(k) = s += x(k);
    for (int k = 0; k < 6; ++k) of_part(k) = t += std::as_const(b)(k);
    check_close(whole.values(), of_whole.values());
    check_close(part.values(), of_part.values());
    for (int k = 0; k < width; ++k) {
      tape.seed(whole, some(24, 10 * k), k);
      tape.seed(part, some(6, 5 * k), k);
    }
    tape.reverse();
    std::vector<numbers> got;
    for (int k = 0; k < width; ++k) got.push_back(tape.adjoints(x, k));
    tape.clear_adjoints();
    for (int k = 0; k < width; ++k) {
      tape.seed(of_whole, some(24, 10 * k), k);
      tape.seed(of_part, some(6, 5 * k), k);
    }
    tape.reverse();
    for (int k = 0; k < width; ++k) check_close(got[static_cast<std::size_t>(k)], tape.adjoints(x, k));
  }
  CHECK(cumulative_sum(varmat(3, 1, numbers{1.0, 2.0, 3.0}.data()) * 2.0).values() == numbers{2.0, 6.0, 12.0});
}

TEST_CASE("test_arrays_concatenation") {
  recording tape;
  tape.set_width(2);
  const varmat x = tape.matrix(4, 3), y = tape.matrix(4, 2, 50), plain(4, 1, some(4, 90).data());
  varmat listed = x;
  listed(0, 0) = x(1, 1) * y(0, 0);
  const auto before = tape.recorded_events();
  const varmat side = admpi::hcat({listed, plain, y.col(1), x.col(0)});
  const varmat stack = admpi::vcat({x.row(3), x.block(0, 0, 2, 3), y.transpose().block(0, 1, 2, 3), x.row(3)});
  CHECK(tape.recorded_events() == before + 2);
  CHECK(side.cols() == 6);
  CHECK(stack.rows() == 6);
  numbers expected = listed.values();
  for (const varmat &part : {plain, varmat(y.col(1)), varmat(x.col(0))}) {
    const numbers more = part.values();
    expected.insert(expected.end(), more.begin(), more.end());
  }
  CHECK(side.values() == expected);
  const varmat z = sin(side);
  for (int k = 0; k < 2; ++k) {
    tape.seed(z, some(24, 30 + k), k);
    tape.seed(stack, some(18, 70 + k), k);
  }
  tape.reverse();
  for (int k = 0; k < 2; ++k) {
    numbers gx(12, 0.0), gy(8, 0.0);
    const numbers w = some(24, 30 + k), v = some(18, 70 + k);
    const auto into = [](numbers &g, int at, double value) { g[static_cast<std::size_t>(at)] += value; };
    for (int i = 0; i < 24; ++i) {
      const double weight = w[static_cast<std::size_t>(i)] * std::cos(side(i).value);
      if (i == 0) {
        into(gx, 5, weight * y(0, 0).value);
        into(gy, 0, weight * x(1, 1).value);
      } else if (i < 12) {
        into(gx, i, weight);
      } else if (i >= 16 && i < 20) {
        into(gy, i - 12, weight);
      } else if (i >= 20) {
        into(gx, i - 20, weight);
      }
    }
    for (int j = 0; j < 3; ++j) {
      const auto row = [&](int i) { return v[static_cast<std::size_t>(i + 6 * j)]; };
      into(gx, 3 + 4 * j, row(0) + row(5));
      into(gx, 0 + 4 * j, row(1));
      into(gx, 1 + 4 * j, row(2));
      into(gy, 1 + j + 0, row(3));
      into(gy, 1 + j + 4, row(4));
    }
    check_close(tape.adjoints(x, k), gx);
    check_close(tape.adjoints(y, k), gy);
  }
  CHECK(code_of([&] { admpi::hcat({x, y.row(0)}); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { admpi::vcat({x, y}); }) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi::hcat({}).size() == 0);
}

TEST_CASE("test_arrays_gather_and_scatter") {
  recording tape;
  const varmat x = tape.matrix(3, 4), b = tape.matrix(4, 1, 50);
  const auto before = tape.recorded_events();
  const varmat some_of = x.gather({11, 0, 4, 0}), part = x.row(1).gather({3, 1});
  CHECK(tape.recorded_events() == before);
  CHECK(some_of(1).id == x(0).id);
  CHECK(part(0).id == x(1, 3).id);
  varmat a = x;
  a.scatter({2, 7, 2}, std::vector<var>{b(0), b(1), b(2)});
  a.col(3).scatter({1}, b.tail(1));
  CHECK(a(2).id == b(2).id);
  CHECK(a(7).id == b(1).id);
  CHECK(a(1, 3).id == b(3).id);
  CHECK(x(2).id != b(2).id);
  const varmat assembled = scatter_add(a.transpose(), {1, 5, 1, 0}, square(b));
  CHECK(assembled.rows() == 4);
  CHECK(assembled(1, 0).value == doctest::Approx(a(0, 1).value + b(0).value * b(0).value + b(2).value * b(2).value));
  const numbers w = some(12, 500), gb = tape.gradient(assembled, b), gx = (tape.gradient(assembled, b), tape.adjoints(x));
  // a(2) is b(2), a(7) = a(1, 2) is b(1), a(1, 3) is b(3); the transpose has a(i, j) at j + 4 i.
  const auto at = [&](int i, int j) { return w[static_cast<std::size_t>(j + 4 * i)]; };
  CHECK(gb[0] == doctest::Approx(2.0 * b(0).value * w[1]));
  CHECK(gb[1] == doctest::Approx(2.0 * b(1).value * w[5] + at(1, 2)));
  CHECK(gb[2] == doctest::Approx(2.0 * b(2).value * w[1] + at(2, 0)));
  CHECK(gb[3] == doctest::Approx(2.0 * b(3).value * w[0] + at(1, 3)));
  CHECK(gx[0] == doctest::Approx(at(0, 0)));
  CHECK(gx[2] == 0.0);
  CHECK(code_of([&] { x.gather({12}); }) == ADMPI_ERR_RANGE);
  CHECK(code_of([&] { x.gather({-1}); }) == ADMPI_ERR_RANGE);
  CHECK(code_of([&] { a.scatter({0, 12}, std::vector<var>(2)); }) == ADMPI_ERR_RANGE);
  CHECK(code_of([&] { a.scatter({0}, std::vector<var>(2)); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { scatter_add(a, {0, 1}, b); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { scatter_add(a, {0, 1, 2, 12}, b); }) == ADMPI_ERR_RANGE);
}

TEST_CASE("test_arrays_views_of_a_matrix_that_has_shrunk") {
  admpi::varmat b(400, 1);
  const admpi::view v = b.segment(200, 200);
  b = admpi::varmat(8, 1);
  CHECK_THROWS_AS(varmat(v * 2.0), admpi::range_error);
  CHECK_THROWS_AS(sum(v * 2.0), admpi::range_error);
  admpi::view to = v;
  CHECK_THROWS_AS(to = admpi::varmat(200, 1) * 3.0 + 7.0, admpi::range_error);
}

TEST_CASE("test_arrays_of_nothing_behind_the_last_element") {
  test::recording_tape tape;
  admpi::varmat a(6, 5);
  tape.input(a);
  const admpi::view nothing = a.block(3, 5, 2, 0);
  CHECK(admpi::value(sum(nothing)) == 0.0);
  CHECK(admpi::value(sum(square(nothing))) == 0.0);
  CHECK(admpi::value(sum(multiply(a.block(0, 0, 6, 0), a.block(6, 0, 0, 5)))) == 0.0);
}

TEST_CASE("test_arrays_of_elements_from_outside_a_nest_and_from_inside") {
  recording tape;
  varmat x = tape.matrix(3, 1);
  const var last = sin(x(0));
  for (const bool isolated : {true, false}) {
    const admpi::nested nest(isolated ? ADMPI_NEST_ISOLATED : 0);
    varmat y = tape.matrix(2, 1, 40);
    varmat mixed(4, 1), follow(3, 1);
    mixed(0) = last;
    mixed(1) = y(1);
    mixed(2) = x(2);
    mixed(3) = y(0);
    follow(0) = last;
    follow(1) = y(0);
    follow(2) = y(1);
    REQUIRE(follow(1).id == follow(0).id + 1);
    for (const varmat &z : {mixed, follow}) {
      // As an expression, and by an operation of the library.
      for (const var &s : {sum(elt_multiply(z, z)), var(multiply(z.transpose(), z)(0))}) {
        tape.clear_adjoints();
        tape.seed(s);
        tape.reverse();
        const bool x_too = !isolated && z(2).id == x(2).id;
        CHECK(tape.adjoints(x) == numbers{0.0, 0.0, x_too ? 2.0 * x(2).value : 0.0});
        CHECK(tape.adjoint(last) == (isolated ? 0.0 : 2.0 * last.value));
        CHECK(tape.adjoints(y) == numbers{2.0 * y(0).value, 2.0 * y(1).value});
      }
    }
  }
}

TEST_CASE("test_arrays_assigned_on_another_tape") {
  admpi::varmat y;
  test::recording_tape second;
  const auto position = second.position();
  {
    test::recording_tape first;
    admpi::varmat p(4, 1);
    first.input(p);
    y = p * 2.0;
    REQUIRE(admpi_tape_activate(second.handle(), nullptr) == ADMPI_SUCCESS);
    admpi::varmat q(4, 1);
    second.input(q);
    y.all() = q * 3.0 + 1.0;
  }
  second.reset_to(position);
  CHECK(y.rows() == 4);
}
