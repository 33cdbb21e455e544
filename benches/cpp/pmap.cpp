// What the simulator of pmap predicts, against what the executor takes, for sizes that the calibration does not use: the mean error of the
// time, Spearman's rank correlation, and the regret of choosing for each size the plan that is predicted to be the fastest.
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

using admpi::device_map;
using admpi::pmap_program;
using admpi::pmap_ranks;
using admpi::varmat;

namespace {

const char text[] = R"(
def network(x: Tensor[(B, F), 0], wA: Tensor[(F, H), 0], wB: Tensor[(H, C), 0]):
    a = MatMul(x, wA)
    h = Tanh(a)
    y = MatMul(h, wB)
    return y
)";

struct plan {
  const char *name;
  pmap_program program;
  device_map map;
};

std::vector<plan> plans() {
  const pmap_program network(text), data = network.data_parallel("[]", "[]", {"x"});
  return {{"alone", network, device_map("[0]")},
          {"data 2", data, device_map("[0, 1]")},
          {"data 4", data, device_map("[0, 1, 2, 3]")},
          {"horizontal 2", network.horizontal_parallel("[]", "[]"), device_map("[0, 1]")},
          {"horizontal 4", network.horizontal_parallel("[]", "[]"), device_map("[0, 1, 2, 3]")},
          {"2 x 2", data.horizontal_parallel("[d]", "[d]"), device_map("{0: [0, 2], 1: [1, 3]}")}};
}

/// The median of the times of executions, on the root.
double measured(const plan &by, const std::vector<varmat> &in, int times) {
  const pmap_ranks p(MPI_COMM_WORLD, by.map);
  p.execute(by.program, in);
  std::vector<double> all;
  for (int k = 0; k < times; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    p.execute(by.program, in);
    all.push_back(MPI_Wtime() - begin);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

/// The place of each in the order of size.
std::vector<double> ranks_of(const std::vector<double> &x) {
  std::vector<double> rank;
  for (const double value : x) rank.push_back(static_cast<double>(std::count_if(x.begin(), x.end(), [&](double y) { return y < value; })));
  return rank;
}

double correlation(const std::vector<double> &x, const std::vector<double> &y) {
  double mx = 0.0, my = 0.0, xy = 0.0, xx = 0.0, yy = 0.0;
  const double n = static_cast<double>(x.size());
  for (std::size_t k = 0; k < x.size(); ++k) mx += x[k] / n, my += y[k] / n;
  for (std::size_t k = 0; k < x.size(); ++k) {
    xy += (x[k] - mx) * (y[k] - my);
    xx += (x[k] - mx) * (x[k] - mx);
    yy += (y[k] - my) * (y[k] - my);
  }
  return xy / std::sqrt(xx * yy);
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  admpi_pmap_topology topology;
  admpi::detail::check(admpi_pmap_calibrate(MPI_COMM_WORLD, &topology));
  if (rank == 0) {
    std::printf("pmap: launch %.2g s, F %.2g /s, W %.2g bytes/s, alpha %.2g s, beta %.2g s/byte\n", topology.launch, topology.flops,
                topology.bandwidth, topology.alpha, topology.beta);
    std::printf("%-24s %-14s %12s %12s\n", "B, F, H, C", "plan", "predicted ms", "measured ms");
  }
  const std::int64_t sizes[][4] = {{64, 32, 48, 16},    {256, 64, 96, 16},   {512, 128, 128, 32},
                                   {128, 256, 512, 64}, {1024, 64, 256, 32}, {768, 384, 384, 96}};
  double error = 0.0, regret = 0.0;
  std::vector<double> predicted, taken;
  for (const auto &size : sizes) {
    const std::int64_t B = size[0], F = size[1], H = size[2], C = size[3];
    const std::vector<varmat> in = {varmat(B, F, 0.01), varmat(F, H, 0.01), varmat(H, C, 0.01)};
    const std::string named = "B=" + std::to_string(B) + ", F=" + std::to_string(F) + ", H=" + std::to_string(H) + ", C=" + std::to_string(C);
    std::vector<double> guess, time;
    for (const plan &by : plans()) {
      guess.push_back(by.program.simulate(named, by.map, &topology).makespan());
      time.push_back(measured(by, in, 9));
      error += std::fabs(guess.back() / time.back() - 1.0);
      if (rank == 0) std::printf("%-24s %-14s %12.3f %12.3f\n", named.c_str(), by.name, 1e3 * guess.back(), 1e3 * time.back());
    }
    const auto best = std::min_element(guess.begin(), guess.end()) - guess.begin();
    regret += time[static_cast<std::size_t>(best)] / *std::min_element(time.begin(), time.end());
    predicted.insert(predicted.end(), guess.begin(), guess.end());
    taken.insert(taken.end(), time.begin(), time.end());
  }
  if (rank == 0) {
    std::printf("mean error %.0f %%, Spearman %.3f, mean regret %.2f\n", 100.0 * error / static_cast<double>(taken.size()),
                correlation(ranks_of(predicted), ranks_of(taken)), regret / static_cast<double>(std::size(sizes)));
  }
  AMPI_Finalize();
  return 0;
}
