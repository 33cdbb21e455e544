/* The Runge-Kutta pair of orders 5 and 4 of Dormand and Prince (J. Comput. Appl. Math. 6, 1980) for one equation y' = rate(y), on
 * any scalar type. Primal values alone choose the steps, so that they are the same whatever derivatives are carried along, and the
 * derivatives are those of the numbers computed. */
#ifndef POPULATION_RUNGE_KUTTA_HPP
#define POPULATION_RUNGE_KUTTA_HPP

#include <admpi.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace runge_kutta {

struct Control {
  double tolerance; /**< of a step, relative to 1 + |y| */
  double step;      /**< the first to try; then what the last one suggests for the next */
};

/** y at time `to`, from y at time `from`. */
template <class T, class Rate>
T integrate(const Rate &rate, T y, double from, double to, Control &control) {
  constexpr double growth = 5.0, shrinkage = 0.2, safety = 0.9, order = 5.0;
  constexpr int most_steps = 100000;
  T k1 = rate(y);
  for (int trial = 0; from < to; ++trial) {
    if (trial == most_steps) throw std::runtime_error("the step size of the integration fell too low");
    const bool last = control.step >= to - from;
    const double h = last ? to - from : control.step;
    const T k2 = rate(T(y + (h / 5) * k1));
    const T k3 = rate(T(y + (h * 3 / 40) * k1 + (h * 9 / 40) * k2));
    const T k4 = rate(T(y + (h * 44 / 45) * k1 - (h * 56 / 15) * k2 + (h * 32 / 9) * k3));
    const T k5 = rate(T(y + (h * 19372 / 6561) * k1 - (h * 25360 / 2187) * k2 + (h * 64448 / 6561) * k3 - (h * 212 / 729) * k4));
    const T k6 = rate(T(y + (h * 9017 / 3168) * k1 - (h * 355 / 33) * k2 + (h * 46732 / 5247) * k3 + (h * 49 / 176) * k4 -
                        (h * 5103 / 18656) * k5));
    const T next = y + (h * 35 / 384) * k1 + (h * 500 / 1113) * k3 + (h * 125 / 192) * k4 - (h * 2187 / 6784) * k5 + (h * 11 / 84) * k6;
    const T k7 = rate(next);
    using admpi::value;
    const double error = h * (71.0 / 57600 * value(k1) - 71.0 / 16695 * value(k3) + 71.0 / 1920 * value(k4) -
                              17253.0 / 339200 * value(k5) + 22.0 / 525 * value(k6) - 1.0 / 40 * value(k7));
    const double excess = std::fabs(error) / (control.tolerance * (1 + std::fabs(value(y))));
    const bool accepted = excess <= 1;
    // An interval that is shorter than the step says nothing against the step.
    const double suggested = h * std::clamp(safety * std::pow(excess, -1 / order), shrinkage, growth);
    control.step = accepted && last ? std::max(control.step, suggested) : suggested;
    if (!accepted) continue;
    from = last ? to : from + h;
    y = next;
    k1 = k7;
  }
  return y;
}

}  // namespace runge_kutta

#endif
