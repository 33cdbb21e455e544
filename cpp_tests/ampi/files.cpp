// Files: values are written, what is read is passive, and views are those of the plain program. Long: all number types share a table of calls.
#include <unistd.h>

#include <complex>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <admpi/complex.hpp>
#include <admpi/float.hpp>

#include "ampi/mixed.hpp"

using admpi::float_var;
using admpi::mpi_type;
using admpi::tangent;
using admpi::var;
using test::recording_tape;
using test::refusal;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

int my_rank() {
  int rank = 0;
  MPI_Comm_rank(world, &rank);
  return rank;
}

int ranks() {
  int size = 0;
  MPI_Comm_size(world, &size);
  return size;
}

/// What the plain program has for an active T.
template <class T>
using plain_t = decltype(admpi::value(T()));

template <class T>
MPI_Datatype particle_type(MPI_Datatype of) {
  using p = mixed::particle<T>;
  return mixed::structure(mixed::particle_lengths, PARTICLE_PLACES(p),
                          {MPI_CHAR, of, MPI_INT, of, MPI_DOUBLE, MPI_SHORT}, sizeof(p));
}

/// A file of all ranks that goes when it is closed.
struct file {
  MPI_File handle = MPI_FILE_NULL;

  file() {
    static int number = 0;
    int id = static_cast<int>(getpid());
    MPI_Bcast(&id, 1, MPI_INT, 0, world);
    const std::string name = "files_" + std::to_string(id) + "_" + std::to_string(number++) + ".dat";
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    REQUIRE(AMPI_File_open(world, name.c_str(), mode, MPI_INFO_NULL, &handle) == MPI_SUCCESS);
  }
  file(const file &) = delete;
  file &operator=(const file &) = delete;
  ~file() { AMPI_File_close(&handle); }

  /// All ranks see what all have written.
  void settle() const {
    AMPI_File_sync(handle);
    MPI_Barrier(world);
    AMPI_File_sync(handle);
  }
  void view(MPI_Datatype etype, MPI_Datatype filetype, MPI_Offset from = 0) const {
    REQUIRE(AMPI_File_set_view(handle, from, etype, filetype, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  }
  /// The numbers in it.
  template <class Plain = double>
  std::vector<Plain> contents() const {
    settle();
    MPI_Offset bytes = 0;
    MPI_File_get_size(handle, &bytes);
    MPI_File_set_view(handle, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    std::vector<Plain> all(static_cast<std::size_t>(bytes) / sizeof(Plain));
    MPI_File_read_at(handle, 0, all.data(), static_cast<int>(bytes), MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    return all;
  }
};

/// How a call gets at its place: by its offset, by the file's own pointer (to which all but those of shared pointers seek), or in
/// the order of ranks.
template <class T>
struct file_call {
  const char *call;
  std::function<int(MPI_File, MPI_Offset, T *, int)> run;
};

int seek_to(MPI_File f, MPI_Offset at) { return MPI_File_seek(f, at, MPI_SEEK_SET); }

template <class Start>
int waited(Start start) {
  AMPI_Request request = AMPI_REQUEST_NULL;
  const int code = start(&request);
  return code != MPI_SUCCESS ? code : AMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// One rank after the other, from the beginning on.
template <class Call>
int in_turn(MPI_File f, Call call) {
  MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
  int code = MPI_SUCCESS;
  for (int turn = 0; turn < ranks(); ++turn) {
    if (turn == my_rank()) code = call();
    MPI_Barrier(world);
  }
  return code;
}

#define ALL_ACCESSES(verb, form)                                                                                             \
  {"AMPI_File_" #verb #form,                                                                                                 \
   [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                              \
     return seek_to(f, at), AMPI_File_##verb##form(f, x, n, mpi_type<T>(), MPI_STATUS_IGNORE);                               \
   }},                                                                                                                       \
      {"AMPI_File_" #verb "_all" #form,                                                                                      \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         MPI_Status status;                                                                                                  \
         return seek_to(f, at), AMPI_File_##verb##_all##form(f, x, n, mpi_type<T>(), &status);                               \
       }},                                                                                                                   \
      {"AMPI_File_" #verb "_at" #form,                                                                                       \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         return AMPI_File_##verb##_at##form(f, at, x, n, mpi_type<T>(), MPI_STATUS_IGNORE);                                  \
       }},                                                                                                                   \
      {"AMPI_File_" #verb "_at_all" #form,                                                                                   \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         return AMPI_File_##verb##_at_all##form(f, at, x, n, mpi_type<T>(), MPI_STATUS_IGNORE);                              \
       }},                                                                                                                   \
      {"AMPI_File_" #verb "_ordered" #form,                                                                                  \
       [](MPI_File f, MPI_Offset, T *x, int n) {                                                                             \
         MPI_File_seek_shared(f, 0, MPI_SEEK_SET);                                                                           \
         return AMPI_File_##verb##_ordered##form(f, x, n, mpi_type<T>(), MPI_STATUS_IGNORE);                                 \
       }},                                                                                                                   \
      {"AMPI_File_" #verb "_shared" #form,                                                                                   \
       [](MPI_File f, MPI_Offset, T *x, int n) {                                                                             \
         return in_turn(f, [&] { return AMPI_File_##verb##_shared##form(f, x, n, mpi_type<T>(), MPI_STATUS_IGNORE); });      \
       }},                                                                                                                   \
      {"AMPI_File_i" #verb #form,                                                                                            \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         return seek_to(f, at), waited([&](AMPI_Request *r) { return AMPI_File_i##verb##form(f, x, n, mpi_type<T>(), r); }); \
       }},                                                                                                                   \
      {"AMPI_File_i" #verb "_all" #form,                                                                                     \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         return seek_to(f, at),                                                                                              \
                waited([&](AMPI_Request *r) { return AMPI_File_i##verb##_all##form(f, x, n, mpi_type<T>(), r); });           \
       }},                                                                                                                   \
      {"AMPI_File_i" #verb "_at" #form,                                                                                      \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         return waited([&](AMPI_Request *r) { return AMPI_File_i##verb##_at##form(f, at, x, n, mpi_type<T>(), r); });        \
       }},                                                                                                                   \
      {"AMPI_File_i" #verb "_at_all" #form,                                                                                  \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         return waited([&](AMPI_Request *r) { return AMPI_File_i##verb##_at_all##form(f, at, x, n, mpi_type<T>(), r); });    \
       }},                                                                                                                   \
      {"AMPI_File_i" #verb "_shared" #form,                                                                                  \
       [](MPI_File f, MPI_Offset, T *x, int n) {                                                                             \
         const auto start = [&](AMPI_Request *r) { return AMPI_File_i##verb##_shared##form(f, x, n, mpi_type<T>(), r); };    \
         return in_turn(f, [&] { return waited(start); });                                                                   \
       }},                                                                                                                   \
      {"AMPI_File_" #verb "_all_begin" #form,                                                                                \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         seek_to(f, at);                                                                                                     \
         const int code = AMPI_File_##verb##_all_begin##form(f, x, n, mpi_type<T>());                                        \
         return code != MPI_SUCCESS ? code : AMPI_File_##verb##_all_end(f, x, MPI_STATUS_IGNORE);                            \
       }},                                                                                                                   \
      {"AMPI_File_" #verb "_at_all_begin" #form,                                                                             \
       [](MPI_File f, MPI_Offset at, T *x, int n) {                                                                          \
         const int code = AMPI_File_##verb##_at_all_begin##form(f, at, x, n, mpi_type<T>());                                 \
         return code != MPI_SUCCESS ? code : AMPI_File_##verb##_at_all_end(f, x, MPI_STATUS_IGNORE);                         \
       }},                                                                                                                   \
  {                                                                                                                          \
    "AMPI_File_" #verb "_ordered_begin" #form, [](MPI_File f, MPI_Offset, T *x, int n) {                                     \
      MPI_File_seek_shared(f, 0, MPI_SEEK_SET);                                                                              \
      const int code = AMPI_File_##verb##_ordered_begin##form(f, x, n, mpi_type<T>());                                       \
      return code != MPI_SUCCESS ? code : AMPI_File_##verb##_ordered_end(f, x, MPI_STATUS_IGNORE);                           \
    }                                                                                                                        \
  }

template <class T>
const std::vector<file_call<T>> writes = {ALL_ACCESSES(write, ), ALL_ACCESSES(write, _c)};
template <class T>
const std::vector<file_call<T>> reads = {ALL_ACCESSES(read, ), ALL_ACCESSES(read, _c)};

double number(int rank, int i) { return 10.0 * rank + i + 0.25; }

/// Active values of this rank, computed from `x`.
template <class T>
std::vector<T> computed(const T &x, int n) {
  std::vector<T> y;
  for (int i = 0; i < n; ++i) y.push_back(x * static_cast<plain_t<T>>(number(my_rank(), i)));
  return y;
}

}  // namespace

TEST_CASE_TEMPLATE("test_files_hold_the_values_that_are_written", T, var, float_var) {
  const int n = 9, rank = my_rank();  // past the limit of the variant limit_7
  for (const file_call<T> &how : writes<T>) {
    CAPTURE(how.call);
    recording_tape tape;
    const file f;
    f.view(mpi_type<T>(), mpi_type<T>());
    T x = 1.0f;
    tape.input(x);
    std::vector<T> y = computed(x, n);
    REQUIRE(how.run(f.handle, static_cast<MPI_Offset>(n) * rank, y.data(), n) == MPI_SUCCESS);
    const std::vector<plain_t<T>> all = f.template contents<plain_t<T>>();
    REQUIRE(all.size() == static_cast<std::size_t>(n * ranks()));
    for (int r = 0; r < ranks(); ++r)
      for (int i = 0; i < n; ++i) CHECK(all[static_cast<std::size_t>(n * r + i)] == number(r, i));
    // What has been written keeps its derivative.
    tape.stop();
    tape.seed(y[3]);
    tape.reverse();
    CHECK(tape.adjoint(x) == number(rank, 3));
  }
}

TEST_CASE_TEMPLATE("test_files_what_is_read_is_passive", T, var, float_var) {
  const int n = 9, rank = my_rank();
  std::vector<plain_t<T>> numbers;
  for (int i = 0; i < n; ++i) numbers.push_back(static_cast<plain_t<T>>(number(rank, i)));
  for (const file_call<T> &how : reads<T>) {
    CAPTURE(how.call);
    recording_tape tape;
    const file f;
    f.view(mpi_type<plain_t<T>>(), mpi_type<plain_t<T>>());
    const MPI_Offset at = static_cast<MPI_Offset>(n) * rank;
    REQUIRE(AMPI_File_write_at_all(f.handle, at, numbers.data(), n, mpi_type<plain_t<T>>(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
    f.settle();
    T x = 2.0f;
    tape.input(x);
    // One before and one behind keep their derivatives.
    std::vector<T> y = computed(x, n + 2);
    REQUIRE(how.run(f.handle, at, &y[1], n) == MPI_SUCCESS);
    T sum = 0.0f;
    for (int i = 0; i < n + 2; ++i) sum += y[static_cast<std::size_t>(i)] * static_cast<plain_t<T>>(i + 1);
    for (int i = 0; i < n; ++i) CHECK(admpi::value(y[static_cast<std::size_t>(i) + 1]) == numbers[static_cast<std::size_t>(i)]);
    tape.stop();
    tape.seed(sum);
    tape.reverse();
    CHECK(tape.adjoint(x) == number(rank, 0) + (n + 2.0) * number(rank, n + 1));
  }
}

TEST_CASE("test_files_of_plain_numbers") {
  const int n = 9, rank = my_rank();
  for (std::size_t k = 0; k < writes<double>.size(); ++k) {
    const file_call<double> &to = writes<double>[k], &from = reads<double>[k];
    CAPTURE(to.call);
    const file f;
    f.view(MPI_DOUBLE, MPI_DOUBLE);
    std::vector<double> numbers, found(n);
    for (int i = 0; i < n; ++i) numbers.push_back(number(rank, i));
    const MPI_Offset at = static_cast<MPI_Offset>(n) * rank;
    REQUIRE(to.run(f.handle, at, numbers.data(), n) == MPI_SUCCESS);
    f.settle();
    REQUIRE(from.run(f.handle, at, found.data(), n) == MPI_SUCCESS);
    CHECK(found == numbers);
    const std::vector<double> all = f.contents();
    REQUIRE(all.size() == static_cast<std::size_t>(n * ranks()));
    for (int r = 0; r < ranks(); ++r) CHECK(all[static_cast<std::size_t>(n * r + 3)] == number(r, 3));
  }
}

TEST_CASE_TEMPLATE("test_files_that_end_early_leave_the_rest", T, var, float_var) {
  const int n = 8, there = 5;
  for (const bool counted : {false, true}) {
    recording_tape tape;
    const file f;
    f.view(mpi_type<T>(), mpi_type<T>());
    const std::vector<plain_t<T>> numbers(there, 3.5f);
    if (my_rank() == 0) AMPI_File_write_at(f.handle, 0, numbers.data(), there, mpi_type<plain_t<T>>(), MPI_STATUS_IGNORE);
    f.settle();
    T x = 2.0f;
    tape.input(x);
    std::vector<T> y = computed(x, n);
    MPI_Status status;
    const int read = counted ? AMPI_File_read_at_c(f.handle, 0, y.data(), n, mpi_type<T>(), &status)
                             : AMPI_File_read_at(f.handle, 0, y.data(), n, mpi_type<T>(), &status);
    REQUIRE(read == MPI_SUCCESS);
    int count = 0;
    MPI_Get_count(&status, mpi_type<T>(), &count);
    CHECK(count == there);
    T sum = 0.0f;
    double expected = 0.0;
    for (int i = 0; i < n; ++i) {
      const T &one = y[static_cast<std::size_t>(i)];
      sum += one;
      CHECK(admpi::value(one) == (i < there ? 3.5 : 2.0 * number(my_rank(), i)));
      expected += i < there ? 0.0 : number(my_rank(), i);
    }
    tape.stop();
    tape.seed(sum);
    tape.reverse();
    CHECK(tape.adjoint(x) == expected);
  }
}

TEST_CASE("test_files_of_structures_and_complex_numbers") {
  using mixed::particle;
  const int n = 3, rank = my_rank();
  recording_tape tape;
  const file f;
  var x = 2.0;
  tape.input(x);
  const MPI_Datatype type = particle_type<var>(AMPI_ADOUBLE), plain = particle_type<double>(MPI_DOUBLE);
  std::vector<particle<var>> out(n), back(n);
  std::vector<particle<double>> seen(n);
  for (int i = 0; i < n; ++i) {
    particle<var> &one = out[static_cast<std::size_t>(i)];
    one.kind = 'a', one.cell = i + 4, one.mass = 0.5 * i, one.flags = 9;
    for (int k = 0; k < 3; ++k) one.x[k] = x * (i + k + rank), back[static_cast<std::size_t>(i)].x[k] = x;
    one.charge = -x, back[static_cast<std::size_t>(i)].charge = x;
  }
  int bytes = 0;
  MPI_Type_size(type, &bytes);
  const MPI_Offset at = static_cast<MPI_Offset>(bytes) * n * rank;
  REQUIRE(AMPI_File_write_at_all(f.handle, at, out.data(), n, type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  f.settle();
  // As the plain program would have written it.
  REQUIRE(MPI_File_read_at_all(f.handle, at, seen.data(), n, plain, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(AMPI_File_read_at_all(f.handle, at, back.data(), n, type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  var sum = x;
  for (int i = 0; i < n; ++i) {
    const particle<double> &one = seen[static_cast<std::size_t>(i)];
    const particle<var> &again = back[static_cast<std::size_t>(i)];
    CHECK((one.kind == 'a' && one.cell == i + 4 && one.mass == 0.5 * i && one.flags == 9 && one.charge == -2.0));
    CHECK((again.kind == 'a' && again.cell == i + 4 && again.mass == 0.5 * i && again.flags == 9));
    for (int k = 0; k < 3; ++k) {
      CHECK(one.x[k] == 2.0 * (i + k + rank));
      CHECK(admpi::value(again.x[k]) == one.x[k]);
      sum += again.x[k];
    }
    sum += again.charge;
  }
  std::vector<std::complex<var>> z(2, std::complex<var>(x, 3.0 * x)), w(2, z[0]);
  f.settle();
  REQUIRE(AMPI_File_write_at_all(f.handle, 32 * rank, z.data(), 2, AMPI_ADOUBLE_COMPLEX, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  f.settle();
  REQUIRE(AMPI_File_read_at_all(f.handle, 32 * rank, w.data(), 2, AMPI_ADOUBLE_COMPLEX, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK((w[1].real() == 2.0 && w[1].imag() == 6.0));
  sum += w[0].real() + w[1].imag();
  tape.stop();
  tape.seed(sum);
  tape.reverse();
  CHECK(tape.adjoint(x) == 1.0);
  MPI_Datatype types[] = {type, plain};
  for (MPI_Datatype &one : types) MPI_Type_free(&one);
}

namespace {

/// A way to build a type for a view. `of` has the doubles.
struct build {
  const char *what;
  std::function<void(MPI_Datatype of, int rank, int size, MPI_Datatype *made)> make;
};

const std::vector<build> builds = {
    {"contiguous", [](MPI_Datatype of, int, int, MPI_Datatype *made) { MPI_Type_contiguous(6, of, made); }},
    {"dup", [](MPI_Datatype of, int, int, MPI_Datatype *made) { MPI_Type_dup(of, made); }},
    {"vector", [](MPI_Datatype of, int, int, MPI_Datatype *made) { MPI_Type_vector(3, 2, 4, of, made); }},
    {"indexed",
     [](MPI_Datatype of, int, int, MPI_Datatype *made) {
       const int lengths[] = {2, 1, 3}, places[] = {1, 4, 7};
       MPI_Type_indexed(3, lengths, places, of, made);
     }},
    {"indexed_block",
     [](MPI_Datatype of, int, int, MPI_Datatype *made) {
       const int places[] = {0, 3, 8};
       MPI_Type_create_indexed_block(3, 2, places, of, made);
     }},
    {"subarray",
     [](MPI_Datatype of, int rank, int size, MPI_Datatype *made) {
       const int sizes[] = {3, 2 * size}, parts[] = {3, 2}, starts[] = {0, 2 * rank};
       MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, of, made);
     }},
    {"darray",
     [](MPI_Datatype of, int rank, int size, MPI_Datatype *made) {
       const int sizes[] = {6 * size}, kinds[] = {MPI_DISTRIBUTE_CYCLIC}, arguments[] = {2}, grid[] = {size};
       MPI_Type_create_darray(size, rank, 1, sizes, kinds, arguments, grid, MPI_ORDER_C, of, made);
     }},
    {"vector of contiguous",
     [](MPI_Datatype of, int, int, MPI_Datatype *made) {
       MPI_Datatype two;
       MPI_Type_contiguous(2, of, &two);
       MPI_Type_vector(3, 1, 2, two, made);
       MPI_Type_free(&two);
     }},
};

/// The file that results if each rank writes its values through the view of a type, at a place of its own where all see the same.
template <class Plain>
std::vector<Plain> through_view(const build &how, MPI_Datatype of, const void *values, int n) {
  const file f;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  how.make(of, my_rank(), ranks(), &made);
  MPI_Type_commit(&made);
  const std::string what = how.what;
  const bool shared = what == "subarray" || what == "darray";
  // What lies between is not left to the MPI.
  const std::vector<Plain> zeros(my_rank() == 0 ? 1000 : 0);
  CHECK(AMPI_File_write_at(f.handle, 0, zeros.data(), static_cast<int>(zeros.size()), mpi_type<Plain>(), MPI_STATUS_IGNORE) ==
        MPI_SUCCESS);
  f.settle();
  f.view(of, made, shared ? 0 : 800 * my_rank());
  // The collective form of Open MPI 4.1 writes to gaps, too.
  CHECK(AMPI_File_write_at(f.handle, 0, values, n, of, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Aint extent = 0, expected = 0;
  MPI_Datatype plain = MPI_DATATYPE_NULL;
  how.make(mpi_type<Plain>(), my_rank(), ranks(), &plain);
  MPI_Aint lower = 0;
  MPI_Type_get_extent(plain, &lower, &expected);
  CHECK(AMPI_File_get_type_extent(f.handle, made, &extent) == MPI_SUCCESS);
  MPI_Count wide = 0;
  CHECK((AMPI_File_get_type_extent_c(f.handle, made, &wide) == MPI_SUCCESS && wide == extent));
  CHECK(extent == expected);
  MPI_Type_free(&plain);
  MPI_Type_free(&made);
  return f.template contents<Plain>();
}

}  // namespace

TEST_CASE_TEMPLATE("test_files_views_are_those_of_the_plain_program", T, var, float_var, tangent<double>, tangent<double, 3>,
                   tangent<var>) {
  using Plain = plain_t<T>;
  const int n = 12;
  const std::vector<T> active = computed(T(1.0f), n);
  std::vector<Plain> plain;
  for (const T &one : active) plain.push_back(static_cast<Plain>(admpi::value(one)));
  for (const build &how : builds) {
    CAPTURE(how.what);
    CHECK(through_view<Plain>(how, mpi_type<T>(), active.data(), n) ==
          through_view<Plain>(how, mpi_type<Plain>(), plain.data(), n));
  }
}

namespace {

/// A number with derivatives.
template <class T>
T moving(double x) {
  T y = T(x) * x;
  if constexpr (std::is_same_v<T, tangent<double, 3>>)
    y.derivative = {{1.0, 2.0, 3.0}};
  else
    y.derivative = 2.0;
  return y;
}

bool has_no_derivative(double) { return true; }
bool has_no_derivative(const var &x) { return x.id == 0; }
template <class T, int N>
bool has_no_derivative(const tangent<T, N> &x) {
  if constexpr (N == 1)
    return has_no_derivative(x.value) && admpi::value(x.derivative) == 0.0 && has_no_derivative(x.derivative);
  else
    return x.derivative[0] == 0.0 && x.derivative[N - 1] == 0.0;
}

}  // namespace

#define TANGENTS tangent<double>, tangent<double, 3>, tangent<tangent<double>>, tangent<var>

TEST_CASE_TEMPLATE("test_files_hold_the_values_of_tangents", T, TANGENTS) {
  const int n = 7, rank = my_rank();
  for (std::size_t k = 0; k < writes<T>.size(); ++k) {
    CAPTURE(writes<T>[k].call);
    const file f;
    f.view(mpi_type<T>(), mpi_type<T>());
    const MPI_Offset at = static_cast<MPI_Offset>(n) * rank;
    std::vector<T> y, back;
    for (int i = 0; i < n; ++i) y.push_back(moving<T>(number(rank, i)));
    REQUIRE(writes<T>[k].run(f.handle, at, y.data(), n) == MPI_SUCCESS);
    f.settle();
    // One before and one behind keep their derivatives.
    for (int i = 0; i < n + 2; ++i) back.push_back(moving<T>(i));
    REQUIRE(reads<T>[k].run(f.handle, at, &back[1], n) == MPI_SUCCESS);
    for (int i = 0; i < n; ++i) {
      const T &one = back[static_cast<std::size_t>(i) + 1];
      CHECK(admpi::value(one) == number(rank, i) * number(rank, i));
      CHECK(has_no_derivative(one));
    }
    CHECK((!has_no_derivative(back[0]) && !has_no_derivative(back[n + 1])));
    const std::vector<double> all = f.contents();
    REQUIRE(all.size() == static_cast<std::size_t>(n * ranks()));
    for (int r = 0; r < ranks(); ++r)
      for (int i = 0; i < n; ++i) CHECK(all[static_cast<std::size_t>(n * r + i)] == number(r, i) * number(r, i));
  }
}

TEST_CASE_TEMPLATE("test_files_count_tangents", T, TANGENTS) {
  const int n = 8, there = 5;
  const file f;
  f.view(mpi_type<T>(), mpi_type<T>());
  std::vector<T> y;
  for (int i = 0; i < n; ++i) y.push_back(moving<T>(i + 1));
  const auto count = [](MPI_Status &status) {
    int many = -1;
    AMPI_Get_count(&status, mpi_type<T>(), &many);
    return many;
  };
  MPI_Status status;
  AMPI_Request request = AMPI_REQUEST_NULL;
  REQUIRE(AMPI_File_write_at_all(f.handle, 0, y.data(), there, mpi_type<T>(), &status) == MPI_SUCCESS);
  CHECK(count(status) == there);
  f.settle();
  const std::vector<T> before = y;
  for (const bool counted : {false, true}) {
    y = before;
    const int read = counted ? AMPI_File_read_at_c(f.handle, 0, y.data(), n, mpi_type<T>(), &status)
                             : AMPI_File_read_at(f.handle, 0, y.data(), n, mpi_type<T>(), &status);
    REQUIRE(read == MPI_SUCCESS);
    CHECK(count(status) == there);
    for (int i = 0; i < n; ++i) {
      const T &one = y[static_cast<std::size_t>(i)];
      CHECK(admpi::value(one) == (i + 1.0) * (i + 1.0));
      CHECK(has_no_derivative(one) == (i < there));
    }
  }
  // Past the end of a file Open MPI's reads that do not wait never complete.
  REQUIRE(AMPI_File_iread_at(f.handle, 0, y.data(), there, mpi_type<T>(), &request) == MPI_SUCCESS);
  // MPICH never tells of a file's request that it is complete.
  int done = 0;
  for (int i = 0; i < 1000 && !done; ++i) REQUIRE(AMPI_Request_get_status(request, &done, &status) == MPI_SUCCESS);
  if (done) CHECK(count(status) == there);
  REQUIRE(AMPI_Wait(&request, &status) == MPI_SUCCESS);
  CHECK(count(status) == there);
  REQUIRE(AMPI_File_iread_at(f.handle, 3, y.data(), there - 3, mpi_type<T>(), &request) == MPI_SUCCESS);
  REQUIRE(AMPI_Waitall(1, &request, &status) == MPI_SUCCESS);
  CHECK(count(status) == there - 3);
  REQUIRE(AMPI_File_read_at_all_begin(f.handle, 1, y.data(), there - 1, mpi_type<T>()) == MPI_SUCCESS);
  REQUIRE(AMPI_File_read_at_all_end(f.handle, y.data(), &status) == MPI_SUCCESS);
  CHECK(count(status) == there - 1);
  REQUIRE(AMPI_File_write_at_all_begin(f.handle, 0, y.data(), 0, mpi_type<T>()) == MPI_SUCCESS);
  REQUIRE(AMPI_File_write_at_all_end(f.handle, y.data(), &status) == MPI_SUCCESS);
  CHECK(count(status) == 0);
}

TEST_CASE_TEMPLATE("test_files_of_types_of_tangents", T, TANGENTS) {
  // Every other one, by a type of the scalar's and by one of AMPI_ADOUBLE.
  const int rank = my_rank();
  for (const MPI_Datatype of : {mpi_type<T>(), AMPI_ADOUBLE}) {
    MPI_Datatype type;
    AMPI_Type_vector(3, 1, 2, of, &type);
    AMPI_Type_commit(&type);
    const file f;
    f.view(MPI_DOUBLE, MPI_DOUBLE);
    std::vector<T> y, back;
    for (int i = 0; i < 6; ++i) y.push_back(moving<T>(number(rank, i))), back.push_back(moving<T>(i));
    REQUIRE(AMPI_File_write_at_all(f.handle, 3 * rank, y.data(), 1, type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    f.settle();
    REQUIRE(AMPI_File_read_at_all(f.handle, 3 * rank, back.data(), 1, type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < 6; ++i) {
      const T &one = back[static_cast<std::size_t>(i)];
      CHECK(admpi::value(one) == (i % 2 == 0 ? number(rank, i) * number(rank, i) : i * i));
      CHECK(has_no_derivative(one) == (i % 2 == 0));
    }
    MPI_Type_free(&type);
  }
  const std::complex<T> z(moving<T>(3.0), moving<T>(4.0));
  std::complex<T> w = z;
  const file f;
  REQUIRE(AMPI_File_write_at(f.handle, 16 * rank, &z, 1, mpi_type<std::complex<T>>(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(AMPI_File_read_at(f.handle, 16 * rank, &w, 1, mpi_type<std::complex<T>>(), MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK((admpi::value(w.real()) == 9.0 && admpi::value(w.imag()) == 16.0));
  CHECK((has_no_derivative(w.real()) && has_no_derivative(w.imag())));
  MPI_Barrier(world);
}

namespace {

/// A file of floats and an active one, which is 2.
struct floats {
  const int rank = my_rank();
  recording_tape tape;
  const file data;
  float_var x = 2.0f;

  floats() { tape.input(x); }
  double adjoint_of_x(const float_var &cost) {
    tape.stop();
    tape.seed(cost);
    tape.reverse();
    return tape.adjoint(x);
  }
};

}  // namespace

TEST_CASE_FIXTURE(floats, "test_files_of_floats_with_gaps") {
  using complex = std::complex<float_var>;
  const int n = 3;
  data.view(AMPI_AFLOAT, AMPI_AFLOAT);
  MPI_Datatype two, pairs;  // items of two, with another float behind each
  MPI_Type_vector(2, 1, 2, AMPI_AFLOAT, &two);
  MPI_Type_create_resized(two, 0, 4 * sizeof(float_var), &pairs);
  MPI_Type_commit(&pairs);
  MPI_Type_free(&two);
  const std::vector<float_var> out = computed(x, 4 * n);
  std::vector<float_var> back(4 * n, x);
  const MPI_Offset at = static_cast<MPI_Offset>(2 * n) * rank;
  MPI_Status status;
  REQUIRE(AMPI_File_write_at_all(data.handle, at, out.data(), n, pairs, &status) == MPI_SUCCESS);
  int count = 0;
  MPI_Get_count(&status, pairs, &count);
  CHECK(count == n);
  data.settle();
  REQUIRE(AMPI_File_read_at_all(data.handle, at, back.data(), n, pairs, &status) == MPI_SUCCESS);
  MPI_Get_count(&status, AMPI_AFLOAT, &count);
  CHECK(count == 2 * n);
  float_var sum = 0.0f;
  for (std::size_t i = 0; i < back.size(); ++i) {
    CHECK(admpi::value(back[i]) == (i % 2 == 0 ? admpi::value(out[i]) : 2.0f));
    sum += back[i];
  }
  data.settle();
  const std::vector<complex> z(2, complex(x, 3.0f * x));
  std::vector<complex> w(2, z[0]);
  REQUIRE(AMPI_File_write_at_all(data.handle, 4 * rank, z.data(), 2, AMPI_AFLOAT_COMPLEX, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  data.settle();
  REQUIRE(AMPI_File_read_at_all(data.handle, 4 * rank, w.data(), 2, AMPI_AFLOAT_COMPLEX, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK((w[1].real() == 2.0f && w[1].imag() == 6.0f));
  sum += w[0].real() + w[1].imag();
  const std::vector<float> all = data.contents<float>();
  REQUIRE(all.size() == static_cast<std::size_t>(2 * n * ranks()));
  CHECK((all[0] == 2.0f && all[1] == 6.0f));
  CHECK(adjoint_of_x(sum) == 2 * n);
  MPI_Type_free(&pairs);
}

TEST_CASE_FIXTURE(floats, "test_files_of_floats_that_are_under_way") {
  const int n = 4;
  data.view(MPI_FLOAT, MPI_FLOAT);
  const MPI_Offset mine = 2 * n * rank;
  const std::vector<float_var> out = computed(x, n);
  std::vector<float_var> again = computed(x, n);
  AMPI_Request requests[3] = {AMPI_REQUEST_NULL, AMPI_REQUEST_NULL, AMPI_REQUEST_NULL};
  REQUIRE(AMPI_File_iwrite_at(data.handle, mine, out.data(), n, AMPI_AFLOAT, &requests[0]) == MPI_SUCCESS);
  REQUIRE(AMPI_File_iwrite_at(data.handle, mine + n, again.data(), n, AMPI_AFLOAT, &requests[2]) == MPI_SUCCESS);
  MPI_Status statuses[3];
  REQUIRE(AMPI_Waitall(3, requests, statuses) == MPI_SUCCESS);
  int count = 0;
  MPI_Get_count(&statuses[2], AMPI_AFLOAT, &count);
  CHECK(count == n);
  data.settle();
  AMPI_Request request = AMPI_REQUEST_NULL;
  REQUIRE(AMPI_File_iread_at(data.handle, mine, again.data(), n, AMPI_AFLOAT, &request) == MPI_SUCCESS);
  if (request != AMPI_REQUEST_NULL)
    CHECK(refusal([&] { return AMPI_Request_free(&request); }).find("its completion ends") != std::string::npos);
  int done = 0;
  while (!done) REQUIRE(AMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(request == AMPI_REQUEST_NULL);
  // Nothing is read, and nothing written.
  float_var *none = nullptr;
  REQUIRE(AMPI_File_iread_at_all(data.handle, 0, none, 0, AMPI_AFLOAT, &request) == MPI_SUCCESS);
  REQUIRE(AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(AMPI_File_write_at_all(data.handle, 0, none, 0, AMPI_AFLOAT, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  float_var sum = x;
  for (std::size_t i = 0; i < out.size(); ++i) {
    CHECK(admpi::value(again[i]) == admpi::value(out[i]));
    sum += again[i];
  }
  CHECK(adjoint_of_x(sum) == 1.0);
}

namespace {

template <class T>
std::vector<mixed::particle<T>> particles_of(const std::vector<T> &x, int n) {
  std::vector<mixed::particle<T>> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    auto &one = all[static_cast<std::size_t>(i)];
    for (int d = 0; d < 3; ++d) one.x[d] = x[static_cast<std::size_t>((i + d) % n)];
    one.charge = x[0];
    one.kind = static_cast<char>('a' + i);
    one.cell = 100 * my_rank() + i;
    one.mass = 0.25 * i;
    one.flags = static_cast<short>(i + 7);
  }
  return all;
}

bool alike(const mixed::particle<float_var> &a, const mixed::particle<float_var> &b) {
  const auto same = [](const float_var &x, const float_var &y) { return admpi::value(x) == admpi::value(y); };
  return a.kind == b.kind && a.cell == b.cell && a.mass == b.mass && a.flags == b.flags && same(a.charge, b.charge) &&
         same(a.x[0], b.x[0]) && same(a.x[1], b.x[1]) && same(a.x[2], b.x[2]);
}

}  // namespace

TEST_CASE_FIXTURE(floats, "test_files_of_floats_in_structures") {
  const int n = 3, bytes = 35;
  const MPI_Datatype type = particle_type<float_var>(AMPI_AFLOAT), plain_type = particle_type<float>(MPI_FLOAT);
  const std::vector<float_var> values = computed(x, n);
  std::vector<float> numbers;
  for (const float_var &each : values) numbers.push_back(admpi::value(each));
  const auto out = particles_of(values, n);
  const auto plain = particles_of(numbers, n);
  const file expected;
  const MPI_Offset mine = static_cast<MPI_Offset>(n) * bytes * rank;
  REQUIRE(MPI_File_write_at_all(expected.handle, mine, plain.data(), n, plain_type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Status status;
  REQUIRE(AMPI_File_write_at_all(data.handle, mine, static_cast<const void *>(out.data()), n, type, &status) == MPI_SUCCESS);
  int count = 0;
  MPI_Get_count(&status, type, &count);
  CHECK(count == n);
  CHECK(data.contents<char>() == expected.contents<char>());

  float_var sum = x;
  for (const int way : {0, 1, 2}) {
    CAPTURE(way);
    // One item less than there is room for, and what lies there is active.
    auto back = particles_of(computed(x, n + 1), n + 1);
    void *const buffer = back.data();
    AMPI_Request request = AMPI_REQUEST_NULL;
    if (way == 0) {
      REQUIRE(AMPI_File_read_at_all(data.handle, mine, buffer, n, type, &status) == MPI_SUCCESS);
    } else if (way == 1) {
      REQUIRE(AMPI_File_iread_at(data.handle, mine, buffer, n, type, &request) == MPI_SUCCESS);
      REQUIRE(AMPI_Wait(&request, &status) == MPI_SUCCESS);
    } else {
      REQUIRE(AMPI_File_read_at_all_begin(data.handle, mine, buffer, n, type) == MPI_SUCCESS);
      REQUIRE(AMPI_File_read_at_all_end(data.handle, buffer, &status) == MPI_SUCCESS);
    }
    MPI_Get_count(&status, type, &count);
    CHECK(count == n);
    for (std::size_t i = 0; i < out.size(); ++i) {
      CHECK(alike(back[i], out[i]));
      sum += back[i].charge + back[i].x[1];
    }
    CHECK(back[n].cell == 100 * rank + n);
    sum += back[n].x[0];
    MPI_Barrier(world);
  }
  // Of all that was added, x and three items that were not read are active.
  const double before = adjoint_of_x(sum);
  recording_tape other;
  float_var y = 2.0f;
  other.input(y);
  float_var kept = y;
  for (int way = 0; way < 3; ++way) kept += computed(y, n + 1)[n];
  other.stop();
  other.seed(kept);
  other.reverse();
  CHECK(before == other.adjoint(y));
  for (MPI_Datatype one : {type, plain_type}) MPI_Type_free(&one);
}

TEST_CASE_FIXTURE(floats, "test_files_of_items_that_are_active_by_name") {
  // No double, or no float, and an int behind it.
  const int lengths[] = {0, 1}, rank = my_rank();
  const MPI_Aint offsets[] = {0, sizeof(var)};
  for (const MPI_Datatype active : {AMPI_ADOUBLE, AMPI_AFLOAT}) {
    const MPI_Datatype types[] = {active, MPI_INT};
    MPI_Datatype made, type;
    AMPI_Type_create_struct(2, lengths, offsets, types, &made);
    AMPI_Type_create_resized(made, 0, sizeof(admpi_var_int), &type);
    AMPI_Type_commit(&type);
    MPI_Type_free(&made);
    const file f;
    admpi_var_int out[2] = {{x, 10 * rank}, {x, 10 * rank + 1}}, back[2] = {{x, 0}, {x, 0}};
    void *const from = out, *const to = back;
    REQUIRE(AMPI_File_write_at_all(f.handle, 8 * rank, from, 2, type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    f.settle();
    REQUIRE(AMPI_File_read_at_all(f.handle, 8 * rank, to, 2, type, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK((back[0].index == 10 * rank && back[1].index == 10 * rank + 1));
    CHECK(back[1].value.id == x.id);
    MPI_Type_free(&type);
  }
}

TEST_CASE("test_files_refuse_what_has_no_place_in_them") {
  const auto contains = [](const std::string &text, const char *part) { return text.find(part) != std::string::npos; };
  const auto message = [](int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return std::string(text);
  };
  const file f;
  tangent<double> t(1.0, 2.0);
  CHECK(contains(refusal([&] { return AMPI_File_write_at(f.handle, 0, &t, 1, MPI_DOUBLE, MPI_STATUS_IGNORE); }),
                 "the buffer is of admpi::tangent and the datatype is not"));
  MPI_Datatype mixed_tangents = particle_type<tangent<double>>(mpi_type<tangent<double>>());
  mixed::particle<tangent<double>> particle;
  CHECK(contains(message(AMPI_File_write_at(f.handle, 0, static_cast<void *>(&particle), 1, mixed_tangents, MPI_STATUS_IGNORE)),
                 "AMPI_File_write_at: the datatype has numbers beside tangents"));
  CHECK(contains(message(AMPI_File_set_view(f.handle, 0, MPI_DOUBLE, mixed_tangents, "native", MPI_INFO_NULL)),
                 "AMPI_File_set_view: filetype: the datatype has offsets in bytes"));
  MPI_Type_free(&mixed_tangents);
  admpi::varmat m(2, 2);
  CHECK(contains(message(AMPI_File_write_at(f.handle, 0, m.handle(), 4, AMPI_VARMAT, MPI_STATUS_IGNORE)), "AMPI_VARMAT or AMPI_VIEW"));
  CHECK(contains(message(AMPI_File_iread_at(f.handle, 0, static_cast<void *>(m.handle()), 4, AMPI_VARMAT, nullptr)), "request"));
  var x = 1.5;
  CHECK(contains(message(AMPI_File_write_at(f.handle, 0, &x, -1, AMPI_ADOUBLE, MPI_STATUS_IGNORE)), "count = -1"));
  const MPI_Datatype particles = particle_type<var>(AMPI_ADOUBLE), light = particle_type<float_var>(AMPI_AFLOAT);
  for (MPI_Datatype one : {particles, light}) {
    CHECK(contains(message(AMPI_File_set_view(f.handle, 0, AMPI_ADOUBLE, one, "native", MPI_INFO_NULL)),
                   "AMPI_File_set_view: filetype: the datatype has offsets in bytes"));
    MPI_Type_free(&one);
  }
  // The next calls work.
  f.view(AMPI_ADOUBLE, AMPI_ADOUBLE);
  REQUIRE(AMPI_File_write_at(f.handle, my_rank(), &x, 1, AMPI_ADOUBLE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  var y = 0.0;
  REQUIRE(AMPI_File_read_at(f.handle, my_rank(), &y, 1, AMPI_ADOUBLE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(admpi::value(y) == 1.5);
  MPI_Barrier(world);
}
