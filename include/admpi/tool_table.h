/* admpi: the functions by which an AD tool with a tape of its own hands its variables to the calls of adjoint MPI. See
 * docs/tools.md. */
#ifndef ADMPI_TOOL_TABLE_H
#define ADMPI_TOOL_TABLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An AD tool. Functions throw no exceptions, and call nothing of this library's. Of a call they are called in the order in which
 *  they stand here. Later versions append to the table. */
typedef struct admpi_tool {
  size_t size;            /**< sizeof(admpi_tool) */
  const char *name;       /**< for messages */
  int64_t variable_bytes; /**< sizeof an active variable */
  /** Whether the thread's tape records. It is asked at the beginning of each call, and of each completion. */
  int32_t (*is_recording)(void);
  /** Gives the values of `n` variables, one behind the other. */
  void (*values)(const void *variables, int64_t n, double *values_out);
  /** Gives their ids, by which the adjoints are found where the tool's sweep meets the handle that is recorded next. */
  void (*ids)(const void *variables, int64_t n, int64_t *ids_out);
  /** Overwrites variables, which are results of a call, with `values`, and registers them: their ids are fresh. `ids_out` is
   *  NULL where nothing is recorded: then they are passive. `before_out` is NULL unless the tool has `restore`: it gets the
   *  values that stood at the fresh ids before. */
  void (*set)(void *variables, int64_t n, const double *values, int64_t *ids_out, double *before_out);
  /** Records a handle on the thread's tape. Returns 0, or any other number if it cannot. */
  int32_t (*record)(int64_t handle);
  /** How many directions the sweep has: at most 16. May be NULL: 1. `access` is what admpi_tool_evaluate was called with. */
  int64_t (*width)(void *access);
  /** Gives the adjoints of ids, the directions of each side by side, and zeroes them. */
  void (*take)(void *access, int64_t n, const int64_t *ids, double *adjoints_out);
  /** Adds to the adjoints of ids. Ids of passive variables may be among them. */
  void (*add)(void *access, int64_t n, const int64_t *ids, const double *adjoints);
  /** Gives the ids of results the values back that stood there before. May be NULL. */
  void (*restore)(void *access, int64_t n, const int64_t *ids, const double *values);
} admpi_tool;

#ifdef __cplusplus
}
#endif

#endif
