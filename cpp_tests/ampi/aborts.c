/* An error of ours under a handler that aborts: aborts <case>. What is printed is checked by check_aborts.cmake. */
#include <admpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const int which = argc > 1 ? atoi(argv[1]) : 0;
  admpi_var x = {1.0, 0, 0};
  admpi_tape *tape = NULL;
  double *room = NULL;
  MPI_Win win;
  if (which == 3) MPI_Init(&argc, &argv);
  else AMPI_Init(&argc, &argv);
  admpi_tape_new(&tape);
  admpi_tape_activate(tape, NULL);
  admpi_tape_start(tape);
  switch (which) {
    case 0: AMPI_Send(&x, -1, AMPI_ADOUBLE, 0, 0, MPI_COMM_WORLD); break;
    case 1: AMPI_Bcast(NULL, 3, AMPI_ADOUBLE, 0, MPI_COMM_SELF); break;
    case 2:
      MPI_Win_allocate(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &room, &win);
      AMPI_Put(&x, 1, AMPI_ADOUBLE, 0, 0, 1, AMPI_ADOUBLE, win);
      break;
    default: AMPI_Bcast(&x, 1, AMPI_ADOUBLE, 0, MPI_COMM_WORLD); break;
  }
  return 0;
}
