// Checking across ranks: what would hang a sweep, or lose a derivative, is an error that names it.
#define ADMPI_SOURCE_LINES
#include "harness.hpp"

#include <cstdlib>
#include <string>

using test::rank_of;
using test::size_of;

namespace {

int rank() { return rank_of(MPI_COMM_WORLD); }
int ranks() { return size_of(MPI_COMM_WORLD); }

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
  admpi::tape tape;
  tape.start();
  std::vector<admpi::var> x(4);
  for (int i = 0; i < 4; ++i) x[i] = 1.0 + rank() + 0.1 * i;
  tape.input(x.data(), 4);
  program(tape, x);
  tape.stop();
  std::string text;
  try {
    tape.reverse();
  } catch (const admpi::mismatch_error &error) {
    text = error.what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return text;
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// All ranks say the same.
bool same_everywhere(const std::string &text) {
  char mine[1024] = {}, first[1024] = {};
  text.copy(mine, sizeof mine - 1);
  std::memcpy(first, mine, sizeof mine);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  int same = std::strcmp(mine, first) == 0, all = 0;
  MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

}  // namespace

TEST_CASE("test_checking_a_right_program_passes") {
  const std::string text = outcome([](admpi::tape &, std::vector<admpi::var> &x) {
    const int next = (rank() + 1) % ranks(), last = (rank() + ranks() - 1) % ranks();
    AMPI_Request requests[2];
    std::vector<admpi::var> y(4), z(4);
    AMPI_Irecv(y.data(), 4, AMPI_ADOUBLE, last, 5, MPI_COMM_WORLD, &requests[0]);
    AMPI_Isend(x.data(), 3, AMPI_ADOUBLE, next, 5, MPI_COMM_WORLD, &requests[1]);
    AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    AMPI_Allreduce(y.data(), z.data(), 3, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD);
    AMPI_Bcast(z.data(), 2, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
  });
  CHECK(text == "");
}

TEST_CASE("test_checking_receiver_does_not_record") {
  if (ranks() < 2) return;
  const std::string text = outcome([](admpi::tape &tape, std::vector<admpi::var> &x) {
    if (rank() == 0) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 1, 17, MPI_COMM_WORLD);
    if (rank() != 1) return;
    tape.stop();
    AMPI_Recv(x.data(), 3, AMPI_ADOUBLE, 0, 17, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tape.start();
  });
  CAPTURE(text);
  if (rank() < 2) {
    CHECK(has(text, "from rank 0 to rank 1 with tag 17"));
    CHECK(has(text, "AMPI_Send (" ));
    CHECK(has(text, "checking.cpp:"));
    CHECK(has(text, "AMPI_Recv"));
    CHECK(has(text, "not recorded by rank 1"));
  }
}

TEST_CASE("test_checking_sender_does_not_record") {
  if (ranks() < 2) return;
  const std::string text = outcome([](admpi::tape &tape, std::vector<admpi::var> &x) {
    AMPI_Bcast(x.data(), 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    if (rank() == 1) AMPI_Recv(x.data(), 3, AMPI_ADOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank() != 0) return;
    tape.stop();
    AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 1, 3, MPI_COMM_WORLD);
    tape.start();
  });
  CAPTURE(text);
  CHECK(has(text, "AMPI_Send"));
  CHECK(has(text, "was not recorded by rank 0"));
  CHECK(same_everywhere(text));
}

TEST_CASE("test_checking_plain_receive") {
  if (ranks() < 2) return;
  const std::string text = outcome([](admpi::tape &, std::vector<admpi::var> &x) {
    AMPI_Bcast(x.data(), 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    double plain[3];
    if (rank() == 0) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 1, 4, MPI_COMM_WORLD);
    if (rank() == 1) MPI_Recv(plain, 3, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  CAPTURE(text);
  CHECK(has(text, "has no active receive on rank 1"));
  CHECK(same_everywhere(text));
}

TEST_CASE("test_checking_open_request") {
  if (ranks() < 2) return;
  AMPI_Request request = AMPI_REQUEST_NULL;
  std::vector<admpi::var> y(3);
  const std::string text = outcome([&](admpi::tape &, std::vector<admpi::var> &x) {
    AMPI_Bcast(x.data(), 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    if (rank() == 0) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 1, 6, MPI_COMM_WORLD);
    if (rank() == 1) AMPI_Irecv(y.data(), 3, AMPI_ADOUBLE, 0, 6, MPI_COMM_WORLD, &request);
  });
  CAPTURE(text);
  CHECK(has(text, "still open there: AMPI_Irecv"));
  CHECK(same_everywhere(text));
  if (rank() == 1) {
    // The tape of its start is gone: the values arrive, and the call says what is lost.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(AMPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
}

TEST_CASE("test_checking_collectives") {
  if (ranks() < 2) return;
  const std::string operation = outcome([](admpi::tape &, std::vector<admpi::var> &x) {
    std::vector<admpi::var> y(2);
    AMPI_Allreduce(x.data(), y.data(), 2, AMPI_ADOUBLE, rank() == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
  });
  CAPTURE(operation);
  CHECK(has(operation, "the operation differs"));
  CHECK(has(operation, "SUM and MAX"));
  CHECK(has(operation, "rank 1 calls AMPI_Allreduce"));
  CHECK(same_everywhere(operation));

  const std::string state = outcome([](admpi::tape &tape, std::vector<admpi::var> &x) {
    if (rank() == ranks() - 1) tape.stop();
    std::vector<admpi::var> y(2);
    AMPI_Allreduce(x.data(), y.data(), 2, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    tape.start();
  });
  CAPTURE(state);
  CHECK(has(state, "did not record"));
  CHECK(has(state, "rank " + std::to_string(ranks() - 1)));
  CHECK(same_everywhere(state));
}

TEST_CASE("test_checking_communicator_freed_by_plain_mpi") {
  if (ranks() < 2) return;
  const std::string text = outcome([](admpi::tape &, std::vector<admpi::var> &x) {
    MPI_Comm comm;
    AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    AMPI_Bcast(x.data(), 1, AMPI_ADOUBLE, 0, comm);
    if (rank() == 1)
      MPI_Comm_free(&comm);
    else
      AMPI_Comm_free(&comm);
  });
  CAPTURE(text);
  CHECK(has(text, "AMPI_Comm_free"));
  CHECK(has(text, "rank 1"));
  CHECK(same_everywhere(text));
}

TEST_CASE("test_checking_polling_is_set_on_some_ranks_only") {
  const auto program = [](admpi::tape &, std::vector<admpi::var> &x) {
    AMPI_Bcast(x.data(), 4, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
  };
  admpi_set_polling(rank() == 0);
  const std::string text = outcome(program);
  CAPTURE(text);
  if (ranks() == 1) {
    CHECK(text == "");
  } else {
    CHECK(has(text, "collective number 1: AMPI_Bcast (" __FILE__));
    CHECK(has(text, "was recorded with ADMPI_POLLING on rank 0 and without on rank 1"));
    CHECK(same_everywhere(text));
  }
  // The ranks have counted differently; from here on they go on together.
  admpi::tape tape;
  REQUIRE(admpi_abandon_sweep(tape.handle(), MPI_COMM_WORLD) == ADMPI_SUCCESS);
  admpi_set_polling(1);
  CHECK(outcome(program) == "");
  admpi_set_polling(0);
}

TEST_CASE("test_checking_is_silent_when_off") {
  test::begin();
  admpi::tape tape;
  tape.start();
  admpi::var x = 1.0 + rank(), y;
  tape.input(x);
  AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, rank() == 1 ? MPI_MAX : MPI_SUM, MPI_COMM_SELF);
  tape.stop();
  tape.seed(y);
  tape.reverse();
  CHECK(tape.adjoint(x) == 1.0);
}

// The last one: what a rank has told another that did not come stays under way.
TEST_CASE("test_checking_a_rank_that_does_not_come") {
  if (ranks() < 2) return;
  setenv("ADMPI_CHECK_SECONDS", "1", 1);
  const std::string text = outcome([](admpi::tape &, std::vector<admpi::var> &x) {
    double plain[3];
    if (rank() == 0) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 1, 8, MPI_COMM_WORLD);
    if (rank() == 1) MPI_Recv(plain, 3, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  unsetenv("ADMPI_CHECK_SECONDS");
  CAPTURE(text);
  if (rank() == 0) {
    CHECK(has(text, "rank 1 has not come"));
    CHECK(has(text, "AMPI_Send ("));
    CHECK(has(text, "tag 8"));
  } else {
    CHECK(text == "");
  }
}
