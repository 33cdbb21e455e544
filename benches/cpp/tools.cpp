// What messages of another tool's variables cost over those of admpi::var: recorded and swept. The tool is CoDiPack where CMake is told
// of it (ADMPI_CODIPACK), else the stand-in of the tests.
//   bench_tools   on two ranks
#ifdef ADMPI_BENCH_CODIPACK
#include <codi.hpp>

#include "admpi/codipack.hpp"
#else
#include "tools/stand_in.hpp"
#endif

#include "mpi_bench.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

#ifdef ADMPI_BENCH_CODIPACK
using real = codi::RealReverse;
constexpr const char *name = "CoDiPack";
struct other_tape {
  other_tape() { real::getTape().setActive(); }
  ~other_tape() { real::getTape().reset(); }
  void input(real &x) { real::getTape().registerInput(x); }
  void stop() { real::getTape().setPassive(); }
  void seed(const real &y) { real::getTape().gradient(y.getIdentifier()) = 1.0; }
  void sweep() { real::getTape().evaluate(); }
};
MPI_Datatype type_of() { return admpi::codi_type<real>(); }
#else
using behaviour = stand_in::behaviour;
using real = stand_in::real<behaviour::counting>;
constexpr const char *name = "a stand-in";
struct other_tape {
  stand_in::tape<behaviour::counting> tape;
  other_tape() { tape.recording = true; }
  void input(real &x) { x.become(x.value(), true); }
  void stop() { tape.recording = false; }
  void seed(const real &y) { tape.adjoint(y.id())[0] = 1.0; }
  void sweep() { tape.evaluate(); }
};
MPI_Datatype type_of() { return stand_in::table<behaviour::counting>::datatype(); }
#endif

struct own_tape {
  admpi::tape tape;
  own_tape() { tape.start(); }
  void input(admpi::var &x) { tape.input(x); }
  void stop() { tape.stop(); }
  void seed(const admpi::var &y) { tape.seed(y); }
  void sweep() { tape.reverse(); }
};

/// Seconds of recording and sweeping a message there and back.
template <class Tape, class Real>
double message(MPI_Datatype type, int n, int times) {
  const int peer = 1 - bench::rank();
  std::vector<Real> x(static_cast<std::size_t>(n)), y(x.size());
  double best = 1e9;
  for (int round = 0; round < 15; ++round) {
    Tape tape;
    for (Real &one : x) {
      one = 1.5;
      tape.input(one);
    }
    MPI_Barrier(world);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) AMPI_Sendrecv(x.data(), n, type, peer, 0, y.data(), n, type, peer, 0, world, MPI_STATUS_IGNORE);
    tape.stop();
    tape.seed(y[0]);
    tape.sweep();
    best = std::min(best, (MPI_Wtime() - begin) / times);
  }
  return best;
}

}  // namespace

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  if (bench::rank() == 0) std::printf("messages of variables of %s\n", name);
  for (const int n : {1, 1000, 1000000}) {
    const int times = n == 1 ? 1000 : n == 1000 ? 200 : 2;
    const double own = message<own_tape, admpi::var>(AMPI_ADOUBLE, n, times), other = message<other_tape, real>(type_of(), n, times);
    if (bench::rank() != 0) continue;
    std::printf("n = %d: %.2f us, with admpi::var %.2f us\n", n, 1e6 * other, 1e6 * own);
    bench::row("a message of the tool's variables, over one of admpi::var", other / own, 1.3);
  }
  AMPI_Finalize();
}
