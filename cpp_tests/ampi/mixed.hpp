// Items that have passive parts beside active ones: pairs of a value and an index, the structures of particle codes.
#ifndef ADMPI_TESTS_AMPI_MIXED_HPP
#define ADMPI_TESTS_AMPI_MIXED_HPP

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "harness/identity.hpp"

namespace mixed {

using test::active;
using test::check_identity;
using test::paired;
using test::rank_of;
using test::ring;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::size_t inputs = 12;
inline int world_rank() { return rank_of(world); }

inline MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

/// A structure's type, with the extent of the structure.
inline MPI_Datatype structure(const std::vector<int> &lengths, const std::vector<MPI_Aint> &places,
                              const std::vector<MPI_Datatype> &types, std::size_t extent) {
  MPI_Datatype parts, made;
  MPI_Type_create_struct(static_cast<int>(lengths.size()), lengths.data(), places.data(), types.data(), &parts);
  MPI_Type_create_resized(parts, 0, static_cast<MPI_Aint>(extent), &made);
  MPI_Type_free(&parts);
  return committed(made);
}

inline void done_with(MPI_Datatype type) {
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

/// An item with room for another one behind it: `n` of them.
inline MPI_Datatype every_second(MPI_Datatype item, int n) {
  MPI_Datatype made;
  MPI_Type_vector(n, 1, 2, item, &made);
  return committed(made);
}

enum class content { active, cells, weights };

}  // namespace mixed

#endif
