//! The operations of a function that only compute, on the matrices of one device.

use crate::elementary;
use crate::error::{Code, Error, Result};
use crate::linalg;
use crate::matrix::{Owned, with_operands};
use crate::pmap::{Elementwise, Kind};
use crate::tape::{Tape, with_current};

fn two(call: &str, a: &Owned, b: &Owned, f: impl Fn(f64, f64) -> (f64, [f64; 2])) -> Result<Owned> {
    with_operands([("a", a), ("b", b)], |tape, [a, b]| linalg::map2(tape, call, a, b, f))
}

type Many = fn(&[f64], &mut [f64], Option<&mut [f64]>);

/// The function of many numbers at a time, where there is one.
fn many(function: Elementwise) -> Option<Many> {
    Some(match function {
        Elementwise::Exp => elementary::exp,
        Elementwise::Log => elementary::log,
        Elementwise::Tanh => elementary::tanh,
        Elementwise::Sin => elementary::sin,
        Elementwise::Cos => elementary::cos,
        Elementwise::Sqrt => elementary::sqrt,
        Elementwise::Relu | Elementwise::Square | Elementwise::Negate => return None,
    })
}

/// The result of an operation on matrices of this rank.
pub fn compute(kind: &Kind, operands: &[&Owned]) -> Result<Owned> {
    let name = kind.name();
    match (kind, operands) {
        (Kind::MatMul, &[a, b]) => {
            with_operands([("a", a), ("b", b)], |tape, [a, b]| linalg::multiply(tape, a, b))
        }
        (Kind::Solve, &[a, b]) => {
            with_operands([("a", a), ("b", b)], |tape, [a, b]| linalg::solve(tape, a, b))
        }
        (Kind::Add, &[a, b]) => two(name, a, b, |x, y| (x + y, [1.0, 1.0])),
        (Kind::Subtract, &[a, b]) => two(name, a, b, |x, y| (x - y, [1.0, -1.0])),
        (Kind::Multiply, &[a, b]) => two(name, a, b, |x, y| (x * y, [y, x])),
        (Kind::Transpose, &[a]) => {
            with_operands([("a", a)], |tape, [a]| linalg::map(tape, a.transposed(), |x| (x, 1.0)))
        }
        (Kind::Sum, &[a]) => {
            let sum = with_operands([("a", a)], |tape, [a]| linalg::sum(tape, a))?;
            with_current(|tape| Tape::matrix_with(tape, 1, 1, &[sum]))
        }
        (Kind::Elementwise(function), &[a]) => {
            with_operands([("a", a)], |tape, [a]| match many(*function) {
                Some(f) => linalg::map_all(tape, a, f),
                None => linalg::map(tape, a, |x| function.at(x)),
            })
        }
        _ => Err(Error::new(Code::Arity, format!("{name} has not {} operands", operands.len()))),
    }
}
