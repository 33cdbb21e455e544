// admpi: active floats, for programs in single precision. Not part of admpi.hpp: include it if floats are active.
//
//   admpi::float_var x = 0.1f, y = x * sin(x) + 2.0f;
//   AMPI_Send(&y, 1, AMPI_AFLOAT, 1, 0, MPI_COMM_WORLD);
//
// Values are those of the plain program, bit by bit (exceptions: docs/porting.md): an operation on floats is computed and
// rounded as a float, one on a float and a double as a double, and an assignment rounds. The tape holds partial derivatives
// and adjoints as doubles. In memory a float_var has 16 bytes, as a var has; a message has 4 bytes of it.
#ifndef ADMPI_FLOAT_HPP
#define ADMPI_FLOAT_HPP

#include <cmath>
#include <initializer_list>
#include <istream>
#include <limits>
#include <type_traits>

#include "admpi.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// An active float: an admpi_var whose value is a float.
struct float_var : float_expression<float_var>, admpi_var {
  static constexpr unsigned leaves = 1;

  constexpr float_var() noexcept : admpi_var{0.0, 0, 0} {}
  template <class N, detail::if_arithmetic<N> = 0>
  constexpr float_var(N x) noexcept : admpi_var{static_cast<float>(x), 0, 0} {}
  /// The nearest float, with the derivative of x.
  explicit float_var(const admpi_var &x) noexcept : admpi_var(admpi_to_float(x)) {}
  template <class E>
  ADMPI_ALWAYS_INLINE float_var(const expression<E> &e) : admpi_var(admpi_to_float(detail::record(e.self()))) {}

  template <class N, detail::if_arithmetic<N> = 0>
  ADMPI_ALWAYS_INLINE float_var &operator=(N x) noexcept {
    return *this = float_var(x);
  }
  template <class E>
  ADMPI_ALWAYS_INLINE float_var &operator=(const expression<E> &e) {
    static_cast<admpi_var &>(*this) = admpi_to_float(detail::record(e.self()));
    return *this;
  }

  template <class E>
  ADMPI_ALWAYS_INLINE float_var &operator+=(const E &e);
  template <class E>
  ADMPI_ALWAYS_INLINE float_var &operator-=(const E &e);
  template <class E>
  ADMPI_ALWAYS_INLINE float_var &operator*=(const E &e);
  template <class E>
  ADMPI_ALWAYS_INLINE float_var &operator/=(const E &e);
  ADMPI_ALWAYS_INLINE float_var &operator++();
  ADMPI_ALWAYS_INLINE float_var &operator--();
  ADMPI_ALWAYS_INLINE float_var operator++(int) {
    const float_var before = *this;
    ++*this;
    return before;
  }
  ADMPI_ALWAYS_INLINE float_var operator--(int) {
    const float_var before = *this;
    --*this;
    return before;
  }
};

static_assert(sizeof(float_var) == sizeof(admpi_var) && alignof(float_var) == alignof(admpi_var),
              "a float_var is an admpi_var");
static_assert(std::is_trivially_copyable<float_var>::value, "a float_var may be copied by memcpy and sent");

namespace detail {

ADMPI_ALWAYS_INLINE leaf kept(const float_var &x) noexcept { return leaf(static_cast<const admpi_var &>(x)); }

/// Of floats. What IEEE rounds once, as + and *, is the same if it is computed in double precision and then rounded.
template <class Op>
struct float_function {
  template <class... X>
  static float of(X... x) {
    return static_cast<float>(Op::value(x...));
  }
};
#define ADMPI_FUNCTION(name)                                                        \
  template <>                                                                       \
  struct float_function<op_##name> {                                                \
    static float of(double x) { return std::name(static_cast<float>(x)); }          \
  };
ADMPI_STD_UNARY(ADMPI_FUNCTION)
#undef ADMPI_FUNCTION
#define ADMPI_FUNCTION(name)                                                        \
  template <>                                                                       \
  struct float_function<op_##name> {                                                \
    static float of(double a, double b) { return std::name(static_cast<float>(a), static_cast<float>(b)); } \
  };
ADMPI_STD_BINARY(ADMPI_FUNCTION)
#undef ADMPI_FUNCTION

template <class Op>
struct in_float {
  static double value(double x) { return float_function<Op>::of(x); }
  static double value(double a, double b) { return float_function<Op>::of(a, b); }
  static double partial(double x, double y) { return Op::partial(x, y); }
  static double partial_1(double a, double b, double y) { return Op::partial_1(a, b, y); }
  static double partial_2(double a, double b, double y) { return Op::partial_2(a, b, y); }
  static bool first(double l, double r) { return Op::first(l, r); }
};

/// What an operator on a float converts to a float; a function converts only floats.
template <class N>
using if_float_or_integer = std::enable_if_t<std::is_same<N, float>::value || std::is_integral<N>::value, int>;
template <class N>
using if_float = std::enable_if_t<std::is_same<N, float>::value, int>;

template <class N>
ADMPI_ALWAYS_INLINE constant float_constant(N x) noexcept {
  return constant{static_cast<float>(x)};
}

}  // namespace detail

#define ADMPI_UNARY_NAMED(name, op)                                              \
  template <class A>                                                             \
  ADMPI_ALWAYS_INLINE auto name(const float_expression<A> &a) {                  \
    using X = std::decay_t<decltype(detail::kept(a.self()))>;                    \
    return detail::unary<detail::in_float<detail::op>, X>(detail::kept(a.self())); \
  }
#define ADMPI_UNARY(name) ADMPI_UNARY_NAMED(name, op_##name)

#define ADMPI_BINARY_NAMED(name, Node, op, if_number)                                               \
  template <int..., class L, class R>                                                               \
  ADMPI_ALWAYS_INLINE auto name(const float_expression<L> &l, const float_expression<R> &r) {       \
    return detail::join<detail::Node, detail::in_float<detail::op>>(l.self(), r.self());            \
  }                                                                                                 \
  template <int..., class L, class N, detail::if_number<N> = 0>                                     \
  ADMPI_ALWAYS_INLINE auto name(const float_expression<L> &l, N r) {                                \
    return detail::join<detail::Node, detail::in_float<detail::op>>(l.self(), detail::float_constant(r)); \
  }                                                                                                 \
  template <int..., class N, class R, detail::if_number<N> = 0>                                     \
  ADMPI_ALWAYS_INLINE auto name(N l, const float_expression<R> &r) {                                \
    return detail::join<detail::Node, detail::in_float<detail::op>>(detail::float_constant(l), r.self()); \
  }
#define ADMPI_BINARY(name) ADMPI_BINARY_NAMED(name, binary, op_##name, if_float)
#define ADMPI_CHOICE(name, condition) ADMPI_BINARY_NAMED(name, choice, op_##name, if_float)
#define ADMPI_OPERATOR(name, op) ADMPI_BINARY_NAMED(name, binary, op, if_float_or_integer)

ADMPI_FUNCTIONS(ADMPI_OPERATOR, ADMPI_UNARY_NAMED, ADMPI_UNARY, ADMPI_BINARY, ADMPI_CHOICE)

#undef ADMPI_UNARY
#undef ADMPI_UNARY_NAMED
#undef ADMPI_BINARY
#undef ADMPI_BINARY_NAMED
#undef ADMPI_CHOICE
#undef ADMPI_OPERATOR

#define ADMPI_COMPOUND(op)                                             \
  template <class E>                                                   \
  ADMPI_ALWAYS_INLINE float_var &float_var::operator op##=(const E &e) { \
    return *this = *this op e;                                         \
  }
ADMPI_COMPOUND(+)
ADMPI_COMPOUND(-)
ADMPI_COMPOUND(*)
ADMPI_COMPOUND(/)
#undef ADMPI_COMPOUND
ADMPI_ALWAYS_INLINE float_var &float_var::operator++() { return *this += 1; }
ADMPI_ALWAYS_INLINE float_var &float_var::operator--() { return *this -= 1; }

/// x with the sign of y, which counts as constant.
template <class L, class R>
ADMPI_ALWAYS_INLINE auto copysign(const float_expression<L> &x, const float_expression<R> &y) {
  return detail::join<detail::binary, detail::in_float<detail::op_copysign>>(x.self(), detail::constant{y.self().value});
}
template <class L, class N, detail::if_float<N> = 0>
ADMPI_ALWAYS_INLINE auto copysign(const float_expression<L> &x, N y) {
  return detail::join<detail::binary, detail::in_float<detail::op_copysign>>(x.self(), detail::constant{y});
}

inline float_var min(std::initializer_list<float_var> list) { return detail::first_least(list); }
inline float_var max(std::initializer_list<float_var> list) { return detail::first_greatest(list); }

// Exact but for what is too large or too small for a float.
template <class A>
float_var scalbln(const float_expression<A> &a, long n) {
  return scalbln(static_cast<const expression<A> &>(a), n);
}
template <class A>
float_var scalbn(const float_expression<A> &a, int n) {
  return scalbln(a, n);
}
template <class A>
float_var ldexp(const float_expression<A> &a, int n) {
  return scalbln(a, n);
}
template <class A>
float_var frexp(const float_expression<A> &a, int *n) {
  return frexp(static_cast<const expression<A> &>(a), n);
}
template <class A, class Integer>
float_var modf(const float_expression<A> &a, Integer *integral) {
  return modf(static_cast<const expression<A> &>(a), integral);
}

#define ADMPI_FLAT(name)                                                        \
  template <class A>                                                            \
  ADMPI_ALWAYS_INLINE float_var name(const float_expression<A> &a) noexcept {   \
    return float_var(std::name(static_cast<float>(a.self().value)));            \
  }
ADMPI_STD_FLAT(ADMPI_FLAT)
#undef ADMPI_FLAT

#define ADMPI_CLASSIFY(name)                                             \
  template <class A>                                                     \
  ADMPI_ALWAYS_INLINE auto name(const float_expression<A> &a) noexcept { \
    return std::name(static_cast<float>(a.self().value));                \
  }
ADMPI_STD_CLASSIFY(ADMPI_CLASSIFY)
#undef ADMPI_CLASSIFY

/// The primal value.
template <class E>
ADMPI_ALWAYS_INLINE float value(const float_expression<E> &e) noexcept {
  return static_cast<float>(e.self().value);
}

/// Reads a passive value.
template <class Char, class Traits>
std::basic_istream<Char, Traits> &operator>>(std::basic_istream<Char, Traits> &stream, float_var &x) {
  float value = 0.0f;
  if (stream >> value) x = value;
  return stream;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

namespace std {

template <>
struct numeric_limits<admpi::float_var> : admpi::detail::limits<admpi::float_var, float> {};

#if __cplusplus >= 202002L
namespace numbers {

#define ADMPI_NUMBER(name) \
  template <>              \
  inline constexpr admpi::float_var name##_v<admpi::float_var> = name##_v<float>;
ADMPI_EACH_NUMBER(ADMPI_NUMBER)
#undef ADMPI_NUMBER

}  // namespace numbers
#endif

// Again, since a using-declaration knows only what is declared before it.
ADMPI_ENTER_STD

}  // namespace std

#ifdef ADMPI_COMPLEX_HPP
#include "admpi/complex_floats.hpp"
#endif

#endif
