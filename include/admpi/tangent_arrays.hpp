// admpi: second derivatives of array expressions. Not part of admpi.hpp: include it where they are wanted.
// tangent<varmat> is a matrix and its derivative in one direction; both are recorded, so that a reverse sweep from the
// derivative gives a Hessian times that direction.
//
//   admpi::tangent<admpi::varmat> x{a, v};                // v: the direction, passive
//   admpi::tangent<admpi::var> y = sum(exp(x) * x);
//   tape.seed(y.derivative);                              // H v in the adjoints of a
#ifndef ADMPI_TANGENT_ARRAYS_HPP
#define ADMPI_TANGENT_ARRAYS_HPP

#include "admpi.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

template <>
struct tangent<varmat> {
  varmat value;
  varmat derivative;

  /// Parts of both, with the elements that they have now.
  tangent block(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) const {
    return {value.block(i, j, rows, cols), derivative.block(i, j, rows, cols)};
  }
  tangent row(std::int64_t i) const { return {value.row(i), derivative.row(i)}; }
  tangent col(std::int64_t j) const { return {value.col(j), derivative.col(j)}; }
  tangent segment(std::int64_t k, std::int64_t n) const { return {value.segment(k, n), derivative.segment(k, n)}; }
  tangent transpose() const { return {value.transpose(), derivative.transpose()}; }
  /// An element as a scalar.
  tangent<var> operator()(std::int64_t i, std::int64_t j) const { return {value(i, j), derivative(i, j)}; }
};

namespace detail {

/// For operands without a derivative in the direction.
template <class A>
using if_fixed = std::enable_if_t<is_array<A> || is_scalar<A>, int>;

// The derivatives of functions as functions themselves, with derivatives of their own.
#define ADMPI_SLOPE_OF(name, of)                                                 \
  struct slope_##name {                                                          \
    static double value(double x) { return partial_##name(x, of(x)); }           \
    static double partial(double x, double) {                                    \
      const tangent<double> t(x, 1.0);                                           \
      return partial_##name<tangent<double>>(t, name(t)).derivative;             \
    }                                                                            \
  };
#define ADMPI_SLOPE(name) ADMPI_SLOPE_OF(name, std::name)
ADMPI_STD_UNARY(ADMPI_SLOPE)
#undef ADMPI_SLOPE
#define ADMPI_SLOPE(name) ADMPI_SLOPE_OF(name, admpi_value_##name)
ADMPI_SPECIAL_UNARY(ADMPI_SLOPE)
#undef ADMPI_SLOPE
#undef ADMPI_SLOPE_OF

#define ADMPI_SLOPE(number, name, of)                                                                 \
  struct slope_##number##_##name {                                                                    \
    static double along(const tangent<double> &a, const tangent<double> &b) {                         \
      return partial_##number##_##name<tangent<double>>(a, b, name(a, b)).derivative;                 \
    }                                                                                                 \
    static double value(double a, double b) { return partial_##number##_##name(a, b, of(a, b)); }     \
    static double partial_1(double a, double b, double) { return along({a, 1.0}, {b, 0.0}); }         \
    static double partial_2(double a, double b, double) { return along({a, 0.0}, {b, 1.0}); }         \
  };
#define ADMPI_SLOPES(name) ADMPI_SLOPE(1, name, std::name) ADMPI_SLOPE(2, name, std::name)
ADMPI_STD_BINARY(ADMPI_SLOPES)
#undef ADMPI_SLOPES
#define ADMPI_SLOPES(name) ADMPI_SLOPE(1, name, admpi_value_##name) ADMPI_SLOPE(2, name, admpi_value_##name)
ADMPI_SPECIAL_BINARY(ADMPI_SLOPES)
#undef ADMPI_SLOPES
#undef ADMPI_SLOPE

template <class Op>
array_unary<Op, part_leaf> apply(const varmat &x) {
  return array_unary<Op, part_leaf>(kept_array(x));
}
template <class Op, class A, class B>
auto apply(const A &a, const B &b) {
  return array_binary<binary, Op, kept_array_t<A>, kept_array_t<B>>(kept_array(a), kept_array(b));
}

}  // namespace detail

// With what does not depend on the direction: matrices, expressions, scalars, numbers.
#define ADMPI_FIXED(op, left, right)                                               \
  template <class U, detail::if_fixed<U> = 0>                                      \
  tangent<varmat> operator op(const tangent<varmat> &a, const U &b) {              \
    return left;                                                                   \
  }                                                                                \
  template <class U, detail::if_fixed<U> = 0>                                      \
  tangent<varmat> operator op(const U &a, const tangent<varmat> &b) {              \
    return right;                                                                  \
  }
#define ADMPI_COMMA ,
ADMPI_FIXED(+, {a.value + b ADMPI_COMMA a.derivative}, {a + b.value ADMPI_COMMA b.derivative})
ADMPI_FIXED(-, {a.value - b ADMPI_COMMA a.derivative}, {a - b.value ADMPI_COMMA - b.derivative})
ADMPI_FIXED(*, {a.value * b ADMPI_COMMA a.derivative * b}, {a * b.value ADMPI_COMMA a * b.derivative})
#undef ADMPI_FIXED
#undef ADMPI_COMMA
template <class U, detail::if_fixed<U> = 0>
tangent<varmat> operator/(const tangent<varmat> &a, const U &b) {
  return {a.value / b, a.derivative / b};
}
template <class U, detail::if_fixed<U> = 0>
tangent<varmat> operator/(const U &a, const tangent<varmat> &b) {
  const varmat y = a / b.value;
  return {y, -y * b.derivative / b.value};
}

// With a scalar that does.
inline tangent<varmat> operator+(const tangent<varmat> &a, const tangent<var> &b) {
  return {a.value + b.value, a.derivative + b.derivative};
}
inline tangent<varmat> operator+(const tangent<var> &a, const tangent<varmat> &b) { return b + a; }
inline tangent<varmat> operator-(const tangent<varmat> &a, const tangent<var> &b) {
  return {a.value - b.value, a.derivative - b.derivative};
}
inline tangent<varmat> operator-(const tangent<var> &a, const tangent<varmat> &b) {
  return {a.value - b.value, a.derivative - b.derivative};
}
inline tangent<varmat> operator*(const tangent<varmat> &a, const tangent<var> &b) {
  return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
}
inline tangent<varmat> operator*(const tangent<var> &a, const tangent<varmat> &b) { return b * a; }
inline tangent<varmat> operator/(const tangent<varmat> &a, const tangent<var> &b) {
  const varmat y = a.value / b.value;
  return {y, (a.derivative - y * b.derivative) / b.value};
}
inline tangent<varmat> operator/(const tangent<var> &a, const tangent<varmat> &b) {
  const varmat y = a.value / b.value;
  return {y, (a.derivative - y * b.derivative) / b.value};
}

#define ADMPI_TANGENT_ARRAY(name)                                                      \
  inline tangent<varmat> name(const tangent<varmat> &x) {                              \
    return {name(x.value), detail::apply<detail::slope_##name>(x.value) * x.derivative}; \
  }
ADMPI_STD_UNARY(ADMPI_TANGENT_ARRAY)
ADMPI_SPECIAL_UNARY(ADMPI_TANGENT_ARRAY)
#undef ADMPI_TANGENT_ARRAY
inline tangent<varmat> fabs(const tangent<varmat> &x) { return abs(x); }
inline tangent<varmat> square(const tangent<varmat> &x) { return {square(x.value), 2.0 * x.value * x.derivative}; }
inline tangent<varmat> inv(const tangent<varmat> &x) { return 1.0 / x; }

#define ADMPI_TANGENT_ARRAY(name)                                                                            \
  inline tangent<varmat> name(const tangent<varmat> &a, const tangent<varmat> &b) {                          \
    return {name(a.value, b.value), detail::apply<detail::slope_1_##name>(a.value, b.value) * a.derivative + \
                                        detail::apply<detail::slope_2_##name>(a.value, b.value) * b.derivative}; \
  }                                                                                                          \
  template <class U, detail::if_fixed<U> = 0>                                                                \
  tangent<varmat> name(const tangent<varmat> &a, const U &b) {                                               \
    return {name(a.value, b), detail::apply<detail::slope_1_##name>(a.value, b) * a.derivative};             \
  }                                                                                                          \
  template <class U, detail::if_fixed<U> = 0>                                                                \
  tangent<varmat> name(const U &a, const tangent<varmat> &b) {                                               \
    return {name(a, b.value), detail::apply<detail::slope_2_##name>(a, b.value) * b.derivative};             \
  }
ADMPI_STD_BINARY(ADMPI_TANGENT_ARRAY)
ADMPI_SPECIAL_BINARY(ADMPI_TANGENT_ARRAY)
#undef ADMPI_TANGENT_ARRAY

/// The elements of a where the condition holds, and those of b where it does not.
template <class C, detail::if_condition<C> = 0>
tangent<varmat> select(const C &c, const tangent<varmat> &a, const tangent<varmat> &b) {
  return {select(c, a.value, b.value), select(c, a.derivative, b.derivative)};
}
inline tangent<varmat> max(const tangent<varmat> &a, const tangent<varmat> &b) {
  return select(a.value >= b.value, a, b);
}
inline tangent<varmat> min(const tangent<varmat> &a, const tangent<varmat> &b) {
  return select(a.value <= b.value, a, b);
}

inline tangent<var> sum(const tangent<varmat> &a) { return {sum(a.value), sum(a.derivative)}; }
inline tangent<var> mean(const tangent<varmat> &a) { return {mean(a.value), mean(a.derivative)}; }
inline tangent<var> dot(const tangent<varmat> &a, const tangent<varmat> &b) {
  return {dot(a.value, b.value), sum(a.derivative * b.value + a.value * b.derivative)};
}
inline tangent<var> dot_self(const tangent<varmat> &a) { return dot(a, a); }
inline tangent<varmat> cumulative_sum(const tangent<varmat> &a) {
  return {cumulative_sum(a.value), cumulative_sum(a.derivative)};
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
