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
/* The same, for tangent code: each communicator has a shadow, which ADTOOL_AMPI_getShadowComm tells. */
int TLS_AMPI_Comm_dup_NT(MPI_Comm comm, MPI_Comm *dupComm);
int TLS_AMPI_Comm_split_NT(MPI_Comm comm, int color, int key, MPI_Comm *dupComm);
int TLS_AMPI_Comm_create_NT(MPI_Comm comm, MPI_Group group, MPI_Comm *dupComm);
int TLS_AMPI_Comm_free_NT(MPI_Comm *comm);
int AMPI_Type_contiguous_NT(int count, MPI_Datatype oldtype, MPI_Datatype *newtype);
int AMPI_Type_create_struct_NT(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *newtype);
int AMPI_Type_create_resized_NT(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype);
int AMPI_Type_commit_NT(MPI_Datatype *datatype);
int AMPI_Type_free_NT(MPI_Datatype *datatype);
int AMPI_Op_create_NT(MPI_User_function *function, int commute, MPI_Op *op);
int AMPI_Op_free_NT(MPI_Op *op);

#ifdef __cplusplus
}
#endif

#endif
