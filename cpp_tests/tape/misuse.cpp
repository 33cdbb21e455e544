// What C++ code does at a bad moment: in callbacks and destructors, in the wrong order, while a thread ends.
#include <admpi.hpp>
#include <admpi/ops.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using admpi::tape;
using admpi::var;

namespace {

/// A payload that is not trivially copyable, so that the tape owns it.
struct counted {
  std::shared_ptr<int> alive;
  explicit counted(std::shared_ptr<int> count) : alive(std::move(count)) { ++*alive; }
  counted(const counted &other) : alive(other.alive) { ++*alive; }
  counted &operator=(const counted &) = delete;
  ~counted() { --*alive; }
};

/// Turns checking on for the tapes made while it lives.
struct checked {
  checked() { admpi_set_check(1); }
  ~checked() { admpi_set_check(0); }
};

/// The text of the error of that kind which fn throws, or "".
template <class Error, class F>
std::string refusal(const F &fn) {
  try {
    fn();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("test_misuse_inputs_become_active_all_or_none") {
  tape t;
  t.start();
  std::vector<var> x(1000, var(2.0));
  t.set_limit(1);
  CHECK_THROWS_AS(t.input(x), admpi::limit_error);
  for (const var &v : x) CHECK(v.id == 0);
  t.set_limit(0);
  t.input(x);
  for (std::size_t i = 1; i < x.size(); ++i) REQUIRE(x[i].id == x[0].id + i);
  CHECK(x[999].value == 2.0);
  CHECK_THROWS_AS(t.input(x.data(), -1), admpi::argument_error);
  t.stop();
  CHECK_THROWS_AS(t.input(x), admpi::not_recording_error);
}

TEST_CASE("test_misuse_limit_met_by_the_first_statement_can_be_raised") {
  // Streams commit one after the other; whichever fails, the tape goes on as if nothing had been tried.
  for (std::uint64_t megabytes = 4; megabytes < 12; ++megabytes) {
    tape t;
    t.start();
    var x = 3.0;
    t.input(x);
    t.set_limit(megabytes << 20);
    var y = 0.0;
    bool refused = false;
    try {
      y = 6.0 * x;
    } catch (const admpi::limit_error &) {
      refused = true;
    }
    CHECK(t.statistics().arguments == (refused ? 0 : 1));
    t.set_limit(0);
    if (refused) y = 6.0 * x;
    t.seed(y);
    t.reverse();
    CHECK(t.adjoint(x) == 6.0);
  }
}

TEST_CASE("test_misuse_gradient_on_a_tape_that_does_not_record") {
  tape t;
  t.start();
  std::vector<var> before(50, var(1.0));
  t.input(before);
  const var a = before[40] * 3.0;
  t.stop();
  double value = 0.0;
  // The outer value is a constant of the inner function, not a value of another tape with the same id.
  const auto f = [&](const std::vector<var> &x) { return var(a * x[0] * x[0]); };
  CHECK(admpi::gradient(f, {2.0}, &value) == std::vector<double>{12.0});
  CHECK(value == 12.0);
  CHECK_FALSE(t.recording());
  t.seed(a);
  t.reverse();
  CHECK(t.adjoint(before[40]) == 3.0);
}

TEST_CASE("test_misuse_nests_destroyed_in_the_wrong_order_are_an_error_of_the_sweep") {
  tape t;
  t.start();
  var x = 1.0;
  t.input(x);
  {
    auto outer = std::make_unique<admpi::nested>();
    auto inner = std::make_unique<admpi::nested>();
    outer.reset();
    inner.reset();
  }
  const var y = x * 2.0;
  t.seed(y);
  CHECK_THROWS_AS(t.reverse(), admpi::nest_error);
}

TEST_CASE("test_misuse_callback_may_nest_on_its_own_tape_and_not_reset_it") {
  auto alive = std::make_shared<int>(0);
  {
    tape t;
    t.start();
    var x = 2.0;
    t.input(x);
    const var u = x * x;
    var y;
    const double value = std::sin(4.0);
    t.callback(&u, 1, &value, 1, &y, [&t, held = counted(alive)](const admpi::callback_adjoints &a) {
      CHECK_THROWS_AS(t.reset(), admpi::nest_error);
      CHECK_THROWS_AS(t.set_width(4), admpi::nest_error);
      CHECK_THROWS_AS(t.reverse(), admpi::nest_error);
      CHECK_THROWS_AS(t.clear_adjoints(), admpi::nest_error);
      CHECK(*held.alive == 1);
      const std::vector<double> g =
          admpi::gradient([](const std::vector<var> &v) { return var(sin(v[0])); }, {4.0});
      a.in(0) += g[0] * a.out(0);
    });
    CHECK(*alive == 1);
    const var z = y * 10.0;
    for (int sweep = 1; sweep <= 2; ++sweep) {
      t.seed(z);
      t.reverse();
      CHECK(t.adjoint(x) == doctest::Approx(sweep * 40.0 * std::cos(4.0)).epsilon(1e-14));
    }
  }
  CHECK(*alive == 0);
}

TEST_CASE("test_misuse_exceptions_of_nested_callbacks_come_out_where_they_were_thrown") {
  tape t;
  t.start();
  var x = 2.0;
  t.input(x);
  const double one = 1.0;
  var y;
  t.callback(&x, 1, &one, 1, &y, [&t](const admpi::callback_adjoints &) {
    admpi::nested nest;
    var u = 1.0;
    t.input(u);
    const double value = 1.0;
    var v;
    t.callback(&u, 1, &value, 1, &v, [](const admpi::callback_adjoints &) { throw std::domain_error("inner"); });
    t.seed(v);
    t.reverse();
  });
  t.seed(y);
  CHECK_THROWS_WITH_AS(t.reverse(), "inner", std::domain_error);
  // The nest is closed, the tape as it was.
  t.reset();
  t.input(x);
  const var z = x * x;
  t.seed(z);
  t.reverse();
  CHECK(t.adjoint(x) == 4.0);
}

TEST_CASE("test_misuse_destructor_that_computes_leaves_no_trace") {
  tape t;
  t.start();
  var x = 2.0;
  t.input(x);
  const auto here = t.position();
  var seen = 1.0;
  t.on_recover([&] {
    seen = x * x;  // passive: the tape is being taken down
    t.reset();     // throws, and that is dropped
  });
  const var y = x * 5.0;
  CHECK(y.id != 0);
  t.reset_to(here);
  CHECK(seen.value == 4.0);
  CHECK(seen.id == 0);
  CHECK(t.recording());
  const var z = x * 3.0;
  t.seed(z);
  t.reverse();
  CHECK(t.adjoint(x) == 3.0);
}

TEST_CASE("test_misuse_methods_without_a_tape_say_so") {
  std::thread([] {
    auto none = admpi::current_tape();
    const auto trivial = [](const admpi::callback_adjoints &) {};
    const auto owning = [keep = std::make_shared<int>(1)](const admpi::callback_adjoints &) {};
    const std::vector<var> in{1.0};
    CHECK_THROWS_AS(none.callback(in, {1.0}, trivial), admpi::no_tape_error);
    CHECK_THROWS_AS(none.callback(in, {1.0}, owning), admpi::no_tape_error);
    CHECK_THROWS_AS(none.reset(), admpi::no_tape_error);
    CHECK_THROWS_AS(admpi::nested(), admpi::no_tape_error);
    CHECK(admpi::gradient([](const std::vector<var> &x) { return var(x[0] * x[0]); }, {3.0})[0] == 6.0);
  }).join();
}

TEST_CASE("test_misuse_tape_of_a_thread_that_ends_is_destroyed_with_it") {
  struct last_words {
    std::unique_ptr<tape> owned;
    int *status;
    ~last_words() {
      owned.reset();
      // The library's own message of the thread may be gone by now: the status is not.
      *status = admpi_tape_new(nullptr);
      if (admpi_last_error() == nullptr) *status = -1;
    }
  };
  int status = 0;
  std::thread([&] {
    static thread_local last_words words{};
    words.owned = std::make_unique<tape>();
    words.status = &status;
    CHECK(admpi_tape_new(nullptr) == ADMPI_ERR_NULL);
    words.owned->start();
  }).join();
  CHECK(status == ADMPI_ERR_NULL);
}

TEST_CASE("test_misuse_thread_without_a_tape_cannot_compute_with_values_of_one_that_records") {
  // What a parallel region does, on the threads that it adds.
  const auto on_a_thread = [](const auto &fn) { std::thread(fn).join(); };
  tape t;
  t.start();
  std::vector<var> x(2, var(3.0)), y(2);
  t.input(x);
  std::string text;
  on_a_thread([&] { text = refusal<admpi::no_tape_error>([&] { y[1] = 2.0 * x[1] + 1.0; }); });
  CAPTURE(text);
  CHECK(has(text, "the calling thread has no tape"));
  y[0] = 2.0 * x[0];
  t.seed(y[0]);
  // Nor is the gradient taken for complete.
  CHECK(has(refusal<admpi::no_tape_error>([&] { t.reverse(); }), "those statements are missing"));
  t.reset();
  t.input(x);

  // Plain values, and a tape that does not record, are no reason.
  on_a_thread([&] { text = refusal<admpi::error>([&] { y[1] = 2.0 * y[1] + sin(y[1]); }); });
  CHECK(text == "");
  t.stop();
  on_a_thread([&] { text = refusal<admpi::error>([&] { y[1] = 2.0 * x[1]; }); });
  CHECK(text == "");
  CHECK(y[1].value == 6.0);
  CHECK(y[1].id == 0);
  t.start();
  y[0] = x[0] * x[1];
  t.seed(y[0]);
  t.reverse();
  CHECK(t.adjoint(x[0]) == 3.0);
}

TEST_CASE("test_misuse_values_of_a_tape_that_is_gone_are_numbers") {
  // The step of an optimiser, while another thread records.
  tape other;
  other.start();
  std::string text;
  std::vector<var> x(3, var(1.0));
  std::thread([&] {
    {
      tape t;
      t.start();
      t.input(x);
    }
    text = refusal<admpi::error>([&] {
      for (var &v : x) v -= 0.5 * v;
    });
  }).join();
  CHECK(text == "");
  CHECK(x[2].value == 0.5);
  CHECK(x[2].id == 0);
}

TEST_CASE("test_misuse_tape_that_is_not_active_in_c") {
  admpi_tape *own = nullptr, *before = nullptr;
  REQUIRE(admpi_tape_activate(nullptr, &before) == ADMPI_SUCCESS);
  REQUIRE(admpi_tape_new(&own) == ADMPI_SUCCESS);
  REQUIRE(admpi_tape_start(own) == ADMPI_SUCCESS);
  const double three = 3.0;
  admpi_var x;
  REQUIRE(admpi_tape_input(own, &three, 1, &x) == ADMPI_SUCCESS);
  const admpi_var lost = admpi_mul(x, x);
  CHECK(lost.value == 9.0);
  CHECK(lost.id == 0);
  CHECK(admpi_tape_seed(own, x, 1.0, 0) == ADMPI_SUCCESS);
  CHECK(admpi_tape_reverse(own) == ADMPI_ERR_NO_TAPE);
  CHECK(has(admpi_last_error(), "admpi_tape_activate"));
  REQUIRE(admpi_tape_reset(own) == ADMPI_SUCCESS);
  REQUIRE(admpi_tape_activate(own, nullptr) == ADMPI_SUCCESS);
  REQUIRE(admpi_tape_input(own, &three, 1, &x) == ADMPI_SUCCESS);
  const admpi_var y = admpi_mul(x, x);
  double adjoint = 0.0;
  CHECK(admpi_tape_seed(own, y, 1.0, 0) == ADMPI_SUCCESS);
  CHECK(admpi_tape_reverse(own) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoint(own, x, 0, &adjoint) == ADMPI_SUCCESS);
  CHECK(adjoint == 6.0);
  admpi_tape_free(own);
  CHECK(admpi_tape_activate(before, nullptr) == ADMPI_SUCCESS);
}

TEST_CASE("test_misuse_checked_statements_need_no_call_of_the_library") {
  // A call to find room tells the recorders anew where it ends, which in checking mode is where it begins.
  const checked on;
  tape t;
  t.start();
  var x = 1.5;
  t.input(x);
  var y = x * x;
  const admpi_tape *cursors = t.handle();
  const auto passed = [cursors] { return cursors->argument - cursors->argument_end; };
  const auto before = passed();
  for (int i = 0; i < 10; ++i) y = y * x;
  CHECK(passed() == before + 20);
  admpi_var z = admpi_mul(y, x);
  CHECK(passed() == before + 22);
  t.seed(z);
  t.reverse();
  CHECK(t.adjoint(x) == doctest::Approx(13.0 * std::pow(1.5, 12)));
}

TEST_CASE("test_misuse_checking_refuses_answers_that_are_zero_by_mistake") {
  const auto adjoint_of = [](tape &t, const var &x) {
    return refusal<admpi::argument_error>([&] { t.adjoint(x); });
  };
  const auto seed_of = [](tape &t, const var &y) { return refusal<admpi::argument_error>([&] { t.seed(y); }); };
  const checked on;
  SUBCASE("an input that was forgotten") {
    tape t;
    t.start();
    var x = 2.0, forgotten = 3.0;
    t.input(x);
    const var y = x * forgotten;
    t.seed(y);
    t.reverse();
    CHECK(t.adjoint(x) == 3.0);
    CHECK(has(adjoint_of(t, forgotten), "x (value 3) is passive"));
  }
  SUBCASE("an input that was declared after its use") {
    tape t;
    t.start();
    var x = 2.0;
    const var y = x * x;
    t.input(x);
    CHECK(has(seed_of(t, y), "y (value 4) is passive: it depends on no input"));
    CHECK(has(refusal<admpi::argument_error>([&] { t.reverse(); }), "nothing was seeded"));
  }
  SUBCASE("an input that the model has overwritten, and an intermediate value") {
    tape t;
    t.start();
    std::vector<var> x(2, var(2.0));
    t.input(x);
    const std::vector<var> inputs = x;
    for (int i = 0; i < 3; ++i) x[0] = x[0] * x[1];
    const var kept = x[0] + x[1], y = kept * x[0];
    t.keep(kept);
    t.seed(y);
    CHECK(adjoint_of(t, y) == "");  // not swept yet
    t.reverse();
    double adjoints[2];
    CHECK(has(adjoint_of(t, x[0]), "neither an input nor kept"));
    CHECK(has(refusal<admpi::argument_error>([&] { t.adjoints(x.data(), 2, adjoints); }), "x[0] (value 16)"));
    t.adjoints(inputs.data(), 2, adjoints);
    CHECK(adjoints[0] == 8.0 * (16.0 + 18.0));
    CHECK(t.adjoint(kept) == 16.0);
  }
  SUBCASE("no seed") {
    tape t;
    t.start();
    var x = 2.0;
    t.input(x);
    const var y = x * x;
    CHECK(has(refusal<admpi::argument_error>([&] { t.reverse(); }), "nothing was seeded"));
    t.seed(y, 0.0);
    t.reverse();
    CHECK(t.adjoint(x) == 0.0);
    CHECK(has(refusal<admpi::argument_error>([&] { t.reverse(); }), "since the last sweep"));
  }
  SUBCASE("matrices") {
    tape t;
    t.start();
    const std::vector<double> ones(4, 1.0);
    admpi::varmat x(2, 2, ones.data()), constant(2, 2, ones.data());
    t.input(x);
    const admpi::varmat y = x + constant;
    t.seed(y);
    t.reverse();
    CHECK(t.adjoints(x) == ones);
    CHECK(t.adjoints(constant) == std::vector<double>(4, 0.0));
    CHECK(has(refusal<admpi::argument_error>([&] { t.adjoints(y); }), "view[0] (value 2) (id 5) is neither an input nor kept"));
    x(1, 1) = 3.0;
    CHECK(has(refusal<admpi::argument_error>([&] { t.adjoints(x); }), "view[3] (value 3) is passive"));
  }
}

TEST_CASE("test_misuse_checking_lets_right_questions_pass") {
  const checked on;
  // A constant function has a gradient, and a state between the parts of a sweep an adjoint.
  CHECK(admpi::gradient([](const std::vector<var> &) { return var(1.0); }, {2.0}) == std::vector<double>{0.0});
  tape t;
  t.start();
  const auto bottom = t.position();
  var x = 2.0, unused = 1.0;
  t.input(x);
  t.input(unused);
  const var state = x * x;
  const auto middle = t.position();
  const var y = 3.0 * state;
  t.seed(y);
  t.reverse(t.position(), middle);
  CHECK(t.adjoint(state) == 3.0);
  t.reverse(middle, bottom);
  CHECK(t.adjoint(x) == 12.0);
  CHECK(t.adjoint(unused) == 0.0);
  {
    // What a sweep of the nest has not passed has an adjoint again, which may be 0.
    admpi::nested nest;
    const var z = 2.0 * x;
    t.seed(z);
    t.reverse();
    CHECK(t.adjoint(state) == 0.0);
  }
  // A function without results puts adjoints in as the sweep passes.
  t.reset();
  t.input(x);
  t.callback(&x, 1, nullptr, 0, nullptr, [](const admpi::callback_adjoints &a) { a.in(0) += 7.0; });
  t.reverse();
  CHECK(t.adjoint(x) == 7.0);
}
