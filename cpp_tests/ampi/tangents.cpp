// Programs that are templated on their scalar. Long: one table of the calls of MPI, whose rows share a state.
//
// They run with double, tangent<double>, tangent<double, 3>, tangents of tangents, var and tangent<var>. First derivatives:
// forward = central difference = one of several directions, and <w, J v> = <J^T w, v> against the sweep. Second ones: tangents of
// tangents = central difference of tangents, and = the sweep over tangent<var>.
//
// A program is a few steps, each around one call of MPI; every call runs in a program of its own, and in random mixtures.
// Active scalars take part where the library differentiates all calls of a program: what it refuses is read from the
// list that the names' test is made from.
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "harness/identity.hpp"

using admpi::mpi_type;
using admpi::tangent;
using admpi::value_index;
using admpi::var;
using test::rank_of;
using test::size_of;

namespace {

using second = tangent<tangent<double>>;

/// Two scalars and a number, as a program's own structure.
template <class Real>
struct cell {
  Real a;
  int n;
  Real b;
};

}  // namespace

template <class Real>
struct admpi::scalar_of<cell<Real>> {
  using type = Real;
};

namespace {

/// The communicators of all programs.
struct world {
  MPI_Comm comm = MPI_COMM_NULL, ring = MPI_COMM_NULL, graph = MPI_COMM_NULL;
  int rank = 0, size = 0, left = 0, right = 0;

  world() {
    test::begin();
    AMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    rank = rank_of(comm);
    size = size_of(comm);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    const int periodic = 1;
    AMPI_Cart_create(comm, 1, &size, &periodic, 0, &ring);
    const int weight = 1;
    AMPI_Dist_graph_create_adjacent(comm, 1, &left, &weight, 1, &right, &weight, MPI_INFO_NULL, 0, &graph);
  }
  ~world() {
    AMPI_Comm_free(&graph);
    AMPI_Comm_free(&ring);
    AMPI_Comm_free(&comm);
  }
  world(const world &) = delete;
  world &operator=(const world &) = delete;
};

/// Associative, and not one of MPI's.
template <class Real>
void both_and_their_product(void *low, void *high, int *n, MPI_Datatype *) {
  const Real *a = static_cast<const Real *>(low);
  Real *b = static_cast<Real *>(high);
  for (int i = 0; i < *n; ++i) b[i] = a[i] + b[i] + a[i] * b[i];
}

enum class send_mode { standard, synchronous, buffered, ready };

template <class Real>
class program {
 public:
  static constexpr int pool = 10;

  program(const world &where, unsigned seed, std::vector<Real> x) : w(where), draw(seed), x_(std::move(x)) {
    AMPI_Op_create(&both_and_their_product<Real>, 0, &own_);
  }
  ~program() { AMPI_Op_free(&own_); }
  program(const program &) = delete;
  program &operator=(const program &) = delete;

  const std::vector<Real> &values() const { return x_; }
  /// It packed values into bytes, which active ones refuse.
  bool packs() const { return packs_; }

  static constexpr int kinds = 50;

  void step(int kind) {
    n = below(4) + (kind % 2);
    root = below(w.size);
    mode = static_cast<send_mode>(below(4));
    waits = below(2) == 1;
    in_place = below(2) == 1;
    // What a program says that was written for var, and what one says that is templated.
    type = below(2) == 0 || std::is_same<Real, double>::value ? mpi_type<Real>() : AMPI_ADOUBLE;
    choose_operation();
    run(kind);
    type = mpi_type<Real>();
  }

 private:
  const world &w;
  std::mt19937 draw;  // alike on all ranks
  std::vector<Real> x_;
  bool packs_ = false;
  MPI_Op own_ = MPI_OP_NULL;
  int n = 0, root = 0;
  send_mode mode = send_mode::standard;
  bool waits = false, in_place = false;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  AMPI_Request request = AMPI_REQUEST_NULL;

  int below(int k) { return static_cast<int>(draw() % static_cast<unsigned>(k)); }

  void choose_operation() {
    const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, own_};
    op = all[below(5)];
  }

  std::vector<Real> take(int k) {
    using std::sin;
    const int at = below(pool);
    std::vector<Real> y(k);
    for (int i = 0; i < k; ++i) y[i] = sin(x_[(at + i) % pool] * (1.0 + 0.1 * i) + 0.05 * w.rank);
    return y;
  }

  void give(const std::vector<Real> &y) {
    using std::cos;
    const int at = below(pool);
    for (std::size_t i = 0; i < y.size(); ++i) {
      Real &x = x_[(at + i) % pool];
      x = 0.6 * x + cos(y[i] * (1.2 + 0.01 * static_cast<double>(i)));
    }
  }

// Blocking, or started and waited for.
#define EITHER(name, iname, ...) \
  (waits ? (AMPI_##iname(__VA_ARGS__, &request), AMPI_Wait(&request, MPI_STATUS_IGNORE)) : AMPI_##name(__VA_ARGS__))

  /// Memory for buffered sends.
  struct attached {
    std::vector<char> memory;
    explicit attached(MPI_Comm comm) {
      int size = 0;
      AMPI_Pack_size(8, mpi_type<Real>(), comm, &size);
      memory.resize(4 * (size + MPI_BSEND_OVERHEAD) + 4096);
      AMPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
    }
    ~attached() {
      void *at = nullptr;
      int size = 0;
      AMPI_Buffer_detach(&at, &size);
    }
  };

  void run(int kind) {
    switch (kind) {
      case 0: return blocking_send();
      case 1: return nonblocking_send();
      case 2: return persistent();
      case 3: return sendrecv();
      case 4: return sendrecv_replace();
      case 5: return probed();
      case 6: return matched();
      case 7: return matched_nonblocking();
      case 8: return packed();
      case 9: return derived();
      case 10: return structures();
      case 11: return bcast();
      case 12: return gather();
      case 13: return gatherv();
      case 14: return scatter();
      case 15: return scatterv();
      case 16: return allgather();
      case 17: return allgatherv();
      case 18: return alltoall();
      case 19: return alltoallv();
      case 20: return alltoallw();
      case 21: return reduce_local();
      case 22: return locations();
      case 23: return neighbor_allgather();
      case 24: return neighbor_allgatherv();
      case 25: return neighbor_alltoall();
      case 26: return neighbor_alltoallv();
      case 27: return neighbor_alltoallw();
      case 28: return received_in_any_order();
      default: break;
    }
    switch (kind % 6) {
      case 0: return reduce();
      case 1: return allreduce();
      case 2: return scan();
      case 3: return exscan();
      case 4: return reduce_scatter();
      default: return reduce_scatter_block();
    }
  }

  void blocking_send() {
    std::vector<Real> out = take(n), in(n);
    AMPI_Irecv(in.data(), n, type, w.left, 1, w.comm, &request);
    AMPI_Barrier(w.comm);
    switch (mode) {
      case send_mode::standard: AMPI_Send(out.data(), n, type, w.right, 1, w.comm); break;
      case send_mode::synchronous: AMPI_Ssend(out.data(), n, type, w.right, 1, w.comm); break;
      case send_mode::ready: AMPI_Rsend(out.data(), n, type, w.right, 1, w.comm); break;
      case send_mode::buffered: {
        attached buffer(w.comm);
        AMPI_Bsend(out.data(), n, type, w.right, 1, w.comm);
        break;
      }
    }
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    give(in);
  }

  void nonblocking_send() {
    std::vector<Real> out = take(n), in(n);
    AMPI_Request requests[2];
    AMPI_Irecv(in.data(), n, type, w.left, 2, w.comm, &requests[0]);
    AMPI_Barrier(w.comm);
    attached buffer(w.comm);
    switch (mode) {
      case send_mode::standard: AMPI_Isend(out.data(), n, type, w.right, 2, w.comm, &requests[1]); break;
      case send_mode::synchronous: AMPI_Issend(out.data(), n, type, w.right, 2, w.comm, &requests[1]); break;
      case send_mode::ready: AMPI_Irsend(out.data(), n, type, w.right, 2, w.comm, &requests[1]); break;
      case send_mode::buffered: AMPI_Ibsend(out.data(), n, type, w.right, 2, w.comm, &requests[1]); break;
    }
    AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    give(in);
  }

  void persistent() {
    std::vector<Real> out = take(n), in(n);
    AMPI_Request requests[2];
    attached buffer(w.comm);
    AMPI_Recv_init(in.data(), n, type, w.left, 3, w.comm, &requests[0]);
    switch (mode) {
      case send_mode::standard: AMPI_Send_init(out.data(), n, type, w.right, 3, w.comm, &requests[1]); break;
      case send_mode::synchronous: AMPI_Ssend_init(out.data(), n, type, w.right, 3, w.comm, &requests[1]); break;
      case send_mode::ready: AMPI_Rsend_init(out.data(), n, type, w.right, 3, w.comm, &requests[1]); break;
      case send_mode::buffered: AMPI_Bsend_init(out.data(), n, type, w.right, 3, w.comm, &requests[1]); break;
    }
    for (int times = 0; times < 2; ++times) {
      if (mode == send_mode::ready) {
        AMPI_Start(&requests[0]);
        AMPI_Barrier(w.comm);
        AMPI_Start(&requests[1]);
      } else {
        AMPI_Startall(2, requests);
      }
      AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < n; ++i) out[i] = in[i] * out[i];
    }
    AMPI_Request_free(&requests[0]);
    AMPI_Request_free(&requests[1]);
    give(in);
  }

  void sendrecv() {
    std::vector<Real> out = take(n), in(n + 2);
    AMPI_Status status;
    AMPI_Sendrecv(out.data(), n, type, w.right, 4, in.data(), n + 2, type, w.left, 4, w.comm, &status);
    int received = -1;
    AMPI_Get_count(&status, mpi_type<Real>(), &received);
    REQUIRE(received == n);
    in.resize(n);
    give(in);
  }

  void sendrecv_replace() {
    std::vector<Real> y = take(n);
    AMPI_Sendrecv_replace(y.data(), n, type, w.right, 5, w.left, 5, w.comm, MPI_STATUS_IGNORE);
    give(y);
  }

  void probed() {
    std::vector<Real> out = take(n);
    AMPI_Isend(out.data(), n, type, w.right, 6, w.comm, &request);
    AMPI_Status status;
    AMPI_Probe(w.left, 6, w.comm, &status);
    int count = -1;
    AMPI_Get_count(&status, mpi_type<Real>(), &count);
    std::vector<Real> in(count);
    AMPI_Recv(in.data(), count, type, w.left, 6, w.comm, MPI_STATUS_IGNORE);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    give(in);
  }

  void matched() {
    std::vector<Real> out = take(n), in(n);
    AMPI_Isend(out.data(), n, type, w.right, 7, w.comm, &request);
    AMPI_Message message;
    AMPI_Mprobe(MPI_ANY_SOURCE, 7, w.comm, &message, MPI_STATUS_IGNORE);
    AMPI_Mrecv(in.data(), n, type, &message, MPI_STATUS_IGNORE);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    give(in);
    AMPI_Barrier(w.comm);
  }

  void matched_nonblocking() {
    std::vector<Real> out = take(n), in(n);
    AMPI_Request requests[2];
    AMPI_Isend(out.data(), n, type, w.right, 8, w.comm, &requests[0]);
    AMPI_Message message;
    for (int flag = 0; !flag;) AMPI_Improbe(w.left, MPI_ANY_TAG, w.comm, &flag, &message, MPI_STATUS_IGNORE);
    AMPI_Imrecv(in.data(), n, type, &message, &requests[1]);
    AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    give(in);
    AMPI_Barrier(w.comm);
  }

  void packed() {
    packs_ = true;
    const std::vector<Real> out = take(n);
    std::vector<Real> in(n);
    int size = 0, position = 0;
    AMPI_Pack_size(n, mpi_type<Real>(), w.comm, &size);
    std::vector<char> there(size + 1), here(size + 1);  // MPI wants an address, be it for nothing
    AMPI_Pack(out.data(), n, type, there.data(), size, &position, w.comm);
    AMPI_Sendrecv(there.data(), position, MPI_PACKED, w.right, 9, here.data(), size, MPI_PACKED, w.left, 9, w.comm,
         MPI_STATUS_IGNORE);
    position = 0;
    AMPI_Unpack(here.data(), size, &position, in.data(), n, type, w.comm);
    give(in);
  }

  /// A message that leaves with gaps, and one that is put together from blocks.
  void derived() {
    const std::vector<Real> out = take(2 * n + 4);
    std::vector<Real> in(3 * n + 8);
    MPI_Datatype gaps, blocks, whole;
    MPI_Type_vector(n + 1, 1, 2, type, &gaps);
    const int lengths[] = {n, 1}, places[] = {n + 2, 0};
    MPI_Type_indexed(2, lengths, places, type, &blocks);
    MPI_Type_dup(blocks, &whole);
    MPI_Type_commit(&gaps);
    MPI_Type_commit(&whole);
    AMPI_Isend(out.data(), 1, gaps, w.right, 10, w.comm, &request);
    AMPI_Recv(in.data(), 1, whole, w.left, 10, w.comm, MPI_STATUS_IGNORE);
    // The types may go, as with MPI.
    MPI_Type_free(&gaps);
    MPI_Type_free(&blocks);
    MPI_Type_free(&whole);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    give(in);
  }

  void structures() {
    const std::vector<Real> y = take(2 * n);
    std::vector<cell<Real>> out(n), in(n);
    for (int i = 0; i < n; ++i) out[i] = {y[2 * i], 10 * w.rank + i, y[2 * i + 1]};
    MPI_Datatype fields, made;
    const int lengths[] = {1, 1, 1};
    const MPI_Aint places[] = {offsetof(cell<Real>, a), offsetof(cell<Real>, n), offsetof(cell<Real>, b)};
    const MPI_Datatype types[] = {type, MPI_INT, type};
    MPI_Type_create_struct(3, lengths, places, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(cell<Real>), &made);
    MPI_Type_commit(&made);
    AMPI_Sendrecv(out.data(), n, made, w.right, 11, in.data(), n, made, w.left, 11, w.comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&fields);
    MPI_Type_free(&made);
    std::vector<Real> got;
    for (int i = 0; i < n; ++i) {
      REQUIRE(in[i].n == 10 * w.left + i);
      got.push_back(in[i].a);
      got.push_back(in[i].b);
    }
    give(got);
  }

  void received_in_any_order() {
    std::vector<Real> out = take(2 * w.size), in(2 * w.size);
    std::vector<AMPI_Request> receives(w.size), sends(w.size);
    for (int i = 0; i < w.size; ++i) AMPI_Irecv(&in[2 * i], 2, type, i, 12, w.comm, &receives[i]);
    for (int i = w.size - 1; i >= 0; --i) AMPI_Isend(&out[2 * i], 2, type, i, 12, w.comm, &sends[i]);
    for (int i = 0; i < w.size; ++i) {
      int index = -1;
      AMPI_Waitany(w.size, receives.data(), &index, MPI_STATUS_IGNORE);
    }
    AMPI_Waitall(w.size, sends.data(), MPI_STATUSES_IGNORE);
    give(in);
  }

  void bcast() {
    std::vector<Real> y = take(n);
    EITHER(Bcast, Ibcast, y.data(), n, type, root, w.comm);
    give(y);
  }

  void gather() {
    const std::vector<Real> out = take(n);
    std::vector<Real> in(n * w.size, Real(0.25));
    if (w.rank != root) {
      EITHER(Gather, Igather, out.data(), n, type, NULL, 0, MPI_DATATYPE_NULL, root, w.comm);
    } else if (in_place) {
      for (int i = 0; i < n; ++i) in[n * root + i] = out[i];
      EITHER(Gather, Igather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), n, type, root, w.comm);
    } else {
      EITHER(Gather, Igather, out.data(), n, type, in.data(), n, type, root, w.comm);
    }
    give(in);
  }

  /// Counts of the ranks, with places that leave gaps and go down.
  struct parts {
    std::vector<int> counts, places;
    int length;
    parts(int n, int size) : counts(size), places(size), length(0) {
      for (int r = size - 1; r >= 0; --r) {
        counts[r] = (n + r) % 3;
        places[r] = length;
        length += counts[r] + 1;
      }
    }
  };

  void gatherv() {
    const parts p(n, w.size);
    const std::vector<Real> out = take(p.counts[w.rank]);
    std::vector<Real> in(p.length, Real(0.25));
    if (w.rank == root)
      EITHER(Gatherv, Igatherv, out.data(), p.counts[w.rank], type, in.data(), p.counts.data(), p.places.data(), type, root,
             w.comm);
    else
      EITHER(Gatherv, Igatherv, out.data(), p.counts[w.rank], type, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, root,
             w.comm);
    give(in);
  }

  void scatter() {
    const std::vector<Real> out = take(n * w.size);
    std::vector<Real> in(n);
    if (w.rank == root)
      EITHER(Scatter, Iscatter, out.data(), n, type, in.data(), n, type, root, w.comm);
    else
      EITHER(Scatter, Iscatter, nullptr, 0, MPI_DATATYPE_NULL, in.data(), n, type, root, w.comm);
    give(in);
  }

  void scatterv() {
    const parts p(n, w.size);
    const std::vector<Real> out = take(p.length);
    std::vector<Real> in(p.counts[w.rank]);
    if (w.rank == root)
      EITHER(Scatterv, Iscatterv, out.data(), p.counts.data(), p.places.data(), type, in.data(), p.counts[w.rank], type,
             root, w.comm);
    else
      EITHER(Scatterv, Iscatterv, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, in.data(), p.counts[w.rank], type, root,
             w.comm);
    give(in);
  }

  void allgather() {
    const std::vector<Real> out = take(n);
    std::vector<Real> in(n * w.size);
    if (in_place) {
      for (int i = 0; i < n; ++i) in[n * w.rank + i] = out[i];
      EITHER(Allgather, Iallgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in.data(), n, type, w.comm);
    } else {
      EITHER(Allgather, Iallgather, out.data(), n, type, in.data(), n, type, w.comm);
    }
    give(in);
  }

  void allgatherv() {
    const parts p(n, w.size);
    const std::vector<Real> out = take(p.counts[w.rank]);
    std::vector<Real> in(p.length, Real(0.25));
    EITHER(Allgatherv, Iallgatherv, out.data(), p.counts[w.rank], type, in.data(), p.counts.data(), p.places.data(), type,
           w.comm);
    give(in);
  }

  void alltoall() {
    const std::vector<Real> out = take(n * w.size);
    std::vector<Real> in(n * w.size);
    EITHER(Alltoall, Ialltoall, out.data(), n, type, in.data(), n, type, w.comm);
    give(in);
  }

  /// What each rank sends to each: as many to one as come from it.
  parts exchanged() const {
    parts p(n, w.size);
    p.length = 0;
    for (int r = 0; r < w.size; ++r) {
      p.counts[r] = (n + r + w.rank) % 3;
      p.places[r] = p.length;
      p.length += p.counts[r] + 1;
    }
    return p;
  }

  void alltoallv() {
    const parts p = exchanged();
    const std::vector<Real> out = take(p.length);
    std::vector<Real> in(p.length, Real(0.25));
    EITHER(Alltoallv, Ialltoallv, out.data(), p.counts.data(), p.places.data(), type, in.data(), p.counts.data(),
           p.places.data(), type, w.comm);
    give(in);
  }

  void alltoallw() {
    parts p = exchanged();
    const std::vector<Real> out = take(2 * p.length);
    std::vector<Real> in(2 * p.length, Real(0.25));
    MPI_Datatype strided;
    MPI_Type_create_resized(type, 0, 2 * sizeof(Real), &strided);
    MPI_Type_commit(&strided);
    const std::vector<MPI_Datatype> types(w.size, strided), others(w.size, type);
    std::vector<int> places;
    for (const int place : p.places) places.push_back(2 * place * static_cast<int>(sizeof(Real)));
    EITHER(Alltoallw, Ialltoallw, out.data(), p.counts.data(), places.data(), types.data(), in.data(), p.counts.data(),
           places.data(), others.data(), w.comm);
    MPI_Type_free(&strided);
    give(in);
  }

  void reduce() {
    std::vector<Real> out = take(n), in(n, Real(0.25));
    if (w.rank != root)
      EITHER(Reduce, Ireduce, out.data(), NULL, n, type, op, root, w.comm);
    else if (in_place)
      EITHER(Reduce, Ireduce, MPI_IN_PLACE, out.data(), n, type, op, root, w.comm);
    else
      EITHER(Reduce, Ireduce, out.data(), in.data(), n, type, op, root, w.comm);
    give(w.rank == root && in_place ? out : in);
  }

  void allreduce() {
    std::vector<Real> out = take(n), in(n);
    if (in_place) {
      in = out;
      EITHER(Allreduce, Iallreduce, MPI_IN_PLACE, in.data(), n, type, op, w.comm);
    } else {
      EITHER(Allreduce, Iallreduce, out.data(), in.data(), n, type, op, w.comm);
    }
    give(in);
  }

  void scan() {
    std::vector<Real> out = take(n), in(n);
    if (in_place) {
      in = out;
      EITHER(Scan, Iscan, MPI_IN_PLACE, in.data(), n, type, op, w.comm);
    } else {
      EITHER(Scan, Iscan, out.data(), in.data(), n, type, op, w.comm);
    }
    give(in);
  }

  void exscan() {
    const std::vector<Real> out = take(n);
    std::vector<Real> in(n, Real(0.25));
    EITHER(Exscan, Iexscan, out.data(), in.data(), n, type, op, w.comm);
    if (w.rank == 0)
      for (const Real &x : in) REQUIRE(admpi::value(x) == 0.25);
    give(in);
  }

  void reduce_scatter() {
    parts p(n, w.size);
    int length = 0;
    for (const int count : p.counts) length += count;
    const std::vector<Real> out = take(length);
    std::vector<Real> in(in_place ? length : p.counts[w.rank]);
    if (in_place) {
      in = out;
      EITHER(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, in.data(), p.counts.data(), type, op, w.comm);
    } else {
      EITHER(Reduce_scatter, Ireduce_scatter, out.data(), in.data(), p.counts.data(), type, op, w.comm);
    }
    // MPI may have used the rest of the buffer.
    in.resize(p.counts[w.rank]);
    give(in);
  }

  void reduce_scatter_block() {
    const std::vector<Real> out = take(n * w.size);
    std::vector<Real> in(n);
    EITHER(Reduce_scatter_block, Ireduce_scatter_block, out.data(), in.data(), n, type, op, w.comm);
    give(in);
  }

  void reduce_local() {
    const std::vector<Real> a = take(n);
    std::vector<Real> b = take(n);
    AMPI_Reduce_local(a.data(), b.data(), n, type, op);
    give(b);
  }

  void locations() {
    const std::vector<Real> y = take(n);
    std::vector<value_index<Real>> out(n), in(n);
    for (int i = 0; i < n; ++i) out[i] = {y[i], 100 + w.rank};
    const MPI_Op location = below(2) == 0 ? MPI_MINLOC : MPI_MAXLOC;
    const MPI_Datatype pair = mpi_type<value_index<Real>>();
    if (in_place) {
      in = out;
      EITHER(Allreduce, Iallreduce, MPI_IN_PLACE, in.data(), n, pair, location, w.comm);
    } else {
      EITHER(Reduce, Ireduce, out.data(), in.data(), n, pair, location, root, w.comm);
    }
    std::vector<Real> got;
    for (int i = 0; i < n && (in_place || w.rank == root); ++i) got.push_back(in[i].value * static_cast<double>(in[i].index - 99));
    give(got);
  }

  void neighbor_allgather() {
    const std::vector<Real> out = take(n);
    std::vector<Real> in(2 * n);
    EITHER(Neighbor_allgather, Ineighbor_allgather, out.data(), n, type, in.data(), n, type, w.ring);
    give(in);
  }

  void neighbor_allgatherv() {
    const std::vector<Real> out = take(n);
    std::vector<Real> in(2 * n + 3, Real(0.25));
    const int counts[] = {n, n}, places[] = {n + 2, 0};
    EITHER(Neighbor_allgatherv, Ineighbor_allgatherv, out.data(), n, type, in.data(), counts, places, type, w.ring);
    give(in);
  }

  void neighbor_alltoall() {
    const std::vector<Real> out = take(n);
    std::vector<Real> in(n);
    EITHER(Neighbor_alltoall, Ineighbor_alltoall, out.data(), n, type, in.data(), n, type, w.graph);
    give(in);
  }

  void neighbor_alltoallv() {
    const std::vector<Real> out = take(2 * n + 3);
    std::vector<Real> in(2 * n + 3, Real(0.25));
    const int counts[] = {n, n}, places[] = {n + 1, 0};
    EITHER(Neighbor_alltoallv, Ineighbor_alltoallv, out.data(), counts, places, type, in.data(), counts, places, type, w.ring);
    give(in);
  }

  void neighbor_alltoallw() {
    const std::vector<Real> out = take(4 * n + 4);
    std::vector<Real> in(4 * n + 4, Real(0.25));
    MPI_Datatype strided;
    MPI_Type_vector(n + 1, 1, 2, type, &strided);
    MPI_Type_commit(&strided);
    const int counts[] = {1, 1};
    const MPI_Aint places[] = {0, static_cast<MPI_Aint>(sizeof(Real))};
    const MPI_Datatype types[] = {strided, strided};
    EITHER(Neighbor_alltoallw, Ineighbor_alltoallw, out.data(), counts, places, types, in.data(), counts, places, types, w.ring);
    MPI_Type_free(&strided);
    give(in);
  }
#undef EITHER
};

/// A program: which steps, and where its random numbers begin.
struct recipe {
  unsigned seed;
  std::vector<int> steps;
};

using numbers = std::vector<double>;

template <class Real>
std::vector<Real> run(const world &w, const recipe &r, std::vector<Real> x, bool *packs = nullptr) {
  program<Real> p(w, r.seed, std::move(x));
  for (const int kind : r.steps) p.step(kind);
  if (packs != nullptr) *packs = p.packs();
  return p.values();
}

numbers plus(const numbers &x, double h, const numbers &v) {
  numbers y(x);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += h * v[i];
  return y;
}

struct comparison {
  double difference = 0.0, scale = 0.0;
  void add(double a, double b) {
    difference = std::fmax(difference, std::fabs(a - b));
    scale = std::fmax(scale, std::fmax(std::fabs(a), std::fabs(b)));
    if (std::isnan(a) || std::isnan(b)) difference = INFINITY;
  }
  void check(double tolerance) const {
    INFO("differs by ", difference, " of ", scale);
    CHECK(difference <= tolerance * std::fmax(1.0, scale));
  }
};

double dot(const numbers &a, const numbers &b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return test::sum_over_ranks(sum);
}

std::vector<tangent<double>> along(const numbers &x, const numbers &v) {
  std::vector<tangent<double>> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = {x[i], v[i]};
  return y;
}

numbers derivatives(const std::vector<tangent<double>> &y) {
  numbers d;
  for (const auto &one : y) d.push_back(one.derivative);
  return d;
}

void check_program(const world &w, const recipe &r) {
  const auto size = static_cast<std::size_t>(program<double>::pool);
  test::random next(r.seed);
  const numbers x = next(size), v = next(size), u = next(size), weight = next(size);
  bool packs = false;

  const numbers y = run<double>(w, r, x);
  const auto forward = run(w, r, along(x, v), &packs);
  comparison values, first, second_order;
  // Small, since third derivatives grow with the number of ranks.
  const double h = 1e-6;
  const numbers above = run<double>(w, r, plus(x, h, v)), below = run<double>(w, r, plus(x, -h, v));
  for (std::size_t i = 0; i < size; ++i) {
    values.add(y[i], forward[i].value);
    first.add((above[i] - below[i]) / (2 * h), forward[i].derivative);
  }
  values.check(1e-13);
  first.check(1e-6);

  std::vector<tangent<double, 3>> several(size);
  for (std::size_t i = 0; i < size; ++i) several[i] = {x[i], {{u[i], v[i], 0.0}}};
  several = run(w, r, several);
  comparison one_of_three;
  for (std::size_t i = 0; i < size; ++i) {
    one_of_three.add(forward[i].value, several[i].value);
    one_of_three.add(forward[i].derivative, several[i].derivative[1]);
    CHECK(several[i].derivative[2] == 0.0);
  }
  one_of_three.check(1e-13);

  std::vector<second> twice(size);
  for (std::size_t i = 0; i < size; ++i) twice[i] = {{x[i], u[i]}, {v[i], 0.0}};
  twice = run(w, r, twice);
  const auto up = run(w, r, along(plus(x, h, u), v)), down = run(w, r, along(plus(x, -h, u), v));
  numbers curvature;
  for (std::size_t i = 0; i < size; ++i) {
    second_order.add((up[i].derivative - down[i].derivative) / (2 * h), twice[i].derivative.derivative);
    second_order.add(forward[i].derivative, twice[i].derivative.value);
    curvature.push_back(twice[i].derivative.derivative);
  }
  second_order.check(1e-6);

  const double expected = dot(weight, derivatives(forward));
  if (packs) return;
  {
    test::recording_tape tape;
    std::vector<var> inputs(x.begin(), x.end());
    tape.input(inputs);
    const std::vector<var> outputs = run(w, r, inputs);
    for (std::size_t i = 0; i < size; ++i) tape.seed(outputs[i], weight[i]);
    tape.reverse();
    numbers gradient(size);
    for (std::size_t i = 0; i < size; ++i) gradient[i] = tape.adjoint(inputs[i]);
    comparison adjoint;
    adjoint.add(dot(gradient, v), expected);
    adjoint.check(1e-12);
  }
  {
    test::recording_tape tape;
    std::vector<var> inputs(x.begin(), x.end());
    tape.input(inputs);
    std::vector<tangent<var>> active(size);
    for (std::size_t i = 0; i < size; ++i) active[i] = {inputs[i], var(v[i])};
    active = run(w, r, active);
    for (const bool of_values : {false, true}) {
      tape.clear_adjoints();
      for (std::size_t i = 0; i < size; ++i) tape.seed(of_values ? active[i].value : active[i].derivative, weight[i]);
      tape.reverse();
      numbers gradient(size);
      for (std::size_t i = 0; i < size; ++i) gradient[i] = tape.adjoint(inputs[i]);
      comparison adjoint;
      if (of_values)
        adjoint.add(dot(gradient, v), expected);
      else
        adjoint.add(dot(gradient, u), dot(weight, curvature));
      adjoint.check(1e-11);
    }
  }
}

/// MPIs that spin are slow where ranks share a core: further rounds are left out then, on all ranks.
bool time_is_left(double since) {
  double seconds = MPI_Wtime() - since;
  MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return seconds < 5.0;
}

}  // namespace

TEST_CASE("test_tangents_through_every_call") {
  const world w;
  const double since = MPI_Wtime();
  for (unsigned seed = 0; seed < 6 && (seed == 0 || time_is_left(since)); ++seed) {
    CAPTURE(seed);
    for (int kind = 0; kind < program<double>::kinds; ++kind) {
      CAPTURE(kind);
      check_program(w, {1000u * static_cast<unsigned>(kind) + seed, {kind}});
    }
  }
}

TEST_CASE("test_tangents_through_mixtures_of_calls") {
  const world w;
  const double since = MPI_Wtime();
  std::mt19937 draw(4711);
  for (unsigned seed = 0; seed < 40 && (seed == 0 || time_is_left(since)); ++seed) {
    CAPTURE(seed);
    recipe r{seed, {}};
    for (int i = 0; i < 4; ++i) r.steps.push_back(static_cast<int>(draw() % program<double>::kinds));
    check_program(w, r);
  }
}
