/* 25: a sparse Jacobian and a sparse Hessian of functions that ranks compute together.
 *
 * Each rank has its cells, and gets the rows of its cells by the cells of all ranks. The functions send halos and sum up as those of any
 * simulation; their patterns go through the messages. */
#include <admpi.hpp>
#include <admpi/sparsity_ranks.hpp>

#include <cstdio>
#include <vector>

/* The cells of this rank, of a ring over all ranks, with a cell of each neighbour around them. */
template <class Real>
static std::vector<Real> with_halo(const std::vector<Real> &t) {
  int rank, ranks;
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  AMPI_Comm_size(AMPI_COMM_WORLD, &ranks);
  const int west = (rank + ranks - 1) % ranks, east = (rank + 1) % ranks;
  std::vector<Real> all(t.size() + 2);
  for (std::size_t i = 0; i < t.size(); ++i) all[i + 1] = t[i];
  AMPI_Sendrecv(&all[1], 1, AMPI_ADOUBLE, west, 1, &all[t.size() + 1], 1, AMPI_ADOUBLE, east, 1, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE);
  AMPI_Sendrecv(&all[t.size()], 1, AMPI_ADOUBLE, east, 2, &all[0], 1, AMPI_ADOUBLE, west, 2, AMPI_COMM_WORLD, AMPI_STATUS_IGNORE);
  return all;
}

/* An implicit step of heat, with a conductivity that grows with temperature: what is to be zero. */
struct Residual {
  template <class Real>
  std::vector<Real> operator()(const std::vector<Real> &t) const {
    const std::vector<Real> all = with_halo(t);
    std::vector<Real> r(t.size());
    for (std::size_t i = 0; i < t.size(); ++i) {
      const Real &west = all[i], &here = all[i + 1], &east = all[i + 2];
      r[i] = here - 0.1 * ((1.0 + east * here) * (east - here) - (1.0 + here * west) * (here - west));
    }
    return r;
  }
};

/* An energy of all cells. Every rank returns the whole sum: without the Allreduce the call is an error. */
struct Energy {
  template <class Real>
  Real operator()(const std::vector<Real> &t) const {
    const std::vector<Real> all = with_halo(t);
    Real own = 0.0, sum = 0.0;
    for (std::size_t i = 1; i <= t.size(); ++i) {
      const Real well = all[i] * all[i] - 1.0, step = all[i + 1] - all[i];
      own += well * well + 2.0 * step * step;
    }
    AMPI_Allreduce(&own, &sum, 1, AMPI_ADOUBLE, AMPI_SUM, AMPI_COMM_WORLD);
    return sum;
  }
};

static void print_row(const char *name, const admpi::csr &a, std::size_t row) {
  std::printf("%s:", name);
  for (int k = a.row_start[row]; k < a.row_start[row + 1]; ++k)
    std::printf("  (%d) %.4f", a.column[static_cast<std::size_t>(k)], a.value[static_cast<std::size_t>(k)]);
  std::printf("\n");
}

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int rank, ranks;
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  AMPI_Comm_size(AMPI_COMM_WORLD, &ranks);

  /* 12000 cells of all ranks. */
  const std::vector<double> x(static_cast<std::size_t>(12000 / ranks), 0.5);
  const admpi::coloured_pattern p = admpi::hessian_sparsity(Energy(), x, AMPI_COMM_WORLD);
  const admpi::csr j = admpi::sparse_jacobian(Residual(), x, AMPI_COMM_WORLD);
  const admpi::csr h = admpi::sparse_hessian(Energy(), x, p, AMPI_COMM_WORLD);

  long own[2] = {static_cast<long>(j.value.size()), static_cast<long>(h.value.size())}, all[2];
  AMPI_Reduce(own, all, 2, AMPI_LONG, AMPI_SUM, 0, AMPI_COMM_WORLD);
  if (rank == 0) {
    std::printf("%ld derivatives of the residual, %ld second derivatives of the energy in %d colours\n", all[0], all[1], p.colours);
    print_row("the first cell's row of the Jacobian", j, 0);
    print_row("the first cell's row of the Hessian", h, 0);
    print_row("the row of this rank's last cell", h, x.size() - 1);
  }
  AMPI_Finalize();
  return 0;
}
