// Random, correct programs that communicate, over the scalar: every rank draws the same program from a seed, and runs its part.
#ifndef ADMPI_TESTS_TOOLS_RANDOM_PROGRAMS_HPP
#define ADMPI_TESTS_TOOLS_RANDOM_PROGRAMS_HPP

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include "harness/random_numbers.hpp"
#include "tools/programs.hpp"

namespace programs {

using test::random_numbers;

template <class S>
struct random_program {
  static constexpr int pool = 12, longest = 4;
  random_numbers draw;
  MPI_Datatype type;
  list<S> &x;
  int serial = 0;

  /// What is under way: results arrive in `in`, and go to the pool from `to` on when all requests are complete.
  struct flight {
    std::vector<AMPI_Request> requests;
    list<S> out, in;
    std::vector<int> counts, displs;
    int to = 0;
  };
  std::vector<std::unique_ptr<flight>> flights;

  random_program(std::uint64_t seed, MPI_Datatype type_, list<S> &x_) : draw{seed}, type(type_), x(x_) {}

  int at(int n) { return draw.below(pool - n + 1); }
  void take(const list<S> &in, int to) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      S &into = x[(static_cast<std::size_t>(to) + i) % pool];
      into = sin(into * S(0.5) + in[i]);
    }
  }
  void local() {
    const int a = at(1), b = at(1), c = at(1);
    if (draw.chance(50)) x[a] = sin(x[b] * x[c]);
    else x[a] = x[b] + x[c] * S(0.3);
  }
  void complete(std::size_t which) {
    const std::unique_ptr<flight> one = std::move(flights[which]);
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(which));
    const int n = static_cast<int>(one->requests.size());
    switch (draw.below(3)) {
      case 0: AMPI_Waitall(n, one->requests.data(), MPI_STATUSES_IGNORE); break;
      case 1:
        for (int i = n; i-- > 0;) AMPI_Wait(&one->requests[i], MPI_STATUS_IGNORE);
        break;
      default:
        for (int left = n, i = 0; left > 0; --left) AMPI_Waitany(n, one->requests.data(), &i, MPI_STATUS_IGNORE);
    }
    take(one->in, one->to);
  }

  /// A message from everybody to whom a shift, or an exchange, sends it.
  void messages() {
    const int shift = draw.below(size()), n = draw.below(longest + 1), from = at(longest), to = draw.below(pool), tag = draw.below(100);
    const int more = draw.below(2), form = draw.below(6), source = (rank() + size() - shift) % size(), dest = (rank() + shift) % size();
    const bool any = draw.chance(30), gaps = draw.chance(30);
    auto f = std::make_unique<flight>();
    f->in.assign(static_cast<std::size_t>(n + more), S(0.25));
    f->out.assign(2 * longest + 1, S(0.0));
    f->to = to;
    MPI_Datatype spaced = type;
    if (gaps) {
      MPI_Type_create_resized(type, 0, 2 * static_cast<MPI_Aint>(sizeof(S)), &spaced);
      MPI_Type_commit(&spaced);
    }
    for (int i = 0; i < n; ++i) f->out[static_cast<std::size_t>(gaps ? 2 * i : i)] = x[from + i];
    if (form == 0) {
      AMPI_Sendrecv(f->out.data(), n, spaced, dest, tag, f->in.data(), n + more, type, source, any ? MPI_ANY_TAG : tag, world, MPI_STATUS_IGNORE);
      take(f->in, to);
    } else if (form == 1) {
      AMPI_Sendrecv_replace(x.data() + from, n, type, dest, tag, source, tag, world, MPI_STATUS_IGNORE);
    } else {
      f->requests.resize(2);
      // What is received from anyone must be the only message of its kind: each has a tag of its own.
      const int own = 1000 + serial++;
      AMPI_Irecv(f->in.data(), n + more, type, any && form == 2 ? MPI_ANY_SOURCE : source, own, world, &f->requests[0]);
      if (form == 3) AMPI_Issend(f->out.data(), n, spaced, dest, own, world, &f->requests[1]);
      else AMPI_Isend(f->out.data(), n, spaced, dest, own, world, &f->requests[1]);
      flights.push_back(std::move(f));
      if (form > 3) complete(flights.size() - 1);
    }
    if (gaps) MPI_Type_free(&spaced);
  }

  /// A collective on a part of the ranks in another order, or on all.
  void collective() {
    MPI_Comm comm = world;
    const bool part = draw.chance(30), blocking = part || draw.chance(60);
    if (part) AMPI_Comm_split(world, rank() % 2, -rank(), &comm);
    int ranks, me;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &me);
    const int what = draw.below(10), n = 1 + draw.below(longest), from = at(longest), root_of = draw.below(64), to = draw.below(pool);
    const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    const MPI_Op op = ops[draw.below(4)];
    const int root = root_of % ranks;
    const bool in_place = draw.chance(30);
    auto f = std::make_unique<flight>();
    f->to = to;
    f->requests.resize(1);
    f->out.assign(static_cast<std::size_t>(n * ranks), S(0.1));
    for (int i = 0; i < n * ranks; ++i) f->out[i] = x[(from + i) % pool];
    for (int r = 0; r < ranks; ++r) {
      f->counts.push_back((r + n) % 3);
      f->displs.push_back(r * (n + 1));
    }
    f->in.resize(static_cast<std::size_t>(ranks * (n + 3)), S(0.6));
    AMPI_Request *q = f->requests.data();
    S *const out = f->out.data(), *const in = f->in.data();
    const int *const c = f->counts.data(), *const d = f->displs.data();
    switch (what) {
      case 0: blocking ? AMPI_Bcast(in, n, type, root, comm) : AMPI_Ibcast(in, n, type, root, comm, q); break;
      case 1:
        if (in_place) std::copy(out, out + n, in);
        if (blocking) AMPI_Allreduce(in_place ? static_cast<S *>(MPI_IN_PLACE) : out, in, n, type, op, comm);
        else AMPI_Iallreduce(in_place ? static_cast<S *>(MPI_IN_PLACE) : out, in, n, type, op, comm, q);
        break;
      case 2: blocking ? AMPI_Reduce(out, in, n, type, op, root, comm) : AMPI_Ireduce(out, in, n, type, op, root, comm, q); break;
      case 3: blocking ? AMPI_Allgather(out, n, type, in, n, type, comm) : AMPI_Iallgather(out, n, type, in, n, type, comm, q); break;
      case 4: blocking ? AMPI_Alltoall(out, n, type, in, n, type, comm) : AMPI_Ialltoall(out, n, type, in, n, type, comm, q); break;
      case 5: blocking ? AMPI_Gatherv(out, c[me], type, in, c, d, type, root, comm) : AMPI_Igatherv(out, c[me], type, in, c, d, type, root, comm, q); break;
      case 6: blocking ? AMPI_Scatter(out, n, type, in, n, type, root, comm) : AMPI_Iscatter(out, n, type, in, n, type, root, comm, q); break;
      case 7: blocking ? AMPI_Scan(out, in, n, type, op, comm) : AMPI_Iscan(out, in, n, type, op, comm, q); break;
      case 8: blocking ? AMPI_Allgatherv(out, c[me], type, in, c, d, type, comm) : AMPI_Iallgatherv(out, c[me], type, in, c, d, type, comm, q); break;
      default:
        if (blocking) AMPI_Reduce_scatter_block(out, in, n, type, op, comm);
        else AMPI_Ireduce_scatter_block(out, in, n, type, op, comm, q);
    }
    if (blocking) take(f->in, to);
    else flights.push_back(std::move(f));
    if (part) AMPI_Comm_free(&comm);
  }

  void run() {
    for (int steps = 6 + draw.below(14); steps > 0; --steps) {
      const int what = draw.below(10);
      if (what < 3) local();
      else if (what < 6) messages();
      else if (what < 9) collective();
      if (!flights.empty() && draw.chance(40)) complete(static_cast<std::size_t>(draw.below(static_cast<int>(flights.size()))));
    }
    while (!flights.empty()) complete(flights.size() - 1);
  }
};

template <class S>
void random(std::uint64_t seed, MPI_Datatype type, list<S> &x, list<S> &y) {
  list<S> values(random_program<S>::pool, S(0.2));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] + x[i % x.size()] * S(0.7);
  random_program<S>(seed, type, values).run();
  y = values;
}

/// Programs from `count` on are random: their seeds count on.
template <class S>
void run(int which, MPI_Datatype type, list<S> &x, list<S> &y) {
  if (which < count) all<S>[which](type, x, y);
  else random<S>(static_cast<std::uint64_t>(which - count + 1), type, x, y);
}
/// How many of them tests run.
inline constexpr int random_programs = 24;

}  // namespace programs

#endif
