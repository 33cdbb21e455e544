// Thousands of tapes, with ten messages each: memory stays what it is, and the gradient too. ADMPI_TEST_ROUNDS sets how many.
#include "harness/identity.hpp"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using test::rank_of;
using test::size_of;

namespace {

/// Resident bytes of this process; 0 where /proc does not tell.
double resident() {
  long pages = 0, ignored = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// What is made once and used in every round.
struct fixture {
  MPI_Datatype pair;
  std::vector<admpi::var> out = std::vector<admpi::var>(8), in = std::vector<admpi::var>(8);
  AMPI_Request again[2];
  int next, last;

  fixture() {
    const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    MPI_Type_vector(2, 1, 2, AMPI_ADOUBLE, &pair);
    MPI_Type_commit(&pair);
    AMPI_Recv_init(in.data(), 8, AMPI_ADOUBLE, last, 1, MPI_COMM_WORLD, &again[0]);
    AMPI_Send_init(out.data(), 8, AMPI_ADOUBLE, next, 1, MPI_COMM_WORLD, &again[1]);
  }
  ~fixture() {
    AMPI_Request_free(&again[0]);
    AMPI_Request_free(&again[1]);
    MPI_Type_free(&pair);
  }
};

/// Ten messages and some collectives on a tape of its own; the derivative of the sum of all results.
double round(fixture &f) {
  test::recording_tape tape;
  admpi::var x = 0.5;
  tape.input(x);
  admpi::var sum = 0.0;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < 8; ++i) f.out[i] = x * (1.0 + i);
    AMPI_Startall(2, f.again);
    AMPI_Waitall(2, f.again, MPI_STATUSES_IGNORE);
    for (const admpi::var &y : f.in) sum += y;
  }
  for (int turn = 0; turn < 4; ++turn) {
    AMPI_Request requests[2];
    AMPI_Irecv(f.in.data(), 1, f.pair, f.last, 2, MPI_COMM_WORLD, &requests[0]);
    AMPI_Isend(f.out.data(), 1, f.pair, f.next, 2, MPI_COMM_WORLD, &requests[1]);
    AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    sum += f.in[0] + f.in[2];
  }
  for (int turn = 0; turn < 4; ++turn) {
    AMPI_Sendrecv(f.out.data(), 1, AMPI_ADOUBLE, f.next, 3, f.in.data(), 1, AMPI_ADOUBLE, f.last, 3, MPI_COMM_WORLD,
                  MPI_STATUS_IGNORE);
    sum += f.in[0];
  }
  AMPI_Request requests[2];
  admpi::var largest, total;
  AMPI_Iallreduce(&sum, &total, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  AMPI_Iallreduce(&x, &largest, 1, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD, &requests[1]);
  AMPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  AMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  admpi::var y = total + largest;
  tape.stop();
  if (rank_of(MPI_COMM_WORLD) == 0) tape.seed(y);
  tape.reverse();
  return tape.adjoint(x);
}

}  // namespace

TEST_CASE("test_soak_memory_is_flat") {
  test::begin();
  fixture f;
  // Two rounds of 36, four of 1 + 3, four of 1; the largest x is that of rank 0.
  const double expected = 2 * 36.0 + 4 * 4.0 + 4 * 1.0 + (rank_of(MPI_COMM_WORLD) == 0 ? 1.0 : 0.0);
  const char *wanted = std::getenv("ADMPI_TEST_ROUNDS");
  const int warm = 500, rounds = wanted == nullptr ? 2000 : std::atoi(wanted);
  double before = 0.0;
  for (int i = 0; i < warm + rounds; ++i) {
    if (i == warm) before = resident();
    const double derivative = round(f);
    if (derivative != expected) REQUIRE(derivative == expected);
  }
  const double grown = resident() - before;
  CAPTURE(grown);
  CHECK(grown < 100.0 * rounds);
}
