// Collective calls that move data: each against the same call of plain MPI, blocking, nonblocking, in place,
// on intracommunicators and intercommunicators.
#include "large/support.hpp"

#include <algorithm>
#include <functional>

using namespace large;

namespace {

using Call = std::function<int(const void* send, void* receive)>;
using Start = std::function<int(const void* send, void* receive, MPI_Request*)>;

struct Buffers {
  Bytes send, receive;
};

// The same call thrice: plain, for large counts, nonblocking for large counts. In place, `send` is a null buffer.
// With `plain_start`, the nonblocking call is compared with that: on tori of size 1 and 2 Open MPI's nonblocking
// neighbourhood calls match messages in another order than its blocking ones.
void compare(const std::string& what, const Buffers& buffers, bool in_place, const Call& plain, const Call& blocking,
             const Start& nonblocking, const Start& plain_start = nullptr) {
  Bytes wanted = buffers.receive, got = buffers.receive, later = buffers.receive;
  const void* send = in_place ? MPI_IN_PLACE : buffers.send.data();
  REQUIRE(plain(send, wanted.data()) == MPI_SUCCESS);
  CHECK(blocking(send, got.data()) == MPI_SUCCESS);
  CHECK_MESSAGE(same(got, wanted), what, " in_place ", in_place);
  MPI_Request request;
  if (plain_start) {
    wanted = buffers.receive;
    REQUIRE(plain_start(send, wanted.data(), &request) == MPI_SUCCESS);
    wait(&request);
  }
  CHECK(nonblocking(send, later.data(), &request) == MPI_SUCCESS);
  finish(request);
  CHECK_MESSAGE(same(later, wanted), what, " nonblocking, in_place ", in_place);
}

// Counts of every rank's, alike on all ranks; displacements in no order, without overlap.
struct Layout {
  std::vector<int> counts, starts;
  std::vector<MPI_Count> large_counts;
  std::vector<MPI_Aint> large_starts;
  int total = 0;

  explicit Layout(std::vector<int> lengths) : counts(std::move(lengths)) {
    std::vector<std::size_t> order(counts.size());
    for (std::size_t i = 0; i < order.size(); i++) order[i] = i;
    std::shuffle(order.begin(), order.end(), generator());
    starts.resize(counts.size());
    for (std::size_t at : order) {
      total += draw(3);  // gaps
      starts[at] = total;
      total += counts[at];
    }
    large_counts.assign(counts.begin(), counts.end());
    large_starts.assign(starts.begin(), starts.end());
    // MPI takes NULL for an error even where there are no partners, and MPICH checks as many elements as the
    // communicator has ranks, however few neighbours there are.
    counts.resize(counts.size() + 8);
    starts.resize(counts.size());
  }

  static Layout random(int n) {
    const auto choice = large::counts();
    std::vector<int> lengths;
    for (int i = 0; i < n; i++) lengths.push_back(choice[static_cast<std::size_t>(draw(static_cast<int>(choice.size())))]);
    return Layout(lengths);
  }
};

}  // namespace

TEST_CASE("test_large_bcast") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const auto& kind : kinds.all)
    for (int count : counts()) {
      const int root = draw(size);
      const Buffers buffers{{}, pattern(kind.extent * count, rank)};
      compare(
          "bcast " + kind.name, buffers, false,
          [&](const void*, void* x) { return MPI_Bcast(x, count, kind.type, root, MPI_COMM_WORLD); },
          [&](const void*, void* x) { return MPIX_Bcast_x(x, count, kind.type, root, MPI_COMM_WORLD); },
          [&](const void*, void* x, MPI_Request* r) {
            return MPIX_Ibcast_x(x, count, kind.type, root, MPI_COMM_WORLD, r);
          });
    }
}

TEST_CASE("test_large_gather_scatter") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const auto& kind : kinds.all)
    for (int n : counts())
      for (bool twin : {false, true}) {
        const int root = draw(size);
        const bool in_place = twin && rank == root;
        const MPI_Aint bytes = kind.extent * n;
        const auto t = kind.type;
        const Buffers up{pattern(bytes, rank), pattern(bytes * size, 50 + rank)};
        compare(
            "gather " + kind.name, up, in_place,
            [&](const void* s, void* r) { return MPI_Gather(s, n, t, r, n, t, root, MPI_COMM_WORLD); },
            [&](const void* s, void* r) { return MPIX_Gather_x(s, n, t, r, n, t, root, MPI_COMM_WORLD); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Igather_x(s, n, t, r, n, t, root, MPI_COMM_WORLD, q);
            });
        // The root's own part may stay where it is: then the receive buffer is the mark.
        Bytes whole = pattern(bytes * size, rank), wanted = pattern(bytes, 60), got = wanted, later = wanted;
        auto to = [&](Bytes& x) -> void* { return in_place ? MPI_IN_PLACE : static_cast<void*>(x.data()); };
        MPI_Scatter(whole.data(), n, t, to(wanted), n, t, root, MPI_COMM_WORLD);
        CHECK(MPIX_Scatter_x(whole.data(), n, t, to(got), n, t, root, MPI_COMM_WORLD) == MPI_SUCCESS);
        CHECK(same(got, wanted));
        MPI_Request request;
        CHECK(MPIX_Iscatter_x(whole.data(), n, t, to(later), n, t, root, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
        finish(request);
        CHECK(same(later, wanted));
      }
}

TEST_CASE("test_large_allgather_alltoall") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const auto& kind : kinds.all)
    for (int n : counts())
      for (bool in_place : {false, true}) {
        const MPI_Aint bytes = kind.extent * n * size;
        const auto t = kind.type;
        const Buffers buffers{pattern(bytes, rank), pattern(bytes, 50 + rank)};
        compare(
            "allgather " + kind.name, buffers, in_place,
            [&](const void* s, void* r) { return MPI_Allgather(s, n, t, r, n, t, MPI_COMM_WORLD); },
            [&](const void* s, void* r) { return MPIX_Allgather_x(s, n, t, r, n, t, MPI_COMM_WORLD); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Iallgather_x(s, n, t, r, n, t, MPI_COMM_WORLD, q);
            });
        compare(
            "alltoall " + kind.name, buffers, in_place,
            [&](const void* s, void* r) { return MPI_Alltoall(s, n, t, r, n, t, MPI_COMM_WORLD); },
            [&](const void* s, void* r) { return MPIX_Alltoall_x(s, n, t, r, n, t, MPI_COMM_WORLD); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Ialltoall_x(s, n, t, r, n, t, MPI_COMM_WORLD, q);
            });
      }
}

TEST_CASE("test_large_gatherv_scatterv") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const auto me = static_cast<std::size_t>(rank);
  for (const auto& kind : kinds.all)
    for (int round = 0; round < 4; round++) {
      const Layout l = Layout::random(size);
      const int root = draw(size), n = l.counts[me];
      const bool in_place = round % 2 == 1 && rank == root;
      const auto t = kind.type;
      const Buffers up{pattern(kind.extent * n, rank), pattern(kind.extent * l.total, 50)};
      compare(
          "gatherv " + kind.name, up, in_place,
          [&](const void* s, void* r) {
            return MPI_Gatherv(s, n, t, r, l.counts.data(), l.starts.data(), t, root, MPI_COMM_WORLD);
          },
          [&](const void* s, void* r) {
            return MPIX_Gatherv_x(s, n, t, r, l.large_counts.data(), l.large_starts.data(), t, root, MPI_COMM_WORLD);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Igatherv_x(s, n, t, r, l.large_counts.data(), l.large_starts.data(), t, root, MPI_COMM_WORLD, q);
          });
      Bytes whole = pattern(kind.extent * l.total, rank), wanted = pattern(kind.extent * n, 60), got = wanted,
            later = wanted;
      auto to = [&](Bytes& x) -> void* { return in_place ? MPI_IN_PLACE : static_cast<void*>(x.data()); };
      MPI_Scatterv(whole.data(), l.counts.data(), l.starts.data(), t, to(wanted), n, t, root, MPI_COMM_WORLD);
      CHECK(MPIX_Scatterv_x(whole.data(), l.large_counts.data(), l.large_starts.data(), t, to(got), n, t, root,
                            MPI_COMM_WORLD) == MPI_SUCCESS);
      CHECK(same(got, wanted));
      MPI_Request request;
      CHECK(MPIX_Iscatterv_x(whole.data(), l.large_counts.data(), l.large_starts.data(), t, to(later), n, t, root,
                             MPI_COMM_WORLD, &request) == MPI_SUCCESS);
      finish(request);
      CHECK(same(later, wanted));
    }
}

TEST_CASE("test_large_allgatherv") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const auto& kind : kinds.all)
    for (int round = 0; round < 4; round++) {
      const Layout l = Layout::random(size);
      const int n = l.counts[static_cast<std::size_t>(rank)];
      const auto t = kind.type;
      const Buffers buffers{pattern(kind.extent * n, rank), pattern(kind.extent * l.total, 50 + rank)};
      compare(
          "allgatherv " + kind.name, buffers, round % 2 == 1,
          [&](const void* s, void* r) {
            // MPICH's own Allgatherv of one rank ignores the displacement: one Gatherv to each rank.
            const auto* own = static_cast<char*>(r) + l.starts[static_cast<std::size_t>(rank)] * kind.extent;
            int code = MPI_SUCCESS;
            for (int root = 0; root < size && code == MPI_SUCCESS; root++) {
              const void* from = s != MPI_IN_PLACE ? s : rank == root ? MPI_IN_PLACE : own;
              code = MPI_Gatherv(from, n, t, r, l.counts.data(), l.starts.data(), t, root, MPI_COMM_WORLD);
            }
            return code;
          },
          [&](const void* s, void* r) {
            return MPIX_Allgatherv_x(s, n, t, r, l.large_counts.data(), l.large_starts.data(), t, MPI_COMM_WORLD);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Iallgatherv_x(s, n, t, r, l.large_counts.data(), l.large_starts.data(), t, MPI_COMM_WORLD, q);
          });
    }
}

TEST_CASE("test_large_alltoallv_alltoallw") {
  Kinds kinds(true);
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const auto me = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(size);
  for (const auto& kind : kinds.all)
    for (int round = 0; round < 4; round++) {
      const bool in_place = round == 3;
      // What i sends to j, alike on all ranks; symmetric in place.
      std::vector<std::vector<int>> matrix(n);
      for (auto& row : matrix) row = Layout::random(size).counts;
      if (in_place)
        for (std::size_t i = 0; i < n; i++)
          for (std::size_t j = 0; j < i; j++) matrix[i][j] = matrix[j][i];
      std::vector<int> column;
      for (const auto& row : matrix) column.push_back(row[me]);
      const Layout from(matrix[me]), to(column);
      const auto t = kind.type;
      const Buffers buffers{pattern(kind.extent * from.total, rank), pattern(kind.extent * to.total, 50 + rank)};
      // Always from another buffer: in place, MPICH's own calls break on pairs beyond 8 KiB. Open MPI's own
      // Alltoallw of one rank misplaces the items.
      const Call plain = [&](const void* s, void* r) {
        const bool twin = s == MPI_IN_PLACE;
        const Bytes copy = buffers.receive;
        return MPI_Alltoallv(twin ? copy.data() : s, twin ? to.counts.data() : from.counts.data(),
                             twin ? to.starts.data() : from.starts.data(), t, r, to.counts.data(), to.starts.data(), t,
                             MPI_COMM_WORLD);
      };
      compare(
          "alltoallv " + kind.name, buffers, in_place, plain,
          [&](const void* s, void* r) {
            return MPIX_Alltoallv_x(s, from.large_counts.data(), from.large_starts.data(), t, r, to.large_counts.data(),
                                    to.large_starts.data(), t, MPI_COMM_WORLD);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Ialltoallv_x(s, from.large_counts.data(), from.large_starts.data(), t, r,
                                     to.large_counts.data(), to.large_starts.data(), t, MPI_COMM_WORLD, q);
          });
      // The same exchange with displacements in bytes and a type a partner.
      const std::vector<MPI_Datatype> types(n, t);
      auto bytes = [&](const Layout& l) {
        std::vector<int> starts;
        for (int start : l.starts) starts.push_back(start * static_cast<int>(kind.extent));
        return starts;
      };
      const auto out = bytes(from), in = bytes(to);
      const std::vector<MPI_Aint> large_out(out.begin(), out.end()), large_in(in.begin(), in.end());
      compare(
          "alltoallw " + kind.name, buffers, in_place, plain,
          [&](const void* s, void* r) {
            return MPIX_Alltoallw_x(s, from.large_counts.data(), large_out.data(), types.data(), r,
                                    to.large_counts.data(), large_in.data(), types.data(), MPI_COMM_WORLD);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Ialltoallw_x(s, from.large_counts.data(), large_out.data(), types.data(), r,
                                     to.large_counts.data(), large_in.data(), types.data(), MPI_COMM_WORLD, q);
          });
    }
}

TEST_CASE("test_large_displacements_beyond_the_limit") {
  // Small counts, displacements past it: what a v-call of MPI-3 cannot express.
  const int size = size_of(MPI_COMM_WORLD), rank = rank_of(MPI_COMM_WORLD), far = 3 * limit() + 5;
  std::vector<MPI_Count> ones(static_cast<std::size_t>(size), 1);
  std::vector<MPI_Aint> starts;
  for (int i = 0; i < size; i++) starts.push_back(static_cast<MPI_Aint>(size - i) * far);
  std::vector<double> gathered(static_cast<std::size_t>((size + 1) * far), -1.0);
  const double mine = 10.0 + rank;
  CHECK(MPIX_Allgatherv_x(&mine, 1, MPI_DOUBLE, gathered.data(), ones.data(), starts.data(), MPI_DOUBLE,
                          MPI_COMM_WORLD) == MPI_SUCCESS);
  for (std::size_t i = 0; i < gathered.size(); i++) {
    const auto at = static_cast<int>(i);
    const bool item = at % far == 0 && at > 0;
    REQUIRE(gathered[i] == (item ? 10.0 + (size - at / far) : -1.0));
  }
}

namespace {

// Every neighbourhood call on one topology.
void neighbours(MPI_Comm comm, int sources, int destinations, const std::vector<int>& out_counts,
                const std::vector<int>& in_counts) {
  // Degrees differ by rank, and with them the numbers drawn: the ranks must agree again afterwards.
  const auto drawn = generator();
  Kinds kinds;
  const int rank = rank_of(comm);
  for (const auto& kind : kinds.all) {
    const auto t = kind.type;
    for (int n : {1, limit() + 1, 2 * limit()}) {
      const Buffers same_to_all{pattern(kind.extent * n, rank), pattern(kind.extent * n * sources, 50)};
      compare(
          "neighbor_allgather " + kind.name, same_to_all, false,
          [&](const void* s, void* r) { return MPI_Neighbor_allgather(s, n, t, r, n, t, comm); },
          [&](const void* s, void* r) { return MPIX_Neighbor_allgather_x(s, n, t, r, n, t, comm); },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Ineighbor_allgather_x(s, n, t, r, n, t, comm, q);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPI_Ineighbor_allgather(s, n, t, r, n, t, comm, q);
          });
      const Buffers each{pattern(kind.extent * n * destinations, rank), pattern(kind.extent * n * sources, 50)};
      compare(
          "neighbor_alltoall " + kind.name, each, false,
          [&](const void* s, void* r) { return MPI_Neighbor_alltoall(s, n, t, r, n, t, comm); },
          [&](const void* s, void* r) { return MPIX_Neighbor_alltoall_x(s, n, t, r, n, t, comm); },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Ineighbor_alltoall_x(s, n, t, r, n, t, comm, q);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPI_Ineighbor_alltoall(s, n, t, r, n, t, comm, q);
          });
      // All ranks send n items, to places in no order.
      const Layout gathered(std::vector<int>(static_cast<std::size_t>(sources), n));
      const Buffers apart{same_to_all.send, pattern(kind.extent * gathered.total, 50)};
      compare(
          "neighbor_allgatherv " + kind.name, apart, false,
          [&](const void* s, void* r) {
            return MPI_Neighbor_allgatherv(s, n, t, r, gathered.counts.data(), gathered.starts.data(), t, comm);
          },
          [&](const void* s, void* r) {
            return MPIX_Neighbor_allgatherv_x(s, n, t, r, gathered.large_counts.data(), gathered.large_starts.data(), t,
                                              comm);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Ineighbor_allgatherv_x(s, n, t, r, gathered.large_counts.data(), gathered.large_starts.data(),
                                               t, comm, q);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPI_Ineighbor_allgatherv(s, n, t, r, gathered.counts.data(), gathered.starts.data(), t, comm, q);
          });
    }
    const Layout from(out_counts), to(in_counts);
    const Buffers buffers{pattern(kind.extent * from.total, rank), pattern(kind.extent * to.total, 50)};
    compare(
        "neighbor_alltoallv " + kind.name, buffers, false,
        [&](const void* s, void* r) {
          return MPI_Neighbor_alltoallv(s, from.counts.data(), from.starts.data(), t, r, to.counts.data(),
                                        to.starts.data(), t, comm);
        },
        [&](const void* s, void* r) {
          return MPIX_Neighbor_alltoallv_x(s, from.large_counts.data(), from.large_starts.data(), t, r,
                                           to.large_counts.data(), to.large_starts.data(), t, comm);
        },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Ineighbor_alltoallv_x(s, from.large_counts.data(), from.large_starts.data(), t, r,
                                            to.large_counts.data(), to.large_starts.data(), t, comm, q);
        },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPI_Ineighbor_alltoallv(s, from.counts.data(), from.starts.data(), t, r, to.counts.data(),
                                        to.starts.data(), t, comm, q);
          });
    std::vector<MPI_Datatype> out_types(out_counts.size() + 8, t), in_types(in_counts.size() + 8, t);
    std::vector<MPI_Aint> out, in;
    for (int start : from.starts) out.push_back(start * kind.extent);
    for (int start : to.starts) in.push_back(start * kind.extent);
    compare(
        "neighbor_alltoallw " + kind.name, buffers, false,
        [&](const void* s, void* r) {
          // MPICH's own Neighbor_alltoallw delivers nothing to a rank without destinations.
          return MPI_Neighbor_alltoallv(s, from.counts.data(), from.starts.data(), t, r, to.counts.data(),
                                        to.starts.data(), t, comm);
        },
        [&](const void* s, void* r) {
          return MPIX_Neighbor_alltoallw_x(s, from.large_counts.data(), out.data(), out_types.data(), r,
                                           to.large_counts.data(), in.data(), in_types.data(), comm);
        },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Ineighbor_alltoallw_x(s, from.large_counts.data(), out.data(), out_types.data(), r,
                                            to.large_counts.data(), in.data(), in_types.data(), comm, q);
        },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPI_Ineighbor_alltoallv(s, from.counts.data(), from.starts.data(), t, r, to.counts.data(),
                                         to.starts.data(), t, comm, q);
          });
  }
  generator() = drawn;
}

}  // namespace

TEST_CASE("test_large_neighbours_on_grids") {
  const int size = size_of(MPI_COMM_WORLD), l = limit();
  // A ring, a line with open ends, and a torus that has one rank across: both neighbours are the rank itself.
  struct Grid {
    int dims[2], periods[2], n;
  };
  for (const Grid& grid : {Grid{{size, 0}, {1, 0}, 1}, Grid{{size, 0}, {0, 0}, 1}, Grid{{size, 1}, {1, 1}, 2}}) {
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, grid.n, grid.dims, grid.periods, 0, &comm);
    // To lower and upper neighbours the same number, so that it is right on tori of size 1 and 2 as well.
    const std::vector<int> each = grid.n == 1 ? std::vector<int>{2 * l + 1, 2 * l + 1}
                                              : std::vector<int>{2 * l + 1, 2 * l + 1, 3, 3};
    neighbours(comm, 2 * grid.n, 2 * grid.n, each, each);
    MPI_Comm_free(&comm);
  }
}

TEST_CASE("test_large_neighbours_on_random_graphs") {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (int round = 0; round < 2; round++) {
    // Edges from i to j with counts, alike on all ranks; some ranks may have none.
    std::vector<int> sources, destinations, in, out;
    for (int i = 0; i < size; i++)
      for (int j = 0; j < size; j++) {
        if (draw(2) == 0) continue;
        const auto choice = counts();
        const int count = choice[static_cast<std::size_t>(draw(static_cast<int>(choice.size())))];
        if (i == rank) destinations.push_back(j), out.push_back(count);
        if (j == rank) sources.push_back(i), in.push_back(count);
      }
    MPI_Comm comm;
    const auto n = static_cast<int>(sources.size()), m = static_cast<int>(destinations.size());
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, sources.data(), MPI_UNWEIGHTED, m, destinations.data(),
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    neighbours(comm, n, m, out, in);
    MPI_Comm_free(&comm);
  }
}

TEST_CASE("test_large_intercommunicators") {
  MPI_Comm inter = make_intercomm();
  if (inter == MPI_COMM_NULL) return;
  Kinds kinds;
  int remote = 0;
  MPI_Comm_remote_size(inter, &remote);
  const int world = rank_of(MPI_COMM_WORLD), rank = rank_of(inter);
  const bool even = world % 2 == 0;
  // The root is rank 0 of the even group.
  const int root = !even ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  const std::vector<MPI_Count> large(static_cast<std::size_t>(remote), 2 * limit() + 1);
  const std::vector<int> small(large.begin(), large.end());
  std::vector<int> starts;
  for (int i = 0; i < remote; i++) starts.push_back((remote - 1 - i) * small[0]);
  const std::vector<MPI_Aint> far(starts.begin(), starts.end());
  const int n = small[0];
  for (const auto& kind : kinds.all) {
    const auto t = kind.type;
    const Buffers buffers{pattern(kind.extent * n * remote, world), pattern(kind.extent * n * remote, 50)};
    compare(
        "inter bcast", buffers, false, [&](const void*, void* r) { return MPI_Bcast(r, n, t, root, inter); },
        [&](const void*, void* r) { return MPIX_Bcast_x(r, n, t, root, inter); },
        [&](const void*, void* r, MPI_Request* q) { return MPIX_Ibcast_x(r, n, t, root, inter, q); });
    compare(
        "inter gather", buffers, false,
        [&](const void* s, void* r) { return MPI_Gather(s, n, t, r, n, t, root, inter); },
        [&](const void* s, void* r) { return MPIX_Gather_x(s, n, t, r, n, t, root, inter); },
        [&](const void* s, void* r, MPI_Request* q) { return MPIX_Igather_x(s, n, t, r, n, t, root, inter, q); });
    compare(
        "inter scatter", buffers, false,
        [&](const void* s, void* r) { return MPI_Scatter(s, n, t, r, n, t, root, inter); },
        [&](const void* s, void* r) { return MPIX_Scatter_x(s, n, t, r, n, t, root, inter); },
        [&](const void* s, void* r, MPI_Request* q) { return MPIX_Iscatter_x(s, n, t, r, n, t, root, inter, q); });
    compare(
        "inter allgather", buffers, false,
        [&](const void* s, void* r) { return MPI_Allgather(s, n, t, r, n, t, inter); },
        [&](const void* s, void* r) { return MPIX_Allgather_x(s, n, t, r, n, t, inter); },
        [&](const void* s, void* r, MPI_Request* q) { return MPIX_Iallgather_x(s, n, t, r, n, t, inter, q); });
    compare(
        "inter alltoall", buffers, false,
        [&](const void* s, void* r) { return MPI_Alltoall(s, n, t, r, n, t, inter); },
        [&](const void* s, void* r) { return MPIX_Alltoall_x(s, n, t, r, n, t, inter); },
        [&](const void* s, void* r, MPI_Request* q) { return MPIX_Ialltoall_x(s, n, t, r, n, t, inter, q); });
    compare(
        "inter gatherv", buffers, false,
        [&](const void* s, void* r) { return MPI_Gatherv(s, n, t, r, small.data(), starts.data(), t, root, inter); },
        [&](const void* s, void* r) { return MPIX_Gatherv_x(s, n, t, r, large.data(), far.data(), t, root, inter); },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Igatherv_x(s, n, t, r, large.data(), far.data(), t, root, inter, q);
        });
    compare(
        "inter scatterv", buffers, false,
        [&](const void* s, void* r) { return MPI_Scatterv(s, small.data(), starts.data(), t, r, n, t, root, inter); },
        [&](const void* s, void* r) { return MPIX_Scatterv_x(s, large.data(), far.data(), t, r, n, t, root, inter); },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Iscatterv_x(s, large.data(), far.data(), t, r, n, t, root, inter, q);
        });
    compare(
        "inter allgatherv", buffers, false,
        [&](const void* s, void* r) { return MPI_Allgatherv(s, n, t, r, small.data(), starts.data(), t, inter); },
        [&](const void* s, void* r) { return MPIX_Allgatherv_x(s, n, t, r, large.data(), far.data(), t, inter); },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Iallgatherv_x(s, n, t, r, large.data(), far.data(), t, inter, q);
        });
    compare(
        "inter alltoallv", buffers, false,
        [&](const void* s, void* r) {
          return MPI_Alltoallv(s, small.data(), starts.data(), t, r, small.data(), starts.data(), t, inter);
        },
        [&](const void* s, void* r) {
          return MPIX_Alltoallv_x(s, large.data(), far.data(), t, r, large.data(), far.data(), t, inter);
        },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Ialltoallv_x(s, large.data(), far.data(), t, r, large.data(), far.data(), t, inter, q);
        });
    const std::vector<MPI_Datatype> types(large.size(), t);
    std::vector<MPI_Aint> bytes;
    for (int start : starts) bytes.push_back(start * kind.extent);
    compare(
        "inter alltoallw", buffers, false,
        [&](const void* s, void* r) {
          return MPI_Alltoallv(s, small.data(), starts.data(), t, r, small.data(), starts.data(), t, inter);
        },
        [&](const void* s, void* r) {
          return MPIX_Alltoallw_x(s, large.data(), bytes.data(), types.data(), r, large.data(), bytes.data(),
                                  types.data(), inter);
        },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Ialltoallw_x(s, large.data(), bytes.data(), types.data(), r, large.data(), bytes.data(),
                                   types.data(), inter, q);
        });
  }
  MPI_Comm_free(&inter);
}

TEST_CASE("test_large_insignificant_arguments") {
  // In place and off the root, counts and types mean nothing: they may be anything.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  const MPI_Count wild = MPI_Count{1} << 40;
  const auto all = static_cast<std::size_t>(n) * static_cast<std::size_t>(size);
  std::vector<double> x(all), wanted(all);
  for (std::size_t i = 0; i < all; i++) {
    wanted[i] = static_cast<double>(i);
    x[i] = static_cast<int>(i) / n == rank ? wanted[i] : -1.0;
  }
  CHECK(MPIX_Allgather_x(MPI_IN_PLACE, wild, MPI_DATATYPE_NULL, x.data(), n, MPI_DOUBLE, MPI_COMM_WORLD) ==
        MPI_SUCCESS);
  CHECK(x == wanted);
  std::vector<double> mine(x.begin() + rank * n, x.begin() + (rank + 1) * n), gathered(rank == 0 ? all : 0);
  if (rank == 0) {
    std::copy(mine.begin(), mine.end(), gathered.begin());
    CHECK(MPIX_Gather_x(MPI_IN_PLACE, wild, MPI_DATATYPE_NULL, gathered.data(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
    CHECK(gathered == wanted);
  } else {
    CHECK(MPIX_Gather_x(mine.data(), n, MPI_DOUBLE, nullptr, wild, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD) ==
          MPI_SUCCESS);
  }
  const std::vector<MPI_Count> counts(static_cast<std::size_t>(size), n);
  std::vector<MPI_Aint> starts;
  for (int i = 0; i < size; i++) starts.push_back(static_cast<MPI_Aint>(i) * n);
  CHECK(MPIX_Alltoallv_x(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, x.data(), counts.data(), starts.data(),
                         MPI_DOUBLE, MPI_COMM_WORLD) == MPI_SUCCESS);
  if (rank == 0)
    CHECK(MPIX_Gatherv_x(MPI_IN_PLACE, wild, MPI_DATATYPE_NULL, gathered.data(), counts.data(), starts.data(),
                         MPI_DOUBLE, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
  else
    CHECK(MPIX_Gatherv_x(mine.data(), n, MPI_DOUBLE, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, 0,
                         MPI_COMM_WORLD) == MPI_SUCCESS);
}

TEST_CASE("test_large_allgatherv_between_unequal_groups") {
  // Neither group knows what the other receives; all the same both must take one way.
  MPI_Comm inter = make_intercomm();
  if (inter == MPI_COMM_NULL) return;
  int remote = 0;
  MPI_Comm_remote_size(inter, &remote);
  const bool even = rank_of(MPI_COMM_WORLD) % 2 == 0;
  // The odd ranks have nothing for the even ones.
  for (int each : {1, 2 * limit() + 1}) {
    const std::vector<MPI_Count> lengths(static_cast<std::size_t>(remote), even ? 0 : each);
    std::vector<MPI_Aint> starts;
    for (int i = 0; i < remote; i++) starts.push_back(static_cast<MPI_Aint>(remote - 1 - i) * each);
    const std::vector<double> mine(static_cast<std::size_t>(each), rank_of(MPI_COMM_WORLD));
    for (bool blocking : {true, false}) {
      std::vector<double> all(static_cast<std::size_t>(each * remote), -1.0);
      MPI_Request request = MPI_REQUEST_NULL;
      CHECK((blocking ? MPIX_Allgatherv_x(mine.data(), even ? each : 0, MPI_DOUBLE, all.data(), lengths.data(),
                                          starts.data(), MPI_DOUBLE, inter)
                      : MPIX_Iallgatherv_x(mine.data(), even ? each : 0, MPI_DOUBLE, all.data(), lengths.data(),
                                           starts.data(), MPI_DOUBLE, inter, &request)) == MPI_SUCCESS);
      wait(&request);
      for (int i = 0; i < each * remote; i++)
        REQUIRE(all[static_cast<std::size_t>(i)] == (even ? -1.0 : 2.0 * (remote - 1 - i / each)));
    }
  }
  MPI_Comm_free(&inter);
}

TEST_CASE("test_large_exchange_on_a_communicator_with_a_topology") {
  // Open MPI keeps as many types of a nonblocking Alltoallw as a rank has neighbours there: fewer or more than ranks.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  const auto all = static_cast<std::size_t>(n) * static_cast<std::size_t>(size);
  for (int dimensions : {1, 3}) {
    const int dims[] = {size, 1, 1}, periods[] = {1, 1, 1};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, dims, periods, 0, &grid);
    for (int round = 0; round < 20; round++) {
      MPI_Datatype pair;
      MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
      MPI_Type_commit(&pair);
      std::vector<double> x(2 * all), y(2 * all, -1.0);
      for (std::size_t i = 0; i < x.size(); i++) x[i] = 1e6 * rank + static_cast<double>(i) + round;
      const std::vector<MPI_Count> lengths(static_cast<std::size_t>(size), n);
      std::vector<MPI_Aint> starts;
      for (int i = 0; i < size; i++) starts.push_back(static_cast<MPI_Aint>(i) * n);
      MPI_Request request;
      CHECK(MPIX_Ialltoallv_x(x.data(), lengths.data(), starts.data(), pair, y.data(), lengths.data(), starts.data(),
                              pair, grid, &request) == MPI_SUCCESS);
      MPI_Type_free(&pair);
      finish(request);
      for (std::size_t i = 0; i < y.size(); i++) {
        const auto part = 2 * static_cast<std::size_t>(n), from = i / part;
        REQUIRE(y[i] == 1e6 * static_cast<double>(from) + static_cast<double>(static_cast<std::size_t>(rank) * part + i % part) + round);
      }
    }
    MPI_Comm_free(&grid);
  }
}

TEST_CASE("test_large_parts_of_one_buffer") {
  // What is sent and what is received lie behind one address, apart from each other. MPICH refuses that.
#ifndef MPICH
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  std::vector<double> x(2 * static_cast<std::size_t>(n * size), -1.0);
  const std::vector<MPI_Count> lengths(static_cast<std::size_t>(size), n);
  std::vector<MPI_Aint> out, in;
  for (int i = 0; i < size; i++) {
    out.push_back(static_cast<MPI_Aint>(i) * n);
    in.push_back(static_cast<MPI_Aint>(size + i) * n);
  }
  for (int i = 0; i < n * size; i++) x[static_cast<std::size_t>(i)] = 1e6 * rank + i;
  MPI_Request request;
  CHECK(MPIX_Ialltoallv_x(x.data(), lengths.data(), out.data(), MPI_DOUBLE, x.data(), lengths.data(), in.data(),
                          MPI_DOUBLE, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
  wait(&request);
  for (int i = 0; i < n * size; i++)
    REQUIRE(x[static_cast<std::size_t>(n * size + i)] == 1e6 * (i / n) + rank * n + i % n);
#endif
}

TEST_CASE("test_large_structures_in_place") {
  // MPICH cuts a long message of bytes anywhere, also within what it receives as a structure.
  struct Item {
    double value;
    int index;
  };
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2000;
  const int ones[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype item;
  MPI_Type_create_struct(2, ones, places, types, &item);
  MPI_Type_commit(&item);
  const std::vector<MPI_Count> lengths(static_cast<std::size_t>(size), n);
  std::vector<MPI_Aint> starts;
  for (int i = 0; i < size; i++) starts.push_back(static_cast<MPI_Aint>(i) * n);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int what = 0; what < 4; what++) {
    std::vector<Item> x(static_cast<std::size_t>(n * size));
    for (int i = 0; i < n * size; i++) x[static_cast<std::size_t>(i)] = {1e6 * rank + i, 1000000 * rank + i};
    MPI_Request request = MPI_REQUEST_NULL;
    if (what == 0)
      MPIX_Alltoallv_x(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, x.data(), lengths.data(), starts.data(), item,
                       MPI_COMM_WORLD);
    else if (what == 1)
      MPIX_Ialltoallv_x(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, x.data(), lengths.data(), starts.data(), item,
                        MPI_COMM_WORLD, &request);
    else if (what == 2)
      MPIX_Isendrecv_replace_x(x.data(), n, item, right, 1, left, 1, MPI_COMM_WORLD, &request);
    else if (n > BigMPI_Get_max_int())  // else it is MPI's own call
      MPIX_Sendrecv_replace_x(x.data(), n, item, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      continue;
    wait(&request);
    for (int i = 0; i < (what < 2 ? n * size : n); i++) {
      const int from = what < 2 ? i / n : left, at = what < 2 ? rank * n + i % n : i;
      REQUIRE(x[static_cast<std::size_t>(i)].value == 1e6 * from + at);
      REQUIRE(x[static_cast<std::size_t>(i)].index == 1000000 * from + at);
    }
  }
  MPI_Type_free(&item);
}
