// The datatypes of tangents, in messages, structures and files, and what is refused.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

#include "ampi/tangent_types.hpp"

using namespace tangent_types;

namespace {

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
  // Each rank tries types of its own.
  const unsigned ranks = static_cast<unsigned>(test::size_of(MPI_COMM_WORLD));
  for (unsigned seed = static_cast<unsigned>(test::rank_of(MPI_COMM_WORLD)); seed < 500; seed += ranks) {
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
  CHECK(compared > static_cast<int>(400 / ranks));
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
  CHECK(measures(mpi_type<several>()) == std::vector<MPI_Aint>{0, sizeof(several), 32});
  CHECK(measures(mpi_type<tangent<first, 3>>()) == std::vector<MPI_Aint>{0, sizeof(tangent<first, 3>), 64});
  CHECK(mpi_type<several>() != mpi_type<second>());
  // On the wire two active doubles are sixteen bytes.
  CHECK(measures(mpi_type<tangent<var>>()) == std::vector<MPI_Aint>{0, sizeof(tangent<var>), 16});
  CHECK(measures(mpi_type<value_index<first>>()) == std::vector<MPI_Aint>{0, sizeof(value_index<first>), 20});
}

TEST_CASE("test_tangent_types_made_from_the_active_double") {
  check_substitutes<first>();
  check_substitutes<second>();
  check_substitutes<several>();
  check_substitutes<tangent<var>>();
}

TEST_CASE("test_tangent_types_nested_at_random") {
  check_random_types<var>();
  check_random_types<first>();
  check_random_types<second>();
  check_random_types<several>();
  check_random_types<tangent<var>>();
}

TEST_CASE("test_tangent_types_in_structures") {
  check_structures<var>();
  check_structures<first>();
  check_structures<several>();
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

TEST_CASE("test_tangent_types_are_not_compared") {
  test::begin();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const first x = 1.0;
  first y;
  check_refused(AMPI_Compare_and_swap(&x, &x, &y, AMPI_ADOUBLE, 0, 0, MPI_WIN_NULL), "AMPI_Compare_and_swap", "integers only");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
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
