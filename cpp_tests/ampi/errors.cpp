// Errors: which, by which name, through which handler; and arguments that make no sense.
#include "harness/helpers.hpp"
#include "harness/identity.hpp"

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>
#include <string>

using admpi::var;
using test::rank_of;
using test::text_of;

namespace {

/// Collects what is raised on a communicator.
struct catcher {
  static inline int raised = 0;
  static inline int last = 0;
  MPI_Comm comm;
  MPI_Errhandler handler;

  static void collect(MPI_Comm *, int *code, ...) {
    ++raised;
    last = *code;
  }

  explicit catcher(MPI_Comm on) : comm(on) {
    MPI_Comm_create_errhandler(&collect, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    raised = 0;
  }
  ~catcher() {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
  }
};

void throw_text(MPI_Comm *, int *code, ...) { throw std::runtime_error(text_of(*code)); }

/// The call failed, its error was raised once on the communicator, and its text begins with the call's name.
void check_raised(int code, const std::string &call, const std::string &part) {
  INFO(call, ": ", text_of(code));
  CHECK(code != MPI_SUCCESS);
  CHECK(catcher::raised == 1);
  CHECK(catcher::last == code);
  CHECK(text_of(code).find(call + ": ") == 0);
  CHECK(text_of(code).find(part) != std::string::npos);
  CHECK(std::string(admpi_last_error()).find(call + ": ") == 0);
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  CHECK(error_class > MPI_ERR_LASTCODE % 1000000);
  catcher::raised = 0;
}

/// A tape that records, on a communicator of our own.
struct stage {
  MPI_Comm comm = MPI_COMM_NULL;
  admpi::tape tape;
  int rank = 0, size = 1;
  var x[4] = {1.0, 2.0, 3.0, 4.0}, y[4];

  stage() {
    test::begin();
    AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    rank = rank_of(comm);
    size = test::size_of(comm);
    tape.start();
    tape.input(x, 4);
  }
  ~stage() { AMPI_Comm_free(&comm); }
};

}  // namespace

// The first in the program: what the library keeps from call to call is still empty. A rank without neighbours does so.
TEST_CASE("test_errors_no_request_and_then_one") {
  stage at;
  CHECK(AMPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  for (int k = 0; k < 2; ++k) {
    const double sent = 5.0 + k;
    double received = 0.0;
    AMPI_Request send, receive;
    AMPI_Irecv(&received, 1, MPI_DOUBLE, at.rank, 3, at.comm, &receive);
    AMPI_Isend(&sent, 1, MPI_DOUBLE, at.rank, 3, at.comm, &send);
    int done = 0, index = -1;
    MPI_Status status;
    if ((at.rank + k) % 2 == 0) REQUIRE(AMPI_Waitsome(1, &receive, &done, &index, &status) == MPI_SUCCESS);
    while (done == 0) REQUIRE(AMPI_Testsome(1, &receive, &done, &index, &status) == MPI_SUCCESS);
    CHECK(done == 1);
    CHECK(index == 0);
    CHECK(status.MPI_TAG == 3);
    CHECK(received == sent);
    AMPI_Wait(&send, MPI_STATUS_IGNORE);
  }
}

TEST_CASE("test_errors_counts_and_buffers") {
  stage at;
  const catcher handler(at.comm);
  const int me = at.rank;
  check_raised(AMPI_Send(at.x, -1, AMPI_ADOUBLE, me, 0, at.comm), "AMPI_Send", "count = -1");
  check_raised(AMPI_Send(nullptr, 4, AMPI_ADOUBLE, me, 0, at.comm), "AMPI_Send", "NULL");
  check_raised(AMPI_Recv(at.y, -7, AMPI_ADOUBLE, me, 0, at.comm, MPI_STATUS_IGNORE), "AMPI_Recv", "count = -7");
  check_raised(AMPI_Recv(nullptr, 1, AMPI_ADOUBLE, me, 0, at.comm, MPI_STATUS_IGNORE), "AMPI_Recv", "NULL");
  AMPI_Request q = AMPI_REQUEST_NULL;
  check_raised(AMPI_Isend(at.x, -1, AMPI_ADOUBLE, me, 0, at.comm, &q), "AMPI_Isend", "count = -1");
  check_raised(AMPI_Irecv(at.y, -1, AMPI_ADOUBLE, me, 0, at.comm, &q), "AMPI_Irecv", "count = -1");
  CHECK(q == AMPI_REQUEST_NULL);
  check_raised(AMPI_Isend(at.x, 1, AMPI_ADOUBLE, me, 0, at.comm, nullptr), "AMPI_Isend", "request is NULL");
  check_raised(AMPI_Irecv(at.y, 1, AMPI_ADOUBLE, me, 0, at.comm, nullptr), "AMPI_Irecv", "request is NULL");
  check_raised(AMPI_Sendrecv(at.x, -2, AMPI_ADOUBLE, me, 0, at.y, 1, AMPI_ADOUBLE, me, 0, at.comm, MPI_STATUS_IGNORE),
               "AMPI_Sendrecv", "sendbuf: count = -2");
  check_raised(AMPI_Sendrecv(at.x, 1, AMPI_ADOUBLE, me, 0, at.y, -2, AMPI_ADOUBLE, me, 0, at.comm, MPI_STATUS_IGNORE),
               "AMPI_Sendrecv", "recvbuf: count = -2");
  check_raised(AMPI_Bcast(at.x, -1, AMPI_ADOUBLE, 0, at.comm), "AMPI_Bcast", "count = -1");
  check_raised(AMPI_Reduce(at.x, at.y, -1, AMPI_ADOUBLE, MPI_SUM, 0, at.comm), "AMPI_Reduce", "count = -1");
  check_raised(AMPI_Allreduce(at.x, nullptr, 1, AMPI_ADOUBLE, MPI_SUM, at.comm), "AMPI_Allreduce", "recvbuf");
  check_raised(AMPI_Gather(at.x, -1, AMPI_ADOUBLE, at.y, 1, AMPI_ADOUBLE, at.rank, at.comm), "AMPI_Gather", "sendbuf");
  check_raised(AMPI_Scatter(at.x, 1, AMPI_ADOUBLE, at.y, -1, AMPI_ADOUBLE, at.rank, at.comm), "AMPI_Scatter",
               "recvbuf");
  check_raised(AMPI_Allgather(at.x, 1, AMPI_ADOUBLE, at.y, -1, AMPI_ADOUBLE, at.comm), "AMPI_Allgather", "recvbuf");
}

TEST_CASE("test_errors_requests_and_types_that_are_null") {
  stage at;
  const catcher handler(at.comm);
  check_raised(AMPI_Ibarrier(at.comm, nullptr), "AMPI_Ibarrier", "request is NULL");
  MPI_Comm made = MPI_COMM_NULL;
  check_raised(AMPI_Comm_idup(at.comm, &made, nullptr), "AMPI_Comm_idup", "request is NULL");
  check_raised(AMPI_Comm_idup_with_info(at.comm, MPI_INFO_NULL, &made, nullptr), "AMPI_Comm_idup_with_info", "request is NULL");
  check_raised(AMPI_Barrier_init(at.comm, MPI_INFO_NULL, nullptr), "AMPI_Barrier_init", "request is NULL");
  const auto refused = [](int code, int expected, const std::string &text) {
    CHECK(code == expected);
    CHECK(std::string(admpi_last_error()) == text);
  };
  MPI_Datatype type = MPI_DATATYPE_NULL;
  refused(admpi_detail_pair_type(AMPI_ADOUBLE, -24, &type), ADMPI_ERR_ARGUMENT,
          "admpi_detail_pair_type: extent = -24, but a part and an int take 20 bytes");
  refused(admpi_detail_pair_type(AMPI_ADOUBLE, 16, &type), ADMPI_ERR_ARGUMENT,
          "admpi_detail_pair_type: extent = 16, but a part and an int take 20 bytes");
  refused(admpi_detail_pair_type(MPI_DATATYPE_NULL, 24, &type), ADMPI_ERR_ARGUMENT, "admpi_detail_pair_type: part is MPI_DATATYPE_NULL");
  refused(admpi_detail_bundle_parts_type(MPI_DATATYPE_NULL, 2, &type), ADMPI_ERR_ARGUMENT,
          "admpi_detail_bundle_parts_type: part is MPI_DATATYPE_NULL");
  refused(admpi_detail_bundle_parts_type(MPI_DOUBLE, 0, &type), ADMPI_ERR_ARGUMENT,
          "admpi_detail_bundle_parts_type: parts = 0, below 1");
  CHECK(type == MPI_DATATYPE_NULL);
  check_raised(admpi_detail_check_buffer("AMPI_Send", 7, AMPI_ADOUBLE, at.comm), "AMPI_Send", "content = 7");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  double x[8] = {};
  CHECK(AMPI_Neighbor_allgather(x, 1, MPI_DOUBLE, x, 1, MPI_DOUBLE, MPI_COMM_NULL) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("test_errors_that_are_returned_are_not_printed") {
  stage at;
  MPI_Comm_set_errhandler(at.comm, MPI_ERRORS_RETURN);
  CHECK(test::standard_error_of([&] { AMPI_Send(at.x, -1, AMPI_ADOUBLE, at.rank, 0, at.comm); }) == "");
  MPI_Comm_set_errhandler(at.comm, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("test_errors_functions_that_begin_are_exported") {
  for (const char *name : {"AMPI_Init", "AMPI_Init_thread", "admpi_init"}) CHECK(dlsym(RTLD_DEFAULT, name) != nullptr);
  // As Fortran and Rust call it: by the symbol.
  int (*init)(MPI_Comm) = nullptr;
  void *symbol = dlsym(RTLD_DEFAULT, "admpi_init");
  std::memcpy(&init, &symbol, sizeof init);
  CHECK(init(MPI_COMM_WORLD) == ADMPI_SUCCESS);
}

TEST_CASE("test_errors_active_and_passive_together") {
  stage at;
  const catcher handler(at.comm);
  const int me = at.rank;
  void *plain = at.y;
  check_raised(AMPI_Sendrecv(static_cast<void *>(at.x), 1, AMPI_ADOUBLE, me, 0, plain, 1, MPI_DOUBLE, me, 0, at.comm,
                             MPI_STATUS_IGNORE),
               "AMPI_Sendrecv", "both must be");
  check_raised(AMPI_Sendrecv(static_cast<void *>(at.x), 1, AMPI_ADOUBLE, me, 0, plain, 1, MPI_DOUBLE, me, 0, at.comm,
                             MPI_STATUS_IGNORE),
               "AMPI_Sendrecv", "use AMPI_Irecv, AMPI_Send and AMPI_Wait");
  check_raised(AMPI_Allgather(static_cast<void *>(at.x), 1, MPI_DOUBLE, plain, 1, AMPI_ADOUBLE, at.comm),
               "AMPI_Allgather", "both must be");
  check_raised(AMPI_Gather(static_cast<void *>(at.x), 1, AMPI_ADOUBLE, plain, 1, MPI_DOUBLE, at.rank, at.comm),
               "AMPI_Gather", "both must be");
  check_raised(AMPI_Scatter(static_cast<void *>(at.x), 1, MPI_DOUBLE, plain, 1, AMPI_ADOUBLE, at.rank, at.comm),
               "AMPI_Scatter", "both must be");
}

TEST_CASE("test_errors_typed_buffers_under_the_wrong_datatype") {
  stage at;
  const catcher handler(at.comm);
  double plain[4] = {};
  check_raised(AMPI_Send(at.x, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, at.comm), "AMPI_Send", "admpi::var");
  check_raised(AMPI_Send(plain, 4, AMPI_ADOUBLE, MPI_PROC_NULL, 0, at.comm), "AMPI_Send", "admpi::var");
  check_raised(AMPI_Allreduce(MPI_IN_PLACE, at.x, 4, MPI_DOUBLE, MPI_SUM, at.comm), "AMPI_Allreduce", "admpi::var");
}

TEST_CASE("test_errors_packing_names_the_cure") {
  stage at;
  const catcher handler(at.comm);
  char packed[200];
  int position = 0, bytes = 0, size = 0;
  MPI_Pack_size(4, AMPI_ADOUBLE, at.comm, &size);
  check_raised(AMPI_Pack(at.x, 4, AMPI_ADOUBLE, packed, size, &position, at.comm), "AMPI_Pack", "AMPI_Pack_size");
  check_raised(AMPI_Pack(at.x, 4, MPI_DOUBLE, packed, 200, &position, at.comm), "AMPI_Pack", "admpi::var");
  CHECK(position == 0);
  REQUIRE(AMPI_Pack_size(4, AMPI_ADOUBLE, at.comm, &bytes) == MPI_SUCCESS);
  REQUIRE(AMPI_Pack(at.x, 4, AMPI_ADOUBLE, packed, bytes, &position, at.comm) == MPI_SUCCESS);
  CHECK(position <= bytes);
  position = 0;
  double plain[4];
  check_raised(AMPI_Unpack(packed, bytes, &position, plain, 4, MPI_DOUBLE, at.comm), "AMPI_Unpack", "AMPI_ADOUBLE");
  check_raised(AMPI_Unpack(packed, bytes, &position, at.y, 5, AMPI_ADOUBLE, at.comm), "AMPI_Unpack", "outcount");
  check_raised(AMPI_Unpack(packed, bytes - 1, &position, at.y, 4, AMPI_ADOUBLE, at.comm), "AMPI_Unpack", "cut");
  packed[100] ^= 1;
  check_raised(AMPI_Unpack(packed, bytes, &position, at.y, 4, AMPI_ADOUBLE, at.comm), "AMPI_Unpack", "overwritten");
  CHECK(position == 0);
}

TEST_CASE("test_errors_packed_values_of_another_process") {
  stage at;
  const catcher handler(at.comm);
  if (at.size == 1) return;
  char packed[200] = {};
  int position = 0;
  if (at.rank == 0) AMPI_Pack(at.x, 4, AMPI_ADOUBLE, packed, 200, &position, at.comm);
  // By a call that knows nothing of ids.
  MPI_Bcast(packed, 200, MPI_PACKED, 0, at.comm);
  position = 0;
  if (at.rank == 0) {
    CHECK(AMPI_Unpack(packed, 200, &position, at.y, 4, AMPI_ADOUBLE, at.comm) == MPI_SUCCESS);
  } else {
    check_raised(AMPI_Unpack(packed, 200, &position, at.y, 4, AMPI_ADOUBLE, at.comm), "AMPI_Unpack", "another process");
    check_raised(AMPI_Send(packed, 200, MPI_PACKED, at.rank, 0, at.comm), "AMPI_Send", "another process");
  }
}

TEST_CASE("test_errors_operations") {
  stage at;
  const catcher handler(at.comm);
  check_raised(AMPI_Allreduce(at.x, at.y, 1, AMPI_ADOUBLE, MPI_LAND, at.comm), "AMPI_Allreduce", "op");
  check_raised(AMPI_Reduce(at.x, at.y, 1, AMPI_ADOUBLE, MPI_BXOR, 0, at.comm), "AMPI_Reduce", "op");
  MPI_Op own;
  MPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 1, &own);
  check_raised(AMPI_Allreduce(at.x, at.y, 1, AMPI_ADOUBLE, own, at.comm), "AMPI_Allreduce", "op");
  MPI_Op_free(&own);
}

TEST_CASE("test_errors_in_place_off_the_root") {
  stage at;
  const catcher handler(at.comm);
  const int other = (at.rank + 1) % at.size;
  if (at.size == 1) return;
  check_raised(AMPI_Gather(MPI_IN_PLACE, 1, AMPI_ADOUBLE, at.y, 1, AMPI_ADOUBLE, other, at.comm), "AMPI_Gather",
               "MPI_IN_PLACE");
  check_raised(AMPI_Scatter(at.x, 1, AMPI_ADOUBLE, MPI_IN_PLACE, 1, AMPI_ADOUBLE, other, at.comm), "AMPI_Scatter",
               "MPI_IN_PLACE");
  check_raised(AMPI_Reduce(MPI_IN_PLACE, at.y, 1, AMPI_ADOUBLE, MPI_SUM, other, at.comm), "AMPI_Reduce",
               "MPI_IN_PLACE");
}

TEST_CASE("test_errors_lengths_that_disagree") {
  stage at;
  const catcher handler(at.comm);
  std::vector<var> all(8 * at.size);
  check_raised(AMPI_Gather(at.x, 2, AMPI_ADOUBLE, all.data(), 3, AMPI_ADOUBLE, at.rank, at.comm), "AMPI_Gather",
               "must agree");
  check_raised(AMPI_Allgather(at.x, 2, AMPI_ADOUBLE, all.data(), 3, AMPI_ADOUBLE, at.comm), "AMPI_Allgather",
               "must agree");
}

TEST_CASE("test_errors_requests") {
  stage at;
  const catcher handler(at.comm), world(MPI_COMM_WORLD);
  const int me = at.rank;
  AMPI_Request send, receive;
  AMPI_Irecv(at.y, 4, AMPI_ADOUBLE, me, 0, at.comm, &receive);
  check_raised(AMPI_Request_free(&receive), "AMPI_Request_free", "receives active data");
  CHECK(receive != AMPI_REQUEST_NULL);
  AMPI_Isend(at.x, 4, AMPI_ADOUBLE, me, 0, at.comm, &send);
  check_raised(AMPI_Cancel(&send), "AMPI_Cancel", "cannot be cancelled");
  const AMPI_Request copy = receive;
  AMPI_Wait(&receive, MPI_STATUS_IGNORE);
  AMPI_Wait(&send, MPI_STATUS_IGNORE);
  AMPI_Request stale = copy;
  check_raised(AMPI_Wait(&stale, MPI_STATUS_IGNORE), "AMPI_Wait", "completed already");
  check_raised(AMPI_Waitall(1, &stale, MPI_STATUSES_IGNORE), "AMPI_Waitall", "completed already");

  check_raised(AMPI_Wait(nullptr, MPI_STATUS_IGNORE), "AMPI_Wait", "request is NULL");
  check_raised(AMPI_Waitall(-1, &send, MPI_STATUSES_IGNORE), "AMPI_Waitall", "count = -1");
  check_raised(AMPI_Waitall(2, nullptr, MPI_STATUSES_IGNORE), "AMPI_Waitall", "requests is NULL");
  check_raised(AMPI_Request_free(nullptr), "AMPI_Request_free", "request is NULL");
  check_raised(AMPI_Request_free(&send), "AMPI_Request_free", "AMPI_REQUEST_NULL");
  check_raised(AMPI_Cancel(nullptr), "AMPI_Cancel", "request is NULL");
  int flag = 0, index = 0;
  check_raised(AMPI_Test(&send, nullptr, MPI_STATUS_IGNORE), "AMPI_Test", "flag is NULL");
  check_raised(AMPI_Test(nullptr, &flag, MPI_STATUS_IGNORE), "AMPI_Test", "request is NULL");
  check_raised(AMPI_Testall(1, &send, nullptr, MPI_STATUSES_IGNORE), "AMPI_Testall", "flag is NULL");
  check_raised(AMPI_Waitany(1, &send, nullptr, MPI_STATUS_IGNORE), "AMPI_Waitany", "index is NULL");
  check_raised(AMPI_Testany(1, &send, &index, nullptr, MPI_STATUS_IGNORE), "AMPI_Testany", "flag is NULL");
  check_raised(AMPI_Waitsome(1, &send, nullptr, &index, MPI_STATUSES_IGNORE), "AMPI_Waitsome", "outcount is NULL");
  check_raised(AMPI_Testsome(1, &send, &flag, nullptr, MPI_STATUSES_IGNORE), "AMPI_Testsome", "indices is NULL");
  check_raised(AMPI_Request_get_status(send, nullptr, MPI_STATUS_IGNORE), "AMPI_Request_get_status", "flag is NULL");

  CHECK(AMPI_Wait(&send, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(AMPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(AMPI_Request_get_status(AMPI_REQUEST_NULL, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(flag == 1);
}

TEST_CASE("test_errors_one_request_twice_in_an_array") {
  stage at;
  const catcher handler(at.comm), world(MPI_COMM_WORLD);
  const int me = at.rank;
  const std::string why = "request[1] and request[3] are the same request";
  double one = 0.0;
  const double two = 2.0;
  AMPI_Request q[5] = {AMPI_REQUEST_NULL, AMPI_REQUEST_NULL, AMPI_REQUEST_NULL, AMPI_REQUEST_NULL, AMPI_REQUEST_NULL};
  AMPI_Irecv(&one, 1, MPI_DOUBLE, me, 0, at.comm, &q[0]);
  AMPI_Irecv(at.y, 4, AMPI_ADOUBLE, me, 1, at.comm, &q[1]);
  AMPI_Isend(&two, 1, MPI_DOUBLE, me, 0, at.comm, &q[2]);
  AMPI_Isend(at.x, 4, AMPI_ADOUBLE, me, 1, at.comm, &q[4]);
  q[3] = q[1];
  int n = 0, flag = 0, indices[5];
  check_raised(AMPI_Waitall(5, q, MPI_STATUSES_IGNORE), "AMPI_Waitall", why);
  check_raised(AMPI_Testall(5, q, &flag, MPI_STATUSES_IGNORE), "AMPI_Testall", why);
  check_raised(AMPI_Waitany(5, q, &n, MPI_STATUS_IGNORE), "AMPI_Waitany", why);
  check_raised(AMPI_Testany(5, q, &n, &flag, MPI_STATUS_IGNORE), "AMPI_Testany", why);
  check_raised(AMPI_Waitsome(5, q, &n, indices, MPI_STATUSES_IGNORE), "AMPI_Waitsome", why);
  check_raised(AMPI_Testsome(5, q, &n, indices, MPI_STATUSES_IGNORE), "AMPI_Testsome", why);
  check_raised(AMPI_Startall(5, q), "AMPI_Startall", why);
  // Nothing has happened to them.
  q[3] = AMPI_REQUEST_NULL;
  CHECK(AMPI_Waitall(5, q, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(one == 2.0);
  CHECK(at.y[3].value == 4.0);
  CHECK(at.y[3].id != 0);
}

// As of a thread that only communicates. What it sends would have no derivative.
TEST_CASE("test_errors_values_of_a_tape_on_a_thread_that_has_none") {
  stage at;
  MPI_Comm alone, ring;
  AMPI_Comm_dup(MPI_COMM_SELF, &alone);
  const int dim = 1, periodic = 1;
  AMPI_Cart_create(MPI_COMM_SELF, 1, &dim, &periodic, 0, &ring);
  AMPI_Request q = AMPI_REQUEST_NULL, again;
  AMPI_Send_init(at.x, 4, AMPI_ADOUBLE, 0, 0, alone, &again);
  MPI_Op sum, known;
  AMPI_Op_create([](void *a, void *b, int *n, MPI_Datatype *) {
    for (int i = 0; i < *n; ++i) static_cast<var *>(b)[i] += static_cast<var *>(a)[i];
  }, 1, &sum);
  AMPI_Op_create_adjoint([](void *, void *, int *, MPI_Datatype *) {},
                         [](const double *, const double *, const double *, double *, double *, int, int) {}, 1, &known);
  MPI_Win fenced, locked;
  AMPI_Win_create(at.y, sizeof at.y, sizeof(var), MPI_INFO_NULL, alone, &fenced);
  AMPI_Win_create(at.y, sizeof at.y, sizeof(var), MPI_INFO_NULL, alone, &locked);
  for (const MPI_Comm comm : {alone, ring}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (const MPI_Win win : {fenced, locked}) MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  AMPI_Win_fence(0, fenced);
  AMPI_Win_lock(MPI_LOCK_SHARED, 0, 0, locked);
  admpi_tape *own = nullptr;
  REQUIRE(admpi_tape_activate(nullptr, &own) == ADMPI_SUCCESS);

  const auto refused = [](int code) {
    INFO(text_of(code));
    CHECK(code != MPI_SUCCESS);
    CHECK(text_of(code).find("the calling thread has no tape") != std::string::npos);
  };
  var *x = at.x, *y = at.y;
  const MPI_Datatype t = AMPI_ADOUBLE;
  refused(AMPI_Send(x, 1, t, 0, 0, alone));
  refused(AMPI_Isend(x, 4, t, 0, 0, alone, &q));
  refused(AMPI_Start(&again));
  refused(AMPI_Bcast(x, 4, t, 0, alone));
  refused(AMPI_Reduce(x, y, 4, t, MPI_SUM, 0, alone));
  refused(AMPI_Allreduce(x, y, 4, t, MPI_PROD, alone));
  refused(AMPI_Allreduce(x, y, 4, t, MPI_MAX, alone));
  refused(AMPI_Allreduce(MPI_IN_PLACE, x, 4, t, MPI_SUM, alone));
  refused(AMPI_Allreduce(x, y, 4, t, sum, alone));
  refused(AMPI_Scan(x, y, 4, t, MPI_SUM, alone));
  refused(AMPI_Reduce_scatter_block(x, y, 4, t, MPI_SUM, alone));
  refused(AMPI_Gather(x, 4, t, y, 4, t, 0, alone));
  refused(AMPI_Gather(MPI_IN_PLACE, 0, t, x, 4, t, 0, alone));
  refused(AMPI_Scatter(x, 4, t, y, 4, t, 0, alone));
  refused(AMPI_Allgather(x, 4, t, y, 4, t, alone));
  refused(AMPI_Allgather(MPI_IN_PLACE, 0, t, x, 4, t, alone));
  refused(AMPI_Alltoall(x, 4, t, y, 4, t, alone));
  refused(AMPI_Iallreduce(x, y, 4, t, MPI_SUM, alone, &q));
  refused(AMPI_Neighbor_allgather(x, 2, t, y, 2, t, ring));
  refused(AMPI_Neighbor_alltoall(x, 2, t, y, 2, t, ring));
  refused(AMPI_Reduce_local(x, y, 4, t, MPI_SUM));
  refused(AMPI_Reduce_local(x, y, 4, t, known));
  refused(AMPI_Put(x, 4, t, 0, 0, 4, t, fenced));
  refused(AMPI_Accumulate(x, 4, t, 0, 0, 4, t, MPI_SUM, locked));
  // Plain values are no reason.
  for (int i = 0; i < 4; ++i) y[i] = 1.0;
  CHECK(AMPI_Allreduce(y, y + 2, 1, t, MPI_SUM, alone) == MPI_SUCCESS);

  REQUIRE(admpi_tape_activate(own, nullptr) == ADMPI_SUCCESS);
  at.tape.seed(at.x[0]);
  CHECK_THROWS_AS(at.tape.reverse(), admpi::no_tape_error);
  at.tape.reset();
  at.tape.input(at.x, 4);
  // Nor are those of a tape that does not record.
  at.tape.stop();
  REQUIRE(admpi_tape_activate(nullptr, nullptr) == ADMPI_SUCCESS);
  CHECK(AMPI_Allreduce(x, y, 4, t, MPI_SUM, alone) == MPI_SUCCESS);
  CHECK(y[3].value == 4.0);
  CHECK(AMPI_Reduce_local(x, y, 4, t, MPI_SUM) == MPI_SUCCESS);
  REQUIRE(admpi_tape_activate(own, nullptr) == ADMPI_SUCCESS);

  AMPI_Win_unlock(0, locked);
  AMPI_Win_fence(0, fenced);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  AMPI_Win_free(&locked);
  AMPI_Win_free(&fenced);
  AMPI_Op_free(&known);
  AMPI_Op_free(&sum);
  AMPI_Request_free(&again);
  AMPI_Comm_free(&ring);
  AMPI_Comm_free(&alone);
}

#if HANDLED_ERRORS_ARE_RETURNED
TEST_CASE("test_errors_truncation_is_raised_by_mpi_once") {
  stage at;
  const catcher handler(at.comm), world(MPI_COMM_WORLD);
  AMPI_Request send, receive;
  for (int i = 0; i < 4; ++i) at.y[i] = 7.0 * at.x[i];
  AMPI_Isend(at.x, 4, AMPI_ADOUBLE, at.rank, 0, at.comm, &send);
  AMPI_Irecv(at.y, 2, AMPI_ADOUBLE, at.rank, 0, at.comm, &receive);
  const auto events = at.tape.statistics().events;
  CHECK(AMPI_Wait(&receive, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  CHECK(catcher::raised == 1);
  AMPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK(at.tape.statistics().events == events);
  // What the message has overwritten has no derivative, the rest is as it was.
  for (int i = 0; i < 4; ++i) CHECK((at.y[i].id == 0) == (i < 2));
  CHECK(at.y[2].value == 21.0);
  // What was not received is no obstacle for what follows.
  AMPI_Irecv(at.y, 4, AMPI_ADOUBLE, at.rank, 1, at.comm, &receive);
  AMPI_Isend(at.x, 4, AMPI_ADOUBLE, at.rank, 1, at.comm, &send);
  CHECK(AMPI_Wait(&receive, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(AMPI_Wait(&send, MPI_STATUS_IGNORE) == MPI_SUCCESS);
}
#endif

#ifdef OPEN_MPI
// MPICH ends a program of one rank that sends itself such a message by an assertion of its own.
TEST_CASE("test_errors_part_of_a_double_has_no_derivative") {
  stage at;
  const catcher handler(at.comm), world(MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) at.y[i] = 7.0 * at.x[i];
  const auto events = at.tape.statistics().events;
  const char bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  MPI_Request send;
  MPI_Isend(bytes, 12, MPI_BYTE, at.rank, 0, at.comm, &send);
  AMPI_Recv(at.y, 4, AMPI_ADOUBLE, at.rank, 0, at.comm, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  CHECK(at.tape.statistics().events == events);
  for (const var &y : at.y) CHECK(y.id == 0);
}
#endif

TEST_CASE("test_errors_in_some_of_waitall") {
  stage at;
  const catcher handler(at.comm), world(MPI_COMM_WORLD);
  // The same by plain MPI tells what this MPI makes of it: Open MPI 4.1 says nothing.
  double plain[2];
  const double sent[2] = {1.0, 2.0};
  MPI_Request r[4];
  MPI_Irecv(&plain[0], 1, MPI_DOUBLE, at.rank, 0, at.comm, &r[0]);
  MPI_Irecv(&plain[1], 1, MPI_DOUBLE, at.rank, 1, at.comm, &r[1]);
  MPI_Isend(sent, 1, MPI_DOUBLE, at.rank, 0, at.comm, &r[2]);
  MPI_Isend(sent, 2, MPI_DOUBLE, at.rank, 1, at.comm, &r[3]);  // too long
  MPI_Status expected[4], statuses[4];
  const int code = MPI_Waitall(4, r, expected);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);

  AMPI_Request q[4];
  AMPI_Irecv(&at.y[0], 1, AMPI_ADOUBLE, at.rank, 0, at.comm, &q[0]);
  AMPI_Irecv(&at.y[1], 1, AMPI_ADOUBLE, at.rank, 1, at.comm, &q[1]);
  AMPI_Isend(&at.x[0], 1, AMPI_ADOUBLE, at.rank, 0, at.comm, &q[2]);
  AMPI_Isend(&at.x[0], 2, AMPI_ADOUBLE, at.rank, 1, at.comm, &q[3]);
  CHECK(AMPI_Waitall(4, q, statuses) == code);
  if (code == MPI_ERR_IN_STATUS) {
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
    CHECK(statuses[1].MPI_ERROR != MPI_SUCCESS);
    CHECK(q[0] == AMPI_REQUEST_NULL);
    CHECK(at.y[1].id == 0);
  }
  CHECK(AMPI_Waitall(4, q, statuses) == MPI_SUCCESS);
  CHECK(at.y[0].value == 1.0);
  CHECK(at.y[0].id != 0);
}

TEST_CASE("test_errors_leave_by_exception_from_the_handler") {
  // The handler runs as the last act of a call: what it throws arrives, and the library goes on working.
  stage at;
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(&throw_text, &handler);
  MPI_Comm_set_errhandler(at.comm, handler);
  CHECK_THROWS_AS(AMPI_Send(at.x, -1, AMPI_ADOUBLE, at.rank, 0, at.comm), std::runtime_error);
  CHECK_THROWS_AS(AMPI_Allreduce(at.x, at.y, 1, AMPI_ADOUBLE, MPI_LAND, at.comm), std::runtime_error);
  CHECK(AMPI_Allreduce(at.x, at.y, 1, AMPI_ADOUBLE, MPI_SUM, at.comm) == MPI_SUCCESS);
  MPI_Errhandler_free(&handler);
}

TEST_CASE("test_errors_are_classes_and_codes_of_their_own") {
  stage at;
  const catcher handler(at.comm);
  const int wrong_count = AMPI_Send(at.x, -1, AMPI_ADOUBLE, at.rank, 0, at.comm);
  const int wrong_op = AMPI_Allreduce(at.x, at.y, 1, AMPI_ADOUBLE, MPI_LAND, at.comm);
  int count_class = 0, op_class = 0;
  MPI_Error_class(wrong_count, &count_class);
  MPI_Error_class(wrong_op, &op_class);
  CHECK(count_class != op_class);
  CHECK(text_of(count_class).find("admpi") == 0);
  // The text of a code is that of its latest error.
  const int again = AMPI_Recv(at.y, -9, AMPI_ADOUBLE, at.rank, 0, at.comm, MPI_STATUS_IGNORE);
  CHECK(again == wrong_count);
  CHECK(text_of(again).find("AMPI_Recv: ") == 0);
}

TEST_CASE("test_errors_requests_of_fortran") {
  stage at;
  AMPI_Request q[3];
  std::vector<MPI_Fint> numbers;
  for (AMPI_Request &one : q) AMPI_Irecv(at.y, 1, AMPI_ADOUBLE, MPI_PROC_NULL, 0, at.comm, &one);
  for (const AMPI_Request one : q) {
    numbers.push_back(AMPI_Request_c2f(one));
    CHECK(AMPI_Request_c2f(one) == numbers.back());
    CHECK(AMPI_Request_f2c(numbers.back()) == one);
  }
  CHECK(numbers[0] != numbers[1]);
  CHECK(numbers[1] != numbers[2]);
  CHECK(AMPI_Request_c2f(AMPI_REQUEST_NULL) == 0);
  CHECK(AMPI_Request_f2c(0) == AMPI_REQUEST_NULL);
  CHECK(AMPI_Request_f2c(-5) == AMPI_REQUEST_NULL);
  CHECK(AMPI_Request_f2c(1 << 20) == AMPI_REQUEST_NULL);
  AMPI_Waitall(3, q, MPI_STATUSES_IGNORE);
  for (const MPI_Fint number : numbers) CHECK(AMPI_Request_f2c(number) == AMPI_REQUEST_NULL);
}

TEST_CASE("test_errors_of_the_tape_are_raised_too") {
  // A tape that may not grow: the values arrive, their record does not.
  stage at;
  const catcher handler(at.comm);
  const int n = 100000;
  std::vector<var> big(n), sum(n);
  // Ids in no order need a list.
  for (int k = 0; k < n; ++k) big[k] = at.x[k % 2];
  at.tape.set_limit(at.tape.statistics().committed_bytes + 4000000);
  int code = MPI_SUCCESS;
  for (int i = 0; i < 1000 && code == MPI_SUCCESS; ++i) {
    sum[7] = 0.0;
    code = AMPI_Allreduce(big.data(), sum.data(), n, AMPI_ADOUBLE, MPI_SUM, at.comm);
  }
  check_raised(code, "AMPI_Allreduce", "limit");
  CHECK(sum[7].value == at.size * big[7].value);
  CHECK(sum[7].id == 0);
}

TEST_CASE("test_errors_init_and_finalize_arguments") {
  test::begin();
  const catcher world(MPI_COMM_WORLD);
  CHECK(admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS);
  CHECK(admpi_init(MPI_COMM_NULL) == ADMPI_ERR_ARGUMENT);
  CHECK(admpi_detail_init(MPI_COMM_WORLD, nullptr) == ADMPI_ERR_NULL);
  CHECK(admpi_tape_abandon_sweep(nullptr, MPI_COMM_WORLD) == ADMPI_ERR_NULL);
}
