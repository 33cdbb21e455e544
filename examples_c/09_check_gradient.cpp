/* 09: a gradient, checked to rounding by forward mode.
 *
 * A model templated on its scalar runs with double, with a tangent, which carries the derivative along one direction, and with
 * an active scalar on a tape. All three use the same MPI calls. The tangent and the gradient times the direction agree to the
 * last digits; a central difference agrees to about eight. */
#include <admpi.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int n = 4;  // numbers of a rank
int rank, ranks;

/* Passes numbers around the ring, bends them, and takes the root of the mean square and the largest. */
template <class Real>
Real model(std::vector<Real> x) {
  const MPI_Datatype type = admpi::mpi_type<Real>();
  for (int step = 0; step < 5; ++step) {
    Real left;
    AMPI_Sendrecv(&x[n - 1], 1, type, (rank + 1) % ranks, 0, &left, 1, type, (rank + ranks - 1) % ranks, 0, AMPI_COMM_WORLD,
                  AMPI_STATUS_IGNORE);
    for (Real &y : x) {
      const Real here = y;
      y += 0.3 * sin(left - here);
      left = here;
    }
  }
  Real mine[2] = {0.0, x[0]}, sum, largest;
  for (const Real &y : x) {
    mine[0] += y * y;
    mine[1] = std::fmax(mine[1], y);
  }
  AMPI_Allreduce(&mine[0], &sum, 1, type, AMPI_SUM, AMPI_COMM_WORLD);
  AMPI_Allreduce(&mine[1], &largest, 1, type, AMPI_MAX, AMPI_COMM_WORLD);
  return sqrt(sum / (n * ranks)) + largest;
}

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  AMPI_Comm_size(AMPI_COMM_WORLD, &ranks);
  {
    std::vector<double> x(n), v(n), above(n), below(n), gradient(n);
    std::vector<admpi::tangent<double>> along(n);
    const double h = 1e-5;
    for (int i = 0; i < n; ++i) {
      x[i] = std::cos(1.0 + i + n * rank);
      v[i] = std::sin(2.0 * i - rank);
      above[i] = x[i] + h * v[i];
      below[i] = x[i] - h * v[i];
      along[i] = {x[i], v[i]};
    }
    const double difference = (model(above) - model(below)) / (2 * h);
    const double forward = admpi::derivative(model(along));

    admpi::tape tape;
    std::vector<admpi::var> active(x.begin(), x.end());
    tape.start();
    tape.input(active);
    const admpi::var y = model(active);
    tape.stop();
    if (rank == 0) tape.seed(y); /* every rank has it */
    tape.reverse();
    double mine = 0.0, reverse;
    for (int i = 0; i < n; ++i) mine += tape.adjoint(active[i]) * v[i];
    AMPI_Allreduce(&mine, &reverse, 1, AMPI_DOUBLE, AMPI_SUM, AMPI_COMM_WORLD);

    if (rank == 0) {
      std::printf("along the direction: %.6f\n", forward);
      std::printf("reverse and forward agree to rounding: %s\n", std::fabs(reverse - forward) < 1e-13 ? "yes" : "no");
      std::printf("a central difference agrees to 8 digits: %s\n", std::fabs(difference - forward) < 1e-8 ? "yes" : "no");
    }
  }
  AMPI_Finalize();
}
