//! The schedule that does a loop in the memory there is with the fewest steps run again. Pure arithmetic.
#![forbid(unsafe_code)]

use super::binomial;
use super::mixed::{LONGEST, Mixed};
use super::schedule::Kind;
use super::two_level::{Disk, TwoLevel};

/// In bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// What a state takes that is kept.
    pub state: u64,
    /// What a recorded step takes, with its adjoints.
    pub record: u64,
    pub budget: u64,
}

/// Later steps may record more than the first, which was measured.
const fn with_reserve(budget: u64) -> u64 {
    budget / 4 * 3
}

/// The runs of a step without being recorded, and what it writes and reads, if `snapshots` states are kept in memory, before blocks,
/// and others on the disk that there may be.
#[allow(clippy::cast_precision_loss)] // costs are compared, not counted
fn cost(steps: u64, snapshots: u64, block: u64, disk: Option<Disk>) -> f64 {
    let blocks = steps.div_ceil(block);
    block as f64
        * match disk {
            None => binomial::least(blocks, snapshots) as f64,
            Some(disk) => TwoLevel::least(blocks, snapshots, disk.of_blocks(block)),
        }
}

/// The best for a loop of `steps`, which may be unknown.
#[allow(clippy::cast_precision_loss)]
pub fn choose(sizes: Sizes, steps: Option<u64>, disk: Option<Disk>) -> Kind {
    let Sizes { state, record, budget } =
        Sizes { state: sizes.state.max(8), budget: with_reserve(sizes.budget), ..sizes };
    let Some(steps) = steps else {
        // A block as large as a state, and states in the rest.
        let block = (state / record).clamp(1, (budget / 8 / record).max(1));
        let snapshots = (budget.saturating_sub(block * record) / state).max(1);
        return Kind::Binomial { snapshots, block };
    };
    if steps.saturating_mul(record) <= budget {
        return Kind::All;
    }
    let (mut best, mut least) = (Kind::Binomial { snapshots: 1, block: 1 }, f64::INFINITY);
    let mut block = 1;
    while block <= steps && (block == 1 || block * record <= budget / 2) {
        let blocks = steps.div_ceil(block);
        let spare = budget.saturating_sub(block * record);
        let snapshots = (spare / state).max(1);
        let cost = cost(steps, snapshots, block, disk);
        if cost < least {
            (best, least) = (Kind::Binomial { snapshots, block }, cost);
        }
        // A unit holds a state, or a block. What the disk offers is left alone.
        let units = spare / state.max(block * record);
        if units > 0 && blocks <= LONGEST && blocks * blocks * units < 1 << 26 {
            let cost = Mixed::new(blocks, units).cost() as f64 * block as f64;
            if cost < least {
                (best, least) = (Kind::Mixed { units, block }, cost);
            }
        }
        block *= 2;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_on_the_tape() {
        let sizes = Sizes { state: 100, record: 1000, budget: 2_000_000 };
        assert_eq!(choose(sizes, Some(1000), None), Kind::All);
        assert_ne!(choose(sizes, Some(2000), None), Kind::All);
    }

    /// What a choice takes.
    fn bytes(sizes: Sizes, kind: Kind) -> u64 {
        match kind {
            Kind::Binomial { snapshots, block } => snapshots * sizes.state + block * sizes.record,
            Kind::Mixed { units, block } => {
                units * sizes.state.max(block * sizes.record) + block * sizes.record
            }
            _ => panic!("{kind:?}"),
        }
    }

    #[test]
    fn the_budget_is_kept() {
        for state in [8, 1000, 100_000] {
            for record in [100, 10_000, 1_000_000] {
                for budget in [2_000_000, 50_000_000, 1_000_000_000] {
                    let sizes = Sizes { state, record, budget };
                    for steps in [Some(10_000_000), None] {
                        let kind = choose(sizes, steps, None);
                        assert!(bytes(sizes, kind) <= budget, "{sizes:?} {steps:?} {kind:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn recorded_steps_are_kept_if_they_are_small() {
        // 1000 steps of the size of a state: as published.
        let sizes = Sizes { state: 1000, record: 1000, budget: 4000 * 11 / 3 + 4 };
        assert_eq!(choose(sizes, Some(1000), None), Kind::Mixed { units: 10, block: 1 });
        let large = Sizes { state: 1000, record: 1_000_000, budget: 4_000_000 };
        assert!(matches!(choose(large, Some(1000), None), Kind::Binomial { .. }));
        // A dear disk changes nothing, and a cheap one is worth more than records.
        let disk = |price| Some(Disk { snapshots: 1000, write: price, read: price });
        for sizes in [sizes, large] {
            assert_eq!(choose(sizes, Some(1000), disk(1e9)), choose(sizes, Some(1000), None));
        }
        assert!(matches!(choose(sizes, Some(1000), disk(0.1)), Kind::Binomial { .. }));
        // There is nothing to be had.
        let none = Sizes { state: 1000, record: 1000, budget: 0 };
        assert_eq!(choose(none, Some(9), None), Kind::Binomial { snapshots: 1, block: 1 });
    }
}
