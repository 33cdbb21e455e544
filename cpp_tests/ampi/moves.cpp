// Collectives with counts and displacements, and nonblocking ones: each alone, and several under way at once.
#include "harness/identity.hpp"

#include <algorithm>
#include <numeric>
#include <string>

using admpi::var;
using test::check_identity;
using test::gapped;
using test::op;
using test::outcome;
using test::rank_of;
using test::size_of;
using test::spread;
using test::world;

namespace {

const void *const in_place = MPI_IN_PLACE;

int world_size() { return size_of(world); }
int world_rank() { return rank_of(world); }

constexpr std::size_t inputs = 30;

/// How the parts of the ranks lie in a buffer.
enum class way { one_behind_the_other, backwards_with_gaps, overlapping };

struct parts {
  std::vector<int> counts, displs;
  int room = 1;

  parts(std::vector<int> counts_, way how) : counts(std::move(counts_)), displs(counts.size()) {
    const int n = static_cast<int>(counts.size());
    int at = 0;
    for (int i = 0; i < n; ++i) {
      const auto r = static_cast<std::size_t>(how == way::backwards_with_gaps ? n - 1 - i : i);
      displs[r] = at;
      room = std::max(room, at + counts[r] + 1);
      at += how == way::overlapping ? 1 : counts[r] + (how == way::backwards_with_gaps ? 2 : 0);
    }
  }
};

/// Counts of all ranks, one of them 0 in most cases.
std::vector<int> counts_of_ranks(int shift) {
  std::vector<int> counts;
  for (int r = 0; r < world_size(); ++r) counts.push_back((3 * (r + shift) + 2) % 4);
  return counts;
}

/// What `from` sends to `to`; alike in both directions if `symmetric`.
int count_between(int from, int to, bool symmetric) {
  return symmetric ? (from * to + from + to) % 4 : (2 * from + 3 * to + 1) % 4;
}

std::vector<int> counts_between(bool sent, bool symmetric) {
  std::vector<int> counts;
  const int me = world_rank();
  for (int r = 0; r < world_size(); ++r)
    counts.push_back(sent ? count_between(me, r, symmetric) : count_between(r, me, symmetric));
  return counts;
}

template <class F>
void both(const F &f) {
  for (const bool nonblocking : {false, true}) {
    CAPTURE(nonblocking);
    f(nonblocking);
  }
}

template <class F>
void for_roots(const F &f) {
  both([&](bool nonblocking) {
    // The first rank, and a later one.
    for (const int root : {0, 2}) {
      if (root >= world_size()) break;
      CAPTURE(root);
      f(nonblocking, root);
    }
  });
}

template <class F>
void for_counts(const F &f) {
  for (const int n : {0, 3}) {
    CAPTURE(n);
    f(n);
  }
}

const way reading[] = {way::one_behind_the_other, way::backwards_with_gaps, way::overlapping};
const way writing[] = {way::one_behind_the_other, way::backwards_with_gaps};
const op operations[] = {op::sum, op::product, op::min, op::max};

}  // namespace

TEST_CASE("test_moves_bcast") {
  for_roots([](bool nonblocking, int root) {
    for_counts([&](int n) {
      check_identity(inputs, 1, [&](auto mpi, auto &x) {
        auto y = spread(x, n + 2, 0.1);
        CALL(mpi, nonblocking, bcast, y.data(), n, mpi.type(), root, world);
        return outcome(y, y);
      });
    });
  });
}

TEST_CASE("test_moves_bcast_derived") {
  for_roots([](bool nonblocking, int root) {
    check_identity(inputs, 2, [&](auto mpi, auto &x) {
      // The root sends one gapped item, the others receive its values side by side.
      auto y = spread(x, 12, 0.1);
      MPI_Datatype type = gapped(mpi.type(), 3);
      const bool at_root = world_rank() == root;
      CALL(mpi, nonblocking, bcast, y.data(), at_root ? 1 : 3, at_root ? type : mpi.type(), root, world);
      MPI_Type_free(&type);
      return outcome(y, y);
    });
  });
}

TEST_CASE("test_moves_gather") {
  for_roots([](bool nonblocking, int root) {
    for_counts([&](int n) {
      for (const bool derived : {false, true})
        check_identity(inputs, 3, [&](auto mpi, auto &x) {
          // Gapped items of three at the root, single ones elsewhere.
          const auto out = spread(x, 3 * n + 1, 0.2);
          auto in = spread(x, 7 * n * world_size() + 1, 0.3);
          MPI_Datatype type = gapped(mpi.type(), 3);
          const int each = derived ? n : 3 * n;
          CALL(mpi, nonblocking, gather, out.data(), 3 * n, mpi.type(), in.data(), each, derived ? type : mpi.type(), root,
               world);
          MPI_Type_free(&type);
          return outcome(in, out);
        });
    });
  });
}

TEST_CASE("test_moves_gather_in_place") {
  for_roots([](bool nonblocking, int root) {
    for_counts([&](int n) {
      check_identity(inputs, 4, [&](auto mpi, auto &x) {
        auto y = spread(x, n * world_size() + 1, 0.2);
        if (world_rank() == root)
          CALL(mpi, nonblocking, gather, in_place, 0, MPI_DATATYPE_NULL, y.data(), n, mpi.type(), root, world);
        else
          CALL(mpi, nonblocking, gather, y.data() + 1, n, mpi.type(), static_cast<void *>(nullptr), 0, MPI_DATATYPE_NULL,
               root, world);
        return outcome(y, y);
      });
    });
  });
}

TEST_CASE("test_moves_gatherv") {
  for_roots([](bool nonblocking, int root) {
    for (const way how : writing)
      for (const int shift : {0, 1})
        check_identity(inputs, 5, [&](auto mpi, auto &x) {
          const parts all(counts_of_ranks(shift), how);
          const int n = all.counts[world_rank()];
          const auto out = spread(x, n + 1, 0.2);
          auto in = spread(x, all.room, 0.3);
          CALL(mpi, nonblocking, gatherv, out.data(), n, mpi.type(), in.data(), all.counts.data(), all.displs.data(),
               mpi.type(), root, world);
          return outcome(in, out);
        });
  });
}

TEST_CASE("test_moves_gatherv_in_place") {
  for_roots([](bool nonblocking, int root) {
    for (const way how : writing)
      check_identity(inputs, 6, [&](auto mpi, auto &x) {
        const parts all(counts_of_ranks(root), how);
        auto y = spread(x, all.room, 0.2);
        if (world_rank() == root)
          CALL(mpi, nonblocking, gatherv, in_place, 0, MPI_DATATYPE_NULL, y.data(), all.counts.data(), all.displs.data(),
               mpi.type(), root, world);
        else
          CALL(mpi, nonblocking, gatherv, y.data(), all.counts[world_rank()], mpi.type(), static_cast<void *>(nullptr),
               static_cast<int *>(nullptr), static_cast<int *>(nullptr), MPI_DATATYPE_NULL, root, world);
        return outcome(y, y);
      });
  });
}

TEST_CASE("test_moves_gatherv_derived") {
  for_roots([](bool nonblocking, int root) {
    check_identity(inputs, 7, [&](auto mpi, auto &x) {
      // Displacements count extents of a gapped type.
      const parts all(counts_of_ranks(1), way::backwards_with_gaps);
      MPI_Datatype type = gapped(mpi.type(), 2);
      const int n = all.counts[world_rank()];
      const auto out = spread(x, 2 * n + 1, 0.2);
      auto in = spread(x, 5 * all.room, 0.3);
      CALL(mpi, nonblocking, gatherv, out.data(), 2 * n, mpi.type(), in.data(), all.counts.data(), all.displs.data(), type,
           root, world);
      MPI_Type_free(&type);
      return outcome(in, out);
    });
  });
}

TEST_CASE("test_moves_scatter") {
  for_roots([](bool nonblocking, int root) {
    for_counts([&](int n) {
      for (const bool derived : {false, true})
        check_identity(inputs, 8, [&](auto mpi, auto &x) {
          const auto out = spread(x, 7 * n * world_size() + 1, 0.2);
          auto in = spread(x, 3 * n + 2, 0.3);
          MPI_Datatype type = gapped(mpi.type(), 3);
          const int each = derived ? n : 3 * n;
          CALL(mpi, nonblocking, scatter, out.data(), each, derived ? type : mpi.type(), in.data(), 3 * n, mpi.type(), root,
               world);
          MPI_Type_free(&type);
          return outcome(in, out);
        });
    });
  });
}

TEST_CASE("test_moves_scatter_in_place") {
  for_roots([](bool nonblocking, int root) {
    for_counts([&](int n) {
      check_identity(inputs, 9, [&](auto mpi, auto &x) {
        auto y = spread(x, n * world_size() + 1, 0.2);
        void *const keep = MPI_IN_PLACE;
        if (world_rank() == root)
          CALL(mpi, nonblocking, scatter, y.data(), n, mpi.type(), keep, 0, MPI_DATATYPE_NULL, root, world);
        else
          CALL(mpi, nonblocking, scatter, static_cast<void *>(nullptr), 0, MPI_DATATYPE_NULL, y.data() + 1, n, mpi.type(),
               root, world);
        return outcome(y, y);
      });
    });
  });
}

TEST_CASE("test_moves_scatterv") {
  for_roots([](bool nonblocking, int root) {
    for (const way how : reading)
      for (const int shift : {0, 1})
        check_identity(inputs, 10, [&](auto mpi, auto &x) {
          const parts all(counts_of_ranks(shift), how);
          const int n = all.counts[world_rank()];
          const auto out = spread(x, all.room, 0.2);
          auto in = spread(x, n + 2, 0.3);
          CALL(mpi, nonblocking, scatterv, out.data(), all.counts.data(), all.displs.data(), mpi.type(), in.data(), n,
               mpi.type(), root, world);
          return outcome(in, out);
        });
  });
}

TEST_CASE("test_moves_scatterv_in_place") {
  for_roots([](bool nonblocking, int root) {
    for (const way how : reading)
      check_identity(inputs, 11, [&](auto mpi, auto &x) {
        const parts all(counts_of_ranks(root), how);
        auto y = spread(x, all.room, 0.2);
        void *const keep = MPI_IN_PLACE;
        if (world_rank() == root)
          CALL(mpi, nonblocking, scatterv, y.data(), all.counts.data(), all.displs.data(), mpi.type(), keep, 0,
               MPI_DATATYPE_NULL, root, world);
        else
          CALL(mpi, nonblocking, scatterv, static_cast<void *>(nullptr), static_cast<int *>(nullptr),
               static_cast<int *>(nullptr), MPI_DATATYPE_NULL, y.data(), all.counts[world_rank()], mpi.type(), root, world);
        return outcome(y, y);
      });
  });
}

TEST_CASE("test_moves_scatterv_derived") {
  for_roots([](bool nonblocking, int root) {
    for (const way how : reading)
      check_identity(inputs, 12, [&](auto mpi, auto &x) {
        const parts all(counts_of_ranks(1), how);
        MPI_Datatype type = gapped(mpi.type(), 2);
        const int n = all.counts[world_rank()];
        const auto out = spread(x, 5 * all.room, 0.2);
        auto in = spread(x, 2 * n + 2, 0.3);
        CALL(mpi, nonblocking, scatterv, out.data(), all.counts.data(), all.displs.data(), type, in.data(), 2 * n,
             mpi.type(), root, world);
        MPI_Type_free(&type);
        return outcome(in, out);
      });
  });
}

TEST_CASE("test_moves_allgather") {
  both([](bool nonblocking) {
    for_counts([&](int n) {
      for (const bool derived : {false, true})
        check_identity(inputs, 13, [&](auto mpi, auto &x) {
          const auto out = spread(x, 3 * n + 1, 0.2);
          auto in = spread(x, 7 * n * world_size() + 1, 0.3);
          MPI_Datatype type = gapped(mpi.type(), 3);
          const int each = derived ? n : 3 * n;
          CALL(mpi, nonblocking, allgather, out.data(), 3 * n, mpi.type(), in.data(), each, derived ? type : mpi.type(),
               world);
          MPI_Type_free(&type);
          return outcome(in, out);
        });
      check_identity(inputs, 14, [&](auto mpi, auto &x) {
        auto y = spread(x, n * world_size() + 1, 0.2);
        CALL(mpi, nonblocking, allgather, in_place, 0, MPI_DATATYPE_NULL, y.data(), n, mpi.type(), world);
        return outcome(y, y);
      });
    });
  });
}

TEST_CASE("test_moves_allgatherv") {
  both([](bool nonblocking) {
    for (const way how : writing)
      for (const int shift : {0, 1})
        for (const bool derived : {false, true})
          check_identity(inputs, 15, [&](auto mpi, auto &x) {
            const parts all(counts_of_ranks(shift), how);
            MPI_Datatype type = gapped(mpi.type(), 1);
            const int n = all.counts[world_rank()];
            const auto out = spread(x, n + 1, 0.2);
            auto in = spread(x, 3 * all.room, 0.3);
            CALL(mpi, nonblocking, allgatherv, out.data(), n, mpi.type(), in.data(), all.counts.data(), all.displs.data(),
                 derived ? type : mpi.type(), world);
            MPI_Type_free(&type);
            return outcome(in, out);
          });
  });
}

TEST_CASE("test_moves_allgatherv_in_place") {
  both([](bool nonblocking) {
    for (const way how : writing)
      check_identity(inputs, 16, [&](auto mpi, auto &x) {
        const parts all(counts_of_ranks(1), how);
        auto y = spread(x, all.room, 0.2);
        CALL(mpi, nonblocking, allgatherv, in_place, 0, MPI_DATATYPE_NULL, y.data(), all.counts.data(), all.displs.data(),
             mpi.type(), world);
        return outcome(y, y);
      });
  });
}

TEST_CASE("test_moves_alltoall") {
  both([](bool nonblocking) {
    for_counts([&](int n) {
      for (const bool derived : {false, true})
        check_identity(inputs, 17, [&](auto mpi, auto &x) {
          const auto out = spread(x, 7 * n * world_size() + 1, 0.2);
          auto in = spread(x, 3 * n * world_size() + 1, 0.3);
          MPI_Datatype type = gapped(mpi.type(), 3);
          const int each = derived ? n : 3 * n;
          CALL(mpi, nonblocking, alltoall, out.data(), each, derived ? type : mpi.type(), in.data(), 3 * n, mpi.type(),
               world);
          MPI_Type_free(&type);
          return outcome(in, out);
        });
      check_identity(inputs, 18, [&](auto mpi, auto &x) {
        auto y = spread(x, n * world_size() + 1, 0.2);
        CALL(mpi, nonblocking, alltoall, in_place, 0, MPI_DATATYPE_NULL, y.data(), n, mpi.type(), world);
        return outcome(y, y);
      });
    });
  });
}

TEST_CASE("test_moves_alltoallv") {
  both([](bool nonblocking) {
    for (const way read : reading)
      for (const way written : writing)
        for (const bool derived : {false, true})
          check_identity(inputs, 19, [&](auto mpi, auto &x) {
            const parts sent(counts_between(true, false), read), received(counts_between(false, false), written);
            MPI_Datatype type = gapped(mpi.type(), 1);
            const auto out = spread(x, sent.room, 0.2);
            auto in = spread(x, 3 * received.room, 0.3);
            CALL(mpi, nonblocking, alltoallv, out.data(), sent.counts.data(), sent.displs.data(), mpi.type(), in.data(),
                 received.counts.data(), received.displs.data(), derived ? type : mpi.type(), world);
            MPI_Type_free(&type);
            return outcome(in, out);
          });
  });
}

TEST_CASE("test_moves_alltoallv_in_place") {
  both([](bool nonblocking) {
    for (const way how : writing)
      check_identity(inputs, 20, [&](auto mpi, auto &x) {
        const parts all(counts_between(false, true), how);
        auto y = spread(x, all.room, 0.2);
        CALL(mpi, nonblocking, alltoallv, in_place, static_cast<int *>(nullptr), static_cast<int *>(nullptr),
             MPI_DATATYPE_NULL, y.data(), all.counts.data(), all.displs.data(), mpi.type(), world);
        return outcome(y, y);
      });
  });
}

TEST_CASE("test_moves_alltoallw") {
  both([](bool nonblocking) {
    for (const way read : reading)
      for (const way written : writing)
        check_identity(inputs, 21, [&](auto mpi, auto &x) {
          // Displacements are bytes; every second rank's items are gapped, on one end only.
          parts sent(counts_between(true, false), read), received(counts_between(false, false), written);
          MPI_Datatype type = gapped(mpi.type(), 1);
          std::vector<MPI_Datatype> sendtypes, recvtypes;
          for (std::size_t r = 0; r < sent.counts.size(); ++r) {
            sendtypes.push_back(r % 2 == 0 ? mpi.type() : type);
            recvtypes.push_back(r % 2 == 1 ? mpi.type() : type);
            sent.displs[r] *= 3 * 16;
            received.displs[r] *= 3 * 16;
          }
          const auto out = spread(x, 3 * sent.room, 0.2);
          auto in = spread(x, 3 * received.room, 0.3);
          CALL(mpi, nonblocking, alltoallw, out.data(), sent.counts.data(), sent.displs.data(), sendtypes.data(), in.data(),
               received.counts.data(), received.displs.data(), recvtypes.data(), world);
          MPI_Type_free(&type);
          return outcome(in, out);
        });
  });
}

TEST_CASE("test_moves_ireduce") {
  for (const op which : operations)
    for (int root = 0; root < world_size(); ++root)
      for_counts([&](int n) {
        check_identity(inputs, 22, [&](auto mpi, auto &x) {
          const auto out = spread(x, n + 1, 0.2);
          auto in = spread(x, n + 2, 0.3);
          auto y = out;
          auto first = mpi.null(), second = mpi.null();
          mpi.ireduce(out.data(), in.data(), n, mpi.type(), mpi.operation(which), root, world, &first);
          if (world_rank() == root)
            mpi.ireduce(in_place, y.data(), n, mpi.type(), mpi.operation(which), root, world, &second);
          else
            mpi.ireduce(y.data(), static_cast<void *>(nullptr), n, mpi.type(), mpi.operation(which), root, world, &second);
          mpi.wait(&first, MPI_STATUS_IGNORE);
          mpi.wait(&second, MPI_STATUS_IGNORE);
          in.insert(in.end(), y.begin(), y.end());
          return outcome(in, out);
        });
      });
}

TEST_CASE("test_moves_iallreduce") {
  for (const op which : operations)
    for_counts([&](int n) {
      check_identity(inputs, 23, [&](auto mpi, auto &x) {
        const auto out = spread(x, n + 1, 0.2);
        auto in = spread(x, n + 2, 0.3);
        auto y = out;
        auto first = mpi.null(), second = mpi.null();
        mpi.iallreduce(out.data(), in.data(), n, mpi.type(), mpi.operation(which), world, &first);
        mpi.iallreduce(in_place, y.data(), n, mpi.type(), mpi.operation(which), world, &second);
        mpi.wait(&first, MPI_STATUS_IGNORE);
        mpi.wait(&second, MPI_STATUS_IGNORE);
        in.insert(in.end(), y.begin(), y.end());
        return outcome(in, out);
      });
    });
}

TEST_CASE("test_moves_allgathers_so_long_that_adjoints_go_by_themselves") {
  const int ranks = world_size(), each = 33000 / ranks + 5;
  std::vector<int> counts, displs;
  int room = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    counts.push_back(each + 3 * rank);
    // A gap before the first would be lost by MPICH itself on one rank, which the numbers here are compared with.
    displs.push_back(room);
    room += counts.back() + 2;
  }
  check_identity(inputs, 24, [&](auto mpi, auto &x) {
    const auto out = spread(x, each, 0.2), mine = spread(x, counts[static_cast<std::size_t>(world_rank())], 0.4);
    auto in = spread(x, each * ranks, 0.3), parts = spread(x, room, 0.5);
    mpi.allgather(out.data(), each, mpi.type(), in.data(), each, mpi.type(), world);
    auto again = in;
    for (auto &one : again) one = one * 0.5;
    mpi.allgather(in_place, 0, MPI_DATATYPE_NULL, again.data(), each, mpi.type(), world);
    mpi.allgatherv(mine.data(), static_cast<int>(mine.size()), mpi.type(), parts.data(), counts.data(), displs.data(),
                   mpi.type(), world);
    in.insert(in.end(), again.begin(), again.end());
    in.insert(in.end(), parts.begin(), parts.end());
    return outcome(in, out);
  });
}

TEST_CASE("test_moves_int_form_past_the_limit_names_the_other") {
  const int limit = static_cast<int>(std::min<MPI_Count>(BigMPI_Get_max_int(), 1000));
  if (limit == 1000) return;
  test::begin();
  MPI_Comm comm;
  AMPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  // Each part fits, their displacements do not.
  const auto ranks = static_cast<std::size_t>(std::max(2, world_size()));
  const std::vector<int> counts(ranks, world_size() == 1 ? limit + 1 : limit), displs(ranks, 0);
  std::vector<var> x(ranks * static_cast<std::size_t>(limit + 1)), y(x.size());
  test::recording_tape tape;
  const int code = AMPI_Alltoallv(x.data(), counts.data(), displs.data(), AMPI_ADOUBLE, y.data(), counts.data(),
                                  displs.data(), AMPI_ADOUBLE, comm);
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS) MPI_Error_string(code, text, &length);
  CHECK(std::string(text).find("AMPI_Alltoallv") != std::string::npos);
  CHECK(std::string(text).find("_c, on all ranks") != std::string::npos);
  AMPI_Comm_free(&comm);
}
