//! Recording: room for statements, inputs, events, precomputed gradients, and the thread's current tape.

use super::event::{Event, Header, OpsOf};
use super::{Cursors, MAX_ARGUMENTS, Sweep, Tape, Var};
use crate::count::{product, wide32};
use crate::error::{Code, Error, Result};
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

unsafe extern "C" {
    fn admpi_shim_current() -> *mut Cursors;
    fn admpi_shim_set_current(tape: *mut Cursors);
    static mut admpi_no_tape: Cursors;
}

/// What a thread without a tape has in its place.
#[inline]
const fn no_tape() -> *mut Cursors {
    &raw mut admpi_no_tape
}

/// Whether room for the next statement was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Found,
    NotRecording,
}

/// The calling thread's tape, or `None`.
#[inline(always)]
pub fn current<R>(f: impl FnOnce(&mut Tape) -> R) -> Option<R> {
    // SAFETY: the variable names either the placeholder or a tape that is active on this thread.
    unsafe {
        let tape = admpi_shim_current();
        (tape != no_tape()).then(|| f(&mut *tape.cast::<Tape>()))
    }
}

/// As `current`, also on a thread that has none.
pub fn with_current<R>(f: impl FnOnce(Option<&mut Tape>) -> R) -> R {
    // SAFETY: as above.
    unsafe {
        let tape = admpi_shim_current();
        f((tape != no_tape()).then(|| &mut *tape.cast::<Tape>()))
    }
}

/// Whether `cursors` is the placeholder of a thread without a tape.
pub fn is_no_tape(cursors: *const Cursors) -> bool {
    std::ptr::eq(cursors, no_tape())
}

/// A number for the calling thread; never 0.
fn thread_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: Cell<u64> = const { Cell::new(0) });
    NUMBER.with(|number| {
        if number.get() == 0 {
            number.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        number.get()
    })
}

/// Makes `tape` the thread's current tape (null: none) and returns the one before (null: none).
///
/// # Safety
/// `tape` is null or a live tape, which stays live while it is current.
pub unsafe fn activate(tape: *mut Tape) -> Result<*mut Tape> {
    // SAFETY: `tape` is live by the caller's promise, the one before because it is current.
    unsafe {
        let me = thread_number();
        if let Some(tape) = tape.as_ref() {
            let owner = tape.owner.load(Ordering::Acquire);
            if owner != 0 && owner != me {
                return Err(Error::new(
                    Code::Thread,
                    "activate: the tape is active on another thread",
                ));
            }
        }
        let before = admpi_shim_current();
        let before = if is_no_tape(before) { std::ptr::null_mut() } else { before.cast::<Tape>() };
        if let Some(before) = before.as_ref() {
            before.owner.store(0, Ordering::Release);
        }
        match tape.as_ref() {
            Some(new) => {
                new.owner.store(me, Ordering::Release);
                admpi_shim_set_current(tape.cast());
            }
            None => admpi_shim_set_current(no_tape()),
        }
        Ok(before)
    }
}

/// Leaves the thread without a tape if `tape` is its current one.
///
/// # Safety
/// `tape` is live.
pub unsafe fn forget_current(tape: *mut Cursors) {
    // SAFETY: the caller's promise.
    unsafe {
        if std::ptr::eq(admpi_shim_current(), tape) {
            admpi_shim_set_current(no_tape());
        }
    }
}

/// What makes a thread without a tape look at its operands: the lowest bit says that checking is on, the others count
/// the tapes that record, whose values such a thread cannot compute with.
#[inline]
fn reasons_to_look() -> &'static AtomicU32 {
    // SAFETY: a word of a variable that lives as long as the library. The inline recorders only read it, where they have
    // nothing to record, and may see a change late.
    unsafe { AtomicU32::from_ptr(&raw mut (*no_tape()).checking) }
}

/// Whether operands are checked: `ADMPI_CHECK=1`, or the call. A tape asks when it is made.
#[inline]
pub fn checking() -> bool {
    reasons_to_look().load(Ordering::Relaxed) & 1 != 0
}

/// Turns checking on or off for tapes made from now on, and for threads that have none.
pub fn set_checking(on: bool) {
    if on {
        reasons_to_look().fetch_or(1, Ordering::Relaxed);
    } else {
        reasons_to_look().fetch_and(!1, Ordering::Relaxed);
    }
}

/// A tape starts to record, or stops.
#[cold]
fn count_recording(on: bool) {
    if on {
        reasons_to_look().fetch_add(2, Ordering::Relaxed);
    } else {
        reasons_to_look().fetch_sub(2, Ordering::Relaxed);
    }
}

/// The event of declared inputs: it takes ids, and a sweep leaves their adjoints where they are.
struct Inputs;

impl Event for Inputs {
    const NAME: &'static str = "input";
    fn reverse(&mut self, _sweep: &mut Sweep<'_>) -> Result<()> {
        Ok(())
    }
}

impl Tape {
    /// How many arguments may be written with what is committed, statement bytes and ids included.
    fn room(&self) -> usize {
        let arguments = self.arguments();
        (self.argument.committed() / size_of::<u32>() - arguments)
            .min(self.jacobian.committed() / size_of::<f64>() - arguments)
            .min(self.statement.committed() - wide32(self.statements()))
            .min(wide32(self.id_limit - self.cursors.next_id))
    }

    /// Tells the inline recorders how far they may write. In checking mode they look at the operands first.
    #[inline(never)]
    pub(super) fn sync(&mut self) {
        let on = self.recording();
        let end = self.cursors.argument.wrapping_add(if on { self.room() } else { 0 });
        self.cursors.checked_end = end;
        self.cursors.argument_end = if self.checking() { self.cursors.argument } else { end };
        if self.tags.set_recording(on) {
            count_recording(on);
        }
    }

    /// Finds room for a statement of `n` arguments.
    #[cold]
    pub fn grow(&mut self, n: u32) -> Result<Room> {
        if !self.recording() {
            return Ok(Room::NotRecording);
        }
        if n > MAX_ARGUMENTS {
            return Err(Error::new(
                Code::Argument,
                format!("n = {n}: a statement has {MAX_ARGUMENTS} arguments at most"),
            ));
        }
        let n = wide32(n);
        if self.room() < n {
            if n > wide32(self.id_limit - self.cursors.next_id) {
                return Err(self.out_of_ids(1));
            }
            let (arguments, statements) = (self.arguments(), wide32(self.statements()));
            let committed = self.commit_statements(arguments + n, statements + n);
            // The first commit gives a stream its address, also if that of the next one fails.
            // SAFETY: inside the streams, where the cursors were before.
            unsafe {
                self.cursors.jacobian = self.jacobian.base().cast::<f64>().add(arguments);
                self.cursors.argument = self.argument.base().cast::<u32>().add(arguments);
                self.cursors.statement = self.statement.base().add(statements);
            }
            self.sync();
            committed?;
        }
        self.sync();
        Ok(Room::Found)
    }

    fn commit_statements(&mut self, arguments: usize, statements: usize) -> Result<()> {
        self.jacobian.commit(arguments * size_of::<f64>(), self.budget())?;
        self.argument.commit(arguments * size_of::<u32>(), self.budget())?;
        self.statement.commit(statements, self.budget())
    }

    #[cold]
    fn out_of_ids(&self, wanted: usize) -> Error {
        Error::new(
            Code::Ids,
            format!(
                "{wanted} more ids after {} pass the id space of {}; checkpoint the time loop (nested tapes) or reset",
                self.cursors.next_id - 1,
                self.id_limit
            ),
        )
    }

    /// Bytes of the payload arena, uninitialised: their offset.
    #[inline(always)]
    pub fn allocate(&mut self, bytes: usize, align: usize) -> Result<u64> {
        let offset = self.payload_used.next_multiple_of(align);
        match offset.checked_add(bytes) {
            // Even nothing needs an address.
            Some(end) if end.max(1) <= self.payload.committed() => self.payload_used = end,
            end => self.commit_payload(end, bytes)?,
        }
        Ok(offset as u64)
    }

    #[cold]
    fn commit_payload(&mut self, end: Option<usize>, bytes: usize) -> Result<()> {
        let end = end.ok_or_else(|| {
            Error::new(Code::Memory, format!("{bytes} bytes of payload pass the address space"))
        })?;
        let budget = self.budget();
        self.payload.commit(end.max(1), budget)?;
        self.payload_used = end;
        Ok(())
    }

    /// Commits the header of the next event of kind `name`.
    #[cold]
    fn commit_header(&mut self, name: &str) -> Result<()> {
        if self.events == u32::MAX {
            return Err(Error::new(Code::Limit, format!("{name}: 2^32 events are on the tape")));
        }
        let budget = self.budget();
        self.event.commit((wide32(self.events) + 1) * size_of::<Header>(), budget)
    }

    /// Records an event with `outputs` fresh ids. `make` is told the first of them and the event's index.
    #[inline]
    pub fn record<E: Event>(
        &mut self,
        outputs: usize,
        make: impl FnOnce(u32, u32) -> E,
    ) -> Result<u32> {
        const { assert!(align_of::<E>() <= 64) };
        let first = self.cursors.next_id;
        let next = u32::try_from(outputs)
            .ok()
            .and_then(|n| first.checked_add(n))
            .filter(|&next| next <= self.id_limit)
            .ok_or_else(|| self.out_of_ids(outputs))?;
        let index = self.events;
        let end = (wide32(index) + 1) * size_of::<Header>();
        if end > self.event.committed() || index == u32::MAX {
            self.commit_header(E::NAME)?;
        }
        let (argument, statement) = (self.arguments() as u64, self.statements());
        let payload = self.allocate(size_of::<E>(), align_of::<E>())?;
        let header = Header { ops: &OpsOf::<E>::TABLE, argument, payload, statement, id: first };
        // SAFETY: room for both was committed above.
        unsafe {
            self.payload_at(payload).cast::<E>().write(make(first, index));
            self.event.base().cast::<Header>().add(wide32(index)).write(header);
        }
        self.events = index + 1;
        if std::mem::needs_drop::<E>() {
            self.droppable.push(index);
        }
        if E::MUTATES {
            self.mutating.push(index);
        }
        if E::PAUSES {
            self.pausing.push(index);
        }
        self.cursors.next_id = next;
        // Of what bounds the recorders' room only the ids have become fewer.
        let room = self.cursors.checked_end.addr() - self.cursors.argument.addr();
        if wide32(self.id_limit - next) < room / size_of::<u32>() {
            self.sync();
        }
        Ok(first)
    }

    /// `n` consecutive ids for inputs. Inputs declared one after the other share one event.
    pub fn input_ids(&mut self, n: usize) -> Result<u32> {
        if !self.recording() {
            return Err(Error::new(Code::NotRecording, "input: the tape does not record"));
        }
        let first = self.cursors.next_id;
        let count = u32::try_from(n)
            .ok()
            .filter(|&count| count <= self.id_limit - first)
            .ok_or_else(|| self.out_of_ids(n))?;
        if count == 0 {
            return Ok(first);
        }
        let continues = self.inputs.last().is_some_and(|&(start, has)| start + has == first);
        if continues {
            // Ids alone tell that nothing lies between: the event before takes these too.
            self.cursors.next_id += count;
            self.sync();
            self.inputs.last_mut().expect("it continues").1 += count;
        } else {
            self.record(n, |_, _| Inputs)?;
            self.inputs.push((first, count));
        }
        Ok(first)
    }

    /// The id of a value with known partial derivatives. More operands than a statement holds chain
    /// into several statements, each passing its sum on.
    pub fn precomputed(&mut self, operands: &[Var], partials: &[f64]) -> Result<u32> {
        self.check_vars("operand", operands)?;
        let before = self.position();
        let mut sum = 0;
        let active = |(operand, _): &(&Var, &f64)| operand.id != 0;
        let mut pairs = operands.iter().zip(partials).filter(active).peekable();
        while pairs.peek().is_some() {
            match self.grow(MAX_ARGUMENTS) {
                Ok(Room::Found) => {}
                Ok(Room::NotRecording) => return Ok(0),
                Err(error) => {
                    self.rewind(&before);
                    self.sync();
                    return Err(error);
                }
            }
            let mut n = 0u8;
            if sum != 0 {
                self.push_argument(1.0, sum);
                n += 1;
            }
            for (operand, &partial) in pairs.by_ref().take(usize::from(254 - n)) {
                self.push_argument(partial, operand.id);
                n += 1;
            }
            sum = self.finish_statement(n);
        }
        Ok(sum)
    }

    /// Writes one argument of a statement for which `grow` found room.
    pub(super) fn push_argument(&mut self, partial: f64, id: u32) {
        // SAFETY: `grow` committed it.
        unsafe {
            self.cursors.jacobian.write(partial);
            self.cursors.argument.write(id);
            self.cursors.jacobian = self.cursors.jacobian.add(1);
            self.cursors.argument = self.cursors.argument.add(1);
        }
    }

    pub(super) fn finish_statement(&mut self, n: u8) -> u32 {
        // SAFETY: `grow` committed it.
        unsafe {
            self.cursors.statement.write(n);
            self.cursors.statement = self.cursors.statement.add(1);
        }
        let id = self.cursors.next_id;
        self.cursors.next_id += 1;
        self.sync();
        id
    }

    /// Adds the size check of `width` directions for `n` ids; higher floors size their messages by it.
    pub fn adjoint_count(&self, n: usize) -> Result<usize> {
        product("count * width", n, self.width)
    }
}
