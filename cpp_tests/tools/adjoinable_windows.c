/* Windows by address: what Put, Get and Accumulate of doubles do in epochs between fences, against differences. */
#include "ampi/ampi.h"

#include <stdlib.h>

#include "tools/differences.h"

enum { ROOM = 8 };
static double memory[ROOM], kept[3][ROOM], memory_b[ROOM];
static double got[N], got_b[N];

static void halo(int forward, double *x, double *y) {
  AMPI_Win win;
  int flag = rank;
  for (int i = 0; i < ROOM; i++) memory[i] = i < N ? x[i] : 0.5;
  memset(got, 0, sizeof got);
  CALL(Win_create, memory, (MPI_Aint)sizeof memory, (int)sizeof(double), MPI_INFO_NULL, comm, &win);
  CALL(Win_fence, 0, win);
  /* Two from here, and what lies beside them stays. */
  CALL(Put, x, 2, AMPI_ADOUBLE, right(), 2, 2, AMPI_ADOUBLE, win);
  CALL(Put, x, 3, AMPI_ADOUBLE, MPI_PROC_NULL, 0, 3, AMPI_ADOUBLE, win);
  CALL(Win_fence, 0, win);
  memcpy(kept[0], memory, sizeof memory);
  for (int i = 0; i < ROOM; i++) memory[i] *= memory[i]; /* between epochs the memory is the program's */
  CALL(Win_fence, 0, win);
  CALL(Get, got, 3, AMPI_ADOUBLE, left(), 1, 3, AMPI_ADOUBLE, win);
  CALL(Accumulate, x + 3, 2, AMPI_ADOUBLE, right(), 6, 2, AMPI_ADOUBLE, MPI_SUM, win);
  CALL(Win_fence, 0, win);
  CALL(Accumulate, x + 1, 1, AMPI_ADOUBLE, left(), 0, 1, AMPI_ADOUBLE, MPI_PROD, win);
  CALL(Win_fence, MPI_MODE_NOSUCCEED, win);
  CALL(Win_free, &win);
  CHECK(win == MPI_WIN_NULL && flag == rank);
  for (int i = 0; i < ROOM; i++) y[i] = sin(memory[i]);
  for (int i = 0; i < 3; i++) y[ROOM + i] = got[i];
  memcpy(kept[1], memory, sizeof memory);
}

static void halo_back(double *xb, double *yb) {
  AMPI_Win win = MPI_WIN_NULL;
  ADTOOL_AMPI_Turn(memory, memory_b);
  ADMPI_Turn_range(got, got_b, sizeof got);
  memset(got_b, 0, sizeof got_b);
  for (int i = 0; i < 3; i++) got_b[i] = yb[ROOM + i];
  for (int i = 0; i < ROOM; i++) memory_b[i] = cos(kept[1][i]) * yb[i];
  BACK(Win_free, &win);
  BACK(Win_fence, 0, win);
  BACK(Accumulate, xb + 1, 1, AMPI_ADOUBLE, left(), 0, 1, AMPI_ADOUBLE, MPI_PROD, win);
  BACK(Win_fence, 0, win);
  BACK(Accumulate, xb + 3, 2, AMPI_ADOUBLE, right(), 6, 2, AMPI_ADOUBLE, MPI_SUM, win);
  BACK(Get, got_b, 3, AMPI_ADOUBLE, left(), 1, 3, AMPI_ADOUBLE, win);
  BACK(Win_fence, 0, win);
  for (int i = 0; i < ROOM; i++) memory_b[i] *= 2 * kept[0][i];
  BACK(Win_fence, 0, win);
  BACK(Put, xb, 3, AMPI_ADOUBLE, MPI_PROC_NULL, 0, 3, AMPI_ADOUBLE, win);
  BACK(Put, xb, 2, AMPI_ADOUBLE, right(), 2, 2, AMPI_ADOUBLE, win);
  BACK(Win_fence, 0, win);
  BACK(Win_create, memory_b, (MPI_Aint)sizeof memory, (int)sizeof(double), MPI_INFO_NULL, comm, &win);
  for (int i = 0; i < N; i++) xb[i] += memory_b[i];
}

/* A window of bytes on one rank only, with a type of doubles apart from each other on both sides. */
static void apart(int forward, double *x, double *y) {
  MPI_Datatype every_other;
  AMPI_Win win;
  const MPI_Aint size = rank == 0 ? (MPI_Aint)sizeof memory : 0;
  AMPI_Type_create_resized_NT(MPI_DOUBLE, 0, 16, &every_other);
  AMPI_Type_commit_NT(&every_other);
  memset(memory, 0, sizeof memory);
  CALL(Win_create, rank == 0 ? memory : NULL, size, 1, MPI_INFO_NULL, comm, &win);
  CALL(Win_fence, MPI_MODE_NOPRECEDE, win);
  CALL(Accumulate, x, 3, every_other, 0, 8, 3, every_other, MPI_SUM, win);
  CALL(Win_fence, 0, win);
  CALL(Win_free, &win);
  AMPI_Type_free_NT(&every_other);
  for (int i = 0; i < ROOM; i++) y[i] = rank == 0 ? memory[i] : 0;
}

static void apart_back(double *xb, double *yb) {
  MPI_Datatype every_other;
  AMPI_Win win = MPI_WIN_NULL;
  AMPI_Type_create_resized_NT(MPI_DOUBLE, 0, 16, &every_other);
  AMPI_Type_commit_NT(&every_other);
  for (int i = 0; i < ROOM; i++) memory_b[i] = rank == 0 ? yb[i] : 0;
  ADTOOL_AMPI_Turn(memory, memory_b);
  BACK(Win_free, &win);
  BACK(Win_fence, 0, win);
  BACK(Accumulate, xb, 3, every_other, 0, 8, 3, every_other, MPI_SUM, win);
  BACK(Win_fence, 0, win);
  BACK(Win_create, NULL, 0, 1, MPI_INFO_NULL, comm, &win);
  AMPI_Type_free_NT(&every_other);
}

static void check_errors(void) {
  AMPI_Win win, plain;
  float small = 1;
  double x = 1, xb = 0;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  memset(memory_b, 0, sizeof memory_b);
  CHECK(AMPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, comm, &plain) == MPI_SUCCESS);
  says(FW_AMPI_Put(&x, 1, AMPI_ADOUBLE, 0, 0, 1, AMPI_ADOUBLE, plain), "AMPI_Put", "FW_AMPI_Win_create");
  says(FW_AMPI_Win_fence(0, plain), "AMPI_Win_fence", "FW_AMPI_Win_create");
  AMPI_Win_free(&plain);
  CHECK(FW_AMPI_Win_create(memory, sizeof memory, 8, MPI_INFO_NULL, comm, &win) == MPI_SUCCESS);
  CHECK(FW_AMPI_Win_fence(0, win) == MPI_SUCCESS);
  says(FW_AMPI_Put(&small, 1, AMPI_AFLOAT, 0, 0, 1, AMPI_AFLOAT, win), "AMPI_Put", "of doubles alone");
  says(FW_AMPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win), "AMPI_Accumulate", "a window of AMPI_Win_create");
  CHECK(FW_AMPI_Put(&x, 1, AMPI_ADOUBLE, rank, 0, 1, AMPI_ADOUBLE, win) == MPI_SUCCESS);
  says(FW_AMPI_Win_free(&win), "AMPI_Win_free", "FW_AMPI_Win_fence first");
  CHECK(FW_AMPI_Win_fence(0, win) == MPI_SUCCESS);
  says(BW_AMPI_Put(&xb, 1, AMPI_ADOUBLE, rank, 0, 1, AMPI_ADOUBLE, win), "BW_AMPI_Put", "FW_AMPI_Win_fence");
  says(BW_AMPI_Win_fence(0, win), "BW_AMPI_Win_fence", "base");
  memory_b[0] = 3;
  ADTOOL_AMPI_Turn(memory, memory_b);
  BACK(Win_fence, 0, win);
  says(BW_AMPI_Put(&xb, 2, AMPI_ADOUBLE, rank, 0, 2, AMPI_ADOUBLE, win), "origin_addr", "2 adjoints for the 1 numbers");
  BACK(Put, &xb, 1, AMPI_ADOUBLE, rank, 0, 1, AMPI_ADOUBLE, win);
  CHECK(xb == 3 && memory_b[0] == 0);
  BACK(Win_fence, 0, win);
  BACK(Win_create, memory_b, sizeof memory, 8, MPI_INFO_NULL, comm, &win);
  CHECK(FW_AMPI_Win_free(&win) == MPI_SUCCESS);
  BACK(Win_free, &win);
}

int main(void) {
  AMPI_Init_NT(NULL, NULL);
  AMPI_Comm_dup_NT(MPI_COMM_WORLD, &comm);
  AMPI_Comm_rank(comm, &rank);
  AMPI_Comm_size(comm, &ranks);
  check_differences("halo", halo, halo_back);
  check_differences("apart", apart, apart_back);
  check_errors();
  AMPI_Comm_free_NT(&comm);
  AMPI_Finalize();
  return failures != 0;
}
