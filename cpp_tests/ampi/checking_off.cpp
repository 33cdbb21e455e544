// What a sweep finds without checking, from the stamps of collectives.
#define ADMPI_SOURCE_LINES
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "ampi/checking.hpp"

using namespace check_tests;

namespace {

/// As `outcome` without checking: what this rank found in the sweep.
template <class F>
std::string found_in_sweep(const F &program, MPI_Comm comm = MPI_COMM_WORLD) {
  test::begin();
  test::recording_tape tape;
  std::vector<admpi::var> x(8);
  for (int i = 0; i < 8; ++i) x[i] = 1.0 + rank() + 0.1 * i;
  tape.input(x);
  program(tape, x);
  tape.stop();
  std::string text;
  try {
    tape.reverse();
  } catch (const admpi::mismatch_error &error) {
    text = error.what();
  }
  REQUIRE(admpi_tape_abandon_sweep(tape.handle(), comm) == ADMPI_SUCCESS);
  return text;
}

/// A call, in place where it has two buffers, by all ranks.
struct collective {
  std::string name;
  std::function<void(std::vector<admpi::var> &)> call;
};

std::vector<collective> all_collectives() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const auto type = AMPI_ADOUBLE;
  using vars = std::vector<admpi::var>;
  const auto twice = [](vars &x) { return vars(2 * static_cast<std::size_t>(ranks()) + x.size()); };
  return {
      {"Bcast", [=](vars &x) { AMPI_Bcast(x.data(), 2, type, 0, comm); }},
      {"Gather", [=](vars &x) { AMPI_Gather(x.data(), 2, type, twice(x).data(), 2, type, 0, comm); }},
      {"Scatter", [=](vars &x) { AMPI_Scatter(twice(x).data(), 2, type, x.data(), 2, type, 0, comm); }},
      {"Allgather", [=](vars &x) { AMPI_Allgather(x.data(), 2, type, twice(x).data(), 2, type, comm); }},
      {"Alltoall", [=](vars &x) { AMPI_Alltoall(twice(x).data(), 2, type, twice(x).data(), 2, type, comm); }},
      {"Reduce", [=](vars &x) { AMPI_Reduce(x.data(), twice(x).data(), 2, type, MPI_PROD, 0, comm); }},
      {"Reduce_scatter_block", [=](vars &x) { AMPI_Reduce_scatter_block(twice(x).data(), x.data(), 2, type, MPI_MIN, comm); }},
      {"Allreduce", [=](vars &x) { AMPI_Allreduce(x.data(), twice(x).data(), 2, type, MPI_MAX, comm); }},
      {"Scan", [=](vars &x) { AMPI_Scan(x.data(), twice(x).data(), 2, type, MPI_PROD, comm); }},
      {"Exscan", [=](vars &x) { AMPI_Exscan(x.data(), twice(x).data(), 2, type, MPI_SUM, comm); }},
  };
}

/// What a member says that does not fit.
bool is_misfit(const std::string &text, const std::string &name) {
  return has(text, "the adjoint of " + name + ": this rank reverses its " + name + ", recorded as collective number ") &&
         has(text, "all members must record");
}

}  // namespace

TEST_CASE("test_checking_off_a_collective_that_a_rank_did_not_record") {
  if (ranks() < 2) return;
  // Whose last call all members wait for: all of them say so, whatever the call is that one has not on record.
  for (const collective &missing : all_collectives()) {
    // A Scan of products that is recorded is not the same call of MPI.
    if (missing.name == "Scan") continue;
    CAPTURE(missing.name);
    const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      std::vector<admpi::var> y(8);
      AMPI_Reduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      if (rank() == ranks() - 1) tape.stop();
      missing.call(x);
      tape.start();
      AMPI_Allreduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
      tape.seed(y[0]);
    });
    CAPTURE(text);
    CHECK(is_misfit(text, "Allreduce"));
    CHECK(has(text, rank() == ranks() - 1 ? "number 2 " : "number 3 "));
    CHECK(has(text, "not all members do"));
  }
}

TEST_CASE("test_checking_off_each_collective_tells") {
  // The same where the last call is any of them: those tell that something comes home to. A third rank would wait.
  if (ranks() != 2) return;
  for (const collective &last : all_collectives()) {
    CAPTURE(last.name);
    const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      std::vector<admpi::var> y(8);
      if (rank() == ranks() - 1) tape.stop();
      AMPI_Reduce(x.data(), y.data(), 8, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      tape.start();
      last.call(x);
    });
    CAPTURE(text);
    const bool is_last = rank() == ranks() - 1, is_root = rank() == 0;
    const bool from_root = last.name == "Gather" || last.name == "Reduce", to_root = last.name == "Bcast" || last.name == "Scatter";
    const bool downwards = last.name == "Scan" || last.name == "Exscan";
    const bool told = from_root ? is_last : to_root ? is_root : downwards ? !is_last : true;
    const std::string name = last.name == "Reduce_scatter_block" ? "Reduce_scatter" : last.name;
    if (told) CHECK(has(text, "reverses its " + name + ", recorded as collective number " + (is_last ? "1 " : "2 ")));
    if (from_root && is_last) CHECK(has(text, "another member its " + name + ", recorded as collective number 2 "));
  }
}

TEST_CASE("test_checking_off_neighbours_tell") {
  // All are neighbours of the one that has not recorded the first call.
  if (ranks() < 2 || ranks() > 3) return;
  const int ranks_of_ring = ranks(), periodic = 1;
  MPI_Comm ring;
  AMPI_Cart_create(MPI_COMM_WORLD, 1, &ranks_of_ring, &periodic, 0, &ring);
  using vars = std::vector<admpi::var>;
  const auto allgather = [&](vars &x, vars &y, int n) {
    AMPI_Neighbor_allgather(x.data(), n, AMPI_ADOUBLE, y.data(), n, AMPI_ADOUBLE, ring);
  };
  const auto alltoall = [&](vars &x, vars &y, int n) {
    AMPI_Neighbor_alltoall(x.data(), n, AMPI_ADOUBLE, y.data(), n, AMPI_ADOUBLE, ring);
  };
  const bool is_last = rank() == ranks() - 1;
  // The last is a message of several pieces in the second case.
  for (const int n : {2, 20000}) {
    for (const bool gathers : {true, false}) {
      CAPTURE(n);
      CAPTURE(gathers);
      const std::string text = found_in_sweep([&](admpi::tape &tape, vars &x) {
        x.resize(2 * static_cast<std::size_t>(n), x[0]);
        vars y(x.size());
        if (is_last) tape.stop();
        alltoall(x, y, n);
        tape.start();
        if (gathers)
          allgather(x, y, n);
        else
          alltoall(x, y, n);
        tape.seed(y[0]);
      }, ring);
      CAPTURE(text);
      const std::string name = gathers ? "Neighbor_allgather" : "Neighbor_alltoall";
      CHECK(has(text, "reverses its " + name + ", recorded as collective number " + (is_last ? "1 " : "2 ")));
      CHECK(has(text, "another member its " + name + ", recorded as collective number " + (is_last ? "2 " : "1 ")));
    }
  }
  AMPI_Comm_free(&ring);
}

TEST_CASE("test_checking_off_polling_tells") {
  // Each call that does not block has a tag, counted by those on record: where one is missing, a message of the same length is
  // another call's.
  if (ranks() != 2) return;
  const int set = admpi_set_polling(1);
  const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
    std::vector<admpi::var> y(8);
    if (rank() == 1) tape.stop();
    AMPI_Request request;
    AMPI_Ireduce(x.data(), y.data(), 2, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request);
    AMPI_Wait(&request, AMPI_STATUS_IGNORE);
    tape.start();
    AMPI_Igather(x.data(), 2, AMPI_ADOUBLE, y.data(), 2, AMPI_ADOUBLE, 0, MPI_COMM_WORLD, &request);
    AMPI_Wait(&request, AMPI_STATUS_IGNORE);
  });
  admpi_set_polling(set);
  CAPTURE(text);
  if (rank() == 1) CHECK(has(text, "this rank reverses its Gather, and another member its Reduce: all members must record"));
}

TEST_CASE("test_checking_off_collectives_that_differ") {
  if (ranks() < 2) return;
  const bool is_last = rank() == ranks() - 1;
  const auto reduce = [](std::vector<admpi::var> &x, int n) {
    std::vector<admpi::var> y(8);
    AMPI_Reduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  };
  const std::string operation = found_in_sweep([&](admpi::tape &, std::vector<admpi::var> &x) {
    std::vector<admpi::var> y(2);
    AMPI_Allreduce(x.data(), y.data(), 2, AMPI_ADOUBLE, is_last ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
  });
  CAPTURE(operation);
  CHECK(is_misfit(operation, "Allreduce"));
  // Of two calls of another length each side has one: the message is shorter than the room, and longer.
  for (const int n : {2, 8}) {
    CAPTURE(n);
    const std::string text = found_in_sweep([&](admpi::tape &tape, std::vector<admpi::var> &x) {
      if (!is_last) tape.stop();
      reduce(x, n);
      tape.start();
      if (is_last) tape.stop();
      reduce(x, 5);
      tape.start();
    });
    CAPTURE(text);
    CHECK(has(text, "the adjoint of Reduce: ") == is_last);
    CHECK(has(text, "all members must record a collective") == is_last);
  }
  // Nothing to give, and a passive type: the others record the call, this rank does not.
  const std::string passive = found_in_sweep([&](admpi::tape &, std::vector<admpi::var> &x) {
    std::vector<int> counts(ranks(), 1), places(ranks());
    counts[ranks() - 1] = 0;
    for (int i = 0; i < ranks(); ++i) places[i] = i;
    std::vector<admpi::var> all(ranks());
    reduce(x, 1);
    AMPI_Gatherv(static_cast<void *>(x.data()), is_last ? 0 : 1, is_last ? MPI_BYTE : AMPI_ADOUBLE, all.data(), counts.data(),
                 places.data(), AMPI_ADOUBLE, 0, MPI_COMM_WORLD);
    reduce(x, 1);
  });
  CAPTURE(passive);
  CHECK(is_misfit(passive, "Reduce") == is_last);
}

TEST_CASE("test_checking_off_histories_may_differ") {
  // Only what is swept counts: what was recorded before, and forgotten or not, on one rank or another, does not.
  test::begin();
  admpi::tape tape;
  const auto reduce = [&](admpi::var &x) {
    admpi::var y;
    AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y;
  };
  if (rank() == 0) tape.start();
  admpi::var before = 3.0;
  if (rank() == 0) tape.input(before);
  for (int i = 0; i < 3; ++i) reduce(before);
  if (rank() == 0) tape.reset();
  tape.start();
  for (int i = 0; i < 3; ++i) {
    const auto bottom = tape.position();
    admpi::var x = 1.0 + rank();
    tape.input(x);
    admpi::var y = reduce(x);
    const auto middle = tape.position();
    y = reduce(y);
    tape.seed(y);
    // The upper part alone, and then what is below.
    tape.reverse(tape.position(), middle);
    tape.reverse(middle, bottom);
    CHECK(tape.adjoint(x) == ranks() * ranks());
    tape.reset();
  }
}

TEST_CASE("test_checking_off_errors_name_the_source_line") {
  const admpi::var x = 1.0;
  const int line = __LINE__ + 1;
  const std::string text = test::refusal([&] { return AMPI_Send(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); });
  CAPTURE(text);
  CHECK(has(text, "AMPI_Send (checking_off.cpp:" + std::to_string(line) + "): the buffer is of admpi::var"));
  // A call that does not tell its line.
  CHECK(has(test::refusal([&] { return (AMPI_Send)(&x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); }), "AMPI_Send: the buffer"));
}

// The last one: what a rank has told another that did not come stays under way.
TEST_CASE("test_checking_a_rank_that_does_not_come") {
  // Rank 2 has nothing to do with the one that is waited for, but would wait for the one that waits.
  if (ranks() < 2) return;
  setenv("ADMPI_CHECK_SECONDS", "1", 1);
  const std::string text = outcome([](admpi::tape &, std::vector<admpi::var> &x) {
    double plain[3];
    if (rank() == 0) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 1, 8, MPI_COMM_WORLD);
    if (rank() == 1) MPI_Recv(plain, 3, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank() == 0 && ranks() > 2) AMPI_Send(x.data(), 3, AMPI_ADOUBLE, 2, 9, MPI_COMM_WORLD);
    if (rank() == 2) AMPI_Recv(x.data(), 3, AMPI_ADOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  unsetenv("ADMPI_CHECK_SECONDS");
  CAPTURE(text);
  if (rank() == 0 || rank() == 2) {
    CHECK(has(text, "rank 1 has not come to the comparison with rank 0, which has on record AMPI_Send"));
    CHECK(has(text, "if one end of a message uses MPI_DOUBLE and the other AMPI_ADOUBLE, the first records nothing"));
    CHECK(has(text, "AMPI_Send ("));
    CHECK(has(text, "tag 8"));
  } else {
    CHECK(text == "");
  }
}
