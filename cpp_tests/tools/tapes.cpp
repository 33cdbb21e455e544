// Tapes of other tools under adjoint MPI: the same programs with their variables give the derivatives of admpi's own tape.
#include <doctest/doctest.h>

#include <string>

#include "tools/outcome.hpp"
#include "tools/stand_in.hpp"

using programs::by_own_tape;
using programs::check_same;
using programs::count;
using programs::length;
using programs::list;
using programs::outcome;
using stand_in::behaviour;
using stand_in::real;
using stand_in::table;
using stand_in::tape;
using test::rank;
using test::size;
using test::world;

namespace {

/// Sweeps the tape with all directions at once, twice if asked.
template <behaviour B>
outcome by_tool(int which, int directions, int sweeps = 1) {
  outcome found;
  const MPI_Datatype type = table<B>::datatype();
  tape<B> record;
  record.directions = directions;
  {
    list<real<B>> x(length), y;
    record.recording = true;
    for (int i = 0; i < length; ++i) x[i].become(programs::input(i), true);
    const list<real<B>> start = x;
    programs::run<real<B>>(which, type, x, y);
    record.recording = false;
    for (const auto &one : y) found.values.push_back(one.value());
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      std::fill(record.adjoints.begin(), record.adjoints.end(), 0.0);
      for (std::size_t i = 0; i < y.size(); ++i)
        for (int d = 0; d < directions && y[i].id() != 0; ++d) record.adjoint(y[i].id())[d] += programs::weight(i, d);
      record.evaluate();
    }
    for (int d = 0; d < directions; ++d)
      for (const auto &one : start) found.gradient.push_back(record.adjoint(one.id())[d]);
  }
  return found;
}

template <behaviour B>
void check_all() {
  for (int which = 0; which < count; ++which) {
    CAPTURE(which);
    check_same(by_tool<B>(which, 1), by_own_tape(which, 1));
    check_same(by_tool<B>(which, 3), by_own_tape(which, 3));
  }
}

template <behaviour B>
std::int64_t steps_of(admpi_statistics &held) {
  std::int64_t steps = -1;
  CHECK(admpi_tool_statistics(&table<B>::tool(), &held, &steps) == ADMPI_SUCCESS);
  return steps;
}

bool last_error_has(const char *text) { return std::string(admpi_last_error()).find(text) != std::string::npos; }

}  // namespace

TEST_CASE("test_tool_that_counts_ids") { check_all<behaviour::counting>(); }
TEST_CASE("test_tool_that_reuses_ids") { check_all<behaviour::reusing>(); }
TEST_CASE("test_tool_that_restores_values") { check_all<behaviour::restoring>(); }

TEST_CASE("test_tool_random_programs_give_the_gradients_of_admpis_own_tape") {
  for (int which = count; which < count + programs::random_programs; ++which) {
    CAPTURE(which - count + 1);
    check_same(by_tool<behaviour::counting>(which, 1), by_own_tape(which, 1));
    check_same(by_tool<behaviour::reusing>(which, 2), by_own_tape(which, 2));
    check_same(by_tool<behaviour::restoring>(which, 1), by_own_tape(which, 1));
  }
}

TEST_CASE("test_tool_that_sweeps_twice") {
  for (int which = 0; which < count; ++which) {
    CAPTURE(which);
    check_same(by_tool<behaviour::counting>(which, 2, 2), by_own_tape(which, 2));
  }
}

TEST_CASE("test_tool_whose_tape_is_reset_holds_nothing") {
  constexpr behaviour B = behaviour::reusing;
  const MPI_Datatype type = table<B>::datatype();
  admpi_statistics held{}, first{};
  tape<B> record;
  record.recording = true;
  for (int turn = 0; turn < 3; ++turn) {
    list<real<B>> x(1, real<B>(1.0)), y(1);
    x[0].become(1.0, true);
    for (int step = 0; step < 3000; ++step) {
      AMPI_Sendrecv(x.data(), 1, type, test::right(), 0, y.data(), 1, type, test::left(), 0, world, MPI_STATUS_IGNORE);
      x[0] = y[0];
    }
    CHECK(steps_of<B>(held) == 3000);
    if (turn == 0) first = held;
    CHECK(held.ids == first.ids);
    record.reset();
    CHECK(steps_of<B>(held) == 0);
    CHECK(held.events == 0);
  }
}

TEST_CASE("test_tool_registers_a_hundred_thousand_operations_in_flat_memory") {
  if (size() > 1) return;  // what is recorded is a rank's own
  constexpr behaviour B = behaviour::counting;
  const MPI_Datatype type = table<B>::datatype();
  admpi_statistics held{}, first{};
  for (int turn = 0; turn < 2; ++turn) {
    tape<B> record;
    record.recording = true;
    list<real<B>> x(2), y(2);
    for (auto &one : x) one.become(1.0, true);
    for (int step = 0; step < 100000; ++step) AMPI_Bcast(x.data(), 2, type, 0, MPI_COMM_SELF);
    AMPI_Allreduce(x.data(), y.data(), 2, type, MPI_SUM, world);
    steps_of<B>(held);
    if (turn == 0) first = held;
    CHECK(held.committed_bytes == first.committed_bytes);
    record.recording = false;
    record.adjoint(y[0].id())[0] = 1.0;
    record.evaluate();
    CHECK(record.adjoint(x[0].id())[0] == size());
  }
  CHECK(steps_of<B>(held) == 0);
  CHECK(held.committed_bytes == first.committed_bytes);
  CHECK(held.ids == 0);
}

namespace {

/// Even ranks and odd ones, who send to and reduce for each other.
template <class S>
void across(MPI_Datatype type, MPI_Comm inter, list<S> &x, list<S> &y) {
  int others, me;
  MPI_Comm_remote_size(inter, &others);
  MPI_Comm_rank(inter, &me);
  y.assign(static_cast<std::size_t>(3 + 2 * others), S(0.5));
  AMPI_Allreduce(x.data(), y.data(), 2, type, MPI_SUM, inter);
  AMPI_Allgather(x.data() + 1, 2, type, y.data() + 3, 2, type, inter);
  AMPI_Request q;
  if (rank() / 2 * 2 + 1 < size()) {  // a partner
    AMPI_Irecv(y.data() + 2, 1, type, me, 3, inter, &q);
    AMPI_Send(x.data() + 4, 1, type, me, 3, inter);
    AMPI_Wait(&q, MPI_STATUS_IGNORE);
  }
  programs::mix(y, x);
}

}  // namespace

TEST_CASE("test_tool_on_an_intercommunicator") {
  if (size() < 2) return;
  MPI_Comm half, inter;
  AMPI_Comm_split(world, rank() % 2, rank(), &half);
  AMPI_Intercomm_create(half, 0, world, 1 - rank() % 2, 9, &inter);
  constexpr behaviour B = behaviour::restoring;
  outcome own, other;
  {
    admpi::tape record;
    list<admpi::var> x(length), y;
    for (int i = 0; i < length; ++i) x[i] = programs::input(i);
    record.start();
    record.input(x);
    across(AMPI_ADOUBLE, inter, x, y);
    for (std::size_t i = 0; i < y.size(); ++i) record.seed(y[i], programs::weight(i, 0));
    record.reverse();
    for (const auto &one : y) own.values.push_back(admpi::value(one));
    for (const auto &one : x) own.gradient.push_back(record.adjoint(one));
  }
  {
    const MPI_Datatype type = table<B>::datatype();
    tape<B> record;
    list<real<B>> x(length), y;
    record.recording = true;
    for (int i = 0; i < length; ++i) x[i].become(programs::input(i), true);
    across(type, inter, x, y);
    record.recording = false;
    for (const auto &one : y) other.values.push_back(one.value());
    for (std::size_t i = 0; i < y.size(); ++i) record.adjoint(y[i].id())[0] += programs::weight(i, 0);
    record.evaluate();
    for (const auto &one : x) other.gradient.push_back(record.adjoint(one.id())[0]);
  }
  check_same(other, own);
  AMPI_Comm_free(&inter);
  AMPI_Comm_free(&half);
}

TEST_CASE("test_tool_that_does_not_record") {
  constexpr behaviour B = behaviour::reusing;
  const MPI_Datatype type = table<B>::datatype();
  tape<B> record;
  record.recording = true;
  list<real<B>> x(3), y(3);
  for (auto &one : x) one.become(rank() + 1.0, true);
  const int id = x[0].id();
  record.recording = false;
  AMPI_Allreduce(x.data(), y.data(), 3, type, MPI_SUM, world);
  CHECK(y[0].value() == size() * (size() + 1) / 2.0);
  CHECK(y[0].id() == 0);
  // What a call leaves as it was stays active.
  AMPI_Bcast(x.data(), 3, type, 0, world);
  CHECK((x[0].id() == id) == (rank() == 0));
  CHECK(x[0].value() == 1.0);
  CHECK(record.entries.empty());
  // Without any tape there is nobody to ask.
  record.recording = true;
}

TEST_CASE("test_tool_mistakes_are_errors") {
  constexpr behaviour B = behaviour::counting;
  admpi_tool wrong = table<B>::tool();
  CHECK(admpi_tool_register(nullptr) == ADMPI_ERR_NULL);
  wrong.size = sizeof wrong - 8;
  CHECK(admpi_tool_register(&wrong) == ADMPI_ERR_ARGUMENT);
  CHECK(last_error_has("tool.size = 88 is less than 96"));
  wrong.size = sizeof wrong;
  wrong.variable_bytes = 0;
  CHECK(admpi_tool_register(&wrong) == ADMPI_ERR_ARGUMENT);
  CHECK(last_error_has("tool.variable_bytes = 0"));
  wrong.variable_bytes = 16;
  wrong.take = nullptr;
  CHECK(admpi_tool_register(&wrong) == ADMPI_ERR_NULL);
  CHECK(last_error_has("tool.take is NULL"));
  wrong.take = table<B>::take;
  wrong.name = nullptr;
  CHECK(admpi_tool_register(&wrong) == ADMPI_ERR_NULL);
  CHECK(admpi_tool_datatype(&wrong) == MPI_DATATYPE_NULL);
  CHECK(last_error_has("not registered"));
  CHECK(admpi_tool_evaluate(123456789, nullptr) == ADMPI_ERR_ARGUMENT);
  CHECK(last_error_has("handle = 123456789"));
  CHECK(admpi_tool_delete(-1) == ADMPI_ERR_ARGUMENT);

  const MPI_Datatype type = table<B>::datatype();
  CHECK(admpi_tool_register(&table<B>::tool()) == ADMPI_SUCCESS);
  CHECK(table<B>::datatype() == type);
  CHECK(table<behaviour::reusing>::datatype() != type);
  tape<B> record;
  record.recording = true;
  list<real<B>> x(1), y(1);
  x[0].become(2.0, true);
  AMPI_Sendrecv(x.data(), 1, type, rank(), 0, y.data(), 1, type, rank(), 0, world, MPI_STATUS_IGNORE);
  REQUIRE(record.entries.size() == 1);
  const auto handle = record.entries[0].handle;
  record.directions = 17;
  CHECK(admpi_tool_evaluate(handle, &record) == ADMPI_ERR_ARGUMENT);
  CHECK(last_error_has("17, which is not in 1..=16"));
  record.directions = 1;
  record.adjoint(y[0].id())[0] = 1.0;
  CHECK(admpi_tool_evaluate(handle, &record) == ADMPI_SUCCESS);
  CHECK(record.adjoint(x[0].id())[0] == 1.0);
  // Another time is another sweep, in which nothing is seeded.
  CHECK(admpi_tool_evaluate(handle, &record) == ADMPI_SUCCESS);
  CHECK(record.adjoint(x[0].id())[0] == 1.0);
  CHECK(admpi_tool_delete(handle) == ADMPI_SUCCESS);
  CHECK(admpi_tool_delete(handle) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_tool_evaluate(handle, &record) == ADMPI_ERR_ARGUMENT);
  record.entries.clear();
}

TEST_CASE("test_tool_calls_that_are_refused") {
  constexpr behaviour B = behaviour::counting;
  const MPI_Datatype type = table<B>::datatype();
  MPI_Comm comm;
  AMPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  list<real<B>> x(4), y(4);
  std::vector<double> plain(4);
  list<admpi::var> own(4);
  int place = 0;
  std::vector<char> packed(200);
  CHECK(AMPI_Pack(x.data(), 1, type, packed.data(), 200, &place, comm) != MPI_SUCCESS);
  CHECK(last_error_has("AMPI_Pack"));
  CHECK(last_error_has("a stand-in"));
  // The two buffers must be of one kind.
  CHECK(AMPI_Sendrecv(x.data(), 1, type, rank(), 0, plain.data(), 1, MPI_DOUBLE, rank(), 0, comm, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS);
  CHECK(last_error_has("recvbuf: the datatype is not of variables of a stand-in"));
  CHECK(AMPI_Sendrecv(own.data(), 1, AMPI_ADOUBLE, rank(), 0, y.data(), 1, type, rank(), 0, comm, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS);
  CHECK(last_error_has("sendbuf"));
  CHECK(AMPI_Send(x.data(), -1, type, MPI_PROC_NULL, 0, comm) != MPI_SUCCESS);
  CHECK(last_error_has("count = -1"));
  CHECK(AMPI_Send(static_cast<real<B> *>(nullptr), 1, type, MPI_PROC_NULL, 0, comm) != MPI_SUCCESS);
  CHECK(last_error_has("NULL"));
  // Parts beside variables, and variables of two tools.
  MPI_Datatype made;
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 16};
  MPI_Datatype parts[] = {type, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, parts, &made);
  CHECK(AMPI_Send(x.data(), 1, made, MPI_PROC_NULL, 0, comm) != MPI_SUCCESS);
  CHECK(last_error_has("passive parts beside variables of another AD tool"));
  MPI_Type_free(&made);
  parts[1] = table<behaviour::reusing>::datatype();
  MPI_Type_create_struct(2, lengths, places, parts, &made);
  CHECK(AMPI_Send(x.data(), 1, made, MPI_PROC_NULL, 0, comm) != MPI_SUCCESS);
  CHECK(last_error_has("more than one AD tool"));
  MPI_Type_free(&made);
  MPI_Op op;
  AMPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 1, &op);
  CHECK(AMPI_Allreduce(x.data(), y.data(), 1, type, op, comm) != MPI_SUCCESS);
  CHECK(last_error_has("op is made by AMPI_Op_create"));
  AMPI_Op_free(&op);
  // Open MPI makes no window of one rank.
  if (size() > 1) {
    MPI_Win win;
    CHECK(AMPI_Win_create(own.data(), 64, 16, MPI_INFO_NULL, comm, &win) == MPI_SUCCESS);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    AMPI_Win_fence(0, win);
    CHECK(AMPI_Put(x.data(), 1, type, rank(), 0, 1, type, win) != MPI_SUCCESS);
    CHECK(last_error_has("AMPI_Put"));
    AMPI_Win_fence(0, win);
    AMPI_Win_free(&win);
  }
  // None of it has left a step open.
  AMPI_Allreduce(x.data(), y.data(), 1, type, MPI_SUM, comm);
  AMPI_Comm_free(&comm);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}
