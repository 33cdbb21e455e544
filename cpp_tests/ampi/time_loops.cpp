// Time loops on ranks: halos by persistent requests, an Allreduce in each step, and what the ranks agree on.
#include "harness/identity.hpp"

#include <admpi/time_loop.hpp>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include <sys/resource.h>

using admpi::var;
using test::left;
using test::rank;
using test::right;
using test::size;
using test::world;

namespace {

constexpr int n = 5;

std::vector<double> gradient(int steps, const std::function<void(admpi::time_loop &)> &choose, bool online = false) {
  test::recording_tape tape;
  std::vector<var> u(n + 2), flux(n + 2);
  var k = 0.2;
  for (int i = 0; i < n + 2; ++i) u[i] = std::cos(1.0 + i + 7 * rank());
  tape.input(u);
  tape.input(k);
  const std::vector<var> start = u;
  admpi::time_loop loop(tape);
  loop.over(world);
  choose(loop);
  loop.state(u);
  loop.parameters(k);
  AMPI_Request halo[4];
  AMPI_Recv_init(&u[0], 1, AMPI_ADOUBLE, left(), 1, world, &halo[0]);
  AMPI_Recv_init(&u[n + 1], 1, AMPI_ADOUBLE, right(), 2, world, &halo[1]);
  AMPI_Send_init(&u[n], 1, AMPI_ADOUBLE, right(), 1, world, &halo[2]);
  AMPI_Send_init(&u[1], 1, AMPI_ADOUBLE, left(), 2, world, &halo[3]);
  const auto step = [&](std::int64_t) {
    AMPI_Startall(4, halo);
    AMPI_Waitall(4, halo, AMPI_STATUSES_IGNORE);
    // At most three operands: longer statements that repeat one agree to rounding only.
    for (int i = 1; i <= n; ++i) {
      const var curve = u[i - 1] - 2.0 * u[i] + u[i + 1];
      flux[i] = k * curve + 0.01 * sin(u[i]);
    }
    var mine = 0.0, mean;
    for (int i = 1; i <= n; ++i) {
      u[i] += flux[i];
      mine += u[i] * u[i];
    }
    AMPI_Allreduce(&mine, &mean, 1, AMPI_ADOUBLE, AMPI_SUM, world);
    u[2] += 0.001 * mean;
  };
  if (online) loop.run_while([&](std::int64_t number) { return number < steps; }, step);
  else loop.run(steps, step);
  var y = 0.0;
  for (int i = 1; i <= n; ++i) y += u[i] * u[i] * (1.0 + i);
  tape.seed(y);
  tape.reverse();
  std::vector<double> all{y.value, tape.adjoint(k)};
  for (const var &x : start) all.push_back(tape.adjoint(x));
  for (AMPI_Request &request : halo) AMPI_Request_free(&request);
  return all;
}

}  // namespace

TEST_CASE("test_time_loops_with_halos_and_reductions") {
  for (const int steps : {1, 6, 25}) {
    const std::vector<double> whole = gradient(steps, [](admpi::time_loop &loop) { loop.all(); });
    for (const bool online : {false, true}) {
      for (const int snapshots : {1, 3, 100}) {
        CHECK(gradient(steps, [=](admpi::time_loop &loop) { loop.binomial(snapshots); }, online) == whole);
        CHECK(gradient(steps, [=](admpi::time_loop &loop) { loop.binomial(snapshots, 4); }, online) == whole);
        CHECK(gradient(steps, [=](admpi::time_loop &loop) { loop.mixed(snapshots); }, online) == whole);
      }
      CHECK(gradient(steps, [](admpi::time_loop &loop) { loop.binomial(1), loop.disk("/tmp", 4); }, online) == whole);
      // The ranks have different budgets, and do the same.
      CHECK(gradient(steps, [](admpi::time_loop &loop) { loop.budget(4000 + 20000 * rank()); }, online) == whole);
    }
  }
}

TEST_CASE("test_time_loops_ranks_choose_the_same") {
  test::recording_tape tape;
  std::vector<var> u(100 + 50 * rank(), 1.0);
  tape.input(u);
  admpi::time_loop loop(tape);
  loop.over(world);
  loop.budget(100000 - 10000 * rank());
  loop.state(u);
  loop.run(1000, [&](std::int64_t) {
    for (var &x : u) x = x * u[0];
  });
  std::int64_t mine[3] = {loop.chosen().kind, loop.chosen().snapshots, loop.chosen().block}, least[3], most[3];
  MPI_Allreduce(mine, least, 3, MPI_INT64_T, MPI_MIN, world);
  MPI_Allreduce(mine, most, 3, MPI_INT64_T, MPI_MAX, world);
  CHECK(mine[0] != ADMPI_LOOP_ALL);
  for (int i = 0; i < 3; ++i) CHECK(least[i] == most[i]);
}

TEST_CASE("test_time_loops_a_full_disk_on_one_rank") {
  test::recording_tape tape;
  std::vector<var> u(1000, 1.0 + rank());
  tape.input(u);
  const var start = u[0];
  admpi::time_loop loop(tape);
  loop.over(world);
  loop.blocks(1);
  loop.disk("/tmp", 100);
  loop.state(u);
  const auto step = [&](std::int64_t) {
    var mine = u[0], mean;
    AMPI_Allreduce(&mine, &mean, 1, AMPI_ADOUBLE, AMPI_SUM, world);
    u[0] = 0.5 * mean;
  };
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  if (rank() == size() - 1) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit low{20000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &low);
  }
  std::string text;
  try {
    loop.run(10, step);
  } catch (const admpi::error &e) {
    text = e.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(text.find(rank() == size() - 1 ? "cannot write a state" : "failed on a rank other than") != std::string::npos);
  CHECK(u[0].id == start.id);
  loop.run(3, step);
  tape.seed(u[0]);
  tape.reverse();
  // Each rank's start goes to each rank's result with (size / 2)^2 / 2.
  CHECK(tape.adjoint(start) == size() * 0.125 * size() * size());
}

/* What a step starts and another completes could not be run again. */
TEST_CASE("test_time_loops_a_request_left_open_by_a_step") {
  test::recording_tape tape;
  var u = 1.0 + rank(), from = 0.0, other = 0.0;
  tape.input(u);
  const var start = u;
  admpi::time_loop loop(tape);
  loop.over(world);
  loop.binomial(2);
  loop.state(u, from);
  AMPI_Request request = AMPI_REQUEST_NULL;
  bool closed = false;
  const auto step = [&](std::int64_t) {
    AMPI_Irecv(&from, 1, AMPI_ADOUBLE, left(), 1, world, &request);
    AMPI_Send(&u, 1, AMPI_ADOUBLE, right(), 1, world);
    if (closed) {
      AMPI_Wait(&request, MPI_STATUS_IGNORE);
      u = 0.5 * from;
    }
  };
  std::string text;
  try {
    loop.run(4, step);
  } catch (const admpi::error &e) {
    text = e.what();
  }
  CHECK(text.find("time_loop, step 0: a request of AMPI_Irecv") != std::string::npos);
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  // One that is open all the time is none of the loop's.
  AMPI_Request outer;
  AMPI_Irecv(&other, 1, AMPI_ADOUBLE, left(), 9, world, &outer);
  closed = true;
  tape.reset();
  tape.start();
  u = start.value;
  from = 0.0;
  tape.input(u);
  loop.run(4, step);
  AMPI_Send(&u, 1, AMPI_ADOUBLE, right(), 9, world);
  AMPI_Wait(&outer, MPI_STATUS_IGNORE);
  CHECK(other.value > 0.0);
}

TEST_CASE("test_time_loops_ranks_that_differ") {
  if (size() == 1) return;
  test::recording_tape tape;
  var x = 1.0;
  tape.input(x);
  admpi::time_loop loop(tape);
  loop.over(world);
  loop.state(x);
  std::string text;
  try {
    loop.run(rank() == 0 ? 3 : 4, [&](std::int64_t) { x = x * x; });
  } catch (const admpi::mismatch_error &e) {
    text = e.what();
  }
  CHECK(text.find("the ranks differ in steps (here " + std::to_string(rank() == 0 ? 3 : 4)) != std::string::npos);
}

TEST_CASE("test_time_loops_a_rank_that_is_not_repeatable") {
  admpi_set_check(1);
  {
    test::recording_tape tape;
    var x = 1.0;
    tape.input(x);
    admpi::time_loop loop(tape);
    loop.over(world);
    loop.binomial(2);
    loop.state(x);
    int calls = 0;
    loop.run(8, [&](std::int64_t) {
      ++calls;
      x = x * (rank() == size() - 1 && calls > 20 ? 1.5 : 2.0);
    });
    tape.seed(x);
    std::string text;
    try {
      tape.reverse();
    } catch (const admpi::mismatch_error &e) {
      text = e.what();
    }
    const std::string wanted = rank() == size() - 1 ? ", rank " + std::to_string(rank()) + ": run again" : "failed on a rank other than";
    CHECK(text.find(wanted) != std::string::npos);
  }
  admpi_set_check(0);
}
