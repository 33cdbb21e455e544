//! What is to be done next in a loop: from the schedule, the states that are kept and where the loop stands. Whoever does it tells
//! the plan. It knows of no tape.
#![forbid(unsafe_code)]

use super::binomial::{advance, least};
use super::schedule::{Policy, Schedule};

/// Where something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Memory,
    Disk,
    /// A recorded block, rather than a state.
    Tape,
}

/// One thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The state is to be kept.
    Store(Place),
    /// The newest state that is kept becomes the present one.
    Restore,
    /// One that is kept is not needed any more.
    Drop(usize),
    /// The blocks up to this one are run without being recorded.
    Advance(u64),
    /// The present block is recorded, and stays on the tape.
    Record,
    /// The newest recorded block is reversed and forgotten.
    Reverse,
}

impl Action {
    /// For a trace.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Store(_) => "store state",
            Self::Restore => "restore state",
            Self::Drop(_) => "drop state",
            Self::Advance(_) => "advance",
            Self::Record => "record block",
            Self::Reverse => "reverse block",
        }
    }
}

/// Something that is kept: the state before a block, or the block.
#[derive(Debug)]
pub struct Kept<T> {
    pub block: u64,
    pub place: Place,
    pub data: T,
}

/// Where a loop stands.
#[derive(Debug)]
pub struct Plan<T> {
    pub schedule: Schedule,
    /// In the order of their blocks. The first is the state before the loop.
    pub kept: Vec<Kept<T>>,
    /// The block that the state is the one before, if any.
    pub at: Option<u64>,
    /// The blocks that are to be reversed.
    pub left: u64,
}

impl<T> Plan<T> {
    pub fn new(schedule: Schedule) -> Self {
        Self { schedule, kept: Vec::new(), at: Some(0), left: 0 }
    }

    /// A sweep begins.
    pub fn turn(&mut self) {
        (self.at, self.left) = (None, self.schedule.blocks());
    }

    /// What is kept in a place.
    pub fn count(&self, place: Place) -> u64 {
        self.kept.iter().filter(|kept| kept.place == place).count() as u64
    }

    /// The state before block `at`, if it is kept.
    fn here(&self, at: u64) -> Option<Place> {
        let newest = self.kept.last()?;
        (newest.block == at && newest.place != Place::Tape).then_some(newest.place)
    }

    /// The next action of the first run. Recorded blocks are not kept then, but the states before them. None at the end, if that
    /// is known.
    pub fn ahead(&self) -> Option<Action> {
        let at = self.at?;
        if self.schedule.steps.is_none() {
            return Some(self.ahead_without_end(at));
        }
        if at == self.schedule.blocks() {
            return None;
        }
        Some(match (self.choose(at, self.schedule.blocks()), self.here(at)) {
            (Action::Record | Action::Drop(_), None) => Action::Store(Place::Memory),
            (Action::Record | Action::Drop(_), Some(_)) => Action::Advance(at + 1),
            (action, _) => action,
        })
    }

    fn ahead_without_end(&self, at: u64) -> Action {
        let here = self.here(at).is_some();
        match self.schedule.policy {
            Policy::Periodic { period, .. } if here => Action::Advance(at.saturating_add(period)),
            _ if here => Action::Advance(at + 1),
            Policy::Memory { snapshots: most } | Policy::Mixed { units: most, .. } => {
                if self.kept.len() as u64 <= most {
                    Action::Store(Place::Memory)
                } else {
                    Action::Drop(self.least_missed(at))
                }
            }
            _ => Action::Store(Place::Disk),
        }
    }

    /// Which state to do without so that the fewest blocks would be run again if the loop ended after block `at`. The first stays,
    /// and that before `at` is kept beside the others.
    fn least_missed(&self, at: u64) -> usize {
        let slots = self.kept.len() - 1;
        let start = |i: usize| self.kept.get(i).map_or(at, |kept| kept.block);
        let cost =
            |from: usize, to: usize, states: usize| least(start(to) - start(from), states as u64);
        let mut before: u64 = (0..slots - 1).map(|i| cost(i, i + 1, slots - i)).sum();
        let (mut after, mut missed, mut fewest) = (0, slots, u64::MAX);
        for k in (1..=slots).rev() {
            let all = before + cost(k - 1, k + 1, slots + 1 - k) + after;
            if all <= fewest {
                (missed, fewest) = (k, all);
            }
            if k > 1 {
                before -= cost(k - 2, k - 1, slots + 2 - k);
                after += cost(k, k + 1, slots + 1 - k);
            }
        }
        missed
    }

    /// The next action of a sweep; none at its end.
    pub fn back(&self) -> Option<Action> {
        let newest = self.kept.last().filter(|_| self.left > 0)?;
        if newest.place == Place::Tape && newest.block + 1 == self.left {
            return Some(Action::Reverse);
        }
        Some(match self.at {
            Some(at) => self.choose(at, self.left),
            None if newest.block >= self.left => Action::Drop(self.kept.len() - 1),
            None => Action::Restore,
        })
    }

    /// What to do with the state before block `at` if the blocks before `end` are to be reversed.
    fn choose(&self, at: u64, end: u64) -> Action {
        let (n, here) = (end - at, self.here(at));
        if n == 1 {
            return Action::Record;
        }
        match &self.schedule.policy {
            Policy::AllOnDisk if here.is_some() => Action::Advance(at + 1),
            Policy::AllOnDisk => Action::Store(Place::Disk),
            Policy::Memory { snapshots } => self.in_memory(at, n, *snapshots),
            Policy::Mixed { units, table } => {
                let used = self.units_in_use() - u64::from(here.is_some());
                let free = units.saturating_sub(used);
                match (table.as_ref().and_then(|table| table.advance(n, free)), here) {
                    (Some(_), None) => Action::Store(Place::Memory),
                    (Some(blocks), Some(_)) => Action::Advance(at + blocks),
                    (None, Some(_)) if at > 0 => Action::Drop(self.kept.len() - 1),
                    (None, _) => Action::Record,
                }
            }
            Policy::TwoLevel { memory, disk, table } => {
                let on_disk = self.count(Place::Disk);
                let newest = self.kept.last().map(|kept| kept.place);
                match here {
                    Some(Place::Disk) => match table.advance(n, *disk + 1 - on_disk) {
                        Some(blocks) => Action::Advance(at + blocks),
                        None => Action::Store(Place::Memory),
                    },
                    None if newest != Some(Place::Memory)
                        && table.writes(n, disk.saturating_sub(on_disk)) =>
                    {
                        Action::Store(Place::Disk)
                    }
                    _ => self.in_memory(at, n, *memory),
                }
            }
            Policy::Periodic { memory, period } => match here {
                None if at.is_multiple_of(*period) => Action::Store(Place::Disk),
                Some(Place::Disk) if n > *period => Action::Advance(at + period),
                // The state on disk is one of those between which the blocks lie.
                _ => self.between(at, n, memory.saturating_add(1), self.count(Place::Memory) + 1),
            },
        }
    }

    /// The binomial schedule with `most` states in memory.
    fn in_memory(&self, at: u64, n: u64, most: u64) -> Action {
        self.between(at, n, most, self.count(Place::Memory))
    }

    fn between(&self, at: u64, n: u64, most: u64, kept: u64) -> Action {
        if self.here(at).is_none() {
            return Action::Store(Place::Memory);
        }
        Action::Advance(at + advance(n, most.saturating_sub(kept.saturating_sub(1)).max(1)))
    }

    /// The state before the loop, which later sweeps need, is no unit while its block is recorded.
    fn units_in_use(&self) -> u64 {
        let twice = self.kept.get(1).is_some_and(|kept| kept.block == 0);
        self.kept.len() as u64 - u64::from(twice)
    }

    pub fn stored(&mut self, place: Place, data: T) {
        let block = self.at.unwrap_or(0);
        self.kept.push(Kept { block, place, data });
    }

    pub fn restored(&mut self) {
        self.at = self.kept.last().map(|kept| kept.block);
    }

    pub fn advanced(&mut self, to: u64) {
        self.at = Some(to);
    }

    pub fn recorded(&mut self, data: T) {
        let block = self.at.unwrap_or(0);
        self.stored(Place::Tape, data);
        self.at = Some(block + 1).filter(|&next| next < self.left);
    }

    /// The block that has been reversed.
    pub fn reversed(&mut self) -> Option<T> {
        self.left -= 1;
        self.at = None;
        self.kept.pop().map(|kept| kept.data)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mixed::Mixed;
    use super::super::schedule::Kind;
    use super::super::two_level::{Disk, TwoLevel};
    use super::*;
    use std::rc::Rc;

    /// What a loop and a sweep do.
    #[derive(Debug, Default, PartialEq)]
    struct Counts {
        /// Blocks run without being recorded: those of the first run that the published schedules do not record, and those of the
        /// sweep.
        unrecorded: u64,
        writes: u64,
        reads: u64,
        most_in_memory: u64,
        most_on_disk: u64,
    }

    /// Does what the plan says, but for the blocks themselves. Checks that it makes sense.
    struct Run {
        plan: Plan<()>,
        counts: Counts,
    }

    impl Run {
        fn store(&mut self, place: Place) {
            self.plan.stored(place, ());
            let counts = &mut self.counts;
            counts.writes += u64::from(place == Place::Disk);
            let memory = self.plan.count(Place::Memory) + self.plan.count(Place::Tape);
            counts.most_in_memory = counts.most_in_memory.max(memory);
            counts.most_on_disk = counts.most_on_disk.max(self.plan.count(Place::Disk));
        }

        /// The blocks run.
        fn first(&mut self, steps: u64) {
            let online = self.plan.schedule.steps.is_none();
            while self.plan.at < Some(steps) {
                match self.plan.ahead().unwrap() {
                    Action::Store(place) => self.store(place),
                    Action::Advance(to) => self.plan.advanced(to.min(steps)),
                    Action::Drop(at) if online => drop(self.plan.kept.remove(at)),
                    other => panic!("{other:?}"),
                }
            }
            self.plan.schedule.end(steps);
            assert_eq!(self.plan.ahead(), None);
        }

        /// The blocks run without being recorded, and the last block that was recorded first.
        fn sweep(&mut self) -> u64 {
            let mut advanced = 0;
            self.plan.turn();
            let mut recorded = vec![0; usize::try_from(self.plan.left).unwrap()];
            while let Some(action) = self.plan.back() {
                match action {
                    Action::Store(place) => self.store(place),
                    Action::Drop(at) => drop(self.plan.kept.remove(at)),
                    Action::Restore => {
                        let newest = self.plan.kept.last().unwrap();
                        assert_ne!(newest.place, Place::Tape);
                        self.counts.reads += u64::from(newest.place == Place::Disk);
                        self.plan.restored();
                    }
                    Action::Advance(to) => {
                        let at = self.plan.at.unwrap();
                        assert!(at < to && to < self.plan.left);
                        advanced += to - at;
                        self.plan.advanced(to);
                    }
                    Action::Record => {
                        recorded[usize::try_from(self.plan.at.unwrap()).unwrap()] += 1;
                        self.plan.recorded(());
                    }
                    Action::Reverse => drop(self.plan.reversed()),
                }
            }
            assert!(recorded.iter().all(|&n| n == 1));
            assert_eq!(self.plan.kept.len(), 1 + usize::from(self.plan.kept.len() > 1));
            advanced
        }
    }

    fn run(kind: Kind, steps: u64, disk: Option<Disk>, online: bool) -> (Counts, u64) {
        let known = Some(steps).filter(|_| !online);
        run_by(Schedule::new(kind, known, disk).unwrap(), steps)
    }

    fn by(policy: &Policy, steps: Option<u64>) -> Schedule {
        Schedule { steps, block: 1, policy: policy.clone() }
    }

    fn run_by(schedule: Schedule, steps: u64) -> (Counts, u64) {
        let mut run = Run { plan: Plan::new(schedule), counts: Counts::default() };
        run.first(steps);
        run.counts.unrecorded = run.sweep();
        let again = run.sweep();
        (run.counts, again)
    }

    /// The rows of a file of `scripts/schedule-counts`.
    fn rows(text: &str) -> Vec<Vec<u64>> {
        let row = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
        let rows: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).map(row).collect();
        assert_eq!(rows.len(), 200 * 20);
        rows
    }

    #[test]
    fn binomial_runs_the_fewest_steps() {
        for row in rows(include_str!("../../tests/data/binomial_schedules.txt")) {
            let [steps, snapshots, unrecorded] = row[..] else { panic!("{row:?}") };
            let (counts, again) = run(Kind::Binomial { snapshots, block: 1 }, steps, None, false);
            assert_eq!(least(steps, snapshots), unrecorded, "{row:?}");
            assert_eq!(counts.unrecorded + steps - 1, unrecorded, "{row:?}");
            assert_eq!(again, unrecorded, "{row:?}");
            assert!(counts.most_in_memory <= snapshots + 1, "{row:?}");
        }
    }

    #[test]
    fn mixed_runs_the_fewest_steps() {
        // That of 200 steps holds for fewer.
        let tables: Vec<_> = (1..=20).map(|units| Rc::new(Mixed::new(200, units))).collect();
        for row in rows(include_str!("../../tests/data/mixed_schedules.txt")) {
            let [steps, units, unrecorded] = row[..] else { panic!("{row:?}") };
            let table = &tables[usize::try_from(units - 1).unwrap()];
            let policy = Policy::Mixed { units, table: Some(Rc::clone(table)) };
            let (counts, _) = run_by(by(&policy, Some(steps)), steps);
            let last = recorded_first(table, steps, units);
            assert_eq!(counts.unrecorded + steps - last, unrecorded, "{row:?}");
            assert!(counts.most_in_memory <= units + 2, "{row:?} {counts:?}");
            let (online, _) = run_by(by(&policy, None), steps);
            assert!((online.unrecorded + steps - 1) * 100 <= (unrecorded + units) * 115, "{row:?}");
            assert!(online.most_in_memory <= units + 2, "{row:?} {counts:?}");
        }
    }

    /// The steps at the end that the published schedule records in its first run. The loop's runs them, and its sweep records them.
    fn recorded_first(mixed: &Mixed, steps: u64, units: u64) -> u64 {
        let (mut left, mut free) = (steps, units);
        while let Some(blocks) = mixed.advance(left, free) {
            (left, free) = (left - blocks, free - 1);
        }
        left
    }

    #[test]
    fn mixed_is_as_published() {
        // 3.92 runs of a step, where the binomial schedule has 4.64.
        let (mixed, _) = run(Kind::Mixed { units: 10, block: 1 }, 1000, None, false);
        let (binomial, _) = run(Kind::Binomial { snapshots: 10, block: 1 }, 1000, None, false);
        let last = recorded_first(&Mixed::new(1000, 10), 1000, 10);
        let runs = |counts: &Counts, last| (counts.unrecorded + 2000 - last) / 10;
        assert_eq!((runs(&mixed, last), runs(&binomial, 1)), (392, 463));
    }

    #[test]
    fn two_levels_cost_the_least() {
        let disk = Disk { snapshots: 3, write: 5.0, read: 2.0 };
        let tables: Vec<_> = (1..=20).map(|n| Rc::new(TwoLevel::new(200, n, disk))).collect();
        for row in rows(include_str!("../../tests/data/two_level_schedules.txt")) {
            let [steps, snapshots, least] = row[..] else { panic!("{row:?}") };
            let table = Rc::clone(&tables[usize::try_from(snapshots - 1).unwrap()]);
            let policy = Policy::TwoLevel { memory: snapshots, disk: 3, table };
            let (counts, _) = run_by(by(&policy, Some(steps)), steps);
            let cost = counts.unrecorded + steps - 1 + 5 * counts.writes + 2 * counts.reads;
            assert_eq!(cost, least, "{row:?} {counts:?}");
            assert!(counts.most_on_disk <= 3 && counts.most_in_memory <= snapshots + 1);
        }
    }

    #[test]
    fn periodic_states_on_disk() {
        for row in rows(include_str!("../../tests/data/periodic_schedules.txt")) {
            let [steps, memory, unrecorded, writes, reads] = row[..] else { panic!("{row:?}") };
            let policy = Policy::Periodic { memory, period: 12 };
            let schedule = Schedule { steps: None, block: 1, policy };
            let mut run = Run { plan: Plan::new(schedule), counts: Counts::default() };
            run.first(steps);
            run.counts.unrecorded = run.sweep();
            assert_eq!(run.counts.unrecorded + steps, unrecorded, "{row:?}");
            assert_eq!((run.counts.writes, run.counts.reads), (writes, reads), "{row:?}");
            assert!(run.counts.most_in_memory <= memory, "{row:?}");
        }
    }

    #[test]
    fn online_is_near_the_best() {
        let (mut all, mut best) = (0, 0);
        for row in rows(include_str!("../../tests/data/binomial_schedules.txt")) {
            let [steps, snapshots, unrecorded] = row[..] else { panic!("{row:?}") };
            let (counts, _) = run(Kind::Binomial { snapshots, block: 1 }, steps, None, true);
            let here = counts.unrecorded + steps - 1;
            assert!(here >= unrecorded && here * 100 <= unrecorded * 115, "{row:?} {here}");
            assert!(here == unrecorded || steps > snapshots + 1, "{row:?}");
            assert!(counts.most_in_memory <= snapshots + 1, "{row:?}");
            (all, best) = (all + here, best + unrecorded);
        }
        assert!(all * 100 <= best * 102, "{all} {best}");
    }

    #[test]
    fn blocks_are_run_once() {
        for disk in [None, Some(Disk { snapshots: 1, write: 1.0, read: 1.0 })] {
            for online in [false, true] {
                let (counts, again) = run(Kind::Blocks(1), 100, disk, online);
                assert_eq!((counts.unrecorded, again), (0, 99));
                // The last block is known to be the last, and recorded from memory, if the end is known.
                let most = if online { 100 } else { 99 };
                assert_eq!(counts.most_on_disk, if disk.is_some() { most } else { 0 });
            }
        }
    }
}
