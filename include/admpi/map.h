/* Generated from src/capi/map.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_MAP_H
#define ADMPI_MAP_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

/**
 * The choice of the environment: ADMPI_MAP=serial, threads, mpi or mpi+threads. Without it the ranks of the map's
 * communicator, or the calling thread if the map has no communicator.
 */
#define ADMPI_MAP_DEFAULT 0

/**
 * The calling thread.
 */
#define ADMPI_MAP_SERIAL 1

/**
 * Threads of this process.
 */
#define ADMPI_MAP_THREADS 2

/**
 * The ranks of the map's communicator.
 */
#define ADMPI_MAP_MPI 3

/**
 * Threads on each of those ranks.
 */
#define ADMPI_MAP_MPI_THREADS 4

/**
 * Who does the jobs, and measured times of earlier jobs. Opaque.
 */
typedef struct admpi_map admpi_map;

/**
 * The function of one job. It runs on a tape of the library, on which the parameters are inputs. It may use all of admpi,
 * also maps, which then run serially. Its results may depend on no active values except its arguments. While it runs,
 * calls on the tape of the map's caller return ADMPI_ERR_NEST. It may run on several threads at once, and must not throw.
 * @param shared    `n_shared` values, the same for all jobs
 * @param n_shared  how many
 * @param job       `n_job` values of this job
 * @param n_job     how many
 * @param x_r       `n_r` doubles of this job's data
 * @param n_r       how many
 * @param x_i       `n_i` integers of this job's data
 * @param n_i       how many
 * @param[out] y    `n_y` results; passive zeros on entry
 * @param n_y       how many
 * @param ctx       the context given to admpi_map_register
 * @return 0, or any other number: the map fails with ADMPI_ERR_CALLBACK; admpi_map_fail says why
 */
typedef int32_t (*admpi_map_fn)(const admpi_var *shared,
                                int64_t n_shared,
                                const admpi_var *job,
                                int64_t n_job,
                                const double *x_r,
                                int64_t n_r,
                                const int32_t *x_i,
                                int64_t n_i,
                                admpi_var *y,
                                int64_t n_y,
                                void *ctx);

/**
 * The contents of data. `r_end[i]` is where the doubles of job i end in x_r, ascending; the last is n_r. NULL: each job has
 * n_r/jobs doubles. The same holds for i_end.
 */
typedef struct admpi_map_values {
  /**
   * Number of jobs. 0: any number of jobs, which have shared data only.
   */
  int64_t jobs;
  /**
   * `n_r` doubles, job by job.
   */
  const double *x_r;
  int64_t n_r;
  /**
   * `jobs` ends, or NULL.
   */
  const int64_t *r_end;
  /**
   * `n_i` integers, job by job.
   */
  const int32_t *x_i;
  int64_t n_i;
  /**
   * `jobs` ends, or NULL.
   */
  const int64_t *i_end;
  /**
   * `n_shared_r` doubles for all jobs: admpi_map_shared_r.
   */
  const double *shared_r;
  int64_t n_shared_r;
  /**
   * `n_shared_i` integers for all jobs: admpi_map_shared_i.
   */
  const int32_t *shared_i;
  int64_t n_shared_i;
} admpi_map_values;

/**
 * A handle of data; {0, 0} means no data. Every update makes a new generation, and the old handle is refused.
 */
typedef struct admpi_map_data {
  uint32_t id;
  uint32_t generation;
} admpi_map_data;

/**
 * A function and its parameters. `job_end[i]` is where the parameters of job i end in job, ascending; the last is n_job.
 * NULL: each job has n_job/jobs parameters. The same holds for y_end and the results.
 */
typedef struct admpi_map_call {
  /**
   * The number from admpi_map_register.
   */
  int32_t function;
  /**
   * {0, 0}: no data.
   */
  struct admpi_map_data data;
  /**
   * Number of jobs.
   */
  int64_t jobs;
  /**
   * `n_shared` values.
   */
  const admpi_var *shared;
  int64_t n_shared;
  /**
   * `n_job` values, job by job.
   */
  const admpi_var *job;
  int64_t n_job;
  /**
   * `jobs` ends, or NULL.
   */
  const int64_t *job_end;
  /**
   * Results of all jobs.
   */
  int64_t n_y;
  /**
   * `jobs` ends, or NULL.
   */
  const int64_t *y_end;
} admpi_map_call;

/**
 * Why a map failed.
 */
typedef struct admpi_map_failure {
  /**
   * The first job that failed; -1: no job caused the failure.
   */
  int64_t job;
  /**
   * Where it ran: a rank of the map's communicator; 0 without one.
   */
  int32_t rank;
  /**
   * What the function returned; 0 if it did not return an error itself.
   */
  int32_t code;
  /**
   * The text given to admpi_map_fail, or the library's message. Valid until the thread's next failing call of a map.
   */
  const char *text;
} admpi_map_failure;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Registers a function under a name, which identifies it on all ranks. All ranks register the functions that a map calls,
 * in any order, before the workers serve.
 * @param name               a name that no other function has
 * @param fn                 the function
 * @param ctx                its context, passed to every call; must live until the function is unregistered. NULL is fine
 * @param[out] function_out  the function's number in this process
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (the name is taken)
 */
int32_t admpi_map_register(const char *name,
                           admpi_map_fn fn,
                           void *ctx,
                           int32_t *function_out);

/**
 * Frees the name of a function. No call may be using it on any rank.
 * @param function  of admpi_map_register
 * @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_map_unregister(int32_t function);

/**
 * In a job: sets the text of the error that the job is about to return.
 * @param text  the text for admpi_map_last_failure; from other ranks only the first 1024 bytes. NULL is fine
 */
void admpi_map_fail(const char *text);

/**
 * In a job: returns the doubles that all jobs share.
 * @param[out] n_out  how many; may be NULL
 * @return the doubles, valid in this job; NULL outside of a job, or without data
 */
const double *admpi_map_shared_r(int64_t *n_out);

/**
 * In a job: returns the integers that all jobs share.
 * @param[out] n_out  how many; may be NULL
 * @return as admpi_map_shared_r
 */
const int32_t *admpi_map_shared_i(int64_t *n_out);

/**
 * Returns the number of the job that the thread runs.
 * @return the number, or -1 outside of jobs
 */
int64_t admpi_map_job(void);

/**
 * Makes a map that uses this process only. For workers on other ranks see admpi_map_new_mpi.
 * @param backend       ADMPI_MAP_DEFAULT, ADMPI_MAP_SERIAL or ADMPI_MAP_THREADS
 * @param threads       how many; 0: ADMPI_MAP_THREADS of the environment, or as many as there are cores
 * @param[out] map_out  the map; free it with admpi_map_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_UNSUPPORTED (a back end of other ranks)
 */
int32_t admpi_map_new(int32_t backend,
                      int32_t threads,
                      struct admpi_map **map_out);

/**
 * Changes who does the jobs.
 * @param map      the map
 * @param backend  as for admpi_map_new; with workers on other ranks also ADMPI_MAP_MPI and ADMPI_MAP_MPI_THREADS
 * @param threads  as for admpi_map_new
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_UNSUPPORTED (there are no workers on other ranks),
 *         ADMPI_ERR_NEST (in a job)
 */
int32_t admpi_map_set_backend(struct admpi_map *map,
                              int32_t backend,
                              int32_t threads);

/**
 * Ends the service of a map's workers: their admpi_map_serve returns. The map continues in this process alone, where its
 * data stay valid. Does nothing without workers.
 * @param map  the map
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (in a job), ADMPI_ERR_MPI (workers were lost)
 */
int32_t admpi_map_stop(struct admpi_map *map);

/**
 * Frees a map. Ends the service of its workers if it has not been stopped.
 * @param map  a map; the caller must not be in one of its jobs. NULL is fine
 */
void admpi_map_free(struct admpi_map *map);

/**
 * Copies static data, and sends them to the map's workers.
 * @param map            the map whose jobs use them; maps of this process alone, and NULL, share their data
 * @param values         the data
 * @param[out] data_out  their handle; free them with admpi_map_data_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_MEMORY (here, or on a worker), ADMPI_ERR_MPI
 */
int32_t admpi_map_data_new(struct admpi_map *map,
                           const struct admpi_map_values *values,
                           struct admpi_map_data *data_out);

/**
 * Replaces the data of a handle. The shape may change. The old handle is refused from now on.
 * @param map            the map that the data were made with
 * @param data           the handle
 * @param values         the new data
 * @param[out] data_out  the new handle; may overwrite the old one
 * @return as admpi_map_data_new, and ADMPI_ERR_STALE (a handle of an earlier generation), ADMPI_ERR_MISMATCH (made with another
 *         map, which has workers)
 */
int32_t admpi_map_data_update(struct admpi_map *map,
                              struct admpi_map_data data,
                              const struct admpi_map_values *values,
                              struct admpi_map_data *data_out);

/**
 * Frees data, here and on the map's workers.
 * @param map   the map that the data were made with; also NULL if that map has been freed
 * @param data  the handle; {0, 0} is fine
 * @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (freed before), ADMPI_ERR_STALE
 */
int32_t admpi_map_data_free(struct admpi_map *map, struct admpi_map_data data);

/**
 * Runs all jobs. The results are active on the calling thread's tape, as one event for the whole call. If the tape does not
 * record, or no parameter is active, the results are passive and the jobs do not record.
 * @param map         the map; NULL: the calling thread does the jobs, as for every map inside a job
 * @param call        function and parameters
 * @param[out] y_out  `call->n_y` results, job by job; must not overlap the parameters. Unchanged on failure
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE (a parameter, or the data's generation),
 *         ADMPI_ERR_MISMATCH (the data are for another number of jobs, or of another
 *         map's workers), ADMPI_ERR_CALLBACK (a job failed:
 *         admpi_map_last_failure), ADMPI_ERR_PANIC, ADMPI_ERR_THREAD, ADMPI_ERR_MPI, ADMPI_ERR_LIMIT, ADMPI_ERR_IDS,
 *         ADMPI_ERR_MEMORY, or another error that occurred in a job
 */
int32_t admpi_map_run(struct admpi_map *map,
                      const struct admpi_map_call *call,
                      admpi_var *y_out);

/**
 * Runs all jobs and adds up their results. As admpi_map_run, but only the sums are returned.
 * @param map         as for admpi_map_run
 * @param call        every job has `n_y` results; y_end is NULL
 * @param[out] y_out  `call->n_y` sums
 * @return as admpi_map_run
 */
int32_t admpi_map_run_sum(struct admpi_map *map, const struct admpi_map_call *call, admpi_var *y_out);

/**
 * Computes values, gradients and second derivatives of all results, as plain numbers. The function works on pairs: its
 * arrays have a value and a tangent for each parameter and each result of the call, so its `n_shared`, `n_job` and `n_y`
 * are twice as large. The tangents of its results must be the derivatives in the direction of the parameters' tangents.
 * @param map                the map
 * @param call               function and parameters, of which only the values count
 * @param[out] value_out     `n_y` doubles, or NULL
 * @param[out] gradient_out  for each result, job by job, d doubles: for the shared parameters, then those of its job; or NULL
 * @param[out] hessian_out   for each result d*d doubles, symmetric up to rounding; or NULL
 * @return as admpi_map_run
 */
int32_t admpi_map_hessian(struct admpi_map *map,
                          const struct admpi_map_call *call,
                          double *value_out,
                          double *gradient_out,
                          double *hessian_out);

/**
 * Describes the thread's last call of a map that failed.
 * @param[out] failure_out  job, rank, code and text
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_map_last_failure(struct admpi_map_failure *failure_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_MAP_H */
