// Items that have passive parts beside active ones: pairs of a value and an index, and the structures of particle
// codes. Both arrive, and the active parts with their derivatives.
#include "harness/identity.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>

using admpi::var;
using test::active;
using test::check_identity;
using test::paired;
using test::rank_of;
using test::ring;
using test::size_of;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::size_t inputs = 12;

int world_size() { return size_of(world); }
int world_rank() { return rank_of(world); }

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

/// A structure's type, with the extent of the structure.
MPI_Datatype structure(const std::vector<int> &lengths, const std::vector<MPI_Aint> &places,
                       const std::vector<MPI_Datatype> &types, std::size_t extent) {
  MPI_Datatype parts, made;
  MPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(), places.data(), types.data(), &parts);
  MPI_Type_create_resized(parts, 0, static_cast<MPI_Aint>(extent), &made);
  MPI_Type_free(&parts);
  return committed(made);
}

void done_with(MPI_Datatype type) {
  if (type != AMPI_ADOUBLE_INT) MPI_Type_free(&type);
}

/// Passive parts before, between and behind the active ones; 47 bytes on the wire, which fill no words.
template <class T>
struct particle {
  char kind;
  T x[3];
  int cell;
  T charge;
  double mass;
  short flags;
};

/// The same parts in another order.
template <class T>
struct particle_backwards {
  short flags;
  double mass;
  T charge;
  int cell;
  T x[3];
  char kind;
};

const std::vector<int> particle_lengths = {1, 3, 1, 1, 1, 1};
#define PARTICLE_PLACES(type)                                                                            \
  {                                                                                                      \
    offsetof(type, kind), offsetof(type, x), offsetof(type, cell), offsetof(type, charge), offsetof(type, mass), \
        offsetof(type, flags)                                                                            \
  }

struct particles {
  static constexpr int basics = 8;
  template <class T>
  using item = particle<T>;
  template <class T>
  using other = particle_backwards<T>;

  template <class Mpi>
  static MPI_Datatype type(Mpi mpi) {
    using p = item<typename Mpi::real>;
    return structure(particle_lengths, PARTICLE_PLACES(p),
                     {MPI_CHAR, mpi.type(), MPI_INT, mpi.type(), MPI_DOUBLE, MPI_SHORT}, sizeof(p));
  }
  /// Of `other`, with the parts in the same order on the wire.
  template <class Mpi>
  static MPI_Datatype other_type(Mpi mpi) {
    using p = other<typename Mpi::real>;
    return structure(particle_lengths, PARTICLE_PLACES(p),
                     {MPI_CHAR, mpi.type(), MPI_INT, mpi.type(), MPI_DOUBLE, MPI_SHORT}, sizeof(p));
  }
  template <class Item, class T>
  static Item make(const std::vector<T> &x, int i) {
    const auto at = static_cast<std::size_t>(i);
    Item p;
    std::memset(static_cast<void *>(&p), 0x55, sizeof p);
    for (int d = 0; d < 3; ++d) p.x[d] = sin(x[(at + d) % x.size()]) * x[(3 * at + d + 1) % x.size()];
    p.charge = x[(at + 5) % x.size()] * x[at % x.size()];
    p.kind = static_cast<char>('a' + (i + world_rank()) % 26);
    p.cell = 1000 * world_rank() + i;
    p.mass = 0.5 + i + 0.125 * world_rank();
    p.flags = static_cast<short>(-i);
    return p;
  }
  template <class Item, class T>
  static void put(std::vector<T> &y, const Item &p) {
    for (int d = 0; d < 3; ++d) y.push_back(p.x[d] * p.charge);
    y.push_back(sin(p.charge));
    y.push_back(T(static_cast<double>(p.kind) + 256.0 * p.cell));
    y.push_back(T(p.mass + 1024.0 * p.flags));
  }
};

/// A value and its index, as MINLOC reduces them.
template <class T>
struct located {
  T value;
  int index;
};

struct pairs {
  static constexpr int basics = 2;
  template <class T>
  using item = located<T>;
  template <class T>
  using other = located<T>;

  static MPI_Datatype type(active) { return AMPI_ADOUBLE_INT; }
  static MPI_Datatype type(paired mpi) {
    using p = item<test::pair>;
    return structure({1, 1}, {offsetof(p, value), offsetof(p, index)}, {mpi.type(), MPI_INT}, sizeof(p));
  }
  template <class Mpi>
  static MPI_Datatype other_type(Mpi mpi) {
    return type(mpi);
  }
  template <class Item, class T>
  static Item make(const std::vector<T> &x, int i) {
    const auto at = static_cast<std::size_t>(i);
    Item p;
    std::memset(static_cast<void *>(&p), 0x55, sizeof p);
    p.value = sin(x[at % x.size()]) * x[(at + 1) % x.size()];
    p.index = 100 * world_rank() + i;
    return p;
  }
  template <class Item, class T>
  static void put(std::vector<T> &y, const Item &p) {
    y.push_back(p.value * p.value);
    y.push_back(T(static_cast<double>(p.index)));
  }
};

template <class Kind, class T>
std::vector<typename Kind::template item<T>> some(const std::vector<T> &x, int n, int shift = 0) {
  std::vector<typename Kind::template item<T>> items;
  // One more, so that the address of none is an address.
  for (int i = 0; i <= n; ++i) items.push_back(Kind::template make<typename Kind::template item<T>>(x, i + shift));
  return items;
}

template <class Kind, class T, class... Items>
void put_all(std::vector<T> &y, const std::vector<Items> &...lists) {
  const auto put = [&y](const auto &items) {
    for (const auto &item : items) Kind::put(y, item);
  };
  (put(lists), ...);
}

/// Runs `program(mpi, kind, x, y)`, which appends its outputs to y, for both kinds of items.
template <class Program>
void check_items(unsigned seed, const Program &program) {
  check_identity(inputs, seed, [&](auto mpi, auto &x) {
    std::decay_t<decltype(x)> y;
    program(mpi, particles(), x, y);
    program(mpi, pairs(), x, y);
    return y;
  });
}

/// The blocking call, or the nonblocking one with its completion.
#define CALL(mpi, nonblocking, name, ...)    \
  do {                                       \
    if (nonblocking) {                       \
      auto request = mpi.null();             \
      mpi.i##name(__VA_ARGS__, &request);    \
      mpi.wait(&request, MPI_STATUS_IGNORE); \
    } else {                                 \
      mpi.name(__VA_ARGS__);                 \
    }                                        \
  } while (0)

/// An item with room for another one behind it: `n` of them.
MPI_Datatype every_second(MPI_Datatype item, int n) {
  MPI_Datatype made;
  MPI_Type_vector(n, 1, 2, item, &made);
  return committed(made);
}

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

const int no_items = 0;
const void *const in_place = MPI_IN_PLACE;

}  // namespace

// MPI_IN_PLACE on the side that is written.
#define IN_PLACE_TO static_cast<void *>(const_cast<void *>(in_place))

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

TEST_CASE("test_mixed_bcast_gather_scatter") {
  for (const bool nonblocking : {false, true})
    check_items(7, [&](auto mpi, auto kind, auto &x, auto &y) {
      using K = decltype(kind);
      const int rank = world_rank(), size = world_size();
      MPI_Datatype type = K::type(mpi), spread = every_second(type, 2);
      for (const int root : {0, size - 1})
        for (const int n : {0, 3}) {
          auto all = some<K>(x, n, 1);
          CALL(mpi, nonblocking, bcast, static_cast<void *>(all.data()), n, type, root, world);
          put_all<K>(y, all);
          const auto out = some<K>(x, 2 * n * size, 2);
          auto in = some<K>(x, 4 * n * size, 3), part = some<K>(x, 2 * n, 4);
          // Two items by one of a type with a gap between them.
          CALL(mpi, nonblocking, gather, static_cast<const void *>(out.data()), 2 * n, type, static_cast<void *>(in.data()), n,
               spread, root, world);
          CALL(mpi, nonblocking, scatter, static_cast<const void *>(out.data()), 2 * n, type, static_cast<void *>(part.data()),
               2 * n, type, root, world);
          put_all<K>(y, in);
          put_all<K>(y, part);
          auto own = some<K>(x, n * size, 5), here = some<K>(x, n * size, 6);
          if (rank == root) {
            CALL(mpi, nonblocking, gather, in_place, 0, MPI_DATATYPE_NULL, static_cast<void *>(own.data()), n, type, root,
                 world);
            CALL(mpi, nonblocking, scatter, static_cast<const void *>(here.data()), n, type, IN_PLACE_TO, 0,
                 MPI_DATATYPE_NULL, root, world);
          } else {
            CALL(mpi, nonblocking, gather, static_cast<const void *>(own.data()), n, type, static_cast<void *>(nullptr), 0,
                 MPI_DATATYPE_NULL, root, world);
            CALL(mpi, nonblocking, scatter, static_cast<const void *>(nullptr), 0, MPI_DATATYPE_NULL,
                 static_cast<void *>(here.data()), n, type, root, world);
          }
          put_all<K>(y, own);
          put_all<K>(y, here);
        }
      MPI_Type_free(&spread);
      done_with(type);
    });
}

namespace {

/// Items of each rank, none on some, and where they lie: last rank first, with room between them.
struct lots {
  std::vector<int> counts, displs;
  /// MPICH's Allgatherv of one rank, which the library is compared with, ignores the displacement.
  int room = world_size() > 1 ? 1 : 0;

  lots(const std::vector<int> &of_ranks) : counts(of_ranks), displs(of_ranks.size()) {
    for (std::size_t rank = counts.size(); rank-- > 0;) {
      displs[rank] = room;
      room += counts[rank] + 1;
    }
  }
};

lots of_all() {
  std::vector<int> counts;
  for (int rank = 0; rank < world_size(); ++rank) counts.push_back((2 * rank + 3) % 4);
  return counts;
}

lots between(bool sent, bool symmetric) {
  std::vector<int> counts;
  for (int other = 0, me = world_rank(); other < world_size(); ++other)
    counts.push_back(symmetric ? (me + other) % 3 : sent ? (2 * me + other) % 3 : (2 * other + me) % 3);
  return counts;
}

}  // namespace

TEST_CASE("test_mixed_gatherv_scatterv_allgather") {
  for (const bool nonblocking : {false, true})
    check_items(8, [&](auto mpi, auto kind, auto &x, auto &y) {
      using K = decltype(kind);
      const int rank = world_rank(), size = world_size(), root = size / 2, n = 2;
      const MPI_Datatype type = K::type(mpi);
      const lots all = of_all();
      const int mine = all.counts[static_cast<std::size_t>(rank)];
      const auto out = some<K>(x, all.room, 1);
      auto gathered = some<K>(x, all.room, 2), part = some<K>(x, mine, 3), whole = some<K>(x, all.room, 4);
      CALL(mpi, nonblocking, gatherv, static_cast<const void *>(out.data()), mine, type, static_cast<void *>(gathered.data()),
           all.counts.data(), all.displs.data(), type, root, world);
      CALL(mpi, nonblocking, scatterv, static_cast<const void *>(out.data()), all.counts.data(), all.displs.data(), type,
           static_cast<void *>(part.data()), mine, type, root, world);
      CALL(mpi, nonblocking, allgatherv, static_cast<const void *>(out.data()), mine, type, static_cast<void *>(whole.data()),
           all.counts.data(), all.displs.data(), type, world);
      auto kept = some<K>(x, all.room, 5);
      CALL(mpi, nonblocking, allgatherv, in_place, 0, MPI_DATATYPE_NULL, static_cast<void *>(kept.data()), all.counts.data(),
           all.displs.data(), type, world);
      auto each = some<K>(x, n * size, 6), own = some<K>(x, n * size, 7);
      CALL(mpi, nonblocking, allgather, static_cast<const void *>(out.data()), n, type, static_cast<void *>(each.data()), n,
           type, world);
      CALL(mpi, nonblocking, allgather, in_place, 0, MPI_DATATYPE_NULL, static_cast<void *>(own.data()), n, type, world);
      done_with(type);
      put_all<K>(y, gathered, part, whole, kept, each, own, out);
    });
}

TEST_CASE("test_mixed_alltoall") {
  for (const bool nonblocking : {false, true})
    check_items(9, [&](auto mpi, auto kind, auto &x, auto &y) {
      using K = decltype(kind);
      const int size = world_size(), n = 3;
      const MPI_Datatype type = K::type(mpi);
      const auto out = some<K>(x, n * size, 1);
      auto each = some<K>(x, n * size, 2), swapped = some<K>(x, n * size, 3);
      CALL(mpi, nonblocking, alltoall, static_cast<const void *>(out.data()), n, type, static_cast<void *>(each.data()), n,
           type, world);
      CALL(mpi, nonblocking, alltoall, in_place, 0, MPI_DATATYPE_NULL, static_cast<void *>(swapped.data()), n, type, world);
      const lots sent = between(true, false), received = between(false, false), alike = between(true, true);
      const auto from = some<K>(x, sent.room, 4);
      auto to = some<K>(x, received.room, 5), turned = some<K>(x, alike.room, 6), by_types = some<K>(x, received.room, 7);
      CALL(mpi, nonblocking, alltoallv, static_cast<const void *>(from.data()), sent.counts.data(), sent.displs.data(), type,
           static_cast<void *>(to.data()), received.counts.data(), received.displs.data(), type, world);
      CALL(mpi, nonblocking, alltoallv, in_place, &no_items, &no_items, MPI_DATATYPE_NULL, static_cast<void *>(turned.data()),
           alike.counts.data(), alike.displs.data(), type, world);
      // A part without items may have any type.
      lots sent_bytes = sent, received_bytes = received;
      std::vector<MPI_Datatype> sendtypes, recvtypes;
      for (std::size_t r = 0; r < sent.counts.size(); ++r) {
        sent_bytes.displs[r] *= static_cast<int>(sizeof(from[0]));
        received_bytes.displs[r] *= static_cast<int>(sizeof(from[0]));
        sendtypes.push_back(sent.counts[r] == 0 ? MPI_INT : type);
        recvtypes.push_back(received.counts[r] == 0 ? MPI_CHAR : type);
      }
      CALL(mpi, nonblocking, alltoallw, static_cast<const void *>(from.data()), sent_bytes.counts.data(),
           sent_bytes.displs.data(), sendtypes.data(), static_cast<void *>(by_types.data()), received_bytes.counts.data(),
           received_bytes.displs.data(), recvtypes.data(), world);
      done_with(type);
      put_all<K>(y, each, swapped, to, turned, by_types, out, from);
    });
}

TEST_CASE("test_mixed_neighbours") {
  // Each rank sends to the next and to itself, twice: the parts may arrive in any slots of the two.
  for (const bool nonblocking : {false, true})
    check_items(10, [&](auto mpi, auto kind, auto &x, auto &y) {
      using K = decltype(kind);
      const ring on;
      const int n = 2;
      const MPI_Datatype type = K::type(mpi);
      const int sources[] = {on.left, on.rank}, destinations[] = {on.right, on.rank};
      const int ones[] = {1, 1};
      MPI_Comm graph, cart;
      mpi.dist_graph_create_adjacent(world, 2, sources, ones, 2, destinations, ones, MPI_INFO_NULL, 0, &graph);
      const int dims[] = {on.size}, periods[] = {0};
      mpi.cart_create(world, 1, dims, periods, 0, &cart);
      const auto out = some<K>(x, 3 * n, 1);
      for (const MPI_Comm comm : {graph, cart}) {
        auto a = some<K>(x, 2 * n, 2), b = some<K>(x, 2 * n, 3), c = some<K>(x, 4 * n, 4), d = some<K>(x, 3 * n + 3, 5);
        CALL(mpi, nonblocking, neighbor_allgather, static_cast<const void *>(out.data()), n, type,
             static_cast<void *>(a.data()), n, type, comm);
        CALL(mpi, nonblocking, neighbor_alltoall, static_cast<const void *>(out.data()), n, type, static_cast<void *>(b.data()),
             n, type, comm);
        const int even[] = {n, n}, backwards[] = {2 * n, 0};
        CALL(mpi, nonblocking, neighbor_allgatherv, static_cast<const void *>(out.data()), n, type,
             static_cast<void *>(c.data()), even, backwards, type, comm);
        // On the line all edges carry as much both ways.
        const int uneven[] = {n, n + 1}, places[] = {0, n};
        const int *const counts = comm == graph ? uneven : even;
        const int from[] = {n + 2, 0};
        CALL(mpi, nonblocking, neighbor_alltoallv, static_cast<const void *>(out.data()), counts, places, type,
             static_cast<void *>(d.data()), counts, from, type, comm);
        put_all<K>(y, a, b, c, d);
      }
      mpi.comm_free(&graph);
      mpi.comm_free(&cart);
      done_with(type);
    });
}

namespace {

/// What one rank has for another in a call with a datatype for each part: values with a derivative, or numbers alone.
template <class T>
struct parcel {
  T x[2];
  int cells[4];
  double weights[3];
};

enum class content { active, cells, weights };

/// The parts of a call: counts, types and places of what lies in an array of parcels.
struct typed {
  std::vector<int> counts, displs;
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> types;

  /// `cells`: two of them, with or without gaps between.
  template <class Real>
  void add(content what, MPI_Datatype real, MPI_Datatype cells, int n_cells) {
    using p = parcel<Real>;
    const auto at = static_cast<MPI_Aint>(counts.size() * sizeof(p));
    switch (what) {
      case content::active: add(2, real, at + static_cast<MPI_Aint>(offsetof(p, x))); break;
      case content::cells: add(n_cells, cells, at + static_cast<MPI_Aint>(offsetof(p, cells))); break;
      case content::weights: add(3, MPI_DOUBLE, at + static_cast<MPI_Aint>(offsetof(p, weights))); break;
    }
  }

 private:
  void add(int count, MPI_Datatype type, MPI_Aint place) {
    counts.push_back(count);
    types.push_back(type);
    places.push_back(place);
    displs.push_back(static_cast<int>(place));
  }
};

template <class T>
std::vector<parcel<T>> parcels(const std::vector<T> &x, int n, int seed) {
  std::vector<parcel<T>> made(static_cast<std::size_t>(n));
  for (std::size_t r = 0; r < made.size(); ++r) {
    const std::size_t at = r + static_cast<std::size_t>(seed);
    for (std::size_t i = 0; i < 2; ++i) made[r].x[i] = sin(x[(at + i) % x.size()]) * x[(3 * at + i) % x.size()];
    for (int i = 0; i < 4; ++i) made[r].cells[i] = 1000 * world_rank() + 10 * static_cast<int>(at) + i;
    for (int i = 0; i < 3; ++i) made[r].weights[i] = 0.5 * world_rank() + 0.125 * static_cast<double>(at) + i;
  }
  return made;
}

template <class T>
void put_parcels(std::vector<T> &y, const std::vector<parcel<T>> &all) {
  for (const parcel<T> &p : all) {
    for (const T &x : p.x) y.push_back(x * x);
    for (const int cell : p.cells) y.push_back(T(static_cast<double>(cell)));
    for (const double weight : p.weights) y.push_back(T(weight));
  }
}

/// Two of every second.
MPI_Datatype gapped_cells() {
  MPI_Datatype made;
  MPI_Type_vector(2, 1, 2, MPI_INT, &made);
  return committed(made);
}

/// Both ends of a neighbourhood call by messages: MPICH 4.0 loses parts of its own call.
void neighbor_alltoallw(paired, bool, const void *out, const typed &sent, const std::vector<int> &to, void *in,
                        const typed &received, const std::vector<int> &from, MPI_Comm comm) {
  std::vector<MPI_Request> requests(from.size() + to.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    MPI_Irecv(static_cast<char *>(in) + received.places[i], received.counts[i], received.types[i], from[i], 0, comm,
              &requests[i]);
  for (std::size_t i = 0; i < to.size(); ++i)
    MPI_Isend(static_cast<const char *>(out) + sent.places[i], sent.counts[i], sent.types[i], to[i], 0, comm,
              &requests[from.size() + i]);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void neighbor_alltoallw(active mpi, bool nonblocking, const void *out, const typed &sent, const std::vector<int> &, void *in,
                        const typed &received, const std::vector<int> &, MPI_Comm comm) {
  CALL(mpi, nonblocking, neighbor_alltoallw, out, sent.counts.data(), sent.places.data(), sent.types.data(), in,
       received.counts.data(), received.places.data(), received.types.data(), comm);
}

}  // namespace

TEST_CASE("test_mixed_alltoall_types_of_parts") {
  for (const bool nonblocking : {false, true})
    check_identity(inputs, 11, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      const int rank = world_rank(), size = world_size();
      MPI_Datatype gapped = gapped_cells();
      typed sent, received, both;
      for (int r = 0; r < size; ++r) {
        const auto what = static_cast<content>((rank + r) % 3);
        sent.add<real>(what, mpi.type(), gapped, 1);
        received.add<real>(what, mpi.type(), MPI_INT, 2);
        both.add<real>(what, mpi.type(), gapped, 1);
      }
      // A rank tells by one of its types that the call is active.
      const auto own = static_cast<std::size_t>(rank);
      if (2 * rank % 3 != 0)
        for (typed *parts : {&sent, &received, &both}) {
          parts->counts[own] = 0;
          parts->types[own] = mpi.type();
        }
      const auto out = parcels(x, size, 1);
      auto in = parcels(x, size, 2), swapped = parcels(x, size, 3);
      CALL(mpi, nonblocking, alltoallw, static_cast<const void *>(out.data()), sent.counts.data(), sent.displs.data(),
           sent.types.data(), static_cast<void *>(in.data()), received.counts.data(), received.displs.data(),
           received.types.data(), world);
      // Both MPIs fail to do this without blocking.
      const bool waits = std::is_same<decltype(mpi), paired>::value;
      CALL(mpi, nonblocking && !waits, alltoallw, in_place, &no_items, &no_items, both.types.data(),
           static_cast<void *>(swapped.data()), both.counts.data(), both.displs.data(), both.types.data(), world);
      MPI_Type_free(&gapped);
      std::vector<real> y;
      put_parcels(y, in);
      put_parcels(y, swapped);
      put_parcels(y, out);
      return y;
    });
}

TEST_CASE("test_mixed_neighbours_types_of_parts") {
  for (const bool nonblocking : {false, true})
    check_identity(inputs, 12, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      const ring on;
      // To the next, and from those of even ranks values with a derivative; and to itself.
      std::vector<int> from, to;
      if (on.size > 1) {
        from.push_back(on.left);
        to.push_back(on.right);
      }
      from.push_back(on.rank);
      to.push_back(on.rank);
      const std::vector<int> ones(2, 1);
      MPI_Comm graph;
      const int degree = static_cast<int>(from.size());
      mpi.dist_graph_create_adjacent(world, degree, from.data(), ones.data(), degree, to.data(), ones.data(), MPI_INFO_NULL, 0,
                                     &graph);
      MPI_Datatype gapped = gapped_cells();
      const auto of = [](int rank) { return rank % 2 == 0 ? content::active : content::cells; };
      typed sent, received;
      if (on.size > 1) {
        sent.add<real>(of(on.rank), mpi.type(), MPI_INT, 2);
        received.add<real>(of(on.left), mpi.type(), gapped, 1);
      }
      const auto own = on.size > 1 && on.rank % 2 == 0 ? content::weights : content::active;
      sent.add<real>(own, mpi.type(), MPI_INT, 2);
      received.add<real>(own, mpi.type(), gapped, 1);
      const auto out = parcels(x, 2, 1);
      auto in = parcels(x, 2, 2);
      neighbor_alltoallw(mpi, nonblocking, out.data(), sent, to, in.data(), received, from, graph);
      MPI_Type_free(&gapped);
      mpi.comm_free(&graph);
      std::vector<real> y;
      put_parcels(y, in);
      put_parcels(y, out);
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
    admpi::tape tape;
    tape.start();
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
  admpi::tape tape;
  tape.start();
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
