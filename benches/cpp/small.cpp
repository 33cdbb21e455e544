// Small calls: a gradient of ten numbers without a tape beside one in a nest, and two trivial jobs on two threads beside the calling
// thread alone.
#include <admpi.hpp>

#include <vector>

#include "bench.hpp"

namespace {

constexpr int times = 200;

/// How long `ours` takes, over `plain`.
template <class Plain, class Ours>
double ratio(Plain &&plain, Ours &&ours) {
  bench::blocks of_plain, of_ours;
  for (int round = 0; round < 43; ++round) {
    if (round == 2) of_plain = of_ours = bench::blocks();  // warm from here
    of_plain.run(plain);
    of_ours.run(ours);
  }
  return of_ours.seconds() / of_plain.seconds();
}

template <class F>
void repeat(F &&f) {
  for (int k = 0; k < times; ++k) bench::use(f());
}

void measure_gradient() {
  const auto f = [](const auto &x) {
    using T = std::decay_t<decltype(x[0])>;
    T sum = 0.0;
    for (const T &one : x) sum += sin(one) * one;
    return sum;
  };
  const std::vector<double> x(10, 0.5);
  const auto gradient = [&] { return admpi::gradient(f, x)[3]; };
  const double over = ratio(
      [&] {
        admpi::tape tape;
        tape.start();
        repeat(gradient);
      },
      [&] { repeat(gradient); });
  bench::row("gradient of 10 numbers without a tape, over that in a nest", over, 2.5);
}

void measure_map() {
  const admpi::map_function f("trivial", [](const auto &job) { job.y[0] = job.shared[0] * job.params[0]; });
  const std::vector<double> shared{2.0}, jobs{0.1, 0.2};
  admpi::map_workers serial(ADMPI_MAP_SERIAL), threads(ADMPI_MAP_THREADS, 2);
  const auto on = [&](admpi::map_workers &workers) { return admpi::map_rect(f, shared, jobs, workers)[1]; };
  bench::check("two trivial jobs", on(threads), on(serial), 0.0);
  const double over = ratio([&] { repeat([&] { return on(serial); }); }, [&] { repeat([&] { return on(threads); }); });
  bench::row("2 trivial jobs on 2 threads, over the calling thread alone", over, 1.5);
}

}  // namespace

int main() {
  measure_gradient();
  measure_map();
  return 0;
}
