//! Products of matrices.

use super::dense::{dense_mut, filled, product, times, values};
use super::operation::{Operation, Recorder, Weights, check_shapes, square};
use crate::error::Result;
use crate::matrix::{Operand, Owned};
use crate::tape::Tape;
use faer::Accum;
use faer::linalg::matmul::triangular::BlockStructure;

struct Multiply {
    a: Operand,
    b: Operand,
}

impl Operation<1> for Multiply {
    const NAME: &'static str = "multiply";

    /// For C = A B, with bars for adjoints: A̅ += C̅ Bᵀ and B̅ += Aᵀ C̅. (Giles, "Collected matrix derivative results for
    /// forward and reverse mode algorithmic differentiation", 2008, section 2.2.2.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let (a, b) = (values(&self.a), values(&self.b));
        sweep.each(|[w], to| {
            to.add_product(&self.a, w, b.mat().transpose(), 1.0)?;
            to.add_product(&self.b, a.mat().transpose(), w, 1.0)
        })
    }
}

/// A B. Either may be passive, the view of a transpose, or any other; and they may overlap.
pub fn multiply(tape: Option<&mut Tape>, a: Operand, b: Operand) -> Result<Owned> {
    let (of_a, of_b) = (a.part(), b.part());
    check_shapes("multiply", ("a", of_a), ("b", of_b), of_a.cols == of_b.rows)?;
    let (m, n) = (of_a.rows, of_b.cols);
    let mut recorder = Recorder::new(tape, &[&a, &b]);
    let mut c = recorder.matrix(m, n)?;
    let to = dense_mut(c.fresh_values(), m, n);
    let all = BlockStructure::Rectangular;
    product(to, all, Accum::Replace, values(&a).mat(), values(&b).mat(), 1.0);
    // Each one's values are for the other's adjoints.
    recorder.keep(&a, b.is_active())?;
    recorder.keep(&b, a.is_active())?;
    recorder.record([&c], Multiply { a, b })?;
    Ok(c)
}

struct Tcrossprod {
    a: Operand,
}

impl Operation<1> for Tcrossprod {
    const NAME: &'static str = "tcrossprod";

    /// For C = A Aᵀ: A̅ += (C̅ + C̅ᵀ) A. (The rule of the product, twice.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let a = values(&self.a);
        sweep.each(|[w], to| {
            let both = filled(w.nrows(), w.ncols(), |i, j| w[(i, j)] + w[(j, i)])?;
            to.add_product(&self.a, both.as_ref(), a.mat(), 1.0)
        })
    }
}

/// A Aᵀ, of which one half is computed.
pub fn tcrossprod(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let n = a.part().rows;
    let mut recorder = Recorder::new(tape, &[&a]);
    let mut c = recorder.matrix(n, n)?;
    let mut to = dense_mut(c.fresh_values(), n, n);
    let seen = values(&a);
    let lower = BlockStructure::TriangularLower;
    product(to.as_mut(), lower, Accum::Replace, seen.mat(), seen.mat().transpose(), 1.0);
    for j in 1..n {
        for i in 0..j {
            to[(i, j)] = to[(j, i)];
        }
    }
    recorder.keep(&a, true)?;
    recorder.record([&c], Tcrossprod { a })?;
    Ok(c)
}

struct QuadForm {
    a: Operand,
    b: Operand,
    /// A B, if B is active.
    ab: Option<Operand>,
}

impl Operation<1> for QuadForm {
    const NAME: &'static str = "quad_form";

    /// For C = Bᵀ A B: A̅ += B C̅ Bᵀ and B̅ += A B C̅ᵀ + Aᵀ B C̅. (Giles 2008, section 2.3.2.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let b = values(&self.b);
        let of_b = self.ab.as_ref().map(|ab| (values(&self.a), values(ab)));
        sweep.each(|[w], to| {
            let bw = times(b.mat(), w)?;
            to.add_product(&self.a, bw.as_ref(), b.mat().transpose(), 1.0)?;
            if let Some((a, ab)) = &of_b {
                to.add_product(&self.b, ab.mat(), w.transpose(), 1.0)?;
                to.add_product(&self.b, a.mat().transpose(), bw.as_ref(), 1.0)?;
            }
            Ok(())
        })
    }
}

/// Bᵀ A B.
pub fn quad_form(tape: Option<&mut Tape>, a: Operand, b: Operand) -> Result<Owned> {
    let (n, m) = (square("quad_form", "a", a.part())?, b.part().cols);
    check_shapes("quad_form", ("a", a.part()), ("b", b.part()), n == b.part().rows)?;
    let mut recorder = Recorder::new(tape, &[&a, &b]);
    let all = BlockStructure::Rectangular;
    let (seen_a, seen_b) = (values(&a), values(&b));
    let mut c = recorder.matrix(m, m)?;
    let mut finish = |ab: faer::MatRef<'_, f64>| {
        let to = dense_mut(c.fresh_values(), m, m);
        product(to, all, Accum::Replace, seen_b.mat().transpose(), ab, 1.0);
    };
    let ab = if recorder.records() && b.is_active() {
        let mut ab = recorder.matrix(n, m)?;
        let mut to = dense_mut(ab.fresh_values(), n, m);
        product(to.as_mut(), all, Accum::Replace, seen_a.mat(), seen_b.mat(), 1.0);
        finish(to.as_ref());
        recorder.keep_made(&ab)?
    } else {
        let ab = times(seen_a.mat(), seen_b.mat())?;
        finish(ab.as_ref());
        None
    };
    recorder.keep(&a, b.is_active())?;
    recorder.keep(&b, true)?;
    recorder.record([&c], QuadForm { a, b, ab })?;
    Ok(c)
}
