/* Every call that cannot be differentiated refuses active data: it raises one error, on the object that
 * MPI would raise it on, explains it under its own name, and touches neither buffer nor request. */
#include <admpi.h>
#include <stdio.h>
#include <string.h>

enum { PLACES = 2 }; /* neighbours of a process that is its own in a ring */
enum { ON_WORLD, ON_COMM, ON_WIN, ON_FILE, OBJECTS };

struct objects {
  MPI_Comm comm;
  MPI_Win win;
  MPI_File file;
  MPI_Message message;
  MPI_Datatype type, types[PLACES];
  AMPI_Request request;
  int counts[PLACES], displacements[PLACES], position;
  MPI_Aint addresses[PLACES], address;
  admpi_var in[PLACES], out[PLACES];
};

#include "guards_all.h"
#include "harness/mpis.h"

static int raised[OBJECTS], last_code, failures;

static void world_handler(MPI_Comm *comm, int *code, ...) {
  int same;
  MPI_Comm_compare(*comm, MPI_COMM_WORLD, &same);
  raised[same == MPI_IDENT ? ON_WORLD : ON_COMM]++;
  last_code = *code;
}

static void win_handler(MPI_Win *win, int *code, ...) {
  (void)win;
  raised[ON_WIN]++;
  last_code = *code;
}

static void file_handler(MPI_File *file, int *code, ...) {
  (void)file;
  raised[ON_FILE]++;
  last_code = *code;
}

static void expect(int holds, const char *call, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "%s: %s\n", call, what);
  failures++;
}

static void check(const struct refusal *refusal, struct objects *on) {
  char error[MPI_MAX_ERROR_STRING] = "";
  struct objects before;
  int length, total = 0;
  memcpy(&before, on, sizeof before);
  memset(raised, 0, sizeof raised);
  last_code = MPI_SUCCESS;
  int code = refusal->run(on);
  for (int i = 0; i < OBJECTS; i++)
    total += raised[i];
  expect(code != MPI_SUCCESS, refusal->call, "took active data");
  expect(total == 1 && raised[refusal->raised_on] == 1, refusal->call, "raised no error, or elsewhere");
  expect(last_code == code, refusal->call, "returned another code than it raised");
  expect(memcmp(&before, on, sizeof before) == 0, refusal->call, "wrote to its arguments");
  if (code == MPI_SUCCESS)
    return;
  MPI_Error_string(code, error, &length);
  expect(strncmp(error, refusal->call, strlen(refusal->call)) == 0, refusal->call, error);
}

static void make(struct objects *on, const char *file_name) {
  int one = 1;
  double *memory;
  MPI_Errhandler handler;
  memset(on, 0, sizeof *on);
  AMPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &on->comm);
  MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &on->win);
  MPI_File_open(MPI_COMM_WORLD, file_name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &on->file);
  on->message = MPI_MESSAGE_NO_PROC;
  for (int i = 0; i < PLACES; i++)
    on->counts[i] = 1;
  MPI_Comm_create_errhandler(world_handler, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(on->comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Win_create_errhandler(win_handler, &handler);
  MPI_Win_set_errhandler(on->win, handler);
  MPI_Errhandler_free(&handler);
  MPI_File_create_errhandler(file_handler, &handler);
  MPI_File_set_errhandler(on->file, handler);
  MPI_Errhandler_free(&handler);
}

/* What MPI does not read is not looked at, active or not. */
static void insignificant(struct objects *on) {
  double x = 3, y = 0;
  AMPI_Request request;
  memset(raised, 0, sizeof raised);
  expect(AMPI_Allgatherv(MPI_IN_PLACE, 0, AMPI_ADOUBLE, &x, on->counts, on->displacements, MPI_DOUBLE,
                         on->comm) == MPI_SUCCESS,
         "AMPI_Allgatherv", "looked at the send type in place");
  expect(AMPI_Scatterv(&x, on->counts, on->displacements, MPI_DOUBLE, MPI_IN_PLACE, 0, AMPI_ADOUBLE, 0,
                       on->comm) == MPI_SUCCESS,
         "AMPI_Scatterv", "looked at the receive type in place");
  expect(AMPI_Ialltoall(MPI_IN_PLACE, 0, AMPI_ADOUBLE, &x, 1, MPI_DOUBLE, on->comm, &request) == MPI_SUCCESS,
         "AMPI_Ialltoall", "looked at the send type in place");
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(AMPI_Igatherv(&x, 1, MPI_DOUBLE, &y, on->counts, on->displacements, MPI_DOUBLE, 0, on->comm,
                       &request) == MPI_SUCCESS,
         "AMPI_Igatherv", "refused passive data");
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(y == 3 && request == AMPI_REQUEST_NULL, "AMPI_Igatherv", "did not gather");
  for (int i = 0; i < OBJECTS; i++)
    expect(raised[i] == 0, "passive calls", "raised an error");
}

static int freed;

static int query(void *state, MPI_Status *status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int free_state(void *state) {
  (void)state;
  freed++;
  return MPI_SUCCESS;
}

static int cancel(void *state, int complete) {
  (void)state, (void)complete;
  return MPI_SUCCESS;
}

/* The library's requests around MPI's: more than fit on the stack, none at all, and generalised ones. */
static void requests(struct objects *on) {
  enum { MANY = 100 };
  AMPI_Request many[2 * MANY], none = AMPI_REQUEST_NULL, general;
  int in[MANY], out[MANY], wrong = 0, class = MPI_SUCCESS;
  for (int i = 0; i < MANY; i++) {
    AMPI_Recv_init(&out[i], 1, MPI_INT, 0, i, on->comm, &many[i]);
    AMPI_Send_init(&in[i], 1, MPI_INT, 0, i, on->comm, &many[MANY + i]);
  }
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < MANY; i++)
      in[i] = MANY * round + i;
    expect(AMPI_Startall(2 * MANY, many) == MPI_SUCCESS, "AMPI_Startall", "failed");
    AMPI_Waitall(2 * MANY, many, MPI_STATUSES_IGNORE);
    for (int i = 0; i < MANY; i++)
      wrong += out[i] != in[i] || many[i] == AMPI_REQUEST_NULL;
  }
  expect(wrong == 0, "AMPI_Startall", "lost messages or requests");
  for (int i = 0; i < 2 * MANY; i++)
    AMPI_Request_free(&many[i]);
  expect(many[0] == AMPI_REQUEST_NULL, "AMPI_Request_free", "left a handle");

  MPI_Error_class(AMPI_Start(&none), &class);
  expect(class == MPI_ERR_REQUEST || !HANDLED_ERRORS_ARE_RETURNED, "AMPI_Start", "started nothing");
  expect(AMPI_Startall(0, many) == MPI_SUCCESS, "AMPI_Startall", "failed on no requests");

  AMPI_Grequest_start(query, free_state, cancel, NULL, &general);
  expect(AMPI_Grequest_complete(general) == MPI_SUCCESS, "AMPI_Grequest_complete", "failed");
  AMPI_Wait(&general, MPI_STATUS_IGNORE);
  expect(general == AMPI_REQUEST_NULL && freed == 1, "AMPI_Grequest_start", "was not freed");
}

/* Calls of MPI-4 on passive data: MPI's own, or an error that says that it has none. */
static void later_than_mpi_3(void) {
  enum { N = 3 };
  int rank, size, in = 0, sum = 0, left = -1, counts[64], from[64], all[64], lacks = 0;
  char error[MPI_MAX_ERROR_STRING] = "";
  AMPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memset(raised, 0, sizeof raised);
  int code = AMPI_Allreduce_init(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; code == MPI_SUCCESS && round < N; round++) {
    in = rank + round;
    AMPI_Start(&request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(sum == size * (size - 1) / 2 + size * round, "AMPI_Allreduce_init", "reduced to a wrong sum");
    expect(request != AMPI_REQUEST_NULL, "AMPI_Allreduce_init", "ended with its first round");
  }
  if (code == MPI_SUCCESS)
    AMPI_Request_free(&request);
  else
    lacks++;
  for (int i = 0; i < size; i++) {
    counts[i] = 1;
    from[i] = size - 1 - i;
  }
  code = AMPI_Allgatherv_init(&rank, 1, MPI_INT, all, counts, from, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  if (code == MPI_SUCCESS) {
    AMPI_Start(&request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(all[0] == size - 1 && all[size - 1] == 0, "AMPI_Allgatherv_init", "gathered to wrong places");
    AMPI_Request_free(&request);
  } else {
    lacks++;
  }
  AMPI_Isendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &left, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, &request);
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(left == (rank + size - 1) % size, "AMPI_Isendrecv", "brought a wrong value");
  /* MPICH 4.0 crashes on a partitioned send to MPI_PROC_NULL. */
  int peer = rank ^ 1, arrived = 0;
  AMPI_Request both[2];
  left = -1;
  code = AMPI_Psend_init(&rank, 1, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
  if (code == MPI_SUCCESS) {
    AMPI_Precv_init(&left, 1, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
    AMPI_Startall(2, both);
    AMPI_Pready(0, both[0]);
    while (!arrived)
      AMPI_Parrived(both[1], 0, &arrived);
    expect(left == peer, "AMPI_Parrived", "came before the data");
    AMPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    AMPI_Request_free(&both[0]);
    AMPI_Request_free(&both[1]);
  } else {
    int length;
    MPI_Error_string(code, error, &length);
    expect(strstr(error, "AMPI_Psend_init") == error && strstr(error, "MPI-4") != NULL, "AMPI_Psend_init", error);
    lacks++;
  }
#if MPI_VERSION >= 4
  expect(lacks == 0, "calls of MPI-4", "were missing");
#endif
  expect(raised[ON_WORLD] == lacks, "calls of MPI-4", "raised other errors than those of missing calls");
}

int main(int argc, char **argv) {
  struct objects on;
  MPI_Datatype derived;
  if (argc != 2)
    return 2;
  AMPI_Init(&argc, &argv);
  make(&on, argv[1]);
  MPI_Type_vector(2, 1, 2, AMPI_ADOUBLE, &derived);
  MPI_Type_commit(&derived);
  MPI_Datatype active[] = {AMPI_ADOUBLE, derived};
  for (size_t kind = 0; kind < sizeof active / sizeof *active; kind++) {
    on.type = active[kind];
    for (int i = 0; i < PLACES; i++)
      on.types[i] = active[kind];
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
      check(&refusals[i], &on);
  }
  insignificant(&on);
  requests(&on);
  later_than_mpi_3();
  MPI_Type_free(&derived);
  MPI_File_close(&on.file);
  MPI_Win_free(&on.win);
  AMPI_Comm_free(&on.comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  AMPI_Finalize();
  printf("%zu calls refuse active data, %d failures\n", sizeof refusals / sizeof *refusals, failures);
  return failures != 0;
}
