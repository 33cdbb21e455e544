/* Population pharmacokinetics of phenobarbital in newborns, and what one child contributes to the objective.
 *
 * Every child gets doses into the blood at once, and eliminates the drug in proportion to the amount A that is there:
 *
 *     A' = -(CL / V) A,     C = A / V,     CL = th1 * weight * exp(eta1),     V = th2 * weight * (1 + th3 [Apgar < 5]) * exp(eta2)
 *
 * with the child's own eta1 ~ N(0, omega1), eta2 ~ N(0, omega2), and measures C (1 + eps), eps ~ N(0, sigma). The likelihood of the
 * six parameters is an integral over the effects eta; first-order conditional estimation with interaction approximates it around
 * the most likely effects of each child. (Grasela and Donn, Dev. Pharmacol. Ther. 8, 1985; Wang, J. Pharmacokinet. Pharmacodyn. 34,
 * 2007; Almquist, Leander and Jirstrand, J. Pharmacokinet. Pharmacodyn. 42, 2015.)
 *
 * Everything is templated on its scalar. */
#ifndef POPULATION_MODEL_HPP
#define POPULATION_MODEL_HPP

#include <admpi.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "runge_kutta.hpp"

namespace population {

/** The parameters of the population. */
template <class T>
struct Parameters {
  T clearance;             /**< th1, l/h/kg */
  T volume;                /**< th2, l/kg */
  T asphyxia;              /**< th3, by how much more volume a child has whose Apgar score is below 5 */
  T residual;              /**< sigma, a variance */
  std::array<T, 2> spread; /**< omega, the variances of the effects on clearance and volume */
};

/** A child's random effects on clearance and volume. */
template <class T>
using Effects = std::array<T, 2>;
using Matrix = std::array<std::array<double, 2>, 2>;

/** What is known of a child, as it is sent to whoever does its job: doses and measurements in the order of time. */
class Child {
 public:
  enum Kind : std::int32_t { dose, measurement };

  /** @param real     weight in kg; then of each row time in h and amount: mg given or mg/l measured
   *  @param integer  whether the Apgar score is below 5; then the kind of each row */
  Child(admpi::span<const double> real, admpi::span<const std::int32_t> integer) : real_(real), integer_(integer) {}

  double weight() const { return real_[0]; }
  bool asphyxiated() const { return integer_[0] != 0; }
  std::size_t rows() const { return integer_.size() - 1; }
  double time(std::size_t row) const { return real_[1 + 2 * row]; }
  double amount(std::size_t row) const { return real_[2 + 2 * row]; }
  bool measured(std::size_t row) const { return integer_[1 + row] == measurement; }

 private:
  admpi::span<const double> real_;
  admpi::span<const std::int32_t> integer_;
};

/** A child's own clearance and volume. */
template <class T>
struct Kinetics {
  T clearance, volume;
};

template <class P, class T>
Kinetics<T> kinetics(const Child &child, const Parameters<P> &parameters, const Effects<T> &eta) {
  using std::exp;
  const P clearance = parameters.clearance * child.weight();
  const P volume = parameters.volume * child.weight() * (child.asphyxiated() ? P(1.0 + parameters.asphyxia) : P(1.0));
  return {T(exp(eta[0]) * clearance), T(exp(eta[1]) * volume)};
}

/** Concentrations at the rows of a child, in mg/l; at a dose, what is there when it has been given. */
template <class T>
std::vector<T> concentrations(const Child &child, const Kinetics<T> &of) {
  const T rate = -of.clearance / of.volume;
  const auto eliminate = [&](const T &amount) { return T(rate * amount); };
  runge_kutta::Control control{1e-11, 8.0};
  std::vector<T> all;
  all.reserve(child.rows());
  T amount = 0.0;
  for (std::size_t row = 0; row < child.rows(); ++row) {
    if (row > 0) amount = runge_kutta::integrate(eliminate, amount, child.time(row - 1), child.time(row), control);
    if (!child.measured(row)) amount += child.amount(row);
    all.push_back(amount / of.volume);
  }
  return all;
}

/** Minus twice the log density of a child's measurements and effects together, without its constants and those of omega. */
template <class P, class T>
T joint(const Child &child, const Parameters<P> &parameters, const Effects<T> &eta) {
  using std::log;
  using admpi::square;
  const std::vector<T> concentration = concentrations(child, kinetics(child, parameters, eta));
  T sum = square(eta[0]) / parameters.spread[0] + square(eta[1]) / parameters.spread[1];
  for (std::size_t row = 0; row < child.rows(); ++row) {
    if (!child.measured(row)) continue;
    const T &c = concentration[row];
    const T variance = square(c) * parameters.residual;
    sum += log(variance) + square(child.amount(row) - c) / variance;
  }
  return sum;
}

/** The effects, with a tangent of one along the k-th. */
template <class T>
Effects<admpi::tangent<T>> along(const Effects<T> &eta, std::size_t k) {
  Effects<admpi::tangent<T>> lifted{eta[0], eta[1]};
  lifted[k].derivative = 1.0;
  return lifted;
}

inline Effects<double> solve(const Matrix &a, const Effects<double> &b) {
  const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
  return {(a[1][1] * b[0] - a[0][1] * b[1]) / determinant, (a[0][0] * b[1] - a[1][0] * b[0]) / determinant};
}

/** A child's most likely effects, where the joint density has its mode, and the Hessian of `joint` there. */
struct Mode {
  Effects<double> eta;
  Matrix hessian;
};

/** Value, gradient and Hessian of `joint` in the effects, by tangents of tangents. */
struct Expansion {
  double value;
  Effects<double> gradient;
  Matrix hessian;

  Expansion(const Child &child, const Parameters<double> &parameters, const Effects<double> &eta) {
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const auto at = joint(child, parameters, along(along(eta, i), j));
        value = at.value.value;
        gradient[i] = at.value.derivative;
        hessian[i][j] = hessian[j][i] = at.derivative.derivative;
      }
  }
};

/** Newton's iteration, with shorter steps where a whole one would lead up. */
inline Mode find_mode(const Child &child, const Parameters<double> &parameters) {
  Effects<double> eta{0.0, 0.0};
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Expansion at(child, parameters, eta);
    Matrix convex = at.hessian;
    // Its lower eigenvalue; where that is negative a step by the Hessian could lead to a maximum.
    const double middle = (convex[0][0] + convex[1][1]) / 2;
    const double lowest = middle - std::hypot((convex[0][0] - convex[1][1]) / 2, convex[0][1]);
    if (lowest <= 0) {
      for (std::size_t k = 0; k < 2; ++k) convex[k][k] += 1 / parameters.spread[k] - lowest;
    }
    const Effects<double> step = solve(convex, at.gradient);
    const double decrease = at.gradient[0] * step[0] + at.gradient[1] * step[1];
    // Newton squares the error: at this size, of the effects squared, it is rounding.
    if (lowest > 0 && decrease < 1e-22) return {eta, at.hessian};
    const auto moved = [&](double by) { return Effects<double>{eta[0] - by * step[0], eta[1] - by * step[1]}; };
    double by = 1;
    // Below this size the differences of values are rounding.
    while (decrease > 1e-9 && !(joint(child, parameters, moved(by)) <= at.value - 1e-4 * by * decrease)) {
      by /= 2;
      if (by < 1e-10) throw std::runtime_error("no step lowers the joint density");
    }
    eta = moved(by);
  }
  throw std::runtime_error("the most likely effects were not found");
}

/** How many times a scalar can be differentiated. */
template <class T>
inline constexpr int order = 0;
template <>
inline constexpr int order<admpi::var> = 1;
template <class T>
inline constexpr int order<admpi::tangent<T>> = 1 + order<T>;

/** The most likely effects as a function of the parameters: more steps from the mode, with the Hessian there, in which the
 *  parameters are active. They leave the effects where they are. The derivative of the first, minus the inverse of the Hessian times
 *  the derivative of the gradient, is that of the implicit function theorem; every further one makes the next derivative right. */
template <class T>
Effects<T> mode_of(const Child &child, const Parameters<T> &parameters) {
  using admpi::value;
  const Mode mode = find_mode(child, {value(parameters.clearance), value(parameters.volume), value(parameters.asphyxia),
                                      value(parameters.residual), {value(parameters.spread[0]), value(parameters.spread[1])}});
  const Effects<double> by_first = solve(mode.hessian, {1.0, 0.0}), by_second = solve(mode.hessian, {0.0, 1.0});
  Effects<T> eta{mode.eta[0], mode.eta[1]};
  for (int step = 0; step < order<T>; ++step) {
    const T first = joint(child, parameters, along(eta, 0)).derivative, second = joint(child, parameters, along(eta, 1)).derivative;
    eta = {T(eta[0] - by_first[0] * first - by_second[0] * second), T(eta[1] - by_first[1] * first - by_second[1] * second)};
  }
  return eta;
}

/** What a child adds to minus twice the log likelihood, without the constants of the normal densities. */
template <class T>
T contribution(const Child &child, const Parameters<T> &parameters) {
  using std::log;
  using admpi::square;
  const Effects<T> eta = mode_of(child, parameters);
  const auto along_clearance = concentrations(child, kinetics(child, parameters, along(eta, 0)));
  const auto along_volume = concentrations(child, kinetics(child, parameters, along(eta, 1)));
  // The expected Hessian of half of `joint`: the variance of a measurement too depends on the effects.
  T h11 = 1.0 / parameters.spread[0], h12 = 0.0, h22 = 1.0 / parameters.spread[1];
  T sum = square(eta[0]) / parameters.spread[0] + square(eta[1]) / parameters.spread[1];
  for (std::size_t row = 0; row < child.rows(); ++row) {
    if (!child.measured(row)) continue;
    const T &c = along_clearance[row].value;
    const T &d1 = along_clearance[row].derivative, &d2 = along_volume[row].derivative;
    const T variance = square(c) * parameters.residual;
    const T weight = 1.0 / variance + 2.0 / square(c);
    h11 += weight * d1 * d1;
    h12 += weight * d1 * d2;
    h22 += weight * d2 * d2;
    sum += log(variance) + square(child.amount(row) - c) / variance;
  }
  return sum + log(parameters.spread[0] * parameters.spread[1] * (h11 * h22 - h12 * h12));
}

}  // namespace population

#endif
