// admpi: what templated code expects of a scalar in namespace std, and streams.
#ifndef ADMPI_STANDARD_HPP
#define ADMPI_STANDARD_HPP

#include <iosfwd>
#include <limits>
#if __cplusplus >= 202002L
#include <compare>
#include <numbers>
#endif

#include "admpi/tangent.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// Writes the primal value.
template <class Char, class Traits, class E>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &stream, const expression<E> &e) {
  return stream << e.self().value;
}
template <class Char, class Traits, class T, int N>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &stream, const tangent<T, N> &x) {
  return stream << x.value;
}
template <class Char, class Traits, class E>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &stream, const tangent_expression<E> &e) {
  return stream << value(e);
}
/// Reads a passive value.
template <class Char, class Traits>
std::basic_istream<Char, Traits> &operator>>(std::basic_istream<Char, Traits> &stream, var &x) {
  double value = 0.0;
  if (stream >> value) x = value;
  return stream;
}
template <class Char, class Traits, class T, int N>
std::basic_istream<Char, Traits> &operator>>(std::basic_istream<Char, Traits> &stream, tangent<T, N> &x) {
  double value = 0.0;
  if (stream >> value) x = T(value);
  return stream;
}

namespace detail {

template <class A>
inline constexpr bool is_number = is_active<A> || is_tangent<A> || is_tangent_node<A> || std::is_arithmetic<A>::value;
template <class... A>
using if_active_numbers = std::enable_if_t<(is_number<A> && ...) && !(std::is_arithmetic<A>::value && ...) &&
                                               !(is_tangent_array<A> || ...),
                                           int>;

}  // namespace detail

/// Clamps x between the bounds, like std::clamp, which needs three arguments of one type.
template <int..., class X, class L, class H, detail::if_active_numbers<X, L, H> = 0>
auto clamp(const X &x, const L &low, const H &high) {
  return min(max(x, low), high);
}
/// Of three tangents of one type std::clamp would return a reference to a value that is gone.
template <class T, int N>
tangent<T, N> clamp(const tangent<T, N> &x, const tangent<T, N> &low, const tangent<T, N> &high) {
  return x < low ? low : high < x ? high : x;
}

#if __cplusplus >= 202002L
namespace detail {

struct op_lerp {
  template <class Real>
  static Real value(Real a, Real b, Real t) {
    return std::lerp(a, b, t);
  }
  static double partial_1(double, double, double t) { return 1.0 - t; }
  static double partial_2(double, double, double t) { return t; }
  static double partial_3(double a, double b, double) { return b - a; }
};

}  // namespace detail

/// a + t * (b - a), of which any may be a plain number. The value is that of std::lerp.
template <class A, class B, class C, detail::if_factors<A, B, C> = 0>
auto lerp(const A &a, const B &b, const C &t) {
  return detail::ternary<detail::precision_of<A, B, C>, detail::op_lerp>(a, b, t);
}
template <class A, class B, class C, detail::if_tangents<A, B, C> = 0>
auto lerp(const A &a, const B &b, const C &t) {
  using std::lerp;
  using R = detail::settled<std::decay_t<decltype(a + t * (b - a))>>;
  const R x(a), y(b), s(t);
  R z(x + s * (y - x));
  z.value = lerp(x.value, y.value, s.value);
  return z;
}

/// For `auto operator<=>(const Point &) const = default`.
template <int..., class A, class B, detail::if_active_numbers<A, B> = 0>
constexpr std::partial_ordering operator<=>(const A &a, const B &b) {
  return value(a) <=> value(b);
}
#endif

namespace detail {

/// The limits of a floating-point type as passive values of an active one.
template <class T, class Real = double>
struct limits : std::numeric_limits<Real> {
  using base = std::numeric_limits<Real>;
  static constexpr T min() noexcept { return T(base::min()); }
  static constexpr T max() noexcept { return T(base::max()); }
  static constexpr T lowest() noexcept { return T(base::lowest()); }
  static constexpr T epsilon() noexcept { return T(base::epsilon()); }
  static constexpr T round_error() noexcept { return T(base::round_error()); }
  static constexpr T infinity() noexcept { return T(base::infinity()); }
  static constexpr T quiet_NaN() noexcept { return T(base::quiet_NaN()); }
  static constexpr T signaling_NaN() noexcept { return T(base::signaling_NaN()); }
  static constexpr T denorm_min() noexcept { return T(base::denorm_min()); }
};

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

namespace std {

template <>
struct numeric_limits<admpi::var> : admpi::detail::limits<admpi::var> {};
template <class T, int N>
struct numeric_limits<admpi::tangent<T, N>> : admpi::detail::limits<admpi::tangent<T, N>> {};

#if __cplusplus >= 202002L
using admpi::lerp;

namespace numbers {

#define ADMPI_EACH_NUMBER(number)                                                                       \
  number(e) number(log2e) number(log10e) number(pi) number(inv_pi) number(inv_sqrtpi) number(ln2) number(ln10) \
  number(sqrt2) number(sqrt3) number(inv_sqrt3) number(egamma) number(phi)
#define ADMPI_NUMBER(name)                                                \
  template <>                                                             \
  inline constexpr admpi::var name##_v<admpi::var> = name##_v<double>;    \
  template <class T, int N>                                               \
  inline constexpr admpi::tangent<T, N> name##_v<admpi::tangent<T, N>> = admpi::tangent<T, N>(T(name##_v<double>));
ADMPI_EACH_NUMBER(ADMPI_NUMBER)
#undef ADMPI_NUMBER

}  // namespace numbers
#endif

// Code templated on its scalar often says std::sin(x).
#define ADMPI_IN_STD(name) using admpi::name;
#define ADMPI_CHOICE_IN_STD(name, condition) using admpi::name;
#define ADMPI_ENTER_STD                                                                                              \
  ADMPI_STD_UNARY(ADMPI_IN_STD) ADMPI_STD_FLAT(ADMPI_IN_STD) ADMPI_STD_BINARY(ADMPI_IN_STD)                          \
  ADMPI_STD_CHOICE(ADMPI_CHOICE_IN_STD) ADMPI_STD_CLASSIFY(ADMPI_IN_STD) ADMPI_SPECIAL_IN_STD(ADMPI_IN_STD)          \
  ADMPI_IN_STD(fabs) ADMPI_IN_STD(fma) ADMPI_IN_STD(copysign) ADMPI_IN_STD(ldexp) ADMPI_IN_STD(scalbn)               \
  ADMPI_IN_STD(scalbln) ADMPI_IN_STD(frexp) ADMPI_IN_STD(modf) ADMPI_IN_STD(clamp)
ADMPI_ENTER_STD

}  // namespace std

#endif
