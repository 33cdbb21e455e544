//! What MPI uses where it lies: adjoints, while the sweep that has taken them goes on, and parts of the arena. And
//! adjoints that lie elsewhere: a sweep finds them in memory of others.

use super::position::Position;
use super::sweep::Sweep;
use super::{Dirty, Tape, adjoint_stream, finite};
use crate::arena::{Estate, Loan, Stream};
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use std::sync::{Arc, PoisonError};

impl Sweep<'_> {
    /// Takes the `n * width` adjoints of consecutive outputs of this event, as `take` does, but leaves them where they
    /// are. What lies below on the tape is older than these ids and cannot name them; code of the user's can. So none
    /// if the sweep runs any before it has ended, and with it, if it succeeds, every loan.
    pub fn lend(&mut self, first: u32, n: usize) -> Option<Loan> {
        let event = self.event_index();
        let tape = self.tape();
        assert!(first >= tape.header(event).id, "outputs of the event");
        let goes_on = tape.sweeps.last().is_some_and(|sweep| sweep.bottom);
        if !goes_on || !tape.borrowed.is_empty() || tape.pauses_below(event) {
            return None;
        }
        let n = n * tape.width;
        let first = tape.adjoints_mut(first, n).as_mut_ptr();
        // SAFETY: the sweep has taken them, and a tape does not unmap adjoints that are lent.
        Some(unsafe { Loan::new(first, n, Arc::clone(&tape.estate)) })
    }
}

impl Tape {
    /// Whether a sweep runs code of the user's between `event` and the base.
    fn pauses_below(&self, event: u32) -> bool {
        let below = self.pausing.partition_point(|&index| index < event);
        self.pausing[..below].last().is_some_and(|&index| index >= self.base().event)
    }

    /// Whether adjoints are lent.
    pub(super) fn has_lent(&self) -> bool {
        Arc::strong_count(&self.estate) > 1
    }

    /// A sweep has failed with adjoints lent, which MPI may read for ever: they are left to it, and the tape goes on
    /// with copies. If there is no memory for those it keeps them, but sweeps no more.
    #[cold]
    pub(super) fn part_with_adjoints(&mut self) {
        match self.copy_adjoints() {
            Ok(copy) => self.leave_adjoints(copy),
            Err(error) => self.failed = Some((0, error)),
        }
    }

    fn copy_adjoints(&self) -> Result<Stream> {
        let mut copy = adjoint_stream();
        let bytes = self.adjoint.committed();
        let mut budget = self.budget();
        budget.committed -= bytes as u64;
        copy.commit(bytes, budget)?;
        // SAFETY: two streams, and so much of both is committed.
        unsafe { std::ptr::copy_nonoverlapping(self.adjoint.base(), copy.base(), bytes) };
        Ok(copy)
    }

    /// Puts others in place of adjoints that are lent.
    pub(super) fn leave_adjoints(&mut self, others: Stream) {
        let old = std::mem::replace(&mut self.adjoint, others);
        *self.estate.lock().unwrap_or_else(PoisonError::into_inner) = Some(old);
        self.estate = Estate::default();
    }
}

/// The adjoints of `n` values with consecutive ids from `first` on, in memory of others.
#[derive(Debug, Clone, Copy)]
pub struct Borrowed {
    pub first: u32,
    pub n: usize,
    pub adjoints: *mut f64,
}

impl Tape {
    /// Whether adjoints may lie elsewhere at all: there is one direction, and nobody looks at those of the tape itself.
    pub fn may_borrow(&self) -> bool {
        self.width == 1 && !finite::wanted()
    }

    /// As `reverse_range`, with `borrowed` in place of the tape's own adjoints of these values.
    ///
    /// # Safety
    /// As for `reverse`. The adjoints are there, and nothing else refers to them; `may_borrow` has said that they may be
    /// borrowed, and only events name the values, in ranges.
    pub unsafe fn reverse_range_borrowing(
        tape: *mut Self,
        from: &Position,
        to: &Position,
        borrowed: &mut Vec<Borrowed>,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).borrowed = std::mem::take(borrowed);
            let swept = Self::reverse_range(tape, from, to);
            *borrowed = std::mem::take(&mut (*tape).borrowed);
            swept
        }
    }

    /// Where the adjoints of `n` values from `first` on are, if they are borrowed.
    #[inline(never)]
    pub(super) fn borrowed_adjoints(&mut self, first: u32, n: usize) -> Option<&mut [f64]> {
        let holds = |one: &&Borrowed| first >= one.first && wide32(first - one.first) + n <= one.n;
        let one = self.borrowed.iter().find(holds)?;
        // SAFETY: inside the adjoints that `reverse_range_borrowing` was promised, and borrowed as the tape is.
        Some(unsafe {
            std::slice::from_raw_parts_mut(one.adjoints.add(wide32(first - one.first)), n)
        })
    }

    /// All adjoints of values above `position` have been taken: they are zero.
    pub fn note_taken_above(&mut self, position: &Position) {
        if position.id <= self.base().id && self.nests.is_empty() {
            self.dirty = Dirty::default();
        }
        self.dirty.below = self.dirty.below.min(position.id);
    }
}

/// As long as it lives, its tape does not forget what lies in the arena below some place.
#[derive(Debug)]
pub struct ArenaLoan {
    _token: Arc<()>,
}

impl Tape {
    /// Lends what lies in the arena below `end`.
    pub fn lend_arena(&mut self, end: u64) -> ArenaLoan {
        let token = Arc::new(());
        if self.arena_loans.len() == self.arena_loans.capacity() {
            self.arena_loans.retain(|(_, token)| token.strong_count() > 0);
            // As many again before the next look, which thus costs each of them little.
            self.arena_loans.reserve(self.arena_loans.len().max(8));
        }
        self.arena_loans.push((end, Arc::downgrade(&token)));
        ArenaLoan { _token: token }
    }

    /// Whether something in the arena from `offset` on is lent.
    pub(super) fn is_arena_lent(&self, offset: u64) -> bool {
        let mut loans = self.arena_loans.iter();
        loans.any(|(end, token)| wide(*end) > wide(offset) && token.strong_count() > 0)
    }

    /// An error if something is that lies above `offset`.
    pub(super) fn check_arena_loans(&self, offset: u64) -> Result<()> {
        if !self.is_arena_lent(offset) {
            return Ok(());
        }
        Err(Error::new(
            Code::Nest,
            "a matrix that was made since is the buffer of a message under way: complete the request first",
        ))
    }
}
