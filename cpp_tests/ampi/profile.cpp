// Profiles on ranks: regions around messages, the spread over ranks, source lines.
#define ADMPI_SOURCE_LINES
#include <admpi.hpp>

#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/ranks.hpp"

using admpi::profile_row;
using admpi::region;
using admpi::var;

namespace {

/// The row whose name ends so; all zeros if there is none.
profile_row row_of(const admpi::profile &profile, const std::string &end) {
  for (const profile_row &row : profile.rows())
    if (row.region.size() >= end.size() && row.region.compare(row.region.size() - end.size(), end.size(), end) == 0) return row;
  return {};
}

/// A ring: each rank sends x to the right, in regions; `lines` are those of the send and of the receive.
void ring(admpi::tape &tape, std::vector<var> &x, int (&lines)[2]) {
  region halo("halo");
  std::vector<var> from(x.size());
  AMPI_Request request;
  const int n = static_cast<int>(x.size());
  AMPI_Isend(x.data(), n, AMPI_ADOUBLE, test::right(), 3, test::world, &request); lines[0] = __LINE__;
  AMPI_Recv(from.data(), n, AMPI_ADOUBLE, test::left(), 3, test::world, MPI_STATUS_IGNORE); lines[1] = __LINE__;
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * from[i];
  static_cast<void>(tape);
}

}  // namespace

TEST_CASE("test_profile_spread_over_ranks") {
  admpi::tape tape;
  tape.set_profile(true);
  tape.start();
  std::vector<var> x(3, 1.0 + test::rank());
  tape.input(x);
  int lines[2] = {};
  // Other ranks have more rounds of work, and rank 0 a region of its own.
  for (int i = 0; i < 4; ++i) ring(tape, x, lines);
  var y = x[0] + x[1] + x[2];
  for (int i = 0; i <= test::rank(); ++i) {
    region work("work");
    y = sin(y);
  }
  if (test::rank() == 0) {
    region first("rank 0 alone");
    y = y * 2.0;
  }
  tape.seed(y);
  tape.reverse();

  const admpi::profile own = tape.profile();
  const std::string send = "halo/profile.cpp:" + std::to_string(lines[0]);
  const std::string receive = "halo/profile.cpp:" + std::to_string(lines[1]);
  CHECK(row_of(own, "halo").statements.mean == 12);
  CHECK(row_of(own, send).count.mean == 4);
  CHECK(row_of(own, send).events.mean == 4);
  CHECK(row_of(own, receive).events.mean == 4);
  CHECK(row_of(own, receive).statements.mean == 0);
  CHECK(row_of(own, receive).sweep_seconds.mean > 0);
  CHECK(row_of(own, send).sweep_seconds.mean > 0);

  const admpi::profile all = tape.profile(test::world);
  std::ostringstream printed;
  printed << all;
  if (test::rank() != 0) {
    CHECK(all.ranks() == 0);
    CHECK(all.rows().empty());
    CHECK(printed.str().empty());
    return;
  }
  const double n = test::size();
  CHECK(all.ranks() == test::size());
  const profile_row work = row_of(all, "work");
  CHECK(work.count.least == 1);
  CHECK(work.count.most == n);
  CHECK(work.count.mean == (1 + n) / 2);
  const profile_row alone = row_of(all, "rank 0 alone");
  CHECK(alone.count.most == 1);
  CHECK(alone.count.mean == 1 / n);
  CHECK(alone.count.least == (n > 1 ? 0 : 1));
  CHECK(row_of(all, "halo").statements.least == 12);
  CHECK(printed.str().find("halo") != std::string::npos);
  CHECK((printed.str().find("least") != std::string::npos) == (n > 1));
}

TEST_CASE("test_profile_gather_refuses_null") {
  CHECK(admpi_profile_gather(nullptr, test::world) == ADMPI_ERR_NULL);
}
