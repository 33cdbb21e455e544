//! QR factors.

use super::dense::{copy, dense_mut, filled, times, values, workspace, zeros};
use super::operation::{Operation, Recorder, Weights, finite, refuse};
use super::triangular::{SUSPICIOUS, Triangle, dependence, rounding};
use crate::error::Result;
use crate::matrix::{Operand, Owned};
use crate::tape::Tape;
use faer::dyn_stack::{MemStack, StackReq};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::no_pivoting::factor::{
    qr_in_place, qr_in_place_scratch, recommended_block_size,
};
use faer::{Conj, Mat, MatRef, Par};

/// Q, of orthonormal columns, and R, whose diagonal is not negative: so they are unique if A has full rank.
fn factor(a: MatRef<'_, f64>) -> Result<(Mat<f64>, Mat<f64>)> {
    let (m, n) = (a.nrows(), a.ncols());
    let k = m.min(n);
    if k == 0 {
        return Ok((zeros(m, 0)?, zeros(0, n)?));
    }
    let block = recommended_block_size::<f64>(m, n);
    let memory = StackReq::any_of(&[
        qr_in_place_scratch::<f64>(m, n, block, Par::Seq, Default::default()),
        apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(m, block, k),
    ]);
    let mut memory = workspace(memory)?;
    let stack = MemStack::new(&mut memory);
    let mut both = copy(a)?;
    let mut coefficients = zeros(block, k)?;
    let (basis, reflectors) = (both.as_mut(), coefficients.as_mut());
    qr_in_place(basis, reflectors, Par::Seq, stack, Default::default());
    let sign = |i: usize| if both[(i, i)] < 0.0 { -1.0 } else { 1.0 };
    let r = filled(k, n, |i, j| if i <= j { sign(i) * both[(i, j)] } else { 0.0 })?;
    let mut q = filled(m, k, |i, j| if i == j { sign(i) } else { 0.0 })?;
    apply_block_householder_sequence_on_the_left_in_place_with_conj(
        both.as_ref().subcols(0, k),
        coefficients.as_ref(),
        Conj::No,
        q.as_mut(),
        Par::Seq,
        stack,
    );
    Ok((q, r))
}

struct Qr {
    a: Operand,
    q: Operand,
    r: Operand,
}

impl Operation<2> for Qr {
    const NAME: &'static str = "qr";

    /// For A = Q R, no wider than high: A̅ += (Q̅ + Q C) R⁻ᵀ, where C is symmetric and has the lower triangle of R R̅ᵀ − Q̅ᵀ Q.
    /// (Seeger, Hetzel, Dai, Meissner and Lawrence, "Auto-differentiating linear algebra", 2017; Walter and Lehmann,
    /// "Algorithmic differentiation of linear algebra functions with application in optimum experimental design", 2010.)
    ///
    /// More columns: R₂ = Qᵀ A₂ for those, so that A̅₂ += Q R̅₂, and Q̅ += A₂ R̅₂ᵀ first. (Roberts and Roberts, "QR and LQ
    /// decomposition matrix backpropagation algorithms for square, wide, and deep matrices", 2020.)
    fn reverse(&self, sweep: &mut Weights<'_, 2>) -> Result<()> {
        let (q, r) = (values(&self.q), values(&self.r));
        let (q, r) = (q.mat(), r.mat());
        let (m, n) = (q.nrows(), r.ncols());
        let k = q.ncols();
        let (r1, r2) = r.split_at_col(k);
        sweep.each(|[wq, wr], to| {
            let mut g = zeros(m, n)?;
            let mut of_q = copy(wq)?;
            if n > k {
                let of_r2 = wr.subcols(k, n - k);
                g.as_mut().subcols_mut(k, n - k).copy_from(times(q, of_r2)?);
                of_q += times(q, times(r2, of_r2.transpose())?.as_ref())?;
            }
            // Below its diagonal R is constant.
            let upper = filled(k, k, |i, j| if i <= j { wr[(i, j)] } else { 0.0 })?;
            let mut inner = times(r1, upper.as_ref().transpose())?;
            inner -= times(of_q.as_ref().transpose(), q)?;
            let both = filled(k, k, |i, j| inner[(i.max(j), i.min(j))])?;
            of_q += times(q, both.as_ref())?;
            Triangle::Upper.solve(r1, of_q.as_mut().transpose_mut());
            g.as_mut().subcols_mut(0, k).copy_from(&of_q);
            to.add(&self.a, |i, j| g[(i, j)])
        })
    }
}

/// Q with min(rows, cols) columns, and R.
pub fn qr(tape: Option<&mut Tape>, a: Operand) -> Result<(Owned, Owned)> {
    let (m, n) = (a.part().rows, a.part().cols);
    let k = m.min(n);
    let seen = values(&a);
    finite("qr", "a", seen.mat(), false)?;
    let (q, r) = factor(seen.mat())?;
    let size: Vec<f64> = (0..k).map(|j| seen.mat().col(j).norm_l2()).collect();
    // What rounding errors of the columns' sizes make of it: those of each as often as it takes part.
    let error = |j| {
        dependence(r.as_ref(), j, false).iter().zip(&size).map(|(x, size)| x * size).sum::<f64>()
    };
    let zero = |&j: &usize| {
        let pivot = r[(j, j)];
        pivot <= SUSPICIOUS * size[j] && pivot <= rounding(m.max(n)) * error(j) || pivot == 0.0
    };
    if let Some(j) = (0..k).find(zero) {
        let what = format!(
            "a does not have full rank: column {j} depends on those before it (R has {:e} there, zero but for rounding)",
            r[(j, j)]
        );
        return Err(refuse("qr", &what));
    }
    let mut recorder = Recorder::new(tape, &[&a]);
    let (mut made_q, mut made_r) = (recorder.matrix(m, k)?, recorder.matrix(k, n)?);
    dense_mut(made_q.fresh_values(), m, k).copy_from(&q);
    dense_mut(made_r.fresh_values(), k, n).copy_from(&r);
    recorder.keep(&a, false)?;
    if let (Some(q), Some(r)) = (recorder.keep_made(&made_q)?, recorder.keep_made(&made_r)?) {
        recorder.record([&made_q, &made_r], Qr { a, q, r })?;
    }
    Ok((made_q, made_r))
}
