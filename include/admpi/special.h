/* Generated from src/capi/special.rs by tests/headers.rs; edit that. What handles and pointers must be: admpi.h. */

#ifndef ADMPI_SPECIAL_H
#define ADMPI_SPECIAL_H

#include <stddef.h>
#include <stdint.h>
#include "admpi/config.h"
#include "admpi/codes.h"
#include "admpi/var.h"

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * log(|gamma(x)|), without the sign of gamma.
 */
double admpi_value_lgamma(double x);

/**
 * gamma(x).
 */
double admpi_value_tgamma(double x);

/**
 * The derivative of lgamma.
 */
double admpi_value_digamma(double x);

/**
 * The second derivative of lgamma.
 */
double admpi_value_trigamma(double x);

/**
 * The derivative of digamma of an order from 0 to 150; NaN for any other order.
 */
double admpi_value_polygamma(double order, double x);

/**
 * digamma(a) - digamma(a + b) for positive a and b, without the cancellation where b is small beside a.
 */
double admpi_value_digamma_difference(double a, double b);

/**
 * log(beta(a, b)), for positive a and b.
 */
double admpi_value_lbeta(double a, double b);

/**
 * gamma(a) gamma(b) / gamma(a + b), for positive a and b.
 */
double admpi_value_beta(double a, double b);

/**
 * 1 / (1 + exp(-x)).
 */
double admpi_value_inv_logit(double x);

/**
 * log(x / (1 - x)).
 */
double admpi_value_logit(double x);

/**
 * log(1 + exp(x)), without overflow.
 */
double admpi_value_log1p_exp(double x);

/**
 * log(exp(a) + exp(b)), without overflow.
 */
double admpi_value_log_sum_exp(double a, double b);

/**
 * log(exp(a) - exp(b)), without overflow; NaN for a < b.
 */
double admpi_value_log_diff_exp(double a, double b);

/**
 * a log(b); 0 where both are 0.
 */
double admpi_value_multiply_log(double a, double b);

/**
 * sqrt of `n` numbers: the square root, within a unit in the last place.
 * @param n                   how many
 * @param x                   `n` numbers
 * @param[out] y_out          `n` values; does not overlap x
 * @param[out] derivative_out `n` derivatives at x, or NULL: not asked for; does not overlap x and y_out
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_values_sqrt(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * cbrt of `n` numbers: the cube root, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_cbrt(int64_t n,
                          const double *x,
                          double *y_out,
                          double *derivative_out);

/**
 * exp of `n` numbers, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_exp(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * exp2 of `n` numbers: 2 to the power of x, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_exp2(int64_t n,
                          const double *x,
                          double *y_out,
                          double *derivative_out);

/**
 * expm1 of `n` numbers: exp(x) - 1, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_expm1(int64_t n,
                           const double *x,
                           double *y_out,
                           double *derivative_out);

/**
 * log of `n` numbers: the natural logarithm, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_log(int64_t n,
                         const double *x,
                         double *y_out,
                         double *derivative_out);

/**
 * log2 of `n` numbers: the logarithm to base 2, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_log2(int64_t n,
                          const double *x,
                          double *y_out,
                          double *derivative_out);

/**
 * log10 of `n` numbers: the logarithm to base 10, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_log10(int64_t n,
                           const double *x,
                           double *y_out,
                           double *derivative_out);

/**
 * log1p of `n` numbers: log(1 + x), within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_log1p(int64_t n,
                           const double *x,
                           double *y_out,
                           double *derivative_out);

/**
 * sin of `n` numbers, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_sin(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * cos of `n` numbers, within a unit in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_cos(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * tan of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_tan(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * asin of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_asin(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * acos of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_acos(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * atan of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_atan(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * sinh of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_sinh(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * cosh of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_cosh(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * tanh of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_tanh(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * asinh of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_asinh(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * acosh of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_acosh(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * atanh of `n` numbers, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_atanh(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * erf of `n` numbers: the error function, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_erf(int64_t n,
                         const double *x,
                         double *y_out,
                         double *derivative_out);

/**
 * erfc of `n` numbers: 1 - erf(x), within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_erfc(int64_t n,
                          const double *x,
                          double *y_out,
                          double *derivative_out);

/**
 * Phi of `n` numbers: the distribution function of the normal distribution, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_Phi(int64_t n,
                         const double *x,
                         double *y_out,
                         double *derivative_out);

/**
 * inv_logit of `n` numbers: 1 / (1 + exp(-x)), within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_inv_logit(int64_t n,
                               const double *x,
                               double *y_out,
                               double *derivative_out);

/**
 * log1p_exp of `n` numbers: log(1 + exp(x)), without overflow, within 3 units in the last place. Arguments and codes as for admpi_values_sqrt.
 */
int32_t admpi_values_log1p_exp(int64_t n,
                               const double *x,
                               double *y_out,
                               double *derivative_out);

/**
 * pow of `n` pairs of numbers: a to the power of b, where a and b are x1 and x2, within a unit in the last place.
 * @param n                     how many
 * @param x1                    `n` first arguments
 * @param x2                    `n` second ones
 * @param[out] y_out            `n` values; does not overlap x1 and x2
 * @param[out] derivative_1_out `n` derivatives by x1, or NULL: not asked for; does not overlap the others
 * @param[out] derivative_2_out `n` derivatives by x2, or NULL: not asked for; does not overlap the others
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_values_pow(int64_t n,
                         const double *x1,
                         const double *x2,
                         double *y_out,
                         double *derivative_1_out,
                         double *derivative_2_out);

/**
 * hypot of `n` pairs of numbers: sqrt(a^2 + b^2), without overflow, where a and b are x1 and x2, within a unit in the last place. Arguments and codes as for admpi_values_pow.
 */
int32_t admpi_values_hypot(int64_t n,
                           const double *x1,
                           const double *x2,
                           double *y_out,
                           double *derivative_1_out,
                           double *derivative_2_out);

/**
 * atan2 of `n` pairs of numbers: the angle of the point (b, a), where a and b are x1 and x2, within 3 units in the last place. Arguments and codes as for admpi_values_pow.
 */
int32_t admpi_values_atan2(int64_t n,
                           const double *x1,
                           const double *x2,
                           double *y_out,
                           double *derivative_1_out,
                           double *derivative_2_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_SPECIAL_H */
