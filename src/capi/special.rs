//! The C interface of special functions of doubles. `include/admpi/special.h` is generated from this file.

use crate::special;

/// log(|gamma(x)|). The sign of gamma is not told.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_lgamma(x: f64) -> f64 {
    special::lgamma(x)
}

/// gamma(x).
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_tgamma(x: f64) -> f64 {
    special::tgamma(x)
}

/// The derivative of lgamma.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_digamma(x: f64) -> f64 {
    special::digamma(x)
}

/// The second derivative of lgamma.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_trigamma(x: f64) -> f64 {
    special::trigamma(x)
}

/// 1 / (1 + exp(-x)).
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_inv_logit(x: f64) -> f64 {
    special::inv_logit(x)
}

/// log(x / (1 - x)).
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_logit(x: f64) -> f64 {
    special::logit(x)
}

/// log(1 + exp(x)), without overflow.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_log1p_exp(x: f64) -> f64 {
    special::log1p_exp(x)
}

/// log(exp(a) + exp(b)), without overflow.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_log_sum_exp(a: f64, b: f64) -> f64 {
    special::log_sum_exp(a, b)
}

/// log(exp(a) - exp(b)), without overflow; NaN for a < b.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_log_diff_exp(a: f64, b: f64) -> f64 {
    special::log_diff_exp(a, b)
}

/// a log(b); 0 where both are 0.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_multiply_log(a: f64, b: f64) -> f64 {
    special::multiply_log(a, b)
}

/// gamma(a) gamma(b) / gamma(a + b), for positive a and b.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_beta(a: f64, b: f64) -> f64 {
    special::beta(a, b)
}

/// log(beta(a, b)), for positive a and b.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_lbeta(a: f64, b: f64) -> f64 {
    special::lbeta(a, b)
}

/// The derivative of digamma of an order from 0 to 150; NaN for any other order.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_polygamma(order: f64, x: f64) -> f64 {
    special::polygamma(order, x)
}

/// digamma(a) - digamma(a + b) for positive a and b, without the cancellation where b is small beside a.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn admpi_value_digamma_difference(a: f64, b: f64) -> f64 {
    special::digamma_difference(a, b)
}
