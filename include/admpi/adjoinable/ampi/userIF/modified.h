/* The calls as programs make them before they are differentiated. */
#ifndef ADMPI_ADJOINABLE_MODIFIED_H
#define ADMPI_ADJOINABLE_MODIFIED_H

#include "calls.h"
#include "nt.h"
#include "window.h"

#ifdef __cplusplus
extern "C" {
#endif

/** MPI_Init, and the library's own beginning. Collective over all processes. */
int AMPI_Init(int *argc, char ***argv);
/** MPI_Finalize; the arguments are not used, and programs leave them out. */
int AMPI_Finalize(int *argc, char ***argv);
#define AMPI_Finalize(...) AMPI_Finalize_NT()
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
/** Does nothing: it marks where the adjoint waits, and its requests need not be any. */
int AMPI_Awaitall(int count, AMPI_Request requests[], MPI_Status *statuses);
int AMPI_Barrier(MPI_Comm comm);
/* Communicators that these make may carry active data. */
int AMPI_Comm_dup(MPI_Comm comm, MPI_Comm *dupComm);
int AMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *dupComm);
int AMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *dupComm);
int AMPI_Comm_free(MPI_Comm *comm);
int AMPI_Cart_create(MPI_Comm comm, int ndims, int dims[], int periods[], int reorder, MPI_Comm *cartComm);
int AMPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, int sources[], int sourceweights[], int outdegree,
                                    int destinations[], int destweights[], MPI_Info info, int reorder, MPI_Comm *graphComm);
int AMPI_Intercomm_create(MPI_Comm localComm, int localLeader, MPI_Comm peerComm, int remoteLeader, int tag, MPI_Comm *interComm);
/* Datatypes and operations are MPI's. */
int AMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype *newtype);
int AMPI_Type_create_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *newtype);
int AMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype);
int AMPI_Type_commit(MPI_Datatype *datatype);
int AMPI_Type_free(MPI_Datatype *datatype);
int AMPI_Op_create(MPI_User_function *function, int commute, MPI_Op *op);
int AMPI_Op_free(MPI_Op *op);

#ifdef __cplusplus
}
#endif

#endif
