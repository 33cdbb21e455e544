// What C++ code does at a bad moment: in callbacks and destructors, in the wrong order, while a thread ends.
#include <admpi.hpp>

#include <cmath>
#include <memory>
#include <stdexcept>
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
      y = x * x;
    } catch (const admpi::limit_error &) {
      refused = true;
    }
    CHECK(t.statistics().arguments == (refused ? 0 : 2));
    t.set_limit(0);
    if (refused) y = x * x;
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
      CHECK_THROWS_AS(t.width(4), admpi::nest_error);
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
