// Rank and size of a communicator, for tests on ranks.
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

}  // namespace test

#endif
