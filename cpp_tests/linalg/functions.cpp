// Every function of linear algebra: against finite differences, in every mixture of active and passive operands, as parts and
// transposes, in many directions, after its operands and results were overwritten; second derivatives; operands of no elements.
#include <admpi/tangent_linalg.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "linalg/subjects.hpp"

using namespace subjects_of_linalg;

namespace {

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
