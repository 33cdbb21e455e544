//! Who does which jobs: blocks of equal cost, as far as earlier calls have shown what jobs cost.

use std::ops::Range;

/// Groups of jobs that are timed, for each worker.
const GROUPS: usize = 64;
/// Calls that differ in function or number of jobs, of which the times are kept.
const KEPT: usize = 16;

/// The seconds that the groups of jobs of one kind of call have taken.
#[derive(Debug)]
struct Known {
    function: u64,
    jobs: usize,
    group: usize,
    seconds: Vec<f32>,
}

#[derive(Debug, Default)]
pub struct Schedule {
    known: Vec<Known>,
    /// What the call under way has taken, group by group.
    pub seconds: Vec<f32>,
    /// The jobs of each worker.
    pub blocks: Vec<Range<usize>>,
}

/// Jobs that are timed together.
fn group(jobs: usize, workers: usize) -> usize {
    jobs.div_ceil(workers * GROUPS).max(1)
}

impl Schedule {
    /// Divides `jobs` among `workers`; returns how many jobs are timed together.
    pub fn divide(&mut self, function: u64, jobs: usize, workers: usize) -> usize {
        let group = group(jobs, workers);
        self.seconds.clear();
        self.seconds.resize(jobs.div_ceil(group), 0.0);
        self.blocks.clear();
        let same =
            |known: &&Known| (known.function, known.jobs, known.group) == (function, jobs, group);
        match self.known.iter().find(same) {
            Some(known) => by_cost(&known.seconds, jobs, group, workers, &mut self.blocks),
            None => by_number(jobs, group, workers, &mut self.blocks),
        }
        group
    }

    /// The groups that a block consists of.
    pub fn groups(block: &Range<usize>, group: usize) -> Range<usize> {
        block.start.div_ceil(group)..block.end.div_ceil(group)
    }

    /// All jobs have been done in `self.seconds`.
    pub fn learn(&mut self, function: u64, jobs: usize, group: usize) {
        let same =
            |known: &Known| (known.function, known.jobs, known.group) == (function, jobs, group);
        match self.known.iter().position(same) {
            // A single call may have been disturbed.
            Some(at) => {
                for (known, new) in self.known[at].seconds.iter_mut().zip(&self.seconds) {
                    *known = 0.5 * (*known + new);
                }
            }
            None => {
                if self.known.len() == KEPT {
                    self.known.remove(0);
                }
                self.known.push(Known { function, jobs, group, seconds: self.seconds.clone() });
            }
        }
    }
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
    let total: f64 = seconds.iter().map(|&s| f64::from(s)).sum();
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

    #[test]
    fn blocks_cover_all_jobs_in_their_order() {
        for jobs in [0, 1, 2, 5, 7, 130, 1000] {
            for workers in 1..8 {
                let mut schedule = Schedule::default();
                for _ in 0..2 {
                    let group = schedule.divide(1, jobs, workers);
                    assert_eq!(schedule.blocks.len(), workers);
                    let mut next = 0;
                    for block in &schedule.blocks {
                        assert_eq!(block.start, next);
                        next = block.end;
                    }
                    assert_eq!(next, jobs);
                    for (&cost, seconds) in [0u8, 3, 1, 6].iter().cycle().zip(&mut schedule.seconds)
                    {
                        *seconds = f32::from(cost);
                    }
                    schedule.learn(1, jobs, group);
                }
            }
        }
    }

    #[test]
    fn a_ramp_is_divided_by_its_cost() {
        let mut schedule = Schedule::default();
        let group = schedule.divide(1, 64, 2);
        assert_eq!((group, &schedule.blocks[..]), (1, &[0..32, 32..64][..]));
        for (i, seconds) in (1u8..).zip(&mut schedule.seconds) {
            *seconds = f32::from(i);
        }
        schedule.learn(1, 64, group);
        schedule.divide(1, 64, 2);
        // 1 + .. + 45 = 1035 of 2080.
        assert_eq!(schedule.blocks, [0..45, 45..64]);
        // Another function, and another number of jobs, are not known yet.
        schedule.divide(2, 64, 2);
        assert_eq!(schedule.blocks, [0..32, 32..64]);
    }
}
