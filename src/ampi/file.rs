//! Files: values go to them and come from them. What is read is passive, so that derivatives end there.
//!
//! To MPI a datatype of active doubles describes the values in memory, so its own calls find them. A blocking read of active
//! doubles side by side is one of plain doubles into the beginning of the buffer, which are then put in their places: MPICH
//! tells a wrong count where a file ends before a buffer with gaps does. Floats are doubles in memory, so MPI gets a copy; so it
//! does of the values of tangents, and of items that are active by name and have no active value, with whose datatypes MPICH 4.0
//! never returns.

use super::request::Follows;
use super::{dispatch, lock};
use crate::datatype::{BufferTriple, Mark, RecvBuffer, SendBuffer, layout_for_file, packed_item};
use crate::mpi::types::Made;
use crate::mpi::{Datatype, MpiResult, Staging, Status};
use std::ffi::{c_int, c_void};
use std::sync::Mutex;

/// What MPI does not find in memory, without gaps.
pub struct Copied {
    copy: Staging,
    bytes: usize,
    /// The numbers of which the first one is a value, which alone MPI gets: more than one in tangents.
    numbers: usize,
    /// What MPI gets of one item of the user's datatype.
    item: Made,
}

impl Copied {
    /// None where MPI finds all in memory.
    fn of(source: &SendBuffer, numbers: usize, items: usize) -> MpiResult<Option<Self>> {
        let words = source.words();
        let item = if numbers > 1 {
            let values = c_int::try_from(words / numbers / items.max(1)).unwrap_or(c_int::MAX);
            Some(Made::contiguous(values, Datatype::double())?.commit()?)
        } else {
            packed_item(source)?
        };
        let bytes = source.mixed_bytes().unwrap_or(8 * words);
        Ok(item.map(|item| Self { copy: Staging::take(words), bytes, numbers, item }))
    }

    /// Takes the values of `source`.
    fn fill(&mut self, source: &SendBuffer) {
        let all = self.copy.as_mut_slice();
        source.pack(all);
        if self.numbers > 1 {
            for i in 0..all.len() / self.numbers {
                all[i] = all[i * self.numbers];
            }
        }
    }

    /// The first `bytes` have come. Gives them to `sink`, with derivatives of zero.
    fn give(&mut self, bytes: usize, sink: &mut RecvBuffer) -> MpiResult<()> {
        let bytes = (bytes * self.numbers).min(self.bytes);
        let all = self.copy.as_mut_slice();
        if self.numbers > 1 {
            for i in (0..bytes / 8 / self.numbers).rev() {
                let tangent = i * self.numbers;
                all[tangent] = all[i];
                all[tangent + 1..tangent + self.numbers].fill(0.0);
            }
        }
        sink.unpack_bytes(all, bytes, Mark::PASSIVE)
    }
}

/// Active values on their way to a file or from one.
pub enum Moving {
    /// MPI writes doubles where they are to stay.
    Doubles(RecvBuffer),
    /// MPI writes doubles side by side, from the beginning of the buffer on.
    Packed(RecvBuffer),
    /// MPI reads or writes the copy; what it writes goes to a buffer.
    Copied(Copied, Option<RecvBuffer>),
}

impl Moving {
    /// What the call writes to a file. None where MPI finds it.
    pub fn from(call: &str, data: &BufferTriple) -> MpiResult<Option<Self>> {
        let Some((layout, numbers)) = layout_for_file(data)? else {
            return dispatch::left(call, data).map(|()| None);
        };
        let source = data.source("buf", layout, 1)?;
        let Some(mut copied) = Copied::of(&source, numbers, data.items())? else { return Ok(None) };
        copied.fill(&source);
        Ok(Some(Self::Copied(copied, None)))
    }

    /// What the call reads from a file. None where it is passive. `at_once`: the call is blocking.
    pub fn into(data: &BufferTriple, at_once: bool) -> MpiResult<Option<Self>> {
        let Some((layout, numbers)) = layout_for_file(data)? else { return Ok(None) };
        let sink = data.sink("buf", layout, 1)?;
        Ok(Some(match Copied::of(sink.source(), numbers, data.items())? {
            Some(copied) => Self::Copied(copied, Some(sink)),
            None if at_once && data.datatype() == Datatype::active_double() => Self::Packed(sink),
            None => Self::Doubles(sink),
        }))
    }

    /// The buffer that MPI is to use instead of the user's.
    pub fn buffer(&mut self) -> Option<*mut c_void> {
        match self {
            Self::Copied(copied, _) => Some(copied.copy.as_mut_slice().as_mut_ptr().cast()),
            Self::Doubles(_) | Self::Packed(_) => None,
        }
    }

    /// The datatype of so many items there, or in the user's buffer.
    pub fn datatype(&self) -> Option<Datatype> {
        match self {
            Self::Copied(copied, _) => Some(copied.item.datatype()),
            Self::Packed(_) => Some(Datatype::double()),
            Self::Doubles(_) => None,
        }
    }

    /// What can be done before the values have moved. Tells whether more is to be done then.
    pub fn begin(&mut self) -> bool {
        if let Self::Doubles(sink) = self {
            sink.end_derivatives(sink.len());
        }
        self.buffer().is_some()
    }
}

impl Follows for Moving {
    fn tell(&self, status: &mut Status) -> MpiResult<()> {
        match self {
            Self::Copied(copied, _) if copied.numbers > 1 => {
                status.set_bytes(status.bytes()? * copied.numbers)
            }
            _ => Ok(()),
        }
    }

    /// The values have moved, as many as `status` tells.
    fn finish(self: Box<Self>, status: &mut Status) -> MpiResult<()> {
        let bytes = status.bytes()?;
        self.tell(status)?;
        match *self {
            Self::Doubles(mut sink) => {
                let n = sink.source().doubles_in(bytes);
                sink.end_derivatives(n);
                Ok(())
            }
            Self::Packed(mut sink) => sink.settle((bytes / 8).min(sink.len()), Mark::PASSIVE),
            Self::Copied(mut copied, Some(mut sink)) => copied.give(bytes, &mut sink),
            Self::Copied(_, None) => Ok(()),
        }
    }
}

/// What calls with `_begin` have begun, by the number of the file: one for each.
static BEGUN: Mutex<Vec<(c_int, Box<Moving>)>> = Mutex::new(Vec::new());

/// Keeps it until the call with `_end`.
pub fn keep(file: c_int, moving: Box<Moving>) {
    let mut begun = lock(&BEGUN);
    // The program has closed a file of that number in between.
    begun.retain(|(other, _)| *other != file);
    begun.push((file, moving));
}

/// What has begun on the file.
pub fn take(file: c_int) -> Option<Box<Moving>> {
    let mut begun = lock(&BEGUN);
    let at = begun.iter().position(|(other, _)| *other == file)?;
    Some(begun.swap_remove(at).1)
}
