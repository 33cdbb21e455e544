// main() of the tests by doctest. On ranks, every rank runs every case, and the program fails if any rank saw a failure.
#ifdef ADMPI_TESTS_ON_RANKS
#include <admpi.h>
#endif

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

int main(int argc, char **argv) {
  doctest::Context context(argc, argv);
#ifdef ADMPI_TESTS_ON_RANKS
  AMPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // One rank's summary is enough; failed assertions are printed by the rank that has them.
  context.setOption("minimal", rank != 0);
  int failed = context.run(), failed_anywhere = 0;
  MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  AMPI_Finalize();
  return failed_anywhere;
#else
  return context.run();
#endif
}
