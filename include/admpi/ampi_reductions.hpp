// admpi: reductions of tangents. MPI's operations on numbers become operations on values with their derivatives.
//
// Over double they are user-defined operations that MPI calls. Over var the derivative of a result is an active value,
// so the operation has to run where the tape sees it: every rank's part is gathered, which has an adjoint, and they
// are combined here. That takes memory for the parts of all ranks; MPI_SUM, which is linear, needs none of it.
#ifndef ADMPI_AMPI_REDUCTIONS_HPP
#define ADMPI_AMPI_REDUCTIONS_HPP

#include <climits>
#include <cstddef>
#include <type_traits>
#include <vector>

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
template <class T>
struct base_of<tangent<T>> : base_of<T> {};

template <class T>
inline constexpr bool is_value_index = false;
template <class T>
inline constexpr bool is_value_index<value_index<T>> = true;

/// What a reduction of a buffer works on: tangents or pairs with them, or void where there are none.
template <class T>
struct reduced {
  using element = std::remove_cv_t<std::remove_all_extents_t<T>>;
  using scalar = typename scalar_of<element>::type;
  using type = std::conditional_t<is_tangent<scalar>, std::conditional_t<is_value_index<element>, element, scalar>, void>;
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
using element_of = typename first_reduced<T...>::type;

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
template <class T>
tangent<T> times(const tangent<T> &x, const tangent<T> &y) {
  return {times(x.value, y.value), T(times(x.derivative, y.value) + times(x.value, y.derivative))};
}
template <class T>
T product(const T &x, const T &y) {
  return x * y;
}
template <class T>
tangent<T> product(const tangent<T> &x, const tangent<T> &y) {
  return {product(x.value, y.value), T(times(x.derivative, y.value) + times(x.value, y.derivative))};
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
    MPI_Op_create(&reduce_items<E, Operation>, 0, &op);
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
    if (op == MPI_MIN) return reduction<E, reduce_min>();
    if (op == MPI_MAX) return reduction<E, reduce_max>();
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

/// Puts the operation on tangents in the place of MPI's own. One of the user's works on tangents as it is.
template <class E>
int substitute_operation(const char *call, MPI_Op &op, MPI_Datatype datatype, MPI_Comm comm) {
  const bool predefined = is_predefined(op);
  const MPI_Op own = reduction_of<E>(op);
  if (predefined && own == MPI_OP_NULL)
    return admpi_refuse(call,
                        "op: tangents are reduced by MPI_SUM, MPI_PROD, MPI_MIN and MPI_MAX, admpi::value_index of them by "
                        "MPI_MINLOC and MPI_MAXLOC, and both by operations of AMPI_Op_create",
                        comm);
  if (!predefined && admpi_op_has_adjoint(op))
    return admpi_refuse(call,
                        "op: it was made by AMPI_Op_create_adjoint, so its function knows doubles only; make one by "
                        "AMPI_Op_create whose function is templated on the scalar",
                        comm);
  // AMPI_ADOUBLE stands here still where this rank has no part in the call.
  if ((predefined || is_recorded<E>()) && datatype != mpi_type<E>() && datatype != AMPI_ADOUBLE)
    return admpi_refuse(call,
                        "datatype: tangents are reduced under the scalar itself, AMPI_ADOUBLE or admpi::mpi_type, not under "
                        "a datatype made from it (but for operations of AMPI_Op_create, and not over admpi::var)",
                        comm);
  // What is linear the library reduces itself, element by element.
  if (predefined && !(is_recorded<E>() && op == MPI_SUM)) op = own;
  return MPI_SUCCESS;
}

/// For a reduction of buffers of T: nothing, unless they are of tangents.
template <class... T>
int check_operation([[maybe_unused]] const char *call, [[maybe_unused]] MPI_Op &op,
                    [[maybe_unused]] MPI_Datatype datatype, [[maybe_unused]] MPI_Comm comm) {
  if constexpr (std::is_void_v<element_of<T...>>)
    return MPI_SUCCESS;
  else
    return substitute_operation<element_of<T...>>(call, op, datatype, comm);
}

/// As check_operation, for calls that have no other way to reduce what is recorded than the library's own.
template <class... T>
int check_linear_operation(const char *call, MPI_Op &op, MPI_Datatype datatype, MPI_Comm comm) {
  if constexpr (is_recorded<element_of<T...>>()) {
    if (op != MPI_SUM)
      return admpi_refuse(call, "op: tangents over admpi::var are reduced by MPI_SUM here; for others use the blocking call of int counts", comm);
  }
  return check_operation<T...>(call, op, datatype, comm);
}

/// The parts of all ranks, to be combined on this one. E: tangents over var, or pairs with them.
template <class E>
class parts {
 public:
  parts(int n, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) : n_(n), datatype_(datatype), op_(op), comm_(comm) {}

  int gather(const void *part, int root) {
    int size = 0, rank = 0;
    if (const int code = MPI_Comm_size(comm_, &size)) return code;
    if (const int code = MPI_Comm_rank(comm_, &rank)) return code;
    if (root < 0 || root == rank) all_.resize(static_cast<std::size_t>(n_) * static_cast<std::size_t>(size));
    return move(part, root);
  }

  /// Combines the parts of the first `ranks` ranks in their order.
  int combine(int ranks) {
    for (int rank = 1; rank < ranks; ++rank)
      if (const int code = MPI_Reduce_local(part(rank - 1), part(rank), n_, datatype_, op_)) return code;
    return MPI_SUCCESS;
  }

  E *part(int rank) { return all_.data() + static_cast<std::ptrdiff_t>(rank) * n_; }

 private:
  int n_;
  MPI_Datatype datatype_;
  MPI_Op op_;
  MPI_Comm comm_;
  std::vector<E> all_;

  int move(const void *from, int root) {
    const MPI_Datatype type = mpi_type<E>();
    void *const to = all_.data();
    return root < 0 ? AMPI_Allgather(from, n_, type, to, n_, type, comm_)
                    : AMPI_Gather(from, n_, type, to, n_, type, root, comm_);
  }
};

inline constexpr int everywhere = -1;

/// What a rank brings to a reduction.
inline const void *brought(const void *sendbuf, const void *recvbuf) {
  return sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
}

/// Combines the parts of the ranks below `ranks`, and keeps `length` elements from `first` on.
template <class E>
int reduce_parts(parts<E> &all, int ranks, int first, int length, void *recvbuf) {
  if (ranks == 0) return MPI_SUCCESS;
  if (const int code = all.combine(ranks)) return code;
  const E *const result = all.part(ranks - 1) + first;
  for (int i = 0; i < length; ++i) static_cast<E *>(recvbuf)[i] = result[i];
  return MPI_SUCCESS;
}

template <class E>
int recorded_Allreduce(const char *, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm) {
  int size = 0;
  if (const int code = MPI_Comm_size(comm, &size)) return code;
  parts<E> all(count, datatype, op, comm);
  if (const int code = all.gather(brought(sendbuf, recvbuf), everywhere)) return code;
  return reduce_parts(all, size, 0, count, recvbuf);
}

template <class E>
int recorded_Reduce(const char *, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                    MPI_Comm comm) {
  int size = 0, rank = 0;
  if (const int code = MPI_Comm_size(comm, &size)) return code;
  if (const int code = MPI_Comm_rank(comm, &rank)) return code;
  parts<E> all(count, datatype, op, comm);
  if (const int code = all.gather(brought(sendbuf, recvbuf), root)) return code;
  return rank == root ? reduce_parts(all, size, 0, count, recvbuf) : MPI_SUCCESS;
}

template <class E>
int recorded_Scan(const char *, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  int rank = 0;
  if (const int code = MPI_Comm_rank(comm, &rank)) return code;
  parts<E> all(count, datatype, op, comm);
  if (const int code = all.gather(brought(sendbuf, recvbuf), everywhere)) return code;
  return reduce_parts(all, rank + 1, 0, count, recvbuf);
}

/// Rank 0 has nothing below it: its buffer stays as it is.
template <class E>
int recorded_Exscan(const char *, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm) {
  int rank = 0;
  if (const int code = MPI_Comm_rank(comm, &rank)) return code;
  parts<E> all(count, datatype, op, comm);
  if (const int code = all.gather(brought(sendbuf, recvbuf), everywhere)) return code;
  return reduce_parts(all, rank, 0, count, recvbuf);
}

/// This rank keeps `length` of the `n` elements, from `first` on.
template <class E>
int recorded_scatter(const char *call, const void *sendbuf, void *recvbuf, long long n, long long first, int length,
                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int size = 0;
  if (n > INT_MAX) return admpi_refuse(call, "recvcounts: together they are past INT_MAX", comm);
  if (const int code = MPI_Comm_size(comm, &size)) return code;
  parts<E> all(static_cast<int>(n), datatype, op, comm);
  if (const int code = all.gather(brought(sendbuf, recvbuf), everywhere)) return code;
  return reduce_parts(all, size, static_cast<int>(first), length, recvbuf);
}

template <class E>
int recorded_Reduce_scatter(const char *call, const void *sendbuf, void *recvbuf, const int recvcounts[],
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int size = 0, rank = 0;
  long long first = 0, n = 0;
  if (const int code = MPI_Comm_size(comm, &size)) return code;
  if (const int code = MPI_Comm_rank(comm, &rank)) return code;
  for (int i = 0; i < size; ++i) {
    if (i == rank) first = n;
    n += recvcounts[i];
  }
  return recorded_scatter<E>(call, sendbuf, recvbuf, n, first, recvcounts[rank], datatype, op, comm);
}

template <class E>
int recorded_Reduce_scatter_block(const char *call, const void *sendbuf, void *recvbuf, int recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int size = 0, rank = 0;
  if (const int code = MPI_Comm_size(comm, &size)) return code;
  if (const int code = MPI_Comm_rank(comm, &rank)) return code;
  const long long length = recvcount;
  return recorded_scatter<E>(call, sendbuf, recvbuf, size * length, rank * length, recvcount, datatype, op, comm);
}

template <class E>
int recorded_Reduce_local(const char *, const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  const MPI_Op own = reduction_of<E>(op);
  return MPI_Reduce_local(inbuf, inoutbuf, count, datatype, own == MPI_OP_NULL ? op : own);
}

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
