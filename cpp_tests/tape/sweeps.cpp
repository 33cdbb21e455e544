// Sweeps: whole, in ranges, in several directions, repeated; kept values, passive sections, what a tape tells of itself.
#include <admpi.hpp>
#include <admpi.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tape/programs.hpp"

using namespace tapes;

TEST_CASE("test_tape_gradient_of_a_program") {
  admpi::tape tape;
  std::vector<var> x(start.begin(), start.end());
  tape.start();
  tape.input(x);
  const var y = program(x);
  tape.stop();
  CHECK(y.value == program(start));
  tape.seed(y);
  tape.reverse();
  const std::vector<double> expected = program_gradient();
  std::vector<double> got(x.size());
  tape.adjoints(x.data(), 4, got.data());
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(tape.adjoint(x[i]) == doctest::Approx(expected[i]).epsilon(1e-13));
    CHECK(got[i] == tape.adjoint(x[i]));
  }
}

TEST_CASE("test_tape_sweeps_repeat_bit_by_bit_and_accumulate") {
  admpi::tape tape;
  std::vector<var> x(start.begin(), start.end());
  tape.start();
  tape.input(x);
  const var y = program(x);
  std::vector<double> first;
  for (int sweep = 0; sweep < 3; ++sweep) {
    tape.clear_adjoints();
    tape.seed(y);
    tape.reverse();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (sweep == 0) first.push_back(tape.adjoint(x[i]));
      CHECK(tape.adjoint(x[i]) == first[i]);
    }
    CHECK(tape.adjoint(y) == 0.0);
  }
  // Nothing cleared, the same seed: twice the adjoints.
  tape.seed(y);
  tape.reverse();
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(tape.adjoint(x[i]) == 2.0 * first[i]);
  // Seeds add up, and are linear.
  tape.clear_adjoints();
  tape.seed(y, 0.25);
  tape.seed(y, 0.25);
  tape.reverse();
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(tape.adjoint(x[i]) == 0.5 * first[i]);
}

TEST_CASE("test_tape_reset_and_record_again") {
  admpi::tape tape;
  const std::vector<double> expected = program_gradient();
  for (int round = 0; round < 3; ++round) {
    std::vector<var> x(start.begin(), start.end());
    tape.start();
    tape.input(x);
    const var y = program(x);
    tape.seed(y);
    tape.reverse();
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(tape.adjoint(x[i]) == doctest::Approx(expected[i]).epsilon(1e-13));
    tape.reset();
    CHECK(tape.statistics().statements == 0);
  }
}

TEST_CASE("test_tape_of_many_megabytes_grows") {
  admpi::tape tape;
  tape.start();
  var x = 1.0, y = 0.0;
  tape.input(x);
  constexpr int n = 400000;
  for (int i = 0; i < n; ++i) y = y + 0.5 * x * x + x;
  CHECK(tape.statistics().committed_bytes > (8u << 20));
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0 * n);
  tape.reset();
  const auto committed = tape.statistics().committed_bytes;
  tape.trim();
  CHECK(tape.statistics().committed_bytes < committed);
  tape.input(x);
  y = x * x;
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0);
}

TEST_CASE("test_tape_ranges") {
  admpi::tape tape;
  tape.start();
  const admpi::position bottom = tape.position();
  var x = 2.0;
  tape.input(x);
  const var a = x * x;
  const admpi::position middle = tape.position();
  const var b = a * a * a;
  const admpi::position top = tape.position();
  tape.seed(b);
  tape.reverse(top, middle);
  CHECK(tape.adjoint(a) == 48.0);
  CHECK(tape.adjoint(x) == 0.0);
  tape.reverse(middle, bottom);
  CHECK(tape.adjoint(x) == 192.0);
  CHECK(tape.adjoint(a) == 0.0);
  // Upside down.
  const auto [code, message] = thrown([&] { tape.reverse(middle, top); });
  CHECK(code == ADMPI_ERR_RANGE);
  CHECK(message.find("from") != std::string::npos);
  tape.clear_adjoints();
  tape.seed(b);
  tape.reverse();
  CHECK(tape.adjoint(x) == 192.0);
}

TEST_CASE("test_tape_keep") {
  admpi::tape tape;
  tape.start();
  var x = 2.0;
  tape.input(x);
  const var a = x * x, b = 3.0 * a, y = b * a;
  tape.keep(a);
  tape.keep(y);
  for (int sweep = 1; sweep <= 2; ++sweep) {
    tape.seed(y);
    tape.reverse();
    CHECK(tape.adjoint(a) == sweep * 24.0);
    CHECK(tape.adjoint(b) == 0.0);
    CHECK(tape.adjoint(x) == sweep * 96.0);
    CHECK(tape.adjoint(y) == sweep * 1.0);
  }
}

TEST_CASE("test_tape_widths") {
  const std::vector<double> expected = program_gradient();
  for (const int width : {1, 2, 4, 8, 16}) {
    CAPTURE(width);
    admpi::tape tape;
    std::vector<var> x(start.begin(), start.end());
    tape.start();
    tape.input(x);
    const var y = program(x), z = x[1] * x[2];
    tape.set_width(width);
    for (int k = 0; k < width; ++k) {
      tape.seed(y, k + 1.0, k);
      if (k % 2 == 1) tape.seed(z, 10.0, k);
    }
    tape.reverse();
    for (int k = 0; k < width; ++k) {
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double of_z = k % 2 == 0 ? 0.0 : i == 1 ? 10.0 * x[2].value : i == 2 ? 10.0 * x[1].value : 0.0;
        CHECK(tape.adjoint(x[i], k) == doctest::Approx((k + 1.0) * expected[i] + of_z).epsilon(1e-12));
      }
    }
    CHECK(thrown([&] { tape.seed(y, 1.0, width); }).first == ADMPI_ERR_ARGUMENT);
    CHECK(thrown([&] { tape.adjoint(y, -1); }).first == ADMPI_ERR_ARGUMENT);
  }
  admpi::tape tape;
  for (const int width : {0, 3, -1, 32}) CHECK(thrown([&] { tape.set_width(width); }).first == ADMPI_ERR_ARGUMENT);
}

TEST_CASE("test_tape_passive_sections") {
  admpi::tape tape;
  tape.start();
  var x = 3.0;
  tape.input(x);
  var y, z;
  {
    admpi::passive section;
    CHECK_FALSE(tape.recording());
    y = x * x + sin(x);
    z = admpi_mul(x, x);
    {
      admpi::passive inner;
    }
    CHECK_FALSE(tape.recording());
  }
  CHECK(tape.recording());
  CHECK(y.id == 0);
  CHECK(z.id == 0);
  CHECK(y.value == 9.0 + std::sin(3.0));
  CHECK(tape.statistics().statements == 0);
  const var w = x * y;
  tape.seed(w);
  tape.reverse();
  CHECK(tape.adjoint(x) == y.value);
}

TEST_CASE("test_tape_precomputed") {
  admpi::tape tape;
  tape.start();
  std::vector<var> x(600, var(1.0));
  tape.input(x);
  x[5] = 1.0;  // passive
  std::vector<double> partial(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) partial[i] = static_cast<double>(i) - 300.0;
  const var y = tape.precomputed(7.5, x.data(), partial.data(), 600);
  CHECK(y.value == 7.5);
  const var z = y * 2.0;
  tape.seed(z);
  tape.reverse();
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(tape.adjoint(x[i]) == (i == 5 ? 0.0 : 2.0 * partial[i]));
  CHECK(tape.precomputed(1.0, x.data(), partial.data(), 0).id == 0);
}

TEST_CASE("test_tape_statistics") {
  admpi::tape tape;
  tape.start();
  var x = 1.5, y = 2.5;
  tape.input(x);
  tape.input(y);
  const var z = x * y + 2.0;
  const var w = sin(z) * x;
  const auto s = tape.statistics();
  CHECK(s.statements == 2);
  CHECK(s.arguments == 4);
  CHECK(s.statement_bytes == 2);
  CHECK(s.argument_bytes == 48);
  CHECK(s.ids == 4);
  CHECK(s.width == 1);
  CHECK(s.used_bytes == s.statement_bytes + s.argument_bytes + s.event_bytes + s.adjoint_bytes);
  CHECK(s.committed_bytes >= 50);
  CHECK(w.value == std::sin(1.5 * 2.5 + 2.0) * 1.5);
}

TEST_CASE("test_tape_inputs_need_a_recording") {
  admpi::tape tape;
  var x = 1.0;
  CHECK_THROWS_AS(tape.input(x), admpi::not_recording_error);
  CHECK(x.id == 0);
  tape.start();
  std::vector<var> many(1000, var(2.0));
  tape.input(many);
  for (std::size_t i = 1; i < many.size(); ++i) REQUIRE(many[i].id == many[i - 1].id + 1);
  std::vector<var> none;
  tape.input(none);
  CHECK_THROWS_AS(tape.input(&x, -1), admpi::argument_error);
}

TEST_CASE("test_tape_gradient") {
  const auto f = [](const std::vector<var> &x) { return program(x); };
  const std::vector<double> expected = program_gradient();
  double value = 0.0;
  const std::vector<double> alone = admpi::gradient(f, start, &value);
  CHECK(value == program(start));
  for (std::size_t i = 0; i < start.size(); ++i) CHECK(alone[i] == doctest::Approx(expected[i]).epsilon(1e-13));
  CHECK(admpi::gradient([](const std::vector<var> &) { return var(3.0); }, {}).empty());

  // Inside a recording, as a nest.
  admpi::tape tape;
  tape.start();
  var x = 2.0;
  tape.input(x);
  const var y = x * x;
  const auto before = tape.statistics();
  CHECK(admpi::gradient(f, start) == alone);
  CHECK_THROWS_AS(admpi::gradient([](const std::vector<var> &) -> var { throw std::runtime_error("f"); }, start),
                  std::runtime_error);
  CHECK(tape.statistics().ids == before.ids);
  CHECK(tape.recording());
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == 4.0);
  // On a stopped tape the function still sees a recording of its own.
  tape.stop();
  CHECK(admpi::gradient(f, start) == alone);
  CHECK_FALSE(tape.recording());
}
