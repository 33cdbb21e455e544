// A stable 2-D Burgers step: 14 leaves a statement, 6 of them distinct.
// Recording and sweeping against the plain loop, and bytes a statement. With an argument, the recording or the sweep
// alone, for an instruction count.
#include <admpi.hpp>

#include <cstring>
#include <vector>

#include "bench.hpp"

namespace {

constexpr int size = 258;  // with the boundary, which stays as it is
constexpr double advection = 0.02;
constexpr double diffusion = 0.05;

template <class T>
struct state {
  std::vector<T> u, v;
  state() : u(size * size), v(size * size) {}
};

void smooth_start(state<double> &s) {
  const double h = 3.14159265358979 / (size - 1);
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) {
      s.u[j * size + i] = std::sin(2.0 * h * i) * std::cos(h * j);
      s.v[j * size + i] = -std::cos(h * i) * std::sin(2.0 * h * j);
    }
  }
}

/// One component c, carried by u in x and by v in y: in the direction of the component itself in flux form.
template <class T>
[[gnu::noinline]] void step(const T *__restrict u, const T *__restrict v, T *__restrict u_next, T *__restrict v_next) {
  constexpr int w = size;
  constexpr double a = advection / 2.0;
  constexpr double d = diffusion;
  for (int j = 1; j < size - 1; ++j) {
    for (int i = 1; i < size - 1; ++i) {
      const int k = j * w + i;
      u_next[k] = u[k] - a * ((u[k + 1] + u[k - 1]) * (u[k + 1] - u[k - 1]) + v[k] * (u[k + w] - u[k - w])) +
                  d * ((u[k + 1] - 2.0 * u[k] + u[k - 1]) + (u[k + w] - 2.0 * u[k] + u[k - w]));
      v_next[k] = v[k] - a * (u[k] * (v[k + 1] - v[k - 1]) + (v[k + w] + v[k - w]) * (v[k + w] - v[k - w])) +
                  d * ((v[k + 1] - 2.0 * v[k] + v[k - 1]) + (v[k + w] - 2.0 * v[k] + v[k - w]));
    }
  }
}

/// Leaves the result in s; t is a second buffer with the same boundary.
template <class T>
void run(state<T> &s, state<T> &t, int steps) {
  for (int n = 0; n < steps; ++n) {
    step(s.u.data(), s.v.data(), t.u.data(), t.v.data());
    std::swap(s.u, t.u);
    std::swap(s.v, t.v);
  }
}

/// The same step as array expressions.
struct arrays {
  admpi::varmat u, v;
};

void step(arrays &s) {
  constexpr double a = advection / 2.0;
  constexpr double d = diffusion;
  const auto at = [](const admpi::varmat &c, int i, int j) { return c.block(1 + i, 1 + j, size - 2, size - 2); };
  const admpi::view u = at(s.u, 0, 0), ue = at(s.u, 1, 0), uw = at(s.u, -1, 0), un = at(s.u, 0, 1), us = at(s.u, 0, -1);
  const admpi::view v = at(s.v, 0, 0), ve = at(s.v, 1, 0), vw = at(s.v, -1, 0), vn = at(s.v, 0, 1), vs = at(s.v, 0, -1);
  arrays next = s;
  at(next.u, 0, 0) = u - a * (elt_multiply(ue + uw, ue - uw) + elt_multiply(v, un - us)) + d * ((ue - 2.0 * u + uw) + (un - 2.0 * u + us));
  at(next.v, 0, 0) = v - a * (elt_multiply(u, ve - vw) + elt_multiply(vn + vs, vn - vs)) + d * ((ve - 2.0 * v + vw) + (vn - 2.0 * v + vs));
  s = next;
}

/// Anything but constant.
double weight(std::size_t i, int kind) {
  return std::sin(0.37 * static_cast<double>(i) + kind);
}

}  // namespace

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : "";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 10;
  constexpr int runs = 15;
  const double n = 2.0 * steps * (size - 2) * (size - 2);

  state<double> initial;
  smooth_start(initial);
  admpi::tape tape;
  tape.start();
  state<admpi::var> input, active, spare;
  const auto prepare = [&] {
    tape.reset();
    std::copy(initial.u.begin(), initial.u.end(), input.u.begin());
    std::copy(initial.v.begin(), initial.v.end(), input.v.begin());
    tape.input(input.u);
    tape.input(input.v);
    active = spare = input;
  };
  const auto record = [&] { run(active, spare, steps); };
  const auto seed = [&] {
    for (std::size_t i = 0; i < active.u.size(); ++i) {
      tape.seed(active.u[i], weight(i, 0));
      tape.seed(active.v[i], weight(i, 1));
    }
  };
  prepare();
  if (std::strcmp(only, "none") == 0) return 0;
  record();
  if (std::strcmp(only, "record") == 0) return 0;
  seed();
  tape.reverse();
  if (std::strcmp(only, "sweep") == 0) return 0;

  using T = admpi::tangent<double>;
  state<T> forward, forward_spare;
  double along = 0.0;
  for (std::size_t i = 0; i < forward.u.size(); ++i) {
    forward.u[i] = T(initial.u[i], weight(i, 2));
    forward.v[i] = T(initial.v[i], weight(i, 3));
    along += tape.adjoint(input.u[i]) * weight(i, 2) + tape.adjoint(input.v[i]) * weight(i, 3);
  }
  forward_spare = forward;
  run(forward, forward_spare, steps);
  double expected = 0.0;
  for (std::size_t i = 0; i < forward.u.size(); ++i) {
    expected += forward.u[i].derivative * weight(i, 0) + forward.v[i].derivative * weight(i, 1);
  }
  bench::check("burgers: derivative along a direction", along, expected, 1e-11);

  arrays fields, array_input;
  std::vector<double> weight_u, weight_v;
  for (std::size_t i = 0; i < active.u.size(); ++i) {
    weight_u.push_back(weight(i, 0));
    weight_v.push_back(weight(i, 1));
  }
  const auto prepare_arrays = [&] {
    tape.reset();
    tape.start();
    array_input.u = admpi::varmat(size, size, initial.u.data());
    array_input.v = admpi::varmat(size, size, initial.v.data());
    tape.input(array_input.u);
    tape.input(array_input.v);
    fields = array_input;
  };
  const auto seed_arrays = [&] {
    tape.seed(fields.u, weight_u);
    tape.seed(fields.v, weight_v);
  };
  prepare_arrays();
  for (int k = 0; k < steps; ++k) step(fields);
  seed_arrays();
  tape.reverse();
  const std::vector<double> of_u = tape.adjoints(array_input.u), of_v = tape.adjoints(array_input.v);
  along = 0.0;
  for (std::size_t i = 0; i < of_u.size(); ++i) along += of_u[i] * weight(i, 2) + of_v[i] * weight(i, 3);
  bench::check("burgers in arrays: derivative along a direction", along, expected, 1e-11);

  // In turns, so that whatever else the machine does falls on all of them; step by step.
  bench::blocks plain, recording, sweep, array_recording, array_sweep;
  std::uint64_t used = 0;
  std::vector<admpi::position> positions(static_cast<std::size_t>(steps) + 1);
  for (int i = 0; i < runs; ++i) {
    state<double> passive = initial, passive_spare = initial;
    for (int k = 0; k < steps; ++k) {
      plain.run([&] {
        run(passive, passive_spare, 1);
        bench::use(passive);
      });
    }
    prepare();
    positions[0] = tape.position();
    for (int k = 0; k < steps; ++k) {
      recording.run([&] { run(active, spare, 1); });
      positions[k + 1] = tape.position();
    }
    seed();
    for (int k = steps; k > 0; --k) sweep.run([&] { tape.reverse(positions[k], positions[k - 1]); });
    used = tape.statistics().used_bytes;
    prepare_arrays();
    positions[0] = tape.position();
    for (int k = 0; k < steps; ++k) {
      array_recording.run([&] { step(fields); });
      positions[k + 1] = tape.position();
    }
    seed_arrays();
    for (int k = steps; k > 0; --k) array_sweep.run([&] { tape.reverse(positions[k], positions[k - 1]); });
  }
  const double each = 1e9 * steps / n;
  const double inputs = 2.0 * size * size;
  std::printf("burgers: %.0f statements, plain %.2f ns, record %.2f ns, sweep %.2f ns a statement\n", n,
              each * plain.seconds(), each * recording.seconds(), each * sweep.seconds());
  bench::row("Burgers, warm: record over the plain loop", recording.seconds() / plain.seconds(), 16.0);
  bench::row("Burgers, warm: sweep over the plain loop", sweep.seconds() / plain.seconds(), 9.0);
  // The inputs' adjoints belong to no statement.
  const double bytes = static_cast<double>(used) - 8.0 * inputs;
  bench::row("Burgers, bytes a statement", bytes / n, 82.0);
  std::printf("burgers in arrays: record %.2f ns, sweep %.2f ns an element\n", each * array_recording.seconds(),
              each * array_sweep.seconds());
  bench::row("Burgers in arrays: record and sweep over those of statements",
             (array_recording.seconds() + array_sweep.seconds()) / (recording.seconds() + sweep.seconds()), 0.3);
  bench::row("Burgers in arrays: bytes over those of statements",
             (static_cast<double>(tape.statistics().used_bytes) - 16.0 * inputs) / bytes, 0.25);
  return 0;
}
