// admpi: std::complex of active types. Not part of admpi.hpp: include it, before anything uses them, if complex numbers are active.
//
//   std::complex<admpi::var> z(x, y);
//   admpi::var energy = norm(2.0 * z + std::complex<double>(0.0, 1.0) * exp(z));
//
// The standard leaves std::complex of other than floating-point types unspecified. That of libstdc++ and of libc++ takes no plain number
// in place of a complex one. The classes here do. Most functions on them are those of the standard library, which need only their members.
// The others are here: operators with plain numbers, and functions that compute the type of their result. libc++ calls those on
// floating-point types by their names in std: with it, abs, exp and what else computes by real functions do not compile.
#ifndef ADMPI_COMPLEX_HPP
#define ADMPI_COMPLEX_HPP

#include "admpi.hpp"

#include <complex>

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// std::complex of an active type: the members of that of double. Numbers and expressions convert to it, as a double does to that one.
template <class T>
class complex_number {
  using complex = std::complex<T>;
  template <class... N>
  using if_numbers = std::enable_if_t<(std::is_convertible<N, T>::value && ...), int>;
  template <class D>
  using if_others = std::enable_if_t<!std::is_same<D, T>::value && std::is_convertible<D, T>::value, int>;

  T real_, imag_;

  complex &self() { return static_cast<complex &>(*this); }

 public:
  using value_type = T;

  constexpr complex_number() : real_(0.0), imag_(0.0) {}
  template <class N, if_numbers<N> = 0>
  constexpr complex_number(const N &x) : real_(x), imag_(0.0) {}
  template <class X, class Y, if_numbers<X, Y> = 0>
  constexpr complex_number(const X &x, const Y &y) : real_(x), imag_(y) {}
  template <class D, if_others<D> = 0>
  constexpr complex_number(const std::complex<D> &z) : real_(z.real()), imag_(z.imag()) {}

  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  void real(const T &x) { real_ = x; }
  void imag(const T &y) { imag_ = y; }
#ifdef __GLIBCXX__
  // What its functions compute with.
  constexpr complex __rep() const { return static_cast<const complex &>(*this); }
#endif

  template <class N, if_numbers<N> = 0>
  complex &operator+=(const N &x) {
    real_ += x;
    return self();
  }
  template <class N, if_numbers<N> = 0>
  complex &operator-=(const N &x) {
    real_ -= x;
    return self();
  }
  template <class N, if_numbers<N> = 0>
  complex &operator*=(const N &x) {
    real_ *= x;
    imag_ *= x;
    return self();
  }
  template <class N, if_numbers<N> = 0>
  complex &operator/=(const N &x) {
    real_ /= x;
    imag_ /= x;
    return self();
  }
  template <class D>
  complex &operator+=(const std::complex<D> &z) {
    real_ += z.real();
    imag_ += z.imag();
    return self();
  }
  template <class D>
  complex &operator-=(const std::complex<D> &z) {
    real_ -= z.real();
    imag_ -= z.imag();
    return self();
  }
  template <class D>
  complex &operator*=(const std::complex<D> &z) {
    const T x = real_ * z.real() - imag_ * z.imag();
    imag_ = real_ * z.imag() + imag_ * z.real();
    real_ = x;
    return self();
  }
  template <class D>
  complex &operator/=(const std::complex<D> &z) {
    const T x = real_ * z.real() + imag_ * z.imag();
    const D n = z.real() * z.real() + z.imag() * z.imag();
    imag_ = (imag_ * z.real() - real_ * z.imag()) / n;
    real_ = x / n;
    return self();
  }
};

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

namespace std {

template <>
class complex<admpi::var> : public admpi::detail::complex_number<admpi::var> {
 public:
  using admpi::detail::complex_number<admpi::var>::complex_number;
};

template <class T, int N>
class complex<admpi::tangent<T, N>> : public admpi::detail::complex_number<admpi::tangent<T, N>> {
 public:
  using admpi::detail::complex_number<admpi::tangent<T, N>>::complex_number;
};

}  // namespace std

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

template <>
inline constexpr std::size_t actives_in<std::complex<var>> = 2;

template <class T>
inline constexpr bool is_real = std::is_same<T, var>::value || std::is_same<T, float_var>::value || is_tangent<T>;

/// An active type, and what it is computed with besides itself: plain numbers and expressions.
template <class T, class N>
using if_mixed = std::enable_if_t<is_real<T> && !std::is_same<T, N>::value && std::is_convertible<N, T>::value, int>;
template <class T>
using if_real = std::enable_if_t<is_real<T>, int>;

template <class E>
inline constexpr bool is_float = std::is_base_of<float_expression<E>, E>::value;

/// The passive numbers that an active type is computed with: doubles, and floats if it is one.
template <class D, class T>
using if_passive =
    std::enable_if_t<std::is_same<D, double>::value || (std::is_same<D, float>::value && is_float<T>), int>;

/// What an expression is a value of; of a modulus and an argument the active type.
template <class R, class A = R>
using real_type =
    std::conditional_t<is_tangent<settled<R>>, settled<R>,
                       std::conditional_t<is_tangent<settled<A>>, settled<A>,
                                          std::conditional_t<(is_float<R> || std::is_arithmetic<R>::value) &&
                                                                 (is_float<A> || std::is_arithmetic<A>::value),
                                                             float_var, var>>>;

}  // namespace detail

template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator+(const std::complex<T> &z, const N &x) {
  return {T(z.real() + x), z.imag()};
}
template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator+(const N &x, const std::complex<T> &z) {
  return {T(x + z.real()), z.imag()};
}
template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator-(const std::complex<T> &z, const N &x) {
  return {T(z.real() - x), z.imag()};
}
template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator-(const N &x, const std::complex<T> &z) {
  return {T(x - z.real()), T(-z.imag())};
}
template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator*(const std::complex<T> &z, const N &x) {
  return {T(z.real() * x), T(z.imag() * x)};
}
template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator*(const N &x, const std::complex<T> &z) {
  return {T(x * z.real()), T(x * z.imag())};
}
template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator/(const std::complex<T> &z, const N &x) {
  return {T(z.real() / x), T(z.imag() / x)};
}
template <class T, class N, detail::if_mixed<T, N> = 0>
std::complex<T> operator/(const N &x, const std::complex<T> &z) {
  return T(x) / z;
}
template <class T, class N, detail::if_mixed<T, N> = 0>
bool operator==(const std::complex<T> &z, const N &x) {
  return z.real() == x && z.imag() == 0.0;
}
template <class T, class N, detail::if_mixed<T, N> = 0>
bool operator==(const N &x, const std::complex<T> &z) {
  return z == x;
}
template <class T, class N, detail::if_mixed<T, N> = 0>
bool operator!=(const std::complex<T> &z, const N &x) {
  return !(z == x);
}
template <class T, class N, detail::if_mixed<T, N> = 0>
bool operator!=(const N &x, const std::complex<T> &z) {
  return !(z == x);
}

// With passive complex numbers, and these with active real ones: c * z, 1i * x. Their type is deduced, since a plain number
// would convert to it.
#define ADMPI_COMPLEX(R, op)                                                                           \
  template <class T, class D, detail::if_real<T> = 0, detail::if_passive<D, T> = 0>                    \
  R operator op(const std::complex<T> &z, const std::complex<D> &c) {                                  \
    return z op std::complex<T>(c);                                                                    \
  }                                                                                                    \
  template <class T, class D, detail::if_real<T> = 0, detail::if_passive<D, T> = 0>                    \
  R operator op(const std::complex<D> &c, const std::complex<T> &z) {                                  \
    return std::complex<T>(c) op z;                                                                    \
  }
ADMPI_COMPLEX(std::complex<T>, +)
ADMPI_COMPLEX(std::complex<T>, -)
ADMPI_COMPLEX(std::complex<T>, *)
ADMPI_COMPLEX(std::complex<T>, /)
ADMPI_COMPLEX(bool, ==)
ADMPI_COMPLEX(bool, !=)
#undef ADMPI_COMPLEX
#define ADMPI_COMPLEX(op)                                                                              \
  template <class N, class D, detail::if_active_numbers<N> = 0, detail::if_passive<D, N> = 0>          \
  std::complex<detail::real_type<N>> operator op(const std::complex<D> &c, const N &x) {               \
    return std::complex<detail::real_type<N>>(c) op detail::real_type<N>(x);                           \
  }                                                                                                    \
  template <class N, class D, detail::if_active_numbers<N> = 0, detail::if_passive<D, N> = 0>          \
  std::complex<detail::real_type<N>> operator op(const N &x, const std::complex<D> &c) {               \
    return detail::real_type<N>(x) op std::complex<detail::real_type<N>>(c);                           \
  }
ADMPI_COMPLEX(+)
ADMPI_COMPLEX(-)
ADMPI_COMPLEX(*)
ADMPI_COMPLEX(/)
#undef ADMPI_COMPLEX

/// The values of both parts.
template <class T>
auto value(const std::complex<T> &z) -> std::complex<decltype(value(z.real()))> {
  return {value(z.real()), value(z.imag())};
}
/// The derivatives of both parts, in one direction; of a var the adjoints.
template <class T, class D = std::decay_t<decltype(derivative(std::declval<const T &>()))>,
          std::enable_if_t<std::is_arithmetic<D>::value || detail::is_real<D>, int> = 0>
std::complex<D> derivative(const std::complex<T> &z) {
  return {derivative(z.real()), derivative(z.imag())};
}
/// Sets them; of a var it seeds both parts.
template <class T, class D>
void set_derivative(std::complex<T> &z, const std::complex<D> &direction) {
  T x = z.real(), y = z.imag();
  set_derivative(x, direction.real());
  set_derivative(y, direction.imag());
  z = std::complex<T>(x, y);
}

/// From a modulus and an argument, one of them active, or two expressions.
template <class R, class A, detail::if_active_numbers<R, A> = 0>
std::complex<detail::real_type<R, A>> polar(const R &modulus, const A &argument) {
  using T = detail::real_type<R, A>;
  using std::cos;
  using std::sin;
  return {T(modulus * cos(argument)), T(modulus * sin(argument))};
}

/// The logarithm to the base of 10, whose template in std does not convert what it divides by.
#ifdef __GLIBCXX__
inline std::complex<var> log10(const std::complex<var> &z) { return log(z) / 2.302585092994045684; }
#endif

namespace detail {

/// z to a real power, from modulus and argument. A power of 0 is 0, as for complex numbers of doubles.
template <class T, class W>
std::complex<T> real_power(const std::complex<T> &z, const W &w) {
  using std::exp;
  const std::complex<T> l = log(z);
  return std::polar(T(exp(w * l.real())), T(w * l.imag()));
}

}  // namespace detail

// Powers, whose templates in std know the type of the result for floating-point types only. All are templates of complex
// types: a scalar would convert to one.
template <class T, class D, detail::if_real<T> = 0, detail::if_passive<D, T> = 0>
std::complex<T> pow(const std::complex<T> &z, const std::complex<D> &w) {
  return exp(w * log(z));
}
template <class T, class D, detail::if_real<T> = 0, detail::if_passive<D, T> = 0>
std::complex<T> pow(const std::complex<D> &z, const std::complex<T> &w) {
  return exp(w * log(z));
}
template <class T, class E, detail::if_real<T> = 0, std::enable_if_t<!std::is_same<E, T>::value, int> = 0>
std::complex<T> pow(const std::complex<T> &z, const expression<E> &w) {
  return detail::real_power(z, T(w.self()));
}
template <class T, class E, std::enable_if_t<!std::is_same<E, T>::value && std::is_same<detail::settled<E>, T>::value, int> = 0>
std::complex<T> pow(const std::complex<T> &z, const tangent_expression<E> &w) {
  return detail::real_power(z, T(w.self()));
}
template <class T, detail::if_real<T> = 0>
std::complex<T> pow(const std::complex<T> &z, double w) {
  return detail::real_power(z, w);
}
template <class T, detail::if_real<T> = 0>
std::complex<T> pow(double x, const std::complex<T> &w) {
  return exp(w * std::log(std::complex<double>(x)));
}
#ifndef __GLIBCXX__
// libstdc++ has them; that of a var is below.
template <class T, detail::if_real<T> = 0>
std::complex<T> pow(const std::complex<T> &z, const T &w) {
  return detail::real_power(z, w);
}
template <class T, detail::if_real<T> = 0>
std::complex<T> pow(const T &x, const std::complex<T> &w) {
  return exp(w * log(std::complex<T>(x)));
}
#endif

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

namespace std {

using admpi::log10;
using admpi::polar;
using admpi::pow;

#ifdef __GLIBCXX__
/// The general one returns an expression or a complex number.
template <>
inline complex<admpi::var> pow(const complex<admpi::var> &z, const admpi::var &w) {
  return admpi::detail::real_power(z, w);
}
template <class T, int N>
complex<admpi::tangent<T, N>> pow(const complex<admpi::tangent<T, N>> &z, const admpi::tangent<T, N> &w) {
  return admpi::detail::real_power(z, w);
}
#endif

}  // namespace std

#ifdef ADMPI_FLOAT_HPP
#include "admpi/complex_floats.hpp"
#endif

#endif
