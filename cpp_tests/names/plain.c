/* An MPI program of many calls, in plain MPI. The test replaces the prefix MPI_ by AMPI_ and <mpi.h> by
 * <admpi.h>, builds both, and compares what they print on two ranks. Everything here is passive, so the
 * two must agree to the last character. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6, TEXT = 16384 };

static int rank, size, other;
static char text[TEXT];
static size_t used;

static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text + used, TEXT - used, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= TEXT - used)
    MPI_Abort(MPI_COMM_WORLD, 3);
  used += (size_t)length;
}

static void say_numbers(const char *name, const double *x, int n) {
  say("%s:", name);
  for (int i = 0; i < n; i++)
    say(" %g", x[i]);
  say("\n");
}

static void say_integers(const char *name, const int *x, int n) {
  say("%s:", name);
  for (int i = 0; i < n; i++)
    say(" %d", x[i]);
  say("\n");
}

static void fill(double *x, int n, double start) {
  for (int i = 0; i < n; i++)
    x[i] = start + i + 100 * rank;
}

static void environment(void) {
  char name[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING], error[MPI_MAX_ERROR_STRING];
  int length, version, subversion, flag, level, main_thread, class;
  void *limit;
  MPI_Get_processor_name(name, &length);
  say("processor name %s\n", length > 0 ? "given" : "empty");
  MPI_Get_library_version(library, &length);
  MPI_Get_version(&version, &subversion);
  say("version %d, compiled for %d\n", version >= 3, MPI_VERSION >= 3);
  MPI_Initialized(&flag);
  say("initialized %d", flag);
  MPI_Finalized(&flag);
  say(", finalized %d", flag);
  MPI_Query_thread(&level);
  MPI_Is_thread_main(&main_thread);
  say(", thread level %d, main thread %d\n", level >= MPI_THREAD_SINGLE, main_thread);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  say("largest tag %d\n", flag && *(int *)limit >= 32767);
  MPI_Error_class(MPI_ERR_RANK, &class);
  MPI_Error_string(MPI_ERR_RANK, error, &length);
  say("class of the error %d, explained %d\n", class == MPI_ERR_RANK, length > 0);
  say("clock %d\n", MPI_Wtime() >= 0 && MPI_Wtick() > 0);

  int classes[2];
  MPI_Add_error_class(&classes[0]);
  MPI_Add_error_code(classes[0], &classes[1]);
  MPI_Add_error_string(classes[1], "an error of our own");
  MPI_Error_string(classes[1], error, &length);
  say("%s\n", error);
}

static void point_to_point(void) {
  double x[N], y[N] = {0};
  MPI_Status status, statuses[4];
  MPI_Request request, requests[4];
  int count, flag, index, done, indices[4];
  fill(x, N, 1);

  if (rank == 0) {
    MPI_Send(x, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    MPI_Ssend(x, N - 1, MPI_DOUBLE, other, 2, MPI_COMM_WORLD);
    int bytes;
    MPI_Pack_size(N, MPI_DOUBLE, MPI_COMM_WORLD, &bytes);
    bytes += MPI_BSEND_OVERHEAD;
    void *buffer = malloc((size_t)bytes);
    MPI_Buffer_attach(buffer, bytes);
    MPI_Bsend(x, N, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
    MPI_Buffer_detach(&buffer, &bytes);
    free(buffer);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(x, N, MPI_DOUBLE, other, 4, MPI_COMM_WORLD);
  } else {
    MPI_Irecv(y, N, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, &request);
    double z[N];
    MPI_Recv(z, N, MPI_DOUBLE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say_numbers("standard", z, N);
    MPI_Recv(z, N, MPI_DOUBLE, other, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    say("synchronous: %d from %d tag %d\n", count, status.MPI_SOURCE, status.MPI_TAG);
    MPI_Probe(other, 3, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, MPI_DOUBLE, &count);
    MPI_Recv(z, count, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &status);
    say_numbers("buffered", z, count);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    say_numbers("ready", y, N);
    say("cancelled %d, request null %d\n", flag, request == MPI_REQUEST_NULL);
  }

  MPI_Irecv(y, 1, MPI_DOUBLE, other, 10, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(y + 1, 1, MPI_DOUBLE, other, 11, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(x, 1, MPI_DOUBLE, other, 10, MPI_COMM_WORLD, &requests[2]);
  MPI_Issend(x + 1, 1, MPI_DOUBLE, other, 11, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, statuses);
  say_numbers("waitall", y, 2);
  say("sources %d %d\n", statuses[0].MPI_SOURCE, statuses[1].MPI_SOURCE);

  for (int i = 0; i < 2; i++)
    MPI_Irecv(y + i, 1, MPI_DOUBLE, other, 20 + i, MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < 2; i++)
    MPI_Isend(x + 2 + i, 1, MPI_DOUBLE, other, 20 + i, MPI_COMM_WORLD, &requests[2 + i]);
  MPI_Waitany(4, requests, &index, &status);
  say("waitany %d", index >= 0 && requests[index] == MPI_REQUEST_NULL);
  MPI_Waitsome(4, requests, &done, indices, statuses);
  say(" waitsome %d", done >= 1);
  do {
    MPI_Testsome(4, requests, &done, indices, MPI_STATUSES_IGNORE);
    MPI_Testany(4, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE);
  } while (!flag);
  say_numbers(" tested", y, 2);

  MPI_Isend(x, N, MPI_DOUBLE, other, 30, MPI_COMM_WORLD, &request);
  do
    MPI_Iprobe(other, 30, MPI_COMM_WORLD, &flag, &status);
  while (!flag);
  MPI_Message message;
  MPI_Mprobe(other, 30, MPI_COMM_WORLD, &message, &status);
  MPI_Mrecv(y, N, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  say_numbers("matched", y, N);
  do
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  while (!flag);

  MPI_Isend(x + 1, 1, MPI_DOUBLE, other, 31, MPI_COMM_WORLD, &request);
  do
    MPI_Improbe(other, 31, MPI_COMM_WORLD, &flag, &message, &status);
  while (!flag);
  MPI_Imrecv(y, 1, MPI_DOUBLE, &message, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  say_numbers("matched, nonblocking", y, 1);

  MPI_Sendrecv(x, 2, MPI_DOUBLE, other, 40, y, 2, MPI_DOUBLE, other, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(y, 2, MPI_DOUBLE, other, 41, other, 41, MPI_COMM_WORLD, &status);
  say_numbers("there and back", y, 2);

  MPI_Recv_init(y, 3, MPI_DOUBLE, other, 50, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(x, 3, MPI_DOUBLE, other, 50, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < 3; round++) {
    if (round == 1) {
      MPI_Start(&requests[0]);
      MPI_Start(&requests[1]);
    } else {
      MPI_Startall(2, requests);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    say_numbers("persistent", y, 3);
    x[0] += 0.5;
  }
  say("kept %d\n", requests[0] != MPI_REQUEST_NULL);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);

  MPI_Irecv(y, 1, MPI_DOUBLE, other, 60, MPI_COMM_WORLD, &request);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  int cancelled;
  MPI_Test_cancelled(&status, &cancelled);
  say("under way %d, cancelled %d\n", !flag, cancelled);
  MPI_Recv(y, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  say("from nowhere %d\n", count);
}

static void collectives(void) {
  double x[N], y[2 * N] = {0};
  int counts[] = {1, 2}, displacements[] = {0, 1};
  fill(x, N, 1);
  double z[N];
  memcpy(z, x, sizeof z);
  MPI_Bcast(z, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  say_numbers("bcast", z, N);
  MPI_Reduce(x, y, 3, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, z, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  say_numbers("reduce", y, 3);
  say_numbers("allreduce", z, 3);
  MPI_Gather(x, 2, MPI_DOUBLE, y, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  say_numbers("gather", y, 4);
  MPI_Datatype nonsense;
  memset(&nonsense, 0x5a, sizeof nonsense); /* not significant away from the root, and never looked at */
  MPI_Gatherv(x, counts[rank], MPI_DOUBLE, y, counts, displacements, rank == 0 ? MPI_DOUBLE : nonsense, 0,
              MPI_COMM_WORLD);
  say_numbers("gatherv", y, 3);
  MPI_Scatter(y, 2, MPI_DOUBLE, z, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  say_numbers("scatter", z, 2);
  MPI_Scatterv(y, counts, displacements, rank == 0 ? MPI_DOUBLE : nonsense, z, counts[rank], MPI_DOUBLE, 0,
               MPI_COMM_WORLD);
  say_numbers("scatterv", z, counts[rank]);
  MPI_Allgather(x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Allgatherv(MPI_IN_PLACE, 0, nonsense, y, (int[]){1, 1}, displacements, MPI_DOUBLE, MPI_COMM_WORLD);
  say_numbers("allgather", y, 2);
  MPI_Alltoall(x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  say_numbers("alltoall", y, 2);
  MPI_Alltoallv(x, (int[]){1, 2}, displacements, MPI_DOUBLE, y, (int[]){rank + 1, rank + 1},
                (int[]){0, rank + 1}, MPI_DOUBLE, MPI_COMM_WORLD);
  say_numbers("alltoallv", y, 2 * (rank + 1));
  MPI_Datatype types[] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Alltoallw(x, (int[]){1, 1}, (int[]){0, 8}, types, y, (int[]){1, 1}, (int[]){8, 0}, types, MPI_COMM_WORLD);
  say_numbers("alltoallw", y, 2);
  MPI_Scan(x, y, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  say_numbers("scan", y, 2);
  MPI_Exscan(x, y, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  say_numbers("exscan", y, 2);
  MPI_Reduce_scatter(x, y, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  say_numbers("reduce_scatter", y, counts[rank]);
  MPI_Reduce_scatter_block(x, y, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  say_numbers("reduce_scatter_block", y, 2);
  MPI_Reduce_local(x, y, 2, MPI_DOUBLE, MPI_PROD);
  say_numbers("reduce_local", y, 2);

  struct { double value; int index; } pair = {10.0 - rank, rank}, least;
  MPI_Allreduce(&pair, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  say("least %g at %d\n", least.value, least.index);
}

static void nonblocking_collectives(void) {
  double x[N], y[8][N] = {{0}};
  int counts[] = {1, 2}, displacements[] = {0, 1}, flag;
  MPI_Request requests[10];
  fill(x, N, 1);
  double z[2] = {x[0], x[1]};
  MPI_Ibcast(z, 2, MPI_DOUBLE, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(x, y[0], 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Ireduce(x, y[1], 2, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Igather(x, 1, MPI_DOUBLE, y[2], 1, MPI_DOUBLE, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Igatherv(x, counts[rank], MPI_DOUBLE, y[3], counts, displacements, MPI_DOUBLE, 0, MPI_COMM_WORLD,
               &requests[4]);
  MPI_Iscatter(x, 1, MPI_DOUBLE, y[4], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[5]);
  MPI_Iallgather(x, 1, MPI_DOUBLE, y[5], 1, MPI_DOUBLE, MPI_COMM_WORLD, &requests[6]);
  MPI_Ialltoall(x, 1, MPI_DOUBLE, y[6], 1, MPI_DOUBLE, MPI_COMM_WORLD, &requests[7]);
  MPI_Iscan(x, y[7], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[8]);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[9]);
  MPI_Waitall(10, requests, MPI_STATUSES_IGNORE);
  say_numbers("ibcast", z, 2);
  for (int i = 0; i < 8; i++)
    say_numbers("nonblocking", y[i], 3);

  MPI_Comm copy;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &requests[0]);
  do
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  while (!flag);
  int same;
  MPI_Comm_compare(copy, MPI_COMM_WORLD, &same);
  say("idup congruent %d\n", same == MPI_CONGRUENT);
  MPI_Comm_free(&copy);
}

static int copied, deleted;

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra;
  *(void **)out = in;
  *flag = 1;
  copied++;
  return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  deleted++;
  return MPI_SUCCESS;
}

static void communicators(void) {
  MPI_Group world, one, both, none;
  MPI_Comm copy, half, alone, grouped, shared, inter, merged;
  int key, flag, value = 7, *found, length, result, number;
  char name[MPI_MAX_OBJECT_NAME];

  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_attr(copy, key, &value);
  MPI_Comm_set_name(copy, "a copy");
  MPI_Comm_get_name(copy, name, &length);
  MPI_Comm second;
  MPI_Comm_dup(copy, &second);
  MPI_Comm_get_attr(second, key, &found, &flag);
  say("%s: attribute %d %d\n", name, flag, *found);
  MPI_Comm_delete_attr(second, key);
  MPI_Comm_free(&second);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&key);
  say("attributes copied %d, deleted %d\n", copied, deleted);

  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &rank, &one);
  MPI_Group_excl(world, 1, &rank, &none);
  MPI_Group_union(one, none, &both);
  MPI_Group_compare(world, both, &result);
  MPI_Group_size(both, &number);
  say("groups %d of %d\n", result != MPI_UNEQUAL, number);
  int from = 0, to;
  MPI_Group_translate_ranks(one, 1, &from, world, &to);
  MPI_Group_rank(one, &number);
  say("rank %d is %d\n", number, to);
  MPI_Group_free(&both);
  MPI_Group_intersection(one, none, &both);
  MPI_Group_size(both, &number);
  say("intersection %d, empty %d\n", number, both == MPI_GROUP_EMPTY || number == 0);
  if (both != MPI_GROUP_EMPTY)
    MPI_Group_free(&both);

  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
  MPI_Comm_size(half, &number);
  MPI_Comm_create(MPI_COMM_WORLD, world, &grouped);
  MPI_Comm_create_group(MPI_COMM_WORLD, one, 5, &alone);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_compare(grouped, MPI_COMM_WORLD, &result);
  say("split %d, created %d", number, result == MPI_CONGRUENT);
  MPI_Comm_size(shared, &number);
  say(", on one node %d\n", number);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 6, &inter);
  MPI_Comm_test_inter(inter, &flag);
  MPI_Comm_remote_size(inter, &number);
  double x = rank + 1, y = 0;
  MPI_Request request;
  MPI_Datatype nonsense;
  memset(&nonsense, 0x5a, sizeof nonsense);
  MPI_Igather(&x, 1, rank == 0 ? nonsense : MPI_DOUBLE, &y, 1, rank == 0 ? MPI_DOUBLE : nonsense,
              rank == 0 ? MPI_ROOT : 0, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("intercommunicator %d, remote %d, gathered %g\n", flag, number, y);
  MPI_Intercomm_merge(inter, rank, &merged);
  MPI_Comm_rank(merged, &number);
  say("merged %d\n", number);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&shared);
  MPI_Comm_free(&alone);
  MPI_Comm_free(&grouped);
  MPI_Comm_disconnect(&half);
  MPI_Group_free(&none);
  MPI_Group_free(&one);
  MPI_Group_free(&world);
}

static void topologies(void) {
  MPI_Comm grid, row, graph;
  int dimensions[] = {0, 1}, periods[] = {1, 0}, coordinates[2], source, target, kind, number, weighted;
  MPI_Dims_create(size, 2, dimensions);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dimensions, periods, 0, &grid);
  MPI_Cartdim_get(grid, &number);
  MPI_Cart_coords(grid, rank, 2, coordinates);
  say_integers("coordinates", coordinates, 2);
  MPI_Cart_rank(grid, coordinates, &number);
  MPI_Cart_shift(grid, 0, 1, &source, &target);
  say("rank %d between %d and %d", number, source, target);
  MPI_Cart_shift(grid, 1, 1, &source, &target);
  say(", walls %d %d\n", source == MPI_PROC_NULL, target == MPI_PROC_NULL);
  MPI_Cart_get(grid, 2, dimensions, periods, coordinates);
  MPI_Topo_test(grid, &kind);
  say("cartesian %d\n", kind == MPI_CART);
  int keep[] = {0, 1};
  MPI_Cart_sub(grid, keep, &row);
  MPI_Comm_size(row, &number);
  say("row of %d\n", number);
  double x = rank + 1, y[4] = {0};
  MPI_Request request;
  MPI_Neighbor_allgather(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, grid);
  say_numbers("neighbours", y, 4);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);

  int one = 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &one, 1, &other, &one, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &source, &target, &weighted);
  say("graph %d %d %d\n", source, target, weighted);
  MPI_Neighbor_alltoall(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, graph);
  MPI_Datatype type = MPI_DOUBLE;
  MPI_Aint zero = 0;
  MPI_Ineighbor_alltoallw(y, &one, &zero, &type, y + 1, &one, &zero, &type, graph, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say_numbers("neighbours", y, 2);
  MPI_Comm_free(&graph);
}

static void sum_squares(void *in, void *inout, int *n, MPI_Datatype *type) {
  (void)type;
  for (int i = 0; i < *n; i++)
    ((double *)inout)[i] += ((double *)in)[i] * ((double *)in)[i];
}

static void datatypes(void) {
  double x[4][3], y[4][3] = {{0}};
  struct particle { int id; double position[3]; } particle = {rank, {1, 2, 3}}, received = {0, {0}};
  for (int i = 0; i < 12; i++)
    x[i / 3][i % 3] = i + 100 * rank;
  MPI_Datatype column, block, pair, particles, resized, part, copy;
  MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Sendrecv(&x[0][1], 1, column, other, 1, &y[0][2], 1, column, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say_numbers("column", &y[0][0], 12);

  int lengths[] = {1, 3};
  MPI_Aint displacements[2], base, lower, extent;
  MPI_Get_address(&particle, &base);
  MPI_Get_address(&particle.id, &displacements[0]);
  MPI_Get_address(particle.position, &displacements[1]);
  for (int i = 0; i < 2; i++)
    displacements[i] = MPI_Aint_diff(displacements[i], base);
  MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, displacements, types, &particles);
  MPI_Type_create_resized(particles, 0, sizeof particle, &resized);
  MPI_Type_commit(&resized);
  MPI_Sendrecv(&particle, 1, resized, other, 2, &received, 1, resized, other, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  say("particle %d %g\n", received.id, received.position[2]);
  MPI_Type_get_extent(resized, &lower, &extent);
  int bytes, numbers, addresses, kinds, combiner;
  MPI_Type_size(resized, &bytes);
  MPI_Type_get_envelope(resized, &numbers, &addresses, &kinds, &combiner);
  say("extent %ld size %d resized %d\n", (long)extent, bytes, combiner == MPI_COMBINER_RESIZED);

  int sizes[] = {4, 3}, parts[] = {2, 2}, starts[] = {1, 1};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  MPI_Type_dup(part, &copy);
  MPI_Type_set_name(copy, "part");
  memset(y, 0, sizeof y);
  MPI_Sendrecv(x, 1, part, other, 3, y, 1, copy, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say_numbers("part", &y[0][0], 12);

  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_indexed(2, (int[]){1, 2}, (int[]){0, 2}, pair, &block);
  MPI_Type_commit(&block);
  char packed[256];
  int position = 0;
  MPI_Pack(x, 1, block, packed, sizeof packed, &position, MPI_COMM_WORLD);
  int end = position;
  double z[6];
  position = 0;
  MPI_Unpack(packed, end, &position, z, 6, MPI_DOUBLE, MPI_COMM_WORLD);
  say_numbers("packed", z, 6);

  MPI_Op operation;
  int commutes;
  MPI_Op_create(sum_squares, 1, &operation);
  MPI_Op_commutative(operation, &commutes);
  double one = 2 + rank, all = 0;
  MPI_Reduce(&one, &all, 1, MPI_DOUBLE, operation, 0, MPI_COMM_WORLD);
  say("operation commutes %d, result %d\n", commutes, rank != 0 || all == 11 || all == 7);
  MPI_Op_free(&operation);

  MPI_Datatype *all_types[] = {&column, &particles, &resized, &part, &copy, &pair, &block};
  for (size_t i = 0; i < sizeof all_types / sizeof *all_types; i++)
    MPI_Type_free(all_types[i]);
  say("freed %d\n", column == MPI_DATATYPE_NULL);
}

static void one_sided(void) {
  double *window, x = 10 + rank, y = 0, z = 0;
  MPI_Win win;
  MPI_Request request;
  MPI_Win_allocate(4 * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
  for (int i = 0; i < 4; i++)
    window[i] = i + 1;
  MPI_Win_set_name(win, "window");
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(&x, 1, MPI_DOUBLE, other, 0, 1, MPI_DOUBLE, win);
  MPI_Get(&y, 1, MPI_DOUBLE, other, 1, 1, MPI_DOUBLE, win);
  MPI_Accumulate(&x, 1, MPI_DOUBLE, other, 2, 1, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  say_numbers("window", window, 4);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
  MPI_Fetch_and_op(&x, &z, MPI_DOUBLE, other, 3, MPI_SUM, win);
  MPI_Win_flush(other, win);
  MPI_Rget(&y, 1, MPI_DOUBLE, other, 3, 1, MPI_DOUBLE, win, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock(other, win);
  say("fetched %g, then %g\n", z, y);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
}

static void objects(void) {
  MPI_Info info;
  char value[32], key[MPI_MAX_INFO_KEY];
  int flag, number;
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "green");
  MPI_Info_get(info, "colour", 31, value, &flag);
  MPI_Info_get_nkeys(info, &number);
  MPI_Info_get_nthkey(info, 0, key);
  say("info %d %s %s %d\n", flag, key, value, number);
  MPI_Info_free(&info);

  void *memory;
  MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
  memset(memory, 0, 64);
  MPI_Free_mem(memory);

  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  double x = 0;
  int class;
  int code = MPI_Ssend(&x, 1, MPI_DOUBLE, size + 5, 0, MPI_COMM_WORLD);
  MPI_Error_class(code, &class);
  say("wrong rank %d\n", class == MPI_ERR_RANK);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);

  MPI_Fint integer = MPI_Comm_c2f(MPI_COMM_WORLD);
  say("integer handle %d\n", MPI_Comm_f2c(integer) == MPI_COMM_WORLD);
}

static void files(const char *name) {
  MPI_File file;
  MPI_Request request;
  MPI_Status status;
  double x[3], y[3] = {0};
  int count;
  MPI_Offset bytes;
  fill(x, 3, 1);
  if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS) {
    say("no file\n");
    return;
  }
  MPI_File_set_view(file, 0, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
  MPI_File_write_at_all(file, 3 * rank, x, 3, MPI_DOUBLE, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &bytes);
  MPI_File_iread_at(file, 3 * other, y, 3, MPI_DOUBLE, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("wrote %d, file of %ld bytes\n", count, (long)bytes);
  say_numbers("read", y, 3);
  MPI_File_close(&file);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 || argc != 2) {
    if (rank == 0)
      fprintf(stderr, "usage, on 2 ranks: %s <file to make and delete>\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  other = 1 - rank;
  environment();
  point_to_point();
  collectives();
  nonblocking_collectives();
  communicators();
  topologies();
  datatypes();
  one_sided();
  objects();
  files(argv[1]);

  char *all = malloc(2 * TEXT);
  MPI_Gather(text, TEXT, MPI_CHAR, all, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("rank 0\n%srank 1\n%s", all, all + TEXT);
  free(all);
  MPI_Finalize();
  return 0;
}
