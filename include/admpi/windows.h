/* Generated from src/capi/windows.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_WINDOWS_H
#define ADMPI_WINDOWS_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Win_create. The window may be accessed with active data if `disp_unit` is 1, or 16 and more, on some rank whose
 * part has 16 bytes or more. The info key `admpi_active`, `true` or `false`, decides otherwise. MPI's own key
 * no_locks=true saves what locks need; without it, a sweep of what was recorded while the window lives is collective over its
 * ranks. Collective over `comm`.
 * @param base       memory, `admpi_var`s for active data
 * @param size       its length in bytes
 * @param disp_unit  bytes from one displacement to the next, such as sizeof(admpi_var)
 * @param info       hints, or MPI_INFO_NULL
 * @param comm       an intracommunicator
 * @param[out] win   the window
 * @return an MPI code, raised on `comm`
 */
int AMPI_Win_create(void *base,
                    MPI_Aint size,
                    int disp_unit,
                    MPI_Info info,
                    MPI_Comm comm,
                    MPI_Win *win);

/**
 * AMPI_Win_create with a displacement unit in 64 bits, as MPI-4 has it; it is at most INT_MAX.
 * @param base       memory, `admpi_var`s for active data
 * @param size       its length in bytes
 * @param disp_unit  bytes from one displacement to the next, such as sizeof(admpi_var)
 * @param info       hints, or MPI_INFO_NULL
 * @param comm       an intracommunicator
 * @param[out] win   the window
 * @return an MPI code, raised on `comm`
 */
int AMPI_Win_create_c(void *base,
                      MPI_Aint size,
                      MPI_Aint disp_unit,
                      MPI_Info info,
                      MPI_Comm comm,
                      MPI_Win *win);

/**
 * MPI_Win_allocate. For active data as AMPI_Win_create; then the memory holds zeros. Collective over `comm`.
 * @param size          length of the memory in bytes
 * @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
 * @param info          hints, or MPI_INFO_NULL
 * @param comm          an intracommunicator
 * @param[out] baseptr  the address of a pointer to the memory
 * @param[out] win      the window
 * @return an MPI code, raised on `comm`
 */
int AMPI_Win_allocate(MPI_Aint size,
                      int disp_unit,
                      MPI_Info info,
                      MPI_Comm comm,
                      void *baseptr,
                      MPI_Win *win);

/**
 * AMPI_Win_allocate with a displacement unit in 64 bits, as MPI-4 has it; it is at most INT_MAX.
 * @param size          length of the memory in bytes
 * @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
 * @param info          hints, or MPI_INFO_NULL
 * @param comm          an intracommunicator
 * @param[out] baseptr  the address of a pointer to the memory
 * @param[out] win      the window
 * @return an MPI code, raised on `comm`
 */
int AMPI_Win_allocate_c(MPI_Aint size,
                        MPI_Aint disp_unit,
                        MPI_Info info,
                        MPI_Comm comm,
                        void *baseptr,
                        MPI_Win *win);

/**
 * MPI_Win_allocate_shared. Processes of one node load and store each other's memory, but not its active values, whose ids mean
 * nothing to another tape. So the window is for active data only where the info key `admpi_active` is `true`, for calls such
 * as AMPI_Put and AMPI_Get; then the memory holds zeros. Collective over `comm`.
 * @param size          length of this rank's memory in bytes
 * @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
 * @param info          hints, or MPI_INFO_NULL
 * @param comm          an intracommunicator whose processes share memory
 * @param[out] baseptr  the address of a pointer to this rank's memory
 * @param[out] win      the window
 * @return an MPI code, raised on `comm`
 */
int AMPI_Win_allocate_shared(MPI_Aint size,
                             int disp_unit,
                             MPI_Info info,
                             MPI_Comm comm,
                             void *baseptr,
                             MPI_Win *win);

/**
 * AMPI_Win_allocate_shared with a displacement unit in 64 bits, as MPI-4 has it; it is at most INT_MAX.
 * @param size          length of this rank's memory in bytes
 * @param disp_unit     bytes from one displacement to the next, such as sizeof(admpi_var)
 * @param info          hints, or MPI_INFO_NULL
 * @param comm          an intracommunicator whose processes share memory
 * @param[out] baseptr  the address of a pointer to this rank's memory
 * @param[out] win      the window
 * @return an MPI code, raised on `comm`
 */
int AMPI_Win_allocate_shared_c(MPI_Aint size,
                               MPI_Aint disp_unit,
                               MPI_Info info,
                               MPI_Comm comm,
                               void *baseptr,
                               MPI_Win *win);

/**
 * MPI_Win_shared_query. On a window for active data only this rank's own memory is told: active values of another rank
 * mean nothing on this rank's tape. Local.
 * @param win             a window of AMPI_Win_allocate_shared
 * @param rank            whose memory, or MPI_PROC_NULL for that of the first rank that has any
 * @param[out] size       its length in bytes
 * @param[out] disp_unit  that rank's bytes from one displacement to the next
 * @param[out] baseptr    the address of a pointer to it
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_shared_query(MPI_Win win,
                          int rank,
                          MPI_Aint *size,
                          int *disp_unit,
                          void *baseptr);

/**
 * AMPI_Win_shared_query with a displacement unit in 64 bits, as MPI-4 has it.
 * @param win             a window of AMPI_Win_allocate_shared
 * @param rank            whose memory, or MPI_PROC_NULL for that of the first rank that has any
 * @param[out] size       its length in bytes
 * @param[out] disp_unit  that rank's bytes from one displacement to the next
 * @param[out] baseptr    the address of a pointer to it
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *baseptr);

/**
 * MPI_Win_create_dynamic. The window may be accessed with active data, unless the info key `admpi_active` is `false`.
 * Collective over `comm`.
 * @param info      hints, or MPI_INFO_NULL
 * @param comm      an intracommunicator
 * @param[out] win  the window
 * @return an MPI code, raised on `comm`
 */
int AMPI_Win_create_dynamic(MPI_Info info,
                            MPI_Comm comm,
                            MPI_Win *win);

/**
 * MPI_Win_attach. Local.
 * @param win   a window of AMPI_Win_create_dynamic
 * @param base  memory, `admpi_var`s for active data
 * @param size  its length in bytes
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_attach(MPI_Win win, void *base, MPI_Aint size);

/**
 * MPI_Win_detach. Local.
 * @param win   a window of AMPI_Win_create_dynamic
 * @param base  memory that was attached
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_detach(MPI_Win win, const void *base);

/**
 * MPI_Win_free. What was recorded on the window can still be reversed. Collective.
 * @param[in,out] win  MPI_WIN_NULL on return
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_free(MPI_Win *win);

/**
 * MPI_Win_fence. Carries out the operations on active data since the last one, unless `assert` says that there are none.
 * Collective.
 * @param assert  MPI_MODE_..., or 0
 * @param win     the window
 * @return an MPI code, raised on `win`; ADMPI_ERR_MISMATCH where one rank records and another does not
 */
int AMPI_Win_fence(int assert,
                   MPI_Win win);

/**
 * MPI_Win_start.
 * @param group   the ranks whose windows are going to be accessed
 * @param assert  MPI_MODE_NOCHECK, or 0
 * @param win     the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_start(MPI_Group group, int assert, MPI_Win win);

/**
 * MPI_Win_complete. Hands the operations on active data since AMPI_Win_start over to their targets; what they
 * got has its values and ids.
 * @param win  the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_complete(MPI_Win win);

/**
 * MPI_Win_post.
 * @param group   the ranks that are going to access this rank's window
 * @param assert  MPI_MODE_..., or 0
 * @param win     the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_post(MPI_Group group, int assert, MPI_Win win);

/**
 * MPI_Win_wait. Carries out the operations on active data of those who have accessed this rank's window.
 * @param win  the window
 * @return an MPI code, raised on `win`; ADMPI_ERR_MISMATCH where one rank records and another does not
 */
int AMPI_Win_wait(MPI_Win win);

/**
 * MPI_Win_test. As AMPI_Win_wait if all have completed their accesses.
 * @param win        the window
 * @param[out] flag  whether they have
 * @return an MPI code, raised on `win`; ADMPI_ERR_MISMATCH where one rank records and another does not
 */
int AMPI_Win_test(MPI_Win win, int *flag);

/**
 * MPI_Win_lock.
 * @param lock_type  MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE
 * @param rank       whose window
 * @param assert     MPI_MODE_NOCHECK, or 0
 * @param win        the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win);

/**
 * MPI_Win_lock_all.
 * @param assert  MPI_MODE_NOCHECK, or 0
 * @param win     the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_lock_all(int assert, MPI_Win win);

/**
 * MPI_Win_unlock. Completes this rank's operations on a rank's part, as AMPI_Win_flush does.
 * @param rank  whose window
 * @param win   the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_unlock(int rank, MPI_Win win);

/**
 * MPI_Win_unlock_all. Completes this rank's operations on all ranks' parts, as AMPI_Win_flush_all does.
 * @param win  the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_unlock_all(MPI_Win win);

/**
 * MPI_Win_flush. Completes this rank's operations on a rank's part, those on active data too: what they got has its values and
 * ids.
 * @param rank  whose window
 * @param win   the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_flush(int rank,
                   MPI_Win win);

/**
 * MPI_Win_flush_all. As AMPI_Win_flush, on all ranks' parts.
 * @param win  the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_flush_all(MPI_Win win);

/**
 * MPI_Win_flush_local. What operations on a rank's part got has its values and ids.
 * @param rank  whose window
 * @param win   the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_flush_local(int rank, MPI_Win win);

/**
 * MPI_Win_flush_local_all. As AMPI_Win_flush_local, on all ranks' parts.
 * @param win  the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_flush_local_all(MPI_Win win);

/**
 * MPI_Win_sync. What other ranks have put here under locks, and completed before this rank could learn of it, has ids of this
 * rank's tape. To be called after waiting for a flag in memory, before the values are used.
 * @param win  the window
 * @return an MPI code, raised on `win`
 */
int AMPI_Win_sync(MPI_Win win);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_WINDOWS_H */
