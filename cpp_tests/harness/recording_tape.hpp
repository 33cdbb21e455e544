// A tape that records from its beginning.
#ifndef ADMPI_TESTS_HARNESS_RECORDING_TAPE_HPP
#define ADMPI_TESTS_HARNESS_RECORDING_TAPE_HPP

#include <admpi.hpp>

namespace test {

struct recording_tape : admpi::tape {
  recording_tape() { start(); }
};

}  // namespace test

#endif
