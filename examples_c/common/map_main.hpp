/* The main() of programs whose jobs are done by a map: on the first rank the program, on the others the work for it. */
#ifndef EXAMPLES_MAP_MAIN_HPP
#define EXAMPLES_MAP_MAIN_HPP

#include <admpi.hpp>

#include <cstdio>
#include <exception>

namespace detail {

/** Functions are named on all ranks before the workers serve. */
template <class Functions, class Program>
int take_part(const Program &program) {
  const Functions functions;
#if ADMPI_HAVE_MPI
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank != 0) {
    admpi::map_serve(MPI_COMM_WORLD);
    return 0;
  }
  admpi::map_workers workers = admpi::map_workers::of_ranks(MPI_COMM_WORLD);
#else
  constexpr int ranks = 1;
  admpi::map_workers workers;
#endif
  return program(functions, workers, ranks);
}

}  // namespace detail

/** Calls program(functions, workers, ranks), which returns its number of failures, and tells of what it throws.
 *  Functions: the map_functions, which its default constructor names. */
template <class Functions, class Program>
int map_main(const char *name, [[maybe_unused]] int &argc, [[maybe_unused]] char **&argv, const Program &program) {
#if ADMPI_HAVE_MPI
  AMPI_Init(&argc, &argv);
#endif
  int failures = 1;
  try {
    failures = detail::take_part<Functions>(program);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
  }
#if ADMPI_HAVE_MPI
  AMPI_Finalize();
#endif
  return failures == 0 ? 0 : 1;
}

#endif
