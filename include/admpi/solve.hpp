// admpi: solutions of equations by routines of the user's own: linear systems of which the matrix is never formed, and fixed
// points. The routines' iterations are not recorded.
#ifndef ADMPI_SOLVE_HPP
#define ADMPI_SOLVE_HPP

#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "admpi/operations.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// The operands of a call from number `first` on as matrices, passive.
inline std::vector<varmat> passive_operands(const operation_call &call, std::int64_t first) {
  std::vector<varmat> made;
  for (std::int64_t k = first; k < call.operands(); ++k) {
    made.emplace_back(call.operand(k).rows, call.operand(k).cols, call.operand(k).value);
  }
  return made;
}

/// Makes those whose adjoints are asked for inputs.
inline void input_operands(tape_ref tape, const operation_call &call, std::int64_t first, std::vector<varmat> &p) {
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (call.operand(first + static_cast<std::int64_t>(k)).adjoint != nullptr) tape.input(p[k]);
  }
}

inline void hand_over(const std::vector<double> &from, double *to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(double));
}

/// Hands their adjoints over.
inline void give_adjoints(tape_ref tape, const operation_call &call, std::int64_t first, const std::vector<varmat> &p) {
  for (std::size_t k = 0; k < p.size(); ++k) {
    const admpi_operation_operand &to = call.operand(first + static_cast<std::int64_t>(k));
    if (to.adjoint == nullptr) continue;
    hand_over(tape.adjoints(p[k]), to.adjoint);
  }
}

inline void check_shape(const char *what, std::int64_t rows, std::int64_t cols, std::int64_t wanted_rows,
                        std::int64_t wanted_cols) {
  if (rows == wanted_rows && cols == wanted_cols) return;
  char message[200];
  std::snprintf(message, sizeof message, "%s is %lld x %lld, expected %lld x %lld", what, static_cast<long long>(rows),
                static_cast<long long>(cols), static_cast<long long>(wanted_rows), static_cast<long long>(wanted_cols));
  raise(ADMPI_ERR_ARGUMENT, message);
}

template <class Solve, class Product>
struct linear_operation {
  Solve solve;
  Product product;

  void solve_into(const operation_call &call, const double *rhs, bool transposed, double *to) {
    const admpi_operation_result &x = call.result(0);
    const std::size_t n = static_cast<std::size_t>(x.rows * x.cols);
    const std::vector<double> y =
        solve(passive_operands(call, 1), std::vector<double>(rhs, rhs + n), transposed);
    check_shape("linear_solve: what the routine returns", static_cast<std::int64_t>(y.size()), 1, x.rows * x.cols, 1);
    hand_over(y, to);
  }

  void forward(const operation_call &call) {
    const passive section;
    solve_into(call, call.operand(0).value, false, call.result(0).value);
  }

  /// For A x = b: b gets g = A^-T x_bar, and p what the product A(p) x gets for -g.
  void reverse(const operation_call &call) {
    const admpi_operation_result &x = call.result(0);
    std::vector<double> g(static_cast<std::size_t>(x.rows * x.cols));
    {
      const passive section;
      solve_into(call, x.adjoint, true, g.data());
    }
    if (call.operand(0).adjoint != nullptr) hand_over(g, call.operand(0).adjoint);
    in_nest([&](tape_ref tape) {
      std::vector<varmat> p = passive_operands(call, 1);
      input_operands(tape, call, 1, p);
      const varmat y = product(static_cast<const std::vector<varmat> &>(p), varmat(x.rows, x.cols, x.value));
      check_shape("linear_solve: the product", y.rows(), y.cols(), x.rows, x.cols);
      for (double &weight : g) weight = -weight;
      tape.seed(y, g);
      tape.reverse();
      give_adjoints(tape, call, 1, p);
    });
  }
};

}  // namespace detail

/// X with A(p) X = B, for a matrix that only routines of the user's know:
///   std::vector<double> solve(const std::vector<varmat> &p, const std::vector<double> &rhs, bool transposed)
///       the solution for the right-hand side rhs, column by column, of A or of its transpose; p is passive
///   varmat product(const std::vector<varmat> &p, const varmat &x)
///       A(p) x, to be recorded: a sweep records and reverses it to get the adjoints of p
/// One event. Everything active that A depends on must be in p. The routines may throw, and may communicate if all ranks record
/// the same.
template <class Solve, class Product>
varmat linear_solve(const varmat &b, const std::vector<argument> &p, Solve solve, Product product) {
  std::vector<argument> operands{b};
  operands.insert(operands.end(), p.begin(), p.end());
  using operation = detail::linear_operation<Solve, Product>;
  return apply_operation(operation{std::move(solve), std::move(product)}, operands, {{b.rows(), b.cols()}})[0];
}

/// When a fixed point counts as found.
struct fixed_point_options {
  /// Of the change in an iteration, relative to the larger of 1 and the iterate; in the sweep to the adjoint.
  double tolerance = 1e-12;
  int max_iterations = 1000;
};

/// What measures an iterate and its change where no other norm is given.
struct largest_magnitude {
  double operator()(const std::vector<double> &x) const {
    double most = 0.0;
    for (const double each : x) {
      if (std::isnan(each)) return each;
      if (std::fabs(each) > most) most = std::fabs(each);
    }
    return most;
  }
};

namespace detail {

template <class F, class Norm>
struct fixed_point_operation {
  F f;
  std::vector<double> start;
  fixed_point_options options;
  Norm norm;

  /// Iterates `next` from x on until it changes x by no more than the tolerance.
  template <class Next>
  std::vector<double> iterate(const char *what, std::vector<double> x, double least, Next next) {
    double residual = 0.0;
    int i = 0;
    while (i < options.max_iterations && std::isfinite(residual)) {
      ++i;
      std::vector<double> y = next(static_cast<const std::vector<double> &>(x));
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = y[k] - x[k];
      residual = norm(x);
      const double size = norm(y);
      const double scale = size < least ? least : size;
      x = std::move(y);
      if (residual <= options.tolerance * scale) return x;
    }
    char message[200];
    std::snprintf(message, sizeof message, "fixed_point: %s did not converge in %d iterations; the last one changed it by %g",
                  what, i, residual);
    raise(ADMPI_ERR_CONVERGENCE, message);
  }

  varmat evaluate(const varmat &x, const std::vector<varmat> &p) {
    varmat y = f(x, p);
    check_shape("fixed_point: f(x)", y.rows(), y.cols(), x.rows(), x.cols());
    return y;
  }

  void forward(const operation_call &call) {
    const passive section;
    const std::vector<varmat> p = passive_operands(call, 0);
    const admpi_operation_result &to = call.result(0);
    const std::vector<double> x = iterate("the iteration", start, 1.0, [&](const std::vector<double> &at) {
      return evaluate(varmat(to.rows, to.cols, at.data()), p).values();
    });
    hand_over(x, to.value);
  }

  /// With g = x_bar + g df/dx, itself a fixed point that is found by sweeps over one recording of f, p gets g df/dp.
  /// (Christianson, "Reverse accumulation and attractive fixed points", Optimization Methods and Software 3, 1994.)
  void reverse(const operation_call &call) {
    const admpi_operation_result &to = call.result(0);
    const std::vector<double> weight(to.adjoint, to.adjoint + to.rows * to.cols);
    in_nest([&](tape_ref tape) {
      std::vector<varmat> p = passive_operands(call, 0);
      varmat x(to.rows, to.cols, to.value);
      tape.input(x);
      input_operands(tape, call, 0, p);
      const varmat y = evaluate(x, p);
      const auto sweep = [&](const std::vector<double> &g) {
        tape.clear_adjoints();
        tape.seed(y, g);
        tape.reverse();
      };
      const std::vector<double> g = iterate("the adjoint iteration", weight, 0.0, [&](const std::vector<double> &at) {
        sweep(at);
        std::vector<double> next = tape.adjoints(x);
        for (std::size_t k = 0; k < next.size(); ++k) next[k] += weight[k];
        return next;
      });
      sweep(g);
      give_adjoints(tape, call, 0, p);
    });
  }
};

}  // namespace detail

/// x with x = f(x, p), of the shape of start, by iterating from there: where f contracts. One event, of which the reverse
/// iterates in the same way.
///   varmat f(const varmat &x, const std::vector<varmat> &p)
/// Everything active that f depends on must be in p, where a scalar is a matrix of one element; the solution does not depend on
/// start. Where x is spread over ranks, which must do the same number of iterations, the norm asks all of them:
///   double norm(const std::vector<double> &x)
/// f and the norm may throw. Throws convergence_error with the number of iterations and the last change, also from a sweep.
template <class F, class Norm = largest_magnitude>
varmat fixed_point(F f, const varmat &start, const std::vector<argument> &p, fixed_point_options options = {},
                   Norm norm = {}) {
  using operation = detail::fixed_point_operation<F, Norm>;
  return apply_operation(operation{std::move(f), start.values(), options, std::move(norm)}, p,
                         {{start.rows(), start.cols()}})[0];
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
