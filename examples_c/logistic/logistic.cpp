/* Logistic regression with 1000 groups, each of which has an intercept of its own.
 *
 * The log density of the coefficients and the intercepts is a sum over the groups: a group is a job, its data are sent once, and a
 * step of the optimiser is one call of map_rect_sum, which brings back one number and its derivatives. The same model in a loop on
 * one tape has the same gradient.
 *
 *     [mpiexec -n 2] logistic [--evaluations N] */
#include <admpi.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "map_main.hpp"
#include "minimise.hpp"

namespace {

using admpi::var;
using optimiser::Vector;

constexpr std::size_t groups = 1000, in_group = 40, coefficients = 12;
/** Shared: the coefficients, then the mean of the intercepts, whose standard deviation is given. */
constexpr std::size_t shared_parameters = coefficients + 1;
constexpr double deviation = 0.8;

/** What a group adds to the negative log density. x: a row of covariates an observation; outcome: 0 or 1 of each. */
template <class T, class Covariates, class Outcomes>
T group_density(const T *shared, const T &intercept, const Covariates &x, const Outcomes &outcome) {
  const T standardised = (intercept - shared[coefficients]) / deviation;
  T sum = 0.5 * standardised * standardised;
  for (std::size_t i = 0; i < outcome.size(); ++i) {
    T eta = intercept;
    for (std::size_t j = 0; j < coefficients; ++j) eta += shared[j] * x[i * coefficients + j];
    sum += log1p_exp(outcome[i] != 0 ? T(-eta) : eta);
  }
  return sum;
}

struct Group {
  template <class Job>
  void operator()(const Job &job) const {
    job.y[0] = group_density(job.shared.data(), job.params[0], job.x_r, job.x_i);
  }
};

/** Standard normal numbers, the same everywhere: std's distributions are each library's own. */
class Normal {
 public:
  double operator()() {
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += uniform();
    return sum;
  }
  double uniform() { return double(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_{20100401};
};

/** Covariates and outcomes of all groups, drawn from the model. */
admpi::map_values make_data() {
  Normal normal;
  Vector truth;
  for (std::size_t j = 0; j < coefficients; ++j) truth.push_back(0.5 * normal());
  admpi::map_values values;
  for (std::size_t g = 0; g < groups; ++g) {
    const double intercept = -0.5 + deviation * normal();
    Vector x;
    std::vector<std::int32_t> outcome;
    for (std::size_t i = 0; i < in_group; ++i) {
      double eta = intercept;
      for (std::size_t j = 0; j < coefficients; ++j) {
        x.push_back(normal());
        eta += truth[j] * x.back();
      }
      outcome.push_back(normal.uniform() < 1 / (1 + std::exp(-eta)));
    }
    values.x_r.push_back(x);
    values.x_i.push_back(outcome);
  }
  return values;
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/** The negative log density and its gradient; `sum` says how the groups are summed. */
class Density {
 public:
  template <class Sum>
  double operator()(const Sum &sum, const Vector &x, Vector &gradient) {
    tape_.reset();
    std::vector<var> shared(x.begin(), x.begin() + shared_parameters), intercept(x.begin() + shared_parameters, x.end());
    tape_.start();
    tape_.input(shared);
    tape_.input(intercept);
    const var density = sum(shared, intercept);
    tape_.stop();
    tape_.seed(density);
    tape_.reverse();
    gradient.resize(x.size());
    tape_.adjoints(shared.data(), std::int64_t(shared.size()), gradient.data());
    tape_.adjoints(intercept.data(), std::int64_t(intercept.size()), gradient.data() + shared.size());
    return density.value;
  }

 private:
  admpi::tape tape_;
};

/** Milliseconds of a value and gradient: the least of some. */
template <class Evaluate>
double milliseconds(const Evaluate &evaluate) {
  double least = 1e300;
  for (int k = 0; k < 7; ++k) {
    const double start = seconds();
    evaluate();
    least = std::min(least, seconds() - start);
  }
  return 1e3 * least;
}

int run(int evaluations, const admpi::map_function<Group> &function, admpi::map_workers &workers, int ranks) {
  const admpi::map_values values = make_data();
  const admpi::map_data data(workers, values);
  const auto in_a_loop = [&](const std::vector<var> &shared, const std::vector<var> &intercept) {
    var sum = 0.0;
    for (std::size_t g = 0; g < groups; ++g) sum += group_density(shared.data(), intercept[g], values.x_r[g], values.x_i[g]);
    return sum;
  };
  const auto by_a_map = [&](const std::vector<var> &shared, const std::vector<var> &intercept) {
    return admpi::map_rect_sum(function, shared, intercept, data)[0];
  };

  Density density;
  int failures = 0;
  Vector x(shared_parameters + groups, 0.0), expected, got;
  const double value = density(in_a_loop, x, expected);
  double norm = 0;
  for (const double g : expected) norm = std::max(norm, std::fabs(g));
  std::printf("%zu groups of %zu, %zu parameters; %d %s\n\n", groups, in_group, x.size(), ranks, ranks == 1 ? "process" : "ranks");
  std::printf("%-26s %10s %10s   difference of the gradient\n", "a value and gradient by", "ms", "speed-up");
  const double alone = milliseconds([&] { density(in_a_loop, x, expected); });
  std::printf("%-26s %10.2f %10.2f\n", "a loop on one tape", alone, 1.0);
  const auto compare = [&](const std::string &by) {
    const double ms = milliseconds([&] { density(by_a_map, x, got); });
    double largest = std::fabs(density(by_a_map, x, got) / value - 1);
    for (std::size_t k = 0; k < x.size(); ++k) largest = std::max(largest, std::fabs(got[k] - expected[k]) / norm);
    const bool same = largest <= 1e-12;
    failures += !same;
    std::printf("%-26s %10.2f %10.2f   %.1e %s\n", by.c_str(), ms, alone / ms, largest, same ? "ok" : "TOO LARGE");
    std::fflush(stdout);
  };
  workers.backend(ADMPI_MAP_SERIAL);
  compare("a map in this thread");
  const int threads = std::max(2, int(std::thread::hardware_concurrency()));
  workers.backend(ADMPI_MAP_THREADS, threads);
  compare(std::to_string(threads) + " threads");
  if (ranks > 1) {
    workers.backend(ADMPI_MAP_MPI);
    compare(std::to_string(ranks) + " ranks");
  }

  std::printf("\n  gradients   neg. log density   gradient\n");
  const auto observe = [](const optimiser::Point &point) {
    std::printf("  %9d   %16.6f   %8.1e\n", point.evaluations, point.value, point.gradient_norm);
    std::fflush(stdout);
    return point.gradient_norm > 1e-3;
  };
  const auto negative = [&](const Vector &at, Vector &gradient) { return density(by_a_map, at, gradient); };
  const optimiser::Point best = optimiser::minimise(negative, x, evaluations, observe);
  if (!(best.value < value)) ++failures;
  return failures;
}

int read_evaluations(int argc, char **argv) {
  if (argc == 1) return 40;
  if (argc != 3 || std::string(argv[1]) != "--evaluations")
    throw std::runtime_error("the only option is --evaluations N");
  return std::atoi(argv[2]);
}

/** What ranks may be asked to do. */
struct Functions {
  admpi::map_function<Group> group{"group", Group{}};
};

}  // namespace

int main(int argc, char **argv) {
  return map_main<Functions>("logistic", argc, argv, [&](const Functions &functions, admpi::map_workers &workers, int ranks) {
    return run(read_evaluations(argc, argv), functions.group, workers, ranks);
  });
}
