// admpi: forward mode through solutions of equations by routines of users. Not part of admpi.hpp: include it where it is
// wanted. linear_solve and fixed_point take vectors of tangents, of tangents of tangents or of tangent<var>, and tangent<varmat>.
//
//   std::vector<admpi::tangent<double>> x = linear_solve(b, {p}, solve, product);   // A(p) x = b, along b and p
//
// The iterations are not differentiated: x' solves A x' = b' - A' x, and x' = f_x x' + f_p p' is a fixed point too.
#ifndef ADMPI_TANGENT_SOLVE_HPP
#define ADMPI_TANGENT_SOLVE_HPP

#include <cstddef>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/tangent_arrays.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

// What is computed with, without the directions: a vector of tangents of T has values, and for each direction derivatives, in
// vectors of T.

template <class T, int N>
std::vector<T> values_in(const std::vector<tangent<T, N>> &x) {
  std::vector<T> all;
  for (const tangent<T, N> &each : x) all.push_back(each.value);
  return all;
}
inline varmat values_in(const tangent<varmat> &x) { return x.value; }

template <class T, int N>
std::vector<T> derivatives_in(const std::vector<tangent<T, N>> &x, int k = 0) {
  std::vector<T> all;
  for (const tangent<T, N> &each : x) {
    if constexpr (N == 1)
      all.push_back(each.derivative);
    else
      all.push_back(each.derivative[k]);
  }
  return all;
}
inline varmat derivatives_in(const tangent<varmat> &x, int = 0) { return x.derivative; }

template <class T>
std::vector<tangent<T>> along(const std::vector<T> &x, const std::vector<T> &derivative) {
  std::vector<tangent<T>> all;
  for (std::size_t k = 0; k < x.size(); ++k) all.push_back({x[k], derivative[k]});
  return all;
}
inline tangent<varmat> along(const varmat &x, const varmat &derivative) { return {x, derivative}; }

/// x as an X with the derivative that derivative(k) returns for direction k.
template <class X>
struct along_all {
  template <class V, class F>
  static X of(const V &x, F &&derivative) {
    return along(x, derivative(0));
  }
};
template <class T, int N>
struct along_all<std::vector<tangent<T, N>>> {
  template <class F>
  static std::vector<tangent<T, N>> of(const std::vector<T> &x, F &&derivative) {
    if constexpr (N == 1) {
      return along(x, derivative(0));
    } else {
      std::vector<tangent<T, N>> all(x.begin(), x.end());
      for (int k = 0; k < N; ++k) {
        const std::vector<T> one = derivative(k);
        for (std::size_t j = 0; j < all.size(); ++j) all[j].derivative[k] = one[j];
      }
      return all;
    }
  }
};

template <class T>
std::vector<T> zeros_like(const std::vector<T> &x) {
  return std::vector<T>(x.size(), T(0.0));
}
inline varmat zeros_like(const varmat &x) { return varmat(x.rows(), x.cols()); }

/// b' - y', where y has the size of b.
template <class T>
std::vector<T> residual(std::vector<T> b, const std::vector<T> &y) {
  if (y.size() != b.size()) {
    char message[120];
    std::snprintf(message, sizeof message, "linear_solve: the product has %zu elements, expected %zu", y.size(), b.size());
    raise(ADMPI_ERR_ARGUMENT, message);
  }
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = b[k] - y[k];
  return b;
}
inline varmat residual(const varmat &b, const varmat &y) { return b - y; }

template <class X>
using level_of = decltype(values_in(std::declval<const X &>()));

template <class X>
std::vector<level_of<X>> all_values(const std::vector<X> &p) {
  std::vector<level_of<X>> all;
  for (const X &each : p) all.push_back(values_in(each));
  return all;
}

/// The elements of a matrix of one column as what the user's routines compute with.
template <class X>
X as(const varmat &x) {
  if constexpr (std::is_same<X, varmat>::value) {
    return x;
  } else if constexpr (std::is_same<X, std::vector<var>>::value) {
    return x.vars();
  } else {
    return x.values();
  }
}
template <class X>
std::vector<X> as(const std::vector<varmat> &p) {
  std::vector<X> all;
  for (const varmat &each : p) all.push_back(as<X>(each));
  return all;
}

template <class X>
using if_lowest = std::enable_if_t<std::is_same<X, varmat>::value || std::is_same<X, std::vector<double>>::value ||
                                       std::is_same<X, std::vector<var>>::value,
                                   int>;

template <class X, class Solve, class Product, if_lowest<X> = 0>
X solved(const X &b, const std::vector<X> &p, const Solve &solve, const Product &product) {
  const auto of_matrices = [product](const std::vector<varmat> &q, const varmat &x) { return varmat(product(as<X>(q), as<X>(x))); };
  return as<X>(linear_solve(varmat(b), std::vector<argument>(p.begin(), p.end()), solve, of_matrices));
}
template <class X, class Solve, class Product>
auto solved(const X &b, const std::vector<X> &p, const Solve &solve, const Product &product) -> decltype(values_in(b), X(b)) {
  const auto of_p = all_values(p);
  const auto x = solved(values_in(b), of_p, solve, product);
  const X change = product(p, along_all<X>::of(x, [&](int) { return zeros_like(x); }));
  return along_all<X>::of(x, [&](int k) {
    return solved(residual(derivatives_in(b, k), derivatives_in(change, k)), of_p, solve, product);
  });
}

template <class F, class X, class Norm, if_lowest<X> = 0>
X found(const F &f, const X &start, const std::vector<X> &p, const fixed_point_options &options, const Norm &norm) {
  const auto of_matrices = [f](const varmat &x, const std::vector<varmat> &q) { return varmat(f(as<X>(x), as<X>(q))); };
  return as<X>(fixed_point(of_matrices, varmat(start), std::vector<argument>(p.begin(), p.end()), options, norm));
}
template <class F, class X, class Norm>
auto found(const F &f, const X &start, const std::vector<X> &p, const fixed_point_options &options, const Norm &norm)
    -> decltype(values_in(start), X(start)) {
  const auto x = found(f, values_in(start), all_values(p), options, norm);
  // x' as a fixed point of which x, the parameters and their derivatives are the parameters.
  const std::size_t n = p.size();
  const auto derivative = [f, n](const auto &change, const auto &q) {
    std::vector<decltype(along(change, change))> of_p;
    for (std::size_t k = 1; k <= n; ++k) of_p.push_back(along(q[k], q[k + n]));
    return derivatives_in(f(along(q[0], change), of_p));
  };
  return along_all<X>::of(x, [&](int k) {
    std::vector<level_of<X>> parameters{x};
    for (const X &each : p) parameters.push_back(values_in(each));
    for (const X &each : p) parameters.push_back(derivatives_in(each, k));
    return found(derivative, zeros_like(x), parameters, options, norm);
  });
}

}  // namespace detail

/// Solves A(p) x = b and differentiates x, with the routines of linear_solve. `solve` gets the values of the parameters as
/// matrices, here with one column, and is called once for the value and once for each direction. `product` is a template,
/// which is also called with tangents:
///   std::vector<S> product(const std::vector<std::vector<S>> &p, const std::vector<S> &x)
template <class T, int N, class Solve, class Product>
std::vector<tangent<T, N>> linear_solve(const std::vector<tangent<T, N>> &b, const std::vector<std::vector<tangent<T, N>>> &p,
                                        Solve solve, Product product) {
  return detail::solved(b, p, solve, product);
}

/// The same with matrices: product gets varmat in a sweep, and tangent<varmat>.
template <class Solve, class Product>
tangent<varmat> linear_solve(const tangent<varmat> &b, const std::vector<tangent<varmat>> &p, Solve solve, Product product) {
  return detail::solved(b, p, solve, product);
}

/// Finds x = f(x, p), as fixed_point does, and its derivative, by the same iteration. `f` is a template:
///   std::vector<S> f(const std::vector<S> &x, const std::vector<std::vector<S>> &p)
/// Throws convergence_error. The derivative does not depend on that of start.
template <class F, class T, int N, class Norm = largest_magnitude>
std::vector<tangent<T, N>> fixed_point(F f, const std::vector<tangent<T, N>> &start,
                                       const std::vector<std::vector<tangent<T, N>>> &p, fixed_point_options options = {},
                                       Norm norm = {}) {
  return detail::found(f, start, p, options, norm);
}

/// The same with matrices: f gets varmat in a sweep, and tangent<varmat>.
template <class F, class Norm = largest_magnitude>
tangent<varmat> fixed_point(F f, const tangent<varmat> &start, const std::vector<tangent<varmat>> &p,
                            fixed_point_options options = {}, Norm norm = {}) {
  return detail::found(f, start, p, options, norm);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
