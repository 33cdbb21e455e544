/* Regions of a program, which a profile tells apart: admpi/profile.h. Where no tape is profiled, a region costs one load,
 * and so it does on a thread without a tape. */
#ifndef ADMPI_REGION_H
#define ADMPI_REGION_H

#include "admpi/codes.h"
#include "admpi/profile.h"
#include "admpi/var.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How many tapes are profiled. For the inline functions. */
extern int admpi_detail_regions;

/** Begins a region on the thread's current tape, inside the one that is open.
 *  @param name  its name, which is copied
 *  @return as admpi_tape_region_begin */
static inline int admpi_region_begin(const char *name) {
  if (admpi_detail_regions == 0 || admpi_tls_tape->next_id == 0) return ADMPI_SUCCESS; /* 0: the thread has no tape */
  return admpi_tape_region_begin(admpi_tls_tape, name);
}

/** Ends the innermost region on the thread's current tape.
 *  @param name  its name
 *  @return as admpi_tape_region_end */
static inline int admpi_region_end(const char *name) {
  if (admpi_detail_regions == 0 || admpi_tls_tape->next_id == 0) return ADMPI_SUCCESS;
  return admpi_tape_region_end(admpi_tls_tape, name);
}

/** Ends the region of a source line, which admpi_at began, and passes on the code of the call that stood there. */
static inline int admpi_detail_end_line(int code) {
  if (admpi_detail_regions != 0 && admpi_tls_tape->next_id != 0) admpi_detail_line_end(admpi_tls_tape);
  return code;
}

#ifdef __cplusplus
}
#endif

#endif
