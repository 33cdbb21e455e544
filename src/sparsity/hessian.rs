//! The pattern of a Hessian, from the recording of a derivative in a direction.
//!
//! The derivative is linear in the direction. Where one of its statements has operands that depend on the direction and others
//! that do not, the latter are factors of the former: the Hessian may have an element for each input behind a factor and each
//! component of the direction behind what it multiplies, and it has none without such a statement. More is known of no
//! statement: of a sum of two products each factor counts for both, so that the pattern may have more than the Hessian.

use super::jacobian::{ancestors, inputs_of};
use super::pattern::Pattern;
use super::sets::{EMPTY, Sets};
use super::{Dependences, Var, numbers};
use crate::error::{Code, Error, Result};
use std::collections::HashSet;

/// Where the Hessian by `x` may have elements of the function whose derivative in direction `v`, an input too, is `y`.
pub fn hessian(of: &Dependences, x: &[Var], v: &[Var], y: &Var) -> Result<Pattern> {
    let (x, v) = (numbers("x", x, of)?, numbers("v", v, of)?);
    if x.len() != v.len() {
        let text = format!("v has {} elements, but x has {}", v.len(), x.len());
        return Err(Error::new(Code::Argument, text));
    }
    let inputs: Vec<usize> = x.iter().chain(&v).copied().collect();
    let live = ancestors(of, of.node(y.id).into_iter(), &inputs);
    let along = depend_on(of, &v, &live);
    let mut is_mixed = vec![false; of.len()];
    let mut is_input = vec![false; of.len()];
    inputs.iter().for_each(|&k| is_input[k] = true);
    for k in (0..of.len()).filter(|&k| live[k] && along[k] && !is_input[k]) {
        is_mixed[k] = of.operands(k).any(|operand| !along[operand]);
    }
    // Sums that are nowhere a factor need no sets: they would be the largest.
    let factors = (0..of.len()).filter(|&k| is_mixed[k]).flat_map(|k| of.operands(k));
    let wanted = ancestors(of, factors, &inputs);
    let mut sets = Sets::below(x.len());
    let of_x = inputs_of(of, &mut sets, &x, &only(&wanted, |k| !along[k]), None)
        .expect("without a limit to the work");
    let of_v = inputs_of(of, &mut sets, &v, &only(&wanted, |k| along[k]), None)
        .expect("without a limit to the work");
    let (mut met, mut pairs) = (HashSet::new(), Vec::new());
    let (mut factors, mut moved) = (Vec::new(), Vec::new());
    for k in (0..of.len()).filter(|&k| is_mixed[k]) {
        for operand in of.operands(k) {
            if along[operand] {
                moved.push(of_v[operand]);
            } else {
                factors.push(of_x[operand]);
            }
        }
        let both = (sets.union(&mut factors), sets.union(&mut moved));
        if both.0 == EMPTY || both.1 == EMPTY || !met.insert(both) {
            continue;
        }
        for &i in sets.get(both.0) {
            for &j in sets.get(both.1) {
                pairs.push((i, j));
                if i != j {
                    pairs.push((j, i));
                }
            }
        }
    }
    Ok(Pattern::of_pairs(x.len(), x.len(), pairs))
}

/// Which live values depend on any of `inputs`.
fn depend_on(of: &Dependences, inputs: &[usize], live: &[bool]) -> Vec<bool> {
    let mut depends = vec![false; of.len()];
    inputs.iter().for_each(|&k| depends[k] = true);
    for k in 0..of.len() {
        depends[k] = depends[k] || (live[k] && of.operands(k).any(|operand| depends[operand]));
    }
    depends
}

fn only(live: &[bool], f: impl Fn(usize) -> bool) -> Vec<bool> {
    live.iter().enumerate().map(|(k, &live)| live && f(k)).collect()
}
