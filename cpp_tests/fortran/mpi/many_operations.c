/* More procedures than AMPI_Op_create may get: they are Fortran's in all but the language. */
#include <mpi.h>

typedef void procedure(void);
void ampi_op_create_(procedure *function, const MPI_Fint *commute, MPI_Fint *op, MPI_Fint *ierror);

#define OF_4(macro, n) macro(n##0) macro(n##1) macro(n##2) macro(n##3)
#define OF_16(macro, n) OF_4(macro, n##0) OF_4(macro, n##1) OF_4(macro, n##2) OF_4(macro, n##3)
#define OF_64(macro) OF_16(macro, _0) OF_16(macro, _1) OF_16(macro, _2) OF_16(macro, _3)
/* Each returns another number, so that no linker makes them one. */
#define DEFINE(n) static int number##n; static void procedure##n(void) { number##n++; }
#define NAME(n) procedure##n,
OF_64(DEFINE)
static procedure *const procedures[] = {OF_64(NAME)};

/** Creates operations until one is refused: how many there are, and the code of the error. */
void many_operations_(MPI_Fint *created, MPI_Fint *code) {
  const MPI_Fint commute = 1;
  MPI_Fint op;
  *code = MPI_SUCCESS;
  for (*created = 0; *created < 64; ++*created) {
    ampi_op_create_(procedures[*created], &commute, &op, code);
    if (*code != MPI_SUCCESS) return;
  }
}
