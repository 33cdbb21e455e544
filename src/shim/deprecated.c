/* The functions of admpi/deprecated.h: programs that were built with the old names go on running. */
#define ADMPI_RENAMED(name)
#include "admpi/deprecated.h"

int32_t admpi_tape_width(admpi_tape *tape, int32_t width) { return admpi_tape_set_width(tape, width); }
int32_t admpi_tape_activate_abi(admpi_tape *tape, uint32_t abi, admpi_tape **previous_out) {
  return admpi_detail_tape_activate(tape, abi, previous_out);
}
int32_t admpi_tape_grow(admpi_tape *tape, uint32_t n) { return admpi_detail_tape_grow(tape, n); }
int32_t admpi_tape_check(const admpi_tape *tape, const admpi_var *operand) {
  return admpi_detail_tape_check(tape, operand);
}
void admpi_tape_fail(admpi_tape *tape, int32_t code) { admpi_detail_tape_fail(tape, code); }
int32_t admpi_array_fresh(int64_t rows, int64_t cols, const admpi_varmat *like, admpi_varmat **a_out) {
  return admpi_detail_array_fresh(rows, cols, like, a_out);
}
int32_t admpi_array_record(const admpi_view *part, const admpi_varmat *carried, const admpi_operand *operand, int64_t n,
                           admpi_kernel fn, const void *payload, size_t payload_size) {
  return admpi_detail_array_record(part, carried, operand, n, fn, payload, payload_size);
}

#if ADMPI_HAVE_MPI
int admpi_seed_replicated(admpi_tape *tape, MPI_Comm comm, admpi_var y, double weight, int direction) {
  return admpi_tape_seed_replicated(tape, comm, y, weight, direction);
}
int admpi_abandon_sweep(admpi_tape *tape, MPI_Comm comm) { return admpi_tape_abandon_sweep(tape, comm); }
int admpi_mpi_init(int *argc, char ***argv, const admpi_mpi_sizes *sizes) {
  return admpi_detail_mpi_init(argc, argv, sizes);
}
int admpi_mpi_init_thread(int *argc, char ***argv, int required, int *provided, const admpi_mpi_sizes *sizes) {
  return admpi_detail_mpi_init_thread(argc, argv, required, provided, sizes);
}
int admpi_init_abi(MPI_Comm comm, const admpi_mpi_sizes *sizes) { return admpi_detail_init(comm, sizes); }
int admpi_check_buffer(const char *call, int content, MPI_Datatype datatype, MPI_Comm comm) {
  return admpi_detail_check_buffer(call, content, datatype, comm);
}
int admpi_bundle_type(MPI_Datatype part, MPI_Datatype *type_out) {
  return admpi_detail_bundle_parts_type(part, 2, type_out);
}
int admpi_detail_bundle_type(MPI_Datatype part, MPI_Datatype *type_out) {
  return admpi_detail_bundle_parts_type(part, 2, type_out);
}
int admpi_pair_type(MPI_Datatype part, int64_t extent, MPI_Datatype *type_out) {
  return admpi_detail_pair_type(part, extent, type_out);
}
int admpi_bundle_buffer(const char *call, MPI_Datatype scalar, MPI_Datatype datatype, MPI_Comm comm,
                        MPI_Datatype *datatype_out) {
  return admpi_detail_bundle_buffer(call, scalar, datatype, comm, datatype_out);
}
int admpi_bundle_buffers(const char *call, MPI_Datatype scalar, int peers, const int *counts,
                         const MPI_Datatype *datatypes, MPI_Comm comm, const MPI_Datatype **datatypes_out) {
  return admpi_detail_bundle_buffers(call, scalar, peers, counts, datatypes, comm, datatypes_out);
}
int admpi_bundle_buffers_c(const char *call, MPI_Datatype scalar, int peers, const MPI_Count *counts,
                           const MPI_Datatype *datatypes, MPI_Comm comm, const MPI_Datatype **datatypes_out) {
  return admpi_detail_bundle_buffers_c(call, scalar, peers, counts, datatypes, comm, datatypes_out);
}
int admpi_refuse(const char *call, const char *why, MPI_Comm comm) { return admpi_detail_refuse(call, why, comm); }
int admpi_op_has_adjoint(MPI_Op op) { return admpi_detail_op_has_adjoint(op); }
#endif
