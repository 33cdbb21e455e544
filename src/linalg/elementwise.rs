//! Functions that work element by element, each one event with the derivatives that it computed.

use super::operation::{Operation, Recorder, Weights, check_shapes};
use crate::error::Result;
use crate::matrix::{Operand, Owned, Part};
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
        let rows = self.operands[0].part().rows;
        sweep.each(|[w], to| {
            let w = w.try_as_col_major().expect("the adjoints of a whole matrix");
            let columns: Vec<&[f64]> = (0..w.ncols()).map(|j| w.col(j).as_slice()).collect();
            for (operand, partials) in self.operands.iter().zip(&self.partials) {
                if let Some(partials) = partials {
                    let slopes = partials.values();
                    to.add(operand, |i, j| columns[j][i] * slopes[j * rows + i])?;
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
    let seen = operands.each_ref().map(|operand| (operand.values(), operand.part()));
    let to = result.fresh_values();
    let mut slopes: Vec<&mut [f64]> = made.iter_mut().map(Owned::fresh_values).collect();
    for j in 0..cols {
        for i in 0..rows {
            let at =
                |(values, part): &(&[f64], &Part)| values[i * part.row_step + j * part.col_step];
            let (value, partials) = f(seen.each_ref().map(at));
            to[j * rows + i] = value;
            for (slope, partial) in slopes.iter_mut().zip(partials) {
                slope[j * rows + i] = partial;
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

/// The same by a function of all elements at once. It gets places for the values, and while recording for the derivatives.
pub fn map_all(
    tape: Option<&mut Tape>,
    a: Operand,
    f: impl Fn(&[f64], &mut [f64], Option<&mut [f64]>),
) -> Result<Owned> {
    let part = *a.part();
    let mut recorder = Recorder::new(tape, &[&a]);
    let mut result = recorder.matrix(part.rows, part.cols)?;
    let mut made =
        if recorder.records() { Some(recorder.matrix(part.rows, part.cols)?) } else { None };
    let seen = a.values();
    let scattered: Vec<f64>;
    let x = if part.is_contiguous() {
        &seen[..part.len()]
    } else {
        let from_first = Part { offset: 0, ..part };
        scattered = from_first.places().map(|k| seen[k]).collect();
        &scattered
    };
    f(x, result.fresh_values(), made.as_mut().map(Owned::fresh_values));
    let mut partials = [None];
    if let Some(made) = &made {
        recorder.keep(&a, false)?;
        partials[0] = recorder.keep_made(made)?;
    }
    recorder.record([&result], Elementwise { operands: [a], partials })?;
    Ok(result)
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
