// admpi: functions and operators of arrays, element by element. A part of admpi/arrays.hpp.
#ifndef ADMPI_ARRAY_FUNCTIONS_HPP
#define ADMPI_ARRAY_FUNCTIONS_HPP

#include "admpi/array_statements.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

template <class E>
varmat::varmat(const array_expression<E> &e) : varmat(detail::computed(e.self())) {}

template <class E>
varmat &varmat::operator=(const array_expression<E> &e) {
  return *this = detail::computed(e.self());
}

template <class E, std::enable_if_t<!std::is_base_of<detail::partial<E>, E>::value, int>>
view::view(const array_expression<E> &e) : view(detail::computed(e.self()).all()) {}

template <class E>
view &view::operator=(const array_expression<E> &e) {
  detail::assign_computed(view_, e.self());
  return *this;
}

#define ADMPI_ARRAY_UNARY_NAMED(name, op)                                                        \
  template <class A>                                                                             \
  auto name(const array_expression<A> &a) {                                                      \
    return detail::array_unary<detail::op, detail::kept_array_t<A>>(detail::kept_array(a.self())); \
  }
#define ADMPI_ARRAY_UNARY(name) ADMPI_ARRAY_UNARY_NAMED(name, op_##name)

#define ADMPI_ARRAY_BINARY_NAMED(name, Node, op)                                                      \
  template <int..., class A, class B, detail::if_arrays<A, B> = 0>                                    \
  auto name(const A &a, const B &b) {                                                                 \
    return detail::array_binary<detail::Node, detail::op, detail::kept_array_t<A>, detail::kept_array_t<B>>( \
        detail::kept_array(a), detail::kept_array(b));                                                \
  }
#define ADMPI_ARRAY_BINARY(name) ADMPI_ARRAY_BINARY_NAMED(name, binary, op_##name)
#define ADMPI_ARRAY_CHOICE(name, condition) ADMPI_ARRAY_BINARY_NAMED(name, choice, op_##name)

ADMPI_ARRAY_BINARY_NAMED(operator+, binary, op_add)
ADMPI_ARRAY_BINARY_NAMED(operator-, binary, op_sub)
ADMPI_ARRAY_BINARY_NAMED(elt_multiply, binary, op_mul)
ADMPI_ARRAY_BINARY_NAMED(elt_divide, binary, op_div)
ADMPI_ARRAY_UNARY_NAMED(operator-, op_neg)
ADMPI_ARRAY_UNARY_NAMED(fabs, op_abs)
ADMPI_ARRAY_UNARY(square)
ADMPI_ARRAY_UNARY(inv)
ADMPI_STD_UNARY(ADMPI_ARRAY_UNARY)
ADMPI_STD_BINARY(ADMPI_ARRAY_BINARY)
ADMPI_STD_CHOICE(ADMPI_ARRAY_CHOICE)
#undef ADMPI_ARRAY_CHOICE
ADMPI_STD_FLAT(ADMPI_ARRAY_UNARY)

// As templates they would be less special than those of std, which compare matrices as a whole, where both are in sight.
#define ADMPI_ARRAY_CHOICE(name, T)                                                                                  \
  inline auto name(const T &a, const T &b) {                                                                         \
    return detail::array_binary<detail::choice, detail::op_##name, detail::part_leaf, detail::part_leaf>(            \
        detail::kept_array(a), detail::kept_array(b));                                                               \
  }
ADMPI_ARRAY_CHOICE(min, varmat)
ADMPI_ARRAY_CHOICE(max, varmat)
ADMPI_ARRAY_CHOICE(min, view)
ADMPI_ARRAY_CHOICE(max, view)
#undef ADMPI_ARRAY_CHOICE

/// Clamps each element between the bounds, which are numbers, scalars or arrays.
template <int..., class X, class L, class H, detail::if_any_array<X, L, H> = 0>
auto clamp(const X &x, const L &low, const H &high) {
  return min(max(x, low), high);
}

/// What holds of each element, for select.
#define ADMPI_ARRAY_CONDITION(op, name)                                                                         \
  template <class A, class B, detail::if_arrays<A, B> = 0>                                                      \
  auto operator op(const A &a, const B &b) {                                                                    \
    return detail::array_condition<detail::holds_##name, detail::kept_array_t<A>, detail::kept_array_t<B>>(     \
        detail::kept_array(a), detail::kept_array(b));                                                          \
  }
ADMPI_ARRAY_CONDITION(<, less)
ADMPI_ARRAY_CONDITION(>, greater)
ADMPI_ARRAY_CONDITION(<=, less_equal)
ADMPI_ARRAY_CONDITION(>=, greater_equal)
ADMPI_ARRAY_CONDITION(==, equal)
ADMPI_ARRAY_CONDITION(!=, not_equal)
#undef ADMPI_ARRAY_CONDITION
template <class C, class D, detail::if_condition<C> = 0, detail::if_condition<D> = 0>
auto operator&&(const C &c, const D &d) {
  return detail::array_condition<detail::holds_both, C, D>(c, d);
}
template <class C, class D, detail::if_condition<C> = 0, detail::if_condition<D> = 0>
auto operator||(const C &c, const D &d) {
  return detail::array_condition<detail::holds_either, C, D>(c, d);
}
template <class C, detail::if_condition<C> = 0>
auto operator!(const C &c) {
  return detail::array_condition<detail::holds_not, C, C>(c, c);
}

/// The elements of a where the condition holds, and those of b elsewhere: select(x > 0.0, log(x), y). An alternative that is
/// not chosen has no derivative, and may be infinite or NaN.
template <class C, class A, class B, detail::if_condition<C> = 0>
auto select(const C &c, const A &a, const B &b) {
  return detail::array_ternary<detail::selection, C, detail::kept_array_t<A>, detail::kept_array_t<B>>(
      c, detail::kept_array(a), detail::kept_array(b));
}

/// a * b + c, rounded once.
template <class A, class B, class C, detail::if_any_array<A, B, C> = 0>
auto fma(const A &a, const B &b, const C &c) {
  return detail::array_ternary<detail::fused, detail::kept_array_t<A>, detail::kept_array_t<B>, detail::kept_array_t<C>>(
      detail::kept_array(a), detail::kept_array(b), detail::kept_array(c));
}
ADMPI_SPECIAL_UNARY(ADMPI_ARRAY_UNARY)
ADMPI_SPECIAL_BINARY(ADMPI_ARRAY_BINARY)

/// The same for scalars, for code that is written for both.
template <class A, class B, detail::if_scalars<A, B> = 0>
auto elt_multiply(const A &a, const B &b) {
  return a * b;
}
template <class A, class B, detail::if_scalars<A, B> = 0>
auto elt_divide(const A &a, const B &b) {
  return a / b;
}

/// An array times or over a scalar.
template <class A, class B, detail::if_one_array<A, B> = 0>
auto operator*(const A &a, const B &b) {
  return elt_multiply(a, b);
}
template <class A, class B, detail::if_one_array<A, B> = 0>
auto operator/(const A &a, const B &b) {
  return elt_divide(a, b);
}

// Refused between two arrays. Half of the readers would expect the matrix product, the other half the product of elements,
// and for square matrices both are valid.
#define ADMPI_NO_PRODUCT                                                                    \
  "a * b of two arrays: write multiply(a, b) for the product of matrices, elt_multiply(a, b) for the products of their elements"
#define ADMPI_NO_QUOTIENT                                                                        \
  "a / b of two arrays: write elt_divide(a, b) for the quotients of their elements, solve(b, a) for the solution x of b x = a"
template <class A, class B, detail::if_two_arrays<A, B> = 0>
varmat operator*(const A &a, const B &) {
  static_assert(!detail::is_array<A>, ADMPI_NO_PRODUCT);
  return a;
}
template <class A, class B, detail::if_two_arrays<A, B> = 0>
varmat operator/(const A &a, const B &) {
  static_assert(!detail::is_array<A>, ADMPI_NO_QUOTIENT);
  return a;
}

#undef ADMPI_ARRAY_UNARY
#undef ADMPI_ARRAY_UNARY_NAMED
#undef ADMPI_ARRAY_BINARY
#undef ADMPI_ARRAY_BINARY_NAMED

#define ADMPI_ARRAY_COMPOUND(op)                                                            \
  template <class A, class B, detail::if_arrays<A, B> = 0, detail::if_assigned<A> = 0>      \
  A &operator op##=(A &a, const B &b) {                                                     \
    return a = a op b;                                                                      \
  }                                                                                         \
  template <class B, detail::if_arrays<view, B> = 0>                                        \
  void operator op##=(view &&a, const B &b) {                                               \
    a = a op b;                                                                             \
  }
ADMPI_ARRAY_COMPOUND(+)
ADMPI_ARRAY_COMPOUND(-)
ADMPI_ARRAY_COMPOUND(*)
ADMPI_ARRAY_COMPOUND(/)
#undef ADMPI_ARRAY_COMPOUND

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
