// Epochs of one operation of n values on a window of the other rank, between two ranks: of vars over plain MPI of doubles, and over the
// same exchange by messages. Goals over plain MPI are for few values, sums and locks; where plain MPI copies memory, an epoch is to cost
// what messages do.
#include "mpi_bench.hpp"

#include <type_traits>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

enum operation { put_fence, sum_fence, get_fence, put_started, put_locked };
enum memory { created, allocated };

#define CALL(name, ...) (std::is_same_v<Real, double> ? MPI_##name(__VA_ARGS__) : AMPI_##name(__VA_ARGS__))

/// A window of `n` values on each rank, and what the other rank does with it.
template <class Real>
class window {
 public:
  window(int n, memory where, operation what) : n_(n), what_(what), own_(where == created ? static_cast<std::size_t>(n) : 0) {
    const MPI_Aint bytes = static_cast<MPI_Aint>(sizeof(Real)) * n;
    if (where == created) {
      memory_ = own_.data();
      CALL(Win_create, static_cast<void *>(memory_), bytes, static_cast<int>(sizeof(Real)), MPI_INFO_NULL, world, &win_);
    } else {
      CALL(Win_allocate, bytes, static_cast<int>(sizeof(Real)), MPI_INFO_NULL, world, static_cast<void *>(&memory_), &win_);
    }
    MPI_Group all;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &peer_, &other_);
    MPI_Group_free(&all);
    for (int i = 0; i < n; ++i) memory_[i] = Real(0.0);
    if (what == put_locked) CALL(Win_lock_all, 0, win_);
    else if (what != put_started) CALL(Win_fence, 0, win_);
  }
  ~window() {
    if (what_ == put_locked) CALL(Win_unlock_all, win_);
    else if (what_ != put_started) CALL(Win_fence, MPI_MODE_NOSUCCEED, win_);
    CALL(Win_free, &win_);
    MPI_Group_free(&other_);
  }
  window(const window &) = delete;
  window &operator=(const window &) = delete;

  /// What is there holds nothing of an earlier recording.
  void begin() {
    MPI_Barrier(world);
    for (int i = 0; i < n_; ++i) memory_[i] = Real(0.0);
    if (what_ == put_locked) CALL(Win_sync, win_);
    CALL(Barrier, world);
  }

  void epoch(Real *x) {
    const MPI_Datatype type = std::is_same_v<Real, double> ? MPI_DOUBLE : AMPI_ADOUBLE;
    if (what_ == put_started) {
      CALL(Win_post, other_, 0, win_);
      CALL(Win_start, other_, 0, win_);
    }
    if (what_ == sum_fence) CALL(Accumulate, x, n_, type, peer_, 0, n_, type, MPI_SUM, win_);
    else if (what_ == get_fence) CALL(Get, x, n_, type, peer_, 0, n_, type, win_);
    else CALL(Put, x, n_, type, peer_, 0, n_, type, win_);
    if (what_ == put_started) {
      CALL(Win_complete, win_);
      CALL(Win_wait, win_);
    } else if (what_ == put_locked) {
      CALL(Win_flush, peer_, win_);
      CALL(Barrier, world);
    } else {
      CALL(Win_fence, 0, win_);
    }
  }

  /// The same by messages, and a fence, where there is one.
  void messages(Real *x, Real *y) {
    AMPI_Request q[2];
    AMPI_Irecv(y, n_, AMPI_ADOUBLE, peer_, 1, world, &q[0]);
    AMPI_Isend(x, n_, AMPI_ADOUBLE, peer_, 1, world, &q[1]);
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    if (what_ == put_started) return;
    if (what_ == put_locked) CALL(Barrier, world);
    else CALL(Win_fence, 0, win_);
  }

  Real *values() { return memory_; }

 private:
  int n_, peer_ = 1 - bench::rank();
  operation what_;
  std::vector<Real> own_;
  Real *memory_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
  MPI_Group other_ = MPI_GROUP_NULL;
};

/// A goal of 0 is none.
void row(const char *work, const char *what, double measured, double goal) {
  char text[100];
  std::snprintf(text, sizeof text, "%s: %s", work, what);
  goal > 0.0 ? bench::row(text, measured, goal) : bench::row(text, measured);
}

void measure(const char *work, operation what, memory where, int n, double plain_goal, double messages_goal) {
  const int repetitions = n == 1 ? 100 : n == 100 ? 50 : n == 10000 ? 4 : 1, rounds = n < 1000000 ? 100 : 15;
  const std::size_t size = static_cast<std::size_t>(n);
  std::vector<double> plain_x(size, 1.5);
  std::vector<admpi::var> x(size, 1.5), y(size);
  window<double> plain(n, where, what);
  window<admpi::var> active(n, where, what);
  admpi::tape tape;
  bench::forms times;
  bench::together messages;
  for (int round = 0; round < rounds + 2; ++round) {
    if (round == 2) times = bench::forms(), messages = bench::together();  // warm from here
    times.plain.run([&] {
      for (int i = 0; i < repetitions; ++i) plain.epoch(plain_x.data());
    });
    active.begin();
    tape.reset();
    for (admpi::var &v : x) v = 1.5;
    tape.start();
    tape.input(x);
    messages.run([&] {
      for (int i = 0; i < repetitions; ++i) active.messages(x.data(), y.data());
    });
    tape.reset();
    for (admpi::var &v : x) v = 1.5;
    tape.start();
    tape.input(x);
    const admpi::var input = x[0];
    times.record.run([&] {
      for (int i = 0; i < repetitions; ++i) active.epoch(x.data());
    });
    tape.stop();
    tape.seed(what == get_fence ? x[0] : active.values()[0], 2.0);
    times.sweep.run([&] { tape.reverse(); });
    // The last of several Puts remains, and sums are of all.
    if (what != get_fence)
      bench::check("windows: the adjoint of what was put", tape.adjoint(input), what == sum_fence ? 2.0 * repetitions : 2.0, 0.0);
  }
  active.begin();
  tape.reset();
  if (bench::rank() != 0) return;
  const double plain_seconds = times.plain.seconds(), record = times.record.seconds();
  std::printf("%s: plain %.2f us, record %.2f us, sweep %.2f us\n", work, 1e6 * plain_seconds / repetitions,
              1e6 * record / repetitions, 1e6 * times.sweep.seconds() / repetitions);
  row(work, "record over plain MPI", record / plain_seconds, plain_goal);
  row(work, "sweep over plain MPI", times.sweep.seconds() / plain_seconds, 0.0);
  row(work, "record over messages", record / messages.seconds(), messages_goal);
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  const struct {
    const char *name;
    operation what;
    memory where;
    double few, many;
    bool as_messages;
  } kinds[] = {
      {"Put, fence, created", put_fence, created, 2.5, 0.0, true},
      {"Put, fence, allocated", put_fence, allocated, 0.0, 0.0, true},
      {"Accumulate SUM, fence", sum_fence, created, 1.7, 1.7, false},
      {"Get, fence", get_fence, created, 2.5, 0.0, true},
      {"Put, start and post", put_started, created, 2.5, 0.0, true},
      {"Put, lock, flush, barrier", put_locked, created, 4.0, 8.0, false},
  };
  for (const auto &kind : kinds)
    for (const int n : {1, 100, 10000, 1000000}) {
      char work[60];
      std::snprintf(work, sizeof work, "%s, n = %d", kind.name, n);
      const double goal = n <= 100 ? kind.few : kind.many;
      measure(work, kind.what, kind.where, n, goal, kind.as_messages && goal == 0.0 ? 1.3 : 0.0);
    }
  AMPI_Finalize();
  return 0;
}
