// Fixed points and linear systems that are spread over the ranks: the routines communicate, in the call by plain MPI or passive
// values, and in the sweep by messages of nests. Compared with the same on one rank.
#include "harness/identity.hpp"

#include <cmath>
#include <vector>

using admpi::var;
using admpi::varmat;
using test::rank_of;
using test::size_of;
using test::world;
using numbers = std::vector<double>;

namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The value of the right or left neighbour in a ring of ranks, for one's own.
var from_left(const var &x) {
  const int size = size_of(world), rank = rank_of(world);
  var left;
  AMPI_Sendrecv(&x, 1, AMPI_ADOUBLE, (rank + 1) % size, 3, &left, 1, AMPI_ADOUBLE, (rank + size - 1) % size, 3, world,
                AMPI_STATUS_IGNORE);
  return left;
}
double shifted(double x, int by) {
  const int size = size_of(world), rank = rank_of(world);
  double other = 0.0;
  MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + by + size) % size, 4, &other, 1, MPI_DOUBLE, (rank - by + size) % size, 4, world,
               MPI_STATUS_IGNORE);
  return other;
}

double largest_of_all(const numbers &x) {
  double most = 0.0;
  for (const double each : x) most = std::fmax(most, std::fabs(each));
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, world);
  return most;
}

numbers parameters(std::int64_t n, std::int64_t from) {
  numbers p;
  for (std::int64_t i = 0; i < n; ++i) p.push_back(0.6 * std::sin(1.7 * static_cast<double>(from + i + 1)));
  return p;
}

constexpr std::int64_t own = 2;

template <class Left>
varmat ring(const varmat &x, const varmat &p, Left left) {
  varmat y(x.rows(), 1);
  for (std::int64_t i = 0; i < x.rows(); ++i) {
    const var before = i == 0 ? left(x(x.rows() - 1)) : x(i - 1);
    y(i) = 0.4 * sin(before + p(i)) + 0.3 * p(i) * cos(x(i));
  }
  return y;
}

template <class Left>
varmat product(const varmat &p, const varmat &x, Left left) {
  varmat y(x.rows(), 1);
  for (std::int64_t i = 0; i < x.rows(); ++i) {
    y(i) = (4.0 + p(i)) * x(i) + p(i) * (i == 0 ? left(x(x.rows() - 1)) : x(i - 1));
  }
  return y;
}

/// By Jacobi's iteration: `before` and `after` are what the neighbours have at the ends.
template <class Before, class After>
numbers jacobi(const varmat &p, const numbers &rhs, bool transposed, Before before, After after) {
  const std::int64_t n = p.rows();
  numbers x(at(n), 0.0);
  for (int k = 0; k < 80; ++k) {
    numbers y(at(n));
    const double last = before(x[at(n - 1)]), first = after(p(0).value * x[0]);
    for (std::int64_t i = 0; i < n; ++i) {
      const double off = !transposed     ? p(i).value * (i == 0 ? last : x[at(i - 1)])
                         : i + 1 < n ? p(i + 1).value * x[at(i + 1)]
                                         : first;
      y[at(i)] = (rhs[at(i)] - off) / (4.0 + p(i).value);
    }
    x = y;
  }
  return x;
}

/// Values and the adjoints of the parameters.
struct outcome {
  numbers x;
  numbers adjoint;
};

template <class F>
outcome swept(const numbers &values, std::int64_t from, F f) {
  test::recording_tape tape;
  varmat p(values);
  tape.input(p);
  const varmat x = f(p);
  tape.seed(x, parameters(x.rows(), 100 + from));
  tape.reverse();
  tape.reverse();  // nothing is left
  return {x.values(), tape.adjoints(p)};
}

void compare(const outcome &got, const outcome &whole) {
  const std::int64_t from = own * rank_of(world);
  for (std::int64_t i = 0; i < own; ++i) {
    CAPTURE(i);
    CHECK(std::fabs(got.x[at(i)] - whole.x[at(from + i)]) <= 1e-12);
    CHECK(std::fabs(got.adjoint[at(i)] - whole.adjoint[at(from + i)]) <= 1e-11);
  }
}

}  // namespace

TEST_CASE("test_equations_fixed_point_over_ranks") {
  const std::int64_t n = own * size_of(world), from = own * rank_of(world);
  admpi::fixed_point_options options;
  options.tolerance = 1e-14;
  const auto same = [](const var &x) { return x; };
  const outcome whole = swept(parameters(n, 0), 0, [&](const varmat &p) {
    return fixed_point([&](const varmat &x, const std::vector<varmat> &q) { return ring(x, q[0], same); }, varmat(n, 1), {p},
                       options);
  });
  const outcome got = swept(parameters(own, from), from, [&](const varmat &p) {
    return fixed_point([&](const varmat &x, const std::vector<varmat> &q) { return ring(x, q[0], &from_left); },
                       varmat(own, 1), {p}, options, &largest_of_all);
  });
  compare(got, whole);
}

TEST_CASE("test_equations_linear_solve_over_ranks") {
  const std::int64_t n = own * size_of(world), from = own * rank_of(world);
  const outcome whole = swept(parameters(n, 0), 0, [&](const varmat &p) {
    const auto same = [](const auto &x) { return x; };
    return linear_solve(
        varmat(2.0 * p), {p},
        [&](const std::vector<varmat> &q, const numbers &rhs, bool transposed) {
          return jacobi(q[0], rhs, transposed, same, same);
        },
        [&](const std::vector<varmat> &q, const varmat &x) { return product(q[0], x, same); });
  });
  const outcome got = swept(parameters(own, from), from, [&](const varmat &p) {
    return linear_solve(
        varmat(2.0 * p), {p},
        [&](const std::vector<varmat> &q, const numbers &rhs, bool transposed) {
          return jacobi(
              q[0], rhs, transposed, [](double x) { return shifted(x, 1); }, [](double x) { return shifted(x, -1); });
        },
        [&](const std::vector<varmat> &q, const varmat &x) { return product(q[0], x, &from_left); });
  });
  compare(got, whole);
}
