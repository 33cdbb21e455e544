// Thousands of pmaps, three a round, in memory that stays what it is: communicators are made once. ADMPI_TEST_ROUNDS sets how many rounds.
#include <admpi.hpp>
#include <admpi/pmap_ranks.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "pmap/problem.hpp"

using admpi::device_map;
using admpi::multiply;
using admpi::placed;
using admpi::pmap_program;
using admpi::pmap_ranks;
using admpi::varmat;
using test::rank;
using test::recording_tape;

namespace {

/// Resident bytes of this process; 0 where /proc does not tell.
double resident() {
  long pages = 0, ignored = 0;
  if (std::FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &ignored, &pages) != 2) pages = 0;
    std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

long rounds() {
  const char *text = std::getenv("ADMPI_TEST_ROUNDS");
  return text == nullptr ? 1700 : std::atol(text);
}

}  // namespace

TEST_CASE("test_pmap_thousands_in_flat_memory") {
  const pmap_ranks p(test::world, device_map("{1: [1, 0], 2: [2]}"));
  const pmap_program program = pmap_program("def f(x: Tensor[(B, F), 0]):\n    y = Square(x)\n    return y\n").data_parallel("[]", "[]", {"x"});
  varmat x(4, 2, 3.0);
  admpi::tape tape;
  double begin = 0.0;
  const long all = rounds();
  for (long k = 0; k < all; ++k) {
    tape.reset();
    tape.start();
    if (rank() == 0) tape.input(x);
    const placed y = p.program([&] {
      const placed ys = p.run("d", {p.scatter(p.place(0, [&] { return x; }), 0, "[]")}, [&](const auto &v) {
        const placed zs = p.run("dd", {p.broadcast(v[0], "[d]")}, [&](const auto &w) { return w[0]; });
        return p.select(p.allreduce(zs));
      });
      return p.gather(ys, 0);
    });
    const placed z = p.execute(program, {y})[0];
    tape.stop();
    if (rank() == 0) tape.seed(z.matrix());
    tape.reverse();
    if (rank() == 0) {
      // Rows 0 and 1 are summed over two devices, the others over one.
      const std::vector<double> dx = tape.adjoints(x);
      REQUIRE(dx[0] == 2.0 * 6.0 * 2.0);
      REQUIRE(dx[3] == 6.0);
    }
    if (k == all / 5) begin = resident();
  }
  const double grown = resident() - begin;
  CAPTURE(grown);
  CHECK(grown < 1e6);
}
