//! Symmetric positive definite matrices, by their Cholesky factors. Only their lower triangle is read, and its adjoints
//! are those of both: of a function of the numbers that are read.

use super::dense::{copy, dense_mut, identity, product, times, values, workspace};
use super::operation::{Operation, Recorder, Weights, check_shapes, finite, refuse, square};
use super::triangular::{SUSPICIOUS, Triangle, dependence, rounding};
use crate::error::Result;
use crate::matrix::{Operand, Owned};
use crate::tape::{Tape, Var};
use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use std::ops::Add;

/// L with A = L Lᵀ, in a matrix that the recorder makes; `what` is A in messages.
pub fn factored_as(
    name: &str,
    what: &str,
    recorder: &mut Recorder<'_>,
    a: &Operand,
) -> Result<Owned> {
    let n = square(name, what, a.part())?;
    let seen = values(a);
    finite(name, what, seen.mat(), true)?;
    let mut made = recorder.matrix(n, n)?;
    let mut l = dense_mut(made.fresh_values(), n, n);
    l.copy_from_triangular_lower(seen.mat());
    let memory = cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    let mut memory = workspace(memory)?;
    let stack = MemStack::new(&mut memory);
    let factor =
        cholesky_in_place(l.as_mut(), Default::default(), Par::Seq, stack, Default::default());
    if let Err(LltError::NonPositivePivot { index }) = factor {
        let text = format!("{what} is not positive definite: pivot {index} is not positive");
        return Err(refuse(name, &text));
    }
    // faer works above the diagonal too.
    for j in 1..n {
        l.as_mut().col_mut(j).subrows_mut(0, j).fill(0.0);
    }
    let pivot = |i: usize| l[(i, i)] * l[(i, i)];
    let size = |i: usize| seen.mat()[(i, i)];
    // What rounding errors of the elements make of it: those of each row as often as it takes part.
    let error = |i: usize| {
        let x = dependence(l.as_ref().transpose(), i, false);
        x.iter().enumerate().map(|(k, x)| x * size(k).sqrt()).sum::<f64>().powi(2)
    };
    let zero = |&i: &usize| pivot(i) <= SUSPICIOUS * size(i) && pivot(i) <= rounding(n) * error(i);
    if let Some(i) = (0..n).find(zero) {
        let text = format!(
            "{what} is not positive definite: pivot {i} is {:e}, zero but for rounding",
            pivot(i)
        );
        return Err(refuse(name, &text));
    }
    Ok(made)
}

fn factored(name: &str, recorder: &mut Recorder<'_>, a: &Operand) -> Result<Owned> {
    factored_as(name, "a", recorder, a)
}

/// Overwrites X by A⁻¹ X.
fn solve_factored(l: MatRef<'_, f64>, mut x: MatMut<'_, f64>) {
    Triangle::Lower.solve(l, x.as_mut());
    Triangle::Upper.solve(l.transpose(), x);
}

pub fn inverse_of(l: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let mut inverse = identity(l.nrows())?;
    solve_factored(l, inverse.as_mut());
    Ok(inverse)
}

struct Cholesky {
    a: Operand,
    l: Operand,
}

/// Columns that are reversed at once.
const BLOCK: usize = 64;

/// Overwrites the adjoints of a small L by those of the lower triangle of A: for G = L⁻ᵀ Φ(Lᵀ L̅) L⁻¹, where Φ takes the
/// lower triangle and half of the diagonal, G + Gᵀ without doubling the diagonal.
fn reverse_block(l: MatRef<'_, f64>, mut adjoint: MatMut<'_, f64>) {
    use BlockStructure::{TriangularLower, TriangularUpper};
    let n = l.nrows();
    let mut g: Mat<f64> = Mat::zeros(n, n);
    triangular::matmul(
        g.as_mut(),
        TriangularLower,
        Accum::Replace,
        l.transpose(),
        TriangularUpper,
        adjoint.as_ref(),
        TriangularLower,
        1.0,
        Par::Seq,
    );
    for i in 0..n {
        g[(i, i)] *= 0.5;
    }
    Triangle::Upper.solve(l.transpose(), g.as_mut());
    Triangle::Upper.solve(l.transpose(), g.as_mut().transpose_mut());
    for j in 0..n {
        adjoint[(j, j)] = g[(j, j)];
        for i in j + 1..n {
            adjoint[(i, j)] = g[(i, j)] + g[(j, i)];
        }
    }
}

/// The lower triangle holds the adjoints of L, and then those of the lower triangle of A.
fn reverse_blocked(l: MatRef<'_, f64>, mut adjoint: MatMut<'_, f64>) {
    let all = BlockStructure::Rectangular;
    let lower = BlockStructure::TriangularLower;
    let n = l.nrows();
    let mut end = n;
    while end > 0 {
        let start = end.saturating_sub(BLOCK);
        let size = end - start;
        // R left of the block D on the diagonal, B left of C below it.
        let (r, d) = l.subrows(start, size).subcols(0, end).split_at_col(start);
        let (b, c) = l.subrows(end, n - end).subcols(0, end).split_at_col(start);
        let rows = adjoint.as_mut().subrows_mut(start, n - start).subcols_mut(0, end);
        let (left, right) = rows.split_at_col_mut(start);
        let (mut of_r, mut of_b) = left.split_at_row_mut(size);
        let (mut of_d, mut of_c) = right.split_at_row_mut(size);
        Triangle::Upper.solve(d.transpose(), of_c.as_mut().transpose_mut());
        let of_c = of_c.as_ref();
        product(of_b.as_mut(), all, Accum::Add, of_c, r, -1.0);
        product(of_d.as_mut(), lower, Accum::Add, of_c.transpose(), c, -1.0);
        reverse_block(d, of_d.as_mut());
        product(of_r.as_mut(), all, Accum::Add, of_c.transpose(), b, -1.0);
        let both = Mat::from_fn(size, size, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Less => of_d[(j, i)],
            std::cmp::Ordering::Equal => 2.0 * of_d[(i, i)],
            std::cmp::Ordering::Greater => of_d[(i, j)],
        });
        product(of_r, all, Accum::Add, both.as_ref(), r, -1.0);
        end = start;
    }
}

impl Operation<1> for Cholesky {
    const NAME: &'static str = "cholesky";

    /// The steps of the blocked factorization, backwards. (Murray, "Differentiation of the Cholesky decomposition", 2016,
    /// section 4; the blocks on the diagonal by Smith, "Differentiation of the Cholesky algorithm", 1995, as his section 3
    /// gives it.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let l = values(&self.l);
        sweep.each(|[w], to| {
            let mut adjoint = copy(w)?;
            reverse_blocked(l.mat(), adjoint.as_mut());
            to.add_lower(&self.a, |i, j| adjoint[(i, j)])
        })
    }
}

/// The lower triangular L with A = L Lᵀ.
pub fn cholesky(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let mut recorder = Recorder::new(tape, &[&a]);
    let l = factored("cholesky", &mut recorder, &a)?;
    recorder.keep(&a, false)?;
    if let Some(kept) = recorder.keep_made(&l)? {
        recorder.record([&l], Cholesky { a, l: kept })?;
    }
    Ok(l)
}

struct SolveSpd {
    a: Operand,
    b: Operand,
    l: Operand,
    x: Option<Operand>,
}

impl Operation<1> for SolveSpd {
    const NAME: &'static str = "solve_spd";

    /// For A X = B: B̅ += G, where A G = X̅, and A̅ += −G Xᵀ, both triangles in the lower one. (Giles 2008, section 2.2.3.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let l = values(&self.l);
        let x = self.x.as_ref().map(values);
        sweep.each(|[w], to| {
            let mut g = copy(w)?;
            solve_factored(l.mat(), g.as_mut());
            to.add(&self.b, |i, j| g[(i, j)])?;
            let Some(x) = &x else { return Ok(()) };
            let gx = times(g.as_ref(), x.mat().transpose())?;
            to.add_symmetric(&self.a, -1.0, gx.as_ref())
        })
    }
}

/// X with A X = B.
pub fn solve_spd(tape: Option<&mut Tape>, a: Operand, b: Operand) -> Result<Owned> {
    let n = square("solve_spd", "a", a.part())?;
    check_shapes("solve_spd", ("a", a.part()), ("b", b.part()), n == b.part().rows)?;
    let cols = b.part().cols;
    let mut recorder = Recorder::new(tape, &[&a, &b]);
    let mut l = factored("solve_spd", &mut recorder, &a)?;
    let mut x = recorder.matrix(n, cols)?;
    let mut to = dense_mut(x.fresh_values(), n, cols);
    to.copy_from(values(&b).mat());
    solve_factored(dense_mut(l.fresh_values(), n, n).as_ref(), to);
    recorder.keep(&a, false)?;
    recorder.keep(&b, false)?;
    let kept = if a.is_active() { recorder.keep_made(&x)? } else { None };
    if let Some(l) = recorder.keep_made(&l)? {
        recorder.record([&x], SolveSpd { a, b, l, x: kept })?;
    }
    Ok(x)
}

struct InverseSpd {
    a: Operand,
    c: Operand,
}

impl Operation<1> for InverseSpd {
    const NAME: &'static str = "inverse_spd";

    /// For C = A⁻¹: A̅ += −C C̅ C, both triangles in the lower one. (Giles 2008, section 2.2.3.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let c = values(&self.c);
        sweep.each(|[w], to| {
            let g = times(times(c.mat(), w)?.as_ref(), c.mat())?;
            to.add_symmetric(&self.a, -1.0, g.as_ref())
        })
    }
}

/// The inverse, whole and symmetric.
pub fn inverse_spd(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let n = square("inverse_spd", "a", a.part())?;
    // Only the result is read again.
    let mut l = factored("inverse_spd", &mut Recorder::new(None, &[]), &a)?;
    let mut recorder = Recorder::new(tape, &[&a]);
    let mut c = recorder.matrix(n, n)?;
    let half = inverse_of(dense_mut(l.fresh_values(), n, n).as_ref())?;
    let mut to = dense_mut(c.fresh_values(), n, n);
    for j in 0..n {
        for i in 0..n {
            to[(i, j)] = half[(i.max(j), i.min(j))];
        }
    }
    recorder.keep(&a, false)?;
    if let Some(kept) = recorder.keep_made(&c)? {
        recorder.record([&c], InverseSpd { a, c: kept })?;
    }
    Ok(c)
}

struct LogDeterminantSpd {
    a: Operand,
    l: Operand,
}

impl Operation<1> for LogDeterminantSpd {
    const NAME: &'static str = "log_determinant_spd";

    /// For d = log det A: A̅ += d̅ A⁻¹, both triangles in the lower one. (Giles 2008, section 2.2.4.) The inverse is computed
    /// here: only who sweeps needs it.
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let inverse = inverse_of(values(&self.l).mat())?;
        sweep.each(|[w], to| to.add_symmetric(&self.a, w[(0, 0)], inverse.as_ref()))
    }
}

pub fn log_determinant_spd(tape: Option<&mut Tape>, a: Operand) -> Result<Var> {
    let mut recorder = Recorder::new(tape, &[&a]);
    let mut l = factored("log_determinant_spd", &mut recorder, &a)?;
    let n = a.part().rows;
    let factor = dense_mut(l.fresh_values(), n, n);
    let value = (0..n).map(|i| 2.0 * factor[(i, i)].ln()).fold(0.0, Add::add);
    recorder.keep(&a, false)?;
    match recorder.keep_made(&l)? {
        Some(l) => recorder.record_scalar(value, LogDeterminantSpd { a, l }),
        None => Ok(Var { value, ..Var::default() }),
    }
}
