//! The mixed schedule: a unit of memory holds the state before a block or the recorded block. Maddison, Step-based checkpointing
//! with high-level algorithmic differentiation (2024): a dynamic program. Pure arithmetic.
#![forbid(unsafe_code)]

use super::binomial;
use crate::count::wide;

/// Beyond so many blocks the binomial schedule comes first, which is nearly as good there.
pub const LONGEST: u64 = 1024;

/// For each number of units and of blocks that do not fit into them: how many blocks to run from a state that is kept.
#[derive(Debug, PartialEq, Eq)]
pub struct Mixed {
    units: u64,
    longest: u64,
    /// By units from 2 on, and in these by blocks.
    advance: Vec<u16>,
    cost: u64,
}

impl Mixed {
    pub fn new(blocks: u64, units: u64) -> Self {
        let longest = blocks.min(LONGEST);
        let units = units.min(longest.saturating_sub(1)).max(1);
        let row = wide(longest) + 1;
        let mut advance = Vec::with_capacity(row * wide(units - 1));
        let with_one = |n: u64| if n <= 1 { n } else { n * (n + 1) / 2 - 1 };
        let mut fewer: Vec<u64> = (0..row as u64).map(with_one).collect();
        for have in 2..=units {
            let (cost, best) = best(&fewer, wide(have));
            advance.extend(best);
            fewer = cost;
        }
        let cost = fewer[wide(longest)].saturating_sub(longest);
        Self { units, longest, advance, cost }
    }

    /// The blocks that are run without being recorded, the first run included, if they are not more than `LONGEST`.
    pub const fn cost(&self) -> u64 {
        self.cost
    }

    /// From a state, with `free` units, that of the state among them: how many of `blocks` to run before the next is kept. None if
    /// all of them are recorded at once, each but the last in a unit.
    pub fn advance(&self, blocks: u64, free: u64) -> Option<u64> {
        let free = free.max(1);
        if blocks <= free.saturating_add(1) {
            return None;
        }
        if free == 1 {
            return Some(blocks - 1);
        }
        if blocks > self.longest {
            return Some(binomial::advance(blocks, free));
        }
        let row = wide(self.longest) + 1;
        let at = wide(free.min(self.units) - 2) * row + wide(blocks);
        Some(u64::from(self.advance[at]))
    }
}

/// What `have` units cost for each number of blocks, if one fewer cost `fewer`, and the best first choices.
fn best(fewer: &[u64], have: usize) -> (Vec<u64>, Vec<u16>) {
    let row = fewer.len();
    let (mut cost, mut best) = (Vec::with_capacity(row), vec![0; row]);
    for n in 0..row {
        if n <= have + 1 {
            cost.push(n as u64);
            continue;
        }
        let choices = (2..n).map(|i| (i as u64 + cost[i] + fewer[n - i], n - i));
        let (least, rest) = choices.min().unwrap_or((u64::MAX, 1));
        cost.push(least);
        best[n] = u16::try_from(n - rest).unwrap_or(u16::MAX);
    }
    (cost, best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_recorded() {
        let mixed = Mixed::new(100, 10);
        assert_eq!(mixed.advance(11, 10), None);
        assert!(mixed.advance(12, 10).is_some_and(|n| (1..12).contains(&n)));
        assert_eq!(mixed.advance(5, 1), Some(4));
        let long = Mixed::new(1_000_000, 10);
        assert!(long.advance(1_000_000, 10).is_some_and(|n| (1..1_000_000).contains(&n)));
        assert_eq!(Mixed::new(1, 1).advance(1, 1), None);
    }
}
