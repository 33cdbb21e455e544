// Programs whose sweeps deadlock if adjoints are sent, received or reduced at the wrong moment. Each is correct
// forward; the test's timeout is the watchdog. The objective is linear where it can be, so that the expected
// gradient is plain.
#include "harness.hpp"

using admpi::var;
using test::rank_of;
using test::size_of;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

int rank() { return rank_of(world); }
int size() { return size_of(world); }

/// Small messages are buffered by MPI, large ones meet.
const int lengths[] = {1, 200000};

/// Runs `program(x, y)` on the first `ranks` ranks, the others only sweep; checks that the adjoint of x[1 % n] is
/// what `expected` says for the rank.
template <class Program, class Expected>
void run(int ranks, const Program &program, const Expected &expected) {
  test::begin();
  if (size() < ranks) return;
  for (const int n : lengths) {
    CAPTURE(n);
    admpi::tape tape;
    tape.start();
    std::vector<var> x(n, 1.0), y(n);
    tape.input(x);
    const std::vector<var> input = x;
    program(tape, x, y);
    tape.reverse();
    CHECK(tape.adjoint(input[1 % n]) == expected(rank()));
  }
}

void send(const std::vector<var> &x, int to, int tag) {
  AMPI_Send(x.data(), static_cast<int>(x.size()), AMPI_ADOUBLE, to, tag, world);
}
void isend(const std::vector<var> &x, int to, int tag, AMPI_Request *q) {
  AMPI_Isend(x.data(), static_cast<int>(x.size()), AMPI_ADOUBLE, to, tag, world, q);
}
void recv(std::vector<var> &y, int from, int tag) {
  AMPI_Recv(y.data(), static_cast<int>(y.size()), AMPI_ADOUBLE, from, tag, world, MPI_STATUS_IGNORE);
}
void irecv(std::vector<var> &y, int from, int tag, AMPI_Request *q) {
  AMPI_Irecv(y.data(), static_cast<int>(y.size()), AMPI_ADOUBLE, from, tag, world, q);
}
void wait(AMPI_Request *q) { AMPI_Wait(q, MPI_STATUS_IGNORE); }

}  // namespace

TEST_CASE("test_deadlock_head_to_head_buffered_sends") {
  // Runs only thanks to buffering, hence small; reversed, both adjoints are sent before either is awaited.
  test::begin();
  if (size() < 2) return;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(2, 1.0), y(2);
  tape.input(x);
  if (rank() < 2) {
    for (int i = 0; i < 20; ++i) send(x, 1 - rank(), i);
    for (int i = 0; i < 20; ++i) {
      recv(y, 1 - rank(), i);
      tape.seed(y[1]);
    }
  }
  tape.reverse();
  CHECK(tape.adjoint(x[1]) == (rank() < 2 ? 20.0 : 0.0));
}

TEST_CASE("test_deadlock_head_to_head_large") {
  run(2,
      [](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        if (rank() >= 2) return;
        AMPI_Request q;
        for (int i = 0; i < 5; ++i) {
          isend(x, 1 - rank(), i, &q);
          recv(y, 1 - rank(), i);
          wait(&q);
          tape.seed(y[1 % y.size()]);
        }
      },
      [](int r) { return r < 2 ? 5.0 : 0.0; });
}

TEST_CASE("test_deadlock_send_between_start_and_wait") {
  // Isend A; Send B; Wait A | Recv; Recv
  run(2,
      [](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        AMPI_Request q;
        if (rank() == 0) {
          isend(x, 1, 0, &q);
          send(x, 1, 0);
          wait(&q);
        } else if (rank() == 1) {
          std::vector<var> z(y.size());
          recv(y, 0, 0);
          recv(z, 0, 0);
          tape.seed(y[1 % y.size()], 2.0);
          tape.seed(z[1 % y.size()], 3.0);
        }
      },
      [](int r) { return r == 0 ? 5.0 : 0.0; });
}

TEST_CASE("test_deadlock_receive_between_start_and_wait") {
  // Irecv; Send; Wait | Recv; Send: the answer comes after the question.
  run(2,
      [](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        AMPI_Request q;
        if (rank() == 0) {
          irecv(y, 1, 0, &q);
          send(x, 1, 0);
          wait(&q);
          tape.seed(y[1 % y.size()]);
        } else if (rank() == 1) {
          recv(y, 0, 0);
          send(y, 0, 0);
        }
      },
      [](int r) { return r == 0 ? 1.0 : 0.0; });
}

TEST_CASE("test_deadlock_completions_in_opposite_orders") {
  // Two messages each way on one channel: one rank completes them in order, the other in reverse.
  run(2,
      [](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        if (rank() >= 2) return;
        const int peer = 1 - rank();
        std::vector<var> z(y.size());
        AMPI_Request r[2], s[2];
        irecv(y, peer, 0, &r[0]);
        irecv(z, peer, 0, &r[1]);
        isend(x, peer, 0, &s[0]);
        isend(x, peer, 0, &s[1]);
        for (const int i : {rank(), 1 - rank()}) wait(&r[i]);
        for (const int i : {1 - rank(), rank()}) wait(&s[i]);
        tape.seed(y[1 % y.size()], 2.0);
        tape.seed(z[1 % y.size()], 3.0);
      },
      [](int r) { return r < 2 ? 5.0 : 0.0; });
}

TEST_CASE("test_deadlock_message_around_a_collective") {
  // Isend m; Allreduce; Wait | Allreduce; Recv m
  run(2,
      [](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        AMPI_Request q;
        var one = 1.0, sum;
        tape.input(one);
        if (rank() == 0) isend(x, 1, 0, &q);
        AMPI_Allreduce(&one, &sum, 1, AMPI_ADOUBLE, MPI_SUM, world);
        if (rank() == 1) recv(y, 0, 0);
        if (rank() == 0) wait(&q);
        if (rank() == 1) tape.seed(y[1 % y.size()]);
        tape.seed(sum);
      },
      [](int r) { return r == 0 ? 1.0 : 0.0; });
}

TEST_CASE("test_deadlock_receive_posted_before_a_collective") {
  // Irecv; Bcast; Wait | Send; Bcast with the message on either side of the Bcast.
  run(2,
      [](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        std::vector<var> z(x.size());
        AMPI_Request q;
        if (rank() == 0) irecv(y, 1, 0, &q);
        if (rank() == 1) send(x, 0, 0);
        if (rank() == 0) z = x;
        AMPI_Bcast(z.data(), static_cast<int>(z.size()), AMPI_ADOUBLE, 0, world);
        if (rank() == 0) {
          wait(&q);
          tape.seed(y[1 % y.size()]);
        }
        tape.seed(z[1 % z.size()]);
      },
      [](int r) { return r == 0 ? 1.0 * size() : r == 1 ? 1.0 : 0.0; });
}

TEST_CASE("test_deadlock_h2_bcast_passed_by_polling") {
  // Bcast(root 0); Send m | Irecv m; Test = 1; Bcast: the root may leave the Bcast before rank 1 enters it, and
  // rank 1 has seen m complete by then. Its contribution must not wait for the adjoint of m.
  test::begin();
  if (size() != 2) return;  // whether MPI's Bcast lets the root pass depends on the number of ranks too
  for (int round = 0; round < 5; ++round) {
    admpi::tape tape;
    tape.start();
    var x = 1.0, b = 2.0, y;
    tape.input(x);
    tape.input(b);
    const var root_value = b;
    if (rank() == 0) {
      AMPI_Bcast(&b, 1, AMPI_ADOUBLE, 0, world);
      AMPI_Send(&x, 1, AMPI_ADOUBLE, 1, 0, world);
    } else {
      AMPI_Request q;
      AMPI_Irecv(&y, 1, AMPI_ADOUBLE, 0, 0, world, &q);
      int flag = 0;
      // Where this MPI's Bcast does synchronise, the test has nothing to show.
      const double end = MPI_Wtime() + 2.0;
      while (!flag && MPI_Wtime() < end) AMPI_Test(&q, &flag, MPI_STATUS_IGNORE);
      AMPI_Bcast(&b, 1, AMPI_ADOUBLE, 0, world);
      if (!flag) AMPI_Wait(&q, MPI_STATUS_IGNORE);
      const var z = y * 3.0 + b * 5.0;
      tape.seed(z);
    }
    tape.reverse();
    if (rank() == 0) {
      CHECK(tape.adjoint(x) == 3.0);
      CHECK(tape.adjoint(root_value) == 5.0);
    }
  }
}

TEST_CASE("test_deadlock_h3_reduce_passed_by_polling") {
  // Reduce(root 0) | Reduce; Send to 2 | Irecv; Test = 1; Reduce
  test::begin();
  if (size() != 3) return;
  for (int round = 0; round < 5; ++round) {
    admpi::tape tape;
    tape.start();
    var x = 1.0, y, sum;
    tape.input(x);
    AMPI_Request q;
    if (rank() == 2) {
      AMPI_Irecv(&y, 1, AMPI_ADOUBLE, 1, 0, world, &q);
      int flag = 0;
      const double end = MPI_Wtime() + 1.0;
      while (!flag && MPI_Wtime() < end) AMPI_Test(&q, &flag, MPI_STATUS_IGNORE);
      AMPI_Reduce(&x, nullptr, 1, AMPI_ADOUBLE, MPI_SUM, 0, world);
      if (!flag) AMPI_Wait(&q, MPI_STATUS_IGNORE);
      tape.seed(y, 3.0);
    } else {
      AMPI_Reduce(&x, &sum, 1, AMPI_ADOUBLE, MPI_SUM, 0, world);
      if (rank() == 1) AMPI_Send(&x, 1, AMPI_ADOUBLE, 2, 0, world);
    }
    if (rank() == 0) tape.seed(sum, 5.0);
    tape.reverse();
    CHECK(tape.adjoint(x) == 5.0 + (rank() == 1 ? 3.0 : 0.0));
  }
}

TEST_CASE("test_deadlock_ring_of_blocking_sends") {
  // Rank 0 receives last: the chain runs through all ranks, forward and back.
  run(2,
      [](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        const int next = (rank() + 1) % size(), before = (rank() + size() - 1) % size();
        for (int lap = 0; lap < 3; ++lap) {
          if (rank() == 0) {
            send(lap == 0 ? x : y, next, lap);
            recv(y, before, lap);
          } else {
            recv(y, before, lap);
            send(y, next, lap);
          }
        }
        if (rank() == 0) tape.seed(y[1 % y.size()]);
      },
      [](int r) { return r == 0 ? 1.0 : 0.0; });
}

TEST_CASE("test_deadlock_many_ahead_of_one_awaited") {
  // Rank 1 must return 600 large adjoints before rank 0 gives it the one that it waits for.
  test::begin();
  if (size() < 2) return;
  const int messages = 600, n = 2000;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(n, 1.0), y(n), last(n);
  tape.input(x);
  if (rank() == 1) send(x, 0, 1);
  if (rank() == 0) {
    recv(y, 1, 1);
    for (int i = 0; i < messages; ++i) send(x, 1, 0);
    tape.seed(y[1], 7.0);
  } else if (rank() == 1) {
    for (int i = 0; i < messages; ++i) {
      recv(y, 0, 0);
      tape.seed(y[1]);
    }
  }
  tape.reverse();
  CHECK(tape.adjoint(x[1]) == (rank() == 0 ? messages : rank() == 1 ? 7.0 : 0.0));
}
