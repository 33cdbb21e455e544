// Pack and Unpack: packed values keep their derivatives, on the rank and in messages under MPI_PACKED.
#include <cstring>
#include <string>

#include "ampi/mixed.hpp"

using namespace mixed;

namespace {

/// A buffer that grows by what is packed, in exactly the room that is asked for.
template <class Mpi>
struct packer {
  Mpi mpi;
  std::vector<char> bytes;
  int position = 0;

  template <class T>
  void add(const T *from, int n, MPI_Datatype type) {
    int size = 0;
    mpi.pack_size(n, type, world, &size);
    bytes.resize(static_cast<std::size_t>(position + size));
    mpi.pack(from, n, type, static_cast<void *>(bytes.data()), position + size, &position, world);
  }
};

template <class Mpi>
packer<Mpi> packing(Mpi mpi) {
  return {mpi, {}, 0};
}

template <class T>
const T *head(const std::vector<T> &x) {
  return x.data();
}

}  // namespace

TEST_CASE("test_packing_on_the_same_rank") {
  check_identity(inputs, 1, [](auto mpi, auto &x) {
    using T = typename decltype(mpi)::real;
    auto out = packing(mpi);
    const std::vector<T> y = test::spread(x, 9, 0.5);
    const int n = 9, tag = 77;
    // At a place where no double lies, in three pieces.
    out.add("abc", 3, MPI_CHAR);
    out.add(head(y), 4, mpi.type());
    out.add(&y[4], 3, mpi.type());
    out.add(&tag, 1, MPI_INT);
    out.add(&y[7], 2, mpi.type());
    // A copy is as good, wherever it lies; the original is gone.
    std::vector<char> moved(out.bytes.size() + 5);
    std::memcpy(&moved[5], out.bytes.data(), out.bytes.size());
    std::memset(out.bytes.data(), 0x7f, out.bytes.size());
    const char *from = &moved[5];
    int size = out.position, at = 0, found = 0;
    char text[3];
    std::vector<T> z(static_cast<std::size_t>(n));
    mpi.unpack(static_cast<const void *>(from), size, &at, text, 3, MPI_CHAR, world);
    // Not in the pieces that were packed.
    mpi.unpack(static_cast<const void *>(from), size, &at, z.data(), 2, mpi.type(), world);
    mpi.unpack(static_cast<const void *>(from), size, &at, &z[2], 5, mpi.type(), world);
    mpi.unpack(static_cast<const void *>(from), size, &at, &found, 1, MPI_INT, world);
    mpi.unpack(static_cast<const void *>(from), size, &at, &z[7], 1, mpi.type(), world);
    mpi.unpack(static_cast<const void *>(from), size, &at, &z[8], 1, mpi.type(), world);
    CHECK(std::string(text, 3) == "abc");
    CHECK(found == tag);
    CHECK(at == size);
    return test::outcome(z, y);
  });
}

TEST_CASE("test_packing_in_messages") {
  check_identity(inputs, 2, [](auto mpi, auto &x) {
    using T = typename decltype(mpi)::real;
    const ring on;
    std::vector<T> result;
    for (const int mode : {0, 1, 2, 3, 4, 5}) {
      const int n = 3 + mode + on.rank % 2, m = 3 + mode + on.left % 2;
      const std::vector<T> y = test::spread(x, n + 2, 0.1 * mode);
      auto out = packing(mpi);
      out.add(&n, 1, MPI_INT);
      out.add(head(y), n, mpi.type());
      out.add(&y[static_cast<std::size_t>(n)], 2, mpi.type());
      std::vector<char> in(2000, 1);
      MPI_Status status;
      const void *from = out.bytes.data();
      void *to = in.data();
      const int size = out.position;
      auto q = mpi.null(), p = mpi.null();
      if (mode == 0) {
        mpi.irecv(to, 2000, MPI_PACKED, MPI_ANY_SOURCE, 3, world, &q);
        mpi.send(from, size, MPI_PACKED, on.right, 3, world);
        mpi.wait(&q, &status);
      } else if (mode == 1) {
        mpi.isend(from, size, MPI_PACKED, on.right, 3, world, &q);
        mpi.recv(to, 2000, MPI_PACKED, on.left, MPI_ANY_TAG, world, &status);
        mpi.wait(&q, MPI_STATUS_IGNORE);
      } else if (mode == 2) {
        mpi.sendrecv(from, size, MPI_PACKED, on.right, 3, to, 2000, MPI_PACKED, on.left, 3, world, &status);
      } else if (mode == 3) {
        MPI_Message message;
        mpi.isend(from, size, MPI_PACKED, on.right, 3, world, &q);
        mpi.mprobe(on.left, 3, world, &message, &status);
        mpi.imrecv(to, 2000, MPI_PACKED, &message, &p);
        mpi.wait(&p, &status);
        mpi.wait(&q, MPI_STATUS_IGNORE);
      } else if (mode == 4) {
        std::memcpy(to, from, static_cast<std::size_t>(size));
        // As long as that of the neighbour may be.
        mpi.sendrecv_replace(to, 2000, MPI_PACKED, on.right, 3, on.left, 3, world, &status);
      } else {
        // Packed anew before each start.
        std::vector<char> room(2000, '\0');
        mpi.send_init(static_cast<const void *>(room.data()), 2000, MPI_PACKED, on.right, 3, world, &q);
        mpi.recv_init(to, 2000, MPI_PACKED, on.left, 3, world, &p);
        for (const int times : {1, 2}) {
          std::fill(room.begin(), room.end(), '\0');
          if (times == 2) std::memcpy(room.data(), from, static_cast<std::size_t>(size));
          mpi.start(&p);
          mpi.start(&q);
          mpi.wait(&p, &status);
          mpi.wait(&q, MPI_STATUS_IGNORE);
        }
        mpi.request_free(&p);
        mpi.request_free(&q);
      }
      int bytes = 0;
      MPI_Get_count(&status, MPI_PACKED, &bytes);
      CHECK(bytes >= size - 64);
      // What is received may be copied, too.
      const std::vector<char> copy(in);
      std::fill(in.begin(), in.end(), '\0');
      int at = 0, got = 0;
      mpi.unpack(static_cast<const void *>(copy.data()), 2000, &at, &got, 1, MPI_INT, world);
      CHECK(got == m);
      std::vector<T> z(static_cast<std::size_t>(m + 2));
      mpi.unpack(static_cast<const void *>(copy.data()), 2000, &at, z.data(), m + 2, mpi.type(), world);
      const auto some = test::outcome(z, y);
      result.insert(result.end(), some.begin(), some.end());
    }
    return result;
  });
}

// Messages whose receives are posted in another order than they complete, some of them without anything active, or never
// looked into.
TEST_CASE("test_packing_among_other_messages") {
  check_identity(inputs, 3, [](auto mpi, auto &x) {
    using T = typename decltype(mpi)::real;
    using request = typename decltype(mpi)::request;
    const ring on;
    const std::vector<T> y = test::spread(x, 6, 0.3);
    auto first = packing(mpi), second = packing(mpi), passive = packing(mpi);
    first.add(head(y), 2, mpi.type());
    second.add(&y[2], 2, mpi.type());
    const int seven = 7;
    passive.add(&seven, 1, MPI_INT);
    std::vector<char> a(500), b(500), c(500), d(500);
    T plain[2];
    request q[9];
    mpi.irecv(static_cast<void *>(a.data()), 500, MPI_PACKED, on.left, 1, world, &q[0]);
    mpi.irecv(static_cast<void *>(b.data()), 500, MPI_PACKED, on.left, 1, world, &q[1]);
    mpi.irecv(&plain[0], 2, mpi.type(), on.left, 1, world, &q[2]);
    mpi.irecv(static_cast<void *>(c.data()), 500, MPI_PACKED, on.left, 1, world, &q[3]);
    mpi.irecv(static_cast<void *>(d.data()), 500, MPI_PACKED, on.left, 1, world, &q[8]);
    mpi.isend(static_cast<const void *>(first.bytes.data()), first.position, MPI_PACKED, on.right, 1, world, &q[4]);
    mpi.isend(static_cast<const void *>(passive.bytes.data()), passive.position, MPI_PACKED, on.right, 1, world, &q[5]);
    mpi.isend(&y[4], 2, mpi.type(), on.right, 1, world, &q[6]);
    mpi.isend(static_cast<const void *>(second.bytes.data()), second.position, MPI_PACKED, on.right, 1, world, &q[7]);
    mpi.send(static_cast<const void *>(second.bytes.data()), second.position, MPI_PACKED, on.right, 1, world);
    for (const int i : {3, 2, 0, 1, 8, 7, 6, 5, 4}) mpi.wait(&q[i], MPI_STATUS_IGNORE);
    int at = 0, number = 0;
    mpi.unpack(static_cast<const void *>(b.data()), 500, &at, &number, 1, MPI_INT, world);
    CHECK(number == 7);
    std::vector<T> z(4);
    at = 0;
    mpi.unpack(static_cast<const void *>(a.data()), 500, &at, &z[0], 2, mpi.type(), world);
    at = 0;
    mpi.unpack(static_cast<const void *>(c.data()), 500, &at, &z[2], 2, mpi.type(), world);
    z.push_back(plain[0]);
    z.push_back(plain[1]);
    return test::outcome(z, y);
  });
}

TEST_CASE("test_packing_structures") {
  check_items(4, [](auto mpi, auto kind, auto &x, auto &y) {
    using K = decltype(kind);
    const ring on;
    const MPI_Datatype type = K::type(mpi);
    auto items = some<K>(x, 4, 2), back = some<K>(x, 4, 9);
    auto out = packing(mpi);
    const void *from = items.data();
    out.add(from, 3, type);
    std::vector<char> in(1000);
    mpi.sendrecv(static_cast<const void *>(out.bytes.data()), out.position, MPI_PACKED, on.right, 1,
                 static_cast<void *>(in.data()), 1000, MPI_PACKED, on.left, 1, world, MPI_STATUS_IGNORE);
    int at = 0;
    // One by one.
    for (int i = 0; i < 3; ++i)
      mpi.unpack(static_cast<const void *>(in.data()), 1000, &at, static_cast<void *>(&back[static_cast<std::size_t>(i)]), 1,
                 type, world);
    put_all<K>(y, items, back);
    done_with(type);
  });
}

// What nobody has packed as active is passive, and so is what is packed when no tape knows it.
TEST_CASE("test_packing_passive_values") {
  test::begin();
  test::recording_tape tape;
  const double plain[2] = {1.5, -2.5};
  admpi::var x = 3.0, y[2], z;
  tape.input(x);
  y[0] = y[1] = x;
  char bytes[300] = {};
  int at = 0;
  AMPI_Pack(plain, 2, MPI_DOUBLE, bytes, 300, &at, world);
  int end = at;
  at = 0;
  CHECK(AMPI_Unpack(bytes, 300, &at, y, 2, AMPI_ADOUBLE, world) == MPI_SUCCESS);
  CHECK(at == end);
  CHECK(y[0].value == 1.5);
  CHECK(y[1].value == -2.5);
  CHECK(y[0].id == 0);
  CHECK(y[1].id == 0);
  // In external32, which MPI knows.
  MPI_Aint place = 0;
  AMPI_Pack_external("external32", plain, 2, MPI_DOUBLE, bytes, 300, &place);
  place = 0;
  y[0] = x;
  CHECK(AMPI_Unpack_external("external32", bytes, 300, &place, y, 2, AMPI_ADOUBLE) == MPI_SUCCESS);
  CHECK(y[0].value == 1.5);
  CHECK(y[0].id == 0);
  MPI_Aint room = 0;
  CHECK(AMPI_Pack_external_size("external32", 2, AMPI_ADOUBLE, &room) == MPI_SUCCESS);
  y[0] = x;
  place = 0;
  CHECK(AMPI_Pack_external("external32", y, 2, AMPI_ADOUBLE, bytes, room, &place) == MPI_SUCCESS);
  CHECK(place <= room);
  place = 0;
  CHECK(AMPI_Unpack_external("external32", bytes, room, &place, &z, 1, AMPI_ADOUBLE) == MPI_SUCCESS);
  tape.stop();
  tape.seed(z, 2.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0);
}

// By the names of MPI-4, with counts past the limit of the variant limit_7.
TEST_CASE("test_packing_large_counts") {
  test::begin();
  test::recording_tape tape;
  const int n = 23;
  admpi::var x = 3.0, y[n], z[n];
  tape.input(x);
  std::vector<double> plain(n), found(n);
  for (int i = 0; i < n; ++i) y[i] = x * (plain[static_cast<std::size_t>(i)] = 1.0 + i);
  MPI_Count of_plain = 0, of_active = 0, at = 0;
  CHECK(AMPI_Pack_size_c(n, MPI_DOUBLE, world, &of_plain) == MPI_SUCCESS);
  CHECK(AMPI_Pack_size_c(n, AMPI_ADOUBLE, world, &of_active) == MPI_SUCCESS);
  int narrow = 0;
  AMPI_Pack_size(n, AMPI_ADOUBLE, world, &narrow);
  CHECK(of_active == narrow);
  std::vector<char> bytes(static_cast<std::size_t>(of_plain + of_active));
  const MPI_Count room = of_plain + of_active;
  REQUIRE(AMPI_Pack_c(plain.data(), n, MPI_DOUBLE, bytes.data(), room, &at, world) == MPI_SUCCESS);
  CHECK(at <= of_plain);
  REQUIRE(AMPI_Pack_c(y, n, AMPI_ADOUBLE, bytes.data(), room, &at, world) == MPI_SUCCESS);
  CHECK(at <= room);
  const MPI_Count end = at;
  at = 0;
  REQUIRE(AMPI_Unpack_c(bytes.data(), room, &at, found.data(), n, MPI_DOUBLE, world) == MPI_SUCCESS);
  REQUIRE(AMPI_Unpack_c(bytes.data(), room, &at, z, n, AMPI_ADOUBLE, world) == MPI_SUCCESS);
  CHECK(at == end);
  CHECK(found == plain);
  admpi::var sum = 0.0;
  for (int i = 0; i < n; ++i) sum += z[i] * (i + 1.0);
  // What was packed as passive is unpacked as passive.
  at = 0;
  REQUIRE(AMPI_Unpack_c(bytes.data(), room, &at, z, n, AMPI_ADOUBLE, world) == MPI_SUCCESS);
  for (int i = 0; i < n; ++i) CHECK((z[i].id == 0 && z[i].value == plain[static_cast<std::size_t>(i)]));

  MPI_Count wide = 0;
  CHECK(AMPI_Pack_external_size_c("external32", n, MPI_DOUBLE, &wide) == MPI_SUCCESS);
  CHECK(wide == 8 * n);
  CHECK(AMPI_Pack_external_size_c("external32", n, AMPI_ADOUBLE, &wide) == MPI_SUCCESS);
  bytes.resize(static_cast<std::size_t>(8 * n + wide));
  at = 0;
  REQUIRE(AMPI_Pack_external_c("external32", plain.data(), n, MPI_DOUBLE, bytes.data(), 8 * n + wide, &at) == MPI_SUCCESS);
  CHECK(at == 8 * n);
  REQUIRE(AMPI_Pack_external_c("external32", y, n, AMPI_ADOUBLE, bytes.data(), 8 * n + wide, &at) == MPI_SUCCESS);
  at = 0;
  found.assign(n, 0.0);
  REQUIRE(AMPI_Unpack_external_c("external32", bytes.data(), 8 * n + wide, &at, found.data(), n, MPI_DOUBLE) == MPI_SUCCESS);
  CHECK(found == plain);
  REQUIRE(AMPI_Unpack_external_c("external32", bytes.data(), 8 * n + wide, &at, z, n, AMPI_ADOUBLE) == MPI_SUCCESS);
  for (int i = 0; i < n; ++i) sum += z[i] * (i + 1.0);

  // A typed buffer of another kind is refused, as in the calls with ints.
  at = 0;
  CHECK(test::refusal([&] { return AMPI_Pack_c(y, n, MPI_DOUBLE, bytes.data(), room, &at, world); }).find("AMPI_Pack_c") != std::string::npos);
  tape.stop();
  tape.seed(sum);
  tape.reverse();
  double squares = 0.0;
  for (int i = 1; i <= n; ++i) squares += static_cast<double>(i) * i;
  CHECK(tape.adjoint(x) == 2.0 * squares);
}

// Matrices are packed by their elements.
TEST_CASE("test_packing_items_that_are_active_by_name") {
  // No active double and an int behind it: there are no ids to carry.
  test::begin();
  const int rank = test::rank_of(world), size = test::size_of(world), lengths[] = {0, 1};
  const MPI_Aint offsets[] = {0, sizeof(admpi::var)};
  const MPI_Datatype types[] = {AMPI_ADOUBLE, MPI_INT};
  MPI_Datatype made, type;
  AMPI_Type_create_struct(2, lengths, offsets, types, &made);
  AMPI_Type_create_resized(made, 0, sizeof(admpi_var_int), &type);
  AMPI_Type_commit(&type);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  admpi_var_int out[2] = {{{1.0, 0, 0}, 10 * rank}, {{1.0, 0, 0}, 10 * rank + 1}}, in[2] = {};
  const void *const from = out;
  void *const to = in;
  int room = 0, end = 0, at = 0;
  AMPI_Pack_size(2, type, world, &room);
  std::vector<char> bytes(static_cast<std::size_t>(room));
  REQUIRE(AMPI_Pack(from, 2, type, bytes.data(), room, &end, world) == MPI_SUCCESS);
  REQUIRE(AMPI_Sendrecv_replace(bytes.data(), end, AMPI_PACKED, right, 3, left, 3, world, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(AMPI_Unpack(bytes.data(), room, &at, to, 2, type, world) == MPI_SUCCESS);
  CHECK(at == end);
  CHECK((in[0].index == 10 * left && in[1].index == 10 * left + 1));
  MPI_Type_free(&type);
  MPI_Type_free(&made);
}

TEST_CASE("test_packing_matrices") {
  test::begin();
  test::recording_tape tape;
  admpi::var x = 3.0;
  tape.input(x);
  admpi::varmat a(2, 2), b(2, 2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) a(i, j) = x * (1.0 + i + 2.0 * j);
  int size = 0, at = 0;
  AMPI_Pack_size(4, AMPI_VARMAT, world, &size);
  std::vector<char> bytes(static_cast<std::size_t>(size));
  REQUIRE(AMPI_Pack(a.handle(), 4, AMPI_VARMAT, bytes.data(), size, &at, world) == MPI_SUCCESS);
  at = 0;
  REQUIRE(AMPI_Unpack(bytes.data(), size, &at, b.handle(), 4, AMPI_VARMAT, world) == MPI_SUCCESS);
  admpi::var sum = b(0, 0) + 10.0 * b(1, 1);
  tape.stop();
  tape.seed(sum);
  tape.reverse();
  CHECK(sum.value == 3.0 * 41.0);
  CHECK(tape.adjoint(x) == 41.0);
}

// On a communicator that the library does not know, packed bytes may be passive, and active ones are an error.
TEST_CASE("test_packing_on_an_unknown_communicator") {
  test::begin();
  test::recording_tape tape;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  const ring on;
  admpi::var x = 3.0, y;
  tape.input(x);
  char out[200] = {}, in[200] = {};
  int at = 0, seven = 7, found = 0;
  AMPI_Pack(&seven, 1, MPI_INT, out, 200, &at, own);
  AMPI_Request q = AMPI_REQUEST_NULL;
  REQUIRE(AMPI_Irecv(static_cast<void *>(in), 200, MPI_PACKED, 0, 0, own, &q) == MPI_SUCCESS);
  REQUIRE(AMPI_Send(static_cast<void *>(out), at, MPI_PACKED, 0, 0, own) == MPI_SUCCESS);
  REQUIRE(AMPI_Wait(&q, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  at = 0;
  AMPI_Unpack(in, 200, &at, &found, 1, MPI_INT, own);
  CHECK(found == 7);
  at = 0;
  AMPI_Pack(&x, 1, AMPI_ADOUBLE, out, 200, &at, own);
  CHECK(test::text_of(AMPI_Send(static_cast<void *>(out), at, MPI_PACKED, 0, 0, own)).find("AMPI_Comm_register") !=
        std::string::npos);
  MPI_Request sent;
  MPI_Isend(out, at, MPI_PACKED, 0, 0, own, &sent);
  CHECK(test::text_of(AMPI_Recv(static_cast<void *>(in), 200, MPI_PACKED, 0, 0, own, MPI_STATUS_IGNORE))
            .find("AMPI_Comm_register") != std::string::npos);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  // The values have arrived, without derivatives.
  at = 0;
  CHECK(AMPI_Unpack(in, 200, &at, &y, 1, AMPI_ADOUBLE, own) == MPI_SUCCESS);
  CHECK(y.value == 3.0);
  CHECK(y.id == 0);
  MPI_Comm_free(&own);
}
