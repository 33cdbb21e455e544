//! Log densities of independent observations: the sum over all elements, each density one event.

use crate::error::{Code, Error, Result};
use crate::special::{
    HALF_LN_TAU, digamma, digamma_difference, inv_logit, lbeta, lgamma, log1p_exp, multiply_log,
};
use crate::tape::{Event, Input, Operand, Sweep, Tape, Var};
use std::marker::PhantomData;

/// Element `i` of an argument, as a message names it.
fn element(name: &str, input: &Input, i: usize) -> String {
    let part = input.operand.part();
    if input.is_scalar() {
        name.to_owned()
    } else if part.rows > 1 && part.cols > 1 {
        format!("{name}({}, {})", i % part.rows, i / part.rows)
    } else {
        format!("{name}[{i}]")
    }
}

/// What an argument must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    Number,
    Finite,
    Positive,
    /// Counts have no derivative.
    Count,
    /// Nor have events that occur or not.
    Bit,
}

impl Domain {
    fn holds(self, x: f64) -> bool {
        match self {
            Self::Number => !x.is_nan(),
            Self::Finite => x.is_finite(),
            Self::Positive => x > 0.0 && x.is_finite(),
            Self::Count => x >= 0.0 && x.is_finite() && x.floor() == x,
            Self::Bit => x == 0.0 || x == 1.0,
        }
    }

    const fn is_discrete(self) -> bool {
        matches!(self, Self::Count | Self::Bit)
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Finite => "finite",
            Self::Positive => "positive and finite",
            Self::Count => "an integer from 0 on",
            Self::Bit => "0 or 1",
        }
    }

    /// An error unless all of an argument lies in the domain.
    pub fn check(self, density: &str, name: &str, input: &Input) -> Result<()> {
        if self.is_discrete() && input.operand.is_active() {
            return Err(Error::new(
                Code::Unsupported,
                format!("{density}: {name} is active, but it must be {}", self.words()),
            ));
        }
        let values = input.values();
        match values.iter().position(|&x| !self.holds(x)) {
            None => Ok(()),
            Some(i) => Err(Error::new(
                Code::Argument,
                format!(
                    "{density}: {} = {} is not {}",
                    element(name, input, i),
                    values[i],
                    self.words()
                ),
            )),
        }
    }
}

/// A density of `K` arguments, of which the first is what is observed.
pub trait Density<const K: usize>: 'static {
    const NAME: &'static str;
    const ARGUMENTS: [(&'static str, Domain); K];

    /// What `log` needs of argument `k` alone, computed once for a scalar; the same for `partials`.
    fn ahead(_k: usize, _x: f64) -> f64 {
        0.0
    }
    fn ahead_of_partials(k: usize, x: f64) -> f64 {
        Self::ahead(k, x)
    }
    /// The log density of one element.
    fn log(x: &[f64; K], ahead: &[f64; K]) -> f64;
    /// Its partial derivatives.
    fn partials(x: &[f64; K], ahead: &[f64; K]) -> [f64; K];
}

/// Calls `f` for each of `n` elements with its number and arguments, and what `ahead` makes of these.
fn each<const K: usize>(
    inputs: &[Input; K],
    n: usize,
    ahead: impl Fn(usize, f64) -> f64,
    mut f: impl FnMut(usize, &[f64; K], &[f64; K]),
) {
    let values = inputs.each_ref().map(Input::values);
    let (mut x, mut made) = ([0.0; K], [0.0; K]);
    for k in (0..K).filter(|&k| inputs[k].is_scalar()) {
        (x[k], made[k]) = (values[k][0], ahead(k, values[k][0]));
    }
    (0..n).for_each(|i| {
        for k in (0..K).filter(|&k| !inputs[k].is_scalar()) {
            (x[k], made[k]) = (values[k][i], ahead(k, values[k][i]));
        }
        f(i, &x, &made);
    });
}

struct Observed<D, const K: usize> {
    inputs: [Input; K],
    n: usize,
    first: u32,
    density: PhantomData<fn() -> D>,
}

impl<D: Density<K>, const K: usize> Event for Observed<D, K> {
    const NAME: &'static str = D::NAME;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let mut weights = vec![0.0; width];
        sweep.take(self.first, 1, &mut weights);
        if weights.iter().all(|&w| w == 0.0) {
            return Ok(());
        }
        let active = self.inputs.each_ref().map(|input| input.operand.is_active());
        let room = |input: &Input| if input.operand.is_active() { input.len() } else { 0 };
        let mut partials = self.inputs.each_ref().map(|input| vec![0.0; room(input)]);
        each(&self.inputs, self.n, D::ahead_of_partials, |i, x, ahead| {
            let of_element = D::partials(x, ahead);
            for k in (0..K).filter(|&k| active[k]) {
                let at = if self.inputs[k].is_scalar() { 0 } else { i };
                partials[k][at] += of_element[k];
            }
        });
        for (input, partials) in self.inputs.iter().zip(&partials) {
            add(sweep, self.first, &input.operand, partials, &weights)?;
        }
        Ok(())
    }
}

/// Adds to the adjoints of an operand the `partials` of its elements, column by column, times the weight of each direction.
pub fn add(
    sweep: &mut Sweep<'_>,
    first: u32,
    to: &Operand,
    partials: &[f64],
    weights: &[f64],
) -> Result<()> {
    if !to.is_active() {
        return Ok(());
    }
    // Infinite partials are none of the business of a direction that is zero.
    for (k, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        let weighted: Vec<f64> = partials.iter().map(|partial| partial * weight).collect();
        sweep.split(first, 0).0.add_columns(to, k, &weighted)?;
    }
    Ok(())
}

/// The number of elements that arrays have; scalars fit all.
fn common_size<D: Density<K>, const K: usize>(inputs: &[Input; K]) -> Result<usize> {
    let names = D::ARGUMENTS.map(|(name, _)| name);
    let mut arrays = inputs
        .iter()
        .zip(names)
        .filter(|(input, _)| !input.is_scalar())
        .map(|(input, name)| (input.len(), name));
    let Some((n, name)) = arrays.next() else { return Ok(1) };
    match arrays.find(|&(other, _)| other != n) {
        None => Ok(n),
        Some((other, of)) => Err(Error::new(
            Code::Argument,
            format!("{}: {name} has {n} elements, but {of} has {other}", D::NAME),
        )),
    }
}

/// The log density `D` of all elements.
pub fn log_density<D: Density<K>, const K: usize>(
    tape: Option<&mut Tape>,
    inputs: [Input; K],
) -> Result<Var> {
    let n = common_size::<D, K>(&inputs)?;
    for (input, (name, domain)) in inputs.iter().zip(D::ARGUMENTS) {
        domain.check(D::NAME, name, input)?;
    }
    /// Terms that are summed before the whole takes part: the error grows with their number no longer.
    const BLOCK: usize = 128;
    let (mut total, mut block) = (0.0, 0.0);
    each(&inputs, n, D::ahead, |i, x, ahead| {
        block += D::log(x, ahead);
        if i % BLOCK == BLOCK - 1 {
            total += std::mem::take(&mut block);
        }
    });
    let value = total + block;
    let active = inputs.iter().any(|input| input.operand.is_active());
    let Some(tape) = tape.filter(|tape| tape.recording() && active) else {
        return Ok(Var { value, ..Var::default() });
    };
    for input in &inputs {
        tape.keep_operand(&input.operand, true)?;
    }
    let density = PhantomData::<fn() -> D>;
    let id = tape.record(1, |first, _| Observed::<D, K> { inputs, n, first, density })?;
    Ok(tape.value(value, id, 0))
}

/// The normal density of y with mean mu and standard deviation sigma.
pub struct Normal;

impl Density<3> for Normal {
    const NAME: &'static str = "normal_lpdf";
    const ARGUMENTS: [(&'static str, Domain); 3] =
        [("y", Domain::Finite), ("mu", Domain::Finite), ("sigma", Domain::Positive)];

    fn ahead(k: usize, x: f64) -> f64 {
        if k == 2 { x.ln() } else { 0.0 }
    }

    fn log([y, mu, sigma]: &[f64; 3], [_, _, ln_sigma]: &[f64; 3]) -> f64 {
        let z = (y - mu) / sigma;
        -0.5 * z * z - ln_sigma - HALF_LN_TAU
    }

    fn ahead_of_partials(_k: usize, _x: f64) -> f64 {
        0.0
    }

    fn partials([y, mu, sigma]: &[f64; 3], _: &[f64; 3]) -> [f64; 3] {
        let z = (y - mu) / sigma;
        [-z / sigma, z / sigma, (z - 1.0) * (z + 1.0) / sigma]
    }
}

/// The probability of y, 0 or 1, where that of 1 is inv_logit(alpha).
pub struct BernoulliLogit;

impl Density<2> for BernoulliLogit {
    const NAME: &'static str = "bernoulli_logit_lpmf";
    const ARGUMENTS: [(&'static str, Domain); 2] = [("y", Domain::Bit), ("alpha", Domain::Number)];

    fn log([y, alpha]: &[f64; 2], _: &[f64; 2]) -> f64 {
        -log1p_exp(if *y == 0.0 { *alpha } else { -alpha })
    }

    fn partials([y, alpha]: &[f64; 2], _: &[f64; 2]) -> [f64; 2] {
        [0.0, if *y == 0.0 { -inv_logit(*alpha) } else { inv_logit(-alpha) }]
    }
}

/// The probability of the count y, where exp(alpha) are expected.
pub struct PoissonLog;

impl Density<2> for PoissonLog {
    const NAME: &'static str = "poisson_log_lpmf";
    const ARGUMENTS: [(&'static str, Domain); 2] =
        [("y", Domain::Count), ("alpha", Domain::Number)];

    fn ahead(k: usize, x: f64) -> f64 {
        if k == 0 { lgamma(x + 1.0) } else { x.exp() }
    }

    fn log([y, alpha]: &[f64; 2], [ln_factorial, rate]: &[f64; 2]) -> f64 {
        if rate.is_infinite() {
            return f64::NEG_INFINITY;
        }
        // No count at no rate is certain.
        let power = if *y == 0.0 { 0.0 } else { y * alpha };
        power - rate - ln_factorial
    }

    fn ahead_of_partials(k: usize, x: f64) -> f64 {
        if k == 0 { 0.0 } else { x.exp() }
    }

    fn partials([y, _]: &[f64; 2], [_, rate]: &[f64; 2]) -> [f64; 2] {
        [0.0, y - rate]
    }
}

/// Student's t density of y with nu degrees of freedom, location mu and scale sigma.
pub struct StudentT;

impl Density<4> for StudentT {
    const NAME: &'static str = "student_t_lpdf";
    const ARGUMENTS: [(&'static str, Domain); 4] = [
        ("y", Domain::Finite),
        ("nu", Domain::Positive),
        ("mu", Domain::Finite),
        ("sigma", Domain::Positive),
    ];

    /// gamma((nu + 1) / 2) / gamma(nu / 2) by the beta function of nu / 2 and 1/2, since both are large where nu is.
    fn ahead(k: usize, x: f64) -> f64 {
        match k {
            1 => -lbeta(0.5 * x, 0.5) - 0.5 * x.ln(),
            3 => x.ln(),
            _ => 0.0,
        }
    }

    fn log([y, nu, mu, sigma]: &[f64; 4], [_, of_nu, _, ln_sigma]: &[f64; 4]) -> f64 {
        let z = (y - mu) / sigma;
        of_nu - ln_sigma - 0.5 * (nu + 1.0) * (z * z / nu).ln_1p()
    }

    fn ahead_of_partials(k: usize, x: f64) -> f64 {
        if k == 1 { -0.5 * (digamma_difference(0.5 * x, 0.5) + 1.0 / x) } else { 0.0 }
    }

    fn partials([y, nu, mu, sigma]: &[f64; 4], [_, of_nu, _, _]: &[f64; 4]) -> [f64; 4] {
        let z = (y - mu) / sigma;
        let q = z * z / nu;
        let pull = (nu + 1.0) / (nu + z * z) * z;
        let of_y = -pull / sigma;
        let by_nu = of_nu - 0.5 * q.ln_1p() + 0.5 * (pull * z / nu);
        [of_y, by_nu, -of_y, (pull * z - 1.0) / sigma]
    }
}

/// The gamma density of y with shape alpha and rate beta. There is none below zero.
pub struct Gamma;

impl Density<3> for Gamma {
    const NAME: &'static str = "gamma_lpdf";
    const ARGUMENTS: [(&'static str, Domain); 3] =
        [("y", Domain::Finite), ("alpha", Domain::Positive), ("beta", Domain::Positive)];

    fn ahead(k: usize, x: f64) -> f64 {
        match k {
            1 => lgamma(x),
            2 => x.ln(),
            _ => 0.0,
        }
    }

    fn log([y, alpha, beta]: &[f64; 3], [_, lgamma, ln_beta]: &[f64; 3]) -> f64 {
        if *y < 0.0 {
            return f64::NEG_INFINITY;
        }
        let power = if *alpha == 1.0 { 0.0 } else { multiply_log(alpha - 1.0, *y) };
        alpha * ln_beta - lgamma + power - beta * y
    }

    fn ahead_of_partials(k: usize, x: f64) -> f64 {
        match k {
            1 => digamma(x),
            2 => x.ln(),
            _ => 0.0,
        }
    }

    fn partials([y, alpha, beta]: &[f64; 3], [_, digamma, ln_beta]: &[f64; 3]) -> [f64; 3] {
        if *y < 0.0 {
            return [0.0; 3];
        }
        let of_y = if *alpha == 1.0 { -beta } else { (alpha - 1.0) / y - beta };
        [of_y, ln_beta - digamma + y.ln(), alpha / beta - y]
    }
}
