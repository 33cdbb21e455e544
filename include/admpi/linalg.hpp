// admpi: linear algebra on matrices and parts of them. Each function is one event, which holds what its operands are and
// the factors that it has computed. Operands may be passive, transposed views are not copied, and vectors are
// matrices of one column.
#ifndef ADMPI_LINALG_HPP
#define ADMPI_LINALG_HPP

#include <utility>
#include <vector>

#include "admpi/linalg.h"
#include "admpi/varmat.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// What a function of the C interface makes of these operands.
template <class F, class... V>
varmat matrix_by(F *function, const V &...operand) {
  admpi_varmat *made = nullptr;
  check(function(&operand.view_of()..., &made));
  return varmat(made);
}

template <class F>
var scalar_by(F *function, const view &operand) {
  var made;
  check(function(&operand.view_of(), &made));
  return made;
}

}  // namespace detail

// Products.

/// The product of two matrices.
inline varmat multiply(const view &a, const view &b) { return detail::matrix_by(admpi_multiply, a, b); }
/// a times its transpose.
inline varmat tcrossprod(const view &a) { return detail::matrix_by(admpi_tcrossprod, a); }
/// The transpose of b, times a, times b.
inline varmat quad_form(const view &a, const view &b) { return detail::matrix_by(admpi_quad_form, a, b); }
/// The sum of the elements on the diagonal.
inline var trace(const view &a) { return detail::scalar_by(admpi_trace, a); }
/// The matrix with a vector on its diagonal.
inline varmat diag(const view &d) { return detail::matrix_by(admpi_diag, d); }
/// diag(d) times a.
inline varmat diag_pre_multiply(const view &d, const view &a) { return detail::matrix_by(admpi_diag_pre_multiply, d, a); }
/// a times diag(d).
inline varmat diag_post_multiply(const view &a, const view &d) { return detail::matrix_by(admpi_diag_post_multiply, a, d); }

// Systems, inverses, determinants. `_spd`: for symmetric, positive definite matrices, whose lower triangle is read.
// The sweep uses the factors again.

/// x with a x = b. For a transposed system: solve(a.transpose(), b).
inline varmat solve(const view &a, const view &b) { return detail::matrix_by(admpi_solve, a, b); }
inline varmat solve_spd(const view &a, const view &b) { return detail::matrix_by(admpi_solve_spd, a, b); }
/// For a triangular matrix; the other elements are not read.
inline varmat solve_lower(const view &a, const view &b) { return detail::matrix_by(admpi_solve_lower, a, b); }
inline varmat solve_upper(const view &a, const view &b) { return detail::matrix_by(admpi_solve_upper, a, b); }
inline varmat inverse(const view &a) { return detail::matrix_by(admpi_inverse, a); }
inline varmat inverse_spd(const view &a) { return detail::matrix_by(admpi_inverse_spd, a); }
inline var determinant(const view &a) { return detail::scalar_by(admpi_determinant, a); }
/// log |det a|.
inline var log_determinant(const view &a) { return detail::scalar_by(admpi_log_determinant, a); }
inline var log_determinant_spd(const view &a) { return detail::scalar_by(admpi_log_determinant_spd, a); }

// Factors. `_sym`: for a symmetric matrix, whose lower triangle is read.

/// The lower triangular l with a = l times its transpose, for a symmetric, positive definite matrix.
inline varmat cholesky(const view &a) { return detail::matrix_by(admpi_cholesky, a); }

template <class M>
struct lu_factors {
  M l;                             ///< lower triangular, 1 on the diagonal
  M u;                             ///< upper triangular
  std::vector<std::int64_t> rows;  ///< row i of l times u is row rows[i] of a
};
inline lu_factors<varmat> lu(const view &a) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(a.rows()));
  admpi_varmat *l = nullptr;
  admpi_varmat *u = nullptr;
  detail::check(admpi_lu(&a.view_of(), a.rows(), &l, &u, rows.data()));
  return {varmat(l), varmat(u), std::move(rows)};
}

template <class M>
struct qr_factors {
  M q;  ///< orthonormal columns
  M r;  ///< upper triangular, the diagonal positive
};
inline qr_factors<varmat> qr(const view &a) {
  admpi_varmat *q = nullptr;
  admpi_varmat *r = nullptr;
  detail::check(admpi_qr(&a.view_of(), &q, &r));
  return {varmat(q), varmat(r)};
}

/// Ascending, as a column.
inline varmat eigenvalues_sym(const view &a) { return detail::matrix_by(admpi_eigenvalues_sym, a); }

template <class M>
struct eigen_pairs {
  M values;   ///< ascending, a column
  M vectors;  ///< orthonormal columns
};
inline eigen_pairs<varmat> eigen_sym(const view &a) {
  admpi_varmat *values = nullptr;
  admpi_varmat *vectors = nullptr;
  detail::check(admpi_eigen_sym(&a.view_of(), &values, &vectors));
  return {varmat(values), varmat(vectors)};
}

/// Descending, as a column.
inline varmat singular_values(const view &a) { return detail::matrix_by(admpi_singular_values, a); }

/// a = u diag(s) times the transpose of v.
template <class M>
struct singular_triplets {
  M u;  ///< orthonormal columns
  M s;  ///< descending, a column
  M v;  ///< orthonormal columns
};
inline singular_triplets<varmat> svd(const view &a) {
  admpi_varmat *u = nullptr;
  admpi_varmat *s = nullptr;
  admpi_varmat *v = nullptr;
  detail::check(admpi_svd(&a.view_of(), &u, &s, &v));
  return {varmat(u), varmat(s), varmat(v)};
}

// Sparse matrices.

/// The pattern of a sparse matrix, in compressed rows. Each product takes the values. A copy is the same
/// pattern, and costs nothing.
class sparse {
 public:
  /// Row i has the columns column[row_start[i]] to column[row_start[i + 1] - 1]. Indices may have any integer type.
  template <class Integer>
  sparse(std::int64_t rows, std::int64_t cols, const std::vector<Integer> &row_start, const std::vector<Integer> &column)
      : rows_(rows), cols_(cols) {
    if (static_cast<std::int64_t>(row_start.size()) != rows + 1) {
      detail::raise(ADMPI_ERR_ARGUMENT, "sparse: row_start must have rows + 1 elements");
    }
    const std::vector<std::int64_t> start(row_start.begin(), row_start.end());
    const std::vector<std::int64_t> columns(column.begin(), column.end());
    detail::check(admpi_sparse_new(rows, cols, start.data(), columns.data(),
                                   static_cast<std::int64_t>(columns.size()), &of_));
  }
  sparse(const sparse &other) : rows_(other.rows_), cols_(other.cols_) {
    detail::check(admpi_sparse_copy(other.of_, &of_));
  }
  sparse(sparse &&other) noexcept
      : rows_(other.rows_), cols_(other.cols_), of_(std::exchange(other.of_, nullptr)) {}
  sparse &operator=(sparse other) noexcept {
    rows_ = other.rows_;
    cols_ = other.cols_;
    std::swap(of_, other.of_);
    return *this;
  }
  ~sparse() { admpi_sparse_free(of_); }
  std::int64_t rows() const noexcept { return rows_; }
  std::int64_t cols() const noexcept { return cols_; }
  /// For the C interface.
  const admpi_sparse *handle() const noexcept { return of_; }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  admpi_sparse *of_ = nullptr;
};

/// The sparse matrix with these values (a vector, in the order of the pattern) times b.
inline varmat multiply(const sparse &s, const view &value, const view &b) {
  admpi_varmat *made = nullptr;
  detail::check(admpi_sparse_multiply(s.handle(), &value.view_of(), &b.view_of(), &made));
  return varmat(made);
}
/// Its transpose times b.
inline varmat multiply_transposed(const sparse &s, const view &value, const view &b) {
  admpi_varmat *made = nullptr;
  detail::check(admpi_sparse_multiply_transposed(s.handle(), &value.view_of(), &b.view_of(), &made));
  return varmat(made);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
