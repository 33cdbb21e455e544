/* A program as it was written for BigMPI: its header, its names, its signatures, its way of asking. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "bigmpi.h"

static int failures = 0;

static void check(int right, const char *what) {
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  failures++;
}

/* BigMPI's signatures, by value: a difference is a warning, and warnings are errors. */
static int (*const send_x)(const void *, MPI_Count, MPI_Datatype, int, int, MPI_Comm) = MPIX_Send_x;
static int (*const alltoallw_x)(const void *, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], void *,
                                const MPI_Count[], const MPI_Aint[], const MPI_Datatype[], MPI_Comm) = MPIX_Alltoallw_x;
static int (*const gatherv_x)(const void *, MPI_Count, MPI_Datatype, void *, const MPI_Count[], const MPI_Aint[],
                              MPI_Datatype, int, MPI_Comm) = MPIX_Gatherv_x;
static int (*const rget_accumulate_x)(const void *, MPI_Count, MPI_Datatype, void *, MPI_Count, MPI_Datatype, int,
                                      MPI_Aint, MPI_Count, MPI_Datatype, MPI_Op, MPI_Win,
                                      MPI_Request *) = MPIX_Rget_accumulate_x;
static int (*const create_graph_comm)(MPI_Comm, int, MPI_Comm *) = BigMPI_Create_graph_comm;
static int (*const type_create_hvector_x)(int, MPI_Count[], MPI_Aint[], MPI_Datatype,
                                          MPI_Datatype *) = MPIX_Type_create_hvector_x;
static int (*const file_read_at_x)(MPI_File, MPI_Offset, void *, MPI_Count, MPI_Datatype,
                                   MPI_Status *) = MPIX_File_read_at_x;

int main(int argc, char **argv) {
  /* Before MPI_Init. */
  const MPI_Count test_int_max = BigMPI_Get_max_int();
  MPIX_Init(&argc, &argv);
  check(test_int_max == BigMPI_Get_max_int(), "BigMPI_Get_max_int");
  check(send_x && alltoallw_x && gatherv_x && rget_accumulate_x && file_read_at_x, "a name");

  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const MPI_Count n = 2 * (test_int_max < 1000 ? test_int_max : 1000) + 77;
  double *sbuf = malloc((size_t)n * sizeof(double)), *rbuf = malloc((size_t)n * sizeof(double));
  for (MPI_Count i = 0; i < n; i++) sbuf[i] = (double)rank + 1. + (double)i;
  MPIX_Allreduce_x(sbuf, rbuf, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (MPI_Count i = 0; i < n; i++)
    check(rbuf[i] == (double)size * ((double)size + 1.) / 2. + (double)size * (double)i, "MPIX_Allreduce_x");
  free(sbuf);
  free(rbuf);

  /* BigMPI's hvector has blocks of different lengths. */
  MPI_Count lengths[] = {2, n}, bytes;
  MPI_Aint starts[] = {64, 128}, lower, extent;
  MPI_Datatype blocks;
  type_create_hvector_x(2, lengths, starts, MPI_CHAR, &blocks);
  MPI_Type_size_x(blocks, &bytes);
  MPI_Type_get_extent(blocks, &lower, &extent);
  check(bytes == n + 2 && lower == 64 && extent == 64 + n, "MPIX_Type_create_hvector_x");
  MPI_Type_free(&blocks);

  /* The graphs of an exchange of all and of one with a root. */
  for (int root = -1; root < 1; root++) {
    MPI_Comm graph;
    int in, out, weighted;
    create_graph_comm(MPI_COMM_WORLD, root, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    check(in == (root == -1 || rank == root ? size : 0), "BigMPI_Create_graph_comm");
    check(out == (root == -1 || rank == root ? size : 1), "BigMPI_Create_graph_comm");
    MPI_Comm_free(&graph);
  }

  /* Types of up to 2^59 items, and back. */
  MPI_Count count = 1;
  for (int i = 0; i < 60; i++) {
    MPI_Datatype bigtype, outtype;
    MPI_Count nout;
    MPIX_Type_contiguous_x(count, MPI_CHAR, &bigtype);
    BigMPI_Decode_contiguous_x(bigtype, &nout, &outtype);
    check(nout == count && outtype == MPI_CHAR, "BigMPI_Decode_contiguous_x");
    MPI_Type_free(&bigtype);
    count *= 2;
  }
  MPIX_Finalize();
  return failures != 0;
}
