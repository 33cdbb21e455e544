// Point to point with counts past the limit of an int, which ADMPI_INT_MAX lowers.
#include <numeric>

#include "ampi/point_to_point.hpp"

using namespace point_to_point;

namespace {

/// The forms with counts past an int, of both worlds: MPI 3.1 has none of its own.
struct paired_counts : test::paired {
#define ADMPI_TEST_COUNTED_MESSAGES         \
  ADMPI_TEST_FORWARD(send_c, Send)          \
  ADMPI_TEST_FORWARD(bsend_c, Bsend)        \
  ADMPI_TEST_FORWARD(ssend_c, Ssend)        \
  ADMPI_TEST_FORWARD(rsend_c, Rsend)        \
  ADMPI_TEST_FORWARD(isend_c, Isend)        \
  ADMPI_TEST_FORWARD(ibsend_c, Ibsend)      \
  ADMPI_TEST_FORWARD(issend_c, Issend)      \
  ADMPI_TEST_FORWARD(irsend_c, Irsend)      \
  ADMPI_TEST_FORWARD(recv_c, Recv)          \
  ADMPI_TEST_FORWARD(irecv_c, Irecv)        \
  ADMPI_TEST_FORWARD(sendrecv_c, Sendrecv)  \
  ADMPI_TEST_FORWARD(sendrecv_replace_c, Sendrecv_replace) \
  ADMPI_TEST_FORWARD(mrecv_c, Mrecv)        \
  ADMPI_TEST_FORWARD(imrecv_c, Imrecv)      \
  ADMPI_TEST_FORWARD(send_init_c, Send_init)   \
  ADMPI_TEST_FORWARD(bsend_init_c, Bsend_init) \
  ADMPI_TEST_FORWARD(ssend_init_c, Ssend_init) \
  ADMPI_TEST_FORWARD(rsend_init_c, Rsend_init) \
  ADMPI_TEST_FORWARD(recv_init_c, Recv_init)
#define ADMPI_TEST_FORWARD(name, function) \
  template <class... A>                    \
  static int name(A... a) {                \
    return MPIX_##function##_x(a...);      \
  }
  ADMPI_TEST_COUNTED_MESSAGES
#undef ADMPI_TEST_FORWARD
};

struct active_counts : test::active {
#define ADMPI_TEST_FORWARD(name, function) \
  template <class... A>                    \
  static int name(A... a) {                \
    return AMPI_##function##_c(a...);      \
  }
  ADMPI_TEST_COUNTED_MESSAGES
#undef ADMPI_TEST_FORWARD
};

paired_counts counted(test::paired) { return {}; }
active_counts counted(test::active) { return {}; }

}  // namespace

TEST_CASE("test_point_to_point_large_counts") {
  for (const MPI_Count n : {MPI_Count(5), MPI_Count(23), MPI_Count(1001)}) {
    CAPTURE(n);
    check_identity(static_cast<std::size_t>(n), 80, [&](auto which, auto &x) {
      const auto mpi = counted(which);
      using request = typename decltype(which)::request;
      const ring at;
      const buffer space(static_cast<int>(n), mpi.type(), 3);
      const int to = at.right, from = at.left;
      auto y = x, z = x;
      request s, q;
      MPI_Status status;
      MPI_Message message;
      const auto received = [&] {
        MPI_Count count = 0;
        MPIX_Get_count_x(&status, mpi.type(), &count);
        CHECK(count == n);
        CHECK(status.MPI_SOURCE == from);
        y = combine(y, z);
      };
      // Blocking modes, each into another form of receive.
      mpi.irecv_c(z.data(), n, mpi.type(), from, 0, world, &q);
      MPI_Barrier(world);
      mpi.rsend_c(y.data(), n, mpi.type(), to, 0, world);
      mpi.wait(&q, &status);
      received();
      mpi.bsend_c(y.data(), n, mpi.type(), to, 1, world);
      mpi.recv_c(z.data(), n, mpi.type(), from, 1, world, &status);
      received();
      mpi.isend_c(y.data(), n, mpi.type(), to, 2, world, &s);
      mpi.mprobe(from, 2, world, &message, MPI_STATUS_IGNORE);
      mpi.mrecv_c(z.data(), n, mpi.type(), &message, &status);
      mpi.wait(&s, MPI_STATUS_IGNORE);
      received();
      mpi.issend_c(y.data(), n, mpi.type(), to, 3, world, &s);
      mpi.mprobe(from, 3, world, &message, MPI_STATUS_IGNORE);
      mpi.imrecv_c(z.data(), n, mpi.type(), &message, &q);
      mpi.wait(&q, &status);
      mpi.wait(&s, MPI_STATUS_IGNORE);
      received();
      mpi.ibsend_c(y.data(), n, mpi.type(), to, 4, world, &s);
      mpi.recv_c(z.data(), n + 3, mpi.type(), MPI_PROC_NULL, 4, world, MPI_STATUS_IGNORE);
      mpi.recv_c(z.data(), n, mpi.type(), MPI_ANY_SOURCE, 4, world, &status);
      mpi.wait(&s, MPI_STATUS_IGNORE);
      received();
      mpi.irecv_c(z.data(), n, mpi.type(), from, 5, world, &q);
      MPI_Barrier(world);
      mpi.irsend_c(y.data(), n, mpi.type(), to, 5, world, &s);
      mpi.wait(&q, &status);
      mpi.wait(&s, MPI_STATUS_IGNORE);
      received();
      mpi.irecv_c(z.data(), n, mpi.type(), from, 6, world, &q);
      mpi.ssend_c(y.data(), n, mpi.type(), to, 6, world);
      mpi.wait(&q, &status);
      received();
      mpi.irecv_c(z.data(), n, mpi.type(), from, 7, world, &q);
      mpi.send_c(y.data(), n, mpi.type(), to, 7, world);
      mpi.wait(&q, &status);
      received();
      mpi.sendrecv_c(y.data(), n, mpi.type(), to, 8, z.data(), n, mpi.type(), from, 8, world, &status);
      received();
      z = y;
      mpi.sendrecv_replace_c(z.data(), n, mpi.type(), to, 9, from, 9, world, &status);
      received();
      return y;
    });
  }
}

TEST_CASE("test_point_to_point_large_counts_persistent") {
  for (const MPI_Count n : {MPI_Count(5), MPI_Count(23), MPI_Count(1001)}) {
    CAPTURE(n);
    for (const int mode : {standard, buffered, synchronous, ready}) {
      check_identity(static_cast<std::size_t>(n), 90, [&](auto which, auto &x) {
        const auto mpi = counted(which);
        const int how = persistent(mpi, mode);
        const ring at;
        const buffer space(static_cast<int>(n), mpi.type(), 2);
        auto y = x, z = x;
        typename decltype(which)::request s, q;
        mpi.recv_init_c(z.data(), n, mpi.type(), at.left, 0, world, &q);
        if (how == standard) mpi.send_init_c(y.data(), n, mpi.type(), at.right, 0, world, &s);
        if (how == buffered) mpi.bsend_init_c(y.data(), n, mpi.type(), at.right, 0, world, &s);
        if (how == synchronous) mpi.ssend_init_c(y.data(), n, mpi.type(), at.right, 0, world, &s);
        if (how == ready) mpi.rsend_init_c(y.data(), n, mpi.type(), at.right, 0, world, &s);
        for (int round = 0; round < 2; ++round) {
          mpi.start(&q);
          MPI_Barrier(world);
          mpi.start(&s);
          mpi.wait(&q, MPI_STATUS_IGNORE);
          mpi.wait(&s, MPI_STATUS_IGNORE);
          renew(y, combine(y, z));
        }
        mpi.request_free(&q);
        mpi.request_free(&s);
        return y;
      });
    }
  }
}

TEST_CASE("test_point_to_point_large_counts_of_derived_types_and_short_messages") {
  check_identity(60, 95, [](auto which, auto &x) {
    const auto mpi = counted(which);
    const ring at;
    // Every second of two, so that 30 items lie in 60 doubles.
    MPI_Datatype second;
    MPI_Type_create_resized(mpi.type(), 0, 2 * sizeof(x[0]), &second);
    MPI_Type_commit(&second);
    auto y = combine(x, x);
    typename decltype(which)::request q;
    mpi.irecv_c(y.data(), MPI_Count(60), mpi.type(), at.left, 0, world, &q);
    mpi.send_c(x.data(), MPI_Count(19), second, at.right, 0, world);
    mpi.wait(&q, MPI_STATUS_IGNORE);
    auto z = combine(y, x);
    mpi.irecv_c(z.data(), MPI_Count(30), second, at.left, 1, world, &q);
    mpi.send_c(y.data(), MPI_Count(25), mpi.type(), at.right, 1, world);
    mpi.wait(&q, MPI_STATUS_IGNORE);
    MPI_Type_free(&second);
    return combine(y, z);
  });
}

TEST_CASE("test_point_to_point_passive_large_counts") {
  test::begin();
  const ring at;
  const MPI_Count n = 1001;
  std::vector<int> out(n), in(n, -1);
  std::iota(out.begin(), out.end(), 1000 * at.rank);
  AMPI_Request q;
  AMPI_Irecv_c(in.data(), n, MPI_INT, at.left, 0, world, &q);
  AMPI_Send_c(out.data(), n, MPI_INT, at.right, 0, world);
  MPI_Status status;
  AMPI_Wait(&q, &status);
  MPI_Count count = 0;
  AMPI_Get_count_c(&status, MPI_INT, &count);
  CHECK(count == n);
  CHECK(in.front() == 1000 * at.left);
  CHECK(in.back() == 1000 * at.left + n - 1);
  AMPI_Sendrecv_replace_c(out.data(), n, MPI_INT, at.right, 1, at.left, 1, world, &status);
  CHECK(out == in);
}
