//! Angles: sines, tangents and their inverses.
#![forbid(unsafe_code)]

use super::arithmetic::{SHIFT, polynomial};
use super::many::function;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

pub const SIN: [f64; 6] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_330_948,
    -0.000_198_412_698_367_580_23,
    2.755_731_610_226_725e-6,
    -2.505_113_178_556_706e-8,
    1.591_812_501_276_065_7e-10,
];
pub const COS: [f64; 6] = [
    0.041_666_666_666_666_664,
    -0.001_388_888_888_888_739_8,
    2.480_158_729_876_534_4e-5,
    -2.755_731_727_155_138_7e-7,
    2.087_614_623_122_046_3e-9,
    -1.138_262_974_667_362_9e-11,
];

/// pi / 2 in three parts, of which multiples up to 2^20 of the second are not rounded.
pub const QUARTER: [f64; 3] = [FRAC_PI_2, 6.12323399409214e-17, 1.6446256936324258e-26];

/// sin(x) and cos(x), for |x| up to 2^20.
#[inline(always)]
pub fn sin_cos(x: f64) -> [f64; 2] {
    let shifted = x.abs().mul_add(FRAC_2_PI, SHIFT);
    let k = shifted - SHIFT;
    // |x| = k pi / 2 + r + tail: all is exact up to r, and before the last term of the tail.
    let most = k.mul_add(-QUARTER[0], x.abs());
    let r = k.mul_add(-QUARTER[1], most);
    let tail = k.mul_add(-QUARTER[2], k.mul_add(-QUARTER[1], most - r));
    let z = r * r;
    let z2 = z * z;
    let sin = r + z.mul_add(r.mul_add(polynomial(&SIN, z, z2), -0.5 * tail), tail);
    let rest = z2.mul_add(polynomial(&COS, z, z2), -r * tail);
    let cos = 1.0 + (-0.5 * r).mul_add(r, rest);
    // Quarter turns exchange the two and change signs.
    let quarters = shifted.to_bits();
    let odd = (quarters << 63).cast_signed() < 0;
    let (a, b) = if odd { (cos, sin) } else { (sin, cos) };
    let signed = |y: f64, minus: u64| f64::from_bits(y.to_bits() ^ (minus << 63));
    [signed(a, quarters >> 1 ^ x.to_bits() >> 63), signed(b, (quarters + 1) >> 1)]
}

function!(
    /// sin(x).
    sin as Sin,
    |x: f64| x.abs() < 1_048_576.0,
    sin_cos,
    |x: f64| [x.sin(), x.cos()]
);

function!(
    /// cos(x).
    cos as Cos,
    |x: f64| x.abs() < 1_048_576.0,
    |x: f64| {
        let [sin, cos] = sin_cos(x);
        [cos, -sin]
    },
    |x: f64| [x.cos(), -x.sin()]
);

function!(
    /// tan(x).
    tan as Tan,
    |x: f64| x.abs() < 1_048_576.0,
    |x: f64| {
        let [sin, cos] = sin_cos(x);
        let y = sin / cos;
        [y, y.mul_add(y, 1.0)]
    },
    |x: f64| {
        let y = x.tan();
        [y, 1.0 + y * y]
    }
);

pub const ATAN: [f64; 12] = [
    -0.333_333_333_333_333_3,
    0.199_999_999_999_998_04,
    -0.142_857_142_856_598_28,
    0.111_111_111_051_554_47,
    -0.090_909_087_535_008_77,
    0.076_922_963_750_321_41,
    -0.066_664_248_857_382_41,
    0.058_789_289_978_346_364,
    -0.052_304_542_706_493_43,
    0.045_515_932_206_228_675,
    -0.034_570_561_981_342_07,
    0.016_285_756_855_134_323,
];
pub const ASIN: [f64; 13] = [
    0.166_666_666_666_666_69,
    0.074_999_999_999_984_33,
    0.044_642_857_146_355_43,
    0.030_381_944_138_531_247,
    0.022_372_172_942_149_89,
    0.017_352_392_720_869_945,
    0.013_971_212_973_553_311,
    0.011_479_177_415_181_617,
    0.010_322_814_350_205_2,
    0.005_457_506_718_563_782,
    0.017_400_879_442_887_15,
    -0.014_851_887_071_528_912,
    0.028_757_851_367_602_328,
];

/// atan(t), where t is not larger than the tangent of a sixteenth of a turn, and a number that is small beside it.
#[inline(always)]
pub fn atan_of_small(t: f64, rest: f64) -> f64 {
    let z = t * t;
    t + (t * z).mul_add(polynomial(&ATAN, z, z * z), rest)
}

function!(
    /// atan(x).
    atan as Atan,
    |_: f64| true,
    |x: f64| {
        // By the tangent of the angle less none, one or two eighths of a turn.
        let a = x.abs();
        let (above, below, turned) = if a > 1.0 + std::f64::consts::SQRT_2 {
            (-1.0, a, EIGHTHS[2])
        } else if a > std::f64::consts::SQRT_2 - 1.0 {
            (a - 1.0, a + 1.0, EIGHTHS[1])
        } else {
            (a, 1.0, EIGHTHS[0])
        };
        let y = turned[0] + atan_of_small(above / below, turned[1]);
        [y.copysign(x), 1.0 / x.mul_add(x, 1.0)]
    },
    |x: f64| [x.atan(), 1.0 / x.mul_add(x, 1.0)]
);

/// None, one and two eighths of a turn, each as the sum of two numbers.
pub const EIGHTHS: [[f64; 2]; 3] = [
    [0.0, 0.0],
    [std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17],
    [FRAC_PI_2, 6.123_233_995_736_766e-17],
];

/// asin(|x|), or, where |x| is above 1/2, pi / 2 less it, for |x| up to 1.
#[inline(always)]
pub fn small_asin(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5;
    // sin(pi / 4 - asin(a) / 2)^2.
    let half = (1.0 - a) * 0.5;
    let z = if large { half } else { a * a };
    let s = if large { 2.0 * half.sqrt() } else { a };
    (s * z).mul_add(polynomial(&ASIN, z, z * z), s)
}

#[inline(always)]
pub fn asin_slope(x: f64) -> f64 {
    1.0 / ((1.0 - x) * (1.0 + x)).sqrt()
}

function!(
    /// asin(x).
    asin as Asin,
    |x: f64| x.abs() <= 1.0,
    |x: f64| {
        let small = small_asin(x);
        let y = if x.abs() > 0.5 { EIGHTHS[2][0] - (small - EIGHTHS[2][1]) } else { small };
        [y.copysign(x), asin_slope(x)]
    },
    |x: f64| [x.asin(), asin_slope(x)]
);

function!(
    /// acos(x).
    acos as Acos,
    |x: f64| x.abs() <= 1.0,
    |x: f64| {
        let small = small_asin(x);
        let signed = small.copysign(x);
        let y = if x > 0.5 {
            small
        } else if x < -0.5 {
            2.0 * EIGHTHS[2][0] - (small - 2.0 * EIGHTHS[2][1])
        } else {
            EIGHTHS[2][0] - (signed - EIGHTHS[2][1])
        };
        [y, -asin_slope(x)]
    },
    |x: f64| [x.acos(), -asin_slope(x)]
);
