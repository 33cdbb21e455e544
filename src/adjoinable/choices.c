/* Completions of whichever request is complete, and questions whether one is. */
#include "runtime.h"

#include <stdlib.h>

typedef struct admpi_request *own_request;
OURS_IS(int, AMPI_Request_get_status, (own_request, int *, MPI_Status *))

/* Whether a request is complete, without completing it. */
static int peek(const char *call, AMPI_Request request, int *flag) {
  const int64_t number = adjoinable_number(request);
  void *handle = NULL;
  int answer;
  if (number < 0) return MPI_Request_get_status(request, flag, MPI_STATUS_IGNORE);
  answer = admpi_step_started(number, &handle);
  if (answer != ADMPI_SUCCESS) return admpi_detail_raise(call, answer, MPI_COMM_WORLD);
  return OURS(AMPI_Request_get_status)(handle, flag, MPI_STATUS_IGNORE);
}

/* What MPI tells of requests of which none is active. */
static int none(MPI_Status *status) {
  MPI_Request null = MPI_REQUEST_NULL;
  return MPI_Wait(&null, status);
}

/* The indices of the requests that are complete, as many as are asked for; `active` tells how many are not null. */
static int look(const char *call, int count, AMPI_Request requests[], int most, int indices[], int *found, int *active) {
  *found = *active = 0;
  for (int i = 0; i < count; i++) {
    int flag = 0, code;
    if (requests[i] == MPI_REQUEST_NULL) continue;
    ++*active;
    if (*found == most) continue;
    code = peek(call, requests[i], &flag);
    if (code != MPI_SUCCESS) return code;
    if (flag) indices[(*found)++] = i;
  }
  return MPI_SUCCESS;
}

/* A completion of up to `most` requests. */
typedef struct choice {
  const char *call;
  int most;
  int waits;      /* for at least one, if any is active */
  int all;        /* completes all or none */
  int statuses;   /* whether there is an array of them, else one */
} choice;

/* Completes in the open step. */
static int choose(const choice *of, int count, AMPI_Request requests[], int indices[], int *found, int *active,
                  MPI_Status statuses[]) {
  const MPI_Status *const ignored = of->statuses ? MPI_STATUSES_IGNORE : MPI_STATUS_IGNORE;
  int code;
  do {
    code = look(of->call, count, requests, of->most, indices, found, active);
    if (code != MPI_SUCCESS) return code;
  } while (of->waits && *found == 0 && *active > 0);
  if (of->all && *found < *active) *found = 0;
  for (int k = 0; k < *found && code == MPI_SUCCESS; k++)
    code = adjoinable_complete(of->call, &requests[indices[k]], statuses == ignored ? MPI_STATUS_IGNORE : &statuses[k]);
  return code;
}

static int forward(const choice *of, int count, AMPI_Request requests[], int indices[], int *found, int *active,
                   MPI_Status statuses[]) {
  const int status = admpi_step_open(of->call);
  if (status != ADMPI_SUCCESS) return admpi_detail_raise(of->call, status, MPI_COMM_WORLD);
  return adjoinable_end(of->call, MPI_COMM_WORLD, choose(of, count, requests, indices, found, active, statuses));
}

static int back(const char *call) { return adjoinable_reverse(call, MPI_COMM_WORLD, NULL, 0, NULL); }

static int none_is_ours(const char *call, int count, AMPI_Request requests[]) {
  for (int i = 0; i < count; i++) {
    const int code = adjoinable_not_ours(call, requests[i]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

int AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status) {
  const int code = none_is_ours("AMPI_Test", 1, request);
  return code == MPI_SUCCESS ? MPI_Test(request, flag, status) : code;
}

int FW_AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status) {
  static const choice of = {"AMPI_Test", 1, 0, 0, 0};
  int index, found = 0, active = 0;
  const int code = forward(&of, 1, request, &index, &found, &active, status);
  *flag = found == 1 || active == 0;
  return code == MPI_SUCCESS && active == 0 ? none(status) : code;
}

int BW_AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status) {
  (void)request, (void)flag, (void)status;
  return back("AMPI_Test");
}

int AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status) {
  const int code = none_is_ours("AMPI_Waitany", count, requests);
  return code == MPI_SUCCESS ? MPI_Waitany(count, requests, index, status) : code;
}

int FW_AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status) {
  static const choice of = {"AMPI_Waitany", 1, 1, 0, 0};
  int found = 0, active = 0;
  const int code = forward(&of, count, requests, index, &found, &active, status);
  if (code != MPI_SUCCESS || found == 1) return code;
  *index = MPI_UNDEFINED;
  return none(status);
}

int BW_AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status) {
  (void)count, (void)requests, (void)index, (void)status;
  return back("AMPI_Waitany");
}

int AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  const int code = none_is_ours("AMPI_Testany", count, requests);
  return code == MPI_SUCCESS ? MPI_Testany(count, requests, index, flag, status) : code;
}

int FW_AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  static const choice of = {"AMPI_Testany", 1, 0, 0, 0};
  int found = 0, active = 0;
  const int code = forward(&of, count, requests, index, &found, &active, status);
  *flag = found == 1 || active == 0;
  if (found == 0) *index = MPI_UNDEFINED;
  return code == MPI_SUCCESS && active == 0 ? none(status) : code;
}

int BW_AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status) {
  (void)count, (void)requests, (void)index, (void)flag, (void)status;
  return back("AMPI_Testany");
}

int AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  const int code = none_is_ours("AMPI_Waitsome", incount, requests);
  return code == MPI_SUCCESS ? MPI_Waitsome(incount, requests, outcount, indices, statuses) : code;
}

int FW_AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  const choice of = {"AMPI_Waitsome", incount, 1, 0, 1};
  int active = 0;
  const int code = forward(&of, incount, requests, indices, outcount, &active, statuses);
  if (active == 0) *outcount = MPI_UNDEFINED;
  return code;
}

int BW_AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  (void)incount, (void)requests, (void)outcount, (void)indices, (void)statuses;
  return back("AMPI_Waitsome");
}

int AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  const int code = none_is_ours("AMPI_Testsome", incount, requests);
  return code == MPI_SUCCESS ? MPI_Testsome(incount, requests, outcount, indices, statuses) : code;
}

int FW_AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  const choice of = {"AMPI_Testsome", incount, 0, 0, 1};
  int active = 0;
  const int code = forward(&of, incount, requests, indices, outcount, &active, statuses);
  if (active == 0) *outcount = MPI_UNDEFINED;
  return code;
}

int BW_AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
  (void)incount, (void)requests, (void)outcount, (void)indices, (void)statuses;
  return back("AMPI_Testsome");
}

int AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status statuses[]) {
  const int code = none_is_ours("AMPI_Testall", count, requests);
  return code == MPI_SUCCESS ? MPI_Testall(count, requests, flag, statuses) : code;
}

/* The statuses of null requests are empty. */
static int spread(int count, const int indices[], int found, MPI_Status statuses[]) {
  for (int i = count - 1, k = found - 1; i >= 0; i--) {
    if (k >= 0 && indices[k] == i) {
      statuses[i] = statuses[k--];
    } else {
      const int code = none(&statuses[i]);
      if (code != MPI_SUCCESS) return code;
    }
  }
  return MPI_SUCCESS;
}

int FW_AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status statuses[]) {
  const choice of = {"AMPI_Testall", count, 0, 1, 1};
  int *const indices = malloc((size_t)(count > 0 ? count : 1) * sizeof *indices);
  int found = 0, active = 0, code = MPI_ERR_NO_MEM;
  if (indices == NULL) return code;
  code = forward(&of, count, requests, indices, &found, &active, statuses);
  *flag = found == active;
  if (code == MPI_SUCCESS && *flag && statuses != MPI_STATUSES_IGNORE) code = spread(count, indices, found, statuses);
  free(indices);
  return code;
}

int BW_AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status statuses[]) {
  (void)count, (void)requests, (void)flag, (void)statuses;
  return back("AMPI_Testall");
}
