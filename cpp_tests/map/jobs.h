/* The functions that are mapped in the tests in C: right ones, and ones that fail in every way. */
#ifndef ADMPI_TESTS_MAP_JOBS_H
#define ADMPI_TESTS_MAP_JOBS_H

#include <admpi.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "harness/check.h"

enum { MAX_JOBS = 128, MAX_PARAMETERS = 6, MAX_RESULTS = 24 };

static admpi_tape *tape;

/* Pages of memory that the process has. */
static int64_t resident(void) {
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%*d %lld", &pages) != 1) pages = 0;
  fclose(file);
  return pages;
}

/* Lets the process have that many MiB of memory beside what it has; what it was allowed before. */
static struct rlimit limit_memory(int mib) {
  struct rlimit before = {0, 0}, limit;
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%*d %*d %*d %*d %*d %lld", &pages) == 1);
  if (file != NULL) fclose(file);
  CHECK(getrlimit(RLIMIT_DATA, &before) == 0);
  limit = before;
  limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mib << 20);
  CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
  return before;
}

/* Which job fails, and how. Ranks other than the root's know it by the data. The last are not for all maps. */
enum {
  FINE, RETURN_7, RETURN_SILENTLY, PAST_ITS_LIMIT, LEFT_NEST, NEST_AND_7, FOREIGN, NAN_RESULT, TAPE_TAKEN, TAPE_RESET,
  CALLERS_TAPE,
  NO_MEMORY, EXPLAIN
};

/* Deals with everything that a job may be given: y[k] = sin(k + sum of a_j s_j) * sum of b_j p_j^2 + data, with
 * every fourth result passive. */
static int32_t model(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                     int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  int64_t n_shared_r = 0, n_shared_i = 0, j, k;
  const double *shared_r = admpi_map_shared_r(&n_shared_r);
  const int32_t *shared_i = admpi_map_shared_i(&n_shared_i);
  double data = 0.5;
  (void)ctx;
  for (k = 0; k < n_y; ++k)
    if (y[k].value != 0.0 || y[k].id != 0) return 1;
  for (j = 0; j < n_r; ++j) data += (double)(j + 1) * x_r[j];
  for (j = 0; j < n_i; ++j) data += 0.25 * x_i[j];
  for (j = 0; j < n_shared_r; ++j) data += 0.125 * shared_r[j];
  for (j = 0; j < n_shared_i; ++j) data += 0.0625 * shared_i[j];
  for (k = 0; k < n_y; ++k) {
    admpi_var angle = admpi_passive(0.1 * (double)k), squares = admpi_passive(data);
    for (j = 0; j < n_shared; ++j) angle = admpi_add(angle, admpi_mul_d(shared[j], 0.3 + 0.1 * (double)j));
    for (j = 0; j < n_job; ++j) squares = admpi_fma(job[j], admpi_mul_d(job[j], 1.0 + (double)(j + k)), squares);
    y[k] = k % 4 == 3 ? admpi_passive(data + (double)k) : admpi_mul(admpi_sin(angle), squares);
  }
  return 0;
}

/* y = s p: as little as there is. */
static int32_t product(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job,
                       const double *x_r, int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y,
                       void *ctx) {
  (void)n_shared, (void)n_job, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y, (void)ctx;
  y[0] = admpi_mul(shared[0], job[0]);
  return 0;
}

/* The same of pairs, for y_k = exp(s_0 p_0) + (k + 1) p_0^2 s_1. */
static int32_t pairs(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                     int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  admpi_var e, p2, p2_t;
  int64_t k;
  (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)ctx;
  if (n_shared != 4 || n_job < 2) return 3;
  e = admpi_exp(admpi_mul(shared[0], job[0]));
  p2 = admpi_mul(job[0], job[0]);
  p2_t = admpi_mul_d(admpi_mul(job[0], job[1]), 2.0);
  for (k = 0; k < n_y / 2; ++k) {
    double c = (double)(k + 1);
    y[2 * k] = admpi_add(e, admpi_mul_d(admpi_mul(p2, shared[2]), c));
    y[2 * k + 1] = admpi_add(
        admpi_mul(e, admpi_add(admpi_mul(shared[1], job[0]), admpi_mul(shared[0], job[1]))),
        admpi_mul_d(admpi_add(admpi_mul(p2_t, shared[2]), admpi_mul(p2, shared[3])), c));
  }
  return 0;
}

/* Fails where x_i says so, else gives s + p. */
static int32_t failing(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                       int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  struct rlimit before;
  admpi_nest nest;
  int i;
  (void)n_shared, (void)n_job, (void)x_r, (void)n_r, (void)n_y;
  y[0] = admpi_add(shared[0], job[0]);
  switch (n_i > 0 ? x_i[0] : FINE) {
    case RETURN_7:
      admpi_map_fail("std::domain_error: seven");
      return 7;
    case RETURN_SILENTLY:
      return -2;
    case PAST_ITS_LIMIT:
      CHECK(admpi_tape_set_limit(admpi_tls_tape, 1 << 20) == ADMPI_SUCCESS);
      for (i = 0; i < 3000000 && y[0].id != 0; ++i) y[0] = admpi_mul_d(y[0], 1.0);
      return 0;
    case LEFT_NEST:
      return admpi_tape_start_nested(admpi_tls_tape, 0, &nest);
    case NEST_AND_7:
      CHECK(admpi_tape_start_nested(admpi_tls_tape, 0, &nest) == ADMPI_SUCCESS);
      return 7;
    case FOREIGN:
      y[0] = (admpi_var){1.0, UINT32_MAX, 12345};
      return 0;
    case NAN_RESULT:
      y[0] = admpi_log(admpi_sub(y[0], admpi_add_d(y[0], 1.0)));
      return 0;
    case TAPE_TAKEN:
      return admpi_tape_activate(NULL, NULL);
    case TAPE_RESET:
      return admpi_tape_reset(admpi_tls_tape);
    case CALLERS_TAPE:
      CHECK(ctx == NULL || admpi_tape_reset((admpi_tape *)ctx) != ADMPI_SUCCESS);
      return 0;
    case NO_MEMORY:
      before = limit_memory(8);
      for (i = 0; i < 10000000 && y[0].id != 0; ++i) y[0] = admpi_mul_d(y[0], 1.0);
      CHECK(setrlimit(RLIMIT_DATA, &before) == 0);
      return 0;
    case EXPLAIN:
      admpi_map_fail("a reason for nothing");
      return 0;
    default:
      return 0;
  }
}

/* y_k = s p_k: each result depends on two of many parameters. */
static int32_t sparse(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                      int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  int64_t k;
  (void)n_shared, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)ctx;
  for (k = 0; k < n_y && k < n_job; ++k) y[k] = admpi_mul(shared[0], job[k]);
  return 0;
}

/* Waits until another job of this process has begun too: y tells whether one has. */
static int begun;

static int32_t meet(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                    int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  const struct timespec millisecond = {0, 1000000};
  int i;
  (void)shared, (void)n_shared, (void)job, (void)n_job, (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y, (void)ctx;
  __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST);
  for (i = 0; i < 5000 && __atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 2; ++i) nanosleep(&millisecond, NULL);
  y[0] = admpi_passive(__atomic_load_n(&begun, __ATOMIC_SEQ_CST) >= 2);
  return 0;
}

static int32_t f_model, f_product, f_pairs, f_failing, f_nested, f_sparse, f_meet;

/* Each result is that of a map of two jobs in this one. */
static int32_t nested(const admpi_var *shared, int64_t n_shared, const admpi_var *job, int64_t n_job, const double *x_r,
                      int64_t n_r, const int32_t *x_i, int64_t n_i, admpi_var *y, int64_t n_y, void *ctx) {
  admpi_var inner[2];
  admpi_map_call call = {.function = f_product, .jobs = n_job, .shared = shared, .n_shared = n_shared, .job = job,
                         .n_job = n_job, .n_y = n_job};
  int64_t before = admpi_map_job(), n_shared_r = 0;
  const double *shared_r = admpi_map_shared_r(&n_shared_r);
  (void)x_r, (void)n_r, (void)x_i, (void)n_i, (void)n_y;
  if (n_job != 2 || n_shared_r != 1 || admpi_map_run((admpi_map *)ctx, &call, inner) != ADMPI_SUCCESS) return 1;
  if (admpi_map_job() != before || admpi_map_shared_r(&n_shared_r) != shared_r || n_shared_r != 1) return 2;
  y[0] = admpi_mul(inner[0], inner[1]);
  return 0;
}

static void register_functions(void) {
  CHECK(admpi_map_register("model", model, NULL, &f_model) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("product", product, NULL, &f_product) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("pairs", pairs, NULL, &f_pairs) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("failing", failing, NULL, &f_failing) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("sparse", sparse, NULL, &f_sparse) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("nested", nested, NULL, &f_nested) == ADMPI_SUCCESS);
  CHECK(admpi_map_register("meet", meet, NULL, &f_meet) == ADMPI_SUCCESS);
}

#endif
