// admpi: second derivatives of array expressions. Not part of admpi.hpp: include it where they are wanted.
// tangent<varmat> is a matrix and its derivative in one direction; both are recorded, so that a reverse sweep from the
// derivative gives a Hessian times that direction.
//
//   admpi::tangent<admpi::varmat> x{a, v};                // v: the direction, passive
//   admpi::tangent<admpi::var> y = dot(exp(x), x);
//   tape.seed(y.derivative);                              // H v in the adjoints of a
#ifndef ADMPI_TANGENT_ARRAYS_HPP
#define ADMPI_TANGENT_ARRAYS_HPP

#include "admpi.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

template <int N>
struct tangent<varmat, N> {
  static_assert(N == 1, "tangent<varmat> has one direction; a sweep of its tape takes up to 16: tape.set_width");
};
template <>
struct tangent<varmat> {
  varmat value;
  varmat derivative;

  /// Parts of both, with the elements that they have now: copies, constant since an assignment to one would be lost. What is
  /// assigned to are parts of value and of derivative.
  const tangent block(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols) const {
    return {value.block(i, j, rows, cols), derivative.block(i, j, rows, cols)};
  }
  const tangent row(std::int64_t i) const { return {value.row(i), derivative.row(i)}; }
  const tangent col(std::int64_t j) const { return {value.col(j), derivative.col(j)}; }
  const tangent segment(std::int64_t k, std::int64_t n) const { return {value.segment(k, n), derivative.segment(k, n)}; }
  const tangent head(std::int64_t n) const { return {value.head(n), derivative.head(n)}; }
  const tangent tail(std::int64_t n) const { return {value.tail(n), derivative.tail(n)}; }
  const tangent transpose() const { return {value.transpose(), derivative.transpose()}; }
  const tangent diagonal() const { return {value.diagonal(), derivative.diagonal()}; }
  const tangent every(std::int64_t step) const { return {value.every(step), derivative.every(step)}; }
  const tangent reshaped(std::int64_t rows, std::int64_t cols) const {
    return {value.reshaped(rows, cols), derivative.reshaped(rows, cols)};
  }
  const tangent gather(const std::vector<std::int64_t> &index) const { return {value.gather(index), derivative.gather(index)}; }
  const tangent every(std::int64_t rows, std::int64_t cols) const { return {value.every(rows, cols), derivative.every(rows, cols)}; }
  /// An element as a scalar; the second counts column by column.
  const tangent<var> operator()(std::int64_t i, std::int64_t j) const { return {value(i, j), derivative(i, j)}; }
  const tangent<var> operator()(std::int64_t k) const { return {value(k), derivative(k)}; }

  const tangent<var> operator[](std::int64_t k) const { return (*this)(k); }
  /// To read the elements, column by column.
  detail::element_iterator<tangent> begin() const noexcept { return {*this, 0}; }
  detail::element_iterator<tangent> end() const noexcept { return {*this, size()}; }

  /// The functions of these names.
  tangent<var> sum() const;
  tangent<var> mean() const;
  tangent<var> variance() const;
  tangent<var> norm2() const;
  tangent<var> max_element(std::int64_t *place_out = nullptr) const;
  tangent<var> min_element(std::int64_t *place_out = nullptr) const;
  template <class B>
  tangent<var> dot(const B &b) const;

  std::int64_t rows() const noexcept { return value.rows(); }
  std::int64_t cols() const noexcept { return value.cols(); }
  std::int64_t size() const noexcept { return value.size(); }

  template <class U>
  tangent &operator+=(const U &b) {
    return *this = *this + b;
  }
  template <class U>
  tangent &operator-=(const U &b) {
    return *this = *this - b;
  }
  template <class U>
  tangent &operator*=(const U &b) {
    return *this = *this * b;
  }
  template <class U>
  tangent &operator/=(const U &b) {
    return *this = *this / b;
  }
};

namespace detail {

/// For operands without a derivative in the direction.
template <class A>
using if_fixed = std::enable_if_t<is_array<A> || is_scalar<A>, int>;
template <class A>
using if_fixed_array = std::enable_if_t<is_array<A>, int>;

/// An operand as a matrix of the shape of another, with its derivative.
inline const tangent<varmat> &spread(const tangent<varmat> &a, const varmat &) { return a; }
template <int N>
tangent<varmat> spread(const tangent<var, N> &a, const varmat &like) {
  const varmat zero(like.rows(), like.cols());
  return {zero + a.value, zero + a.derivative};
}
template <class U, if_fixed<U> = 0>
tangent<varmat> spread(const U &a, const varmat &like) {
  const varmat zero(like.rows(), like.cols());
  return {zero + a, zero};
}

template <>
inline constexpr bool is_tangent_array<tangent<varmat>> = true;
/// The first of some operands that is a matrix with its derivative.
template <class A, class... More>
const varmat &shape_of(const A &a, const More &...more) {
  if constexpr (is_tangent_array<A>) {
    return a.value;
  } else {
    return shape_of(more...);
  }
}

// The derivatives of functions as functions themselves, with derivatives of their own. Real is double: as templates they take the
// compiler's time only where they are used, and so do the functions below that have them.
#define ADMPI_SLOPE_OF(name, of)                                                 \
  template <class Real>                                                          \
  struct slope_##name {                                                          \
    static Real value(Real x) { return partial_##name(x, of(x)); }               \
    static Real partial(Real x, Real) {                                          \
      const tangent<Real> t(x, 1.0);                                             \
      return partial_##name<tangent<Real>>(t, name(t)).derivative;               \
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
  template <class Real>                                                                               \
  struct slope_##number##_##name {                                                                    \
    static Real along(const tangent<Real> &a, const tangent<Real> &b) {                               \
      return partial_##number##_##name<tangent<Real>>(a, b, name(a, b)).derivative;                   \
    }                                                                                                 \
    static Real value(Real a, Real b) { return partial_##number##_##name(a, b, of(a, b)); }           \
    static Real partial_1(Real a, Real b, Real) { return along({a, 1.0}, {b, 0.0}); }                 \
    static Real partial_2(Real a, Real b, Real) { return along({a, 0.0}, {b, 1.0}); }                 \
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

/// See along of scalars.
struct op_along {
  static double value(double partial, double direction) { return direction == 0.0 ? 0.0 : partial * direction; }
  static double partial_1(double, double direction, double) { return direction; }
  static double partial_2(double partial, double, double) { return partial; }
};
template <template <class> class Slope, class... A>
auto along(const varmat &direction, const A &...x) {
  return apply<op_along>(apply<Slope<double>>(x...), direction);
}

}  // namespace detail

template <int N>
tangent<varmat, N> elt_multiply(const tangent<varmat, N> &a, const tangent<varmat, N> &b) {
  return {elt_multiply(a.value, b.value), elt_multiply(a.derivative, b.value) + elt_multiply(a.value, b.derivative)};
}
template <int N>
tangent<varmat, N> elt_divide(const tangent<varmat, N> &a, const tangent<varmat, N> &b) {
  const varmat y = elt_divide(a.value, b.value);
  return {y, elt_divide(a.derivative - elt_multiply(y, b.derivative), b.value)};
}

// With what does not depend on the direction: matrices, expressions, scalars, numbers.
#define ADMPI_FIXED(name, left, right)                              \
  template <class U, detail::if_fixed<U> = 0>                       \
  tangent<varmat> name(const tangent<varmat> &a, const U &b) {      \
    return left;                                                    \
  }                                                                 \
  template <class U, detail::if_fixed<U> = 0>                       \
  tangent<varmat> name(const U &a, const tangent<varmat> &b) {      \
    return right;                                                   \
  }
#define ADMPI_COMMA ,
ADMPI_FIXED(operator+, {a.value + b ADMPI_COMMA a.derivative}, {a + b.value ADMPI_COMMA b.derivative})
ADMPI_FIXED(operator-, {a.value - b ADMPI_COMMA a.derivative}, {a - b.value ADMPI_COMMA - b.derivative})
ADMPI_FIXED(elt_multiply, {elt_multiply(a.value, b) ADMPI_COMMA elt_multiply(a.derivative, b)},
            {elt_multiply(a, b.value) ADMPI_COMMA elt_multiply(a, b.derivative)})
#undef ADMPI_FIXED
#undef ADMPI_COMMA
template <class U, detail::if_fixed<U> = 0>
tangent<varmat> elt_divide(const tangent<varmat> &a, const U &b) {
  return {elt_divide(a.value, b), elt_divide(a.derivative, b)};
}
template <class U, detail::if_fixed<U> = 0>
tangent<varmat> elt_divide(const U &a, const tangent<varmat> &b) {
  const varmat y = elt_divide(a, b.value);
  return {y, -elt_divide(elt_multiply(y, b.derivative), b.value)};
}

// These take a scalar on one side, as they do of matrices.
#define ADMPI_SCALED(op, name, refusal)                                                  \
  template <class U, detail::if_fixed<U> = 0>                                            \
  tangent<varmat> operator op(const tangent<varmat> &a, const U &b) {                    \
    static_assert(detail::is_scalar<U>, refusal);                                        \
    return name(a, b);                                                                   \
  }                                                                                      \
  template <class U, detail::if_fixed<U> = 0>                                            \
  tangent<varmat> operator op(const U &a, const tangent<varmat> &b) {                    \
    static_assert(detail::is_scalar<U>, refusal);                                        \
    return name(a, b);                                                                   \
  }                                                                                      \
  template <bool Never = false>                                                          \
  tangent<varmat> operator op(const tangent<varmat> &a, const tangent<varmat> &) {       \
    static_assert(Never, refusal);                                                       \
    return a;                                                                            \
  }
ADMPI_SCALED(*, elt_multiply, ADMPI_NO_PRODUCT)
ADMPI_SCALED(/, elt_divide, ADMPI_NO_QUOTIENT)
#undef ADMPI_SCALED

// With a scalar that does.
template <int N>
tangent<varmat, N> operator+(const tangent<varmat, N> &a, const tangent<var> &b) {
  return {a.value + b.value, a.derivative + b.derivative};
}
template <int N>
tangent<varmat, N> operator+(const tangent<var> &a, const tangent<varmat, N> &b) { return b + a; }
template <int N>
tangent<varmat, N> operator-(const tangent<varmat, N> &a, const tangent<var> &b) {
  return {a.value - b.value, a.derivative - b.derivative};
}
template <int N>
tangent<varmat, N> operator-(const tangent<var> &a, const tangent<varmat, N> &b) {
  return {a.value - b.value, a.derivative - b.derivative};
}
template <int N>
tangent<varmat, N> operator*(const tangent<varmat, N> &a, const tangent<var> &b) {
  return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
}
template <int N>
tangent<varmat, N> operator*(const tangent<var> &a, const tangent<varmat, N> &b) { return b * a; }
template <int N>
tangent<varmat, N> operator/(const tangent<varmat, N> &a, const tangent<var> &b) {
  const varmat y = a.value / b.value;
  return {y, (a.derivative - y * b.derivative) / b.value};
}
template <int N>
tangent<varmat, N> operator/(const tangent<var> &a, const tangent<varmat, N> &b) {
  const varmat y = a.value / b.value;
  return {y, elt_divide(a.derivative - elt_multiply(y, b.derivative), b.value)};
}

// Such a scalar with an array that does not.
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator+(const tangent<var> &a, const U &b) {
  const varmat x = b;
  return {a.value + x, detail::spread(a.derivative, x).value};
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator+(const U &a, const tangent<var> &b) {
  return b + a;
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator-(const tangent<var> &a, const U &b) {
  return a + -varmat(b);
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator-(const U &a, const tangent<var> &b) {
  return -b + a;
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator*(const tangent<var> &a, const U &b) {
  const varmat x = b;
  return {a.value * x, a.derivative * x};
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator*(const U &a, const tangent<var> &b) {
  return b * a;
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator/(const tangent<var> &a, const U &b) {
  const varmat x = b;
  return {a.value / x, a.derivative / x};
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<varmat> operator/(const U &a, const tangent<var> &b) {
  const varmat y = a / b.value;
  return {y, -y * b.derivative / b.value};
}

#define ADMPI_TANGENT_ARRAY(name)                                                      \
  template <int N>                                                                     \
  tangent<varmat, N> name(const tangent<varmat, N> &x) {                               \
    return {name(x.value), detail::along<detail::slope_##name>(x.derivative, x.value)}; \
  }
ADMPI_STD_UNARY(ADMPI_TANGENT_ARRAY)
ADMPI_SPECIAL_UNARY(ADMPI_TANGENT_ARRAY)
#undef ADMPI_TANGENT_ARRAY
template <int N>
tangent<varmat, N> fabs(const tangent<varmat, N> &x) { return abs(x); }
template <int N>
tangent<varmat, N> square(const tangent<varmat, N> &x) { return {square(x.value), 2.0 * elt_multiply(x.value, x.derivative)}; }
template <int N>
tangent<varmat, N> inv(const tangent<varmat, N> &x) { return 1.0 / x; }

#define ADMPI_TANGENT_ARRAY(name)                                                                            \
  template <int N>                                                                                           \
  tangent<varmat, N> name(const tangent<varmat, N> &a, const tangent<varmat, N> &b) {                        \
    return {name(a.value, b.value), detail::along<detail::slope_1_##name>(a.derivative, a.value, b.value) +  \
                                        detail::along<detail::slope_2_##name>(b.derivative, a.value, b.value)}; \
  }                                                                                                          \
  template <class U, detail::if_fixed<U> = 0>                                                                \
  tangent<varmat> name(const tangent<varmat> &a, const U &b) {                                               \
    return {name(a.value, b), detail::along<detail::slope_1_##name>(a.derivative, a.value, b)};             \
  }                                                                                                          \
  template <class U, detail::if_fixed<U> = 0>                                                                \
  tangent<varmat> name(const U &a, const tangent<varmat> &b) {                                               \
    return {name(a, b.value), detail::along<detail::slope_2_##name>(b.derivative, a, b.value)};             \
  }
ADMPI_STD_BINARY(ADMPI_TANGENT_ARRAY)
ADMPI_SPECIAL_BINARY(ADMPI_TANGENT_ARRAY)
#undef ADMPI_TANGENT_ARRAY

#define ADMPI_TANGENT_ARRAY(name)                                       \
  inline tangent<varmat> name(const tangent<varmat> &x) {               \
    return {name(x.value), varmat(x.value.rows(), x.value.cols())};     \
  }
ADMPI_STD_FLAT(ADMPI_TANGENT_ARRAY)
#undef ADMPI_TANGENT_ARRAY

/// a * b + c, rounded once.
template <class A, class B, class C,
          std::enable_if_t<detail::is_tangent_array<A> || detail::is_tangent_array<B> || detail::is_tangent_array<C>, int> = 0>
tangent<varmat> fma(const A &a, const B &b, const C &c) {
  const varmat &like = detail::shape_of(a, b, c);
  const tangent<varmat> x = detail::spread(a, like), y = detail::spread(b, like), z = detail::spread(c, like);
  return {fma(x.value, y.value, z.value), elt_multiply(x.derivative, y.value) + elt_multiply(x.value, y.derivative) + z.derivative};
}

/// What holds of the values of each element, for select.
#define ADMPI_TANGENT_ARRAY(op)                                                \
  inline auto operator op(const tangent<varmat> &a, const tangent<varmat> &b) { \
    return a.value op b.value;                                                 \
  }                                                                            \
  template <class U, detail::if_fixed<U> = 0>                                  \
  auto operator op(const tangent<varmat> &a, const U &b) {                     \
    return a.value op b;                                                       \
  }                                                                            \
  template <class U, detail::if_fixed<U> = 0>                                  \
  auto operator op(const U &a, const tangent<varmat> &b) {                     \
    return a op b.value;                                                       \
  }
ADMPI_TANGENT_ARRAY(<)
ADMPI_TANGENT_ARRAY(>)
ADMPI_TANGENT_ARRAY(<=)
ADMPI_TANGENT_ARRAY(>=)
ADMPI_TANGENT_ARRAY(==)
ADMPI_TANGENT_ARRAY(!=)
#undef ADMPI_TANGENT_ARRAY

/// The elements of a where the condition holds, and those of b where it does not.
template <class C, detail::if_condition<C> = 0>
tangent<varmat> select(const C &c, const tangent<varmat> &a, const tangent<varmat> &b) {
  return {select(c, a.value, b.value), select(c, a.derivative, b.derivative)};
}
template <class C, class U, detail::if_condition<C> = 0>
tangent<varmat> select(const C &c, const tangent<varmat> &a, const U &b) {
  return select(c, a, detail::spread(b, a.value));
}
template <class C, class U, detail::if_condition<C> = 0>
tangent<varmat> select(const C &c, const U &a, const tangent<varmat> &b) {
  return select(c, detail::spread(a, b.value), b);
}

namespace detail {

/// Whether an operation chooses the first of two elements.
template <class Op>
struct holds_first {
  static bool holds(double l, double r) { return Op::first(l, r); }
};

template <class Op>
tangent<varmat> chosen(const tangent<varmat> &a, const tangent<varmat> &b) {
  return select(array_condition<holds_first<Op>, part_leaf, part_leaf>(kept_array(a.value), kept_array(b.value)), a, b);
}

}  // namespace detail

#define ADMPI_TANGENT_ARRAY(name, condition)                                         \
  inline tangent<varmat> name(const tangent<varmat> &a, const tangent<varmat> &b) {  \
    return detail::chosen<detail::op_##name>(a, b);                                  \
  }                                                                                  \
  template <int..., class U>                                                         \
  tangent<varmat> name(const tangent<varmat> &a, const U &b) {                       \
    return detail::chosen<detail::op_##name>(a, detail::spread(b, a.value));         \
  }                                                                                  \
  template <int..., class U>                                                         \
  tangent<varmat> name(const U &a, const tangent<varmat> &b) {                       \
    return detail::chosen<detail::op_##name>(detail::spread(a, b.value), b);         \
  }
ADMPI_STD_CHOICE(ADMPI_TANGENT_ARRAY)
#undef ADMPI_TANGENT_ARRAY

/// Each element, or the bound that it lies beyond. The bounds are numbers, scalars, arrays or tangents of them.
template <int..., class L, class H>
tangent<varmat> clamp(const tangent<varmat> &x, const L &low, const H &high) {
  return min(max(x, low), high);
}

/// The same derivative in the direction everywhere.
inline void set_derivative(tangent<varmat> &x, double direction) { x.derivative = varmat(x.rows(), x.cols(), direction); }

template <int N>
tangent<var> sum(const tangent<varmat, N> &a) { return {sum(a.value), sum(a.derivative)}; }
template <int N>
tangent<var> mean(const tangent<varmat, N> &a) { return {mean(a.value), mean(a.derivative)}; }
template <int N>
tangent<var> dot(const tangent<varmat, N> &a, const tangent<varmat, N> &b) {
  return {dot(a.value, b.value), sum(elt_multiply(a.derivative, b.value) + elt_multiply(a.value, b.derivative))};
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<var> dot(const tangent<varmat> &a, const U &b) {
  return {dot(a.value, b), dot(a.derivative, b)};
}
template <class U, detail::if_fixed_array<U> = 0>
tangent<var> dot(const U &a, const tangent<varmat> &b) {
  return dot(b, a);
}
template <int N>
tangent<var> dot_self(const tangent<varmat, N> &a) { return dot(a, a); }
template <int N>
tangent<var> norm2(const tangent<varmat, N> &a) {
  const var n = norm2(a.value);
  return {n, n.value == 0.0 ? var(0.0) : dot(a.value / n, a.derivative)};
}
template <int N>
tangent<var> variance(const tangent<varmat, N> &a) {
  const tangent<varmat> distance = a - mean(a);
  return {variance(a.value), 2.0 * mean(elt_multiply(distance.value, distance.derivative)) * static_cast<double>(a.value.size()) /
                                 static_cast<double>(a.value.size() - 1)};
}
inline tangent<var> max_element(const tangent<varmat> &a, std::int64_t *place_out = nullptr) {
  std::int64_t place = 0;
  const var most = max_element(a.value, &place);
  if (place_out != nullptr) *place_out = place;
  return {most, std::as_const(a.derivative)(place)};
}
inline tangent<var> min_element(const tangent<varmat> &a, std::int64_t *place_out = nullptr) {
  std::int64_t place = 0;
  const var least = min_element(a.value, &place);
  if (place_out != nullptr) *place_out = place;
  return {least, std::as_const(a.derivative)(place)};
}
template <int N>
tangent<var> log_sum_exp(const tangent<varmat, N> &a) {
  const var most = log_sum_exp(a.value);
  if (std::isinf(most.value)) return {most, most.value > 0.0 ? max_element(a).derivative : var(0.0)};
  return {most, dot(softmax(a.value), a.derivative)};
}
template <int N>
tangent<varmat, N> softmax(const tangent<varmat, N> &a) {
  const varmat p = softmax(a.value);
  return {p, elt_multiply(p, a.derivative - dot(p, a.derivative))};
}
template <int N>
tangent<varmat, N> log_softmax(const tangent<varmat, N> &a) {
  return {log_softmax(a.value), a.derivative - dot(softmax(a.value), a.derivative)};
}
inline tangent<varmat> cumulative_sum(const tangent<varmat> &a) {
  return {cumulative_sum(a.value), cumulative_sum(a.derivative)};
}


namespace detail {

inline std::vector<view> values_of(const std::vector<tangent<varmat>> &parts) {
  std::vector<view> all;
  for (const auto &part : parts) all.push_back(part.value);
  return all;
}
inline std::vector<view> derivatives_of(const std::vector<tangent<varmat>> &parts) {
  std::vector<view> all;
  for (const auto &part : parts) all.push_back(part.derivative);
  return all;
}

}  // namespace detail

inline tangent<varmat> hcat(const std::vector<tangent<varmat>> &parts) {
  return {hcat(detail::values_of(parts)), hcat(detail::derivatives_of(parts))};
}
inline tangent<varmat> vcat(const std::vector<tangent<varmat>> &parts) {
  return {vcat(detail::values_of(parts)), vcat(detail::derivatives_of(parts))};
}
inline tangent<varmat> scatter_add(const tangent<varmat> &a, const std::vector<std::int64_t> &index, const tangent<varmat> &b) {
  return {scatter_add(a.value, index, b.value), scatter_add(a.derivative, index, b.derivative)};
}

inline tangent<var> tangent<varmat>::sum() const { return admpi::sum(*this); }
inline tangent<var> tangent<varmat>::mean() const { return admpi::mean(*this); }
inline tangent<var> tangent<varmat>::variance() const { return admpi::variance(*this); }
inline tangent<var> tangent<varmat>::norm2() const { return admpi::norm2(*this); }
inline tangent<var> tangent<varmat>::max_element(std::int64_t *place_out) const { return admpi::max_element(*this, place_out); }
inline tangent<var> tangent<varmat>::min_element(std::int64_t *place_out) const { return admpi::min_element(*this, place_out); }
template <class B>
tangent<var> tangent<varmat>::dot(const B &b) const {
  return admpi::dot(*this, b);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

namespace std {

using admpi::clamp;
using admpi::max;
using admpi::min;

}  // namespace std

#endif
