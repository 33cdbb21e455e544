// ADMPI_CHECK=nan on ranks: the error names the rank, and the call of MPI before what is not finite.
#include <admpi.hpp>

#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "harness/identity.hpp"

namespace {

/// It is read at the first sweep.
const int asked_for = setenv("ADMPI_CHECK", "nan", 1);

}  // namespace

// All ranks fail, so that none waits for another.
TEST_CASE("test_finite_names_the_rank_and_the_call") {
  REQUIRE(asked_for == 0);
  REQUIRE(admpi_set_check(1) == ADMPI_SUCCESS);  // what the environment turns on when the program is loaded
  test::begin();
  const int rank = test::rank_of(MPI_COMM_WORLD);
  test::recording_tape tape;
  admpi::var x = 0.0, sum;
  tape.input(x);
  AMPI_Allreduce(&x, &sum, 1, AMPI_ADOUBLE, AMPI_SUM, MPI_COMM_WORLD);
  const admpi::var y = sqrt(sum);
  tape.seed(y);
  std::string text;
  try {
    tape.reverse();
  } catch (const admpi::argument_error &error) {
    text = error.what();
  }
  CAPTURE(text);
  CHECK(text.find("ADMPI_CHECK=nan") != std::string::npos);
  CHECK(text.find(", behind AMPI_Allreduce on rank " + std::to_string(rank)) != std::string::npos);
  tape.clear_adjoints();
}
