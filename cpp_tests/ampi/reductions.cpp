// Reductions by operations of MPI: those that leave a part of the result on each rank, and pairs of a value and an index.
#include <algorithm>
#include <cstddef>

#include "ampi/reductions.hpp"

using namespace reductions;

using test::op;

namespace {

const op all_operations[] = {op::sum, op::product, op::min, op::max};

/// `x`'s derivative, another value.
template <class T>
T with_value(const T &x, double value) {
  return x - T(test::value(x)) + T(value);
}

/// Items of each rank: none on some.
std::vector<int> some_counts() {
  std::vector<int> counts;
  for (int rank = 0; rank < world_size(); ++rank) counts.push_back(rank % 3 == 1 ? 0 : 1 + 5 * rank);
  return counts;
}

int sum(const std::vector<int> &counts) {
  int total = 0;
  for (const int n : counts) total += n;
  return total;
}

}  // namespace

// Each test checks many calls by one identity: ranks that share a core are slow to agree.
TEST_CASE("test_reductions_scan_and_exscan") {
  for (const form &how : forms)
    for (const int n : {0, 1, 150}) {
      if (n == 1 && (how.nonblocking || how.in_place)) continue;
      CAPTURE(how.nonblocking);
      CAPTURE(how.in_place);
      CAPTURE(n);
      check_identity(n, 21, [&](auto mpi, auto &x) {
        auto out = mix(x), results = x;
        for (const op which : all_operations)
          for (const bool exclusive : {false, true}) {
            // In Exscan the buffer of rank 0 is what it was, derivatives included.
            auto in = how.in_place ? out : mix(out);
            scan_in(mpi, how, exclusive, out, in, mpi.type(), mpi.operation(which));
            for (int i = 0; i < n; ++i) results.push_back(in[i] * in[i] * out[i]);
            out = mix(out);
          }
        return results;
      });
    }
}

TEST_CASE("test_reductions_scan_with_zeros") {
  // No zero, one, two, all, one on the last rank; a chain of scans.
  check_identity(5, 22, [&](auto mpi, auto &x) {
    const int rank = world_rank(), size = world_size();
    auto out = x, results = x;
    const bool zero[] = {false, rank == size / 2, rank < 2, true, rank == size - 1};
    for (int i = 0; i < 5; ++i)
      if (zero[i]) out[i] = with_value(x[i], 0.0);
    for (const bool exclusive : {false, true}) {
      auto in = x;
      scan_in(mpi, {false, false}, exclusive, out, in, mpi.type(), mpi.operation(op::product));
      auto again = in;
      scan_in(mpi, {false, false}, false, in, again, mpi.type(), mpi.operation(op::sum));
      results.insert(results.end(), again.begin(), again.end());
    }
    return results;
  });
}

TEST_CASE("test_reductions_scan_ties_go_to_the_lowest_rank") {
  check_identity(5, 23, [&](auto mpi, auto &x) {
    auto results = x;
    for (const op which : {op::min, op::max})
      for (const bool exclusive : {false, true}) {
        const int rank = world_rank();
        const double sign = which == op::min ? -1.0 : 1.0;
        // All alike; better every second rank; signed zeros; ever better; ever worse.
        const double value[] = {1.0, sign * (rank / 2), rank % 2 ? 0.0 : -0.0, sign * rank, -sign * rank};
        auto out = x;
        for (int i = 0; i < 5; ++i) out[i] = with_value(x[i], value[i]);
        auto in = x;
        scan_in(mpi, {false, false}, exclusive, out, in, mpi.type(), mpi.operation(which));
        results.insert(results.end(), in.begin(), in.end());
      }
    return results;
  });
}

TEST_CASE("test_reductions_scatter") {
  const std::vector<int> counts = some_counts(), block(static_cast<std::size_t>(world_size()), 7);
  const int n = std::max(sum(counts), sum(block));
  for (const form &how : forms) {
    CAPTURE(how.nonblocking);
    CAPTURE(how.in_place);
    check_identity(n, 24, [&](auto mpi, auto &x) {
      auto out = mix(x), results = x;
      for (const op which : all_operations)
        for (const bool is_block : {false, true}) {
          const auto in =
              scatter_in(mpi, how, is_block, is_block ? block : counts, out, mpi.type(), mpi.operation(which));
          for (std::size_t i = 0; i < in.size(); ++i) results.push_back(in[i] * in[i] * out[i]);
          out = mix(out);
        }
      return results;
    });
  }
}

TEST_CASE("test_reductions_scatter_zeros_and_ties") {
  const std::vector<int> block(static_cast<std::size_t>(world_size()), 3);
  check_identity(sum(block), 25, [&](auto mpi, auto &x) {
    auto results = x;
    for (const op which : {op::product, op::min, op::max}) {
      const int rank = world_rank();
      auto out = x;
      for (std::size_t i = 0; i < x.size(); i += 3) {
        const double sign = which == op::min ? -1.0 : 1.0;
        out[i] = with_value(x[i], which == op::product ? (rank == 1 ? 0.0 : 1.5) : 2.0);
        out[i + 1] = with_value(x[i + 1], which == op::product ? (rank < 2 ? 0.0 : 1.5) : sign * (rank > 0));
      }
      const auto in = scatter_in(mpi, {false, false}, true, block, out, mpi.type(), mpi.operation(which));
      results.insert(results.end(), in.begin(), in.end());
    }
    return results;
  });
}

TEST_CASE("test_reductions_at_all_widths") {
  test::begin();
  const int n = 9;
  for (const bool exclusive : {false, true})
    for (const op which : all_operations) {
      test::recording_tape tape;
      test::random next(31);
      const std::vector<double> value = next(n);
      std::vector<admpi::var> x(value.begin(), value.end()), y(n);
      tape.input(x);
      scan_in(active(), {false, false}, exclusive, x, y, AMPI_ADOUBLE, active::operation(which));
      std::vector<admpi::var> z(n);
      AMPI_Reduce(y.data(), z.data(), n, AMPI_ADOUBLE, active::operation(which), world_size() / 2, MPI_COMM_WORLD);
      std::vector<std::vector<double>> w;
      for (int k = 0; k < 16; ++k) w.push_back(next(n));
      std::vector<double> alone;
      for (const int width : {1, 2, 8, 16}) {
        tape.set_width(width);
        for (int first = 0; first < 16; first += width) {
          tape.clear_adjoints();
          for (int k = 0; k < width; ++k)
            for (int i = 0; i < n; ++i) tape.seed(z[i], w[first + k][i], k);
          tape.reverse();
          for (int k = 0; k < width; ++k)
            for (int i = 0; i < n; ++i) {
              const double adjoint = tape.adjoint(x[i], k);
              if (width == 1)
                alone.push_back(adjoint);
              else
                CHECK(adjoint == doctest::Approx(alone[(first + k) * n + i]).epsilon(1e-14));
            }
        }
      }
    }
}

TEST_CASE("test_reductions_pairs") {
  const located_world world;
  const int n = 6;
  for (const bool max : {false, true})
    for (const form &how : forms)
      check_identity(n, 26, [&](auto mpi, auto &x) {
        using real = typename decltype(mpi)::real;
        using item = decltype(world.item(mpi));
        const int rank = world_rank(), size = world_size();
        // Any; all alike, indices falling; alike in pairs of ranks, indices too; signed zeros; the same pair
        // everywhere; an index that the others have.
        const double sign = max ? 1.0 : -1.0;
        const double value[] = {test::value(x[0]), 1.0, sign * (rank / 2), rank % 2 ? 0.0 : -0.0, 2.0, sign * (rank % 2)};
        const int index[] = {100 + rank, 50 - rank, rank / 2, -rank, 7, 3};
        std::vector<item> out(n);
        for (int i = 0; i < n; ++i) {
          out[i].value = with_value(x[i], value[i]);
          out[i].index = index[i];
        }
        const MPI_Datatype type = world.type_of(mpi);
        const MPI_Op operation = world.operation(mpi, max);
        std::vector<real> results;
        const auto keep = [&](const std::vector<item> &in) {
          for (const item &it : in) {
            results.push_back(it.value * real(1.0 + results.size()));
            // The index is a result too, and passive.
            results.push_back(real(static_cast<double>(it.index)));
          }
        };
        const auto source = [&](std::vector<item> &in) {
          in = out;
          return how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
        };
        std::vector<item> in;
        const void *from = source(in);
        void *to = in.data();
        run(
            mpi, how, [&] { mpi.allreduce(from, to, n, type, operation, MPI_COMM_WORLD); },
            [&](auto *request) { iallreduce(mpi, from, to, n, type, operation, MPI_COMM_WORLD, request); });
        keep(in);
        for (const bool exclusive : {false, true}) {
          in = out;
          scan_in(mpi, how, exclusive, out, in, type, operation);
          keep(in);
        }
        std::vector<item> rooted(n);
        run(
            mpi, how,
            [&] { reduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD); },
            [&](auto *request) {
              ireduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD, request);
            });
        if (rank == size / 2) keep(rooted);
        std::vector<int> shares(static_cast<std::size_t>(size), 0);
        for (int i = 0; i < n; ++i) ++shares[static_cast<std::size_t>((2 * i) % size)];
        keep(scatter_in(mpi, how, false, shares, out, type, operation));
        return results;
      });
}

TEST_CASE("test_reductions_local") {
  const located_world world;
  for (const op which : all_operations)
    check_identity(8, 44, [&](auto mpi, auto &x) {
      auto left = mix(x), right = mix(left);
      // Ties, which the left operand wins.
      right[0] = with_value(right[0], test::value(left[0]));
      reduce_local(mpi, left.data(), right.data(), 8, mpi.type(), mpi.operation(which));
      return mix(right);
    });
  for (const bool max : {false, true})
    check_identity(4, 45, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      using item = decltype(world.item(mpi));
      std::vector<item> left(4), right(4);
      for (int i = 0; i < 4; ++i) {
        left[i].value = x[i];
        left[i].index = i;
        right[i].value = sin(x[i]) * x[i];
        if (i < 2) right[i].value = with_value(right[i].value, test::value(x[i]));
        right[i].index = 1 - i;
      }
      reduce_local(mpi, left.data(), right.data(), 4, world.type_of(mpi), world.operation(mpi, max));
      std::vector<real> y;
      for (const item &it : right) {
        y.push_back(it.value);
        y.push_back(real(static_cast<double>(it.index)));
      }
      return y;
    });
  check_matrices(2, 46, [&](auto mpi, auto &product, auto x, int) {
    auto y = mix(x);
    reduce_local(mpi, x.data(), y.data(), 2, product.type, product.operation);
    return y;
  });
}

TEST_CASE("test_reductions_passive_data_goes_to_mpi") {
  test::begin();
  MPI_Op operation;
  AMPI_Op_create(&multiply_matrices<double>, 0, &operation);
  int commutes = 1;
  AMPI_Op_commutative(operation, &commutes);
  CHECK(commutes == 0);
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_DOUBLE, &four);
  MPI_Type_commit(&four);
  const double shear[] = {1.0, 1.0 + world_rank(), 0.0, 1.0};
  double product[4];
  AMPI_Allreduce(shear, product, 1, four, operation, MPI_COMM_WORLD);
  const double size = world_size();
  CHECK(product[1] == size * (size + 1.0) / 2.0);
  struct {
    double value;
    int index;
  } mine = {static_cast<double>(world_rank() / 2), world_rank()}, best;
  AMPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  CHECK(best.index == (world_size() - 1) / 2 * 2);
  MPI_Type_free(&four);
  AMPI_Op_free(&operation);
  CHECK(operation == MPI_OP_NULL);
}

TEST_CASE("test_reductions_not_recorded") {
  test::begin();
  const int rank = world_rank(), size = world_size();
  const matrices<active> product(way::recorded), known(way::derivative);
  for (const MPI_Op operation : {product.operation, known.operation}) {
    const std::vector<admpi::var> shear = {1.0, 1.0 + rank, 0.0, 1.0};
    std::vector<admpi::var> y(4);
    AMPI_Scan(shear.data(), y.data(), 1, product.type, operation, MPI_COMM_WORLD);
    CHECK(y[1].value == (rank + 1.0) * (rank + 2.0) / 2.0);
    CHECK(y[1].id == 0);
  }
  admpi::var x = 1.0 + rank, y;
  AMPI_Scan(&x, &y, 1, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD);
  CHECK(y.value == 1.0 + rank);
  CHECK(admpi::mpi_type<admpi::value_index<admpi::var>>() == AMPI_ADOUBLE_INT);
  admpi::value_index<admpi::var> in, out;
  in.value = rank == 0 ? 3.0 : 5.0;
  in.index = 10 * rank;
  AMPI_Allreduce(&in, &out, 1, AMPI_ADOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  CHECK(out.value.value == (size > 1 ? 5.0 : 3.0));
  CHECK(out.index == (size > 1 ? 10 : 0));
}

TEST_CASE("test_reductions_extrema_with_nan_have_one_winner_at_most") {
  // What MPI_MIN and MPI_MAX make of a NaN depends on the order of the operands, which is MPI's affair. The derivative
  // of a result goes to one rank that brought this result, or to none.
  test::begin();
  const int rank = world_rank(), size = world_size();
  // Every choice of 1, 2 and NaN for the first four ranks.
  const double values[] = {1.0, 2.0, std::nan("")};
  const int patterns = 81;
  std::vector<double> brought(patterns);
  for (int i = 0; i < patterns; ++i) brought[i] = values[i / static_cast<int>(std::pow(3, rank % 4)) % 3];
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (const MPI_Op operation : {MPI_MIN, MPI_MAX}) {
    for (int call = 0; call < 5; ++call) {
      CAPTURE(call);
      const int blocks = call == 3 ? size : 1;
      test::recording_tape tape;
      std::vector<admpi::var> x, y(patterns);
      for (int b = 0; b < blocks; ++b) x.insert(x.end(), brought.begin(), brought.end());
      tape.input(x);
      if (call == 0) AMPI_Allreduce(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      if (call == 1) AMPI_Reduce(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, size - 1, MPI_COMM_WORLD);
      if (call == 2) AMPI_Scan(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      if (call == 3)
        AMPI_Reduce_scatter_block(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      if (call == 4) AMPI_Exscan(x.data(), y.data(), patterns, AMPI_ADOUBLE, operation, MPI_COMM_WORLD);
      // Each rank's results have a bit of their own, or all one.
      const double weight = call >= 2 ? std::ldexp(1.0, rank) : 1.0;
      const auto holds = [call, size](int r) {
        return call == 0 ? r == 0 : call == 1 ? r == size - 1 : call == 4 ? r > 0 : true;
      };
      if (holds(rank))
        for (const admpi::var &v : y) tape.seed(v, weight);
      tape.reverse();
      // The results of all ranks, and what each rank got for them.
      std::vector<double> results(static_cast<std::size_t>(patterns * size)), got(x.size()), all(x.size() * size);
      std::vector<double> own(patterns);
      for (int i = 0; i < patterns; ++i) own[i] = admpi::value(y[i]);
      for (std::size_t i = 0; i < x.size(); ++i) got[i] = tape.adjoint(x[i]);
      MPI_Allgather(own.data(), patterns, MPI_DOUBLE, results.data(), patterns, MPI_DOUBLE, MPI_COMM_WORLD);
      MPI_Allgather(got.data(), patterns * blocks, MPI_DOUBLE, all.data(), patterns * blocks, MPI_DOUBLE,
                    MPI_COMM_WORLD);
      int wrong = 0;
      for (int i = 0; i < patterns; ++i) {
        std::vector<int> winners(static_cast<std::size_t>(size));
        for (int r = 0; r < size; ++r) {
          const double mine = values[i / static_cast<int>(std::pow(3, r % 4)) % 3];
          for (int b = 0; b < blocks; ++b) {
            const int adjoint = static_cast<int>(all[(r * blocks + b) * patterns + i]);
            for (int holder = 0; holder < size; ++holder) {
              const int bit = call >= 2 ? 1 << holder : 1;
              if (!holds(holder) || (adjoint & bit) == 0) continue;
              ++winners[holder];
              wrong += !same(mine, results[holder * patterns + i]);
              if (call == 3) wrong += b != holder;
              if (call == 2) wrong += r > holder;
              if (call == 4) wrong += r >= holder;
            }
            wrong += adjoint != all[(r * blocks + b) * patterns + i];
          }
        }
        for (int holder = 0; holder < size; ++holder) wrong += winners[holder] > 1;
        // Without a NaN there is a winner.
        bool nan = false;
        for (int r = 0; r < size; ++r) nan |= std::isnan(values[i / static_cast<int>(std::pow(3, r % 4)) % 3]);
        for (int holder = 0; holder < size; ++holder) wrong += !nan && winners[holder] != (holds(holder) ? 1 : 0);
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("test_reductions_are_checked_across_ranks") {
  test::begin();
  admpi_set_check(1);
  {
    const int size = world_size();
    test::recording_tape tape;
    const matrices<active> product(way::recorded);
    std::vector<admpi::var> x = {1.0, 1.0 + world_rank(), 0.0, 1.0}, y(4), z(4);
    tape.input(x);
    AMPI_Allreduce(x.data(), y.data(), 1, product.type, product.operation, MPI_COMM_WORLD);
    AMPI_Scan(y.data(), z.data(), 4, AMPI_ADOUBLE, MPI_PROD, MPI_COMM_WORLD);
    AMPI_Reduce(z.data(), y.data(), 1, product.type, product.operation, size - 1, MPI_COMM_WORLD);
    if (world_rank() == size - 1) tape.seed(y[3], 1.0);
    CHECK_NOTHROW(tape.reverse());
    if (size > 1) {
      // Another operation on one rank.
      AMPI_Scan(x.data(), z.data(), 4, AMPI_ADOUBLE, world_rank() == 0 ? MPI_MIN : MPI_MAX, MPI_COMM_WORLD);
      CHECK_THROWS_WITH_AS(tape.reverse(), doctest::Contains("the operation differs"), admpi::error);
    }
  }
  admpi_set_check(0);
}

TEST_CASE("test_reductions_tape_bytes_do_not_grow_with_ranks") {
  test::begin();
  const int n = 6400, size = world_size();
  test::recording_tape tape;
  std::vector<admpi::var> x(static_cast<std::size_t>(n * size), 1.5), y(n);
  tape.input(x);
  const auto bytes = [&](auto &&call) {
    const auto before = tape.statistics().used_bytes;
    call();
    return static_cast<double>(tape.statistics().used_bytes - before) / n;
  };
  const auto scan_bytes = [&](MPI_Op operation) {
    return bytes([&] { AMPI_Scan(x.data(), y.data(), n, AMPI_ADOUBLE, operation, MPI_COMM_WORLD); });
  };
  // The adjoints of the results, and: nothing, own values and those below, a bit.
  const double constant = 300.0 / n;
  CHECK(scan_bytes(MPI_SUM) <= 8 + constant);
  CHECK(scan_bytes(MPI_PROD) <= 8 + 16 + constant);
  CHECK(scan_bytes(MPI_MAX) <= 8 + 1.0 / 8 + constant);
  // All that a rank brings is kept where the operation needs it.
  CHECK(bytes([&] {
          AMPI_Reduce_scatter_block(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
        }) <= 8 + constant);
  CHECK(bytes([&] {
          AMPI_Reduce_scatter_block(x.data(), y.data(), n, AMPI_ADOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }) <= 8 + 8 * size + 8 + constant);
}
