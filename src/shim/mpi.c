/* What mpi-sys leaves out because it is a macro in mpi.h: sentinels and handles of the MPI in use. Rust
 * asks for them here, so no value of either MPI is written down anywhere. */
#include <mpi.h>
#include <stddef.h>

/* Pointers that no buffer may be confused with: compare them before forming a slice. */
void *admpi_shim_in_place(void) { return MPI_IN_PLACE; }
void *admpi_shim_bottom(void) { return MPI_BOTTOM; }
int *admpi_shim_unweighted(void) { return MPI_UNWEIGHTED; }
int *admpi_shim_weights_empty(void) { return MPI_WEIGHTS_EMPTY; }
int *admpi_shim_errcodes_ignore(void) { return MPI_ERRCODES_IGNORE; }
char **admpi_shim_argv_null(void) { return MPI_ARGV_NULL; }

#define DATATYPE(name) \
  MPI_Datatype admpi_shim_type_##name(void) { return MPI_##name; }
DATATYPE(BYTE)
DATATYPE(PACKED)
DATATYPE(CHAR)
DATATYPE(SHORT)
DATATYPE(INT)
DATATYPE(LONG)
DATATYPE(LONG_LONG)
DATATYPE(UNSIGNED)
DATATYPE(UNSIGNED_LONG)
DATATYPE(FLOAT)
DATATYPE(DOUBLE)
DATATYPE(AINT)
DATATYPE(OFFSET)
DATATYPE(COUNT)
DATATYPE(FLOAT_INT)
DATATYPE(DOUBLE_INT)
DATATYPE(LONG_INT)
DATATYPE(2INT)

#define OPERATION(name) \
  MPI_Op admpi_shim_op_##name(void) { return MPI_##name; }
OPERATION(SUM)
OPERATION(PROD)
OPERATION(MIN)
OPERATION(MAX)
OPERATION(MINLOC)
OPERATION(MAXLOC)
OPERATION(LAND)
OPERATION(LOR)
OPERATION(LXOR)
OPERATION(BAND)
OPERATION(BOR)
OPERATION(BXOR)
OPERATION(REPLACE)
OPERATION(NO_OP)
OPERATION(OP_NULL)
