/* The functions of admpi/deprecated.h do what those of the new names do. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <admpi.h>

#include "harness/check.h"

static void tape_functions(void) {
  admpi_tape *tape = NULL;
  admpi_statistics statistics;
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_width(tape, 4) == ADMPI_SUCCESS);
  CHECK(admpi_tape_statistics(tape, &statistics) == ADMPI_SUCCESS && statistics.width == 4);
  CHECK(admpi_tape_width(tape, 3) == ADMPI_ERR_ARGUMENT);

  admpi_var x = {1.0, 0, 0};
  CHECK(admpi_tape_activate_abi(tape, ADMPI_TAPE_ABI + 1, NULL) == ADMPI_ERR_ABI);
  CHECK(admpi_tape_activate_abi(tape, ADMPI_TAPE_ABI, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_grow(tape, 2) == -1);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS);
  CHECK(admpi_tape_grow(tape, 2) == ADMPI_SUCCESS && tape->checked_end - tape->argument >= 2);
  CHECK(admpi_tape_input(tape, &x.value, 1, &x) == ADMPI_SUCCESS && admpi_tape_check(tape, &x) == ADMPI_SUCCESS);
  admpi_tape_fail(tape, ADMPI_ERR_STALE);
  CHECK(admpi_tape_reverse(tape) == ADMPI_ERR_STALE);
  admpi_tape_free(tape);
}

static int32_t nothing(const admpi_kernel_call *call) {
  (void)call;
  return 0;
}

static void array_functions(void) {
  admpi_varmat *a = NULL, *b = NULL;
  const double value[2] = {1.0, 2.0};
  CHECK(admpi_varmat_new(value, 2, 1, &a) == ADMPI_SUCCESS);
  CHECK(admpi_array_fresh(2, 1, a, &b) == ADMPI_SUCCESS && b->rows == 2 && b->cols == 1);
  const admpi_operand operand = admpi_operand_part(admpi_view_all(a));
  const admpi_view part = admpi_view_all(b);
  CHECK(admpi_array_record(&part, NULL, &operand, 1, nothing, NULL, 0) == ADMPI_SUCCESS);
  CHECK(admpi_array_record(NULL, NULL, &operand, 1, nothing, NULL, 0) == ADMPI_ERR_NULL);
  admpi_varmat_free(a);
  admpi_varmat_free(b);
}

#if ADMPI_HAVE_MPI
static void sweeps_over_ranks(void) {
  admpi_tape *tape = NULL;
  admpi_var x;
  const double one = 1.0;
  double adjoint = 0.0;
  CHECK(admpi_tape_new(&tape) == ADMPI_SUCCESS && admpi_tape_activate(tape, NULL) == ADMPI_SUCCESS);
  CHECK(admpi_tape_start(tape) == ADMPI_SUCCESS && admpi_tape_input(tape, &one, 1, &x) == ADMPI_SUCCESS);
  CHECK(admpi_seed_replicated(tape, MPI_COMM_WORLD, x, 3.0, 0) == ADMPI_SUCCESS);
  CHECK(admpi_tape_adjoint(tape, x, 0, &adjoint) == ADMPI_SUCCESS && adjoint == 3.0);
  CHECK(admpi_seed_replicated(NULL, MPI_COMM_WORLD, x, 3.0, 0) == ADMPI_ERR_NULL);
  CHECK(admpi_abandon_sweep(tape, MPI_COMM_WORLD) == ADMPI_SUCCESS);
  CHECK(admpi_abandon_sweep(NULL, MPI_COMM_WORLD) == ADMPI_ERR_NULL);
  admpi_tape_free(tape);
}

static void headers_calls(void) {
  const admpi_mpi_sizes sizes = admpi_sizes_of_program();
  MPI_Datatype bundle = MPI_DATATYPE_NULL, pair = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  const MPI_Datatype doubles[1] = {MPI_DOUBLE}, *types = NULL;
  const int count[1] = {1};
  const MPI_Count large_count[1] = {1};
  CHECK(admpi_init_abi(MPI_COMM_WORLD, &sizes) == ADMPI_SUCCESS);
  CHECK(admpi_check_buffer("AMPI_Send", 0, MPI_DOUBLE, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(admpi_bundle_type(MPI_DOUBLE, &bundle) == ADMPI_SUCCESS && bundle != MPI_DATATYPE_NULL);
  CHECK(admpi_detail_bundle_type(MPI_DOUBLE, &type) == ADMPI_SUCCESS && type == bundle);
  CHECK(admpi_pair_type(bundle, 24, &pair) == ADMPI_SUCCESS && pair != MPI_DATATYPE_NULL);
  CHECK(admpi_bundle_buffer("AMPI_Send", bundle, AMPI_ADOUBLE, MPI_COMM_WORLD, &type) == MPI_SUCCESS && type == bundle);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(admpi_bundle_buffers("AMPI_Alltoallw", bundle, 0, count, doubles, MPI_COMM_WORLD, &types) != MPI_SUCCESS);
  CHECK(admpi_bundle_buffers_c("AMPI_Alltoallw", bundle, 0, large_count, doubles, MPI_COMM_WORLD, &types) !=
        MPI_SUCCESS);
  CHECK(admpi_refuse("AMPI_Send", "a reason", MPI_COMM_WORLD) != MPI_SUCCESS);
  CHECK(strstr(admpi_last_error(), "a reason") != NULL);
  CHECK(admpi_op_has_adjoint(MPI_SUM) == 0);
}
#endif

int main(void) {
  tape_functions();
  array_functions();
#if ADMPI_HAVE_MPI
  const admpi_mpi_sizes sizes = admpi_sizes_of_program();
  admpi_mpi_sizes wrong = sizes;
  int provided = 0;
  wrong.status += 8;
  CHECK(admpi_mpi_init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided, &wrong) != MPI_SUCCESS);
  CHECK(strstr(admpi_last_error(), "MPI_Status") != NULL);
  CHECK(admpi_mpi_init(NULL, NULL, &sizes) == MPI_SUCCESS);
  sweeps_over_ranks();
  headers_calls();
  AMPI_Finalize();
#endif
  return failures != 0;
}
