//! Recording: room for statements, inputs, events, and precomputed gradients.

use super::Tape;
use super::cursors::{MAX_ARGUMENTS, Var};
use super::event::{Event, Header, OpsOf};
use super::no_tape::count_recording;
use super::sweep::Sweep;
use crate::count::wide32;
use crate::error::{Code, Error, Result};

/// Whether room for the next statement was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Found,
    NotRecording,
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
                format!("n = {n}: a statement has at most {MAX_ARGUMENTS} arguments"),
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
                "{wanted} more ids after {} exceed the id space of {}; checkpoint the time loop (nests) or reset the tape",
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
            Error::new(Code::Memory, format!("{bytes} bytes of payload exceed the address space"))
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
            return Err(Error::new(
                Code::Limit,
                format!(
                    "{name}: the tape holds 2^32 events, its limit; checkpoint the time loop (nests) or reset the tape"
                ),
            ));
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
        let next = match u32::try_from(outputs) {
            Ok(n) if n <= self.id_limit - first => first + n,
            _ => return Err(self.out_of_ids(outputs)),
        };
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
            let rest = wide32(MAX_ARGUMENTS) - usize::from(n);
            for (operand, &partial) in pairs.by_ref().take(rest) {
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
}
