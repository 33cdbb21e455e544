// Sweeps and recording: ranges, nests, several tapes, recording off, many messages, what users see of it all.
#include "harness/identity.hpp"

#include <cstdlib>
#include <functional>
#include <memory>
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

/// A step around the ring: y = what the left neighbour has of x, squared with weight.
var shift(const var &x, int tag) {
  var y;
  AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, right(), tag, &y, 1, AMPI_ADOUBLE, left(), tag, world, MPI_STATUS_IGNORE);
  return y * y * 0.5 + x;
}

}  // namespace

TEST_CASE("test_sweeps_ranges_resume_to_the_same_bits") {
  test::begin();
  test::recording_tape tape;
  var x = 0.3 + 0.1 * rank();
  tape.input(x);
  const var input = x;
  std::vector<admpi::position> positions = {tape.position()};
  for (int step = 0; step < 6; ++step) {
    x = shift(x, step);
    positions.push_back(tape.position());
  }
  tape.seed(x);
  tape.reverse();
  const double whole = tape.adjoint(input);
  CHECK(whole != 0.0);
  tape.clear_adjoints();
  tape.seed(x);
  for (std::size_t i = positions.size() - 1; i > 0; --i) tape.reverse(positions[i], positions[i - 1]);
  CHECK(tape.adjoint(input) == whole);
}

TEST_CASE("test_sweeps_part_between_isend_and_wait") {
  // The boundary lies between the start and the completion of requests: nothing crosses it but open requests.
  test::begin();
  for (const bool interrupted : {false, true}) {
    test::recording_tape tape;
    const auto bottom = tape.position();
    var x = 0.3 + 0.1 * rank(), y;
    tape.input(x);
    const var sent = sin(x);
    AMPI_Request q[2];
    AMPI_Irecv(&y, 1, AMPI_ADOUBLE, left(), 0, world, &q[0]);
    AMPI_Isend(&sent, 1, AMPI_ADOUBLE, right(), 0, world, &q[1]);
    const auto between = tape.position();
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    const var z = y * x;
    tape.seed(z);
    if (interrupted) {
      tape.reverse(tape.position(), between);
      CHECK(tape.adjoint(x) == doctest::Approx(y.value));
      MPI_Barrier(world);  // others may be anywhere
      tape.reverse(between, bottom);
    } else {
      tape.reverse();
    }
    const double at_right = std::cos(x.value) * (0.3 + 0.1 * right());
    CHECK(tape.adjoint(x) == doctest::Approx(y.value + at_right).epsilon(1e-14));
  }
}

TEST_CASE("test_sweeps_a_range_that_nothing_crosses_is_repeated") {
  test::begin();
  test::recording_tape tape;
  var x = 0.3 + 0.1 * rank();
  tape.input(x);
  var y = shift(x, 0);
  const auto middle = tape.position();
  const var kept = y;
  tape.keep(kept);
  y = shift(y, 1);
  const auto top = tape.position();
  double first = 0.0;
  for (int i = 0; i < 3; ++i) {
    tape.clear_adjoints();
    tape.seed(y);
    tape.reverse(top, middle);
    const double now = tape.adjoint(kept);
    if (i == 0) first = now;
    CHECK(now == first);
  }
  CHECK(first != 0.0);
}

TEST_CASE("test_sweeps_held_adjoints_bind_the_next_range") {
  test::begin();
  test::recording_tape tape;
  const auto bottom = tape.position();
  var x[2] = {0.3 + rank(), 0.7 + rank()}, y[2];
  tape.input(x, 2);
  AMPI_Request q[2], s[2];
  for (int i = 0; i < 2; ++i) AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, left(), 0, world, &q[i]);
  for (int i = 0; i < 2; ++i) AMPI_Isend(&x[i], 1, AMPI_ADOUBLE, right(), 0, world, &s[i]);
  AMPI_Waitall(2, s, MPI_STATUSES_IGNORE);
  AMPI_Wait(&q[1], MPI_STATUS_IGNORE);  // the later one first
  const auto between = tape.position();
  AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  const var z = y[0] * 2.0 + y[1] * 3.0;
  const auto top = tape.position();
  const auto repeat = [&](bool binds) {
    tape.seed(z);
    tape.reverse(top, between);  // the adjoint of y[0] is held back: that of y[1] must leave first
    if (binds) CHECK_THROWS_AS(tape.reverse(top, between), admpi::error);
    tape.reverse(between, bottom);
    CHECK(tape.adjoint(x[0]) == 2.0);
    CHECK(tape.adjoint(x[1]) == 3.0);
    tape.clear_adjoints();
  };
  repeat(true);
  repeat(false);
}

TEST_CASE("test_sweeps_abandoned_on_all_ranks") {
  test::begin();
  test::recording_tape tape;
  std::vector<var> x(300, 0.5), y(300);
  tape.input(x);
  // Messages and a Bcast cross the place where the sweep will end on some ranks.
  AMPI_Request q;
  AMPI_Isend(x.data(), 300, AMPI_ADOUBLE, right(), 0, world, &q);
  const auto before = tape.position();
  AMPI_Recv(y.data(), 300, AMPI_ADOUBLE, left(), 0, world, MPI_STATUS_IGNORE);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  AMPI_Bcast(y.data(), 300, AMPI_ADOUBLE, 0, world);
  const auto top = tape.position();
  const var z = y[7] * 3.0;
  tape.seed(z);
  // All ranks sweep the Bcast and send back what they received, but nobody takes it.
  tape.reverse(tape.position(), before);
  CHECK(top.event > before.event);
  REQUIRE(admpi_tape_abandon_sweep(tape.handle(), world) == ADMPI_SUCCESS);
  tape.clear_adjoints();
  tape.seed(z);
  tape.reverse();
  CHECK(tape.adjoint(x[7]) == (right() == 0 ? 3.0 * size() : 0.0));
  CHECK(tape.adjoint(x[8]) == 0.0);
}

namespace {

/// What is left of the adjoint of a value that a sweep has passed: in checking mode an error says that nothing is.
double left_over_of(const admpi::tape &tape, const var &x, int direction = 0) {
  try {
    return tape.adjoint(x, direction);
  } catch (const admpi::argument_error &) {
    return 0.0;
  }
}

/// Of so many values one is asked, as errors take their time.
int one_of() {
  const char *checking = std::getenv("ADMPI_CHECK");
  return checking != nullptr ? 101 : 1;
}

}  // namespace

TEST_CASE("test_sweeps_of_large_messages_in_any_order") {
  // Adjoints leave from where they lie, several at a time: each is the one seeded, in every direction, and after the
  // sweep none is left but those of inputs and of what is kept.
  test::begin();
  const int n = 8000, messages = 5, step = one_of();
  const std::vector<std::vector<int>> orders = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}};
  for (const auto &order : orders) {
    for (const int width : {1, 2}) {
      CAPTURE(width);
      admpi::tape tape;
      tape.set_width(width);
      tape.start();
      std::vector<std::vector<var>> x(messages, std::vector<var>(n, 0.5)), y(messages, std::vector<var>(n));
      std::vector<AMPI_Request> q(messages), s(messages);
      for (int m = 0; m < messages; ++m) {
        tape.input(x[m]);
        AMPI_Irecv(y[m].data(), n, AMPI_ADOUBLE, left(), m % 2, world, &q[m]);
      }
      for (int m = 0; m < messages; ++m) AMPI_Isend(x[m].data(), n, AMPI_ADOUBLE, right(), m % 2, world, &s[m]);
      for (const int m : order) AMPI_Wait(&q[m], MPI_STATUS_IGNORE);
      AMPI_Waitall(messages, s.data(), MPI_STATUSES_IGNORE);
      tape.keep(y[3][7]);
      const auto seed = [&](int m, int i, int k) { return 1.0 + m + 0.001 * (i % 1000) - 0.5 * k; };
      for (int sweep = 1; sweep <= 2; ++sweep) {
        for (int m = 0; m < messages; ++m)
          for (int i = 0; i < n; ++i)
            for (int k = 0; k < width; ++k) tape.seed(y[m][i], seed(m, i, k), k);
        tape.reverse();
        int wrong = 0, left_over = 0;
        for (int m = 0; m < messages; ++m) {
          for (int i = 0; i < n; ++i) {
            for (int k = 0; k < width; ++k) {
              wrong += tape.adjoint(x[m][i], k) != sweep * seed(m, i, k);
              const double kept = m == 3 && i == 7 ? sweep * seed(m, i, k) : 0.0;
              if (kept != 0.0 || i % step == 0) left_over += left_over_of(tape, y[m][i], k) != kept;
            }
          }
        }
        CHECK(wrong == 0);
        CHECK(left_over == 0);
      }
    }
  }
}

TEST_CASE("test_sweeps_show_what_was_sent_back_as_taken") {
  // Between a large message and the start of its tape stands code of the user's, or the end of a range: there the
  // adjoints of what was received are zero, and new ones may be seeded.
  test::begin();
  const int n = 50000;
  for (const bool parts : {false, true}) {
    CAPTURE(parts);
    test::recording_tape tape;
    const auto bottom = tape.position();
    std::vector<var> x(n, 0.5), y(n);
    tape.input(x);
    AMPI_Request q[2];
    AMPI_Irecv(y.data(), n, AMPI_ADOUBLE, left(), 0, world, &q[0]);
    AMPI_Isend(x.data(), n, AMPI_ADOUBLE, right(), 0, world, &q[1]);
    int seen = -1;
    const auto look = [&] {
      seen = 0;
      for (int i = 0; i < n; i += one_of()) seen += left_over_of(tape, y[i]) != 0.0;
      for (const var &v : y) tape.seed(v, 5.0);
    };
    const double none = 0.0;
    if (!parts) tape.callback(&x[0], 1, &none, 0, nullptr, [&](const admpi::callback_adjoints &) { look(); });
    const auto between = tape.position();
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    for (const var &v : y) tape.seed(v, 3.0);
    for (const double seed : {3.0, 5.0}) {  // the second time what `look` has seeded
      const double before = tape.adjoint(x[n - 1]);
      if (parts) {
        tape.reverse(tape.position(), between);
        look();
        tape.reverse(between, bottom);
      } else {
        tape.reverse();
      }
      CHECK(seen == 0);
      CHECK(tape.adjoint(x[n - 1]) == before + seed);
      CHECK(tape.adjoint(y[n - 1]) == 5.0);
    }
  }
}

TEST_CASE("test_sweeps_given_up_while_adjoints_leave") {
  // The sweep of one rank fails while the adjoints of a large message are on their way. The tape goes on at once: the
  // other rank, which asks for them only then, gets what was sent.
  test::begin();
  if (size() < 2) return;
  const int n = 50000;
  enum next { cleared, widened, trimmed, reset, freed, out_of_memory };
  for (const next what : {cleared, widened, trimmed, reset, freed, out_of_memory}) {
    const bool anew = what == reset || what == freed || what == out_of_memory;
    CAPTURE(what);
    auto tape = std::make_unique<admpi::tape>();
    tape->start();
    std::vector<var> x(n, 0.5), y(n);
    tape->input(x);
    if (rank() == 0) {
      AMPI_Request q;
      AMPI_Irecv(y.data(), n, AMPI_ADOUBLE, 1, 0, world, &q);
      var alien = x[0];
      alien.id += 1u << 30;
      const var fails = alien * 2.0;
      AMPI_Wait(&q, MPI_STATUS_IGNORE);
      for (int i = 0; i < n; ++i) tape->seed(y[i], 1.0 + i);
      tape->seed(x[3], 7.0);
      tape->seed(fails);
      if (what == out_of_memory) tape->set_limit(1);
      CHECK_THROWS_AS(tape->reverse(), admpi::error);
      CHECK(tape->adjoint(x[3]) == 7.0);
      const auto seed_all = [&] {
        for (const var &v : y) tape->seed(v, -1.0);
        CHECK(tape->adjoint(y[n - 1]) == -1.0);
        CHECK(tape->adjoint(x[3]) == 0.0);
      };
      if (what == cleared) {
        tape->clear_adjoints();
        seed_all();
      }
      if (what == widened) {
        tape->set_width(2);
        seed_all();
      }
      if (what == trimmed) {
        tape->clear_adjoints();
        tape->trim();
      }
      if (what == reset) {
        tape->reset();
        tape->trim();
      }
      if (what == out_of_memory) {
        // What it cannot copy it keeps, whatever becomes of the values; and it says why it sweeps no more.
        CHECK_THROWS_AS(tape->reverse(), admpi::limit_error);
        tape->clear_adjoints();
        tape->trim();
      }
      if (what == freed || what == out_of_memory) tape.reset();
      MPI_Barrier(world);
      // The program is right now: on the same tape, if there is one.
      if (anew) {
        if (tape) tape->reset();
        if (!tape) tape = std::make_unique<admpi::tape>();
        tape->start();
        var a = 2.0, b;
        tape->input(a);
        AMPI_Recv(&b, 1, AMPI_ADOUBLE, 1, 1, world, MPI_STATUS_IGNORE);
        const var c = a * b;
        tape->seed(c, 3.0);
        tape->reverse();
        CHECK(tape->adjoint(a) == 12.0);
      }
      MPI_Barrier(world);
    } else if (rank() == 1) {
      AMPI_Send(x.data(), n, AMPI_ADOUBLE, 0, 0, world);
      MPI_Barrier(world);
      tape->reverse();
      int wrong = 0;
      for (int i = 0; i < n; ++i) wrong += tape->adjoint(x[i]) != 1.0 + i;
      if (what != out_of_memory) CHECK(wrong == 0);
      if (anew) {
        tape->reset();
        var b = 4.0;
        tape->input(b);
        AMPI_Send(&b, 1, AMPI_ADOUBLE, 0, 1, world);
        tape->reverse();
        CHECK(tape->adjoint(b) == 6.0);
      }
      MPI_Barrier(world);
    } else {
      MPI_Barrier(world);
      MPI_Barrier(world);
    }
  }
}

TEST_CASE("test_sweeps_nests") {
  test::begin();
  test::recording_tape tape;
  var x = 0.4 + 0.1 * rank();
  tape.input(x);
  var y = shift(x, 0);
  {
    admpi::nested nest(tape);
    var u = value(y);
    tape.input(u);
    const var v = shift(shift(u, 1), 2);
    tape.seed(v);
    tape.reverse();
    CHECK(tape.adjoint(u) != 0.0);
  }
  y = shift(y, 3);
  tape.seed(y);
  tape.reverse();
  // The same program without the nest.
  test::recording_tape other;
  var a = 0.4 + 0.1 * rank();
  other.input(a);
  const var b = shift(shift(a, 0), 3);
  other.seed(b);
  other.reverse();
  const double expected = other.adjoint(a);
  CHECK(expected != 0.0);
  admpi_tape_activate(tape.handle(), nullptr);
  CHECK(tape.adjoint(x) == expected);
  admpi_tape_activate(other.handle(), nullptr);
}

TEST_CASE("test_sweeps_recording_off_sends_values_only") {
  test::begin();
  admpi::tape tape;
  var x = 0.5 + rank(), y, sum;
  const auto events = tape.statistics().events;
  AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, right(), 0, &y, 1, AMPI_ADOUBLE, left(), 0, world, MPI_STATUS_IGNORE);
  AMPI_Allreduce(&x, &sum, 1, AMPI_ADOUBLE, MPI_SUM, world);
  CHECK(y.value == 0.5 + left());
  CHECK(y.id == 0);
  CHECK(sum.id == 0);
  CHECK(tape.statistics().events == events);
  tape.start();
  tape.input(x);
  {
    admpi::passive off;
    AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, right(), 0, &y, 1, AMPI_ADOUBLE, left(), 0, world, MPI_STATUS_IGNORE);
    CHECK(y.id == 0);
  }
  const var z = shift(x, 1);
  tape.seed(z);
  tape.reverse();
  CHECK(tape.adjoint(x) == doctest::Approx(1.0 + x.value).epsilon(1e-15));
}

TEST_CASE("test_sweeps_no_tape_at_all") {
  test::begin();
  admpi_tape *previous = nullptr;
  admpi_tape_activate(nullptr, &previous);
  var x = 0.5 + rank(), y;
  AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, right(), 0, &y, 1, AMPI_ADOUBLE, left(), 0, world, MPI_STATUS_IGNORE);
  CHECK(y.value == 0.5 + left());
  CHECK(y.id == 0);
  admpi_tape_activate(previous, nullptr);
}

TEST_CASE("test_sweeps_recording_state_is_that_of_the_start") {
  test::begin();
  test::recording_tape tape;
  var x = 0.5 + rank(), y, z;
  tape.input(x);
  AMPI_Request q[2];
  AMPI_Irecv(&y, 1, AMPI_ADOUBLE, left(), 0, world, &q[0]);
  AMPI_Isend(&x, 1, AMPI_ADOUBLE, right(), 0, world, &q[1]);
  tape.stop();
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  CHECK(y.id != 0);  // recorded although recording has stopped
  AMPI_Irecv(&z, 1, AMPI_ADOUBLE, left(), 1, world, &q[0]);
  AMPI_Isend(&x, 1, AMPI_ADOUBLE, right(), 1, world, &q[1]);
  tape.start();
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  CHECK(z.id == 0);
  CHECK(z.value == 0.5 + left());
  const var w = y * z;
  tape.seed(w);
  tape.reverse();
  CHECK(tape.adjoint(x) == doctest::Approx(x.value));
}

TEST_CASE("test_sweeps_many_isends_at_once") {
  test::begin();
  // All in one direction, so that one rank has everything to send back before the other asks.
  const int n = 20000;
  test::recording_tape tape;
  var x = 1.0;
  tape.input(x);
  const var input = x;
  if (size() >= 2 && rank() < 2) {
    // Completed in batches: Open MPI takes a minute over so many live ones, in any program.
    const int batch = 500;
    std::vector<AMPI_Request> q(batch);
    std::vector<var> y(n);
    for (int i = 0; i < n; ++i) {
      AMPI_Request *request = &q[i % batch];
      if (rank() == 0) {
        y[i] = x * static_cast<double>(i % 100);
        AMPI_Isend(&y[i], 1, AMPI_ADOUBLE, 1, i % 3, world, request);
      } else {
        AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, 0, i % 3, world, request);
      }
      if (i % batch == batch - 1) AMPI_Waitall(batch, q.data(), MPI_STATUSES_IGNORE);
    }
    if (rank() == 1)
      for (const var &v : y) tape.seed(v);
  }
  tape.reverse();
  if (size() >= 2 && rank() == 0) CHECK(tape.adjoint(input) == n / 100 * 4950.0);
}

TEST_CASE("test_sweeps_the_queue_moves_while_others_wait") {
  // More adjoints than may be outstanding go one way, while the receiver waits for a Bcast's and an
  // Allreduce's adjoints from the sender before it takes them.
  test::begin();
  if (size() < 2) return;
  const int messages = 700, n = 400;
  test::recording_tape tape;
  std::vector<var> x(n, 1.0), y(n);
  tape.input(x);
  const std::vector<var> input = x;
  std::vector<AMPI_Request> q(messages);
  if (rank() == 0)
    for (int i = 0; i < messages; ++i) AMPI_Isend(x.data(), n, AMPI_ADOUBLE, 1, 0, world, &q[i]);
  var sum, common = x[0] * 1.0;
  AMPI_Allreduce(&common, &sum, 1, AMPI_ADOUBLE, MPI_SUM, world);
  AMPI_Bcast(&common, 1, AMPI_ADOUBLE, 1, world);
  if (rank() == 1)
    for (int i = 0; i < messages; ++i) {
      AMPI_Recv(y.data(), n, AMPI_ADOUBLE, 0, 0, world, MPI_STATUS_IGNORE);
      tape.seed(y[1]);
    }
  if (rank() == 0) AMPI_Waitall(messages, q.data(), MPI_STATUSES_IGNORE);
  tape.seed(sum);
  tape.seed(common);
  tape.reverse();
  if (rank() == 0) CHECK(tape.adjoint(input[1]) == messages);
  CHECK(tape.adjoint(input[0]) == size() + (rank() == 1 ? size() : 0));
}

TEST_CASE("test_sweeps_the_queue_leaves_before_a_call_that_blocks") {
  // The adjoint of a call whose members wait for each other blocks too. The other rank comes to it only when it has all that is
  // queued here.
  test::begin();
  if (size() < 2) return;
  const int messages = 270, n = 1200, all = size();  // more than may be outstanding, and longer than Open MPI buffers
  std::vector<var> y(n), sums(all);
  const auto each = [&](const var &x) { return std::vector<var>(all, x * 1.0); };
  // The first result of a reduction is of all ranks, that of the others rank 0's.
  const struct {
    bool reduces;
    std::function<void(const var &)> call;
  } calls[] = {
      {true, [&](const var &x) { AMPI_Allreduce(each(x).data(), sums.data(), 1, AMPI_ADOUBLE, MPI_SUM, world); }},
      {false, [&](const var &x) { AMPI_Allgather(each(x).data(), 1, AMPI_ADOUBLE, sums.data(), 1, AMPI_ADOUBLE, world); }},
      {false, [&](const var &x) { AMPI_Alltoall(each(x).data(), 1, AMPI_ADOUBLE, sums.data(), 1, AMPI_ADOUBLE, world); }},
      {true,
       [&](const var &x) {
         AMPI_Reduce_scatter_block(each(x).data(), sums.data(), 1, AMPI_ADOUBLE, MPI_SUM, world);
       }},
  };
  for (const auto &[reduces, call] : calls) {
    test::recording_tape tape;
    std::vector<var> x(n, 1.0);
    tape.input(x);
    call(x[0]);
    tape.seed(sums[0]);
    if (rank() == 0) {
      std::vector<AMPI_Request> q(messages);
      for (AMPI_Request &one : q) AMPI_Isend(x.data(), n, AMPI_ADOUBLE, 1, 0, world, &one);
      AMPI_Waitall(messages, q.data(), MPI_STATUSES_IGNORE);
    } else if (rank() == 1) {
      for (int i = 0; i < messages; ++i) {
        AMPI_Recv(y.data(), n, AMPI_ADOUBLE, 0, 0, world, MPI_STATUS_IGNORE);
        tape.seed(y[1]);
      }
    }
    tape.reverse();
    if (rank() == 0) CHECK(tape.adjoint(x[1]) == messages);
    CHECK(tape.adjoint(x[0]) == (reduces || rank() == 0 ? all : 0));
  }
}

TEST_CASE("test_sweeps_two_tapes") {
  test::begin();
  test::recording_tape one;
  var x = 0.5 + rank();
  one.input(x);
  const var y = shift(x, 0);
  {
    test::recording_tape two;
    var u = 0.7 + rank();
    two.input(u);
    const var v = shift(u, 0);
    two.seed(v);
    two.reverse();
    CHECK(two.adjoint(u) == doctest::Approx(1.0 + 0.7 + rank()));
  }
  one.seed(y);
  one.reverse();
  CHECK(one.adjoint(x) == doctest::Approx(1.0 + 0.5 + rank()));
}

TEST_CASE("test_sweeps_completion_on_another_tape_is_an_error") {
  test::begin();
  test::recording_tape one;
  var x = 0.5 + rank(), y;
  one.input(x);
  AMPI_Request q;
  AMPI_Irecv(&y, 1, AMPI_ADOUBLE, left(), 0, world, &q);
  AMPI_Send(&x, 1, AMPI_ADOUBLE, right(), 0, world);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  {
    test::recording_tape two;
    CHECK(AMPI_Wait(&q, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    CHECK(std::string(admpi_last_error()).find("AMPI_Wait: ") == 0);
  }
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  CHECK(q == AMPI_REQUEST_NULL);
  CHECK(y.value == 0.5 + left());
}

TEST_CASE("test_sweeps_leave_the_users_wildcards_alone") {
  // A receive of the user that would match anything is pending during the sweep.
  test::begin();
  test::recording_tape tape;
  var x = 0.5 + rank();
  tape.input(x);
  const var y = shift(shift(x, 0), 1);
  double any = 0.0;
  AMPI_Request q;
  MPI_Request plain;
  double other = 0.0;
  AMPI_Irecv(&any, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &q);
  MPI_Irecv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &plain);
  MPI_Barrier(world);
  tape.seed(y);
  tape.reverse();
  int flag = 1;
  AMPI_Test(&q, &flag, MPI_STATUS_IGNORE);
  CHECK(flag == 0);
  MPI_Test(&plain, &flag, MPI_STATUS_IGNORE);
  CHECK(flag == 0);
  MPI_Barrier(world);
  const double mine[] = {41.0, 42.0};
  for (const double &m : mine) MPI_Send(&m, 1, MPI_DOUBLE, right(), 5, world);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  MPI_Wait(&plain, MPI_STATUS_IGNORE);
  CHECK(any == 41.0);
  CHECK(other == 42.0);
}

TEST_CASE("test_sweeps_seed_replicated") {
  test::begin();
  admpi::tape tape;
  tape.set_width(2);
  tape.start();
  var x = 2.0 + rank(), square, cost;
  tape.input(x);
  square = x * x;
  AMPI_Allreduce(&square, &cost, 1, AMPI_ADOUBLE, MPI_SUM, world);
  REQUIRE(admpi_tape_seed_replicated(tape.handle(), world, cost, 1.0, 0) == ADMPI_SUCCESS);
  REQUIRE(admpi_tape_seed_replicated(tape.handle(), world, cost, -3.0, 1) == ADMPI_SUCCESS);
  CHECK(admpi_tape_seed_replicated(tape.handle(), world, cost, 1.0, 2) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_tape_seed_replicated(nullptr, world, cost, 1.0, 0) == ADMPI_ERR_NULL);
  tape.reverse();
  CHECK(tape.adjoint(x, 0) == 2.0 * x.value);
  CHECK(tape.adjoint(x, 1) == -6.0 * x.value);
}

TEST_CASE("test_sweeps_gradient_over_ranks") {
  test::begin();
  // J = (sum over all x of x^2)^2 / 2: dJ/dx = 2 x S.
  const auto sum_of_squares = [](const std::vector<var> &x) {
    var own = 0.0, all;
    for (const var &value : x) own += value * value;
    AMPI_Allreduce(&own, &all, 1, AMPI_ADOUBLE, MPI_SUM, world);
    return all;
  };
  const auto objective = [&](const std::vector<var> &x) {
    const var s = sum_of_squares(x);
    return var(s * s / 2.0);
  };
  const std::vector<double> x = {1.0 + rank(), 0.5};
  double square = 0.0;
  for (int r = 0; r < size(); ++r) square += (1.0 + r) * (1.0 + r) + 0.25;

  const auto check = [&] {
    double value = 0.0;
    CHECK(admpi::gradient(objective, x, world, admpi::inputs::distributed, &value) ==
          std::vector<double>{2.0 * x[0] * square, 2.0 * x[1] * square});
    CHECK(value == square * square / 2.0);

    // Every rank has the same parameters and uses them on data of its own: the sum over ranks of (rank + 1) p0^2 p1 / 2.
    const auto of_parameters = [](const std::vector<var> &p) {
      const var part = (rank() + 1.0) * p[0] * p[0] * p[1] / 2.0;
      var all;
      AMPI_Allreduce(&part, &all, 1, AMPI_ADOUBLE, MPI_SUM, world);
      return all;
    };
    const double weights = size() * (size() + 1.0) / 2.0;
    CHECK(admpi::gradient(of_parameters, {4.0, 8.0}, world, admpi::inputs::replicated, &value) ==
          std::vector<double>{32.0 * weights, 8.0 * weights});
    CHECK(value == 64.0 * weights);

    // Parts: the objective is the sum of what the ranks return, and a value of a neighbour's counts here.
    const auto part = [](const std::vector<var> &own) {
      var other;
      AMPI_Sendrecv(&own[0], 1, AMPI_ADOUBLE, right(), 0, &other, 1, AMPI_ADOUBLE, left(), 0, world, AMPI_STATUS_IGNORE);
      return var(own[1] * other);
    };
    CHECK(admpi::gradient(part, {1.0 + rank(), 2.0 + rank()}) == std::vector<double>{2.0 + right(), 1.0 + left()});

    // Ranks without inputs of their own take part.
    CHECK(admpi::gradient(objective, rank() == 0 ? x : std::vector<double>{}, world, admpi::inputs::distributed).size() ==
          (rank() == 0 ? 2 : 0));
  };
  check();
  admpi::tape tape;  // and as a nest
  tape.start();
  check();
}

TEST_CASE("test_sweeps_statistics_of_the_wire") {
  test::begin();
  admpi_mpi_statistics_t before, after;
  test::recording_tape tape;
  std::vector<var> x(100, 1.0), y(100);
  tape.input(x);
  REQUIRE(admpi_mpi_statistics(&before) == ADMPI_SUCCESS);
  AMPI_Sendrecv(x.data(), 100, AMPI_ADOUBLE, right(), 0, y.data(), 100, AMPI_ADOUBLE, left(), 0, world,
                MPI_STATUS_IGNORE);
  tape.reverse();
  REQUIRE(admpi_mpi_statistics(&after) == ADMPI_SUCCESS);
  CHECK(after.forward_messages - before.forward_messages == 1);
  CHECK(after.forward_bytes - before.forward_bytes == 800);
  CHECK(after.adjoint_messages - before.adjoint_messages == 1);
  CHECK(after.adjoint_bytes - before.adjoint_bytes == 800);
  CHECK(admpi_mpi_statistics(nullptr) == ADMPI_ERR_NULL);
}

TEST_CASE("test_sweeps_bytes_of_a_large_message") {
  test::begin();
  const int n = 100000;
  test::recording_tape tape;
  std::vector<var> x(n, 1.0), y(n);
  tape.input(x);
  const auto before = tape.statistics().used_bytes;
  AMPI_Sendrecv(x.data(), n, AMPI_ADOUBLE, right(), 0, y.data(), n, AMPI_ADOUBLE, left(), 0, world,
                MPI_STATUS_IGNORE);
  CHECK(tape.statistics().used_bytes - before <= 8u * n + 256u);
}

TEST_CASE("test_sweeps_stale_values_are_refused") {
  test::begin();
  test::recording_tape tape;
  std::vector<var> x(10, 1.0), y(10);
  tape.input(x);
  tape.reset();
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  // Without checking, an id beyond the tape is caught at the call rather than in the sweep, and nothing leaves.
  CHECK(AMPI_Send(x.data(), 10, AMPI_ADOUBLE, rank(), 3, world) != MPI_SUCCESS);
  CHECK(std::string(admpi_last_error()).find("AMPI_Send: ") == 0);
  CHECK(AMPI_Allreduce(x.data(), y.data(), 10, AMPI_ADOUBLE, MPI_SUM, world) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  int flag = 1;
  MPI_Iprobe(rank(), 3, world, &flag, MPI_STATUS_IGNORE);
  CHECK(flag == 0);
}

TEST_CASE("test_sweeps_rank_independence") {
  // A nonlinear diffusion of 60 points, blocks with halos, a norm at the end: the gradient of the whole
  // domain, computed by each rank alone, is the gradient computed together.
  test::begin();
  const int global = 60, steps = 8;
  const auto gradient = [&](MPI_Comm comm) {
    const int me = rank_of(comm), count = size_of(comm);
    const int from = global * me / count, to = global * (me + 1) / count, n = to - from;
    test::recording_tape tape;
    std::vector<var> u(n + 2), next(n + 2);
    for (int i = 0; i < n; ++i) u[i + 1] = std::sin(0.3 * (from + i)) + 0.01 * (from + i);
    tape.input(u.data() + 1, n);
    const std::vector<var> input(u.begin() + 1, u.end() - 1);
    var k = 0.2;
    if (me == 0) tape.input(k);
    const var parameter = k;
    AMPI_Bcast(&k, 1, AMPI_ADOUBLE, 0, comm);
    const int below = me > 0 ? me - 1 : MPI_PROC_NULL, above = me + 1 < count ? me + 1 : MPI_PROC_NULL;
    for (int step = 0; step < steps; ++step) {
      u[0] = u[1];
      u[n + 1] = u[n];
      AMPI_Request q[4];
      AMPI_Irecv(&u[0], 1, AMPI_ADOUBLE, below, 1, comm, &q[0]);
      AMPI_Irecv(&u[n + 1], 1, AMPI_ADOUBLE, above, 2, comm, &q[1]);
      AMPI_Isend(&u[1], 1, AMPI_ADOUBLE, below, 2, comm, &q[2]);
      AMPI_Isend(&u[n], 1, AMPI_ADOUBLE, above, 1, comm, &q[3]);
      AMPI_Waitall(4, q, MPI_STATUSES_IGNORE);
      for (int i = 1; i <= n; ++i) next[i] = u[i] + k * exp(u[i] * -0.1) * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
      std::swap(u, next);
    }
    var cost = 0.0, total, largest = u[1];
    for (int i = 1; i <= n; ++i) {
      cost += u[i] * u[i];
      largest = admpi::fmax(largest, u[i]);
    }
    AMPI_Allreduce(&cost, &total, 1, AMPI_ADOUBLE, MPI_SUM, comm);
    AMPI_Allreduce(MPI_IN_PLACE, &largest, 1, AMPI_ADOUBLE, MPI_MAX, comm);
    const var objective = total + largest * 0.5;
    admpi_tape_seed_replicated(tape.handle(), comm, objective, 1.0, 0);
    tape.reverse();
    std::vector<double> own(global + 1, 0.0), all(global + 1, 0.0);
    for (int i = 0; i < n; ++i) own[from + i] = tape.adjoint(input[i]);
    if (me == 0) own[global] = tape.adjoint(parameter);
    MPI_Allreduce(own.data(), all.data(), global + 1, MPI_DOUBLE, MPI_SUM, comm);
    return all;
  };
  const std::vector<double> alone = gradient(MPI_COMM_SELF), together = gradient(world);
  double norm = 0.0, difference = 0.0;
  for (int i = 0; i <= global; ++i) {
    norm = std::max(norm, std::abs(alone[i]));
    difference = std::max(difference, std::abs(alone[i] - together[i]));
  }
  CHECK(norm > 0.1);
  CHECK(difference <= 1e-12 * norm);
}
