// Sparse matrices in tests.
#ifndef ADMPI_TESTS_HARNESS_SPARSE_HPP
#define ADMPI_TESTS_HARNESS_SPARSE_HPP

#include <admpi/derivatives.hpp>
#include <admpi/sparsity.hpp>

#include <cstddef>
#include <cstdint>

namespace test {

/// As dense, with zeros for what the pattern leaves out.
inline admpi::dense spread(const admpi::csr &a) {
  admpi::dense all(a.rows, a.cols);
  for (std::size_t i = 0; i + 1 < a.row_start.size(); ++i)
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      all(static_cast<std::int64_t>(i), a.column[static_cast<std::size_t>(k)]) = a.value[static_cast<std::size_t>(k)];
  return all;
}

}  // namespace test

#endif
