/* Tangents by TLS_ calls: numbers and tangents arrive together, whatever the call. A tangent is a function of the number, so that
 * what arrives can be told. */
#include "ampi/ampi.h"
#include "admpi/steps.h"
#include "harness/check.h"

#include <stddef.h>

enum { N = 5 };

static int rank, ranks;
static MPI_Comm comm;

static int right(void) { return (rank + 1) % ranks; }
static int left(void) { return (rank + ranks - 1) % ranks; }
static double value(int of, int i) { return 1 + 0.25 * of + 0.5 * i; }
static double tangent(int of, int i) { return 3 - 0.5 * of + 0.125 * i * i; }

static double x[N], xd[N], y[3 * N], yd[3 * N];

static void start(void) {
  for (int i = 0; i < N; i++) {
    x[i] = value(rank, i);
    xd[i] = tangent(rank, i);
  }
  for (int i = 0; i < 3 * N; i++) {
    y[i] = -1 - i;
    yd[i] = -2 - i;
  }
}

static void check_is_of(int at, int n, int of) {
  for (int i = 0; i < n; i++) CHECK(y[at + i] == value(of, i) && yd[at + i] == tangent(of, i));
}
static void check_untouched(int at, int n) {
  for (int i = at; i < at + n; i++) CHECK(y[i] == -1 - i && yd[i] == -2 - i);
}

#define TLS(name, ...) CHECK(TLS_AMPI_##name(__VA_ARGS__) == MPI_SUCCESS)
#define D AMPI_ADOUBLE

static void check_messages(void) {
  AMPI_Request q[3];
  MPI_Status status, statuses[3];
  int n;
  start();
  TLS(Isend, x, xd, N - 1, D, D, right(), 7, AMPI_TO_RECV, comm, &q[0]);
  TLS(Recv, y, yd, N, D, D, MPI_ANY_SOURCE, MPI_ANY_TAG, AMPI_FROM_SEND, comm, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  CHECK(n == N - 1 && status.MPI_SOURCE == left() && status.MPI_TAG == 7);
  TLS(Wait, &q[0], MPI_STATUS_IGNORE);
  check_is_of(0, N - 1, left());
  check_untouched(N - 1, 1);
  start();
  TLS(Irecv, y, yd, N, D, D, MPI_ANY_SOURCE, 8, AMPI_FROM_SEND, comm, &q[0]);
  TLS(Irecv, y + N, yd + N, N, D, D, left(), 9, AMPI_FROM_SEND, comm, &q[1]);
  TLS(Isend, x, xd, N, D, D, right(), 9, AMPI_TO_RECV, comm, &q[2]);
  TLS(Send, x, xd, 2, D, D, right(), 8, AMPI_TO_RECV, comm);
  TLS(Waitall, 3, q, statuses);
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &n);
  CHECK(n == 2);
  check_is_of(0, 2, left());
  check_untouched(2, N - 2);
  check_is_of(N, N, left());
  start();
  TLS(Sendrecv, x, xd, N, D, D, right(), 1, y, yd, N, D, D, left(), 1, comm, &status);
  check_is_of(0, N, left());
  TLS(Recv, y + N, yd + N, N, D, D, MPI_PROC_NULL, 1, AMPI_FROM_SEND, comm, &status);
  check_untouched(N, N);
}

static void check_moves(void) {
  int counts[8], displs[8], end = 0;
  static double all[8 * N], alld[8 * N];
  for (int r = 0; r < ranks; r++) {
    counts[r] = r % 3;
    displs[r] = end + 1;
    end += counts[r] + 1;
  }
  start();
  TLS(Bcast, x, xd, N, D, D, ranks - 1, comm);
  for (int i = 0; i < N; i++) CHECK(x[i] == value(ranks - 1, i) && xd[i] == tangent(ranks - 1, i));
  start();
  for (int i = 0; i < 8 * N; i++) all[i] = alld[i] = -1;
  TLS(Gatherv, x, xd, counts[rank], D, D, all, alld, counts, displs, displs, D, D, 0, comm);
  for (int r = 0; rank == 0 && r < ranks; r++) {
    CHECK(all[displs[r] - 1] == -1 && alld[displs[r] - 1] == -1);
    for (int i = 0; i < counts[r]; i++) CHECK(all[displs[r] + i] == value(r, i) && alld[displs[r] + i] == tangent(r, i));
  }
  /* Tangents elsewhere than the numbers. */
  int elsewhere[8];
  for (int r = 0; r < ranks; r++) elsewhere[r] = displs[ranks - 1] + 3 - displs[r];
  for (int i = 0; i < 8 * N; i++) all[i] = alld[i] = -1;
  TLS(Allgatherv, x, xd, counts[rank], D, D, all, alld, counts, displs, elsewhere, D, D, comm);
  for (int r = 0; r < ranks; r++)
    for (int i = 0; i < counts[r]; i++) CHECK(all[displs[r] + i] == value(r, i) && alld[elsewhere[r] + i] == tangent(r, i));
  TLS(Allgather, x, xd, 2, D, D, all, alld, 2, D, D, comm);
  for (int r = 0; r < ranks; r++) CHECK(all[2 * r + 1] == value(r, 1) && alld[2 * r + 1] == tangent(r, 1));
  TLS(Scatter, all, alld, 2, D, D, y, yd, 2, D, D, 0, comm);
  check_is_of(0, 2, rank);
  TLS(Barrier, comm);
}

static void check_reductions(void) {
  double sum = 0, sumd = 0, product = 1, productd = 0;
  AMPI_Request q;
  start();
  for (int r = 0; r < ranks; r++) {
    sum += value(r, 1);
    sumd += tangent(r, 1);
    productd = productd * value(r, 1) + product * tangent(r, 1);
    product *= value(r, 1);
  }
  TLS(Allreduce, x, xd, y, yd, N, D, D, MPI_SUM, NULL, comm);
  CHECK_CLOSE(y[1], sum);
  CHECK_CLOSE(yd[1], sumd);
  TLS(Reduce, x, xd, y, yd, N, D, D, MPI_PROD, NULL, 0, comm);
  if (rank == 0) {
    CHECK_CLOSE(y[1], product);
    CHECK_CLOSE(yd[1], productd);
  }
  TLS(Scan, x, xd, y, yd, N, D, D, MPI_MAX, NULL, comm);
  check_is_of(0, N, rank);
  /* Equal numbers: the lowest rank's counts. */
  x[0] = 1;
  TLS(Allreduce, MPI_IN_PLACE, NULL, x, xd, N, D, D, MPI_MIN, NULL, comm);
  CHECK(x[0] == 1 && xd[0] == tangent(0, 0) && x[2] == value(0, 2) && xd[2] == tangent(0, 2));
  start();
  TLS(Iallreduce, x, xd, y, yd, N, D, D, MPI_SUM, NULL, comm, &q);
  TLS(Wait, &q, MPI_STATUS_IGNORE);
  CHECK_CLOSE(yd[1], sumd);
}

static void check_floats(void) {
  float a = 1.5f + rank, ad = 2.5f * rank, b = 0, bd = 0;
  MPI_Status status;
  int n, mine = rank, its = -1;
  TLS(Sendrecv, &a, &ad, 1, AMPI_AFLOAT, AMPI_AFLOAT, right(), 1, &b, &bd, 1, AMPI_AFLOAT, AMPI_AFLOAT, left(), 1, comm, &status);
  MPI_Get_count(&status, MPI_FLOAT, &n);
  CHECK(n == 1 && b == 1.5f + left() && bd == 2.5f * left());
  /* Integers have no tangents. */
  TLS(Sendrecv, &mine, NULL, 1, MPI_INT, MPI_INT, right(), 1, &its, NULL, 1, MPI_INT, MPI_INT, left(), 1, comm, &status);
  CHECK(its == left());
}

/* The sum of squares' parts: a * b + a. Not commutative. */
static void combine(void *in, void *inout, int *n, MPI_Datatype *datatype) {
  (void)datatype;
  for (int i = 0; i < *n; i++) ((double *)inout)[i] = ((double *)in)[i] + 2 * ((double *)inout)[i];
}
static void combine_d(void *in, void *ind, void *inout, void *inoutd, int *n, MPI_Datatype *datatype, MPI_Datatype *datatyped) {
  (void)datatyped;
  combine(in, inout, n, datatype);
  combine(ind, inoutd, n, datatype);
}

/* A structure, whose tangents have no integer. */
typedef struct cell {
  int n;
  double at[2];
} cell;
typedef struct cell_d {
  double at[2];
} cell_d;

static void multiply(void *in, void *inout, int *n, MPI_Datatype *datatype) {
  (void)datatype;
  for (int i = 0; i < *n; i++) {
    ((cell *)inout)[i].n += ((cell *)in)[i].n;
    for (int k = 0; k < 2; k++) ((cell *)inout)[i].at[k] *= ((cell *)in)[i].at[k];
  }
}
static void multiply_d(void *in, void *ind, void *inout, void *inoutd, int *n, MPI_Datatype *datatype, MPI_Datatype *datatyped) {
  (void)datatyped;
  for (int i = 0; i < *n; i++)
    for (int k = 0; k < 2; k++)
      ((cell_d *)inoutd)[i].at[k] =
          ((cell_d *)ind)[i].at[k] * ((cell *)inout)[i].at[k] + ((cell *)in)[i].at[k] * ((cell_d *)inoutd)[i].at[k];
  multiply(in, inout, n, datatype);
}

static void check_structures(void) {
  const MPI_Aint places[] = {offsetof(cell, n), offsetof(cell, at)}, none[] = {0};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  const int lengths[] = {1, 2}, two[] = {2};
  MPI_Datatype type, type_d;
  MPI_Status status;
  MPI_Op op;
  cell mine[2], its[2] = {{-1, {0}}, {-1, {0}}};
  cell_d mine_d[2], its_d[2] = {{{0}}, {{0}}};
  double product = 1, product_d = 0;
  int n, flag = 0;
  AMPI_Request request;
  MPI_Type_create_struct(2, lengths, places, types, &type);
  MPI_Type_create_struct(1, two, none, &types[1], &type_d);
  MPI_Type_commit(&type);
  MPI_Type_commit(&type_d);
  for (int i = 0; i < 2; i++) {
    mine[i] = (cell){rank + i, {value(rank, 0), value(rank, 1)}};
    mine_d[i] = (cell_d){{tangent(rank, 0), tangent(rank, 1)}};
  }
  TLS(Irecv, its, its_d, 2, type, type_d, left(), 2, AMPI_FROM_SEND, comm, &request);
  TLS(Send, mine, mine_d, 1, type, type_d, right(), 2, AMPI_TO_RECV, comm);
  while (!flag) TLS(Test, &request, &flag, &status);
  MPI_Get_count(&status, type, &n);
  CHECK(n == 1 && its[0].n == left() && its[0].at[1] == value(left(), 1) && its_d[0].at[1] == tangent(left(), 1) && its[1].n == -1);
  MPI_Op_create(multiply, 1, &op);
  TLS(Allreduce, mine, mine_d, its, its_d, 2, type, type_d, op, multiply_d, comm);
  for (int r = 0; r < ranks; r++) {
    product_d = product_d * value(r, 1) + product * tangent(r, 1);
    product *= value(r, 1);
  }
  CHECK_CLOSE(its[1].at[1], product);
  CHECK(fabs(its_d[1].at[1] - product_d) < 1e-13 * fabs(product_d));
  CHECK(its[1].n == ranks * (ranks - 1) / 2 + ranks);
  /* Bundles are moved as they are. */
  CHECK(TLM_AMPI_Bcast(mine, 1, type, ranks - 1, comm) == MPI_SUCCESS && mine[0].n == ranks - 1);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Type_free(&type_d);
}

/* Whichever is complete. */
static void check_choices(void) {
  AMPI_Request q[4];
  int index, n, indices[4], seen = 0;
  start();
  for (int i = 0; i < 2; i++) {
    TLS(Irecv, y + i, yd + i, 1, D, D, left(), i, AMPI_FROM_SEND, comm, &q[i]);
    TLS(Isend, x + i, xd + i, 1, D, D, right(), i, AMPI_TO_RECV, comm, &q[2 + i]);
  }
  TLS(Waitany, 4, q, &index, MPI_STATUS_IGNORE);
  for (seen = 1; seen < 4; seen += n) TLS(Waitsome, 4, q, &n, indices, MPI_STATUSES_IGNORE);
  check_is_of(0, 2, left());
}

static void check_shadows(void) {
  MPI_Comm made, shadow;
  int same;
  CHECK(ADTOOL_AMPI_getShadowComm(MPI_COMM_WORLD) != MPI_COMM_NULL);
  CHECK(TLS_AMPI_Comm_split_NT(MPI_COMM_WORLD, 0, -rank, &made) == MPI_SUCCESS);
  shadow = ADTOOL_AMPI_getShadowComm(made);
  MPI_Comm_compare(made, shadow, &same);
  CHECK(same == MPI_CONGRUENT);
  CHECK(TLS_AMPI_Comm_free_NT(&made) == MPI_SUCCESS && made == MPI_COMM_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(ADTOOL_AMPI_getShadowComm(MPI_COMM_SELF) == MPI_COMM_NULL);
  ADTOOL_AMPI_addShadowComm(MPI_COMM_SELF, MPI_COMM_WORLD);
  CHECK(ADTOOL_AMPI_getShadowComm(MPI_COMM_SELF) == MPI_COMM_WORLD);
  ADTOOL_AMPI_delShadowComm(MPI_COMM_SELF);
  CHECK(ADTOOL_AMPI_getShadowComm(MPI_COMM_SELF) == MPI_COMM_NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void check_users(void) {
  MPI_Op op;
  double primal[N];
  start();
  MPI_Op_create(combine, 0, &op);
  MPI_Allreduce(x, primal, N, MPI_DOUBLE, op, comm);
  for (int i = 0; i < N; i++) xd[i] = 7 * x[i];
  TLS(Allreduce, x, xd, y, yd, N, D, D, op, combine_d, comm);
  for (int i = 0; i < N; i++) {
    CHECK_CLOSE(y[i], primal[i]);
    CHECK_CLOSE(yd[i], 7 * primal[i]);
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  CHECK(TLS_AMPI_Allreduce(x, xd, y, yd, N, D, D, op, NULL, comm) != MPI_SUCCESS);
  CHECK(TLS_AMPI_Bcast(x, NULL, N, D, D, 0, comm) != MPI_SUCCESS);
  CHECK(TLS_AMPI_Bcast(x, xd, -1, D, D, 0, comm) != MPI_SUCCESS);
  CHECK(TLS_AMPI_Bcast(x, xd, 1, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE, 0, comm) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Op_free(&op);
}

int main(int argc, char **argv) {
  AMPI_Init_NT(&argc, &argv);
  comm = MPI_COMM_WORLD;
  AMPI_Comm_rank(comm, &rank);
  AMPI_Comm_size(comm, &ranks);
  check_messages();
  check_moves();
  check_reductions();
  check_floats();
  check_users();
  check_structures();
  check_choices();
  check_shadows();
  AMPI_Finalize_NT();
  return failures != 0;
}
