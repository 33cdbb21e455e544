// Persistent collectives: started again and again, each start is the call that does not block.
#include <functional>
#include <numeric>

#include "harness/identity.hpp"

using test::active;
using test::check_identity;
using test::combine;
using test::paired;
using test::ring;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
const int rounds = 3;

/// Plain MPI may lack persistent collectives: each start is the call that does not block.
struct plain_request {
  std::function<void(MPI_Request *)> begin;
  MPI_Request request = MPI_REQUEST_NULL;
  void start() { begin(&request); }
  void wait() { MPI_Wait(&request, MPI_STATUS_IGNORE); }
  void free() {}
};

struct active_request {
  AMPI_Request request = AMPI_REQUEST_NULL;
  void start() { AMPI_Start(&request); }
  void wait() {
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request != AMPI_REQUEST_NULL);
  }
  void free() {
    AMPI_Request_free(&request);
    CHECK(request == AMPI_REQUEST_NULL);
  }
};

template <class Plain, class Active>
plain_request made(paired, const Plain &plain, const Active &) {
  return {plain};
}
template <class Plain, class Active>
active_request made(active, const Plain &, const Active &init) {
  active_request one;
  init(&one.request);
  return one;
}

/// Counts and displacements as the call in hand has them.
template <class Count, class Displacement>
struct lists {
  static const Count *counts(const int *numbers, int n) { return copied<Count>(numbers, n); }
  static const Displacement *places(const int *numbers, int n) { return copied<Displacement>(numbers, n); }

 private:
  template <class T>
  static const T *copied(const int *numbers, int n) {
    if constexpr (std::is_same_v<T, int>) return numbers;
    else return test::widened<T>(numbers, n);
  }
};

/// A persistent call, with counts past an int where the variant asks for it: `as` makes lists what they are then.
#define INIT(mpi, plain, Name, ...)                                     \
  made(                                                                 \
      mpi,                                                              \
      [=](auto *q) {                                                    \
        using as [[maybe_unused]] = lists<int, int>;                    \
        MPI_I##plain(__VA_ARGS__, q);                                   \
      },                                                                \
      [=](auto *q) {                                                    \
        if (test::counted()) {                                          \
          using as [[maybe_unused]] = lists<MPI_Count, MPI_Aint>;       \
          AMPI_##Name##_init_c(__VA_ARGS__, MPI_INFO_NULL, q);          \
        } else {                                                        \
          using as [[maybe_unused]] = lists<int, int>;                  \
          AMPI_##Name##_init(__VA_ARGS__, MPI_INFO_NULL, q);            \
        }                                                               \
      })

/// Writes new values where the old ones lie: requests have the address.
template <class T>
void renew(std::vector<T> &x, const std::vector<T> &values) {
  std::copy(values.begin(), values.end(), x.begin());
}

/// Rounds of a call from `y` to `z`; what a round brings is of use in the next.
template <class Request, class T>
void play(Request q, std::vector<T> &y, std::vector<T> &z) {
  for (int round = 0; round < rounds; ++round) {
    q.start();
    q.wait();
    std::vector<T> next = y;
    for (std::size_t i = 0; i < z.size(); ++i) next[i % y.size()] = next[i % y.size()] + sin(z[i]) * T(0.2);
    renew(y, next);
  }
  q.free();
}

}  // namespace

TEST_CASE("test_persistent_collectives_move") {
  for (const int n : {1, 4, 300}) {
    CAPTURE(n);
    check_identity(n, 1, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      const ring at;
      const auto type = mpi.type();
      const int root = at.size - 1, all = n * at.size;
      auto y = x;
      std::vector<real> z(all, real(0.5)), out(all, real(0.25));
      const auto from = y.data();
      const auto to = z.data();
      const auto many = out.data();
      play(INIT(mpi, bcast, Bcast, from, n, type, root, world), y, z);
      play(INIT(mpi, gather, Gather, from, n, type, to, n, type, root, world), y, z);
      play(INIT(mpi, scatter, Scatter, many, n, type, to, n, type, root, world), y, z);
      play(INIT(mpi, allgather, Allgather, from, n, type, to, n, type, world), y, z);
      for (int i = 0; i < all; ++i) out[i] = y[i % n] * real(0.5 + i);
      play(INIT(mpi, scatter, Scatter, many, n, type, to, n, type, 0, world), y, z);
      play(INIT(mpi, alltoall, Alltoall, many, n, type, to, n, type, world), y, z);
      play(INIT(mpi, alltoall, Alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, n, type, world), y, z);
      return y;
    });
  }
}

TEST_CASE("test_persistent_collectives_move_parts_of_any_size") {
  check_identity(12, 2, [&](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    const ring at;
    const auto type = mpi.type();
    std::vector<int> counts(at.size), places(at.size), mine(at.size, at.rank % 3 + 1), steps(at.size);
    int all = 0;
    for (int i = 0; i < at.size; ++i) {
      counts[i] = i % 3 + 1;
      places[i] = all;
      all += counts[i];
      steps[i] = 3 * i;
    }
    auto y = x;
    std::vector<real> z(3 * at.size, real(0.5)), out(3 * at.size);
    const auto from = y.data();
    const auto to = z.data();
    const auto many = out.data();
    const int size = at.size;
    const int *c = counts.data(), *p = places.data(), *m = mine.data(), *s = steps.data();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = y[i % 12] * real(0.5 + i);
    play(INIT(mpi, gatherv, Gatherv, from, m[0], type, to, as::counts(c, size), as::places(p, size), type, 0, world), y, z);
    play(INIT(mpi, allgatherv, Allgatherv, from, m[0], type, to, as::counts(c, size), as::places(p, size), type, world), y, z);
    play(INIT(mpi, scatterv, Scatterv, many, as::counts(c, size), as::places(p, size), type, to, m[0], type, 0, world), y, z);
    play(INIT(mpi, alltoallv, Alltoallv, many, as::counts(c, size), as::places(p, size), type, to, as::counts(m, size), as::places(s, size), type, world), y, z);
    // Each part has a type of its own, which is freed before the first start.
    std::vector<int> ones(at.size, 1), bytes(at.size), zeros(at.size, 0);
    for (int i = 0; i < at.size; ++i) bytes[i] = 48 * i;
    std::vector<MPI_Datatype> sent(at.size), received(at.size);
    for (int i = 0; i < at.size; ++i) {
      MPI_Type_contiguous(counts[i], type, &sent[i]);
      MPI_Type_contiguous(mine[i], type, &received[i]);
      MPI_Type_commit(&sent[i]);
      MPI_Type_commit(&received[i]);
    }
    const int *o = ones.data(), *b = bytes.data();
    const MPI_Datatype *t = sent.data(), *u = received.data();
    auto w = INIT(mpi, alltoallw, Alltoallw, many, as::counts(o, size), as::places(b, size), t, to, as::counts(o, size), as::places(b, size), u, world);
    const auto release = [&] {
      for (int i = 0; i < at.size; ++i) {
        MPI_Type_free(&sent[i]);
        MPI_Type_free(&received[i]);
      }
    };
    if (std::is_same_v<decltype(mpi), active>) release();
    play(w, y, z);
    if (!std::is_same_v<decltype(mpi), active>) release();
    // So is the type of both.
    MPI_Datatype gaps = test::gapped(type, 2);
    std::vector<real> wide(5, real(1.0)), there(5 * at.size, real(2.0));
    for (int i = 0; i < 5; ++i) wide[i] = y[i];
    const auto a = wide.data(), d = there.data();
    auto g = INIT(mpi, allgather, Allgather, a, 1, gaps, d, 1, gaps, world);
    if (std::is_same_v<decltype(mpi), active>) MPI_Type_free(&gaps);
    play(g, wide, there);
    if (!std::is_same_v<decltype(mpi), active>) MPI_Type_free(&gaps);
    return combine(y, combine(y, std::vector<real>(12, wide[0] + there[2])));
  });
}

TEST_CASE("test_persistent_collectives_reduce") {
  for (const auto which : {test::op::sum, test::op::product, test::op::max}) {
    check_identity(6, 3, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      const ring at;
      const auto type = mpi.type();
      const auto op = mpi.operation(which);
      auto y = x;
      std::vector<real> z(6, real(0.5)), out(6 * at.size), part(6, real(0.5));
      std::vector<int> counts(at.size, 6);
      const auto from = y.data(), to = z.data(), many = out.data(), own = part.data();
      const int size = at.size;
      const int *c = counts.data();
      play(INIT(mpi, allreduce, Allreduce, from, to, 6, type, op, world), y, z);
      play(INIT(mpi, reduce, Reduce, from, to, 6, type, op, at.size - 1, world), y, z);
      play(INIT(mpi, scan, Scan, from, to, 6, type, op, world), y, z);
      play(INIT(mpi, exscan, Exscan, from, to, 6, type, op, world), y, z);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = sin(y[i % 6] * real(0.3 * i));
      play(INIT(mpi, reduce_scatter_block, Reduce_scatter_block, many, own, 6, type, op, world), y, part);
      play(INIT(mpi, reduce_scatter, Reduce_scatter, many, own, as::counts(c, size), type, op, world), y, part);
      return combine(y, z);
    });
  }
}

TEST_CASE("test_persistent_collectives_among_neighbors") {
  check_identity(3, 4, [&](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    const ring at;
    const auto type = mpi.type();
    MPI_Comm line = MPI_COMM_NULL;
    const int dimensions[] = {at.size}, periodic[] = {1};
    mpi.cart_create(world, 1, dimensions, periodic, 0, &line);
    auto y = x;
    std::vector<real> z(6, real(0.5)), out(6);
    for (int i = 0; i < 6; ++i) out[i] = y[i % 3] * real(1.0 + i);
    const int counts[] = {3, 3}, places[] = {0, 3};
    const MPI_Aint bytes[] = {0, 48};
    const MPI_Datatype types[] = {type, type};
    const auto from = y.data(), to = z.data(), many = out.data();
    const int *c = counts, *p = places;
    const MPI_Aint *b = bytes;
    const MPI_Datatype *t = types;
    play(INIT(mpi, neighbor_allgather, Neighbor_allgather, from, 3, type, to, 3, type, line), y, z);
    play(INIT(mpi, neighbor_allgatherv, Neighbor_allgatherv, from, 3, type, to, as::counts(c, 2), as::places(p, 2), type, line), y, z);
    play(INIT(mpi, neighbor_alltoall, Neighbor_alltoall, many, 3, type, to, 3, type, line), y, z);
    play(INIT(mpi, neighbor_alltoallv, Neighbor_alltoallv, many, as::counts(c, 2), as::places(p, 2), type, to, as::counts(c, 2), as::places(p, 2), type, line), y, z);
    play(INIT(mpi, neighbor_alltoallw, Neighbor_alltoallw, many, as::counts(c, 2), b, t, to, as::counts(c, 2), b, t, line), y, z);
    mpi.comm_free(&line);
    return y;
  });
}

TEST_CASE("test_persistent_collectives_in_arrays_of_requests") {
  check_identity(4, 5, [&](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    const ring at;
    const auto type = mpi.type();
    auto y = x;
    std::vector<real> z(4, real(0.5)), in(4, real(0.5));
    const auto mix = [&] {
      for (int i = 0; i < 4; ++i) y[i] = y[i] * real(0.5) + sin(z[i]) + in[(i + 1) % 4] * real(0.25);
    };
    if constexpr (std::is_same_v<decltype(mpi), active>) {
      AMPI_Request q[3];
      AMPI_Allreduce_init(y.data(), z.data(), 4, type, MPI_SUM, world, MPI_INFO_NULL, &q[0]);
      AMPI_Recv_init(in.data(), 4, type, at.left, 1, world, &q[1]);
      AMPI_Send_init(y.data(), 4, type, at.right, 1, world, &q[2]);
      int flag = 0, index = 0;
      AMPI_Testall(3, q, &flag, MPI_STATUSES_IGNORE);
      CHECK(flag == 1);
      for (int round = 0; round < rounds; ++round) {
        AMPI_Startall(3, q);
        for (int i = 0; i < 3; ++i) {
          AMPI_Waitany(3, q, &index, MPI_STATUS_IGNORE);
          CHECK(index >= 0);
        }
        AMPI_Waitany(3, q, &index, MPI_STATUS_IGNORE);
        CHECK(index == MPI_UNDEFINED);
        mix();
      }
      for (auto &one : q) AMPI_Request_free(&one);
    } else {
      for (int round = 0; round < rounds; ++round) {
        mpi.allreduce(y.data(), z.data(), 4, type, mpi.operation(test::op::sum), world);
        mpi.sendrecv(y.data(), 4, type, at.right, 1, in.data(), 4, type, at.left, 1, world, MPI_STATUS_IGNORE);
        mix();
      }
    }
    return y;
  });
}

// MPI matches persistent collectives by the order in which they are made. Each rank starts and completes them in an order of its own.
TEST_CASE("test_persistent_collectives_in_any_order") {
  check_identity(4, 6, [&](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    const ring at;
    const auto type = mpi.type();
    auto y = x, shared = x;
    std::vector<real> sum(4, real(0.0)), other(4, real(0.0));
    const auto mix = [&] {
      for (int i = 0; i < 4; ++i) y[i] = y[i] * real(0.5) + sin(sum[i]) * shared[i] + other[i] * real(0.25);
    };
    if constexpr (std::is_same_v<decltype(mpi), active>) {
      AMPI_Request q[4];
      // Two that nothing but their order tells apart.
      AMPI_Allreduce_init(x.data(), sum.data(), 4, type, MPI_SUM, world, MPI_INFO_NULL, &q[0]);
      AMPI_Allreduce_init(y.data(), other.data(), 4, type, MPI_SUM, world, MPI_INFO_NULL, &q[1]);
      AMPI_Bcast_init(shared.data(), 4, type, 0, world, MPI_INFO_NULL, &q[2]);
      AMPI_Barrier_init(world, MPI_INFO_NULL, &q[3]);
      for (int round = 0; round < rounds; ++round) {
        shared = y;
        for (int k = 0; k < 4; ++k) AMPI_Start(&q[(k + at.rank + round) % 4]);
        for (int k = 0; k < 4; ++k) AMPI_Wait(&q[(5 + 2 * at.rank - k) % 4], MPI_STATUS_IGNORE);
        mix();
      }
      for (int k = 0; k < 4; ++k) AMPI_Request_free(&q[(k + at.rank) % 4]);
    } else {
      for (int round = 0; round < rounds; ++round) {
        shared = y;
        mpi.allreduce(x.data(), sum.data(), 4, type, mpi.operation(test::op::sum), world);
        mpi.allreduce(y.data(), other.data(), 4, type, mpi.operation(test::op::sum), world);
        mpi.bcast(shared.data(), 4, type, 0, world);
        mix();
      }
    }
    return y;
  });
}

TEST_CASE("test_persistent_collectives_of_passive_data_in_any_order") {
  test::begin();
  const ring at;
  double one = 1.0 + at.rank, two = 100.0 * one, sum[2] = {};
  AMPI_Request q[2];
  AMPI_Allreduce_init(&one, &sum[0], 1, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &q[0]);
  AMPI_Allreduce_init(&two, &sum[1], 1, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &q[1]);
  for (int round = 0; round < rounds; ++round) {
    AMPI_Start(&q[at.rank % 2]);
    AMPI_Start(&q[1 - at.rank % 2]);
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    CHECK(sum[0] == 0.5 * at.size * (at.size + 1));
    CHECK(sum[1] == 100.0 * sum[0]);
  }
  AMPI_Request_free(&q[0]);
  AMPI_Request_free(&q[1]);
}

// Their communicators serve the next ones: MPICH has 2046.
TEST_CASE("test_persistent_collectives_made_and_freed") {
  test::begin();
  double one = 1.0, sum = 0.0;
  for (int i = 0; i < 3000; ++i) {
    AMPI_Request q;
    REQUIRE(AMPI_Allreduce_init(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &q) == MPI_SUCCESS);
    AMPI_Request_free(&q);
  }
  CHECK(sum == 0.0);
}

TEST_CASE("test_persistent_collectives_of_passive_data") {
  const ring at;
  test::begin();
  for (const bool large : {false, true}) {
    int in = at.rank, sum = 0;
    AMPI_Request q;
    if (large) AMPI_Allreduce_init_c(&in, &sum, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &q);
    else AMPI_Allreduce_init(&in, &sum, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &q);
    for (int round = 0; round < rounds; ++round) {
      in = at.rank + round;
      sum = -1;
      AMPI_Start(&q);
      AMPI_Wait(&q, MPI_STATUS_IGNORE);
      CHECK(sum == at.size * (at.size - 1) / 2 + at.size * round);
    }
    AMPI_Request_free(&q);
    CHECK(q == AMPI_REQUEST_NULL);
  }
  AMPI_Request barrier;
  AMPI_Barrier_init(world, MPI_INFO_NULL, &barrier);
  for (int round = 0; round < rounds; ++round) {
    AMPI_Start(&barrier);
    AMPI_Wait(&barrier, MPI_STATUS_IGNORE);
  }
  AMPI_Request_free(&barrier);
}

namespace {

template <class Real>
void multiply(void *in, void *inout, int *n, MPI_Datatype *) {
  for (int i = 0; i < *n; ++i) static_cast<Real *>(inout)[i] = static_cast<Real *>(in)[i] * static_cast<Real *>(inout)[i];
}

int freed = 0;

int count_freed(MPI_Comm, int, void *, void *) {
  ++freed;
  return MPI_SUCCESS;
}

/// A product over a ring, and what the neighbours have of it, by requests whose communicator and operation are freed first.
template <class Real>
void check_freed_before_the_start(const Real &x, MPI_Datatype type, Real &product, std::vector<Real> &near) {
  const ring at;
  const int size = at.size, periodic = 1;
  MPI_Comm comm, other;
  MPI_Op op;
  int keyval = MPI_KEYVAL_INVALID;
  AMPI_Request q[2];
  AMPI_Cart_create(world, 1, &size, &periodic, 0, &comm);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_freed, &keyval, nullptr);
  MPI_Comm_set_attr(comm, keyval, nullptr);
  AMPI_Op_create(&multiply<Real>, 1, &op);
  AMPI_Allreduce_init(&x, &product, 1, type, op, comm, MPI_INFO_NULL, &q[0]);
  AMPI_Neighbor_allgather_init(&product, 1, type, near.data(), 1, type, comm, MPI_INFO_NULL, &q[1]);
  freed = 0;
  CHECK(AMPI_Op_free(&op) == MPI_SUCCESS);
  CHECK(AMPI_Comm_free(&comm) == MPI_SUCCESS);
  CHECK(op == MPI_OP_NULL);
  CHECK(comm == MPI_COMM_NULL);
  AMPI_Comm_dup(world, &other);
  for (int round = 0; round < 2; ++round) {
    for (AMPI_Request &one : q) {
      AMPI_Start(&one);
      AMPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    Real sum = 0.0;
    AMPI_Allreduce(&x, &sum, 1, type, MPI_SUM, other);
  }
  AMPI_Request_free(&q[0]);
  CHECK(freed == 0);
  AMPI_Request_free(&q[1]);
  CHECK(freed == 1);
  AMPI_Comm_free(&other);
  MPI_Comm_free_keyval(&keyval);
}

}  // namespace

TEST_CASE("test_persistent_collectives_outlive_communicator_and_operation") {
  const ring at;
  double all = 1.0;
  for (int i = 0; i < at.size; ++i) all *= 1.5 + i;
  double passive = 1.5 + at.rank, product = 0.0;
  std::vector<double> doubles(2);
  check_freed_before_the_start(passive, MPI_DOUBLE, product, doubles);
  CHECK(doubles[1] == doctest::Approx(all));

  test::recording_tape tape;
  std::vector<admpi::var> x{1.5 + at.rank}, near(2);
  tape.input(x);
  admpi::var y;
  check_freed_before_the_start(x[0], AMPI_ADOUBLE, y, near);
  tape.stop();
  tape.seed(near[0]);
  tape.seed(near[1], 2.0);
  tape.reverse();
  CHECK(tape.adjoint(x[0]) == doctest::Approx(3.0 * at.size * all / x[0].value));
}

TEST_CASE("test_persistent_collectives_mistakes") {
  test::begin();
  admpi::var x = 1.0, y = 0.0;
  AMPI_Request q;
  AMPI_Allreduce_init(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, world, MPI_INFO_NULL, &q);
  AMPI_Start(&q);
  CHECK(test::refusal([&] { return AMPI_Start(&q); }) != "");
  CHECK(test::refusal([&] { return AMPI_Cancel(&q); }) != "");
  CHECK(test::refusal([&] { return AMPI_Request_free(&q); }) != "");
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  CHECK(y.value == test::size_of(world));
  AMPI_Request_free(&q);
  CHECK(test::refusal([&] {
          return AMPI_Allreduce_init(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, world, MPI_INFO_NULL,
                                     static_cast<AMPI_Request *>(nullptr));
        }).find("request") != std::string::npos);
}

namespace {

int raised = 0;
MPI_Comm raised_on = MPI_COMM_NULL;

void note_error(MPI_Comm *comm, int *, ...) {
  ++raised;
  raised_on = *comm;
}

}  // namespace

TEST_CASE("test_persistent_collectives_on_a_communicator_that_is_not_registered") {
  test::recording_tape tape;
  admpi::var x = 2.0, y;
  tape.input(x);
  MPI_Comm comm;
  MPI_Comm_dup(world, &comm);
  AMPI_Request q;
  AMPI_Allreduce_init(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &q);
  AMPI_Start(&q);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  AMPI_Request_free(&q);
  tape.stop();
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == test::size_of(world));
  AMPI_Comm_free(&comm);
}

// The handler is that which the user's communicator has by then.
TEST_CASE("test_persistent_collectives_raise_errors_of_a_start_on_the_communicator") {
  test::recording_tape tape;
  admpi::var x = 1.0, y;
  double number = 1.0;
  tape.input(x);
  MPI_Comm comm;
  AMPI_Comm_dup(world, &comm);
  AMPI_Request q[2];
  AMPI_Allreduce_init(&x, &y, 1, AMPI_ADOUBLE, MPI_LAND, comm, MPI_INFO_NULL, &q[0]);
  AMPI_Bcast_init(&number, -1, MPI_DOUBLE, 0, comm, MPI_INFO_NULL, &q[1]);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  for (AMPI_Request &one : q) {
    raised = 0;
    raised_on = MPI_COMM_NULL;
    CHECK(AMPI_Start(&one) != MPI_SUCCESS);
    CHECK(raised == 1);
    CHECK(raised_on == comm);
    AMPI_Request_free(&one);
  }
  AMPI_Comm_free(&comm);
}
