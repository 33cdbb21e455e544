/* The ocean model as the program it was before anybody thought of gradients: a month without any heat flux. It knows nothing
 * of admpi and is not linked to it.
 *
 *     mpiexec -n 4 ocean DATA-DIRECTORY [STEPS] */
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "field.hpp"
#include "ocean.hpp"

namespace {

double rmse(const std::vector<double> &a, const std::vector<double> &b, const std::vector<char> &wet) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (wet[i]) {
      sum += (a[i] - b[i]) * (a[i] - b[i]);
      ++count;
    }
  return std::sqrt(sum / count);
}

void run(const std::string &data, int steps) {
  const Field january = read_temperature(data + "/sst_2015-01.png"), february = read_temperature(data + "/sst_2015-02.png");
  Basin basin{january.columns, january.rows, {}};
  for (const double t : january.value) basin.wet.push_back(!std::isnan(t));
  Settings settings;
  settings.steps = steps;

  plain::Ocean<double> ocean(MPI_COMM_WORLD, basin, {january.value, february.value, basin.wet}, settings);
  const std::vector<double> no_flux(basin.cells(), 0.0);
  const double log_diffusivity = -1.5;  // 0.22 cells squared a month: some 1000 m2/s
  ocean.begin(no_flux.data(), log_diffusivity);
  ocean.run_month();
  const double misfit = ocean.objective();
  const std::vector<double> after = ocean.temperature();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    std::printf("January against February: RMSE %.4f degC\n", rmse(january.value, february.value, basin.wet));
    std::printf("a month without heat flux against February: RMSE %.4f degC, misfit %.3f\n",
                rmse(after, february.value, basin.wet), misfit);
  }
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  try {
    if (argc < 2) throw std::runtime_error("usage: ocean DATA-DIRECTORY [STEPS]");
    run(argv[1], argc > 2 ? std::atoi(argv[2]) : 360);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "ocean: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
