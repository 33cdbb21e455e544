// admpi: forward mode through log densities and operations of users. Not part of admpi.hpp: include it where it is
// wanted. Densities take tangent<double>, of any number of directions, and vectors and matrices of them, like numbers.
//
//   admpi::tangent<double> mu(0.5, 1.0);                            // along mu
//   admpi::tangent<double> lp = normal_lpdf(y, mu, 2.0);
//
// Derivatives are those of reverse functions, of which each direction picks one combination. Higher ones, by tangents of tangents, of
// var or (of matrices) tangent<varmat>, are those of the partial derivatives' formulas.
#ifndef ADMPI_TANGENT_DENSITIES_HPP
#define ADMPI_TANGENT_DENSITIES_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/tangent_linalg.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A matrix of `tangent<double, N>`, column by column, or a scalar. Made from what is passed.
template <int N>
class tangent_argument_of {
 public:
  template <class U, detail::if_arithmetic<U> = 0>
  tangent_argument_of(U x) : tangent_argument_of(tangent<double, N>(static_cast<double>(x))) {}
  tangent_argument_of(const tangent<double, N> &x) : rows_(1), cols_(1), scalar_(true), x_{x} {}
  /// Columns.
  template <class Range, class = detail::element_of<Range>>
  tangent_argument_of(const Range &x)
      : tangent_argument_of(static_cast<std::int64_t>(x.size()), 1, std::vector<tangent<double, N>>(x.begin(), x.end())) {}
  tangent_argument_of(std::int64_t rows, std::int64_t cols, std::vector<tangent<double, N>> x)
      : rows_(rows), cols_(cols), scalar_(false), x_(std::move(x)) {
    if (rows < 0 || cols < 0 || static_cast<std::int64_t>(x_.size()) != rows * cols) {
      char message[120];
      std::snprintf(message, sizeof message, "tangent_argument: %zu elements are not %lld x %lld", x_.size(),
                    static_cast<long long>(rows), static_cast<long long>(cols));
      detail::raise(ADMPI_ERR_ARGUMENT, message);
    }
  }

  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t cols() const noexcept { return cols_; }
  bool is_scalar() const noexcept { return scalar_; }
  const std::vector<tangent<double, N>> &elements() const noexcept { return x_; }

  std::vector<double> values() const {
    std::vector<double> all;
    for (const tangent<double, N> &each : x_) all.push_back(each.value);
    return all;
  }
  /// What it adds to the derivative of a function with these adjoints. A derivative of zero takes no part, whatever the adjoint.
  detail::derivative_of<double, N> along(const std::vector<double> &adjoint) const {
    detail::derivative_of<double, N> sum{};
    for (std::size_t k = 0; k < x_.size(); ++k) sum += detail::along(adjoint[k], x_[k].derivative);
    return sum;
  }
  bool is_constant() const noexcept {
    for (const tangent<double, N> &each : x_) {
      if (!detail::is_nothing(each.derivative)) return false;
    }
    return true;
  }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  bool scalar_;
  std::vector<tangent<double, N>> x_;
};
using tangent_argument = tangent_argument_of<1>;

namespace detail {

/// How many directions an argument has: 0 if it has no tangents.
template <class A, class = void>
inline constexpr int directions_of = 0;
template <int N>
inline constexpr int directions_of<tangent<double, N>> = N;
template <class Range>
inline constexpr int directions_of<Range, std::void_t<element_of<Range>>> = directions_of<element_of<Range>>;
template <int N>
inline constexpr int directions_of<tangent_argument_of<N>> = N;
template <class... A>
constexpr int most_directions() {
  int most = 0;
  ((most = directions_of<A> > most ? directions_of<A> : most), ...);
  return most;
}

/// The scalar of an argument with derivatives beyond those of tangent<double>; void where there are none.
template <class A, class = void>
struct higher {
  using type = void;
};
template <int N>
struct higher<tangent<double, N>> {
  using type = void;
};
template <class T, int N>
struct higher<tangent<T, N>> {
  using type = tangent<T, N>;
};
template <>
struct higher<tangent<varmat>> {
  using type = tangent<var>;
};
template <class Range>
struct higher<Range, std::void_t<element_of<Range>>> : higher<element_of<Range>> {};
template <class... A>
struct higher_of {
  using type = void;
};
template <class A, class... More>
struct higher_of<A, More...> {
  using own = typename higher<A>::type;
  using type = std::conditional_t<std::is_void<own>::value, typename higher_of<More...>::type, own>;
};
template <class... A>
using if_higher = std::enable_if_t<!std::is_void<typename higher_of<A...>::type>::value, int>;
template <class... A>
using if_along =
    std::enable_if_t<most_directions<A...>() != 0 && std::is_void<typename higher_of<A...>::type>::value, int>;

/// An argument on a tape of the moment: an input unless it is constant.
struct forward_input {
  varmat matrix;
  bool active;

  template <int N>
  forward_input(tape_ref tape, const tangent_argument_of<N> &x)
      : matrix(x.rows(), x.cols(), x.values().data()), active(!x.is_constant()) {
    if (active) tape.input(matrix);
  }
  argument made(bool scalar) const { return scalar ? argument(matrix(0)) : argument(matrix); }
};

template <int N, class Density, std::size_t... At>
tangent<double, N> density_along(Density density, const std::vector<tangent_argument_of<N>> &x, std::index_sequence<At...>) {
  tangent<double, N> lp;
  in_nest([&](tape_ref tape) {
    const std::vector<forward_input> in{forward_input(tape, x[At])...};
    const var y = density(in[At].made(x[At].is_scalar())...);
    tape.seed(y, weight_of(y));
    tape.reverse();
    lp.value = y.value;
    for (std::size_t k = 0; k < in.size(); ++k) {
      if (in[k].active) lp.derivative += x[k].along(tape.adjoints(in[k].matrix));
    }
  });
  return lp;
}

}  // namespace detail

#define ADMPI_TANGENT_DENSITY(name)                                                                                       \
  template <class... A, detail::if_along<A...> = 0>                                                                       \
  auto name(const A &...x) {                                                                                              \
    constexpr int n = detail::most_directions<A...>();                                                                    \
    return detail::density_along<n>([](const auto &...each) { return name(each...); }, {tangent_argument_of<n>(x)...},    \
                                    std::index_sequence_for<A...>());                                                     \
  }
ADMPI_TANGENT_DENSITY(normal_lpdf)
ADMPI_TANGENT_DENSITY(student_t_lpdf)
ADMPI_TANGENT_DENSITY(gamma_lpdf)
ADMPI_TANGENT_DENSITY(bernoulli_logit_lpmf)
ADMPI_TANGENT_DENSITY(poisson_log_lpmf)
ADMPI_TANGENT_DENSITY(multi_normal_lpdf)
ADMPI_TANGENT_DENSITY(multi_normal_cholesky_lpdf)
#undef ADMPI_TANGENT_DENSITY

namespace detail {

/// What is below the last derivative of an argument.
template <class R, class A>
decltype(auto) primal(const A &x) {
  if constexpr (std::is_same<A, R>::value || is_tangent_array<A>) {
    return (x.value);
  } else if constexpr (std::is_same<typename higher<A>::type, R>::value) {
    std::vector<std::decay_t<decltype(x[0].value)>> all;
    for (const R &each : x) all.push_back(each.value);
    return all;
  } else {
    return (x);
  }
}

/// An argument as scalars, of which one stands for all elements.
template <class R>
struct elements_of {
  std::vector<R> x;
  bool scalar = false;

  template <class A>
  explicit elements_of(const A &from) {
    if constexpr (is_tangent_array<A>) {
      const std::vector<var> value = from.value.vars(), derivative = from.derivative.vars();
      for (std::size_t k = 0; k < value.size(); ++k) x.push_back({value[k], derivative[k]});
    } else if constexpr (is_array<A>) {
      for (const var &each : varmat(from).vars()) x.push_back(each);
    } else {
      take(from);
    }
  }
  const R &at(std::size_t k) const { return x[scalar ? 0 : k]; }

 private:
  template <class Range, class T = element_of<Range>>
  void take(const Range &from, int = 0) {
    for (const T &each : from) x.push_back(R(each));
  }
  template <class U, std::enable_if_t<std::is_convertible<U, R>::value, int> = 0>
  void take(const U &from) {
    x = {R(from)};
    scalar = true;
  }
};

/// Partial derivative K of a density at x.
struct partials_of_normal_lpdf {
  template <std::size_t K, class T>
  static T at(const std::array<T, 3> &x) {
    const T &sigma = x[2], z = (x[0] - x[1]) / sigma;
    if constexpr (K == 0) return -z / sigma;
    if constexpr (K == 1) return z / sigma;
    return (z * z - 1.0) / sigma;
  }
};
struct partials_of_student_t_lpdf {
  template <std::size_t K, class T>
  static T at(const std::array<T, 4> &x) {
    const T &nu = x[1], &sigma = x[3], z = (x[0] - x[2]) / sigma;
    const bool far = std::fabs(value(z)) > 1e100;  // Its square may overflow.
    const T pull = far ? T((nu + 1.0) / (nu / z + z)) : T((nu + 1.0) * z / (nu + z * z));
    if constexpr (K == 0) return -pull / sigma;
    if constexpr (K == 1) {
      const T half = 0.5 * nu;
      const T spread = far ? T(2.0 * log(abs(z)) - log(nu)) : T(log1p(z * z / nu));
      return 0.5 * ((pull * z - 1.0) / nu - digamma_difference(half, T(0.5)) - spread);
    }
    if constexpr (K == 2) return pull / sigma;
    return (pull * z - 1.0) / sigma;
  }
};
struct partials_of_gamma_lpdf {
  template <std::size_t K, class T>
  static T at(const std::array<T, 3> &x) {
    const T &y = x[0], &alpha = x[1], &beta = x[2];
    if (value(y) < 0.0) return 0.0;
    if constexpr (K == 0) {
      if (value(y) == 0.0) return (value(alpha) == 1.0 ? T(0.0) : T((alpha - 1.0) / abs(y))) - beta;
      return (alpha - 1.0) / y - beta;
    }
    if constexpr (K == 1) return log(beta) - digamma(alpha) + log(y);
    return alpha / beta - y;
  }
};
struct partials_of_bernoulli_logit_lpmf {
  template <std::size_t K, class T>
  static T at(const std::array<T, 2> &x) {
    static_assert(K < 2);
    if (K == 0) return 0.0;
    const T less = -x[1];
    return value(x[0]) == 0.0 ? T(-inv_logit(x[1])) : T(inv_logit(less));
  }
};
struct partials_of_poisson_log_lpmf {
  template <std::size_t K, class T>
  static T at(const std::array<T, 2> &x) {
    return K == 0 ? T(0.0) : T(x[0] - exp(x[1]));
  }
};

/// The derivative of a density: its partial derivatives along those of the arguments.
template <class Partials, class R, std::size_t N, std::size_t... K>
auto density_slope(const std::array<elements_of<R>, N> &x, std::index_sequence<K...>) {
  using T = decltype(R::value);
  std::size_t n = 1;
  for (const auto &each : x) {
    if (!each.scalar) n = each.x.size();
  }
  decltype(R::derivative) slope{};
  for (std::size_t k = 0; k < n; ++k) {
    const std::array<T, N> at{x[K].at(k).value...};
    const auto add = [&](const auto &derivative, auto partial) {
      if (!is_nothing(derivative)) slope += along(T(partial()), derivative);
    };
    (add(x[K].at(k).derivative, [&] { return Partials::template at<K>(at); }), ...);
  }
  return slope;
}

/// An argument as a matrix with its derivative.
inline const tangent<varmat> &with_derivative(const tangent<varmat> &x) { return x; }
inline tangent<varmat> with_derivative(const argument &x) {
  const view part = as_matrix(x).parts();
  return {part, varmat(part.rows(), part.cols())};
}

/// That of the multivariate normal density, by the Cholesky factor.
inline var multi_normal_slope(const tangent<varmat> &y, const tangent<varmat> &mu, const tangent<varmat> &l) {
  const std::int64_t n = y.value.cols();
  const varmat once = matrix_of(1, n, [](std::int64_t, std::int64_t) { return 1.0; });
  const tangent<varmat> z = solve_lower(l, y - (mu.value.cols() == n ? mu : multiply(mu, once)));
  return -dot(z.value, z.derivative) - static_cast<double>(n) * sum(elt_divide(l.derivative.diagonal(), l.value.diagonal()));
}

}  // namespace detail

#define ADMPI_HIGHER_DENSITY(name)                                                                                       \
  template <class... A, detail::if_higher<A...> = 0>                                                                     \
  auto name(const A &...x) {                                                                                             \
    using R = typename detail::higher_of<A...>::type;                                                                    \
    const std::array<detail::elements_of<R>, sizeof...(A)> elements{detail::elements_of<R>(x)...};                       \
    const auto lp = name(detail::primal<R>(x)...);                                                                       \
    return R(lp, detail::density_slope<detail::partials_of_##name>(elements, std::index_sequence_for<A...>()));          \
  }
ADMPI_HIGHER_DENSITY(normal_lpdf)
ADMPI_HIGHER_DENSITY(student_t_lpdf)
ADMPI_HIGHER_DENSITY(gamma_lpdf)
ADMPI_HIGHER_DENSITY(bernoulli_logit_lpmf)
ADMPI_HIGHER_DENSITY(poisson_log_lpmf)
#undef ADMPI_HIGHER_DENSITY

template <class Y, class Mu, class L, detail::if_higher<Y, Mu, L> = 0>
tangent<var> multi_normal_cholesky_lpdf(const Y &y, const Mu &mu, const L &l) {
  using R = tangent<var>;
  const var lp = multi_normal_cholesky_lpdf(detail::primal<R>(y), detail::primal<R>(mu), detail::primal<R>(l));
  using detail::with_derivative;
  return {lp, detail::multi_normal_slope(with_derivative(y), with_derivative(mu), with_derivative(l))};
}
template <class Y, class Mu, class Sigma, detail::if_higher<Y, Mu, Sigma> = 0>
tangent<var> multi_normal_lpdf(const Y &y, const Mu &mu, const Sigma &sigma) {
  using R = tangent<var>;
  const var lp = multi_normal_lpdf(detail::primal<R>(y), detail::primal<R>(mu), detail::primal<R>(sigma));
  using detail::with_derivative;
  return {lp, detail::multi_normal_slope(with_derivative(y), with_derivative(mu), cholesky(with_derivative(sigma)))};
}

/// Applies a user's operation, as for apply_operation, to tangents. Returns the results, column-major. Its reverse function is called
/// once for each element of a result, without a tape.
template <int N = 1, class Operation>
std::vector<std::vector<tangent<double, N>>> apply_operation_along(Operation operation,
                                                                   const std::vector<tangent_argument_of<N>> &operands,
                                                                   const std::vector<extent> &results) {
  std::vector<std::vector<double>> value, adjoint, made, weight;
  std::vector<admpi_operation_operand> operand;
  std::vector<admpi_operation_result> result;
  for (const tangent_argument_of<N> &x : operands) {
    value.push_back(x.values());
    adjoint.emplace_back(value.back().size());
    operand.push_back({x.rows(), x.cols(), value.back().data(), nullptr});
  }
  for (const auto &[rows, cols] : results) {
    made.emplace_back(static_cast<std::size_t>(rows * cols));
    weight.push_back(made.back());
    result.push_back({rows, cols, made.back().data(), nullptr});
  }
  const admpi_operation_call call{static_cast<std::int64_t>(operand.size()), operand.data(),
                                  static_cast<std::int64_t>(result.size()), result.data(), nullptr};
  operation.forward(operation_call(call));
  for (std::size_t k = 0; k < operand.size(); ++k) {
    if (!operands[k].is_constant()) operand[k].adjoint = adjoint[k].data();
  }
  for (std::size_t r = 0; r < result.size(); ++r) result[r].adjoint = weight[r].data();
  std::vector<std::vector<tangent<double, N>>> out;
  for (std::size_t r = 0; r < result.size(); ++r) {
    out.emplace_back();
    for (std::size_t e = 0; e < made[r].size(); ++e) {
      for (std::vector<double> &each : adjoint) each.assign(each.size(), 0.0);
      weight[r][e] = 1.0;
      operation.reverse(operation_call(call));
      weight[r][e] = 0.0;
      detail::derivative_of<double, N> derivative{};
      for (std::size_t k = 0; k < operand.size(); ++k) derivative += operands[k].along(adjoint[k]);
      out.back().push_back({made[r][e], derivative});
    }
  }
  return out;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
