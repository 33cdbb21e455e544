// Reductions that leave a part of the result on each rank, pairs of a value and an index, and users' operations.
#include "harness/identity.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

using test::active;
using test::check_identity;
using test::op;
using test::paired;
using test::rank_of;
using test::refusal;
using test::size_of;

namespace {

int world_size() { return size_of(MPI_COMM_WORLD); }
int world_rank() { return rank_of(MPI_COMM_WORLD); }

const op all_operations[] = {op::sum, op::product, op::min, op::max};

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

/// `x`'s derivative, another value.
template <class T>
T with_value(const T &x, double value) {
  return x - T(test::value(x)) + T(value);
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

/// Items of each rank: none on some.
std::vector<int> some_counts() {
  std::vector<int> counts;
  for (int rank = 0; rank < world_size(); ++rank) counts.push_back(rank % 3 == 1 ? 0 : 1 + 5 * rank);
  return counts;
}

int sum(const std::vector<int> &counts) {
  int total = 0;
  for (const int n : counts) total += n;
  return total;
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

}  // namespace

// Each test checks many calls by one identity: ranks that share a core are slow to agree.
TEST_CASE("test_reductions_scan_and_exscan") {
  for (const form &how : forms)
    for (const int n : {0, 1, 150}) {
      if (n == 1 && (how.nonblocking || how.in_place)) continue;
      CAPTURE(how.nonblocking);
      CAPTURE(how.in_place);
      CAPTURE(n);
      check_identity(n, 21, [&](auto mpi, auto &x) {
        auto out = mix(x), results = x;
        for (const op which : all_operations)
          for (const bool exclusive : {false, true}) {
            // In Exscan the buffer of rank 0 is what it was, derivatives included.
            auto in = how.in_place ? out : mix(out);
            scan_in(mpi, how, exclusive, out, in, mpi.type(), mpi.operation(which));
            for (int i = 0; i < n; ++i) results.push_back(in[i] * in[i] * out[i]);
            out = mix(out);
          }
        return results;
      });
    }
}

TEST_CASE("test_reductions_scan_with_zeros") {
  // No zero, one, two, all, one on the last rank; a chain of scans.
  check_identity(5, 22, [&](auto mpi, auto &x) {
    const int rank = world_rank(), size = world_size();
    auto out = x, results = x;
    const bool zero[] = {false, rank == size / 2, rank < 2, true, rank == size - 1};
    for (int i = 0; i < 5; ++i)
      if (zero[i]) out[i] = with_value(x[i], 0.0);
    for (const bool exclusive : {false, true}) {
      auto in = x;
      scan_in(mpi, {false, false}, exclusive, out, in, mpi.type(), mpi.operation(op::product));
      auto again = in;
      scan_in(mpi, {false, false}, false, in, again, mpi.type(), mpi.operation(op::sum));
      results.insert(results.end(), again.begin(), again.end());
    }
    return results;
  });
}

TEST_CASE("test_reductions_scan_ties_go_to_the_lowest_rank") {
  check_identity(5, 23, [&](auto mpi, auto &x) {
    auto results = x;
    for (const op which : {op::min, op::max})
      for (const bool exclusive : {false, true}) {
        const int rank = world_rank();
        const double sign = which == op::min ? -1.0 : 1.0;
        // All alike; better every second rank; signed zeros; ever better; ever worse.
        const double value[] = {1.0, sign * (rank / 2), rank % 2 ? 0.0 : -0.0, sign * rank, -sign * rank};
        auto out = x;
        for (int i = 0; i < 5; ++i) out[i] = with_value(x[i], value[i]);
        auto in = x;
        scan_in(mpi, {false, false}, exclusive, out, in, mpi.type(), mpi.operation(which));
        results.insert(results.end(), in.begin(), in.end());
      }
    return results;
  });
}

TEST_CASE("test_reductions_scatter") {
  const std::vector<int> counts = some_counts(), block(static_cast<std::size_t>(world_size()), 7);
  const int n = std::max(sum(counts), sum(block));
  for (const form &how : forms) {
    CAPTURE(how.nonblocking);
    CAPTURE(how.in_place);
    check_identity(n, 24, [&](auto mpi, auto &x) {
      auto out = mix(x), results = x;
      for (const op which : all_operations)
        for (const bool is_block : {false, true}) {
          const auto in =
              scatter_in(mpi, how, is_block, is_block ? block : counts, out, mpi.type(), mpi.operation(which));
          for (std::size_t i = 0; i < in.size(); ++i) results.push_back(in[i] * in[i] * out[i]);
          out = mix(out);
        }
      return results;
    });
  }
}

TEST_CASE("test_reductions_scatter_zeros_and_ties") {
  const std::vector<int> block(static_cast<std::size_t>(world_size()), 3);
  check_identity(sum(block), 25, [&](auto mpi, auto &x) {
    auto results = x;
    for (const op which : {op::product, op::min, op::max}) {
      const int rank = world_rank();
      auto out = x;
      for (std::size_t i = 0; i < x.size(); i += 3) {
        const double sign = which == op::min ? -1.0 : 1.0;
        out[i] = with_value(x[i], which == op::product ? (rank == 1 ? 0.0 : 1.5) : 2.0);
        out[i + 1] = with_value(x[i + 1], which == op::product ? (rank < 2 ? 0.0 : 1.5) : sign * (rank > 0));
      }
      const auto in = scatter_in(mpi, {false, false}, true, block, out, mpi.type(), mpi.operation(which));
      results.insert(results.end(), in.begin(), in.end());
    }
    return results;
  });
}

TEST_CASE("test_reductions_at_all_widths") {
  test::begin();
  const int n = 9;
  for (const bool exclusive : {false, true})
    for (const op which : all_operations) {
      admpi::tape tape;
      tape.start();
      test::random next(31);
      const std::vector<double> value = next(n);
      std::vector<admpi::var> x(value.begin(), value.end()), y(n);
      tape.input(x);
      scan_in(active(), {false, false}, exclusive, x, y, AMPI_ADOUBLE, active::operation(which));
      std::vector<admpi::var> z(n);
      AMPI_Reduce(y.data(), z.data(), n, AMPI_ADOUBLE, active::operation(which), world_size() / 2, MPI_COMM_WORLD);
      std::vector<std::vector<double>> w;
      for (int k = 0; k < 16; ++k) w.push_back(next(n));
      std::vector<double> alone;
      for (const int width : {1, 2, 8, 16}) {
        tape.set_width(width);
        for (int first = 0; first < 16; first += width) {
          tape.clear_adjoints();
          for (int k = 0; k < width; ++k)
            for (int i = 0; i < n; ++i) tape.seed(z[i], w[first + k][i], k);
          tape.reverse();
          for (int k = 0; k < width; ++k)
            for (int i = 0; i < n; ++i) {
              const double adjoint = tape.adjoint(x[i], k);
              if (width == 1)
                alone.push_back(adjoint);
              else
                CHECK(adjoint == doctest::Approx(alone[(first + k) * n + i]).epsilon(1e-14));
            }
        }
      }
    }
}

namespace {

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

}  // namespace

TEST_CASE("test_reductions_pairs") {
  const located_world world;
  const int n = 6;
  for (const bool max : {false, true})
    for (const form &how : forms)
      check_identity(n, 26, [&](auto mpi, auto &x) {
        using real = typename decltype(mpi)::real;
        using item = decltype(world.item(mpi));
        const int rank = world_rank(), size = world_size();
        // Any; all alike, indices falling; alike in pairs of ranks, indices too; signed zeros; the same pair
        // everywhere; an index that the others have.
        const double sign = max ? 1.0 : -1.0;
        const double value[] = {test::value(x[0]), 1.0, sign * (rank / 2), rank % 2 ? 0.0 : -0.0, 2.0, sign * (rank % 2)};
        const int index[] = {100 + rank, 50 - rank, rank / 2, -rank, 7, 3};
        std::vector<item> out(n);
        for (int i = 0; i < n; ++i) {
          out[i].value = with_value(x[i], value[i]);
          out[i].index = index[i];
        }
        const MPI_Datatype type = world.type_of(mpi);
        const MPI_Op operation = world.operation(mpi, max);
        std::vector<real> results;
        const auto keep = [&](const std::vector<item> &in) {
          for (const item &it : in) {
            results.push_back(it.value * real(1.0 + results.size()));
            // The index is a result too, and passive.
            results.push_back(real(static_cast<double>(it.index)));
          }
        };
        const auto source = [&](std::vector<item> &in) {
          in = out;
          return how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
        };
        std::vector<item> in;
        const void *from = source(in);
        void *to = in.data();
        run(
            mpi, how, [&] { mpi.allreduce(from, to, n, type, operation, MPI_COMM_WORLD); },
            [&](auto *request) { iallreduce(mpi, from, to, n, type, operation, MPI_COMM_WORLD, request); });
        keep(in);
        for (const bool exclusive : {false, true}) {
          in = out;
          scan_in(mpi, how, exclusive, out, in, type, operation);
          keep(in);
        }
        std::vector<item> rooted(n);
        run(
            mpi, how,
            [&] { reduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD); },
            [&](auto *request) {
              ireduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD, request);
            });
        if (rank == size / 2) keep(rooted);
        std::vector<int> shares(static_cast<std::size_t>(size), 0);
        for (int i = 0; i < n; ++i) ++shares[static_cast<std::size_t>((2 * i) % size)];
        keep(scatter_in(mpi, how, false, shares, out, type, operation));
        return results;
      });
}

namespace {

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

void matrix_adjoint(const double *a, const double *b, const double *c_bar, double *a_bar, double *b_bar, int len,
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

}  // namespace

TEST_CASE("test_reductions_matrix_product_reduce") {
  const int n = 3;
  check_matrices(n, 41, [&](auto mpi, auto &product, auto x, int) {
    auto results = x;
    for (int root = 0; root < world_size(); ++root)
      for (const bool in_place : {false, true}) {
        // MPICH 4.0 crashes in place where the root is not rank 0.
        const bool keeps = in_place && world_rank() == root && (root == 0 || std::is_same<decltype(mpi), active>::value);
        auto in = x;
        reduce(mpi, keeps ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(in.data()), n,
               product.type, product.operation, root, MPI_COMM_WORLD);
        if (world_rank() != root) continue;
        in = mix(in);
        results.insert(results.end(), in.begin(), in.end());
      }
    return results;
  });
}

TEST_CASE("test_reductions_matrix_product_allreduce_and_scans") {
  const int n = 3;
  for (const bool in_place : {false, true})
    check_matrices(n, 42, [&](auto mpi, auto &product, auto x, int) {
      auto in = x;
      mpi.allreduce(in_place ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(in.data()), n,
                    product.type, product.operation, MPI_COMM_WORLD);
      auto all = mix(in);
      for (const bool exclusive : {false, true}) {
        auto part = x;
        if (exclusive)
          exscan(mpi, in_place ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(part.data()), n,
                 product.type, product.operation, MPI_COMM_WORLD);
        else
          scan(mpi, in_place ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(part.data()), n,
               product.type, product.operation, MPI_COMM_WORLD);
        for (const auto &v : mix(part)) all.push_back(v);
      }
      return all;
    });
}

namespace {

/// Each rank's share of a product, from an Allreduce: MPICH 4.0's own call writes beyond its memory where the
/// items of an operation that does not commute have gaps.
template <class T>
void scatter_product(paired, const form &, bool, const std::vector<int> &counts, const std::vector<T> &x, std::vector<T> &in,
                     const matrices<paired> &product, int words) {
  int total = 0, below = 0;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (rank < world_rank()) below += counts[static_cast<std::size_t>(rank)];
    total += counts[static_cast<std::size_t>(rank)];
  }
  auto all = x;
  MPI_Allreduce(x.data(), all.data(), total, product.type, product.operation, MPI_COMM_WORLD);
  for (int i = 0; i < words * counts[static_cast<std::size_t>(world_rank())]; ++i) in[i] = all[words * below + i];
}

template <class T>
void scatter_product(active mpi, const form &how, bool block, const std::vector<int> &counts, const std::vector<T> &x,
                     std::vector<T> &in, const matrices<active> &product, int words) {
  const auto got = scatter_in(mpi, how, block, counts, x, product.type, product.operation, words);
  std::copy(got.begin(), got.end(), in.begin());
}

}  // namespace

TEST_CASE("test_reductions_matrix_product_scatter") {
  const int size = world_size();
  for (const form &how : forms)
    check_matrices(2 * size, 43, [&](auto mpi, auto &product, auto x, int words) {
      auto all = x;
      for (const bool block : {false, true}) {
        std::vector<int> counts(static_cast<std::size_t>(size), 2);
        if (size > 1 && !block) counts[0] = 0, counts[1] = 4;
        auto in = x;
        scatter_product(mpi, how, block, counts, x, in, product, words);
        for (int i = 0; i < words * counts[static_cast<std::size_t>(world_rank())]; ++i)
          if (i % words < 4) all.push_back(sin(in[i]));
      }
      return all;
    });
}

namespace {

/// Calls that are started, in one world, and made, in the other.
template <class Begin>
AMPI_Request start_or_call(active, const Begin &begin) {
  AMPI_Request request = AMPI_REQUEST_NULL;
  begin(&request);
  return request;
}
template <class Begin>
AMPI_Request start_or_call(paired, const Begin &begin) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return AMPI_REQUEST_NULL;
}

}  // namespace

TEST_CASE("test_reductions_matrix_products_under_way") {
  // All at once, completed last first, when the operation and the datatype have been freed.
  const int n = 3, size = world_size();
  for (const way how : {way::recorded, way::derivative, way::spread})
    for (const bool in_place : {false, true}) {
      CAPTURE(static_cast<int>(how));
      CAPTURE(in_place);
      check_identity(static_cast<std::size_t>(n * (how == way::spread ? 8 : 4)), 47, [&](auto mpi, auto &input) {
        auto product = std::make_unique<matrices<decltype(mpi)>>(how);
        auto x = mix(input);
        for (auto &v : x) v = v * typename decltype(mpi)::real(0.5);
        std::vector<std::decay_t<decltype(x)>> in(static_cast<std::size_t>(size) + 3, x);
        std::vector<AMPI_Request> requests;
        const auto source = [&](bool kept) { return kept ? MPI_IN_PLACE : static_cast<const void *>(x.data()); };
        for (int root = 0; root < size; ++root) {
          // MPICH 4.0 crashes in place where the root is not rank 0.
          const bool kept =
              in_place && world_rank() == root && (root == 0 || std::is_same<decltype(mpi), active>::value);
          requests.push_back(start_or_call(mpi, [&](auto *request) {
            ireduce(mpi, source(kept), static_cast<void *>(in[static_cast<std::size_t>(root)].data()), n, product->type,
                    product->operation, root, MPI_COMM_WORLD, request);
          }));
        }
        auto *const rest = &in[static_cast<std::size_t>(size)];
        requests.push_back(start_or_call(mpi, [&](auto *request) {
          iallreduce(mpi, source(in_place), static_cast<void *>(rest[0].data()), n, product->type, product->operation,
                     MPI_COMM_WORLD, request);
        }));
        requests.push_back(start_or_call(mpi, [&](auto *request) {
          iscan(mpi, source(in_place), static_cast<void *>(rest[1].data()), n, product->type, product->operation,
                MPI_COMM_WORLD, request);
        }));
        requests.push_back(start_or_call(mpi, [&](auto *request) {
          iexscan(mpi, source(in_place), static_cast<void *>(rest[2].data()), n, product->type, product->operation,
                  MPI_COMM_WORLD, request);
        }));
        product.reset();
        auto results = x;
        for (std::size_t i = requests.size(); i-- > 0;) {
          AMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
          const bool has = i >= static_cast<std::size_t>(size) || i == static_cast<std::size_t>(world_rank());
          if (has) results.insert(results.end(), in[i].begin(), in[i].end());
        }
        return mix(results);
      });
    }
}

TEST_CASE("test_reductions_completed_when_the_recording_is_off") {
  // What was decided at the start holds at the completion.
  test::begin();
  const matrices<active> product(way::recorded);
  const int rank = world_rank(), size = world_size();
  admpi::tape tape;
  tape.start();
  admpi::var x = 1.0 + rank;
  tape.input(x);
  const std::vector<admpi::var> shear = {1.0, x * x, 0.0, 1.0};
  std::vector<admpi::var> y(4), z(4);
  AMPI_Request request;
  AMPI_Iallreduce(shear.data(), y.data(), 1, product.type, product.operation, MPI_COMM_WORLD, &request);
  tape.stop();
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  AMPI_Iallreduce(shear.data(), z.data(), 1, product.type, product.operation, MPI_COMM_WORLD, &request);
  CHECK(tape.recording() == false);
  tape.start();
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(tape.recording() == true);
  CHECK(y[1].value == size * (size + 1.0) * (2.0 * size + 1.0) / 6.0);
  CHECK(y[1].id != 0);
  CHECK(z[1].value == y[1].value);
  CHECK(z[1].id == 0);
  if (rank == 0) tape.seed(y[1], 1.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0 * (1.0 + rank));
}

namespace {

/// Keeps the left operand's index: it does not commute.
template <class Item>
void multiply_located(void *in, void *inout, int *len, MPI_Datatype *) {
  const Item *a = static_cast<const Item *>(in);
  Item *b = static_cast<Item *>(inout);
  for (int i = 0; i < *len; ++i) {
    b[i].value = a[i].value * b[i].value;
    b[i].index = a[i].index;
  }
}

}  // namespace

TEST_CASE("test_reductions_users_operation_on_pairs") {
  const located_world world;
  const int size = world_size(), rank = world_rank(), n = 2 * size;
  for (const form &how : forms)
    check_identity(static_cast<std::size_t>(n), 48, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      using item = decltype(world.item(mpi));
      MPI_Op operation;
      AMPI_Op_create(&multiply_located<item>, 0, &operation);
      std::vector<item> out(static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) {
        out[i].value = sin(x[i]) + real(1.5);
        out[i].index = 1000 * rank + i;
      }
      const MPI_Datatype type = world.type_of(mpi);
      std::vector<real> results;
      const auto keep = [&](const std::vector<item> &in) {
        for (const item &it : in) {
          results.push_back(it.value);
          results.push_back(real(static_cast<double>(it.index)));
        }
      };
      auto in = out;
      const void *from = how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
      void *to = in.data();
      run(
          mpi, how, [&] { mpi.allreduce(from, to, n, type, operation, MPI_COMM_WORLD); },
          [&](auto *request) { iallreduce(mpi, from, to, n, type, operation, MPI_COMM_WORLD, request); });
      keep(in);
      for (const bool exclusive : {false, true}) {
        in = out;
        scan_in(mpi, how, exclusive, out, in, type, operation);
        keep(in);
      }
      std::vector<item> rooted(static_cast<std::size_t>(n));
      run(
          mpi, how,
          [&] { reduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD); },
          [&](auto *request) {
            ireduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD, request);
          });
      if (rank == size / 2) keep(rooted);
      std::vector<int> shares(static_cast<std::size_t>(size), 2);
      if (size > 1) shares[0] = 0, shares[1] = 4;
      // Not in place: MPI's own with a user's operation on bytes is the reference.
      keep(scatter_in(mpi, {how.nonblocking, false}, false, shares, out, type, operation));
      reduce_local(mpi, out.data(), in.data(), n, type, operation);
      keep(in);
      AMPI_Op_free(&operation);
      return results;
    });
}

TEST_CASE("test_reductions_local") {
  const located_world world;
  for (const op which : all_operations)
    check_identity(8, 44, [&](auto mpi, auto &x) {
      auto left = mix(x), right = mix(left);
      // Ties, which the left operand wins.
      right[0] = with_value(right[0], test::value(left[0]));
      reduce_local(mpi, left.data(), right.data(), 8, mpi.type(), mpi.operation(which));
      return mix(right);
    });
  for (const bool max : {false, true})
    check_identity(4, 45, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      using item = decltype(world.item(mpi));
      std::vector<item> left(4), right(4);
      for (int i = 0; i < 4; ++i) {
        left[i].value = x[i];
        left[i].index = i;
        right[i].value = sin(x[i]) * x[i];
        if (i < 2) right[i].value = with_value(right[i].value, test::value(x[i]));
        right[i].index = 1 - i;
      }
      reduce_local(mpi, left.data(), right.data(), 4, world.type_of(mpi), world.operation(mpi, max));
      std::vector<real> y;
      for (const item &it : right) {
        y.push_back(it.value);
        y.push_back(real(static_cast<double>(it.index)));
      }
      return y;
    });
  check_matrices(2, 46, [&](auto mpi, auto &product, auto x, int) {
    auto y = mix(x);
    reduce_local(mpi, x.data(), y.data(), 2, product.type, product.operation);
    return y;
  });
}

TEST_CASE("test_reductions_passive_data_goes_to_mpi") {
  test::begin();
  MPI_Op operation;
  AMPI_Op_create(&multiply_matrices<double>, 0, &operation);
  int commutes = 1;
  AMPI_Op_commutative(operation, &commutes);
  CHECK(commutes == 0);
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_DOUBLE, &four);
  MPI_Type_commit(&four);
  const double shear[] = {1.0, 1.0 + world_rank(), 0.0, 1.0};
  double product[4];
  AMPI_Allreduce(shear, product, 1, four, operation, MPI_COMM_WORLD);
  const double size = world_size();
  CHECK(product[1] == size * (size + 1.0) / 2.0);
  struct {
    double value;
    int index;
  } mine = {static_cast<double>(world_rank() / 2), world_rank()}, best;
  AMPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  CHECK(best.index == (world_size() - 1) / 2 * 2);
  MPI_Type_free(&four);
  AMPI_Op_free(&operation);
  CHECK(operation == MPI_OP_NULL);
}

TEST_CASE("test_reductions_not_recorded") {
  test::begin();
  const int rank = world_rank(), size = world_size();
  const matrices<active> product(way::recorded), known(way::derivative);
  for (const MPI_Op operation : {product.operation, known.operation}) {
    const std::vector<admpi::var> shear = {1.0, 1.0 + rank, 0.0, 1.0};
    std::vector<admpi::var> y(4);
    AMPI_Scan(shear.data(), y.data(), 1, product.type, operation, MPI_COMM_WORLD);
    CHECK(y[1].value == (rank + 1.0) * (rank + 2.0) / 2.0);
    CHECK(y[1].id == 0);
  }
  admpi::var x = 1.0 + rank, y;
  AMPI_Scan(&x, &y, 1, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(y.value == 1.0 + rank);
  CHECK(admpi::mpi_type<admpi::value_index<admpi::var>>() == AMPI_ADOUBLE_INT);
  admpi::value_index<admpi::var> in, out;
  in.value = rank == 0 ? 3.0 : 5.0;
  in.index = 10 * rank;
  AMPI_Allreduce(&in, &out, 1, AMPI_ADOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  CHECK(out.value.value == (size > 1 ? 5.0 : 3.0));
  CHECK(out.index == (size > 1 ? 10 : 0));
}

namespace {

void add_vars(void *in, void *inout, int *len, MPI_Datatype *) {
  const admpi::var *a = static_cast<admpi::var *>(in);
  admpi::var *b = static_cast<admpi::var *>(inout);
  for (int i = 0; i < *len; ++i) b[i] += a[i];
}

}  // namespace

TEST_CASE("test_reductions_abandoned_sweep") {
  test::begin();
  const int n = 20000;  // more than an MPI sends before it is asked for
  MPI_Op operation;
  AMPI_Op_create(&add_vars, 1, &operation);
  admpi::tape tape;
  tape.start();
  std::vector<admpi::var> x(n, 0.5), y(n);
  tape.input(x);
  const auto before = tape.position();
  AMPI_Reduce(x.data(), y.data(), n, AMPI_ADOUBLE, operation, 0, MPI_COMM_WORLD);
  AMPI_Op_free(&operation);
  tape.stop();
  const auto seed = [&] {
    if (world_rank() == 0) tape.seed(y[7], 3.0);
  };
  // The odd ranks have sent: they take nothing of what the others send back.
  seed();
  if (world_rank() % 2 == 0) tape.reverse(tape.position(), before);
  REQUIRE(admpi_tape_abandon_sweep(tape.handle(), MPI_COMM_WORLD) == ADMPI_SUCCESS);
  tape.clear_adjoints();
  seed();
  tape.reverse();
  CHECK(tape.adjoint(x[7]) == 3.0);
  CHECK(tape.adjoint(x[8]) == 0.0);
}

namespace {

int plain_calls = 0;

void plain_operation(void *, void *, int *, MPI_Datatype *) { ++plain_calls; }

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("test_reductions_errors_name_the_operation_and_the_cure") {
  test::begin();
  admpi::var x = 1.0, y;
  admpi::value_index<admpi::var> a, b;
  AMPI_Request request = AMPI_REQUEST_NULL;
  const auto allreduce = [&](MPI_Op operation) {
    return refusal([&] { return AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, operation, MPI_COMM_WORLD); });
  };
  CHECK(has(allreduce(MPI_LAND), "MPI_LAND has no derivative"));
  CHECK(has(allreduce(MPI_BXOR), "MPI_BXOR has no derivative"));
  CHECK(has(allreduce(MPI_MAXLOC), "AMPI_ADOUBLE_INT"));
  const auto pairs = [&](MPI_Op operation) {
    return refusal([&] { return AMPI_Scan(&a, &b, 1, AMPI_ADOUBLE_INT, operation, MPI_COMM_WORLD); });
  };
  CHECK(has(pairs(MPI_SUM), "MPI_MINLOC and MPI_MAXLOC"));
  MPI_Op stranger, own;
  MPI_Op_create(&plain_operation, 1, &stranger);
  CHECK(has(allreduce(stranger), "AMPI_Op_create"));
  CHECK(has(refusal([&] { return AMPI_Iscan(&x, &y, 1, AMPI_ADOUBLE, stranger, MPI_COMM_WORLD, &request); }),
            "AMPI_Iscan: op was not made by AMPI_Op_create"));
  CHECK(has(refusal([&] { return AMPI_Reduce_local(&x, &y, 1, AMPI_ADOUBLE, stranger); }), "AMPI_Op_create"));
  MPI_Op_free(&stranger);
  // The number of one that was freed by plain MPI may be given to the next. (Not under valgrind, which keeps freed memory.)
  MPI_Op_create(&plain_operation, 1, &stranger);
  const MPI_Op before = stranger;
  MPI_Op_free(&stranger);
  MPI_Op_create(&plain_operation, 1, &stranger);
  const bool given_again = stranger == before;
  MPI_Op_free(&stranger);
  int again = 0;
  for (int i = 0; i < 20; ++i) {
    AMPI_Op_create(&add_vars, 1, &own);
    const MPI_Op freed = own;
    CHECK(allreduce(own) == "");
    MPI_Op_free(&own);
    MPI_Op_create(&plain_operation, 1, &stranger);
    again += stranger == freed;
    CHECK(has(allreduce(stranger), "AMPI_Op_create"));
    // And it is that of the library again, if it makes the next.
    MPI_Op_free(&stranger);
    AMPI_Op_create(&add_vars, 1, &own);
    y = 0.0;
    CHECK(allreduce(own) == "");
    CHECK(y.value == test::size_of(MPI_COMM_WORLD));
    AMPI_Op_free(&own);
  }
  CHECK((again > 0) == given_again);
  AMPI_Op_create(&add_vars, 1, &own);
  for (const int root : {-5, test::size_of(MPI_COMM_WORLD)}) {
    CAPTURE(root);
    CHECK(has(refusal([&] { return AMPI_Reduce(&x, &y, 1, AMPI_ADOUBLE, own, root, MPI_COMM_WORLD); }), "root = "));
  }
  AMPI_Op_free(&own);
  // MPI calls the function itself for passive data, which no question of the library reaches.
  AMPI_Op_create(&plain_operation, 1, &own);
  plain_calls = 0;
  double plain[2] = {1.0, 2.0};
  AMPI_Reduce_local(&plain[0], &plain[1], 1, MPI_DOUBLE, own);
  CHECK(plain_calls == 1);
  AMPI_Op_free(&own);
  // A function that knows doubles only would not see the indices.
  AMPI_Op_create_adjoint(&plain_operation, &matrix_adjoint, 1, &own);
  CHECK(has(refusal([&] { return AMPI_Reduce_local(&a, &b, 1, AMPI_ADOUBLE_INT, own); }), "knows doubles only"));
  CHECK(has(refusal([&] { return AMPI_Iscan(&a, &b, 1, AMPI_ADOUBLE_INT, own, MPI_COMM_WORLD, &request); }),
            "knows doubles only"));
  AMPI_Op_free(&own);
  std::vector<int> negative(static_cast<std::size_t>(world_size()), -1);
  CHECK(has(refusal([&] {
              return AMPI_Reduce_scatter(&x, &y, negative.data(), AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
            }),
            "recvcounts: -1 for rank 0 is negative"));
  CHECK(has(refusal([&] { return AMPI_Op_create(nullptr, 0, &own); }), "function is NULL"));
  CHECK(has(refusal([&] { return AMPI_Op_create_adjoint(&plain_operation, nullptr, 0, &own); }),
            "derivative is NULL"));
}

TEST_CASE("test_reductions_operations_that_were_freed_are_forgotten") {
  test::begin();
  admpi::var x = 1.0, y;
  for (int i = 0; i < 20; ++i) {
    MPI_Op own, stranger;
    AMPI_Op_create(&plain_operation, 1, &own);
    AMPI_Op_free(&own);
    CHECK(own == MPI_OP_NULL);
    // Which may get the handle of the one before.
    MPI_Op_create(&plain_operation, 1, &stranger);
    CHECK(has(refusal([&] { return AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, stranger, MPI_COMM_WORLD); }),
              "AMPI_Op_create"));
    MPI_Op_free(&stranger);
  }
}

TEST_CASE("test_reductions_extrema_with_nan_have_one_winner_at_most") {
  // What MPI_MIN and MPI_MAX make of a NaN depends on the order of the operands, which is MPI's affair. The derivative
  // of a result goes to one rank that brought this result, or to none.
  test::begin();
  const int rank = world_rank(), size = world_size();
  // Every choice of 1, 2 and NaN for the first four ranks.
  const double values[] = {1.0, 2.0, std::nan("")};
  const int patterns = 81;
  std::vector<double> brought(patterns);
  for (int i = 0; i < patterns; ++i) brought[i] = values[i / static_cast<int>(std::pow(3, rank % 4)) % 3];
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (const MPI_Op operation : {MPI_MIN, MPI_MAX}) {
    for (int call = 0; call < 5; ++call) {
      CAPTURE(call);
      const int blocks = call == 3 ? size : 1;
      admpi::tape tape;
      tape.start();
      std::vector<admpi::var> x, y(patterns);
      for (int b = 0; b < blocks; ++b) x.insert(x.end(), brought.begin(), brought.end());
      tape.input(x);
      if (call == 0) AMPI_Allreduce(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      if (call == 1) AMPI_Reduce(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, size - 1, MPI_COMM_WORLD);
      if (call == 2) AMPI_Scan(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      if (call == 3)
        AMPI_Reduce_scatter_block(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      if (call == 4) AMPI_Exscan(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      // Each rank's results have a bit of their own, or all one.
      const double weight = call >= 2 ? std::ldexp(1.0, rank) : 1.0;
      const auto holds = [call, size](int r) {
        return call == 0 ? r == 0 : call == 1 ? r == size - 1 : call == 4 ? r > 0 : true;
      };
      if (holds(rank))
        for (const admpi::var &v : y) tape.seed(v, weight);
      tape.reverse();
      // The results of all ranks, and what each rank got for them.
      std::vector<double> results(static_cast<std::size_t>(patterns * size)), got(x.size()), all(x.size() * size);
      std::vector<double> own(patterns);
      for (int i = 0; i < patterns; ++i) own[i] = admpi::value(y[i]);
      for (std::size_t i = 0; i < x.size(); ++i) got[i] = tape.adjoint(x[i]);
      MPI_Allgather(own.data(), patterns, MPI_DOUBLE, results.data(), patterns, MPI_DOUBLE, MPI_COMM_WORLD);
      MPI_Allgather(got.data(), patterns * blocks, MPI_DOUBLE, all.data(), patterns * blocks, MPI_DOUBLE,
                    MPI_COMM_WORLD);
      int wrong = 0;
      for (int i = 0; i < patterns; ++i) {
        int winners[8] = {};
        for (int r = 0; r < size; ++r) {
          const double mine = values[i / static_cast<int>(std::pow(3, r % 4)) % 3];
          for (int b = 0; b < blocks; ++b) {
            const int adjoint = static_cast<int>(all[(r * blocks + b) * patterns + i]);
            for (int holder = 0; holder < size; ++holder) {
              const int bit = call >= 2 ? 1 << holder : 1;
              if (!holds(holder) || (adjoint & bit) == 0) continue;
              ++winners[holder];
              wrong += !same(mine, results[holder * patterns + i]);
              if (call == 3) wrong += b != holder;
              if (call == 2) wrong += r > holder;
              if (call == 4) wrong += r >= holder;
            }
            wrong += adjoint != all[(r * blocks + b) * patterns + i];
          }
        }
        for (int holder = 0; holder < size; ++holder) wrong += winners[holder] > 1;
        // Without a NaN there is a winner.
        bool nan = false;
        for (int r = 0; r < size; ++r) nan |= std::isnan(values[i / static_cast<int>(std::pow(3, r % 4)) % 3]);
        for (int holder = 0; holder < size; ++holder) wrong += !nan && winners[holder] != (holds(holder) ? 1 : 0);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("test_reductions_are_checked_across_ranks") {
  test::begin();
  admpi_set_check(1);
  {
    const int size = world_size();
    admpi::tape tape;
    tape.start();
    const matrices<active> product(way::recorded);
    std::vector<admpi::var> x = {1.0, 1.0 + world_rank(), 0.0, 1.0}, y(4), z(4);
    tape.input(x);
    AMPI_Allreduce(x.data(), y.data(), 1, product.type, product.operation, MPI_COMM_WORLD);
    AMPI_Scan(y.data(), z.data(), 4, AMPI_ADOUBLE, MPI_PROD, MPI_COMM_WORLD);
    AMPI_Reduce(z.data(), y.data(), 1, product.type, product.operation, size - 1, MPI_COMM_WORLD);
    if (world_rank() == size - 1) tape.seed(y[3], 1.0);
    CHECK_NOTHROW(tape.reverse());
    if (size > 1) {
      // Another operation on one rank.
      AMPI_Scan(x.data(), z.data(), 4, AMPI_ADOUBLE, world_rank() == 0 ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD);
      CHECK_THROWS_WITH_AS(tape.reverse(), doctest::Contains("the operation differs"), admpi::error);
    }
  }
  admpi_set_check(0);
}

TEST_CASE("test_reductions_tape_bytes_do_not_grow_with_ranks") {
  test::begin();
  const int n = 6400, size = world_size();
  admpi::tape tape;
  tape.start();
  std::vector<admpi::var> x(static_cast<std::size_t>(n * size), 1.5), y(n);
  tape.input(x);
  const auto bytes = [&](auto &&call) {
    const auto before = tape.statistics().used_bytes;
    call();
    return static_cast<double>(tape.statistics().used_bytes - before) / n;
  };
  const auto scan_bytes = [&](MPI_Op operation) {
    return bytes([&] { AMPI_Scan(x.data(), y.data(), n, AMPI_ADOUBLE, operation, MPI_COMM_WORLD); });
  };
  // The adjoints of the results, and: nothing, own values and those below, a bit.
  const double constant = 300.0 / n;
  CHECK(scan_bytes(MPI_SUM) <= 8 + constant);
  CHECK(scan_bytes(MPI_PROD) <= 8 + 16 + constant);
  CHECK(scan_bytes(MPI_MAX) <= 8 + 1.0 / 8 + constant);
  // All that a rank brings is kept where the operation needs it.
  CHECK(bytes([&] {
          AMPI_Reduce_scatter_block(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }) <= 8 + constant);
  CHECK(bytes([&] {
          AMPI_Reduce_scatter_block(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }) <= 8 + 8 * size + 8 + constant);
}
