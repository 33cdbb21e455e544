/* The fit: the objective with its gradient, whoever evaluates the children, and the parameters as the optimiser sees them. */
#ifndef POPULATION_FIT_HPP
#define POPULATION_FIT_HPP

#include <functional>

#include "data.hpp"
#include "minimise.hpp"
#include "model.hpp"

namespace population {

using optimiser::Vector;

/** From the parameters to what each child contributes, recorded on the current tape. */
using Contributions = std::function<std::vector<admpi::var>(const std::vector<admpi::var> &parameters)>;

template <class Values>
auto parameters_from(const Values &p) {
  using T = std::decay_t<decltype(p[0])>;
  return Parameters<T>{p[0], p[1], p[2], p[3], {p[4], p[5]}};
}

/** The optimiser's variables are logarithms: the parameters have a sign and sizes of their own. */
inline std::vector<admpi::var> parameters_of(const std::vector<admpi::var> &x) {
  std::vector<admpi::var> p;
  for (std::size_t k = 0; k < x.size(); ++k) p.push_back(k == 2 ? admpi::var(expm1(x[k])) : admpi::var(exp(x[k])));
  return p;
}
inline Vector parameters_of(const Vector &x) {
  Vector p;
  for (std::size_t k = 0; k < x.size(); ++k) p.push_back(k == 2 ? std::expm1(x[k]) : std::exp(x[k]));
  return p;
}
inline Vector variables_of(const Vector &p) {
  Vector x;
  for (std::size_t k = 0; k < p.size(); ++k) x.push_back(k == 2 ? std::log1p(p[k]) : std::log(p[k]));
  return x;
}

/** Minus twice the log likelihood, without constants, as NONMEM gives it. */
class Objective {
 public:
  explicit Objective(Contributions contributions) : contributions_(std::move(contributions)) {}

  /** The value; and the gradient in the optimiser's variables. */
  double operator()(const Vector &x, Vector &gradient) {
    tape_.reset();
    std::vector<admpi::var> active(x.begin(), x.end());
    tape_.start();
    tape_.input(active);
    admpi::var sum = 0.0;
    for (const admpi::var &one : contributions_(parameters_of(active))) sum += one;
    tape_.stop();
    tape_.seed(sum);
    tape_.reverse();
    gradient.resize(x.size());
    tape_.adjoints(active.data(), std::int64_t(active.size()), gradient.data());
    return sum.value;
  }

 private:
  Contributions contributions_;
  admpi::tape tape_;
};

/** All children in a loop, on the one tape. */
inline Contributions in_a_loop(const Data &data) {
  return [&data](const std::vector<admpi::var> &parameters) {
    std::vector<admpi::var> all;
    for (std::size_t k = 0; k < data.children(); ++k) all.push_back(contribution(data.child(k), parameters_from(parameters)));
    return all;
  };
}

/** A child as a job of a map: its contribution. */
struct ContributionOfJob {
  template <class Job>
  void operator()(const Job &job) const {
    job.y[0] = contribution(Child(job.x_r, job.x_i), parameters_from(job.shared));
  }
};

/** Likewise its most likely effects. */
struct EffectsOfJob {
  template <class Job>
  void operator()(const Job &job) const {
    const auto eta = mode_of(Child(job.x_r, job.x_i), parameters_from(job.shared));
    for (std::size_t k = 0; k < eta.size(); ++k) job.y[k] = eta[k];
  }
};

/** The children as the jobs of a map, done by whoever has the data. */
template <class Function>
Contributions by_a_map(const Function &function, const admpi::map_data &data, std::size_t children) {
  return [&function, &data, children](const std::vector<admpi::var> &parameters) {
    return admpi::map_rect(function, parameters, children, data);
  };
}

}  // namespace population

#endif
