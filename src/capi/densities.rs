//! The C interface of log densities. `include/admpi/densities.h` is generated from this file.
//!
//! All are normalised, and sums over the elements of their arguments. Each argument is an array (a part of a matrix) or a
//! scalar that stands for all elements, active or passive; arrays have the same number of elements. Each is one event.

use super::varmat::with_tape;
use super::{entry, get, put};
use crate::densities::{self, Density};
use crate::matrix::Input;
use crate::tape::Tape;

// By the names under which C knows them: they are defined in `include/admpi/var.h` and `matrix.h`.
use crate::matrix::{Argument as admpi_operand, View as admpi_view};
use crate::tape::Var as admpi_var;

/// The density `D` of these arguments.
///
/// # Safety
/// What is not NULL is live, and so are the matrices; `lp_out` is NULL or may be written to.
unsafe fn density<D: Density<K>, const K: usize>(
    lp_out: *mut admpi_var,
    arguments: [*const admpi_operand; K],
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put("lp_out", lp_out, || {
            with_tape(|tape| {
                let mut inputs = Vec::with_capacity(K);
                for (argument, (name, _)) in arguments.into_iter().zip(D::ARGUMENTS) {
                    inputs.push(Input::new(tape.as_deref(), name, get(name, argument)?)?);
                }
                let inputs = inputs.try_into().unwrap_or_else(|_| unreachable!("K of them"));
                densities::log_density::<D, K>(tape, inputs)
            })
        })
    })
}

/// The log density of the normal distribution, summed over all
/// elements, as one event. Each argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
/// @param y            observations; finite
/// @param mu           mean; finite
/// @param sigma        standard deviation; positive and finite
/// @param[out] lp_out  the sum over all elements
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
///         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_normal_lpdf(
    y: *const admpi_operand,
    mu: *const admpi_operand,
    sigma: *const admpi_operand,
    lp_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { density::<densities::Normal, _>(lp_out, [y, mu, sigma]) }
}

/// The log density of Student's t distribution, summed over all
/// elements, as one event. Each argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
/// @param y            observations; finite
/// @param nu           degrees of freedom; positive and finite
/// @param mu           location; finite
/// @param sigma        scale; positive and finite
/// @param[out] lp_out  the sum over all elements
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
///         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_student_t_lpdf(
    y: *const admpi_operand,
    nu: *const admpi_operand,
    mu: *const admpi_operand,
    sigma: *const admpi_operand,
    lp_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { density::<densities::StudentT, _>(lp_out, [y, nu, mu, sigma]) }
}

/// The log density of the gamma distribution, minus infinity for y < 0, summed over all
/// elements, as one event. Each argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
/// @param y            observations; finite
/// @param alpha        shape; positive and finite
/// @param beta         rate; positive and finite
/// @param[out] lp_out  the sum over all elements
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
///         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_gamma_lpdf(
    y: *const admpi_operand,
    alpha: *const admpi_operand,
    beta: *const admpi_operand,
    lp_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { density::<densities::Gamma, _>(lp_out, [y, alpha, beta]) }
}

/// The log probability of events that occur with the probability inv_logit(alpha), summed over all
/// elements, as one event. Each argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
/// @param y            1 if the event occurred, else 0; passive
/// @param alpha        logit of the probability; not NaN
/// @param[out] lp_out  the sum over all elements
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
///         ADMPI_ERR_UNSUPPORTED (y is active),
///         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_bernoulli_logit_lpmf(
    y: *const admpi_operand,
    alpha: *const admpi_operand,
    lp_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { density::<densities::BernoulliLogit, _>(lp_out, [y, alpha]) }
}

/// The log probability of counts of which exp(alpha) are expected, summed over all
/// elements, as one event. Each argument is a part of a matrix, or a scalar that stands for all elements; active or passive.
/// @param y            counts; passive
/// @param alpha        logarithm of the rate; not NaN
/// @param[out] lp_out  the sum over all elements
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
///         ADMPI_ERR_UNSUPPORTED (y is active),
///         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_poisson_log_lpmf(
    y: *const admpi_operand,
    alpha: *const admpi_operand,
    lp_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { density::<densities::PoissonLog, _>(lp_out, [y, alpha]) }
}

/// The log density of the multivariate normal distribution, given the Cholesky factor of the covariance, summed over the
/// columns of y.
/// @param y            `n x m`: m observations of n numbers
/// @param mu           mean: `n x 1`, the same for all columns, or `n x m`
/// @param l            `n x n`: the covariance is its lower triangle times that transposed. The diagonal is positive; the
///                     upper triangle is not read
/// @param[out] lp_out  the sum over all columns
/// @return ADMPI_SUCCESS, ADMPI_ERR_NULL, ADMPI_ERR_ARGUMENT (outside the domain, or sizes that differ),
///         ADMPI_ERR_RANGE, ADMPI_ERR_STALE, ADMPI_ERR_NO_TAPE, ADMPI_ERR_IDS, ADMPI_ERR_LIMIT, ADMPI_ERR_MEMORY
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_multi_normal_cholesky_lpdf(
    y: *const admpi_view,
    mu: *const admpi_view,
    l: *const admpi_view,
    lp_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe { multi_normal(lp_out, densities::Scale::Factor, [("y", y), ("mu", mu), ("l", l)]) }
}

/// The log density of the multivariate normal distribution, given the covariance, summed over the columns of y. Its Cholesky
/// factor is kept for the sweep.
/// @param y            `n x m`: m observations of n numbers
/// @param mu           mean: `n x 1`, the same for all columns, or `n x m`
/// @param sigma        `n x n`: the covariance, positive definite. The lower triangle is read, and holds the adjoints of both
/// @param[out] lp_out  the sum over all columns
/// @return as admpi_multi_normal_cholesky_lpdf, ADMPI_ERR_ARGUMENT also if sigma is not positive definite: the message says
///         by which pivot
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn admpi_multi_normal_lpdf(
    y: *const admpi_view,
    mu: *const admpi_view,
    sigma: *const admpi_view,
    lp_out: *mut admpi_var,
) -> i32 {
    // SAFETY: as the C contract says.
    unsafe {
        multi_normal(lp_out, densities::Scale::Covariance, [("y", y), ("mu", mu), ("sigma", sigma)])
    }
}

/// # Safety
/// As for `density`.
unsafe fn multi_normal(
    lp_out: *mut admpi_var,
    scale: densities::Scale,
    arguments: [(&str, *const admpi_view); 3],
) -> i32 {
    // SAFETY: as the C contract says.
    entry(|| unsafe {
        put("lp_out", lp_out, || {
            with_tape(|tape| {
                let operand = |(name, view)| Tape::operand(tape.as_deref(), name, get(name, view)?);
                let [y, mu, of_scale] = arguments.map(operand);
                densities::multi_normal(tape, scale, y?, mu?, of_scale?)
            })
        })
    })
}
