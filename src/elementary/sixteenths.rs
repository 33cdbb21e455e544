//! exp by a table that lies in registers: x = (k + j / 16) log 2 + r, with an error of the polynomial below 2^-56.

use super::arithmetic::{EXP_MOST, SHIFT};
use std::arch::x86_64::{
    __m512d, __m512i, _CMP_NLT_UQ, _mm512_abs_pd, _mm512_add_epi64, _mm512_add_pd,
    _mm512_castpd_si512, _mm512_castsi512_pd, _mm512_cmp_pd_mask, _mm512_fmadd_pd, _mm512_loadu_pd,
    _mm512_mul_pd, _mm512_permutex2var_pd, _mm512_set1_pd, _mm512_slli_epi64, _mm512_storeu_pd,
    _mm512_sub_pd,
};
use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

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
