//! The error function and the normal distribution.
#![forbid(unsafe_code)]

use super::arithmetic::{polynomial, product_in_two, square_in_two};
use super::exponentials::exp_in_two;
use super::many::{c, function};
// Where a branch would be made of `if`, since it saves work.
use std::hint::select_unpredictable as select;

/// (erf(x) / x - 2 / sqrt(pi)) / x^2, by x^2, for |x| up to 3/4.
pub const ERF: [f64; 11] = [
    -0.376_126_389_031_837_54,
    0.112_837_916_709_551_23,
    -0.026_866_170_645_129_278,
    0.005_223_977_625_387_411,
    -0.000_854_832_701_564_095,
    0.000_120_553_323_314_986_08,
    -1.492_561_654_931_529_3e-5,
    1.646_098_271_298_263_6e-6,
    -1.634_140_690_282_251e-7,
    1.447_668_251_773_686_9e-8,
    -9.710_489_912_378_755e-10,
];

/// (1 + 2 a) exp(a^2) erfc(a), by (a - 5/2) / (a + 5/2), for a from 1/2 to 26.7: the first term, those up to the 13th and
/// the others, with an error below 2^-55 of the sum.
pub const SCALED_ERFC_FIRST: f64 = 1.264_838_184_366_861_5;
pub const SCALED_ERFC: [f64; 12] = [
    -0.122_356_763_082_403_91,
    -0.099_024_539_573_595_7,
    0.157_629_919_023_160_7,
    -0.102_967_056_039_002_84,
    0.032_760_893_271_203_406,
    0.000_931_892_828_984_379_8,
    -0.004_382_078_392_781_603_4,
    0.000_491_865_655_090_689_6,
    0.000_632_124_948_230_18,
    -8.847_803_216_256_004e-5,
    -0.000_113_526_668_862_515_93,
    6.260_587_776_697_613e-6,
];
pub const SCALED_ERFC_LAST: [f64; 9] = [
    2.271_914_680_482_707_4e-5,
    2.623_106_954_215_776e-6,
    -4.274_939_637_115_659e-6,
    -1.603_676_842_970_475_6e-6,
    6.322_542_782_655_031e-7,
    5.355_136_551_284_541e-7,
    -8.077_228_173_572_947e-8,
    -1.031_381_240_037_314_1e-7,
    2.068_837_973_858_969_3e-8,
];

/// 2 / sqrt(pi), 1 / sqrt(2 pi) and 1 / sqrt(2), and what their doubles lack.
pub const ERF_SLOPE: [f64; 2] = [std::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17];
pub const PHI_SLOPE: [f64; 2] = [0.398_942_280_401_432_7, -2.492_327_202_277_73e-17];
pub const HALF_ROOT: [f64; 2] = [std::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17];

/// x (c + d x^2 p(x^2)), with p by `ERF`.
#[inline(always)]
pub fn erf_of_small(x: f64, z: f64, c: [f64; 2], d: f64) -> f64 {
    x.mul_add(c[0], x * (z * polynomial(&ERF, z, z * z)).mul_add(d, c[1]))
}

/// exp(-a^2), and erfc(a) if a is 1/2 at least, for a and a^2, up to 705, as the sums of two numbers.
#[inline(always)]
pub fn gauss_and_erfc([a, lost]: [f64; 2], square: [f64; 2]) -> [f64; 2] {
    let (power, [most, rest]) = exp_in_two(-square[0]);
    // What the square lost multiplies all by 1 - lost.
    let less_one = most + (rest - square[1].mul_add(most + rest, square[1]));
    let t = (a - 2.5) / (a + 2.5);
    let t2 = t * t;
    let t4 = t2 * t2;
    let last = polynomial(&SCALED_ERFC_LAST, t, t2);
    let all_but_first = (t4 * t4 * t4).mul_add(last, polynomial(&SCALED_ERFC, t, t2));
    let above = t.mul_add(all_but_first, SCALED_ERFC_FIRST);
    let below = a.mul_add(2.0, 1.0);
    let inverse = 1.0 / below;
    let q = above * inverse;
    let below_lost = 2.0f64.mul_add(lost, a.mul_add(2.0, 1.0 - below));
    let q_lost = (-q).mul_add(below_lost, (-q).mul_add(below, above)) * inverse;
    [power.mul_add(less_one, power), power * (q + q.mul_add(less_one, q_lost))]
}

/// exp(-a^2), for a^2 as the sum of two numbers.
pub fn gauss_by_library([square, lost]: [f64; 2]) -> f64 {
    let gauss = (-square).exp();
    if gauss == 0.0 { gauss } else { gauss - gauss * lost }
}

/// Where exp(-x^2) is normal, with some room, and where it is 0. By one comparison, for the compiler's sake.
#[inline(always)]
pub fn erf_inside(x: f64) -> bool {
    (x.abs() - 27.0).abs() > 0.5
}

/// exp(-x^2), and erfc(|x|) if |x| is 1/2 at least.
#[inline(always)]
pub fn erf_tail(x: f64) -> [f64; 2] {
    let a = x.abs();
    let within = if a < 26.5 { a } else { 26.5 };
    let kept = if a < 27.0 { 1.0 } else { 0.0 };
    let [gauss, erfc] = gauss_and_erfc([within, 0.0], square_in_two(within));
    [kept * gauss, kept * erfc]
}

function!(
    /// The error function.
    erf as Erf,
    erf_inside,
    |x: f64| {
        let [gauss, erfc] = erf_tail(x);
        let near = erf_of_small(x, x * x, ERF_SLOPE, 1.0);
        let y = select(x.abs() < 0.75, near, (1.0 - erfc).copysign(x));
        [y, ERF_SLOPE[0] * gauss]
    },
    |x: f64| [c::erf(x), ERF_SLOPE[0] * gauss_by_library(square_in_two(x))]
);

function!(
    /// 1 - erf(x).
    erfc as Erfc,
    erf_inside,
    |x: f64| {
        let [gauss, erfc] = erf_tail(x);
        let near = 1.0 - erf_of_small(x, x * x, ERF_SLOPE, 1.0);
        let far = select(x > 0.0, erfc, 2.0 - erfc);
        [select(x.abs() < 0.5, near, far), -ERF_SLOPE[0] * gauss]
    },
    |x: f64| [c::erfc(x), -ERF_SLOPE[0] * gauss_by_library(square_in_two(x))]
);

function!(
    /// The distribution function of the normal distribution, erfc(-x / sqrt(2)) / 2.
    phi as Phi,
    |x: f64| (x.abs() - 38.2).abs() > 0.8,
    |x: f64| {
        let a = x.abs();
        let within = if a < 37.4 { a } else { 37.4 };
        let kept = if a < 38.2 { 1.0 } else { 0.0 };
        let [square, lost] = square_in_two(within);
        let z = product_in_two([within, 0.0], HALF_ROOT);
        let [gauss, erfc] = gauss_and_erfc(z, [0.5 * square, 0.5 * lost]);
        let (gauss, erfc) = (kept * gauss, kept * erfc);
        let near = 0.5 + erf_of_small(x, 0.5 * x * x, PHI_SLOPE, 0.5 * HALF_ROOT[0]);
        let far = select(x < 0.0, 0.5 * erfc, 1.0 - 0.5 * erfc);
        [select(a < std::f64::consts::FRAC_1_SQRT_2, near, far), PHI_SLOPE[0] * gauss]
    },
    |x: f64| {
        // What x / sqrt(2) is rounded by would grow by the square of x: it is made good.
        let z = -x * HALF_ROOT[0];
        let lost = if z.is_finite() {
            (-x).mul_add(HALF_ROOT[0], -z) - x * HALF_ROOT[1]
        } else {
            0.0
        };
        let y = 0.5 * (c::erfc(z) - ERF_SLOPE[0] * (-z * z).exp() * lost);
        let square = square_in_two(x).map(|s| 0.5 * s);
        [y, PHI_SLOPE[0] * gauss_by_library(square)]
    }
);
