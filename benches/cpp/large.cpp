// Calls for large counts over those of plain MPI: what a small count costs more, and sizes past 2^31. One case a run:
//   bench_large                                     vectors of small counts, on two ranks
//   bench_large calls <call> plain|large <times>    for callgrind, on one rank
//   bench_large send|bcast|allreduce|alltoallv      real sizes, on two ranks, up to 9 GiB in all (make bench-large)
#include <admpi.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "bench.hpp"

namespace {

int rank, size;
const MPI_Count past = (MPI_Count{1} << 31) + 4099;  // bytes
const MPI_Count piece = MPI_Count{1} << 30;          // what plain MPI is given at a time

void row(const char *work, double measured, double goal) {
  if (rank == 0) bench::row(work, measured, goal);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Seconds from a common start until the last rank is done.
template <class Run>
double timed(Run run) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = bench::now();
  run();
  double seconds = bench::now() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// Runs both in turns and gives the median of the ratios of neighbouring runs.
template <class Plain, class Large>
double ratio(const char *work, int rounds, Plain plain, Large large) {
  std::vector<double> plain_seconds, large_seconds, ratios;
  for (int round = -1; round < rounds; ++round) {
    double p, l;
    if (round % 2 == 0) {
      p = timed(plain);
      l = timed(large);
    } else {
      l = timed(large);
      p = timed(plain);
    }
    if (round < 0) continue;  // MPI's own memory is new to it
    plain_seconds.push_back(p);
    large_seconds.push_back(l);
    ratios.push_back(l / p);
  }
  if (rank == 0)
    std::printf("%s: plain %.3g s, large %.3g s\n", work, median(plain_seconds), median(large_seconds));
  return median(ratios);
}

using Bytes = std::vector<unsigned char>;

unsigned char byte_at(MPI_Count i, int seed) {
  const auto x = (static_cast<std::uint64_t>(i) + static_cast<std::uint64_t>(seed)) * 0x9e3779b97f4a7c15ull;
  return static_cast<unsigned char>(x >> 56);
}

Bytes filled(MPI_Count n, int seed) {
  Bytes x(static_cast<std::size_t>(n));
  for (MPI_Count i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = byte_at(i, seed);
  return x;
}

/// A byte in a thousand, and the last ones.
void check(const char *what, const unsigned char *x, MPI_Count n, int seed) {
  for (MPI_Count i = 0; i < n; i += i < n - 4099 ? 997 : 1) bench::check(what, x[i], byte_at(i, seed), 0.0);
}

/// Calls f with the beginning and the length of each piece.
template <class F>
void in_pieces(MPI_Count n, F f) {
  for (MPI_Count begin = 0; begin < n; begin += piece) f(begin, static_cast<int>(std::min(piece, n - begin)));
}

void send() {
  Bytes bytes = filled(past, rank);
  unsigned char *const x = bytes.data();
  const double measured = ratio(
      "send of 2^31 + 4099 bytes", 7,
      [&] {
        in_pieces(past, [&](MPI_Count begin, int n) {
          if (rank == 0) MPI_Send(x + begin, n, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
          if (rank == 1) MPI_Recv(x + begin, n, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        });
      },
      [&] {
        if (rank == 0) MPIX_Send_x(x, past, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        if (rank == 1) MPIX_Recv_x(x, past, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
  check("what was received", x, past, 0);
  row("send of 2^31 + 4099 bytes over pieces of 1 GiB", measured, 1.05);
}

void bcast() {
  Bytes bytes = filled(past, rank);
  unsigned char *const x = bytes.data();
  const double measured = ratio(
      "bcast of 2^31 + 4099 bytes", 7,
      [&] { in_pieces(past, [&](MPI_Count begin, int n) { MPI_Bcast(x + begin, n, MPI_BYTE, 0, MPI_COMM_WORLD); }); },
      [&] { MPIX_Bcast_x(x, past, MPI_BYTE, 0, MPI_COMM_WORLD); });
  check("what was broadcast", x, past, 0);
  row("bcast of 2^31 + 4099 bytes over pieces of 1 GiB", measured, 1.05);
}

/// The most memory that all ranks have used so far, in bytes.
double peak() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return bytes;
}

void allreduce() {
  // In place: two buffers a rank would be more than 9 GiB with what MPI needs for its one call.
  const int n = 1 << 28;
  std::vector<double> x(static_cast<std::size_t>(n));
  const auto start = [](int i, int who) { return static_cast<double>(i % 4093 + who); };
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = start(i, rank);
  int reductions = 0;
  const auto large = [&] {
    MPIX_Allreduce_x(MPI_IN_PLACE, x.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ++reductions;
  };
  const auto plain = [&] {
    MPI_Allreduce(MPI_IN_PLACE, x.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    ++reductions;
  };
  // The peak only grows, so the smaller need comes first.
  large();
  const double large_peak = peak();
  plain();
  const double plain_peak = peak();
  const double measured = ratio("allreduce of 2^28 doubles", 7, plain, large);
  double factor = 1.0;  // every reduction after the first doubles
  for (int i = 1; i < reductions; ++i) factor *= 2.0;
  for (int i = 0; i < n; i += 997)
    bench::check("the sum", x[static_cast<std::size_t>(i)], factor * (start(i, 0) + start(i, 1)), 0.0);
  if (rank == 0) std::printf("peak of both ranks: plain %.2f GiB, large %.2f GiB\n", plain_peak / (1 << 30), large_peak / (1 << 30));
  row("allreduce of 2^28 doubles over one MPI_Allreduce", measured, 0.7);
  row("peak memory of that over MPI_Allreduce's", large_peak / plain_peak, 0.8);
}

void alltoallv() {
  // 16 MiB to oneself, past 2^31 bytes to the other.
  const MPI_Count own = 1 << 24;
  const int peer = 1 - rank;
  MPI_Count counts[2];
  MPI_Aint starts[2];
  counts[rank] = own;
  counts[peer] = past;
  starts[rank] = past;
  starts[peer] = 0;
  const Bytes from = filled(past + own, rank);
  Bytes to(from.size());
  const unsigned char *const x = from.data();
  unsigned char *const y = to.data();
  const double measured = ratio(
      "alltoallv past 2^31 bytes", 5,
      [&] {
        MPI_Request requests[8];
        int started = 0;
        in_pieces(past, [&](MPI_Count begin, int n) {
          MPI_Irecv(y + begin, n, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[started++]);
        });
        in_pieces(past, [&](MPI_Count begin, int n) {
          MPI_Isend(x + begin, n, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[started++]);
        });
        std::memcpy(y + past, x + past, static_cast<std::size_t>(own));
        MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
      },
      [&] { MPIX_Alltoallv_x(x, counts, starts, MPI_BYTE, y, counts, starts, MPI_BYTE, MPI_COMM_WORLD); });
  check("what came from the other", y, past, peer);
  row("alltoallv past 2^31 bytes over Isend and Irecv of 1 GiB", measured, 1.1);
}

/// Calls whose counts are arrays, of one double a partner.
void small_vectors() {
  const int rounds = 31, repetitions = 2000;
  const int counts[] = {1, 1}, starts[] = {0, 1};
  const MPI_Count large_counts[] = {1, 1};
  const MPI_Aint large_starts[] = {0, 1};
  const double x[] = {1.0, 2.0};
  double y[2];
  const MPI_Comm world = MPI_COMM_WORLD;
  const auto compare = [&](const char *name, auto plain, auto large) {
    const auto often = [](auto &call) {
      return [&call] {
        for (int i = 0; i < repetitions; ++i) call();
      };
    };
    const double measured = ratio(name, rounds, often(plain), often(large));
    if (rank == 0) bench::row((std::string("MPIX_") + name + "_x of one double a rank over plain MPI").c_str(), measured);
  };
  compare(
      "Alltoallv", [&] { MPI_Alltoallv(x, counts, starts, MPI_DOUBLE, y, counts, starts, MPI_DOUBLE, world); },
      [&] {
        MPIX_Alltoallv_x(x, large_counts, large_starts, MPI_DOUBLE, y, large_counts, large_starts, MPI_DOUBLE, world);
      });
  compare(
      "Allgatherv", [&] { MPI_Allgatherv(x, 1, MPI_DOUBLE, y, counts, starts, MPI_DOUBLE, world); },
      [&] { MPIX_Allgatherv_x(x, 1, MPI_DOUBLE, y, large_counts, large_starts, MPI_DOUBLE, world); });
  compare(
      "Ialltoallv",
      [&] {
        MPI_Request request;
        MPI_Ialltoallv(x, counts, starts, MPI_DOUBLE, y, counts, starts, MPI_DOUBLE, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      },
      [&] {
        MPI_Request request;
        MPIX_Ialltoallv_x(x, large_counts, large_starts, MPI_DOUBLE, y, large_counts, large_starts, MPI_DOUBLE, world,
                          &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      });
}

/// So many calls of one kind with a count of one, by a rank with itself or with nobody.
void calls(const std::string &what, bool large, int times) {
  const MPI_Comm self = MPI_COMM_SELF;
  const int nobody = MPI_PROC_NULL, counts[] = {1}, starts[] = {0};
  const MPI_Count large_counts[] = {1};
  const MPI_Aint large_starts[] = {0};
  MPI_Status *const ignore = MPI_STATUS_IGNORE;
  double x[1] = {1.0}, y[1];
  const auto repeat = [&](auto plain_call, auto large_call) {
    for (int i = 0; i < times; ++i) large ? large_call() : plain_call();
  };
  if (what == "Send")
    repeat([&] { return MPI_Send(x, 1, MPI_DOUBLE, nobody, 1, self); },
           [&] { return MPIX_Send_x(x, 1, MPI_DOUBLE, nobody, 1, self); });
  else if (what == "Recv")
    repeat([&] { return MPI_Recv(y, 1, MPI_DOUBLE, nobody, 1, self, ignore); },
           [&] { return MPIX_Recv_x(y, 1, MPI_DOUBLE, nobody, 1, self, ignore); });
  else if (what == "Sendrecv")
    repeat([&] { return MPI_Sendrecv(x, 1, MPI_DOUBLE, nobody, 1, y, 1, MPI_DOUBLE, nobody, 1, self, ignore); },
           [&] { return MPIX_Sendrecv_x(x, 1, MPI_DOUBLE, nobody, 1, y, 1, MPI_DOUBLE, nobody, 1, self, ignore); });
  else if (what == "Bcast")
    repeat([&] { return MPI_Bcast(x, 1, MPI_DOUBLE, 0, self); },
           [&] { return MPIX_Bcast_x(x, 1, MPI_DOUBLE, 0, self); });
  else if (what == "Allreduce")
    repeat([&] { return MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_SUM, self); },
           [&] { return MPIX_Allreduce_x(x, y, 1, MPI_DOUBLE, MPI_SUM, self); });
  else if (what == "Alltoallv")
    repeat([&] { return MPI_Alltoallv(x, counts, starts, MPI_DOUBLE, y, counts, starts, MPI_DOUBLE, self); },
           [&] {
             return MPIX_Alltoallv_x(x, large_counts, large_starts, MPI_DOUBLE, y, large_counts, large_starts,
                                     MPI_DOUBLE, self);
           });
  else
    std::exit(2);
}

}  // namespace

/// Where callgrind counts. Weak, so that the compiler makes no copy of it by another name.
extern "C" __attribute__((noinline, weak)) void measured_calls(const char *what, bool large, int times) {
  calls(what, large, times);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "calls" && argc == 5) {
    const bool large = std::string(argv[3]) == "large";
    calls(argv[2], large, 10);  // the dynamic linker's work, among others
    measured_calls(argv[2], large, std::atoi(argv[4]));
  } else if (size != 2)
    MPI_Abort(MPI_COMM_WORLD, 2);
  else if (what == "send")
    send();
  else if (what == "bcast")
    bcast();
  else if (what == "allreduce")
    allreduce();
  else if (what == "alltoallv")
    alltoallv();
  else
    small_vectors();
  MPI_Finalize();
  return 0;
}
