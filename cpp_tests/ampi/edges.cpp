// Sweeps that stop, call back or nest while adjoints are under way, and arguments that MPI would refuse.

#include <admpi.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "harness/identity.hpp"

namespace {

using admpi::var;
using test::rank_of;
using test::size_of;
using test::text_of;

/// More messages to one rank than the library keeps under way at once, each too long for MPI to buffer.
constexpr int many = 300;
constexpr int length = 20000;

/// Rank 1 sends `many` long messages to rank 0, which returns a sum of what came.
var flood(std::vector<var> &x, MPI_Comm comm) {
  const int rank = rank_of(comm);
  var sum = 0.0;
  std::vector<var> y(length);
  for (int i = 0; i < many; ++i) {
    if (rank == 1) AMPI_Send(x.data(), length, AMPI_ADOUBLE, 0, 3, comm);
    if (rank == 0) {
      AMPI_Recv(y.data(), length, AMPI_ADOUBLE, 1, 3, comm, MPI_STATUS_IGNORE);
      sum += y[i];
    }
  }
  return sum;
}

/// Lets rank 0 sweep ahead until its queue is full: nobody takes what it sends.
void be_late() {
  if (rank_of(MPI_COMM_WORLD) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

/// Errors come back as codes while it lives.
struct returning {
  MPI_Comm comm;
  MPI_Errhandler before;
  explicit returning(MPI_Comm c) : comm(c) {
    MPI_Comm_get_errhandler(comm, &before);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~returning() {
    MPI_Comm_set_errhandler(comm, before);
    MPI_Errhandler_free(&before);
  }
};

void check_refused(int code, const std::string &call) {
  CHECK(code != MPI_SUCCESS);
  if (code != MPI_SUCCESS) CHECK(text_of(code).substr(0, call.size() + 1) == call + ":");
}

}  // namespace

TEST_CASE("test_edges_a_part_of_a_sweep_leaves_nothing_that_only_it_can_send") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) return;
  admpi::tape tape;
  const admpi_position bottom = tape.position();
  tape.start();
  std::vector<var> x(length, 1.0);
  tape.input(x);
  const admpi_position below = tape.position();
  const var sum = flood(x, MPI_COMM_WORLD);
  if (rank == 0) tape.seed(sum);
  be_late();
  tape.reverse(tape.position(), below);
  // Rank 0 needs nothing back; rank 1 comes here when all its adjoints have arrived.
  MPI_Barrier(MPI_COMM_WORLD);
  tape.reverse(below, bottom);
  if (rank == 1)
    for (int i = 0; i < length; ++i) REQUIRE(tape.adjoint(x[i]) == (i < many ? 1.0 : 0.0));
}

TEST_CASE("test_edges_callbacks_may_communicate") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) return;
  test::recording_tape tape;
  std::vector<var> x(length, 1.0);
  tape.input(x);
  // Twice the sum over the ranks, by plain MPI in both directions.
  double total = 0.0;
  MPI_Allreduce(&x[0].value, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  var doubled;
  const double value = 2.0 * total;
  tape.callback(x.data(), 1, &value, 1, &doubled, [](const admpi::callback_adjoints &a) {
    double sum = 0.0;
    MPI_Allreduce(a.out_adjoint, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    a.in_adjoint[0] = 2.0 * sum;
  });
  const var sum = flood(x, MPI_COMM_WORLD);
  tape.seed(doubled);
  if (rank == 0) tape.seed(sum);
  be_late();
  tape.reverse();
  CHECK(tape.adjoint(x[0]) == 2.0 * size_of(MPI_COMM_WORLD) + (rank == 1 ? 1.0 : 0.0));
}

TEST_CASE("test_edges_the_first_product_below_a_full_queue") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  if (size < 2) return;
  // A group of its own, so that no other test has swept a product on its private communicator.
  MPI_Comm comm;
  AMPI_Comm_split(MPI_COMM_WORLD, 0, (rank + size - 1) % size, &comm);
  test::recording_tape tape;
  std::vector<var> x(length, 2.0);
  tape.input(x);
  // Rank 0 of all, whose adjoint goes out without waiting for anybody.
  const int root = size - 1;
  var product;
  AMPI_Reduce(x.data(), &product, 1, AMPI_ADOUBLE, MPI_PROD, root, comm);
  const var sum = flood(x, MPI_COMM_WORLD);
  if (rank == 0) {
    tape.seed(product);
    tape.seed(sum);
  }
  be_late();
  tape.reverse();
  CHECK(tape.adjoint(x[0]) == std::pow(2.0, size - 1) + (rank == 1 ? 1.0 : 0.0));
  AMPI_Comm_free(&comm);
}

namespace {

/// Two messages of one channel from rank 1 to rank 0, completed in the other order; `between` runs there
/// between the completions, and at the same place of rank 1.
template <class Between>
void crossed(std::vector<var> &x, std::vector<var> &y, const Between &between) {
  const int rank = rank_of(MPI_COMM_WORLD);
  AMPI_Request q[2];
  if (rank == 1)
    for (int i = 0; i < 2; ++i) AMPI_Isend(&x[i], 1, AMPI_ADOUBLE, 0, 5, MPI_COMM_WORLD, &q[i]);
  if (rank == 0)
    for (int i = 0; i < 2; ++i) AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, 1, 5, MPI_COMM_WORLD, &q[i]);
  if (rank < 2) AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
  between();
  if (rank < 2) AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
}

/// 3 y0 + 7 y1 on rank 0 are what rank 1 sent.
void check_crossed(admpi::tape &tape, const std::vector<var> &x) {
  if (rank_of(MPI_COMM_WORLD) == 1) {
    CHECK(tape.adjoint(x[0]) == 3.0);
    CHECK(tape.adjoint(x[1]) == 7.0);
  }
}

}  // namespace

TEST_CASE("test_edges_a_nest_in_a_callback_leaves_held_adjoints_alone") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  if (size < 2) return;
  for (const bool with_messages : {false, true}) {
    CAPTURE(with_messages);
    test::recording_tape tape;
    std::vector<var> x = {1.5, 2.5}, y(2), z;
    tape.input(x);
    y = x;
    // A checkpoint: recorded and swept anew in every sweep, twice.
    const auto checkpoint = [&tape, with_messages, rank, size](const admpi::callback_adjoints &a) {
      for (int part = 0; part < 2; ++part) {
        admpi::nested nest;
        tape.start();
        std::vector<var> u = {1.5 + part};
        tape.input(u);
        var v = u[0] * u[0];
        if (with_messages)
          AMPI_Sendrecv(u.data(), 1, AMPI_ADOUBLE, (rank + 1) % size, 6, &v, 1, AMPI_ADOUBLE, (rank + size - 1) % size, 6,
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        tape.seed(v, a.out_adjoint[0]);
        tape.reverse();
        a.in_adjoint[0] += tape.adjoint(u[0]);
      }
    };
    crossed(x, y, [&] { z = tape.callback({x[0]}, {2.25}, checkpoint); });
    tape.seed(z[0], 0.0);
    if (rank == 0) {
      tape.seed(y[0], 3.0);
      tape.seed(y[1], 7.0);
    }
    tape.reverse();
    check_crossed(tape, x);
  }
}

TEST_CASE("test_edges_memory_behind_a_part_of_a_sweep_may_be_released") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) return;
  for (const bool nest_between : {false, true}) {
    CAPTURE(nest_between);
    admpi::tape tape;
    const admpi_position bottom = tape.position();
    tape.start();
    std::vector<var> x = {1.5, 2.5}, y(2);
    tape.input(x);
    y = x;
    admpi_position middle{};
    crossed(x, y, [&] { middle = tape.position(); });
    if (rank == 0) {
      tape.seed(y[0], 3.0);
      tape.seed(y[1], 7.0);
    }
    tape.reverse(tape.position(), middle);
    if (nest_between) {
      admpi::nested nest;
    } else {
      tape.reset_to(middle);
    }
    tape.reverse(middle, bottom);
    check_crossed(tape, x);
  }
}

TEST_CASE("test_edges_a_sweep_given_up_with_contributions_under_way") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Comm comm;
  AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int round = 0; round < 2; ++round) {
    test::recording_tape tape;
    std::vector<var> x(3, 1.0 + rank), y;
    tape.input(x);
    const admpi_position below = tape.position();
    y = x;
    AMPI_Bcast(y.data(), 3, AMPI_ADOUBLE, 0, comm);
    for (const var &v : y) tape.seed(v);
    // The leaves have sent their part of the sum; the root has not asked for it.
    if (rank != 0) tape.reverse(tape.position(), below);
    REQUIRE(admpi_tape_abandon_sweep(tape.handle(), comm) == ADMPI_SUCCESS);
    tape.clear_adjoints();
    for (const var &v : y) tape.seed(v);
    tape.reverse();
    CHECK(tape.adjoint(x[0]) == (rank == 0 ? size : 0.0));
  }
  AMPI_Comm_free(&comm);
}

namespace {

void add(void *left, void *right, int *n, MPI_Datatype *) {
  for (int i = 0; i < *n; ++i) static_cast<var *>(right)[i] += static_cast<var *>(left)[i];
}

}  // namespace

TEST_CASE("test_edges_a_sweep_given_up_with_sends_under_way") {
  // To the ranks of two communicators, and between members of one, as a user's operation does.
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  if (size < 2) return;
  MPI_Comm comms[2];
  for (MPI_Comm &comm : comms) AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Op operation;
  AMPI_Op_create(&add, 1, &operation);
  for (const bool among_members : {false, true}) {
    CAPTURE(among_members);
    test::recording_tape tape;
    std::vector<var> x(length, 1.0), y(length), z(length);
    tape.input(x);
    const admpi_position below = tape.position();
    if (among_members) {
      AMPI_Reduce(x.data(), y.data(), length, AMPI_ADOUBLE, operation, 0, comms[0]);
      AMPI_Reduce(x.data(), z.data(), length, AMPI_ADOUBLE, operation, 0, comms[1]);
    } else {
      for (int i = 0; i < 2; ++i) {
        std::vector<var> &to = i == 0 ? y : z;
        if (rank == 1) AMPI_Send(x.data(), length, AMPI_ADOUBLE, 0, 3, comms[i]);
        if (rank == 0) AMPI_Recv(to.data(), length, AMPI_ADOUBLE, 1, 3, comms[i], MPI_STATUS_IGNORE);
      }
    }
    const auto seed = [&] {
      if (rank == 0) tape.seed(y[7], 3.0);
      if (rank == 0) tape.seed(z[7], 5.0);
    };
    seed();
    // Rank 0 has sent adjoints for which the others have not asked.
    if (rank == 0) tape.reverse(tape.position(), below);
    for (const MPI_Comm comm : comms) REQUIRE(admpi_tape_abandon_sweep(tape.handle(), comm) == ADMPI_SUCCESS);
    tape.clear_adjoints();
    seed();
    tape.reverse();
    CHECK(tape.adjoint(x[7]) == (rank == 1 || among_members ? 8.0 : 0.0));
    CHECK(tape.adjoint(x[8]) == 0.0);
  }
  AMPI_Op_free(&operation);
  for (MPI_Comm &comm : comms) AMPI_Comm_free(&comm);
}

TEST_CASE("test_edges_an_operation_of_the_user_while_neighbours_exchange") {
  // The adjoints of both travel between the members.
  test::begin();
  const int size = size_of(MPI_COMM_WORLD), periodic = 1;
  MPI_Comm ring;
  AMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Op operation;
  AMPI_Op_create(&add, 1, &operation);
  test::recording_tape tape;
  std::vector<var> x = {1.0, 2.0, 3.0}, y(2);
  var sum;
  tape.input(x);
  AMPI_Request request;
  AMPI_Ineighbor_alltoall(x.data(), 1, AMPI_ADOUBLE, y.data(), 1, AMPI_ADOUBLE, ring, &request);
  AMPI_Reduce(&x[2], &sum, 1, AMPI_ADOUBLE, operation, 0, ring);
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  tape.seed(y[0], 2.0);
  tape.seed(y[1], 3.0);
  if (rank_of(ring) == 0) tape.seed(sum, 7.0);
  tape.reverse();
  CHECK(tape.adjoint(x[0]) + tape.adjoint(x[1]) == 5.0);
  CHECK(tape.adjoint(x[2]) == 7.0);
  AMPI_Op_free(&operation);
  AMPI_Comm_free(&ring);
}

TEST_CASE("test_edges_a_tape_freed_with_adjoints_under_way") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  if (size_of(MPI_COMM_WORLD) < 2) return;
  std::vector<var> x(length, 1.0);
  {
    test::recording_tape tape;
    tape.input(x);
    const admpi_position below = tape.position();
    const var sum = flood(x, MPI_COMM_WORLD);
    if (rank == 0) {
      tape.seed(sum);
      tape.reverse(tape.position(), below);
    } else {
      // Rank 0 has left and freed its tape when this begins.
      MPI_Recv(nullptr, 0, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      tape.reverse();
      if (rank == 1)
        for (int i = 0; i < length; ++i) REQUIRE(tape.adjoint(x[i]) == (i < many ? 1.0 : 0.0));
    }
  }
  if (rank == 0)
    for (int r = 1; r < size_of(MPI_COMM_WORLD); ++r) MPI_Send(nullptr, 0, MPI_INT, r, 4, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("test_edges_no_items_of_an_active_type_count_as_a_member") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Datatype none;
  MPI_Type_contiguous(0, AMPI_ADOUBLE, &none);
  MPI_Type_commit(&none);
  for (int root = 0; root < size; ++root) {
    CAPTURE(root);
    test::recording_tape tape;
    std::vector<var> x(1, 1.0 + rank), y(1), z(1);
    tape.input(x);
    AMPI_Allreduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const auto events = tape.statistics().events;
    AMPI_Bcast(z.data(), rank == root ? 0 : 3, rank == root ? AMPI_ADOUBLE : none, root, MPI_COMM_WORLD);
    CHECK(tape.statistics().events == events + 1);
    AMPI_Allreduce(y.data(), z.data(), 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    tape.seed_replicated(z[0], MPI_COMM_WORLD);
    tape.reverse();
    CHECK(tape.adjoint(x[0]) == size);
  }
  MPI_Type_free(&none);
}

TEST_CASE("test_edges_mpi_in_place_where_it_does_not_belong") {
  test::begin();
  MPI_Comm comm;
  AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  {
    returning errors(comm);
    for (const bool recording : {false, true}) {
      CAPTURE(recording);
      admpi::tape tape;
      if (recording) tape.start();
      var x = 1.0;
      AMPI_Request request = AMPI_REQUEST_NULL;
      const int me = rank_of(comm);
      check_refused(AMPI_Send(MPI_IN_PLACE, 1, AMPI_ADOUBLE, me, 0, comm), "AMPI_Send");
      check_refused(AMPI_Recv(MPI_IN_PLACE, 1, AMPI_ADOUBLE, me, 0, comm, MPI_STATUS_IGNORE), "AMPI_Recv");
      check_refused(AMPI_Isend(MPI_IN_PLACE, 1, AMPI_ADOUBLE, me, 0, comm, &request), "AMPI_Isend");
      check_refused(AMPI_Irecv(MPI_IN_PLACE, 1, AMPI_ADOUBLE, me, 0, comm, &request), "AMPI_Irecv");
      check_refused(AMPI_Bcast(MPI_IN_PLACE, 1, AMPI_ADOUBLE, 0, comm), "AMPI_Bcast");
      check_refused(AMPI_Allreduce(&x, MPI_IN_PLACE, 1, AMPI_ADOUBLE, MPI_SUM, comm), "AMPI_Allreduce");
      check_refused(AMPI_Allgather(&x, 1, AMPI_ADOUBLE, MPI_IN_PLACE, 1, AMPI_ADOUBLE, comm), "AMPI_Allgather");
      CHECK(request == AMPI_REQUEST_NULL);
    }
  }
  AMPI_Comm_free(&comm);
}

TEST_CASE("test_edges_no_place_for_a_handle") {
  test::begin();
  returning errors(MPI_COMM_WORLD);
  double x = 1.0;
  const int me = rank_of(MPI_COMM_WORLD);
  check_refused(AMPI_Isend(&x, 1, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, nullptr), "AMPI_Isend");
  check_refused(AMPI_Irecv(&x, 1, MPI_DOUBLE, me, 0, MPI_COMM_WORLD, nullptr), "AMPI_Irecv");
  check_refused(AMPI_Comm_free(nullptr), "AMPI_Comm_free");
}

// One that the library does not know, which only matters to a tape that records.
TEST_CASE("test_edges_collectives_of_active_data_on_an_intercommunicator") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  if (size < 2) return;
  MPI_Comm half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
  {
    returning errors(inter);
    admpi::tape tape;
    std::vector<var> x(2, 1.0 + rank), y(16, 0.5);
    CHECK(AMPI_Allreduce(x.data(), y.data(), 2, AMPI_ADOUBLE, MPI_SUM, inter) == MPI_SUCCESS);
    tape.start();
    check_refused(AMPI_Send(x.data(), 1, AMPI_ADOUBLE, 0, 1, inter), "AMPI_Send");
    CHECK(std::string(admpi_last_error()).find("AMPI_Comm_register") != std::string::npos);
    check_refused(AMPI_Allreduce(x.data(), y.data(), 2, AMPI_ADOUBLE, MPI_SUM, inter), "AMPI_Allreduce");
    check_refused(AMPI_Allgather(x.data(), 2, AMPI_ADOUBLE, y.data(), 2, AMPI_ADOUBLE, inter), "AMPI_Allgather");
    const int root = rank == 0 ? MPI_ROOT : rank % 2 == 0 ? MPI_PROC_NULL : 0;
    if (root != MPI_PROC_NULL) {  // takes no part in what follows
      check_refused(AMPI_Bcast(x.data(), 2, AMPI_ADOUBLE, root, inter), "AMPI_Bcast");
      check_refused(AMPI_Reduce(x.data(), y.data(), 2, AMPI_ADOUBLE, MPI_SUM, root, inter), "AMPI_Reduce");
      check_refused(AMPI_Gather(x.data(), 2, AMPI_ADOUBLE, y.data(), 2, AMPI_ADOUBLE, root, inter), "AMPI_Gather");
      check_refused(AMPI_Scatter(y.data(), 2, AMPI_ADOUBLE, x.data(), 2, AMPI_ADOUBLE, root, inter), "AMPI_Scatter");
    }
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

namespace {

/// The message that completing `request` gives, or none.
std::string text_of_wait(AMPI_Request &request) {
  const int code = AMPI_Wait(&request, MPI_STATUS_IGNORE);
  return code == MPI_SUCCESS ? "" : text_of(code);
}

}  // namespace

TEST_CASE("test_edges_a_collective_whose_start_has_been_forgotten") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int n = 100;
  MPI_Comm comm;
  AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int how = 0; how < 3; ++how) {
    CAPTURE(how);
    test::recording_tape tape;
    std::vector<var> x(n, 1.0 + rank), y(n, 0.0), z(n, 0.0);
    AMPI_Request request;
    const admpi_position bottom = tape.position();
    {
      std::unique_ptr<admpi::nested> nest;
      if (how == 2) nest = std::make_unique<admpi::nested>();
      tape.input(x);
      AMPI_Iallreduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_MAX, comm, &request);
    }
    if (how == 0) tape.reset();
    if (how == 1) tape.reset_to(bottom);
    std::vector<var> u(n, 2.0);
    tape.input(u);
    AMPI_Allreduce(u.data(), z.data(), n, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(text_of_wait(request).find("has removed the start of the request") != std::string::npos);
    CHECK(request == AMPI_REQUEST_NULL);
    // Its values have come, and are passive; what is on the tape is as it was.
    CHECK(value(y[n - 1]) == size);
    CHECK(y[n - 1].id == 0);
    for (const var &v : z) tape.seed(v);
    tape.reverse();
    CHECK(tape.adjoint(u[n - 1]) == size);
  }
  AMPI_Comm_free(&comm);
}

TEST_CASE("test_edges_parts_of_nothing_may_have_any_type") {
  // Alltoallw with neighbours only: the other parts have no items, and a type that says nothing.
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (const bool nonblocking : {false, true}) {
    CAPTURE(nonblocking);
    test::recording_tape tape;
    std::vector<var> x(2, 1.0 + rank), y(2);
    tape.input(x);
    const std::vector<int> displs(size, 0);
    std::vector<int> out(size, 0), in(size, 0);
    std::vector<MPI_Datatype> outtypes(size, MPI_BYTE), intypes(size, MPI_INT);
    out[right] = in[left] = 2;
    outtypes[right] = intypes[left] = AMPI_ADOUBLE;
    if (nonblocking) {
      AMPI_Request request;
      AMPI_Ialltoallw(x.data(), out.data(), displs.data(), outtypes.data(), y.data(), in.data(), displs.data(),
                      intypes.data(), MPI_COMM_WORLD, &request);
      AMPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      AMPI_Alltoallw(x.data(), out.data(), displs.data(), outtypes.data(), y.data(), in.data(), displs.data(),
                     intypes.data(), MPI_COMM_WORLD);
    }
    CHECK(value(y[1]) == 1.0 + left);
    tape.seed(y[1], 2.0 + rank);
    tape.reverse();
    CHECK(tape.adjoint(x[0]) == 0.0);
    CHECK(tape.adjoint(x[1]) == 2.0 + right);
  }
}

TEST_CASE("test_edges_half_of_an_exchange_of_nothing_may_have_any_type") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  test::recording_tape tape;
  std::vector<var> x(2, 1.0 + rank), y(2), z(2);
  tape.input(x);
  // Nobody at the other end.
  int count = -1, numbers[5] = {1, 2, 3, 4, 5};
  MPI_Status status;
  AMPI_Request q[2];
  AMPI_Irecv(y.data(), 2, AMPI_ADOUBLE, left, 1, MPI_COMM_WORLD, &q[0]);
  AMPI_Sendrecv(x.data(), 2, AMPI_ADOUBLE, right, 1, numbers, 5, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 0);
  CHECK(numbers[4] == 5);
  AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  AMPI_Isend(x.data(), 2, AMPI_ADOUBLE, right, 4, MPI_COMM_WORLD, &q[0]);
  AMPI_Sendrecv(numbers, 5, MPI_INT, MPI_PROC_NULL, 4, y.data(), 2, AMPI_ADOUBLE, left, 4, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, AMPI_ADOUBLE, &count);
  CHECK(count == 2);
  AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  // No items.
  AMPI_Irecv(z.data(), 2, AMPI_ADOUBLE, rank, 2, MPI_COMM_WORLD, &q[0]);
  AMPI_Isend(numbers, 0, MPI_INT, rank, 3, MPI_COMM_WORLD, &q[1]);
  AMPI_Sendrecv(x.data(), 2, AMPI_ADOUBLE, rank, 2, numbers, 0, MPI_BYTE, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  CHECK(value(y[1]) == 1.0 + left);
  CHECK(value(z[0]) == 1.0 + rank);
  tape.seed(y[1], 2.0 + rank);
  tape.seed(z[0], 7.0);
  tape.reverse();
  CHECK(tape.adjoint(x[0]) == 7.0);
  CHECK(tape.adjoint(x[1]) == 2.0 + right);
}

TEST_CASE("test_edges_a_sweep_that_waits_to_go_on_is_not_cut_short") {
  // An adjoint is held back, or a collective has started, when the first part of the sweep ends: dropping them, or going
  // on in another number of directions, would leave other ranks waiting.
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (const bool collective : {false, true}) {
    for (const bool in_nest : {false, true}) {
      CAPTURE(collective);
      CAPTURE(in_nest);
      test::recording_tape tape;
      const admpi_position start = tape.position();
      std::unique_ptr<admpi::nested> nest;
      if (in_nest) nest = std::make_unique<admpi::nested>();
      const admpi_position bottom = tape.position();
      std::vector<var> x = {1.5, 2.5}, y(2);
      tape.input(x);
      AMPI_Request q[2], s[2];
      admpi_position middle{};
      if (collective) {
        AMPI_Iallreduce(x.data(), y.data(), 2, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[0]);
        middle = tape.position();
        AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
      } else {
        for (int i = 0; i < 2; ++i) AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, left, 0, MPI_COMM_WORLD, &q[i]);
        for (int i = 0; i < 2; ++i) AMPI_Isend(&x[i], 1, AMPI_ADOUBLE, right, 0, MPI_COMM_WORLD, &s[i]);
        AMPI_Waitall(2, s, MPI_STATUSES_IGNORE);
        AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
        middle = tape.position();
        AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
      }
      tape.seed(y[0], 3.0);
      tape.seed(y[1], 7.0);
      tape.reverse(tape.position(), middle);

      const auto refuses = [](int code, const char *call) {
        const std::string text = admpi_last_error();
        CAPTURE(text);
        CHECK(code == ADMPI_ERR_RANGE);
        CHECK(text.find(call) == 0);
        CHECK(text.find("admpi_tape_abandon_sweep") != std::string::npos);
      };
      refuses(admpi_tape_set_width(tape.handle(), 4), "width = 4: ");
      CHECK(admpi_tape_set_width(tape.handle(), 1) == ADMPI_SUCCESS);
      if (in_nest) {
        CHECK_THROWS_AS(nest->recover(), admpi::error);
      } else {
        refuses(admpi_tape_reset(tape.handle()), "reset: ");
        refuses(admpi_tape_reset_to(tape.handle(), &start), "reset_to: ");
      }
      // What lies above is not needed any more.
      CHECK(admpi_tape_reset_to(tape.handle(), &middle) == ADMPI_SUCCESS);
      tape.reverse(middle, bottom);
      const double n = collective ? size : 1;
      CHECK(tape.adjoint(x[0]) == 3.0 * n);
      CHECK(tape.adjoint(x[1]) == 7.0 * n);
      if (in_nest) CHECK_NOTHROW(nest->recover());
      CHECK(admpi_tape_set_width(tape.handle(), 4) == ADMPI_SUCCESS);
      CHECK(admpi_tape_reset(tape.handle()) == ADMPI_SUCCESS);
    }
  }
}

TEST_CASE("test_edges_a_sweep_is_given_up_before_a_reset") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  admpi::tape tape;
  for (int again = 0; again < 3; ++again) {
    tape.start();
    std::vector<var> x = {1.5, 2.5}, y(2);
    tape.input(x);
    AMPI_Request q[2], s[2];
    for (int i = 0; i < 2; ++i) AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, left, 0, MPI_COMM_WORLD, &q[i]);
    for (int i = 0; i < 2; ++i) AMPI_Isend(&x[i], 1, AMPI_ADOUBLE, right, 0, MPI_COMM_WORLD, &s[i]);
    AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
    const admpi_position middle = tape.position();
    AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
    AMPI_Waitall(2, s, MPI_STATUSES_IGNORE);
    tape.seed(y[0], 3.0 + again);
    tape.seed(y[1], 7.0 + again);
    if (again < 2) {
      tape.reverse(tape.position(), middle);
      REQUIRE(admpi_tape_abandon_sweep(tape.handle(), MPI_COMM_WORLD) == ADMPI_SUCCESS);
    } else {
      tape.reverse();
      CHECK(tape.adjoint(x[0]) == 5.0);
      CHECK(tape.adjoint(x[1]) == 9.0);
    }
    CHECK_NOTHROW(tape.reset());
  }
}
