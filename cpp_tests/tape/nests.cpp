// Nests, in recordings and in callbacks, isolated or not; going back to a position.
#include <admpi.hpp>
#include <admpi.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tape/programs.hpp"

using namespace tapes;

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
