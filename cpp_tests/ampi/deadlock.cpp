// Programs whose sweeps deadlock if adjoints are sent, received or reduced at the wrong moment. Each is correct
// forward; the test's timeout is the watchdog. The objective is linear where it can be, so that the expected
// gradient is plain.
#include "harness/identity.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

using admpi::var;
using test::rank;
using test::rank_of;
using test::size;
using test::size_of;
using test::world;

namespace {

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
    test::recording_tape tape;
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
  test::recording_tape tape;
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

TEST_CASE("test_deadlock_message_around_a_neighbourhood") {
  // Isend m; Neighbor; Wait | Neighbor; Recv m
  test::begin();
  if (size() < 2) return;
  MPI_Comm line;
  const int dims = size(), periodic = 0;
  AMPI_Cart_create(world, 1, &dims, &periodic, 0, &line);
  run(2,
      [&](admpi::tape &tape, std::vector<var> &x, std::vector<var> &y) {
        AMPI_Request q;
        var one = 1.0, both[2] = {0.0, 0.0};
        tape.input(one);
        if (rank() == 0) isend(x, 1, 0, &q);
        AMPI_Neighbor_allgather(&one, 1, AMPI_ADOUBLE, both, 1, AMPI_ADOUBLE, line);
        if (rank() == 1) recv(y, 0, 0);
        if (rank() == 0) wait(&q);
        if (rank() == 1) tape.seed(y[1 % y.size()]);
        for (const var &neighbour : both) tape.seed(neighbour * (1.0 + rank()));
      },
      [](int r) { return r == 0 ? 1.0 : 0.0; });
  AMPI_Comm_free(&line);
}

// What follows runs only if a collective lets some ranks pass before others come to it, and they tell it on. MPI
// does not promise that. Where a call does make the ranks wait for each other, the receiver gives up polling, and the
// test has nothing to show.

namespace {

/// For programs that poll, unless the environment wants to see what happens without (ADMPI_TEST_POLLING=0).
struct polling {
  explicit polling(bool needed = true) {
    const char *wanted = std::getenv("ADMPI_TEST_POLLING");
    admpi_set_polling(needed && (wanted == nullptr || std::strcmp(wanted, "0") != 0));
  }
  ~polling() {
    const char *set = std::getenv("ADMPI_POLLING");
    admpi_set_polling(set != nullptr && std::strcmp(set, "1") == 0);
  }
};

/// Polls until the request is complete, for so many seconds.
bool poll(AMPI_Request *q, double seconds) {
  int flag = 0;
  const double end = MPI_Wtime() + seconds;
  while (!flag && MPI_Wtime() < end) {
    AMPI_Test(q, &flag, MPI_STATUS_IGNORE);
    std::this_thread::yield();
  }
  return flag != 0;
}

/// A collective call, what a rank brings to it, and what the sum of (rank + 1) times all that the ranks receive has
/// for a derivative by that.
struct call {
  const char *name;
  std::function<std::vector<var>(std::vector<var> &x)> run;
  std::function<double(int i)> expected;
  /// On few ranks its adjoints travel along the edges in any program.
  bool by_edges() const {
    const std::string others[] = {"Reduce PROD", "Reduce_scatter to one", "Allreduce of nothing"};
    return size() <= 4 && std::find(std::begin(others), std::end(others), name) == std::end(others);
  }
};

double weight(int r) { return 1.0 + r; }

/// The sum of the weights of the ranks from `low` to `high`.
double weights(int low, int high) {
  double sum = 0.0;
  for (int r = low; r <= high; ++r) sum += weight(r);
  return sum;
}

/// On `comm`; `x` has one value a rank, all 1.
std::vector<call> calls(MPI_Comm comm, int root) {
  const int p = size_of(comm), me = rank_of(comm);
  const MPI_Datatype type = AMPI_ADOUBLE;
  using vars = std::vector<var>;
  const auto at_root = [=](double x) { return me == root ? x : 0.0; };
  const auto only = [=](int r) {
    std::vector<int> counts(p, 0);
    counts[r] = 1;
    return counts;
  };
  const std::vector<int> zeros(p, 0);
  return {
      {"Bcast",
       [=](vars &x) {
         vars y(x.begin(), x.begin() + 1);
         AMPI_Bcast(y.data(), 1, type, root, comm);
         return y;
       },
       [=](int i) { return i == 0 ? at_root(weights(0, p - 1)) : 0.0; }},
      {"Gather",
       [=](vars &x) {
         vars y(me == root ? p : 0);
         AMPI_Gather(x.data(), 1, type, y.data(), 1, type, root, comm);
         return y;
       },
       [=](int i) { return i == 0 ? weight(root) : 0.0; }},
      {"Scatter",
       [=](vars &x) {
         vars y(1);
         AMPI_Scatter(x.data(), 1, type, y.data(), 1, type, root, comm);
         return y;
       },
       [=](int i) { return at_root(weight(i)); }},
      {"Reduce",
       [=](vars &x) {
         vars y(me == root ? 1 : 0);
         AMPI_Reduce(x.data(), y.data(), 1, type, MPI_SUM, root, comm);
         return y;
       },
       [=](int i) { return i == 0 ? weight(root) : 0.0; }},
      {"Reduce PROD",
       [=](vars &x) {
         vars y(me == root ? 1 : 0);
         AMPI_Reduce(x.data(), y.data(), 1, type, MPI_PROD, root, comm);
         return y;
       },
       [=](int i) { return i == 0 ? weight(root) : 0.0; }},
      {"Scan",
       [=](vars &x) {
         vars y(1);
         AMPI_Scan(x.data(), y.data(), 1, type, MPI_SUM, comm);
         return y;
       },
       [=](int i) { return i == 0 ? weights(me, p - 1) : 0.0; }},
      {"Exscan MAX",
       [=](vars &x) {
         vars y(1);
         AMPI_Exscan(x.data(), y.data(), 1, type, MPI_MAX, comm);
         if (me == 0) y.clear();
         return y;
       },
       [=](int i) { return i == 0 && me == 0 ? weights(1, p - 1) : 0.0; }},
      {"Allgatherv of one",
       [=](vars &x) {
         vars y(1);
         AMPI_Allgatherv(x.data(), me == root, type, y.data(), only(root).data(), zeros.data(), type, comm);
         return y;
       },
       [=](int i) { return i == 0 ? at_root(weights(0, p - 1)) : 0.0; }},
      {"Reduce_scatter to one",
       [=](vars &x) {
         vars y(me == root ? 1 : 0);
         AMPI_Reduce_scatter(x.data(), y.data(), only(root).data(), type, MPI_MIN, comm);
         return y;
       },
       [=](int i) { return i == 0 && me == 0 ? weight(root) : 0.0; }},
      {"Alltoallv to oneself",
       [=](vars &x) {
         vars y(1);
         AMPI_Alltoallv(x.data(), only(me).data(), zeros.data(), type, y.data(), only(me).data(), zeros.data(), type,
                        comm);
         return y;
       },
       [=](int i) { return i == 0 ? weight(me) : 0.0; }},
      {"Allreduce of nothing",
       [=](vars &x) {
         AMPI_Allreduce(x.data(), x.data() + 1, 0, type, MPI_SUM, comm);
         return vars();
       },
       [](int) { return 0.0; }},
  };
}

/// Runs `program(x)`, which returns what the call gave and adds to the expected adjoint of x[0] what its own messages
/// bring.
template <class Program>
void check_call(const call &which, const Program &program) {
  test::recording_tape tape;
  std::vector<var> x(size(), 1.0);
  tape.input(x);
  const std::vector<var> input = x;
  double more = 0.0;
  const std::vector<var> y = program(tape, x, more);
  for (const var &received : y) tape.seed(received, weight(rank()));
  tape.reverse();
  for (int i = 0; i < size(); ++i) {
    CAPTURE(i);
    CHECK(tape.adjoint(input[i]) == which.expected(i) + (i == 0 ? more : 0.0));
  }
}

/// How often a rank that has left a call is given to tell others.
const double patience = 0.05;

}  // namespace

TEST_CASE("test_deadlock_h1_nonblocking_passed_by_polling") {
  // Istart C1, C2; Test(C2) = 1; Send; Wait C1 | Recv; Istart C1, C2; Waitall. C2 is a Bcast, whose root is soon
  // through, or a neighbourhood call of a rank that only sends; C1 makes the ranks wait for each other, or is a Bcast
  // the other way.
  test::begin();
  if (size() != 2) return;
  const polling on;
  const int other = 1 - rank(), one = 1;
  MPI_Comm graph;
  AMPI_Dist_graph_create_adjacent(world, rank(), &other, &one, 1 - rank(), &other, &one, MPI_INFO_NULL, 0, &graph);
  for (const bool first_is_bcast : {false, true})
    for (const bool second_is_bcast : {false, true}) {
      CAPTURE(first_is_bcast);
      CAPTURE(second_is_bcast);
      test::recording_tape tape;
      var x = 1.0, m = 2.0, b = 3.0;
      tape.input(x);
      tape.input(m);
      tape.input(b);
      const var message = m, brought = b;
      var first = x, second = b;
      AMPI_Request q[2];
      const auto begin = [&] {
        if (first_is_bcast) AMPI_Ibcast(&first, 1, AMPI_ADOUBLE, 1, graph, &q[0]);
        else AMPI_Iallreduce(&x, &first, 1, AMPI_ADOUBLE, MPI_SUM, graph, &q[0]);
        if (second_is_bcast) AMPI_Ibcast(&second, 1, AMPI_ADOUBLE, 0, graph, &q[1]);
        else AMPI_Ineighbor_allgather(&b, 1, AMPI_ADOUBLE, &second, 1, AMPI_ADOUBLE, graph, &q[1]);
      };
      if (rank() == 0) {
        begin();
        const bool passed = poll(&q[1], 2.0);
        AMPI_Send(&m, 1, AMPI_ADOUBLE, 1, 0, world);
        wait(&q[0]);
        if (!passed) wait(&q[1]);
      } else {
        AMPI_Recv(&m, 1, AMPI_ADOUBLE, 0, 0, world, MPI_STATUS_IGNORE);
        begin();
        AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        tape.seed(m, 5.0);
        tape.seed(second, 7.0);
      }
      tape.seed(first, weight(rank()));
      tape.reverse();
      CHECK(tape.adjoint(x) == (first_is_bcast && rank() == 0 ? 0.0 : 3.0));
      if (rank() == 0) {
        CHECK(tape.adjoint(message) == 5.0);
        CHECK(tape.adjoint(brought) == 7.0);
      }
    }
  AMPI_Comm_free(&graph);
}

TEST_CASE("test_deadlock_h2_and_h3_any_call_passed_by_polling") {
  // call; Send m | Irecv m; Test = 1; call: with a Bcast and its root that is H2; with a Reduce, and two ranks that
  // are not its root, H3.
  test::begin();
  for (const call &which : calls(world, 0))
    for (int teller = 0; teller < size(); ++teller)
      for (int told = 0; told < size(); ++told) {
        if (teller == told) continue;
        const polling on(!which.by_edges());
        const std::string name = which.name;
        CAPTURE(name);
        CAPTURE(teller);
        CAPTURE(told);
        check_call(which, [&](admpi::tape &tape, std::vector<var> &x, double &more) {
          var m = 0.0;
          AMPI_Request q = AMPI_REQUEST_NULL;
          bool passed = true;
          if (rank() == told) {
            AMPI_Irecv(&m, 1, AMPI_ADOUBLE, teller, 0, world, &q);
            passed = poll(&q, patience);
          }
          const std::vector<var> y = which.run(x);
          if (rank() == teller) {
            AMPI_Send(x.data(), 1, AMPI_ADOUBLE, told, 0, world);
            more = 3.0;
          }
          if (!passed) wait(&q);
          if (rank() == told) tape.seed(m, 3.0);
          return y;
        });
      }
}

TEST_CASE("test_deadlock_any_call_passed_by_a_wildcard") {
  // Nobody polls: Send to c; call | call; Send to c | Recv any; call; Recv any. Which message comes first is a matter
  // of time; here it is that of the second rank.
  test::begin();
  if (size() < 3) return;
  // A wildcard of one program must not catch a message of the next.
  int program = 0;
  for (const call &which : calls(world, 0))
    for (int late = 0; late < size(); ++late)
      for (int early = 0; early < size(); ++early) {
        const int told = size() - 1 - (late == size() - 1) - (early == size() - 1);
        if (late == early || told == late || told == early) continue;
        const polling on(!which.by_edges());
        const std::string name = which.name;
        ++program;
        CAPTURE(name);
        CAPTURE(late);
        CAPTURE(early);
        check_call(which, [&](admpi::tape &tape, std::vector<var> &x, double &more) {
          var m = 0.0, n = 0.0;
          const auto tell = [&] {
            AMPI_Send(x.data(), 1, AMPI_ADOUBLE, told, program, world);
            more = 3.0;
          };
          const auto listen = [&](var &heard) {
            AMPI_Recv(&heard, 1, AMPI_ADOUBLE, MPI_ANY_SOURCE, program, world, MPI_STATUS_IGNORE);
            tape.seed(heard, 3.0);
          };
          if (rank() == late) {
            std::this_thread::sleep_for(std::chrono::duration<double>(patience / 10));
            tell();
          }
          if (rank() == told) listen(m);
          const std::vector<var> y = which.run(x);
          if (rank() == told) listen(n);
          if (rank() == early) tell();
          return y;
        });
      }
}

TEST_CASE("test_deadlock_nonblocking_over_edges_in_parts_and_abandoned") {
  // A Bcast and a Scan by MAX that cross the place where a part of the sweep ends; then the sweep is given up there,
  // and repeated.
  test::begin();
  const polling on;
  test::recording_tape tape;
  std::vector<var> x(3), y(3), z(3);
  for (int i = 0; i < 3; ++i) x[i] = 1.0 + rank() + i;
  tape.input(x);
  const std::vector<var> input = x;
  const auto bottom = tape.position();
  y = x;
  AMPI_Request q[2];
  AMPI_Ibcast(y.data(), 3, AMPI_ADOUBLE, 0, world, &q[0]);
  AMPI_Iscan(x.data(), z.data(), 3, AMPI_ADOUBLE, MPI_MAX, world, &q[1]);
  const auto place = tape.position();
  wait(&q[1]);
  wait(&q[0]);
  tape.stop();
  // Each rank is the largest so far.
  const auto expected = [](int i) { return weight(rank()) + (rank() == 0 ? weights(1, size() - 1) * (i + 2) : 0.0); };
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    tape.clear_adjoints();
    for (int i = 0; i < 3; ++i) {
      tape.seed(z[i], weight(rank()));
      if (rank() > 0) tape.seed(y[i], weight(rank()) * (i + 2));
    }
    const auto top = tape.position();
    tape.reverse(top, place);
    if (round == 1) {
      REQUIRE(admpi_tape_abandon_sweep(tape.handle(), world) == ADMPI_SUCCESS);
      continue;
    }
    tape.reverse(place, bottom);
    for (int i = 0; i < 3; ++i) CHECK(tape.adjoint(input[i]) == expected(i));
  }
}

TEST_CASE("test_deadlock_many_under_one_window") {
  // More large adjoints on their way to one rank than are let out at once, and the one that it waits for is the last
  // of them: once as messages, once as collectives.
  test::begin();
  if (size() < 2) return;
  const polling on;
  const int messages = 300, n = 2000;
  for (const bool collective : {false, true}) {
    CAPTURE(collective);
    test::recording_tape tape;
    std::vector<var> x(n, 1.0);
    tape.input(x);
    std::vector<std::vector<var>> y(messages, x);
    std::vector<AMPI_Request> q(messages, AMPI_REQUEST_NULL);
    for (int i = 0; i < messages; ++i) {
      if (collective) AMPI_Ibcast(y[i].data(), n, AMPI_ADOUBLE, 0, world, &q[i]);
      else if (rank() == 0) isend(x, 1, i, &q[i]);
      else if (rank() == 1) irecv(y[i], 0, i, &q[i]);
    }
    for (int i = messages; i-- > 0;) wait(&q[i]);
    if (rank() > 0)
      for (int i = 0; i < messages; ++i) tape.seed(y[i][1]);
    tape.reverse();
    if (rank() == 0) CHECK(tape.adjoint(x[1]) == messages * (collective ? size() - 1 : 1));
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
  // Rank 1 must return 300 large adjoints before rank 0 gives it the one that it waits for.
  test::begin();
  if (size() < 2) return;
  const int messages = 300, n = 2000;
  test::recording_tape tape;
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

TEST_CASE("test_deadlock_many_ahead_of_a_blocking_collective") {
  // Rank 1 comes to the Allreduce with adjoints that have not left yet, without which rank 0 never comes to it.
  test::begin();
  if (size() < 2) return;
  const int messages = 300, n = 2000;
  test::recording_tape tape;
  std::vector<var> x(n, 1.0), y(n), sum(n);
  tape.input(x);
  AMPI_Allreduce(x.data(), sum.data(), n, AMPI_ADOUBLE, MPI_SUM, world);
  for (int i = 0; i < messages; ++i) {
    if (rank() == 0) send(x, 1, 0);
    if (rank() != 1) continue;
    recv(y, 0, 0);
    tape.seed(y[1]);
  }
  if (rank() == 0) {
    tape.seed(sum[1], 2.0);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  tape.reverse();
  CHECK(tape.adjoint(x[1]) == (rank() == 0 ? messages + 2.0 : 2.0));
}
