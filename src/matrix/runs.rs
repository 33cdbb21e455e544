//! Ids by runs: those of a matrix of which parts were assigned, as long as there are few of them.
#![forbid(unsafe_code)]

use super::id::Id;
use std::cell::Cell;
use std::ops::Range;

/// Most runs of a block: what takes more gets an array of ids.
pub const MOST: usize = 16;
/// And most for a while: one of them may be split by another.
const ROOM: usize = MOST + 2;
/// How long they are on average at least. The matrices of tests are small.
const LEAST: usize = if cfg!(test) { 2 } else { 4 };

/// Elements with consecutive ids, or passive ones, up to where the next run begins. Laid out as `admpi_run` in
/// `include/admpi/matrix.h`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
struct Run {
    from: usize,
    id: Id,
}

laid_out!(admpi_run, Run);

/// Behind the last run.
const END: Run = Run { from: isize::MAX.cast_unsigned(), id: Id { id: 0, tag: 0 } };

/// The ids of elements, run by run. Inline element access reads these.
#[repr(C)]
#[derive(Debug, Clone)]
pub struct Runs {
    run: [Run; ROOM + 1],
    n: usize,
    /// How many elements there are.
    len: usize,
    /// Events find their operands' ids here: it stays what it is.
    pub kept: Cell<bool>,
}

impl Runs {
    pub fn new() -> Self {
        Self { run: [END; ROOM + 1], n: 0, len: 0, kept: Cell::new(false) }
    }

    /// Appends `n` elements with ids from `id` on, or passive ones; none if that makes too many runs.
    pub fn push(&mut self, n: usize, id: Id) -> Option<()> {
        let last = self.run[..self.n].last();
        let follows = last.is_some_and(|last| last.id.behind(self.len - last.from) == id);
        if n > 0 && !follows {
            *self.run[..ROOM].get_mut(self.n)? = Run { from: self.len, id };
            self.n += 1;
        }
        self.len += n;
        Some(())
    }

    /// Whether they are better than an array.
    pub const fn are_few(&self) -> bool {
        self.n <= 1 || (self.n <= MOST && self.n * LEAST <= self.len)
    }

    /// The same, but for the elements `range`, which are `n` with ids from `id` on, one such pair after the other.
    pub fn with(
        &self,
        range: Range<usize>,
        ids: impl Iterator<Item = (usize, Id)>,
    ) -> Option<Self> {
        let mut new = Self::new();
        let after = range.end..self.len;
        let mut all = self.each(0..range.start).chain(ids).chain(self.each(after));
        all.try_for_each(|(n, id)| new.push(n, id))?;
        Some(new)
    }

    /// Number and first id of the elements with consecutive ids, or passive ones, that `range` consists of.
    pub fn each(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Id)> + '_ {
        self.run[self.find(range.start)..].windows(2).map_while(move |run| {
            let from = run[0].from.max(range.start);
            let n = run[1].from.min(range.end).checked_sub(from).filter(|&n| n > 0)?;
            Some((n, run[0].id.behind(from - run[0].from)))
        })
    }

    /// The first id of `range` if that is of one run.
    pub fn one(&self, range: Range<usize>) -> Option<Id> {
        let (n, id) = self.each(range.clone()).next()?;
        (n == range.len()).then_some(id)
    }

    pub fn id(&self, k: usize) -> Id {
        let run = self.run[self.find(k)];
        run.id.behind(k - run.from)
    }

    /// Of an element, the number of its run.
    fn find(&self, k: usize) -> usize {
        self.run[1..].iter().take_while(|next| next.from <= k).count()
    }
}
