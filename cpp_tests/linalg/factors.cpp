// Factors, determinants, eigenvalues and singular values against programs of scalars and at their limits; what is refused.
#include <admpi/tangent_linalg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "linalg/subjects.hpp"

using namespace subjects_of_linalg;

using test::message;

namespace {

bool starts_with(const std::string &text, const std::string &with) { return text.compare(0, with.size(), with) == 0; }

/// Programs of scalars for the same functions.

varmat eliminated(const view &of, const view &right) {
  varmat a(of), b(right);
  const std::int64_t n = a.rows();
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k; i < n; ++i) {
      if (std::fabs(a(i, k).value) > std::fabs(a(pivot, k).value)) pivot = i;
    }
    for (std::int64_t j = 0; j < n; ++j) {
      const var t = a(k, j);
      a(k, j) = var(a(pivot, j));
      a(pivot, j) = t;
    }
    for (std::int64_t j = 0; j < b.cols(); ++j) {
      const var t = b(k, j);
      b(k, j) = var(b(pivot, j));
      b(pivot, j) = t;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const var f = a(i, k) / a(k, k);
      for (std::int64_t j = k; j < n; ++j) a(i, j) -= f * a(k, j);
      for (std::int64_t j = 0; j < b.cols(); ++j) b(i, j) -= f * b(k, j);
    }
  }
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < b.cols(); ++j) b(i, j) /= var(a(i, i));
  }
  return b;
}

varmat scalar_cholesky(const view &a) {
  const std::int64_t n = a.rows();
  varmat l(n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = j; i < n; ++i) {
      var s = view(a)(i, j);
      for (std::int64_t k = 0; k < j; ++k) s -= l(i, k) * l(j, k);
      if (i == j) {
        l(i, j) = sqrt(s);
      } else {
        l(i, j) = s / l(j, j);
      }
    }
  }
  return l;
}

/// Gram and Schmidt.
qr_factors<varmat> scalar_qr(const view &a) {
  const std::int64_t m = a.rows(), n = a.cols(), k = m < n ? m : n;
  varmat q(m, k), r(k, n);
  for (std::int64_t j = 0; j < n; ++j) {
    std::vector<var> v;
    for (std::int64_t i = 0; i < m; ++i) v.push_back(a(i, j));
    for (std::int64_t l = 0; l < j && l < k; ++l) {
      var s = 0.0;
      for (std::int64_t i = 0; i < m; ++i) s += q(i, l) * v[static_cast<std::size_t>(i)];
      r(l, j) = s;
      for (std::int64_t i = 0; i < m; ++i) v[static_cast<std::size_t>(i)] -= s * q(i, l);
    }
    if (j >= k) continue;
    var s = 0.0;
    for (const var &x : v) s += x * x;
    const var norm = sqrt(s);
    r(j, j) = norm;
    for (std::int64_t i = 0; i < m; ++i) q(i, j) = v[static_cast<std::size_t>(i)] / norm;
  }
  return {q, r};
}

void compare(const matrices &at, const std::function<matrices(const views &)> &f,
             const std::function<matrices(const views &)> &scalars, double tolerance) {
  recording tape;
  const matrices x = tape.inputs(at), y = f(as_views(x)), z = scalars(as_views(x));
  REQUIRE(y.size() == z.size());
  for (std::size_t r = 0; r < y.size(); ++r) check_close(y[r].values(), z[r].values(), tolerance);
  const auto expected = tape.gradients(z, x), gradients = tape.gradients(y, x);
  for (std::size_t p = 0; p < x.size(); ++p) check_close(gradients[p], expected[p], tolerance);
}

}  // namespace

TEST_CASE("test_linalg_functions_against_programs_of_scalars") {
  for (const std::int64_t n : {1, 2, 5, 12}) {
    CAPTURE(n);
    const varmat a = any(n, n, 7), b = any(n, 3, 50), spd = positive(n);
    compare({a, b}, [](const views &x) { return list(solve(x[0], x[1])); },
            [](const views &x) { return list(eliminated(x[0], x[1])); }, 1e-10);
    compare({a}, [](const views &x) { return list(inverse(x[0])); },
            [n](const views &x) { return list(eliminated(x[0], shifted(varmat(n, n), 1.0))); }, 1e-9);
    compare({spd, b},
            [](const views &x) {
              const varmat l = cholesky(x[0]);
              return list(solve_upper(l.transpose(), solve_lower(l, x[1])));
            },
            [](const views &x) { return list(solve_spd(x[0], x[1])); }, 1e-10);
    compare({spd}, [](const views &x) { return list(log_determinant_spd(x[0])); },
            [](const views &x) {
              const varmat l = scalar_cholesky(x[0]);
              return list(var(2.0 * sum(log(l.diagonal()))));
            },
            1e-11);
    compare({a}, [](const views &x) { return list(determinant(x[0])); },
            [](const views &x) {
              const auto f = lu(x[0]);
              var d = 1.0;
              for (std::int64_t i = 0; i < f.u.rows(); ++i) d *= f.u(i, i);
              const double sign = d.value * determinant(varmat(x[0].rows(), x[0].cols(), x[0].values().data())).value;
              return list(var(sign < 0.0 ? -d : d));
            },
            1e-11);
    compare({a}, [](const views &x) { return list(log_determinant(x[0])); },
            [](const views &x) { return list(var(log(abs(determinant(x[0]))))); }, 1e-11);
    for (const std::int64_t more : {-1, 0, 3}) {
      if (n + more == 0) continue;
      compare({any(n + more, n, 7)}, [](const views &x) { return list(qr(x[0])); },
              [](const views &x) { return list(scalar_qr(x[0])); }, 1e-9);
    }
  }
}

TEST_CASE("test_linalg_functions_cholesky_of_many_blocks") {
  for (const std::int64_t n : {63, 64, 65, 130}) {
    CAPTURE(n);
    compare({shifted(tcrossprod(any(n, n)), 1.0)}, [](const views &x) { return list(cholesky(x[0])); },
            [](const views &x) { return list(scalar_cholesky(x[0])); }, 1e-10);
  }
}

TEST_CASE("test_linalg_functions_factors_are_factors") {
  for (const auto &[m, n] : {std::pair<int, int>{1, 1}, {5, 5}, {40, 17}, {17, 40}, {70, 70}}) {
    CAPTURE(m);
    CAPTURE(n);
    const varmat a = any(m, n, 7);
    const auto f = lu(a);
    const numbers back = multiply(f.l, f.u).values();
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        CHECK(back[static_cast<std::size_t>(j * m + i)] ==
              doctest::Approx(a(f.rows[static_cast<std::size_t>(i)], j).value).epsilon(1e-10));
      }
    }
    const auto g = qr(a);
    check_close(multiply(g.q, g.r).values(), a.values(), 1e-12);
    const std::int64_t k = m < n ? m : n;
    const varmat unit = shifted(varmat(k, k), 1.0);
    check_close(tcrossprod(g.q.transpose()).values(), unit.values(), 1e-12);
    const auto t = svd(a);
    check_close(multiply(diag_post_multiply(t.u, t.s), t.v.transpose()).values(), a.values(), 1e-12);
    check_close(tcrossprod(t.v.transpose()).values(), unit.values(), 1e-12);
    check_close(singular_values(a).values(), t.s.values(), 1e-12);
    const varmat s = tcrossprod(a);
    const auto e = eigen_sym(s);
    check_close(multiply(diag_post_multiply(e.vectors, e.values), e.vectors.transpose()).values(), s.values(), 1e-12);
    check_close(eigenvalues_sym(s).values(), e.values.values(), 1e-12);
  }
}

TEST_CASE("test_linalg_functions_equal_eigenvalues_and_singular_values") {
  // Functions that do not depend on the choice of vectors are smooth there: of a multiple of the identity, and of a matrix
  // with a pair.
  for (const numbers &diagonal : {numbers{2.0, 2.0, 2.0}, numbers{1.0, 3.0, 3.0}}) {
    const varmat q = qr(any(3, 3)).q;
    const varmat at = quad_form(diag(varmat(diagonal)), q.transpose());
    const bool pair = diagonal[0] != diagonal[1];
    for (const subject &of : {
             SUBJECT("sum of a function of the eigenvalues", (matrices{at}), sum(square(eigenvalues_sym(x[0])))),
             SUBJECT("the same with vectors", (matrices{at}), sum(square(eigen_sym(x[0]).values))),
             SUBJECT("sum of a function of the singular values", (matrices{at}), sum(square(singular_values(x[0])))),
             SUBJECT("projection", (matrices{at}), tcrossprod(eigen_sym(x[0]).vectors)),
             SUBJECT("polar factor", (matrices{at}), multiply(svd(x[0]).u, transpose(svd(x[0]).v))),
         }) {
      CAPTURE(of.name);
      CAPTURE(pair);
      recording tape;
      const matrices x = tape.inputs(of.at), y = of.f(as_views(x));
      check_close(tape.gradients(y, x)[0], differences(of, 0), 1e-7);
      // The same along a direction.
      const tangent<varmat> t{at, any(3, 3, 40)};
      const numbers along = of.tangent_of({t})[0].derivative.values(), gradient = tape.gradients(y, x)[0];
      const numbers direction = t.derivative.values();
      double forward = 0.0, backward = 0.0;
      for (std::size_t k = 0; k < along.size(); ++k) forward += along[k] * weights(0, y[0].size())[k];
      for (std::size_t k = 0; k < 9; ++k) backward += gradient[k] * direction[k];
      check_close({forward}, {backward}, 1e-12);
    }
    if (!pair) continue;
    subject upper{"projection to the pair", {at},
                  [](const views &x) { return list(tcrossprod(eigen_sym(x[0]).vectors.block(0, 1, 3, 2))); }, nullptr};
    recording tape;
    const matrices x = tape.inputs(upper.at), y = upper.f(as_views(x));
    check_close(tape.gradients(y, x)[0], differences(upper, 0), 1e-7);
  }
}

TEST_CASE("test_linalg_functions_singular_vectors_beside_those_of_zeros") {
  varmat corner(3, 4);
  corner(1, 2) = -3.0;
  for (const varmat &at : {corner, multiply(any(3, 1), any(1, 4, 30))}) {
    const subject of{"vectors of the largest", {at},
                     [](const views &x) {
                       const auto t = svd(x[0]);
                       return matrices{t.u.col(0), t.v.col(0), t.s.head(1)};
                     },
                     nullptr};
    recording tape;
    const matrices x = tape.inputs(of.at), y = of.f(as_views(x));
    check_close(tape.gradients(y, x)[0], differences(of, 0), 1e-7);
  }
  // Those of zeros count as constant.
  recording tape;
  varmat zero(3, 3);
  tape.input(zero);
  const auto t = svd(zero);
  CHECK(tape.gradients({t.u, t.v}, {zero})[0] == numbers(9, 0.0));
}

/// The second derivatives of a determinant are sums of minors, in range and exact where d or the inverse is not.
TEST_CASE("test_linalg_functions_second_derivatives_of_determinants_near_zero") {
  const auto curvature = [](const numbers &a, const numbers &along) {
    const auto n = static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(a.size()))));
    test::recording_tape tape;
    varmat x(n, n, a.data());
    tape.input(x);
    tape.seed(determinant(tangent<varmat>{x, varmat(n, n, along.data())}).derivative);
    tape.reverse();
    return tape.adjoints(x);
  };
  CHECK(curvature({1e-200, 0.0, 0.0, 1e-200}, {1.0, 2.0, 3.0, 4.0}) == numbers{4.0, -3.0, -2.0, 1.0});
  for (const double e : {1e-3, 1e-6, 1e-9, 1e-12, 1e-13, 3e-14, 1e-15}) {
    CAPTURE(e);
    const numbers got = curvature({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0 + e}, {1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 1.0, -1.0, 2.0});
    const numbers right = {5.0 + 5.0 * e, 11.0 - 4.0 * e, -12.0, -1.0 - 2.0 * e, -13.0 + e, 9.0, -4.0, 11.0, -6.0};
    for (std::size_t k = 0; k < right.size(); ++k) CHECK(got[k] == doctest::Approx(right[k]).epsilon(1e-9));
  }
}

/// Elements whose squares leave the range.
TEST_CASE("test_linalg_functions_singular_values_of_all_sizes") {
  for (const double scale : {1e-300, 1e-200, 1e-150, 1.0, 1e150, 1e155, 1e200, 1e300}) {
    CAPTURE(scale);
    const varmat a(2, 2, numbers{scale, 2.0 * scale, 3.0 * scale, -scale}.data());
    const numbers s = singular_values(a).values();
    CHECK(s[0] * (s[1] / scale) == doctest::Approx(7.0 * scale));
    CHECK(std::hypot(s[0], s[1]) == doctest::Approx(std::sqrt(15.0) * scale));
  }
  test::recording_tape tape;
  varmat a(2, 2, numbers{1e200, 2e200, 2e200, 4e200}.data());
  tape.input(a);
  const var d = determinant(a);
  CHECK(d.value == 0.0);
  tape.seed(d);
  tape.reverse();
  const numbers cofactors = tape.adjoints(a), right = {4e200, -2e200, -2e200, 1e200};
  for (std::size_t k = 0; k < 4; ++k) CHECK(cofactors[k] == doctest::Approx(right[k]));
}

TEST_CASE("test_linalg_functions_determinant_of_singular_matrices") {
  // Of rank n - 1, where the gradient is that of the cofactors, and of rank n - 2, where it is zero.
  for (const std::int64_t rank : {3, 2}) {
    const varmat left = any(4, rank), right = any(rank, 4, 30);
    const subject of = SUBJECT("determinant", (matrices{multiply(left, right)}), determinant(x[0]));
    recording tape;
    const matrices x = tape.inputs(of.at), y = of.f(as_views(x));
    CHECK(y[0](0).value == doctest::Approx(0.0));
    check_close(tape.gradients(y, x)[0], differences(of, 0), 1e-8);
  }
  recording tape;
  varmat zero(1, 1);
  tape.input(zero);
  CHECK(!std::signbit(sum(varmat(0, 2)).value));
  CHECK(!std::signbit(trace(varmat(0, 0)).value));
  CHECK(!std::signbit(log_determinant(varmat(0, 0)).value));
  CHECK(!std::signbit(log_determinant_spd(varmat(0, 0)).value));
  const var d = determinant(zero);
  tape.seed(d);
  tape.reverse();
  CHECK(tape.adjoints(zero) == numbers{1.0});
}

TEST_CASE("test_linalg_functions_determinants_past_the_range_on_the_way") {
  constexpr std::int64_t n = 8;
  const numbers mixed{1e100, 1e100, 1e100, 1e100, 1e-100, 1e-100, 1e-100, -2e-100};
  // Rows times these; the product of all of them, and that of the others.
  struct {
    numbers factor;
    double all;
    std::function<double(double)> others;
  } const cases[] = {
      {mixed, -2.0, [](double factor) { return -2.0 / factor; }},
      {numbers(n, 1e-42), 0.0, [](double) { return 1e-294; }},
      {numbers(n, 1e42), std::numeric_limits<double>::infinity(), [](double) { return 1e294; }},
  };
  for (const auto &each : cases) {
    recording tape;
    varmat a = diag_pre_multiply(varmat(each.factor), any(n, n, 7)), b = any(n, n, 7);
    tape.input(a);
    tape.input(b);
    const var d = determinant(a), without = determinant(b);
    const double expected = each.all * without.value;
    CHECK((d.value == expected || d.value == doctest::Approx(expected)));
    tape.seed(d);
    tape.seed(without);
    tape.reverse();
    const numbers got = tape.adjoints(a), cofactors = tape.adjoints(b);
    for (std::size_t k = 0; k < got.size(); ++k) {
      CHECK(std::fabs(got[k] / (each.others(each.factor[k % n]) * cofactors[k]) - 1.0) < 1e-10);
    }
  }
}

TEST_CASE("test_linalg_sparse_pattern_is_shared") {
  const varmat value(8, 1, numbers(8, 2.0).data()), b(5, 1, numbers{1.0, 2.0, 3.0, 4.0, 5.0}.data());
  const numbers expected = multiply(pattern(), value, b).values();
  sparse first = pattern();
  sparse second = first;
  sparse third(0, 0, std::vector<int>{0}, std::vector<int>{});
  third = second;
  second = std::move(first);
  CHECK_THROWS_WITH_AS(multiply(first, value, b), "s is NULL", admpi::error);
  first = second;
  for (const sparse *each : {&first, &second, &third}) {
    CHECK(each->rows() == 4);
    CHECK(multiply(*each, value, b).values() == expected);
  }
}

TEST_CASE("test_linalg_functions_find_one_dependent_column") {
  // Of small integers, so that the last column is the sum of the others exactly, and scaled by powers of two.
  std::uint32_t state = 1;
  const auto next = [&] { return state = state * 1664525u + 1013904223u; };
  const auto integer = [&] { return static_cast<double>(next() >> 16 & 127) - 64.0; };
  int found = 0, trials = 0, regular = 0;
  for (const std::int64_t n : {3, 5, 10, 30}) {
    for (int trial = 0; trial < 100; ++trial) {
      numbers x(static_cast<std::size_t>(n * n)), last(static_cast<std::size_t>(n));
      for (std::int64_t j = 0; j + 1 < n; ++j) {
        const double scale = std::ldexp(1.0, static_cast<int>(next() >> 16 & 15) - 8);
        for (std::int64_t i = 0; i < n; ++i) {
          const double value = integer() * scale;
          x[static_cast<std::size_t>(i + j * n)] = value;
          last[static_cast<std::size_t>(i)] += value;
        }
      }
      std::copy(last.begin(), last.end(), x.end() - n);
      const varmat a(n, n, x.data());
      ++trials;
      found += message([&] { solve(a, a); }).find("solve: a is singular: column ") == 0;
      found += message([&] { qr(a); }).find("qr: a does not have full rank: column ") == 0;
      // Its rows depend on each other as the columns do; gram is of integers too.
      found += message([&] { cholesky(tcrossprod(a)); }).find("cholesky: a is not positive definite: pivot ") == 0;
      // Far from that by a part in a billion.
      for (double &value : x) value *= 1.0 + 1e-9 * integer();
      const varmat b(n, n, x.data());
      regular += message([&] { solve(b, b); }) == "no error";
      regular += message([&] { qr(b); }) == "no error";
    }
  }
  CHECK(found == 3 * trials);
  CHECK(regular == 2 * trials);
}

TEST_CASE("test_linalg_functions_refuse") {
  recording tape;
  varmat a = any(3, 2), square = any(3, 3), singular = multiply(any(4, 2), any(2, 4, 30));
  for (varmat *x : {&a, &square, &singular}) tape.input(*x);
  const std::string shape = ": a is 3 x 2, not square";
  CHECK(message([&] { trace(a); }) == "trace" + shape);
  CHECK(message([&] { solve(a, square); }) == "solve" + shape);
  CHECK(message([&] { solve_spd(a, square); }) == "solve_spd" + shape);
  CHECK(message([&] { solve_lower(a, square); }) == "solve_lower" + shape);
  CHECK(message([&] { inverse(a); }) == "inverse" + shape);
  CHECK(message([&] { inverse_spd(a); }) == "inverse_spd" + shape);
  CHECK(message([&] { determinant(a); }) == "determinant" + shape);
  CHECK(message([&] { log_determinant(a); }) == "log_determinant" + shape);
  CHECK(message([&] { log_determinant_spd(a); }) == "log_determinant_spd" + shape);
  CHECK(message([&] { cholesky(a); }) == "cholesky" + shape);
  CHECK(message([&] { eigenvalues_sym(a); }) == "eigenvalues_sym" + shape);
  CHECK(message([&] { eigen_sym(a); }) == "eigen_sym" + shape);
  CHECK(message([&] { quad_form(a, square); }) == "quad_form" + shape);
  CHECK(message([&] { quad_form(square, a.transpose()); }) == "quad_form: a is 3 x 3, but b is 2 x 3");
  CHECK(message([&] { solve(square, a.transpose()); }) == "solve: a is 3 x 3, but b is 2 x 3");
  CHECK(message([&] { solve_upper(square, a.transpose()); }) == "solve_upper: a is 3 x 3, but b is 2 x 3");
  CHECK(message([&] { diag(a); }) == "diag: d is 3 x 2, not a vector");
  CHECK(message([&] { diag_pre_multiply(square.col(0), a.transpose()); }) == "diag_pre_multiply: d is 3 x 1, but a is 2 x 3");
  CHECK(message([&] { diag_post_multiply(a, square.col(0)); }) == "diag_post_multiply: d is 3 x 1, but a is 3 x 2");

  const std::string dependent = ": a is singular: column 2 depends on those before it (its pivot is ";
  CHECK(starts_with(message([&] { solve(singular, singular); }), "solve" + dependent));
  CHECK(starts_with(message([&] { inverse(singular); }), "inverse" + dependent));
  CHECK(starts_with(message([&] { log_determinant(singular); }), "log_determinant" + dependent));
  CHECK(starts_with(message([&] { lu(singular); }), "lu" + dependent));
  CHECK(starts_with(message([&] { qr(singular); }), "qr: a does not have full rank: column 2 depends on those before it"));
  varmat upper = square;
  upper(1, 1) = 0.0;
  CHECK(message([&] { solve_upper(upper, square); }) == "solve_upper: a is singular: its element (1, 1) is 0");
  // Scales are not what makes a matrix singular.
  const varmat scaled = diag_pre_multiply(varmat(numbers{1e-200, 1.0, 1e100}), any(3, 3, 7));
  check_close(solve(scaled, scaled).values(), {1, 0, 0, 0, 1, 0, 0, 0, 1}, 1e-12);

  varmat indefinite(2, 2, numbers{1.0, 2.0, 2.0, 1.0}.data());
  tape.input(indefinite);
  const std::string negative = ": a is not positive definite: pivot 1 is not positive";
  CHECK(message([&] { cholesky(indefinite); }) == "cholesky" + negative);
  CHECK(message([&] { solve_spd(indefinite, indefinite); }) == "solve_spd" + negative);
  CHECK(message([&] { inverse_spd(indefinite); }) == "inverse_spd" + negative);
  CHECK(message([&] { log_determinant_spd(indefinite); }) == "log_determinant_spd" + negative);
  // Of which rounding leaves some digits.
  const varmat nearly(2, 2, numbers{1.0, 1.0, 1.0, 1.0 + 0x1p-37}.data());
  CHECK(cholesky(nearly)(1, 1).value == doctest::Approx(std::sqrt(0x1p-37)));
  CHECK(starts_with(message([&] { cholesky(tcrossprod(any(4, 2))); }), "cholesky: a is not positive definite: pivot 2 is "));

  // Not positive definite or singular, but no matrix at all.
  varmat no_number = square;
  no_number(2, 1) = std::nan("");
  const std::string nan = ": a(2, 1) = NaN is not finite";
  CHECK(message([&] { qr(no_number); }) == "qr" + nan);
  CHECK(message([&] { cholesky(no_number); }) == "cholesky" + nan);
  CHECK(message([&] { solve_spd(no_number, square); }) == "solve_spd" + nan);
  CHECK(message([&] { svd(no_number); }) == "svd" + nan);
  CHECK(message([&] { singular_values(no_number); }) == "singular_values" + nan);
  CHECK(message([&] { eigen_sym(no_number); }) == "eigen_sym" + nan);
  CHECK(message([&] { eigenvalues_sym(no_number); }) == "eigenvalues_sym" + nan);
  CHECK(message([&] { lu(no_number); }) == "lu" + nan);
  CHECK(message([&] { solve(no_number, square); }) == "solve" + nan);
  CHECK(message([&] { determinant(no_number); }) == "determinant" + nan);
  no_number(2, 1) = -std::numeric_limits<double>::infinity();
  CHECK(message([&] { qr(no_number); }) == "qr: a(2, 1) = -inf is not finite");
  varmat not_read = positive(3);
  not_read(0, 2) = std::nan("");
  CHECK(cholesky(not_read).values() == cholesky(positive(3)).values());
  CHECK(eigenvalues_sym(not_read).values() == eigenvalues_sym(positive(3)).values());

  const std::vector<int> start{0, 1, 3}, column{0, 1, 2};
  CHECK(message([&] { sparse(2, 2, start, column); }) == "sparse: column[2] = 2 is not below cols = 2");
  CHECK(message([&] { sparse(2, 3, std::vector<int>{0, 4, 3}, column); }) ==
        "sparse: row_start[1] = 4 is not between 0 and 3");
  CHECK(message([&] { sparse(2, 3, std::vector<int>{1, 2, 3}, column); }) ==
        "sparse: row_start[0] = 1 is not between 0 and 0");
  CHECK(message([&] { sparse(2, 3, std::vector<int>{0, 1, 2}, column); }) ==
        "sparse: row_start[2] = 2, but there are 3 columns");
  const sparse s(2, 3, start, column);
  CHECK(message([&] { multiply(s, square.col(0), a.transpose()); }) == "sparse_multiply: b is 2 x 3, but must have 3 rows");
  CHECK(message([&] { multiply(s, a.col(0).head(2), square); }) ==
        "sparse_multiply: value has 2 elements, but the pattern 3");

  admpi_varmat *made = nullptr;
  const admpi_view v = square.parts();
  CHECK(admpi_lu(&v, 2, &made, &made, std::vector<std::int64_t>(2).data()) == ADMPI_ERR_ARGUMENT);
  CHECK(std::string(admpi_last_error()) == "m = 2, but a has 3 rows");
  CHECK(admpi_qr(&v, &made, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_solve(nullptr, &v, &made) == ADMPI_ERR_NULL);
  CHECK(admpi_sparse_multiply(nullptr, &v, &v, &made) == ADMPI_ERR_NULL);
  CHECK(made == nullptr);
  admpi_sparse_free(nullptr);
}
