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

#ifdef __cplusplus
}
#endif

#endif
