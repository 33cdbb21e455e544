// A program that repeats its calls allocates memory in the first rounds only: those of the library are counted apart
// from MPI's, by where they come from.
#include "harness/allocations.hpp"
#include "harness/identity.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using admpi::var;
using test::counted;
using test::ring;

const MPI_Comm world = MPI_COMM_WORLD;

/// Records `call` of `x` and `y` in some rounds, and sweeps. The first round allocates; of those that follow some do not:
/// how many messages are under way together differs from round to round.
void check_warm(const char *name, std::size_t n, const std::function<void(var *, var *)> &call) {
  INFO(std::string(name));
  admpi::tape tape;
  std::vector<var> x(n, 1.5);
  long first = 0, least_recorded = 1, least_swept = 1;
  for (int round = 0; round < 12; ++round) {
    tape.reset();
    tape.start();
    tape.input(x);
    std::vector<var> y(n);
    const long recorded = counted([&] {
      for (int i = 0; i < 3; ++i) call(x.data(), y.data());
    });
    tape.stop();
    tape.seed(y[0]);
    const long swept = counted([&] { tape.reverse(); });
    if (round == 0) {
      first = recorded + swept;
    } else {
      least_recorded = std::min(least_recorded, recorded);
      least_swept = std::min(least_swept, swept);
    }
    MPI_Barrier(world);
  }
  CHECK(first > 0);
  CHECK(least_recorded == 0);
  CHECK(least_swept == 0);
}

}  // namespace

TEST_CASE("test_allocations_messages") {
  test::begin();
  const ring at;
  for (const int n : {1, 100, 3000}) {
    check_warm("Irecv, Isend", static_cast<std::size_t>(n), [&](var *x, var *y) {
      AMPI_Request q[2];
      AMPI_Irecv(y, n, AMPI_ADOUBLE, at.left, 0, world, &q[0]);
      AMPI_Isend(x, n, AMPI_ADOUBLE, at.right, 0, world, &q[1]);
      AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    });
    check_warm("Sendrecv", static_cast<std::size_t>(n), [&](var *x, var *y) {
      AMPI_Sendrecv(x, n, AMPI_ADOUBLE, at.right, 0, y, n, AMPI_ADOUBLE, at.left, 0, world, MPI_STATUS_IGNORE);
    });
  }
}

TEST_CASE("test_allocations_collectives") {
  test::begin();
  const ring at;
  const int size = at.size;
  const auto ranks = static_cast<std::size_t>(size);
  // Rank r has r + 1 values.
  std::vector<int> counts(ranks), displs(ranks), own(ranks, at.rank + 1), places(ranks), bytes(ranks), own_bytes(ranks);
  std::vector<MPI_Datatype> types(ranks, AMPI_ADOUBLE);
  int total = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    counts[r] = static_cast<int>(r) + 1;
    displs[r] = total;
    bytes[r] = 16 * total;
    total += counts[r];
    places[r] = static_cast<int>(r) * own[r];
    own_bytes[r] = 16 * places[r];
  }
  const std::size_t room = 5 + ranks * ranks + static_cast<std::size_t>(total);
  const int n = at.rank + 1;
  const MPI_Datatype type = AMPI_ADOUBLE;
  check_warm("Bcast", room, [&](var *x, var *) { AMPI_Bcast(x, 5, type, 0, world); });
  check_warm("Allreduce", room, [&](var *x, var *y) { AMPI_Allreduce(x, y, 5, type, MPI_SUM, world); });
  check_warm("Allgather", room, [&](var *x, var *y) { AMPI_Allgather(x, 1, type, y, 1, type, world); });
  check_warm("Alltoall", room, [&](var *x, var *y) { AMPI_Alltoall(x, 1, type, y, 1, type, world); });
  check_warm("Gatherv", room, [&](var *x, var *y) {
    AMPI_Gatherv(x, n, type, y, counts.data(), displs.data(), type, 0, world);
  });
  check_warm("Scatterv", room, [&](var *x, var *y) {
    AMPI_Scatterv(x, counts.data(), displs.data(), type, y, n, type, 0, world);
  });
  check_warm("Allgatherv", room, [&](var *x, var *y) {
    AMPI_Allgatherv(x, n, type, y, counts.data(), displs.data(), type, world);
  });
  check_warm("Allgatherv in place", room, [&](var *, var *y) {
    AMPI_Allgatherv(MPI_IN_PLACE, 0, type, y, counts.data(), displs.data(), type, world);
  });
  check_warm("Alltoallv", room, [&](var *x, var *y) {
    AMPI_Alltoallv(x, counts.data(), displs.data(), type, y, own.data(), places.data(), type, world);
  });
  check_warm("Alltoallw", room, [&](var *x, var *y) {
    AMPI_Alltoallw(x, counts.data(), bytes.data(), types.data(), y, own.data(), own_bytes.data(), types.data(), world);
  });
  check_warm("Reduce_scatter", room, [&](var *x, var *y) {
    AMPI_Reduce_scatter(x, y, counts.data(), type, MPI_SUM, world);
  });
}

TEST_CASE("test_allocations_neighbours") {
  test::begin();
  const ring at;
  const int sources[] = {at.left, at.right}, destinations[] = {at.right, at.left};
  MPI_Comm graph;
  AMPI_Dist_graph_create_adjacent(world, 2, sources, MPI_UNWEIGHTED, 2, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                  &graph);
  const int counts[] = {2, 2}, displs[] = {0, 2};
  const MPI_Aint bytes[] = {0, 32};
  const MPI_Datatype type = AMPI_ADOUBLE, types[] = {type, type};
  check_warm("Neighbor_allgather", 4, [&](var *x, var *y) {
    AMPI_Neighbor_allgather(x, 2, type, y, 2, type, graph);
  });
  check_warm("Neighbor_allgatherv", 4, [&](var *x, var *y) {
    AMPI_Neighbor_allgatherv(x, 2, type, y, counts, displs, type, graph);
  });
  check_warm("Neighbor_alltoall", 4, [&](var *x, var *y) { AMPI_Neighbor_alltoall(x, 2, type, y, 2, type, graph); });
  check_warm("Neighbor_alltoallv", 4, [&](var *x, var *y) {
    AMPI_Neighbor_alltoallv(x, counts, displs, type, y, counts, displs, type, graph);
  });
  check_warm("Neighbor_alltoallw", 4, [&](var *x, var *y) {
    AMPI_Neighbor_alltoallw(x, counts, bytes, types, y, counts, bytes, types, graph);
  });
  AMPI_Comm_free(&graph);
}

TEST_CASE("test_allocations_array_statements") {
  test::begin();
  admpi::tape tape;
  long recorded = 0, swept = 0;
  for (int round = 0; round < 3; ++round) {
    tape.reset();
    tape.start();
    admpi::varmat a(std::vector<double>(1200, 0.5)), b;
    a.reshape(40, 30);
    tape.input(a);
    var s = a(0, 0);
    a(3, 4) = s * 2.0;  // ids in a list from here on
    recorded = counted([&] {
      for (int i = 0; i < 3; ++i) {
        b = elt_multiply(exp(a), a) + s;
        b.block(1, 1, 38, 28) = elt_multiply(sin(b.block(0, 1, 38, 28)), b.block(2, 1, 38, 28));
        s += dot(a, b);
      }
    });
    tape.stop();
    tape.seed(s);
    swept = counted([&] { tape.reverse(); });
  }
  // A handle for each of the three matrices that a round makes.
  CHECK(recorded == 9);
  CHECK(swept == 0);
}
