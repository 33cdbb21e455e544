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

TLM_userFunctionF *adjoinable_function(MPI_Fint op, TLM_userFunctionF *function) {
  return adjoinable_is_built_in(MPI_Op_f2c(op)) ? NULL : function;
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

void tls_ampi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) { one(TLS_AMPI_Wait, request, status, ierror); }
void tlm_ampi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) { one(TLM_AMPI_Wait, request, status, ierror); }
void ampi_wait_st_(MPI_Fint *request, void *buf, MPI_Fint *status, MPI_Fint *ierror) {
  (void)buf;
  one(AMPI_Wait, request, status, ierror);
}
static int forward_st(AMPI_Request *request, MPI_Status *status) { return FW_AMPI_Wait_ST(request, NULL, status); }
void fw_ampi_wait_st_(MPI_Fint *request, void *buf, MPI_Fint *status, MPI_Fint *ierror) {
  (void)buf;
  one(forward_st, request, status, ierror);
}
void bw_ampi_wait_st_(MPI_Fint *request, void *buf, MPI_Fint *status, MPI_Fint *ierror) {
  (void)request, (void)status;
  *ierror = BW_AMPI_Wait_ST(NULL, adjoinable_buffer(buf), NULL);
}
void tls_ampi_wait_st_(MPI_Fint *request, void *buf, void *bufd, MPI_Fint *status, MPI_Fint *ierror) {
  (void)buf, (void)bufd;
  one(TLS_AMPI_Wait, request, status, ierror);
}
void tls_ampi_waitall_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *ierror) {
  all(TLS_AMPI_Waitall, count, requests, statuses, ierror);
}
void tlm_ampi_waitall_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *ierror) {
  all(TLM_AMPI_Waitall, count, requests, statuses, ierror);
}
void tls_ampi_barrier_(MPI_Fint *comm, MPI_Fint *ierror) { *ierror = TLS_AMPI_Barrier(MPI_Comm_f2c(*comm)); }
void tlm_ampi_barrier_(MPI_Fint *comm, MPI_Fint *ierror) { *ierror = TLM_AMPI_Barrier(MPI_Comm_f2c(*comm)); }

/* What a completion tells in Fortran: logicals, and indices from 1 on. */
static MPI_Fint logical(int flag) {
  return flag ? 1 : 0;
}
static MPI_Fint index_of(int index) { return index == MPI_UNDEFINED ? MPI_UNDEFINED : index + 1; }

/* Requests and statuses of a call, from Fortran and back. */
typedef struct several {
  size_t n;
  AMPI_Request *requests;
  MPI_Status *statuses;
  int *indices;
} several;

static int begin(several *of, MPI_Fint count, const MPI_Fint *requests) {
  of->n = count > 0 ? (size_t)count : 0;
  of->requests = malloc((of->n + 1) * sizeof *of->requests);
  of->statuses = calloc(of->n + 1, sizeof *of->statuses);
  of->indices = malloc((of->n + 1) * sizeof *of->indices);
  if (of->requests == NULL || of->statuses == NULL || of->indices == NULL) return MPI_ERR_NO_MEM;
  for (size_t i = 0; i < of->n; i++) of->requests[i] = adjoinable_request_f2c(requests[i]);
  return MPI_SUCCESS;
}

static void end(several *of, MPI_Fint *requests) {
  for (size_t i = 0; of->requests != NULL && i < of->n; i++) requests[i] = adjoinable_request_c2f(of->requests[i]);
  free(of->requests);
  free(of->statuses);
  free(of->indices);
}

static void statuses_to(const several *of, size_t n, MPI_Fint *statuses) {
  const size_t size = sizeof(MPI_Status) / sizeof(MPI_Fint);
  if (statuses == MPI_F_STATUSES_IGNORE) return;
  for (size_t i = 0; i < n; i++) MPI_Status_c2f(&of->statuses[i], statuses + i * size);
}

static void test(int (*how)(AMPI_Request *, int *, MPI_Status *), MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status,
                 MPI_Fint *ierror) {
  AMPI_Request c_request = adjoinable_request_f2c(*request);
  MPI_Status c_status = {0};
  int c_flag = 0;
  *ierror = how(&c_request, &c_flag, &c_status);
  *request = adjoinable_request_c2f(c_request);
  *flag = logical(c_flag);
  if (*ierror == MPI_SUCCESS && c_flag) adjoinable_status_c2f(&c_status, status);
}

static void test_all(int (*how)(int, AMPI_Request *, int *, MPI_Status *), MPI_Fint *count, MPI_Fint *requests, MPI_Fint *flag,
                     MPI_Fint *statuses, MPI_Fint *ierror) {
  several of = {0};
  int c_flag = 0;
  *ierror = begin(&of, *count, requests);
  if (*ierror == MPI_SUCCESS) *ierror = how(*count, of.requests, &c_flag, of.statuses);
  *flag = logical(c_flag);
  if (*ierror == MPI_SUCCESS && c_flag) statuses_to(&of, of.n, statuses);
  end(&of, requests);
}

static void wait_any(int (*how)(int, AMPI_Request *, int *, MPI_Status *), MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index,
                     MPI_Fint *status, MPI_Fint *ierror) {
  several of = {0};
  int c_index = MPI_UNDEFINED;
  *ierror = begin(&of, *count, requests);
  if (*ierror == MPI_SUCCESS) *ierror = how(*count, of.requests, &c_index, of.statuses);
  *index = index_of(c_index);
  if (*ierror == MPI_SUCCESS) adjoinable_status_c2f(&of.statuses[0], status);
  end(&of, requests);
}

static void test_any(int (*how)(int, AMPI_Request *, int *, int *, MPI_Status *), MPI_Fint *count, MPI_Fint *requests,
                     MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror) {
  several of = {0};
  int c_index = MPI_UNDEFINED, c_flag = 0;
  *ierror = begin(&of, *count, requests);
  if (*ierror == MPI_SUCCESS) *ierror = how(*count, of.requests, &c_index, &c_flag, of.statuses);
  *index = index_of(c_index);
  *flag = logical(c_flag);
  if (*ierror == MPI_SUCCESS && c_flag) adjoinable_status_c2f(&of.statuses[0], status);
  end(&of, requests);
}

static void some(int (*how)(int, AMPI_Request *, int *, int *, MPI_Status *), MPI_Fint *incount, MPI_Fint *requests,
                 MPI_Fint *outcount, MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierror) {
  several of = {0};
  int n = MPI_UNDEFINED;
  *ierror = begin(&of, *incount, requests);
  if (*ierror == MPI_SUCCESS) *ierror = how(*incount, of.requests, &n, of.indices, of.statuses);
  *outcount = n;
  if (*ierror == MPI_SUCCESS && n != MPI_UNDEFINED) {
    for (int i = 0; i < n; i++) indices[i] = index_of(of.indices[i]);
    statuses_to(&of, (size_t)n, statuses);
  }
  end(&of, requests);
}

/* Backwards nothing is told. */
#define PLAIN_AND_TANGENT(name, symbol, convert, parameters, arguments)        \
  void ampi_##symbol##_ parameters { convert(AMPI_##name, UNPACK arguments); }       \
  void fw_ampi_##symbol##_ parameters { convert(FW_AMPI_##name, UNPACK arguments); } \
  void tls_ampi_##symbol##_ parameters { convert(TLS_AMPI_##name, UNPACK arguments); }
#define UNPACK(...) __VA_ARGS__
PLAIN_AND_TANGENT(Test, test, test, (MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror),
                  (request, flag, status, ierror))
PLAIN_AND_TANGENT(Testall, testall, test_all, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses, MPI_Fint *ierror),
                  (count, requests, flag, statuses, ierror))
PLAIN_AND_TANGENT(Waitany, waitany, wait_any, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status, MPI_Fint *ierror),
                  (count, requests, index, status, ierror))
PLAIN_AND_TANGENT(Testany, testany, test_any,
                  (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror),
                  (count, requests, index, flag, status, ierror))
PLAIN_AND_TANGENT(Waitsome, waitsome, some,
                  (MPI_Fint * incount, MPI_Fint *requests, MPI_Fint *outcount, MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierror),
                  (incount, requests, outcount, indices, statuses, ierror))
PLAIN_AND_TANGENT(Testsome, testsome, some,
                  (MPI_Fint * incount, MPI_Fint *requests, MPI_Fint *outcount, MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierror),
                  (incount, requests, outcount, indices, statuses, ierror))

void bw_ampi_test_(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror) {
  (void)request, (void)flag, (void)status;
  *ierror = BW_AMPI_Test(NULL, NULL, NULL);
}
void bw_ampi_testall_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses, MPI_Fint *ierror) {
  (void)count, (void)requests, (void)flag, (void)statuses;
  *ierror = BW_AMPI_Testall(0, NULL, NULL, NULL);
}
void bw_ampi_waitany_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status, MPI_Fint *ierror) {
  (void)count, (void)requests, (void)index, (void)status;
  *ierror = BW_AMPI_Waitany(0, NULL, NULL, NULL);
}
void bw_ampi_testany_(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror) {
  (void)count, (void)requests, (void)index, (void)flag, (void)status;
  *ierror = BW_AMPI_Testany(0, NULL, NULL, NULL, NULL);
}
void bw_ampi_waitsome_(MPI_Fint *incount, MPI_Fint *requests, MPI_Fint *outcount, MPI_Fint *indices, MPI_Fint *statuses,
                       MPI_Fint *ierror) {
  (void)incount, (void)requests, (void)outcount, (void)indices, (void)statuses;
  *ierror = BW_AMPI_Waitsome(0, NULL, NULL, NULL, NULL);
}
void bw_ampi_testsome_(MPI_Fint *incount, MPI_Fint *requests, MPI_Fint *outcount, MPI_Fint *indices, MPI_Fint *statuses,
                       MPI_Fint *ierror) {
  (void)incount, (void)requests, (void)outcount, (void)indices, (void)statuses;
  *ierror = BW_AMPI_Testsome(0, NULL, NULL, NULL, NULL);
}

/* Windows. */
static MPI_Aint address(const MPI_Aint *at) { return *at; } /* INTEGER(KIND=MPI_ADDRESS_KIND) */

typedef int create(void *, MPI_Aint, int, MPI_Info, MPI_Comm, AMPI_Win *);
static void create_window(create *how, void *base, MPI_Aint *size, MPI_Fint *unit, MPI_Fint *info, MPI_Fint *comm, MPI_Fint *win,
                          MPI_Fint *ierror) {
  AMPI_Win made = MPI_WIN_NULL;
  *ierror = how(base, address(size), *unit, MPI_Info_f2c(*info), MPI_Comm_f2c(*comm), &made);
  if (*ierror == MPI_SUCCESS) *win = MPI_Win_c2f(made);
}
static int create_back(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, AMPI_Win *win) {
  const int code = BW_AMPI_Win_create(base, size, unit, info, comm, win);
  *win = MPI_WIN_NULL;
  return code;
}
static void free_window(int (*how)(AMPI_Win *), MPI_Fint *win, MPI_Fint *ierror) {
  AMPI_Win freed = MPI_Win_f2c(*win);
  *ierror = how(&freed);
  if (*ierror == MPI_SUCCESS) *win = MPI_Win_c2f(freed);
}
typedef int transfer(void *, int, MPI_Datatype, int, MPI_Aint, int, MPI_Datatype, AMPI_Win);
static void transferred(transfer *how, void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                        MPI_Fint *target, MPI_Fint *win, MPI_Fint *ierror) {
  *ierror = how(addr, *n, MPI_Type_f2c(*datatype), *rank, address(disp), *target_n, MPI_Type_f2c(*target), MPI_Win_f2c(*win));
}
void ampi_win_create_(void *base, MPI_Aint *size, MPI_Fint *unit, MPI_Fint *info, MPI_Fint *comm, MPI_Fint *win, MPI_Fint *ierror) {
  create_window(AMPI_Win_create, base, size, unit, info, comm, win, ierror);
}
void ampi_win_free_(MPI_Fint *win, MPI_Fint *ierror) { free_window(AMPI_Win_free, win, ierror); }
void ampi_win_fence_(MPI_Fint *assert, MPI_Fint *win, MPI_Fint *ierror) {
  *ierror = AMPI_Win_fence(*assert, MPI_Win_f2c(*win));
}
void ampi_put_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                MPI_Fint *target, MPI_Fint *win, MPI_Fint *ierror) {
  transferred(AMPI_Put, addr, n, datatype, rank, disp, target_n, target, win, ierror);
}
void ampi_get_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                MPI_Fint *target, MPI_Fint *win, MPI_Fint *ierror) {
  transferred(AMPI_Get, addr, n, datatype, rank, disp, target_n, target, win, ierror);
}
void ampi_accumulate_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                       MPI_Fint *target, MPI_Fint *op, MPI_Fint *win, MPI_Fint *ierror) {
  *ierror = AMPI_Accumulate(addr, *n, MPI_Type_f2c(*datatype), *rank, address(disp), *target_n, MPI_Type_f2c(*target), MPI_Op_f2c(*op),
                            MPI_Win_f2c(*win));
}
void fw_ampi_win_create_(void *base, MPI_Aint *size, MPI_Fint *unit, MPI_Fint *info, MPI_Fint *comm, MPI_Fint *win, MPI_Fint *ierror) {
  create_window(FW_AMPI_Win_create, base, size, unit, info, comm, win, ierror);
}
void fw_ampi_win_free_(MPI_Fint *win, MPI_Fint *ierror) { free_window(FW_AMPI_Win_free, win, ierror); }
void fw_ampi_win_fence_(MPI_Fint *assert, MPI_Fint *win, MPI_Fint *ierror) {
  *ierror = FW_AMPI_Win_fence(*assert, MPI_Win_f2c(*win));
}
void fw_ampi_put_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                MPI_Fint *target, MPI_Fint *win, MPI_Fint *ierror) {
  transferred(FW_AMPI_Put, addr, n, datatype, rank, disp, target_n, target, win, ierror);
}
void fw_ampi_get_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                MPI_Fint *target, MPI_Fint *win, MPI_Fint *ierror) {
  transferred(FW_AMPI_Get, addr, n, datatype, rank, disp, target_n, target, win, ierror);
}
void fw_ampi_accumulate_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                       MPI_Fint *target, MPI_Fint *op, MPI_Fint *win, MPI_Fint *ierror) {
  *ierror = FW_AMPI_Accumulate(addr, *n, MPI_Type_f2c(*datatype), *rank, address(disp), *target_n, MPI_Type_f2c(*target), MPI_Op_f2c(*op),
                            MPI_Win_f2c(*win));
}
void bw_ampi_win_create_(void *base, MPI_Aint *size, MPI_Fint *unit, MPI_Fint *info, MPI_Fint *comm, MPI_Fint *win, MPI_Fint *ierror) {
  create_window(create_back, base, size, unit, info, comm, win, ierror);
}
void bw_ampi_win_free_(MPI_Fint *win, MPI_Fint *ierror) { free_window(BW_AMPI_Win_free, win, ierror); }
void bw_ampi_win_fence_(MPI_Fint *assert, MPI_Fint *win, MPI_Fint *ierror) {
  *ierror = BW_AMPI_Win_fence(*assert, MPI_Win_f2c(*win));
}
void bw_ampi_put_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                MPI_Fint *target, MPI_Fint *win, MPI_Fint *ierror) {
  transferred(BW_AMPI_Put, addr, n, datatype, rank, disp, target_n, target, win, ierror);
}
void bw_ampi_get_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                MPI_Fint *target, MPI_Fint *win, MPI_Fint *ierror) {
  transferred(BW_AMPI_Get, addr, n, datatype, rank, disp, target_n, target, win, ierror);
}
void bw_ampi_accumulate_(void *addr, MPI_Fint *n, MPI_Fint *datatype, MPI_Fint *rank, MPI_Aint *disp, MPI_Fint *target_n,
                       MPI_Fint *target, MPI_Fint *op, MPI_Fint *win, MPI_Fint *ierror) {
  *ierror = BW_AMPI_Accumulate(addr, *n, MPI_Type_f2c(*datatype), *rank, address(disp), *target_n, MPI_Type_f2c(*target), MPI_Op_f2c(*op),
                            MPI_Win_f2c(*win));
}

void admpi_turn_range_(void *v, void *vb, MPI_Fint *bytes) { ADMPI_Turn_range(v, vb, *bytes); }
void ampi_buffer_attach_nt_(void *buffer, MPI_Fint *size, MPI_Fint *ierror) { *ierror = AMPI_Buffer_attach(buffer, *size); }
void ampi_comm_free_nt_(MPI_Fint *comm, MPI_Fint *ierror) { ampi_comm_free_(comm, ierror); }
void ampi_comm_dup_nt_(MPI_Fint *comm, MPI_Fint *to, MPI_Fint *ierror) { ampi_comm_dup_(comm, to, ierror); }
void ampi_comm_split_nt_(MPI_Fint *comm, MPI_Fint *color, MPI_Fint *key, MPI_Fint *to, MPI_Fint *ierror) {
  ampi_comm_split_(comm, color, key, to, ierror);
}
void tls_ampi_comm_dup_nt_(MPI_Fint *comm, MPI_Fint *to, MPI_Fint *ierror) {
  MPI_Comm dup = MPI_COMM_NULL;
  made(TLS_AMPI_Comm_dup_NT(MPI_Comm_f2c(*comm), &dup), dup, to, ierror);
}
void tls_ampi_comm_split_nt_(MPI_Fint *comm, MPI_Fint *color, MPI_Fint *key, MPI_Fint *to, MPI_Fint *ierror) {
  MPI_Comm part = MPI_COMM_NULL;
  made(TLS_AMPI_Comm_split_NT(MPI_Comm_f2c(*comm), *color, *key, &part), part, to, ierror);
}
void tls_ampi_comm_free_nt_(MPI_Fint *comm, MPI_Fint *ierror) {
  MPI_Comm freed = MPI_Comm_f2c(*comm);
  made(TLS_AMPI_Comm_free_NT(&freed), freed, comm, ierror);
}
