// Bytes of values that this rank sends and receives, counted where MPI's profiling layer sees its calls: independently of the library.
#ifndef ADMPI_TESTS_PMAP_TRAFFIC_HPP
#define ADMPI_TESTS_PMAP_TRAFFIC_HPP

#include <mpi.h>

#include <cstdint>

#include "harness/ranks.hpp"

namespace test {

/// Payload of the collective calls since `counting` was set.
struct traffic {
  bool counting = false;
  std::int64_t sent = 0, received = 0;
};
inline traffic counted;

/// Calls f, and counts what it sends and receives.
template <class F>
traffic traffic_of(F f) {
  counted = {true, 0, 0};
  f();
  counted.counting = false;
  return counted;
}

/// Values are doubles, alone or in parts; what the library has to say of a new communicator is not.
inline bool counts(MPI_Datatype type) { return counted.counting && type == MPI_DOUBLE; }

inline std::int64_t bytes_of(std::int64_t n, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return n * size;
}

/// What the root has for each of the others goes in one direction, or in the other one.
inline void count_parts(bool scatters, const int *counts, MPI_Datatype listed, int own, MPI_Datatype type, int root, MPI_Comm comm) {
  std::int64_t all = 0;
  const bool is_root = rank_of(comm) == root;
  for (int r = 0; is_root && r < size_of(comm); ++r)
    if (r != root) all += bytes_of(counts[r], listed);
  if (!is_root) all = bytes_of(own, type);
  (is_root == scatters ? counted.sent : counted.received) += all;
}

/// As much from the root to each of the others, or from them to it.
inline void count_copies(bool from_root, std::int64_t n, int root, MPI_Comm comm) {
  const bool is_root = rank_of(comm) == root;
  (is_root == from_root ? counted.sent : counted.received) += is_root ? n * (size_of(comm) - 1) : n;
}

/// Blocks go round a ring, summed on the way, and once more.
inline void count_ring(int n, MPI_Comm comm) {
  const int ranks = size_of(comm), rank = rank_of(comm);
  const auto block = [&](int k) {
    k = ((k % ranks) + ranks) % ranks;
    return static_cast<std::int64_t>(sizeof(double)) * (n / ranks + (k < n % ranks ? 1 : 0));
  };
  for (int step = 0; step < ranks - 1; ++step) {
    counted.sent += block(rank - step) + block(rank + 1 - step);
    counted.received += block(rank - 1 - step) + block(rank - step);
  }
}

}  // namespace test

extern "C" {

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  if (test::counts(type)) test::count_copies(true, test::bytes_of(n, type), root, comm);
  return PMPI_Bcast(data, n, type, root, comm);
}

int MPI_Reduce(const void *data, void *sum, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  if (test::counts(type)) test::count_copies(false, test::bytes_of(n, type), root, comm);
  return PMPI_Reduce(data, sum, n, type, op, root, comm);
}

int MPI_Allreduce(const void *data, void *sum, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (test::counts(type)) test::count_ring(n, comm);
  return PMPI_Allreduce(data, sum, n, type, op, comm);
}

int MPI_Scatter(const void *all, int each, MPI_Datatype type, void *own, int n, MPI_Datatype own_type, int root, MPI_Comm comm) {
  if (test::counted.counting) test::count_copies(true, test::bytes_of(n, own_type), root, comm);
  return PMPI_Scatter(all, each, type, own, n, own_type, root, comm);
}

int MPI_Gather(const void *own, int n, MPI_Datatype own_type, void *all, int each, MPI_Datatype type, int root, MPI_Comm comm) {
  if (test::counted.counting) test::count_copies(false, test::bytes_of(n, own_type), root, comm);
  return PMPI_Gather(own, n, own_type, all, each, type, root, comm);
}

int MPI_Alltoallw(const void *out, const int *out_counts, const int *out_places, const MPI_Datatype *out_types, void *in,
                  const int *in_counts, const int *in_places, const MPI_Datatype *in_types, MPI_Comm comm) {
  for (int r = 0; test::counted.counting && r < test::size_of(comm); ++r) {
    if (r == test::rank_of(comm)) continue;
    if (out_counts[r] > 0) test::counted.sent += test::bytes_of(out_counts[r], out_types[r]);
    if (in_counts[r] > 0) test::counted.received += test::bytes_of(in_counts[r], in_types[r]);
  }
  return PMPI_Alltoallw(out, out_counts, out_places, out_types, in, in_counts, in_places, in_types, comm);
}

int MPI_Scatterv(const void *all, const int *counts, const int *places, MPI_Datatype type, void *own, int n, MPI_Datatype own_type,
                 int root, MPI_Comm comm) {
  if (test::counted.counting) test::count_parts(true, counts, type, n, own_type, root, comm);
  return PMPI_Scatterv(all, counts, places, type, own, n, own_type, root, comm);
}

int MPI_Gatherv(const void *own, int n, MPI_Datatype own_type, void *all, const int *counts, const int *places, MPI_Datatype type,
                int root, MPI_Comm comm) {
  if (test::counted.counting) test::count_parts(false, counts, type, n, own_type, root, comm);
  return PMPI_Gatherv(own, n, own_type, all, counts, places, type, root, comm);
}

}  // extern "C"

#endif
