// Long: one model, its loops and directories serve all cases.
// Time loops by schedules: the gradient of the whole tape to the last bit, how often steps run, what may go wrong.
#include <admpi.hpp>
#include <admpi/map.hpp>
#include <admpi/time_loop.hpp>
#include <admpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <malloc.h>
#include <sys/resource.h>

#include <doctest/doctest.h>

#include "tape/programs.hpp"

using namespace tapes;

namespace {

/// Statements have at most three operands: in longer ones the recorder adds up the partial derivatives of a repeated operand in an
/// order that depends on ids, so that the last bits do too, with and without a loop.
/// A model whose state has copies of one value, values from outside, passive values, and a matrix; some buffers are swapped.
struct model {
  std::vector<var> u, next;
  var k, passive;
  std::array<var, 2> w;
  admpi::varmat m;

  explicit model(admpi::tape_ref tape) : u(6), next(6), k(0.3), passive(0.5), m(2, 2, 0.25) {
    for (int i = 0; i < 6; ++i) u[i] = next[i] = std::cos(1.0 + i);
    w[0] = w[1] = 0.7;
    tape.input(u);
    tape.input(k);
    tape.input(m);
  }
  void step(std::int64_t number) {
    using std::sin;
    for (int i = 1; i < 5; ++i) {
      const var curve = u[i - 1] - 2.0 * u[i] + u[i + 1];
      const var a = u[i] * w[0], b = passive * w[1];
      next[i] = u[i] + k * curve;
      next[i] = next[i] + 0.1 * sin(a + b);
    }
    std::swap(u, next);
    u[5] = u[1];  // the same value twice
    u[0] = number % 3 == 0 ? u[4] : u[0] * u[5];
    w[1] = w[0];
    w[0] = u[2] * w[1] + m(0, 1);
    m(1, 0) = m(0, 0) * u[3] + k;
    m = m * 0.9;
    passive = passive * 0.99;
  }
  template <class Loop>
  void declare(Loop &loop) {
    loop.state(u, next, w, m, passive);
    loop.parameters(k);
  }
  var cost() const {
    var y = 0.0;
    for (int i = 0; i < 6; ++i) {
      y += (1.0 + i) * u[i] * u[i];
      y += next[i] * k;
    }
    y += w[0] * w[1];
    y += m(1, 1) * m(1, 0);
    return y + passive;
  }
};

/// Value and gradient of `steps` steps, where `run` does them.
std::vector<double> gradient(const std::function<void(model &, admpi::tape_ref)> &run, int width = 1, int sweeps = 1) {
  admpi::tape tape;
  tape.start();
  model x(tape);
  const std::vector<var> u = x.u;
  const var k = x.k;
  const admpi::varmat m = x.m;
  run(x, tape);
  const var y = x.cost(), z = x.u[3] * x.k;
  x.k = 17.0;  // what the program does afterwards is nothing to the loop
  x.u[2] = x.u[2] * 5.0;
  tape.set_width(width);
  std::vector<double> all{y.value, z.value};
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    tape.clear_adjoints();
    tape.seed(y, 1.0, 0);
    if (width > 1) tape.seed(z, 2.0, 1);
    tape.reverse();
    for (int d = 0; d < width; ++d) {
      for (const var &v : u) all.push_back(tape.adjoint(v, d));
      all.push_back(tape.adjoint(k, d));
      for (const double a : tape.adjoints(m, d)) all.push_back(a);
    }
  }
  CHECK(x.k.value == 17.0);
  return all;
}

const auto by_hand = [](int steps) {
  return [steps](model &x, admpi::tape_ref) {
    for (int i = 0; i < steps; ++i) x.step(i);
  };
};

/// The end of the loop is not known before.
template <class Choose>
auto by_condition(int steps, Choose choose) {
  return [steps, choose](model &x, admpi::tape_ref tape) {
    admpi::time_loop loop(tape);
    choose(loop);
    x.declare(loop);
    const std::int64_t ran = loop.run_while([steps](std::int64_t i) { return i < steps; }, [&x](std::int64_t i) { x.step(i); });
    CHECK(ran == steps);
  };
}

/// A directory that is gone afterwards.
struct directory {
  std::string path;
  directory() {
    path = (std::filesystem::temp_directory_path() / "admpi-XXXXXX").string();
    REQUIRE(mkdtemp(path.data()) != nullptr);
  }
  ~directory() { std::filesystem::remove_all(path); }
  bool empty() const { return std::filesystem::is_empty(path); }
};

/// No file may be longer: as on a full disk.
struct full_disk {
  rlimit before{};
  explicit full_disk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit low{bytes, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &low) == 0);
  }
  ~full_disk() { setrlimit(RLIMIT_FSIZE, &before); }
};

/// Bytes that the process has taken from the heap and not given back.
double heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return static_cast<double>(now.uordblks + now.hblkhd);
}

template <class Choose>
auto by_loop(int steps, Choose choose) {
  return [steps, choose](model &x, admpi::tape_ref tape) {
    admpi::time_loop loop(tape);
    choose(loop);
    x.declare(loop);
    loop.run(steps, [&x](std::int64_t i) { x.step(i); });
  };
}

}  // namespace

TEST_CASE("test_time_loop_gradient_is_that_of_the_whole_tape") {
  for (const int steps : {0, 1, 2, 7, 40}) {
    CAPTURE(steps);
    for (const int width : {1, 4}) {
      const std::vector<double> whole = gradient(by_hand(steps), width, 2);
      CHECK(gradient(by_loop(steps, [](admpi::time_loop &loop) { loop.all(); }), width, 2) == whole);
      for (const int block : {1, 3, 50}) {
        CAPTURE(block);
        CHECK(gradient(by_loop(steps, [block](admpi::time_loop &loop) { loop.blocks(block); }), width, 2) == whole);
        for (const int snapshots : {1, 2, 5, 100}) {
          const auto binomial = [=](admpi::time_loop &loop) { loop.binomial(snapshots, block); };
          CHECK(gradient(by_loop(steps, binomial), width, 2) == whole);
        }
      }
    }
  }
}

TEST_CASE("test_time_loop_mixed_gradient") {
  for (const int steps : {1, 2, 7, 40}) {
    const std::vector<double> whole = gradient(by_hand(steps), 4, 2);
    for (const int units : {1, 2, 5, 100}) {
      for (const int block : {1, 3}) {
        CAPTURE(steps);
        CAPTURE(units);
        CAPTURE(block);
        const auto mixed = [=](admpi::time_loop &loop) { loop.mixed(units, block); };
        CHECK(gradient(by_loop(steps, mixed), 4, 2) == whole);
        CHECK(gradient(by_condition(steps, mixed), 4, 2) == whole);
      }
    }
  }
}

TEST_CASE("test_time_loop_end_not_known_before") {
  for (const int steps : {0, 1, 2, 7, 40}) {
    const std::vector<double> whole = gradient(by_hand(steps), 1, 2);
    for (const int block : {1, 3, 50}) {
      CAPTURE(steps);
      CAPTURE(block);
      CHECK(gradient(by_condition(steps, [=](admpi::time_loop &loop) { loop.blocks(block); }), 1, 2) == whole);
      for (const int snapshots : {1, 2, 5}) {
        CHECK(gradient(by_condition(steps, [=](admpi::time_loop &loop) { loop.binomial(snapshots, block); }), 1, 2) == whole);
      }
    }
    CHECK(gradient(by_condition(steps, [](admpi::time_loop &loop) { loop.all(); }), 1, 2) == whole);
    CHECK(gradient(by_condition(steps, [](admpi::time_loop &) {}), 1, 2) == whole);
    CHECK(gradient(by_condition(steps, [](admpi::time_loop &loop) { loop.budget(4000); }), 1, 2) == whole);
  }
}

TEST_CASE("test_time_loop_condition_of_the_state") {
  admpi::tape tape;
  tape.start();
  var x = 1.0;
  tape.input(x);
  const var x0 = x;
  admpi::time_loop loop(tape);
  loop.binomial(3);
  loop.state(x);
  int asked = 0;
  const auto below = [&] { return ++asked, x < 1000.0; };
  CHECK(loop.run_while(below, [&](std::int64_t) { x = 2.0 * x; }) == 10);
  CHECK(asked == 11);
  tape.seed(x);
  tape.reverse();
  CHECK(tape.adjoint(x0) == 1024.0);
  CHECK(asked == 11);
  const double before = x.value;
  const auto fails = [&]() -> bool { throw std::domain_error("no end"); };
  CHECK_THROWS_WITH_AS(loop.run_while(fails, [&](std::int64_t) {}), "no end", std::domain_error);
  CHECK(x.value == before);
}

TEST_CASE("test_time_loop_states_on_disk") {
  const directory scratch;
  for (const int steps : {1, 2, 7, 40}) {
    const std::vector<double> whole = gradient(by_hand(steps), 1, 2);
    for (const int block : {1, 3}) {
      CAPTURE(steps);
      CAPTURE(block);
      const auto blocks = [&](admpi::time_loop &loop) { loop.blocks(block), loop.disk(scratch.path, 1); };
      CHECK(gradient(by_loop(steps, blocks), 1, 2) == whole);
      CHECK(gradient(by_condition(steps, blocks), 1, 2) == whole);
      for (const int memory : {1, 3}) {
        for (const double cost : {0.0, 2.0}) {
          const auto both = [&](admpi::time_loop &loop) { loop.binomial(memory, block), loop.disk(scratch.path, 3, cost, cost); };
          CHECK(gradient(by_loop(steps, both), 1, 2) == whole);
          CHECK(gradient(by_condition(steps, both), 1, 2) == whole);
        }
      }
    }
  }
  CHECK(scratch.empty());
}

TEST_CASE("test_time_loop_counts_of_disk_and_records") {
  const directory scratch;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(1000, 1.0);
  tape.input(x);
  const var x0 = x[0];
  admpi::time_loop levels(tape), mixed(tape);
  levels.binomial(2);
  levels.disk(scratch.path, 3, 0.5, 0.5);
  mixed.mixed(4);
  levels.state(x);
  mixed.state(x);
  const auto step = [&](std::int64_t) { x[0] = x[0] * 1.5; };
  levels.run(30, step);
  CHECK(scratch.empty());  // while it is open
  mixed.run(5, step);
  tape.seed(x[0]);
  tape.reverse();
  CHECK(tape.adjoint(x0) == std::pow(1.5, 35));
  CHECK(levels.statistics().disk_snapshots == 3);
  CHECK(levels.statistics().disk_bytes == 3 * 8000);
  CHECK(levels.statistics().snapshots <= 3);
  CHECK(levels.statistics().recorded == 30);
  CHECK(levels.statistics().records == 1);
  // All of the five are recorded at once, from four units, and none is run again before.
  CHECK(mixed.statistics().advanced == 0);
  CHECK(mixed.statistics().recorded == 5);
}

TEST_CASE("test_time_loop_full_disk") {
  const directory scratch;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(1000, 1.0);
  tape.input(x);
  const var x0 = x[0];
  admpi::time_loop loop(tape);
  loop.blocks(1);
  loop.disk(scratch.path, 100);
  loop.state(x);
  const auto step = [&](std::int64_t) { x[0] = x[0] * x0; };
  const auto before = tape.statistics().ids;
  {
    const full_disk full(20000);
    const auto [code, text] = thrown([&] { loop.run(10, step); });
    CHECK(code == ADMPI_ERR_DISK);
    CHECK(text.find("cannot write a state in directory " + scratch.path) != std::string::npos);
  }
  CHECK(x[0].id == x0.id);
  CHECK(tape.statistics().ids == before);
  loop.run(10, step);
  for (const bool full : {true, false}) {
    tape.clear_adjoints();
    tape.seed(x[0]);
    if (!full) {
      tape.reverse();
      tape.clear_adjoints();
      tape.seed(x[0]);
      tape.reverse();
      CHECK(tape.adjoint(x0) == 11.0);
      continue;
    }
    tape.reverse();  // what the first run kept is there
    const full_disk none(0);
    tape.clear_adjoints();
    tape.seed(x[0]);
    CHECK(thrown([&] { tape.reverse(); }).first == ADMPI_ERR_DISK);
  }
  loop.disk("/no/such/directory", 1);
  const auto [code, text] = thrown([&] { loop.run(2, step); });
  CHECK(code == ADMPI_ERR_DISK);
  CHECK(text.find("cannot make a state in directory /no/such/directory") != std::string::npos);
  CHECK(thrown([&] { loop.disk(scratch.path, 0); }).second == "time_loop: snapshots = 0 on disk is less than 1");
  CHECK(thrown([&] { loop.disk(scratch.path, 1, -1.0); }).second == "time_loop: write = -1 is not a cost: give the number of steps that take as long");
  loop.mixed(3);
  CHECK(thrown([&] { loop.run(2, step); }).first == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_time_loop_automatic") {
  for (const int steps : {1, 2, 3, 4, 40}) {
    const std::vector<double> whole = gradient(by_hand(steps), 4, 2);
    for (const int budget : {0, 1, 1500, 3000, 5000, 10000, 30000, 1000000}) {
      CAPTURE(steps);
      CAPTURE(budget);
      CHECK(gradient(by_loop(steps, [=](admpi::time_loop &loop) { loop.budget(budget); }), 4, 2) == whole);
    }
  }
  const auto run = [](std::uint64_t budget) {
    admpi::tape tape;
    tape.start();
    std::vector<var> x(100, 1.0);
    tape.input(x);
    admpi::time_loop loop(tape);
    loop.budget(budget);
    loop.state(x);
    const std::uint64_t before = tape.statistics().used_bytes;
    loop.run(1000, [&](std::int64_t) {
      for (var &v : x) v = v * x[0];
    });
    const std::uint64_t tape_bytes = tape.statistics().used_bytes - before, states = loop.statistics().snapshot_bytes;
    CHECK((loop.chosen().kind == ADMPI_LOOP_ALL) == (states == 0));
    if (states > 0) CHECK(tape_bytes + states <= budget);
    return loop.chosen();
  };
  CHECK(run(0).kind == ADMPI_LOOP_ALL);
  CHECK(run(100'000'000).kind == ADMPI_LOOP_ALL);
  CHECK(run(100'000).kind != ADMPI_LOOP_ALL);
  CHECK(run(100'000).snapshots > 10);
}

/* The state is passive before the loop, so its first step records less than the others. */
TEST_CASE("test_time_loop_automatic_from_a_passive_state") {
  constexpr int n = 1000, steps = 40;
  const auto run = [](std::uint64_t budget, bool all) {
    admpi::tape tape;
    tape.start();
    std::vector<var> x(n, 0.1);
    var k = 0.1;
    tape.input(k);
    const var k0 = k;
    admpi::time_loop loop(tape);
    if (all) loop.all();
    loop.budget(budget);
    loop.state(x);
    loop.parameters(k);
    const std::uint64_t before = tape.statistics().used_bytes;
    loop.run(steps, [&](std::int64_t) {
      for (int i = 4; i < n; ++i) x[i] = k * (x[i] + x[i - 1] + x[i - 2] + x[i - 3] + x[i - 4]);
    });
    const std::uint64_t most = tape.statistics().used_bytes - before + loop.statistics().snapshot_bytes;
    if (!all) {
      CHECK(loop.chosen().kind != ADMPI_LOOP_ALL);
      CHECK(most <= budget);
    }
    tape.seed(x[n - 1]);
    tape.reverse();
    return std::make_pair(tape.adjoint(k0), most);
  };
  const auto whole = run(0, true);
  for (const int part : {2, 4, 10}) {
    CAPTURE(part);
    CHECK(run(whole.second / part, false).first == doctest::Approx(whole.first).epsilon(1e-12));
  }
}

/* The end is not known, and the second step still is looked at. */
TEST_CASE("test_time_loop_automatic_measures_two_steps_whose_end_is_not_known") {
  constexpr int n = 1000;
  for (const int steps : {1, 2, 3, 40}) {
    CAPTURE(steps);
    admpi::tape tape;
    tape.start();
    std::vector<var> x(n, 0.1);
    var k = 0.9;
    tape.input(k);
    admpi::time_loop loop(tape);
    loop.budget(200'000);
    loop.state(x);
    loop.parameters(k);
    int asked = 0;
    const auto below = [&](std::int64_t i) { return ++asked, i < steps; };
    loop.run_while(below, [&](std::int64_t i) {
      // The first step records nothing, and each of the others some 30 kB.
      for (int j = 0; i > 0 && j < n; ++j) x[j] = k * x[j];
    });
    CHECK(asked == steps + 1);
    CHECK(loop.statistics().first == steps);
    if (steps > 1) CHECK(loop.chosen().block == 1);
    tape.seed(x[0]);
    tape.reverse();
    CHECK(tape.adjoint(k) == doctest::Approx((steps - 1) * 0.1 * std::pow(0.9, steps - 2)));
  }
}

TEST_CASE("test_time_loop_automatic_with_a_disk") {
  const directory scratch;
  const auto run = [&](double price, bool online) {
    admpi::tape tape;
    tape.start();
    std::vector<var> x(100, 1.0);
    tape.input(x);
    const std::vector<var> start = x;
    admpi::time_loop loop(tape);
    loop.budget(30'000);
    if (price >= 0.0) loop.disk(scratch.path, 1000, price, price);
    loop.state(x);
    // What it records is no larger than a state: without a disk some of it is kept.
    const auto step = [&](std::int64_t) {
      for (int i = 0; i < 30; ++i) x[i] = x[i] * 1.01;
    };
    if (online) loop.run_while([](std::int64_t i) { return i < 400; }, step);
    else loop.run(400, step);
    tape.seed(x[7]);
    tape.reverse();
    CHECK(tape.adjoint(start[7]) == doctest::Approx(std::pow(1.01, 400)));
    if (price < 0.0 || price > 100.0) CHECK(loop.chosen().kind == ADMPI_LOOP_MIXED);
    return loop.statistics();
  };
  const auto runs = [](const admpi::time_loop_statistics &did) { return did.first + did.advanced + did.recorded; };
  const admpi::time_loop_statistics without = run(-1.0, false), cheap = run(0.01, false), dear = run(1e6, false);
  CHECK(cheap.disk_snapshots > 0);
  CHECK(runs(cheap) < runs(without));
  CHECK(dear.disk_snapshots == 0);
  CHECK(runs(dear) == runs(without));
  CHECK(run(0.01, true).disk_snapshots > 0);
  CHECK(scratch.empty());
}

/* Beside what the schedule keeps nothing is left of the steps that were measured, while the others run. */
TEST_CASE("test_time_loop_automatic_keeps_no_more_than_its_schedule") {
  constexpr int n = 100'000;
  admpi::time_loop::schedule is{};
  const auto left = [&](bool automatic, int states) {
    admpi::tape tape;
    tape.start();
    std::vector<var> x(n, 0.5);
    tape.input(x);
    admpi::time_loop loop(tape);
    if (automatic) loop.budget(1 + states * 8 * n);
    else loop.binomial(is.snapshots, is.block);
    loop.state(x);
    const double before = heap_bytes();
    double during = 0.0;
    loop.run(9, [&](std::int64_t i) {
      if (i == 5) during = heap_bytes();
      for (var &v : x) v = v * 0.9;
    });
    is = loop.chosen();
    return during - before;
  };
  for (const int states : {0, 21}) {
    CAPTURE(states);
    const double automatic = left(true, states);
    REQUIRE(is.kind == ADMPI_LOOP_BINOMIAL);
    CHECK(automatic - left(false, states) < 4.0 * n);
  }
}

TEST_CASE("test_time_loop_a_million_cheap_steps") {
  admpi::tape tape;
  tape.start();
  var x = 1.0;
  tape.input(x);
  const var x0 = x;
  admpi::time_loop loop(tape);
  loop.binomial(100, 1000);
  loop.state(x);
  loop.run(1'000'000, [&](std::int64_t step) { x = step % 2 == 0 ? 2.0 * x : 0.5 * x; });
  CHECK(tape.statistics().used_bytes < 1000000);
  tape.seed(x);
  tape.reverse();
  CHECK(tape.adjoint(x0) == 1.0);
  CHECK(loop.statistics().recorded == 1'000'000);
}

TEST_CASE("test_time_loop_repeated_operands_agree_to_rounding") {
  const auto run = [](bool whole) {
    constexpr int n = 50;
    admpi::tape tape;
    tape.start();
    std::vector<var> u(n), next;
    for (int i = 0; i < n; ++i) u[i] = std::sin(0.1 * i);
    var k = 0.2;
    tape.input(u);
    tape.input(k);
    const std::vector<var> start = u;
    admpi::time_loop loop(tape);
    if (whole) loop.all();
    else loop.binomial(10);
    loop.state(u);
    loop.parameters(k);
    loop.run(500, [&](std::int64_t) {
      next = u;
      for (int i = 1; i + 1 < n; ++i) next[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - 0.001 * u[i] * u[i];
      u.swap(next);
    });
    for (const var &x : u) tape.seed(x, x.value);
    tape.reverse();
    std::vector<double> all{tape.adjoint(k)};
    for (const var &x : start) all.push_back(tape.adjoint(x));
    return all;
  };
  const std::vector<double> whole = run(true), loop = run(false);
  double largest = 0.0;
  for (const double x : whole) largest = std::max(largest, std::fabs(x));
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(std::fabs(whole[i] - loop[i]) <= 1e-13 * largest);
}

TEST_CASE("test_time_loop_checked") {
  const checking on;
  CHECK(gradient(by_loop(9, [](admpi::time_loop &loop) { loop.binomial(2); })) == gradient(by_hand(9)));
  CHECK(gradient(by_loop(9, [](admpi::time_loop &loop) { loop.mixed(2); })) == gradient(by_hand(9)));
  CHECK(gradient(by_condition(9, [](admpi::time_loop &loop) { loop.binomial(2); })) == gradient(by_hand(9)));
  CHECK(gradient(by_loop(9, [](admpi::time_loop &loop) { loop.budget(1); })) == gradient(by_hand(9)));
}

TEST_CASE("test_time_loop_long_steps_are_forgotten_in_the_first_run") {
  admpi::tape tape;
  tape.start();
  var x = 0.5, p = 0.1, q = x;
  tape.input(x);
  tape.input(p);
  std::vector<double> all;
  for (const bool by_tape : {true, false}) {
    admpi::nested nest(tape, ADMPI_NEST_ISOLATED);
    tape.start();
    x = 0.5;
    p = 0.1;
    tape.input(x);
    tape.input(p);
    const var start = x;
    q = x;
    admpi::time_loop loop(tape);
    if (by_tape) loop.all();
    else loop.binomial(3);
    loop.state(x, q);
    loop.run(20, [&](std::int64_t) {
      for (int i = 0; i < 30000; ++i) x = x + 1e-5 * sin(x * p + q);
      q = x;
    });
    if (!by_tape) CHECK(tape.statistics().statements < 1000);
    tape.seed(x * q);
    tape.reverse();
    all.push_back(tape.adjoint(start));
    all.push_back(tape.adjoint(p));
  }
  CHECK(all[0] == all[2]);
  CHECK(all[1] == all[3]);
}

TEST_CASE("test_time_loop_counts") {
  admpi::tape tape;
  tape.start();
  var x = 1.0;
  tape.input(x);
  admpi::time_loop loop(tape);
  loop.binomial(3);
  loop.state(x);
  int calls = 0;
  loop.run(20, [&](std::int64_t) { ++calls; x = x * 1.01; });
  CHECK(calls == 20);
  tape.seed(x);
  tape.reverse();
  // t = 3: 20 = beta(3, 3). 3 * 20 - beta(4, 2) = 45 steps that are not recorded, 19 of them in the first run, which goes on to
  // the end.
  const admpi::time_loop_statistics did = loop.statistics();
  CHECK(did.first == 20);
  CHECK(did.advanced == 45 - 19);
  CHECK(did.recorded == 20);
  CHECK(did.snapshots == 4);
  CHECK(calls == 20 + 26 + 20);
  CHECK(did.snapshot_bytes == 4 * 8);
}

/* The unit tests of the plan compare all rows; here it is loops that run, and every 37th row. */
TEST_CASE("test_time_loop_counts_are_those_of_the_published_schedules") {
  admpi::tape tape;
  const auto advanced = [&](std::int64_t steps, bool online, const auto &choose) {
    tape.reset();
    tape.start();
    var x = 1.0;
    tape.input(x);
    admpi::time_loop loop(tape);
    choose(loop);
    loop.state(x);
    std::int64_t calls = 0;
    const auto step = [&](std::int64_t) { ++calls, x = x * 1.5; };
    if (online) loop.run_while([=](std::int64_t i) { return i < steps; }, step);
    else loop.run(steps, step);
    tape.seed(x);
    tape.reverse();
    const admpi::time_loop_statistics did = loop.statistics();
    CHECK(did.first == steps);
    CHECK(did.recorded == steps);
    CHECK(calls == did.first + did.advanced + did.recorded);
    return did.advanced;
  };
  const auto rows = [](const std::string &name, const auto &check) {
    std::ifstream file(ADMPI_TEST_DATA "/" + name + "_schedules.txt");
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      if (line[0] == '#' || number++ % 37 != 0) continue;
      CAPTURE(line);
      std::istringstream words(line);
      std::int64_t steps = 0, units = 0, unrecorded = 0;
      words >> steps >> units >> unrecorded;
      check(steps, units, unrecorded);
    }
    CHECK(number == 200 * 20);
  };
  rows("binomial", [&](std::int64_t steps, std::int64_t snapshots, std::int64_t unrecorded) {
    const auto choose = [=](admpi::time_loop &loop) { loop.binomial(snapshots); };
    CHECK(advanced(steps, false, choose) + steps - 1 == unrecorded);
    const std::int64_t online = advanced(steps, true, choose) + steps - 1;
    CHECK(online >= unrecorded);
    CHECK(100 * online <= 115 * unrecorded);
  });
  rows("mixed", [&](std::int64_t steps, std::int64_t units, std::int64_t unrecorded) {
    // The published schedule records the last steps in its first run, one more than there are units at most.
    const std::int64_t extra = advanced(steps, false, [=](admpi::time_loop &loop) { loop.mixed(units); }) + steps - unrecorded;
    CHECK(extra >= 1);
    CHECK(extra <= units + 1);
  });
}

/* The jobs of a map are recorded anew, and reversed, in each step that is. */
TEST_CASE("test_time_loop_with_a_map_in_a_step") {
  const admpi::map_function decay("decay in a loop", [](const auto &job) {
    job.y[0] = job.params[0] * exp(-job.shared[0] * job.x_r[0]);
  });
  admpi::map_values values;
  values.x_r = {{0.1}, {0.2}, {0.3}};
  admpi::map_workers workers(ADMPI_MAP_THREADS, 2);
  const admpi::map_data data(workers, values);
  const auto run = [&](const auto &choose) {
    admpi::tape tape;
    tape.start();
    std::vector<var> u{1.0, 2.0, 3.0}, rate{0.5};
    tape.input(u);
    tape.input(rate);
    const std::vector<var> start = u;
    admpi::time_loop loop(tape);
    choose(loop);
    loop.state(u);
    loop.parameters(rate);
    loop.run(15, [&](std::int64_t) {
      u = admpi::map_rect(decay, rate, u, data);
      u[0] = u[0] + 0.1 * u[2];
    });
    tape.seed(u[0]);
    tape.reverse();
    std::vector<double> all{u[0].value, tape.adjoint(rate[0])};
    for (const var &x : start) all.push_back(tape.adjoint(x));
    return all;
  };
  const std::vector<double> whole = run([](admpi::time_loop &loop) { loop.all(); });
  CHECK(whole[1] < 0.0);
  CHECK(run([](admpi::time_loop &loop) { loop.binomial(2); }) == whole);
  CHECK(run([](admpi::time_loop &loop) { loop.binomial(1, 4); }) == whole);
  CHECK(run([](admpi::time_loop &loop) { loop.mixed(3); }) == whole);
  CHECK(run([](admpi::time_loop &loop) { loop.budget(1500); }) == whole);
}

TEST_CASE("test_time_loop_hooks_keep_what_is_not_active") {
  const auto run = [](bool hooks, bool whole) {
    admpi::tape tape;
    tape.start();
    var x = 1.0;
    tape.input(x);
    const var x0 = x;
    std::uint32_t random = 1;
    {
      admpi::time_loop loop(tape);
      if (whole) loop.all();
      else loop.binomial(2);
      loop.state(x);
      if (hooks) loop.save([&] { return random; }, [&](std::uint32_t kept) { random = kept; });
      loop.run(17, [&](std::int64_t) {
        random = random * 1664525u + 1013904223u;
        x = x * (1.0 + 1e-10 * random) + sin(x);
      });
    }
    const std::uint32_t before = random;
    tape.seed(x);
    tape.reverse();
    if (hooks) CHECK(random == before);
    return tape.adjoint(x0);
  };
  CHECK(run(true, false) == run(true, true));
  const checking on;
  CHECK(run(true, false) == run(true, true));
  const auto [code, text] = thrown([&] { run(false, false); });
  CHECK(code == ADMPI_ERR_MISMATCH);
  CHECK(text.find("step 16, rank 0: run again, it gave another state") != std::string::npos);
}

TEST_CASE("test_time_loop_steps_that_throw") {
  admpi::tape tape;
  tape.start();
  var x = 1.0;
  tape.input(x);
  const var x0 = x;
  const auto before = tape.statistics().ids;
  admpi::time_loop loop(tape);
  loop.binomial(2);
  loop.state(x);
  int fail = 5;
  const auto step = [&](std::int64_t i) {
    x = x * x0 + 0.1;
    if (i == fail) throw std::domain_error("too hot");
  };
  for (const int schedule : {0, 1, 2, 3}) {
    if (schedule == 1) loop.all();
    if (schedule == 2) loop.automatic();
    if (schedule == 3) loop.binomial(2);
    CHECK_THROWS_WITH_AS(loop.run(10, step), "too hot", std::domain_error);
    CHECK(x.id == x0.id);
    CHECK(x.value == 1.0);
    CHECK(tape.statistics().ids == before);
  }
  fail = -1;
  loop.run(10, step);
  fail = 3;
  tape.seed(x);
  CHECK_THROWS_WITH_AS(tape.reverse(), "too hot", std::domain_error);
  fail = -1;
  tape.clear_adjoints();
  tape.seed(x);
  tape.reverse();
  const double derivative = tape.adjoint(x0);
  tape.reset();
  x = 1.0;
  tape.input(x);
  const var again = x;
  for (int i = 0; i < 10; ++i) x = x * again + 0.1;
  tape.seed(x);
  tape.reverse();
  CHECK(tape.adjoint(again) == derivative);
}

TEST_CASE("test_time_loop_in_a_step") {
  const auto run = [](bool whole) {
    admpi::tape tape;
    tape.start();
    var x = 0.4, y = 0.2, p = 0.3;
    tape.input(x);
    tape.input(p);
    const var x0 = x;
    admpi::time_loop outer(tape), inner(tape);
    if (whole) {
      outer.all();
      inner.all();
    } else {
      outer.binomial(2);
      inner.binomial(3);
    }
    outer.state(x, y);
    inner.state(y);
    inner.parameters(x);  // which the outer step changes after the inner loop
    outer.run(9, [&](std::int64_t) {
      inner.run(11, [&](std::int64_t) { y = y * cos(p) + 0.01 * x; });
      x = x + 0.1 * y;
    });
    tape.seed(x);
    tape.reverse();
    return std::vector<double>{tape.adjoint(x0), tape.adjoint(p)};
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("test_time_loop_second_order") {
  using second = admpi::tangent<var>;
  const auto run = [](bool whole) {
    admpi::tape tape;
    tape.start();
    std::vector<var> x{0.5, 0.25};
    tape.input(x);
    std::vector<second> u{second(x[0], 1.0), second(x[1], 0.5)};
    admpi::time_loop loop(tape);
    if (whole) loop.all();
    else loop.binomial(3);
    loop.state(u);
    loop.run(12, [&](std::int64_t) {
      const second a = u[0];
      u[0] = u[0] + 0.1 * sin(u[1] * a);
      u[1] = u[1] - 0.1 * a * u[1];
    });
    tape.seed(admpi::derivative(u[0] * u[1]));
    tape.reverse();
    return std::vector<double>{tape.adjoint(x[0]), tape.adjoint(x[1])};
  };
  const std::vector<double> whole = run(true), kept = run(false);
  for (std::size_t i = 0; i < whole.size(); ++i) CHECK(kept[i] == doctest::Approx(whole[i]).epsilon(1e-14));
}

TEST_CASE("test_time_loop_mistakes") {
  admpi::tape tape;
  tape.start();
  var x = 1.0, k = 2.0;
  tape.input(x);
  std::vector<var> grows(2);
  admpi::time_loop loop(tape);
  CHECK(thrown([&] { loop.binomial(0); }).second == "time_loop: snapshots = 0 is less than 1");
  CHECK(thrown([&] { loop.blocks(0); }).second == "time_loop: block = 0 is less than 1");
  CHECK(thrown([&] { loop.run(-1, [](std::int64_t) {}); }).first == ADMPI_ERR_ARGUMENT);
  loop.state(x, grows);
  loop.parameters(k);
  CHECK(thrown([&] { loop.run(3, [&](std::int64_t) { k = k + x; }); }).second ==
        "time_loop: a step changed parameter 0; declare it as state");
  CHECK(k.id == 0);
  CHECK(k.value == 2.0);
  CHECK(thrown([&] { loop.run(3, [&](std::int64_t) { grows.push_back(x); }); }).second.find("must not change their number") !=
        std::string::npos);
  // What a step reads and the program has changed since is not found silently.
  loop.binomial(3);
  var captured = x * 2.0;
  loop.run(3, [&](std::int64_t) { x = x * captured; });
  captured = x + 1.0;
  tape.seed(x);
  CHECK(thrown([&] { tape.reverse(); }).first == ADMPI_ERR_NEST);
  tape.clear_adjoints();
  // Outside a recording steps just run.
  tape.stop();
  int calls = 0;
  loop.run(3, [&](std::int64_t) { ++calls; });
  CHECK(calls == 3);
}

TEST_CASE("test_time_loop_many_in_a_process") {
  admpi::tape tape;
  std::uint64_t bytes = 0;
  double heap = 0.0;
  for (int i = 0; i < 10000; ++i) {
    if (i == 10) bytes = tape.statistics().committed_bytes, heap = heap_bytes();
    tape.reset();
    tape.start();
    var x = 1.0;
    tape.input(x);
    const var x0 = x;
    admpi::time_loop loop(tape);
    loop.binomial(2);
    loop.state(x);
    loop.run(4, [&](std::int64_t) { x = x * 2.0; });
    tape.seed(x);
    tape.reverse();
    if (tape.adjoint(x0) != 16.0) FAIL("wrong");
  }
  CHECK(tape.statistics().committed_bytes == bytes);
  CHECK(heap_bytes() < heap + 10000.0);
}
