//! The pattern of a Hessian, from the recording of a derivative in a direction.
//!
//! The derivative is linear in the direction. Where one of its statements has operands that depend on the direction and others
//! that do not, the latter are factors of the former: the Hessian may have an element for each input behind a factor and each
//! component of the direction behind what it multiplies, and it has none without such a statement. More is known of no
//! statement: of a sum of two products each factor counts for both, so that the pattern may have more than the Hessian.
//! Messages and reductions multiply nothing: on ranks all factors are found where the statement is.

use super::jacobian::behind;
use super::pattern::{Pattern, number};
use super::ranks::{
    Alone, Exchange, Links, behind_received, brought_home, dependent, needed, numbering,
};
use super::sets::{EMPTY, Set, Sets};
use super::{Dependences, Var, numbers};
use crate::count::wide32;
use crate::error::{Code, Error, Result};
use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

/// Where the Hessian by `x` may have elements of the function whose derivative in direction `v`, an input too, is `y`.
pub fn hessian(of: &Dependences, x: &[Var], v: &[Var], y: &Var) -> Result<Pattern> {
    let (x, v) = inputs(of, x, v)?;
    hessian_on_ranks(of, &Links::default(), (&x, &v), of.node(y.id), &mut Alone)
}

/// Their numbers: as many of one as of the other.
pub fn inputs(of: &Dependences, x: &[Var], v: &[Var]) -> Result<(Vec<usize>, Vec<usize>)> {
    let (x, v) = (numbers("x", x, of)?, numbers("v", v, of)?);
    if x.len() != v.len() {
        let text = format!("v has {} elements, but x has {}", v.len(), x.len());
        return Err(Error::new(Code::Argument, text));
    }
    Ok((x, v))
}

/// As `hessian` of numbered values, on ranks: the rows of this rank's inputs, by the inputs of all ranks.
pub fn hessian_on_ranks(
    of: &Dependences,
    links: &Links,
    (x, v): (&[usize], &[usize]),
    y: Option<usize>,
    ranks: &mut impl Exchange,
) -> Result<Pattern> {
    let first = numbering(x.len(), ranks)?;
    let own = first[ranks.rank()]..first[ranks.rank() + 1];
    let inputs: Vec<usize> = x.iter().chain(v).copied().collect();
    let live = needed(of, links, y.into_iter(), &inputs, ranks)?;
    let along = dependent(of, links, v, &live, ranks)?;
    let mut is_input = vec![false; of.len()];
    inputs.iter().for_each(|&k| is_input[k] = true);
    let is_mixed = |k: usize| {
        live[k] && along[k] && !is_input[k] && of.operands(k).any(|operand| !along[operand])
    };
    let mixed: Vec<usize> = (0..of.len()).filter(|&k| is_mixed(k)).collect();
    // Sums that are nowhere a factor need no sets: they would be the largest.
    let factors = mixed.iter().flat_map(|&k| of.operands(k));
    let wanted = needed(of, links, factors, &inputs, ranks)?;
    let fixed = only(&wanted, |k| !along[k]);
    let moving = only(&wanted, |k| along[k]);
    let from_x = behind_received(of, links, x, own.clone(), &fixed, ranks)?;
    let from_v = behind_received(of, links, v, own.clone(), &moving, ranks)?;
    let names = Names::new(own, from_x.iter().chain(&from_v).map(|(_, inputs)| inputs));
    let named = |received: Vec<(usize, Vec<u32>)>| -> Vec<(usize, Vec<u32>)> {
        let called = |inputs: Vec<u32>| inputs.into_iter().map(|input| names.name(input)).collect();
        received.into_iter().map(|(k, inputs)| (k, called(inputs))).collect()
    };
    let (from_x, from_v) = (named(from_x), named(from_v));
    let mut sets = Sets::below(names.len());
    let mut inputs_of = |x, received: &[_], live: &[_]| {
        behind(of, &mut sets, x, received, live, None).expect("without a limit to the work")
    };
    let of_x = inputs_of(x, &from_x, &fixed);
    let of_v = inputs_of(v, &from_v, &moving);
    let pairs = products(of, &mixed, &along, (&of_x, &of_v), &mut sets);
    let found = Pattern::of_pairs(names.len(), names.len(), &pairs);
    let numbered = found.pairs().map(|(i, j)| (names.input(i), names.input(j)));
    let home = brought_home(numbered, &first, ranks)?;
    let all = wide32(*first.last().expect("one more than ranks"));
    Ok(Pattern::of_pairs(x.len(), all, &home))
}

/// A hash of pairs of small numbers.
#[derive(Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ mixed >> 32;
    }
}

/// Each input behind a factor with each component of the direction behind what it multiplies, and the other way round.
fn products(
    of: &Dependences,
    mixed: &[usize],
    along: &[bool],
    (of_x, of_v): (&[Set], &[Set]),
    sets: &mut Sets,
) -> Vec<(u32, u32)> {
    let mut met: HashSet<u64, BuildHasherDefault<Mixed>> = HashSet::default();
    let mut pairs = Vec::new();
    let (mut factors, mut moved) = (Vec::new(), Vec::new());
    for &k in mixed {
        for operand in of.operands(k) {
            if along[operand] {
                moved.push(of_v[operand]);
            } else {
                factors.push(of_x[operand]);
            }
        }
        let both = (sets.union(&mut factors), sets.union(&mut moved));
        if both.0 == EMPTY
            || both.1 == EMPTY
            || !met.insert(u64::from(both.0) << 32 | u64::from(both.1))
        {
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
    pairs
}

/// What the numbers of all ranks' inputs are called here: the own ones from 0 on, then others that were heard of.
struct Names {
    own: Range<u32>,
    others: Vec<u32>,
}

impl Names {
    fn new<'a>(own: Range<u32>, heard: impl Iterator<Item = &'a Vec<u32>>) -> Self {
        let mut others: Vec<u32> =
            heard.flatten().copied().filter(|number| !own.contains(number)).collect();
        others.sort_unstable();
        others.dedup();
        Self { own, others }
    }

    fn of_own(&self) -> u32 {
        self.own.end - self.own.start
    }

    fn len(&self) -> usize {
        wide32(self.of_own()) + self.others.len()
    }

    fn name(&self, input: u32) -> u32 {
        if self.own.contains(&input) {
            return input - self.own.start;
        }
        self.of_own() + number(self.others.partition_point(|&other| other < input))
    }

    fn input(&self, name: u32) -> u32 {
        match name.checked_sub(self.of_own()) {
            None => self.own.start + name,
            Some(other) => self.others[wide32(other)],
        }
    }
}

fn only(live: &[bool], f: impl Fn(usize) -> bool) -> Vec<bool> {
    live.iter().enumerate().map(|(k, &live)| live && f(k)).collect()
}
