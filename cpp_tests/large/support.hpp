// What the tests of large counts share. They run with ADMPI_INT_MAX at 7, 64 and 1000, where counts of a few
// hundred take every way that a count past 2^31 takes, and compare with the same call of plain MPI.
#ifndef ADMPI_TESTS_LARGE_SUPPORT_HPP
#define ADMPI_TESTS_LARGE_SUPPORT_HPP

#include <admpi.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "harness/ranks.hpp"

namespace large {

using Bytes = std::vector<unsigned char>;

using test::rank_of;
using test::size_of;

// The limit in force; the tests make sense below a few thousand.
inline int limit() {
  const auto limit = static_cast<int>(BigMPI_Get_max_int());
  return limit < 5000 ? limit : 7;
}

// Counts around the limit and its multiples.
inline std::vector<int> counts() {
  const int l = limit();
  if (l > 500) return {0, 1, l, l + 1, 2 * l + 3};
  return {0, 1, l - 1, l, l + 1, 2 * l, 3 * l + 2, l * l + l / 2 + 1};
}

inline std::mt19937& generator() {
  static std::mt19937 generator(20);
  return generator;
}

// The same number on every rank, as long as all draw alike.
inline int draw(int below) { return static_cast<int>(generator()() % static_cast<unsigned>(below)); }

// A datatype and what it needs.
struct Kind {
  std::string name;
  MPI_Datatype type;
  MPI_Aint extent;
  bool owned;
};

// Predefined types, a pair type with a gap, and derived types whose extents are odd.
class Kinds {
 public:
  // What MPICH packs on its way (buffered sends, gathers, its own calls in place) cannot be received as pairs once
  // it is longer than 8 KiB: beyond small limits pairs are for calls that the library keeps clear of that.
#ifdef MPICH
  explicit Kinds(bool pairs = limit() < 50) {
#else
  explicit Kinds(bool pairs = true) {
#endif
    add("double", MPI_DOUBLE, false);
    add("short", MPI_SHORT, false);
    if (pairs) add("double_int", MPI_DOUBLE_INT, false);
    MPI_Datatype gaps, odd, part, far;
    MPI_Type_vector(2, 1, 3, MPI_INT, &part);
    MPI_Type_create_resized(part, 0, 19, &gaps);  // no multiple of an int's alignment
    MPI_Type_free(&part);
    const int lengths[] = {2, 1};
    const MPI_Aint starts[] = {1, 9};
    MPI_Type_create_hindexed(2, lengths, starts, MPI_CHAR, &odd);  // begins behind its address
    MPI_Type_create_resized(MPI_DOUBLE, 0, 24, &far);
    for (auto* type : {&gaps, &odd, &far}) MPI_Type_commit(type);
    add("gaps", gaps, true);
    add("odd", odd, true);
    add("far", far, true);
  }
  ~Kinds() {
    for (auto& kind : all)
      if (kind.owned) MPI_Type_free(&kind.type);
  }
  Kinds(const Kinds&) = delete;
  Kinds& operator=(const Kinds&) = delete;

  std::vector<Kind> all;

 private:
  void add(const char* name, MPI_Datatype type, bool owned) {
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    all.push_back({name, type, extent, owned});
  }
};

// Bytes that no two places or ranks have in common, as far as 8 bits allow.
inline Bytes pattern(MPI_Aint size, int seed) {
  Bytes bytes(static_cast<std::size_t>(size) + 64);
  std::uint32_t state = 2654435761u * static_cast<std::uint32_t>(seed + 1);
  for (auto& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return bytes;
}

// Small whole numbers as doubles, different at every place: sums of them are exact in every order.
inline std::vector<double> numbers(std::size_t n, int seed) {
  std::vector<double> x(n + 4);
  for (std::size_t i = 0; i < x.size(); i++)
    x[i] = static_cast<double>((i * 37 + static_cast<std::size_t>(seed) * 1009) % 4093) + 1;
  return x;
}

inline bool same(const Bytes& a, const Bytes& b) { return a == b; }

inline void wait(MPI_Request* request) {
  MPI_Status status;
  CHECK(MPI_Wait(request, &status) == MPI_SUCCESS);
}

// Waits in one of several ways, among plain requests.
inline void finish(MPI_Request request) {
  MPI_Request plain;
  int out = 0, in = 5;
  const int self = rank_of(MPI_COMM_WORLD);
  switch (draw(4)) {
    case 0: wait(&request); return;
    case 1: {
      int flag = 0;
      while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      return;
    }
    case 2: {
      MPI_Request plain_receive;
      MPI_Irecv(&out, 1, MPI_INT, self, 77, MPI_COMM_WORLD, &plain_receive);
      MPI_Isend(&in, 1, MPI_INT, self, 77, MPI_COMM_WORLD, &plain);
      MPI_Request both[] = {plain_receive, request, plain};
      MPI_Status statuses[3];
      CHECK(MPI_Waitall(3, both, statuses) == MPI_SUCCESS);
      CHECK(out == in);
      return;
    }
    default: {
      int index = -1;
      MPI_Request one[] = {MPI_REQUEST_NULL, request};
      CHECK(MPI_Waitany(2, one, &index, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(index == 1);
    }
  }
}

// Two groups of the world, split by rank parity, joined by an intercommunicator; null with one rank.
inline MPI_Comm make_intercomm() {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  if (size < 2) return MPI_COMM_NULL;
  MPI_Comm local, inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, rank % 2 == 0 ? 1 : 0, 9, &inter);
  MPI_Comm_free(&local);
  return inter;
}

}  // namespace large

#endif
