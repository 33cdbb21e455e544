// Users' operations on matrices, linear solves by routines of the user's, and fixed points.
#include <admpi.hpp>

#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::apply_operation;
using admpi::argument;
using admpi::operation_call;
using admpi::var;
using admpi::varmat;
using admpi::view;
using test::close;
using test::message;
using test::numbers;

namespace {

void check_close(const numbers &got, const numbers &expected, double digits = 1e-13) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(close(got[k], expected[k], digits));
  }
}

numbers some(std::int64_t n, double by) {
  numbers x;
  for (std::int64_t k = 0; k < n; ++k) x.push_back(std::sin(by * static_cast<double>(k + 1)));
  return x;
}

/// Of A (m x n), x (n x 1) and a scalar s: y = s A x and q = sum of x^2, in one pass.
struct scaled_product {
  std::shared_ptr<int> alive;
  std::vector<bool> *asked = nullptr;

  void forward(const operation_call &call) const {
    const auto &a = call.operand(0);
    const auto &x = call.operand(1);
    const double s = call.operand(2).value[0];
    double *y = call.result(0).value;
    for (std::int64_t j = 0; j < a.cols; ++j) {
      for (std::int64_t i = 0; i < a.rows; ++i) y[i] += s * a.value[i + j * a.rows] * x.value[j];
      call.result(1).value[0] += x.value[j] * x.value[j];
    }
  }

  void reverse(const operation_call &call) const {
    const auto &a = call.operand(0);
    const auto &x = call.operand(1);
    const auto &s = call.operand(2);
    const double *w = call.result(0).adjoint;
    if (asked != nullptr) {
      asked->clear();
      for (std::int64_t k = 0; k < call.operands(); ++k) asked->push_back(call.operand(k).adjoint != nullptr);
    }
    for (std::int64_t j = 0; j < a.cols; ++j) {
      for (std::int64_t i = 0; i < a.rows; ++i) {
        const std::int64_t k = i + j * a.rows;
        if (a.adjoint != nullptr) a.adjoint[k] += s.value[0] * x.value[j] * w[i];
        if (x.adjoint != nullptr) x.adjoint[j] += s.value[0] * a.value[k] * w[i];
      }
      if (x.adjoint != nullptr) x.adjoint[j] += 2.0 * x.value[j] * call.result(1).adjoint[0];
    }
    // From the values of the result, which are what they were.
    if (s.adjoint == nullptr) return;
    for (std::int64_t i = 0; i < a.rows; ++i) s.adjoint[0] += call.result(0).value[i] / s.value[0] * w[i];
  }
};

std::vector<varmat> by_scalars(const view &a, const view &x, const var &s) {
  varmat y(a.rows(), 1);
  var q = 0.0;
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    var sum = 0.0;
    for (std::int64_t j = 0; j < a.cols(); ++j) sum += a(i, j) * x(j);
    y(i) = s * sum;
  }
  for (std::int64_t j = 0; j < a.cols(); ++j) q += x(j) * x(j);
  return {y, varmat(std::vector<var>{q})};
}

}  // namespace

TEST_CASE("test_operations_agree_with_scalars_in_all_mixes") {
  for (unsigned mask = 0; mask < 8; ++mask) {
    CAPTURE(mask);
    std::vector<bool> asked;
    const auto alive = std::make_shared<int>(0);
    test::recording_tape tape;
    varmat a(3, 2, some(6, 1.3).data()), x(2, 1, some(2, 0.7).data());
    var s = 1.5;
    if ((mask & 1) != 0) tape.input(a);
    if ((mask & 2) != 0) tape.input(x);
    if ((mask & 4) != 0) tape.input(s);
    const std::uint64_t statements = tape.statistics().statements;
    std::vector<varmat> got = apply_operation(scaled_product{alive, &asked}, {a, x, s}, {{3, 1}, {1, 1}});
    CHECK(tape.statistics().statements == statements);
    const std::vector<varmat> expected = by_scalars(a, x, s);
    CHECK(alive.use_count() == (mask == 0 ? 1 : 2));
    CHECK((got[0](0).id != 0) == (mask != 0));
    const numbers weights = some(3, 2.9);
    const auto gradient = [&](const std::vector<varmat> &of) {
      tape.clear_adjoints();
      tape.seed(of[0], weights);
      tape.seed(of[1], 0.7);
      tape.reverse();
      numbers all = tape.adjoints(a), of_x = tape.adjoints(x);
      all.insert(all.end(), of_x.begin(), of_x.end());
      all.push_back(s.id == 0 ? 0.0 : tape.adjoint(s));
      return all;
    };
    for (std::size_t k = 0; k < 2; ++k) check_close(got[k].values(), expected[k].values());
    const numbers once = gradient(got);
    check_close(once, gradient(expected));
    if (mask != 0) CHECK(asked == std::vector<bool>{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0});
    tape.reset();
    CHECK(alive.use_count() == 1);
  }
}

TEST_CASE("test_operations_of_matrices_that_are_overwritten_afterwards") {
  test::recording_tape tape;
  varmat a(3, 2, some(6, 1.3).data()), x(2, 1, some(2, 0.7).data());
  var s = 1.5;
  tape.input(a);
  tape.input(x);
  tape.input(s);
  std::vector<varmat> got = apply_operation(scaled_product{}, {a, x, s}, {{3, 1}, {1, 1}});
  const std::vector<var> expected = by_scalars(a, x, s)[0].vars(), of_a = a.vars(), of_x = x.vars(), of_y = got[0].vars();
  a(1, 1) = 100.0;
  x(0) = -50.0;
  got[0](2) = 7.0;
  const auto gradient = [&](const std::vector<var> &y) {
    tape.clear_adjoints();
    for (std::size_t k = 0; k < 3; ++k) tape.seed(y[k], 1.0 + static_cast<double>(k));
    tape.reverse();
    numbers all{tape.adjoint(s)};
    for (const std::vector<var> *of : {&of_a, &of_x}) {
      for (const var &each : *of) all.push_back(tape.adjoint(each));
    }
    return all;
  };
  const numbers once = gradient(of_y);
  check_close(once, gradient(expected));
  CHECK(gradient(of_y) == once);
  CHECK(got[0](2).value == 7.0);
  CHECK(a(1, 1).value == 100.0);
}

/// y = s x, of a matrix x that it assigns to before it reads its operands.
struct careless {
  varmat *x;
  bool whole;
  void forward(const operation_call &call) const {
    if (whole) *x = varmat(4, 4);
    else (*x)(0) = -1.0;
    for (std::int64_t i = 0; i < 3; ++i) call.result(0).value[i] = call.operand(1).value[0] * call.operand(0).value[i];
  }
  void reverse(const operation_call &call) const {
    for (std::int64_t i = 0; i < 3; ++i)
      call.operand(1).adjoint[0] += call.operand(0).value[i] * call.result(0).adjoint[i];
  }
};

TEST_CASE("test_operations_that_assign_to_their_operands") {
  for (const bool whole : {false, true}) {
    CAPTURE(whole);
    test::recording_tape tape;
    const numbers values{2.0, 3.0, 4.0};
    varmat x(3, 1, values.data());
    var s = 5.0;
    tape.input(s);
    const varmat y = apply_operation(careless{&x, whole}, {x, s}, {{3, 1}})[0];
    CHECK(y.values() == numbers{10.0, 15.0, 20.0});
    tape.seed(sum(y));
    tape.reverse();
    CHECK(tape.adjoint(s) == 9.0);
  }
}

TEST_CASE("test_operations_of_parts_in_directions") {
  test::recording_tape tape;
  tape.set_width(4);
  varmat all(4, 4, some(16, 0.9).data());
  tape.input(all);
  all(3, 3) = all(0, 0);  // listed ids, one of them twice
  // Rows of a transposed part, and the same elements in two operands.
  const view a = all.block(1, 0, 2, 4).transpose().block(0, 0, 3, 2), x = all.diagonal().segment(2, 2);
  const std::vector<varmat> got = apply_operation(scaled_product{}, {a, x, all(0, 0)}, {{3, 1}, {1, 1}});
  const std::vector<varmat> expected = by_scalars(a, x, all(0, 0));
  const auto gradient = [&](const std::vector<varmat> &of, int direction) {
    tape.clear_adjoints();
    for (int k = 0; k < 4; ++k) {
      tape.seed(of[0], some(3, 0.3 + k), k);
      tape.seed(of[1], 1.0 - k, k);
    }
    tape.reverse();
    return tape.adjoints(all, direction);
  };
  for (int direction = 0; direction < 4; ++direction) check_close(gradient(got, direction), gradient(expected, direction));
}

TEST_CASE("test_operations_without_a_recording") {
  const auto alive = std::make_shared<int>(0);
  const varmat a(3, 2, some(6, 1.3).data()), x(2, 1, some(2, 0.7).data());
  const std::vector<varmat> y = apply_operation(scaled_product{alive}, {a, x, 2.0}, {{3, 1}, {1, 1}});
  check_close(y[0].values(), by_scalars(a, x, 2.0)[0].values());
  CHECK(alive.use_count() == 1);
  test::recording_tape tape;
  varmat b = a;
  tape.input(b);
  {
    const admpi::passive section;
    CHECK(apply_operation(scaled_product{alive}, {b, x, 2.0}, {{3, 1}, {1, 1}})[0](0).id == 0);
    CHECK(alive.use_count() == 1);
  }
  // No results, no operands.
  struct nothing {
    void forward(const operation_call &call) const { CHECK(call.operands() + call.results() == 0); }
    void reverse(const operation_call &) const {}
  };
  CHECK(apply_operation(nothing{}, {}, {}).empty());
}

TEST_CASE("test_operations_in_nests") {
  const auto alive = std::make_shared<int>(0);
  test::recording_tape tape;
  varmat a(3, 2, some(6, 1.3).data()), x(2, 1, some(2, 0.7).data());
  tape.input(a);
  {
    admpi::nested nest(ADMPI_NEST_ISOLATED);
    tape.input(x);
    const std::vector<varmat> y = apply_operation(scaled_product{alive}, {a, x, 2.0}, {{3, 1}, {1, 1}});
    tape.seed(y[1]);
    tape.seed(y[0]);
    tape.reverse();
    CHECK(tape.adjoints(a) == numbers(6, 0.0));
    CHECK(tape.adjoint(x(0)) != 0.0);
    CHECK(alive.use_count() == 2);
  }
  CHECK(alive.use_count() == 1);
}

namespace {

/// y = sin(x) whose reverse records the sine in a nest of the same tape.
struct nested_sine {
  int *fail = nullptr;
  void forward(const operation_call &call) const {
    if (fail != nullptr && *fail == 1) throw std::runtime_error("forward fails");
    const auto &x = call.operand(0);
    for (std::int64_t k = 0; k < x.rows; ++k) call.result(0).value[k] = std::sin(x.value[k]);
  }
  void reverse(const operation_call &call) const {
    if (fail != nullptr && *fail == 2) throw std::runtime_error("reverse fails");
    const auto &x = call.operand(0);
    admpi::nested nest;
    varmat inner(x.rows, 1, x.value);
    admpi::tape_ref tape = admpi::current_tape();
    tape.start();
    tape.input(inner);
    tape.seed(varmat(sin(inner)), numbers(call.result(0).adjoint, call.result(0).adjoint + x.rows));
    tape.reverse();
    const numbers adjoint = tape.adjoints(inner);
    std::copy(adjoint.begin(), adjoint.end(), x.adjoint);
  }
};

}  // namespace

TEST_CASE("test_operations_may_record_nests_in_the_sweep") {
  test::recording_tape tape;
  varmat x(3, 1, some(3, 1.1).data());
  tape.input(x);
  const varmat y = apply_operation(nested_sine{}, {2.0 * x}, {{3, 1}})[0];
  const varmat z = apply_operation(nested_sine{}, {y}, {{3, 1}})[0];
  for (int sweep = 1; sweep <= 2; ++sweep) {
    tape.seed(z);
    tape.reverse();
    const numbers values = x.values();
    for (std::size_t k = 0; k < 3; ++k) {
      const double u = 2.0 * values[k];
      CHECK(close(tape.adjoints(x)[k], sweep * 2.0 * std::cos(u) * std::cos(std::sin(u))));
    }
  }
}

TEST_CASE("test_operations_exceptions_come_out") {
  int fail = 1;
  test::recording_tape tape;
  varmat x(3, 1, some(3, 1.1).data());
  tape.input(x);
  const std::uint64_t events = tape.statistics().events;
  CHECK(message<std::runtime_error>([&] { apply_operation(nested_sine{&fail}, {x}, {{3, 1}}); }) == "forward fails");
  CHECK(tape.statistics().events == events);
  fail = 0;
  const varmat y = apply_operation(nested_sine{&fail}, {x}, {{3, 1}})[0];
  tape.seed(y);
  fail = 2;
  CHECK(message<std::runtime_error>([&] { tape.reverse(); }) == "reverse fails");
  fail = 0;
  tape.clear_adjoints();
  tape.seed(y);
  tape.reverse();
  CHECK(close(tape.adjoint(x(1)), std::cos(x(1).value)));
}

namespace {

int destroyed;

void destroy(void *) { ++destroyed; }
std::int32_t fails(const admpi_operation_call *) { return 7; }
std::int32_t doubles(const admpi_operation_call *call) {
  call->result[0].value[0] = 2.0 * call->operand[0].value[0];
  return 0;
}
std::int32_t reverse_doubles(const admpi_operation_call *call) {
  call->operand[0].adjoint[0] = 2.0 * call->result[0].adjoint[0];
  return 0;
}
std::int32_t resets(const admpi_operation_call *) { return admpi_tape_reset(admpi_tls_tape); }

}  // namespace

TEST_CASE("test_operations_by_the_c_interface") {
  test::recording_tape tape;
  var x = 3.0;
  tape.input(x);
  const admpi_operand operand = admpi_operand_scalar(x);
  const std::int64_t one[2] = {1, 1};
  admpi_varmat *y = nullptr;
  admpi_operation operation{sizeof operation, &doubles, &reverse_doubles, &destroy};
  destroyed = 0;
  const auto apply = [&] { return admpi_operation_apply(&operation, nullptr, &operand, 1, one, 1, &y); };
  REQUIRE(apply() == ADMPI_SUCCESS);
  CHECK(destroyed == 0);
  {
    const varmat made(y);
    CHECK(made(0).value == 6.0);
    tape.seed(made(0), 5.0);
  }
  tape.reverse();
  CHECK(tape.adjoint(x) == 10.0);

  // Every error but the first two destroys the data.
  y = nullptr;
  CHECK(admpi_operation_apply(nullptr, nullptr, &operand, 1, one, 1, &y) == ADMPI_ERR_NULL);
  CHECK(std::string(admpi_last_error()) == "operation is NULL");
  operation.size = 8;
  CHECK(apply() == ADMPI_ERR_ARGUMENT);
  CHECK(std::string(admpi_last_error()) == "operation.size = 8 is less than 32");
  operation.size = sizeof operation;
  CHECK(destroyed == 0);
  operation.reverse = nullptr;
  CHECK(apply() == ADMPI_ERR_NULL);
  CHECK(std::string(admpi_last_error()) == "operation.reverse is NULL");
  CHECK(destroyed == 1);
  operation.reverse = &fails;
  operation.forward = &fails;
  CHECK(apply() == ADMPI_ERR_CALLBACK);
  CHECK(std::string(admpi_last_error()) == "the user's function returned 7");
  CHECK(destroyed == 2);
  operation.forward = &doubles;
  const std::int64_t negative[2] = {1, -1};
  CHECK(admpi_operation_apply(&operation, nullptr, &operand, 1, negative, 1, &y) == ADMPI_ERR_ARGUMENT);
  CHECK(destroyed == 3);
  CHECK(admpi_operation_apply(&operation, nullptr, nullptr, 1, one, 1, &y) == ADMPI_ERR_NULL);
  CHECK(admpi_operation_apply(&operation, nullptr, &operand, 1, one, 1, nullptr) == ADMPI_ERR_NULL);
  CHECK(destroyed == 5);
  CHECK(y == nullptr);
  REQUIRE(apply() == ADMPI_SUCCESS);
  {
    const varmat made(y);
    tape.seed(made(0));
  }
  CHECK(message<admpi::callback_error>([&] { tape.reverse(); }).find("reverse of user's operation (event") == 0);
  tape.clear_adjoints();
  operation.forward = &resets;
  CHECK(apply() == ADMPI_ERR_NEST);
  CHECK(destroyed == 8);
  // Without a destructor, and passive.
  const admpi_operand passive = admpi_operand_value(4.0);
  operation = {sizeof operation, &doubles, &reverse_doubles, nullptr};
  REQUIRE(admpi_operation_apply(&operation, nullptr, &passive, 1, one, 1, &y) == ADMPI_SUCCESS);
  CHECK(varmat(y)(0).value == 8.0);
}

namespace {

/// A(p) x for the n x n matrix with diagonal 4 + p, 1 above it, -2 p(i) s below, and p(0) in the corner; q = {p, s}.
template <class P, class X>
auto banded(const P &p, const var &s, const X &x, std::int64_t i, std::int64_t j, std::int64_t n) {
  var y = (4.0 + p(i)) * x(i, j);
  if (i + 1 < n) y += x(i + 1, j);
  if (i > 0) y -= 2.0 * p(i) * s * x(i - 1, j);
  if (i == 0) y += p(0) * x(n - 1, j);
  return y;
}

varmat banded_product(const std::vector<varmat> &q, const varmat &x) {
  varmat y(x.rows(), x.cols());
  for (std::int64_t j = 0; j < x.cols(); ++j) {
    for (std::int64_t i = 0; i < x.rows(); ++i) y(i, j) = banded(q[0], q[1](0), x, i, j, x.rows());
  }
  return y;
}

/// By Gauss' elimination on the columns of A, made by products with those of the unit matrix.
template <class T, class Matrix, class Rhs>
std::vector<T> eliminate(std::int64_t n, std::int64_t m, Matrix a, Rhs b) {
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = k + 1; i < n; ++i) {
      const T factor = a[i + k * n] / a[k + k * n];
      for (std::int64_t j = k; j < n; ++j) a[i + j * n] -= factor * a[k + j * n];
      for (std::int64_t j = 0; j < m; ++j) b[i + j * n] -= factor * b[k + j * n];
    }
  }
  for (std::int64_t j = 0; j < m; ++j) {
    for (std::int64_t i = n - 1; i >= 0; --i) {
      for (std::int64_t k = i + 1; k < n; ++k) b[i + j * n] -= a[i + k * n] * b[k + j * n];
      b[i + j * n] /= a[i + i * n];
    }
  }
  return b;
}

varmat unit(std::int64_t n) {
  varmat e(n, n);
  for (std::int64_t i = 0; i < n; ++i) e(i, i) = 1.0;
  return e;
}

numbers banded_solve(const std::vector<varmat> &q, const numbers &rhs, bool transposed) {
  const std::int64_t n = q[0].rows();
  for (const varmat &each : q) CHECK(each(0).id == 0);
  const varmat a = banded_product(q, unit(n));
  return eliminate<double>(n, static_cast<std::int64_t>(rhs.size()) / n,
                           varmat(transposed ? a.transpose() : a.all()).values(), rhs);
}

}  // namespace

TEST_CASE("test_operations_linear_solve_agrees_with_elimination") {
  for (unsigned mask = 0; mask < 8; ++mask) {
    CAPTURE(mask);
    const std::int64_t n = 5, m = 2;
    test::recording_tape tape;
    varmat b(n, m, some(n * m, 1.9).data()), p(n, 1, some(n, 0.8).data());
    var s = 0.6;
    if ((mask & 1) != 0) tape.input(b);
    if ((mask & 2) != 0) tape.input(p);
    if ((mask & 4) != 0) tape.input(s);
    const std::uint64_t statements = tape.statistics().statements;
    const varmat got = linear_solve(b, {p, s}, &banded_solve, &banded_product);
    CHECK(tape.statistics().statements == statements);
    const std::vector<varmat> q{p, varmat(std::vector<var>{s})};
    const varmat expected(n, m, eliminate<var>(n, m, banded_product(q, unit(n)).vars(), b.vars()).data());
    check_close(got.values(), expected.values());
    const auto gradient = [&](const varmat &x) {
      tape.clear_adjoints();
      tape.seed(x, some(n * m, 0.4));
      tape.reverse();
      numbers all = tape.adjoints(b), of_p = tape.adjoints(p);
      all.insert(all.end(), of_p.begin(), of_p.end());
      all.push_back(s.id == 0 ? 0.0 : tape.adjoint(s));
      return all;
    };
    const numbers once = gradient(got);
    check_close(once, gradient(expected), 1e-12);
    CHECK(gradient(got) == once);
  }
}

TEST_CASE("test_operations_linear_solve_in_directions_and_nests") {
  const std::int64_t n = 4;
  test::recording_tape tape;
  tape.set_width(2);
  varmat b(n, 1, some(n, 1.9).data()), p(n, 1, some(n, 0.8).data());
  tape.input(b);
  tape.input(p);
  const varmat first = linear_solve(b, {p, 0.5}, &banded_solve, &banded_product);
  const varmat second = linear_solve(elt_multiply(first, p), {sin(p), sum(b)}, &banded_solve, &banded_product);
  tape.seed(second, some(n, 0.3), 0);
  tape.seed(second, some(n, 2.3), 1);
  tape.reverse();
  // The same as a function of numbers, by central differences.
  const auto objective = [&](numbers x, int direction) {
    const varmat c(n, 1, x.data()), q(n, 1, x.data() + n);
    const varmat one = linear_solve(c, {q, 0.5}, &banded_solve, &banded_product);
    const numbers y = linear_solve(elt_multiply(one, q), {sin(q), sum(c)}, &banded_solve, &banded_product).values();
    const numbers w = some(n, direction == 0 ? 0.3 : 2.3);
    double total = 0.0;
    for (std::size_t k = 0; k < y.size(); ++k) total += w[k] * y[k];
    return total;
  };
  numbers x = b.values(), values = p.values();
  x.insert(x.end(), values.begin(), values.end());
  for (int direction = 0; direction < 2; ++direction) {
    numbers adjoint = tape.adjoints(b, direction), of_p = tape.adjoints(p, direction);
    adjoint.insert(adjoint.end(), of_p.begin(), of_p.end());
    for (std::size_t k = 0; k < x.size(); ++k) {
      CAPTURE(k);
      const double h = 1e-5;
      numbers up = x, down = x;
      up[k] += h;
      down[k] -= h;
      CHECK(close(adjoint[k], (objective(up, direction) - objective(down, direction)) / (2.0 * h), 1e-8));
    }
  }
}

TEST_CASE("test_operations_linear_solve_errors") {
  test::recording_tape tape;
  varmat b(3, 1, some(3, 1.9).data()), p(3, 1, some(3, 0.8).data());
  tape.input(b);
  tape.input(p);
  const auto short_solve = [](const std::vector<varmat> &, const numbers &, bool) { return numbers{1.0}; };
  CHECK(message<admpi::argument_error>([&] { linear_solve(b, {p, 0.5}, short_solve, &banded_product); }) ==
        "linear_solve: the routine returns 1 elements, expected 3");
  const auto fails = [](const std::vector<varmat> &q, const numbers &rhs, bool transposed) {
    if (transposed) throw std::runtime_error("no transposed solve");
    return banded_solve(q, rhs, false);
  };
  const varmat x = linear_solve(b, {p, 0.5}, fails, &banded_product);
  tape.seed(x);
  CHECK(message<std::runtime_error>([&] { tape.reverse(); }) == "no transposed solve");
  tape.clear_adjoints();
  const auto wrong = [](const std::vector<varmat> &, const varmat &) { return varmat(2, 2); };
  tape.seed(linear_solve(b, {p, 0.5}, &banded_solve, wrong));
  CHECK(message<admpi::argument_error>([&] { tape.reverse(); }).find("linear_solve: the product is 2 x 2, expected 3 x 1") !=
        std::string::npos);
}

TEST_CASE("test_operations_equations_do_not_lose_what_is_not_a_parameter") {
  // The functions use an active value that they were not given: its derivative would be 0. Its value is welcome.
  const std::string lost = "that is not among its parameters: its derivative would be lost";
  for (const bool on_another_tape : {false, true}) {
    for (const bool fixed : {false, true}) {
      for (const bool constant : {false, true}) {
        CAPTURE(on_another_tape);
        CAPTURE(fixed);
        CAPTURE(constant);
        test::recording_tape tape;
        varmat b(1, 1, numbers{1.9}.data()), p(1, 1, numbers{0.25}.data());
        var q = 0.5;
        tape.input(b);
        tape.input(p);
        tape.input(q);
        const auto scale = [&] { return constant ? var(admpi::value(q)) : q; };
        const auto f = [&](const varmat &x, const std::vector<varmat> &a) { return varmat(elt_multiply(x, a[0]) * scale() + 1.0); };
        const auto solve = [](const std::vector<varmat> &a, const numbers &rhs, bool) {
          return numbers{rhs[0] / (a[0](0).value * 0.5)};
        };
        const auto product = [&](const std::vector<varmat> &a, const varmat &x) { return varmat(elt_multiply(a[0], x) * scale()); };
        const varmat x = fixed ? fixed_point(f, varmat(1, 1), {p}) : linear_solve(b, {p}, solve, product);
        tape.seed(x);
        const std::string text = message<admpi::error>([&] {
          if (!on_another_tape) return tape.reverse();
          // The thread has no tape of its own when that one is swept.
          admpi_tape *before;
          admpi_tape_activate(nullptr, &before);
          const int code = admpi_tape_reverse(tape.handle());
          const std::string why = admpi_last_error();
          admpi_tape_activate(before, nullptr);
          if (code != ADMPI_SUCCESS) throw admpi::error(code, why.c_str());
        });
        CAPTURE(text);
        if (constant) {
          CHECK(text == "no error");
          const double expected = fixed ? 0.5 / (0.875 * 0.875) : -1.9 / (0.0625 * 0.5);
          CHECK(close(tape.adjoint(p(0)), expected, 1e-9));
        } else if (on_another_tape) {
          CHECK(text.find(fixed ? "reverse of fixed_point" : "reverse of linear_solve") == 0);
        } else {
          CHECK(text.find(lost) != std::string::npos);
        }
      }
    }
  }
}

namespace {

/// x(i) = 0.4 sin(x(i - 1) + s) + p(i) cos(x(i)) / 2, around a ring.
varmat ring(const varmat &x, const std::vector<varmat> &p) {
  const std::int64_t n = x.rows();
  varmat y(n, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    y(i) = 0.4 * sin(x((i + n - 1) % n) + p[1](0)) + 0.5 * p[0](i) * cos(x(i));
  }
  return y;
}

}  // namespace

TEST_CASE("test_operations_fixed_point_agrees_with_the_recorded_iteration") {
  for (unsigned mask = 0; mask < 4; ++mask) {
    CAPTURE(mask);
    test::recording_tape tape;
    varmat p(4, 1, some(4, 0.8).data());
    var s = 0.3;
    if ((mask & 1) != 0) tape.input(p);
    if ((mask & 2) != 0) tape.input(s);
    admpi::fixed_point_options options;
    options.tolerance = 1e-15;
    const std::uint64_t statements = tape.statistics().statements;
    const varmat got = fixed_point(&ring, varmat(4, 1), {p, s}, options);
    CHECK(tape.statistics().statements == statements);
    const std::vector<varmat> q{p, varmat(std::vector<var>{s})};
    varmat expected(4, 1);
    for (int i = 0; i < 100; ++i) expected = ring(expected, q);
    check_close(got.values(), expected.values());
    const auto gradient = [&](const varmat &x) {
      tape.clear_adjoints();
      tape.seed(x, some(4, 1.4));
      tape.reverse();
      numbers all = tape.adjoints(p);
      all.push_back(s.id == 0 ? 0.0 : tape.adjoint(s));
      return all;
    };
    const numbers once = gradient(got);
    check_close(once, gradient(expected));
    CHECK(gradient(got) == once);
  }
}

TEST_CASE("test_operations_fixed_point_in_directions") {
  test::recording_tape tape;
  tape.set_width(2);
  varmat p(4, 1, some(4, 0.8).data());
  var s = 0.3;
  tape.input(p);
  tape.input(s);
  const varmat x = fixed_point(&ring, varmat(4, 1), {p, s});
  const var y = sum(square(x)), z = x(2) * s;
  tape.seed(y, 1.0, 0);
  tape.seed(z, 2.0, 1);
  tape.reverse();
  const auto objective = [&](const numbers &at, int direction) {
    const varmat of = fixed_point(&ring, varmat(4, 1), {numbers(at.begin(), at.begin() + 4), at[4]});
    return direction == 0 ? sum(square(of)).value : 2.0 * of(2).value * at[4];
  };
  numbers at = p.values();
  at.push_back(0.3);
  for (int direction = 0; direction < 2; ++direction) {
    numbers adjoint = tape.adjoints(p, direction);
    adjoint.push_back(tape.adjoint(s, direction));
    for (std::size_t k = 0; k < at.size(); ++k) {
      CAPTURE(k);
      const double h = 1e-5;
      numbers up = at, down = at;
      up[k] += h;
      down[k] -= h;
      CHECK(close(adjoint[k], (objective(up, direction) - objective(down, direction)) / (2.0 * h), 1e-8));
    }
  }
}

TEST_CASE("test_operations_fixed_point_that_is_not_found") {
  test::recording_tape tape;
  varmat p(2, 1, numbers{0.5, 0.25}.data());
  tape.input(p);
  const auto grows = [](const varmat &x, const std::vector<varmat> &q) { return varmat(-2.0 * x + q[0]); };
  admpi::fixed_point_options options;
  options.max_iterations = 3;
  // 0, p, -p, 3p: the last iteration changed it by 4p.
  CHECK(message<admpi::convergence_error>([&] { fixed_point(grows, varmat(2, 1), {p}, options); }) ==
        "fixed_point: the iteration did not converge in 3 iterations; the last one changed it by 2");
  options.max_iterations = 2000;
  const std::string far = message<admpi::convergence_error>([&] { fixed_point(grows, varmat(2, 1), {p}, options); });
  CHECK_MESSAGE(far.size() < 130, far);
  options.max_iterations = 0;
  CHECK(message<admpi::argument_error>([&] { fixed_point(grows, varmat(2, 1), {p}, options); }) ==
        "fixed_point: max_iterations is 0");
  options = {-1.0, 3};
  CHECK(message<admpi::argument_error>([&] { fixed_point(grows, varmat(2, 1), {p}, options); }) ==
        "fixed_point: the tolerance is -1");
  options = {1e-12, 3};
  const auto no_number = [](const varmat &x, const std::vector<varmat> &) { return varmat(log(x - 1.0)); };
  CHECK(message<admpi::convergence_error>([&] { fixed_point(no_number, varmat(2, 1), {p}); })
            .find("did not converge in 1 iterations") != std::string::npos);
  const auto wrong = [](const varmat &, const std::vector<varmat> &) { return varmat(1, 3); };
  CHECK(message<admpi::argument_error>([&] { fixed_point(wrong, varmat(2, 1), {p}); }) ==
        "fixed_point: f(x) is 1 x 3, expected 2 x 1");

  // Found at once from where it starts, but the adjoint takes some iterations.
  const auto contracts = [](const varmat &x, const std::vector<varmat> &q) { return varmat(0.5 * x + q[0]); };
  const varmat x = fixed_point(contracts, varmat(2, 1, numbers{1.0, 0.5}.data()), {p}, options);
  tape.seed(x);
  CHECK(message<admpi::convergence_error>([&] { tape.reverse(); })
            .find("fixed_point: the adjoint iteration did not converge in 3 iterations; the last one changed it by 0.125") !=
        std::string::npos);
  tape.clear_adjoints();
  int calls = 0;
  options.max_iterations = 100;
  const auto norm = [&calls](const numbers &difference) {
    ++calls;
    return std::fabs(difference[0]) + std::fabs(difference[1]);
  };
  const varmat y = fixed_point(contracts, varmat(2, 1), {p}, options, norm);
  CHECK(calls > 40);
  calls = 0;
  tape.seed(y);
  tape.reverse();
  CHECK(calls > 40);
  CHECK(close(tape.adjoint(p(0)), 2.0, 1e-11));
  const auto no_norm = [](const numbers &) -> double { throw std::runtime_error("no norm"); };
  CHECK(message<std::runtime_error>([&] { fixed_point(contracts, varmat(2, 1), {p}, options, no_norm); }) == "no norm");
  tape.clear_adjoints();
  // Nothing comes in: nothing to iterate for.
  tape.reverse();
  CHECK(tape.adjoints(p) == numbers(2, 0.0));
}
