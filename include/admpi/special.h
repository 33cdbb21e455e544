/* Generated from src/capi/special.rs by tests/headers.rs; edit that. */

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
 * log(|gamma(x)|). The sign of gamma is not told.
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
 * gamma(a) gamma(b) / gamma(a + b), for positive a and b.
 */
double admpi_value_beta(double a, double b);

/**
 * log(beta(a, b)), for positive a and b.
 */
double admpi_value_lbeta(double a, double b);

/**
 * The derivative of digamma of an order from 0 to 150; NaN for any other order.
 */
double admpi_value_polygamma(double order, double x);

/**
 * digamma(a) - digamma(a + b) for positive a and b, without the cancellation where b is small beside a.
 */
double admpi_value_digamma_difference(double a, double b);

/**
 * exp of `n` numbers, within a unit in the last place, as are log, sin and cos of those below; the others are within 2.5.
 * @param n                   how many
 * @param x                   `n` numbers
 * @param[out] y_out          `n` values; does not overlap x
 * @param[out] derivative_out `n` derivatives at x, or NULL: not asked for; does not overlap x and y_out
 * @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
 */
int32_t admpi_values_exp(int64_t n,
                         const double *x,
                         double *y_out,
                         double *derivative_out);

/**
 * log of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_log(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * sin of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_sin(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * cos of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_cos(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * tanh of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_tanh(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * 1 / (1 + exp(-x)) of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_inv_logit(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * log(1 + x) of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_log1p(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * exp(x) - 1 of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_expm1(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * The square root of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_sqrt(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * tan of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_tan(int64_t n, const double *x, double *y_out, double *derivative_out);

/**
 * log(1 + exp(x)) of `n` numbers. Arguments and codes as for admpi_values_exp.
 */
int32_t admpi_values_log1p_exp(int64_t n, const double *x, double *y_out, double *derivative_out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* ADMPI_SPECIAL_H */
