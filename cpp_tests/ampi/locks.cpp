// Windows of active data under locks.
#include "harness/window.hpp"

#include <algorithm>

using test::check_identity;
using test::combination;
using test::combine;
using test::made;
using test::place;
using test::refused;
using test::ring;
using test::says;
using test::size_of;
using test::window;

namespace {

constexpr made all_kinds[] = {made::create, made::allocate, made::dynamic};

/// The values of a window.
template <class Window>
auto contents(Window &on, int n) {
  return std::vector<typename Window::real>(on.memory(), on.memory() + n);
}

/// A message without data: what has happened before it at the sender has happened for the receiver.
void tell(int rank) { AMPI_Send(nullptr, 0, MPI_INT, rank, 7, MPI_COMM_WORLD); }
void hear(int rank) { AMPI_Recv(nullptr, 0, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

/// A tape that records, with one input that has the value `2 + rank`.
struct recording {
  recording() {
    test::begin();
    tape.start();
    x = 2.0 + at.rank;
    tape.input(x);
  }
  /// Seeds `y` on one rank, sweeps, and returns the adjoint of the input.
  double gradient(const admpi::var &y, int rank) {
    tape.stop();
    if (at.rank == rank) tape.seed(y, 1.0);
    tape.reverse();
    const double adjoint = tape.adjoint(x);
    tape.clear_adjoints();
    return adjoint;
  }

  ring at;
  admpi::tape tape;
  admpi::var x;
};

}  // namespace

TEST_CASE("test_locks_put_to_the_right") {
  for (const made kind : all_kinds) {
    for (const int n : {1, 5, 3000}) {
      CAPTURE(n);
      check_identity(static_cast<std::size_t>(n), 1, [&](auto mpi, auto &x) {
        ring at;
        window<decltype(mpi)> on(n + 1, kind);
        std::fill_n(on.memory(), n + 1, x[0]);
        on.barrier();
        on.lock_all();
        on.put(x.data(), {at.right, 1, n});
        on.flush(at.right);
        on.barrier();
        on.unlock_all();
        auto y = contents(on, n + 1);
        y.insert(y.end(), x.begin(), x.end());
        return combine(y, y);
      });
    }
  }
}

TEST_CASE("test_locks_get_from_the_right") {
  for (const made kind : all_kinds) {
    for (const int n : {1, 5, 3000}) {
      CAPTURE(n);
      check_identity(static_cast<std::size_t>(n), 2, [&](auto mpi, auto &x) {
        ring at;
        window<decltype(mpi)> on(n, kind);
        std::copy(x.begin(), x.end(), on.memory());
        auto y = x;
        on.barrier();
        on.lock(at.right);
        on.get(y.data(), {at.right, 0, n});
        on.unlock(at.right);
        on.barrier();
        return combine(x, y);
      });
    }
  }
}

TEST_CASE("test_locks_halo") {
  // Steps of a field with two neighbours; every second element goes to one of them.
  for (const made kind : all_kinds) {
    check_identity(8, 3, [&](auto mpi, auto &x) {
      ring at;
      window<decltype(mpi)> on(16, kind);
      for (int i = 0; i < 16; ++i) on.memory()[i] = x[static_cast<std::size_t>(i) % 8] * x[1];
      on.barrier();
      on.lock_all();
      auto y = x;
      for (int step = 0; step < 4; ++step) {
        on.put(x.data(), {at.right, 0, 4, 2});
        on.put(x.data() + 4, {at.left, 8, 4});
        on.flush_all();
        on.barrier();
        on.get(y.data(), {at.left, 8, 2});
        on.get(y.data() + 2, {at.right, 1, 3, 2});
        on.flush_all();
        on.barrier();
        x = combine(contents(on, 8), combine(x, y));
        for (int i = 8; i < 16; ++i) on.memory()[i] = sin(on.memory()[i]) + x[static_cast<std::size_t>(i) % 8];
        on.barrier();
      }
      on.unlock_all();
      x.insert(x.end(), on.memory(), on.memory() + 16);
      return x;
    });
  }
}

TEST_CASE("test_locks_accumulate") {
  // The order in which ranks come must not matter: sums, products and extrema of all, one after the other.
  for (const combination how : {combination::sum, combination::product, combination::min, combination::max}) {
    for (const int n : {1, 40}) {
      CAPTURE(static_cast<int>(how));
      CAPTURE(n);
      check_identity(static_cast<std::size_t>(n), 4, [&](auto mpi, auto &x) {
        window<decltype(mpi)> on(2 * n, made::create);
        std::fill_n(on.memory(), 2 * n, x[0] * x[0]);
        on.barrier();
        on.lock_all();
        on.accumulate(x.data(), {0, n, n}, how);
        on.flush_all();
        on.barrier();
        on.accumulate(x.data(), {0, 0, n, 2}, how);
        on.unlock_all();
        on.barrier();
        return contents(on, 2 * n);
      });
    }
  }
}

TEST_CASE("test_locks_fetch") {
  for (const combination how : {combination::nothing, combination::sum, combination::product, combination::min,
                                combination::max, combination::replace}) {
    CAPTURE(static_cast<int>(how));
    check_identity(6, 5, [&](auto mpi, auto &x) {
      ring at;
      window<decltype(mpi)> on(6, made::create);
      std::copy(x.begin(), x.end(), on.memory());
      auto y = x;
      on.barrier();
      on.lock_all();
      on.get_accumulate(x.data(), y.data(), {at.right, 0, 5}, how);
      on.fetch_and_op(x.data() + 5, y.data() + 5, {at.left, 5, 1}, how);
      on.unlock_all();
      on.barrier();
      y.insert(y.end(), on.memory(), on.memory() + 6);
      return y;
    });
  }
}

TEST_CASE("test_locks_get_compute_accumulate") {
  // As with global arrays: read, compute, add, again and again, between barriers.
  check_identity(6, 6, [](auto mpi, auto &x) {
    ring at;
    window<decltype(mpi)> on(6, made::allocate);
    std::copy(x.begin(), x.end(), on.memory());
    auto y = x;
    on.barrier();
    on.lock_all();
    for (int step = 0; step < 3; ++step) {
      on.get(y.data(), {at.right, 0, 6});
      on.flush(at.right);
      on.barrier();
      y = combine(y, x);
      for (int rank = 0; rank < at.size; ++rank) on.accumulate(y.data() + 1, {rank, 1, 3}, combination::sum);
      on.flush_all();
      on.barrier();
    }
    on.unlock_all();
    y.insert(y.end(), on.memory(), on.memory() + 6);
    return y;
  });
}

TEST_CASE("test_locks_tickets") {
  // Each rank appends to a chain: the ticket it draws tells its place. The last one's derivative by all is known.
  recording all;
  const ring &at = all.at;
  window<test::active> on(1, made::create);
  int *counter;
  MPI_Win tickets;
  AMPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &tickets);
  counter[0] = counter[1] = 0;
  on.memory()[0] = 1.0;
  AMPI_Barrier(MPI_COMM_WORLD);
  const int rounds = 3;
  AMPI_Win_lock_all(0, tickets);
  on.lock_all();
  std::vector<int> drawn;
  for (int round = 0; round < rounds; ++round) {
    // An exclusive lock of the program's own, by a compare and swap.
    const int one = 1, zero = 0;
    for (int held = 1; held != 0;) {
      AMPI_Compare_and_swap(&one, &zero, &held, MPI_INT, 0, 1, tickets);
      AMPI_Win_flush(0, tickets);
      // Moves the messages of others, which operations on a rank's own part do not.
      int flag;
      AMPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    int ticket;
    AMPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, tickets);
    AMPI_Win_flush(0, tickets);
    drawn.push_back(ticket);
    admpi::var old;
    on.get(&old, {0, 0, 1});
    on.flush(0);
    const admpi::var now = old * all.x;
    on.put(&now, {0, 0, 1});
    on.flush(0);
    int held;
    AMPI_Compare_and_swap(&zero, &one, &held, MPI_INT, 0, 1, tickets);
    AMPI_Win_flush(0, tickets);
  }
  on.unlock_all();
  AMPI_Win_unlock_all(tickets);
  AMPI_Barrier(MPI_COMM_WORLD);
  admpi::var y = on.memory()[0];
  AMPI_Win_free(&tickets);
  double product = 1.0;
  for (int rank = 0; rank < at.size; ++rank)
    for (int round = 0; round < rounds; ++round) product *= 2.0 + rank;
  if (at.rank == 0) CHECK(std::abs(y.value - product) <= 1e-12 * product);
  const double expected = rounds * product / (2.0 + at.rank);
  CHECK(std::abs(all.gradient(y, 0) - expected) <= 1e-12 * expected);
}

TEST_CASE("test_locks_updates_of_all_ranks_at_once") {
  // What each rank fetches is what stood there before it: the sum of all differences is the whole.
  recording all;
  const ring &at = all.at;
  window<test::active> on(1, made::create);
  on.memory()[0] = 0.0;
  AMPI_Barrier(MPI_COMM_WORLD);
  const int rounds = 5;
  admpi::var fetched = 0.0;
  on.lock_all();
  for (int round = 0; round < rounds; ++round) {
    admpi::var old;
    const admpi::var x = all.x * (round + 1.0);
    on.fetch_and_op(&x, &old, {0, 0, 1}, combination::sum);
    on.flush(0);
    fetched = fetched + 0.0 * old;
  }
  on.unlock_all();
  AMPI_Barrier(MPI_COMM_WORLD);
  const admpi::var y = on.memory()[0];
  double sum = 0.0;
  for (int rank = 0; rank < at.size; ++rank) sum += 15.0 * (2.0 + rank);
  if (at.rank == 0) CHECK(y.value == sum);
  CHECK(all.gradient(y, 0) == 15.0);
}

TEST_CASE("test_locks_put_is_told_by_a_message") {
  recording all;
  const ring &at = all.at;
  if (at.size < 2) return;
  window<test::active> on(2, made::create);
  admpi::var y = 0.0;
  if (at.rank == 0) {
    const admpi::var z = all.x * all.x;
    on.lock(1, MPI_LOCK_EXCLUSIVE);
    on.put(&z, {1, 1, 1});
    on.unlock(1);
    tell(1);
  } else if (at.rank == 1) {
    hear(0);
    y = 3.0 * on.memory()[1];
    CHECK(y.value == 12.0);
  }
  CHECK(all.gradient(y, 1) == (at.rank == 0 ? 12.0 : 0.0));
}

TEST_CASE("test_locks_third_rank_reads_what_the_target_has_not_seen") {
  recording all;
  const ring &at = all.at;
  if (at.size < 3) return;
  window<test::active> on(1, made::allocate);
  AMPI_Barrier(MPI_COMM_WORLD);
  admpi::var y = 0.0;
  if (at.rank == 0) {
    const admpi::var z = all.x * all.x;
    on.lock(1);
    on.put(&z, {1, 0, 1});
    on.unlock(1);
    tell(2);
  } else if (at.rank == 2) {
    hear(0);
    on.lock(1);
    on.get(&y, {1, 0, 1});
    on.unlock(1);
    y = y * all.x;
    MPI_Send(nullptr, 0, MPI_INT, 1, 7, MPI_COMM_WORLD);
  } else if (at.rank == 1) {
    // Not the library's: this rank learns of nothing.
    MPI_Recv(nullptr, 0, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  CHECK(all.gradient(y, 2) == (at.rank == 0 ? 16.0 : at.rank == 2 ? 4.0 : 0.0));
}

TEST_CASE("test_locks_rank_finds_its_own_value") {
  recording all;
  const ring &at = all.at;
  window<test::active> on(1, made::create);
  AMPI_Barrier(MPI_COMM_WORLD);
  const admpi::var z = all.x * all.x;
  admpi::var y = 0.0;
  on.lock_all();
  on.put(&z, {at.right, 0, 1});
  on.flush(at.right);
  on.get(&y, {at.right, 0, 1});
  on.flush(at.right);
  on.unlock_all();
  CHECK(y.value == z.value);
  const double x = 2.0 + at.rank;
  CHECK(all.gradient(y * all.x, 0) == (at.rank == 0 ? 3.0 * x * x : 0.0));
}

TEST_CASE("test_locks_values_that_are_overwritten") {
  recording all;
  const ring &at = all.at;
  if (at.size < 2) return;
  window<test::active> on(3, made::create);
  AMPI_Barrier(MPI_COMM_WORLD);
  admpi::var y = 0.0;
  if (at.rank == 0) {
    const admpi::var a[] = {all.x * all.x, all.x, 5.0 * all.x};
    on.lock(1);
    on.put(a, {1, 0, 3});
    on.flush(1);
    on.put(a + 2, {1, 0, 1});
    on.unlock(1);
    tell(1);
  } else if (at.rank == 1) {
    MPI_Recv(nullptr, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    // Before this rank's tape knows of what came.
    on.memory()[1] = all.x;
    AMPI_Win_lock(MPI_LOCK_SHARED, 1, 0, on.handle());
    AMPI_Win_unlock(1, on.handle());
    y = on.memory()[0] + 10.0 * on.memory()[1] + 100.0 * on.memory()[2];
    CHECK(y.value == 10.0 + 30.0 + 1000.0);
  }
  CHECK(all.gradient(y, 1) == (at.rank == 0 ? 505.0 : at.rank == 1 ? 10.0 : 0.0));
}

TEST_CASE("test_locks_read_before_a_message_arrives") {
  // The owner must not wait for the adjoint of what was read where it is told of the read.
  recording all;
  const ring &at = all.at;
  if (at.size < 2) return;
  window<test::active> on(1, made::create);
  on.memory()[0] = all.x * all.x;
  AMPI_Barrier(MPI_COMM_WORLD);
  admpi::var y = 0.0, got = 0.0;
  if (at.rank == 0) {
    on.lock(1);
    on.get(&got, {1, 0, 1});
    on.unlock(1);
    AMPI_Send(&got, 1, AMPI_ADOUBLE, 1, 0, MPI_COMM_WORLD);
  } else if (at.rank == 1) {
    AMPI_Recv(&y, 1, AMPI_ADOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  AMPI_Barrier(MPI_COMM_WORLD);
  CHECK(all.gradient(y, 1) == (at.rank == 1 ? 6.0 : 0.0));
}

TEST_CASE("test_locks_structures") {
  struct item {
    int index;
    admpi::var x;
  };
  recording all;
  const ring &at = all.at;
  MPI_Datatype type;
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(item, index), offsetof(item, x)};
  const MPI_Datatype types[] = {MPI_INT, AMPI_ADOUBLE};
  MPI_Datatype bare;
  AMPI_Type_create_struct(2, lengths, places, types, &bare);
  AMPI_Type_create_resized(bare, 0, sizeof(item), &type);
  AMPI_Type_commit(&type);
  item *memory;
  MPI_Win win;
  AMPI_Win_allocate(2 * sizeof(item), sizeof(item), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  AMPI_Barrier(MPI_COMM_WORLD);
  item sent[2] = {{at.rank, all.x * all.x}, {10 + at.rank, 4.0}}, got[2] = {};
  AMPI_Win_lock_all(0, win);
  AMPI_Put(sent, 2, type, at.right, 0, 2, type, win);
  AMPI_Win_flush_all(win);
  AMPI_Barrier(MPI_COMM_WORLD);
  AMPI_Get(got, 2, type, at.right, 0, 2, type, win);
  AMPI_Win_unlock_all(win);
  CHECK(memory[0].index == at.left);
  CHECK(memory[1].index == 10 + at.left);
  CHECK(memory[1].x.value == 4.0);
  CHECK(got[0].index == at.rank);
  CHECK(got[1].x.value == 4.0);
  admpi::var y = memory[0].x + 10.0 * got[0].x;

  // Accumulates may replace structures too, and fetch them.
  AMPI_Barrier(MPI_COMM_WORLD);
  const item next = {20 + at.rank, 5.0 * all.x};
  item before = {}, after = {};
  AMPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.right, 0, win);
  AMPI_Get_accumulate(&next, 1, type, &before, 1, type, at.right, 1, 1, type, MPI_REPLACE, win);
  AMPI_Get_accumulate(nullptr, 0, type, &after, 1, type, at.right, 1, 1, type, MPI_NO_OP, win);
  AMPI_Accumulate(&next, 1, type, at.right, 0, 1, type, MPI_REPLACE, win);
  AMPI_Win_unlock(at.right, win);
  AMPI_Barrier(MPI_COMM_WORLD);
  CHECK(before.index == 10 + at.rank);
  CHECK(before.x.value == 4.0);
  CHECK(after.index == 20 + at.rank);
  CHECK(after.x.value == next.x.value);
  CHECK(memory[0].index == 20 + at.left);
  y += 100.0 * memory[0].x + 1000.0 * after.x;
  AMPI_Type_free(&type);
  AMPI_Type_free(&bare);
  AMPI_Win_free(&win);
  const double x = 2.0 + at.rank;
  CHECK(all.gradient(y, 0) == (at.right == 0 ? 2.0 * x + 500.0 : 0.0) + (at.rank == 0 ? 20.0 * x + 5000.0 : 0.0));
}

TEST_CASE("test_locks_locations") {
  using test::located;
  const auto check = [](bool fetches, auto combine) {
    test::check_locations(fetches, false, [&](const located *x, located *old, MPI_Op op, MPI_Win win) {
      AMPI_Barrier(MPI_COMM_WORLD);
      AMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      combine(x, old, op, win);
      AMPI_Win_unlock(0, win);
      AMPI_Barrier(MPI_COMM_WORLD);
    });
  };
  check(false, [](const located *x, located *, MPI_Op op, MPI_Win win) {
    AMPI_Accumulate(x, 3, AMPI_ADOUBLE_INT, 0, 0, 3, AMPI_ADOUBLE_INT, op, win);
  });
  check(true, [](const located *x, located *old, MPI_Op op, MPI_Win win) {
    AMPI_Get_accumulate(x, 3, AMPI_ADOUBLE_INT, old, 3, AMPI_ADOUBLE_INT, 0, 0, 3, AMPI_ADOUBLE_INT, op, win);
  });
  check(true, [](const located *x, located *old, MPI_Op op, MPI_Win win) {
    for (int i = 0; i < 3; ++i) AMPI_Fetch_and_op(x + i, old + i, AMPI_ADOUBLE_INT, 0, i, op, win);
  });
  check(false, [](const located *x, located *, MPI_Op op, MPI_Win win) {
    AMPI_Request request;
    AMPI_Raccumulate(x, 3, AMPI_ADOUBLE_INT, 0, 0, 3, AMPI_ADOUBLE_INT, op, win, &request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  check(true, [](const located *x, located *old, MPI_Op op, MPI_Win win) {
    AMPI_Request request;
    AMPI_Rget_accumulate(x, 3, AMPI_ADOUBLE_INT, old, 3, AMPI_ADOUBLE_INT, 0, 0, 3, AMPI_ADOUBLE_INT, op, win, &request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST_CASE("test_locks_second_recording") {
  // What was put before a reset means nothing after it.
  recording all;
  const ring &at = all.at;
  window<test::active> on(2, made::create);
  for (int round = 0; round < 3; ++round) {
    all.tape.reset();
    all.tape.start();
    all.x = 2.0 + at.rank;
    all.tape.input(all.x);
    on.memory()[0] = all.x;
    AMPI_Barrier(MPI_COMM_WORLD);
    const admpi::var z = all.x * on.memory()[0];
    admpi::var got = 0.0;
    on.lock_all();
    on.get(&got, {at.left, 0, 1});
    on.put(&z, {at.right, 1, 1});
    on.flush_all();
    AMPI_Barrier(MPI_COMM_WORLD);
    on.unlock_all();
    const double x = 2.0 + at.rank;
    const admpi::var y = got * on.memory()[1];
    // On rank 0: x_left^3.
    CHECK(all.gradient(y, 0) == (at.right == 0 ? 3.0 * x * x : 0.0));
  }
}

TEST_CASE("test_locks_calls_with_requests") {
  recording all;
  const ring &at = all.at;
  window<test::active> on(3, made::create);
  const MPI_Win win = on.handle();
  const auto place = [&](int i) { return at.right % 2 == 0 ? i : 16 * i; };
  on.memory()[0] = on.memory()[1] = on.memory()[2] = 2.0 * all.x;
  AMPI_Barrier(MPI_COMM_WORLD);
  on.lock_all();
  admpi::var got = 0.0, old = 0.0;
  const admpi::var x = all.x;
  AMPI_Request requests[4];
  AMPI_Rget(&got, 1, AMPI_ADOUBLE, at.right, place(0), 1, AMPI_ADOUBLE, win, &requests[0]);
  AMPI_Raccumulate(&x, 1, AMPI_ADOUBLE, at.right, place(1), 1, AMPI_ADOUBLE, MPI_SUM, win, &requests[1]);
  AMPI_Rput(&x, 1, AMPI_ADOUBLE, at.right, place(2), 1, AMPI_ADOUBLE, win, &requests[2]);
  AMPI_Rget_accumulate(&x, 1, AMPI_ADOUBLE, &old, 1, AMPI_ADOUBLE, at.right, place(1), 1, AMPI_ADOUBLE, MPI_PROD, win,
                       &requests[3]);
  int index = -1;
  AMPI_Waitany(1, &requests[2], &index, MPI_STATUS_IGNORE);
  CHECK(index == 0);
  AMPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  const double mine = 2.0 + at.rank, right = 2.0 + at.right, left = 2.0 + at.left;
  CHECK(got.value == 2.0 * right);
  CHECK(old.value == 2.0 * right + mine);
  // A request that a flush comes before.
  admpi::var again = 0.0;
  AMPI_Rget(&again, 1, AMPI_ADOUBLE, at.right, place(0), 1, AMPI_ADOUBLE, win, &requests[0]);
  on.flush_all();
  CHECK(again.value == got.value);
  AMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  int number = 0;
  AMPI_Rget(&number, 0, MPI_INT, at.right, 0, 0, MPI_INT, win, &requests[0]);
  AMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  on.unlock_all();
  AMPI_Barrier(MPI_COMM_WORLD);
  CHECK(on.memory()[1].value == (2.0 * mine + left) * left);
  CHECK(on.memory()[2].value == left);
  // Rank 0 reads from its right: 4 x_right + (2 x_right + x) + (2 x + x_left) x_left + x_left.
  admpi::var y = got + again + old + on.memory()[1] + on.memory()[2];
  double expected = 0.0;
  if (at.rank == 0) expected += 1.0 + 2.0 * left;
  if (at.left == 0) expected += 6.0;
  if (at.right == 0) expected += 2.0 * (2.0 + at.right) + 2.0 * mine + 1.0;
  CHECK(all.gradient(y, 0) == expected);
}

TEST_CASE("test_locks_flag_in_memory") {
  // The target waits for a flag that it sees in memory: only AMPI_Win_sync tells the library.
  for (const bool syncs : {true, false}) {
    recording all;
    const ring &at = all.at;
    if (at.size < 2) return;
    struct part {
      admpi::var x;
      int flag[4];
    };
    part *memory;
    MPI_Win win;
    AMPI_Win_allocate(sizeof(part), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    AMPI_Win_lock_all(0, win);
    // Not the library's, which might learn of the Put already.
    MPI_Barrier(MPI_COMM_WORLD);
    admpi::var y = 0.0;
    std::string text;
    if (at.rank == 0) {
      const admpi::var z = all.x * all.x;
      const int one = 1;
      AMPI_Put(&z, 1, AMPI_ADOUBLE, 1, 0, 1, AMPI_ADOUBLE, win);
      AMPI_Win_flush(1, win);
      AMPI_Accumulate(&one, 1, MPI_INT, 1, sizeof(admpi::var), 1, MPI_INT, MPI_REPLACE, win);
      AMPI_Win_flush(1, win);
    } else if (at.rank == 1) {
      for (int found = 0; found == 0;) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        found = *static_cast<volatile int *>(memory->flag);
      }
      if (syncs) AMPI_Win_sync(win);
      try {
        y = 3.0 * memory->x;
        CHECK(y.value == 12.0);
      } catch (const admpi::error &error) {
        // In checking mode.
        text = error.what();
        says(text, "put here by rank 0");
      }
    }
    AMPI_Barrier(MPI_COMM_WORLD);
    AMPI_Win_unlock_all(win);
    AMPI_Win_free(&win);
    if (syncs) {
      CHECK(text.empty());
      CHECK(all.gradient(y, 1) == (at.rank == 0 ? 12.0 : 0.0));
    } else if (at.rank == 1 && text.empty()) {
      // A statement of a value that the tape does not know.
      all.tape.stop();
      all.tape.seed(y, 1.0);
      try {
        all.tape.reverse();
      } catch (const admpi::error &error) {
        text = error.what();
      }
      says(text, "synchronised");
    }
  }
}

TEST_CASE("test_locks_refuse") {
  recording all;
  const ring &at = all.at;
  window<test::active> on(2, made::allocate);
  const MPI_Win win = on.handle();
  const auto put = [&](int target) {
    return refused(win, [&] { return AMPI_Put(&all.x, 1, AMPI_ADOUBLE, target, 0, 1, AMPI_ADOUBLE, win); });
  };
  says(put(at.right), "AMPI_Win_lock");
  AMPI_Request request;
  says(refused(win, [&] { return AMPI_Rput(&all.x, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, win, &request); }),
       "AMPI_Rput is for locks");
  admpi::var got;
  says(refused(win, [&] { return AMPI_Rget(&got, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, win, &request); }),
       "AMPI_Rget is for locks");
  on.lock(at.right);
  if (at.size > 1) says(put(at.rank), "is not locked");
  {
    admpi::nested nest(all.tape);
    says(put(at.right), "nest");
  }
  on.unlock(at.right);

  // MPI's own key saves what locks need.
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  admpi::var *memory;
  MPI_Win other;
  AMPI_Win_allocate(16, 16, info, MPI_COMM_WORLD, &memory, &other);
  MPI_Info_free(&info);
  says(refused(other, [&] { return AMPI_Rget(&got, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, other, &request); }),
       "AMPI_Rget is for locks");
  AMPI_Win_free(&other);
}

TEST_CASE("test_locks_value_that_was_not_synchronised") {
  recording all;
  const ring &at = all.at;
  if (at.size < 2) return;
  window<test::active> on(1, made::create);
  AMPI_Barrier(MPI_COMM_WORLD);
  if (at.rank == 0) {
    on.lock(1);
    on.put(&all.x, {1, 0, 1});
    on.unlock(1);
    MPI_Send(nullptr, 0, MPI_INT, 1, 7, MPI_COMM_WORLD);
  } else if (at.rank == 1) {
    MPI_Recv(nullptr, 0, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const admpi::var early = on.memory()[0];
    const std::string text =
        test::refusal([&] { return AMPI_Send(&early, 1, AMPI_ADOUBLE, 1, 5, MPI_COMM_WORLD); });
    says(text, "synchronised");
  }
}
