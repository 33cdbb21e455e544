// Reductions by users' operations, recorded or with a derivative, blocking or under way; what is refused.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "ampi/reductions.hpp"

using namespace reductions;

using test::refusal;

TEST_CASE("test_reductions_matrix_product_reduce") {
  const int n = 3;
  check_matrices(n, 41, [&](auto mpi, auto &product, auto x, int) {
    auto results = x;
    for (int root = 0; root < world_size(); ++root)
      for (const bool in_place : {false, true}) {
        // MPICH 4.0 crashes in place where the root is not rank 0.
        const bool keeps = in_place && world_rank() == root && (root == 0 || std::is_same<decltype(mpi), active>::value);
        auto in = x;
        reduce(mpi, keeps ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(in.data()), n,
               product.type, product.operation, root, MPI_COMM_WORLD);
        if (world_rank() != root) continue;
        in = mix(in);
        results.insert(results.end(), in.begin(), in.end());
      }
    return results;
  });
}

TEST_CASE("test_reductions_matrix_product_allreduce_and_scans") {
  const int n = 3;
  for (const bool in_place : {false, true})
    check_matrices(n, 42, [&](auto mpi, auto &product, auto x, int) {
      auto in = x;
      mpi.allreduce(in_place ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(in.data()), n,
                    product.type, product.operation, MPI_COMM_WORLD);
      auto all = mix(in);
      for (const bool exclusive : {false, true}) {
        auto part = x;
        if (exclusive)
          exscan(mpi, in_place ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(part.data()), n,
                 product.type, product.operation, MPI_COMM_WORLD);
        else
          scan(mpi, in_place ? MPI_IN_PLACE : static_cast<const void *>(x.data()), static_cast<void *>(part.data()), n,
               product.type, product.operation, MPI_COMM_WORLD);
        for (const auto &v : mix(part)) all.push_back(v);
      }
      return all;
    });
}

namespace {

/// Each rank's share of a product, from an Allreduce: MPICH 4.0's own call writes beyond its memory where the
/// items of an operation that does not commute have gaps.
template <class T>
void scatter_product(paired, const form &, bool, const std::vector<int> &counts, const std::vector<T> &x, std::vector<T> &in,
                     const matrices<paired> &product, int words) {
  int total = 0, below = 0;
  for (int rank = 0; rank < world_size(); ++rank) {
    if (rank < world_rank()) below += counts[static_cast<std::size_t>(rank)];
    total += counts[static_cast<std::size_t>(rank)];
  }
  auto all = x;
  MPI_Allreduce(x.data(), all.data(), total, product.type, product.operation, MPI_COMM_WORLD);
  for (int i = 0; i < words * counts[static_cast<std::size_t>(world_rank())]; ++i) in[i] = all[words * below + i];
}

template <class T>
void scatter_product(active mpi, const form &how, bool block, const std::vector<int> &counts, const std::vector<T> &x,
                     std::vector<T> &in, const matrices<active> &product, int words) {
  const auto got = scatter_in(mpi, how, block, counts, x, product.type, product.operation, words);
  std::copy(got.begin(), got.end(), in.begin());
}

}  // namespace

TEST_CASE("test_reductions_matrix_product_scatter") {
  const int size = world_size();
  for (const form &how : forms)
    check_matrices(2 * size, 43, [&](auto mpi, auto &product, auto x, int words) {
      auto all = x;
      for (const bool block : {false, true}) {
        std::vector<int> counts(static_cast<std::size_t>(size), 2);
        if (size > 1 && !block) counts[0] = 0, counts[1] = 4;
        auto in = x;
        scatter_product(mpi, how, block, counts, x, in, product, words);
        for (int i = 0; i < words * counts[static_cast<std::size_t>(world_rank())]; ++i)
          if (i % words < 4) all.push_back(sin(in[i]));
      }
      return all;
    });
}

namespace {

/// Calls that are started, in one world, and made, in the other.
template <class Begin>
AMPI_Request start_or_call(active, const Begin &begin) {
  AMPI_Request request = AMPI_REQUEST_NULL;
  begin(&request);
  return request;
}
template <class Begin>
AMPI_Request start_or_call(paired, const Begin &begin) {
  MPI_Request request = MPI_REQUEST_NULL;
  begin(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return AMPI_REQUEST_NULL;
}

}  // namespace

TEST_CASE("test_reductions_matrix_products_under_way") {
  // All at once, completed last first, when the operation and the datatype have been freed.
  const int n = 3, size = world_size();
  for (const way how : {way::recorded, way::derivative, way::spread})
    for (const bool in_place : {false, true}) {
      CAPTURE(static_cast<int>(how));
      CAPTURE(in_place);
      check_identity(static_cast<std::size_t>(n * (how == way::spread ? 8 : 4)), 47, [&](auto mpi, auto &input) {
        auto product = std::make_unique<matrices<decltype(mpi)>>(how);
        auto x = mix(input);
        for (auto &v : x) v = v * typename decltype(mpi)::real(0.5);
        std::vector<std::decay_t<decltype(x)>> in(static_cast<std::size_t>(size) + 3, x);
        std::vector<AMPI_Request> requests;
        const auto source = [&](bool kept) { return kept ? MPI_IN_PLACE : static_cast<const void *>(x.data()); };
        for (int root = 0; root < size; ++root) {
          // MPICH 4.0 crashes in place where the root is not rank 0.
          const bool kept =
              in_place && world_rank() == root && (root == 0 || std::is_same<decltype(mpi), active>::value);
          requests.push_back(start_or_call(mpi, [&](auto *request) {
            ireduce(mpi, source(kept), static_cast<void *>(in[static_cast<std::size_t>(root)].data()), n, product->type,
                    product->operation, root, MPI_COMM_WORLD, request);
          }));
        }
        auto *const rest = &in[static_cast<std::size_t>(size)];
        requests.push_back(start_or_call(mpi, [&](auto *request) {
          iallreduce(mpi, source(in_place), static_cast<void *>(rest[0].data()), n, product->type, product->operation,
                     MPI_COMM_WORLD, request);
        }));
        requests.push_back(start_or_call(mpi, [&](auto *request) {
          iscan(mpi, source(in_place), static_cast<void *>(rest[1].data()), n, product->type, product->operation,
                MPI_COMM_WORLD, request);
        }));
        requests.push_back(start_or_call(mpi, [&](auto *request) {
          iexscan(mpi, source(in_place), static_cast<void *>(rest[2].data()), n, product->type, product->operation,
                  MPI_COMM_WORLD, request);
        }));
        product.reset();
        auto results = x;
        for (std::size_t i = requests.size(); i-- > 0;) {
          AMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
          const bool has = i >= static_cast<std::size_t>(size) || i == static_cast<std::size_t>(world_rank());
          if (has) results.insert(results.end(), in[i].begin(), in[i].end());
        }
        return mix(results);
      });
    }
}

TEST_CASE("test_reductions_completed_when_the_recording_is_off") {
  // What was decided at the start holds at the completion.
  test::begin();
  const matrices<active> product(way::recorded);
  const int rank = world_rank(), size = world_size();
  test::recording_tape tape;
  admpi::var x = 1.0 + rank;
  tape.input(x);
  const std::vector<admpi::var> shear = {1.0, x * x, 0.0, 1.0};
  std::vector<admpi::var> y(4), z(4);
  AMPI_Request request;
  AMPI_Iallreduce(shear.data(), y.data(), 1, product.type, product.operation, MPI_COMM_WORLD, &request);
  tape.stop();
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  AMPI_Iallreduce(shear.data(), z.data(), 1, product.type, product.operation, MPI_COMM_WORLD, &request);
  CHECK(tape.recording() == false);
  tape.start();
  AMPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(tape.recording() == true);
  CHECK(y[1].value == size * (size + 1.0) * (2.0 * size + 1.0) / 6.0);
  CHECK(y[1].id != 0);
  CHECK(z[1].value == y[1].value);
  CHECK(z[1].id == 0);
  if (rank == 0) tape.seed(y[1], 1.0);
  tape.reverse();
  CHECK(tape.adjoint(x) == 2.0 * (1.0 + rank));
}

namespace {

/// Keeps the left operand's index: it does not commute.
template <class Item>
void multiply_located(void *in, void *inout, int *len, MPI_Datatype *) {
  const Item *a = static_cast<const Item *>(in);
  Item *b = static_cast<Item *>(inout);
  for (int i = 0; i < *len; ++i) {
    b[i].value = a[i].value * b[i].value;
    b[i].index = a[i].index;
  }
}

}  // namespace

TEST_CASE("test_reductions_users_operation_on_pairs") {
  const located_world world;
  const int size = world_size(), rank = world_rank(), n = 2 * size;
  for (const form &how : forms)
    check_identity(static_cast<std::size_t>(n), 48, [&](auto mpi, auto &x) {
      using real = typename decltype(mpi)::real;
      using item = decltype(world.item(mpi));
      MPI_Op operation;
      AMPI_Op_create(&multiply_located<item>, 0, &operation);
      std::vector<item> out(static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) {
        out[i].value = sin(x[i]) + real(1.5);
        out[i].index = 1000 * rank + i;
      }
      const MPI_Datatype type = world.type_of(mpi);
      std::vector<real> results;
      const auto keep = [&](const std::vector<item> &in) {
        for (const item &it : in) {
          results.push_back(it.value);
          results.push_back(real(static_cast<double>(it.index)));
        }
      };
      auto in = out;
      const void *from = how.in_place ? MPI_IN_PLACE : static_cast<const void *>(out.data());
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
      std::vector<item> rooted(static_cast<std::size_t>(n));
      run(
          mpi, how,
          [&] { reduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD); },
          [&](auto *request) {
            ireduce(mpi, out.data(), rooted.data(), n, type, operation, size / 2, MPI_COMM_WORLD, request);
          });
      if (rank == size / 2) keep(rooted);
      std::vector<int> shares(static_cast<std::size_t>(size), 2);
      if (size > 1) shares[0] = 0, shares[1] = 4;
      // Not in place: MPI's own with a user's operation on bytes is the reference.
      keep(scatter_in(mpi, {how.nonblocking, false}, false, shares, out, type, operation));
      reduce_local(mpi, out.data(), in.data(), n, type, operation);
      keep(in);
      AMPI_Op_free(&operation);
      return results;
    });
}

namespace {

void add_vars(void *in, void *inout, int *len, MPI_Datatype *) {
  const admpi::var *a = static_cast<admpi::var *>(in);
  admpi::var *b = static_cast<admpi::var *>(inout);
  for (int i = 0; i < *len; ++i) b[i] += a[i];
}

}  // namespace

TEST_CASE("test_reductions_abandoned_sweep") {
  test::begin();
  const int n = 20000;  // more than an MPI sends before it is asked for
  MPI_Op operation;
  AMPI_Op_create(&add_vars, 1, &operation);
  test::recording_tape tape;
  std::vector<admpi::var> x(n, 0.5), y(n);
  tape.input(x);
  const auto before = tape.position();
  AMPI_Reduce(x.data(), y.data(), n, AMPI_ADOUBLE, operation, 0, MPI_COMM_WORLD);
  AMPI_Op_free(&operation);
  tape.stop();
  const auto seed = [&] {
    if (world_rank() == 0) tape.seed(y[7], 3.0);
  };
  // The odd ranks have sent: they take nothing of what the others send back.
  seed();
  if (world_rank() % 2 == 0) tape.reverse(tape.position(), before);
  REQUIRE(admpi_tape_abandon_sweep(tape.handle(), MPI_COMM_WORLD) == ADMPI_SUCCESS);
  tape.clear_adjoints();
  seed();
  tape.reverse();
  CHECK(tape.adjoint(x[7]) == 3.0);
  CHECK(tape.adjoint(x[8]) == 0.0);
}

namespace {

int plain_calls = 0;

void plain_operation(void *, void *, int *, MPI_Datatype *) { ++plain_calls; }

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("test_reductions_errors_name_the_operation_and_the_cure") {
  test::begin();
  admpi::var x = 1.0, y;
  admpi::value_index<admpi::var> a, b;
  AMPI_Request request = AMPI_REQUEST_NULL;
  const auto allreduce = [&](MPI_Op operation) {
    return refusal([&] { return AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, operation, MPI_COMM_WORLD); });
  };
  CHECK(has(allreduce(MPI_LAND), "MPI_LAND has no derivative"));
  CHECK(has(allreduce(MPI_BXOR), "MPI_BXOR has no derivative"));
  CHECK(has(allreduce(MPI_MAXLOC), "AMPI_ADOUBLE_INT"));
  const auto pairs = [&](MPI_Op operation) {
    return refusal([&] { return AMPI_Scan(&a, &b, 1, AMPI_ADOUBLE_INT, operation, MPI_COMM_WORLD); });
  };
  CHECK(has(pairs(MPI_SUM), "MPI_MINLOC and MPI_MAXLOC"));
  MPI_Op stranger, own;
  MPI_Op_create(&plain_operation, 1, &stranger);
  CHECK(has(allreduce(stranger), "AMPI_Op_create"));
  CHECK(has(refusal([&] { return AMPI_Iscan(&x, &y, 1, AMPI_ADOUBLE, stranger, MPI_COMM_WORLD, &request); }),
            "AMPI_Iscan: op was not made by AMPI_Op_create"));
  CHECK(has(refusal([&] { return AMPI_Reduce_local(&x, &y, 1, AMPI_ADOUBLE, stranger); }), "AMPI_Op_create"));
  MPI_Op_free(&stranger);
  // The number of one that was freed by plain MPI may be given to the next. (Not under valgrind, which keeps freed memory.)
  MPI_Op_create(&plain_operation, 1, &stranger);
  const MPI_Op before = stranger;
  MPI_Op_free(&stranger);
  MPI_Op_create(&plain_operation, 1, &stranger);
  const bool given_again = stranger == before;
  MPI_Op_free(&stranger);
  int again = 0;
  for (int i = 0; i < 20; ++i) {
    AMPI_Op_create(&add_vars, 1, &own);
    const MPI_Op freed = own;
    CHECK(allreduce(own) == "");
    MPI_Op_free(&own);
    MPI_Op_create(&plain_operation, 1, &stranger);
    again += stranger == freed;
    CHECK(has(allreduce(stranger), "AMPI_Op_create"));
    // And it is that of the library again, if it makes the next.
    MPI_Op_free(&stranger);
    AMPI_Op_create(&add_vars, 1, &own);
    y = 0.0;
    CHECK(allreduce(own) == "");
    CHECK(y.value == test::size_of(MPI_COMM_WORLD));
    AMPI_Op_free(&own);
  }
  CHECK((again > 0) == given_again);
  AMPI_Op_create(&add_vars, 1, &own);
  for (const int root : {-5, test::size_of(MPI_COMM_WORLD)}) {
    CAPTURE(root);
    CHECK(has(refusal([&] { return AMPI_Reduce(&x, &y, 1, AMPI_ADOUBLE, own, root, MPI_COMM_WORLD); }), "root = "));
  }
  AMPI_Op_free(&own);
  // MPI calls the function itself for passive data, which no question of the library reaches.
  AMPI_Op_create(&plain_operation, 1, &own);
  plain_calls = 0;
  double plain[2] = {1.0, 2.0};
  AMPI_Reduce_local(&plain[0], &plain[1], 1, MPI_DOUBLE, own);
  CHECK(plain_calls == 1);
  AMPI_Op_free(&own);
  // A function that gets numbers of one kind would not see the indices.
  AMPI_Op_create_adjoint(&plain_operation, &matrix_adjoint, 1, &own);
  CHECK(has(refusal([&] { return AMPI_Reduce_local(&a, &b, 1, AMPI_ADOUBLE_INT, own); }), "numbers of one kind"));
  CHECK(has(refusal([&] { return AMPI_Iscan(&a, &b, 1, AMPI_ADOUBLE_INT, own, MPI_COMM_WORLD, &request); }),
            "numbers of one kind"));
  AMPI_Op_free(&own);
  std::vector<int> negative(static_cast<std::size_t>(world_size()), -1);
  CHECK(has(refusal([&] {
              return AMPI_Reduce_scatter(&x, &y, negative.data(), AMPI_ADOUBLE, MPI_SUM, MPI_COMM_WORLD);
            }),
            "recvcounts: -1 for rank 0 is negative"));
  CHECK(has(refusal([&] { return AMPI_Op_create(nullptr, 0, &own); }), "function is NULL"));
  CHECK(has(refusal([&] { return AMPI_Op_create_adjoint(&plain_operation, nullptr, 0, &own); }),
            "derivative is NULL"));
}

TEST_CASE("test_reductions_operations_that_were_freed_are_forgotten") {
  test::begin();
  admpi::var x = 1.0, y;
  for (int i = 0; i < 20; ++i) {
    MPI_Op own, stranger;
    AMPI_Op_create(&plain_operation, 1, &own);
    AMPI_Op_free(&own);
    CHECK(own == MPI_OP_NULL);
    // Which may get the handle of the one before.
    MPI_Op_create(&plain_operation, 1, &stranger);
    CHECK(has(refusal([&] { return AMPI_Allreduce(&x, &y, 1, AMPI_ADOUBLE, stranger, MPI_COMM_WORLD); }),
              "AMPI_Op_create"));
    MPI_Op_free(&stranger);
  }
}
