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
 * @param out_adjoint  `n_out*width` doubles, the directions of a result side by side
 * @param in_adjoint   `n_in*width` doubles, zero on entry: to be set to what is added to the operands' adjoints
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
 * The library's version.
 * @return a static string, "major.minor.patch"
 */
const char *admpi_version(void);

/**
 * The calling thread's last error message.
 * @return a string that is valid until the thread's next failing call; "" before the first
 */
const char *admpi_last_error(void);

/**
 * Turns the checking of operands on or off, as ADMPI_CHECK=1 does, for tapes made from now on.
 * Call it before other threads record.
 * @param on  0 or 1
 * @return ADMPI_SUCCESS
 */
int32_t admpi_set_check(int32_t on);

/**
 * Makes a tape. It takes no memory before it is used, and is not yet the thread's current one.
 * @param[out] tape_out  the tape; free it with admpi_tape_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_tape_new(admpi_tape **tape_out);

/**
 * Frees a tape. If it is the calling thread's current one, the thread has none afterwards. A tape that
 * runs a callback or a destructor of the user's is not freed there: admpi_last_error says so.
 * @param tape  NULL is fine
 */
void admpi_tape_free(admpi_tape *tape);

/**
 * Makes a tape the calling thread's current one. `admpi_tape_activate` passes the header's number.
 * @param tape               NULL: the thread has none from now on
 * @param abi                ADMPI_TAPE_ABI
 * @param[out] previous_out  the current tape until now, or NULL; may itself be NULL
 * @return ADMPI_SUCCESS, ADMPI_ERR_ABI, ADMPI_ERR_THREAD (the tape is active on another thread)
 */
int32_t admpi_detail_tape_activate(admpi_tape *tape, uint32_t abi, admpi_tape **previous_out);

/**
 * Starts or resumes recording.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_start(admpi_tape *tape);

/**
 * Stops recording: results are passive until it starts again.
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
 * Gives out consecutive ids for inputs; the caller writes them, and the tape's tag, into its values.
 * @param n                   number of inputs
 * @param[out] first_id_out   the first of `n` ids
 * @return as admpi_tape_input
 */
int32_t admpi_tape_input_ids(admpi_tape *tape, int64_t n, uint32_t *first_id_out);

/**
 * Sets how many directions a sweep propagates. A change clears the adjoints.
 * @param width  1, 2, 4, 8 or 16
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT,
 *         ADMPI_ERR_NEST (a change in a callback of a sweep, or in a nest where adjoints outside would be lost),
 *         ADMPI_ERR_RANGE (a change while a partial sweep has messages under way)
 */
int32_t admpi_tape_set_width(admpi_tape *tape,
                             int32_t width);

/**
 * Adds to the adjoint of a result.
 * @param y          a value of this tape; a passive one is ignored, and in checking mode refused unless weight is 0
 * @param weight     what is added
 * @param direction  0 up to the width
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT, ADMPI_ERR_STALE,
 *         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_seed(admpi_tape *tape,
                        admpi_var y,
                        double weight,
                        int32_t direction);

/**
 * Lets the adjoint of an intermediate value outlive the sweep; it gathers over sweeps, as inputs do.
 * @param y  a value of this tape; a passive one is ignored
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_STALE
 */
int32_t admpi_tape_keep(admpi_tape *tape, admpi_var y);

/**
 * Sweeps from the top of the tape to its bottom, or to the base of the innermost nest. Afterwards
 * inputs and kept values hold adjoints, all others are zero. Collective over all ranks that
 * communicated in between. In a callback of another sweep of the tape, only what was recorded since that
 * one began may be swept; open a nest for it.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY,
 *         ADMPI_ERR_STALE (a statement has an operand of another tape; clear the adjoints),
 *         ADMPI_ERR_ARGUMENT (nothing was seeded, in checking mode),
 *         ADMPI_ERR_NEST (a callback swept what is being swept, left a nest open, or used a value that was made
 *         after the operation it reverses),
 *         ADMPI_ERR_MISMATCH (the ranks do not have the same messages and collectives on record),
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
 * @param x                 an input, a kept value, or one that no sweep has passed: the adjoint of any other is 0, and
 *                          in checking mode an error
 * @param direction         0 up to the width
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
 * @param direction         0 up to the width
 * @param[out] adjoint_out  `n` doubles
 * @return as admpi_tape_adjoint
 */
int32_t admpi_tape_adjoints(const admpi_tape *tape,
                            const admpi_var *x,
                            int64_t n,
                            int32_t direction,
                            double *adjoint_out);

/**
 * Zeroes all adjoints, those of inputs and kept values included; in an isolated nest, those of values made
 * in it.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_NEST (in a callback of a sweep, not in an isolated nest opened there)
 */
int32_t admpi_tape_clear_adjoints(admpi_tape *tape);

/**
 * Empties the tape; its memory is kept for the next recording, its values are stale.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_NEST (a nest is open, or a sweep is under way),
 *         ADMPI_ERR_RANGE (a partial sweep left messages under way)
 */
int32_t admpi_tape_reset(admpi_tape *tape);

/**
 * Where the tape stands.
 * @param[out] position_out  the position
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_position(const admpi_tape *tape, admpi_position *position_out);

/**
 * Goes back to a position: values made since are stale.
 * @param position  not below the base of the innermost nest, nor below where a sweep under way began, nor below
 *                  where a partial sweep has to go on
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_RANGE
 */
int32_t admpi_tape_reset_to(admpi_tape *tape,
                            const admpi_position *position);

/**
 * Opens a nest: what is recorded from now on is swept alone, and forgotten when it is recovered. Its sweeps add to
 * the adjoints of the values from outside that it uses, and a later sweep outside it takes these further. In a callback
 * of a sweep such values must be older than the operation that is being reversed; that sweep takes them further.
 * @param flags          0, or ADMPI_NEST_ISOLATED: values from outside are constants, and their adjoints left alone
 * @param[out] nest_out  what admpi_tape_recover_nested must be given
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_tape_start_nested(admpi_tape *tape,
                                int32_t flags,
                                admpi_nest *nest_out);

/**
 * Closes the innermost nest and forgets what was recorded in it. Recording is on or off as it was
 * when the nest was opened.
 * @param nest  that of the innermost open nest, opened after a sweep that is under way
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST,
 *         ADMPI_ERR_RANGE (a partial sweep left messages under way)
 */
int32_t admpi_tape_recover_nested(admpi_tape *tape, admpi_nest nest);

/**
 * Registers a destructor that runs when this place of the tape is forgotten, newest first.
 * @param fn       the destructor; it cannot use the tape, on which all calls return ADMPI_ERR_NEST
 * @param payload  its argument; NULL is fine
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_on_recover(admpi_tape *tape, void (*fn)(void *payload), void *payload);

/**
 * Records an operation with the user's own reverse function.
 * @param in             `n_in` operands, active or not; NULL if none
 * @param n_in           number of operands
 * @param value          `n_out` results
 * @param n_out          number of results; 0 makes a function that is called as the sweep passes
 * @param fn             the reverse function
 * @param payload        its data
 * @param payload_size   bytes of payload to copy into the tape; 0 keeps the pointer as it is
 * @param[out] y_out     `n_out` active results, passive when the tape does not record; NULL if none. It may be the
 *                       operands' own memory
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
 * What the tape holds.
 * @param[out] statistics_out  counts and bytes
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_statistics(const admpi_tape *tape, admpi_statistics *statistics_out);

/**
 * Sets what the tape may commit. What it has committed stays.
 * @param bytes  0: the process's default, 90 % of the memory, shared by the ranks of the node
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE
 */
int32_t admpi_tape_set_limit(admpi_tape *tape, uint64_t bytes);

/**
 * Gives memory that is not in use back to the system.
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
