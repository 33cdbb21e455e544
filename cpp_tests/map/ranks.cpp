// Maps in C++ by ranks: the first does the jobs' caller's part, the others serve.
#include <admpi.hpp>

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/ranks.hpp"
#include "map/problem.hpp"

using namespace map_tests;
using admpi::map_data;
using admpi::map_error;
using admpi::map_function;
using admpi::map_rect;
using admpi::map_rect_sum;
using admpi::map_scalars;
using admpi::map_workers;
using admpi::tangent;
using test::rank_of;
using test::size_of;

namespace {

/// Calls fn on the first rank, with workers of all.
template <class Fn>
void with_ranks(MPI_Comm comm, Fn fn) {
  if (rank_of(comm) == 0) {
    map_workers workers = map_workers::of_ranks(comm, ADMPI_MAP_MPI);
    fn(workers);
  } else {
    admpi::map_serve(comm);
  }
}

}  // namespace

TEST_CASE("test_map_by_ranks_is_a_loop_on_the_tape") {
  const map_function f("model", model{});
  for (const std::size_t jobs : {0, 1, 2, 3, 7, 40}) {
    CAPTURE(jobs);
    const problem p = problem::of_all_lengths(jobs), q = problem::rectangular(jobs, 3);
    with_ranks(MPI_COMM_WORLD, [&](map_workers &workers) {
      map_data data(workers, p.data);
      const numbers expected = derivatives(p, loop_of(p));
      // Costs are learned in the first calls: others do the jobs then. The lengths of the results change.
      for (int call = 0; call < 3; ++call) {
        check_close(derivatives(p, [&](const actives &s, const ragged<var> &own) { return admpi::map(f, s, own, p.lengths, data); }),
                    expected);
        problem longer = p;
        for (std::size_t k = 0; k < jobs; ++k) longer.lengths[k] = static_cast<std::int64_t>(k + static_cast<std::size_t>(call)) % 5;
        check_close(
            derivatives(longer, [&](const actives &s, const ragged<var> &own) { return admpi::map(f, s, own, longer.lengths, data); }),
            derivatives(longer, loop_of(longer)));
      }
      map_data rectangular(workers, q.data);
      const recorded summed = [&](const actives &s, const ragged<var> &own) {
        actives sum(3, var(0.0));
        const actives all = q.loop(s, own);
        for (std::size_t k = 0; k < all.size(); ++k) sum[k % 3] += all[k];
        return sum;
      };
      const recorded by_map = [&](const actives &s, const ragged<var> &own) { return map_rect_sum(f, s, own, rectangular, 3); };
      check_close(derivatives(q, by_map), derivatives(q, summed), 1e-13);
    });
  }
}

TEST_CASE("test_map_workers_change_between_ranks_and_threads") {
  const map_function f("model", model{});
  const problem p = problem::rectangular(11);
  with_ranks(MPI_COMM_WORLD, [&](map_workers &workers) {
    const numbers expected = derivatives(p, loop_of(p));
    map_data data(workers, p.data);
    for (const int backend : {ADMPI_MAP_MPI, ADMPI_MAP_THREADS, ADMPI_MAP_MPI_THREADS, ADMPI_MAP_SERIAL, ADMPI_MAP_MPI}) {
      CAPTURE(backend);
      workers.backend(backend, 2);
      check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(f, s, q, data, 2); }), expected);
    }
    workers.stop();
    check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(f, s, q, data, 2); }), expected);
    data.update(problem::rectangular(11, 2).data); // as those of any map of this process
    data.update(p.data);
    check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return map_rect(f, s, q, data, 2); }), expected);
  });
}

TEST_CASE("test_map_exceptions_arrive_from_ranks") {
  const map_function f("failing", [](const auto &job) {
    job.y[0] = job.shared[0];
    if (job.x_i[0] == 1) throw std::domain_error("the dose is negative");
    if (job.x_i[0] == 2) throw 7;
  });
  with_ranks(MPI_COMM_WORLD, [&](map_workers &workers) {
    constexpr std::int64_t jobs = 12;
    for (std::size_t bad = 0; bad < jobs; ++bad)
      for (const std::int32_t kind : {1, 2}) {
        map_values values;
        std::vector<std::int32_t> kinds(jobs, 0);
        kinds[bad] = kind;
        kinds[jobs - 1] = kind;
        values.x_i = ragged<std::int32_t>(kinds, jobs);
        map_data data(workers, values);
        bool caught = false;
        try {
          map_rect(f, numbers{2.0}, jobs, data);
        } catch (const map_error &error) {
          caught = true;
          CHECK(error.job() == static_cast<std::int64_t>(bad));
          CHECK(error.rank() >= 0);
          CHECK(error.rank() < size_of(MPI_COMM_WORLD));
          CHECK(error.text() == (kind == 1 ? "std::domain_error: the dose is negative" : "int"));
        }
        CHECK(caught);
        values.x_i = ragged<std::int32_t>(std::vector<std::int32_t>(jobs, 0), jobs);
        data.update(values);
        CHECK(map_rect(f, numbers{2.0}, jobs, data) == numbers(jobs, 2.0));
      }
  });
}

TEST_CASE("test_map_refuses_a_function_that_a_rank_does_not_know") {
  with_ranks(MPI_COMM_WORLD, [&](map_workers &workers) {
    const map_function f("on the first rank alone", model{});
    const problem p = problem::rectangular(9, 1);
    map_data data(workers, p.data);
    if (size_of(MPI_COMM_WORLD) == 1) {
      CHECK(map_rect(f, p.shared, p.params, data).size() == 9);
    } else {
      const std::string what = message<admpi::error>([&] { map_rect(f, p.shared, p.params, data); });
      CHECK(contains(what, "rank 1: function on the first rank alone: not registered"));
    }
  });
}

TEST_CASE("test_map_of_tangents_by_ranks") {
  const all_modes f("model", model{});
  with_ranks(MPI_COMM_WORLD, [&](map_workers &workers) {
    check_tangents(f, workers);
    check_tangents_on_the_tape(f, workers);
    const problem p = problem::of_all_lengths(9);
    map_data data(workers, p.data);
    const auto second = map_hessian(f, p.shared, p.params, data, 2);
    const auto alone = [&] {
      map_workers here(ADMPI_MAP_SERIAL);
      map_data data_here(here, p.data);
      return map_hessian(f, p.shared, p.params, data_here, 2);
    }();
    check_close(second.hessian.values(), alone.hessian.values());
    check_close(second.gradient.values(), alone.gradient.values());
    check_close(second.value, alone.value);
  });
}

TEST_CASE("test_map_in_a_mapped_function_on_ranks") {
  const map_function inner("inner", [](const auto &job) { job.y[0] = sin(job.shared[0] * job.params[0]); });
  const map_function outer("outer", [&inner](const auto &job) {
    using T = typename std::decay_t<decltype(job)>::scalar;
    for (const T &y : map_rect(inner, job.shared, std::vector<T>(job.params.begin(), job.params.end()))) job.y[0] += y;
  });
  problem p = problem::of_all_lengths(9);
  with_ranks(MPI_COMM_WORLD, [&](map_workers &workers) {
    const recorded plain = [](const actives &s, const ragged<var> &q) {
      actives all;
      for (std::size_t k = 0; k < static_cast<std::size_t>(q.parts()); ++k) {
        var sum = 0.0;
        for (const var &x : q[k]) sum += sin(s[0] * x);
        all.push_back(sum);
      }
      return all;
    };
    const std::vector<std::int64_t> one_each(9, 1);
    check_close(derivatives(p, [&](const actives &s, const ragged<var> &q) { return admpi::map(outer, s, q, one_each, workers); }),
                derivatives(p, plain));
  });
}

TEST_CASE("test_map_on_another_communicator") {
  // The ranks in reverse order: the last one calls.
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_of(MPI_COMM_WORLD), &reversed);
  const map_function f("model", model{});
  const problem p = problem::rectangular(5, 1);
  with_ranks(reversed, [&](map_workers &workers) {
    map_data data(workers, p.data);
    check_close(map_rect(f, p.shared, p.params, data), p.loop(p.shared, p.params));
  });
  MPI_Comm_free(&reversed);
}
