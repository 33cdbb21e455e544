// Sparse Jacobians and Hessians of functions that ranks compute together: the same patterns, colours and numbers as on one rank.
#include <admpi.hpp>
#include <admpi/sparsity_ranks.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "harness/chain.hpp"
#include "harness/sparse.hpp"
#include "harness/ranks.hpp"

using admpi::coloured_pattern;
using admpi::csr;
using admpi::var;
using test::rank;
using test::size;
using test::spread;

namespace {

/// The first of this rank's elements of n.
int first_of(int r, int n) { return n * r / size(); }

double point(int i) { return 0.9 + 0.3 * std::sin(1.0 + i); }

std::vector<double> points(int from, int to) {
  std::vector<double> x;
  for (int i = from; i < to; ++i) x.push_back(point(i));
  return x;
}

std::vector<double> own_points(int n) { return points(first_of(rank(), n), first_of(rank() + 1, n)); }

/// Calls fn without a tape, and inside one.
template <class F>
void with_and_without_tape(F &&fn) {
  fn();
  admpi::tape tape;
  tape.start();
  var outer = 1.0;
  tape.input(outer);
  fn();
}

using places = std::set<std::pair<int, int>>;

/// Rows by their numbers among those of all ranks.
template <class P>
places places_of(const P &p, int first) {
  places found;
  for (int i = 0; i < static_cast<int>(p.rows); ++i)
    for (int k = p.row_start[static_cast<std::size_t>(i)]; k < p.row_start[static_cast<std::size_t>(i) + 1]; ++k)
      found.insert({first + i, p.column[static_cast<std::size_t>(k)]});
  CHECK(found.size() == p.column.size());
  return found;
}

void check_same(const admpi::dense &a, const admpi::dense &b) {
  REQUIRE(a.rows == b.rows);
  REQUIRE(a.cols == b.cols);
  double furthest = 0.0;
  for (std::size_t k = 0; k < a.data.size(); ++k) furthest = std::max(furthest, std::fabs(a.data[k] - b.data[k]) / std::max(1.0, std::fabs(b.data[k])));
  CHECK(furthest <= 1e-14);
}

/// These rows of a matrix that one rank has computed alone.
void check_rows(const csr &part, const csr &whole, int first) {
  REQUIRE(part.cols == whole.cols);
  REQUIRE(first + part.rows <= whole.rows);
  const auto at = static_cast<std::size_t>(whole.row_start[static_cast<std::size_t>(first)]);
  for (std::size_t i = 0; i < part.row_start.size(); ++i)
    REQUIRE(part.row_start[i] + static_cast<int>(at) == whole.row_start[static_cast<std::size_t>(first) + i]);
  double furthest = 0.0;
  for (std::size_t k = 0; k < part.column.size(); ++k) {
    REQUIRE(part.column[k] == whole.column[at + k]);
    furthest = std::max(furthest, std::fabs(part.value[k] - whole.value[at + k]) / std::max(1.0, std::fabs(whole.value[at + k])));
  }
  CHECK(furthest <= 1e-14);
}

/// A step of the ocean's temperature (examples_c/heat_flux/ocean.hpp) on a grid of n x n cells, periodic east-west: rows of cells on
/// ranks. Without ranks the whole grid.
struct ocean_step {
  int n;
  bool on_ranks = true;

  template <class T>
  static void exchange(const std::vector<T> &up, std::vector<T> &down, int to, int from) {
    const int length = static_cast<int>(up.size());
    AMPI_Request requests[2];
    AMPI_Irecv(down.data(), length, AMPI_ADOUBLE, from, 3, test::world, &requests[0]);
    AMPI_Isend(up.data(), length, AMPI_ADOUBLE, to, 3, test::world, &requests[1]);
    AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }

  template <class T>
  std::vector<T> operator()(const std::vector<T> &temperature) const {
    using std::exp;
    const auto width = static_cast<std::size_t>(n);
    const int first = on_ranks ? first_of(rank(), n) : 0, rows = static_cast<int>(temperature.size()) / n;
    std::vector<T> potential;
    for (const T &t : temperature) potential.push_back(exp(0.3 * (t - 1.0)));
    std::vector<T> north(potential.begin(), potential.begin() + n), south(potential.end() - n, potential.end());
    if (on_ranks && size() > 1) {
      const int before = rank() > 0 ? rank() - 1 : MPI_PROC_NULL, behind = rank() + 1 < size() ? rank() + 1 : MPI_PROC_NULL;
      const std::vector<T> top = north, bottom = south;
      exchange(bottom, north, behind, before);
      exchange(top, south, before, behind);
    }
    const auto at = [&](int i, int j) -> const T & {
      const auto column = static_cast<std::size_t>((j + n) % n);
      if (i < 0) return north[column];
      if (i >= rows) return south[column];
      return potential[static_cast<std::size_t>(i) * width + column];
    };
    std::vector<T> next;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < n; ++j)
        next.push_back(temperature[static_cast<std::size_t>(i * n + j)] +
                       0.1 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4.0 * at(i, j)) +
                       0.01 * std::cos(first + i + 2.0 * j));
    return next;
  }
};

std::vector<double> ocean_points(int n) { return points(first_of(rank(), n) * n, first_of(rank() + 1, n) * n); }

TEST_CASE("test_sparse_jacobian_of_an_ocean_step_on_ranks") {
  with_and_without_tape([] {
    const int n = 12;
    const std::vector<double> x = ocean_points(n);
    const csr j = admpi::sparse_jacobian(ocean_step{n}, x, test::world);
    check_same(spread(j), admpi::jacobian(ocean_step{n}, x, test::world));
    const coloured_pattern p = admpi::sparsity(ocean_step{n}, x, test::world);
    const int first = first_of(rank(), n) * n;
    CHECK(places_of(p, first) == places_of(j, first));
    const csr again = admpi::sparse_jacobian(ocean_step{n}, x, p, test::world);
    CHECK(again.value == j.value);
    check_rows(j, admpi::sparse_jacobian(ocean_step{n, false}, points(0, n * n)), first);
  });
}

TEST_CASE("test_sparse_jacobian_of_a_large_ocean_step_on_ranks") {
  const int n = 100;
  const std::vector<double> x = ocean_points(n);
  const coloured_pattern p = admpi::sparsity(ocean_step{n}, x, test::world);
  CHECK(p.colours <= 7);
  CHECK(p.colours == admpi::sparsity(ocean_step{n, false}, points(0, n * n)).colours);
  check_rows(admpi::sparse_jacobian(ocean_step{n}, x, p, test::world), admpi::sparse_jacobian(ocean_step{n, false}, points(0, n * n)),
             first_of(rank(), n) * n);
}

/// Rosenbrock's chain, the links of which cross the ranks.
struct chain_on_ranks {
  template <class T>
  T operator()(const std::vector<T> &x) const {
    std::vector<T> z = x;
    T next = 0.0;
    AMPI_Request requests[2];
    const int before = rank() > 0 ? rank() - 1 : MPI_PROC_NULL, behind = rank() + 1 < size() ? rank() + 1 : MPI_PROC_NULL;
    AMPI_Irecv(&next, 1, AMPI_ADOUBLE, behind, 4, test::world, &requests[0]);
    AMPI_Isend(z.data(), 1, AMPI_ADOUBLE, before, 4, test::world, &requests[1]);
    AMPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (behind != MPI_PROC_NULL) z.push_back(next);
    T local = test::chain()(z), sum = 0.0;
    AMPI_Allreduce(&local, &sum, 1, AMPI_ADOUBLE, MPI_SUM, test::world);
    return sum;
  }
};

TEST_CASE("test_sparse_hessian_of_a_chain_on_ranks") {
  with_and_without_tape([] {
    for (const int n : {9, 20}) {
      CAPTURE(n);
      const std::vector<double> x = own_points(n);
      const csr h = admpi::sparse_hessian(chain_on_ranks(), x, test::world);
      check_same(spread(h), admpi::hessian(chain_on_ranks(), x, test::world));
      check_rows(h, admpi::sparse_hessian(test::chain(), points(0, n)), first_of(rank(), n));
    }
  });
}

double chain_by_hand(int i, int j, int n) {
  if (i != j) return std::abs(i - j) == 1 ? -400.0 * point(std::min(i, j)) : std::nan("");
  return (i + 1 < n ? 1200.0 * point(i) * point(i) - 400.0 * point(i + 1) + 2.0 : 0.0) + (i > 0 ? 200.0 : 0.0);
}

/// Of a ring of all ranks' cells. One rank is its own neighbour.
struct ring {
  template <class T>
  T operator()(const std::vector<T> &x) const {
    T west = 0.0, own = 0.0, sum = 0.0;
    AMPI_Sendrecv(&x.back(), 1, AMPI_ADOUBLE, test::right(), 3, &west, 1, AMPI_ADOUBLE, test::left(), 3, test::world, AMPI_STATUS_IGNORE);
    for (const T &here : x) {
      own += here * here * west * west;
      west = here;
    }
    AMPI_Allreduce(&own, &sum, 1, AMPI_ADOUBLE, MPI_SUM, test::world);
    return sum;
  }
};

TEST_CASE("test_sparse_hessian_of_a_ring") {
  for (const int n : {2, 5}) {
    std::vector<double> x;
    for (int i = 0; i < n; ++i) x.push_back(0.5 + 0.1 * (i + n * rank()));
    check_same(spread(admpi::sparse_hessian(ring(), x, test::world)), admpi::hessian(ring(), x, test::world));
  }
}

TEST_CASE("test_sparse_hessian_of_a_large_chain_on_ranks_has_three_colours") {
  const int n = 100000;
  const std::vector<double> x = own_points(n);
  const coloured_pattern p = admpi::hessian_sparsity(chain_on_ranks(), x, test::world);
  CHECK(p.colours <= 3);
  const csr h = admpi::sparse_hessian(chain_on_ranks(), x, p, test::world);
  std::int64_t elements = static_cast<std::int64_t>(h.column.size());
  MPI_Allreduce(MPI_IN_PLACE, &elements, 1, MPI_INT64_T, MPI_SUM, test::world);
  CHECK(elements == 3 * n - 2);
  double furthest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int k = h.row_start[i]; k < h.row_start[i + 1]; ++k) {
      const double expected = chain_by_hand(first_of(rank(), n) + static_cast<int>(i), h.column[static_cast<std::size_t>(k)], n);
      furthest = std::max(furthest, std::fabs(h.value[static_cast<std::size_t>(k)] / expected - 1.0));
    }
  CHECK(furthest <= 1e-12);
}

/// Where all ranks' dense Jacobian has elements, as far as these rows go.
template <class F>
places nonzeros(F f, const std::vector<double> &x, int first) {
  const admpi::dense j = admpi::jacobian(f, x, test::world);
  places found;
  for (int i = 0; i < j.rows; ++i)
    for (int k = 0; k < j.cols; ++k)
      if (j(i, k) != 0.0) found.insert({first + i, k});
  return found;
}

/// A call by which values go to other ranks, and its name. Of x, of which each rank has two for each rank, it makes y.
struct moving {
  const char *name;
  int number;

  template <class T>
  std::vector<T> operator()(const std::vector<T> &x) const {
    const int ranks = size(), last = ranks - 1;
    const auto n = x.size();
    // What no call writes is a constant.
    std::vector<T> a(n), b(n, T(0.7));
    for (std::size_t i = 0; i < n; ++i) a[i] = 1.5 * x[i];
    AMPI_Request request;
    switch (number) {
      case 0:
        b = a;
        AMPI_Bcast(b.data(), 2, AMPI_ADOUBLE, last, test::world);
        break;
      case 1: AMPI_Allgather(a.data(), 2, AMPI_ADOUBLE, b.data(), 2, AMPI_ADOUBLE, test::world); break;
      case 2: AMPI_Alltoall(a.data(), 2, AMPI_ADOUBLE, b.data(), 2, AMPI_ADOUBLE, test::world); break;
      case 3: AMPI_Gather(a.data(), 2, AMPI_ADOUBLE, b.data(), 2, AMPI_ADOUBLE, last, test::world); break;
      case 4: AMPI_Scatter(a.data(), 2, AMPI_ADOUBLE, b.data(), 2, AMPI_ADOUBLE, last, test::world); break;
      case 5: AMPI_Reduce(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_SUM, last, test::world); break;
      case 6: AMPI_Allreduce(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_SUM, test::world); break;
      case 7: AMPI_Scan(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_SUM, test::world); break;
      case 8: AMPI_Exscan(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_SUM, test::world); break;
      case 9: AMPI_Reduce_scatter_block(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_SUM, test::world); break;
      case 10: AMPI_Allreduce(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_MAX, test::world); break;
      case 11: AMPI_Reduce(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_MIN, 0, test::world); break;
      case 12:
        AMPI_Iallreduce(a.data(), b.data(), 2, AMPI_ADOUBLE, MPI_SUM, test::world, &request);
        AMPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 13:
        AMPI_Ibcast(a.data(), 2, AMPI_ADOUBLE, 0, test::world, &request);
        AMPI_Wait(&request, MPI_STATUS_IGNORE);
        b[0] = a[0];
        break;
      case 14:
        AMPI_Sendrecv(a.data(), 2, AMPI_ADOUBLE, test::right(), 5, b.data(), 2, AMPI_ADOUBLE, test::left(), 5, test::world,
                      MPI_STATUS_IGNORE);
        break;
      case 15:  // twice round: what comes in the second round depends on the first
        for (int round = 0; round < 2; ++round) {
          AMPI_Sendrecv(a.data(), 1, AMPI_ADOUBLE, test::right(), 5, b.data(), 1, AMPI_ADOUBLE, test::left(), 5, test::world,
                        MPI_STATUS_IGNORE);
          a[0] = b[0] * x[1];
        }
        break;
      default: break;
    }
    std::vector<T> y;
    for (std::size_t i = 0; i < n; ++i) y.push_back(b[i] * x[0]);
    return y;
  }
};

constexpr moving all_moving[] = {{"Bcast", 0},      {"Allgather", 1},  {"Alltoall", 2},        {"Gather", 3},
                                 {"Scatter", 4},    {"Reduce", 5},     {"Allreduce", 6},       {"Scan", 7},
                                 {"Exscan", 8},     {"Reduce_scatter_block", 9}, {"Allreduce of MAX", 10}, {"Reduce of MIN", 11},
                                 {"Iallreduce", 12}, {"Ibcast", 13},   {"Sendrecv", 14},       {"Sendrecv twice", 15}};

TEST_CASE("test_sparsity_through_every_kind_of_call") {
  const int n = 2 * size();
  const std::vector<double> x = points(n * rank(), n * (rank() + 1));
  for (const moving &f : all_moving) {
    CAPTURE(std::string(f.name));
    const coloured_pattern p = admpi::sparsity(f, x, test::world);
    CHECK(p.cols == n * size());
    CHECK(places_of(p, n * rank()) == nonzeros(f, x, n * rank()));
    check_same(spread(admpi::sparse_jacobian(f, x, test::world)), admpi::jacobian(f, x, test::world));
  }
}

/// As many directions in a pass as the tape has: here one, so that each rank has a pass.
TEST_CASE("test_sparsity_on_a_tape_of_one_direction_leaves_adjoints") {
  admpi::tape tape;
  tape.start();
  std::vector<var> x = {point(rank()), point(rank() + 1)};
  tape.input(x);
  var local = x[0] * x[1], sum = 0.0;
  AMPI_Allreduce(&local, &sum, 1, AMPI_ADOUBLE, MPI_SUM, test::world);
  const std::vector<var> y = {sum * x[0]};
  tape.seed(y[0]);
  tape.seed(sum, 3.0);
  admpi_sparse *s = nullptr;
  REQUIRE(admpi_tape_sparsity_ranks(tape.handle(), x.data(), 2, y.data(), 1, test::world, &s) == ADMPI_SUCCESS);
  std::int64_t rows = 0, cols = 0, n = 0;
  REQUIRE(admpi_sparse_size(s, &rows, &cols, &n) == ADMPI_SUCCESS);
  CHECK(rows == 1);
  CHECK(cols == 2 * size());
  CHECK(n == 2 * size());
  admpi_sparse_free(s);
  tape.reverse();
  double of_sum = 3.0 * size();
  for (int r = 0; r < size(); ++r) of_sum += point(r);
  CHECK(tape.adjoint(x[1]) == doctest::Approx(of_sum * point(rank())));
}

template <class Fn>
std::string message_of(Fn &&fn, int code) {
  try {
    fn();
  } catch (const admpi::error &error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "no error";
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST_CASE("test_sparsity_refuses_products_over_ranks_on_all") {
  const auto f = [](const std::vector<var> &x) {
    std::vector<var> y(1);
    AMPI_Allreduce(x.data(), y.data(), 1, AMPI_ADOUBLE, MPI_PROD, test::world);
    return y;
  };
  const std::string text = message_of([&] { admpi::sparsity(f, {1.5}, test::world); }, ADMPI_ERR_UNSUPPORTED);
  CHECK(contains(text, "on rank 0"));
  CHECK(contains(text, "Allreduce"));
}

TEST_CASE("test_sparse_drivers_refuse_sizes_that_differ") {
  const int n = 12, last = size() - 1;
  const std::string name = "on rank " + std::to_string(last) + ": ";
  std::vector<double> x = ocean_points(n);
  const coloured_pattern p = admpi::sparsity(ocean_step{n}, x, test::world);
  if (rank() == last) x.pop_back();
  std::string text = message_of([&] { admpi::sparse_jacobian(ocean_step{n}, x, p, test::world); }, ADMPI_ERR_ARGUMENT);
  CHECK(contains(text, "on rank 0: sparse_jacobian: the pattern's columns has 144 elements, not 143"));
  x = ocean_points(n);
  coloured_pattern q = p;
  if (rank() == last) q.colour.pop_back();
  text = message_of([&] { admpi::sparse_jacobian(ocean_step{n}, x, q, test::world); }, ADMPI_ERR_ARGUMENT);
  CHECK(contains(text, name + "sparse_jacobian: the pattern's colour"));
  q = p;
  if (rank() == last) q.column.back() = 144;
  text = message_of([&] { admpi::sparse_jacobian(ocean_step{n}, x, q, test::world); }, ADMPI_ERR_ARGUMENT);
  CHECK(contains(text, "= 144 is not below 144"));
  // A function that has not the pattern's results here.
  const auto shorter = [&](const auto &all) {
    auto y = ocean_step{n}(all);
    if (rank() == last) y.pop_back();
    return y;
  };
  text = message_of([&] { admpi::sparse_jacobian(shorter, x, p, test::world); }, ADMPI_ERR_ARGUMENT);
  CHECK(contains(text, name + "sparse_jacobian: the pattern's rows has "));
  text = message_of([&] { admpi::sparse_hessian(chain_on_ranks(), own_points(12), p, test::world); }, ADMPI_ERR_ARGUMENT);
  CHECK(contains(text, "the pattern is one of a Jacobian"));
}

/// The pattern of a chain, without the last element of a row of the last rank.
TEST_CASE("test_sparse_drivers_find_what_a_pattern_lacks") {
  const auto without_last = [](coloured_pattern p) {
    if (rank() != size() - 1) return p;
    const int at = p.row_start[2] - 1;
    p.column.erase(p.column.begin() + at);
    for (std::size_t i = 2; i < p.row_start.size(); ++i) --p.row_start[i];
    return p;
  };
  const std::string name = "on rank " + std::to_string(size() - 1) + ": ";
  const std::vector<double> z = own_points(20), x = ocean_points(12);
  const coloured_pattern h = admpi::hessian_sparsity(chain_on_ranks(), z, test::world);
  std::string text = message_of([&] { admpi::sparse_hessian(chain_on_ranks(), z, without_last(h), test::world); }, ADMPI_ERR_ARGUMENT);
  CHECK(contains(text, name + "sparse_hessian: row 1 of the pattern lacks an element"));
  const coloured_pattern p = admpi::sparsity(ocean_step{12}, x, test::world);
  text = message_of([&] { admpi::sparse_jacobian(ocean_step{12}, x, without_last(p), test::world); }, ADMPI_ERR_ARGUMENT);
  CHECK(contains(text, name + "sparse_jacobian: row 1 of the pattern lacks an element"));
}

TEST_CASE("test_sparse_drivers_find_functions_that_are_not_repeatable") {
  const std::string name = "on rank " + std::to_string(size() - 1) + ": ";
  const std::vector<double> x = ocean_points(12), z = own_points(20);
  const coloured_pattern p = admpi::sparsity(ocean_step{12}, x, test::world), h = admpi::hessian_sparsity(chain_on_ranks(), z, test::world);
  int calls = 0;
  const auto drifts = [&](const auto &all) {
    auto y = ocean_step{12}(all);
    if (rank() == size() - 1) y[3] += 1.0 * calls++;
    return y;
  };
  std::string text = message_of([&] { admpi::sparse_jacobian(drifts, x, p, test::world); }, ADMPI_ERR_CALLBACK);
  CHECK(contains(text, name + "sparse_jacobian: f(x)[3] is "));
  const auto grows = [&](const auto &all) {
    auto y = ocean_step{12}(all);
    if (rank() == size() - 1 && calls++ > 1) y.pop_back();
    return y;
  };
  calls = 1;
  text = message_of([&] { admpi::sparse_jacobian(grows, x, p, test::world); }, ADMPI_ERR_CALLBACK);
  CHECK(contains(text, name + "sparse_jacobian: f(x) has "));
  calls = 0;
  const auto moves = [&](const auto &all) {
    auto y = chain_on_ranks()(all);
    y += 1.0 * calls++;
    return y;
  };
  text = message_of([&] { admpi::sparse_hessian(moves, z, h, test::world); }, ADMPI_ERR_CALLBACK);
  CHECK(contains(text, "on rank 0: sparse_hessian: f(x)[0] is "));
  // What follows is not disturbed.
  CHECK(admpi::sparse_hessian(chain_on_ranks(), z, h, test::world).value == admpi::sparse_hessian(chain_on_ranks(), z, test::world).value);
}

}  // namespace
