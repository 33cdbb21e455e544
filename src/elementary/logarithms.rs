//! Logarithms.
#![forbid(unsafe_code)]

use super::arithmetic::{SHIFT, exact_sum, is_positive_and_normal, polynomial, product_in_two};
use super::exponentials::LN_2;
use super::many::function;
use std::f64::consts::LOG2_E;

pub const LOG: [f64; 7] = [
    0.666_666_666_666_667,
    0.399_999_999_998_994_9,
    0.285_714_286_259_839_63,
    0.222_222_111_334_111_96,
    0.181_828_892_260_884_33,
    0.153_317_182_491_399_3,
    0.146_164_911_093_919_85,
];

/// x = 2^k (1 + f), with 1 + f between the roots of 1/2 and 2: k and f, exactly. For positive normal numbers.
#[inline(always)]
pub fn reduced_log(x: f64) -> (f64, f64) {
    let root = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let ahead = x.to_bits().wrapping_sub(root);
    let exponent = ahead & 0xfff0_0000_0000_0000;
    let f = f64::from_bits(x.to_bits().wrapping_sub(exponent)) - 1.0;
    // As an integer from -1022 to 1024, by the low bits of a double.
    let low = (exponent >> 52) ^ 2048;
    let k = f64::from_bits(SHIFT.to_bits().wrapping_add(low)) - (SHIFT + 2048.0);
    (k, f)
}

/// For positive normal numbers.
#[inline(always)]
pub fn log_of(x: f64) -> f64 {
    let (k, f) = reduced_log(x);
    let s = f / (2.0 + f);
    let (z, half) = (s * s, 0.5 * f * f);
    let rest = s.mul_add(z.mul_add(polynomial(&LOG, z, z * z), half), k * LN_2[1]);
    k.mul_add(LN_2[0], f - (half - rest))
}

/// (log(1 + f) - 2 s - 2/3 s^3) / s^5, with s = f / (2 + f), by s^2.
pub const LOG_TAIL: [f64; 8] = [
    0.4,
    0.285_714_285_714_293_64,
    0.222_222_222_216_562_32,
    0.181_818_183_353_144_04,
    0.153_845_949_708_954_54,
    0.133_348_042_382_255_53,
    0.117_062_485_409_176_67,
    0.117_230_510_281_405_1,
];

/// log(x) as the sum of two numbers, with an error of some 2^-64 of it. For positive normal numbers.
#[inline(always)]
pub fn log_in_two(x: f64) -> [f64; 2] {
    /// What the double of 2/3 lacks.
    const TWO_THIRDS_LACK: f64 = 3.700_743_415_417_188e-17;
    let (k, f) = reduced_log(x);
    let [above, lost] = exact_sum(2.0, f);
    let inverse = 1.0 / above;
    let s = f * inverse;
    let s = [s, ((-s).mul_add(above, f) - s * lost) * inverse];
    let z = product_in_two(s, s);
    let [c, lost] = exact_sum(2.0 / 3.0, z[0] * polynomial(&LOG_TAIL, z[0], z[0] * z[0]));
    let cubic = product_in_two(product_in_two(s, z), [c, lost + TWO_THIRDS_LACK]);
    let [sum, lost] = exact_sum(k * LN_2[0], 2.0 * s[0]);
    let [sum, lost_then] = exact_sum(sum, cubic[0]);
    exact_sum(sum, k.mul_add(LN_2[1], lost + lost_then + 2.0f64.mul_add(s[1], cubic[1])))
}

/// log(1 + x), and 1 / (1 + x), for x > -1.
#[inline(always)]
pub fn log_1p_of(x: f64) -> (f64, f64) {
    let above = 1.0 + x;
    let inverse = 1.0 / above;
    let lost = if x > 1.0 { 1.0 - (above - x) } else { x - (above - 1.0) };
    (lost.mul_add(inverse, log_of(above)), inverse)
}

function!(
    /// log(x).
    log as Log,
    is_positive_and_normal,
    |x: f64| [log_of(x), 1.0 / x],
    |x: f64| [x.ln(), 1.0 / x]
);

function!(
    /// log(1 + x).
    log1p as Log1p,
    |x: f64| is_positive_and_normal(1.0 + x),
    |x: f64| {
        let (y, inverse) = log_1p_of(x);
        [y.copysign(x), inverse]
    },
    |x: f64| [x.ln_1p(), 1.0 / (1.0 + x)]
);

/// The logarithm to a base of which 1 / log is given as the sum of two numbers: of a power of the base it is an integer.
#[inline(always)]
pub fn log_to_base(x: f64, inverse: [f64; 2]) -> [f64; 2] {
    let [most, rest] = product_in_two(log_in_two(x), inverse);
    [most + rest, inverse[0] / x]
}

pub const LOG2_E_IN_TWO: [f64; 2] = [LOG2_E, 2.035_527_374_093_103_3e-17];
pub const LOG10_E_IN_TWO: [f64; 2] = [std::f64::consts::LOG10_E, 1.098_319_650_216_765e-17];

function!(
    /// The logarithm to base 2.
    log2 as Log2,
    is_positive_and_normal,
    |x: f64| log_to_base(x, LOG2_E_IN_TWO),
    |x: f64| [x.log2(), LOG2_E / x]
);

function!(
    /// The logarithm to base 10.
    log10 as Log10,
    is_positive_and_normal,
    |x: f64| log_to_base(x, LOG10_E_IN_TWO),
    |x: f64| [x.log10(), std::f64::consts::LOG10_E / x]
);
