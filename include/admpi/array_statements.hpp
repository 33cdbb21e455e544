// admpi: array statements: the loops forward and back, and assignments. A part of admpi/arrays.hpp.
#ifndef ADMPI_ARRAY_STATEMENTS_HPP
#define ADMPI_ARRAY_STATEMENTS_HPP

#include "admpi/array_expressions.hpp"
#include "admpi/linalg.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// A number, or 0 where the mask has no bits. The mask comes from memory, since compilers make a branch of a comparison, which
/// would keep the loop from being vectorised.
ADMPI_ALWAYS_INLINE double masked(double x, std::uint64_t mask) noexcept {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits &= mask;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

/// Receives the partials of one element. Where nothing comes in, an infinite partial does no harm: it is masked.
template <std::size_t Most>
struct slot_writer {
  double (*partial)[Most];
  std::int64_t i;
  std::uint64_t mask;
  template <unsigned K>
  ADMPI_ALWAYS_INLINE void add(double p) const noexcept {
    partial[K][i] = masked(p, mask);
  }
};
/// That of the only leaf, which goes to its adjoint at once.
struct adding_writer {
  double *adjoint;
  std::uint64_t mask;
  template <unsigned K>
  ADMPI_ALWAYS_INLINE void add(double p) const noexcept {
    *adjoint += masked(p, mask);
  }
};

/// What comes into the elements of a chunk, each its own or all the same.
struct weights {
  const double *value;
  const std::uint64_t *where;
  ADMPI_ALWAYS_INLINE double at(std::int64_t l) const noexcept { return value[l]; }
  ADMPI_ALWAYS_INLINE std::uint64_t mask(std::int64_t l) const noexcept { return where[l]; }
};
struct same_weight {
  double value;
  ADMPI_ALWAYS_INLINE double at(std::int64_t) const noexcept { return value; }
  ADMPI_ALWAYS_INLINE std::uint64_t mask(std::int64_t) const noexcept { return ~std::uint64_t{0}; }
};

inline bool operator==(const admpi_adjoint &a, const admpi_adjoint &b) noexcept {
  return a.adjoint == b.adjoint && a.row_step == b.row_step && a.col_step == b.col_step;
}

/// Four numbers at a time, wherever they lie.
typedef double four_lanes __attribute__((vector_size(32), aligned(8), may_alias));

/// The sum of n values, in array_lanes sums side by side.
ADMPI_ALWAYS_INLINE double sum_of(const double *value, std::int64_t n) noexcept {
  // Of that type, as compilers keep an array of sums in memory.
  four_lanes a{}, b{}, c{}, d{};
  std::int64_t first = 0;
  for (; first + array_lanes <= n; first += array_lanes) {
    const four_lanes *from = reinterpret_cast<const four_lanes *>(value + first);
    a += from[0];
    b += from[1];
    c += from[2];
    d += from[3];
  }
  a = (a + c) + (b + d);
  double rest = 0.0;
  for (; first < n; ++first) rest += value[first];
  return ((a[0] + a[2]) + (a[1] + a[3])) + rest;
}

/// Adds the partials of a chunk, padded with zeros, to the adjoints from element (i, j) on in direction k.
ADMPI_ALWAYS_INLINE void add_chunk(const admpi_adjoint &to, std::int64_t i, std::int64_t j, std::int64_t k, const double *from,
                                   std::int64_t n, std::int64_t padded) noexcept {
  if (to.adjoint == nullptr) return;
  double *adjoint = to.adjoint + i * to.row_step + j * to.col_step + k;
  if (to.row_step == 0) {
    *adjoint += sum_of(from, padded);
  } else if (to.row_step == 1 && n == padded) {
    each_lane(n, [&](std::int64_t l) ADMPI_INLINED { adjoint[l] += from[l]; });
  } else {
    for (std::int64_t l = 0; l < n; ++l) adjoint[l * to.row_step] += from[l];
  }
}

/// Does the work, by the widest registers of the machine where the program is compiled for every machine. Without the
/// multiplication that is rounded together with an addition: results are the same everywhere.
#if defined(__x86_64__) && !defined(__AVX2__)
template <class Work>
[[gnu::target("avx2"), gnu::noinline]] void work_wide(const Work &work) {
  work();
}
template <class Work>
void do_widest(const Work &work) {
  if (__builtin_cpu_supports("avx2")) {
    work_wide(work);
  } else {
    work();
  }
}
#else
template <class Work>
void do_widest(const Work &work) {
  work();
}
#endif

/// An array statement as it lies in the tape.
template <class F, unsigned L, unsigned Functions>
struct array_kernel {
  using reading = array_reading<L, Functions>;
  using element = typename F::template element<reading>;

  F e;
  std::int64_t rows;
  std::int64_t cols;

  /// Adds to the adjoints of the operands.
  static int run(const admpi_kernel_call *call) {
    const array_kernel &self = *static_cast<const array_kernel *>(call->payload);
    do_widest([&]() ADMPI_INLINED { self.reverse(*call); });
    return 0;
  }

  /// The values, to where element (0, 0) is and so on.
  void forward(double *to, std::int64_t row_step, std::int64_t col_step) const {
    do_widest([&]() ADMPI_INLINED {
      each_chunk<false>([&](const reading &chunk, std::int64_t i, std::int64_t j) ADMPI_INLINED {
        double apart[reading::room];
        double *place = to + i * row_step + j * col_step;
        const bool there = row_step == 1 && chunk.padded == chunk.n;
        const double *value = values_in(e, chunk, there ? place : apart);
        if (value == place) return;
        if (row_step == 1) {
          std::memcpy(place, value, static_cast<std::size_t>(chunk.n) * sizeof(double));
        } else {
          for (std::int64_t l = 0; l < chunk.n; ++l) place[l * row_step] = value[l];
        }
      });
    });
  }

  double sum() const {
    double total = 0.0;
    do_widest([&]() ADMPI_INLINED {
      each_chunk<false>([&](const reading &chunk, std::int64_t, std::int64_t) ADMPI_INLINED {
        double room[reading::room];
        total += sum_of(values_in(e, chunk, room), chunk.n);
      });
    });
    return total;
  }

 private:
  /// Calls work for each chunk, column by column.
  template <bool Slopes, class Work>
  ADMPI_ALWAYS_INLINE void each_chunk(const Work &work) const {
    reading chunk;
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = 0; i < rows; i += reading::most) {
        chunk.begin(rows - i);
        e.template read<Slopes>(chunk, i, j);
        work(chunk, i, j);
      }
    }
  }

  ADMPI_ALWAYS_INLINE void reverse(const admpi_kernel_call &call) const {
    const admpi_adjoint &result = call.result;
    // The result of a reduction is one: its steps are none.
    const bool one = call.rows != rows || call.cols != cols;
    const std::int64_t row_step = one ? 0 : result.row_step, col_step = one ? 0 : result.col_step;
    // Partials for the same adjoints are added up before: to add twice to what is near waits for the first time.
    unsigned same[L];
    for (unsigned p = 0; p < L; ++p) {
      same[p] = 0;
      while (!(call.operand[same[p]] == call.operand[p])) ++same[p];
    }
    each_chunk<true>([&](const reading &chunk, std::int64_t i, std::int64_t j) ADMPI_INLINED {
      const bool full = chunk.padded == chunk.n;
      for (std::int64_t k = 0; k < call.width; ++k) {
        const double *from = result.adjoint + i * row_step + j * col_step + k;
        const auto pass_on = [&](const auto &weight) ADMPI_INLINED {
          if constexpr (L == 1) {
            // Nothing else is added there.
            const admpi_adjoint &to = call.operand[0];
            if (full && to.adjoint != nullptr && to.row_step == 1) {
              double *adjoint = to.adjoint + i + j * to.col_step + k;
              push(chunk, weight, [&](std::int64_t l) ADMPI_INLINED { return adding_writer{adjoint + l, weight.mask(l)}; });
              return;
            }
          }
          double partial[L][reading::room];
          if constexpr (F::chooses) std::memset(partial, 0, sizeof partial);
          push(chunk, weight, [&](std::int64_t l) ADMPI_INLINED { return slot_writer<reading::room>{partial, l, weight.mask(l)}; });
          for (unsigned p = 0; p < L; ++p) {
            if (one) std::fill(partial[p] + chunk.n, partial[p] + chunk.padded, 0.0);
            double *sum = partial[same[p]];
            if (sum != partial[p]) each_lane(chunk.padded, [&](std::int64_t l) ADMPI_INLINED { sum[l] += partial[p][l]; });
          }
          for (unsigned p = 0; p < L; ++p) {
            if (same[p] == p) add_chunk(call.operand[p], i, j, k, partial[p], chunk.n, chunk.padded);
          }
        };
        if (one) {
          if (*from != 0.0) pass_on(same_weight{*from});
          continue;
        }
        double apart[reading::room];
        const bool there = row_step == 1 && full;
        if (!there) {
          for (std::int64_t l = 0; l < chunk.n; ++l) apart[l] = from[l * row_step];
          std::fill(apart + chunk.n, apart + chunk.padded, 0.0);
        }
        const double *w = there ? from : apart;
        std::uint64_t mask[reading::room];
        each_lane(chunk.padded, [&](std::int64_t l) ADMPI_INLINED { mask[l] = w[l] != 0.0 ? ~std::uint64_t{0} : 0; });
        pass_on(weights{w, mask});
      }
    });
  }

  /// The partials of a chunk's elements times what comes into them, to the writers.
  template <class Weights, class Writers>
  ADMPI_ALWAYS_INLINE void push(const reading &chunk, const Weights &weight, const Writers &writer) const {
    each_lane(chunk.padded, [&](std::int64_t l) ADMPI_INLINED {
      const auto to = writer(l);
      element(e, chunk, l).push(to, weight.at(l));
    });
  }
};

/// An expression, frozen, and its operands.
template <class E>
struct frozen_statement {
  static constexpr unsigned leaves = E::leaves;
  static_assert(leaves > 0 && leaves <= max_leaves, "cut expressions of so many operands into several statements");
  using frozen = std::decay_t<decltype(std::declval<const E &>().template freeze<0, 0>(layout(), nullptr))>;
  using kernel_type = array_kernel<frozen, leaves, E::functions>;
  static_assert(std::is_trivially_copyable<kernel_type>::value, "lies in the tape");

  layout how;
  std::array<admpi_operand, leaves> operand;
  kernel_type kernel;

  /// With the part that it is assigned to, if any, which then is as it is run through.
  frozen_statement(const E &e, admpi_view *part) : kernel(make(e, part)) {}

  void record(const admpi_view &part, const admpi_varmat *carried) const {
    check(admpi_detail_array_record(&part, carried, operand.data(), leaves, &kernel_type::run, &kernel, sizeof kernel));
  }

 private:
  kernel_type make(const E &e, admpi_view *part) {
    shape extent = e.extent();
    how.turned = extent.rows == 1 && extent.cols > 1;
    e.see(how);
    if (part != nullptr) {
      how.see(*part);
      *part = how.turn(*part);
    }
    if (how.turned) std::swap(extent.rows, extent.cols);
    if (how.flat) {
      extent = {extent.rows * extent.cols, 1};
      if (part != nullptr) *part = admpi_view{part->of, part->offset, extent.rows, 1, 1, extent.rows};
    }
    return {e.template freeze<0, 0>(how, operand.data()), extent.rows, extent.cols};
  }
};

inline varmat fresh_array(std::int64_t rows, std::int64_t cols, const admpi_varmat *like = nullptr) {
  admpi_varmat *fresh = nullptr;
  check(admpi_detail_array_fresh(rows, cols, like, &fresh));
  return varmat(fresh);
}

/// Computes part of a fresh matrix, of which the rest was taken from `carried`.
template <class E>
void compute(const E &e, admpi_view part, const admpi_varmat *carried) {
  const frozen_statement<E> statement(e, &part);
  statement.kernel.forward(part.of->block->value + part.offset, part.row_step, part.col_step);
  statement.record(part, carried);
}

template <class E>
varmat computed(const E &e) {
  const shape extent = e.extent();
  varmat fresh = fresh_array(extent.rows, extent.cols);
  compute(e, fresh.parts(), nullptr);
  return fresh;
}

/// The elements of an expression as a matrix, of which a matrix is one.
inline varmat computed_array(const array_expression<varmat> &a) { return a.self(); }
inline varmat computed_array(const array_expression<view> &a) { return a.self(); }
template <class E>
varmat computed_array(const array_expression<E> &e) {
  return computed(e.self());
}

/// The same as a part of a matrix, of itself where it is one.
inline view seen(const array_expression<varmat> &a) { return a.self(); }
inline view seen(const array_expression<view> &a) { return a.self(); }
template <class E>
view seen(const array_expression<E> &e) {
  return computed(e.self());
}

/// Assigns an expression to a part of a matrix. If that is most of it, the matrix gets ids of its own for all of its
/// elements, so that they go on being a range; the adjoints of the others are passed on.
template <class E>
void assign_computed(const admpi_view &to, const E &e) {
  joint({to.rows, to.cols}, e.extent());
  if (2 * to.rows * to.cols < to.of->rows * to.of->cols || admpi_tls_tape->recording == 0) {
    const varmat from = computed(e);
    const admpi_view all = from.parts();
    check(admpi_varmat_assign(&to, &all));
    return;
  }
  const varmat fresh = fresh_array(0, 0, to.of);
  admpi_view part = to;
  part.of = fresh.handle();
  compute(e, part, to.of);
  check(admpi_varmat_rebind(to.of, fresh.handle()));
}

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
