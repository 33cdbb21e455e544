// admpi: array expressions. Arithmetic on matrices, parts of matrices and scalars, element by element, becomes one
// event when it is assigned; its reverse function computes the partial derivatives again, so that an element takes the
// 16 bytes of its value and its adjoint.
//
//   u.segment(1, n - 2) = u.segment(1, n - 2) - c * (u.segment(2, n - 2) - u.segment(0, n - 2));
//   admpi::var s = sum(elt_multiply(exp(a), b));
#ifndef ADMPI_ARRAYS_HPP
#define ADMPI_ARRAYS_HPP

#include <array>
#include <cstdio>

#include "admpi/arrays.h"
#include "admpi/linalg.h"
#include "admpi/special.h"
// Before the functions of arrays, which have no place in namespace std.
#include "admpi/standard.hpp"
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
  ADMPI_ALWAYS_INLINE void push(W &writer, double partial) const noexcept {
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
  ADMPI_ALWAYS_INLINE void push(W &writer, double p) const {
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
  ADMPI_ALWAYS_INLINE void push(W &writer, double p) const {
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
  ADMPI_ALWAYS_INLINE void push(W &writer, double p) const {
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

// The expressions as the user's code makes them. freeze<K, M> numbers the leaves from K on and lists them, and the functions
// from M on.

struct part_leaf : array_expression<part_leaf> {
  static constexpr unsigned leaves = 1;
  static constexpr unsigned functions = 0;
  admpi_view of;
  shared keep;

  explicit part_leaf(const admpi_view &v) noexcept : of(v), keep(v.of) { retain(v.of); }
  shape extent() const noexcept { return {of.rows, of.cols}; }
  void see(layout &how) const { how.see(of); }
  template <unsigned K, unsigned M>
  frozen_part<K> freeze(const layout &how, admpi_operand *operand) const noexcept {
    const admpi_view v = how.turn(of);
    operand[K] = {v, {0.0, 0, 0}};
    return {of.of->block->value + v.offset, v.row_step, v.col_step};
  }
};

struct scalar_leaf {
  static constexpr unsigned leaves = 1;
  static constexpr unsigned functions = 0;
  var x;

  shape extent() const noexcept { return {}; }
  void see(layout &) const noexcept {}
  template <unsigned K, unsigned M>
  frozen_scalar<K> freeze(const layout &, admpi_operand *operand) const noexcept {
    operand[K] = {{nullptr, 0, 0, 0, 0, 0}, x};
    return {x.value};
  }
};

struct number_leaf {
  static constexpr unsigned leaves = 0;
  static constexpr unsigned functions = 0;
  double x;

  shape extent() const noexcept { return {}; }
  void see(layout &) const noexcept {}
  template <unsigned K, unsigned M>
  frozen_number freeze(const layout &, admpi_operand *) const noexcept {
    return {{x}};
  }
};

template <class Op, class A>
struct array_unary : array_expression<array_unary<Op, A>> {
  static constexpr unsigned leaves = A::leaves;
  static constexpr unsigned functions = A::functions + many<Op>::known;
  A a;

  explicit array_unary(const A &operand) : a(operand) {}
  shape extent() const noexcept { return a.extent(); }
  void see(layout &how) const { a.see(how); }
  template <unsigned K, unsigned M>
  auto freeze(const layout &how, admpi_operand *operand) const noexcept {
    const auto x = a.template freeze<K, M>(how, operand);
    using X = std::decay_t<decltype(x)>;
    if constexpr (many<Op>::known) {
      return frozen_function<Op, M + A::functions, X>{x};
    } else {
      return frozen_unary<Op, X>{x};
    }
  }
};

template <template <class, class, class> class Node, class Op, class A, class B>
struct array_binary : array_expression<array_binary<Node, Op, A, B>> {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  static constexpr unsigned functions = A::functions + B::functions + 2 * many_pairs<Op>::known;
  A a;
  B b;

  array_binary(const A &first, const B &second) : a(first), b(second) { joint(a.extent(), b.extent()); }
  shape extent() const { return joint(a.extent(), b.extent()); }
  void see(layout &how) const {
    a.see(how);
    b.see(how);
  }
  template <unsigned K, unsigned M>
  auto freeze(const layout &how, admpi_operand *operand) const noexcept {
    const auto x = a.template freeze<K, M>(how, operand);
    const auto y = b.template freeze<K + A::leaves, M + A::functions>(how, operand);
    using X = std::decay_t<decltype(x)>;
    using Y = std::decay_t<decltype(y)>;
    if constexpr (many_pairs<Op>::known) {
      return frozen_function_of_two<Op, M + A::functions + B::functions, X, Y>{x, y};
    } else {
      return frozen_binary<Node, Op, X, Y>{x, y};
    }
  }
};

/// What holds of each element: no array of numbers, but an operand of select and of other conditions.
template <class Op, class A, class B>
struct array_condition {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  static constexpr unsigned functions = A::functions + B::functions;
  A a;
  B b;

  array_condition(const A &first, const B &second) : a(first), b(second) { joint(a.extent(), b.extent()); }
  explicit operator bool() const = delete;  // it holds of some elements: see select(a < b, x, y), and admpi::max(a, b)
  shape extent() const { return joint(a.extent(), b.extent()); }
  void see(layout &how) const {
    a.see(how);
    b.see(how);
  }
  template <unsigned K, unsigned M>
  auto freeze(const layout &how, admpi_operand *operand) const noexcept {
    const auto x = a.template freeze<K, M>(how, operand);
    const auto y = b.template freeze<K + A::leaves, M + A::functions>(how, operand);
    return frozen_binary<condition, Op, std::decay_t<decltype(x)>, std::decay_t<decltype(y)>>{x, y};
  }
};

template <template <class, class, class> class Node, class A, class B, class C>
struct array_ternary : array_expression<array_ternary<Node, A, B, C>> {
  static constexpr unsigned leaves = A::leaves + B::leaves + C::leaves;
  static constexpr unsigned functions = A::functions + B::functions + C::functions;
  A a;
  B b;
  C c;

  array_ternary(const A &x, const B &y, const C &z) : a(x), b(y), c(z) { extent(); }
  shape extent() const { return joint(joint(a.extent(), b.extent()), c.extent()); }
  void see(layout &how) const {
    a.see(how);
    b.see(how);
    c.see(how);
  }
  template <unsigned K, unsigned M>
  auto freeze(const layout &how, admpi_operand *operand) const noexcept {
    const auto x = a.template freeze<K, M>(how, operand);
    const auto y = b.template freeze<K + A::leaves, M + A::functions>(how, operand);
    const auto z = c.template freeze<K + A::leaves + B::leaves, M + A::functions + B::functions>(how, operand);
    return frozen_ternary<Node, std::decay_t<decltype(x)>, std::decay_t<decltype(y)>, std::decay_t<decltype(z)>>{x, y, z};
  }
};

#define ADMPI_ARRAY_COMPARISON(name, op)                             \
  struct holds_##name {                                              \
    static bool holds(double l, double r) noexcept { return l op r; } \
  };
ADMPI_ARRAY_COMPARISON(less, <)
ADMPI_ARRAY_COMPARISON(greater, >)
ADMPI_ARRAY_COMPARISON(less_equal, <=)
ADMPI_ARRAY_COMPARISON(greater_equal, >=)
ADMPI_ARRAY_COMPARISON(equal, ==)
ADMPI_ARRAY_COMPARISON(not_equal, !=)
#undef ADMPI_ARRAY_COMPARISON
struct holds_not {
  static bool holds(bool l, bool) noexcept { return !l; }
};
struct holds_both {
  static bool holds(bool l, bool r) noexcept { return l && r; }
};
struct holds_either {
  static bool holds(bool l, bool r) noexcept { return l || r; }
};

/// Functions with zero derivative.
#define ADMPI_OP(name)                                           \
  struct op_##name {                                             \
    static double value(double x) { return std::name(x); }       \
    static double partial(double, double) noexcept { return 0.0; } \
  };
ADMPI_STD_FLAT(ADMPI_OP)
#undef ADMPI_OP

template <class E>
const E &kept_array(const array_expression<E> &e) noexcept {
  return e.self();
}
inline part_leaf kept_array(const array_expression<varmat> &a) noexcept { return part_leaf(a.self().parts()); }
inline part_leaf kept_array(const array_expression<view> &a) noexcept { return part_leaf(a.self().parts()); }
template <class E>
scalar_leaf kept_array(const expression<E> &e) {
  return {var(e.self())};
}
template <class N, if_arithmetic<N> = 0>
number_leaf kept_array(N x) noexcept {
  return {static_cast<double>(x)};
}
template <class A>
using kept_array_t = std::decay_t<decltype(kept_array(std::declval<const A &>()))>;

template <class A>
inline constexpr bool is_array = std::is_base_of<array_expression<A>, A>::value;
template <class A>
inline constexpr bool is_scalar = is_active<A> || std::is_arithmetic<A>::value;

/// For functions of two operands of which at least one is an array.
template <class A, class B>
using if_arrays =
    std::enable_if_t<(is_array<A> && (is_array<B> || is_scalar<B>)) || (is_scalar<A> && is_array<B>), int>;

/// For operators that two arrays do not have.
template <class A, class B>
using if_one_array = std::enable_if_t<(is_array<A> && is_scalar<B>) || (is_scalar<A> && is_array<B>), int>;
template <class A, class B>
using if_two_arrays = std::enable_if_t<is_array<A> && is_array<B>, int>;

template <class A, class B>
using if_scalars = std::enable_if_t<(is_scalar<A> || is_tangent<A>) && (is_scalar<B> || is_tangent<B>) &&
                                        !is_tangent_array<A> && !is_tangent_array<B>,
                                    int>;

template <class A>
inline constexpr bool is_condition = false;
template <class Op, class A, class B>
inline constexpr bool is_condition<array_condition<Op, A, B>> = true;
template <class C>
using if_condition = std::enable_if_t<is_condition<C>, int>;

/// For functions of three operands of which at least one is an array.
template <class A, class B, class C>
using if_any_array = std::enable_if_t<(is_array<A> || is_array<B> || is_array<C>) && (is_array<A> || is_scalar<A>) &&
                                          (is_array<B> || is_scalar<B>) && (is_array<C> || is_scalar<C>),
                                      int>;

/// For what compound assignments change.
template <class A>
using if_assigned = std::enable_if_t<std::is_same<A, varmat>::value || std::is_same<A, view>::value, int>;

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

template <class E>
varmat::varmat(const array_expression<E> &e) : varmat(detail::computed(e.self())) {}

template <class E>
varmat &varmat::operator=(const array_expression<E> &e) {
  return *this = detail::computed(e.self());
}

template <class E, std::enable_if_t<!std::is_base_of<detail::partial<E>, E>::value, int>>
view::view(const array_expression<E> &e) : view(detail::computed(e.self()).all()) {}

template <class E>
view &view::operator=(const array_expression<E> &e) {
  detail::assign_computed(view_, e.self());
  return *this;
}

#define ADMPI_ARRAY_UNARY_NAMED(name, op)                                                        \
  template <class A>                                                                             \
  auto name(const array_expression<A> &a) {                                                      \
    return detail::array_unary<detail::op, detail::kept_array_t<A>>(detail::kept_array(a.self())); \
  }
#define ADMPI_ARRAY_UNARY(name) ADMPI_ARRAY_UNARY_NAMED(name, op_##name)

#define ADMPI_ARRAY_BINARY_NAMED(name, Node, op)                                                      \
  template <int..., class A, class B, detail::if_arrays<A, B> = 0>                                    \
  auto name(const A &a, const B &b) {                                                                 \
    return detail::array_binary<detail::Node, detail::op, detail::kept_array_t<A>, detail::kept_array_t<B>>( \
        detail::kept_array(a), detail::kept_array(b));                                                \
  }
#define ADMPI_ARRAY_BINARY(name) ADMPI_ARRAY_BINARY_NAMED(name, binary, op_##name)
#define ADMPI_ARRAY_CHOICE(name, condition) ADMPI_ARRAY_BINARY_NAMED(name, choice, op_##name)

ADMPI_ARRAY_BINARY_NAMED(operator+, binary, op_add)
ADMPI_ARRAY_BINARY_NAMED(operator-, binary, op_sub)
ADMPI_ARRAY_BINARY_NAMED(elt_multiply, binary, op_mul)
ADMPI_ARRAY_BINARY_NAMED(elt_divide, binary, op_div)
ADMPI_ARRAY_UNARY_NAMED(operator-, op_neg)
ADMPI_ARRAY_UNARY_NAMED(fabs, op_abs)
ADMPI_ARRAY_UNARY(square)
ADMPI_ARRAY_UNARY(inv)
ADMPI_STD_UNARY(ADMPI_ARRAY_UNARY)
ADMPI_STD_BINARY(ADMPI_ARRAY_BINARY)
ADMPI_STD_CHOICE(ADMPI_ARRAY_CHOICE)
#undef ADMPI_ARRAY_CHOICE
ADMPI_STD_FLAT(ADMPI_ARRAY_UNARY)

// As templates they would be less special than those of std, which compare matrices as a whole, where both are in sight.
#define ADMPI_ARRAY_CHOICE(name, T)                                                                                  \
  inline auto name(const T &a, const T &b) {                                                                         \
    return detail::array_binary<detail::choice, detail::op_##name, detail::part_leaf, detail::part_leaf>(            \
        detail::kept_array(a), detail::kept_array(b));                                                               \
  }
ADMPI_ARRAY_CHOICE(min, varmat)
ADMPI_ARRAY_CHOICE(max, varmat)
ADMPI_ARRAY_CHOICE(min, view)
ADMPI_ARRAY_CHOICE(max, view)
#undef ADMPI_ARRAY_CHOICE

/// Clamps each element between the bounds, which are numbers, scalars or arrays.
template <int..., class X, class L, class H, detail::if_any_array<X, L, H> = 0>
auto clamp(const X &x, const L &low, const H &high) {
  return min(max(x, low), high);
}

/// What holds of each element, for select.
#define ADMPI_ARRAY_CONDITION(op, name)                                                                         \
  template <class A, class B, detail::if_arrays<A, B> = 0>                                                      \
  auto operator op(const A &a, const B &b) {                                                                    \
    return detail::array_condition<detail::holds_##name, detail::kept_array_t<A>, detail::kept_array_t<B>>(     \
        detail::kept_array(a), detail::kept_array(b));                                                          \
  }
ADMPI_ARRAY_CONDITION(<, less)
ADMPI_ARRAY_CONDITION(>, greater)
ADMPI_ARRAY_CONDITION(<=, less_equal)
ADMPI_ARRAY_CONDITION(>=, greater_equal)
ADMPI_ARRAY_CONDITION(==, equal)
ADMPI_ARRAY_CONDITION(!=, not_equal)
#undef ADMPI_ARRAY_CONDITION
template <class C, class D, detail::if_condition<C> = 0, detail::if_condition<D> = 0>
auto operator&&(const C &c, const D &d) {
  return detail::array_condition<detail::holds_both, C, D>(c, d);
}
template <class C, class D, detail::if_condition<C> = 0, detail::if_condition<D> = 0>
auto operator||(const C &c, const D &d) {
  return detail::array_condition<detail::holds_either, C, D>(c, d);
}
template <class C, detail::if_condition<C> = 0>
auto operator!(const C &c) {
  return detail::array_condition<detail::holds_not, C, C>(c, c);
}

/// The elements of a where the condition holds, and those of b elsewhere: select(x > 0.0, log(x), y). An alternative that is
/// not chosen has no derivative, and may be infinite or NaN.
template <class C, class A, class B, detail::if_condition<C> = 0>
auto select(const C &c, const A &a, const B &b) {
  return detail::array_ternary<detail::selection, C, detail::kept_array_t<A>, detail::kept_array_t<B>>(
      c, detail::kept_array(a), detail::kept_array(b));
}

/// a * b + c, rounded once.
template <class A, class B, class C, detail::if_any_array<A, B, C> = 0>
auto fma(const A &a, const B &b, const C &c) {
  return detail::array_ternary<detail::fused, detail::kept_array_t<A>, detail::kept_array_t<B>, detail::kept_array_t<C>>(
      detail::kept_array(a), detail::kept_array(b), detail::kept_array(c));
}
ADMPI_SPECIAL_UNARY(ADMPI_ARRAY_UNARY)
ADMPI_SPECIAL_BINARY(ADMPI_ARRAY_BINARY)

/// The same for scalars, for code that is written for both.
template <class A, class B, detail::if_scalars<A, B> = 0>
auto elt_multiply(const A &a, const B &b) {
  return a * b;
}
template <class A, class B, detail::if_scalars<A, B> = 0>
auto elt_divide(const A &a, const B &b) {
  return a / b;
}

/// An array times or over a scalar.
template <class A, class B, detail::if_one_array<A, B> = 0>
auto operator*(const A &a, const B &b) {
  return elt_multiply(a, b);
}
template <class A, class B, detail::if_one_array<A, B> = 0>
auto operator/(const A &a, const B &b) {
  return elt_divide(a, b);
}

// Refused between two arrays. Half of the readers would expect the matrix product, the other half the product of elements,
// and for square matrices both are valid.
#define ADMPI_NO_PRODUCT                                                                    \
  "a * b of two arrays: write multiply(a, b) for the product of matrices, elt_multiply(a, b) for the products of their elements"
#define ADMPI_NO_QUOTIENT                                                                        \
  "a / b of two arrays: write elt_divide(a, b) for the quotients of their elements, solve(b, a) for the solution x of b x = a"
template <class A, class B, detail::if_two_arrays<A, B> = 0>
varmat operator*(const A &a, const B &) {
  static_assert(!detail::is_array<A>, ADMPI_NO_PRODUCT);
  return a;
}
template <class A, class B, detail::if_two_arrays<A, B> = 0>
varmat operator/(const A &a, const B &) {
  static_assert(!detail::is_array<A>, ADMPI_NO_QUOTIENT);
  return a;
}

#undef ADMPI_ARRAY_UNARY
#undef ADMPI_ARRAY_UNARY_NAMED
#undef ADMPI_ARRAY_BINARY
#undef ADMPI_ARRAY_BINARY_NAMED

#define ADMPI_ARRAY_COMPOUND(op)                                                            \
  template <class A, class B, detail::if_arrays<A, B> = 0, detail::if_assigned<A> = 0>      \
  A &operator op##=(A &a, const B &b) {                                                     \
    return a = a op b;                                                                      \
  }                                                                                         \
  template <class B, detail::if_arrays<view, B> = 0>                                        \
  void operator op##=(view &&a, const B &b) {                                               \
    a = a op b;                                                                             \
  }
ADMPI_ARRAY_COMPOUND(+)
ADMPI_ARRAY_COMPOUND(-)
ADMPI_ARRAY_COMPOUND(*)
ADMPI_ARRAY_COMPOUND(/)
#undef ADMPI_ARRAY_COMPOUND

/// The sum of all elements of an expression, as one event.
template <class A>
var sum(const array_expression<A> &a) {
  const auto &e = detail::kept_array(a.self());
  const detail::frozen_statement<detail::kept_array_t<A>> statement(e, nullptr);
  const varmat result = detail::fresh_array(1, 1);
  result.handle()->block->value[0] = statement.kernel.sum();
  statement.record(result.parts(), nullptr);
  return result(0);
}

/// That of a matrix or a part of one takes no kernel.
inline var sum(const array_expression<view> &a) {
  var total;
  detail::check(admpi_sum(&a.self().view_of(), &total));
  return total;
}
inline var sum(const array_expression<varmat> &a) { return sum(a.self().all()); }

/// The number of elements.
template <class A>
std::int64_t size(const array_expression<A> &a) {
  const detail::shape extent = detail::kept_array(a.self()).extent();
  return extent.rows * extent.cols;
}

template <class A>
var mean(const array_expression<A> &a) {
  return sum(a) / static_cast<double>(size(a));
}

/// The sum of elt_multiply(a, b).
template <class A, class B>
var dot(const array_expression<A> &a, const array_expression<B> &b) {
  return sum(elt_multiply(a.self(), b.self()));
}

template <class A>
var dot_self(const array_expression<A> &a) {
  return sum(square(a));
}

/// The root of the sum of squares, without overflow. At 0 the derivative is 0, the subgradient of least norm.
template <class A>
var norm2(const array_expression<A> &a) {
  const var s = dot_self(a);
  if (s.value > 1e-280 && s.value < std::numeric_limits<double>::infinity()) return sqrt(s);
  // The squares leave the range of numbers: those of multiples do not.
  const double factor = s.value < 1.0 ? 0x1p600 : 0x1p-600;
  const var t = dot_self(factor * a.self());
  return t.value == 0.0 ? var(0.0) : var(sqrt(t) / factor);
}

/// The sum of squared distances from the mean, divided by n - 1.
template <class A>
var variance(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const varmat distance = x - mean(x);
  const auto n = static_cast<double>(x.size());
  // What the mean is rounded by is made good.
  return (dot_self(distance) - square(sum(distance)) / n) / (n == 0.0 ? 0.0 : n - 1.0);
}

namespace detail {

/// A NaN counts as larger than all numbers, so none is overlooked.
inline bool is_larger(double l, double r) noexcept { return l > r || (std::isnan(l) && !std::isnan(r)); }

/// The place of the first element that none goes before.
template <class Before>
std::int64_t first_of(const varmat &a, Before before) {
  if (a.size() == 0) raise(ADMPI_ERR_ARGUMENT, "the extreme element of a matrix without elements");
  const double *value = a.handle()->block->value;
  std::int64_t found = 0;
  for (std::int64_t k = 1; k < a.size(); ++k) {
    if (before(value[k], value[found])) found = k;
  }
  return found;
}

}  // namespace detail

/// The largest and the smallest element, and its place in column-major order. Of equal elements the first is returned; if there
/// is a NaN, the first NaN. The result is the element itself: nothing is recorded beyond the expression.
template <class A>
var max_element(const array_expression<A> &a, std::int64_t *place_out = nullptr) {
  const varmat x = detail::computed_array(a);
  const std::int64_t place = detail::first_of(x, detail::is_larger);
  if (place_out != nullptr) *place_out = place;
  return x(place);
}
template <class A>
var min_element(const array_expression<A> &a, std::int64_t *place_out = nullptr) {
  const varmat x = detail::computed_array(a);
  const std::int64_t place = detail::first_of(x, [](double l, double r) { return detail::is_larger(-l, -r); });
  if (place_out != nullptr) *place_out = place;
  return x(place);
}

namespace detail {

/// What a function of the C interface makes.
template <class F>
varmat made(F make) {
  admpi_varmat *matrix = nullptr;
  check(make(&matrix));
  return varmat(matrix);
}

}  // namespace detail

/// The running sums of the elements, in column-major order.
template <class A>
varmat cumulative_sum(const array_expression<A> &a) {
  const view x = detail::seen(a);
  return detail::made([&](admpi_varmat **out) { return admpi_cumulative_sum(x.handle(), out); });
}

namespace detail {

inline varmat joined(const std::vector<view> &parts, bool below) {
  std::vector<admpi_view> handles;
  for (const view &part : parts) handles.push_back(part.parts());
  const auto n = static_cast<std::int64_t>(handles.size());
  return made([&](admpi_varmat **out) { return admpi_concatenate(handles.data(), n, below, out); });
}

}  // namespace detail

/// Joins parts with the same number of rows side by side, or with the same number of columns one below the other:
/// hcat({a, b.col(0)}).
inline varmat hcat(const std::vector<view> &parts) { return detail::joined(parts, false); }
inline varmat vcat(const std::vector<view> &parts) { return detail::joined(parts, true); }

/// A copy of a, with the elements of b added at the places index, counted in column-major order. Places may repeat.
template <class A, class B>
varmat scatter_add(const array_expression<A> &a, const std::vector<std::int64_t> &index, const array_expression<B> &b) {
  const view x = detail::seen(a), y = detail::seen(b);
  const auto n = static_cast<std::int64_t>(index.size());
  return detail::made(
      [&](admpi_varmat **out) { return admpi_scatter_add(x.handle(), index.data(), n, y.handle(), out); });
}

namespace detail {

/// The largest element: NaN if there is one, and minus infinity for an empty array.
inline var most_of(const varmat &a) {
  if (a.size() == 0) return -std::numeric_limits<double>::infinity();
  return a(first_of(a, is_larger));
}

}  // namespace detail

/// log(sum(exp(a))), without overflow. If an element is infinite, the result is that element.
template <class A>
var log_sum_exp(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const var most = detail::most_of(x);
  if (std::isinf(most.value)) return most.value > 0.0 ? most : var(most.value);
  return log(sum(exp(x - most.value))) + most.value;
}

/// exp(a) / sum(exp(a)), without overflow.
template <class A>
varmat softmax(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const varmat y = exp(x - detail::most_of(x).value);
  return y / sum(y);
}

/// a - log_sum_exp(a), without loss of digits if the elements are large.
template <class A>
varmat log_softmax(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const varmat less = x - detail::most_of(x).value;
  return less - log(sum(exp(less)));
}

template <class E>
var array_expression<E>::sum() const {
  return admpi::sum(*this);
}
template <class E>
var array_expression<E>::mean() const {
  return admpi::mean(*this);
}
template <class E>
var array_expression<E>::variance() const {
  return admpi::variance(*this);
}
template <class E>
var array_expression<E>::norm2() const {
  return admpi::norm2(*this);
}
template <class E>
var array_expression<E>::max_element(std::int64_t *place_out) const {
  return admpi::max_element(*this, place_out);
}
template <class E>
var array_expression<E>::min_element(std::int64_t *place_out) const {
  return admpi::min_element(*this, place_out);
}
template <class E>
template <class B>
var array_expression<E>::dot(const B &b) const {
  return admpi::dot(*this, b);
}

/// Writes the values, one row per line, with the width of the stream. Nothing is recorded.
template <class Char, class Traits, class A>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &stream, const array_expression<A> &a) {
  const passive no_recording;
  const view x = detail::seen(a);
  const std::vector<double> value = x.values();
  const auto width = stream.width();
  for (std::int64_t i = 0; i < x.rows(); ++i) {
    if (i != 0) stream << '\n';
    for (std::int64_t j = 0; j < x.cols(); ++j) {
      if (j != 0) stream << ' ';
      stream.width(width);
      stream << value[static_cast<std::size_t>(i + j * x.rows())];
    }
  }
  return stream;
}
/// Reads an element: stream >> a(i, j).
template <class Char, class Traits>
std::basic_istream<Char, Traits> &operator>>(std::basic_istream<Char, Traits> &stream, element &&x) {
  double value = 0.0;
  if (stream >> value) std::move(x) = value;
  return stream;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

namespace std {

// Once more, with those of arrays.
using admpi::clamp;
using admpi::max;
using admpi::min;

}  // namespace std

#undef ADMPI_INDEPENDENT
#undef ADMPI_INLINED

#endif
