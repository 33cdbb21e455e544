// What BigMPI gets wrong, each as a test of its own; its names and signatures; and that nothing leaks.
#include "large/support.hpp"

#include <malloc.h>

using namespace large;

TEST_CASE("test_large_bigmpi_in_place_with_null_type") {
  // BigMPI makes a large type of MPI_DATATYPE_NULL and aborts.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  std::vector<double> x(static_cast<std::size_t>(n) * static_cast<std::size_t>(size), rank);
  CHECK(MPIX_Allgather_x(MPI_IN_PLACE, n, MPI_DATATYPE_NULL, x.data(), n, MPI_DOUBLE, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < size; i++) CHECK(x[static_cast<std::size_t>(i) * static_cast<std::size_t>(n)] == i);
  CHECK(MPIX_Alltoall_x(MPI_IN_PLACE, n, MPI_DATATYPE_NULL, x.data(), n, MPI_DOUBLE, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(x[0] == rank);
}

TEST_CASE("test_large_bigmpi_pair_types") {
  // BigMPI's pieces step by size, 12 bytes, instead of extent, 16.
  struct Pair {
    double value;
    int index;
  };
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 3 * limit() + 1;
  std::vector<Pair> x(static_cast<std::size_t>(n)), y(x.size());
  for (int i = 0; i < n; i++) x[static_cast<std::size_t>(i)] = {static_cast<double>((i + rank) % size), rank};
  CHECK(MPIX_Allreduce_x(x.data(), y.data(), n, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < n; i++) {
    const int winner = ((size - 1 - i) % size + size) % size;
    REQUIRE(y[static_cast<std::size_t>(i)].value == size - 1);
    REQUIRE(y[static_cast<std::size_t>(i)].index == winner);
  }
}

TEST_CASE("test_large_bigmpi_ireduce_of_three") {
  // BigMPI's operation asserts where libnbc calls it with no items.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  for (int root = 0; root < size; root++) {
    auto x = numbers(static_cast<std::size_t>(n), rank);
    std::vector<double> y(x.size());
    MPI_Request request;
    CHECK(MPIX_Ireduce_x(x.data(), y.data(), n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    wait(&request);
    if (rank != root) continue;
    double wanted = 0;
    for (int i = 0; i < size; i++) wanted += numbers(static_cast<std::size_t>(n), i)[static_cast<std::size_t>(n) - 1];
    CHECK(y[static_cast<std::size_t>(n) - 1] == wanted);
  }
}

TEST_CASE("test_large_bigmpi_reduce_scatter_block") {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  std::vector<double> x(static_cast<std::size_t>(n) * static_cast<std::size_t>(size)), y(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); i++) x[i] = static_cast<double>(i);
  CHECK(MPIX_Reduce_scatter_block_x(x.data(), y.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  for (int i = 0; i < n; i++) REQUIRE(y[static_cast<std::size_t>(i)] == static_cast<double>(size) * (rank * n + i));
}

TEST_CASE("test_large_bigmpi_neighbours_by_degree") {
  // BigMPI takes the communicator's size for the number of neighbours.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  const int from = (rank + size - 1) % size, to = (rank + 1) % size;
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  std::vector<double> x(static_cast<std::size_t>(n), rank), y(x.size());
  const MPI_Count count = n;
  const MPI_Aint start = 0;
  CHECK(MPIX_Neighbor_alltoallv_x(x.data(), &count, &start, MPI_DOUBLE, y.data(), &count, &start, MPI_DOUBLE, ring) ==
        MPI_SUCCESS);
  CHECK(y[static_cast<std::size_t>(n) - 1] == from);
  MPI_Comm_free(&ring);
}

namespace {

void largest(void* in, void* inout, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; i++)
    if (static_cast<double*>(in)[i] > static_cast<double*>(inout)[i])
      static_cast<double*>(inout)[i] = static_cast<double*>(in)[i];
}

}  // namespace

TEST_CASE("test_large_bigmpi_user_operation_nonblocking") {
  // BigMPI aborts. Type and communicator-independent handles may be freed as soon as the call has started.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  MPI_Op op;
  MPI_Op_create(largest, 1, &op);
  std::vector<double> x(static_cast<std::size_t>(n), rank);
  MPI_Request request;
  CHECK(MPIX_Iallreduce_x(MPI_IN_PLACE, x.data(), n, MPI_DOUBLE, op, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  wait(&request);
  MPI_Op_free(&op);
  CHECK(x[0] == size - 1);
  CHECK(x[static_cast<std::size_t>(n) - 1] == size - 1);
}

TEST_CASE("test_large_user_type_freed_early") {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  std::vector<double> x(2 * static_cast<std::size_t>(n) * static_cast<std::size_t>(size), rank), y(x.size(), -1);
  const std::vector<MPI_Count> counts(static_cast<std::size_t>(size), n);
  std::vector<MPI_Aint> starts;
  for (int i = 0; i < size; i++) starts.push_back(static_cast<MPI_Aint>(i) * n);
  MPI_Request request;
  CHECK(MPIX_Ialltoallv_x(x.data(), counts.data(), starts.data(), pair, y.data(), counts.data(), starts.data(), pair,
                          MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  MPI_Type_free(&pair);
  wait(&request);
  for (std::size_t i = 0; i < y.size(); i++) REQUIRE(y[i] == static_cast<double>(i / (2 * static_cast<std::size_t>(n))));
}

namespace {

// One call of every kind that makes types, arrays, operations or requests of its own.
void one_of_each() {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = limit() + 1;
  static std::vector<double> x, y;
  x.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(size));
  y.resize(x.size());
  static std::vector<MPI_Count> counts;
  static std::vector<MPI_Aint> starts;
  counts.assign(static_cast<std::size_t>(size), n);
  starts.clear();
  for (int i = 0; i < size; i++) starts.push_back(static_cast<MPI_Aint>(i) * n);
  MPI_Request request;
  MPIX_Bcast_x(x.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPIX_Iallreduce_x(x.data(), y.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPIX_Ireduce_scatter_x(x.data(), y.data(), counts.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPIX_Ialltoallv_x(x.data(), counts.data(), starts.data(), MPI_DOUBLE, y.data(), counts.data(), starts.data(),
                    MPI_DOUBLE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPIX_Ibcast_x(x.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPIX_Isendrecv_x(x.data(), n, MPI_DOUBLE, (rank + 1) % size, 1, y.data(), n, MPI_DOUBLE, (rank + size - 1) % size, 1,
                   MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Datatype type;
  MPIX_Type_contiguous_x(n, MPI_DOUBLE, &type);
  MPI_Type_free(&type);
}

}  // namespace

TEST_CASE("test_large_nothing_leaks") {
  for (int i = 0; i < 100; i++) one_of_each();
  const auto before = mallinfo2().uordblks;
  for (int i = 0; i < 1000; i++) one_of_each();
  const auto after = mallinfo2().uordblks;
  // A leak of one small object a call would be 100 times as much.
  CHECK_MESSAGE(after < before + 100000, "grew by ", after - before, " bytes");
}
