/* Calls outside of what is differentiated. */
#ifndef ADMPI_ADJOINABLE_NT_H
#define ADMPI_ADJOINABLE_NT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** See AMPI_Init. */
int AMPI_Init_NT(int *argc, char ***argv);
int AMPI_Finalize_NT(void);
int AMPI_Buffer_attach_NT(void *buffer, int size);
int AMPI_Buffer_detach_NT(void *buffer, int *size);
int AMPI_Comm_dup_NT(MPI_Comm comm, MPI_Comm *dupComm);
int AMPI_Comm_split_NT(MPI_Comm comm, int color, int key, MPI_Comm *dupComm);
int AMPI_Comm_create_NT(MPI_Comm comm, MPI_Group group, MPI_Comm *dupComm);
int AMPI_Comm_free_NT(MPI_Comm *comm);

#ifdef __cplusplus
}
#endif

#endif
