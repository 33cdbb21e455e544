// Random array statements of any length against dual numbers, element by element: parts that overlap, columns apart and one behind
// the other, transposed, with ids of their own; weights that are partly zero; one direction and four.
#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "harness/recording_tape.hpp"

using admpi::var;
using admpi::varmat;
using admpi::view;

namespace {

using dual = admpi::tangent<double>;

/// Calls visit with one of the functions of two elements and a scalar, written for arrays and numbers alike.
template <class Visit>
void with_expression(int which, Visit visit) {
  switch (which) {
    case 0: return visit([](const auto &a, const auto &, const auto &) { return exp(a); });
    case 1: return visit([](const auto &a, const auto &b, const auto &s) { return admpi::elt_multiply(a, a) + exp(-b) * s; });
    case 2: return visit([](const auto &a, const auto &b, const auto &s) { return admpi::elt_multiply(inv_logit(log(a)), sin(b)) / (s + 2.0); });
    case 3: return visit([](const auto &a, const auto &, const auto &) { return tanh(exp(-a)); });
    case 4: return visit([](const auto &a, const auto &b, const auto &) { return pow(a, b); });
    case 5: return visit([](const auto &a, const auto &b, const auto &) { return admpi::elt_multiply(lgamma(a), log1p(b)); });
    case 6: return visit([](const auto &a, const auto &b, const auto &s) { return admpi::elt_multiply(sqrt(a), cos(b)) - tan(0.3 * a) * s; });
    case 7: return visit([](const auto &a, const auto &b, const auto &) { return hypot(a, b) + atan2(b, a) + abs(a - b); });
    case 8: return visit([](const auto &a, const auto &b, const auto &s) { return admpi::elt_multiply(square(a), inv(b)) + erf(s * a); });
    case 9: return visit([](const auto &a, const auto &, const auto &) { return log(sqrt(sin(0.5 * a))); });
    case 10: return visit([](const auto &a, const auto &b, const auto &) { return max(a, b); });
    default: return visit([](const auto &a, const auto &, const auto &) { return 3.0 * a; });
  }
}
constexpr int expressions = 12;

class choices {
 public:
  explicit choices(unsigned seed) : engine_(seed) {}
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<unsigned>(n)); }
  double real(double a, double b) { return a + (b - a) * static_cast<double>(engine_() % 1000003) / 1000003.0; }
  std::vector<double> reals(std::int64_t n, double a, double b) {
    std::vector<double> all(static_cast<std::size_t>(n));
    for (double &x : all) x = real(a, b);
    return all;
  }

 private:
  std::mt19937 engine_;
};

/// rows x cols elements of a matrix from (i, j) on; turned: of its transpose.
struct part {
  std::int64_t i, j, rows, cols;
  bool turned;

  part(choices &next, std::int64_t from_rows, std::int64_t from_cols, std::int64_t r, std::int64_t c, bool turn)
      : i(0), j(0), rows(r), cols(c), turned(turn) {
    i = next.below(from_rows - (turned ? cols : rows) + 1);
    j = next.below(from_cols - (turned ? rows : cols) + 1);
  }
  view of(const varmat &m) const {
    return turned ? m.block(i, j, cols, rows).transpose() : m.block(i, j, rows, cols);
  }
  /// Where element (r, c) stands in its matrix of `ld` rows.
  std::size_t at(std::int64_t r, std::int64_t c, std::int64_t ld) const {
    return static_cast<std::size_t>(turned ? i + c + (j + r) * ld : i + r + (j + c) * ld);
  }
};

constexpr double tolerance = 2e-13;
bool close(double got, double expected) { return std::fabs(got - expected) <= tolerance * (1.0 + std::fabs(expected)); }

void check_statement(unsigned seed) {
  CAPTURE(seed);
  choices next(seed);
  const std::int64_t lengths[] = {1, 2, 15, 16, 17, 63, 64, 65, 100, 143, 144, 160, 209, 224, 225, 449, 700};
  std::int64_t rows = lengths[next.below(17)], cols = next.below(3) == 0 ? 1 : 1 + next.below(4);
  if (next.below(4) == 0) std::swap(rows, cols);
  const bool contiguous = next.below(2) == 0;
  const std::int64_t ld = rows + (contiguous ? 0 : 1 + next.below(5)), width_of = cols + 2;
  // Room for a part and for the transpose of one.
  const std::int64_t tall = std::max(ld, cols + 3), wide = std::max(width_of, next.below(3) == 0 ? rows + 1 : 0);
  test::recording_tape tape;
  const int directions = next.below(3) == 0 ? 4 : 1;
  tape.set_width(directions);
  std::vector<double> values = next.reals(tall * wide, 0.25, 1.75);
  varmat m(tall, wide, values.data());
  tape.input(m);
  const varmat inputs = m;
  const double value_of_s = next.real(0.3, 1.2);
  var s = value_of_s;
  tape.input(s);
  // Sometimes with ids of its own: elements exchanged.
  std::vector<std::size_t> origin(values.size());
  for (std::size_t k = 0; k < origin.size(); ++k) origin[k] = k;
  if (next.below(3) == 0) {
    for (int k = 0; k < 5; ++k) {
      const std::int64_t p = next.below(tall * wide), q = next.below(tall * wide);
      const var x = m(p % tall, p / tall), y = m(q % tall, q / tall);
      m(p % tall, p / tall) = y;
      m(q % tall, q / tall) = x;
      std::swap(values[static_cast<std::size_t>(p)], values[static_cast<std::size_t>(q)]);
      std::swap(origin[static_cast<std::size_t>(p)], origin[static_cast<std::size_t>(q)]);
    }
  }
  const bool fits = wide >= rows && tall >= cols;
  const part a(next, tall, wide, rows, cols, fits && next.below(3) == 0), b(next, tall, wide, rows, cols, fits && next.below(3) == 0);
  const bool summed = next.below(3) == 0;
  const std::size_t n = static_cast<std::size_t>(rows * cols);
  with_expression(static_cast<int>(next.below(expressions)), [&](const auto &f) {
    // As a matrix, as a part of a larger one, or as a sum.
    varmat y;
    var total;
    if (summed) {
      total = sum(f(a.of(m), b.of(m), s));
    } else if (next.below(2) == 0) {
      y = f(a.of(m), b.of(m), s);
    } else {
      varmat all(rows + 2, cols + 1);
      all.block(1, 1, rows, cols) = f(a.of(m), b.of(m), s);
      y = varmat(all.block(1, 1, rows, cols));
    }
    int wrong = 0;
    std::vector<std::vector<double>> expected(static_cast<std::size_t>(directions), std::vector<double>(values.size()));
    std::vector<double> of_s(expected.size());
    for (int d = 0; d < directions; ++d) {
      const auto direction = static_cast<std::size_t>(d);
      std::vector<double> w(n, d == 2 ? 0.0 : next.real(0.5, 2.0));
      if (!summed) {
        for (double &each : w) each = next.below(4) == 0 ? 0.0 : next.real(-1.0, 1.0);
        tape.seed(y, w, d);
      } else {
        tape.seed(total, w[0], d);
      }
      double expected_sum = 0.0;
      for (std::int64_t c = 0; c < cols; ++c) {
        for (std::int64_t r = 0; r < rows; ++r) {
          const std::size_t at_a = a.at(r, c, tall), at_b = b.at(r, c, tall), k = static_cast<std::size_t>(r + c * rows);
          const auto along = [&](double da, double db, double ds) -> dual {
            return f(dual(values[at_a], da), dual(values[at_b], db), dual(value_of_s, ds));
          };
          const dual by_a = along(1.0, 0.0, 0.0);
          expected[direction][origin[at_a]] += w[k] * by_a.derivative;
          expected[direction][origin[at_b]] += w[k] * along(0.0, 1.0, 0.0).derivative;
          of_s[direction] += w[k] * along(0.0, 0.0, 1.0).derivative;
          expected_sum += by_a.value;
          if (!summed) wrong += !close(y(r, c).value, by_a.value);
        }
      }
      if (summed) wrong += !close(total.value, expected_sum);
    }
    CHECK(wrong == 0);
    tape.reverse();
    for (int d = 0; d < directions; ++d) {
      const auto direction = static_cast<std::size_t>(d);
      const std::vector<double> got = tape.adjoints(inputs, d);
      for (std::size_t k = 0; k < got.size(); ++k) wrong += !close(got[k], expected[direction][k]);
      CHECK(wrong == 0);
      CHECK(std::fabs(tape.adjoint(s, d) - of_s[direction]) <= tolerance * static_cast<double>(n) * (1.0 + std::fabs(of_s[direction])));
    }
  });
}

}  // namespace

TEST_CASE("test_scalars_random") {
  const char *first = std::getenv("ADMPI_RANDOM_SEED");
  const unsigned start = first != nullptr ? static_cast<unsigned>(std::atoi(first)) : 1;
  for (unsigned seed = start; seed < start + 200; ++seed) check_statement(seed);
}

TEST_CASE("test_random_expressions_infinite_partials_without_weight") {
  for (const std::size_t n : {1, 16, 100, 512, 700}) {
    test::recording_tape tape;
    std::vector<double> values(n, 4.0), w(n, 3.0);
    for (std::size_t k = 0; k < n; k += 3) values[k] = w[k] = 0.0;
    varmat x(values);
    tape.input(x);
    tape.seed(varmat(sqrt(x)), w);
    tape.seed(varmat(cbrt(x) + x), w);
    tape.reverse();
    const std::vector<double> got = tape.adjoints(x);
    int wrong = 0;
    for (std::size_t k = 0; k < n; ++k) wrong += !close(got[k], k % 3 == 0 ? 0.0 : 0.75 + 3.0 * (1.0 + std::cbrt(4.0) / 12.0));
    CHECK(wrong == 0);
  }
}
