//! The schedule of two levels: states in memory, and states on a disk, at a price for writing and reading. Herrmann and Pallez,
//! H-Revolve (2020), a dynamic program; and for loops whose end is not known, Aupy and Herrmann, Periodicity in optimal hierarchical
//! checkpointing schemes (2017). Pure arithmetic.
#![forbid(unsafe_code)]

use super::binomial;
use crate::count::wide;
use crate::error::{Code, Error, Result};

/// About how many choices are compared. Longer loops keep states on disk at multiples of some blocks.
const WORK: u64 = 1 << 26;
/// The same where only the cost is asked for, of many schedules.
const WORK_OF_COST: u64 = 1 << 20;

/// What a disk offers: how many states, and what one costs, in runs of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disk {
    pub snapshots: u64,
    pub write: f64,
    pub read: f64,
}

impl Disk {
    /// The same where a run is one of a block of so many steps.
    pub fn of_blocks(self, steps: u64) -> Self {
        #[allow(clippy::cast_precision_loss)] // a block of 2^53 steps is not recorded
        let steps = steps as f64;
        Self { write: self.write / steps, read: self.read / steps, ..self }
    }

    pub fn check(self) -> Result<()> {
        let wrong = |text| Err(Error::new(Code::Argument, text));
        if self.snapshots == 0 {
            return wrong("time_loop: snapshots = 0 on disk is less than 1".to_owned());
        }
        for (name, cost) in [("write", self.write), ("read", self.read)] {
            if !(0.0..f64::INFINITY).contains(&cost) {
                return wrong(format!(
                    "time_loop: {name} = {cost} is not a cost: give the number of steps that take as long"
                ));
            }
        }
        Ok(())
    }
}

/// What to do from a state on disk, and before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Choice {
    /// Cells to run before the next state is kept on disk; 0: the rest is done in memory.
    advance: u16,
    /// Whether a state is worth being kept on disk.
    write: bool,
}

#[derive(Debug, PartialEq)]
pub struct TwoLevel {
    cells: u64,
    /// The blocks of a cell.
    cell: u64,
    /// By states on disk from 1 on, and in these by cells.
    choices: Vec<Choice>,
    disk: u64,
    cost: f64,
}

impl TwoLevel {
    /// `write` and `read` of the disk are in runs of a block here.
    pub fn new(blocks: u64, memory: u64, disk: Disk) -> Self {
        Self::with_work(blocks, memory, disk, WORK)
    }

    /// About what the best schedule costs, in runs of a block: those without being recorded, the first run included, and what it
    /// writes and reads.
    pub fn least(blocks: u64, memory: u64, disk: Disk) -> f64 {
        Self::with_work(blocks, memory, disk, WORK_OF_COST).cost
    }

    fn with_work(blocks: u64, memory: u64, disk: Disk, work: u64) -> Self {
        let most = disk.snapshots.min(blocks).max(1);
        let cells = blocks.min((2 * work / most).isqrt().max(64));
        let cell = blocks.div_ceil(cells.max(1)).max(1);
        let cells = blocks.div_ceil(cell);
        let row = wide(cells) + 1;
        #[allow(clippy::cast_precision_loss)] // costs are compared, not counted
        let in_memory: Vec<f64> = (0..row as u64)
            .map(|k| binomial::least((k * cell).min(blocks), memory) as f64)
            .collect();
        let (mut choices, mut fewer) = (Vec::new(), in_memory.clone());
        let mut levels = 0;
        for _ in 0..most {
            let (before, best) = with_one_more(&in_memory, &fewer, cell, disk);
            let same = before == fewer;
            if same && levels > 0 {
                // More states on disk are of no use.
                break;
            }
            choices.extend(best);
            levels += 1;
            fewer = before;
        }
        let cost = fewer[wide(cells)];
        Self { cells, cell, choices, disk: levels, cost }
    }

    fn choice(&self, blocks: u64, free: u64) -> Choice {
        let cells = blocks.div_ceil(self.cell).min(self.cells);
        let level = free.min(self.disk).max(1) - 1;
        self.choices[wide(level) * (wide(self.cells) + 1) + wide(cells)]
    }

    /// From a state on disk, with `free` of these, itself among them: how many of `blocks` to run before the next one.
    /// None if the rest is done in memory.
    pub fn advance(&self, blocks: u64, free: u64) -> Option<u64> {
        let cells = u64::from(self.choice(blocks, free).advance);
        Some(cells * self.cell).filter(|&n| n > 0 && n < blocks)
    }

    /// Whether a state with `blocks` to go is kept on disk, where `free` states may be kept.
    pub fn writes(&self, blocks: u64, free: u64) -> bool {
        free > 0 && self.choice(blocks, free).write
    }
}

/// The cost of each number of cells with one more state on disk than `fewer` has, and the best choices.
#[allow(clippy::cast_precision_loss)]
fn with_one_more(
    in_memory: &[f64],
    fewer: &[f64],
    cell: u64,
    disk: Disk,
) -> (Vec<f64>, Vec<Choice>) {
    let cell = cell as f64;
    let row = in_memory.len();
    // The cost from a state on disk, and from one that is not kept yet.
    let (mut on_disk, mut before) = (vec![0.0; row], vec![0.0; row]);
    let mut choices = vec![Choice::default(); row];
    for n in 1..row {
        let mut least = in_memory[n];
        for j in 1..n {
            let cost = j as f64 * cell + fewer[n - j] + disk.read + on_disk[j];
            if cost < least {
                least = cost;
                choices[n].advance = u16::try_from(j).unwrap_or(u16::MAX);
            }
        }
        on_disk[n] = least;
        choices[n].write = disk.write + least < in_memory[n];
        before[n] = in_memory[n].min(disk.write + least);
    }
    (before, choices)
}

/// Every how many blocks a state is kept on disk if the end is not known: so that a block costs least in the long run, where
/// `memory` states are kept between.
#[allow(clippy::cast_precision_loss)]
pub fn period(memory: u64, disk: Disk) -> u64 {
    let (memory, mut best, mut least) = (memory.saturating_add(1), 1, f64::INFINITY);
    // The cost is least where one more block would have to be run once more.
    let (mut reach, mut t) = (1u64, 0u64);
    while t < 64 {
        let cost = (disk.write + disk.read + binomial::least(reach, memory) as f64) / reach as f64;
        if cost < least {
            (best, least) = (reach, cost);
        }
        t += 1;
        let next = u128::from(reach) * (u128::from(memory) + u128::from(t)) / u128::from(t);
        match u64::try_from(next) {
            Ok(next) if next < 1 << 40 => reach = next,
            _ => break,
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dear_disk_is_not_used_and_a_cheap_one_is() {
        let dear = Disk { snapshots: 10, write: 1e9, read: 1e9 };
        assert!(!TwoLevel::new(500, 5, dear).writes(500, 10));
        let cheap = Disk { snapshots: 10, write: 0.0, read: 0.0 };
        let levels = TwoLevel::new(500, 5, cheap);
        assert!(levels.writes(500, 10));
        assert!(levels.advance(500, 10).is_some());
        assert_eq!(levels.advance(1, 10), None);
    }

    #[test]
    fn long_loops_have_schedules() {
        let disk = Disk { snapshots: 1000, write: 2.0, read: 2.0 };
        let levels = TwoLevel::new(1_000_000, 10, disk);
        let n = levels.advance(1_000_000, 1000).unwrap();
        assert!((1..1_000_000).contains(&n));
    }

    #[test]
    fn the_period_grows_with_the_price() {
        let period = |price| period(10, Disk { snapshots: 1, write: price, read: price });
        // 12 over 1, and 15 over 4: the cost of a block is 4.6 runs there, and 4.9 at 16 over 5.
        assert_eq!((period(1.0), period(500.0)), (12, 1365));
    }
}
