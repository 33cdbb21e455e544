// Intercommunicators: messages and collectives between two groups, of one size and of others, and what is made of them.
#include <string>
#include <type_traits>
#include <utility>

#include "harness/identity.hpp"

using test::check_identity;
using test::op;
using test::rank;
using test::rank_of;
using test::size;
using test::size_of;
using test::spread;
using test::world;

namespace {

/// MPICH 4.0.2 stops at an assertion in MPI_Ibcast on groups of 2 and 3 ranks, if the root is the last of the 3: it takes the root's rank
/// for one of the other group.
#ifdef MPICH_VERSION
constexpr bool ibcast_works = false;
#else
constexpr bool ibcast_works = true;
#endif

int remote_size(MPI_Comm comm) {
  int n = 0;
  MPI_Comm_remote_size(comm, &n);
  return n;
}

/// The first ranks and the others.
struct sides {
  MPI_Comm local = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  bool first = true;
  int here = 0, there = 0, own = 0;
};

template <class Mpi>
sides between(Mpi mpi, int first) {
  sides made;
  made.first = rank() < first;
  mpi.comm_split(world, made.first ? 0 : 1, rank(), &made.local);
  mpi.intercomm_create(made.local, 0, world, made.first ? first : 0, 9, &made.inter);
  made.here = size_of(made.inter);
  made.there = remote_size(made.inter);
  made.own = rank_of(made.inter);
  return made;
}

/// Both are gone before the sweep.
template <class Mpi>
void done_with(Mpi mpi, sides &made) {
  mpi.comm_free(&made.inter);
  mpi.comm_free(&made.local);
}

/// Runs `program(mpi, sides, x, y)` with groups of 1 and the rest, of halves, and the rest and 1.
template <class Program>
void check_between(unsigned seed, const Program &program) {
  if (size() == 1) return;
  for (const int first : {1, size() / 2, size() - 1}) {
    CAPTURE(first);
    check_identity(7, seed, [&](auto mpi, auto &x) {
      std::decay_t<decltype(x)> y;
      sides at = between(mpi, first);
      program(mpi, at, x, y);
      done_with(mpi, at);
      return y;
    });
  }
}

template <class T>
void add(std::vector<T> &y, const std::vector<T> &more) {
  for (std::size_t i = 0; i < more.size(); ++i) y.push_back(sin(more[i]) * more[(i + 1) % more.size()]);
}

template <class T>
std::vector<T> room(int n) {
  return std::vector<T>(static_cast<std::size_t>(n), T(0.25));
}

/// The root as each rank names it: rank `root` of the first group, or of the other.
int named(const sides &at, bool in_first, int root) {
  if (at.first != in_first) return root;
  return at.own == root ? MPI_ROOT : MPI_PROC_NULL;
}

/// For each group as the root's, and its first and last rank as the root.
template <class F>
void for_roots(const sides &at, F f) {
  for (const bool in_first : {true, false}) {
    const int ranks = at.first == in_first ? at.here : at.there;
    for (const int which : {0, ranks - 1}) f(named(at, in_first, which));
  }
}

std::vector<int> places(const std::vector<int> &counts) {
  std::vector<int> displs;
  int at = 1;
  for (const int n : counts) {
    displs.push_back(at);
    at += n + 1;
  }
  return displs;
}

int total(const std::vector<int> &counts) {
  int n = 2;
  for (const int one : counts) n += one + 1;
  return n;
}

/// A share for each rank of the own group, of the same number of values in both groups: `same` for each, or by `counts`.
template <class T>
void reduce_scatter(test::paired mpi, bool, const std::vector<T> &x, T *y, const std::vector<int> &counts, bool, op which,
                    const sides &at) {
  auto all = x;
  mpi.allreduce(x.data(), all.data(), static_cast<int>(x.size()), mpi.type(), mpi.operation(which), at.inter);
  auto share = all.begin();
  for (int i = 0; i < at.own; ++i) share += counts[static_cast<std::size_t>(i)];
  std::copy(share, share + counts[static_cast<std::size_t>(at.own)], y);
}
template <class T>
void reduce_scatter(test::active mpi, bool later, const std::vector<T> &x, T *y, const std::vector<int> &counts, bool same,
                    op which, const sides &at) {
  if (same) CALL(mpi, later, reduce_scatter_block, x.data(), y, counts[0], mpi.type(), mpi.operation(which), at.inter);
  else CALL(mpi, later, reduce_scatter, x.data(), y, counts.data(), mpi.type(), mpi.operation(which), at.inter);
}

}  // namespace

TEST_CASE("test_intercommunicators_messages") {
  check_between(1, [](auto mpi, const sides &at, auto &x, auto &y) {
    using T = typename decltype(mpi)::real;
    using request = typename decltype(mpi)::request;
    // Each to each of the other group, received in the order of arrival, then by rank.
    const auto out = spread(x, 3 * at.there, 0.2);
    auto in = room<T>(3 * at.there), last = room<T>(2 * at.there);
    std::vector<request> q;
    for (int i = 0; i < at.there; ++i) {
      q.push_back(mpi.null());
      mpi.isend(&out[static_cast<std::size_t>(3 * i)], 3, mpi.type(), i, 1, at.inter, &q.back());
    }
    for (int i = 0; i < at.there; ++i) {
      MPI_Status status;
      mpi.probe(MPI_ANY_SOURCE, 1, at.inter, &status);
      mpi.recv(&in[static_cast<std::size_t>(3 * status.MPI_SOURCE)], 3, mpi.type(), status.MPI_SOURCE, 1, at.inter, &status);
    }
    for (int i = 0; i < at.there; ++i) {
      q.push_back(mpi.null());
      mpi.irecv(&last[static_cast<std::size_t>(2 * i)], 2, mpi.type(), i, MPI_ANY_TAG, at.inter, &q.back());
      mpi.send(&out[static_cast<std::size_t>(i)], 2, mpi.type(), i, 2, at.inter);
    }
    mpi.waitall(static_cast<int>(q.size()), q.data(), MPI_STATUSES_IGNORE);
    if (at.own == 0)
      mpi.sendrecv_replace(last.data(), 2, mpi.type(), 0, 3, 0, 3, at.inter, MPI_STATUS_IGNORE);
    add(y, in);
    add(y, last);
    add(y, out);
  });
}

TEST_CASE("test_intercommunicators_rooted_calls") {
  for (const bool later : {false, true})
    check_between(2, [&](auto mpi, const sides &at, auto &x, auto &y) {
      using T = typename decltype(mpi)::real;
      for_roots(at, [&](int root) {
        const bool serves = root == MPI_ROOT, leaf = root >= 0;
        auto out = spread(x, 3, 0.1), in = room<T>(3);
        CALL(mpi, later && ibcast_works, bcast, serves ? out.data() : in.data(), 3, mpi.type(), root, at.inter);
        add(y, in);
        add(y, out);
        auto all = room<T>(2 * at.there);
        CALL(mpi, later, gather, out.data(), 2, mpi.type(), all.data(), 2, mpi.type(), root, at.inter);
        add(y, all);
        const auto parts = spread(x, 2 * at.there, 0.7);
        auto part = room<T>(2);
        CALL(mpi, later, scatter, parts.data(), 2, mpi.type(), part.data(), 2, mpi.type(), root, at.inter);
        add(y, part);
        for (const op which : {op::sum, op::product, op::min, op::max}) {
          auto result = room<T>(3);
          CALL(mpi, later, reduce, out.data(), result.data(), 3, mpi.type(), mpi.operation(which), root, at.inter);
          add(y, result);
        }
        // With counts, one of them 0.
        std::vector<int> counts;
        for (int i = 0; i < (leaf ? at.here : at.there); ++i) counts.push_back((i + 1) % 3);
        const std::vector<int> displs = places(counts);
        const auto some = spread(x, total(counts), 0.3);
        auto gathered = room<T>(total(counts)), scattered = room<T>(3);
        const int own = leaf ? counts[static_cast<std::size_t>(at.own)] : 0;
        CALL(mpi, later, gatherv, some.data(), own, mpi.type(), gathered.data(), counts.data(), displs.data(), mpi.type(),
             root, at.inter);
        CALL(mpi, later, scatterv, some.data(), counts.data(), displs.data(), mpi.type(), scattered.data(), own, mpi.type(),
             root, at.inter);
        add(y, gathered);
        add(y, scattered);
      });
    });
}

TEST_CASE("test_intercommunicators_calls_without_root") {
  for (const bool later : {false, true})
    check_between(3, [&](auto mpi, const sides &at, auto &x, auto &y) {
      using T = typename decltype(mpi)::real;
      // The groups send different numbers of values.
      const int n = at.first ? 2 : 3, m = at.first ? 3 : 2;
      const auto out = spread(x, 3 * at.there, 0.1);
      auto in = room<T>(3 * at.there);
      CALL(mpi, later, allgather, out.data(), n, mpi.type(), in.data(), m, mpi.type(), at.inter);
      add(y, in);
      CALL(mpi, later, alltoall, out.data(), n, mpi.type(), in.data(), m, mpi.type(), at.inter);
      add(y, in);
      for (const op which : {op::sum, op::product, op::min, op::max}) {
        auto result = room<T>(3);
        CALL(mpi, later, allreduce, out.data(), result.data(), 3, mpi.type(), mpi.operation(which), at.inter);
        add(y, result);
      }
      std::vector<int> theirs, sent, received;
      for (int i = 0; i < at.there; ++i) {
        theirs.push_back((i + (at.first ? 1 : 0)) % 3);
        sent.push_back((i + at.own) % 3);
        received.push_back((i + at.own) % 3);
      }
      const int own = (at.own + (at.first ? 0 : 1)) % 3;
      const std::vector<int> from = places(theirs), to = places(sent);
      const auto some = spread(x, total(sent) + 3, 0.3);
      auto gathered = room<T>(total(theirs)), exchanged = room<T>(total(received));
      CALL(mpi, later, allgatherv, some.data(), own, mpi.type(), gathered.data(), theirs.data(), from.data(), mpi.type(),
           at.inter);
      CALL(mpi, later, alltoallv, some.data(), sent.data(), to.data(), mpi.type(), exchanged.data(), received.data(),
           to.data(), mpi.type(), at.inter);
      CALL(mpi, later, barrier, at.inter);
      add(y, gathered);
      add(y, exchanged);
    });
}

TEST_CASE("test_intercommunicators_reduce_scatter") {
  for (const bool later : {false, true})
    check_between(5, [&](auto mpi, const sides &at, auto &x, auto &y) {
      using T = typename decltype(mpi)::real;
      for (const bool same : {true, false}) {
        const int n = same ? at.here * at.there : 7;
        std::vector<int> counts(static_cast<std::size_t>(at.here), at.there);
        if (!same) {
          int left = n;
          for (std::size_t i = 0; i < counts.size(); ++i) left -= counts[i] = static_cast<int>(i) % 3;
          // All that is left goes to the first of one group and to the last of the other, of which one may have none.
          (at.first ? counts.front() : counts.back()) += left;
        }
        const auto out = spread(x, n, 0.2);
        for (const op which : {op::sum, op::product, op::min, op::max}) {
          auto in = room<T>(counts[static_cast<std::size_t>(at.own)] + 1);
          reduce_scatter(mpi, later, out, in.data(), counts, same, which, at);
          // What lies behind the share is left alone.
          add(y, in);
        }
      }
    });
}

// Several under way, completed in another order in each group, among messages.
TEST_CASE("test_intercommunicators_completed_out_of_order") {
  check_between(4, [](auto mpi, const sides &at, auto &x, auto &y) {
    using T = typename decltype(mpi)::real;
    using request = typename decltype(mpi)::request;
    request q[4];
    const auto out = spread(x, 4, 0.1);
    auto in = room<T>(2), sum = room<T>(2), all = room<T>(2 * at.there), message = room<T>(2);
    const int root = named(at, true, 0);
    auto sent = spread(x, 2, 0.4);
    mpi.iallreduce(&out[0], sum.data(), 2, mpi.type(), mpi.operation(op::sum), at.inter, &q[0]);
    mpi.ibcast(root == MPI_ROOT ? sent.data() : in.data(), 2, mpi.type(), root, at.inter, &q[1]);
    mpi.iallgather(&out[2], 2, mpi.type(), all.data(), 2, mpi.type(), at.inter, &q[2]);
    if (at.own == 0) {
      mpi.irecv(message.data(), 2, mpi.type(), 0, 5, at.inter, &q[3]);
      mpi.send(&out[1], 2, mpi.type(), 0, 5, at.inter);
      mpi.wait(&q[3], MPI_STATUS_IGNORE);
    }
    for (const int i : {1, 2, 0}) mpi.wait(&q[at.first ? i : 2 - i], MPI_STATUS_IGNORE);
    add(y, in);
    add(y, sum);
    add(y, all);
    add(y, message);
  });
}

// A duplicate has its own messages; what is merged is an intracommunicator like any other.
TEST_CASE("test_intercommunicators_duplicated_and_merged") {
  check_between(5, [](auto mpi, const sides &at, auto &x, auto &y) {
    using T = typename decltype(mpi)::real;
    MPI_Comm twin, merged;
    mpi.comm_dup(at.inter, &twin);
    mpi.intercomm_merge(twin, at.first ? 0 : 1, &merged);
    const auto out = spread(x, 2, 0.1);
    auto sum = room<T>(2), other = room<T>(2), both = room<T>(2);
    mpi.allreduce(out.data(), sum.data(), 2, mpi.type(), mpi.operation(op::sum), twin);
    mpi.allreduce(sum.data(), other.data(), 2, mpi.type(), mpi.operation(op::sum), at.inter);
    mpi.allreduce(other.data(), both.data(), 2, mpi.type(), mpi.operation(op::sum), merged);
    CHECK(size_of(merged) == at.here + at.there);
    add(y, sum);
    add(y, other);
    add(y, both);
    mpi.comm_free(&merged);
    mpi.comm_free(&twin);
  });
}

// Ranks beside the root pass NULL for what does not count, and passive calls among active ones change nothing.
TEST_CASE("test_intercommunicators_passive_calls_and_bystanders") {
  check_between(6, [](auto mpi, const sides &at, auto &x, auto &y) {
    using T = typename decltype(mpi)::real;
    const auto out = spread(x, 2, 0.1);
    for (const bool in_first : {true, false}) {
      const int root = named(at, in_first, 0);
      double number = 1.5, got = 0.0;
      MPI_Bcast(root == MPI_ROOT ? &number : &got, 1, MPI_DOUBLE, root, at.inter);
      auto all = room<T>(2 * at.there);
      if (root == MPI_PROC_NULL)
        mpi.gather(static_cast<T *>(nullptr), 0, mpi.type(), static_cast<T *>(nullptr), 0, mpi.type(), root, at.inter);
      else
        mpi.gather(out.data(), 2, mpi.type(), all.data(), 2, mpi.type(), root, at.inter);
      add(y, all);
    }
  });
}

namespace {

/// A type of two numbers, and where they lie: without gaps, with gaps, backwards.
struct two_numbers {
  MPI_Datatype type;
  int extent, place[2];

  two_numbers(MPI_Datatype number, int kind, MPI_Aint size) {
    const int lengths[] = {1, 1}, there[3][2] = {{0, 1}, {0, 2}, {2, 0}};
    place[0] = there[kind][0];
    place[1] = there[kind][1];
    extent = kind == 0 ? 2 : 4;
    MPI_Datatype parts;
    AMPI_Type_indexed(2, lengths, place, number, &parts);
    AMPI_Type_create_resized(parts, 0, extent * size, &type);
    AMPI_Type_free(&parts);
    AMPI_Type_commit(&type);
  }
  ~two_numbers() { AMPI_Type_free(&type); }
  std::size_t at(int k) const { return static_cast<std::size_t>(k / 2 * extent + place[k % 2]); }
};

template <class T, class Call>
void check_types_with_gaps(MPI_Datatype number, const sides &at, Call call) {
  constexpr int items = 3;
  for (const bool in_first : {true, false}) {
    for (const int kind : {0, 1, 2}) {
      const int roots = at.first == in_first ? at.here : at.there;
      const int root = named(at, in_first, roots - 1);
      const two_numbers of(number, (kind + rank()) % 3, sizeof(T));
      std::vector<T> x(static_cast<std::size_t>(items * of.extent), T(-1.0));
      const bool is_root = root == MPI_ROOT;
      for (int k = 0; is_root && k < 2 * items; ++k) x[of.at(k)] = T(100.0 + k);
      call(x.data(), items, of.type, root);
      if (root < 0) continue;
      CAPTURE(kind);
      for (int k = 0; k < 2 * items; ++k) CHECK(admpi::value(x[of.at(k)]) == 100.0 + k);
    }
  }
}

template <class T>
void check_broadcasts_of_types_with_gaps(MPI_Datatype number) {
  for (const int first : {1, size() / 2, size() - 1}) {
    CAPTURE(first);
    sides at = between(test::active(), first);
    check_types_with_gaps<T>(number, at, [&](T *x, int n, MPI_Datatype type, int root) { AMPI_Bcast(x, n, type, root, at.inter); });
    check_types_with_gaps<T>(number, at, [&](T *x, int n, MPI_Datatype type, int root) {
      AMPI_Request q;
      AMPI_Ibcast(x, n, type, root, at.inter, &q);
      AMPI_Wait(&q, MPI_STATUS_IGNORE);
    });
    check_types_with_gaps<T>(number, at, [&](T *x, int n, MPI_Datatype type, int root) {
      AMPI_Request q;
      AMPI_Bcast_init(x, n, type, root, at.inter, MPI_INFO_NULL, &q);
      AMPI_Start(&q);
      AMPI_Wait(&q, MPI_STATUS_IGNORE);
      AMPI_Request_free(&q);
    });
    done_with(test::active(), at);
  }
}

}  // namespace

// An MPI moves them to wrong places if the root is not the first of its group.
TEST_CASE("test_intercommunicators_passive_types_with_gaps") {
  test::begin();
  if (size() == 1) return;
  check_broadcasts_of_types_with_gaps<double>(MPI_DOUBLE);
  check_broadcasts_of_types_with_gaps<admpi::tangent<double>>(admpi::mpi_type<admpi::tangent<double>>());
}

namespace {

/// A type of one number or two, and where they lie: without gaps, with gaps, backwards.
struct numbers {
  MPI_Datatype type;
  int per, extent, place[2];

  numbers(MPI_Datatype number, int kind, MPI_Aint size) {
    static const struct {
      int per, extent, place[2];
    } kinds[] = {{1, 1, {0, 0}}, {2, 2, {0, 1}}, {2, 4, {0, 2}}, {2, 4, {2, 0}}, {1, 3, {1, 0}}};
    const auto &of = kinds[kind % 5];
    per = of.per;
    extent = of.extent;
    for (const int k : {0, 1}) place[k] = of.place[k];
    const int lengths[] = {1, 1};
    MPI_Datatype parts;
    AMPI_Type_indexed(per, lengths, place, number, &parts);
    AMPI_Type_create_resized(parts, 0, extent * size, &type);
    AMPI_Type_free(&parts);
    AMPI_Type_commit(&type);
  }
  ~numbers() { AMPI_Type_free(&type); }
};

/// A buffer of parts, each of so many numbers; an item lies before each where the call takes displacements.
template <class T>
struct parts_of {
  numbers of;
  std::vector<int> sizes, counts, displs;
  std::vector<T> room;

  parts_of(MPI_Datatype number, int kind, std::vector<int> n, bool displaced)
      : of(number, kind, sizeof(T)), sizes(std::move(n)) {
    int items = 0;
    for (const int one : sizes) {
      displs.push_back(items += displaced ? 1 : 0);
      items += one / of.per;
      counts.push_back(one / of.per);
    }
    room.assign(static_cast<std::size_t>((items + 1) * of.extent), T(-1.0));
  }
  int count() const { return counts.empty() ? 0 : counts[0]; }
  /// Calls `f(element, part, number in the part)`.
  template <class F>
  void each(F f) {
    for (std::size_t part = 0; part < sizes.size(); ++part)
      for (int k = 0; k < sizes[part]; ++k)
        f(room[static_cast<std::size_t>((displs[part] + k / of.per) * of.extent + of.place[k % of.per])], part, k);
  }
};

enum class moves { gather, scatter, allgather, alltoall };

struct movement {
  moves call;
  bool by_lists, later;
  int round;
  /// Where the root is.
  bool in_first;
};

/// The call that blocks, or the other one.
#define EITHER(now, begin, later, ...)        \
  do {                                        \
    AMPI_Request request = AMPI_REQUEST_NULL; \
    if (later)                                \
      begin(__VA_ARGS__, &request);           \
    else                                      \
      now(__VA_ARGS__);                       \
    AMPI_Wait(&request, MPI_STATUS_IGNORE);   \
  } while (0)

/// How many numbers go from rank to rank of the world: even, so that every type fits.
int length(const movement &what, int from, int to) {
  if (!what.by_lists) return from < to ? 2 : 4;
  return 2 * ((from + (what.call == moves::allgather ? 0 : 2 * to) + what.round) % 3);
}

double number_sent(const movement &what, int from, int to, int k) {
  return 100.0 * from + (what.call == moves::allgather ? 0 : 10.0 * to) + k;
}

double weight(int from, int to, int k) { return 1.0 + from + 0.25 * to + 0.0625 * k; }

/// Makes one call between the groups, whose members use types of their own.
template <class T>
void check_movement(const movement &what, const sides &at, MPI_Datatype number) {
  const int last = (at.first == what.in_first ? at.here : at.there) - 1, root = named(at, what.in_first, last);
  const bool rooted = what.call == moves::gather || what.call == moves::scatter;
  const auto serves = [&](int i, bool many) { return !rooted || (many ? root == MPI_ROOT : root == i); };
  std::vector<int> to, from, out_sizes, in_sizes;
  for (int i = 0; i < at.there; ++i) {
    const int other = i + (at.first ? at.here : 0);
    if (serves(i, what.call == moves::scatter)) to.push_back(other), out_sizes.push_back(length(what, rank(), other));
    if (serves(i, what.call == moves::gather)) from.push_back(other), in_sizes.push_back(length(what, other, rank()));
  }
  if (what.call == moves::allgather) out_sizes.resize(1);
  const bool out_listed = what.call == moves::alltoall || (what.call == moves::scatter && root == MPI_ROOT);
  const bool in_listed = !rooted || (what.call == moves::gather && root == MPI_ROOT);
  parts_of<T> out(number, what.round + rank(), out_sizes, what.by_lists && out_listed);
  parts_of<T> in(number, what.round + 2 * rank() + 1, in_sizes, what.by_lists && in_listed);
  test::recording_tape tape;
  out.each([&](T &x, std::size_t part, int k) {
    x = T(number_sent(what, rank(), to[part], k));
    if constexpr (std::is_same_v<T, admpi::var>) tape.input(x);
  });
  const auto *n = out.counts.data(), *m = in.counts.data(), *a = out.displs.data(), *b = in.displs.data();
  T *x = out.room.data(), *y = in.room.data();
  MPI_Datatype t = out.of.type, u = in.of.type;
  switch (what.call) {
    case moves::gather:
      if (what.by_lists) EITHER(AMPI_Gatherv, AMPI_Igatherv, what.later, x, out.count(), t, y, m, b, u, root, at.inter);
      else EITHER(AMPI_Gather, AMPI_Igather, what.later, x, out.count(), t, y, in.count(), u, root, at.inter);
      break;
    case moves::scatter:
      if (what.by_lists) EITHER(AMPI_Scatterv, AMPI_Iscatterv, what.later, x, n, a, t, y, in.count(), u, root, at.inter);
      else EITHER(AMPI_Scatter, AMPI_Iscatter, what.later, x, out.count(), t, y, in.count(), u, root, at.inter);
      break;
    case moves::allgather:
      if (what.by_lists) EITHER(AMPI_Allgatherv, AMPI_Iallgatherv, what.later, x, out.count(), t, y, m, b, u, at.inter);
      else EITHER(AMPI_Allgather, AMPI_Iallgather, what.later, x, out.count(), t, y, in.count(), u, at.inter);
      break;
    case moves::alltoall:
      if (what.by_lists) EITHER(AMPI_Alltoallv, AMPI_Ialltoallv, what.later, x, n, a, t, y, m, b, u, at.inter);
      else EITHER(AMPI_Alltoall, AMPI_Ialltoall, what.later, x, out.count(), t, y, in.count(), u, at.inter);
  }
  in.each([&](T &got, std::size_t part, int k) { CHECK(admpi::value(got) == number_sent(what, from[part], rank(), k)); });
  tape.stop();
  if constexpr (std::is_same_v<T, admpi::var>) {
    in.each([&](T &got, std::size_t part, int k) { tape.seed(got, weight(from[part], rank(), k)); });
    tape.reverse();
    out.each([&](T &sent, std::size_t part, int k) {
      double all = 0.0;
      for (std::size_t i = 0; i < to.size(); ++i)
        if (i == part || what.call == moves::allgather) all += weight(rank(), to[i], k);
      CHECK(tape.adjoint(sent) == all);
    });
  }
}

template <class T>
void check_movements(MPI_Datatype number) {
  for (const int first : {1, size() / 2, size() - 1}) {
    sides at = between(test::active(), first);
    for (const moves call : {moves::gather, moves::scatter, moves::allgather, moves::alltoall})
      for (int i = 0; i < 24; ++i) {
        const movement what{call, i % 2 == 0, i / 2 % 2 == 0, i / 8, i / 4 % 2 == 0};
        CAPTURE(first);
        CAPTURE(static_cast<int>(call));
        CAPTURE(i);
        check_movement<T>(what, at, number);
      }
    done_with(test::active(), at);
  }
}

}  // namespace

// An MPI takes the type of a group's first member for that of all.
TEST_CASE("test_intercommunicators_types_that_differ_within_a_group") {
  test::begin();
  if (size() == 1) return;
  check_movements<double>(MPI_DOUBLE);
  check_movements<admpi::tangent<double>>(admpi::mpi_type<admpi::tangent<double>>());
  check_movements<admpi::var>(AMPI_ADOUBLE);
}

TEST_CASE("test_intercommunicators_what_is_refused") {
  test::begin();
  if (size() == 1) return;
  test::recording_tape tape;
  admpi::var x = 1.0, y;
  tape.input(x);
  MPI_Comm half, inter;
  MPI_Comm_split(world, rank() == 0 ? 0 : 1, rank(), &half);
  MPI_Intercomm_create(half, 0, world, rank() == 0 ? 1 : 0, 9, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  const auto says = [](int code, const char *text) {
    CHECK(code != MPI_SUCCESS);
    CHECK(test::text_of(code).find(text) != std::string::npos);
  };
  // One that MPI made: nobody has told the library of it.
  says(AMPI_Send(&x, 1, AMPI_ADOUBLE, 0, 0, inter), "AMPI_Comm_register");
  says(AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, inter), "AMPI_Comm_register");
  REQUIRE(AMPI_Comm_register(inter) == MPI_SUCCESS);
  says(AMPI_Scan(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, inter), "intercommunicator");
  AMPI_Request q = AMPI_REQUEST_NULL;
  says(AMPI_Iexscan(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, inter, &q), "intercommunicator");
  says(AMPI_Reduce_scatter_block(MPI_IN_PLACE, &y, 1, AMPI_ADOUBLE, MPI_SUM, inter), "sendbuf is MPI_IN_PLACE");
  MPI_Op own;
  AMPI_Op_create([](void *, void *, int *, MPI_Datatype *) {}, 1, &own);
  says(AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, own, inter), "intercommunicator");
  AMPI_Op_free(&own);
  CHECK(AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_SUM, inter) == MPI_SUCCESS);
  tape.stop();
  tape.seed(y, 1.0 + rank());
  tape.reverse();
  const double others = rank() == 0 ? 0.5 * size() * (size() + 1) - 1.0 : 1.0;
  CHECK(tape.adjoint(x) == others);
  AMPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}
