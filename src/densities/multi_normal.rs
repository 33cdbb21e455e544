//! The multivariate normal density, by the covariance or its Cholesky factor.

use super::independent::{Domain, add};
use crate::error::{Code, Error, Number, Result};
use crate::linalg::{Recorder, dense, factored_as, inverse_of};
use crate::matrix::{Input, Operand};
use crate::special::HALF_LN_TAU;
use crate::tape::{Event, Stored, Sweep, Tape, Var};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, Par};

/// What the density is given of the covariance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Its lower Cholesky factor.
    Factor,
    /// Itself: the lower triangle is read.
    Covariance,
}

impl Scale {
    /// The density, and the argument's name.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Factor => ("multi_normal_cholesky_lpdf", "l"),
            Self::Covariance => ("multi_normal_lpdf", "sigma"),
        }
    }
}

struct MultiNormal {
    y: Operand,
    mu: Operand,
    scale: (Scale, Operand),
    /// The Cholesky factor, and Z of `whiten`, column by column.
    l: Stored<f64>,
    z: Stored<f64>,
    first: u32,
}

/// The values of an operand, column by column.
fn values(operand: &Operand) -> Vec<f64> {
    Input::array(*operand).values().into_owned()
}

/// Z with L Z = Y - mu, where mu is one column for all of Y's, or as many.
fn whiten(y: &Operand, mu: &Operand, l: &[f64]) -> Vec<f64> {
    let (n, m) = (y.part().rows, y.part().cols);
    let (mut z, mu) = (values(y), values(mu));
    for (z, mu) in z.iter_mut().zip(mu.iter().cycle()) {
        *z -= mu;
    }
    let rhs = MatMut::from_column_major_slice_mut(&mut z, n, m);
    solve_lower_triangular_in_place(dense(l, n, n), rhs, Par::Seq);
    z
}

/// The partial derivatives by the scale, where Lᵀ U = Z.
fn by_scale(scale: Scale, l: &[f64], z: &[f64], u: &[f64], n: usize, m: usize) -> Result<Vec<f64>> {
    let mut by = vec![0.0; n * n];
    let mut to = MatMut::from_column_major_slice_mut(&mut by, n, n);
    let (l, z, u) = (dense(l, n, n), dense(z, n, m), dense(u, n, m));
    match scale {
        // The lower triangle of U Zᵀ less the number of columns over the diagonal.
        Scale::Factor => {
            matmul(to.as_mut(), Accum::Replace, u, z.transpose(), 1.0, Par::Seq);
            for j in 0..n {
                to.as_mut().col_mut(j).subrows_mut(0, j).fill(0.0);
                to[(j, j)] -= m as f64 / l[(j, j)];
            }
        }
        // Half of U Uᵀ less the inverse of the covariance for each column; both triangles in the lower one.
        Scale::Covariance => {
            let inverse = inverse_of(l)?;
            matmul(to.as_mut(), Accum::Replace, u, u.transpose(), 1.0, Par::Seq);
            for j in 0..n {
                to.as_mut().col_mut(j).subrows_mut(0, j).fill(0.0);
                for i in j..n {
                    let both = if i == j { 0.5 } else { 1.0 };
                    to[(i, j)] = both * (to[(i, j)] - m as f64 * inverse[(i, j)]);
                }
            }
        }
    }
    Ok(by)
}

impl Event for MultiNormal {
    const NAME: &'static str = "multi_normal_lpdf";

    /// With U such that Lᵀ U = Z, the partial derivatives are -U by Y and the sum of U's columns by mu.
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let mut weights = vec![0.0; sweep.width()];
        sweep.take(self.first, 1, &mut weights);
        if weights.iter().all(|&w| w == 0.0) {
            return Ok(());
        }
        let (n, m) = (self.y.part().rows, self.y.part().cols);
        let l = sweep.stored(&self.l).to_vec();
        let z = sweep.stored(&self.z).to_vec();
        let mut u = z.clone();
        let rhs = MatMut::from_column_major_slice_mut(&mut u, n, m);
        solve_upper_triangular_in_place(dense(&l, n, n).transpose(), rhs, Par::Seq);
        let (scale, of_scale) = self.scale;
        if of_scale.is_active() {
            let by_scale = by_scale(scale, &l, &z, &u, n, m)?;
            add(sweep, self.first, &of_scale, &by_scale, &weights)?;
        }
        if self.mu.is_active() {
            let mut by_mu = vec![0.0; self.mu.part().len()];
            for (i, u) in u.iter().enumerate() {
                let i = i % by_mu.len();
                by_mu[i] += u;
            }
            add(sweep, self.first, &self.mu, &by_mu, &weights)?;
        }
        u.iter_mut().for_each(|u| *u = -*u);
        add(sweep, self.first, &self.y, &u, &weights)
    }
}

fn check_shapes(scale: Scale, y: &Operand, mu: &Operand, of_scale: &Operand) -> Result<()> {
    let shape = |operand: &Operand| (operand.part().rows, operand.part().cols);
    let ((n, m), of_mu) = (shape(y), shape(mu));
    let (density, name) = scale.names();
    let differ = |name, (rows, cols)| {
        let text = format!("{density}: y is {n} x {m}, but {name} is {rows} x {cols}");
        Err(Error::new(Code::Argument, text))
    };
    if of_mu != (n, m) && of_mu != (n, 1) {
        differ("mu", of_mu)
    } else if shape(of_scale) != (n, n) {
        differ(name, shape(of_scale))
    } else {
        Ok(())
    }
}

/// An error unless the lower triangle is finite and the diagonal positive.
fn check_factor(l: &[f64], n: usize) -> Result<()> {
    let (density, _) = Scale::Factor.names();
    for j in 0..n {
        for i in j..n {
            let x = l[i + j * n];
            if !x.is_finite() || (i == j && x <= 0.0) {
                let what = if i == j { "positive and finite" } else { "finite" };
                let text = format!("{density}: l({i}, {j}) = {} is not {what}", Number(x));
                return Err(Error::new(Code::Argument, text));
            }
        }
    }
    Ok(())
}

/// The Cholesky factor of the covariance.
fn factor(scale: Scale, of: &Operand) -> Result<Vec<f64>> {
    let (density, name) = scale.names();
    match scale {
        Scale::Factor => {
            let l = values(of);
            check_factor(&l, of.part().rows)?;
            Ok(l)
        }
        Scale::Covariance => {
            let mut l = factored_as(density, name, &mut Recorder::new(None, &[]), of)?;
            Ok(l.fresh_values().to_vec())
        }
    }
}

/// The sum of the log densities of the columns of `y`, with the mean `mu`, one column or one for each, and the covariance
/// that `of_scale` tells, of which the upper triangle is not read.
pub fn multi_normal(
    tape: Option<&mut Tape>,
    scale: Scale,
    y: Operand,
    mu: Operand,
    of_scale: Operand,
) -> Result<Var> {
    let (density, _) = scale.names();
    check_shapes(scale, &y, &mu, &of_scale)?;
    Domain::Finite.check(density, "y", &Input::array(y))?;
    Domain::Finite.check(density, "mu", &Input::array(mu))?;
    let (n, m) = (y.part().rows, y.part().cols);
    let l = factor(scale, &of_scale)?;
    let z = whiten(&y, &mu, &l);
    let ln_diagonal: f64 = l.iter().step_by(n + 1).map(|x| x.ln()).sum();
    let squares: f64 = z.iter().map(|z| z * z).sum();
    let value = -0.5 * squares - m as f64 * (ln_diagonal + n as f64 * HALF_LN_TAU);
    let active = y.is_active() || mu.is_active() || of_scale.is_active();
    let Some(tape) = tape.filter(|tape| tape.recording() && active) else {
        return Ok(Var { value, ..Var::default() });
    };
    for operand in [&y, &mu, &of_scale] {
        tape.keep_operand(operand, false)?;
    }
    let (l, z) = (tape.store_from(&l)?, tape.store_from(&z)?);
    let scale = (scale, of_scale);
    let id = tape.record(1, |first, _| MultiNormal { y, mu, scale, l, z, first })?;
    Ok(tape.value(value, id, 0))
}
