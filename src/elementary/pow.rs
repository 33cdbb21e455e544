//! x1^x2 of many numbers at a time, by exp(x2 log(x1)) with the logarithm as the sum of two numbers.

use super::{
    EXP_MOST, LANES, Machine, exp_in_two, is_positive_and_normal, log_in_two, product_in_two,
};

/// As many numbers as one pass of a loop over vectors is for.
type Block = [f64; LANES];

/// The values of a block, and the derivatives by x1 and by x2 if they are asked for. Tells where the formula is good.
#[inline(always)]
fn by_formula<const SLOPES: bool>(x: &[Block; 2], y: &mut [Block; 3]) -> [bool; LANES] {
    let mut inside = [false; LANES];
    for k in 0..LANES {
        let (x1, x2) = (x[0][k], x[1][k]);
        let log = log_in_two(x1);
        let [exponent, lost] = product_in_two(log, [x2, 0.0]);
        let (power, [most, rest]) = exp_in_two(exponent);
        // What the exponent lost multiplies all by 1 + lost.
        let rest = rest + lost.mul_add(most + rest, lost);
        let value = power.mul_add(most + rest, power);
        y[0][k] = value;
        if SLOPES {
            y[1][k] = x2 * (value / x1);
            y[2][k] = value * log[0];
        }
        inside[k] = is_positive_and_normal(x1) & (exponent.abs() < EXP_MOST);
    }
    inside
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn by_avx512<const SLOPES: bool>(x: &[Block; 2], y: &mut [Block; 3]) -> [bool; LANES] {
    by_formula::<SLOPES>(x, y)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn by_avx2<const SLOPES: bool>(x: &[Block; 2], y: &mut [Block; 3]) -> [bool; LANES] {
    by_formula::<SLOPES>(x, y)
}

fn by_machine<const SLOPES: bool>(
    machine: Machine,
    x: &[Block; 2],
    y: &mut [Block; 3],
) -> [bool; LANES] {
    match machine {
        // SAFETY: the machine has what the function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx512 => unsafe { by_avx512::<SLOPES>(x, y) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2 => unsafe { by_avx2::<SLOPES>(x, y) },
        Machine::Compiled => by_formula::<SLOPES>(x, y),
        Machine::Library => [false; LANES],
    }
}

/// The value and the derivatives. Conventions as in admpi/partials.h.
fn library(x1: f64, x2: f64) -> [f64; 3] {
    let y = x1.powf(x2);
    let by_x1 = if x2 == 0.0 {
        0.0
    } else if y * y > 0.0 && y.is_finite() {
        x2 * (y / x1)
    } else {
        x2 * x1.powf(x2 - 1.0)
    };
    [y, by_x1, if x1 > 0.0 { y * x1.ln() } else { 0.0 }]
}

/// x1^x2, and the derivatives by x1 and by x2 where there is room for them.
pub fn pow(x: [&[f64]; 2], y: &mut [f64], slopes: [Option<&mut [f64]>; 2]) {
    evaluate(Machine::widest(), x, y, slopes);
}

fn evaluate(machine: Machine, x: [&[f64]; 2], y: &mut [f64], mut slopes: [Option<&mut [f64]>; 2]) {
    let wanted = slopes.iter().any(Option::is_some);
    let mut results = [[0.0; LANES]; 3];
    for first in (0..y.len()).step_by(LANES) {
        let n = LANES.min(y.len() - first);
        let block = first..first + n;
        // Padded with 1^1.
        let mut operands = [[1.0; LANES]; 2];
        for (to, from) in operands.iter_mut().zip(x) {
            to[..n].copy_from_slice(&from[block.clone()]);
        }
        let inside = if wanted {
            by_machine::<true>(machine, &operands, &mut results)
        } else {
            by_machine::<false>(machine, &operands, &mut results)
        };
        if inside != [true; LANES] {
            for k in (0..n).filter(|&k| !inside[k]) {
                let exact = library(operands[0][k], operands[1][k]);
                for (to, from) in results.iter_mut().zip(exact) {
                    to[k] = from;
                }
            }
        }
        y[block.clone()].copy_from_slice(&results[0][..n]);
        for (to, from) in slopes.iter_mut().zip(&results[1..]) {
            if let Some(to) = to {
                to[block.clone()].copy_from_slice(&from[..n]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bases and exponents of all sizes.
    fn numbers() -> [Vec<f64>; 2] {
        let special =
            [0.0, 5e-324, 1e-310, 1e-300, 0.5, 1.0, 2.0, 3.0, 1e9, 1e300, f64::MAX, f64::INFINITY];
        let signed: Vec<f64> =
            special.into_iter().flat_map(|x| [x, -x]).chain([f64::NAN]).collect();
        let mut x = [Vec::new(), Vec::new()];
        for &a in &signed {
            for &b in &signed {
                x[0].push(a);
                x[1].push(b);
            }
        }
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f64::from((state >> 32) as i32) / f64::from(i32::MAX)
        };
        for (scale, most) in [(1.0, 2.0), (1e-9, 1e9), (0.7, 700.0), (300.0, 2.0), (700.0, 1.0)] {
            for _ in 0..20_001 {
                x[0].push((next() * scale).exp());
                x[1].push(next() * most);
            }
        }
        x
    }

    fn by(machine: Machine, x: &[Vec<f64>; 2]) -> [Vec<f64>; 3] {
        let n = x[0].len();
        let [mut y, mut d1, mut d2, mut alone] =
            [const { Vec::new() }; 4].map(|mut v: Vec<f64>| {
                v.resize(n, 7.0);
                v
            });
        let x = [&x[0][..], &x[1][..]];
        evaluate(machine, x, &mut y, [Some(&mut d1), Some(&mut d2)]);
        evaluate(machine, x, &mut alone, [None, None]);
        assert!(y.iter().zip(&alone).all(|(a, b)| a.to_bits() == b.to_bits()), "{machine:?}");
        [y, d1, d2]
    }

    #[test]
    fn all_machines_have_the_same_bits() {
        let x = numbers();
        let widest = by(Machine::widest(), &x);
        for &machine in Machine::ALL.iter().filter(|&&m| m.is_here() && m != Machine::Library) {
            for (one, other) in widest.iter().zip(&by(machine, &x)) {
                let same =
                    |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                assert!(one.iter().zip(other).all(same), "{machine:?}");
            }
        }
    }

    #[test]
    fn the_formula_is_the_library_s_function() {
        let x = numbers();
        let (ours, library) = (by(Machine::widest(), &x), by(Machine::Library, &x));
        for (which, (ours, theirs)) in ours.iter().zip(&library).enumerate() {
            for (k, (a, b)) in ours.iter().zip(theirs).enumerate() {
                // There the library computes x1^(x2 - 1), whose exponent is rounded.
                let small = which == 1 && library[0][k] * library[0][k] == 0.0;
                let most = if small { 2e-13 } else { 1e-15 };
                let near = a == b
                    || (a - b).abs() <= (most * b.abs()).max(1e-322)
                    || a.is_nan() && b.is_nan();
                assert!(near, "{which}: pow({:e}, {:e}): {a:e}, {b:e}", x[0][k], x[1][k]);
            }
        }
    }

    #[test]
    fn powers_that_are_integers_are_exact() {
        let (mut x1, mut x2, mut exact) = (Vec::new(), Vec::new(), Vec::new());
        for base in 1..200_u64 {
            for exponent in 0..12_u32 {
                if let Some(power) = base.checked_pow(exponent).filter(|&p| p < 1 << 53) {
                    x1.push(base as f64);
                    x2.push(f64::from(exponent));
                    exact.push(power as f64);
                }
            }
        }
        let mut y = exact.clone();
        y.fill(0.0);
        pow([&x1, &x2], &mut y, [None, None]);
        for k in 0..y.len() {
            assert_eq!(y[k], exact[k], "{}^{}", x1[k], x2[k]);
        }
    }
}
