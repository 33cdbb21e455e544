/* admpi: C functions under the names that they had first. They do the same, and a program that calls one is told the new name
 * by -Wdeprecated-declarations. They go away in version 0.2. */
#ifndef ADMPI_DEPRECATED_H
#define ADMPI_DEPRECATED_H

#include "admpi/tape.h"

/* Says which function to call instead. src/shim/deprecated.c, which defines the old names, needs no telling. */
#ifndef ADMPI_RENAMED
#define ADMPI_RENAMED(name) __attribute__((deprecated("call " #name)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

int32_t admpi_tape_width(admpi_tape *tape, int32_t width) ADMPI_RENAMED(admpi_tape_set_width);

#ifdef __cplusplus
}
#endif

#undef ADMPI_RENAMED

#endif
