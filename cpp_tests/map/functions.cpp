// Maps: a function over jobs, serially and by threads, against a loop on one tape.
#include <admpi.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "harness/recording_tape.hpp"
#include "map/problem.hpp"

using namespace map_tests;
using admpi::map_data;
using admpi::map_function;
using admpi::map_rect;
using admpi::map_rect_sum;
using admpi::map_scalars;
using admpi::map_sum;
using admpi::map_workers;
using admpi::tangent;
using admpi::varmat;

TEST_CASE("test_map_rect_is_a_loop_on_the_tape") {
  const map_function f("model", model{});
  for (const std::size_t jobs : {1, 2, 4, 5, 7, 40}) {
    CAPTURE(jobs);
    const problem p = problem::rectangular(jobs);
    for (const bool active_shared : {true, false})
      for (const bool active_params : {true, false}) {
        const numbers expected = derivatives(p, loop_of(p), active_shared, active_params);
        with_workers([&](map_workers &workers) {
          map_data data(workers, p.data);
          // Costs are learned in the first calls: others do the jobs then.
          for (int call = 0; call < 3; ++call) {
            check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(f, s, q, data, 2); },
                                    active_shared, active_params),
                        expected);
          }
        });
      }
  }
}

TEST_CASE("test_map_by_finite_differences") {
  const problem p = problem::rectangular(5);
  const auto weighted = [&](const problem &at) {
    const numbers y = at.loop(at.shared, at.params), weight = some(y.size(), 2.3);
    double sum = 0.0;
    for (std::size_t k = 0; k < y.size(); ++k) sum += weight[k] * y[k];
    return sum;
  };
  with_workers([&](map_workers &workers) {
    map_data data(workers, p.data);
    const recorded by_map = [&](const actives &s, const ragged<var> &q) { return map_rect(model{}, s, q, data, 2); };
    const numbers got = derivatives(p, by_map);
    constexpr double h = 1e-5;
    for (std::size_t k = 0; k < p.shared.size(); ++k) {
      problem up = p, down = p;
      up.shared[k] += h;
      down.shared[k] -= h;
      CHECK(close(got[10 + k], (weighted(up) - weighted(down)) / (2 * h), 1e-7));
    }
    for (std::size_t k = 0; k < p.params.values().size(); ++k) {
      const auto moved = [&](double by) {
        problem at = p;
        numbers x = p.params.values();
        x[k] += by;
        at.params = ragged<double>(x, p.params.ends());
        return weighted(at);
      };
      CHECK(close(got[13 + k], (moved(h) - moved(-h)) / (2 * h), 1e-7));
    }
  });
}

TEST_CASE("test_map_of_jobs_of_all_lengths") {
  const map_function f("model", model{});
  for (const std::size_t jobs : {1, 3, 9, 30}) {
    CAPTURE(jobs);
    problem p = problem::of_all_lengths(jobs);
    with_workers([&](map_workers &workers) {
      map_data data(workers, p.data);
      // The lengths of the results may change from call to call.
      for (const std::size_t longer : {0, 1, 3}) {
        problem q = p;
        for (std::size_t k = 0; k < jobs; ++k) q.lengths[k] = (q.lengths[k] + static_cast<std::int64_t>(longer * k)) % 5;
        check_close(
            derivatives(q, [&](const actives &s, const ragged<var> &own) { return admpi::map(f, s, own, q.lengths, data); }),
            derivatives(q, loop_of(q)));
      }
    });
  }
}

TEST_CASE("test_map_rect_sum_is_the_sum") {
  const map_function f("model", model{});
  for (const std::size_t jobs : {0, 1, 2, 7, 40}) {
    CAPTURE(jobs);
    const problem p = problem::rectangular(jobs, 3);
    const numbers expected = derivatives(p, [&](const actives &s, const ragged<var> &q) {
      actives sum(3, var(0.0));
      const actives all = p.loop(s, q);
      for (std::size_t k = 0; k < all.size(); ++k) sum[k % 3] += all[k];
      return sum;
    });
    with_workers([&](map_workers &workers) {
      map_data data(workers, p.data);
      for (int call = 0; call < 3; ++call) {
        const recorded by_map = [&](const actives &s, const ragged<var> &q) { return map_rect_sum(f, s, q, data, 3); };
        check_close(derivatives(p, by_map), expected, 1e-13);
      }
    });
  }
}

TEST_CASE("test_map_sum_is_the_same_whoever_does_the_jobs") {
  // Where a call is short the next one is the calling thread's. Large numbers, whose sum depends on the order.
  const map_function f("thirds", [](const auto &job) { job.y[0] = job.shared[0] * job.params[0] / 3.0; });
  numbers params;
  for (int k = 0; k < 100; ++k) params.push_back(std::sin(1.0 + k) * std::pow(10.0, k % 17));
  const numbers shared{1.7};
  map_workers workers(ADMPI_MAP_THREADS, 4);
  const numbers once = admpi::map_rect_sum(f, shared, params, workers);
  const numbers each = admpi::map_rect(f, shared, params, workers);
  double in_order = 0.0;
  for (const double y : each) in_order += y;
  CHECK(in_order != once[0]);
  for (int call = 0; call < 20; ++call) {
    CHECK(admpi::map_rect_sum(f, shared, params, workers) == once);
    CHECK(admpi::map_rect(f, shared, params, workers) == each);
  }
}

TEST_CASE("test_map_of_no_jobs") {
  with_workers([](map_workers &workers) {
    CHECK(map_rect(model{}, numbers{1.0}, 0, workers).empty());
    CHECK(admpi::map(model{}, numbers{1.0}, 0, {}, workers).empty());
    CHECK(map_rect_sum(model{}, numbers{1.0}, 0, workers, 2) == numbers{0.0, 0.0});
    CHECK(map_rect(model{}, numbers{1.0}, 3, workers, 0).empty());
  });
}

TEST_CASE("test_map_of_a_function_without_a_name_does_not_copy_it") {
  struct unique {
    std::unique_ptr<double> factor = std::make_unique<double>(3.0);
    void operator()(const admpi::map_job<var> &job) const { job.y[0] = *factor * job.params[0]; }
  };
  with_workers([](map_workers &workers) { CHECK(map_rect(unique{}, numbers{}, numbers{1.0, 2.0}, workers) == numbers{3.0, 6.0}); });
}

TEST_CASE("test_map_takes_parameters_in_all_forms") {
  // y = s0 + 10 s1 + 100 sum of own.
  const auto weigh = [](const auto &job) {
    auto sum = job.shared[0] + 10.0 * job.shared[1];
    typename std::decay_t<decltype(job)>::scalar y = sum;
    for (const auto &x : job.params) y += 100.0 * x;
    job.y[0] = y;
  };
  const map_function f("weigh", weigh);
  const numbers shared{1.0, 2.0};
  CHECK(map_rect(f, shared, 2) == numbers{21.0, 21.0});
  CHECK(map_rect(f, std::array<double, 2>{1.0, 2.0}, numbers{3.0, 4.0}) == numbers{321.0, 421.0});
  const ragged<double> unlike{{}, {1.0, 2.0}};
  CHECK(admpi::map(f, shared, unlike, {1, 1}) == numbers{21.0, 321.0});
  CHECK(map_sum(f, shared, unlike) == numbers{342.0});
  CHECK(map_rect(f, shared, ragged<double>({1.0, 2.0, 3.0, 4.0}, 2)) == numbers{321.0, 721.0});
  CHECK(map_rect(weigh, shared, numbers{3.0, 4.0}) == numbers{321.0, 421.0});
  test::recording_tape tape;
  varmat a(2, 3, numbers{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}.data());
  tape.input(a);
  const actives y = map_rect(f, a.col(0), a);
  CHECK(values_of(y) == numbers{321.0, 721.0, 1121.0});
  tape.seed(y[1]);
  tape.reverse();
  CHECK(tape.adjoints(a) == numbers{1.0, 10.0, 100.0, 100.0, 0.0, 0.0});
  CHECK(values_of(map_rect(f, 2.0 * a.col(0), a + 1.0)) == numbers{542.0, 942.0, 1342.0});
  // A column a job; plain numbers beside active ones are constants.
  const actives z = map_rect(f, shared, a.block(0, 1, 2, 2));
  CHECK(values_of(z) == numbers{721.0, 1121.0});
  tape.clear_adjoints();
  tape.seed(z[1]);
  tape.reverse();
  CHECK(tape.adjoints(a) == numbers{0.0, 0.0, 0.0, 0.0, 100.0, 100.0});
  CHECK_THROWS_AS(ragged<double>(numbers{1.0, 2.0, 3.0}, 2), admpi::argument_error);
  CHECK_THROWS_AS(admpi::map(f, shared, 2, {1}), admpi::argument_error);
  CHECK_THROWS_AS(admpi::map(f, shared, 2, {1, -3}), admpi::argument_error);
  CHECK_THROWS_AS(map_rect(f, shared, 2, {}, -1), admpi::argument_error);
  // Rectangular is what is called so.
  CHECK(contains(message<admpi::argument_error>([&] { map_rect(f, shared, unlike); }), "job 1 has 2 parameters and job 0 has 0"));
  CHECK_THROWS_AS(map_rect_sum(f, shared, unlike), admpi::argument_error);
  CHECK(map_rect(f, shared, ragged<double>{{1.0, 2.0}, {3.0, 4.0}}) == numbers{321.0, 721.0});
}

TEST_CASE("test_map_results_may_be_parameters") {
  const map_function f("parameters", [](const auto &job) {
    job.y[0] = job.params[0];
    if (job.y.size() == 1) return;
    job.y[1] = job.shared[0];
    job.y[2] = job.y[1];
  });
  const problem p = problem::rectangular(5);
  with_workers([&](map_workers &workers) {
    for (const std::int64_t n_y : {1, 3}) {
      const recorded plain = [&](const actives &s, const ragged<var> &q) {
        actives all;
        for (std::size_t k = 0; k < 5; ++k) {
          all.push_back(q[k][0]);
          if (n_y == 3) all.insert(all.end(), {s[0], s[0]});
        }
        return all;
      };
      check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(f, s, q, workers, n_y); }),
                  derivatives(p, plain));
    }
  });
}

TEST_CASE("test_map_data_are_each_jobs_own_and_shared") {
  const map_function f("data", [](const auto &job) {
    double sum = static_cast<double>(job.index()) * 1e4;
    for (const double x : job.x_r) sum += x;
    for (const std::int32_t x : job.x_i) sum += 10.0 * x;
    for (const double x : job.shared_r()) sum += 100.0 * x;
    for (const std::int32_t x : job.shared_i()) sum += 1000.0 * x;
    job.y[0] = sum;
  });
  with_workers([&](map_workers &workers) {
    map_values values{{{1.0}, {}, {2.0, 3.0}}, {{}, {4}, {5}}, {6.0}, {1, 2}};
    map_data data(workers, values);
    CHECK(map_rect(f, numbers{}, 3, data) == numbers{3601.0, 13640.0, 23655.0});
    values.x_r = ragged<double>{{7.0}, {8.0}};
    values.x_i = {};
    values.shared_r = {};
    data.update(values);
    CHECK(map_rect(f, numbers{}, 2, data) == numbers{3007.0, 13008.0});
  });
}

TEST_CASE("test_map_functions_keep_captures_and_names") {
  numbers weights = some(5, 0.4);
  const auto weigh = [weights](const auto &job) {
    job.y[0] = job.shared[0] * weights[static_cast<std::size_t>(job.index())];
  };
  const map_function f("captured", weigh);
  const numbers captured = weights;
  weights.clear();
  with_workers([&](map_workers &workers) { CHECK(map_rect(f, numbers{1.0}, 5, workers) == captured); });
  const auto again = [] { map_function("captured", model{}); };
  CHECK(contains(message<admpi::argument_error>(again), "captured"));
  { const map_function g("for a while", model{}); }
  const map_function g("for a while", model{});
  CHECK(g.number<double>() == g.number<var>());
}

TEST_CASE("test_map_in_a_mapped_function") {
  const map_function inner("inner", [](const auto &job) { job.y[0] = sin(job.shared[0] * job.params[0]); });
  const map_function outer("outer", [&inner](const auto &job) {
    using T = typename std::decay_t<decltype(job)>::scalar;
    const std::vector<T> params(job.params.begin(), job.params.end());
    T product = 1.0;
    for (const T &y : map_rect(inner, job.shared, params)) product *= y;
    job.y[0] = product;
  });
  const auto plain = [](const actives &s, const ragged<var> &q) {
    actives all;
    for (std::size_t k = 0; k < static_cast<std::size_t>(q.parts()); ++k) {
      var product = 1.0;
      for (const var &x : q[k]) product *= sin(s[0] * x);
      all.push_back(product);
    }
    return all;
  };
  problem p = problem::of_all_lengths(9);
  p.shared = {0.8};
  const std::vector<std::int64_t> one_each(9, 1);
  with_workers([&](map_workers &workers) {
    check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return admpi::map(outer, s, q, one_each, workers); }),
                derivatives(p, plain));
    // By the workers who do the job themselves, which means in its thread.
    const auto again = [&](const auto &job) {
      using T = typename std::decay_t<decltype(job)>::scalar;
      T product = 1.0;
      for (const T &y : map_rect(inner, job.shared, std::vector<T>(job.params.begin(), job.params.end()), workers)) product *= y;
      job.y[0] = product;
    };
    check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return admpi::map(again, s, q, one_each, workers); }),
                derivatives(p, plain));
  });
}

TEST_CASE("test_map_uses_everything_of_the_library_in_a_job") {
  const auto quadratic = [](const auto &job) {
    varmat x(2, 1, numbers{0.0, 0.0}.data());
    x(0) = job.shared[0];
    x(1) = job.params[0];
    // A gradient by a nest of the job's own, and a sweep of it.
    const numbers g = admpi::gradient([](const actives &at) { return var(at[0] * at[0] * at[0]); }, numbers{2.0});
    job.y[0] = dot_self(x) * g[0];
  };
  problem p = problem::rectangular(4);
  const recorded plain = [](const actives &s, const ragged<var> &q) {
    actives all;
    for (std::size_t k = 0; k < 4; ++k) all.push_back(12.0 * (s[0] * s[0] + q[k][0] * q[k][0]));
    return all;
  };
  with_workers([&](map_workers &workers) {
    check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(quadratic, s, q, workers); }),
                derivatives(p, plain));
  });
}

TEST_CASE("test_map_of_plain_numbers_records_nothing") {
  const problem p = problem::of_all_lengths(7);
  const numbers expected = p.loop(p.shared, p.params);
  with_workers([&](map_workers &workers) {
    map_data data(workers, p.data);
    const map_function f("model", model{});
    CHECK(admpi::map(f, p.shared, p.params, p.lengths, data) == expected);
    test::recording_tape tape;
    const std::uint64_t before = tape.statistics().statements;
    CHECK(admpi::map(f, p.shared, p.params, p.lengths, data) == expected);
    // Active as a type, but nothing that depends on an input.
    const actives y = admpi::map(f, actives(p.shared.begin(), p.shared.end()), p.params, p.lengths, data);
    CHECK(values_of(y) == expected);
    for (const var &each : y) CHECK(each.id == 0);
    CHECK(tape.statistics().statements == before);
    var x = 1.0;
    tape.input(x);
    tape.stop();
    const std::uint64_t bytes = tape.statistics().used_bytes;
    CHECK(map_rect(f, actives{x}, 1)[0].id == 0);
    CHECK(tape.statistics().used_bytes == bytes);
  });
}

TEST_CASE("test_map_of_tangents") {
  const all_modes f("model", model{});
  with_workers([&](map_workers &workers) { check_tangents(f, workers); });
}

TEST_CASE("test_map_of_tangents_on_the_tape") {
  const all_modes f("model", model{});
  with_workers([&](map_workers &workers) { check_tangents_on_the_tape(f, workers); });
}

TEST_CASE("test_map_hessian_of_all_results") {
  const auto product = [](const auto &job) {
    job.y[0] = job.shared[0] * job.shared[0] * job.shared[1] * job.params[0];
    job.y[1] = exp(job.params[job.params.size() - 1] * job.x_r[0]);
  };
  const map_function f("product", product, map_scalars<tangent<var>>{});
  with_workers([&](map_workers &workers) {
    map_values values;
    values.x_r = ragged<double>({0.5, 2.0, 0.0}, 3);
    map_data data(workers, values);
    const ragged<double> params{{3.0}, {4.0, 1.0}, {5.0}};
    const auto second = map_hessian(f, {2.0, 7.0}, params, data, 2);
    const double e = std::exp(2.0);
    check_close(second.value, {84.0, std::exp(1.5), 112.0, e, 140.0, 1.0});
    REQUIRE(second.gradient.parts() == 6);
    const auto part = [](const ragged<double> &of, std::size_t k) { return numbers(of[k].begin(), of[k].end()); };
    check_close(part(second.gradient, 0), {84.0, 12.0, 28.0});
    check_close(part(second.gradient, 3), {0.0, 0.0, 0.0, 2.0 * e});
    check_close(part(second.hessian, 0), {42.0, 12.0, 28.0, 12.0, 0.0, 4.0, 28.0, 4.0, 0.0});
    check_close(part(second.hessian, 2), {56.0, 16.0, 28.0, 0.0, 16.0, 0.0, 4.0, 0.0, 28.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0});
    check_close(part(second.hessian, 3), {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4.0 * e});
    check_close(part(second.hessian, 5), numbers(9, 0.0));
    const auto unnamed = map_hessian(product, {2.0, 7.0}, params, data, 2);
    CHECK(unnamed.hessian.values() == second.hessian.values());
  });
}

TEST_CASE("test_map_in_directions_nests_and_parts_of_the_recording") {
  const problem p = problem::rectangular(5, 1);
  with_workers([&](map_workers &workers) {
    map_data data(workers, p.data);
    test::recording_tape tape;
    tape.set_width(4);
    actives shared(p.shared.begin(), p.shared.end());
    tape.input(shared);
    numbers expected;
    {
      const actives own(p.params.values().begin(), p.params.values().end());
      const actives y = p.loop(shared, ragged<var>(own, p.params.ends()));
      for (int k = 0; k < 4; ++k) tape.seed(y[static_cast<std::size_t>(k)], 1.0, k);
      tape.reverse();
      for (int k = 0; k < 4; ++k)
        for (const var &x : shared) expected.push_back(tape.adjoint(x, k));
      tape.clear_adjoints();
    }
    numbers got;
    {
      const admpi::position begin = tape.position();
      const actives y = map_rect(model{}, shared, p.params, data);
      const admpi::position end = tape.position();
      const var unrelated = shared[0] * 2.0;
      for (int k = 0; k < 4; ++k) tape.seed(y[static_cast<std::size_t>(k)], 1.0, k);
      tape.seed(unrelated);
      tape.reverse(end, begin);
      for (int k = 0; k < 4; ++k)
        for (const var &x : shared) got.push_back(tape.adjoint(x, k));
      tape.clear_adjoints();
    }
    check_close(got, expected);
    numbers in_nest;
    {
      admpi::nested nest;
      const actives y = map_rect(model{}, shared, p.params, data);
      for (int k = 0; k < 4; ++k) tape.seed(y[static_cast<std::size_t>(k)], 1.0, k);
      tape.reverse();
      for (int k = 0; k < 4; ++k)
        for (const var &x : shared) in_nest.push_back(tape.adjoint(x, k));
    }
    check_close(in_nest, expected);
  });
}

TEST_CASE("test_map_workers_may_change") {
  const problem p = problem::rectangular(7);
  const numbers expected = derivatives(p, loop_of(p));
  const map_function f("model", model{});
  map_workers workers(ADMPI_MAP_SERIAL);
  map_data data(workers, p.data);
  for (const int threads : {2, 0, 4}) {
    if (threads == 0) workers.backend(ADMPI_MAP_SERIAL);
    else workers.backend(ADMPI_MAP_THREADS, threads);
    check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(f, s, q, data, 2); }), expected);
  }
  workers.stop();
  check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(f, s, q, data, 2); }), expected);
}

namespace {

void doubled(const admpi::map_job<var> &job) { job.y[0] = job.shared[0] * 2.0; }

}  // namespace

TEST_CASE("test_map_takes_functions_as_they_are") {
  CHECK(map_rect(doubled, numbers{2.0}, 3) == numbers{4.0, 4.0, 4.0});
  CHECK(map_rect(&doubled, numbers{2.0}, std::array<double, 2>{1.0, 5.0}) == numbers{4.0, 4.0});
}

TEST_CASE("test_map_data_that_only_all_share_fit_any_number_of_jobs") {
  with_workers([](map_workers &workers) {
    admpi::map_values values;
    values.shared_r = {1.0, 2.0, 3.0};
    map_data data(workers, values);
    const auto f = [](const auto &job) { job.y[0] = job.shared[0] * job.shared_r()[2] + static_cast<double>(job.x_r.size()); };
    for (const int jobs : {0, 1, 5}) CHECK(map_rect(f, numbers{2.0}, jobs, data) == numbers(static_cast<std::size_t>(jobs), 6.0));
  });
}
