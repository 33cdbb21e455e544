/* Structures by address: messages and collectives of doubles and floats with integers beside them, operations of the user's on them,
 * and adjoints in structures of another shape. */
#include "ampi/ampi.h"

#include <stddef.h>
#include <stdlib.h>

#include "tools/differences.h"

typedef struct cell {
  int before;
  double at[2];
  float small;
  char mark;
  double last;
} cell;

/* What a tool makes for the adjoints: no integers, and no place for the float, which is passive. */
typedef struct cell_b {
  double at[2], last;
} cell_b;

static MPI_Datatype type, type_b, pair;

static void make_types(void) {
  int lengths[] = {1, 2, 1, 1, 1}, lengths_b[] = {2, 1};
  MPI_Aint places[] = {offsetof(cell, before), offsetof(cell, at), offsetof(cell, small), offsetof(cell, mark), offsetof(cell, last)};
  MPI_Aint places_b[] = {offsetof(cell_b, at), offsetof(cell_b, last)};
  MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT, MPI_CHAR, MPI_DOUBLE}, types_b[] = {MPI_DOUBLE, MPI_DOUBLE}, parts;
  CHECK(AMPI_Type_create_struct_NT(5, lengths, places, types, &parts) == MPI_SUCCESS);
  CHECK(AMPI_Type_create_resized_NT(parts, 0, sizeof(cell), &type) == MPI_SUCCESS);
  CHECK(AMPI_Type_create_struct_NT(2, lengths_b, places_b, types_b, &type_b) == MPI_SUCCESS);
  CHECK(AMPI_Type_contiguous_NT(2, MPI_DOUBLE, &pair) == MPI_SUCCESS);
  AMPI_Type_commit_NT(&type);
  AMPI_Type_commit_NT(&type_b);
  AMPI_Type_commit_NT(&pair);
  AMPI_Type_free_NT(&parts);
}

static void free_types(void) {
  AMPI_Type_free_NT(&type);
  AMPI_Type_free_NT(&type_b);
  AMPI_Type_free_NT(&pair);
}

static cell cell_of(const double *x, int i) {
  const cell made = {100 * rank + i, {x[i], x[i + 1] * x[i]}, 0.5f + (float)i, (char)('a' + rank), sin(x[i])};
  return made;
}

static void cell_back(const double *x, double *xb, int i, cell_b *b) {
  xb[i] += b->at[0] + x[i + 1] * b->at[1] + cos(x[i]) * b->last;
  xb[i + 1] += x[i] * b->at[1];
  memset(b, 0, sizeof *b);
}

static double value_of(const cell *c, double *y) {
  y[0] = c->at[0];
  y[1] = c->at[1] * c->at[1];
  y[2] = c->last * c->small;
  return y[0];
}

static void value_back(const cell *c, cell_b *b, const double *yb) {
  b->at[0] += yb[0];
  b->at[1] += 2 * c->at[1] * yb[1];
  b->last += c->small * yb[2];
}

/* Buffered, ready and plain messages of structures; the receive has room for more, from anyone, and a null count goes too. */
static cell sent[4], came[5];
static double x_kept[N];

static void messages(int forward, double *x, double *y) {
  AMPI_Request request;
  MPI_Status status;
  int n;
  memcpy(x_kept, x, sizeof x_kept);
  for (int i = 0; i < 4; i++) sent[i] = cell_of(x, i);
  for (int i = 0; i < 5; i++) came[i] = (cell){-1, {7, 8}, 9, 'z', 10};
  CALL(Irecv, &came[3], 1, type, left(), 5, AMPI_FROM_RSEND, comm, &request);
  AMPI_Barrier(comm);
  CALL(Bsend, sent, 2, type, right(), 4, AMPI_TO_RECV, comm);
  CALL(Bsend, sent, 0, type, right(), 6, AMPI_TO_RECV, comm);
  CALL(Rsend, &sent[2], 1, type, right(), 5, AMPI_TO_IRECV_WAIT, comm);
  CALL(Recv, came, 3, type, ranks > 1 ? MPI_ANY_SOURCE : 0, 4, AMPI_FROM_BSEND, comm, &status);
  MPI_Get_count(&status, type, &n);
  CHECK(n == 2 && status.MPI_SOURCE == left());
  CALL(Recv, NULL, 0, type, left(), 6, AMPI_FROM_BSEND, comm, &status);
  CALL(Wait, &request, &status);
  MPI_Get_count(&status, type, &n);
  CHECK(n == 1);
  CHECK(came[0].before == 100 * left() && came[1].before == 100 * left() + 1 && came[3].before == 100 * left() + 2);
  CHECK(came[0].mark == 'a' + left() && came[1].small == 1.5f && came[3].small == 2.5f);
  CHECK(came[2].before == -1 && came[2].last == 10 && came[4].before == -1);
  for (int i = 0; i < 5; i++) value_of(&came[i], y + 3 * i);
}

static void messages_back(double *xb, double *yb) {
  cell_b sent_b[4] = {{{0}, 0}}, came_b[5] = {{{0}, 0}};
  cell waited_b[1];
  AMPI_Request request;
  MPI_Status status;
  for (int i = 0; i < 5; i++) value_back(&came[i], &came_b[i], yb + 3 * i);
  /* Of a request the adjoints lie as the numbers do. */
  memset(waited_b, 0, sizeof waited_b);
  memcpy(waited_b[0].at, came_b[3].at, sizeof came_b[3].at);
  waited_b[0].last = came_b[3].last;
  ADTOOL_AMPI_Turn(&came[3], waited_b);
  BACK(Wait, &request, &status);
  CHECK(waited_b[0].at[1] == 0 && waited_b[0].last == 0);
  BACK(Recv, NULL, 0, type_b, left(), 6, AMPI_FROM_BSEND, comm, &status);
  BACK(Recv, came_b, 3, type_b, left(), 4, AMPI_FROM_BSEND, comm, &status);
  BACK(Rsend, &sent_b[2], 1, type_b, right(), 5, AMPI_TO_IRECV_WAIT, comm);
  BACK(Bsend, sent_b, 0, type_b, right(), 6, AMPI_TO_RECV, comm);
  BACK(Bsend, sent_b, 2, type_b, right(), 4, AMPI_TO_RECV, comm);
  BACK(Irecv, waited_b, 1, type, left(), 5, AMPI_FROM_RSEND, comm, &request);
  CHECK(came_b[0].at[0] == 0 && came_b[2].last != 0);
  for (int i = 0; i < 4; i++) cell_back(x_kept, xb, i, &sent_b[i]);
}

/* Parts of structures from all, some of them none, with gaps; and doubles in pairs here and one by one there. */
static cell all[MOST];
static int counts[MOST], displs[MOST];

static void moves(int forward, double *x, double *y) {
  double pairs[2 * MOST] = {0};
  memcpy(x_kept, x, sizeof x_kept);
  for (int i = 0; i < 4; i++) sent[i] = cell_of(x, i);
  memset(all, 0, sizeof all);
  for (int i = 0; i < ranks; i++) {
    counts[i] = i == 1 ? 0 : 2;
    displs[i] = 3 * i + (ranks > 1); /* MPICH 4.0 ignores that of a single rank */
  }
  CALL(Allgatherv, sent, counts[rank], type, all, counts, displs, type, comm);
  for (int i = 0; i < ranks; i++)
    for (int k = 0; k < counts[i]; k++) CHECK(all[displs[i] + k].before == 100 * i + k && all[displs[i] + k].mark == 'a' + i);
  for (int i = 0; i < ranks; i++) value_of(&all[displs[i] + 1], y + 3 * i);
  CALL(Gather, x, 1, pair, pairs, 2, AMPI_ADOUBLE, 0, comm);
  CALL(Bcast, pairs, ranks, pair, 0, comm);
  for (int i = 0; i < 2 * ranks; i++) y[24 + i] = pairs[i];
}

static void moves_back(double *xb, double *yb) {
  cell_b all_b[MOST] = {{{0}, 0}}, sent_b[4] = {{{0}, 0}};
  double pairs_b[2 * MOST] = {0};
  for (int i = 0; i < 2 * ranks; i++) pairs_b[i] = yb[24 + i];
  BACK(Bcast, pairs_b, ranks, pair, 0, comm);
  BACK(Gather, xb, 1, pair, pairs_b, 2, AMPI_ADOUBLE, 0, comm);
  for (int i = 0; i < ranks; i++)
    if (counts[i] > 0) value_back(&all[displs[i] + 1], &all_b[displs[i] + 1], yb + 3 * i);
  BACK(Allgatherv, sent_b, counts[rank], type_b, all_b, counts, displs, type_b, comm);
  for (int i = 0; i < 4; i++) cell_back(x_kept, xb, i, &sent_b[i]);
}

/* Not commutative: one affine map after the other, of which `last` is the slope; and a product; integers add. */
static void combine(void *in, void *inout, int *n, MPI_Datatype *datatype) {
  const cell *const a = in;
  cell *const b = inout;
  (void)datatype;
  for (int i = 0; i < *n; i++) {
    b[i].at[0] = a[i].at[0] + a[i].last * b[i].at[0];
    b[i].at[1] *= a[i].at[1];
    b[i].last *= a[i].last;
    b[i].before += a[i].before;
  }
}

static int calls_back;

static void combine_b(void *in, void *in_b, void *inout, void *inout_b, int *n, MPI_Datatype *datatype, MPI_Datatype *datatype_b) {
  const cell *const a = in, *const b = inout;
  cell_b *const ab = in_b, *const bb = inout_b;
  CHECK(*datatype == type && *datatype_b == type_b);
  calls_back++;
  for (int i = 0; i < *n; i++) {
    ab[i].at[0] += bb[i].at[0];
    ab[i].last += b[i].at[0] * bb[i].at[0] + b[i].last * bb[i].last;
    bb[i].at[0] *= a[i].last;
    bb[i].last *= a[i].last;
    ab[i].at[1] += b[i].at[1] * bb[i].at[1];
    bb[i].at[1] *= a[i].at[1];
  }
}

/* Of doubles: the norm of two. */
static void norm(void *in, void *inout, int *n, MPI_Datatype *datatype) {
  (void)datatype;
  for (int i = 0; i < *n; i++) {
    const double a = ((double *)in)[i], b = ((double *)inout)[i];
    ((double *)inout)[i] = sqrt(a * a + b * b);
  }
}
static void norm_b(void *in, void *in_b, void *inout, void *inout_b, int *n, MPI_Datatype *datatype, MPI_Datatype *datatype_b) {
  (void)datatype, (void)datatype_b;
  for (int i = 0; i < *n; i++) {
    const double a = ((double *)in)[i], b = ((double *)inout)[i], both = ((double *)inout_b)[i] / sqrt(a * a + b * b);
    ((double *)in_b)[i] += a * both;
    ((double *)inout_b)[i] = b * both;
  }
}

static MPI_Op op, norms;
static cell reduced[3];

static void users(int forward, double *x, double *y) {
  memcpy(x_kept, x, sizeof x_kept);
  for (int i = 0; i < 3; i++) sent[i] = cell_of(x, i);
  for (int i = 0; i < 3; i++) reduced[i] = (cell){-1, {0}, 2, 'z', 0};
  CALL(Reduce, sent, reduced, 3, type, op, ranks - 1, comm);
  if (rank == ranks - 1) {
    CHECK(reduced[1].before == 100 * ranks * (ranks - 1) / 2 + ranks);
    for (int i = 0; i < 3; i++) value_of(&reduced[i], y + 3 * i);
  }
  CALL(Allreduce, x, y + 20, 3, AMPI_ADOUBLE, norms, comm);
  CALL(Scan, x + 2, y + 30, 2, AMPI_ADOUBLE, norms, comm);
  for (int i = 0; i < 2; i++) y[40 + i] = x[i];
  CALL(Allreduce, MPI_IN_PLACE, y + 40, 2, AMPI_ADOUBLE, norms, comm);
}

static void users_back(double *xb, double *yb) {
  cell_b sent_b[4] = {{{0}, 0}}, reduced_b[3] = {{{0}, 0}};
  CHECK(BWS_AMPI_Allreduce(MPI_IN_PLACE, MPI_IN_PLACE, NULL, yb + 40, 2, AMPI_ADOUBLE, AMPI_ADOUBLE, norms, norm_b, comm) == MPI_SUCCESS);
  for (int i = 0; i < 2; i++) xb[i] += yb[40 + i];
  CHECK(BWS_AMPI_Scan(NULL, xb + 2, NULL, yb + 30, 2, AMPI_ADOUBLE, AMPI_ADOUBLE, norms, norm_b, comm) == MPI_SUCCESS);
  CHECK(BWS_AMPI_Allreduce(NULL, xb, NULL, yb + 20, 3, AMPI_ADOUBLE, AMPI_ADOUBLE, norms, norm_b, comm) == MPI_SUCCESS);
  if (rank == ranks - 1)
    for (int i = 0; i < 3; i++) value_back(&reduced[i], &reduced_b[i], yb + 3 * i);
  CHECK(BWS_AMPI_Reduce(sent, sent_b, reduced, reduced_b, 3, type, type_b, op, combine_b, ranks - 1, comm) == MPI_SUCCESS);
  CHECK(rank != ranks - 1 || reduced_b[0].at[0] == 0);
  for (int i = 0; i < 3; i++) cell_back(x_kept, xb, i, &sent_b[i]);
}

/* Neighbours on a ring, reductions that are scattered, and calls under way at once. */
static MPI_Comm grid;

static void others(int forward, double *x, double *y) {
  AMPI_Request requests[2];
  double parts[2 * MOST];
  int ones[MOST];
  for (int i = 0; i < ranks; i++) ones[i] = 1;
  CALL(Neighbor_allgather, x, 2, AMPI_ADOUBLE, y, 2, AMPI_ADOUBLE, grid);
  CALL(Neighbor_alltoall, x + 2, 1, AMPI_ADOUBLE, y + 4, 1, AMPI_ADOUBLE, grid);
  for (int i = 0; i < 2 * ranks; i++) parts[i] = (i + 1) * x[i % N];
  CALL(Reduce_scatter_block, parts, y + 8, 2, AMPI_ADOUBLE, MPI_SUM, comm);
  CALL(Reduce_scatter, MPI_IN_PLACE, parts, ones, AMPI_ADOUBLE, MPI_SUM, comm);
  y[10] = parts[0];
  CALL(Sendrecv_replace, x, 2, AMPI_ADOUBLE, right(), 1, left(), 1, comm, MPI_STATUS_IGNORE);
  CALL(Iallgather, x, 1, AMPI_ADOUBLE, y + 20, 1, AMPI_ADOUBLE, comm, &requests[0]);
  CALL(Iscan, x + 1, y + 12, 3, AMPI_ADOUBLE, MPI_SUM, comm, &requests[1]);
  CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
}

static double *others_y;

static void others_forward(int forward, double *x, double *y) {
  if (forward) others_y = y;
  others(forward, x, y);
}

static void others_back(double *xb, double *yb) {
  AMPI_Request requests[2];
  double parts_b[2 * MOST] = {0};
  int ones[MOST];
  for (int i = 0; i < ranks; i++) ones[i] = 1;
  ADTOOL_AMPI_Turn(others_y + 20, yb + 20);
  ADTOOL_AMPI_Turn(others_y + 12, yb + 12);
  BACK(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  BACK(Iscan, xb + 1, yb + 12, 3, AMPI_ADOUBLE, MPI_SUM, comm, &requests[1]);
  BACK(Iallgather, xb, 1, AMPI_ADOUBLE, yb + 20, 1, AMPI_ADOUBLE, comm, &requests[0]);
  BACK(Sendrecv_replace, xb, 2, AMPI_ADOUBLE, right(), 1, left(), 1, comm, MPI_STATUS_IGNORE);
  parts_b[0] = yb[10];
  BACK(Reduce_scatter, MPI_IN_PLACE, parts_b, ones, AMPI_ADOUBLE, MPI_SUM, comm);
  BACK(Reduce_scatter_block, parts_b, yb + 8, 2, AMPI_ADOUBLE, MPI_SUM, comm);
  for (int i = 0; i < 2 * ranks; i++) xb[i % N] += (i + 1) * parts_b[i];
  BACK(Neighbor_alltoall, xb + 2, 1, AMPI_ADOUBLE, yb + 4, 1, AMPI_ADOUBLE, grid);
  BACK(Neighbor_allgather, xb, 2, AMPI_ADOUBLE, yb, 2, AMPI_ADOUBLE, grid);
}

static void check_errors(void) {
  cell one = {1, {2, 3}, 4, 'a', 5};
  double x = 1, y = 0, xb = 0, yb = 1;
  float small = 0;
  long double much = 0;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK(FW_AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, norms, MPI_COMM_SELF) == MPI_SUCCESS);
  says(BW_AMPI_Allreduce(&xb, &yb, 1, AMPI_ADOUBLE, norms, MPI_COMM_SELF), "AMPI_Allreduce", "by its BWS_ form");
  CHECK(BWS_AMPI_Allreduce(NULL, &xb, NULL, &yb, 1, AMPI_ADOUBLE, AMPI_ADOUBLE, norms, norm_b, MPI_COMM_SELF) == MPI_SUCCESS);
  CHECK(xb == 1);
  CHECK(FW_AMPI_Bcast(&one, 1, type, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  says(BW_AMPI_Bcast(&xb, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "buffer", "1 adjoints for the 4 numbers of FW_AMPI_Bcast");
  CHECK(BW_AMPI_Bcast(&one, 1, type, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  says(FW_AMPI_Bcast(&much, 1, MPI_LONG_DOUBLE, 0, MPI_COMM_SELF), "AMPI_Bcast", "long doubles");
  says(FW_AMPI_Allreduce(&one, &one, 1, type, MPI_SUM, MPI_COMM_SELF), "AMPI_Allreduce", "op is MPI's own");
  says(FW_AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_LAND, MPI_COMM_SELF), "AMPI_Allreduce", "only MPI_SUM");
  says(TLM_AMPI_Bcast(&x, 1, AMPI_ADOUBLE, 0, MPI_COMM_SELF), "TLM_AMPI_Bcast", "TLS_ form");
  says(TLB_AMPI_Allreduce(&one, &one, 1, pair, MPI_PROD, MPI_COMM_SELF), "TLB_AMPI_Allreduce", "op is MPI's own");
  (void)small;
}

int main(void) {
  const int size = 1 << 16;
  void *const room = malloc((size_t)size);
  int dims[1], periods[] = {1}, detached;
  AMPI_Init_NT(NULL, NULL);
  AMPI_Comm_dup_NT(MPI_COMM_WORLD, &comm);
  AMPI_Comm_rank(comm, &rank);
  AMPI_Comm_size(comm, &ranks);
  make_types();
  AMPI_Buffer_attach_NT(room, size);
  AMPI_Op_create_NT(combine, 0, &op);
  AMPI_Op_create(norm, 1, &norms);
  dims[0] = ranks;
  AMPI_Cart_create(comm, 1, dims, periods, 0, &grid);
  check_differences("messages", messages, messages_back);
  check_differences("moves", moves, moves_back);
  check_differences("users", users, users_back);
  CHECK(ranks == 1 || calls_back > 0 || rank != 0);
  check_differences("others", others_forward, others_back);
  check_errors();
  AMPI_Comm_free(&grid);
  AMPI_Op_free_NT(&op);
  AMPI_Op_free(&norms);
  void *back = room;
  AMPI_Buffer_detach_NT(&back, &detached);
  free(room);
  free_types();
  AMPI_Comm_free_NT(&comm);
  AMPI_Finalize_NT();
  return failures != 0;
}
