// What the tests of reductions share: every call in every form.
#ifndef ADMPI_TESTS_AMPI_REDUCTIONS_HPP
#define ADMPI_TESTS_AMPI_REDUCTIONS_HPP

#include <cstddef>

#include "harness/identity.hpp"

namespace reductions {

using test::active;
using test::check_identity;
using test::paired;
using test::rank_of;
using test::size_of;

inline int world_size() { return size_of(MPI_COMM_WORLD); }
inline int world_rank() { return rank_of(MPI_COMM_WORLD); }

#define BOTH_WORLDS(name, function)            \
  template <class... A>                        \
  int name(paired, A... a) {                   \
    return MPI_##function(a...);               \
  }                                            \
  template <class... A>                        \
  int name(active, A... a) {                   \
    return active::name(a...);                 \
  }
BOTH_WORLDS(scan, Scan)
BOTH_WORLDS(iscan, Iscan)
BOTH_WORLDS(exscan, Exscan)
BOTH_WORLDS(iexscan, Iexscan)
BOTH_WORLDS(reduce_scatter, Reduce_scatter)
BOTH_WORLDS(ireduce_scatter, Ireduce_scatter)
BOTH_WORLDS(reduce_scatter_block, Reduce_scatter_block)
BOTH_WORLDS(ireduce_scatter_block, Ireduce_scatter_block)
BOTH_WORLDS(reduce_local, Reduce_local)
BOTH_WORLDS(reduce, Reduce)
BOTH_WORLDS(iallreduce, Iallreduce)
BOTH_WORLDS(ireduce, Ireduce)

/// Values between -1.4 and 1.4, however often.
template <class T>
std::vector<T> mix(const std::vector<T> &a) {
  std::vector<T> y(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = sin(a[i] * T(2.0) + a[(i + 1) % a.size()]) * T(1.4);
  return y;
}

/// How a call is made: blocking or not, in place or not.
struct form {
  bool nonblocking, in_place;
};

const form forms[] = {{false, false}, {false, true}, {true, false}, {true, true}};

/// Calls `now` or, with a request that is waited for while other work goes on, `begin`.
template <class Mpi, class Now, class Begin>
void run(Mpi mpi, const form &how, const Now &now, const Begin &begin) {
  if (!how.nonblocking) {
    now();
    return;
  }
  auto request = Mpi::null();
  begin(&request);
  mpi.wait(&request, MPI_STATUS_IGNORE);
}

template <class Mpi, class T>
void scan_in(Mpi mpi, const form &how, bool exclusive, const std::vector<T> &out, std::vector<T> &in, MPI_Datatype type,
             MPI_Op operation) {
  const int n = static_cast<int>(in.size());
  const void *from = how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
  void *to = in.data();
  run(
      mpi, how,
      [&] {
        if (exclusive)
          exscan(mpi, from, to, n, type, operation, MPI_COMM_WORLD);
        else
          scan(mpi, from, to, n, type, operation, MPI_COMM_WORLD);
      },
      [&](auto *request) {
        if (exclusive)
          iexscan(mpi, from, to, n, type, operation, MPI_COMM_WORLD, request);
        else
          iscan(mpi, from, to, n, type, operation, MPI_COMM_WORLD, request);
      });
}

/// Of items of so many elements.
template <class Mpi, class T>
std::vector<T> scatter_in(Mpi mpi, const form &how, bool block, const std::vector<int> &counts, const std::vector<T> &out,
                          MPI_Datatype type, MPI_Op operation, int words = 1) {
  const int mine = counts[static_cast<std::size_t>(world_rank())];
  std::vector<T> in = out;
  if (!how.in_place) in.resize(static_cast<std::size_t>(mine * words));
  const void *from = how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
  void *to = in.data();
  run(
      mpi, how,
      [&] {
        if (block)
          reduce_scatter_block(mpi, from, to, mine, type, operation, MPI_COMM_WORLD);
        else
          reduce_scatter(mpi, from, to, counts.data(), type, operation, MPI_COMM_WORLD);
      },
      [&](auto *request) {
        if (block)
          ireduce_scatter_block(mpi, from, to, mine, type, operation, MPI_COMM_WORLD, request);
        else
          ireduce_scatter(mpi, from, to, counts.data(), type, operation, MPI_COMM_WORLD, request);
      });
  // What lies behind the result in place is anybody's guess.
  in.resize(static_cast<std::size_t>(mine * words));
  return in;
}

/// A value and its index in either world.
struct located {
  test::pair value;
  int index;
};

template <bool Max>
void reduce_located(void *in, void *inout, int *n, MPI_Datatype *) {
  const located *low = static_cast<located *>(in);
  located *high = static_cast<located *>(inout);
  for (int i = 0; i < *n; ++i) {
    const double a = low[i].value.value, b = high[i].value.value;
    const bool better = Max ? a > b : a < b;
    if (better || (a == b && low[i].index <= high[i].index)) high[i] = low[i];
  }
}

/// What each world needs for them.
struct located_world {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op smallest = MPI_OP_NULL, largest = MPI_OP_NULL;

  located_world() {
    MPI_Type_contiguous(sizeof(located), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(&reduce_located<false>, 0, &smallest);
    MPI_Op_create(&reduce_located<true>, 0, &largest);
  }
  located_world(const located_world &) = delete;
  located_world &operator=(const located_world &) = delete;
  ~located_world() {
    MPI_Type_free(&type);
    MPI_Op_free(&smallest);
    MPI_Op_free(&largest);
  }
  located item(paired) const { return {}; }
  admpi::value_index<admpi::var> item(active) const { return {}; }
  MPI_Datatype type_of(paired) const { return type; }
  MPI_Datatype type_of(active) const { return AMPI_ADOUBLE_INT; }
  MPI_Op operation(paired, bool max) const { return max ? largest : smallest; }
  MPI_Op operation(active, bool max) const { return max ? MPI_MAXLOC : MPI_MINLOC; }
};

/// The product of 2x2 matrices, which does not commute.
template <class T>
void multiply_matrices(void *in, void *inout, int *len, MPI_Datatype *) {
  const T *a = static_cast<const T *>(in);
  T *b = static_cast<T *>(inout);
  for (int i = 0; i < *len; ++i, a += 4, b += 4) {
    const T c[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                   a[2] * b[1] + a[3] * b[3]};
    for (int k = 0; k < 4; ++k) b[k] = c[k];
  }
}

/// The same in items with a gap of four doubles behind each.
template <class T>
void multiply_spread(void *in, void *inout, int *len, MPI_Datatype *type) {
  int one = 1;
  // The type is what it was, also where its handle has been freed since the call.
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(*type, &lower, &extent);
  CHECK(extent == static_cast<MPI_Aint>(8 * sizeof(T)));
  for (int i = 0; i < *len; ++i)
    multiply_matrices<T>(static_cast<T *>(in) + 8 * i, static_cast<T *>(inout) + 8 * i, &one, type);
}

inline void matrix_adjoint(const double *a, const double *b, const double *c_bar, double *a_bar, double *b_bar, int len,
                           int size) {
  CHECK(size == 4);
  for (int m = 0; m < len; ++m, a += 4, b += 4, c_bar += 4, a_bar += 4, b_bar += 4)
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (int k = 0; k < 2; ++k) {
          a_bar[2 * i + k] += c_bar[2 * i + j] * b[2 * k + j];
          b_bar[2 * k + j] += c_bar[2 * i + j] * a[2 * i + k];
        }
}

enum class way { recorded, derivative, spread };

/// The operation and its datatype of four doubles an item.
template <class Mpi>
struct matrices {
  using real = typename Mpi::real;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;

  explicit matrices(way how) {
    if (how == way::spread) {
      MPI_Datatype four;
      MPI_Type_contiguous(4, Mpi::type(), &four);
      MPI_Type_create_resized(four, 0, 8 * sizeof(real), &type);
      MPI_Type_free(&four);
    } else {
      MPI_Type_contiguous(4, Mpi::type(), &type);
    }
    MPI_Type_commit(&type);
    create(Mpi(), how);
  }
  matrices(const matrices &) = delete;
  matrices &operator=(const matrices &) = delete;
  ~matrices() {
    MPI_Type_free(&type);
    AMPI_Op_free(&operation);
  }
  void create(paired, way how) {
    MPI_Op_create(how == way::spread ? &multiply_spread<real> : &multiply_matrices<real>, 0, &operation);
  }
  void create(active, way how) {
    if (how == way::derivative)
      AMPI_Op_create_adjoint(&multiply_matrices<double>, &matrix_adjoint, 0, &operation);
    else
      AMPI_Op_create(how == way::spread ? &multiply_spread<real> : &multiply_matrices<real>, 0, &operation);
  }
};

/// Runs `program(mpi, matrices, x)` over items of four doubles, in each way.
template <class Program>
void check_matrices(int items, unsigned seed, const Program &program) {
  test::begin();
  for (const way how : {way::recorded, way::derivative, way::spread}) {
    CAPTURE(static_cast<int>(how));
    const int size = how == way::spread ? 8 : 4;
    check_identity(static_cast<std::size_t>(size * items), seed, [&](auto mpi, auto &x) {
      // Freed before the sweep.
      const matrices<decltype(mpi)> product(how);
      auto operands = mix(x);
      for (auto &v : operands) v = v * typename decltype(mpi)::real(0.5);
      return program(mpi, product, operands, size);
    });
  }
}

}  // namespace reductions

#endif
