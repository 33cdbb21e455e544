// admpi: whether what a buffer holds and what a datatype describes agree on being active; and the datatype by which a
// buffer of tangents travels.
#ifndef ADMPI_AMPI_BUFFERS_HPP
#define ADMPI_AMPI_BUFFERS_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include "admpi/interface.h"
#include "admpi/ampi_reductions.hpp"
#include "admpi/ampi_types.hpp"
#include "admpi/tangent.hpp"
#include "admpi/var.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

class varmat;
class view;

namespace detail {

/// A buffer as a pointer. Besides pointers there are NULL, which may be a number, nullptr, and what converts to a pointer.
template <class T>
constexpr T *address(T *buffer) noexcept {
  return buffer;
}
constexpr void *address(std::nullptr_t) noexcept { return nullptr; }
inline void *address(decltype(NULL) buffer) noexcept { return reinterpret_cast<void *>(buffer); }
template <class T, std::enable_if_t<std::is_class_v<T>, int> = 0>
auto address(const T &buffer) {
  return static_cast<std::conditional_t<std::is_convertible_v<const T &, void *>, void *, const void *>>(buffer);
}
template <class T>
using pointee = std::remove_pointer_t<decltype(address(std::declval<T>()))>;

/// What the type of a buffer's elements says about them.
enum class content { unknown, active, single, plain, tangent, matrix, part, structure };

template <class T>
constexpr content content_of() noexcept {
  using element = typename scalar_of<T>::type;
  static_assert(!std::is_same_v<element, varmat> && !std::is_same_v<element, view>,
                "the buffer is the handle() of a matrix, under AMPI_VARMAT, or of a view, under AMPI_VIEW");
  if constexpr (std::is_same_v<element, admpi_varmat>)
    return content::matrix;
  else if constexpr (std::is_same_v<element, admpi_view>)
    return content::part;
  else if constexpr (std::is_void_v<element> || std::is_same_v<element, char> || std::is_same_v<element, signed char> ||
                std::is_same_v<element, unsigned char>)
    return content::unknown;  // a pointer to memory, not to elements
  else if constexpr (std::is_same_v<element, float_var>)
    return content::single;
  else if constexpr (std::is_base_of_v<admpi_var, element>)
    return content::active;
  else if constexpr (is_tangent<element>)
    return content::tangent;
  else if constexpr (std::is_arithmetic_v<element>)
    return content::plain;
  else
    return holds_active<element>() ? content::structure : content::unknown;
}

/// A type that says of a structure only how large it is.
inline bool is_of_bytes(MPI_Datatype datatype) {
  return datatype == MPI_BYTE || datatype == MPI_CHAR || datatype == MPI_SIGNED_CHAR || datatype == MPI_UNSIGNED_CHAR ||
         datatype == MPI_INT8_T || datatype == MPI_UINT8_T || datatype == MPI_PACKED;
}

/// When a buffer is significant. Where it is not, MPI reads neither it nor its datatype, which may be garbage.
struct always {
  bool operator()() const { return true; }
};

/// The root's buffer of a collective call. Both kinds hold at the root of an intracommunicator.
struct at_root {
  int root;
  MPI_Comm comm;

  bool operator()() const {
    if (comm == MPI_COMM_NULL) return false;
    int inter = 0, rank = MPI_UNDEFINED;
    MPI_Comm_test_inter(comm, &inter);
    if (inter) return root == MPI_ROOT;
    MPI_Comm_rank(comm, &rank);
    return rank == root;
  }
};

/// The buffer that all others have.
struct at_others {
  int root;
  MPI_Comm comm;

  bool operator()() const {
    if (comm == MPI_COMM_NULL) return false;
    int inter = 0;
    MPI_Comm_test_inter(comm, &inter);
    return !inter || (root != MPI_ROOT && root != MPI_PROC_NULL);
  }
};

/// The one buffer of Bcast.
struct at_either {
  int root;
  MPI_Comm comm;

  bool operator()() const { return root != MPI_PROC_NULL; }
};

template <class Significant>
[[gnu::noinline]] int check_content(const char *call, int kind, MPI_Datatype datatype, MPI_Comm comm,
                                    Significant significant) {
  return significant() ? admpi_detail_check_buffer(call, kind, datatype, comm) : MPI_SUCCESS;
}

template <class T, class Significant>
[[gnu::noinline]] int check_tangents(const char *call, const T *buffer, MPI_Datatype &datatype, MPI_Comm comm,
                                     Significant significant) {
  if (buffer == MPI_IN_PLACE || !significant()) return MPI_SUCCESS;
  using element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  if constexpr (is_value_index<element>) {
    if (datatype == AMPI_ADOUBLE_INT) datatype = mpi_type<element>();
  }
  return admpi_detail_bundle_buffer(call, mpi_type<typename scalar_of<T>::type>(), datatype, comm, &datatype);
}

/// MPI_SUCCESS, or the code of an error that was raised on comm. The usual pairs are settled by one comparison. The
/// datatype of a buffer of tangents becomes that by which they travel.
template <class T, class Significant = always>
int check_buffer([[maybe_unused]] const char *call, [[maybe_unused]] const T *buffer,
                 [[maybe_unused]] MPI_Datatype &datatype, [[maybe_unused]] MPI_Comm comm,
                 [[maybe_unused]] Significant significant = {}) {
  constexpr content kind = content_of<T>();
  if constexpr (kind == content::active) {
    if (datatype != AMPI_ADOUBLE) return check_content(call, 1, datatype, comm, significant);
  } else if constexpr (kind == content::single) {
    if (datatype != AMPI_AFLOAT) return check_content(call, 5, datatype, comm, significant);
  } else if constexpr (kind == content::plain) {
    if (datatype != MPI_DOUBLE && datatype != MPI_INT) return check_content(call, 0, datatype, comm, significant);
  } else if constexpr (kind == content::matrix) {
    if (datatype != AMPI_VARMAT) return check_content(call, 2, datatype, comm, significant);
  } else if constexpr (kind == content::part) {
    if (datatype != AMPI_VIEW) return check_content(call, 3, datatype, comm, significant);
  } else if constexpr (kind == content::structure) {
    if (is_of_bytes(datatype)) return check_content(call, 4, datatype, comm, significant);
  } else if constexpr (kind == content::tangent) {
    return check_tangents(call, buffer, datatype, comm, significant);
  }
  return MPI_SUCCESS;
}

/// The same of the items at the target of a one-sided call, which are what the buffer holds. Those of a matrix are plain
/// active values there.
template <class T>
int check_target([[maybe_unused]] const char *call, [[maybe_unused]] const T *buffer, [[maybe_unused]] MPI_Datatype &datatype,
                 [[maybe_unused]] MPI_Comm comm) {
  constexpr content kind = content_of<T>();
  if constexpr (kind == content::matrix || kind == content::part)
    return MPI_SUCCESS;
  else
    return check_buffer(call, buffer, datatype, comm);
}

/// Whose arguments an array has.
enum class peers { ranks, sources, destinations };

inline int bundle_buffers(const char *call, MPI_Datatype scalar, peers which, const int *counts, const MPI_Datatype *&types,
                          MPI_Comm comm) {
  return admpi_detail_bundle_buffers(call, scalar, static_cast<int>(which), counts, types, comm, &types);
}
inline int bundle_buffers(const char *call, MPI_Datatype scalar, peers which, const MPI_Count *counts,
                          const MPI_Datatype *&types, MPI_Comm comm) {
  return admpi_detail_bundle_buffers_c(call, scalar, static_cast<int>(which), counts, types, comm, &types);
}

/// As check_buffer, for a call with a datatype for each peer; only those of tangents are looked at.
template <peers Peers, class T, class Count>
int check_buffers([[maybe_unused]] const char *call, [[maybe_unused]] const T *buffer,
                  [[maybe_unused]] const Count *counts, [[maybe_unused]] const MPI_Datatype *&datatypes,
                  [[maybe_unused]] MPI_Comm comm) {
  if constexpr (content_of<T>() == content::tangent) {
    if (buffer == MPI_IN_PLACE || comm == MPI_COMM_NULL) return MPI_SUCCESS;
    return bundle_buffers(call, mpi_type<typename scalar_of<T>::type>(), Peers, counts, datatypes, comm);
  }
  return MPI_SUCCESS;
}

/// Refuses buffers of tangents in a call that compares.
template <class... T>
int check_compared([[maybe_unused]] const char *call) {
  if constexpr (((content_of<T>() == content::tangent) || ...))
    return admpi_detail_refuse(call, "the buffer is of admpi::tangent, and MPI compares integers only", MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
