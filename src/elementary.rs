//! Elementary functions of many numbers at a time, within a unit in the last place, or within 3 those by quotients.
//!
//! Each has a formula without branches or tables for the numbers that programs mostly have, which compilers make vector
//! instructions of; the few that it is not good for (infinities, NaN, what overflows or vanishes, angles of millions) go to
//! the C library one by one. So a result does not depend on what stands beside it. The formulas want a multiplication and
//! addition that is rounded once: without it in the machine the C library computes everything. Where it is there, by AVX-512, by
//! AVX2 or by what the crate is compiled for, results have the same bits, but for `exp`, which with AVX-512 has a formula of its own,
//! shorter and more exact.
//!
//! The coefficients interpolate the functions at Chebyshev's nodes, with an error below 2^-57 of the result.
#![allow(clippy::inline_always)] // a formula is compiled anew only where it is inlined

#[cfg(test)]
mod formulas;
mod pairs;

pub use pairs::{OfPairs, atan2, hypot, pow};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LOG2_E};
// Where a branch would be made of `if`, since it saves work.
use std::hint::select_unpredictable as select;

/// Adding it rounds a number to an integer, which stands in the low bits then.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The sum of c(k) x^k, by x and x^2, so that the processor has two sums under way.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64, x2: f64) -> f64 {
    let (pairs, last) = coefficients.as_chunks();
    let mut sum = last.first().copied();
    for [a, b] in pairs.iter().rev() {
        let pair = b.mul_add(x, *a);
        sum = Some(sum.map_or(pair, |sum| sum.mul_add(x2, pair)));
    }
    sum.unwrap_or(0.0)
}

/// A function of one number: its value and its derivative, by a formula without branches where that is good, and by the C
/// library, which is asked for the other numbers.
trait Function: Sized {
    fn inside(x: f64) -> bool;
    fn formula(x: f64) -> [f64; 2];
    fn library(x: f64) -> [f64; 2];

    /// The formula of all numbers with AVX-512. A function may have a quicker one.
    #[cfg(target_arch = "x86_64")]
    const BY_AVX512: Formula = by_avx512::<Self>;
}

/// Writes the values, and the derivatives where there is room for them, of a multiple of `LANES` numbers. Tells whether it is not
/// good for some. Unsafe where the machine has not what it is compiled for.
type Formula = unsafe fn(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool;

/// What formulas are computed with, the widest first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Machine {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What the crate is compiled for, if that rounds a multiplication and an addition once.
    Compiled,
    /// None: all is the C library's.
    Library,
}

impl Machine {
    const ALL: &[Self] = &[
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        Self::Compiled,
        Self::Library,
    ];

    fn is_here(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            Self::Compiled => cfg!(target_arch = "aarch64"),
            Self::Library => true,
        }
    }

    fn widest() -> Self {
        Self::ALL.iter().copied().find(|machine| machine.is_here()).unwrap_or(Self::Library)
    }
}

/// A multiple of the numbers that one pass of a loop over vectors is for. The rest would go one by one, and is padded.
const LANES: usize = 16;

/// See `Formula`.
#[inline(always)]
fn by_formula<F: Function>(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool {
    let n = x.len() / LANES * LANES;
    let (x, y) = (&x[..n], &mut y[..n]);
    // As wide as the numbers, for which a comparison gives such masks.
    let mut outside = 0;
    let mut see = |x: f64| outside |= u64::from(!F::inside(x)).wrapping_neg();
    match derivative {
        None => {
            for (y, &x) in y.iter_mut().zip(x) {
                *y = F::formula(x)[0];
                see(x);
            }
        }
        Some(derivative) => {
            for ((y, d), &x) in y.iter_mut().zip(&mut derivative[..n]).zip(x) {
                [*y, *d] = F::formula(x);
                see(x);
            }
        }
    }
    outside != 0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn by_avx512<F: Function>(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool {
    by_formula::<F>(x, y, derivative)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn by_avx2<F: Function>(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool {
    by_formula::<F>(x, y, derivative)
}

fn by_machine<F: Function>(
    machine: Machine,
    x: &[f64],
    y: &mut [f64],
    derivative: Option<&mut [f64]>,
) -> bool {
    match machine {
        // SAFETY: the machine has what the function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx512 => unsafe { F::BY_AVX512(x, y, derivative) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2 => unsafe { by_avx2::<F>(x, y, derivative) },
        Machine::Compiled => by_formula::<F>(x, y, derivative),
        Machine::Library => true,
    }
}

/// The function of all numbers, and the derivative if there is room for it.
fn evaluate<F: Function>(
    machine: Machine,
    x: &[f64],
    y: &mut [f64],
    mut derivative: Option<&mut [f64]>,
) {
    let vectors = x.len() / LANES * LANES;
    let rest = x.len() - vectors;
    let d = derivative.as_deref_mut().map(|d| &mut d[..vectors]);
    let mut outside = by_machine::<F>(machine, &x[..vectors], &mut y[..vectors], d);
    if rest > 0 {
        let mut padded = [x[vectors]; LANES];
        padded[..rest].copy_from_slice(&x[vectors..]);
        let (mut values, mut slopes) = ([0.0; LANES], [0.0; LANES]);
        let d = derivative.is_some().then_some(&mut slopes[..]);
        outside |= by_machine::<F>(machine, &padded, &mut values, d);
        y[vectors..].copy_from_slice(&values[..rest]);
        if let Some(d) = derivative.as_deref_mut() {
            d[vectors..].copy_from_slice(&slopes[..rest]);
        }
    }
    if outside {
        for (k, &x) in x.iter().enumerate() {
            if machine == Machine::Library || !F::inside(x) {
                let [value, slope] = F::library(x);
                y[k] = value;
                if let Some(d) = derivative.as_deref_mut() {
                    d[k] = slope;
                }
            }
        }
    }
}

/// Functions of the C library that std has not, or computes itself, less exactly.
mod c {
    unsafe extern "C" {
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
    }
}

/// A function of as many numbers as there are.
macro_rules! function {
    ($(#[$doc:meta])* $name:ident as $Name:ident, $inside:expr, $formula:expr, $library:expr $(, $by_avx512:path)?) => {
        struct $Name;

        impl Function for $Name {
            #[inline(always)]
            fn inside(x: f64) -> bool {
                ($inside)(x)
            }

            #[inline(always)]
            fn formula(x: f64) -> [f64; 2] {
                ($formula)(x)
            }

            fn library(x: f64) -> [f64; 2] {
                ($library)(x)
            }
            $(
                #[cfg(target_arch = "x86_64")]
                const BY_AVX512: Formula = $by_avx512;
            )?
        }

        $(#[$doc])*
        pub fn $name(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) {
            evaluate::<$Name>(Machine::widest(), x, y, derivative);
        }
    };
}

/// a / b, where 1 / b is there already.
#[inline(always)]
fn divided(a: f64, b: f64, inverse: f64) -> f64 {
    let q = a * inverse;
    (-q).mul_add(b, a).mul_add(inverse, q)
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

/// The bits of log 2 that an exponent may be multiplied by without rounding, and the rest: the reduction of Cody and Waite.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// log 2, and what its double lacks.
const LN_2_IN_TWO: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// x = k log 2 + r: 2^k, and exp(r) - 1 as the sum of two numbers, which r is most of. For |x| up to 708.
#[inline(always)]
fn exp_in_two(x: f64) -> (f64, [f64; 2]) {
    // The low bits are those of 2^k, which is all that is left of them then.
    const SHIFT_OF_POWER: f64 = SHIFT + 1023.0;
    let shifted = x.mul_add(LOG2_E, SHIFT_OF_POWER);
    let k = shifted - SHIFT_OF_POWER;
    let most = k.mul_add(-LN_2[0], x);
    let r = k.mul_add(-LN_2[1], most);
    let r2 = r * r;
    // What r was rounded by stands against terms that are smaller.
    let rest = k.mul_add(-LN_2[1], r2 * polynomial(&EXP, r, r2));
    (f64::from_bits(shifted.to_bits() << 52), [most, rest])
}

/// 2^k and exp(r) - 1.
#[inline(always)]
fn reduced_exp(x: f64) -> (f64, f64) {
    let (power, [most, rest]) = exp_in_two(x);
    (power, most + rest)
}

#[inline(always)]
fn exp_of(x: f64) -> f64 {
    let (power, less_one) = reduced_exp(x);
    power.mul_add(less_one, power)
}

const EXP_MOST: f64 = 708.0;

function!(
    /// exp(x).
    exp as Exp,
    |x: f64| x.abs() < EXP_MOST,
    |x: f64| [exp_of(x); 2],
    |x: f64| [x.exp(); 2],
    sixteenths::exp
);

/// exp by a table that lies in registers: x = (k + j / 16) log 2 + r, with an error of the polynomial below 2^-56.
#[cfg(target_arch = "x86_64")]
mod sixteenths {
    use super::{EXP_MOST, LOG2_E, SHIFT};
    use std::arch::x86_64::{
        __m512d, __m512i, _CMP_NLT_UQ, _mm512_abs_pd, _mm512_add_epi64, _mm512_add_pd,
        _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_cmp_pd_mask, _mm512_fmadd_pd,
        _mm512_loadu_pd, _mm512_mul_pd, _mm512_permutex2var_pd, _mm512_set1_pd, _mm512_slli_epi64,
        _mm512_storeu_pd, _mm512_sub_pd,
    };
    use std::f64::consts::{LN_2, SQRT_2};

    /// What the double of log 2 lacks.
    const LN_2_LACKS: f64 = 2.319_046_813_846_299_6e-17;

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

    /// As `by_formula`.
    #[target_feature(enable = "avx512f")]
    pub fn exp(x: &[f64], y: &mut [f64], derivative: Option<&mut [f64]>) -> bool {
        let mut outside = 0;
        for (x, y) in x.as_chunks().0.iter().zip(y.as_chunks_mut().0) {
            outside |= of_eight(x, y);
        }
        if let Some(derivative) = derivative {
            derivative.copy_from_slice(y);
        }
        outside != 0
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn of_eight(x: &[f64; 8], y: &mut [f64; 8]) -> u8 {
        let x = load(x);
        let shifted = _mm512_fmadd_pd(x, _mm512_set1_pd(16.0 * LOG2_E), _mm512_set1_pd(SHIFT));
        let k = _mm512_sub_pd(shifted, _mm512_set1_pd(SHIFT));
        let most = _mm512_fmadd_pd(k, _mm512_set1_pd(-LN_2 / 16.0), x);
        let r = _mm512_fmadd_pd(k, _mm512_set1_pd(-LN_2_LACKS / 16.0), most);
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

/// By one comparison: zero, the subnormal, the infinite, NaN and the negative have smaller or larger bits.
#[inline(always)]
fn is_positive_and_normal(x: f64) -> bool {
    let least = f64::MIN_POSITIVE.to_bits();
    x.to_bits().wrapping_sub(least) < f64::INFINITY.to_bits() - least
}

/// x = 2^k (1 + f), with 1 + f between the roots of 1/2 and 2: k and f, exactly. For positive normal numbers.
#[inline(always)]
fn reduced_log(x: f64) -> (f64, f64) {
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
fn log_of(x: f64) -> f64 {
    let (k, f) = reduced_log(x);
    let s = f / (2.0 + f);
    let (z, half) = (s * s, 0.5 * f * f);
    let rest = s.mul_add(z.mul_add(polynomial(&LOG, z, z * z), half), k * LN_2[1]);
    k.mul_add(LN_2[0], f - (half - rest))
}

/// (log(1 + f) - 2 s - 2/3 s^3) / s^5, with s = f / (2 + f), by s^2.
const LOG_TAIL: [f64; 8] = [
    0.4,
    0.285_714_285_714_293_64,
    0.222_222_222_216_562_32,
    0.181_818_183_353_144_04,
    0.153_845_949_708_954_54,
    0.133_348_042_382_255_53,
    0.117_062_485_409_176_67,
    0.117_230_510_281_405_1,
];

/// a + b, and what that is rounded by, where a is 0 or not smaller than b.
#[inline(always)]
fn exact_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    [sum, a - sum + b]
}

/// The product of two numbers, each the sum of two.
#[inline(always)]
fn product_in_two(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    let product = a[0] * b[0];
    [product, a[0].mul_add(b[0], -product) + a[0].mul_add(b[1], a[1] * b[0])]
}

/// log(x) as the sum of two numbers, with an error of some 2^-64 of it. For positive normal numbers.
#[inline(always)]
fn log_in_two(x: f64) -> [f64; 2] {
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
fn log_1p_of(x: f64) -> (f64, f64) {
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

function!(
    /// exp(x) - 1.
    expm1 as Expm1,
    |x: f64| x.abs() < 700.0,
    |x: f64| {
        let (power, p) = reduced_exp(x);
        [power.mul_add(p, power - 1.0).copysign(x), power.mul_add(p, power)]
    },
    |x: f64| [x.exp_m1(), x.exp()]
);

function!(
    /// The square root.
    sqrt as Sqrt,
    |_: f64| true,
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

/// pi / 2 in three parts, of which multiples up to 2^20 of the second are not rounded.
const QUARTER: [f64; 3] = [FRAC_PI_2, 6.12323399409214e-17, 1.6446256936324258e-26];

/// sin(x) and cos(x), for |x| up to 2^20.
#[inline(always)]
fn sin_cos(x: f64) -> [f64; 2] {
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

function!(
    /// 2^x.
    exp2 as Exp2,
    |x: f64| x.abs() < 1021.0,
    |x: f64| {
        let shifted = x + (SHIFT + 1023.0);
        let r = x - (shifted - (SHIFT + 1023.0));
        let t = r * LN_2_IN_TWO[0];
        let lost = r.mul_add(LN_2_IN_TWO[1], r.mul_add(LN_2_IN_TWO[0], -t));
        let less_one = t + (t * t).mul_add(polynomial(&EXP, t, t * t), lost);
        let power = f64::from_bits(shifted.to_bits() << 52);
        let y = power.mul_add(less_one, power);
        [y, y * LN_2_IN_TWO[0]]
    },
    |x: f64| {
        let y = x.exp2();
        [y, y * LN_2_IN_TWO[0]]
    }
);

/// The logarithm to a base of which 1 / log is given as the sum of two numbers: of a power of the base it is an integer.
#[inline(always)]
fn log_to_base(x: f64, inverse: [f64; 2]) -> [f64; 2] {
    let [most, rest] = product_in_two(log_in_two(x), inverse);
    [most + rest, inverse[0] / x]
}

const LOG2_E_IN_TWO: [f64; 2] = [LOG2_E, 2.035_527_374_093_103_3e-17];
const LOG10_E_IN_TWO: [f64; 2] = [std::f64::consts::LOG10_E, 1.098_319_650_216_765e-17];

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

/// sinh(x) and cosh(x), for |x| up to 700.
#[inline(always)]
fn sinh_cosh(x: f64) -> [f64; 2] {
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

const ATAN: [f64; 12] = [
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
const ASIN: [f64; 13] = [
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
fn atan_of_small(t: f64, rest: f64) -> f64 {
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
const EIGHTHS: [[f64; 2]; 3] = [
    [0.0, 0.0],
    [std::f64::consts::FRAC_PI_4, 3.061_616_997_868_383e-17],
    [FRAC_PI_2, 6.123_233_995_736_766e-17],
];

/// asin(|x|), or, where |x| is above 1/2, pi / 2 less it, for |x| up to 1.
#[inline(always)]
fn small_asin(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5;
    // sin(pi / 4 - asin(a) / 2)^2.
    let half = (1.0 - a) * 0.5;
    let z = if large { half } else { a * a };
    let s = if large { 2.0 * half.sqrt() } else { a };
    (s * z).mul_add(polynomial(&ASIN, z, z * z), s)
}

#[inline(always)]
fn asin_slope(x: f64) -> f64 {
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

/// (erf(x) / x - 2 / sqrt(pi)) / x^2, by x^2, for |x| up to 3/4.
const ERF: [f64; 11] = [
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
const SCALED_ERFC_FIRST: f64 = 1.264_838_184_366_861_5;
const SCALED_ERFC: [f64; 12] = [
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
const SCALED_ERFC_LAST: [f64; 9] = [
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
const ERF_SLOPE: [f64; 2] = [std::f64::consts::FRAC_2_SQRT_PI, 1.533_545_961_316_588e-17];
const PHI_SLOPE: [f64; 2] = [0.398_942_280_401_432_7, -2.492_327_202_277_73e-17];
const HALF_ROOT: [f64; 2] = [std::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17];

/// x (c + d x^2 p(x^2)), with p by `ERF`.
#[inline(always)]
fn erf_of_small(x: f64, z: f64, c: [f64; 2], d: f64) -> f64 {
    x.mul_add(c[0], x * (z * polynomial(&ERF, z, z * z)).mul_add(d, c[1]))
}

/// exp(-a^2), and erfc(a) if a is 1/2 at least, for a and a^2, up to 705, as the sums of two numbers.
#[inline(always)]
fn gauss_and_erfc([a, lost]: [f64; 2], square: [f64; 2]) -> [f64; 2] {
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

/// x^2 as the sum of two numbers.
#[inline(always)]
fn square_in_two(x: f64) -> [f64; 2] {
    let square = x * x;
    [square, x.mul_add(x, -square)]
}

/// exp(-a^2), for a^2 as the sum of two numbers.
fn gauss_by_library([square, lost]: [f64; 2]) -> f64 {
    let gauss = (-square).exp();
    if gauss == 0.0 { gauss } else { gauss - gauss * lost }
}

/// Where exp(-x^2) is normal, with some room, and where it is 0. By one comparison, for the compiler's sake.
#[inline(always)]
fn erf_inside(x: f64) -> bool {
    (x.abs() - 27.0).abs() > 0.5
}

/// exp(-x^2), and erfc(|x|) if |x| is 1/2 at least.
#[inline(always)]
fn erf_tail(x: f64) -> [f64; 2] {
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

#[cfg(test)]
mod tests {
    use super::formulas::FUNCTIONS;
    use super::*;

    /// Of all sizes, with those between them that formulas are not good for.
    fn numbers() -> Vec<f64> {
        let most = [f64::MAX, f64::INFINITY, 2e6, 1_048_576.0, 710.0, 708.0, 700.0, 20.0, 1.0];
        let least = [0.0, 5e-324, 1e-310, f64::MIN_POSITIVE, 1e-300, f64::EPSILON];
        let both = most.into_iter().chain(least).flat_map(|x| [x, -x]);
        let mut x: Vec<f64> = both.chain([f64::NAN]).collect();
        let mut state = 1_u64;
        for scale in [1e-9, 0.1, 1.0, 3.0, 25.0, 300.0, 707.0, 1e6] {
            for _ in 0..20_001 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                x.push(f64::from((state >> 32) as i32) * scale / f64::from(i32::MAX));
            }
        }
        x
    }

    /// Where two differ by more than so many units in the last place.
    fn differs(a: &[f64], b: &[f64], units: u64) -> Option<usize> {
        let far = |a: &f64, b: &f64| a.to_bits().abs_diff(b.to_bits()) > units;
        a.iter().zip(b).position(|(a, b)| far(a, b) && !(a.is_nan() && b.is_nan()))
    }

    #[test]
    fn all_machines_have_the_same_bits() {
        let x = numbers();
        for (name, evaluate) in FUNCTIONS {
            let by = |machine| {
                let (mut y, mut d, mut alone) = (x.clone(), x.clone(), x.clone());
                evaluate(machine, &x, &mut y, Some(&mut d));
                evaluate(machine, &x, &mut alone, None);
                assert_eq!(differs(&y, &alone, 0), None, "{name}, {machine:?}");
                (y, d)
            };
            let widest = by(Machine::widest());
            for &machine in Machine::ALL.iter().filter(|&&m| m.is_here() && m != Machine::Library) {
                let (y, d) = by(machine);
                // Of which AVX-512 has another formula.
                let units = u64::from(name == "exp");
                for (one, other) in [(&widest.0, &y), (&widest.1, &d)] {
                    let k = differs(one, other, units);
                    assert!(k.is_none(), "{name}({:e}), {machine:?}", x[k.unwrap_or(0)]);
                }
            }
        }
    }

    #[test]
    fn formulas_are_the_library_s_functions() {
        let x = numbers();
        for (name, evaluate) in FUNCTIONS {
            let (mut y, mut d, mut library, mut slope) =
                (x.clone(), x.clone(), x.clone(), x.clone());
            evaluate(Machine::widest(), &x, &mut y, Some(&mut d));
            evaluate(Machine::Library, &x, &mut library, Some(&mut slope));
            let pairs = y.iter().zip(&library).chain(d.iter().zip(&slope));
            for ((a, b), x) in pairs.zip(x.iter().chain(&x)) {
                let near = a == b || (a - b).abs() <= 2e-15 * b.abs() || (a.is_nan() && b.is_nan());
                assert!(near, "{name}({x:e}) is {a:e} and {b:e}");
            }
        }
    }
}
