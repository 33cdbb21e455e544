// admpi: log densities. Each is normalised, a sum over all elements, and one event. An argument is an array, or a scalar for
// all elements, active or passive; arrays have the same number of elements.
//
//   admpi::var lp = normal_lpdf(y, a * x + b, sigma);
#ifndef ADMPI_DENSITIES_HPP
#define ADMPI_DENSITIES_HPP

#include "admpi/argument.hpp"
#include "admpi/densities.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

template <class Density, class... Arguments>
var log_density(Density density, const Arguments &...arguments) {
  admpi_var lp;
  check(density(&arguments.operand()..., &lp));
  return lp;
}

/// A scalar as a matrix of one element.
inline argument as_matrix(const argument &x) {
  return x.parts().of == nullptr ? argument(varmat(1, 1, static_cast<const var *>(&x.operand().scalar))) : x;
}

/// Of arguments that are all matrices.
template <class Density, class... Arguments>
var density_of_matrices(Density density, const Arguments &...arguments) {
  admpi_var lp;
  check(density(&as_matrix(arguments).parts()..., &lp));
  return lp;
}

}  // namespace detail

/// The normal distribution of y with mean mu and standard deviation sigma.
inline var normal_lpdf(const argument &y, const argument &mu, const argument &sigma) {
  return detail::log_density(&admpi_normal_lpdf, y, mu, sigma);
}

/// Student's t distribution of y with nu degrees of freedom, location mu and scale sigma.
inline var student_t_lpdf(const argument &y, const argument &nu, const argument &mu, const argument &sigma) {
  return detail::log_density(&admpi_student_t_lpdf, y, nu, mu, sigma);
}

/// The gamma distribution of y with shape alpha and rate beta; minus infinity for y < 0.
inline var gamma_lpdf(const argument &y, const argument &alpha, const argument &beta) {
  return detail::log_density(&admpi_gamma_lpdf, y, alpha, beta);
}

/// The Bernoulli distribution of y (passive; 1 if an event occurred, else 0) with probability inv_logit(alpha).
inline var bernoulli_logit_lpmf(const argument &y, const argument &alpha) {
  return detail::log_density(&admpi_bernoulli_logit_lpmf, y, alpha);
}

/// The Poisson distribution of counts y (passive) with rate exp(alpha).
inline var poisson_log_lpmf(const argument &y, const argument &alpha) {
  return detail::log_density(&admpi_poisson_log_lpmf, y, alpha);
}

/// Events y with probability inv_logit(alpha + x beta), for data x (n x k). alpha is one number or n, beta has k. As
/// bernoulli_logit_lpmf(y, alpha + multiply(x, beta)), but x is read once for the value and the gradient. y and x are passive.
inline var bernoulli_logit_glm_lpmf(const argument &y, const argument &x, const argument &alpha, const argument &beta) {
  return detail::density_of_matrices(&admpi_bernoulli_logit_glm_lpmf, y, x, alpha, beta);
}

/// The same for counts y of which exp(alpha + x beta) are expected.
inline var poisson_log_glm_lpmf(const argument &y, const argument &x, const argument &alpha, const argument &beta) {
  return detail::density_of_matrices(&admpi_poisson_log_glm_lpmf, y, x, alpha, beta);
}

/// The same for numbers y about alpha + x beta with the standard deviation sigma, one number or n.
inline var normal_id_glm_lpdf(const argument &y, const argument &x, const argument &alpha, const argument &beta,
                              const argument &sigma) {
  return detail::density_of_matrices(&admpi_normal_id_glm_lpdf, y, x, alpha, beta, sigma);
}

/// The multivariate normal distribution of the columns of y, with the mean mu (one column, or one for each) and the Cholesky
/// factor of the covariance in the lower triangle of l.
inline var multi_normal_cholesky_lpdf(const argument &y, const argument &mu, const argument &l) {
  return detail::density_of_matrices(&admpi_multi_normal_cholesky_lpdf, y, mu, l);
}

/// The same with the covariance, whose lower triangle is read.
inline var multi_normal_lpdf(const argument &y, const argument &mu, const argument &sigma) {
  return detail::density_of_matrices(&admpi_multi_normal_lpdf, y, mu, sigma);
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif
