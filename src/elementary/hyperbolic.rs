//! Hyperbolic functions and their inverses.
#![forbid(unsafe_code)]

use super::arithmetic::divided;
use super::exponentials::reduced_exp;
use super::logarithms::log_1p_of;
use super::many::{c, function};

function!(
    /// tanh(x).
    tanh as Tanh,
    |x: f64| x.abs() < 20.0,
    |x: f64| {
        // By exp(2 |x|) - 1, whose terms have one sign.
        let (power, p) = reduced_exp(2.0 * x.abs());
        let t = power.mul_add(p, power - 1.0);
        let q = 1.0 / (t + 2.0);
        [divided(t, t + 2.0, q).copysign(x), 4.0 * (t + 1.0) * q * q]
    },
    |x: f64| {
        let c = 1.0 / x.cosh();
        [x.tanh(), c * c]
    }
);

/// sinh(x) and cosh(x), for |x| up to 700.
#[inline(always)]
pub fn sinh_cosh(x: f64) -> [f64; 2] {
    let (power, p) = reduced_exp(x.abs());
    // exp(|x|) - 1, and exp(-|x|).
    let t = power.mul_add(p, power - 1.0);
    let inverse = 1.0 / (t + 1.0);
    [(0.5 * t.mul_add(inverse, t)).copysign(x), 0.5 * (power.mul_add(p, power) + inverse)]
}

function!(
    /// sinh(x).
    sinh as Sinh,
    |x: f64| x.abs() < 700.0,
    sinh_cosh,
    |x: f64| [x.sinh(), x.cosh()]
);

function!(
    /// cosh(x).
    cosh as Cosh,
    |x: f64| x.abs() < 700.0,
    |x: f64| {
        let [sinh, cosh] = sinh_cosh(x);
        [cosh, sinh]
    },
    |x: f64| [x.cosh(), x.sinh()]
);

function!(
    /// asinh(x).
    asinh as Asinh,
    |x: f64| x.abs() < 1e150,
    |x: f64| {
        let a = x.abs();
        let root = a.mul_add(a, 1.0).sqrt();
        let (y, _) = log_1p_of(a + a * a / (1.0 + root));
        [y.copysign(x), 1.0 / root]
    },
    |x: f64| [c::asinh(x), 1.0 / x.hypot(1.0)]
);

function!(
    /// acosh(x).
    acosh as Acosh,
    |x: f64| (1.0..1e150).contains(&x),
    |x: f64| {
        let u = x - 1.0;
        let root = u.sqrt() * (x + 1.0).sqrt();
        [log_1p_of(u + root).0, 1.0 / root]
    },
    |x: f64| [c::acosh(x), 1.0 / ((x - 1.0).sqrt() * (x + 1.0).sqrt())]
);

function!(
    /// atanh(x).
    atanh as Atanh,
    |x: f64| x.abs() < 1.0,
    |x: f64| {
        let a = x.abs();
        let (y, _) = log_1p_of(2.0 * a / (1.0 - a));
        [(0.5 * y).copysign(x), 1.0 / ((1.0 - x) * (1.0 + x))]
    },
    |x: f64| [c::atanh(x), 1.0 / ((1.0 - x) * (1.0 + x))]
);
