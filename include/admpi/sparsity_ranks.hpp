// admpi: sparse Jacobians and Hessians of functions that ranks compute together.
//
//   admpi::csr j = admpi::sparse_jacobian(f, x, comm);                       // x and f as for jacobian(f, x, comm)
//   const admpi::coloured_pattern p = admpi::hessian_sparsity(g, x, comm);   // once, if x changes and branches do not
//   admpi::csr h = admpi::sparse_hessian(g, x, p, comm);
//
// Each rank passes its part of x, and gets the rows of its results, or of its inputs, by the inputs of all ranks. All ranks of the
// communicator make the same call; f communicates among them only. A pattern has this rank's rows, and the colours of these or of
// this rank's inputs. An error of one rank is an error of all, unless f throws it.
#ifndef ADMPI_SPARSITY_RANKS_HPP
#define ADMPI_SPARSITY_RANKS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/derivatives_ranks.hpp"
#include "admpi/sparsity.hpp"
#include "admpi/sparsity_ranks.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

namespace detail {

/// Calls fn, which does not communicate. What it throws on one rank all throw.
template <class Fn>
void agreed(MPI_Comm comm, Fn &&fn) {
  int code = ADMPI_SUCCESS;
  std::string text;
  try {
    fn();
  } catch (const error &failure) {
    code = failure.code();
    text = failure.what();
  }
  check(admpi_detail_agree(comm, code, text.c_str()));
}

/// Sends out[r] numbers to each rank r, and returns what each has for this one. in[r] becomes how many rank r has sent.
template <class T>
std::vector<T> exchanged(const std::vector<T> &data, const std::vector<MPI_Count> &out, std::vector<MPI_Count> &in, MPI_Datatype type,
                         MPI_Comm comm, const char *function) {
  in.resize(out.size());
  check_mpi(AMPI_Alltoall(out.data(), 1, MPI_COUNT, in.data(), 1, MPI_COUNT, comm), function);
  std::vector<MPI_Aint> from(out.size()), to(out.size());
  for (std::size_t r = 1; r < out.size(); ++r) {
    from[r] = from[r - 1] + static_cast<MPI_Aint>(out[r - 1]);
    to[r] = to[r - 1] + static_cast<MPI_Aint>(in[r - 1]);
  }
  std::vector<T> got(static_cast<std::size_t>(to.back() + static_cast<MPI_Aint>(in.back())));
  check_mpi(AMPI_Alltoallv_c(data.data(), out.data(), from.data(), type, got.data(), in.data(), to.data(), type, comm), function);
  return got;
}

/// All that the ranks have, on rank 0.
template <class T>
std::vector<T> on_first(const std::vector<T> &data, std::size_t ranks, MPI_Datatype type, MPI_Comm comm, const char *function) {
  std::vector<MPI_Count> out(ranks), in;
  out[0] = static_cast<MPI_Count>(data.size());
  return exchanged(data, out, in, type, comm, function);
}

/// This rank's part of what rank 0 has of all.
template <class T>
std::vector<T> from_first(const std::vector<T> &all, const numbering &parts, MPI_Datatype type, MPI_Comm comm, const char *function) {
  std::vector<MPI_Count> out(parts.ranks()), in;
  for (std::size_t r = 0; r < out.size() && parts.rank == 0; ++r) out[r] = parts.size(r);
  return exchanged(all, out, in, type, comm, function);
}

/// The numbers of keys that other ranks have: rank r those below per * first[r + 1], the first of its own data first.
template <class T>
std::vector<T> fetched(const std::vector<std::int64_t> &keys, const std::vector<T> &own, const numbering &owners, std::int64_t per,
                       MPI_Datatype type, MPI_Comm comm, const char *function) {
  const auto owner = [&](std::int64_t key) {
    return static_cast<std::size_t>(std::upper_bound(owners.first.begin(), owners.first.end(), key / per) - owners.first.begin()) - 1;
  };
  std::vector<MPI_Count> out(owners.ranks()), asked, back;
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return owner(keys[a]) < owner(keys[b]); });
  std::vector<std::int64_t> sorted(keys.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    sorted[k] = keys[order[k]];
    ++out[owner(sorted[k])];
  }
  const std::vector<std::int64_t> wanted = exchanged(sorted, out, asked, MPI_INT64_T, comm, function);
  std::vector<T> answers(wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) answers[k] = own[static_cast<std::size_t>(wanted[k] - per * owners.begin())];
  const std::vector<T> got = exchanged(answers, asked, back, type, comm, function);
  std::vector<T> result(keys.size());
  for (std::size_t k = 0; k < order.size(); ++k) result[order[k]] = got[k];
  return result;
}

/// Copies this rank's rows of a pattern, and colours that of all ranks on rank 0.
inline coloured_pattern coloured(const char *function, const admpi_sparse *s, std::size_t inputs, passes by, MPI_Comm comm) {
  coloured_pattern p;
  std::vector<std::int64_t> start, column;
  agreed(comm, [&] { p = copied(s, start, column); });
  const numbering rows(function, static_cast<std::size_t>(p.rows), comm), columns(function, inputs, comm);
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(p.rows));
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = start[i + 1] - start[i];
  const std::vector<std::int64_t> all_lengths = on_first(lengths, rows.ranks(), MPI_INT64_T, comm, function);
  const std::vector<std::int64_t> all_columns = on_first(column, rows.ranks(), MPI_INT64_T, comm, function);
  coloured_pattern whole;
  agreed(comm, [&] {
    if (rows.rank != 0) return;
    std::vector<std::int64_t> all_starts(all_lengths.size() + 1);
    std::partial_sum(all_lengths.begin(), all_lengths.end(), all_starts.begin() + 1);
    admpi_sparse *all = nullptr;
    check(admpi_sparse_new(rows.all(), columns.all(), all_starts.data(), all_columns.data(), static_cast<std::int64_t>(all_columns.size()), &all));
    whole = coloured(sparse_handle(all).get(), by);
  });
  int told[2] = {static_cast<int>(whole.by), whole.colours};
  check_mpi(AMPI_Bcast(told, 2, MPI_INT, 0, comm), function);
  p.by = static_cast<colour_by>(told[0]);
  p.colours = told[1];
  p.colour = from_first(whole.colour, p.by == colour_by::columns ? columns : rows, MPI_INT, comm, function);
  return p;
}

/// f, of which each call is to return as many results as the first one, and the same values as the first one with this scalar: MPI
/// may add tangents up in another order.
template <class F>
class repeated {
 public:
  repeated(F &f, const char *function) : f_(f), function_(function) {}

  template <class X>
  auto operator()(const X &x) -> decltype(std::declval<F &>()(x)) {
    auto y = f_(x);
    see(y);
    return y;
  }

  /// An error if one did not.
  void check() const {
    if (!wrong_.empty()) raise(ADMPI_ERR_CALLBACK, wrong_.c_str());
  }
  /// Of a function that returns a scalar.
  double value() const { return first_[is_recorded_].at(0); }

 private:
  static double plain(double y) { return y; }
  static double plain(const var &y) { return y.value; }
  template <class T, int N>
  static double plain(const tangent<T, N> &y) {
    return plain(y.value);
  }

  template <class Y>
  void see(const std::vector<Y> &y) {
    std::vector<double> values;
    for (const Y &one : y) values.push_back(plain(one));
    compare(values, std::is_same<Y, var>::value);
  }
  template <class Y>
  void see(const Y &y) {
    compare({plain(y)}, std::is_same<Y, var>::value);
  }

  void compare(const std::vector<double> &values, bool is_recorded) {
    is_recorded_ = is_recorded;
    const std::string at = std::string(function_) + ": f(x)";
    if (has_first_[!is_recorded] && values.size() != first_[!is_recorded].size())
      wrong_ = at + had(values.size(), first_[!is_recorded].size());
    std::vector<double> &first = first_[is_recorded];
    if (!std::exchange(has_first_[is_recorded], true)) {
      first = values;
      return;
    }
    if (values.size() != first.size()) {
      wrong_ = at + had(values.size(), first.size());
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == first[i] || (std::isnan(values[i]) && std::isnan(first[i]))) continue;
      wrong_ = at + "[" + std::to_string(i) + "] is " + text_of(values[i]) + ", and was " + text_of(first[i]) + " before, for the same x";
      return;
    }
  }
  static std::string had(std::size_t now, std::size_t before) {
    return " has " + std::to_string(now) + " elements, and had " + std::to_string(before) + " before";
  }

  F &f_;
  const char *function_;
  bool is_recorded_ = false;
  bool has_first_[2] = {};
  std::vector<double> first_[2];
  std::string wrong_;
};

/// An error on all ranks if p is not a pattern of so many rows here and columns in all, or is another one elsewhere.
inline void check_pattern(const char *function, const coloured_pattern &p, std::size_t rows, const numbering &columns, MPI_Comm comm) {
  const std::string name = function;
  agreed(comm, [&] {
    check_length(function, "the pattern's columns", static_cast<std::size_t>(p.cols), static_cast<std::size_t>(columns.all()));
    check_arrays(function, p);
    const bool is_by_column = p.by == colour_by::columns;
    check_length(function, is_by_column ? "the pattern's colour (of this rank's inputs)" : "the pattern's colour (of this rank's rows)",
                 p.colour.size(), is_by_column ? static_cast<std::size_t>(columns.size(static_cast<std::size_t>(columns.rank))) : rows);
    check_length(function, "the pattern's rows", static_cast<std::size_t>(p.rows), rows);
  });
  int least_and_most[4] = {p.colours, -p.colours, static_cast<int>(p.by), -static_cast<int>(p.by)};
  check_mpi(AMPI_Allreduce(MPI_IN_PLACE, least_and_most, 4, MPI_INT, MPI_MIN, comm), function);
  if (least_and_most[0] != -least_and_most[1] || least_and_most[2] != -least_and_most[3])
    raise(ADMPI_ERR_MISMATCH, (name + ": the ranks' patterns have " + std::to_string(least_and_most[0]) + " to " +
                               std::to_string(-least_and_most[1]) + " colours; pass parts of one pattern").c_str());
}

/// For each element the colour of its column, of which the owner knows `own`.
inline std::vector<int> column_colours(const char *function, const coloured_pattern &p, const std::vector<int> &own, const numbering &columns,
                                       MPI_Comm comm) {
  std::vector<std::int64_t> unique(p.column.begin(), p.column.end());
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  const std::vector<int> colours = fetched(unique, own, columns, 1, MPI_INT, comm, function);
  std::vector<int> result(p.column.size());
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] = colours[static_cast<std::size_t>(std::lower_bound(unique.begin(), unique.end(), p.column[k]) - unique.begin())];
  return result;
}

/// By sweeps of a recording, each for several colours of rows. Adjoints are where the inputs are; those of the rows here are fetched.
template <class Y>
void sweep_rows(tape_ref tape, int widest, const coloured_pattern &p, const std::vector<var> &x, const Y &y, const numbering &columns,
                csr &result, MPI_Comm comm) {
  const int width = width_for(p.colours, widest);
  if (widest > 1) tape.set_width(width);
  std::vector<double> adjoint(x.size()), adjoints(x.size() * static_cast<std::size_t>(width));
  for (int first = 0; first < p.colours; first += width) {
    const int directions = std::min(width, p.colours - first);
    if (first > 0) tape.clear_adjoints();
    const auto direction = [&](std::size_t i) { return p.colour[i] - first; };
    const auto is_here = [&](std::size_t i) { return direction(i) >= 0 && direction(i) < directions; };
    for (std::size_t i = 0; i < y.size(); ++i)
      if (is_here(i)) tape.seed(y[i], weight_of(y[i]), direction(i));
    tape.reverse();
    for (int k = 0; k < directions; ++k) {
      adjoints_of(tape, x, adjoint.data(), k);
      for (std::size_t j = 0; j < x.size(); ++j) adjoints[j * static_cast<std::size_t>(width) + static_cast<std::size_t>(k)] = adjoint[j];
    }
    std::vector<std::int64_t> keys;
    each_element(result, [&](std::size_t i, std::size_t j, double &) {
      if (is_here(i)) keys.push_back(static_cast<std::int64_t>(j) * width + direction(i));
    });
    const std::vector<double> values = fetched(keys, adjoints, columns, width, MPI_DOUBLE, comm, "sparse_jacobian");
    std::size_t at = 0;
    each_element(result, [&](std::size_t i, std::size_t, double &value) {
      if (is_here(i)) value = values[at++];
    });
  }
}

/// By tangents, each for some colours of columns.
template <class F>
void tangent_columns(repeated<F> &f, const std::vector<double> &x, const coloured_pattern &p, const numbering &columns, csr &result,
                     probed *probe, MPI_Comm comm) {
  const std::vector<int> colours = column_colours("sparse_jacobian", p, p.colour, columns, comm);
  tangent_columns(f, x, p.colour, p.colours, probe, [&](auto &product, int first, int last) {
    agreed(comm, [&] {
      f.check();
      check_length("sparse_jacobian", "the pattern's rows", static_cast<std::size_t>(p.rows), product.size());
    });
    std::size_t at = 0;
    each_element(result, [&](std::size_t i, std::size_t, double &value) {
      const int colour = colours[at++];
      if (colour >= first && colour < last) value = direction(product[i].derivative, colour - first);
    });
  });
}

/// What a matrix is multiplied by to see whether its pattern has all elements: this rank's part.
inline std::vector<double> probe(const numbering &columns) {
  return probe_of(columns.begin(), static_cast<std::size_t>(columns.size(static_cast<std::size_t>(columns.rank))));
}

/// The directions of passes over messages for a pattern: a rank for each direction.
inline int directions_for(MPI_Comm comm, int widest) {
  int ranks = 1;
  AMPI_Comm_size(comm, &ranks);
  return width_for(ranks, widest);
}

/// Finds the pattern of a recording.
template <class F, class Y>
coloured_pattern sparsity_of(F &, tape_ref tape, int widest, const std::vector<var> &x, const Y &y, MPI_Comm comm) {
  if (widest > 1) tape.set_width(directions_for(comm, widest));
  admpi_sparse *s = nullptr;
  check(admpi_tape_sparsity_ranks(tape.handle(), x.data(), static_cast<std::int64_t>(x.size()), y.data(),
                                  static_cast<std::int64_t>(y.size()), comm, &s));
  return coloured("sparsity", sparse_handle(s).get(), x.size(), takes_tangents<F> ? passes::sweeps_or_tangents : passes::sweeps, comm);
}

/// As sparse_jacobian of a pattern that is known to be f's, or with a probe.
template <class F>
csr jacobian_with(repeated<F> &f, const std::vector<double> &x, const coloured_pattern &p, const numbering &columns, MPI_Comm comm,
                  probed *probe = nullptr) {
  csr result = zeros_of(p);
  if (p.by == colour_by::rows) {
    const int widest = detail::widest();
    recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
      agreed(comm, [&] {
        f.check();
        check_length("sparse_jacobian", "the pattern's rows", static_cast<std::size_t>(p.rows), y.size());
      });
      sweep_rows(tape, widest, p, active, y, columns, result, comm);
    });
    if constexpr (takes_tangents<F>) {
      if (probe != nullptr) probe->product = jacobian_product(f, x, probe->v);
    }
    return result;
  }
  if constexpr (takes_tangents<F>) {
    tangent_columns(f, x, p, columns, result, probe, comm);
  } else {
    raise(ADMPI_ERR_ARGUMENT, "sparse_jacobian: f does not take tangents, but the pattern is coloured by columns");
  }
  return result;
}

}  // namespace detail

/// This rank's rows of the pattern of the Jacobian, from one recording.
template <class F>
coloured_pattern sparsity(F &&f, const std::vector<double> &x, MPI_Comm comm) {
  coloured_pattern result;
  const int widest = detail::widest();
  detail::recorded(f, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
    result = detail::sparsity_of(f, tape, widest, active, y, comm);
  });
  return result;
}

/// This rank's rows of the Jacobian of f at x, by the passes that p says, and a direction that finds out whether p has all elements.
/// @throw admpi::error  on all ranks: with ADMPI_ERR_ARGUMENT if p does not fit, or has not all elements; with ADMPI_ERR_CALLBACK if
///                      f returned something else in another pass
template <class F>
csr sparse_jacobian(F &&f, const std::vector<double> &x, const coloured_pattern &p, MPI_Comm comm) {
  const detail::numbering columns("sparse_jacobian", x.size(), comm);
  detail::check_pattern("sparse_jacobian", p, static_cast<std::size_t>(p.rows), columns, comm);
  detail::repeated<std::remove_reference_t<F>> again(f, "sparse_jacobian");
  detail::probed probe{detail::probe(columns), {}};
  csr result = detail::jacobian_with(again, x, p, columns, comm, &probe);
  if constexpr (detail::takes_tangents<F>) {
    detail::agreed(comm, [&] {
      again.check();
      detail::check_length("sparse_jacobian", "the pattern's rows", static_cast<std::size_t>(p.rows), probe.product.size());
      detail::check_product("sparse_jacobian", result, probe.product);
    });
  }
  return result;
}

/// The same with its pattern, from the same recording.
template <class F>
csr sparse_jacobian(F &&f, const std::vector<double> &x, MPI_Comm comm) {
  const detail::numbering columns("sparse_jacobian", x.size(), comm);
  detail::repeated<std::remove_reference_t<F>> again(f, "sparse_jacobian");
  coloured_pattern p;
  csr result;
  const int widest = detail::widest();
  detail::recorded(again, x, [&](tape_ref tape, const std::vector<var> &active, const auto &y) {
    p = detail::sparsity_of(again, tape, widest, active, y, comm);
    if (p.by != colour_by::rows) return;
    result = detail::zeros_of(p);
    detail::sweep_rows(tape, widest, p, active, y, columns, result, comm);
  });
  return p.by == colour_by::rows ? result : detail::jacobian_with(again, x, p, columns, comm);
}

/// This rank's rows of the pattern of the Hessian, from one recording of a tangent. f returns a scalar that is the same on all ranks.
/// @throw admpi::error  with ADMPI_ERR_ARGUMENT on all ranks if f returned different values
template <class F>
coloured_pattern hessian_sparsity(F &&f, const std::vector<double> &x, MPI_Comm comm) {
  coloured_pattern result;
  const int widest = detail::widest();
  detail::in_nest([&](tape_ref tape) {
    detail::two_inputs in(tape, x);
    const tangent<var> y = f(static_cast<const std::vector<tangent<var>> &>(in.moved));
    detail::check_replicated("hessian_sparsity", y.value.value, comm);
    if (widest > 1) tape.set_width(detail::directions_for(comm, widest));
    admpi_sparse *s = nullptr;
    detail::check(admpi_tape_hessian_sparsity_ranks(tape.handle(), in.active.data(), in.direction.data(),
                                                    static_cast<std::int64_t>(x.size()), y.derivative, comm, &s));
    result = detail::coloured("hessian_sparsity", detail::sparse_handle(s).get(), x.size(), detail::passes::products, comm);
  });
  return result;
}

namespace detail {

/// The Hessian times v of a function that is to return the same in each pass.
template <class F>
std::vector<double> product_of(repeated<F> &f, const std::vector<double> &x, const std::vector<double> &v, MPI_Comm comm) {
  std::vector<double> product = hessian_product_of(f, x, v, [comm](tape_ref tape, const tangent<var> &y) {
    tape.seed_replicated(y.derivative, comm, weight_of(y.derivative));
  });
  agreed(comm, [&] { f.check(); });
  return product;
}

/// As sparse_hessian of a pattern that is known to be f's.
template <class F>
csr hessian_with(repeated<F> &f, const std::vector<double> &x, const coloured_pattern &p, const numbering &inputs, MPI_Comm comm) {
  const auto colours = static_cast<std::size_t>(p.colours);
  const std::vector<double> products = on_a_tape([&] {
    return products_of_colours(p, [&](const std::vector<double> &v) { return product_of(f, x, v, comm); });
  });
  csr result = zeros_of(p);
  // As on one rank; where (i, j) is not alone, (j, i) is where j is.
  const std::vector<int> of_column = column_colours("sparse_hessian", p, p.colour, inputs, comm);
  std::vector<int> in_row(x.size() * colours);
  std::size_t at = 0;
  const auto next = [&](std::size_t i) { return i * colours + static_cast<std::size_t>(of_column[at++]); };
  each_element(result, [&](std::size_t i, std::size_t, double &) { ++in_row[next(i)]; });
  std::vector<std::int64_t> keys;
  at = 0;
  each_element(result, [&](std::size_t i, std::size_t j, double &) {
    if (in_row[next(i)] > 1) keys.push_back(static_cast<std::int64_t>(j) * p.colours + p.colour[i]);
  });
  const std::vector<double> across = fetched(keys, products, inputs, p.colours, MPI_DOUBLE, comm, "sparse_hessian");
  std::size_t taken = 0;
  at = 0;
  each_element(result, [&](std::size_t i, std::size_t, double &value) {
    const std::size_t here = next(i);
    value = in_row[here] > 1 ? across[taken++] : products[here];
  });
  return result;
}

}  // namespace detail

/// This rank's rows of the Hessian of f at x, by a product for each colour, and one that finds out whether p has all elements. Both
/// triangles are there.
/// @throw admpi::error  as sparse_jacobian
template <class F>
csr sparse_hessian(F &&f, const std::vector<double> &x, const coloured_pattern &p, MPI_Comm comm) {
  const detail::numbering inputs("sparse_hessian", x.size(), comm);
  detail::agreed(comm, [&] {
    if (p.by != colour_by::symmetric) detail::raise(ADMPI_ERR_ARGUMENT, "sparse_hessian: the pattern is one of a Jacobian");
  });
  detail::check_pattern("sparse_hessian", p, x.size(), inputs, comm);
  detail::repeated<std::remove_reference_t<F>> again(f, "sparse_hessian");
  csr result = detail::hessian_with(again, x, p, inputs, comm);
  const std::vector<double> product = detail::product_of(again, x, detail::probe(inputs), comm);
  detail::check_replicated("sparse_hessian", again.value(), comm);
  detail::agreed(comm, [&] { detail::check_product("sparse_hessian", result, product); });
  return result;
}

template <class F>
csr sparse_hessian(F &&f, const std::vector<double> &x, MPI_Comm comm) {
  detail::repeated<std::remove_reference_t<F>> again(f, "sparse_hessian");
  const coloured_pattern p = hessian_sparsity(again, x, comm);
  return detail::hessian_with(again, x, p, detail::numbering("sparse_hessian", x.size(), comm), comm);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
