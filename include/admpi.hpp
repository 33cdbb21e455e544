// admpi: the C++17 interface, header only over the C library.
//
//   admpi::tape tape;              // the thread's tape while it lives
//   admpi::var x = 2.0;
//   tape.start();
//   tape.input(x);
//   admpi::var y = sin(x) * x;     // one statement
//   tape.stop();
//   tape.seed(y);
//   tape.reverse();
//   double dydx = tape.adjoint(x);
//
// What few programs need and all would compile has headers of its own: second derivatives of arrays (tangent_arrays.hpp,
// tangent_linalg.hpp, tangent_densities.hpp, tangent_solve.hpp), complex.hpp, eigen.hpp, nested pmap (pmap.hpp, pmap_ranks.hpp).
#ifndef ADMPI_HPP
#define ADMPI_HPP

#include "admpi/error.hpp"
#include "admpi/argument.hpp"
#include "admpi/arrays.hpp"
#include "admpi/densities.hpp"
#include "admpi/derivatives.hpp"
#include "admpi/functions.hpp"
#include "admpi/interface.h"
#include "admpi/linalg.hpp"
#include "admpi/map.hpp"
#include "admpi/operations.hpp"
#include "admpi/solve.hpp"
#include "admpi/sparsity.hpp"
#include "admpi/standard.hpp"
#include "admpi/tangent.hpp"
#include "admpi/tape.hpp"
#include "admpi/time_loop.hpp"
#include "admpi/var.hpp"
#include "admpi/varmat.hpp"
#if ADMPI_HAVE_MPI
#include "admpi/ampi.hpp"
#include "admpi/derivatives_ranks.hpp"
#ifdef ADMPI_SOURCE_LINES
#include "admpi/lines.h"
#endif
#endif

#endif
