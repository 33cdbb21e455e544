// admpi: array expressions as the user's code makes them, and what may stand in them. A part of admpi/arrays.hpp.
#ifndef ADMPI_ARRAY_EXPRESSIONS_HPP
#define ADMPI_ARRAY_EXPRESSIONS_HPP

#include "admpi/array_nodes.hpp"
// Before the functions of arrays, which have no place in namespace std.
#include "admpi/standard.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

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
using if_scalars = std::enable_if_t<(is_scalar<A> || is_tangent<settled<A>>) && (is_scalar<B> || is_tangent<settled<B>>) &&
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

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
