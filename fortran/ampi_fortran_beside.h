/* For ampi_pass.c: what ampi_beside.c defines. */
#ifndef ADMPI_AMPI_FORTRAN_BESIDE_H
#define ADMPI_AMPI_FORTRAN_BESIDE_H

#include <mpi.h>

/** MPI's own procedure where AMPI_CONVERSION_FN_NULL is given, which is told by its address; else the argument. */
void *fortran_function(void *function);

/** Raises the error that the MPI in use has no such call, for the reason `why`; sets `ierror`, an integer. */
void fortran_lacks(const char *call, const char *why, void *ierror);

#endif
