//! Eigenvalues and eigenvectors of symmetric matrices; singular values and vectors.

use super::dense::{copy, dense_mut, filled, times, values, workspace, zeros};
use super::operation::{Operation, Recorder, Weights, finite, square};
use crate::error::{Code, Error, Result};
use crate::matrix::{Operand, Owned};
use crate::tape::Tape;
use faer::diag::DiagMut;
use faer::dyn_stack::MemStack;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd_scratch};
use faer::{Mat, MatMut, MatRef, Par};

#[cold]
fn diverged(call: &str) -> Error {
    Error::new(Code::Argument, format!("{call}: the iteration for a does not converge"))
}

/// 1 / (b − a), or 0 if they are equal but for rounding: what sees of the vectors of equal values the space that they span
/// has no part there.
fn gap(a: f64, b: f64, rounding: f64) -> f64 {
    if (b - a).abs() <= rounding { 0.0 } else { 1.0 / (b - a) }
}

/// What two of these values may differ by and be the same.
#[allow(clippy::cast_precision_loss)]
fn rounding(values: MatRef<'_, f64>) -> f64 {
    f64::EPSILON * values.nrows() as f64 * values.norm_max()
}

/// Eigenvalues of the matrix whose lower triangle `a` holds, ascending, and the vectors if asked for.
fn eigen_of(
    call: &str,
    a: MatRef<'_, f64>,
    s: &mut [f64],
    v: Option<MatMut<'_, f64>>,
) -> Result<()> {
    let n = a.nrows();
    finite(call, "a", a, true)?;
    if n == 0 {
        // faer counts the columns but one.
        return Ok(());
    }
    let whole = filled(n, n, |i, j| a[(i.max(j), i.min(j))])?;
    let vectors = if v.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let memory = self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default());
    let mut memory = workspace(memory)?;
    let stack = MemStack::new(&mut memory);
    let s = DiagMut::from_slice_mut(s);
    self_adjoint_evd(whole.as_ref(), s, v, Par::Seq, stack, Default::default())
        .map_err(|_| diverged(call))
}

/// V times `inner` times Vᵀ.
fn between(v: MatRef<'_, f64>, inner: MatRef<'_, f64>) -> Result<Mat<f64>> {
    times(times(v, inner)?.as_ref(), v.transpose())
}

struct Eigenvalues {
    a: Operand,
    v: Operand,
}

impl Operation<1> for Eigenvalues {
    const NAME: &'static str = "eigenvalues_sym";

    /// For A = V diag(λ) Vᵀ: A̅ += V diag(λ̅) Vᵀ, both triangles in the lower one. (Giles 2008, section 3.1.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let v = values(&self.v);
        let n = v.mat().nrows();
        sweep.each(|[w], to| {
            let scaled = filled(n, n, |i, j| v.mat()[(i, j)] * w[(j, 0)])?;
            let g = times(scaled.as_ref(), v.mat().transpose())?;
            to.add_symmetric(&self.a, 1.0, g.as_ref())
        })
    }
}

/// The eigenvalues of a symmetric matrix, ascending, as a column. The lower triangle is read.
pub fn eigenvalues_sym(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let n = square("eigenvalues_sym", "a", a.part())?;
    let mut recorder = Recorder::new(tape, &[&a]);
    let (mut s, seen) = (recorder.matrix(n, 1)?, values(&a));
    if !recorder.records() {
        eigen_of("eigenvalues_sym", seen.mat(), s.fresh_values(), None)?;
        return Ok(s);
    }
    let mut v = recorder.matrix(n, n)?;
    let vectors = dense_mut(v.fresh_values(), n, n);
    eigen_of("eigenvalues_sym", seen.mat(), s.fresh_values(), Some(vectors))?;
    recorder.keep(&a, false)?;
    if let Some(v) = recorder.keep_made(&v)? {
        recorder.record([&s], Eigenvalues { a, v })?;
    }
    Ok(s)
}

struct Eigen {
    a: Operand,
    s: Operand,
    v: Operand,
}

impl Operation<2> for Eigen {
    const NAME: &'static str = "eigen_sym";

    /// For A = V diag(λ) Vᵀ: A̅ += V (diag(λ̅) + F ∘ Vᵀ V̅) Vᵀ with Fᵢⱼ = 1 / (λⱼ − λᵢ), both triangles in the lower one.
    /// (Giles 2008, section 3.1.)
    fn reverse(&self, sweep: &mut Weights<'_, 2>) -> Result<()> {
        let (s, v) = (values(&self.s), values(&self.v));
        let (s, v) = (s.mat(), v.mat());
        let rounding = rounding(s);
        sweep.each(|[ws, wv], to| {
            let inner = times(v.transpose(), wv)?;
            let inner = filled(s.nrows(), s.nrows(), |i, j| match i == j {
                true => ws[(i, 0)],
                false => inner[(i, j)] * gap(s[(i, 0)], s[(j, 0)], rounding),
            })?;
            to.add_symmetric(&self.a, 1.0, between(v, inner.as_ref())?.as_ref())
        })
    }
}

/// The eigenvalues of a symmetric matrix, ascending, as a column, and its eigenvectors, the columns of a matrix.
pub fn eigen_sym(tape: Option<&mut Tape>, a: Operand) -> Result<(Owned, Owned)> {
    let n = square("eigen_sym", "a", a.part())?;
    let mut recorder = Recorder::new(tape, &[&a]);
    let (mut s, mut v) = (recorder.matrix(n, 1)?, recorder.matrix(n, n)?);
    let vectors = dense_mut(v.fresh_values(), n, n);
    eigen_of("eigen_sym", values(&a).mat(), s.fresh_values(), Some(vectors))?;
    recorder.keep(&a, false)?;
    if let (Some(kept_s), Some(kept_v)) = (recorder.keep_made(&s)?, recorder.keep_made(&v)?) {
        recorder.record([&s, &v], Eigen { a, s: kept_s, v: kept_v })?;
    }
    Ok((s, v))
}

/// A = U diag(s) Vᵀ with min(rows, cols) singular values, descending.
pub struct Svd {
    pub u: Mat<f64>,
    pub s: Vec<f64>,
    pub v: Mat<f64>,
}

impl Svd {
    pub fn of(call: &str, a: MatRef<'_, f64>) -> Result<Self> {
        let (m, n) = (a.nrows(), a.ncols());
        let k = m.min(n);
        let (mut u, mut v) = (zeros(m, k)?, zeros(n, k)?);
        let mut s = vec![0.0; k];
        svd_into(call, a, &mut s, Some((u.as_mut(), v.as_mut())))?;
        Ok(Self { u, s, v })
    }
}

fn svd_into(
    call: &str,
    a: MatRef<'_, f64>,
    s: &mut [f64],
    vectors: Option<(MatMut<'_, f64>, MatMut<'_, f64>)>,
) -> Result<()> {
    finite(call, "a", a, false)?;
    let wanted = if vectors.is_some() { ComputeSvdVectors::Thin } else { ComputeSvdVectors::No };
    let (m, n) = (a.nrows(), a.ncols());
    let memory = svd_scratch::<f64>(m, n, wanted, wanted, Par::Seq, Default::default());
    let mut memory = workspace(memory)?;
    let stack = MemStack::new(&mut memory);
    let (u, v) = vectors.unzip();
    // The iteration squares elements: those that would leave the range are multiplied by a power of two.
    let most = (0..n).flat_map(|j| (0..m).map(move |i| a[(i, j)].abs())).fold(0.0, f64::max);
    let power = 2.0f64.powi(600);
    let factor = if most > 1e140 {
        1.0 / power
    } else if most < 1e-140 {
        power
    } else {
        1.0
    };
    let multiple =
        if factor == 1.0 { None } else { Some(filled(m, n, |i, j| factor * a[(i, j)])?) };
    let a = multiple.as_ref().map_or(a, |multiple| multiple.as_ref());
    let diagonal = DiagMut::from_slice_mut(s);
    faer::linalg::svd::svd(a, diagonal, u, v, Par::Seq, stack, Default::default())
        .map_err(|_| diverged(call))?;
    s.iter_mut().for_each(|s| *s /= factor);
    Ok(())
}

struct SingularValues {
    a: Operand,
    u: Operand,
    v: Operand,
}

impl Operation<1> for SingularValues {
    const NAME: &'static str = "singular_values";

    /// For A = U diag(s) Vᵀ: A̅ += U diag(s̅) Vᵀ. (Giles 2008, section 3.2.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let (u, v) = (values(&self.u), values(&self.v));
        sweep.each(|[w], to| {
            let (m, k) = (u.mat().nrows(), u.mat().ncols());
            let scaled = filled(m, k, |i, j| u.mat()[(i, j)] * w[(j, 0)])?;
            to.add_product(&self.a, scaled.as_ref(), v.mat().transpose(), 1.0)
        })
    }
}

/// The singular values of a matrix, descending, as a column.
pub fn singular_values(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let (m, n) = (a.part().rows, a.part().cols);
    let k = m.min(n);
    let mut recorder = Recorder::new(tape, &[&a]);
    let (mut s, seen) = (recorder.matrix(k, 1)?, values(&a));
    if !recorder.records() {
        svd_into("singular_values", seen.mat(), s.fresh_values(), None)?;
        return Ok(s);
    }
    let (mut u, mut v) = (recorder.matrix(m, k)?, recorder.matrix(n, k)?);
    let vectors = (dense_mut(u.fresh_values(), m, k), dense_mut(v.fresh_values(), n, k));
    svd_into("singular_values", seen.mat(), s.fresh_values(), Some(vectors))?;
    recorder.keep(&a, false)?;
    if let (Some(u), Some(v)) = (recorder.keep_made(&u)?, recorder.keep_made(&v)?) {
        recorder.record([&s], SingularValues { a, u, v })?;
    }
    Ok(s)
}

struct WholeSvd {
    a: Operand,
    u: Operand,
    s: Operand,
    v: Operand,
}

impl Operation<3> for WholeSvd {
    const NAME: &'static str = "svd";

    /// For A = U S Vᵀ, with X = Uᵀ U̅ − U̅ᵀ U and Y = Vᵀ V̅ − V̅ᵀ V: A̅ += U Z Vᵀ, where Zᵢᵢ = s̅ᵢ and else
    /// Zᵢⱼ = ((Xᵢⱼ + Yᵢⱼ) / (sⱼ − sᵢ) + (Xᵢⱼ − Yᵢⱼ) / (sⱼ + sᵢ)) / 2, and A̅ += (I − U Uᵀ) U̅ S⁻¹ Vᵀ + U S⁻¹ V̅ᵀ (I − V Vᵀ).
    /// (Townsend, "Differentiating the singular value decomposition", 2016, with 1 / (sⱼ² − sᵢ²) taken apart, so that what
    /// equal values leave defined is right.) Vectors of a singular value that is zero count as constant.
    fn reverse(&self, sweep: &mut Weights<'_, 3>) -> Result<()> {
        let (u, s, v) = (values(&self.u), values(&self.s), values(&self.v));
        let (u, s, v) = (u.mat(), s.mat(), v.mat());
        let (k, rounding) = (s.nrows(), rounding(s));
        let inverse = |x: f64| if x <= rounding { 0.0 } else { 1.0 / x };
        sweep.each(|[wu, ws, wv], to| {
            let (uu, vv) = (times(u.transpose(), wu)?, times(v.transpose(), wv)?);
            let inner = filled(k, k, |i, j| {
                if i == j {
                    return ws[(i, 0)];
                }
                let (x, y) = (uu[(i, j)] - uu[(j, i)], vv[(i, j)] - vv[(j, i)]);
                let (si, sj) = (s[(i, 0)], s[(j, 0)]);
                0.5 * ((x + y) * gap(si, sj, rounding) + (x - y) * inverse(si + sj))
            })?;
            let outside = |w: MatRef<'_, f64>, q: MatRef<'_, f64>, qw: &Mat<f64>| {
                let mut rest = copy(w)?;
                rest -= times(q, qw.as_ref())?;
                for j in 0..k {
                    for i in 0..rest.nrows() {
                        rest[(i, j)] *= inverse(s[(j, 0)]);
                    }
                }
                Ok(rest)
            };
            let mut left = outside(wu, u, &uu)?;
            left += times(u, inner.as_ref())?;
            to.add_product(&self.a, left.as_ref(), v.transpose(), 1.0)?;
            to.add_product(&self.a, u, outside(wv, v, &vv)?.as_ref().transpose(), 1.0)
        })
    }
}

/// U, s as a column, and V.
pub fn svd(tape: Option<&mut Tape>, a: Operand) -> Result<(Owned, Owned, Owned)> {
    let (m, n) = (a.part().rows, a.part().cols);
    let k = m.min(n);
    let mut recorder = Recorder::new(tape, &[&a]);
    let (mut u, mut s, mut v) =
        (recorder.matrix(m, k)?, recorder.matrix(k, 1)?, recorder.matrix(n, k)?);
    let vectors = (dense_mut(u.fresh_values(), m, k), dense_mut(v.fresh_values(), n, k));
    svd_into("svd", values(&a).mat(), s.fresh_values(), Some(vectors))?;
    recorder.keep(&a, false)?;
    let kept = (recorder.keep_made(&u)?, recorder.keep_made(&s)?, recorder.keep_made(&v)?);
    if let (Some(kept_u), Some(kept_s), Some(kept_v)) = kept {
        let operation = WholeSvd { a, u: kept_u, s: kept_s, v: kept_v };
        recorder.record([&u, &s, &v], operation)?;
    }
    Ok((u, s, v))
}
