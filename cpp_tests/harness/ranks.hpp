// Ranks and sizes of communicators, for tests on ranks, and what sums over ranks are compared by.
#ifndef ADMPI_TESTS_HARNESS_RANKS_HPP
#define ADMPI_TESTS_HARNESS_RANKS_HPP

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/mpis.h"

namespace test {

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Here and below: of all ranks, which the tests have on a ring.
inline const MPI_Comm world = MPI_COMM_WORLD;

inline int rank() { return rank_of(world); }
inline int size() { return size_of(world); }
inline int left() { return (rank() + size() - 1) % size(); }
inline int right() { return (rank() + 1) % size(); }

/// Whether a and b are the same sums, computed twice: bit for bit, if the MPI repeats itself. NaN is not.
inline bool same_sums(const std::vector<double> &a, const std::vector<double> &b) {
  double largest = 0.0;
  for (double x : a) largest = std::max(largest, std::abs(x));
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i)
    same = (a[i] == b[i] && std::signbit(a[i]) == std::signbit(b[i])) || (!SUMS_REPEAT && std::abs(a[i] - b[i]) <= 1e-9 * largest);
  return same;
}

}  // namespace test

#endif
