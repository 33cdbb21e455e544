// Point to point beyond Send and Recv: modes, exchange in place, matched probes, requests that are freed.
#include "ampi/point_to_point.hpp"

using namespace point_to_point;

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

TEST_CASE("test_point_to_point_isendrecv") {
  for (const int n : {1, 6, 3000}) {
    CAPTURE(n);
    check_identity(n, 33, [&](auto mpi, auto &x) {
      const ring at;
      auto y = combine(x, x), z = x, out = x;
      typename decltype(mpi)::request q[2];
      MPI_Status statuses[2];
      // Two under way, which complete in the other order; the second send buffer is the second receive buffer.
      isendrecv(mpi, out.data(), n, mpi.type(), at.right, 1, z.data(), n, mpi.type(), at.left, 1, world, &q[1]);
      isendrecv_replace(mpi, y.data(), n, mpi.type(), at.left, 2, MPI_ANY_SOURCE, 2, world, &q[0]);
      mpi.waitall(2, q, statuses);
      CHECK(count_of(statuses[1], mpi.type()) == n);
      CHECK(statuses[1].MPI_SOURCE == at.left);
      CHECK(statuses[0].MPI_SOURCE == at.right);
      CHECK(statuses[0].MPI_TAG == 2);
      CHECK(q[0] == mpi.null());
      renew(out, combine(z, z));  // the send buffer is free again
      return combine(combine(y, z), out);
    });
  }
}

TEST_CASE("test_point_to_point_isendrecv_at_the_ends_of_a_line") {
  check_identity(4, 34, [](auto mpi, auto &x) {
    const ring at;
    const int below = at.rank > 0 ? at.rank - 1 : MPI_PROC_NULL;
    const int above = at.rank < at.size - 1 ? at.rank + 1 : MPI_PROC_NULL;
    auto y = combine(x, x), z = x;
    typename decltype(mpi)::request q;
    MPI_Status status;
    int flag = 0;
    // The first rank receives nothing and keeps what it has, with its derivative. Twice a shorter message comes.
    isendrecv_replace(mpi, y.data(), 4, mpi.type(), above, 5, below, 5, world, &q);
    mpi.wait(&q, &status);
    CHECK(status.MPI_SOURCE == below);
    isendrecv(mpi, y.data(), 2, mpi.type(), above, 6, z.data(), 4, mpi.type(), below, 6, world, &q);
    while (!flag) mpi.test(&q, &flag, &status);
    CHECK(count_of(status, mpi.type()) == (below == MPI_PROC_NULL ? 0 : 2));
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
  test::recording_tape tape;
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

TEST_CASE("test_point_to_point_many_requests_outstanding") {
  // Completed one by one in an order that has nothing to do with that of the posts.
  test::begin();
  const ring at;
  const int n = 100000;
  test::recording_tape tape;
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
