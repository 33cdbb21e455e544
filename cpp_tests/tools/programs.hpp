// Programs that communicate, written over the scalar: with admpi::var, and with the variables of other tools.
#ifndef ADMPI_TESTS_TOOLS_PROGRAMS_HPP
#define ADMPI_TESTS_TOOLS_PROGRAMS_HPP

#include <admpi.hpp>

#include <cmath>
#include <vector>

#include "harness/ranks.hpp"

namespace programs {

using test::left;
using test::rank;
using test::right;
using test::size;
using test::world;

inline constexpr int length = 6;

template <class S>
using list = std::vector<S>;

/// Local work that is not linear, and overwrites.
template <class S>
void mix(list<S> &a, const list<S> &b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = sin(a[i] * b[i % b.size()]) + b[(i + 1) % b.size()];
}

/// Blocking messages round the ring; the receive has room for more, and is from anyone.
template <class S>
void ring(MPI_Datatype type, list<S> &x, list<S> &y) {
  y.assign(length + 3, S(0.5));
  MPI_Status status;
  int n = 0;
  for (int turn = 0; turn < 2; ++turn) {
    if (rank() != 0) AMPI_Recv(y.data(), length + 3, type, MPI_ANY_SOURCE, turn, world, &status);
    if (size() > 1) AMPI_Send(x.data(), length, type, right(), turn, world);
    if (rank() == 0 && size() > 1) AMPI_Recv(y.data(), length + 3, type, left(), MPI_ANY_TAG, world, &status);
    if (size() > 1) {
      MPI_Get_count(&status, type, &n);
      if (n != length || status.MPI_SOURCE != left()) y[0] = S(1e9);
    }
    mix(x, y);
    AMPI_Recv(y.data(), length, type, MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
  }
  mix(y, x);
}

/// Several requests at once, completed out of order; what was sent is overwritten and destroyed before its adjoint comes.
template <class S>
void halo(MPI_Datatype type, list<S> &x, list<S> &y) {
  list<S> low(2, S(0.1)), high(2, S(0.2));
  for (int step = 0; step < 3; ++step) {
    AMPI_Request q[4];
    list<S> out(x.begin(), x.begin() + 2);
    AMPI_Irecv(low.data(), 2, type, left(), 1, world, &q[0]);
    AMPI_Irecv(high.data(), 2, type, right(), 2, world, &q[1]);
    AMPI_Isend(&x[length - 2], 2, type, right(), 1, world, &q[2]);
    AMPI_Isend(out.data(), 2, type, left(), 2, world, &q[3]);
    AMPI_Wait(&q[3], MPI_STATUS_IGNORE);
    AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
    for (S &one : out) one = sin(high[0] * one);
    if (step == 1) {
      int flag = 0;
      while (flag == 0) AMPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
      AMPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    } else {
      AMPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    }
    x[0] = x[0] * low[1] + out[1];
    x[length - 1] = sin(x[length - 1] + high[0] * low[0]);
    mix(x, low);
  }
  y = x;
}

/// Requests completed one by one, whichever comes first.
template <class S>
void whichever(MPI_Datatype type, list<S> &x, list<S> &y) {
  y.assign(2 * size(), S(0.0));
  std::vector<AMPI_Request> q(2 * size());
  for (int r = 0; r < size(); ++r) AMPI_Irecv(&y[2 * r], 2, type, r, 7, world, &q[r]);
  for (int r = 0; r < size(); ++r) AMPI_Issend(&x[r % 4], 2, type, r, 7, world, &q[size() + r]);
  int which = 0, n = 0;
  std::vector<int> some(q.size());
  AMPI_Waitany(size(), q.data(), &which, MPI_STATUS_IGNORE);
  for (int left = size() - 1; left > 0; left -= n) AMPI_Waitsome(size(), q.data(), &n, some.data(), MPI_STATUSES_IGNORE);
  AMPI_Waitall(2 * size(), q.data(), MPI_STATUSES_IGNORE);
  mix(y, x);
}

/// Exchanges each way, in place too, and by persistent requests.
template <class S>
void exchanges(MPI_Datatype type, list<S> &x, list<S> &y) {
  y.assign(length, S(0.3));
  AMPI_Sendrecv(x.data(), length, type, right(), 3, y.data(), length, type, left(), 3, world, MPI_STATUS_IGNORE);
  mix(y, x);
  AMPI_Sendrecv_replace(y.data(), length - 1, type, left(), 4, right(), 4, world, MPI_STATUS_IGNORE);
  mix(x, y);
  AMPI_Request q[2];
  AMPI_Recv_init(y.data(), length, type, left(), 5, world, &q[0]);
  AMPI_Send_init(x.data(), length, type, right(), 5, world, &q[1]);
  for (int turn = 0; turn < 2; ++turn) {
    AMPI_Startall(2, q);
    AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
    mix(x, y);
  }
  AMPI_Request_free(&q[0]);
  AMPI_Request_free(&q[1]);
  MPI_Message message;
  AMPI_Isend(x.data(), 3, type, rank(), 6, world, &q[0]);
  AMPI_Mprobe(rank(), 6, world, &message, MPI_STATUS_IGNORE);
  AMPI_Mrecv(&y[1], 3, type, &message, MPI_STATUS_IGNORE);
  AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  mix(y, x);
}

/// Data moved by all, with a count for each and with one for all, in place too.
template <class S>
void moves(MPI_Datatype type, list<S> &x, list<S> &y) {
  const int n = size(), root = n - 1;
  list<S> all(2 * n, S(0.7));
  AMPI_Bcast(x.data(), 3, type, root, world);
  AMPI_Gather(x.data(), 2, type, all.data(), 2, type, 0, world);
  AMPI_Scatter(all.data(), 2, type, rank() == 0 ? static_cast<S *>(MPI_IN_PLACE) : &x[2], 2, type, 0, world);
  AMPI_Allgather(x.data(), 2, type, all.data(), 2, type, world);
  mix(all, x);
  AMPI_Allgather(MPI_IN_PLACE, 0, type, all.data(), 2, type, world);
  mix(all, x);
  list<S> swapped(2 * n, S(0.4));
  AMPI_Alltoall(all.data(), 2, type, swapped.data(), 2, type, world);
  // Parts of other lengths, with a gap between.
  std::vector<int> counts(n), displs(n);
  for (int r = 0, end = 0; r < n; ++r) {
    counts[r] = r % 3;
    displs[r] = end;
    end += counts[r] + 1;
  }
  y.assign(4 * n, S(0.9));
  const int mine = counts[rank()];
  AMPI_Gatherv(swapped.data(), mine, type, y.data(), counts.data(), displs.data(), type, root, world);
  AMPI_Scatterv(y.data(), counts.data(), displs.data(), type, swapped.data(), mine, type, root, world);
  AMPI_Allgatherv(swapped.data(), mine, type, y.data(), counts.data(), displs.data(), type, world);
  mix(y, x);
  // From rank r to s: (r + s) % 2 items.
  std::vector<int> from(n), into(n), at(n);
  for (int r = 0; r < n; ++r) {
    from[r] = into[r] = (r + rank()) % 2;
    at[r] = 2 * r;
  }
  AMPI_Alltoallv(swapped.data(), from.data(), at.data(), type, all.data(), into.data(), at.data(), type, world);
  for (int r = 0; r < n; ++r) at[r] *= static_cast<int>(sizeof(S));
  const std::vector<MPI_Datatype> types(n, type);
  AMPI_Alltoallw(all.data(), from.data(), at.data(), types.data(), y.data(), into.data(), at.data(), types.data(), world);
  mix(y, all);
}

/// All operations that have a derivative.
template <class S>
void reductions(MPI_Datatype type, list<S> &x, list<S> &y) {
  const int n = size();
  y.assign(length, S(0.8));
  AMPI_Allreduce(x.data(), y.data(), length, type, MPI_SUM, world);
  mix(x, y);
  AMPI_Reduce(x.data(), y.data(), length, type, MPI_PROD, n - 1, world);
  mix(x, y);
  if (rank() == 0)
    AMPI_Reduce(MPI_IN_PLACE, x.data(), length, type, MPI_MAX, 0, world);
  else
    AMPI_Reduce(x.data(), static_cast<S *>(nullptr), length, type, MPI_MAX, 0, world);
  AMPI_Allreduce(MPI_IN_PLACE, x.data(), 3, type, MPI_MIN, world);
  AMPI_Scan(x.data(), y.data(), length, type, MPI_PROD, world);
  AMPI_Exscan(y.data(), x.data(), length, type, MPI_SUM, world);
  mix(y, x);
  list<S> parts(2 * n, S(1.1));
  for (int i = 0; i < 2 * n; ++i) parts[i] = parts[i] * y[i % length];
  AMPI_Reduce_scatter_block(parts.data(), x.data(), 2, type, MPI_SUM, world);
  std::vector<int> counts(n, 1);
  counts[0] = n;
  AMPI_Reduce_scatter(MPI_IN_PLACE, parts.data(), counts.data(), type, MPI_SUM, world);
  AMPI_Reduce_local(x.data(), parts.data(), 2, type, MPI_PROD);
  mix(y, parts);
}

/// Collectives under way at the same time, completed in the other order.
template <class S>
void pending(MPI_Datatype type, list<S> &x, list<S> &y) {
  AMPI_Request q[3];
  list<S> sum(length), all(2 * size());
  AMPI_Iallreduce(x.data(), sum.data(), length, type, MPI_SUM, world, &q[0]);
  AMPI_Iallgather(&x[1], 2, type, all.data(), 2, type, world, &q[1]);
  list<S> told(2, x[0]);
  AMPI_Ibcast(told.data(), 2, type, 0, world, &q[2]);
  AMPI_Wait(&q[2], MPI_STATUS_IGNORE);
  AMPI_Wait(&q[1], MPI_STATUS_IGNORE);
  mix(told, all);
  AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
  mix(x, told);
  mix(sum, x);
  y = sum;
}

/// Types with gaps, of several items, built from the variable's.
template <class S>
void types(MPI_Datatype type, list<S> &x, list<S> &y) {
  MPI_Datatype column, resized, pair;
  MPI_Type_vector(3, 1, 2, type, &column);
  MPI_Type_create_resized(column, 0, static_cast<MPI_Aint>(sizeof(S)), &resized);
  MPI_Type_commit(&resized);
  const int lengths[] = {1, 2}, places[] = {3, 0};
  MPI_Type_indexed(2, lengths, places, type, &pair);
  MPI_Type_commit(&pair);
  y.assign(3 * length, S(0.25));
  AMPI_Request q[2];
  AMPI_Irecv(y.data(), 2, pair, left(), 1, world, &q[0]);
  AMPI_Isend(x.data(), 2, resized, right(), 1, world, &q[1]);
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  mix(x, y);
  list<S> all(4 * size(), S(0.35));
  AMPI_Allgather(x.data(), 1, pair, all.data(), 3, type, world);
  mix(y, all);
  MPI_Type_free(&column);
  MPI_Type_free(&resized);
  MPI_Type_free(&pair);
}

/// Neighbours on a ring that the library made.
template <class S>
void neighbours(MPI_Datatype type, list<S> &x, list<S> &y) {
  MPI_Comm grid;
  const int dims[] = {size()}, periods[] = {1};
  AMPI_Cart_create(world, 1, dims, periods, 0, &grid);
  y.assign(4, S(0.6));
  AMPI_Neighbor_allgather(x.data(), 2, type, y.data(), 2, type, grid);
  mix(x, y);
  AMPI_Neighbor_alltoall(x.data(), 2, type, y.data(), 2, type, grid);
  mix(y, x);
  AMPI_Comm_free(&grid);
}

template <class S>
using program = void (*)(MPI_Datatype, list<S> &, list<S> &);

template <class S>
inline const program<S> all[] = {ring<S>,       halo<S>,    whichever<S>, exchanges<S>, moves<S>,
                                 reductions<S>, pending<S>, types<S>,     neighbours<S>};
inline constexpr int count = 9;

/// Of rank `r`, input `i`.
inline double input(int i) { return 0.3 + 0.07 * i + 0.11 * rank() + 0.013 * i * rank(); }
/// What output `i` is seeded with in a direction.
inline double weight(std::size_t i, int direction) {
  return 1.0 + 0.3 * static_cast<double>(i) - 0.2 * direction + 0.05 * rank();
}

}  // namespace programs

#endif
