//! Who does which jobs: blocks of equal cost where earlier calls have shown what jobs cost, otherwise chunks for whoever is
//! free.

use std::ops::Range;

/// Groups of jobs that are timed, for each worker.
const GROUPS: usize = 64;
/// Calls that differ in function or number of jobs, of which the times are kept.
const KEPT: usize = 16;
/// Blocks are kept if the best ones would have ended earlier by no more than this part, or these seconds: what chunks cost
/// in messages.
const LOSS: (f64, f64) = (0.1, 50e-6);

/// The seconds that the groups of jobs of one kind of call have taken.
#[derive(Debug)]
struct Known {
    function: u64,
    jobs: usize,
    group: usize,
    seconds: Vec<f32>,
    /// Whether blocks by the times before would have been good for the last call.
    foretold: bool,
}

#[derive(Debug, Default)]
pub struct Schedule {
    known: Vec<Known>,
    /// What the call under way has taken, group by group; empty if that tells nothing.
    pub seconds: Vec<f32>,
    /// The jobs that each worker begins with.
    pub blocks: Vec<Range<usize>>,
    best: Vec<Range<usize>>,
}

/// Jobs that are timed together.
fn group(jobs: usize, workers: usize) -> usize {
    jobs.div_ceil(workers * GROUPS).max(1)
}

/// How many of the last `left` jobs a worker gets that is free: a part that leaves as much for all others, and as much again.
pub fn chunk(left: usize, group: usize, workers: usize, least: usize) -> usize {
    (left.div_ceil(group) / (2 * workers)).max(least).saturating_mul(group).min(left)
}

/// The groups that a block consists of.
pub fn groups(block: &Range<usize>, group: usize) -> Range<usize> {
    if group == 0 { 0..0 } else { block.start.div_ceil(group)..block.end.div_ceil(group) }
}

impl Schedule {
    /// Divides `jobs` among `workers`, or begins to: those behind the last block are for whoever is free. `least` groups are
    /// worth a message. Returns how many jobs are timed together; 0: none are, since nobody has more than one.
    pub fn divide(&mut self, function: u64, jobs: usize, workers: usize, least: usize) -> usize {
        self.seconds.clear();
        self.blocks.clear();
        if jobs <= workers {
            by_number(jobs, 1, workers, &mut self.blocks);
            return 0;
        }
        let group = group(jobs, workers);
        self.seconds.resize(jobs.div_ceil(group), 0.0);
        let same =
            |known: &&Known| (known.function, known.jobs, known.group) == (function, jobs, group);
        match self.known.iter().find(same) {
            Some(known) if known.foretold => {
                by_cost(&known.seconds, jobs, group, workers, &mut self.blocks);
            }
            _ if workers == 1 => self.blocks.push(0..jobs),
            _ => {
                let mut next = 0;
                // The caller can look for answers only between jobs of its own.
                for k in 0..workers {
                    let left = jobs - next;
                    let n = if k == 0 {
                        left.min(least * group)
                    } else {
                        chunk(left, group, workers, least)
                    };
                    self.blocks.push(next..next + n);
                    next += n;
                }
            }
        }
        group
    }

    /// All jobs have been done in `self.seconds`.
    pub fn learn(&mut self, function: u64, jobs: usize, group: usize, workers: usize) {
        if group == 0 {
            return;
        }
        let Self { known, seconds, blocks, best } = self;
        let same =
            |known: &Known| (known.function, known.jobs, known.group) == (function, jobs, group);
        let Some(at) = known.iter().position(same) else {
            let mut room = if known.len() == KEPT { known.remove(0).seconds } else { Vec::new() };
            room.clone_from(seconds);
            known.push(Known { function, jobs, group, seconds: room, foretold: true });
            return;
        };
        let known = &mut known[at];
        let longest = |costs: &[f32], blocks: &mut Vec<Range<usize>>| {
            blocks.clear();
            by_cost(costs, jobs, group, workers, blocks);
            let costs = blocks.iter().map(|block| total(&seconds[groups(block, group)]));
            costs.fold(0.0, f64::max)
        };
        let (took, least) = (longest(&known.seconds, blocks), longest(seconds, best));
        known.foretold = took <= least * (1.0 + LOSS.0) + LOSS.1;
        // A single call may have been disturbed; but where costs have changed, what was before tells nothing.
        let weight = if known.foretold { 0.5 } else { 1.0 };
        for (known, new) in known.seconds.iter_mut().zip(&*seconds) {
            *known += weight * (new - *known);
        }
    }
}

fn total(seconds: &[f32]) -> f64 {
    seconds.iter().map(|&s| f64::from(s)).sum()
}

/// As many groups for each worker, up to one; single jobs where they are not grouped.
fn by_number(jobs: usize, group: usize, workers: usize, blocks: &mut Vec<Range<usize>>) {
    let groups = jobs.div_ceil(group);
    let boundary = |k: usize| (groups * k / workers * group).min(jobs);
    blocks.extend((0..workers).map(|k| boundary(k)..boundary(k + 1)));
}

/// Cuts where the sum of the costs comes closest to equal shares.
fn by_cost(
    seconds: &[f32],
    jobs: usize,
    group: usize,
    workers: usize,
    blocks: &mut Vec<Range<usize>>,
) {
    let total = total(seconds);
    if total <= 0.0 {
        return by_number(jobs, group, workers, blocks);
    }
    let (mut at, mut sum) = (0, 0.0);
    let mut start = 0;
    for k in 1..=workers {
        // Exact in f64: there are fewer than 2^53 workers.
        #[allow(clippy::cast_precision_loss)]
        let share = total * (k as f64) / (workers as f64);
        while at < seconds.len() && (k == workers || sum + 0.5 * f64::from(seconds[at]) < share) {
            sum += f64::from(seconds[at]);
            at += 1;
        }
        let end = (at * group).min(jobs);
        blocks.push(start..end);
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Divides, lets the jobs take some seconds, and learns; returns the first blocks.
    fn call(schedule: &mut Schedule, cost: impl Fn(usize) -> f32) -> Vec<Range<usize>> {
        let group = schedule.divide(1, 64, 2, 1);
        assert_eq!(group, 1);
        for (i, seconds) in schedule.seconds.iter_mut().enumerate() {
            *seconds = cost(i);
        }
        let blocks = schedule.blocks.clone();
        schedule.learn(1, 64, group, 2);
        blocks
    }

    #[test]
    fn blocks_and_chunks_cover_all_jobs_in_their_order() {
        for jobs in [0, 1, 2, 5, 7, 130, 1000] {
            for (workers, least) in (1..8).flat_map(|workers| [(workers, 1), (workers, 3)]) {
                let mut schedule = Schedule::default();
                for round in 0..2 {
                    let group = schedule.divide(1, jobs, workers, least);
                    assert_eq!(schedule.blocks.len(), workers);
                    let mut next = 0;
                    for block in &schedule.blocks {
                        assert_eq!(block.start, next);
                        next = block.end;
                    }
                    assert!(next <= jobs && (round == 0 || next == jobs));
                    assert!(group > 0 || next == jobs);
                    while next < jobs {
                        let n = chunk(jobs - next, group, workers, least);
                        assert!(n > 0 && (n.is_multiple_of(group) || next + n == jobs));
                        next += n;
                    }
                    assert_eq!(next, jobs);
                    for (&cost, seconds) in [0u8, 3, 1, 6].iter().cycle().zip(&mut schedule.seconds)
                    {
                        *seconds = f32::from(cost);
                    }
                    schedule.learn(1, jobs, group, workers);
                }
            }
        }
    }

    #[test]
    fn a_ramp_is_divided_by_its_cost() {
        let mut schedule = Schedule::default();
        let ramp = |i: usize| f32::from(u8::try_from(i + 1).unwrap());
        assert_eq!(call(&mut schedule, ramp), [0..1, 1..16]);
        // 1 + .. + 45 = 1035 of 2080.
        assert_eq!(call(&mut schedule, ramp), [0..45, 45..64]);
        // Another function, and another number of jobs, are not known yet.
        schedule.divide(2, 64, 2, 1);
        assert_eq!(schedule.blocks, [0..1, 1..16]);
    }

    #[test]
    fn costs_that_change_are_not_trusted() {
        let mut schedule = Schedule::default();
        let up = |i: usize| f32::from(u8::try_from(i + 1).unwrap());
        let down = |i: usize| up(63 - i);
        call(&mut schedule, up);
        assert_eq!(call(&mut schedule, down), [0..45, 45..64]);
        // The times before would have been wrong: chunks, and again after the first times of the new kind.
        assert_eq!(call(&mut schedule, down), [0..1, 1..16]);
        assert_eq!(call(&mut schedule, down), [0..19, 19..64]);
        // Little, in seconds or in parts of the whole, is no reason for chunks.
        assert_eq!(call(&mut schedule, |i| 1e-8 * up(i)), [0..19, 19..64]);
        assert_eq!(call(&mut schedule, |i| 1e-8 * down(i)), [0..19, 19..64]);
        assert_eq!(call(&mut schedule, |i| down(i) + if i == 0 { 60.0 } else { 0.0 })[0].start, 0);
        assert_eq!(call(&mut schedule, down).len(), 2);
        assert_ne!(call(&mut schedule, down), [0..1, 1..16]);
    }
}
