/* Generated from src/capi/densities.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_DENSITIES_H
#define ADMPI_DENSITIES_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"
#include "admpi/matrix.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The log density of the normal distribution, summed over all elements, as one event. Each argument is a part of a
 * matrix, or a scalar that stands for all elements; active or passive.
 * @param y            observations; finite
 * @param mu           mean; finite
 * @param sigma        standard deviation; positive and finite
 * @param[out] lp_out  the sum over all elements
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_normal_lpdf(const admpi_operand *y,
                          const admpi_operand *mu,
                          const admpi_operand *sigma,
                          admpi_var *lp_out);

/**
 * The log density of Student's t distribution, summed over all elements, as one event. Each argument is a part of a
 * matrix, or a scalar that stands for all elements; active or passive.
 * @param y            observations; finite
 * @param nu           degrees of freedom; positive and finite
 * @param mu           location; finite
 * @param sigma        scale; positive and finite
 * @param[out] lp_out  the sum over all elements
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_student_t_lpdf(const admpi_operand *y,
                             const admpi_operand *nu,
                             const admpi_operand *mu,
                             const admpi_operand *sigma,
                             admpi_var *lp_out);

/**
 * The log density of the gamma distribution, minus infinity for y < 0, summed over all elements, as one event. Each
 * argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
 * @param y            observations; finite
 * @param alpha        shape; positive and finite
 * @param beta         rate; positive and finite
 * @param[out] lp_out  the sum over all elements
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_gamma_lpdf(const admpi_operand *y,
                         const admpi_operand *alpha,
                         const admpi_operand *beta,
                         admpi_var *lp_out);

/**
 * The log probability of events that occur with the probability inv_logit(alpha), summed over all elements, as one
 * event. Each argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
 * @param y            1 if the event occurred, else 0; passive
 * @param alpha        logit of the probability; not NaN
 * @param[out] lp_out  the sum over all elements
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_UNSUPPORTED (y is active), ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS,
 *         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_bernoulli_logit_lpmf(const admpi_operand *y,
                                   const admpi_operand *alpha,
                                   admpi_var *lp_out);

/**
 * The log probability of counts of which exp(alpha) are expected, summed over all elements, as one event. Each
 * argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
 * @param y            counts; passive
 * @param alpha        logarithm of the rate; not NaN
 * @param[out] lp_out  the sum over all elements
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_UNSUPPORTED (y is active), ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS,
 *         ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_poisson_log_lpmf(const admpi_operand *y,
                               const admpi_operand *alpha,
                               admpi_var *lp_out);

/**
 * The log density of the multivariate normal distribution, given the Cholesky factor of the covariance, summed over
 * the columns of y.
 * @param y            `n x m`: m observations of n numbers
 * @param mu           mean: `n x 1`, the same for all columns, or `n x m`
 * @param l            `n x n`: the covariance is its lower triangle times that transposed. The diagonal is positive;
 *                     the upper triangle is not read
 * @param[out] lp_out  the sum over all columns
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_multi_normal_cholesky_lpdf(const admpi_view *y,
                                         const admpi_view *mu,
                                         const admpi_view *l,
                                         admpi_var *lp_out);

/**
 * The log density of the multivariate normal distribution, given the covariance, summed over the columns of y. Its
 * Cholesky factor is kept for the sweep.
 * @param y            `n x m`: m observations of n numbers
 * @param mu           mean: `n x 1`, the same for all columns, or `n x m`
 * @param sigma        `n x n`: the covariance, positive definite. The lower triangle is read, and holds the adjoints
 *                     of both
 * @param[out] lp_out  the sum over all columns
 * @return as admpi_multi_normal_cholesky_lpdf, ADMPI_ERR_ARGUMENT also if sigma is not positive definite: the message
 *         says by which pivot
 */
int32_t admpi_multi_normal_lpdf(const admpi_view *y,
                                const admpi_view *mu,
                                const admpi_view *sigma,
                                admpi_var *lp_out);

/**
 * The log probability of events that occur with the probability inv_logit(alpha + x beta), as one event; x is read
 * once, for the value and the gradient
 * @param y            n elements: 1 if the event occurred, else 0; passive
 * @param x            `n x k`: a row for each observation; finite; passive
 * @param alpha        intercept: one number, or n; not NaN
 * @param beta         weights: k elements; finite
 * @param[out] lp_out  the sum over all observations
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_UNSUPPORTED (y or x is active), ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_bernoulli_logit_glm_lpmf(const admpi_view *y,
                                       const admpi_view *x,
                                       const admpi_view *alpha,
                                       const admpi_view *beta,
                                       admpi_var *lp_out);

/**
 * The log probability of counts of which exp(alpha + x beta) are expected, as one event; x is read once, for the value
 * and the gradient
 * @param y            n elements: counts; passive
 * @param x            `n x k`: a row for each observation; finite; passive
 * @param alpha        intercept: one number, or n; not NaN
 * @param beta         weights: k elements; finite
 * @param[out] lp_out  the sum over all observations
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_UNSUPPORTED (y or x is active), ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_poisson_log_glm_lpmf(const admpi_view *y,
                                   const admpi_view *x,
                                   const admpi_view *alpha,
                                   const admpi_view *beta,
                                   admpi_var *lp_out);

/**
 * The log density of the normal distribution with the mean alpha + x beta, as one event; x is read once, for the value
 * and the gradient
 * @param y            n elements: observations; finite; passive
 * @param x            `n x k`: a row for each observation; finite; passive
 * @param alpha        intercept: one number, or n; finite
 * @param beta         weights: k elements; finite
 * @param sigma        standard deviation: one number, or n; positive and finite
 * @param[out] lp_out  the sum over all observations
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
 *         ADMPI_ERR_UNSUPPORTED (y or x is active), ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE,
 *         ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
 */
int32_t admpi_normal_id_glm_lpdf(const admpi_view *y,
                                 const admpi_view *x,
                                 const admpi_view *alpha,
                                 const admpi_view *beta,
                                 const admpi_view *sigma,
                                 admpi_var *lp_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_DENSITIES_H */
