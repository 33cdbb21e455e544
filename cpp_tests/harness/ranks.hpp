// Ranks and sizes of communicators, for tests on ranks.
#ifndef ADMPI_TESTS_HARNESS_RANKS_HPP
#define ADMPI_TESTS_HARNESS_RANKS_HPP

#include <mpi.h>

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

}  // namespace test

#endif
