/* admpi: adjoint MPI and a tape for reverse-mode differentiation. The one header to include.
 *
 * C and C++ get everything. Fortran (`#include <admpi.h>` in .F90 and .F) gets the preprocessor constants;
 * its interfaces come from the module admpi. Compilers of Fortran are known by their own macros because
 * some preprocess with a C preprocessor; for one that is not known, define ADMPI_FORTRAN. */
#ifndef ADMPI_H
#define ADMPI_H

#include "admpi/interface.h"
#ifndef ADMPI_IS_FORTRAN
#include "admpi/ops.h"
#include "admpi/kernels.h"
#endif

#endif
