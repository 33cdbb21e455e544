/* The functions of admpi/deprecated.h: programs that were built with the old names go on running. */
#define ADMPI_RENAMED(name)
#include "admpi/deprecated.h"

int32_t admpi_tape_width(admpi_tape *tape, int32_t width) { return admpi_tape_set_width(tape, width); }
