// admpi: the datatypes of scalars in C++, and which scalars a buffer's elements consist of.
#ifndef ADMPI_AMPI_TYPES_HPP
#define ADMPI_AMPI_TYPES_HPP

#include <array>
#include <cstddef>
#include <type_traits>

#include "admpi/interface.h"
#include "admpi/tangent.hpp"
#include "admpi/var.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A value and where it was found: what MPI_MINLOC and MPI_MAXLOC reduce.
template <class T>
struct value_index {
  T value;
  int index;
};
static_assert(sizeof(value_index<var>) == sizeof(admpi_var_int), "value_index<var> is an admpi_var_int");

/// The scalars that the elements of a buffer consist of. To be specialised for a program's own structures, so that
/// a buffer of them is seen through:
///   template <class T> struct admpi::scalar_of<cell<T>> { using type = T; };
template <class T>
struct scalar_of {
  using type = T;
};
template <class T, std::size_t N>
struct scalar_of<std::array<T, N>> : scalar_of<T> {};
template <class T, std::size_t N>
struct scalar_of<T[N]> : scalar_of<T> {};
template <class T>
struct scalar_of<T[]> : scalar_of<T> {};
template <class T>
struct scalar_of<value_index<T>> : scalar_of<T> {};
template <class T>
struct scalar_of<const T> : scalar_of<T> {};
template <class T>
struct scalar_of<volatile T> : scalar_of<T> {};
template <class T>
struct scalar_of<const volatile T> : scalar_of<T> {};

namespace detail {

template <class T>
struct datatype_of;

template <>
struct datatype_of<double> {
  static MPI_Datatype get() { return MPI_DOUBLE; }
};
template <>
struct datatype_of<float> {
  static MPI_Datatype get() { return MPI_FLOAT; }
};
template <>
struct datatype_of<var> {
  static MPI_Datatype get() { return AMPI_ADOUBLE; }
};
template <>
struct datatype_of<admpi_var> : datatype_of<var> {};

/// The value and the derivative in one item.
template <class T>
struct datatype_of<tangent<T>> {
  static_assert(sizeof(tangent<T>) == 2 * sizeof(T), "one behind the other");
  static MPI_Datatype get() {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    admpi_bundle_type(datatype_of<T>::get(), &made);
    return made;
  }
};

template <class T>
struct datatype_of<value_index<T>> {
  static_assert(offsetof(value_index<T>, index) == sizeof(T), "one behind the other");
  static MPI_Datatype get() {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    admpi_pair_type(datatype_of<T>::get(), sizeof(value_index<T>), &made);
    return made;
  }
};
template <>
struct datatype_of<value_index<var>> {
  static MPI_Datatype get() { return AMPI_ADOUBLE_INT; }
};
template <>
struct datatype_of<value_index<double>> {
  static MPI_Datatype get() { return MPI_DOUBLE_INT; }
};
template <>
struct datatype_of<value_index<float>> {
  static MPI_Datatype get() { return MPI_FLOAT_INT; }
};

}  // namespace detail

/// The datatype of scalars of type T: MPI_DOUBLE of double, AMPI_ADOUBLE of var; that of a tangent holds the value and
/// the derivative. Code that is templated on its scalar names it where there is no buffer to tell (MPI_Get_count,
/// MPI_Pack_size), and builds its own datatypes from it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init.
template <class T>
MPI_Datatype mpi_type() {
  return detail::datatype_of<T>::get();
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
