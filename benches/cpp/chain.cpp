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
  const long links = statements / 4;
  const double n = static_cast<double>(4 * links);

  admpi::var x, y, z;
  const auto prepare = [&](admpi::tape_ref tape) {
    tape.reset();
    tape.start();
    x = start;
    y = shift;
    tape.input(x);
    tape.input(y);
  };
  const auto record = [&] { z = chain(x, y, factor, links); };

  // In turns, so that whatever else the machine does falls on all of them.
  bench::fastest plain, warm, sweep, cold, first_touch;
  admpi::tape tape;
  double dx = 0.0;
  double dy = 0.0;
  prepare(tape);
  record();
  const auto statistics = tape.statistics();
  const auto touched = static_cast<std::size_t>(statistics.argument_bytes + statistics.statement_bytes);
  for (int i = 0; i < runs; ++i) {
    plain.run([&] { bench::use(chain(start, shift, factor, links)); });
    warm.run([&] { prepare(tape); }, record);
    sweep.run([&] { tape.seed(z); }, [&] { tape.reverse(); });
    dx = tape.adjoint(x);
    dy = tape.adjoint(y);
    first_touch.run([&] { touch(touched); });
    admpi::tape fresh;
    cold.run([&] { prepare(fresh); }, record);
  }

  using admpi::tangent;
  const double tangent_x = chain(tangent<double>(start, 1.0), tangent<double>(shift, 0.0), factor, links).derivative;
  const double tangent_y = chain(tangent<double>(start, 0.0), tangent<double>(shift, 1.0), factor, links).derivative;
  bench::check("chain: dx", dx, tangent_x, 1e-9);
  bench::check("chain: dy", dy, tangent_y, 1e-9);

  std::printf("chain: %.0f statements, plain %.2f ns, record %.2f ns (cold %.2f), sweep %.2f ns a statement\n", n,
              1e9 * plain.seconds() / n, 1e9 * warm.seconds() / n, 1e9 * cold.seconds() / n, 1e9 * sweep.seconds() / n);
  bench::row("chain, warm: record over the plain loop", warm.seconds() / plain.seconds(), 1.2);
  bench::row("chain, warm: sweep over the plain loop", sweep.seconds() / plain.seconds(), 1.3);
  // Each statement has an id of its own, and that an adjoint.
  bench::row("chain, bytes a statement, adjoint included", static_cast<double>(touched) / n + 8.0, 24.0);
  bench::row("chain, (cold - warm) recording over the first touch of its bytes",
             (cold.seconds() - warm.seconds()) / first_touch.seconds(), 1.2);
  return 0;
}
