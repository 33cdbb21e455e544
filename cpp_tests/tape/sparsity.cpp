// Sparse Jacobians and Hessians: patterns, colours and values, against dense ones and by hand.
#include <admpi.hpp>
#include <admpi/sparsity.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "harness/chain.hpp"
#include "harness/sparse.hpp"

using admpi::colour_by;
using admpi::coloured_pattern;
using admpi::csr;
using admpi::var;
using admpi::varmat;
using test::chain;
using test::spread;

namespace {

using places = std::set<std::pair<int, int>>;

template <class P>
places places_of(const P &p) {
  places found;
  for (int i = 0; i < static_cast<int>(p.rows); ++i)
    for (int k = p.row_start[static_cast<std::size_t>(i)]; k < p.row_start[static_cast<std::size_t>(i) + 1]; ++k) {
      const bool is_new = found.insert({i, p.column[static_cast<std::size_t>(k)]}).second;
      CHECK(is_new);
      const bool is_ascending = k == p.row_start[static_cast<std::size_t>(i)] ||
                                p.column[static_cast<std::size_t>(k) - 1] < p.column[static_cast<std::size_t>(k)];
      CHECK(is_ascending);
    }
  return found;
}

void check_same(const admpi::dense &a, const admpi::dense &b, double relative = 1e-14) {
  REQUIRE(a.rows == b.rows);
  REQUIRE(a.cols == b.cols);
  for (std::size_t k = 0; k < a.data.size(); ++k) {
    const double tolerance = relative * std::max({1.0, std::fabs(a.data[k]), std::fabs(b.data[k])});
    CHECK(std::fabs(a.data[k] - b.data[k]) <= tolerance);
  }
}

std::vector<double> points(int n) {
  std::vector<double> x;
  for (int i = 0; i < n; ++i) x.push_back(0.9 + 0.3 * std::sin(1.0 + i));
  return x;
}

/// A step of the ocean's temperature (examples_c/heat_flux/ocean.hpp) on a grid of n x n cells, periodic east-west.
struct ocean_step {
  int n;
  template <class T>
  std::vector<T> operator()(const std::vector<T> &temperature) const {
    using std::exp;
    std::vector<T> potential, next;
    for (const T &t : temperature) potential.push_back(exp(0.3 * (t - 1.0)));
    const auto at = [&](int i, int j) { return static_cast<std::size_t>(std::min(std::max(i, 0), n - 1) * n + (j + n) % n); };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        next.push_back(temperature[at(i, j)] +
                       0.1 * (potential[at(i - 1, j)] + potential[at(i + 1, j)] + potential[at(i, j - 1)] +
                              potential[at(i, j + 1)] - 4.0 * potential[at(i, j)]) + 0.01 * std::cos(i + 2.0 * j));
    return next;
  }
};

/// Calls fn without a tape, and inside one that holds something.
template <class F>
void with_and_without_tape(F &&fn) {
  fn();
  admpi::tape tape;
  tape.start();
  var outer = 2.0;
  tape.input(outer);
  const var y = outer * outer;
  fn();
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(outer) == 4.0);
}

TEST_CASE("test_sparse_jacobian_of_an_ocean_step") {
  with_and_without_tape([] {
    const ocean_step f{12};
    const std::vector<double> x = points(144);
    const csr j = admpi::sparse_jacobian(f, x);
    CHECK(j.column.size() == 144 * 5 - 24);  // at the walls a cell is its own neighbour
    check_same(spread(j), admpi::jacobian(f, x));
    const coloured_pattern p = admpi::sparsity(f, x);
    CHECK(places_of(p) == places_of(j));
    check_same(spread(admpi::sparse_jacobian(f, points(144), p)), spread(j), 0.0);
  });
}

TEST_CASE("test_sparse_jacobian_large_ocean_step_has_few_colours") {
  for (const int n : {99, 100, 101}) {
    const coloured_pattern p = admpi::sparsity(ocean_step{n}, points(n * n));
    CAPTURE(n);
    CHECK(static_cast<int>(p.column.size()) == n * n * 5 - 2 * n);
    CHECK(p.colours <= 7);
    CHECK(p.colours >= 5);
  }
}

TEST_CASE("test_sparse_hessian_of_a_chain") {
  with_and_without_tape([] {
    for (const int n : {0, 1, 2, 3, 20}) {
      CAPTURE(n);
      const std::vector<double> x = points(n);
      const csr h = admpi::sparse_hessian(chain(), x);
      check_same(spread(h), admpi::hessian(chain(), x));
      CHECK(static_cast<int>(h.column.size()) == (n < 2 ? 0 : 3 * n - 2));
    }
  });
}

TEST_CASE("test_sparse_hessian_large_chain_has_three_colours") {
  const int n = 100000;
  const std::vector<double> x = points(n);
  const coloured_pattern p = admpi::hessian_sparsity(chain(), x);
  CHECK(p.colours <= 3);
  CHECK(static_cast<int>(p.column.size()) == 3 * n - 2);
  const csr h = admpi::sparse_hessian(chain(), x, p);
  for (std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{50001}, static_cast<std::size_t>(n) - 2}) {
    const auto first = static_cast<std::size_t>(h.row_start[i]), behind = static_cast<std::size_t>(h.row_start[i + 1]) - 1;
    CHECK(h.column[behind] == static_cast<int>(i) + 1);
    CHECK(h.value[behind] == doctest::Approx(-400.0 * x[i]));
    if (i > 0) CHECK(h.value[first] == doctest::Approx(-400.0 * x[i - 1]));
  }
}

/// An arrow: a result of all inputs, an input of all results, and a sum that is no result.
struct arrow {
  template <class T>
  std::vector<T> operator()(const std::vector<T> &x) const {
    std::vector<T> y;
    T sum = 0.0;
    for (const T &one : x) sum += one * one;
    y.push_back(sum);
    for (std::size_t i = 1; i < x.size(); ++i) y.push_back(x[0] * x[i]);
    return y;
  }
};

TEST_CASE("test_sparse_jacobian_with_dense_rows_and_columns") {
  const int n = 40;
  const std::vector<double> x = points(n);
  const auto without_first = [](const auto &all) {
    auto y = arrow()(all);
    y.erase(y.begin());
    return y;
  };
  const auto only_first = [](const auto &all) {
    auto y = arrow()(all);
    y.resize(1);
    return y;
  };
  check_same(spread(admpi::sparse_jacobian(arrow(), x)), admpi::jacobian(arrow(), x));
  const coloured_pattern by_column = admpi::sparsity(without_first, x);
  CHECK(by_column.by == colour_by::columns);
  CHECK(by_column.colours == 2);
  check_same(spread(admpi::sparse_jacobian(without_first, x)), admpi::jacobian(without_first, x));
  const coloured_pattern by_row = admpi::sparsity(only_first, x);
  CHECK(by_row.by == colour_by::rows);
  CHECK(by_row.colours == 1);
  check_same(spread(admpi::sparse_jacobian(only_first, x)), admpi::jacobian(only_first, x));
}

TEST_CASE("test_sparse_jacobian_large_sums_take_no_quadratic_time") {
  // Sets of inputs would have 10^10 / 2 elements.
  const int n = 100000;
  const coloured_pattern one = admpi::sparsity([](const std::vector<var> &x) { return std::vector<var>{chain()(x)}; }, points(n));
  CHECK(static_cast<int>(one.column.size()) == n);
  // As many results as inputs, and a sum that none of them is.
  const auto f = [](const auto &x) {
    auto y = x;
    auto sum = x[0];
    for (const auto &each : x) sum += each * each;
    y.push_back(sum);
    return y;
  };
  const coloured_pattern p = admpi::sparsity(f, points(n));
  CHECK(static_cast<int>(p.column.size()) == 2 * n);
}

TEST_CASE("test_sparsity_of_what_is_passive_or_repeated") {
  const auto f = [](const auto &x) {
    using T = std::decay_t<decltype(x[0])>;
    return std::vector<T>{T(3.0), x[1], x[1], x[0] * 0.0, x[2] * x[0]};
  };
  const std::vector<double> x = {1.5, 2.0, 3.0};
  const coloured_pattern p = admpi::sparsity(f, x);
  CHECK(places_of(p) == places{{1, 1}, {2, 1}, {3, 0}, {4, 0}, {4, 2}});
  check_same(spread(admpi::sparse_jacobian(f, x)), admpi::jacobian(f, x));
  const coloured_pattern none = admpi::sparsity([](const std::vector<var> &) { return std::vector<var>(); }, {});
  CHECK(none.rows == 0);
  CHECK(none.colours == 0);
}

/// x[0..9] into a matrix, whose elements are computed by array statements, overwritten in part, multiplied and summed.
TEST_CASE("test_sparsity_through_matrices") {
  const auto f = [](const std::vector<var> &x) {
    varmat a(5, 2);
    for (int k = 0; k < 10; ++k) a(k % 5, k / 5) = x[static_cast<std::size_t>(k)];
    varmat b = exp(a) * x[10];                       // element by element, and a scalar
    b.block(1, 0, 2, 1) = a.block(3, 1, 2, 1) + 1.0;  // the rest is carried over
    const varmat m = admpi::multiply(a.block(0, 0, 2, 2).transpose(), a.block(0, 0, 2, 2));
    std::vector<var> y;
    for (int k = 0; k < 10; ++k) y.push_back(b(k % 5, k / 5));
    y.push_back(sum(a.block(0, 1, 3, 1)));
    y.push_back(m(0, 1));
    a(0, 0) = 1.0;
    y.push_back(a(0, 0) * a(1, 0));
    return y;
  };
  const coloured_pattern p = admpi::sparsity(f, points(11));
  places expected;
  for (int k = 0; k < 10; ++k) {
    if (k == 1 || k == 2) continue;
    expected.insert({k, k});
    expected.insert({k, 10});
  }
  expected.insert({1, 8});
  expected.insert({2, 9});
  for (const int k : {5, 6, 7}) expected.insert({10, k});
  for (const int k : {0, 1, 5, 6}) expected.insert({11, k});
  expected.insert({12, 1});
  CHECK(places_of(p) == expected);
  CHECK(p.by == colour_by::rows);
  const std::vector<double> x = points(11);
  admpi::dense by_row(13, 11);
  for (std::size_t i = 0; i < 13; ++i) {
    std::vector<double> w(13);
    w[i] = 1.0;
    const std::vector<double> row = admpi::transposed_jacobian_product(f, x, w);
    for (std::size_t j = 0; j < 11; ++j) by_row(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)) = row[j];
  }
  check_same(spread(admpi::sparse_jacobian(f, x)), by_row);
}

TEST_CASE("test_sparsity_leaves_matrices_and_adjoints_as_they_were") {
  admpi::tape tape;
  tape.start();
  varmat a(4, 1);
  for (int i = 0; i < 4; ++i) a(i, 0) = 1.0 + i;
  tape.input(a);
  const varmat before = exp(a);
  a(2, 0) = 7.0 * a(1, 0);
  const var y = sum(elt_multiply(a, before));
  tape.seed(y);
  const std::vector<var> results = {y};
  const std::vector<var> inputs = {a(0, 0), a(1, 0)};
  admpi_sparse *s = nullptr;
  REQUIRE(admpi_tape_sparsity(tape.handle(), inputs.data(), 2, results.data(), 1, &s) == ADMPI_SUCCESS);
  std::int64_t rows = 0, cols = 0, n = 0;
  REQUIRE(admpi_sparse_size(s, &rows, &cols, &n) == ADMPI_SUCCESS);
  CHECK(rows == 1);
  CHECK(cols == 2);
  CHECK(n == 2);
  admpi_sparse_free(s);
  CHECK(a(2, 0).value == 14.0);
  tape.reverse();
  CHECK(tape.adjoint(inputs[0]) == doctest::Approx(std::exp(1.0) * 2.0));
  CHECK(tape.adjoint(inputs[1]) == doctest::Approx(std::exp(2.0) * 3.0 + 7.0 * std::exp(3.0)));
}

/// What a callback does is not called, and depends on all its operands.
TEST_CASE("test_sparsity_of_callbacks_is_dense") {
  int calls = 0;
  const auto f = [&](const std::vector<var> &x) {
    const std::vector<var> in = {x[0], x[2]};
    return admpi::current_tape().callback(in, {1.0, 2.0}, [&calls](const admpi::callback_adjoints &) { ++calls; });
  };
  CHECK(places_of(admpi::sparsity(f, points(4))) == places{{0, 0}, {0, 2}, {1, 0}, {1, 2}});
  CHECK(calls == 0);
}

TEST_CASE("test_sparsity_of_a_map_is_that_of_its_jobs") {
  const auto f = [](const std::vector<var> &x) {
    varmat own(2, 3);
    for (int k = 0; k < 6; ++k) own(k % 2, k / 2) = x[static_cast<std::size_t>(k) + 1];
    const std::vector<var> shared = {x[0]};
    return admpi::map_rect([](const auto &j) { j.y[0] = j.shared[0] * j.params[0] * j.params[1]; }, shared, own);
  };
  CHECK(places_of(admpi::sparsity(f, points(7))) == places{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 3}, {1, 4}, {2, 0}, {2, 5}, {2, 6}});
}

TEST_CASE("test_sparse_hessian_of_functions_and_products") {
  const auto f = [](const auto &x) {
    using std::exp;
    using std::pow;
    using std::sin;
    using T = std::decay_t<decltype(x[0])>;
    const T sum = x[0] + x[1];                             // a factor nowhere
    T y = sin(x[0]) * exp(x[2]) + x[1] / x[3] + 3.0 * x[4];
    y += pow(x[5], 3.0) + sum;
    return y;
  };
  const std::vector<double> x = points(7);
  const csr h = admpi::sparse_hessian(f, x);
  check_same(spread(h), admpi::hessian(f, x));
  const places found = places_of(h);
  for (const auto &one : places{{0, 0}, {0, 2}, {2, 0}, {2, 2}, {1, 3}, {3, 1}, {3, 3}, {5, 5}}) CHECK(found.count(one) == 1);
  for (int j = 0; j < 7; ++j) {
    CHECK(found.count({4, j}) == 0);
    CHECK(found.count({6, j}) == 0);
    CHECK(found.count({5, j}) == (j == 5 ? 1 : 0));
    CHECK(found.count({2, j}) == (j == 0 || j == 2 ? 1 : 0));
  }
}

/// A star, of which all share the first: an element is found on one side of the diagonal or the other.
TEST_CASE("test_sparse_hessian_of_an_arrow_takes_two_colours") {
  const auto f = [](const auto &x) {
    std::decay_t<decltype(x[0])> y = x[0] * x[0];
    for (std::size_t i = 1; i < x.size(); ++i) y += x[0] * x[i] * x[i];
    return y;
  };
  const std::vector<double> x = points(30);
  const coloured_pattern p = admpi::hessian_sparsity(f, x);
  CHECK(p.colours == 2);
  check_same(spread(admpi::sparse_hessian(f, x, p)), admpi::hessian(f, x));
}

TEST_CASE("test_patterns_of_ones_own") {
  const coloured_pattern p = admpi::colour_pattern(3, 3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, true);
  check_same(spread(admpi::sparse_hessian(chain(), points(3), p)), admpi::hessian(chain(), points(3)));
  CHECK_THROWS_WITH_AS(admpi::sparse_hessian(chain(), points(4), p), doctest::Contains("the pattern's rows has 3 elements, not 4"),
                       admpi::error);
  CHECK_THROWS_WITH_AS(admpi::colour_pattern(1, 2, {0, 1}, {2}), doctest::Contains("column[0] = 2 is not below cols = 2"),
                       admpi::error);
  CHECK_THROWS_AS(admpi::sparse_jacobian(ocean_step{2}, points(4), p), admpi::error);
}

/// Of a Jacobian by columns and by rows, and of a Hessian.
TEST_CASE("test_sparse_drivers_find_what_a_pattern_of_another_branch_lacks") {
  const auto next = [](const auto &x) {
    auto y = x;
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[0] < 1.0 ? x[i] * x[i] : x[i] * x[(i + 1) % x.size()];
    return y;
  };
  const auto sum = [next](const auto &x) {
    const auto y = next(x);
    return std::accumulate(y.begin() + 1, y.end(), y[0]);
  };
  std::vector<double> here = points(6), there = here;
  here[0] = 0.5;
  there[0] = 1.5;
  const char *lacks = "row 0 of the pattern lacks an element: the row times a vector is";
  coloured_pattern p = admpi::sparsity(next, here);
  REQUIRE(p.by == colour_by::columns);
  CHECK_THROWS_WITH_AS(admpi::sparse_jacobian(next, there, p), doctest::Contains(lacks), admpi::error);
  check_same(spread(admpi::sparse_jacobian(next, here, p)), admpi::jacobian(next, here));
  p.by = colour_by::rows;
  CHECK_THROWS_WITH_AS(admpi::sparse_jacobian(next, there, p), doctest::Contains(lacks), admpi::error);
  check_same(spread(admpi::sparse_jacobian(next, here, p)), admpi::jacobian(next, here));
  const coloured_pattern q = admpi::hessian_sparsity(sum, here);
  CHECK_THROWS_WITH_AS(admpi::sparse_hessian(sum, there, q), doctest::Contains(lacks), admpi::error);
  check_same(spread(admpi::sparse_hessian(sum, here, q)), admpi::hessian(sum, here));
  here[2] = std::numeric_limits<double>::quiet_NaN();
  CHECK_NOTHROW(admpi::sparse_hessian(sum, here, q));
}

/// The nest's inputs are then in one event with those before it.
TEST_CASE("test_sparsity_in_a_nest_right_behind_inputs") {
  admpi::tape tape;
  tape.start();
  var outer = 2.0;
  tape.input(outer);
  check_same(spread(admpi::sparse_jacobian(ocean_step{4}, points(16))), admpi::jacobian(ocean_step{4}, points(16)));
  check_same(spread(admpi::sparse_hessian(chain(), points(9))), admpi::hessian(chain(), points(9)));
}

TEST_CASE("test_sparsity_refuses_inputs_that_are_none") {
  admpi::tape tape;
  tape.start();
  var x = 1.0;
  tape.input(x);
  const var passive = 2.0, y = x * passive;
  admpi_sparse *s = nullptr;
  CHECK(admpi_tape_sparsity(tape.handle(), &passive, 1, &y, 1, &s) == ADMPI_ERR_ARGUMENT);
  CHECK(std::string(admpi_last_error()).find("x[0] is passive") != std::string::npos);
  admpi::nested nest;
  CHECK(admpi_tape_sparsity(tape.handle(), &x, 1, &y, 1, &s) == ADMPI_ERR_ARGUMENT);
  CHECK(std::string(admpi_last_error()).find("older than the innermost nest") != std::string::npos);
}

}  // namespace

TEST_CASE("test_sparse_drivers_refuse_patterns_that_do_not_hang_together") {
  const auto f = [](const auto &x) {
    using T = std::decay_t<decltype(x[0])>;
    return std::vector<T>{T(x[0] * x[1]), T(x[1] * x[1])};
  };
  const std::vector<double> x = {1.0, 2.0};
  const admpi::coloured_pattern good = admpi::sparsity(f, x);
  const auto says = [&](const admpi::coloured_pattern &p, const char *part) {
    std::string text;
    try {
      admpi::sparse_jacobian(f, x, p);
    } catch (const admpi::error &error) {
      text = error.what();
    }
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  admpi::coloured_pattern p = good;
  p.row_start[1] = 1000;
  says(p, "row_start[2]");
  p.row_start[1] = -1;
  says(p, "row_start[1] = -1");
  p = good;
  p.row_start.pop_back();
  says(p, "row_start has 2 numbers");
  p = good;
  p.column[0] = 7;
  says(p, "column[0] = 7");
  p = good;
  p.colour[0] = 9;
  says(p, "colour[0] = 9");
  p = good;
  p.colour.clear();
  says(p, "colour");
}
