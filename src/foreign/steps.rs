//! The steps of a thread: recorded one after the other, and reversed from the last one on.

use super::argument::{Argument, Format, Run};
use crate::error::{Code, Error, Result};
use crate::tape::{self, Position, Tape, Var};
use std::ffi::{CStr, c_void};
use std::mem::take;

/// Ids of the companion tape, and the numbers of the tool's that they stand for.
#[derive(Debug, Clone, Copy)]
struct Binding {
    name: &'static CStr,
    /// The argument of the step's own call, or None of a call that this one completed.
    argument: Option<usize>,
    /// The array, and which of its numbers.
    base: usize,
    format: Format,
    run: Run,
    /// Written by the call, or read.
    written: bool,
}

/// One call.
#[derive(Debug, Clone, Copy)]
struct Step {
    call: &'static CStr,
    from: Position,
    to: Position,
    /// How many bindings there were before.
    bindings: usize,
    /// Counts the calls.
    number: u64,
}

/// An argument of a call that is not complete, and its numbers as active values.
#[derive(Debug)]
struct Staged {
    argument: Argument,
    first: u32,
    values: Vec<Var>,
}

/// A call under way.
struct Open {
    step: Step,
    before: *mut Tape,
}

/// A call that was started; the library's own request is `handle`.
struct Pending {
    handle: *mut c_void,
    staged: Vec<Staged>,
}

/// The adjoints of the numbers at `base`, for the steps before `number`.
#[derive(Debug, Clone, Copy)]
struct Turned {
    base: usize,
    /// 0: of whatever array begins at `base`.
    bytes: usize,
    adjoint: *mut u8,
    number: u64,
}

/// The companion tape of a thread, and its steps.
pub struct Steps {
    tape: *mut Tape,
    steps: Vec<Step>,
    bindings: Vec<Binding>,
    open: Option<Open>,
    staged: Vec<Staged>,
    pending: Vec<Option<Pending>>,
    turned: Vec<Turned>,
    /// Where the tape last went back to: its positions need no tags of their own for each time that it does.
    floor: Position,
    number: u64,
    spare: Vec<Vec<Var>>,
    spare_lists: Vec<Vec<Staged>>,
    adjoints: Vec<f64>,
}

impl Default for Steps {
    fn default() -> Self {
        let mut tape = Box::new(Tape::new());
        tape.sweep_in_steps();
        Self {
            tape: Box::into_raw(tape),
            steps: Vec::new(),
            bindings: Vec::new(),
            open: None,
            staged: Vec::new(),
            pending: Vec::new(),
            turned: Vec::new(),
            floor: Position::BOTTOM,
            number: 0,
            spare: Vec::new(),
            spare_lists: Vec::new(),
            adjoints: Vec::new(),
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw`, and nobody else's.
        unsafe { Tape::free(self.tape) };
    }
}

fn wrong<T>(code: Code, text: String) -> Result<T> {
    Err(Error::new(code, text))
}

impl Steps {
    fn tape(&mut self) -> &mut Tape {
        // SAFETY: live, and the thread's.
        unsafe { &mut *self.tape }
    }

    /// How many can be reversed.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// How many segments the companion tape has.
    #[cfg(test)]
    pub fn segments(&mut self) -> usize {
        self.tape().segment_count()
    }

    /// What the companion tape holds.
    pub fn statistics(&mut self) -> tape::Statistics {
        self.tape().statistics()
    }

    /// Opens the step of `call`: until `close` the companion tape is the thread's, and records.
    pub fn open(&mut self, call: &'static CStr) -> Result<()> {
        self.none_is_open()?;
        let here = self.tape().position();
        let from = if here.same_place(&self.floor) { self.floor } else { here };
        // SAFETY: the tape lives as long as the thread's steps.
        let before = unsafe { tape::activate(self.tape) }?;
        self.tape().start();
        self.number += 1;
        let step =
            Step { call, from, to: from, bindings: self.bindings.len(), number: self.number };
        self.open = Some(Open { step, before });
        Ok(())
    }

    /// The next argument of the open step's call: its numbers as active values, which stay where they are until the call
    /// is complete.
    ///
    /// # Safety
    /// The numbers are there, and stay until the call is complete.
    pub unsafe fn argument(&mut self, argument: &Argument) -> Result<*mut Var> {
        if self.open.is_none() {
            return wrong(Code::Nest, "no step is open".to_owned());
        }
        let mut values = self.spare.pop().unwrap_or_default();
        // SAFETY: the caller's promise.
        let first = unsafe { argument.stage(self.tape(), &mut values) }?;
        if first != 0 {
            let run = Run { first: 0, n: argument.n, id: first };
            self.bind(argument, Some(self.staged.len()), run, false);
        }
        let place = values.as_mut_ptr();
        self.staged.push(Staged { argument: *argument, first, values });
        Ok(place)
    }

    fn none_is_open(&self) -> Result<()> {
        match &self.open {
            None => Ok(()),
            Some(open) => {
                let call = open.step.call.to_string_lossy();
                wrong(Code::Nest, format!("a call of {call} is under way on this thread"))
            }
        }
    }

    /// As if the step that begins at `from` had not been opened.
    #[cold]
    fn withdraw(&mut self, step: &Step) -> Result<()> {
        self.bindings.truncate(step.bindings);
        for staged in take(&mut self.staged) {
            self.recycle(staged.values);
        }
        self.go_back(&step.from)
    }

    fn go_back(&mut self, to: &Position) -> Result<()> {
        // SAFETY: live; no functions of the user's are among the events of communication.
        unsafe { Tape::reset_to(self.tape, to) }?;
        self.floor = *to;
        Ok(())
    }

    fn recycle(&mut self, values: Vec<Var>) {
        /// More calls than this are seldom under way, and short arrays cost little to make anew.
        const SPARE: usize = 64;
        if self.spare.len() < SPARE {
            self.spare.push(values);
        }
    }

    fn bind(&mut self, argument: &Argument, own: Option<usize>, run: Run, written: bool) {
        let (name, base, format) = (argument.name, argument.base.addr(), argument.format);
        self.bindings.push(Binding { name, argument: own, base, format, run, written });
    }

    /// Hands the numbers that a call has written to the tool.
    ///
    /// # Safety
    /// As for `open`.
    unsafe fn settle(&mut self, own: Option<usize>, staged: Staged) {
        let Staged { argument, first, values } = staged;
        if argument.writes {
            // SAFETY: the promise of `open`.
            unsafe {
                argument.settle(&values, first, |run| self.bind(&argument, own, run, true));
            }
        }
        self.recycle(values);
    }

    /// Closes the step of a call that has `failed`, which is then forgotten, or is complete.
    ///
    /// # Safety
    /// As for `open`.
    pub unsafe fn close(&mut self, failed: bool) -> Result<()> {
        let open = self.end()?;
        if failed {
            return self.withdraw(&open.step);
        }
        let mut staged = take(&mut self.staged);
        for (i, one) in staged.drain(..).enumerate() {
            // SAFETY: the caller's promise.
            unsafe { self.settle(Some(i), one) };
        }
        self.staged = staged;
        self.push(open.step);
        Ok(())
    }

    fn end(&mut self) -> Result<Open> {
        let Some(open) = self.open.take() else {
            return wrong(Code::Nest, "no step is open".to_owned());
        };
        self.tape().stop();
        // SAFETY: the tape before was the thread's own and still lives.
        unsafe { tape::activate(open.before) }?;
        Ok(open)
    }

    fn push(&mut self, mut step: Step) {
        step.to = self.tape().position();
        self.steps.push(step);
    }

    /// Closes the step of a call that was started as the request `handle`, and tells the number of it.
    pub fn close_started(&mut self, handle: *mut c_void) -> Result<usize> {
        let open = self.end()?;
        let mut list = self.spare_lists.pop().unwrap_or_default();
        list.append(&mut self.staged);
        self.push(open.step);
        let place = self.pending.iter().position(Option::is_none).unwrap_or(self.pending.len());
        if place == self.pending.len() {
            self.pending.push(None);
        }
        self.pending[place] = Some(Pending { handle, staged: list });
        Ok(place)
    }

    /// The library's request behind a number.
    pub fn started(&self, number: usize) -> Result<*mut c_void> {
        match self.pending.get(number) {
            Some(Some(pending)) => Ok(pending.handle),
            _ => wrong(
                Code::Argument,
                format!(
                    "request {number} is not under way: it was completed, or started on another thread"
                ),
            ),
        }
    }

    /// The call behind a number is complete: the open step has completed it.
    ///
    /// # Safety
    /// As for `open`.
    pub unsafe fn completed(&mut self, number: usize) -> Result<()> {
        self.started(number)?;
        if self.open.is_none() {
            return wrong(Code::Nest, "completed: no step is open".to_owned());
        }
        let Some(mut pending) = self.pending[number].take() else { return Ok(()) };
        for staged in pending.staged.drain(..) {
            // SAFETY: the promise of the step that started it.
            unsafe { self.settle(None, staged) };
        }
        self.spare_lists.push(pending.staged);
        Ok(())
    }

    /// From now on the adjoints of the numbers that lie in `bytes` from `base` on, for steps recorded so far, lie as far
    /// behind `adjoint`. 0 bytes: those of every array that begins there.
    pub fn turn(&mut self, base: usize, bytes: usize, adjoint: *mut u8) {
        self.turned.retain(|one| (one.base, one.bytes) != (base, bytes));
        self.turned.push(Turned { base, bytes, adjoint, number: self.number });
    }

    /// Where the adjoints of a binding are.
    fn adjoint_of(
        &self,
        step: &Step,
        binding: &Binding,
        adjoints: &[*mut u8],
        completed: *mut u8,
    ) -> Result<*mut u8> {
        let behind = binding.run.first * binding.format.bytes();
        let name = binding.name.to_string_lossy();
        let (base, n) = (binding.base, binding.run.n);
        if let Some(own) = binding.argument {
            let adjoint = adjoints.get(own).copied().unwrap_or(std::ptr::null_mut());
            if adjoint.is_null() {
                return wrong(Code::Null, format!("{name}: the adjoint buffer is NULL"));
            }
            return Ok(adjoint.wrapping_add(behind));
        }
        if !completed.is_null() {
            return Ok(completed.wrapping_add(behind));
        }
        let first = base + behind;
        let end = first + n * binding.format.bytes();
        let holds = |one: &&Turned| {
            let inside = one.bytes != 0 && one.base <= first && end <= one.base + one.bytes;
            step.number <= one.number && (inside || (one.bytes == 0 && one.base == base))
        };
        match self.turned.iter().rev().find(holds) {
            Some(one) => Ok(one.adjoint.wrapping_add(first - one.base)),
            None => wrong(
                Code::Argument,
                format!(
                    "{name} (address {base:#x}, {n} numbers) has no adjoint buffer: call ADTOOL_AMPI_Turn(v, vb) where the sweep turns round"
                ),
            ),
        }
    }

    /// Reverses the last step, which must be one of `call`, and forgets it. `adjoints` has the adjoints of each of its
    /// arguments, `completed` those of what it completed, if that was one array; else they are found by address.
    ///
    /// # Safety
    /// Where an argument has numbers its adjoints are there, and nothing else refers to them. What was told to `turn` is
    /// still there.
    pub unsafe fn reverse(
        &mut self,
        call: &CStr,
        adjoints: &[*mut u8],
        completed: *mut u8,
    ) -> Result<()> {
        let step = self.last_of(call)?;
        let mut bindings = take(&mut self.bindings);
        // SAFETY: the caller's promise.
        let swept = unsafe { self.sweep(&step, &bindings[step.bindings..], adjoints, completed) };
        if swept.is_ok() {
            bindings.truncate(step.bindings);
            self.steps.pop();
        }
        self.bindings = bindings;
        if self.steps.is_empty() {
            self.turned.clear();
        }
        swept
    }

    fn last_of(&self, call: &CStr) -> Result<Step> {
        self.none_is_open()?;
        match self.steps.last() {
            Some(step) if step.call == call => Ok(*step),
            Some(step) => wrong(
                Code::Range,
                format!(
                    "the last call that is recorded and not reversed is FW_{}; each BW_ call reverses one FW_ call of its thread, the last first",
                    step.call.to_string_lossy()
                ),
            ),
            None => wrong(
                Code::Range,
                "no call is recorded that is not reversed; each BW_ call reverses one FW_ call of its thread, the last first".to_owned(),
            ),
        }
    }

    /// # Safety
    /// As for `reverse`.
    unsafe fn sweep(
        &mut self,
        step: &Step,
        bindings: &[Binding],
        adjoints: &[*mut u8],
        completed: *mut u8,
    ) -> Result<()> {
        // All are found before the first is touched.
        for binding in bindings {
            self.adjoint_of(step, binding, adjoints, completed)?;
        }
        let mut room = take(&mut self.adjoints);
        // SAFETY: handed on.
        let swept = unsafe { self.sweep_with(&mut room, step, bindings, adjoints, completed) };
        self.adjoints = room;
        swept
    }

    /// # Safety
    /// As for `reverse`.
    unsafe fn sweep_with(
        &mut self,
        room: &mut Vec<f64>,
        step: &Step,
        bindings: &[Binding],
        adjoints: &[*mut u8],
        completed: *mut u8,
    ) -> Result<()> {
        for binding in bindings.iter().filter(|binding| binding.written) {
            let place = self.adjoint_of(step, binding, adjoints, completed)?;
            room.clear();
            room.resize(binding.run.n, 0.0);
            // SAFETY: the caller's promise.
            unsafe { binding.format.take(place, room) };
            self.tape().seed_range(binding.run.id, room, 0)?;
        }
        if step.from.same_place(&step.to) {
            return Ok(());
        }
        self.tape().note_seeded();
        // SAFETY: live; the events are of communication.
        unsafe { Tape::reverse_range(self.tape, &step.to, &step.from) }?;
        for binding in bindings.iter().filter(|binding| !binding.written) {
            let place = self.adjoint_of(step, binding, adjoints, completed)?;
            room.clear();
            room.resize(binding.run.n, 0.0);
            self.tape().adjoints_of_range(binding.run.id, 0, room);
            // SAFETY: the caller's promise.
            unsafe { binding.format.add(place, room) };
        }
        self.go_back(&step.from)
    }
}
