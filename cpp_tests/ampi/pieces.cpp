// Long adjoints travel in pieces: whatever the length, the directions, the ids and the order, and what goes wrong in the
// middle.
#include "harness/identity.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

using admpi::var;
using test::left;
using test::rank;
using test::right;
using test::size;
using test::world;

namespace {

/// Doubles of a piece, as in src/ampi/queues.rs.
const int piece = 1 << 16;

/// What is seeded at value `i` in direction `k`: sums of them are exact.
double seed_of(int i, int k) { return 1.0 + i % 1021 - 3.0 * k; }

void seed_all(admpi::tape &tape, const std::vector<var> &y, int width = 1) {
  for (std::size_t i = 0; i < y.size(); ++i)
    for (int k = 0; k < width; ++k) tape.seed(y[i], seed_of(static_cast<int>(i), k), k);
}

/// How many adjoints of `x` are not `times` those seeded.
int count_wrong(const admpi::tape &tape, const std::vector<var> &x, double times, int width = 1) {
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int k = 0; k < width; ++k) wrong += tape.adjoint(x[i], k) != times * seed_of(static_cast<int>(i), k);
  return wrong;
}

/// Around the ring.
void shift(const std::vector<var> &x, std::vector<var> &y, int tag = 0) {
  AMPI_Request q[2];
  AMPI_Irecv(y.data(), static_cast<int>(y.size()), AMPI_ADOUBLE, left(), tag, world, &q[0]);
  AMPI_Isend(x.data(), static_cast<int>(x.size()), AMPI_ADOUBLE, right(), tag, world, &q[1]);
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
}

/// Records a call of `inside` in every sweep that passes.
void call_in_sweeps(admpi::tape &tape, std::function<void()> inside = [] {}) {
  const var in = 1.0;
  const double value = 1.0;
  var out;
  tape.callback(&in, 1, &value, 1, &out, [inside](const admpi::callback_adjoints &) { inside(); });
}

}  // namespace

TEST_CASE("test_pieces_of_every_length") {
  // From where they lie, or taken first, since code of the user's runs below; of a range of ids, or of ids in any order, some
  // of them twice and some of nothing.
  test::begin();
  for (const int width : {1, 2, 16}) {
    for (const int doubles : {piece - width, piece, piece + width, 2 * piece, 3 * piece - 5 * width}) {
      for (const bool taken : {false, true}) {
        for (const bool shuffled : {false, true}) {
          if (width > 1 && taken != shuffled) continue;
          CAPTURE(width);
          CAPTURE(doubles);
          CAPTURE(taken);
          CAPTURE(shuffled);
          const int n = doubles / width;
          admpi::tape tape;
          tape.set_width(width);
          tape.start();
          if (taken) call_in_sweeps(tape);
          std::vector<var> x(n, 0.5), y(n);
          tape.input(x);
          std::vector<int> order(n);
          std::iota(order.begin(), order.end(), 0);
          std::vector<var> sent = x;
          if (shuffled) {
            std::shuffle(order.begin(), order.end(), std::mt19937(7));
            order[n / 2] = order[n / 3];
            for (int i = 0; i < n; ++i) sent[i] = x[order[i]];
            sent[n - 1] = 0.25;
          }
          std::vector<double> expected(static_cast<std::size_t>(n) * width, 0.0);
          for (int i = 0; i < n; ++i)
            for (int k = 0; k < width; ++k)
              if (sent[i].id != 0) expected[order[i] * width + k] += seed_of(i, k);
          shift(sent, y);
          for (int sweep = 1; sweep <= 2; ++sweep) {
            seed_all(tape, y, width);
            tape.reverse();
            int wrong = 0, left_over = 0;
            for (int i = 0; i < n; ++i) {
              for (int k = 0; k < width; ++k) {
                wrong += tape.adjoint(x[i], k) != sweep * expected[i * width + k];
                left_over += tape.adjoint(y[i], k) != 0.0;
              }
            }
            CHECK(wrong == 0);
            CHECK(left_over == 0);
          }
        }
      }
    }
  }
}

TEST_CASE("test_pieces_of_neighbours") {
  // Behind their stamp, which is one value more.
  test::begin();
  const int ranks = size(), periodic = 1;
  MPI_Comm ring;
  AMPI_Cart_create(world, 1, &ranks, &periodic, 0, &ring);
  for (const int width : {1, 2}) {
    for (const int doubles : {piece - 2 * width, piece - width, piece, 2 * piece - width}) {
      CAPTURE(width);
      CAPTURE(doubles);
      const int n = doubles / width;
      const auto both = 2 * static_cast<std::size_t>(n);
      admpi::tape tape;
      tape.set_width(width);
      tape.start();
      std::vector<var> x(both, 1.0), y(both), z(both), joined(static_cast<std::size_t>(n));
      tape.input(x);
      AMPI_Neighbor_alltoall(x.data(), n, AMPI_ADOUBLE, y.data(), n, AMPI_ADOUBLE, ring);
      for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = y[i] + y[i + joined.size()];
      AMPI_Neighbor_allgather(joined.data(), n, AMPI_ADOUBLE, z.data(), n, AMPI_ADOUBLE, ring);
      tape.stop();
      // The parts of a rank's two neighbours are seeded alike.
      const std::vector<var> first(z.begin(), z.begin() + n), second(z.begin() + n, z.end());
      seed_all(tape, first, width);
      seed_all(tape, second, width);
      tape.reverse();
      const std::vector<var> to_left(x.begin(), x.begin() + n), to_right(x.begin() + n, x.end());
      CHECK(count_wrong(tape, to_left, 2.0, width) == 0);
      CHECK(count_wrong(tape, to_right, 2.0, width) == 0);
    }
  }
  AMPI_Comm_free(&ring);
}

TEST_CASE("test_pieces_in_nests_stop_at_their_floor") {
  // What is sent is older than the nest in part, up to the middle of a piece: that adjoint is not an isolated nest's.
  test::begin();
  const int outside = piece + 100, n = 2 * piece + 300;
  test::recording_tape tape;
  std::vector<var> x(n), y(n);
  std::vector<var> older(x.begin(), x.begin() + outside);
  tape.input(older);
  for (const bool isolated : {true, false}) {
    admpi::nested nest(tape, isolated ? ADMPI_NEST_ISOLATED : 0);
    std::vector<var> newer(n - outside, 0.5);
    tape.input(newer);
    std::copy(older.begin(), older.end(), x.begin());
    std::copy(newer.begin(), newer.end(), x.begin() + outside);
    REQUIRE(newer[0].id == older.back().id + 1);
    shift(x, y);
    seed_all(tape, y);
    tape.reverse();
    int wrong = 0;
    for (int i = 0; i < n; ++i) wrong += tape.adjoint(x[i]) != (isolated && i < outside ? 0.0 : seed_of(i, 0));
    CHECK(wrong == 0);
  }
}

TEST_CASE("test_pieces_completed_in_any_order") {
  // One channel: those posted later leave first, each with all its pieces.
  test::begin();
  const std::vector<int> lengths = {2 * piece + 3, 10, piece, 3 * piece - 1};
  for (const std::vector<int> &order : {std::vector<int>{3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}}) {
    for (const bool taken : {false, true}) {
      CAPTURE(taken);
      test::recording_tape tape;
      if (taken) call_in_sweeps(tape);
      std::vector<std::vector<var>> x, y;
      std::vector<AMPI_Request> q(4), s(4);
      for (const int n : lengths) {
        x.emplace_back(n, 0.5);
        y.emplace_back(n);
      }
      for (int m = 0; m < 4; ++m) {
        tape.input(x[m]);
        AMPI_Irecv(y[m].data(), lengths[m], AMPI_ADOUBLE, left(), 0, world, &q[m]);
      }
      for (int m = 0; m < 4; ++m) AMPI_Isend(x[m].data(), lengths[m], AMPI_ADOUBLE, right(), 0, world, &s[m]);
      for (const int m : order) AMPI_Wait(&q[m], MPI_STATUS_IGNORE);
      AMPI_Waitall(4, s.data(), MPI_STATUSES_IGNORE);
      for (int sweep = 1; sweep <= 2; ++sweep) {
        for (int m = 0; m < 4; ++m) seed_all(tape, y[m]);
        tape.reverse();
        for (int m = 0; m < 4; ++m) CHECK(count_wrong(tape, x[m], sweep) == 0);
      }
    }
  }
}

TEST_CASE("test_pieces_wait_in_the_queue") {
  // More messages than may be under way to one rank, and behind them a long one, which is asked for first.
  test::begin();
  const int messages = 300;
  const auto length = [](int m) { return m == 0 ? 2 * piece + 5 : 9000; };
  const auto tag = [](int m) { return m == 0 ? 3 : m % 3; };
  test::recording_tape tape;
  std::vector<std::vector<var>> x, y;
  std::vector<AMPI_Request> q(messages), s(messages);
  for (int m = 0; m < messages; ++m) {
    x.emplace_back(length(m), 0.5);
    y.emplace_back(length(m));
    tape.input(x[m]);
    AMPI_Irecv(y[m].data(), length(m), AMPI_ADOUBLE, left(), tag(m), world, &q[m]);
  }
  for (int m = 1; m <= messages; ++m) {
    const int next = m % messages;
    AMPI_Isend(x[next].data(), length(next), AMPI_ADOUBLE, right(), tag(next), world, &s[next]);
  }
  for (int m = 0; m < messages; ++m) AMPI_Wait(&q[m], MPI_STATUS_IGNORE);
  AMPI_Waitall(messages, s.data(), MPI_STATUSES_IGNORE);
  for (int m = 0; m < messages; ++m) seed_all(tape, y[m]);
  tape.reverse();
  int wrong = 0;
  for (int m = 0; m < messages; ++m) wrong += count_wrong(tape, x[m], 1.0);
  CHECK(wrong == 0);
}

TEST_CASE("test_pieces_around_callbacks_that_sweep") {
  // Long messages of the sweep outside are under way, or held back, while a callback sweeps a nest, or another tape, with long
  // ones of its own on the same channel.
  test::begin();
  const int n = 2 * piece;
  for (const bool nested : {true, false}) {
    CAPTURE(nested);
    test::recording_tape tape;
    std::vector<var> x(n, 0.5), y(n), u(n + 1, 0.5), v(n + 1);
    tape.input(x);
    tape.input(u);
    AMPI_Request q[2], s[2];
    AMPI_Irecv(y.data(), n, AMPI_ADOUBLE, left(), 0, world, &q[0]);
    AMPI_Irecv(v.data(), n + 1, AMPI_ADOUBLE, left(), 0, world, &q[1]);
    AMPI_Isend(x.data(), n, AMPI_ADOUBLE, right(), 0, world, &s[0]);
    AMPI_Isend(u.data(), n + 1, AMPI_ADOUBLE, right(), 0, world, &s[1]);
    AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
    int calls = 0;
    call_in_sweeps(tape, [&] {
      std::unique_ptr<admpi::nested> nest;
      std::unique_ptr<admpi::tape> other;
      if (nested) nest = std::make_unique<admpi::nested>(tape);
      if (!nested) other = std::make_unique<admpi::tape>();
      if (!nested) other->start();
      admpi::tape &inner = nested ? tape : *other;
      std::vector<var> a(n, 0.5), b(n);
      inner.input(a);
      shift(a, b);
      for (const var &w : b) inner.seed(w, 7.0);
      inner.reverse();
      int wrong = 0;
      for (const var &w : a) wrong += inner.adjoint(w) != 7.0;
      CHECK(wrong == 0);
      ++calls;
    });
    AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
    AMPI_Waitall(2, s, MPI_STATUSES_IGNORE);
    for (int sweep = 1; sweep <= 2; ++sweep) {
      seed_all(tape, y);
      seed_all(tape, v);
      tape.reverse();
      CHECK(calls == sweep);
      CHECK(count_wrong(tape, x, sweep) == 0);
      CHECK(count_wrong(tape, u, sweep) == 0);
    }
  }
}

TEST_CASE("test_pieces_in_parts_of_a_sweep") {
  // The sweep stops while long adjoints are under way, and goes on.
  test::begin();
  for (const int n : {2 * piece, 2 * piece + 1}) {
    test::recording_tape tape;
    std::vector<var> x(n, 0.5), y(n);
    tape.input(x);
    const auto bottom = tape.position();
    AMPI_Request q[2];
    AMPI_Irecv(y.data(), n, AMPI_ADOUBLE, left(), 0, world, &q[0]);
    AMPI_Isend(x.data(), n, AMPI_ADOUBLE, right(), 0, world, &q[1]);
    const auto middle = tape.position();
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    for (int sweep = 1; sweep <= 2; ++sweep) {
      seed_all(tape, y);
      tape.reverse(tape.position(), middle);
      tape.reverse(middle, bottom);
      CHECK(count_wrong(tape, x, sweep) == 0);
    }
  }
}

TEST_CASE("test_pieces_given_up_by_one") {
  // One rank fails with all pieces on their way: the other, which asks for them only then, gets what was sent.
  test::begin();
  if (size() < 2) return;
  const int n = 3 * piece + 17;
  for (const bool freed : {false, true}) {
    CAPTURE(freed);
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
      seed_all(*tape, y);
      tape->seed(fails);
      CHECK_THROWS_AS(tape->reverse(), admpi::error);
      if (freed) {
        tape.reset();
      } else {
        tape->clear_adjoints();
        for (const var &v : y) tape->seed(v, -1.0);
      }
      MPI_Barrier(world);
    } else if (rank() == 1) {
      AMPI_Send(x.data(), n, AMPI_ADOUBLE, 0, 0, world);
      MPI_Barrier(world);
      tape->reverse();
      CHECK(count_wrong(*tape, x, 1.0) == 0);
    } else {
      MPI_Barrier(world);
    }
    MPI_Barrier(world);
  }
}

TEST_CASE("test_pieces_given_up_by_all") {
  // On every rank the sweep fails with all pieces on their way, also some of nothing, and is given up: no rank takes those for
  // the end of what comes, and what is swept next on the same channel gets its own adjoints.
  test::begin();
  const int messages = 6;
  for (const int n : {piece, 2 * piece + 1}) {
    CAPTURE(n);
    test::recording_tape tape;
    std::vector<var> x(n, 0.5);
    tape.input(x);
    std::vector<std::vector<var>> y(messages, std::vector<var>(n));
    std::vector<AMPI_Request> q(2 * messages);
    for (int m = 0; m < messages; ++m) {
      AMPI_Irecv(y[m].data(), n, AMPI_ADOUBLE, left(), 0, world, &q[m]);
      AMPI_Isend(x.data(), n, AMPI_ADOUBLE, right(), 0, world, &q[messages + m]);
    }
    var alien = x[0];
    alien.id += 1u << 30;
    const var fails = alien * 2.0;
    AMPI_Waitall(2 * messages, q.data(), MPI_STATUSES_IGNORE);
    for (const auto &received : y)
      for (const var &v : received) tape.seed(v, -1.0);
    tape.seed(fails);
    CHECK_THROWS_AS(tape.reverse(), admpi::error);
    REQUIRE(admpi_tape_abandon_sweep(tape.handle(), world) == ADMPI_SUCCESS);
    tape.reset();
    tape.start();
    std::vector<var> u(n, 0.5), v(n);
    tape.input(u);
    shift(u, v);
    seed_all(tape, v);
    tape.reverse();
    CHECK(count_wrong(tape, u, 1.0) == 0);
  }
}

TEST_CASE("test_pieces_given_up_where_ends_do_not_match") {
  // One end records one message, the other end another: the sweep that is given more, or fewer, says so and waits for no more,
  // also where the one ends where a piece of the other does.
  test::begin();
  if (size() < 2) return;
  const std::vector<std::pair<int, int>> lengths = {{piece, 2 * piece},     {2 * piece, piece},  {piece - 1, piece},
                                                    {piece, piece + 1},     {piece + 1, piece},  {10, 2 * piece + 1},
                                                    {piece + 1, piece + 2}, {3 * piece, 2 * piece + 5}, {7, 3}};
  for (const auto &[returned, wanted] : lengths) {
    CAPTURE(returned);
    CAPTURE(wanted);
    test::recording_tape tape;
    std::vector<var> input(1, 0.5), first(returned, 0.5), second(wanted, 0.5);
    tape.input(input);
    const auto recording = [&](bool on) { on ? tape.start() : tape.stop(); };
    std::string text;
    if (rank() == 0) {
      tape.input(second);
      recording(false);
      AMPI_Send(first.data(), returned, AMPI_ADOUBLE, 1, 5, world);
      recording(true);
      AMPI_Send(second.data(), wanted, AMPI_ADOUBLE, 1, 5, world);
      try {
        tape.reverse();
      } catch (const admpi::error &error) {
        text = error.what();
      }
      CAPTURE(text);
      CHECK(text.find("adjoints for " + std::to_string(wanted) + " values") != std::string::npos);
      if (returned < wanted)
        CHECK(text.find("rank 1 returned " + std::to_string(returned) + " adjoints") != std::string::npos);
      else
        CHECK(text.find(wanted < piece ? "rank 1 returned more than 3 " : "rank 1 returned at least ") != std::string::npos);
    } else if (rank() == 1) {
      const auto below = tape.position();
      AMPI_Recv(first.data(), returned, AMPI_ADOUBLE, 0, 5, world, MPI_STATUS_IGNORE);
      recording(false);
      AMPI_Recv(second.data(), wanted, AMPI_ADOUBLE, 0, 5, world, MPI_STATUS_IGNORE);
      for (const var &v : first) tape.seed(v);
      // Not to the bottom, where it would wait until all has left.
      tape.reverse(tape.position(), below);
    }
    REQUIRE(admpi_tape_abandon_sweep(tape.handle(), world) == ADMPI_SUCCESS);
  }
}

TEST_CASE("test_pieces_over_the_edges_of_collectives") {
  test::begin();
  const int set = admpi_set_polling(1);
  REQUIRE(set == ADMPI_SUCCESS);
  for (const int width : {1, 2}) {
    for (const int n : {piece, piece / 2 + 3}) {
      CAPTURE(width);
      CAPTURE(n);
      admpi::tape tape;
      tape.set_width(width);
      tape.start();
      std::vector<var> x(n, 1.0 + rank()), sum(n), product(n), shared = x;
      tape.input(x);
      AMPI_Scan(x.data(), product.data(), n, AMPI_ADOUBLE, MPI_PROD, world);
      AMPI_Scan(x.data(), sum.data(), n, AMPI_ADOUBLE, MPI_SUM, world);
      seed_all(tape, sum, width);
      for (int i = 0; i < n; ++i) tape.seed(product[i], 1.0 + i % 7);
      tape.reverse();
      // Of the sums those of this rank and of all above; of the products that of the others up to each.
      double others = 0.0;
      for (int above = rank(); above < size(); ++above) {
        double factor = 1.0;
        for (int r = 0; r <= above; ++r) factor *= r == rank() ? 1.0 : 1.0 + r;
        others += factor;
      }
      int wrong = 0;
      for (int i = 0; i < n; ++i) {
        for (int k = 0; k < width; ++k) {
          const double expected = (size() - rank()) * seed_of(i, k) + (k == 0 ? others * (1.0 + i % 7) : 0.0);
          wrong += tape.adjoint(x[i], k) != expected;
        }
      }
      CHECK(wrong == 0);
    }
  }
  REQUIRE(admpi_set_polling(0) == ADMPI_SUCCESS);
}
