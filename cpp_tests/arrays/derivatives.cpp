// Drivers for functions of a matrix, against those for functions of a vector.
#include <admpi.hpp>
#include <admpi/derivatives_arrays.hpp>
#include <admpi/tangent_linalg.hpp>

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using admpi::dense;
using admpi::tangent;
using admpi::var;
using admpi::varmat;

namespace {

const varmat at = {{0.3, -0.7, 1.1}, {0.9, 0.2, -0.4}};

const auto objective = [](const auto &x) { return exp(x * 0.5).sum() + elt_multiply(elt_multiply(x, x), x).sum() * x(1, 2); };
const auto objective_by_elements = [](const auto &x) {
  using std::exp;
  using T = std::decay_t<decltype(x[0])>;
  T first = 0.0, second = 0.0;
  for (const T &one : x) {
    first += exp(0.5 * one);
    second += one * one * one;
  }
  return T(first + second * x[5]);
};

/// A tall result: sweeps cost more than tangents; and a short one.
const auto tall = [](const auto &x) { return multiply(x.transpose(), x); };
const auto short_one = [](const auto &x) { return multiply(x, x.transpose()); };
const auto for_varmat_alone = [](const varmat &x) { return varmat(multiply(x, x.transpose())); };

void check_same(const dense &a, const dense &b) {
  REQUIRE(a.rows == b.rows);
  REQUIRE(a.cols == b.cols);
  for (std::size_t k = 0; k < a.data.size(); ++k) CHECK(a.data[k] == doctest::Approx(b.data[k]).epsilon(1e-13));
}
void check_same(const varmat &a, const std::vector<double> &b) {
  REQUIRE(a.size() == static_cast<std::int64_t>(b.size()));
  for (std::size_t k = 0; k < b.size(); ++k) CHECK(a.values()[k] == doctest::Approx(b[k]).epsilon(1e-13));
}

/// Element (i, j) of x^T x by element (a, b) of x, and of x x^T.
dense by_hand(bool is_tall) {
  const std::int64_t m = is_tall ? 3 : 2, rows = at.rows(), cols = at.cols();
  dense d(m * m, rows * cols);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < m; ++j)
      for (std::int64_t a = 0; a < rows; ++a)
        for (std::int64_t b = 0; b < cols; ++b) {
          const std::int64_t own = is_tall ? b : a;
          const auto value = [&](std::int64_t other) { return is_tall ? at(a, other).value : at(other, b).value; };
          d(i + j * m, a + b * rows) = (own == i ? value(j) : 0.0) + (own == j ? value(i) : 0.0);
        }
  return d;
}

void check_all() {
  const std::vector<double> x = at.values();
  const auto of_vector = [](const auto &v) { return objective_by_elements(v); };
  double value = 0.0;
  const varmat g = admpi::gradient(objective, at, &value);
  CHECK(g.rows() == 2);
  CHECK(g.cols() == 3);
  CHECK(value == doctest::Approx(objective_by_elements(x)).epsilon(1e-14));
  check_same(g, admpi::gradient(of_vector, x));
  check_same(admpi::hessian(objective, at), admpi::hessian(of_vector, x));
  const varmat v = {{1.0, 0.5, -2.0}, {0.25, 3.0, 1.5}};
  check_same(admpi::hessian_product(objective, at, v), admpi::hessian_product(of_vector, x, v.values()));
  CHECK(admpi::check_gradient(objective, at).is_right());
  const auto loses = [](const auto &m) { return objective(m) + admpi::value(m(1, 0)) * m(0, 0); };
  const auto check = admpi::check_gradient(loses, at);
  for (const auto &one : check.inputs) CHECK(one.is_right == (one.input != 1));

  check_same(admpi::jacobian(tall, at), by_hand(true));
  check_same(admpi::jacobian(short_one, at), by_hand(false));
  check_same(admpi::jacobian(for_varmat_alone, at), by_hand(false));
  const dense j = by_hand(true);
  const varmat w = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}, {7.0, 8.0, 9.5}};
  std::vector<double> moved(9), pulled(6);
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 6; ++k) {
      moved[static_cast<std::size_t>(i)] += j(i, k) * v(k).value;
      pulled[static_cast<std::size_t>(k)] += j(i, k) * w(i).value;
    }
  check_same(admpi::jacobian_product(tall, at, v), moved);
  check_same(admpi::transposed_jacobian_product(tall, at, w), pulled);
}

}  // namespace

TEST_CASE("test_drivers_of_matrices") { check_all(); }

TEST_CASE("test_drivers_of_matrices_leave_nothing_on_a_tape") {
  admpi::tape tape;
  tape.start();
  var outer = 2.0;
  tape.input(outer);
  const auto before = tape.statistics().ids;
  check_all();
  CHECK(tape.statistics().ids == before);
  const varmat g = admpi::gradient([&](const varmat &x) { return x.sum() * outer; }, at);
  CHECK(g.values() == std::vector<double>(6, 2.0));
}

TEST_CASE("test_drivers_of_matrices_without_elements_or_results") {
  const varmat none(0, 3);
  const auto sum = [](const auto &x) { return elt_multiply(x, x).sum(); };
  CHECK(admpi::gradient(sum, none).size() == 0);
  CHECK(admpi::hessian(sum, none).data.empty());
  CHECK(admpi::check_gradient(sum, none).is_right());
  const dense j = admpi::jacobian([](const auto &x) { return x * 2.0; }, none);
  CHECK(j.rows == 0);
  CHECK(j.cols == 0);
  const varmat constant = admpi::gradient([](const varmat &) { return var(3.0); }, at);
  CHECK(constant.values() == std::vector<double>(6, 0.0));
}

TEST_CASE("test_drivers_of_matrices_refuse_other_shapes") {
  const varmat turned(3, 2);
  CHECK_THROWS_WITH_AS(admpi::hessian_product(objective, at, turned), doctest::Contains("v is 3 x 2, not 2 x 3"), admpi::error);
  CHECK_THROWS_WITH_AS(admpi::jacobian_product(tall, at, turned), doctest::Contains("v is 3 x 2, not 2 x 3"), admpi::error);
  CHECK_THROWS_WITH_AS(admpi::transposed_jacobian_product(tall, at, turned), doctest::Contains("w is 3 x 2, not 3 x 3"), admpi::error);
}

/// A list in braces is a vector, as before.
TEST_CASE("test_drivers_of_lists_are_those_of_vectors") {
  const auto f = [](const auto &x) { return x[0] * x[1]; };
  CHECK(admpi::gradient(f, {2.0, 3.0}) == std::vector<double>{3.0, 2.0});
  CHECK(admpi::hessian(f, {2.0, 3.0})(0, 1) == 1.0);
}
