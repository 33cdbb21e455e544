// main() of the MPI tests: every rank runs every case; the program fails if any rank saw a failure.
#include <admpi.h>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

int main(int argc, char** argv) {
  AMPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  doctest::Context context(argc, argv);
  // One rank's summary is enough; failed assertions are printed by the rank that has them.
  context.setOption("minimal", rank != 0);
  int failed = context.run();

  int failed_anywhere = 0;
  MPI_Allreduce(&failed, &failed_anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  AMPI_Finalize();
  return failed_anywhere;
}
