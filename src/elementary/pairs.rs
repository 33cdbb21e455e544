//! Functions of two numbers, of many pairs at a time.

use super::arithmetic::{EXP_MOST, is_positive_and_normal, product_in_two};
use super::exponentials::exp_in_two;
use super::logarithms::log_in_two;
use super::many::{LANES, Machine};
use super::trigonometric::{EIGHTHS, atan_of_small};

/// A function of as many pairs as there are: the pairs, the values, and room for the derivatives that are asked for.
pub type OfPairs = fn([&[f64]; 2], &mut [f64], [Option<&mut [f64]>; 2]);

/// As many numbers as one pass of a loop over vectors is for.
type Block = [f64; LANES];

/// A function of two numbers: its value and its derivatives. Those of `library` have the conventions of admpi/partials.h.
trait FunctionOfTwo {
    /// By a formula without branches; tells where that is good.
    fn formula(x1: f64, x2: f64) -> ([f64; 3], bool);
    fn library(x1: f64, x2: f64) -> [f64; 3];
}

/// The values of a block, and the derivatives if they are asked for. Tells where the formula is good.
#[inline(always)]
fn by_formula<F: FunctionOfTwo, const SLOPES: bool>(
    x: &[Block; 2],
    y: &mut [Block; 3],
) -> [bool; LANES] {
    let mut inside = [false; LANES];
    for k in 0..LANES {
        let (results, good) = F::formula(x[0][k], x[1][k]);
        inside[k] = good;
        y[0][k] = results[0];
        if SLOPES {
            (y[1][k], y[2][k]) = (results[1], results[2]);
        }
    }
    inside
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl")]
fn by_avx512<F: FunctionOfTwo, const SLOPES: bool>(
    x: &[Block; 2],
    y: &mut [Block; 3],
) -> [bool; LANES] {
    by_formula::<F, SLOPES>(x, y)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn by_avx2<F: FunctionOfTwo, const SLOPES: bool>(
    x: &[Block; 2],
    y: &mut [Block; 3],
) -> [bool; LANES] {
    by_formula::<F, SLOPES>(x, y)
}

fn by_machine<F: FunctionOfTwo, const SLOPES: bool>(
    machine: Machine,
    x: &[Block; 2],
    y: &mut [Block; 3],
) -> [bool; LANES] {
    match machine {
        // SAFETY: the machine has what the function is compiled for.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx512 => unsafe { by_avx512::<F, SLOPES>(x, y) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Machine::Avx2 => unsafe { by_avx2::<F, SLOPES>(x, y) },
        Machine::Compiled => by_formula::<F, SLOPES>(x, y),
        Machine::Library => [false; LANES],
    }
}

fn evaluate<F: FunctionOfTwo>(
    machine: Machine,
    x: [&[f64]; 2],
    y: &mut [f64],
    mut slopes: [Option<&mut [f64]>; 2],
) {
    let wanted = slopes.iter().any(Option::is_some);
    let mut results = [[0.0; LANES]; 3];
    for first in (0..y.len()).step_by(LANES) {
        let n = LANES.min(y.len() - first);
        let block = first..first + n;
        // Padded with what formulas are good for.
        let mut operands = [[1.0; LANES]; 2];
        for (to, from) in operands.iter_mut().zip(x) {
            to[..n].copy_from_slice(&from[block.clone()]);
        }
        let inside = if wanted {
            by_machine::<F, true>(machine, &operands, &mut results)
        } else {
            by_machine::<F, false>(machine, &operands, &mut results)
        };
        if inside != [true; LANES] {
            for k in (0..n).filter(|&k| !inside[k]) {
                let exact = F::library(operands[0][k], operands[1][k]);
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

/// A function of as many pairs as there are.
macro_rules! function_of_two {
    ($(#[$doc:meta])* $name:ident as $Name:ident, $formula:expr, $library:expr) => {
        struct $Name;

        impl FunctionOfTwo for $Name {
            #[inline(always)]
            fn formula(x1: f64, x2: f64) -> ([f64; 3], bool) {
                ($formula)(x1, x2)
            }

            fn library(x1: f64, x2: f64) -> [f64; 3] {
                ($library)(x1, x2)
            }
        }

        $(#[$doc])*
        pub fn $name(x: [&[f64]; 2], y: &mut [f64], slopes: [Option<&mut [f64]>; 2]) {
            evaluate::<$Name>(Machine::widest(), x, y, slopes);
        }
    };
}

/// x2 y / x1: the quotient of the smaller overflows only where all does.
#[inline(always)]
fn power_slope(x1: f64, x2: f64, y: f64) -> f64 {
    let (large, small) = if x2.abs() < y.abs() { (y, x2) } else { (x2, y) };
    large * (small / x1)
}

function_of_two!(
    /// x1^x2, by exp(x2 log(x1)) with the logarithm as the sum of two numbers.
    pow as Pow,
    |x1: f64, x2: f64| {
        let log = log_in_two(x1);
        let [exponent, lost] = product_in_two(log, [x2, 0.0]);
        let (power, [most, rest]) = exp_in_two(exponent);
        // What the exponent lost multiplies all by 1 + lost.
        let rest = rest + lost.mul_add(most + rest, lost);
        let value = power.mul_add(most + rest, power);
        let good = is_positive_and_normal(x1) & (exponent.abs() < EXP_MOST);
        ([value, power_slope(x1, x2, value), value * log[0]], good)
    },
    |x1: f64, x2: f64| {
        let y = x1.powf(x2);
        let by_x1 = if x2 == 0.0 {
            0.0
        } else if y * y > 0.0 && y.is_finite() {
            power_slope(x1, x2, y)
        } else {
            x2 * x1.powf(x2 - 1.0)
        };
        [y, by_x1, if x1 > 0.0 { y * x1.ln() } else { 0.0 }]
    }
);

/// Where the larger of two numbers is: no square overflows, and none that counts vanishes, nor what it is rounded by.
#[inline(always)]
fn is_of_middle_size(x: f64) -> bool {
    (x > 1e-140) & (x < 1e140)
}

function_of_two!(
    /// sqrt(x1^2 + x2^2).
    hypot as Hypot,
    |x1: f64, x2: f64| {
        let (a1, a2) = (x1.abs(), x2.abs());
        let (large, small) = if a1 > a2 { (a1, a2) } else { (a2, a1) };
        // Only the smaller square is rounded.
        let y = large.mul_add(large, small * small).sqrt();
        let inverse = 1.0 / y;
        ([y, x1 * inverse, x2 * inverse], is_of_middle_size(y))
    },
    |x1: f64, x2: f64| {
        let y = x1.hypot(x2);
        if y == 0.0 { [y, 0.0, 0.0] } else { [y, x1 / y, x2 / y] }
    }
);

function_of_two!(
    /// The angle of the point (x2, x1).
    atan2 as Atan2,
    |x1: f64, x2: f64| {
        let (a1, a2) = (x1.abs(), x2.abs());
        let (steep, back) = (a1 > a2, x2.is_sign_negative());
        let (large, small) = if steep { (a1, a2) } else { (a2, a1) };
        // So many eighths of a turn, and an angle of which the tangent is between those of -1/2 and 1/2 of one.
        let late = small > (std::f64::consts::SQRT_2 - 1.0) * large;
        let (above, below) = if late { (small - large, small + large) } else { (small, large) };
        let sign = if steep == back { 1.0 } else { -1.0 };
        let whole = if steep { 2.0 } else if back { 4.0 } else { 0.0 };
        let eighths = whole + if late { sign } else { 0.0 };
        let turned = eighths * EIGHTHS[1][0];
        let lost = eighths.mul_add(EIGHTHS[1][1], eighths.mul_add(EIGHTHS[1][0], -turned));
        let y = turned + atan_of_small(sign * above / below, lost);
        let inverse = 1.0 / x1.mul_add(x1, x2 * x2);
        ([y.copysign(x1), x2 * inverse, -(x1 * inverse)], is_of_middle_size(large) & !x1.is_nan())
    },
    |x1: f64, x2: f64| {
        let y = x1.atan2(x2);
        if x1 == 0.0 && x2 == 0.0 {
            return [y, 0.0, 0.0];
        }
        // Since the squares overflow and vanish long before the angle does.
        let radius = x1.hypot(x2);
        [y, x2 / radius / radius, -(x1 / radius / radius)]
    }
);

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

    type Evaluate = fn(Machine, [&[f64]; 2], &mut [f64], [Option<&mut [f64]>; 2]);

    const FUNCTIONS: [(&str, Evaluate); 3] =
        [("pow", evaluate::<Pow>), ("hypot", evaluate::<Hypot>), ("atan2", evaluate::<Atan2>)];

    fn by(machine: Machine, evaluate: Evaluate, x: &[Vec<f64>; 2]) -> [Vec<f64>; 3] {
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
        for (name, evaluate) in FUNCTIONS {
            let widest = by(Machine::widest(), evaluate, &x);
            for &machine in Machine::ALL.iter().filter(|&&m| m.is_here() && m != Machine::Library) {
                for (one, other) in widest.iter().zip(&by(machine, evaluate, &x)) {
                    let same = |(a, b): (&f64, &f64)| {
                        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
                    };
                    assert!(one.iter().zip(other).all(same), "{name}, {machine:?}");
                }
            }
        }
    }

    #[test]
    fn formulas_are_the_library_s_functions() {
        let x = numbers();
        for (name, evaluate) in FUNCTIONS {
            let ours = by(Machine::widest(), evaluate, &x);
            let library = by(Machine::Library, evaluate, &x);
            for (which, (ours, theirs)) in ours.iter().zip(&library).enumerate() {
                for (k, (a, b)) in ours.iter().zip(theirs).enumerate() {
                    // There the library computes x1^(x2 - 1), whose exponent is rounded.
                    let small = name == "pow" && which == 1 && library[0][k] * library[0][k] == 0.0;
                    let most = if small { 2e-13 } else { 1e-15 };
                    let near = a.to_bits() == b.to_bits()
                        || (a - b).abs() <= (most * b.abs()).max(1e-322) && *b != 0.0
                        || which > 0 && a == b
                        || a.is_nan() && b.is_nan();
                    let (x1, x2) = (x[0][k], x[1][k]);
                    assert!(near, "{which}: {name}({x1:e}, {x2:e}): {a:e}, {b:e}");
                }
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
