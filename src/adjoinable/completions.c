/* Completions, and what moves no data. */
#include "runtime.h"

#include "admpi/abi.h"

typedef struct admpi_request *own_request;
OURS_IS(int, AMPI_Wait, (own_request *, MPI_Status *))
OURS_IS(int, AMPI_Comm_dup, (MPI_Comm, MPI_Comm *))
OURS_IS(int, AMPI_Comm_split, (MPI_Comm, int, int, MPI_Comm *))
OURS_IS(int, AMPI_Comm_create, (MPI_Comm, MPI_Group, MPI_Comm *))
OURS_IS(int, AMPI_Comm_free, (MPI_Comm *))
int admpi_detail_mpi_init(int *argc, char ***argv, const admpi_mpi_sizes *sizes);

MPI_Datatype AMPI_ADOUBLE, AMPI_AFLOAT, AMPI_ADOUBLE_PRECISION, AMPI_AREAL;
/* COMMON /ACTIVE_TYPES/ of ampif.h. */
struct {
  MPI_Fint adouble_precision, areal;
} active_types_;

/* Before anything else of a program: MPI_Init need not be this library's. */
__attribute__((constructor)) static void set_types(void) {
  AMPI_ADOUBLE = MPI_DOUBLE;
  AMPI_AFLOAT = MPI_FLOAT;
  AMPI_ADOUBLE_PRECISION = MPI_DOUBLE_PRECISION;
  AMPI_AREAL = MPI_REAL;
}

int AMPI_Init(int *argc, char ***argv) {
  const admpi_mpi_sizes sizes = admpi_sizes_of_program();
  const int code = admpi_detail_mpi_init(argc, argv, &sizes);
  if (code != MPI_SUCCESS) return code;
  active_types_.adouble_precision = MPI_Type_c2f(AMPI_ADOUBLE_PRECISION);
  active_types_.areal = MPI_Type_c2f(AMPI_AREAL);
  return adjoinable_shadow_world();
}

int AMPI_Init_NT(int *argc, char ***argv) { return AMPI_Init(argc, argv); }

int(AMPI_Finalize)(int *argc, char ***argv) {
  (void)argc, (void)argv;
  return AMPI_Finalize_NT();
}

int AMPI_Finalize_NT(void) {
  const int code = adjoinable_shadow_freed(MPI_COMM_WORLD);
  return code == MPI_SUCCESS ? MPI_Finalize() : code;
}
int AMPI_Buffer_attach(void *buffer, int size) { return MPI_Buffer_attach(buffer, size); }
int AMPI_Buffer_detach(void *buffer, int *size) { return MPI_Buffer_detach(buffer, size); }
int AMPI_Buffer_attach_NT(void *buffer, int size) { return MPI_Buffer_attach(buffer, size); }
int AMPI_Buffer_detach_NT(void *buffer, int *size) { return MPI_Buffer_detach(buffer, size); }
int AMPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) { return OURS(AMPI_Comm_dup)(comm, made); }
int AMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) { return OURS(AMPI_Comm_split)(comm, color, key, made); }
int AMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made) { return OURS(AMPI_Comm_create)(comm, group, made); }
int AMPI_Comm_free(MPI_Comm *comm) { return OURS(AMPI_Comm_free)(comm); }
int AMPI_Comm_dup_NT(MPI_Comm comm, MPI_Comm *made) { return AMPI_Comm_dup(comm, made); }
int AMPI_Comm_split_NT(MPI_Comm comm, int color, int key, MPI_Comm *made) { return AMPI_Comm_split(comm, color, key, made); }
int AMPI_Comm_create_NT(MPI_Comm comm, MPI_Group group, MPI_Comm *made) { return AMPI_Comm_create(comm, group, made); }
int AMPI_Comm_free_NT(MPI_Comm *comm) { return AMPI_Comm_free(comm); }
int AMPI_Comm_size(MPI_Comm comm, int *size) { return MPI_Comm_size(comm, size); }
int AMPI_Comm_rank(MPI_Comm comm, int *rank) { return MPI_Comm_rank(comm, rank); }
int AMPI_Get_processor_name(char *name, int *length) { return MPI_Get_processor_name(name, length); }
int AMPI_Pack_size(int n, MPI_Datatype datatype, MPI_Comm comm, int *size) { return MPI_Pack_size(n, datatype, comm, size); }
int AMPI_Barrier(MPI_Comm comm) { return MPI_Barrier(comm); }

int adjoinable_not_ours(const char *call, AMPI_Request request) {
  if (adjoinable_number(request) < 0) return MPI_SUCCESS;
  return admpi_detail_refuse(call, "the request was started by an FW_ call: complete it by FW_AMPI_Wait or another FW_ call",
                             MPI_COMM_WORLD);
}

int AMPI_Wait(AMPI_Request *request, MPI_Status *status) {
  const int code = adjoinable_not_ours("AMPI_Wait", *request);
  return code == MPI_SUCCESS ? MPI_Wait(request, status) : code;
}

int AMPI_Wait_ST(AMPI_Request *request, void *buf, MPI_Status *status) {
  (void)buf;
  return AMPI_Wait(request, status);
}

int AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status statuses[]) {
  for (int i = 0; i < count; i++) {
    const int code = adjoinable_not_ours("AMPI_Waitall", requests[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_Waitall(count, requests, statuses);
}

/* Where the adjoint waits: forwards it does nothing, and its requests need not be any. */
int AMPI_Awaitall(int count, AMPI_Request requests[], MPI_Status statuses[]) {
  (void)count, (void)requests, (void)statuses;
  return MPI_SUCCESS;
}

int adjoinable_complete(const char *call, AMPI_Request *request, MPI_Status *status) {
  const int64_t number = adjoinable_number(*request);
  void *handle = NULL;
  own_request own;
  int code, answer;
  if (number < 0) return MPI_Wait(request, status);
  answer = admpi_step_started(number, &handle);
  if (answer != ADMPI_SUCCESS) return admpi_detail_raise(call, answer, MPI_COMM_WORLD);
  own = handle;
  code = OURS(AMPI_Wait)(&own, status);
  if (code != MPI_SUCCESS) return code;
  adjoinable_count_started(status, number);
  *request = MPI_REQUEST_NULL;
  answer = admpi_step_completed(number);
  return answer == ADMPI_SUCCESS ? MPI_SUCCESS : admpi_detail_raise(call, answer, MPI_COMM_WORLD);
}

static int completions(const char *call, int count, AMPI_Request requests[], MPI_Status statuses[], int is_one) {
  int code = MPI_SUCCESS;
  const int status = admpi_step_open(call);
  if (status != ADMPI_SUCCESS) return admpi_detail_raise(call, status, MPI_COMM_WORLD);
  for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
    MPI_Status *place = MPI_STATUS_IGNORE;
    if (is_one || statuses != MPI_STATUSES_IGNORE) place = statuses == MPI_STATUS_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
    code = adjoinable_complete(call, &requests[i], place);
  }
  return adjoinable_end(call, MPI_COMM_WORLD, code);
}

int FW_AMPI_Wait(AMPI_Request *request, MPI_Status *status) { return completions("AMPI_Wait", 1, request, status, 1); }

int BW_AMPI_Wait(AMPI_Request *request, MPI_Status *status) {
  (void)request, (void)status;
  return adjoinable_reverse("AMPI_Wait", MPI_COMM_WORLD, NULL, 0, NULL);
}

int FW_AMPI_Wait_ST(AMPI_Request *request, void *buf, MPI_Status *status) {
  (void)buf;
  return completions("AMPI_Wait_ST", 1, request, status, 1);
}

int BW_AMPI_Wait_ST(AMPI_Request *request, void *buf, MPI_Status *status) {
  (void)request, (void)status;
  return adjoinable_reverse("AMPI_Wait_ST", MPI_COMM_WORLD, NULL, 0, buf);
}

int FW_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status statuses[]) {
  return completions("AMPI_Waitall", count, requests, statuses, 0);
}

int BW_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status statuses[]) {
  (void)count, (void)requests, (void)statuses;
  return adjoinable_reverse("AMPI_Waitall", MPI_COMM_WORLD, NULL, 0, NULL);
}

int FW_AMPI_Barrier(MPI_Comm comm) {
  const int status = admpi_step_open("AMPI_Barrier");
  if (status != ADMPI_SUCCESS) return admpi_detail_raise("AMPI_Barrier", status, comm);
  return adjoinable_end("AMPI_Barrier", comm, MPI_Barrier(comm));
}

int BW_AMPI_Barrier(MPI_Comm comm) {
  const int code = adjoinable_reverse("AMPI_Barrier", comm, NULL, 0, NULL);
  return code == MPI_SUCCESS ? MPI_Barrier(comm) : code;
}

static void turned(const char *call, int status) {
  if (status != ADMPI_SUCCESS) admpi_detail_raise(call, status, MPI_COMM_WORLD);
}

void ADTOOL_AMPI_Turn(void *v, void *vb) { turned("ADTOOL_AMPI_Turn", admpi_step_turn(v, 0, vb)); }

void ADMPI_Turn_range(void *v, void *vb, MPI_Aint bytes) { turned("ADMPI_Turn_range", admpi_step_turn(v, bytes, vb)); }
