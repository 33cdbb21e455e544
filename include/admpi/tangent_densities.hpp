// admpi: forward mode through log densities and operations of the user's own. Not part of admpi.hpp: include it where it is
// wanted. Densities take tangent<double>, and vectors and matrices of them, like numbers.
//
//   admpi::tangent<double> mu(0.5, 1.0);                            // along mu
//   admpi::tangent<double> lp = normal_lpdf(y, mu, 2.0);
//
// Derivatives are those of reverse functions, of which the direction picks one combination.
#ifndef ADMPI_TANGENT_DENSITIES_HPP
#define ADMPI_TANGENT_DENSITIES_HPP

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "admpi.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A matrix of tangents, column by column, or a scalar. Made from what is passed.
class tangent_argument {
 public:
  template <class N, detail::if_arithmetic<N> = 0>
  tangent_argument(N x) : tangent_argument(tangent<double>(static_cast<double>(x))) {}
  tangent_argument(const tangent<double> &x) : rows_(1), cols_(1), scalar_(true), x_{x} {}
  /// Columns.
  template <class T>
  tangent_argument(const std::vector<T> &x)
      : tangent_argument(static_cast<std::int64_t>(x.size()), 1, std::vector<tangent<double>>(x.begin(), x.end())) {}
  tangent_argument(std::int64_t rows, std::int64_t cols, std::vector<tangent<double>> x)
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
  const std::vector<tangent<double>> &elements() const noexcept { return x_; }

  std::vector<double> values() const {
    std::vector<double> all;
    for (const tangent<double> &each : x_) all.push_back(each.value);
    return all;
  }
  /// What it adds to the derivative of a function with these adjoints. A derivative of zero takes no part, whatever the adjoint.
  double along(const std::vector<double> &adjoint) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < x_.size(); ++k) {
      if (x_[k].derivative != 0.0) sum += adjoint[k] * x_[k].derivative;
    }
    return sum;
  }
  bool is_constant() const noexcept {
    for (const tangent<double> &each : x_) {
      if (each.derivative != 0.0) return false;
    }
    return true;
  }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  bool scalar_;
  std::vector<tangent<double>> x_;
};

namespace detail {

template <class A>
inline constexpr bool is_along = false;
template <>
inline constexpr bool is_along<tangent<double>> = true;
template <>
inline constexpr bool is_along<std::vector<tangent<double>>> = true;
template <>
inline constexpr bool is_along<tangent_argument> = true;
template <class... A>
using if_along = std::enable_if_t<(is_along<A> || ...), int>;

/// An argument on a tape of the moment: an input unless it is constant.
struct forward_input {
  varmat matrix;
  bool active;

  forward_input(tape_ref tape, const tangent_argument &x)
      : matrix(x.rows(), x.cols(), x.values().data()), active(!x.is_constant()) {
    if (active) tape.input(matrix);
  }
  argument made(bool scalar) const { return scalar ? argument(matrix(0)) : argument(matrix); }
};

template <class Density, std::size_t... I>
tangent<double> density_along(Density density, const std::vector<tangent_argument> &x, std::index_sequence<I...>) {
  tangent<double> lp;
  in_nest([&](tape_ref tape) {
    const std::vector<forward_input> in{forward_input(tape, x[I])...};
    const var y = density(in[I].made(x[I].is_scalar())...);
    tape.seed(y);
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
  tangent<double> name(const A &...x) {                                                                                   \
    return detail::density_along([](const auto &...each) { return name(each...); }, {tangent_argument(x)...}, \
                                 std::index_sequence_for<A...>());                                                        \
  }
ADMPI_TANGENT_DENSITY(normal_lpdf)
ADMPI_TANGENT_DENSITY(student_t_lpdf)
ADMPI_TANGENT_DENSITY(gamma_lpdf)
ADMPI_TANGENT_DENSITY(bernoulli_logit_lpmf)
ADMPI_TANGENT_DENSITY(poisson_log_lpmf)
ADMPI_TANGENT_DENSITY(multi_normal_lpdf)
ADMPI_TANGENT_DENSITY(multi_normal_cholesky_lpdf)
#undef ADMPI_TANGENT_DENSITY

/// An operation of the user's, as for apply_operation, on tangents: its results, column by column. Its reverse function is called
/// once for each element of a result, without a tape.
template <class Operation>
std::vector<std::vector<tangent<double>>> apply_operation_along(Operation operation,
                                                                const std::vector<tangent_argument> &operands,
                                                                const std::vector<extent> &results) {
  std::vector<std::vector<double>> value, adjoint, made, weight;
  std::vector<admpi_operation_operand> operand;
  std::vector<admpi_operation_result> result;
  for (const tangent_argument &x : operands) {
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
  std::vector<std::vector<tangent<double>>> out;
  for (std::size_t r = 0; r < result.size(); ++r) {
    out.emplace_back();
    for (std::size_t e = 0; e < made[r].size(); ++e) {
      for (std::vector<double> &each : adjoint) each.assign(each.size(), 0.0);
      weight[r][e] = 1.0;
      operation.reverse(operation_call(call));
      weight[r][e] = 0.0;
      double derivative = 0.0;
      for (std::size_t k = 0; k < operand.size(); ++k) derivative += operands[k].along(adjoint[k]);
      out.back().push_back({made[r][e], derivative});
    }
  }
  return out;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
