// admpi: the drivers of admpi/derivatives.hpp for functions that ranks compute together.
//
// Each rank passes its part of x and gets its part of the results: inputs and results are numbered rank by rank. All ranks of
// the communicator make the same call; f communicates by AMPI calls, and returns a vector, or a scalar that is the same on all
// ranks, such as the result of an Allreduce. A tape that one rank has when it calls a driver all have.
#ifndef ADMPI_DERIVATIVES_RANKS_HPP
#define ADMPI_DERIVATIVES_RANKS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "admpi/ampi.hpp"
#include "admpi/derivatives.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

namespace detail {

/// Numbers of the elements of all ranks: rank r has those from first[r] up to first[r + 1].
struct numbering {
  int rank = 0;
  std::vector<std::int64_t> first;

  numbering(const char *function, std::size_t n, MPI_Comm comm) {
    int ranks = 0;
    AMPI_Comm_rank(comm, &rank);
    AMPI_Comm_size(comm, &ranks);
    const auto mine = static_cast<std::int64_t>(n);
    first.resize(static_cast<std::size_t>(ranks) + 1);
    check_mpi(AMPI_Allgather(&mine, 1, MPI_INT64_T, first.data() + 1, 1, MPI_INT64_T, comm), function);
    for (std::size_t r = 1; r < first.size(); ++r) first[r] += first[r - 1];
  }
  std::int64_t all() const { return first.back(); }
  std::int64_t begin() const { return first[static_cast<std::size_t>(rank)]; }
  std::int64_t size(std::size_t r) const { return first[r + 1] - first[r]; }
  std::size_t ranks() const { return first.size() - 1; }
  /// Whether this rank has the element, and its number here.
  bool has(std::int64_t number, std::size_t &at) const {
    at = static_cast<std::size_t>(number - begin());
    return number >= begin() && number < first[static_cast<std::size_t>(rank) + 1];
  }
};

/// Rows of this rank's columns become columns of this rank's rows. `own` has all rows, one after the other.
inline dense exchanged(const std::vector<double> &own, const numbering &rows, const numbering &columns, MPI_Comm comm) {
  const std::size_t ranks = rows.ranks(), me = static_cast<std::size_t>(rows.rank);
  std::vector<MPI_Count> out(ranks), in(ranks);
  std::vector<MPI_Aint> from(ranks), to(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    out[r] = rows.size(r) * columns.size(me);
    from[r] = rows.first[r] * columns.size(me);
    in[r] = rows.size(me) * columns.size(r);
    to[r] = rows.size(me) * columns.first[r];
  }
  dense result(rows.size(me), columns.all());
  std::vector<double> got(result.data.size());
  check_mpi(AMPI_Alltoallv_c(own.data(), out.data(), from.data(), MPI_DOUBLE, got.data(), in.data(), to.data(), MPI_DOUBLE, comm),
            "jacobian");
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::int64_t i = 0; i < result.rows; ++i)
      for (std::int64_t j = 0; j < columns.size(r); ++j)
        result(i, columns.first[r] + j) = got[static_cast<std::size_t>(to[r] + i * columns.size(r) + j)];
  return result;
}

}  // namespace detail

/// The Jacobian times v, of which each rank passes its part, as it gets its part of the product.
template <class F>
std::vector<double> jacobian_product(F &&f, const std::vector<double> &x, const std::vector<double> &v, MPI_Comm) {
  return jacobian_product(std::forward<F>(f), x, v);
}

/// w times the Jacobian: each rank passes the weights of its results, and gets the part of its inputs.
template <class F>
std::vector<double> transposed_jacobian_product(F &&f, const std::vector<double> &x, const std::vector<double> &w, MPI_Comm) {
  return transposed_jacobian_product(std::forward<F>(f), x, w);
}

/// The rows of this rank's results of the Jacobian by the inputs of all ranks. By a tangent for each 4 inputs (for each input, if f
/// takes `tangent<double>` alone), or by a recording and a sweep for each 16 results (for each result, on a tape that the thread
/// has), whichever promises to be cheaper.
template <class F>
dense jacobian(F &&f, const std::vector<double> &x, MPI_Comm comm) {
  constexpr std::int64_t step = detail::columns_at_once<std::remove_reference_t<F>>;
  const detail::numbering columns("jacobian", x.size(), comm);
  std::size_t at = 0;
  const auto columns_from = [&](std::int64_t begin) {
    return detail::in_directions(f, x, [&](std::size_t j, int k) {
      return columns.begin() + static_cast<std::int64_t>(j) == begin + k ? 1.0 : 0.0;
    });
  };
  auto product = columns_from(0);
  const detail::numbering rows("jacobian", product.size(), comm);
  const int width = detail::width_for(rows.all(), detail::widest());
  if (rows.all() == 0 || detail::are_cheaper(detail::passes_for(columns.all(), step), detail::passes_for(rows.all(), width))) {
    dense result(rows.size(static_cast<std::size_t>(rows.rank)), columns.all());
    for (std::int64_t begin = 0; begin < columns.all(); begin += step) {
      if (begin > 0) product = columns_from(begin);
      detail::set_columns(result, begin, product);
    }
    return result;
  }
  std::vector<double> own(static_cast<std::size_t>(rows.all()) * x.size());
  detail::recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
    detail::check_length("jacobian", "f(x)", y.size(), product.size());
    if (width > 1) tape.set_width(width);
    for (std::int64_t first = 0; first < rows.all(); first += width) {
      const int directions = static_cast<int>(std::min<std::int64_t>(rows.all() - first, width));
      if (first > 0) tape.clear_adjoints();
      for (int k = 0; k < directions; ++k)
        if (rows.has(first + k, at)) tape.seed(y[at], detail::weight_of(y[at]), k);
      tape.reverse();
      for (int k = 0; k < directions; ++k)
        detail::adjoints_of(tape, active, own.data() + static_cast<std::size_t>(first + k) * x.size(), k);
    }
  });
  return detail::exchanged(own, rows, columns, comm);
}

/// The Hessian times v: each rank passes its part, and gets its part. f returns a scalar that is the same on all ranks.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT on all ranks if f returned different values
template <class F>
std::vector<double> hessian_product(F &&f, const std::vector<double> &x, const std::vector<double> &v, MPI_Comm comm) {
  return detail::hessian_product_of(std::forward<F>(f), x, v, [comm](tape_ref tape, const tangent<var> &y) {
    detail::check_replicated("hessian_product", y.value.value, comm);
    tape.seed_replicated(y.derivative, comm, detail::weight_of(y.derivative));
  });
}

/// The rows of this rank's inputs of the Hessian by the inputs of all ranks, by a product for each input.
template <class F>
dense hessian(F &&f, const std::vector<double> &x, MPI_Comm comm) {
  const detail::numbering inputs("hessian", x.size(), comm);
  dense result(static_cast<std::int64_t>(x.size()), inputs.all());
  for (std::int64_t j = 0; j < inputs.all(); ++j) {
    std::vector<double> v(x.size());
    std::size_t at = 0;
    if (inputs.has(j, at)) v[at] = 1.0;
    const std::vector<double> column = hessian_product(f, x, v, comm);
    std::copy(column.begin(), column.end(), result.data.begin() + static_cast<std::ptrdiff_t>(j * result.rows));
  }
  return result;
}

/// Checks the gradient of an objective that is the same on all ranks, by the inputs of all ranks, or by those that all have alike. Every
/// rank gets all that was found: print it on one.
template <class F>
gradient_check check_gradient(F &&f, const std::vector<double> &x, MPI_Comm comm, inputs layout, double tolerance = 1e-6) {
  gradient_check all;
  const std::vector<double> reverse = gradient(f, x, comm, layout, &all.value);
  double largest = detail::largest_of(reverse);
  detail::check_mpi(AMPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm), "check_gradient");
  const detail::numbering numbers("check_gradient", x.size(), comm);
  const bool is_replicated = layout == inputs::replicated;
  for (std::size_t rank = 0; rank < (is_replicated ? 1 : numbers.ranks()); ++rank) {
    const bool is_mine = is_replicated || static_cast<int>(rank) == numbers.rank;
    for (std::int64_t i = 0; i < numbers.size(rank); ++i) {
      const auto at = static_cast<std::size_t>(i);
      double known[2] = {is_mine ? x[at] : 0.0, is_mine ? reverse[at] : 0.0};
      detail::check_mpi(AMPI_Bcast(known, 2, MPI_DOUBLE, static_cast<int>(rank), comm), "check_gradient");
      const auto along = [&](double step) {
        std::vector<tangent<double>> moved(x.begin(), x.end());
        if (is_mine) moved[at] = tangent<double>(x[at] + step, 1.0);
        const tangent<double> y = f(static_cast<const std::vector<tangent<double>> &>(moved));
        return y;
      };
      all.inputs.push_back(detail::check_input(along, i, known[0], known[1], all.value, largest, tolerance));
      all.inputs.back().rank = static_cast<int>(rank);
    }
  }
  return all;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
