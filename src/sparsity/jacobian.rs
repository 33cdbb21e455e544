//! The pattern of a Jacobian: sets of inputs go up the recording, or sets of results down.

use super::pattern::{Pattern, number};
use super::sets::{EMPTY, Set, Sets};
use super::{Dependences, Var, numbers};
use crate::count::wide32;
use crate::error::Result;

/// Where the Jacobian of `y` by `x` may have elements: a row for each result. A passive result has none.
pub fn jacobian(of: &Dependences, x: &[Var], y: &[Var]) -> Result<Pattern> {
    let x = numbers("x", x, of)?;
    let y: Vec<Option<usize>> = y.iter().map(|y| of.node(y.id)).collect();
    let live = ancestors(of, y.iter().flatten().copied(), &x);
    Ok(either_way(of, &x, &y, &live))
}

/// The same of values that are numbered, through what is `live`.
pub fn either_way(of: &Dependences, x: &[usize], y: &[Option<usize>], live: &[bool]) -> Pattern {
    // A sum of many values makes large sets of inputs on the way up, and what many values depend on large sets of results on
    // the way down. Neither is known before.
    let patience = Some(16 * (of.operand_count() + of.len() + x.len() + y.len()));
    let up = |patience| upwards(of, x, y, live, patience);
    let down = |patience| downwards(of, x, y, live, patience);
    let pattern = if y.len() < x.len() {
        down(patience).or_else(|| up(patience)).or_else(|| down(None))
    } else {
        up(patience).or_else(|| down(patience)).or_else(|| up(None))
    };
    pattern.expect("without a limit to the work")
}

/// What `results` depend on, themselves included, down to the inputs.
pub fn ancestors(
    of: &Dependences,
    results: impl Iterator<Item = usize>,
    inputs: &[usize],
) -> Vec<bool> {
    let mut live = vec![false; of.len()];
    results.for_each(|k| live[k] = true);
    let mut is_input = vec![false; of.len()];
    inputs.iter().for_each(|&k| is_input[k] = true);
    for k in (0..of.len()).rev() {
        if live[k] && !is_input[k] {
            of.operands(k).for_each(|operand| live[operand] = true);
        }
    }
    live
}

/// What is behind nodes whose operands do not count: of pairs of a node and an element, that element behind the node; and what was
/// `received` behind what other ranks have sent. Also, which nodes these are.
pub fn given(
    of: &Dependences,
    sets: &mut Sets,
    inputs: impl Iterator<Item = (usize, u32)>,
    received: &[(usize, Vec<u32>)],
) -> (Vec<Set>, Vec<bool>) {
    let mut set = vec![EMPTY; of.len()];
    let mut is_given = vec![false; of.len()];
    for (k, element) in inputs {
        // An input that is given twice depends on both.
        let own = sets.singleton(element);
        set[k] = sets.union([set[k], own].into_iter());
        is_given[k] = true;
    }
    for (k, elements) in received {
        set[*k] = sets.of(elements);
        is_given[*k] = true;
    }
    (set, is_given)
}

pub fn upwards(
    of: &Dependences,
    x: &[usize],
    y: &[Option<usize>],
    live: &[bool],
    patience: Option<usize>,
) -> Option<Pattern> {
    let mut sets = Sets::below(x.len());
    let (mut set, is_given) = given(of, &mut sets, x.iter().copied().zip(0..), &[]);
    for k in (0..of.len()).filter(|&k| live[k] && !is_given[k]) {
        set[k] = sets.union(of.of_operands(k, &set));
        if patience.is_some_and(|patience| sets.work > patience) {
            return None;
        }
    }
    let mut pattern = Pattern::new(x.len());
    for y in y {
        let set = y.map_or(EMPTY, |k| set[k]);
        pattern.push(sets.get(set).iter().copied());
    }
    Some(pattern)
}

pub fn downwards(
    of: &Dependences,
    x: &[usize],
    y: &[Option<usize>],
    live: &[bool],
    patience: Option<usize>,
) -> Option<Pattern> {
    let mut is_input = vec![false; of.len()];
    x.iter().for_each(|&k| is_input[k] = true);
    // Of each value, those that are made of it.
    let made_of = |k: usize| live[k] && !is_input[k];
    let mut start = vec![0usize; of.len() + 1];
    for k in (0..of.len()).filter(|&k| made_of(k)) {
        of.operands(k).for_each(|operand| start[operand + 1] += 1);
    }
    for k in 0..of.len() {
        start[k + 1] += start[k];
    }
    let (mut next, mut user) = (start.clone(), vec![0u32; start[of.len()]]);
    for k in (0..of.len()).filter(|&k| made_of(k)) {
        for operand in of.operands(k) {
            user[next[operand]] = number(k);
            next[operand] += 1;
        }
    }
    let mut sets = Sets::below(y.len());
    let mut set = vec![EMPTY; of.len()];
    for (i, k) in y.iter().enumerate() {
        if let Some(k) = *k {
            let own = sets.singleton(number(i));
            set[k] = sets.union([set[k], own].into_iter());
        }
    }
    for k in (0..of.len()).rev().filter(|&k| live[k]) {
        let users = user[start[k]..start[k + 1]].iter().map(|&k| set[wide32(k)]);
        set[k] = sets.union(std::iter::once(set[k]).chain(users));
        if patience.is_some_and(|patience| sets.work > patience) {
            return None;
        }
    }
    let mut transposed = Pattern::new(y.len());
    for &k in x {
        transposed.push(sets.get(set[k]).iter().copied());
    }
    Some(transposed.transposed())
}
