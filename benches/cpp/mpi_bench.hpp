// What the benchmarks over MPI share: plain, recorded and reversed runs in turns, in short blocks. Where other
// work takes a core from one rank, both stand still: of the blocks' times the tenth percentile counts.
#ifndef ADMPI_MPI_BENCH_HPP
#define ADMPI_MPI_BENCH_HPP

#include <admpi.hpp>

#include <algorithm>
#include <vector>

#include "bench.hpp"

namespace bench {

/// The times of a block, which all ranks begin together.
class together {
 public:
  template <class Run>
  void run(Run run) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = now();
    run();
    seconds_.push_back(now() - start);
  }
  /// As many runs, each timed by itself, since `prepare` comes before each.
  template <class Prepare, class Run>
  void run(int times, Prepare prepare, Run run) {
    double seconds = 0.0;
    for (int i = 0; i < times; ++i) {
      prepare();
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = now();
      run();
      seconds += now() - start;
    }
    seconds_.push_back(seconds);
  }
  double seconds() const {
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 10];
  }

 private:
  std::vector<double> seconds_;
};

/// Gives all elements values that have just been computed: data that nobody writes stays in both ranks' caches, and
/// to send it costs less than a program's messages do.
inline void compute(std::vector<double> &x) {
  for (double &v : x) v += 1e-3;
}
inline void compute(std::vector<admpi::var> &x) {
  for (admpi::var &v : x) v.value += 1e-3;
}

/// The times of a program in its three forms.
struct forms {
  together plain, record, sweep;
};

inline int rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Prints the ratios on rank 0.
inline void report(const char *work, const forms &times, int repetitions, double record_goal, double sweep_goal) {
  if (rank() != 0) return;
  const double plain = times.plain.seconds();
  char text[100];
  std::printf("%s: plain %.2f us, record %.2f us, sweep %.2f us\n", work, 1e6 * plain / repetitions,
              1e6 * times.record.seconds() / repetitions, 1e6 * times.sweep.seconds() / repetitions);
  std::snprintf(text, sizeof text, "%s: record over plain MPI", work);
  row(text, times.record.seconds() / plain, record_goal);
  std::snprintf(text, sizeof text, "%s: sweep over plain MPI", work);
  row(text, times.sweep.seconds() / plain, sweep_goal);
}

}  // namespace bench

#endif
