/* MPI's calls under AMPI's names. */
#ifndef ADMPI_ADJOINABLE_PASSTHROUGH_H
#define ADMPI_ADJOINABLE_PASSTHROUGH_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

int AMPI_Comm_size(MPI_Comm comm, int *size);
int AMPI_Comm_rank(MPI_Comm comm, int *rank);
int AMPI_Get_processor_name(char *name, int *resultlen);
int AMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size);

#ifdef __cplusplus
}
#endif

#endif
