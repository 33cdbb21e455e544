// Calls of a map allocate memory at first only: neither the caller nor the workers do for a job or a call later. A job
// tells how much the process that runs it has allocated so far.
#include "harness/allocations.hpp"
#include "harness/ranks.hpp"

#include <admpi.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
const double apart = 1e6;  // allocations that no rank reaches

/// y0 = s p; y1 = allocations of the rank, plus its number times `apart`. Of pairs, y0 alone.
std::int32_t f(const admpi_var *shared, std::int64_t n_shared, const admpi_var *job, std::int64_t, const double *,
               std::int64_t, const std::int32_t *, std::int64_t, admpi_var *y, std::int64_t n_y, void *) {
  const admpi::var *s = reinterpret_cast<const admpi::var *>(shared), *p = reinterpret_cast<const admpi::var *>(job);
  admpi::var *out = reinterpret_cast<admpi::var *>(y);
  out[0] = s[0] * p[0];
  if (n_shared == 1) {
    out[1] = static_cast<double>(test::allocations) + apart * test::rank_of(world);
  } else {
    out[1] = s[0] * p[1] + s[1] * p[0];
  }
  return n_y == 2 ? 0 : 1;
}

/// Repeats calls of `jobs` jobs: the caller's allocations of the first, and the least of those that follow, the sweep's
/// included; and the least that a worker has made between two calls.
struct allocated {
  long first = 0, least = 1, workers_least = 1;

  allocated(admpi_map *map, std::int32_t number, std::int64_t jobs) {
    const auto n = static_cast<std::size_t>(jobs);
    std::vector<double> p(n, 0.5), before, values(n), gradients(2 * n), hessians(4 * n);
    std::vector<admpi_var> job(n), y(2 * n), sum(2);
    admpi::tape tape;
    tape.start();
    // Which jobs a worker and its threads get is chance. So its memory may grow in many rounds, but not in all.
    for (int round = 0; round < 12 || (round < 100 && std::max(least, workers_least) > 0); ++round) {
      tape.reset();
      admpi_var shared;
      const double s = 1.5;
      REQUIRE(admpi_tape_input(tape.handle(), &s, 1, &shared) == ADMPI_SUCCESS);
      REQUIRE(admpi_tape_input(tape.handle(), p.data(), jobs, job.data()) == ADMPI_SUCCESS);
      admpi_map_call call;
      std::memset(&call, 0, sizeof call);
      call.function = number;
      call.jobs = call.n_job = jobs;
      call.shared = &shared;
      call.job = job.data();
      call.n_shared = 1;
      const long mine = test::counted([&] {
        call.n_y = 2;
        CHECK(admpi_map_run_sum(map, &call, sum.data()) == ADMPI_SUCCESS);
        call.n_y = jobs;
        CHECK(admpi_map_hessian(map, &call, values.data(), gradients.data(), hessians.data()) == ADMPI_SUCCESS);
        call.n_y = 2 * jobs;
        CHECK(admpi_map_run(map, &call, y.data()) == ADMPI_SUCCESS);
        CHECK(admpi_tape_seed(tape.handle(), y[0], 1.0, 0) == ADMPI_SUCCESS);
        CHECK(admpi_tape_reverse(tape.handle()) == ADMPI_SUCCESS);
      });
      CHECK(y[0].value == 0.75);
      CHECK(hessians[1] == 1.0);
      if (round == 0) first = mine;
      if (round > 0) least = std::min(least, mine);
      look_at_workers(y, before);
    }
  }

 private:
  void look_at_workers(const std::vector<admpi_var> &y, std::vector<double> &before) {
    std::vector<double> now(before.size(), -1.0);
    for (std::size_t i = 1; i < y.size(); i += 2) {
      const auto rank = static_cast<std::size_t>(y[i].value / apart);
      if (now.size() <= rank) now.resize(rank + 1, -1.0), before.resize(rank + 1, -1.0);
      now[rank] = std::max(now[rank], y[i].value - apart * static_cast<double>(rank));
    }
    long most = 0;
    for (std::size_t rank = 1; rank < now.size(); ++rank) {
      if (now[rank] < 0.0) continue;
      // A worker's first call: what it has allocated before is not known.
      most = std::max(most, before[rank] < 0.0 ? 1L : static_cast<long>(now[rank] - before[rank]));
      CHECK(now[rank] > 0.0);
      before[rank] = now[rank];
    }
    workers_least = std::min(workers_least, most);
  }
};

}  // namespace

TEST_CASE("test_map_allocations") {
  std::int32_t number = 0;
  REQUIRE(admpi_map_register("allocated", f, nullptr, &number) == ADMPI_SUCCESS);
  if (test::rank_of(world) != 0) {
    test::allocations = 0;
    test::counting = true;
    CHECK(admpi_map_serve(world) == ADMPI_SUCCESS);
    test::counting = false;
  } else {
    admpi_map *map = nullptr;
    REQUIRE(admpi_map_new_mpi(world, ADMPI_MAP_SERIAL, 0, &map) == ADMPI_SUCCESS);
    bool fresh = true;
    for (const std::int32_t backend : {ADMPI_MAP_SERIAL, ADMPI_MAP_THREADS, ADMPI_MAP_MPI, ADMPI_MAP_MPI_THREADS}) {
      REQUIRE(admpi_map_set_backend(map, backend, 2) == ADMPI_SUCCESS);
      for (const std::int64_t jobs : {9, 3000}) {
        INFO("backend " << backend << ", " << jobs << " jobs");
        const allocated found(map, number, jobs);
        CHECK((found.first > 0 || !fresh));
        CHECK(found.least == 0);
        CHECK(found.workers_least == 0);
        fresh = false;
      }
    }
    admpi_map_free(map);
  }
  CHECK(admpi_map_unregister(number) == ADMPI_SUCCESS);
}
