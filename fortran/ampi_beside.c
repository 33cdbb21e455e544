/* What needs MPI's library for Fortran, or Fortran itself, and so cannot lie in libadmpi. */
#include <admpi.h>

#include "ampi_fortran_beside.h"

/* In ampi_sentinels.F90 and ampi_sentinels_f08.F90. */
void admpif_tell_(void);
#ifndef ADMPI_WITHOUT_F08
void admpif_tell_f08_(void);
#endif

/** The linker is told to take this object for this name, and with it the constructor. */
extern const int admpif_linked;
const int admpif_linked = 1;

/* Before main, since the program may begin in C. */
__attribute__((constructor)) static void tell(void) {
  admpif_tell_();
#ifndef ADMPI_WITHOUT_F08
  admpif_tell_f08_();
#endif
}

void mpi_conversion_fn_null_(void);
void ampi_conversion_fn_null_(void) {}

void *fortran_function(void *function) {
  void (*ours)(void) = ampi_conversion_fn_null_;
  void (*of_mpi)(void) = mpi_conversion_fn_null_;
  return function == *(void **)&ours ? *(void **)&of_mpi : function;
}

void fortran_lacks(const char *call, const char *why, void *ierror) {
  *(MPI_Fint *)ierror = admpi_detail_refuse(call, why, MPI_COMM_WORLD);
}

MPI_Fint admpif_adopt_request(MPI_Fint request);

/* Its functions are Fortran's, which MPI's call for Fortran knows to call. */
void mpi_grequest_start_(void *query_fn, void *free_fn, void *cancel_fn, void *extra_state, MPI_Fint *request,
                         MPI_Fint *ierror);
void ampi_grequest_start_(void *query_fn, void *free_fn, void *cancel_fn, void *extra_state, MPI_Fint *request,
                          MPI_Fint *ierror) {
  MPI_Fint of_mpi, code;
  mpi_grequest_start_(query_fn, free_fn, cancel_fn, extra_state, &of_mpi, &code);
  if (code == MPI_SUCCESS) *request = admpif_adopt_request(of_mpi);
  if (ierror != NULL) *ierror = code;
}
