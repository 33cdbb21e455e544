// Reductions of tangents: operations where values are equal, zero or infinite, pairs, and what is refused.
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "ampi/tangent_types.hpp"

using namespace tangent_types;

namespace {

/// Reduces one element of each rank over all ranks.
template <class T>
T allreduced(const T &x, MPI_Op op) {
  T y = x;
  AMPI_Allreduce(&x, &y, 1, mpi_type<T>(), op, MPI_COMM_WORLD);
  return y;
}

/// The gradient that the sweep finds, of an Allreduce of values that the tangents have too.
double swept(double x, MPI_Op op) {
  test::recording_tape tape;
  var input = x, y;
  tape.input(input);
  AMPI_Allreduce(&input, &y, 1, AMPI_ADOUBLE, op, MPI_COMM_WORLD);
  tape.seed(y, rank_of(MPI_COMM_WORLD) == 0 ? 1.0 : 0.0);
  tape.reverse();
  return tape.adjoint(input);
}

}  // namespace

TEST_CASE("test_tangent_types_operations_that_do_not_fit_are_refused") {
  const alone a;
  first x[2] = {{1.0, 1.0}, {2.0, 1.0}}, y[2];
  value_index<first> p[1] = {}, q[1];
  tangent<var> t[1], u[1];
  MPI_Datatype two;
  MPI_Type_contiguous(2, AMPI_ADOUBLE, &two);
  MPI_Type_commit(&two);
  const MPI_Datatype pair = mpi_type<value_index<first>>();
  check_refused(AMPI_Allreduce(x, y, 2, AMPI_ADOUBLE, MPI_BAND, a.comm), "AMPI_Allreduce", "op: ");
  check_refused(AMPI_Allreduce(x, y, 2, AMPI_ADOUBLE, MPI_MAXLOC, a.comm), "AMPI_Allreduce", "op: ");
  check_refused(AMPI_Allreduce(p, q, 1, pair, MPI_SUM, a.comm), "AMPI_Allreduce", "op: ");
  check_refused(AMPI_Allreduce(x, y, 1, two, MPI_SUM, a.comm), "AMPI_Allreduce", "datatype: ");
  check_refused(AMPI_Reduce(x, y, 2, AMPI_ADOUBLE, MPI_LAND, 0, a.comm), "AMPI_Reduce", "op: ");
  check_refused(AMPI_Allreduce(t, u, 1, AMPI_ADOUBLE, MPI_BXOR, a.comm), "AMPI_Allreduce", "op: ");
  MPI_Type_free(&two);
}

TEST_CASE("test_tangent_types_operations_on_doubles_are_refused") {
  const alone a;
  MPI_Op op;
  AMPI_Op_create_adjoint([](void *, void *, int *, MPI_Datatype *) {},
                         [](const double *, const double *, const double *, double *, double *, int, int) {}, 0, &op);
  const first x = 1.0;
  first y;
  const tangent<var> t;
  tangent<var> u;
  check_refused(AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, op, a.comm), "AMPI_Allreduce", "templated");
  check_refused(AMPI_Scan(&t, &u, 1, AMPI_ADOUBLE, op, a.comm), "AMPI_Scan", "templated");
  AMPI_Op_free(&op);
}

namespace {

/// Every reduction of one item behind a void *, so that a C call sees its datatype only. `check` gets the code of each
/// call, its name and the item that came out.
template <class T, class Check>
void reduce_unseen(const T &item, MPI_Datatype type, MPI_Op op, MPI_Comm comm, const Check &check) {
  T x = item, y = item;
  void *const in = &x, *const out = &y;
  const int one[] = {1};
  AMPI_Request request = AMPI_REQUEST_NULL;
  const auto after = [&](int code, const std::string &call) {
    if (code == MPI_SUCCESS && request != AMPI_REQUEST_NULL) code = AMPI_Wait(&request, MPI_STATUS_IGNORE);
    check(code, call, y);
    y = item;
  };
  after(AMPI_Reduce(in, out, 1, type, op, 0, comm), "AMPI_Reduce");
  after(AMPI_Allreduce(in, out, 1, type, op, comm), "AMPI_Allreduce");
  after(AMPI_Scan(in, out, 1, type, op, comm), "AMPI_Scan");
  after(AMPI_Exscan(in, out, 1, type, op, comm), "AMPI_Exscan");
  after(AMPI_Reduce_scatter(in, out, one, type, op, comm), "AMPI_Reduce_scatter");
  after(AMPI_Reduce_scatter_block(in, out, 1, type, op, comm), "AMPI_Reduce_scatter_block");
  after(AMPI_Ireduce(in, out, 1, type, op, 0, comm, &request), "AMPI_Ireduce");
  after(AMPI_Iallreduce(in, out, 1, type, op, comm, &request), "AMPI_Iallreduce");
  after(AMPI_Iscan(in, out, 1, type, op, comm, &request), "AMPI_Iscan");
  after(AMPI_Iexscan(in, out, 1, type, op, comm, &request), "AMPI_Iexscan");
  after(AMPI_Ireduce_scatter(in, out, one, type, op, comm, &request), "AMPI_Ireduce_scatter");
  after(AMPI_Ireduce_scatter_block(in, out, 1, type, op, comm, &request), "AMPI_Ireduce_scatter_block");
  after(AMPI_Allreduce_c(in, out, 1, type, op, comm), "AMPI_Allreduce_c");
  after(AMPI_Iscan_c(in, out, 1, type, op, comm, &request), "AMPI_Iscan_c");
}

template <class T>
struct two {
  T a, b;
};

/// A pair as a program has it that does not know admpi::value_index.
template <class T>
struct own_pair {
  T value;
  int index;
};

template <class T>
void check_unseen_reductions_refused() {
  const alone a;
  MPI_Datatype both;
  MPI_Type_contiguous(2, mpi_type<T>(), &both);
  MPI_Type_commit(&both);
  const auto refused = [](const std::string &cure) {
    return [cure](int code, const std::string &call, const auto &) { check_refused(code, call, cure); };
  };
  for (const MPI_Op op : {MPI_PROD, MPI_MIN, MPI_MAX}) {
    reduce_unseen(T(2.0), mpi_type<T>(), op, a.comm, refused("void *"));
    two<T> x = {2.0, 3.0}, y = x;
    check_refused(AMPI_Allreduce(&x, &y, 1, both, op, a.comm), "AMPI_Allreduce", "scalar_of");
  }
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    own_pair<T> x = {2.0, 1}, y = x;
    check_refused(AMPI_Allreduce(&x, &y, 1, mpi_type<value_index<T>>(), op, a.comm), "AMPI_Allreduce",
                  "admpi::value_index<Real>");
  }
  MPI_Op doubles;
  AMPI_Op_create_adjoint([](void *, void *, int *, MPI_Datatype *) {},
                         [](const double *, const double *, const double *, double *, double *, int, int) {}, 0, &doubles);
  reduce_unseen(T(2.0), mpi_type<T>(), doubles, a.comm, refused("knows doubles only"));
  AMPI_Op_free(&doubles);
  MPI_Type_free(&both);
  // Reduce_local has no communicator.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  T x = 2.0, y = 3.0;
  void *const in = &x, *const out = &y;
  check_refused(AMPI_Reduce_local(in, out, 1, mpi_type<T>(), MPI_PROD), "AMPI_Reduce_local", "void *");
  if constexpr (std::is_same_v<T, first>) {
    AMPI_Request request = AMPI_REQUEST_NULL;
    check_refused(AMPI_Allreduce_init(in, out, 1, mpi_type<T>(), MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request),
                  "AMPI_Allreduce_init", "void *");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

template <class T>
void product_of_items(void *low, void *high, int *n, MPI_Datatype *) {
  for (int i = 0; i < *n; ++i) static_cast<T *>(high)[i] *= static_cast<const T *>(low)[i];
}

/// An operation of the program's own gets whole tangents, whoever sees their type.
template <class T>
void check_unseen_own_operation() {
  test::begin();
  const int size = size_of(MPI_COMM_WORLD);
  MPI_Op product;
  AMPI_Op_create(&product_of_items<T>, 0, &product);
  T x(2.0, 1.0), y;
  void *const in = &x, *const out = &y;
  REQUIRE(AMPI_Allreduce(in, out, 1, mpi_type<T>(), product, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(admpi::value(y) == std::ldexp(1.0, size));
  CHECK(admpi::value(y.derivative) == size * std::ldexp(1.0, size - 1));
  AMPI_Op_free(&product);
}

}  // namespace

TEST_CASE("test_tangent_types_reductions_that_see_no_tangents_are_refused") {
  check_unseen_reductions_refused<tangent<var>>();
  check_unseen_reductions_refused<first>();
  check_unseen_reductions_refused<second>();
  const alone a;
  // To doubles a sum of parts is right, but MPI has none for items of two.
  reduce_unseen(first(2.0), mpi_type<first>(), MPI_SUM, a.comm,
                [](int code, const std::string &call, const first &) { check_refused(code, call, "void *"); });
}

TEST_CASE("test_tangent_types_reductions_that_see_no_tangents") {
  check_unseen_own_operation<tangent<var>>();
  check_unseen_own_operation<first>();
  const int size = size_of(MPI_COMM_WORLD);
  tangent<var> x(2.0, 1.0), y;
  void *const in = &x, *const out = &y;
  REQUIRE(AMPI_Allreduce(in, out, 1, mpi_type<tangent<var>>(), MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(admpi::value(y.value) == 2.0 * size);
  CHECK(admpi::value(y.derivative) == size);
}

TEST_CASE("test_tangent_types_pairs_are_moved") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const value_index<first> mine = {{1.0 + rank, 10.0 * rank}, 7 * rank};
  std::vector<value_index<first>> all(static_cast<std::size_t>(size));
  AMPI_Allgather(&mine, 1, mpi_type<value_index<first>>(), all.data(), 1, mpi_type<value_index<first>>(), MPI_COMM_WORLD);
  // Both parts of a tangent over var are active.
  test::recording_tape tape;
  var x = 2.0 + rank;
  tape.input(x);
  const value_index<tangent<var>> own = {tangent<var>(x * x, x * 3.0), 5 + rank};
  std::vector<value_index<tangent<var>>> got(static_cast<std::size_t>(size));
  const MPI_Datatype type = mpi_type<value_index<tangent<var>>>();
  AMPI_Allgather(&own, 1, type, got.data(), 1, type, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) {
    CHECK((all[i].index == 7 * i && all[i].value.value == 1.0 + i && all[i].value.derivative == 10.0 * i));
    CHECK(got[i].index == 5 + i);
    CHECK(got[i].value.value.value == (2.0 + i) * (2.0 + i));
    CHECK(got[i].value.derivative.value == 3.0 * (2.0 + i));
    if (rank > 0) continue;
    tape.seed(got[i].value.value, 1.0);
    tape.seed(got[i].value.derivative, 100.0);
  }
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0 * (2.0 + rank) + 300.0);
}

TEST_CASE("test_tangent_types_ties_go_to_the_lowest_rank") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  for (const MPI_Op op : {MPI_MIN, MPI_MAX}) {
    const double v = 1.0 + rank;
    CHECK(allreduced(first(3.0, v), op).derivative == 1.0);
    CHECK(allreduced(second(first(3.0, v), first(v, 7.0 * v)), op).derivative.derivative == 7.0);
    CHECK(test::sum_over_ranks(swept(3.0, op) * v) == 1.0);
    // All but rank 0.
    const double better = op == MPI_MIN ? -1.0 : 1.0, x = rank == 0 ? 0.0 : better;
    const double expected = size_of(MPI_COMM_WORLD) == 1 ? 1.0 : 2.0;
    CHECK(allreduced(first(x, v), op).derivative == expected);
    CHECK(test::sum_over_ranks(swept(x, op) * v) == expected);
  }
  // A datatype for active pairs is one for pairs with tangents.
  value_index<second> pair = {{first(1.0 + rank, 2.0), first(3.0, 4.0 + rank)}, 7 + rank};
  AMPI_Allreduce(MPI_IN_PLACE, &pair, 1, AMPI_ADOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  CHECK((pair.index == 7 && pair.value.value.value == 1.0 && pair.value.derivative.derivative == 4.0));
  // Pairs: of equal values the lowest index, of equal pairs the lowest rank.
  const value_index<first> same = {{3.0, 1.0 + rank}, 5}, falling = {{3.0, 1.0 + rank}, 50 - rank};
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    CHECK(allreduced(same, op).value.derivative == 1.0);
    const value_index<first> found = allreduced(falling, op);
    CHECK(found.index == 51 - size_of(MPI_COMM_WORLD));
    CHECK(found.value.derivative == size_of(MPI_COMM_WORLD));
  }
}

TEST_CASE("test_tangent_types_products_with_zeros_and_infinities") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (int zeros = 0; zeros <= size; ++zeros) {
    CAPTURE(zeros);
    const double x = rank < zeros ? 0.0 : 2.0 + rank, v = 1.0 + 0.5 * rank;
    const first y = allreduced(first(x, v), MPI_PROD);
    CHECK(y.derivative == doctest::Approx(test::sum_over_ranks(swept(x, MPI_PROD) * v)).epsilon(1e-14));
    // Second derivatives where the first ones are zero: products of all but two.
    double expected = 0.0;
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        double term = i == j ? 0.0 : (1.0 + 0.5 * i) * (3.0 - j);
        for (int k = 0; k < size; ++k)
          if (k != i && k != j) term *= k < zeros ? 0.0 : 2.0 + k;
        expected += term;
      }
    }
    const second twice = allreduced(second(first(x, 3.0 - rank), first(v, 0.0)), MPI_PROD);
    CHECK(twice.derivative.derivative == doctest::Approx(expected).epsilon(1e-14));
  }
  // A constant's derivative does not meet infinity.
  const first x(rank == 0 ? std::numeric_limits<double>::infinity() : 2.0, rank == 0 ? 1.0 : 0.0);
  CHECK(allreduced(x, MPI_PROD).derivative == std::pow(2.0, size - 1));
}

TEST_CASE("test_tangent_types_reductions_in_several_directions") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD);
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}) {
    for (const int n : {0, 1, 5, 700}) {
      std::vector<several> mine(n), all(n);
      for (int i = 0; i < n; ++i) {
        // Zeros meet in products, and in one direction nothing moves.
        mine[i] = several((i + rank) % 7 == 0 ? 0.0 : std::sin(1.0 + i + 31.0 * rank), {{std::cos(2.0 * i - rank), 0.0, 1.0 + rank}});
        if (i == 3 && rank == 0) mine[i].derivative[2] = INFINITY;
      }
      AMPI_Allreduce(mine.data(), all.data(), n, AMPI_ADOUBLE, op, MPI_COMM_WORLD);
      for (int k = 0; k < 3; ++k) {
        CAPTURE(k);
        std::vector<first> one(n), expected(n);
        for (int i = 0; i < n; ++i) one[i] = {mine[i].value, mine[i].derivative[k]};
        AMPI_Allreduce(one.data(), expected.data(), n, AMPI_ADOUBLE, op, MPI_COMM_WORLD);
        for (int i = 0; i < n; ++i) {
          const double d = all[i].derivative[k], e = expected[i].derivative;
          CHECK(all[i].value == doctest::Approx(expected[i].value).epsilon(1e-14));
          CHECK((d == e || (std::isnan(d) && std::isnan(e)) || std::fabs(d - e) <= 1e-14 * (1.0 + std::fabs(e))));
        }
      }
    }
  }
  const value_index<several> mine = {several(1.0 + rank, {{10.0 * rank, 2.0, 3.0}}), 7 * rank};
  value_index<several> least, most;
  AMPI_Allreduce(&mine, &least, 1, mpi_type<value_index<several>>(), MPI_MINLOC, MPI_COMM_WORLD);
  AMPI_Allreduce(&mine, &most, 1, mpi_type<value_index<several>>(), MPI_MAXLOC, MPI_COMM_WORLD);
  const int last = size_of(MPI_COMM_WORLD) - 1;
  CHECK((least.index == 0 && least.value.derivative[0] == 0.0 && least.value.derivative[2] == 3.0));
  CHECK((most.index == 7 * last && most.value.value == 1.0 + last && most.value.derivative[0] == 10.0 * last));
}

TEST_CASE("test_tangent_types_reductions_in_place_on_every_root") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}) {
    for (const int n : {1, 5, 700}) {
      std::vector<first> mine(n), expected(n);
      for (int i = 0; i < n; ++i) mine[i] = first(std::sin(1.0 + i + 31.0 * rank), std::cos(2.0 * i - rank));
      AMPI_Allreduce(mine.data(), expected.data(), n, AMPI_ADOUBLE, op, MPI_COMM_WORLD);
      for (int root = 0; root < size; ++root) {
        for (const bool blocking : {true, false}) {
          std::vector<first> y = mine;
          AMPI_Request request = AMPI_REQUEST_NULL;
          if (rank == root && blocking) AMPI_Reduce(MPI_IN_PLACE, y.data(), n, AMPI_ADOUBLE, op, root, MPI_COMM_WORLD);
          if (rank != root && blocking) AMPI_Reduce(y.data(), nullptr, n, AMPI_ADOUBLE, op, root, MPI_COMM_WORLD);
          if (rank == root && !blocking) AMPI_Ireduce(MPI_IN_PLACE, y.data(), n, AMPI_ADOUBLE, op, root, MPI_COMM_WORLD, &request);
          if (rank != root && !blocking)
            AMPI_Ireduce(y.data(), nullptr, n, AMPI_ADOUBLE, op, root, MPI_COMM_WORLD, &request);
          AMPI_Wait(&request, MPI_STATUS_IGNORE);
          double wrong = 0.0;
          for (int i = 0; i < n && rank == root; ++i)
            wrong = std::fmax(wrong, std::fabs(y[i].value - expected[i].value) + std::fabs(y[i].derivative - expected[i].derivative));
          CHECK(wrong <= 1e-13 * size);
        }
      }
    }
  }
}

namespace {

template <class T>
constexpr int parts() {
  if constexpr (std::is_same<T, double>::value || std::is_same<T, var>::value)
    return 1;
  else
    return static_cast<int>(sizeof(T) / sizeof(T().value)) * parts<decltype(T().value)>();
}

/// A number in each part of a scalar, and back.
template <class T>
double &number(T &x, int part) {
  if constexpr (std::is_same<T, double>::value) {
    return x;
  } else if constexpr (std::is_same<T, var>::value) {
    return x.value;
  } else {
    using inner = decltype(x.value);
    constexpr int each = parts<inner>();
    if (part < each) return number(x.value, part);
    if constexpr (std::is_same<decltype(x.derivative), inner>::value)
      return number(x.derivative, part - each);
    else
      return number(x.derivative[part / each - 1], part % each);
  }
}

template <class T>
void set(T &x, double v) {
  for (int i = 0; i < parts<T>(); ++i) number(x, i) = v + 0.25 * i;
}

template <class T>
bool is(T &x, double v) {
  bool same = true;
  for (int i = 0; i < parts<T>(); ++i) same = same && number(x, i) == v + 0.25 * i;
  return same;
}

#define EITHER(name, iname, ...) \
  (blocks ? AMPI_##name(__VA_ARGS__) : (AMPI_##iname(__VA_ARGS__, &request), AMPI_Wait(&request, MPI_STATUS_IGNORE)))

/// Calls that one of the MPIs gets wrong, of every second element. What is sent and received begins behind the buffers'
/// beginning; nothing else may be touched.
template <class T>
struct defective {
  static constexpr int before = 2;
  MPI_Comm comm;
  bool blocks;
  MPI_Datatype scalar, strided;
  AMPI_Request request = AMPI_REQUEST_NULL;
  int rank = rank_of(comm), size = size_of(comm), right = (rank + 1) % size, left = (rank + size - 1) % size;
  static constexpr int first_byte = before * static_cast<int>(sizeof(T));
  std::vector<int> counts = std::vector<int>(size, 1), bytes = std::vector<int>(size), items = std::vector<int>(size);
  std::vector<MPI_Datatype> types = std::vector<MPI_Datatype>(size);

  defective(MPI_Comm where, bool blocking, MPI_Datatype of) : comm(where), blocks(blocking), scalar(of) {
    MPI_Type_create_resized(scalar, 0, 2 * sizeof(T), &strided);
    MPI_Type_commit(&strided);
    for (int i = 0; i < size; ++i) {
      bytes[i] = first_byte * (i + 1);
      items[i] = i + 1;
      types[i] = strided;
    }
  }
  ~defective() { MPI_Type_free(&strided); }

  /// Behind the beginning lies an element for each rank, and behind each a gap.
  std::vector<T> buffer(double from, int n) const {
    std::vector<T> made(static_cast<std::size_t>(before + 2 * n));
    for (T &x : made) set(x, -1.0);
    for (int i = 0; i < n && from >= 0.0; ++i) set(made[before + 2 * i], from + i);
    return made;
  }

  template <class Expected>
  void check(const std::string &call, std::vector<T> &got, int n, Expected expected) const {
    INFO(call, ", blocks: ", blocks, ", ranks: ", size);
    bool right = true;
    for (int i = 0; i < before; ++i) right = right && is(got[i], -1.0);
    for (int i = 0; i < n; ++i) right = right && is(got[before + 2 * i], expected(i)) && is(got[before + 2 * i + 1], -1.0);
    CHECK(right);
  }

  void allgatherv() {
    T mine;
    set(mine, 100.0 * rank);
    std::vector<T> in = buffer(-1.0, size);
    EITHER(Allgatherv, Iallgatherv, &mine, 1, scalar, in.data(), counts.data(), items.data(), strided, comm);
    check("Allgatherv", in, size, [](int i) { return 100.0 * i; });
  }

  /// Each rank describes the numbers of all, which are many, by a type of its own.
  void long_allgatherv() {
    const int n = 80000 / size, per = rank % 2 == 0 ? 1 : n;
    MPI_Datatype own;
    MPI_Type_contiguous(per, scalar, &own);
    MPI_Type_commit(&own);
    std::vector<T> mine(static_cast<std::size_t>(n)), in(static_cast<std::size_t>(n * size));
    for (int i = 0; i < n; ++i) set(mine[i], 1e6 * rank + i);
    std::vector<int> items_of(size, n / per), places(size);
    for (int i = 0; i < size; ++i) places[i] = i * (n / per);
    EITHER(Allgatherv, Iallgatherv, mine.data(), n / per, own, in.data(), items_of.data(), places.data(), own, comm);
    bool right = true;
    for (int i = 0; i < n * size; ++i) right = right && is(in[i], 1e6 * (i / n) + i % n);
    INFO("Allgatherv of long parts, blocks: ", blocks, ", ranks: ", size);
    CHECK(right);
    MPI_Type_free(&own);
  }

  void alltoallw() {
    std::vector<T> out = buffer(100.0 * rank, size), in = buffer(-1.0, size);
    EITHER(Alltoallw, Ialltoallw, out.data(), counts.data(), bytes.data(), types.data(), in.data(), counts.data(), bytes.data(),
           types.data(), comm);
    check("Alltoallw", in, size, [&](int i) { return 100.0 * i + rank; });
    in = buffer(100.0 * rank, size);
    EITHER(Alltoallw, Ialltoallw, MPI_IN_PLACE, nullptr, nullptr, nullptr, in.data(), counts.data(), bytes.data(), types.data(),
           comm);
    check("Alltoallw in place", in, size, [&](int i) { return 100.0 * i + rank; });
  }

  void alltoallv() {
    std::vector<T> out = buffer(100.0 * rank, size), in = buffer(-1.0, size);
    EITHER(Alltoallv, Ialltoallv, out.data(), counts.data(), items.data(), strided, in.data(), counts.data(), items.data(),
           strided, comm);
    check("Alltoallv", in, size, [&](int i) { return 100.0 * i + rank; });
    in = buffer(100.0 * rank, size);
    EITHER(Alltoallv, Ialltoallv, MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, in.data(), counts.data(), items.data(),
           strided, comm);
    check("Alltoallv in place", in, size, [&](int i) { return 100.0 * i + rank; });
  }

  /// Along a line: the last rank has no destinations, the first no sources.
  void neighbor_alltoallw() {
    const int weight = 1, sources = rank > 0, destinations = rank < size - 1;
    MPI_Comm line;
    AMPI_Dist_graph_create_adjacent(comm, sources, &left, &weight, destinations, &right, &weight, MPI_INFO_NULL, 0, &line);
    const MPI_Aint place = first_byte;
    std::vector<T> out = buffer(100.0 * rank, 1), in = buffer(-1.0, 1);
    EITHER(Neighbor_alltoallw, Ineighbor_alltoallw, out.data(), counts.data(), &place, types.data(), in.data(), counts.data(),
           &place, types.data(), line);
    check("Neighbor_alltoallw", in, 1, [&](int) { return rank > 0 ? 100.0 * left : -1.0; });
    AMPI_Comm_free(&line);
  }
};

/// Pairs in messages that are long: in place, gathered and scattered.
void check_pairs(bool blocks) {
  struct pair {
    double value;
    int index;
  };
  const int rank = rank_of(MPI_COMM_WORLD), n = 20000, last = rank + 1;
  const auto size = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
  AMPI_Request request = AMPI_REQUEST_NULL;
  const std::vector<int> counts(size, n);
  std::vector<int> items(size), bytes(size);
  const std::vector<MPI_Datatype> types(size, MPI_DOUBLE_INT);
  for (std::size_t i = 0; i < size; ++i) {
    items[i] = n * static_cast<int>(i);
    bytes[i] = items[i] * static_cast<int>(sizeof(pair));
  }
  for (int call = 0; call < 4; ++call) {
    CAPTURE(call);
    std::vector<pair> all(n * size);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {1e6 * rank + static_cast<double>(i), last};
    if (call == 0)
      EITHER(Alltoall, Ialltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), n, MPI_DOUBLE_INT, MPI_COMM_WORLD);
    else if (call == 1)
      EITHER(Alltoallv, Ialltoallv, MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, all.data(), counts.data(), items.data(),
             MPI_DOUBLE_INT, MPI_COMM_WORLD);
    else if (call == 2 && blocks)
      MPIX_Alltoall_x(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), n, MPI_DOUBLE_INT, MPI_COMM_WORLD);
    else if (call == 2) {
      MPI_Request passive = MPI_REQUEST_NULL;
      MPIX_Ialltoall_x(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), n, MPI_DOUBLE_INT, MPI_COMM_WORLD, &passive);
      MPI_Wait(&passive, MPI_STATUS_IGNORE);
    } else
      EITHER(Alltoallw, Ialltoallw, MPI_IN_PLACE, nullptr, nullptr, nullptr, all.data(), counts.data(), bytes.data(),
             types.data(), MPI_COMM_WORLD);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int from = static_cast<int>(i / n);
      wrong += all[i].value != 1e6 * from + static_cast<double>(n * rank) + static_cast<double>(i % n) || all[i].index != from + 1;
    }
    CHECK(wrong == 0);
  }
  // From every root to all and back, as MPICH does it by way of other ranks. All ranks take one way whatever their types: the
  // last one's may be a structure whose first block is empty. MPICH itself cannot receive long pairs as such.
  MPI_Datatype bare, structure;
  const int lengths[] = {0, 1, 1};
  const MPI_Aint at[] = {0, offsetof(pair, value), offsetof(pair, index)};
  const MPI_Datatype parts[] = {MPI_SHORT, MPI_DOUBLE, MPI_INT};
  AMPI_Type_create_struct(3, lengths, at, parts, &bare);
  AMPI_Type_create_resized(bare, 0, sizeof(pair), &structure);
  AMPI_Type_commit(&structure);
  AMPI_Type_free(&bare);
  for (const bool alike : {true, false}) {
    const int m = alike ? n : 100;
    const auto items_of_all = static_cast<std::size_t>(m) * size;
    const MPI_Datatype own = alike || last < static_cast<int>(size) ? MPI_DOUBLE_INT : structure;
    for (int root = 0; root < static_cast<int>(size); ++root) {
      CAPTURE(alike);
      CAPTURE(root);
      std::vector<pair> all(items_of_all), part(static_cast<std::size_t>(m));
      for (std::size_t i = 0; i < all.size(); ++i) all[i] = {1e6 * root + static_cast<double>(i), root};
      EITHER(Scatter, Iscatter, all.data(), m, own, part.data(), m, own, root, MPI_COMM_WORLD);
      int wrong = 0;
      for (int i = 0; i < m; ++i) {
        pair &one = part[static_cast<std::size_t>(i)];
        wrong += one.value != 1e6 * root + m * rank + i || one.index != root;
        one.index += last;
      }
      CHECK(wrong == 0);
      all.assign(all.size(), pair{});
      EITHER(Gather, Igather, part.data(), m, own, all.data(), m, own, root, MPI_COMM_WORLD);
      for (std::size_t i = 0; rank == root && i < all.size(); ++i)
        wrong += all[i].value != 1e6 * root + static_cast<double>(i) || all[i].index != root + static_cast<int>(i) / m + 1;
      CHECK(wrong == 0);
    }
  }
  AMPI_Type_free(&structure);
  const int ranks = static_cast<int>(size), right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  std::vector<pair> moved(n);
  for (int i = 0; i < n; ++i) moved[static_cast<std::size_t>(i)] = {1e6 * rank + i, last};
  AMPI_Sendrecv_replace(moved.data(), n, MPI_DOUBLE_INT, right, 0, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += moved[static_cast<std::size_t>(i)].value != 1e6 * left + i || moved[static_cast<std::size_t>(i)].index != left + 1;
  CHECK(wrong == 0);
}

template <class T>
void check_defective(MPI_Datatype scalar) {
  MPI_Comm world, grid;
  AMPI_Comm_dup(MPI_COMM_WORLD, &world);
  const int size = size_of(MPI_COMM_WORLD), periodic = 1;
  // More neighbours than ranks.
  const int dims[] = {size, 1, 1}, periods[] = {periodic, periodic, periodic};
  AMPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
  for (const MPI_Comm comm : {world, grid, MPI_COMM_SELF}) {
    for (const bool blocks : {true, false}) {
      defective<T> calls(comm, blocks, scalar);
      calls.allgatherv();
      calls.long_allgatherv();
      calls.alltoallw();
      calls.alltoallv();
      calls.neighbor_alltoallw();
    }
  }
  AMPI_Comm_free(&grid);
  AMPI_Comm_free(&world);
}

}  // namespace

TEST_CASE("test_tangent_types_in_calls_that_an_mpi_gets_wrong") {
  test::begin();
  check_defective<double>(MPI_DOUBLE);
  check_defective<first>(AMPI_ADOUBLE);
  check_defective<second>(mpi_type<second>());
  check_defective<several>(AMPI_ADOUBLE);
  check_defective<var>(AMPI_ADOUBLE);
  check_defective<tangent<var>>(AMPI_ADOUBLE);
  check_pairs(true);
  check_pairs(false);
}
