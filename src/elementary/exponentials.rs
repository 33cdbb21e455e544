//! exp, and what is near it.
#![forbid(unsafe_code)]

use super::arithmetic::{EXP_MOST, SHIFT, polynomial};
use super::many::function;
#[cfg(target_arch = "x86_64")]
use super::sixteenths;
use std::f64::consts::LOG2_E;

pub const EXP: [f64; 10] = [
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
pub const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// log 2, and what its double lacks.
pub const LN_2_IN_TWO: [f64; 2] = [std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17];

/// x = k log 2 + r: 2^k, and exp(r) - 1 as the sum of two numbers, which r is most of. For |x| up to 708.
#[inline(always)]
pub fn exp_in_two(x: f64) -> (f64, [f64; 2]) {
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
pub fn reduced_exp(x: f64) -> (f64, f64) {
    let (power, [most, rest]) = exp_in_two(x);
    (power, most + rest)
}

#[inline(always)]
pub fn exp_of(x: f64) -> f64 {
    let (power, less_one) = reduced_exp(x);
    power.mul_add(less_one, power)
}

function!(
    /// exp(x).
    exp as Exp,
    |x: f64| x.abs() < EXP_MOST,
    |x: f64| [exp_of(x); 2],
    |x: f64| [x.exp(); 2],
    sixteenths::exp
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
