/* 05: seeding a result that every rank holds.
 *
 * After an Allreduce every rank has its own copy of the sum J. The library differentiates the sum over the ranks of what each
 * rank seeds. Seeded on one rank, that is J. Seeded on all ranks, it is J + J + ... + J, and the gradient is too large by a
 * factor of the number of ranks: the most common mistake with adjoint MPI. */
#include <admpi.hpp>

#include <cstdio>

/* d/dx of J = sum over ranks of (rank + 1) x^2 / 2, with x on rank 0 and known to all by a broadcast. */
template <class Seed>
double gradient(const Seed &seed) {
  int rank;
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  admpi::tape tape;
  admpi::var x = 3.0;
  tape.start();
  if (rank == 0) tape.input(x);
  admpi::var local_x = x, total;
  AMPI_Bcast(&local_x, 1, AMPI_ADOUBLE, 0, AMPI_COMM_WORLD);
  const admpi::var part = (rank + 1) * local_x * local_x / 2.0;
  AMPI_Allreduce(&part, &total, 1, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD);
  tape.stop();

  seed(tape, total, rank);
  tape.reverse(); /* all ranks, whether they seeded or not */
  return rank == 0 ? tape.adjoint(x) : 0.0;
}

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int rank, ranks;
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  AMPI_Comm_size(AMPI_COMM_WORLD, &ranks);
  const double on_one = gradient([](admpi::tape &tape, const admpi::var &total, int here) {
    if (here == 0) tape.seed(total);
  });
  const double by_library = gradient([](admpi::tape &tape, const admpi::var &total, int) {
    tape.seed_replicated(total, AMPI_COMM_WORLD); /* the same, called by all */
  });
  const double on_all = gradient([](admpi::tape &tape, const admpi::var &total, int) { tape.seed(total); });
  if (rank == 0) {
    std::printf("by hand                dJ/dx = %g\n", 3.0 * ranks * (ranks + 1) / 2);
    std::printf("seeded on one rank     dJ/dx = %g\n", on_one);
    std::printf("by seed_replicated     dJ/dx = %g\n", by_library);
    std::printf("seeded on all %d ranks  dJ/dx = %g: wrong\n", ranks, on_all);
  }
  AMPI_Finalize();
}
