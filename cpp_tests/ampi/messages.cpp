// Point to point.
#include "harness/identity.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

using test::check_identity;
using test::combine;
using test::rank_of;
using test::ring;

TEST_CASE("test_messages_send_recv") {
  for (const int n : {1, 3, 100, 5000}) {
    CAPTURE(n);
    check_identity(n, 1, [&](auto mpi, auto &x) {
      ring at;
      auto y = x;
      // Even ranks send first; a ring of one sends to nobody.
      for (const int turn : {0, 1}) {
        if (at.size == 1) break;
        if (at.rank % 2 == turn)
          mpi.send(x.data(), n, mpi.type(), at.right, 3, MPI_COMM_WORLD);
        else
          mpi.recv(y.data(), n, mpi.type(), at.left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      return combine(x, y);
    });
  }
}

TEST_CASE("test_messages_isend_irecv_waitall") {
  for (const int n : {1, 64, 20000}) {
    CAPTURE(n);
    check_identity(2 * n, 2, [&](auto mpi, auto &x) {
      ring at;
      auto y = x;
      typename decltype(mpi)::request q[4];
      mpi.irecv(y.data(), n, mpi.type(), at.left, 1, MPI_COMM_WORLD, &q[0]);
      mpi.irecv(y.data() + n, n, mpi.type(), at.right, 2, MPI_COMM_WORLD, &q[1]);
      mpi.isend(x.data() + n, n, mpi.type(), at.right, 1, MPI_COMM_WORLD, &q[2]);
      mpi.isend(x.data(), n, mpi.type(), at.left, 2, MPI_COMM_WORLD, &q[3]);
      mpi.waitall(4, q, MPI_STATUSES_IGNORE);
      for (auto &one : q) CHECK(one == mpi.null());
      return combine(x, y);
    });
  }
}

TEST_CASE("test_messages_sendrecv") {
  check_identity(10, 3, [](auto mpi, auto &x) {
    ring at;
    auto y = x;
    MPI_Status status;
    mpi.sendrecv(x.data() + 2, 8, mpi.type(), at.right, 9, y.data(), 10, mpi.type(), at.left, 9, MPI_COMM_WORLD,
                 &status);
    int n = 0;
    MPI_Get_count(&status, mpi.type(), &n);
    CHECK(n == 8);
    CHECK(status.MPI_SOURCE == at.left);
    CHECK(status.MPI_TAG == 9);
    return combine(x, y);
  });
}

TEST_CASE("test_messages_wildcards") {
  check_identity(4, 4, [](auto mpi, auto &x) {
    ring at;
    auto y = x;
    if (at.rank != 0) {
      mpi.send(x.data(), 1 + at.rank % 4, mpi.type(), 0, 10 + at.rank, MPI_COMM_WORLD);
      return y;
    }
    // Whatever order they come in, each lands by its tag.
    std::vector<typename decltype(mpi)::real> room(4);
    y.resize(4 * at.size);
    for (int i = 1; i < at.size; ++i) {
      MPI_Status status;
      mpi.recv(room.data(), 4, mpi.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK(status.MPI_TAG == 10 + status.MPI_SOURCE);
      int n = 0;
      MPI_Get_count(&status, mpi.type(), &n);
      CHECK(n == 1 + status.MPI_SOURCE % 4);
      for (int k = 0; k < n; ++k) y[4 * status.MPI_SOURCE + k] = room[k] * x[0];
    }
    return y;
  });
}

TEST_CASE("test_messages_wildcard_irecv") {
  check_identity(3, 5, [](auto mpi, auto &x) {
    ring at;
    auto y = x;
    std::vector<typename decltype(mpi)::request> q(at.size);
    std::vector<typename decltype(mpi)::real> room(3 * at.size);
    for (int i = 0; i < at.size; ++i)
      mpi.irecv(&room[3 * i], 3, mpi.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[i]);
    for (int i = 0; i < at.size; ++i) {
      typename decltype(mpi)::request s;
      mpi.isend(x.data(), 3, mpi.type(), i, 100 + at.rank, MPI_COMM_WORLD, &s);
      mpi.wait(&s, MPI_STATUS_IGNORE);
    }
    std::vector<MPI_Status> statuses(at.size);
    mpi.waitall(at.size, q.data(), statuses.data());
    for (int i = 0; i < at.size; ++i)
      for (int k = 0; k < 3; ++k) y[k] = y[k] + sin(room[3 * i + k]) * (1.0 + statuses[i].MPI_SOURCE);
    return y;
  });
}

TEST_CASE("test_messages_proc_null_keeps_value_and_derivative") {
  check_identity(4, 6, [](auto mpi, auto &x) {
    auto y = combine(x, x);
    typename decltype(mpi)::request q[2];
    MPI_Status status;
    mpi.recv(y.data(), 4, mpi.type(), MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    mpi.send(x.data(), 4, mpi.type(), MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    mpi.irecv(y.data(), 4, mpi.type(), MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[0]);
    mpi.isend(x.data(), 4, mpi.type(), MPI_PROC_NULL, 0, MPI_COMM_WORLD, &q[1]);
    mpi.waitall(2, q, MPI_STATUSES_IGNORE);
    mpi.sendrecv(x.data(), 4, mpi.type(), MPI_PROC_NULL, 0, y.data(), 4, mpi.type(), MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return y;
  });
}

TEST_CASE("test_messages_short_receive_leaves_the_rest") {
  for (const int n : {6, 9000}) {
    CAPTURE(n);
    check_identity(n, 7, [n](auto mpi, auto &x) {
      ring at;
      auto y = combine(x, x);
      typename decltype(mpi)::request q;
      mpi.irecv(y.data(), n, mpi.type(), at.left, 0, MPI_COMM_WORLD, &q);
      mpi.send(x.data(), n / 3, mpi.type(), at.right, 0, MPI_COMM_WORLD);
      mpi.wait(&q, MPI_STATUS_IGNORE);
      auto z = combine(y, x);
      // And into the middle of a longer one, after it.
      mpi.irecv(y.data() + 1, n - 1, mpi.type(), at.left, 1, MPI_COMM_WORLD, &q);
      mpi.send(z.data(), n / 2, mpi.type(), at.right, 1, MPI_COMM_WORLD);
      mpi.wait(&q, MPI_STATUS_IGNORE);
      return combine(y, z);
    });
  }
}

TEST_CASE("test_messages_of_nothing") {
  check_identity(3, 8, [](auto mpi, auto &x) {
    ring at;
    auto y = combine(x, x);
    typename decltype(mpi)::request q;
    MPI_Status status;
    mpi.irecv(y.data(), 3, mpi.type(), at.left, 0, MPI_COMM_WORLD, &q);
    mpi.send(x.data(), 0, mpi.type(), at.right, 0, MPI_COMM_WORLD);
    mpi.wait(&q, &status);
    int n = -1;
    MPI_Get_count(&status, mpi.type(), &n);
    CHECK(n == 0);
    mpi.irecv(nullptr, 0, mpi.type(), at.left, 1, MPI_COMM_WORLD, &q);
    mpi.send(nullptr, 0, mpi.type(), at.right, 1, MPI_COMM_WORLD);
    mpi.wait(&q, MPI_STATUS_IGNORE);
    return y;
  });
}

TEST_CASE("test_messages_completed_out_of_order_on_one_channel") {
  std::vector<int> order(4);
  std::iota(order.begin(), order.end(), 0);
  do {
    check_identity(4, 9, [&](auto mpi, auto &x) {
      ring at;
      auto y = x;
      typename decltype(mpi)::request q[4], s[4];
      for (int i = 0; i < 4; ++i) mpi.irecv(&y[i], 1, mpi.type(), at.left, 0, MPI_COMM_WORLD, &q[i]);
      for (int i = 0; i < 4; ++i) mpi.isend(&x[i], 1, mpi.type(), at.right, 0, MPI_COMM_WORLD, &s[i]);
      mpi.waitall(4, s, MPI_STATUSES_IGNORE);
      for (const int i : order) {
        mpi.wait(&q[i], MPI_STATUS_IGNORE);
        y[i] = sin(y[i]) * (2.0 + i);
      }
      return y;
    });
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("test_messages_out_of_order_over_mixed_channels") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    check_identity(12, 10 + seed, [&](auto mpi, auto &x) {
      ring at;
      auto y = x;
      typename decltype(mpi)::request q[12], s[12];
      // The same order on every rank, so that the messages of a channel match as meant.
      std::mt19937 shared(seed);
      std::vector<int> tag(12), order(12);
      for (int &t : tag) t = static_cast<int>(shared() % 3);
      std::iota(order.begin(), order.end(), 0);
      for (int i = 0; i < 12; ++i)
        mpi.irecv(&y[i], 1, mpi.type(), i % 2 ? at.left : MPI_ANY_SOURCE, tag[i], MPI_COMM_WORLD, &q[i]);
      for (int i = 0; i < 12; ++i) mpi.isend(&x[i], 1, mpi.type(), at.right, tag[i], MPI_COMM_WORLD, &s[i]);
      std::shuffle(order.begin(), order.end(), shared);
      for (const int i : order) {
        mpi.wait(&q[i], MPI_STATUS_IGNORE);
        y[i] = y[i] * x[i] + sin(y[i]);
      }
      mpi.waitall(12, s, MPI_STATUSES_IGNORE);
      return y;
    });
  }
}

TEST_CASE("test_messages_waitany_waitsome_and_tests") {
  for (const int how : {0, 1, 2, 3, 4, 5}) {
    CAPTURE(how);
    check_identity(6, 40 + how, [&](auto mpi, auto &x) {
      ring at;
      auto y = x;
      typename decltype(mpi)::request q[7];
      for (int i = 0; i < 6; ++i) mpi.irecv(&y[i], 1, mpi.type(), at.left, i % 2, MPI_COMM_WORLD, &q[i]);
      q[6] = mpi.null();
      for (int i = 0; i < 6; ++i) {
        typename decltype(mpi)::request s;
        mpi.isend(&x[i], 1, mpi.type(), at.right, i % 2, MPI_COMM_WORLD, &s);
        mpi.request_free(&s);
      }
      MPI_Status statuses[7];
      int flag = 0, index = -1, done = 0, indices[7];
      switch (how) {
        case 0:
          for (done = 0; done < 6; ++done) {
            mpi.waitany(7, q, &index, statuses);
            REQUIRE(index >= 0);
            REQUIRE(index < 6);
            CHECK(q[index] == mpi.null());
            CHECK(statuses[0].MPI_TAG == index % 2);
          }
          mpi.waitany(7, q, &index, statuses);
          CHECK(index == MPI_UNDEFINED);
          break;
        case 1:
          while (done < 6) {
            int n = 0;
            mpi.waitsome(7, q, &n, indices, statuses);
            for (int i = 0; i < n; ++i) CHECK(statuses[i].MPI_TAG == indices[i] % 2);
            done += n;
          }
          mpi.waitsome(7, q, &done, indices, statuses);
          CHECK(done == MPI_UNDEFINED);
          break;
        case 2:
          for (done = 5; done >= 0; --done)
            for (flag = 0; !flag;) mpi.test(&q[done], &flag, MPI_STATUS_IGNORE);
          mpi.test(&q[6], &flag, MPI_STATUS_IGNORE);
          CHECK(flag == 1);
          break;
        case 3:
          while (!flag) mpi.testall(7, q, &flag, MPI_STATUSES_IGNORE);
          break;
        case 4:
          while (done < 6) {
            mpi.testany(7, q, &index, &flag, MPI_STATUS_IGNORE);
            if (flag) ++done;
          }
          mpi.testany(7, q, &index, &flag, MPI_STATUS_IGNORE);
          CHECK(flag == 1);
          CHECK(index == MPI_UNDEFINED);
          break;
        case 5:
          while (done < 6) {
            int n = 0;
            mpi.testsome(7, q, &n, indices, MPI_STATUSES_IGNORE);
            done += n;
          }
          break;
      }
      for (auto &one : q) CHECK(one == mpi.null());
      return combine(x, y);
    });
  }
}

TEST_CASE("test_messages_requests_in_uninitialised_memory") {
  check_identity(2, 50, [](auto mpi, auto &x) {
    using request = typename decltype(mpi)::request;
    ring at;
    auto y = x;
    request *q = static_cast<request *>(std::malloc(2 * sizeof(request)));
    std::memset(q, 0xa5, 2 * sizeof(request));
    mpi.irecv(y.data(), 2, mpi.type(), at.left, 0, MPI_COMM_WORLD, &q[0]);
    mpi.isend(x.data(), 2, mpi.type(), at.right, 0, MPI_COMM_WORLD, &q[1]);
    mpi.waitall(2, q, MPI_STATUSES_IGNORE);
    std::free(q);
    return combine(x, y);
  });
}

TEST_CASE("test_messages_shared_ids_and_passive_values") {
  check_identity(3, 51, [](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    ring at;
    // One value three times, a passive one between, the rest in descending order.
    std::vector<real> out = {x[1], x[1], real(0.25), x[1], x[2], x[0]}, in(6);
    mpi.sendrecv(out.data(), 6, mpi.type(), at.right, 0, in.data(), 6, mpi.type(), at.left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    std::vector<real> passive = {real(1.0), real(2.0)}, there(2);
    mpi.sendrecv(passive.data(), 2, mpi.type(), at.right, 1, there.data(), 2, mpi.type(), at.left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    in.push_back(there[0] * x[0]);
    in.push_back(there[1]);
    return combine(in, in);
  });
}

TEST_CASE("test_messages_buffer_reused_at_once") {
  check_identity(2, 52, [](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    ring at;
    std::vector<real> y(6);
    real slot = x[0];
    for (int i = 0; i < 6; ++i) {
      mpi.sendrecv(&slot, 1, mpi.type(), at.right, i, &y[i], 1, mpi.type(), at.left, i, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      slot = sin(slot * x[1]) + y[i];
    }
    return y;
  });
}

TEST_CASE("test_messages_to_itself") {
  check_identity(5, 53, [](auto mpi, auto &x) {
    auto y = x;
    typename decltype(mpi)::request q[2];
    const int me = rank_of(MPI_COMM_WORLD);
    mpi.isend(x.data(), 5, mpi.type(), me, 0, MPI_COMM_WORLD, &q[0]);
    mpi.irecv(y.data(), 5, mpi.type(), 0, 0, MPI_COMM_SELF, &q[1]);
    mpi.send(x.data() + 1, 4, mpi.type(), 0, 0, MPI_COMM_SELF);
    mpi.wait(&q[1], MPI_STATUS_IGNORE);
    auto z = x;
    mpi.recv(z.data(), 5, mpi.type(), me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mpi.wait(&q[0], MPI_STATUS_IGNORE);
    return combine(y, z);
  });
}

TEST_CASE("test_messages_cancelled_receive_is_no_record") {
  check_identity(3, 54, [](auto mpi, auto &x) {
    ring at;
    auto y = combine(x, x);
    typename decltype(mpi)::request q;
    mpi.irecv(y.data(), 3, mpi.type(), at.left, 77, MPI_COMM_WORLD, &q);
    mpi.cancel(&q);
    MPI_Status status;
    mpi.wait(&q, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled == 1);
    typename decltype(mpi)::request s;
    auto z = x;
    mpi.isend(x.data(), 3, mpi.type(), at.right, 78, MPI_COMM_WORLD, &s);
    mpi.recv(z.data(), 3, mpi.type(), at.left, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mpi.wait(&s, MPI_STATUS_IGNORE);
    return combine(z, y);
  });
}

TEST_CASE("test_messages_random_programs") {
  // Rounds of messages between all pairs with random counts and tags, completed in random order, with local
  // work between: the same plan on every rank.
  for (unsigned seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    check_identity(8, 100 + seed, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      using request = typename decltype(mpi)::request;
      ring at;
      std::mt19937 plan(seed);
      auto draw = [&](int n) { return static_cast<int>(plan() % static_cast<unsigned>(n)); };
      auto y = x;
      for (int round = 0; round < 4; ++round) {
        struct message {
          int from, to, tag, n;
          bool wildcard;
        };
        std::vector<message> all(3 * at.size);
        for (message &m : all) m = {draw(at.size), draw(at.size), draw(2), draw(9), draw(4) == 0};
        std::vector<request> q;
        std::vector<std::vector<real>> rooms;
        rooms.reserve(all.size());
        for (const message &m : all)
          if (m.to == at.rank) {
            // A wildcard tag would match another message; the room may be wider than the message.
            rooms.emplace_back(8);
            q.emplace_back();
            mpi.irecv(rooms.back().data(), 8, mpi.type(), m.from, m.tag, MPI_COMM_WORLD, &q.back());
          }
        const std::size_t receives = q.size();
        const auto sent = y;
        std::vector<request> s;
        for (const message &m : all)
          if (m.from == at.rank) {
            s.emplace_back();
            mpi.isend(sent.data(), m.n < 8 ? m.n : 8, mpi.type(), m.to, m.tag, MPI_COMM_WORLD, &s.back());
          }
        std::vector<int> order(receives);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(seed + 31u * static_cast<unsigned>(at.rank)));
        for (const int i : order) {
          MPI_Status status;
          mpi.wait(&q[i], &status);
          int n = 0;
          MPI_Get_count(&status, mpi.type(), &n);
          for (int k = 0; k < n; ++k) y[k] = sin(y[k] + rooms[i][k] * x[k]);
        }
        mpi.waitall(static_cast<int>(s.size()), s.data(), MPI_STATUSES_IGNORE);
      }
      return y;
    });
  }
}
