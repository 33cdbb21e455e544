// admpi: linear algebra on matrices and parts of them. Each function is one event.
#ifndef ADMPI_LINALG_HPP
#define ADMPI_LINALG_HPP

#include "admpi/linalg.h"
#include "admpi/varmat.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// The product of two matrices. Either may be passive; a transposed view is multiplied as it lies.
inline varmat multiply(const view &a, const view &b) {
  const admpi_view of_a = a.parts();
  const admpi_view of_b = b.parts();
  admpi_varmat *product = nullptr;
  detail::check(admpi_multiply(&of_a, &of_b, &product));
  return varmat(product);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
