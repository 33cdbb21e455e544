/* Loaded before MPI in tests, where ranks are more than cores: one that has found nothing to do for a while gives its
 * core away. MPICH's ranks never do, and those of Open MPI come back before the others have had their turn. Where
 * MPICH does not stand on UCX nothing calls this. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOKS = 100 };

/* Whether there is nobody to give a core to, as the launchers of MPICH and Open MPI say. */
static int is_alone(void) {
  const char *ranks = getenv("PMI_SIZE");
  if (ranks == NULL)
    ranks = getenv("OMPI_COMM_WORLD_SIZE");
  return ranks != NULL && strcmp(ranks, "1") == 0;
}

static void rest(int is_idle) {
  static int idle;
  if (!is_idle) {
    idle = 0;
  } else if (++idle > LOOKS) {
    const struct timespec shortest = {0, 1};
    idle = LOOKS;
    if (!is_alone())
      nanosleep(&shortest, NULL);
  }
}

/* The function of that name in the libraries behind this one. */
static void find(const char *name, void *function, size_t size) {
  void *symbol = dlsym(RTLD_NEXT, name);
  memcpy(function, &symbol, size);
}

/* MPICH's: how much has been done. */
unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker) {
  static unsigned (*progress)(void *);
  if (progress == NULL)
    find(__func__, &progress, sizeof progress);
  const unsigned done = progress(worker);
  rest(done == 0);
  return done;
}

/* The same of Open MPI. */
int opal_progress(void);

int opal_progress(void) {
  static int (*progress)(void);
  if (progress == NULL)
    find(__func__, &progress, sizeof progress);
  const int done = progress();
  rest(done == 0);
  return done;
}
