// A halo exchange (2 Irecv, 2 Isend, Waitall) between two ranks, of var arrays and of columns of matrices over plain MPI
// of doubles.
#include "mpi_bench.hpp"

namespace {

void exchange(const double *x, double *y, int n, int peer) {
  MPI_Request q[4];
  MPI_Irecv(y, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(y + n, n, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &q[1]);
  MPI_Isend(x, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &q[2]);
  MPI_Isend(x + n, n, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, &q[3]);
  MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

void exchange(const admpi::var *x, admpi::var *y, int n, int peer) {
  AMPI_Request q[4];
  AMPI_Irecv(y, n, AMPI_ADOUBLE, peer, 1, MPI_COMM_WORLD, &q[0]);
  AMPI_Irecv(y + n, n, AMPI_ADOUBLE, peer, 2, MPI_COMM_WORLD, &q[1]);
  AMPI_Isend(x, n, AMPI_ADOUBLE, peer, 1, MPI_COMM_WORLD, &q[2]);
  AMPI_Isend(x + n, n, AMPI_ADOUBLE, peer, 2, MPI_COMM_WORLD, &q[3]);
  AMPI_Waitall(4, q, MPI_STATUSES_IGNORE);
}

void measure(const char *work, int n, int repetitions, int rounds, double record_goal, double sweep_goal) {
  const int peer = 1 - bench::rank();
  const std::size_t size = 2 * static_cast<std::size_t>(n);
  std::vector<double> plain_x(size, 1.5), plain_y(size);
  std::vector<admpi::var> x(size, 1.5), y(size);
  admpi::tape tape;
  bench::forms times;
  double bytes = 0.0;
  for (int round = 0; round < rounds + 2; ++round) {
    if (round == 2) times = bench::forms();  // warm from here
    // One double is timed by the hundred, a long message by itself.
    const auto block = [&](bench::together &times, auto &x, auto &y) {
      if (n == 1) {
        times.run([&] {
          for (int i = 0; i < repetitions; ++i) exchange(x.data(), y.data(), n, peer);
        });
      } else {
        times.run(repetitions, [&] { bench::compute(x); }, [&] { exchange(x.data(), y.data(), n, peer); });
      }
    };
    block(times.plain, plain_x, plain_y);
    tape.reset();
    tape.start();
    tape.input(x);
    const auto before = tape.statistics().used_bytes;
    block(times.record, x, y);
    bytes = static_cast<double>(tape.statistics().used_bytes - before);
    tape.stop();
    for (const admpi::var &v : y) tape.seed(v, 2.0);
    times.sweep.run([&] { tape.reverse(); });
    bench::check("halo: the adjoint of what was sent", tape.adjoint(x[size / 2]), 2.0, 0.0);
  }
  bench::report(work, times, repetitions, record_goal, sweep_goal);
  if (bench::rank() == 0 && n >= 1000000)
    bench::row("tape bytes a double received in a 1M message, adjoint included",
               bytes / (static_cast<double>(size) * repetitions), 8.01);
  if (bench::rank() == 0 && n == 1)
    bench::row("tape bytes a message and its answer (n = 1), adjoint included", bytes / (2.0 * repetitions));
}

/// A halo of columns: whole matrices, or columns of a matrix with ghost columns at both ends.
struct columns {
  admpi::varmat u, left, right;
  bool inside;

  void exchange(int n, int peer) {
    const int last = static_cast<int>(u.cols()) - 1;
    AMPI_Request q[4];
    if (inside) {
      AMPI_Irecv(u.col(0).handle(), n, AMPI_VIEW, peer, 1, MPI_COMM_WORLD, &q[0]);
      AMPI_Irecv(u.col(last).handle(), n, AMPI_VIEW, peer, 2, MPI_COMM_WORLD, &q[1]);
    } else {
      AMPI_Irecv(left.handle(), n, AMPI_VARMAT, peer, 1, MPI_COMM_WORLD, &q[0]);
      AMPI_Irecv(right.handle(), n, AMPI_VARMAT, peer, 2, MPI_COMM_WORLD, &q[1]);
    }
    AMPI_Isend(u.col(1).handle(), n, AMPI_VIEW, peer, 1, MPI_COMM_WORLD, &q[2]);
    AMPI_Isend(u.col(last - 1).handle(), n, AMPI_VIEW, peer, 2, MPI_COMM_WORLD, &q[3]);
    AMPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  }
};

void measure_columns(const char *work, int n, bool inside, int rounds, double record_goal, double sweep_goal) {
  const int peer = 1 - bench::rank();
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> plain_x(2 * size, 1.5), plain_y(2 * size);
  const std::vector<double> start(4 * size, 1.5);
  admpi::tape tape;
  bench::forms times;
  for (int round = 0; round < rounds + 2; ++round) {
    if (round == 2) times = bench::forms();
    times.plain.run(1, [&] { bench::compute(plain_x); }, [&] { exchange(plain_x.data(), plain_y.data(), n, peer); });
    tape.reset();
    tape.start();
    columns halo{admpi::varmat(n, 4, start.data()), admpi::varmat(n, 1), admpi::varmat(n, 1), inside};
    // What is sent has just been made, by what a sweep has nothing to do for. No place is marked between the two: then the
    // exchange would save what it overwrites, as it does for a program that comes back there.
    times.record.run(1, [&] { tape.input(halo.u); }, [&] { halo.exchange(n, peer); });
    tape.stop();
    tape.seed(inside ? halo.u.col(0) : halo.left.all(), 2.0);
    tape.seed(inside ? halo.u.col(3) : halo.right.all(), 2.0);
    times.sweep.run([&] { tape.reverse(); });
    bench::check("halo of columns: the adjoint of what was sent", tape.adjoint(halo.u(n / 2, 1)), 2.0, 0.0);
  }
  bench::report(work, times, 1, record_goal, sweep_goal);
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  measure("halo n = 1", 1, 100, 400, 1.4, 1.3);
  measure("halo n = 100", 100, 50, 400, 1.5, 1.5);
  measure("halo n = 10k", 10000, 4, 200, 2.5, 2.5);
  measure("halo n = 1M", 1000000, 1, 31, 2.5, 2.5);
  measure_columns("halo of matrices from columns, n = 1M", 1000000, false, 31, 1.15, 1.5);
  measure_columns("halo of ghost columns, n = 1M", 1000000, true, 31, 1.15, 1.5);
  AMPI_Finalize();
  return 0;
}
