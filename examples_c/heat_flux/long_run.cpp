/* A month of many steps on a short tape: the gradient of the heat-flux job's model by each schedule of a time loop, its memory and
 * its time beside those of one long tape.
 *
 *     mpiexec -n 4 long_run --data DIRECTORY [--results DIRECTORY] [--steps N] [--memory MIB]
 *
 * With more steps than fit into the memory, a rank, the long tape is not recorded; what it would take follows from a tenth of the
 * steps. */
#include <admpi.hpp>
#include <admpi/time_loop.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "adjoint/ocean.hpp"
#include "field.hpp"
#include "ocean.hpp"

namespace {

constexpr double MiB = 1024.0 * 1024.0;
constexpr double log_diffusivity = -1.6;

struct Options {
  std::string data;
  std::string results;
  int steps = 3600;
  double memory = 2048; /* MiB a rank for the long tape */
};

Options read_options(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::runtime_error("option " + name + " needs a value");
    if (name == "--data")
      options.data = argv[i + 1];
    else if (name == "--results")
      options.results = argv[i + 1];
    else if (name == "--steps")
      options.steps = std::atoi(argv[i + 1]);
    else if (name == "--memory")
      options.memory = std::atof(argv[i + 1]);
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.data.empty()) throw std::runtime_error("--data DIRECTORY is missing");
  if (options.steps < 10) throw std::runtime_error("--steps must be at least 10, not " + std::to_string(options.steps));
  return options;
}

struct Problem {
  Basin basin;
  Observations observations;
  std::vector<double> flux; /* of each wet cell */

  explicit Problem(const std::string &data) {
    const Field january = read_temperature(data + "/sst_2015-01.png"), february = read_temperature(data + "/sst_2015-02.png");
    basin = {january.columns, january.rows, {}};
    for (int i = 0; i < basin.cells(); ++i) {
      basin.wet.push_back(!std::isnan(january.value[i]));
      if (basin.wet[i]) flux.push_back(std::sin(0.01 * i));
    }
    observations = {january.value, february.value, basin.wet};
  }
};

template <class Combine>
double over_ranks(double x, Combine op) {
  double result;
  MPI_Allreduce(&x, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return result;
}

double synchronised_time() {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

struct Run {
  std::vector<double> gradient; /* on rank 0 */
  double seconds;
  double memory;     /* MiB, of the rank that takes most: the tape with its adjoints, and the states kept */
  double steps_run;  /* by how many forward loops the gradient runs more than one */
  std::string chosen;
};

const char *name_of(std::int32_t kind) {
  switch (kind) {
    case ADMPI_LOOP_ALL: return "one tape";
    case ADMPI_LOOP_BLOCKS: return "blocks";
    case ADMPI_LOOP_BINOMIAL: return "binomial";
    default: return "mixed";
  }
}

using Choose = std::function<void(admpi::time_loop &)>;

/* A gradient on a tape of its own. */
Run gradient(const Problem &problem, int steps, const Choose &choose) {
  admpi::tape tape;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Settings settings;
  settings.steps = steps;
  adjoint::Ocean<admpi::var> ocean(MPI_COMM_WORLD, problem.basin, problem.observations, settings);
  Run run;
  const double start = synchronised_time();
  tape.start();
  std::vector<admpi::var> control(problem.flux.begin(), problem.flux.end());
  control.push_back(log_diffusivity);
  if (rank == 0) tape.input(control);
  ocean.begin(control.data(), control.back());
  admpi::time_loop loop(tape);
  loop.over(MPI_COMM_WORLD);
  choose(loop);
  ocean.run_month(loop);
  const admpi::var objective = ocean.objective();
  tape.stop();
  tape.seed_replicated(objective, MPI_COMM_WORLD);
  tape.reverse();
  run.seconds = synchronised_time() - start;
  run.gradient.assign(control.size(), 0.0);
  if (rank == 0) tape.adjoints(control.data(), std::int64_t(control.size()), run.gradient.data());
  const admpi::time_loop_statistics did = loop.statistics();
  run.memory = over_ranks(double(tape.statistics().committed_bytes + did.snapshot_bytes), MPI_MAX) / MiB;
  run.steps_run = double(did.first + did.advanced + did.recorded) / steps;
  const admpi::time_loop::schedule is = loop.chosen();
  run.chosen = name_of(is.kind);
  if (is.snapshots > 0) run.chosen += ", " + std::to_string(is.snapshots) + (is.kind == ADMPI_LOOP_MIXED ? " units" : " states");
  if (is.block > 1) run.chosen += ", blocks of " + std::to_string(is.block);
  return run;
}

/* The plain program. */
double plain_seconds(const Problem &problem, int steps) {
  Settings settings;
  settings.steps = steps;
  plain::Ocean<double> ocean(MPI_COMM_WORLD, problem.basin, problem.observations, settings);
  const double start = synchronised_time();
  ocean.begin(problem.flux.data(), log_diffusivity);
  ocean.run_month();
  ocean.objective();
  return synchronised_time() - start;
}

/* The largest difference, relative to the largest derivative. */
double difference(const std::vector<double> &a, const std::vector<double> &b) {
  double most = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::fabs(a[i] - b[i]));
    scale = std::max(scale, std::fabs(b[i]));
  }
  return scale > 0 ? most / scale : 0.0;
}

int run(const Options &options) {
  int rank, ranks, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto print = [&](const char *format, auto... values) {
    if (rank != 0) return;
    std::printf(format, values...);
    std::fflush(stdout);
  };
  const Problem problem(options.data);
  if (!options.results.empty() && rank == 0) std::filesystem::create_directories(options.results);

  // What one tape takes grows with the steps.
  const int few = options.steps / 10;
  const Choose all = [](admpi::time_loop &loop) { loop.all(); };
  const double tape_of_few = gradient(problem, few, all).memory, tape_of_none = gradient(problem, few / 2, all).memory;
  const double whole_memory = tape_of_few + (tape_of_few - tape_of_none) / (few - few / 2) * (options.steps - few);
  const bool fits = whole_memory <= options.memory;
  const double plain = plain_seconds(problem, options.steps);
  print("The gradient of %d steps to %zu fluxes and the diffusivity, %d ranks; the plain program takes %.2f s\n", options.steps,
        problem.flux.size(), ranks, plain);
  print("  schedule       chosen                              MiB a rank   of one tape   forward loops   time over plain\n");

  Run first; /* the reference */
  std::FILE *file = nullptr;
  if (rank == 0 && !options.results.empty()) {
    file = std::fopen((options.results + "/schedules.txt").c_str(), "w");
    if (!file) throw std::runtime_error("cannot write " + options.results + "/schedules.txt");
  }
  const auto show = [&](const char *name, const Choose &choose, double most) {
    const Run it = gradient(problem, options.steps, choose);
    print("  %-14s %-35s %10.1f   %10.1f%%   %13.2f   %15.1f\n", name, it.chosen.c_str(), it.memory, 100 * it.memory / whole_memory,
          it.steps_run, it.seconds / plain);
    if (file) std::fprintf(file, "\"%s\" %.6g %.6g\n", name, it.memory, it.seconds / plain);
    if (first.gradient.empty()) first = it;
    const double apart = difference(it.gradient, first.gradient);
    const bool right = apart < 1e-12 && it.memory <= most;
    if (!right) print("    FAILED: the gradients are %.1e apart, or the memory is more than %.1f MiB\n", apart, most);
    failed += !right;
  };
  const double any = 2 * whole_memory, tenth = whole_memory / 10;
  if (fits)
    show("one tape", all, any);
  else
    print("  one tape       not run: more than %6.0f MiB a rank    %10.1f   %10.1f%%\n", options.memory, whole_memory, 100.0);
  // Blocks as long as the root of the steps keep the fewest bytes that blocks can.
  const int root = std::max(1, int(std::sqrt(options.steps)) / 2);
  show("blocks", [&](admpi::time_loop &loop) { loop.blocks(root); }, any);
  show("binomial, 10", [](admpi::time_loop &loop) { loop.binomial(10); }, any);
  show("binomial, 30", [](admpi::time_loop &loop) { loop.binomial(30); }, any);
  show("automatic", [&](admpi::time_loop &loop) {
    loop.automatic();
    loop.budget(std::uint64_t(0.9 * tenth * MiB));
  }, std::max(tenth, 64.0));
  if (file) std::fclose(file);
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  print("%s\n", failed == 0 ? "all gradients agree" : "FAILED");
  return failed;
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int failures = 1;
  try {
    failures = run(read_options(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "long_run: %s\n", error.what());
    AMPI_Abort(AMPI_COMM_WORLD, 1);
  }
  AMPI_Finalize();
  return failures == 0 ? 0 : 1;
}
