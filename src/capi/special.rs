//! The C interface of special functions of doubles. `include/admpi/special.h` is generated from this file.

use super::{array, array_mut, entry};
use crate::count::from_c;
use crate::error::Result;
use crate::{elementary, special};

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

/// # Safety
/// As for `array` and `array_mut`; `derivative_out` may be NULL.
unsafe fn of_all(
    function: fn(&[f64], &mut [f64], Option<&mut [f64]>),
    (n, x): (i64, *const f64),
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> Result<()> {
    let n = from_c("n", n)?;
    // SAFETY: the caller's promise.
    unsafe {
        let (x, y) = (array("x", x, n)?, array_mut("y_out", y_out, n)?);
        let wanted = !derivative_out.is_null();
        let derivative =
            wanted.then(|| array_mut("derivative_out", derivative_out, n)).transpose()?;
        function(x, y, derivative);
    }
    Ok(())
}

/// exp of `n` numbers, within a unit in the last place, as are exp2, log, log2, log10, sin, cos, sqrt, cbrt, pow and hypot of
/// those below; the others are within 3.
/// @param n                   how many
/// @param x                   `n` numbers
/// @param[out] y_out          `n` values; does not overlap x
/// @param[out] derivative_out `n` derivatives at x, or NULL: not asked for; does not overlap x and y_out
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_exp(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::exp, (n, x), y_out, derivative_out) })
}

/// log of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_log(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::log, (n, x), y_out, derivative_out) })
}

/// sin of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_sin(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::sin, (n, x), y_out, derivative_out) })
}

/// cos of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_cos(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::cos, (n, x), y_out, derivative_out) })
}

/// tanh of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_tanh(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::tanh, (n, x), y_out, derivative_out) })
}

/// 1 / (1 + exp(-x)) of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_inv_logit(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::inv_logit, (n, x), y_out, derivative_out) })
}

/// log(1 + x) of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_log1p(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::log1p, (n, x), y_out, derivative_out) })
}

/// exp(x) - 1 of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_expm1(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::expm1, (n, x), y_out, derivative_out) })
}

/// The square root of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_sqrt(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::sqrt, (n, x), y_out, derivative_out) })
}

/// tan of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_tan(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::tan, (n, x), y_out, derivative_out) })
}

/// log(1 + exp(x)) of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_log1p_exp(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::log1p_exp, (n, x), y_out, derivative_out) })
}

/// The cube root of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_cbrt(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::cbrt, (n, x), y_out, derivative_out) })
}

/// 2^x of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_exp2(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::exp2, (n, x), y_out, derivative_out) })
}

/// The logarithm to base 2 of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_log2(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::log2, (n, x), y_out, derivative_out) })
}

/// The logarithm to base 10 of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_log10(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::log10, (n, x), y_out, derivative_out) })
}

/// asin of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_asin(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::asin, (n, x), y_out, derivative_out) })
}

/// acos of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_acos(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::acos, (n, x), y_out, derivative_out) })
}

/// atan of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_atan(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::atan, (n, x), y_out, derivative_out) })
}

/// sinh of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_sinh(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::sinh, (n, x), y_out, derivative_out) })
}

/// cosh of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_cosh(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::cosh, (n, x), y_out, derivative_out) })
}

/// asinh of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_asinh(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::asinh, (n, x), y_out, derivative_out) })
}

/// acosh of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_acosh(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::acosh, (n, x), y_out, derivative_out) })
}

/// atanh of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_atanh(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::atanh, (n, x), y_out, derivative_out) })
}

/// erf of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_erf(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::erf, (n, x), y_out, derivative_out) })
}

/// erfc of `n` numbers. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_erfc(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::erfc, (n, x), y_out, derivative_out) })
}

/// Phi of `n` numbers, the distribution function of the normal distribution. Arguments and codes as for admpi_values_exp.
#[unsafe(no_mangle)]
#[allow(non_snake_case)] // as the function is written
pub unsafe extern "C-unwind" fn admpi_values_Phi(
    n: i64,
    x: *const f64,
    y_out: *mut f64,
    derivative_out: *mut f64,
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all(elementary::phi, (n, x), y_out, derivative_out) })
}

/// # Safety
/// As for `array` and `array_mut`; the derivatives may be NULL.
unsafe fn of_all_pairs(
    function: elementary::OfPairs,
    (n, x1, x2): (i64, *const f64, *const f64),
    y_out: *mut f64,
    [derivative_1_out, derivative_2_out]: [*mut f64; 2],
) -> Result<()> {
    let n = from_c("n", n)?;
    // SAFETY: the caller's promise.
    unsafe {
        let (x1, x2) = (array("x1", x1, n)?, array("x2", x2, n)?);
        let y = array_mut("y_out", y_out, n)?;
        let wanted =
            |name, to: *mut f64| (!to.is_null()).then(|| array_mut(name, to, n)).transpose();
        let by_x1 = wanted("derivative_1_out", derivative_1_out)?;
        let by_x2 = wanted("derivative_2_out", derivative_2_out)?;
        function([x1, x2], y, [by_x1, by_x2]);
    }
    Ok(())
}

/// x1^x2 of `n` pairs of numbers, within a unit in the last place.
/// @param n                     how many
/// @param x1                    `n` bases
/// @param x2                    `n` exponents
/// @param[out] y_out            `n` values; does not overlap x1 and x2
/// @param[out] derivative_1_out `n` derivatives by x1, or NULL: not asked for; does not overlap the others
/// @param[out] derivative_2_out `n` derivatives by x2, or NULL: not asked for; does not overlap the others
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_pow(
    n: i64,
    x1: *const f64,
    x2: *const f64,
    y_out: *mut f64,
    derivative_1_out: *mut f64,
    derivative_2_out: *mut f64,
) -> i32 {
    let derivatives = [derivative_1_out, derivative_2_out];
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all_pairs(elementary::pow, (n, x1, x2), y_out, derivatives) })
}

/// sqrt(x1^2 + x2^2) of `n` pairs of numbers, within a unit in the last place. Arguments and codes as for admpi_values_pow.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_hypot(
    n: i64,
    x1: *const f64,
    x2: *const f64,
    y_out: *mut f64,
    derivative_1_out: *mut f64,
    derivative_2_out: *mut f64,
) -> i32 {
    let derivatives = [derivative_1_out, derivative_2_out];
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all_pairs(elementary::hypot, (n, x1, x2), y_out, derivatives) })
}

/// The angle of the points (x2, x1), `n` pairs of numbers, within 3 units in the last place. Arguments and codes as for
/// admpi_values_pow.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_values_atan2(
    n: i64,
    x1: *const f64,
    x2: *const f64,
    y_out: *mut f64,
    derivative_1_out: *mut f64,
    derivative_2_out: *mut f64,
) -> i32 {
    let derivatives = [derivative_1_out, derivative_2_out];
    // SAFETY: as the C contract says.
    entry(|| unsafe { of_all_pairs(elementary::atan2, (n, x1, x2), y_out, derivatives) })
}
