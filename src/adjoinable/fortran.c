/* Fortran 77: completions, what moves no data, and how arguments are converted. */
#include "fortran.h"

#include <stdlib.h>

/* Common blocks of mpif.h, which are there if the program has any Fortran. */
#ifdef OPEN_MPI
extern int mpi_fortran_in_place_ __attribute__((weak));
extern int mpi_fortran_bottom_ __attribute__((weak));
#define IN_PLACE (&mpi_fortran_in_place_)
#define BOTTOM (&mpi_fortran_bottom_)
#else
extern int mpipriv1_[] __attribute__((weak)); /* MPI_BOTTOM, MPI_IN_PLACE */
#define IN_PLACE (mpipriv1_ == NULL ? NULL : mpipriv1_ + 1)
#define BOTTOM mpipriv1_
#endif

void *adjoinable_buffer(void *buffer) {
  if (buffer != NULL && buffer == (void *)IN_PLACE) return MPI_IN_PLACE;
  if (buffer != NULL && buffer == (void *)BOTTOM) return MPI_BOTTOM;
  return buffer;
}

void adjoinable_status_c2f(const MPI_Status *status, MPI_Fint *to) {
  if (to != MPI_F_STATUS_IGNORE) MPI_Status_c2f(status, to);
}

MPI_Fint adjoinable_request_c2f(AMPI_Request request) {
#ifdef OPEN_MPI
  const int64_t number = adjoinable_number(request);
  if (number >= 0) return (MPI_Fint)(-2 - number); /* MPI's own are not negative */
#endif
  return MPI_Request_c2f(request);
}

AMPI_Request adjoinable_request_f2c(MPI_Fint request) {
#ifdef OPEN_MPI
  if (request <= -2) return adjoinable_request(-2 - (int64_t)request);
#endif
  return MPI_Request_f2c(request);
}

void ampi_init_nt_(MPI_Fint *ierror) { *ierror = AMPI_Init_NT(NULL, NULL); }
void ampi_init_(MPI_Fint *ierror) { *ierror = AMPI_Init(NULL, NULL); }
void ampi_finalize_nt_(MPI_Fint *ierror) { *ierror = AMPI_Finalize_NT(); }
void ampi_finalize_(MPI_Fint *ierror) { *ierror = AMPI_Finalize_NT(); }
void ampi_comm_rank_(MPI_Fint *comm, MPI_Fint *rank, MPI_Fint *ierror) { *ierror = MPI_Comm_rank(MPI_Comm_f2c(*comm), rank); }
void ampi_comm_size_(MPI_Fint *comm, MPI_Fint *size, MPI_Fint *ierror) { *ierror = MPI_Comm_size(MPI_Comm_f2c(*comm), size); }
void ampi_barrier_(MPI_Fint *comm, MPI_Fint *ierror) { *ierror = AMPI_Barrier(MPI_Comm_f2c(*comm)); }
void fw_ampi_barrier_(MPI_Fint *comm, MPI_Fint *ierror) { *ierror = FW_AMPI_Barrier(MPI_Comm_f2c(*comm)); }
void bw_ampi_barrier_(MPI_Fint *comm, MPI_Fint *ierror) { *ierror = BW_AMPI_Barrier(MPI_Comm_f2c(*comm)); }
void adtool_ampi_turn_(void *v, void *vb) { ADTOOL_AMPI_Turn(v, vb); }

/* Names of a sweep's two halves whose arguments differ. */
void fws_ampi_reduce_(void *sbuf, void *rbuf, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm,
                      MPI_Fint *ierror) {
  *ierror = FW_AMPI_Reduce(adjoinable_buffer(sbuf), adjoinable_buffer(rbuf), *count, MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), *root,
                           MPI_Comm_f2c(*comm));
}

void bws_ampi_reduce_(void *sbuf, void *sbufb, void *rbuf, void *rbufb, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *datatypeb,
                      MPI_Fint *op, void *uopb, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *ierror) {
  (void)sbuf, (void)rbuf, (void)datatypeb, (void)uopb;
  *ierror = BW_AMPI_Reduce(adjoinable_buffer(sbufb), adjoinable_buffer(rbufb), *count, MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                           *root, MPI_Comm_f2c(*comm));
}

void fws_ampi_allreduce_(void *sbuf, void *rbuf, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm,
                         MPI_Fint *ierror) {
  *ierror = FW_AMPI_Allreduce(adjoinable_buffer(sbuf), adjoinable_buffer(rbuf), *count, MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                              MPI_Comm_f2c(*comm));
}

void bws_ampi_allreduce_(void *sbuf, void *sbufb, void *rbuf, void *rbufb, MPI_Fint *count, MPI_Fint *datatype,
                         MPI_Fint *datatypeb, MPI_Fint *op, void *uopb, MPI_Fint *comm, MPI_Fint *ierror) {
  (void)sbuf, (void)rbuf, (void)datatypeb, (void)uopb;
  *ierror = BW_AMPI_Allreduce(adjoinable_buffer(sbufb), adjoinable_buffer(rbufb), *count, MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                              MPI_Comm_f2c(*comm));
}

static void made(int code, MPI_Comm comm, MPI_Fint *to, MPI_Fint *ierror) {
  if (code == MPI_SUCCESS) *to = MPI_Comm_c2f(comm);
  *ierror = code;
}

void ampi_comm_dup_(MPI_Fint *comm, MPI_Fint *to, MPI_Fint *ierror) {
  MPI_Comm dup = MPI_COMM_NULL;
  made(AMPI_Comm_dup(MPI_Comm_f2c(*comm), &dup), dup, to, ierror);
}

void ampi_comm_split_(MPI_Fint *comm, MPI_Fint *color, MPI_Fint *key, MPI_Fint *to, MPI_Fint *ierror) {
  MPI_Comm part = MPI_COMM_NULL;
  made(AMPI_Comm_split(MPI_Comm_f2c(*comm), *color, *key, &part), part, to, ierror);
}

void ampi_comm_free_(MPI_Fint *comm, MPI_Fint *ierror) {
  MPI_Comm freed = MPI_Comm_f2c(*comm);
  made(AMPI_Comm_free(&freed), freed, comm, ierror);
}

/* A completion of one request: any of AMPI_Wait's forms. */
static void one(int (*wait)(AMPI_Request *, MPI_Status *), MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) {
  AMPI_Request c_request = adjoinable_request_f2c(*request);
  MPI_Status c_status;
  *ierror = wait(&c_request, &c_status);
  if (*ierror != MPI_SUCCESS) return;
  *request = adjoinable_request_c2f(c_request);
  adjoinable_status_c2f(&c_status, status);
}

void ampi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) { one(AMPI_Wait, request, status, ierror); }
void fw_ampi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) { one(FW_AMPI_Wait, request, status, ierror); }

void bw_ampi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) {
  (void)request, (void)status;
  *ierror = BW_AMPI_Wait(NULL, NULL);
}

static void all(int (*wait)(int, AMPI_Request *, MPI_Status *), MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses,
                MPI_Fint *ierror) {
  const size_t n = *count > 0 ? (size_t)*count : 0;
  const int wanted = statuses != MPI_F_STATUSES_IGNORE;
  AMPI_Request *const c_requests = malloc((n + 1) * sizeof *c_requests);
  MPI_Status *const c_statuses = malloc((n + 1) * sizeof *c_statuses);
  *ierror = MPI_ERR_NO_MEM;
  if (c_requests != NULL && c_statuses != NULL) {
    for (size_t i = 0; i < n; i++) c_requests[i] = adjoinable_request_f2c(requests[i]);
    *ierror = wait(*count, c_requests, c_statuses);
    for (size_t i = 0; i < n; i++) {
      requests[i] = adjoinable_request_c2f(c_requests[i]);
      if (wanted && *ierror == MPI_SUCCESS) MPI_Status_c2f(&c_statuses[i], statuses + i * (sizeof(MPI_Status) / sizeof(MPI_Fint)));
    }
  }
  free(c_requests);
  free(c_statuses);
}

void ampi_waitall_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *ierror) {
  all(AMPI_Waitall, count, requests, statuses, ierror);
}

void fw_ampi_waitall_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *ierror) {
  all(FW_AMPI_Waitall, count, requests, statuses, ierror);
}

void bw_ampi_waitall_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *ierror) {
  (void)count, (void)requests, (void)statuses;
  *ierror = BW_AMPI_Waitall(0, NULL, NULL);
}
