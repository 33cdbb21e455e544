// Persistent collective calls: started several times, each time with other data, and compared with plain MPI.
#include "large/support.hpp"

#include <algorithm>
#include <functional>

using namespace large;

namespace {

using Call = std::function<int(const void* send, void* receive)>;
using Init = std::function<int(const void* send, void* receive, MPI_Request*)>;

struct Sizes {
  MPI_Aint send, receive;
};

// In place, what is sent is in the receive buffer.
void rounds(const std::string& what, Sizes sizes, bool in_place, const Call& plain, const Init& init) {
  const int rank = rank_of(MPI_COMM_WORLD);
  Bytes send = pattern(sizes.send, 0), got = pattern(sizes.receive, 0);
  const void* from = in_place ? MPI_IN_PLACE : send.data();
  MPI_Request request;
  REQUIRE_MESSAGE(init(from, got.data(), &request) == MPI_SUCCESS, what);
  for (int round = 0; round < 3; round++) {
    // The request knows the buffers' addresses.
    const Bytes now = pattern(sizes.send, 100 * round + rank), blank = pattern(sizes.receive, 100 * round + 50 + rank);
    std::copy(now.begin(), now.end(), send.begin());
    std::copy(blank.begin(), blank.end(), got.begin());
    Bytes wanted = blank;
    REQUIRE(plain(from, wanted.data()) == MPI_SUCCESS);
    CHECK(MPI_Start(&request) == MPI_SUCCESS);
    if (round == 1) {
      int flag = 0;
      while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    } else {
      wait(&request);
    }
    CHECK_MESSAGE(same(got, wanted), what, ", round ", round, ", in_place ", in_place);
  }
  CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
}

// Parts of different lengths, in no order.
struct Parts {
  std::vector<int> counts, starts;
  std::vector<MPI_Count> large_counts;
  std::vector<MPI_Aint> large_starts;
  int total = 2;

  explicit Parts(std::vector<int> lengths) : counts(std::move(lengths)), starts(counts.size()) {
    for (std::size_t i = counts.size(); i-- > 0; total += counts[i] + 1) starts[i] = total;
    large_counts.assign(counts.begin(), counts.end());
    large_starts.assign(starts.begin(), starts.end());
  }

  std::vector<MPI_Aint> bytes(MPI_Aint extent) const {
    std::vector<MPI_Aint> all;
    for (int start : starts) all.push_back(start * extent);
    return all;
  }
};

const MPI_Info none = MPI_INFO_NULL;

}  // namespace

TEST_CASE("test_large_persistent_movement") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const MPI_Comm comm = MPI_COMM_WORLD;
  for (const auto& kind : kinds.all)
    for (int n : {1, limit() + 1, 2 * limit()}) {
      const MPI_Aint one = kind.extent * n, all = one * size;
      const auto t = kind.type;
      const int root = n % size;
      rounds(
          "bcast_init " + kind.name, {0, one}, false,
          [&](const void*, void* r) { return MPI_Bcast(r, n, t, root, comm); },
          [&](const void*, void* r, MPI_Request* q) {
            return MPIX_Bcast_init_x(r, n, t, root, comm, none, q);
          });
      for (bool twin : {false, true}) {
        const bool in_place = twin && rank == root;
        rounds(
            "gather_init " + kind.name, {one, all}, in_place,
            [&](const void* s, void* r) { return MPI_Gather(s, n, t, r, n, t, root, comm); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Gather_init_x(s, n, t, r, n, t, root, comm, none, q);
            });
        rounds(
            "allgather_init " + kind.name, {one, all}, twin,
            [&](const void* s, void* r) { return MPI_Allgather(s, n, t, r, n, t, comm); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Allgather_init_x(s, n, t, r, n, t, comm, none, q);
            });
      }
      rounds(
          "scatter_init " + kind.name, {all, one}, false,
          [&](const void* s, void* r) { return MPI_Scatter(s, n, t, r, n, t, root, comm); },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Scatter_init_x(s, n, t, r, n, t, root, comm, none, q);
          });
      rounds(
          "alltoall_init " + kind.name, {all, all}, false,
          [&](const void* s, void* r) { return MPI_Alltoall(s, n, t, r, n, t, comm); },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Alltoall_init_x(s, n, t, r, n, t, comm, none, q);
          });
    }
}

TEST_CASE("test_large_persistent_parts") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), root = size / 2;
  const auto me = static_cast<std::size_t>(rank), ranks = static_cast<std::size_t>(size);
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto choice = counts();
  for (const auto& kind : kinds.all) {
    const auto t = kind.type;
    // What i sends to j, the same table on every rank; the first row is what i has for all.
    std::vector<std::vector<int>> matrix(ranks);
    for (auto& row : matrix)
      for (std::size_t j = 0; j < ranks; j++)
        row.push_back(choice[static_cast<std::size_t>(draw(static_cast<int>(choice.size())))]);
    std::vector<int> column;
    for (const auto& row : matrix) column.push_back(row[me]);
    const Parts from(matrix[me]), to(column), whole(matrix[0]);
    const int n = matrix[0][me];
    const MPI_Aint own = kind.extent * n, all = kind.extent * whole.total;
    for (bool twin : {false, true}) {
      rounds(
          "gatherv_init " + kind.name, {own, all}, twin && rank == root,
          [&](const void* s, void* r) {
            return MPI_Gatherv(s, n, t, r, whole.counts.data(), whole.starts.data(), t, root, comm);
          },
          [&](const void* s, void* r, MPI_Request* q) {
            // The arrays are the caller's again as soon as the call returns.
            std::vector<MPI_Count> lengths = whole.large_counts;
            std::vector<MPI_Aint> starts = whole.large_starts;
            const int code = MPIX_Gatherv_init_x(s, n, t, r, lengths.data(), starts.data(), t, root, comm, none, q);
            std::fill(lengths.begin(), lengths.end(), -1);
            std::fill(starts.begin(), starts.end(), -1);
            return code;
          });
      rounds(
          "allgatherv_init " + kind.name, {own, all}, twin,
          [&](const void* s, void* r) {
            // One Gatherv to each rank: MPICH's own Allgatherv of one rank ignores the displacement.
            const auto* mine = static_cast<char*>(r) + whole.starts[me] * kind.extent;
            int code = MPI_SUCCESS;
            for (int to_all = 0; to_all < size && code == MPI_SUCCESS; to_all++) {
              const void* what = s != MPI_IN_PLACE ? s : rank == to_all ? MPI_IN_PLACE : mine;
              code = MPI_Gatherv(what, n, t, r, whole.counts.data(), whole.starts.data(), t, to_all, comm);
            }
            return code;
          },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Allgatherv_init_x(s, n, t, r, whole.large_counts.data(), whole.large_starts.data(), t, comm,
                                          none, q);
          });
    }
    rounds(
        "scatterv_init " + kind.name, {all, own}, false,
        [&](const void* s, void* r) {
          return MPI_Scatterv(s, whole.counts.data(), whole.starts.data(), t, r, n, t, root, comm);
        },
        [&](const void* s, void* r, MPI_Request* q) {
          return MPIX_Scatterv_init_x(s, whole.large_counts.data(), whole.large_starts.data(), t, r, n, t, root, comm,
                                      none, q);
        });
    const Sizes sizes{kind.extent * from.total, kind.extent * to.total};
    const Call exchange = [&](const void* s, void* r) {
      return MPI_Alltoallv(s, from.counts.data(), from.starts.data(), t, r, to.counts.data(), to.starts.data(), t,
                           comm);
    };
    rounds("alltoallv_init " + kind.name, sizes, false, exchange, [&](const void* s, void* r, MPI_Request* q) {
      return MPIX_Alltoallv_init_x(s, from.large_counts.data(), from.large_starts.data(), t, r,
                                   to.large_counts.data(), to.large_starts.data(), t, comm, none, q);
    });
    const std::vector<MPI_Datatype> types(ranks, t);
    const auto out = from.bytes(kind.extent), in = to.bytes(kind.extent);
    rounds("alltoallw_init " + kind.name, sizes, false, exchange, [&](const void* s, void* r, MPI_Request* q) {
      return MPIX_Alltoallw_init_x(s, from.large_counts.data(), out.data(), types.data(), r, to.large_counts.data(),
                                   in.data(), types.data(), comm, none, q);
    });
  }
}

TEST_CASE("test_large_persistent_neighbours") {
  // A ring in one direction: who sends to a rank does not receive from it.
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 2 * limit() + 1;
  const int from = (rank + size - 1) % size, to = (rank + 1) % size;
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  const MPI_Count count = n;
  const MPI_Aint start = 3;
  for (const auto& kind : kinds.all) {
    const auto t = kind.type;
    const Sizes sizes{kind.extent * (n + 3), kind.extent * (n + 3)};
    const Call shift = [&](const void* s, void* r) {
      return MPI_Sendrecv(s, n, t, to, 4, r, n, t, from, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    const Call shift_far = [&](const void* s, void* r) {
      return shift(static_cast<const char*>(s) + 3 * kind.extent, static_cast<char*>(r) + 3 * kind.extent);
    };
    rounds("neighbor_allgather_init " + kind.name, sizes, false, shift, [&](const void* s, void* r, MPI_Request* q) {
      return MPIX_Neighbor_allgather_init_x(s, n, t, r, n, t, ring, none, q);
    });
    rounds("neighbor_alltoall_init " + kind.name, sizes, false, shift, [&](const void* s, void* r, MPI_Request* q) {
      return MPIX_Neighbor_alltoall_init_x(s, n, t, r, n, t, ring, none, q);
    });
    const Call gather = [&](const void* s, void* r) { return shift(s, static_cast<char*>(r) + 3 * kind.extent); };
    rounds("neighbor_allgatherv_init " + kind.name, sizes, false, gather, [&](const void* s, void* r, MPI_Request* q) {
      return MPIX_Neighbor_allgatherv_init_x(s, n, t, r, &count, &start, t, ring, none, q);
    });
    rounds("neighbor_alltoallv_init " + kind.name, sizes, false, shift_far,
           [&](const void* s, void* r, MPI_Request* q) {
             return MPIX_Neighbor_alltoallv_init_x(s, &count, &start, t, r, &count, &start, t, ring, none, q);
           });
    const MPI_Aint bytes = start * kind.extent;
    rounds("neighbor_alltoallw_init " + kind.name, sizes, false, shift_far,
           [&](const void* s, void* r, MPI_Request* q) {
             return MPIX_Neighbor_alltoallw_init_x(s, &count, &bytes, &t, r, &count, &bytes, &t, ring, none, q);
           });
  }
  MPI_Comm_free(&ring);
}

TEST_CASE("test_large_persistent_of_several_operations") {
  // What no single request can start is an error that says so.
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int size = size_of(comm), n = 2 * limit() + 1;
  const auto all = static_cast<std::size_t>(n) * static_cast<std::size_t>(size);
  std::vector<double> x(all, 1.0), y(all, 2.0);
  const std::vector<MPI_Count> shares(static_cast<std::size_t>(size), n);
  std::vector<MPI_Aint> starts;
  for (int i = 0; i < size; i++) starts.push_back(static_cast<MPI_Aint>(i) * n);
  auto says = [](int code, const char* what) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (code == MPI_SUCCESS) return false;
    MPI_Error_string(code, text, &length);
    return std::string(text).find(what) != std::string::npos;
  };
  MPI_Request request;
  CHECK(says(MPIX_Alltoallv_init_x(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, x.data(), shares.data(),
                                   starts.data(), MPI_DOUBLE, comm, MPI_INFO_NULL, &request),
             "MPI_IN_PLACE"));
#ifdef OPEN_MPI
  CHECK(says(MPIX_Reduce_scatter_init_x(x.data(), y.data(), shares.data(), MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL,
                                        &request),
             "recvcounts"));
  CHECK(says(MPIX_Reduce_scatter_block_init_x(x.data(), y.data(), n, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL,
                                              &request),
             "recvcounts"));
#endif
  MPI_Comm_free(&comm);
}
