// Matrices: construction, elements as scalars, views, assignments in every overlap, what outlives the tape.
#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::var;
using admpi::varmat;
using admpi::view;
using test::code_of;
using test::numbers;

namespace {

std::vector<double> counted(std::int64_t n, double from = 1.0) {
  std::vector<double> x(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), from);
  return x;
}

/// Passive scalars of the same values.
std::vector<var> numbers_of(const std::vector<var> &x) {
  std::vector<var> passive;
  for (const var &each : x) passive.emplace_back(each.value);
  return passive;
}

/// A recording tape.
struct recording : test::recording_tape {
  varmat input_matrix(std::int64_t rows, std::int64_t cols, double from = 1.0) {
    varmat a(rows, cols, counted(rows * cols, from).data());
    input(a);
    return a;
  }
  std::uint64_t recorded() const { return statistics().statements + statistics().events; }
  template <class Y>
  void sweep(const Y &y) {
    clear_adjoints();
    seed(y);
    reverse();
  }
};

}  // namespace

TEST_CASE("test_varmat_passive_without_a_tape") {
  varmat a(2, 3, counted(6).data());
  CHECK(a.rows() == 2);
  CHECK(a.cols() == 3);
  CHECK(a.values() == counted(6));
  CHECK(std::as_const(a)(1, 2).value == 6.0);
  CHECK(std::as_const(a)(3).value == 4.0);
  a(0, 1) = 7.0;
  a(1, 1) += 0.5;
  CHECK(a.col(1).values() == numbers{7.0, 4.5});
  CHECK(a.row(1).values() == numbers{2.0, 4.5, 6.0});
  const varmat b = a;
  a = 1.0;
  CHECK(b.values() == numbers{1.0, 2.0, 7.0, 4.5, 5.0, 6.0});
  CHECK(a.values() == numbers(6, 1.0));
  CHECK(varmat(2, 2).values() == numbers(4, 0.0));
  CHECK(varmat().size() == 0);
  CHECK(code_of([] { varmat(-1, 2); }) == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_varmat_elements_are_scalars") {
  recording tape;
  varmat a = tape.input_matrix(2, 2);
  const auto before = tape.recorded();
  const var x = a(0, 1), y(a(1, 0));
  var z = 0.0;
  z = a(1, 1);
  std::vector<var> all{a(0, 0), x};
  CHECK(tape.recorded() == before);
  CHECK(x.id == a.vars()[2].id);
  CHECK(y.id == a.vars()[1].id);
  CHECK(z.value == 4.0);
  const var s = a(0, 0) * x + sin(a(1, 0)) * a(1, 1) - fma(a(0, 0), 2.0, y) + max(a(0, 0), a(0, 1));
  CHECK(tape.statistics().statements == 1);
  tape.sweep(s);
  const numbers g = tape.adjoints(a);
  CHECK(g[0] == doctest::Approx(3.0 - 2.0));
  CHECK(g[1] == doctest::Approx(4.0 * std::cos(2.0) - 1.0));
  CHECK(g[2] == doctest::Approx(1.0 + 1.0));
  CHECK(g[3] == doctest::Approx(std::sin(2.0)));
}

TEST_CASE("test_varmat_elements_with_a_name_are_not_assigned_to") {
  // What would be a copy of a double must not write into the matrix.
  using element = decltype(std::declval<varmat &>()(0, 0));
  static_assert(std::is_assignable<element, var>::value && std::is_assignable<element, double>::value);
  // What is assigned to an element of a constant would be lost.
  using constant = decltype(std::declval<const varmat &>()(0, 0));
  using of_view = decltype(std::declval<const admpi::view &>()(0));
  static_assert(!std::is_assignable<constant, var>::value && !std::is_assignable<of_view, double>::value);
  static_assert(!std::is_assignable<element &, var>::value && !std::is_assignable<element &, double>::value &&
                !std::is_assignable<element &, element>::value);
  recording tape;
  varmat a = tape.input_matrix(2, 2);
  const var x = a(0, 1);
  const auto doubled = [](auto y) -> var { return y * 2.0; };
  CHECK(doubled(a(0, 1)).value == 2.0 * x.value);
  (a(0, 0) += x) *= 2.0;
  a(1, 0) = a(1, 1) = x;
  CHECK(a(0, 0).value == 2.0 * (1.0 + x.value));
  CHECK(a(1, 0).id == x.id);
  CHECK(a(1, 1).id == x.id);
}

TEST_CASE("test_varmat_filled_element_by_element") {
  recording tape;
  var x = 3.0;
  tape.input(x);
  varmat a(20, 10);
  const auto before = tape.statistics();
  for (std::int64_t j = 0; j < 10; ++j) {
    for (std::int64_t i = 0; i < 20; ++i) a(i, j) = x * static_cast<double>(i + 20 * j);
  }
  CHECK(tape.statistics().statements == before.statements + 200);
  CHECK(tape.statistics().events == before.events);
  var s = 0.0;
  for (std::int64_t k = 0; k < 200; ++k) s += std::as_const(a)(k);
  tape.sweep(s);
  CHECK(tape.adjoint(x) == 199.0 * 200.0 / 2.0);
}

TEST_CASE("test_varmat_assigned_columns_have_runs_of_ids") {
  test::recording_tape tape;
  varmat a(8, 4), b(8, 2);
  a = 2.0;
  b = 3.0;
  tape.input(a);
  tape.input(b);
  const std::vector<var> x = a.vars(), y = b.vars();
  a.col(0) = b.col(1);
  a.col(3) = 5.0;
  const auto by_runs = [&] { return (reinterpret_cast<std::uintptr_t>(a.handle()->block->ids) & 1) != 0; };
  CHECK(by_runs());
  const varmat &read = a;
  for (std::int64_t k = 0; k < a.size(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const var expected = k < 8 ? y[at + 8] : k < 24 ? x[at] : var(5.0);
    const admpi_var seen = admpi_view_get(a.parts(), k % 8, k / 8);
    for (const admpi_var &element : {static_cast<admpi_var>(read(k)), static_cast<admpi_var>(a(k % 8, k / 8)), seen}) {
      CHECK(element.value == expected.value);
      CHECK(element.id == expected.id);
      CHECK(element.tag == expected.tag);
    }
  }
  const var z = read(1, 0) * read(1, 1) * read(1, 3);
  const var s = sum(square(a));
  // Elements have an array, through which others are written.
  a(0, 0) = a(7, 2) * a(1, 0);
  CHECK(!by_runs());
  a(1, 0) = a(0, 0);
  const var t = sum(a.col(0));
  for (int sweep = 0; sweep < 2; ++sweep) {
    tape.clear_adjoints();
    tape.seed(z);
    tape.seed(s, 100.0);
    tape.seed(t, 10000.0);
    tape.reverse();
    for (std::size_t k = 0; k < 8; ++k) {
      CHECK(tape.adjoint(x[k]) == 0.0);
      CHECK(tape.adjoint(x[k + 8]) == 400.0 + (k == 1 ? 15.0 : 0.0));
      CHECK(tape.adjoint(x[k + 16]) == 400.0 + (k == 7 ? 60000.0 : 0.0));
      CHECK(tape.adjoint(y[k]) == 0.0);
      CHECK(tape.adjoint(y[k + 8]) == 600.0 + (k == 1 ? 10.0 + 40000.0 : k == 0 ? 0.0 : 10000.0));
    }
    CHECK(read(0, 0).value == 6.0);
  }
}

TEST_CASE("test_varmat_scalars_to_a_matrix_and_back_are_one_event") {
  recording tape;
  std::vector<var> x(6);
  for (std::size_t k = 0; k < 6; ++k) x[k] = 1.0 + static_cast<double>(k);
  tape.input(x);
  std::swap(x[1], x[4]);
  x[2] = 9.0;
  x[5] = x[0];
  const auto before = tape.recorded();
  const varmat a(3, 2, x.data());
  const std::vector<var> back = a.vars();
  CHECK(tape.recorded() == before + 1);
  for (std::size_t k = 1; k < 6; ++k) CHECK(back[k].id == back[0].id + k);
  for (const int width : {1, 4}) {
    tape.set_width(width);
    for (int k = 0; k < width; ++k) tape.seed(a, numbers{1.0, 2.0, 4.0, 8.0, 16.0, 32.0 * (k + 1)}, k);
    tape.reverse();
    for (int k = 0; k < width; ++k) {
      CHECK(tape.adjoint(x[0], k) == 1.0 + 32.0 * (k + 1));
      CHECK(tape.adjoint(x[1], k) == 2.0);
      CHECK(tape.adjoint(x[3], k) == 8.0);
      CHECK(tape.adjoint(x[4], k) == 16.0);
    }
  }
  const std::vector<var> constants(4, var(2.0));
  CHECK(varmat(2, 2, constants.data()).vars()[0].id == 0);
  CHECK(tape.recorded() == before + 1);
  tape.stop();
  CHECK(varmat(x).vars()[0].id == 0);
}

TEST_CASE("test_varmat_views") {
  recording tape;
  varmat a = tape.input_matrix(4, 3);
  const auto before = tape.recorded();
  CHECK(a.block(1, 1, 2, 2).values() == numbers{6.0, 7.0, 10.0, 11.0});
  CHECK(a.row(2).values() == numbers{3.0, 7.0, 11.0});
  CHECK(a.col(1).segment(1, 2).values() == numbers{6.0, 7.0});
  CHECK(a.row(1).segment(1, 2).values() == numbers{6.0, 10.0});
  CHECK(a.row(1).tail(1).values() == numbers{10.0});
  CHECK(a.col(2).head(2).values() == numbers{9.0, 10.0});
  CHECK(a.diagonal().values() == numbers{1.0, 6.0, 11.0});
  CHECK(a.col(0).every(3).values() == numbers{1.0, 4.0});
  CHECK(a.row(0).every(2).values() == numbers{1.0, 9.0});
  CHECK(a.transpose().col(1).values() == numbers{2.0, 6.0, 10.0});
  CHECK(a.transpose().block(1, 1, 2, 2).transpose().values() == a.block(1, 1, 2, 2).values());
  const view last = a.block(1, 1, 3, 2).transpose().row(1);
  CHECK(last.values() == numbers{10.0, 11.0, 12.0});
  CHECK(last(0, 2).id == a.vars()[11].id);
  a(2, 2) = a(0, 0);
  CHECK(last.values() == numbers{10.0, 1.0, 12.0});
  a = tape.input_matrix(4, 3, 101.0);
  CHECK(last.values() == numbers{110.0, 111.0, 112.0});
  CHECK(tape.recorded() == before);  // the inputs continue
  view first = a.col(0);
  a = varmat(1, 2);
  CHECK(code_of([&] { first.values(); }) == ADMPI_ERR_RANGE);
  a = varmat(2, 6, counted(12).data());
  a.reshape(3, 4);
  CHECK(a.row(0).values() == numbers{1.0, 4.0, 7.0, 10.0});
  CHECK(code_of([&] { a.reshape(3, 5); }) == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_varmat_parts_lie_within") {
  const varmat a(4, 3);
  for (const auto &part : {std::vector<int>{1, 0, 4, 1}, {0, 1, 1, 3}, {-1, 0, 1, 1}, {0, -1, 1, 1}, {0, 0, -1, 1}, {5, 0, 0, 1}}) {
    CHECK(code_of([&] { a.block(part[0], part[1], part[2], part[3]); }) == ADMPI_ERR_RANGE);
  }
  CHECK(code_of([&] { a.row(4); }) == ADMPI_ERR_RANGE);
  CHECK(code_of([&] { a.col(3); }) == ADMPI_ERR_RANGE);
  CHECK(code_of([&] { a.col(0).tail(5); }) == ADMPI_ERR_RANGE);
  CHECK(test::message([&] { a.segment(0, 2); }) == "segment: 4 x 3 elements are not a row or a column");
  CHECK(a.block(4, 3, 0, 0).size() == 0);
}

TEST_CASE("test_varmat_strides_and_other_shapes") {
  recording tape;
  varmat a = tape.input_matrix(4, 6);
  const auto before = tape.recorded();
  CHECK(a.every(2, 3).values() == numbers{1.0, 3.0, 13.0, 15.0});
  CHECK(a.every(3, 5).values() == numbers{1.0, 4.0, 21.0, 24.0});
  CHECK(a.block(1, 1, 3, 5).every(2, 2).values() == numbers{6.0, 8.0, 14.0, 16.0, 22.0, 24.0});
  const view wide = a.reshaped(2, 12), tall = a.reshaped(24, 1), middle = a.block(0, 2, 4, 2).reshaped(2, 4);
  CHECK(wide.col(3).values() == numbers{7.0, 8.0});
  CHECK(tall.segment(5, 2).values() == numbers{6.0, 7.0});
  CHECK(middle.row(1).values() == numbers{10.0, 12.0, 14.0, 16.0});
  // A row, and every second element of a column.
  CHECK(a.row(1).reshaped(3, 2).row(0).values() == numbers{2.0, 14.0});
  CHECK(a.col(2).every(2).reshaped(1, 2).values() == numbers{9.0, 11.0});
  a(1, 2) = a(0, 0);
  CHECK(middle(1, 0).id == a(0, 0).id);
  a = tape.input_matrix(4, 6, 101.0);
  CHECK(wide.col(3).values() == numbers{107.0, 108.0});
  CHECK(tape.recorded() == before);
  CHECK(code_of([&] { a.block(0, 0, 3, 2).reshaped(2, 3); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { a.reshaped(5, 5); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { a.col(0).every(0); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { a.every(1, -1); }) == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_varmat_a_view_keeps_its_matrix") {
  recording tape;
  const view v = tape.input_matrix(2, 2).row(1);
  const view w = v;
  CHECK(w.values() == numbers{2.0, 4.0});
}

TEST_CASE("test_varmat_whole_assignment") {
  recording tape;
  varmat a = tape.input_matrix(2, 1), b = tape.input_matrix(2, 1, 5.0);
  const auto before = tape.recorded();
  varmat c = a;
  a = b;
  b = c;
  CHECK(a.values() == numbers{5.0, 6.0});
  CHECK(b.values() == numbers{1.0, 2.0});
  b = std::move(a);
  a = c;
  CHECK(a.values() == numbers{1.0, 2.0});
  varmat d = std::move(a);
  a = b;
  CHECK(a.values() == numbers{5.0, 6.0});
  const varmat &same = d;
  d = same;
  CHECK(d.values() == numbers{1.0, 2.0});
  d = b.row(1);
  CHECK(d.rows() == 1);
  CHECK(d(0).id == b(1).id);
  CHECK(tape.recorded() == before);
  std::vector<varmat> many(3, b);
  many.push_back(a);
  many.erase(many.begin());
  many[0](0) = 8.0;
  CHECK(many[1].values() == numbers{5.0, 6.0});
}

TEST_CASE("test_varmat_swap_exchanges_matrices_with_their_views") {
  recording tape;
  varmat a = tape.input_matrix(2, 1), b = tape.input_matrix(3, 1, 5.0);
  const view of_a = a, of_b = b;
  const auto before = tape.recorded();
  std::swap(a, b);
  CHECK(a.values() == numbers{5.0, 6.0, 7.0});
  CHECK(b.values() == numbers{1.0, 2.0});
  CHECK(of_a.values() == b.values());
  CHECK(of_b.values() == a.values());
  a(1) = b(0);
  b.all() = numbers{8.0, 9.0};
  CHECK(of_b.values() == numbers{5.0, 1.0, 7.0});
  CHECK(of_a.values() == numbers{8.0, 9.0});
  std::swap(a, a);
  CHECK(of_b.values() == a.values());
  CHECK(tape.recorded() == before);
}

TEST_CASE("test_varmat_swap_of_parts_exchanges_their_elements") {
  recording tape;
  varmat a = tape.input_matrix(2, 2), b = tape.input_matrix(2, 1, 5.0);
  const std::vector<var> of_a = a.vars(), of_b = b.vars();
  const auto before = tape.recorded();
  view row = a.row(0), column = b.all();
  view turned = column.transpose();
  std::swap(row, turned);
  CHECK(a.values() == numbers{5.0, 2.0, 6.0, 4.0});
  CHECK(b.values() == numbers{1.0, 3.0});
  CHECK(a(0, 1).id == of_b[1].id);
  CHECK(b(0).id == of_a[0].id);
  using std::swap;
  swap(row, turned);
  CHECK(a.values() == numbers{1.0, 2.0, 3.0, 4.0});
  swap(a.col(0), a.col(1));
  CHECK(a(0, 0).id == of_a[2].id);
  CHECK(a(1, 1).id == of_a[1].id);
  std::swap(row, row);
  CHECK(a.values() == numbers{3.0, 4.0, 1.0, 2.0});
  CHECK(code_of([&] { std::swap(row, column); }) == ADMPI_ERR_ARGUMENT);
  CHECK(a.values() == numbers{3.0, 4.0, 1.0, 2.0});
  CHECK(b(0).id == of_b[0].id);
  CHECK(tape.recorded() == before);
}

TEST_CASE("test_varmat_moved_from_has_no_elements") {
  varmat a(2, 1, counted(2).data());
  const view of_a = a;
  varmat b = std::move(a);
  CHECK(a.rows() == 0);
  CHECK(a.cols() == 0);
  CHECK(a.values().empty());
  a = 3.0;
  a.all() = numbers{};
  CHECK(a.size() == 0);
  const varmat copy = a;
  CHECK(copy.size() == 0);
  CHECK(sum(a).value == 0.0);
  CHECK(varmat(a + 1.0).size() == 0);
  CHECK(code_of([&] { a.row(0); }) == ADMPI_ERR_RANGE);
  CHECK(code_of([&] { normal_lpdf(a, 0.0, 1.0); }) == 0);
  CHECK(of_a.values() == b.values());
  view of_empty = a;
  a = b;
  CHECK(a.values() == b.values());
  CHECK(code_of([&] { of_empty = 1.0; }) == 0);
  varmat c = std::move(b);
  b = varmat(1, 1, counted(1).data());
  CHECK(b.values() == counted(1));
  CHECK(c.values() == counted(2));
  std::vector<varmat> some(2);
  some[1] = c;
  some.insert(some.begin(), a);
  std::swap(some[0], some[1]);
  CHECK(some[0].size() == 0);
  CHECK(some[1].values() == counted(2));
}

TEST_CASE("test_varmat_of_more_elements_than_memory") {
  const std::int64_t most = std::int64_t{1} << 62;
  const auto refused = [](auto f) { return test::message<admpi::memory_error>(f); };
  CHECK(refused([] { varmat(std::int64_t{1} << 50, 1); }) == "no memory for 1125899906842624 x 1 elements of 8 bytes");
  CHECK(refused([&] { varmat(most, 2); }) == "no memory for 4611686018427387904 x 2 elements of 8 bytes");
  CHECK(code_of([&] { varmat(most, 8); }) == ADMPI_ERR_ARGUMENT);
  const varmat flat(std::int64_t{1} << 31, 0);
  CHECK(refused([&] { tcrossprod(flat); }) == "no memory for 2147483648 x 2147483648 elements of 8 bytes");
  CHECK(refused([&] { multiply(flat, flat.transpose()); }) == "no memory for 2147483648 x 2147483648 elements of 8 bytes");
  // Nothing of a shape is past 2^63 unnoticed.
  varmat a(4, 1);
  CHECK(code_of([&] { a.reshaped(most, 4); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { a.reshape(most, 4); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { varmat(most, 0).reshaped(most, 4); }) == ADMPI_ERR_ARGUMENT);
  CHECK(varmat(most, 0).every(2).reshaped(most, 0).rows() == most);
  const std::int64_t step = std::numeric_limits<std::int64_t>::max();
  CHECK(a.every(step).rows() == 1);
  CHECK(a.every(step, step).values() == numbers{0.0});
  CHECK(a.transpose().every(step).size() == 1);
  CHECK(varmat(0, 2).every(step).rows() == 0);
  const varmat tall(most, 0);
  CHECK(code_of([&] { admpi::vcat({tall, tall}); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { admpi::hcat({tall.transpose(), tall.transpose()}); }) == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_varmat_scatter_writes_all_or_nothing") {
  std::vector<var> x{5.0, 6.0, 7.0};
  {
    recording tape;
    tape.input(x[2]);
  }
  varmat a(3, 1, counted(3).data());
  CHECK(code_of([&] { a.scatter({0, 1, 2}, x); }) == ADMPI_ERR_NO_TAPE);
  CHECK(code_of([&] { a.scatter({0, 1, 3}, numbers_of(x)); }) == ADMPI_ERR_RANGE);
  CHECK(a.values() == counted(3));
  a.scatter({2, 0, 2}, numbers_of(x));
  CHECK(a.values() == numbers{6.0, 2.0, 7.0});
  recording tape;
  varmat b = tape.input_matrix(2, 2);
  const varmat copy = b;
  const var y = b(1, 1) * 2.0;
  b.transpose().row(1).scatter({1, 0}, {y, b(0, 0)});
  CHECK(b.values() == numbers{1.0, 2.0, 1.0, 8.0});
  CHECK(b(1, 1).id == y.id);
  CHECK(copy.values() == counted(4));
  varmat one(1, 1);
  one.scatter({0, 0}, {y, b(0, 0)});
  CHECK(one(0).id == b(0, 0).id);
}

TEST_CASE("test_varmat_swaps_and_overlaps") {
  recording tape;
  varmat a = tape.input_matrix(5, 1);
  const std::vector<var> x = a.vars();
  const auto ids = [&](const view &v) {
    std::vector<int> k;
    for (const var &y : v.vars()) k.push_back(static_cast<int>(y.id - x[0].id));
    return k;
  };
  using order = std::vector<int>;
  const auto before = tape.recorded();
  varmat b = a;
  const var t = b(0);
  b(0) = b(1);
  b(1) = t;
  CHECK(ids(b) == order{1, 0, 2, 3, 4});
  b.head(4) = b.tail(4);
  CHECK(ids(b) == order{0, 2, 3, 4, 4});
  b = a;
  b.tail(4) = b.head(4);
  CHECK(ids(b) == order{0, 0, 1, 2, 3});
  b = a;
  b.every(2) = b.head(3);
  CHECK(ids(b) == order{0, 1, 1, 3, 2});
  b.all() = a;
  CHECK(ids(b) == order{0, 1, 2, 3, 4});
  CHECK(ids(a) == order{0, 1, 2, 3, 4});
  varmat c = tape.input_matrix(2, 2);
  const auto last = c.vars();
  c.all() = c.transpose();
  CHECK(c(0, 1).id == last[1].id);
  CHECK(c(1, 0).id == last[2].id);
  CHECK(tape.recorded() == before);
  CHECK(code_of([&] { c.col(0) = a; }) == ADMPI_ERR_ARGUMENT);
  c.col(0) = std::vector<var>{x[4], var(3.0)};
  c.col(1) = numbers{7.0, 8.0};
  CHECK(c.values() == numbers{5.0, 3.0, 7.0, 8.0});
  CHECK(c(0, 0).id == x[4].id);
  CHECK(c(0, 1).id == 0);
  CHECK(code_of([&] { c.col(1) = numbers{1.0}; }) == ADMPI_ERR_ARGUMENT);
  c.row(1) = x[2];
  CHECK(c.values() == numbers{5.0, 3.0, 7.0, 3.0});
  CHECK(c(1, 1).id == x[2].id);
  c.row(0) = c(1, 0);
  CHECK(c(0, 1).id == x[2].id);
  c = x[3] * 2.0;
  CHECK(c.values() == numbers(4, 8.0));
  tape.sweep(c(0, 0) + c(1, 1));
  CHECK(tape.adjoint(x[3]) == 4.0);
}

TEST_CASE("test_varmat_compact") {
  recording tape;
  varmat a = tape.input_matrix(3, 1);
  const std::vector<var> x = a.vars();
  auto before = tape.recorded();
  a.compact();
  CHECK(tape.recorded() == before);
  a(0) = x[2] * x[2];
  a(1) = 5.0;
  before = tape.recorded();
  a.compact();
  CHECK(tape.recorded() == before + 1);
  const auto y = a.vars();
  CHECK(y[1].id == y[0].id + 1);
  CHECK(y[2].id == y[0].id + 2);
  CHECK(a.values() == numbers{9.0, 5.0, 3.0});
  tape.sweep(a);
  CHECK(tape.adjoints(varmat(x)) == numbers(3, 0.0));
  CHECK(tape.adjoint(x[2]) == 7.0);
  CHECK(tape.adjoint(x[0]) == 0.0);
}

TEST_CASE("test_varmat_nests_and_resets") {
  recording tape;
  varmat a = tape.input_matrix(2, 1), fresh;
  const auto x = a.vars();
  {
    admpi::nested nest;
    a(0) = a(0) * a(1);
    fresh = a;
    CHECK(a(0).value == 2.0);
    a.all() = numbers{8.0, 9.0};
    a(1) = a(0);
  }
  CHECK(a.values() == numbers{1.0, 2.0});
  CHECK(a(0).id == x[0].id);
  const admpi::position here = tape.position();
  a(1) = a(0) + 1.5;
  varmat b = tape.input_matrix(1, 1);
  tape.reset_to(here);
  CHECK(a(1).id == x[1].id);
  CHECK(b.values() == numbers{1.0});
  CHECK(code_of([&] { tape.seed(b); }) == ADMPI_ERR_STALE);
  // A statement with a stale element is found, checked or not.
  CHECK(code_of([&] {
          const var y = x[0] * b(0);
          tape.seed(y);
          tape.reverse();
        }) == ADMPI_ERR_STALE);
  tape.reset();
  CHECK(a.values() == numbers{1.0, 2.0});
  CHECK(code_of([&] { a(0) = 1.0; }) == ADMPI_ERR_STALE);
  a = 3.0;
  tape.input(a);
  tape.sweep(a);
  CHECK(tape.adjoints(a) == numbers{1.0, 1.0});
}

TEST_CASE("test_varmat_outlives_its_tape") {
  varmat a;
  {
    recording tape;
    a = tape.input_matrix(2, 2);
    a(0, 0) = 8.0;
  }
  CHECK(a.values() == numbers{8.0, 2.0, 3.0, 4.0});
  CHECK(code_of([&] { a(0, 0) = 1.0; }) == ADMPI_ERR_STALE);
  a.all() = numbers{1.0, 1.0, 1.0, 1.0};
  a(0, 0) = 2.0;
  CHECK(a.values() == numbers{2.0, 1.0, 1.0, 1.0});
}

TEST_CASE("test_varmat_of_another_tape") {
  recording outer;
  varmat a = outer.input_matrix(2, 1);
  {
    recording inner;
    CHECK(code_of([&] { a(0) = 1.0; }) == ADMPI_ERR_STALE);
    CHECK(code_of([&] { inner.seed(a); }) == ADMPI_ERR_STALE);
    varmat copy = a;
    inner.input(copy);
    inner.sweep(copy);
    CHECK(inner.adjoints(copy) == numbers{1.0, 1.0});
  }
  a(0) = a(1);
  CHECK(a(0).value == 2.0);
}

TEST_CASE("test_varmat_no_assignment_in_the_middle_of_a_sweep") {
  recording tape;
  varmat a(2, 1);
  var x = 2.0;
  tape.input(x);
  a(0) = x * x;  // written in place, from here on
  int code = 0, nested = 0;
  const std::vector<var> in{x};
  const std::vector<var> y = tape.callback(in, {3.0}, [&](const admpi::callback_adjoints &s) {
    code = code_of([&] { a(1) = x; });
    nested = code_of([&] {
      admpi::nested nest;
      a(1) = x;
    });
    s.in(0) = s.out(0);
  });
  tape.sweep(y[0]);
  CHECK(code == ADMPI_ERR_NEST);
  CHECK(nested == 0);
  CHECK(a.values() == numbers{4.0, 0.0});
  a(1) = y[0];
  CHECK(a.values() == numbers{4.0, 3.0});
}

TEST_CASE("test_varmat_seeds_and_adjoints") {
  recording tape;
  varmat a = tape.input_matrix(2, 2);
  tape.set_width(2);
  tape.seed(a.row(1), 2.0, 1);
  tape.seed(a.col(0), numbers{10.0, 20.0}, 1);
  CHECK(tape.adjoints(a, 1) == numbers{10.0, 22.0, 0.0, 2.0});
  CHECK(tape.adjoints(a, 0) == numbers(4, 0.0));
  CHECK(code_of([&] { tape.seed(a, numbers{1.0}); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([&] { tape.adjoints(a, 2); }) == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_varmat_rows_in_braces") {
  recording tape;
  const std::uint64_t events = tape.statistics().events;
  const varmat passive{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  CHECK(passive.rows() == 2);
  CHECK(passive.cols() == 3);
  CHECK(passive.values() == numbers{1.0, 4.0, 2.0, 5.0, 3.0, 6.0});
  CHECK(std::as_const(passive)(0, 0).id == 0);
  CHECK(tape.statistics().events == events);
  var x = 3.0;
  tape.input(x);
  const varmat a = {{1, x}, {x * x, 2.5}};
  CHECK(a.values() == numbers{1.0, 9.0, 3.0, 2.5});
  tape.seed(a, numbers{1.0, 10.0, 100.0, 1000.0});
  tape.reverse();
  CHECK(tape.adjoint(x) == 160.0);
  CHECK(varmat{{1.0}, {2.0}}.rows() == 2);
  CHECK(varmat{{1.0, 2.0}}.cols() == 2);
  CHECK(varmat{2, 3}.size() == 6);
  CHECK(varmat{2, 3, 0.5}.values() == numbers(6, 0.5));
  CHECK(varmat{}.size() == 0);
  CHECK_THROWS_WITH_AS((varmat{{1.0, 2.0}, {3.0}}), "varmat: row 1 has 1 elements, row 0 has 2", admpi::argument_error);
}

TEST_CASE("test_varmat_elements_in_turn") {
  recording tape;
  varmat a = tape.input_matrix(2, 3);
  var sum = 0.0, weighted = 0.0;
  for (const var &x : a) sum += x;
  std::int64_t k = 0;
  for (auto x : a.row(1)) weighted += static_cast<double>(++k) * x;
  const view column = a.col(2);
  sum += std::accumulate(column.begin(), column.end(), var(0.0));
  CHECK(sum.value == 21.0 + 11.0);
  CHECK(weighted.value == 2.0 + 8.0 + 18.0);
  CHECK(std::vector<var>(a.begin(), a.end())[4].value == 5.0);
  tape.seed(sum);
  tape.seed(weighted, 10.0);
  tape.reverse();
  CHECK(tape.adjoints(a) == numbers{1.0, 11.0, 1.0, 21.0, 2.0, 32.0});
  CHECK(admpi::derivative(a) == numbers{1.0, 11.0, 1.0, 21.0, 2.0, 32.0});
  // What is assigned in a loop would be lost, and what is assigned by a place is not.
  static_assert(!std::is_assignable_v<decltype(*a.begin()), double>);
  a[1] = a[5] + 0.5;
  a.row(0)[2] = -1.0;
  CHECK(a.values() == numbers{1.0, 6.5, 3.0, 4.0, -1.0, 6.0});
  CHECK(std::as_const(a)[1].value == 6.5);
}

TEST_CASE("test_varmat_functions_as_members") {
  recording tape;
  const varmat a = tape.input_matrix(2, 3);
  CHECK(a.sum().value == 21.0);
  CHECK(a.col(1).sum().value == 7.0);
  CHECK((2.0 * a + 1.0).sum().value == 48.0);
  CHECK(a.mean().value == 3.5);
  CHECK(a.variance().value == doctest::Approx(3.5));
  CHECK(a.row(0).norm2().value == doctest::Approx(std::sqrt(35.0)));
  CHECK(a.dot(square(a)).value == 441.0);
  std::int64_t place = 0;
  CHECK((-a).max_element(&place).value == -1.0);
  CHECK(place == 0);
  CHECK(a.min_element().value == 1.0);
  admpi::set_derivative(a.col(2), numbers{3.0, 4.0});
  admpi::set_derivative(a.col(1), 2.0);
  tape.seed(a.dot(a));
  tape.reverse();
  CHECK(tape.adjoints(a) == numbers{2.0, 4.0, 8.0, 10.0, 13.0, 16.0});
}

TEST_CASE("test_varmat_extremes_and_bounds_in_namespace_std") {
  using namespace std;  // as programs do: std's templates are in sight then
  recording tape;
  const varmat a = tape.input_matrix(2, 2), b{{3.0, 0.0}, {9.0, 4.0}};
  CHECK(varmat(max(a, b)).values() == numbers{3.0, 9.0, 3.0, 4.0});
  CHECK(varmat(std::min(a, b)).values() == numbers{1.0, 2.0, 0.0, 4.0});
  CHECK(varmat(std::max(a.col(0), b.col(1))).values() == numbers{1.0, 4.0});
  CHECK(varmat(std::max(a.col(0), varmat{{5.0}, {0.0}})).values() == numbers{5.0, 2.0});
  CHECK(varmat(std::max(a, 2.5)).values() == numbers{2.5, 2.5, 3.0, 4.0});
  CHECK(varmat(std::min(2.5, a - 1.0)).values() == numbers{0.0, 1.0, 2.0, 2.5});
  const varmat y = std::clamp(a, 1.5, b);
  CHECK(y.values() == numbers{1.5, 2.0, 0.0, 4.0});
  tape.seed(y, numbers{1.0, 10.0, 100.0, 1000.0});
  tape.reverse();
  CHECK(tape.adjoints(a) == numbers{0.0, 10.0, 0.0, 1000.0});
}

TEST_CASE("test_varmat_streams") {
  recording tape;
  varmat a = tape.input_matrix(2, 3);
  const std::uint64_t events = tape.statistics().events;
  std::ostringstream out;
  out << a << '|' << a.col(1) << '|' << a.row(0) * 2.0 << '|' << varmat() << '|' << std::setw(3) << a.block(0, 0, 2, 2);
  CHECK(out.str() == "1 3 5\n2 4 6|3\n4|2 6 10||  1   3\n  2   4");
  CHECK(tape.statistics().events == events);
  CHECK(admpi::current_tape().recording());
  std::istringstream in("0.5 7");
  in >> a(0, 1) >> a(1, 2);
  CHECK(a.values() == numbers{1.0, 2.0, 0.5, 4.0, 5.0, 7.0});
}
