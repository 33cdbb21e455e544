/* The exported twins of the inline C operators, for languages that cannot inline C. */
#define ADMPI_INLINE
#include "admpi/ops.h"
