/* The tangents of the Fortran module admpi_tangents, as C has them. */
#ifndef ADMPI_SHIM_FORTRAN_TANGENTS_H
#define ADMPI_SHIM_FORTRAN_TANGENTS_H

#include "admpi/tape.h"

typedef struct plain_tangent {
  double value, derivative;
} plain_tangent;

typedef struct active_tangent {
  admpi_var value, derivative;
} active_tangent;

#endif
