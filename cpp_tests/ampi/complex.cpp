// Complex numbers, AMPI_ADOUBLE_COMPLEX: moved, reduced by SUM, PROD and users' operations, and what is refused.
#include <complex>
#include <cstddef>
#include <string>

#include <admpi/complex.hpp>

#include "ampi/reductions.hpp"

using namespace reductions;

using admpi::tangent;
using admpi::var;
using complex = std::complex<var>;
using test::recording_tape;
using test::refusal;

namespace {

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

template <bool Product>
void combine_pairs(void *in, void *inout, int *n, MPI_Datatype *) {
  const test::pair *a = static_cast<test::pair *>(in);
  test::pair *b = static_cast<test::pair *>(inout);
  for (int i = 0; i < *n; ++i, a += 2, b += 2) {
    const test::pair re = Product ? a[0] * b[0] - a[1] * b[1] : a[0] + b[0];
    const test::pair im = Product ? a[0] * b[1] + a[1] * b[0] : a[1] + b[1];
    b[0] = re, b[1] = im;
  }
}

/// What each world needs for complex numbers.
struct complex_world {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op sum = MPI_OP_NULL, product = MPI_OP_NULL;

  complex_world() {
    MPI_Type_contiguous(2, paired::type(), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(&combine_pairs<false>, 0, &sum);
    MPI_Op_create(&combine_pairs<true>, 0, &product);
  }
  complex_world(const complex_world &) = delete;
  complex_world &operator=(const complex_world &) = delete;
  ~complex_world() {
    MPI_Type_free(&type);
    MPI_Op_free(&sum);
    MPI_Op_free(&product);
  }
  MPI_Datatype type_of(paired) const { return type; }
  MPI_Datatype type_of(active) const { return AMPI_ADOUBLE_COMPLEX; }
  MPI_Op operation(paired, bool is_product) const { return is_product ? product : sum; }
  MPI_Op operation(active, bool is_product) const { return is_product ? MPI_PROD : MPI_SUM; }
};

/// Nonlinear in each part.
template <class T>
void add_squares(std::vector<T> &results, const std::vector<T> &in) {
  for (const T &v : in) results.push_back(v * sin(v));
}

}  // namespace

TEST_CASE("test_complex_reductions") {
  const complex_world world;
  for (const bool is_product : {false, true})
    for (const form &how : forms) {
      CAPTURE(is_product);
      CAPTURE(how.nonblocking);
      CAPTURE(how.in_place);
      check_identity(6, 51, [&](auto mpi, auto &x) {
        const MPI_Datatype type = world.type_of(mpi);
        const MPI_Op operation = world.operation(mpi, is_product);
        const int n = 3;
        auto out = mix(x), results = x;
        auto in = out;
        const void *from = how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
        void *to = in.data();
        run(
            mpi, how, [&] { mpi.allreduce(from, to, n, type, operation, MPI_COMM_WORLD); },
            [&](auto *request) { iallreduce(mpi, from, to, n, type, operation, MPI_COMM_WORLD, request); });
        add_squares(results, in);
        for (int root = 0; root < world_size(); ++root) {
          in = out = mix(out);
          // MPICH 4.0 crashes in place where the root is not rank 0.
          const bool kept = how.in_place && world_rank() == root && (root == 0 || std::is_same<decltype(mpi), active>::value);
          from = kept ? MPI_IN_PLACE : static_cast<const void *>(out.data());
          to = in.data();
          run(
              mpi, how, [&] { reduce(mpi, from, to, n, type, operation, root, MPI_COMM_WORLD); },
              [&](auto *request) { ireduce(mpi, from, to, n, type, operation, root, MPI_COMM_WORLD, request); });
          if (world_rank() == root) add_squares(results, in);
        }
        return results;
      });
    }
}

TEST_CASE("test_complex_scans_and_shares") {
  const complex_world world;
  const int size = world_size();
  for (const bool is_product : {false, true})
    for (const form &how : forms) {
      CAPTURE(is_product);
      CAPTURE(how.nonblocking);
      CAPTURE(how.in_place);
      check_identity(static_cast<std::size_t>(4 * size), 52, [&](auto mpi, auto &x) {
        const MPI_Datatype type = world.type_of(mpi);
        const MPI_Op operation = world.operation(mpi, is_product);
        auto out = mix(x), results = x;
        for (const bool block : {false, true}) {
          std::vector<int> counts(static_cast<std::size_t>(size), 2);
          if (size > 1 && !block) counts[0] = 1, counts[1] = 3;
          add_squares(results, scatter_in(mpi, how, block, counts, out, type, operation, 2));
          out = mix(out);
        }
        for (const bool exclusive : {false, true}) {
          auto in = how.in_place ? out : mix(out);
          const void *from = how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
          void *to = in.data();
          const int n = 2 * size;
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
          add_squares(results, in);
          out = mix(out);
        }
        auto in = mix(out);
        reduce_local(mpi, static_cast<const void *>(out.data()), static_cast<void *>(in.data()), 2 * size, type, operation);
        add_squares(results, in);
        return results;
      });
    }
}

TEST_CASE("test_complex_moves") {
  const complex_world world;
  const int size = world_size(), rank = world_rank();
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  check_identity(static_cast<std::size_t>(4 * size), 53, [&](auto mpi, auto &x) {
    MPI_Datatype type = world.type_of(mpi), second = MPI_DATATYPE_NULL;
    MPI_Type_vector(size, 1, 2, type, &second);
    MPI_Type_commit(&second);
    auto in = x, results = x;
    mpi.sendrecv(x.data(), 2 * size, type, next, 3, in.data(), 2 * size, type, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    add_squares(results, in);
    // Every second number.
    mpi.sendrecv(x.data() + 2, 1, second, next, 4, in.data(), 1, second, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    add_squares(results, in);
    mpi.bcast(in.data(), size, type, size - 1, MPI_COMM_WORLD);
    add_squares(results, in);
    mpi.alltoall(x.data(), 2, type, in.data(), 2, type, MPI_COMM_WORLD);
    add_squares(results, in);
    mpi.allgather(x.data() + 2, 1, type, in.data(), 1, type, MPI_COMM_WORLD);
    add_squares(results, in);
    MPI_Type_free(&second);
    return results;
  });
}

TEST_CASE("test_complex_product_of_zeros") {
  // Everybody's operand is zero but that of the last rank: no division makes the derivatives.
  test::begin();
  const int size = world_size(), rank = world_rank();
  recording_tape tape;
  var re = rank == size - 1 ? 2.0 : 0.0, im = rank == size - 1 ? 3.0 : 0.0;
  tape.input(re);
  tape.input(im);
  complex z(re, im), product;
  AMPI_Allreduce(&z, &product, 1, AMPI_ADOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  tape.stop();
  if (rank == 0) tape.seed(product.imag(), 1.0);
  tape.reverse();
  CHECK(product.real().value == (size == 1 ? 2.0 : 0.0));
  // d Im(z w) = Im(w) dx + Re(w) dy.
  const bool moves = size == 2 && rank == 0, alone = size == 1;
  CHECK(tape.adjoint(re) == (moves ? 3.0 : 0.0));
  CHECK(tape.adjoint(im) == (moves ? 2.0 : alone ? 1.0 : 0.0));
}

namespace {

/// a b + b, recorded.
void mixed(void *in, void *inout, int *n, MPI_Datatype *) {
  const complex *a = static_cast<complex *>(in);
  complex *b = static_cast<complex *>(inout);
  for (int i = 0; i < *n; ++i) b[i] = a[i] * b[i] + b[i];
}

}  // namespace

TEST_CASE("test_complex_buffers_of_the_standard_type") {
  test::begin();
  const int size = world_size(), rank = world_rank();
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  CHECK(admpi::mpi_type<complex>() == AMPI_ADOUBLE_COMPLEX);
  CHECK(admpi::mpi_type<std::complex<double>>() == MPI_C_DOUBLE_COMPLEX);
  recording_tape tape;
  var x = 1.0 + rank, y = 0.5;
  tape.input(x);
  tape.input(y);
  std::vector<complex> out = {complex(x, y), std::exp(complex(x, y)) * complex(0.1, 0.0)}, in(2), folded(2);
  admpi_mpi_statistics_t was, now;
  admpi_mpi_statistics(&was);
  AMPI_Request requests[2];
  AMPI_Irecv(in.data(), 2, AMPI_ADOUBLE_COMPLEX, before, 0, MPI_COMM_WORLD, &requests[0]);
  AMPI_Isend(out.data(), 2, admpi::mpi_type<complex>(), next, 0, MPI_COMM_WORLD, &requests[1]);
  AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  admpi_mpi_statistics(&now);
  CHECK(now.forward_bytes - was.forward_bytes == 32);
  MPI_Op op;
  AMPI_Op_create(&mixed, 0, &op);
  AMPI_Allreduce(out.data(), folded.data(), 2, AMPI_ADOUBLE_COMPLEX, op, MPI_COMM_WORLD);
  AMPI_Op_free(&op);
  tape.stop();
  tape.seed(in[1].real(), 1.0);
  tape.reverse();
  const std::complex<double> sent = std::exp(std::complex<double>(1.0 + rank, 0.5)) * 0.1;
  const std::complex<double> came = std::exp(std::complex<double>(1.0 + before, 0.5)) * 0.1;
  CHECK(test::value(in[1].real()) == doctest::Approx(came.real()));
  CHECK(test::value(in[1].imag()) == doctest::Approx(came.imag()));
  CHECK(tape.adjoint(x) == doctest::Approx(sent.real()));
  CHECK(tape.adjoint(y) == doctest::Approx(-sent.imag()));
  // The ranks from the lowest on, as the function combines them.
  std::complex<double> expected(1.0, 0.5);
  for (int other = 1; other < size; ++other) {
    const std::complex<double> b(1.0 + other, 0.5);
    expected = expected * b + b;
  }
  // It does not associate: a tree of up to two ranks is a chain.
  if (size <= 2) CHECK(test::value(folded[0].real()) == doctest::Approx(expected.real()));
}

TEST_CASE("test_complex_tangents_move") {
  test::begin();
  const int size = world_size(), rank = world_rank();
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  using T = tangent<double>;
  const std::vector<std::complex<T>> out(3, std::complex<T>(T(rank, 1.0), T(2.0, 10.0 + rank)));
  std::vector<std::complex<T>> in(3);
  const MPI_Datatype own = admpi::mpi_type<std::complex<T>>();
  for (const MPI_Datatype type : {AMPI_ADOUBLE_COMPLEX, own}) {
    AMPI_Sendrecv(out.data(), 3, type, next, 0, in.data(), 3, type, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (const auto &z : in) {
      CHECK(z.real().value == before);
      CHECK(z.real().derivative == 1.0);
      CHECK(z.imag().derivative == 10.0 + before);
    }
  }
}

namespace {

/// Two complex tangents of a rank, from one number.
template <class T>
std::vector<std::complex<T>> brought(const T &x, int rank) {
  return {{x, x * x + 0.5}, {0.3 - x, T(2.0 - rank)}};
}

/// Those of the ranks from `first` to `last`, combined.
template <class T>
std::vector<std::complex<T>> combined(const std::vector<T> &xs, int first, int last, bool product) {
  std::vector<std::complex<T>> all = brought(xs[std::size_t(first)], first);
  for (int rank = first + 1; rank <= last; ++rank) {
    const auto more = brought(xs[std::size_t(rank)], rank);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = product ? all[i] * more[i] : all[i] + more[i];
  }
  return all;
}

/// Values and derivatives, which are doubles one behind the other.
template <class T>
void check_equal(const std::vector<std::complex<T>> &got, const std::vector<std::complex<T>> &expected) {
  REQUIRE(got.size() == expected.size());
  const double *const x = reinterpret_cast<const double *>(got.data()), *const y = reinterpret_cast<const double *>(expected.data());
  for (std::size_t i = 0; i < got.size() * 2 * sizeof(T) / sizeof(double); ++i) CHECK(x[i] == doctest::Approx(y[i]));
}

template <class T>
void check_reductions_of_tangents(const std::vector<T> &xs) {
  using C = std::complex<T>;
  const int last = world_size() - 1, rank = world_rank();
  const std::vector<C> own = brought(xs[std::size_t(rank)], rank);
  for (const bool product : {false, true})
    for (const MPI_Datatype type : {AMPI_ADOUBLE_COMPLEX, admpi::mpi_type<C>()}) {
      CAPTURE(product);
      const MPI_Op op = product ? MPI_PROD : MPI_SUM;
      const std::vector<C> all = combined(xs, 0, last, product);
      std::vector<C> got(2);
      AMPI_Allreduce(own.data(), got.data(), 2, type, op, MPI_COMM_WORLD);
      check_equal(got, all);
      got = own;
      AMPI_Request request;
      AMPI_Iallreduce(AMPI_IN_PLACE, got.data(), 2, type, op, MPI_COMM_WORLD, &request);
      AMPI_Wait(&request, AMPI_STATUS_IGNORE);
      check_equal(got, all);
      AMPI_Reduce(own.data(), got.data(), 2, type, op, last, MPI_COMM_WORLD);
      if (rank == last) check_equal(got, all);
      AMPI_Scan(own.data(), got.data(), 2, type, op, MPI_COMM_WORLD);
      check_equal(got, combined(xs, 0, rank, product));
      AMPI_Exscan(own.data(), got.data(), 2, type, op, MPI_COMM_WORLD);
      if (rank > 0) check_equal(got, combined(xs, 0, rank - 1, product));
      std::vector<C> shares;
      for (int r = 0; r <= last; ++r) shares.insert(shares.end(), own.begin(), own.end());
      AMPI_Reduce_scatter_block(shares.data(), got.data(), 2, type, op, MPI_COMM_WORLD);
      check_equal(got, all);
      got = own;
      AMPI_Reduce_local(own.data(), got.data(), 2, type, op);
      for (std::size_t i = 0; i < 2; ++i) shares[i] = product ? own[i] * own[i] : own[i] + own[i];
      check_equal(got, {shares[0], shares[1]});
      AMPI_Allreduce_init(own.data(), got.data(), 2, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      AMPI_Start(&request);
      AMPI_Wait(&request, AMPI_STATUS_IGNORE);
      AMPI_Request_free(&request);
      check_equal(got, all);
    }
  // As twice as many scalars, part by part.
  std::vector<C> got(2);
  AMPI_Allreduce(own.data(), got.data(), 4, admpi::mpi_type<T>(), MPI_SUM, MPI_COMM_WORLD);
  check_equal(got, combined(xs, 0, last, false));
  std::string why =
      refusal([&] { return AMPI_Allreduce(own.data(), got.data(), 2, AMPI_ADOUBLE_COMPLEX, MPI_MAX, MPI_COMM_WORLD); });
  CHECK(contains(why, "complex numbers of them by MPI_SUM and MPI_PROD"));
  MPI_Datatype two;
  MPI_Type_contiguous(2, admpi::mpi_type<C>(), &two);
  MPI_Type_commit(&two);
  why = refusal([&] { return AMPI_Allreduce(own.data(), got.data(), 1, two, MPI_PROD, MPI_COMM_WORLD); });
  CHECK(contains(why, "MPI's operations reduce tangents under the scalar itself"));
  MPI_Type_free(&two);
}

}  // namespace

TEST_CASE("test_complex_tangents_reduce") {
  test::begin();
  std::vector<tangent<double>> xs;
  std::vector<tangent<double, 2>> ys;
  for (int rank = 0; rank < world_size(); ++rank) {
    xs.emplace_back(0.5 + 0.1 * rank, 1.0 + rank);
    ys.push_back(tangent<double, 2>(0.5 + 0.1 * rank, {1.0 + rank, -2.0}));
  }
  check_reductions_of_tangents(xs);
  check_reductions_of_tangents(ys);
}

TEST_CASE("test_complex_tangents_reduce_on_the_tape") {
  test::begin();
  using S = tangent<var>;
  const int ranks = world_size(), rank = world_rank();
  std::vector<double> at;
  for (int r = 0; r < ranks; ++r) at.push_back(0.5 + 0.1 * r);
  for (const bool product : {false, true}) {
    // The derivative of the first result's real part, where the number of one rank is moved.
    const auto expected = [&](int moved, double by) {
      std::vector<tangent<double>> xs;
      for (int r = 0; r < ranks; ++r) xs.emplace_back(at[std::size_t(r)] + (r == moved ? by : 0.0), 1.0 + r);
      return combined(xs, 0, ranks - 1, product)[0].real().derivative;
    };
    recording_tape tape;
    var x = at[std::size_t(rank)];
    tape.input(x);
    const std::vector<std::complex<S>> own = brought(S(x, var(1.0 + rank)), rank);
    std::vector<std::complex<S>> got(2);
    AMPI_Allreduce(own.data(), got.data(), 2, AMPI_ADOUBLE_COMPLEX, product ? MPI_PROD : MPI_SUM, MPI_COMM_WORLD);
    const var result = got[0].real().derivative;
    CHECK(result.value == doctest::Approx(expected(-1, 0.0)));
    if (rank == 0) tape.seed(result);
    tape.reverse();
    const double h = 1e-6;
    CHECK(tape.adjoint(x) == doctest::Approx((expected(rank, h) - expected(rank, -h)) / (2.0 * h)).epsilon(1e-7));
  }
}

TEST_CASE("test_complex_refused") {
  test::begin();
  std::vector<complex> z(2), sum(2);
  std::vector<std::complex<double>> plain(2);
  for (const MPI_Op op : {MPI_MIN, MPI_MAX}) {
    const std::string why = refusal(
        [&] { return AMPI_Allreduce(z.data(), sum.data(), 2, AMPI_ADOUBLE_COMPLEX, op, MPI_COMM_WORLD); });
    CHECK(contains(why, "complex numbers are reduced by MPI_SUM"));
  }
  MPI_Datatype two;
  MPI_Type_contiguous(2, AMPI_ADOUBLE_COMPLEX, &two);
  MPI_Type_commit(&two);
  std::string why = refusal([&] { return AMPI_Allreduce(z.data(), sum.data(), 1, two, MPI_PROD, MPI_COMM_WORLD); });
  CHECK(contains(why, "a type built from them no product"));
  CHECK(AMPI_Allreduce(z.data(), sum.data(), 1, two, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  MPI_Type_free(&two);
  why = refusal(
      [&] { return AMPI_Allreduce(plain.data(), plain.data() + 1, 1, AMPI_ADOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD); });
  CHECK(why != "");
  why = refusal([&] { return AMPI_Bcast(z.data(), 2, MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD); });
  CHECK(why != "");
}

TEST_CASE("test_complex_accumulated") {
  test::begin();
  const int size = world_size(), rank = world_rank();
  recording_tape tape;
  var x = 1.0 + rank, y = 2.0;
  tape.input(x);
  tape.input(y);
  complex own(x, y), memory(0.0, 0.0);
  MPI_Win win;
  AMPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  AMPI_Win_fence(0, win);
  CHECK(AMPI_Accumulate(&own, 1, AMPI_ADOUBLE_COMPLEX, 0, 0, 1, AMPI_ADOUBLE_COMPLEX, MPI_SUM, win) == MPI_SUCCESS);
  const auto multiply = [&](MPI_Datatype here, int n, MPI_Datatype there, int n_there) {
    const int code = AMPI_Accumulate(&own, n, here, 0, 0, n_there, there, MPI_PROD, win);
    CHECK(contains(test::text_of(code), "complex numbers are accumulated by MPI_SUM"));
  };
  multiply(AMPI_ADOUBLE_COMPLEX, 1, AMPI_ADOUBLE_COMPLEX, 1);
  multiply(AMPI_ADOUBLE_COMPLEX, 1, AMPI_ADOUBLE, 2);
  multiply(AMPI_ADOUBLE, 2, AMPI_ADOUBLE_COMPLEX, 1);
  AMPI_Win_fence(0, win);
  const var seen = memory.imag() * memory.real();
  tape.stop();
  if (rank == 0) {
    CHECK(memory.real().value == size * (size + 1) / 2);
    CHECK(memory.imag().value == 2.0 * size);
    tape.seed(seen);
  }
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0 * size);
  CHECK(tape.adjoint(y) == size * (size + 1) / 2);
  AMPI_Win_free(&win);
}
