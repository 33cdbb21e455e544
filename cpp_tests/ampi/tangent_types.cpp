// The datatypes of tangents, their operations where values are equal, zero or infinite, and what is refused.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/identity.hpp"

using admpi::mpi_type;
using admpi::tangent;
using admpi::value_index;
using admpi::var;
using test::rank_of;
using test::size_of;
using test::text_of;

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
    REQUIRE(admpi_detail_bundle_buffer("AMPI_Send", mpi_type<T>(), generic[i], a.comm, &substitute) == MPI_SUCCESS);
    REQUIRE(admpi_detail_bundle_buffer("AMPI_Send", mpi_type<T>(), generic[i], a.comm, &again) == MPI_SUCCESS);
    REQUIRE(admpi_detail_bundle_buffer("AMPI_Send", mpi_type<T>(), own[i], a.comm, &same) == MPI_SUCCESS);
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

/// MPICH 4.0 divides by zero where it packs a type with parts of nothing.
#ifdef OPEN_MPI
constexpr int least = 0;
#else
constexpr int least = 1;
#endif

/// A random type of nested constructors, from a scalar of so many bytes. The seed decides, whatever the scalar is.
class random_type {
  std::mt19937 numbers;
  MPI_Datatype scalar;
  int bytes;

  int below(int n) { return static_cast<int>(numbers() % static_cast<unsigned>(n)); }
  int place() { return below(13) - 6; }

  MPI_Datatype part(int depth) {
    MPI_Datatype type;
    if (depth > 0 && below(4) > 0) return nested(depth);
    MPI_Type_dup(scalar, &type);
    return type;
  }

  MPI_Datatype nested(int depth) {
    const int kind = below(12);
    int lengths[3], places[3];
    MPI_Aint displacements[3];
    MPI_Datatype parts[3], type;
    const int n = kind == 11 ? 3 : 1;
    for (int i = 0; i < 3; ++i) {
      lengths[i] = least + below(3 - least);
      places[i] = place();
      displacements[i] = static_cast<MPI_Aint>(place()) * bytes;
    }
    const MPI_Aint lower = static_cast<MPI_Aint>(place()) * bytes, extent = static_cast<MPI_Aint>(below(8)) * bytes;
    const int sizes[] = {3, 2 + below(3)}, subsizes[] = {1 + below(2), 1 + below(2)}, starts[] = {below(2), below(1)};
    const int order = below(2) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, grid[] = {1, 2};
    const int defaults[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    const int count = least + below(3 - least);
    for (int i = 0; i < n; ++i) parts[i] = part(depth - 1);
    int size = 0;
    MPI_Type_size(parts[0], &size);
    // Open MPI makes no distributed array of nothing.
    if (kind == 10 && size == 0) MPI_Type_free(&parts[0]), MPI_Type_dup(scalar, &parts[0]);
    switch (kind) {
      case 0: MPI_Type_contiguous(count, parts[0], &type); break;
      case 1: MPI_Type_vector(count, lengths[0], places[0], parts[0], &type); break;
      case 2: MPI_Type_create_hvector(count, lengths[0], displacements[0], parts[0], &type); break;
      case 3: MPI_Type_indexed(3, lengths, places, parts[0], &type); break;
      case 4: MPI_Type_create_hindexed(3, lengths, displacements, parts[0], &type); break;
      case 5: MPI_Type_create_indexed_block(3, lengths[0], places, parts[0], &type); break;
      case 6: MPI_Type_create_hindexed_block(3, lengths[0], displacements, parts[0], &type); break;
      case 7: MPI_Type_create_resized(parts[0], lower, extent, &type); break;
      case 8: MPI_Type_dup(parts[0], &type); break;
      case 9: MPI_Type_create_subarray(2, sizes, subsizes, starts, order, parts[0], &type); break;
      case 10: MPI_Type_create_darray(2, 1, 2, sizes, distributions, defaults, grid, order, parts[0], &type); break;
      default: MPI_Type_create_struct(3, lengths, displacements, parts, &type);
    }
    for (int i = 0; i < n; ++i) MPI_Type_free(&parts[i]);
    return type;
  }

 public:
  random_type(unsigned seed, MPI_Datatype of, int of_bytes) : numbers(seed), scalar(of), bytes(of_bytes) {}

  MPI_Datatype make() {
    MPI_Datatype type = nested(3);
    MPI_Type_commit(&type);
    return type;
  }
};

/// Where an item begins and ends, and where its data do, in scalars of so many bytes. The data of an active double end
/// before it does.
std::vector<MPI_Aint> bounds_of(MPI_Datatype type, MPI_Aint bytes) {
  MPI_Aint lower, extent, first, span;
  MPI_Type_get_extent(type, &lower, &extent);
  MPI_Type_get_true_extent(type, &first, &span);
  const MPI_Aint last = first + span;
  CHECK(lower % bytes == 0);
  CHECK(extent % bytes == 0);
  return {lower / bytes, extent / bytes, first / bytes, (last > 0 ? last + bytes - 1 : last) / bytes};
}

/// Types made from double and from T have the same bounds, in scalars, and two items move the same values.
template <class T>
void check_random_types() {
  const alone a;
  const MPI_Aint most = 400;
  std::vector<double> plain(2 * most);
  std::vector<T> scaled(2 * most);
  for (std::size_t i = 0; i < plain.size(); ++i) scaled[i] = plain[i] = static_cast<double>(i) + 0.5;
  int compared = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    MPI_Datatype expected = random_type(seed, MPI_DOUBLE, sizeof(double)).make();
    const std::vector<MPI_Aint> bounds = bounds_of(expected, sizeof(double));
    int doubles = 0;
    MPI_Type_size(expected, &doubles);
    doubles = 2 * doubles / static_cast<int>(sizeof(double));
    const bool fits = std::abs(bounds[0]) + std::abs(bounds[1]) + std::abs(bounds[2]) + std::abs(bounds[3]) < most / 2;
    std::vector<double> values(static_cast<std::size_t>(doubles) + 1);
    int position = 0;
    if (fits) MPI_Pack(&plain[most], 2, expected, values.data(), doubles * 8, &position, a.comm);
    for (const MPI_Datatype scalar : {mpi_type<T>(), AMPI_ADOUBLE}) {
      MPI_Datatype type = random_type(seed, scalar, sizeof(T)).make(), own = type;
      if (doubles > 0) {
        if (!std::is_same_v<T, var>)
          REQUIRE(admpi_detail_bundle_buffer("AMPI_Send", mpi_type<T>(), type, a.comm, &own) == MPI_SUCCESS);
        CHECK(bounds_of(own, sizeof(T)) == bounds);
        if (fits) {
          std::vector<T> got(static_cast<std::size_t>(doubles));
          REQUIRE(AMPI_Sendrecv(&scaled[most], 2, type, 0, 0, got.data(), doubles, AMPI_ADOUBLE, 0, 0, a.comm,
                                MPI_STATUS_IGNORE) == MPI_SUCCESS);
          double wrong = 0.0;
          for (std::size_t i = 0; i < got.size(); ++i) wrong += std::fabs(admpi::value(got[i]) - values[i]);
          CHECK(wrong == 0.0);
          ++compared;
        }
      }
      MPI_Type_free(&type);
    }
    MPI_Type_free(&expected);
  }
  CHECK(compared > 400);
}

/// MPI pads a structure as the compiler does.
template <class T>
void check_structures() {
  test::begin();
  struct before {
    int n;
    T x;
  };
  struct behind {
    T x;
    int n;
  };
  const int ones[] = {1, 1};
  const auto check = [&](MPI_Aint x, MPI_Aint n, std::size_t bytes) {
    const MPI_Aint fields[] = {x, n};
    const MPI_Datatype types[] = {mpi_type<T>(), MPI_INT};
    MPI_Datatype type;
    MPI_Type_create_struct(2, ones, fields, types, &type);
    MPI_Aint lower = -1, extent = -1;
    MPI_Type_get_extent(type, &lower, &extent);
    CHECK(lower == 0);
    CHECK(extent == static_cast<MPI_Aint>(bytes));
    MPI_Type_free(&type);
  };
  check(offsetof(before, x), offsetof(before, n), sizeof(before));
  check(offsetof(behind, x), offsetof(behind, n), sizeof(behind));
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

TEST_CASE("test_tangent_types_nested_at_random") {
  check_random_types<var>();
  check_random_types<first>();
  check_random_types<second>();
  check_random_types<tangent<var>>();
}

TEST_CASE("test_tangent_types_in_structures") {
  check_structures<var>();
  check_structures<first>();
  check_structures<tangent<var>>();
  check_structures<value_index<var>>();
  check_structures<value_index<first>>();
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
  // A void * hides the tangents, and the datatype tells.
  MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
  const void *const unseen = mine;
  void *const unseen_result = got.data();
  const MPI_Datatype type = mpi_type<first>();
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}) {
    check_refused(AMPI_Accumulate(unseen, 1, type, 0, 0, 1, type, op, window), "AMPI_Accumulate", "after a Get");
    check_refused(AMPI_Get_accumulate(unseen, 1, type, unseen_result, 1, type, 0, 0, 1, type, op, window),
                  "AMPI_Get_accumulate", "after a Get");
  }
  AMPI_Win_fence(0, window);
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

namespace {

/// A number in each part of a scalar, and back.
template <class T>
double &number(T &x, int part) {
  if constexpr (std::is_same<T, double>::value)
    return x;
  else if constexpr (std::is_same<T, var>::value)
    return x.value;
  else
    return number(part % 2 == 0 ? x.value : x.derivative, part / 2);
}

template <class T>
constexpr int parts() {
  if constexpr (std::is_same<T, double>::value || std::is_same<T, var>::value)
    return 1;
  else
    return 2 * parts<decltype(T().value)>();
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
#undef EITHER

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
  check_defective<var>(AMPI_ADOUBLE);
  check_defective<tangent<var>>(AMPI_ADOUBLE);
  check_pairs(true);
  check_pairs(false);
}
