//! Generalised linear models: the density of observations y of which alpha + X beta is the predictor, for a passive X. The
//! gradient is formed with the value, so X is read once, block by block.

use super::independent::{
    BernoulliLogit, CHUNK, Chunk, Density, Domain, Normal, PoissonLog, add, log_of, partials_of,
};
use crate::error::{Code, Error, Number, Result};
use crate::linalg::{dense, total, values, vector};
use crate::matrix::{Input, Operand};
use crate::tape::{Event, Stored, Sweep, Tape, Var};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// Elements of X that are worked on at once, so that they are in the cache for the gradient.
const BLOCK: usize = 32768;

/// The arguments of a model: X is `n x k`, y has n elements, beta k, and the others one or n.
struct Model {
    name: &'static str,
    y: Operand,
    x: Operand,
    alpha: Operand,
    beta: Operand,
    scale: Option<Operand>,
}

/// What has derivatives: alpha, beta and the scale. The partial derivatives of a passive one are not kept.
struct Glm {
    by: [(Operand, Stored<f64>); 3],
    first: u32,
}

impl Event for Glm {
    const NAME: &'static str = "glm";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let mut weights = vec![0.0; sweep.width()];
        sweep.take(self.first, 1, &mut weights);
        for (operand, partials) in self.by.iter().filter(|(operand, _)| operand.is_active()) {
            let mut copy = sweep.scratch(0);
            copy.extend_from_slice(sweep.stored(partials));
            add(sweep, self.first, operand, &copy, &weights)?;
            sweep.recycle(copy);
        }
        Ok(())
    }
}

/// An argument that is one number for all observations, or one for each.
struct Spread<'a>(&'a [f64]);

impl Spread<'_> {
    fn fill(&self, first: usize, to: &mut [f64]) {
        match self.0 {
            [one] => to.fill(*one),
            each => to.copy_from_slice(&each[first..first + to.len()]),
        }
    }

    /// Adds the partial derivatives of some observations.
    fn add(partials: &mut [f64], first: usize, by: &[f64]) {
        match partials {
            [] => {}
            [one] => *one += total(by),
            each => each[first..first + by.len()].copy_from_slice(by),
        }
    }
}

/// The value, and the partial derivatives of what is active: empty where it is not.
struct Evaluated {
    value: f64,
    by_alpha: Vec<f64>,
    by_beta: Vec<f64>,
    by_scale: Vec<f64>,
}

impl Model {
    fn refuse(&self, what: &str) -> Error {
        Error::new(Code::Argument, format!("{}: {what}", self.name))
    }

    /// The operand as a column of one of the `lengths`.
    fn column(&self, name: &str, operand: &Operand, lengths: &[usize]) -> Result<Operand> {
        let column = vector(self.name, name, operand)?;
        let n = column.part().rows;
        if lengths.contains(&n) {
            return Ok(column);
        }
        let of = self.x.part();
        let what = format!("x is {} x {}, but {name} has {n} elements", of.rows, of.cols);
        Err(self.refuse(&what))
    }

    fn check(mut self) -> Result<Self> {
        for (name, operand) in [("y", &self.y), ("x", &self.x)] {
            if operand.is_active() {
                let what = format!(
                    "{}: {name} is active, but it must be data; write alpha + multiply(x, beta), and take the density of that",
                    self.name
                );
                return Err(Error::new(Code::Unsupported, what));
            }
        }
        let (n, k) = (self.x.part().rows, self.x.part().cols);
        self.y = self.column("y", &self.y, &[n])?;
        self.alpha = self.column("alpha", &self.alpha, &[1, n])?;
        self.beta = self.column("beta", &self.beta, &[k])?;
        let scale = self.scale.map(|scale| self.column("sigma", &scale, &[1, n]));
        self.scale = scale.transpose()?;
        Ok(self)
    }

    /// The error where the predictor of observation `i` is not in its domain.
    #[cold]
    fn lost(&self, x: MatRef<'_, f64>, i: usize, predictor: f64, domain: Domain) -> Error {
        let alpha = Input::array(self.alpha);
        let beta = Input::array(self.beta);
        let (alpha, beta) = (alpha.values(), beta.values());
        let of_row = if alpha.len() == 1 { 0 } else { i };
        let what = if !alpha[of_row].is_finite() {
            format!("alpha[{of_row}] = {} is not finite", alpha[of_row])
        } else if let Some(j) = beta.iter().position(|x| !x.is_finite()) {
            format!("beta[{j}] = {} is not finite", beta[j])
        } else if let Some(j) = (0..x.ncols()).find(|&j| !x[(i, j)].is_finite()) {
            format!("x({i}, {j}) = {} is not finite", x[(i, j)])
        } else {
            let predictor = Number(predictor);
            format!("the predictor of row {i} of x = {predictor} is not {}", domain.words())
        };
        self.refuse(&what)
    }

    /// By the density `D` of y and the predictor, and perhaps the scale.
    fn evaluate<D: Density<K>, const K: usize>(&self, records: bool) -> Result<Evaluated> {
        let (n, k) = (self.x.part().rows, self.x.part().cols);
        let inputs = [Some(self.y), Some(self.alpha), Some(self.beta), self.scale];
        let inputs = inputs.map(|operand| operand.map(Input::array));
        let [y, alpha, beta, scale] = inputs.each_ref().map(|input| match input {
            Some(input) => input.values(),
            None => [].as_slice().into(),
        });
        let of_x = values(&self.x);
        let (x, beta) = (of_x.mat(), dense(&beta, k, 1));
        let room = |operand: &Operand| {
            if records && operand.is_active() { vec![0.0; operand.part().rows] } else { vec![] }
        };
        let mut made = Evaluated {
            value: 0.0,
            by_alpha: room(&self.alpha),
            by_beta: room(&self.beta),
            by_scale: self.scale.as_ref().map(room).unwrap_or_default(),
        };
        let rows = (BLOCK / k.max(1)).next_multiple_of(CHUNK).min(n);
        let (mut predictor, mut by_predictor) = (vec![0.0; rows], vec![0.0; rows]);
        let domain = D::ARGUMENTS[1].1;
        for first in (0..n).step_by(rows.max(1)) {
            let len = rows.min(n - first);
            let (predictor, by_predictor) = (&mut predictor[..len], &mut by_predictor[..len]);
            let x_rows = x.subrows(first, len);
            Spread(&alpha).fill(first, predictor);
            let to = MatMut::from_column_major_slice_mut(predictor, len, 1);
            matmul(to, Accum::Add, x_rows, beta, 1.0, Par::Seq);
            if let Some(i) = predictor.iter().position(|&x| !domain.holds(x)) {
                return Err(self.lost(x, first + i, predictor[i], domain));
            }
            for start in (0..len).step_by(CHUNK) {
                let end = len.min(start + CHUNK);
                let (to, row) = (&mut by_predictor[start..end], first + start);
                let mut chunk = [[0.0; CHUNK]; K];
                for (argument, to) in chunk.iter_mut().enumerate() {
                    let to = &mut to[..end - start];
                    match argument {
                        0 => to.copy_from_slice(&y[row..first + end]),
                        1 => to.copy_from_slice(&predictor[start..end]),
                        _ => Spread(&scale).fill(row, to),
                    }
                }
                chunk.iter_mut().for_each(|x| {
                    let one = x[0];
                    x[end - start..].fill(one);
                });
                made.value += log_of::<D, K>(&chunk, &ahead_of(&chunk, D::ahead), end - start);
                if records {
                    let ahead = ahead_of(&chunk, D::ahead_of_partials);
                    let partials = partials_of::<D, K>(&chunk, &ahead);
                    to.copy_from_slice(&partials[1][..end - start]);
                    if let Some(by_scale) = partials.get(2) {
                        Spread::add(&mut made.by_scale, row, &by_scale[..end - start]);
                    }
                }
            }
            if !made.by_beta.is_empty() {
                let to = MatMut::from_column_major_slice_mut(&mut made.by_beta, k, 1);
                let by = dense(by_predictor, len, 1);
                matmul(to, Accum::Add, x_rows.transpose(), by, 1.0, Par::Seq);
            }
            Spread::add(&mut made.by_alpha, first, by_predictor);
        }
        Ok(made)
    }

    fn record<D: Density<K>, const K: usize>(self, tape: Option<&mut Tape>) -> Result<Var> {
        let model = self.check()?;
        D::ARGUMENTS[0].1.check(model.name, "y", &Input::array(model.y))?;
        if let (Some(scale), Some((name, domain))) = (model.scale, D::ARGUMENTS.get(2)) {
            domain.check(model.name, name, &Input::array(scale))?;
        }
        let scale = model.scale.unwrap_or_else(|| Operand::scalar(&Var::default()));
        let operands = [model.alpha, model.beta, scale];
        let tape = tape.filter(|tape| tape.recording() && operands.iter().any(Operand::is_active));
        let Evaluated { value, by_alpha, by_beta, by_scale } =
            model.evaluate::<D, K>(tape.is_some())?;
        let Some(tape) = tape else { return Ok(Var { value, ..Var::default() }) };
        for operand in &operands {
            tape.keep_operand(operand, false)?;
        }
        let by = [
            (model.alpha, tape.store_from(&by_alpha)?),
            (model.beta, tape.store_from(&by_beta)?),
            (scale, tape.store_from(&by_scale)?),
        ];
        let id = tape.record(1, |first, _| Glm { by, first })?;
        Ok(tape.value(value, id, 0))
    }
}

/// What `ahead` makes of all arguments.
fn ahead_of<const K: usize>(
    chunk: &Chunk<K>,
    ahead: impl Fn(usize, &[f64], &mut [f64]),
) -> Chunk<K> {
    let mut made = [[0.0; CHUNK]; K];
    (0..K).for_each(|k| ahead(k, &chunk[k], &mut made[k]));
    made
}

/// Events with the probability inv_logit(alpha + X beta).
pub fn bernoulli_logit_glm(
    tape: Option<&mut Tape>,
    y: Operand,
    x: Operand,
    alpha: Operand,
    beta: Operand,
) -> Result<Var> {
    let name = "bernoulli_logit_glm_lpmf";
    Model { name, y, x, alpha, beta, scale: None }.record::<BernoulliLogit, 2>(tape)
}

/// Counts of which exp(alpha + X beta) are expected.
pub fn poisson_log_glm(
    tape: Option<&mut Tape>,
    y: Operand,
    x: Operand,
    alpha: Operand,
    beta: Operand,
) -> Result<Var> {
    let name = "poisson_log_glm_lpmf";
    Model { name, y, x, alpha, beta, scale: None }.record::<PoissonLog, 2>(tape)
}

/// Numbers that are normally distributed about alpha + X beta, with the standard deviation sigma.
pub fn normal_id_glm(
    tape: Option<&mut Tape>,
    y: Operand,
    x: Operand,
    alpha: Operand,
    beta: Operand,
    sigma: Operand,
) -> Result<Var> {
    let name = "normal_id_glm_lpdf";
    Model { name, y, x, alpha, beta, scale: Some(sigma) }.record::<Normal, 3>(tape)
}
