// Random, correct MPI programs, with the adjoint identity as the oracle.
//
// Every rank draws the same program from a seed and runs its own part of it: local nonlinear work, messages with
// random envelopes, datatypes, wildcards, room to spare and completion orders, blocking exchanges and partitioned ones, collectives on
// random communicators that come and go, nonblocking ones completed anywhere, neighbourhoods on random graphs, checkpoints that record and sweep messages of their own in the sweep, and
// pauses of the recording; windows with epochs of all ranks and of some; work on a matrix, on parts of it and on its elements, and messages of it. The sweep is taken whole or in parts that end anywhere. Beside each active value runs its tangent, moved by plain MPI on a communicator
// of the test's own: the last double of every active message names the message, so that the tangents follow the
// values wherever MPI delivered them. At the end <w, J v> = <J^T w, v>, summed over the ranks.
//
// ADMPI_RANDOM_PROGRAMS sets how many programs are run at most, ADMPI_RANDOM_SECONDS for how long, ADMPI_RANDOM_SEED the
// first seed, ADMPI_RANDOM_STEPS the steps that are run (such as 0,3,4; all of them otherwise). A program whose
// derivatives are wrong is run again with ever fewer of its steps, and the smallest one that still fails is named. One
// that hangs (for ADMPI_RANDOM_PATIENCE seconds), crashes or ends in an error of MPI's is named as it is, and
// scripts/shrink-random-program finds the smallest.
#include <admpi.hpp>
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "ampi/random_program.hpp"

using namespace random_programs;

namespace {

/// The largest error of the identity over the directions, relative to the size of its terms.
double identity_error(std::uint64_t seed, const std::vector<char> &keep) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  admpi::tape tape;
  std::optional<admpi::nested> nest;
  random_numbers shape{seed};
  const int width = shape.chance(70) ? 1 : 4;
  const bool freed_before_sweep = shape.chance(50), twice = shape.chance(20), parts = shape.chance(40), released = shape.chance(50);
  tape.set_width(width);
  tape.start();
  if (shape.chance(20)) {
    // Inside a nest, above something else.
    var x = 1.0;
    tape.input(x);
    AMPI_Bcast(&x, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    nest.emplace();
  }
  const admpi_position bottom = tape.position();
  std::vector<var> inputs(pool);
  std::vector<double> v(pool);
  random_numbers mine{seed * 31u + static_cast<std::uint64_t>(rank)};
  for (int i = 0; i < pool; ++i) {
    inputs[i] = mine.number();
    v[i] = mine.number();
  }
  tape.input(inputs);
  program *p = new program(seed ^ 0x5bd1e995u, tape, rank, size);
  p->takes_locks = !nest;
  p->s.x = inputs;
  p->s.t = v;
  for (char run : keep) p->step(run != 0);
  while (!p->flights.empty()) p->complete(0);
  const std::vector<var> outputs = p->s.x;
  const std::vector<double> tangents = p->s.t;
  const varmat matrix = p->s.m;
  const std::vector<double> cells_before = matrix.values();
  std::vector<admpi_position> cuts = {bottom};
  if (parts) cuts.insert(cuts.end(), p->cuts.begin(), p->cuts.end());
  if (freed_before_sweep) {
    delete p;
    p = nullptr;
  }
  double worst = 0.0;
  std::vector<double> first;
  for (int sweep = 0; sweep < (twice ? 2 : 1); ++sweep) {
    tape.clear_adjoints();
    std::vector<double> terms(static_cast<std::size_t>(3 * width), 0.0);
    random_numbers weights{seed * 17u + static_cast<std::uint64_t>(rank)};
    for (int k = 0; k < width; ++k)
      for (int i = 0; i < pool; ++i) {
        const double w = weights.number();
        tape.seed(outputs[i], w, k);
        terms[3 * k] += w * tangents[i];
        terms[3 * k + 2] += std::fabs(w * tangents[i]);
      }
    admpi_position from = tape.position();
    for (std::size_t i = cuts.size(); i-- > 0;) {
      tape.reverse(from, cuts[i]);
      from = cuts[i];
      // Memory behind the sweep may go, but not that of the inputs.
      if (released && i > 0 && sweep == (twice ? 1 : 0)) tape.reset_to(from);
    }
    std::vector<double> adjoints;
    for (int k = 0; k < width; ++k)
      for (int i = 0; i < pool; ++i) {
        adjoints.push_back(tape.adjoint(inputs[i], k));
        terms[3 * k + 1] += adjoints.back() * v[i];
        terms[3 * k + 2] += std::fabs(adjoints.back() * v[i]);
      }
    if (sweep == 0) first = adjoints;
    else if (!test::same_sums(first, adjoints)) worst = 1e9;
    // Assignments that the sweep has taken back are done again.
    if (!released && matrix.values() != cells_before) worst = 1e9;
    MPI_Allreduce(MPI_IN_PLACE, terms.data(), 3 * width, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < width; ++k) {
      const double scale = std::max(terms[3 * k + 2], 1e-200);
      const double error = std::fabs(terms[3 * k] - terms[3 * k + 1]) / scale;
      worst = std::max(worst, std::isfinite(error) ? error : std::isfinite(scale) ? 1e9 : 0.0);
    }
  }
  delete p;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

long environment(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

constexpr double tolerance = 1e-12;

/// What the program under way is called, for those who can only say that.
char current[4096] = "no program";

/// Names the program under way and ends all ranks: they wait for each other in the midst of it.
[[noreturn]] void give_up(const char *why) {
  // Only what a signal handler may call.
  const char *const parts[] = {"\nrandom program: ", current, ": ", why, "\n"};
  for (const char *part : parts)
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  _exit(1);
}

void signalled(int signal) {
  give_up(signal == SIGALRM ? "it hangs" : signal == SIGABRT ? "it aborts" : "it crashes");
}

void mpi_failed(MPI_Comm *, int *code, ...) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(*code, text, &length);
  give_up(text);
}

/// Whatever ends a program on one rank is told with the program's name.
void watch() {
  for (const int signal : {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) std::signal(signal, &signalled);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(&mpi_failed, &handler);
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
}

/// The steps that are run, as ADMPI_RANDOM_STEPS takes them.
std::string list(const std::vector<char> &keep) {
  std::string steps;
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i]) steps += (steps.empty() ? "" : ",") + std::to_string(i);
  return steps;
}

/// As `identity_error`, under the eyes of a watchdog.
double watched_error(std::uint64_t seed, const std::vector<char> &keep) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::snprintf(current, sizeof current,
                "rank %d of %d; again by ADMPI_RANDOM_SEED=%llu ADMPI_RANDOM_PROGRAMS=1 ADMPI_RANDOM_STEPS=%s", rank, size,
                static_cast<unsigned long long>(seed), list(keep).c_str());
  alarm(static_cast<unsigned>(environment("ADMPI_RANDOM_PATIENCE", 60)));
  try {
    const double error = identity_error(seed, keep);
    alarm(0);
    return error;
  } catch (const std::exception &error) {
    give_up(error.what());
  } catch (...) {
    give_up("a check has failed");
  }
}

/// The steps of a program that are asked for.
std::vector<char> steps_of(long seed) {
  const std::size_t n = static_cast<std::size_t>(3 + seed % 28);
  const char *text = std::getenv("ADMPI_RANDOM_STEPS");
  if (text == nullptr) return std::vector<char>(n, 1);
  std::vector<char> keep(n, 0);
  for (char *end; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    const unsigned long step = std::strtoul(text, &end, 10);
    if (end == text) break;
    if (step < n) keep[step] = 1;
  }
  return keep;
}

}  // namespace

TEST_CASE("test_random_programs_adjoint_identity") {
  watch();
  const long programs = environment("ADMPI_RANDOM_PROGRAMS", 1000);
  const long first = environment("ADMPI_RANDOM_SEED", 1);
  const double end = MPI_Wtime() + static_cast<double>(environment("ADMPI_RANDOM_SECONDS", 10));
  long seed = first;
  for (; seed < first + programs; ++seed) {
    int late = MPI_Wtime() > end;
    MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (late) break;
    std::vector<char> keep = steps_of(seed);
    double error = watched_error(static_cast<std::uint64_t>(seed), keep);
    if (error <= tolerance) continue;
    for (char &step : keep) {
      if (!step) continue;
      step = 0;
      const double without = watched_error(static_cast<std::uint64_t>(seed), keep);
      if (without > tolerance) error = without;
      else step = 1;
    }
    FAIL_CHECK("seed " << seed << ": relative error " << error << " of the adjoint identity; steps needed: " << list(keep));
    break;
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MESSAGE("programs from seed " << first << ": " << seed - first);
}
