//! Functions that work element by element, each one event with the derivatives that it computed.

use super::dense::{dense_mut, values};
use super::operation::{Operation, Recorder, Weights, check_shapes};
use crate::error::Result;
use crate::matrix::{Operand, Owned};
use crate::tape::Tape;

struct Elementwise<const N: usize> {
    operands: [Operand; N],
    /// The derivatives by each operand.
    partials: [Option<Operand>; N],
}

impl<const N: usize> Operation<1> for Elementwise<N> {
    const NAME: &'static str = "elementwise";

    /// For cₖ = f(aₖ, bₖ): a̅ₖ += c̅ₖ ∂f/∂a, and so for b.
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        sweep.each(|[w], to| {
            for (operand, partials) in self.operands.iter().zip(&self.partials) {
                if let Some(partials) = partials {
                    let partials = values(partials);
                    to.add(operand, |i, j| w[(i, j)] * partials.mat()[(i, j)])?;
                }
            }
            Ok(())
        })
    }
}

/// f of the elements of `N` matrices of one shape: the value, and the derivative by each.
fn each<const N: usize>(
    tape: Option<&mut Tape>,
    operands: [Operand; N],
    f: impl Fn([f64; N]) -> (f64, [f64; N]),
) -> Result<Owned> {
    let (rows, cols) = (operands[0].part().rows, operands[0].part().cols);
    let mut recorder = Recorder::new(tape, &operands.each_ref());
    let mut result = recorder.matrix(rows, cols)?;
    let mut made = Vec::new();
    if recorder.records() {
        for _ in 0..N {
            made.push(recorder.matrix(rows, cols)?);
        }
    }
    {
        let seen = operands.each_ref().map(values);
        let mut to = dense_mut(result.fresh_values(), rows, cols);
        let mut slopes: Vec<_> =
            made.iter_mut().map(|made| dense_mut(made.fresh_values(), rows, cols)).collect();
        for j in 0..cols {
            for i in 0..rows {
                let (value, partials) = f(seen.each_ref().map(|seen| seen.mat()[(i, j)]));
                to[(i, j)] = value;
                for (slope, partial) in slopes.iter_mut().zip(partials) {
                    slope[(i, j)] = partial;
                }
            }
        }
    }
    let mut partials = [None; N];
    for (k, made) in made.iter().enumerate() {
        recorder.keep(&operands[k], false)?;
        partials[k] = recorder.keep_made(made)?;
    }
    recorder.record([&result], Elementwise { operands, partials })?;
    Ok(result)
}

/// f of each element, which gives its value and its derivative.
pub fn map(tape: Option<&mut Tape>, a: Operand, f: impl Fn(f64) -> (f64, f64)) -> Result<Owned> {
    each(tape, [a], |[x]| {
        let (value, slope) = f(x);
        (value, [slope])
    })
}

/// f of the elements of two matrices of one shape, which gives its value and its derivatives. `call` is for messages.
pub fn map2(
    tape: Option<&mut Tape>,
    call: &str,
    a: Operand,
    b: Operand,
    f: impl Fn(f64, f64) -> (f64, [f64; 2]),
) -> Result<Owned> {
    let (of_a, of_b) = (a.part(), b.part());
    let fit = (of_a.rows, of_a.cols) == (of_b.rows, of_b.cols);
    check_shapes(call, ("a", of_a), ("b", of_b), fit)?;
    each(tape, [a, b], |[x, y]| f(x, y))
}
