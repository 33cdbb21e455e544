/* Requests made of several: generalized requests that make progress inside plain MPI_Wait. MPI has no portable
 * way to that; each MPI has one of its own, bound weakly so that a library without it still loads. */
#include <mpi.h>
#include <stddef.h>

int admpi_shim_root(void) { return MPI_ROOT; }
int admpi_shim_err_arg(void) { return MPI_ERR_ARG; }

typedef int admpi_poll_fn(void *state, MPI_Status *status);
typedef int admpi_wait_fn(int count, void **states, double timeout, MPI_Status *status);

/* MPICH's, which calls `poll` and `wait` while it waits. Declared here since its header gives it no weak form. */
#pragma weak MPIX_Grequest_start
int MPIX_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                        MPI_Grequest_cancel_function *cancel, admpi_poll_fn *poll, admpi_wait_fn *wait,
                        void *state, MPI_Request *request);

/* Open MPI's: calls what is registered in its progress loop. */
#pragma weak opal_progress_register
int opal_progress_register(int (*progress)(void));

/* 0: none; 1: MPI calls `poll` and `wait`; 2: `progress` is called while MPI waits. */
int admpi_shim_progress(int (*progress)(void)) {
  if (MPIX_Grequest_start != NULL) return 1;
  if (opal_progress_register != NULL && opal_progress_register(progress) == 0) return 2;
  return 0;
}

int admpi_shim_grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                              MPI_Grequest_cancel_function *cancel, admpi_poll_fn *poll, admpi_wait_fn *wait,
                              void *state, MPI_Request *request) {
  if (MPIX_Grequest_start != NULL)
    return MPIX_Grequest_start(query, release, cancel, poll, wait, state, request);
  return MPI_Grequest_start(query, release, cancel, state, request);
}
