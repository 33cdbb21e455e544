// Point to point beyond Send and Recv: modes, exchange in place, matched probes, persistent requests, counts past
// the limit of an int (which ADMPI_INT_MAX lowers).
#include "harness/identity.hpp"

#include <algorithm>
#include <numeric>
#include <string>

using admpi::var;
using test::check_identity;
using test::combine;
using test::ring;
using test::text_of;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// The buffer of buffered sends, no larger than MPI_Pack_size asks for.
class buffer {
 public:
  buffer(int n, MPI_Datatype type, int messages) {
    int bytes = 0;
    MPI_Pack_size(n, type, world, &bytes);
    memory_.resize(static_cast<std::size_t>(messages * (bytes + MPI_BSEND_OVERHEAD)));
    MPI_Buffer_attach(memory_.data(), static_cast<int>(memory_.size()));
  }
  ~buffer() {
    void *address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
  }

 private:
  std::vector<char> memory_;
};

enum mode { standard, buffered, synchronous, ready, modes };

template <class Mpi, class T>
void send(Mpi mpi, int how, const T *x, int n, int to, int tag) {
  if (how == standard) mpi.send(x, n, mpi.type(), to, tag, world);
  if (how == buffered) mpi.bsend(x, n, mpi.type(), to, tag, world);
  if (how == synchronous) mpi.ssend(x, n, mpi.type(), to, tag, world);
  if (how == ready) mpi.rsend(x, n, mpi.type(), to, tag, world);
}

template <class Mpi, class T>
void isend(Mpi mpi, int how, const T *x, int n, int to, int tag, typename Mpi::request *q) {
  if (how == standard) mpi.isend(x, n, mpi.type(), to, tag, world, q);
  if (how == buffered) mpi.ibsend(x, n, mpi.type(), to, tag, world, q);
  if (how == synchronous) mpi.issend(x, n, mpi.type(), to, tag, world, q);
  if (how == ready) mpi.irsend(x, n, mpi.type(), to, tag, world, q);
}

/// Open MPI 4.1 sends freed memory from the second start of a buffered request on. Where the receives are posted, a
/// standard one does what it should.
template <class Mpi>
constexpr int persistent(Mpi, int how) {
  return how == buffered && std::is_base_of_v<test::paired, Mpi> ? standard : how;
}

template <class Mpi, class T>
void send_init(Mpi mpi, int how, const T *x, int n, int to, int tag, typename Mpi::request *q) {
  how = persistent(mpi, how);
  if (how == standard) mpi.send_init(x, n, mpi.type(), to, tag, world, q);
  if (how == buffered) mpi.bsend_init(x, n, mpi.type(), to, tag, world, q);
  if (how == synchronous) mpi.ssend_init(x, n, mpi.type(), to, tag, world, q);
  if (how == ready) mpi.rsend_init(x, n, mpi.type(), to, tag, world, q);
}

/// New values where the old ones lie: a persistent request knows their address.
template <class T>
void renew(std::vector<T> &x, const std::vector<T> &values) {
  std::copy(values.begin(), values.end(), x.begin());
}

int count_of(const MPI_Status &status, MPI_Datatype type) {
  int n = -1;
  MPI_Get_count(&status, type, &n);
  return n;
}

}  // namespace

TEST_CASE("test_point_to_point_modes") {
  for (const int how : {standard, buffered, synchronous, ready}) {
    for (const int n : {1, 3, 100, 5000}) {
      CAPTURE(how);
      CAPTURE(n);
      check_identity(n, 1 + how, [&](auto mpi, auto &x) {
        const ring at;
        const buffer space(n, mpi.type(), 2);
        auto y = x, z = x;
        typename decltype(mpi)::request q[2], s;
        mpi.irecv(y.data(), n, mpi.type(), at.left, 3, world, &q[0]);
        mpi.irecv(z.data(), n, mpi.type(), at.left, 4, world, &q[1]);
        MPI_Barrier(world);  // the receives of a ready send are there
        isend(mpi, how, x.data(), n, at.right, 4, &s);
        send(mpi, how, x.data(), n, at.right, 3);
        mpi.wait(&s, MPI_STATUS_IGNORE);
        mpi.waitall(2, q, MPI_STATUSES_IGNORE);
        return combine(combine(x, y), z);
      });
    }
  }
}

TEST_CASE("test_point_to_point_modes_to_nobody") {
  for (const int how : {standard, buffered, synchronous, ready}) {
    check_identity(3, 10 + how, [&](auto mpi, auto &x) {
      auto y = combine(x, x);
      typename decltype(mpi)::request s;
      send(mpi, how, y.data(), 3, MPI_PROC_NULL, 0);
      isend(mpi, how, y.data(), 3, MPI_PROC_NULL, 0, &s);
      mpi.wait(&s, MPI_STATUS_IGNORE);
      return y;
    });
  }
}

TEST_CASE("test_point_to_point_buffered_head_to_head") {
  // Everybody sends before anybody receives.
  check_identity(40, 20, [](auto mpi, auto &x) {
    const ring at;
    const buffer space(40, mpi.type(), 3);
    auto y = x;
    for (int round = 0; round < 3; ++round) {
      mpi.bsend(y.data(), 40, mpi.type(), at.right, round, world);
      auto z = y;
      mpi.recv(z.data(), 40, mpi.type(), at.left, round, world, MPI_STATUS_IGNORE);
      y = combine(y, z);
    }
    return y;
  });
}

TEST_CASE("test_point_to_point_sendrecv_replace") {
  for (const int n : {1, 6, 3000}) {
    check_identity(n, 30, [&](auto mpi, auto &x) {
      const ring at;
      auto y = combine(x, x);
      MPI_Status status;
      mpi.sendrecv_replace(y.data(), n, mpi.type(), at.right, 1, at.left, 1, world, &status);
      CHECK(count_of(status, mpi.type()) == n);
      CHECK(status.MPI_SOURCE == at.left);
      mpi.sendrecv_replace(y.data(), n, mpi.type(), at.left, 2, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
      CHECK(status.MPI_TAG == 2);
      return combine(x, y);
    });
  }
}

TEST_CASE("test_point_to_point_sendrecv_replace_at_the_ends_of_a_line") {
  check_identity(4, 31, [](auto mpi, auto &x) {
    const ring at;
    const int below = at.rank > 0 ? at.rank - 1 : MPI_PROC_NULL;
    const int above = at.rank < at.size - 1 ? at.rank + 1 : MPI_PROC_NULL;
    auto y = combine(x, x);
    MPI_Status status;
    // The first rank receives nothing and keeps what it has, with its derivative.
    mpi.sendrecv_replace(y.data(), 4, mpi.type(), above, 5, below, 5, world, &status);
    CHECK(status.MPI_SOURCE == below);
    CHECK(count_of(status, mpi.type()) == (below == MPI_PROC_NULL ? 0 : 4));
    return combine(y, x);
  });
}

TEST_CASE("test_point_to_point_sendrecv_replace_by_a_shorter_message") {
  check_identity(6, 32, [](auto mpi, auto &x) {
    const ring at;
    auto y = combine(x, x), z = x;
    // What a rank sends differs from what it gets: the evens are answered by a plain exchange.
    const int peer = at.size % 2 == 0 ? at.rank ^ 1 : at.rank;
    MPI_Status status;
    if (at.rank % 2 == 0 && peer != at.rank) {
      mpi.sendrecv_replace(y.data(), 6, mpi.type(), peer, 7, peer, 7, world, &status);
      CHECK(count_of(status, mpi.type()) == 2);
    } else if (peer != at.rank) {
      mpi.sendrecv(y.data(), 2, mpi.type(), peer, 7, z.data(), 6, mpi.type(), peer, 7, world, &status);
      CHECK(count_of(status, mpi.type()) == 6);
    }
    return combine(y, z);
  });
}

TEST_CASE("test_point_to_point_probes_count_in_the_users_type") {
  check_identity(9, 40, [](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    const ring at;
    const int n = 1 + at.rank % 4, expected = 1 + at.left % 4;
    MPI_Datatype pair_of;
    MPI_Type_contiguous(2, mpi.type(), &pair_of);
    MPI_Type_commit(&pair_of);
    std::vector<real> y(x.begin(), x.end());
    for (const bool blocking : {true, false}) {
      typename decltype(mpi)::request s;
      mpi.isend(x.data(), 2 * n, mpi.type(), at.right, 8, world, &s);
      MPI_Status status;
      int flag = 0;
      if (blocking) mpi.probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
      while (!blocking && !flag) mpi.iprobe(at.left, 8, world, &flag, &status);
      CHECK(count_of(status, mpi.type()) == 2 * expected);
      CHECK(count_of(status, pair_of) == expected);
      CHECK(status.MPI_SOURCE == at.left);
      std::vector<real> room(2 * expected);
      mpi.recv(room.data(), expected, pair_of, status.MPI_SOURCE, status.MPI_TAG, world, &status);
      CHECK(count_of(status, pair_of) == expected);
      for (int i = 0; i < 2 * expected; ++i) y[i] = y[i] * room[i];
      mpi.wait(&s, MPI_STATUS_IGNORE);
      MPI_Barrier(world);  // a wildcard must not see the next round
    }
    MPI_Type_free(&pair_of);
    return y;
  });
}

TEST_CASE("test_point_to_point_mprobe_with_wildcards") {
  for (const bool nonblocking : {false, true}) {
    check_identity(5, 41, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      const ring at;
      if (at.rank != 0) {
        for (int i = 0; i < 3; ++i) mpi.send(x.data() + i, 1 + (at.rank + i) % 3, mpi.type(), 0, i, world);
        return x;
      }
      std::vector<real> y(x.begin(), x.end()), room(5);
      y.resize(9 * at.size);
      for (int i = 0; i < 3 * (at.size - 1); ++i) {
        MPI_Message message;
        MPI_Status status;
        int flag = 0;
        if (!nonblocking) mpi.mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, &status);
        while (nonblocking && !flag) mpi.improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, &message, &status);
        const int n = count_of(status, mpi.type());
        CHECK(n == 1 + (status.MPI_SOURCE + status.MPI_TAG) % 3);
        const int source = status.MPI_SOURCE, tag = status.MPI_TAG;
        mpi.mrecv(room.data(), 5, mpi.type(), &message, &status);
        CHECK(message == MPI_MESSAGE_NULL);
        CHECK(count_of(status, mpi.type()) == n);
        CHECK(status.MPI_SOURCE == source);
        for (int k = 0; k < n; ++k) y[9 * source + 3 * tag + k] = sin(room[k] * x[k]);
      }
      return y;
    });
  }
}

TEST_CASE("test_point_to_point_mprobe_posts") {
  // Three messages of one channel: the first and the last are matched by probes, the second by a receive posted
  // between; they are completed in every order.
  std::vector<int> order = {0, 1, 2};
  do {
    for (const bool nonblocking : {false, true}) {
      check_identity(3, 42, [&](auto mpi, auto &x) {
        using request = typename decltype(mpi)::request;
        const ring at;
        request s[3], q[3];
        MPI_Message message[3];
        auto y = x;
        for (int i = 0; i < 3; ++i) mpi.isend(&x[i], 1, mpi.type(), at.right, 0, world, &s[i]);
        mpi.mprobe(at.left, 0, world, &message[0], MPI_STATUS_IGNORE);
        mpi.irecv(&y[1], 1, mpi.type(), MPI_ANY_SOURCE, 0, world, &q[1]);
        for (int flag = 0; !flag;)
          mpi.improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &flag, &message[2], MPI_STATUS_IGNORE);
        if (nonblocking)
          for (const int i : {2, 0}) mpi.imrecv(&y[i], 1, mpi.type(), &message[i], &q[i]);
        for (const int i : order) {
          if (nonblocking || i == 1)
            mpi.wait(&q[i], MPI_STATUS_IGNORE);
          else
            mpi.mrecv(&y[i], 1, mpi.type(), &message[i], MPI_STATUS_IGNORE);
          y[i] = sin(y[i]) * (2.0 + i);
        }
        mpi.waitall(3, s, MPI_STATUSES_IGNORE);
        return y;
      });
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("test_point_to_point_mprobe_of_nobody_and_of_passive_data") {
  check_identity(3, 43, [](auto mpi, auto &x) {
    const ring at;
    auto y = combine(x, x), z = x;
    MPI_Message message, other;
    MPI_Status status;
    int flag = 0;
    typename decltype(mpi)::request q, s[2];
    mpi.mprobe(MPI_PROC_NULL, 0, world, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    mpi.mrecv(y.data(), 3, mpi.type(), &message, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    mpi.improbe(MPI_PROC_NULL, 0, world, &flag, &message, &status);
    CHECK(flag == 1);
    mpi.imrecv(y.data(), 3, mpi.type(), &message, &q);
    mpi.wait(&q, MPI_STATUS_IGNORE);
    // A passive message and an active one of the same channel, matched in this order and received in the other.
    const double sent = 0.5 + at.rank;
    double got = 0.0;
    mpi.isend(&sent, 1, MPI_DOUBLE, at.right, 0, world, &s[0]);
    mpi.isend(x.data(), 3, mpi.type(), at.right, 0, world, &s[1]);
    mpi.mprobe(at.left, 0, world, &message, MPI_STATUS_IGNORE);
    mpi.mprobe(at.left, 0, world, &other, MPI_STATUS_IGNORE);
    mpi.mrecv(z.data(), 3, mpi.type(), &other, MPI_STATUS_IGNORE);
    mpi.mrecv(&got, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
    CHECK(got == 0.5 + at.left);
    mpi.waitall(2, s, MPI_STATUSES_IGNORE);
    return combine(z, y);
  });
}

TEST_CASE("test_point_to_point_persistent") {
  for (const int how : {standard, buffered, synchronous, ready}) {
    for (const int n : {1, 5, 2000}) {
      CAPTURE(how);
      CAPTURE(n);
      check_identity(n, 50 + how, [&](auto mpi, auto &x) {
        const ring at;
        const buffer space(n, mpi.type(), 4);
        auto y = x, z = x;
        typename decltype(mpi)::request receive, send;
        mpi.recv_init(z.data(), n, mpi.type(), at.left, 2, world, &receive);
        send_init(mpi, how, y.data(), n, at.right, 2, &send);
        for (int round = 0; round < 4; ++round) {
          MPI_Status status;
          mpi.start(&receive);
          MPI_Barrier(world);
          mpi.start(&send);
          mpi.wait(&send, MPI_STATUS_IGNORE);
          mpi.wait(&receive, &status);
          CHECK(send != mpi.null());
          CHECK(receive != mpi.null());
          CHECK(count_of(status, mpi.type()) == n);
          renew(y, combine(y, z));
        }
        mpi.request_free(&send);
        mpi.request_free(&receive);
        CHECK(send == mpi.null());
        CHECK(receive == mpi.null());
        return y;
      });
    }
  }
}

TEST_CASE("test_point_to_point_persistent_in_arrays") {
  // Active ones and passive ones together, started at once, completed in every way.
  for (const int how : {0, 1, 2, 3, 4, 5}) {
    CAPTURE(how);
    check_identity(4, 60, [&](auto mpi, auto &x) {
      using request = typename decltype(mpi)::request;
      const ring at;
      auto y = x, z = x;
      int out = 0, in = -1;
      request q[9];
      mpi.recv_init(&in, 1, MPI_INT, at.left, 9, world, &q[0]);
      for (int i = 0; i < 4; ++i) {
        mpi.recv_init(&z[i], 1, mpi.type(), i % 2 ? at.left : MPI_ANY_SOURCE, i / 2, world, &q[1 + i]);
        if (i < 3) mpi.send_init(&y[i], 1, mpi.type(), at.right, i / 2, world, &q[5 + i]);
      }
      mpi.send_init(&out, 1, MPI_INT, at.right, 9, world, &q[8]);
      for (int round = 0; round < 3; ++round) {
        out = 10 * round + at.rank;
        mpi.startall(9, q);
        request last;
        mpi.isend(&y[3], 1, mpi.type(), at.right, 1, world, &last);
        int done = 0, index = 0, flag = 0, indices[9];
        MPI_Status statuses[9];
        switch (how) {
          case 0:
            mpi.waitall(9, q, statuses);
            break;
          case 1:
            for (; done < 9; ++done) {
              mpi.waitany(9, q, &index, statuses);
              REQUIRE(index >= 0);
              REQUIRE(index < 9);
            }
            mpi.waitany(9, q, &index, statuses);
            CHECK(index == MPI_UNDEFINED);
            break;
          case 2:
            while (done < 9) {
              int n = 0;
              mpi.waitsome(9, q, &n, indices, statuses);
              done += n;
            }
            CHECK(done == 9);
            break;
          case 3:
            while (!flag) mpi.testall(9, q, &flag, statuses);
            break;
          case 4:
            while (done < 9) {
              mpi.testany(9, q, &index, &flag, statuses);
              if (flag) ++done;
            }
            break;
          case 5:
            for (index = 8; index >= 0; --index)
              for (flag = 0; !flag;) mpi.test(&q[index], &flag, statuses);
            break;
        }
        mpi.wait(&last, MPI_STATUS_IGNORE);
        CHECK(in == 10 * round + at.left);
        for (const auto &one : q) CHECK(one != mpi.null());
        renew(y, combine(y, z));
      }
      for (auto &one : q) mpi.request_free(&one);
      return y;
    });
  }
}

TEST_CASE("test_point_to_point_persistent_receives_of_one_channel_completed_out_of_order") {
  std::vector<int> order = {0, 1, 2};
  do {
    check_identity(3, 70, [&](auto mpi, auto &x) {
      const ring at;
      auto y = x, z = x;
      typename decltype(mpi)::request q[3], s[3];
      for (int i = 0; i < 3; ++i) {
        // Made in the other order than they are started.
        mpi.recv_init(&z[2 - i], 1, mpi.type(), at.left, 0, world, &q[2 - i]);
        mpi.send_init(&y[2 - i], 1, mpi.type(), at.right, 0, world, &s[2 - i]);
      }
      for (int round = 0; round < 2; ++round) {
        mpi.startall(3, q);
        mpi.startall(3, s);
        for (const int i : order) mpi.wait(&q[i], MPI_STATUS_IGNORE);
        mpi.waitall(3, s, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 3; ++i) y[i] = sin(z[i]) * (2.0 + i) + y[i] * x[0];
      }
      for (auto &one : q) mpi.request_free(&one);
      for (auto &one : s) mpi.request_free(&one);
      return y;
    });
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("test_point_to_point_persistent_with_nobody_and_short_messages") {
  check_identity(6, 71, [](auto mpi, auto &x) {
    const ring at;
    auto y = combine(x, x), z = combine(x, x);
    typename decltype(mpi)::request q[4];
    mpi.recv_init(y.data(), 6, mpi.type(), MPI_PROC_NULL, 0, world, &q[0]);
    mpi.send_init(y.data(), 6, mpi.type(), MPI_PROC_NULL, 0, world, &q[1]);
    mpi.recv_init(z.data(), 6, mpi.type(), at.left, 1, world, &q[2]);
    mpi.send_init(x.data(), 2, mpi.type(), at.right, 1, world, &q[3]);
    for (int round = 0; round < 2; ++round) {
      MPI_Status statuses[4];
      mpi.startall(4, q);
      mpi.waitall(4, q, statuses);
      CHECK(count_of(statuses[0], mpi.type()) == 0);
      CHECK(count_of(statuses[2], mpi.type()) == 2);
      renew(z, combine(z, y));
    }
    for (auto &one : q) mpi.request_free(&one);
    return z;
  });
}

TEST_CASE("test_point_to_point_persistent_with_nobody_completed_until_none_is_active") {
  // MPICH does not report those to nobody; plain programs that go on until it says MPI_UNDEFINED run all the same.
  check_identity(3, 73, [](auto mpi, auto &x) {
    const ring at;
    auto y = combine(x, x), z = combine(x, x);
    typename decltype(mpi)::request q[4];
    mpi.recv_init(y.data(), 3, mpi.type(), MPI_PROC_NULL, 0, world, &q[0]);
    mpi.send_init(y.data(), 3, mpi.type(), MPI_PROC_NULL, 0, world, &q[1]);
    mpi.recv_init(z.data(), 3, mpi.type(), at.left, 1, world, &q[2]);
    mpi.send_init(x.data(), 3, mpi.type(), at.right, 1, world, &q[3]);
    for (int round = 0; round < 4; ++round) {
      mpi.startall(4, q);
      int n = 0, index[4], flag = 0;
      MPI_Status statuses[4];
      while (n != MPI_UNDEFINED) {
        if (round == 0) mpi.waitany(4, q, &n, statuses);
        else if (round == 1) mpi.waitsome(4, q, &n, index, statuses);
        else if (round == 2) mpi.testany(4, q, &n, &flag, statuses);
        else mpi.testsome(4, q, &n, index, statuses);
        if (round == 2 && flag == 0) n = 0;
      }
      renew(z, combine(z, y));
    }
    for (auto &one : q) mpi.request_free(&one);
    return z;
  });
}

TEST_CASE("test_point_to_point_requests_freed_under_way") {
  // Of a nonblocking send and of a persistent one that is active.
  for (const int n : {1, 50000}) {
    check_identity(n, 72, [&](auto mpi, auto &x) {
      const ring at;
      auto y = x, z = x;
      typename decltype(mpi)::request q[2], s[2];
      mpi.irecv(y.data(), n, mpi.type(), at.left, 0, world, &q[0]);
      mpi.irecv(z.data(), n, mpi.type(), at.left, 1, world, &q[1]);
      mpi.isend(x.data(), n, mpi.type(), at.right, 0, world, &s[0]);
      mpi.send_init(x.data(), n, mpi.type(), at.right, 1, world, &s[1]);
      mpi.start(&s[1]);
      for (auto &one : s) {
        mpi.request_free(&one);
        CHECK(one == mpi.null());
      }
      mpi.waitall(2, q, MPI_STATUSES_IGNORE);
      MPI_Barrier(world);  // x lives until all is received
      return combine(y, z);
    });
  }
}

TEST_CASE("test_point_to_point_persistent_of_every_mode_outlives_its_communicator") {
  for (const int how : {standard, buffered, synchronous}) {
    CAPTURE(how);
    check_identity(2, 75 + how, [how](auto mpi, auto &x) {
      using Mpi = decltype(mpi);
      // In one direction: what a rank does not use lives no longer than that.
      const ring at;
      const int last = at.size - 1;
      const bool sends = at.rank == 0, receives = at.rank == last;
      MPI_Comm comm;
      auto y = x, z = x;
      typename Mpi::request q[2] = {Mpi::null(), Mpi::null()};
      char room[8 * (MPI_BSEND_OVERHEAD + 2 * sizeof(double))];
      if (how == buffered) MPI_Buffer_attach(room, sizeof room);
      mpi.comm_dup(world, &comm);
      const int mode = persistent(mpi, how);
      if (receives) mpi.recv_init(z.data(), 2, mpi.type(), 0, 0, comm, &q[0]);
      if (sends && mode == standard) mpi.send_init(y.data(), 2, mpi.type(), last, 0, comm, &q[1]);
      if (sends && mode == buffered) mpi.bsend_init(y.data(), 2, mpi.type(), last, 0, comm, &q[1]);
      if (sends && mode == synchronous) mpi.ssend_init(y.data(), 2, mpi.type(), last, 0, comm, &q[1]);
      mpi.comm_free(&comm);
      for (int round = 0; round < 4; ++round) {
        for (auto &request : q)
          if (request != Mpi::null()) mpi.start(&request);
        mpi.waitall(2, q, MPI_STATUSES_IGNORE);
        renew(y, combine(y, z));
      }
      for (auto &request : q)
        if (request != Mpi::null()) mpi.request_free(&request);
      void *back = nullptr;
      int bytes = 0;
      if (how == buffered) MPI_Buffer_detach(&back, &bytes);
      return y;
    });
  }
}

TEST_CASE("test_point_to_point_persistent_outlives_its_communicator") {
  // Started when another communicator of the same group carries messages between the same ranks, whose sends and
  // receives are in another order with them.
  check_identity(2, 74, [](auto mpi, auto &x) {
    const ring at;
    MPI_Comm first, second;
    auto y = x, z = x, w = x;
    typename decltype(mpi)::request q[2], s[2];
    mpi.comm_dup(world, &first);
    mpi.recv_init(z.data(), 2, mpi.type(), at.left, 0, first, &q[0]);
    mpi.send_init(y.data(), 2, mpi.type(), at.right, 0, first, &s[0]);
    mpi.comm_free(&first);
    mpi.comm_dup(world, &second);
    for (int round = 0; round < 2; ++round) {
      mpi.start(&q[0]);
      mpi.irecv(w.data(), 2, mpi.type(), at.left, 0, second, &q[1]);
      mpi.isend(x.data(), 2, mpi.type(), at.right, 0, second, &s[1]);
      mpi.start(&s[0]);
      mpi.waitall(2, s, MPI_STATUSES_IGNORE);
      mpi.waitall(2, q, MPI_STATUSES_IGNORE);
      renew(y, combine(z, w));
    }
    mpi.request_free(&q[0]);
    mpi.request_free(&s[0]);
    mpi.comm_free(&second);
    return y;
  });
}

TEST_CASE("test_point_to_point_persistent_receive_cancelled_and_started_anew") {
  check_identity(3, 73, [](auto mpi, auto &x) {
    const ring at;
    auto y = combine(x, x);
    typename decltype(mpi)::request q, s;
    MPI_Status status;
    int flag = 0, cancelled = 0;
    mpi.recv_init(y.data(), 3, mpi.type(), at.left, 6, world, &q);
    mpi.start(&q);
    mpi.cancel(&q);
    mpi.wait(&q, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled == 1);
    // At rest it is complete, with an empty status.
    mpi.test(&q, &flag, &status);
    CHECK(flag == 1);
    CHECK(count_of(status, mpi.type()) == 0);
    mpi.request_get_status(q, &flag, &status);
    CHECK(flag == 1);
    MPI_Barrier(world);
    mpi.isend(x.data(), 2, mpi.type(), at.right, 6, world, &s);
    mpi.start(&q);
    mpi.wait(&q, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled == 0);
    mpi.wait(&s, MPI_STATUS_IGNORE);
    mpi.request_free(&q);
    return combine(y, x);
  });
}

TEST_CASE("test_point_to_point_persistent_recording_state_is_that_of_each_start") {
  test::begin();
  const ring at;
  admpi::tape tape;
  var x = 0.5 + at.rank, y[3];
  AMPI_Request q[2];
  AMPI_Send_init(&x, 1, AMPI_ADOUBLE, at.right, 0, world, &q[0]);
  var room;
  AMPI_Recv_init(&room, 1, AMPI_ADOUBLE, at.left, 0, world, &q[1]);
  for (int round = 0; round < 3; ++round) {
    if (round == 1) {
      tape.start();
      tape.input(x);
    }
    AMPI_Startall(2, q);
    if (round == 1) tape.stop();
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    y[round] = room;
  }
  for (AMPI_Request &one : q) AMPI_Request_free(&one);
  CHECK(y[0].id == 0);
  CHECK(y[1].id != 0);
  CHECK(y[2].id == 0);
  tape.seed(y[1], 3.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == 3.0);
}

TEST_CASE("test_point_to_point_persistent_misuse") {
  test::begin();
  const ring at;
  MPI_Comm comm;
  AMPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  admpi::tape tape;
  tape.start();
  var x[2] = {1.0, 2.0};
  tape.input(x, 2);
  AMPI_Request q, none = AMPI_REQUEST_NULL;
  AMPI_Recv_init(&x[1], 1, AMPI_ADOUBLE, at.rank, 0, comm, &q);
  CHECK(text_of(AMPI_Cancel(&q)).find("AMPI_Cancel: the request is persistent and not active") == 0);
  CHECK(AMPI_Start(&q) == MPI_SUCCESS);
  CHECK(text_of(AMPI_Start(&q)).find("AMPI_Start: the request is already active") == 0);
  CHECK(text_of(AMPI_Request_free(&q)).find("AMPI_Request_free: the request receives active data") == 0);
  CHECK(AMPI_Send(&x[0], 1, AMPI_ADOUBLE, at.rank, 0, comm) == MPI_SUCCESS);
  CHECK(AMPI_Wait(&q, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(x[1].value == 1.0);
  CHECK(AMPI_Request_free(&q) == MPI_SUCCESS);
  AMPI_Irecv(&x[1], 1, AMPI_ADOUBLE, at.rank, 0, comm, &q);
  CHECK(text_of(AMPI_Start(&q)).find("AMPI_Start: the request is not persistent") == 0);
  CHECK(text_of(AMPI_Startall(1, &q)).find("AMPI_Startall: the request is not persistent") == 0);
  CHECK(AMPI_Send(&x[0], 1, AMPI_ADOUBLE, at.rank, 0, comm) == MPI_SUCCESS);
  CHECK(AMPI_Wait(&q, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(AMPI_Start(&none) != MPI_SUCCESS);
  CHECK(text_of(AMPI_Start(nullptr)).find("AMPI_Start: request is NULL") == 0);
  CHECK(text_of(AMPI_Startall(-1, &q)).find("AMPI_Startall: count = -1") == 0);
  // A start that fails leaves the request at rest.
  CHECK(text_of(AMPI_Send_init(x, -1, AMPI_ADOUBLE, at.rank, 0, comm, &none)).find("AMPI_Send_init: buf: count = -1") ==
        0);
  CHECK(none == AMPI_REQUEST_NULL);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  AMPI_Comm_free(&comm);
}

TEST_CASE("test_point_to_point_a_message_that_the_library_did_not_match") {
  test::begin();
  const ring at;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  admpi::tape tape;
  var x = 1.5, y = 0.0;
  AMPI_Request s;
  MPI_Message message;
  AMPI_Isend(&x, 1, AMPI_ADOUBLE, at.right, 0, world, &s);
  MPI_Mprobe(at.left, 0, world, &message, MPI_STATUS_IGNORE);
  tape.start();
  const int code = AMPI_Mrecv(&y, 1, AMPI_ADOUBLE, &message, MPI_STATUS_IGNORE);
  CHECK(text_of(code).find("AMPI_Mrecv: message: not matched by AMPI_Mprobe") == 0);
  tape.stop();
  CHECK(AMPI_Mrecv(&y, 1, AMPI_ADOUBLE, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(y.value == 1.5);
  AMPI_Wait(&s, MPI_STATUS_IGNORE);
  CHECK(text_of(AMPI_Mrecv(&y, 1, AMPI_ADOUBLE, nullptr, MPI_STATUS_IGNORE)).find("AMPI_Mrecv: message is NULL") == 0);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("test_point_to_point_passive_data_leaves_no_record") {
  test::begin();
  const ring at;
  admpi::tape tape;
  tape.start();
  const auto before = tape.statistics().events;
  const buffer space(1, MPI_INT, 4);
  int out = 7 + at.rank, in[8] = {}, replaced = out;
  AMPI_Request q[4], s[4];
  for (int i = 0; i < 4; ++i) AMPI_Irecv(&in[i], 1, MPI_INT, at.left, i, world, &q[i]);
  MPI_Barrier(world);
  AMPI_Ibsend(&out, 1, MPI_INT, at.right, 0, world, &s[0]);
  AMPI_Issend(&out, 1, MPI_INT, at.right, 1, world, &s[1]);
  AMPI_Irsend(&out, 1, MPI_INT, at.right, 2, world, &s[2]);
  AMPI_Bsend(&out, 1, MPI_INT, at.right, 3, world);
  AMPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  AMPI_Waitall(3, s, MPI_STATUSES_IGNORE);
  AMPI_Sendrecv_replace(&replaced, 1, MPI_INT, at.right, 0, at.left, 0, world, MPI_STATUS_IGNORE);
  CHECK(replaced == 7 + at.left);
  MPI_Message message;
  AMPI_Isend(&out, 1, MPI_INT, at.right, 0, world, &s[0]);
  AMPI_Mprobe(at.left, 0, world, &message, MPI_STATUS_IGNORE);
  AMPI_Imrecv(&in[4], 1, MPI_INT, &message, &q[0]);
  AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  AMPI_Wait(&s[0], MPI_STATUS_IGNORE);
  AMPI_Recv_init(&in[5], 1, MPI_INT, at.left, 0, world, &q[0]);
  AMPI_Ssend_init(&out, 1, MPI_INT, at.right, 0, world, &q[1]);
  AMPI_Startall(2, q);
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; ++i) AMPI_Request_free(&q[i]);
  for (int i = 0; i < 6; ++i) CHECK(in[i] == 7 + at.left);
  CHECK(tape.statistics().events == before);
}

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

TEST_CASE("test_point_to_point_many_requests_outstanding") {
  // Completed one by one in an order that has nothing to do with that of the posts.
  test::begin();
  const ring at;
  const int n = 100000;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = 1.0 + i % 17;
  tape.input(x);
  // The sends in batches: Open MPI takes a minute over so many live ones, in any program.
  const int batch = 500;
  std::vector<AMPI_Request> q(n), s(batch);
  for (int i = 0; i < n; ++i) AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, at.left, 0, world, &q[i]);
  MPI_Barrier(world);
  for (int i = 0; i < n; ++i) {
    AMPI_Isend(&x[i], 1, AMPI_ADOUBLE, at.right, 0, world, &s[i % batch]);
    if (i % batch == batch - 1) AMPI_Waitall(batch, s.data(), MPI_STATUSES_IGNORE);
  }
  for (int i = 0, at_i = 0; i < n; ++i, at_i = (at_i + 70001) % n) AMPI_Wait(&q[at_i], MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i) tape.seed(y[i], 1.0 + i % 13);
  tape.reverse();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += tape.adjoint(x[i]) != 1.0 + i % 13 || y[i].value != 1.0 + i % 17;
  CHECK(wrong == 0);
}
