//! Special functions of doubles. The C library has some, but its `lgamma` writes a global variable, and it has neither
//! the derivatives nor the functions of statistics.
//!
//! Accurate to some units in the last place wherever a function is well conditioned; near a zero to some units of what
//! the function changes by between neighbouring doubles. At poles: what the C standard says of `lgamma` and `tgamma`; an
//! infinity where both sides agree on it, or where the sign of zero tells the side; else NaN.
#![forbid(unsafe_code)]

use std::f64::consts::{LN_2, PI};

const LN_PI: f64 = 1.144_729_885_849_400_2;
/// log(2 pi) / 2.
pub const HALF_LN_TAU: f64 = 0.918_938_533_204_672_7;
const ROOT_TAU: f64 = 2.506_628_274_631_000_7;

/// From here on the asymptotic series are good to the last digit.
const ASYMPTOTIC: f64 = 8.0;

/// The Taylor series of digamma at 2: 1 - gamma, then (zeta(j + 1) - 1) with alternating signs. (Abramowitz and Stegun,
/// 6.3.14.) Within 1/2 of 2 the terms fall by 4.
const AT_TWO: [f64; 28] = [
    0.422_784_335_098_467_13,
    0.644_934_066_848_226_4,
    -0.202_056_903_159_594_3,
    0.082_323_233_711_138_19,
    -0.036_927_755_143_369_93,
    0.017_343_061_984_449_14,
    -0.008_349_277_381_922_827,
    0.004_077_356_197_944_34,
    -0.002_008_392_826_082_214_3,
    0.000_994_575_127_818_085_3,
    -0.000_494_188_604_119_464_5,
    0.000_246_086_553_308_048_3,
    -0.000_122_713_347_578_489_15,
    6.124_813_505_870_483e-05,
    -3.058_823_630_702_049e-05,
    1.528_225_940_865_187e-05,
    -7.637_197_637_899_763e-06,
    3.817_293_264_999_84e-06,
    -1.908_212_716_553_939e-06,
    9.539_620_338_727_962e-07,
    -4.769_329_867_878_064e-07,
    2.384_505_027_277_33e-07,
    -1.192_199_259_653_110_6e-07,
    5.960_818_905_125_948e-08,
    -2.980_350_351_465_228e-08,
    1.490_155_482_836_504_3e-08,
    -7.450_711_789_835_43e-09,
    3.725_334_024_788_457e-09,
];

/// Bernoulli's numbers: B(2k) / 2k, from k = 1 on.
const BERNOULLI: [f64; 10] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
    43867.0 / 14364.0,
    -174_611.0 / 6600.0,
];

/// The sum of c(k) x^k.
fn polynomial<'a>(coefficients: impl DoubleEndedIterator<Item = &'a f64>, x: f64) -> f64 {
    coefficients.rev().copied().reduce(|sum, c| sum * x + c).unwrap_or(0.0)
}

/// Integrated term by term.
const fn integrated() -> [f64; 28] {
    let mut c = AT_TWO;
    let mut j = 0;
    let mut power = 1.0;
    while j < c.len() {
        c[j] /= power;
        power += 1.0;
        j += 1;
    }
    c
}

/// log(gamma(2 + z)) for |z| <= 1/2.
fn lgamma_at_two(z: f64) -> f64 {
    const COEFFICIENTS: [f64; 28] = integrated();
    z * polynomial(COEFFICIENTS.iter(), z)
}

/// B(2k) / (2k (2k - 1)).
const fn stirling_coefficients() -> [f64; 10] {
    let mut c = BERNOULLI;
    let mut k = 0;
    let mut divisor = 1.0;
    while k < c.len() {
        c[k] /= divisor;
        divisor += 2.0;
        k += 1;
    }
    c
}

/// What Stirling's formula leaves: log(gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi) / 2), for large x.
fn stirling_rest(x: f64) -> f64 {
    const COEFFICIENTS: [f64; 10] = stirling_coefficients();
    let inverse = 1.0 / x;
    inverse * polynomial(COEFFICIENTS.iter(), inverse * inverse)
}

/// Whether gamma has a pole at x, other than 0; at minus infinity it has no value either.
fn is_pole(x: f64) -> bool {
    x < 0.0 && x.floor() == x
}

/// sin(pi x).
fn sin_pi(x: f64) -> f64 {
    // Subtractions of neighbours are exact.
    let r = x - 2.0 * (0.5 * x).round();
    let r = if r.abs() > 0.5 { 1.0f64.copysign(r) - r } else { r };
    (PI * r).sin()
}

/// cot(pi x).
fn cot_pi(x: f64) -> f64 {
    let r = x - x.round();
    if r.abs() <= 0.25 { 1.0 / (PI * r).tan() } else { (PI * (0.5 - r.abs())).tan().copysign(r) }
}

/// x, brought to between 1.5 and 2.5 by steps of one from above, and the product of what lies between.
fn step_down(mut x: f64) -> (f64, f64) {
    let mut product = 1.0;
    while x >= 2.5 {
        x -= 1.0;
        product *= x;
    }
    (x, product)
}

/// log(|gamma(x)|).
pub fn lgamma(x: f64) -> f64 {
    if x == 0.0 || x.is_infinite() || is_pole(x) {
        f64::INFINITY
    } else if x < 0.0 {
        LN_PI - sin_pi(x).abs().ln() - lgamma(1.0 - x)
    } else if x < 0.5 {
        lgamma_at_two(x) - x.ln() - x.ln_1p()
    } else if x < 1.5 {
        let z = x - 1.0;
        lgamma_at_two(z) - z.ln_1p()
    } else if x < ASYMPTOTIC {
        let (x, product) = step_down(x);
        lgamma_at_two(x - 2.0) + product.ln()
    } else {
        (x - 0.5) * (x.ln() - 1.0) + (HALF_LN_TAU - 0.5) + stirling_rest(x)
    }
}

/// gamma(x) for large x as two factors, of which the second alone does not overflow where 1 / gamma(x) vanishes.
fn gamma_factors(x: f64) -> (f64, f64) {
    let half = x.powf(0.5 * x - 0.25);
    (half * (-x).exp() * ROOT_TAU * stirling_rest(x).exp(), half)
}

/// gamma(x).
pub fn tgamma(x: f64) -> f64 {
    /// Products are more accurate than powers, and exact at the integers.
    const BY_PRODUCT: f64 = 20.0;
    if x == 0.0 {
        1.0 / x
    } else if is_pole(x) {
        f64::NAN
    } else if x < -200.0 {
        0.0f64.copysign(sin_pi(x))
    } else if x < -BY_PRODUCT {
        let (a, b) = gamma_factors(1.0 - x);
        PI / (sin_pi(x) * a) / b
    } else if x < 0.0 {
        PI / (sin_pi(x) * tgamma(1.0 - x))
    } else if x < 0.5 {
        lgamma_at_two(x).exp() / (x * (1.0 + x))
    } else if x < 1.5 {
        lgamma_at_two(x - 1.0).exp() / x
    } else if x < BY_PRODUCT {
        let (x, product) = step_down(x);
        lgamma_at_two(x - 2.0).exp() * product
    } else if x < 200.0 {
        let (a, b) = gamma_factors(x);
        a * b
    } else {
        x + f64::INFINITY
    }
}

/// The derivative of lgamma.
pub fn digamma(mut x: f64) -> f64 {
    if x == 0.0 {
        return -1.0 / x;
    }
    if is_pole(x) {
        return f64::NAN;
    }
    if x < 0.0 {
        return digamma(1.0 - x) - PI * cot_pi(x);
    }
    if x >= ASYMPTOTIC {
        let inverse = 1.0 / x;
        let square = inverse * inverse;
        return x.ln() - 0.5 * inverse - square * polynomial(BERNOULLI.iter(), square);
    }
    let mut sum = 0.0;
    while x < 1.5 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    while x >= 2.5 {
        x -= 1.0;
        sum += 1.0 / x;
    }
    sum + polynomial(AT_TWO.iter(), x - 2.0)
}

/// digamma(a) - digamma(a + b) for positive a and b, without the cancellation where b is small beside a.
pub fn digamma_difference(mut a: f64, b: f64) -> f64 {
    if !(a >= 0.0 && b >= 0.0) {
        return f64::NAN;
    }
    let mut sum = 0.0;
    while a < ASYMPTOTIC {
        sum += b / (a + b) / a;
        a += 1.0;
    }
    if b == f64::INFINITY {
        return if a == b { f64::NAN } else { f64::NEG_INFINITY };
    }
    let (u, v) = (1.0 / a, 1.0 / (a + b));
    // The series at u^2 less that at v^2 is u^2 - v^2 times its divided difference.
    let (series, divided) = BERNOULLI.iter().rev().fold((0.0, 0.0), |(series, divided), c| {
        (series * (v * v) + c, divided * (u * u) + series)
    });
    let rest = b * u * v * (0.5 + (u + v) * (series + u * u * divided));
    -(sum + (b / a).ln_1p() + rest)
}

/// n! / x^(n + 1), by factors that neither overflow nor vanish before the product does.
fn factorial_over_power(n: u32, x: f64) -> f64 {
    (1..=n).fold(1.0 / x, |product, i| product * (f64::from(i) / x))
}

/// The n-th derivative of digamma for n > 0 and x > 0, without its sign: n! times Hurwitz' zeta function of n + 1 and x, by
/// the formula of Euler and Maclaurin.
fn polygamma_above_zero(n: u32, x: f64) -> f64 {
    let order = f64::from(n);
    let steps = (f64::from(n) + 11.0 - x).ceil().max(0.0);
    let end = x + steps;
    let mut series = 0.5;
    // (n + 1) (n + 2) ... / ((2k - 1)! end^(2k - 1))
    let mut factor = (order + 1.0) / end;
    let mut k = 1.0;
    for b in &BERNOULLI {
        series += b * factor;
        factor *= (order + k + 1.0) / end * ((order + k + 2.0) / end) / ((k + 1.0) * (k + 2.0));
        k += 2.0;
    }
    let mut sum = factorial_over_power(n - 1, end) + factorial_over_power(n, end) * series;
    // The smallest first.
    let mut at = steps;
    while at > 0.0 {
        at -= 1.0;
        sum += factorial_over_power(n, x + at);
    }
    sum
}

/// pi^(n + 1) times the n-th derivative of the cotangent by its argument, without the sign (-1)^n, where its value is `cot`:
/// a polynomial q(n) with positive coefficients, by q(n + 1) = (1 + cot^2) q(n)'.
fn cotangent_derivative(n: u32, cot: f64) -> f64 {
    let mut q = vec![0.0, 1.0];
    let mut scale = PI;
    for _ in 0..n {
        let derivative: Vec<f64> = (1u32..).zip(&q[1..]).map(|(k, c)| f64::from(k) * c).collect();
        q = vec![0.0; derivative.len() + 2];
        for (k, c) in derivative.iter().enumerate() {
            q[k] += c;
            q[k + 2] += c;
        }
        scale *= PI;
    }
    scale * polynomial(q.iter(), cot)
}

/// The n-th derivative of digamma; n is an integer from 0 to 150.
pub fn polygamma(order: f64, x: f64) -> f64 {
    let Some(n) = (0..=150u32).find(|&n| f64::from(n) == order) else { return f64::NAN };
    if n == 0 {
        return digamma(x);
    }
    let sign = if n.is_multiple_of(2) { -1.0 } else { 1.0 };
    if x == 0.0 {
        return if sign > 0.0 { f64::INFINITY } else { -1.0 / x };
    }
    if is_pole(x) {
        let both_sides = sign > 0.0 && x.is_finite();
        return if both_sides { f64::INFINITY } else { f64::NAN };
    }
    if x < 0.0 {
        // By reflection: the cotangent is what digamma changes by from x to 1 - x.
        return sign * cotangent_derivative(n, cot_pi(x)) - polygamma_above_zero(n, 1.0 - x);
    }
    if x == f64::INFINITY {
        return sign * 0.0;
    }
    sign * polygamma_above_zero(n, x)
}

/// The second derivative of lgamma.
pub fn trigamma(x: f64) -> f64 {
    polygamma(1.0, x)
}

/// log(beta(a, b)) for positive a and b: by differences of Stirling's formula where those of lgamma would cancel.
/// (Didonato and Morris, "Algorithm 708", ACM TOMS 18, 1992, section 4.)
pub fn lbeta(a: f64, b: f64) -> f64 {
    let (a, b) = if b < a { (b, a) } else { (a, b) };
    if a < 0.0 || a.is_nan() || b.is_nan() || (a == 0.0 && b == f64::INFINITY) {
        f64::NAN
    } else if a == 0.0 {
        f64::INFINITY
    } else if b == f64::INFINITY {
        f64::NEG_INFINITY
    } else if b < ASYMPTOTIC {
        lgamma(a) + (lgamma(b) - lgamma(a + b))
    } else {
        let sum = a + b;
        let rest = stirling_rest(b) - stirling_rest(sum);
        let ratio = (a / b).ln_1p();
        if a < ASYMPTOTIC {
            lgamma(a) + (a * (1.0 - sum.ln()) - (b - 0.5) * ratio + rest)
        } else {
            let other = (b / a).ln_1p();
            (stirling_rest(a) + rest) + (HALF_LN_TAU - 0.5 * b.ln()) - b * ratio - (a - 0.5) * other
        }
    }
}

/// gamma(a) gamma(b) / gamma(a + b) for positive a and b.
pub fn beta(a: f64, b: f64) -> f64 {
    /// Below, what comes after the poles is nothing beside them.
    const POLES: f64 = 1e-9;
    let (a, b) = if b < a { (b, a) } else { (a, b) };
    if a > 0.0 && b < POLES {
        1.0 / a + 1.0 / b
    } else if a > 0.0 && b < ASYMPTOTIC {
        tgamma(a) * (tgamma(b) / tgamma(a + b))
    } else {
        lbeta(a, b).exp()
    }
}

/// 1 / (1 + exp(-x)).
pub fn inv_logit(x: f64) -> f64 {
    if x < 0.0 {
        let e = x.exp();
        e / (1.0 + e)
    } else {
        1.0 / (1.0 + (-x).exp())
    }
}

/// log(x / (1 - x)).
pub fn logit(x: f64) -> f64 {
    // Where 2x - 1 is exact.
    if (0.25..=0.75).contains(&x) {
        ((2.0 * x - 1.0) / (1.0 - x)).ln_1p()
    } else {
        x.ln() - (-x).ln_1p()
    }
}

/// log(1 + exp(x)).
pub fn log1p_exp(x: f64) -> f64 {
    if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() }
}

/// log(exp(a) + exp(b)).
pub fn log_sum_exp(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == high { high + LN_2 } else { high + (low - high).exp().ln_1p() }
}

/// log(exp(a) - exp(b)): NaN for a < b, as for two infinities above zero.
pub fn log_diff_exp(a: f64, b: f64) -> f64 {
    let d = b - a;
    if a == b && a < f64::INFINITY {
        f64::NEG_INFINITY
    } else if d > 0.0 {
        f64::NAN
    } else if d > -LN_2 {
        a + (-d.exp_m1()).ln()
    } else {
        a + (-d.exp()).ln_1p()
    }
}

/// a log(b), and 0 where both are 0.
pub fn multiply_log(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 { 0.0 } else { a * b.ln() }
}
