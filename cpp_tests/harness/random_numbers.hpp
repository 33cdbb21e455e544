// Random numbers that are the same on all ranks, from which they draw the same program.
#ifndef ADMPI_TESTS_HARNESS_RANDOM_NUMBERS_HPP
#define ADMPI_TESTS_HARNESS_RANDOM_NUMBERS_HPP

#include <cstdint>

namespace test {

/// splitmix64.
struct random_numbers {
  std::uint64_t state;
  std::uint64_t next() {
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  double number() { return static_cast<double>(next() >> 11) / 9007199254740992.0 * 2.0 - 1.0; }
};

}  // namespace test

#endif
