/* What messages by address cost: FW_ forwards and BW_ backwards, over the same messages of plain MPI there and back.
 *   bench_adjoinable   on two ranks */
#include <stdio.h>
#include <stdlib.h>

#include "ampi/ampi.h"

enum { ROUNDS = 41, WARM = 5 };

static int rank, peer;
static double *x, *y;

static void there(int n) {
  if (rank == 0) {
    MPI_Send(x, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(y, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(y, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(x, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  }
}

static void forward(int n) {
  if (rank == 0) {
    FW_AMPI_Send(x, n, AMPI_ADOUBLE, peer, 0, AMPI_TO_RECV, MPI_COMM_WORLD);
    FW_AMPI_Recv(y, n, AMPI_ADOUBLE, peer, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    FW_AMPI_Recv(y, n, AMPI_ADOUBLE, peer, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    FW_AMPI_Send(x, n, AMPI_ADOUBLE, peer, 0, AMPI_TO_RECV, MPI_COMM_WORLD);
  }
}

static void back(int n) {
  if (rank == 0) {
    BW_AMPI_Recv(y, n, AMPI_ADOUBLE, peer, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    BW_AMPI_Send(x, n, AMPI_ADOUBLE, peer, 0, AMPI_TO_RECV, MPI_COMM_WORLD);
  } else {
    BW_AMPI_Send(x, n, AMPI_ADOUBLE, peer, 0, AMPI_TO_RECV, MPI_COMM_WORLD);
    BW_AMPI_Recv(y, n, AMPI_ADOUBLE, peer, 0, AMPI_FROM_SEND, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Of a machine that has other things to do the quickest round tells most. */
static double least(const double *times) {
  double best = times[0];
  for (int i = 1; i < ROUNDS; i++)
    if (times[i] < best) best = times[i];
  return best;
}

/* A program works on its arrays between messages. */
static void compute(int n) {
  for (int i = 0; i < n; i++) x[i] = 0.5 * x[i] + 0.25;
}

static void measure(int n, int repeat, double goal) {
  double plain[ROUNDS], tool[ROUNDS];
  for (int round = -WARM; round < ROUNDS; round++) {
    const int at = round < 0 ? 0 : round; /* the first rounds warm up */
    double begin;
    compute(n);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < 2 * repeat; i++) there(n);
    plain[at] = (MPI_Wtime() - begin) / repeat;
    compute(n);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < repeat; i++) forward(n);
    for (int i = 0; i < repeat; i++) back(n);
    tool[at] = (MPI_Wtime() - begin) / repeat;
  }
  if (rank != 0) return;
  const double one = least(plain), other = least(tool);
  printf("FW_ and BW_ of a message of %d doubles: %.2f us, plain there and back %.2f us: %.2f times (goal %.1f)%s\n", n, 1e6 * other,
         1e6 * one, other / one, goal, other / one > goal ? "  over" : "");
}

int main(void) {
  const size_t most = 1000000;
  int ranks;
  AMPI_Init_NT(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) return 1;
  peer = 1 - rank;
  x = calloc(most, sizeof *x);
  y = calloc(most, sizeof *y);
  measure(1, 2000, 1.3);
  measure(1000, 500, 1.3);
  measure((int)most, 3, 1.6);
  free(x);
  free(y);
  AMPI_Finalize_NT();
  return 0;
}
