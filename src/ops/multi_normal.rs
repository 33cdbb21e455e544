//! The multivariate normal density, by the Cholesky factor of the covariance.

use super::dense::dense;
use super::density::{Domain, add};
use crate::error::{Code, Error, Result};
use crate::special::HALF_LN_TAU;
use crate::tape::{Event, Input, Operand, Stored, Sweep, Tape, Var};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Accum, MatMut, Par};

const NAME: &str = "multi_normal_cholesky_lpdf";

struct MultiNormalCholesky {
    y: Operand,
    mu: Operand,
    l: Operand,
    /// Z of `whiten`, column by column.
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

impl Event for MultiNormalCholesky {
    const NAME: &'static str = NAME;

    /// With U such that Lᵀ U = Z, the partial derivatives are -U by Y, the sum of U's columns by mu, and by L the lower
    /// triangle of U Zᵀ less the number of columns over the diagonal.
    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let mut weights = vec![0.0; sweep.width()];
        sweep.take(self.first, 1, &mut weights);
        if weights.iter().all(|&w| w == 0.0) {
            return Ok(());
        }
        let (n, m) = (self.y.part().rows, self.y.part().cols);
        let l = values(&self.l);
        let z = sweep.stored(&self.z).to_vec();
        let mut u = z.clone();
        let rhs = MatMut::from_column_major_slice_mut(&mut u, n, m);
        solve_upper_triangular_in_place(dense(&l, n, n).transpose(), rhs, Par::Seq);
        if self.l.is_active() {
            let mut by_l = vec![0.0; n * n];
            let to = MatMut::from_column_major_slice_mut(&mut by_l, n, n);
            let (u, z) = (dense(&u, n, m), dense(&z, n, m));
            matmul(to, Accum::Replace, u, z.transpose(), 1.0, Par::Seq);
            for j in 0..n {
                by_l[j * n..j * n + j].fill(0.0);
                by_l[j * n + j] -= m as f64 / l[j * n + j];
            }
            add(sweep, self.first, &self.l, &by_l, &weights)?;
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

fn check_shapes(y: &Operand, mu: &Operand, l: &Operand) -> Result<()> {
    let shape = |operand: &Operand| (operand.part().rows, operand.part().cols);
    let ((n, m), of_mu, of_l) = (shape(y), shape(mu), shape(l));
    let differ = |name, (rows, cols)| {
        let text = format!("{NAME}: y is {n} x {m}, but {name} is {rows} x {cols}");
        Err(Error::new(Code::Argument, text))
    };
    if of_mu != (n, m) && of_mu != (n, 1) {
        differ("mu", of_mu)
    } else if of_l != (n, n) {
        differ("l", of_l)
    } else {
        Ok(())
    }
}

/// An error unless the lower triangle is finite and the diagonal positive.
fn check_factor(l: &[f64], n: usize) -> Result<()> {
    for j in 0..n {
        for i in j..n {
            let x = l[i + j * n];
            if !x.is_finite() || (i == j && x <= 0.0) {
                let what = if i == j { "positive and finite" } else { "finite" };
                let text = format!("{NAME}: l({i}, {j}) = {x} is not {what}");
                return Err(Error::new(Code::Argument, text));
            }
        }
    }
    Ok(())
}

/// The sum of the log densities of the columns of `y`, with the mean `mu`, one column or one for each, and the covariance
/// L Lᵀ. The upper triangle of `l` is not read.
pub fn multi_normal_cholesky(
    tape: Option<&mut Tape>,
    y: Operand,
    mu: Operand,
    l: Operand,
) -> Result<Var> {
    check_shapes(&y, &mu, &l)?;
    Domain::Finite.check(NAME, "y", &Input::array(y))?;
    Domain::Finite.check(NAME, "mu", &Input::array(mu))?;
    let (n, m) = (y.part().rows, y.part().cols);
    let factor = values(&l);
    check_factor(&factor, n)?;
    let z = whiten(&y, &mu, &factor);
    let ln_diagonal: f64 = factor.iter().step_by(n + 1).map(|x| x.ln()).sum();
    let squares: f64 = z.iter().map(|z| z * z).sum();
    let value = -0.5 * squares - m as f64 * (ln_diagonal + n as f64 * HALF_LN_TAU);
    let active = y.is_active() || mu.is_active() || l.is_active();
    let Some(tape) = tape.filter(|tape| tape.recording() && active) else {
        return Ok(Var { value, ..Var::default() });
    };
    tape.keep_operand(&y, false)?;
    tape.keep_operand(&mu, false)?;
    tape.keep_operand(&l, true)?;
    let z = tape.store_from(&z)?;
    let id = tape.record(1, |first, _| MultiNormalCholesky { y, mu, l, z, first })?;
    Ok(tape.value(value, id, 0))
}
