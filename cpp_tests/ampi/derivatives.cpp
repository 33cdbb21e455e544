// Jacobians, Hessians, their products and checks of gradients of functions that ranks compute together: the same numbers on any
// number of ranks.
#include <admpi.hpp>
#include <admpi/derivatives_ranks.hpp>
#include <admpi/sparsity_ranks.hpp>

#include <cmath>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"
#include "harness/ranks.hpp"

using admpi::var;
using test::rank;
using test::size;

namespace {

constexpr int all = 12;

/// The first of this rank's cells, of a ring of 12.
int first_of(int r) { return all * r / size(); }

std::vector<double> points() {
  std::vector<double> x;
  for (int i = first_of(rank()); i < first_of(rank() + 1); ++i) x.push_back(0.5 + 0.1 * i);
  return x;
}

/// The neighbours of this rank's cells: from the left, then from the right.
template <class T>
std::vector<T> neighbours(const std::vector<T> &x) {
  T ends[2] = {x.front(), x.back()}, halo[2];
  AMPI_Request requests[4];
  AMPI_Irecv(&halo[0], 1, AMPI_ADOUBLE, test::left(), 1, test::world, &requests[0]);
  AMPI_Irecv(&halo[1], 1, AMPI_ADOUBLE, test::right(), 2, test::world, &requests[1]);
  AMPI_Isend(&ends[1], 1, AMPI_ADOUBLE, test::right(), 1, test::world, &requests[2]);
  AMPI_Isend(&ends[0], 1, AMPI_ADOUBLE, test::left(), 2, test::world, &requests[3]);
  AMPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  std::vector<T> with_halo = {halo[0]};
  with_halo.insert(with_halo.end(), x.begin(), x.end());
  with_halo.push_back(halo[1]);
  return with_halo;
}

/// y[i] = sin(x[i]) * x[i - 1] + x[i + 1] squared; with `every` > 1 of each rank's every so many cells alone.
struct ring {
  int every = 1;
  template <class T>
  std::vector<T> operator()(const std::vector<T> &x) const {
    using std::sin;
    const std::vector<T> z = neighbours(x);
    std::vector<T> y;
    for (std::size_t i = 0; i < x.size(); ++i)
      if ((first_of(rank()) + static_cast<int>(i)) % every == 0) y.push_back(sin(z[i + 1]) * z[i] + z[i + 2] * z[i + 2]);
    return y;
  }
};

double ring_by_hand(int i, int j) {
  const auto x = [](int k) { return 0.5 + 0.1 * ((k + all) % all); };
  double d = 0.0;
  if (j == i) d += std::cos(x(i)) * x(i - 1);
  if (j == (i + all - 1) % all) d += std::sin(x(i));
  if (j == (i + 1) % all) d += 2.0 * x(i + 1);
  return d;
}

/// The sum of x[i]^2 x[i + 1] over the ring, on all ranks.
struct objective {
  template <class T>
  T operator()(const std::vector<T> &x) const {
    const std::vector<T> z = neighbours(x);
    T local = 0.0, sum = 0.0;
    for (std::size_t i = 1; i + 1 < z.size(); ++i) local += z[i] * z[i] * z[i + 1];
    AMPI_Allreduce(&local, &sum, 1, AMPI_ADOUBLE, MPI_SUM, test::world);
    return sum;
  }
};

double hessian_by_hand(int i, int j) {
  const auto x = [](int k) { return 0.5 + 0.1 * ((k + all) % all); };
  double h = 0.0;
  if (i == j) h += 2.0 * x(i + 1);
  if (j == (i + 1) % all) h += 2.0 * x(i);
  if (j == (i + all - 1) % all) h += 2.0 * x(i - 1);
  return h;
}

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

TEST_CASE("test_derivatives_jacobian_of_a_ring") {
  with_and_without_tape([] {
    // With few results by sweeps, with many by tangents or sweeps.
    for (const int every : {1, 4, 12}) {
      CAPTURE(every);
      const admpi::dense j = admpi::jacobian(ring{every}, points(), test::world);
      CHECK(j.cols == all);
      std::int64_t row = 0;
      for (int i = first_of(rank()); i < first_of(rank() + 1); ++i) {
        if (i % every != 0) continue;
        REQUIRE(row < j.rows);
        for (int k = 0; k < all; ++k) CHECK(j(row, k) == doctest::Approx(ring_by_hand(i, k)).epsilon(1e-13));
        ++row;
      }
      CHECK(row == j.rows);
    }
  });
}

TEST_CASE("test_derivatives_products_of_a_ring") {
  std::vector<double> v, w;
  for (int i = first_of(rank()); i < first_of(rank() + 1); ++i) {
    v.push_back(1.0 + i);
    w.push_back(2.0 - 0.3 * i);
  }
  const std::vector<double> forward = admpi::jacobian_product(ring(), points(), v, test::world);
  const std::vector<double> back = admpi::transposed_jacobian_product(ring(), points(), w, test::world);
  const std::vector<double> second = admpi::hessian_product(objective(), points(), v, test::world);
  for (int i = first_of(rank()); i < first_of(rank() + 1); ++i) {
    const auto at = static_cast<std::size_t>(i - first_of(rank()));
    double jv = 0.0, wj = 0.0, hv = 0.0;
    for (int k = 0; k < all; ++k) {
      jv += ring_by_hand(i, k) * (1.0 + k);
      wj += (2.0 - 0.3 * k) * ring_by_hand(k, i);
      hv += hessian_by_hand(i, k) * (1.0 + k);
    }
    CHECK(forward[at] == doctest::Approx(jv).epsilon(1e-13));
    CHECK(back[at] == doctest::Approx(wj).epsilon(1e-13));
    CHECK(second[at] == doctest::Approx(hv).epsilon(1e-13));
  }
}

TEST_CASE("test_derivatives_hessian_of_a_ring") {
  with_and_without_tape([] {
    const admpi::dense h = admpi::hessian(objective(), points(), test::world);
    CHECK(h.cols == all);
    REQUIRE(h.rows == first_of(rank() + 1) - first_of(rank()));
    for (std::int64_t i = 0; i < h.rows; ++i)
      for (int k = 0; k < all; ++k)
        CHECK(h(i, k) == doctest::Approx(hessian_by_hand(static_cast<int>(i) + first_of(rank()), k)).epsilon(1e-13));
  });
}

/// The sum of this rank's part, without the Allreduce.
struct own_part {
  template <class T>
  T operator()(const std::vector<T> &x) const {
    T sum = 0.0;
    for (const T &one : x) sum += one * one * (1.0 + rank());
    return sum;
  }
};

TEST_CASE("test_derivatives_of_different_objectives_are_refused") {
  const std::vector<double> x = points();
  const auto check = [&](const char *function, auto call) {
    CAPTURE(function);
    if (size() == 1) return call();
    const std::string why = test::message<admpi::error>(call);
    CHECK(why.find(std::string(function) + ": f returned ") != std::string::npos);
    CHECK(why.find("such as the result of an Allreduce") != std::string::npos);
  };
  check("gradient", [&] { admpi::gradient(own_part(), x, test::world, admpi::inputs::distributed); });
  check("hessian_product", [&] { admpi::hessian_product(own_part(), x, x, test::world); });
  check("hessian_product", [&] { admpi::hessian(own_part(), x, test::world); });
  check("hessian_sparsity", [&] { admpi::hessian_sparsity(own_part(), x, test::world); });
  check("hessian_sparsity", [&] { admpi::sparse_hessian(own_part(), x, test::world); });
  const admpi::coloured_pattern p = admpi::hessian_sparsity(objective(), x, test::world);
  check("sparse_hessian", [&] { admpi::sparse_hessian(own_part(), x, p, test::world); });
  // Sums in another order differ by rounding.
  const auto rounded = [](const std::vector<var> &all) { return objective()(all) * (1.0 + 1e-15 * rank()); };
  admpi::gradient(rounded, x, test::world, admpi::inputs::distributed);
}

TEST_CASE("test_derivatives_check_gradient_of_distributed_inputs") {
  const admpi::gradient_check right = admpi::check_gradient(objective(), points(), test::world, admpi::inputs::distributed);
  CHECK(right.is_right());
  CHECK(right.inputs.size() == all);
  // The last rank loses the derivative by its last input.
  const auto lost = [](const auto &x) {
    auto y = x;
    if (rank() == size() - 1) y.back() = admpi::value(x.back());
    return objective()(y);
  };
  const admpi::gradient_check check = admpi::check_gradient(lost, points(), test::world, admpi::inputs::distributed);
  for (const admpi::input_check &one : check.inputs) {
    const bool is_last = one.rank == size() - 1 && one.input == all - first_of(size() - 1) - 1;
    CHECK(one.is_right == !is_last);
    CHECK(one.x == 0.5 + 0.1 * (first_of(one.rank) + static_cast<int>(one.input)));
  }
  std::ostringstream text;
  text << check;
  CHECK(text.str().find("gradient of 12 inputs: 1 wrong\n") == 0);
  CHECK((text.str().find(" rank ") != std::string::npos) == (size() > 1));
}

/// All have the same two inputs, and a part of the sum.
TEST_CASE("test_derivatives_check_gradient_of_replicated_inputs") {
  const auto f = [](const auto &x) {
    using T = std::decay_t<decltype(x[0])>;
    T local = x[0] * x[1] * (1.0 + rank()), sum = 0.0;
    AMPI_Allreduce(&local, &sum, 1, AMPI_ADOUBLE, MPI_SUM, test::world);
    return sum;
  };
  const admpi::gradient_check check = admpi::check_gradient(f, {2.0, 3.0}, test::world, admpi::inputs::replicated);
  CHECK(check.is_right());
  REQUIRE(check.inputs.size() == 2);
  CHECK(check.inputs[0].reverse == doctest::Approx(3.0 * size() * (size() + 1) / 2));
}

}  // namespace
