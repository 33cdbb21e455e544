// Collectives on items that have passive parts beside active ones; types that differ from peer to peer.
#include <cstddef>
#include <type_traits>

#include "ampi/mixed.hpp"

using namespace mixed;

using test::size_of;

namespace {

int world_size() { return size_of(world); }

const int no_items = 0;
const void *const in_place = MPI_IN_PLACE;

}  // namespace

// MPI_IN_PLACE on the side that is written.
#define IN_PLACE_TO static_cast<void *>(const_cast<void *>(in_place))

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
