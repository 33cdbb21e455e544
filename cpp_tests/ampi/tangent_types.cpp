// The datatypes of tangents, their operations where values are equal, zero or infinite, and what is refused.
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "harness.hpp"

using admpi::mpi_type;
using admpi::tangent;
using admpi::value_index;
using admpi::var;
using test::rank_of;
using test::size_of;

namespace {

using first = tangent<double>;
using second = tangent<tangent<double>>;

/// A communicator of this process alone that returns errors.
struct alone {
  MPI_Comm comm;
  alone() {
    test::begin();
    AMPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~alone() { AMPI_Comm_free(&comm); }
};

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, length);
}

void check_refused(int code, const std::string &call, const std::string &part) {
  INFO(call, ": ", text_of(code));
  CHECK(code != MPI_SUCCESS);
  CHECK(text_of(code).find(call + ": ") == 0);
  CHECK(text_of(code).find(part) != std::string::npos);
}

template <class T>
struct structure {
  T a;
  int n;
  T b[2];
};

/// Types of all combiners, from a scalar's.
template <class T>
std::vector<MPI_Datatype> types_from(MPI_Datatype scalar) {
  std::vector<MPI_Datatype> made;
  const auto add = [&](MPI_Datatype type) {
    MPI_Type_commit(&type);
    made.push_back(type);
  };
  const int size = sizeof(T);
  const int lengths[] = {2, 1, 0, 1}, places[] = {4, 0, 9, 1};
  const MPI_Aint bytes[] = {4 * size, 0, 9 * size, size};
  MPI_Datatype type, inner;
  MPI_Type_contiguous(3, scalar, &type), add(type);
  MPI_Type_vector(2, 2, 3, scalar, &type), add(type);
  MPI_Type_create_hvector(3, 1, 2 * size, scalar, &type), add(type);
  MPI_Type_indexed(4, lengths, places, scalar, &type), add(type);
  MPI_Type_create_hindexed(4, lengths, bytes, scalar, &type), add(type);
  MPI_Type_create_indexed_block(3, 1, places, scalar, &type), add(type);
  MPI_Type_create_hindexed_block(3, 1, bytes, scalar, &type), add(type);
  MPI_Type_dup(scalar, &type), add(type);
  MPI_Type_create_resized(scalar, 0, 3 * size, &type), add(type);
  const int ones[] = {1, 1, 2};
  const MPI_Aint fields[] = {offsetof(structure<T>, a), offsetof(structure<T>, n), offsetof(structure<T>, b)};
  const MPI_Datatype types[] = {scalar, MPI_INT, scalar};
  MPI_Type_create_struct(3, ones, fields, types, &type), add(type);
  const int sizes[] = {3, 4}, parts[] = {2, 2}, starts[] = {1, 1};
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, scalar, &type), add(type);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_FORTRAN, scalar, &type), add(type);
  const int distributed[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, defaults[] = {MPI_DISTRIBUTE_DFLT_DARG, 1};
  const int grid[] = {1, 2};
  MPI_Type_create_darray(2, 1, 2, sizes, distributed, defaults, grid, MPI_ORDER_C, scalar, &type), add(type);
  // A column of pairs, twice.
  MPI_Type_contiguous(2, scalar, &inner);
  MPI_Type_vector(2, 1, 2, inner, &type);
  MPI_Type_free(&inner);
  MPI_Type_create_hvector(2, 1, 9 * size, type, &inner);
  MPI_Type_free(&type);
  add(inner);
  return made;
}

void free_all(std::vector<MPI_Datatype> &types) {
  for (MPI_Datatype &type : types) MPI_Type_free(&type);
}

/// What one item of a type sends from a buffer of numbered doubles.
std::vector<char> sent(MPI_Datatype type, MPI_Comm comm) {
  std::vector<double> memory(200);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i) + 0.5;
  int size = 0, position = 0;
  MPI_Pack_size(1, type, comm, &size);
  std::vector<char> packed(static_cast<std::size_t>(size) + 1);
  MPI_Pack(memory.data(), 1, type, packed.data(), size, &position, comm);
  packed.resize(static_cast<std::size_t>(position));
  return packed;
}

template <class T>
void check_substitutes() {
  const alone a;
  std::vector<MPI_Datatype> generic = types_from<T>(AMPI_ADOUBLE), own = types_from<T>(mpi_type<T>());
  for (std::size_t i = 0; i < own.size(); ++i) {
    CAPTURE(i);
    MPI_Datatype substitute = MPI_DATATYPE_NULL, again = MPI_DATATYPE_NULL, same = MPI_DATATYPE_NULL;
    REQUIRE(admpi_bundle_buffer("AMPI_Send", mpi_type<T>(), generic[i], a.comm, &substitute) == MPI_SUCCESS);
    REQUIRE(admpi_bundle_buffer("AMPI_Send", mpi_type<T>(), generic[i], a.comm, &again) == MPI_SUCCESS);
    REQUIRE(admpi_bundle_buffer("AMPI_Send", mpi_type<T>(), own[i], a.comm, &same) == MPI_SUCCESS);
    CHECK(substitute == again);
    CHECK(same == own[i]);
    MPI_Aint extent[2], lower[2];
    MPI_Type_get_extent(substitute, &lower[0], &extent[0]);
    MPI_Type_get_extent(own[i], &lower[1], &extent[1]);
    CHECK(lower[0] == lower[1]);
    CHECK(extent[0] == extent[1]);
    CHECK(sent(substitute, a.comm) == sent(own[i], a.comm));
  }
  free_all(generic);
  free_all(own);
}

/// Reduces one element of each rank over all ranks.
template <class T>
T allreduced(const T &x, MPI_Op op) {
  T y = x;
  AMPI_Allreduce(&x, &y, 1, mpi_type<T>(), op, MPI_COMM_WORLD);
  return y;
}

/// The gradient that the sweep finds, of an Allreduce of values that the tangents have too.
double swept(double x, MPI_Op op) {
  admpi::tape tape;
  tape.start();
  var input = x, y;
  tape.input(input);
  AMPI_Allreduce(&input, &y, 1, AMPI_ADOUBLE, op, MPI_COMM_WORLD);
  tape.seed(y, rank_of(MPI_COMM_WORLD) == 0 ? 1.0 : 0.0);
  tape.reverse();
  return tape.adjoint(input);
}

}  // namespace

TEST_CASE("test_tangent_types_of_scalars") {
  test::begin();
  CHECK(mpi_type<double>() == MPI_DOUBLE);
  CHECK(mpi_type<float>() == MPI_FLOAT);
  CHECK(mpi_type<var>() == AMPI_ADOUBLE);
  CHECK(mpi_type<value_index<double>>() == MPI_DOUBLE_INT);
  CHECK(mpi_type<value_index<var>>() == AMPI_ADOUBLE_INT);
  CHECK(mpi_type<first>() == mpi_type<first>());
  CHECK(mpi_type<first>() != mpi_type<second>());
  CHECK(mpi_type<tangent<var>>() != mpi_type<second>());
  const auto measures = [](MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 0;
    int size = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_size(type, &size);
    return std::vector<MPI_Aint>{lower, extent, size};
  };
  CHECK(measures(mpi_type<first>()) == std::vector<MPI_Aint>{0, sizeof(first), 16});
  CHECK(measures(mpi_type<second>()) == std::vector<MPI_Aint>{0, sizeof(second), 32});
  CHECK(measures(mpi_type<tangent<float>>()) == std::vector<MPI_Aint>{0, sizeof(tangent<float>), 8});
  // On the wire two active doubles are sixteen bytes.
  CHECK(measures(mpi_type<tangent<var>>()) == std::vector<MPI_Aint>{0, sizeof(tangent<var>), 16});
  CHECK(measures(mpi_type<value_index<first>>()) == std::vector<MPI_Aint>{0, sizeof(value_index<first>), 20});
}

TEST_CASE("test_tangent_types_made_from_the_active_double") {
  check_substitutes<first>();
  check_substitutes<second>();
  check_substitutes<tangent<var>>();
}

TEST_CASE("test_tangent_types_come_and_go") {
  const alone a;
  std::vector<first> out(40), in(40);
  for (int i = 0; i < 40; ++i) out[i] = first(i, -i);
  for (int times = 0; times < 500; ++times) {
    // Handles are used again, for other types.
    MPI_Datatype type;
    const int stride = 1 + times % 4;
    MPI_Type_vector(5, 1, stride, AMPI_ADOUBLE, &type);
    MPI_Type_commit(&type);
    AMPI_Request request;
    REQUIRE(AMPI_Isend(out.data(), 1, type, 0, 0, a.comm, &request) == MPI_SUCCESS);
    REQUIRE(AMPI_Recv(in.data(), 5, AMPI_ADOUBLE, 0, 0, a.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    MPI_Type_free(&type);
    REQUIRE(AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < 5; ++i) REQUIRE((in[i].value == i * stride && in[i].derivative == -i * stride));
  }
}

TEST_CASE("test_tangent_types_of_one_datatype_for_two_scalars") {
  const alone a;
  MPI_Datatype type;
  MPI_Type_contiguous(2, AMPI_ADOUBLE, &type);
  MPI_Type_commit(&type);
  const first x[2] = {{1.0, 2.0}, {3.0, 4.0}};
  const second y[2] = {{{1.0, 2.0}, {3.0, 4.0}}, {{5.0, 6.0}, {7.0, 8.0}}};
  first got[2];
  second other[2];
  for (int times = 0; times < 2; ++times) {
    REQUIRE(AMPI_Sendrecv(x, 1, type, 0, 0, got, 1, type, 0, 0, a.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    REQUIRE(AMPI_Sendrecv(y, 1, type, 0, 0, other, 2, AMPI_ADOUBLE, 0, 0, a.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(std::memcmp(x, got, sizeof x) == 0);
    CHECK(std::memcmp(y, other, sizeof y) == 0);
  }
  MPI_Type_free(&type);
}

TEST_CASE("test_tangent_types_that_do_not_fit_are_refused") {
  const alone a;
  const int nowhere = MPI_PROC_NULL;
  first x[2] = {{1.0, 1.0}, {2.0, 1.0}}, y[2];
  second z[2];
  tangent<var> t[2];
  MPI_Datatype plain, foreign;
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &plain);
  MPI_Type_contiguous(2, mpi_type<tangent<var>>(), &foreign);
  MPI_Type_commit(&plain);
  MPI_Type_commit(&foreign);
  check_refused(AMPI_Send(x, 2, MPI_DOUBLE, nowhere, 0, a.comm), "AMPI_Send", "derivatives would be lost");
  check_refused(AMPI_Send(x, sizeof x, MPI_BYTE, nowhere, 0, a.comm), "AMPI_Send", "derivatives would be lost");
  check_refused(AMPI_Send(t, 2, MPI_DOUBLE, nowhere, 0, a.comm), "AMPI_Send", "derivatives would be lost");
  check_refused(AMPI_Send(x, 1, plain, nowhere, 0, a.comm), "AMPI_Send", "derivatives would be lost");
  check_refused(AMPI_Bcast(y, 2, MPI_DOUBLE, 0, a.comm), "AMPI_Bcast", "derivatives would be lost");
  check_refused(AMPI_Send(x, 2, mpi_type<second>(), nowhere, 0, a.comm), "AMPI_Send", "another scalar");
  check_refused(AMPI_Send(z, 2, mpi_type<first>(), nowhere, 0, a.comm), "AMPI_Send", "another scalar");
  check_refused(AMPI_Send(x, 1, foreign, nowhere, 0, a.comm), "AMPI_Send", "another scalar");
  const int counts[] = {1}, places[] = {0};
  const MPI_Datatype types[] = {MPI_DOUBLE};
  check_refused(AMPI_Alltoallw(x, counts, places, types, y, counts, places, types, a.comm), "AMPI_Alltoallw",
                "derivatives would be lost");
  MPI_Type_free(&plain);
  MPI_Type_free(&foreign);
}

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

TEST_CASE("test_tangent_types_files_hold_numbers") {
  test::begin();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const first x = 1.0;
  check_refused(AMPI_File_write(MPI_FILE_NULL, &x, 1, AMPI_ADOUBLE, MPI_STATUS_IGNORE), "AMPI_File_write", "value");
  check_refused(AMPI_Accumulate(&x, 1, AMPI_ADOUBLE, 0, 0, 1, AMPI_ADOUBLE, MPI_SUM, MPI_WIN_NULL), "AMPI_Accumulate", "get");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

TEST_CASE("test_tangent_types_in_windows") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  std::vector<first> got(2);
  first *shared = nullptr;
  const first mine[2] = {{1.0 + rank, 10.0 + rank}, {2.0 + rank, 20.0 + rank}};
  MPI_Win window;
  AMPI_Win_allocate(4 * sizeof(first), sizeof(first), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  AMPI_Win_fence(0, window);
  AMPI_Put(mine, 2, AMPI_ADOUBLE, (rank + 1) % size, 1, 2, AMPI_ADOUBLE, window);
  AMPI_Win_fence(0, window);
  const int left = (rank + size - 1) % size;
  CHECK(shared[2].value == 2.0 + left);
  CHECK(shared[2].derivative == 20.0 + left);
  AMPI_Get(got.data(), 2, AMPI_ADOUBLE, (rank + 1) % size, 1, 2, AMPI_ADOUBLE, window);
  AMPI_Win_fence(0, window);
  CHECK(got[0].value == mine[0].value);
  CHECK(got[1].derivative == mine[1].derivative);
  AMPI_Win_free(&window);
}

TEST_CASE("test_tangent_types_behind_a_void_pointer") {
  // Without the type of the buffer, the datatype says all.
  const alone a;
  first x[2] = {{1.0, 2.0}, {3.0, 4.0}}, y[2];
  void *out = x, *in = y;
  REQUIRE(AMPI_Sendrecv(out, 2, mpi_type<first>(), 0, 0, in, 2, mpi_type<first>(), 0, 0, a.comm, MPI_STATUS_IGNORE) ==
          MPI_SUCCESS);
  CHECK(std::memcmp(x, y, sizeof x) == 0);
}

TEST_CASE("test_tangent_types_pairs_are_moved") {
  test::begin();
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  const value_index<first> mine = {{1.0 + rank, 10.0 * rank}, 7 * rank};
  std::vector<value_index<first>> all(static_cast<std::size_t>(size));
  AMPI_Allgather(&mine, 1, mpi_type<value_index<first>>(), all.data(), 1, mpi_type<value_index<first>>(), MPI_COMM_WORLD);
  // Both parts of a tangent over var are active.
  admpi::tape tape;
  tape.start();
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
