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
// What few programs need and all would compile has headers of its own: time loops (time_loop.hpp), Jacobians and Hessians
// (derivatives.hpp, derivatives_ranks.hpp, sparsity.hpp), second derivatives of arrays (tangent_arrays.hpp, tangent_linalg.hpp,
// tangent_densities.hpp, tangent_solve.hpp), complex.hpp, eigen.hpp, float.hpp, nested pmap (pmap.hpp, pmap_ranks.hpp).
#ifndef ADMPI_HPP
#define ADMPI_HPP

#include <vector>

#include "admpi/error.hpp"
#include "admpi/argument.hpp"
#include "admpi/arrays.hpp"
#include "admpi/densities.hpp"
#include "admpi/functions.hpp"
#include "admpi/interface.h"
#include "admpi/linalg.hpp"
#include "admpi/map.hpp"
#include "admpi/operations.hpp"
#include "admpi/solve.hpp"
#include "admpi/standard.hpp"
#include "admpi/tangent.hpp"
#include "admpi/tape.hpp"
#include "admpi/var.hpp"
#include "admpi/varmat.hpp"
#if ADMPI_HAVE_MPI
#include "admpi/ampi.hpp"
#ifdef ADMPI_SOURCE_LINES
#include "admpi/lines.h"
#endif
#endif

// Only declared: a compiler that meets one of them shows its line, and so the header that the program has to include.
namespace admpi {
inline namespace ADMPI_NAMESPACE {

// clang-format off
class time_loop;          // #include <admpi/time_loop.hpp>
struct dense;             // #include <admpi/derivatives.hpp>
struct gradient_check;    // #include <admpi/derivatives.hpp>
struct csr;               // #include <admpi/sparsity.hpp>
struct coloured_pattern;  // #include <admpi/sparsity.hpp>

template <class F> dense jacobian(F &&f, const std::vector<double> &x);
template <class F> dense hessian(F &&f, const std::vector<double> &x);
template <class F> gradient_check check_gradient(F &&f, const std::vector<double> &x);
template <class F> coloured_pattern sparsity(F &&f, const std::vector<double> &x);
template <class F> coloured_pattern hessian_sparsity(F &&f, const std::vector<double> &x);
template <class F> csr sparse_jacobian(F &&f, const std::vector<double> &x);
template <class F> csr sparse_hessian(F &&f, const std::vector<double> &x);
// clang-format on

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
