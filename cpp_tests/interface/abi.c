/* A program whose MPI differs from the library's in size is told so, before MPI is initialised. */
#include <admpi.h>

#include "harness/check.h"

static const admpi_mpi_sizes right = {sizeof(MPI_Comm),    sizeof(MPI_Datatype), sizeof(MPI_Op),
                                      sizeof(MPI_Request), sizeof(MPI_Status),   sizeof(MPI_Aint)};

static void refuses(admpi_mpi_sizes sizes, const char *name) {
  int code = ADMPI_ABI_CHECK(&sizes);
  CHECK(code == ADMPI_ERR_ABI);
  CHECK(strstr(admpi_last_error(), name) != NULL);
}

int main(int argc, char **argv) {
  admpi_mpi_sizes wrong;
  int initialized = 1;

  CHECK(admpi_abi_of_program() == ADMPI_SUCCESS);
  CHECK(ADMPI_ABI_CHECK(NULL) == ADMPI_ERR_NULL);

  wrong = right;
  wrong.comm += 4;
  refuses(wrong, "MPI_Comm");
  wrong = right;
  wrong.datatype += 4;
  refuses(wrong, "MPI_Datatype");
  wrong = right;
  wrong.op += 4;
  refuses(wrong, "MPI_Op");
  wrong = right;
  wrong.request += 4;
  refuses(wrong, "MPI_Request");
  wrong = right;
  wrong.status -= 4;
  refuses(wrong, "MPI_Status");
  wrong = right;
  wrong.aint -= 4;
  refuses(wrong, "MPI_Aint");

  wrong = right;
  wrong.status *= 2;
  CHECK(admpi_detail_mpi_init(&argc, &argv, &wrong) != MPI_SUCCESS);
  CHECK(strstr(admpi_last_error(), "MPI_Status") != NULL);
  MPI_Initialized(&initialized);
  CHECK(!initialized);

  CHECK(AMPI_Init(&argc, &argv) == MPI_SUCCESS);
  CHECK(admpi_abi_of_program() == ADMPI_SUCCESS);
  CHECK(admpi_detail_init(MPI_COMM_WORLD, &wrong) == ADMPI_ERR_ABI);
  AMPI_Finalize();
  return failures != 0;
}
