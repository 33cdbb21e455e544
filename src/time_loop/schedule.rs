//! Schedules: at which steps of a loop the state is kept. Pure arithmetic.
//!
//! Steps come in blocks, which are recorded as a whole. Between blocks the binomial schedule applies: Griewank and Walther,
//! Algorithm 799: revolve (2000).
#![forbid(unsafe_code)]

use crate::error::{Code, Error, Result};

/// What a user chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Everything on the tape.
    All,
    /// The state before every so many steps.
    Blocks(u64),
    /// At most so many states, before blocks of so many steps, so that the fewest steps are run again.
    Binomial { snapshots: u64, block: u64 },
}

impl Kind {
    pub fn check(self) -> Result<()> {
        let (name, value) = match self {
            Self::Blocks(0) | Self::Binomial { block: 0, .. } => ("block", 0),
            Self::Binomial { snapshots: 0, .. } => ("snapshots", 0),
            _ => return Ok(()),
        };
        Err(Error::new(Code::Argument, format!("time_loop: {name} = {value} is less than 1")))
    }
}

/// The schedule of one loop. It counts in blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    pub steps: u64,
    /// Steps of a block; the last one may have fewer.
    pub block: u64,
    /// Most states kept, beside the one before the last block.
    pub snapshots: u64,
}

impl Schedule {
    /// That of a loop of `steps`; none if all of it is to be on the tape.
    pub fn new(kind: Kind, steps: u64) -> Option<Self> {
        match kind {
            Kind::All => None,
            Kind::Blocks(block) => Some(Self { steps, block, snapshots: u64::MAX }),
            Kind::Binomial { snapshots, block } => Some(Self { steps, block, snapshots }),
        }
    }

    pub const fn blocks(&self) -> u64 {
        self.steps.div_ceil(self.block)
    }

    /// The steps of a block.
    pub fn range(&self, block: u64) -> std::ops::Range<u64> {
        let first = block * self.block;
        first..first.saturating_add(self.block).min(self.steps)
    }

    /// Where the next state is kept on the way from the state before block `from`, the newest of `kept`, to that before
    /// block `target`; `target` itself if there is none between.
    pub fn next(&self, from: u64, target: u64, kept: u64) -> u64 {
        let free = self.snapshots.saturating_sub(kept.saturating_sub(1)).max(1);
        (from + advance(target + 1 - from, free)).min(target)
    }
}

/// The number of blocks that `snapshots` can reverse if none is run more than `repeated` times: a binomial coefficient.
fn reach(snapshots: u64, repeated: u64) -> u64 {
    let (few, many) = (snapshots.min(repeated), snapshots.max(repeated));
    let mut reach = 1u128;
    for i in 1..=few {
        reach = reach * (u128::from(many) + u128::from(i)) / u128::from(i);
        if reach > u128::from(u64::MAX) {
            return u64::MAX;
        }
    }
    u64::try_from(reach).unwrap_or(u64::MAX)
}

/// How often a block must be run before it is recorded, at least, for `blocks` with `snapshots`.
fn repetitions(blocks: u64, snapshots: u64) -> u64 {
    if snapshots == 1 {
        return blocks.saturating_sub(1);
    }
    (0..).find(|&repeated| reach(snapshots, repeated) >= blocks).unwrap_or(0)
}

/// From the newest of `snapshots` states, with `blocks` to go: how many blocks to run before the next state is kept. Of the best
/// choices the largest.
fn advance(blocks: u64, snapshots: u64) -> u64 {
    if blocks <= 1 {
        return 0;
    }
    if snapshots >= blocks {
        return 1;
    }
    if snapshots == 1 {
        return blocks - 1;
    }
    let t = repetitions(blocks, snapshots);
    reach(snapshots, t - 1).min(blocks - reach(snapshots - 1, t - 1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks run and not recorded, by the formula of Griewank and Walther.
    fn least(blocks: u64, snapshots: u64) -> u64 {
        let t = repetitions(blocks, snapshots);
        if t == 0 { 0 } else { t * blocks - reach(snapshots + 1, t - 1) }
    }

    /// The same, by doing what a loop does: the first run keeps states, the sweep runs blocks again.
    fn run(schedule: &Schedule) -> u64 {
        let (last, mut kept, mut advanced) = (schedule.blocks() - 1, vec![0], 0);
        let mut target = last;
        loop {
            while *kept.last().unwrap() > target {
                kept.pop();
            }
            let mut at = *kept.last().unwrap();
            while at < target {
                let next = schedule.next(at, target, kept.len() as u64);
                advanced += next - at;
                at = next;
                if at < target {
                    kept.push(at);
                }
                assert!(kept.len() as u64 <= schedule.snapshots);
            }
            if target == 0 {
                return advanced;
            }
            target -= 1;
        }
    }

    #[test]
    fn binomial_runs_the_fewest_steps() {
        // What the package checkpoint-schedules says of each: steps, snapshots, steps run without being recorded.
        let mut cases = 0;
        for line in include_str!("../../tests/data/binomial_schedules.txt").lines() {
            if line.starts_with('#') {
                continue;
            }
            let row: Vec<u64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            let [steps, snapshots, advanced] = row[..] else { panic!("{line}") };
            let kind = Kind::Binomial { snapshots, block: 1 };
            let schedule = Schedule::new(kind, steps).unwrap();
            assert_eq!(least(steps, snapshots), advanced, "{line}");
            assert_eq!(run(&schedule), advanced, "{line}");
            cases += 1;
        }
        assert_eq!(cases, 200 * 20);
    }

    #[test]
    fn blocks_are_run_once() {
        let schedule = Schedule::new(Kind::Blocks(7), 100).unwrap();
        assert_eq!((schedule.blocks(), run(&schedule)), (15, 14));
        assert_eq!(schedule.range(14), 98..100);
        assert!(Schedule::new(Kind::All, 100).is_none());
    }

    #[test]
    fn long_loops_have_schedules() {
        for snapshots in [1, 2, 3, 10, 1000, u64::MAX] {
            let n = advance(1_000_000_000_000, snapshots);
            assert!((1..1_000_000_000_000).contains(&n), "{snapshots}: {n}");
        }
        assert!(Kind::Blocks(0).check().is_err());
        assert!(Kind::Binomial { snapshots: 0, block: 1 }.check().is_err());
    }
}
