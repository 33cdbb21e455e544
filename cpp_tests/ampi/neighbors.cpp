// Neighbourhood collectives on Cartesian, graph and distributed-graph communicators: rings and tori of every size,
// open ends, ranks that are neighbours twice or of themselves, ranks without sources or destinations.
#include "harness/identity.hpp"

#include <algorithm>
#include <string>

using admpi::var;
using test::check_identity;
using test::gapped;
using test::op;
using test::outcome;
using test::rank;
using test::size_of;
using test::spread;
using test::world;

namespace {

int ranks() { return size_of(world); }

constexpr std::size_t inputs = 20;

enum class shape { ring, line, thin_torus, band, double_ring, star, directed, chain, islands };
const shape shapes[] = {shape::ring, shape::line,     shape::thin_torus, shape::band,   shape::double_ring,
                        shape::star, shape::directed, shape::chain,      shape::islands};

/// How often `from` sends to `to` in the directed graph.
int edges_between(int from, int to) { return (5 * from + 3 * to + from * to) % 7 % 3; }

/// A communicator with its neighbours, in the order of their slots.
struct topology {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources, destinations;
};

template <class M>
topology make(M mpi, shape which) {
  topology t;
  const int size = ranks(), me = rank();
  const auto cart = [&](std::vector<int> dims, std::vector<int> periods) {
    const int n = static_cast<int>(dims.size());
    mpi.cart_create(world, n, dims.data(), periods.data(), 0, &t.comm);
    for (int d = 0; d < n; ++d) {
      int lower, upper;
      MPI_Cart_shift(t.comm, d, 1, &lower, &upper);
      t.sources.push_back(lower);
      t.sources.push_back(upper);
    }
    t.destinations = t.sources;
  };
  // `neighbours(r)`, alike in both directions.
  const auto graph = [&](auto &&neighbours) {
    std::vector<int> index, edges;
    for (int r = 0; r < size; ++r) {
      const std::vector<int> own = neighbours(r);
      edges.insert(edges.end(), own.begin(), own.end());
      index.push_back(static_cast<int>(edges.size()));
    }
    mpi.graph_create(world, size, index.data(), edges.data(), 0, &t.comm);
    t.sources = t.destinations = neighbours(me);
  };
  // `count(from, to)` edges.
  const auto dist_graph = [&](auto &&count) {
    for (int i = 0; i < size; ++i) {
      // Each rank has its slots in an order of its own.
      const int from = (i + me) % size, to = (2 * size - 1 - i + me) % size;
      for (int k = count(from, me); k > 0; --k) t.sources.push_back(from);
      for (int k = count(me, to); k > 0; --k) t.destinations.push_back(to);
    }
    // No array at all would be MPI_UNWEIGHTED in MPICH's eyes.
    std::vector<int> in = t.sources, out = t.destinations;
    in.push_back(0);
    out.push_back(0);
    mpi.dist_graph_create_adjacent(world, static_cast<int>(t.sources.size()), in.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(t.destinations.size()), out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &t.comm);
  };
  switch (which) {
    case shape::ring: cart({size}, {1}); break;
    case shape::line: cart({size}, {0}); break;
    case shape::thin_torus: cart({1, size}, {1, 1}); break;
    case shape::band:
      if (size % 2 == 0) cart({2, size / 2}, {1, 0});
      else cart({size, 1}, {0, 1});
      break;
    case shape::double_ring:
      graph([&](int r) {
        const int right = (r + 1) % size, left = (r + size - 1) % size;
        return std::vector<int>{left, right, right, left};
      });
      break;
    case shape::star:
      graph([&](int r) {
        std::vector<int> own;
        for (int i = 1; i < size; ++i) own.push_back(r == 0 ? i : 0);
        if (r != 0) own.resize(1);
        own.push_back(r);
        return own;
      });
      break;
    case shape::directed: dist_graph(edges_between); break;
    case shape::chain: dist_graph([](int from, int to) { return to == from + 1 ? 1 : 0; }); break;
    case shape::islands:
      dist_graph([](int from, int to) { return from % 2 == 0 && to % 2 == 0 ? 1 + (from == to) : 0; });
      break;
  }
  return t;
}

/// How the parts of the neighbours lie in a buffer.
struct parts {
  std::vector<int> counts, displs;
  int room = 1;

  /// Backwards with gaps, or where only reading allows it, one over the other.
  parts(std::vector<int> counts_, bool overlapping) : counts(std::move(counts_)), displs(counts.size()) {
    // No neighbours are no reason for NULL, which Open MPI refuses.
    counts.reserve(1);
    displs.reserve(1);
    int at = 0;
    for (std::size_t i = counts.size(); i-- > 0;) {
      displs[i] = at;
      room = std::max(room, at + counts[i] + 1);
      at += overlapping ? 1 : counts[i] + 1;
    }
  }
};

int count_between(int from, int to) { return (2 * from + 3 * to + 1) % 4; }

/// The counts of the edges at this rank; what goes nowhere has a count too.
std::vector<int> counts_of(const std::vector<int> &neighbours, bool sent) {
  std::vector<int> counts;
  for (const int r : neighbours) counts.push_back(r < 0 ? 2 : sent ? count_between(rank(), r) : count_between(r, rank()));
  return counts;
}

/// Runs `f(nonblocking, shape)` for all shapes.
template <class F>
void for_shapes(const F &f) {
  for (const bool nonblocking : {false, true})
    for (const shape which : shapes) {
      CAPTURE(nonblocking);
      CAPTURE(static_cast<int>(which));
      f(nonblocking, which);
    }
}

/// Neighbor_alltoallw of a program over pairs, by Neighbor_alltoallv of what it moves: MPICH 4.0 loses parts on
/// directed graphs.
struct packed_parts {
  std::vector<test::pair> data;
  std::vector<int> counts, displs;

  template <class F>
  void each(const std::vector<int> &given, const MPI_Aint *bytes, const MPI_Datatype *types, const F &f) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      int size;
      MPI_Type_size(types[i], &size);
      const int n = given[i] * size / 16;
      displs.push_back(static_cast<int>(data.size()));
      counts.push_back(n);
      data.resize(data.size() + static_cast<std::size_t>(n));
      f(bytes[i], given[i], types[i], displs.back(), n);
    }
    data.emplace_back();
    counts.reserve(1);
    displs.reserve(1);
  }
};

void alltoallw(test::paired mpi, bool nonblocking, const std::vector<test::pair> &out, const std::vector<int> &sendcounts,
               const MPI_Aint *sdispls, const MPI_Datatype *sendtypes, std::vector<test::pair> &in,
               const std::vector<int> &recvcounts, const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm) {
  packed_parts send, receive;
  const MPI_Datatype item = mpi.type();
  send.each(sendcounts, sdispls, sendtypes, [&](MPI_Aint byte, int count, MPI_Datatype type, int at, int n) {
    MPI_Sendrecv(reinterpret_cast<const char *>(out.data()) + byte, count, type, 0, 0, send.data.data() + at, n, item, 0, 0,
                 MPI_COMM_SELF, MPI_STATUS_IGNORE);
  });
  receive.each(recvcounts, rdispls, recvtypes, [](MPI_Aint, int, MPI_Datatype, int, int) {});
  // What no neighbour sends stays.
  const auto unpack = [&](bool back) {
    for (std::size_t i = 0; i < recvcounts.size(); ++i) {
      char *const place = reinterpret_cast<char *>(in.data()) + rdispls[i];
      test::pair *const packed = receive.data.data() + receive.displs[i];
      if (back)
        MPI_Sendrecv(packed, receive.counts[i], item, 0, 0, place, recvcounts[i], recvtypes[i], 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
      else
        MPI_Sendrecv(place, recvcounts[i], recvtypes[i], 0, 0, packed, receive.counts[i], item, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
    }
  };
  unpack(false);
  CALL(mpi, nonblocking, neighbor_alltoallv, send.data.data(), send.counts.data(), send.displs.data(), item,
       receive.data.data(), receive.counts.data(), receive.displs.data(), item, comm);
  unpack(true);
}

void alltoallw(test::active mpi, bool nonblocking, const std::vector<var> &out, const std::vector<int> &sendcounts,
               const MPI_Aint *sdispls, const MPI_Datatype *sendtypes, std::vector<var> &in,
               const std::vector<int> &recvcounts, const MPI_Aint *rdispls, const MPI_Datatype *recvtypes, MPI_Comm comm) {
  CALL(mpi, nonblocking, neighbor_alltoallw, out.data(), sendcounts.data(), sdispls, sendtypes, in.data(), recvcounts.data(),
       rdispls, recvtypes, comm);
}

}  // namespace

TEST_CASE("test_neighbors_allgather") {
  for_shapes([](bool nonblocking, shape which) {
    for (const int n : {0, 2})
      check_identity(inputs, 1, [&](auto mpi, auto &x) {
        topology t = make(mpi, which);
        // Gapped items of two here, single ones at the senders.
        MPI_Datatype type = gapped(mpi.type(), 2);
        const auto out = spread(x, 2 * n + 1, 0.1);
        auto in = spread(x, 5 * n * static_cast<int>(t.sources.size()) + 1, 0.2);
        CALL(mpi, nonblocking, neighbor_allgather, out.data(), 2 * n, mpi.type(), in.data(), n, type, t.comm);
        MPI_Type_free(&type);
        mpi.comm_free(&t.comm);
        return outcome(in, out);
      });
  });
}

TEST_CASE("test_neighbors_allgatherv") {
  for_shapes([](bool nonblocking, shape which) {
    check_identity(inputs, 2, [&](auto mpi, auto &x) {
      topology t = make(mpi, which);
      const auto brings = [](int r) { return r < 0 ? 2 : (3 * r + 2) % 4; };
      std::vector<int> counts;
      for (const int r : t.sources) counts.push_back(brings(r));
      const parts all(counts, false);
      const auto out = spread(x, brings(rank()) + 1, 0.1);
      auto in = spread(x, all.room, 0.2);
      CALL(mpi, nonblocking, neighbor_allgatherv, out.data(), brings(rank()), mpi.type(), in.data(), all.counts.data(),
           all.displs.data(), mpi.type(), t.comm);
      mpi.comm_free(&t.comm);
      return outcome(in, out);
    });
  });
}

TEST_CASE("test_neighbors_alltoall") {
  for_shapes([](bool nonblocking, shape which) {
    for (const int n : {0, 2})
      check_identity(inputs, 3, [&](auto mpi, auto &x) {
        topology t = make(mpi, which);
        MPI_Datatype type = gapped(mpi.type(), 2);
        const auto out = spread(x, 5 * n * static_cast<int>(t.destinations.size()) + 1, 0.1);
        auto in = spread(x, 2 * n * static_cast<int>(t.sources.size()) + 1, 0.2);
        CALL(mpi, nonblocking, neighbor_alltoall, out.data(), n, type, in.data(), 2 * n, mpi.type(), t.comm);
        MPI_Type_free(&type);
        mpi.comm_free(&t.comm);
        return outcome(in, out);
      });
  });
}

TEST_CASE("test_neighbors_alltoallv") {
  for_shapes([](bool nonblocking, shape which) {
    for (const bool overlapping : {false, true})
      check_identity(inputs, 4, [&](auto mpi, auto &x) {
        topology t = make(mpi, which);
        const parts sent(counts_of(t.destinations, true), overlapping), received(counts_of(t.sources, false), false);
        MPI_Datatype type = gapped(mpi.type(), 1);
        const auto out = spread(x, sent.room, 0.1);
        auto in = spread(x, 3 * received.room, 0.2);
        CALL(mpi, nonblocking, neighbor_alltoallv, out.data(), sent.counts.data(), sent.displs.data(), mpi.type(), in.data(),
             received.counts.data(), received.displs.data(), type, t.comm);
        MPI_Type_free(&type);
        mpi.comm_free(&t.comm);
        return outcome(in, out);
      });
  });
}

TEST_CASE("test_neighbors_alltoallw") {
  for_shapes([](bool nonblocking, shape which) {
    check_identity(inputs, 5, [&](auto mpi, auto &x) {
      topology t = make(mpi, which);
      const parts sent(counts_of(t.destinations, true), true), received(counts_of(t.sources, false), false);
      MPI_Datatype type = gapped(mpi.type(), 1);
      // Every second neighbour's items are gapped, on one end only. One more entry than there may be neighbours.
      std::vector<MPI_Datatype> sendtypes(1, type), recvtypes(1, type);
      std::vector<MPI_Aint> sdispls, rdispls;
      for (std::size_t i = 0; i < sent.counts.size(); ++i) {
        sendtypes.insert(sendtypes.end() - 1, i % 2 == 0 ? mpi.type() : type);
        sdispls.push_back(3 * 16 * sent.displs[i]);
      }
      for (std::size_t i = 0; i < received.counts.size(); ++i) {
        recvtypes.insert(recvtypes.end() - 1, i % 2 == 1 ? mpi.type() : type);
        rdispls.push_back(3 * 16 * received.displs[i]);
      }
      sdispls.push_back(0);
      rdispls.push_back(0);
      const auto out = spread(x, 3 * sent.room, 0.1);
      auto in = spread(x, 3 * received.room, 0.2);
      alltoallw(mpi, nonblocking, out, sent.counts, sdispls.data(), sendtypes.data(), in, received.counts, rdispls.data(),
                recvtypes.data(), t.comm);
      MPI_Type_free(&type);
      mpi.comm_free(&t.comm);
      return outcome(in, out);
    });
  });
}

TEST_CASE("test_neighbors_alltoallw_past_a_rank_without_neighbours") {
  // That rank cannot know that the call is active. What follows on the communicator needs calls that MPI has counted alike.
  test::begin();
  if (ranks() < 2) return;
  const int last = ranks() - 1, me = rank(), neighbours = me == last ? 1 : 0;
  for (const std::string form : {"blocking", "nonblocking", "persistent"}) {
    CAPTURE(form);
    MPI_Comm comm;
    AMPI_Dist_graph_create_adjacent(world, neighbours, &last, MPI_UNWEIGHTED, neighbours, &last, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                    &comm);
    test::recording_tape tape;
    var x = 1.0 + me, y = 0.0, sum = 0.0;
    tape.input(x);
    const int count = 1;
    const MPI_Aint place = 0;
    const MPI_Datatype type = AMPI_ADOUBLE;
    AMPI_Request request;
    if (form == "blocking") {
      AMPI_Neighbor_alltoallw(&x, &count, &place, &type, &y, &count, &place, &type, comm);
    } else if (form == "nonblocking") {
      AMPI_Ineighbor_alltoallw(&x, &count, &place, &type, &y, &count, &place, &type, comm, &request);
      AMPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      AMPI_Neighbor_alltoallw_init(&x, &count, &place, &type, &y, &count, &place, &type, comm, MPI_INFO_NULL, &request);
      AMPI_Start(&request);
      AMPI_Wait(&request, MPI_STATUS_IGNORE);
      AMPI_Request_free(&request);
    }
    AMPI_Ireduce(&x, &sum, 1, AMPI_ADOUBLE, MPI_SUM, 0, comm, &request);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    tape.seed(y, 3.0);
    if (me == 0) tape.seed(sum, 2.0);
    tape.reverse();
    CHECK(tape.adjoint(x) == (me == last ? 5.0 : 2.0));
    if (me == 0) CHECK(sum == 0.5 * ranks() * (ranks() + 1));
    AMPI_Comm_free(&comm);
  }
}

TEST_CASE("test_neighbors_several_under_way") {
  // Completed in opposite orders, around a reduction and between messages.
  for (const shape which : shapes) {
    CAPTURE(static_cast<int>(which));
    check_identity(inputs, 6, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      topology t = make(mpi, which);
      const int in = static_cast<int>(t.sources.size()), out = static_cast<int>(t.destinations.size());
      const int right = (rank() + 1) % ranks(), left = (rank() + ranks() - 1) % ranks();
      std::vector<real> y = spread(x, 2 * out + 1, 0.1), a = spread(x, 2 * in + 1, 0.2), b = a, c = a, message = y;
      auto first = mpi.null(), second = mpi.null(), third = mpi.null(), sent = mpi.null();
      mpi.isend(y.data(), 1, mpi.type(), right, 0, t.comm, &sent);
      mpi.ineighbor_alltoall(y.data(), 2, mpi.type(), a.data(), 2, mpi.type(), t.comm, &first);
      mpi.ineighbor_allgather(y.data(), 1, mpi.type(), b.data(), 1, mpi.type(), t.comm, &second);
      real product = x[0];
      mpi.iallreduce(&x[1], &product, 1, mpi.type(), mpi.operation(op::product), t.comm, &third);
      mpi.neighbor_alltoall(y.data(), 1, mpi.type(), c.data(), 1, mpi.type(), t.comm);
      mpi.recv(message.data(), 1, mpi.type(), left, 0, t.comm, MPI_STATUS_IGNORE);
      if (rank() % 2 == 0) {
        mpi.wait(&third, MPI_STATUS_IGNORE);
        mpi.wait(&second, MPI_STATUS_IGNORE);
        mpi.wait(&first, MPI_STATUS_IGNORE);
      } else {
        mpi.wait(&first, MPI_STATUS_IGNORE);
        mpi.wait(&third, MPI_STATUS_IGNORE);
        mpi.wait(&second, MPI_STATUS_IGNORE);
      }
      mpi.wait(&sent, MPI_STATUS_IGNORE);
      mpi.comm_free(&t.comm);
      for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] * b[i] + c[i] * product;
      a.push_back(message[0]);
      return outcome(a, y);
    });
  }
}

TEST_CASE("test_neighbors_and_large_messages") {
  // Isend m; Neighbor; Wait | Neighbor; Recv m, and the message the other way round.
  for (const bool nonblocking : {false, true})
    for (const int n : {1, 20000})
      check_identity(inputs, 7, [&](auto mpi, auto &x) {
        topology t = make(mpi, shape::ring);
        const auto y = spread(x, n, 0.1);
        auto in = spread(x, 2 * n, 0.2), message = y;
        auto sent = mpi.null();
        const int me = rank();
        if (me == 0 && ranks() > 1) mpi.isend(y.data(), n, mpi.type(), 1, 0, t.comm, &sent);
        if (me == 1) mpi.irecv(message.data(), n, mpi.type(), 0, 1, t.comm, &sent);
        CALL(mpi, nonblocking, neighbor_allgather, y.data(), n, mpi.type(), in.data(), n, mpi.type(), t.comm);
        if (me == 1) {
          mpi.recv(in.data(), n, mpi.type(), 0, 0, t.comm, MPI_STATUS_IGNORE);
          mpi.wait(&sent, MPI_STATUS_IGNORE);
        }
        if (me == 0 && ranks() > 1) {
          mpi.wait(&sent, MPI_STATUS_IGNORE);
          mpi.send(in.data(), n, mpi.type(), 1, 1, t.comm);
        }
        mpi.comm_free(&t.comm);
        auto z = x;
        z[0] = in[0] * in[in.size() - 1] + message[message.size() / 2] * x[1];
        return z;
      });
}

TEST_CASE("test_neighbors_sweep_in_parts") {
  // A sweep may end between the completion and the start, and go on.
  for (const shape which : shapes) {
    CAPTURE(static_cast<int>(which));
    test::begin();
    test::recording_tape tape;
    std::vector<var> x(inputs);
    for (std::size_t i = 0; i < inputs; ++i) x[i] = 0.3 + 0.1 * static_cast<double>(i) + 0.7 * rank();
    tape.input(x);
    const admpi_position bottom = tape.position();
    topology t = make(test::active(), which);
    std::vector<var> out = spread(x, 2 * static_cast<int>(t.destinations.size()) + 1, 0.1);
    std::vector<var> in = spread(x, 2 * static_cast<int>(t.sources.size()) + 1, 0.2);
    AMPI_Request q;
    AMPI_Ineighbor_alltoall(out.data(), 2, AMPI_ADOUBLE, in.data(), 2, AMPI_ADOUBLE, t.comm, &q);
    const admpi_position between = tape.position();
    AMPI_Wait(&q, MPI_STATUS_IGNORE);
    AMPI_Comm_free(&t.comm);
    const std::vector<var> y = outcome(in, out);
    const admpi_position top = tape.position();
    std::vector<double> gradients[2];
    for (const bool parts : {false, true}) {
      tape.clear_adjoints();
      for (std::size_t i = 0; i < y.size(); ++i) tape.seed(y[i], 1.0 + static_cast<double>(i));
      // Each rank stops or does not.
      const bool stops = parts && rank() % 2 == 0;
      if (stops) tape.reverse(top, between);
      tape.reverse(stops ? between : top, bottom);
      for (const var &v : x) gradients[parts].push_back(tape.adjoint(v));
    }
    CHECK(gradients[0] == gradients[1]);
  }
}

TEST_CASE("test_neighbors_abandoned_sweep") {
  // Large adjoints are on their way to ranks that never ask for them.
  test::begin();
  const int n = 20000;
  test::recording_tape tape;
  topology t = make(test::active(), shape::ring);
  std::vector<var> x(n, 1.5 + rank()), in(2 * n);
  tape.input(x);
  AMPI_Request q;
  AMPI_Ineighbor_allgather(x.data(), n, AMPI_ADOUBLE, in.data(), n, AMPI_ADOUBLE, t.comm, &q);
  const admpi_position between = tape.position();
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  for (const bool abandoned : {true, false}) {
    tape.clear_adjoints();
    tape.seed(in[0], 2.0);
    tape.seed(in[2 * n - 1], 3.0);
    if (abandoned) {
      tape.reverse(tape.position(), between);
      REQUIRE(admpi_tape_abandon_sweep(tape.handle(), t.comm) == ADMPI_SUCCESS);
    } else {
      tape.reverse();
    }
  }
  CHECK(tape.adjoint(x[0]) == 2.0);
  CHECK(tape.adjoint(x[n - 1]) == 3.0);
  AMPI_Comm_free(&t.comm);
}

TEST_CASE("test_neighbors_errors") {
  test::begin();
  test::recording_tape tape;
  topology t = make(test::active(), shape::ring);
  MPI_Comm_set_errhandler(t.comm, MPI_ERRORS_RETURN);
  std::vector<var> x(4, 1.0), y(4);
  tape.input(x);
  const auto refused = [](int code, const char *reason) {
    CHECK(code != MPI_SUCCESS);
    CHECK(std::string(admpi_last_error()).find(reason) != std::string::npos);
  };
  refused(AMPI_Neighbor_allgather(MPI_IN_PLACE, 1, AMPI_ADOUBLE, y.data(), 1, AMPI_ADOUBLE, t.comm), "sendbuf");
  refused(AMPI_Neighbor_alltoall(x.data(), 1, AMPI_ADOUBLE, MPI_IN_PLACE, 1, AMPI_ADOUBLE, t.comm), "recvbuf");
  std::vector<double> passive(4);
  refused(AMPI_Neighbor_alltoall(x.data(), 1, AMPI_ADOUBLE, passive.data(), 1, MPI_DOUBLE, t.comm), "recvbuf");
  refused(AMPI_Neighbor_allgather(passive.data(), 1, MPI_DOUBLE, y.data(), 1, AMPI_ADOUBLE, t.comm), "sendbuf");
  refused(AMPI_Neighbor_alltoall(x.data(), -1, AMPI_ADOUBLE, y.data(), 1, AMPI_ADOUBLE, t.comm), "count = -1");
  AMPI_Comm_free(&t.comm);
}
