/* Generated from src/capi/profile.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_PROFILE_H
#define ADMPI_PROFILE_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

/**
 * What a tape did, by region; or several tapes, one on each rank.
 */
typedef struct admpi_profile admpi_profile;

/**
 * A number on several ranks. In a profile of one rank all three are the same.
 */
typedef struct admpi_profile_spread {
  double least;
  double mean;
  double most;
} admpi_profile_spread;

/**
 * What was done in a region, without the regions inside it.
 */
typedef struct admpi_profile_row {
  /**
   * Its name, behind those that it is in: "step/advection". It lives as long as the profile.
   */
  const char *region;
  /**
   * How often it was entered.
   */
  struct admpi_profile_spread count;
  /**
   * Statements recorded. What is recorded again, as in a time loop, counts again.
   */
  struct admpi_profile_spread statements;
  /**
   * Events recorded: messages, operations on matrices and the like.
   */
  struct admpi_profile_spread events;
  /**
   * Bytes recorded, without adjoints.
   */
  struct admpi_profile_spread bytes;
  /**
   * The time spent outside of sweeps.
   */
  struct admpi_profile_spread recording_seconds;
  /**
   * The time that sweeps spent on what was recorded there.
   */
  struct admpi_profile_spread sweep_seconds;
} admpi_profile_row;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Turns the profile of a tape on or off. From then on the tape counts what each region records, and measures its time and that
 * of its sweeps. Turning it on forgets what was counted before; regions that are open stay so. Turned off, it can still be read.
 * @param on  0 or 1
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST (in a callback of a sweep)
 */
int32_t admpi_tape_set_profile(admpi_tape *tape,
                               int32_t on);

/**
 * Begins a region of a tape, inside the one that is open. Without a profile it has no effect. A program calls
 * admpi_region_begin, which costs less where there is no profile. A region that begins in a nest, or in a callback of a sweep,
 * must end there.
 * @param name  its name, which is copied. Regions of one name in one region count as one
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (an empty name), ADMPI_ERR_NEST (the tape waits
 *         for the jobs of a map, or runs its destructors), ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_tape_region_begin(admpi_tape *tape,
                                const char *name);

/**
 * Ends the innermost region of a tape. Without a profile it has no effect.
 * @param name  its name
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (an empty name), ADMPI_ERR_NEST (the innermost open
 *         region has another name, began outside this nest or callback, or there is none), ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 *         (the region has ended all the same)
 */
int32_t admpi_tape_region_end(admpi_tape *tape,
                              const char *name);

/**
 * Ends the region of a source line, if one is open. For the macros of admpi/lines.h.
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_NEST, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_detail_line_end(admpi_tape *tape);

/**
 * Reads the profile of a tape, which goes on. What stands outside of all regions is the region "(outside)".
 * @param[out] profile_out  the profile as it is now; free it with admpi_profile_free
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_NO_TAPE, ADMPI_ERR_ARGUMENT (the tape has never been profiled)
 */
int32_t admpi_tape_profile(admpi_tape *tape,
                           struct admpi_profile **profile_out);

/**
 * Frees a profile.
 * @param profile  NULL is fine
 */
void admpi_profile_free(struct admpi_profile *profile);

/**
 * Tells the size of a profile.
 * @param[out] ranks_out  of how many ranks it is
 * @param[out] rows_out   how many regions it has
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL
 */
int32_t admpi_profile_size(const struct admpi_profile *profile, int64_t *ranks_out, int64_t *rows_out);

/**
 * Reads a row of a profile. The rows are in the order in which the regions were entered first.
 * @param row           its number, from 0
 * @param[out] row_out  the row
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_profile_read(const struct admpi_profile *profile,
                           int64_t row,
                           struct admpi_profile_row *row_out);

/**
 * Prints a profile to a text: the regions whose sweeps take the longest, the sum of the others, and the sum of all. In a profile
 * of several ranks the numbers are means, and the sweeps' least and most follow.
 * @param most           how many regions; 0: all
 * @param[out] text_out  the text, which lives until the next call with this profile
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (most < 0)
 */
int32_t admpi_profile_table(struct admpi_profile *profile,
                            int64_t most,
                            const char **text_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_PROFILE_H */
