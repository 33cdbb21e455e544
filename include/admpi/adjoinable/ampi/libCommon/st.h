/* AMPI_Wait_ST forwards and backwards. */
#ifndef ADMPI_ADJOINABLE_LIBCOMMON_ST_H
#define ADMPI_ADJOINABLE_LIBCOMMON_ST_H

#include "../userIF/types.h"

#ifdef __cplusplus
extern "C" {
#endif

int FW_AMPI_Wait_ST(AMPI_Request *request, void *buf, MPI_Status *status);
/** `buf` is the adjoint buffer. */
int BW_AMPI_Wait_ST(AMPI_Request *request, void *buf, MPI_Status *status);

#ifdef __cplusplus
}
#endif

#endif
