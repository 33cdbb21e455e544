// admpi: matrices and Eigen. Not part of admpi.hpp: include it where Eigen is used.
//
//   Eigen::MatrixXd m = ...;
//   admpi::varmat a = admpi::from_eigen(m);             // passive; of a matrix of var, one event
//   Eigen::MatrixXd values = admpi::values_of(a);       // a map: no copy
//   Eigen::Matrix<admpi::var, Eigen::Dynamic, Eigen::Dynamic> x = admpi::to_eigen(a.row(0));
//
// admpi::var is a scalar for Eigen: its expressions, reductions and solvers work on matrices of var.
#ifndef ADMPI_EIGEN_HPP
#define ADMPI_EIGEN_HPP

#include <Eigen/Core>
#include <limits>

#include "admpi.hpp"

namespace Eigen {

template <>
struct NumTraits<admpi::var> : NumTraits<double> {
  using Real = admpi::var;
  using NonInteger = admpi::var;
  using Nested = admpi::var;
  using Literal = admpi::var;
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 4, MulCost = 4 };
};

// Of var and double in one expression.
template <class Op>
struct ScalarBinaryOpTraits<admpi::var, double, Op> {
  using ReturnType = admpi::var;
};
template <class Op>
struct ScalarBinaryOpTraits<double, admpi::var, Op> {
  using ReturnType = admpi::var;
};

}  // namespace Eigen

namespace admpi {
inline namespace ADMPI_NAMESPACE {

// What Eigen asks of a real scalar.
inline const var &conj(const var &x) { return x; }
inline const var &real(const var &x) { return x; }
inline var imag(const var &) { return 0.0; }
inline var abs2(const var &x) { return x * x; }

/// A matrix of numbers or of var, or an expression of them.
template <class D>
varmat from_eigen(const Eigen::DenseBase<D> &m) {
  using scalar = typename D::Scalar;
  static_assert(std::is_same<scalar, double>::value || std::is_same<scalar, var>::value, "a matrix of double or admpi::var");
  const Eigen::Matrix<scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor> columns = m;
  return varmat(columns.rows(), columns.cols(), columns.data());
}

/// The elements of a part of a matrix, with their ids. Nothing is recorded.
inline Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic> to_eigen(const view &a) {
  const std::vector<var> elements = a.vars();
  return Eigen::Map<const Eigen::Matrix<var, Eigen::Dynamic, Eigen::Dynamic>>(elements.data(), a.rows(), a.cols());
}

/// The values of a part of a matrix, without a copy: valid until the matrix is assigned to or its tape reset.
inline Eigen::Map<const Eigen::MatrixXd, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>> values_of(const view &a) {
  const admpi_view v = a.parts();
  return {v.of->block->value + v.offset, v.rows, v.cols, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(v.col_step, v.row_step)};
}

/// The adjoints of a part of a matrix.
inline Eigen::MatrixXd adjoints_of(const tape_ref &tape, const view &a, int direction = 0) {
  const std::vector<double> adjoints = tape.adjoints(a, direction);
  return Eigen::Map<const Eigen::MatrixXd>(adjoints.data(), a.rows(), a.cols());
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
