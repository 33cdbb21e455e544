/* 10: a map over jobs, by threads.
 *
 * Five tanks drain at a shared rate, each from its own level, and are measured at different times. Each tank is a job: its
 * function gets the shared parameter, its own parameter and its own data, and runs on any worker. On the caller's tape the
 * results are as if it had run there. */
#include <admpi.hpp>

#include <cstdio>
#include <vector>

int main() {
  const admpi::map_function misfit("misfit of a tank", [](const auto &job) {
    const auto &rate = job.shared[0], &level = job.params[0];
    for (std::size_t k = 0; k < job.x_r.size(); k += 2) { /* pairs: when, and what was seen */
      const auto error = level * exp(-rate * job.x_r[k]) - job.x_r[k + 1];
      job.y[0] += 0.5 * error * error;
    }
  });

  admpi::map_values seen;
  seen.x_r = {{1.0, 1.9}, {0.5, 2.5, 2.0, 1.2}, {}, {3.0, 1.1}, {1.0, 4.0, 2.0, 2.5}};
  admpi::map_workers workers(ADMPI_MAP_THREADS, 2);
  const admpi::map_data data(workers, seen);

  admpi::tape tape;
  std::vector<admpi::var> rate = {0.5}, level = {3.0, 3.0, 4.0, 5.0, 6.0};
  tape.start();
  tape.input(rate);
  tape.input(level);
  const std::vector<admpi::var> total = admpi::map_rect_sum(misfit, rate, level, data);
  tape.stop();

  tape.seed(total[0]);
  tape.reverse();
  std::printf("misfit %.6f, derivative by the rate %.6f, by the levels", total[0].value, tape.adjoint(rate[0]));
  for (const admpi::var &each : level) std::printf(" %.6f", tape.adjoint(each));
  std::printf("\n");
}
