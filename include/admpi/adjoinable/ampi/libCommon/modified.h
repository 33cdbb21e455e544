/* The calls forwards (FW_) and backwards (BW_), as generated code makes them. See docs/tools.md. */
#ifndef ADMPI_ADJOINABLE_LIBCOMMON_MODIFIED_H
#define ADMPI_ADJOINABLE_LIBCOMMON_MODIFIED_H

#include "../userIF/window.h"
#include "sweeps.h"

#ifdef __cplusplus
extern "C" {
#endif

int FW_AMPI_Wait(AMPI_Request *request, MPI_Status *status);
/** The adjoints of what FW_AMPI_Wait received are where ADTOOL_AMPI_Turn told. */
int BW_AMPI_Wait(AMPI_Request *request, MPI_Status *status);
int FW_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status *statuses);
int BW_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status *statuses);
/* Of those whose answer was that nothing is complete, too: a step for each call. */
int FW_AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status);
int BW_AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status);
int FW_AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
int BW_AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
int FW_AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status);
int BW_AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status);
int FW_AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status *statuses);
int BW_AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status *statuses);
int FW_AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status);
int BW_AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status);
int FW_AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
int BW_AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
/** Completes a TLS_ call: numbers and tangents have arrived. */
int TLS_AMPI_Wait(AMPI_Request *request, MPI_Status *status);
int TLS_AMPI_Wait_ST(AMPI_Request *request, void *buf, void *bufd, MPI_Status *status);
int TLS_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status *statuses);
int TLS_AMPI_Waitany(int count, AMPI_Request requests[], int *index, MPI_Status *status);
int TLS_AMPI_Waitsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
int TLS_AMPI_Test(AMPI_Request *request, int *flag, MPI_Status *status);
int TLS_AMPI_Testall(int count, AMPI_Request requests[], int *flag, MPI_Status *statuses);
int TLS_AMPI_Testany(int count, AMPI_Request requests[], int *index, int *flag, MPI_Status *status);
int TLS_AMPI_Testsome(int incount, AMPI_Request requests[], int *outcount, int indices[], MPI_Status *statuses);
int TLS_AMPI_Barrier(MPI_Comm comm);
/** Completes a TLM_ call. */
int TLM_AMPI_Wait(AMPI_Request *request, MPI_Status *status);
int TLM_AMPI_Waitall(int count, AMPI_Request requests[], MPI_Status *statuses);
int TLM_AMPI_Barrier(MPI_Comm comm);
int FW_AMPI_Barrier(MPI_Comm comm);
int BW_AMPI_Barrier(MPI_Comm comm);

/* Windows of doubles. The adjoints of a window's memory, and of what FW_AMPI_Get brings, are where ADTOOL_AMPI_Turn told. */
int FW_AMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, AMPI_Win *win);
int FW_AMPI_Win_free(AMPI_Win *win);
int FW_AMPI_Win_fence(int assert, AMPI_Win win);
int FW_AMPI_Put(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win);
int FW_AMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win);
int FW_AMPI_Accumulate(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       int target_count, MPI_Datatype target_datatype, MPI_Op op, AMPI_Win win);
int BW_AMPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, AMPI_Win *win);
int BW_AMPI_Win_free(AMPI_Win *win);
int BW_AMPI_Win_fence(int assert, AMPI_Win win);
int BW_AMPI_Put(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win);
int BW_AMPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                int target_count, MPI_Datatype target_datatype, AMPI_Win win);
int BW_AMPI_Accumulate(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       int target_count, MPI_Datatype target_datatype, MPI_Op op, AMPI_Win win);

#ifdef __cplusplus
}
#endif

#endif
