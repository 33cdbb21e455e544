//! Diagonal matrices, and products with them.

use super::dense::{dense_mut, values};
use super::operation::{Operation, Recorder, Weights, check_shapes, vector};
use crate::error::Result;
use crate::matrix::{Operand, Owned};
use crate::tape::Tape;

struct Diag {
    d: Operand,
}

impl Operation<1> for Diag {
    const NAME: &'static str = "diag";

    /// For C = diag(d): d̅ᵢ += C̅ᵢᵢ.
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        sweep.each(|[w], to| to.add(&self.d, |i, _| w[(i, i)]))
    }
}

/// The square matrix with a vector on its diagonal.
pub fn diag(tape: Option<&mut Tape>, d: Operand) -> Result<Owned> {
    let d = vector("diag", "d", &d)?;
    let n = d.part().rows;
    let mut recorder = Recorder::new(tape, &[&d]);
    let mut c = recorder.matrix(n, n)?;
    let seen = values(&d);
    let to = c.fresh_values();
    to.fill(0.0);
    for i in 0..n {
        to[i * (n + 1)] = seen.mat()[(i, 0)];
    }
    recorder.keep(&d, false)?;
    recorder.record([&c], Diag { d })?;
    Ok(c)
}

struct Scale {
    d: Operand,
    a: Operand,
    /// A diag(d) instead of diag(d) A.
    columns: bool,
}

impl Operation<1> for Scale {
    const NAME: &'static str = "product with a diagonal matrix";

    /// For cᵢⱼ = dᵢ aᵢⱼ: d̅ᵢ += Σⱼ c̅ᵢⱼ aᵢⱼ and a̅ᵢⱼ += dᵢ c̅ᵢⱼ; with dⱼ likewise.
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let (d, a, columns) = (values(&self.d), values(&self.a), self.columns);
        let (d, a) = (d.mat(), a.mat());
        sweep.each(|[w], to| {
            to.add(&self.a, |i, j| d[(if columns { j } else { i }, 0)] * w[(i, j)])?;
            to.add(&self.d, |at, _| match columns {
                true => (0..a.nrows()).map(|i| w[(i, at)] * a[(i, at)]).sum(),
                false => (0..a.ncols()).map(|j| w[(at, j)] * a[(at, j)]).sum(),
            })
        })
    }
}

fn scale(
    call: &str,
    tape: Option<&mut Tape>,
    d: &Operand,
    a: Operand,
    columns: bool,
) -> Result<Owned> {
    let d = vector(call, "d", d)?;
    let (m, n) = (a.part().rows, a.part().cols);
    let length = if columns { n } else { m };
    check_shapes(call, ("d", d.part()), ("a", a.part()), d.part().rows == length)?;
    let mut recorder = Recorder::new(tape, &[&d, &a]);
    let mut c = recorder.matrix(m, n)?;
    let (seen_d, seen_a) = (values(&d), values(&a));
    let mut to = dense_mut(c.fresh_values(), m, n);
    for j in 0..n {
        for i in 0..m {
            to[(i, j)] = seen_d.mat()[(if columns { j } else { i }, 0)] * seen_a.mat()[(i, j)];
        }
    }
    recorder.keep(&d, a.is_active())?;
    recorder.keep(&a, d.is_active())?;
    recorder.record([&c], Scale { d, a, columns })?;
    Ok(c)
}

/// diag(d) A: row i times dᵢ.
pub fn diag_pre_multiply(tape: Option<&mut Tape>, d: Operand, a: Operand) -> Result<Owned> {
    scale("diag_pre_multiply", tape, &d, a, false)
}

/// A diag(d): column j times dⱼ.
pub fn diag_post_multiply(tape: Option<&mut Tape>, a: Operand, d: Operand) -> Result<Owned> {
    scale("diag_post_multiply", tape, &d, a, true)
}
