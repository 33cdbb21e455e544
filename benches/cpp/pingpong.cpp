// Ping-pong between two ranks, and what a message costs beside its bytes: of var arrays over plain MPI of doubles.
//   bench_pingpong                                                        on two ranks
//   bench_pingpong calls message|allreduce plain|record|sweep <n> <times>  for callgrind, on one rank
#include "mpi_bench.hpp"

#include <cstddef>
#include <functional>
#include <string>

// Allocations of this process, MPI's included: what counts is how many more there are than with plain MPI.
static long long allocations = 0;

#ifdef __GLIBC__
extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *malloc(std::size_t n) { return ++allocations, __libc_malloc(n); }
void *calloc(std::size_t n, std::size_t size) { return ++allocations, __libc_calloc(n, size); }
void *realloc(void *p, std::size_t n) { return ++allocations, __libc_realloc(p, n); }
}
#endif

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

void go(const double *x, double *y, int n, int peer) {
  if (peer == 1) {
    MPI_Send(x, n, MPI_DOUBLE, peer, 0, world);
    MPI_Recv(y, n, MPI_DOUBLE, peer, 0, world, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(y, n, MPI_DOUBLE, peer, 0, world, MPI_STATUS_IGNORE);
    MPI_Send(x, n, MPI_DOUBLE, peer, 0, world);
  }
}

void go(const admpi::var *x, admpi::var *y, int n, int peer) {
  if (peer == 1) {
    AMPI_Send(x, n, AMPI_ADOUBLE, peer, 0, world);
    AMPI_Recv(y, n, AMPI_ADOUBLE, peer, 0, world, MPI_STATUS_IGNORE);
  } else {
    AMPI_Recv(y, n, AMPI_ADOUBLE, peer, 0, world, MPI_STATUS_IGNORE);
    AMPI_Send(x, n, AMPI_ADOUBLE, peer, 0, world);
  }
}

/// `exchange(x, y)` for plain and for active arrays of `size` elements, timed by the hundred where they are short.
template <class Exchange>
void measure(const char *work, std::size_t size, int repetitions, int rounds, double record_goal, double sweep_goal,
             const Exchange &exchange) {
  std::vector<double> plain_x(size, 1.5), plain_y(size);
  std::vector<admpi::var> x(size, 1.5), y(size);
  admpi::tape tape;
  bench::forms times;
  for (int round = 0; round < rounds + 2; ++round) {
    if (round == 2) times = bench::forms();  // warm from here
    const auto block = [&](bench::together &times, auto &x, auto &y) {
      if (size == 1) {
        times.run([&] {
          for (int i = 0; i < repetitions; ++i) exchange(x.data(), y.data());
        });
      } else {
        times.run(repetitions, [&] { bench::compute(x); }, [&] { exchange(x.data(), y.data()); });
      }
    };
    block(times.plain, plain_x, plain_y);
    tape.reset();
    tape.start();
    tape.input(x);
    block(times.record, x, y);
    tape.stop();
    tape.seed(y[0], 2.0);
    times.sweep.run([&] { tape.reverse(); });
    bench::check("ping-pong: the adjoint of what was sent", tape.adjoint(x[0]), 2.0, 0.0);
  }
  bench::report(work, times, repetitions, record_goal, sweep_goal);
}

void pingpong(const char *work, int n, int repetitions, int rounds, double record_goal, double sweep_goal) {
  const int peer = 1 - bench::rank();
  measure(work, static_cast<std::size_t>(n), repetitions, rounds, record_goal, sweep_goal,
          [=](auto *x, auto *y) { go(x, y, n, peer); });
}

/// Every second of `n` pairs: recorded through the activity map, swept as a contiguous message.
void strided(int n) {
  MPI_Datatype plain, active;
  MPI_Type_vector(n, 1, 2, MPI_DOUBLE, &plain);
  MPI_Type_vector(n, 1, 2, AMPI_ADOUBLE, &active);
  MPI_Type_commit(&plain);
  MPI_Type_commit(&active);
  const int peer = 1 - bench::rank();
  struct exchange {
    MPI_Datatype plain, active;
    int peer;
    void operator()(const double *x, double *y) const {
      MPI_Sendrecv(x, 1, plain, peer, 0, y, 1, plain, peer, 0, world, MPI_STATUS_IGNORE);
    }
    void operator()(const admpi::var *x, admpi::var *y) const {
      AMPI_Sendrecv(x, 1, active, peer, 0, y, 1, active, peer, 0, world, MPI_STATUS_IGNORE);
    }
  };
  measure("strided vector, 10^6 doubles", 2 * static_cast<std::size_t>(n), 1, 31, 2.0, 2.5,
          exchange{plain, active, peer});
  MPI_Type_free(&plain);
  MPI_Type_free(&active);
}

/// Tape bytes and allocations of a nonblocking message, once warm.
void fixed_cost() {
  const int n = 1000, peer = 1 - bench::rank();
  double out = 1.0, in = 0.0;
  admpi::var x = 1.0, y;
  admpi::tape tape;
  double bytes = 0.0;
  long long plain = 0, recorded = 0, swept = 0;
  for (int round = 0; round < 3; ++round) {
    long long before = allocations;
    for (int i = 0; i < n; ++i) {
      MPI_Request q[2];
      MPI_Irecv(&in, 1, MPI_DOUBLE, peer, 0, world, &q[0]);
      MPI_Isend(&out, 1, MPI_DOUBLE, peer, 0, world, &q[1]);
      MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    plain = allocations - before;
    tape.reset();
    tape.start();
    tape.input(x);
    const auto used = tape.statistics().used_bytes;
    before = allocations;
    for (int i = 0; i < n; ++i) {
      AMPI_Request q[2];
      AMPI_Irecv(&y, 1, AMPI_ADOUBLE, peer, 0, world, &q[0]);
      AMPI_Isend(&x, 1, AMPI_ADOUBLE, peer, 0, world, &q[1]);
      AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    }
    recorded = allocations - before;
    bytes = static_cast<double>(tape.statistics().used_bytes - used) / (2.0 * n);
    tape.stop();
    tape.seed(y);
    before = allocations;
    tape.reverse();
    swept = allocations - before;
  }
  if (bench::rank() != 0) return;
  bench::row("tape bytes a nonblocking message (n = 1)", bytes, 120.0);
#ifdef __GLIBC__
  bench::row("allocations a nonblocking message, beyond plain MPI's", static_cast<double>(recorded - plain) / (2.0 * n),
             0.0);
  bench::row("the same of its sweep", static_cast<double>(swept - plain) / (2.0 * n), 0.0);
#endif
}

int receive(double *y, int peer, MPI_Request *q) { return MPI_Irecv(y, 1, MPI_DOUBLE, peer, 0, world, q); }
int receive(admpi::var *y, int peer, AMPI_Request *q) { return AMPI_Irecv(y, 1, AMPI_ADOUBLE, peer, 0, world, q); }
int send(const double *x, int peer) { return MPI_Send(x, 1, MPI_DOUBLE, peer, 0, world); }
int send(const admpi::var *x, int peer) { return AMPI_Send(x, 1, AMPI_ADOUBLE, peer, 0, world); }
int wait(MPI_Request *q) { return MPI_Wait(q, MPI_STATUS_IGNORE); }
int wait(AMPI_Request *q) { return AMPI_Wait(q, MPI_STATUS_IGNORE); }

/// The time of a wait while up to `outstanding` other receives wait: they are completed in an order of no pattern.
template <class Real, class Request>
double wait_among(std::size_t outstanding) {
  const int peer = 1 - bench::rank(), waits = 100;
  bench::blocks times;
  for (std::size_t waited = 0; waited < 200000; waited += outstanding) {
    admpi::tape tape;
    tape.start();
    std::vector<Real> y(outstanding);
    const Real x = 1.0;
    std::vector<Request> q(outstanding);
    for (std::size_t i = 0; i < outstanding; ++i) receive(&y[i], peer, &q[i]);
    MPI_Barrier(world);
    for (std::size_t i = 0; i < outstanding; ++i) send(&x, peer);
    MPI_Barrier(world);
    std::size_t at = 0;
    for (std::size_t block = 0; block < outstanding / waits; ++block)
      times.run([&] {
        for (int i = 0; i < waits; ++i, at = (at + 70387) % outstanding) wait(&q[at]);
      });
    tape.reverse();
  }
  return times.seconds() / waits;
}

/// The instructions of a wait do not depend on how many others there are, but what it touches is no longer in the
/// caches: in plain MPI some 8 lines a wait, of which it is the measure, and 5 more of the library's (its request, the
/// value with what marks it, the record). A search would make it a hundred times as much.
void outstanding_requests() {
  const double plain_few = wait_among<double, MPI_Request>(1000), plain_many = wait_among<double, MPI_Request>(100000);
  const double few = wait_among<admpi::var, AMPI_Request>(1000), many = wait_among<admpi::var, AMPI_Request>(100000);
  if (bench::rank() != 0) return;
  std::printf("one wait among 10^3 and 10^5 receives: plain %.3f and %.3f us, recorded %.3f and %.3f us\n",
              1e6 * plain_few, 1e6 * plain_many, 1e6 * few, 1e6 * many);
  bench::row("one wait among 10^5 outstanding receives, over one among 10^3", many / few);
  bench::row("what 10^5 receives add to a wait, over what they add in plain MPI",
             (many - few) / (plain_many - plain_few), 2.0);
}

/// Requests that start again and again, beside calls that do not block: an exchange of `n` values with the other rank, recorded.
void started_again(int n) {
  const int peer = 1 - bench::rank(), repetitions = n == 1 ? 100 : 20, parts = 4;
  const std::size_t size = static_cast<std::size_t>(n);
  std::vector<admpi::var> x(size, 1.5), y(size);
  AMPI_Request kept[2], parted[2], reduced;
  AMPI_Send_init(x.data(), n, AMPI_ADOUBLE, peer, 0, world, &kept[0]);
  AMPI_Recv_init(y.data(), n, AMPI_ADOUBLE, peer, 0, world, &kept[1]);
  const bool whole = n % parts != 0;
  AMPI_Psend_init(x.data(), whole ? 1 : parts, whole ? n : n / parts, AMPI_ADOUBLE, peer, 0, world, MPI_INFO_NULL, &parted[0]);
  AMPI_Precv_init(y.data(), 1, n, AMPI_ADOUBLE, peer, 0, world, MPI_INFO_NULL, &parted[1]);
  AMPI_Allreduce_init(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, world, MPI_INFO_NULL, &reduced);
  const auto nonblocking = [&] {
    AMPI_Request q[2];
    AMPI_Isend(x.data(), n, AMPI_ADOUBLE, peer, 0, world, &q[0]);
    AMPI_Irecv(y.data(), n, AMPI_ADOUBLE, peer, 0, world, &q[1]);
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  };
  const auto persistent = [&] {
    AMPI_Startall(2, kept);
    AMPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
  };
  const auto partitioned = [&] {
    AMPI_Startall(2, parted);
    for (int part = 0; part < (whole ? 1 : parts); ++part) AMPI_Pready(part, parted[0]);
    AMPI_Waitall(2, parted, MPI_STATUSES_IGNORE);
  };
  const auto iallreduce = [&] {
    AMPI_Request q;
    AMPI_Iallreduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, world, &q);
    AMPI_Wait(&q, MPI_STATUS_IGNORE);
  };
  const auto allreduce_again = [&] {
    AMPI_Start(&reduced);
    AMPI_Wait(&reduced, MPI_STATUS_IGNORE);
  };
  bench::together times[5];
  for (int round = 0; round < 200; ++round) {
    const auto measure = [&](bench::together &times, const auto &call) {
      admpi::tape tape;
      tape.start();
      tape.input(x);
      const auto repeat = [&](int n) {
        for (int i = 0; i < n; ++i) call();
      };
      repeat(3);
      times.run([&] { repeat(repetitions); });
      tape.seed(y[0], 1.0);
      tape.reverse();
    };
    measure(times[0], nonblocking);
    measure(times[1], persistent);
    measure(times[2], partitioned);
    measure(times[3], iallreduce);
    measure(times[4], allreduce_again);
  }
  for (AMPI_Request *one : {&kept[0], &kept[1], &parted[0], &parted[1], &reduced}) AMPI_Request_free(one);
  if (bench::rank() != 0) return;
  const std::string of = ", n = " + std::to_string(n);
  const double message = times[0].seconds();
  bench::row(("persistent over nonblocking messages" + of).c_str(), times[1].seconds() / message, 1.3);
  bench::row(("partitioned over nonblocking messages" + of).c_str(), times[2].seconds() / message, 1.3);
  bench::row(("Allreduce_init over Iallreduce" + of).c_str(), times[4].seconds() / times[3].seconds(), 1.3);
}

void message(const double *x, double *y, int n) {
  MPI_Request q;
  MPI_Irecv(y, n, MPI_DOUBLE, 0, 0, world, &q);
  MPI_Send(x, n, MPI_DOUBLE, 0, 0, world);
  MPI_Wait(&q, MPI_STATUS_IGNORE);
}
void message(const admpi::var *x, admpi::var *y, int n) {
  AMPI_Request q;
  AMPI_Irecv(y, n, AMPI_ADOUBLE, 0, 0, world, &q);
  AMPI_Send(x, n, AMPI_ADOUBLE, 0, 0, world);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
}

}  // namespace

/// Where callgrind counts. Weak, so that the compiler makes no copy of it by another name.
extern "C" __attribute__((noinline, weak)) void measured_calls(const std::function<void()> &run) { run(); }

namespace {

/// So many messages of a rank to itself.
void calls(const std::string &form, int n, int times) {
  const std::size_t size = static_cast<std::size_t>(n);
  std::vector<double> plain_x(size, 1.5), plain_y(size);
  std::vector<admpi::var> x(size, 1.5), y(size);
  admpi::tape tape;
  const auto repeat = [&](auto &x, auto &y) {
    for (int i = 0; i < times; ++i) message(x.data(), y.data(), n);
  };
  // Once before, to be warm.
  for (int round = 0; round < 2; ++round) {
    const auto measure = [&](const char *now, const std::function<void()> &run) {
      round == 1 && form == now ? measured_calls(run) : run();
    };
    measure("plain", [&] { repeat(plain_x, plain_y); });
    tape.reset();
    tape.start();
    tape.input(x);
    measure("record", [&] { repeat(x, y); });
    tape.stop();
    tape.seed(y[0], 2.0);
    measure("sweep", [&] { tape.reverse(); });
    bench::check("calls: the adjoint of what was sent", tape.adjoint(x[0]), 2.0, 0.0);
  }
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  if (argc == 5 && std::string(argv[1]) == "calls") {
    calls(argv[3], std::atoi(argv[2]), std::atoi(argv[4]));
    AMPI_Finalize();
    return 0;
  }
  pingpong("ping-pong n = 1", 1, 100, 400, 1.3, 1.3);
  pingpong("ping-pong n = 100", 100, 50, 400, 1.5, 1.5);
  pingpong("ping-pong n = 10k", 10000, 4, 200, 2.5, 2.5);
  pingpong("ping-pong n = 1M", 1000000, 1, 31, 2.5, 2.5);
  strided(1000000);
  fixed_cost();
  for (const int n : {1, 1000, 100000}) started_again(n);
  outstanding_requests();
  AMPI_Finalize();
  return 0;
}
