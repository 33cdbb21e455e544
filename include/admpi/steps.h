/* Generated from src/capi/steps.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_STEPS_H
#define ADMPI_STEPS_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

/**
 * The call reads the numbers.
 */
#define ADMPI_STEP_READ 1

/**
 * The call writes the numbers.
 */
#define ADMPI_STEP_WRITTEN 2

/**
 * The numbers are floats, not doubles.
 */
#define ADMPI_STEP_FLOAT 4

/**
 * The adjoints are where admpi_step_turn tells, not where admpi_step_reverse does.
 */
#define ADMPI_STEP_TURNED 8

/**
 * A message takes the numbers from where they lie, or brings them there. Of aligned doubles in a row that are read or written, not both;
 * the call is made with the datatype of admpi_detail_numbers_type.
 */
#define ADMPI_STEP_LENT 16

/**
 * An item is a double.
 */
#define ADMPI_STEP_ITEM_DOUBLE -1

/**
 * An item is a float.
 */
#define ADMPI_STEP_ITEM_FLOAT -2

/**
 * A part of an item is of doubles.
 */
#define ADMPI_STEP_PART_DOUBLE 0

/**
 * A part of an item is of floats.
 */
#define ADMPI_STEP_PART_FLOAT 1

/**
 * A part of an item is of bytes that are no numbers.
 */
#define ADMPI_STEP_PART_BYTES 2

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a step: until it is closed the thread's companion tape is its current tape, and records. A step is one call of
 * communication with numbers of another AD tool's. See docs/tools.md.
 * @param call  the name of the call, a static string
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (another step is open), ADMPI_ERR_THREAD
 */
int32_t admpi_step_open(const char *call);

/**
 * Gives the numbers of the next argument of the call as active values, which the call is made with. Those that it reads
 * have fresh ids; what it writes is copied to the numbers when the call is complete.
 * @param name             the name of the argument, a static string
 * @param numbers          `n` numbers, which stay there until the call is complete
 * @param n                how many
 * @param flags            sum of ADMPI_STEP_READ, ADMPI_STEP_WRITTEN, ADMPI_STEP_FLOAT and ADMPI_STEP_TURNED
 * @param[out] values_out  `n` active values, until the call is complete
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT, ADMPI_ERR_NEST (no step is open), ADMPI_ERR_IDS,
 *         ADMPI_ERR_MEMORY, ADMPI_ERR_LIMIT
 */
int32_t admpi_step_argument(const char *name,
                            void *numbers,
                            int64_t n,
                            int32_t flags,
                            admpi_var **values_out);

/**
 * Describes items which are not one number each, as structures are. Of the same shape another time the number is the same.
 * @param offsets        where each part begins, in bytes behind the item's address
 * @param lengths        how many numbers, or bytes, each part has
 * @param kinds          of each part ADMPI_STEP_PART_DOUBLE, ADMPI_STEP_PART_FLOAT or ADMPI_STEP_PART_BYTES
 * @param n              how many parts
 * @param extent         bytes from one item to the next
 * @param[out] item_out  a number for the calls below
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (a kind or length, or an item without numbers)
 */
int32_t admpi_step_item(const int64_t *offsets,
                        const int64_t *lengths,
                        const int32_t *kinds,
                        int64_t n,
                        int64_t extent,
                        int64_t *item_out);

/**
 * Tells which numbers of an item have adjoints, or tangents, in items of another shape: in the same order if there are as
 * many; else that item has all doubles, or all floats.
 * @param item        an item
 * @param other       one of adjoints or tangents
 * @param[out] at_out of each number of the item its place in the other, or -1
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (an item was not described, or the shapes do not fit)
 */
int32_t admpi_step_match(int64_t item,
                         int64_t other,
                         int64_t *at_out);

/**
 * As admpi_step_argument, of items that admpi_step_item has described.
 * @param name             the name of the argument, a static string
 * @param base             `n` items, which stay there until the call is complete
 * @param n                how many items
 * @param item             of admpi_step_item, or ADMPI_STEP_ITEM_DOUBLE or ADMPI_STEP_ITEM_FLOAT
 * @param flags            sum of ADMPI_STEP_READ, ADMPI_STEP_WRITTEN, ADMPI_STEP_TURNED and ADMPI_STEP_LENT
 * @param[out] values_out  of each item its numbers as active values, and behind them, in whole places of 16 bytes, its bytes
 *                         that are no numbers; where they are lent what the call is made with
 * @return as for admpi_step_argument
 */
int32_t admpi_step_items(const char *name,
                         void *base,
                         int64_t n,
                         int64_t item,
                         int32_t flags,
                         void **values_out);

/**
 * Closes the step of a call that is complete, or has failed. The thread's tape is again the one before.
 * @param failed  whether the call failed: nothing is written, and the step is forgotten
 * @return ADMPI_SUCCESS, ADMPI_ERR_NEST (no step is open)
 */
int32_t admpi_step_close(int32_t failed);

/**
 * Closes the step of a call that was started, which another step will complete.
 * @param handle           the request of the call
 * @param[out] number_out  its number, from 0 on, for the calls below; the numbers of complete calls are used again
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NEST (no step is open)
 */
int32_t admpi_step_close_started(void *handle,
                                 int64_t *number_out);

/**
 * Returns the request of a call that was started on this thread and is not complete.
 * @param number           its number
 * @param[out] handle_out  the request
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (there is no such call)
 */
int32_t admpi_step_started(int64_t number, void **handle_out);

/**
 * The call that the open step was to complete is complete: its numbers are written.
 * @param number  the number of the call
 * @return ADMPI_SUCCESS, ADMPI_ERR_ARGUMENT (there is no such call), ADMPI_ERR_NEST (no step is open)
 */
int32_t admpi_step_completed(int64_t number);

/**
 * Tells where the adjoints of numbers are that a step has completed, such as those of a receive. This is for all steps that
 * are recorded now, until the last of them is reversed.
 * @param numbers  the numbers
 * @param bytes    how many bytes; 0: all of every argument that begins at `numbers`
 * @param adjoint  their adjoints
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_step_turn(const void *numbers,
                        int64_t bytes,
                        void *adjoint);

/**
 * Reverses the thread's last step and forgets it: takes the adjoints of what the call wrote, and adds to those of what it
 * read. Collective over the ranks that communicated in it, as far as the adjoint communication is.
 * @param call       the name of the call, as it was opened
 * @param adjoint    for each argument its adjoints, of which there are as many and of the same format
 * @param n          how many arguments
 * @param completed  the adjoints of what the call completed, if that was one argument; NULL: see admpi_step_turn
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_RANGE (the last step is another one, or there is none),
 *         ADMPI_ERR_ARGUMENT (nobody told where adjoints are), ADMPI_ERR_NEST (a step is open), and as for
 *         admpi_tape_reverse_range
 */
int32_t admpi_step_reverse(const char *call,
                           void *const *adjoint,
                           int64_t n,
                           void *completed);

/**
 * As admpi_step_reverse, where adjoints may lie otherwise than the numbers, and their counts are compared.
 * @param call       the name of the call, as it was opened
 * @param adjoint    for each argument its adjoints
 * @param items      for each argument how its adjoints lie: of admpi_step_item, ADMPI_STEP_ITEM_DOUBLE or
 *                   ADMPI_STEP_ITEM_FLOAT. NULL: as the numbers
 * @param counts     for each argument how many such items there are; -1: as many. NULL: as many of all
 * @param n          how many arguments
 * @param completed  the adjoints of what the call completed, if that was one argument; NULL: see admpi_step_turn
 * @return as for admpi_step_reverse; ADMPI_ERR_ARGUMENT where a count is not that of the numbers
 */
int32_t admpi_step_reverse_items(const char *call,
                                 void *const *adjoint,
                                 const int64_t *items,
                                 const int64_t *counts,
                                 int64_t n,
                                 void *completed);

/**
 * Returns how many steps of this thread are recorded, and what its companion tape holds.
 * @param[out] statistics_out  what the tape holds
 * @param[out] steps_out       how many steps; may be NULL
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_step_statistics(admpi_statistics *statistics_out, int64_t *steps_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_STEPS_H */
