//! Files: values go to them and come from them. What is read is passive, so that derivatives end there.
//!
//! To MPI a datatype of active doubles describes the values in memory, so its own calls find them. A blocking read of active
//! doubles side by side is one of plain doubles into the beginning of the buffer, which are then put in their places: MPICH
//! tells a wrong count where a file ends before a buffer with gaps does. Floats are doubles in memory, so MPI gets a copy; so it
//! does of items that are active by name and have no active value, with whose datatypes MPICH 4.0 never returns.

use super::{dispatch, lock};
use crate::datatype::{
    BufferTriple, Layout, Mark, RecvBuffer, SendBuffer, activity, is_passive, packed_item,
    passive_layout, why_not_in_file,
};
use crate::error::{Code, Error};
use crate::mpi::types::Made;
use crate::mpi::{Datatype, MpiResult, Staging, Status};
use std::ffi::{c_int, c_void};
use std::sync::Mutex;

/// How the active values of a buffer lie; none if it is passive.
fn layout(data: &BufferTriple) -> MpiResult<Option<Layout>> {
    let datatype = data.datatype();
    if let Some(why) = why_not_in_file(datatype) {
        return Err(Error::new(Code::Unsupported, why).into());
    }
    if is_passive(datatype) {
        return Ok(None);
    }
    let layout = activity(datatype)?;
    match layout {
        Some(layout) if layout.is_hollow() => passive_layout(datatype, data.items()).map(Some),
        layout => Ok(layout),
    }
}

/// Floats, and what lies beside them, without gaps, for MPI.
pub struct Floats {
    copy: Staging,
    bytes: usize,
    /// Those of one item of the user's datatype.
    item: Made,
}

impl Floats {
    /// None where MPI finds all in memory.
    fn of(source: &SendBuffer) -> MpiResult<Option<Self>> {
        let (Some(bytes), Some(item)) = (source.mixed_bytes(), packed_item(source)?) else {
            return Ok(None);
        };
        Ok(Some(Self { copy: Staging::take(source.words()), bytes, item }))
    }
}

/// Active values on their way to a file or from one.
pub enum Moving {
    /// MPI writes doubles where they are to stay.
    Doubles(RecvBuffer),
    /// MPI writes doubles side by side, from the beginning of the buffer on.
    Packed(RecvBuffer),
    /// MPI reads or writes the copy; what it writes goes to a buffer.
    Floats(Floats, Option<RecvBuffer>),
}

impl Moving {
    /// What the call writes to a file. None where MPI finds it.
    pub fn from(call: &str, data: &BufferTriple) -> MpiResult<Option<Self>> {
        let Some(layout) = layout(data)? else {
            return dispatch::left(call, data).map(|()| None);
        };
        let source = data.source("buf", layout, 1)?;
        let Some(mut floats) = Floats::of(&source)? else { return Ok(None) };
        source.pack(floats.copy.as_mut_slice());
        Ok(Some(Self::Floats(floats, None)))
    }

    /// What the call reads from a file. None where it is passive. `at_once`: the call is blocking.
    pub fn into(data: &BufferTriple, at_once: bool) -> MpiResult<Option<Self>> {
        let Some(layout) = layout(data)? else { return Ok(None) };
        let sink = data.sink("buf", layout, 1)?;
        Ok(Some(match Floats::of(sink.source())? {
            Some(floats) => Self::Floats(floats, Some(sink)),
            None if at_once && data.datatype() == Datatype::active_double() => Self::Packed(sink),
            None => Self::Doubles(sink),
        }))
    }

    /// The buffer that MPI is to use instead of the user's.
    pub fn buffer(&mut self) -> Option<*mut c_void> {
        match self {
            Self::Floats(floats, _) => Some(floats.copy.as_mut_slice().as_mut_ptr().cast()),
            Self::Doubles(_) | Self::Packed(_) => None,
        }
    }

    /// The datatype of so many items there, or in the user's buffer.
    pub fn datatype(&self) -> Option<Datatype> {
        match self {
            Self::Floats(floats, _) => Some(floats.item.datatype()),
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

    /// The values have moved, as many as `status` tells.
    pub fn finish(self, status: &Status) -> MpiResult<()> {
        let bytes = status.bytes()?;
        match self {
            Self::Doubles(mut sink) => {
                let n = sink.source().doubles_in(bytes);
                sink.end_derivatives(n);
                Ok(())
            }
            Self::Packed(mut sink) => sink.settle((bytes / 8).min(sink.len()), Mark::PASSIVE),
            Self::Floats(_, None) => Ok(()),
            Self::Floats(floats, Some(mut sink)) => {
                let bytes = bytes.min(floats.bytes);
                sink.unpack_bytes(floats.copy.as_slice(), bytes, Mark::PASSIVE)
            }
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
