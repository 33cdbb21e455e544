/* Requests made of several: generalized requests that make progress inside plain MPI_Wait. MPI has no portable
 * way to that; each MPI has one of its own, looked up by name so that a library without it still loads. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

int admpi_shim_root(void) { return MPI_ROOT; }

typedef int admpi_poll_fn(void *state, MPI_Status *status);
typedef int admpi_wait_fn(int count, void **states, double timeout, MPI_Status *status);

/* MPICH's, which calls `poll` and `wait` while it waits. */
typedef int admpi_start_fn(MPI_Grequest_query_function *, MPI_Grequest_free_function *,
                           MPI_Grequest_cancel_function *, admpi_poll_fn *, admpi_wait_fn *, void *, MPI_Request *);
/* Open MPI's: calls what is registered in its progress loop. */
typedef int admpi_register_fn(int (*progress)(void));

static admpi_start_fn *start_polled;

/* 0: none; 1: MPI calls `poll` and `wait`; 2: `progress` is called while MPI waits. */
int admpi_shim_progress(int (*progress)(void)) {
  admpi_register_fn *register_progress = NULL;
  *(void **)&start_polled = dlsym(RTLD_DEFAULT, "MPIX_Grequest_start");
  if (start_polled != NULL) return 1;
  *(void **)&register_progress = dlsym(RTLD_DEFAULT, "opal_progress_register");
  return register_progress != NULL && register_progress(progress) == 0 ? 2 : 0;
}

int admpi_shim_grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                              MPI_Grequest_cancel_function *cancel, admpi_poll_fn *poll, admpi_wait_fn *wait,
                              void *state, MPI_Request *request) {
  if (start_polled != NULL) return start_polled(query, release, cancel, poll, wait, state, request);
  return MPI_Grequest_start(query, release, cancel, state, request);
}
