// Reductions: predefined and user-defined operations, pair types, types with gaps, in place.
#include "large/support.hpp"

#include <algorithm>
#include <functional>

using namespace large;

namespace {

// Not commutative: products of 2x2 matrices, four floats each, of small whole numbers modulo 97.
struct Matrix {
  float a[4];
};

void multiply(void* in, void* inout, int* n, MPI_Datatype*) {
  const auto* left = static_cast<const Matrix*>(in);
  auto* right = static_cast<Matrix*>(inout);
  for (int i = 0; i < *n; i++) {
    const Matrix l = left[i], r = right[i];
    for (int row = 0; row < 2; row++)
      for (int column = 0; column < 2; column++) {
        const float x = l.a[2 * row] * r.a[column] + l.a[2 * row + 1] * r.a[2 + column];
        right[i].a[2 * row + column] = static_cast<float>(static_cast<int>(x) % 97);
      }
  }
}

struct Case {
  std::string name;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Aint extent;
  std::function<void(Bytes&, int rank)> fill;
};

template <class T>
std::function<void(Bytes&, int)> numbers_of(int modulus) {
  return [modulus](Bytes& bytes, int rank) {
    for (std::size_t i = 0; i < bytes.size() / sizeof(T); i++) {
      const T value = static_cast<T>((i * 31 + static_cast<std::size_t>(rank) * 17 + 5) % static_cast<std::size_t>(modulus));
      std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
    }
  };
}

struct Pair {
  double value;
  int index;
};

class Cases {
 public:
  Cases() {
    MPI_Type_contiguous(4, MPI_FLOAT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &product);
    all = {{"double sum", MPI_DOUBLE, MPI_SUM, 8, numbers_of<double>(1009)},
           {"int min", MPI_INT, MPI_MIN, 4, numbers_of<int>(1009)},
           {"long bxor", MPI_LONG, MPI_BXOR, 8, numbers_of<long>(1 << 20)},
           {"char max", MPI_SIGNED_CHAR, MPI_MAX, 1, numbers_of<signed char>(101)},
           {"double_int maxloc", MPI_DOUBLE_INT, MPI_MAXLOC, 16,
            [](Bytes& bytes, int rank) {
              for (std::size_t i = 0; i < bytes.size() / sizeof(Pair); i++) {
                const Pair pair{static_cast<double>((i * 7 + static_cast<std::size_t>(rank) * 3) % 11), rank};
                std::memcpy(&bytes[i * sizeof(Pair)], &pair, 12);  // the gap keeps the pattern
              }
            }},
           {"matrix product", matrix, product, 16, numbers_of<float>(5)}};
  }
  ~Cases() {
    MPI_Op_free(&product);
    MPI_Type_free(&matrix);
  }
  Cases(const Cases&) = delete;
  Cases& operator=(const Cases&) = delete;

  std::vector<Case> all;

 private:
  MPI_Datatype matrix = MPI_DATATYPE_NULL;
  MPI_Op product = MPI_OP_NULL;
};

// Plain MPI_Reduce from a buffer of its own: in place, MPICH's crashes beyond 2 KiB at other roots than rank 0.
int plain_reduce(const void* send, void* receive, int n, const Case& c, int root, MPI_Comm comm) {
  if (send != MPI_IN_PLACE) return MPI_Reduce(send, receive, n, c.type, c.op, root, comm);
  const auto* own = static_cast<const unsigned char*>(receive);
  const Bytes copy(own, own + c.extent * n);
  return MPI_Reduce(copy.data(), receive, n, c.type, c.op, root, comm);
}

using Call = std::function<int(const void* send, void* receive)>;
using Start = std::function<int(const void* send, void* receive, MPI_Request*)>;

// The gaps of a pair are not MPI's to write; some libraries do, so they are not compared.
Bytes without_gaps(Bytes bytes, const Case& c) {
  if (c.type == MPI_DOUBLE_INT)
    for (std::size_t i = 0; i + 16 <= bytes.size(); i += 16) std::fill_n(&bytes[i + 12], 4, static_cast<unsigned char>(0));
  return bytes;
}

void compare(const std::string& what, const Case& c, const Bytes& send, const Bytes& receive, bool in_place,
             const Call& plain, const Call& blocking, const Start& nonblocking) {
  // In place, the operands are in the receive buffer.
  Bytes wanted = in_place ? send : receive;
  wanted.resize(std::max(send.size(), receive.size()), 0xee);
  Bytes got = wanted, later = wanted;
  const void* from = in_place ? MPI_IN_PLACE : send.data();
  REQUIRE(plain(from, wanted.data()) == MPI_SUCCESS);
  wanted = without_gaps(wanted, c);
  CHECK(blocking(from, got.data()) == MPI_SUCCESS);
  CHECK_MESSAGE(same(without_gaps(got, c), wanted), what, ": ", c.name, " in_place ", in_place);
  MPI_Request request;
  CHECK(nonblocking(from, later.data(), &request) == MPI_SUCCESS);
  finish(request);
  CHECK_MESSAGE(same(without_gaps(later, c), wanted), what, ": ", c.name, " nonblocking, in_place ", in_place);
}

Bytes operands(const Case& c, int count, int rank) {
  Bytes bytes(static_cast<std::size_t>(c.extent) * static_cast<std::size_t>(count));
  std::fill(bytes.begin(), bytes.end(), static_cast<unsigned char>(0xab));
  c.fill(bytes, rank);
  return bytes;
}

}  // namespace

TEST_CASE("test_large_reduce_allreduce") {
  Cases cases;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const auto& c : cases.all)
    for (int n : counts())
      for (bool twin : {false, true}) {
        const int root = draw(size);
        const Bytes send = operands(c, n, rank), receive = pattern(c.extent * n, 3);
        const auto t = c.type;
        const auto op = c.op;
        compare(
            "allreduce", c, send, receive, twin,
            [&](const void* s, void* r) { return MPI_Allreduce(s, r, n, t, op, MPI_COMM_WORLD); },
            [&](const void* s, void* r) { return MPIX_Allreduce_x(s, r, n, t, op, MPI_COMM_WORLD); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Iallreduce_x(s, r, n, t, op, MPI_COMM_WORLD, q);
            });
        // Off the root the receive buffer is not significant, but it is there, so that it can be compared.
        compare(
            "reduce", c, send, receive, twin && rank == root,
            [&](const void* s, void* r) { return plain_reduce(s, r, n, c, root, MPI_COMM_WORLD); },
            [&](const void* s, void* r) { return MPIX_Reduce_x(s, r, n, t, op, root, MPI_COMM_WORLD); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Ireduce_x(s, r, n, t, op, root, MPI_COMM_WORLD, q);
            });
      }
}

TEST_CASE("test_large_scan_exscan") {
  Cases cases;
  const int rank = rank_of(MPI_COMM_WORLD);
  for (const auto& c : cases.all)
    for (int n : counts())
      for (bool in_place : {false, true}) {
        const Bytes send = operands(c, n, rank), receive = pattern(c.extent * n, 3);
        const auto t = c.type;
        const auto op = c.op;
        compare(
            "scan", c, send, receive, in_place,
            [&](const void* s, void* r) { return MPI_Scan(s, r, n, t, op, MPI_COMM_WORLD); },
            [&](const void* s, void* r) { return MPIX_Scan_x(s, r, n, t, op, MPI_COMM_WORLD); },
            [&](const void* s, void* r, MPI_Request* q) { return MPIX_Iscan_x(s, r, n, t, op, MPI_COMM_WORLD, q); });
        // What rank 0 receives is undefined.
        auto hide = [&](int code, void* r) {
          if (rank == 0) std::memset(r, 0, static_cast<std::size_t>(c.extent) * static_cast<std::size_t>(n));
          return code;
        };
        if (rank == 0 && in_place) {
          Bytes x = send;
          CHECK(MPI_Exscan(MPI_IN_PLACE, x.data(), n, t, op, MPI_COMM_WORLD) == MPI_SUCCESS);
          CHECK(MPIX_Exscan_x(MPI_IN_PLACE, (x = send).data(), n, t, op, MPI_COMM_WORLD) == MPI_SUCCESS);
          MPI_Request request;
          CHECK(MPIX_Iexscan_x(MPI_IN_PLACE, (x = send).data(), n, t, op, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
          finish(request);
          continue;
        }
        Bytes later;
        compare(
            "exscan", c, send, receive, in_place,
            [&](const void* s, void* r) { return hide(MPI_Exscan(s, r, n, t, op, MPI_COMM_WORLD), r); },
            [&](const void* s, void* r) { return hide(MPIX_Exscan_x(s, r, n, t, op, MPI_COMM_WORLD), r); },
            [&](const void* s, void* r, MPI_Request* q) {
              later.resize(static_cast<std::size_t>(c.extent) * static_cast<std::size_t>(n));
              if (rank != 0) return MPIX_Iexscan_x(s, r, n, t, op, MPI_COMM_WORLD, q);
              std::memset(r, 0, later.size());
              return MPIX_Iexscan_x(s, later.data(), n, t, op, MPI_COMM_WORLD, q);
            });
      }
}

TEST_CASE("test_large_reduce_scatter") {
  Cases cases;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const auto& c : cases.all)
    for (int n : counts())
      for (bool in_place : {false, true}) {
        const auto t = c.type;
        const auto op = c.op;
        const Bytes send = operands(c, n * size, rank), receive = pattern(c.extent * n, 3);
        // In place, what lies behind the result is undefined: only the result is compared.
        auto block = static_cast<std::size_t>(c.extent) * static_cast<std::size_t>(n);
        auto cut = [&](int code, void* r, std::size_t keep) {
          const auto all = std::max(send.size(), receive.size());
          if (in_place) std::memset(static_cast<char*>(r) + keep, 0, all - keep);
          return code;
        };
        // A nonblocking call cannot be cut before it is complete.
        auto start = [&](const Start& call, std::size_t keep) {
          return [&, call, keep](const void* s, void* r, MPI_Request* q) {
            MPI_Request request;
            const int code = call(s, r, &request);
            finish(request);
            *q = MPI_REQUEST_NULL;
            MPI_Ibarrier(MPI_COMM_SELF, q);
            return cut(code, r, keep);
          };
        };
        compare(
            "reduce_scatter_block", c, send, receive, in_place,
            [&](const void* s, void* r) {
              return cut(MPI_Reduce_scatter_block(s, r, n, t, op, MPI_COMM_WORLD), r, block);
            },
            [&](const void* s, void* r) {
              return cut(MPIX_Reduce_scatter_block_x(s, r, n, t, op, MPI_COMM_WORLD), r, block);
            },
            start([&](const void* s, void* r,
                      MPI_Request* q) { return MPIX_Ireduce_scatter_block_x(s, r, n, t, op, MPI_COMM_WORLD, q); },
                  block));
        // Different counts: rank i gets i-dependent shares of the same total, some none.
        std::vector<int> shares(static_cast<std::size_t>(size), 0);
        int left = n * size;
        for (int i = size - 1; i > 0; i--) left -= shares[static_cast<std::size_t>(i)] = left == 0 ? 0 : draw(left + 1);
        shares[0] = left;
        std::shuffle(shares.begin(), shares.end(), generator());
        const std::vector<MPI_Count> large_shares(shares.begin(), shares.end());
        const int mine = shares[static_cast<std::size_t>(rank)];
        const auto own = static_cast<std::size_t>(c.extent) * static_cast<std::size_t>(mine);
        const Bytes room = pattern(c.extent * mine, 3);
        auto cut2 = [&](int code, void* r) {
          const auto all = std::max(send.size(), room.size());
          if (in_place) std::memset(static_cast<char*>(r) + own, 0, all - own);
          return code;
        };
        compare(
            "reduce_scatter", c, send, room, in_place,
            [&](const void* s, void* r) {
              return cut2(MPI_Reduce_scatter(s, r, shares.data(), t, op, MPI_COMM_WORLD), r);
            },
            [&](const void* s, void* r) {
              return cut2(MPIX_Reduce_scatter_x(s, r, large_shares.data(), t, op, MPI_COMM_WORLD), r);
            },
            [&](const void* s, void* r, MPI_Request* q) {
              MPI_Request request;
              const int code = MPIX_Ireduce_scatter_x(s, r, large_shares.data(), t, op, MPI_COMM_WORLD, &request);
              finish(request);
              MPI_Ibarrier(MPI_COMM_SELF, q);
              return cut2(code, r);
            });
      }
}

TEST_CASE("test_large_reduce_local") {
  Cases cases;
  for (const auto& c : cases.all)
    for (int n : counts()) {
      const Bytes in = operands(c, n, 1);
      Bytes wanted = operands(c, n, 2), got = wanted;
      MPI_Reduce_local(in.data(), wanted.data(), n, c.type, c.op);
      CHECK(MPIX_Reduce_local_x(in.data(), got.data(), n, c.type, c.op) == MPI_SUCCESS);
      CHECK_MESSAGE(same(got, wanted), c.name);
    }
}

TEST_CASE("test_large_reductions_on_intercommunicators") {
  MPI_Comm inter = make_intercomm();
  if (inter == MPI_COMM_NULL) return;
  Cases cases;
  const int world = rank_of(MPI_COMM_WORLD), rank = rank_of(inter), n = 3 * limit() + 2;
  const int root = world % 2 != 0 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  for (const auto& c : cases.all) {
    const Bytes send = operands(c, n, world), receive = pattern(c.extent * n, 3);
    const auto t = c.type;
    const auto op = c.op;
    compare(
        "inter allreduce", c, send, receive, false,
        [&](const void* s, void* r) { return MPI_Allreduce(s, r, n, t, op, inter); },
        [&](const void* s, void* r) { return MPIX_Allreduce_x(s, r, n, t, op, inter); },
        [&](const void* s, void* r, MPI_Request* q) { return MPIX_Iallreduce_x(s, r, n, t, op, inter, q); });
    compare(
        "inter reduce", c, send, receive, false,
        [&](const void* s, void* r) { return MPI_Reduce(s, r, n, t, op, root, inter); },
        [&](const void* s, void* r) { return MPIX_Reduce_x(s, r, n, t, op, root, inter); },
        [&](const void* s, void* r, MPI_Request* q) { return MPIX_Ireduce_x(s, r, n, t, op, root, inter, q); });
  }
  MPI_Comm_free(&inter);
}

TEST_CASE("test_large_reduce_scatter_on_intercommunicators") {
  MPI_Comm inter = make_intercomm();
  if (inter == MPI_COMM_NULL) return;
  Cases cases;
  const int world = rank_of(MPI_COMM_WORLD), rank = rank_of(inter), size = size_of(inter);
  int remote = 0;
  MPI_Comm_remote_size(inter, &remote);
  for (const auto& c : cases.all)
    for (int each : {1, limit() + 1}) {
      // The totals of both groups are the same, their shares are not: the first rank of a group has most.
      const int total = each * size * remote;
      std::vector<int> shares(static_cast<std::size_t>(size), each);
      shares[0] = total - each * (size - 1);
      const std::vector<MPI_Count> large_shares(shares.begin(), shares.end());
      const int mine = shares[static_cast<std::size_t>(rank)], block = total / size;
      const Bytes send = operands(c, total, world), receive = pattern(c.extent * std::max(mine, block), 3);
      const auto t = c.type;
      const auto op = c.op;
      // What the other group's operands give, of which each keeps its own share.
      Bytes whole(send.size() + 64, 0xee);
      MPI_Allreduce(send.data(), whole.data(), total, t, op, inter);
      auto share = [&](int first, int count) {
        return [&, first, count](const void*, void* r) {
          return MPI_Sendrecv(whole.data() + first * c.extent, count, t, 0, 0, r, count, t, 0, 0, MPI_COMM_SELF,
                              MPI_STATUS_IGNORE);
        };
      };
      int first = 0;
      for (int i = 0; i < rank; i++) first += shares[static_cast<std::size_t>(i)];
      compare(
          "inter reduce_scatter", c, send, receive, false, share(first, mine),
          [&](const void* s, void* r) { return MPIX_Reduce_scatter_x(s, r, large_shares.data(), t, op, inter); },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Ireduce_scatter_x(s, r, large_shares.data(), t, op, inter, q);
          });
      compare(
          "inter reduce_scatter_block", c, send, receive, false, share(rank * block, block),
          [&](const void* s, void* r) { return MPIX_Reduce_scatter_block_x(s, r, block, t, op, inter); },
          [&](const void* s, void* r, MPI_Request* q) {
            return MPIX_Ireduce_scatter_block_x(s, r, block, t, op, inter, q);
          });
    }
  MPI_Comm_free(&inter);
}

TEST_CASE("test_large_persistent_reductions") {
  Cases cases;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const MPI_Comm comm = MPI_COMM_WORLD;
  // Started three times, each time with other operands.
  auto rounds = [&](const std::string& what, const Case& c, int n, bool in_place, const Call& plain,
                    const Start& init) {
    Bytes send = operands(c, n, 0), got = send;
    const void* from = in_place ? MPI_IN_PLACE : send.data();
    MPI_Request request;
    REQUIRE_MESSAGE(init(from, got.data(), &request) == MPI_SUCCESS, what);
    for (int round = 0; round < 3; round++) {
      const Bytes now = operands(c, n, rank + size * round);
      std::copy(now.begin(), now.end(), send.begin());
      std::copy(now.begin(), now.end(), got.begin());
      Bytes wanted = now;
      REQUIRE(plain(from, wanted.data()) == MPI_SUCCESS);
      CHECK(MPI_Start(&request) == MPI_SUCCESS);
      wait(&request);
      CHECK_MESSAGE(same(without_gaps(got, c), without_gaps(wanted, c)), what, " ", c.name, ", round ", round,
                    ", in_place ", in_place);
    }
    CHECK(MPI_Request_free(&request) == MPI_SUCCESS);
  };
  for (const auto& c : cases.all)
    for (int n : {1, 2 * limit() + 1})
      for (bool in_place : {false, true}) {
        const auto t = c.type;
        const auto op = c.op;
        const int root = n % size;
        rounds(
            "allreduce_init", c, n, in_place,
            [&](const void* s, void* r) { return MPI_Allreduce(s, r, n, t, op, comm); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Allreduce_init_x(s, r, n, t, op, comm, MPI_INFO_NULL, q);
            });
        rounds(
            "reduce_init", c, n, in_place && rank == root,
            [&](const void* s, void* r) { return plain_reduce(s, r, n, c, root, comm); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Reduce_init_x(s, r, n, t, op, root, comm, MPI_INFO_NULL, q);
            });
        rounds(
            "scan_init", c, n, in_place, [&](const void* s, void* r) { return MPI_Scan(s, r, n, t, op, comm); },
            [&](const void* s, void* r, MPI_Request* q) {
              return MPIX_Scan_init_x(s, r, n, t, op, comm, MPI_INFO_NULL, q);
            });
        if (rank != 0 || !in_place)  // what rank 0 receives is undefined; into a buffer of its own it does no harm
          rounds(
              "exscan_init", c, n, in_place,
              [&](const void* s, void* r) {
                static Bytes nowhere;
                nowhere.resize(operands(c, n, 0).size());
                return MPI_Exscan(s, rank == 0 ? nowhere.data() : r, n, t, op, comm);
              },
              [&](const void* s, void* r, MPI_Request* q) {
                static Bytes nowhere;
                nowhere.resize(operands(c, n, 0).size());
                return MPIX_Exscan_init_x(s, rank == 0 ? nowhere.data() : r, n, t, op, comm, MPI_INFO_NULL, q);
              });
        else
          rounds(
              "exscan_init", c, n, false,
              [&](const void* s, void*) {
                Bytes nowhere(operands(c, n, 0).size());
                return MPI_Exscan(s, nowhere.data(), n, t, op, comm);
              },
              [&](const void* s, void*, MPI_Request* q) {
                static Bytes nowhere;
                nowhere.resize(operands(c, n, 0).size());
                return MPIX_Exscan_init_x(s, nowhere.data(), n, t, op, comm, MPI_INFO_NULL, q);
              });
      }
}

TEST_CASE("test_large_type_freed_early") {
  // The type may go as soon as the call has started. The operation must live: docs/large.md.
  const int rank = rank_of(MPI_COMM_WORLD), n = 3 * limit() + 1;
  for (int round = 0; round < 5; round++) {
    Bytes send(static_cast<std::size_t>(16 * n)), got(send.size()), wanted(send.size());
    numbers_of<float>(5)(send, rank + round);
    MPI_Datatype matrix;
    MPI_Op product;
    MPI_Type_contiguous(4, MPI_FLOAT, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(multiply, 0, &product);
    MPI_Allreduce(send.data(), wanted.data(), n, matrix, product, MPI_COMM_WORLD);
    MPI_Request request;
    CHECK(MPIX_Iallreduce_x(send.data(), got.data(), n, matrix, product, MPI_COMM_WORLD, &request) == MPI_SUCCESS);
    MPI_Type_free(&matrix);
    MPI_Datatype triple;  // which may get its place
    MPI_Type_contiguous(3, MPI_INT, &triple);
    wait(&request);
    MPI_Type_free(&triple);
    MPI_Op_free(&product);
    CHECK(got == wanted);
  }
}

TEST_CASE("test_large_reduce_scatter_with_type_freed_early") {
  // In place, the result moves to the beginning when all is complete, long after the type has gone.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Op product;
  MPI_Op_create(multiply, 0, &product);
  for (int n : {2, 2 * limit() + 1})
    for (int round = 0; round < 5; round++) {
      std::vector<MPI_Count> shares(static_cast<std::size_t>(size), n);
      shares[0] = 3 * limit();  // past the limit, also where this rank's own share is not
      const int total = 3 * limit() + (size - 1) * n;
      Bytes x(static_cast<std::size_t>(16 * total)), wanted(x.size());
      numbers_of<float>(5)(x, rank + round);
      MPI_Datatype matrix;
      MPI_Type_contiguous(4, MPI_FLOAT, &matrix);
      MPI_Type_commit(&matrix);
      MPI_Allreduce(x.data(), wanted.data(), total, matrix, product, MPI_COMM_WORLD);
      MPI_Request request;
      CHECK(MPIX_Ireduce_scatter_x(MPI_IN_PLACE, x.data(), shares.data(), matrix, product, MPI_COMM_WORLD, &request) ==
            MPI_SUCCESS);
      MPI_Type_free(&matrix);
      MPI_Datatype others[4];  // one of which may get its place
      for (auto& other : others) MPI_Type_contiguous(3, MPI_INT, &other);
      wait(&request);
      for (auto& other : others) MPI_Type_free(&other);
      const auto first = static_cast<std::size_t>(rank == 0 ? 0 : 16 * (3 * limit() + (rank - 1) * n));
      const auto own = static_cast<std::size_t>(16 * shares[static_cast<std::size_t>(rank)]);
      CHECK(std::memcmp(x.data(), wanted.data() + first, own) == 0);
    }
  MPI_Op_free(&product);
}

TEST_CASE("test_large_reductions_overlap") {
  // Several under way at once, completed in another order.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), n = 4 * limit() + 1;
  std::vector<std::vector<double>> x(4), y(4);
  std::vector<MPI_Request> requests(4);
  std::vector<MPI_Count> shares(static_cast<std::size_t>(size), n);
  for (std::size_t k = 0; k < 4; k++) {
    x[k] = numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(size), rank + static_cast<int>(k));
    y[k].resize(static_cast<std::size_t>(n));
  }
  MPIX_Iallreduce_x(x[0].data(), y[0].data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPIX_Ireduce_scatter_x(x[1].data(), y[1].data(), shares.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPIX_Iscan_x(x[2].data(), y[2].data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
  MPIX_Ireduce_scatter_block_x(x[3].data(), y[3].data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[3]);
  std::reverse(requests.begin(), requests.end());
  int index[4], done = 0;
  for (int left = 4; left > 0; left -= done) MPI_Waitsome(4, requests.data(), &done, index, MPI_STATUSES_IGNORE);
  std::vector<double> wanted(static_cast<std::size_t>(n));
  MPI_Allreduce(x[0].data(), wanted.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(y[0] == wanted);
  std::vector<int> small(shares.begin(), shares.end());
  MPI_Reduce_scatter(x[1].data(), wanted.data(), small.data(), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(y[1] == wanted);
  MPI_Scan(x[2].data(), wanted.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(y[2] == wanted);
  MPI_Reduce_scatter_block(x[3].data(), wanted.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  CHECK(y[3] == wanted);
}
