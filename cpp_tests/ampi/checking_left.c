/* The same from C, where no header knows the type of a buffer. */
#include <admpi.h>

int sent_by_c(int which, const admpi_var *x, int bytes, MPI_Win window, MPI_File file);
const char *name_in_c(int which);

const char *name_in_c(int which) {
  static const char *const names[] = {"AMPI_Start", "AMPI_Put", "AMPI_File_write"};
  return names[which];
}

int sent_by_c(int which, const admpi_var *x, int bytes, MPI_Win window, MPI_File file) {
  AMPI_Request request;
  int rank = 0, code;
  MPI_Status status;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  switch (which) {
    case 0:
      AMPI_Send_init(x, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
      code = AMPI_Start(&request);
      AMPI_Request_free(&request);
      return code;
    case 1: return AMPI_Put(x, bytes, MPI_BYTE, rank, 0, bytes, MPI_BYTE, window);
    default: return AMPI_File_write(file, x, bytes, MPI_BYTE, &status);
  }
}
