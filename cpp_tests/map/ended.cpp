// Who serves a map is let go whatever becomes of it: where it cannot be made, and where MPI ends before it is freed.
#include <admpi.hpp>

#include <cstdlib>
#include <memory>
#include <vector>

#include "harness/check.h"

using admpi::map_workers;

/// Fails on the root, and returns on the others.
template <class Make>
static void refused(int rank, Make make) {
  if (rank != 0) {
    admpi::map_serve(MPI_COMM_WORLD);
    return;
  }
  bool thrown = false;
  try {
    make();
  } catch (const admpi::error &) {
    thrown = true;
  }
  CHECK(thrown);
}

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  refused(rank, [] { map_workers::of_ranks(MPI_COMM_WORLD, 9); });
  refused(rank, [] { map_workers::of_ranks(MPI_COMM_WORLD, ADMPI_MAP_MPI_THREADS, -1); });
  refused(rank, [] { admpi::detail::check(admpi_map_new_mpi(MPI_COMM_WORLD, ADMPI_MAP_MPI, 0, nullptr)); });
  setenv("ADMPI_MAP", "thread", 1);
  refused(rank, [] { map_workers::of_ranks(MPI_COMM_WORLD); });
  unsetenv("ADMPI_MAP");

  const admpi::map_function f("f", [](const auto &job) { job.y[0] = job.shared[0] * job.params[0]; });
  const std::vector<double> shared = {2.0}, params = {1.0, 2.0, 3.0, 4.0, 5.0}, expected = {2.0, 4.0, 6.0, 8.0, 10.0};
  std::unique_ptr<map_workers> first, second;
  if (rank == 0) {
    first = std::make_unique<map_workers>(map_workers::of_ranks(MPI_COMM_WORLD));
  } else {
    admpi::map_serve(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    CHECK(admpi::map_rect(f, shared, params, *first) == expected);
    first->stop();
    second = std::make_unique<map_workers>(map_workers::of_ranks(MPI_COMM_WORLD));
    CHECK(admpi::map_rect(f, shared, params, *second) == expected);
  } else {
    admpi::map_serve(MPI_COMM_WORLD);
  }
  // On the first rank this ends the service, so that the others come to their own ends.
  AMPI_Finalize();
  if (rank == 0) CHECK(admpi::map_rect(f, shared, params, *second) == expected);
  return failures != 0;
}
