// admpi: sparse Jacobians and Hessians: where they have elements, from one recording, and these by a few passes.
//
//   admpi::csr j = admpi::sparse_jacobian(f, x);                       // f and x as for jacobian
//   const admpi::coloured_pattern p = admpi::hessian_sparsity(g, x);   // once, if x changes and branches do not
//   admpi::csr h = admpi::sparse_hessian(g, x, p);
#ifndef ADMPI_SPARSITY_HPP
#define ADMPI_SPARSITY_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "admpi/derivatives.hpp"
#include "admpi/sparsity.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A sparse matrix in compressed rows: row i has the elements from row_start[i] up to row_start[i + 1], in ascending columns.
/// The arrays are what Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>>, MatCreateSeqAIJWithArrays of PETSc and,
/// since int is as wide as u32, SymbolicSparseRowMat of faer take.
struct csr {
  std::int64_t rows = 0, cols = 0;
  std::vector<int> row_start{0}, column;
  std::vector<double> value;
};

/// What groups the elements of a matrix into passes.
enum class colour_by : int {
  columns = ADMPI_COLOUR_COLUMNS,     ///< a Jacobian: a tangent for each colour
  rows = ADMPI_COLOUR_ROWS,           ///< a Jacobian: a sweep for up to 16 colours
  symmetric = ADMPI_COLOUR_SYMMETRIC  ///< a Hessian: a product with a vector for each colour
};

/// Where a Jacobian or a Hessian may have elements, and a colour for each of its rows or columns.
struct coloured_pattern {
  std::int64_t rows = 0, cols = 0;
  std::vector<int> row_start{0}, column;
  colour_by by = colour_by::columns;
  std::vector<int> colour;
  int colours = 0;
};

namespace detail {

struct free_sparse {
  void operator()(admpi_sparse *s) const { admpi_sparse_free(s); }
};
using sparse_handle = std::unique_ptr<admpi_sparse, free_sparse>;

/// Whether f can be called with tangents: not if it is for var only.
template <class F>
inline constexpr bool takes_tangents = std::is_invocable<F &, const std::vector<tangent<double>> &>::value;

/// At most as many elements in a column, or in a row.
inline std::size_t longest(const std::vector<int> &count) {
  return count.empty() ? 0 : static_cast<std::size_t>(*std::max_element(count.begin(), count.end()));
}

enum class passes { sweeps, sweeps_or_tangents, products };

/// Copies a pattern, also to arrays of wide numbers.
inline coloured_pattern copied(const admpi_sparse *s, std::vector<std::int64_t> &start, std::vector<std::int64_t> &column) {
  coloured_pattern p;
  std::int64_t n = 0;
  check(admpi_sparse_size(s, &p.rows, &p.cols, &n));
  if (std::max(n, p.cols) > std::numeric_limits<int>::max())
    raise(ADMPI_ERR_UNSUPPORTED, "sparsity: more elements or columns than an int counts");
  start.resize(static_cast<std::size_t>(p.rows) + 1);
  column.resize(static_cast<std::size_t>(n));
  check(admpi_sparse_rows(s, start.data(), column.data()));
  const auto narrow = [](std::int64_t i) { return static_cast<int>(i); };
  p.row_start.resize(start.size());
  std::transform(start.begin(), start.end(), p.row_start.begin(), narrow);
  p.column.resize(column.size());
  std::transform(column.begin(), column.end(), p.column.begin(), narrow);
  return p;
}

/// Copies a pattern and colours it: a Jacobian's by rows or columns, whichever promise to be cheaper.
inline coloured_pattern coloured(const admpi_sparse *s, passes by) {
  std::vector<std::int64_t> start, column;
  coloured_pattern p = copied(s, start, column);
  p.by = by == passes::products ? colour_by::symmetric : colour_by::rows;
  if (by == passes::sweeps_or_tangents) {
    // Rows that share a column differ, and columns that share a row.
    std::vector<int> in_row, in_column(static_cast<std::size_t>(p.cols));
    for (std::size_t i = 0; i + 1 < p.row_start.size(); ++i) in_row.push_back(p.row_start[i + 1] - p.row_start[i]);
    for (const int j : p.column) ++in_column[static_cast<std::size_t>(j)];
    const auto passes_of = [](const std::vector<int> &count, std::int64_t at_once) {
      return passes_for(static_cast<std::int64_t>(longest(count)), at_once);
    };
    p.by = are_cheaper(passes_of(in_row, columns_of_tangent), passes_of(in_column, 16)) ? colour_by::columns : colour_by::rows;
  }
  p.colour.resize(static_cast<std::size_t>(p.by == colour_by::columns ? p.cols : p.rows));
  check(admpi_sparse_colour(s, static_cast<int>(p.by), p.colour.data(), &p.colours));
  return p;
}

/// A vector that a matrix is multiplied by to see whether its pattern has all elements, and the product.
struct probed {
  std::vector<double> v, product;
};

/// The products of the Jacobian with the columns of each colour, by tangents: calls fn(f of them, first colour, the one behind the last).
/// Behind the last colour, a direction of its own: a probe, if there is one.
template <class F, class G>
void tangent_columns(F &f, const std::vector<double> &x, const std::vector<int> &colour, int colours, probed *probe, G &&fn) {
  constexpr int step = columns_at_once<F>;
  const int all = probe != nullptr ? colours + 1 : colours;
  for (int first = 0; first < all; first += step) {
    auto product = in_directions(f, x, [&](std::size_t j, int k) {
      if (first + k == colours && probe != nullptr) return probe->v[j];
      return colour[j] == first + k ? 1.0 : 0.0;
    });
    fn(product, first, std::min(first + step, colours));
    if (first + step <= colours || probe == nullptr) continue;
    for (auto &one : product) probe->product.push_back(direction(one.derivative, colours - first));
  }
}

template <class F, class Y>
coloured_pattern sparsity_of(F &, tape_ref tape, const std::vector<var> &x, const Y &y) {
  admpi_sparse *s = nullptr;
  check(admpi_tape_sparsity(tape.handle(), x.data(), static_cast<std::int64_t>(x.size()), y.data(),
                            static_cast<std::int64_t>(y.size()), &s));
  return coloured(sparse_handle(s).get(), takes_tangents<F> ? passes::sweeps_or_tangents : passes::sweeps);
}

/// An error if the arrays of a pattern do not fit together: rows that do not lie one behind the other, columns and colours that it has
/// not.
inline void check_arrays(const char *function, const coloured_pattern &p) {
  const auto wrong = [&](const std::string &why) { raise(ADMPI_ERR_ARGUMENT, (std::string(function) + ": the pattern's " + why).c_str()); };
  const auto place = [](const char *of, std::size_t k) { return of + ("[" + std::to_string(k) + "] = "); };
  const std::vector<int> &start = p.row_start;
  if (p.rows < 0 || start.size() != static_cast<std::size_t>(p.rows) + 1)
    wrong("row_start has " + std::to_string(start.size()) + " numbers, and there are " + std::to_string(p.rows) + " rows");
  if (start.front() != 0) wrong(place("row_start", 0) + std::to_string(start.front()) + " is not 0");
  for (std::size_t i = 1; i < start.size(); ++i)
    if (start[i] < start[i - 1]) wrong(place("row_start", i) + std::to_string(start[i]) + " is below the one before");
  if (static_cast<std::size_t>(start.back()) != p.column.size())
    wrong("row_start ends with " + std::to_string(start.back()) + ", and there are " + std::to_string(p.column.size()) + " elements");
  const auto check_below = [&](const char *what, const std::vector<int> &numbers, std::int64_t limit) {
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (numbers[k] < 0 || numbers[k] >= limit)
        wrong(place(what, k) + std::to_string(numbers[k]) + " is not below " + std::to_string(limit));
  };
  check_below("column", p.column, p.cols);
  check_below("colour", p.colour, p.colours);
}

inline csr zeros_of(const coloured_pattern &p) {
  return csr{p.rows, p.cols, p.row_start, p.column, std::vector<double>(p.column.size())};
}

/// Calls fn(row, column, value of the element) for all elements.
template <class F>
void each_element(csr &a, F &&fn) {
  for (std::size_t i = 0; i + 1 < a.row_start.size(); ++i)
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      fn(i, static_cast<std::size_t>(a.column[at]), a.value[at]);
    }
}

/// A number between 0.5 and 1.5 for each column, all different: the product with these tells what a pattern lacks.
inline double probe(std::int64_t j) {
  std::uint64_t bits = (static_cast<std::uint64_t>(j) + 1) * 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 31)) * 0xBF58476D1CE4E5B9u;
  return 0.5 + static_cast<double>((bits ^ (bits >> 29)) >> 11) / 9007199254740992.0;
}

inline std::string text_of(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// An error if a product of the whole matrix with probe() is not that of its elements: the pattern lacks one of a row.
inline void check_product(const char *function, csr &a, const std::vector<double> &product) {
  std::vector<double> sum(product.size()), size(product.size());
  each_element(a, [&](std::size_t i, std::size_t j, double &value) {
    const double term = value * probe(static_cast<std::int64_t>(j));
    sum[i] += term;
    size[i] += std::fabs(term);
  });
  const double least = 1e-10 * largest_of(a.value);
  for (std::size_t i = 0; i < product.size(); ++i) {
    const double tolerance = 1e-8 * (size[i] + std::fabs(product[i])) + least;
    // What is not finite tells nothing.
    if (!(std::fabs(sum[i] - product[i]) > tolerance)) continue;
    raise(ADMPI_ERR_ARGUMENT, (std::string(function) + ": row " + std::to_string(i) + " of the pattern lacks an element: the row times a vector is " +
                               text_of(product[i]) + ", but its elements give " + text_of(sum[i])).c_str());
  }
}

/// By sweeps of a recording, each for several colours of rows.
template <class Y>
void sweep_rows(tape_ref tape, int widest, const coloured_pattern &p, const std::vector<var> &x, const Y &y, csr &result) {
  const int width = width_for(p.colours, widest);
  if (width > 1) tape.set_width(width);
  std::vector<double> adjoint(x.size() * static_cast<std::size_t>(width));
  for (int first = 0; first < p.colours; first += width) {
    const int directions = std::min(width, p.colours - first);
    if (first > 0) tape.clear_adjoints();
    const auto direction = [&](std::size_t i) { return p.colour[i] - first; };
    for (std::size_t i = 0; i < y.size(); ++i)
      if (direction(i) >= 0 && direction(i) < directions) tape.seed(y[i], weight_of(y[i]), direction(i));
    tape.reverse();
    for (int k = 0; k < directions; ++k) adjoints_of(tape, x, adjoint.data() + static_cast<std::size_t>(k) * x.size(), k);
    each_element(result, [&](std::size_t i, std::size_t j, double &value) {
      if (direction(i) >= 0 && direction(i) < directions) value = adjoint[static_cast<std::size_t>(direction(i)) * x.size() + j];
    });
  }
}

/// Of a sum of products in one statement each factor would count for all of them.
struct split_tangents {
  split_tangents() { admpi_tls_cxx.splits = 1; }
  ~split_tangents() { admpi_tls_cxx.splits = was; }
  split_tangents(const split_tangents &) = delete;
  split_tangents &operator=(const split_tangents &) = delete;
  const std::int32_t was = admpi_tls_cxx.splits;
};

/// x and a direction, both inputs, while tangents are recorded as a statement for each product.
struct two_inputs {
  std::vector<var> active, direction;
  std::vector<tangent<var>> moved;
  const split_tangents while_recording;

  two_inputs(tape_ref tape, const std::vector<double> &x) : active(x.begin(), x.end()), direction(x.size(), var(1.0)), moved(x.size()) {
    if (!active.empty()) {
      tape.input(active);
      tape.input(direction);
    }
    for (std::size_t i = 0; i < x.size(); ++i) moved[i] = tangent<var>(active[i], direction[i]);
  }
};

inline void check_pattern(const char *function, const coloured_pattern &p, std::size_t rows, std::size_t cols) {
  check_length(function, "the pattern's rows", static_cast<std::size_t>(p.rows), rows);
  check_length(function, "the pattern's columns", static_cast<std::size_t>(p.cols), cols);
  check_length(function, "the pattern's colour", p.colour.size(), p.by == colour_by::rows ? rows : cols);
}

}  // namespace detail

/// A pattern that you know, such as that of a mesh: columns ascending in each row. Symmetric for a Hessian.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT if the arrays do not fit together
inline coloured_pattern colour_pattern(std::int64_t rows, std::int64_t cols, const std::vector<std::int64_t> &row_start,
                                       const std::vector<std::int64_t> &column, bool is_symmetric = false) {
  detail::check_length("colour_pattern", "row_start", row_start.size(), static_cast<std::size_t>(rows) + 1);
  admpi_sparse *s = nullptr;
  detail::check(admpi_sparse_new(rows, cols, row_start.data(), column.data(), static_cast<std::int64_t>(column.size()), &s));
  return detail::coloured(detail::sparse_handle(s).get(), is_symmetric ? detail::passes::products : detail::passes::sweeps_or_tangents);
}

/// Where the Jacobian of f may have elements for all x at which f takes the same branches as at this one: from one recording.
template <class F>
coloured_pattern sparsity(F &&f, const std::vector<double> &x) {
  coloured_pattern result;
  detail::recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
    result = detail::sparsity_of(f, tape, active, y);
  });
  return result;
}

namespace detail {

/// As sparse_jacobian of a pattern that is known to be f's, or with a probe.
template <class F>
csr jacobian_with(F &f, const std::vector<double> &x, const coloured_pattern &p, probed *probe = nullptr) {
  csr result = zeros_of(p);
  if (p.by == colour_by::rows) {
    const int directions = widest();
    recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
      check_pattern("sparse_jacobian", p, y.size(), x.size());
      sweep_rows(tape, directions, p, active, y, result);
    });
    if constexpr (takes_tangents<F>) {
      if (probe != nullptr) probe->product = jacobian_product(f, x, probe->v);
    }
    return result;
  }
  if constexpr (takes_tangents<F>) {
    check_length("sparse_jacobian", "the pattern's colour", p.colour.size(), x.size());
    tangent_columns(f, x, p.colour, p.colours, probe, [&](auto &product, int first, int last) {
      check_pattern("sparse_jacobian", p, product.size(), x.size());
      each_element(result, [&](std::size_t i, std::size_t j, double &value) {
        if (p.colour[j] >= first && p.colour[j] < last) value = direction(product[i].derivative, p.colour[j] - first);
      });
    });
  } else {
    raise(ADMPI_ERR_ARGUMENT, "sparse_jacobian: f does not take tangents, but the pattern is coloured by columns");
  }
  return result;
}

/// Of columns from `begin` on.
inline std::vector<double> probe_of(std::int64_t begin, std::size_t columns) {
  std::vector<double> v(columns);
  for (std::size_t j = 0; j < columns; ++j) v[j] = probe(begin + static_cast<std::int64_t>(j));
  return v;
}

}  // namespace detail

/// The Jacobian of f at x, by a sweep for each 16 colours of rows (for each colour, on a tape that the thread has), or by a
/// tangent for each 4 colours of columns; and, if f takes tangents, by one more direction, which finds out whether p has all elements.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT if the pattern is not as large as the Jacobian, or has not all elements; what f throws
template <class F>
csr sparse_jacobian(F &&f, const std::vector<double> &x, const coloured_pattern &p) {
  detail::check_arrays("sparse_jacobian", p);
  detail::probed probe{detail::probe_of(0, x.size()), {}};
  csr result = detail::jacobian_with(f, x, p, &probe);
  if constexpr (detail::takes_tangents<F>) detail::check_product("sparse_jacobian", result, probe.product);
  return result;
}

/// The same with its pattern, from the same recording.
template <class F>
csr sparse_jacobian(F &&f, const std::vector<double> &x) {
  coloured_pattern p;
  csr result;
  const int widest = detail::widest();
  detail::recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
    p = detail::sparsity_of(f, tape, active, y);
    if (p.by != colour_by::rows) return;
    result = detail::zeros_of(p);
    detail::sweep_rows(tape, widest, p, active, y, result);
  });
  return p.by == colour_by::rows ? result : detail::jacobian_with(f, x, p);
}

/// Where the Hessian of f may have elements, from one recording of a tangent: all that it has, and where a statement of the tangent adds
/// products, such as those of x * y, each of their factors with each. f returns a scalar.
template <class F>
coloured_pattern hessian_sparsity(F &&f, const std::vector<double> &x) {
  coloured_pattern result;
  detail::in_nest([&](tape_ref tape) {
    detail::two_inputs in(tape, x);
    const tangent<var> y = f(static_cast<const std::vector<tangent<var>> &>(in.moved));
    admpi_sparse *s = nullptr;
    detail::check(admpi_tape_hessian_sparsity(tape.handle(), in.active.data(), in.direction.data(),
                                              static_cast<std::int64_t>(x.size()), y.derivative, &s));
    result = detail::coloured(detail::sparse_handle(s).get(), detail::passes::products);
  });
  return result;
}

namespace detail {

/// The products with the sums of each colour's columns: product(v) is one. Behind each row those of all colours.
template <class Product>
std::vector<double> products_of_colours(const coloured_pattern &p, Product &&product) {
  const auto colours = static_cast<std::size_t>(p.colours);
  std::vector<double> v(p.colour.size()), products(v.size() * colours);
  for (std::size_t colour = 0; colour < colours; ++colour) {
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = p.colour[j] == static_cast<int>(colour) ? 1.0 : 0.0;
    const std::vector<double> one = product(v);
    for (std::size_t i = 0; i < v.size(); ++i) products[i * colours + colour] = one[i];
  }
  return products;
}

/// As sparse_hessian of a pattern that is known to be f's.
template <class F>
csr hessian_with(F &f, const std::vector<double> &x, const coloured_pattern &p) {
  const auto colours = static_cast<std::size_t>(p.colours);
  const std::vector<double> products =
      products_of_colours(p, [&](const std::vector<double> &v) { return hessian_product(f, x, v); });
  csr result = zeros_of(p);
  // A product has an element (i, j) alone if no other element of row i has the colour of column j. If one has, (j, i) is alone.
  std::vector<int> in_row(x.size() * colours);
  const auto of = [&](std::size_t i, std::size_t j) { return i * colours + static_cast<std::size_t>(p.colour[j]); };
  each_element(result, [&](std::size_t i, std::size_t j, double &) { ++in_row[of(i, j)]; });
  each_element(result, [&](std::size_t i, std::size_t j, double &value) {
    value = in_row[of(i, j)] == 1 ? products[of(i, j)] : products[of(j, i)];
  });
  return result;
}

}  // namespace detail

/// The Hessian of f at x, by a product for each colour, and one that finds out whether p has all elements. Both triangles are there.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT if the pattern is not one of a Hessian of this size, or has not all elements; what f
///                      throws
template <class F>
csr sparse_hessian(F &&f, const std::vector<double> &x, const coloured_pattern &p) {
  detail::check_arrays("sparse_hessian", p);
  detail::check_pattern("sparse_hessian", p, x.size(), x.size());
  if (p.by != colour_by::symmetric) detail::raise(ADMPI_ERR_ARGUMENT, "sparse_hessian: the pattern is one of a Jacobian");
  return detail::on_a_tape([&] {
    csr result = detail::hessian_with(f, x, p);
    detail::check_product("sparse_hessian", result, hessian_product(f, x, detail::probe_of(0, x.size())));
    return result;
  });
}

/// The same with its pattern, by one recording more.
template <class F>
csr sparse_hessian(F &&f, const std::vector<double> &x) {
  return detail::on_a_tape([&] { return detail::hessian_with(f, x, hessian_sparsity(f, x)); });
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
