//! The pattern of a Hessian, from the recording of a derivative in a direction.
//!
//! The derivative is linear in the direction. Where one of its statements has operands that depend on the direction and others
//! that do not, the latter are factors of the former: the Hessian may have an element for each input behind a factor and each
//! component of the direction behind what it multiplies, and it has none without such a statement. More is known of no
//! statement: of a sum of two products each factor counts for both, so that the pattern may have more than the Hessian.
//! Messages and reductions multiply nothing: on ranks all factors are found where the statement is.

use super::jacobian::given;
use super::pattern::{Pattern, number};
use super::ranks::{
    Alone, Exchange, Links, behind_received, brought_home, dependent, needed, numbering,
};
use super::sets::{Set, Sets};
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
    let mut mixed = vec![false; of.len()];
    for k in 0..of.len() {
        let is_made = live[k] && along[k] && !is_input[k];
        mixed[k] = is_made && of.of_operands(k, &along).any(|along| !along);
    }
    // Sums that are nowhere a factor need no sets: they would be the largest.
    let factors = (0..of.len()).filter(|&k| mixed[k]).flat_map(|k| of.operands(k));
    let wanted = needed(of, links, factors, &inputs, ranks)?;
    let (mut from_x, mut from_v) = (Vec::new(), Vec::new());
    if !links.is_empty() {
        let fixed = only(&wanted, |k| !along[k]);
        let moving = only(&wanted, |k| along[k]);
        from_x = behind_received(of, links, x, own.clone(), &fixed, ranks)?;
        from_v = behind_received(of, links, v, own.clone(), &moving, ranks)?;
    }
    let names = Names::new(own, from_x.iter().chain(&from_v).map(|(_, inputs)| inputs));
    let named = |received: Vec<(usize, Vec<u32>)>| -> Vec<(usize, Vec<u32>)> {
        let called = |inputs: Vec<u32>| inputs.into_iter().map(|input| names.name(input)).collect();
        received.into_iter().map(|(k, inputs)| (k, called(inputs))).collect()
    };
    let received = [named(from_x), named(from_v)].concat();
    let mut sets = Sets::below(names.len());
    let inputs = x.iter().copied().zip(0..).chain(v.iter().copied().zip(0..));
    // Of what depends on the direction the components, of all other values the inputs.
    let (mut behind, is_given) = given(of, &mut sets, inputs, &received);
    let mut products = Products::default();
    for k in (0..of.len()).filter(|&k| !is_given[k]) {
        if mixed[k] {
            let factors = of.operands(k).filter(|&operand| !along[operand]).map(|k| behind[k]);
            let moved = of.operands(k).filter(|&operand| along[operand]).map(|k| behind[k]);
            let (factors, moved) = (sets.union(factors), sets.union(moved));
            products.add(&sets, factors, moved);
            behind[k] = moved;
        } else if wanted[k] {
            behind[k] = sets.union(of.of_operands(k, &behind));
        }
    }
    let found = Pattern::symmetric(names.len(), &products.pairs);
    if ranks.ranks() == 1 {
        return Ok(found);
    }
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

/// Pairs that a product may give again, since to remember them would take longer.
const FEW: usize = 4;

/// Each input behind a factor with each component of the direction behind what it multiplies.
#[derive(Default)]
struct Products {
    pairs: Vec<(u32, u32)>,
    last: (Set, Set),
    met: HashSet<u64, BuildHasherDefault<Mixed>>,
}

impl Products {
    fn add(&mut self, sets: &Sets, factors: Set, moved: Set) {
        let (rows, columns) = (sets.get(factors), sets.get(moved));
        // A few pairs may come again, many are remembered.
        if (factors, moved) == self.last
            || rows.len() * columns.len() > FEW
                && !self.met.insert(u64::from(factors) << 32 | u64::from(moved))
        {
            return;
        }
        self.last = (factors, moved);
        for &i in rows {
            self.pairs.extend(columns.iter().map(|&j| (i, j)));
        }
    }
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
