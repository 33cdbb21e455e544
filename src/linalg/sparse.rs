//! Sparse matrices: a pattern of compressed rows, whose values are the elements of an ordinary matrix.

use super::dense::{dense_mut, values};
use super::operation::{Operation, Recorder, Weights, refuse};
use crate::count::wide32;
use crate::error::Result;
use crate::matrix::{Operand, Owned};
use crate::sparsity::Pattern;
use crate::tape::Tape;
use faer::{MatMut, MatRef};
use std::sync::Arc;

/// Calls `f` with number, row and column of each element.
fn each(pattern: &Pattern, mut f: impl FnMut(usize, usize, usize)) {
    for (i, range) in pattern.start().windows(2).enumerate() {
        for k in range[0]..range[1] {
            f(k, i, wide32(pattern.column()[k]));
        }
    }
}

/// Adds S B to C, or Sᵀ B.
fn add_product(
    pattern: &Pattern,
    transposed: bool,
    s: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    mut c: MatMut<'_, f64>,
) {
    let s = |k: usize| s[(k, 0)];
    for col in 0..b.ncols() {
        each(pattern, |k, i, j| match transposed {
            true => c[(j, col)] += s(k) * b[(i, col)],
            false => c[(i, col)] += s(k) * b[(j, col)],
        });
    }
}

struct SparseMultiply {
    pattern: Arc<Pattern>,
    transposed: bool,
    s: Operand,
    b: Operand,
}

impl Operation<1> for SparseMultiply {
    const NAME: &'static str = "sparse_multiply";

    /// For C = S B: B̅ += Sᵀ C̅, and s̅ₖ += Σ c̅ᵢ bⱼ over the columns, where element k is at (i, j): what the rule of the product
    /// says of those elements that there are.
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let (s, b) = (values(&self.s), values(&self.b));
        let (s, b) = (s.mat(), b.mat());
        sweep.each(|[w], to| {
            to.add_to(&self.b, |of_b| add_product(&self.pattern, !self.transposed, s, w, of_b))?;
            to.add_to(&self.s, |mut of_s| {
                for col in 0..w.ncols() {
                    each(&self.pattern, |k, i, j| {
                        let (i, j) = if self.transposed { (j, i) } else { (i, j) };
                        of_s[(k, 0)] += w[(i, col)] * b[(j, col)];
                    });
                }
            })
        })
    }
}

/// S B, or Sᵀ B: `s` are the values, as a column or a row.
pub fn sparse_multiply(
    tape: Option<&mut Tape>,
    pattern: &Arc<Pattern>,
    transposed: bool,
    s: &Operand,
    b: Operand,
) -> Result<Owned> {
    let name = if transposed { "sparse_multiply_transposed" } else { "sparse_multiply" };
    let s = super::operation::vector(name, "value", s)?;
    let n = pattern.column().len();
    if s.part().rows != n {
        let what = format!("value has {} elements, but the pattern {n}", s.part().rows);
        return Err(refuse(name, &what));
    }
    let (mut rows, mut cols) = (pattern.rows(), pattern.cols());
    if transposed {
        (rows, cols) = (cols, rows);
    }
    if b.part().rows != cols {
        let of_b = b.part();
        let what = format!("b is {} x {}, but must have {cols} rows", of_b.rows, of_b.cols);
        return Err(refuse(name, &what));
    }
    let columns = b.part().cols;
    let mut recorder = Recorder::new(tape, &[&s, &b]);
    let mut c = recorder.matrix(rows, columns)?;
    let to = c.fresh_values();
    to.fill(0.0);
    let to = dense_mut(to, rows, columns);
    add_product(pattern, transposed, values(&s).mat(), values(&b).mat(), to);
    recorder.keep(&s, b.is_active())?;
    recorder.keep(&b, s.is_active())?;
    let pattern = Arc::clone(pattern);
    recorder.record([&c], SparseMultiply { pattern, transposed, s, b })?;
    Ok(c)
}
