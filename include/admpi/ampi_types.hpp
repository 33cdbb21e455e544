// admpi: the datatypes of scalars in C++, and which scalars a buffer's elements consist of.
#ifndef ADMPI_AMPI_TYPES_HPP
#define ADMPI_AMPI_TYPES_HPP

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "admpi/interface.h"
#include "admpi/tangent.hpp"
#include "admpi/var.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// A value and its index, which MPI_MINLOC and MPI_MAXLOC reduce.
template <class T>
struct value_index {
  T value;
  int index;
};
static_assert(sizeof(value_index<var>) == sizeof(admpi_var_int), "value_index<var> is an admpi_var_int");

namespace detail {

/// Of a type that is not a complex number.
template <class T, class = void>
struct complex_part {
  using type = T;
};
/// That of std::complex, by what it has: `<complex>` is large, and programs without complex numbers do not need it.
template <class T>
struct complex_part<
    T, std::enable_if_t<std::is_same_v<std::decay_t<decltype(std::declval<const T &>().real())>, typename T::value_type> &&
                        std::is_same_v<std::decay_t<decltype(std::declval<const T &>().imag())>, typename T::value_type> &&
                        sizeof(T) == 2 * sizeof(typename T::value_type)>> {
  using type = typename T::value_type;
};
template <class T>
inline constexpr bool is_complex = !std::is_same_v<typename complex_part<T>::type, T>;

}  // namespace detail

/// The scalars that the elements of a buffer consist of, the parts of complex numbers. Specialise it for your own structures, so that the library knows
/// what a buffer of them contains:
/// `template <class T> struct admpi::scalar_of<cell<T>> { using type = T; };`
template <class T>
struct scalar_of {
  using type = typename detail::complex_part<T>::type;
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

/// Of an aggregate so many members are looked at, the elements of an array one by one.
inline constexpr std::size_t max_members = 64;

template <class T>
constexpr bool holds_active() noexcept;

/// Initialises a member of any type, but for the aggregate that it is a member of.
template <class Of>
struct any_member {
  template <class M, std::enable_if_t<!std::is_same_v<M, Of>, int> = 0>
  constexpr operator M() const noexcept;
};

/// The same, but to initialise an active member may throw: by that it is told, since a member that an initialiser does not
/// fit would be taken apart.
template <class Of>
struct telling_member {
  template <class M, std::enable_if_t<!std::is_same_v<M, Of>, int> = 0>
  constexpr operator M() const noexcept(!holds_active<M>());
};

enum class initialised { not_at_all, safely, perhaps };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-braces"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
template <class T, class... Members>
constexpr auto initialise(int) -> decltype(void(T{std::declval<Members>()...}), initialised()) {
  return noexcept(T{std::declval<Members>()...}) ? initialised::safely : initialised::perhaps;
}
#pragma GCC diagnostic pop
template <class T, class... Members>
constexpr initialised initialise(...) {
  return initialised::not_at_all;
}

/// With as many initialisers as there are numbers.
template <template <class> class Member, class T, std::size_t... At>
constexpr initialised initialise_by(std::index_sequence<At...>) {
  return initialise<T, std::enable_if_t<(At < max_members), Member<T>>...>(0);
}

/// Whether one of the first members of T is active.
template <class T, std::size_t N = 1>
constexpr bool has_active_member() noexcept {
  constexpr initialised by_any = initialise_by<any_member, T>(std::make_index_sequence<N>());
  if constexpr (by_any == initialised::not_at_all)
    return false;
  else if constexpr (by_any == initialised::safely &&
                     initialise_by<telling_member, T>(std::make_index_sequence<N>()) == initialised::perhaps)
    return true;
  else if constexpr (N < max_members)
    return has_active_member<T, N + 1>();
  else
    return false;
}

/// Whether T is an active scalar, or a structure that contains one, as far as its type shows. Structures with constructors,
/// with private members, or with members that accept any initialiser show nothing.
template <class T>
constexpr bool holds_active() noexcept {
  if constexpr (std::is_base_of_v<admpi_var, T>)
    return true;
  else if constexpr (is_complex<T>)
    return holds_active<typename complex_part<T>::type>();
  else if constexpr (std::is_array_v<T>)
    return holds_active<std::remove_all_extents_t<T>>();
  else if constexpr (std::is_aggregate_v<T> && !std::is_union_v<T> && !std::is_empty_v<T>)
    return has_active_member<T>();
  else
    return false;
}

/// Of a scalar, or of a complex number.
template <class T>
struct datatype_of {
  using part = typename complex_part<T>::type;
  static_assert(is_complex<T>, "admpi::mpi_type is for scalars, complex numbers, and value_index of scalars");
  static MPI_Datatype get() {
    if constexpr (std::is_same_v<part, double>) {
      return MPI_C_DOUBLE_COMPLEX;
    } else if constexpr (std::is_same_v<part, float>) {
      return MPI_C_FLOAT_COMPLEX;
    } else if constexpr (std::is_same_v<part, float_var>) {
      return AMPI_AFLOAT_COMPLEX;
    } else if constexpr (std::is_base_of_v<admpi_var, part>) {
      static_assert(sizeof(T) == sizeof(admpi_var_complex), "a complex number is an admpi_var_complex");
      return AMPI_ADOUBLE_COMPLEX;
    } else {
      MPI_Datatype made = MPI_DATATYPE_NULL;
      admpi_detail_bundle_buffer("admpi::mpi_type", datatype_of<part>::get(), AMPI_ADOUBLE_COMPLEX, MPI_COMM_WORLD, &made);
      return made;
    }
  }
};

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
template <>
struct datatype_of<float_var> {
  static MPI_Datatype get() { return AMPI_AFLOAT; }
};

/// The value and the derivatives in one item.
template <class T, int N>
struct datatype_of<tangent<T, N>> {
  static_assert(sizeof(tangent<T, N>) == (1 + N) * sizeof(T), "one behind the other");
  static MPI_Datatype get() {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    admpi_detail_bundle_parts_type(datatype_of<T>::get(), 1 + N, &made);
    return made;
  }
};

template <class T>
struct datatype_of<value_index<T>> {
  static_assert(offsetof(value_index<T>, index) == sizeof(T), "one behind the other");
  static MPI_Datatype get() {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    admpi_detail_pair_type(datatype_of<T>::get(), sizeof(value_index<T>), &made);
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
struct datatype_of<value_index<float_var>> {
  static MPI_Datatype get() { return AMPI_AFLOAT_INT; }
};
template <>
struct datatype_of<value_index<float>> {
  static MPI_Datatype get() { return MPI_FLOAT_INT; }
};

}  // namespace detail

/// The datatype of scalars of type T: MPI_DOUBLE for double, AMPI_ADOUBLE for var, AMPI_ADOUBLE_COMPLEX for
/// std::complex<var>; for a tangent it holds the value and
/// the derivative. Code templated on its scalar passes it to calls without a buffer (MPI_Get_count,
/// MPI_Pack_size), and builds its own datatypes from it. MPI_DATATYPE_NULL before AMPI_Init or admpi_init.
template <class T>
MPI_Datatype mpi_type() {
  return detail::datatype_of<T>::get();
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
