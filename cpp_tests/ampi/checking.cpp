// Checking across ranks: what would hang a sweep, or lose a derivative, is an error that names it.
#define ADMPI_SOURCE_LINES
#include "harness/identity.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using test::rank_of;
using test::refusal;
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

TEST_CASE("test_checking_plain_send_before_an_active_one") {
  // The second message is taken for the partner of the first receive.
  if (ranks() < 2) return;
  for (const int n : {1, 2}) {
    const std::string text = outcome([n](admpi::tape &, std::vector<admpi::var> &x) {
      AMPI_Bcast(x.data(), 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
      const double plain = 1.0;
      if (rank() == 0) AMPI_Send(&plain, 1, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
      if (rank() == 0) AMPI_Send(x.data(), n, AMPI_ADOUBLE, 1, 4, MPI_COMM_WORLD);
      if (rank() == 1) AMPI_Recv(x.data(), 1, AMPI_ADOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank() == 1) AMPI_Recv(x.data(), n, AMPI_ADOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    CAPTURE(text);
    CHECK(has(text, "rank 0 has 1 active sends there and rank 1 2 active receives: an earlier message may be the one"));
    CHECK(same_everywhere(text));
  }
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
    CHECK(has(text, "was recorded with ADMPI_POLLING on rank 0 and without it on rank 1"));
    CHECK(same_everywhere(text));
  }
  // The ranks have counted differently; from here on they go on together.
  admpi::tape tape;
  REQUIRE(admpi_tape_abandon_sweep(tape.handle(), MPI_COMM_WORLD) == ADMPI_SUCCESS);
  admpi_set_polling(1);
  CHECK(outcome(program) == "");
  admpi_set_polling(0);
}

/// Runs `program(tape, x)` and what it sweeps; the text of the first error of a sweep, or "".
template <class F>
std::string outcome_of_sweeps(const F &program) {
  const checked on;
  admpi::tape tape;
  tape.start();
  std::vector<admpi::var> x(4);
  for (int i = 0; i < 4; ++i) x[i] = 1.0 + rank() + 0.1 * i;
  tape.input(x.data(), 4);
  std::string text;
  try {
    program(tape, x);
  } catch (const admpi::mismatch_error &error) {
    text = error.what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return text;
}

TEST_CASE("test_checking_tapes_are_reset_at_different_places") {
  // Around a call that nobody records, and around the end of a communicator; then on with the same communicators.
  const int next = (rank() + 1) % ranks(), last = (rank() + ranks() - 1) % ranks();
  for (const bool odd_first : {false, true}) {
    CAPTURE(odd_first);
    const std::string text = outcome_of_sweeps([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      const auto bottom = tape.position();
      std::vector<admpi::var> y(4), z(4);
      const bool early = (rank() % 2 == 1) == odd_first;
      for (int round = 0; round < 3; ++round) {
        MPI_Comm comm;
        AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
        AMPI_Sendrecv(x.data(), 2, AMPI_ADOUBLE, next, 1, y.data(), 2, AMPI_ADOUBLE, last, 1, comm, MPI_STATUS_IGNORE);
        AMPI_Allreduce(y.data(), z.data(), 2, AMPI_ADOUBLE, MPI_SUM, comm);
        tape.seed(z[0]);
        tape.reverse();
        if (early) tape.reset_to(bottom);
        tape.stop();
        for (admpi::var &v : x) v = value(v);
        AMPI_Sendrecv(x.data(), 1, AMPI_ADOUBLE, last, 2, y.data(), 1, AMPI_ADOUBLE, next, 2, comm, MPI_STATUS_IGNORE);
        AMPI_Allreduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_MAX, comm);
        AMPI_Comm_free(&comm);
        if (!early) tape.reset_to(bottom);
        tape.start();
      }
    });
    CHECK(text == "");
  }
}

TEST_CASE("test_checking_a_tape_is_made_late") {
  // What went before is not on record anywhere, though some ranks have a tape already.
  const int next = (rank() + 1) % ranks(), last = (rank() + ranks() - 1) % ranks();
  const checked on;
  std::vector<admpi::var> x(2, 1.0 + rank()), y(2), z(2);
  std::unique_ptr<admpi::tape> tape;
  if (rank() % 2 == 0) tape.reset(new admpi::tape);
  AMPI_Bcast(x.data(), 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
  AMPI_Sendrecv(x.data(), 1, AMPI_ADOUBLE, next, 1, y.data(), 1, AMPI_ADOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  // One end of this one is passive, and nothing is lost by that.
  double plain = 2.0;
  if (ranks() > 1 && rank() == 0) MPI_Send(&plain, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  if (rank() == 1) AMPI_Recv(y.data(), 1, AMPI_ADOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (tape == nullptr) tape.reset(new admpi::tape);
  tape->start();
  tape->input(x);
  AMPI_Sendrecv(x.data(), 2, AMPI_ADOUBLE, next, 1, y.data(), 2, AMPI_ADOUBLE, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  AMPI_Allreduce(y.data(), z.data(), 2, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
  tape->seed(z[0]);
  CHECK_NOTHROW(tape->reverse());
  CHECK(tape->adjoint(x[0]) == ranks());
}

TEST_CASE("test_checking_recording_on_for_other_messages") {
  // As many at both ends, but not the same ones.
  if (ranks() < 2) return;
  const std::string text = outcome([](admpi::tape &tape, std::vector<admpi::var> &x) {
    AMPI_Bcast(x.data(), 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) {
      if (rank() < 2 && i == 1 + rank()) tape.stop();
      if (rank() == 0) AMPI_Send(x.data(), 1, AMPI_ADOUBLE, 1, 3, MPI_COMM_WORLD);
      if (rank() == 1) AMPI_Recv(&x[3], 1, AMPI_ADOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      tape.start();
    }
  });
  CAPTURE(text);
  CHECK(has(text, "message number 2 from rank 0 to rank 1"));
  CHECK(has(text, "AMPI_Recv"));
  CHECK(has(text, "recorded by rank 1"));
  CHECK(same_everywhere(text));
}

TEST_CASE("test_checking_requests_open_over_the_beginning_of_a_part") {
  // A message and a collective that are complete on one rank and open on the other: both are swept later.
  if (ranks() < 2) return;
  const int next = (rank() + 1) % ranks(), last = (rank() + ranks() - 1) % ranks();
  for (const bool collective : {false, true}) {
    CAPTURE(collective);
    double adjoint = 0.0;
    const std::string text = outcome_of_sweeps([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      std::vector<admpi::var> y(2), z(2);
      AMPI_Request request = AMPI_REQUEST_NULL;
      const auto complete = [&] { AMPI_Wait(&request, MPI_STATUS_IGNORE); };
      if (collective) {
        AMPI_Iallreduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
      } else {
        AMPI_Irecv(y.data(), 1, AMPI_ADOUBLE, last, 7, MPI_COMM_WORLD, &request);
        AMPI_Send(x.data(), 1, AMPI_ADOUBLE, next, 7, MPI_COMM_WORLD);
      }
      if (rank() == 0) complete();
      const auto between = tape.position();
      AMPI_Sendrecv(&x[1], 1, AMPI_ADOUBLE, next, 8, z.data(), 1, AMPI_ADOUBLE, last, 8, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE);
      tape.seed(z[0], 3.0);
      tape.reverse(tape.position(), between);
      if (rank() != 0) complete();
      tape.clear_adjoints();
      tape.seed(y[0], 5.0);
      tape.reverse();
      adjoint = tape.adjoint(x[0]);
    });
    CHECK(text == "");
    CHECK(adjoint == (collective ? 5.0 * ranks() : 5.0));
  }
}

TEST_CASE("test_checking_a_collective_that_is_not_complete") {
  if (ranks() < 2) return;
  AMPI_Request request = AMPI_REQUEST_NULL;
  std::vector<admpi::var> y(1);
  const std::string text = outcome([&](admpi::tape &, std::vector<admpi::var> &x) {
    AMPI_Iallreduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank() != 1) AMPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  CAPTURE(text);
  CHECK(has(text, "rank 1 has not completed AMPI_Iallreduce"));
  CHECK(same_everywhere(text));
  if (rank() == 1) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(AMPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
}

TEST_CASE("test_checking_counts_of_collectives") {
  if (ranks() < 2) return;
  // Rank 0 sends less to rank 1 than that one has room for, which not every MPI notices.
  const int size = ranks(), mine = rank(), periodic = 1;
  std::vector<int> out(static_cast<std::size_t>(size), 2), in(out), displs(out);
  for (int r = 0; r < size; ++r) displs[static_cast<std::size_t>(r)] = 2 * r;
  if (mine == 0) out[1] = 1;
  MPI_Comm ring;
  AMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  const int two[2] = {2, 2}, less[2] = {2, 1}, places[2] = {0, 2};
  const MPI_Aint bytes[2] = {0, 32};
  const MPI_Datatype types[2] = {AMPI_ADOUBLE, AMPI_ADOUBLE};
  std::vector<admpi::var> big(static_cast<std::size_t>(2 * size), 1.0), got(big.size());
  const auto check = [&](const char *call, const std::string &text) {
    CAPTURE(text);
    CHECK(has(text, call));
    CHECK(has(text, "active doubles"));
    CHECK(has(text, "from rank 0 to rank 1"));
    CHECK(same_everywhere(text));
  };
  // The right neighbour of rank 0 is rank 1: of two ranks both neighbours are.
  const int *const sent = mine == 0 ? less : two;
  check("AMPI_Alltoallv", outcome([&](admpi::tape &, std::vector<admpi::var> &) {
          AMPI_Alltoallv(big.data(), out.data(), displs.data(), AMPI_ADOUBLE, got.data(), in.data(), displs.data(),
                         AMPI_ADOUBLE, MPI_COMM_WORLD);
        }));
  check("AMPI_Scatterv", outcome([&](admpi::tape &, std::vector<admpi::var> &) {
          AMPI_Scatterv(big.data(), out.data(), displs.data(), AMPI_ADOUBLE, got.data(), 2, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
        }));
  check("AMPI_Neighbor_alltoallv", outcome([&](admpi::tape &, std::vector<admpi::var> &) {
          big.resize(static_cast<std::size_t>(std::max(4, 2 * size)));
          got.resize(big.size());
          AMPI_Neighbor_alltoallv(big.data(), sent, places, AMPI_ADOUBLE, got.data(), two, places, AMPI_ADOUBLE, ring);
        }));
  check("AMPI_Neighbor_alltoallw", outcome([&](admpi::tape &, std::vector<admpi::var> &) {
          AMPI_Neighbor_alltoallw(big.data(), sent, bytes, types, got.data(), two, bytes, types, ring);
        }));
  AMPI_Comm_free(&ring);
}

TEST_CASE("test_checking_all_hear_who_could_wait") {
  // Ranks 0 and 1 do not agree. The others have nothing to do with them but through each other: in a row on one
  // communicator, and on one for each pair of neighbours.
  if (ranks() < 2) return;
  for (const bool apart : {false, true}) {
    CAPTURE(apart);
    std::vector<MPI_Comm> comms(static_cast<std::size_t>(ranks()), MPI_COMM_WORLD);
    for (int r = 0; apart && r + 1 < ranks(); ++r)
      AMPI_Comm_split(MPI_COMM_WORLD, rank() == r || rank() == r + 1 ? 0 : MPI_UNDEFINED, rank(),
                      &comms[static_cast<std::size_t>(r)]);
    const auto at = [&](int r) { return comms[static_cast<std::size_t>(r)]; };
    const std::string text = outcome([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      if (rank() > 0)
        AMPI_Recv(x.data(), 2, AMPI_ADOUBLE, apart ? 0 : rank() - 1, 5, at(rank() - 1), MPI_STATUS_IGNORE);
      if (rank() == 0) tape.stop();
      if (rank() + 1 < ranks()) AMPI_Send(x.data(), 2, AMPI_ADOUBLE, apart ? 1 : rank() + 1, 5, at(rank()));
      tape.start();
    });
    CAPTURE(text);
    CHECK(has(text, "from rank 0 to rank 1 with tag 5"));
    CHECK(has(text, "was not recorded by rank 0"));
    CHECK(same_everywhere(text));
    for (MPI_Comm &comm : comms)
      if (comm != MPI_COMM_WORLD && comm != MPI_COMM_NULL) AMPI_Comm_free(&comm);
  }
}

TEST_CASE("test_checking_a_rank_without_neighbours") {
  // It takes part in a call with types for each neighbour without knowing that the call is active.
  const bool alone = rank() == ranks() - 1;
  std::vector<int> near;
  if (!alone) near.push_back((rank() + 1) % (ranks() - 1));
  std::vector<int> from;
  if (!alone) from.push_back((rank() + ranks() - 2) % (ranks() - 1));
  const int n = static_cast<int>(near.size());
  near.push_back(0);
  from.push_back(0);
  MPI_Comm graph;
  AMPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, n, from.data(), MPI_UNWEIGHTED, n, near.data(), MPI_UNWEIGHTED,
                                  MPI_INFO_NULL, 0, &graph);
  double adjoint = 0.0;
  const std::string text = outcome_of_sweeps([&](admpi::tape &tape, std::vector<admpi::var> &x) {
    std::vector<admpi::var> y(2), z(1);
    const int counts[1] = {2};
    const MPI_Aint places[1] = {0};
    const MPI_Datatype types[1] = {AMPI_ADOUBLE};
    AMPI_Neighbor_alltoallw(x.data(), counts, places, types, y.data(), counts, places, types, graph);
    AMPI_Allreduce(alone ? &x[1] : &y[1], z.data(), 1, AMPI_ADOUBLE, MPI_SUM, graph);
    tape.seed(z[0]);
    tape.reverse();
    adjoint = tape.adjoint(x[1]);
  });
  CHECK(text == "");
  CHECK(adjoint == ranks());
  AMPI_Comm_free(&graph);
}

TEST_CASE("test_checking_a_sweep_stopped_where_messages_cross") {
  // Its adjoints are under way on the channels of what another tape sweeps then. Given up, they are not.
  if (ranks() < 2) return;
  const int next = (rank() + 1) % ranks(), last = (rank() + ranks() - 1) % ranks();
  for (const bool collective : {false, true}) {
    CAPTURE(collective);
    const checked on;
    admpi::tape one;
    one.start();
    admpi::var x = 1.0 + rank(), y, u = x, v;
    one.input(x);
    const auto exchange = [&](const admpi::var &from, admpi::var &to, AMPI_Request *request) {
      if (collective)
        AMPI_Iallreduce(&from, &to, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
      else
        AMPI_Isend(&from, 1, AMPI_ADOUBLE, next, 3, MPI_COMM_WORLD, request);
    };
    const auto complete = [&](admpi::var &to, AMPI_Request *request) {
      if (!collective) AMPI_Recv(&to, 1, AMPI_ADOUBLE, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      AMPI_Wait(request, MPI_STATUS_IGNORE);
    };
    AMPI_Request request;
    exchange(x, y, &request);
    // The collective is complete on rank 0 by then.
    if (collective && rank() == 0) complete(y, &request);
    const auto middle = one.position();
    if (!collective || rank() != 0) complete(y, &request);
    one.seed(y, 3.0);
    one.reverse(one.position(), middle);
    {
      admpi::tape two;
      two.start();
      two.input(u);
      exchange(u, v, &request);
      complete(v, &request);
      two.seed(v, 5.0);
      std::string text;
      try {
        two.reverse();
      } catch (const admpi::mismatch_error &error) {
        text = error.what();
      }
      CAPTURE(text);
      CHECK(has(text, collective ? "rank 0 has started the adjoints of" : "messages of adjoints to rank"));
      CHECK(has(text, "admpi_tape_abandon_sweep"));
      CHECK(same_everywhere(text));
      REQUIRE(admpi_tape_abandon_sweep(one.handle(), MPI_COMM_WORLD) == ADMPI_SUCCESS);
      CHECK_NOTHROW(two.reverse());
      CHECK(two.adjoint(u) == (collective ? 5.0 * ranks() : 5.0));
    }
    one.clear_adjoints();
    one.seed(y, 7.0);
    CHECK_NOTHROW(one.reverse());
    CHECK(one.adjoint(x) == (collective ? 7.0 * ranks() : 7.0));
  }
}

TEST_CASE("test_checking_no_rank_has_seeded") {
  const checked on;
  admpi::tape tape;
  tape.start();
  admpi::var x = 1.0 + rank(), y;
  tape.input(x);
  AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::string text;
  try {
    // A part of the objective may be constant.
    if (ranks() > 1) tape.seed(2.0);
    tape.reverse();
  } catch (const admpi::argument_error &error) {
    text = error.what();
  }
  CAPTURE(text);
  CHECK(has(text, ranks() == 1 ? "nothing was seeded" : "none of the " + std::to_string(ranks()) + " ranks has seeded"));
  MPI_Barrier(MPI_COMM_WORLD);
  // One is enough.
  if (rank() == ranks() - 1) tape.seed(y);
  CHECK_NOTHROW(tape.reverse());
  CHECK(tape.adjoint(x) == 1.0);
}

TEST_CASE("test_checking_values_that_came_as_bytes") {
  // By calls that the library does not see. The ranks do the same, so all ids are alike.
  if (ranks() < 2) return;
  const checked on;
  admpi::tape tape;
  tape.start();
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
  admpi::tape tape;
  tape.start();
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
    CHECK(has(text, std::string(call) + ": ADMPI_CHECK: an active value"));
    CHECK(has(text, "sent as bytes (" __FILE__ ":"));
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
  CHECK(has(send(p, MPI_BYTE, sizeof p), "AMPI_Send: the buffer is of structures with admpi::var"));
  CHECK(has(send(p.at, MPI_CHAR, sizeof p.at), "AMPI_Type_create_struct"));
  CHECK(has(refusal([&] { return AMPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD); }), "AMPI_Bcast: the buffer is of"));
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

namespace {

/// As `outcome` without checking: what this rank found in the sweep.
template <class F>
std::string found_in_sweep(const F &program, MPI_Comm comm = MPI_COMM_WORLD) {
  test::begin();
  admpi::tape tape;
  tape.start();
  std::vector<admpi::var> x(8);
  for (int i = 0; i < 8; ++i) x[i] = 1.0 + rank() + 0.1 * i;
  tape.input(x);
  program(tape, x);
  tape.stop();
  std::string text;
  try {
    tape.reverse();
  } catch (const admpi::mismatch_error &error) {
    text = error.what();
  }
  REQUIRE(admpi_tape_abandon_sweep(tape.handle(), comm) == ADMPI_SUCCESS);
  return text;
}

/// A call, in place where it has two buffers, by all ranks.
struct collective {
  std::string name;
  std::function<void(std::vector<admpi::var> &)> call;
};

std::vector<collective> all_collectives() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto type = AMPI_ADOUBLE;
  using vars = std::vector<admpi::var>;
  const auto twice = [](vars &x) { return vars(2 * static_cast<std::size_t>(ranks()) + x.size()); };
  return {
      {"Bcast", [=](vars &x) { AMPI_Bcast(x.data(), 2, type, 0, comm); }},
      {"Gather", [=](vars &x) { AMPI_Gather(x.data(), 2, type, twice(x).data(), 2, type, 0, comm); }},
      {"Scatter", [=](vars &x) { AMPI_Scatter(twice(x).data(), 2, type, x.data(), 2, type, 0, comm); }},
      {"Allgather", [=](vars &x) { AMPI_Allgather(x.data(), 2, type, twice(x).data(), 2, type, comm); }},
      {"Alltoall", [=](vars &x) { AMPI_Alltoall(twice(x).data(), 2, type, twice(x).data(), 2, type, comm); }},
      {"Reduce", [=](vars &x) { AMPI_Reduce(x.data(), twice(x).data(), 2, type, MPI_PROD, 0, comm); }},
      {"Reduce_scatter_block", [=](vars &x) { AMPI_Reduce_scatter_block(twice(x).data(), x.data(), 2, type, MPI_MIN, comm); }},
      {"Allreduce", [=](vars &x) { AMPI_Allreduce(x.data(), twice(x).data(), 2, type, MPI_MAX, comm); }},
      {"Scan", [=](vars &x) { AMPI_Scan(x.data(), twice(x).data(), 2, type, MPI_PROD, comm); }},
      {"Exscan", [=](vars &x) { AMPI_Exscan(x.data(), twice(x).data(), 2, type, MPI_SUM, comm); }},
  };
}

/// What a member says that does not fit.
bool is_misfit(const std::string &text, const std::string &name) {
  return has(text, "the adjoint of " + name + ": this rank reverses its " + name + ", recorded as collective number ") &&
         has(text, "all members must record");
}

}  // namespace

TEST_CASE("test_checking_off_a_collective_that_a_rank_did_not_record") {
  if (ranks() < 2) return;
  // Whose last call all members wait for: all of them say so, whatever the call is that one has not on record.
  for (const collective &missing : all_collectives()) {
    // A Scan of products that is recorded is not the same call of MPI.
    if (missing.name == "Scan") continue;
    CAPTURE(missing.name);
    const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      std::vector<admpi::var> y(8);
      AMPI_Reduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      if (rank() == ranks() - 1) tape.stop();
      missing.call(x);
      tape.start();
      AMPI_Allreduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
      tape.seed(y[0]);
    });
    CAPTURE(text);
    CHECK(is_misfit(text, "Allreduce"));
    CHECK(has(text, rank() == ranks() - 1 ? "number 2 " : "number 3 "));
    CHECK(has(text, "not all members do"));
  }
}

TEST_CASE("test_checking_off_each_collective_tells") {
  // The same where the last call is any of them: those tell that something comes home to. A third rank would wait.
  if (ranks() != 2) return;
  for (const collective &last : all_collectives()) {
    CAPTURE(last.name);
    const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      std::vector<admpi::var> y(8);
      if (rank() == ranks() - 1) tape.stop();
      AMPI_Reduce(x.data(), y.data(), 8, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      tape.start();
      last.call(x);
    });
    CAPTURE(text);
    const bool is_last = rank() == ranks() - 1, is_root = rank() == 0;
    const bool from_root = last.name == "Gather" || last.name == "Reduce", to_root = last.name == "Bcast" || last.name == "Scatter";
    const bool downwards = last.name == "Scan" || last.name == "Exscan";
    const bool told = from_root ? is_last : to_root ? is_root : downwards ? !is_last : true;
    const std::string name = last.name == "Reduce_scatter_block" ? "Reduce_scatter" : last.name;
    if (told) CHECK(has(text, "reverses its " + name + ", recorded as collective number " + (is_last ? "1 " : "2 ")));
    if (from_root && is_last) CHECK(has(text, "another member its " + name + ", recorded as collective number 2 "));
  }
}

TEST_CASE("test_checking_off_neighbours_tell") {
  // All are neighbours of the one that has not recorded the first call.
  if (ranks() < 2 || ranks() > 3) return;
  const int ranks_of_ring = ranks(), periodic = 1;
  MPI_Comm ring;
  AMPI_Cart_create(MPI_COMM_WORLD, 1, &ranks_of_ring, &periodic, 0, &ring);
  using vars = std::vector<admpi::var>;
  const auto allgather = [&](vars &x, vars &y, int n) {
    AMPI_Neighbor_allgather(x.data(), n, AMPI_ADOUBLE, y.data(), n, AMPI_ADOUBLE, ring);
  };
  const auto alltoall = [&](vars &x, vars &y, int n) {
    AMPI_Neighbor_alltoall(x.data(), n, AMPI_ADOUBLE, y.data(), n, AMPI_ADOUBLE, ring);
  };
  const bool is_last = rank() == ranks() - 1;
  // The last is a message of several pieces in the second case.
  for (const int n : {2, 20000}) {
    for (const bool gathers : {true, false}) {
      CAPTURE(n);
      CAPTURE(gathers);
      const std::string text = found_in_sweep([&](admpi::tape &tape, vars &x) {
        x.resize(2 * static_cast<std::size_t>(n), x[0]);
        vars y(x.size());
        if (is_last) tape.stop();
        alltoall(x, y, n);
        tape.start();
        if (gathers)
          allgather(x, y, n);
        else
          alltoall(x, y, n);
        tape.seed(y[0]);
      }, ring);
      CAPTURE(text);
      const std::string name = gathers ? "Neighbor_allgather" : "Neighbor_alltoall";
      CHECK(has(text, "reverses its " + name + ", recorded as collective number " + (is_last ? "1 " : "2 ")));
      CHECK(has(text, "another member its " + name + ", recorded as collective number " + (is_last ? "2 " : "1 ")));
    }
  }
  AMPI_Comm_free(&ring);
}

TEST_CASE("test_checking_off_polling_tells") {
  // Each call has a tag, counted by those on record: where one is missing, a message of the same length is another call's.
  if (ranks() != 2) return;
  const int set = admpi_set_polling(1);
  const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
    std::vector<admpi::var> y(8);
    if (rank() == 1) tape.stop();
    AMPI_Reduce(x.data(), y.data(), 2, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    tape.start();
    AMPI_Gather(x.data(), 2, AMPI_ADOUBLE, y.data(), 2, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
  });
  admpi_set_polling(set);
  CAPTURE(text);
  if (rank() == 1) CHECK(has(text, "this rank reverses its Gather, and another member its Reduce: all members must record"));
}

TEST_CASE("test_checking_off_collectives_that_differ") {
  if (ranks() < 2) return;
  const bool is_last = rank() == ranks() - 1;
  const auto reduce = [](std::vector<admpi::var> &x, int n) {
    std::vector<admpi::var> y(8);
    AMPI_Reduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  };
  const std::string operation = found_in_sweep([&](admpi::tape &, std::vector<admpi::var> &x) {
    std::vector<admpi::var> y(2);
    AMPI_Allreduce(x.data(), y.data(), 2, AMPI_ADOUBLE, is_last ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
  });
  CAPTURE(operation);
  CHECK(is_misfit(operation, "Allreduce"));
  // Of two calls of another length each side has one: the message is shorter than the room, and longer.
  for (const int n : {2, 8}) {
    CAPTURE(n);
    const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      if (!is_last) tape.stop();
      reduce(x, n);
      tape.start();
      if (is_last) tape.stop();
      reduce(x, 5);
      tape.start();
    });
    CAPTURE(text);
    CHECK(has(text, "the adjoint of Reduce: ") == is_last);
    CHECK(has(text, "all members must record a collective") == is_last);
  }
  // Nothing to give, and a passive type: the others record the call, this rank does not.
  const std::string passive = found_in_sweep([&](admpi::tape &, std::vector<admpi::var> &x) {
    std::vector<int> counts(ranks(), 1), places(ranks());
    counts[ranks() - 1] = 0;
    for (int i = 0; i < ranks(); ++i) places[i] = i;
    std::vector<admpi::var> all(ranks());
    reduce(x, 1);
    AMPI_Gatherv(static_cast<void *>(x.data()), is_last ? 0 : 1, is_last ? MPI_BYTE : AMPI_ADOUBLE, all.data(), counts.data(),
                 places.data(), AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    reduce(x, 1);
  });
  CAPTURE(passive);
  CHECK(is_misfit(passive, "Reduce") == is_last);
}

TEST_CASE("test_checking_off_histories_may_differ") {
  // Only what is swept counts: what was recorded before, and forgotten or not, on one rank or another, does not.
  test::begin();
  admpi::tape tape;
  const auto reduce = [&](admpi::var &x) {
    admpi::var y;
    AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y;
  };
  if (rank() == 0) tape.start();
  admpi::var before = 3.0;
  if (rank() == 0) tape.input(before);
  for (int i = 0; i < 3; ++i) reduce(before);
  if (rank() == 0) tape.reset();
  tape.start();
  for (int i = 0; i < 3; ++i) {
    const auto bottom = tape.position();
    admpi::var x = 1.0 + rank();
    tape.input(x);
    admpi::var y = reduce(x);
    const auto middle = tape.position();
    y = reduce(y);
    tape.seed(y);
    // The upper part alone, and then what is below.
    tape.reverse(tape.position(), middle);
    tape.reverse(middle, bottom);
    CHECK(tape.adjoint(x) == ranks() * ranks());
    tape.reset();
  }
}

// The last one: what a rank has told another that did not come stays under way.
TEST_CASE("test_checking_a_rank_that_does_not_come") {
  // Rank 2 has nothing to do with the one that is waited for, but would wait for the one that waits.
  if (ranks() < 2) return;
  setenv("ADMPI_CHECK_SECONDS", "1", 1);
  const std::string text = outcome([](admpi::tape &, std::vector<admpi::var> &x) {
    double plain[3];
    if (rank() == 0) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 1, 8, MPI_COMM_WORLD);
    if (rank() == 1) MPI_Recv(plain, 3, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank() == 0 && ranks() > 2) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 2, 9, MPI_COMM_WORLD);
    if (rank() == 2) AMPI_Recv(x.data(), 3, AMPI_ADOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  unsetenv("ADMPI_CHECK_SECONDS");
  CAPTURE(text);
  if (rank() == 0 || rank() == 2) {
    CHECK(has(text, "rank 1 has not come to the comparison with rank 0, which has on record AMPI_Send"));
    CHECK(has(text, "if one end of a message uses MPI_DOUBLE and the other AMPI_ADOUBLE, the first records nothing"));
    CHECK(has(text, "AMPI_Send ("));
    CHECK(has(text, "tag 8"));
  } else {
    CHECK(text == "");
  }
}
