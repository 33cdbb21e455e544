// admpi: operators, comparisons and mathematical functions of expressions.
// Conventions at ties, jumps and singular points: admpi/partials.h.
#ifndef ADMPI_FUNCTIONS_HPP
#define ADMPI_FUNCTIONS_HPP

#include <cmath>
#include <initializer_list>

#include "admpi/function_lists.h"
#include "admpi/normal.h"
#include "admpi/var.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

#define ADMPI_USING(name) using std::name;
ADMPI_STD_IN_PARTIALS(ADMPI_USING)
#undef ADMPI_USING

// Of doubles.
#define ADMPI_SPECIAL_VALUE(name) \
  inline double name(double x) noexcept { return admpi_value_##name(x); }
ADMPI_SPECIAL_UNARY(ADMPI_SPECIAL_VALUE)
#undef ADMPI_SPECIAL_VALUE
#define ADMPI_SPECIAL_VALUE(name) \
  inline double name(double a, double b) noexcept { return admpi_value_##name(a, b); }
ADMPI_SPECIAL_BINARY(ADMPI_SPECIAL_VALUE)
#undef ADMPI_SPECIAL_VALUE

#define ADMPI_REAL T
#define ADMPI_SPECIAL(name) name
#define ADMPI_PARTIAL(name) \
  template <class T>        \
  ADMPI_ALWAYS_INLINE T partial_##name([[maybe_unused]] const T &x, [[maybe_unused]] const T &y)
#define ADMPI_PARTIAL_1(name, a, b)                                                                \
  template <class T>                                                                               \
  ADMPI_ALWAYS_INLINE T partial_1_##name([[maybe_unused]] const T &a, [[maybe_unused]] const T &b, \
                                         [[maybe_unused]] const T &y)
#define ADMPI_PARTIAL_2(name, a, b)                                                                \
  template <class T>                                                                               \
  ADMPI_ALWAYS_INLINE T partial_2_##name([[maybe_unused]] const T &a, [[maybe_unused]] const T &b, \
                                         [[maybe_unused]] const T &y)
#include "admpi/partials.h"

/// A plain number in an expression.
struct constant {
  static constexpr unsigned leaves = 0;
  double value;
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&, double) const noexcept {}
};

/// An operation in single precision: admpi/float.hpp.
template <class Op>
struct in_float;

/// In what an operation computes its value.
template <class Op>
struct real_of {
  using type = double;
};
template <class Op>
struct real_of<in_float<Op>> {
  using type = float;
};

template <class Op, class A>
struct unary : expression_in<typename real_of<Op>::type, unary<Op, A>> {
  static constexpr unsigned leaves = A::leaves;
  A a;
  double value;

  ADMPI_COPIED_BY_MEMBER(unary, a(other.a), value(other.value))
  ADMPI_ALWAYS_INLINE explicit unary(const A &operand) : a(operand), value(Op::value(operand.value)) {}
  /// Of element l of a chunk of an array expression, made in its place: the copies of nodes would go through memory there.
  template <class F, class Chunk>
  ADMPI_ALWAYS_INLINE unary(const F &f, const Chunk &chunk, std::int64_t l) : a(f.a, chunk, l), value(Op::value(a.value)) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    a.push(writer, p * Op::partial(a.value, value));
  }
};

template <class Op, class A, class B>
struct binary : expression_in<typename real_of<Op>::type, binary<Op, A, B>> {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  A a;
  B b;
  double value;

  ADMPI_COPIED_BY_MEMBER(binary, a(other.a), b(other.b), value(other.value))
  ADMPI_ALWAYS_INLINE binary(const A &first, const B &second)
      : a(first), b(second), value(Op::value(first.value, second.value)) {}
  template <class F, class Chunk>
  ADMPI_ALWAYS_INLINE binary(const F &f, const Chunk &chunk, std::int64_t l)
      : a(f.a, chunk, l), b(f.b, chunk, l), value(Op::value(a.value, b.value)) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    if constexpr (A::leaves != 0) a.push(writer, p * Op::partial_1(a.value, b.value, value));
    if constexpr (B::leaves != 0) b.push(behind<A::leaves>(writer), p * Op::partial_2(a.value, b.value, value));
  }
};

/// One of two operands, chosen by their values. The other is not pushed at all: its partials may be infinite.
template <class Op, class A, class B>
struct choice : expression_in<typename real_of<Op>::type, choice<Op, A, B>> {
  static constexpr unsigned leaves = A::leaves + B::leaves;
  A a;
  B b;
  bool first;
  double value;

  ADMPI_COPIED_BY_MEMBER(choice, a(other.a), b(other.b), first(other.first), value(other.value))
  ADMPI_ALWAYS_INLINE choice(const A &one, const B &other)
      : a(one), b(other), first(Op::first(one.value, other.value)), value(first ? one.value : other.value) {}
  template <class F, class Chunk>
  ADMPI_ALWAYS_INLINE choice(const F &f, const Chunk &chunk, std::int64_t l)
      : a(f.a, chunk, l), b(f.b, chunk, l), first(Op::first(a.value, b.value)), value(first ? a.value : b.value) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    if (first) a.push(writer, p);
    else b.push(behind<A::leaves>(writer), p);
  }
};

/// The operand times 2^exponent, of which a value may keep a part.
template <class A>
struct with_exponent : expression<with_exponent<A>> {
  static constexpr unsigned leaves = A::leaves;
  A a;
  int exponent;
  double value;

  ADMPI_COPIED_BY_MEMBER(with_exponent, a(other.a), exponent(other.exponent), value(other.value))
  ADMPI_ALWAYS_INLINE with_exponent(const A &x, int power, double y) : a(x), exponent(power), value(y) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    a.push(writer, std::ldexp(p, exponent));
  }
};

/// A function of three operands, computed in double precision or in single.
template <class Real, class Op, class A, class B, class C>
struct ternary_in : expression_in<Real, ternary_in<Real, Op, A, B, C>> {
  static constexpr unsigned leaves = A::leaves + B::leaves + C::leaves;
  A a;
  B b;
  C c;
  double value;

  ADMPI_COPIED_BY_MEMBER(ternary_in, a(other.a), b(other.b), c(other.c), value(other.value))
  ADMPI_ALWAYS_INLINE ternary_in(const A &x, const B &y, const C &z)
      : a(x),
        b(y),
        c(z),
        value(Op::value(static_cast<Real>(x.value), static_cast<Real>(y.value), static_cast<Real>(z.value))) {}
  template <class F, class Chunk>
  ADMPI_ALWAYS_INLINE ternary_in(const F &f, const Chunk &chunk, std::int64_t l)
      : a(f.a, chunk, l), b(f.b, chunk, l), c(f.c, chunk, l), value(Op::value(a.value, b.value, c.value)) {}
  template <class W>
  ADMPI_ALWAYS_INLINE void push(W &&writer, double p) const {
    if constexpr (A::leaves != 0) a.push(writer, p * Op::partial_1(a.value, b.value, c.value));
    if constexpr (B::leaves != 0) b.push(behind<A::leaves>(writer), p * Op::partial_2(a.value, b.value, c.value));
    if constexpr (C::leaves != 0) c.push(behind<A::leaves + B::leaves>(writer), p * Op::partial_3(a.value, b.value, c.value));
  }
};

struct op_fma {
  template <class Real>
  static Real value(Real a, Real b, Real c) {
    return std::fma(a, b, c);
  }
  static double partial_1(double, double b, double) { return b; }
  static double partial_2(double a, double, double) { return a; }
  static double partial_3(double, double, double) { return 1.0; }
};
template <class A, class B, class C>
using fused = ternary_in<double, op_fma, A, B, C>;

/// Node<Op, A, B>, with the larger operand recorded as a statement of its own if the two have too many leaves.
template <template <class, class, class> class Node, class Op, class A, class B>
ADMPI_ALWAYS_INLINE auto join(const A &a, const B &b) {
  if constexpr (A::leaves + B::leaves <= max_leaves) {
    using X = std::decay_t<decltype(kept(a))>;
    using Y = std::decay_t<decltype(kept(b))>;
    return Node<Op, X, Y>(kept(a), kept(b));
  } else if constexpr (A::leaves >= B::leaves) {
    return join<Node, Op>(var(a), b);
  } else {
    return join<Node, Op>(a, var(b));
  }
}

template <class E>
ADMPI_ALWAYS_INLINE decltype(auto) operand(const expression<E> &e) noexcept {
  return kept(e.self());
}
ADMPI_ALWAYS_INLINE constant operand(double x) noexcept { return constant{x}; }

/// An operand as a value of its own, by a statement if need be.
template <class A>
ADMPI_ALWAYS_INLINE var recorded(const A &a) {
  return var(a);
}

template <class T>
inline constexpr bool is_active = std::is_base_of<expression<T>, T>::value;

struct op_add {
  static double value(double a, double b) { return a + b; }
  static double partial_1(double, double, double) { return 1.0; }
  static double partial_2(double, double, double) { return 1.0; }
};
struct op_sub {
  static double value(double a, double b) { return a - b; }
  static double partial_1(double, double, double) { return 1.0; }
  static double partial_2(double, double, double) { return -1.0; }
};
struct op_mul {
  static double value(double a, double b) { return a * b; }
  static double partial_1(double, double b, double) { return b; }
  static double partial_2(double a, double, double) { return a; }
};
struct op_div {
  static double value(double a, double b) { return a / b; }
  static double partial_1(double a, double b, double y) { return partial_1_div(a, b, y); }
  static double partial_2(double a, double b, double y) { return partial_2_div(a, b, y); }
};
struct op_copysign {
  static double value(double a, double b) { return std::copysign(a, b); }
  static double partial_1(double a, double b, double y) { return partial_1_copysign(a, b, y); }
};
struct op_neg {
  static double value(double x) { return -x; }
  static double partial(double, double) { return -1.0; }
};
struct op_square {
  static double value(double x) { return x * x; }
  static double partial(double x, double y) { return partial_square(x, y); }
};
struct op_inv {
  static double value(double x) { return 1.0 / x; }
  static double partial(double x, double y) { return partial_inv(x, y); }
};

#define ADMPI_OP_UNARY(name, of)                                             \
  struct op_##name {                                                         \
    static double value(double x) { return of(x); }                          \
    static double partial(double x, double y) { return partial_##name(x, y); } \
  };
#define ADMPI_OP(name) ADMPI_OP_UNARY(name, std::name)
ADMPI_STD_UNARY(ADMPI_OP)
#undef ADMPI_OP
#define ADMPI_OP(name) ADMPI_OP_UNARY(name, admpi_value_##name)
ADMPI_SPECIAL_UNARY(ADMPI_OP)
#undef ADMPI_OP
#undef ADMPI_OP_UNARY

#define ADMPI_OP_BINARY(name, of)                                                                    \
  struct op_##name {                                                                                 \
    static double value(double a, double b) { return of(a, b); }                                     \
    static double partial_1(double a, double b, double y) { return partial_1_##name(a, b, y); }      \
    static double partial_2(double a, double b, double y) { return partial_2_##name(a, b, y); }      \
  };
#define ADMPI_OP(name) ADMPI_OP_BINARY(name, std::name)
ADMPI_STD_BINARY(ADMPI_OP)
#undef ADMPI_OP
#define ADMPI_OP(name) ADMPI_OP_BINARY(name, admpi_value_##name)
ADMPI_SPECIAL_BINARY(ADMPI_OP)
#undef ADMPI_OP
#undef ADMPI_OP_BINARY

#define ADMPI_OP(name, condition)                              \
  struct op_##name {                                           \
    static bool first(double l, double r) { return condition; } \
  };
ADMPI_STD_CHOICE(ADMPI_OP)
#undef ADMPI_OP

}  // namespace detail

/// All operators and functions of expressions: operators, and functions of one operand, by name and operation; functions of one
/// and of two operands by name; those that choose one of two.
#define ADMPI_FUNCTIONS(OPERATOR, UNARY_NAMED, UNARY, BINARY, CHOICE)                                            \
  OPERATOR(operator+, op_add) OPERATOR(operator-, op_sub) OPERATOR(operator*, op_mul) OPERATOR(operator/, op_div) \
  UNARY_NAMED(operator-, op_neg) UNARY_NAMED(fabs, op_abs) UNARY(square) UNARY(inv)                               \
  ADMPI_STD_UNARY(UNARY) ADMPI_STD_BINARY(BINARY) ADMPI_STD_CHOICE(CHOICE)                                        \
  ADMPI_SPECIAL_UNARY(UNARY) ADMPI_SPECIAL_BINARY(BINARY)

#define ADMPI_UNARY_NAMED(name, op)                               \
  template <class A>                                              \
  ADMPI_ALWAYS_INLINE auto name(const expression<A> &a) {         \
    using X = std::decay_t<decltype(detail::kept(a.self()))>;     \
    return detail::unary<detail::op, X>(detail::kept(a.self()));  \
  }
#define ADMPI_UNARY(name) ADMPI_UNARY_NAMED(name, op_##name)

// The packs exclude calls that name the type, such as std::max<T>(0.0, x): they mean the functions of std.
#define ADMPI_BINARY_NAMED(name, Node, op)                                            \
  template <int..., class L, class R>                                                 \
  ADMPI_ALWAYS_INLINE auto name(const expression<L> &l, const expression<R> &r) {     \
    return detail::join<detail::Node, detail::op>(l.self(), r.self());                \
  }                                                                                   \
  template <int..., class L>                                                          \
  ADMPI_ALWAYS_INLINE auto name(const expression<L> &l, double r) {                   \
    return detail::join<detail::Node, detail::op>(l.self(), detail::constant{r});     \
  }                                                                                   \
  template <int..., class R>                                                          \
  ADMPI_ALWAYS_INLINE auto name(double l, const expression<R> &r) {                   \
    return detail::join<detail::Node, detail::op>(detail::constant{l}, r.self());     \
  }
#define ADMPI_BINARY(name) ADMPI_BINARY_NAMED(name, binary, op_##name)
#define ADMPI_CHOICE(name, condition) ADMPI_BINARY_NAMED(name, choice, op_##name)
#define ADMPI_OPERATOR(name, op) ADMPI_BINARY_NAMED(name, binary, op)

ADMPI_FUNCTIONS(ADMPI_OPERATOR, ADMPI_UNARY_NAMED, ADMPI_UNARY, ADMPI_BINARY, ADMPI_CHOICE)

#undef ADMPI_UNARY
#undef ADMPI_UNARY_NAMED
#undef ADMPI_BINARY
#undef ADMPI_BINARY_NAMED
#undef ADMPI_CHOICE
#undef ADMPI_OPERATOR

template <class A>
ADMPI_ALWAYS_INLINE A operator+(const expression<A> &a) {
  return a.self();
}

namespace detail {

template <class T>
inline constexpr bool is_factor = is_active<T> || std::is_convertible<T, double>::value;

/// A float, or an expression that is one.
template <class T>
inline constexpr bool is_single = std::is_same<T, float>::value || std::is_base_of<float_expression<T>, T>::value;

template <class... A>
using if_factors = std::enable_if_t<(is_active<A> || ...) && (is_factor<A> && ...), int>;

template <class... A>
using precision_of = std::conditional_t<(is_single<A> && ...), float, double>;

template <class Real, class Op, class A, class B, class C>
ADMPI_ALWAYS_INLINE auto ternary(const A &a, const B &b, const C &c) {
  using X = std::decay_t<decltype(operand(a))>;
  using Y = std::decay_t<decltype(operand(b))>;
  using Z = std::decay_t<decltype(operand(c))>;
  if constexpr (X::leaves + Y::leaves + Z::leaves <= max_leaves) {
    return ternary_in<Real, Op, X, Y, Z>(operand(a), operand(b), operand(c));
  } else {
    return ternary<Real, Op>(recorded(a), recorded(b), recorded(c));
  }
}

}  // namespace detail

/// a * b + c, rounded once. Any of the three may be a plain number.
template <class A, class B, class C, detail::if_factors<A, B, C> = 0>
ADMPI_ALWAYS_INLINE auto fma(const A &a, const B &b, const C &c) {
  return detail::ternary<detail::precision_of<A, B, C>, detail::op_fma>(a, b, c);
}

/// x with the sign of y. It jumps where y changes sign, so y counts as constant. At x = 0 the derivative is 0, as for abs.
template <class L, class R>
ADMPI_ALWAYS_INLINE auto copysign(const expression<L> &x, const expression<R> &y) {
  return detail::join<detail::binary, detail::op_copysign>(x.self(), detail::constant{y.self().value});
}
template <class L>
ADMPI_ALWAYS_INLINE auto copysign(const expression<L> &x, double y) {
  return detail::join<detail::binary, detail::op_copysign>(x.self(), detail::constant{y});
}
template <class R>
ADMPI_ALWAYS_INLINE var copysign(double x, const expression<R> &y) noexcept {
  return var(std::copysign(x, y.self().value));
}

/// The root of the sum of three squares. Any of the three may be a plain number.
template <class A, class B, class C, detail::if_factors<A, B, C> = 0>
ADMPI_ALWAYS_INLINE auto hypot(const A &a, const B &b, const C &c) {
  using std::hypot;
  return hypot(hypot(a, b), c);
}

namespace detail {

template <class T>
const T &first_least(std::initializer_list<T> list) {
  const T *least = list.begin();
  for (const T &each : list) least = each < *least ? &each : least;
  return *least;
}
template <class T>
const T &first_greatest(std::initializer_list<T> list) {
  const T *greatest = list.begin();
  for (const T &each : list) greatest = *greatest < each ? &each : greatest;
  return *greatest;
}

}  // namespace detail

/// The smallest or largest of a list, and of equal ones the first: min({x, x * y, 1.0}).
inline var min(std::initializer_list<var> list) { return detail::first_least(list); }
inline var max(std::initializer_list<var> list) { return detail::first_greatest(list); }

/// a * 2^n.
template <class A>
ADMPI_ALWAYS_INLINE auto scalbln(const expression<A> &a, long n) {
  using X = std::decay_t<decltype(detail::kept(a.self()))>;
  const int most = n > 10000 ? 10000 : n < -10000 ? -10000 : static_cast<int>(n);
  return detail::with_exponent<X>(detail::kept(a.self()), most, std::ldexp(a.self().value, most));
}
template <class A>
ADMPI_ALWAYS_INLINE auto scalbn(const expression<A> &a, int n) {
  return scalbln(a, n);
}
template <class A>
ADMPI_ALWAYS_INLINE auto ldexp(const expression<A> &a, int n) {
  return scalbln(a, n);
}

/// a / 2^n with an absolute value from 1/2 to 1.
template <class A>
ADMPI_ALWAYS_INLINE auto frexp(const expression<A> &a, int *n) {
  using X = std::decay_t<decltype(detail::kept(a.self()))>;
  const double y = std::frexp(a.self().value, n);
  return detail::with_exponent<X>(detail::kept(a.self()), -*n, y);
}

/// a without its integral part, which is a passive value.
template <class A, class Integer>
ADMPI_ALWAYS_INLINE auto modf(const expression<A> &a, Integer *integral) {
  using X = std::decay_t<decltype(detail::kept(a.self()))>;
  double whole;
  const double y = std::modf(a.self().value, &whole);
  const detail::with_exponent<X> rest(detail::kept(a.self()), 0, y);
  *integral = whole;
  return rest;
}

// For plain numbers, functions that std lacks, for code that is templated on its scalar.
constexpr double square(double x) noexcept { return x * x; }
constexpr double inv(double x) noexcept { return 1.0 / x; }
#define ADMPI_USING(name) using detail::name;
ADMPI_SPECIAL_OWN(ADMPI_USING)
#undef ADMPI_USING

// Piecewise constant: a passive value.
#define ADMPI_FLAT(name)                                              \
  template <class A>                                                  \
  ADMPI_ALWAYS_INLINE var name(const expression<A> &a) noexcept {     \
    return var(std::name(a.self().value));                            \
  }
ADMPI_STD_FLAT(ADMPI_FLAT)
#undef ADMPI_FLAT

#define ADMPI_CLASSIFY(name)                                          \
  template <class A>                                                  \
  ADMPI_ALWAYS_INLINE auto name(const expression<A> &a) noexcept {    \
    return std::name(a.self().value);                                 \
  }
ADMPI_STD_CLASSIFY(ADMPI_CLASSIFY)
#undef ADMPI_CLASSIFY

#define ADMPI_COMPARISON(op)                                                                      \
  template <class L, class R>                                                                     \
  ADMPI_ALWAYS_INLINE bool operator op(const expression<L> &l, const expression<R> &r) noexcept { \
    return l.self().value op r.self().value;                                                      \
  }                                                                                               \
  template <class L>                                                                              \
  ADMPI_ALWAYS_INLINE bool operator op(const expression<L> &l, double r) noexcept {               \
    return l.self().value op r;                                                                   \
  }                                                                                               \
  template <class R>                                                                              \
  ADMPI_ALWAYS_INLINE bool operator op(double l, const expression<R> &r) noexcept {               \
    return l op r.self().value;                                                                   \
  }
ADMPI_COMPARISON(<)
ADMPI_COMPARISON(>)
ADMPI_COMPARISON(<=)
ADMPI_COMPARISON(>=)
ADMPI_COMPARISON(==)
ADMPI_COMPARISON(!=)
#undef ADMPI_COMPARISON

#define ADMPI_COMPOUND(op)                                                  \
  template <class E>                                                        \
  ADMPI_ALWAYS_INLINE var &var::operator op##=(const expression<E> &e) {    \
    return *this = *this op e;                                              \
  }                                                                         \
  ADMPI_ALWAYS_INLINE var &var::operator op##=(double x) { return *this = *this op x; }
ADMPI_COMPOUND(+)
ADMPI_COMPOUND(-)
ADMPI_COMPOUND(*)
ADMPI_COMPOUND(/)
#undef ADMPI_COMPOUND

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
