// admpi: arguments of functions of arrays and scalars: matrices, parts of them, array expressions, vectors and scalars,
// active or passive.
#ifndef ADMPI_ARGUMENT_HPP
#define ADMPI_ARGUMENT_HPP

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "admpi/arrays.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

namespace detail {

/// The elements of a vector, an array or a span.
template <class Range>
using element_of = std::decay_t<decltype(*std::declval<const Range &>().begin())>;

}  // namespace detail

/// An array or a scalar, active or passive. Converts from whatever is passed, and keeps its matrix alive.
class argument {
 public:
  template <class N, detail::if_arithmetic<N> = 0>
  argument(N x) noexcept : of_(admpi_operand_value(static_cast<double>(x))) {}
  template <class E>
  argument(const expression<E> &e) : of_(admpi_operand_scalar(var(e.self()))) {}
  argument(const view &part) : kept_(part), of_(admpi_operand_part(part.parts())) {}
  argument(const varmat &a) : argument(a.all()) {}
  template <class E>
  argument(const array_expression<E> &e) : argument(varmat(e)) {}
  /// Columns.
  argument(const std::vector<double> &x) : argument(varmat(x)) {}
  argument(const std::vector<var> &x) : argument(varmat(x)) {}
  template <class Range, class T = detail::element_of<Range>,
            std::enable_if_t<std::is_arithmetic<T>::value || std::is_same<T, var>::value, int> = 0>
  argument(const Range &x)
      : argument(std::vector<std::conditional_t<std::is_same<T, var>::value, var, double>>(x.begin(), x.end())) {}

  /// For the C interface.
  const admpi_operand &operand() const noexcept { return of_; }
  const admpi_view &parts() const noexcept { return of_.view; }

 private:
  std::optional<view> kept_;
  admpi_operand of_;
};

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
