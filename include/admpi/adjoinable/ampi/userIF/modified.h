/* The calls as programs make them before they are differentiated. */
#ifndef ADMPI_ADJOINABLE_MODIFIED_H
#define ADMPI_ADJOINABLE_MODIFIED_H

#include "calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/** MPI_Init, and the library's own beginning. Collective over all processes. */
int AMPI_Init(int *argc, char ***argv);
/** MPI_Finalize; the arguments are not used. */
int AMPI_Finalize(int *argc, char ***argv);
int AMPI_Buffer_attach(void *buffer, int size);
int AMPI_Buffer_detach(void *buffer, int *size);
int AMPI_Wait(AMPI_Request *request, MPI_Status *status);
int AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status *statuses);
int AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status);
int AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
int AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status);
int AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status *statuses);
int AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status);
int AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
int AMPI_Awaitall(int count, AMPI_Request requests[], MPI_Status *statuses);
int AMPI_Barrier(MPI_Comm comm);
/* Communicators that these make may carry active data. */
int AMPI_Comm_dup(MPI_Comm comm, MPI_Comm *dupComm);
int AMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *dupComm);
int AMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *dupComm);
int AMPI_Comm_free(MPI_Comm *comm);

#ifdef __cplusplus
}
#endif

#endif
