// Collectives and reductions, each with its in-place twin.
#include "harness/identity.hpp"

#include <limits>

using test::check_identity;
using test::op;
using test::rank_of;
using test::size_of;

namespace {

const int counts[] = {0, 1, 150};

int world_size() { return size_of(MPI_COMM_WORLD); }
int world_rank() { return rank_of(MPI_COMM_WORLD); }

template <class T>
std::vector<T> mix(const std::vector<T> &a) {
  std::vector<T> y(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) y[i] = sin(a[i]) * a[(i + 1) % a.size()];
  return y;
}

/// Calls f(n, root) for all roots, and for one of them with all counts.
template <class F>
void for_roots(const F &f) {
  for (int root = 0; root < world_size(); ++root)
    for (const int n : counts) {
      if (n != 1 && root != world_size() / 2) continue;
      CAPTURE(n);
      CAPTURE(root);
      f(n, root);
    }
}

const op all_operations[] = {op::sum, op::product, op::min, op::max};

}  // namespace

TEST_CASE("test_collectives_bcast") {
  for_roots([](int n, int root) {
    check_identity(n, 1, [&](auto mpi, auto &x) {
      auto y = mix(x);
      mpi.bcast(y.data(), n, mpi.type(), root, MPI_COMM_WORLD);
      auto z = mix(y);
      for (int i = 0; i < n; ++i) z[i] = z[i] + x[i] * y[i];
      return z;
    });
  });
}

TEST_CASE("test_collectives_bcast_root_keeps_its_ids") {
  // The root's buffer is not overwritten: what it made from it before and what it makes after add up.
  check_identity(3, 2, [](auto mpi, auto &x) {
    auto before = mix(x);
    mpi.bcast(x.data(), 3, mpi.type(), 0, MPI_COMM_WORLD);
    auto after = mix(x);
    before.insert(before.end(), after.begin(), after.end());
    return before;
  });
}

TEST_CASE("test_collectives_reduce") {
  for (const op which : all_operations)
    for_roots([&](int n, int root) {
      check_identity(n, 3, [&](auto mpi, auto &x) {
        auto out = mix(x);
        auto in = mix(out);
        mpi.reduce(out.data(), in.data(), n, mpi.type(), mpi.operation(which), root, MPI_COMM_WORLD);
        return mix(in);
      });
    });
}

TEST_CASE("test_collectives_reduce_in_place") {
  for (const op which : all_operations)
    for_roots([&](int n, int root) {
      check_identity(n, 4, [&](auto mpi, auto &x) {
        auto y = mix(x);
        if (world_rank() == root)
          mpi.reduce(static_cast<const void *>(MPI_IN_PLACE), y.data(), n, mpi.type(), mpi.operation(which), root,
                     MPI_COMM_WORLD);
        else
          mpi.reduce(y.data(), static_cast<void *>(nullptr), n, mpi.type(), mpi.operation(which), root, MPI_COMM_WORLD);
        return mix(y);
      });
    });
}

TEST_CASE("test_collectives_allreduce") {
  for (const op which : all_operations)
    for (const int n : counts) {
      CAPTURE(n);
      check_identity(n, 5, [&](auto mpi, auto &x) {
        auto out = mix(x);
        auto in = mix(out);
        mpi.allreduce(out.data(), in.data(), n, mpi.type(), mpi.operation(which), MPI_COMM_WORLD);
        for (int i = 0; i < n; ++i) in[i] = in[i] * out[i];
        return in;
      });
    }
}

TEST_CASE("test_collectives_allreduce_in_place") {
  for (const op which : all_operations)
    for (const int n : counts) {
      CAPTURE(n);
      check_identity(n, 6, [&](auto mpi, auto &x) {
        auto y = mix(x);
        auto old = y;
        mpi.allreduce(static_cast<const void *>(MPI_IN_PLACE), y.data(), n, mpi.type(), mpi.operation(which),
                      MPI_COMM_WORLD);
        for (int i = 0; i < n; ++i) y[i] = y[i] * old[i];
        return y;
      });
    }
}

TEST_CASE("test_collectives_product_with_zeros") {
  // No zero, one, two and P of them among the ranks; also next to an infinite factor.
  check_identity(5, 7, [](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    const int rank = world_rank(), size = world_size();
    std::vector<real> zero(5), out(5), in(5);
    for (int i = 0; i < 5; ++i) zero[i] = x[i] - real(test::value(x[i]));
    out[0] = x[0];
    out[1] = rank == 0 ? zero[1] : x[1];
    out[2] = rank < 2 ? zero[2] : x[2];
    out[3] = zero[3];
    out[4] = rank == size - 1 ? zero[4] : x[4];
    mpi.allreduce(out.data(), in.data(), 5, mpi.type(), mpi.operation(op::product), MPI_COMM_WORLD);
    std::vector<real> rooted(5);
    mpi.reduce(out.data(), rooted.data(), 5, mpi.type(), mpi.operation(op::product), size - 1, MPI_COMM_WORLD);
    if (rank == size - 1) in.insert(in.end(), rooted.begin(), rooted.end());
    return in;
  });
}

TEST_CASE("test_collectives_zero_wins_over_infinity_in_a_product") {
  test::begin();
  const int rank = world_rank(), size = world_size();
  if (size < 3) return;
  test::recording_tape tape;
  admpi::var x = rank == 0 ? 0.0 : rank == 1 ? std::numeric_limits<double>::infinity() : 2.0, y;
  tape.input(x);
  AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, MPI_PROD, MPI_COMM_WORLD);
  tape.seed(y, rank == 0 ? 1.0 : 0.0);
  tape.reverse();
  // Rank 1 is multiplied by zero on rank 0, rank 0 by infinity on rank 1; the others by both.
  const double adjoint = tape.adjoint(x);
  if (rank == 0) CHECK(std::isinf(adjoint));
  if (rank >= 1) CHECK(adjoint == 0.0);
}

TEST_CASE("test_collectives_ties_go_to_the_lowest_rank_once") {
  for (const op which : {op::min, op::max}) {
    check_identity(4, 8, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      const int rank = world_rank();
      std::vector<real> out(4), in(4), rooted(4);
      for (int i = 0; i < 4; ++i) {
        // All alike; all but rank 0 alike and better; signed zeros; all different.
        const double value[] = {1.0, rank == 0 ? 0.0 : (which == op::min ? -3.0 : 3.0), rank % 2 ? 0.0 : -0.0,
                                static_cast<double>(rank)};
        out[i] = x[i] - real(test::value(x[i])) + real(value[i]);
      }
      mpi.allreduce(out.data(), in.data(), 4, mpi.type(), mpi.operation(which), MPI_COMM_WORLD);
      mpi.reduce(out.data(), rooted.data(), 4, mpi.type(), mpi.operation(which), world_size() / 2, MPI_COMM_WORLD);
      if (rank == world_size() / 2) in.insert(in.end(), rooted.begin(), rooted.end());
      return in;
    });
  }
}

TEST_CASE("test_collectives_gather") {
  for_roots([](int n, int root) {
    check_identity(n, 9, [&](auto mpi, auto &x) {
      auto out = mix(x);
      auto in = out;
      in.resize(world_rank() == root ? n * world_size() : 0);
      mpi.gather(out.data(), n, mpi.type(), in.data(), n, mpi.type(), root, MPI_COMM_WORLD);
      return mix(in);
    });
  });
}

TEST_CASE("test_collectives_gather_in_place") {
  for_roots([](int n, int root) {
    check_identity(n, 10, [&](auto mpi, auto &x) {
      auto out = mix(x);
      if (world_rank() != root) {
        mpi.gather(out.data(), n, mpi.type(), static_cast<void *>(nullptr), 0, MPI_DATATYPE_NULL, root,
                   MPI_COMM_WORLD);
        return out;
      }
      auto in = out;
      in.assign(n * world_size(), typename decltype(mpi)::real(0.5));
      for (int i = 0; i < n; ++i) in[root * n + i] = out[i];
      mpi.gather(static_cast<const void *>(MPI_IN_PLACE), 0, MPI_DATATYPE_NULL, in.data(), n, mpi.type(), root,
                 MPI_COMM_WORLD);
      return mix(in);
    });
  });
}

TEST_CASE("test_collectives_scatter") {
  for_roots([](int n, int root) {
    check_identity(n * world_size(), 11, [&](auto mpi, auto &x) {
      auto out = mix(x);
      auto in = out;
      in.resize(n);
      mpi.scatter(out.data(), n, mpi.type(), in.data(), n, mpi.type(), root, MPI_COMM_WORLD);
      return mix(in);
    });
  });
}

TEST_CASE("test_collectives_scatter_in_place") {
  for_roots([](int n, int root) {
    check_identity(n * world_size(), 12, [&](auto mpi, auto &x) {
      auto out = mix(x);
      if (world_rank() == root) {
        mpi.scatter(out.data(), n, mpi.type(), static_cast<void *>(MPI_IN_PLACE), 0, MPI_DATATYPE_NULL, root,
                    MPI_COMM_WORLD);
        return mix(out);
      }
      auto in = out;
      in.resize(n);
      mpi.scatter(static_cast<const void *>(nullptr), 0, MPI_DATATYPE_NULL, in.data(), n, mpi.type(), root,
                  MPI_COMM_WORLD);
      return mix(in);
    });
  });
}

TEST_CASE("test_collectives_allgather") {
  for (const int n : counts) {
    CAPTURE(n);
    check_identity(n, 13, [&](auto mpi, auto &x) {
      auto out = mix(x);
      auto in = out;
      in.resize(n * world_size());
      mpi.allgather(out.data(), n, mpi.type(), in.data(), n, mpi.type(), MPI_COMM_WORLD);
      return mix(in);
    });
  }
}

TEST_CASE("test_collectives_allgather_in_place") {
  for (const int n : counts) {
    CAPTURE(n);
    check_identity(n * world_size(), 14, [&](auto mpi, auto &x) {
      // What stands in the others' segments is overwritten, and must get nothing back.
      auto y = mix(x);
      mpi.allgather(static_cast<const void *>(MPI_IN_PLACE), 0, MPI_DATATYPE_NULL, y.data(), n, mpi.type(),
                    MPI_COMM_WORLD);
      return mix(y);
    });
  }
}

TEST_CASE("test_collectives_chained") {
  check_identity(6, 15, [](auto mpi, auto &x) {
    const int size = world_size();
    auto y = x;
    for (int step = 0; step < 5; ++step) {
      const int root = step % size;
      auto sum = y;
      mpi.allreduce(y.data(), sum.data(), 6, mpi.type(), mpi.operation(all_operations[step % 4]), MPI_COMM_WORLD);
      mpi.bcast(sum.data(), 3, mpi.type(), root, MPI_COMM_WORLD);
      auto all = y;
      all.resize(2 * size);
      mpi.gather(sum.data() + 1, 2, mpi.type(), all.data(), 2, mpi.type(), root, MPI_COMM_WORLD);
      if (world_rank() == root) all = mix(all);
      mpi.scatter(all.data(), 2, mpi.type(), y.data() + 2, 2, mpi.type(), root, MPI_COMM_WORLD);
      mpi.barrier(MPI_COMM_WORLD);
      for (int i = 0; i < 6; ++i) y[i] = sin(y[i] * x[i]) + sum[i] * 0.5;
    }
    return y;
  });
}

TEST_CASE("test_collectives_buffers_of_passive_values") {
  check_identity(2, 16, [](auto mpi, auto &x) {
    using real = typename decltype(mpi)::real;
    std::vector<real> out(2, real(1.0 + world_rank())), in(2);
    // Active on some ranks, passive on others.
    if (world_rank() % 2 == 0) out = x;
    mpi.allreduce(out.data(), in.data(), 2, mpi.type(), mpi.operation(op::sum), MPI_COMM_WORLD);
    std::vector<real> none(2, real(2.0)), back(2);
    mpi.allreduce(none.data(), back.data(), 2, mpi.type(), mpi.operation(op::product), MPI_COMM_WORLD);
    return std::vector<real>{in[0] * back[0], in[1] * back[1], back[0]};
  });
}

TEST_CASE("test_collectives_large") {
  check_identity(70000, 17, [](auto mpi, auto &x) {
    auto y = x;
    mpi.allreduce(x.data(), y.data(), 70000, mpi.type(), mpi.operation(op::sum), MPI_COMM_WORLD);
    mpi.bcast(y.data(), 70000, mpi.type(), world_size() - 1, MPI_COMM_WORLD);
    auto z = y;
    mpi.allreduce(y.data(), z.data(), 70000, mpi.type(), mpi.operation(op::max), MPI_COMM_WORLD);
    return z;
  });
}

TEST_CASE("test_collectives_tape_bytes_do_not_grow_with_ranks") {
  test::begin();
  const int n = 6400;
  test::recording_tape tape;
  std::vector<admpi::var> x(n, 1.5), y(n);
  tape.input(x);
  const auto bytes = [&](auto &&call) {
    const auto before = tape.statistics().event_bytes;
    call();
    return static_cast<double>(tape.statistics().event_bytes - before) / n;
  };
  // Beside 8 bytes of adjoint an element: nothing, the own values, a bit.
  const double constant = 200.0 / n;
  CHECK(bytes([&] { AMPI_Allreduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD); }) <= constant);
  CHECK(bytes([&] { AMPI_Allreduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_PROD, MPI_COMM_WORLD); }) <= 8 + constant);
  CHECK(bytes([&] { AMPI_Allreduce(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD); }) <=
        1.0 / 8 + constant);
}
