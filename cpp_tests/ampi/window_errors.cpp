// What windows refuse, and what a program is told of them.
#include "harness/window.hpp"

#include <cstdlib>

using test::combination;
using test::made;
using test::rank_of;
using test::refused;
using test::ring;
using test::says;
using test::size_of;
using test::window;

TEST_CASE("test_windows_refuse") {
  test::begin();
  ring at;
  admpi::tape tape;
  tape.start();
  admpi::var x[2] = {1.0, 2.0};
  double plain[2] = {};
  tape.input(x, 2);
  window<test::active> on(2, made::allocate);
  const MPI_Win win = on.handle();
  const auto put = [&](int target, MPI_Aint disp) {
    return refused(win, [&] { return AMPI_Put(x, 1, AMPI_ADOUBLE, target, disp, 1, AMPI_ADOUBLE, win); });
  };
  const auto combine_by = [&](MPI_Op op) {
    return refused(win, [&] { return AMPI_Accumulate(x, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, op, win); });
  };
  says(put(at.right, 0), "no epoch is open");
  on.fence();
  says(put(at.size, 0), "target_rank = " + std::to_string(at.size));
  says(refused(win, [&] { return AMPI_Put(x, 2, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, win); }), "2 active doubles");
  const void *untyped = x;
  says(refused(win, [&] { return AMPI_Put(untyped, 1, AMPI_ADOUBLE, at.right, 0, 1, MPI_DOUBLE, win); }),
       "target_datatype is passive");
  untyped = plain;
  says(refused(win, [&] { return AMPI_Put(untyped, 1, MPI_DOUBLE, at.right, 0, 1, AMPI_ADOUBLE, win); }),
       "the datatype is passive");
  says(combine_by(MPI_LAND), "MPI_LAND");
  says(combine_by(MPI_NO_OP), "MPI_NO_OP");
  says(combine_by(MPI_MAXLOC), "MPI_MAXLOC");
  const void *pairs = x;
  says(refused(win, [&] { return AMPI_Accumulate(pairs, 1, AMPI_ADOUBLE_INT, at.right, 0, 1, AMPI_ADOUBLE_INT, MPI_SUM, win); }),
       "pairs of AMPI_ADOUBLE_INT");
  says(refused(win, [&] { return AMPI_Compare_and_swap(x, x, x, AMPI_ADOUBLE, at.right, 0, win); }), "AMPI_Compare_and_swap");

  // What waits for the end of an epoch.
  CHECK(put(at.rank, 0).empty());
  MPI_Win still = win;
  says(refused(win, [&] { return AMPI_Win_free(&still); }), "AMPI_Win_free with operations");
  CHECK(still == win);
  says(refused(win, [&] { return AMPI_Win_fence(MPI_MODE_NOPRECEDE, win); }), "MPI_MODE_NOPRECEDE");
  tape.stop();
  says(put(at.rank, 0), "start and stop recording");
  tape.start();
  on.fence();

  // What the target finds.
  CHECK(put(at.right, at.right % 2 == 0 ? 2 : 32).empty());
  const std::string text = refused(win, [&] { return AMPI_Win_fence(0, win); });
  says(text, "an operation of rank " + std::to_string(at.left) + ": ");
  says(text, "not in the window, which has 32 bytes here");
  if (at.right % 2 == 1) CHECK(put(at.right, 4).empty());
  const std::string middle = refused(win, [&] { return AMPI_Win_fence(0, win); });
  if (at.rank % 2 == 1)
    says(middle, "target_disp = 4 is");
  else
    CHECK(middle.empty());

  // Epochs of some ranks.
  on.fence(MPI_MODE_NOSUCCEED);
  on.post({at.left});
  on.start({at.right});
  says(refused(win, [&] { return AMPI_Fetch_and_op(x, x + 1, AMPI_ADOUBLE, at.right, 0, MPI_SUM, win); }), "AMPI_Win_start");
  if (at.size > 2) says(put(at.left, 0), "is not in the group of AMPI_Win_start");
  on.complete();
  on.wait();
  // What is read must be as it was where the window was posted.
  const auto read = [&](auto change) {
    MPI_Barrier(MPI_COMM_WORLD);
    on.post({at.left});
    on.start({at.right});
    on.get(x, {at.right, 0, 1});
    on.complete();
    MPI_Barrier(MPI_COMM_WORLD);
    change();
    return refused(win, [&] { return AMPI_Win_wait(win); });
  };
  on.memory()[0] = 2.0 * x[1];
  says(read([&] { on.memory()[0] = 3.0 * x[1]; }), "computed after AMPI_Win_post");
  CHECK(read([] {}).empty());
  tape.stop();
  MPI_Barrier(MPI_COMM_WORLD);
  on.post({at.left});
  tape.start();
  on.start({at.right});
  on.get(x, {at.right, 0, 1});
  on.complete();
  says(refused(win, [&] { return AMPI_Win_wait(win); }), "start recording before AMPI_Win_post");
  MPI_Barrier(MPI_COMM_WORLD);

  double *memory;
  MPI_Win other;
  AMPI_Win_allocate(16, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &other);
  says(refused(other, [&] { return AMPI_Put(x, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, other); }),
       "admpi_active=true");
  AMPI_Win_free(&other);
  tape.stop();
}

TEST_CASE("test_windows_conflicts_of_an_epoch_in_checking_mode") {
  test::begin();
  const char *const checking = std::getenv("ADMPI_CHECK");
  admpi_set_check(1);
  ring at;
  const int last = at.size - 1, n = 8;
  admpi::var x[4] = {1.0, 2.0, 3.0, 4.0}, y[8];
  window<test::active> on(n, made::allocate);
  on.fence();
  // What rank 0's fence says of an operation of its own and one of the last rank, both on its part.
  const auto both = [&](const auto &one, const auto &other) {
    if (at.rank == 0) one();
    if (at.rank == last) other();
    const std::string text = refused(on.handle(), [&] { return AMPI_Win_fence(0, on.handle()); });
    if (at.rank != 0) CHECK(text.empty());
    return text;
  };
  const auto check_meet = [&](const std::string &one, const std::string &other, const std::string &bytes, const auto &f, const auto &g) {
    const std::string text = both(f, g), name = std::to_string(last);
    if (at.rank == 0) says(text, "ADMPI_CHECK: " + one + " of rank 0 and " + other + " of rank " + name + " meet in one epoch, in bytes " + bytes);
  };
  const auto check_apart = [&](const auto &f, const auto &g) { CHECK(both(f, g).empty()); };
  const auto put = [&](int from, int count, int stride = 1) { return [&, from, count, stride] { on.put(x, {0, from, count, stride}); }; };
  const auto get = [&](int from, int count) { return [&, from, count] { on.get(y, {0, from, count}); }; };
  const auto add = [&](int from, int count, combination how) {
    return [&, from, count, how] { on.accumulate(x, {0, from, count}, how); };
  };
  const auto fetch = [&](int from, combination how) { return [&, from, how] { on.fetch_and_op(x, y, {0, from, 1}, how); }; };

  check_meet("an AMPI_Put", "an AMPI_Put", "32 to 47", put(0, 3), put(2, 3));
  check_meet("an AMPI_Put", "an AMPI_Get", "16 to 31", put(1, 1), get(1, 4));
  check_meet("an AMPI_Put", "an accumulate by MPI_SUM", "0 to 63", put(0, 4), add(0, 4, combination::sum));
  check_meet("an AMPI_Get", "an accumulate by MPI_MAX", "16 to 31", get(0, 2), add(1, 2, combination::max));
  // Accumulates of one origin keep their order.
  const auto check_updates = [&](const auto &...arguments) { at.size > 1 ? check_meet(arguments...) : void(); };
  check_updates("an accumulate by MPI_SUM", "an accumulate by MPI_PROD", "0 to 15", add(0, 2, combination::sum),
                add(0, 1, combination::product));
  check_updates("an accumulate by MPI_REPLACE", "an accumulate by MPI_MIN", "0 to 15", fetch(0, combination::replace),
                add(0, 1, combination::min));
  check_apart([&] { add(0, 2, combination::sum)(); add(0, 1, combination::product)(); }, [] {});
  check_meet("an AMPI_Put", "an accumulate by MPI_NO_OP", "48 to 63", put(3, 1), fetch(3, combination::nothing));
  check_meet("an AMPI_Put", "an AMPI_Put", "32 to 47", put(0, 3, 2), put(2, 1));
  // A long one reaches beyond others that begin later.
  check_meet("an AMPI_Get", "an AMPI_Put", "96 to 111", [&] { get(0, 7)(); get(2, 1)(); }, put(6, 1));
  check_apart(put(0, 2), put(2, 2));
  check_apart(put(0, 4, 2), put(1, 3, 2));
  check_apart(get(0, 4), get(2, 4));
  check_apart(add(0, 4, combination::sum), add(2, 4, combination::sum));
  check_apart(add(0, 4, combination::product), fetch(3, combination::nothing));
  check_apart(fetch(3, combination::nothing), get(3, 1));
  check_apart(add(0, 4, combination::replace), fetch(0, combination::replace));
  // The epoch is over: the next one is its own.
  check_apart([] {}, put(2, 3));
  check_apart(put(0, 3), [] {});
  on.fence(MPI_MODE_NOSUCCEED);

  // Epochs of some ranks, of one origin.
  MPI_Barrier(MPI_COMM_WORLD);
  if (at.rank == 0) on.post({last});
  if (at.rank == last) {
    on.start({0});
    on.put(x, {0, 1, 2});
    on.put(x, {0, 2, 2});
    on.complete();
  }
  if (at.rank == 0)
    says(refused(on.handle(), [&] { return AMPI_Win_wait(on.handle()); }), "an AMPI_Put of rank " + std::to_string(last) + " meet in one epoch, in bytes 32 to 47");
  MPI_Barrier(MPI_COMM_WORLD);
  // Nothing is said where nothing is checked.
  admpi_set_check(0);
  on.fence();
  CHECK(both(put(0, 3), put(2, 3)).empty());
  admpi_set_check(checking != nullptr ? 1 : 0);
}

TEST_CASE("test_windows_refuse_units_past_an_int") {
  test::begin();
  const MPI_Aint unit = MPI_Aint(1) << 32;
  const std::string why = "disp_unit = 4294967296 is past INT_MAX";
  admpi::var memory[2], *base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  says(test::refusal([&] { return AMPI_Win_create_c(memory, 32, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win); }), "AMPI_Win_create_c: " + why);
  says(test::refusal([&] { return AMPI_Win_allocate_c(32, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win); }), "AMPI_Win_allocate_c: " + why);
  says(test::refusal([&] { return AMPI_Win_allocate_shared_c(32, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win); }),
       "AMPI_Win_allocate_shared_c: " + why);
}

TEST_CASE("test_windows_of_shared_memory") {
  // By the names of MPI-4, too, whose displacement units have 64 bits.
  test::begin();
  for (const bool counted : {false, true}) {
    const auto allocate = [&](MPI_Aint bytes, auto **base, MPI_Win *win) {
      return counted ? AMPI_Win_allocate_shared_c(bytes, 16, MPI_INFO_NULL, MPI_COMM_WORLD, base, win)
                     : AMPI_Win_allocate_shared(bytes, 16, MPI_INFO_NULL, MPI_COMM_WORLD, base, win);
    };
    const auto query = [&](MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *unit, auto **base) {
      if (counted) return AMPI_Win_shared_query_c(win, rank, size, unit, base);
      int narrow = 0;
      const int code = AMPI_Win_shared_query(win, rank, size, &narrow, base);
      *unit = narrow;
      return code;
    };
    ring at;
    admpi::tape tape;
    tape.start();
    admpi::var x = 2.0 + at.rank;
    tape.input(x);
    admpi::var *own = nullptr, *other = nullptr;
    MPI_Win win;
    allocate(2 * sizeof(admpi::var), &own, &win);
    CHECK(own[1].value == 0.0);
    AMPI_Win_fence(0, win);
    AMPI_Put(&x, 1, AMPI_ADOUBLE, at.right, 1, 1, AMPI_ADOUBLE, win);
    AMPI_Win_fence(0, win);
    admpi::var y = own[1] * own[1], z;
    AMPI_Get(&z, 1, AMPI_ADOUBLE, at.right, 1, 1, AMPI_ADOUBLE, win);
    AMPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(z.value == x.value);
    y += 100.0 * z;

    // Its own part each may ask for; another's holds values of another tape.
    MPI_Aint size = 0, unit = 0;
    CHECK(query(win, at.rank, &size, &unit, &other) == MPI_SUCCESS);
    CHECK((other == own && size == 2 * sizeof(admpi::var) && unit == 16));
    if (at.size > 1) {
      char *untyped = nullptr;
      const std::string text = refused(win, [&] { return query(win, at.right, &size, &unit, &untyped); });
      says(text, std::string("AMPI_Win_shared_query") + (counted ? "_c" : "") + ": rank = " + std::to_string(at.right));
      says(text, "use AMPI_Get");
    }
    AMPI_Win_free(&win);
    tape.stop();
    tape.seed(y, 1.0);
    tape.reverse();
    CHECK(tape.adjoint(x) == 2.0 * x.value + 100.0);

    // Of plain numbers MPI's own, whatever the unit; their type tells what a query is for.
    double *plain = nullptr, *there = nullptr;
    allocate(32, &plain, &win);
    says(refused(win, [&] { return AMPI_Put(&x, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, win); }), "admpi_active=true");
    plain[0] = 5.0 + at.rank;
    MPI_Win_fence(0, win);
    CHECK(query(win, at.right, &size, &unit, &there) == MPI_SUCCESS);
    CHECK(there[0] == 5.0 + at.right);
    if (at.size > 1)
      says(test::refusal([&] { return query(win, at.right, &size, &unit, &other); }),
           std::string("AMPI_Win_shared_query") + (counted ? "_c" : "") + ": baseptr: active values of another rank");
    MPI_Win_fence(0, win);
    AMPI_Win_free(&win);
  }
}

TEST_CASE("test_windows_hints") {
  test::begin();
  ring at;
  MPI_Info info;
  MPI_Info_create(&info);
  admpi::var x = 1.0;
  for (const bool active : {true, false}) {
    MPI_Info_set(info, "admpi_active", active ? "true" : "false");
    admpi::var *memory;
    MPI_Win win;
    AMPI_Win_allocate(16, active ? 8 : 16, info, MPI_COMM_WORLD, &memory, &win);
    AMPI_Win_fence(0, win);
    const std::string text =
        refused(win, [&] { return AMPI_Put(&x, 1, AMPI_ADOUBLE, at.right, 0, 1, AMPI_ADOUBLE, win); });
    CHECK(text.empty() == active);
    AMPI_Win_fence(0, win);
    AMPI_Win_free(&win);
  }
  MPI_Info_free(&info);
}

TEST_CASE("test_windows_recorded_on_one_rank_only") {
  test::begin();
  ring at;
  if (at.size < 2) return;
  admpi::tape tape;
  if (at.rank == 0) tape.start();
  admpi::var x = 1.0;
  window<test::active> on(1, made::create);
  on.fence();
  if (at.rank == 0) on.put(&x, {1, 0, 1});
  const std::string text = refused(on.handle(), [&] { return AMPI_Win_fence(0, on.handle()); });
  if (at.rank == 1)
    says(text, "rank 0 records its operations on this rank's window, and this rank does not");
  else
    CHECK(text.empty());
  if (at.rank == 0) tape.stop();
}
