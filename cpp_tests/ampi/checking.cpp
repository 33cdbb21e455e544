// Checking across ranks: what would hang a sweep, or lose a derivative, is an error that names it.
#define ADMPI_SOURCE_LINES
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ampi/checking.hpp"

using namespace check_tests;

namespace {

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
    AMPI_Request request;
    AMPI_Ibcast(x.data(), 4, AMPI_ADOUBLE, 0, MPI_COMM_WORLD, &request);
    AMPI_Wait(&request, AMPI_STATUS_IGNORE);
  };
  admpi_set_polling(rank() == 0);
  const std::string text = outcome(program);
  CAPTURE(text);
  if (ranks() == 1) {
    CHECK(text == "");
  } else {
    CHECK(has(text, "collective number 1: the adjoint of AMPI_Ibcast (" __FILE__));
    CHECK(has(text, "travels point to point on rank 0 and by a collective on rank 1: set ADMPI_POLLING"));
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
  test::recording_tape tape;
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
    test::recording_tape one;
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
      test::recording_tape two;
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
  test::recording_tape tape;
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
