// admpi: windows of shared memory. A pointer to active values tells what a window is for, and whom its memory is of use to.
#ifndef ADMPI_AMPI_SHARED_HPP
#define ADMPI_AMPI_SHARED_HPP

#include <type_traits>

#include "admpi/interface.h"
#include "admpi/ampi_types.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// Calls make(hints) with the hint that the window is for active data, unless `info` says otherwise.
template <class Make>
int with_active_hint(MPI_Info info, Make make) {
  MPI_Info hints = MPI_INFO_NULL;
  const int made = info == MPI_INFO_NULL ? MPI_Info_create(&hints) : MPI_Info_dup(info, &hints);
  if (made != MPI_SUCCESS) return made;
  char value[8];
  int is_set = 0;
  MPI_Info_get(hints, "admpi_active", static_cast<int>(sizeof value) - 1, value, &is_set);
  if (!is_set) MPI_Info_set(hints, "admpi_active", "true");
  const int code = make(hints);
  MPI_Info_free(&hints);
  return code;
}

/// Whether the memory that a query has told is this rank's.
inline int check_own_memory(const char *call, MPI_Win win, const void *told) {
  void *own = nullptr;
  int is_known = 0;
  if (const int code = MPI_Win_get_attr(win, MPI_WIN_BASE, &own, &is_known)) return code;
  if (!is_known || own == told) return MPI_SUCCESS;
  return admpi_detail_refuse(call,
                             "baseptr: active values of another rank, whose ids mean nothing on this rank's tape: use AMPI_Get, which "
                             "copies inside a node",
                             MPI_COMM_WORLD);
}

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

/// MPI_Win_allocate_shared of active values: for active data, unless the info key `admpi_active` is `false`.
template <class T, std::enable_if_t<admpi::detail::holds_active<T>(), int> = 0>
inline int AMPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, T **baseptr, MPI_Win *win) {
  return admpi::detail::with_active_hint(info, [&](MPI_Info hints) {
    return AMPI_Win_allocate_shared(size, disp_unit, hints, comm, static_cast<void *>(baseptr), win);
  });
}
template <class T, std::enable_if_t<admpi::detail::holds_active<T>(), int> = 0>
inline int AMPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, T **baseptr, MPI_Win *win) {
  return admpi::detail::with_active_hint(info, [&](MPI_Info hints) {
    return AMPI_Win_allocate_shared_c(size, disp_unit, hints, comm, static_cast<void *>(baseptr), win);
  });
}

/// MPI_Win_shared_query: active values of another rank mean nothing here, whatever the window was made for.
template <class T, std::enable_if_t<admpi::detail::holds_active<T>(), int> = 0>
inline int AMPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, T **baseptr) {
  if (const int code = AMPI_Win_shared_query(win, rank, size, disp_unit, static_cast<void *>(baseptr))) return code;
  return admpi::detail::check_own_memory("AMPI_Win_shared_query", win, *baseptr);
}
template <class T, std::enable_if_t<admpi::detail::holds_active<T>(), int> = 0>
inline int AMPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *disp_unit, T **baseptr) {
  if (const int code = AMPI_Win_shared_query_c(win, rank, size, disp_unit, static_cast<void *>(baseptr))) return code;
  return admpi::detail::check_own_memory("AMPI_Win_shared_query_c", win, *baseptr);
}

#endif
