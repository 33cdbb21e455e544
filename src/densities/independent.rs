//! Log densities of independent observations: the sum over all elements, each density one event.

use crate::elementary;
use crate::error::{Code, Error, Number, Result};
use crate::linalg::total;
use crate::matrix::{Input, Operand};
use crate::special::{HALF_LN_TAU, digamma, digamma_difference, lbeta, lgamma, multiply_log};
use crate::tape::{Event, Sweep, Tape, Var};
use std::f64::consts::LN_2;
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
    pub fn holds(self, x: f64) -> bool {
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

    pub const fn words(self) -> &'static str {
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
                    Number(values[i]),
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

    /// Writes what `log` needs of argument `k` alone, where it needs anything; once for a scalar. The same for `partials`.
    fn ahead(_k: usize, _x: &[f64], _made: &mut [f64]) {}
    fn ahead_of_partials(k: usize, x: &[f64], made: &mut [f64]) {
        Self::ahead(k, x, made);
    }
    /// The log density of one element.
    fn log(x: &[f64; K], ahead: &[f64; K]) -> f64;
    /// Its partial derivatives.
    fn partials(x: &[f64; K], ahead: &[f64; K]) -> [f64; K];
}

/// Elements that are worked on at once, so that simple densities are computed by vector instructions.
pub const CHUNK: usize = 64;
pub type Chunk<const K: usize> = [[f64; CHUNK]; K];

/// Calls `f` for some of `n` elements at a time: with the number of the first, how many they are, their arguments, and what
/// `ahead` makes of these. The rest of a chunk repeats its first element.
fn each_chunk<const K: usize>(
    inputs: &[Input; K],
    n: usize,
    ahead: impl Fn(usize, &[f64], &mut [f64]),
    mut f: impl FnMut(usize, usize, &Chunk<K>, &Chunk<K>),
) {
    let values = inputs.each_ref().map(Input::values);
    let (mut x, mut made) = ([[0.0; CHUNK]; K], [[0.0; CHUNK]; K]);
    for k in (0..K).filter(|&k| inputs[k].is_scalar()) {
        x[k].fill(values[k][0]);
        let mut one = [0.0];
        ahead(k, &values[k], &mut one);
        made[k].fill(one[0]);
    }
    for first in (0..n).step_by(CHUNK) {
        let len = CHUNK.min(n - first);
        for k in (0..K).filter(|&k| !inputs[k].is_scalar()) {
            x[k][..len].copy_from_slice(&values[k][first..first + len]);
            x[k][len..].fill(values[k][first]);
            ahead(k, &x[k], &mut made[k]);
        }
        f(first, len, &x, &made);
    }
}

fn of_each(x: &[f64], made: &mut [f64], f: impl Fn(f64) -> f64) {
    made.iter_mut().zip(x).for_each(|(made, &x)| *made = f(x));
}

/// Element `l` of a chunk.
#[inline]
fn at<const K: usize>(chunk: &Chunk<K>, l: usize) -> [f64; K] {
    std::array::from_fn(|k| chunk[k][l])
}

/// The sum of the log densities of the first `len` elements.
pub fn log_of<D: Density<K>, const K: usize>(x: &Chunk<K>, ahead: &Chunk<K>, len: usize) -> f64 {
    let logs: [f64; CHUNK] = std::array::from_fn(|l| D::log(&at(x, l), &at(ahead, l)));
    total(&logs[..len])
}

/// The partial derivatives of all elements.
pub fn partials_of<D: Density<K>, const K: usize>(x: &Chunk<K>, ahead: &Chunk<K>) -> Chunk<K> {
    let mut partials = [[0.0; CHUNK]; K];
    (0..CHUNK).for_each(|l| {
        let of_element = D::partials(&at(x, l), &at(ahead, l));
        for (partials, of_element) in partials.iter_mut().zip(of_element) {
            partials[l] = of_element;
        }
    });
    partials
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
        let room = |input: &Input| if input.operand.is_active() { input.len() } else { 0 };
        let rooms = self.inputs.each_ref().map(room);
        let mut scratch = sweep.scratch(rooms.iter().sum());
        let mut rest = &mut *scratch;
        let mut partials = rooms.map(|room| rest.split_off_mut(..room).expect("room for all"));
        each_chunk(&self.inputs, self.n, D::ahead_of_partials, |first, len, x, made| {
            let of_chunk = partials_of::<D, K>(x, made);
            for k in (0..K).filter(|&k| rooms[k] > 0) {
                if self.inputs[k].is_scalar() {
                    partials[k][0] += total(&of_chunk[k][..len]);
                } else {
                    partials[k][first..first + len].copy_from_slice(&of_chunk[k][..len]);
                }
            }
        });
        for (input, partials) in self.inputs.iter().zip(&partials) {
            add(sweep, self.first, &input.operand, partials, &weights)?;
        }
        sweep.recycle(scratch);
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
    for (k, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
        sweep.split(first, 0).0.add_columns(to, k, partials, weight)?;
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
    let mut value = 0.0;
    each_chunk(&inputs, n, D::ahead, |_, len, x, made| {
        value += log_of::<D, K>(x, made, len);
    });
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

    fn ahead(k: usize, x: &[f64], made: &mut [f64]) {
        if k == 2 {
            elementary::log(x, made, None);
        }
    }

    fn log([y, mu, sigma]: &[f64; 3], [_, _, ln_sigma]: &[f64; 3]) -> f64 {
        let z = (y - mu) / sigma;
        -0.5 * z * z - ln_sigma - HALF_LN_TAU
    }

    fn ahead_of_partials(_k: usize, _x: &[f64], _made: &mut [f64]) {}

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

    /// log(1 + exp(-|alpha|)), of which both probabilities are made.
    fn ahead(k: usize, x: &[f64], made: &mut [f64]) {
        if k == 1 {
            elementary::log1p_exp(&of_distance(x)[..x.len()], made, None);
        }
    }

    fn log([y, alpha]: &[f64; 2], [_, rest]: &[f64; 2]) -> f64 {
        -(against(*y, *alpha).max(0.0) + rest)
    }

    /// The smaller one of the probabilities.
    fn ahead_of_partials(k: usize, x: &[f64], made: &mut [f64]) {
        if k == 1 {
            elementary::inv_logit(&of_distance(x)[..x.len()], made, None);
        }
    }

    fn partials([y, alpha]: &[f64; 2], [_, small]: &[f64; 2]) -> [f64; 2] {
        let missed = if against(*y, *alpha) > 0.0 { 1.0 - small } else { *small };
        [0.0, if *y == 0.0 { -missed } else { missed }]
    }
}

/// The logit of what was not observed.
fn against(y: f64, alpha: f64) -> f64 {
    if y == 0.0 { alpha } else { -alpha }
}

/// -|x| for at most a chunk of elements.
fn of_distance(x: &[f64]) -> [f64; CHUNK] {
    let mut distance = [0.0; CHUNK];
    of_each(x, &mut distance, |x| -x.abs());
    distance
}

/// The probability of the count y, where exp(alpha) are expected.
pub struct PoissonLog;

impl Density<2> for PoissonLog {
    const NAME: &'static str = "poisson_log_lpmf";
    const ARGUMENTS: [(&'static str, Domain); 2] =
        [("y", Domain::Count), ("alpha", Domain::Number)];

    fn ahead(k: usize, x: &[f64], made: &mut [f64]) {
        match k {
            0 => of_each(x, made, |x| lgamma(x + 1.0)),
            _ => elementary::exp(x, made, None),
        }
    }

    fn log([y, alpha]: &[f64; 2], [ln_factorial, rate]: &[f64; 2]) -> f64 {
        if rate.is_infinite() {
            return f64::NEG_INFINITY;
        }
        // No count at no rate is certain.
        let power = if *y == 0.0 { 0.0 } else { y * alpha };
        power - rate - ln_factorial
    }

    fn ahead_of_partials(k: usize, x: &[f64], made: &mut [f64]) {
        if k == 1 {
            elementary::exp(x, made, None);
        }
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
    fn ahead(k: usize, x: &[f64], made: &mut [f64]) {
        match k {
            1 => of_each(x, made, |x| -lbeta(0.5 * x, 0.5) - 0.5 * x.ln()),
            3 => elementary::log(x, made, None),
            _ => {}
        }
    }

    fn log([y, nu, mu, sigma]: &[f64; 4], [_, of_nu, _, ln_sigma]: &[f64; 4]) -> f64 {
        of_nu - ln_sigma - 0.5 * (nu + 1.0) * tail(*y, *nu, *mu, *sigma)
    }

    fn ahead_of_partials(k: usize, x: &[f64], made: &mut [f64]) {
        if k == 1 {
            of_each(x, made, |x| -0.5 * (digamma_difference(0.5 * x, 0.5) + 1.0 / x));
        }
    }

    /// With z = (y - mu) / sigma, by q = (nu + 1) z^2 / (nu + z^2), without squares of large z.
    fn partials([y, nu, mu, sigma]: &[f64; 4], [_, of_nu, _, _]: &[f64; 4]) -> [f64; 4] {
        let z = (y - mu) / sigma;
        let (q, of_mu) = if z.abs() <= 1.0 {
            let pull = (nu + 1.0) / (nu + z * z) * z;
            (pull * z, pull / sigma)
        } else {
            let q = (nu + 1.0) / (1.0 + nu / z / z);
            (q, 0.5 * q / half_distance(*y, *mu))
        };
        let of_nu = of_nu - 0.5 * tail(*y, *nu, *mu, *sigma) + 0.5 * (q / nu);
        [-of_mu, of_nu, of_mu, (q - 1.0) / sigma]
    }
}

/// (y - mu) / 2, which is in range where y - mu may not be.
fn half_distance(y: f64, mu: f64) -> f64 {
    0.5 * y - 0.5 * mu
}

/// log(1 + z^2 / nu) for z = (y - mu) / sigma, which may be past the range.
fn tail(y: f64, nu: f64, mu: f64, sigma: f64) -> f64 {
    /// From here on 1 is nothing beside it.
    const FAR: f64 = 1e16;
    let z = (y - mu) / sigma;
    let square = z / nu * z;
    if square < FAR {
        square.ln_1p()
    } else {
        2.0 * (half_distance(y, mu).abs().ln() + LN_2 - sigma.ln()) - nu.ln()
    }
}

/// The gamma density of y with shape alpha and rate beta. There is none below zero.
pub struct Gamma;

impl Density<3> for Gamma {
    const NAME: &'static str = "gamma_lpdf";
    const ARGUMENTS: [(&'static str, Domain); 3] =
        [("y", Domain::Finite), ("alpha", Domain::Positive), ("beta", Domain::Positive)];

    fn ahead(k: usize, x: &[f64], made: &mut [f64]) {
        match k {
            1 => of_each(x, made, lgamma),
            2 => elementary::log(x, made, None),
            _ => {}
        }
    }

    fn log([y, alpha, beta]: &[f64; 3], [_, lgamma, ln_beta]: &[f64; 3]) -> f64 {
        if *y < 0.0 {
            return f64::NEG_INFINITY;
        }
        let power = if *alpha == 1.0 { 0.0 } else { multiply_log(alpha - 1.0, *y) };
        alpha * ln_beta - lgamma + power - beta * y
    }

    fn ahead_of_partials(k: usize, x: &[f64], made: &mut [f64]) {
        match k {
            1 => of_each(x, made, digamma),
            2 => elementary::log(x, made, None),
            _ => {}
        }
    }

    fn partials([y, alpha, beta]: &[f64; 3], [_, digamma, ln_beta]: &[f64; 3]) -> [f64; 3] {
        if *y < 0.0 {
            return [0.0; 3];
        }
        // From the right at 0, whatever its sign.
        let of_y = if *alpha == 1.0 { -beta } else { (alpha - 1.0) / y.abs() - beta };
        [of_y, ln_beta - digamma + y.ln(), alpha / beta - y]
    }
}
