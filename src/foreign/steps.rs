//! The steps of a thread: recorded one after the other, and reversed from the last one on.

use super::argument::{Argument, Numbers, Place, Run};
use super::format::{Adjoint, Format, Match};
use crate::error::{Code, Error, Result};
use crate::tape::{self, Borrowed, Position, Tape, Var};
use std::ffi::{CStr, c_void};
use std::mem::take;
use std::sync::atomic::{AtomicI64, Ordering};

/// Of all threads.
static HANDLES: AtomicI64 = AtomicI64::new(1);

/// What the ids of a binding stand for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stands {
    /// For numbers of an array.
    Array { base: usize, format: Format },
    /// For ids of the tool's, from these places of the lists on.
    Ids { at: usize, before: usize },
}

/// Ids of the companion tape, and the numbers of the tool's that they stand for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding {
    name: &'static CStr,
    /// The argument of the step's own call whose adjoints are told, or None where they are found by the address.
    argument: Option<usize>,
    /// How many numbers the argument has.
    of: usize,
    pub(super) stands: Stands,
    pub(super) run: Run,
    /// Written by the call, or read.
    pub(super) written: bool,
    /// Of a lent argument: only the message names its values.
    lent: bool,
}

impl Binding {
    /// Its adjoints, if a sweep can use them where they lie.
    fn lends(&self, adjoint: &Adjoint) -> Option<Borrowed> {
        let Run { first, n, id } = self.run;
        let adjoints = if self.lent && id != 0 { adjoint.in_a_row(first) } else { None };
        adjoints.map(|adjoints| Borrowed { first: id, n, adjoints })
    }
}

/// How long the lists were that steps append to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    pub(super) bindings: usize,
    pub(super) ids: usize,
    pub(super) before: usize,
}

/// One call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    call: &'static CStr,
    pub(super) from: Position,
    pub(super) to: Position,
    pub(super) marks: Marks,
    /// Counts the calls.
    number: u64,
    /// What a tool with a tape of its own knows it by, else 0.
    pub(super) handle: i64,
    /// The tool has forgotten it.
    pub(super) deleted: bool,
}

/// An argument of a call that is not complete, and its numbers as active values.
#[derive(Debug)]
struct Staged {
    argument: Argument,
    first: u32,
    values: Vec<Var>,
    /// In the place of values, if the argument is lent.
    numbers: Option<Box<Numbers>>,
}

/// A call under way.
struct Open {
    step: Step,
    before: *mut Tape,
    recorded: bool,
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

/// The adjoints of an argument, as they are told where the step is reversed.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    pub base: *mut u8,
    /// How they lie and how many there are, or None: as the numbers.
    pub shape: Option<(Format, usize)>,
}

impl Default for Told {
    fn default() -> Self {
        Self { base: std::ptr::null_mut(), shape: None }
    }
}

impl Told {
    fn of(&self, step: &Step, binding: &Binding, format: Format) -> Result<Adjoint> {
        let name = || binding.name.to_string_lossy();
        if self.base.is_null() {
            return wrong(Code::Null, format!("{}: the adjoint buffer is NULL", name()));
        }
        let (other, n) = self.shape.unwrap_or((format, binding.of));
        match Match::new((format, binding.of), (other, n)) {
            Some(belongs) => Ok(Adjoint { base: self.base, format: other, belongs }),
            None => wrong(
                Code::Argument,
                format!(
                    "{}: {n} adjoints for the {} numbers of FW_{}; the count must be that of the FW_ call",
                    name(),
                    binding.of,
                    step.call.to_string_lossy()
                ),
            ),
        }
    }
}

/// Where the adjoints of a step are: those of each argument, and of what it completed, if that was one array; else they
/// are found by address.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    pub adjoints: &'a [Told],
    pub completed: *mut u8,
}

/// The companion tape of a thread, and its steps.
pub struct Steps {
    pub(super) tape: *mut Tape,
    pub(super) steps: Vec<Step>,
    pub(super) bindings: Vec<Binding>,
    /// The tool's ids that bindings stand for.
    pub(super) ids: Vec<i64>,
    /// Of a tool that restores values: what stood at the ids of results before.
    pub(super) before: Vec<f64>,
    open: Option<Open>,
    staged: Vec<Staged>,
    pending: Vec<Option<Pending>>,
    turned: Vec<Turned>,
    /// Where the tape last went back to: its positions need no tags of their own for each time that it does.
    floor: Position,
    number: u64,
    spare: Vec<Vec<Var>>,
    // Boxes: calls under way have their addresses.
    #[allow(clippy::vec_box)]
    spare_numbers: Vec<Box<Numbers>>,
    spare_lists: Vec<Vec<Staged>>,
    pub(super) adjoints: Vec<f64>,
    /// Those that the sweep under way finds in the tool's memory.
    borrowed: Vec<Borrowed>,
}

impl Default for Steps {
    fn default() -> Self {
        let mut tape = Box::new(Tape::new());
        tape.sweep_in_steps();
        Self {
            tape: Box::into_raw(tape),
            steps: Vec::new(),
            bindings: Vec::new(),
            ids: Vec::new(),
            before: Vec::new(),
            open: None,
            staged: Vec::new(),
            pending: Vec::new(),
            turned: Vec::new(),
            floor: Position::BOTTOM,
            number: 0,
            spare: Vec::new(),
            spare_numbers: Vec::new(),
            spare_lists: Vec::new(),
            adjoints: Vec::new(),
            borrowed: Vec::new(),
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw`, and nobody else's.
        unsafe { Tape::free(self.tape) };
    }
}

pub(super) fn wrong<T>(code: Code, text: String) -> Result<T> {
    Err(Error::new(code, text))
}

impl Steps {
    pub(super) fn tape(&mut self) -> &mut Tape {
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
        self.open_as(call, true)
    }

    /// As `open`; the companion tape records if the call is to be `recorded`.
    pub fn open_as(&mut self, call: &'static CStr, recorded: bool) -> Result<()> {
        self.none_is_open()?;
        let here = self.tape().position();
        let from = if here.same_place(&self.floor) { self.floor } else { here };
        // SAFETY: the tape lives as long as the thread's steps.
        let before = unsafe { tape::activate(self.tape) }?;
        if recorded {
            self.tape().start();
        }
        self.number += 1;
        let marks =
            Marks { bindings: self.bindings.len(), ids: self.ids.len(), before: self.before.len() };
        let (number, handle, deleted) = (self.number, 0, false);
        let step = Step { call, from, to: from, marks, number, handle, deleted };
        self.open = Some(Open { step, before, recorded });
        Ok(())
    }

    /// The next argument of the open step's call: its numbers as active values, which stay where they are until the call
    /// is complete.
    ///
    /// # Safety
    /// The numbers are there, and stay until the call is complete.
    pub unsafe fn argument(&mut self, argument: Argument) -> Result<*mut c_void> {
        let Some(recorded) = self.open.as_ref().map(|open| open.recorded) else {
            return wrong(Code::Nest, "no step is open".to_owned());
        };
        let (mut values, mut numbers) = (Vec::new(), None);
        let first = if argument.lent {
            let lent = argument.lend(self.tape(), recorded)?;
            let first = lent.first;
            numbers = Some(self.boxed(lent));
            first
        } else {
            values = self.spare.pop().unwrap_or_default();
            // SAFETY: the caller's promise.
            unsafe { argument.stage(self.tape(), recorded, &mut values) }?
        };
        if first != 0 {
            let run = Run { first: 0, n: argument.n, id: first };
            // SAFETY: as above.
            let stands = unsafe { self.read_ids(&argument.place) };
            let own = (!argument.turned).then_some(self.staged.len());
            self.bind(&argument, own, stands, run, false);
        }
        let place = match &mut numbers {
            Some(numbers) => (&raw mut **numbers).cast(),
            None => values.as_mut_ptr().cast(),
        };
        self.staged.push(Staged { argument, first, values, numbers });
        Ok(place)
    }

    fn boxed(&mut self, numbers: Numbers) -> Box<Numbers> {
        match self.spare_numbers.pop() {
            Some(mut spare) => {
                *spare = numbers;
                spare
            }
            None => Box::new(numbers),
        }
    }

    /// # Safety
    /// As for `argument`.
    unsafe fn read_ids(&mut self, place: &Place) -> Stands {
        match place {
            Place::Array { base, format } => Stands::Array { base: base.addr(), format: *format },
            Place::Variables { tool, runs } => {
                let (at, before) = (self.ids.len(), self.before.len());
                for run in runs {
                    // SAFETY: the caller's promise.
                    unsafe { tool.ids(run.base, run.n, &mut self.ids) };
                }
                Stands::Ids { at, before }
            }
        }
    }

    pub(super) fn none_is_open(&self) -> Result<()> {
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
        self.truncate(&step.marks);
        for staged in take(&mut self.staged) {
            self.recycle(staged);
        }
        self.go_back(&step.from)
    }

    pub(super) fn truncate(&mut self, marks: &Marks) {
        self.bindings.truncate(marks.bindings);
        self.ids.truncate(marks.ids);
        self.before.truncate(marks.before);
    }

    pub(super) fn go_back(&mut self, to: &Position) -> Result<()> {
        // SAFETY: live; no functions of the user's are among the events of communication.
        unsafe { Tape::reset_to(self.tape, to) }?;
        self.floor = *to;
        Ok(())
    }

    fn recycle(&mut self, staged: Staged) {
        /// More calls than this are seldom under way, and short arrays cost little to make anew.
        const SPARE: usize = 64;
        match staged.numbers {
            Some(numbers) if self.spare_numbers.len() < SPARE => self.spare_numbers.push(numbers),
            None if self.spare.len() < SPARE => self.spare.push(staged.values),
            _ => {}
        }
    }

    fn bind(
        &mut self,
        argument: &Argument,
        own: Option<usize>,
        stands: Stands,
        run: Run,
        written: bool,
    ) {
        let (name, of, lent) = (argument.name, argument.n, argument.lent);
        self.bindings.push(Binding { name, argument: own, of, stands, run, written, lent });
    }

    /// Hands the numbers that a call has written to the tool.
    ///
    /// # Safety
    /// As for `open`.
    unsafe fn settle(&mut self, own: Option<usize>, staged: Staged) {
        let Staged { argument, first, values, numbers } = &staged;
        let own = own.filter(|_| !argument.turned);
        if let (Some(numbers), Place::Array { base, format }) = (numbers, &argument.place) {
            let arrived = numbers.arrived.filter(|&(n, _)| argument.writes && n > 0);
            if let Some((n, id)) = arrived {
                let stands = Stands::Array { base: base.addr(), format: *format };
                self.bind(argument, own, stands, Run { first: 0, n, id }, true);
            }
        } else if argument.writes {
            argument.written(values, *first, |run| {
                // SAFETY: the promise of `open`.
                let stands = unsafe { self.write(&argument.place, values, run) };
                self.bind(argument, own, stands, run, true);
            });
            if let Place::Array { base, format } = argument.place {
                // SAFETY: as above.
                unsafe { format.write_bytes(base, argument.n, values) };
            }
        }
        self.recycle(staged);
    }

    /// # Safety
    /// As for `settle`.
    unsafe fn write(&mut self, place: &Place, values: &[Var], run: Run) -> Stands {
        match place {
            Place::Array { base, format } => {
                let all = run.first..run.first + run.n;
                if *format == Format::Double {
                    // A loop of its own: there may be millions.
                    for (i, var) in all.clone().zip(&values[all]) {
                        // SAFETY: the caller's promise; so below.
                        unsafe { Format::Double.write(*base, i, var.value) };
                    }
                } else {
                    for i in all {
                        // SAFETY: as above.
                        unsafe { format.write(*base, i, values[place.place_of(i)].value) };
                    }
                }
                Stands::Array { base: base.addr(), format: *format }
            }
            Place::Variables { tool, runs } => {
                let (at, before) = (self.ids.len(), self.before.len());
                let mut numbers = take(&mut self.adjoints);
                numbers.clear();
                numbers.extend(values[run.first..][..run.n].iter().map(|var| var.value));
                let (mut place, mut done) = (0, 0);
                for part in runs {
                    // What of the part the run covers.
                    let from = run.first.clamp(place, place + part.n);
                    let end = (run.first + run.n).clamp(place, place + part.n);
                    if from < end {
                        let base = part.base.wrapping_add((from - place) * tool.bytes);
                        let numbers = &numbers[done..][..end - from];
                        // SAFETY: as above.
                        unsafe {
                            if run.id == 0 {
                                tool.set_passive(base, numbers);
                            } else {
                                tool.set_active(base, numbers, &mut self.ids, &mut self.before);
                            }
                        }
                        done += end - from;
                    }
                    place += part.n;
                }
                self.adjoints = numbers;
                Stands::Ids { at, before }
            }
        }
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

    /// As `close` of a call that has not failed; tells the handle by which a tool is to record the step, if it did anything.
    ///
    /// # Safety
    /// As for `open`.
    pub unsafe fn close_for_tool(&mut self) -> Result<Option<i64>> {
        // SAFETY: the caller's promise.
        unsafe { self.close(false) }?;
        self.handle_of_last()
    }

    /// Gives the last step a handle, or forgets it if it recorded nothing and has no results.
    fn handle_of_last(&mut self) -> Result<Option<i64>> {
        let Some(step) = self.steps.last().copied() else { return Ok(None) };
        let (from, to) = (step.from, step.to);
        let written = |binding: &Binding| binding.written && binding.run.id != 0;
        let did_nothing = (from.event, from.statement) == (to.event, to.statement)
            && !self.bindings[step.marks.bindings..].iter().any(written);
        if did_nothing {
            self.steps.pop();
            self.truncate(&step.marks);
            if !from.same_place(&to) {
                self.go_back(&from)?;
            }
            return Ok(None);
        }
        let handle = HANDLES.fetch_add(1, Ordering::Relaxed);
        if let Some(step) = self.steps.last_mut() {
            step.handle = handle;
        }
        Ok(Some(handle))
    }

    /// As `close_started`, for a tool.
    pub fn start_for_tool(&mut self, request: *mut c_void) -> Result<(usize, Option<i64>)> {
        let number = self.close_started(request)?;
        Ok((number, self.handle_of_last()?))
    }

    /// What a call that has come to nothing was made with is not needed any more.
    pub fn abandon(&mut self, number: usize) {
        if let Some(mut pending) = self.pending.get_mut(number).and_then(Option::take) {
            for staged in pending.staged.drain(..) {
                self.recycle(staged);
            }
            self.spare_lists.push(pending.staged);
        }
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
            return wrong(Code::Nest, "no step is open: call admpi_step_open first".to_owned());
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
    fn adjoint_of(&self, step: &Step, binding: &Binding, given: &Given<'_>) -> Result<Adjoint> {
        let Stands::Array { base, format } = binding.stands else {
            return wrong(Code::Range, "the step is one of variables, not of numbers".to_owned());
        };
        if let Some(own) = binding.argument {
            let told = given.adjoints.get(own).copied().unwrap_or_default();
            return told.of(step, binding, format);
        }
        let belongs = Match::InOrder;
        if !given.completed.is_null() {
            return Ok(Adjoint { base: given.completed, format, belongs });
        }
        let (first, end) = format.span(base, binding.run.first, binding.run.n);
        let holds = |one: &&Turned| {
            let inside = one.bytes != 0 && one.base <= first && end <= one.base + one.bytes;
            step.number <= one.number && (inside || (one.bytes == 0 && one.base == base))
        };
        match self.turned.iter().rev().find(holds) {
            Some(one) => {
                let base = one.adjoint.wrapping_add(base.wrapping_sub(one.base));
                Ok(Adjoint { base, format, belongs })
            }
            None => {
                let (name, n) = (binding.name.to_string_lossy(), binding.run.n);
                wrong(
                    Code::Argument,
                    format!(
                        "{name} (address {base:#x}, {n} numbers) has no adjoint buffer: call ADTOOL_AMPI_Turn(v, vb) where the sweep turns round"
                    ),
                )
            }
        }
    }

    /// Reverses the last step, which must be one of `call`, and forgets it.
    ///
    /// # Safety
    /// Where an argument has numbers its adjoints are there, and nothing else refers to them. What was told to `turn` is
    /// still there.
    pub unsafe fn reverse(&mut self, call: &CStr, given: &Given<'_>) -> Result<()> {
        let step = self.last_of(call)?;
        let mut bindings = take(&mut self.bindings);
        // SAFETY: the caller's promise.
        let swept = unsafe { self.sweep(&step, &bindings[step.marks.bindings..], given) };
        if swept.is_ok() {
            bindings.truncate(step.marks.bindings);
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
    unsafe fn sweep(&mut self, step: &Step, bindings: &[Binding], given: &Given<'_>) -> Result<()> {
        // All are found before the first is touched.
        for binding in bindings {
            self.adjoint_of(step, binding, given)?;
        }
        let mut room = take(&mut self.adjoints);
        // SAFETY: handed on.
        let swept = unsafe { self.sweep_with(&mut room, step, bindings, given) };
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
        given: &Given<'_>,
    ) -> Result<()> {
        let may_borrow = self.tape().may_borrow();
        self.borrowed.clear();
        for binding in bindings {
            let adjoint = self.adjoint_of(step, binding, given)?;
            if may_borrow && let Some(borrowed) = binding.lends(&adjoint) {
                self.borrowed.push(borrowed);
            } else if binding.written {
                for piece in binding.run.pieces() {
                    room.clear();
                    // SAFETY: the caller's promise.
                    unsafe { adjoint.take(piece.first, piece.n, room) };
                    self.tape().add_adjoints(piece.id, room, 0..1)?;
                }
            }
        }
        if step.from.same_place(&step.to) {
            return Ok(());
        }
        self.tape().note_seeded();
        // SAFETY: live; the events are of communication, and operations of the tool's, which use no tape. Adjoints are the
        // caller's promise.
        unsafe {
            Tape::reverse_range_borrowing(self.tape, &step.to, &step.from, &mut self.borrowed)
        }?;
        for binding in bindings.iter().filter(|binding| !binding.written) {
            if self.borrowed.iter().any(|one| one.first == binding.run.id) {
                continue;
            }
            let adjoint = self.adjoint_of(step, binding, given)?;
            for piece in binding.run.pieces() {
                room.clear();
                room.resize(piece.n, 0.0);
                self.tape().take_adjoints(piece.id, room, 1);
                // SAFETY: the caller's promise.
                unsafe { adjoint.add(piece.first, room) };
            }
        }
        self.tape().note_taken_above(&step.from);
        self.go_back(&step.from)
    }
}
