// Windows of active data.
#include "harness/window.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

using test::check_identity;
using test::combination;
using test::combine;
using test::made;
using test::place;
using test::rank_of;
using test::ring;
using test::size_of;
using test::window;

namespace {

constexpr made all_kinds[] = {made::create, made::allocate, made::dynamic};

/// The values of a window.
template <class Window>
auto contents(Window &on, int n) {
  return std::vector<typename Window::real>(on.memory(), on.memory() + n);
}

}  // namespace

TEST_CASE("test_windows_put_to_the_right") {
  for (const made kind : all_kinds) {
    for (const int n : {1, 5, 3000}) {
      CAPTURE(n);
      check_identity(static_cast<std::size_t>(n), 1, [&](auto mpi, auto &x) {
        ring at;
        window<decltype(mpi)> on(n + 1, kind);
        std::fill_n(on.memory(), n + 1, x[0]);
        on.fence();
        on.put(x.data(), {at.right, 1, n});
        on.fence();
        auto y = contents(on, n + 1);
        y.insert(y.end(), x.begin(), x.end());
        return combine(y, y);
      });
    }
  }
}

TEST_CASE("test_windows_get_from_the_right") {
  for (const made kind : all_kinds) {
    for (const int n : {1, 5, 3000}) {
      CAPTURE(n);
      check_identity(static_cast<std::size_t>(n), 2, [&](auto mpi, auto &x) {
        ring at;
        window<decltype(mpi)> on(n, kind);
        std::copy(x.begin(), x.end(), on.memory());
        auto y = x;
        on.fence();
        on.get(y.data(), {at.right, 0, n});
        on.fence();
        return combine(x, y);
      });
    }
  }
}

TEST_CASE("test_windows_accumulate") {
  for (const combination how :
       {combination::sum, combination::product, combination::min, combination::max, combination::replace}) {
    for (const int n : {1, 40}) {
      CAPTURE(static_cast<int>(how));
      CAPTURE(n);
      check_identity(static_cast<std::size_t>(n), 3, [&](auto mpi, auto &x) {
        window<decltype(mpi)> on(2 * n, made::create);
        std::fill_n(on.memory(), 2 * n, x[0] * x[0]);
        on.fence();
        // All to rank 0, twice: side by side, and every second one.
        on.accumulate(x.data(), {0, n, n}, how);
        on.accumulate(x.data(), {0, 0, n, 2}, how);
        on.fence();
        return contents(on, 2 * n);
      });
    }
  }
}

TEST_CASE("test_windows_fetch") {
  for (const combination how : {combination::nothing, combination::sum, combination::product, combination::min,
                                combination::max, combination::replace}) {
    CAPTURE(static_cast<int>(how));
    check_identity(6, 4, [&](auto mpi, auto &x) {
      ring at;
      window<decltype(mpi)> on(6, made::create);
      std::copy(x.begin(), x.end(), on.memory());
      auto y = x;
      on.fence();
      on.get_accumulate(x.data(), y.data(), {at.right, 0, 5}, how);
      on.fetch_and_op(x.data() + 5, y.data() + 5, {0, 5, 1}, how);
      on.fence();
      y.insert(y.end(), on.memory(), on.memory() + 6);
      return y;
    });
  }
}

// The window and the operations by the calls for counts past 2^31.
TEST_CASE("test_windows_large_counts") {
  test::counted() = true;
  for (const made kind : all_kinds) {
    check_identity(5, 6, [&](auto mpi, auto &x) {
      ring at;
      window<decltype(mpi)> on(15, kind);
      std::fill_n(on.memory(), 15, x[0] * x[1]);
      auto y = x, z = x;
      on.fence();
      on.put(x.data(), {at.right, 0, 5});
      on.accumulate(x.data(), {0, 5, 5}, combination::product);
      on.get_accumulate(x.data(), y.data(), {at.right, 10, 5}, combination::sum);
      on.fence();
      on.get(z.data(), {at.right, 1, 5, 2});
      on.fence();
      auto all = contents(on, 15);
      all.insert(all.end(), y.begin(), y.end());
      all.insert(all.end(), z.begin(), z.end());
      return combine(all, all);
    });
  }
  test::counted() = false;
}

TEST_CASE("test_windows_forwarded_between_epochs") {
  check_identity(8, 5, [](auto mpi, auto &x) {
    ring at;
    window<decltype(mpi)> on(8, made::create);
    std::copy(x.begin(), x.end(), on.memory());
    on.fence();
    for (int step = 0; step < 3; ++step) {
      const auto now = combine(contents(on, 8), x);
      on.fence();
      on.put(now.data(), {at.right, 4, 4});
      on.accumulate(now.data() + 4, {at.left, 0, 4}, combination::sum);
      on.fence();
    }
    return contents(on, 8);
  });
}

TEST_CASE("test_windows_start_and_post") {
  for (const bool testing : {false, true}) {
    CAPTURE(testing);
    check_identity(8, 6, [&](auto mpi, auto &x) {
      ring at;
      std::vector<int> others = {at.left};
      if (at.right != at.left) others.push_back(at.right);
      window<decltype(mpi)> on(8, made::create);
      std::copy(x.begin(), x.end(), on.memory());
      for (int step = 0; step < 3; ++step) {
        const auto now = combine(contents(on, 8), x);
        MPI_Barrier(MPI_COMM_WORLD);
        on.post(others);
        on.start(others);
        if (step != 1) on.put(now.data(), {at.right, 4, 4});
        on.accumulate(now.data() + 4, {at.left, 0, 4}, combination::product);
        on.complete();
        if (testing)
          on.test();
        else
          on.wait();
      }
      return contents(on, 8);
    });
  }
}

TEST_CASE("test_windows_get_between_start_and_complete") {
  for (const made kind : all_kinds) {
    check_identity(8, 7, [&](auto mpi, auto &x) {
      ring at;
      std::vector<int> others = {at.left};
      if (at.right != at.left) others.push_back(at.right);
      window<decltype(mpi)> on(20, kind);
      for (int i = 0; i < 20; ++i) on.memory()[i] = x[static_cast<std::size_t>(i) % 8] * x[1];
      auto y = x, z = x;
      for (int step = 0; step < 3; ++step) {
        MPI_Barrier(MPI_COMM_WORLD);
        on.post(others);
        on.start(others);
        // Side by side and every third one, beside places that others write to.
        on.get(y.data(), {at.right, 0, 4});
        on.put(x.data(), {at.right, 16, 4});
        on.get(y.data() + 4, {at.left, 4, 4, 3});
        if (step == 1) on.get(z.data(), {at.right, 2, 1});
        on.accumulate(x.data() + 4, {at.left, 14, 1}, combination::sum);
        on.complete();
        on.wait();
        x = combine(y, combine(x, z));
        for (int i = 0; i < 20; ++i) on.memory()[i] = sin(on.memory()[i]) + x[static_cast<std::size_t>(i) % 8];
      }
      x.insert(x.end(), on.memory(), on.memory() + 20);
      return x;
    });
  }
}

TEST_CASE("test_windows_read_before_a_message_arrives") {
  // The target waits for a message of the origin's, who has completed its accesses before. In the sweep the target must not
  // wait for the adjoint of what was read before it sends that of the message.
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) return;
  admpi::tape tape;
  tape.start();
  admpi::var x = 3.0, y = 0.0, got = 0.0;
  tape.input(x);
  {
    window<test::active> on(2, made::create);
    on.memory()[1] = x * x;
    if (rank == 0) {
      on.start({1});
      on.get(&got, {1, 1, 1});
      on.complete();
      AMPI_Send(&got, 1, AMPI_ADOUBLE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      on.post({0});
      AMPI_Recv(&y, 1, AMPI_ADOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      on.wait();
    }
  }
  tape.stop();
  CHECK(y.value == (rank == 1 ? 9.0 : 0.0));
  if (rank == 1) tape.seed(y, 1.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == (rank == 1 ? 6.0 : 0.0));
}

TEST_CASE("test_windows_end_accesses_and_exposures_in_any_order") {
  // Some ranks complete before they wait, and others the other way round.
  check_identity(4, 8, [](auto mpi, auto &x) {
    ring at;
    window<decltype(mpi)> on(4, made::create);
    std::vector<int> others = {at.left};
    if (at.right != at.left) others.push_back(at.right);
    std::copy(x.begin(), x.end(), on.memory());
    auto y = x;
    for (int step = 0; step < 2; ++step) {
      MPI_Barrier(MPI_COMM_WORLD);
      const auto read = [&] {
        on.start(others);
        on.get(y.data(), {at.right, 0, 2});
        on.put(x.data(), {at.right, 2, 2});
        on.complete();
      };
      on.post(others);
      read();
      on.wait();
      x = combine(x, combine(y, contents(on, 4)));
      std::copy(x.begin(), x.end(), on.memory());
    }
    if (at.size > 1) {
      MPI_Barrier(MPI_COMM_WORLD);
      const std::vector<int> first = {0}, second = {1};
      if (at.rank == 1) {
        on.post(first);
        on.start(first);
        on.get(y.data(), {0, 0, 2});
        on.put(x.data(), {0, 2, 2});
        on.wait();
        on.complete();
      } else if (at.rank == 0) {
        on.post(second);
        on.start(second);
        on.get(y.data(), {1, 0, 2});
        on.put(x.data(), {1, 2, 2});
        on.complete();
        on.wait();
      } else if (std::is_same<decltype(mpi), test::paired>::value) {
        // The reference is collective.
        on.wait();
      }
    }
    y.insert(y.end(), on.memory(), on.memory() + 4);
    return y;
  });
}

TEST_CASE("test_windows_locations") {
  for (const bool fetches : {false, true}) {
    test::check_locations(fetches, true, [&](const test::located *x, test::located *old, MPI_Op op, MPI_Win win) {
      AMPI_Win_fence(0, win);
      if (fetches)
        AMPI_Get_accumulate(x, 3, AMPI_ADOUBLE_INT, old, 3, AMPI_ADOUBLE_INT, 0, 0, 3, AMPI_ADOUBLE_INT, op, win);
      else
        AMPI_Accumulate(x, 3, AMPI_ADOUBLE_INT, 0, 0, 3, AMPI_ADOUBLE_INT, op, win);
      AMPI_Win_fence(0, win);
    });
  }
}

TEST_CASE("test_windows_random_programs") {
  const bool is_checked = std::getenv("ADMPI_CHECK") != nullptr;
  for (unsigned seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    check_identity(16, 100 + seed, [&](auto mpi, auto &x) {
      // The same on all ranks, and of each.
      std::mt19937 common(seed);
      test::random own(seed);
      const int size = size_of(MPI_COMM_WORLD), n = 20;
      window<decltype(mpi)> one(n, all_kinds[common() % 3]), other(n, all_kinds[common() % 3]);
      auto y = x;
      y.insert(y.end(), x.begin(), x.end());
      for (int i = 0; i < n; ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        one.memory()[i] = x[at % 16];
        other.memory()[i] = x[(3 * at) % 16] * x[at % 16];
      }
      one.fence();
      other.fence();
      for (int epoch = 0; epoch < 4; ++epoch) {
        const auto only = static_cast<combination>(1 + common() % 5);
        for (int count = own.below(8); count > 0; --count) {
          auto &on = own.below(2) == 0 ? one : other;
          place at = {own.below(size), own.below(8), own.below(5), 1 + own.below(3)};
          const auto how = is_checked ? only : static_cast<combination>(1 + own.below(5));
          // What is fetched goes to a place of its own; what is brought may overlap.
          typename decltype(mpi)::real *to = y.data() + 2 * count;
          const auto *from = x.data() + own.below(11);
          if (at.n == 0) at.stride = 1;
          // Conflicts are errors in checking mode: all combine in one way then, or read.
          switch (is_checked ? 1 + 2 * own.below(2) : own.below(5)) {
            case 0: on.put(from, at); break;
            case 1: on.accumulate(from, at, how); break;
            case 2: at.n = std::min(at.n, 2); on.get(to, at); break;
            case 3: at.n = std::min(at.n, 2); on.get_accumulate(from, to, at, how); break;
            default: at.n = 1; on.fetch_and_op(from, to, at, static_cast<combination>(own.below(6)));
          }
        }
        if (common() % 2 == 0) {
          one.fence();
          other.fence();
        } else {
          other.fence();
          one.fence();
        }
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = sin(x[i]) + y[i] * y[i + 1];
        for (int i = 0; i < n; ++i) one.memory()[i] = sin(one.memory()[i] * other.memory()[n - 1 - i]);
        MPI_Barrier(MPI_COMM_WORLD);
      }
      y.insert(y.end(), one.memory(), one.memory() + n);
      y.insert(y.end(), other.memory(), other.memory() + n);
      return y;
    });
  }
}

TEST_CASE("test_windows_sum_product_put_then_get") {
  check_identity(3, 9, [](auto mpi, auto &x) {
    ring at;
    window<decltype(mpi)> on(3, made::create);
    std::copy(x.begin(), x.end(), on.memory());
    auto y = x;
    on.fence();
    on.accumulate(x.data(), {at.right, 0, 3}, combination::sum);
    on.fence();
    on.accumulate(x.data(), {at.right, 0, 3}, combination::product);
    on.fence();
    on.put(x.data(), {at.left, 2, 1});
    on.fence();
    on.get(y.data(), {at.right, 0, 3});
    on.fence();
    return combine(x, y);
  });
}

namespace {

/// Pages of this process in memory.
long resident() {
  long all = 0, pages = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    std::fclose(file);
  }
  return pages;
}

}  // namespace

TEST_CASE("test_windows_made_and_freed") {
  // What one of them leaves behind would be seen after thousands.
  test::begin();
  ring at;
  const admpi::var x = 1.0;
  const auto epochs = [&](int windows) {
    for (int i = 0; i < windows; ++i) {
      admpi::var *memory;
      MPI_Win win;
      AMPI_Win_allocate(16, 16, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
      AMPI_Win_fence(0, win);
      AMPI_Put(&x, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, win);
      AMPI_Win_fence(MPI_MODE_NOSUCCEED, win);
      REQUIRE(memory->value == 1.0);
      AMPI_Win_free(&win);
    }
  };
  epochs(100);
  const long before = resident();
  epochs(400);
  // Less than 300 bytes a window.
  CHECK(resident() - before < 30);
}

TEST_CASE("test_windows_one_side_ends_its_epoch_alone") {
  // The origin sends what the target receives before it ends its own epoch.
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) return;
  admpi::tape tape;
  tape.start();
  admpi::var x[2] = {2.0, 3.0}, y = 0.0;
  tape.input(x[0]);
  tape.input(x[1]);
  {
    window<test::active> on(1, made::create);
    if (rank == 0) {
      on.start({1});
      on.put(x, {1, 0, 1});
      on.complete();
      AMPI_Send(x + 1, 1, AMPI_ADOUBLE, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
      admpi::var message;
      on.post({0});
      AMPI_Recv(&message, 1, AMPI_ADOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      on.wait();
      y = message * *on.memory();
    }
  }
  tape.stop();
  CHECK(y.value == (rank == 1 ? 6.0 : 0.0));
  if (rank == 1) tape.seed(y, 1.0);
  tape.reverse();
  CHECK(tape.adjoint(x[0]) == (rank == 0 ? 3.0 : 0.0));
  CHECK(tape.adjoint(x[1]) == (rank == 0 ? 2.0 : 0.0));
}

TEST_CASE("test_windows_items_with_passive_parts") {
  struct particle {
    admpi::var x;
    int kind;
  };
  test::begin();
  ring at;
  MPI_Datatype parts[] = {AMPI_ADOUBLE, MPI_INT}, item, type;
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 16};
  MPI_Type_create_struct(2, lengths, places, parts, &item);
  MPI_Type_create_resized(item, 0, sizeof(particle), &type);
  MPI_Type_commit(&type);
  admpi::tape tape;
  tape.start();
  admpi::var x = 1.5 + at.rank;
  tape.input(x);
  particle *memory;
  MPI_Win win;
  AMPI_Win_allocate(3 * sizeof(particle), sizeof(particle), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  particle sent[2] = {{x * x, 7}, {2.0 * x, 8}}, fetched = {0.0, 0};
  AMPI_Win_fence(0, win);
  AMPI_Put(sent, 2, type, at.right, 1, 2, type, win);
  AMPI_Win_fence(0, win);
  AMPI_Get(&fetched, 1, type, at.right, 2, 1, type, win);
  AMPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  const admpi::var y = memory[1].x + fetched.x;
  CHECK(memory[1].kind == 7);
  CHECK(fetched.kind == 8);
  CHECK(memory[1].x.value == (1.5 + at.left) * (1.5 + at.left));
  CHECK(fetched.x.value == 2.0 * x.value);
  AMPI_Win_free(&win);
  MPI_Type_free(&type);
  MPI_Type_free(&item);
  tape.stop();
  tape.seed(y, 1.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0 * x.value + 2.0);
}

TEST_CASE("test_windows_elements_of_matrices") {
  test::begin();
  ring at;
  admpi::tape tape;
  tape.start();
  admpi::var x = 1.0 + at.rank;
  tape.input(x);
  admpi::varmat a(2, 2), b(2, 2);
  for (int i = 0; i < 4; ++i) a(i % 2, i / 2) = x * (i + 1.0);
  MPI_Win win;
  admpi::var *memory;
  AMPI_Win_allocate(4 * sizeof(admpi::var), sizeof(admpi::var), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  AMPI_Win_fence(0, win);
  AMPI_Put(a.handle(), 4, AMPI_VARMAT, at.right, 0, 4, AMPI_ADOUBLE, win);
  AMPI_Win_fence(0, win);
  AMPI_Get(b.handle(), 4, AMPI_VARMAT, at.right, 0, 4, AMPI_ADOUBLE, win);
  AMPI_Win_fence(0, win);
  admpi::var y = 0.0;
  for (int i = 0; i < 4; ++i) y = y + memory[i] + b(i % 2, i / 2);
  AMPI_Win_free(&win);
  tape.stop();
  tape.seed(y, 1.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == 20.0);
}

TEST_CASE("test_windows_leave_passive_data_to_mpi") {
  test::begin();
  ring at;
  admpi::tape tape;
  tape.start();
  struct part {
    admpi::var x;
    int count;
  };
  part *memory;
  MPI_Win win;
  AMPI_Win_allocate(sizeof(part), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  const auto before = tape.statistics().events;
  const int one = 1, number = at.rank;
  int old = 0;
  AMPI_Win_fence(0, win);
  AMPI_Accumulate(&one, 1, MPI_INT, at.right, 16, 1, MPI_INT, MPI_SUM, win);
  AMPI_Win_fence(0, win);
  CHECK(memory->count == 1);
  MPI_Barrier(MPI_COMM_WORLD);
  AMPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.right, 0, win);
  AMPI_Fetch_and_op(&number, &old, MPI_INT, at.right, 16, MPI_REPLACE, win);
  AMPI_Win_unlock(at.right, win);
  MPI_Barrier(MPI_COMM_WORLD);
  AMPI_Win_lock(MPI_LOCK_SHARED, at.rank, 0, win);
  CHECK(memory->count == at.left);
  AMPI_Win_unlock(at.rank, win);
  CHECK(old == 1);
  CHECK(tape.statistics().events == before);
  MPI_Barrier(MPI_COMM_WORLD);
  AMPI_Win_free(&win);
}

TEST_CASE("test_windows_to_nobody_and_without_a_tape") {
  test::begin();
  ring at;
  admpi::var x = 4.0 + at.rank;
  window<test::active> on(2, made::allocate);
  on.fence();
  AMPI_Put(&x, 1, AMPI_ADOUBLE, MPI_PROC_NULL, 0, 1, AMPI_ADOUBLE, on.handle());
  AMPI_Put(&x, 0, AMPI_ADOUBLE, at.right, 0, 0, AMPI_ADOUBLE, on.handle());
  on.accumulate(&x, {at.right, 1, 1}, combination::sum);
  on.fence();
  CHECK(on.memory()[0].value == 0.0);
  CHECK(on.memory()[1].value == 4.0 + at.left);
  on.fence(MPI_MODE_NOPRECEDE);
}
