/* 07: a long time loop on a short tape, by nests.
 *
 * Recording 10,000 steps needs a tape of 10,000 steps. Instead the program keeps the state before every 100th step. It records
 * the blocks of 100 steps again one by one, last block first. Each is recorded in a nest, which is swept with the adjoint of
 * the next block and then recovered. This takes twice the forward work and a hundredth of the memory, for the same gradient.
 * The state at the beginning of a block is an input of its nest. The friction is one value for all blocks, from outside the
 * nests: its adjoint collects what each of them contributes. */
#include <admpi.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <vector>

using admpi::var;

/* A swinging pendulum: angle and velocity. */
template <class Real>
struct State {
  Real angle, velocity;
};

template <class Real>
State<Real> run(State<Real> s, const Real &friction, int steps) {
  using std::sin;
  for (int step = 0; step < steps; ++step) {
    s.velocity += 0.001 * (-sin(s.angle) - friction * s.velocity);
    s.angle += 0.001 * s.velocity;
  }
  return s;
}

struct Gradient {
  double angle, velocity, friction;
  unsigned long long statements; /**< the most that were on the tape */
};

constexpr int steps = 10000, block = 100;
const State<double> start = {1.0, 0.0};
constexpr double friction_value = 0.1;

/* The derivatives of the final angle, from one long tape. */
Gradient by_one_tape(admpi::tape &tape) {
  State<var> s = {start.angle, start.velocity};
  var friction = friction_value;
  tape.start();
  tape.input(s.angle);
  tape.input(s.velocity);
  tape.input(friction);
  const State<var> end = run(s, friction, steps);
  tape.stop();
  tape.seed(end.angle);
  tape.reverse();
  return {tape.adjoint(s.angle), tape.adjoint(s.velocity), tape.adjoint(friction), tape.statistics().statements};
}

Gradient by_checkpoints(admpi::tape &tape) {
  std::vector<State<double>> checkpoint = {start};
  while (checkpoint.size() < steps / block) checkpoint.push_back(run(checkpoint.back(), friction_value, block));

  Gradient g = {1.0, 0.0, 0.0, 0}; /* of the final angle with respect to the final state */
  var friction = friction_value;
  tape.start();
  tape.input(friction);
  for (auto from = checkpoint.rbegin(); from != checkpoint.rend(); ++from) {
    admpi::nested nest(tape);
    State<var> s = {from->angle, from->velocity};
    tape.input(s.angle);
    tape.input(s.velocity);
    const State<var> end = run(s, friction, block);
    tape.seed(end.angle, g.angle);
    tape.seed(end.velocity, g.velocity);
    tape.reverse();
    g = {tape.adjoint(s.angle), tape.adjoint(s.velocity), 0.0, tape.statistics().statements};
  } /* here the nest's statements are given back */
  tape.stop();
  tape.reverse(); /* through what was computed outside the nests: nothing here */
  g.friction = tape.adjoint(friction);
  return g;
}

int main() {
  admpi::tape tape;
  const Gradient whole = by_one_tape(tape);
  tape.reset();
  const Gradient pieces = by_checkpoints(tape);
  std::printf("final angle by            angle       velocity    friction    statements on the tape\n");
  std::printf("one tape            %11.8f %11.8f %11.8f    %llu\n", whole.angle, whole.velocity, whole.friction, whole.statements);
  std::printf("blocks of 100 steps %11.8f %11.8f %11.8f    %llu\n", pieces.angle, pieces.velocity, pieces.friction, pieces.statements);
}
