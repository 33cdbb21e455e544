// What the C++ benchmarks share: timing, and the rows of the table of figures.
#ifndef ADMPI_BENCH_HPP
#define ADMPI_BENCH_HPP

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The fastest of some runs: what the machine can do when nobody else is at work.
class fastest {
 public:
  /// Runs once more. prepare() is not timed.
  template <class Prepare, class Run>
  void run(Prepare prepare, Run run) {
    prepare();
    const double start = now();
    run();
    const double seconds = now() - start;
    if (seconds < seconds_) seconds_ = seconds;
  }
  template <class Run>
  void run(Run run) {
    this->run([] {}, run);
  }
  double seconds() const { return seconds_; }

 private:
  double seconds_ = 1e300;
};

/// The times of equal blocks of a long run, so short that most are not interrupted by other work: the tenth percentile
/// counts.
class blocks {
 public:
  template <class Run>
  void run(Run run) {
    const double start = now();
    run();
    seconds_.push_back(now() - start);
  }
  double seconds() const {
    std::vector<double> sorted = seconds_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 10];
  }

 private:
  std::vector<double> seconds_;
};

/// Keeps the compiler from leaving out the computation of x.
template <class T>
inline void use(const T &x) {
  asm volatile("" : : "g"(&x) : "memory");
}

/// One line of the table: what, measured, the goal, and by how much it is missed.
inline void row(const char *work, double measured, double goal) {
  if (measured <= goal) {
    std::printf("%-64s %8.2f   <= %-6.4g\n", work, measured, goal);
  } else {
    std::printf("%-64s %8.2f   <= %-6.4g missed by %.0f %%\n", work, measured, goal, 100.0 * (measured / goal - 1.0));
  }
}

/// The same without a goal.
inline void row(const char *work, double measured) { std::printf("%-64s %8.2f\n", work, measured); }

/// A wrong gradient is no figure: the bench fails.
inline void check(const char *what, double got, double expected, double tolerance) {
  const double scale = expected < 0.0 ? -expected : expected;
  const double error = (got < expected ? expected - got : got - expected) / (scale > 0.0 ? scale : 1.0);
  if (error <= tolerance) return;
  std::fprintf(stderr, "%s: %.17g, expected %.17g (relative error %.2g)\n", what, got, expected, error);
  std::exit(1);
}

}  // namespace bench

#endif
