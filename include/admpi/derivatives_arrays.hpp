// admpi: the drivers of admpi/derivatives.hpp for functions of a matrix, whose elements count column by column.
//
//   auto f = [](const auto &x) { return exp(x).sum(); };   // of a varmat, and of a tangent<varmat>; returns a scalar, or a matrix
//   admpi::varmat g = admpi::gradient(f, x);
//   std::cout << admpi::check_gradient(f, x);
#ifndef ADMPI_DERIVATIVES_ARRAYS_HPP
#define ADMPI_DERIVATIVES_ARRAYS_HPP

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/derivatives.hpp"
#include "admpi/tangent_arrays.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// Not lists in braces, which are vectors.
template <class X>
using if_matrix = std::enable_if_t<std::is_same<X, varmat>::value, int>;

/// Whether f can be called with a matrix and its derivative: not if it is for varmat only.
template <class F>
inline constexpr bool takes_matrix_tangents = std::is_invocable<F &, const tangent<varmat> &>::value;

/// A passive matrix of the shape of x; and a passive copy.
inline varmat numbers_like(const varmat &x, const std::vector<double> &values) { return varmat(x.rows(), x.cols(), values.data()); }
inline varmat numbers_of(const varmat &x) { return numbers_like(x, x.values()); }

inline void check_shape(const char *function, const char *name, const varmat &a, const varmat &like) {
  if (a.rows() == like.rows() && a.cols() == like.cols()) return;
  const auto text = [](const varmat &m) { return std::to_string(m.rows()) + " x " + std::to_string(m.cols()); };
  raise(ADMPI_ERR_ARGUMENT, (std::string(function) + ": " + name + " is " + text(a) + ", not " + text(like)).c_str());
}

/// f of x that moves by v.
template <class F>
auto along_matrix(F &f, const varmat &x, const varmat &v) {
  return f(static_cast<const tangent<varmat> &>(tangent<varmat>{x, v}));
}
/// A matrix of zeros but for one element.
inline varmat unit_like(const varmat &x, std::int64_t k) {
  varmat v(x.rows(), x.cols());
  v(k) = 1.0;
  return v;
}

/// Records f at x, and calls fn(tape, x, f(x)).
template <class F, class G>
void recorded_matrix(F &f, const varmat &x, G &&fn) {
  in_nest([&](tape_ref tape) {
    varmat active = numbers_of(x);
    if (active.size() > 0) tape.input(active);
    fn(tape, active, f(static_cast<const varmat &>(active)));
  });
}

}  // namespace detail

/// The gradient of f at x, a passive matrix of the shape of x. f returns a scalar.
/// @throw admpi::error, and what f throws; so below
template <class F, class X, detail::if_matrix<X> = 0>
varmat gradient(F &&f, const X &x, double *value_out = nullptr) {
  varmat result;
  detail::recorded_matrix(f, x, [&](tape_ref tape, const varmat &active, const var &y) {
    tape.seed(y, detail::weight_of(y));
    tape.reverse();
    result = detail::numbers_like(x, tape.adjoints(active));
    if (value_out != nullptr) *value_out = y.value;
  });
  return result;
}

/// The Jacobian of f at x times v, which has the shape of x, by a tangent: a passive matrix of the shape of f(x).
template <class F, class X, detail::if_matrix<X> = 0>
varmat jacobian_product(F &&f, const X &x, const X &v) {
  detail::check_shape("jacobian_product", "v", v, x);
  const tangent<varmat> y = detail::along_matrix(f, detail::numbers_of(x), detail::numbers_of(v));
  return detail::numbers_of(y.derivative);
}

/// w, which has the shape of f(x), times the Jacobian of f at x, by a sweep: a passive matrix of the shape of x.
template <class F, class X, detail::if_matrix<X> = 0>
varmat transposed_jacobian_product(F &&f, const X &x, const X &w) {
  varmat result;
  detail::recorded_matrix(f, x, [&](tape_ref tape, const varmat &active, const varmat &y) {
    detail::check_shape("transposed_jacobian_product", "w", w, y);
    tape.seed(y, w.values());
    if (y.size() > 0) tape.reverse();
    result = detail::numbers_like(x, tape.adjoints(active));
  });
  return result;
}

/// The Jacobian of f at x: element (i, j) is the derivative of element i of f(x) by element j of x. By a tangent for each element of x,
/// or by one recording and a sweep for each 16 elements of f(x) (for each, on a tape that the thread has), whichever promises to be
/// cheaper; by sweeps if f takes varmat alone.
template <class F, class X, detail::if_matrix<X> = 0>
dense jacobian(F &&f, const X &x) {
  const std::int64_t n = x.size();
  const int widest = detail::widest();
  dense result;
  if constexpr (detail::takes_matrix_tangents<F>) {
    const varmat at = detail::numbers_of(x);
    const auto column = [&](std::int64_t j) {
      const tangent<varmat> y = detail::along_matrix(f, at, n > 0 ? detail::unit_like(x, j) : at);
      return y.derivative.values();
    };
    std::vector<double> values = column(0);
    result = dense(static_cast<std::int64_t>(values.size()), n);
    if (detail::are_cheaper(n, detail::passes_for(result.rows, detail::width_for(result.rows, widest)))) {
      for (std::int64_t j = 0; j < n; ++j) {
        if (j > 0) values = column(j);
        std::copy(values.begin(), values.end(), result.data.begin() + static_cast<std::ptrdiff_t>(j * result.rows));
      }
      return result;
    }
  }
  detail::recorded_matrix(f, x, [&](tape_ref tape, const varmat &active, const varmat &y) {
    result = dense(y.size(), n);
    detail::sweep_all(
        tape, widest, result, [&](std::int64_t i) { return y(i); },
        [&](int k, std::vector<double> &row) { row = tape.adjoints(active, k); });
  });
  return result;
}

/// The Hessian of f at x times v, which has the shape of x: the gradient of the derivative along v. f returns a scalar. A passive
/// matrix of the shape of x.
template <class F, class X, detail::if_matrix<X> = 0>
varmat hessian_product(F &&f, const X &x, const X &v) {
  detail::check_shape("hessian_product", "v", v, x);
  const varmat direction = detail::numbers_of(v);
  return gradient(
      [&](const varmat &active) {
        const tangent<var> y = detail::along_matrix(f, active, direction);
        return y.derivative;
      },
      x);
}

/// The Hessian of f at x, by a product for each element. f returns a scalar.
template <class F, class X, detail::if_matrix<X> = 0>
dense hessian(F &&f, const X &x) {
  const std::int64_t n = x.size();
  dense result(n, n);
  detail::on_a_tape([&] {
    for (std::int64_t j = 0; j < n; ++j) {
      const std::vector<double> column = hessian_product(f, x, detail::unit_like(x, j)).values();
      std::copy(column.begin(), column.end(), result.data.begin() + static_cast<std::ptrdiff_t>(j * n));
    }
  });
  return result;
}

/// As check_gradient of a vector; inputs are numbered column by column.
template <class F, class X, detail::if_matrix<X> = 0>
gradient_check check_gradient(F &&f, const X &x, double tolerance = 1e-6) {
  gradient_check all;
  const std::vector<double> reverse = gradient(f, x, &all.value).values(), at = x.values();
  const double largest = detail::largest_of(reverse);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    const auto along = [&](double step) {
      std::vector<double> moved = at;
      moved[k] += step;
      const tangent<var> y = detail::along_matrix(f, detail::numbers_like(x, moved), detail::unit_like(x, i));
      return tangent<double>(y.value.value, y.derivative.value);
    };
    all.inputs.push_back(detail::check_input(along, i, at[k], reverse[k], all.value, largest, tolerance));
  }
  return all;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
