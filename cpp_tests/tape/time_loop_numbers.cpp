// Time loops over numbers of every type, in arrays and containers, and in functions that drivers call with any of them.
#include <admpi.hpp>
#include <admpi/complex.hpp>
#include <admpi/derivatives.hpp>
#include <admpi/float.hpp>
#include <admpi/time_loop.hpp>

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

using admpi::float_var;
using admpi::tangent;
using admpi::time_loop;
using admpi::var;

namespace {

constexpr int steps = 23;

/// Adjoints of `x` after `run`, whose result is seeded: by steps on the tape, and by a loop.
template <class Run>
void check_loop(Run run) {
  std::vector<double> whole;
  for (const bool by_loop : {false, true}) {
    admpi::tape tape;
    tape.start();
    std::array<var, 2> x = {var(0.4), var(0.7)};
    tape.input(x);
    const auto y = run(x, [&](auto declare, auto step) {
      if (!by_loop) {
        for (int i = 0; i < steps; ++i) step(i);
        return;
      }
      time_loop loop(tape);
      loop.blocks(5);
      declare(loop);
      loop.run(steps, step);
    });
    tape.seed(y);
    tape.reverse();
    const std::vector<double> found = {y.value, tape.adjoint(x[0]), tape.adjoint(x[1])};
    if (!by_loop) whole = found;
    CHECK(found == whole);
    CHECK(found[1] != 0.0);
    CHECK(found[2] != 0.0);
  }
}

}  // namespace

TEST_CASE("test_time_loop_of_floats") {
  std::vector<float_var> u;
  float_var k;
  check_loop([&](const auto &x, auto run) {
    u = {float_var(x[0]), float_var(x[1])};
    k = float_var(0.3f);
    run([&](time_loop &loop) { loop.state(u, k); },
        [&](std::int64_t) {
          u[0] = u[0] * k + u[1] * 0.1f;
          k = k * 0.9f + u[1] * 0.01f;
        });
    return var(u[0]);
  });
}

TEST_CASE("test_time_loop_of_complex_numbers") {
  std::vector<std::complex<var>> u;
  std::complex<var> z;
  std::vector<std::complex<float_var>> w;
  check_loop([&](const auto &x, auto run) {
    z = std::complex<var>(x[0], x[1]);
    u.assign(3, z);
    w.assign(2, std::complex<float_var>(float_var(x[1]), float_var(x[0])));
    run([&](time_loop &loop) { loop.state(u, z, w); },
        [&](std::int64_t step) {
          u[static_cast<std::size_t>(step) % 3] = z * u[0] + std::complex<double>(0.1, -0.2);
          z = 0.5 * z * z + 0.25 * u[1];
          w[1] = w[0] * 0.75f;
          w[0] = w[1] * std::complex<float>(0.5f, 1.0f);
        });
    return var(z.real() + u[2].imag() + w[0].real());
  });
}

TEST_CASE("test_time_loop_of_arrays") {
  var grid[2][3];
  std::vector<std::array<var, 3>> points;
  std::array<tangent<var>, 2> moved;
  check_loop([&](const auto &x, auto run) {
    for (auto &row : grid)
      for (var &one : row) one = x[0] * 0.5;
    points.assign(4, {x[0], x[1], var(0.25)});
    moved = {tangent<var>(x[0], x[1]), tangent<var>(x[1])};
    run([&](time_loop &loop) { loop.state(grid, points, moved); },
        [&](std::int64_t) {
          grid[1][2] = grid[0][1] * points[3][1] + 0.1;
          grid[0][1] = grid[1][2] * 0.9;
          points[3][1] = points[2][0] * 0.5 + moved[0].derivative * 0.1;
          moved[0] = moved[0] * moved[1] + 0.2;
        });
    return var(grid[1][2] + moved[0].value);
  });
}

/// A sweep runs steps again from what numbers were, active or not.
TEST_CASE("test_time_loop_keeps_what_is_passive") {
  double time, weights[2][2];
  std::vector<double> noise;
  std::complex<double> phase;
  int count;
  tangent<double> moved;
  var u;
  check_loop([&](const auto &x, auto run) {
    time = 0.0;
    weights[0][0] = weights[1][1] = 1.0;
    noise = {0.1, 0.2};
    phase = 1.0;
    count = 0;
    moved = tangent<double>(1.0, 0.5);
    u = x[0];
    run([&](time_loop &loop) { loop.state(u, time, weights, noise, phase, count, moved); },
        [&](std::int64_t) {
          time += 0.1;
          weights[1][1] *= 0.9;
          noise[1] = 0.7 * noise[1] + noise[0];
          phase *= std::complex<double>(0.8, 0.6);
          ++count;
          moved = moved * 0.95;
          u = u * (0.5 + 0.01 * time) + x[1] * weights[1][1] * noise[1] * phase.real() + 0.001 * count * moved.value * moved.derivative;
        });
    CHECK(count == steps);
    return u;
  });
}

/// What the program does with it afterwards is nothing to the sweep, and what the sweep does is nothing to the program.
TEST_CASE("test_time_loop_keeps_passive_parameters") {
  double rate = 0.0;
  std::vector<double> forces;
  var u;
  check_loop([&](const auto &x, auto run) {
    rate = 0.9;
    forces = {0.1, 0.2, 0.3};
    u = x[0];
    run([&](time_loop &loop) { loop.state(u), loop.parameters(rate, forces); },
        [&](std::int64_t step) { u = u * u * rate + x[1] * forces[static_cast<std::size_t>(step) % 3]; });
    rate = 17.0;
    forces.assign(3, 5.0);
    return u;
  });
  CHECK(rate == 17.0);
  CHECK(forces == std::vector<double>(3, 5.0));
}

namespace {

/// Any scalar's steps, whose state lives as long as the tape needs it.
struct decay {
  template <class T>
  T operator()(const std::vector<T> &x) const {
    using std::sin;
    auto u = std::make_shared<std::vector<T>>(x);
    time_loop loop;
    loop.blocks(4);
    loop.state(*u);
    loop.run(steps, [u](std::int64_t) {
      (*u)[0] = (*u)[0] * 0.9 + sin((*u)[1]) * 0.1;
      (*u)[1] = (*u)[1] * (*u)[0];
    });
    return (*u)[0] + (*u)[1];
  }
};

template <class T>
T decay_by_hand(std::vector<T> x) {
  using std::sin;
  for (int i = 0; i < steps; ++i) {
    x[0] = x[0] * 0.9 + sin(x[1]) * 0.1;
    x[1] = x[1] * x[0];
  }
  return x[0] + x[1];
}

}  // namespace

TEST_CASE("test_time_loop_in_drivers") {
  const std::vector<double> x = {0.8, 0.9};
  const auto by_hand = [](const auto &at) { return decay_by_hand(at); };
  CHECK(decay()(x) == decay_by_hand(x));
  CHECK(admpi::gradient(decay(), x) == admpi::gradient(by_hand, x));
  CHECK(admpi::check_gradient(decay(), x).is_right());
  CHECK(admpi::hessian(decay(), x).data == admpi::hessian(by_hand, x).data);
  const auto results = [](const auto &at) {
    std::vector<std::decay_t<decltype(at[0])>> all(9, decay()(at));
    return all;
  };
  CHECK(admpi::jacobian(results, x)(8, 1) == doctest::Approx(admpi::gradient(by_hand, x)[1]).epsilon(1e-14));
}

TEST_CASE("test_time_loop_without_a_tape_is_not_for_one_made_later") {
  var u = 0.5;
  time_loop loop;
  loop.state(u);
  loop.run(3, [&](std::int64_t) { u = u * 2.0; });
  CHECK(u.value == 4.0);
  admpi::tape tape;
  tape.start();
  CHECK_THROWS_WITH_AS(loop.run(3, [&](std::int64_t) { u = u * 2.0; }), doctest::Contains("make the loop after the tape"), admpi::error);
  CHECK(u.value == 4.0);
}
