// What the tests of checking share: tapes that check, and what every rank is told.
#ifndef ADMPI_TESTS_AMPI_CHECKING_HPP
#define ADMPI_TESTS_AMPI_CHECKING_HPP

#include <string>
#include <vector>

#include "harness/identity.hpp"

namespace check_tests {

using test::rank_of;
using test::size_of;

inline int rank() { return rank_of(MPI_COMM_WORLD); }
inline int ranks() { return size_of(MPI_COMM_WORLD); }

/// Turns checking on for the tapes made while it lives.
struct checked {
  checked() {
    test::begin();
    admpi_set_check(1);
  }
  ~checked() { admpi_set_check(0); }
};

/// Runs `program` on a tape and sweeps it; the text of the error, or "" if there was none.
template <class F>
std::string outcome(const F &program) {
  const checked on;
  test::recording_tape tape;
  std::vector<admpi::var> x(4);
  for (int i = 0; i < 4; ++i) x[i] = 1.0 + rank() + 0.1 * i;
  tape.input(x.data(), 4);
  const admpi::var first = x[0];
  program(tape, x);
  tape.stop();
  tape.seed(first);
  std::string text;
  try {
    tape.reverse();
  } catch (const admpi::mismatch_error &error) {
    text = error.what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return text;
}

inline bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

}  // namespace check_tests

#endif
