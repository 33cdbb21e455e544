/* Loaded before MPICH over UCX: a rank that has found nothing to do for a while gives its core away. MPICH's ranks
 * never do, so that more ranks than cores wait for each other's time slices. Where MPICH does not stand on UCX
 * nothing calls this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <time.h>

enum { LOOKS = 100 };

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*progress)(void *);
  static unsigned idle;
  if (progress == NULL) {
    void *symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&progress, &symbol, sizeof progress);
  }
  const unsigned done = progress(worker);
  if (done != 0) {
    idle = 0;
  } else if (++idle > LOOKS) {
    const struct timespec shortest = {0, 1};
    nanosleep(&shortest, NULL);
  }
  return done;
}
