/* Which surface heat flux turned January into February?
 *
 * ocean.hpp is an ordinary MPI program. Its adjoint twin, adjoint/ocean.hpp, is the same text with the prefix MPI_ replaced by
 * AMPI_ (see adjoint.sed) and is instantiated with admpi::var in place of double. One reverse sweep of the twin gives the
 * gradient of the misfit with respect to the flux at all 65,183 cells and the diffusivity, across all ranks, and NLopt's
 * L-BFGS does the rest. A fifth of February is shown to it, the other four fifths judge.
 *
 *     mpiexec -n 4 heat_flux --data DIRECTORY [--results DIRECTORY] [--steps N] [--evaluations N] [--gradient FILE] */
#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "adjoint/ocean.hpp"
#include "field.hpp"
#include "minimise.hpp"
#include "ocean.hpp"
#include "wire.hpp"

namespace {

using optimiser::Vector;

// A mixed layer of 50 m, a month of 30 days and cells of one degree: what turns the model's units into physical ones.
constexpr double month = 30 * 86400.0;
constexpr double watts = 1025 * 3990 * 50.0 / month;         // W/m2 that warm the layer by a degree a month
constexpr double diffusivity_unit = 111e3 * 111e3 / month;   // m2/s of one cell squared a month
constexpr double first_guess = 1000 / diffusivity_unit;      // 1000 m2/s, customary on such grids
// The optimiser sees the log diffusivity in units of this: of all controls it is the one that moves every cell.
constexpr double log_diffusivity_scale = 0.05;

struct Options {
  std::string data;
  std::string results;
  std::string gradient;
  int steps = 360;
  int evaluations = 48;
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
    else if (name == "--gradient")
      options.gradient = argv[i + 1];
    else if (name == "--steps")
      options.steps = std::atoi(argv[i + 1]);
    else if (name == "--evaluations")
      options.evaluations = std::atoi(argv[i + 1]);
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.data.empty()) throw std::runtime_error("--data DIRECTORY is missing");
  if (options.steps < 1) throw std::runtime_error("--steps must be positive, not " + std::to_string(options.steps));
  return options;
}

/** Numbers that are the same on every rank and every machine. */
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return std::size_t(engine_() % n); }
  double uniform() { return double(engine_() >> 11) * 0x1p-53; }
  Vector signs(std::size_t n) {
    Vector v(n);
    for (double &x : v) x = uniform() < 0.5 ? -1 : 1;
    return v;
  }

 private:
  std::mt19937_64 engine_;
};

/** The data and what is observed of them. */
struct Problem {
  Field january, february, march;
  Basin basin;
  std::vector<int> cell; /**< global cell of every wet cell */
  std::vector<char> shown, unseen;
  Settings settings;

  Problem(const std::string &data, int steps)
      : january(read_temperature(data + "/sst_2015-01.png")),
        february(read_temperature(data + "/sst_2015-02.png")),
        march(read_temperature(data + "/sst_2015-03.png")) {
    settings.steps = steps;
    basin = {january.columns, january.rows, {}};
    for (int i = 0; i < basin.cells(); ++i) {
      basin.wet.push_back(!std::isnan(january.value[i]));
      if (basin.wet[i]) cell.push_back(i);
      if (std::isnan(february.value[i]) == bool(basin.wet[i]) || std::isnan(march.value[i]) == bool(basin.wet[i]))
        throw std::runtime_error("the coasts of the three months differ");
    }
    choose_shown(cell.size() / 5);
  }

  std::size_t controls() const { return cell.size() + 1; }
  Observations observations() const { return {january.value, february.value, shown}; }

 private:
  void choose_shown(std::size_t count) {
    shown.assign(basin.cells(), 0);
    unseen = basin.wet;
    std::vector<int> order = cell;
    Random random(20150115);
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(order[i], order[i + random.below(order.size() - i)]);
      shown[order[i]] = 1;
      unseen[order[i]] = 0;
    }
  }
};

double rmse(const Field &a, const Field &b, const std::vector<char> &where) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < where.size(); ++i)
    if (where[i]) {
      sum += (a.value[i] - b.value[i]) * (a.value[i] - b.value[i]);
      ++count;
    }
  return std::sqrt(sum / count);
}

Field difference(const Field &a, const Field &b) {
  Field d = a;
  for (std::size_t i = 0; i < d.value.size(); ++i) d.value[i] -= b.value[i];
  return d;
}

double sum_over_ranks(double x) {
  double sum;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

double max_over_ranks(double x) {
  double max;
  MPI_Allreduce(&x, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return max;
}

double synchronised_time() {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

double median(Vector v) {
  if (v.empty()) return 0;
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

/** The program as it was: values, no gradients. */
class Primal {
 public:
  explicit Primal(const Problem &problem)
      : problem_(problem), ocean_(MPI_COMM_WORLD, problem.basin, problem.observations(), problem.settings) {}

  double objective(const Vector &x) {
    ocean_.begin(x.data(), x.back() * log_diffusivity_scale);
    ocean_.run_month();
    return ocean_.objective();
  }

  /** Temperatures after one month and after two, on rank 0. */
  std::vector<Field> forecast(const Vector &x, int months) {
    std::vector<Field> fields;
    ocean_.begin(x.data(), x.back() * log_diffusivity_scale);
    for (int m = 0; m < months; ++m) {
      ocean_.run_month();
      Field field{problem_.basin.columns, problem_.basin.rows, ocean_.temperature()};
      for (std::size_t i = 0; i < field.value.size(); ++i)
        if (!problem_.basin.wet[i]) field.value[i] = std::nan("");
      fields.push_back(std::move(field));
    }
    return fields;
  }

 private:
  const Problem &problem_;
  plain::Ocean<double> ocean_;
};

/** What gradients cost. */
struct Cost {
  Vector record, sweep; /**< seconds, one a gradient */
  admpi_statistics tape{};
  WireBytes forward, back; /**< of the last gradient, this rank */
};

WireBytes operator-(const WireBytes &a, const WireBytes &b) { return {a.messages - b.messages, a.collectives - b.collectives}; }

/** The twin: the objective and its gradient. */
class Adjoint {
 public:
  explicit Adjoint(const Problem &problem)
      : ocean_(MPI_COMM_WORLD, problem.basin, problem.observations(), problem.settings), controls_(problem.controls()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }

  double gradient(const Vector &x, Vector &gradient) {
    const double start = synchronised_time();
    const WireBytes sent_before = wire_bytes();
    // The control lives on rank 0; the model scatters it.
    std::vector<admpi::var> control(rank_ == 0 ? controls_ : 1);
    if (rank_ == 0) std::copy(x.begin(), x.end(), control.begin());
    tape_.reset();
    tape_.start();
    if (rank_ == 0) tape_.input(control);
    ocean_.begin(control.data(), control.back() * log_diffusivity_scale);
    ocean_.run_month();
    const admpi::var objective = ocean_.objective();
    tape_.stop();

    const double recorded = synchronised_time();
    const WireBytes sent_forward = wire_bytes();
    // Every rank holds the objective, and the library differentiates the sum of what the ranks seed.
    tape_.seed_replicated(objective, MPI_COMM_WORLD);
    tape_.reverse();
    cost.sweep.push_back(synchronised_time() - recorded);
    cost.record.push_back(recorded - start);
    cost.forward = sent_forward - sent_before;
    cost.back = wire_bytes() - sent_forward;
    cost.tape = tape_.statistics();

    gradient.assign(controls_, 0.0);
    if (rank_ == 0) tape_.adjoints(control.data(), std::int64_t(controls_), gradient.data());
    // All ranks check it.
    MPI_Bcast(gradient.data(), int(controls_), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return admpi::value(objective);
  }

  Cost cost;

 private:
  admpi::tape tape_;
  adjoint::Ocean<admpi::var> ocean_;
  std::size_t controls_;
  int rank_;
};

/** Prints on rank 0, at once: the job is watched while it runs. */
class Report {
 public:
  Report() { MPI_Comm_rank(MPI_COMM_WORLD, &rank_); }

  template <class... Values>
  void line(const char *format, Values... values) const {
    if (rank_ != 0) return;
    std::printf(format, values...);
    std::printf("\n");
    std::fflush(stdout);
  }

  void check(const char *what, bool passed) {
    line("  %-66s %s", what, passed ? "passed" : "FAILED");
    if (!passed) ++failures_;
  }

  int failures() const { return failures_; }
  int rank() const { return rank_; }

 private:
  int rank_;
  int failures_ = 0;
};

Vector first_control(const Problem &problem) {
  Vector x(problem.controls(), 0.0);
  x.back() = std::log(first_guess) / log_diffusivity_scale;
  return x;
}

/** A point where nothing vanishes by symmetry. */
Vector rough_control(const Problem &problem) {
  Random random(42);
  Vector x = first_control(problem);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) x[i] += random.uniform() - 0.5;
  return x;
}

/** Relative difference between the adjoint's derivative along a direction and a central difference of the primal. */
double compare_direction(Primal &primal, const Vector &x, const Vector &gradient, const Vector &direction, double h,
                         const Report &report, const char *name) {
  const auto shifted = [&](double step) {
    Vector y = x;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += step * direction[i];
    return primal.objective(y);
  };
  const double difference = (shifted(h) - shifted(-h)) / (2 * h), derivative = optimiser::dot(gradient, direction);
  const double error = std::fabs(difference / derivative - 1);
  report.line("  %-28s adjoint %+.10e  difference %+.10e  apart %.1e", name, derivative, difference, error);
  return error;
}

void check_gradient(Primal &primal, Adjoint &adjoint, const Problem &problem, Report &report) {
  report.line("\ngradient against central differences of the plain program");
  const Vector x = rough_control(problem);
  Vector gradient;
  const double value = adjoint.gradient(x, gradient), plain_value = primal.objective(x);
  Vector flux = Random(7).signs(x.size()), diffusivity(x.size(), 0.0);
  flux.back() = 0;
  diffusivity.back() = 1;
  const double flux_error = compare_direction(primal, x, gradient, flux, 1e-3, report, "flux, all cells at random");
  const double diffusivity_error =
      compare_direction(primal, x, gradient, diffusivity, 4e-3, report, "log diffusivity");
  report.check("the twin's objective is the plain program's (1e-14)", std::fabs(value / plain_value - 1) < 1e-14);
  report.check("directional derivatives agree (1e-7)", std::max(flux_error, diffusivity_error) < 1e-7);
}

/** Gradients for an optimiser that runs on rank 0 alone, so that no two ranks can decide differently. The others take part in each
 *  gradient until rank 0 says that it was the last. */
class Gradients {
 public:
  explicit Gradients(Adjoint &adjoint) : adjoint_(adjoint) {}

  double operator()(const Vector &x, Vector &gradient) const {
    another(true);
    return adjoint_.gradient(x, gradient);
  }
  void end() const { another(false); }

  /** On the other ranks. */
  void take_part() const {
    Vector ignored;
    while (another(false)) adjoint_.gradient(Vector(1), ignored);
  }

 private:
  /** What rank 0 says. */
  static bool another(int said) {
    MPI_Bcast(&said, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return said != 0;
  }

  Adjoint &adjoint_;
};

Vector fit(Adjoint &adjoint, const Problem &problem, int evaluations, Report &report) {
  report.line("\nL-BFGS, by NLopt: the gradients that find a lower objective");
  report.line("  gradients     objective      |gradient|    diffusivity [m2/s]   seconds");
  const double start = MPI_Wtime();
  const auto observe = [&](const optimiser::Point &point) {
    report.line("  %9d  %12.5f  %14.6e  %20.1f  %8.1f", point.evaluations, point.value, point.gradient_norm,
                diffusivity_unit * std::exp(point.x.back() * log_diffusivity_scale), MPI_Wtime() - start);
    return true;
  };
  Vector x = first_control(problem);
  const Gradients gradients(adjoint);
  if (report.rank() == 0) {
    x = optimiser::minimise(gradients, x, evaluations, observe).x;
    gradients.end();
  } else {
    gradients.take_part();
  }
  MPI_Bcast(x.data(), int(x.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return x;
}

void report_cost(Primal &primal, Adjoint &adjoint, const Vector &x, Report &report) {
  constexpr double MiB = 1024.0 * 1024.0;
  Vector plain;
  WireBytes sent;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const WireBytes before = wire_bytes();
    const double start = synchronised_time();
    primal.objective(x);
    plain.push_back(synchronised_time() - start);
    sent = wire_bytes() - before;
  }
  const Cost &cost = adjoint.cost;
  const double value = median(plain), record = median(cost.record), sweep = median(cost.sweep);
  report.line("\ncost (medians)");
  report.line("  plain objective        %8.3f s", value);
  report.line("  gradient               %8.3f s   recording %.3f s, sweep %.3f s", record + sweep, record, sweep);
  report.line("  gradient / objective   %8.2f", (record + sweep) / value);
  report.line("  tape                   %8.1f MiB a rank at most, %.1f MiB in all, %.0f statements",
              max_over_ranks(double(cost.tape.used_bytes)) / MiB, sum_over_ranks(double(cost.tape.used_bytes)) / MiB,
              sum_over_ranks(double(cost.tape.statements)));
  const double plain_messages = sum_over_ranks(sent.messages), forward = sum_over_ranks(cost.forward.messages),
               back = sum_over_ranks(cost.back.messages);
  report.line("  on the wire            %8.2f MiB of messages in the plain program, %.2f forward, %.2f back", plain_messages / MiB,
              forward / MiB, back / MiB);
  report.line("                         %8.2f MiB in collective calls in the plain program, %.2f forward, %.2f back",
              sum_over_ranks(sent.collectives) / MiB, sum_over_ranks(cost.forward.collectives) / MiB,
              sum_over_ranks(cost.back.collectives) / MiB);
  // On few ranks the adjoint of a broadcast travels by messages. The adjoint of a collective call has one double more from each
  // rank that sends: from all but the root of two broadcasts, and from all ranks of a reduction.
  const double ranks = sum_over_ranks(1), more = ranks > 1 ? (2 * (ranks - 1) + ranks) * sizeof(double) : 0;
  const double sent_in_all = sum_over_ranks(sent.messages + sent.collectives),
               back_in_all = sum_over_ranks(cost.back.messages + cost.back.collectives);
  report.check("8 bytes an active double, forward and back", forward == plain_messages && back_in_all == sent_in_all + more);
}

Field flux_in_watts(const Problem &problem, const Vector &x) {
  Field flux{problem.basin.columns, problem.basin.rows, Vector(problem.basin.cells(), std::nan(""))};
  for (std::size_t i = 0; i < problem.cell.size(); ++i) flux.value[problem.cell[i]] = watts * x[i];
  return flux;
}

/** The fields that pictures.gp draws. */
void write_fields(const std::string &directory, const Problem &problem, const Field &fitted, const Field &flux) {
  write_field(directory + "/january.txt", problem.january);
  write_field(directory + "/february.txt", problem.february);
  write_field(directory + "/february_fitted.txt", fitted);
  write_field(directory + "/misfit_before.txt", difference(problem.january, problem.february));
  write_field(directory + "/misfit_after.txt", difference(fitted, problem.february));
  write_field(directory + "/heat_flux.txt", flux);
}

void judge(Primal &primal, const Problem &problem, const Vector &x, const std::string &results, Report &report) {
  const std::vector<Field> months = primal.forecast(x, 2);
  int failed = 0;
  if (report.rank() == 0) {
    const Field &february = months[0], &march = months[1];
    const double persistence = rmse(problem.january, problem.february, problem.unseen);
    const double fitted = rmse(february, problem.february, problem.unseen);
    report.line("\nRMSE [degC]                               persistence    model");
    report.line("  February, the 80%% of cells never shown       %8.4f  %8.4f", persistence, fitted);
    report.line("  February, the 20%% shown                      %8.4f  %8.4f",
                rmse(problem.january, problem.february, problem.shown), rmse(february, problem.february, problem.shown));
    report.line("  March, forecast with the same flux           %8.4f  %8.4f   (for interest: the flux of another month)",
                rmse(problem.february, problem.march, problem.basin.wet), rmse(march, problem.march, problem.basin.wet));
    report.check("February at unseen cells: less than half the RMSE of persistence", fitted < 0.5 * persistence);
    failed = report.failures();
    if (!results.empty()) {
      write_fields(results, problem, february, flux_in_watts(problem, x));
      report.line("\nfields are in %s", results.c_str());
    }
  }
  MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (failed > report.failures()) report.check("rank 0's checks", false);
}

/** One gradient as text, for comparing runs on different numbers of ranks. */
void write_gradient(const std::string &path, Adjoint &adjoint, const Problem &problem, const Report &report) {
  Vector gradient;
  const double value = adjoint.gradient(rough_control(problem), gradient);
  if (report.rank() != 0) return;
  std::FILE *file = std::fopen(path.c_str(), "w");
  if (!file) throw std::runtime_error("cannot write " + path);
  std::fprintf(file, "%.17g\n", value);
  for (const double g : gradient) std::fprintf(file, "%.17g\n", g);
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

int run(const Options &options) {
  Report report;
  const Problem problem(options.data, options.steps);
  Adjoint adjoint(problem);
  if (!options.gradient.empty()) {
    write_gradient(options.gradient, adjoint, problem, report);
    return 0;
  }
  // Better to find out now that nothing can be written there.
  if (!options.results.empty() && report.rank() == 0) std::filesystem::create_directories(options.results);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  report.line("Which surface heat flux turned January into February?");
  report.line("  %d x %d cells, %zu of them ocean, %d steps a month, %d ranks, %zu controls", problem.basin.columns,
              problem.basin.rows, problem.cell.size(), options.steps, ranks, problem.controls());
  Primal primal(problem);
  check_gradient(primal, adjoint, problem, report);
  const Vector x = fit(adjoint, problem, options.evaluations, report);
  report_cost(primal, adjoint, x, report);
  judge(primal, problem, x, options.results, report);
  return report.failures();
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int failures = 1;
  try {
    failures = run(read_options(argc, argv));
  } catch (const std::exception &error) {
    std::fprintf(stderr, "heat_flux: %s\n", error.what());
    AMPI_Abort(AMPI_COMM_WORLD, 1);
  }
  AMPI_Finalize();
  return failures == 0 ? 0 : 1;
}
