// The same program three times: on admpi's own tape, by FW_ and BW_ as source transformation writes it, and with checkpoints, where
// each part is run plainly first and recorded where the sweep comes to it. All give the same gradient.
#include <admpi.hpp>
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include "harness/ranks.hpp"

// Declared here: AdjoinableMPI's own header has calls of admpi.hpp's names with other arguments.
extern "C" {
int FW_AMPI_Send(void *, int, MPI_Datatype, int, int, int, MPI_Comm);
int BW_AMPI_Send(void *, int, MPI_Datatype, int, int, int, MPI_Comm);
int FW_AMPI_Irecv(void *, int, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
int BW_AMPI_Irecv(void *, int, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
int FW_AMPI_Wait(MPI_Request *, MPI_Status *);
int BW_AMPI_Wait(MPI_Request *, MPI_Status *);
int FW_AMPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int BW_AMPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);
int FW_AMPI_Allreduce(void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
int BW_AMPI_Allreduce(void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
void ADTOOL_AMPI_Turn(void *, void *);
}

using test::left;
using test::rank;
using test::right;
using test::size;
using test::world;

namespace {

constexpr int n = 4, steps = 6, part = 2;
using numbers = std::array<double, n>;

numbers start() {
  numbers x{};
  for (int i = 0; i < n; ++i) x[i] = 0.4 + 0.1 * i + 0.07 * rank();
  return x;
}

/// A time step: halo, local work, and a sum of all that all use. `came` and `sum` are what its sweep needs.
struct kept {
  numbers x, came, sum;
};

template <class S>
void local(S *x, const S *came, const S *sum) {
  for (int i = 0; i < n; ++i) x[i] = sin(x[i] * came[(i + 1) % n]) + sum[i] * 0.1;
}

std::vector<double> by_own_tape() {
  admpi::tape tape;
  std::array<admpi::var, n> x, first;
  const numbers from = start();
  for (int i = 0; i < n; ++i) x[i] = from[i];
  tape.start();
  tape.input(x.data(), n);
  first = x;
  AMPI_Bcast(x.data(), 2, AMPI_ADOUBLE, 0, world);
  for (int step = 0; step < steps; ++step) {
    std::array<admpi::var, n> came, sum;
    AMPI_Request request;
    AMPI_Irecv(came.data(), n, AMPI_ADOUBLE, left(), 1, world, &request);
    AMPI_Send(x.data(), n, AMPI_ADOUBLE, right(), 1, world);
    AMPI_Wait(&request, MPI_STATUS_IGNORE);
    AMPI_Allreduce(x.data(), sum.data(), n, AMPI_ADOUBLE, MPI_SUM, world);
    local(x.data(), came.data(), sum.data());
  }
  for (int i = 0; i < n; ++i) tape.seed(x[i], 1.0 + i);
  tape.reverse();
  std::vector<double> gradient;
  for (const auto &one : first) gradient.push_back(tape.adjoint(one));
  return gradient;
}

void forward(numbers &x, kept &k) {
  MPI_Request request;
  k.x = x;
  FW_AMPI_Irecv(k.came.data(), n, MPI_DOUBLE, left(), 1, 0, world, &request);
  FW_AMPI_Send(x.data(), n, MPI_DOUBLE, right(), 1, 0, world);
  FW_AMPI_Wait(&request, MPI_STATUS_IGNORE);
  FW_AMPI_Allreduce(x.data(), k.sum.data(), n, MPI_DOUBLE, MPI_SUM, world);
  local(x.data(), k.came.data(), k.sum.data());
}

void plain(numbers &x) {
  numbers came{}, sum{};
  MPI_Sendrecv(x.data(), n, MPI_DOUBLE, right(), 1, came.data(), n, MPI_DOUBLE, left(), 1, world, MPI_STATUS_IGNORE);
  MPI_Allreduce(x.data(), sum.data(), n, MPI_DOUBLE, MPI_SUM, world);
  local(x.data(), came.data(), sum.data());
}

void back(numbers &xb, kept &k) {
  numbers came_b{}, sum_b{}, from{};
  MPI_Request request = MPI_REQUEST_NULL;
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    const double slope = std::cos(k.x[i] * k.came[j]) * xb[i];
    from[i] += slope * k.came[j];
    came_b[j] += slope * k.x[i];
    sum_b[i] += 0.1 * xb[i];
  }
  xb = from;
  CHECK(BW_AMPI_Allreduce(xb.data(), sum_b.data(), n, MPI_DOUBLE, MPI_SUM, world) == MPI_SUCCESS);
  ADTOOL_AMPI_Turn(k.came.data(), came_b.data());
  CHECK(BW_AMPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(BW_AMPI_Send(xb.data(), n, MPI_DOUBLE, right(), 1, 0, world) == MPI_SUCCESS);
  CHECK(BW_AMPI_Irecv(came_b.data(), n, MPI_DOUBLE, left(), 1, 0, world, &request) == MPI_SUCCESS);
}

numbers seeds() {
  numbers xb{};
  for (int i = 0; i < n; ++i) xb[i] = 1.0 + i;
  return xb;
}

void check_same(const numbers &xb) {
  const std::vector<double> own = by_own_tape();
  admpi_statistics held{};
  std::int64_t left_over = -1;
  for (int i = 0; i < n; ++i) CHECK(xb[i] == doctest::Approx(own[static_cast<std::size_t>(i)]).epsilon(1e-13));
  CHECK(own[n - 1] != 0.0);
  CHECK(admpi_step_statistics(&held, &left_over) == ADMPI_SUCCESS);
  CHECK(left_over == 0);
}

}  // namespace

TEST_CASE("test_adjoinable_calls_give_the_gradient_of_admpis_own_tape") {
  numbers x = start(), xb = seeds();
  std::array<kept, steps> all{};
  FW_AMPI_Bcast(x.data(), 2, MPI_DOUBLE, 0, world);
  for (kept &k : all) forward(x, k);
  for (int step = steps; step-- > 0;) back(xb, all[static_cast<std::size_t>(step)]);
  CHECK(BW_AMPI_Bcast(xb.data(), 2, MPI_DOUBLE, 0, world) == MPI_SUCCESS);
  check_same(xb);
}

TEST_CASE("test_adjoinable_calls_with_checkpoints") {
  numbers x = start(), xb = seeds();
  std::array<numbers, steps / part> snapshots{};
  FW_AMPI_Bcast(x.data(), 2, MPI_DOUBLE, 0, world);
  for (int step = 0; step < steps; ++step) {
    if (step % part == 0) snapshots[static_cast<std::size_t>(step / part)] = x;
    plain(x);
  }
  for (int at = steps / part; at-- > 0;) {
    std::array<kept, part> recorded{};
    x = snapshots[static_cast<std::size_t>(at)];
    for (kept &k : recorded) forward(x, k);
    for (int step = part; step-- > 0;) back(xb, recorded[static_cast<std::size_t>(step)]);
  }
  CHECK(BW_AMPI_Bcast(xb.data(), 2, MPI_DOUBLE, 0, world) == MPI_SUCCESS);
  check_same(xb);
}

TEST_CASE("test_adjoinable_maximum_of_equal_numbers_counts_once") {
  double x = 2.0, y = 0.0, xb = 0.0, yb = rank() == 0 ? 3.0 : 0.0, sum = 0.0;
  FW_AMPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, world);
  CHECK(BW_AMPI_Allreduce(&xb, &yb, 1, MPI_DOUBLE, MPI_MAX, world) == MPI_SUCCESS);
  CHECK(y == 2.0);
  MPI_Allreduce(&xb, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
  CHECK(sum == 3.0);
  CHECK((xb == 0.0 || xb == 3.0));
}
