/* admpi: the C interface without the operators on active values, which C++ overloads. Programs include admpi.h or
 * admpi.hpp. */
#ifndef ADMPI_INTERFACE_H
#define ADMPI_INTERFACE_H

#if defined(ADMPI_FORTRAN) || defined(_LANGUAGE_FORTRAN) || defined(__GFORTRAN__) || defined(__flang__) || defined(NAGFOR)
#define ADMPI_IS_FORTRAN 1
#elif !defined(__cplusplus) && !defined(__STDC_VERSION__) && !defined(__STDC__)
#define ADMPI_IS_FORTRAN 1
#endif

/* One message, not one for each line that follows: the compiler stops where it finds no file of that name. */
#if !defined(ADMPI_IS_FORTRAN) && !defined(__cplusplus)
#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#error "admpi.h needs C99: compile with -std=c99 or later, not with -ansi or -std=c90"
#include "admpi/stopped_by_the_error_above"
#endif
#endif

#include "admpi/config.h"
#include "admpi/codes.h"

/* For sources that are compiled both ways: active with ADMPI_ACTIVE, else as before. ADMPI_KEEP_MPI: what is compiled without
 * ADMPI_ACTIVE calls MPI by its own names, and needs no module of admpi. */
#ifdef ADMPI_IS_FORTRAN
#ifdef ADMPI_ACTIVE
#define ADMPI_REAL type(admpi_var)
#define ADMPI_REAL_TYPE AMPI_ADOUBLE
#define ADMPI_COMPLEX type(admpi_var_complex)
#define ADMPI_COMPLEX_TYPE AMPI_ADOUBLE_COMPLEX
#define ADMPI_VALUE(x) admpi_value(x)
#else
#define ADMPI_REAL real(kind(1d0))
#define ADMPI_COMPLEX complex(kind(1d0))
#define ADMPI_VALUE(x) (x)
#ifdef ADMPI_KEEP_MPI
#define ADMPI_REAL_TYPE MPI_DOUBLE_PRECISION
#define ADMPI_COMPLEX_TYPE MPI_DOUBLE_COMPLEX
#else
#define ADMPI_REAL_TYPE AMPI_DOUBLE_PRECISION
#define ADMPI_COMPLEX_TYPE AMPI_DOUBLE_COMPLEX
#endif
#endif
#endif

#ifndef ADMPI_IS_FORTRAN
#if ADMPI_HAVE_MPI
#include <mpi.h>
#endif
#include "admpi/var.h"
#include "admpi/tape.h"
#include "admpi/special.h"
#include "admpi/varmat.h"
#include "admpi/arrays.h"
#include "admpi/linalg.h"
#include "admpi/sparsity.h"
#include "admpi/densities.h"
#include "admpi/derivatives.h"
#include "admpi/operations.h"
#include "admpi/map.h"
#include "admpi/pmap.h"
#include "admpi/steps.h"
#include "admpi/pmap_programs.h"
#include "admpi/time_loop.h"
#include "admpi/profile.h"
#include "admpi/region.h"
#include "admpi/deprecated.h"
#if ADMPI_HAVE_MPI
#include "admpi/abi.h"
#include "admpi/ampi.h"
#include "admpi/collectives.h"
#include "admpi/communicators.h"
#include "admpi/derivatives_ranks.h"
#include "admpi/init.h"
#include "admpi/large.h"
#include "admpi/large_types.h"
#include "admpi/map_service.h"
#include "admpi/sparsity_ranks.h"
#include "admpi/messages.h"
#include "admpi/neighbors.h"
#include "admpi/one_sided.h"
#include "admpi/pmap_ranks.h"
#include "admpi/reductions.h"
#include "admpi/requests.h"
#include "admpi/sessions.h"
#include "admpi/tools.h"
#include "admpi/user_ops.h"
#include "admpi/windows.h"
#include "admpi/ampi_guards.h"
#include "admpi/ampi_names.h"
#if defined(ADMPI_SOURCE_LINES) && !defined(__cplusplus)
#include "admpi/lines.h"
#endif
#endif
#endif

#endif
