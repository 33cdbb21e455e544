// Tangents in windows: they move, and accumulates combine whole ones.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "ampi/tangent_types.hpp"

using namespace tangent_types;

TEST_CASE("test_tangent_types_in_windows") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  std::vector<first> got(2);
  first *shared = nullptr;
  const first mine[2] = {{1.0 + rank, 10.0 + rank}, {2.0 + rank, 20.0 + rank}};
  MPI_Win window;
  AMPI_Win_allocate(4 * sizeof(first), sizeof(first), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  AMPI_Win_fence(0, window);
  AMPI_Put(mine, 2, AMPI_ADOUBLE, (rank + 1) % size, 1, 2, AMPI_ADOUBLE, window);
  AMPI_Win_fence(0, window);
  const int left = (rank + size - 1) % size;
  CHECK(shared[2].value == 2.0 + left);
  CHECK(shared[2].derivative == 20.0 + left);
  AMPI_Get(got.data(), 2, AMPI_ADOUBLE, (rank + 1) % size, 1, 2, AMPI_ADOUBLE, window);
  AMPI_Win_fence(0, window);
  CHECK(got[0].value == mine[0].value);
  CHECK(got[1].derivative == mine[1].derivative);
  // A void * hides the tangents, and the datatype tells.
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  const void *const unseen = mine;
  void *const unseen_result = got.data();
  const MPI_Datatype type = mpi_type<first>();
  const auto refused = [&](MPI_Datatype of, MPI_Datatype there, MPI_Op op, const std::string &part) {
    check_refused(AMPI_Accumulate(unseen, 1, of, 0, 0, 1, there, op, window), "AMPI_Accumulate", part);
    check_refused(AMPI_Get_accumulate(unseen, 1, of, unseen_result, 1, of, 0, 0, 1, there, op, window), "AMPI_Get_accumulate", part);
  };
  const MPI_Datatype pair = mpi_type<value_index<first>>(), floats = mpi_type<tangent<float>>();
  for (const MPI_Op op : {MPI_BAND, MPI_MAXLOC}) refused(type, type, op, "after a Get");
  refused(pair, pair, MPI_MAXLOC, "after a Get");
  refused(pair, pair, MPI_SUM, "more than tangents of doubles");
  refused(floats, floats, MPI_SUM, "more than tangents of doubles");
  refused(type, mpi_type<second>(), MPI_SUM, "origin_datatype: 16 bytes of tangents");
  check_refused(AMPI_Accumulate(unseen, 2, type, 0, 0, 1, mpi_type<second>(), MPI_SUM, window), "AMPI_Accumulate", "other tangents");
  refused(type, MPI_DOUBLE, MPI_PROD, "is of tangents, and the other is not");
  refused(MPI_DOUBLE, type, MPI_PROD, "is of tangents, and the other is not");
  check_refused(AMPI_Accumulate(mine, 1, type, 0, 0, 1, type, MPI_NO_OP, window), "AMPI_Accumulate", "MPI_NO_OP is for");
  AMPI_Request request;
  check_refused(AMPI_Raccumulate(mine, 1, type, 0, 0, 1, type, MPI_SUM, window, &request), "AMPI_Raccumulate", "is for locks");
  AMPI_Win_fence(0, window);
  AMPI_Win_free(&window);
}

namespace {

/// Numbers that are told by `seed`.
template <class T>
T made_of(int seed) {
  T x;
  double numbers[sizeof(T) / sizeof(double)];
  for (std::size_t i = 0; i < sizeof(T) / sizeof(double); ++i) numbers[i] = std::sin(1.7 * seed + 0.6 * static_cast<double>(i) + 0.1);
  std::memcpy(static_cast<void *>(&x), numbers, sizeof x);
  return x;
}

template <class T>
bool close(const T &a, const T &b) {
  const double *const x = reinterpret_cast<const double *>(&a), *const y = reinterpret_cast<const double *>(&b);
  bool same = true;
  for (std::size_t i = 0; i < sizeof(T) / sizeof(double); ++i) same = same && std::fabs(x[i] - y[i]) <= 1e-14 * (1.0 + std::fabs(y[i]));
  return same;
}

template <class T>
T combined(MPI_Op op, const T &old, const T &brought) {
  if (op == MPI_SUM) return old + brought;
  if (op == MPI_PROD) return old * brought;
  if (op == MPI_MIN) return value(brought) < value(old) ? brought : old;
  if (op == MPI_MAX) return value(old) < value(brought) ? brought : old;
  return op == MPI_REPLACE ? brought : old;
}

/// Accumulates by each operation, in fences, between Start and Complete and under locks.
template <class T>
void check_accumulates() {
  test::begin();
  constexpr int n = 5;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), right = (rank + 1) % size, left = (rank + size - 1) % size;
  T *shared = nullptr;
  MPI_Win window;
  AMPI_Win_allocate(n * sizeof(T), sizeof(T), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  MPI_Datatype every_second;
  MPI_Type_vector(3, 1, 2, mpi_type<T>(), &every_second);
  MPI_Type_commit(&every_second);
  MPI_Group all, to, from;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE}) {
    std::vector<T> mine(n), expected(n), got(n), before(n);
    const auto begin = [&](int round) {
      for (int i = 0; i < n; ++i) {
        expected[i] = shared[i] = made_of<T>(round + 100 * rank + i);
        mine[i] = made_of<T>(7 * round + 31 * rank + 3 * i);
        before[i] = made_of<T>(round + 100 * right + i);
      }
      AMPI_Barrier(MPI_COMM_WORLD);
    };
    const auto brought = [](int round, int origin, int i) { return made_of<T>(7 * round + 31 * origin + 3 * i); };
    const auto check = [&](const char *when) {
      CAPTURE(when);
      for (int i = 0; i < n; ++i) {
        CAPTURE(i);
        CHECK(close(shared[i], expected[i]));
      }
      AMPI_Barrier(MPI_COMM_WORLD);
    };

    // From the left and from here, in the order of ranks.
    begin(1);
    AMPI_Win_fence(0, window);
    AMPI_Accumulate(mine.data(), n, AMPI_ADOUBLE, right, 0, n, AMPI_ADOUBLE, op, window);
    AMPI_Accumulate(mine.data(), 3, mpi_type<T>(), rank, 0, 1, every_second, op, window);
    AMPI_Win_fence(0, window);
    for (const bool of_left : {left <= rank, left > rank})
      for (int i = 0; i < n; ++i) {
        if (of_left)
          expected[i] = combined(op, expected[i], brought(1, left, i));
        else if (i % 2 == 0)
          expected[i] = combined(op, expected[i], brought(1, rank, i / 2));
      }
    check("between fences");

    begin(2);
    AMPI_Win_fence(0, window);
    AMPI_Get_accumulate(mine.data(), 4, AMPI_ADOUBLE, got.data(), 4, AMPI_ADOUBLE, right, 1, 4, AMPI_ADOUBLE, op, window);
    AMPI_Fetch_and_op(&mine[0], &got[4], AMPI_ADOUBLE, right, 0, op, window);
    AMPI_Win_fence(0, window);
    for (int i = 0; i < 4; ++i) expected[i + 1] = combined(op, expected[i + 1], brought(2, left, i));
    expected[0] = combined(op, expected[0], brought(2, left, 0));
    for (int i = 0; i < 4; ++i) CHECK(close(got[i], before[i + 1]));
    CHECK(close(got[4], before[0]));
    check("fetching");

    begin(3);
    AMPI_Win_fence(0, window);
    AMPI_Get_accumulate(mine.data(), 0, AMPI_ADOUBLE, got.data(), n, AMPI_ADOUBLE, right, 0, n, AMPI_ADOUBLE, MPI_NO_OP, window);
    AMPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    for (int i = 0; i < n; ++i) CHECK(close(got[i], before[i]));
    check("by MPI_NO_OP");

    begin(4);
    AMPI_Win_post(from, 0, window);
    AMPI_Win_start(to, 0, window);
    AMPI_Accumulate(mine.data(), n, AMPI_ADOUBLE, right, 0, n, AMPI_ADOUBLE, op, window);
    AMPI_Win_complete(window);
    AMPI_Win_wait(window);
    for (int i = 0; i < n; ++i) expected[i] = combined(op, expected[i], brought(4, left, i));
    check("between Start and Complete");

    begin(5);
    AMPI_Win_lock_all(0, window);
    AMPI_Request request;
    AMPI_Accumulate(mine.data(), 2, AMPI_ADOUBLE, right, 0, 2, AMPI_ADOUBLE, op, window);
    AMPI_Fetch_and_op(&mine[2], &got[2], AMPI_ADOUBLE, right, 2, op, window);
    AMPI_Raccumulate(mine.data() + 3, 2, AMPI_ADOUBLE, right, 3, 2, AMPI_ADOUBLE, op, window, &request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    AMPI_Win_unlock_all(window);
    AMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) expected[i] = combined(op, expected[i], brought(5, left, i));
    CHECK(close(got[2], before[2]));
    check("under a lock");
  }
  MPI_Group_free(&all);
  MPI_Group_free(&to);
  MPI_Group_free(&from);
  MPI_Type_free(&every_second);
  AMPI_Win_free(&window);
}

}  // namespace

TEST_CASE("test_tangent_types_accumulated_in_windows") {
  check_accumulates<first>();
  check_accumulates<second>();
  check_accumulates<several>();
  check_accumulates<tangent<several, 2>>();
}

TEST_CASE("test_tangent_types_accumulated_beside_numbers") {
  // A number beside a tangent: each is added to its like, and a product is refused.
  struct cell {
    first x;
    double mass;
  };
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), lengths[] = {1, 1};
  const MPI_Aint offsets[] = {offsetof(cell, x), offsetof(cell, mass)};
  const MPI_Datatype types[] = {mpi_type<first>(), MPI_DOUBLE};
  MPI_Datatype type;
  AMPI_Type_create_struct(2, lengths, offsets, types, &type);
  AMPI_Type_commit(&type);
  cell *shared = nullptr;
  MPI_Win window;
  AMPI_Win_allocate(2 * sizeof(cell), sizeof(cell), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  shared[0] = {{2.0, 1.0}, 3.0}, shared[1] = {{4.0, 1.0}, 5.0};
  const cell brought[] = {{{10.0, 20.0}, 30.0}, {{40.0, 50.0}, 60.0}};
  const void *const unseen = brought;
  AMPI_Win_fence(0, window);
  REQUIRE(AMPI_Accumulate(unseen, 2, type, rank, 0, 2, type, MPI_SUM, window) == MPI_SUCCESS);
  for (const MPI_Op op : {MPI_PROD, MPI_MIN})
    check_refused(AMPI_Accumulate(unseen, 2, type, rank, 0, 2, type, op, window), "AMPI_Accumulate", "has numbers beside tangents");
  AMPI_Win_fence(0, window);
  CHECK(shared[0].x.value == 12.0);
  CHECK(shared[0].x.derivative == 21.0);
  CHECK(shared[0].mass == 33.0);
  CHECK(shared[1].x.value == 44.0);
  CHECK(shared[1].x.derivative == 51.0);
  CHECK(shared[1].mass == 65.0);
  AMPI_Win_fence(0, window);
  REQUIRE(AMPI_Accumulate(unseen, 2, type, rank, 0, 2, type, MPI_REPLACE, window) == MPI_SUCCESS);
  AMPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  CHECK(std::memcmp(shared, brought, sizeof brought) == 0);
  MPI_Type_free(&type);
  AMPI_Win_free(&window);
}

namespace {

/// Active tangents, whose numbers are inputs.
template <class T>
struct active_tangents {
  static constexpr std::size_t each = sizeof(T) / sizeof(var);
  std::vector<var> numbers;

  active_tangents(admpi::tape &tape, int n, int seed) : numbers(each * static_cast<std::size_t>(n)) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(1.7 * seed + 0.6 * static_cast<double>(i) + 0.1);
    tape.input(numbers);
  }
  T operator[](int i) const {
    T x;
    std::memcpy(static_cast<void *>(&x), numbers.data() + each * static_cast<std::size_t>(i), sizeof x);
    return x;
  }
};

/// Adds each number of x with a weight of its own.
template <class T>
void weigh(var &objective, const T &x, int first_weight) {
  const var *const numbers = reinterpret_cast<const var *>(&x);
  for (std::size_t i = 0; i < sizeof(T) / sizeof(var); ++i) objective += numbers[i] * (first_weight + static_cast<int>(i));
}

enum class way { fence, fetch, start, lock };

/// An accumulate on the right neighbour: values and derivatives are those of a program of one process.
template <class T>
void check_active_accumulate(MPI_Op op, way by) {
  constexpr int n = 3;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), right = (rank + 1) % size, left = (rank + size - 1) % size;
  CAPTURE(static_cast<int>(by));
  const auto gradient = [](admpi::tape &tape, const var &objective, const active_tangents<T> &x, const active_tangents<T> &y) {
    tape.stop();
    tape.seed(objective, 1.0);
    tape.reverse();
    std::vector<double> all;
    for (const active_tangents<T> *each : {&x, &y})
      for (const var &number : each->numbers) all.push_back(tape.adjoint(number));
    return all;
  };
  admpi::tape tape;
  tape.start();
  const active_tangents<T> before(tape, n, 100 * rank), mine(tape, n, 31 * rank + 7);
  T *shared = nullptr;
  MPI_Win window;
  AMPI_Win_allocate(n * sizeof(T), sizeof(T), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  std::vector<T> brought, got(n, T(0.0));
  for (int i = 0; i < n; ++i) shared[i] = before[i], brought.push_back(mine[i]);
  AMPI_Barrier(MPI_COMM_WORLD);
  MPI_Group all, to, from;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &right, &to);
  MPI_Group_incl(all, 1, &left, &from);
  const auto accumulate = [&] {
    AMPI_Accumulate(brought.data(), n, AMPI_ADOUBLE, right, 0, n, AMPI_ADOUBLE, op, window);
  };
  if (by == way::fence || by == way::fetch) {
    AMPI_Win_fence(0, window);
    if (by == way::fence)
      accumulate();
    else
      AMPI_Get_accumulate(brought.data(), n, AMPI_ADOUBLE, got.data(), n, AMPI_ADOUBLE, right, 0, n, AMPI_ADOUBLE, op, window);
    AMPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  } else if (by == way::start) {
    AMPI_Win_post(from, 0, window);
    AMPI_Win_start(to, 0, window);
    accumulate();
    AMPI_Win_complete(window);
    AMPI_Win_wait(window);
  } else {
    AMPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    accumulate();
    AMPI_Win_unlock(right, window);
    AMPI_Barrier(MPI_COMM_WORLD);
  }
  var objective = 0.0;
  for (int i = 0; i < n; ++i) weigh(objective, shared[i], 2 + i), weigh(objective, got[i], 5 - i);
  const std::vector<T> results(shared, shared + n);
  for (MPI_Group *group : {&all, &to, &from}) MPI_Group_free(group);
  AMPI_Win_free(&window);
  const std::vector<double> found = gradient(tape, objective, before, mine);

  admpi::tape serial;
  serial.start();
  const active_tangents<T> old(serial, n, 100 * rank), own(serial, n, 31 * rank + 7), others(serial, n, 31 * left + 7),
      there(serial, n, 100 * right);
  // Where this rank's tangents are alone, they stand at their own place.
  const bool is_alone = size == 1;
  var sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const T here = combined(op, old[i], is_alone ? own[i] : others[i]);
    CHECK(admpi::value(here) == admpi::value(results[static_cast<std::size_t>(i)]));
    weigh(sum, here, 2 + i);
    if (!is_alone) weigh(sum, combined(op, there[i], own[i]), 2 + i);
    // What the left one fetches is this rank's.
    if (by == way::fetch) weigh(sum, old[i], 5 - i);
  }
  const std::vector<double> expected = gradient(serial, sum, old, own);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-13));
}

}  // namespace

TEST_CASE("test_tangent_types_of_active_values_accumulated") {
  test::begin();
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE})
    for (const way by : {way::fence, way::fetch, way::start, way::lock}) {
      check_active_accumulate<tangent<var>>(op, by);
      // Only products depend on how the numbers are nested.
      if (op == MPI_PROD) check_active_accumulate<tangent<tangent<var>, 2>>(op, by);
    }
}

TEST_CASE("test_tangent_types_accumulated_products_with_zeros_and_infinities") {
  // In derivatives zero wins over infinity, as in reductions.
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  second *shared = nullptr;
  MPI_Win window;
  AMPI_Win_allocate(sizeof(second), sizeof(second), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  const double infinity = std::numeric_limits<double>::infinity();
  const second brought(first(0.0, 3.0), first(5.0, 7.0));
  for (const bool locked : {false, true}) {
    shared[0] = second(first(2.0, infinity), first(1.0, infinity));
    AMPI_Barrier(MPI_COMM_WORLD);
    if (locked) AMPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    else AMPI_Win_fence(0, window);
    AMPI_Accumulate(&brought, 1, AMPI_ADOUBLE, rank, 0, 1, AMPI_ADOUBLE, MPI_PROD, window);
    if (locked) AMPI_Win_unlock(rank, window);
    else AMPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    AMPI_Barrier(MPI_COMM_WORLD);
    CHECK(shared[0].value.value == 0.0);
    CHECK(shared[0].value.derivative == 6.0);
    CHECK(shared[0].derivative.value == 10.0);
    CHECK(shared[0].derivative.derivative == infinity);
  }
  AMPI_Win_free(&window);
}

TEST_CASE("test_tangent_types_accumulated_by_all_at_once") {
  // Under locks no update is lost, and no value meets the derivative of another.
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  first *shared = nullptr;
  MPI_Win window;
  AMPI_Win_allocate(2 * sizeof(first), sizeof(first), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  AMPI_Barrier(MPI_COMM_WORLD);
  AMPI_Win_lock_all(0, window);
  bool alike = true;
  for (int i = 0; i < 50; ++i) {
    const first one(1.0, 2.0), now(rank + 1.0, 10.0 * (rank + 1.0));
    first old;
    AMPI_Accumulate(&one, 1, AMPI_ADOUBLE, 0, 0, 1, AMPI_ADOUBLE, MPI_SUM, window);
    AMPI_Fetch_and_op(&now, &old, AMPI_ADOUBLE, 0, 1, MPI_REPLACE, window);
    AMPI_Win_flush(0, window);
    alike = alike && old.derivative == 10.0 * old.value;
  }
  AMPI_Win_unlock_all(window);
  AMPI_Barrier(MPI_COMM_WORLD);
  CHECK(alike);
  if (rank == 0) {
    CHECK(shared[0].value == 50.0 * size);
    CHECK(shared[0].derivative == 100.0 * size);
  }
  AMPI_Barrier(MPI_COMM_WORLD);
  AMPI_Win_free(&window);
}

TEST_CASE("test_tangent_types_of_active_values_in_windows") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), right = (rank + 1) % size;
  const int left = (rank + size - 1) % size;
  admpi::tape tape;
  tape.start();
  var x = 2.0 + rank, u = 1.0;
  tape.input(x);
  tape.input(u);
  tangent<var> *shared = nullptr;
  const tangent<var> mine = {x * x, 2.0 * x * u};
  tangent<var> got = {0.0, 0.0};
  MPI_Win window;
  AMPI_Win_allocate(2 * sizeof mine, sizeof mine, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  const MPI_Datatype type = mpi_type<tangent<var>>();
  const void *const unseen = &mine;
  AMPI_Win_fence(0, window);
  AMPI_Put(&mine, 1, AMPI_ADOUBLE, right, 0, 1, AMPI_ADOUBLE, window);
  AMPI_Accumulate(unseen, 1, type, right, 1, 1, type, MPI_SUM, window);
  AMPI_Accumulate(&mine, 1, AMPI_ADOUBLE, right, 1, 1, AMPI_ADOUBLE, MPI_SUM, window);
  AMPI_Win_fence(0, window);
  AMPI_Get(&got, 1, AMPI_ADOUBLE, right, 0, 1, AMPI_ADOUBLE, window);
  AMPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  CHECK(got.derivative.value == 2.0 * x.value);
  CHECK(shared[1].derivative.value == 4.0 * (2.0 + left));
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  AMPI_Win_fence(0, window);
  check_refused(AMPI_Accumulate(unseen, 1, type, 0, 0, 1, type, MPI_MAXLOC, window), "AMPI_Accumulate", "after a Get");
  check_refused(AMPI_Accumulate(unseen, 1, type, 0, 0, 2, AMPI_ADOUBLE, MPI_PROD, window), "AMPI_Accumulate",
                "is of tangents, and the other is not");
  check_refused(AMPI_Accumulate(unseen, 2, type, 0, 0, 1, mpi_type<tangent<tangent<var>>>(), MPI_PROD, window), "AMPI_Accumulate",
                "its tangents are not those");
  AMPI_Win_fence(0, window);
  const var y = shared[1].derivative + 10.0 * got.derivative + 100.0 * shared[0].value;
  AMPI_Win_free(&window);
  tape.stop();
  tape.seed(y, 1.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == 4.0 + 20.0 + 200.0 * x.value);
  CHECK(tape.adjoint(u) == 4.0 * x.value + 20.0 * x.value);
}
