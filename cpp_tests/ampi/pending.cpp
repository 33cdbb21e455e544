// Nonblocking collectives with other things between start and completion: other collectives, messages, ends of
// sweeps, changes of the recording. A sweep that waits at the wrong place hangs; the test's timeout is the watchdog.
#include "harness/identity.hpp"

#include <memory>
#include <string>

using admpi::var;
using test::check_identity;
using test::op;
using test::rank;
using test::size_of;
using test::world;

namespace {

int ranks() { return size_of(world); }

/// Bcast, Gather, Scatter, Allgather, Alltoall, and Reduce and Allreduce by each operation.
constexpr int kinds = 13;

/// A nonblocking collective under way, with the memory it uses.
template <class M>
struct pending {
  using real = typename M::real;
  std::vector<real> out, in;
  typename M::request request = M::null();

  pending(int kind, const std::vector<real> &x, int n, double phase, MPI_Comm comm = world) {
    const op operations[] = {op::sum, op::product, op::min, op::max};
    const int size = size_of(comm), root = (kind + size - 1) % size;
    for (int i = 0; i < n * size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      out.push_back(sin(x[at % x.size()] + real(phase)) * x[(3 * at + 1) % x.size()]);
      in.push_back(x[(5 * at + 2) % x.size()]);
    }
    real *const from = out.data(), *const to = in.data();
    const auto type = M::type();
    switch (kind) {
      case 0:
        in = out;
        M::ibcast(in.data(), n, type, root, comm, &request);
        break;
      case 1: M::igather(from, n, type, to, n, type, root, comm, &request); break;
      case 2: M::iscatter(from, n, type, to, n, type, root, comm, &request); break;
      case 3: M::iallgather(from, n, type, to, n, type, comm, &request); break;
      case 4: M::ialltoall(from, n, type, to, n, type, comm, &request); break;
      default:
        const auto operation = M::operation(operations[kind % 4]);
        if (kind < 9) M::iallreduce(from, to, n, type, operation, comm, &request);
        else M::ireduce(from, to, n, type, operation, root, comm, &request);
    }
  }
  pending(const pending &) = delete;
  pending &operator=(const pending &) = delete;

  void wait() { M::wait(&request, MPI_STATUS_IGNORE); }
  void add_to(std::vector<real> &y) const {
    for (std::size_t i = 0; i < in.size(); ++i) y.push_back(in[i] * in[(i + 1) % in.size()]);
    y.push_back(out[0] * out[out.size() - 1]);
  }
};

/// What a rank brings and what it needs are different in these; every kind once with each of some others.
template <class F>
void for_pairs(const F &f) {
  for (int a = 0; a < kinds; ++a)
    for (const int b : {(a + 4) % kinds, (a + 9) % kinds}) {
      CAPTURE(a);
      CAPTURE(b);
      f(a, b);
    }
}

constexpr std::size_t inputs = 6;

}  // namespace

TEST_CASE("test_pending_two_completed_in_opposite_orders") {
  for_pairs([](int a, int b) {
    check_identity(inputs, 1, [&](auto mpi, auto &x) {
      using M = decltype(mpi);
      pending<M> first(a, x, 2, 0.1);
      auto z = x;
      z[0] = sin(z[1]) * z[2];
      pending<M> second(b, z, 3, 0.2);
      if (rank() % 2 == 0) {
        first.wait();
        second.wait();
      } else {
        second.wait();
        first.wait();
      }
      first.add_to(z);
      second.add_to(z);
      return z;
    });
  });
}

TEST_CASE("test_pending_three_completed_in_any_order") {
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int kind = 0; kind < kinds; ++kind)
    for (const int shift : {kind, kind + 3}) {
      CAPTURE(kind);
      CAPTURE(shift);
      check_identity(inputs, 2, [&](auto mpi, auto &x) {
        using M = decltype(mpi);
        pending<M> all[3] = {{kind, x, 1, 0.1}, {(kind + 4) % kinds, x, 2, 0.2}, {(kind + 7) % kinds, x, 1, 0.3}};
        auto z = x;
        // What one brought is used before the next is complete.
        for (const int i : orders[(shift + rank()) % 6]) {
          all[i].wait();
          z[1] = sin(z[1] * all[i].in[0]);
          all[i].add_to(z);
        }
        return z;
      });
    }
}

TEST_CASE("test_pending_around_a_blocking_one") {
  for_pairs([](int a, int b) {
    check_identity(inputs, 3, [&](auto mpi, auto &x) {
      using M = decltype(mpi);
      pending<M> around(a, x, 2, 0.1);
      auto z = x;
      const int n = 3, root = ranks() - 1;
      mpi.bcast(z.data(), n, mpi.type(), root, world);
      auto sum = z;
      mpi.allreduce(z.data() + 1, sum.data(), n, mpi.type(), mpi.operation(op::product), world);
      pending<M> inside(b, sum, 2, 0.2);
      mpi.reduce(z.data() + 2, sum.data() + 3, n, mpi.type(), mpi.operation(op::max), 0, world);
      inside.wait();
      mpi.barrier(world);
      around.wait();
      inside.add_to(sum);
      around.add_to(sum);
      return sum;
    });
  });
}

TEST_CASE("test_pending_and_messages") {
  // Istart; Send; Wait | Recv; Istart; Wait, its mirror, and both turned round in time. Small messages are buffered
  // by MPI, large ones meet.
  const int large = 20000;
  for (int kind = 0; kind < kinds; ++kind)
    for (const int n : {1, large})
      for (int form = 0; form < 4; ++form) {
        if (n == large && kind % 4 != 1) continue;
        CAPTURE(kind);
        CAPTURE(n);
        CAPTURE(form);
        check_identity(inputs, 4, [&](auto mpi, auto &x) {
          using M = decltype(mpi);
          auto z = x, message = x;
          z.resize(static_cast<std::size_t>(n), x[1]);
          message.resize(static_cast<std::size_t>(n), x[2]);
          const bool apart = rank() >= 2 || ranks() < 2, early = form < 2 ? rank() == 0 : rank() == 1;
          const auto talk = [&] {
            const int from = form % 2;
            if (apart) return;
            if (rank() == from) mpi.send(message.data(), n, mpi.type(), 1 - from, 0, world);
            else mpi.recv(z.data(), n, mpi.type(), from, 0, world, MPI_STATUS_IGNORE);
          };
          // The early rank talks while its collective is under way.
          if (!early && form < 2) talk();
          pending<M> one(kind, form < 2 && !apart ? z : x, 2, 0.1);
          if (early) talk();
          one.wait();
          if (!early && form >= 2) talk();
          std::vector<typename M::real> y(z.begin(), z.begin() + 1);
          y.push_back(z.back() * z.back());
          one.add_to(y);
          return y;
        });
      }
}

TEST_CASE("test_pending_message_between_completions_in_opposite_orders") {
  // Istart 1, 2; Wait 2; Send; Wait 1 | Istart 1, 2; Wait 1; Recv; Wait 2
  for_pairs([](int a, int b) {
    check_identity(inputs, 5, [&](auto mpi, auto &x) {
      using M = decltype(mpi);
      pending<M> first(a, x, 1, 0.1), second(b, x, 2, 0.2);
      auto z = x;
      if (rank() == 0) {
        second.wait();
        if (ranks() > 1) mpi.send(second.in.data(), 2, mpi.type(), 1, 0, world);
        first.wait();
      } else {
        first.wait();
        if (rank() == 1) mpi.recv(z.data(), 2, mpi.type(), 0, 0, world, MPI_STATUS_IGNORE);
        second.wait();
      }
      first.add_to(z);
      second.add_to(z);
      return z;
    });
  });
}

TEST_CASE("test_pending_completed_together_with_messages") {
  check_identity(inputs, 6, [](auto mpi, auto &x) {
    using M = decltype(mpi);
    const int right = (rank() + 1) % ranks(), left = (rank() + ranks() - 1) % ranks();
    auto z = x;
    typename M::request all[4] = {mpi.null(), mpi.null(), mpi.null(), mpi.null()};
    mpi.irecv(z.data(), 2, mpi.type(), left, 1, world, &all[0]);
    pending<M> first(7, x, 2, 0.1);
    mpi.isend(x.data(), 2, mpi.type(), right, 1, world, &all[2]);
    pending<M> second(3, x, 2, 0.2);
    all[1] = second.request;
    all[3] = first.request;
    mpi.waitall(4, all, MPI_STATUSES_IGNORE);
    first.add_to(z);
    second.add_to(z);
    return z;
  });
  for (const bool polled : {false, true})
    check_identity(inputs, 7, [&](auto mpi, auto &x) {
      using M = decltype(mpi);
      pending<M> one(1, x, 2, 0.1), two(6, x, 2, 0.2), three(4, x, 2, 0.3);
      typename M::request all[3] = {one.request, two.request, three.request};
      for (int left = 3; left > 0;) {
        int index = MPI_UNDEFINED, some[3], n = 0, flag = 0;
        if (polled) {
          mpi.testsome(3, all, &n, some, MPI_STATUSES_IGNORE);
          left -= n == MPI_UNDEFINED ? 0 : n;
          if (left > 0) {
            mpi.testany(3, all, &index, &flag, MPI_STATUS_IGNORE);
            left -= flag && index != MPI_UNDEFINED;
          }
        } else {
          mpi.waitany(3, all, &index, MPI_STATUS_IGNORE);
          --left;
        }
      }
      auto z = x;
      one.add_to(z);
      two.add_to(z);
      three.add_to(z);
      return z;
    });
}

TEST_CASE("test_pending_communicator_freed") {
  // Freed after the completion, or before: then another one of the same members may start before it completes.
  // (Open MPI 4.1 crashes when a communicator is freed before its nonblocking collectives are complete.)
#ifdef OPEN_MPI
  const std::vector<bool> when = {false};
#else
  const std::vector<bool> when = {false, true};
#endif
  for (int kind = 0; kind < kinds; ++kind)
    for (const bool early : when) {
      CAPTURE(kind);
      CAPTURE(early);
      check_identity(inputs, 8, [&](auto mpi, auto &x) {
        using M = decltype(mpi);
        MPI_Comm comm, other;
        mpi.comm_dup(world, &comm);
        pending<M> first(kind, x, 2, 0.1, comm);
        if (early) mpi.comm_free(&comm);
        mpi.comm_dup(world, &other);
        pending<M> second((kind + 3) % kinds, x, 2, 0.2, other);
        second.wait();
        first.wait();
        if (!early) mpi.comm_free(&comm);
        mpi.comm_free(&other);
        auto z = x;
        first.add_to(z);
        second.add_to(z);
        return z;
      });
    }
}

TEST_CASE("test_pending_datatype_freed") {
  check_identity(inputs, 9, [](auto mpi, auto &x) {
    MPI_Datatype type;
    MPI_Type_vector(2, 1, 2, mpi.type(), &type);
    MPI_Type_commit(&type);
    auto request = mpi.null();
    auto out = x, in = x;
    in.resize(static_cast<std::size_t>(3 * ranks()), x[0]);
    mpi.iallgather(out.data(), 2, mpi.type(), in.data(), 1, type, world, &request);
    MPI_Type_free(&type);
    mpi.wait(&request, MPI_STATUS_IGNORE);
    for (auto &y : in) y = y * x[1];
    return in;
  });
}

namespace {

/// A run with places where its sweep may stop: around the start and the completion of two collectives.
struct run {
  admpi::tape tape;
  std::vector<var> x = std::vector<var>(inputs), y;
  std::vector<admpi_position> places;

  explicit run(int kind) {
    test::begin();
    tape.start();
    for (std::size_t i = 0; i < inputs; ++i) x[i] = 0.3 + 0.1 * static_cast<double>(i) + 0.7 * rank();
    tape.input(x);
    mark();
    std::vector<var> z = x;
    z[0] = x[0] * x[1];
    pending<test::active> first(kind, z, 2, 0.1);
    mark();
    z[1] = x[1] * x[2];
    pending<test::active> second((kind + 6) % kinds, z, 1, 0.2);
    mark();
    y.push_back(sin(z[1]));
    if (rank() % 2 == 0) first.wait();
    else second.wait();
    mark();
    if (rank() % 2 == 0) second.wait();
    else first.wait();
    mark();
    first.add_to(y);
    second.add_to(y);
    tape.stop();
    mark();
  }

  void mark() { places.push_back(tape.position()); }

  void seed() {
    tape.clear_adjoints();
    for (std::size_t i = 0; i < y.size(); ++i) tape.seed(y[i], 1.0 + 0.5 * static_cast<double>(i));
  }
  std::vector<double> gradient() {
    std::vector<double> g;
    for (const var &v : x) g.push_back(tape.adjoint(v));
    return g;
  }
};

}  // namespace

TEST_CASE("test_pending_sweep_in_parts") {
  for (int kind = 0; kind < kinds; ++kind) {
    run r(kind);
    r.seed();
    r.tape.reverse();
    const std::vector<double> whole = r.gradient();
    const int inner = static_cast<int>(r.places.size()) - 2;
    for (int parts = 1; parts < 1 << inner; ++parts) {
      CAPTURE(kind);
      CAPTURE(parts);
      r.seed();
      admpi_position from = r.places.back();
      for (int i = inner; i >= 0; --i) {
        // Each rank stops elsewhere.
        if (i > 0 && ((parts * (1 + rank())) >> (i - 1) & 1) == 0) continue;
        const admpi_position to = r.places[static_cast<std::size_t>(i)];
        r.tape.reverse(from, to);
        from = to;
      }
      CHECK(r.gradient() == whole);
    }
  }
}

TEST_CASE("test_pending_first_sweep_of_a_tape_ends_between_start_and_completion") {
  for (int kind = 0; kind < kinds; ++kind) {
    CAPTURE(kind);
    std::vector<double> gradients[2];
    for (const bool parts : {false, true}) {
      test::begin();
      test::recording_tape tape;
      std::vector<var> x(inputs, 0.5 + rank());
      tape.input(x);
      const admpi_position bottom = tape.position();
      pending<test::active> one(kind, x, 2, 0.3);
      const admpi_position between = tape.position();
      one.wait();
      const admpi_position top = tape.position();
      for (std::size_t i = 0; i < one.in.size(); ++i) tape.seed(one.in[i], 1.0 + static_cast<double>(i));
      if (parts) tape.reverse(top, between);
      tape.reverse(parts ? between : top, bottom);
      for (const var &v : x) gradients[parts].push_back(tape.adjoint(v));
    }
    CHECK(gradients[0] == gradients[1]);
  }
}

TEST_CASE("test_pending_sweep_from_between_start_and_completion") {
  for (int kind = 0; kind < kinds; ++kind) {
    CAPTURE(kind);
    run r(kind);
    r.seed();
    r.tape.reverse();
    const std::vector<double> whole = r.gradient();
    // Neither completion is in the range: only what was computed below gets anything.
    r.seed();
    r.tape.reverse(r.places[2], r.places[0]);
    const std::vector<double> below = r.gradient();
    CHECK(below == std::vector<double>(inputs, 0.0));
    r.tape.clear_adjoints();
    r.seed();
    r.tape.reverse();
    CHECK(r.gradient() == whole);
  }
}

TEST_CASE("test_pending_recording_is_decided_at_the_start") {
  test::begin();
  for (const bool recorded : {true, false}) {
    test::recording_tape tape;
    var x = 2.0 + rank(), product, sum, all[8];
    tape.input(x);
    if (!recorded) tape.stop();
    AMPI_Request q[2];
    AMPI_Iallreduce(&x, &product, 1, AMPI_ADOUBLE, MPI_PROD, world, &q[0]);
    AMPI_Iallgather(&x, 1, AMPI_ADOUBLE, all, 1, AMPI_ADOUBLE, world, &q[1]);
    if (recorded) tape.stop();
    else tape.start();
    AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
    AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
    double expected = 1.0;
    for (int r = 0; r < ranks(); ++r) {
      expected *= 2.0 + r;
      CHECK(all[r].value == 2.0 + r);
      CHECK((all[r].id != 0) == recorded);
    }
    CHECK(product.value == expected);
    CHECK((product.id != 0) == recorded);
    if (!recorded) continue;
    tape.seed(product, rank() == 0 ? 1.0 : 0.0);
    tape.seed(all[ranks() - 1], 3.0);
    tape.reverse();
    CHECK(tape.adjoint(x) == expected / (2.0 + rank()) + (rank() == ranks() - 1 ? 3.0 * ranks() : 0.0));
  }
}

TEST_CASE("test_pending_completion_on_another_tape_is_an_error") {
  for (int kind = 0; kind < kinds; ++kind) {
    CAPTURE(kind);
    test::begin();
    test::recording_tape one;
    std::vector<var> x(inputs, 0.5 + rank());
    one.input(x);
    pending<test::active> stray(kind, x, 1, 0.0);
    pending<test::active> kept(5, x, 1, 0.0);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    {
      test::recording_tape two;
      CHECK(AMPI_Wait(&stray.request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
      CHECK(std::string(admpi_last_error()).find("AMPI_Wait: ") == 0);
    }
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    CHECK(stray.request == AMPI_REQUEST_NULL);
    // The values are there, without derivatives; the tape is as good as before.
    const auto place = static_cast<std::size_t>(kind == 3 || kind == 4 ? ranks() - 1 : 0);
    const bool receives = kind > 1 && kind < 9;
    if (receives) CHECK(stray.in[place].id == 0);
    kept.wait();
    one.seed(kept.in[0], rank() == 0 ? 1.0 : 0.0);
    one.reverse();
    // It multiplies sin(x0) * x1 of all ranks.
    double others = 1.0;
    for (int r = 0; r < ranks(); ++r)
      if (r != rank()) others *= std::sin(0.5 + r) * (0.5 + r);
    CHECK(one.adjoint(x[0]) == doctest::Approx(others * std::cos(0.5 + rank()) * (0.5 + rank())));
  }
}

TEST_CASE("test_pending_cannot_be_freed_or_cancelled") {
  test::begin();
  test::recording_tape tape;
  std::vector<var> x(inputs, 0.5 + rank());
  tape.input(x);
  pending<test::active> one(5, x, 1, 0.0);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  CHECK(AMPI_Request_free(&one.request) != MPI_SUCCESS);
  CHECK(AMPI_Cancel(&one.request) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  one.wait();
  tape.seed(one.in[0]);
  tape.reverse();
}

TEST_CASE("test_pending_on_an_unknown_communicator_is_an_error") {
  // All members would have to enter it here, and a nonblocking call waits for nobody.
  test::begin();
  test::recording_tape tape;
  MPI_Comm comm;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  var x = 1.0, y = 0.0;
  tape.input(x);
  AMPI_Request q = AMPI_REQUEST_NULL;
  CHECK(AMPI_Iallreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, comm, &q) != MPI_SUCCESS);
  CHECK(std::string(admpi_last_error()).find("AMPI_Comm_register") != std::string::npos);
  CHECK(q == AMPI_REQUEST_NULL);
  // A blocking one enters it.
  CHECK(AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, comm) == MPI_SUCCESS);
  CHECK(AMPI_Iallreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, comm, &q) == MPI_SUCCESS);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  AMPI_Comm_free(&comm);
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == ranks());
}
