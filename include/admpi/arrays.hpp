// admpi: array expressions. Arithmetic on matrices, parts of matrices and scalars, element by element, becomes one
// event when it is assigned; its reverse function computes the partial derivatives again, so that an element takes the
// 16 bytes of its value and its adjoint.
//
//   u.segment(1, n - 2) = u.segment(1, n - 2) - c * (u.segment(2, n - 2) - u.segment(0, n - 2));
//   admpi::var s = sum(elt_multiply(exp(a), b));
#ifndef ADMPI_ARRAYS_HPP
#define ADMPI_ARRAYS_HPP

#include <cstdio>

#include "admpi/array_reductions.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// Writes the values, one row per line, with the width of the stream. Nothing is recorded.
template <class Char, class Traits, class A>
std::basic_ostream<Char, Traits> &operator<<(std::basic_ostream<Char, Traits> &stream, const array_expression<A> &a) {
  const passive no_recording;
  const view x = detail::seen(a);
  const std::vector<double> value = x.values();
  const auto width = stream.width();
  for (std::int64_t i = 0; i < x.rows(); ++i) {
    if (i != 0) stream << '\n';
    for (std::int64_t j = 0; j < x.cols(); ++j) {
      if (j != 0) stream << ' ';
      stream.width(width);
      stream << value[static_cast<std::size_t>(i + j * x.rows())];
    }
  }
  return stream;
}
/// Reads an element: stream >> a(i, j).
template <class Char, class Traits>
std::basic_istream<Char, Traits> &operator>>(std::basic_istream<Char, Traits> &stream, element &&x) {
  double value = 0.0;
  if (stream >> value) std::move(x) = value;
  return stream;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

namespace std {

// Once more, with those of arrays.
using admpi::clamp;
using admpi::max;
using admpi::min;

}  // namespace std

#undef ADMPI_INDEPENDENT
#undef ADMPI_INLINED

#endif
