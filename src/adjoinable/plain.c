/* What needs no steps: communicators, datatypes, operations, and tangent calls on bundles. */
#include <stdlib.h>

#include "runtime.h"

OURS_IS(int, AMPI_Cart_create, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *made))
OURS_IS(int, AMPI_Dist_graph_create_adjacent,
        (MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[],
         const int destweights[], MPI_Info info, int reorder, MPI_Comm *made))
OURS_IS(int, AMPI_Intercomm_create, (MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm *made))

int AMPI_Cart_create(MPI_Comm comm, int ndims, int dims[], int periods[], int reorder, MPI_Comm *made) {
  return OURS(AMPI_Cart_create)(comm, ndims, dims, periods, reorder, made);
}
int AMPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, int sources[], int sourceweights[], int outdegree, int destinations[],
                                    int destweights[], MPI_Info info, int reorder, MPI_Comm *made) {
  return OURS(AMPI_Dist_graph_create_adjacent)(comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info,
                                               reorder, made);
}
int AMPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm *made) {
  return OURS(AMPI_Intercomm_create)(local, leader, peer, remote, tag, made);
}

/* Both names of a call that MPI makes. */
#define BOTH(name, parameters, arguments)                       \
  int AMPI_##name parameters { return MPI_##name arguments; } \
  int AMPI_##name##_NT parameters { return MPI_##name arguments; }
BOTH(Type_contiguous, (int count, MPI_Datatype old, MPI_Datatype *made), (count, old, made))
BOTH(Type_create_struct, (int count, int lengths[], MPI_Aint displs[], MPI_Datatype types[], MPI_Datatype *made),
     (count, lengths, displs, types, made))
BOTH(Type_create_resized, (MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *made), (old, lb, extent, made))
BOTH(Type_commit, (MPI_Datatype * datatype), (datatype))
BOTH(Type_free, (MPI_Datatype * datatype), (datatype))
BOTH(Op_create, (MPI_User_function * function, int commute, MPI_Op *op), (function, commute, op))
BOTH(Op_free, (MPI_Op * op), (op))

/* Shadows of communicators, the last told first. */
typedef struct shadow {
  struct shadow *next;
  MPI_Comm comm, dup;
} shadow;
static shadow *shadows;

static shadow **place_of(MPI_Comm comm) {
  shadow **at = &shadows;
  while (*at != NULL && (*at)->comm != comm) at = &(*at)->next;
  return at;
}

void ADTOOL_AMPI_addShadowComm(MPI_Comm comm, MPI_Comm dup) {
  shadow *const one = malloc(sizeof *one);
  if (one == NULL) return; /* then getShadowComm tells */
  *one = (shadow){shadows, comm, dup};
  shadows = one;
}

MPI_Comm ADTOOL_AMPI_getShadowComm(MPI_Comm comm) {
  const shadow *const one = *place_of(comm);
  if (one != NULL) return one->dup;
  adjoinable_refused("ADTOOL_AMPI_getShadowComm", MPI_COMM_WORLD,
                     "comm has no shadow: make it by TLS_AMPI_Comm_dup_NT or its kin, or call ADTOOL_AMPI_addShadowComm");
  return MPI_COMM_NULL;
}

void ADTOOL_AMPI_delShadowComm(MPI_Comm comm) {
  shadow **const at = place_of(comm), *const one = *at;
  if (one == NULL) return;
  *at = one->next;
  free(one);
}

static int with_shadow(int code, const MPI_Comm *made) {
  MPI_Comm dup;
  if (code != MPI_SUCCESS || *made == MPI_COMM_NULL) return code;
  code = MPI_Comm_dup(*made, &dup);
  if (code == MPI_SUCCESS) ADTOOL_AMPI_addShadowComm(*made, dup);
  return code;
}

int adjoinable_shadow_world(void) {
  const MPI_Comm world = MPI_COMM_WORLD;
  return with_shadow(MPI_SUCCESS, &world);
}

int adjoinable_shadow_freed(MPI_Comm comm) {
  const shadow *const one = *place_of(comm);
  MPI_Comm dup;
  if (one == NULL) return MPI_SUCCESS;
  dup = one->dup;
  ADTOOL_AMPI_delShadowComm(comm);
  return MPI_Comm_free(&dup);
}

int TLS_AMPI_Comm_dup_NT(MPI_Comm comm, MPI_Comm *made) { return with_shadow(AMPI_Comm_dup(comm, made), made); }
int TLS_AMPI_Comm_split_NT(MPI_Comm comm, int color, int key, MPI_Comm *made) {
  return with_shadow(AMPI_Comm_split(comm, color, key, made), made);
}
int TLS_AMPI_Comm_create_NT(MPI_Comm comm, MPI_Group group, MPI_Comm *made) {
  return with_shadow(AMPI_Comm_create(comm, group, made), made);
}
int TLS_AMPI_Comm_free_NT(MPI_Comm *comm) {
  const int code = adjoinable_shadow_freed(*comm);
  return code == MPI_SUCCESS ? AMPI_Comm_free(comm) : code;
}

int adjoinable_bundled(const char *call, MPI_Comm comm, MPI_Op op, const MPI_Datatype datatypes[], int n) {
  const adjoinable_item *item;
  for (int i = 0; i < n; i++) {
    if (adjoinable_content(datatypes[i], &item) != ADJOINABLE_NUMBERS) continue;
    if (adjoinable_is_plain(item))
      return adjoinable_refused(call, comm, "the buffer is of plain numbers, beside which there are no tangents: make a datatype of numbers "
                                            "and their tangents, or call the TLS_ form with a buffer of tangents");
    if (op != MPI_OP_NULL && adjoinable_is_built_in(op))
      return adjoinable_refused(call, comm, "op is MPI's own, which takes no numbers with their tangents: make one that reduces both");
  }
  return MPI_SUCCESS;
}

int TLM_AMPI_Wait(AMPI_Request *request, MPI_Status *status) { return MPI_Wait(request, status); }
int TLM_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status statuses[]) { return MPI_Waitall(count, requests, statuses); }
int TLM_AMPI_Barrier(MPI_Comm comm) { return MPI_Barrier(comm); }
