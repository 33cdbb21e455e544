// Points, values and derivatives of the functions of spec/functions.txt, for table.F90: those of the C library's by formulas in long
// double, special functions by their 60 digits. Not a number is what cannot be tested.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "scalars/function_lists.h"
#include "scalars/special_values.hpp"

namespace {

using real = long double;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

struct row {
  double a, b, value, of_a, of_b, aa, ab, bb;
};
using table = std::map<std::string, std::vector<row>>;

/// The derivative of g at x by differences, where two of them agree.
template <class G>
double slope(G g, double x) {
  const auto difference = [&](real h) { return (g(x + h) - g(x - h)) / (2 * h); };
  const double size = std::fabs(x);
  if (size > 0.0 && size < 1e-6) return unknown;
  const real h = size == 0.0 ? 1e-5L : 1e-5L * (size > 1.0 && size < 1e3 ? 1.0 : size);
  const real one = difference(h), other = difference(h / 2);
  return std::isfinite(one) && std::fabs(one - other) <= 1e-6L * std::fabs(other) ? static_cast<double>(other) : unknown;
}

template <class F, class D>
void add_unary(table &all, const char *name, F f, D d, const std::vector<double> &points) {
  for (const double x : points)
    all[name].push_back({x, 0.0, f(x), static_cast<double>(d(x)), 0.0, slope(d, x), 0.0, 0.0});
}

template <class F, class A, class B>
void add_binary(table &all, const char *name, F f, A of_a, B of_b, const std::vector<std::pair<double, double>> &points) {
  for (const auto &[x, y] : points) {
    const real a = x, b = y;
    all[name].push_back({x, y, f(x, y), static_cast<double>(of_a(a, b)), static_cast<double>(of_b(a, b)),
                         slope([&](real at) { return of_a(at, b); }, x), slope([&](real at) { return of_a(a, at); }, y),
                         slope([&](real at) { return of_b(a, at); }, y)});
  }
}

namespace of_formula {
double square(double x) { return x * x; }
double inv(double x) { return 1.0 / x; }
}  // namespace of_formula
namespace admpi = of_formula;

table make() {
  table all;
#define UNARY(scope, name, derivative, ...)                                                             \
  add_unary(all, #name, [](double x) { return scope::name(x); },                                        \
            []([[maybe_unused]] real x) -> real { return derivative; }, std::vector<double> __VA_ARGS__);
  TEST_STD_UNARY(UNARY)
#define BINARY(name, vv, vd, dv, d_a, d_b, ...)                                              \
  add_binary(all, #name, [](double a, double b) { return std::name(a, b); },                 \
             []([[maybe_unused]] real a, [[maybe_unused]] real b) -> real { return d_a; },   \
             []([[maybe_unused]] real a, [[maybe_unused]] real b) -> real { return d_b; }, __VA_ARGS__);
  TEST_STD_BINARY(BINARY)
#define SPECIAL_UNARY(name) \
  for (const unary_row &r : name##_rows) all[#name].push_back({r.x, 0.0, r.value, r.first, 0.0, r.second, 0.0, 0.0});
  TEST_SPECIAL_UNARY(SPECIAL_UNARY)
#define SPECIAL_BINARY(name, vv, vd, dv) \
  for (const binary_row &r : name##_rows) all[#name].push_back({r.a, r.b, r.value, r.a1, r.b1, r.aa, r.ab, r.bb});
  TEST_SPECIAL_BINARY(SPECIAL_BINARY)
  return all;
}

}  // namespace

/// The rows of a function, at most `most`; their number.
extern "C" int table_rows(const char *name, int most, row *rows) {
  static const table all = make();
  const auto found = all.find(name);
  if (found == all.end()) return 0;
  const int n = std::min(most, static_cast<int>(found->second.size()));
  std::copy_n(found->second.begin(), n, rows);
  return n;
}
