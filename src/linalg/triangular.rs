//! Systems with triangular matrices.

use super::dense::{copy, dense_mut, values};
use super::operation::{Operation, Recorder, Weights, check_shapes, refuse, square};
use crate::error::Result;
use crate::matrix::{Operand, Owned};
use crate::tape::Tape;
use faer::linalg::matmul::triangular::BlockStructure;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_unit_upper_triangular_in_place,
    solve_upper_triangular_in_place,
};
use faer::{Mat, MatMut, MatRef, Par};

/// The triangle of a matrix that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Triangle {
    Lower,
    Upper,
}

impl Triangle {
    /// The one that it is in the transposed matrix.
    fn transposed(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }

    /// Overwrites `x` by the solution of T Y = X.
    pub fn solve(self, t: MatRef<'_, f64>, x: MatMut<'_, f64>) {
        match self {
            Self::Lower => solve_lower_triangular_in_place(t, x, Par::Seq),
            Self::Upper => solve_upper_triangular_in_place(t, x, Par::Seq),
        }
    }
}

/// The size of rounding errors of `n` terms, relative to that of the terms. (Higham and Mary, "A new approach to probabilistic
/// rounding error analysis", 2019. The bound that holds always, without the root, would refuse systems that are solved to some
/// digits.)
#[allow(clippy::cast_precision_loss)]
pub fn rounding(n: usize) -> f64 {
    2.0 * f64::EPSILON * (n as f64).sqrt()
}

/// A pivot this small beside what it was computed from is looked at closely, which takes the square of its column's number.
pub const SUSPICIOUS: f64 = 1e-10;

/// How column `j` of an upper triangular R depends on those before it: the sizes of the x with R₁ x = r, where r is what
/// stands in it above the diagonal and R₁ what stands left of that, and 1 for itself. `unit`: R has ones on its diagonal.
pub fn dependence(r: MatRef<'_, f64>, j: usize, unit: bool) -> Vec<f64> {
    let mut x: Mat<f64> = Mat::from_fn(j, 1, |i, _| r[(i, j)]);
    let before = r.submatrix(0, 0, j, j);
    match unit {
        true => solve_unit_upper_triangular_in_place(before, x.as_mut(), Par::Seq),
        false => Triangle::Upper.solve(before, x.as_mut()),
    }
    (0..j).map(|i| x[(i, 0)].abs()).chain([1.0]).collect()
}

struct SolveTriangular {
    triangle: Triangle,
    t: Operand,
    b: Operand,
    x: Option<Operand>,
}

impl Operation<1> for SolveTriangular {
    const NAME: &'static str = "solve of a triangular system";

    /// For T X = B: B̅ += G and T̅ += triangle of −G Xᵀ, where Tᵀ G = X̅. (Giles 2008, section 2.2.3.)
    fn reverse(&self, sweep: &mut Weights<'_, 1>) -> Result<()> {
        let t = values(&self.t);
        let x = self.x.as_ref().map(values);
        let structure = match self.triangle {
            Triangle::Lower => BlockStructure::TriangularLower,
            Triangle::Upper => BlockStructure::TriangularUpper,
        };
        sweep.each(|[w], to| {
            let mut g = copy(w)?;
            self.triangle.transposed().solve(t.mat().transpose(), g.as_mut());
            to.add(&self.b, |i, j| g[(i, j)])?;
            match &x {
                Some(x) => {
                    to.add_triangle(&self.t, structure, g.as_ref(), x.mat().transpose(), -1.0)
                }
                None => Ok(()),
            }
        })
    }
}

/// X with T X = B, where T is the lower triangle of `t`, whose other elements are not read.
pub fn solve_lower(tape: Option<&mut Tape>, t: Operand, b: Operand) -> Result<Owned> {
    solve_triangular("solve_lower", tape, Triangle::Lower, t, b)
}

/// The same with the upper triangle.
pub fn solve_upper(tape: Option<&mut Tape>, t: Operand, b: Operand) -> Result<Owned> {
    solve_triangular("solve_upper", tape, Triangle::Upper, t, b)
}

fn solve_triangular(
    name: &str,
    tape: Option<&mut Tape>,
    triangle: Triangle,
    t: Operand,
    b: Operand,
) -> Result<Owned> {
    let n = square(name, "a", t.part())?;
    check_shapes(name, ("a", t.part()), ("b", b.part()), n == b.part().rows)?;
    let seen = values(&t);
    if let Some(i) = (0..n).find(|&i| seen.mat()[(i, i)] == 0.0) {
        return Err(refuse(name, &format!("a is singular: its element ({i}, {i}) is 0")));
    }
    let cols = b.part().cols;
    let mut recorder = Recorder::new(tape, &[&t, &b]);
    let mut x = recorder.matrix(n, cols)?;
    let mut to = dense_mut(x.fresh_values(), n, cols);
    to.copy_from(values(&b).mat());
    triangle.solve(seen.mat(), to);
    recorder.keep(&t, true)?;
    recorder.keep(&b, false)?;
    let kept = if t.is_active() { recorder.keep_made(&x)? } else { None };
    recorder.record([&x], SolveTriangular { triangle, t, b, x: kept })?;
    Ok(x)
}
