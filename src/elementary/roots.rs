//! Square and cube roots.
#![forbid(unsafe_code)]

use super::arithmetic::is_positive_and_normal;
use super::exponentials::exp_of;
use super::logarithms::log_of;
use super::many::function;

function!(
    /// The square root.
    sqrt as Sqrt,
    |_: f64| true,
    root_of,
    root_of
);

/// That of -0 is -0, whose derivative is infinite too.
#[inline(always)]
pub fn root_of(x: f64) -> [f64; 2] {
    let y = x.sqrt();
    [y, 0.5 / (y + 0.0)]
}

function!(
    /// The cube root.
    cbrt as Cbrt,
    |x: f64| is_positive_and_normal(x.abs()),
    |x: f64| {
        let a = x.abs();
        let near = exp_of(log_of(a) * (1.0 / 3.0));
        // One step of Newton's, of which near^3 - a wants more digits.
        let square = near * near;
        let lost = near.mul_add(near, -square);
        let above = lost.mul_add(near, square.mul_add(near, -a));
        let y = near - above / (3.0 * square);
        [y.copysign(x), 1.0 / (3.0 * (y * y))]
    },
    |x: f64| {
        let y = x.cbrt();
        [y, 1.0 / (3.0 * (y * y))]
    }
);
