// admpi: forward mode. tangent<double> carries a directional derivative, tangent<double, 4> those along 4 directions. Tangents nest
// (tangent<tangent<double>>) and combine with the tape (tangent<var>, whose reverse sweep gives a Hessian times a vector).
#ifndef ADMPI_TANGENT_HPP
#define ADMPI_TANGENT_HPP

#include "admpi/functions.hpp"

/// The following loop is to be unrolled. nvcc does not know the hint.
#if defined(__NVCC__)
#define ADMPI_UNROLLED
#else
#define ADMPI_UNROLLED _Pragma("GCC unroll 16")
#endif

namespace admpi {
inline namespace ADMPI_NAMESPACE {

template <class T, int N = 1>
struct tangent;

/// N numbers side by side: the derivatives of a `tangent<T, N>`. Zero unless set, each by its direction: `x.derivative[k]`.
template <class T, int N>
struct directions {
  T along[static_cast<unsigned>(N)] = {};

  constexpr T &operator[](int k) { return along[k]; }
  constexpr const T &operator[](int k) const { return along[k]; }
  static constexpr int size() { return N; }
  constexpr T *begin() { return along; }
  constexpr T *end() { return along + N; }
  constexpr const T *begin() const { return along; }
  constexpr const T *end() const { return along + N; }

  ADMPI_ALWAYS_INLINE constexpr directions &operator+=(const directions &x) { return *this = *this + x; }
};

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
template <class T, int N = 1>
using eager = std::enable_if_t<!std::is_same<T, var>::value, tangent<T, N>>;

/// The type of a derivative.
template <class T, int N>
using derivative_of = std::conditional_t<N == 1, T, directions<T, N>>;

/// As many doubles as an instruction takes.
#ifdef __AVX__
inline constexpr int lanes = 4;
#else
inline constexpr int lanes = 2;
#endif
typedef double lanes_of_doubles __attribute__((vector_size(lanes * sizeof(double))));

ADMPI_ALWAYS_INLINE lanes_of_doubles lanes_at(const double *x) {
  lanes_of_doubles y;
  __builtin_memcpy(&y, x, sizeof y);
  return y;
}

/// f of a derivative: of each number of it.
template <class F, class T>
ADMPI_ALWAYS_INLINE constexpr T one_by_one(F f, const T &x) {
  return f(x);
}
template <class F, class T, int N>
ADMPI_ALWAYS_INLINE constexpr directions<T, N> one_by_one(F f, const directions<T, N> &x) {
  directions<T, N> y;
  for (int k = 0; k < N; ++k) y[k] = f(x[k]);
  return y;
}

/// f of each direction. Of doubles f takes several at once: compilers do not see by themselves that they could.
template <class F, class T, int N, class... More>
ADMPI_ALWAYS_INLINE directions<T, N> each(F f, const directions<T, N> &x, const More &...more) {
  directions<T, N> y;
  int k = 0;
  if constexpr (std::is_same<T, double>::value) {
    ADMPI_UNROLLED
    for (; k + lanes <= N; k += lanes) {
      const lanes_of_doubles z = f(lanes_at(x.along + k), lanes_at(more.along + k)...);
      __builtin_memcpy(y.along + k, &z, sizeof z);
    }
  }
  ADMPI_UNROLLED
  for (; k < N; ++k) y[k] = f(x[k], more[k]...);
  return y;
}

}  // namespace detail

template <class T, int N>
struct tangent : detail::tangent_base<T> {
  static_assert(N >= 1, "a tangent has one direction or more");
  static_assert(N == 1 || !std::is_same<T, var>::value,
                "tangent<var> has one direction; a sweep of its tape takes up to 16: tape.set_width");
  using derivative_type = detail::derivative_of<T, N>;

  T value;
  derivative_type derivative;

  ADMPI_ALWAYS_INLINE constexpr tangent() : value(0.0), derivative() {}
  /// A constant: everything that converts to T.
  template <class U, std::enable_if_t<std::is_convertible<U, T>::value, int> = 0>
  ADMPI_ALWAYS_INLINE constexpr tangent(const U &x) : value(static_cast<T>(x)), derivative() {}
  ADMPI_ALWAYS_INLINE constexpr tangent(const T &x, const derivative_type &dx) : value(x), derivative(dx) {}
  /// An expression, by a statement for its value and one for its derivative.
  template <class E, detail::if_recorded<E, T> = 0>
  ADMPI_ALWAYS_INLINE tangent(const E &e);
  template <class E, detail::if_recorded<E, T> = 0>
  ADMPI_ALWAYS_INLINE tangent &operator=(const E &e);

  template <class U>
  ADMPI_ALWAYS_INLINE tangent &operator+=(const U &x) {
    return *this = *this + x;
  }
  template <class U>
  ADMPI_ALWAYS_INLINE tangent &operator-=(const U &x) {
    return *this = *this - x;
  }
  template <class U>
  ADMPI_ALWAYS_INLINE tangent &operator*=(const U &x) {
    return *this = *this * x;
  }
  template <class U>
  ADMPI_ALWAYS_INLINE tangent &operator/=(const U &x) {
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
  template <class Integer, std::enable_if_t<std::is_integral<Integer>::value, int> = 0>
  constexpr explicit operator Integer() const {
    return static_cast<Integer>(value);
  }
  template <class F, std::enable_if_t<std::is_floating_point<F>::value, int> = 0>
  explicit operator F() const = delete;  // it would lose the derivative: for the value alone write admpi::value(x)
};

/// The primal value, below all levels of nesting.
template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr double value(const tangent<T, N> &x) {
  return value(x.value);
}
template <class E>
ADMPI_ALWAYS_INLINE double value(const tangent_expression<E> &e) {
  return e.self().value.value;
}

/// The directional derivative, or those of all directions.
template <class T, int N>
constexpr const detail::derivative_of<T, N> &derivative(const tangent<T, N> &x) {
  return x.derivative;
}
template <class E>
var derivative(const tangent_expression<E> &e) {
  return e.self().derivative;
}
template <class T, int N, class D, std::enable_if_t<std::is_convertible<D, detail::derivative_of<T, N>>::value, int> = 0>
constexpr void set_derivative(tangent<T, N> &x, const D &direction) {
  x.derivative = direction;
}

namespace detail {

/// A plain operand of a tangent<T, N>: kept apart, since a zero derivative must not meet an infinite partial.
template <class U, class T>
using if_constant = std::enable_if_t<std::is_convertible<U, T>::value, int>;

/// Whether it is zero, and has no derivative that is not.
inline bool is_nothing(double x) { return x == 0.0; }
inline bool is_nothing(const var &x) { return x.value == 0.0 && x.id == 0; }
template <class T, int N>
bool is_nothing(const directions<T, N> &x);
template <class T, int N>
bool is_nothing(const tangent<T, N> &x) {
  return is_nothing(x.value) && is_nothing(x.derivative);
}
template <class T, int N>
bool is_nothing(const directions<T, N> &x) {
  for (const T &one : x) {
    if (!is_nothing(one)) return false;
  }
  return true;
}

/// A partial derivative in a direction: a direction of zero takes no part, whatever the partial derivative.
template <class T>
ADMPI_ALWAYS_INLINE T along(const T &partial, const T &direction) {
  if (is_nothing(direction)) return T(0.0);
  return partial * direction;
}
template <class T, int N>
ADMPI_ALWAYS_INLINE directions<T, N> along(const T &partial, const directions<T, N> &direction) {
  if constexpr (std::is_same<T, double>::value) {
    if (__builtin_expect(partial - partial == 0.0, 1)) return each([&](const auto &x) { return partial * x; }, direction);
  }
  return one_by_one([&](const T &x) { return along(partial, x); }, direction);
}

/// A plain factor of directions: of doubles as one, since several at once take no other number of 8 bytes.
template <class T, class U>
ADMPI_ALWAYS_INLINE decltype(auto) factor(const U &x) {
  if constexpr (std::is_same<T, double>::value) {
    return static_cast<double>(x);
  } else {
    return (x);
  }
}

}  // namespace detail

// Of all directions at once.
template <class T, int N>
ADMPI_ALWAYS_INLINE directions<T, N> operator-(const directions<T, N> &a) {
  return detail::each([](const auto &x) { return -x; }, a);
}
template <class T, int N>
ADMPI_ALWAYS_INLINE directions<T, N> operator+(const directions<T, N> &a, const directions<T, N> &b) {
  return detail::each([](const auto &x, const auto &y) { return x + y; }, a, b);
}
template <class T, int N>
ADMPI_ALWAYS_INLINE directions<T, N> operator-(const directions<T, N> &a, const directions<T, N> &b) {
  return detail::each([](const auto &x, const auto &y) { return x - y; }, a, b);
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE directions<T, N> operator*(const directions<T, N> &a, const U &b) {
  const auto &factor = detail::factor<T>(b);
  return detail::each([&](const auto &x) { return x * factor; }, a);
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE directions<T, N> operator*(const U &a, const directions<T, N> &b) {
  const auto &factor = detail::factor<T>(a);
  return detail::each([&](const auto &x) { return factor * x; }, b);
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE directions<T, N> operator/(const directions<T, N> &a, const U &b) {
  const auto &factor = detail::factor<T>(b);
  return detail::each([&](const auto &x) { return x / factor; }, a);
}

template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator+(const tangent<T, N> &a) {
  return a;
}
template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator-(const tangent<T, N> &a) {
  return {T(-a.value), detail::derivative_of<T, N>(-a.derivative)};
}

template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator+(const tangent<T, N> &a, const tangent<T, N> &b) {
  return {T(a.value + b.value), detail::derivative_of<T, N>(a.derivative + b.derivative)};
}
template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator-(const tangent<T, N> &a, const tangent<T, N> &b) {
  return {T(a.value - b.value), detail::derivative_of<T, N>(a.derivative - b.derivative)};
}
template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator*(const tangent<T, N> &a, const tangent<T, N> &b) {
  return {T(a.value * b.value), detail::derivative_of<T, N>(a.derivative * b.value + a.value * b.derivative)};
}
template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator/(const tangent<T, N> &a, const tangent<T, N> &b) {
  const T y = a.value / b.value;
  return {y, detail::derivative_of<T, N>((a.derivative - y * b.derivative) / b.value)};
}

template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator+(const tangent<T, N> &a, const U &b) {
  return {T(a.value + b), a.derivative};
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator+(const U &a, const tangent<T, N> &b) {
  return {T(a + b.value), b.derivative};
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator-(const tangent<T, N> &a, const U &b) {
  return {T(a.value - b), a.derivative};
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator-(const U &a, const tangent<T, N> &b) {
  return {T(a - b.value), detail::derivative_of<T, N>(-b.derivative)};
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator*(const tangent<T, N> &a, const U &b) {
  return {T(a.value * b), detail::derivative_of<T, N>(a.derivative * b)};
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator*(const U &a, const tangent<T, N> &b) {
  return {T(a * b.value), detail::derivative_of<T, N>(a * b.derivative)};
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator/(const tangent<T, N> &a, const U &b) {
  return {T(a.value / b), detail::derivative_of<T, N>(a.derivative / b)};
}
template <class T, int N, class U, detail::if_constant<U, T> = 0>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> operator/(const U &a, const tangent<T, N> &b) {
  const T y = a / b.value;
  return {y, detail::derivative_of<T, N>(-(y * b.derivative) / b.value)};
}

#define ADMPI_TANGENT_UNARY_OF(scope, name)                            \
  template <class T, int N>                                                   \
  detail::eager<T, N> name(const tangent<T, N> &x) {                               \
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

template <class T, int N>
detail::eager<T, N> fabs(const tangent<T, N> &x) {
  return abs(x);
}
template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> square(const tangent<T, N> &x) {
  return x * x;
}
template <class T, int N>
ADMPI_ALWAYS_INLINE constexpr detail::eager<T, N> inv(const tangent<T, N> &x) {
  return 1.0 / x;
}

#define ADMPI_TANGENT_BINARY_OF(scope, name)                                                       \
  template <class T, int N>                                                                               \
  detail::eager<T, N> name(const tangent<T, N> &a, const tangent<T, N> &b) {                                      \
    using scope::name;                                                                             \
    const T y = name(a.value, b.value);                                                            \
    const T partial_1 = detail::partial_1_##name(a.value, b.value, y);                             \
    const T partial_2 = detail::partial_2_##name(a.value, b.value, y);                             \
    return {y, detail::derivative_of<T, N>(detail::along(partial_1, a.derivative) + detail::along(partial_2, b.derivative))}; \
  }                                                                                                \
  template <class T, int N, class U, detail::if_constant<U, T> = 0>                                       \
  detail::eager<T, N> name(const tangent<T, N> &a, const U &b) {                                               \
    using scope::name;                                                                             \
    const T x2 = b;                                                                                \
    const T y = name(a.value, x2);                                                                 \
    const T partial = detail::partial_1_##name(a.value, x2, y);                                    \
    return {y, detail::along(partial, a.derivative)};                                              \
  }                                                                                                \
  template <class T, int N, class U, detail::if_constant<U, T> = 0>                                       \
  detail::eager<T, N> name(const U &a, const tangent<T, N> &b) {                                               \
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
  template <int..., class T, int N>                                          \
  tangent<T, N> name(const tangent<T, N> &a, const tangent<T, N> &b) {         \
    return detail::op_##name::first(value(a), value(b)) ? a : b;      \
  }                                                                   \
  template <int..., class T, int N, class U, detail::if_constant<U, T> = 0>  \
  tangent<T, N> name(const tangent<T, N> &a, const U &b) {                  \
    return name(a, tangent<T, N>(b));                                    \
  }                                                                   \
  template <int..., class T, int N, class U, detail::if_constant<U, T> = 0>  \
  tangent<T, N> name(const U &a, const tangent<T, N> &b) {                  \
    return name(tangent<T, N>(a), b);                                    \
  }
ADMPI_STD_CHOICE(ADMPI_TANGENT_CHOICE)
#undef ADMPI_TANGENT_CHOICE

template <class T, int N, class U, std::enable_if_t<std::is_convertible<U, tangent<T, N>>::value, int> = 0>
tangent<T, N> copysign(const tangent<T, N> &x, const U &y) {
  using std::copysign;
  const T z = copysign(x.value, value(y));
  using D = detail::derivative_of<T, N>;
  return {z, value(x) == 0.0 ? D() : value(z) == value(x) ? x.derivative : D(-x.derivative)};
}
template <class T, int N>
tangent<T, N> copysign(double x, const tangent<T, N> &y) {
  return std::copysign(x, value(y));
}

#define ADMPI_TANGENT_FLAT(name)              \
  template <class T, int N>                          \
  tangent<T, N> name(const tangent<T, N> &x) {      \
    using std::name;                          \
    return tangent<T, N>(T(name(x.value)));      \
  }
ADMPI_STD_FLAT(ADMPI_TANGENT_FLAT)
#undef ADMPI_TANGENT_FLAT

#define ADMPI_TANGENT_CLASSIFY(name)    \
  template <class T, int N>                    \
  auto name(const tangent<T, N> &x) {      \
    return std::name(value(x));         \
  }
ADMPI_STD_CLASSIFY(ADMPI_TANGENT_CLASSIFY)
#undef ADMPI_TANGENT_CLASSIFY

namespace detail {

template <class U>
inline constexpr bool is_tangent = false;
template <class T, int N>
inline constexpr bool is_tangent<tangent<T, N>> = true;
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
template <class T, int N>
tangent<T, N> ldexp(const tangent<T, N> &x, int n) {
  using std::ldexp;
  return {T(ldexp(x.value, n)), detail::one_by_one([n](const T &one) { return T(ldexp(one, n)); }, x.derivative)};
}
template <class T, int N>
tangent<T, N> scalbn(const tangent<T, N> &x, int n) {
  return ldexp(x, n);
}
template <class T, int N>
tangent<T, N> scalbln(const tangent<T, N> &x, long n) {
  using std::scalbln;
  return {T(scalbln(x.value, n)), detail::one_by_one([n](const T &one) { return T(scalbln(one, n)); }, x.derivative)};
}

/// x / 2^n with an absolute value from 1/2 to 1.
template <class T, int N>
tangent<T, N> frexp(const tangent<T, N> &x, int *n) {
  using std::frexp;
  using std::ldexp;
  const T y = frexp(x.value, n);
  return {y, detail::one_by_one([n](const T &one) { return T(ldexp(one, -*n)); }, x.derivative)};
}

/// x without its integral part, which has no derivative.
template <class T, int N, class Integer>
tangent<T, N> modf(const tangent<T, N> &x, Integer *integral) {
  using std::modf;
  double whole;
  const auto derivative = x.derivative;
  const T y = modf(x.value, &whole);
  *integral = whole;
  return {y, derivative};
}

#define ADMPI_TANGENT_COMPARISON(op)                                     \
  template <class T, int N>                                                     \
  constexpr bool operator op(const tangent<T, N> &a, const tangent<T, N> &b) { \
    return value(a) op value(b);                                         \
  }                                                                      \
  template <class T, int N, class U, detail::if_constant<U, T> = 0>             \
  constexpr bool operator op(const tangent<T, N> &a, const U &b) {          \
    return value(a) op value(b);                                         \
  }                                                                      \
  template <class T, int N, class U, detail::if_constant<U, T> = 0>             \
  constexpr bool operator op(const U &a, const tangent<T, N> &b) {          \
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

#undef ADMPI_UNROLLED

#include "admpi/tangent_expressions.hpp"

#endif
