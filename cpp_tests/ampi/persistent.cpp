// Persistent requests of point to point.
#include "ampi/point_to_point.hpp"

using namespace point_to_point;

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

TEST_CASE("test_point_to_point_persistent_of_passive_data") {
  // Longer than what MPIs send at once.
  using real = admpi::tangent<double>;
  const ring at;
  const int n = 20000;
  const auto send_init = [](int how, auto... arguments) {
    if (how == standard) AMPI_Send_init(arguments...);
    if (how == buffered) AMPI_Bsend_init(arguments...);
    if (how == synchronous) AMPI_Ssend_init(arguments...);
  };
  for (const int how : {standard, buffered, synchronous}) {
    CAPTURE(how);
    for (const MPI_Datatype type : {admpi::mpi_type<real>(), MPI_DOUBLE}) {
      const int items = type == MPI_DOUBLE ? 2 * n : n;
      std::vector<real> y(n), z(n);
      // A rank may be so many rounds ahead of the next one.
      const buffer space(2 * n, MPI_DOUBLE, 5);
      AMPI_Request q[2];
      AMPI_Recv_init(static_cast<void *>(z.data()), items, type, at.left, 2, world, &q[0]);
      send_init(how, static_cast<void *>(y.data()), items, type, at.right, 2, world, &q[1]);
      for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < n; ++i) y[i] = real(i + round, at.rank - round);
        AMPI_Startall(2, q);
        AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        int wrong = 0;
        for (int i = 0; i < n; ++i) wrong += z[i].value != i + round || z[i].derivative != at.left - round;
        CHECK(wrong == 0);
      }
      AMPI_Startall(2, q);
      AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
      MPI_Barrier(world);
      for (AMPI_Request &one : q) AMPI_Request_free(&one);
      CHECK(q[1] == AMPI_REQUEST_NULL);
    }
  }
}

TEST_CASE("test_point_to_point_persistent_sends_freed_under_way") {
  for (const int how : {standard, buffered, synchronous})
    for (const int n : {3, 2000}) {
      CAPTURE(how);
      CAPTURE(n);
      check_identity(n, 80 + how, [&](auto mpi, auto &x) {
        const ring at;
        const buffer space(n, mpi.type(), 4);
        auto y = x;
        typename decltype(mpi)::request receive, send;
        mpi.irecv(y.data(), n, mpi.type(), at.left, 3, world, &receive);
        send_init(mpi, how, x.data(), n, at.right, 3, &send);
        mpi.start(&send);
        mpi.wait(&receive, MPI_STATUS_IGNORE);
        MPI_Barrier(world);
        mpi.request_free(&send);
        CHECK(send == mpi.null());
        return combine(x, y);
      });
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

TEST_CASE("test_point_to_point_persistent_completed_after_get_status") {
  for (int how = 0; how < 8; ++how) {
    CAPTURE(how);
    check_identity(3, 76, [how](auto mpi, auto &x) {
      constexpr bool is_active = std::is_same_v<decltype(mpi), test::active>;
      const ring at;
      auto y = x, z = x;
      typename decltype(mpi)::request q[2];
      mpi.recv_init(z.data(), 3, mpi.type(), at.left, 2, world, &q[0]);
      mpi.send_init(y.data(), 3, mpi.type(), at.right, 2, world, &q[1]);
      for (int round = 0; round < 2; ++round) {
        MPI_Status status[2];
        int n = 0, index[2] = {}, flag = 0;
        mpi.startall(2, q);
        while (flag == 0) mpi.request_get_status(q[0], &flag, MPI_STATUS_IGNORE);
        // MPICH 5.0 by itself finds nothing then.
        const int form = is_active ? how : 0;
        if (form == 0) mpi.wait(&q[0], status);
        if (form == 1) mpi.test(&q[0], &flag, status);
        if (form == 2) mpi.waitall(1, q, status);
        if (form == 3) mpi.testall(1, q, &flag, status);
        if (form == 4) mpi.waitany(2, q, &n, status);
        if (form == 5) mpi.testany(2, q, &n, &flag, status);
        if (form == 6) mpi.waitsome(2, q, &n, index, status);
        if (form == 7) mpi.testsome(2, q, &n, index, status);
        CHECK(flag == 1);
        // The send may be complete, too.
        const int first = form == 6 || form == 7 ? index[0] : n;
        if (is_active && first == 0) {
          CHECK(status[0].MPI_SOURCE == at.left);
          CHECK(count_of(status[0], mpi.type()) == 3);
        }
        mpi.waitall(2, q, MPI_STATUSES_IGNORE);
        renew(y, combine(z, y));
      }
      for (auto &one : q) mpi.request_free(&one);
      return z;
    });
  }
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
  test::recording_tape tape;
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
