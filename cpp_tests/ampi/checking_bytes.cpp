// Checking of active values that travel as bytes.
#define ADMPI_SOURCE_LINES
#include <cstring>
#include <string>
#include <vector>

#include "ampi/checking.hpp"

using namespace check_tests;

using test::refusal;

TEST_CASE("test_checking_values_that_came_as_bytes") {
  // By calls that the library does not see. The ranks do the same, so all ids are alike.
  if (ranks() < 2) return;
  const checked on;
  test::recording_tape tape;
  std::vector<admpi::var> x(3, admpi::var(2.0)), y(3);
  tape.input(x);
  const int next = (rank() + 1) % ranks(), last = (rank() + ranks() - 1) % ranks();
  MPI_Sendrecv(x.data(), static_cast<int>(3 * sizeof x[0]), MPI_BYTE, next, 0, y.data(),
               static_cast<int>(3 * sizeof y[0]), MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  REQUIRE(y[1].id == x[1].id);
  std::string text;
  try {
    x[0] = y[1] * x[0];
  } catch (const admpi::stale_error &error) {
    text = error.what();
  }
  CAPTURE(text);
  CHECK(has(text, "came from another process as bytes"));
  CHECK_THROWS_AS(tape.seed(y[2]), admpi::stale_error);
}

TEST_CASE("test_checking_active_values_sent_as_bytes") {
  const checked on;
  test::recording_tape tape;
  const int size = ranks(), mine = rank();
  std::vector<admpi::var> x(static_cast<std::size_t>(2 * size), 1.0), y(x.size());
  tape.input(x);
  void *const out = x.data();
  void *const in = y.data();
  const int bytes = static_cast<int>(2 * sizeof x[0]);
  std::vector<int> counts(static_cast<std::size_t>(size), bytes), places(counts);
  for (int r = 0; r < size; ++r) places[static_cast<std::size_t>(r)] = r * bytes;
  const int *const n = counts.data(), *const at = places.data();
  const std::vector<MPI_Datatype> types(counts.size(), MPI_BYTE);
  MPI_Comm world = MPI_COMM_WORLD;
  AMPI_Request request;
  const auto check = [](const char *call, const std::string &text) {
    CAPTURE(text);
    CHECK(has(text, std::string(call) + " (checking_bytes.cpp:"));
    CHECK(has(text, "ADMPI_CHECK: an active value"));
  };
  check("AMPI_Send", refusal([&] { return AMPI_Send(out, bytes, AMPI_BYTE, mine, 0, world); }));
  check("AMPI_Isend", refusal([&] { return AMPI_Isend(out, bytes, AMPI_CHAR, mine, 0, world, &request); }));
  check("AMPI_Sendrecv", refusal([&] {
          return AMPI_Sendrecv(out, bytes, AMPI_BYTE, mine, 0, in, bytes, AMPI_BYTE, mine, 0, world, MPI_STATUS_IGNORE);
        }));
  check("AMPI_Sendrecv_replace", refusal([&] {
          return AMPI_Sendrecv_replace(out, bytes, AMPI_BYTE, mine, 0, mine, 0, world, MPI_STATUS_IGNORE);
        }));
  // All ranks refuse, or only those that send do.
  check("AMPI_Allgather", refusal([&] { return AMPI_Allgather(out, bytes, AMPI_BYTE, in, bytes, AMPI_BYTE, world); }));
  check("AMPI_Alltoall", refusal([&] { return AMPI_Alltoall(out, bytes, AMPI_BYTE, in, bytes, AMPI_BYTE, world); }));
  check("AMPI_Alltoallv", refusal([&] { return AMPI_Alltoallv(out, n, at, AMPI_BYTE, in, n, at, AMPI_BYTE, world); }));
  check("AMPI_Ialltoallw", refusal([&] {
          return AMPI_Ialltoallw(out, n, at, types.data(), in, n, at, types.data(), world, &request);
        }));
  check("AMPI_Gather", refusal([&] { return AMPI_Gather(out, bytes, AMPI_BYTE, in, bytes, AMPI_BYTE, 0, world); }));
  if (mine == 0) {
    check("AMPI_Bcast", refusal([&] { return AMPI_Bcast(out, bytes, AMPI_BYTE, 0, world); }));
    check("AMPI_Scatterv", refusal([&] {
            return AMPI_Scatterv(out, n, at, AMPI_BYTE, in, bytes, AMPI_BYTE, 0, world);
          }));
  }
  // Behind a header, and of a type that leaves out what lies between.
  char packed[4 + 2 * sizeof x[0]] = {};
  std::memcpy(packed + 4, out, 2 * sizeof x[0]);
  check("AMPI_Send", refusal([&] { return AMPI_Send(packed, sizeof packed, AMPI_CHAR, mine, 0, world); }));
  MPI_Datatype every_other;
  AMPI_Type_vector(size, sizeof x[0], 2 * sizeof x[0], MPI_BYTE, &every_other);
  AMPI_Type_commit(&every_other);
  check("AMPI_Send", refusal([&] { return AMPI_Send(out, 1, every_other, mine, 0, world); }));
  AMPI_Type_free(&every_other);
  // The wrong datatype behind a void pointer.
  check("AMPI_Send", refusal([&] { return AMPI_Send(out, 4, AMPI_DOUBLE, mine, 0, world); }));

  // Values without their ids pass, as does anything that is not of a recording.
  AMPI_Request receive;
  const auto passes = [&](const void *from, int count, MPI_Datatype type) {
    AMPI_Irecv(in, bytes, AMPI_BYTE, mine, 1, world, &receive);
    const std::string text = refusal([&] { return AMPI_Send(from, count, type, mine, 1, world); });
    AMPI_Wait(&receive, MPI_STATUS_IGNORE);
    CHECK(text == "");
  };
  MPI_Datatype values;
  AMPI_Type_vector(2, 1, 2, MPI_DOUBLE, &values);
  AMPI_Type_commit(&values);
  passes(out, 1, values);
  AMPI_Type_free(&values);
  const std::vector<double> numbers(4, 1.0);
  passes(numbers.data(), 4, MPI_DOUBLE);
  tape.stop();
  passes(out, bytes, MPI_BYTE);
  tape.start();
  tape.reset();
  passes(out, bytes, MPI_BYTE);
}

TEST_CASE("test_checking_structures_as_bytes") {
  // By their type, in all modes.
  test::begin();
  struct position {
    admpi::var x[3];
  };
  struct particle {
    int cell;
    position at;
  };
  struct cell {
    int number;
    double mass[3];
  };
  particle p{};
  cell c{};
  const int mine = rank();
  const auto send = [&](auto &what, MPI_Datatype type, int count) {
    return refusal([&] { return AMPI_Send(&what, count, type, mine, 0, MPI_COMM_WORLD); });
  };
  CHECK(has(send(p, MPI_BYTE, sizeof p), "): the buffer is of structures with admpi::var"));
  CHECK(has(send(p.at, MPI_CHAR, sizeof p.at), "AMPI_Type_create_struct"));
  CHECK(has(refusal([&] { return AMPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD); }), "): the buffer is of"));
  // Others, and types that pick members, pass.
  AMPI_Request request;
  cell got{};
  AMPI_Irecv(&got, sizeof got, MPI_BYTE, mine, 0, MPI_COMM_WORLD, &request);
  CHECK(send(c, MPI_BYTE, sizeof c) == "");
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  AMPI_Irecv(&got.number, 1, MPI_INT, mine, 0, MPI_COMM_WORLD, &request);
  CHECK(send(p, MPI_INT, 1) == "");
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST_CASE("test_checking_is_silent_when_off") {
  test::begin();
  test::recording_tape tape;
  admpi::var x = 1.0 + rank(), y;
  tape.input(x);
  AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, rank() == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_SELF);
  tape.stop();
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == 1.0);
}
