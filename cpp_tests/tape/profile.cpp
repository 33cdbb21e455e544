// Profiles: what regions record and what sweeps spend on them; nests, callbacks, maps, time loops, resets, and misuse.
#include <admpi.hpp>
#include <admpi/time_loop.hpp>

#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using admpi::profile_row;
using admpi::region;
using admpi::tape;
using admpi::var;

namespace {

/// The row of a region; all zeros if there is none.
profile_row row_of(const admpi::profile &profile, const std::string &name) {
  for (const profile_row &row : profile.rows())
    if (row.region == name) return row;
  return {};
}

double statements(const tape &t, const std::string &name) { return row_of(t.profile(), name).statements.mean; }
double count(const tape &t, const std::string &name) { return row_of(t.profile(), name).count.mean; }

/// n statements.
var work(var x, int n) {
  for (int i = 0; i < n; ++i) x = sin(x);
  return x;
}

/// x with a reverse function.
template <class F>
var through(tape &t, const var &x, F reverse) {
  var y;
  t.callback(&x, 1, &x.value, 1, &y, std::move(reverse));
  return y;
}

/// Takes that long in a sweep.
var slow(tape &t, const var &x, int milliseconds) {
  return through(t, x, [milliseconds](const admpi::callback_adjoints &a) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
    a.in(0) = a.out(0);
  });
}

double seconds(const tape &t, const std::string &name) { return row_of(t.profile(), name).sweep_seconds.mean; }

/// The text of the error that fn throws, or "".
template <class F>
std::string refusal(const F &fn) {
  try {
    fn();
  } catch (const admpi::error &error) {
    return error.what();
  }
  return "";
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// A tape with a profile that records, and an input.
struct profiled : tape {
  var x = 0.5;
  admpi::position bottom = position();
  profiled() {
    set_profile(true);
    start();
    input(x);
  }
};

}  // namespace

TEST_CASE("test_profile_charges_the_innermost_region") {
  profiled t;
  var y = work(t.x, 1);
  {
    region step("step");
    y = work(y, 10);
    for (int i = 0; i < 3; ++i) {
      region advection("advection");
      y = work(y, 100);
    }
    y = work(y, 20);
  }
  {
    region advection("advection");
    y = work(y, 5);
  }
  CHECK(statements(t, "(outside)") == 1);
  CHECK(statements(t, "step") == 30);
  CHECK(statements(t, "step/advection") == 300);
  CHECK(statements(t, "advection") == 5);
  CHECK(count(t, "step") == 1);
  CHECK(count(t, "step/advection") == 3);
  CHECK(row_of(t.profile(), "step/advection").bytes.mean == 300 * 13);
  double all = 0.0, bytes = 0.0;
  for (const profile_row &row : t.profile().rows()) {
    all += row.statements.mean;
    bytes += row.bytes.mean;
    CHECK(row.statements.least == row.statements.most);
  }
  const admpi::tape_statistics held = t.statistics();
  CHECK(all == static_cast<double>(held.statements));
  // But for the events between regions.
  CHECK(bytes <= static_cast<double>(held.used_bytes - held.adjoint_bytes));
  CHECK(bytes >= static_cast<double>(held.statement_bytes + held.argument_bytes));
}

TEST_CASE("test_profile_gradient_is_the_same") {
  const auto gradient = [](bool on) {
    tape t;
    t.set_profile(on);
    t.start();
    std::vector<var> x{0.3, 0.7};
    t.input(x);
    var y = x[0];
    for (int i = 0; i < 5; ++i) {
      region outer("outer");
      y = y * x[1] + sin(y);
      region inner("inner");
      y = y * y;
    }
    t.seed(y);
    t.reverse();
    return std::vector<double>{t.adjoint(x[0]), t.adjoint(x[1])};
  };
  CHECK(gradient(false) == gradient(true));
}

TEST_CASE("test_profile_sweep_time_goes_to_the_region_of_the_record") {
  profiled t;
  var y = slow(t, t.x, 2);
  {
    region a("a");
    y = slow(t, y, 20);
    region b("b");
    y = slow(t, y, 10);
  }
  y = slow(t, y, 5);
  CHECK(seconds(t, "a") == 0);
  t.seed(y);
  t.reverse();
  const admpi::profile once = t.profile();
  CHECK(seconds(t, "a") >= 0.020);
  CHECK(seconds(t, "a/b") >= 0.010);
  CHECK(seconds(t, "(outside)") >= 0.007);
  CHECK(seconds(t, "a") < 10 * seconds(t, "a/b"));
  t.seed(y);
  t.reverse();
  CHECK(seconds(t, "a") >= row_of(once, "a").sweep_seconds.mean + 0.020);
  CHECK(count(t, "a") == 1);
}

TEST_CASE("test_profile_part_of_a_tape_and_sweep_with_an_open_region") {
  profiled t;
  var y = t.x;
  region whole("whole");
  {
    region a("a");
    y = slow(t, y, 4);
  }
  const admpi::position middle = t.position();
  {
    region b("b");
    y = slow(t, y, 4);
  }
  t.seed(y);
  t.reverse(t.position(), middle);
  CHECK(seconds(t, "whole/b") >= 0.004);
  CHECK(seconds(t, "whole/a") == 0);
  t.reverse(middle, t.bottom);
  CHECK(seconds(t, "whole/a") >= 0.004);
}

TEST_CASE("test_profile_range_that_begins_inside_a_region") {
  profiled t;
  var y = t.x;
  admpi::position inside;
  {
    region a("a");
    y = slow(t, y, 4);
    inside = t.position();
    t.seed(y);
    y = work(y, 3);
  }
  t.reverse(inside, t.bottom);
  CHECK(seconds(t, "a") >= 0.004);
  CHECK(seconds(t, "(outside)") < 0.004);
}

TEST_CASE("test_profile_reset_keeps_open_regions_and_accumulates") {
  profiled t;
  region run("run");
  for (int i = 0; i < 3; ++i) {
    t.reset();
    t.input(t.x);
    region step("step");
    const var y = work(t.x, 7);
    t.seed(y);
    t.reverse();
  }
  CHECK(statements(t, "run/step") == 21);
  CHECK(count(t, "run/step") == 3);
  CHECK(count(t, "run") == 1);
  CHECK(seconds(t, "run/step") > 0);
}

TEST_CASE("test_profile_off_and_on_again") {
  tape t;
  t.start();
  var x = 0.5;
  t.input(x);
  CHECK(has(refusal([&] { t.profile(); }), "admpi_tape_set_profile"));
  {
    region early("early");
    x = work(x, 2);
    t.set_profile(true);
    x = work(x, 3);
  }
  CHECK(admpi_detail_regions == 1);
  CHECK(count(t, "early") == 0);
  CHECK(statements(t, "(outside)") == 3);
  {
    region a("a");
    t.set_profile(true);  // forgets, and goes on in a
    x = work(x, 4);
  }
  CHECK(statements(t, "(outside)") == 0);
  CHECK(statements(t, "a") == 4);
  {
    region a("a");
    t.set_profile(false);
    x = work(x, 5);
  }
  CHECK(admpi_detail_regions == 0);
  CHECK(statements(t, "a") == 4);
  t.seed(x);
  t.reverse();
  CHECK(seconds(t, "a") == 0);
  {
    tape other;
    other.set_profile(true);
    CHECK(admpi_detail_regions == 1);
    region inside("inside");
  }
  CHECK(admpi_detail_regions == 0);
  region without("without a profile");
}

TEST_CASE("test_profile_thread_without_a_tape") {
  profiled t;
  admpi_tape *const handle = t.handle();
  admpi_tape_activate(nullptr, nullptr);
  {
    region r("nobody's");
    CHECK(admpi_region_begin("nobody's") == ADMPI_SUCCESS);
    CHECK(admpi_region_end("nobody's") == ADMPI_SUCCESS);
    CHECK(admpi_tape_region_begin(admpi_tls_tape, "nobody's") == ADMPI_ERR_NO_TAPE);
  }
  admpi_tape_activate(handle, nullptr);
  CHECK(count(t, "nobody's") == 0);
}

TEST_CASE("test_profile_nests") {
  profiled t;
  var y = t.x;
  {
    region outer("outer");
    admpi::nested nest;
    region inner("inner");
    var z = work(y, 8);
    t.seed(z);
    t.reverse();
  }
  CHECK(statements(t, "outer/inner") == 8);
  CHECK(seconds(t, "outer/inner") > 0);
  {
    // The region ends with its nest, and then there is none to end.
    admpi::nested nest;
    CHECK(admpi_region_begin("left") == ADMPI_SUCCESS);
    y = work(y, 2);
  }
  CHECK(admpi_region_end("left") == ADMPI_ERR_NEST);
  CHECK(has(admpi_last_error(), "ended with the nest"));
  CHECK(statements(t, "left") == 2);
  y = work(t.x, 1);
  CHECK(statements(t, "(outside)") == 1);
}

TEST_CASE("test_profile_callbacks_and_their_nests") {
  profiled t;
  var y = t.x;
  {
    region model("model");
    y = through(t, y, [&t](const admpi::callback_adjoints &a) {
      admpi::nested nest;
      t.start();
      var x = 0.5;
      t.input(x);
      var z = x;
      {
        region again("again");
        z = work(x, 2);
      }
      t.seed(z, a.out(0));
      t.reverse();
      a.in(0) = t.adjoint(x);
    });
  }
  t.seed(y);
  t.reverse();
  CHECK(std::fabs(t.adjoint(t.x) - std::cos(0.5) * std::cos(std::sin(0.5))) < 1e-15);
  CHECK(statements(t, "model/again") == 2);
  CHECK(seconds(t, "model/again") > 0);
  CHECK(seconds(t, "model") > 0);
  t.set_profile(true);
  t.seed(y);
  t.reverse();
  CHECK(statements(t, "model/again") == 2);
}

TEST_CASE("test_profile_time_loop_steps_count_each_time") {
  profiled t;
  std::vector<var> u(1, t.x);
  admpi::time_loop loop(t);
  loop.binomial(2);
  loop.state(u);
  {
    region model("model");
    loop.run(6, [&](std::int64_t) {
      region step("step");
      u[0] = work(u[0], 4);
    });
  }
  CHECK(count(t, "model/step") == 6);
  t.seed(u[0]);
  t.reverse();
  const admpi::time_loop_statistics did = loop.statistics();
  const double steps = static_cast<double>(did.first + did.advanced + did.recorded);
  CHECK(steps > 6);
  CHECK(count(t, "model/step") == steps);
  CHECK(statements(t, "model/step") == 4 * static_cast<double>(did.first + did.recorded));
  CHECK(seconds(t, "model/step") > 0);
}

TEST_CASE("test_profile_map_counts_for_the_region_of_its_call") {
  const admpi::map_function square("profiled square", [](const auto &job) {
    region r("in a job");
    job.y[0] += job.params[0] * job.params[0] + job.shared[0] + job.x_r[0];
  });
  admpi::map_values seen;
  seen.x_r = {{1.0}, {2.0}, {3.0}};
  admpi::map_workers workers(ADMPI_MAP_SERIAL, 1);
  const admpi::map_data data(workers, seen);
  profiled t;
  std::vector<var> shared(1, t.x), params{1.0, 2.0, 3.0};
  t.input(params);
  std::vector<var> y;
  {
    region mapped("mapped");
    y = admpi::map_rect_sum(square, shared, params, data);
  }
  t.seed(y[0]);
  t.reverse();
  CHECK(t.adjoint(params[2]) == 6.0);
  const profile_row row = row_of(t.profile(), "mapped");
  CHECK(row.events.mean == 1);
  CHECK(row.statements.mean == 0);
  CHECK(row.sweep_seconds.mean > 0);
  CHECK(count(t, "mapped/in a job") == 0);
}

TEST_CASE("test_profile_misuse") {
  profiled t;
  CHECK(admpi_region_end("never") == ADMPI_ERR_NEST);
  CHECK(has(admpi_last_error(), "region_end: name = \"never\": no region is open"));
  CHECK(admpi_region_begin("a") == ADMPI_SUCCESS);
  CHECK(admpi_region_end("b") == ADMPI_ERR_NEST);
  CHECK(has(admpi_last_error(), "the innermost open region is \"a\""));
  {
    admpi::nested nest;
    CHECK(admpi_region_end("a") == ADMPI_ERR_NEST);
    CHECK(has(admpi_last_error(), "it began outside the nest"));
  }
  CHECK(admpi_region_end("a") == ADMPI_SUCCESS);
  CHECK(admpi_tape_region_begin(t.handle(), nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_tape_region_begin(t.handle(), "") == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_tape_region_end(nullptr, "a") == ADMPI_ERR_NULL);

  // What is left open in a callback.
  var y = through(t, t.x, [](const admpi::callback_adjoints &a) {
    admpi_region_begin("open");
    a.in(0) = a.out(0);
  });
  t.seed(y);
  CHECK(has(refusal([&] { t.reverse(); }), "a callback left the region \"open\" open"));
  CHECK(admpi_region_end("open") == ADMPI_ERR_NEST);
  t.clear_adjoints();

  // What began outside of a callback does not end in it; a profile is not switched there.
  t.reset();
  t.input(t.x);
  admpi_region_begin("around");
  int ended = -1, switched = -1;
  y = through(t, t.x, [&](const admpi::callback_adjoints &a) {
    ended = admpi_region_end("around");
    switched = admpi_tape_set_profile(t.handle(), 0);
    a.in(0) = a.out(0);
  });
  t.seed(y);
  t.reverse();
  CHECK(ended == ADMPI_ERR_NEST);
  CHECK(switched == ADMPI_ERR_NEST);
  CHECK(admpi_region_end("around") == ADMPI_SUCCESS);
}

TEST_CASE("test_profile_reads_and_prints") {
  profiled t;
  var y = t.x;
  {
    region a("a");
    y = work(y, 3);
  }
  const admpi::profile profile = t.profile();
  CHECK(profile.ranks() == 1);
  const std::string table = profile.table();
  CHECK(table.rfind("region", 0) == 0);
  CHECK(has(table, "\na "));
  CHECK(has(table, "(all)"));
  CHECK(has(refusal([&] { profile.table(-1); }), "most = -1"));
  admpi_profile *handle = nullptr;
  REQUIRE(admpi_tape_profile(t.handle(), &handle) == ADMPI_SUCCESS);
  admpi_profile_row row;
  CHECK(admpi_profile_read(handle, 2, &row) == ADMPI_ERR_ARGUMENT);
  CHECK(has(admpi_last_error(), "row = 2: the profile has 2 rows"));
  CHECK(admpi_profile_read(handle, -1, &row) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_profile_read(nullptr, 0, &row) == ADMPI_ERR_NULL);
  CHECK(admpi_profile_size(handle, nullptr, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_profile_table(handle, 1, nullptr) == ADMPI_ERR_NULL);
  admpi_profile_free(handle);
  admpi_profile_free(nullptr);
}
