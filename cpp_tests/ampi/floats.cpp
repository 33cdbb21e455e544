// Active floats, AMPI_AFLOAT: moved and reduced as floats, 4 bytes each, and what is refused.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>
#include <vector>

#include <admpi/complex.hpp>
#include <admpi/float.hpp>

#include "harness/helpers.hpp"
#include "harness/window.hpp"

using admpi::float_var;
using admpi::mpi_type;
using admpi::var;
using test::recording_tape;
using test::refusal;

namespace {

constexpr int n = 3;

struct ring {
  int ranks = 1, rank = 0, next = 0, before = 0;

  ring() {
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    next = (rank + 1) % ranks;
    before = (rank + ranks - 1) % ranks;
  }
};

template <class Real>
using numbers = std::vector<Real>;

/// Every result counts by a weight of its own.
template <class Real>
void weigh(Real &objective, const numbers<Real> &all) {
  int weight = 1;
  for (const Real &each : all) objective += each * each * (weight++ % 5);
}

template <class Real>
void point_to_point(const ring &at, const numbers<Real> &x, Real &objective) {
  const MPI_Datatype type = mpi_type<Real>();
  numbers<Real> in(n), again(n), squares(n);
  for (int i = 0; i < n; ++i) squares[i] = x[i] * x[i];
  AMPI_Request requests[2];
  AMPI_Irecv(in.data(), n, type, at.before, 1, MPI_COMM_WORLD, &requests[0]);
  AMPI_Isend(squares.data(), n, type, at.next, 1, MPI_COMM_WORLD, &requests[1]);
  AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  weigh(objective, in);
  MPI_Status status;
  AMPI_Sendrecv(in.data(), n, type, at.next, 2, again.data(), n, type, at.before, 2, MPI_COMM_WORLD, &status);
  int count = 0;
  MPI_Get_count(&status, type, &count);
  CHECK(count == n);
  weigh(objective, again);
  // Fewer than there is room for.
  numbers<Real> room(n + 2, Real(7));
  AMPI_Sendrecv(x.data(), n - 1, type, at.next, 3, room.data(), n + 2, type, at.before, 3, MPI_COMM_WORLD, &status);
  CHECK(room[n + 1] == 7);
  weigh(objective, room);
  AMPI_Sendrecv_replace(room.data(), 2, type, at.next, 4, at.before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  weigh(objective, room);
}

template <class Real>
void collectives(const ring &at, const numbers<Real> &x, Real &objective) {
  const MPI_Datatype type = mpi_type<Real>();
  const std::size_t ranks = static_cast<std::size_t>(at.ranks);
  const int root = at.ranks - 1;
  numbers<Real> one(x), all(n * ranks), back(n), blocks(ranks), shares(ranks);
  AMPI_Bcast(one.data(), n, type, root, MPI_COMM_WORLD);
  weigh(objective, one);
  AMPI_Gather(x.data(), n, type, all.data(), n, type, root, MPI_COMM_WORLD);
  AMPI_Scatter(all.data(), n, type, back.data(), n, type, root, MPI_COMM_WORLD);
  weigh(objective, back);
  AMPI_Allgather(x.data(), n, type, all.data(), n, type, MPI_COMM_WORLD);
  weigh(objective, all);
  std::vector<int> counts(ranks), places(ranks);
  for (std::size_t i = 0; i < ranks; ++i) counts[i] = 1 + static_cast<int>(i % 2), places[i] = static_cast<int>(n * i);
  AMPI_Allgatherv(x.data(), 1 + at.rank % 2, type, all.data(), counts.data(), places.data(), type, MPI_COMM_WORLD);
  weigh(objective, all);
  for (std::size_t i = 0; i < ranks; ++i) blocks[i] = x[i % n] * static_cast<int>(i + 1);
  AMPI_Alltoall(blocks.data(), 1, type, shares.data(), 1, type, MPI_COMM_WORLD);
  weigh(objective, shares);
  AMPI_Request request;
  AMPI_Iallgather(x.data(), n, type, all.data(), n, type, MPI_COMM_WORLD, &request);
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  weigh(objective, all);
  AMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), n, type, MPI_COMM_WORLD);
  weigh(objective, all);
}

template <class Real>
void reductions(const ring &at, const numbers<Real> &x, Real &objective) {
  const MPI_Datatype type = mpi_type<Real>();
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}) {
    numbers<Real> all(n), mine(x), once(n);
    AMPI_Allreduce(x.data(), all.data(), n, type, op, MPI_COMM_WORLD);
    weigh(objective, all);
    AMPI_Reduce(x.data(), all.data(), n, type, op, 0, MPI_COMM_WORLD);
    weigh(objective, all);
    AMPI_Scan(x.data(), all.data(), n, type, op, MPI_COMM_WORLD);
    weigh(objective, all);
    AMPI_Exscan(x.data(), all.data(), n, type, op, MPI_COMM_WORLD);
    weigh(objective, all);
    AMPI_Reduce_local(x.data(), mine.data(), n, type, op);
    weigh(objective, mine);
    numbers<Real> blocks(static_cast<std::size_t>(at.ranks), x[1]);
    AMPI_Reduce_scatter_block(blocks.data(), once.data(), 1, type, op, MPI_COMM_WORLD);
    weigh(objective, once);
    AMPI_Request request;
    AMPI_Iallreduce(MPI_IN_PLACE, mine.data(), n, type, op, MPI_COMM_WORLD, &request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    weigh(objective, mine);
  }
}

template <class Real>
using numbered = std::vector<admpi::value_index<Real>>;

template <class Real>
void weigh_pairs(Real &objective, const numbered<Real> &all) {
  numbers<Real> values;
  for (const auto &each : all) values.push_back(each.value * (each.index + 1));
  weigh(objective, values);
}

/// The least and the greatest value, and where they are.
template <class Real>
void locations(const ring &at, const numbers<Real> &x, Real &objective) {
  const MPI_Datatype type = mpi_type<admpi::value_index<Real>>();
  numbered<Real> mine(n), in(n);
  for (int i = 0; i < n; ++i) mine[i] = {x[i] * x[i], 10 * at.rank + i};
  for (const MPI_Op op : {MPI_MINLOC, MPI_MAXLOC}) {
    numbered<Real> all(n), once(n), folded(mine);
    AMPI_Allreduce(mine.data(), all.data(), n, type, op, MPI_COMM_WORLD);
    weigh_pairs(objective, all);
    AMPI_Reduce(mine.data(), once.data(), n, type, op, at.ranks - 1, MPI_COMM_WORLD);
    weigh_pairs(objective, once);
    AMPI_Scan(mine.data(), all.data(), n, type, op, MPI_COMM_WORLD);
    weigh_pairs(objective, all);
    AMPI_Reduce_local(all.data(), folded.data(), n, type, op);
    weigh_pairs(objective, folded);
    AMPI_Request request;
    AMPI_Iallreduce(MPI_IN_PLACE, folded.data(), n, type, op, MPI_COMM_WORLD, &request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    weigh_pairs(objective, folded);
    numbered<Real> memory(mine), old(n);
    MPI_Win win;
    AMPI_Win_create(memory.data(), n * sizeof(mine[0]), sizeof(mine[0]), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    AMPI_Win_fence(0, win);
    AMPI_Get_accumulate(mine.data(), n, type, old.data(), n, type, at.next, 0, n, type, op, win);
    AMPI_Win_fence(0, win);
    weigh_pairs(objective, old);
    weigh_pairs(objective, memory);
    AMPI_Accumulate(mine.data(), n, type, at.before, 0, n, type, op, win);
    AMPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    AMPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.next, 0, win);
    AMPI_Accumulate(&folded[0], 2, type, at.next, 1, 2, type, op, win);
    AMPI_Win_flush(at.next, win);
    AMPI_Fetch_and_op(&all[2], &old[2], type, at.next, 0, op, win);
    AMPI_Win_unlock(at.next, win);
    AMPI_Barrier(MPI_COMM_WORLD);
    weigh_pairs(objective, old);
    weigh_pairs(objective, memory);
    AMPI_Win_free(&win);
  }
  AMPI_Sendrecv(mine.data(), n, type, at.next, 1, in.data(), n, type, at.before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in[2].index == 10 * at.before + 2);
  weigh_pairs(objective, in);
}

template <class Real>
void combine(void *in, void *inout, int *count, MPI_Datatype *) {
  const Real *a = static_cast<const Real *>(in);
  Real *b = static_cast<Real *>(inout);
  for (int i = 0; i < *count; ++i) b[i] = a[i] + 2 * b[i];
}

template <class Real>
void own_operations(const ring &, const numbers<Real> &x, Real &objective) {
  MPI_Op op;
  AMPI_Op_create(&combine<Real>, 0, &op);
  numbers<Real> all(n), once(n);
  AMPI_Request request;
  AMPI_Iallreduce(x.data(), all.data(), n, mpi_type<Real>(), op, MPI_COMM_WORLD, &request);
  AMPI_Reduce(x.data(), once.data(), n, mpi_type<Real>(), op, 0, MPI_COMM_WORLD);
  weigh(objective, once);
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  weigh(objective, all);
  AMPI_Scan(x.data(), all.data(), n, mpi_type<Real>(), op, MPI_COMM_WORLD);
  weigh(objective, all);
  AMPI_Op_free(&op);
}

template <class Real>
void neighbors(const ring &at, const numbers<Real> &x, Real &objective) {
  const int periodic = 1;
  MPI_Comm circle;
  AMPI_Cart_create(MPI_COMM_WORLD, 1, &at.ranks, &periodic, 0, &circle);
  numbers<Real> both(2 * n);
  AMPI_Neighbor_allgather(x.data(), n, mpi_type<Real>(), both.data(), n, mpi_type<Real>(), circle);
  weigh(objective, both);
  AMPI_Request request;
  AMPI_Send_init(both.data(), 2, mpi_type<Real>(), at.next, 0, circle, &request);
  for (int i = 0; i < 2; ++i) {
    AMPI_Start(&request);
    numbers<Real> in(2);
    AMPI_Recv(in.data(), 2, mpi_type<Real>(), at.before, 0, circle, MPI_STATUS_IGNORE);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    weigh(objective, in);
    both[0] = in[1] * in[0];
  }
  AMPI_Request_free(&request);
  AMPI_Comm_free(&circle);
}

template <class Real>
struct cell {
  Real x;
  int index;
  var mass;
  Real more[2];
};

template <class Real>
void datatypes(const ring &at, const numbers<Real> &x, Real &objective) {
  const MPI_Datatype type = mpi_type<Real>();
  // Every second of five.
  numbers<Real> spaced(5, x[0]), in(5);
  spaced[2] = x[1] * x[2];
  MPI_Datatype column, cells, made;
  AMPI_Type_vector(3, 1, 2, type, &column);
  AMPI_Type_commit(&column);
  AMPI_Sendrecv(spaced.data(), 1, column, at.next, 1, in.data(), 1, column, at.before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  weigh(objective, in);
  const int lengths[] = {1, 1, 1, 2};
  const MPI_Aint offsets[] = {offsetof(cell<Real>, x), offsetof(cell<Real>, index), offsetof(cell<Real>, mass),
                              offsetof(cell<Real>, more)};
  const MPI_Datatype types[] = {type, MPI_INT, AMPI_ADOUBLE, type};
  AMPI_Type_create_struct(4, lengths, offsets, types, &made);
  AMPI_Type_create_resized(made, 0, sizeof(cell<Real>), &cells);
  AMPI_Type_commit(&cells);
  cell<Real> out[2] = {{x[0], 4, x[1], {x[1], x[2]}}, {x[2], 5, x[0] * x[1], {x[0], x[0]}}}, got[2] = {};
  AMPI_Sendrecv(out, 2, cells, at.next, 2, got, 2, cells, at.before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK((got[0].index == 4 && got[1].index == 5));
  weigh(objective, {got[0].x, Real(got[0].mass), got[0].more[0], got[0].more[1], got[1].x, Real(got[1].mass)});
  // Packed, and sent so.
  std::vector<char> buffer(1000);
  int position = 0;
  AMPI_Pack(x.data(), n, type, buffer.data(), 1000, &position, MPI_COMM_WORLD);
  AMPI_Sendrecv_replace(buffer.data(), position, AMPI_PACKED, at.next, 3, at.before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  position = 0;
  AMPI_Unpack(buffer.data(), 1000, &position, in.data(), n, type, MPI_COMM_WORLD);
  weigh(objective, in);
  for (MPI_Datatype *each : {&column, &made, &cells}) AMPI_Type_free(each);
}

template <class Real>
void windows(const ring &at, const numbers<Real> &x, Real &objective) {
  const MPI_Datatype type = mpi_type<Real>();
  numbers<Real> memory(x), got(n);
  MPI_Win win;
  AMPI_Win_create(memory.data(), n * sizeof(Real), sizeof(Real), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  AMPI_Win_fence(0, win);
  AMPI_Put(x.data(), 1, type, at.next, 1, 1, type, win);
  AMPI_Win_fence(0, win);
  AMPI_Get(got.data(), n, type, at.before, 0, n, type, win);
  AMPI_Win_fence(0, win);
  weigh(objective, got);
  AMPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.next, 0, win);
  AMPI_Put(got.data(), 1, type, at.next, 2, 1, type, win);
  AMPI_Win_unlock(at.next, win);
  MPI_Barrier(MPI_COMM_WORLD);
  AMPI_Win_lock(MPI_LOCK_SHARED, at.next, 0, win);
  AMPI_Get(got.data(), n, type, at.next, 0, n, type, win);
  AMPI_Win_unlock(at.next, win);
  weigh(objective, got);
  // Accumulates round as floats do.
  numbers<Real> before(1), now(n), old(n);
  AMPI_Win_fence(0, win);
  AMPI_Accumulate(&x[1], 1, type, at.next, 0, 1, type, MPI_SUM, win);
  AMPI_Accumulate(&x[0], 2, type, at.next, 1, 2, type, MPI_PROD, win);
  AMPI_Win_fence(0, win);
  AMPI_Get_accumulate(&x[0], 2, type, old.data(), 2, type, at.before, 0, 2, type, MPI_MIN, win);
  AMPI_Fetch_and_op(&x[1], &old[2], type, at.before, 2, MPI_SUM, win);
  AMPI_Win_fence(0, win);
  AMPI_Accumulate(&x[0], 3, type, at.before, 0, 3, type, MPI_MAX, win);
  AMPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  AMPI_Win_lock(MPI_LOCK_EXCLUSIVE, at.next, 0, win);
  AMPI_Accumulate(&x[0], 1, type, at.next, 1, 1, type, MPI_PROD, win);
  AMPI_Win_flush(at.next, win);
  AMPI_Fetch_and_op(&x[2], &old[0], type, at.next, 1, MPI_SUM, win);
  AMPI_Win_unlock(at.next, win);
  AMPI_Barrier(MPI_COMM_WORLD);
  weigh(objective, old);
  weigh(objective, memory);
  AMPI_Win_fence(0, win);
  AMPI_Accumulate(&x[1], 1, type, at.next, 0, 1, type, MPI_REPLACE, win);
  AMPI_Win_fence(0, win);
  AMPI_Get_accumulate(&x[2], 1, type, before.data(), 1, type, at.before, 0, 1, type, MPI_NO_OP, win);
  AMPI_Win_fence(0, win);
  AMPI_Get_accumulate(&x[2], 1, type, &now[1], 1, type, at.before, 1, 1, type, MPI_REPLACE, win);
  AMPI_Win_fence(0, win);
  weigh(objective, before);
  weigh(objective, now);
  weigh(objective, memory);
  AMPI_Win_free(&win);
}

/// The first rank, and the others.
struct groups {
  MPI_Comm own = MPI_COMM_NULL, both = MPI_COMM_NULL;

  explicit groups(const ring &at) {
    AMPI_Comm_split(MPI_COMM_WORLD, at.rank == 0 ? 0 : 1, at.rank, &own);
    AMPI_Intercomm_create(own, 0, MPI_COMM_WORLD, at.rank == 0 ? 1 : 0, 5, &both);
  }
  groups(const groups &) = delete;
  groups &operator=(const groups &) = delete;
  ~groups() {
    AMPI_Comm_free(&both);
    AMPI_Comm_free(&own);
  }
};

template <class Real>
void between_groups(const ring &at, const numbers<Real> &x, Real &objective) {
  const MPI_Datatype type = mpi_type<Real>();
  const groups two(at);
  int others = 0;
  MPI_Comm_remote_size(two.both, &others);
  numbers<Real> all(n * static_cast<std::size_t>(others)), result(n);
  AMPI_Allgather(x.data(), n, type, all.data(), n, type, two.both);
  weigh(objective, all);
  for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX}) {
    AMPI_Allreduce(x.data(), result.data(), n, type, op, two.both);
    weigh(objective, result);
    AMPI_Reduce(x.data(), result.data(), n, type, op, at.rank == 0 ? MPI_ROOT : 0, two.both);
    weigh(objective, result);
  }
}

/// The gradient of a program, and its value last. All numbers are small integers: a float is what a double is.
template <class Real, class Program>
std::vector<double> gradient_of(const Program &program) {
  const ring at;
  recording_tape tape;
  numbers<Real> x(n);
  for (int i = 0; i < n; ++i) x[i] = Real(1 + (at.rank + 2 * i) % 3);
  tape.input(x);
  Real objective = 0;
  program(at, numbers<Real>(x), objective);
  tape.seed(objective);
  tape.reverse();
  std::vector<double> gradient;
  for (const Real &each : x) gradient.push_back(tape.adjoint(each));
  gradient.push_back(objective.value);
  return gradient;
}

#define CHECK_ALIKE(program)                                                              \
  CHECK(gradient_of<float_var>([](const ring &at, const numbers<float_var> &x, float_var &objective) { \
          program(at, x, objective);                                                      \
        }) == gradient_of<var>([](const ring &at, const numbers<var> &x, var &objective) { program(at, x, objective); }))

bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("test_floats_point_to_point") { CHECK_ALIKE(point_to_point); }
TEST_CASE("test_floats_collectives") { CHECK_ALIKE(collectives); }
TEST_CASE("test_floats_reductions") { CHECK_ALIKE(reductions); }
TEST_CASE("test_floats_locations") {
  CHECK(mpi_type<admpi::value_index<float_var>>() == AMPI_AFLOAT_INT);
  CHECK_ALIKE(locations);
}
TEST_CASE("test_floats_own_operations") { CHECK_ALIKE(own_operations); }
TEST_CASE("test_floats_neighbors") { CHECK_ALIKE(neighbors); }
TEST_CASE("test_floats_datatypes") { CHECK_ALIKE(datatypes); }
TEST_CASE("test_floats_windows") { CHECK_ALIKE(windows); }
TEST_CASE("test_floats_between_groups") {
  if (ring().ranks > 1) CHECK_ALIKE(between_groups);
}

TEST_CASE("test_floats_round") {
  const ring at;
  // Each partial sum is rounded, as those of MPI_FLOAT are; two ranks have one order.
  const float own = at.rank == 0 ? 1.0f : 3.0e-8f * static_cast<float>(at.rank);
  for (const MPI_Op op : {MPI_SUM, MPI_PROD}) {
    float expected = 0.0f;
    MPI_Allreduce(&own, &expected, 1, MPI_FLOAT, op, MPI_COMM_WORLD);
    recording_tape tape;
    float_var x = own, y;
    tape.input(x);
    AMPI_Allreduce(&x, &y, 1, AMPI_AFLOAT, op, MPI_COMM_WORLD);
    CHECK(y.value == static_cast<double>(static_cast<float>(y.value)));
    if (at.ranks < 3) CHECK(admpi::value(y) == expected);
  }
  // In every call, of values that need it. One order there is of two ranks only.
  const float many = (1.0f + static_cast<float>(at.rank)) / 3.0f;
  const auto reduced = [&at, many](MPI_Op op, auto active, const auto &plain) {
    recording_tape tape;
    float_var x = many, y = many;
    tape.input(x);
    active(&x, &y, op);
    float expected = many;
    plain(&many, &expected, op);
    return y.value == static_cast<double>(static_cast<float>(y.value)) && (at.ranks > 2 || admpi::value(y) == expected);
  };
  const groups *two = at.ranks > 1 ? new groups(at) : nullptr;
#define SAME(name, arguments)                                                          \
  CHECK(reduced(                                                                       \
      op,                                                                              \
      [&](float_var *in, float_var *out, MPI_Op by) {                                  \
        const MPI_Datatype type = AMPI_AFLOAT;                                         \
        AMPI_##name arguments;                                                         \
      },                                                                               \
      [&](const float *in, float *out, MPI_Op by) {                                    \
        const MPI_Datatype type = MPI_FLOAT;                                           \
        MPI_##name arguments;                                                          \
      }))
  for (const MPI_Op op : {MPI_SUM, MPI_PROD}) {
    SAME(Allreduce, (in, out, 1, type, by, MPI_COMM_WORLD));
    SAME(Reduce, (in, out, 1, type, by, 0, MPI_COMM_WORLD));
    SAME(Scan, (in, out, 1, type, by, MPI_COMM_WORLD));
    SAME(Exscan, (in, out, 1, type, by, MPI_COMM_WORLD));
    SAME(Reduce_local, (in, out, 1, type, by));
    if (two != nullptr) SAME(Allreduce, (in, out, 1, type, by, two->both));
  }
#undef SAME
  delete two;
  float_var third = 1.0f;
  third /= 3;
  float got = 0.0f;
  AMPI_Request request;
  AMPI_Isend(&third, 1, AMPI_AFLOAT, at.next, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(&got, 1, MPI_FLOAT, at.before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got == 1.0f / 3);
}

TEST_CASE("test_floats_accumulates_round") {
  test::begin();
  const ring at;
  const float there = 1.0f / 3.0f, brought = 0.7f;
  float_var *memory = nullptr;
  MPI_Win win;
  AMPI_Win_allocate(sizeof(float_var), sizeof(float_var), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  recording_tape tape;
  float_var x = brought, z = there, old;
  tape.input(x);
  tape.input(z);
  for (const bool locked : {false, true}) {
    for (const MPI_Op op : {MPI_SUM, MPI_PROD}) {
      const float expected = op == MPI_SUM ? there + brought : there * brought;
      const double unrounded = op == MPI_SUM ? double(there) + double(brought) : double(there) * double(brought);
      REQUIRE(static_cast<double>(expected) != unrounded);
      memory[0] = z;
      AMPI_Barrier(MPI_COMM_WORLD);
      if (locked) AMPI_Win_lock(MPI_LOCK_SHARED, at.next, 0, win);
      else AMPI_Win_fence(0, win);
      AMPI_Fetch_and_op(&x, &old, AMPI_AFLOAT, at.next, 0, op, win);
      if (locked) AMPI_Win_unlock(at.next, win);
      else AMPI_Win_fence(MPI_MODE_NOSUCCEED, win);
      AMPI_Barrier(MPI_COMM_WORLD);
      CHECK(memory[0].value == static_cast<double>(expected));
      CHECK(old.value == static_cast<double>(there));
      AMPI_Barrier(MPI_COMM_WORLD);
    }
  }
  AMPI_Win_free(&win);
}

TEST_CASE("test_floats_have_four_bytes") {
  const ring at;
  const auto bytes_of = [&at](auto scalar, int count) {
    using Real = decltype(scalar);
    recording_tape tape;
    numbers<Real> out(static_cast<std::size_t>(count), Real(1)), in(out.size());
    tape.input(out);
    MPI_Status status;
    AMPI_Sendrecv(out.data(), count, mpi_type<Real>(), at.next, 0, in.data(), count, mpi_type<Real>(), at.before, 0,
                  MPI_COMM_WORLD, &status);
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    return bytes;
  };
  CHECK(bytes_of(float_var(), 1001) == 4 * 1001);
  CHECK(bytes_of(var(), 1001) == 8 * 1001);
  int size = 0;
  MPI_Type_size(AMPI_AFLOAT, &size);
  CHECK(size == 4);
}

TEST_CASE("test_floats_in_complex_numbers") {
  using complex = std::complex<float_var>;
  const ring at;
  CHECK(mpi_type<complex>() == AMPI_AFLOAT_COMPLEX);
  const auto gradient = [&at](auto scalar) {
    using Real = decltype(scalar);
    recording_tape tape;
    numbers<Real> x{Real(2), Real(at.rank + 1)};
    tape.input(x);
    std::complex<Real> z(x[0], x[1]), in, sum;
    z = z * z;
    AMPI_Sendrecv(&z, 1, mpi_type<std::complex<Real>>(), at.next, 0, &in, 1, mpi_type<std::complex<Real>>(), at.before, 0,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    AMPI_Allreduce(&in, &sum, 1, mpi_type<std::complex<Real>>(), MPI_SUM, MPI_COMM_WORLD);
    const Real y = norm(in) + sum.real() * sum.imag();
    tape.seed(y);
    tape.reverse();
    return std::vector<double>{y.value, tape.adjoint(x[0]), tape.adjoint(x[1])};
  };
  CHECK(gradient(float_var()) == gradient(var()));
}

/// Two numbers an item, in which each operand counts differently; one rounding each.
template <class Real>
void exchange_and_multiply(void *in, void *inout, int *count, MPI_Datatype *) {
  const Real *a = static_cast<const Real *>(in);
  Real *b = static_cast<Real *>(inout);
  for (int i = 0; i < *count; ++i) {
    const Real second = a[2 * i + 1] * b[2 * i];
    b[2 * i] = a[2 * i] - b[2 * i + 1];
    b[2 * i + 1] = second;
  }
}

void exchange_and_multiply_adjoint(const double *in, const double *inout, const double *result, double *in_adjoint,
                                   double *inout_adjoint, int count, int size) {
  CHECK(size == 2);
  for (int i = 0; i < 2 * count; i += 2) {
    in_adjoint[i] += result[i];
    inout_adjoint[i + 1] -= result[i];
    in_adjoint[i + 1] += result[i + 1] * inout[i];
    inout_adjoint[i] += result[i + 1] * in[i + 1];
  }
}

struct results_and_gradient {
  std::vector<double> results, gradient;
};

/// The same results, and the same derivatives up to rounding.
void compare(const results_and_gradient &got, const results_and_gradient &expected) {
  CHECK(got.results == expected.results);
  REQUIRE(got.gradient.size() == expected.gradient.size());
  for (std::size_t i = 0; i < got.gradient.size(); ++i) CHECK(test::close(got.gradient[i], expected.gradient[i]));
}

/// Every reduction of `items` by `op`, and the derivatives of the results' squares.
template <class Real>
results_and_gradient reduced(const ring &at, std::vector<Real> x, int items, MPI_Datatype type, MPI_Op op) {
  recording_tape tape;
  tape.input(x);
  const int width = static_cast<int>(x.size()) / items;
  std::vector<std::vector<Real>> results;
  const auto room = [&](int n) {
    results.emplace_back(n * width, Real(0));
    return results.back().data();
  };
  AMPI_Request request;
  const auto wait = [&request] { AMPI_Wait(&request, MPI_STATUS_IGNORE); };
  AMPI_Reduce(x.data(), room(items), items, type, op, at.ranks - 1, MPI_COMM_WORLD);
  AMPI_Allreduce(x.data(), room(items), items, type, op, MPI_COMM_WORLD);
  AMPI_Scan(x.data(), room(items), items, type, op, MPI_COMM_WORLD);
  AMPI_Exscan(x.data(), room(items), items, type, op, MPI_COMM_WORLD);
  AMPI_Iallreduce(x.data(), room(items), items, type, op, MPI_COMM_WORLD, &request), wait();
  AMPI_Iscan(x.data(), room(items), items, type, op, MPI_COMM_WORLD, &request), wait();
  std::vector<Real> blocks;
  for (int i = 0; i < at.ranks * width; ++i) blocks.push_back(x[i % x.size()] + x[i % width]);
  AMPI_Reduce_scatter_block(blocks.data(), room(1), 1, type, op, MPI_COMM_WORLD);
  AMPI_Ireduce_scatter_block(blocks.data(), room(1), 1, type, op, MPI_COMM_WORLD, &request), wait();
  const std::vector<int> counts(static_cast<std::size_t>(at.ranks), 1);
  AMPI_Reduce_scatter(blocks.data(), room(1), counts.data(), type, op, MPI_COMM_WORLD);
  AMPI_Ireduce_scatter(blocks.data(), room(1), counts.data(), type, op, MPI_COMM_WORLD, &request), wait();
  AMPI_Ireduce(x.data(), room(items), items, type, op, at.ranks - 1, MPI_COMM_WORLD, &request), wait();
  AMPI_Iexscan(x.data(), room(items), items, type, op, MPI_COMM_WORLD, &request), wait();
  AMPI_Reduce_local(x.data(), std::copy(x.rbegin(), x.rend(), room(items)) - x.size(), items, type, op);
  results_and_gradient all;
  Real y = 0;
  for (const auto &result : results) {
    weigh(y, result);
    for (const Real &each : result) all.results.push_back(admpi::value(each));
  }
  tape.seed(y);
  tape.reverse();
  for (const Real &each : x) all.gradient.push_back(tape.adjoint(each));
  return all;
}

/// Numbers with many digits.
std::vector<float_var> digits(const ring &at, int n) {
  std::vector<float_var> x(n);
  for (int i = 0; i < n; ++i) x[i] = 0.7f + 0.1f * at.rank / (i + 1);
  return x;
}

TEST_CASE("test_floats_by_an_operation_and_its_adjoint") {
  const ring at;
  MPI_Datatype pair;
  AMPI_Type_contiguous(2, AMPI_AFLOAT, &pair);
  AMPI_Type_commit(&pair);
  MPI_Op recorded, known;
  AMPI_Op_create(&exchange_and_multiply<float_var>, 0, &recorded);
  AMPI_Op_create_adjoint(&exchange_and_multiply<double>, &exchange_and_multiply_adjoint, 0, &known);
  for (const int items : {1, 3}) {
    const std::vector<float_var> x = digits(at, 2 * items);
    compare(reduced(at, x, items, pair, known), reduced(at, x, items, pair, recorded));
  }
  AMPI_Op_free(&known);
  AMPI_Op_free(&recorded);
  AMPI_Type_free(&pair);
}

void multiply_complex(void *in, void *inout, int *count, MPI_Datatype *) {
  const auto *a = static_cast<const std::complex<float_var> *>(in);
  auto *b = static_cast<std::complex<float_var> *>(inout);
  for (int i = 0; i < *count; ++i) b[i] = a[i] * b[i];
}

TEST_CASE("test_floats_products_of_complex_numbers") {
  const ring at;
  MPI_Op recorded;
  AMPI_Op_create(&multiply_complex, 0, &recorded);
  const std::vector<float_var> x = digits(at, 4);
  const results_and_gradient all = reduced(at, x, 2, AMPI_AFLOAT_COMPLEX, MPI_PROD);
  compare(all, reduced(at, x, 2, AMPI_AFLOAT_COMPLEX, recorded));
  AMPI_Op_free(&recorded);
  // Of two ranks there is only one order, and the plain program's product.
  float plain[4], product[4];
  for (int i = 0; i < 4; ++i) plain[i] = admpi::value(x[i]);
  MPI_Allreduce(plain, product, 2, MPI_C_FLOAT_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) CHECK((at.ranks != 2 || all.results[4 + i] == product[i]));
}

TEST_CASE("test_floats_refused") {
  recording_tape tape;
  std::vector<float_var> x(2), y(2);
  std::vector<var> wide(2);
  tape.input(x);
  tape.input(wide);
  const auto reduce = [](auto *in, auto *out, MPI_Datatype type, MPI_Op op) {
    return refusal([&] { return AMPI_Allreduce(in, out, 1, type, op, MPI_COMM_WORLD); });
  };
  CHECK(contains(reduce(wide.data(), wide.data() + 1, AMPI_AFLOAT, MPI_SUM), "use AMPI_ADOUBLE"));
  CHECK(contains(reduce(x.data(), y.data(), AMPI_ADOUBLE, MPI_SUM), "use AMPI_AFLOAT"));
  CHECK(contains(reduce(x.data(), y.data(), MPI_FLOAT, MPI_SUM), "its derivatives would be lost"));
  std::complex<float_var> z(x[0], x[1]), w;
  CHECK(contains(reduce(&z, &w, AMPI_AFLOAT_COMPLEX, MPI_MIN), "complex numbers are reduced by MPI_SUM"));
  CHECK(contains(reduce(x.data(), y.data(), AMPI_AFLOAT, MPI_LAND), "MPI_LAND has no derivative"));
  CHECK(contains(reduce(x.data(), y.data(), AMPI_AFLOAT, MPI_MAXLOC), "their datatype is AMPI_ADOUBLE_INT or AMPI_AFLOAT_INT"));
  admpi::value_index<float_var> float_pair[2] = {{x[0], 1}, {x[1], 2}};
  admpi::value_index<var> pair[2] = {{wide[0], 1}, {wide[1], 2}};
  CHECK(contains(reduce(float_pair, float_pair + 1, AMPI_AFLOAT_INT, MPI_SUM), "AMPI_AFLOAT_INT are reduced by MPI_MINLOC"));
  CHECK(contains(reduce(float_pair, float_pair + 1, AMPI_ADOUBLE_INT, MPI_MINLOC), "use AMPI_AFLOAT"));
  CHECK(contains(reduce(float_pair, float_pair + 1, MPI_FLOAT_INT, MPI_MINLOC), "its derivatives would be lost"));
  CHECK(contains(reduce(pair, pair + 1, AMPI_AFLOAT_INT, MPI_MINLOC), "use AMPI_ADOUBLE"));
  MPI_Op op;
  AMPI_Op_create_adjoint([](void *, void *, int *, MPI_Datatype *) {},
                         [](const double *, const double *, const double *, double *, double *, int, int) {}, 0, &op);
  CHECK(contains(reduce(float_pair, float_pair + 1, AMPI_AFLOAT_INT, op), "the datatype has passive parts"));
  AMPI_Op_free(&op);
  MPI_Win win;
  AMPI_Win_create(y.data(), 2 * sizeof(float_var), sizeof(float_var), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  AMPI_Win_fence(0, win);
  const int code = AMPI_Accumulate(x.data(), 1, AMPI_AFLOAT, 0, 0, 1, AMPI_AFLOAT, MPI_LAND, win);
  CHECK(contains(test::text_of(code), "MPI_LAND has no derivative"));
  // An active value and 8 bytes on both sides.
  const void *const unseen = float_pair;
  const int mixed = AMPI_Accumulate(unseen, 1, AMPI_AFLOAT_INT, 0, 0, 1, AMPI_ADOUBLE, MPI_MINLOC, win);
  CHECK(contains(test::text_of(mixed), "are combined with such pairs only"));
  AMPI_Win_fence(0, win);
  AMPI_Win_free(&win);
  float_var *nothing = nullptr;
  MPI_Datatype empty;
  AMPI_Type_contiguous(0, AMPI_AFLOAT, &empty);
  AMPI_Type_commit(&empty);
  CHECK(reduce(x.data(), y.data(), empty, MPI_SUM).empty());
  AMPI_Type_free(&empty);
  CHECK(refusal([&] { return AMPI_Bcast(nothing, 0, AMPI_AFLOAT, 0, MPI_COMM_WORLD); }).empty());
  CHECK(contains(refusal([&] { return AMPI_Bcast(nothing, 1, AMPI_AFLOAT, 0, MPI_COMM_WORLD); }), "NULL"));
}
