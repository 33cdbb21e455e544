/* Minimises a smooth function of many variables by limited-memory BFGS, as NLopt has it. */
#ifndef EXAMPLES_MINIMISE_HPP
#define EXAMPLES_MINIMISE_HPP

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

namespace optimiser {

using Vector = std::vector<double>;

inline double dot(const Vector &a, const Vector &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/** Value of the function at x; the gradient goes to the second argument. */
using Function = std::function<double(const Vector &x, Vector &gradient)>;

/** A point at which the function was evaluated, and how many points that makes. */
struct Point {
  int evaluations = 0;
  double value = HUGE_VAL;
  double gradient_norm = 0;
  Vector x;
};

/** Called with every point that is better than all before it; false ends the minimisation. */
using Observer = std::function<bool(const Point &)>;

/** What NLopt's callback needs. */
struct Search {
  const Function &function;
  const Observer &observer;
  nlopt_opt nlopt;
  Point best;
  int evaluations = 0;
  std::exception_ptr thrown = nullptr; /**< no exception may pass through C */

  double evaluate(const Vector &x, double *gradient_out) {
    Vector gradient;
    const double value = function(x, gradient);
    ++evaluations;
    std::copy(gradient.begin(), gradient.end(), gradient_out);
    if (value < best.value) {
      best = {evaluations, value, std::sqrt(dot(gradient, gradient)), x};
      if (!observer(best)) nlopt_force_stop(nlopt);
    }
    return value;
  }

  static double callback(unsigned n, const double *x, double *gradient_out, void *payload) {
    Search &search = *static_cast<Search *>(payload);
    try {
      return search.evaluate(Vector(x, x + n), gradient_out);
    } catch (...) {
      search.thrown = std::current_exception();
      nlopt_force_stop(search.nlopt);
      return HUGE_VAL;
    }
  }
};

/** The best point found when the observer says stop, `max_evaluations` are done or NLopt finds no better one; its `evaluations`
 *  are those of the whole search. What the function or the observer throws arrives at the caller.
 *  @param[in] reach how far a variable may go from where it starts */
inline Point minimise(const Function &function, Vector x, int max_evaluations, const Observer &observer, double reach = HUGE_VAL) {
  const std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> nlopt(nlopt_create(NLOPT_LD_LBFGS, unsigned(x.size())), nlopt_destroy);
  if (!nlopt) throw std::bad_alloc();
  Search search{function, observer, nlopt.get(), {}};
  Vector lower = x, upper = x;
  for (double &bound : lower) bound -= reach;
  for (double &bound : upper) bound += reach;
  nlopt_set_lower_bounds(nlopt.get(), lower.data());
  nlopt_set_upper_bounds(nlopt.get(), upper.data());
  nlopt_set_maxeval(nlopt.get(), max_evaluations);
  nlopt_set_min_objective(nlopt.get(), Search::callback, &search);
  double value;
  // The code says what ended the search; NLOPT_FAILURE is a line search that found nothing better.
  nlopt_optimize(nlopt.get(), x.data(), &value);
  if (search.thrown) std::rethrow_exception(search.thrown);
  if (search.best.x.empty()) throw std::runtime_error("the function to minimise has no finite value where the search starts");
  search.best.evaluations = search.evaluations;
  return search.best;
}

}  // namespace optimiser

#endif
