/* The active datatypes' variables, and the numbers of the MPI in use that are enumerators or macros. The
 * variables are defined here because C compilers reach exported data through the GOT, as a program that took
 * a copy of it needs. */
#include "admpi/ampi.h"

#include <mpi.h>
#include <stddef.h>

#include "layout.h"

LAID_OUT_admpi_mpi_statistics_t;

MPI_Datatype AMPI_ADOUBLE = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_ADOUBLE_INT = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_ADOUBLE_COMPLEX = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_AFLOAT = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_AFLOAT_INT = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_AFLOAT_COMPLEX = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_VARMAT = MPI_DATATYPE_NULL;

MPI_Datatype AMPI_VIEW = MPI_DATATYPE_NULL;

MPI_Datatype admpi_shim_numbers = MPI_DATATYPE_NULL;

/* As integers: Fortran's COMMON /ADMPIF_TYPES/. Its AMPI_VARMAT is AMPI_VIEW: an object of Fortran is a part of a matrix. */
MPI_Fint admpif_types_[6];

void admpi_shim_set_adouble(MPI_Datatype type) {
  AMPI_ADOUBLE = type;
  admpif_types_[0] = MPI_Type_c2f(type);
}
void admpi_shim_set_adouble_int(MPI_Datatype type) {
  AMPI_ADOUBLE_INT = type;
  admpif_types_[1] = MPI_Type_c2f(type);
}
void admpi_shim_set_tangents(MPI_Datatype plain, MPI_Datatype active) {
  admpif_types_[3] = MPI_Type_c2f(plain);
  admpif_types_[4] = MPI_Type_c2f(active);
}
void admpi_shim_set_adouble_complex(MPI_Datatype type) {
  AMPI_ADOUBLE_COMPLEX = type;
  admpif_types_[5] = MPI_Type_c2f(type);
}
void admpi_shim_set_afloat(MPI_Datatype type) { AMPI_AFLOAT = type; }
void admpi_shim_set_afloat_int(MPI_Datatype type) { AMPI_AFLOAT_INT = type; }
void admpi_shim_set_afloat_complex(MPI_Datatype type) { AMPI_AFLOAT_COMPLEX = type; }
void admpi_shim_set_varmat(MPI_Datatype type) { AMPI_VARMAT = type; }
void admpi_shim_set_numbers(MPI_Datatype type) { admpi_shim_numbers = type; }
void admpi_shim_set_view(MPI_Datatype type) {
  AMPI_VIEW = type;
  admpif_types_[2] = MPI_Type_c2f(type);
}

/* Mirrored by `mpi::raw::Constants`. */
typedef struct admpi_shim_constant_values {
  const void *in_place;
  int proc_null, any_source, any_tag, undefined, order_c, order_fortran;
  int err_other, err_in_status, err_pending, err_comm, err_arg, err_request, err_count, err_truncate;
  int ident, max_error_string;
  int named, dup, contiguous, vector, hvector, indexed, hindexed, indexed_block, hindexed_block, structure,
      subarray, darray, resized;
  int distribute_none, distribute_block, distribute_cyclic, distribute_dflt_darg;
} admpi_shim_constant_values;
LAID_OUT_admpi_shim_constant_values;

const admpi_shim_constant_values admpi_shim_constants = {
    .in_place = MPI_IN_PLACE,
    .proc_null = MPI_PROC_NULL,
    .any_source = MPI_ANY_SOURCE,
    .any_tag = MPI_ANY_TAG,
    .undefined = MPI_UNDEFINED,
    .order_c = MPI_ORDER_C,
    .order_fortran = MPI_ORDER_FORTRAN,
    .err_other = MPI_ERR_OTHER,
    .err_in_status = MPI_ERR_IN_STATUS,
    .err_pending = MPI_ERR_PENDING,
    .err_comm = MPI_ERR_COMM,
    .err_arg = MPI_ERR_ARG,
    .err_request = MPI_ERR_REQUEST,
    .err_count = MPI_ERR_COUNT,
    .err_truncate = MPI_ERR_TRUNCATE,
    .ident = MPI_IDENT,
    .max_error_string = MPI_MAX_ERROR_STRING,
    .named = MPI_COMBINER_NAMED,
    .dup = MPI_COMBINER_DUP,
    .contiguous = MPI_COMBINER_CONTIGUOUS,
    .vector = MPI_COMBINER_VECTOR,
    .hvector = MPI_COMBINER_HVECTOR,
    .indexed = MPI_COMBINER_INDEXED,
    .hindexed = MPI_COMBINER_HINDEXED,
    .indexed_block = MPI_COMBINER_INDEXED_BLOCK,
    .hindexed_block = MPI_COMBINER_HINDEXED_BLOCK,
    .structure = MPI_COMBINER_STRUCT,
    .subarray = MPI_COMBINER_SUBARRAY,
    .darray = MPI_COMBINER_DARRAY,
    .resized = MPI_COMBINER_RESIZED,
    .distribute_none = MPI_DISTRIBUTE_NONE,
    .distribute_block = MPI_DISTRIBUTE_BLOCK,
    .distribute_cyclic = MPI_DISTRIBUTE_CYCLIC,
    .distribute_dflt_darg = MPI_DISTRIBUTE_DFLT_DARG,
};
