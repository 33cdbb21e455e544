/* Generated from src/capi/pmap_programs.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_PMAP_PROGRAMS_H
#define ADMPI_PMAP_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/pmap.h"

/**
 * A function of matrices on the devices of a map, as a text describes it. It never changes. Opaque.
 */
typedef struct admpi_pmap_program admpi_pmap_program;

/**
 * What a simulation of a function found. Opaque.
 */
typedef struct admpi_pmap_simulation admpi_pmap_simulation;

/**
 * What devices and the lines between them can do. Local work takes launch + max(flops / F, bytes / W) seconds, a message
 * alpha + beta * bytes. What admpi_pmap_calibrate has measured takes the place of these formulas. Initialize it with zeros: fields may
 * be added.
 */
typedef struct admpi_pmap_topology {
  /**
   * F: floating-point operations per second.
   */
  double flops;
  /**
   * W: bytes per second that an operation reads and writes.
   */
  double bandwidth;
  /**
   * Seconds that an operation takes at least.
   */
  double launch;
  /**
   * Seconds of an empty message.
   */
  double alpha;
  /**
   * Seconds per byte of a message.
   */
  double beta;
  /**
   * Bytes of a device's memory; 0: not limited.
   */
  double memory;
  /**
   * Seconds in which all ranks agree, once before and once after a function; 0: none.
   */
  double agreement;
  /**
   * How many devices work at a time, where devices share cores; 0: all.
   */
  double cores;
  /**
   * Seconds of each kind of operation for square matrices of 1, 20, 90 and 400 rows: MatMul, Add, Subtract, Multiply, Transpose, Sum,
   * Solve (of one column), ReLU, Exp, Log, Tanh, Sin, Cos, Sqrt, Square, Negate; and between two devices send, scatter by rows and
   * by columns, broadcast, gather by rows and by columns, reduce, allreduce. Zeros: not measured.
   */
  double measured[24][4];
} admpi_pmap_topology;

/**
 * What a device does in a simulation.
 */
typedef struct admpi_pmap_account {
  /**
   * Bytes of values that it sends.
   */
  int64_t sent;
  /**
   * Bytes of values that it receives.
   */
  int64_t received;
  /**
   * The most bytes of values that it has at a time.
   */
  int64_t peak;
  /**
   * Floating-point operations.
   */
  int64_t flops;
  /**
   * When it is done, in seconds.
   */
  double end;
} admpi_pmap_account;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a function of a text, such as admpi_pmap_program_text writes. docs/pmap.md says what stands in it.
 * @param text              the text
 * @param[out] program_out  the function; free it with admpi_pmap_program_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (not such a text), ADMPI_ERR_ARITY, ADMPI_ERR_BADDEV,
 *         ADMPI_ERR_PLACEMENT, ADMPI_ERR_SCOPE (a value that the body does not define, or defines twice), ADMPI_ERR_SHAPE,
 *         ADMPI_ERR_UNBOUND, ADMPI_ERR_LIMIT
 */
int32_t admpi_pmap_program_new(const char *text,
                               struct admpi_pmap_program **program_out);

/**
 * Frees a function.
 * @param program  NULL is fine
 */
void admpi_pmap_program_free(struct admpi_pmap_program *program);

/**
 * Writes a function as a text.
 * @param program        a function
 * @param capacity       room in text_out, in bytes
 * @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
 * @param[out] n_out     bytes of the whole text, with the zero byte
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_pmap_program_text(const struct admpi_pmap_program *program,
                                int64_t capacity,
                                char *text_out,
                                int64_t *n_out);

/**
 * Counts what a function takes and gives.
 * @param program            a function
 * @param[out] n_inputs_out  how many matrices it takes
 * @param[out] n_values_out  how many it gives
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_pmap_program_count(const struct admpi_pmap_program *program,
                                 int64_t *n_inputs_out,
                                 int64_t *n_values_out);

/**
 * Shards one of a function's bodies: it runs on the devices of a node, with its inputs cut or copied and its results combined.
 * What is cut by rows or columns is gathered, sums of partial results are formed, and what all devices have is selected.
 * @param program           a function
 * @param scope             the variables of the pmaps that lead to the body, such as `[d]`; `[]`: the function itself
 * @param keys              the node, such as `[d]`. Nodes in the body that lie below the same keys move below the new variable
 * @param cuts              the inputs that are cut by rows (0) or columns (1), such as `x=0, w=1`; others are copied
 * @param reduce            0: partial results are summed on all devices of the node, of which the body's is one; else: on the
 *                          body's device alone
 * @param[out] program_out  the function; free it with admpi_pmap_program_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_BADDEV, ADMPI_ERR_SCOPE (no such body or input),
 *         ADMPI_ERR_SHAPE, ADMPI_ERR_UNBOUND, ADMPI_ERR_SHARDING: an operation cannot work on the parts; the message says which
 *         and why
 */
int32_t admpi_pmap_program_shard(const struct admpi_pmap_program *program,
                                 const char *scope,
                                 const char *keys,
                                 const char *cuts,
                                 int32_t reduce,
                                 struct admpi_pmap_program **program_out);

/**
 * Shards the part of a body that makes some values; what follows stays on the body's device. So partial sums may be summed where an
 * operation needs all of them.
 * @param program           a function
 * @param scope             as for admpi_pmap_program_shard
 * @param keys              as for admpi_pmap_program_shard
 * @param cuts              as for admpi_pmap_program_shard
 * @param until             the values, such as `[z]`; the rest of the body may read them, and no others of the part
 * @param reduce            as for admpi_pmap_program_shard
 * @param[out] program_out  the function; free it with admpi_pmap_program_free
 * @return as admpi_pmap_program_shard; ADMPI_ERR_SCOPE also if an operation of the body makes no such value, or the rest reads
 *         another value of the part
 */
int32_t admpi_pmap_program_shard_until(const struct admpi_pmap_program *program,
                                       const char *scope,
                                       const char *keys,
                                       const char *cuts,
                                       const char *until,
                                       int32_t reduce,
                                       struct admpi_pmap_program **program_out);

/**
 * Shards a body by the hidden units: the second factors of its products that are inputs are cut by columns and rows in turn.
 * @param program           a function
 * @param scope             as for admpi_pmap_program_shard
 * @param keys              as for admpi_pmap_program_shard
 * @param reduce            as for admpi_pmap_program_shard
 * @param[out] program_out  the function; free it with admpi_pmap_program_free
 * @return as admpi_pmap_program_shard
 */
int32_t admpi_pmap_program_horizontal(const struct admpi_pmap_program *program,
                                      const char *scope,
                                      const char *keys,
                                      int32_t reduce,
                                      struct admpi_pmap_program **program_out);

/**
 * Runs a function on a device map without data and without MPI.
 * @param program              a function
 * @param sizes                the extents of its names, such as `B=8, F=4`
 * @param map                  a device map
 * @param topology             what the devices can do; NULL: 1e9 operations and 1e10 bytes per second, 1 us to launch or to send,
 *                             1 ns per byte sent
 * @param[out] simulation_out  what was found; free it with admpi_pmap_simulation_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_BADDEV, ADMPI_ERR_EMPTY, ADMPI_ERR_NOKEY,
 *         ADMPI_ERR_DEPTH, ADMPI_ERR_OVERLAP (a body leads to devices that are not its own), ADMPI_ERR_PLACEMENT,
 *         ADMPI_ERR_SHAPE, ADMPI_ERR_MEMCAP
 */
int32_t admpi_pmap_simulate(const struct admpi_pmap_program *program,
                            const char *sizes,
                            const admpi_device_map *map,
                            const struct admpi_pmap_topology *topology,
                            struct admpi_pmap_simulation **simulation_out);

/**
 * Chooses how to run a function on some devices. Simulates it as it is; with its inputs cut by rows; by hidden units; and both
 * within each other, on two devices or more. Gives the fastest that fits in memory.
 * @param program           a function that no transform has made parallel yet
 * @param sizes             as for admpi_pmap_simulate
 * @param inputs            the inputs that may be cut by rows, such as `[x]`
 * @param devices           `n_devices` devices that it may use
 * @param n_devices         how many, at least 1
 * @param topology          as for admpi_pmap_simulate
 * @param[out] program_out  the function of the plan; free it with admpi_pmap_program_free
 * @param[out] map_out      its device map; free it with admpi_device_map_free
 * @return as admpi_pmap_simulate; ADMPI_ERR_SHARDING, ADMPI_ERR_SCOPE, ADMPI_ERR_DUP: why the last way failed, if all did
 */
int32_t admpi_pmap_plan(const struct admpi_pmap_program *program,
                        const char *sizes,
                        const char *inputs,
                        const int64_t *devices,
                        int64_t n_devices,
                        const struct admpi_pmap_topology *topology,
                        struct admpi_pmap_program **program_out,
                        admpi_device_map **map_out);

/**
 * Writes why admpi_pmap_plan gives what it gives: a table with a line for each way, with its time in seconds or why it fails.
 * @param program        as for admpi_pmap_plan
 * @param sizes          as for admpi_pmap_plan
 * @param inputs         as for admpi_pmap_plan
 * @param devices        as for admpi_pmap_plan
 * @param n_devices      as for admpi_pmap_plan
 * @param topology       as for admpi_pmap_plan
 * @param capacity       room in text_out, in bytes
 * @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
 * @param[out] n_out     bytes of the whole text, with the zero byte
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_EMPTY (no devices), ADMPI_ERR_DUP, ADMPI_ERR_SCOPE
 */
int32_t admpi_pmap_plan_table(const struct admpi_pmap_program *program,
                              const char *sizes,
                              const char *inputs,
                              const int64_t *devices,
                              int64_t n_devices,
                              const struct admpi_pmap_topology *topology,
                              int64_t capacity,
                              char *text_out,
                              int64_t *n_out);

/**
 * Frees what a simulation found.
 * @param simulation  NULL is fine
 */
void admpi_pmap_simulation_free(struct admpi_pmap_simulation *simulation);

/**
 * Reads what a device does.
 * @param simulation        a simulation
 * @param device            a device of the map, or the function's root
 * @param[out] account_out  what it does
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_BADDEV
 */
int32_t admpi_pmap_simulation_account(const struct admpi_pmap_simulation *simulation,
                                      int64_t device,
                                      struct admpi_pmap_account *account_out);

/**
 * Reads how long the function takes.
 * @param simulation        a simulation
 * @param[out] seconds_out  when the last device is done
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_pmap_simulation_makespan(const struct admpi_pmap_simulation *simulation, double *seconds_out);

/**
 * Writes a table: of each value in each environment its pieces, and of each device what it does.
 * @param simulation     a simulation
 * @param capacity       room in text_out, in bytes
 * @param[out] text_out  the text and a zero byte, or its beginning, as far as there is room; NULL if capacity is 0
 * @param[out] n_out     bytes of the whole text, with the zero byte
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_pmap_simulation_table(const struct admpi_pmap_simulation *simulation,
                                    int64_t capacity,
                                    char *text_out,
                                    int64_t *n_out);

/**
 * Writes what happens when, in Chrome's trace format.
 * @param simulation     a simulation
 * @param capacity       as for admpi_pmap_simulation_table
 * @param[out] text_out  as for admpi_pmap_simulation_table
 * @param[out] n_out     as for admpi_pmap_simulation_table
 * @return as admpi_pmap_simulation_table
 */
int32_t admpi_pmap_simulation_trace(const struct admpi_pmap_simulation *simulation,
                                    int64_t capacity,
                                    char *text_out,
                                    int64_t *n_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_PMAP_PROGRAMS_H */
