// A chain of small statements around 0: t = x + y, s = t * c, u = sin(s), x = exp(u) - 1.
// Recording and sweeping against the plain loop, bytes a statement, and what first touches of memory cost.
#include <admpi.hpp>

#include <sys/mman.h>

#include "bench.hpp"

namespace {

constexpr double start = -1e-3;
constexpr double shift = 0.0;
constexpr double factor = 1.0 - 1e-7;

template <class T>
[[gnu::noinline]] T chain(T x, const T &y, double c, long links) {
  using std::exp;
  using std::sin;
  for (long i = 0; i < links; ++i) {
    T t = x + y;
    T s = t * c;
    T u = sin(s);
    x = exp(u) - 1.0;
  }
  return x;
}

/// Touches so many fresh bytes, one store a page.
void touch(std::size_t bytes) {
  void *fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED) std::abort();
  for (std::size_t at = 0; at < bytes; at += 4096) static_cast<volatile char *>(fresh)[at] = 1;
  munmap(fresh, bytes);
}

}  // namespace

int main(int argc, char **argv) {
  const long statements = argc > 1 ? std::atol(argv[1]) : 10000000;
  const int runs = argc > 2 ? std::atoi(argv[2]) : 7;
  constexpr int parts = 100;
  const long part = statements / (4 * parts);
  const long links = parts * part;
  const double n = static_cast<double>(4 * links);

  admpi::var x, y, z;
  std::vector<admpi::position> positions(parts + 1);
  const auto prepare = [&](admpi::tape_ref tape) {
    tape.reset();
    tape.start();
    x = start;
    y = shift;
    tape.input(x);
    tape.input(y);
  };

  // In turns, so that whatever else the machine does falls on all of them.
  bench::blocks plain, record, sweep;
  bench::fastest warm, cold, first_touch;
  admpi::tape tape;
  double dx = 0.0;
  double dy = 0.0;
  prepare(tape);
  z = chain(x, y, factor, links);
  const auto statistics = tape.statistics();
  const auto touched = static_cast<std::size_t>(statistics.argument_bytes + statistics.statement_bytes);
  for (int i = 0; i < runs; ++i) {
    double passive = start;
    for (int k = 0; k < parts; ++k) {
      plain.run([&] {
        passive = chain(passive, shift, factor, part);
        bench::use(passive);
      });
    }
    prepare(tape);
    z = x;
    positions[0] = tape.position();
    for (int k = 0; k < parts; ++k) {
      record.run([&] { z = chain(z, y, factor, part); });
      positions[k + 1] = tape.position();
    }
    tape.seed(z);
    for (int k = parts; k > 0; --k) sweep.run([&] { tape.reverse(positions[k], positions[k - 1]); });
    dx = tape.adjoint(x);
    dy = tape.adjoint(y);
    warm.run([&] { prepare(tape); }, [&] { z = chain(x, y, factor, links); });
    first_touch.run([&] { touch(touched); });
    admpi::tape fresh;
    cold.run([&] { prepare(fresh); }, [&] { z = chain(x, y, factor, links); });
  }

  using admpi::tangent;
  const double tangent_x = chain(tangent<double>(start, 1.0), tangent<double>(shift, 0.0), factor, links).derivative;
  const double tangent_y = chain(tangent<double>(start, 0.0), tangent<double>(shift, 1.0), factor, links).derivative;
  bench::check("chain: dx", dx, tangent_x, 1e-9);
  bench::check("chain: dy", dy, tangent_y, 1e-9);

  const double each = 1e9 * parts / n;
  std::printf("chain: %.0f statements, plain %.2f ns, record %.2f ns, sweep %.2f ns a statement\n", n,
              each * plain.seconds(), each * record.seconds(), each * sweep.seconds());
  bench::row("chain, warm: record over the plain loop", record.seconds() / plain.seconds(), 1.2);
  bench::row("chain, warm: sweep over the plain loop", sweep.seconds() / plain.seconds(), 1.3);
  // Each statement has an id of its own, and that an adjoint.
  bench::row("chain, bytes a statement, adjoint included", static_cast<double>(touched) / n + 8.0, 24.0);
  bench::row("chain, (cold - warm) recording over the first touch of its bytes",
             (cold.seconds() - warm.seconds()) / first_touch.seconds(), 1.2);
  return 0;
}
