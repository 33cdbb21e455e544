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

mod arithmetic;
mod error_function;
mod exponentials;
#[cfg(test)]
mod formulas;
mod hyperbolic;
mod logarithms;
mod logistic;
mod many;
mod pairs;
mod roots;
#[cfg(target_arch = "x86_64")]
mod sixteenths;
mod trigonometric;

pub use error_function::{erf, erfc, phi};
pub use exponentials::{exp, exp2, expm1};
pub use hyperbolic::{acosh, asinh, atanh, cosh, sinh, tanh};
pub use logarithms::{log, log1p, log2, log10};
pub use logistic::{inv_logit, log1p_exp};
pub use pairs::{OfPairs, atan2, hypot, pow};
pub use roots::{cbrt, sqrt};
pub use trigonometric::{acos, asin, atan, cos, sin, tan};

#[cfg(test)]
use {
    error_function::*, exponentials::*, hyperbolic::*, logarithms::*, logistic::*, many::*,
    roots::*, trigonometric::*,
};

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
