// Allreduce of var arrays over plain MPI of doubles, and the memory of a Scan.
#include "mpi_bench.hpp"

namespace {

void measure(const char *work, MPI_Op op, int n, int repetitions, int rounds, double record_goal,
             double sweep_goal) {
  const std::size_t size = static_cast<std::size_t>(n);
  std::vector<double> plain_x(size, 1.5 + bench::rank()), plain_y(size);
  std::vector<admpi::var> x(size, 1.5 + bench::rank()), y(size);
  admpi::tape tape;
  bench::forms times;
  double bytes = 0.0;
  for (int round = 0; round < rounds + 2; ++round) {
    if (round == 2) times = bench::forms();  // warm from here
    bench::compute(plain_x);
    times.plain.run([&] {
      for (int i = 0; i < repetitions; ++i)
        MPI_Allreduce(plain_x.data(), plain_y.data(), n, MPI_DOUBLE, op, MPI_COMM_WORLD);
    });
    tape.reset();
    tape.start();
    tape.input(x);
    const auto before = tape.statistics().used_bytes;
    bench::compute(x);
    times.record.run([&] {
      for (int i = 0; i < repetitions; ++i) AMPI_Allreduce(x.data(), y.data(), n, AMPI_ADOUBLE, op, MPI_COMM_WORLD);
    });
    bytes = static_cast<double>(tape.statistics().used_bytes - before);
    tape.stop();
    if (bench::rank() == 0)
      for (const admpi::var &v : y) tape.seed(v, 2.0);
    times.sweep.run([&] { tape.reverse(); });
    // The maximum is the last rank's; of a sum everybody has a share.
    const bool winner = op == MPI_SUM || bench::rank() == 1;
    bench::check("allreduce: the adjoint", tape.adjoint(x[size / 2]), winner ? 2.0 : 0.0, 0.0);
  }
  bench::report(work, times, repetitions, record_goal, sweep_goal);
  if (bench::rank() == 0 && n >= 1000000) {
    char text[100];
    std::snprintf(text, sizeof text, "%s: tape bytes a double, adjoint included", work);
    bench::row(text, bytes / (static_cast<double>(size) * repetitions), 13.0);
  }
}

/// The adjoints of a prefix sum need nothing that was summed, on however many ranks.
void measure_scan(int n) {
  const std::size_t size = static_cast<std::size_t>(n);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<admpi::var> x(size, 1.5 + bench::rank()), y(size);
  admpi::tape tape;
  tape.start();
  tape.input(x);
  const auto before = tape.statistics().used_bytes;
  AMPI_Scan(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double bytes = static_cast<double>(tape.statistics().used_bytes - before);
  for (const admpi::var &v : y) tape.seed(v, 2.0);
  tape.reverse();
  bench::check("scan: the adjoint", tape.adjoint(x[size / 2]), 2.0 * (ranks - bench::rank()), 0.0);
  if (bench::rank() != 0) return;
  char text[100];
  std::snprintf(text, sizeof text, "Scan SUM n = %d, %d ranks: tape bytes a double, adjoint included", n, ranks);
  bench::row(text, bytes / static_cast<double>(size), 13.0);
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  measure_scan(100000);
  measure("Allreduce SUM n = 1", MPI_SUM, 1, 100, 400, 2.0, 2.0);
  measure("Allreduce SUM n = 1M", MPI_SUM, 1000000, 1, 31, 2.5, 2.0);
  measure("Allreduce MAX n = 1M", MPI_MAX, 1000000, 1, 31, 4.0, 2.5);
  AMPI_Finalize();
  return 0;
}
