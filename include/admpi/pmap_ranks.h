/* Generated from src/capi/pmap_ranks.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_PMAP_RANKS_H
#define ADMPI_PMAP_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/matrix.h"
#include "admpi/pmap.h"
#include "admpi/pmap_programs.h"

/**
 * Ranks as devices: which one is which, and the communicators of those that work together. Opaque.
 */
typedef struct admpi_pmap admpi_pmap;

/**
 * A matrix on a device, or one on each device of a node of the device map. On other ranks it is a placeholder without data.
 * Opaque.
 */
typedef struct admpi_pmap_value admpi_pmap_value;

/**
 * The body of a pmap for one device. It runs on every rank whose device is that one or below it, and makes the same calls on
 * each: on ranks without data its values are placeholders. It must not throw.
 * @param pmap          the engine
 * @param device        the device of this iteration
 * @param inputs        `n_inputs` values on that device; the caller frees them
 * @param n_inputs      how many
 * @param[out] outputs  `n_outputs` values on that device, NULL on entry; the caller frees them, also if the body fails
 * @param n_outputs     how many
 * @param payload       as given to admpi_pmap_run
 * @return 0, or any other number: the iteration has failed
 */
typedef int32_t (*admpi_pmap_fn)(struct admpi_pmap *pmap,
                                 int64_t device,
                                 const struct admpi_pmap_value *const *inputs,
                                 int64_t n_inputs,
                                 struct admpi_pmap_value **outputs,
                                 int64_t n_outputs,
                                 void *payload);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes an engine of the ranks of a communicator. Collective. The communicator is duplicated, and may be freed.
 * @param comm           an intracommunicator
 * @param map            a device map, the same on all ranks; it may be freed
 * @param devices        `size of comm` devices: rank r is device `devices[r]`; NULL: rank r is device r
 * @param root           the device that the program itself runs for; all ranks run it
 * @param[out] pmap_out  the engine; free it with admpi_pmap_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_BADDEV, ADMPI_ERR_RANKMAP (a device is no rank, or two), ADMPI_ERR_MISMATCH
 *         (ranks pass different arguments), ADMPI_ERR_MPI
 */
int32_t admpi_pmap_new(MPI_Comm comm,
                       const admpi_device_map *map,
                       const int64_t *devices,
                       int64_t root,
                       struct admpi_pmap **pmap_out);

/**
 * Frees an engine. Collective. What was recorded stays valid.
 * @param pmap  NULL is fine
 * @return ADMPI_SUCCESS, ADMPI_ERR_MPI
 */
int32_t admpi_pmap_free(struct admpi_pmap *pmap);

/**
 * Says which device this rank is, and the device whose body it runs: outside of bodies the root.
 * @param pmap             an engine
 * @param[out] device_out  the device of this rank
 * @param[out] home_out    the device of the body; NULL is fine
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_pmap_device(const struct admpi_pmap *pmap, int64_t *device_out, int64_t *home_out);

/**
 * Puts a matrix on a device. Local.
 * @param pmap            an engine
 * @param device          a device of this body; outside of bodies any
 * @param matrix          the matrix, on the rank of that device; ignored on others
 * @param rows            on other ranks the shape, as far as it is known; -1: unknown
 * @param cols            the same
 * @param[out] value_out  the value; free it with admpi_pmap_value_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_PLACEMENT (not a device of this body; matrix is NULL on its rank)
 */
int32_t admpi_pmap_place(struct admpi_pmap *pmap,
                         int64_t device,
                         const admpi_varmat *matrix,
                         int64_t rows,
                         int64_t cols,
                         struct admpi_pmap_value **value_out);

/**
 * Frees a value.
 * @param value  NULL is fine
 */
void admpi_pmap_value_free(struct admpi_pmap_value *value);

/**
 * Copies a value; its matrix is the same.
 * @param value          a value
 * @param[out] copy_out  the copy; free it with admpi_pmap_value_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_pmap_value_copy(const struct admpi_pmap_value *value, struct admpi_pmap_value **copy_out);

/**
 * Says on how many devices a value is.
 * @param value           a value
 * @param[out] n_out      how many
 * @param[out] tuple_out  whether it is one on each device of a node (1), or one value (0); NULL is fine
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_pmap_value_count(const struct admpi_pmap_value *value, int64_t *n_out, int32_t *tuple_out);

/**
 * Reads a piece of a value.
 * @param value            a value
 * @param k                which, from 0, in the order of the node's devices; 0 of one value
 * @param[out] device_out  its device
 * @param[out] rows_out    its rows; -1 where this rank does not know them, since an iteration elsewhere made it
 * @param[out] cols_out    its columns; -1 the same
 * @param[out] matrix_out  the matrix, to be freed with admpi_varmat_free, on the rank of the device; NULL on others
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_RANGE; the error of the body that was to make it
 */
int32_t admpi_pmap_value_piece(const struct admpi_pmap_value *value,
                               int64_t k,
                               int64_t *device_out,
                               int64_t *rows_out,
                               int64_t *cols_out,
                               admpi_varmat **matrix_out);

/**
 * Cuts a matrix into blocks of rows or columns, one on each device of a node. Extents need not divide evenly: the larger
 * blocks come first. The adjoint is a gather.
 *
 * This call and the ones below are made by all ranks that run the body; those that have no part pass through. The
 * matrix's device and those of the node wait for each other, no others do. Failures of one of them are failures of all.
 * @param pmap            an engine
 * @param x               one value
 * @param dim             0: blocks of rows, 1: of columns
 * @param keys            a text such as `[d]`: which node; variables are those of the enclosing calls of admpi_pmap_run
 * @param[out] value_out  the blocks; free them with admpi_pmap_value_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_BADDEV, ADMPI_ERR_NOKEY, ADMPI_ERR_DEPTH,
 *         ADMPI_ERR_UNBOUND, ADMPI_ERR_OVERLAP (the node has devices that are not this body's), ADMPI_ERR_PLACEMENT,
 *         ADMPI_ERR_SHAPE, ADMPI_ERR_MISMATCH (another rank makes another call), errors of recording, ADMPI_ERR_MPI, what made a
 *         body fail
 */
int32_t admpi_pmap_scatter(struct admpi_pmap *pmap,
                           const struct admpi_pmap_value *x,
                           int32_t dim,
                           const char *keys,
                           struct admpi_pmap_value **value_out);

/**
 * Copies a matrix to each device of a node. Each copy is a value of its own. The adjoint is a reduction.
 * @param pmap            an engine
 * @param x               one value
 * @param keys            as for admpi_pmap_scatter
 * @param[out] value_out  the copies; free them with admpi_pmap_value_free
 * @return as admpi_pmap_scatter
 */
int32_t admpi_pmap_broadcast(struct admpi_pmap *pmap,
                             const struct admpi_pmap_value *x,
                             const char *keys,
                             struct admpi_pmap_value **value_out);

/**
 * Joins blocks of rows or columns, in the order of their node, on the device whose body this is. The adjoint is a scatter.
 * @param pmap            an engine
 * @param xs              a value on each device of a node
 * @param dim             0: blocks of rows, 1: of columns
 * @param[out] value_out  the matrix; free it with admpi_pmap_value_free
 * @return as admpi_pmap_scatter
 */
int32_t admpi_pmap_gather(struct admpi_pmap *pmap,
                          const struct admpi_pmap_value *xs,
                          int32_t dim,
                          struct admpi_pmap_value **value_out);

/**
 * Adds matrices up, on the device whose body this is. The adjoint is a broadcast.
 * @param pmap            an engine
 * @param xs              a value on each device of a node, all of one shape
 * @param[out] value_out  the sum; free it with admpi_pmap_value_free
 * @return as admpi_pmap_scatter
 */
int32_t admpi_pmap_reduce(struct admpi_pmap *pmap,
                          const struct admpi_pmap_value *xs,
                          struct admpi_pmap_value **value_out);

/**
 * Adds matrices up, on each of their devices. The adjoint is the same. Each sum is a value of its own: seed one of them.
 * @param pmap            an engine
 * @param xs              a value on each device of a node, all of one shape
 * @param[out] value_out  the sums; free them with admpi_pmap_value_free
 * @return as admpi_pmap_scatter
 */
int32_t admpi_pmap_allreduce(struct admpi_pmap *pmap,
                             const struct admpi_pmap_value *xs,
                             struct admpi_pmap_value **value_out);

/**
 * Takes one of the matrices of a tuple. Nothing is sent. The adjoint goes to the matrix taken, and zero to the others.
 * @param pmap            an engine
 * @param xs              a value on each device of a node
 * @param device          which; -1: the device whose body this is
 * @param[out] value_out  the matrix; free it with admpi_pmap_value_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_PLACEMENT (the device is not among them), what made a body fail
 */
int32_t admpi_pmap_select(struct admpi_pmap *pmap,
                          const struct admpi_pmap_value *xs,
                          int64_t device,
                          struct admpi_pmap_value **value_out);

/**
 * Says why a body fails. It then returns what this function does.
 * @param message  the text of the error
 * @return ADMPI_ERR_CALLBACK, ADMPI_ERR_NULL
 */
int32_t admpi_pmap_fail(const char *message);

/**
 * Runs a body for each device of a node. Each rank runs at most one iteration, that for its device or one above it, and
 * goes on at once. An iteration that fails does not fail this call: the next one that needs its results does, on all its
 * ranks, and those that wait in the body for the rank that failed get the error, too.
 * @param pmap              an engine
 * @param variable          the name of the device variable that the body's keys may use
 * @param fn                the body
 * @param payload           handed to the body
 * @param xs                `n_xs` values, on each device of one node; the body gets the ones of its device
 * @param n_xs              how many, at least 1
 * @param n_values          how many values the body returns
 * @param[out] values_out   `n_values` values on each device of that node; free them with admpi_pmap_value_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_ARITY (no values, or on different devices),
 *         ADMPI_ERR_PLACEMENT, ADMPI_ERR_MPI
 */
int32_t admpi_pmap_run(struct admpi_pmap *pmap,
                       const char *variable,
                       admpi_pmap_fn fn,
                       void *payload,
                       const struct admpi_pmap_value *const *xs,
                       int64_t n_xs,
                       int64_t n_values,
                       struct admpi_pmap_value **values_out);

/**
 * Runs a function on the ranks: device k is the rank that the engine says. The tape records what each rank does, so that one sweep on
 * all ranks gives the derivatives by the inputs. Collective over the engine's ranks, outside of bodies. First the ranks
 * compare their functions. All ranks get the first failure of any, and the next call works.
 * @param pmap             an engine
 * @param program          a function, the same on all ranks
 * @param xs               `n_xs` values on the function's root, which is that of the engine: its inputs
 * @param n_xs             how many
 * @param n_values         how many values the function gives: admpi_pmap_program_count
 * @param[out] values_out  `n_values` values on the root; free them with admpi_pmap_value_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (an operation refuses its operands), ADMPI_ERR_ARITY,
 *         ADMPI_ERR_PLACEMENT (not on the root, or within a body), ADMPI_ERR_SHAPE, ADMPI_ERR_MISMATCH (ranks have different
 *         functions), ADMPI_ERR_LIMIT (more than 128 inputs), errors of the device map as for admpi_pmap_simulate, errors of
 *         recording, ADMPI_ERR_MPI
 */
int32_t admpi_pmap_execute(struct admpi_pmap *pmap,
                           const admpi_pmap_program *program,
                           const struct admpi_pmap_value *const *xs,
                           int64_t n_xs,
                           int64_t n_values,
                           struct admpi_pmap_value **values_out);

/**
 * Measures what the ranks of a communicator can do: operations on the first, and messages between the first two, by programs that
 * they execute. It takes about a second. Collective. Nothing is recorded.
 * @param comm               an intracommunicator
 * @param[out] topology_out  for admpi_pmap_simulate, the same on all ranks; the memory is not limited
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_MEMORY, ADMPI_ERR_MPI
 */
int32_t admpi_pmap_calibrate(MPI_Comm comm,
                             admpi_pmap_topology *topology_out);

/**
 * Lets all ranks learn whether one of them has failed. Collective over the engine's ranks, outside of bodies. Call it at the end
 * of a program: a rank that has no part in a call does not learn that it failed. After it the next program may begin, whatever
 * happened before.
 * @param pmap     an engine
 * @param code     0, or the code of this rank's failure
 * @param message  its text; NULL: that of admpi_last_error
 * @return ADMPI_SUCCESS if all passed 0; the first code otherwise, with its message; ADMPI_ERR_NULL, ADMPI_ERR_MPI
 */
int32_t admpi_pmap_agree(struct admpi_pmap *pmap,
                         int32_t code,
                         const char *message);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_PMAP_RANKS_H */
