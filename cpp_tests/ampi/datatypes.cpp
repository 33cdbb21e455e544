// Types built from AMPI_ADOUBLE, by MPI's own constructors.
#include "harness/identity.hpp"

#include <cstddef>
#include <functional>
#include <string>

using admpi::var;
using test::check_identity;
using test::rank_of;
using test::size_of;
using test::world;

namespace {

/// Sends `count` items of the type that `make(element)` returns around the ring, and receives them as another.
/// The types are freed before the sweep.
void check_types(unsigned seed, std::size_t n, int sent, const std::function<MPI_Datatype(MPI_Datatype)> &send_type,
                 int received, const std::function<MPI_Datatype(MPI_Datatype)> &receive_type) {
  check_identity(n, seed, [&](auto mpi, auto &x) {
    const int me = rank_of(world), count = size_of(world);
    MPI_Datatype out = send_type(mpi.type()), in = receive_type(mpi.type());
    MPI_Type_commit(&out);
    MPI_Type_commit(&in);
    auto y = x;
    for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * x[(i + 1) % n];
    typename decltype(mpi)::request q[2];
    mpi.irecv(y.data(), received, in, (me + count - 1) % count, 0, world, &q[0]);
    mpi.isend(x.data(), sent, out, (me + 1) % count, 0, world, &q[1]);
    MPI_Type_free(&out);
    MPI_Type_free(&in);
    MPI_Status statuses[2];
    mpi.waitall(2, q, statuses);
    for (std::size_t i = 0; i < n; ++i) y[i] = sin(y[i]) + x[i];
    return y;
  });
}

MPI_Datatype element(MPI_Datatype t) {
  MPI_Datatype made;
  MPI_Type_dup(t, &made);
  return made;
}

MPI_Datatype contiguous(MPI_Datatype t) {
  MPI_Datatype made;
  MPI_Type_contiguous(3, t, &made);
  return made;
}

MPI_Datatype vector(MPI_Datatype t) {
  MPI_Datatype made;
  MPI_Type_vector(3, 2, 4, t, &made);
  return made;
}

MPI_Datatype hvector(MPI_Datatype t) {
  MPI_Datatype made;
  MPI_Type_create_hvector(3, 1, 3 * 16, t, &made);
  return made;
}

MPI_Datatype indexed(MPI_Datatype t) {
  const int lengths[] = {1, 0, 2}, places[] = {7, 3, 2};
  MPI_Datatype made;
  MPI_Type_indexed(3, lengths, places, t, &made);
  return made;
}

MPI_Datatype hindexed(MPI_Datatype t) {
  const int lengths[] = {2, 1};
  const MPI_Aint places[] = {16 * 6, 16 * 1};
  MPI_Datatype made;
  MPI_Type_create_hindexed(2, lengths, places, t, &made);
  return made;
}

MPI_Datatype indexed_block(MPI_Datatype t) {
  const int places[] = {5, 0, 9};
  MPI_Datatype made;
  MPI_Type_create_indexed_block(3, 1, places, t, &made);
  return made;
}

MPI_Datatype hindexed_block(MPI_Datatype t) {
  const MPI_Aint places[] = {16 * 4, 0};
  MPI_Datatype made;
  MPI_Type_create_hindexed_block(2, 2, places, t, &made);
  return made;
}

MPI_Datatype structure(MPI_Datatype t) {
  MPI_Datatype inner = vector(t);
  const int lengths[] = {1, 1, 2};
  const MPI_Aint places[] = {16 * 11, 0, 16 * 13};
  const MPI_Datatype types[] = {t, inner, t};
  MPI_Datatype made;
  MPI_Type_create_struct(3, lengths, places, types, &made);
  MPI_Type_free(&inner);
  return made;
}

MPI_Datatype subarray(MPI_Datatype t, int order) {
  const int sizes[] = {3, 4, 2}, subsizes[] = {2, 2, 1}, starts[] = {1, 0, 1};
  MPI_Datatype made;
  MPI_Type_create_subarray(3, sizes, subsizes, starts, order, t, &made);
  return made;
}

/// A column of a matrix of 4 rows, so that items follow one another by columns.
MPI_Datatype column_of(int columns, MPI_Datatype t) {
  MPI_Datatype column, made;
  MPI_Type_vector(4, 1, columns, t, &column);
  MPI_Type_create_resized(column, 0, 16, &made);
  MPI_Type_free(&column);
  return made;
}

MPI_Datatype resized(MPI_Datatype t) { return column_of(5, t); }

/// Pairs from the highest down.
MPI_Datatype backwards(MPI_Datatype t) {
  const int one[] = {1};
  const MPI_Aint place[] = {16 * 8};
  MPI_Datatype down, made;
  MPI_Type_vector(3, 2, -4, t, &down);
  MPI_Type_create_hindexed(1, one, place, down, &made);
  MPI_Type_free(&down);
  return made;
}

/// Items of which each lies in front of the one before.
MPI_Datatype forwards_back(MPI_Datatype t) {
  const int two[] = {2};
  const MPI_Aint place[] = {16 * 9};
  MPI_Datatype pair, made;
  MPI_Type_create_hindexed(1, two, place, t, &pair);
  MPI_Type_create_resized(pair, 16 * 9, -3 * 16, &made);
  MPI_Type_free(&pair);
  return made;
}

MPI_Datatype nested(MPI_Datatype t) {
  MPI_Datatype inner = resized(t), copy, made;
  MPI_Type_dup(inner, &copy);
  MPI_Type_vector(2, 1, 2, copy, &made);
  MPI_Type_free(&inner);
  MPI_Type_free(&copy);
  return made;
}

}  // namespace

TEST_CASE("test_datatypes_dup_and_contiguous") {
  check_types(1, 12, 6, element, 2, contiguous);
  check_types(2, 12, 4, contiguous, 12, element);
}

TEST_CASE("test_datatypes_vectors") {
  check_types(3, 30, 1, vector, 6, element);
  check_types(4, 30, 6, element, 1, vector);
  check_types(5, 30, 2, vector, 2, vector);
  check_types(6, 30, 2, hvector, 6, element);
  check_types(7, 30, 3, contiguous, 3, hvector);
}

TEST_CASE("test_datatypes_indexed") {
  check_types(8, 40, 2, indexed, 6, element);
  check_types(9, 40, 3, element, 1, indexed);
  check_types(10, 40, 2, hindexed, 2, indexed);
  check_types(11, 40, 1, indexed_block, 1, hindexed);
  check_types(12, 40, 3, hindexed_block, 2, vector);
}

TEST_CASE("test_datatypes_structures") {
  check_types(13, 40, 1, structure, 9, element);
  check_types(14, 40, 3, contiguous, 1, structure);
}

TEST_CASE("test_datatypes_subarrays_counted") {
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    const auto type = [&](MPI_Datatype t) { return subarray(t, order); };
    check_types(15, 48, 2, type, 8, element);
    check_types(16, 48, 8, element, 2, type);
  }
}

namespace {

/// One rank's part of 4 x 3 x 5 items, dealt out to 2 x 1 x 3 ranks in blocks and in turn.
template <int rank, int order>
MPI_Datatype dealt_out(MPI_Datatype t) {
  const int sizes[] = {4, 3, 5}, grid[] = {2, 1, 3};
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
  const int lengths[] = {rank == 4 ? 3 : MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                         rank == 3 ? 2 : MPI_DISTRIBUTE_DFLT_DARG};
  MPI_Datatype made;
  MPI_Type_create_darray(6, rank, 3, sizes, kinds, lengths, grid, order, t, &made);
  return made;
}

template <int rank, int order>
int dealt_items() {
  int bytes;
  MPI_Datatype type = dealt_out<rank, order>(MPI_CHAR);
  MPI_Type_size(type, &bytes);
  MPI_Type_free(&type);
  return bytes;
}

template <int rank>
void check_dealt_out(int seed) {
  const auto by_rows = [](MPI_Datatype t) { return dealt_out<rank, MPI_ORDER_C>(t); };
  const auto by_columns = [](MPI_Datatype t) { return dealt_out<rank, MPI_ORDER_FORTRAN>(t); };
  const int n = dealt_items<rank, MPI_ORDER_C>();
  check_types(seed, 120, 2, by_rows, 2 * n, element);
  check_types(seed + 1, 120, 2 * n, element, 2, by_columns);
  check_types(seed + 2, 120, 2, by_columns, 2, by_rows);
}

}  // namespace

TEST_CASE("test_datatypes_arrays_dealt_out") {
  CHECK(dealt_items<0, MPI_ORDER_C>() == 12);
  CHECK(dealt_items<5, MPI_ORDER_FORTRAN>() == 6);
  check_dealt_out<0>(60);
  check_dealt_out<3>(63);
  check_dealt_out<4>(66);
  check_dealt_out<5>(69);
}

TEST_CASE("test_datatypes_resized_and_nested") {
  check_types(17, 20, 5, resized, 20, element);
  check_types(18, 20, 20, element, 5, resized);
  check_types(19, 20, 1, nested, 8, element);
  check_types(20, 20, 2, resized, 1, nested);
}

TEST_CASE("test_datatypes_that_go_down") {
  check_types(72, 30, 2, backwards, 12, element);
  check_types(73, 30, 5, element, 1, backwards);
  check_types(74, 30, 3, forwards_back, 6, element);
  check_types(75, 30, 1, backwards, 4, forwards_back);
}

TEST_CASE("test_datatypes_short_message_into_a_wide_type") {
  // Seven doubles into items of six: the rest of the second item stays.
  check_types(21, 30, 7, element, 2, vector);
}

TEST_CASE("test_datatypes_in_collectives") {
  check_identity(20, 22, [](auto mpi, auto &x) {
    const int count = size_of(world);
    MPI_Datatype type = resized(mpi.type());
    MPI_Type_commit(&type);
    auto y = x;
    for (int i = 0; i < 20; ++i) y[i] = x[i] * x[(i + 3) % 20];
    mpi.bcast(y.data() + 1, 2, type, count - 1, world);
    MPI_Type_free(&type);
    auto all = x;
    all.resize(20 * count);
    for (int i = 0; i < 20 * count; ++i) all[i] = x[i % 20] * 2.0;
    // A column for each rank, which no other writes to.
    type = column_of(count + 1, mpi.type());
    MPI_Type_commit(&type);
    mpi.allgather(y.data(), 4, mpi.type(), all.data(), 1, type, world);
    MPI_Type_free(&type);
    all.insert(all.end(), y.begin(), y.end());
    return all;
  });
}

TEST_CASE("test_datatypes_known_by_structure_not_by_extent") {
  test::begin();
  const int me = rank_of(world);
  // A plain double in items of 16 bytes, such as the real part of a complex number, is passive.
  MPI_Datatype plain;
  MPI_Type_create_resized(MPI_DOUBLE, 0, 16, &plain);
  MPI_Type_commit(&plain);
  test::recording_tape tape;
  double x[4] = {1.0 + me, 2.0, 3.0, 4.0}, y[4] = {0.0, 9.0, 0.0, 9.0};
  const auto events = tape.statistics().events;
  AMPI_Request q;
  AMPI_Isend(static_cast<void *>(x), 2, plain, me, 0, world, &q);
  AMPI_Recv(static_cast<void *>(y), 2, plain, me, 0, world, MPI_STATUS_IGNORE);
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  CHECK(tape.statistics().events == events);
  CHECK(y[0] == 1.0 + me);
  CHECK(y[1] == 9.0);
  CHECK(y[2] == 3.0);
  MPI_Type_free(&plain);
}

TEST_CASE("test_datatypes_freed_and_made_anew") {
  // Handles are reused: what is known of one must not be taken for the next.
  test::begin();
  const int me = rank_of(world);
  test::recording_tape tape;
  std::vector<var> x(4, 2.0), y(4);
  std::vector<double> plain(4, 2.0), room(4);
  tape.input(x);
  for (int i = 0; i < 200; ++i) {
    const bool is_active = i % 2 == 0;
    void *const from = is_active ? static_cast<void *>(x.data()) : plain.data();
    void *const to = is_active ? static_cast<void *>(y.data()) : room.data();
    MPI_Datatype type;
    MPI_Type_contiguous(2, is_active ? AMPI_ADOUBLE : MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    const auto events = tape.statistics().events;
    AMPI_Sendrecv(from, 1, type, me, 0, to, 1, type, me, 0, world, MPI_STATUS_IGNORE);
    CHECK(tape.statistics().events - events == (is_active ? 2 : 0));
    MPI_Type_free(&type);
  }
}

TEST_CASE("test_datatypes_size_on_the_wire") {
  test::begin();
  int size = 0;
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_size(AMPI_ADOUBLE, &size);
  MPI_Type_get_extent(AMPI_ADOUBLE, &lower, &extent);
  CHECK(size == 8);
  CHECK(lower == 0);
  CHECK(extent == 16);
}

TEST_CASE("test_datatypes_by_the_names_of_adjoinable_mpi") {
  // A program written for it: the calls outside of what is traced have names of their own.
  struct item {
    int a;
    var d;
    var foo[2];
  };
  test::begin();
  const int me = rank_of(world), count = size_of(world);
  MPI_Datatype pair, plain, type;
  AMPI_Type_contiguous_NT(2, AMPI_ADOUBLE, &pair);
  int lengths[] = {1, 1, 1};
  MPI_Aint places[] = {offsetof(item, a), offsetof(item, d), offsetof(item, foo)};
  MPI_Datatype types[] = {MPI_INT, AMPI_ADOUBLE, pair};
  AMPI_Type_create_struct_NT(3, lengths, places, types, &plain);
  AMPI_Type_create_resized_NT(plain, 0, sizeof(item), &type);
  AMPI_Type_commit_NT(&type);
  AMPI_Type_free_NT(&plain);
  AMPI_Type_free_NT(&pair);
  std::vector<char> memory(1000 + AMPI_BSEND_OVERHEAD);
  void *detached = nullptr;
  int size = 0;
  AMPI_Buffer_attach_NT(memory.data(), static_cast<int>(memory.size()));
  test::recording_tape tape;
  std::vector<item> x(2), y(2);
  for (int i = 0; i < 2; ++i) x[i] = {10 * me + i, 1.0 + i, {2.0 + me, 3.0 * i}};
  for (item &one : x) {
    tape.input(one.d);
    tape.input(one.foo, 2);
  }
  AMPI_Bsend(x.data(), 2, type, (me + 1) % count, 0, world);
  AMPI_Recv(y.data(), 2, type, (me + count - 1) % count, 0, world, MPI_STATUS_IGNORE);
  AMPI_Type_free_NT(&type);
  AMPI_Buffer_detach_NT(&detached, &size);
  CHECK(detached == memory.data());
  const int left = (me + count - 1) % count;
  CHECK(y[1].a == 10 * left + 1);
  CHECK(y[1].foo[0].value == 2.0 + left);
  MPI_Op product;
  AMPI_Op_create_NT([](void *in, void *inout, int *n, MPI_Datatype *) {
    for (int i = 0; i < *n; ++i) static_cast<var *>(inout)[i] = static_cast<var *>(in)[i] * static_cast<var *>(inout)[i];
  }, 1, &product);
  var all;
  const var mine = y[0].d * 2.0;
  AMPI_Allreduce(&mine, &all, 1, AMPI_ADOUBLE, product, world);
  AMPI_Op_free_NT(&product);
  if (me == 0) tape.seed(all);
  tape.seed(y[1].foo[1], 5.0);
  tape.reverse();
  CHECK(tape.adjoint(x[0].d) == std::pow(2.0, count));
  CHECK(tape.adjoint(x[1].foo[1]) == 5.0);
  CHECK(tape.adjoint(x[1].d) == 0.0);
}

namespace {

/// Types without an element that name `t`, or a type made of it, all the same.
std::vector<MPI_Datatype> without_elements(MPI_Datatype t) {
  std::vector<MPI_Datatype> made;
  const auto add = [&made](auto make) {
    MPI_Datatype type;
    make(&type);
    MPI_Type_commit(&type);
    made.push_back(type);
  };
  const int none[] = {0, 0}, places[] = {0, 2}, one[] = {1}, start[] = {0}, both[] = {0, 1};
  const MPI_Aint addresses[] = {0, 32};
  const MPI_Datatype mixed[] = {MPI_INT, t};
  add([&](MPI_Datatype *type) { MPI_Type_contiguous(0, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_vector(0, 1, 1, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_vector(3, 0, 1, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_hvector(0, 1, 16, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_indexed(2, none, places, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_indexed(0, none, places, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_hindexed(2, none, addresses, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_indexed_block(2, 0, places, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_hindexed_block(0, 1, addresses, t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_struct(1, none, addresses, &t, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_struct(2, none, addresses, mixed, type); });
  // Two processes share an array of one: the second has none of it.
  const int block[] = {MPI_DISTRIBUTE_BLOCK}, usual[] = {MPI_DISTRIBUTE_DFLT_DARG}, two[] = {2};
  add([&](MPI_Datatype *type) { MPI_Type_create_darray(2, 1, 1, one, block, usual, two, MPI_ORDER_C, t, type); });
  // Made of a structure of nothing.
  const MPI_Datatype empty = made[10];
  const MPI_Datatype nested[] = {empty, MPI_INT};
  add([&](MPI_Datatype *type) { MPI_Type_dup(empty, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_resized(empty, 0, 64, type); });
  add([&](MPI_Datatype *type) { MPI_Type_contiguous(3, empty, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_struct(2, none, addresses, nested, type); });
  const int lengths[] = {2, 0};
  add([&](MPI_Datatype *type) { MPI_Type_create_struct(2, lengths, addresses, nested, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_subarray(1, one, one, start, MPI_ORDER_C, empty, type); });
  add([&](MPI_Datatype *type) { MPI_Type_create_indexed_block(2, 1, both, empty, type); });
  return made;
}

/// What the last rank has nothing to give to, in one collective after the other: `items` of no elements.
template <class Pointer, class Real>
void give_nothing(Pointer pointer, int items, MPI_Datatype nothing, MPI_Datatype item, std::vector<Real> &x,
                  std::vector<Real> &got) {
  const int me = rank_of(world), size = size_of(world);
  const bool has = me < size - 1;
  std::vector<int> counts(size, 1), places(size);
  counts[size - 1] = 0;
  for (int i = 0; i < size; ++i) places[i] = i;
  const MPI_Datatype type = has ? item : nothing;
  const int n = has ? 1 : items;
  std::vector<Real> mine{x[0] * 2.0}, part(1), all(size);
  AMPI_Gatherv(pointer(has ? mine.data() : x.data()), n, type, all.data(), counts.data(), places.data(), item, 0, world);
  AMPI_Scatterv(all.data(), counts.data(), places.data(), item, pointer(part.data()), n, type, 0, world);
  got.push_back(part[0] * part[0]);
  AMPI_Allgatherv(pointer(has ? mine.data() : x.data()), n, type, all.data(), counts.data(), places.data(), item, world);
  for (int i = 0; i < size - 1; ++i) got.push_back(all[i]);
  AMPI_Bcast(pointer(x.data()), items, nothing, 0, world);
  AMPI_Allgather(pointer(x.data()), items, nothing, pointer(all.data()), items, nothing, world);
}

/// What `program(x, got)` adds to the gradient of what all ranks got, with reductions before and after.
template <class Program>
double gradient_of(const Program &program) {
  const int me = rank_of(world);
  test::recording_tape tape;
  std::vector<var> x{1.0 + me}, got, sum(1);
  tape.input(x);
  AMPI_Reduce(x.data(), sum.data(), 1, AMPI_ADOUBLE, MPI_SUM, 0, world);
  program(x, got);
  std::vector<var> square{x[0] * x[0]}, squares(1);
  AMPI_Reduce(square.data(), squares.data(), 1, AMPI_ADOUBLE, MPI_SUM, 0, world);
  tape.stop();
  for (const var &y : got) tape.seed(y);
  if (me == 0) {
    tape.seed(sum[0]);
    tape.seed(squares[0], 5.0);
  }
  tape.reverse();
  return tape.adjoint(x[0]) - 1.0 - 10.0 * (1.0 + me);
}

template <class Pointer>
void check_gradient_without(MPI_Datatype nothing, Pointer pointer) {
  const int me = rank_of(world), size = size_of(world);
  const double added =
      gradient_of([&](std::vector<var> &x, std::vector<var> &got) { give_nothing(pointer, 1, nothing, AMPI_ADOUBLE, x, got); });
  CHECK(added == (me < size - 1 ? 2.0 * 2.0 * (2.0 * (1.0 + me)) + 2.0 * size : 0.0));
}

/// An item to send: of one value, or of a type of no elements.
struct parcel {
  std::vector<var> value;
  MPI_Datatype type;

  parcel(bool full, const var &x, MPI_Datatype nothing) : value{x * 2.0}, type(full ? AMPI_ADOUBLE : nothing) {}
};

/// The last rank has nothing to give in what is started again and again.
void give_nothing_again(MPI_Datatype nothing, std::vector<var> &x, std::vector<var> &got) {
  const int me = rank_of(world), size = size_of(world);
  parcel mine(me < size - 1, x[0], nothing);
  std::vector<var> all(size);
  std::vector<int> counts(size, 1), places(size);
  counts[size - 1] = 0;
  for (int i = 0; i < size; ++i) places[i] = i;
  AMPI_Request request;
  AMPI_Allgatherv_init(mine.value.data(), 1, mine.type, all.data(), counts.data(), places.data(), AMPI_ADOUBLE, world, MPI_INFO_NULL,
                       &request);
  for (int start = 0; start < 2; ++start) {
    AMPI_Start(&request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    got.insert(got.end(), all.begin(), all.end() - 1);
  }
  AMPI_Request_free(&request);
}

/// The last rank has nothing for the next one on a ring.
void give_neighbours_nothing(MPI_Datatype nothing, std::vector<var> &x, std::vector<var> &got) {
  const int me = rank_of(world), size = size_of(world), left = (me + size - 1) % size, right = (me + 1) % size;
  parcel mine(me < size - 1, x[0], nothing);
  const int count = left < size - 1 ? 1 : 0, place = 0, one = 1;
  MPI_Comm ring;
  AMPI_Dist_graph_create_adjacent(world, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL, 0, &ring);
  std::vector<var> values(1);
  AMPI_Neighbor_allgatherv(mine.value.data(), 1, mine.type, values.data(), &count, &place, AMPI_ADOUBLE, ring);
  got.insert(got.end(), values.begin(), values.begin() + count);
  AMPI_Comm_free(&ring);
}

/// The last rank, a group of its own, has nothing for the others.
void give_the_other_group_nothing(MPI_Datatype nothing, std::vector<var> &x, std::vector<var> &got) {
  const int me = rank_of(world), size = size_of(world);
  const bool has = me < size - 1;
  parcel mine(has, x[0], nothing);
  MPI_Comm half, inter;
  AMPI_Comm_split(world, has ? 0 : 1, me, &half);
  AMPI_Intercomm_create(half, 0, world, has ? size - 1 : 0, 3, &inter);
  const int there = has ? 1 : size - 1, root = me == 0 ? MPI_ROOT : has ? MPI_PROC_NULL : 0;
  std::vector<var> all(there);
  std::vector<int> counts(there, has ? 0 : 1), places(there);
  for (int i = 0; i < there; ++i) places[i] = i;
  AMPI_Gatherv(mine.value.data(), 1, mine.type, all.data(), counts.data(), places.data(), AMPI_ADOUBLE, root, inter);
  AMPI_Allgatherv(mine.value.data(), 1, mine.type, all.data(), counts.data(), places.data(), AMPI_ADOUBLE, inter);
  if (!has) got.insert(got.end(), all.begin(), all.end());
  AMPI_Comm_free(&inter);
  AMPI_Comm_free(&half);
}

/// Every rank but the last one adds to the next one's window; all put nothing.
void put_nothing(MPI_Datatype nothing, std::vector<var> &x, std::vector<var> &got) {
  const int me = rank_of(world), size = size_of(world), right = (me + 1) % size;
  std::vector<var> memory(1), mine{x[0] * 2.0};
  MPI_Win window;
  AMPI_Win_create(memory.data(), sizeof(var), sizeof(var), MPI_INFO_NULL, world, &window);
  AMPI_Win_fence(0, window);
  AMPI_Put(static_cast<void *>(mine.data()), 1, nothing, right, 0, 1, nothing, window);
  AMPI_Get(static_cast<void *>(mine.data()), 1, nothing, right, 0, 1, nothing, window);
  if (me < size - 1) AMPI_Accumulate(mine.data(), 1, AMPI_ADOUBLE, right, 0, 1, AMPI_ADOUBLE, MPI_SUM, window);
  AMPI_Win_fence(0, window);
  got.push_back(memory[0]);
  AMPI_Win_free(&window);
}

}  // namespace

TEST_CASE("test_datatypes_without_elements_are_active") {
  test::begin();
  std::vector<MPI_Datatype> types = without_elements(AMPI_ADOUBLE);
  for (std::size_t i = 0; i < types.size(); ++i) {
    CAPTURE(i);
    check_gradient_without(types[i], [](var *x) { return static_cast<void *>(x); });
    check_gradient_without(types[i], [](var *x) { return x; });
    MPI_Type_free(&types[i]);
  }
}

TEST_CASE("test_datatypes_without_elements_in_other_calls") {
  test::begin();
  const int me = rank_of(world), size = size_of(world);
  std::vector<MPI_Datatype> types = without_elements(AMPI_ADOUBLE);
  for (std::size_t i = 0; i < types.size(); ++i) {
    CAPTURE(i);
    const auto adds = [&](auto program, double slope) {
      const double added = gradient_of([&](std::vector<var> &x, std::vector<var> &got) { program(types[i], x, got); });
      CHECK(added == (me < size - 1 ? slope : 0.0));
    };
    adds(give_nothing_again, 4.0 * size);
    adds(give_neighbours_nothing, 2.0);
    if (size > 1) adds(give_the_other_group_nothing, 2.0);
    adds(put_nothing, 2.0);
    MPI_Type_free(&types[i]);
  }
}

TEST_CASE("test_datatypes_without_elements_of_tangents") {
  test::begin();
  using real = admpi::tangent<double>;
  const int me = rank_of(world), size = size_of(world);
  for (const MPI_Datatype item : {AMPI_ADOUBLE, admpi::mpi_type<real>()}) {
    std::vector<MPI_Datatype> types = without_elements(item);
    for (std::size_t i = 0; i < types.size(); ++i) {
      CAPTURE(i);
      std::vector<real> x{real(1.0 + me, 1.0)}, got;
      // Of more than none Open MPI's own Scatterv waits for a message.
      give_nothing([](real *x) { return x; }, 0, types[i], admpi::mpi_type<real>(), x, got);
      const double sent = me < size - 1 ? 2.0 * (1.0 + me) : 0.0;
      CHECK(admpi::value(got[0]) == sent * sent);
      CHECK(admpi::derivative(got[0]) == 2.0 * 2.0 * sent);
      for (int j = 0; j < size - 1; ++j) CHECK(admpi::derivative(got[1 + j]) == 2.0);
      MPI_Type_free(&types[i]);
    }
  }
}

TEST_CASE("test_datatypes_active_by_name_with_passive_parts") {
  // The only type of the last rank, in a call in which the others have active doubles.
  test::begin();
  struct item {
    int n;
    var x;
  };
  const int me = rank_of(world), size = size_of(world), last = size - 1;
  const int full[] = {1, 1}, bare[] = {1, 0};
  const MPI_Aint addresses[] = {offsetof(item, n), offsetof(item, x)};
  const MPI_Datatype parts[] = {MPI_INT, AMPI_ADOUBLE};
  MPI_Datatype types[2];
  for (int i = 0; i < 2; ++i) {
    MPI_Datatype packed;
    MPI_Type_create_struct(2, i == 0 ? full : bare, addresses, parts, &packed);
    MPI_Type_create_resized(packed, 0, sizeof(item), &types[i]);
    MPI_Type_free(&packed);
    MPI_Type_commit(&types[i]);
  }
  test::recording_tape tape;
  std::vector<item> x(size), y(size);
  std::vector<int> ones(size, 1), places(size);
  std::vector<MPI_Datatype> between(size);
  for (int i = 0; i < size; ++i) {
    places[i] = i * static_cast<int>(sizeof(item));
    x[i] = {10 * me + i, 1.0 + me + i};
    tape.input(x[i].x);
    between[i] = types[me == last || i == last];
  }
  var sum;
  AMPI_Reduce(&x[0].x, &sum, 1, AMPI_ADOUBLE, MPI_SUM, 0, world);
  AMPI_Alltoallw(x.data(), ones.data(), places.data(), between.data(), y.data(), ones.data(), places.data(),
                 between.data(), world);
  item ring{-1, 0.0};
  AMPI_Sendrecv(&x[1 % size], 1, types[1], (me + 1) % size, 0, &ring, 1, types[1], (me + last) % size, 0, world,
                MPI_STATUS_IGNORE);
  CHECK(ring.n == 10 * ((me + last) % size) + 1 % size);
  AMPI_Bcast(&ring, 1, types[1], 0, world);
  CHECK(ring.n == 10 * last + 1 % size);
  for (int i = 0; i < size; ++i) CHECK(y[i].n == 10 * i + me);
  tape.stop();
  for (int i = 0; i < size; ++i) tape.seed(y[i].x, 3.0);
  if (me == 0) tape.seed(sum);
  tape.reverse();
  for (int i = 0; i < size; ++i) {
    const bool sent = me != last && i != last;
    CHECK(tape.adjoint(x[i].x) == (sent ? 3.0 : 0.0) + (i == 0 ? 1.0 : 0.0));
  }
  for (MPI_Datatype &type : types) MPI_Type_free(&type);
}

TEST_CASE("test_datatypes_that_name_no_type") {
  // Whether a call is active is told by another buffer, does not matter, or is an error.
  test::begin();
  MPI_Comm comm;
  AMPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int me = rank_of(world), size = size_of(world);
  const bool is_last = me == size - 1;
  MPI_Datatype none, untold;
  MPI_Type_create_struct(0, nullptr, nullptr, nullptr, &none);
  MPI_Type_contiguous(2, none, &untold);
  MPI_Type_commit(&untold);
  std::vector<int> counts(size, 1), places(size);
  counts[size - 1] = 0;
  for (int i = 0; i < size; ++i) places[i] = i;
  std::vector<var> all(size);
  const auto gather = [&](const var &x) {
    return AMPI_Gatherv(&x, 1, is_last ? untold : AMPI_ADOUBLE, all.data(), counts.data(), places.data(), AMPI_ADOUBLE,
                        0, comm);
  };
  CHECK(gather(2.0) == MPI_SUCCESS);
  test::recording_tape tape;
  var x = 1.0 + me, sum;
  tape.input(x);
  AMPI_Reduce(&x, &sum, 1, AMPI_ADOUBLE, MPI_SUM, 0, comm);
  AMPI_Allgatherv(&x, 1, is_last ? untold : AMPI_ADOUBLE, all.data(), counts.data(), places.data(), AMPI_ADOUBLE, comm);
  var other;
  AMPI_Sendrecv(&x, 1, is_last ? untold : AMPI_ADOUBLE, is_last ? MPI_PROC_NULL : me + 1, 0, &other, 1,
                me == 0 ? untold : AMPI_ADOUBLE, me == 0 ? MPI_PROC_NULL : me - 1, 0, comm, MPI_STATUS_IGNORE);
  tape.stop();
  for (int i = 0; i < size - 1; ++i) tape.seed(all[i]);
  if (me == 0) tape.seed(sum, 7.0);
  if (me > 0) tape.seed(other, 0.5);
  tape.reverse();
  CHECK(tape.adjoint(x) == 7.0 + (is_last ? 0.0 : size + 0.5));
  tape.reset();
  tape.start();
  tape.input(x);
  const int code = gather(x);
  // Its root has a buffer that tells.
  const bool refused = is_last && size > 1;
  CHECK((code != MPI_SUCCESS) == refused);
  if (refused) CHECK(std::string(admpi_last_error()).find("AMPI_Gatherv: the datatype has no blocks") == 0);
  tape.stop();
  MPI_Barrier(world);
  MPI_Type_free(&untold);
  MPI_Type_free(&none);
  AMPI_Comm_free(&comm);
}
