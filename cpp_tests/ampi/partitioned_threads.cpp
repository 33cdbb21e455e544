// Partitioned messages whose parts are made ready by threads, which are not the tape's: the thread that has it waits meanwhile, goes
// on with other messages or with none, and the last part sends.

#include <admpi.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "harness/check.h"
#include "harness/ranks.hpp"

using admpi::var;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
const int parts = 4, each = 100;

enum way { wait_for_all, wait_for_the_receive_first, wait_for_any, test_all, after_the_sweep, ways };

/// A value goes round by a message in parts, and back by one that depends on it. Each rank's answer to the message of its left
/// neighbour is recorded behind the message that led to it, or the sweep never ends.
void go_round(int how, bool late) {
  const int rank = test::rank_of(world), size = test::size_of(world), right = (rank + 1) % size, left = (rank + size - 1) % size;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(parts * each), y(parts * each), z(parts * each), answer(parts * each);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01 * static_cast<double>(i) + rank;
  tape.input(x);
  AMPI_Request q[2];
  AMPI_Psend_init(y.data(), parts, each, AMPI_ADOUBLE, right, 0, world, MPI_INFO_NULL, &q[0]);
  AMPI_Precv_init(z.data(), parts, each, AMPI_ADOUBLE, left, 0, world, MPI_INFO_NULL, &q[1]);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * x[i] * (round + 1.0);
    AMPI_Startall(2, q);
    std::atomic<bool> go{!late};
    std::vector<std::thread> threads;
    for (int part = 0; part < parts; ++part)
      threads.emplace_back([&, part] {
        while (!go.load()) std::this_thread::yield();
        CHECK(AMPI_Pready(part, q[0]) == MPI_SUCCESS);
      });
    const auto join = [&] {
      go.store(true);
      for (std::thread &one : threads) one.join();
      threads.clear();
    };
    if (!late) join();
    go.store(true);
    MPI_Status status;
    int index = 0, flag = 0;
    if (how == wait_for_all) AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    if (how == wait_for_the_receive_first || how == after_the_sweep) {
      AMPI_Wait(&q[1], &status);
      CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 0);
      for (std::size_t i = 0; i < z.size(); ++i) z[i] = z[i] * 0.5;
      AMPI_Sendrecv(z.data(), parts * each, AMPI_ADOUBLE, left, 1, answer.data(), parts * each, AMPI_ADOUBLE, right, 1, world,
                    MPI_STATUS_IGNORE);
      if (how == wait_for_the_receive_first) AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
    }
    for (int done = 0; how == wait_for_any && done < 2; ++done) AMPI_Waitany(2, q, &index, &status);
    while (how == test_all && flag == 0) AMPI_Testall(2, q, &flag, MPI_STATUSES_IGNORE);
    if (!threads.empty()) join();

    const bool answered = how == wait_for_the_receive_first || how == after_the_sweep;
    const std::vector<var> &result = answered ? answer : z;
    tape.clear_adjoints();
    for (const var &one : result) tape.seed(one);
    tape.reverse();
    for (std::size_t i = 0; i < x.size(); ++i) CHECK_CLOSE(tape.adjoint(x[i]), (answered ? 1.0 : 2.0) * x[i].value * (round + 1.0));
    if (how == after_the_sweep) AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  }
  AMPI_Request_free(&q[0]);
  AMPI_Request_free(&q[1]);
}

/// The sweep is the first that the tape's thread does after another thread has sent the message.
void sweep_at_once() {
  const int rank = test::rank_of(world);
  if (rank > 1 || test::size_of(world) == 1) return;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(2, 3.0), y(2);
  tape.input(x);
  for (int i = 0; i < 2; ++i) y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)] * 7.0;
  AMPI_Request q;
  if (rank == 0) AMPI_Psend_init(y.data(), 2, 1, AMPI_ADOUBLE, 1, 0, world, MPI_INFO_NULL, &q);
  else AMPI_Precv_init(y.data(), 2, 1, AMPI_ADOUBLE, 0, 0, world, MPI_INFO_NULL, &q);
  AMPI_Start(&q);
  if (rank == 0) std::thread([&] { AMPI_Pready_range(0, 1, q); }).join();
  else AMPI_Wait(&q, MPI_STATUS_IGNORE);
  if (rank == 1) tape.seed(y[1], 2.0);
  tape.reverse();
  if (rank == 0) {
    CHECK(tape.adjoint(x[1]) == 14.0);
    AMPI_Wait(&q, MPI_STATUS_IGNORE);
  }
  AMPI_Request_free(&q);
}

/// Values of another tape are sent, and the completion says that they have no derivative.
void refuse_values_of_another_tape() {
  const int rank = test::rank_of(world);
  admpi::tape tape;
  tape.start();
  var sent, received = 5.0;
  AMPI_Request q[2];
  AMPI_Psend_init(&sent, 1, 1, AMPI_ADOUBLE, rank, 0, world, MPI_INFO_NULL, &q[0]);
  AMPI_Precv_init(&received, 1, 1, AMPI_ADOUBLE, rank, 0, world, MPI_INFO_NULL, &q[1]);
  AMPI_Startall(2, q);
  std::thread other([&] {
    admpi::tape own;
    own.start();
    var x = 2.0;
    own.input(x);
    sent = x * 3.0;
    CHECK(AMPI_Pready(0, q[0]) == MPI_SUCCESS);
  });
  other.join();
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
  CHECK(received.value == 6.0);
  const int code = AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  CHECK(strstr(text, "another tape") != nullptr);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  AMPI_Request_free(&q[0]);
  AMPI_Request_free(&q[1]);
}

/// A thread without the tape may ask for parts of passive data, not for active values, which it could not record.
void ask_on_another_thread() {
  const int rank = test::rank_of(world);
  admpi::tape tape;
  tape.start();
  var sent = 2.0, received;
  AMPI_Request q[2];
  for (const bool recorded : {true, false}) {
    if (!recorded) tape.stop();
    AMPI_Psend_init(&sent, 1, 1, AMPI_ADOUBLE, rank, 0, world, MPI_INFO_NULL, &q[0]);
    AMPI_Precv_init(&received, 1, 1, AMPI_ADOUBLE, rank, 0, world, MPI_INFO_NULL, &q[1]);
    AMPI_Startall(2, q);
    AMPI_Pready(0, q[0]);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    std::thread other([&] {
      int flag = 0;
      if (recorded) CHECK(AMPI_Parrived(q[1], 0, &flag) != MPI_SUCCESS);
      else
        while (flag == 0) AMPI_Parrived(q[1], 0, &flag);
    });
    other.join();
    MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
    if (!recorded) CHECK(received.value == 2.0);
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    CHECK(received.value == 2.0);
    AMPI_Request_free(&q[0]);
    AMPI_Request_free(&q[1]);
  }
}

}  // namespace

int main(int argc, char **argv) {
  int provided = MPI_THREAD_SINGLE;
  AMPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  CHECK(provided == MPI_THREAD_MULTIPLE);
  if (provided == MPI_THREAD_MULTIPLE) {
    for (int how = 0; how < ways; ++how)
      for (const bool late : {false, true}) go_round(how, late);
    sweep_at_once();
    refuse_values_of_another_tape();
    ask_on_another_thread();
  }
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, world);
  AMPI_Finalize();
  return failures != 0;
}
