//! Sums of elements.

use super::dense::values;
use super::operation::{Operation, Recorder, Weights, square};
use crate::error::Result;
use crate::matrix::Operand;
use crate::tape::{Tape, Var};

struct Sum {
    a: Operand,
}

impl Operation<1> for Sum {
    const NAME: &'static str = "sum";

    /// For s = Σ aₖ: a̅ₖ += s̅. So it is for a trace, of the elements on the diagonal. (Giles 2008, section 2.3.1.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        sweep.each(|[w], to| {
            let w = w[(0, 0)];
            to.add(&self.a, |_, _| w)
        })
    }
}

/// In pieces, each in some sums side by side: quick, and rounding grows with the pieces alone.
pub fn total(x: &[f64]) -> f64 {
    const SUMS: usize = 16;
    x.chunks(1024)
        .map(|piece| {
            let mut sums = [0.0; SUMS];
            let parts = piece.chunks_exact(SUMS);
            let rest: f64 = parts.remainder().iter().sum();
            for part in parts {
                sums.iter_mut().zip(part).for_each(|(sum, x)| *sum += x);
            }
            sums.iter().sum::<f64>() + rest
        })
        .sum()
}

/// The sum of all elements.
pub fn sum(tape: Option<&mut Tape>, a: Operand) -> Result<Var> {
    let seen = values(&a);
    let value = match seen.mat().try_as_col_major() {
        _ if a.part().is_contiguous() => total(a.values()),
        Some(columns) => (0..columns.ncols()).map(|j| total(columns.col(j).as_slice())).sum(),
        None => seen.mat().sum(),
    };
    let mut recorder = Recorder::new(tape, &[&a]);
    recorder.keep(&a, false)?;
    // Rust has -0 for the sum of nothing.
    recorder.record_scalar(value + 0.0, Sum { a })
}

/// The sum of the elements on the diagonal.
pub fn trace(tape: Option<&mut Tape>, a: Operand) -> Result<Var> {
    square("trace", "a", a.part())?;
    sum(tape, a.diagonal())
}
