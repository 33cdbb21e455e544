/* The active datatypes' variables, and the numbers of the MPI in use that are enumerators or macros. The
 * variables are defined here because C compilers reach exported data through the GOT, as a program that took
 * a copy of it needs. */
#include <mpi.h>

MPI_Datatype AMPI_ADOUBLE = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_ADOUBLE_INT = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_VARMAT = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_VIEW = MPI_DATATYPE_NULL;

void admpi_shim_set_adouble(MPI_Datatype type) { AMPI_ADOUBLE = type; }
void admpi_shim_set_adouble_int(MPI_Datatype type) { AMPI_ADOUBLE_INT = type; }
void admpi_shim_set_varmat(MPI_Datatype type) { AMPI_VARMAT = type; }
void admpi_shim_set_view(MPI_Datatype type) { AMPI_VIEW = type; }

/* Mirrored by `mpi::raw::Constants`. */
const struct {
  const void *in_place;
  int proc_null, any_source, any_tag, undefined, order_c, order_fortran;
  int err_other, err_in_status, err_pending, err_comm, err_arg, err_request, err_count, err_truncate;
  int ident, max_error_string;
  int named, dup, contiguous, vector, hvector, indexed, hindexed, indexed_block, hindexed_block, structure,
      subarray, darray, resized;
  int distribute_none, distribute_block, distribute_cyclic, distribute_dflt_darg;
} admpi_shim_constants = {
    MPI_IN_PLACE,
    MPI_PROC_NULL, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_UNDEFINED, MPI_ORDER_C, MPI_ORDER_FORTRAN,
    MPI_ERR_OTHER, MPI_ERR_IN_STATUS, MPI_ERR_PENDING, MPI_ERR_COMM, MPI_ERR_ARG, MPI_ERR_REQUEST, MPI_ERR_COUNT,
    MPI_ERR_TRUNCATE,
    MPI_IDENT, MPI_MAX_ERROR_STRING,
    MPI_COMBINER_NAMED, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR, MPI_COMBINER_HVECTOR,
    MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
    MPI_COMBINER_STRUCT, MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_RESIZED,
    MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG,
};
