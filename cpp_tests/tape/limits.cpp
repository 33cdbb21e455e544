// What a tape refuses: stale operands, memory and ids that run out; how tapes come and go on a thread; exceptions.
#include <admpi.hpp>
#include <admpi.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <sys/resource.h>
#include <unistd.h>
#define WITH_FEW_ADDRESSES
#endif

#include "tape/programs.hpp"

using namespace tapes;

TEST_CASE("test_tape_stale_operands_are_found_under_check") {
  checking on;
  admpi::tape tape;
  tape.start();
  var x = 3.0;
  tape.input(x);
  const var y = x * x;
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == 6.0);
  var inner;
  {
    admpi::nested nest;
    inner = x * 2.0;
    const var fine = inner + x;
    CHECK(fine.value == 9.0);
  }
  const auto [code, message] = thrown([&] { inner += x; });
  CHECK(code == ADMPI_ERR_STALE);
  CHECK(message.find("expression of value 9: operand (id " + std::to_string(inner.id)) != std::string::npos);
  CHECK_THROWS_AS(var(x + x * inner + x), admpi::stale_error);
  tape.reset();
  CHECK_THROWS_AS(var(x * 2.0), admpi::stale_error);
  // Outside a recording too.
  tape.stop();
  CHECK_THROWS_AS(var(x * 2.0), admpi::stale_error);
  CHECK(var(var(2.0) * 3.0).value == 6.0);
}

#ifdef WITH_FEW_ADDRESSES
TEST_CASE("test_tape_threads_share_limited_addresses") {
  rlimit before{};
  getrlimit(RLIMIT_AS, &before);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit few{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (std::uint64_t{8} << 30), before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &few) == 0);
  constexpr int threads = 4;
  std::atomic<int> ready{0}, refused{0};
  const auto differentiate = [&] {
    for (++ready; ready < threads;) std::this_thread::yield();
    for (int round = 0; round < 50; ++round) {
      try {
        admpi::tape tape;
        tape.start();
        std::vector<var> x(100000, 0.5);
        tape.input(x);
        var y = 0.0;
        for (const var &one : x) y += one * one;
        tape.seed(y);
        tape.reverse();
        if (tape.adjoint(x[99999]) != 1.0) ++refused;
      } catch (const admpi::memory_error &) {
        ++refused;
      }
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(differentiate);
  for (std::thread &one : all) one.join();
  setrlimit(RLIMIT_AS, &before);
  CHECK(refused == 0);
}
#endif

TEST_CASE("test_tape_an_active_operand_on_a_thread_without_a_tape_is_found_under_check") {
  checking on;
  admpi::tape tape;
  tape.start();
  var x = 3.0;
  tape.input(x);
  int code = 0;
  double passive_value = 0.0;
  std::thread([&] {
    passive_value = admpi::value(var(2.0) * 3.0);
    code = thrown([&] { x *= x; }).first;
  }).join();
  CHECK(code == ADMPI_ERR_NO_TAPE);
  CHECK(passive_value == 6.0);
}

TEST_CASE("test_tape_operators_of_c_report_stale_operands_at_the_sweep") {
  checking on;
  admpi::tape tape;
  tape.start();
  var x = 3.0;
  tape.input(x);
  var old;
  {
    admpi::nested nest;
    old = x * 2.0;
  }
  const admpi_var y = admpi_mul(x, old);
  CHECK(y.value == 18.0);
  CHECK(y.id == 0);
  const var z = x * 1.0;
  tape.seed(z);
  CHECK_THROWS_AS(tape.reverse(), admpi::stale_error);
}

TEST_CASE("test_tape_the_byte_limit_leaves_the_tape_valid") {
  admpi::tape tape;
  tape.start();
  var x = 1.5;
  tape.input(x);
  tape.set_limit(16 << 20);
  var y = x, last = x;
  int statements = 0;
  const auto [code, message] = thrown([&] {
    for (;;) {
      y = x * y - y;
      last = y;
      ++statements;
    }
  });
  CHECK(code == ADMPI_ERR_LIMIT);
  CHECK(statements > 1000);
  CHECK(tape.statistics().committed_bytes <= (16u << 20));
  CHECK(y.id == last.id);
  // With more room the recording goes on where it was.
  tape.set_limit(256 << 20);
  const var z = y * 3.0;
  tape.seed(z);
  tape.reverse();
  // y_n = x_1 ... : the derivative of (x - 1)^n x.
  const double n = statements;
  CHECK(tape.adjoint(x) == doctest::Approx(3.0 * (n * std::pow(0.5, n - 1) * 1.5 + std::pow(0.5, n))));
  tape.reset();
  tape.input(x);
  const var w = x * x;
  tape.seed(w);
  tape.reverse();
  CHECK(tape.adjoint(x) == 3.0);
}

TEST_CASE("test_tape_running_out_of_ids_leaves_the_tape_valid") {
  setenv("ADMPI_ID_MAX", "1000", 1);  // a tape asks when it is made
  admpi::tape tape;
  unsetenv("ADMPI_ID_MAX");
  tape.start();
  var x = 1.5, sum = 0.0;
  tape.input(x);
  int statements = 0;
  const auto [code, message] = thrown([&] {
    for (;;) {
      sum = sum + x;
      ++statements;
    }
  });
  CHECK(code == ADMPI_ERR_IDS);
  CHECK(message.find("1000") != std::string::npos);
  CHECK(statements > 900);
  CHECK(statements < 1000);
  CHECK(sum.id < 1000);
  tape.seed(sum);
  tape.reverse();
  CHECK(tape.adjoint(x) == statements);
  std::vector<var> more(100, var(1.0));
  CHECK_THROWS_AS(tape.input(more), admpi::ids_error);
  tape.reset();
  tape.input(x);
  const var y = x * x;
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == 3.0);
}

TEST_CASE("test_tape_destructors_bring_the_previous_tape_back") {
  CHECK_THROWS_AS(admpi::current_tape().start(), admpi::no_tape_error);
  admpi::tape outer;
  outer.start();
  var x = 2.0;
  outer.input(x);
  {
    admpi::tape inner;
    CHECK(admpi::current_tape().handle() == inner.handle());
    inner.start();
    var a = 5.0;
    inner.input(a);
    const var b = a * a;
    inner.seed(b);
    inner.reverse();
    CHECK(inner.adjoint(a) == 10.0);
  }
  CHECK(admpi::current_tape().handle() == outer.handle());
  const var y = x * x;
  outer.seed(y);
  outer.reverse();
  CHECK(outer.adjoint(x) == 4.0);
}

TEST_CASE("test_tape_tapes_may_be_destroyed_in_any_order") {
  auto a = std::make_unique<admpi::tape>();
  auto b = std::make_unique<admpi::tape>();
  auto c = std::make_unique<admpi::tape>();
  b.reset();
  CHECK(admpi::current_tape().handle() == c->handle());
  c.reset();
  CHECK(admpi::current_tape().handle() == a->handle());
  a.reset();
  CHECK_THROWS_AS(admpi::current_tape().start(), admpi::no_tape_error);
}

TEST_CASE("test_tape_threads_have_tapes_of_their_own") {
  const std::vector<double> expected = program_gradient();
  std::vector<std::vector<double>> got(3);
  std::vector<std::thread> threads;
  for (auto &gradient : got) {
    threads.emplace_back([&gradient] {
      for (int i = 0; i < 20; ++i) gradient = admpi::gradient([](const std::vector<var> &x) { return program(x); }, start);
    });
  }
  for (auto &thread : threads) thread.join();
  for (const auto &gradient : got) {
    for (std::size_t i = 0; i < start.size(); ++i) CHECK(gradient[i] == doctest::Approx(expected[i]).epsilon(1e-13));
  }
}

TEST_CASE("test_tape_exceptions_mirror_the_codes") {
  const auto check = [](int code, auto catches) {
    CAPTURE(code);
    try {
      admpi::detail::raise(code);
    } catch (const decltype(catches) &e) {
      CHECK(e.code() == code);
      return;
    } catch (...) {
    }
    FAIL_CHECK("another type");
  };
#define EXCEPTION(code, name) check(ADMPI_ERR_##code, admpi::name##_error(""));
  ADMPI_EXCEPTIONS(EXCEPTION)
#undef EXCEPTION
  check(999, admpi::error(999, ""));
}
