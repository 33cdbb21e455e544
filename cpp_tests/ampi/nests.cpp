// Sweeps inside callbacks of other sweeps, whose messages have the same peers, tags and communicators: what the outer
// sweep has under way must not be taken for the inner one's. All of it hangs, or gives one sweep the other's adjoints,
// if their traffic meets; the test's timeout is the watchdog.
#include "harness/identity.hpp"

#include <cstdlib>
#include <functional>
#include <string>

using admpi::var;
using test::left;
using test::rank;
using test::rank_of;
using test::right;
using test::size;
using test::size_of;
using test::world;

namespace {

/// How many levels of nests the communicators have been given handles for.
int levels() {
  const char *text = std::getenv("ADMPI_NESTS");
  return text == nullptr ? 1 : std::atoi(text);
}

/// Records a call of `inside` in every sweep that passes.
template <class F>
void call_in_sweeps(admpi::tape_ref tape, F inside) {
  const var in = 1.0;
  const double value = 1.0;
  var out;
  tape.callback(&in, 1, &value, 1, &out, [inside](const admpi::callback_adjoints &) { inside(); });
}

using program = std::function<var(const var &)>;

/// The derivative of `f` at 1 by a sweep of a nest, seeded with `weight`.
double by_nest(admpi::tape_ref tape, const program &f, double weight) {
  admpi::nested nest(tape);
  var u = 1.0;
  tape.input(u);
  tape.seed(f(u), weight);
  tape.reverse();
  return tape.adjoint(u);
}

/// The same by a sweep of another tape.
double by_own_tape(const program &f, double weight) {
  test::recording_tape tape;
  var u = 1.0;
  tape.input(u);
  tape.seed(f(u), weight);
  tape.reverse();
  return tape.adjoint(u);
}

/// A step around the ring.
var shift(const var &x, MPI_Comm comm = world) {
  const int me = rank_of(comm), count = size_of(comm);
  var y;
  AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, (me + 1) % count, 0, &y, 1, AMPI_ADOUBLE, (me + count - 1) % count, 0, comm,
                MPI_STATUS_IGNORE);
  return y;
}

/// Messages around the ring that are open while `inside` is called, received in the order `order`.
void crossing(admpi::tape_ref tape, const std::vector<var> &x, std::vector<var> &y, const std::vector<int> &before,
              const std::vector<int> &behind, const std::function<void()> &inside, MPI_Comm comm = world) {
  const int n = static_cast<int>(x.size()), me = rank_of(comm), count = size_of(comm);
  std::vector<AMPI_Request> q(n), s(n);
  for (int i = 0; i < n; ++i) AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, (me + count - 1) % count, 0, comm, &q[i]);
  for (int i = 0; i < n; ++i) AMPI_Isend(&x[i], 1, AMPI_ADOUBLE, (me + 1) % count, 0, comm, &s[i]);
  for (const int i : before) AMPI_Wait(&q[i], MPI_STATUS_IGNORE);
  call_in_sweeps(tape, inside);
  for (const int i : behind) AMPI_Wait(&q[i], MPI_STATUS_IGNORE);
  AMPI_Waitall(n, s.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

TEST_CASE("test_nests_messages_that_cross") {
  test::begin();
  // Completed behind the callback, so that their adjoints are under way when it runs; some are held until it has.
  const std::vector<std::vector<int>> orders[] = {{{}, {0, 1}}, {{}, {1, 0}}, {{0}, {1}}, {{1}, {0}}};
  for (const auto &order : orders) {
    for (const bool own : {false, true}) {
      CAPTURE(own);
      test::recording_tape tape;
      std::vector<var> x = {1.0, 1.0}, y(2);
      tape.input(x);
      std::vector<double> found;
      const program twice = [](const var &u) { return shift(shift(u)) * 2.0 + shift(u); };
      crossing(tape, x, y, order[0], order[1], [&] {
        found.push_back(own ? by_own_tape(twice, 7.0) : by_nest(tape, twice, 7.0));
      });
      tape.seed(y[0], 3.0);
      tape.seed(y[1], 5.0);
      tape.reverse();
      CHECK(found == std::vector<double>{21.0});
      CHECK(tape.adjoint(x[0]) == 3.0);
      CHECK(tape.adjoint(x[1]) == 5.0);
    }
  }
}

TEST_CASE("test_nests_that_only_send_or_receive") {
  // One rank's nest has nothing but a send, the other's nothing but a receive; so has what crosses it.
  test::begin();
  if (size() < 2) return;
  test::recording_tape tape;
  var x = 1.0, y;
  tape.input(x);
  double found = 0.0;
  AMPI_Request q = AMPI_REQUEST_NULL;
  if (rank() == 0) AMPI_Isend(&x, 1, AMPI_ADOUBLE, 1, 4, world, &q);
  if (rank() == 1) AMPI_Irecv(&y, 1, AMPI_ADOUBLE, 0, 4, world, &q);
  call_in_sweeps(tape, [&] {
    found += by_nest(tape, [](const var &u) {
      var v = 0.0;
      if (rank() == 0) AMPI_Send(&u, 1, AMPI_ADOUBLE, 1, 4, world);
      if (rank() == 1) AMPI_Recv(&v, 1, AMPI_ADOUBLE, 0, 4, world, MPI_STATUS_IGNORE);
      return v;
    }, 7.0);
  });
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  tape.seed(y, 3.0);
  tape.reverse();
  CHECK(found == (rank() == 0 ? 7.0 : 0.0));
  CHECK(tape.adjoint(x) == (rank() == 0 ? 3.0 : 0.0));
}

TEST_CASE("test_nests_collectives_that_cross") {
  // Open across the callback on some ranks, completed before it on the others: their adjoints start on either side of
  // those of the nest.
  test::begin();
  const double n = size();
  using start = std::function<void(const var &, var *, AMPI_Request *)>;
  const start sum = [](const var &x, var *y, AMPI_Request *q) {
    AMPI_Iallreduce(&x, y, 1, AMPI_ADOUBLE, MPI_SUM, world, q);
  };
  const start product = [](const var &x, var *y, AMPI_Request *q) {
    AMPI_Iallreduce(&x, y, 1, AMPI_ADOUBLE, MPI_PROD, world, q);
  };
  const start largest = [](const var &x, var *y, AMPI_Request *q) {
    AMPI_Iallreduce(&x, y, 1, AMPI_ADOUBLE, MPI_MAX, world, q);
  };
  const start prefix = [](const var &x, var *y, AMPI_Request *q) {
    AMPI_Iscan(&x, y, 1, AMPI_ADOUBLE, MPI_SUM, world, q);
  };
  const auto run = [](const start &outer, const start &inner, int late, double outside, double inside) {
    test::recording_tape tape;
    var x = 1.0, y;
    tape.input(x);
    double found = 0.0;
    AMPI_Request q;
    outer(x, &y, &q);
    const bool open = rank() % 2 == late;
    if (!open) AMPI_Wait(&q, MPI_STATUS_IGNORE);
    call_in_sweeps(tape, [&] {
      found += by_nest(tape, [&](const var &u) {
        var v;
        AMPI_Request r;
        inner(u, &v, &r);
        AMPI_Wait(&r, MPI_STATUS_IGNORE);
        return v;
      }, 7.0);
    });
    if (open) AMPI_Wait(&q, MPI_STATUS_IGNORE);
    tape.seed(y, 3.0);
    tape.reverse();
    CHECK(tape.adjoint(x) == 3.0 * outside);
    CHECK(found == 7.0 * inside);
  };
  // How many results depend on a rank's operand.
  const double above = n - rank(), won = rank() == 0 ? n : 0.0;
  for (const int late : {0, 1}) {
    CAPTURE(late);
    run(sum, sum, late, n, n);
    run(sum, prefix, late, n, above);
    run(prefix, sum, late, above, n);
    run(prefix, prefix, late, above, above);
    run(product, product, late, n, n);
    run(prefix, product, late, above, n);
    run(largest, sum, late, won, n);
    run(product, largest, late, n, won);
  }
}

TEST_CASE("test_nests_neighbourhood_calls_that_cross") {
  test::begin();
  int dims[1] = {size()}, periods[1] = {1};
  MPI_Comm ring;
  AMPI_Cart_create(world, 1, dims, periods, 0, &ring);
  const auto exchange = [ring](const var *x, var *y, AMPI_Request *q) {
    AMPI_Ineighbor_alltoall(x, 1, AMPI_ADOUBLE, y, 1, AMPI_ADOUBLE, ring, q);
  };
  for (const int late : {0, 1}) {
    test::recording_tape tape;
    std::vector<var> x = {1.0, 1.0}, y(2);
    tape.input(x);
    double found = 0.0;
    AMPI_Request q;
    exchange(x.data(), y.data(), &q);
    const bool open = rank() % 2 == late;
    if (!open) AMPI_Wait(&q, MPI_STATUS_IGNORE);
    call_in_sweeps(tape, [&] {
      found += by_nest(tape, [&](const var &u) {
        const var two[] = {u * 2.0, u * 5.0};
        var v[2];
        AMPI_Request r;
        exchange(two, v, &r);
        AMPI_Wait(&r, MPI_STATUS_IGNORE);
        return v[0] + v[1] * 100.0;
      }, 7.0);
    });
    if (open) AMPI_Wait(&q, MPI_STATUS_IGNORE);
    tape.seed(y[0], 3.0);
    tape.seed(y[1], 11.0);
    tape.reverse();
    // What goes down arrives in the upper slot, and the other way round (on a ring of one or two, MPI decides).
    const double sum = tape.adjoint(x[0]) + tape.adjoint(x[1]);
    CHECK(sum == 14.0);
    if (size() > 2) {
      CHECK(tape.adjoint(x[0]) == 11.0);
      CHECK(found == 7.0 * (2.0 * 100.0 + 5.0));
    } else {
      const bool straight = found == 7.0 * (2.0 + 5.0 * 100.0), crossed = found == 7.0 * (2.0 * 100.0 + 5.0);
      CHECK((straight || crossed));
    }
  }
  AMPI_Comm_free(&ring);
}

namespace {

extern "C" void multiply(void *in, void *inout, int *n, MPI_Datatype *) {
  const var *a = static_cast<var *>(in);
  var *b = static_cast<var *>(inout);
  for (int i = 0; i < *n; ++i) b[i] = a[i] * b[i];
}

}  // namespace

TEST_CASE("test_nests_operations_of_users") {
  // The library's own messages, forward and back, go between the same ranks: the values of the nest's must not be
  // taken for adjoints of the outer one's that cross it, which go the same way.
  test::begin();
  if (size() < 2) return;
  MPI_Op operation;
  AMPI_Op_create(multiply, 1, &operation);
  test::recording_tape tape;
  var x = 2.0, y;
  tape.input(x);
  double found = 0.0, value = 0.0;
  const auto outside = [&] { AMPI_Reduce(&x, &y, 1, AMPI_ADOUBLE, operation, 0, world); };
  // Rank 0 sends the adjoints of what the others brought before it comes to the callback.
  if (rank() != 0) outside();
  call_in_sweeps(tape, [&] {
    found += by_nest(tape, [&](const var &u) {
      const var brought = u * 3.0;
      var v = 0.0;
      AMPI_Reduce(&brought, &v, 1, AMPI_ADOUBLE, operation, 1, world);
      value = v.value;
      return v;
    }, 7.0);
  });
  if (rank() == 0) outside();
  if (rank() == 0) tape.seed(y, 5.0);
  tape.reverse();
  const double all = std::pow(3.0, size());
  CHECK(value == (rank() == 1 ? all : 0.0));
  CHECK(found == doctest::Approx(7.0 * all).epsilon(1e-14));
  CHECK(tape.adjoint(x) == doctest::Approx(5.0 * std::pow(2.0, size() - 1)).epsilon(1e-14));
  AMPI_Op_free(&operation);
}

TEST_CASE("test_nests_inside_nests") {
  // Each level has a message that crosses the one below it. As deep as there are handles, and then an error before
  // anything has moved; what does not communicate may go on.
  test::begin();
  const int deepest = levels();
  std::vector<double> found(deepest + 2, 0.0);
  std::string refused;
  test::recording_tape tape;
  std::function<void(int)> descend = [&](int depth) {
    if (depth > deepest) {
      try {
        by_nest(tape, [](const var &u) { return shift(u); }, 1.0);
      } catch (const admpi::error &error) {
        refused = error.what();
      }
      found[depth] = by_nest(tape, [&](const var &u) {
        call_in_sweeps(tape, [&] { refused += by_own_tape([](const var &w) { return w * 2.0; }, 1.0) == 2.0 ? "!" : "?"; });
        return u * u;
      }, 4.0);
      return;
    }
    const auto level = [&](const var &u) {
      const std::vector<var> x = {u};
      std::vector<var> y(1);
      crossing(tape, x, y, {}, {0}, [&descend, depth] { descend(depth + 1); });
      return y[0];
    };
    found[depth] = by_nest(tape, level, 3.0 + 4.0 * depth);
  };
  descend(0);
  for (int depth = 0; depth <= deepest; ++depth) CHECK(found[depth] == 3.0 + 4.0 * depth);
  CHECK(found[deepest + 1] == 8.0);
  CAPTURE(refused);
  CHECK(refused.find("ADMPI_NESTS=" + std::to_string(deepest + 1)) != std::string::npos);
  CHECK(refused.back() == '!');
}

TEST_CASE("test_nests_served_from_outside_of_callbacks") {
  // Rank 0 lets the others work for it from a callback. They are in no sweep, so the communicator between them is one
  // that enters there: depth is counted from where it did.
  test::begin();
  if (size() < 2 || levels() < 1) return;
  const auto serve = [](MPI_Comm comm) {
    test::recording_tape tape;
    var u, v;
    AMPI_Recv(&u, 1, AMPI_ADOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    v = u * u * (1.0 + rank());
    AMPI_Send(&v, 1, AMPI_ADOUBLE, 0, 0, comm);
    tape.reverse();
  };
  for (int round = 0; round < 3; ++round) {
    if (rank() != 0) {
      MPI_Comm comm;
      AMPI_Comm_dup(world, &comm);
      serve(comm);
      AMPI_Comm_free(&comm);
      continue;
    }
    test::recording_tape tape;
    var x = 1.0;
    tape.input(x);
    double found = 0.0;
    call_in_sweeps(tape, [&] {
      MPI_Comm comm;
      AMPI_Comm_dup(world, &comm);
      found = by_nest(tape, [comm](const var &u) {
        var sum = 0.0, v;
        for (int r = 1; r < size(); ++r) AMPI_Send(&u, 1, AMPI_ADOUBLE, r, 0, comm);
        for (int r = 1; r < size(); ++r) {
          AMPI_Recv(&v, 1, AMPI_ADOUBLE, r, 0, comm, MPI_STATUS_IGNORE);
          sum += v;
        }
        return sum;
      }, 1.0);
      AMPI_Comm_free(&comm);
    });
    tape.reverse();
    double expected = 0.0;
    for (int r = 1; r < size(); ++r) expected += 2.0 * (1.0 + r);
    CHECK(found == expected);
  }
}

TEST_CASE("test_nests_on_communicators_made_in_callbacks") {
  // Kept, and used at every depth afterwards, with messages that cross.
  test::begin();
  if (levels() < 1) return;
  MPI_Comm comm = MPI_COMM_NULL;
  {
    test::recording_tape tape;
    call_in_sweeps(tape, [&] { AMPI_Comm_dup(world, &comm); });
    tape.reverse();
  }
  test::recording_tape tape;
  std::vector<var> x = {1.0}, y(1);
  tape.input(x);
  double found = 0.0;
  crossing(tape, x, y, {}, {0},
           [&] { found = by_nest(tape, [comm](const var &u) { return shift(u, comm); }, 7.0); }, comm);
  tape.seed(y[0], 3.0);
  tape.reverse();
  CHECK(found == 7.0);
  CHECK(tape.adjoint(x[0]) == 3.0);
  AMPI_Comm_free(&comm);
}

TEST_CASE("test_nests_abandoned") {
  // The callback fails on all ranks with adjoints of both sweeps under way; all give up, and sweep anew.
  test::begin();
  test::recording_tape tape;
  std::vector<var> x = {1.0}, y(1);
  tape.input(x);
  bool fails = true;
  double found = 0.0;
  crossing(tape, x, y, {}, {0}, [&] {
    found = by_nest(tape, [&](const var &u) {
      const std::vector<var> v = {u};
      std::vector<var> w(1);
      AMPI_Request q, s;
      AMPI_Irecv(&w[0], 1, AMPI_ADOUBLE, left(), 0, world, &q);
      AMPI_Isend(&v[0], 1, AMPI_ADOUBLE, right(), 0, world, &s);
      call_in_sweeps(tape, [&] {
        if (fails) throw std::runtime_error("not yet");
      });
      AMPI_Wait(&q, MPI_STATUS_IGNORE);
      AMPI_Wait(&s, MPI_STATUS_IGNORE);
      return w[0];
    }, 7.0);
  });
  for (int again = 0; again < 2; ++again) {
    tape.clear_adjoints();
    tape.seed(y[0], 3.0 + again);
    CHECK_THROWS_AS(tape.reverse(), std::runtime_error);
    REQUIRE(admpi_tape_abandon_sweep(tape.handle(), world) == ADMPI_SUCCESS);
  }
  fails = false;
  tape.clear_adjoints();
  tape.seed(y[0], 11.0);
  tape.reverse();
  CHECK(found == 7.0);
  CHECK(tape.adjoint(x[0]) == 11.0);
}

TEST_CASE("test_nests_abandoned_in_the_callback") {
  // What the callback has begun fails on all ranks, and is given up there: the sweep outside, whose adjoints are under
  // way, goes on, and so does the next one of the callback.
  test::begin();
  if (levels() < 1) return;
  for (const bool own : {false, true}) {
    CAPTURE(own);
    test::recording_tape tape;
    std::vector<var> x = {1.0, 1.0}, y(2);
    tape.input(x);
    double found = 0.0;
    int given_up = 0;
    const auto inside = [&](bool fails) {
      return [&, fails](const var &u) {
        const std::vector<var> v = {u};
        std::vector<var> w(1);
        AMPI_Request q[3];
        var sum;
        AMPI_Irecv(&w[0], 1, AMPI_ADOUBLE, left(), 0, world, &q[0]);
        AMPI_Isend(&v[0], 1, AMPI_ADOUBLE, right(), 0, world, &q[1]);
        AMPI_Iallreduce(&v[0], &sum, 1, AMPI_ADOUBLE, MPI_SUM, world, &q[2]);
        call_in_sweeps(admpi::current_tape(), [fails] {
          if (fails) throw std::runtime_error("not yet");
        });
        AMPI_Waitall(3, q, MPI_STATUSES_IGNORE);
        return w[0] * 2.0 + sum;
      };
    };
    const auto attempt = [&](bool fails) {
      try {
        found = own ? by_own_tape(inside(fails), 7.0) : by_nest(tape, inside(fails), 7.0);
      } catch (const std::runtime_error &) {
        REQUIRE(admpi_tape_abandon_sweep(tape.handle(), world) == ADMPI_SUCCESS);
        ++given_up;
      }
    };
    AMPI_Request q;
    var total;
    AMPI_Iallreduce(&x[1], &total, 1, AMPI_ADOUBLE, MPI_SUM, world, &q);
    crossing(tape, x, y, {}, {0, 1}, [&] {
      attempt(true);
      attempt(true);
      attempt(false);
    });
    AMPI_Wait(&q, MPI_STATUS_IGNORE);
    tape.seed(y[0], 3.0);
    tape.seed(y[1], 5.0);
    tape.seed(total, 11.0);
    tape.reverse();
    CHECK(given_up == 2);
    CHECK(found == 7.0 * (2.0 + size()));
    CHECK(tape.adjoint(x[0]) == 3.0);
    CHECK(tape.adjoint(x[1]) == 5.0 + 11.0 * size());
  }
}

TEST_CASE("test_nests_given_up_while_adjoints_leave") {
  // The sweep of a nest fails, on all ranks, with the adjoints of a large message on their way: those outside of it are
  // as they were, and the sweep outside goes on.
  test::begin();
  if (levels() < 1) return;
  const int n = 50000;
  test::recording_tape tape;
  std::vector<var> x(n, 1.0), y(n);
  tape.input(x);
  for (int i = 0; i < n; ++i) y[i] = x[i] * 2.0;
  int given_up = 0;
  call_in_sweeps(tape, [&] {
    admpi::nested nest(tape);
    std::vector<var> u(n, 1.0), v(n);
    tape.input(u);
    AMPI_Request q[2];
    AMPI_Irecv(v.data(), n, AMPI_ADOUBLE, left(), 0, world, &q[0]);
    AMPI_Isend(u.data(), n, AMPI_ADOUBLE, right(), 0, world, &q[1]);
    var alien = u[0];
    alien.id += 1u << 30;
    const var fails = alien * 2.0;
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    for (const var &w : v) tape.seed(w, 7.0);
    tape.seed(fails);
    CHECK_THROWS_AS(tape.reverse(), admpi::error);
    REQUIRE(admpi_tape_abandon_sweep(tape.handle(), world) == ADMPI_SUCCESS);
    ++given_up;
  });
  for (int sweep = 1; sweep <= 2; ++sweep) {
    for (int i = 0; i < n; ++i) tape.seed(y[i], 1.0 + i);
    tape.reverse();
    CHECK(given_up == sweep);
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += tape.adjoint(x[i]) != sweep * 2.0 * (1.0 + i);
    CHECK(wrong == 0);
  }
}
