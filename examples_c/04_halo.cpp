/* 04: a halo exchange, differentiated.
 *
 * A ring of cells is distributed over the ranks. In each step every cell becomes the mean of itself and its two neighbours, for
 * which the ranks exchange their outermost cells. Adjoints flow against the messages: the derivative of the last cell 3 with
 * respect to the first state is a bell around cell 3. It reaches as many cells as there were steps, also across ranks. */
#include <admpi.hpp>

#include <cstdio>
#include <vector>

using Cells = std::vector<admpi::var>;

void exchange_halo(Cells &cell, int left, int right) {
  const int n = int(cell.size()) - 2;
  AMPI_Request request[4];
  AMPI_Irecv(&cell[0], 1, AMPI_ADOUBLE, left, 0, AMPI_COMM_WORLD, &request[0]);
  AMPI_Irecv(&cell[n + 1], 1, AMPI_ADOUBLE, right, 1, AMPI_COMM_WORLD, &request[1]);
  AMPI_Isend(&cell[n], 1, AMPI_ADOUBLE, right, 0, AMPI_COMM_WORLD, &request[2]);
  AMPI_Isend(&cell[1], 1, AMPI_ADOUBLE, left, 1, AMPI_COMM_WORLD, &request[3]);
  AMPI_Waitall(4, request, AMPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  constexpr int cells = 12, steps = 4, watched = 3;
  AMPI_Init(&argc, &argv);
  int rank, ranks;
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  AMPI_Comm_size(AMPI_COMM_WORLD, &ranks);
  const int n = cells / ranks, first = rank * n;  // 1, 2, 3 or 4 ranks
  {
    admpi::tape tape;
    Cells start(n), cell(n + 2), next(n + 2);
    for (int i = 0; i < n; ++i) start[i] = 1.0 + first + i;

    tape.start();
    tape.input(start);
    for (int i = 0; i < n; ++i) cell[i + 1] = start[i];
    for (int step = 0; step < steps; ++step) {
      exchange_halo(cell, (rank + ranks - 1) % ranks, (rank + 1) % ranks);
      for (int i = 1; i <= n; ++i) next[i] = (cell[i - 1] + cell[i] + cell[i + 1]) / 3.0;
      cell.swap(next);
    }
    tape.stop();

    if (first <= watched && watched < first + n) tape.seed(cell[watched - first + 1]);
    tape.reverse();

    std::vector<double> mine(n), gradient(cells);
    for (int i = 0; i < n; ++i) mine[i] = 81 * tape.adjoint(start[i]);
    AMPI_Gather(mine.data(), n, AMPI_DOUBLE, gradient.data(), n, AMPI_DOUBLE, 0, AMPI_COMM_WORLD);
    if (rank == 0)
      for (int i = 0; i < cells; ++i) std::printf("d(cell 3 after 4 steps) / d(cell %2d) = %5.2f / 81\n", i, gradient[i]);
  }
  AMPI_Finalize();
}
