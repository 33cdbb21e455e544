// The adjoint identity for programs over MPI. A program is written once, over a policy: `active` runs it with
// admpi::var and the AMPI_ calls, `paired` with (value, tangent) pairs and plain MPI. For random inputs x,
// tangents v and seeds w, <w, J v> == <J^T w, v>, summed over the ranks.
#ifndef ADMPI_TEST_HARNESS_HPP
#define ADMPI_TEST_HARNESS_HPP

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <list>
#include <random>
#include <string>
#include <vector>

#include <admpi.hpp>

#include "harness/ranks.hpp"
#include "harness/recording_tape.hpp"

/// The blocking call of a policy, or the nonblocking one with its completion.
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

namespace test {

/// The neighbours of a rank on a ring.
struct ring {
  int rank, size, left, right;
  explicit ring(MPI_Comm comm = MPI_COMM_WORLD)
      : rank(rank_of(comm)), size(size_of(comm)), left((rank + size - 1) % size), right((rank + 1) % size) {}
};

/// A type of `n` items with gaps between and behind, to be freed by the caller.
inline MPI_Datatype gapped(MPI_Datatype item, int n) {
  MPI_Datatype vector, made;
  MPI_Type_vector(n, 1, 2, item, &vector);
  MPI_Type_create_resized(vector, 0, (2 * n + 1) * 16, &made);
  MPI_Type_commit(&made);
  MPI_Type_free(&vector);
  return made;
}

/// Local work that is not linear.
template <class T>
std::vector<T> combine(const std::vector<T> &a, const std::vector<T> &b) {
  std::vector<T> y(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = sin(a[i] * b[i]) + b[i];
  return y;
}

/// Enters the library once a program.
inline void begin() {
  static const int begun = admpi_init(MPI_COMM_WORLD);
  REQUIRE(begun == ADMPI_SUCCESS);
}

/// What MPI says of an error.
inline std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

/// The text of the error that `call` returns, or "".
template <class Call>
std::string refusal(const Call &call) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = call();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return code == MPI_SUCCESS ? "" : text_of(code);
}

/// A value and its derivative in one direction: two doubles, laid out like a var.
struct pair {
  double value = 0.0;
  double dot = 0.0;

  pair() = default;
  pair(double v, double d = 0.0) : value(v), dot(d) {}
};
inline pair operator+(pair a, pair b) { return {a.value + b.value, a.dot + b.dot}; }
inline pair operator-(pair a, pair b) { return {a.value - b.value, a.dot - b.dot}; }
inline pair operator*(pair a, pair b) { return {a.value * b.value, a.dot * b.value + a.value * b.dot}; }
inline pair sin(pair a) { return {std::sin(a.value), std::cos(a.value) * a.dot}; }
inline pair exp(pair a) { return {std::exp(a.value), std::exp(a.value) * a.dot}; }
inline bool operator<(pair a, pair b) { return a.value < b.value; }

inline double value(double x) { return x; }
inline double value(const pair &x) { return x.value; }
inline double value(const admpi::var &x) { return x.value; }

enum class op { sum, product, min, max };

/// Reductions of pairs in rank order: the lower rank wins a tie.
template <op O>
void reduce_pairs(void *in, void *inout, int *n, MPI_Datatype *) {
  const pair *low = static_cast<pair *>(in);
  pair *high = static_cast<pair *>(inout);
  for (int i = 0; i < *n; ++i) {
    const pair a = low[i], b = high[i];
    if (O == op::sum) high[i] = a + b;
    if (O == op::product) high[i] = a * b;
    if (O == op::min) high[i] = b.value < a.value ? b : a;
    if (O == op::max) high[i] = a.value < b.value ? b : a;
  }
}

/// Plain MPI over pairs.
struct paired {
  using real = pair;
  using request = MPI_Request;
  static request null() { return MPI_REQUEST_NULL; }

  static MPI_Datatype type() {
    static const MPI_Datatype made = [] {
      MPI_Datatype t;
      MPI_Type_contiguous(2, MPI_DOUBLE, &t);
      MPI_Type_commit(&t);
      return t;
    }();
    // Freed as MPI ends: valgrind counts what is left.
    static const int ending = [] {
      int keyval = MPI_KEYVAL_INVALID;
      const auto release = [](MPI_Comm, int, void *type, void *) {
        return MPI_Type_free(static_cast<MPI_Datatype *>(type));
      };
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, release, &keyval, nullptr);
      static MPI_Datatype freed = made;
      MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &freed);
      return keyval;
    }();
    static_cast<void>(ending);
    return made;
  }
  template <op O>
  static MPI_Op make() {
    MPI_Op made;
    MPI_Op_create(&reduce_pairs<O>, 0, &made);
    return made;
  }
  static MPI_Op operation(op which) {
    static const MPI_Op made[] = {make<op::sum>(), make<op::product>(), make<op::min>(), make<op::max>()};
    return made[static_cast<int>(which)];
  }

#define ADMPI_TEST_FORWARD(name, function) \
  template <class... A>                    \
  static int name(A... a) {                \
    return MPI_##function(a...);           \
  }
#define ADMPI_TEST_CALLS                                                                                        \
  ADMPI_TEST_FORWARD(send, Send)                                                                                \
  ADMPI_TEST_FORWARD(recv, Recv)                                                                                \
  ADMPI_TEST_FORWARD(isend, Isend)                                                                              \
  ADMPI_TEST_FORWARD(irecv, Irecv)                                                                              \
  ADMPI_TEST_FORWARD(sendrecv, Sendrecv)                                                                        \
  ADMPI_TEST_FORWARD(wait, Wait)                                                                                \
  ADMPI_TEST_FORWARD(waitall, Waitall)                                                                          \
  ADMPI_TEST_FORWARD(waitany, Waitany)                                                                          \
  ADMPI_TEST_FORWARD(waitsome, Waitsome)                                                                        \
  ADMPI_TEST_FORWARD(test, Test)                                                                                \
  ADMPI_TEST_FORWARD(testall, Testall)                                                                          \
  ADMPI_TEST_FORWARD(testany, Testany)                                                                          \
  ADMPI_TEST_FORWARD(testsome, Testsome)                                                                        \
  ADMPI_TEST_FORWARD(request_free, Request_free)                                                                \
  ADMPI_TEST_FORWARD(cancel, Cancel)                                                                            \
  ADMPI_TEST_FORWARD(bsend, Bsend)                                                                              \
  ADMPI_TEST_FORWARD(ssend, Ssend)                                                                              \
  ADMPI_TEST_FORWARD(rsend, Rsend)                                                                              \
  ADMPI_TEST_FORWARD(ibsend, Ibsend)                                                                            \
  ADMPI_TEST_FORWARD(issend, Issend)                                                                            \
  ADMPI_TEST_FORWARD(irsend, Irsend)                                                                            \
  ADMPI_TEST_FORWARD(sendrecv_replace, Sendrecv_replace)                                                        \
  ADMPI_TEST_FORWARD(probe, Probe)                                                                              \
  ADMPI_TEST_FORWARD(iprobe, Iprobe)                                                                            \
  ADMPI_TEST_FORWARD(mprobe, Mprobe)                                                                            \
  ADMPI_TEST_FORWARD(improbe, Improbe)                                                                          \
  ADMPI_TEST_FORWARD(mrecv, Mrecv)                                                                              \
  ADMPI_TEST_FORWARD(imrecv, Imrecv)                                                                            \
  ADMPI_TEST_FORWARD(send_init, Send_init)                                                                      \
  ADMPI_TEST_FORWARD(bsend_init, Bsend_init)                                                                    \
  ADMPI_TEST_FORWARD(ssend_init, Ssend_init)                                                                    \
  ADMPI_TEST_FORWARD(rsend_init, Rsend_init)                                                                    \
  ADMPI_TEST_FORWARD(recv_init, Recv_init)                                                                      \
  ADMPI_TEST_FORWARD(start, Start)                                                                              \
  ADMPI_TEST_FORWARD(startall, Startall)                                                                        \
  ADMPI_TEST_FORWARD(request_get_status, Request_get_status)                                                    \
  ADMPI_TEST_FORWARD(pack, Pack)                                                                                \
  ADMPI_TEST_FORWARD(unpack, Unpack)                                                                            \
  ADMPI_TEST_FORWARD(pack_size, Pack_size)                                                                      \
  ADMPI_TEST_FORWARD(barrier, Barrier)                                                                          \
  ADMPI_TEST_FORWARD(ibarrier, Ibarrier)                                                                        \
  ADMPI_TEST_FORWARD(comm_dup, Comm_dup)                                                                        \
  ADMPI_TEST_FORWARD(comm_split, Comm_split)                                                                    \
  ADMPI_TEST_FORWARD(comm_create, Comm_create)                                                                  \
  ADMPI_TEST_FORWARD(intercomm_create, Intercomm_create)                                                        \
  ADMPI_TEST_FORWARD(intercomm_merge, Intercomm_merge)                                                          \
  ADMPI_TEST_FORWARD(comm_free, Comm_free)                                                                      \
  ADMPI_TEST_FORWARD(cart_create, Cart_create)                                                                  \
  ADMPI_TEST_FORWARD(cart_sub, Cart_sub)                                                                        \
  ADMPI_TEST_FORWARD(graph_create, Graph_create)                                                                \
  ADMPI_TEST_FORWARD(dist_graph_create_adjacent, Dist_graph_create_adjacent)
// Collectives without arrays of counts.
#define ADMPI_TEST_COUNTED                                                                                      \
  ADMPI_TEST_FORWARD(bcast, Bcast)                                                                              \
  ADMPI_TEST_FORWARD(ibcast, Ibcast)                                                                            \
  ADMPI_TEST_FORWARD(allreduce, Allreduce)                                                                      \
  ADMPI_TEST_FORWARD(iallreduce, Iallreduce)                                                                    \
  ADMPI_TEST_FORWARD(gather, Gather)                                                                            \
  ADMPI_TEST_FORWARD(igather, Igather)                                                                          \
  ADMPI_TEST_FORWARD(scatter, Scatter)                                                                          \
  ADMPI_TEST_FORWARD(iscatter, Iscatter)                                                                        \
  ADMPI_TEST_FORWARD(allgather, Allgather)                                                                      \
  ADMPI_TEST_FORWARD(iallgather, Iallgather)                                                                    \
  ADMPI_TEST_FORWARD(alltoall, Alltoall)                                                                        \
  ADMPI_TEST_FORWARD(ialltoall, Ialltoall)                                                                      \
  ADMPI_TEST_FORWARD(neighbor_allgather, Neighbor_allgather)                                                    \
  ADMPI_TEST_FORWARD(ineighbor_allgather, Ineighbor_allgather)                                                  \
  ADMPI_TEST_FORWARD(neighbor_alltoall, Neighbor_alltoall)                                                      \
  ADMPI_TEST_FORWARD(ineighbor_alltoall, Ineighbor_alltoall)
  ADMPI_TEST_CALLS
  ADMPI_TEST_COUNTED
  ADMPI_TEST_FORWARD(gatherv, Gatherv)
  ADMPI_TEST_FORWARD(igatherv, Igatherv)
  ADMPI_TEST_FORWARD(scatterv, Scatterv)
  ADMPI_TEST_FORWARD(iscatterv, Iscatterv)
  ADMPI_TEST_FORWARD(allgatherv, Allgatherv)
  ADMPI_TEST_FORWARD(iallgatherv, Iallgatherv)
  ADMPI_TEST_FORWARD(alltoallv, Alltoallv)
  ADMPI_TEST_FORWARD(ialltoallv, Ialltoallv)
  ADMPI_TEST_FORWARD(alltoallw, Alltoallw)
  ADMPI_TEST_FORWARD(ialltoallw, Ialltoallw)
  ADMPI_TEST_FORWARD(neighbor_allgatherv, Neighbor_allgatherv)
  ADMPI_TEST_FORWARD(ineighbor_allgatherv, Ineighbor_allgatherv)
  ADMPI_TEST_FORWARD(neighbor_alltoallv, Neighbor_alltoallv)
  ADMPI_TEST_FORWARD(ineighbor_alltoallv, Ineighbor_alltoallv)
#undef ADMPI_TEST_FORWARD
  /// Never in place: MPICH 4.0 crashes where the root is not rank 0.
  static int reduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op operation, int root, MPI_Comm comm) {
    const pair *brought = static_cast<const pair *>(out == MPI_IN_PLACE ? in : out);
    const std::vector<pair> copy(brought, brought + n);
    return MPI_Reduce(copy.data(), in, n, type, operation, root, comm);
  }
  static int ireduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op operation, int root, MPI_Comm comm,
                     MPI_Request *request) {
    static std::list<std::vector<pair>> copies;
    const pair *brought = static_cast<const pair *>(out == MPI_IN_PLACE ? in : out);
    copies.emplace_back(brought, brought + n);
    return MPI_Ireduce(copies.back().data(), in, n, type, operation, root, comm, request);
  }
};

/// Whether active values travel by the calls for counts past 2^31, which ADMPI_TEST_COUNTS=1 asks for.
inline bool &counted() {
  static bool wanted = [] {
    const char *text = std::getenv("ADMPI_TEST_COUNTS");
    return text != nullptr && *text == '1';
  }();
  return wanted;
}

/// A copy that lives as long as the program: calls that do not block may read it later.
template <class Wide>
const Wide *widened(const int *numbers, int n) {
  static std::list<std::vector<Wide>> copies;
  if (numbers == nullptr) return nullptr;
  copies.emplace_back(numbers, numbers + n);
  return copies.back().data();
}

/// How many neighbours send to this rank, and how many it sends to.
inline void degrees(MPI_Comm comm, int &sources, int &destinations) {
  int kind = MPI_UNDEFINED, weighted = 0;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_DIST_GRAPH) {
    MPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    return;
  }
  if (kind == MPI_CART) {
    MPI_Cartdim_get(comm, &sources);
    sources *= 2;
  } else {
    MPI_Graph_neighbors_count(comm, rank_of(comm), &sources);
  }
  destinations = sources;
}

/// Adjoint MPI over active values.
struct active {
  using real = admpi::var;
  using request = AMPI_Request;
  static request null() { return AMPI_REQUEST_NULL; }
  static MPI_Datatype type() { return AMPI_ADOUBLE; }
  static MPI_Op operation(op which) {
    const MPI_Op known[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    return known[static_cast<int>(which)];
  }
#define ADMPI_TEST_FORWARD(name, function) \
  template <class... A>                    \
  static int name(A... a) {                \
    return AMPI_##function(a...);          \
  }
  ADMPI_TEST_CALLS
#undef ADMPI_TEST_FORWARD

// The calls that have a form for counts past 2^31 and no arrays of them.
#define ADMPI_TEST_FORWARD(name, function)                                      \
  template <class... A>                                                         \
  static int name(A... a) {                                                     \
    return counted() ? AMPI_##function##_c(a...) : AMPI_##function(a...);       \
  }
  ADMPI_TEST_COUNTED
  ADMPI_TEST_FORWARD(reduce, Reduce)
  ADMPI_TEST_FORWARD(ireduce, Ireduce)
  ADMPI_TEST_FORWARD(scan, Scan)
  ADMPI_TEST_FORWARD(iscan, Iscan)
  ADMPI_TEST_FORWARD(exscan, Exscan)
  ADMPI_TEST_FORWARD(iexscan, Iexscan)
  ADMPI_TEST_FORWARD(reduce_scatter_block, Reduce_scatter_block)
  ADMPI_TEST_FORWARD(ireduce_scatter_block, Ireduce_scatter_block)
  ADMPI_TEST_FORWARD(reduce_local, Reduce_local)
#undef ADMPI_TEST_FORWARD

// Those with arrays. The request, if there is one, comes last.
#define ADMPI_TEST_LISTS(name, function)                                                                               \
  template <class S, class R, class... Q>                                                                              \
  static int name(S from, int n, MPI_Datatype t, R to, const int *counts, const int *displs, MPI_Datatype u, int root, \
                  MPI_Comm comm, Q... q) {                                                                             \
    if (!counted()) return AMPI_##function(from, n, t, to, counts, displs, u, root, comm, q...);                       \
    return AMPI_##function##_c(from, n, t, to, wide(counts, comm), places(displs, comm), u, root, comm, q...);         \
  }
  ADMPI_TEST_LISTS(gatherv, Gatherv)
  ADMPI_TEST_LISTS(igatherv, Igatherv)
#undef ADMPI_TEST_LISTS
#define ADMPI_TEST_LISTS(name, function)                                                                             \
  template <class S, class R, class... Q>                                                                            \
  static int name(S from, const int *counts, const int *displs, MPI_Datatype t, R to, int n, MPI_Datatype u, int root, \
                  MPI_Comm comm, Q... q) {                                                                           \
    if (!counted()) return AMPI_##function(from, counts, displs, t, to, n, u, root, comm, q...);                     \
    return AMPI_##function##_c(from, wide(counts, comm), places(displs, comm), t, to, n, u, root, comm, q...);       \
  }
  ADMPI_TEST_LISTS(scatterv, Scatterv)
  ADMPI_TEST_LISTS(iscatterv, Iscatterv)
#undef ADMPI_TEST_LISTS
#define ADMPI_TEST_LISTS(name, function, sources)                                                                 \
  template <class S, class R, class... Q>                                                                         \
  static int name(S from, int n, MPI_Datatype t, R to, const int *counts, const int *displs, MPI_Datatype u,      \
                  MPI_Comm comm, Q... q) {                                                                        \
    if (!counted()) return AMPI_##function(from, n, t, to, counts, displs, u, comm, q...);                        \
    const int m = sources(comm);                                                                                  \
    return AMPI_##function##_c(from, n, t, to, widened<MPI_Count>(counts, m), widened<MPI_Aint>(displs, m), u,    \
                               comm, q...);                                                                       \
  }
  ADMPI_TEST_LISTS(allgatherv, Allgatherv, size_of)
  ADMPI_TEST_LISTS(iallgatherv, Iallgatherv, size_of)
  ADMPI_TEST_LISTS(neighbor_allgatherv, Neighbor_allgatherv, sources_of)
  ADMPI_TEST_LISTS(ineighbor_allgatherv, Ineighbor_allgatherv, sources_of)
#undef ADMPI_TEST_LISTS
#define ADMPI_TEST_LISTS(name, function, destinations, sources, Type)                                                 \
  template <class S, class R, class... Q>                                                                             \
  static int name(S from, const int *sent, const int *at, Type t, R to, const int *received, const int *places, Type u, \
                  MPI_Comm comm, Q... q) {                                                                            \
    if (!counted()) return AMPI_##function(from, sent, at, t, to, received, places, u, comm, q...);                   \
    const int n = destinations(comm), m = sources(comm);                                                              \
    return AMPI_##function##_c(from, widened<MPI_Count>(sent, n), widened<MPI_Aint>(at, n), t, to,                    \
                               widened<MPI_Count>(received, m), widened<MPI_Aint>(places, m), u, comm, q...);         \
  }
  ADMPI_TEST_LISTS(alltoallv, Alltoallv, size_of, size_of, MPI_Datatype)
  ADMPI_TEST_LISTS(ialltoallv, Ialltoallv, size_of, size_of, MPI_Datatype)
  ADMPI_TEST_LISTS(alltoallw, Alltoallw, size_of, size_of, const MPI_Datatype *)
  ADMPI_TEST_LISTS(ialltoallw, Ialltoallw, size_of, size_of, const MPI_Datatype *)
  ADMPI_TEST_LISTS(neighbor_alltoallv, Neighbor_alltoallv, destinations_of, sources_of, MPI_Datatype)
  ADMPI_TEST_LISTS(ineighbor_alltoallv, Ineighbor_alltoallv, destinations_of, sources_of, MPI_Datatype)
#undef ADMPI_TEST_LISTS
#define ADMPI_TEST_LISTS(name, function)                                                                          \
  template <class S, class R, class... Q>                                                                         \
  static int name(S from, const int *sent, const MPI_Aint *at, const MPI_Datatype *t, R to, const int *received,  \
                  const MPI_Aint *places, const MPI_Datatype *u, MPI_Comm comm, Q... q) {                         \
    if (!counted()) return AMPI_##function(from, sent, at, t, to, received, places, u, comm, q...);               \
    return AMPI_##function##_c(from, widened<MPI_Count>(sent, destinations_of(comm)), at, t, to,                  \
                               widened<MPI_Count>(received, sources_of(comm)), places, u, comm, q...);            \
  }
  ADMPI_TEST_LISTS(neighbor_alltoallw, Neighbor_alltoallw)
  ADMPI_TEST_LISTS(ineighbor_alltoallw, Ineighbor_alltoallw)
#undef ADMPI_TEST_LISTS
#define ADMPI_TEST_LISTS(name, function)                                                                          \
  template <class S, class R, class... Q>                                                                         \
  static int name(S from, R to, const int *counts, MPI_Datatype t, MPI_Op op, MPI_Comm comm, Q... q) {            \
    return counted() ? AMPI_##function##_c(from, to, wide(counts, comm), t, op, comm, q...)                       \
                     : AMPI_##function(from, to, counts, t, op, comm, q...);                                      \
  }
  ADMPI_TEST_LISTS(reduce_scatter, Reduce_scatter)
  ADMPI_TEST_LISTS(ireduce_scatter, Ireduce_scatter)
#undef ADMPI_TEST_LISTS

 private:
  static int sources_of(MPI_Comm comm) {
    int sources = 0, destinations = 0;
    degrees(comm, sources, destinations);
    return sources;
  }
  static int destinations_of(MPI_Comm comm) {
    int sources = 0, destinations = 0;
    degrees(comm, sources, destinations);
    return destinations;
  }
  static const MPI_Count *wide(const int *counts, MPI_Comm comm) { return widened<MPI_Count>(counts, size_of(comm)); }
  static const MPI_Aint *places(const int *displs, MPI_Comm comm) { return widened<MPI_Aint>(displs, size_of(comm)); }
};

/// Numbers that differ from rank to rank and from call to call, and are the same in every run.
class random {
 public:
  explicit random(unsigned seed, MPI_Comm comm = MPI_COMM_WORLD)
      : engine_(1000003u * seed + 7919u * static_cast<unsigned>(rank_of(comm)) + 1u) {}
  double operator()() { return std::uniform_real_distribution<double>(-1.5, 1.5)(engine_); }
  std::vector<double> operator()(std::size_t n) {
    std::vector<double> x(n);
    for (double &v : x) v = (*this)();
    return x;
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

 private:
  std::mt19937_64 engine_;
};

inline double sum_over_ranks(double x) {
  double sum = 0.0;
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Compares <w, J v> with <J^T w, v> over all ranks, both already summed on each.
inline void check_equal(double tangent_side, double adjoint_side, double scale) {
  tangent_side = sum_over_ranks(tangent_side);
  adjoint_side = sum_over_ranks(adjoint_side);
  scale = sum_over_ranks(scale) + 1e-300;
  INFO("<w, J v> = ", tangent_side, ", <J^T w, v> = ", adjoint_side, ", scale ", scale);
  CHECK(std::abs(tangent_side - adjoint_side) <= 1e-13 * scale);
}

/// The inputs of a program: numbers of this test.
struct problem {
  std::vector<double> x, v;

  problem(std::size_t n, unsigned seed) {
    random next(seed);
    x = next(n);
    v = next(n);
  }
};

/// Runs `program(mpi, x)`, which returns its outputs, in both worlds and checks the identity at widths 1 and 4,
/// the values, and that a second sweep gives the same bits.
template <class Program>
void check_identity(std::size_t n, unsigned seed, const Program &program) {
  begin();
  const problem in(n, seed);

  std::vector<pair> px(n);
  for (std::size_t i = 0; i < n; ++i) px[i] = {in.x[i], in.v[i]};
  // A wildcard of one run must not catch a message of the other.
  MPI_Barrier(MPI_COMM_WORLD);
  const std::vector<pair> py = program(paired(), px);
  MPI_Barrier(MPI_COMM_WORLD);

  recording_tape tape;
  std::vector<admpi::var> ax(in.x.begin(), in.x.end());
  if (n > 0) tape.input(ax);
  const std::vector<admpi::var> inputs = ax;
  const std::vector<admpi::var> ay = program(active(), ax);
  tape.stop();

  REQUIRE(ay.size() == py.size());
  int wrong_values = 0;
  for (std::size_t i = 0; i < ay.size(); ++i)
    wrong_values += !(std::abs(ay[i].value - py[i].value) <= 1e-14 * (1.0 + std::abs(py[i].value)));
  CHECK(wrong_values == 0);

  for (const int width : {1, 4}) {
    CAPTURE(width);
    tape.set_width(width);
    random next(seed + 77);
    std::vector<std::vector<double>> w;
    for (int k = 0; k < width; ++k) w.push_back(next(ay.size()));
    std::vector<double> first;
    // Twice at the width that shows more.
    for (int sweep = 0; sweep < (width == 1 ? 1 : 2); ++sweep) {
      tape.clear_adjoints();
      for (int k = 0; k < width; ++k)
        for (std::size_t i = 0; i < ay.size(); ++i) tape.seed(ay[i], w[k][i], k);
      tape.reverse();
      std::vector<double> adjoints;
      for (int k = 0; k < width; ++k) {
        double tangent_side = 0.0, adjoint_side = 0.0, scale = 0.0;
        for (std::size_t i = 0; i < ay.size(); ++i) {
          tangent_side += w[k][i] * py[i].dot;
          scale += std::abs(w[k][i] * py[i].dot);
        }
        for (std::size_t i = 0; i < n; ++i) {
          const double adjoint = tape.adjoint(inputs[i], k);
          adjoints.push_back(adjoint);
          adjoint_side += in.v[i] * adjoint;
          scale += std::abs(in.v[i] * adjoint);
        }
        if (sweep == 0) check_equal(tangent_side, adjoint_side, scale);
      }
      if (sweep == 0) first = adjoints;
      CHECK(same_sums(first, adjoints));
    }
  }
}

/// n values that depend on the inputs, each in its own way.
template <class T>
std::vector<T> spread(const std::vector<T> &x, int n, double phase) {
  std::vector<T> y;
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    y.push_back(sin(x[at % x.size()] + T(phase + 0.01 * i)) * x[(at * 7 + 3) % x.size()]);
  }
  return y;
}

/// The outputs: nonlinear in what was received and kept, and what was sent, which still is what it was.
template <class T>
std::vector<T> outcome(const std::vector<T> &received, const std::vector<T> &sent) {
  std::vector<T> z;
  for (std::size_t i = 0; i < received.size(); ++i) z.push_back(sin(received[i]) * received[(i + 1) % received.size()]);
  for (const T &y : sent) z.push_back(y * y);
  return z;
}

}  // namespace test

#endif
