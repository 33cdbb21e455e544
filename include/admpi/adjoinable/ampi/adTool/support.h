/* What generated code tells the library where the sweep turns round. */
#ifndef ADMPI_ADJOINABLE_SUPPORT_H
#define ADMPI_ADJOINABLE_SUPPORT_H

#include "../userIF/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The adjoints of each buffer that begins at `v` are at `vb`, for the calls made so far and not reversed. */
void ADTOOL_AMPI_Turn(void *v, void *vb);
/** The same for every buffer within `bytes` bytes from `v` on: its adjoints are as far behind `vb`. Not AdjoinableMPI's. */
void ADMPI_Turn_range(void *v, void *vb, MPI_Aint bytes);

/** Communicators for messages of tangents, each told for one of messages of numbers. The library's own tangents need none: these
 *  are for generated code that asks for them. MPI_COMM_WORLD has one from AMPI_Init on. Of a communicator that has none the answer is
 *  an error, and MPI_COMM_NULL. */
void ADTOOL_AMPI_addShadowComm(MPI_Comm comm, MPI_Comm dupComm);
MPI_Comm ADTOOL_AMPI_getShadowComm(MPI_Comm comm);
void ADTOOL_AMPI_delShadowComm(MPI_Comm comm);

#ifdef __cplusplus
}
#endif

#endif
