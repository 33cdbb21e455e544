// Linear algebra against the same on scalars: values, gradients, directions, transposes, parts, ids in lists, shapes.
#include <admpi.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#endif

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::multiply;
using admpi::var;
using admpi::varmat;
using admpi::view;
using test::code_of;
using test::numbers;
using test::some;

namespace {

struct recording : test::recording_tape {
  varmat matrix(std::int64_t rows, std::int64_t cols, std::int64_t from = 0, bool active = true) {
    varmat a(rows, cols, some(rows * cols, from).data());
    if (active) input(a);
    return a;
  }
  numbers gradient(const varmat &y, const varmat &x) {
    clear_adjoints();
    seed(y, some(y.size(), 500));
    reverse();
    return adjoints(x);
  }
};

void check_close(const numbers &got, const numbers &expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(got[k] - expected[k]) <= 1e-13 * (10.0 + std::fabs(expected[k])));
  }
}

/// The product as sums of products of scalars.
varmat scalar_product(const view &a, const view &b) {
  varmat c(a.rows(), b.cols());
  for (std::int64_t j = 0; j < b.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      var s = 0.0;
      for (std::int64_t k = 0; k < a.cols(); ++k) s += a(i, k) * b(k, j);
      c(i, j) = s;
    }
  }
  return c;
}

/// Both ways, with their gradients in x and y, twice.
void compare(recording &tape, const view &a, const view &b, const varmat &x, const varmat &y) {
  const auto before = tape.statistics();
  const varmat c = multiply(a, b);
  CHECK(tape.statistics().statements == before.statements);
  const varmat d = scalar_product(a, b);
  check_close(c.values(), d.values());
  for (int sweep = 0; sweep < 2; ++sweep) {
    check_close(tape.gradient(c, x), tape.gradient(d, x));
    check_close(tape.gradient(c, y), tape.gradient(d, y));
  }
}

}  // namespace

TEST_CASE("test_linalg_multiply_of_all_shapes_active_or_passive") {
  for (const auto &[m, k, n] : {std::array<int, 3>{1, 1, 1}, {3, 4, 5}, {5, 1, 3}, {1, 7, 1}, {7, 3, 1}, {1, 3, 7}, {17, 19, 23}, {33, 8, 2}}) {
    for (const bool of_a : {true, false}) {
      for (const bool of_b : {true, false}) {
        CAPTURE(m);
        CAPTURE(k);
        CAPTURE(n);
        recording tape;
        const varmat a = tape.matrix(m, k, 0, of_a), b = tape.matrix(k, n, 100, of_b);
        const auto events = tape.statistics().events;
        const varmat c = multiply(a, b);
        // A passive operand is held by an event of its own, once.
        CHECK(tape.statistics().events - events == (of_a && of_b ? 1 : of_a || of_b ? 2 : 0));
        compare(tape, a, b, a, b);
      }
    }
  }
}

TEST_CASE("test_linalg_multiply_of_transposes_and_parts") {
  recording tape;
  const varmat x = tape.matrix(9, 7), y = tape.matrix(7, 9, 100);
  compare(tape, x, y, x, y);
  compare(tape, y.transpose(), x.transpose(), x, y);
  compare(tape, x.transpose(), x, x, y);
  compare(tape, x, x.transpose(), x, y);
  compare(tape, x.block(1, 2, 4, 3), y.block(3, 1, 3, 5), x, y);
  compare(tape, x.block(1, 2, 4, 3).transpose(), y.block(1, 3, 4, 2), x, y);
  compare(tape, x.row(3), y.col(2), x, y);
  compare(tape, x.col(3), y.row(2), x, y);
  compare(tape, x.row(3), x.row(5).transpose(), x, y);
  compare(tape, x.col(0).every(2).transpose(), x.block(0, 1, 5, 2), x, y);
  compare(tape, x.diagonal(), y.diagonal().transpose(), x, y);
  // Every second element in both directions.
  admpi_view grid = x.parts();
  grid.rows = 5;
  grid.cols = 3;
  grid.row_step = 2;
  grid.col_step = 18;
  compare(tape, view(grid), y.block(1, 0, 3, 4), x, y);
  compare(tape, y.block(1, 0, 4, 5), view(grid), x, y);
}

TEST_CASE("test_linalg_multiply_of_one_matrix_with_itself") {
  recording tape;
  const varmat x = tape.matrix(6, 6);
  compare(tape, x, x, x, x);
  varmat power = x;
  varmat scalars = x;
  for (int i = 0; i < 4; ++i) {
    power = multiply(power, x);
    scalars = scalar_product(scalars, x);
  }
  check_close(power.values(), scalars.values());
  check_close(tape.gradient(power, x), tape.gradient(scalars, x));
}

TEST_CASE("test_linalg_multiply_after_and_before_assignments_to_elements") {
  recording tape;
  const varmat x = tape.matrix(4, 4);
  varmat a = x;
  a(1, 2) = x(0, 0) * x(3, 3);
  a(2, 0) = 0.25;
  a.row(3) = x.row(0);
  const varmat first = multiply(a, a.transpose()), plain = scalar_product(a, a.transpose());
  a(0, 0) = x(1, 1);
  a.col(1) = numbers{1.0, 2.0, 3.0, 4.0};
  const varmat second = multiply(a, x), plainly = scalar_product(a, x);
  for (int sweep = 0; sweep < 2; ++sweep) {
    check_close(tape.gradient(first, x), tape.gradient(plain, x));
    check_close(tape.gradient(second, x), tape.gradient(plainly, x));
  }
}

TEST_CASE("test_linalg_takes_expressions") {
  recording tape;
  const varmat a = tape.matrix(4, 4), b = tape.matrix(4, 4, 40);
  const auto same = [&](const varmat &got, const varmat &expected) {
    check_close(got.values(), expected.values());
    check_close(tape.gradient(got, a), tape.gradient(expected, a));
    check_close(tape.gradient(got, b), tape.gradient(expected, b));
  };
  const varmat more = b + 3.0, product = elt_multiply(a, b), regular = a + 10.0 * square(b) + 5.0;
  same(multiply(a, b + 3.0), multiply(a, more));
  same(multiply(elt_multiply(a, b), b + 3.0), multiply(product, more));
  same(multiply(view(elt_multiply(a, b)).transpose(), a.row(1).transpose() * 2.0), multiply(product.transpose(), varmat(a.row(1).transpose() * 2.0)));
  same(solve(a + 10.0 * square(b) + 5.0, elt_multiply(a, b)), solve(regular, product));
  same(admpi::hcat({a, elt_multiply(a, b)}), admpi::hcat({a, product}));
  const auto user = [](const view &v) { return v.row(1); };
  same(user(elt_multiply(a, b)), product.row(1));
}

TEST_CASE("test_linalg_multiply_in_many_directions") {
  for (const int width : {2, 4, 8, 16}) {
    recording tape;
    const varmat x = tape.matrix(5, 4), y = tape.matrix(4, 3, 60);
    varmat listed = y;
    listed(2, 1) = x(0, 0);
    const std::vector<varmat> pairs{multiply(x, y), scalar_product(x, y), multiply(x, listed), scalar_product(x, listed)};
    tape.set_width(width);
    for (const std::size_t p : {0, 2}) {
      numbers got[2];
      for (const std::size_t way : {0, 1}) {
        tape.clear_adjoints();
        for (int k = 0; k < width; ++k) tape.seed(pairs[p + way], some(15, 31 * k), k);
        tape.reverse();
        for (int k = 0; k < width; ++k) {
          for (const varmat &in : {x, y}) {
            const numbers adjoint = tape.adjoints(in, k);
            got[way].insert(got[way].end(), adjoint.begin(), adjoint.end());
          }
        }
      }
      check_close(got[0], got[1]);
    }
  }
}

TEST_CASE("test_linalg_multiply_in_nests_and_without_a_recording") {
  recording tape;
  const varmat x = tape.matrix(3, 3);
  {
    admpi::nested nest(ADMPI_NEST_ISOLATED);
    const varmat y = tape.matrix(3, 3, 50), z = multiply(x, y), w = scalar_product(x, y);
    check_close(tape.gradient(z, y), tape.gradient(w, y));
    CHECK(tape.adjoints(x) == numbers(9, 0.0));
  }
  tape.stop();
  CHECK(multiply(x, x)(0, 0).id == 0);
  check_close(multiply(x, x).values(), scalar_product(x, x).values());
}

TEST_CASE("test_linalg_multiply_without_a_tape") {
  const varmat a(2, 2, numbers{1.0, 2.0, 3.0, 4.0}.data());
  CHECK(multiply(a, a).values() == numbers{7.0, 10.0, 15.0, 22.0});
  CHECK(multiply(varmat(2, 0), varmat(0, 3)).values() == numbers(6, 0.0));
}

TEST_CASE("test_linalg_multiply_errors") {
  recording tape;
  const varmat a = tape.matrix(3, 2), b = tape.matrix(3, 4);
  try {
    multiply(a, b);
    FAIL("3 x 2 and 3 x 4");
  } catch (const admpi::argument_error &e) {
    CHECK(std::string(e.what()) == "multiply: a is 3 x 2, but b is 3 x 4");
  }
  const varmat of_zeros = tape.matrix(0, 3);
  CHECK(multiply(of_zeros, b).rows() == 0);
  tape.reset();
  CHECK(code_of([&] { multiply(a.transpose(), b); }) == ADMPI_ERR_STALE);
  CHECK(admpi_multiply(nullptr, nullptr, nullptr) == ADMPI_ERR_NULL);
  // Adjoints that are zero meet no infinite values.
  varmat big(1, 1, numbers{std::numeric_limits<double>::infinity()}.data());
  varmat one = tape.matrix(1, 1);
  tape.input(big);
  const varmat c = multiply(big, one);
  tape.reverse();
  CHECK(tape.adjoints(one) == numbers{0.0});
  CHECK(c(0).id != 0);
}

TEST_CASE("test_linalg_determinant_of_columns_that_are_zero") {
  for (const int zero : {0, 1, 2}) {
    CAPTURE(zero);
    admpi::varmat a(3, 3);
    for (int i = 0; i < 3; ++i) a(i, i) = i == zero ? 0.0 : 2.0;
    CHECK(admpi::value(determinant(a)) == 0.0);
  }
  CHECK(admpi::value(determinant(admpi::varmat(2, 2))) == 0.0);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// While it lives the process gets no more than a little memory.
class poverty {
 public:
  poverty() {
    getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit little{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (8u << 20), before_.rlim_max};
    setrlimit(RLIMIT_AS, &little);
  }
  ~poverty() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST_CASE("test_linalg_without_memory") {
  const std::int64_t n = 3000;
  const varmat a(n, n), column(n, 1);
  const auto refused = [](auto f) {
    const poverty limit;
    return test::message<admpi::memory_error>(f);
  };
  const std::string elements = "no memory for 3000 x 3000 elements of 8 bytes";
  CHECK(refused([&] { eigenvalues_sym(a); }) == elements);
  CHECK(refused([&] { lu(a); }) == elements);
  CHECK(refused([&] { qr(a); }) == elements);
  CHECK(refused([&] { quad_form(a, column); }) == "no error");
  CHECK(refused([&] { singular_values(a); }).rfind("no memory for the ", 0) == 0);
}
#endif
