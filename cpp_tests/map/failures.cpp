// What maps refuse, and how a job that fails is told: job, type and text; jobs in unusual states.
#include <admpi.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/recording_tape.hpp"
#include "map/problem.hpp"

using namespace map_tests;
using admpi::map_data;
using admpi::map_error;
using admpi::map_function;
using admpi::map_place;
using admpi::map_rect;
using admpi::map_rect_sum;
using admpi::map_workers;

TEST_CASE("test_map_refuses_data_that_do_not_fit") {
  with_workers([](map_workers &workers) {
    const numbers shared{1.0};
    map_values values = problem::rectangular(4).data;
    map_data data(workers, values);
    CHECK(map_rect(model{}, shared, 4, data).size() == 4);
    CHECK_THROWS_AS(map_rect(model{}, shared, 3, data), admpi::mismatch_error);
    CHECK_THROWS_AS(map_rect(model{}, shared, 5, data), admpi::mismatch_error);
    const map_place old = data;
    data.update(values);
    // Stale: the data that are there now are others.
    CHECK_THROWS_AS(map_rect(model{}, shared, 4, old), admpi::error);
    CHECK(map_rect(model{}, shared, 4, data).size() == 4);
    values.x_i.push_back(std::vector<std::int32_t>{1});
    const std::string what = message<admpi::argument_error>([&] { data.update(values); });
    CHECK(contains(what, "x_r has 4 parts for 5 jobs"));
    CHECK(map_rect(model{}, shared, 4, data).size() == 4);
  });
}

namespace {

struct unknown {};

/// Job 0 is fine, all above fail each in its way, chosen by x_i.
const auto failing = [](const auto &job) {
  job.y[0] = job.shared[0] * 2.0;
  switch (job.x_i[0]) {
    case 1: throw std::domain_error("the dose is negative");
    case 2: throw unknown{};
    case 3: throw admpi::limit_error("too much");
    case 4: throw std::string("a string");
    case 5: throw std::bad_alloc();
    default: break;
  }
};

}  // namespace

TEST_CASE("test_map_exceptions_arrive_with_job_and_type") {
  const map_function f("failing", failing);
  with_workers([&](map_workers &workers) {
    const auto run = [&](std::vector<std::int32_t> kinds) {
      const auto jobs = static_cast<std::int64_t>(kinds.size());
      map_values values;
      values.x_i = ragged<std::int32_t>(std::move(kinds), jobs);
      map_data data(workers, values);
      test::recording_tape tape;
      actives shared{3.0};
      tape.input(shared);
      return values_of(map_rect(f, shared, jobs, data));
    };
    const auto caught = [&](std::vector<std::int32_t> kinds) -> map_error {
      try {
        run(std::move(kinds));
      } catch (const map_error &error) {
        return error;
      }
      throw std::logic_error("nothing was thrown");
    };
    const map_error domain = caught({0, 0, 0, 1, 0, 1});
    CHECK(domain.job() == 3);
    CHECK(domain.rank() == 0);
    CHECK(domain.cause() == -1);
    CHECK(domain.text() == "std::domain_error: the dose is negative");
    CHECK(domain.code() == ADMPI_ERR_CALLBACK);
    CHECK(contains(domain.what(), "the dose is negative"));
    CHECK(contains(domain.what(), "3"));
    CHECK(run({0, 0}) == numbers{6.0, 6.0});
    CHECK(contains(caught({2}).text(), "unknown"));
    CHECK(caught({0, 4}).job() == 1);
    CHECK(contains(caught({0, 5}).text(), "std::bad_alloc"));
    const map_error limit = caught({0, 0, 3});
    CHECK(limit.cause() == ADMPI_ERR_LIMIT);
    CHECK(contains(limit.text(), "too much"));
    CHECK(contains(limit.text(), "admpi::limit_error: "));
    CHECK(run({0, 0, 0}) == numbers{6.0, 6.0, 6.0});
  });
}

TEST_CASE("test_map_after_a_failure_records_as_before") {
  const map_function f("failing", failing);
  with_workers([&](map_workers &workers) {
    map_values values;
    values.x_i = ragged<std::int32_t>({0, 0, 1}, 3);
    map_data data(workers, values);
    test::recording_tape tape;
    var x = 3.0;
    tape.input(x);
    const var before = sin(x);
    CHECK_THROWS_AS(map_rect(f, actives{x}, 3, data), map_error);
    values.x_i = ragged<std::int32_t>({0, 0, 0}, 3);
    data.update(values);
    const actives y = map_rect(f, actives{x}, 3, data);
    tape.seed(var(before * y[2]));
    tape.reverse();
    CHECK(close(tape.adjoint(x), 2.0 * (std::sin(3.0) + 3.0 * std::cos(3.0))));
  });
}

TEST_CASE("test_map_passes_what_is_not_a_number") {
  const auto roots = [](const auto &job) { job.y[0] = sqrt(job.params[0]) * job.shared[0]; };
  with_workers([&](map_workers &workers) {
    test::recording_tape tape;
    actives shared{2.0}, params{4.0, -1.0, 9.0, std::numeric_limits<double>::infinity(), 0.0};
    tape.input(shared);
    tape.input(params);
    const actives y = map_rect(roots, shared, params, workers);
    CHECK(y[0].value == 4.0);
    CHECK(std::isnan(y[1].value));
    CHECK(y[2].value == 6.0);
    CHECK(std::isinf(y[3].value));
    tape.seed(y[0]);
    tape.seed(y[1]);
    tape.reverse();
    CHECK(tape.adjoint(params[0]) == 0.5);
    CHECK(std::isnan(tape.adjoint(params[1])));
    CHECK(std::isnan(tape.adjoint(shared[0])));
    tape.clear_adjoints();
    tape.seed(y[2]);
    tape.seed(y[4]);
    tape.reverse();
    CHECK(std::isinf(tape.adjoint(params[4])));
    CHECK(tape.adjoint(params[2]) == doctest::Approx(2.0 / 6.0));
    CHECK(tape.adjoint(shared[0]) == 3.0);
  });
}

TEST_CASE("test_map_is_not_changed_by_its_jobs") {
  with_workers([](map_workers &workers) {
    const auto meddle = [&](const auto &job) {
      job.y[0] = 1.0;
      if (job.index() == 3) workers.backend(ADMPI_MAP_SERIAL);
      if (job.index() == 5) workers.stop();
    };
    const auto of = [&](std::int64_t jobs) -> std::int64_t {
      try {
        map_rect(meddle, numbers{}, jobs, workers);
      } catch (const map_error &error) {
        CHECK(error.cause() == ADMPI_ERR_NEST);
        return error.job();
      }
      return -1;
    };
    CHECK(of(3) == -1);
    CHECK(of(4) == 3);
    CHECK(of(6) == 3);
    CHECK(of(3) == -1);
  });
}

// What is recorded elsewhere has an id of another tape, which might be one of the job's.
TEST_CASE("test_map_refuses_active_captures") {
  for (const int before : {0, 1000}) {
    CAPTURE(before);
    test::recording_tape tape;
    actives many(static_cast<std::size_t>(before), 1.0), shared = {2.0};
    if (before > 0) tape.input(many);
    var captured = 3.0;
    tape.input(captured);
    tape.input(shared);
    const auto uses = [&](const auto &job) { job.y[0] = captured * job.shared[0]; };
    // Until it does not, a function is on trial.
    for (int call = 0; call < 2; ++call) {
      try {
        map_rect(uses, shared, 3);
        FAIL("no error");
      } catch (const map_error &e) {
        CHECK(e.job() == 0);
        CHECK(e.cause() == ADMPI_ERR_STALE);
      }
    }
    double plain = 3.0;
    const auto y = map_rect([&](const auto &job) { job.y[0] = plain * job.shared[0]; }, shared, 3);
    tape.seed(y[1]);
    tape.reverse();
    CHECK(tape.adjoint(shared[0]) == 3.0);
    CHECK(tape.adjoint(captured) == 0.0);
  }
  // Nor may a job use what an earlier one has recorded.
  test::recording_tape tape;
  actives shared = {2.0}, params = {1.0, 10.0, 100.0};
  tape.input(shared);
  tape.input(params);
  var memo;
  bool have = false;
  const auto remembers = [&](const auto &job) {
    if (!have) memo = exp(job.shared[0]), have = true;
    job.y[0] = memo * 1.0 + job.params[0] * job.params[0];
  };
  CHECK_THROWS_AS(map_rect(remembers, shared, params), map_error);
}

TEST_CASE("test_map_jobs_may_reset_what_they_recorded") {
  with_workers([](map_workers &workers) {
    const auto tries = [](const auto &job) {
      const var a = job.shared[0] * job.params[0], b = exp(a);
      const auto here = admpi::current_tape().position();
      const var trial = sin(b) * a;
      if (trial < 1e9) admpi::current_tape().reset_to(here);
      job.y[0] = a;
      job.y[1] = b;
    };
    const auto plain = [](const auto &job) {
      job.y[0] = job.shared[0] * 2.0;
      job.y[1] = job.shared[0] * 3.0;
    };
    test::recording_tape tape;
    actives shared = {0.5}, params = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
    tape.input(shared);
    tape.input(params);
    for (int call = 0; call < 3; ++call) {
      const actives y = map_rect(tries, shared, params, workers, 2), z = map_rect(plain, shared, 4, workers, 2);
      for (std::size_t k = 0; k < params.size(); ++k) {
        const double p = admpi::value(params[k]), e = std::exp(0.5 * p);
        tape.clear_adjoints();
        tape.seed(y[2 * k], 10.0);
        tape.seed(y[2 * k + 1]);
        tape.seed(z[1]);
        tape.reverse();
        CHECK(tape.adjoint(shared[0]) == doctest::Approx(10.0 * p + e * p + 3.0));
        CHECK(tape.adjoint(params[k]) == doctest::Approx(5.0 + 0.5 * e));
      }
    }
  });
}

TEST_CASE("test_map_threads_have_stacks_as_long_as_the_callers") {
  const auto f = [](const auto &job) {
    volatile double large[500000];
    for (int i = 0; i < 500000; i += 100) large[i] = static_cast<double>(job.index());
    job.y[0] = job.shared[0] * large[100];
  };
  map_workers workers(ADMPI_MAP_THREADS, 2);
  CHECK(map_rect(f, numbers{2.0}, 4, workers) == numbers{0.0, 2.0, 4.0, 6.0});
}

TEST_CASE("test_map_names_what_is_wrong_in_a_call") {
  const auto f = [](const auto &job) { job.y[0] = job.params.size() > 0 ? job.params[0] : 0.0; };
  const ragged<double> short_ends({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, std::vector<std::int64_t>{2, 4});
  CHECK(contains(message<admpi::argument_error>([&] { map_rect(f, numbers{}, short_ends); }), "ends at 4 of 6"));
  CHECK(contains(message<admpi::argument_error>([&] { map_rect_sum(f, numbers{}, short_ends); }), "ends at 4 of 6"));
  CHECK(contains(message<admpi::argument_error>([&] { map_rect(f, numbers{}, -2); }), "the number of jobs, -2, is negative"));
  CHECK(contains(message<admpi::argument_error>([&] { map_rect(f, numbers{}, 2, {}, -1); }), "n_y = -1 is negative"));
  CHECK(contains(message<admpi::argument_error>([&] { admpi::map(f, numbers{}, 2, {2, -1}); }), "lengths[1] is -1"));
  CHECK(contains(message<admpi::argument_error>([&] { map_workers(ADMPI_MAP_THREADS, 5000); }), "threads = 5000"));
  for (const char *text : {"abc", "-2", "2x", "1e3", "5000"}) {
    setenv("ADMPI_MAP_THREADS", text, 1);
    CHECK(contains(message<admpi::argument_error>([&] { map_workers(ADMPI_MAP_THREADS, 0); }), text));
  }
  unsetenv("ADMPI_MAP_THREADS");
}

TEST_CASE("test_map_an_error_without_a_code_is_one") {
  struct mine : admpi::error {
    mine() : admpi::error(0, "mine") {}
  };
  try {
    map_rect([](const auto &job) { if (job.index() == 1) throw mine(); job.y[0] = 5.0; }, numbers{}, 3);
    FAIL("no error");
  } catch (const map_error &e) {
    CHECK(e.job() == 1);
    CHECK(e.cause() == -1);
    CHECK(contains(e.text(), "mine"));
  }
}

TEST_CASE("test_map_what_a_callback_throws_in_the_sweep_of_a_job_is_told") {
  with_workers([](map_workers &workers) {
    const auto f = [](const auto &job) {
      const var x = job.shared[0];
      var y;
      const double v = x.value;
      const auto i = job.index();
      admpi::current_tape().callback(&x, 1, &v, 1, &y, [i](const admpi::callback_adjoints &a) {
        if (i == 2) throw std::domain_error("inside the sweep");
        a.in(0) += a.out(0);
      });
      job.y[0] = y * 1.0;
    };
    test::recording_tape tape;
    actives shared = {1.0};
    tape.input(shared);
    for (int call = 0; call < 2; ++call) {
      try {
        map_rect(f, shared, 4, workers);
        FAIL("no error");
      } catch (const map_error &e) {
        CHECK(e.job() == 2);
        CHECK(e.cause() == 0);
        CHECK(e.text() == "std::domain_error: inside the sweep");
      }
    }
    const actives y = map_rect(f, shared, 2, workers);
    tape.seed(y[1]);
    tape.reverse();
    CHECK(tape.adjoint(shared[0]) == 1.0);
  });
}

TEST_CASE("test_map_last_failure_is_of_the_last_call_that_failed") {
  const admpi_map_fn fails = [](const admpi_var *, std::int64_t, const admpi_var *, std::int64_t, const double *, std::int64_t,
                                const std::int32_t *, std::int64_t, admpi_var *, std::int64_t, void *) -> std::int32_t {
    admpi_map_fail("boom");
    return 7;
  };
  std::int32_t number = 0;
  REQUIRE(admpi_map_register("fails", fails, nullptr, &number) == ADMPI_SUCCESS);
  admpi_var y[4];
  admpi_map_call call = {};
  call.function = number;
  call.jobs = call.n_y = 3;
  admpi_map_failure failure;
  CHECK(admpi_map_run(nullptr, &call, y) == ADMPI_ERR_CALLBACK);
  REQUIRE(admpi_map_last_failure(&failure) == ADMPI_SUCCESS);
  CHECK(failure.job == 0);
  CHECK(failure.code == 7);
  CHECK(std::string(failure.text) == "boom");
  call.n_y = 4;
  CHECK(admpi_map_run(nullptr, &call, y) == ADMPI_ERR_ARGUMENT);
  REQUIRE(admpi_map_last_failure(&failure) == ADMPI_SUCCESS);
  CHECK(failure.job == -1);
  CHECK(failure.code == 0);
  CHECK(contains(failure.text, "n_y = 4"));
  CHECK(admpi_map_unregister(number) == ADMPI_SUCCESS);
  CHECK(admpi_map_unregister(number) == ADMPI_ERR_ARGUMENT);
  // Functions without a name come and go; one that has gone is found out.
  call.n_y = 3;
  for (int k = 0; k < 1000; ++k) {
    std::int32_t next = 0;
    REQUIRE(admpi_map_register("fails", fails, nullptr, &next) == ADMPI_SUCCESS);
    REQUIRE(next > number);
    CHECK(admpi_map_run(nullptr, &call, y) == ADMPI_ERR_ARGUMENT);
    REQUIRE(admpi_map_unregister(next) == ADMPI_SUCCESS);
    number = next;
  }
}
