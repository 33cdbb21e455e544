// admpi: array expressions as they lie in the tape: nodes over the chunk of elements that is worked on at once.
// A part of admpi/arrays.hpp.
#ifndef ADMPI_ARRAY_NODES_HPP
#define ADMPI_ARRAY_NODES_HPP

#include <array>

#include "admpi/arrays.h"
#include "admpi/special.h"
#include "admpi/varmat.hpp"

/// The iterations of the following loop do not touch each other's elements. With this hint, clang warns if it does not
/// vectorise.
#if defined(__clang__)
#define ADMPI_INDEPENDENT
#else
#define ADMPI_INDEPENDENT _Pragma("GCC ivdep")
#endif

/// Of a lambda: part of the code that calls it, for whichever registers that is compiled.
#define ADMPI_INLINED __attribute__((always_inline))

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// Rows and columns of an expression. A scalar has none, and fits all.
struct shape {
  std::int64_t rows = -1;
  std::int64_t cols = -1;

  bool any() const noexcept { return rows < 0; }
  bool operator==(const shape &other) const noexcept { return rows == other.rows && cols == other.cols; }
};

inline shape joint(const shape &a, const shape &b) {
  if (b.any() || a == b) return a;
  if (a.any()) return b;
  char message[200];
  std::snprintf(message, sizeof message, "operands of %lld x %lld and %lld x %lld elements", static_cast<long long>(a.rows),
                static_cast<long long>(a.cols), static_cast<long long>(b.rows), static_cast<long long>(b.cols));
  raise(ADMPI_ERR_ARGUMENT, message);
}

/// An operation on scalars that the library computes for many numbers at once. Returns where the derivatives are.
template <class Op>
struct many {
  static constexpr bool known = false;
};
#define ADMPI_MANY(name, expression)                                                                               \
  template <>                                                                                                      \
  struct many<op_##name> {                                                                                         \
    static constexpr bool known = true;                                                                            \
    static const double *compute(std::int64_t n, const double *x, double *y, double *derivative) noexcept {        \
      const bool same = std::is_same<op_##name, op_exp>::value; /* value and derivative */                         \
      admpi_values_##name(n, x, y, same ? nullptr : derivative);                                                   \
      return same ? y : derivative;                                                                                \
    }                                                                                                              \
  };
ADMPI_FUNCTIONS_OF_MANY(ADMPI_MANY)
#undef ADMPI_MANY

/// The same of two operands.
template <class Op>
struct many_pairs {
  static constexpr bool known = false;
};
#define ADMPI_MANY_PAIRS(name, expression)                                                                 \
  template <>                                                                                              \
  struct many_pairs<op_##name> {                                                                           \
    static constexpr bool known = true;                                                                    \
    static void compute(std::int64_t n, const double *x1, const double *x2, double *y, double *derivative_1, \
                        double *derivative_2) noexcept {                                                   \
      admpi_values_##name(n, x1, x2, y, derivative_1, derivative_2);                                       \
    }                                                                                                      \
  };
ADMPI_PAIRS_OF_MANY(ADMPI_MANY_PAIRS)
#undef ADMPI_MANY_PAIRS

/// How an expression is run through: row vectors as columns, and columns that lie one behind the other as one.
struct layout {
  bool turned = false;
  bool flat = true;

  admpi_view turn(const admpi_view &v) const noexcept { return turned ? admpi_view_transpose(v) : v; }
  void see(const admpi_view &v) {
    const bool some = v.rows > 0 && v.cols > 0;
    if (v.of == nullptr || (some && v.offset + (v.rows - 1) * v.row_step + (v.cols - 1) * v.col_step >= v.of->rows * v.of->cols))
      throw range_error("a view is not within its matrix, which has fewer elements now");
    const admpi_view w = turn(v);
    flat = flat && (w.row_step == 1 || w.rows <= 1) && (w.col_step == w.rows || w.cols <= 1);
  }
};

/// Elements of which an expression is worked on at once are padded to a multiple of so many, so that the loops are loops over
/// vectors.
constexpr std::int64_t array_lanes = 16;

/// How many those are, for an expression with so many leaves and functions: what belongs to them stays in the first cache.
constexpr std::int64_t array_chunk(unsigned leaves, unsigned functions) {
  const std::int64_t fit = 1024 / (2 * leaves + functions) / array_lanes * array_lanes;
  return fit < 64 ? 64 : fit;
}

/// Calls body for l = 0, 1, ..., padded - 1. The passes do not touch each other's elements. The compiler is shown that
/// their number is a multiple.
template <class Body>
ADMPI_ALWAYS_INLINE void each_lane(std::int64_t padded, const Body &body) {
  auto n = static_cast<std::uint64_t>(padded);
  // Where it is known to be the same as another number the compiler would take that, of which it knows less.
  asm("" : "+r"(n));
  n &= ~static_cast<std::uint64_t>(array_lanes - 1);
  ADMPI_INDEPENDENT
  for (std::uint64_t l = 0; l < n; ++l) body(static_cast<std::int64_t>(l));
}

/// What a chunk of an expression with L leaves and F functions is computed from: the values of leaf K, where they lie or
/// where they were brought to, and those and the derivatives of function M.
template <unsigned L, unsigned F>
struct array_reading {
  static constexpr std::int64_t most = array_chunk(L, F);
  static constexpr std::size_t room = most;
  std::int64_t n;
  std::int64_t padded;
  const double *leaf[L];
  const double *slope[F + 1];
  double brought[L][room];
  double value[F + 1][room];
  double derivative[F + 1][room];
  double argument[room];

  ADMPI_ALWAYS_INLINE void begin(std::int64_t left) noexcept {
    n = left < most ? left : most;
    padded = (n + array_lanes - 1) / array_lanes * array_lanes;
  }
};

/// The values of a chunk brought together, padded with one of them, whose partials are as finite.
[[gnu::noinline]] inline void bring(const double *from, std::int64_t step, std::int64_t n, std::int64_t padded, double *to) noexcept {
  for (std::int64_t l = 0; l < n; ++l) to[l] = from[l * step];
  for (std::int64_t l = n; l < padded; ++l) to[l] = from[0];
}

/// Element l of the leaf with number K: where its partial goes is known when the code is compiled.
template <unsigned K>
struct slot {
  static constexpr unsigned leaves = 1;
  double value;
  template <class F, class C>
  ADMPI_ALWAYS_INLINE slot(const F &f, const C &chunk, std::int64_t l) noexcept : value(f.at(chunk, l)) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double partial) const noexcept {
    writer.template add<K>(partial);
  }
};

/// A plain number has none.
struct no_slot : constant {
  template <class C>
  ADMPI_ALWAYS_INLINE no_slot(const constant &f, const C &, std::int64_t) noexcept : constant(f) {}
};

/// Element l of function number M, which was computed for the whole chunk. Its operand is asked for its partials alone.
template <unsigned M, class A, class C>
struct looked_up {
  static constexpr unsigned leaves = A::leaves;
  const A &a;
  const C &chunk;
  std::int64_t l;
  double value;
  template <class F>
  ADMPI_ALWAYS_INLINE looked_up(const F &f, const C &of, std::int64_t at) noexcept
      : a(f.a), chunk(of), l(at), value(of.value[M][at]) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    typename A::template element<C>(a, chunk, l).push(writer, p * chunk.slope[M][l]);
  }
};

/// That of two operands, which takes the places of functions number M and M + 1.
template <unsigned M, class A, class B, class C>
struct looked_up_pair {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  const A &a;
  const B &b;
  const C &chunk;
  std::int64_t l;
  double value;
  template <class F>
  ADMPI_ALWAYS_INLINE looked_up_pair(const F &f, const C &of, std::int64_t at) noexcept
      : a(f.a), b(f.b), chunk(of), l(at), value(of.value[M][at]) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    if constexpr (A::leaves != 0) typename A::template element<C>(a, chunk, l).push(writer, p * chunk.slope[M][l]);
    if constexpr (B::leaves != 0) typename B::template element<C>(b, chunk, l).push(writer, p * chunk.slope[M + 1][l]);
  }
};

// The frozen forms of expressions: plain values that lie in the tape with the event. `element` is the scalar expression
// of one element, of the same nodes that statements are made of. `read` prepares the chunk from element (i, j) on.

template <unsigned K>
struct frozen_part {
  static constexpr unsigned leaves = 1;
  static constexpr bool chooses = false;
  template <class C>
  using element = slot<K>;
  const double *value;
  std::int64_t row_step;
  std::int64_t col_step;
  template <class C>
  ADMPI_ALWAYS_INLINE double at(const C &chunk, std::int64_t l) const noexcept {
    return chunk.leaf[K][l];
  }
  template <bool Slopes, class C>
  ADMPI_ALWAYS_INLINE void read(C &chunk, std::int64_t i, std::int64_t j) const noexcept {
    const double *from = value + i * row_step + j * col_step;
    const bool there = row_step == 1 && chunk.padded == chunk.n;
    chunk.leaf[K] = there ? from : chunk.brought[K];
    if (!there) bring(from, row_step, chunk.n, chunk.padded, chunk.brought[K]);
  }
};

template <unsigned K>
struct frozen_scalar {
  static constexpr unsigned leaves = 1;
  static constexpr bool chooses = false;
  template <class C>
  using element = slot<K>;
  double value;
  template <class C>
  ADMPI_ALWAYS_INLINE double at(const C &, std::int64_t) const noexcept {
    return value;
  }
  template <bool Slopes, class C>
  ADMPI_ALWAYS_INLINE void read(C &, std::int64_t, std::int64_t) const noexcept {}
};

struct frozen_number : constant {
  static constexpr bool chooses = false;
  template <class C>
  using element = no_slot;
  template <bool Slopes, class C>
  ADMPI_ALWAYS_INLINE void read(C &, std::int64_t, std::int64_t) const noexcept {}
};

template <class Op, class A>
struct frozen_unary {
  static constexpr unsigned leaves = A::leaves;
  static constexpr bool chooses = A::chooses;
  template <class C>
  using element = unary<Op, typename A::template element<C>>;
  A a;
  template <bool Slopes, class C>
  ADMPI_ALWAYS_INLINE void read(C &chunk, std::int64_t i, std::int64_t j) const {
    a.template read<Slopes>(chunk, i, j);
  }
};

/// A function that the library computes for many numbers at once, and number M of the expression.
template <class Op, unsigned M, class A>
struct frozen_function {
  static constexpr unsigned leaves = A::leaves;
  static constexpr bool chooses = A::chooses;
  template <class C>
  using element = looked_up<M, A, C>;
  A a;
  template <bool Slopes, class C>
  ADMPI_ALWAYS_INLINE void read(C &chunk, std::int64_t i, std::int64_t j) const {
    a.template read<Slopes>(chunk, i, j);
    const double *x = values_in(a, chunk, chunk.argument);
    chunk.slope[M] = many<Op>::compute(chunk.padded, x, chunk.value[M], Slopes ? chunk.derivative[M] : nullptr);
  }
};

/// That of two operands.
template <class Op, unsigned M, class A, class B>
struct frozen_function_of_two {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  static constexpr bool chooses = A::chooses || B::chooses;
  template <class C>
  using element = looked_up_pair<M, A, B, C>;
  A a;
  B b;
  template <bool Slopes, class C>
  ADMPI_ALWAYS_INLINE void read(C &chunk, std::int64_t i, std::int64_t j) const {
    a.template read<Slopes>(chunk, i, j);
    b.template read<Slopes>(chunk, i, j);
    const double *x1 = values_in(a, chunk, chunk.argument);
    const double *x2 = values_in(b, chunk, chunk.value[M + 1]);
    many_pairs<Op>::compute(chunk.padded, x1, x2, chunk.value[M], Slopes && A::leaves != 0 ? chunk.derivative[M] : nullptr,
                            Slopes && B::leaves != 0 ? chunk.derivative[M + 1] : nullptr);
    chunk.slope[M] = chunk.derivative[M];
    chunk.slope[M + 1] = chunk.derivative[M + 1];
  }
};

/// The values of a chunk: where they are already, or else in `room`, where they are computed.
template <unsigned K, class C>
ADMPI_ALWAYS_INLINE const double *values_in(const frozen_part<K> &, const C &chunk, double *) {
  return chunk.leaf[K];
}
template <class Op, unsigned M, class A, class C>
ADMPI_ALWAYS_INLINE const double *values_in(const frozen_function<Op, M, A> &, const C &chunk, double *) {
  return chunk.value[M];
}
template <class Op, unsigned M, class A, class B, class C>
ADMPI_ALWAYS_INLINE const double *values_in(const frozen_function_of_two<Op, M, A, B> &, const C &chunk, double *) {
  return chunk.value[M];
}
template <class E, class C>
ADMPI_ALWAYS_INLINE const double *values_in(const E &e, const C &chunk, double *room) {
  each_lane(chunk.padded, [&](std::int64_t l) ADMPI_INLINED { room[l] = typename E::template element<C>(e, chunk, l).value; });
  return room;
}

/// Of one element: whether something holds of two operands. Nothing is pushed through it.
template <class Op, class A, class B>
struct condition {
  static constexpr unsigned leaves = 0;
  A a;
  B b;
  bool value;
  template <class F, class C>
  ADMPI_ALWAYS_INLINE condition(const F &f, const C &chunk, std::int64_t l)
      : a(f.a, chunk, l), b(f.b, chunk, l), value(Op::holds(a.value, b.value)) {}
};

/// One of two operands, chosen by a condition.
template <class C, class A, class B>
struct selection {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  C c;
  A a;
  B b;
  double value;
  template <class F, class D>
  ADMPI_ALWAYS_INLINE selection(const F &f, const D &chunk, std::int64_t l)
      : c(f.a, chunk, l), a(f.b, chunk, l), b(f.c, chunk, l), value(c.value ? a.value : b.value) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    if (c.value) {
      if constexpr (A::leaves != 0) a.push(writer, p);
    } else {
      if constexpr (B::leaves != 0) b.push(writer, p);
    }
  }
};

/// Whether a node leaves out one of its operands.
template <template <class, class, class> class Node>
inline constexpr bool is_choice = false;
template <>
inline constexpr bool is_choice<choice> = true;
template <>
inline constexpr bool is_choice<condition> = true;
template <>
inline constexpr bool is_choice<selection> = true;

template <template <class, class, class> class Node, class Op, class A, class B>
struct frozen_binary {
  static constexpr bool chooses = A::chooses || B::chooses || is_choice<Node>;
  template <class C>
  using element = Node<Op, typename A::template element<C>, typename B::template element<C>>;
  static constexpr unsigned leaves = A::leaves + B::leaves;
  A a;
  B b;
  template <bool Slopes, class C>
  ADMPI_ALWAYS_INLINE void read(C &chunk, std::int64_t i, std::int64_t j) const {
    a.template read<Slopes>(chunk, i, j);
    b.template read<Slopes>(chunk, i, j);
  }
};

template <template <class, class, class> class Node, class A, class B, class C>
struct frozen_ternary {
  static constexpr bool chooses = A::chooses || B::chooses || C::chooses || is_choice<Node>;
  template <class D>
  using element =
      Node<typename A::template element<D>, typename B::template element<D>, typename C::template element<D>>;
  static constexpr unsigned leaves = A::leaves + B::leaves + C::leaves;
  A a;
  B b;
  C c;
  template <bool Slopes, class D>
  ADMPI_ALWAYS_INLINE void read(D &chunk, std::int64_t i, std::int64_t j) const {
    a.template read<Slopes>(chunk, i, j);
    b.template read<Slopes>(chunk, i, j);
    c.template read<Slopes>(chunk, i, j);
  }
};

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
