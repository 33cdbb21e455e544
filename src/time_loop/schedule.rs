//! Schedules: what a user chooses, and what follows from it for one loop. Pure arithmetic.
//!
//! Steps come in blocks, which are recorded as a whole. Schedules count in blocks.
#![forbid(unsafe_code)]

use super::mixed::Mixed;
use super::two_level::{self, Disk, TwoLevel};
use crate::error::{Code, Error, Result};
use std::rc::Rc;

/// What a user chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What the first steps take, and the memory there is, decide.
    Auto,
    /// Everything on the tape.
    All,
    /// The state before every so many steps.
    Blocks(u64),
    /// At most so many states, before blocks of so many steps, so that the fewest steps are run again.
    Binomial { snapshots: u64, block: u64 },
    /// At most so many states and recorded blocks.
    Mixed { units: u64, block: u64 },
}

impl Kind {
    /// By which ranks compare it.
    pub const fn number(self) -> i64 {
        match self {
            Self::All => 0,
            Self::Blocks(_) => 1,
            Self::Binomial { .. } => 2,
            Self::Mixed { .. } => 3,
            Self::Auto => 4,
        }
    }

    /// Its name, snapshots or units, and block.
    pub const fn words(self) -> (&'static str, u64, u64) {
        match self {
            Self::All => ("all", 0, 0),
            Self::Blocks(block) => ("blocks", 0, block),
            Self::Binomial { snapshots, block } => ("binomial", snapshots, block),
            Self::Mixed { units, block } => ("mixed", units, block),
            Self::Auto => ("auto", 0, 0),
        }
    }

    pub fn check(self) -> Result<()> {
        let (name, value) = match self {
            Self::Blocks(0) | Self::Binomial { block: 0, .. } | Self::Mixed { block: 0, .. } => {
                ("block", 0)
            }
            Self::Binomial { snapshots: 0, .. } => ("snapshots", 0),
            Self::Mixed { units: 0, .. } => ("units", 0),
            _ => return Ok(()),
        };
        Err(Error::new(Code::Argument, format!("time_loop: {name} = {value} is less than 1")))
    }
}

/// Where states are kept, and recorded blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum Policy {
    /// States in memory: the binomial schedule.
    Memory { snapshots: u64 },
    /// All states on disk.
    AllOnDisk,
    /// States and recorded blocks in memory. The table is made when the number of blocks is known.
    Mixed { units: u64, table: Option<Rc<Mixed>> },
    /// States in memory and on disk.
    TwoLevel { memory: u64, disk: u64, table: Rc<TwoLevel> },
    /// States on disk before every so many blocks, and in memory between them.
    Periodic { memory: u64, period: u64 },
}

/// The schedule of one loop.
#[derive(Debug, PartialEq)]
pub struct Schedule {
    /// None as long as the loop has not ended, where only its end tells.
    pub steps: Option<u64>,
    /// Steps of a block; the last one may have fewer.
    pub block: u64,
    pub policy: Policy,
}

impl Schedule {
    /// That of a loop of `steps`; none if all of it is to be on the tape.
    pub fn new(kind: Kind, steps: Option<u64>, disk: Option<Disk>) -> Option<Self> {
        let (block, policy) = match kind {
            Kind::Auto | Kind::All => return None,
            Kind::Blocks(block) if disk.is_some() => (block, Policy::AllOnDisk),
            Kind::Blocks(block) => (block, Policy::Memory { snapshots: u64::MAX }),
            Kind::Binomial { snapshots, block } => {
                (block, Self::binomial(snapshots, block, steps, disk))
            }
            Kind::Mixed { units, block } => (block, Policy::Mixed { units, table: None }),
        };
        let mut schedule = Self { steps: None, block, policy };
        if let Some(steps) = steps {
            schedule.end(steps);
        }
        Some(schedule)
    }

    fn binomial(snapshots: u64, block: u64, steps: Option<u64>, disk: Option<Disk>) -> Policy {
        let Some(disk) = disk else { return Policy::Memory { snapshots } };
        let disk = disk.of_blocks(block);
        match steps {
            None => {
                let period = two_level::period(snapshots, disk);
                Policy::Periodic { memory: snapshots, period }
            }
            Some(steps) => {
                let table = TwoLevel::new(steps.div_ceil(block), snapshots, disk);
                Policy::TwoLevel { memory: snapshots, disk: disk.snapshots, table: Rc::new(table) }
            }
        }
    }

    /// The loop has `steps` steps.
    pub fn end(&mut self, steps: u64) {
        self.steps = Some(steps);
        let blocks = self.blocks();
        if let Policy::Mixed { units, table: table @ None } = &mut self.policy {
            *table = Some(Rc::new(Mixed::new(blocks, *units)));
        }
    }

    /// Those that the loop is known to have.
    pub fn blocks(&self) -> u64 {
        self.steps.unwrap_or(0).div_ceil(self.block)
    }

    /// The steps of a block; of the last one it has perhaps fewer.
    pub fn range(&self, block: u64) -> std::ops::Range<u64> {
        let first = block * self.block;
        first..first.saturating_add(self.block).min(self.steps.unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_have_steps() {
        let schedule = Schedule::new(Kind::Blocks(7), Some(100), None).unwrap();
        assert_eq!((schedule.blocks(), schedule.range(14)), (15, 98..100));
        assert!(Schedule::new(Kind::All, Some(100), None).is_none());
        let mut online = Schedule::new(Kind::Blocks(7), None, None).unwrap();
        assert_eq!(online.range(14), 98..105);
        online.end(100);
        assert_eq!(online.range(14), 98..100);
    }

    #[test]
    fn nothing_is_less_than_one() {
        assert!(Kind::Blocks(0).check().is_err());
        assert!(Kind::Binomial { snapshots: 0, block: 1 }.check().is_err());
        assert!(Kind::Mixed { units: 0, block: 1 }.check().is_err());
    }
}
