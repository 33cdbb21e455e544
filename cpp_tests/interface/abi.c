/* A program whose MPI differs from the library's in size is told so, before MPI is initialised. */
#include <admpi.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char *what) {
  if (!holds) {
    fprintf(stderr, "abi: expected that %s; last error: %s\n", what, admpi_last_error());
    failures++;
  }
}

static const admpi_mpi_sizes right = {sizeof(MPI_Comm),    sizeof(MPI_Datatype), sizeof(MPI_Op),
                                      sizeof(MPI_Request), sizeof(MPI_Status),   sizeof(MPI_Aint)};

static void refuses(admpi_mpi_sizes sizes, const char *name) {
  int code = ADMPI_ABI_CHECK(&sizes);
  expect(code == ADMPI_ERR_ABI, "another size is ADMPI_ERR_ABI");
  expect(strstr(admpi_last_error(), name) != NULL, "the message names the type");
}

int main(int argc, char **argv) {
  admpi_mpi_sizes wrong;
  int initialized = 1;

  expect(admpi_abi_of_program() == ADMPI_SUCCESS, "this program fits its library");
  expect(ADMPI_ABI_CHECK(NULL) == ADMPI_ERR_NULL, "NULL is refused");

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
  expect(admpi_detail_mpi_init(&argc, &argv, &wrong) != MPI_SUCCESS, "AMPI_Init with other sizes fails");
  expect(strstr(admpi_last_error(), "MPI_Status") != NULL, "the message of AMPI_Init names the type");
  MPI_Initialized(&initialized);
  expect(!initialized, "the refused AMPI_Init left MPI alone");

  expect(AMPI_Init(&argc, &argv) == MPI_SUCCESS, "AMPI_Init succeeds");
  expect(admpi_abi_of_program() == ADMPI_SUCCESS, "this program fits its library after AMPI_Init too");
  expect(admpi_detail_init(MPI_COMM_WORLD, &wrong) == ADMPI_ERR_ABI, "admpi_init with other sizes fails");
  AMPI_Finalize();
  return failures != 0;
}
