// admpi: second derivatives of linear algebra. Not part of admpi.hpp: include it where they are wanted. The functions of
// admpi/linalg.hpp take a tangent<varmat> (a matrix and its derivative in a direction, see admpi/tangent_arrays.hpp) like
// any matrix.
//
//   admpi::tangent<admpi::varmat> x{a, direction};
//   tape.seed(log_determinant(x).derivative);   // the Hessian times the direction in the adjoints of a
//
// Formulas: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation", 2008;
// for the Cholesky factor Murray, "Differentiation of the Cholesky decomposition", 2016; for QR Walter and Lehmann, 2010;
// for singular vectors Townsend, "Differentiating the singular value decomposition", 2016.
#ifndef ADMPI_TANGENT_LINALG_HPP
#define ADMPI_TANGENT_LINALG_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "admpi/tangent_arrays.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// A passive matrix of f(i, j).
template <class F>
varmat matrix_of(std::int64_t rows, std::int64_t cols, F f) {
  std::vector<double> x;
  x.reserve(static_cast<std::size_t>(rows * cols));
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) x.push_back(f(i, j));
  }
  return varmat(rows, cols, x.data());
}

/// The elements below the diagonal, times a factor those on it, and else 0.
inline varmat lower_of(const varmat &a, double on_diagonal = 1.0) {
  return elt_multiply(a, matrix_of(a.rows(), a.cols(), [=](std::int64_t i, std::int64_t j) {
                        return i > j ? 1.0 : i == j ? on_diagonal : 0.0;
                      }));
}
inline varmat upper_of(const varmat &a) { return a - lower_of(a, 0.0); }

/// The symmetric matrix of which a has the lower triangle.
inline varmat symmetric(const varmat &a) { return lower_of(a) + lower_of(a, 0.0).transpose(); }

/// x with x r = a, for an upper triangular r.
inline varmat divide_upper(const varmat &a, const varmat &r) {
  return solve_lower(r.transpose(), a.transpose()).transpose();
}

/// 1 / x, element by element, or 0 where x is zero but for rounding, of numbers computed from those in s.
inline varmat inverses(const varmat &x, const varmat &s) {
  double most = 0.0;
  for (const double value : s.values()) most = std::fmax(most, std::fabs(value));
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(s.rows()) * most;
  return select(abs(x) <= rounding, 0.0, 1.0 / x);
}

/// s_j in every row.
inline varmat in_rows(const varmat &s) {
  return multiply(matrix_of(s.rows(), 1, [](std::int64_t, std::int64_t) { return 1.0; }), s.transpose());
}

/// 1 / (s_j - s_i), or 0 where they are equal but for rounding.
inline varmat gaps(const varmat &s) {
  const varmat across = in_rows(s);
  return inverses(across - across.transpose(), s);
}

}  // namespace detail

/// Rows and columns exchanged; nothing is recorded. So a program may be written for matrices and tangents alike.
inline view transpose(const view &a) { return a.transpose(); }
inline tangent<varmat> transpose(const tangent<varmat> &a) { return a.transpose(); }

// Linear functions.

inline tangent<var> trace(const tangent<varmat> &a) { return {trace(a.value), trace(a.derivative)}; }
inline tangent<varmat> diag(const tangent<varmat> &d) { return {diag(d.value), diag(d.derivative)}; }

// Functions linear in each of two operands. Either may be without a derivative in the direction.

#define ADMPI_TANGENT_BILINEAR(name)                                                                \
  inline tangent<varmat> name(const tangent<varmat> &a, const tangent<varmat> &b) {                 \
    return {name(a.value, b.value), name(a.derivative, b.value) + name(a.value, b.derivative)};     \
  }                                                                                                 \
  inline tangent<varmat> name(const tangent<varmat> &a, const view &b) {                            \
    return {name(a.value, b), name(a.derivative, b)};                                               \
  }                                                                                                 \
  inline tangent<varmat> name(const view &a, const tangent<varmat> &b) {                            \
    return {name(a, b.value), name(a, b.derivative)};                                               \
  }
ADMPI_TANGENT_BILINEAR(multiply)
ADMPI_TANGENT_BILINEAR(diag_pre_multiply)
ADMPI_TANGENT_BILINEAR(diag_post_multiply)
#undef ADMPI_TANGENT_BILINEAR

#define ADMPI_TANGENT_SPARSE(name)                                                                            \
  inline tangent<varmat> name(const sparse &s, const tangent<varmat> &value, const tangent<varmat> &b) {      \
    return {name(s, value.value, b.value), name(s, value.derivative, b.value) + name(s, value.value, b.derivative)}; \
  }                                                                                                           \
  inline tangent<varmat> name(const sparse &s, const tangent<varmat> &value, const view &b) {                 \
    return {name(s, value.value, b), name(s, value.derivative, b)};                                           \
  }                                                                                                           \
  inline tangent<varmat> name(const sparse &s, const view &value, const tangent<varmat> &b) {                 \
    return {name(s, value, b.value), name(s, value, b.derivative)};                                           \
  }
ADMPI_TANGENT_SPARSE(multiply)
ADMPI_TANGENT_SPARSE(multiply_transposed)
#undef ADMPI_TANGENT_SPARSE

inline tangent<varmat> tcrossprod(const tangent<varmat> &a) {
  const varmat half = multiply(a.derivative, a.value.transpose());
  return {tcrossprod(a.value), half + half.transpose()};
}

inline tangent<varmat> quad_form(const tangent<varmat> &a, const tangent<varmat> &b) {
  return multiply(b.transpose(), multiply(a, b));
}
inline tangent<varmat> quad_form(const tangent<varmat> &a, const view &b) {
  return {quad_form(a.value, b), quad_form(a.derivative, b)};
}
inline tangent<varmat> quad_form(const view &a, const tangent<varmat> &b) {
  return multiply(b.transpose(), multiply(a, b));
}

// Systems: x' with a x' = b' - a' x. `read` is what of a' the function reads.

#define ADMPI_TANGENT_SOLVE(name, read)                                                             \
  inline tangent<varmat> name(const tangent<varmat> &a, const tangent<varmat> &b) {                 \
    const varmat x = name(a.value, b.value);                                                        \
    return {x, name(a.value, varmat(b.derivative - multiply(read(a.derivative), x)))};              \
  }                                                                                                 \
  inline tangent<varmat> name(const tangent<varmat> &a, const view &b) {                            \
    const varmat x = name(a.value, b);                                                              \
    return {x, name(a.value, varmat(-multiply(read(a.derivative), x)))};                            \
  }                                                                                                 \
  inline tangent<varmat> name(const view &a, const tangent<varmat> &b) {                            \
    return {name(a, b.value), name(a, b.derivative)};                                               \
  }
ADMPI_TANGENT_SOLVE(solve, varmat)
ADMPI_TANGENT_SOLVE(solve_spd, detail::symmetric)
ADMPI_TANGENT_SOLVE(solve_lower, detail::lower_of)
ADMPI_TANGENT_SOLVE(solve_upper, detail::upper_of)
#undef ADMPI_TANGENT_SOLVE

/// c' = -c a' c.
inline tangent<varmat> inverse(const tangent<varmat> &a) {
  const varmat c = inverse(a.value);
  return {c, -multiply(c, multiply(a.derivative, c))};
}
inline tangent<varmat> inverse_spd(const tangent<varmat> &a) {
  const varmat c = inverse_spd(a.value);
  return {c, -quad_form(detail::symmetric(a.derivative), c)};
}

/// The trace of the inverse times a'.
inline tangent<var> log_determinant(const tangent<varmat> &a) {
  return {log_determinant(a.value), trace(solve(a.value, a.derivative))};
}
inline tangent<var> log_determinant_spd(const tangent<varmat> &a) {
  return {log_determinant_spd(a.value), trace(solve_spd(a.value, detail::symmetric(a.derivative)))};
}
namespace detail {

/// That of the determinant, which is linear in each column: the sum of those with one column replaced by that of a'.
inline var determinant_along(const varmat &a, const varmat &derivative) {
  var sum = 0.0;
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    varmat replaced = a;
    replaced.col(j) = derivative.col(j);
    sum += determinant(replaced);
  }
  return sum;
}

/// Whether the inverse of a matrix with determinant d has most digits, by its pivots.
inline bool has_good_inverse(const varmat &a, double d) {
  if (!(std::fabs(d) > 1e-250 && std::fabs(d) < 1e250)) return false;
  if (a.size() == 0) return true;
  try {
    const varmat pivots = abs(lu(varmat(a.rows(), a.cols(), a.handle()->block->value)).u.diagonal());
    return min_element(pivots).value > 1e-6 * max_element(pivots).value;
  } catch (const argument_error &) {
    return false;
  }
}

}  // namespace detail

/// d' = d times the trace of the inverse times a'; or, where the inverse loses digits or there is none, and where d vanishes or
/// overflows, by as many determinants as there are columns.
inline tangent<var> determinant(const tangent<varmat> &a) {
  const var d = determinant(a.value);
  if (detail::has_good_inverse(a.value, d.value)) return {d, d * trace(solve(a.value, a.derivative))};
  return {d, detail::determinant_along(a.value, a.derivative)};
}

/// l' = l times the lower triangle, with half of the diagonal, of l^-1 a' l^-T.
inline tangent<varmat> cholesky(const tangent<varmat> &a) {
  const varmat l = cholesky(a.value);
  const varmat half = solve_lower(l, detail::symmetric(a.derivative));
  return {l, multiply(l, detail::lower_of(solve_lower(l, half.transpose()), 0.5))};
}

/// Of the first rows and columns, as many as there are of the fewer. With m = l^-1 times those of a' in their order times u^-1:
/// l' = l times its part below the diagonal, u' = the rest of it times u. Rows below: l' = (a' - l u') u^-1, columns to the right:
/// u' = l^-1 (a' - l' u).
inline lu_factors<tangent<varmat>> lu(const tangent<varmat> &a) {
  const std::int64_t rows = a.value.rows(), cols = a.value.cols(), k = rows < cols ? rows : cols;
  lu_factors<varmat> f = lu(a.value);
  varmat ordered(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i) ordered.row(i) = a.derivative.row(f.rows[static_cast<std::size_t>(i)]);
  const varmat l = f.l.block(0, 0, k, k), u = f.u.block(0, 0, k, k);
  const varmat m = solve_lower(l, detail::divide_upper(ordered.block(0, 0, k, k), u));
  const varmat below = detail::lower_of(m, 0.0);
  varmat of_l = multiply(l, below), of_u = multiply(varmat(m - below), u);
  if (rows > k) {
    const view under = f.l.block(k, 0, rows - k, k);
    of_l = vcat({of_l, detail::divide_upper(ordered.block(k, 0, rows - k, k) - multiply(under, of_u), u)});
  }
  if (cols > k) {
    const view right = f.u.block(0, k, k, cols - k);
    of_u = hcat({of_u, solve_lower(l, varmat(ordered.block(0, k, k, cols - k) - multiply(of_l, right)))});
  }
  return {{f.l, of_l}, {f.u, of_u}, std::move(f.rows)};
}

/// Of the first columns, no more than rows. With m = q^T a' r^-1, and w its part below the diagonal minus the transpose of that:
/// r' = (m - w) r, and q' = a' r^-1 - q (m - w). Columns to the right: r' = q'^T a + q^T a'.
inline qr_factors<tangent<varmat>> qr(const tangent<varmat> &a) {
  const std::int64_t rows = a.value.rows(), cols = a.value.cols(), k = rows < cols ? rows : cols;
  const qr_factors<varmat> f = qr(a.value);
  const varmat r = f.r.block(0, 0, k, k);
  const varmat across = detail::divide_upper(a.derivative.block(0, 0, rows, k), r);
  const varmat m = multiply(f.q.transpose(), across);
  const varmat below = detail::lower_of(m, 0.0);
  const varmat upper = m - below + below.transpose();
  const varmat of_q = across - multiply(f.q, upper);
  varmat of_r = multiply(upper, r);
  if (cols > k) {
    const view right = a.value.block(0, k, rows, cols - k), change = a.derivative.block(0, k, rows, cols - k);
    of_r = hcat({of_r, varmat(multiply(of_q.transpose(), right) + multiply(f.q.transpose(), change))});
  }
  return {{f.q, of_q}, {f.r, of_r}};
}

/// Values: the diagonal of v^T a' v; vectors: v times 1 / (s_j - s_i) of it.
inline eigen_pairs<tangent<varmat>> eigen_sym(const tangent<varmat> &a) {
  const eigen_pairs<varmat> e = eigen_sym(a.value);
  const varmat inner = quad_form(detail::symmetric(a.derivative), e.vectors);
  return {{e.values, inner.diagonal()}, {e.vectors, multiply(e.vectors, varmat(elt_multiply(inner, detail::gaps(e.values))))}};
}
inline tangent<varmat> eigenvalues_sym(const tangent<varmat> &a) { return eigen_sym(a).values; }

/// With p = u^T a' v, s' is its diagonal; with 2 x = (p + p^T) / (s_j - s_i) and 2 y = (p - p^T) / (s_j + s_i) element by
/// element, u' = u (x + y) + (a' v - u p) / s, and v' = v (x - y) + (a'^T u - v p^T) / s. Vectors of a value that is zero count
/// as constant.
inline singular_triplets<tangent<varmat>> svd(const tangent<varmat> &a) {
  const singular_triplets<varmat> f = svd(a.value);
  const varmat of_v = multiply(a.derivative, f.v), of_u = multiply(a.derivative.transpose(), f.u);
  const varmat p = multiply(f.u.transpose(), of_v);
  const varmat across = detail::in_rows(f.s);
  const varmat sums = detail::inverses(across + across.transpose(), f.s);
  const varmat x = 0.5 * elt_multiply(p + p.transpose(), detail::gaps(f.s)), y = 0.5 * elt_multiply(p - p.transpose(), sums);
  const varmat inverse = detail::inverses(f.s, f.s);
  const varmat rest_of_u = of_v - multiply(f.u, p), rest_of_v = of_u - multiply(f.v, p.transpose());
  return {{f.u, multiply(f.u, varmat(x + y)) + diag_post_multiply(rest_of_u, inverse)},
          {f.s, p.diagonal()},
          {f.v, multiply(f.v, varmat(x - y)) + diag_post_multiply(rest_of_v, inverse)}};
}
inline tangent<varmat> singular_values(const tangent<varmat> &a) { return svd(a).s; }

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
