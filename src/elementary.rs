//! Elementary functions of many numbers at a time, within a unit in the last place, or within 2.5 those by quotients.
//!
//! Each has a formula without branches or tables for the numbers that programs mostly have, which compilers make vector
//! instructions of; the few that it is not good for (infinities, NaN, what overflows or vanishes, angles of millions) go to
//! the C library one by one. So a result does not depend on what stands beside it. The formulas want a multiplication and
//! addition that is rounded once: without it in the machine the C library computes everything. With AVX-512 `exp` has a formula
//! of its own, half as long, whose results may differ in the last bit.
//!
//! The coefficients interpolate the functions at Chebyshev's nodes, with an error below 2^-57 of the result.
#![allow(clippy::inline_always)] // a formula is compiled anew only where it is inlined

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LOG2_E};

/// Adding it rounds a number to an integer, which stands in the low bits then.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The sum of c(k) x^k.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    // In pairs, and these in pairs again: the processor has several under way.
    let pair = |k: usize| match (coefficients.get(2 * k), coefficients.get(2 * k + 1)) {
        (Some(a), Some(b)) => b.mul_add(x, *a),
        (Some(a), None) => *a,
        _ => 0.0,
    };
    let (x2, x4) = (x * x, (x * x) * (x * x));
    let four = |k: usize| {
        if 4 * k + 2 < N { pair(2 * k + 1).mul_add(x2, pair(2 * k)) } else { pair(2 * k) }
    };
    let mut sum = 0.0;
    for k in (0..N.div_ceil(4)).rev() {
        sum = if 4 * k + 4 >= N { four(k) } else { f64::mul_add(sum, x4, four(k)) };
    }
    sum
}

/// Calls `formula` where `inside` holds and `library` where it does not. Both give the function and its derivative, which is
/// written where there is room for it.
#[inline(always)]
fn compute(
    x: &[f64],
    y: &mut [f64],
    derivative: Option<&mut [f64]>,
    inside: impl Fn(f64) -> bool,
    formula: impl Fn(f64) -> [f64; 2],
    library: impl Fn(f64) -> [f64; 2],
) {
    let mut outside = false;
    match derivative {
        None => {
            for (y, &x) in y.iter_mut().zip(x) {
                *y = formula(x)[0];
                outside |= !inside(x);
            }
            if outside {
                for (y, &x) in y.iter_mut().zip(x).filter(|&(_, &x)| !inside(x)) {
                    *y = library(x)[0];
                }
            }
        }
        Some(derivative) => {
            for ((y, d), &x) in y.iter_mut().zip(&mut *derivative).zip(x) {
                [*y, *d] = formula(x);
                outside |= !inside(x);
            }
            if outside {
                let both = y.iter_mut().zip(derivative).zip(x);
                for ((y, d), &x) in both.filter(|&(_, &x)| !inside(x)) {
                    [*y, *d] = library(x);
                }
            }
        }
    }
}

/// A function of as many numbers as there are, by `compute`.
macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $inside:expr, $formula:expr, $library:expr) => {
        $(#[$doc])*
        pub fn $name(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) {
            #[inline(always)]
            fn anywhere(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) {
                compute(x, y, derivative, $inside, $formula, $library);
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn wide(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) {
                anywhere(x, y, derivative);
            }

            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                // SAFETY: the machine has what the function is compiled for.
                return unsafe { wide(x, y, derivative) };
            }
            if cfg!(target_arch = "aarch64") {
                return anywhere(x, y, derivative);
            }
            compute(x, y, derivative, |_| false, |_| [0.0; 2], $library);
        }
    };
}

const EXP: [f64; 10] = [
    0.500_000_000_000_000_1,
    0.166_666_666_666_666_69,
    0.041_666_666_666_624_164,
    0.008_333_333_333_330_065,
    0.001_388_888_891_719_688_1,
    0.000_198_412_698_630_406_7,
    2.480_152_132_211_682_5e-5,
    2.755_726_848_011_633_3e-6,
    2.762_007_599_981_065e-7,
    2.510_037_592_470_971_7e-8,
];

/// log 2, and what its double lacks.
const LN_2: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// x = k log 2 + r: 2^k, r, and exp(r) - 1 - r. For |x| up to 708.
#[inline(always)]
fn reduced_exp(x: f64) -> (f64, f64, f64) {
    let shifted = x.mul_add(LOG2_E, SHIFT);
    let k = shifted - SHIFT;
    let r = k.mul_add(-LN_2[1], k.mul_add(-LN_2[0], x));
    let power = (shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits());
    (f64::from_bits(power), r, r * r * polynomial(&EXP, r))
}

#[inline(always)]
fn exp_of(x: f64) -> f64 {
    let (power, r, rest) = reduced_exp(x);
    let sum = 1.0 + r;
    (sum + (((1.0 - sum) + r) + rest)) * power
}

const EXP_MOST: f64 = 708.0;

function!(
    /// exp(x), where there is no quicker way.
    exp_anywhere,
    |x| x.abs() < EXP_MOST,
    |x| [exp_of(x); 2],
    |x| [x.exp(); 2]
);

/// exp(x).
pub fn exp(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        // SAFETY: the machine has what the function is compiled for.
        if unsafe { sixteenths::exp(x, y) } {
            let inside = |x: f64| x.abs() < EXP_MOST;
            for (y, &x) in y.iter_mut().zip(x).filter(|&(_, &x)| !inside(x)) {
                *y = x.exp();
            }
        }
        if let Some(derivative) = derivative {
            derivative.copy_from_slice(y);
        }
        return;
    }
    exp_anywhere(x, y, derivative);
}

/// exp by a table that lies in registers: x = (k + j / 16) log 2 + r, with an error of the polynomial below 2^-56.
#[cfg(target_arch = "x86_64")]
mod sixteenths {
    use super::{EXP_MOST, LN_2, LOG2_E, SHIFT};
    use std::arch::x86_64::{
        __m512d, __m512i, _CMP_NLT_UQ, _mm512_abs_pd, _mm512_add_epi64, _mm512_add_pd,
        _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_cmp_pd_mask, _mm512_fmadd_pd,
        _mm512_loadu_pd, _mm512_mul_pd, _mm512_permutex2var_pd, _mm512_set1_pd, _mm512_slli_epi64,
        _mm512_storeu_pd, _mm512_sub_pd,
    };
    use std::f64::consts::SQRT_2;

    /// 2^(j / 16), rounded, and what it lacks in proportion.
    const POWER: [[f64; 2]; 16] = [
        [1.0, 0.0],
        [1.044_273_782_427_413_8, 8.189_317_638_195_515e-17],
        [1.090_507_732_665_257_7, -2.793_911_485_951_573_3e-17],
        [1.138_788_634_756_691_6, 7.826_573_258_636_076e-17],
        [1.189_207_115_002_721, 3.348_462_333_625_152_4e-17],
        [1.241_857_812_073_484, 3.750_854_201_303_127e-17],
        [1.296_839_554_651_009_6, 1.957_258_529_311_203_6e-17],
        [1.354_255_546_936_892_7, 5.686_480_957_911_74e-17],
        [SQRT_2, -6.835_808_657_661_922e-17],
        [1.476_826_145_939_499_3, -2.359_109_477_085_005_3e-17],
        [1.542_210_825_407_940_7, 5.154_830_117_078_678_3e-17],
        [1.610_490_331_949_254_3, 1.534_141_005_360_372_3e-17],
        [1.681_792_830_507_429, 4.875_160_526_227_062e-17],
        [1.756_252_160_373_299_5, 1.685_487_290_628_973e-17],
        [1.834_008_086_409_342_4, 1.790_126_907_604_513e-17],
        [1.915_206_561_397_147_4, -5.545_065_618_639_427e-17],
    ];

    /// (exp(r) - 1 - r) / r^2.
    const EXP: [f64; 5] = [
        0.499_999_999_999_996_06,
        0.166_666_666_644_179_62,
        0.041_666_666_693_250_01,
        0.008_333_471_921_021_357,
        0.001_388_859_406_585_297_2,
    ];

    /// The powers, whose bits lack what the sum with those of 16 k + j brings in too much, and what they lack in proportion.
    static TABLE: [[[f64; 8]; 2]; 2] = {
        let mut table = [[[0.0; 8]; 2]; 2];
        let mut j = 0;
        while j < 16 {
            let bits = POWER[j][0].to_bits() - ((j as u64) << 48);
            table[0][j / 8][j % 8] = f64::from_bits(bits);
            table[1][j / 8][j % 8] = POWER[j][1];
            j += 1;
        }
        table
    };

    /// Element j of a row of the table, for the low four bits of each.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn look_up(row: &[[f64; 8]; 2], j: __m512i) -> __m512d {
        _mm512_permutex2var_pd(load(&row[0]), j, load(&row[1]))
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn load(from: &[f64; 8]) -> __m512d {
        // SAFETY: eight numbers.
        unsafe { _mm512_loadu_pd(from.as_ptr()) }
    }

    /// Writes the values, and tells whether the formula is not good for some.
    #[target_feature(enable = "avx512f")]
    pub fn exp(x: &[f64], y: &mut [f64]) -> bool {
        let (eights, rest) = x.as_chunks();
        let (eights_out, rest_out) = y.as_chunks_mut();
        let mut outside = 0;
        for (x, y) in eights.iter().zip(eights_out) {
            outside |= of_eight(x, y);
        }
        if !rest.is_empty() {
            let (mut padded, mut values) = ([0.0; 8], [0.0; 8]);
            padded[..rest.len()].copy_from_slice(rest);
            outside |= of_eight(&padded, &mut values);
            rest_out.copy_from_slice(&values[..rest.len()]);
        }
        outside != 0
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn of_eight(x: &[f64; 8], y: &mut [f64; 8]) -> u8 {
        let x = load(x);
        let shifted = _mm512_fmadd_pd(x, _mm512_set1_pd(16.0 * LOG2_E), _mm512_set1_pd(SHIFT));
        let k = _mm512_sub_pd(shifted, _mm512_set1_pd(SHIFT));
        let most = _mm512_fmadd_pd(k, _mm512_set1_pd(-LN_2[0] / 16.0), x);
        let r = _mm512_fmadd_pd(k, _mm512_set1_pd(-LN_2[1] / 16.0), most);
        let bits = _mm512_castpd_si512(shifted);
        let power = _mm512_castpd_si512(look_up(&TABLE[0], bits));
        let power = _mm512_castsi512_pd(_mm512_add_epi64(power, _mm512_slli_epi64::<48>(bits)));
        let lack = look_up(&TABLE[1], bits);
        let r2 = _mm512_mul_pd(r, r);
        let low = _mm512_fmadd_pd(_mm512_set1_pd(EXP[1]), r, _mm512_set1_pd(EXP[0]));
        let high = _mm512_fmadd_pd(_mm512_set1_pd(EXP[3]), r, _mm512_set1_pd(EXP[2]));
        let high = _mm512_fmadd_pd(_mm512_set1_pd(EXP[4]), r2, high);
        let polynomial = _mm512_fmadd_pd(high, r2, low);
        let less_one = _mm512_fmadd_pd(polynomial, r2, _mm512_add_pd(r, lack));
        // SAFETY: room for eight numbers.
        unsafe { _mm512_storeu_pd(y.as_mut_ptr(), _mm512_fmadd_pd(power, less_one, power)) };
        _mm512_cmp_pd_mask::<_CMP_NLT_UQ>(_mm512_abs_pd(x), _mm512_set1_pd(EXP_MOST))
    }
}

const LOG: [f64; 7] = [
    0.666_666_666_666_667,
    0.399_999_999_998_994_9,
    0.285_714_286_259_839_63,
    0.222_222_111_334_111_96,
    0.181_828_892_260_884_33,
    0.153_317_182_491_399_3,
    0.146_164_911_093_919_85,
];

/// The bits of log 2 that an exponent may be multiplied by without rounding, and the rest.
const LN_2_SHORT: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// For positive normal numbers.
#[inline(always)]
fn log_of(x: f64) -> f64 {
    // x = 2^k (1 + f), with 1 + f between the roots of 1/2 and 2.
    let root = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    let ahead = x.to_bits().wrapping_sub(root);
    let exponent = ahead & 0xfff0_0000_0000_0000;
    let f = f64::from_bits(x.to_bits().wrapping_sub(exponent)) - 1.0;
    // As an integer from -1022 to 1024, by the low bits of a double.
    let low = (exponent >> 52) ^ 2048;
    let k = f64::from_bits(SHIFT.to_bits().wrapping_add(low)) - (SHIFT + 2048.0);
    let s = f / (2.0 + f);
    let (z, half) = (s * s, 0.5 * f * f);
    let rest = s.mul_add(z.mul_add(polynomial(&LOG, z), half), k * LN_2_SHORT[1]);
    k.mul_add(LN_2_SHORT[0], f - (half - rest))
}

/// log(1 + x), and 1 + x, for x > -1.
#[inline(always)]
fn log_1p_of(x: f64) -> (f64, f64) {
    let above = 1.0 + x;
    let lost = if x > 1.0 { 1.0 - (above - x) } else { x - (above - 1.0) };
    (log_of(above) + lost / above, above)
}

function!(
    /// log(x).
    log,
    |x| (f64::MIN_POSITIVE..f64::INFINITY).contains(&x),
    |x| [log_of(x), 1.0 / x],
    |x| [x.ln(), 1.0 / x]
);

function!(
    /// log(1 + x).
    log1p,
    |x| x > -1.0 && x < 1e300,
    |x| {
        let (y, above) = log_1p_of(x);
        [y.copysign(x), 1.0 / above]
    },
    |x| [x.ln_1p(), 1.0 / (1.0 + x)]
);

function!(
    /// exp(x) - 1.
    expm1,
    |x| x.abs() < 700.0,
    |x| {
        let (power, r, rest) = reduced_exp(x);
        let p = r + rest;
        [power.mul_add(p, power - 1.0).copysign(x), power.mul_add(p, power)]
    },
    |x| [x.exp_m1(), x.exp()]
);

function!(
    /// The square root.
    sqrt,
    |_| true,
    root_of,
    root_of
);

/// That of -0 is -0, whose derivative is infinite too.
#[inline(always)]
fn root_of(x: f64) -> [f64; 2] {
    let y = x.sqrt();
    [y, 0.5 / (y + 0.0)]
}

const SIN: [f64; 6] = [
    -0.166_666_666_666_666_66,
    0.008_333_333_333_330_948,
    -0.000_198_412_698_367_580_23,
    2.755_731_610_226_725e-6,
    -2.505_113_178_556_706e-8,
    1.591_812_501_276_065_7e-10,
];
const COS: [f64; 6] = [
    0.041_666_666_666_666_664,
    -0.001_388_888_888_888_739_8,
    2.480_158_729_876_534_4e-5,
    -2.755_731_727_155_138_7e-7,
    2.087_614_623_122_046_3e-9,
    -1.138_262_974_667_362_9e-11,
];

/// pi / 2 in three parts.
const QUARTER: [f64; 3] = [FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];

/// sin(x) and cos(x), for |x| up to 2^20.
#[inline(always)]
fn sin_cos(x: f64) -> [f64; 2] {
    let shifted = x.abs().mul_add(FRAC_2_PI, SHIFT);
    let k = shifted - SHIFT;
    // |x| = k pi / 2 + r + tail: the first difference is exact.
    let first = k.mul_add(-QUARTER[0], x.abs());
    let second = k * QUARTER[1];
    let r = first - second;
    let tail = k.mul_add(-QUARTER[2], ((first - r) - second) - k.mul_add(QUARTER[1], -second));
    let z = r * r;
    let cubic = z * r;
    let sin = r + cubic.mul_add(polynomial(&SIN, z), z.mul_add(-0.5 * tail, tail));
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cos = most + ((1.0 - most) - half + (z * z).mul_add(polynomial(&COS, z), -r * tail));
    // Quarter turns exchange the two and change signs.
    let quarters = shifted.to_bits();
    let (a, b) = if quarters & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let signed = |y: f64, minus: u64| f64::from_bits(y.to_bits() ^ (minus << 63));
    [signed(a, quarters >> 1 ^ x.to_bits() >> 63), signed(b, (quarters + 1) >> 1)]
}

function!(
    /// sin(x).
    sin,
    |x| x.abs() < 1_048_576.0,
    sin_cos,
    |x| [x.sin(), x.cos()]
);

function!(
    /// cos(x).
    cos,
    |x| x.abs() < 1_048_576.0,
    |x| {
        let [sin, cos] = sin_cos(x);
        [cos, -sin]
    },
    |x| [x.cos(), -x.sin()]
);

function!(
    /// tanh(x).
    tanh,
    |x| x.abs() < 20.0,
    |x| {
        // By exp(2 |x|) - 1, whose terms have one sign.
        let (power, r, rest) = reduced_exp(2.0 * x.abs());
        let t = power.mul_add(r + rest, power - 1.0);
        let (y, of_y) = (t / (t + 2.0), 1.0 / (t + 2.0));
        [y.copysign(x), 4.0 * (t + 1.0) * of_y * of_y]
    },
    |x| {
        let c = 1.0 / x.cosh();
        [x.tanh(), c * c]
    }
);

function!(
    /// 1 / (1 + exp(-x)).
    inv_logit,
    |x| x.abs() < 708.0,
    |x| {
        let small = exp_of(-x.abs());
        let above = 1.0 + small;
        let below = small / above;
        let y = 1.0 / above;
        [if x < 0.0 { below } else { y }, below / above]
    },
    |x| {
        let y = crate::special::inv_logit(x);
        [y, y * crate::special::inv_logit(-x)]
    }
);

function!(
    /// log(1 + exp(x)).
    log1p_exp,
    |x| x.abs() < 700.0,
    |x| {
        let small = exp_of(-x.abs());
        let (y, above) = log_1p_of(small);
        [x.max(0.0) + y, if x < 0.0 { small / above } else { 1.0 / above }]
    },
    |x| [crate::special::log1p_exp(x), crate::special::inv_logit(x)]
);

function!(
    /// tan(x).
    tan,
    |x| x.abs() < 1_048_576.0,
    |x| {
        let [sin, cos] = sin_cos(x);
        let y = sin / cos;
        [y, y.mul_add(y, 1.0)]
    },
    |x| {
        let y = x.tan();
        [y, 1.0 + y * y]
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_to_exp_agree_to_a_unit_in_the_last_place() {
        let mut x: Vec<f64> = (-80_000..80_000).map(|k| f64::from(k) * 0.008_873).collect();
        x.extend([0.0, -0.0, 1e-300, f64::NAN, f64::INFINITY, -f64::INFINITY, 709.5, -745.0]);
        let mut y = vec![0.0; 2 * x.len()];
        let (one, other) = y.split_at_mut(x.len());
        let mut slope = vec![0.0; x.len()];
        exp(&x, one, Some(&mut slope));
        exp_anywhere(&x, other, None);
        assert!(one.iter().zip(&slope).all(|(a, b)| a.to_bits() == b.to_bits()));
        for ((a, b), x) in one.iter().zip(other).zip(&x) {
            assert!(a.to_bits().abs_diff(b.to_bits()) <= 1, "exp({x}) is {a:e} and {b:e}");
        }
    }
}
