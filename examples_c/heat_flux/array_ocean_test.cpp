/* The array form of the ocean model has the gradient of the scalar form, to 1e-12; and what it costs.
 *
 *     mpiexec -n 4 array_ocean_test [columns rows steps] */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "adjoint/ocean.hpp"
#include "array_ocean.hpp"
#include "ocean.hpp"

namespace {

struct Gradient {
  double value;
  std::vector<double> of_flux;
  double of_diffusivity, record, sweep;
};

double now() {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

double number(int k) {
  const double x = std::sin(12.9898 * (k + 1)) * 43758.5453;
  return x - std::floor(x);
}

int rank() {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

constexpr double log_diffusivity = -0.7;

Gradient of_scalars(const Basin &basin, const Observations &observations, const Settings &settings,
                    const std::vector<double> &flux) {
  adjoint::Ocean<admpi::var> ocean(MPI_COMM_WORLD, basin, observations, settings);
  admpi::tape tape;
  tape.start();
  std::vector<admpi::var> q(flux.begin(), flux.end());
  admpi::var diffusivity = log_diffusivity;
  tape.input(q);
  tape.input(diffusivity);
  double start = now();
  ocean.begin(q.data(), diffusivity);
  ocean.run_month();
  const admpi::var value = ocean.objective();
  Gradient g{value.value, {}, 0, now() - start, 0};
  tape.seed_replicated(value, MPI_COMM_WORLD);
  start = now();
  tape.reverse();
  g.sweep = now() - start;
  for (const admpi::var &x : q) g.of_flux.push_back(tape.adjoint(x));
  g.of_diffusivity = tape.adjoint(diffusivity);
  return g;
}

Gradient of_arrays(const Basin &basin, const Observations &observations, const Settings &settings, std::vector<double> flux) {
  arrays::Ocean ocean(MPI_COMM_WORLD, basin, observations, settings);
  admpi::tape tape;
  tape.start();
  flux.push_back(0.0);
  admpi::varmat q(flux);
  admpi::var diffusivity = log_diffusivity;
  tape.input(q);
  tape.input(diffusivity);
  Gradient g{};
  // Twice: the second time the memory is there.
  const admpi::position beginning = tape.position();
  for (int run = 0; run < 2; ++run) {
    tape.reset_to(beginning);
    tape.clear_adjoints();
    double start = now();
    ocean.begin(q, diffusivity);
    ocean.run_month();
    const admpi::var value = ocean.objective();
    g.value = value.value;
    g.record = now() - start;
    tape.seed_replicated(value, MPI_COMM_WORLD);
    start = now();
    tape.reverse();
    g.sweep = now() - start;
  }
  g.of_flux = tape.adjoints(q);
  g.of_flux.pop_back();
  g.of_diffusivity = tape.adjoint(diffusivity);
  return g;
}

double primal(const Basin &basin, const Observations &observations, const Settings &settings, const std::vector<double> &flux) {
  plain::Ocean<double> ocean(MPI_COMM_WORLD, basin, observations, settings);
  double best = 1e300;
  for (int run = 0; run < 3; ++run) {
    const double start = now();
    ocean.begin(flux.data(), log_diffusivity);
    ocean.run_month();
    ocean.objective();
    best = std::min(best, now() - start);
  }
  return best;
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  Basin basin;
  basin.columns = argc > 3 ? std::atoi(argv[1]) : 30;
  basin.rows = argc > 3 ? std::atoi(argv[2]) : 18;
  Settings settings;
  settings.steps = argc > 3 ? std::atoi(argv[3]) : 40;
  Observations observations;
  std::vector<double> flux;
  for (int k = 0; k < basin.cells(); ++k) {
    const bool wet = number(k / 3) < 0.8;
    basin.wet.push_back(wet);
    observations.start.push_back(wet ? 12.0 + 8.0 * number(k + 1000) : 0.0);
    observations.target.push_back(wet ? 12.0 + 8.0 * number(k + 5000) : 0.0);
    observations.shown.push_back(wet && number(k + 7000) < 0.5);
    if (wet) flux.push_back(number(k + 9000) - 0.5);
  }
  const double plain = primal(basin, observations, settings, flux);
  const Gradient scalars = of_scalars(basin, observations, settings, flux);
  const Gradient arrays = of_arrays(basin, observations, settings, flux);
  int status = 0;
  if (rank() == 0) {
    double largest = std::fabs(scalars.of_diffusivity), apart = std::fabs(scalars.of_diffusivity - arrays.of_diffusivity);
    for (std::size_t k = 0; k < flux.size(); ++k) {
      largest = std::max(largest, std::fabs(scalars.of_flux[k]));
      const double difference = std::fabs(scalars.of_flux[k] - arrays.of_flux[k]);
      if (!(difference <= apart)) apart = difference;
    }
    std::printf("objective %.15g and %.15g, gradient of %zu apart by %.2e of its largest entry\n", scalars.value, arrays.value,
                flux.size() + 1, apart / largest);
    std::printf("plain %.4f s; scalars: record %.4f s, sweep %.4f s; arrays: record %.4f s, sweep %.4f s\n", plain, scalars.record,
                scalars.sweep, arrays.record, arrays.sweep);
    std::printf("sweep over plain: scalars %.2f, arrays %.2f\n", scalars.sweep / plain, arrays.sweep / plain);
    status = !(apart <= 1e-12 * largest && std::fabs(scalars.value - arrays.value) <= 1e-12 * std::fabs(scalars.value));
  }
  AMPI_Finalize();
  return status;
}
