// What the simulator of pmap predicts, against what the executor takes, for sizes that the calibration does not use: the mean error of the
// time, Spearman's rank correlation, and the regret of choosing for each size the plan that is predicted to be the fastest. Calibration and
// executions take turns, and of each the fastest counts: so what else the machine does takes nothing from either.
//
// Where there are more ranks than cores, the ranks wait for each other's turns, which no model knows: as many ranks as cores are measured.
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "mpi_bench.hpp"

using admpi::device_map;
using admpi::pmap_program;
using admpi::pmap_ranks;
using admpi::varmat;

namespace {

const char network[] = R"(
def network(x: Tensor[(B, F), 0], wA: Tensor[(F, H), 0], wB: Tensor[(H, C), 0]):
    a = MatMul(x, wA)
    h = Tanh(a)
    y = MatMul(h, wB)
    return y
)";
const char ridge[] = R"(
def ridge(x: Tensor[(N, K), 0], t: Tensor[(N, 1), 0], r: Tensor[(K, K), 0]):
    xt = Transpose(x)
    g = MatMul(xt, x)
    v = MatMul(xt, t)
    s = Add(g, r)
    y = Solve(s, v)
    return y
)";
const char elementwise[] = R"(
def elementwise(x: Tensor[(B, F), 0]):
    a = Exp(x)
    b = Sin(x)
    c = Multiply(a, b)
    d = Tanh(c)
    e = Square(d)
    y = Add(e, x)
    return y
)";

/// A way to run a function.
struct plan {
  std::string name;
  pmap_program program;
  device_map map;
};

device_map list(int n) {
  admpi::devices all;
  for (int r = 0; r < n; ++r) all.push_back(r);
  return device_map().add({}, all);
}

std::vector<plan> plans(const std::string &text, int ranks) {
  const pmap_program whole(text);
  std::vector<plan> all = {{"alone", whole, list(1)}};
  for (int n = 2; n <= ranks; n *= 2) {
    const std::string on = " " + std::to_string(n);
    if (text == network) {
      all.push_back({"data" + on, whole.data_parallel("[]", "[]", {"x"}), list(n)});
      all.push_back({"horizontal" + on, whole.horizontal_parallel("[]", "[]"), list(n)});
    } else if (text == ridge) {
      all.push_back({"data" + on, whole.shard_until("[]", "[]", "x=0, t=0", "[g, v]"), list(n)});
    } else {
      all.push_back({"rows" + on, whole.shard("[]", "[]", "x=0"), list(n)});
      all.push_back({"columns" + on, whole.shard("[]", "[]", "x=1"), list(n)});
    }
  }
  if (text == network && ranks >= 4) {
    const pmap_program both = whole.data_parallel("[]", "[]", {"x"}).horizontal_parallel("[d]", "[d]");
    all.push_back({"2 x 2", both, device_map("{0: [0, 2], 1: [1, 3]}")});
  }
  return all;
}

/// A function at a size, with its inputs, and what was predicted and measured of each plan.
struct problem {
  std::string sizes;
  std::vector<varmat> in;
  std::vector<plan> plans;
  std::vector<std::shared_ptr<pmap_ranks>> engines;
  std::vector<double> predicted, measured;

  problem(const char *text, std::string named, std::vector<varmat> inputs, int ranks)
      : sizes(std::move(named)), in(std::move(inputs)), plans(::plans(text, ranks)) {
    for (const plan &by : plans) {
      engines.push_back(std::make_shared<pmap_ranks>(MPI_COMM_WORLD, by.map));
      measured.push_back(1e300);
    }
  }
  /// Runs each plan some times, one after the other.
  void run(int times) {
    for (std::size_t k = 0; k < plans.size(); ++k) {
      for (int time = 0; time < times; ++time) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = bench::now();
        engines[k]->execute(plans[k].program, in);
        measured[k] = std::min(measured[k], bench::now() - begin);
      }
    }
  }
  void predict(const admpi_pmap_topology &topology) {
    for (const plan &by : plans) predicted.push_back(by.program.simulate(sizes, by.map, &topology).makespan());
  }
};

std::string extents(const std::vector<std::pair<const char *, std::int64_t>> &all) {
  std::string text;
  for (const auto &extent : all) text += (text.empty() ? "" : ", ") + std::string(extent.first) + "=" + std::to_string(extent.second);
  return text;
}

/// Diagonal, so that a system with it and little more has a solution.
varmat diagonal(std::int64_t n) {
  std::vector<double> all(static_cast<std::size_t>(n * n));
  for (std::size_t k = 0; k < all.size(); k += static_cast<std::size_t>(n) + 1) all[k] = 2.0;
  return varmat(n, n, all.data());
}

std::vector<problem> problems(int ranks) {
  std::vector<problem> all;
  const std::int64_t networks[][4] = {{64, 32, 48, 16},    {256, 64, 96, 16},   {512, 128, 128, 32},
                                      {128, 256, 512, 64}, {1024, 64, 256, 32}, {768, 384, 384, 96}};
  for (const auto &[B, F, H, C] : networks) {
    const std::vector<varmat> in = {varmat(B, F, 0.01), varmat(F, H, 0.01), varmat(H, C, 0.01)};
    all.emplace_back(network, extents({{"B", B}, {"F", F}, {"H", H}, {"C", C}}), in, ranks);
  }
  const std::int64_t regressions[][2] = {{200, 10}, {1500, 60}, {3000, 150}};
  for (const auto &[N, K] : regressions)
    all.emplace_back(ridge, extents({{"N", N}, {"K", K}}), std::vector<varmat>{varmat(N, K, 0.01), varmat(N, 1, 0.5), diagonal(K)}, ranks);
  const std::int64_t shapes[][2] = {{60, 30}, {500, 120}, {700, 600}};
  for (const auto &[B, F] : shapes) all.emplace_back(elementwise, extents({{"B", B}, {"F", F}}), std::vector<varmat>{varmat(B, F, 0.3)}, ranks);
  return all;
}

/// What the machine can do when it is left alone: of each number the better one.
admpi_pmap_topology better(admpi_pmap_topology a, const admpi_pmap_topology &b) {
  a.flops = std::max(a.flops, b.flops);
  a.bandwidth = std::max(a.bandwidth, b.bandwidth);
  for (double admpi_pmap_topology::*seconds : {&admpi_pmap_topology::launch, &admpi_pmap_topology::alpha, &admpi_pmap_topology::beta,
                                               &admpi_pmap_topology::agreement})
    a.*seconds = std::min(a.*seconds, b.*seconds);
  for (std::size_t k = 0; k < 24; ++k)
    for (std::size_t i = 0; i < 4; ++i) a.measured[k][i] = std::min(a.measured[k][i], b.measured[k][i]);
  return a;
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

void report(const std::vector<problem> &all) {
  std::vector<double> predicted, measured;
  double error = 0.0, regret = 0.0;
  std::printf("%-30s %-14s %12s %12s %8s\n", "sizes", "plan", "predicted ms", "measured ms", "error");
  for (const problem &p : all) {
    for (std::size_t k = 0; k < p.plans.size(); ++k) {
      const double off = p.predicted[k] / p.measured[k] - 1.0;
      error += std::fabs(off);
      std::printf("%-30s %-14s %12.4f %12.4f %+7.0f %%\n", p.sizes.c_str(), p.plans[k].name.c_str(), 1e3 * p.predicted[k], 1e3 * p.measured[k],
                  100.0 * off);
    }
    const auto best = std::min_element(p.predicted.begin(), p.predicted.end()) - p.predicted.begin();
    regret += p.measured[static_cast<std::size_t>(best)] / *std::min_element(p.measured.begin(), p.measured.end());
    predicted.insert(predicted.end(), p.predicted.begin(), p.predicted.end());
    measured.insert(measured.end(), p.measured.begin(), p.measured.end());
  }
  bench::row("pmap: mean error of the predicted time, %", 100.0 * error / static_cast<double>(measured.size()), 25.0);
  bench::row("pmap: 1 - Spearman's correlation of predicted and measured", 1.0 - correlation(ranks_of(predicted), ranks_of(measured)), 0.05);
  bench::row("pmap: mean regret of the plan that is predicted to be the fastest", regret / static_cast<double>(all.size()), 1.10);
}

}  // namespace

int main(int argc, char **argv) {
#ifdef __GLIBC__
  // Memory that has been freed is kept, as in programs that run for long: pages that come anew take longer than most operations.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 2000000000);
#endif
  AMPI_Init(&argc, &argv);
  {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<problem> all = problems(ranks);
    admpi_pmap_topology topology = {};
    for (int round = 0; round < 6; ++round) {
      admpi_pmap_topology found = {};
      admpi::detail::check(admpi_pmap_calibrate(MPI_COMM_WORLD, &found));
      topology = round == 0 ? found : better(topology, found);
      for (problem &p : all) p.run(5);
    }
    for (problem &p : all) p.predict(topology);
    if (bench::rank() == 0) {
      std::printf("pmap: launch %.2g s, F %.2g /s, W %.2g bytes/s, alpha %.2g s, beta %.2g s/byte, agreement %.2g s, cores %g\n",
                  topology.launch, topology.flops, topology.bandwidth, topology.alpha, topology.beta, topology.agreement, topology.cores);
      report(all);
    }
  }
  AMPI_Finalize();
  return 0;
}
