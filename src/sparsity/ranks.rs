//! Patterns of what ranks compute together: values of one rank are made of values of others.
//!
//! Each rank knows what its own values depend on, and which values of other ranks are made of which of its own: its links. What
//! is behind a value, or needs it, spreads through a rank's recording at once, and from rank to rank in rounds, until a round
//! brings nothing new to anyone: as many as messages depend on each other.

use super::jacobian::{ancestors, either_way};
use super::pattern::{Pattern, number};
use crate::count::wide32;
use crate::error::{Code, Error, Result};
use crate::tape::Dependences;
use std::collections::HashSet;
use std::ops::Range;

/// How ranks talk. All of them make the same calls.
pub trait Exchange {
    fn rank(&self) -> usize;
    fn ranks(&self) -> usize;
    /// Sends words to each rank, and returns those that each has for this one.
    fn exchange(&mut self, out: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>>;
    /// Whether it is so on any rank.
    fn any(&mut self, here: bool) -> Result<bool>;
}

/// A rank without others.
pub struct Alone;

impl Exchange for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn ranks(&self) -> usize {
        1
    }

    fn exchange(&mut self, out: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>> {
        Ok(out)
    }

    fn any(&mut self, here: bool) -> Result<bool> {
        Ok(here)
    }
}

const fn pair(a: u32, b: u32) -> u64 {
    (a as u64) << 32 | b as u64
}

#[allow(clippy::cast_possible_truncation)] // the halves of a word
const fn halves(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, word as u32)
}

/// The number of the first element of each rank, and of all: elements are numbered rank by rank.
pub fn numbering(n: usize, ranks: &mut impl Exchange) -> Result<Vec<u32>> {
    let counts = ranks.exchange(vec![vec![n as u64]; ranks.ranks()])?;
    let mut first = vec![0];
    let mut total = 0u64;
    for count in counts {
        total += count.first().copied().unwrap_or(0);
        first.push(u32::try_from(total).map_err(|_| {
            Error::new(Code::Limit, format!("sparsity: more than {} inputs of all ranks", u32::MAX))
        })?);
    }
    Ok(first)
}

/// Values of this rank of which others have made values, and what was made here of theirs. The `i`th that is sent to a rank is the
/// `i`th that the rank receives from this one.
#[derive(Debug, Default)]
pub struct Links {
    sent: Vec<Vec<usize>>,
    received: Vec<Vec<usize>>,
}

impl Links {
    /// Whether no messages were looked at, not even those of a rank to itself.
    pub fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }

    /// `made[r]` has pairs of an id here, and of one that rank `r` has made of it.
    pub fn new(
        of: &Dependences,
        made: &[Vec<(u32, u32)>],
        ranks: &mut impl Exchange,
    ) -> Result<Self> {
        let (mut sent, mut out) = (Vec::new(), Vec::new());
        for made in made {
            // What is older than the recording is constant.
            let known =
                made.iter().filter_map(|&(id, there)| Some((of.node(id)?, u64::from(there))));
            let (own, there): (Vec<usize>, Vec<u64>) = known.unzip();
            sent.push(own);
            out.push(there);
        }
        let of_rank =
            |words: &Vec<u64>| words.iter().map(|&word| of.node(halves(word).1)).collect();
        let received: Option<Vec<Vec<usize>>> = ranks.exchange(out)?.iter().map(of_rank).collect();
        Ok(Self { sent, received: received.expect("names of what was recorded here") })
    }
}

/// Tells the other ends of links which of them have news. Returns whether there are any.
fn tell(
    links: (&[Vec<usize>], &[Vec<usize>]),
    told: &mut [Vec<bool>],
    flags: &mut [bool],
    ranks: &mut impl Exchange,
) -> Result<bool> {
    let (from, to) = links;
    let mut out = vec![Vec::new(); ranks.ranks()];
    for ((nodes, told), out) in from.iter().zip(told).zip(&mut out) {
        for (at, (&node, told)) in nodes.iter().zip(told).enumerate() {
            if flags[node] && !*told {
                *told = true;
                out.push(at as u64);
            }
        }
    }
    if !ranks.any(out.iter().any(|words| !words.is_empty()))? {
        return Ok(false);
    }
    for (words, nodes) in ranks.exchange(out)?.iter().zip(to) {
        words.iter().for_each(|&at| flags[nodes[crate::count::wide(at)]] = true);
    }
    Ok(true)
}

fn none_told(links: &[Vec<usize>]) -> Vec<Vec<bool>> {
    links.iter().map(|nodes| vec![false; nodes.len()]).collect()
}

/// What `results` of any rank depend on, down to the inputs.
pub fn needed(
    of: &Dependences,
    links: &Links,
    results: impl Iterator<Item = usize>,
    inputs: &[usize],
    ranks: &mut impl Exchange,
) -> Result<Vec<bool>> {
    let mut live = ancestors(of, results, inputs);
    let mut told = none_told(&links.received);
    while tell((&links.received, &links.sent), &mut told, &mut live, ranks)? {
        let known = live.iter().enumerate().filter(|&(_, &live)| live).map(|(k, _)| k);
        live = ancestors(of, known, inputs);
    }
    Ok(live)
}

/// Which live values depend on any of `inputs`, of any rank.
pub fn dependent(
    of: &Dependences,
    links: &Links,
    inputs: &[usize],
    live: &[bool],
    ranks: &mut impl Exchange,
) -> Result<Vec<bool>> {
    let mut depends = vec![false; of.len()];
    inputs.iter().for_each(|&k| depends[k] = true);
    let mut told = none_told(&links.sent);
    loop {
        for k in 0..of.len() {
            depends[k] =
                depends[k] || live[k] && of.of_operands(k, &depends).any(|depends| depends);
        }
        if !tell((&links.sent, &links.received), &mut told, &mut depends, ranks)? {
            return Ok(depends);
        }
    }
}

/// The live ends of links, each once.
fn ends(links: &[Vec<usize>], live: &[bool]) -> Vec<usize> {
    let mut nodes: Vec<usize> = links.iter().flatten().copied().filter(|&k| live[k]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// What other ranks' inputs are behind what was received.
struct Spread<'a> {
    links: &'a Links,
    /// Live values that are sent, and the pattern of these by the own inputs and by what is received.
    sent: &'a [usize],
    pattern: &'a Pattern,
    received: &'a [usize],
    /// The numbers of the own inputs.
    own: Range<u32>,
}

/// A set that grows, and what it has gained since it was last told.
#[derive(Default, Clone)]
struct Growing {
    all: HashSet<u32>,
    new: Vec<u32>,
}

impl Growing {
    fn put(&mut self, element: u32) {
        if self.all.insert(element) {
            self.new.push(element);
        }
    }
}

impl Spread<'_> {
    /// What is behind each that is received, in ascending order.
    fn run(&self, ranks: &mut impl Exchange) -> Result<Vec<Vec<u32>>> {
        let n = wide32(self.own.end - self.own.start);
        let mut sent = vec![Growing::default(); self.sent.len()];
        let mut received = vec![Growing::default(); self.received.len()];
        for (i, sent) in sent.iter_mut().enumerate() {
            let inputs = self.pattern.row(i).iter().filter(|&&j| wide32(j) < n);
            inputs.for_each(|&j| sent.put(self.own.start + j));
        }
        let users = self.pattern.transposed();
        loop {
            let out = self.news(&mut sent);
            if !ranks.any(out.iter().any(|words| !words.is_empty()))? {
                break;
            }
            self.take(&ranks.exchange(out)?, &mut received);
            for (k, received) in received.iter_mut().enumerate() {
                let new = std::mem::take(&mut received.new);
                for &i in users.row(n + k) {
                    new.iter().for_each(|&element| sent[wide32(i)].put(element));
                }
            }
        }
        let sorted = |growing: Growing| {
            let mut all: Vec<u32> = growing.all.into_iter().collect();
            all.sort_unstable();
            all
        };
        Ok(received.into_iter().map(sorted).collect())
    }

    /// What each rank is to hear: the link, and what is new behind it.
    fn news(&self, sent: &mut [Growing]) -> Vec<Vec<u64>> {
        let of_rank = |nodes: &Vec<usize>| {
            let mut words = Vec::new();
            for (at, node) in nodes.iter().enumerate() {
                if let Ok(k) = self.sent.binary_search(node) {
                    words.extend(sent[k].new.iter().map(|&element| pair(number(at), element)));
                }
            }
            words
        };
        let out = self.links.sent.iter().map(of_rank).collect();
        sent.iter_mut().for_each(|sent| sent.new.clear());
        out
    }

    fn take(&self, news: &[Vec<u64>], received: &mut [Growing]) {
        for (words, nodes) in news.iter().zip(&self.links.received) {
            for (at, element) in words.iter().map(|&word| halves(word)) {
                if let Ok(k) = self.received.binary_search(&nodes[wide32(at)]) {
                    received[k].put(element);
                }
            }
        }
    }
}

/// What inputs of all ranks are behind what this one has received, as far as it is live.
pub fn behind_received(
    of: &Dependences,
    links: &Links,
    x: &[usize],
    own: Range<u32>,
    live: &[bool],
    ranks: &mut impl Exchange,
) -> Result<Vec<(usize, Vec<u32>)>> {
    let (sent, received) = (ends(&links.sent, live), ends(&links.received, live));
    let columns: Vec<usize> = x.iter().chain(&received).copied().collect();
    let rows: Vec<Option<usize>> = sent.iter().copied().map(Some).collect();
    let pattern = match rows[..] {
        [] => Pattern::new(columns.len()),
        _ => either_way(of, &columns, &rows, live),
    };
    let spread = Spread { links, sent: &sent, pattern: &pattern, received: &received, own };
    let sets = spread.run(ranks)?;
    Ok(received.into_iter().zip(sets).collect())
}

/// As `jacobian` of numbered values, on ranks: the rows of this rank's results, by the inputs of all ranks.
pub fn jacobian_on_ranks(
    of: &Dependences,
    links: &Links,
    x: &[usize],
    y: &[Option<usize>],
    ranks: &mut impl Exchange,
) -> Result<Pattern> {
    let first = numbering(x.len(), ranks)?;
    let own = first[ranks.rank()]..first[ranks.rank() + 1];
    let live = needed(of, links, y.iter().flatten().copied(), x, ranks)?;
    let received = behind_received(of, links, x, own.clone(), &live, ranks)?;
    let columns: Vec<usize> = x.iter().copied().chain(received.iter().map(|r| r.0)).collect();
    let local = either_way(of, &columns, y, &live);
    let mut pattern = Pattern::new(wide32(*first.last().expect("one more than ranks")));
    let mut row: Vec<u32> = Vec::new();
    for i in 0..local.rows() {
        row.clear();
        for &j in local.row(i) {
            match wide32(j).checked_sub(x.len()) {
                None => row.push(own.start + j),
                Some(k) => row.extend(&received[k].1),
            }
        }
        row.sort_unstable();
        row.dedup();
        pattern.push(row.iter().copied());
    }
    Ok(pattern)
}

/// Pairs of numbers go to the rank that has the first, which numbers it anew.
pub fn brought_home(
    pairs: impl Iterator<Item = (u32, u32)>,
    first: &[u32],
    ranks: &mut impl Exchange,
) -> Result<Vec<(u32, u32)>> {
    let mut out = vec![Vec::new(); ranks.ranks()];
    for (i, j) in pairs {
        let owner = first.partition_point(|&first| first <= i) - 1;
        out[owner].push(pair(i - first[owner], j));
    }
    let home = ranks.exchange(out)?;
    Ok(home.iter().flatten().map(|&word| halves(word)).collect())
}
