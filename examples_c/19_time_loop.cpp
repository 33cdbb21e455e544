/* 19: a long time loop on a short tape, in one call.
 *
 * Heat in a rod, 2000 steps. On one tape every step is recorded. A time loop keeps some states instead; the sweep runs the steps
 * between them again, and records one at a time. The gradient is the same. */
#include <admpi.hpp>
#include <admpi/time_loop.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using admpi::var;

constexpr int n = 50, steps = 2000;

struct Result {
  std::vector<double> gradient;
  unsigned long long most; /* bytes on the tape after the loop, and of the states that are kept */
  admpi::time_loop_statistics did;
};

template <class Choose>
Result run(Choose choose) {
  admpi::tape tape;
  tape.start();
  std::vector<var> u(n), next(n);
  for (int i = 0; i < n; ++i) u[i] = std::sin(0.1 * i);
  var k = 0.2;
  tape.input(u);
  tape.input(k);
  const std::vector<var> start = u;

  admpi::time_loop loop(tape);
  choose(loop);
  loop.state(u);      /* what steps read and write */
  loop.parameters(k); /* what they only read */
  loop.run(steps, [&](std::int64_t) {
    next = u;
    for (int i = 1; i + 1 < n; ++i) next[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1]) - 0.001 * u[i] * u[i];
    u.swap(next);
  });
  tape.stop();

  Result result;
  result.most = tape.statistics().used_bytes;
  var sum = 0.0;
  tape.start();
  for (const var &x : u) sum += x * x;
  tape.stop();
  tape.seed(sum);
  tape.reverse();
  for (const var &x : start) result.gradient.push_back(tape.adjoint(x));
  result.gradient.push_back(tape.adjoint(k));
  result.did = loop.statistics();
  result.most += result.did.snapshot_bytes;
  return result;
}

/* The largest difference, relative to the largest derivative. */
double difference(const Result &a, const Result &b) {
  double most = 0.0, scale = 0.0;
  for (std::size_t i = 0; i < a.gradient.size(); ++i) {
    most = std::fmax(most, std::fabs(a.gradient[i] - b.gradient[i]));
    scale = std::fmax(scale, std::fabs(b.gradient[i]));
  }
  return most / scale;
}

int main() {
  const Result whole = run([](admpi::time_loop &loop) { loop.all(); });
  const Result blocks = run([](admpi::time_loop &loop) { loop.blocks(50); });
  const Result binomial = run([](admpi::time_loop &loop) { loop.binomial(20); });
  std::printf("schedule    gradient to k   to rounding   states kept   steps run again\n");
  const auto print = [&](const char *name, const Result &r) {
    std::printf("%-11s %13.6f   %-11s   %11llu   %15llu\n", name, r.gradient.back(), difference(r, whole) < 1e-12 ? "yes" : "no",
                static_cast<unsigned long long>(r.did.snapshots), static_cast<unsigned long long>(r.did.advanced));
  };
  print("one tape", whole);
  print("blocks", blocks);
  print("binomial", binomial);
  std::printf("a hundredth of the memory: %s\n", 100 * binomial.most < whole.most ? "yes" : "no");
}
