/* Generated from src/capi/tape.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_TAPE_H
#define ADMPI_TAPE_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

/**
 * The reverse function of a callback.
 * @param n_out        number of results
 * @param n_in         number of operands
 * @param width        directions of the sweep
 * @param out_adjoint  `n_out*width` doubles; the directions of a result are adjacent
 * @param in_adjoint   `n_in*width` doubles, zero on entry: set them to what is added to the operands' adjoints
 * @param payload      the copy in the arena, or the pointer given at recording
 * @return 0, or any other number: the sweep ends with ADMPI_ERR_CALLBACK
 */
typedef int32_t (*admpi_reverse_fn)(int64_t n_out,
                                    int64_t n_in,
                                    int32_t width,
                                    const double *out_adjoint,
                                    double *in_adjoint,
                                    void *payload);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the library's version.
 * @return a static string, "major.minor.patch"
 */
const char *admpi_version(void);

/**
 * Returns the calling thread's last error message.
 * @return a string that is valid until the thread's next failing call; "" before the first
 */
const char *admpi_last_error(void);

/**
 * Sets the calling thread's last error message: for what is checked outside the library, in the Fortran modules.
 * @param code  an error code
 * @param text  the message, which names the call and the values
 * @return `code`, or ADMPI_ERR_ARGUMENT if there is no such code
 */
int32_t admpi_detail_refuse_call(int32_t code,
                                 const char *text);

/**
 * Turns checking mode on or off, like ADMPI_CHECK=1, for tapes made from now on. Call it before other threads record.
 * @param on  0 or 1
 * @return ADMPI_SUCCESS
 */
int32_t admpi_set_check(int32_t on);

/**
 * Makes a tape. It takes no memory before it is used, and does not become the thread's current tape.
 * @param[out] tape_out  the tape; free it with admpi_tape_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_DISK (the file of ADMPI_TRACE cannot be written)
 */
int32_t admpi_tape_new(admpi_tape **tape_out);

/**
 * Frees a tape. If it is the calling thread's current one, the thread has none afterwards. A tape cannot be freed while it
 * runs a user's callback or destructor; admpi_last_error then says so.
 * @param tape  NULL is fine
 */
void admpi_tape_free(admpi_tape *tape);

/**
 * Makes a tape the calling thread's current one. `admpi_tape_activate` passes the header's number.
 * @param tape               NULL: the thread has none from now on
 * @param abi                ADMPI_TAPE_ABI
 * @param[out] previous_out  the previous current tape, or NULL; may itself be NULL
 * @return ADMPI_SUCCESS, ADMPI_ERR_ABI, ADMPI_ERR_THREAD (the tape is active on another thread)
 */
int32_t admpi_detail_tape_activate(admpi_tape *tape, uint32_t abi, admpi_tape **previous_out);

/**
 * Starts or resumes recording.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_start(admpi_tape *tape);

/**
 * Stops recording: results are passive until recording starts again.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_stop(admpi_tape *tape);

/**
 * Declares inputs.
 * @param value       `n` doubles
 * @param n           number of inputs
 * @param[out] x_out  `n` active values; must not overlap value
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (n < 0),
 *         ADMPI_ERR_NOT_RECORDING, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_input(admpi_tape *tape, const double *value, int64_t n, admpi_var *x_out);

/**
 * Reserves consecutive ids for inputs. The caller writes the ids, and the tape's tag, into its values.
 * @param n                   number of inputs
 * @param[out] first_id_out   the first of `n` ids
 * @return as admpi_tape_input
 */
int32_t admpi_tape_input_ids(admpi_tape *tape, int64_t n, uint32_t *first_id_out);

/**
 * Sets the number of directions of a sweep. A change clears the adjoints.
 * @param width  1, 2, 4, 8 or 16
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT,
 *         ADMPI_ERR_NEST (a change in a callback of a sweep, or in a nest where adjoints outside would be lost),
 *         ADMPI_ERR_RANGE (a change while a partial sweep has messages in flight)
 */
int32_t admpi_tape_set_width(admpi_tape *tape,
                             int32_t width);

/**
 * Adds to the adjoint of a result.
 * @param y          a value of this tape; a passive value is ignored, or refused in checking mode unless weight is 0
 * @param weight     what is added
 * @param direction  from 0, below the width
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE,
 *         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_seed(admpi_tape *tape,
                        admpi_var y,
                        double weight,
                        int32_t direction);

/**
 * Keeps the adjoint of an intermediate value after a sweep. It accumulates over sweeps, like those of inputs.
 * @param y  a value of this tape; a passive one is ignored
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_STALE
 */
int32_t admpi_tape_keep(admpi_tape *tape, admpi_var y);

/**
 * Sweeps from the top of the tape to its bottom, or to the base of the innermost nest. Afterwards inputs and kept values
 * hold adjoints; all others are zero. Collective over all ranks that communicated in this range. In a callback of another
 * sweep of the tape, only what was recorded since that sweep began may be swept; open a nest for it.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY,
 *         ADMPI_ERR_STALE (a statement has an operand of another tape; clear the adjoints),
 *         ADMPI_ERR_ARGUMENT (nothing was seeded, in checking mode),
 *         ADMPI_ERR_NEST (a callback swept the range that is being swept, left a nest open, or used a value that was
 *         made after the operation it reverses),
 *         ADMPI_ERR_MISMATCH (the ranks did not record matching messages and collectives),
 *         ADMPI_ERR_CALLBACK, ADMPI_ERR_MPI, or the error that a C operator could not return
 */
int32_t admpi_tape_reverse(admpi_tape *tape);

/**
 * Sweeps from one position down to another.
 * @param from  the upper one
 * @param to    the lower one, not below the base of the innermost nest
 * @return as admpi_tape_reverse, and ADMPI_ERR_RANGE
 */
int32_t admpi_tape_reverse_range(admpi_tape *tape, const admpi_position *from, const admpi_position *to);

/**
 * Reads an adjoint.
 * @param x                 an input, a kept value, or a value that no sweep has passed: the adjoint of any other is 0, and an
 *                          error in checking mode
 * @param direction         from 0, below the width
 * @param[out] adjoint_out  the adjoint
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE
 */
int32_t admpi_tape_adjoint(const admpi_tape *tape,
                           admpi_var x,
                           int32_t direction,
                           double *adjoint_out);

/**
 * Reads the adjoints of several values.
 * @param x                 `n` values of this tape
 * @param n                 how many
 * @param direction         from 0, below the width
 * @param[out] adjoint_out  `n` doubles
 * @return as admpi_tape_adjoint
 */
int32_t admpi_tape_adjoints(const admpi_tape *tape,
                            const admpi_var *x,
                            int64_t n,
                            int32_t direction,
                            double *adjoint_out);

/**
 * Sets all adjoints to zero, including those of inputs and kept values. In an isolated nest, only those of values made in
 * it.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_NEST (in a callback of a sweep, unless in an isolated nest opened there)
 */
int32_t admpi_tape_clear_adjoints(admpi_tape *tape);

/**
 * Empties the tape. It keeps its memory for the next recording; its values become stale.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_NEST (a nest is open, or a sweep is running),
 *         ADMPI_ERR_RANGE (a partial sweep left messages in flight)
 */
int32_t admpi_tape_reset(admpi_tape *tape);

/**
 * Returns the tape's current position.
 * @param[out] position_out  the position
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_position(const admpi_tape *tape, admpi_position *position_out);

/**
 * Goes back to a position. Values made since become stale.
 * @param position  not below the base of the innermost nest, nor below where a running sweep began, nor below where a
 *                  partial sweep must continue
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_RANGE
 */
int32_t admpi_tape_reset_to(admpi_tape *tape,
                            const admpi_position *position);

/**
 * Opens a nest: what is recorded from now on is swept alone, and forgotten when the nest is recovered. Its sweeps add to
 * the adjoints of the values from outside that it uses; a later sweep outside propagates these. In a callback
 * of a sweep such values must be older than the operation that is being reversed; that sweep propagates their adjoints.
 * @param flags          0, or ADMPI_NEST_ISOLATED: values from outside are constants, and their adjoints do not change
 * @param[out] nest_out  the nest, for admpi_tape_recover_nested
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_tape_start_nested(admpi_tape *tape,
                                int32_t flags,
                                admpi_nest *nest_out);

/**
 * Closes the innermost nest and forgets what was recorded in it. Restores whether the tape recorded when the nest was
 * opened.
 * @param nest  the innermost open nest; if a sweep is running, a nest opened after it began
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST,
 *         ADMPI_ERR_RANGE (a partial sweep left messages in flight)
 */
int32_t admpi_tape_recover_nested(admpi_tape *tape,
                                  admpi_nest nest);

/**
 * Registers a destructor that runs when this place of the tape is forgotten, newest first.
 * @param fn       the destructor; it cannot use the tape: all calls on it return ADMPI_ERR_NEST
 * @param payload  its argument; NULL is fine
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_on_recover(admpi_tape *tape, void (*fn)(void *payload), void *payload);

/**
 * Records an operation with the user's own reverse function.
 * @param in             `n_in` operands, active or not; NULL if none
 * @param n_in           number of operands
 * @param value          `n_out` results
 * @param n_out          number of results; with 0 the function is only called when a sweep passes
 * @param fn             the reverse function
 * @param payload        its data
 * @param payload_size   bytes of payload to copy into the tape; 0 keeps the pointer itself
 * @param[out] y_out     `n_out` active results, passive if the tape does not record; NULL if none. May be the
 *                       memory of the operands
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_callback(admpi_tape *tape,
                            const admpi_var *in,
                            int64_t n_in,
                            const double *value,
                            int64_t n_out,
                            admpi_reverse_fn fn,
                            const void *payload,
                            size_t payload_size,
                            admpi_var *y_out);

/**
 * Records a value whose partial derivatives are known.
 * @param value       the value
 * @param operand     `n` operands, active or not
 * @param partial     `n` partial derivatives
 * @param n           how many
 * @param[out] y_out  the active value; passive if no operand is active or the tape does not record
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_precomputed(admpi_tape *tape,
                               double value,
                               const admpi_var *operand,
                               const double *partial,
                               int64_t n,
                               admpi_var *y_out);

/**
 * Counts what the tape holds.
 * @param[out] statistics_out  counts and bytes
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_statistics(const admpi_tape *tape, admpi_statistics *statistics_out);

/**
 * Sets the number of bytes that the tape may commit. Memory that it has committed stays.
 * @param bytes  0: the default of the process, 90 % of the memory, divided among the ranks of the node
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_set_limit(admpi_tape *tape, uint64_t bytes);

/**
 * Returns unused memory to the system.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_trim(admpi_tape *tape);

/**
 * For inline recorders: finds room for a statement of `n` arguments.
 * @param n  at most 254
 * @return 0: write the statement now; -1: not recording, the result is passive;
 *         ADMPI_ERR_NULL, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY: nothing may be written
 */
int32_t admpi_detail_tape_grow(admpi_tape *tape, uint32_t n);

/**
 * For inline recorders in checking mode, or on a thread without a tape: whether an operand may be used now.
 * @param operand  an active or passive value
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE (active, on a thread without a tape: in
 *         checking mode, or if the tape that made it records, whose next sweep fails then)
 */
int32_t admpi_detail_tape_check(const admpi_tape *tape,
                                const admpi_var *operand);

/**
 * For recorders that cannot return an error: the next sweep returns it, with the present message. It is
 * forgotten with the place of the tape where it occurred.
 * @param code  what admpi_detail_tape_grow or admpi_detail_tape_check returned; ADMPI_SUCCESS does nothing
 */
void admpi_detail_tape_fail(admpi_tape *tape, int32_t code);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_TAPE_H */
