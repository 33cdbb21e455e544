/* Generated from src/capi/time_loop.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_TIME_LOOP_H
#define ADMPI_TIME_LOOP_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/matrix.h"

/**
 * Everything on the tape.
 */
#define ADMPI_LOOP_ALL 0

/**
 * The state is kept before every block of steps.
 */
#define ADMPI_LOOP_BLOCKS 1

/**
 * States are kept so that the fewest blocks are run again.
 */
#define ADMPI_LOOP_BINOMIAL 2

/**
 * States and recorded blocks are kept so that the fewest blocks are run again.
 */
#define ADMPI_LOOP_MIXED 3

/**
 * What the first steps take, and the memory there is, decide.
 */
#define ADMPI_LOOP_AUTO 4

/**
 * A time loop: its state, its schedule.
 */
typedef struct admpi_time_loop admpi_time_loop;

/**
 * Tells where active values lie that may move.
 * @param object       what was given with the function
 * @param[out] n_out   how many
 * @return the first
 */
typedef admpi_var *(*admpi_locate_fn)(void *object, int64_t *n_out);

/**
 * Tells which matrix it is that may have been exchanged for another.
 * @param object  what was given with the function
 * @return the matrix
 */
typedef admpi_varmat *(*admpi_locate_matrix_fn)(void *object);

/**
 * A step of a loop.
 * @param step  its number, from 0
 * @param ctx   the context given with it
 * @return 0, or any other number: the run, or the sweep, ends with ADMPI_ERR_CALLBACK
 */
typedef int32_t (*admpi_time_step_fn)(int64_t step, void *ctx);

/**
 * Tells whether there is another step. It is asked in the first run only.
 * @param step             the step's number, from 0
 * @param ctx              the context given with it
 * @param[out] go_on_out   0 ends the loop
 * @return 0, or any other number: the run ends with ADMPI_ERR_CALLBACK
 */
typedef int32_t (*admpi_time_condition_fn)(int64_t step, void *ctx, int32_t *go_on_out);

/**
 * What the loops of an object have done.
 */
typedef struct admpi_time_loop_statistics {
  /**
   * Steps of first runs.
   */
  uint64_t first;
  /**
   * Steps run again without being recorded.
   */
  uint64_t advanced;
  /**
   * Steps recorded by sweeps.
   */
  uint64_t recorded;
  /**
   * Most states kept in memory at a time by one run.
   */
  uint64_t snapshots;
  /**
   * The bytes of these.
   */
  uint64_t snapshot_bytes;
  /**
   * Most states kept on disk at a time by one run.
   */
  uint64_t disk_snapshots;
  /**
   * The bytes of these.
   */
  uint64_t disk_bytes;
  /**
   * Most blocks that a sweep had recorded at a time.
   */
  uint64_t records;
} admpi_time_loop_statistics;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a time loop, whose schedule is ADMPI_LOOP_AUTO. Loops already recorded outlive it.
 * @param tape            the tape that the loop runs on, or the handle of a thread without one: the steps run, and nothing is
 *                        recorded
 * @param[out] loop_out   the loop; free it with admpi_time_loop_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_new(admpi_tape *tape,
                            struct admpi_time_loop **loop_out);

/**
 * Frees a time loop.
 * @param loop  NULL is fine
 */
void admpi_time_loop_free(struct admpi_time_loop *loop);

/**
 * Chooses a schedule for the runs to come. ADMPI_LOOP_AUTO does the first steps on the tape and measures them. Where all steps fit into
 * the budget they stay on the tape. Else it takes the schedule that runs the fewest steps again. In a program of several ranks it
 * needs admpi_time_loop_set_comm, and is ADMPI_LOOP_BINOMIAL with 100 snapshots without.
 * @param kind       ADMPI_LOOP_ALL, ADMPI_LOOP_BLOCKS, ADMPI_LOOP_BINOMIAL, ADMPI_LOOP_MIXED or ADMPI_LOOP_AUTO
 * @param snapshots  for ADMPI_LOOP_BINOMIAL: how many states may be kept in memory, beside the one before the last block; for
 *                   ADMPI_LOOP_MIXED: how many states and recorded blocks, beside the state before the loop
 * @param block      for these and ADMPI_LOOP_BLOCKS: the steps that are recorded as a whole
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_time_loop_set_schedule(struct admpi_time_loop *loop,
                                     int32_t kind,
                                     int64_t snapshots,
                                     int64_t block);

/**
 * Says what schedule the last run had: what ADMPI_LOOP_AUTO chose, or what was set.
 * @param[out] kind_out       an ADMPI_LOOP schedule
 * @param[out] snapshots_out  its snapshots; 0 where it has no such number
 * @param[out] block_out      the steps of its blocks; 0 where it has none
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_schedule(const struct admpi_time_loop *loop,
                                 int32_t *kind_out,
                                 int64_t *snapshots_out,
                                 int64_t *block_out);

/**
 * Says how many bytes a run and its sweep may take, for ADMPI_LOOP_AUTO. The default is what the tape's limit leaves, or what the
 * machine has free, whichever is less.
 * @param bytes  the budget of this rank; 0 returns to the default
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_set_budget(struct admpi_time_loop *loop,
                                   uint64_t bytes);

/**
 * Lets the runs to come keep states on disk too, in a file of each rank that has no name once it is open. ADMPI_LOOP_BLOCKS keeps all
 * states there. ADMPI_LOOP_BINOMIAL keeps states in memory and on disk so that running, writing and reading together cost the least;
 * where the number of steps is not known, it keeps a state on disk after each of so many blocks, whatever `snapshots`.
 * @param directory  where the file is made; NULL: no disk
 * @param snapshots  how many states may be on disk at a time
 * @param write      what it costs to write a state, in runs of a step
 * @param read       what it costs to read one
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_time_loop_set_disk(struct admpi_time_loop *loop,
                                 const char *directory,
                                 int64_t snapshots,
                                 double write,
                                 double read);

/**
 * Declares an array as state: steps read and write it. It stays where it is, and lives as long as the tape holds a run.
 * @param x  `n` values
 * @param n  how many
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_time_loop_state(struct admpi_time_loop *loop,
                              admpi_var *x,
                              int64_t n);

/**
 * Declares as state values that may move, such as those of a container. Their number stays the same.
 * @param locate  tells where they are
 * @param object  its argument
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_state_at(struct admpi_time_loop *loop, admpi_locate_fn locate, void *object);

/**
 * Declares a matrix as state. It lives as long as the tape holds a run.
 * @param a  the matrix
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_state_matrix(struct admpi_time_loop *loop, admpi_varmat *a);

/**
 * Declares an array as parameters: steps read it, and none writes it. The loop keeps a copy, so that the program may change them
 * after it.
 * @param k  `n` values
 * @param n  how many
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_time_loop_parameters(struct admpi_time_loop *loop,
                                   admpi_var *k,
                                   int64_t n);

/**
 * Declares as parameters values that may move.
 * @param locate  tells where they are
 * @param object  its argument
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_parameters_at(struct admpi_time_loop *loop, admpi_locate_fn locate, void *object);

/**
 * Declares a matrix as parameters.
 * @param k  the matrix
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_parameter_matrix(struct admpi_time_loop *loop, admpi_varmat *k);

/**
 * Declares as state a matrix that may be exchanged for another.
 * @param locate  tells which one it is
 * @param object  its argument
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_state_matrix_at(struct admpi_time_loop *loop,
                                        admpi_locate_matrix_fn locate,
                                        void *object);

/**
 * Declares as parameters a matrix that may be exchanged for another.
 * @param locate  tells which one it is
 * @param object  its argument
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_parameter_matrix_at(struct admpi_time_loop *loop,
                                            admpi_locate_matrix_fn locate,
                                            void *object);

/**
 * Declares functions that keep what is not active, such as a random generator: each kept state has what `save` returned.
 * @param save     returns what is to be kept
 * @param restore  takes the program back to what was kept
 * @param free     frees what `save` returned; it cannot use the tape
 * @param ctx      the first argument of all three
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_save(struct admpi_time_loop *loop,
                             void *(*save)(void *ctx),
                             void (*restore)(void *ctx, void *kept),
                             void (*free)(void *ctx, void *kept),
                             void *ctx);

/**
 * Runs the loop: `fn(0)`, `fn(1)` and so on. If the tape records, it gets one event, and a sweep that passes it runs steps
 * again. If a step fails, the state and the tape are what they were before.
 * @param steps    how many
 * @param fn       a step
 * @param ctx      its context
 * @param destroy  destroys the context, once, when nothing needs it any more, whatever this call returns; NULL is fine
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE, ADMPI_ERR_CALLBACK (a step failed),
 *         ADMPI_ERR_MISMATCH (the ranks differ in steps or schedule), ADMPI_ERR_DISK (a state cannot be kept there), ADMPI_ERR_IDS,
 *         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_time_loop_run(struct admpi_time_loop *loop,
                            int64_t steps,
                            admpi_time_step_fn fn,
                            void *ctx,
                            void (*destroy)(void *ctx));

/**
 * The same, where only a condition tells how many steps there are: `condition(0)`, `fn(0)`, `condition(1)` and so on. Sweeps do not
 * ask the condition. ADMPI_LOOP_BINOMIAL and ADMPI_LOOP_MIXED keep the states from which the fewest steps would be run again if
 * the loop ended with the next step.
 * @param condition        whether there is another step
 * @param fn               a step
 * @param ctx              the context of both
 * @param destroy          destroys the context, once, when nothing needs it any more, whatever this call returns; NULL is fine
 * @param[out] steps_out   the steps run; NULL is fine
 * @return as admpi_time_loop_run
 */
int32_t admpi_time_loop_run_while(struct admpi_time_loop *loop,
                                  admpi_time_condition_fn condition,
                                  admpi_time_step_fn fn,
                                  void *ctx,
                                  void (*destroy)(void *ctx),
                                  int64_t *steps_out);

/**
 * Counts what the runs of a loop, and their sweeps, have done.
 * @param[out] statistics_out  the counts
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_time_loop_statistics_of(struct admpi_time_loop *loop,
                                      struct admpi_time_loop_statistics *statistics_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_TIME_LOOP_H */
