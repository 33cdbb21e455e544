/* Programs as source transformation writes them: what a call is, forwards and backwards, against differences. A case computes y
 * from x, by AMPI_ calls or by FW_AMPI_ calls, and has a sweep that computes xb from yb. */
#include "ampi/ampi.h"
#include "admpi/tape.h"

#include <stdlib.h>

#include "tools/differences.h"

/* Messages round the ring: the receive asks for more than comes, and from anyone. */
static void ring(int forward, double *x, double *y) {
  MPI_Status status;
  int n;
  if (ranks == 1) {
    memcpy(y, x, N * sizeof *x);
    return;
  }
  for (int turn = 0; turn < 2; turn++) {
    if (rank == 0) CALL(Send, x, N - 1, AMPI_ADOUBLE, right(), 3 + turn, AMPI_TO_RECV, comm);
    CALL(Recv, y, N, AMPI_ADOUBLE, MPI_ANY_SOURCE, turn == 0 ? MPI_ANY_TAG : 4, AMPI_FROM_SEND, comm, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    CHECK(n == N - 1 && status.MPI_SOURCE == left() && status.MPI_TAG == 3 + turn);
    for (int i = 0; i < N; i++) x[i] += 0.1 * y[i] * y[0];
    if (rank != 0) CALL(Send, x, N - 1, AMPI_ADOUBLE, right(), 3 + turn, AMPI_TO_RECV, comm);
    /* Nobody is there, and nothing changes. */
    CALL(Send, x, N, AMPI_ADOUBLE, MPI_PROC_NULL, 1, AMPI_TO_RECV, comm);
    CALL(Recv, y, N, AMPI_ADOUBLE, MPI_PROC_NULL, 1, AMPI_FROM_SEND, comm, &status);
  }
  for (int i = 0; i < N; i++) y[i] = sin(x[i]);
}

/* What the sweep needs of each turn: y after the receive, and x at the end. */
static double kept[2][N], last[N];

static void ring_forward(double *x, double *y) {
  MPI_Status status;
  if (ranks > 1) {
    for (int turn = 0; turn < 2; turn++) {
      if (rank == 0) FW_AMPI_Send(x, N - 1, AMPI_ADOUBLE, right(), 3 + turn, AMPI_TO_RECV, comm);
      FW_AMPI_Recv(y, N, AMPI_ADOUBLE, MPI_ANY_SOURCE, turn == 0 ? MPI_ANY_TAG : 4, AMPI_FROM_SEND, comm, &status);
      memcpy(kept[turn], y, sizeof kept[turn]);
      for (int i = 0; i < N; i++) x[i] += 0.1 * y[i] * y[0];
      if (rank != 0) FW_AMPI_Send(x, N - 1, AMPI_ADOUBLE, right(), 3 + turn, AMPI_TO_RECV, comm);
      FW_AMPI_Send(x, N, AMPI_ADOUBLE, MPI_PROC_NULL, 1, AMPI_TO_RECV, comm);
      FW_AMPI_Recv(y, N, AMPI_ADOUBLE, MPI_PROC_NULL, 1, AMPI_FROM_SEND, comm, &status);
    }
    memcpy(last, x, sizeof last);
    for (int i = 0; i < N; i++) y[i] = sin(x[i]);
  } else {
    memcpy(y, x, N * sizeof *x);
  }
}

static void ring_back(double *xb, double *yb) {
  MPI_Status status;
  if (ranks == 1) {
    for (int i = 0; i < N; i++) xb[i] += yb[i];
    return;
  }
  for (int i = 0; i < N; i++) {
    xb[i] += cos(last[i]) * yb[i];
    yb[i] = 0;
  }
  for (int turn = 1; turn >= 0; turn--) {
    BACK(Recv, yb, N, AMPI_ADOUBLE, MPI_PROC_NULL, 1, AMPI_FROM_SEND, comm, &status);
    BACK(Send, xb, N, AMPI_ADOUBLE, MPI_PROC_NULL, 1, AMPI_TO_RECV, comm);
    if (rank != 0) BACK(Send, xb, N - 1, AMPI_ADOUBLE, right(), 3 + turn, AMPI_TO_RECV, comm);
    for (int i = N - 1; i >= 0; i--) {
      yb[i] += 0.1 * kept[turn][0] * xb[i];
      yb[0] += 0.1 * kept[turn][i] * xb[i];
    }
    /* What the sweep knows of the source is not asked. */
    BACK(Recv, yb, N, AMPI_ADOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, AMPI_FROM_SEND, comm, &status);
    if (rank == 0) BACK(Send, xb, N - 1, AMPI_ADOUBLE, right(), 3 + turn, AMPI_TO_RECV, comm);
  }
}

/* Halos: four requests live at once, completed in another order than they were started in. */
enum { WAITS, WAITALL, WAIT_ST };
static int how;

static void halo(int forward, double *x, double *y) {
  AMPI_Request request[4];
  MPI_Status statuses[4];
  CALL(Irecv, y, 1, AMPI_ADOUBLE, left(), 1, AMPI_FROM_ISEND_WAIT, comm, &request[0]);
  CALL(Irecv, y + N - 1, 1, AMPI_ADOUBLE, right(), 2, AMPI_FROM_ISEND_WAIT, comm, &request[1]);
  CALL(Isend, x + N - 2, 1, AMPI_ADOUBLE, right(), 1, AMPI_TO_IRECV_WAIT, comm, &request[2]);
  CALL(Isend, x + 1, 1, AMPI_ADOUBLE, left(), 2, AMPI_TO_IRECV_WAIT, comm, &request[3]);
  if (how == WAITALL) {
    CALL(Waitall, 4, request, statuses);
  } else {
    for (int i = 0; i < 4; i++) {
      static const int order[] = {3, 1, 0, 2};
      double *const buf[] = {y, y + N - 1, x + N - 2, x + 1};
      if (how == WAITS)
        CALL(Wait, &request[order[i]], &statuses[i]);
      else
        CALL(Wait_ST, &request[order[i]], buf[order[i]], &statuses[i]);
    }
  }
  for (int i = 0; i < 4; i++) CHECK(request[i] == MPI_REQUEST_NULL);
  for (int i = 1; i < N - 1; i++) y[i] = x[i] * x[i];
}

static double halo_x[N];

static double *halo_y;

static void halo_forward(double *x, double *y) {
  halo_y = y;
  memcpy(halo_x, x, sizeof halo_x);
  halo(1, x, y);
}

static void halo_back(double *xb, double *yb) {
  AMPI_Request request[4];
  MPI_Status statuses[4];
  for (int i = 1; i < N - 1; i++) {
    xb[i] += 2 * halo_x[i] * yb[i];
    yb[i] = 0;
  }
  if (how == WAITALL) {
    ADMPI_Turn_range(halo_y, yb, N * sizeof *yb);
    BACK(Waitall, 4, request, statuses);
  } else {
    if (how == WAITS) {
      /* The second time is what counts. */
      ADTOOL_AMPI_Turn(halo_y, xb);
      ADTOOL_AMPI_Turn(halo_y, yb);
      ADTOOL_AMPI_Turn(halo_y + N - 1, yb + N - 1);
    }
    for (int i = 3; i >= 0; i--) {
      static const int order[] = {3, 1, 0, 2};
      double *const bufb[] = {yb, yb + N - 1, xb + N - 2, xb + 1};
      if (how == WAITS)
        BACK(Wait, &request[order[i]], MPI_STATUS_IGNORE);
      else
        BACK(Wait_ST, &request[order[i]], bufb[order[i]], MPI_STATUS_IGNORE);
    }
  }
  BACK(Isend, xb + 1, 1, AMPI_ADOUBLE, left(), 2, AMPI_TO_IRECV_WAIT, comm, &request[3]);
  BACK(Isend, xb + N - 2, 1, AMPI_ADOUBLE, right(), 1, AMPI_TO_IRECV_WAIT, comm, &request[2]);
  BACK(Irecv, yb + N - 1, 1, AMPI_ADOUBLE, right(), 2, AMPI_FROM_ISEND_WAIT, comm, &request[1]);
  BACK(Irecv, yb, 1, AMPI_ADOUBLE, left(), 1, AMPI_FROM_ISEND_WAIT, comm, &request[0]);
}

/* Reductions, one behind the other; a factor of the product is 0 where rank and place agree. */
static void reduce(int forward, double *x, double *y) {
  memset(y, 0, MOST * sizeof *y);
  for (int i = 0; i < N; i++)
    if (i == rank) x[i] *= 0;
  CALL(Allreduce, x, y, N, AMPI_ADOUBLE, MPI_PROD, comm);
  CALL(Reduce, x, y + N, N, AMPI_ADOUBLE, MPI_SUM, ranks - 1, comm);
  CALL(Allreduce, x, y + 2 * N, N, AMPI_ADOUBLE, MPI_MAX, comm);
  CALL(Reduce, x, y + 3 * N, N, AMPI_ADOUBLE, MPI_MIN, 0, comm);
  CALL(Scan, x, y + 4 * N, N, AMPI_ADOUBLE, MPI_SUM, comm);
  CALL(Allreduce, MPI_IN_PLACE, y + 4 * N, N, AMPI_ADOUBLE, MPI_SUM, comm);
  if (rank == 0)
    CALL(Reduce, MPI_IN_PLACE, y + 4 * N, N, AMPI_ADOUBLE, MPI_SUM, 0, comm);
  else
    CALL(Reduce, y + 4 * N, NULL, N, AMPI_ADOUBLE, MPI_SUM, 0, comm);
  CALL(Barrier, comm);
  CALL(Bcast, y + 4 * N, N, AMPI_ADOUBLE, 0, comm);
}

static void reduce_forward(double *x, double *y) { reduce(1, x, y); }

static void reduce_back(double *xb, double *yb) {
  BACK(Bcast, yb + 4 * N, N, AMPI_ADOUBLE, 0, comm);
  BACK(Barrier, comm);
  if (rank == 0)
    CHECK(BWS_AMPI_Reduce(MPI_IN_PLACE, MPI_IN_PLACE, NULL, yb + 4 * N, N, AMPI_ADOUBLE, AMPI_ADOUBLE, MPI_SUM, NULL, 0, comm) == MPI_SUCCESS);
  else
    CHECK(BWS_AMPI_Reduce(NULL, yb + 4 * N, NULL, NULL, N, AMPI_ADOUBLE, AMPI_ADOUBLE, MPI_SUM, NULL, 0, comm) == MPI_SUCCESS);
  BACK(Allreduce, MPI_IN_PLACE, yb + 4 * N, N, AMPI_ADOUBLE, MPI_SUM, comm);
  BACK(Scan, xb, yb + 4 * N, N, AMPI_ADOUBLE, MPI_SUM, comm);
  BACK(Reduce, xb, yb + 3 * N, N, AMPI_ADOUBLE, MPI_MIN, 0, comm);
  BACK(Allreduce, xb, yb + 2 * N, N, AMPI_ADOUBLE, MPI_MAX, comm);
  BACK(Reduce, xb, yb + N, N, AMPI_ADOUBLE, MPI_SUM, ranks - 1, comm);
  CHECK(BWS_AMPI_Allreduce(NULL, xb, NULL, yb, N, AMPI_ADOUBLE, AMPI_ADOUBLE, MPI_PROD, NULL, comm) == MPI_SUCCESS);
  for (int i = 0; i < N; i++)
    if (i == rank) xb[i] *= 0;
}

/* Data to and from a root, with gaps that keep what they hold, and parts of no items. */
static int counts[MOST], displs[MOST];

static void move(int forward, double *x, double *y) {
  const int root = ranks - 1;
  for (int i = 0; i < MOST; i++) y[i] = i < N ? x[i] : 0;
  for (int i = 0; i < ranks; i++) {
    counts[i] = i == 1 ? 0 : 2;
    displs[i] = 3 * (ranks - 1 - i);
  }
  CALL(Gatherv, x, counts[rank], AMPI_ADOUBLE, y, counts, displs, AMPI_ADOUBLE, root, comm);
  CALL(Scatterv, y, counts, displs, AMPI_ADOUBLE, x, counts[rank], AMPI_ADOUBLE, root, comm);
  CALL(Allgatherv, x, counts[rank], AMPI_ADOUBLE, y, counts, displs, AMPI_ADOUBLE, comm);
  CALL(Gather, x + 1, 2, AMPI_ADOUBLE, y + 20, 2, AMPI_ADOUBLE, 0, comm);
  CALL(Scatter, y + 20, 1, AMPI_ADOUBLE, x + 3, 1, AMPI_ADOUBLE, 0, comm);
  y[40 + rank] = x[3];
  CALL(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y + 40, 1, AMPI_ADOUBLE, comm);
  CALL(Alltoall, y + 40, 1, AMPI_ADOUBLE, y + 50, 1, AMPI_ADOUBLE, comm);
}

static void move_forward(double *x, double *y) { move(1, x, y); }

static void move_back(double *xb, double *yb) {
  const int root = ranks - 1;
  BACK(Alltoall, yb + 40, 1, AMPI_ADOUBLE, yb + 50, 1, AMPI_ADOUBLE, comm);
  BACK(Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, yb + 40, 1, AMPI_ADOUBLE, comm);
  xb[3] += yb[40 + rank];
  yb[40 + rank] = 0;
  BACK(Scatter, yb + 20, 1, AMPI_ADOUBLE, xb + 3, 1, AMPI_ADOUBLE, 0, comm);
  BACK(Gather, xb + 1, 2, AMPI_ADOUBLE, yb + 20, 2, AMPI_ADOUBLE, 0, comm);
  BACK(Allgatherv, xb, counts[rank], AMPI_ADOUBLE, yb, counts, displs, AMPI_ADOUBLE, comm);
  BACK(Scatterv, yb, counts, displs, AMPI_ADOUBLE, xb, counts[rank], AMPI_ADOUBLE, root, comm);
  BACK(Gatherv, xb, counts[rank], AMPI_ADOUBLE, yb, counts, displs, AMPI_ADOUBLE, root, comm);
  for (int i = 0; i < N; i++) xb[i] += yb[i];
}

static void check_all(void) {
  check_sweeps("ring", ring, ring_forward, ring_back);
  for (how = WAITS; how <= WAIT_ST; how++) check_sweeps("halo", halo, halo_forward, halo_back);
  check_sweeps("reduce", reduce, reduce_forward, reduce_back);
  check_sweeps("move", move, move_forward, move_back);
}

/* Floats keep their own precision, and their counts. */
static void check_floats(void) {
  float x[3] = {1.5f, 2.5f, 3.5f}, y[5] = {9, 9, 9, 9, 9}, xb[3] = {0}, yb[5] = {1, 2, 3, 4, 5};
  AMPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int n;
  CHECK(AMPI_Awaitall(1, &request, MPI_STATUSES_IGNORE) == MPI_SUCCESS); /* of no request */
  CHECK(FW_AMPI_Isend(x, 3, AMPI_AFLOAT, right(), 1, AMPI_TO_RECV, comm, &request) == MPI_SUCCESS);
  CHECK(FW_AMPI_Recv(y, 5, AMPI_AFLOAT, left(), 1, AMPI_FROM_ISEND_WAIT, comm, &status) == MPI_SUCCESS);
  MPI_Get_count(&status, MPI_FLOAT, &n);
  CHECK(n == 3 && y[2] == 3.5f && y[3] == 9);
  CHECK(FW_AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  BACK(Wait, &request, MPI_STATUS_IGNORE);
  BACK(Recv, yb, 5, AMPI_AFLOAT, left(), 1, AMPI_FROM_ISEND_WAIT, comm, &status);
  BACK(Isend, xb, 3, AMPI_AFLOAT, right(), 1, AMPI_TO_RECV, comm, &request);
  CHECK(xb[0] == 1 && xb[1] == 2 && xb[2] == 3 && yb[0] == 0 && yb[3] == 4);
}

/* COMMON blocks of Fortran's have doubles at addresses that no array in C has. */
static void check_unaligned(void) {
  double x[3] = {1.5, 2.5, 3.5}, y[5] = {9, 9, 9, 9, 9}, xb[3] = {0}, yb[5] = {1, 2, 3, 4, 5};
  char out[sizeof x + 1], in[sizeof y + 1];
  AMPI_Request request = MPI_REQUEST_NULL;
  memcpy(out + 1, x, sizeof x);
  memcpy(in + 1, y, sizeof y);
  CHECK(FW_AMPI_Isend(out + 1, 3, AMPI_ADOUBLE, right(), 1, AMPI_TO_RECV, comm, &request) == MPI_SUCCESS);
  CHECK(FW_AMPI_Recv(in + 1, 5, AMPI_ADOUBLE, left(), 1, AMPI_FROM_ISEND_WAIT, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(FW_AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  memcpy(y, in + 1, sizeof y);
  CHECK(y[2] == 3.5 && y[3] == 9);
  BACK(Wait, &request, MPI_STATUS_IGNORE);
  BACK(Recv, yb, 5, AMPI_ADOUBLE, left(), 1, AMPI_FROM_ISEND_WAIT, comm, MPI_STATUS_IGNORE);
  BACK(Isend, xb, 3, AMPI_ADOUBLE, right(), 1, AMPI_TO_RECV, comm, &request);
  CHECK(xb[0] == 1 && xb[1] == 2 && xb[2] == 3 && yb[0] == 0 && yb[3] == 4);
}

static double adjoint_at(const char *adjoints, int i) {
  double adjoint;
  memcpy(&adjoint, adjoints + sizeof adjoint * (size_t)i, sizeof adjoint);
  return adjoint;
}

/* A message of several pieces, of which fewer come than there is room for; adjoints at addresses of arrays, and others. */
static void check_long(size_t shift) {
  enum { SENT = 150000, ROOM = SENT + 7 };
  double *const x = malloc(ROOM * sizeof *x), *const y = malloc(ROOM * sizeof *y);
  char *const xb = malloc(ROOM * sizeof *x + shift), *const yb = malloc(ROOM * sizeof *y + shift);
  AMPI_Request request;
  int wrong = 0;
  for (int i = 0; i < ROOM; i++) {
    const double half = 0.5, weight = i % 97 + 1;
    x[i] = rank + i;
    memcpy(xb + shift + sizeof half * (size_t)i, &half, sizeof half);
    memcpy(yb + shift + sizeof weight * (size_t)i, &weight, sizeof weight);
  }
  CHECK(FW_AMPI_Isend(x, SENT, AMPI_ADOUBLE, right(), 1, AMPI_TO_RECV, comm, &request) == MPI_SUCCESS);
  CHECK(FW_AMPI_Recv(y, ROOM, AMPI_ADOUBLE, left(), 1, AMPI_FROM_ISEND_WAIT, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(FW_AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  BACK(Wait, &request, MPI_STATUS_IGNORE);
  BACK(Recv, (void *)(yb + shift), ROOM, AMPI_ADOUBLE, left(), 1, AMPI_FROM_ISEND_WAIT, comm, MPI_STATUS_IGNORE);
  BACK(Isend, (void *)(xb + shift), SENT, AMPI_ADOUBLE, right(), 1, AMPI_TO_RECV, comm, &request);
  for (int i = 0; i < ROOM; i++) {
    const double weight = i % 97 + 1;
    wrong += i < SENT && y[i] != left() + i;
    wrong += adjoint_at(xb + shift, i) != (i < SENT ? 0.5 + weight : 0.5);
    wrong += adjoint_at(yb + shift, i) != (i < SENT ? 0 : weight);
  }
  CHECK(wrong == 0);
  free(x), free(y), free(xb), free(yb);
}

/* What is no number goes to MPI, and its steps are empty. */
static void check_integers(void) {
  int sent = rank, got = -1;
  AMPI_Request request;
  CHECK(FW_AMPI_Irecv(&got, 1, MPI_INT, left(), 1, AMPI_FROM_SEND, comm, &request) == MPI_SUCCESS);
  CHECK(FW_AMPI_Send(&sent, 1, MPI_INT, right(), 1, AMPI_TO_RECV, comm) == MPI_SUCCESS);
  CHECK(FW_AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && got == left());
  BACK(Wait, &request, MPI_STATUS_IGNORE);
  BACK(Send, &sent, 1, MPI_INT, right(), 1, AMPI_TO_RECV, comm);
  BACK(Irecv, &got, 1, MPI_INT, left(), 1, AMPI_FROM_SEND, comm, &request);
}

/* Time steps that are reversed one by one, and all at once: memory does not grow. */
static void check_memory(void) {
  double x[8] = {0}, xb[8] = {0};
  admpi_statistics before, after;
  for (int round = 0; round < 2; round++) {
    /* Alone, and together. */
    const MPI_Comm on = round == 0 ? MPI_COMM_SELF : comm;
    for (int step = 0; step < (round == 0 ? 10000 : 200); step++) {
      FW_AMPI_Bcast(x, 8, AMPI_ADOUBLE, round == 0 ? 0 : step % ranks, on);
      BACK(Bcast, xb, 8, AMPI_ADOUBLE, round == 0 ? 0 : step % ranks, on);
      if (step == 100) admpi_step_statistics(&before, NULL);
    }
    admpi_step_statistics(&after, NULL);
    CHECK(after.committed_bytes == before.committed_bytes && after.ids == 0 && after.events == 0);
  }
  /* As many steps as a long run records, all at once. */
  for (int round = 0; round < 2 && ranks == 1; round++) {
    for (int step = 0; step < 10000; step++) FW_AMPI_Bcast(x, 8, AMPI_ADOUBLE, 0, MPI_COMM_SELF);
    admpi_step_statistics(round == 0 ? &before : &after, NULL);
    for (int step = 0; step < 10000; step++) BACK(Bcast, xb, 8, AMPI_ADOUBLE, 0, MPI_COMM_SELF);
  }
  CHECK(ranks > 1 || (after.committed_bytes == before.committed_bytes && after.events == before.events && before.events > 0));
  for (int step = 0; step < 200; step++) FW_AMPI_Allreduce(MPI_IN_PLACE, x, 8, AMPI_ADOUBLE, MPI_SUM, comm);
  for (int step = 0; step < 200; step++) BACK(Allreduce, MPI_IN_PLACE, xb, 8, AMPI_ADOUBLE, MPI_SUM, comm);
  admpi_step_statistics(&after, NULL);
  CHECK(after.ids == 0 && after.events == 0);
}

/* Whichever is complete, by each of the calls: n requests for n messages, some of which are of integers. */
static void check_choices(void) {
  double x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {0}, xb[6] = {0}, yb[6];
  int sent = rank, got = -1;
  for (int how = 0; how < 6; how++) {
    AMPI_Request request[14];
    MPI_Status statuses[14], status;
    int at[14], n = 0, flag = 0, index = -1, asked = 0, left_over = 14;
    memset(xb, 0, sizeof xb);
    for (int i = 0; i < 6; i++) {
      FW_AMPI_Irecv(&y[i], 1, AMPI_ADOUBLE, left(), 20 + i, AMPI_FROM_SEND, comm, &request[i]);
      FW_AMPI_Isend(&x[i], 1, AMPI_ADOUBLE, right(), 20 + i, AMPI_TO_RECV, comm, &request[6 + i]);
    }
    FW_AMPI_Irecv(&got, 1, MPI_INT, left(), 40, AMPI_FROM_SEND, comm, &request[12]);
    FW_AMPI_Isend(&sent, 1, MPI_INT, right(), 40, AMPI_TO_RECV, comm, &request[13]);
    while (left_over > 0) {
      asked++;
      switch (how) {
        case 0:
          for (index = 0; request[index] == MPI_REQUEST_NULL; index++) continue;
          CHECK(FW_AMPI_Test(&request[index], &flag, &status) == MPI_SUCCESS);
          left_over -= flag;
          break;
        case 1:
          CHECK(FW_AMPI_Waitany(14, request, &index, &status) == MPI_SUCCESS && request[index] == MPI_REQUEST_NULL);
          left_over--;
          break;
        case 2:
          CHECK(FW_AMPI_Testany(14, request, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag == (index != MPI_UNDEFINED));
          left_over -= flag;
          break;
        case 3:
          CHECK(FW_AMPI_Waitsome(14, request, &n, at, statuses) == MPI_SUCCESS && n >= 1);
          for (int k = 0; k < n; k++) CHECK(at[k] >= 6 || statuses[k].MPI_TAG == 20 + at[k]);
          left_over -= n;
          break;
        case 4:
          CHECK(FW_AMPI_Testsome(14, request, &n, at, MPI_STATUSES_IGNORE) == MPI_SUCCESS && n >= 0);
          left_over -= n;
          break;
        default:
          CHECK(FW_AMPI_Testall(14, request, &flag, statuses) == MPI_SUCCESS);
          if (flag) {
            left_over = 0;
            for (int i = 0; i < 6; i++) CHECK(statuses[i].MPI_TAG == 20 + i && statuses[i].MPI_SOURCE == left());
          } else {
            CHECK(request[0] != MPI_REQUEST_NULL);
          }
      }
    }
    /* None is active. */
    CHECK(FW_AMPI_Waitany(14, request, &index, &status) == MPI_SUCCESS && index == MPI_UNDEFINED);
    CHECK(FW_AMPI_Testall(14, request, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && flag);
    CHECK(FW_AMPI_Testsome(14, request, &n, at, MPI_STATUSES_IGNORE) == MPI_SUCCESS && n == MPI_UNDEFINED);
    CHECK(got == left());
    for (int i = 0; i < 6; i++) {
      CHECK(y[i] == i + 1);
      yb[i] = 10 * rank + i;
    }
    ADMPI_Turn_range(y, yb, sizeof y);
    BACK(Testsome, 14, request, &n, at, MPI_STATUSES_IGNORE);
    BACK(Testall, 14, request, &flag, MPI_STATUSES_IGNORE);
    BACK(Waitany, 14, request, &index, &status);
    for (; asked > 0; asked--) {
      switch (how) {
        case 0: BACK(Test, &request[0], &flag, &status); break;
        case 1: BACK(Waitany, 14, request, &index, &status); break;
        case 2: BACK(Testany, 14, request, &index, &flag, MPI_STATUS_IGNORE); break;
        case 3: BACK(Waitsome, 14, request, &n, at, statuses); break;
        case 4: BACK(Testsome, 14, request, &n, at, MPI_STATUSES_IGNORE); break;
        default: BACK(Testall, 14, request, &flag, statuses);
      }
    }
    BACK(Isend, &sent, 1, MPI_INT, right(), 40, AMPI_TO_RECV, comm, &request[13]);
    BACK(Irecv, &got, 1, MPI_INT, left(), 40, AMPI_FROM_SEND, comm, &request[12]);
    for (int i = 5; i >= 0; i--) {
      BACK(Isend, &xb[i], 1, AMPI_ADOUBLE, right(), 20 + i, AMPI_TO_RECV, comm, &request[6 + i]);
      BACK(Irecv, &yb[i], 1, AMPI_ADOUBLE, left(), 20 + i, AMPI_FROM_SEND, comm, &request[i]);
    }
    for (int i = 0; i < 6; i++) {
      CHECK(xb[i] == 10 * right() + i && yb[i] == 0);
    }
  }
}

/* An operation of the user's. */
static void add(void *in, void *inout, int *n, MPI_Datatype *datatype) {
  (void)datatype;
  for (int i = 0; i < *n; i++) ((double *)inout)[i] += ((double *)in)[i];
}

static void check_errors(void) {
  struct { double x; int i; } pair = {1, 1};
  int sent = 1, got = 0;
  double x = 1, y = 2, xb = 0;
  AMPI_Request request, other;
  MPI_Op op;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  says(BW_AMPI_Bcast(&xb, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "BW_AMPI_Bcast", "no call is recorded");
  CHECK(FW_AMPI_Bcast(&x, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  says(BW_AMPI_Recv(&xb, 1, AMPI_ADOUBLE, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), "BW_AMPI_Recv", "FW_AMPI_Bcast");
  says(BW_AMPI_Bcast(NULL, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "BW_AMPI_Bcast", "buffer: the adjoint buffer is NULL");
  BACK(Bcast, &xb, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF);
  says(BW_AMPI_Bcast(&xb, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "BW_AMPI_Bcast", "no call is recorded");

  CHECK(FW_AMPI_Irecv(&y, 1, AMPI_ADOUBLE, 0, 5, AMPI_FROM_SEND, MPI_COMM_SELF, &request) == MPI_SUCCESS);
  CHECK(FW_AMPI_Send(&x, 1, AMPI_ADOUBLE, 0, 5, AMPI_TO_IRECV_WAIT, MPI_COMM_SELF) == MPI_SUCCESS);
  other = request;
  says(AMPI_Wait(&other, MPI_STATUS_IGNORE), "AMPI_Wait", "FW_AMPI_Wait");
  CHECK(FW_AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && y == 1);
  says(FW_AMPI_Wait(&other, MPI_STATUS_IGNORE), "AMPI_Wait", "is not under way");
  says(BW_AMPI_Wait(&request, MPI_STATUS_IGNORE), "BW_AMPI_Wait", "has no adjoint buffer");
  double yb = 3;
  ADTOOL_AMPI_Turn(&y, &yb);
  BACK(Wait, &request, MPI_STATUS_IGNORE);
  BACK(Send, &xb, 1, AMPI_ADOUBLE, 0, 5, AMPI_TO_IRECV_WAIT, MPI_COMM_SELF);
  BACK(Irecv, &yb, 1, AMPI_ADOUBLE, 0, 5, AMPI_FROM_SEND, MPI_COMM_SELF, &request);
  CHECK(xb == 3 && yb == 0);

  /* A pair is a number with an integer beside it. */
  CHECK(FW_AMPI_Bcast(&pair, 1, MPI_DOUBLE_INT, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  BACK(Bcast, &pair, 1, MPI_DOUBLE_INT, 0, MPI_COMM_SELF);
  MPI_Op_create(add, 1, &op);
  CHECK(FW_AMPI_Iallreduce(&sent, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request) == MPI_SUCCESS);
  CHECK(FW_AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  BACK(Wait, &request, MPI_STATUS_IGNORE);
  BACK(Iallreduce, &sent, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request);
  says(FW_AMPI_Iallreduce(&x, &y, 1, AMPI_ADOUBLE, op, MPI_COMM_SELF, &request), "AMPI_Iallreduce", "only calls that block");
  MPI_Op_free(&op);
  /* Counts that differ, and the same step twice. */
  double two[2] = {1, 2}, two_b[2] = {3, 4};
  CHECK(FW_AMPI_Bcast(two, 2, AMPI_ADOUBLE, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  says(BW_AMPI_Bcast(two_b, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "BW_AMPI_Bcast", "buffer: 1 adjoints for the 2 numbers of FW_AMPI_Bcast");
  CHECK(two_b[0] == 3 && two_b[1] == 4);
  BACK(Bcast, two_b, 2, AMPI_ADOUBLE, 0, MPI_COMM_SELF);
  says(BW_AMPI_Bcast(two_b, 2, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "BW_AMPI_Bcast", "no call is recorded");
  says(FW_AMPI_Bcast(NULL, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "AMPI_Bcast", "buffer is NULL");
  says(FW_AMPI_Bcast(&x, -1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "AMPI_Bcast", "-1 numbers");
}

int main(int argc, char **argv) {
  AMPI_Init_NT(&argc, &argv);
  AMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  AMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  comm = MPI_COMM_WORLD;
  check_all();
  check_floats();
  check_unaligned();
  check_long(0);
  check_long(1);
  check_integers();
  AMPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  AMPI_Comm_rank(comm, &rank);
  check_all();
  check_choices();
  check_memory();
  AMPI_Comm_free(&comm);
  comm = MPI_COMM_WORLD;
  check_errors();
  AMPI_Finalize_NT();
  return failures != 0;
}
