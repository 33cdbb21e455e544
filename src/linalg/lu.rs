//! General square systems, inverses and determinants, by LU factors with row pivoting; and the factors themselves.

use super::dense::{copy, dense_mut, filled, identity, times, values, workspace, zeros};
use super::operation::{Operation, Recorder, Weights, check_shapes, finite, refuse, square};
use super::scaled::Scaled;
use super::spectral::Svd;
use super::triangular::{SUSPICIOUS, Triangle, dependence, rounding};
use crate::error::{Error, Result};
use crate::matrix::{Operand, Owned};
use crate::tape::{Tape, Var};
use faer::dyn_stack::MemStack;
use faer::linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch};
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_unit_upper_triangular_in_place,
};
use faer::{Mat, MatMut, MatRef, Par};
use std::ops::Add;

/// Rows in the order of their pivots: row i of P A is row `order[i]` of A.
type Order = Box<[usize]>;

/// Overwrites a matrix by its factors: U, and below its diagonal L, whose own is of ones. Returns the order of the rows
/// and whether it is an odd permutation.
fn factor(mut a: MatMut<'_, f64>) -> Result<(Order, bool)> {
    let (m, n) = (a.nrows(), a.ncols());
    let (mut order, mut inverse) = (vec![0usize; m], vec![0usize; m]);
    let memory = lu_in_place_scratch::<usize, f64>(m, n, Par::Seq, Default::default());
    let mut memory = workspace(memory)?;
    let stack = MemStack::new(&mut memory);
    lu_in_place(a.as_mut(), &mut order, &mut inverse, Par::Seq, stack, Default::default());
    // A cycle of even length is an odd permutation.
    let (mut odd, mut seen) = (false, vec![false; m]);
    for start in 0..m {
        let mut at = start;
        while !std::mem::replace(&mut seen[at], true) {
            at = order[at];
            odd ^= at != start;
        }
    }
    Ok((order.into(), odd))
}

/// The first pivot that is zero but for rounding: no larger than what rounding errors of the factors make of it, whatever
/// the scales of rows and columns. With its value.
fn zero_pivot(lu: MatRef<'_, f64>) -> Option<(usize, f64)> {
    let size = lu.nrows().min(lu.ncols());
    (0..size).map(|j| (j, lu[(j, j)])).find(|&(j, pivot)| {
        let terms: f64 = (0..j).map(|k| (lu[(j, k)] * lu[(k, j)]).abs()).sum();
        pivot.abs() <= SUSPICIOUS * terms && pivot.abs() <= rounding(size) * pivot_error(lu, j)
            || pivot == 0.0
    })
}

/// What errors of |L| |U| in the elements make of pivot `j`: |y|ᵀ |L| |U| |x|, where x is how its column depends on those
/// before it, and y how its row does. (Higham, "Accuracy and Stability of Numerical Algorithms", theorem 9.3.)
fn pivot_error(lu: MatRef<'_, f64>, j: usize) -> f64 {
    let (x, y) = (dependence(lu, j, false), dependence(lu.transpose(), j, true));
    let of = |k: usize| {
        let l: f64 = (k + 1..=j).map(|i| y[i] * lu[(i, k)].abs()).sum();
        let u: f64 = (k..=j).map(|i| x[i] * lu[(k, i)].abs()).sum();
        (y[k] + l) * u
    };
    (0..=j).map(of).sum()
}

fn singular(call: &str, (column, pivot): (usize, f64)) -> Error {
    let what = format!(
        "a is singular: column {column} depends on those before it (its pivot is {pivot:e}, zero but for rounding)"
    );
    refuse(call, &what)
}

/// X with A X = B, from the factors of A.
fn solve_factored(
    lu: MatRef<'_, f64>,
    order: &[usize],
    b: MatRef<'_, f64>,
    mut x: MatMut<'_, f64>,
) {
    for j in 0..b.ncols() {
        for (i, &row) in order.iter().enumerate() {
            x[(i, j)] = b[(row, j)];
        }
    }
    solve_unit_lower_triangular_in_place(lu, x.as_mut(), Par::Seq);
    Triangle::Upper.solve(lu, x);
}

/// X with Aᵀ X = B.
fn solve_factored_transposed(
    lu: MatRef<'_, f64>,
    order: &[usize],
    b: MatRef<'_, f64>,
) -> Result<Mat<f64>> {
    let mut y = copy(b)?;
    Triangle::Lower.solve(lu.transpose(), y.as_mut());
    solve_unit_upper_triangular_in_place(lu.transpose(), y.as_mut(), Par::Seq);
    let mut x = zeros(b.nrows(), b.ncols())?;
    for j in 0..b.ncols() {
        for (i, &row) in order.iter().enumerate() {
            x[(row, j)] = y[(i, j)];
        }
    }
    Ok(x)
}

/// Factors in a matrix that the recorder has made; its error if they are of a singular one.
fn factored(name: &str, recorder: &mut Recorder<'_>, a: &Operand) -> Result<(Owned, Order)> {
    let n = square(name, "a", a.part())?;
    finite(name, "a", values(a).mat(), false)?;
    let mut made = recorder.matrix(n, n)?;
    let mut lu = dense_mut(made.fresh_values(), n, n);
    lu.copy_from(values(a).mat());
    let (order, _) = factor(lu.as_mut())?;
    match zero_pivot(lu.as_ref()) {
        Some(pivot) => Err(singular(name, pivot)),
        None => Ok((made, order)),
    }
}

struct Solve {
    a: Operand,
    b: Operand,
    lu: Operand,
    order: Order,
    /// The result, if A is active.
    x: Option<Operand>,
}

impl Operation<1> for Solve {
    const NAME: &'static str = "solve";

    /// For A X = B: B̅ += G and A̅ += −G Xᵀ, where Aᵀ G = X̅. (Giles 2008, section 2.2.3.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let lu = values(&self.lu);
        let x = self.x.as_ref().map(values);
        sweep.each(|[w], to| {
            let g = solve_factored_transposed(lu.mat(), &self.order, w)?;
            to.add(&self.b, |i, j| g[(i, j)])?;
            match &x {
                Some(x) => to.add_product(&self.a, g.as_ref(), x.mat().transpose(), -1.0),
                None => Ok(()),
            }
        })
    }
}

/// X with A X = B.
pub fn solve(tape: Option<&mut Tape>, a: Operand, b: Operand) -> Result<Owned> {
    let n = square("solve", "a", a.part())?;
    check_shapes("solve", ("a", a.part()), ("b", b.part()), n == b.part().rows)?;
    let cols = b.part().cols;
    let mut recorder = Recorder::new(tape, &[&a, &b]);
    let (mut lu, order) = factored("solve", &mut recorder, &a)?;
    let mut x = recorder.matrix(n, cols)?;
    let to = dense_mut(x.fresh_values(), n, cols);
    let factors = dense_mut(lu.fresh_values(), n, n);
    solve_factored(factors.as_ref(), &order, values(&b).mat(), to);
    recorder.keep(&a, false)?;
    recorder.keep(&b, false)?;
    let kept = if a.is_active() { recorder.keep_made(&x)? } else { None };
    if let Some(lu) = recorder.keep_made(&lu)? {
        recorder.record([&x], Solve { a, b, lu, order, x: kept })?;
    }
    Ok(x)
}

struct Inverse {
    a: Operand,
    c: Operand,
}

impl Operation<1> for Inverse {
    const NAME: &'static str = "inverse";

    /// For C = A⁻¹: A̅ += −Cᵀ C̅ Cᵀ. (Giles 2008, section 2.2.3.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let c = values(&self.c);
        let transposed = c.mat().transpose();
        sweep.each(|[w], to| {
            to.add_product(&self.a, times(transposed, w)?.as_ref(), transposed, -1.0)
        })
    }
}

pub fn inverse(tape: Option<&mut Tape>, a: Operand) -> Result<Owned> {
    let n = square("inverse", "a", a.part())?;
    // Only the result is read again.
    let (mut lu, order) = factored("inverse", &mut Recorder::new(None, &[]), &a)?;
    let mut recorder = Recorder::new(tape, &[&a]);
    let mut c = recorder.matrix(n, n)?;
    let factors = dense_mut(lu.fresh_values(), n, n);
    let unit = identity(n)?;
    solve_factored(factors.as_ref(), &order, unit.as_ref(), dense_mut(c.fresh_values(), n, n));
    recorder.keep(&a, false)?;
    if let Some(kept) = recorder.keep_made(&c)? {
        recorder.record([&c], Inverse { a, c: kept })?;
    }
    Ok(c)
}

struct Determinant {
    a: Operand,
    lu: Operand,
    order: Order,
    /// The determinant, or 1 if its logarithm is the result.
    factor: Scaled,
}

impl Operation<1> for Determinant {
    const NAME: &'static str = "determinant";

    /// For d = det A: A̅ += d̅ d A⁻ᵀ; for d = log |det A| without the d. (Giles 2008, section 2.2.4.) The inverse is computed
    /// here: only who sweeps needs it.
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let lu = values(&self.lu);
        let unit = identity(self.order.len())?;
        let inverse = solve_factored_transposed(lu.mat(), &self.order, unit.as_ref())?;
        // Cofactors are in range where neither d nor the inverse may be.
        sweep.each(|[w], to| {
            to.add(&self.a, |i, j| w[(0, 0)] * self.factor.times(inverse[(i, j)]).value())
        })
    }
}

struct SingularDeterminant {
    a: Operand,
    cofactors: Operand,
}

impl Operation<1> for SingularDeterminant {
    const NAME: &'static str = "determinant";

    /// A̅ += d̅ times the matrix of cofactors, which is there also where there is no inverse. (Magnus and Neudecker, "Matrix
    /// Differential Calculus", section 8.3.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let cofactors = values(&self.cofactors);
        sweep.each(|[w], to| to.add(&self.a, |i, j| w[(0, 0)] * cofactors.mat()[(i, j)]))
    }
}

/// For A = U S Vᵀ: det U det V times U T Vᵀ, where Tᵢᵢ is the product of the other singular values.
fn cofactors(a: MatRef<'_, f64>, mut to: MatMut<'_, f64>) -> Result<()> {
    let Svd { mut u, s, v } = Svd::of("determinant", a)?;
    let n = s.len();
    let reflects = |q: MatRef<'_, f64>| -> Result<bool> {
        let mut factors = copy(q)?;
        let (_, odd) = factor(factors.as_mut())?;
        Ok((0..n).fold(odd, |odd, i| odd ^ (factors[(i, i)] < 0.0)))
    };
    let sign = if reflects(u.as_ref())? == reflects(v.as_ref())? { 1.0 } else { -1.0 };
    for j in 0..n {
        let others = Scaled::product((0..n).filter(|&k| k != j).map(|k| s[k])).value();
        for i in 0..n {
            u[(i, j)] *= sign * others;
        }
    }
    to.copy_from(times(u.as_ref(), v.as_ref().transpose())?);
    Ok(())
}

pub fn determinant(tape: Option<&mut Tape>, a: Operand) -> Result<Var> {
    let n = square("determinant", "a", a.part())?;
    finite("determinant", "a", values(&a).mat(), false)?;
    let mut recorder = Recorder::new(tape, &[&a]);
    let mut lu = recorder.matrix(n, n)?;
    let mut factors = dense_mut(lu.fresh_values(), n, n);
    factors.copy_from(values(&a).mat());
    let (order, odd) = factor(factors.as_mut())?;
    let sign = if odd { -1.0 } else { 1.0 };
    let product = Scaled::product((0..n).map(|i| factors[(i, i)])).times(sign);
    let zero = zero_pivot(factors.as_ref());
    let value = match zero {
        // What comes behind such a pivot has been divided by it.
        Some((_, 0.0)) => 0.0,
        _ => product.value(),
    };
    let singular = zero.is_some();
    if singular && recorder.records() {
        cofactors(values(&a).mat(), factors)?;
    }
    recorder.keep(&a, false)?;
    match recorder.keep_made(&lu)? {
        Some(cofactors) if singular => {
            recorder.record_scalar(value, SingularDeterminant { a, cofactors })
        }
        Some(lu) => recorder.record_scalar(value, Determinant { a, lu, order, factor: product }),
        None => Ok(Var { value, ..Var::default() }),
    }
}

/// log |det A|.
pub fn log_determinant(tape: Option<&mut Tape>, a: Operand) -> Result<Var> {
    let n = square("log_determinant", "a", a.part())?;
    let mut recorder = Recorder::new(tape, &[&a]);
    let (mut lu, order) = factored("log_determinant", &mut recorder, &a)?;
    let factors = dense_mut(lu.fresh_values(), n, n);
    let value = (0..n).map(|i| factors[(i, i)].abs().ln()).fold(0.0, Add::add);
    recorder.keep(&a, false)?;
    match recorder.keep_made(&lu)? {
        Some(lu) => {
            recorder.record_scalar(value, Determinant { a, lu, order, factor: Scaled::ONE })
        }
        None => Ok(Var { value, ..Var::default() }),
    }
}

struct Factors {
    a: Operand,
    l: Operand,
    u: Operand,
    order: Order,
}

impl Operation<2> for Factors {
    const NAME: &'static str = "lu";

    /// For P A = L U, square: A̅ += Pᵀ L⁻ᵀ (strict lower triangle of Lᵀ L̅ + upper triangle of U̅ Uᵀ) U⁻ᵀ. (de Hoog, Anderssen
    /// and Lukas, "Differentiation of matrix functionals using triangular factorization", 2011.)
    ///
    /// More rows: L₂ = A₂ U⁻¹ for those below, so that A̅₂ += H, where H Uᵀ = L̅₂, and U̅ −= L₂ᵀ H first. More columns:
    /// U₂ = L⁻¹ A₂, so that A̅₂ += H, where Lᵀ H = U̅₂, and L̅ −= H U₂ᵀ first.
    fn reverse(&self, sweep: &mut Weights<'_, 2>) -> Result<()> {
        let (l, u) = (values(&self.l), values(&self.u));
        let (m, n) = (l.mat().nrows(), u.mat().ncols());
        let k = m.min(n);
        let (l1, l2) = l.mat().split_at_row(k);
        let (u1, u2) = u.mat().split_at_col(k);
        sweep.each(|[wl, wu], to| {
            let mut g = zeros(m, n)?;
            let (mut of_l, mut of_u) = (copy(wl.subrows(0, k))?, copy(wu.subcols(0, k))?);
            if m > k {
                let mut h = g.as_mut().subrows_mut(k, m - k);
                h.copy_from(wl.subrows(k, m - k));
                Triangle::Upper.solve(u1, h.as_mut().transpose_mut());
                of_u -= times(l2.transpose(), h.as_ref())?;
            }
            if n > k {
                let mut h = g.as_mut().subcols_mut(k, n - k);
                h.copy_from(wu.subcols(k, n - k));
                solve_unit_upper_triangular_in_place(l1.transpose(), h.as_mut(), Par::Seq);
                of_l -= times(h.as_ref(), u2.transpose())?;
            }
            // The other triangles of the factors are constants.
            let lower = filled(k, k, |i, j| if i > j { of_l[(i, j)] } else { 0.0 })?;
            let upper = filled(k, k, |i, j| if i <= j { of_u[(i, j)] } else { 0.0 })?;
            let (below, above) =
                (times(l1.transpose(), lower.as_ref())?, times(upper.as_ref(), u1.transpose())?);
            let mut inner = g.as_mut().submatrix_mut(0, 0, k, k);
            for j in 0..k {
                for i in 0..k {
                    inner[(i, j)] = if i > j { below[(i, j)] } else { above[(i, j)] };
                }
            }
            solve_unit_upper_triangular_in_place(l1.transpose(), inner.as_mut(), Par::Seq);
            Triangle::Upper.solve(u1, inner.transpose_mut());
            let mut of_a = zeros(m, n)?;
            for (i, &row) in self.order.iter().enumerate() {
                of_a.row_mut(row).copy_from(g.row(i));
            }
            to.add(&self.a, |i, j| of_a[(i, j)])
        })
    }
}

/// L, U and the order of the rows with P A = L U: row i of P A is row `order[i]` of A.
pub fn lu(tape: Option<&mut Tape>, a: Operand) -> Result<(Owned, Owned, Order)> {
    let (m, n) = (a.part().rows, a.part().cols);
    let k = m.min(n);
    finite("lu", "a", values(&a).mat(), false)?;
    let mut both = copy(values(&a).mat())?;
    let (order, _) = factor(both.as_mut())?;
    if let Some(pivot) = zero_pivot(both.as_ref()) {
        return Err(singular("lu", pivot));
    }
    let mut recorder = Recorder::new(tape, &[&a]);
    let (mut l, mut u) = (recorder.matrix(m, k)?, recorder.matrix(k, n)?);
    let mut to = dense_mut(l.fresh_values(), m, k);
    for j in 0..k {
        for i in 0..m {
            to[(i, j)] = if i > j { both[(i, j)] } else { f64::from(u8::from(i == j)) };
        }
    }
    let mut to = dense_mut(u.fresh_values(), k, n);
    for j in 0..n {
        for i in 0..k {
            to[(i, j)] = if i <= j { both[(i, j)] } else { 0.0 };
        }
    }
    recorder.keep(&a, false)?;
    if let (Some(kept_l), Some(kept_u)) = (recorder.keep_made(&l)?, recorder.keep_made(&u)?) {
        let operation = Factors { a, l: kept_l, u: kept_u, order: order.clone() };
        recorder.record([&l, &u], operation)?;
    }
    Ok((l, u, order))
}
