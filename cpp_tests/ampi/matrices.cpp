// Matrices and parts of them as buffers: every call that moves or reduces values, from and to whole matrices, columns,
// rows, blocks and transposed blocks, against plain MPI on pairs.
#include "harness/identity.hpp"

#include "harness/helpers.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>

using admpi::var;
using admpi::varmat;
using admpi::view;
using test::check_identity;
using test::code_of;
using test::combine;
using test::numbers;
using test::ring;
using test::text_of;
using test::world;

namespace {

/// How the elements of a buffer lie in a matrix.
enum kind { whole, column, row, block, turned, kinds };

/// Values in a buffer. Those of pairs are an array, whatever the kind.
template <class Mpi>
class place {
 public:
  using real = test::pair;
  place(const std::vector<real> &values, int) : values_(values) {}
  real *buffer() { return values_.data(); }
  MPI_Datatype type() const { return test::paired::type(); }
  const std::vector<real> &get() const { return values_; }
  void set(std::vector<real> values) { std::copy(values.begin(), values.end(), values_.begin()); }

 private:
  std::vector<real> values_;
};

varmat counted(std::int64_t rows, std::int64_t cols) {
  std::vector<double> values(static_cast<std::size_t>(rows * cols));
  std::iota(values.begin(), values.end(), 0.5);
  return varmat(rows, cols, values.data());
}

/// A matrix in which `n` elements lie in the way of `how`.
varmat around(std::int64_t n, int how) {
  const std::int64_t half = n % 2 == 0 ? n / 2 : n, rest = n % 2 == 0 ? 2 : 1;
  if (how == whole) return counted(half, rest);
  if (how == column) return counted(n, 3);
  if (how == row) return counted(3, n);
  if (how == block) return counted(half + 2, rest + 2);
  return counted(rest + 1, half + 1);
}

view part_of(varmat &a, std::int64_t n, int how) {
  const std::int64_t half = n % 2 == 0 ? n / 2 : n, rest = n % 2 == 0 ? 2 : 1;
  if (how == whole) return a;
  if (how == column) return a.col(1);
  if (how == row) return a.row(1);
  if (how == block) return a.block(1, 1, half, rest);
  return a.block(1, 1, rest, half).transpose();
}

template <>
class place<test::active> {
 public:
  using real = var;
  place(const std::vector<var> &values, int how)
      : how_(how),
        matrix_(around(static_cast<std::int64_t>(values.size()), how)),
        part_(part_of(matrix_, static_cast<std::int64_t>(values.size()), how)),
        handle_(part_.view_of()) {
    set(values);
    // Consecutive ids, and ids in an array.
    if (values.size() % 3 != 0) matrix_.compact();
  }
  // Both are passed as what the calls in C take.
  void *buffer() {
    if (how_ == whole) return matrix_.handle();
    return &handle_;
  }
  MPI_Datatype type() const { return how_ == whole ? AMPI_VARMAT : AMPI_VIEW; }
  std::vector<var> get() const { return part_.vars(); }
  void set(const std::vector<var> &values) { part_ = values; }

 private:
  int how_;
  varmat matrix_;
  view part_;
  admpi_view handle_;
};

template <class Mpi>
place<Mpi> put(Mpi, const std::vector<typename Mpi::real> &values, int how) {
  return place<Mpi>(values, how);
}

/// `values`, n times.
template <class T>
std::vector<T> repeat(const std::vector<T> &values, int n) {
  std::vector<T> all;
  for (int k = 0; k < n; ++k) all.insert(all.end(), values.begin(), values.end());
  return all;
}

/// A weighted sum of what came, so that outputs are as many as inputs whatever the number of ranks.
template <class T>
std::vector<T> folded(const std::vector<T> &all, std::size_t n) {
  std::vector<T> y(n);
  for (std::size_t i = 0; i < all.size(); ++i) y[i % n] = y[i % n] * 0.75 + all[i];
  return y;
}

/// Runs `program(mpi, x, how of what is sent, how of what is received)` for pairs of kinds and some sizes.
template <class Program>
void check_kinds(const Program &program, std::vector<std::size_t> sizes = {1, 6, 35, 130}) {
  unsigned seed = 1;
  for (const std::size_t n : sizes) {
    for (int from = 0; from < kinds; ++from) {
      const int to = (from + static_cast<int>(n)) % kinds;
      CAPTURE(n);
      CAPTURE(from);
      CAPTURE(to);
      check_identity(n, ++seed, [&](auto mpi, auto &x) { return program(mpi, x, from, to); });
    }
  }
}

struct returning {
  returning() { MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN); }
  ~returning() { MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL); }
};

}  // namespace

TEST_CASE("test_matrices_messages") {
  check_kinds([](auto mpi, auto &x, int from, int to) {
    const ring at;
    const int n = static_cast<int>(x.size());
    auto a = put(mpi, x, from), b = put(mpi, x, to), c = put(mpi, x, from), d = put(mpi, x, to);
    typename decltype(mpi)::request q[3];
    mpi.irecv(b.buffer(), n, b.type(), at.left, 1, world, &q[0]);
    mpi.irecv(c.buffer(), n, c.type(), at.right, 2, world, &q[1]);
    mpi.isend(a.buffer(), n, a.type(), at.left, 2, world, &q[2]);
    mpi.send(a.buffer(), n, a.type(), at.right, 1, world);
    mpi.waitall(3, q, MPI_STATUSES_IGNORE);
    const auto e = combine(b.get(), c.get());
    a.set(e);
    mpi.sendrecv(a.buffer(), n, a.type(), at.right, 3, d.buffer(), n, d.type(), at.left, 3, world, MPI_STATUS_IGNORE);
    mpi.sendrecv_replace(b.buffer(), n, b.type(), at.left, 4, at.right, 4, world, MPI_STATUS_IGNORE);
    mpi.irecv(c.buffer(), n, c.type(), at.left, 5, world, &q[0]);
    mpi.issend(d.buffer(), n, d.type(), at.right, 5, world, &q[1]);
    mpi.waitall(2, q, MPI_STATUSES_IGNORE);
    mpi.recv(a.buffer(), 0, a.type(), MPI_PROC_NULL, 0, world, MPI_STATUS_IGNORE);
    return combine(combine(a.get(), b.get()), combine(c.get(), d.get()));
  });
}

TEST_CASE("test_matrices_blocking_receives_and_arrays_at_the_other_end") {
  check_kinds([](auto mpi, auto &x, int from, int to) {
    const ring at;
    const int n = static_cast<int>(x.size());
    auto a = put(mpi, x, from), b = put(mpi, x, to);
    auto y = x;
    typename decltype(mpi)::request s[2];
    mpi.isend(x.data(), n, mpi.type(), at.right, 1, world, &s[0]);
    mpi.isend(a.buffer(), n, a.type(), at.right, 2, world, &s[1]);
    mpi.recv(b.buffer(), n, b.type(), at.left, 1, world, MPI_STATUS_IGNORE);
    mpi.recv(y.data(), n, mpi.type(), at.left, 2, world, MPI_STATUS_IGNORE);
    mpi.waitall(2, s, MPI_STATUSES_IGNORE);
    return combine(b.get(), y);
  });
}

TEST_CASE("test_matrices_short_messages_leave_the_rest") {
  check_kinds(
      [](auto mpi, auto &x, int from, int to) {
        const ring at;
        const int n = static_cast<int>(x.size()), m = n - n / 3;
        auto a = put(mpi, x, from), b = put(mpi, x, to), c = put(mpi, combine(x, x), to);
        typename decltype(mpi)::request q[2];
        mpi.irecv(b.buffer(), n, b.type(), at.left, 1, world, &q[0]);
        mpi.isend(a.buffer(), m, a.type(), at.right, 1, world, &q[1]);
        MPI_Status status[2];
        mpi.waitall(2, q, status);
        int count = -1;
        MPI_Get_count(&status[0], b.type(), &count);
        CHECK(count == m);
        mpi.isend(a.buffer(), m, a.type(), at.right, 2, world, &q[0]);
        mpi.recv(c.buffer(), n, c.type(), at.left, 2, world, MPI_STATUS_IGNORE);
        mpi.wait(&q[0], MPI_STATUS_IGNORE);
        return combine(b.get(), c.get());
      },
      {3, 6, 35, 130});
}

TEST_CASE("test_matrices_persistent_requests") {
  check_kinds(
      [](auto mpi, auto &x, int from, int to) {
        const ring at;
        const int n = static_cast<int>(x.size());
        auto a = put(mpi, x, from), b = put(mpi, x, to);
        typename decltype(mpi)::request q[2];
        mpi.send_init(a.buffer(), n, a.type(), at.right, 1, world, &q[0]);
        mpi.recv_init(b.buffer(), n, b.type(), at.left, 1, world, &q[1]);
        auto y = x;
        for (int step = 0; step < 3; ++step) {
          a.set(combine(y, x));
          mpi.startall(2, q);
          mpi.waitall(2, q, MPI_STATUSES_IGNORE);
          y = b.get();
        }
        mpi.request_free(&q[0]);
        mpi.request_free(&q[1]);
        return y;
      },
      {6, 35});
}

TEST_CASE("test_matrices_matched_probes") {
  check_kinds(
      [](auto mpi, auto &x, int from, int to) {
        const ring at;
        const int n = static_cast<int>(x.size());
        auto a = put(mpi, x, from), b = put(mpi, x, to), c = put(mpi, x, to);
        typename decltype(mpi)::request s[2], q;
        mpi.isend(a.buffer(), n, a.type(), at.right, 1, world, &s[0]);
        mpi.isend(a.buffer(), n, a.type(), at.right, 2, world, &s[1]);
        MPI_Message message;
        mpi.mprobe(at.left, 1, world, &message, MPI_STATUS_IGNORE);
        mpi.mrecv(b.buffer(), n, b.type(), &message, MPI_STATUS_IGNORE);
        mpi.mprobe(at.left, 2, world, &message, MPI_STATUS_IGNORE);
        mpi.imrecv(c.buffer(), n, c.type(), &message, &q);
        mpi.wait(&q, MPI_STATUS_IGNORE);
        mpi.waitall(2, s, MPI_STATUSES_IGNORE);
        return combine(b.get(), c.get());
      },
      {6, 35});
}

TEST_CASE("test_matrices_collectives_that_move") {
  check_kinds(
      [](auto mpi, auto &x, int from, int to) {
        const ring at;
        const int n = static_cast<int>(x.size()), root = at.size - 1;
        auto a = put(mpi, x, from), b = put(mpi, x, to);
        auto all = put(mpi, repeat(x, at.size), from), others = put(mpi, repeat(x, at.size), to);
        mpi.gather(a.buffer(), n, a.type(), all.buffer(), n, all.type(), root, world);
        mpi.scatter(all.buffer(), n, all.type(), b.buffer(), n, b.type(), root, world);
        mpi.bcast(b.buffer(), n, b.type(), 0, world);
        mpi.allgather(b.buffer(), n, b.type(), all.buffer(), n, all.type(), world);
        mpi.alltoall(all.buffer(), n, all.type(), others.buffer(), n, others.type(), world);
        // In place.
        mpi.allgather(MPI_IN_PLACE, 0, others.type(), others.buffer(), n, others.type(), world);
        mpi.alltoall(MPI_IN_PLACE, 0, all.type(), all.buffer(), n, all.type(), world);
        return combine(folded(all.get(), x.size()), folded(others.get(), x.size()));
      },
      {1, 6, 35});
}

TEST_CASE("test_matrices_collectives_with_counts") {
  check_kinds(
      [](auto mpi, auto &x, int from, int to) {
        const ring at;
        const int n = static_cast<int>(x.size()), root = 0;
        std::vector<int> counts, places;
        int total = 0;
        for (int rank = 0; rank < at.size; ++rank) {
          counts.push_back(1 + (rank + n) % n);
          places.push_back(total);
          total += counts.back() + rank % 2;
        }
        std::vector<typename decltype(mpi)::real> room;
        for (int i = 0; i < total; ++i) room.push_back(x[static_cast<std::size_t>(i % n)] * (0.25 + i));
        auto a = put(mpi, x, from), b = put(mpi, x, to), all = put(mpi, room, to), back = put(mpi, room, from);
        const int own = counts[static_cast<std::size_t>(at.rank)];
        mpi.gatherv(a.buffer(), own, a.type(), all.buffer(), counts.data(), places.data(), all.type(), root, world);
        mpi.scatterv(all.buffer(), counts.data(), places.data(), all.type(), b.buffer(), own, b.type(), root, world);
        mpi.allgatherv(b.buffer(), own, b.type(), back.buffer(), counts.data(), places.data(), back.type(), world);
        const std::vector<int> each(static_cast<std::size_t>(at.size), 1);
        auto c = put(mpi, repeat(x, at.size), from), d = put(mpi, repeat(x, at.size), to);
        std::vector<int> rising(static_cast<std::size_t>(at.size));
        std::iota(rising.begin(), rising.end(), 0);
        mpi.alltoallv(c.buffer(), each.data(), rising.data(), c.type(), d.buffer(), each.data(), rising.data(), d.type(),
                      world);
        return combine(folded(back.get(), x.size()), folded(d.get(), x.size()));
      },
      {6, 35});
}

TEST_CASE("test_matrices_alltoallw") {
  for (const bool blocking : {true, false}) {
    check_kinds(
        [&](auto mpi, auto &x, int from, int to) {
          const ring at;
          // One element to lower ranks and two to others, last rank first.
          std::vector<int> sent, received;
          for (int rank = 0; rank < at.size; ++rank) {
            sent.push_back(rank < at.rank ? 1 : 2);
            received.push_back(at.rank < rank ? 1 : 2);
          }
          const auto places = [&](const std::vector<int> &counts, int bytes) {
            std::vector<int> all(counts.size());
            int next = 0;
            for (std::size_t rank = counts.size(); rank-- > 0; next += counts[rank]) all[rank] = next * bytes;
            return all;
          };
          auto a = put(mpi, repeat(x, at.size), from), b = put(mpi, repeat(x, at.size), to);
          // An element of a matrix counts as a double, wherever it lies.
          constexpr bool active = std::is_same<decltype(mpi), test::active>::value;
          const int item = static_cast<int>(active ? sizeof(double) : sizeof(x[0]));
          const std::vector<int> out = places(sent, item), in = places(received, item);
          const std::vector<MPI_Datatype> out_types(sent.size(), a.type()), in_types(sent.size(), b.type());
          if (blocking) {
            mpi.alltoallw(a.buffer(), sent.data(), out.data(), out_types.data(), b.buffer(), received.data(), in.data(),
                          in_types.data(), world);
          } else {
            typename decltype(mpi)::request q;
            mpi.ialltoallw(a.buffer(), sent.data(), out.data(), out_types.data(), b.buffer(), received.data(), in.data(),
                           in_types.data(), world, &q);
            mpi.wait(&q, MPI_STATUS_IGNORE);
          }
          return folded(b.get(), x.size());
        },
        {2, 6, 35});
  }
}

TEST_CASE("test_matrices_reductions") {
  for (const test::op which : {test::op::sum, test::op::product, test::op::min, test::op::max}) {
    CAPTURE(static_cast<int>(which));
    for (int how = 0; how < kinds; ++how) {
      CAPTURE(how);
      check_identity(12, 90 + static_cast<unsigned>(how), [&](auto mpi, auto &x) {
        const ring at;
        const int n = static_cast<int>(x.size()), root = at.size / 2;
        const MPI_Op op = mpi.operation(which);
        auto a = put(mpi, x, how), b = put(mpi, x, how), c = put(mpi, x, how);
        mpi.allreduce(a.buffer(), b.buffer(), n, a.type(), op, world);
        mpi.reduce(a.buffer(), c.buffer(), n, a.type(), op, root, world);
        auto d = put(mpi, combine(b.get(), c.get()), how);
        mpi.allreduce(MPI_IN_PLACE, d.buffer(), n, d.type(), op, world);
        return combine(d.get(), c.get());
      });
    }
  }
}

// Those that pairs have no form of: against arrays of scalars.
TEST_CASE("test_matrices_scans_and_shares") {
  test::begin();
  const ring at;
  for (int how = 0; how < kinds; ++how) {
    CAPTURE(how);
    const auto run = [&](auto own) {
      test::recording_tape tape;
      const test::problem in(12, 40);
      std::vector<var> x(in.x.begin(), in.x.end());
      tape.input(x);
      const int n = 12;
      const auto y = own(x, n);
      tape.seed(y[3], 2.0);
      tape.seed(y[10], -1.0);
      tape.reverse();
      numbers result;
      for (const var &v : y) result.push_back(v.value);
      for (const var &v : x) result.push_back(tape.adjoint(v));
      return result;
    };
    const auto expected = run([&](std::vector<var> &x, int n) {
      auto y = x, z = x, w = x;
      AMPI_Scan(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_PROD, world);
      AMPI_Exscan(x.data(), z.data(), n, AMPI_ADOUBLE, MPI_MAX, world);
      auto all = repeat(combine(y, z), at.size);
      AMPI_Reduce_scatter_block(all.data(), w.data(), n, AMPI_ADOUBLE, MPI_SUM, world);
      AMPI_Reduce_local(x.data(), w.data(), n, AMPI_ADOUBLE, MPI_MIN);
      return w;
    });
    const auto got = run([&](std::vector<var> &x, int n) {
      const test::active mpi;
      auto a = put(mpi, x, how), y = put(mpi, x, how), z = put(mpi, x, how), w = put(mpi, x, how);
      AMPI_Scan(a.buffer(), y.buffer(), n, a.type(), MPI_PROD, world);
      AMPI_Exscan(a.buffer(), z.buffer(), n, a.type(), MPI_MAX, world);
      auto all = put(mpi, repeat(combine(y.get(), z.get()), at.size), how);
      AMPI_Reduce_scatter_block(all.buffer(), w.buffer(), n, all.type(), MPI_SUM, world);
      AMPI_Reduce_local(a.buffer(), w.buffer(), n, a.type(), MPI_MIN);
      return w.get();
    });
    CHECK(got == expected);
  }
}

TEST_CASE("test_matrices_collectives_that_do_not_block") {
  check_kinds(
      [](auto mpi, auto &x, int from, int to) {
        const ring at;
        const int n = static_cast<int>(x.size());
        auto a = put(mpi, x, from), b = put(mpi, x, to), c = put(mpi, combine(x, x), to);
        auto all = put(mpi, repeat(x, at.size), to), sum = put(mpi, x, from);
        typename decltype(mpi)::request q[3];
        mpi.iallgather(a.buffer(), n, a.type(), all.buffer(), n, all.type(), world, &q[0]);
        mpi.ibcast(c.buffer(), n, c.type(), at.size - 1, world, &q[1]);
        mpi.iallreduce(a.buffer(), sum.buffer(), n, sum.type(), mpi.operation(test::op::sum), world, &q[2]);
        mpi.waitall(3, q, MPI_STATUSES_IGNORE);
        return combine(combine(folded(all.get(), x.size()), c.get()), sum.get());
      },
      {6, 35});
}

TEST_CASE("test_matrices_neighbours") {
  check_kinds(
      [](auto mpi, auto &x, int from, int to) {
        const ring at;
        const int n = static_cast<int>(x.size()), periods[] = {1}, dims[] = {at.size};
        MPI_Comm comm;
        mpi.cart_create(world, 1, dims, periods, 0, &comm);
        auto a = put(mpi, x, from), all = put(mpi, repeat(x, 2), to), back = put(mpi, repeat(x, 2), from);
        mpi.neighbor_allgather(a.buffer(), n, a.type(), all.buffer(), n, all.type(), comm);
        mpi.neighbor_alltoall(all.buffer(), n, all.type(), back.buffer(), n, back.type(), comm);
        mpi.comm_free(&comm);
        return combine(folded(all.get(), x.size()), folded(back.get(), x.size()));
      },
      {6, 35});
}

TEST_CASE("test_matrices_received_values_are_one_range_and_take_no_copies") {
  test::begin();
  const ring at;
  test::recording_tape tape;
  const std::int64_t n = 1000;
  varmat a(n, 1), b(n, 1);
  tape.input(a);
  const auto before = tape.statistics();
  AMPI_Request q[2];
  AMPI_Irecv(b.handle(), static_cast<int>(n), AMPI_VARMAT, at.left, 0, world, &q[0]);
  AMPI_Isend(a.handle(), static_cast<int>(n), AMPI_VARMAT, at.right, 0, world, &q[1]);
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  // The values and some events; adjoints are counted by their ids.
  CHECK(tape.statistics().used_bytes - before.used_bytes < 16 * n + 1000);
  const std::vector<var> received = b.vars();
  for (std::size_t k = 0; k < received.size(); ++k) REQUIRE(received[k].id == received[0].id + k);
  CHECK(b.handle()->block->ids == nullptr);
  tape.seed(b, 2.0);
  tape.reverse();
  CHECK(tape.adjoints(a) == numbers(static_cast<std::size_t>(n), 2.0));
}

TEST_CASE("test_matrices_ghost_columns_are_received_where_they_stay") {
  test::begin();
  const ring at;
  const int n = 1000;
  for (const bool blocking : {false, true}) {
    test::recording_tape tape;
    varmat u = counted(n, 4);
    tape.input(u);
    const varmat x = u;
    u = x + 1.0;
    const double *const value = u.handle()->block->value;
    const auto before = tape.statistics();
    AMPI_Request q[4];
    AMPI_Isend(u.col(1).handle(), n, AMPI_VIEW, at.left, 0, world, &q[0]);
    AMPI_Isend(u.col(2).handle(), n, AMPI_VIEW, at.right, 1, world, &q[1]);
    if (blocking) {
      AMPI_Recv(u.col(3).handle(), n, AMPI_VIEW, at.right, 0, world, MPI_STATUS_IGNORE);
      AMPI_Recv(u.col(0).handle(), n, AMPI_VIEW, at.left, 1, world, MPI_STATUS_IGNORE);
    } else {
      AMPI_Irecv(u.col(3).handle(), n, AMPI_VIEW, at.right, 0, world, &q[2]);
      AMPI_Irecv(u.col(0).handle(), n, AMPI_VIEW, at.left, 1, world, &q[3]);
    }
    AMPI_Waitall(blocking ? 2 : 4, q, MPI_STATUSES_IGNORE);
    // The adjoints of what was received, and some events.
    CHECK(tape.statistics().used_bytes - before.used_bytes < 2 * 8 * n + 3000);
    CHECK(u.handle()->block->value == value);
    CHECK(u.col(3).values() == varmat(x.col(1) + 1.0).values());
    CHECK(u.col(0).values() == varmat(x.col(2) + 1.0).values());
    // A stencil over all columns, and the next exchange, of what was received.
    const varmat v = elt_multiply(u.block(0, 0, n, 2), u.block(0, 2, n, 2));
    varmat back(n, 1);
    AMPI_Isend(u.col(3).handle(), n, AMPI_VIEW, at.right, 2, world, &q[0]);
    AMPI_Recv(back.handle(), n, AMPI_VARMAT, at.left, 2, world, MPI_STATUS_IGNORE);
    AMPI_Wait(&q[0], MPI_STATUS_IGNORE);
    for (int sweep = 0; sweep < 2; ++sweep) {
      tape.clear_adjoints();
      tape.seed(v);
      tape.seed(back.all(), 1e6);
      tape.reverse();
      const numbers g = tape.adjoints(x), w = x.values();
      const auto size = static_cast<std::size_t>(n);
      for (std::size_t i = 0; i < size; ++i) {
        const double p = w[size + i] + 1.0, r = w[2 * size + i] + 1.0;
        REQUIRE(g[i] == 0.0);
        // u0 u2 + u1 u3 = r r + p p, of which each factor is another rank's.
        REQUIRE(g[size + i] == 2.0 * p + 1e6);
        REQUIRE(g[2 * size + i] == 2.0 * r);
        REQUIRE(g[3 * size + i] == 0.0);
      }
    }
  }
}

TEST_CASE("test_matrices_ghost_columns_of_messages_that_are_short_or_too_long") {
  test::begin();
  const returning errors;
  const ring at;
  test::recording_tape tape;
  varmat u = counted(10, 3);
  tape.input(u);
  const varmat x = u;
  u = 2.0 * x;
  AMPI_Request q, s;
  AMPI_Irecv(u.col(0).handle(), 10, AMPI_VIEW, at.left, 0, world, &q);
  AMPI_Isend(u.col(1).handle(), 4, AMPI_VIEW, at.right, 0, world, &s);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  AMPI_Wait(&s, MPI_STATUS_IGNORE);
  for (int i = 0; i < 10; ++i) CHECK(u(i, 0).value == 2.0 * (i < 4 ? x(i, 1).value : x(i, 0).value));
  tape.seed(u.col(0));
  tape.reverse();
  for (int i = 0; i < 10; ++i) {
    CHECK(tape.adjoint(x(i, 0)) == (i < 4 ? 0.0 : 2.0));
    CHECK(tape.adjoint(x(i, 1)) == (i < 4 ? 2.0 : 0.0));
  }
  // What may have been overwritten by what is no message has no derivative; the rest is as it was.
  u = 3.0 * x;
  const std::vector<var> before = u.vars();
  AMPI_Irecv(u.block(0, 2, 5, 1).handle(), 5, AMPI_VIEW, at.left, 1, world, &q);
  AMPI_Isend(u.col(1).handle(), 10, AMPI_VIEW, at.right, 1, world, &s);
  // Open MPI takes the beginning of one that a rank sends to itself.
  const bool failed = AMPI_Wait(&q, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  CHECK((failed || test::size_of(world) == 1));
  AMPI_Wait(&s, MPI_STATUS_IGNORE);
  const std::vector<var> after = u.vars();
  for (std::size_t k = 0; k < after.size(); ++k) {
    const bool within = k >= 20 && k < 25;
    if (!within || failed) CHECK(after[k].id == (within ? 0 : before[k].id));
  }
  // The tape is not reset below a column that is to be filled.
  AMPI_Irecv(u.col(0).handle(), 10, AMPI_VIEW, at.left, 2, world, &q);
  CHECK(code_of([&] { tape.reset(); }) == ADMPI_ERR_NEST);
  AMPI_Isend(u.col(1).handle(), 10, AMPI_VIEW, at.right, 2, world, &s);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  AMPI_Wait(&s, MPI_STATUS_IGNORE);
  tape.reset();
}

TEST_CASE("test_matrices_what_a_message_overwrites_is_there_in_the_sweep") {
  test::begin();
  const ring at;
  test::recording_tape tape;
  varmat a = counted(5, 3);
  tape.input(a);
  const varmat x = a;
  const varmat square = elt_multiply(a.col(1), a.col(1));
  const view ghost = a.col(1);
  AMPI_Request s;
  AMPI_Isend(a.col(2).handle(), 5, AMPI_VIEW, at.right, 0, world, &s);
  AMPI_Recv(ghost.handle(), 5, AMPI_VIEW, at.left, 0, world, MPI_STATUS_IGNORE);
  AMPI_Wait(&s, MPI_STATUS_IGNORE);
  const varmat cube = pow(a.col(1), 3.0);
  const numbers values = a.values();
  CHECK(a.col(1).values() == x.col(2).values());
  for (int sweep = 0; sweep < 2; ++sweep) {
    tape.clear_adjoints();
    tape.seed(square);
    tape.seed(cube);
    tape.reverse();
    const numbers g = tape.adjoints(x);
    for (std::size_t i = 0; i < 5; ++i) {
      const double p = 5.5 + static_cast<double>(i), r = 10.5 + static_cast<double>(i);
      CHECK(g[i] == 0.0);
      CHECK(g[5 + i] == 2.0 * p);
      CHECK(g[10 + i] == doctest::Approx(3.0 * r * r));
    }
    CHECK(a.values() == values);
  }
}

TEST_CASE("test_matrices_leave_as_they_were_when_they_were_sent") {
  test::begin();
  const ring at;
  // Too long to have left before somebody asks for it.
  const int n = 300000;
  const auto sent = [&](const varmat &a, const auto &meanwhile) {
    const numbers before = a.col(1).values();
    AMPI_Request s;
    AMPI_Isend(a.col(1).handle(), n, AMPI_VIEW, at.right, 0, world, &s);
    meanwhile();
    // What took the place of what was forgotten.
    const varmat other(n, 2);
    MPI_Barrier(world);
    varmat b(n, 1);
    AMPI_Recv(b.handle(), n, AMPI_VARMAT, at.left, 0, world, MPI_STATUS_IGNORE);
    AMPI_Wait(&s, MPI_STATUS_IGNORE);
    CHECK(b.values() == before);
  };
  varmat a = counted(n, 2);
  sent(a, [&] { a = varmat(1, 1); });
  test::recording_tape tape;
  a = counted(n, 2);
  sent(a, [&] { tape.input(a); });
  sent(a, [&] { a = a + 1.0; });
  // A place before the matrix was made is not gone back to while it leaves; one behind it is.
  sent(a, [&] { CHECK(code_of([&] { tape.reset(); }) == ADMPI_ERR_NEST); });
  const admpi::position here = tape.position();
  sent(a, [&] {
    const varmat more = a + 1.0;
    tape.reset_to(here);
  });
  tape.reset();
  // Also without a request that could be completed, once it has left.
  a = counted(n, 2);
  tape.input(a);
  AMPI_Request s;
  AMPI_Isend(a.col(1).handle(), n, AMPI_VIEW, at.right, 0, world, &s);
  AMPI_Request_free(&s);
  CHECK(code_of([&] { tape.reset(); }) == ADMPI_ERR_NEST);
  // Nobody receives before all have seen that.
  MPI_Barrier(world);
  varmat b(n, 1);
  AMPI_Recv(b.handle(), n, AMPI_VARMAT, at.left, 0, world, MPI_STATUS_IGNORE);
  MPI_Barrier(world);
  tape.reset();
}

TEST_CASE("test_matrices_without_a_tape_or_recording") {
  test::begin();
  const ring at;
  for (const bool with_tape : {false, true}) {
    std::unique_ptr<admpi::tape> tape(with_tape ? new admpi::tape : nullptr);
    for (int how = 0; how < kinds; ++how) {
      const int n = 6;
      varmat a = around(n, how), b = a;
      view from = part_of(a, n, how), to = part_of(b, n, how);
      to = 0.0;
      for (int k = 0; k < n; ++k) from(k) = 10.0 * at.rank + k;
      AMPI_Request s;
      AMPI_Isend(from.handle(), n, AMPI_VIEW, at.right, 0, world, &s);
      AMPI_Recv(to.handle(), n, AMPI_VIEW, at.left, 0, world, MPI_STATUS_IGNORE);
      AMPI_Wait(&s, MPI_STATUS_IGNORE);
      for (int k = 0; k < n; ++k) {
        CHECK(to(k).value == 10.0 * at.left + k);
        CHECK(to(k).id == 0);
      }
    }
  }
}

TEST_CASE("test_matrices_errors") {
  test::begin();
  const returning errors;
  const ring at;
  test::recording_tape tape;
  varmat a = counted(4, 2);
  tape.input(a);
  const auto check = [&](int code, const char *text) {
    CHECK(code != MPI_SUCCESS);
    INFO(text_of(code));
    CHECK(text_of(code).find(text) != std::string::npos);
  };
  check(AMPI_Send(a.handle(), 9, AMPI_VARMAT, at.right, 0, world), "9 elements from the 0th on are not within 4 x 2");
  const view column = a.col(0);
  check(AMPI_Send(column.handle(), 5, AMPI_VIEW, at.right, 0, world), "not within 4 x 1");
  check(AMPI_Send(column.handle(), 4, AMPI_VARMAT, at.right, 0, world), "AMPI_VIEW");
  check(AMPI_Send(a.handle(), 4, AMPI_VIEW, at.right, 0, world), "AMPI_VARMAT");
  check(AMPI_Send(a.handle(), 4, AMPI_ADOUBLE, at.right, 0, world), "AMPI_VARMAT");
  std::vector<var> x(4);
  check(AMPI_Send(x.data(), 4, AMPI_VARMAT, at.right, 0, world), "not an admpi_varmat");
  numbers plain(4);
  check(AMPI_Send(plain.data(), 4, AMPI_VARMAT, at.right, 0, world), "not an admpi_varmat");
  check(AMPI_Send(static_cast<const void *>(nullptr), 4, AMPI_VARMAT, at.right, 0, world), "NULL");
  MPI_Datatype derived;
  MPI_Type_contiguous(2, AMPI_VARMAT, &derived);
  MPI_Type_commit(&derived);
  check(AMPI_Send(static_cast<const void *>(a.handle()), 2, derived, at.right, 0, world), "describe the part by a view");
  MPI_Type_free(&derived);
  MPI_Op mine;
  AMPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 1, &mine);
  varmat b = a;
  check(AMPI_Allreduce(a.handle(), b.handle(), 8, AMPI_VARMAT, mine, world), "works on AMPI_ADOUBLE");
  AMPI_Op_free(&mine);
  // A matrix that values are to arrive in is not forgotten.
  const admpi::position here = tape.position();
  AMPI_Request q, s;
  AMPI_Irecv(b.handle(), 8, AMPI_VARMAT, at.left, 7, world, &q);
  CHECK(code_of([&] { tape.reset_to(here); }) == ADMPI_ERR_NEST);
  CHECK(code_of([&] { tape.reset(); }) == ADMPI_ERR_NEST);
  AMPI_Isend(a.handle(), 8, AMPI_VARMAT, at.right, 7, world, &s);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  AMPI_Wait(&s, MPI_STATUS_IGNORE);
  tape.reset_to(here);
  CHECK(b.values() == a.values());
  check(AMPI_Send(b.handle(), 8, AMPI_VARMAT, at.right, 0, world), "outlived");
  // What is too long arrives nowhere.
  varmat small(2, 1);
  AMPI_Isend(a.handle(), 8, AMPI_VARMAT, at.right, 8, world, &s);
  CHECK(AMPI_Recv(small.handle(), 2, AMPI_VARMAT, at.left, 8, world, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  AMPI_Wait(&s, MPI_STATUS_IGNORE);
  CHECK(small(0).id == 0);
}

TEST_CASE("test_matrices_completed_when_the_tape_has_stopped") {
  test::begin();
  test::recording_tape tape;
  varmat x(4, 1), b(4, 1);
  tape.input(x);
  const varmat a = x + 1.0;
  AMPI_Request request;
  REQUIRE(AMPI_Iallreduce(a.handle(), b.handle(), 4, AMPI_VARMAT, MPI_SUM, world, &request) == MPI_SUCCESS);
  tape.stop();
  REQUIRE(AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  b.segment(0, 2) = varmat(2, 1, numbers{5.0, 5.0}.data());
  tape.start();
  tape.seed(sum(square(b)));
  tape.reverse();
  const double size = test::size_of(world);
  const std::vector<double> adjoint = tape.adjoints(x);
  CHECK(adjoint == numbers{0.0, 0.0, 2.0 * size * size, 2.0 * size * size});
}
