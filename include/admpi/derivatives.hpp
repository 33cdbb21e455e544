// admpi: Jacobians, Hessians, their products with vectors, and a check of a gradient. On ranks: admpi/derivatives_ranks.hpp.
//
//   auto f = [](const auto &x) { ... };                  // of a vector of any scalar; returns a vector of it, or a scalar
//   admpi::dense j = admpi::jacobian(f, x);
//   std::cout << admpi::check_gradient(g, x);            // the first tool of a port
#ifndef ADMPI_DERIVATIVES_HPP
#define ADMPI_DERIVATIVES_HPP

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iosfwd>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/tangent.hpp"
#include "admpi/tape.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A matrix of numbers, column-major.
struct dense {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> data;

  dense() = default;
  dense(std::int64_t m, std::int64_t n) : rows(m), cols(n), data(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
  double operator()(std::int64_t i, std::int64_t j) const { return data[static_cast<std::size_t>(i + j * rows)]; }
  double &operator()(std::int64_t i, std::int64_t j) { return data[static_cast<std::size_t>(i + j * rows)]; }
};

/// What check_gradient found of one input: the derivative by a sweep, by a tangent and by central differences of the values: of
/// these the one that changed least from step to step.
struct input_check {
  std::int64_t input;
  double x, reverse, forward, difference, step;
  bool is_right;
  int rank = 0;  ///< whose input it is
};

struct gradient_check {
  double value = 0.0;
  std::vector<input_check> inputs;
  bool is_right() const {
    return std::all_of(inputs.begin(), inputs.end(), [](const input_check &i) { return i.is_right; });
  }
};

namespace detail {

inline void check_length(const char *function, const char *name, std::size_t n, std::size_t wanted) {
  if (n == wanted) return;
  raise(ADMPI_ERR_ARGUMENT, (std::string(function) + ": " + name + " has " + std::to_string(n) + " elements, not " +
                             std::to_string(wanted)).c_str());
}

/// x in a direction.
template <class T>
std::vector<tangent<T>> in_direction(const std::vector<T> &x, const std::vector<double> &v) {
  std::vector<tangent<T>> moved(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) moved[i] = tangent<T>(x[i], T(v[i]));
  return moved;
}

/// How many columns of a Jacobian a tangent has in one pass, and an f that takes `tangent<double>` only.
inline constexpr int columns_of_tangent = 4;
template <class F>
inline constexpr int columns_at_once =
    std::is_invocable<F &, const std::vector<tangent<double, columns_of_tangent>> &>::value ? columns_of_tangent : 1;

inline double &direction(double &derivative, int) { return derivative; }
template <int N>
double &direction(directions<double, N> &derivative, int k) {
  return derivative[k];
}

/// f at x, where input j moves by moved(j, k) in direction k.
template <class F, class Moved>
auto in_directions(F &f, const std::vector<double> &x, Moved &&moved) {
  constexpr int n = columns_at_once<F>;
  std::vector<tangent<double, n>> all(x.begin(), x.end());
  for (std::size_t j = 0; j < all.size(); ++j)
    for (int k = 0; k < n; ++k) direction(all[j].derivative, k) = moved(j, k);
  auto y = f(static_cast<const std::vector<tangent<double, n>> &>(all));
  return std::vector<tangent<double, n>>(y.begin(), y.end());
}

/// Columns from `begin` on, of results that in_directions returned.
template <int N>
void set_columns(dense &matrix, std::int64_t begin, std::vector<tangent<double, N>> &results) {
  for (std::int64_t j = begin; j < std::min(matrix.cols, begin + N); ++j)
    for (std::int64_t i = 0; i < matrix.rows; ++i)
      matrix(i, j) = direction(results[static_cast<std::size_t>(i)].derivative, static_cast<int>(j - begin));
}

/// Calls fn with a tape on the thread. What nests in it record one after the other shares memory, which a new tape would have to get.
template <class Fn>
auto on_a_tape(Fn &&fn) {
  if (admpi_tls_tape->next_id != 0) return fn();
  tape shared;
  shared.start();
  return fn();
}

/// Whether so many tangents are cheaper than a recording and so many sweeps: a tangent takes as long as two plain runs, a recording
/// as four where its memory is warm, and a sweep of it hardly more than one.
constexpr bool are_cheaper(std::int64_t tangents, std::int64_t sweeps) { return 2 * tangents <= 4 + sweeps; }
constexpr std::int64_t passes_for(std::int64_t n, std::int64_t at_once) { return (n + at_once - 1) / at_once; }

template <class F>
tangent<double> along(F &f, const std::vector<double> &x, std::size_t input, double step = 0.0) {
  std::vector<tangent<double>> moved(x.begin(), x.end());
  moved[input] = tangent<double>(x[input] + step, 1.0);
  return f(static_cast<const std::vector<tangent<double>> &>(moved));
}

/// Records f at x, and calls fn(tape, x, f(x)).
template <class F, class G>
void recorded(F &f, const std::vector<double> &x, G &&fn) {
  in_nest([&](tape_ref tape) {
    std::vector<var> active(x.begin(), x.end());
    if (!active.empty()) tape.input(active);
    const auto y = f(static_cast<const std::vector<var> &>(active));
    fn(tape, active, y);
  });
}

/// Compares the derivative `reverse` with those that along(step) gives: value and derivative of a function at a step from x.
/// `largest` is the largest derivative by any input.
template <class Along>
input_check check_input(Along &&along, std::int64_t input, double x, double reverse, double value, double largest, double tolerance) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double size = std::max(1.0, std::fabs(x));
  input_check one{input, x, reverse, along(0.0).derivative, 0.0, 0.0, false};
  // Values are exact to 1e-16 and differences, at their best step, to the power of 2/3 of that.
  const double rounding = 1e-10 * (std::fabs(value) / size + largest);
  const auto agree = [&](double a, double b, double relative) {
    return std::fabs(a - b) <= relative * std::max(std::fabs(a), std::fabs(b)) + rounding;
  };
  bool is_met = false;
  double before = infinity, least = infinity, step = 1e-2 * size;
  for (int tried = 0; tried < 8; ++tried, step *= 0.1) {
    const double difference = (along(step).value - along(-step).value) / (2.0 * step);
    is_met = is_met || agree(one.reverse, difference, tolerance);
    const double change = std::fabs(difference - before);
    if (tried == 0 || change < least) {
      one.difference = difference;
      one.step = step;
    }
    if (tried > 0) least = std::min(least, change);
    before = difference;
  }
  one.is_right = is_met && agree(one.reverse, one.forward, 1e-10);
  return one;
}

inline double largest_of(const std::vector<double> &values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

inline void adjoints_of(tape_ref tape, const std::vector<var> &x, double *out, int direction = 0) {
  tape.adjoints(x.data(), static_cast<std::int64_t>(x.size()), out, direction);
}

/// The directions of the sweeps of a recording that is about to be made: on a tape that the thread has, one.
inline int widest() { return admpi_tls_tape->next_id != 0 ? 1 : 16; }
/// As many as `rows` need.
inline int width_for(std::int64_t rows, int widest) {
  int width = 1;
  while (width < widest && width < rows) width *= 2;
  return width;
}

/// The rows of a Jacobian, by sweeps of a recording: result(i) is one of those that it has, adjoints(k, out) those of the inputs in
/// direction k.
template <class Result, class Adjoints>
void sweep_all(tape_ref tape, int widest, dense &jacobian, Result &&result, Adjoints &&adjoints) {
  const std::int64_t m = jacobian.rows;
  const int width = width_for(m, widest);
  if (width > 1) tape.set_width(width);
  std::vector<double> row(static_cast<std::size_t>(jacobian.cols));
  for (std::int64_t first = 0; first < m; first += width) {
    const int rows = static_cast<int>(std::min<std::int64_t>(m - first, width));
    if (first > 0) tape.clear_adjoints();
    for (int k = 0; k < rows; ++k) {
      const var one = result(first + k);
      tape.seed(one, weight_of(one), k);
    }
    tape.reverse();
    for (int k = 0; k < rows; ++k) {
      adjoints(k, row);
      for (std::int64_t j = 0; j < jacobian.cols; ++j) jacobian(first + k, j) = row[static_cast<std::size_t>(j)];
    }
  }
}

}  // namespace detail

/// The Jacobian of f at x times v, by a tangent: what the results change by when x moves along v.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT if v has not as many elements as x; what f throws
template <class F>
std::vector<double> jacobian_product(F &&f, const std::vector<double> &x, const std::vector<double> &v) {
  detail::check_length("jacobian_product", "v", v.size(), x.size());
  const auto y = f(static_cast<const std::vector<tangent<double>> &>(detail::in_direction(x, v)));
  std::vector<double> result;
  for (const tangent<double> &one : y) result.push_back(one.derivative);
  return result;
}

/// w times the Jacobian of f at x, by a sweep: the gradient of the results, weighted by w. Values from outside are constants.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT if f returns not as many elements as w has; what f throws
template <class F>
std::vector<double> transposed_jacobian_product(F &&f, const std::vector<double> &x, const std::vector<double> &w) {
  std::vector<double> result(x.size());
  detail::recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
    detail::check_length("transposed_jacobian_product", "w", w.size(), y.size());
    for (std::size_t i = 0; i < w.size(); ++i) tape.seed(y[i], w[i] * detail::weight_of(y[i]));
    // Checking mode refuses a sweep that nothing was seeded for.
    if (!w.empty()) tape.reverse();
    detail::adjoints_of(tape, active, result.data());
  });
  return result;
}

/// The Jacobian of f at x: element (i, j) is the derivative of result i by input j. By a tangent for each 4 inputs (for each input,
/// if f takes `tangent<double>` alone), or by one recording and a sweep for each 16 results (for each result, on a tape that the
/// thread has), whichever promises to be cheaper.
template <class F>
dense jacobian(F &&f, const std::vector<double> &x) {
  constexpr std::int64_t step = detail::columns_at_once<std::remove_reference_t<F>>;
  const std::size_t n = x.size();
  const auto columns_from = [&](std::int64_t begin) {
    return detail::in_directions(f, x, [&](std::size_t j, int k) { return static_cast<std::int64_t>(j) == begin + k ? 1.0 : 0.0; });
  };
  auto columns = columns_from(0);
  const std::size_t m = columns.size();
  dense result(static_cast<std::int64_t>(m), static_cast<std::int64_t>(n));
  if (m == 0 || n == 0) return result;
  const int widest = detail::widest();
  if (detail::are_cheaper(detail::passes_for(result.cols, step), detail::passes_for(result.rows, detail::width_for(result.rows, widest)))) {
    for (std::int64_t begin = 0; begin < result.cols; begin += step) {
      if (begin > 0) columns = columns_from(begin);
      detail::set_columns(result, begin, columns);
    }
    return result;
  }
  detail::recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
    detail::check_length("jacobian", "f(x)", y.size(), m);
    detail::sweep_all(
        tape, widest, result, [&](std::int64_t i) { return var(y[static_cast<std::size_t>(i)]); },
        [&](int k, std::vector<double> &row) { detail::adjoints_of(tape, active, row.data(), k); });
  });
  return result;
}

namespace detail {

/// The Hessian times v, after seed(tape, derivative along v).
template <class F, class Seed>
std::vector<double> hessian_product_of(F &&f, const std::vector<double> &x, const std::vector<double> &v, Seed &&seed) {
  check_length("hessian_product", "v", v.size(), x.size());
  std::vector<double> result(x.size());
  in_nest([&](tape_ref tape) {
    std::vector<var> active(x.begin(), x.end());
    if (!active.empty()) tape.input(active);
    const tangent<var> y = f(static_cast<const std::vector<tangent<var>> &>(in_direction(active, v)));
    seed(tape, y);
    tape.reverse();
    adjoints_of(tape, active, result.data());
  });
  return result;
}

}  // namespace detail

/// The Hessian of f at x times v: the sweep of a tangent. f returns a scalar. Values from outside are constants.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT if v has not as many elements as x; what f throws
template <class F>
std::vector<double> hessian_product(F &&f, const std::vector<double> &x, const std::vector<double> &v) {
  return detail::hessian_product_of(std::forward<F>(f), x, v, [](tape_ref tape, const tangent<var> &y) {
    tape.seed(y.derivative, detail::weight_of(y.derivative));
  });
}

/// The Hessian of f at x, by a product for each input. f returns a scalar.
template <class F>
dense hessian(F &&f, const std::vector<double> &x) {
  const std::size_t n = x.size();
  dense result(static_cast<std::int64_t>(n), static_cast<std::int64_t>(n));
  std::vector<double> v(n);
  detail::on_a_tape([&] {
    for (std::size_t j = 0; j < n; ++j) {
      v[j] = 1.0;
      const std::vector<double> column = hessian_product(f, x, v);
      std::copy(column.begin(), column.end(), result.data.begin() + static_cast<std::ptrdiff_t>(j * n));
      v[j] = 0.0;
    }
  });
  return result;
}

/// Compares the gradient of f at x by a sweep with tangents, which must agree to rounding, and with central differences of the
/// values for steps from 1e-2 to 1e-9 times max(1, |x|), of which one must agree to `tolerance`, by default 1e-6. f returns a
/// scalar. At a kink differences tell nothing: the derivatives of both sides are none of f's. Costs 17 passes for each input.
/// Wrong in both: a derivative is lost, by value() or by bytes. Wrong in one: an operation of your own.
template <class F>
gradient_check check_gradient(F &&f, const std::vector<double> &x, double tolerance) {
  gradient_check all;
  const std::vector<double> reverse = gradient(f, x, &all.value);
  const double largest = detail::largest_of(reverse);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto along = [&](double step) { return detail::along(f, x, i, step); };
    all.inputs.push_back(detail::check_input(along, static_cast<std::int64_t>(i), x[i], reverse[i], all.value, largest, tolerance));
  }
  return all;
}
template <class F>
gradient_check check_gradient(F &&f, const std::vector<double> &x) {
  return check_gradient(f, x, 1e-6);
}

/// Prints a line for each input that is wrong, ten at most, and how many there are. Of several ranks each line begins with the rank.
template <class Traits>
std::basic_ostream<char, Traits> &operator<<(std::basic_ostream<char, Traits> &out, const gradient_check &check) {
  const auto wrong = std::count_if(check.inputs.begin(), check.inputs.end(), [](const input_check &i) { return !i.is_right; });
  const bool on_ranks = std::any_of(check.inputs.begin(), check.inputs.end(), [](const input_check &i) { return i.rank > 0; });
  out << "gradient of " << check.inputs.size() << " inputs: ";
  if (wrong == 0) return out << "right\n";
  out << wrong << " wrong\n" << (on_ranks ? " rank" : "") << "     input            x      reverse      forward   difference         step\n";
  int lines = 0;
  for (const input_check &i : check.inputs) {
    if (i.is_right || ++lines > 10) continue;
    char line[128];
    if (on_ranks) {
      std::snprintf(line, sizeof line, "%5d", i.rank);
      out << static_cast<const char *>(line);
    }
    std::snprintf(line, sizeof line, "%10lld %12.6g %12.6g %12.6g %12.6g %12.6g\n", static_cast<long long>(i.input), i.x, i.reverse,
                  i.forward, i.difference, i.step);
    out << static_cast<const char *>(line);
  }
  return out;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
