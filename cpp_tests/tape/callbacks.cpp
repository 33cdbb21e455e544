// Callbacks with reverse functions of the user's, and destructors that run as a tape is forgotten.
#include <admpi.hpp>
#include <admpi.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tape/programs.hpp"

using namespace tapes;

TEST_CASE("test_tape_on_recover_runs_once_newest_first") {
  std::string log;
  {
    admpi::tape tape;
    tape.start();
    tape.on_recover([&log] { log += 'a'; });
    const admpi::position here = tape.position();
    tape.on_recover([&log] { log += 'b'; });
    tape.on_recover([&log] { log += 'c'; });
    tape.reset_to(here);
    CHECK(log == "cb");
    {
      admpi::nested nest;
      tape.on_recover([&log] { log += 'n'; });
    }
    CHECK(log == "cbn");
    tape.on_recover([&log] { log += 'd'; });
    tape.reset();
    CHECK(log == "cbnda");
    // What a destructor throws goes nowhere.
    tape.on_recover([] { throw std::runtime_error("lost"); });
    tape.on_recover([&log] { log += 'e'; });
  }
  CHECK(log == "cbndae");
}

TEST_CASE("test_tape_callbacks") {
  admpi::tape tape;
  tape.start();
  std::vector<var> x{2.0, 3.0};
  tape.input(x);
  // y = (x0 x1, x0 + x1), its adjoint once from the arena and once from a function object that owns memory.
  const double a = x[0].value, b = x[1].value;
  int calls = 0;
  const auto small = [a, b, &calls](const admpi::callback_adjoints &s) {
    ++calls;
    for (int k = 0; k < s.width; ++k) {
      s.in(0, k) = b * s.out(0, k) + s.out(1, k);
      s.in(1, k) = a * s.out(0, k) + s.out(1, k);
    }
  };
  const auto owner = [held = std::vector<double>{a, b}](const admpi::callback_adjoints &s) {
    for (int k = 0; k < s.width; ++k) {
      s.in(0, k) = held[1] * s.out(0, k) + s.out(1, k);
      s.in(1, k) = held[0] * s.out(0, k) + s.out(1, k);
    }
  };
  for (const int width : {1, 4}) {
    tape.set_width(width);
    const std::vector<var> y = tape.callback(x, {a * b, a + b}, small);
    const std::vector<var> z = tape.callback(y, {y[0].value * y[1].value, y[0].value + y[1].value},
                                             [held = std::vector<double>{y[0].value, y[1].value}](const auto &s) {
                                               for (int k = 0; k < s.width; ++k) {
                                                 s.in(0, k) = held[1] * s.out(0, k) + s.out(1, k);
                                                 s.in(1, k) = held[0] * s.out(0, k) + s.out(1, k);
                                               }
                                             });
    const std::vector<var> w = tape.callback(x, {a * b, a + b}, owner);
    CHECK(z[0].value == 30.0);
    for (int k = 0; k < width; ++k) {
      tape.seed(z[0], k + 1.0, k);
      tape.seed(w[1], 100.0, k);
    }
    tape.reverse();
    // z0 = x0 x1 (x0 + x1).
    for (int k = 0; k < width; ++k) {
      CHECK(tape.adjoint(x[0], k) == (k + 1) * (2 * a * b + b * b) + 100.0);
      CHECK(tape.adjoint(x[1], k) == (k + 1) * (2 * a * b + a * a) + 100.0);
    }
  }
  CHECK(calls == 3);
}

TEST_CASE("test_tape_callbacks_throw_through_the_sweep") {
  admpi::tape tape;
  tape.start();
  std::vector<var> x{2.0};
  tape.input(x);
  bool fail = true;
  struct odd : std::logic_error {
    using std::logic_error::logic_error;
  };
  const std::vector<var> y = tape.callback(x, {4.0}, [&fail](const admpi::callback_adjoints &s) {
    if (fail) throw odd("not today");
    s.in(0) = 4.0 * s.out(0);
  });
  tape.seed(y[0]);
  CHECK_THROWS_WITH_AS(tape.reverse(), "not today", odd);
  fail = false;
  tape.clear_adjoints();
  tape.seed(y[0]);
  tape.reverse();
  CHECK(tape.adjoint(x[0]) == 4.0);
}

TEST_CASE("test_tape_callbacks_outside_recordings_are_passive") {
  admpi::tape tape;
  auto counter = std::make_shared<int>(0);
  {
    std::vector<var> x{2.0};
    const auto f = [counter](const admpi::callback_adjoints &) {};
    const std::vector<var> y = tape.callback(x, {4.0}, f);
    CHECK(y[0].value == 4.0);
    CHECK(y[0].id == 0);
    tape.start();
    tape.input(x);
    const std::vector<var> z = tape.callback(x, {4.0}, f);
    CHECK(z[0].id != 0);
  }
  CHECK(counter.use_count() == 2);
  tape.reset();
  CHECK(counter.use_count() == 1);
}
