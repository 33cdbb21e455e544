// admpi: sums, extrema and other functions of all elements of an array; arrays made of others. A part of admpi/arrays.hpp.
#ifndef ADMPI_ARRAY_REDUCTIONS_HPP
#define ADMPI_ARRAY_REDUCTIONS_HPP

#include "admpi/array_functions.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// The sum of all elements of an expression, as one event.
template <class A>
var sum(const array_expression<A> &a) {
  const auto &e = detail::kept_array(a.self());
  const detail::frozen_statement<detail::kept_array_t<A>> statement(e, nullptr);
  const varmat result = detail::fresh_array(1, 1);
  result.handle()->block->value[0] = statement.kernel.sum();
  statement.record(result.parts(), nullptr);
  return result(0);
}

/// That of a matrix or a part of one takes no kernel.
inline var sum(const array_expression<view> &a) {
  var total;
  detail::check(admpi_sum(&a.self().view_of(), &total));
  return total;
}
inline var sum(const array_expression<varmat> &a) { return sum(a.self().all()); }

/// The number of elements.
template <class A>
std::int64_t size(const array_expression<A> &a) {
  const detail::shape extent = detail::kept_array(a.self()).extent();
  return extent.rows * extent.cols;
}

template <class A>
var mean(const array_expression<A> &a) {
  return sum(a) / static_cast<double>(size(a));
}

/// The sum of elt_multiply(a, b).
template <class A, class B>
var dot(const array_expression<A> &a, const array_expression<B> &b) {
  return sum(elt_multiply(a.self(), b.self()));
}

template <class A>
var dot_self(const array_expression<A> &a) {
  return sum(square(a));
}

/// The root of the sum of squares, without overflow. At 0 the derivative is 0, the subgradient of least norm.
template <class A>
var norm2(const array_expression<A> &a) {
  const var s = dot_self(a);
  if (s.value > 1e-280 && s.value < std::numeric_limits<double>::infinity()) return sqrt(s);
  // The squares leave the range of numbers: those of multiples do not.
  const double factor = s.value < 1.0 ? 0x1p600 : 0x1p-600;
  const var t = dot_self(factor * a.self());
  return t.value == 0.0 ? var(0.0) : var(sqrt(t) / factor);
}

/// The sum of squared distances from the mean, divided by n - 1.
template <class A>
var variance(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const varmat distance = x - mean(x);
  const auto n = static_cast<double>(x.size());
  // What the mean is rounded by is made good.
  return (dot_self(distance) - square(sum(distance)) / n) / (n == 0.0 ? 0.0 : n - 1.0);
}

namespace detail {

/// A NaN counts as larger than all numbers, so none is overlooked.
inline bool is_larger(double l, double r) noexcept { return l > r || (std::isnan(l) && !std::isnan(r)); }

/// The place of the first element that none goes before.
template <class Before>
std::int64_t first_of(const varmat &a, Before before) {
  if (a.size() == 0) raise(ADMPI_ERR_ARGUMENT, "max_element or min_element of an array without elements");
  const double *value = a.handle()->block->value;
  std::int64_t found = 0;
  for (std::int64_t k = 1; k < a.size(); ++k) {
    if (before(value[k], value[found])) found = k;
  }
  return found;
}

}  // namespace detail

/// The largest and the smallest element, and its place in column-major order. Of equal elements the first is returned; if there
/// is a NaN, the first NaN. The result is the element itself: nothing is recorded beyond the expression.
template <class A>
var max_element(const array_expression<A> &a, std::int64_t *place_out = nullptr) {
  const varmat x = detail::computed_array(a);
  const std::int64_t place = detail::first_of(x, detail::is_larger);
  if (place_out != nullptr) *place_out = place;
  return x(place);
}
template <class A>
var min_element(const array_expression<A> &a, std::int64_t *place_out = nullptr) {
  const varmat x = detail::computed_array(a);
  const std::int64_t place = detail::first_of(x, [](double l, double r) { return detail::is_larger(-l, -r); });
  if (place_out != nullptr) *place_out = place;
  return x(place);
}

namespace detail {

/// What a function of the C interface makes.
template <class F>
varmat made(F make) {
  admpi_varmat *matrix = nullptr;
  check(make(&matrix));
  return varmat(matrix);
}

}  // namespace detail

/// The running sums of the elements, in column-major order.
template <class A>
varmat cumulative_sum(const array_expression<A> &a) {
  const view x = detail::seen(a);
  return detail::made([&](admpi_varmat **out) { return admpi_cumulative_sum(x.handle(), out); });
}

namespace detail {

inline varmat joined(const std::vector<view> &parts, bool below) {
  std::vector<admpi_view> handles;
  for (const view &part : parts) handles.push_back(part.parts());
  const auto n = static_cast<std::int64_t>(handles.size());
  return made([&](admpi_varmat **out) { return admpi_concatenate(handles.data(), n, below, out); });
}

}  // namespace detail

/// Joins parts with the same number of rows side by side, or with the same number of columns one below the other:
/// hcat({a, b.col(0)}).
inline varmat hcat(const std::vector<view> &parts) { return detail::joined(parts, false); }
inline varmat vcat(const std::vector<view> &parts) { return detail::joined(parts, true); }

/// A copy of a, with the elements of b added at the places index, counted in column-major order. Places may repeat.
template <class A, class B>
varmat scatter_add(const array_expression<A> &a, const std::vector<std::int64_t> &index, const array_expression<B> &b) {
  const view x = detail::seen(a), y = detail::seen(b);
  const auto n = static_cast<std::int64_t>(index.size());
  return detail::made(
      [&](admpi_varmat **out) { return admpi_scatter_add(x.handle(), index.data(), n, y.handle(), out); });
}

namespace detail {

/// The largest element: NaN if there is one, and minus infinity for an empty array.
inline var most_of(const varmat &a) {
  if (a.size() == 0) return -std::numeric_limits<double>::infinity();
  return a(first_of(a, is_larger));
}

}  // namespace detail

/// log(sum(exp(a))), without overflow. If an element is infinite, the result is that element.
template <class A>
var log_sum_exp(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const var most = detail::most_of(x);
  if (std::isinf(most.value)) return most.value > 0.0 ? most : var(most.value);
  return log(sum(exp(x - most.value))) + most.value;
}

/// exp(a) / sum(exp(a)), without overflow.
template <class A>
varmat softmax(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const varmat y = exp(x - detail::most_of(x).value);
  return y / sum(y);
}

/// a - log_sum_exp(a), without loss of digits if the elements are large.
template <class A>
varmat log_softmax(const array_expression<A> &a) {
  const varmat x = detail::computed_array(a);
  const varmat less = x - detail::most_of(x).value;
  return less - log(sum(exp(less)));
}

template <class E>
var array_expression<E>::sum() const {
  return admpi::sum(*this);
}
template <class E>
var array_expression<E>::mean() const {
  return admpi::mean(*this);
}
template <class E>
var array_expression<E>::variance() const {
  return admpi::variance(*this);
}
template <class E>
var array_expression<E>::norm2() const {
  return admpi::norm2(*this);
}
template <class E>
var array_expression<E>::max_element(std::int64_t *place_out) const {
  return admpi::max_element(*this, place_out);
}
template <class E>
var array_expression<E>::min_element(std::int64_t *place_out) const {
  return admpi::min_element(*this, place_out);
}
template <class E>
template <class B>
var array_expression<E>::dot(const B &b) const {
  return admpi::dot(*this, b);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
