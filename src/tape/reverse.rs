//! Reverse evaluation between two positions: from event to event, with what must be begun, undone, redone and ended.

use super::Tape;
use super::event::StateOp;
use super::fence::Fence;
use super::finite;
use super::nest::{Outside, Running};
use super::position::Position;
use super::sweep::Sweep;
use crate::error::{Code, Error, Result};
use crate::trace;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// What is done before a sweep begins: it may still record.
type Prepare = fn(&mut Tape) -> Result<()>;
static PREPARE: OnceLock<Prepare> = OnceLock::new();

/// Lets `prepare` run before each sweep that is not inside another one, on the tape that is swept.
pub fn set_prepare(prepare: Prepare) {
    // Another one was set before.
    let _ = PREPARE.set(prepare);
}

/// How many receives have started whose completion is going to be recorded.
type Receiving = fn() -> u64;
static RECEIVING: OnceLock<Receiving> = OnceLock::new();

/// Lets `receiving` tell.
pub fn set_receiving(receiving: Receiving) {
    // Another one was set before.
    let _ = RECEIVING.set(receiving);
}

/// None where nobody can tell.
pub fn receiving() -> u64 {
    RECEIVING.get().map_or(0, |receiving| receiving())
}

thread_local! {
    /// The sweeps under way on this thread, of all tapes.
    static UNDER_WAY: Cell<u32> = const { Cell::new(0) };
}

/// In how many sweeps, each in a callback of the one before, the calling code runs.
pub fn depth() -> u32 {
    UNDER_WAY.get()
}

impl Sweep<'_> {
    /// Before code of the user's runs in the middle of a sweep.
    pub(super) fn pause(&mut self) -> Result<()> {
        let event = self.event;
        let tape = self.tape();
        let reached = tape.header(event).id;
        tape.sweeps.last_mut().expect("this one is under way").reached = reached;
        tape.companions.each(|companion| companion.pause())
    }

    /// Reverses the statements from `top` down to `statement`, stopping at values whose adjoints are kept.
    fn statements(&mut self, top: &mut Position, statement: u32) -> Result<()> {
        // SAFETY: live, and borrowed as long as the sweep; the fence is the sweep's own.
        let (tape, fence) = unsafe { (&mut *self.tape, &mut self.fence) };
        while top.statement > statement {
            let lowest = top.id - (top.statement - statement);
            let kept = tape.kept.partition_point(|&id| id < top.id);
            let stop = match tape.kept[..kept].last() {
                Some(&id) if id >= lowest => id,
                _ => lowest - 1,
            };
            let n = top.id - 1 - stop;
            // SAFETY: `top` is a position of this tape, at least `n` statements above the bottom.
            unsafe {
                if finite::wanted() {
                    tape.run_finite_statements(top, n, fence)?;
                } else {
                    tape.run_statements(top, n, fence)?;
                }
            }
            if stop >= lowest {
                tape.keep_adjoint(kept - 1);
                // SAFETY: as above, for the kept statement itself.
                unsafe { tape.run_statements(top, 1, fence)? };
            }
        }
        Ok(())
    }

    fn run(&mut self, from: &Position, to: &Position) -> Result<()> {
        let mut top = *from;
        for index in (to.event..from.event).rev() {
            let header = *self.tape().header(index);
            if top.statement > header.statement {
                self.statements(&mut top, header.statement)?;
            }
            self.tape().keep_outputs(header.id, top.id);
            self.event = index;
            let payload = self.tape().payload_at(header.payload);
            // SAFETY: the payload that `record` wrote for these operations.
            let reverse = |sweep: &mut Self| unsafe { (header.ops.reverse)(payload, sweep) };
            let done = if finite::wanted() {
                self.run_finite_event(header.ops.name, reverse)
            } else if trace::is_on() {
                self.run_traced_event(index, reverse)
            } else {
                reverse(self)
            };
            done.map_err(|error| Error {
                code: error.code,
                message: format!(
                    "reverse of {} (event {index}): {}",
                    header.ops.name, error.message
                ),
            })?;
            self.passed(index);
            top = Position {
                statement: header.statement,
                argument: header.argument,
                id: header.id,
                event: index,
                ..top
            };
        }
        self.statements(&mut top, to.statement)
    }

    /// Undoes what the event has assigned, behind its reverse function.
    pub(super) fn passed(&mut self, index: u32) {
        if self.tape().mutating.binary_search(&index).is_ok() {
            let undo = self.tape().header(index).ops.undo;
            self.restore(index, undo);
            self.undone = index;
        }
    }

    /// Runs the undo or redo function of one event.
    fn restore(&mut self, index: u32, operation: StateOp) {
        let payload = self.tape().header(index).payload;
        let payload = self.tape().payload_at(payload);
        // SAFETY: the payload that `record` wrote for these operations.
        unsafe { operation(payload, self) };
    }

    /// Undoes, newest first, the assignments above `from`, which the sweep must not see.
    fn undo_above(&mut self, from: &Position) {
        for at in (0..self.tape().mutating.len()).rev() {
            let index = self.tape().mutating[at];
            if index < from.event {
                break;
            }
            let undo = self.tape().header(index).ops.undo;
            self.restore(index, undo);
        }
    }

    /// Redoes, oldest first, all assignments that have been undone.
    pub(super) fn redo(&mut self) {
        let undone = self.undone;
        let first = self.tape().mutating.partition_point(|&index| index < undone);
        for at in first..self.tape().mutating.len() {
            let index = self.tape().mutating[at];
            let redo = self.tape().header(index).ops.redo;
            self.restore(index, redo);
        }
    }
}

impl Tape {
    /// Sweeps from the top down to the base of the innermost nest, or of the tape.
    ///
    /// # Safety
    /// `tape` is live. Callbacks may use it through its handle meanwhile.
    pub unsafe fn reverse(tape: *mut Self) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            (*tape).prepare()?;
            let (from, to) = ((*tape).position(), (*tape).base());
            Self::sweep(tape, &from, &to)
        }
    }

    /// Sweeps from `from` down to `to`.
    ///
    /// # Safety
    /// As for `reverse`.
    pub unsafe fn reverse_range(tape: *mut Self, from: &Position, to: &Position) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let at_the_end = from.same_place(&(*tape).position());
            (*tape).prepare()?;
            let from = if at_the_end { (*tape).position() } else { *from };
            Self::sweep(tape, &from, to)
        }
    }

    pub(super) fn prepare(&mut self) -> Result<()> {
        match PREPARE.get() {
            Some(prepare) if depth() == 0 && self.nests.is_empty() => prepare(self),
            _ => Ok(()),
        }
    }

    /// # Safety
    /// As for `reverse`.
    unsafe fn sweep(tape: *mut Self, from: &Position, to: &Position) -> Result<()> {
        // SAFETY: the caller's promise.
        let fence = unsafe { (*tape).begin_sweep(from, to)? };
        // SAFETY: the caller's promise; `begin_sweep` has added this sweep to those under way.
        let under_way = unsafe { UnderWay::of(tape) };
        let (event, undone, depth) = (from.event, from.event, under_way.depth);
        let mut sweep = Sweep { tape, fence, event, depth, undone, tape_borrow: PhantomData };
        sweep.undo_above(from);
        let result = sweep.run(from, to).and_then(|()| sweep.fence.verdict());
        sweep.redo();
        // SAFETY: the caller's promise.
        unsafe { (*tape).end_sweep(from, to, result) }
    }

    fn begin_sweep(&mut self, from: &Position, to: &Position) -> Result<Fence> {
        self.check_recorded()?;
        if self.tags.missed() {
            return Err(missed());
        }
        self.check_position("from", from)?;
        self.check_position("to", to)?;
        let base = self.base();
        if !to.within(from) || !base.within(to) {
            return Err(Error::new(
                Code::Range,
                format!(
                    "to (id {}) must lie between the base of the innermost nest (id {}) and from (id {})",
                    to.id, base.id, from.id
                ),
            ));
        }
        let others = self.sweeps.last();
        if others.is_some_and(|sweep| !sweep.top.within(to)) {
            self.not_in_sweep("reverse")?;
        }
        self.check_seeded()?;
        let fence = Fence::of(&self.nests, &self.sweeps, self.checking());
        self.ensure_adjoints()?;
        // A rank that allows zeros counts as one that has seeded.
        self.begin_companions(from, to, self.seeded || !self.is_strict())?;
        // Elements of matrices are those of an earlier time while the sweep is on its way.
        self.mark();
        self.dirty.below = self.dirty.below.max(from.id);
        let (top, nests) = (self.position(), self.nests.len());
        self.sweeps.push(Running { top, reached: top.id, nests, bottom: to.same_place(&base) });
        Ok(fence)
    }

    /// Tells the companions of a sweep that is about to start.
    pub(super) fn begin_companions(
        &mut self,
        from: &Position,
        to: &Position,
        seeded: bool,
    ) -> Result<()> {
        let base = self.base();
        let whole = !self.in_steps && from.same_place(&self.position());
        let mut companions = std::mem::take(&mut self.companions);
        let begun = companions.begin(|companion| {
            companion.recorded(&self.position());
            companion.begin(from, to, &base, whole, seeded)
        });
        self.companions.restore(companions);
        begun
    }

    /// Tells them that it is over.
    pub(super) fn end_companions(&mut self, bottom: bool) -> Result<()> {
        let mut companions = std::mem::take(&mut self.companions);
        let ended = companions.end(bottom, || self.position());
        self.companions.restore(companions);
        ended
    }

    fn end_sweep(&mut self, from: &Position, to: &Position, result: Result<()>) -> Result<()> {
        let running = self.sweeps.pop().expect("begin_sweep has added it");
        let bottom = running.bottom;
        let ended = self.end_companions(bottom && result.is_ok());
        result.and(ended)?;
        if self.nests.len() != running.nests {
            return Err(Error::new(Code::Nest, "reverse: a callback left its nest open"));
        }
        self.note_swept(to.id, from.id);
        self.seeded &= !(bottom && self.nests.is_empty());
        let closed = self.nests.last().is_none_or(|nest| nest.outside != Outside::Added);
        if self.dirty.passed {
            self.dirty.below = self.dirty.below.max(from.id);
            self.dirty.passed = !self.sweeps.is_empty();
        } else if bottom && closed && self.dirty.below <= from.id {
            self.dirty.below = if self.nests.is_empty() { 0 } else { self.dirty.below.min(to.id) };
            self.dirty.inputs = true;
        }
        Ok(())
    }
}

#[cold]
fn missed() -> Error {
    Error::new(
        Code::NoTape,
        "reverse: while this tape recorded, a thread that has no tape computed with its values: those statements are missing; \
         activate the tape (admpi_tape_activate), or keep its values out of the other threads of a parallel region",
    )
}

/// Counts a sweep among those under way until it ends, also by a panic. What it has lent is not the tape's after it.
struct UnderWay {
    tape: *mut Tape,
    others: usize,
    depth: u32,
}

impl UnderWay {
    /// # Safety
    /// `tape` is live, and the sweep is the last on its list.
    unsafe fn of(tape: *mut Tape) -> Self {
        let depth = UNDER_WAY.get();
        UNDER_WAY.set(depth + 1);
        // SAFETY: the caller's promise.
        Self { tape, others: unsafe { (*tape).sweeps.len() } - 1, depth }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // SAFETY: the tape is live as long as its sweep, by the promise of who started it.
        unsafe {
            (*self.tape).sweeps.truncate(self.others);
            if (*self.tape).has_lent() {
                (*self.tape).part_with_adjoints();
            }
        }
        UNDER_WAY.set(self.depth);
    }
}
