/* AMPI_Init, AMPI_Init_thread and admpi_init as functions of the library, for what cannot use the inline ones of the header:
 * Fortran, Rust, dlsym. They tell of another MPI that is loaded, and nothing of the caller's compilation. */
#define ADMPI_INIT_FUNCTION
#include "admpi/init.h"
