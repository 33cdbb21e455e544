/* How arguments go from Fortran 77 to C and back. */
#ifndef ADMPI_ADJOINABLE_FORTRAN_H
#define ADMPI_ADJOINABLE_FORTRAN_H

#include "runtime.h"

/* MPI_IN_PLACE and MPI_BOTTOM have other addresses in Fortran. */
void *adjoinable_buffer(void *buffer);
/* The function of an operation of the user's; generated code passes anything for one of MPI's. */
TLM_userFunctionF *adjoinable_function(MPI_Fint op, TLM_userFunctionF *function);
/* MPI_STATUS_IGNORE stays as it is. */
void adjoinable_status_c2f(const MPI_Status *status, MPI_Fint *to);
/* Of MPI's requests and of the library's. */
MPI_Fint adjoinable_request_c2f(AMPI_Request request);
AMPI_Request adjoinable_request_f2c(MPI_Fint request);

#endif
