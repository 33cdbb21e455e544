//! Ids that are gathered operation by operation before the tape is told of them.

use crate::ampi::recording::{check_operands, never_given};
use crate::count::narrow32;
use crate::datatype::{SendBuffer, Shape};
use crate::error::Result;
use crate::tape::{Ids, Sweep, Tape};

/// Consecutive ids, or as many of none.
#[derive(Debug, Clone, Copy)]
struct Run {
    first: u32,
    n: u32,
}

impl Run {
    /// Whether an id follows those of this run.
    fn goes_on_with(self, first: u32) -> bool {
        if self.first == 0 { first == 0 } else { self.first.checked_add(self.n) == Some(first) }
    }
}

/// Ids in the order in which they came, as runs: those of a field are one.
#[derive(Debug, Default)]
pub struct IdRuns {
    runs: Vec<Run>,
    n: usize,
    /// Memory for those of one buffer.
    room: Vec<u32>,
}

impl IdRuns {
    pub const fn len(&self) -> usize {
        self.n
    }

    pub fn clear(&mut self) {
        self.runs.clear();
        self.n = 0;
    }

    /// Adds those of `source`, which look like `shape`.
    pub fn add(&mut self, source: &SendBuffer, shape: Shape) {
        match shape {
            Shape::Passive => self.push(0, source.len()),
            Shape::Range(first) => self.push(first, source.len()),
            Shape::Mixed => {
                let mut room = std::mem::take(&mut self.room);
                room.resize(source.len(), 0);
                source.ids(&mut room);
                for &id in &room {
                    self.push(id, 1);
                }
                self.room = room;
            }
        }
    }

    pub fn append(&mut self, other: &Self) {
        for run in &other.runs {
            self.push(run.first, crate::count::wide32(run.n));
        }
    }

    /// Adds `n` of another's, from the `from`th on.
    pub fn append_part(&mut self, other: &Self, mut from: usize, mut n: usize) {
        for run in &other.runs {
            let length = crate::count::wide32(run.n);
            let skipped = from.min(length);
            let taken = n.min(length - skipped);
            let step = narrow32(skipped);
            self.push(run.first + if run.first == 0 { 0 } else { step }, taken);
            from -= skipped;
            n -= taken;
        }
    }

    /// A buffer has at most 2^32 doubles.
    pub fn push(&mut self, first: u32, n: usize) {
        let length = narrow32(n);
        self.n += n;
        match self.runs.last_mut() {
            _ if n == 0 => {}
            Some(run) if run.goes_on_with(first) && run.n.checked_add(length).is_some() => {
                run.n += length;
            }
            _ => self.runs.push(Run { first, n: length }),
        }
    }

    /// The highest.
    pub fn last(&self) -> u32 {
        let last = |run: &Run| if run.first == 0 { 0 } else { run.first.saturating_add(run.n - 1) };
        self.runs.iter().map(last).max().unwrap_or(0)
    }

    /// Adds `sum`, which has a value for each, to the adjoints.
    pub fn add_to(&self, sweep: &mut Sweep<'_>, mut sum: &[f64]) {
        for run in &self.runs {
            let n = crate::count::wide32(run.n);
            let (now, later) = sum.split_at(n * sweep.width());
            sweep.add(&Ids::in_a_row(run.first, n), now);
            sum = later;
        }
    }

    /// Puts them on the tape. An id that it has not given out is refused before a sweep writes to it.
    pub fn store(&self, tape: &mut Tape) -> Result<Ids> {
        let next = tape.next_id();
        let last = |run: &Run| run.first.saturating_add(run.n - 1);
        let strange = |run: &&Run| run.first != 0 && last(run) >= next;
        if let Some(run) = self.runs.iter().find(strange) {
            return Err(never_given(last(run), next));
        }
        match self.runs[..] {
            [] => Ok(Ids::Passive(0)),
            [Run { first, .. }] => Ok(Ids::in_a_row(first, self.n)),
            _ => {
                let list = tape.reserve::<u32>(self.n)?;
                let mut places = tape.stored_mut(&list).iter_mut();
                for run in &self.runs {
                    let step = u32::from(run.first != 0);
                    for (i, place) in (0..run.n).zip(&mut places) {
                        *place = run.first + i * step;
                    }
                }
                Ok(Ids::List(list))
            }
        }
    }
}

/// In checking mode every value that a call reads is looked at, as it is then.
pub fn check(tape: &Tape, source: &SendBuffer) -> Result<()> {
    if tape.checking() { check_operands(tape, source) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_window_ids_join_into_runs() {
        let mut ids = IdRuns::default();
        for (first, n) in [(0, 2), (0, 1), (5, 3), (8, 1), (8, 1), (0, 0), (0, 4)] {
            ids.push(first, n);
        }
        let runs: Vec<_> = ids.runs.iter().map(|run| (run.first, run.n)).collect();
        assert_eq!((runs, ids.len()), (vec![(0, 3), (5, 4), (8, 1), (0, 4)], 12));
    }
}
