//! The logistic function, and its integral.
#![forbid(unsafe_code)]

use super::arithmetic::divided;
use super::exponentials::exp_of;
use super::logarithms::log_1p_of;
use super::many::function;

function!(
    /// 1 / (1 + exp(-x)).
    inv_logit as InvLogit,
    |x: f64| x.abs() < 708.0,
    |x: f64| {
        let small = exp_of(-x.abs());
        let above = 1.0 / (1.0 + small);
        let below = divided(small, 1.0 + small, above);
        [if x < 0.0 { below } else { above }, below * above]
    },
    |x: f64| {
        let y = crate::special::inv_logit(x);
        [y, y * crate::special::inv_logit(-x)]
    }
);

function!(
    /// log(1 + exp(x)).
    log1p_exp as Log1pExp,
    |x: f64| x.abs() < 700.0,
    |x: f64| {
        let small = exp_of(-x.abs());
        let (y, inverse) = log_1p_of(small);
        [x.max(0.0) + y, if x < 0.0 { divided(small, 1.0 + small, inverse) } else { inverse }]
    },
    |x: f64| [crate::special::log1p_exp(x), crate::special::inv_logit(x)]
);
