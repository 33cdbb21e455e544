/* AMPI_Wait for tools that know the buffer. */
#ifndef ADMPI_ADJOINABLE_ST_H
#define ADMPI_ADJOINABLE_ST_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** AMPI_Wait; `buf` is the buffer of the call that the request started. */
int AMPI_Wait_ST(AMPI_Request *request, void *buf, MPI_Status *status);

#ifdef __cplusplus
}
#endif

#endif
