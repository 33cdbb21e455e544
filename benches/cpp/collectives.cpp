// Collectives of var over plain MPI of doubles: of one double, where the call is dear, and of many. And the memory of a Scan.
#include "mpi_bench.hpp"

#include <cstdlib>
#include <functional>
#include <string>

namespace {

const MPI_Comm comm = MPI_COMM_WORLD;

int ranks() {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

/// A call of `n` values a rank, or from each rank to each.
struct collective {
  const char *name;
  int values, results;
  /// The adjoint of each value, where each result is seeded with 1.
  double expected;
  std::function<void(const double *, double *)> plain;
  std::function<void(const admpi::var *, admpi::var *)> active;
};

std::vector<collective> collectives(int n) {
  const int all = ranks(), me = bench::rank();
  const bool root = me == 0;
  // What each of the root's values is for other ranks; its own is no result.
  const double others = root ? all - 1.0 : 0.0;
  return {
      {"Allreduce", n, n, static_cast<double>(all),
       [=](const double *x, double *y) { MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm); },
       [=](const admpi::var *x, admpi::var *y) { AMPI_Allreduce(x, y, n, AMPI_ADOUBLE, MPI_SUM, comm); }},
      {"Allreduce MAX", n, n, me == all - 1 ? static_cast<double>(all) : 0.0,
       [=](const double *x, double *y) { MPI_Allreduce(x, y, n, MPI_DOUBLE, MPI_MAX, comm); },
       [=](const admpi::var *x, admpi::var *y) { AMPI_Allreduce(x, y, n, AMPI_ADOUBLE, MPI_MAX, comm); }},
      {"Scan", n, n, static_cast<double>(all - me),
       [=](const double *x, double *y) { MPI_Scan(x, y, n, MPI_DOUBLE, MPI_SUM, comm); },
       [=](const admpi::var *x, admpi::var *y) { AMPI_Scan(x, y, n, AMPI_ADOUBLE, MPI_SUM, comm); }},
      {"Alltoall", all * n, all * n, 1.0,
       [=](const double *x, double *y) { MPI_Alltoall(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, comm); },
       [=](const admpi::var *x, admpi::var *y) { AMPI_Alltoall(x, n, AMPI_ADOUBLE, y, n, AMPI_ADOUBLE, comm); }},
      {"Bcast", n, n, others,
       [=](const double *x, double *y) { MPI_Bcast(root ? const_cast<double *>(x) : y, n, MPI_DOUBLE, 0, comm); },
       [=](const admpi::var *x, admpi::var *y) {
         AMPI_Bcast(root ? const_cast<admpi::var *>(x) : y, n, AMPI_ADOUBLE, 0, comm);
       }},
      {"Allgather", n, all * n, static_cast<double>(all),
       [=](const double *x, double *y) { MPI_Allgather(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, comm); },
       [=](const admpi::var *x, admpi::var *y) { AMPI_Allgather(x, n, AMPI_ADOUBLE, y, n, AMPI_ADOUBLE, comm); }},
      {"Reduce", n, n, 1.0, [=](const double *x, double *y) { MPI_Reduce(x, y, n, MPI_DOUBLE, MPI_SUM, 0, comm); },
       [=](const admpi::var *x, admpi::var *y) { AMPI_Reduce(x, y, n, AMPI_ADOUBLE, MPI_SUM, 0, comm); }},
  };
}

collective find(const std::string &name, int n) {
  for (const collective &one : collectives(n))
    if (one.name == name) return one;
  std::fprintf(stderr, "bench_collectives: call %s is none of its\n", name.c_str());
  std::exit(2);
}

/// What a call works on.
struct data {
  std::vector<double> plain_x, plain_y;
  std::vector<admpi::var> x, y;
  explicit data(const collective &call)
      : plain_x(static_cast<std::size_t>(call.values), 1.5 + bench::rank()),
        plain_y(static_cast<std::size_t>(call.results)),
        x(plain_x.size(), 1.5 + bench::rank()),
        y(plain_y.size()) {}
  void seed(admpi::tape &tape) const {
    for (const admpi::var &v : y)
      if (v.id != 0) tape.seed(v, 1.0);
  }
};

/// The three forms of so many calls, each through `run(form, work)`. Returns the bytes of the recording.
template <class Run>
double go_round(const collective &call, data &data, admpi::tape &tape, int times, const Run &run) {
  bench::compute(data.plain_x);
  run("plain", [&] {
    for (int i = 0; i < times; ++i) call.plain(data.plain_x.data(), data.plain_y.data());
  });
  tape.reset();
  tape.start();
  tape.input(data.x);
  const auto before = tape.statistics().used_bytes;
  bench::compute(data.x);
  run("record", [&] {
    for (int i = 0; i < times; ++i) call.active(data.x.data(), data.y.data());
  });
  const double bytes = static_cast<double>(tape.statistics().used_bytes - before);
  tape.stop();
  data.seed(tape);
  run("sweep", [&] { tape.reverse(); });
  bench::check(call.name, tape.adjoint(data.x[data.x.size() / 2]), call.expected, 0.0);
  return bytes;
}

/// Each form is over when it is on all ranks: the root of a Bcast goes on before.
void measure(const std::string &name, int n, int repetitions, int rounds, double record_goal, double sweep_goal) {
  const collective call = find(name, n);
  data data(call);
  admpi::tape tape;
  bench::forms times;
  double bytes = 0.0;
  for (int round = 0; round < rounds + 2; ++round) {
    if (round == 2) times = bench::forms();  // warm from here
    bytes = go_round(call, data, tape, repetitions, [&](const std::string &form, const auto &work) {
      bench::together &timed = form == "plain" ? times.plain : form == "record" ? times.record : times.sweep;
      timed.run([&] {
        work();
        MPI_Barrier(comm);
      });
    });
  }
  const std::string work = name + " n = " + std::to_string(n);
  bench::report(work.c_str(), times, repetitions, record_goal, sweep_goal);
  if (bench::rank() != 0) return;
  const auto row = [&](const char *what, double measured, double goal) {
    bench::row((work + ": " + what).c_str(), measured, goal);
  };
  const double both = times.record.seconds() + times.sweep.seconds();
  row("both over plain MPI", both / times.plain.seconds(), record_goal + sweep_goal);
  if (n >= 100000) row("tape bytes a double, adjoint included", bytes / call.results, 13.0);
}

}  // namespace

/// Where callgrind counts. Weak, so that the compiler makes no copy of it by another name.
extern "C" __attribute__((noinline, weak)) void measured_calls(const std::function<void()> &run) { run(); }

namespace {

/// So many calls of one value, in one of the three forms.
void count(const std::string &name, const std::string &form, int times) {
  const collective call = find(name, 1);
  data data(call);
  admpi::tape tape;
  // Once before, to be warm.
  for (int round = 0; round < 2; ++round)
    go_round(call, data, tape, times, [&](const std::string &now, const auto &work) {
      round == 1 && form == now ? measured_calls(work) : work();
    });
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  if (argc == 5 && std::string(argv[1]) == "calls") {
    count(argv[2], argv[3], std::atoi(argv[4]));
    AMPI_Finalize();
    return 0;
  }
  // Of one double. Beside each what MeDiPack took for both, and for the sweep, under Open MPI.
  const auto of_one = [](const char *name, double both) { measure(name, 1, 100, 400, both - 1.2, 1.2); };
  of_one("Allreduce", 2.2);  // 2.6, 1.2
  of_one("Scan", 6.0);       // 11, 4.8
  of_one("Alltoall", 2.4);   // 2.7, 1.2
  of_one("Bcast", 3.0);      // 3.6, 1.7
  of_one("Allgather", 2.3);  // 2.5, 1.2
  of_one("Reduce", 2.5);     // 3.1, 1.0
  measure("Allreduce", 1000000, 1, 31, 2.5, 2.0);
  measure("Allreduce MAX", 1000000, 1, 31, 4.0, 2.5);
  measure("Scan", 100000, 1, 31, 2.5, 2.5);
  measure("Bcast", 1000000, 1, 31, 2.5, 2.5);      // sweep 4.5
  measure("Reduce", 1000000, 1, 31, 2.5, 2.5);     // what the adjoint of that Bcast is
  measure("Allgather", 500000, 1, 31, 2.5, 2.5);   // sweep 4.2
  AMPI_Finalize();
  return 0;
}
