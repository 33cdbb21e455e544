// admpi: reductions of tangents. MPI's operations on numbers become operations on values with their derivatives.
//
// They are operations as AMPI_Op_create makes them: over double MPI calls them, over var the library does, where the tape sees it.
#ifndef ADMPI_AMPI_REDUCTIONS_HPP
#define ADMPI_AMPI_REDUCTIONS_HPP

#include <type_traits>

#include "admpi/interface.h"
#include "admpi/ampi_types.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// The number below all levels of tangents.
template <class T>
struct base_of {
  using type = T;
};
template <class T, int N>
struct base_of<tangent<T, N>> : base_of<T> {};

template <class T>
inline constexpr bool is_value_index = false;
template <class T>
inline constexpr bool is_value_index<value_index<T>> = true;

/// What a reduction of a buffer works on: tangents, or pairs and complex numbers of them, or void where there are none.
template <class T>
struct reduced {
  using element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  using scalar = typename scalar_of<element>::type;
  using type = std::conditional_t<
      is_tangent<scalar>, std::conditional_t<is_value_index<element> || is_complex<element>, element, scalar>, void>;
};
template <class T, class... More>
struct first_reduced {
  using type = typename reduced<T>::type;
};
template <class T, class U>
struct first_reduced<T, U> {
  using type = std::conditional_t<std::is_void_v<typename reduced<T>::type>, typename reduced<U>::type, typename reduced<T>::type>;
};

template <class... T>
using reduced_element = typename first_reduced<T...>::type;

/// The derivatives of the values are active.
template <class E>
constexpr bool is_recorded() {
  if constexpr (std::is_void_v<E>)
    return false;
  else
    return std::is_base_of_v<admpi_var, typename base_of<typename scalar_of<E>::type>::type>;
}

/// The product of a derivative and a value: zero wins over infinity, as in the adjoint.
inline double times(double x, double y) {
  const double product = x * y;
  return product != product && x == x && y == y ? 0.0 : product;
}
template <class T>
T times(const T &x, const T &y) {
  return x * y;
}
template <class T, int N>
tangent<T, N> times(const tangent<T, N> &x, const tangent<T, N> &y);
template <class T, int N>
directions<T, N> times(const directions<T, N> &x, const T &y) {
  return one_by_one([&](const T &one) { return times(one, y); }, x);
}
template <class T, int N>
directions<T, N> times(const T &x, const directions<T, N> &y) {
  return one_by_one([&](const T &one) { return times(x, one); }, y);
}
/// The derivative of a product.
template <class T, int N>
derivative_of<T, N> product_along(const tangent<T, N> &x, const tangent<T, N> &y) {
  return derivative_of<T, N>(times(x.derivative, y.value) + times(x.value, y.derivative));
}
template <class T, int N>
tangent<T, N> times(const tangent<T, N> &x, const tangent<T, N> &y) {
  return {times(x.value, y.value), product_along(x, y)};
}
template <class T>
T product(const T &x, const T &y) {
  return x * y;
}
template <class T, int N>
tangent<T, N> product(const tangent<T, N> &x, const tangent<T, N> &y) {
  return {product(x.value, y.value), product_along(x, y)};
}
template <class C>
C complex_product(const C &x, const C &y) {
  return {product(x.real(), y.real()) - product(x.imag(), y.imag()), product(x.real(), y.imag()) + product(x.imag(), y.real())};
}

// `low` stands on lower ranks than `high`.
struct reduce_sum {
  template <class T>
  static T combine(const T &low, const T &high) {
    return low + high;
  }
};
struct reduce_product {
  template <class T>
  static T combine(const T &low, const T &high) {
    if constexpr (is_complex<T>)
      return complex_product(low, high);
    else
      return product(low, high);
  }
};
struct reduce_min {
  static bool better(double x, double y) { return x < y; }
  template <class T>
  static const T &combine(const T &low, const T &high) {
    return better(value(high), value(low)) ? high : low;
  }
};
struct reduce_max {
  static bool better(double x, double y) { return x > y; }
  template <class T>
  static const T &combine(const T &low, const T &high) {
    return better(value(high), value(low)) ? high : low;
  }
};
template <class Choice>
struct reduce_location {
  template <class T>
  static const T &combine(const T &low, const T &high) {
    const double x = value(low.value), y = value(high.value);
    return Choice::better(y, x) || (x == y && high.index < low.index) ? high : low;
  }
};

template <class E, class Operation>
void reduce_items(void *low, void *high, int *n, MPI_Datatype *) {
  const E *const in = static_cast<const E *>(low);
  E *const inout = static_cast<E *>(high);
  for (int i = 0; i < *n; ++i) inout[i] = Operation::combine(in[i], inout[i]);
}

/// Made once; it lives as long as MPI. Never one that commutes: of equal values the lowest rank's is to be taken, and
/// MPICH 4.0 crashes in a Reduce in place by a user's operation that commutes, beyond 2 KiB.
template <class E, class Operation>
MPI_Op reduction() {
  static const MPI_Op made = [] {
    MPI_Op op = MPI_OP_NULL;
    AMPI_Op_create(&reduce_items<E, Operation>, 0, &op);
    return op;
  }();
  return made;
}

/// What an operation of MPI's own is on elements E, or MPI_OP_NULL.
template <class E>
MPI_Op reduction_of(MPI_Op op) {
  if constexpr (is_value_index<E>) {
    if (op == MPI_MINLOC) return reduction<E, reduce_location<reduce_min>>();
    if (op == MPI_MAXLOC) return reduction<E, reduce_location<reduce_max>>();
  } else {
    if (op == MPI_SUM) return reduction<E, reduce_sum>();
    if (op == MPI_PROD) return reduction<E, reduce_product>();
    if constexpr (!is_complex<E>) {
      if (op == MPI_MIN) return reduction<E, reduce_min>();
      if (op == MPI_MAX) return reduction<E, reduce_max>();
    }
  }
  return MPI_OP_NULL;
}

inline bool is_predefined(MPI_Op op) {
  const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX,  MPI_MINLOC, MPI_MAXLOC,  MPI_LAND,
                        MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR,   MPI_REPLACE, MPI_NO_OP};
  for (const MPI_Op one : all)
    if (op == one) return true;
  return false;
}

/// Whether a datatype is that of elements E. That of the library's stands here still where this rank has no part in the call.
template <class E>
bool is_type_of(MPI_Datatype datatype) {
  return datatype == mpi_type<E>() || datatype == (is_complex<E> ? AMPI_ADOUBLE_COMPLEX : AMPI_ADOUBLE);
}

/// Puts the operation on tangents in the place of MPI's own. One of the user's works on tangents as it is.
template <class E>
int substitute_operation(const char *call, MPI_Op &op, MPI_Datatype datatype, MPI_Comm comm) {
  // Complex numbers may come part by part.
  if constexpr (is_complex<E>)
    if (!is_type_of<E>(datatype))
      return substitute_operation<typename E::value_type>(call, op, datatype, comm);
  const bool predefined = is_predefined(op);
  const MPI_Op own = reduction_of<E>(op);
  if (predefined && own == MPI_OP_NULL)
    return admpi_detail_refuse(call,
                        "op: tangents are reduced by MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX, complex numbers of them by MPI_SUM and "
                        "MPI_PROD, admpi::value_index of them by MPI_MINLOC and MPI_MAXLOC, and all by operations of AMPI_Op_create",
                        comm);
  if (!predefined && admpi_detail_op_has_adjoint(op))
    return admpi_detail_refuse(call,
                        "op: it was made by AMPI_Op_create_adjoint, so its function knows doubles only; make one by "
                        "AMPI_Op_create whose function is templated on the scalar",
                        comm);
  if (predefined && !is_type_of<E>(datatype))
    return admpi_detail_refuse(call,
                        "datatype: MPI's operations reduce tangents under the scalar itself, AMPI_ADOUBLE or admpi::mpi_type; "
                        "under a datatype made from it, one of AMPI_Op_create does",
                        comm);
  // What is linear the library reduces itself, element by element.
  if (predefined && !(is_recorded<E>() && op == MPI_SUM)) op = own;
  return MPI_SUCCESS;
}

/// For a reduction of buffers of T: nothing, unless they are of tangents.
template <class... T>
int check_operation([[maybe_unused]] const char *call, [[maybe_unused]] MPI_Op &op,
                    [[maybe_unused]] MPI_Datatype datatype, [[maybe_unused]] MPI_Comm comm) {
  if constexpr (std::is_void_v<reduced_element<T...>>)
    return MPI_SUCCESS;
  else
    return substitute_operation<reduced_element<T...>>(call, op, datatype, comm);
}

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
