/* Limited-memory BFGS (Nocedal & Wright, "Numerical Optimization", algorithms 7.4 and 3.5/3.6) for a smooth function of many
 * variables whose gradient costs about as much as a few values. Every trial point therefore asks for both at once. */
#ifndef EXAMPLES_LBFGS_HPP
#define EXAMPLES_LBFGS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

namespace lbfgs {

using Vector = std::vector<double>;

/** Value of the function at x; the gradient goes to the second argument. */
using Function = std::function<double(const Vector &x, Vector &gradient)>;

struct State {
  int iteration = 0;
  int evaluations = 0;
  double value = 0;
  double gradient_norm = 0;
  double step = 0;
  Vector x;
  Vector gradient;
};

/** Called once at the start and after every iteration; false ends the minimisation. */
using Observer = std::function<bool(const State &)>;

inline double dot(const Vector &a, const Vector &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/** The last pairs of steps and gradient changes: an approximation of the inverse Hessian. */
class Memory {
 public:
  explicit Memory(std::size_t pairs) : pairs_(pairs) {}

  void add(Vector step, Vector change) {
    const double curvature = dot(step, change);
    // A pair without positive curvature would make the approximation indefinite.
    if (curvature <= 1e-14 * dot(change, change)) return;
    if (memory_.size() == pairs_) memory_.pop_front();
    memory_.push_back({std::move(step), std::move(change), 1 / curvature});
  }

  void clear() { memory_.clear(); }
  bool empty() const { return memory_.empty(); }

  /** The quasi-Newton direction at a gradient: the two-loop recursion. */
  Vector direction(const Vector &gradient) const {
    Vector d = gradient;
    std::vector<double> alpha(memory_.size());
    for (std::size_t k = memory_.size(); k-- > 0;) {
      alpha[k] = memory_[k].rho * dot(memory_[k].step, d);
      add_scaled(d, -alpha[k], memory_[k].change);
    }
    if (!memory_.empty()) {
      const Pair &last = memory_.back();
      const double scale = 1 / (last.rho * dot(last.change, last.change));
      for (double &di : d) di *= scale;
    }
    for (std::size_t k = 0; k < memory_.size(); ++k)
      add_scaled(d, alpha[k] - memory_[k].rho * dot(memory_[k].change, d), memory_[k].step);
    for (double &di : d) di = -di;
    return d;
  }

 private:
  struct Pair {
    Vector step, change;
    double rho;
  };

  static void add_scaled(Vector &y, double a, const Vector &x) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += a * x[i];
  }

  std::size_t pairs_;
  std::deque<Pair> memory_;
};

/** A trial point of the line search: position along the direction, value, slope. */
struct Trial {
  double step, value, slope;
};

/** Minimiser of the cubic through two trials, kept away from both ends of their interval. */
inline double cubic_minimiser(const Trial &a, const Trial &b) {
  const double low = std::min(a.step, b.step), width = std::fabs(b.step - a.step);
  const double d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  double step = low + width / 2;
  if (square >= 0) {
    const double d2 = std::copysign(std::sqrt(square), b.step - a.step);
    const double cubic = b.step - (b.step - a.step) * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
    if (std::isfinite(cubic)) step = cubic;
  }
  return std::clamp(step, low + 0.1 * width, low + 0.9 * width);
}

/** Walks along a direction until the strong Wolfe conditions hold. `point` is called with a step and evaluates there;
 *  true if a step was found that lowers the function, and then the last point evaluated is that step. */
inline bool wolfe_search(const std::function<Trial(double)> &point, const Trial &start, double first_step) {
  constexpr double decrease = 1e-4, curvature = 0.9;
  constexpr int max_trials = 20;
  const auto too_high = [&](const Trial &t, const Trial &best) {
    return !std::isfinite(t.value) || t.value > start.value + decrease * t.step * start.slope ||
           (best.step > 0 && t.value >= best.value);
  };
  const auto flat = [&](const Trial &t) { return std::fabs(t.slope) <= -curvature * start.slope; };

  Trial low = start, high = start;
  bool bracketed = false;
  double step = first_step;
  for (int trial = 0; trial < max_trials; ++trial) {
    const Trial t = point(step);
    if (too_high(t, low)) {
      high = t;
      bracketed = true;
    } else if (flat(t)) {
      return true;
    } else {
      if (bracketed ? t.slope * (high.step - low.step) >= 0 : t.slope >= 0) {
        high = low;
        bracketed = true;
      }
      low = t;
    }
    if (!bracketed)
      step = 2 * low.step;
    else if (std::isfinite(high.value))
      step = cubic_minimiser(low, high);
    else
      step = (low.step + high.step) / 2;
    if (bracketed && std::fabs(high.step - low.step) < 1e-12 * std::max(1.0, low.step)) break;
  }
  if (low.step == 0) return false;
  point(low.step);
  return true;
}

/** Minimises from x until the observer says stop, `max_iterations` are done or no step lowers the function.
 *  @param[in] first_step the multiple of the gradient to try first: a steepest-descent step has no length of its own
 *  @param[in] pairs how many steps the approximation of the Hessian remembers */
inline State minimise(const Function &f, Vector x, int max_iterations, const Observer &observer, double first_step,
                      std::size_t pairs = 12) {
  State state;
  state.x = std::move(x);
  state.value = f(state.x, state.gradient);
  state.evaluations = 1;
  state.gradient_norm = std::sqrt(dot(state.gradient, state.gradient));
  Memory memory(pairs);
  bool go_on = observer(state);
  while (go_on && state.iteration < max_iterations && state.gradient_norm > 0) {
    Vector direction = memory.direction(state.gradient);
    Trial start{0, state.value, dot(direction, state.gradient)};
    if (start.slope >= 0) {
      memory.clear();
      direction = memory.direction(state.gradient);
      start.slope = dot(direction, state.gradient);
    }
    Vector trial_x(state.x.size()), trial_gradient;
    Trial last = start;
    const auto point = [&](double step) {
      for (std::size_t i = 0; i < trial_x.size(); ++i) trial_x[i] = state.x[i] + step * direction[i];
      const double value = f(trial_x, trial_gradient);
      ++state.evaluations;
      last = {step, value, dot(trial_gradient, direction)};
      return last;
    };
    if (!wolfe_search(point, start, memory.empty() ? first_step : 1.0)) {
      if (memory.empty()) break;
      memory.clear();
      continue;
    }
    Vector step(state.x.size()), change(state.x.size());
    for (std::size_t i = 0; i < step.size(); ++i) {
      step[i] = trial_x[i] - state.x[i];
      change[i] = trial_gradient[i] - state.gradient[i];
    }
    memory.add(std::move(step), std::move(change));
    state.x = trial_x;
    state.gradient = trial_gradient;
    state.value = last.value;
    state.step = last.step;
    state.gradient_norm = std::sqrt(dot(state.gradient, state.gradient));
    ++state.iteration;
    go_on = observer(state);
  }
  return state;
}

}  // namespace lbfgs

#endif
