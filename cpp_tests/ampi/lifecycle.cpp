// The library's life in a program that initialises MPI itself: asked about types before it begins, begun on a part
// of the processes, ended and begun again, used by two threads at once, ended with a recording left.

#include <admpi.hpp>

#include <thread>
#include <vector>

#include "harness/check.h"
#include "harness/ranks.hpp"

using admpi::var;
using test::rank_of;
using test::size_of;

/// A value goes round; its derivative comes back.
static void ring(MPI_Comm comm, MPI_Datatype type, int count, double weight) {
  const int size = size_of(comm), right = (rank_of(comm) + 1) % size, left = (rank_of(comm) + size - 1) % size;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(4, 1.0), y(4), z(1);
  tape.input(x);
  AMPI_Sendrecv(x.data(), count, type, right, 0, y.data(), count, type, left, 0, comm, MPI_STATUS_IGNORE);
  CHECK(y[0].id != 0);
  AMPI_Allreduce(y.data(), z.data(), 1, AMPI_ADOUBLE, MPI_SUM, comm);
  tape.seed(y[0], weight);
  tape.seed_replicated(z[0], comm, 10.0);
  tape.reverse();
  CHECK(tape.adjoint(x[0]) == weight + 10.0);
}

constexpr int types = 40;

/// Uses types that hold nothing active, and frees them, so that their handles may come again.
static void use_passive_types() {
  std::vector<MPI_Datatype> made(types);
  for (MPI_Datatype &type : made) {
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
  }
  double x[4] = {1.0, 2.0, 3.0, 4.0}, y[4] = {};
  for (const MPI_Datatype type : made)
    AMPI_Sendrecv(x, 1, type, 0, 0, y, 1, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(y[0] == 1.0 && y[2] == 3.0);
  for (MPI_Datatype &type : made) MPI_Type_free(&type);
}

static void use_active_types(MPI_Comm comm) {
  std::vector<MPI_Datatype> made(types);
  for (MPI_Datatype &type : made) {
    MPI_Type_vector(2, 1, 2, AMPI_ADOUBLE, &type);
    MPI_Type_commit(&type);
  }
  for (const MPI_Datatype type : made) ring(comm, type, 1, 3.0);
  for (MPI_Datatype &type : made) MPI_Type_free(&type);
}

/// Communicators of one group come and go in two threads, each with a tape of its own.
static void two_threads(int steps) {
  MPI_Comm base[2];
  for (MPI_Comm &comm : base) AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const auto work = [&base, steps](int t) {
    for (int step = 0; step < steps; ++step) {
      MPI_Comm comm;
      AMPI_Comm_dup(base[t], &comm);
      ring(comm, AMPI_ADOUBLE, 1, 1.0 + t + 2 * step);
      AMPI_Comm_free(&comm);
    }
  };
  std::thread one(work, 0), other(work, 1);
  one.join();
  other.join();
  for (MPI_Comm &comm : base) AMPI_Comm_free(&comm);
}

/// A bit of all kinds of collectives, in and out of order, nested and not; what the result's derivative is stands in
/// the test of each alone.
static double all_kinds(MPI_Comm comm, double weight, bool nested) {
  const int size = size_of(comm), rank = rank_of(comm), n = 6;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(n), y(n), z(n), w(n), all(n * size), v(n);
  for (int i = 0; i < n; ++i) x[i] = 0.7 + 0.1 * rank + 0.01 * i;
  tape.input(x);
  const std::vector<var> input = x;
  AMPI_Request q[4];
  AMPI_Iallreduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_PROD, comm, &q[0]);
  AMPI_Iscan(x.data(), z.data(), n, AMPI_ADOUBLE, MPI_PROD, comm, &q[1]);
  AMPI_Iallgather(x.data(), n, AMPI_ADOUBLE, all.data(), n, AMPI_ADOUBLE, comm, &q[2]);
  AMPI_Ireduce(x.data(), w.data(), n, AMPI_ADOUBLE, MPI_MAX, size - 1, comm, &q[3]);
  for (const int i : {2, 0, 3, 1}) AMPI_Wait(&q[i], MPI_STATUS_IGNORE);
  if (rank != size - 1) w = x;
  AMPI_Bcast(w.data(), n, AMPI_ADOUBLE, size - 1, comm);
  double inner = 0.0;
  if (nested) {
    const double one = 1.0;
    const var in = 1.0;
    var out;
    tape.callback(&in, 1, &one, 1, &out, [&](const admpi::callback_adjoints &) { inner = all_kinds(comm, weight, false); });
  }
  for (int i = 0; i < n; ++i) v[i] = y[i] * z[i] + w[i] * all[(rank + 1) % size * n + i];
  AMPI_Alltoall(v.data(), n / size, AMPI_ADOUBLE, z.data(), n / size, AMPI_ADOUBLE, comm);
  AMPI_Reduce_scatter_block(v.data(), y.data(), n / size, AMPI_ADOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n / size; ++i) tape.seed(z[i] * y[i], weight);
  tape.reverse();
  double sum = inner;
  for (int i = 0; i < n; ++i) sum += (1.0 + i) * tape.adjoint(input[i]);
  return sum;
}

/// The same in two threads as in one after the other.
static void two_threads_in_collectives(int steps) {
  MPI_Comm comm[2];
  for (MPI_Comm &one : comm) AMPI_Comm_dup(MPI_COMM_WORLD, &one);
  std::vector<double> alone[2], together[2];
  for (int t = 0; t < 2; ++t) alone[t].resize(steps), together[t].resize(steps);
  const auto work = [&comm, steps](int t, double *results) {
    for (int step = 0; step < steps; ++step) results[step] = all_kinds(comm[t], 1.0 + t + 2 * step, step % 2 == 0);
  };
  for (int t = 0; t < 2; ++t) work(t, alone[t].data());
  std::thread one(work, 0, together[0].data()), other(work, 1, together[1].data());
  one.join();
  other.join();
  for (int t = 0; t < 2; ++t)
    for (int step = 0; step < steps; ++step) CHECK(together[t][step] == alone[t][step] && alone[t][step] != 0.0);
  for (MPI_Comm &each : comm) AMPI_Comm_free(&each);
}

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int rank = rank_of(MPI_COMM_WORLD);

  CHECK(AMPI_ADOUBLE == MPI_DATATYPE_NULL);
  use_passive_types();
  CHECK(admpi_finalize() == ADMPI_SUCCESS);

  // The first rank by itself, the others together.
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &part);
  CHECK(admpi_init(MPI_COMM_NULL) != ADMPI_ERR_ABI);
  CHECK(admpi_init(part) == ADMPI_SUCCESS);
  CHECK(admpi_init(part) == ADMPI_SUCCESS);
  use_active_types(part);
  CHECK(admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS);
  use_active_types(MPI_COMM_WORLD);

  // What was recorded before the end cannot be swept after it, and says so.
  admpi::tape tape;
  tape.start();
  var x = 1.0, y;
  tape.input(x);
  AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
  tape.seed(y);
  CHECK(admpi_finalize() == ADMPI_SUCCESS);
  CHECK(admpi_finalize() == ADMPI_SUCCESS);
  CHECK(AMPI_ADOUBLE == MPI_DATATYPE_NULL);
  CHECK(admpi_tape_reverse(tape.handle()) == ADMPI_ERR_MPI);
  CHECK(strstr(admpi_last_error(), "has been finalised") != nullptr);

  for (int again = 0; again < 3; ++again) {
    use_passive_types();
    CHECK(admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS);
    use_active_types(MPI_COMM_WORLD);
    CHECK(admpi_tape_reverse(tape.handle()) == ADMPI_ERR_MPI);
    if (again < 2) CHECK(admpi_finalize() == ADMPI_SUCCESS);
  }
  ring(MPI_COMM_WORLD, AMPI_ADOUBLE, 4, 2.0);
  if (provided == MPI_THREAD_MULTIPLE) {
    // With any argument few times: under valgrind threads take turns.
    two_threads(argc > 1 ? 6 : 40);
    two_threads_in_collectives(argc > 1 ? 4 : 25);
  }

  // The part still bears the mark of the library's first life.
  CHECK(AMPI_Comm_register(part) == MPI_SUCCESS);
  ring(part, AMPI_ADOUBLE, 1, 5.0);
  AMPI_Comm_free(&part);

  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  CHECK(admpi_tape_reverse(tape.handle()) == ADMPI_ERR_MPI);
  return failures != 0;
}
