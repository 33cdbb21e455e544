/* How fast do newborns eliminate phenobarbital?
 *
 * Routine measurements in 59 children, few of each: the parameters of the population come from all of them together. A child is a
 * job of a map: its differential equation, its most likely effects by Newton's iteration, what it contributes to the objective,
 * and the exact derivatives of that. The same program does the jobs in a loop on one tape, by a map in the calling thread, by
 * threads and, under mpiexec, by ranks, and comes to the same estimates: those of NONMEM.
 *
 *     [mpiexec -n 4] population --data FILE [--results DIRECTORY] */
#include <admpi.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "fit.hpp"
#include "map_main.hpp"

namespace {

using namespace population;

struct Options {
  std::string data;
  std::string results;
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
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (options.data.empty()) throw std::runtime_error("--data FILE is missing");
  return options;
}

/** NONMEM's estimates from these data, by the same approximation. */
const std::vector<const char *> names = {"clearance, l/h/kg",     "volume, l/kg",          "more volume if Apgar < 5",
                                         "variance of the error", "variance of clearance", "variance of volume"};
const Vector reference = {0.00469555, 0.984258, 0.158920, 0.0132410, 0.0293508, 0.0279060};
constexpr double reference_objective = 586.276;
const Vector first_guess = {0.01, 0.5, 0.0, 0.05, 0.1, 0.1};

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/** Counts what does not hold. */
class Checks {
 public:
  void check(const std::string &what, double got, double allowed) {
    const bool holds = got <= allowed;
    failures_ += !holds;
    std::printf("%-73s %8.1e  %s %.0e\n", what.c_str(), got, holds ? "ok, at most" : "NOT at most", allowed);
    std::fflush(stdout);
  }
  int failures() const { return failures_; }

 private:
  int failures_ = 0;
};

/** A child's concentration by the formula: what is left of all doses. */
double closed_form(const Child &child, const Kinetics<double> &of, double time) {
  double amount = 0;
  for (std::size_t row = 0; row < child.rows() && child.time(row) <= time; ++row)
    if (!child.measured(row)) amount += child.amount(row) * std::exp(-of.clearance / of.volume * (time - child.time(row)));
  return amount / of.volume;
}

void check_equation(const Data &data, Checks &checks) {
  double largest = 0;
  for (std::size_t k = 0; k < data.children(); ++k) {
    const Child child = data.child(k);
    const Kinetics<double> of = kinetics(child, parameters_from(reference), Effects<double>{0.1, -0.1});
    const Vector integrated = concentrations(child, of);
    for (std::size_t row = 0; row < child.rows(); ++row) {
      const double exact = closed_form(child, of, child.time(row));
      largest = std::max(largest, std::fabs(integrated[row] / exact - 1));
    }
  }
  checks.check("the integrated equation against the formula, relative", largest, 1e-9);
}

void check_gradient(const Contributions &contributions, Checks &checks) {
  Objective objective(contributions);
  const Vector x = variables_of(first_guess);
  Vector gradient, ignored;
  objective(x, gradient);
  double largest = 0, norm = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double h = 1e-3;
    const auto at = [&](double steps) {
      Vector moved = x;
      moved[k] += steps * h;
      return objective(moved, ignored);
    };
    const double difference = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
    largest = std::max(largest, std::fabs(gradient[k] - difference));
    norm = std::max(norm, std::fabs(gradient[k]));
  }
  checks.check("the gradient against central differences, of its norm", largest / norm, 1e-8);
}

struct Fit {
  std::string by;
  optimiser::Point best;
  Vector estimate;
  double seconds = 0; /**< of one value and gradient */
};

Fit fit(const std::string &by, const Contributions &contributions, bool talk) {
  Objective objective(contributions);
  double spent = 0;
  const auto timed = [&](const Vector &x, Vector &gradient) {
    const double start = seconds();
    const double value = objective(x, gradient);
    spent += seconds() - start;
    return value;
  };
  const auto observe = [&](const optimiser::Point &point) {
    if (talk) {
      const Vector p = parameters_of(point.x);
      std::printf("  %9d  %11.6f  %9.2e   %.6f  %.4f  %7.4f  %.5f  %.5f  %.5f\n", point.evaluations, point.value,
                  point.gradient_norm, p[0], p[1], p[2], p[3], p[4], p[5]);
      std::fflush(stdout);
    }
    return point.gradient_norm > 1e-4;
  };
  if (talk) std::printf("\n  gradients    objective   gradient   clearance  volume   Apgar    error  variances\n");
  Fit result;
  result.by = by;
  // The logarithms of the parameters: a factor of 20 both ways.
  result.best = optimiser::minimise(timed, variables_of(first_guess), 100, observe, 3.0);
  result.estimate = parameters_of(result.best.x);
  result.seconds = spent / result.best.evaluations;
  return result;
}

/** The largest relative difference of estimates and objective. */
double difference(const Fit &a, const Fit &b) {
  double largest = std::fabs(a.best.value / b.best.value - 1);
  for (std::size_t k = 0; k < a.estimate.size(); ++k) largest = std::max(largest, std::fabs(a.estimate[k] / b.estimate[k] - 1));
  return largest;
}

/** What ranks may be asked to do. */
struct Functions {
  admpi::map_function<ContributionOfJob, admpi::tangent<admpi::var>> contribution{"contribution", ContributionOfJob{}};
  admpi::map_function<EffectsOfJob> effects{"effects", EffectsOfJob{}};
};

/** Half the objective's second derivatives, to which each child adds: the information that the data have of the parameters. */
Vector information(const Functions &functions, const admpi::map_data &data, std::size_t children, const Vector &estimate) {
  const admpi::map_hessians of_children = admpi::map_hessian(functions.contribution, estimate, children, data);
  Vector sum(estimate.size() * estimate.size(), 0.0);
  for (std::size_t child = 0; child < children; ++child)
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += of_children.hessian[child][k] / 2;
  return sum;
}

/** The square roots of the diagonal of its inverse. */
Vector standard_errors(const Vector &information, std::size_t parameters) {
  const auto n = std::int64_t(parameters);
  const Vector covariance = admpi::inverse_spd(admpi::varmat(n, n, information.data())).values();
  Vector errors;
  for (std::size_t k = 0; k < parameters; ++k) errors.push_back(std::sqrt(covariance[k * (parameters + 1)]));
  return errors;
}

void check_information(const Contributions &contributions, const Vector &estimate, const Vector &information, Checks &checks) {
  const std::size_t n = estimate.size();
  const auto gradient = [&](std::size_t k, double relative) {
    Vector moved = estimate;
    moved[k] *= 1 + relative;
    return admpi::gradient(
        [&](const std::vector<admpi::var> &parameters) {
          admpi::var sum = 0.0;
          for (const admpi::var &one : contributions(parameters)) sum += one;
          return sum;
        },
        moved);
  };
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double h = 1e-3;
    const Vector up = gradient(k, h), down = gradient(k, -h), up_2 = gradient(k, 2 * h), down_2 = gradient(k, -2 * h);
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = (8 * (up[i] - down[i]) - (up_2[i] - down_2[i])) / (12 * h * estimate[k]) / 2;
      const double size = std::sqrt(information[i * (n + 1)] * information[k * (n + 1)]);
      largest = std::max(largest, std::fabs(information[k * n + i] - difference) / size);
    }
  }
  checks.check("second derivatives against differences of the gradient, relative", largest, 1e-7);
}

void report(const std::vector<Fit> &fits, const Vector &errors, Checks &checks) {
  const Fit &first = fits.front();
  std::printf("\n%-28s %12s %12s %12s %10s\n", "", "estimate", "std. error", "reference", "difference");
  double largest = 0;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double off = first.estimate[k] / reference[k] - 1;
    std::printf("%-28s %12.6g %12.2g %12.6g %9.4f%%\n", names[k], first.estimate[k], errors[k], reference[k], 100 * off);
    largest = std::max(largest, std::fabs(off));
  }
  std::printf("%-28s %12.3f %12s %12.3f\n\n", "objective", first.best.value, "", reference_objective);
  std::printf("%-28s %12s %12s %10s\n", "one value and gradient by", "ms", "speed-up", "calls");
  for (const Fit &each : fits)
    std::printf("%-28s %12.2f %12.2f %10d\n", each.by.c_str(), 1e3 * each.seconds, first.seconds / each.seconds,
                each.best.evaluations);
  std::printf("\n");
  checks.check("estimates against the reference, relative", largest, 0.02);
  checks.check("objective against the reference", std::fabs(first.best.value - reference_objective), 0.5);
  for (std::size_t k = 1; k < fits.size(); ++k)
    checks.check("fit by " + fits[k].by + " against that by " + first.by + ", relative", difference(fits[k], first), 1e-10);
}

/** A child's curve and that of a child like it without effects of its own, from the first dose to the last row: upright at doses,
 *  a few points between rows. */
void write_curves(std::ofstream &file, const Child &child, const Kinetics<double> &own, const Kinetics<double> &typical) {
  const auto write = [&](double time, double dose) {
    const auto before = [&](const Kinetics<double> &of) { return closed_form(child, of, time) - dose / of.volume; };
    file << time << ' ' << before(own) << ' ' << before(typical) << '\n';
  };
  for (std::size_t row = 0; row < child.rows(); ++row) {
    if (!child.measured(row)) write(child.time(row), child.amount(row));
    write(child.time(row), 0);
    if (row + 1 == child.rows()) break;
    for (int k = 1; k < 8; ++k) write(child.time(row) + (child.time(row + 1) - child.time(row)) * k / 8, 0);
  }
}

/** What pictures.gp draws: in both files a block for each child. */
void write_results(const std::string &directory, const Data &data, const Vector &estimate, const Vector &effects) {
  std::ofstream curves(directory + "/curves.txt"), measured(directory + "/measured.txt");
  for (std::size_t k = 0; k < data.children(); ++k) {
    const Child child = data.child(k);
    const auto parameters = parameters_from(estimate);
    const auto own = kinetics(child, parameters, Effects<double>{effects[2 * k], effects[2 * k + 1]});
    curves << "hours \"" << data.id[k] << ": " << child.weight() << " kg\" typical\n";
    write_curves(curves, child, own, kinetics(child, parameters, Effects<double>{0, 0}));
    measured << "# hours measured predicted\n";
    for (std::size_t row = 0; row < child.rows(); ++row)
      if (child.measured(row))
        measured << child.time(row) << ' ' << child.amount(row) << ' ' << closed_form(child, own, child.time(row)) << '\n';
    const char *separator = k + 1 < data.children() ? "\n\n" : "";
    curves << separator;
    measured << separator;
  }
  curves.close();
  measured.close();
  if (!curves || !measured) throw std::runtime_error("cannot write curves.txt and measured.txt to " + directory);
  std::printf("\n%s/curves.txt, measured.txt: hours and mg/l, a block for each child\n", directory.c_str());
}

int run(const Options &options, const Functions &functions, admpi::map_workers &workers, int ranks) {
  // Better to find out now that nothing can be written there.
  if (!options.results.empty()) std::filesystem::create_directories(options.results);
  const Data data = read_data(options.data);
  std::size_t rows = 0, measured = 0;
  for (std::size_t k = 0; k < data.children(); ++k) {
    const Child child = data.child(k);
    rows += child.rows();
    for (std::size_t row = 0; row < child.rows(); ++row) measured += child.measured(row);
  }
  std::printf("Phenobarbital in %zu newborns: %zu doses, %zu concentrations; %d %s\n\n", data.children(), rows - measured, measured,
              ranks, ranks == 1 ? "process" : "ranks");

  Checks checks;
  check_equation(data, checks);
  check_gradient(in_a_loop(data), checks);

  std::vector<Fit> fits{fit("a loop on one tape", in_a_loop(data), true)};
  const admpi::map_data on_workers(workers, data.values);
  const auto by_map = by_a_map(functions.contribution, on_workers, data.children());
  workers.backend(ADMPI_MAP_SERIAL);
  fits.push_back(fit("a map in this thread", by_map, false));
  const int threads = std::max(2, int(std::thread::hardware_concurrency()));
  workers.backend(ADMPI_MAP_THREADS, threads);
  fits.push_back(fit(std::to_string(threads) + " threads", by_map, false));
  if (ranks > 1) {
    workers.backend(ADMPI_MAP_MPI);
    fits.push_back(fit(std::to_string(ranks) + " ranks", by_map, false));
    workers.backend(ADMPI_MAP_MPI_THREADS, 2);
    fits.push_back(fit(std::to_string(ranks) + " ranks of 2 threads", by_map, false));
  }
  const Vector &estimate = fits[0].estimate;
  const Vector known = information(functions, on_workers, data.children(), estimate);
  report(fits, standard_errors(known, estimate.size()), checks);
  check_information(by_map, estimate, known, checks);

  if (!options.results.empty()) {
    const Vector effects = admpi::map_rect(functions.effects, estimate, data.children(), on_workers, 2);
    write_results(options.results, data, estimate, effects);
  }
  return checks.failures();
}

}  // namespace

int main(int argc, char **argv) {
  return map_main<Functions>("population", argc, argv, [&](const Functions &functions, admpi::map_workers &workers, int ranks) {
    return run(read_options(argc, argv), functions, workers, ranks);
  });
}
