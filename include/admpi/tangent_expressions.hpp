// admpi: expressions of `tangent<var>`, which become two statements where they are assigned: one for the value, one for the
// derivative.
//
// A node holds its operands by value, and computes with tangent<double>. Its members value and derivative are expressions of var
// over the same leaves: where one is recorded, partial derivatives go down the node, as numbers for the value, and as
// tangent<double> for the derivative. A leaf x with the derivative x' gets from these its own partial derivative p and that in
// the direction, p': the derivative of the result has the partial p by x' and p' by x.
#ifndef ADMPI_TANGENT_EXPRESSIONS_HPP
#define ADMPI_TANGENT_EXPRESSIONS_HPP

#include "admpi/tangent.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// The derivative has two arguments for a leaf.
inline constexpr unsigned max_tangent_leaves = max_leaves / 2;

/// What each operand adds to both statements: the value's partial by its value, which is the derivative's by its derivative, and
/// the derivative's by its value, unless there is none. In arrays, of which numbers are read as they were stored: one by one.
template <unsigned Leaves>
struct tangent_arguments {
  double partial[Leaves];
  double moved[Leaves];
  std::uint64_t value[Leaves];
  std::uint64_t derivative[Leaves];
  std::uint8_t is_moved[Leaves];

  /// Every place is filled. Not by an initialiser: see merging_writer.
  ADMPI_ALWAYS_INLINE tangent_arguments() noexcept {}

  template <unsigned At>
  ADMPI_ALWAYS_INLINE void put(double p, double dp, bool has_dp, std::uint64_t x, std::uint64_t dx) {
    partial[At] = p;
    moved[At] = dp;
    value[At] = x;
    derivative[At] = dx;
    is_moved[At] = has_dp;
  }
  template <unsigned At>
  ADMPI_ALWAYS_INLINE void add(double p, std::uint64_t x, std::uint64_t dx) {
    put<At>(p, 0.0, false, x, dx);
  }
  template <unsigned At>
  ADMPI_ALWAYS_INLINE void add(const tangent<double> &p, std::uint64_t x, std::uint64_t dx) {
    put<At>(p.value, p.derivative, true, x, dx);
  }

  ADMPI_ALWAYS_INLINE bool merge(unsigned i, unsigned j) noexcept {
    if (!(ADMPI_KNOWN_SAME(value[i], value[j]) && ADMPI_KNOWN_SAME(derivative[i], derivative[j]))) return false;
    partial[j] += partial[i];
    if (is_moved[i] != 0) {
      moved[j] = is_moved[j] != 0 ? moved[j] + moved[i] : moved[i];
      is_moved[j] = 1;
    }
    value[i] = 0;
    derivative[i] = 0;
    is_moved[i] = 0;
    return true;
  }

  ADMPI_ALWAYS_INLINE argument_writer write_value(admpi_tape *tape) const noexcept {
    argument_writer arguments(tape);
    write_value(arguments, std::make_integer_sequence<unsigned, Leaves>());
    return arguments;
  }
  ADMPI_ALWAYS_INLINE argument_writer write_derivative(admpi_tape *tape) const noexcept {
    argument_writer arguments(tape);
    write_derivative(arguments, std::make_integer_sequence<unsigned, Leaves>());
    return arguments;
  }

 private:
  template <unsigned... At>
  ADMPI_ALWAYS_INLINE void write_value(argument_writer &arguments, std::integer_sequence<unsigned, At...>) const noexcept {
    (arguments.add(partial[At], value[At]), ...);
  }
  template <unsigned... At>
  ADMPI_ALWAYS_INLINE void write_derivative(argument_writer &arguments, std::integer_sequence<unsigned, At...>) const noexcept {
    ((arguments.add(partial[At], derivative[At]), is_moved[At] != 0 ? arguments.add(moved[At], value[At]) : void()), ...);
  }
};

/// The same for the slow path.
struct argument_list {
  const double *partial;
  const double *moved;
  const std::uint64_t *value;
  const std::uint64_t *derivative;
  const std::uint8_t *is_moved;
  unsigned n;
};

/// Of these, the partial derivatives of the value.
template <unsigned At, class Arguments>
struct value_place {
  static constexpr unsigned each = 1;
  Arguments &arguments;
  template <class P>
  ADMPI_ALWAYS_INLINE void add(const P &p, std::uint64_t value, std::uint64_t) const {
    arguments.template add<At>(admpi::value(p), leaf(value));
  }
};

/// And those of the derivative. A partial that is a number has no derivative itself, wherever it is taken.
template <unsigned At, class Arguments>
struct derivative_place {
  static constexpr unsigned each = 2;
  Arguments &arguments;
  ADMPI_ALWAYS_INLINE void add(double p, std::uint64_t, std::uint64_t derivative) const {
    arguments.template add<At>(p, leaf(derivative));
  }
  ADMPI_ALWAYS_INLINE void add(const tangent<double> &p, std::uint64_t value, std::uint64_t derivative) const {
    arguments.template add<At>(p.value, leaf(derivative));
    arguments.template add<At + 1>(p.derivative, leaf(value));
  }
};

template <class Node>
struct tangent_node;

/// The value of a node, where it lies in the node: it has no copies.
template <class Node>
struct value_part : expression<value_part<Node>> {
  static constexpr unsigned leaves = Node::leaves;
  double value;

  ADMPI_ALWAYS_INLINE explicit value_part(double x) : value(x) {}
  value_part(const value_part &) = delete;
  value_part &operator=(const value_part &) = delete;
  template <unsigned At, class Arguments>
  ADMPI_ALWAYS_INLINE void push(const place<At, Arguments> &to, double p) const {
    tangent_node<Node>::around(*this).push(value_place<At, Arguments>{to.arguments}, p);
  }
};

/// Its derivative.
template <class Node>
struct derivative_part : expression<derivative_part<Node>> {
  static constexpr unsigned leaves = 2 * Node::leaves;
  double value;

  ADMPI_ALWAYS_INLINE explicit derivative_part(double x) : value(x) {}
  derivative_part(const derivative_part &) = delete;
  derivative_part &operator=(const derivative_part &) = delete;
  template <unsigned At, class Arguments>
  ADMPI_ALWAYS_INLINE void push(const place<At, Arguments> &to, double p) const {
    tangent_node<Node>::around(*this).push(derivative_place<At, Arguments>{to.arguments}, p);
  }
};

/// In another expression they are values of their own.
template <class Node>
ADMPI_ALWAYS_INLINE leaf kept(const value_part<Node> &x) {
  return leaf(var(x));
}
template <class Node>
ADMPI_ALWAYS_INLINE leaf kept(const derivative_part<Node> &x) {
  return leaf(var(x));
}

/// Base of the nodes. A node has
///   leaves           how many operands it may have that are no constants
///   number()         value and derivative
///   push(w, p)       hands each leaf p times its partial
///   split()          the same value, of operands that are recorded, so that at most one operator is not linear
template <class Node>
struct tangent_node : tangent_expression<Node> {
  value_part<Node> value;
  derivative_part<Node> derivative;

  ADMPI_ALWAYS_INLINE explicit tangent_node(const tangent<double> &x) : value(x.value), derivative(x.derivative) {}
  ADMPI_ALWAYS_INLINE tangent_node(const tangent_node &other) : tangent_node(other.number()) {}
  tangent_node &operator=(const tangent_node &) = delete;

  ADMPI_ALWAYS_INLINE tangent<double> number() const { return {value.value, derivative.value}; }

  ADMPI_ALWAYS_INLINE static const Node &around(const value_part<Node> &part) {
    return reinterpret_cast<const tangent_node &>(part).self();
  }
  ADMPI_ALWAYS_INLINE static const Node &around(const derivative_part<Node> &part) {
    static_assert(sizeof(tangent_node) == 2 * sizeof(part), "the derivative lies behind the value");
    return around(reinterpret_cast<const value_part<Node> *>(&part)[-1]);
  }

  template <class Integer, std::enable_if_t<std::is_integral<Integer>::value, int> = 0>
  explicit operator Integer() const {
    return static_cast<Integer>(value.value);
  }
  template <class F, std::enable_if_t<std::is_floating_point<F>::value, int> = 0>
  explicit operator F() const = delete;  // it would lose the derivative: for the value alone write admpi::value(x)
};

struct tangent_leaf {
  static constexpr unsigned leaves = 1;
  static constexpr bool is_linear = true;
  leaf value;
  leaf derivative;

  ADMPI_COPIED_BY_MEMBER(tangent_leaf, value(other.value), derivative(other.derivative))
  ADMPI_ALWAYS_INLINE explicit tangent_leaf(const tangent<var> &x) : value(x.value), derivative(x.derivative) {}
  ADMPI_ALWAYS_INLINE tangent<double> number() const { return {value.value, derivative.value}; }
  template <class W, class P>
  ADMPI_ALWAYS_INLINE void push(W &&arguments, const P &p) const {
    arguments.add(p, value.word, derivative.word);
  }
  const tangent_leaf &split() const { return *this; }
};

/// An active value that is constant in the direction.
struct fixed_leaf {
  static constexpr unsigned leaves = 1;
  static constexpr bool is_linear = true;
  leaf value;

  ADMPI_COPIED_BY_MEMBER(fixed_leaf, value(other.value))
  ADMPI_ALWAYS_INLINE explicit fixed_leaf(const var &x) : value(x) {}
  ADMPI_ALWAYS_INLINE double number() const { return value.value; }
  template <class W, class P>
  ADMPI_ALWAYS_INLINE void push(W &&arguments, const P &p) const {
    arguments.add(p, value.word, 0);
  }
  const fixed_leaf &split() const { return *this; }
};

struct fixed_number {
  static constexpr unsigned leaves = 0;
  static constexpr bool is_linear = true;
  double value;

  ADMPI_ALWAYS_INLINE double number() const { return value; }
  const fixed_number &split() const { return *this; }
};

/// The chain rule for partial derivatives, of which numbers have no derivative. A derivative of zero takes no part, however large
/// the other factor.
ADMPI_ALWAYS_INLINE double chained(double p, double partial) { return p * partial; }
ADMPI_ALWAYS_INLINE tangent<double> chained(double p, const tangent<double> &partial) {
  return {p * partial.value, along(p, partial.derivative)};
}
ADMPI_ALWAYS_INLINE tangent<double> chained(const tangent<double> &p, double partial) { return chained(partial, p); }
ADMPI_ALWAYS_INLINE tangent<double> chained(const tangent<double> &p, const tangent<double> &partial) {
  return {p.value * partial.value, along(partial.value, p.derivative) + along(p.value, partial.derivative)};
}

/// Whether the derivative of an operation is a sum of its operands' times numbers. A and B are the numbers of their leaves.
template <class Op, unsigned A, unsigned B = 0>
inline constexpr bool is_linear_operation = false;

template <class Op, class A>
struct tangent_unary : tangent_node<tangent_unary<Op, A>> {
  static constexpr unsigned leaves = A::leaves;
  static constexpr bool is_linear = is_linear_operation<Op, A::leaves>;
  A a;

  ADMPI_COPIED_BY_MEMBER(tangent_unary, tangent_node<tangent_unary>(other), a(other.a))
  ADMPI_ALWAYS_INLINE explicit tangent_unary(const A &x) : tangent_node<tangent_unary>(Op::value(x.number())), a(x) {}
  template <class W, class P>
  ADMPI_ALWAYS_INLINE void push(W &&arguments, const P &p) const {
    a.push(arguments, chained(p, Op::partial(a.number(), this->number())));
  }
  auto split() const;
};

template <class Op, class A, class B>
struct tangent_binary : tangent_node<tangent_binary<Op, A, B>> {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  static constexpr bool is_linear = is_linear_operation<Op, A::leaves, B::leaves>;
  A a;
  B b;

  ADMPI_COPIED_BY_MEMBER(tangent_binary, tangent_node<tangent_binary>(other), a(other.a), b(other.b))
  ADMPI_ALWAYS_INLINE tangent_binary(const A &x, const B &y)
      : tangent_node<tangent_binary>(Op::value(x.number(), y.number())), a(x), b(y) {}
  template <class W, class P>
  ADMPI_ALWAYS_INLINE void push(W &&arguments, const P &p) const {
    const auto x = a.number();
    const auto y = b.number();
    const auto z = this->number();
    if constexpr (A::leaves != 0) a.push(arguments, chained(p, Op::partial_1(x, y, z)));
    if constexpr (B::leaves != 0) b.push(behind<A::leaves>(arguments), chained(p, Op::partial_2(x, y, z)));
  }
  auto split() const;
};

/// What an expression keeps of an operand.
template <class E>
ADMPI_ALWAYS_INLINE const E &kept_tangent(const tangent_expression<E> &e) {
  return e.self();
}
ADMPI_ALWAYS_INLINE tangent_leaf kept_tangent(const tangent_expression<tangent<var>> &x) { return tangent_leaf(x.self()); }
template <class U>
ADMPI_ALWAYS_INLINE auto kept_fixed(const U &x) {
  if constexpr (std::is_arithmetic<U>::value) {
    return fixed_number{static_cast<double>(x)};
  } else {
    return fixed_leaf(var(x));
  }
}

/// An operand of fewer leaves: recorded.
template <class A>
ADMPI_ALWAYS_INLINE tangent_leaf shortened(const A &a) {
  return tangent_leaf(tangent<var>(a));
}

template <class Op, class A, class B>
ADMPI_ALWAYS_INLINE auto join_tangents(const A &a, const B &b) {
  if constexpr (A::leaves + B::leaves <= max_tangent_leaves) {
    return tangent_binary<Op, A, B>(a, b);
  } else if constexpr (A::leaves >= B::leaves) {
    return join_tangents<Op>(shortened(a), b);
  } else {
    return join_tangents<Op>(a, shortened(b));
  }
}
template <class Op, class A>
ADMPI_ALWAYS_INLINE auto tangent_of(const A &a) {
  return tangent_unary<Op, A>(a);
}

template <class Node>
ADMPI_ALWAYS_INLINE tangent<var> recorded_whole(const Node &e) {
  return {var(e.value), var(e.derivative)};
}
/// An operand of a linear operator, or of another one: recorded, unless the operator's arguments meet no others then.
template <bool IsOfLinear, class A>
ADMPI_ALWAYS_INLINE auto split_operand(const A &a) {
  const auto &e = a.split();
  using E = std::decay_t<decltype(e)>;
  if constexpr (E::is_linear && (IsOfLinear || E::leaves <= 1)) {
    return E(e);
  } else {
    return tangent_leaf(recorded_whole(e));
  }
}
template <class Op, class A>
auto tangent_unary<Op, A>::split() const {
  return tangent_of<Op>(split_operand<is_linear>(a));
}
template <class Op, class A, class B>
auto tangent_binary<Op, A, B>::split() const {
  return join_tangents<Op>(split_operand<is_linear>(a), split_operand<is_linear>(b));
}

/// Member by member: a copy of both as one would be of 16 bytes, and wait for the stores of 8.
ADMPI_ALWAYS_INLINE void put(var &to, const admpi_var &x) noexcept {
  to.value = x.value;
  store_word(&to.id, load_word(&x.id));
}

ADMPI_ALWAYS_INLINE bool has_room(const admpi_tape *tape, unsigned leaves) noexcept {
  return tape->argument_end - tape->argument >= static_cast<std::ptrdiff_t>(3 * leaves);
}

/// Where the inline compare found no room: see detail::record_slow.
[[gnu::noinline, gnu::cold]] inline void record_tangent_slow(const argument_list &all, double y, double dy, tangent<var> &to) {
  admpi_tape *tape = admpi_tls_tape;
  if (tape->checking) {
    for (const std::uint64_t *words : {all.value, all.derivative}) {
      const leaf_list leaves{all.partial, words, all.n};
      if (!are_recent(tape, leaves)) check_operands(tape, y, leaves);
    }
  }
  if (!tape->recording) {
    to = {y, dy};
    return;
  }
  if (tape->checked_end - tape->argument < static_cast<std::ptrdiff_t>(3 * all.n)) check(admpi_detail_tape_grow(tape, 3 * all.n));
  argument_writer value(tape);
  for (unsigned i = 0; i < all.n; ++i) value.add(all.partial[i], all.value[i]);
  put(to.value, finish(tape, value, y));
  argument_writer derivative(tape);
  for (unsigned i = 0; i < all.n; ++i) {
    derivative.add(all.partial[i], all.derivative[i]);
    if (all.is_moved[i] != 0) derivative.add(all.moved[i], all.value[i]);
  }
  put(to.derivative, finish(tape, derivative, dy));
}

/// Splitting is for an expression's nodes what assignments are for expressions.
template <class Node>
ADMPI_ALWAYS_INLINE void record_tangent(const Node &e, tangent<var> &to) {
  if (__builtin_expect(admpi_tls_cxx.splits, 0)) {
    const Node copy = e;  // what is called by address would have to lie in memory at any time
    to = recorded_whole(copy.split());
    return;
  }
  admpi_tape *tape = admpi_tls_tape;
  tangent_arguments<Node::leaves> arguments;
  e.push(place<0, tangent_arguments<Node::leaves>>{arguments}, 1.0);
  merge_arguments<Node::leaves>(arguments);
  if (__builtin_expect(tape->argument_end - tape->argument < static_cast<std::ptrdiff_t>(3 * Node::leaves), 0)) {
    const tangent_arguments<Node::leaves> all = arguments;
    const argument_list list{all.partial, all.moved, all.value, all.derivative, all.is_moved, Node::leaves};
    return record_tangent_slow(list, e.value.value, e.derivative.value, to);
  }
  put(to.value, finish(tape, arguments.write_value(tape), e.value.value));
  put(to.derivative, finish(tape, arguments.write_derivative(tape), e.derivative.value));
}

/// A partial derivative of a function. Where no operand has a derivative it has none, whatever its formula: see along.
template <class... N>
ADMPI_ALWAYS_INLINE double moved(double partial, const N &...) {
  return partial;
}
template <class... N>
ADMPI_ALWAYS_INLINE tangent<double> moved(const tangent<double> &partial, const N &...x) {
  return {partial.value, ((admpi::derivative(x) == 0.0) && ...) ? 0.0 : partial.derivative};
}

struct tangent_add {
  template <class A, class B>
  ADMPI_ALWAYS_INLINE static tangent<double> value(const A &a, const B &b) {
    return a + b;
  }
  template <class A, class B, class Y>
  ADMPI_ALWAYS_INLINE static double partial_1(const A &, const B &, const Y &) {
    return 1.0;
  }
  template <class A, class B, class Y>
  ADMPI_ALWAYS_INLINE static double partial_2(const A &, const B &, const Y &) {
    return 1.0;
  }
};
struct tangent_sub : tangent_add {
  template <class A, class B>
  ADMPI_ALWAYS_INLINE static tangent<double> value(const A &a, const B &b) {
    return a - b;
  }
  template <class A, class B, class Y>
  ADMPI_ALWAYS_INLINE static double partial_2(const A &, const B &, const Y &) {
    return -1.0;
  }
};
struct tangent_mul {
  template <class A, class B>
  ADMPI_ALWAYS_INLINE static tangent<double> value(const A &a, const B &b) {
    return a * b;
  }
  template <class A, class B, class Y>
  ADMPI_ALWAYS_INLINE static B partial_1(const A &, const B &b, const Y &) {
    return b;
  }
  template <class A, class B, class Y>
  ADMPI_ALWAYS_INLINE static A partial_2(const A &a, const B &, const Y &) {
    return a;
  }
};
struct tangent_div {
  template <class A, class B>
  ADMPI_ALWAYS_INLINE static tangent<double> value(const A &a, const B &b) {
    return a / b;
  }
  template <class A, class B, class Y>
  ADMPI_ALWAYS_INLINE static B partial_1(const A &, const B &b, const Y &) {
    return 1.0 / b;
  }
  template <class A, class B, class Y>
  ADMPI_ALWAYS_INLINE static Y partial_2(const A &, const B &b, const Y &y) {
    return -(y / b);
  }
};
template <unsigned A, unsigned B>
inline constexpr bool is_linear_operation<tangent_add, A, B> = true;
template <unsigned A, unsigned B>
inline constexpr bool is_linear_operation<tangent_sub, A, B> = true;
template <unsigned A, unsigned B>
inline constexpr bool is_linear_operation<tangent_mul, A, B> = A == 0 || B == 0;
template <unsigned A, unsigned B>
inline constexpr bool is_linear_operation<tangent_div, A, B> = B == 0;

struct tangent_neg {
  ADMPI_ALWAYS_INLINE static tangent<double> value(const tangent<double> &x) { return -x; }
  template <class X>
  ADMPI_ALWAYS_INLINE static double partial(const X &, const X &) {
    return -1.0;
  }
};
template <unsigned A>
inline constexpr bool is_linear_operation<tangent_neg, A> = true;

/// Functions whose partial derivatives are constant between kinks.
template <class Op>
inline constexpr bool is_piecewise_linear = false;
template <>
inline constexpr bool is_piecewise_linear<op_abs> = true;
template <>
inline constexpr bool is_piecewise_linear<op_fdim> = true;
/// What the partial derivatives of a function are computed with.
template <class Op, class N>
using slope_number = std::conditional_t<is_piecewise_linear<Op>, double, N>;
template <class N, class X>
ADMPI_ALWAYS_INLINE N as_number(const X &x) {
  if constexpr (std::is_same<N, double>::value) {
    return admpi::value(x);
  } else {
    return x;
  }
}

#define ADMPI_TANGENT_OP(name)                                                            \
  struct tangent_##name {                                                                 \
    static tangent<double> value(const tangent<double> &x) { return admpi::name(x); }     \
    template <class X>                                                                    \
    ADMPI_ALWAYS_INLINE static auto partial(const X &x, const X &y) {                     \
      using N = slope_number<op_##name, X>;                                               \
      return moved(partial_##name<N>(as_number<N>(x), as_number<N>(y)), x);               \
    }                                                                                     \
  };
ADMPI_TANGENT_OP(square)
ADMPI_TANGENT_OP(inv)
ADMPI_STD_UNARY(ADMPI_TANGENT_OP)
ADMPI_SPECIAL_UNARY(ADMPI_TANGENT_OP)
#undef ADMPI_TANGENT_OP

#define ADMPI_TANGENT_OP(name)                                                                              \
  struct tangent_##name {                                                                                   \
    template <class A, class B>                                                                             \
    static tangent<double> value(const A &a, const B &b) {                                                  \
      return admpi::name(a, b);                                                                             \
    }                                                                                                       \
    template <class A, class B, class Y>                                                                    \
    ADMPI_ALWAYS_INLINE static auto partial_1(const A &a, const B &b, const Y &y) {                         \
      using N = slope_number<op_##name, Y>;                                                                 \
      return moved(partial_1_##name<N>(as_number<N>(a), as_number<N>(b), as_number<N>(y)), a, b);           \
    }                                                                                                       \
    template <class A, class B, class Y>                                                                    \
    ADMPI_ALWAYS_INLINE static auto partial_2(const A &a, const B &b, const Y &y) {                         \
      using N = slope_number<op_##name, Y>;                                                                 \
      return moved(partial_2_##name<N>(as_number<N>(a), as_number<N>(b), as_number<N>(y)), a, b);           \
    }                                                                                                       \
  };
ADMPI_STD_BINARY(ADMPI_TANGENT_OP)
ADMPI_SPECIAL_BINARY(ADMPI_TANGENT_OP)
#undef ADMPI_TANGENT_OP

/// Operands beside a `tangent<var>` that do not depend on the direction.
template <class U>
using if_fixed_beside = std::enable_if_t<std::is_convertible<U, var>::value, int>;

}  // namespace detail

#define ADMPI_TANGENT_BINARY_NAMED(name, op)                                                               \
  template <int..., class L, class R>                                                                      \
  ADMPI_ALWAYS_INLINE auto name(const tangent_expression<L> &l, const tangent_expression<R> &r) {          \
    return detail::join_tangents<detail::op>(detail::kept_tangent(l), detail::kept_tangent(r));            \
  }                                                                                                        \
  template <int..., class L, class U, detail::if_fixed_beside<U> = 0>                                      \
  ADMPI_ALWAYS_INLINE auto name(const tangent_expression<L> &l, const U &r) {                              \
    return detail::join_tangents<detail::op>(detail::kept_tangent(l), detail::kept_fixed(r));              \
  }                                                                                                        \
  template <int..., class U, class R, detail::if_fixed_beside<U> = 0>                                      \
  ADMPI_ALWAYS_INLINE auto name(const U &l, const tangent_expression<R> &r) {                              \
    return detail::join_tangents<detail::op>(detail::kept_fixed(l), detail::kept_tangent(r));              \
  }
#define ADMPI_TANGENT_BINARY(name) ADMPI_TANGENT_BINARY_NAMED(name, tangent_##name)
#define ADMPI_TANGENT_UNARY_NAMED(name, op)                                  \
  template <class A>                                                         \
  ADMPI_ALWAYS_INLINE auto name(const tangent_expression<A> &a) {            \
    return detail::tangent_of<detail::op>(detail::kept_tangent(a));          \
  }
#define ADMPI_TANGENT_UNARY(name) ADMPI_TANGENT_UNARY_NAMED(name, tangent_##name)

ADMPI_TANGENT_BINARY_NAMED(operator+, tangent_add)
ADMPI_TANGENT_BINARY_NAMED(operator-, tangent_sub)
ADMPI_TANGENT_BINARY_NAMED(operator*, tangent_mul)
ADMPI_TANGENT_BINARY_NAMED(operator/, tangent_div)
ADMPI_TANGENT_UNARY_NAMED(operator-, tangent_neg)
ADMPI_TANGENT_UNARY_NAMED(fabs, tangent_abs)
ADMPI_TANGENT_UNARY(square)
ADMPI_TANGENT_UNARY(inv)
ADMPI_STD_UNARY(ADMPI_TANGENT_UNARY)
ADMPI_SPECIAL_UNARY(ADMPI_TANGENT_UNARY)
ADMPI_STD_BINARY(ADMPI_TANGENT_BINARY)
ADMPI_SPECIAL_BINARY(ADMPI_TANGENT_BINARY)
#undef ADMPI_TANGENT_UNARY
#undef ADMPI_TANGENT_UNARY_NAMED
#undef ADMPI_TANGENT_BINARY
#undef ADMPI_TANGENT_BINARY_NAMED

template <class E>
ADMPI_ALWAYS_INLINE E operator+(const tangent_expression<E> &e) {
  return e.self();
}

// The operand that is chosen, which is recorded if it is an expression. The other is not.
#define ADMPI_TANGENT_CHOICE(name, condition)                                                                    \
  template <int..., class L, class R>                                                                            \
  tangent<var> name(const tangent_expression<L> &l, const tangent_expression<R> &r) {                            \
    return detail::op_##name::first(value(l), value(r)) ? tangent<var>(l.self()) : tangent<var>(r.self());       \
  }                                                                                                              \
  template <int..., class L, class U, detail::if_fixed_beside<U> = 0>                                            \
  tangent<var> name(const tangent_expression<L> &l, const U &r) {                                                \
    return detail::op_##name::first(value(l), value(r)) ? tangent<var>(l.self()) : tangent<var>(r);              \
  }                                                                                                              \
  template <int..., class U, class R, detail::if_fixed_beside<U> = 0>                                            \
  tangent<var> name(const U &l, const tangent_expression<R> &r) {                                                \
    return detail::op_##name::first(value(l), value(r)) ? tangent<var>(l) : tangent<var>(r.self());              \
  }
ADMPI_STD_CHOICE(ADMPI_TANGENT_CHOICE)
#undef ADMPI_TANGENT_CHOICE

#define ADMPI_TANGENT_FLAT(name)                              \
  template <class E>                                          \
  tangent<var> name(const tangent_expression<E> &e) {         \
    return tangent<var>(std::name(value(e)));                 \
  }
ADMPI_STD_FLAT(ADMPI_TANGENT_FLAT)
#undef ADMPI_TANGENT_FLAT

#define ADMPI_TANGENT_CLASSIFY(name)                          \
  template <class E>                                          \
  auto name(const tangent_expression<E> &e) {                 \
    return std::name(value(e));                               \
  }
ADMPI_STD_CLASSIFY(ADMPI_TANGENT_CLASSIFY)
#undef ADMPI_TANGENT_CLASSIFY

#define ADMPI_TANGENT_COMPARISON(op)                                                                             \
  template <class L, class R>                                                                                    \
  ADMPI_ALWAYS_INLINE bool operator op(const tangent_expression<L> &l, const tangent_expression<R> &r) {         \
    return value(l) op value(r);                                                                                 \
  }                                                                                                              \
  template <class L, class U, detail::if_fixed_beside<U> = 0>                                                    \
  ADMPI_ALWAYS_INLINE bool operator op(const tangent_expression<L> &l, const U &r) {                             \
    return value(l) op value(r);                                                                                 \
  }                                                                                                              \
  template <class U, class R, detail::if_fixed_beside<U> = 0>                                                    \
  ADMPI_ALWAYS_INLINE bool operator op(const U &l, const tangent_expression<R> &r) {                             \
    return value(l) op value(r);                                                                                 \
  }
ADMPI_TANGENT_COMPARISON(<)
ADMPI_TANGENT_COMPARISON(>)
ADMPI_TANGENT_COMPARISON(<=)
ADMPI_TANGENT_COMPARISON(>=)
ADMPI_TANGENT_COMPARISON(==)
ADMPI_TANGENT_COMPARISON(!=)
#undef ADMPI_TANGENT_COMPARISON

// Of expressions these are functions of their values.
template <class E, class U, std::enable_if_t<std::is_convertible<U, tangent<var>>::value, int> = 0>
tangent<var> copysign(const tangent_expression<E> &x, const U &y) {
  return copysign(tangent<var>(x.self()), y);
}
template <class E>
tangent<var> copysign(double x, const tangent_expression<E> &y) {
  return std::copysign(x, value(y));
}
#define ADMPI_TANGENT_WITH(name, type)                                \
  template <class E>                                                  \
  tangent<var> name(const tangent_expression<E> &x, type other) {     \
    return name(tangent<var>(x.self()), other);                       \
  }
ADMPI_TANGENT_WITH(ldexp, int)
ADMPI_TANGENT_WITH(scalbn, int)
ADMPI_TANGENT_WITH(scalbln, long)
ADMPI_TANGENT_WITH(frexp, int *)
#undef ADMPI_TANGENT_WITH
template <class E, class Integer>
tangent<var> modf(const tangent_expression<E> &x, Integer *integral) {
  return modf(tangent<var>(x.self()), integral);
}

template <class T, int N>
template <class E, detail::if_recorded<E, T>>
ADMPI_ALWAYS_INLINE tangent<T, N>::tangent(const E &e) {
  detail::record_tangent(e, *this);
}
template <class T, int N>
template <class E, detail::if_recorded<E, T>>
ADMPI_ALWAYS_INLINE tangent<T, N> &tangent<T, N>::operator=(const E &e) {
  detail::record_tangent(e, *this);
  return *this;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
