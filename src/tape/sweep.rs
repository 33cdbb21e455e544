//! Reverse evaluation between two positions.
//!
//! A sweep takes (reads and zeroes) every adjoint it consumes, so that afterwards only inputs and kept
//! values hold adjoints and nothing needs clearing before the next one.

use super::fence::Fence;
use super::{Companion, Cursors, Dirty, Ids, Outside, Pod, Position, Running, Stored, Tape, Var};
use crate::count::{wide, wide32};
use crate::error::{Code, Error, Result};
use crate::var_pack::{add_to, move_out};
use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    /// The sweeps under way on this thread, of all tapes.
    static UNDER_WAY: Cell<u32> = const { Cell::new(0) };
}

/// In how many sweeps, each in a callback of the one before, the calling code runs.
pub fn depth() -> u32 {
    UNDER_WAY.get()
}

/// A sweep on its way down, as the events see it. It holds no reference to the tape while user code
/// runs, so that a callback may record and sweep a nest of its own on the same tape.
pub struct Sweep<'t> {
    tape: *mut Tape,
    pub(super) fence: Fence,
    event: u32,
    /// In how many others it runs.
    depth: u32,
    /// The event down to which assignments are undone now.
    undone: u32,
    tape_borrow: PhantomData<&'t mut Tape>,
}

impl Sweep<'_> {
    pub(super) fn tape(&mut self) -> &mut Tape {
        // SAFETY: the sweep was made from a live tape, and the borrow ends before user code runs.
        unsafe { &mut *self.tape }
    }

    fn tape_ref(&self) -> &Tape {
        // SAFETY: as above.
        unsafe { &*self.tape }
    }

    /// Adjoints side by side at each id.
    pub fn width(&self) -> usize {
        self.tape_ref().width
    }

    /// The index of the event that is being reversed.
    pub fn event_index(&self) -> u32 {
        self.event
    }

    /// In how many other sweeps of this thread, of whatever tapes, this one runs: each in a callback of the one
    /// before.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The `n * width` adjoints of consecutive ids, as one slice.
    pub fn adjoints(&mut self, first: u32, n: usize) -> &mut [f64] {
        let width = self.width();
        self.tape().adjoints_mut(first, n * width)
    }

    /// Copies the `n * width` adjoints of consecutive outputs to `out` and zeroes them.
    #[inline(always)]
    pub fn take(&mut self, first: u32, n: usize, out: &mut [f64]) {
        let adjoints = self.adjoints(first, n);
        assert_eq!(adjoints.len(), out.len(), "room for all of them");
        if let ([adjoint], [out]) = (&mut *adjoints, &mut *out) {
            *out = std::mem::take(adjoint);
            return;
        }
        move_out(adjoints, out);
    }

    /// Adds `ids.len() * width` values to the adjoints of operands, one after the other, since an id may
    /// occur twice.
    #[inline(always)]
    pub fn add(&mut self, ids: &Ids, values: &[f64]) {
        let width = self.width();
        assert_eq!(values.len(), ids.len() * width, "one value for each adjoint");
        if let (&Ids::Range { first, .. }, &[value]) = (ids, values)
            && first >= self.fence.free()
        {
            self.adjoints(first, 1)[0] += value;
            return;
        }
        self.add_all(ids, values, width);
    }

    #[inline(never)]
    fn add_all(&mut self, ids: &Ids, values: &[f64], width: usize) {
        let free = self.fence.free().max(1);
        match ids {
            Ids::Passive(_) => {}
            Ids::Range { first, n } => {
                let outside = free.saturating_sub(*first).min(*n);
                for (id, values) in (*first..first + outside).zip(values.chunks_exact(width)) {
                    self.add_outside(id, values);
                }
                let adjoints = self.adjoints(first + outside, wide32(n - outside));
                add_to(adjoints, &values[wide32(outside) * width..]);
            }
            Ids::List(list) => {
                // SAFETY: live, and borrowed as long as the sweep; the fence is the sweep's own.
                let (tape, fence) = unsafe { (&mut *self.tape, &mut self.fence) };
                // SAFETY: the list lies in the payload stream, which `adjoints_mut` does not touch.
                let ids: &[u32] = unsafe { &*std::ptr::from_ref(tape.stored(list)) };
                let committed = tape.adjoint.committed() / size_of::<f64>();
                let adjoints = tape.adjoints_mut(0, committed);
                if width == 1 {
                    for (&id, &value) in ids.iter().zip(values) {
                        if id >= free || (id != 0 && fence.lets(id, &[value])) {
                            adjoints[wide32(id)] += value;
                        }
                    }
                    return;
                }
                for (&id, values) in ids.iter().zip(values.chunks_exact(width)) {
                    if id >= free || (id != 0 && fence.lets(id, values)) {
                        let adjoints = &mut adjoints[wide32(id) * width..][..width];
                        for (adjoint, value) in adjoints.iter_mut().zip(values) {
                            *adjoint += value;
                        }
                    }
                }
            }
        }
    }

    /// Adds to the adjoint of an id that is not free, if the fence admits that.
    fn add_outside(&mut self, id: u32, values: &[f64]) {
        if self.fence.lets(id, values) {
            add_to(self.adjoints(id, 1), values);
        }
    }

    pub fn stored<T: Pod>(&self, slice: &Stored<T>) -> &[T] {
        self.tape_ref().stored(slice)
    }

    pub fn stored_mut<T: Pod>(&mut self, slice: &Stored<T>) -> &mut [T] {
        self.tape().stored_mut(slice)
    }

    /// The tape's companion, for a use that does not touch the sweep meanwhile.
    pub fn companion<C: Companion + Default>(&mut self) -> &mut C {
        self.tape().companion()
    }

    /// Takes the tape's companion out, for use beside the sweep; `attach` puts it back.
    pub fn detach<C: Companion + Default>(&mut self) -> Box<C> {
        self.tape().companions.take()
    }

    pub fn attach<C: Companion>(&mut self, companion: Box<C>) {
        self.tape().companions.put(companion);
    }

    /// Before code of the user's runs in the middle of a sweep.
    pub(super) fn pause(&mut self) -> Result<()> {
        let event = self.event;
        let tape = self.tape();
        let reached = tape.header(event).id;
        tape.sweeps.last_mut().expect("this one is under way").reached = reached;
        tape.companions.each(|companion| companion.pause())
    }

    /// A buffer of `n` zeros that keeps its memory between events; give it back with `recycle`.
    pub fn scratch(&mut self, n: usize) -> Vec<f64> {
        let mut scratch = std::mem::take(&mut self.tape().scratch);
        scratch.clear();
        scratch.resize(n, 0.0);
        scratch
    }

    pub fn recycle(&mut self, scratch: Vec<f64>) {
        if scratch.capacity() > self.tape().scratch.capacity() {
            self.tape().scratch = scratch;
        }
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
            unsafe { tape.run_statements(top, n, fence)? };
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
            unsafe { (header.ops.reverse)(payload, self) }.map_err(|error| Error {
                code: error.code,
                message: format!(
                    "reverse of {} (event {index}): {}",
                    header.ops.name, error.message
                ),
            })?;
            if self.tape().mutating.binary_search(&index).is_ok() {
                self.restore(index, header.ops.undo);
                self.undone = index;
            }
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

    /// Runs the undo or redo function of one event.
    fn restore(&mut self, index: u32, operation: super::event::StateOp) {
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
    fn redo(&mut self) {
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
    /// Commits the adjoints of all ids given out so far. Fresh ones are zero.
    #[inline(always)]
    pub(super) fn ensure_adjoints(&mut self) -> Result<()> {
        let bytes = wide32(self.cursors.next_id) * self.width * size_of::<f64>();
        if bytes > self.adjoint.committed() { self.commit_adjoints(bytes) } else { Ok(()) }
    }

    #[cold]
    fn commit_adjoints(&mut self, bytes: usize) -> Result<()> {
        let budget = self.budget();
        self.adjoint.commit(bytes, budget)
    }

    pub(super) fn adjoints_mut(&mut self, first: u32, n: usize) -> &mut [f64] {
        let start = wide32(first) * self.width;
        assert!(
            (start + n) * size_of::<f64>() <= self.adjoint.committed(),
            "ids beyond the adjoints"
        );
        if n == 0 {
            return &mut [];
        }
        // SAFETY: inside the committed part of the stream, which this tape owns.
        unsafe { std::slice::from_raw_parts_mut(self.adjoint.base().cast::<f64>().add(start), n) }
    }

    /// The first `n` adjoints, or as many as may differ from zero.
    pub(super) fn committed_adjoints(&self, n: usize) -> &[f64] {
        let n = n.min(self.adjoint.committed() / size_of::<f64>());
        if n == 0 {
            return &[];
        }
        // SAFETY: committed, hence zero or written.
        unsafe { std::slice::from_raw_parts(self.adjoint.base().cast::<f64>(), n) }
    }

    /// Adds `weight` to the adjoint of `y` in `direction`. A passive `y` has none.
    pub fn seed(&mut self, y: &Var, weight: f64, direction: usize) -> Result<()> {
        self.check_direction(direction)?;
        self.check_var("y", y)?;
        if y.id != 0 || weight == 0.0 {
            self.note_seeded();
        }
        if y.id != 0 {
            self.ensure_adjoints()?;
            self.adjoints_mut(y.id, self.width)[direction] += weight;
            self.dirty.below = self.dirty.below.max(y.id + 1);
            self.dirty.passed |= self.sweeps.last().is_some_and(|sweep| y.id < sweep.top.id);
        }
        Ok(())
    }

    /// The same for values with consecutive ids from `first` on, which are this tape's; passive ones have the id 0.
    pub fn seed_range(&mut self, first: u32, weights: &[f64], direction: usize) -> Result<()> {
        if first == 0 {
            return Ok(());
        }
        self.ensure_adjoints()?;
        let width = self.width;
        let adjoints = self.adjoints_mut(first, weights.len() * width);
        if width == 1 {
            adjoints.iter_mut().zip(weights).for_each(|(adjoint, weight)| *adjoint += weight);
        } else {
            let adjoints = adjoints.iter_mut().skip(direction).step_by(width);
            adjoints.zip(weights).for_each(|(adjoint, weight)| *adjoint += weight);
        }
        let n = u32::try_from(weights.len()).expect("ids that were given out");
        self.dirty.below = self.dirty.below.max(first + n);
        self.dirty.passed |= self.sweeps.last().is_some_and(|sweep| first < sweep.top.id);
        Ok(())
    }

    /// The adjoints of values with consecutive ids from `first` on, as `adjoint` gives them. Not if some are kept.
    pub fn adjoints_of_range(&self, first: u32, direction: usize, out: &mut [f64]) -> bool {
        let n = u32::try_from(out.len()).expect("ids that were given out");
        let kept = self.kept.partition_point(|&id| id < first);
        if self.kept.get(kept).is_some_and(|&id| id < first + n) {
            return false;
        }
        out.fill(0.0);
        if first != 0 {
            let doubles = self.adjoint.committed() / size_of::<f64>();
            let from = (wide32(first) * self.width).min(doubles);
            let end = (from + out.len() * self.width).min(doubles);
            // SAFETY: committed, hence zero or written.
            let adjoints = unsafe {
                std::slice::from_raw_parts(self.adjoint.base().cast::<f64>().add(from), end - from)
            };
            let adjoints = adjoints.iter().skip(direction).step_by(self.width);
            out.iter_mut().zip(adjoints).for_each(|(out, adjoint)| *out = *adjoint);
        }
        true
    }

    /// The adjoint of `x` in `direction`: what a kept value has gathered, and what is still to be swept.
    pub fn adjoint(&self, x: &Var, direction: usize) -> Result<f64> {
        self.check_direction(direction)?;
        self.check_var("x", x)?;
        let at = wide32(x.id) * self.width + direction;
        let mut adjoint = 0.0;
        if x.id != 0 && (at + 1) * size_of::<f64>() <= self.adjoint.committed() {
            // SAFETY: committed, hence zero or written.
            adjoint = unsafe { *self.adjoint.base().cast::<f64>().add(at) };
        }
        if !self.kept.is_empty()
            && let Ok(kept) = self.kept.binary_search(&x.id)
        {
            adjoint += self.kept_adjoint[kept * self.width + direction];
        }
        Ok(adjoint)
    }

    pub fn check_direction(&self, direction: usize) -> Result<()> {
        if direction < self.width {
            return Ok(());
        }
        Err(Error::new(
            Code::Argument,
            format!("direction = {direction} is not below the width, which is {}", self.width),
        ))
    }

    /// Lets the adjoint of `y` outlive the sweep that consumes it. That of an input does anyway.
    pub fn keep(&mut self, y: &Var) -> Result<()> {
        self.check_var("y", y)?;
        if y.id != 0
            && !self.is_input(y.id)
            && let Err(at) = self.kept.binary_search(&y.id)
        {
            self.kept.insert(at, y.id);
            let at = at * self.width;
            self.kept_adjoint.splice(at..at, std::iter::repeat_n(0.0, self.width));
        }
        Ok(())
    }

    pub(super) fn is_input(&self, id: u32) -> bool {
        let above = self.inputs.partition_point(|&(first, _)| first <= id);
        above > 0 && id - self.inputs[above - 1].0 < self.inputs[above - 1].1
    }

    /// Adds the adjoint of a kept value, complete now, to what it has gathered.
    fn keep_adjoint(&mut self, kept: usize) {
        let (width, id) = (self.width, self.kept[kept]);
        let start = wide32(id) * width;
        for k in 0..width {
            // SAFETY: ids of this tape are committed during a sweep.
            let adjoint = unsafe { *self.adjoint.base().cast::<f64>().add(start + k) };
            self.kept_adjoint[kept * width + k] += adjoint;
        }
    }

    /// The same for the kept ones among an event's outputs, before it takes them.
    #[inline]
    fn keep_outputs(&mut self, first: u32, end: u32) {
        if self.kept.is_empty() {
            return;
        }
        let range =
            self.kept.partition_point(|&id| id < first)..self.kept.partition_point(|&id| id < end);
        for kept in range {
            self.keep_adjoint(kept);
        }
    }

    /// Zeroes all adjoints that a sweep may write now: all, or those of the innermost isolated nest.
    pub fn clear_adjoints(&mut self) -> Result<()> {
        let isolated = self.nests.iter().rfind(|nest| nest.outside != Outside::Added);
        let floor = isolated.map_or(0, |nest| nest.base.id);
        if self.sweeps.last().is_some_and(|sweep| floor < sweep.top.id) {
            return Err(Error::new(
                Code::Nest,
                "clear_adjoints: a sweep of this tape is under way; a nest in its callback can be cleared if it is \
                 opened with ADMPI_NEST_ISOLATED",
            ));
        }
        if floor == 0 {
            self.clear_all_adjoints();
        } else {
            self.zero_adjoints_from(floor);
            let kept = self.kept.partition_point(|&id| id < floor);
            self.kept_adjoint[kept * self.width..].fill(0.0);
        }
        Ok(())
    }

    pub(super) fn clear_all_adjoints(&mut self) {
        self.seeded = false;
        self.zero_adjoints_from(0);
        self.dirty = Dirty::default();
        self.kept_adjoint.fill(0.0);
    }

    /// Zeroes the adjoints of `id` and all above it, touching only what may differ from zero.
    pub(super) fn zero_adjoints_from(&mut self, id: u32) {
        if self.dirty.inputs {
            for at in (0..self.inputs.len()).rev() {
                let (first, n) = self.inputs[at];
                if first + n <= id {
                    break;
                }
                self.zero_adjoints(first.max(id), first + n);
            }
        }
        if self.dirty.below > id {
            self.zero_adjoints(id, self.dirty.below);
            self.dirty.below = id;
        }
    }

    /// Adjoints that were never committed are zero already.
    fn zero_adjoints(&mut self, first: u32, end: u32) {
        let committed = self.adjoint.committed() / size_of::<f64>();
        let start = (wide32(first) * self.width).min(committed);
        let stop = (wide32(end) * self.width).min(committed);
        if start < stop {
            // SAFETY: inside the committed part of the stream.
            unsafe { self.adjoint.base().cast::<f64>().add(start).write_bytes(0, stop - start) };
        }
    }

    /// Sweeps from the top down to the base of the innermost nest, or of the tape.
    ///
    /// # Safety
    /// `tape` is live. Callbacks may use it through its handle meanwhile.
    pub unsafe fn reverse(tape: *mut Self) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let (from, to) = ((*tape).position(), (*tape).base());
            Self::reverse_range(tape, &from, &to)
        }
    }

    /// Sweeps from `from` down to `to`.
    ///
    /// # Safety
    /// As for `reverse`.
    pub unsafe fn reverse_range(tape: *mut Self, from: &Position, to: &Position) -> Result<()> {
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
        if let Some((_, error)) = &self.failed {
            return Err(error.clone());
        }
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
        let fence = Fence::of(self);
        self.ensure_adjoints()?;
        let mut companions = std::mem::take(&mut self.companions);
        let whole = from.same_place(&self.position());
        // A rank that allows zeros counts as one that has seeded.
        let seeded = self.seeded || !self.is_strict();
        let begun = companions.begin(|companion| companion.begin(from, to, &base, whole, seeded));
        self.companions.restore(companions);
        begun?;
        // Elements of matrices are those of an earlier time while the sweep is on its way.
        self.mark();
        self.dirty.below = self.dirty.below.max(from.id);
        let (top, nests) = (self.position(), self.nests.len());
        self.sweeps.push(Running { top, reached: top.id, nests, bottom: to.same_place(&base) });
        Ok(fence)
    }

    fn end_sweep(&mut self, from: &Position, to: &Position, result: Result<()>) -> Result<()> {
        let running = self.sweeps.pop().expect("begin_sweep has added it");
        let bottom = running.bottom;
        let mut companions = std::mem::take(&mut self.companions);
        let ended = companions.end(bottom && result.is_ok());
        self.companions.restore(companions);
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

    /// Reverses `n` statements below `top` and moves it.
    ///
    /// # Safety
    /// `top` is a position of this tape with at least `n` statements right below it, and the adjoints
    /// of all its ids are committed.
    pub(super) unsafe fn run_statements(
        &mut self,
        top: &mut Position,
        n: u32,
        fence: &mut Fence,
    ) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        // SAFETY: the caller's promise: all pointers stay within what has been written.
        unsafe {
            let streams = Streams {
                adjoint: self.adjoint.base().cast(),
                statement: self.statement.base().add(wide32(top.statement)),
                argument: self.argument.base().cast::<u32>().add(wide(top.argument)),
                jacobian: self.jacobian.base().cast::<f64>().add(wide(top.argument)),
                id: wide32(top.id),
                n: wide32(n),
            };
            let arguments = match (self.width, fence.free()) {
                (1, 0) => streams.reverse_one(),
                (1, _) => streams.reverse_wide::<1, true>(fence),
                (2, 0) => streams.reverse_wide::<2, false>(fence),
                (2, _) => streams.reverse_wide::<2, true>(fence),
                (4, 0) => streams.reverse_wide::<4, false>(fence),
                (4, _) => streams.reverse_wide::<4, true>(fence),
                (8, 0) => streams.reverse_wide::<8, false>(fence),
                (8, _) => streams.reverse_wide::<8, true>(fence),
                (_, 0) => streams.reverse_wide::<16, false>(fence),
                (_, _) => streams.reverse_wide::<16, true>(fence),
            };
            top.argument -= arguments.map_err(|id| self.foreign_operand(id))? as u64;
        }
        top.statement -= n;
        top.id -= n;
        Ok(())
    }

    /// Reverses all statements above `bottom`, the first one's place, in one direction; nothing else stands there.
    ///
    /// # Safety
    /// The width is 1, and the adjoints of all ids are committed.
    #[inline(always)]
    pub(super) unsafe fn run_all_statements(&mut self, bottom: *const u8) -> Result<()> {
        let Cursors { statement, argument, jacobian, next_id, .. } = self.cursors;
        let n = statement.addr() - bottom.addr();
        let adjoint = self.adjoint.base().cast();
        let id = wide32(next_id);
        let streams = Streams { adjoint, statement, argument, jacobian, id, n };
        // SAFETY: the caller's promise: all pointers stay within what has been written.
        unsafe { streams.reverse_here() }.map(drop).map_err(|id| self.foreign_operand(id))
    }

    #[cold]
    fn foreign_operand(&self, id: u32) -> Error {
        Error::new(
            Code::Stale,
            format!(
                "an operand has id {id}, made after its statement: it outlived a reset or belongs to another tape \
                 (ADMPI_CHECK=1 tells where); clear the adjoints"
            ),
        )
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

/// A run of statements to reverse: pointers just above it, and how many there are.
struct Streams {
    adjoint: *mut f64,
    statement: *const u8,
    argument: *const u32,
    jacobian: *const f64,
    id: usize,
    n: usize,
}

impl Streams {
    /// One direction, no nest.
    ///
    /// # Safety
    /// As for `run_statements`.
    #[inline(never)]
    unsafe fn reverse_one(self) -> std::result::Result<usize, u32> {
        // SAFETY: the caller's promise.
        unsafe { self.reverse_here() }
    }

    /// The same in place, for a few statements. Where a statement's operand is the value made just before it, that
    /// adjoint goes on in a register: a chain of statements would else wait for its own stores.
    ///
    /// # Safety
    /// As for `run_statements`.
    #[inline(always)]
    unsafe fn reverse_here(self) -> std::result::Result<usize, u32> {
        let Self { adjoint, mut statement, mut argument, mut jacobian, mut id, n } = self;
        // SAFETY: the caller's promise; an operand is older than its statement, or refused.
        unsafe {
            let top = argument;
            let end = statement.sub(n);
            let (mut made, mut passed_on) = (0, 0.0);
            while statement != end {
                statement = statement.sub(1);
                id -= 1;
                let w = if made == id { passed_on } else { *adjoint.add(id) };
                *adjoint.add(id) = 0.0;
                let count = usize::from(*statement);
                made = 0;
                if w != 0.0 {
                    // All but the first, by a negative index that ends at zero.
                    let mut i = 1 - count.cast_signed();
                    while i != 0 {
                        let operand = *argument.offset(i);
                        if wide32(operand) >= id {
                            return Err(operand);
                        }
                        *adjoint.add(wide32(operand)) += *jacobian.offset(i) * w;
                        i += 1;
                    }
                    let first = *argument.sub(count);
                    made = wide32(first);
                    if made >= id {
                        return Err(first);
                    }
                    passed_on = *adjoint.add(made) + *jacobian.sub(count) * w;
                    *adjoint.add(made) = passed_on;
                }
                argument = argument.sub(count);
                jacobian = jacobian.sub(count);
            }
            Ok(top.offset_from_unsigned(argument))
        }
    }

    /// `K` directions side by side; the fence is asked before adjoints are added to that are not free.
    ///
    /// # Safety
    /// As for `run_statements`.
    unsafe fn reverse_wide<const K: usize, const FENCED: bool>(
        self,
        fence: &mut Fence,
    ) -> std::result::Result<usize, u32> {
        let Self { adjoint, mut statement, mut argument, mut jacobian, mut id, n } = self;
        // SAFETY: the caller's promise; an operand is older than its statement, or refused.
        unsafe {
            let adjoint = adjoint.cast::<[f64; K]>();
            let free = fence.free();
            let top = argument;
            let end = statement.sub(n);
            while statement != end {
                statement = statement.sub(1);
                id -= 1;
                let count = usize::from(*statement);
                argument = argument.sub(count);
                jacobian = jacobian.sub(count);
                let w = adjoint.add(id).replace([0.0; K]);
                if w.iter().all(|&w| w == 0.0) {
                    continue;
                }
                for i in 0..count {
                    let operand = *argument.add(i);
                    if wide32(operand) >= id {
                        return Err(operand);
                    }
                    let partial = *jacobian.add(i);
                    if FENCED && operand < free && !fence.lets(operand, &[partial]) {
                        continue;
                    }
                    let into = &mut *adjoint.add(wide32(operand));
                    if K == 1 || partial.is_finite() {
                        for k in 0..K {
                            into[k] += partial * w[k];
                        }
                    } else {
                        // An infinite partial is none of the business of directions that are zero.
                        for k in (0..K).filter(|&k| w[k] != 0.0) {
                            into[k] += partial * w[k];
                        }
                    }
                }
            }
            Ok(top.offset_from_unsigned(argument))
        }
    }
}
