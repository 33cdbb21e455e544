/* Generated from src/capi/one_sided.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_ONE_SIDED_H
#define ADMPI_ONE_SIDED_H

#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/request.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * MPI_Accumulate. Combines items with those of another rank's window. Of active data it is carried out where the
 * epoch ends, by AMPI_Win_fence or AMPI_Win_complete; under a lock at once.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed when the epoch has ended
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param op               MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX or MPI_REPLACE for active data; MPI_MINLOC or MPI_MAXLOC for AMPI_ADOUBLE_INT
 * @param win              a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Accumulate(const void *origin_addr,
                    int origin_count,
                    MPI_Datatype origin_datatype,
                    int target_rank,
                    MPI_Aint target_disp,
                    int target_count,
                    MPI_Datatype target_datatype,
                    MPI_Op op,
                    MPI_Win win);

/**
 * AMPI_Accumulate with counts past 2^31.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed when the epoch has ended
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param op               MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX or MPI_REPLACE for active data; MPI_MINLOC or MPI_MAXLOC for AMPI_ADOUBLE_INT
 * @param win              a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Accumulate_c(const void *origin_addr,
                      MPI_Count origin_count,
                      MPI_Datatype origin_datatype,
                      int target_rank,
                      MPI_Aint target_disp,
                      MPI_Count target_count,
                      MPI_Datatype target_datatype,
                      MPI_Op op,
                      MPI_Win win);

/**
 * MPI_Fetch_and_op. Reads an item of another rank's window, and combines another with it. Of active data it is
 * carried out where the epoch ends, by AMPI_Win_fence; under a lock at once.
 * @param origin_addr       an item, unless `op` is MPI_NO_OP
 * @param[out] result_addr  room for the item at the target as it was before
 * @param datatype          AMPI_ADOUBLE for active data
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the item is in its window, in its displacement units
 * @param op                MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE or MPI_NO_OP for active data
 * @param win               a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Fetch_and_op(const void *origin_addr,
                      void *result_addr,
                      MPI_Datatype datatype,
                      int target_rank,
                      MPI_Aint target_disp,
                      MPI_Op op,
                      MPI_Win win);

/**
 * MPI_Get. Reads items of another rank's window. Active data arrive where the epoch ends, by AMPI_Win_fence or
 * AMPI_Win_complete; under a lock by AMPI_Win_flush or AMPI_Win_unlock.
 * @param[out] origin_addr  room for `origin_count` items; has its values and ids when the epoch has ended
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param win               a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Get(void *origin_addr,
             int origin_count,
             MPI_Datatype origin_datatype,
             int target_rank,
             MPI_Aint target_disp,
             int target_count,
             MPI_Datatype target_datatype,
             MPI_Win win);

/**
 * AMPI_Get with counts past 2^31.
 * @param[out] origin_addr  room for `origin_count` items; has its values and ids when the epoch has ended
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param win               a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Get_c(void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win);

/**
 * MPI_Get_accumulate. Reads items of another rank's window, and combines others with them. Of active data it is
 * carried out where the epoch ends, by AMPI_Win_fence; under a lock at once.
 * @param origin_addr       `origin_count` items of `origin_datatype`, unless `op` is MPI_NO_OP
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param[out] result_addr  room for the items at the target as they were before
 * @param result_count      number of items in it
 * @param result_datatype   active if `target_datatype` is
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param op                MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE or MPI_NO_OP for active data
 * @param win               a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Get_accumulate(const void *origin_addr,
                        int origin_count,
                        MPI_Datatype origin_datatype,
                        void *result_addr,
                        int result_count,
                        MPI_Datatype result_datatype,
                        int target_rank,
                        MPI_Aint target_disp,
                        int target_count,
                        MPI_Datatype target_datatype,
                        MPI_Op op,
                        MPI_Win win);

/**
 * AMPI_Get_accumulate with counts past 2^31.
 * @param origin_addr       `origin_count` items of `origin_datatype`, unless `op` is MPI_NO_OP
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param[out] result_addr  room for the items at the target as they were before
 * @param result_count      number of items in it
 * @param result_datatype   active if `target_datatype` is
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param op                MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE or MPI_NO_OP for active data
 * @param win               a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Get_accumulate_c(const void *origin_addr,
                          MPI_Count origin_count,
                          MPI_Datatype origin_datatype,
                          void *result_addr,
                          MPI_Count result_count,
                          MPI_Datatype result_datatype,
                          int target_rank,
                          MPI_Aint target_disp,
                          MPI_Count target_count,
                          MPI_Datatype target_datatype,
                          MPI_Op op,
                          MPI_Win win);

/**
 * MPI_Put. Replaces items of another rank's window. Of active data it is carried out where the epoch ends, by
 * AMPI_Win_fence or AMPI_Win_complete; under a lock at once.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed when the epoch has ended
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param win              a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Put(const void *origin_addr,
             int origin_count,
             MPI_Datatype origin_datatype,
             int target_rank,
             MPI_Aint target_disp,
             int target_count,
             MPI_Datatype target_datatype,
             MPI_Win win);

/**
 * AMPI_Put with counts past 2^31.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed when the epoch has ended
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param win              a window for active data, or of any data for passive ones
 * @return an MPI code, raised on `win`
 */
int AMPI_Put_c(const void *origin_addr,
               MPI_Count origin_count,
               MPI_Datatype origin_datatype,
               int target_rank,
               MPI_Aint target_disp,
               MPI_Count target_count,
               MPI_Datatype target_datatype,
               MPI_Win win);

/**
 * MPI_Raccumulate. As AMPI_Accumulate, under a lock. The buffer at the origin may be changed on return.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed on return
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param op               MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX or MPI_REPLACE for active data; MPI_MINLOC or MPI_MAXLOC for AMPI_ADOUBLE_INT
 * @param win              a window for active data that is locked, or of any data for passive ones
 * @param[out] request     to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Raccumulate(const void *origin_addr,
                     int origin_count,
                     MPI_Datatype origin_datatype,
                     int target_rank,
                     MPI_Aint target_disp,
                     int target_count,
                     MPI_Datatype target_datatype,
                     MPI_Op op,
                     MPI_Win win,
                     AMPI_Request *request);

/**
 * AMPI_Raccumulate with counts past 2^31.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed on return
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param op               MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX or MPI_REPLACE for active data; MPI_MINLOC or MPI_MAXLOC for AMPI_ADOUBLE_INT
 * @param win              a window for active data that is locked, or of any data for passive ones
 * @param[out] request     to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Raccumulate_c(const void *origin_addr,
                       MPI_Count origin_count,
                       MPI_Datatype origin_datatype,
                       int target_rank,
                       MPI_Aint target_disp,
                       MPI_Count target_count,
                       MPI_Datatype target_datatype,
                       MPI_Op op,
                       MPI_Win win,
                       AMPI_Request *request);

/**
 * MPI_Rget. As AMPI_Get, under a lock.
 * @param[out] origin_addr  room for `origin_count` items; has its values and ids when the request is complete
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param win               a window for active data that is locked, or of any data for passive ones
 * @param[out] request      to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Rget(void *origin_addr,
              int origin_count,
              MPI_Datatype origin_datatype,
              int target_rank,
              MPI_Aint target_disp,
              int target_count,
              MPI_Datatype target_datatype,
              MPI_Win win,
              AMPI_Request *request);

/**
 * AMPI_Rget with counts past 2^31.
 * @param[out] origin_addr  room for `origin_count` items; has its values and ids when the request is complete
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param win               a window for active data that is locked, or of any data for passive ones
 * @param[out] request      to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Rget_c(void *origin_addr,
                MPI_Count origin_count,
                MPI_Datatype origin_datatype,
                int target_rank,
                MPI_Aint target_disp,
                MPI_Count target_count,
                MPI_Datatype target_datatype,
                MPI_Win win,
                AMPI_Request *request);

/**
 * MPI_Rget_accumulate. As AMPI_Get_accumulate, under a lock, where it is carried out at once.
 * @param origin_addr       `origin_count` items of `origin_datatype`, unless `op` is MPI_NO_OP
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param[out] result_addr  room for the items at the target as they were before
 * @param result_count      number of items in it
 * @param result_datatype   active if `target_datatype` is
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param op                MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE or MPI_NO_OP for active data
 * @param win               a window for active data that is locked, or of any data for passive ones
 * @param[out] request      to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Rget_accumulate(const void *origin_addr,
                         int origin_count,
                         MPI_Datatype origin_datatype,
                         void *result_addr,
                         int result_count,
                         MPI_Datatype result_datatype,
                         int target_rank,
                         MPI_Aint target_disp,
                         int target_count,
                         MPI_Datatype target_datatype,
                         MPI_Op op,
                         MPI_Win win,
                         AMPI_Request *request);

/**
 * AMPI_Rget_accumulate with counts past 2^31.
 * @param origin_addr       `origin_count` items of `origin_datatype`, unless `op` is MPI_NO_OP
 * @param origin_count      number of items at the origin
 * @param origin_datatype   AMPI_ADOUBLE or a type built from it for active data
 * @param[out] result_addr  room for the items at the target as they were before
 * @param result_count      number of items in it
 * @param result_datatype   active if `target_datatype` is
 * @param target_rank       the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp       where the items begin in its window, in its displacement units
 * @param target_count      number of items at the target
 * @param target_datatype   active if `origin_datatype` is; its items have as many active doubles
 * @param op                MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE or MPI_NO_OP for active data
 * @param win               a window for active data that is locked, or of any data for passive ones
 * @param[out] request      to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Rget_accumulate_c(const void *origin_addr,
                           MPI_Count origin_count,
                           MPI_Datatype origin_datatype,
                           void *result_addr,
                           MPI_Count result_count,
                           MPI_Datatype result_datatype,
                           int target_rank,
                           MPI_Aint target_disp,
                           MPI_Count target_count,
                           MPI_Datatype target_datatype,
                           MPI_Op op,
                           MPI_Win win,
                           AMPI_Request *request);

/**
 * MPI_Rput. As AMPI_Put, under a lock. The buffer at the origin may be changed on return.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed on return
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param win              a window for active data that is locked, or of any data for passive ones
 * @param[out] request     to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Rput(const void *origin_addr,
              int origin_count,
              MPI_Datatype origin_datatype,
              int target_rank,
              MPI_Aint target_disp,
              int target_count,
              MPI_Datatype target_datatype,
              MPI_Win win,
              AMPI_Request *request);

/**
 * AMPI_Rput with counts past 2^31.
 * @param origin_addr      `origin_count` items of `origin_datatype`; may be changed on return
 * @param origin_count     number of items at the origin
 * @param origin_datatype  AMPI_ADOUBLE or a type built from it for active data
 * @param target_rank      the rank whose window is accessed, or MPI_PROC_NULL
 * @param target_disp      where the items begin in its window, in its displacement units
 * @param target_count     number of items at the target
 * @param target_datatype  active if `origin_datatype` is; its items have as many active doubles
 * @param win              a window for active data that is locked, or of any data for passive ones
 * @param[out] request     to be completed by an AMPI_ call, while the same tape is current
 * @return an MPI code, raised on `win`
 */
int AMPI_Rput_c(const void *origin_addr,
                MPI_Count origin_count,
                MPI_Datatype origin_datatype,
                int target_rank,
                MPI_Aint target_disp,
                MPI_Count target_count,
                MPI_Datatype target_datatype,
                MPI_Win win,
                AMPI_Request *request);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_ONE_SIDED_H */
