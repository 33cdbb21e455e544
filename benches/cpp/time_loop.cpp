// What a time loop costs beyond the steps of its schedule. For callgrind, which counts instructions:
//   bench_time_loop loop <steps> <block>: a loop by the binomial schedule with 10 states before blocks, and its sweep; prints how many
//     steps of the first run it has, how many run again without being recorded, and how many recorded and swept
//   bench_time_loop record|passive|sweep <steps>: as many steps by hand: recorded, not recorded, recorded and swept
#include <admpi.hpp>
#include <admpi/time_loop.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using admpi::var;

namespace {

constexpr int n = 1000;

void step(std::vector<var> &u, const var &k) {
  for (int i = 1; i + 1 < n; ++i) u[i] = u[i] + k * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
}

struct model {
  std::vector<var> u = std::vector<var>(n, 1.0);
  var k = 0.2;

  void begin(admpi::tape &tape) {
    tape.start();
    tape.input(u);
    tape.input(k);
  }
};

void by_loop(std::int64_t steps, std::int64_t block) {
  admpi::tape tape;
  model m;
  m.begin(tape);
  admpi::time_loop loop(tape);
  loop.binomial(10, block);
  loop.state(m.u);
  loop.parameters(m.k);
  loop.run(steps, [&](std::int64_t) { step(m.u, m.k); });
  for (const var &x : m.u) tape.seed(x);
  tape.reverse();
  const admpi::time_loop_statistics did = loop.statistics();
  std::printf("%lld %lld %lld\n", static_cast<long long>(did.first), static_cast<long long>(did.advanced),
              static_cast<long long>(did.recorded));
}

void by_hand(std::int64_t steps, bool record, bool sweep) {
  admpi::tape tape;
  model m;
  m.begin(tape);
  for (const var &x : m.u) tape.seed(x);
  if (!record) tape.stop();
  for (std::int64_t i = 0; i < steps; ++i) step(m.u, m.k);
  if (!sweep) return;
  for (const var &x : m.u) tape.seed(x);
  tape.reverse();
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) return 2;
  const std::string what = argv[1];
  const std::int64_t steps = std::atoi(argv[2]);
  if (what == "loop") by_loop(steps, argc == 4 ? std::atoi(argv[3]) : 1);
  else by_hand(steps, what != "passive", what == "sweep");
  return 0;
}
