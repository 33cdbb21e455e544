// The tape as C++ sees it: sweeps, ranges, kept values, widths, nests, recovery, callbacks, precomputed gradients,
// checks and limits.
#include <admpi.hpp>
#include <admpi.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::var;

namespace {

/// Makes tapes check their operands while it lives.
struct checking {
  checking() { admpi_set_check(1); }
  ~checking() { admpi_set_check(0); }
};

/// The exception that f throws, as its code and message.
template <class F>
std::pair<int, std::string> thrown(F f) {
  try {
    f();
  } catch (const admpi::error &e) {
    return {e.code(), e.what()};
  }
  return {0, ""};
}

/// A program of some statements over a few values.
template <class T>
T program(const std::vector<T> &x) {
  using std::exp;
  using std::sin;
  std::vector<T> v(x);
  for (int i = 0; i < 200; ++i) {
    const std::size_t a = static_cast<std::size_t>(i) % v.size(), b = static_cast<std::size_t>(3 * i + 1) % v.size();
    v[a] = sin(v[a] * v[b]) + 0.9 * v[b] - 0.1 * v[a] * v[a];
    if (i % 7 == 0) v[b] += exp(-v[a]);
  }
  T sum = 0.0;
  for (const T &e : v) sum += e;
  return sum;
}

const std::vector<double> start{0.3, -0.7, 1.1, 0.2};

/// The gradient of program by forward mode.
std::vector<double> program_gradient() {
  std::vector<double> gradient;
  for (std::size_t i = 0; i < start.size(); ++i) {
    std::vector<admpi::tangent<double>> x(start.begin(), start.end());
    x[i].derivative = 1.0;
    gradient.push_back(program(x).derivative);
  }
  return gradient;
}

}  // namespace

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

TEST_CASE("test_tape_nests_give_the_whole_derivative_unless_they_are_isolated") {
  for (const bool isolated : {false, true}) {
    CAPTURE(isolated);
    admpi::tape tape;
    tape.start();
    var x = 3.0;
    tape.input(x);
    const var y = x * x;
    const auto outside = tape.statistics();
    {
      admpi::nested nest(isolated ? ADMPI_NEST_ISOLATED : 0);
      var a = 2.0;
      tape.input(a);
      const var b = a * a * y;
      tape.seed(b);
      tape.reverse();
      CHECK(tape.adjoint(a) == 36.0);
      CHECK(tape.adjoint(y) == (isolated ? 0.0 : 4.0));
    }
    CHECK(tape.statistics().statements == outside.statements);
    CHECK(tape.statistics().ids == outside.ids);
    const var z = y * 2.0;
    tape.seed(z);
    tape.reverse();
    CHECK(tape.adjoint(x) == (isolated ? 12.0 : 36.0));
  }
}

TEST_CASE("test_tape_a_checkpoint_uses_a_parameter_from_outside") {
  // Blocks of a time loop, last one first. Their states are inputs of the nest, the parameter is none.
  const int blocks = 4;
  for (const int width : {1, 4}) {
    CAPTURE(width);
    const auto step = [](const var &s, const var &p) { return var(sin(s) * p + s * s); };
    admpi::tape whole;
    whole.set_width(width);
    whole.start();
    var s = 0.3, p = 0.7;
    whole.input(s);
    whole.input(p);
    var t = s;
    std::vector<double> state;
    for (int k = 0; k < blocks; ++k) {
      state.push_back(admpi::value(t));
      t = step(t, p);
    }
    whole.seed(t, 1.0, width - 1);
    whole.reverse();
    const double expected = whole.adjoint(p, width - 1);
    whole.reset();
    whole.clear_adjoints();

    whole.start();
    var q = 0.7;
    whole.input(q);
    const var twice = q * 2.0;
    double weight = 1.0;
    for (int k = blocks; k-- > 0;) {
      admpi::nested nest;
      var u = state[static_cast<std::size_t>(k)];
      whole.input(u);
      const var v = step(u, var(twice * 0.5));
      whole.seed(v, weight, width - 1);
      whole.reverse();
      weight = whole.adjoint(u, width - 1);
    }
    whole.reverse();
    CHECK(whole.adjoint(q, width - 1) == doctest::Approx(expected).epsilon(1e-14));
    if (width > 1) CHECK(whole.adjoint(q, 0) == 0.0);
  }
}

TEST_CASE("test_tape_a_nest_in_a_callback_adds_to_what_the_sweep_has_still_to_pass") {
  for (const int width : {1, 2, 16}) {
    CAPTURE(width);
    admpi::tape tape;
    tape.set_width(width);
    tape.start();
    var x = 3.0, p = 5.0;
    tape.input(x);
    tape.input(p);
    const var u = x * x, q = p * p;
    var y;
    const double value = 9.0 * 25.0;
    // y = u q by a callback whose only operand is u: q comes in through the nest.
    tape.callback(&u, 1, &value, 1, &y, [&](const admpi::callback_adjoints &a) {
      admpi::nested nest;
      var v = 9.0;
      tape.input(v);
      const var z = v * q;
      for (int k = 0; k < width; ++k) tape.seed(z, a.out_adjoint[k], k);
      tape.reverse();
      for (int k = 0; k < width; ++k) a.in_adjoint[k] = tape.adjoint(v, k);
      CHECK_THROWS_WITH_AS(tape.clear_adjoints(),
                           "clear_adjoints: a sweep of this tape is under way; a nest in its callback can be cleared if it is "
                           "opened with ADMPI_NEST_ISOLATED",
                           admpi::nest_error);
    });
    const var w = y * 2.0;
    for (int sweep = 1; sweep <= 2; ++sweep) {
      tape.seed(w, 1.0, width - 1);
      tape.reverse();
      CHECK(tape.adjoint(x, width - 1) == sweep * 2.0 * 6.0 * 25.0);
      CHECK(tape.adjoint(p, width - 1) == sweep * 2.0 * 9.0 * 10.0);
      CHECK(tape.adjoint(w, width - 1) == 0.0);
    }
    tape.clear_adjoints();
    CHECK(tape.adjoint(p, width - 1) == 0.0);
  }
}

TEST_CASE("test_tape_a_nest_in_a_callback_does_not_use_what_the_sweep_has_passed") {
  // By a statement, a callback's operands, an array statement, and an operation of the library.
  using use = std::function<var(const var &)>;
  const double one = 1.0;
  const std::vector<use> uses = {
      [](const var &late) { return var(late * 3.0); },
      [&one](const var &late) {
        var out;
        admpi::current_tape().callback(&late, 1, &one, 1, &out, [](const admpi::callback_adjoints &a) { a.in(0) = 3.0 * a.out(0); });
        return out;
      },
      [](const var &late) {
        admpi::varmat m(2, 1);
        m(1) = late;
        return var(sum(m * 3.0));
      },
      [](const var &late) { return admpi::normal_lpdf(late, 0.0, 1.0); },
  };
  for (const int width : {1, 4}) {
    for (const use &f : uses) {
      CAPTURE(width);
      CAPTURE(&f - uses.data());
      admpi::tape tape;
      tape.set_width(width);
      tape.start();
      var x = 3.0, y, late;
      tape.input(x);
      bool early = false;
      tape.callback(&x, 1, &one, 1, &y, [&](const admpi::callback_adjoints &) {
        admpi::nested nest;
        tape.seed(f(early ? x : late));
        tape.reverse();
      });
      late = y * 2.0;
      tape.seed(late);
      const auto [code, message] = thrown([&] { tape.reverse(); });
      CHECK(code == ADMPI_ERR_NEST);
      CHECK(message.find("the value with id " + std::to_string(late.id) + ", which the outer sweep has passed") != std::string::npos);
      CHECK(tape.adjoint(late) == 0.0);  // nothing is left for another sweep
      // The result of the operation itself is as late.
      tape.clear_adjoints();
      late = y;
      tape.seed(y);
      CHECK(thrown([&] { tape.reverse(); }).first == ADMPI_ERR_NEST);
      tape.clear_adjoints();
      early = true;
      tape.seed(y);
      tape.reverse();
      CHECK(tape.adjoint(x) == (&f - uses.data() == 3 ? -3.0 : 3.0));
    }
  }
}

TEST_CASE("test_tape_the_width_does_not_change_in_a_nest_at_the_cost_of_adjoints_outside") {
  admpi::tape tape;
  tape.start();
  var x = 3.0;
  tape.input(x);
  const var y = x * x;
  {
    admpi::nested nest;
    tape.set_width(4);
    tape.set_width(1);
    tape.seed(y, 2.0);
    const auto [code, message] = thrown([&] { tape.set_width(4); });
    CHECK(code == ADMPI_ERR_NEST);
    CHECK(message.find("width = 4: a nest is open") == 0);
  }
  tape.reverse();
  CHECK(tape.adjoint(x) == 12.0);
}

TEST_CASE("test_tape_checking_tells_of_what_an_isolated_nest_drops") {
  const auto dropped = [] {
    admpi::tape tape;
    tape.start();
    var x = 3.0;
    tape.input(x);
    admpi::nested nest(ADMPI_NEST_ISOLATED);
    var u = 2.0;
    tape.input(u);
    tape.seed(u * x);
    tape.reverse();
    CHECK(tape.adjoint(u) == 3.0);
  };
  const auto told = [&](const std::function<void()> &f) {
    const std::string text = test::standard_error_of(f);
    return text.find("admpi: an isolated nest dropped derivatives") == 0;
  };
  CHECK_FALSE(told(dropped));
  checking on;
  CHECK(told(dropped));
  // Once a process.
  CHECK_FALSE(told(dropped));
}

TEST_CASE("test_tape_unbalanced_nests_are_errors") {
  admpi::tape tape;
  tape.start();
  auto outer = std::make_unique<admpi::nested>();
  auto inner = std::make_unique<admpi::nested>();
  CHECK(thrown([&] { outer->recover(); }).first == ADMPI_ERR_NEST);
  CHECK(thrown([&] { tape.reset(); }).first == ADMPI_ERR_NEST);
  inner.reset();
  outer->recover();
  CHECK(thrown([&] { outer->recover(); }).first == ADMPI_ERR_NEST);
  outer.reset();
  tape.reset();

  // A destructor cannot throw: the next sweep does.
  outer = std::make_unique<admpi::nested>();
  inner = std::make_unique<admpi::nested>();
  outer.reset();
  CHECK_THROWS_AS(tape.reverse(), admpi::nest_error);
  inner.reset();
}

TEST_CASE("test_tape_reset_to") {
  admpi::tape tape;
  tape.start();
  var x = 3.0;
  tape.input(x);
  var y = x * x;
  const admpi::position here = tape.position();
  for (int i = 0; i < 3; ++i) {
    const var z = y * y;
    tape.seed(z);
    tape.reverse();
    CHECK(tape.adjoint(x) == 108.0);
    tape.clear_adjoints();
    tape.reset_to(here);
    CHECK(tape.position().id == here.id);
    CHECK(thrown([&] { tape.seed(z); }).first == ADMPI_ERR_STALE);
  }
  const admpi::position later = [&] {
    y = y * 1.0;
    return tape.position();
  }();
  tape.reset();
  CHECK(thrown([&] { tape.reset_to(later); }).first == ADMPI_ERR_RANGE);
}

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

TEST_CASE("test_tape_statistics") {
  admpi::tape tape;
  tape.start();
  var x = 1.5, y = 2.5;
  tape.input(x);
  tape.input(y);
  const var z = x * y + x;
  const var w = sin(z);
  const auto s = tape.statistics();
  CHECK(s.statements == 2);
  CHECK(s.arguments == 4);
  CHECK(s.statement_bytes == 2);
  CHECK(s.argument_bytes == 48);
  CHECK(s.ids == 4);
  CHECK(s.width == 1);
  CHECK(s.used_bytes == s.statement_bytes + s.argument_bytes + s.event_bytes + s.adjoint_bytes);
  CHECK(s.committed_bytes >= 50);
  CHECK(w.value == std::sin(1.5 * 2.5 + 1.5));
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
