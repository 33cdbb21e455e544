/* Windows. Their name and their calls. */
#ifndef ADMPI_ADJOINABLE_WINDOW_H
#define ADMPI_ADJOINABLE_WINDOW_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

int AMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, AMPI_Win *win);
int AMPI_Win_free(AMPI_Win *win);
int AMPI_Win_fence(int assert, AMPI_Win win);
int AMPI_Put(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
             int target_count, MPI_Datatype target_datatype, AMPI_Win win);
int AMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
             int target_count, MPI_Datatype target_datatype, AMPI_Win win);
int AMPI_Accumulate(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                    int target_count, MPI_Datatype target_datatype, MPI_Op op, AMPI_Win win);

#ifdef __cplusplus
}
#endif

#endif
