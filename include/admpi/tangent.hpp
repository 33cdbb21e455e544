// admpi: forward mode. tangent<double> carries a directional derivative; it nests (tangent<tangent<double>>) and
// combines with the tape (tangent<var>, whose reverse sweep gives a Hessian times a vector).
#ifndef ADMPI_TANGENT_HPP
#define ADMPI_TANGENT_HPP

#include "admpi/functions.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

template <class T>
struct tangent;

/// Base of `tangent<var>` and of every expression over it. An expression has the members value and derivative, which are
/// expressions of var.
template <class E>
struct tangent_expression {
  ADMPI_ALWAYS_INLINE constexpr const E &self() const noexcept { return static_cast<const E &>(*this); }
};

namespace detail {

template <class T>
struct tangent_base {};
template <>
struct tangent_base<var> : tangent_expression<tangent<var>> {};

/// Expressions over tangents, beside these themselves.
template <class U>
inline constexpr bool is_tangent_node = std::is_base_of<tangent_expression<U>, U>::value && !std::is_same<U, tangent<var>>::value;
template <class E, class T>
using if_recorded = std::enable_if_t<std::is_same<T, var>::value && is_tangent_node<E>, int>;

/// The type of an expression's value.
template <class U>
using settled = std::conditional_t<is_tangent_node<U>, tangent<var>, U>;

/// What an operator returns: a value at once, except of `tangent<var>`, for which see admpi/tangent_expressions.hpp.
template <class T>
using eager = std::enable_if_t<!std::is_same<T, var>::value, tangent<T>>;

}  // namespace detail

template <class T>
struct tangent : detail::tangent_base<T> {
  T value;
  T derivative;

  constexpr tangent() : value(0.0), derivative(0.0) {}
  /// A constant: everything that converts to T.
  template <class U, std::enable_if_t<std::is_convertible<U, T>::value, int> = 0>
  constexpr tangent(const U &x) : value(static_cast<T>(x)), derivative(0.0) {}
  constexpr tangent(const T &x, const T &dx) : value(x), derivative(dx) {}
  /// An expression, by a statement for its value and one for its derivative.
  template <class E, detail::if_recorded<E, T> = 0>
  tangent(const E &e);
  template <class E, detail::if_recorded<E, T> = 0>
  tangent &operator=(const E &e);

  template <class U>
  tangent &operator+=(const U &x) {
    return *this = *this + x;
  }
  template <class U>
  tangent &operator-=(const U &x) {
    return *this = *this - x;
  }
  template <class U>
  tangent &operator*=(const U &x) {
    return *this = *this * x;
  }
  template <class U>
  tangent &operator/=(const U &x) {
    return *this = *this / x;
  }
  tangent &operator++() { return *this += 1.0; }
  tangent &operator--() { return *this -= 1.0; }
  tangent operator++(int) {
    tangent before = *this;
    *this += 1.0;
    return before;
  }
  tangent operator--(int) {
    tangent before = *this;
    *this -= 1.0;
    return before;
  }

  /// Explicit, and only to integers, which have no derivative to lose.
  template <class I, std::enable_if_t<std::is_integral<I>::value, int> = 0>
  constexpr explicit operator I() const {
    return static_cast<I>(value);
  }
  template <class F, std::enable_if_t<std::is_floating_point<F>::value, int> = 0>
  explicit operator F() const = delete;  // it would lose the derivative: for the value alone write admpi::value(x)
};

/// The primal value, below all levels of nesting.
template <class T>
constexpr double value(const tangent<T> &x) {
  return value(x.value);
}
template <class E>
ADMPI_ALWAYS_INLINE double value(const tangent_expression<E> &e) {
  return e.self().value.value;
}

/// The directional derivative.
template <class T>
constexpr const T &derivative(const tangent<T> &x) {
  return x.derivative;
}
template <class E>
var derivative(const tangent_expression<E> &e) {
  return e.self().derivative;
}
template <class T, class D, std::enable_if_t<std::is_convertible<D, T>::value, int> = 0>
constexpr void set_derivative(tangent<T> &x, const D &direction) {
  x.derivative = direction;
}

namespace detail {

/// A plain operand of a tangent<T>: kept apart, since a zero derivative must not meet an infinite partial.
template <class U, class T>
using if_constant = std::enable_if_t<std::is_convertible<U, T>::value, int>;

/// Whether it is zero, and has no derivative that is not.
inline bool is_nothing(double x) { return x == 0.0; }
inline bool is_nothing(const var &x) { return x.value == 0.0 && x.id == 0; }
template <class T>
bool is_nothing(const tangent<T> &x) {
  return is_nothing(x.value) && is_nothing(x.derivative);
}

/// A partial derivative in a direction: a direction of zero takes no part, whatever the partial derivative.
template <class T>
T along(const T &partial, const T &direction) {
  if (is_nothing(direction)) return T(0.0);
  return partial * direction;
}

}  // namespace detail

template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator+(const tangent<T> &a) {
  return a;
}
template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator-(const tangent<T> &a) {
  return {T(-a.value), T(-a.derivative)};
}

template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator+(const tangent<T> &a, const tangent<T> &b) {
  return {T(a.value + b.value), T(a.derivative + b.derivative)};
}
template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator-(const tangent<T> &a, const tangent<T> &b) {
  return {T(a.value - b.value), T(a.derivative - b.derivative)};
}
template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator*(const tangent<T> &a, const tangent<T> &b) {
  return {T(a.value * b.value), T(a.derivative * b.value + a.value * b.derivative)};
}
template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator/(const tangent<T> &a, const tangent<T> &b) {
  const T y = a.value / b.value;
  return {y, T((a.derivative - y * b.derivative) / b.value)};
}

template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator+(const tangent<T> &a, const U &b) {
  return {T(a.value + b), a.derivative};
}
template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator+(const U &a, const tangent<T> &b) {
  return {T(a + b.value), b.derivative};
}
template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator-(const tangent<T> &a, const U &b) {
  return {T(a.value - b), a.derivative};
}
template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator-(const U &a, const tangent<T> &b) {
  return {T(a - b.value), T(-b.derivative)};
}
template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator*(const tangent<T> &a, const U &b) {
  return {T(a.value * b), T(a.derivative * b)};
}
template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator*(const U &a, const tangent<T> &b) {
  return {T(a * b.value), T(a * b.derivative)};
}
template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator/(const tangent<T> &a, const U &b) {
  return {T(a.value / b), T(a.derivative / b)};
}
template <class T, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> operator/(const U &a, const tangent<T> &b) {
  const T y = a / b.value;
  return {y, T(-(y * b.derivative) / b.value)};
}

#define ADMPI_TANGENT_UNARY_OF(scope, name)                            \
  template <class T>                                                   \
  detail::eager<T> name(const tangent<T> &x) {                               \
    using scope::name;                                                 \
    const T y = name(x.value);                                         \
    const T partial = detail::partial_##name(x.value, y);              \
    return {y, detail::along(partial, x.derivative)};                  \
  }
#define ADMPI_TANGENT_UNARY(name) ADMPI_TANGENT_UNARY_OF(std, name)
ADMPI_STD_UNARY(ADMPI_TANGENT_UNARY)
#undef ADMPI_TANGENT_UNARY
#define ADMPI_TANGENT_UNARY(name) ADMPI_TANGENT_UNARY_OF(detail, name)
ADMPI_SPECIAL_UNARY(ADMPI_TANGENT_UNARY)
#undef ADMPI_TANGENT_UNARY
#undef ADMPI_TANGENT_UNARY_OF

template <class T>
detail::eager<T> fabs(const tangent<T> &x) {
  return abs(x);
}
template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> square(const tangent<T> &x) {
  return x * x;
}
template <class T>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T> inv(const tangent<T> &x) {
  return 1.0 / x;
}

#define ADMPI_TANGENT_BINARY_OF(scope, name)                                                       \
  template <class T>                                                                               \
  detail::eager<T> name(const tangent<T> &a, const tangent<T> &b) {                                      \
    using scope::name;                                                                             \
    const T y = name(a.value, b.value);                                                            \
    const T partial_1 = detail::partial_1_##name(a.value, b.value, y);                             \
    const T partial_2 = detail::partial_2_##name(a.value, b.value, y);                             \
    return {y, T(detail::along(partial_1, a.derivative) + detail::along(partial_2, b.derivative))}; \
  }                                                                                                \
  template <class T, class U, detail::if_constant<U, T> = 0>                                       \
  detail::eager<T> name(const tangent<T> &a, const U &b) {                                               \
    using scope::name;                                                                             \
    const T x2 = b;                                                                                \
    const T y = name(a.value, x2);                                                                 \
    const T partial = detail::partial_1_##name(a.value, x2, y);                                    \
    return {y, detail::along(partial, a.derivative)};                                              \
  }                                                                                                \
  template <class T, class U, detail::if_constant<U, T> = 0>                                       \
  detail::eager<T> name(const U &a, const tangent<T> &b) {                                               \
    using scope::name;                                                                             \
    const T x1 = a;                                                                                \
    const T y = name(x1, b.value);                                                                 \
    const T partial = detail::partial_2_##name(x1, b.value, y);                                    \
    return {y, detail::along(partial, b.derivative)};                                              \
  }
#define ADMPI_TANGENT_BINARY(name) ADMPI_TANGENT_BINARY_OF(std, name)
ADMPI_STD_BINARY(ADMPI_TANGENT_BINARY)
#undef ADMPI_TANGENT_BINARY
#define ADMPI_TANGENT_BINARY(name) ADMPI_TANGENT_BINARY_OF(detail, name)
ADMPI_SPECIAL_BINARY(ADMPI_TANGENT_BINARY)
#undef ADMPI_TANGENT_BINARY
#undef ADMPI_TANGENT_BINARY_OF

// These are in std too, where code names the type: std::min<size_t>(a, 8). The packs keep such calls away.
#define ADMPI_TANGENT_CHOICE(name, condition)                         \
  template <int..., class T>                                          \
  tangent<T> name(const tangent<T> &a, const tangent<T> &b) {         \
    return detail::op_##name::first(value(a), value(b)) ? a : b;      \
  }                                                                   \
  template <int..., class T, class U, detail::if_constant<U, T> = 0>  \
  tangent<T> name(const tangent<T> &a, const U &b) {                  \
    return name(a, tangent<T>(b));                                    \
  }                                                                   \
  template <int..., class T, class U, detail::if_constant<U, T> = 0>  \
  tangent<T> name(const U &a, const tangent<T> &b) {                  \
    return name(tangent<T>(a), b);                                    \
  }
ADMPI_STD_CHOICE(ADMPI_TANGENT_CHOICE)
#undef ADMPI_TANGENT_CHOICE

template <class T, class U, std::enable_if_t<std::is_convertible<U, tangent<T>>::value, int> = 0>
tangent<T> copysign(const tangent<T> &x, const U &y) {
  using std::copysign;
  const T z = copysign(x.value, value(y));
  return {z, value(x) == 0.0 ? T(0.0) : value(z) == value(x) ? x.derivative : T(-x.derivative)};
}
template <class T>
tangent<T> copysign(double x, const tangent<T> &y) {
  return std::copysign(x, value(y));
}

#define ADMPI_TANGENT_FLAT(name)              \
  template <class T>                          \
  tangent<T> name(const tangent<T> &x) {      \
    using std::name;                          \
    return tangent<T>(T(name(x.value)));      \
  }
ADMPI_STD_FLAT(ADMPI_TANGENT_FLAT)
#undef ADMPI_TANGENT_FLAT

#define ADMPI_TANGENT_CLASSIFY(name)    \
  template <class T>                    \
  auto name(const tangent<T> &x) {      \
    return std::name(value(x));         \
  }
ADMPI_STD_CLASSIFY(ADMPI_TANGENT_CLASSIFY)
#undef ADMPI_TANGENT_CLASSIFY

namespace detail {

template <class U>
inline constexpr bool is_tangent = false;
template <class T>
inline constexpr bool is_tangent<tangent<T>> = true;
/// Of a matrix: admpi/tangent_arrays.hpp.
template <class U>
inline constexpr bool is_tangent_array = false;

template <class... U>
using if_tangents = std::enable_if_t<((is_tangent<U> || is_tangent_node<U>) || ...) && !(is_tangent_array<U> || ...), int>;

}  // namespace detail

/// a * b + c, rounded once. Any of the three may be a constant.
template <class A, class B, class C, detail::if_tangents<A, B, C> = 0>
auto fma(const A &a, const B &b, const C &c) {
  using std::fma;
  using R = detail::settled<std::decay_t<decltype(a * b + c)>>;
  const R x(a);
  const R y(b);
  R z(c);
  if constexpr (std::is_same<detail::settled<A>, R>::value) z.derivative += x.derivative * y.value;
  if constexpr (std::is_same<detail::settled<B>, R>::value) z.derivative += x.value * y.derivative;
  z.value = fma(x.value, y.value, z.value);
  return z;
}

/// The smallest or largest of a list, and of equal ones the first: min({x, y, 1.0}). For other tangents: std::min<T>({...}).
inline tangent<double> min(std::initializer_list<tangent<double>> list) { return detail::first_least(list); }
inline tangent<double> max(std::initializer_list<tangent<double>> list) { return detail::first_greatest(list); }

/// The root of the sum of three squares. Any of the three may be a constant.
template <class A, class B, class C, detail::if_tangents<A, B, C> = 0>
auto hypot(const A &a, const B &b, const C &c) {
  using std::hypot;
  return hypot(hypot(a, b), c);
}

/// x * 2^n.
template <class T>
tangent<T> ldexp(const tangent<T> &x, int n) {
  using std::ldexp;
  return {T(ldexp(x.value, n)), T(ldexp(x.derivative, n))};
}
template <class T>
tangent<T> scalbn(const tangent<T> &x, int n) {
  return ldexp(x, n);
}
template <class T>
tangent<T> scalbln(const tangent<T> &x, long n) {
  using std::scalbln;
  return {T(scalbln(x.value, n)), T(scalbln(x.derivative, n))};
}

/// x / 2^n with an absolute value from 1/2 to 1.
template <class T>
tangent<T> frexp(const tangent<T> &x, int *n) {
  using std::frexp;
  using std::ldexp;
  const T y = frexp(x.value, n);
  return {y, T(ldexp(x.derivative, -*n))};
}

/// x without its integral part, which has no derivative.
template <class T, class I>
tangent<T> modf(const tangent<T> &x, I *integral) {
  using std::modf;
  double whole;
  const T derivative = x.derivative;
  const T y = modf(x.value, &whole);
  *integral = whole;
  return {y, derivative};
}

#define ADMPI_TANGENT_COMPARISON(op)                                     \
  template <class T>                                                     \
  constexpr bool operator op(const tangent<T> &a, const tangent<T> &b) { \
    return value(a) op value(b);                                         \
  }                                                                      \
  template <class T, class U, detail::if_constant<U, T> = 0>             \
  constexpr bool operator op(const tangent<T> &a, const U &b) {          \
    return value(a) op value(b);                                         \
  }                                                                      \
  template <class T, class U, detail::if_constant<U, T> = 0>             \
  constexpr bool operator op(const U &a, const tangent<T> &b) {          \
    return value(a) op value(b);                                         \
  }
ADMPI_TANGENT_COMPARISON(<)
ADMPI_TANGENT_COMPARISON(>)
ADMPI_TANGENT_COMPARISON(<=)
ADMPI_TANGENT_COMPARISON(>=)
ADMPI_TANGENT_COMPARISON(==)
ADMPI_TANGENT_COMPARISON(!=)
#undef ADMPI_TANGENT_COMPARISON

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#include "admpi/tangent_expressions.hpp"

#endif
