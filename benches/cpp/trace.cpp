// What a trace costs: a diffusion model on columns of a periodic domain, with a halo exchange and two regions in each step, and a
// sweep after each 10 steps. Under ADMPI_TRACE it makes 21 events a step and rank.
//   bench_trace <cells of a rank> <steps>: prints this rank's processor time in seconds, with that of writing the file
//   bench_trace calls <n>: n receives of a message from itself, and their sends, of plain doubles; for callgrind
//   bench_trace regions <n>: n regions of a thread without a profile; for callgrind
#include <admpi.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/resource.h>

using admpi::region;
using admpi::var;

namespace {

constexpr int width = 100;

double processor_seconds() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval &t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

struct model {
  int rows, left, right;
  std::vector<var> u, next;
  var k = 0.2;

  model(int cells, int rank, int ranks)
      : rows(cells / width), left((rank + ranks - 1) % ranks), right((rank + 1) % ranks), u((rows + 2) * width, 1.0), next(u) {}

  void exchange() {
    const region halo("halo");
    AMPI_Request q[4];
    AMPI_Irecv(&u[0], width, AMPI_ADOUBLE, left, 1, MPI_COMM_WORLD, &q[0]);
    AMPI_Irecv(&u[(rows + 1) * width], width, AMPI_ADOUBLE, right, 2, MPI_COMM_WORLD, &q[1]);
    AMPI_Isend(&u[rows * width], width, AMPI_ADOUBLE, right, 1, MPI_COMM_WORLD, &q[2]);
    AMPI_Isend(&u[width], width, AMPI_ADOUBLE, left, 2, MPI_COMM_WORLD, &q[3]);
    AMPI_Waitall(4, q, MPI_STATUSES_IGNORE);
  }
  void step() {
    exchange();
    const region diffusion("diffusion");
    for (int i = 1; i <= rows; ++i)
      for (int j = 1; j + 1 < width; ++j) {
        const int c = i * width + j;
        next[c] = u[c] + k * (u[c - 1] + u[c + 1] + u[c - width] + u[c + width] - 4.0 * u[c]);
      }
    u.swap(next);
  }
};

void run(int cells, int steps, int rank, int ranks) {
  admpi::tape tape;
  model m(cells, rank, ranks);
  for (int i = 0; i < steps; ++i) {
    if (i % 10 == 0) {
      tape.reset();
      tape.start();
      for (var &x : m.u) x = x.value;
      tape.input(m.u);
    }
    m.step();
    if (i % 10 == 9) {
      tape.seed(m.u[width + 1]);
      tape.reverse();
    }
  }
}

}  // namespace

/// Noted by callgrind, with all that it calls.
extern "C" void measured_calls(const std::string &what, int n) {
  double x = 1.0, y = 0.0;
  for (int i = 0; i < n; ++i) {
    if (what == "regions") {
      const region r("a region");
      continue;
    }
    AMPI_Request q;
    AMPI_Irecv(&y, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &q);
    AMPI_Send(&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
    AMPI_Wait(&q, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  AMPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  AMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  AMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string first = argv[1];
  const int n = std::atoi(argv[2]);
  if (first == "calls" || first == "regions") {
    measured_calls(first, n);
    AMPI_Finalize();
    return 0;
  }
  const double before = processor_seconds();
  run(std::atoi(argv[1]), n, rank, ranks);
  AMPI_Finalize();
  if (rank == 0) std::printf("%.3f\n", processor_seconds() - before);
  return 0;
}
