// Messages of items that have passive parts beside active ones. Both arrive, and the active parts with their derivatives.
#include <algorithm>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

#include "ampi/mixed.hpp"

using namespace mixed;

using admpi::var;

namespace {

int count_of(const MPI_Status &status, MPI_Datatype type) {
  int n = -1;
  MPI_Get_count(&status, type, &n);
  return n;
}

int elements_of(const MPI_Status &status, MPI_Datatype type) {
  int n = -1;
  MPI_Get_elements(&status, type, &n);
  return n;
}

template <class Mpi>
bool is_active(Mpi) {
  return std::is_same<Mpi, active>::value;
}

}  // namespace

TEST_CASE("test_mixed_modes_wildcards_and_wide_buffers") {
  check_items(1, [](auto mpi, auto kind, auto &x, auto &y) {
    using K = decltype(kind);
    const ring on;
    const int n = 3;
    const MPI_Datatype type = K::type(mpi);
    std::vector<char> attached(4000);
    MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
    for (const int mode : {0, 1, 2, 3}) {
      // Room for more than comes: the rest stays, derivatives included.
      auto in = some<K>(x, n + 3, 7);
      const auto out = some<K>(x, n, mode);
      MPI_Status status;
      auto q = mpi.null();
      mpi.irecv(static_cast<void *>(in.data()), n + 3, type, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &q);
      mpi.barrier(world);
      const void *from = out.data();
      if (mode == 0) mpi.send(from, n, type, on.right, mode, world);
      if (mode == 1) mpi.bsend(from, n, type, on.right, mode, world);
      if (mode == 2) mpi.ssend(from, n, type, on.right, mode, world);
      if (mode == 3) mpi.rsend(from, n, type, on.right, mode, world);
      mpi.wait(&q, &status);
      CHECK(status.MPI_SOURCE == on.left);
      CHECK(status.MPI_TAG == mode);
      CHECK(count_of(status, type) == n);
      if (is_active(mpi)) CHECK(elements_of(status, type) == n * K::basics);
      put_all<K>(y, in);
      put_all<K>(y, out);
      mpi.barrier(world);
    }
    void *address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
    done_with(type);
  });
}

TEST_CASE("test_mixed_nonblocking_probed_and_freed_types") {
  check_items(2, [](auto mpi, auto kind, auto &x, auto &y) {
    using K = decltype(kind);
    using request = typename decltype(mpi)::request;
    const ring on;
    const int n = 4;
    MPI_Datatype type = K::type(mpi), spread = every_second(type, 2);
    auto a = some<K>(x, n, 3), b = some<K>(x, 2 * n, 5), c = some<K>(x, n, 9), d = some<K>(x, n, 11);
    const auto out = some<K>(x, 2 * n, 0);
    request q[6];
    const void *from = out.data();
    mpi.irecv(static_cast<void *>(a.data()), n, type, on.left, 1, world, &q[0]);
    mpi.irecv(static_cast<void *>(b.data()), 2, spread, on.left, 2, world, &q[1]);
    mpi.isend(from, n, type, on.right, 1, world, &q[2]);
    mpi.issend(from, 2, spread, on.right, 2, world, &q[3]);
    mpi.isend(from, 1, spread, on.right, 3, world, &q[4]);
    mpi.isend(from, n, type, on.right, 4, world, &q[5]);
    MPI_Status status;
    mpi.probe(MPI_ANY_SOURCE, 3, world, &status);
    CHECK(count_of(status, type) == 2);
    CHECK(count_of(status, spread) == 1);
    MPI_Message message;
    mpi.mprobe(on.left, 3, world, &message, MPI_STATUS_IGNORE);
    mpi.mrecv(static_cast<void *>(c.data()), n, type, &message, &status);
    CHECK(count_of(status, type) == 2);
    int found = 0;
    request r = mpi.null();
    while (!found) mpi.improbe(on.left, 4, world, &found, &message, MPI_STATUS_IGNORE);
    mpi.imrecv(static_cast<void *>(d.data()), n, type, &message, &r);
    MPI_Type_free(&spread);
    done_with(type);
    mpi.wait(&r, MPI_STATUS_IGNORE);
    MPI_Status statuses[6];
    mpi.waitall(6, q, statuses);
    put_all<K>(y, a, b, c, d, out);
  });
}

TEST_CASE("test_mixed_exchanges_and_nobody") {
  check_items(3, [](auto mpi, auto kind, auto &x, auto &y) {
    using K = decltype(kind);
    const ring on;
    const int n = 3;
    const MPI_Datatype type = K::type(mpi);
    const auto out = some<K>(x, n, 2);
    auto a = some<K>(x, n, 4), b = some<K>(x, n, 6), c = some<K>(x, n, 8);
    MPI_Status status;
    mpi.sendrecv(static_cast<const void *>(out.data()), n, type, on.right, 0, static_cast<void *>(a.data()), n, type, on.left,
                 0, world, &status);
    CHECK(count_of(status, type) == n);
    mpi.sendrecv_replace(static_cast<void *>(b.data()), n, type, on.left, 1, on.right, 1, world, &status);
    CHECK(count_of(status, type) == n);
    // On a line: the ends have nobody.
    const int below = on.rank == 0 ? MPI_PROC_NULL : on.left, above = on.rank + 1 == on.size ? MPI_PROC_NULL : on.right;
    mpi.sendrecv(static_cast<const void *>(out.data()), n, type, above, 2, static_cast<void *>(c.data()), n, type, below, 2,
                 world, &status);
    CHECK(count_of(status, type) == (on.rank == 0 ? 0 : n));
    done_with(type);
    put_all<K>(y, a, b, c, out);
  });
}

TEST_CASE("test_mixed_persistent_requests") {
  check_items(4, [](auto mpi, auto kind, auto &x, auto &y) {
    using K = decltype(kind);
    using request = typename decltype(mpi)::request;
    const ring on;
    const int n = 2;
    MPI_Datatype type = K::type(mpi);
    std::vector<char> attached(4000);
    MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size()));
    auto out = some<K>(x, n, 2), in = some<K>(x, n + 1, 3), buffered = some<K>(x, n, 4);
    request q[4];
    mpi.recv_init(static_cast<void *>(in.data()), n + 1, type, on.left, 0, world, &q[0]);
    mpi.send_init(static_cast<const void *>(out.data()), n, type, on.right, 0, world, &q[1]);
    mpi.recv_init(static_cast<void *>(buffered.data()), n, type, on.left, 1, world, &q[2]);
    // Open MPI's own sends freed memory from its second start on.
    if (is_active(mpi))
      mpi.bsend_init(static_cast<const void *>(out.data()), n, type, on.right, 1, world, &q[3]);
    else
      mpi.send_init(static_cast<const void *>(out.data()), n, type, on.right, 1, world, &q[3]);
    done_with(type);
    for (int step = 0; step < 3; ++step) {
      mpi.startall(4, q);
      MPI_Status statuses[4];
      mpi.waitall(4, q, statuses);
      put_all<K>(y, in);
      put_all<K>(y, buffered);
      const auto next = some<K>(x, n, 5 + step);
      std::copy(next.begin(), next.end(), out.begin());
    }
    for (request &one : q) mpi.request_free(&one);
    void *address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
  });
}

TEST_CASE("test_mixed_layouts_that_differ_at_the_ends") {
  check_items(5, [](auto mpi, auto kind, auto &x, auto &y) {
    using K = decltype(kind);
    using real = typename decltype(mpi)::real;
    using other = typename K::template other<real>;
    const ring on;
    const int n = 3;
    const MPI_Datatype type = K::type(mpi), back = K::other_type(mpi);
    const auto out = some<K>(x, n, 1);
    std::vector<other> in, all, cast;
    for (int i = 0; i < n; ++i) in.push_back(K::template make<other>(x, i + 4));
    for (int i = 0; i < n * on.size; ++i) all.push_back(K::template make<other>(x, i + 5));
    cast = in;
    mpi.sendrecv(static_cast<const void *>(out.data()), n, type, on.right, 0, static_cast<void *>(in.data()), n, back, on.left,
                 0, world, MPI_STATUS_IGNORE);
    mpi.allgather(static_cast<const void *>(out.data()), n, type, static_cast<void *>(all.data()), n, back, world);
    const int root = on.size / 2;
    // One item of n at the root.
    MPI_Datatype whole;
    MPI_Type_contiguous(n, type, &whole);
    MPI_Type_commit(&whole);
    auto mine = some<K>(x, n, 7);
    if (on.rank == root)
      mpi.bcast(static_cast<void *>(mine.data()), 1, whole, root, world);
    else
      mpi.bcast(static_cast<void *>(cast.data()), n, back, root, world);
    MPI_Type_free(&whole);
    done_with(type);
    if (back != type) done_with(back);
    put_all<K>(y, in);
    put_all<K>(y, all);
    put_all<K>(y, cast);
    put_all<K>(y, mine);
  });
}

TEST_CASE("test_mixed_part_of_an_item") {
  // Two active doubles, and the int that was to follow does not come.
  check_identity(4, 6, [](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    struct item {
      real a, b;
      int n;
    };
    const ring on;
    const MPI_Datatype type =
        structure({2, 1}, {offsetof(item, a), offsetof(item, n)}, {mpi.type(), MPI_INT}, sizeof(item));
    auto y = x;
    for (const int sent : {2, 1}) {
      item in[2] = {{x[2], x[3], 7}, {x[1] * x[0], x[1], 8}};
      MPI_Status status;
      mpi.sendrecv(static_cast<const void *>(x.data()), sent, mpi.type(), on.right, 0, static_cast<void *>(in), 2, type,
                   on.left, 0, world, &status);
      CHECK(count_of(status, type) == MPI_UNDEFINED);
      if (is_active(mpi)) CHECK(elements_of(status, type) == sent);
      for (const item &one : in) {
        y.push_back(one.a * one.b);
        y.push_back(real(static_cast<double>(one.n)));
      }
    }
    done_with(type);
    return y;
  });
}

TEST_CASE("test_mixed_constructors") {
  // Particles by all constructors, there and back: what one sends the other receives.
  using make = MPI_Datatype (*)(MPI_Datatype, MPI_Aint);
  const make all[] = {
      [](MPI_Datatype t, MPI_Aint) {
        MPI_Datatype made;
        MPI_Type_contiguous(2, t, &made);
        return made;
      },
      [](MPI_Datatype t, MPI_Aint) {
        MPI_Datatype made;
        MPI_Type_vector(2, 1, 3, t, &made);
        return made;
      },
      [](MPI_Datatype t, MPI_Aint extent) {
        MPI_Datatype made;
        MPI_Type_create_hvector(2, 1, 2 * extent, t, &made);
        return made;
      },
      [](MPI_Datatype t, MPI_Aint) {
        const int lengths[] = {1, 0, 1}, places[] = {4, 2, 1};
        MPI_Datatype made;
        MPI_Type_indexed(3, lengths, places, t, &made);
        return made;
      },
      [](MPI_Datatype t, MPI_Aint extent) {
        const MPI_Aint places[] = {3 * extent, 0};
        MPI_Datatype made;
        MPI_Type_create_hindexed_block(2, 1, places, t, &made);
        return made;
      },
      [](MPI_Datatype t, MPI_Aint) {
        const int sizes[] = {2, 3}, subsizes[] = {2, 1}, starts[] = {0, 1};
        MPI_Datatype made;
        MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, t, &made);
        return made;
      },
      [](MPI_Datatype t, MPI_Aint extent) {
        const int lengths[] = {1, 1};
        const MPI_Aint places[] = {2 * extent, 0};
        const MPI_Datatype types[] = {t, t};
        MPI_Datatype inner, made;
        MPI_Type_create_struct(2, lengths, places, types, &inner);
        MPI_Type_dup(inner, &made);
        MPI_Type_free(&inner);
        return made;
      },
  };
  unsigned seed = 20;
  for (const make out : all)
    for (const make in : {all[0], all[3], out})
      check_identity(inputs, ++seed, [&](auto mpi, auto &x) {
        const ring on;
        const MPI_Datatype type = particles::type(mpi);
        const auto extent = static_cast<MPI_Aint>(sizeof(particles::item<typename decltype(mpi)::real>));
        MPI_Datatype sent = committed(out(type, extent)), received = committed(in(type, extent));
        const auto from = some<particles>(x, 14, 1);
        auto to = some<particles>(x, 14, 3);
        mpi.sendrecv(static_cast<const void *>(from.data()), 2, sent, on.right, 0, static_cast<void *>(to.data()), 2, received,
                     on.left, 0, world, MPI_STATUS_IGNORE);
        MPI_Type_free(&sent);
        MPI_Type_free(&received);
        done_with(type);
        auto y = x;
        put_all<particles>(y, to);
        return y;
      });
}

TEST_CASE("test_mixed_predefined_pairs_and_addresses") {
  // Predefined types with a gap inside, and addresses in the place of displacements.
  check_identity(4, 50, [](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    struct short_int {
      short s;
      int i;
    };
    struct item {
      short_int a;
      real v;
      struct {
        double d;
        int i;
      } b;
      std::complex<double> z;
    };
    const ring on;
    item out = {{7, 70 + on.rank}, x[0] * x[1], {1.5, 150 + on.rank}, {3.0, 4.0}}, in = {{1, 2}, x[2], {3.0, 4}, {5.0, 6.0}};
    MPI_Aint places[2][4];
    int k = 0;
    for (item *at : {&out, &in}) {
      MPI_Get_address(&at->a, &places[k][0]);
      MPI_Get_address(&at->v, &places[k][1]);
      MPI_Get_address(&at->b, &places[k][2]);
      MPI_Get_address(&at->z, &places[k++][3]);
    }
    const int ones[] = {1, 1, 1, 1};
    const MPI_Datatype types[] = {MPI_SHORT_INT, mpi.type(), MPI_DOUBLE_INT, MPI_C_DOUBLE_COMPLEX};
    MPI_Datatype made[2];
    for (int i = 0; i < 2; ++i) {
      MPI_Type_create_struct(4, ones, places[i], types, &made[i]);
      MPI_Type_commit(&made[i]);
    }
    void *const bottom = MPI_BOTTOM;
    mpi.sendrecv(static_cast<const void *>(bottom), 1, made[0], on.right, 0, bottom, 1, made[1], on.left, 0, world,
                 MPI_STATUS_IGNORE);
    for (MPI_Datatype &type : made) MPI_Type_free(&type);
    CHECK(in.a.s == 7);
    CHECK(in.a.i == 70 + on.left);
    CHECK(in.b.i == 150 + on.left);
    CHECK(in.z.imag() == 4.0);
    return std::vector<real>{in.v * x[3], real(in.b.d)};
  });
}

TEST_CASE("test_mixed_not_recorded") {
  test::begin();
  const ring on;
  const MPI_Datatype type = particles::type(active());
  const std::vector<var> x(inputs, var(0.5 + on.rank));
  const auto out = some<particles>(x, 2, 1);
  auto in = some<particles>(x, 2, 5);
  AMPI_Sendrecv(static_cast<const void *>(out.data()), 2, type, on.right, 0, static_cast<void *>(in.data()), 2, type, on.left,
                0, world, MPI_STATUS_IGNORE);
  CHECK(in[1].cell == 1000 * on.left + 2);
  CHECK(in[1].charge.value == (0.5 + on.left) * (0.5 + on.left));
  CHECK(in[1].charge.id == 0);
  AMPI_Bcast(static_cast<void *>(in.data()), 2, type, on.size - 1, world);
  CHECK(in[0].cell == 1000 * ((2 * on.size - 2) % on.size) + 1);
  CHECK(in[0].x[2].id == 0);
  done_with(type);
}

TEST_CASE("test_mixed_are_checked_across_ranks") {
  test::begin();
  admpi_set_check(1);
  {
    const ring on;
    test::recording_tape tape;
    std::vector<var> x(inputs, var(1.0 + on.rank));
    tape.input(x);
    const MPI_Datatype type = particles::type(active());
    const auto out = some<particles>(x, 3, 1);
    auto in = some<particles>(x, 3, 2), all = some<particles>(x, 3 * on.size, 3);
    AMPI_Sendrecv(static_cast<const void *>(out.data()), 3, type, on.right, 0, static_cast<void *>(in.data()), 3, type,
                  on.left, 0, world, MPI_STATUS_IGNORE);
    AMPI_Allgather(static_cast<const void *>(in.data()), 3, type, static_cast<void *>(all.data()), 3, type, world);
    done_with(type);
    tape.seed(all[1].charge, 1.0);
    CHECK_NOTHROW(tape.reverse());
  }
  admpi_set_check(0);
}

TEST_CASE("test_mixed_in_typed_buffers") {
  // What the C++ layer knows of a buffer's elements fits the datatype of pairs.
  test::begin();
  const ring on;
  test::recording_tape tape;
  var x = 2.0 + on.rank;
  tape.input(x);
  admpi::value_index<var> mine = {x * x, on.rank};
  std::vector<admpi::value_index<var>> all(static_cast<std::size_t>(on.size));
  AMPI_Allgather(&mine, 1, AMPI_ADOUBLE_INT, all.data(), 1, AMPI_ADOUBLE_INT, world);
  for (int rank = 0; rank < on.size; ++rank) {
    CHECK(all[static_cast<std::size_t>(rank)].value.value == (2.0 + rank) * (2.0 + rank));
    CHECK(all[static_cast<std::size_t>(rank)].index == rank);
  }
  if (on.rank == 0)
    for (auto &one : all) tape.seed(one.value, 1.0 + one.index);
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0 * (2.0 + on.rank) * (1.0 + on.rank));
}

TEST_CASE("test_mixed_are_not_summed") {
  test::begin();
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const MPI_Datatype type = particles::type(active());
  const std::vector<var> x(inputs, var(1.0));
  const auto out = some<particles>(x, 1, 0);
  auto in = out;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  const int code =
      AMPI_Allreduce(static_cast<const void *>(out.data()), static_cast<void *>(in.data()), 1, type, MPI_SUM, world);
  CHECK(code != MPI_SUCCESS);
  MPI_Error_string(code, text, &length);
  CHECK(std::string(text).find("AMPI_Allreduce: ") == 0);
  CHECK(std::string(text).find("AMPI_ADOUBLE_INT") != std::string::npos);
  CHECK(std::string(admpi_last_error()).find("AMPI_Op_create") != std::string::npos);
  // A part of the other size on this rank's own side.
  const int counts[] = {1, 1, 1, 1, 1, 1, 1, 1}, displs[] = {0, 0, 0, 0, 0, 0, 0, 0};
  struct item {
    admpi_var v[4];
    int i;
  } pair = {};
  const MPI_Datatype four = structure({4, 1}, {0, offsetof(item, i)}, {AMPI_ADOUBLE, MPI_INT}, sizeof(item));
  CHECK(AMPI_Allgatherv(static_cast<const void *>(&pair), 1, four, static_cast<void *>(in.data()), counts, displs, type,
                        world) != MPI_SUCCESS);
  CHECK(std::string(admpi_last_error()).find("they must agree") != std::string::npos);
  done_with(four);
  done_with(type);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}
