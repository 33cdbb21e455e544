// Every function of linear algebra: against programs of scalars, against finite differences, in every mixture of active and
// passive operands, as parts and transposes, in many directions, after its operands and results were overwritten; second
// derivatives; and what is refused.
#include <admpi/tangent_linalg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using namespace admpi;
using test::message;
using test::numbers;
using views = std::vector<view>;
using matrices = std::vector<varmat>;
using tangents = std::vector<tangent<varmat>>;

namespace {

numbers some(std::int64_t n, std::int64_t from = 0) {
  numbers x(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) {
    const double y = std::sin(12.9898 * static_cast<double>(from + k + 1)) * 43758.5453;
    x[static_cast<std::size_t>(k)] = 2.0 * (y - std::floor(y)) - 1.0;
  }
  return x;
}

varmat any(std::int64_t rows, std::int64_t cols, std::int64_t from = 0) {
  return varmat(rows, cols, some(rows * cols, from).data());
}

varmat shifted(varmat a, double by) {
  for (std::int64_t i = 0; i < a.rows(); ++i) a(i, i) += by;
  return a;
}

varmat positive(std::int64_t n, std::int64_t from = 0) {
  return shifted(tcrossprod(any(n, n, from)), 0.5);
}

// What functions return, as a list of matrices.

matrices list(const varmat &a) { return {a}; }
matrices list(const var &x) { return {x.id == 0 ? varmat(1, 1, &x.value) : varmat(1, 1, &x)}; }
tangents list(const tangent<varmat> &a) { return {a}; }
tangents list(const tangent<var> &x) { return {{varmat(1, 1, &x.value), varmat(1, 1, &x.derivative)}}; }
template <class M>
std::vector<M> list(const lu_factors<M> &f) {
  return {f.l, f.u};
}
template <class M>
std::vector<M> list(const qr_factors<M> &f) {
  return {f.q, f.r};
}
template <class M>
std::vector<M> list(const eigen_pairs<M> &f) {
  return {f.values, f.vectors};
}
template <class M>
std::vector<M> list(const singular_triplets<M> &f) {
  return {f.u, f.s, f.v};
}

/// A function at a point.
struct subject {
  std::string name;
  matrices at;
  std::function<matrices(const views &)> f;
  std::function<tangents(const tangents &)> tangent_of;
};

#define SUBJECT(name, at, ...)                                                                         \
  subject {                                                                                            \
    name, at, [=](const views &x) { return list(__VA_ARGS__); }, [=](const tangents &x) { return list(__VA_ARGS__); } \
  }

sparse pattern() {
  // An empty row, an element twice, columns in any order.
  return sparse(4, 5, std::vector<int>{0, 3, 3, 6, 8}, std::vector<int>{4, 0, 2, 1, 1, 3, 0, 4});
}

std::vector<subject> subjects(std::int64_t n) {
  const sparse s = pattern();
  return {
      SUBJECT("multiply", (matrices{any(n, n + 2), any(n + 2, n + 1, 50)}), multiply(x[0], x[1])),
      SUBJECT("multiply by a vector", (matrices{any(n, n), any(n, 1, 50)}), multiply(x[0], x[1])),
      SUBJECT("tcrossprod", (matrices{any(n, n + 1)}), tcrossprod(x[0])),
      SUBJECT("quad_form", (matrices{any(n, n), any(n, 2, 50)}), quad_form(x[0], x[1])),
      SUBJECT("sum", (matrices{any(n, n + 1)}), sum(x[0])),
      SUBJECT("trace", (matrices{any(n, n)}), trace(x[0])),
      SUBJECT("diag", (matrices{any(n, 1)}), diag(x[0])),
      SUBJECT("diag_pre_multiply", (matrices{any(n, 1), any(n, 3, 50)}), diag_pre_multiply(x[0], x[1])),
      SUBJECT("diag_post_multiply", (matrices{any(3, n), any(1, n, 50)}), diag_post_multiply(x[0], x[1])),
      SUBJECT("solve", (matrices{any(n, n, 7), any(n, 3, 50)}), solve(x[0], x[1])),
      SUBJECT("solve for a vector", (matrices{any(n, n, 7), any(n, 1, 50)}), solve(x[0], x[1])),
      SUBJECT("solve_spd", (matrices{positive(n), any(n, 3, 50)}), solve_spd(x[0], x[1])),
      SUBJECT("solve_lower", (matrices{shifted(any(n, n), 2.0), any(n, 3, 50)}), solve_lower(x[0], x[1])),
      SUBJECT("solve_upper", (matrices{shifted(any(n, n), 2.0), any(n, 3, 50)}), solve_upper(x[0], x[1])),
      SUBJECT("inverse", (matrices{any(n, n, 7)}), inverse(x[0])),
      SUBJECT("inverse_spd", (matrices{positive(n)}), inverse_spd(x[0])),
      SUBJECT("determinant", (matrices{any(n, n, 7)}), determinant(x[0])),
      SUBJECT("determinant of a singular matrix", (matrices{multiply(any(n, n - 1), any(n - 1, n, 30))}), determinant(x[0])),
      SUBJECT("log_determinant", (matrices{any(n, n, 7)}), log_determinant(x[0])),
      SUBJECT("log_determinant_spd", (matrices{positive(n)}), log_determinant_spd(x[0])),
      SUBJECT("cholesky", (matrices{positive(n)}), cholesky(x[0])),
      SUBJECT("lu", (matrices{any(n, n, 7)}), lu(x[0])),
      SUBJECT("qr", (matrices{any(n + 2, n, 7)}), qr(x[0])),
      SUBJECT("qr of a square matrix", (matrices{any(n, n, 7)}), qr(x[0])),
      SUBJECT("eigenvalues_sym", (matrices{any(n, n)}), eigenvalues_sym(x[0])),
      SUBJECT("eigen_sym", (matrices{any(n, n)}), eigen_sym(x[0])),
      SUBJECT("singular_values", (matrices{any(n + 1, n)}), singular_values(x[0])),
      SUBJECT("svd", (matrices{any(n + 1, n)}), svd(x[0])),
      SUBJECT("svd of a wide matrix", (matrices{any(n, n + 1)}), svd(x[0])),
      SUBJECT("lu of a high matrix", (matrices{any(n + 2, n, 7)}), lu(x[0])),
      SUBJECT("lu of a wide matrix", (matrices{any(n, n + 2, 7)}), lu(x[0])),
      SUBJECT("qr of a wide matrix", (matrices{any(n, n + 2, 7)}), qr(x[0])),
      SUBJECT("sparse multiply", (matrices{any(8, 1), any(5, n, 50)}), multiply(s, x[0], x[1])),
      SUBJECT("sparse multiply_transposed", (matrices{any(1, 8), any(4, n, 50)}), multiply_transposed(s, x[0], x[1])),
  };
}

views as_views(const matrices &x) { return views(x.begin(), x.end()); }

/// Columns of vectors may turn round between two points.
void align(matrices &y, const matrices &base) {
  for (std::size_t r = 0; r < y.size(); ++r) {
    for (std::int64_t j = 0; j < y[r].cols() && y[r].rows() > 1; ++j) {
      double along = 0.0;
      for (std::int64_t i = 0; i < y[r].rows(); ++i) along += y[r](i, j).value * base[r](i, j).value;
      for (std::int64_t i = 0; i < y[r].rows() && along < 0.0; ++i) y[r](i, j) = -y[r](i, j);
    }
  }
}

/// The weights of the results of a subject.
numbers weights(std::size_t result, std::int64_t n, int direction = 0) {
  return some(n, 300 + 40 * static_cast<std::int64_t>(result) + 11 * direction);
}

double weighted(const matrices &y) {
  double total = 0.0;
  for (std::size_t r = 0; r < y.size(); ++r) {
    const numbers value = y[r].values(), weight = weights(r, y[r].size());
    for (std::size_t k = 0; k < value.size(); ++k) total += weight[k] * value[k];
  }
  return total;
}

varmat moved(const varmat &a, std::int64_t k, double by) {
  numbers x = a.values();
  x[static_cast<std::size_t>(k)] += by;
  return varmat(a.rows(), a.cols(), x.data());
}

/// The gradient in operand p by central differences, without a tape that records.
numbers differences(const subject &of, std::size_t p) {
  const matrices base = of.f(as_views(of.at));
  numbers gradient;
  for (std::int64_t k = 0; k < of.at[p].size(); ++k) {
    double side[2];
    for (const int way : {0, 1}) {
      matrices x = of.at;
      x[p] = moved(x[p], k, way == 0 ? 1e-5 : -1e-5);
      matrices y = of.f(as_views(x));
      align(y, base);
      side[way] = weighted(y);
    }
    gradient.push_back((side[0] - side[1]) / 2e-5);
  }
  return gradient;
}

void check_close(const numbers &got, const numbers &expected, double tolerance) {
  REQUIRE(got.size() == expected.size());
  double scale = 1.0;
  for (const double x : expected) scale = std::fmax(scale, std::fabs(x));
  for (std::size_t k = 0; k < got.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(got[k] - expected[k]) <= tolerance * scale);
  }
}

struct recording : tape {
  recording() { start(); }
  matrices inputs(const matrices &at) {
    matrices x = at;
    for (varmat &a : x) input(a);
    return x;
  }
  void seed_results(const matrices &y, int direction = 0) {
    for (std::size_t r = 0; r < y.size(); ++r) seed(y[r], weights(r, y[r].size(), direction), direction);
  }
  std::vector<numbers> gradients(const matrices &y, const matrices &x) {
    clear_adjoints();
    seed_results(y);
    reverse();
    std::vector<numbers> all;
    for (const varmat &a : x) all.push_back(adjoints(a));
    return all;
  }
};

bool starts_with(const std::string &text, const std::string &with) { return text.compare(0, with.size(), with) == 0; }

}  // namespace

TEST_CASE("test_linalg_functions_against_differences_active_or_passive") {
  for (const std::int64_t n : {1, 2, 4}) {
    for (const subject &of : subjects(n)) {
      CAPTURE(of.name);
      CAPTURE(n);
      std::vector<numbers> expected;
      for (std::size_t p = 0; p < of.at.size(); ++p) expected.push_back(differences(of, p));
      const matrices plain = of.f(as_views(of.at));
      for (unsigned active = 0; active < 1u << of.at.size(); ++active) {
        CAPTURE(active);
        recording tape;
        matrices x = of.at;
        for (std::size_t p = 0; p < x.size(); ++p) {
          if ((active >> p & 1u) != 0) tape.input(x[p]);
        }
        const auto before = tape.statistics();
        const matrices y = of.f(as_views(x));
        for (std::size_t r = 0; r < y.size(); ++r) {
          CHECK(y[r].values() == plain[r].values());
          CHECK((y[r].size() == 0 || (y[r](0).id != 0) == (active != 0)));
        }
        if (active == 0) {
          CHECK(tape.statistics().events == before.events);
          CHECK(tape.statistics().used_bytes == before.used_bytes);
          continue;
        }
        const auto gradients = tape.gradients(y, x);
        for (std::size_t p = 0; p < x.size(); ++p) {
          if ((active >> p & 1u) == 0) continue;
          CAPTURE(p);
          check_close(gradients[p], expected[p], 1e-7);
        }
        CHECK(tape.gradients(y, x) == gradients);
      }
    }
  }
}

TEST_CASE("test_linalg_functions_in_many_directions") {
  for (const int width : {2, 4, 16}) {
    for (const subject &of : subjects(3)) {
      CAPTURE(of.name);
      CAPTURE(width);
      recording tape;
      const matrices x = tape.inputs(of.at), y = of.f(as_views(x));
      std::vector<numbers> alone;
      for (int k = 0; k < width; ++k) {
        tape.clear_adjoints();
        for (std::size_t r = 0; r < y.size(); ++r) tape.seed(y[r], weights(r, y[r].size(), k));
        // One direction is not asked.
        if (k == 1) tape.clear_adjoints();
        tape.reverse();
        for (const varmat &a : x) alone.push_back(tape.adjoints(a));
      }
      tape.set_width(width);
      for (int k = 0; k < width; ++k) {
        if (k != 1) tape.seed_results(y, k);
      }
      tape.reverse();
      std::size_t at = 0;
      for (int k = 0; k < width; ++k) {
        for (const varmat &a : x) check_close(tape.adjoints(a, k), alone[at++], 1e-13);
      }
    }
  }
}

TEST_CASE("test_linalg_functions_of_parts_and_transposes") {
  for (const subject &of : subjects(4)) {
    CAPTURE(of.name);
    recording tape;
    const matrices x = tape.inputs(of.at);
    const matrices y = of.f(as_views(x));
    const auto expected = tape.gradients(y, x);
    // The same elements, as they were, transposed, in a larger matrix, every second one of one, and with ids in a list.
    for (int lie = 0; lie < 5; ++lie) {
      CAPTURE(lie);
      matrices keep;
      views v;
      for (const varmat &a : x) {
        const std::int64_t m = a.rows(), n = a.cols();
        if (lie == 0) {
          keep.push_back(varmat(view(a.transpose())));
          keep.back().compact();
          v.push_back(keep.back().transpose());
        } else if (lie == 1) {
          keep.emplace_back(m + 3, n + 2);
          keep.back().block(1, 2, m, n) = a;
          keep.back().compact();
          v.push_back(keep.back().block(1, 2, m, n));
        } else if (lie == 2 || lie == 3) {
          keep.emplace_back(2 * m + 1, 3 * n);
          admpi_view grid = keep.back().parts();
          grid.offset = 1;
          grid.row_step = 2;
          grid.col_step = 3 * keep.back().rows();
          grid.rows = m;
          grid.cols = n;
          view part(grid);
          part = a;
          if (lie == 2) keep.back().compact();
          v.push_back(part);
        } else {
          keep.push_back(a);
          for (std::int64_t k = 0; k < a.size(); ++k) keep.back()(k) = a(k);
          v.push_back(keep.back());
        }
      }
      matrices z = of.f(v);
      align(z, y);
      for (std::size_t r = 0; r < y.size(); ++r) check_close(z[r].values(), y[r].values(), 1e-12);
      const auto gradients = tape.gradients(z, x);
      for (std::size_t p = 0; p < x.size(); ++p) check_close(gradients[p], expected[p], 1e-11);
    }
  }
}

TEST_CASE("test_linalg_functions_before_operands_and_results_are_overwritten") {
  for (const subject &of : subjects(3)) {
    CAPTURE(of.name);
    recording tape;
    matrices x = tape.inputs(of.at);
    const matrices inputs = x;
    // Passive ones too.
    matrices mixed = x;
    mixed.back() = of.at.back();
    matrices y = of.f(as_views(x)), z = of.f(as_views(mixed));
    const matrices results = y;
    std::vector<numbers> expected = tape.gradients(y, inputs), of_mixed = tape.gradients(z, inputs);
    const var stranger = sin(inputs[0](0));
    for (matrices *all : {&x, &y, &z, &mixed}) {
      for (varmat &a : *all) {
        if (a.size() == 0) continue;
        a(0) = stranger;
        a(a.size() - 1) = 17.0;
        if (a.rows() > 1) a.row(1) = numbers(static_cast<std::size_t>(a.cols()), -3.0);
      }
    }
    for (int sweep = 0; sweep < 2; ++sweep) CHECK(tape.gradients(results, inputs) == expected);
    if (of.at.size() > 1) {
      matrices again = inputs;
      again.back() = of.at.back();
      CHECK(tape.gradients(of.f(as_views(again)), inputs) == of_mixed);
    }
  }
}

TEST_CASE("test_linalg_functions_of_one_operand_twice") {
  struct pair {
    const char *name;
    varmat (*f)(const view &, const view &);
    varmat at;
  };
  for (const pair &of : {pair{"multiply", multiply, any(3, 3)}, pair{"solve", solve, any(3, 3, 7)},
                         pair{"solve_spd", solve_spd, positive(3)}, pair{"solve_lower", solve_lower, shifted(any(3, 3), 2.0)},
                         pair{"solve_upper", solve_upper, shifted(any(3, 3), 2.0)}, pair{"quad_form", quad_form, any(3, 3)}}) {
    CAPTURE(of.name);
    recording tape;
    varmat x = of.at, a = of.at, b = of.at;
    tape.input(x);
    tape.input(a);
    tape.input(b);
    for (const bool turned : {false, true}) {
      const varmat once = turned ? of.f(x, x.transpose()) : of.f(x, x);
      const varmat apart = turned ? of.f(a, b.transpose()) : of.f(a, b);
      const auto both = tape.gradients({apart}, {a, b});
      numbers sum = both[0];
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += both[1][k];
      check_close(tape.gradients({once}, {x})[0], sum, 1e-13);
    }
  }
}

TEST_CASE("test_linalg_functions_second_derivatives") {
  for (const std::int64_t n : {1, 3}) {
    for (const subject &of : subjects(n)) {
      CAPTURE(of.name);
      CAPTURE(n);
      matrices along;
      for (const varmat &a : of.at) along.push_back(any(a.rows(), a.cols(), 900));
      recording tape;
      const matrices x = tape.inputs(of.at);
      tangents t;
      for (std::size_t p = 0; p < x.size(); ++p) t.push_back({x[p], along[p]});
      const tangents y = of.tangent_of(t);
      const matrices values = of.f(as_views(x));
      matrices derivatives;
      for (std::size_t r = 0; r < y.size(); ++r) {
        check_close(y[r].value.values(), values[r].values(), 1e-12);
        derivatives.push_back(y[r].derivative);
      }
      const auto got = tape.gradients(derivatives, x);
      // Differences of values and of gradients along the direction.
      const double h = 1e-5;
      std::vector<numbers> value_of[2], gradient_of[2];
      for (const int side : {0, 1}) {
        matrices point;
        for (std::size_t p = 0; p < x.size(); ++p) {
          numbers at = of.at[p].values();
          const numbers to = along[p].values();
          for (std::size_t k = 0; k < at.size(); ++k) at[k] += (side == 0 ? h : -h) * to[k];
          point.emplace_back(x[p].rows(), x[p].cols(), at.data());
        }
        recording other;
        const matrices z = other.inputs(point);
        matrices out = of.f(as_views(z));
        align(out, values);
        for (const varmat &result : out) value_of[side].push_back(result.values());
        gradient_of[side] = other.gradients(out, z);
      }
      for (std::size_t r = 0; r < y.size(); ++r) {
        numbers expected = value_of[0][r];
        for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = (expected[k] - value_of[1][r][k]) / (2.0 * h);
        check_close(derivatives[r].values(), expected, 1e-6);
      }
      for (std::size_t p = 0; p < x.size(); ++p) {
        numbers expected = gradient_of[0][p];
        for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = (expected[k] - gradient_of[1][p][k]) / (2.0 * h);
        check_close(got[p], expected, 1e-6);
      }
    }
  }
}

namespace {

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
    admpi::tape tape;
    tape.start();
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
  admpi::tape tape;
  tape.start();
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

TEST_CASE("test_linalg_functions_of_no_elements") {
  recording tape;
  varmat none(0, 0), wide(0, 3);
  tape.input(none);
  tape.input(wide);
  CHECK(determinant(none).value == 1.0);
  CHECK(log_determinant(none).value == 0.0);
  CHECK(log_determinant_spd(none).value == 0.0);
  CHECK(trace(none).value == 0.0);
  for (const varmat &a : {inverse(none), inverse_spd(none), cholesky(none), solve(none, none), solve_spd(none, none),
                          solve_lower(none, none), lu(none).l, qr(none).r, eigen_sym(none).vectors, svd(none).u, diag(varmat(0, 1)),
                          eigenvalues_sym(none), singular_values(none), tcrossprod(none), quad_form(none, none)}) {
    CHECK(a.size() == 0);
  }
  CHECK(solve(none, wide).cols() == 3);
  CHECK(qr(wide).r.cols() == 3);
  CHECK(lu(wide.transpose()).l.rows() == 3);
  CHECK(svd(wide).v.rows() == 3);
  CHECK(multiply(wide.transpose(), wide).values() == numbers(9, 0.0));
  CHECK(multiply(sparse(0, 0, std::vector<int>{0}, std::vector<int>{}), varmat(0, 1), wide).cols() == 3);
  tape.reverse();
}

TEST_CASE("test_linalg_functions_without_a_tape") {
  for (const subject &of : subjects(3)) {
    CAPTURE(of.name);
    const matrices y = of.f(as_views(of.at));
    CHECK(y[0](0).id == 0);
    CHECK(std::isfinite(y[0](0).value));
  }
}

TEST_CASE("test_linalg_functions_in_nests_and_ranges") {
  recording tape;
  varmat a = positive(4);
  tape.input(a);
  const position start = tape.position();
  const varmat l = cholesky(a);
  const position between = tape.position();
  const var y = log_determinant(multiply(l, l));
  // Down to the place between, then on.
  tape.seed(y);
  tape.reverse(tape.position(), between);
  const numbers half = tape.adjoints(l);
  check_close({half[0], half[1]}, {2.0 / l(0, 0).value, 0.0}, 1e-12);
  tape.reverse(between, start);
  const numbers all = tape.adjoints(a);
  const numbers expected = [&] {
    tape.clear_adjoints();
    tape.seed(log_determinant_spd(a));
    tape.reverse();
    return tape.adjoints(a);
  }();
  check_close(all, expected, 1e-12);
  tape.clear_adjoints();
  {
    nested nest(ADMPI_NEST_ISOLATED);
    varmat b = any(4, 2);
    tape.input(b);
    const varmat x = solve_spd(a, b);
    tape.seed(x, some(8));
    tape.reverse();
    CHECK(tape.adjoints(a) == numbers(16, 0.0));
    const numbers weighted = solve_spd(a, varmat(4, 2, some(8).data())).values();
    check_close(tape.adjoints(b), weighted, 1e-12);
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
