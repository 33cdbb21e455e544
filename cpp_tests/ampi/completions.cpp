// Every call that completes, on arrays of requests of all kinds, also of none.
#include <functional>
#include <random>

#include "harness/identity.hpp"

using admpi::var;

namespace {

enum class kind { null, plain, active, idle_plain, idle_active, started_plain, started_active, barrier };

bool is_active(kind of) { return of == kind::active || of == kind::idle_active || of == kind::started_active; }

/// A request and what the standard says of it.
struct slot {
  kind of = kind::null;
  bool pending = false, persistent = false;
  double number = 0.0, plain_sent = 0.0, plain = 0.0;
  var sent, received;
  AMPI_Request sending = AMPI_REQUEST_NULL;
};

/// Random requests for messages of this rank to itself, completed by random calls.
class random_completions {
  std::mt19937 numbers;
  MPI_Comm comm;
  int me;
  std::vector<slot> slots;
  std::vector<AMPI_Request> requests;

  int below(int n) { return static_cast<int>(numbers() % static_cast<unsigned>(n)); }

  void begin(int i) {
    slot &at = slots[static_cast<std::size_t>(i)];
    AMPI_Request *request = &requests[static_cast<std::size_t>(i)];
    void *to = is_active(at.of) ? static_cast<void *>(&at.received) : &at.plain;
    void *from = is_active(at.of) ? static_cast<void *>(&at.sent) : &at.plain_sent;
    const MPI_Datatype type = is_active(at.of) ? AMPI_ADOUBLE : MPI_DOUBLE;
    at.persistent = at.of != kind::plain && at.of != kind::active && at.of != kind::null && at.of != kind::barrier;
    at.pending = at.of != kind::null && at.of != kind::idle_plain && at.of != kind::idle_active;
    if (at.of == kind::barrier)
      AMPI_Ibarrier(MPI_COMM_SELF, request);
    else if (at.persistent)
      AMPI_Recv_init(to, 1, type, me, i, comm, request);
    else if (at.pending)
      AMPI_Irecv(to, 1, type, me, i, comm, request);
    if (at.persistent && at.pending) AMPI_Start(request);
    if (at.pending && at.of != kind::barrier) AMPI_Isend(from, 1, type, me, i, comm, &at.sending);
  }

  void check_complete(int i, const MPI_Status *status) {
    slot &at = slots[static_cast<std::size_t>(i)];
    CHECK(at.pending);
    at.pending = false;
    if (at.of != kind::barrier) {
      CHECK((is_active(at.of) ? at.received.value : at.plain) == at.number);
      if (status != MPI_STATUS_IGNORE) CHECK(status->MPI_TAG == i);
      if (status != MPI_STATUS_IGNORE) CHECK(status->MPI_SOURCE == me);
    }
    CHECK((requests[static_cast<std::size_t>(i)] == AMPI_REQUEST_NULL) == !at.persistent);
  }

  void check_empty(const MPI_Status *status) {
    if (status == MPI_STATUS_IGNORE) return;
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    CHECK(count == 0);
    CHECK(status->MPI_SOURCE == MPI_ANY_SOURCE);
    CHECK(status->MPI_TAG == MPI_ANY_TAG);
  }

  int pending(int first, int n) const {
    int found = 0;
    for (int i = first; i < first + n; ++i) found += slots[static_cast<std::size_t>(i)].pending ? 1 : 0;
    return found;
  }

  void any(bool waits, int first, int n, AMPI_Request *array, MPI_Status *status) {
    int index = -7, done = 1;
    REQUIRE((waits ? AMPI_Waitany(n, array, &index, status) : AMPI_Testany(n, array, &index, &done, status)) == MPI_SUCCESS);
    if (pending(first, n) == 0) {
      CHECK(done == 1);
      CHECK(index == MPI_UNDEFINED);
      check_empty(status);
    } else if (done != 0) {
      REQUIRE((index >= 0 && index < n));
      check_complete(first + index, status);
    } else {
      CHECK(index == MPI_UNDEFINED);
    }
  }

  void some(bool waits, int first, int n, AMPI_Request *array, MPI_Status *statuses) {
    int done = -7;
    std::vector<int> indices(static_cast<std::size_t>(n) + 1, -7);
    REQUIRE((waits ? AMPI_Waitsome(n, array, &done, indices.data(), statuses)
                   : AMPI_Testsome(n, array, &done, indices.data(), statuses)) == MPI_SUCCESS);
    const int open = pending(first, n);
    if (open == 0) {
      CHECK(done == MPI_UNDEFINED);
      return;
    }
    REQUIRE((done >= (waits ? 1 : 0) && done <= open));
    for (int k = 0; k < done; ++k) {
      const int index = indices[static_cast<std::size_t>(k)];
      REQUIRE((index >= 0 && index < n));
      check_complete(first + index, statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k]);
    }
  }

  void all(bool waits, int first, int n, AMPI_Request *array, MPI_Status *statuses) {
    int done = 1;
    REQUIRE((waits ? AMPI_Waitall(n, array, statuses) : AMPI_Testall(n, array, &done, statuses)) == MPI_SUCCESS);
    if (pending(first, n) == 0) CHECK(done == 1);
    for (int i = 0; done != 0 && i < n; ++i) {
      const MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
      if (slots[static_cast<std::size_t>(first + i)].pending)
        check_complete(first + i, status);
      else
        check_empty(status);
    }
  }

  void one(bool waits, int at, AMPI_Request *request, MPI_Status *status) {
    int done = 1;
    REQUIRE((waits ? AMPI_Wait(request, status) : AMPI_Test(request, &done, status)) == MPI_SUCCESS);
    if (pending(at, 1) == 0) {
      CHECK(done == 1);
      check_empty(status);
    } else if (done != 0) {
      check_complete(at, status);
    }
  }

  void step() {
    const int size = static_cast<int>(slots.size()), first = below(size + 1), n = below(size - first + 1);
    AMPI_Request *array = n == 0 && below(2) == 0 ? nullptr : requests.data() + first;
    std::vector<MPI_Status> room(static_cast<std::size_t>(n) + 1);
    MPI_Status *statuses = below(3) == 0 ? MPI_STATUSES_IGNORE : room.data();
    MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : room.data();
    const bool waits = below(2) == 0;
    switch (below(4)) {
      case 0: any(waits, first, n, array, status); break;
      case 1: some(waits, first, n, array, statuses); break;
      case 2: all(waits, first, n, array, statuses); break;
      default:
        if (first < size) one(waits, first, requests.data() + first, status);
    }
  }

 public:
  random_completions(unsigned seed, MPI_Comm on) : numbers(seed), comm(on), me(test::rank_of(on)) {
    test::recording_tape tape;
    slots.resize(static_cast<std::size_t>(below(7)));
    requests.assign(slots.size() + 1, AMPI_REQUEST_NULL);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i].of = static_cast<kind>(below(8));
      slots[i].number = slots[i].plain_sent = 1.0 + static_cast<double>(i);
      slots[i].sent = slots[i].number;
      tape.input(slots[i].sent);
      begin(static_cast<int>(i));
    }
    for (int k = 0; k < 8; ++k) step();
    all(true, 0, static_cast<int>(slots.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      AMPI_Wait(&slots[i].sending, MPI_STATUS_IGNORE);
      if (slots[i].persistent) AMPI_Request_free(&requests[i]);
    }
    tape.stop();
    const auto arrived = [](const slot &at) { return at.of == kind::active || at.of == kind::started_active; };
    bool seeded = false;
    for (const slot &at : slots)
      if (arrived(at)) tape.seed(at.received, 3.0), seeded = true;
    if (seeded) tape.reverse();
    for (const slot &at : slots) CHECK(tape.adjoint(at.sent) == (arrived(at) ? 3.0 : 0.0));
  }
};

}  // namespace

TEST_CASE("test_completions_of_any_requests") {
  test::begin();
  MPI_Comm comm;
  AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (unsigned seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    random_completions(seed, comm);
  }
  AMPI_Comm_free(&comm);
}

// MPI sets the error field of a status only where a call returns several (MPI-3.1, 3.2.5).
TEST_CASE("test_completions_leave_the_error_field") {
  test::recording_tape tape;
  const int me = test::rank_of(MPI_COMM_WORLD);
  double plain = 1.0, plain_in = 0.0;
  var x = 2.0, in;
  tape.input(x);
  for (const MPI_Datatype type : {MPI_DOUBLE, AMPI_ADOUBLE}) {
    const void *from = type == MPI_DOUBLE ? static_cast<const void *>(&plain) : &x;
    void *to = type == MPI_DOUBLE ? static_cast<void *>(&plain_in) : &in;
    int flag = 0, index = 0;
    const std::function<void(AMPI_Request *, MPI_Status *)> completions[] = {
        [](AMPI_Request *q, MPI_Status *status) { AMPI_Wait(q, status); },
        [&](AMPI_Request *q, MPI_Status *status) { AMPI_Waitany(1, q, &index, status); },
        [&](AMPI_Request *q, MPI_Status *status) {
          for (flag = 0; !flag;) AMPI_Test(q, &flag, status);
        },
        [&](AMPI_Request *q, MPI_Status *status) {
          for (flag = 0; !flag;) AMPI_Testany(1, q, &index, &flag, status);
        }};
    for (const auto &complete : completions) {
      AMPI_Request q[2];
      MPI_Status status;
      status.MPI_ERROR = 12345;
      AMPI_Irecv(to, 1, type, me, 3, MPI_COMM_WORLD, &q[0]);
      AMPI_Isend(from, 1, type, me, 3, MPI_COMM_WORLD, &q[1]);
      complete(&q[0], &status);
      AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
      CHECK((status.MPI_SOURCE == me && status.MPI_TAG == 3));
      CHECK(status.MPI_ERROR == 12345);
    }
    AMPI_Request sent;
    MPI_Status status;
    status.MPI_ERROR = 12345;
    AMPI_Isend(from, 1, type, me, 3, MPI_COMM_WORLD, &sent);
    AMPI_Recv(to, 1, type, me, 3, MPI_COMM_WORLD, &status);
    AMPI_Wait(&sent, MPI_STATUS_IGNORE);
    CHECK((status.MPI_SOURCE == me && status.MPI_TAG == 3));
    CHECK(status.MPI_ERROR == 12345);
  }
}
