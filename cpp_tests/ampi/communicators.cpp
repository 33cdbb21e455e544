// Communicators: which ones carry active data, how long records live, and how few private ones there are.
#include "harness/identity.hpp"

#include <cstdlib>
#include <string>

using admpi::var;
using test::check_identity;
using test::rank_of;
using test::size_of;
using test::world;

namespace {

/// Runs a program on a communicator that `make` returns, which is freed before the sweep.
template <class Make>
void check_on(unsigned seed, const Make &make) {
  check_identity(4, seed, [&](auto mpi, auto &x) {
    MPI_Comm comm = make(mpi);
    auto y = x;
    if (comm == MPI_COMM_NULL) return y;
    const int me = rank_of(comm), count = size_of(comm);
    mpi.sendrecv(x.data(), 4, mpi.type(), (me + 1) % count, 0, y.data(), 4, mpi.type(), (me + count - 1) % count, 0,
                 comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; ++i) y[i] = y[i] * x[i];
    auto z = y;
    mpi.allreduce(y.data(), z.data(), 4, mpi.type(), mpi.operation(test::op::product), comm);
    mpi.bcast(z.data(), 2, mpi.type(), count - 1, comm);
    mpi.comm_free(&comm);
    CHECK(comm == MPI_COMM_NULL);
    for (int i = 0; i < 4; ++i) z[i] = sin(z[i]) + y[i];
    return z;
  });
}

/// How many private communicators the library has asked MPI for.
int splits = 0;

}  // namespace

extern "C" int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  ++splits;
  return PMPI_Comm_split(comm, color, key, made);
}

TEST_CASE("test_communicators_dup_freed_before_the_sweep") {
  check_on(1, [](auto mpi) {
    MPI_Comm comm;
    mpi.comm_dup(world, &comm);
    return comm;
  });
}

// What is made by a call that does not block carries active data once it is registered.
TEST_CASE("test_communicators_idup_with_info") {
  check_on(11, [](auto) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "admpi_test", "1");
    AMPI_Request request;
    CHECK(AMPI_Comm_idup_with_info(world, info, &comm, &request) == MPI_SUCCESS);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Info_free(&info);
    CHECK(AMPI_Comm_register(comm) == MPI_SUCCESS);
    return comm;
  });
}

TEST_CASE("test_communicators_split_freed_before_the_sweep") {
  check_on(2, [](auto mpi) {
    MPI_Comm comm;
    mpi.comm_split(world, rank_of(world) % 2, -rank_of(world), &comm);
    return comm;
  });
  check_on(3, [](auto mpi) {
    MPI_Comm comm;
    mpi.comm_split(world, rank_of(world) == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    return comm;
  });
}

TEST_CASE("test_communicators_create_freed_before_the_sweep") {
  check_on(4, [](auto mpi) {
    MPI_Group all, some;
    const int last[] = {size_of(world) - 1};
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, last, &some);
    MPI_Comm comm;
    mpi.comm_create(world, some, &comm);
    MPI_Group_free(&all);
    MPI_Group_free(&some);
    return comm;
  });
}

TEST_CASE("test_communicators_cart_freed_before_the_sweep") {
  check_on(5, [](auto mpi) {
    int dims[2] = {0, 0}, periods[2] = {1, 0};
    MPI_Dims_create(size_of(world), 2, dims);
    MPI_Comm comm;
    mpi.cart_create(world, 2, dims, periods, 1, &comm);
    return comm;
  });
  check_on(6, [](auto mpi) {
    int dims[2] = {0, 0}, periods[2] = {1, 0}, remain[2] = {1, 0};
    MPI_Dims_create(size_of(world), 2, dims);
    MPI_Comm grid, comm;
    mpi.cart_create(world, 2, dims, periods, 0, &grid);
    mpi.cart_sub(grid, remain, &comm);
    mpi.comm_free(&grid);
    return comm;
  });
}

TEST_CASE("test_communicators_cart_halo") {
  check_identity(6, 7, [](auto mpi, auto &x) {
    int dims[1] = {size_of(world)}, periods[1] = {0}, low = 0, high = 0;
    MPI_Comm line;
    mpi.cart_create(world, 1, dims, periods, 1, &line);
    MPI_Cart_shift(line, 0, 1, &low, &high);
    auto y = x;
    typename decltype(mpi)::request q[4];
    mpi.irecv(&y[0], 1, mpi.type(), low, 0, line, &q[0]);
    mpi.irecv(&y[5], 1, mpi.type(), high, 1, line, &q[1]);
    mpi.isend(&x[1], 1, mpi.type(), low, 1, line, &q[2]);
    mpi.isend(&x[4], 1, mpi.type(), high, 0, line, &q[3]);
    mpi.waitall(4, q, MPI_STATUSES_IGNORE);
    mpi.comm_free(&line);
    for (int i = 0; i < 6; ++i) y[i] = y[i] * x[(i + 1) % 6];
    return y;
  });
}

TEST_CASE("test_communicators_graphs_freed_before_the_sweep") {
  check_on(8, [](auto mpi) {
    std::vector<int> index, edges;
    const int count = size_of(world);
    for (int i = 0; i < count; ++i) {
      edges.push_back((i + 1) % count);
      edges.push_back((i + count - 1) % count);
      index.push_back(static_cast<int>(edges.size()));
    }
    MPI_Comm comm;
    mpi.graph_create(world, count, index.data(), edges.data(), 0, &comm);
    return comm;
  });
  check_on(9, [](auto mpi) {
    const int next[] = {(rank_of(world) + 1) % size_of(world)};
    const int before[] = {(rank_of(world) + size_of(world) - 1) % size_of(world)};
    MPI_Comm comm;
    mpi.dist_graph_create_adjacent(world, 1, before, MPI_UNWEIGHTED, 1, next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
    return comm;
  });
}

TEST_CASE("test_communicators_split_and_free_each_step") {
  // MPICH has 2046 communicators a process: the private ones must be reused. All steps are swept at the end.
  // With more ranks than cores a step takes milliseconds.
  test::begin();
  const int steps = size_of(world) <= 2 ? 2500 : size_of(world) <= 4 ? 200 : 60;
  test::recording_tape tape;
  var x = 1.0;
  tape.input(x);
  const var input = x;
  for (int step = 0; step < steps; ++step) {
    MPI_Comm comm;
    REQUIRE(AMPI_Comm_split(world, 0, step % 2 ? rank_of(world) : -rank_of(world), &comm) == MPI_SUCCESS);
    if (step % 50 == 0) {
      var sum;
      AMPI_Allreduce(&x, &sum, 1, AMPI_ADOUBLE, MPI_SUM, comm);
      x = sum * (1.0 / size_of(world));
      const int me = rank_of(comm), count = size_of(comm);
      AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, (me + 1) % count, 0, &sum, 1, AMPI_ADOUBLE, (me + count - 1) % count, 0,
                    comm, MPI_STATUS_IGNORE);
      x = 0.5 * (x + sum);
    }
    REQUIRE(AMPI_Comm_free(&comm) == MPI_SUCCESS);
  }
  tape.seed(x);
  tape.reverse();
  CHECK(tape.adjoint(input) == doctest::Approx(1.0).epsilon(1e-12));
}

TEST_CASE("test_communicators_that_some_ranks_hold_on_to") {
  // Persistent requests of some ranks keep private communicators from serving others. The ranks find those that none
  // of them needs, and make no more than were held at a time.
  test::begin();
  const int steps = 40, held = 3;
  std::vector<AMPI_Request> kept;
  const auto step = [&](int i) {
    MPI_Comm comm;
    AMPI_Comm_dup(world, &comm);
    const int me = rank_of(comm), count = size_of(comm);
    var x = 1.0 + i, y;
    if (i % 2 == 0 && static_cast<int>(kept.size()) < held && me == i / 2 % count) {
      kept.push_back(AMPI_REQUEST_NULL);
      AMPI_Send_init(&x, 1, AMPI_ADOUBLE, MPI_PROC_NULL, 0, comm, &kept.back());
    }
    test::recording_tape tape;
    tape.input(x);
    AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, (me + 1) % count, 0, &y, 1, AMPI_ADOUBLE, (me + count - 1) % count, 0, comm,
                  MPI_STATUS_IGNORE);
    AMPI_Comm_free(&comm);
    tape.seed(y, 3.0 + i);
    tape.reverse();
    CHECK(tape.adjoint(x) == 3.0 + i);
  };
  for (int i = 0; i < steps; ++i) step(i);
  const int before = splits;
  for (int i = 0; i < 2 * steps; ++i) step(2 * i + 1);
  CHECK(splits == before);
  for (AMPI_Request &q : kept) AMPI_Request_free(&q);
}

TEST_CASE("test_communicators_cost_of_one") {
  // Two for each level of nests and for sweeps outside of them, as docs/porting.md counts them.
  test::begin();
  const char *levels = std::getenv("ADMPI_NESTS");
  std::vector<MPI_Comm> comms(60);
  // The first ones are served by what other cases have left.
  for (int i = 0; i < 40; ++i) AMPI_Comm_dup(world, &comms[i]);
  const int before = splits;
  for (int i = 40; i < 60; ++i) AMPI_Comm_dup(world, &comms[i]);
  const int made = splits - before, each = 2 * (1 + (levels == nullptr ? 1 : std::atoi(levels)));
  CHECK(made == each * 20);
  for (MPI_Comm &comm : comms) AMPI_Comm_free(&comm);
}

TEST_CASE("test_communicators_freed_by_plain_mpi") {
  // The attribute tells the library. A message of the user is still under way when it happens.
  test::begin();
  for (int round = 0; round < 20; ++round) {
    test::recording_tape tape;
    var x = 1.0 + rank_of(world), y;
    tape.input(x);
    MPI_Comm comm;
    AMPI_Comm_dup(world, &comm);
    const int me = rank_of(comm), count = size_of(comm);
    AMPI_Request q[2];
    AMPI_Irecv(&y, 1, AMPI_ADOUBLE, (me + count - 1) % count, 0, comm, &q[0]);
    AMPI_Isend(&x, 1, AMPI_ADOUBLE, (me + 1) % count, 0, comm, &q[1]);
    MPI_Comm_free(&comm);
    // Another one, made while the message of the old one may still be open.
    MPI_Comm next;
    AMPI_Comm_dup(world, &next);
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    var sum;
    AMPI_Allreduce(&y, &sum, 1, AMPI_ADOUBLE, MPI_SUM, next);
    AMPI_Comm_free(&next);
    tape.seed(sum);
    tape.reverse();
    CHECK(tape.adjoint(x) == count);
  }
}

TEST_CASE("test_communicators_messages_open_over_free_and_reuse") {
  // The private communicator serves the next user while receives of the former one are still open: one order.
  check_identity(3, 10, [](auto mpi, auto &x) {
    const int me = rank_of(world), count = size_of(world);
    const int next = (me + 1) % count, before = (me + count - 1) % count;
    auto y = x;
    typename decltype(mpi)::request q[3], s[3];
    for (int i = 0; i < 3; ++i) {
      MPI_Comm comm;
      mpi.comm_dup(world, &comm);
      mpi.irecv(&y[i], 1, mpi.type(), before, 4, comm, &q[i]);
      mpi.isend(&x[i], 1, mpi.type(), next, 4, comm, &s[i]);
      mpi.comm_free(&comm);
    }
    for (const int i : {1, 2, 0}) {
      mpi.wait(&q[i], MPI_STATUS_IGNORE);
      y[i] = y[i] * x[i] * (1.0 + i);
    }
    mpi.waitall(3, s, MPI_STATUSES_IGNORE);
    return y;
  });
}

TEST_CASE("test_communicators_unknown_ones") {
  test::begin();
  MPI_Comm comm;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int me = rank_of(comm), count = size_of(comm);
  test::recording_tape tape;
  var x = 2.0, y;
  tape.input(x);
  // Point to point cannot make one, since only two ranks know of it.
  CHECK(AMPI_Send(&x, 1, AMPI_ADOUBLE, me, 0, comm) != MPI_SUCCESS);
  CHECK(std::string(admpi_last_error()).find("AMPI_Comm_register") != std::string::npos);
  AMPI_Request q = AMPI_REQUEST_NULL;
  CHECK(AMPI_Irecv(&y, 1, AMPI_ADOUBLE, me, 0, comm, &q) != MPI_SUCCESS);
  CHECK(q == AMPI_REQUEST_NULL);
  // A blocking collective can.
  CHECK(AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, comm) == MPI_SUCCESS);
  var z;
  CHECK(AMPI_Sendrecv(&y, 1, AMPI_ADOUBLE, (me + 1) % count, 0, &z, 1, AMPI_ADOUBLE, (me + count - 1) % count, 0,
                      comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  tape.seed(z);
  tape.reverse();
  CHECK(tape.adjoint(x) == count);
  MPI_Comm_free(&comm);

  MPI_Comm_dup(world, &comm);
  CHECK(AMPI_Comm_register(comm) == MPI_SUCCESS);
  CHECK(AMPI_Comm_register(comm) == MPI_SUCCESS);
  CHECK(AMPI_Send(&x, 1, AMPI_ADOUBLE, MPI_PROC_NULL, 0, comm) == MPI_SUCCESS);
  AMPI_Comm_free(&comm);
}

TEST_CASE("test_communicators_without_an_order_are_refused") {
  test::begin();
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_allow_overtaking", "true");
  MPI_Comm comm;
  CHECK(AMPI_Comm_dup_with_info(world, info, &comm) == MPI_SUCCESS);
  MPI_Info_free(&info);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  // An MPI that does not know the assertion drops it, and keeps order.
  MPI_Info set;
  MPI_Comm_get_info(comm, &set);
  char text[16] = "";
  int known = 0;
  MPI_Info_get(set, "mpi_assert_allow_overtaking", 15, text, &known);
  MPI_Info_free(&set);
  test::recording_tape tape;
  var x = 1.0, y;
  tape.input(x);
  const int code = AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, rank_of(comm), 0, &y, 1, AMPI_ADOUBLE, rank_of(comm), 0, comm,
                                 MPI_STATUS_IGNORE);
  CHECK((code != MPI_SUCCESS) == (known != 0 && std::string(text) == "true"));
  AMPI_Comm_free(&comm);
}

TEST_CASE("test_communicators_user_attributes_are_not_copied") {
  test::begin();
  static int copies = 0;
  int keyval;
  MPI_Comm_create_keyval(
      [](MPI_Comm, int, void *, void *, void *, int *flag) {
        ++copies;
        *flag = 0;
        return MPI_SUCCESS;
      },
      MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm comm;
  MPI_Comm_split(world, 0, 0, &comm);
  MPI_Comm_set_attr(comm, keyval, nullptr);
  CHECK(AMPI_Comm_register(comm) == MPI_SUCCESS);
  CHECK(copies == 0);
  AMPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
}
