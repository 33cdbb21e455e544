/* 22: which part of a program its tape and its sweeps are spent on.
 *
 * Regions name the parts. A profile counts for each what it records and the time that sweeps spend on it. Here the counts are
 * printed, since they are the same wherever the program runs; std::cout << tape.profile() prints the table with the times. */
#include <admpi.hpp>

#include <cstdio>
#include <vector>

/* Heat that is carried round a ring of cells, and spreads. */
static void step(std::vector<admpi::var> &t) {
  admpi::region r("step");
  const std::size_t n = t.size();
  std::vector<admpi::var> next(n);
  {
    admpi::region advection("advection");
    for (std::size_t i = 0; i < n; ++i) next[i] = t[i] - 0.1 * t[i] * (t[i] - t[(i + n - 1) % n]);
  }
  {
    admpi::region diffusion("diffusion");
    for (std::size_t i = 0; i < n; ++i) t[i] = next[i] + 0.2 * (next[(i + 1) % n] - 2.0 * next[i] + next[(i + n - 1) % n]);
  }
}

int main() {
  admpi::tape tape;
  tape.set_profile(true);
  std::vector<admpi::var> t(100, 1.0);
  t[0] = 2.0;
  tape.start();
  tape.input(t);
  const std::vector<admpi::var> x = t;
  for (int k = 0; k < 20; ++k) step(t);
  admpi::var cost = 0.0;
  {
    admpi::region r("cost");
    for (const admpi::var &each : t) cost += each * each;
  }
  tape.stop();
  tape.seed(cost);
  tape.reverse();

  std::printf("cost %.6f, derivative by the first %.6f\n", cost.value, tape.adjoint(x[0]));
  for (const admpi::profile_row &row : tape.profile().rows())
    std::printf("%-14s entered %2.0f times, %4.0f statements, %6.0f bytes%s\n", row.region.c_str(), row.count.mean, row.statements.mean,
                row.bytes.mean, row.sweep_seconds.mean > 0.0 ? ", swept" : "");
}
