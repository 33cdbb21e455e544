// admpi: solutions of equations by users' routines: linear systems whose matrix is never formed, and fixed
// points. The iterations of the routines are not recorded.
#ifndef ADMPI_SOLVE_HPP
#define ADMPI_SOLVE_HPP

#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "admpi/operations.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// Matrices that the library lends to a routine.
inline varmat lent(admpi_varmat *of) noexcept {
  retain(of);
  return varmat(of);
}
inline std::vector<varmat> lent(std::int64_t n, admpi_varmat *const *of) {
  std::vector<varmat> all;
  for (std::int64_t k = 0; k < n; ++k) all.push_back(lent(of[k]));
  return all;
}

/// Hands a matrix to the library.
inline admpi_varmat *given(const varmat &a) noexcept {
  retain(a.handle());
  return a.handle();
}

template <class Solve, class Product>
struct linear_functions {
  Solve solve;
  Product product;

  static linear_functions &of(void *data) { return *static_cast<linear_functions *>(data); }
  static std::int32_t run_solve(const admpi_solve_call *call) {
    return guarded([&] {
      const std::size_t n = static_cast<std::size_t>(call->rows * call->cols);
      const std::vector<double> x =
          of(call->data).solve(lent(call->n_p, call->p), std::vector<double>(call->rhs, call->rhs + n), call->transposed != 0);
      if (x.size() != n) {
        char message[120];
        std::snprintf(message, sizeof message, "linear_solve: the routine returns %zu elements, expected %zu", x.size(), n);
        raise(ADMPI_ERR_ARGUMENT, message);
      }
      if (n != 0) std::memcpy(call->x, x.data(), n * sizeof(double));
    });
  }
  static std::int32_t run_product(std::int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data) {
    return guarded([&] { *y_out = given(of(data).product(lent(n_p, p), lent(x))); });
  }
  static constexpr admpi_linear_system table{sizeof(admpi_linear_system), &run_solve, &run_product, &destroy<linear_functions>};
};

}  // namespace detail

/// Solves A(p) X = B for a matrix given by two routines:
///   std::vector<double> solve(const std::vector<varmat> &p, const std::vector<double> &rhs, bool transposed)
///       the solution for the right-hand side rhs, column-major, with A or its transpose; p is passive
///   varmat product(const std::vector<varmat> &p, const varmat &x)
///       A(p) x with active types: a sweep records and reverses it to get the adjoints of p
/// One event. Every active value that A depends on must be in p. The routines may throw, and may communicate if all ranks
/// record the same.
template <class Solve, class Product>
varmat linear_solve(const varmat &b, const std::vector<argument> &p, Solve solve, Product product) {
  using functions = detail::linear_functions<Solve, Product>;
  const std::vector<admpi_operand> operands = detail::operands_of(p);
  const admpi_operand rhs = admpi_operand_part(b.parts());
  admpi_varmat *x = nullptr;
  detail::forget_thrown();
  detail::check_sweep(admpi_linear_solve(&functions::table, new functions{std::move(solve), std::move(product)}, &rhs,
                                         operands.data(), static_cast<std::int64_t>(operands.size()), &x));
  return varmat(x);
}

/// The criterion for convergence of a fixed point.
struct fixed_point_options {
  /// The largest change in an iteration, relative to the larger of 1 and the iterate (in the sweep: the adjoint).
  double tolerance = 1e-12;
  int max_iterations = 1000;
};

/// The norm where no other is given.
struct largest_magnitude {};

namespace detail {

template <class F, class Norm>
struct fixed_point_functions {
  F f;
  Norm norm;

  static fixed_point_functions &of(void *data) { return *static_cast<fixed_point_functions *>(data); }
  static std::int32_t evaluate(std::int64_t n_p, admpi_varmat *const *p, admpi_varmat *x, admpi_varmat **y_out, void *data) {
    return guarded([&] { *y_out = given(of(data).f(lent(x), lent(n_p, p))); });
  }
  static double measure(std::int64_t n, const double *x, void *data) {
    double size = std::numeric_limits<double>::quiet_NaN();  // which ends the iteration
    guarded([&] { size = of(data).norm(std::vector<double>(x, x + n)); });
    return size;
  }
  static admpi_fixed_point_map map(const fixed_point_options &options) {
    decltype(admpi_fixed_point_map::norm) norm = nullptr;
    if constexpr (!std::is_same<Norm, largest_magnitude>::value) norm = &measure;
    return {sizeof(admpi_fixed_point_map), &evaluate, norm, &destroy<fixed_point_functions>, options.tolerance,
            options.max_iterations};
  }
};

}  // namespace detail

/// Finds x = f(x, p), of the shape of start, by iterating a contraction f from start. One event, whose reverse iterates in
/// the same way.
///   varmat f(const varmat &x, const std::vector<varmat> &p)
/// Every active value that f depends on must be in p, where a scalar is a matrix of one element. The solution does not depend
/// on start. If x is distributed over ranks, the norm must reduce over all of them, so that they do the same number of
/// iterations:
///   double norm(const std::vector<double> &x)
/// f and the norm may throw. Throws convergence_error with the number of iterations and the last change, also from a sweep.
template <class F, class Norm = largest_magnitude>
varmat fixed_point(F f, const varmat &start, const std::vector<argument> &p, fixed_point_options options = {},
                   Norm norm = {}) {
  using functions = detail::fixed_point_functions<F, Norm>;
  const admpi_fixed_point_map map = functions::map(options);
  const std::vector<admpi_operand> operands = detail::operands_of(p);
  const admpi_view from = start.parts();
  admpi_varmat *x = nullptr;
  detail::forget_thrown();
  detail::check_sweep(admpi_fixed_point(&map, new functions{std::move(f), std::move(norm)}, &from, operands.data(),
                                        static_cast<std::int64_t>(operands.size()), &x));
  return varmat(x);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
