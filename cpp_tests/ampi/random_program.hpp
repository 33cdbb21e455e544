// The random programs of random.cpp. Long: one struct, whose steps share the values, communicators and what is under way.
#ifndef ADMPI_TESTS_AMPI_RANDOM_PROGRAM_HPP
#define ADMPI_TESTS_AMPI_RANDOM_PROGRAM_HPP

#include <admpi.hpp>
#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "harness/random_numbers.hpp"
#include "harness/window.hpp"

namespace random_programs {

using admpi::var;
using admpi::varmat;
using test::random_numbers;

/// Which way receives of a phase name what they wait for: all alike, so that any matching completes them.
enum class naming { exact, any_source, any_tag, any };

constexpr int pool = 25;         // active values of a rank
constexpr int longest = 6;       // doubles of a message, beside its name
constexpr int room = longest + 3;  // what receives have room for

/// How active values lie in a buffer: one after the other, with gaps, last first, or with an int behind each.
struct layout {
  static constexpr int mixed = 3;
  int kind, n;

  int place(int i) const { return kind == 0 ? i : kind == 2 ? n - 1 - i : 2 * i; }
  int count() const { return kind == 2 ? (n > 0 ? 1 : 0) : n; }
  /// The type of its items, to be freed by `free`.
  MPI_Datatype type() const {
    MPI_Datatype made = AMPI_ADOUBLE;
    if (kind == 1) MPI_Type_create_resized(AMPI_ADOUBLE, 0, 32, &made);
    if (kind == 2) {
      std::vector<int> places(static_cast<std::size_t>(n) + 1);
      for (int i = 0; i < n; ++i) places[i] = place(i);
      MPI_Type_create_indexed_block(n, 1, places.data(), AMPI_ADOUBLE, &made);
    }
    if (kind == mixed) {
      const int lengths[] = {1, 1};
      const MPI_Aint places[] = {0, 16};
      const MPI_Datatype types[] = {AMPI_ADOUBLE, MPI_INT};
      MPI_Datatype parts;
      MPI_Type_create_struct(2, lengths, places, types, &parts);
      MPI_Type_create_resized(parts, 0, 32, &made);
      MPI_Type_free(&parts);
    }
    if (kind != 0) MPI_Type_commit(&made);
    return made;
  }
  static void free(MPI_Datatype type) {
    if (type != AMPI_ADOUBLE) MPI_Type_free(&type);
  }
  /// The int behind the ith value, in the place of a value that nobody uses.
  void *beside(var *data, int i) const { return data + place(i) + 1; }
};

constexpr int side = 5;          // rows and columns of a rank's matrix
constexpr int cells = side * side;

/// A rank's active values and their tangents, and those of a matrix, column by column.
struct state {
  std::vector<var> x = std::vector<var>(pool);
  std::vector<double> t = std::vector<double>(pool, 0.0);
  varmat m = varmat(side, side);
  std::vector<double> u = std::vector<double>(cells, 0.0);
};

/// A communicator under test, with the one on which its tangents travel.
struct place {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm shadow = MPI_COMM_NULL;
  int rank = 0, size = 0;
  /// The neighbours, slot by slot, if there is a topology.
  bool has_neighbours = false;
  std::vector<int> sources, destinations;

  void find_neighbours() {
    int topology, n = 0, m = 0;
    MPI_Topo_test(comm, &topology);
    has_neighbours = topology != MPI_UNDEFINED;
    if (topology == MPI_CART) {
      MPI_Cartdim_get(comm, &n);
      for (int d = 0; d < n; ++d) {
        int lower, upper;
        MPI_Cart_shift(comm, d, 1, &lower, &upper);
        sources.insert(sources.end(), {lower, upper});
      }
      destinations = sources;
    } else if (topology == MPI_GRAPH) {
      MPI_Graph_neighbors_count(comm, rank, &n);
      sources.resize(static_cast<std::size_t>(n) + 1);
      MPI_Graph_neighbors(comm, rank, n, sources.data());
      sources.pop_back();
      destinations = sources;
    } else if (topology == MPI_DIST_GRAPH) {
      int weighted;
      MPI_Dist_graph_neighbors_count(comm, &n, &m, &weighted);
      sources.resize(static_cast<std::size_t>(n) + 1);
      destinations.resize(static_cast<std::size_t>(m) + 1);
      MPI_Dist_graph_neighbors(comm, n, sources.data(), MPI_UNWEIGHTED, m, destinations.data(), MPI_UNWEIGHTED);
      sources.pop_back();
      destinations.pop_back();
    }
  }
};

/// A collective under way. What it brings is known; `result` says what is made of it.
struct flight {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<var> out, in;
  std::vector<double> tangent;  // of what arrives in `in`
  AMPI_Request request = AMPI_REQUEST_NULL;
  int first = 0;        // where the result goes
  bool folded = false;  // whether a few sums of all that arrived are the result
};

/// How the parts of a buffer lie in it: counts and displacements, in items that are `stride` doubles apart.
struct lots {
  std::vector<int> counts, displs;
  int stride = 1, room = 1;

  /// Side by side in order, or anywhere: apart, or one over the other.
  lots(std::vector<int> counts_, int stride_, bool in_order, bool overlapping, random_numbers &mine)
      : counts(std::move(counts_)), displs(counts.size()), stride(stride_) {
    counts.reserve(1);
    displs.reserve(1);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < counts.size(); ++i) order.insert(order.begin() + (in_order ? static_cast<int>(i) : mine.below(static_cast<int>(i) + 1)), i);
    int at = 0;
    for (const std::size_t i : order) {
      displs[i] = at;
      room = std::max(room, stride * (at + counts[i]));
      at += overlapping ? mine.below(2) : counts[i] + (in_order ? 0 : mine.below(2));
    }
  }
  MPI_Datatype type(MPI_Datatype item, int bytes) const {
    MPI_Datatype made = item;
    if (stride == 1) return made;
    MPI_Type_create_resized(item, 0, bytes * stride, &made);
    MPI_Type_commit(&made);
    return made;
  }
  static void free(MPI_Datatype type, MPI_Datatype item) {
    if (type != item) MPI_Type_free(&type);
  }
  bool nothing() const {
    for (const int n : counts)
      if (n > 0) return false;
    return !counts.empty();
  }
  /// Instead of `type`, one without elements that names AMPI_ADOUBLE all the same.
  static void empty(MPI_Datatype &type, random_numbers &mine) {
    free(type, AMPI_ADOUBLE);
    const int none[] = {0, 0}, blocks = mine.below(3);
    const MPI_Aint at[] = {0, 8};
    const MPI_Datatype parts[] = {AMPI_ADOUBLE, MPI_INT};
    if (blocks == 0) MPI_Type_contiguous(0, AMPI_ADOUBLE, &type);
    else MPI_Type_create_struct(blocks, none, at, parts, &type);
    MPI_Type_commit(&type);
  }
  /// For calls with a type for each: types and bytes.
  template <class Bytes>
  std::vector<Bytes> bytes(int item) const {
    std::vector<Bytes> all;
    for (const int d : displs) all.push_back(static_cast<Bytes>(d) * item * stride);
    all.push_back(0);
    return all;
  }
  std::vector<MPI_Datatype> types(MPI_Datatype type) const { return std::vector<MPI_Datatype>(counts.size() + 1, type); }
};

struct program {
  random_numbers draw;
  admpi::tape &tape;
  int rank, size;
  state s;
  std::vector<admpi_position> cuts;  // where this rank's sweep may stop and go on
  std::vector<place> places;
  bool recording = true;
  bool takes_locks = true;  // nests do not
  int messages = 0;  // names given so far, the same on all ranks
  std::vector<std::unique_ptr<flight>> flights;

  program(std::uint64_t seed, admpi::tape &tape_, int rank_, int size_) : draw{seed}, tape(tape_), rank(rank_), size(size_) {
    enter(MPI_COMM_WORLD);
    place dup;
    AMPI_Comm_dup(MPI_COMM_WORLD, &dup.comm);
    enter(dup.comm);
    enter(MPI_COMM_SELF);
    splits.push_back(size);
  }

  program(const program &) = delete;
  program &operator=(const program &) = delete;

  ~program() {
    while (!places.empty()) leave(places.size() - 1);
  }

  void enter(MPI_Comm comm) {
    place p;
    p.comm = comm;
    if (comm != MPI_COMM_NULL) {
      MPI_Comm_dup(comm, &p.shadow);
      MPI_Comm_rank(comm, &p.rank);
      MPI_Comm_size(comm, &p.size);
      p.find_neighbours();
    }
    places.push_back(p);
  }

  void leave(std::size_t i) {
    place &p = places[i];
    if (p.comm != MPI_COMM_NULL) {
      // Open MPI 4.1 crashes when a communicator is freed before its nonblocking collectives are complete.
      for (std::size_t k = flights.size(); k-- > 0;)
        if (flights[k]->comm == p.comm) complete(k);
      MPI_Comm_free(&p.shadow);
      if (p.comm != MPI_COMM_WORLD && p.comm != MPI_COMM_SELF) AMPI_Comm_free(&p.comm);
    }
    places.erase(places.begin() + static_cast<std::ptrdiff_t>(i));
  }

  // Local work: the same draws on all ranks, on each rank's own values.
  void compute() {
    for (int k = draw.below(6); k >= 0; --k) {
      const int a = draw.below(pool), b = draw.below(pool), c = draw.below(pool), what = draw.below(5);
      const double f = draw.number() + 0.1 * rank;
      const double va = value(s.x[a]), vb = value(s.x[b]), ta = s.t[a], tb = s.t[b];
      switch (what) {
        case 0: s.x[c] = s.x[a] * s.x[b] + f; s.t[c] = va * tb + vb * ta; break;
        case 1: s.x[c] = sin(s.x[a]) - f * s.x[b]; s.t[c] = std::cos(va) * ta - f * tb; break;
        case 2: s.x[c] = s.x[a]; s.t[c] = ta; break;
        case 3: s.x[c] = f; s.t[c] = 0.0; break;
        default: s.x[c] = 0.5 * (s.x[a] + s.x[b]); s.t[c] = 0.5 * (ta + tb); break;
      }
      if (s.x[c].id == 0) s.t[c] = 0.0;
    }
  }

  /// Passive elements have no tangents.
  void clean() {
    for (int k = 0; k < cells; ++k)
      if (std::as_const(s.m)(k).id == 0) s.u[k] = 0.0;
  }

  // Work on the matrix and its elements, with the same draws on all ranks.
  void matrices() {
    int i = 0, c = 0;
    for (int k = draw.below(5); k >= 0; --k) {
      const int a = draw.below(pool), j = draw.below(side), l = draw.below(side), what = draw.below(8);
      i = draw.below(side);
      c = draw.below(pool);
      const double f = draw.number() + 0.1 * rank, va = value(s.x[a]), ta = s.t[a];
      const std::vector<double> v = s.m.values(), u = s.u;
      switch (what) {
        case 0:
          s.m(i, j) = s.x[a] * f;
          s.u[i + side * j] = f * ta;
          break;
        case 1:
          s.x[c] = s.m(i, j);
          s.t[c] = u[i + side * j];
          break;
        case 2:
          s.m = 0.5 * sin(s.m) + f * s.m;
          for (int e = 0; e < cells; ++e) s.u[e] = (0.5 * std::cos(v[e]) + f) * u[e];
          break;
        case 3:
          // One event of a part and a scalar; the columns may be the same.
          s.m.col(j) = s.m.col(l) * s.x[a] - s.m.col(i);
          for (int e = 0; e < side; ++e) s.u[e + side * j] = u[e + side * l] * va + v[e + side * l] * ta - u[e + side * i];
          break;
        case 4: {
          // Bounded by the sine.
          const varmat product = admpi::multiply(s.m, s.m.transpose());
          const std::vector<double> p = product.values();
          s.m = sin(product);
          for (int e = 0; e < cells; ++e) {
            const int row = e % side, col = e / side;
            double along = 0.0;
            for (int q = 0; q < cells; q += side) along += u[row + q] * v[col + q] + v[row + q] * u[col + q];
            s.u[e] = std::cos(p[e]) * along;
          }
          break;
        }
        case 5:
          s.m.row(i) = s.m.col(j).transpose();
          for (int e = 0; e < side; ++e) s.u[i + side * e] = u[e + side * j];
          break;
        case 6: {
          // A copy, written to, of which parts come back.
          varmat copy = s.m;
          copy(0, 0) = f;
          s.m.block(0, 0, 2, 2) = copy.block(i == 0 ? 0 : 1, 1, 2, 2);
          for (int e = 0; e < 4; ++e) {
            const int from = e % 2 + (i == 0 ? 0 : 1) + side * (e / 2 + 1);
            s.u[e % 2 + side * (e / 2)] = u[from];
          }
          break;
        }
        default: {
          varmat other(side, side, s.x.data());
          std::swap(s.m, other);
          for (int e = 0; e < cells; ++e) s.u[e] = s.t[e];
          break;
        }
      }
      clean();
    }
    s.x[c] = sum(s.m.row(i)) * 0.5;
    s.t[c] = 0.0;
    for (int e = 0; e < cells && s.x[c].id != 0; e += side) s.t[c] += 0.5 * s.u[i + e];
  }

  /// The matrix, or a part of it, to the right or to all.
  void matrix_messages(std::size_t where) {
    const place p = places[where];
    const int size_here = draw_size(where);
    const int what = draw.below(7), i = draw.below(side), j = draw.below(side), root = draw.below(size_here);
    const bool again = draw.chance(30);
    random_numbers mine{draw.next() + static_cast<std::uint64_t>(rank) * 7919u};
    if (p.comm == MPI_COMM_NULL) return;
    const int right = (p.rank + 1) % p.size, left = (p.rank + p.size - 1) % p.size;
    if (what < 4) {
      // As a whole or a column and a row; an array of scalars at one of the ends.
      const bool whole = what != 1;
      const int n = whole ? cells : side;
      varmat got = what == 0 ? varmat(side, side) : s.m;
      std::vector<var> in(cells), out = s.m.vars();
      admpi::view to = whole ? got.all() : got.row(i), from = whole ? s.m.all() : s.m.col(j);
      const bool array_out = what == 2, array_in = what == 3;
      void *const sent = array_out ? static_cast<void *>(out.data()) : whole ? static_cast<void *>(s.m.handle()) : from.handle();
      void *const received = array_in ? static_cast<void *>(in.data()) : whole ? static_cast<void *>(got.handle()) : to.handle();
      const MPI_Datatype matrix = whole ? AMPI_VARMAT : AMPI_VIEW;
      AMPI_Request request[2];
      if (again) {
        AMPI_Recv_init(received, n, array_in ? AMPI_ADOUBLE : matrix, left, 6, p.comm, &request[0]);
        AMPI_Send_init(sent, n, array_out ? AMPI_ADOUBLE : matrix, right, 6, p.comm, &request[1]);
        AMPI_Startall(2, request);
      } else {
        AMPI_Irecv(received, n, array_in ? AMPI_ADOUBLE : matrix, left, 6, p.comm, &request[0]);
        AMPI_Isend(sent, n, array_out ? AMPI_ADOUBLE : matrix, right, 6, p.comm, &request[1]);
      }
      if (mine.chance(50)) local(mine);
      land(mine, 20);
      cut(mine);
      AMPI_Waitall(2, request, MPI_STATUSES_IGNORE);
      for (AMPI_Request &each : request)
        if (each != AMPI_REQUEST_NULL) AMPI_Request_free(&each);
      std::vector<double> tangent_out(n), tangent_in(n);
      for (int e = 0; e < n; ++e) tangent_out[e] = s.u[whole ? e : e + side * j];
      MPI_Sendrecv(tangent_out.data(), n, MPI_DOUBLE, right, 30002, tangent_in.data(), n, MPI_DOUBLE, left, 30002, p.shadow,
                   MPI_STATUS_IGNORE);
      for (int e = 0; e < n; ++e) s.u[whole ? e : i + side * e] = tangent_in[e];
      s.m = array_in ? varmat(side, side, in.data()) : got;
    } else if (what == 4) {
      AMPI_Allreduce(MPI_IN_PLACE, s.m.handle(), cells, AMPI_VARMAT, MPI_SUM, p.comm);
      MPI_Allreduce(MPI_IN_PLACE, s.u.data(), cells, MPI_DOUBLE, MPI_SUM, p.shadow);
    } else if (what == 5) {
      AMPI_Bcast(s.m.handle(), cells, AMPI_VARMAT, root, p.comm);
      MPI_Bcast(s.u.data(), cells, MPI_DOUBLE, root, p.shadow);
    } else {
      // A row of each, side by side as columns.
      varmat all(side, p.size);
      std::vector<double> tangents(static_cast<std::size_t>(side) * p.size), own(side);
      const admpi::view row = s.m.row(i);
      for (int e = 0; e < side; ++e) own[e] = s.u[i + side * e];
      AMPI_Allgather(row.handle(), side, AMPI_VIEW, all.handle(), side, AMPI_VARMAT, p.comm);
      MPI_Allgather(own.data(), side, MPI_DOUBLE, tangents.data(), side, MPI_DOUBLE, p.shadow);
      s.m.col(j) = all.col(root % p.size) + 0.5 * all.col(p.size - 1);
      for (int e = 0; e < side; ++e) s.u[e + side * j] = tangents[e + side * (root % p.size)] + 0.5 * tangents[e + side * (p.size - 1)];
    }
    clean();
  }

  /// The sweep may stop here, on this rank.
  void cut(random_numbers &mine) {
    if (mine.chance(10)) cuts.push_back(tape.position());
  }

  struct message {
    int name, from, to, tag, n, first;  // first: which of the sender's values, and where they go
    int sent_as, received_as;           // kinds of layout
    bool send_again, receive_again;     // by persistent requests
  };

  /// What is sent: some values and, passive, the message's name.
  struct outgoing {
    var data[2 * (longest + 1)];
    layout lies{};
    AMPI_Request request = AMPI_REQUEST_NULL;
    double tangent[longest];
    MPI_Request shadow = MPI_REQUEST_NULL;
  };
  struct incoming {
    var data[2 * room];
    layout lies{};
    AMPI_Request request = AMPI_REQUEST_NULL;
  };

  void fill(outgoing &o, const message &m) {
    o.lies = {m.sent_as, m.n + 1};
    for (int i = 0; i < m.n; ++i) {
      o.data[o.lies.place(i)] = s.x[(m.first + i) % pool];
      o.tangent[i] = s.t[(m.first + i) % pool];
    }
    for (int i = 0; i <= m.n && o.lies.kind == layout::mixed; ++i) {
      const int index = 10 * m.name + i;
      std::memcpy(o.lies.beside(o.data, i), &index, sizeof index);
    }
    o.data[o.lies.place(m.n)] = static_cast<double>(m.name);
  }

  void send_tangent(outgoing &o, const place &p, const message &m) {
    MPI_Isend(o.tangent, m.n, MPI_DOUBLE, m.to, m.name, p.shadow, &o.shadow);
  }

  /// Stores what came, wherever it came from, where its message wants it.
  void store(incoming &in, const place &p, const AMPI_Status &status, const std::vector<message> &all, bool recorded) {
    int n = -1;
    const MPI_Datatype type = in.lies.kind == layout::mixed ? in.lies.type() : AMPI_ADOUBLE;
    AMPI_Get_count(&status, type, &n);
    layout::free(type);
    REQUIRE(n >= 1);
    const int name = static_cast<int>(value(in.data[in.lies.place(n - 1)]));
    const auto m = std::find_if(all.begin(), all.end(), [&](const message &x) { return x.name == name; });
    REQUIRE(m != all.end());
    REQUIRE(m->n == n - 1);
    REQUIRE(m->from == status.MPI_SOURCE);
    REQUIRE(m->tag == status.MPI_TAG);
    double tangent[longest];
    MPI_Recv(tangent, m->n, MPI_DOUBLE, m->from, name, p.shadow, MPI_STATUS_IGNORE);
    for (int i = 0; i < m->n; ++i) {
      const var &x = in.data[in.lies.place(i)];
      REQUIRE((x.id != 0) == recorded);
      s.x[(m->first + 3 + i) % pool] = x;
      s.t[(m->first + 3 + i) % pool] = recorded ? tangent[i] : 0.0;
    }
    for (int i = 0; i < n && in.lies.kind == layout::mixed; ++i) {
      int index = 0;
      std::memcpy(&index, in.lies.beside(in.data, i), sizeof index);
      REQUIRE(index == 10 * name + i);
    }
  }

  template <class T>
  void shuffle(std::vector<T> &v, random_numbers &d) {
    for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[static_cast<std::size_t>(d.below(static_cast<int>(i)))]);
  }

  std::vector<message> draw_messages(int size_here) {
    std::vector<message> all;
    // Any receive may get any of them, so all are.
    const bool mixed = draw.chance(20);
    for (int k = draw.below(3 * size_here + 2); k >= 0; --k) {
      message m;
      m.name = 1 + messages++ % 30000;
      m.from = draw.below(size_here);
      m.to = draw.below(size_here);
      m.tag = draw.below(2);
      m.n = draw.below(longest + 1);
      m.first = draw.below(pool);
      m.sent_as = mixed ? layout::mixed : draw.below(3);
      m.received_as = mixed ? layout::mixed : draw.below(3);
      m.send_again = draw.chance(25);
      m.receive_again = draw.chance(25);
      all.push_back(m);
    }
    return all;
  }

  /// Nonblocking messages: starts in any order, completions in any other, local work between.
  void phase(std::size_t where) {
    const place p = places[where];
    const int size_here = draw_size(where);
    const std::vector<message> all = draw_messages(size_here);
    const naming how = static_cast<naming>(draw.below(4));
    const int completion = draw.below(3);
    // Whether a message is recorded is decided at its start.
    const int toggled = draw.below(8);
    const bool recorded = recording && toggled != 1;
    random_numbers mine{draw.next() + static_cast<std::uint64_t>(rank) * 7919u};
    if (p.comm == MPI_COMM_NULL) return;

    struct start {
      const message *m;
      bool receive;
    };
    std::vector<start> starts;
    std::vector<incoming> in(all.size());
    std::vector<outgoing> out(all.size());
    std::size_t receives = 0, sends = 0;
    for (const message &m : all) {
      if (m.to == p.rank) starts.push_back({&m, true});
      if (m.from == p.rank) starts.push_back({&m, false});
    }
    shuffle(starts, mine);
    if (toggled == 1) tape.stop();
    // A message to oneself may be sent before or after its receive is posted; both are nonblocking.
    for (const start &a : starts) {
      if (a.receive) {
        const int source = how == naming::any_source || how == naming::any ? MPI_ANY_SOURCE : a.m->from;
        const int tag = how == naming::any_tag || how == naming::any ? MPI_ANY_TAG : a.m->tag;
        incoming &i = in[receives++];
        i.lies = {a.m->received_as, room};
        const MPI_Datatype type = i.lies.type();
        if (a.m->receive_again) {
          AMPI_Recv_init(i.data, i.lies.count(), type, source, tag, p.comm, &i.request);
          AMPI_Start(&i.request);
        } else {
          AMPI_Irecv(i.data, i.lies.count(), type, source, tag, p.comm, &i.request);
        }
        layout::free(type);
      } else {
        outgoing &o = out[sends++];
        fill(o, *a.m);
        const MPI_Datatype type = o.lies.type();
        if (a.m->send_again) {
          AMPI_Send_init(o.data, o.lies.count(), type, a.m->to, a.m->tag, p.comm, &o.request);
          AMPI_Start(&o.request);
        } else {
          AMPI_Isend(o.data, o.lies.count(), type, a.m->to, a.m->tag, p.comm, &o.request);
        }
        layout::free(type);
        send_tangent(o, p, *a.m);
      }
      if (mine.chance(20)) local(mine);
      land(mine, 10);
      cut(mine);
    }
    if (toggled == 0) tape.stop();
    if (toggled == 1 && recording) tape.start();
    if (completion == 0) {
      std::vector<AMPI_Request> requests;
      std::vector<std::size_t> index;
      for (std::size_t i = 0; i < receives; ++i) index.push_back(i);
      shuffle(index, mine);
      for (std::size_t i : index) requests.push_back(in[i].request);
      for (std::size_t i = 0; i < sends; ++i) requests.push_back(out[i].request);
      std::vector<MPI_Status> statuses(requests.size() + 1);
      AMPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
      for (AMPI_Request &r : requests)
        if (r != AMPI_REQUEST_NULL) AMPI_Request_free(&r);
      for (std::size_t k = 0; k < index.size(); ++k) store(in[index[k]], p, statuses[k], all, recorded);
    } else {
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < receives + sends; ++i) order.push_back(i);
      if (completion == 2) shuffle(order, mine);
      for (std::size_t i : order) {
        MPI_Status status;
        if (i < receives) {
          AMPI_Wait(&in[i].request, &status);
          store(in[i], p, status, all, recorded);
        } else {
          AMPI_Wait(&out[i - receives].request, mine.chance(50) ? AMPI_STATUS_IGNORE : &status);
        }
        AMPI_Request &done = i < receives ? in[i].request : out[i - receives].request;
        if (done != AMPI_REQUEST_NULL) AMPI_Request_free(&done);
        if (mine.chance(20)) local(mine);
        land(mine, 10);
        cut(mine);
      }
    }
    if (toggled == 0 && recording) tape.start();
    for (std::size_t i = 0; i < sends; ++i) MPI_Wait(&out[i].shadow, MPI_STATUS_IGNORE);
    // A wildcard must not catch a message of the next phase.
    if (how != naming::exact) AMPI_Barrier(p.comm);
  }

  /// Local work of one rank only.
  void local(random_numbers &mine) {
    const int a = mine.below(pool), b = mine.below(pool), c = mine.below(pool);
    const double va = value(s.x[a]), vb = value(s.x[b]), ta = s.t[a], tb = s.t[b];
    s.x[c] = s.x[a] * s.x[b] * 0.7 + cos(s.x[a]);
    s.t[c] = s.x[c].id == 0 ? 0.0 : 0.7 * (va * tb + vb * ta) - std::sin(va) * ta;
  }

  /// Values to the right in blocking calls: Send and Recv, or Sendrecv; open ends are MPI_PROC_NULL.
  void shift(std::size_t where) {
    const place p = places[where];
    const int name = 1 + messages++ % 30000, n = draw.below(longest + 1), first = draw.below(pool), tag = draw.below(3);
    const bool ring = draw.chance(50), combined = draw.chance(50), wild = draw.chance(50), partitioned = draw.chance(30);
    if (p.comm == MPI_COMM_NULL) return;
    const auto at = [&](int r) { return ring ? (r + p.size) % p.size : r < 0 || r >= p.size ? MPI_PROC_NULL : r; };
    const int right = at(p.rank + 1), left = at(p.rank - 1);
    double out[longest], in[longest] = {};
    var data[longest];
    std::vector<var> got(longest);
    std::vector<double> before(longest);
    for (int i = 0; i < longest; ++i) {
      data[i] = s.x[(first + i) % pool];
      out[i] = s.t[(first + i) % pool];
      // What a receive from MPI_PROC_NULL leaves alone keeps its derivative.
      got[i] = s.x[(first + i + 5) % pool];
      in[i] = s.t[(first + i + 5) % pool];
    }
    MPI_Sendrecv(out, n, MPI_DOUBLE, right, name, in, n, MPI_DOUBLE, left, name, p.shadow, MPI_STATUS_IGNORE);
    MPI_Status status;
    if (partitioned) {
      AMPI_Request q[2];
      AMPI_Precv_init(got.data(), 1, longest, AMPI_ADOUBLE, left, tag, p.comm, MPI_INFO_NULL, &q[0]);
      AMPI_Psend_init(data, n, 1, AMPI_ADOUBLE, right, tag, p.comm, MPI_INFO_NULL, &q[1]);
      AMPI_Startall(2, q);
      for (int i = 0; i < n; ++i) AMPI_Pready((i + p.rank) % n, q[1]);
      AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
      for (AMPI_Request &one : q) AMPI_Request_free(&one);
    } else if (combined) {
      AMPI_Sendrecv(data, n, AMPI_ADOUBLE, right, tag, got.data(), longest, AMPI_ADOUBLE, left, tag, p.comm, &status);
    } else if (ring && p.size > 1 && p.rank == 0) {
      AMPI_Recv(got.data(), longest, AMPI_ADOUBLE, wild ? MPI_ANY_SOURCE : left, tag, p.comm, &status);
      AMPI_Send(data, n, AMPI_ADOUBLE, right, tag, p.comm);
    } else if (ring && p.size == 1) {
      AMPI_Request request;
      AMPI_Irecv(got.data(), longest, AMPI_ADOUBLE, left, tag, p.comm, &request);
      AMPI_Send(data, n, AMPI_ADOUBLE, right, tag, p.comm);
      AMPI_Wait(&request, &status);
    } else {
      AMPI_Send(data, n, AMPI_ADOUBLE, right, tag, p.comm);
      AMPI_Recv(got.data(), longest, AMPI_ADOUBLE, wild && left != MPI_PROC_NULL ? MPI_ANY_SOURCE : left, tag, p.comm, &status);
    }
    for (int i = 0; i < longest; ++i) {
      s.x[(first + i + 5) % pool] = got[i];
      s.t[(first + i + 5) % pool] = in[i];
    }
    if (wild) AMPI_Barrier(p.comm);
  }

  /// Values and tangents of all ranks, by plain MPI.
  struct pairs {
    std::vector<double> v, t;
  };
  pairs collect(const place &p, const std::vector<var> &x, const std::vector<double> &t) {
    const int n = static_cast<int>(x.size());
    std::vector<double> v(x.size());
    for (int i = 0; i < n; ++i) v[i] = value(x[i]);
    pairs all{std::vector<double>(x.size() * p.size + 1), std::vector<double>(x.size() * p.size + 1)};
    MPI_Allgather(v.data(), n, MPI_DOUBLE, all.v.data(), n, MPI_DOUBLE, p.shadow);
    MPI_Allgather(t.data(), n, MPI_DOUBLE, all.t.data(), n, MPI_DOUBLE, p.shadow);
    return all;
  }

  /// The tangent of element i of a reduction over the ranks.
  static double reduced_tangent(const pairs &all, int n, int size, int i, MPI_Op op) {
    double sum = 0.0;
    int winner = 0;
    for (int r = 0; r < size; ++r) {
      const double v = all.v[r * n + i], best = all.v[winner * n + i];
      if (op == MPI_MIN ? v < best : v > best) winner = r;
      double factor = 1.0;
      if (op == MPI_PROD)
        for (int q = 0; q < size; ++q)
          if (q != r) factor *= all.v[q * n + i];
      sum += factor * all.t[r * n + i];
    }
    return op == MPI_MIN || op == MPI_MAX ? all.t[winner * n + i] : sum;
  }

  /// An operation of the program's own.
  static void multiply(void *in, void *inout, int *len, MPI_Datatype *) {
    const var *a = static_cast<var *>(in);
    var *b = static_cast<var *>(inout);
    for (int i = 0; i < *len; ++i) b[i] = a[i] * b[i];
  }

  void collective(std::size_t where) {
    const place p = places[where];
    const int size_here = draw_size(where);
    const int what = draw.below(12), n = draw.below(5), first = draw.below(pool), root = draw.below(size_here), kind = draw.below(4);
    const bool in_place = draw.chance(40), ties = draw.chance(30), zeros = draw.chance(30), nonblocking = draw.chance(50);
    if (p.comm == MPI_COMM_NULL) return;
    const bool reduces = what <= 1 || what >= 8, recorded = what == 11;
    const MPI_Op op = kind == 1 || recorded ? MPI_PROD : kind == 0 ? MPI_SUM : kind == 2 ? MPI_MIN : MPI_MAX;
    const bool at_root = p.rank == root;

    std::vector<var> x(n);
    std::vector<double> t(n);
    for (int i = 0; i < n; ++i) {
      x[i] = s.x[(first + i) % pool];
      t[i] = s.t[(first + i) % pool];
      // Equal values that differ in their tangents, and factors that are zero.
      if (ties && reduces) x[i] = x[i] - value(x[i]) + 0.25 * (p.rank % 2);
      if (zeros && reduces) x[i] = x[i] - value(x[i]) + 1.0 * ((p.rank + i) % 3);
    }
    auto started = std::make_unique<flight>();
    started->out = x;
    started->in = x;
    AMPI_Request *const request = &started->request;
    const var *const from = started->out.data();
    var *const to = started->in.data();
    std::vector<var> y(x);
    std::vector<double> u(t);
    const std::size_t whole = static_cast<std::size_t>(n) * p.size;
    const pairs all = what == 3 ? pairs{} : collect(p, x, t);
    const auto reduced_over = [&](int ranks) {
      for (int i = 0; i < n; ++i) u[i] = reduced_tangent(all, n, ranks, i, op);
    };
    const auto reduced = [&] { reduced_over(p.size); };

    switch (what) {
      case 0:
        if (nonblocking) AMPI_Iallreduce(in_place ? MPI_IN_PLACE : from, to, n, AMPI_ADOUBLE, op, p.comm, request);
        else if (in_place) AMPI_Allreduce(MPI_IN_PLACE, y.data(), n, AMPI_ADOUBLE, op, p.comm);
        else AMPI_Allreduce(x.data(), y.data(), n, AMPI_ADOUBLE, op, p.comm);
        reduced();
        break;
      case 1:
        if (nonblocking) AMPI_Ireduce(in_place && at_root ? MPI_IN_PLACE : from, at_root ? to : nullptr, n, AMPI_ADOUBLE, op, root, p.comm, request);
        else if (in_place && at_root) AMPI_Reduce(MPI_IN_PLACE, y.data(), n, AMPI_ADOUBLE, op, root, p.comm);
        else AMPI_Reduce(x.data(), at_root ? y.data() : nullptr, n, AMPI_ADOUBLE, op, root, p.comm);
        if (at_root) reduced();
        break;
      case 2:
        if (nonblocking) AMPI_Ibcast(to, n, AMPI_ADOUBLE, root, p.comm, request);
        else AMPI_Bcast(y.data(), n, AMPI_ADOUBLE, root, p.comm);
        for (int i = 0; i < n; ++i) u[i] = all.t[static_cast<std::size_t>(root * n + i)];
        break;
      case 3:
        AMPI_Barrier(p.comm);
        break;
      case 4:
      case 5: {
        std::vector<var> g(whole);
        std::vector<double> gt(whole);
        const bool all_get = what == 5;
        const bool get = all_get || at_root;
        const bool here = in_place && get;
        if (here) std::copy(x.begin(), x.end(), g.begin() + n * p.rank);
        if (all_get) AMPI_Allgather(in_place ? MPI_IN_PLACE : static_cast<void *>(x.data()), n, AMPI_ADOUBLE, g.data(), n, AMPI_ADOUBLE, p.comm);
        else AMPI_Gather(here ? MPI_IN_PLACE : static_cast<void *>(x.data()), n, AMPI_ADOUBLE, get ? g.data() : nullptr, n, AMPI_ADOUBLE, root, p.comm);
        if (get) {
          for (int i = 0; i < n; ++i) {
            y[i] = 0.0;
            u[i] = 0.0;
            for (int r = 0; r < p.size; ++r) {
              y[i] += (r + 1) * g[r * n + i];
              u[i] += (r + 1) * all.t[r * n + i];
            }
          }
        }
        break;
      }
      case 8:
        if (nonblocking) AMPI_Iscan(in_place ? MPI_IN_PLACE : from, to, n, AMPI_ADOUBLE, op, p.comm, request);
        else AMPI_Scan(in_place ? MPI_IN_PLACE : from, y.data(), n, AMPI_ADOUBLE, op, p.comm);
        reduced_over(p.rank + 1);
        break;
      case 9:
        // The buffer of rank 0 is left alone, derivatives included.
        if (nonblocking) AMPI_Iexscan(in_place ? MPI_IN_PLACE : from, to, n, AMPI_ADOUBLE, op, p.comm, request);
        else AMPI_Exscan(in_place ? MPI_IN_PLACE : from, y.data(), n, AMPI_ADOUBLE, op, p.comm);
        if (p.rank > 0) reduced_over(p.rank);
        break;
      case 10: {
        // What a rank gets is scaled by its number.
        std::vector<var> shares;
        for (int r = 0; r < p.size; ++r)
          for (int i = 0; i < n; ++i) shares.push_back((0.5 + r) * x[i]);
        if (nonblocking) {
          started->out = shares;
          AMPI_Ireduce_scatter_block(started->out.data(), to, n, AMPI_ADOUBLE, op, p.comm, request);
        } else if (in_place) {
          AMPI_Reduce_scatter_block(MPI_IN_PLACE, shares.data(), n, AMPI_ADOUBLE, op, p.comm);
          std::copy_n(shares.begin(), n, y.begin());
        } else {
          AMPI_Reduce_scatter_block(shares.data(), y.data(), n, AMPI_ADOUBLE, op, p.comm);
        }
        reduced();
        const double scale = 0.5 + p.rank;
        for (double &v : u) v *= op == MPI_PROD ? std::pow(scale, p.size) : scale;
        break;
      }
      case 11: {
        MPI_Op product;
        AMPI_Op_create(&multiply, 1, &product);
        if (kind < 2) AMPI_Scan(in_place ? MPI_IN_PLACE : from, y.data(), n, AMPI_ADOUBLE, product, p.comm);
        else AMPI_Allreduce(in_place ? MPI_IN_PLACE : from, y.data(), n, AMPI_ADOUBLE, product, p.comm);
        AMPI_Op_free(&product);
        reduced_over(kind < 2 ? p.rank + 1 : p.size);
        break;
      }
      default: {
        std::vector<var> whole_x(whole);
        std::vector<double> whole_t(whole);
        for (int r = 0; r < p.size; ++r)
          for (int i = 0; i < n; ++i) {
            whole_x[r * n + i] = (0.5 + r) * x[i];
            whole_t[r * n + i] = (0.5 + r) * t[i];
          }
        AMPI_Scatter(whole_x.data(), n, AMPI_ADOUBLE, in_place && at_root ? MPI_IN_PLACE : static_cast<void *>(y.data()), n, AMPI_ADOUBLE, root, p.comm);
        if (in_place && at_root) std::copy(whole_x.begin() + n * root, whole_x.begin() + n * (root + 1), y.begin());
        for (int i = 0; i < n; ++i) u[i] = (0.5 + p.rank) * all.t[static_cast<std::size_t>(root * n + i)];
        break;
      }
    }
    if (*request != AMPI_REQUEST_NULL) {
      started->comm = p.comm;
      started->tangent = u;
      started->first = first + 2;
      flights.push_back(std::move(started));
      return;
    }
    for (int i = 0; i < n; ++i) {
      s.x[(first + 2 + i) % pool] = y[i];
      s.t[(first + 2 + i) % pool] = u[i];
    }
  }

  /// Some of the collectives under way are completed, on this rank and in any order.
  void land(random_numbers &mine, int percent) {
    for (std::size_t k = flights.size(); k-- > 0;)
      if (mine.chance(percent)) complete(static_cast<std::size_t>(mine.below(static_cast<int>(flights.size()))));
  }

  void complete(std::size_t k) {
    const std::unique_ptr<flight> f = std::move(flights[k]);
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(k));
    AMPI_Wait(&f->request, MPI_STATUS_IGNORE);
    arrive(*f);
  }

  void arrive(const flight &f) {
    const std::size_t n = f.in.size();
    std::vector<double> t(n);
    for (std::size_t i = 0; i < n; ++i) t[i] = f.in[i].id == 0 ? 0.0 : f.tangent[i];
    std::vector<var> y(f.folded ? 4 : 0, 0.0);
    std::vector<double> u(y.size(), 0.0);
    for (std::size_t i = 0; f.folded && i < n; ++i) {
      const double weight = 0.3 + 0.1 * static_cast<double>(i % 7);
      y[i % 4] += weight * f.in[i];
      u[i % 4] += weight * t[i];
    }
    if (!f.folded) {
      y = f.in;
      u = t;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
      s.x[(static_cast<std::size_t>(f.first) + i) % pool] = y[i];
      s.t[(static_cast<std::size_t>(f.first) + i) % pool] = y[i].id == 0 ? 0.0 : u[i];
    }
  }

  /// Values from place to place: calls with one count, with counts and displacements, with types as well; among
  /// all ranks or among neighbours; blocking or not.
  void movement(std::size_t where) {
    const place p = places[where];
    const int size_here = draw_size(where);
    int what = draw.below(6);
    const int form = draw.below(3), n = draw.below(4), first = draw.below(pool), root = draw.below(size_here);
    const bool nonblocking = draw.chance(60), in_place = draw.chance(25);
    const std::uint64_t salt = draw.next();
    random_numbers mine{draw.next() + static_cast<std::uint64_t>(rank) * 7919u};
    if (p.comm == MPI_COMM_NULL) return;
    if (what >= 4 && !p.has_neighbours) what -= 2;
    const bool gather = what == 0, scatter = what == 1, allgather = what == 2, alltoall = what == 3, near_gather = what == 4;
    const bool neighbours = what >= 4, to_each = !gather && !allgather && !near_gather;

    // What `a` sends to `b`; in place both send alike, and what is gathered does not depend on b.
    const auto count = [&](int a, int b) {
      if (form == 0) return n;
      if (a < 0 || b < 0) return 2;
      if (!to_each) b = 0;
      if (alltoall && in_place && a > b) std::swap(a, b);
      random_numbers pair{salt + static_cast<std::uint64_t>(64 * a + b)};
      return pair.below(4);
    };
    std::vector<int> everybody, sent, received;
    for (int r = 0; r < p.size; ++r) everybody.push_back(r);
    const std::vector<int> &to = neighbours ? p.destinations : everybody, &from = neighbours ? p.sources : everybody;
    const bool at_root = p.rank == root, sends = !scatter || at_root, receives = !gather || at_root;
    if (to_each && sends) for (const int r : to) sent.push_back(count(p.rank, r));
    if (!to_each) sent.push_back(count(p.rank, root));
    if (scatter) received.push_back(count(root, p.rank));
    else if (receives) for (const int r : from) received.push_back(count(r, p.rank));
    const bool one_block_out = !to_each, one_block_in = scatter;
    lots out(sent, 1 + mine.below(2), form == 0 || one_block_out, form != 0 && to_each && mine.chance(40), mine);
    lots in(received, 1 + mine.below(2), form == 0 || one_block_in, false, mine);

    auto f = std::make_unique<flight>();
    f->comm = p.comm;
    f->first = first + 2;
    f->folded = true;
    std::vector<double> out_t;
    // What is not overwritten stays, with its derivative.
    for (int i = 0; i < in.room; ++i) {
      f->in.push_back(s.x[static_cast<std::size_t>((first + 3 * i + 1) % pool)]);
      f->tangent.push_back(s.t[static_cast<std::size_t>((first + 3 * i + 1) % pool)]);
    }
    const bool here = in_place && !neighbours && (alltoall || allgather || (gather && at_root));
    if (here && alltoall) out = in;
    for (int i = 0; i < out.room; ++i) {
      const double weight = 0.5 + 0.1 * (i % 5);
      f->out.push_back(weight * s.x[static_cast<std::size_t>((first + i) % pool)]);
      out_t.push_back(f->out.back().id == 0 ? 0.0 : weight * s.t[static_cast<std::size_t>((first + i) % pool)]);
    }
    if (here && alltoall) {
      f->out = f->in;
      out_t = f->tangent;
    } else if (here) {
      const std::size_t own = static_cast<std::size_t>(p.rank);
      for (int i = 0; i < in.counts[own]; ++i) {
        const std::size_t place = static_cast<std::size_t>((in.displs[own] + i) * in.stride);
        f->in[place] = f->out[static_cast<std::size_t>(i * out.stride)];
        f->tangent[place] = out_t[static_cast<std::size_t>(i * out.stride)];
      }
    }
    // The tangents by the same call on the other communicator, where types are not needed and nothing is in place.
    const MPI_Datatype ot = out.type(MPI_DOUBLE, 8), it = in.type(MPI_DOUBLE, 8);
    MPI_Datatype oa = out.type(AMPI_ADOUBLE, 16), ia = in.type(AMPI_ADOUBLE, 16);
    // Items of nothing, instead of no items.
    const bool hollow_out = out.nothing() && mine.chance(50), hollow_in = in.nothing() && mine.chance(50);
    if (hollow_out) lots::empty(oa, mine);
    if (hollow_in) lots::empty(ia, mine);
    const double *const t_out = out_t.data();
    double *const t_in = f->tangent.data();
    const void *const x_out = here ? MPI_IN_PLACE : static_cast<void *>(f->out.data());
    void *const x_in = f->in.data();
    const int *const oc = out.counts.data(), *const od = out.displs.data(), *const ic = in.counts.data(), *const id = in.displs.data();
    const int o1 = one_block_out ? sent[0] : n, i1 = one_block_in ? received[0] : n;
    const int oi = hollow_out ? 1 + mine.below(2) : o1, ii = hollow_in ? 1 + mine.below(2) : i1;
    // The way of the call matters to the tangents too: which slots of two edges between the same ranks belong together
    // is one thing here and another there.
#define ADMPI_PLAIN(blocking, begin, ...)               \
  do {                                                  \
    MPI_Request request;                                \
    if (nonblocking) {                                  \
      MPI_##begin(__VA_ARGS__, p.shadow, &request);     \
      MPI_Wait(&request, MPI_STATUS_IGNORE);            \
    } else {                                            \
      MPI_##blocking(__VA_ARGS__, p.shadow);            \
    }                                                   \
  } while (0)
#define ADMPI_ACTIVE(blocking, begin, ...)                          \
  do {                                                              \
    if (nonblocking) AMPI_##begin(__VA_ARGS__, p.comm, &f->request); \
    else AMPI_##blocking(__VA_ARGS__, p.comm);                      \
  } while (0)
    switch (what) {
      case 0:
        if (form == 0) {
          ADMPI_PLAIN(Gather, Igather, t_out, n, ot, t_in, n, it, root);
          ADMPI_ACTIVE(Gather, Igather, x_out, n, oa, x_in, n, ia, root);
        } else {
          ADMPI_PLAIN(Gatherv, Igatherv, t_out, o1, ot, t_in, ic, id, it, root);
          ADMPI_ACTIVE(Gatherv, Igatherv, x_out, oi, oa, x_in, ic, id, ia, root);
        }
        break;
      case 1:
        if (form == 0) {
          ADMPI_PLAIN(Scatter, Iscatter, t_out, n, ot, t_in, n, it, root);
          ADMPI_ACTIVE(Scatter, Iscatter, x_out, n, oa, x_in, n, ia, root);
        } else {
          ADMPI_PLAIN(Scatterv, Iscatterv, t_out, oc, od, ot, t_in, i1, it, root);
          ADMPI_ACTIVE(Scatterv, Iscatterv, x_out, oc, od, oa, x_in, ii, ia, root);
        }
        break;
      case 2:
        if (form == 0) {
          ADMPI_PLAIN(Allgather, Iallgather, t_out, n, ot, t_in, n, it);
          ADMPI_ACTIVE(Allgather, Iallgather, x_out, n, oa, x_in, n, ia);
        } else {
          ADMPI_PLAIN(Allgatherv, Iallgatherv, t_out, o1, ot, t_in, ic, id, it);
          ADMPI_ACTIVE(Allgatherv, Iallgatherv, x_out, oi, oa, x_in, ic, id, ia);
        }
        break;
      case 3:
        if (form == 0) {
          ADMPI_PLAIN(Alltoall, Ialltoall, t_out, n, ot, t_in, n, it);
          ADMPI_ACTIVE(Alltoall, Ialltoall, x_out, n, oa, x_in, n, ia);
        } else {
          ADMPI_PLAIN(Alltoallv, Ialltoallv, t_out, oc, od, ot, t_in, ic, id, it);
          if (form == 1) {
            ADMPI_ACTIVE(Alltoallv, Ialltoallv, x_out, oc, od, oa, x_in, ic, id, ia);
          } else {
            const std::vector<int> ob = out.bytes<int>(16), ib = in.bytes<int>(16);
            const std::vector<MPI_Datatype> os = out.types(oa), is = in.types(ia);
            ADMPI_ACTIVE(Alltoallw, Ialltoallw, x_out, oc, ob.data(), os.data(), x_in, ic, ib.data(), is.data());
          }
        }
        break;
      case 4:
        if (form == 0) {
          ADMPI_PLAIN(Neighbor_allgather, Ineighbor_allgather, t_out, n, ot, t_in, n, it);
          ADMPI_ACTIVE(Neighbor_allgather, Ineighbor_allgather, x_out, n, oa, x_in, n, ia);
        } else {
          ADMPI_PLAIN(Neighbor_allgatherv, Ineighbor_allgatherv, t_out, o1, ot, t_in, ic, id, it);
          ADMPI_ACTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, x_out, oi, oa, x_in, ic, id, ia);
        }
        break;
      default:
        if (form == 0) {
          ADMPI_PLAIN(Neighbor_alltoall, Ineighbor_alltoall, t_out, n, ot, t_in, n, it);
          ADMPI_ACTIVE(Neighbor_alltoall, Ineighbor_alltoall, x_out, n, oa, x_in, n, ia);
        } else {
          ADMPI_PLAIN(Neighbor_alltoallv, Ineighbor_alltoallv, t_out, oc, od, ot, t_in, ic, id, it);
          if (form == 1) {
            ADMPI_ACTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, x_out, oc, od, oa, x_in, ic, id, ia);
          } else {
            const std::vector<MPI_Aint> ob = out.bytes<MPI_Aint>(16), ib = in.bytes<MPI_Aint>(16);
            const std::vector<MPI_Datatype> os = out.types(oa), is = in.types(ia);
            ADMPI_ACTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, x_out, oc, ob.data(), os.data(), x_in, ic, ib.data(), is.data());
          }
        }
        break;
    }
#undef ADMPI_PLAIN
#undef ADMPI_ACTIVE
    lots::free(ot, MPI_DOUBLE);
    lots::free(it, MPI_DOUBLE);
    lots::free(oa, AMPI_ADOUBLE);
    lots::free(ia, AMPI_ADOUBLE);
    if (f->request != AMPI_REQUEST_NULL) flights.push_back(std::move(f));
    else arrive(*f);
  }

  /// A value times the neighbour's, which the sweep records and reverses anew: on nests of the tape, or on tapes
  /// beside it.
  void checkpoint() {
    const int a = draw.below(pool), b = draw.below(pool), c = draw.below(pool), parts = 1 + draw.below(3);
    // On a nest, from inputs of its own or from the values outside.
    const bool nested = draw.chance(60), whole = nested && draw.chance(50);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    const double va = value(s.x[a]), vb = value(s.x[b]);
    const double sent[2] = {vb, s.t[b]};
    double got[2] = {};
    MPI_Sendrecv(sent, 2, MPI_DOUBLE, right, 30001, got, 2, MPI_DOUBLE, left, 30001, places[0].shadow, MPI_STATUS_IGNORE);
    // In the sweep everybody waits for everybody here, so the run must too.
    MPI_Barrier(places[0].shadow);
    const std::array<var, 2> in = {s.x[a], s.x[b]};
    const double y = parts * va * got[0] + vb;
    const double t = parts * (s.t[a] * got[0] + va * got[1]) + s.t[b];
    const auto sweep = [=](admpi::tape_ref inner, const admpi::callback_adjoints &adjoints, int part) {
      inner.set_width(adjoints.width);
      inner.start();
      var u[2] = {va, vb}, w;
      if (whole) std::copy(in.begin(), in.end(), u);
      else inner.input(u, 2);
      AMPI_Sendrecv(&u[1], 1, AMPI_ADOUBLE, right, 4, &w, 1, AMPI_ADOUBLE, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      var v = u[0] * w;
      if (part == 0) v += u[1];
      for (int k = 0; k < adjoints.width; ++k) inner.seed(v, adjoints.out_adjoint[k], k);
      inner.reverse();
      for (int i = 0; i < 2 && !whole; ++i)
        for (int k = 0; k < adjoints.width; ++k) adjoints.in_adjoint[i * adjoints.width + k] += inner.adjoint(u[i], k);
    };
    tape.callback(in.data(), 2, &y, 1, &s.x[c], [=](const admpi::callback_adjoints &adjoints) {
      for (int part = 0; part < parts; ++part) {
        if (nested) {
          admpi::nested nest;
          sweep(admpi::current_tape(), adjoints, part);
        } else {
          admpi::tape beside;
          sweep(beside, adjoints, part);
        }
      }
    });
    s.t[c] = s.x[c].id == 0 ? 0.0 : t;
  }

  /// Some values from `first` on, with their tangents.
  std::vector<test::pair> paired(int first, int n) const {
    std::vector<test::pair> all;
    for (int i = first; i < first + n; ++i) all.push_back({value(s.x[i]), s.t[i]});
    return all;
  }

  /// A value and its tangent, which is that of a passive one where it is.
  void take(int i, const var &x, const test::pair &t) {
    REQUIRE(value(x) == t.value);
    s.x[i] = x;
    s.t[i] = x.id == 0 ? 0.0 : t.dot;
  }

  /// Epochs of a window that is gone before the sweep: between fences, between Start and Complete, and under locks.
  void windows(std::size_t where) {
    using test::combination;
    const place p = places[where];
    const int epochs = 1 + draw.below(3), first = draw.below(pool);
    const test::made kind = static_cast<test::made>(draw.below(3));
    random_numbers common{draw.next()}, mine{draw.next() + static_cast<std::uint64_t>(rank) * 7919u};
    if (p.comm == MPI_COMM_NULL) return;
    // The first half is written to; in epochs of some ranks only the second is read.
    constexpr int half = 8, most = 5, longest_item = 3;
    test::window<test::active> on(2 * half, kind, p.comm);
    test::window<test::paired> beside(2 * half, kind, p.shadow);
    for (int i = 0; i < 2 * half; ++i) {
      on.memory()[i] = s.x[(first + i) % pool];
      beside.memory()[i] = {value(s.x[(first + i) % pool]), s.t[(first + i) % pool]};
    }
    for (int epoch = 0; epoch < epochs; ++epoch) {
      const bool locked = common.chance(15) && takes_locks, fenced = !locked && common.chance(50);
      const bool testing = common.chance(30), messages_inside = common.chance(25);
      // In checking mode all combine in one way, and nobody puts or gets what others combine: that would be an error.
      const auto only = static_cast<combination>(1 + common.below(5));
      const bool is_orderly = !locked && std::getenv("ADMPI_CHECK") != nullptr;
      // Under locks one rank alone writes to each target, since no rank knows in which order others would.
      const int turn = common.below(p.size);
      const std::uint64_t edges = common.next();
      const auto edge = [&](int from, int to) {
        return random_numbers{edges + static_cast<std::uint64_t>(64 * from + to)}.chance(60);
      };
      std::vector<int> origins, targets;
      for (int r = 0; r < p.size; ++r) {
        if (fenced || locked || edge(p.rank, r)) targets.push_back(r);
        if (edge(r, p.rank)) origins.push_back(r);
      }
      const bool one_lock = common.chance(50);
      if (fenced) {
        on.fence();
      } else if (locked) {
        on.barrier();
        if (one_lock) on.lock_all();
      } else {
        if (!origins.empty()) on.post(origins);
        if (!targets.empty()) on.start(targets);
      }
      std::vector<var> got(most * longest_item);
      std::vector<test::pair> got_pairs(got.size());
      std::vector<int> arrived;
      for (int k = 0; k < most && !targets.empty(); ++k) {
        if (mine.chance(30)) continue;
        const int a = mine.below(pool - longest_item);
        int what = mine.below(5);
        auto how = static_cast<combination>(1 + mine.below(5));
        auto fetching = static_cast<combination>(mine.below(6));
        if (is_orderly) {
          if (what == 0) what = 1;
          if (what == 2 && fenced) what = 3;
          how = only;
          if (fetching != combination::nothing) fetching = only;
        }
        const int stride = 1 + mine.below(2), n = what == 4 ? 1 : mine.below(longest_item + 1);
        const int target = targets[static_cast<std::size_t>(mine.below(static_cast<int>(targets.size())))];
        const bool is_writer = locked && (target + turn) % p.size == p.rank;
        const bool reads_only = locked ? !is_writer : !fenced && what > 1;
        const test::place at = {target,
                                (reads_only ? half : 0) + mine.below(half - 2 * longest_item + 2), n, n == 0 ? 1 : stride};
        const std::vector<test::pair> from = paired(a, longest_item);
        var *const to = &got[static_cast<std::size_t>(k * longest_item)];
        test::pair *const to_pairs = &got_pairs[static_cast<std::size_t>(k * longest_item)];
        if (locked && !one_lock) on.lock(target, is_writer && mine.chance(50) ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED);
        if (locked && reads_only) {
          on.get(to, at);
          beside.get(to_pairs, at);
        } else if (what == 0) {
          on.put(&s.x[a], at);
          beside.put(from.data(), at);
        } else if (what == 1) {
          on.accumulate(&s.x[a], at, how);
          beside.accumulate(from.data(), at, how);
        } else if (what == 2 || reads_only) {
          on.get(to, at);
          beside.get(to_pairs, at);
        } else if (what == 3) {
          on.get_accumulate(&s.x[a], to, at, how);
          beside.get_accumulate(from.data(), to_pairs, at, how);
        } else {
          on.fetch_and_op(&s.x[a], to, at, fetching);
          beside.fetch_and_op(from.data(), to_pairs, at, fetching);
        }
        if (locked && !one_lock) on.unlock(target);
        else if (locked && mine.chance(50)) on.flush(target);
        else if (locked) on.flush_all();
        for (int i = 0; (what > 1 || reads_only) && i < n; ++i) arrived.push_back(k * longest_item + i);
        if (mine.chance(20)) local(mine);
        land(mine, 10);
        cut(mine);
      }
      // All ranks know the messages of these communicators.
      if (messages_inside && where < 2) shift(where);
      if (fenced) {
        on.fence(MPI_MODE_NOSUCCEED);
        beside.fence();
      } else if (locked) {
        if (one_lock) on.unlock_all();
        on.barrier();
        beside.barrier();
      } else {
        if (!targets.empty()) on.complete();
        cut(mine);
        if (!origins.empty() && testing) on.test();
        else if (!origins.empty()) on.wait();
        beside.wait();
      }
      cut(mine);
      for (const int i : arrived) take(mine.below(pool), got[i], got_pairs[i]);
      for (int i = 0; i < 2 * half; ++i) {
        const var &x = on.memory()[i];
        test::pair &t = beside.memory()[i];
        REQUIRE(value(x) == t.value);
        if (x.id == 0) t.dot = 0.0;
        if (mine.chance(20)) take(mine.below(pool), x, t);
        if (!mine.chance(20)) continue;
        const int a = mine.below(pool);
        on.memory()[i] = sin(s.x[a]);
        t = test::sin(test::pair{value(s.x[a]), on.memory()[i].id == 0 ? 0.0 : s.t[a]});
      }
      // Nobody looks at what has changed before the next epoch.
    }
  }

  /// A new communicator: a part of an old one, in another order. An old one goes; the sweep comes later.
  void communicators() {
    const std::size_t from = static_cast<std::size_t>(draw.below(2));
    const int parts = 1 + draw.below(2), way = draw.below(6);
    const std::uint64_t salt = draw.next();
    place p;
    if (way == 0) {
      AMPI_Comm_dup(places[from].comm, &p.comm);
    } else if (way == 1) {
      AMPI_Comm_split(places[from].comm, rank % parts, -rank, &p.comm);
    } else if (way == 2) {
      int dims[1] = {size}, periods[1] = {static_cast<int>(salt % 2)};
      AMPI_Cart_create(places[from].comm, 1, dims, periods, 1, &p.comm);
    } else if (way == 3) {
      const int thin = size % 2 == 0 && salt % 4 < 2 ? 2 : 1;
      int dims[2] = {thin, size / thin}, periods[2] = {1, static_cast<int>(salt % 2)};
      AMPI_Cart_create(places[from].comm, 2, dims, periods, 0, &p.comm);
    } else if (way == 4) {
      // A ring whose edges are double.
      std::vector<int> index, edges;
      for (int r = 0; r < size; ++r) {
        const int right = (r + 1) % size, left = (r + size - 1) % size;
        edges.insert(edges.end(), {right, left, left, right});
        index.push_back(static_cast<int>(edges.size()));
      }
      AMPI_Graph_create(places[from].comm, size, index.data(), edges.data(), 0, &p.comm);
    } else {
      // Any directed graph; each rank has its slots in an order of its own.
      std::vector<int> in, out;
      const auto edges = [&](int a, int b) { return random_numbers{salt + static_cast<std::uint64_t>(64 * a + b)}.below(3); };
      for (int i = 0; i < size; ++i) {
        const int a = (i + rank) % size, b = (2 * size - 1 - i + rank) % size;
        in.insert(in.end(), static_cast<std::size_t>(edges(a, rank)), a);
        out.insert(out.end(), static_cast<std::size_t>(edges(rank, b)), b);
      }
      const int sources = static_cast<int>(in.size()), destinations = static_cast<int>(out.size());
      in.push_back(0);
      out.push_back(0);
      AMPI_Dist_graph_create_adjacent(places[from].comm, sources, in.data(), MPI_UNWEIGHTED, destinations, out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &p.comm);
    }
    splits.push_back(way == 1 ? parts : 1);
    enter(p.comm);
    if (places.size() > 5) {
      leave(3);
      splits.erase(splits.begin() + 1);
    }
  }

  std::vector<int> splits;  // into how many parts places[2...] were split

  /// A size that is drawn alike by all ranks: that of the smallest part.
  int draw_size(std::size_t where) const { return where < 2 ? size : size / splits[where - 2] > 0 ? size / splits[where - 2] : 1; }

  /// Draws a step; runs it unless it is to be left out.
  void step(bool run) {
    // A step that is left out must leave the following ones as they are: each draws from a generator of its own.
    random_numbers outer = draw;
    const std::uint64_t own = outer.next();
    draw.state = own;
    const int what = draw.below(20);
    recording = !draw.chance(10);
    if (run) {
      const std::size_t where = static_cast<std::size_t>(draw.below(static_cast<int>(places.size())));
      if (!recording) tape.stop();
      if (what < 2) compute();
      else if (what < 5) phase(where);
      else if (what < 6) shift(where);
      else if (what < 8) collective(where);
      else if (what < 11) movement(where);
      else if (what < 13) communicators();
      else if (what < 14) checkpoint();
      else if (what < 16) matrices();
      else if (what < 18) matrix_messages(where);
      else windows(where);
      if (!recording) {
        tape.start();
        // What was not recorded has no derivative.
        for (int i = 0; i < pool; ++i)
          if (s.x[i].id == 0) s.t[i] = 0.0;
        clean();
      }
      random_numbers mine{own + static_cast<std::uint64_t>(rank)};
      cut(mine);
      land(mine, 25);
      cut(mine);
    }
    draw = outer;
  }
};

}  // namespace random_programs

#endif
