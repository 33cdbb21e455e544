// What nested pmap costs beside plain MPI: a pmap of an empty body on two levels, beside the collectives that it needs; and scatter and
// gather of a million doubles, recorded and reversed, beside plain ones.
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include "mpi_bench.hpp"

using admpi::device_map;
using admpi::placed;
using admpi::pmap_ranks;
using admpi::varmat;

namespace {

/// The parts of all members, from the root and back to it.
void plain(MPI_Comm comm, std::vector<double> &all, int n, std::vector<double> &own) {
  MPI_Scatter(all.data(), n, MPI_DOUBLE, own.data(), n, MPI_DOUBLE, 0, comm);
  MPI_Gather(own.data(), n, MPI_DOUBLE, all.data(), n, MPI_DOUBLE, 0, comm);
}

/// A pmap of an empty body below another: it scatters and gathers at each level.
placed empty(const pmap_ranks &p, const varmat &m) {
  const placed x = p.place(0, [&] { return m; });
  const placed ys = p.run("d", {p.scatter(x, 1, "[]")}, [&](const auto &v) {
    const placed zs = p.run("e", {p.scatter(v[0], 1, "[d]")}, [](const auto &w) { return w[0]; });
    return p.gather(zs, 1);
  });
  return p.gather(ys, 1);
}

void measure_empty() {
  const int rank = bench::rank();
  // {0: [0, 2], 1: [1, 3]}: the outer level is on ranks 0 and 1, the inner one on 0 and 2, and on 1 and 3.
  MPI_Comm outer, inner;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &outer);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &inner);
  const pmap_ranks p(MPI_COMM_WORLD, device_map("{0: [0, 2], 1: [1, 3]}"));
  const varmat x(1, 4, 1.5);
  std::vector<double> all(4, 1.5), half(2), own(1);
  constexpr int times = 50;
  bench::together raw, pmap;
  for (int round = 0; round < 102; ++round) {
    if (round == 2) raw = pmap = bench::together();  // warm from here
    raw.run([&] {
      for (int k = 0; k < times; ++k) {
        if (rank < 2) MPI_Scatter(all.data(), 2, MPI_DOUBLE, half.data(), 2, MPI_DOUBLE, 0, outer);
        plain(inner, half, 1, own);
        if (rank < 2) MPI_Gather(half.data(), 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, 0, outer);
      }
    });
    pmap.run([&] {
      for (int k = 0; k < times; ++k) empty(p, x);
    });
  }
  if (rank == 0) {
    std::printf("pmap: plain %.2f us, with an empty body %.2f us\n", 1e6 * raw.seconds() / times, 1e6 * pmap.seconds() / times);
    bench::row("pmap of an empty body, 4 ranks, 2 levels: over its collectives", pmap.seconds() / raw.seconds(), 2.0);
  }
  if (outer != MPI_COMM_NULL) MPI_Comm_free(&outer);
  MPI_Comm_free(&inner);
}

void measure_moves(std::int64_t n) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  admpi::devices devices;
  for (int r = 0; r < ranks; ++r) devices.push_back(r);
  const pmap_ranks p(MPI_COMM_WORLD, device_map().add({}, devices));
  std::vector<double> all(static_cast<std::size_t>(n), 1.5), own(static_cast<std::size_t>(n / ranks));
  varmat x(1000, n / 1000, 1.5);
  admpi::tape tape;
  bench::forms times;
  for (int round = 0; round < 33; ++round) {
    if (round == 2) times = bench::forms();
    bench::compute(all);
    times.plain.run([&] { plain(MPI_COMM_WORLD, all, static_cast<int>(n / ranks), own); });
    tape.reset();
    tape.start();
    if (bench::rank() == 0) tape.input(x);
    placed y;
    times.record.run([&] { y = p.gather(p.scatter(p.place(0, [&] { return x; }), 1, "[]"), 1); });
    tape.stop();
    if (bench::rank() == 0) tape.seed(y.matrix(), std::vector<double>(static_cast<std::size_t>(n), 2.0));
    times.sweep.run([&] { tape.reverse(); });
    if (bench::rank() == 0) bench::check("scatter and gather: the adjoint", tape.adjoints(x)[static_cast<std::size_t>(n / 2)], 2.0, 0.0);
  }
  bench::report("pmap: scatter and gather of 1M", times, 1, 2.5, 2.5);
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 4) measure_empty();
  measure_moves(1000000);
  AMPI_Finalize();
  return 0;
}
