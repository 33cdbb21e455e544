/* A network of three layers learns handwritten digits, by 4 plans on the same ranks: on one of them; with the images divided
 * (data parallel); with the hidden units divided (horizontal); and both nested, 2 x 2.
 *
 * The network is one text. The plans are transforms of it, each a line. The simulator predicts how long each takes, from what `calibrate`
 * measures; then each is trained, with the gradients of one sweep. All take the same steps.
 *
 *   network --data <digits.csv> [--results <directory>] [--epochs <n>] */
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "digits.hpp"

using admpi::device_map;
using admpi::placed;
using admpi::pmap_program;
using admpi::pmap_ranks;
using admpi::varmat;

namespace {

constexpr std::int64_t batch = 150, hidden = 48, middle = 24;

/// x: images; t: 1 where the image shows the digit; o and c: columns of ones. The loss is summed over the images.
const char text[] = R"(
def network(x: Tensor[(B, F), 0], t: Tensor[(B, C), 0], o: Tensor[(B, 1), 0], c: Tensor[(C, 1), 0], w1: Tensor[(F, H), 0],
            b1: Tensor[(1, H), 0], w2: Tensor[(H, G), 0], b2: Tensor[(1, G), 0], w3: Tensor[(G, C), 0], b3: Tensor[(1, C), 0]):
    a1 = MatMul(x, w1)
    s1 = MatMul(o, b1)
    z1 = Add(a1, s1)
    h1 = Tanh(z1)
    a2 = MatMul(h1, w2)
    s2 = MatMul(o, b2)
    z2 = Add(a2, s2)
    h2 = ReLU(z2)
    a3 = MatMul(h2, w3)
    s3 = MatMul(o, b3)
    z = Add(a3, s3)
    e = Exp(z)
    sums = MatMul(e, c)
    logs = Log(sums)
    all = Sum(logs)
    zt = Multiply(z, t)
    right = Sum(zt)
    loss = Subtract(all, right)
    return loss
)";

struct plan {
  std::string name, file;
  pmap_program program;
  device_map map;
};

/// The hidden units are divided up to a2, where the partial sums are added: ReLU needs all of them.
std::vector<plan> plans(int ranks) {
  const pmap_program network(text);
  std::vector<plan> all = {{"one rank", "one", network, device_map("[0]")}};
  if (ranks < 4) return all;
  const std::string divided = "w1=1, b1=1, w2=0";
  const pmap_program data = network.data_parallel("[]", "[]", {"x", "t", "o"});
  all.push_back({"4 data-parallel", "data", data, device_map("[0, 1, 2, 3]")});
  all.push_back({"4 horizontal", "horizontal", network.shard_until("[]", "[]", divided, "[a2]"), device_map("[0, 1, 2, 3]")});
  all.push_back({"2 x 2 nested", "nested", data.shard_until("[d]", "[d]", divided, "[a2]"), device_map("{0: [0, 2], 1: [1, 3]}")});
  return all;
}

varmat filled(std::int64_t rows, std::int64_t cols, double value) { return varmat(rows, cols, value); }

/// Weights between -1 and 1, divided by the root of the number of inputs; biases of 0.
struct weights {
  std::vector<varmat> of;
  std::vector<std::vector<double>> value, speed;

  weights() {
    std::mt19937 random(7);
    const std::pair<std::int64_t, std::int64_t> shapes[] = {{digits::pixels, hidden}, {1, hidden},       {hidden, middle},
                                                            {1, middle},              {middle, digits::classes}, {1, digits::classes}};
    for (const auto &shape : shapes) {
      std::vector<double> own;
      for (std::int64_t k = 0; k < shape.first * shape.second; ++k) {
        const double x = 2.0 * static_cast<double>(random()) / 4294967295.0 - 1.0;
        own.push_back(shape.first == 1 ? 0.0 : x * std::sqrt(3.0 / static_cast<double>(shape.first)));
      }
      of.emplace_back(shape.first, shape.second);
      value.push_back(own);
      speed.emplace_back(own.size(), 0.0);
    }
    renew();
  }
  void renew() {
    for (std::size_t k = 0; k < of.size(); ++k) of[k] = varmat(of[k].rows(), of[k].cols(), value[k].data());
  }
  /// Gradient descent with momentum.
  void step(const admpi::tape &tape, double rate) {
    for (std::size_t k = 0; k < of.size(); ++k) {
      const std::vector<double> gradient = tape.adjoints(of[k]);
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        speed[k][i] = 0.9 * speed[k][i] - rate * gradient[i];
        value[k][i] += speed[k][i];
      }
    }
    renew();
  }
};

/// The inputs of the program for some images.
std::vector<varmat> inputs(const digits &all, const std::vector<std::size_t> &which, const weights &w) {
  const std::int64_t n = static_cast<std::int64_t>(which.size());
  std::vector<varmat> in = {varmat(n, digits::pixels, all.images(which).data()), varmat(n, digits::classes, all.targets(which).data()),
                            filled(n, 1, 1.0), filled(digits::classes, 1, 1.0)};
  in.insert(in.end(), w.of.begin(), w.of.end());
  return in;
}

/// The share of the held-out images that the network reads.
double share_right(const digits &all, const std::vector<std::size_t> &which, const weights &w) {
  const std::vector<varmat> in = inputs(all, which, w);
  const varmat h1 = tanh(multiply(in[0], w.of[0]) + multiply(in[2], w.of[1]));
  const varmat z2 = multiply(h1, w.of[2]) + multiply(in[2], w.of[3]);
  const varmat z = multiply(0.5 * (z2 + abs(z2)), w.of[4]) + multiply(in[2], w.of[5]);
  int right = 0;
  for (std::size_t i = 0; i < which.size(); ++i) {
    int best = 0;
    const auto at = [&](int c) { return admpi::value(admpi::var(z(static_cast<std::int64_t>(i), c))); };
    for (int c = 1; c < digits::classes; ++c)
      if (at(c) > at(best)) best = c;
    right += best == all.digit[which[i]];
  }
  return static_cast<double>(right) / static_cast<double>(which.size());
}

/// What training by a plan gave; on the root.
struct outcome {
  std::vector<double> loss;  // of each step, a mean over its images
  double right = 0.0;
  double alone = 0.0;                 // seconds of a forward pass that nobody records, the least
  double forward = 0.0, sweep = 0.0;  // seconds a step while recording, medians
};

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x.empty() ? 0.0 : x[x.size() / 2];
}

outcome train(const plan &by, const digits &all, int epochs) {
  const pmap_ranks p(MPI_COMM_WORLD, by.map);
  const bool is_root = p.here() == 0;
  admpi::tape tape;
  weights w;
  division parts(all.size());
  outcome result;
  const std::vector<varmat> some = inputs(all, {parts.training.begin(), parts.training.begin() + batch}, w);
  result.alone = 1e300;
  for (int time = 0; time < 30; ++time) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    p.execute(by.program, some);
    result.alone = std::min(result.alone, MPI_Wtime() - begin);
  }
  std::vector<double> forward, sweep;
  const std::size_t steps = parts.training.size() / batch;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    parts.shuffle();
    for (std::size_t step = 0; step < steps; ++step) {
      const auto first = parts.training.begin() + static_cast<std::ptrdiff_t>(step * batch);
      tape.reset();
      tape.start();
      if (is_root)
        for (varmat &m : w.of) tape.input(m);
      const std::vector<varmat> in = inputs(all, std::vector<std::size_t>(first, first + batch), w);
      const double begin = MPI_Wtime();
      const placed loss = p.execute(by.program, in)[0];
      const double middle_of_step = MPI_Wtime();
      tape.stop();
      if (is_root) {
        tape.seed(loss.matrix());
        result.loss.push_back(admpi::value(admpi::var(loss.matrix()(0, 0))) / static_cast<double>(batch));
      }
      tape.reverse();
      forward.push_back(middle_of_step - begin);
      sweep.push_back(MPI_Wtime() - middle_of_step);
      if (is_root) w.step(tape, (epoch < epochs / 2 ? 0.1 : 0.02) / static_cast<double>(batch));
    }
  }
  tape.reset();
  result.forward = median(forward);
  result.sweep = median(sweep);
  if (is_root) result.right = share_right(all, parts.held_out, w);
  return result;
}

const char *option(int argc, char **argv, const char *name, const char *otherwise) {
  for (int k = 1; k + 1 < argc; ++k)
    if (std::strcmp(argv[k], name) == 0) return argv[k + 1];
  return otherwise;
}

int run(int argc, char **argv, int rank, int ranks) {
  const digits all = read_digits(option(argc, argv, "--data", "digits.csv"));
  const std::string results = option(argc, argv, "--results", "");
  const int epochs = std::atoi(option(argc, argv, "--epochs", "40"));
  admpi_pmap_topology topology;
  admpi::detail::check(admpi_pmap_calibrate(MPI_COMM_WORLD, &topology));
  const std::string sizes = "B=" + std::to_string(batch) + ", F=64, H=" + std::to_string(hidden) + ", G=" + std::to_string(middle) + ", C=10";
  if (rank == 0) {
    std::printf("calibrated: %.2g operations/s, %.2g bytes/s, launch %.2g s; messages %.2g s + bytes / (%.2g bytes/s)\n\n",
                topology.flops, topology.bandwidth, topology.launch, topology.alpha, 1.0 / topology.beta);
    std::printf("%-16s %15s %15s %15s %15s %15s %15s\n", "", "predicted, ms", "measured, ms", "recorded, ms", "sweep, ms", "last loss",
                "held out, %");
  }
  int wrong = 0;
  std::string drawings;
  std::vector<double> first;
  for (const plan &by : plans(ranks)) {
    const auto simulation = by.program.simulate(sizes, by.map, &topology);
    const outcome got = train(by, all, epochs);
    if (rank != 0) continue;
    std::printf("%-16s %15.3f %15.3f %15.3f %15.3f %15.4f %15.1f\n", by.name.c_str(), 1e3 * simulation.makespan(), 1e3 * got.alone,
                1e3 * got.forward, 1e3 * got.sweep, got.loss.back(), 100.0 * got.right);
    const std::string table = simulation.table();
    drawings += "\n" + by.name + "\n" + table.substr(table.find("\n  device") + 1);
    // The second loss is that after the first step.
    if (first.empty()) first = got.loss;
    for (std::size_t k = 0; k < 2; ++k)
      if (!(std::fabs(got.loss[k] - first[k]) <= 1e-12 * first[k])) {
        std::printf("%s: the loss of step %d is %.17g, on one rank %.17g\n", by.name.c_str(), static_cast<int>(k), got.loss[k], first[k]);
        ++wrong;
      }
    if (epochs >= 20 && got.right < 0.95) {
      std::printf("%s: less than 95 %% of the held-out digits are read\n", by.name.c_str());
      ++wrong;
    }
    if (results.empty()) continue;
    const std::string path = results + "/" + by.file + ".json";
    std::ofstream(path) << simulation.trace();
    std::ofstream(results + "/" + by.file + ".txt") << by.program.text() << "\n" << simulation.table();
  }
  // By the first letters of operations: what each device does at what time.
  if (rank == 0) std::printf("\nAs simulated:\n%s", drawings.c_str());
  if (rank == 0 && wrong == 0) std::printf("\nThe losses before and after the first step agree to 1e-12.\n");
  if (rank == 0 && !results.empty()) std::printf("Programs, tables and traces (for ui.perfetto.dev) are in %s.\n", results.c_str());
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, status = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    status = run(argc, argv, rank, ranks);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "network: %s\n", e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  AMPI_Finalize();
  return status;
}
