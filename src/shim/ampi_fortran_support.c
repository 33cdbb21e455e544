/* The calls for Fortran that are no calls of C: what Fortran tells of itself, and those with functions of the user's. */
#include "ampi_fortran_support.h"

#include <pthread.h>
#include <stdio.h>

#include "ampi_fortran.h"
#include "mpi_guards.h"

fortran_facts admpi_shim_fortran = {.truth = 1};

static int uses_fortran; /* AMPI_Init was called from there */

void admpif_sentinels_(const MPI_Fint *binding, const MPI_Fint *status_size, const MPI_Fint *world, const MPI_Fint *truth,
                       const void *bottom, const void *in_place, const void *status_ignore, const void *statuses_ignore,
                       const void *unweighted, const void *weights_empty) {
  const fortran_sentinels told = {bottom, in_place, status_ignore, statuses_ignore, unweighted, weights_empty};
  admpi_shim_fortran.sentinels[*binding] = told;
  admpi_shim_fortran.status_size[*binding] = *status_size;
  admpi_shim_fortran.world[*binding] = *world;
  admpi_shim_fortran.truth = *truth;
}

int admpif_is_sentinel(const void *address) { return fortran_buffer(address) != address; }

/** Whether nothing of this process has the tag. */
int admpi_shim_is_foreign(uint32_t tag);

int64_t admpif_first_foreign(const admpi_var *x, int64_t n) {
  uint32_t known = 0;
  for (int64_t i = 0; i < n; i++) {
    const uint32_t tag = x[i].tag;
    if ((tag != 0) != (x[i].id != 0)) return i;
    if (tag == known || tag == 0) continue;
    if (admpi_shim_is_foreign(tag)) return i;
    known = tag;
  }
  return -1;
}

MPI_Fint admpif_adopt_request(MPI_Fint request) {
  return AMPI_Request_c2f(admpi_shim_wrap_request(MPI_Request_f2c(request)));
}

#if ADMPI_MPI_OPENMPI
static const MPI_Fint world = 0; /* which MPI_Comm_c2f says only after MPI_Init */
#else
static const MPI_Fint world = (MPI_Fint)MPI_COMM_WORLD;
#endif

/* Whether the modules were compiled for the MPI of the library. */
int admpi_shim_fortran_check(void) {
  char message[200];
  if (uses_fortran && admpi_shim_fortran.status_size[0] == 0)
    return admpi_shim_fail(ADMPI_ERR_ABI, "the program lacks admpi's objects for Fortran: link it with admpi::fortran");
  for (int i = 0; i < FORTRAN_BINDINGS; i++) {
    const MPI_Fint size = admpi_shim_fortran.status_size[i];
    if (size == 0 || (size == FORTRAN_STATUS_SIZE && admpi_shim_fortran.world[i] == world)) continue;
    snprintf(message, sizeof message,
             "MPI_STATUS_SIZE is %d and MPI_COMM_WORLD %d in Fortran, but %d and %d in the library: they were built for "
             "different MPIs",
             size, admpi_shim_fortran.world[i], FORTRAN_STATUS_SIZE, world);
    return admpi_shim_fail(ADMPI_ERR_ABI, message);
  }
  return ADMPI_SUCCESS;
}

void ampi_init_(MPI_Fint *ierror) {
  uses_fortran = 1;
  fortran_code(ierror, AMPI_Init(NULL, NULL));
}

void ampi_init_thread_(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror) {
  uses_fortran = 1;
  fortran_code(ierror, AMPI_Init_thread(NULL, NULL, *required, provided));
}

void ampi_comm_register_(const MPI_Fint *comm, MPI_Fint *ierror) {
  fortran_code(ierror, AMPI_Comm_register(MPI_Comm_f2c(*comm)));
}

/* Fortran's `error stop` where nobody asks for the code. */
static void answer(const char *what, int status, MPI_Fint *ierr) {
  if (ierr != NULL) {
    *ierr = status;
  } else if (status != ADMPI_SUCCESS) {
    fprintf(stderr, "admpi: %s: %s\n", what, admpi_last_error());
    exit(1);
  }
}

void admpi_init_(const MPI_Fint *comm, MPI_Fint *ierr) {
  uses_fortran = 1;
  answer("init", admpi_init(MPI_Comm_f2c(*comm)), ierr);
}

void admpi_finalize_(MPI_Fint *ierr) { answer("finalize", admpi_finalize(), ierr); }

void admpi_tape_seed_replicated_(admpi_tape *const *tape, const MPI_Fint *comm, const admpi_var *y, const double *weight,
                                 const MPI_Fint *direction, MPI_Fint *ierr) {
  const int from_0 = direction == NULL ? 0 : *direction - 1;
  answer("seed_replicated", admpi_tape_seed_replicated(*tape, MPI_Comm_f2c(*comm), *y, *weight, from_0), ierr);
}

void admpi_tape_abandon_sweep_(admpi_tape *const *tape, const MPI_Fint *comm, MPI_Fint *ierr) {
  answer("abandon_sweep", admpi_tape_abandon_sweep(*tape, MPI_Comm_f2c(*comm)), ierr);
}

void admpi_map_new_mpi_(const MPI_Fint *comm, admpi_map **map, const MPI_Fint *backend, const MPI_Fint *threads, MPI_Fint *ierr) {
  const int who = backend == NULL ? ADMPI_MAP_DEFAULT : *backend;
  answer("map_new_mpi", admpi_map_new_mpi(MPI_Comm_f2c(*comm), who, threads == NULL ? 0 : *threads, map), ierr);
}

void admpi_map_serve_(const MPI_Fint *comm, MPI_Fint *ierr) {
  answer("map_serve", admpi_map_serve(MPI_Comm_f2c(*comm)), ierr);
}

void admpi_time_loop_set_comm_(const MPI_Fint *comm, admpi_time_loop *const *loop, MPI_Fint *ierr) {
  answer("time_loop_set_comm", admpi_time_loop_set_comm(*loop, MPI_Comm_f2c(*comm)), ierr);
}

void admpi_profile_gather_(const MPI_Fint *comm, admpi_profile *const *profile, MPI_Fint *ierr) {
  answer("profile_gather", admpi_profile_gather(*profile, MPI_Comm_f2c(*comm)), ierr);
}

/* The length of the argument arrays of Alltoallw. */
static int peers_of(MPI_Comm comm) {
  int inter = 0, size = 0;
  if (comm == MPI_COMM_NULL)
    return 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter)
    MPI_Comm_remote_size(comm, &size);
  else
    MPI_Comm_size(comm, &size);
  return size;
}

/* The peers of Neighbor_alltoallw. */
static void neighbors_of(MPI_Comm comm, int *sources, int *destinations) {
  int topology = MPI_UNDEFINED, rank, weighted;
  *sources = *destinations = 0;
  if (comm != MPI_COMM_NULL)
    MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    MPI_Cartdim_get(comm, sources);
    *destinations = *sources *= 2;
  } else if (topology == MPI_GRAPH) {
    MPI_Comm_rank(comm, &rank);
    MPI_Graph_neighbors_count(comm, rank, sources);
    *destinations = *sources;
  } else if (topology == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(comm, sources, destinations, &weighted);
  }
}

int admpi_shim_fortran_peers(MPI_Comm comm, int of_sends, int of_neighbors) {
  int sources, destinations;
  if (!of_neighbors) return peers_of(comm);
  neighbors_of(comm, &sources, &destinations);
  return of_sends ? destinations : sources;
}

/* MPI tells a function of the user's neither which operation it is for nor anything else of its own: one function of ours for each of
 * theirs, and for each of their adjoints. A place is never given up: an operation may be freed while a call that uses it is under
 * way. */
enum { PLACES = 64 };
typedef void fortran_operation(void *in, void *inout, int *length, MPI_Fint *datatype);
typedef void fortran_derivative(const double *in, const double *inout, const double *result_adjoint, double *in_adjoint,
                                double *inout_adjoint, int *length, int *size);
static fortran_procedure *functions[PLACES], *derivatives[PLACES];
static int places_taken;
static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

static void apply(int place, void *in, void *inout, int *length, const MPI_Datatype *datatype) {
  MPI_Fint number = MPI_Type_c2f(*datatype);
  ((fortran_operation *)functions[place])(in, inout, length, &number);
}

#define OF_8(macro, tens) \
  macro(tens##0) macro(tens##1) macro(tens##2) macro(tens##3) macro(tens##4) macro(tens##5) macro(tens##6) macro(tens##7)
#define OF_64(macro) \
  OF_8(macro, 0) OF_8(macro, 1) OF_8(macro, 2) OF_8(macro, 3) OF_8(macro, 4) OF_8(macro, 5) OF_8(macro, 6) OF_8(macro, 7)
/* The digits are octal. */
#define APPLY(octal)                                                                                              \
  static void apply_##octal(void *in, void *inout, int *length, MPI_Datatype *datatype) {                         \
    apply(0##octal, in, inout, length, datatype);                                                                 \
  }                                                                                                               \
  static void derive_##octal(const double *in, const double *inout, const double *result_adjoint, double *in_adjoint, \
                             double *inout_adjoint, int length, int size) {                                       \
    ((fortran_derivative *)derivatives[0##octal])(in, inout, result_adjoint, in_adjoint, inout_adjoint, &length,  \
                                                  &size);                                                         \
  }
#define APPLY_NAME(octal) apply_##octal,
#define DERIVE_NAME(octal) derive_##octal,
OF_64(APPLY)
static MPI_User_function *const apply_of[PLACES] = {OF_64(APPLY_NAME)};
static const AMPI_Op_adjoint_function derive_of[PLACES] = {OF_64(DERIVE_NAME)};

/* The place of a function with its derivative, or PLACES if none is free. */
static int place_of(fortran_procedure *function, fortran_procedure *derivative) {
  pthread_mutex_lock(&taking);
  int place = 0;
  while (place < places_taken &&
         (functions[place] != function || derivatives[place] != derivative))
    place++;
  if (place == places_taken && place < PLACES) {
    functions[place] = function;
    derivatives[place] = derivative;
    places_taken++;
  }
  pthread_mutex_unlock(&taking);
  return place;
}

static void create_operation(const char *call, fortran_procedure *function, fortran_procedure *derivative, int commute,
                             MPI_Fint *op, MPI_Fint *ierror) {
  const int place = place_of(function, derivative);
  if (place == PLACES) {
    static const char why[] = "Fortran may pass at most 64 different procedures to it, and this is the 65th";
    fortran_code(ierror, admpi_detail_refuse(call, why, MPI_COMM_WORLD));
    return;
  }
  MPI_Op c_op = MPI_OP_NULL;
  const int code = derivative == NULL
                       ? AMPI_Op_create(apply_of[place], commute, &c_op)
                       : AMPI_Op_create_adjoint(apply_of[place], derive_of[place], commute, &c_op);
  *op = MPI_Op_c2f(c_op);
  fortran_code(ierror, code);
}

void ampi_op_create_(fortran_procedure *function, const MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror) {
  create_operation("AMPI_Op_create", function, NULL, *commute != 0, op, ierror);
}

void ampi_op_create_adjoint_(fortran_procedure *function, fortran_procedure *derivative, const MPI_Fint *commute,
                             MPI_Fint *op, MPI_Fint *ierror) {
  create_operation("AMPI_Op_create_adjoint", function, derivative, *commute != 0, op, ierror);
}
