/* admpi: C functions under their old names. They do the same, and -Wdeprecated-declarations tells the new names. They will
 * be removed in version 0.2. */
#ifndef ADMPI_DEPRECATED_H
#define ADMPI_DEPRECATED_H

#include "admpi/arrays.h"
#include "admpi/tape.h"
#if ADMPI_HAVE_MPI
#include "admpi/ampi.h"
#include "admpi/user_ops.h"
#endif

/* Says which function to call instead. src/shim/deprecated.c, which defines the old names, needs no telling. */
#ifndef ADMPI_RENAMED
#define ADMPI_RENAMED(name) __attribute__((deprecated("call " #name)))
#endif

#ifdef __cplusplus
extern "C" {
#endif

int32_t admpi_tape_width(admpi_tape *tape, int32_t width) ADMPI_RENAMED(admpi_tape_set_width);

/* Of the headers alone, whose calls stand in programs; so are most of those below. */
int32_t admpi_tape_activate_abi(admpi_tape *tape, uint32_t abi, admpi_tape **previous_out)
    ADMPI_RENAMED(admpi_detail_tape_activate);
int32_t admpi_tape_grow(admpi_tape *tape, uint32_t n) ADMPI_RENAMED(admpi_detail_tape_grow);
int32_t admpi_tape_check(const admpi_tape *tape, const admpi_var *operand) ADMPI_RENAMED(admpi_detail_tape_check);
void admpi_tape_fail(admpi_tape *tape, int32_t code) ADMPI_RENAMED(admpi_detail_tape_fail);
int32_t admpi_array_fresh(int64_t rows, int64_t cols, const admpi_varmat *like, admpi_varmat **a_out)
    ADMPI_RENAMED(admpi_detail_array_fresh);
int32_t admpi_array_record(const admpi_view *part, const admpi_varmat *carried, const admpi_operand *operand, int64_t n,
                           admpi_kernel fn, const void *payload, size_t payload_size)
    ADMPI_RENAMED(admpi_detail_array_record);

#if ADMPI_HAVE_MPI
int admpi_seed_replicated(admpi_tape *tape, MPI_Comm comm, admpi_var y, double weight, int direction)
    ADMPI_RENAMED(admpi_tape_seed_replicated);
int admpi_abandon_sweep(admpi_tape *tape, MPI_Comm comm) ADMPI_RENAMED(admpi_tape_abandon_sweep);

int admpi_mpi_init(int *argc, char ***argv, const admpi_mpi_sizes *sizes) ADMPI_RENAMED(admpi_detail_mpi_init);
int admpi_mpi_init_thread(int *argc, char ***argv, int required, int *provided, const admpi_mpi_sizes *sizes)
    ADMPI_RENAMED(admpi_detail_mpi_init_thread);
int admpi_init_abi(MPI_Comm comm, const admpi_mpi_sizes *sizes) ADMPI_RENAMED(admpi_detail_init);
int admpi_check_buffer(const char *call, int content, MPI_Datatype datatype, MPI_Comm comm)
    ADMPI_RENAMED(admpi_detail_check_buffer);
int admpi_bundle_type(MPI_Datatype part, MPI_Datatype *type_out) ADMPI_RENAMED(admpi_detail_bundle_parts_type);
int admpi_detail_bundle_type(MPI_Datatype part, MPI_Datatype *type_out) ADMPI_RENAMED(admpi_detail_bundle_parts_type);
int admpi_pair_type(MPI_Datatype part, int64_t extent, MPI_Datatype *type_out) ADMPI_RENAMED(admpi_detail_pair_type);
int admpi_bundle_buffer(const char *call, MPI_Datatype scalar, MPI_Datatype datatype, MPI_Comm comm,
                        MPI_Datatype *datatype_out) ADMPI_RENAMED(admpi_detail_bundle_buffer);
int admpi_bundle_buffers(const char *call, MPI_Datatype scalar, int peers, const int *counts,
                         const MPI_Datatype *datatypes, MPI_Comm comm, const MPI_Datatype **datatypes_out)
    ADMPI_RENAMED(admpi_detail_bundle_buffers);
int admpi_bundle_buffers_c(const char *call, MPI_Datatype scalar, int peers, const MPI_Count *counts,
                           const MPI_Datatype *datatypes, MPI_Comm comm, const MPI_Datatype **datatypes_out)
    ADMPI_RENAMED(admpi_detail_bundle_buffers_c);
int admpi_refuse(const char *call, const char *why, MPI_Comm comm) ADMPI_RENAMED(admpi_detail_refuse);
int admpi_op_has_adjoint(MPI_Op op) ADMPI_RENAMED(admpi_detail_op_has_adjoint);
#endif

#ifdef __cplusplus
}
#endif

#undef ADMPI_RENAMED

#endif
