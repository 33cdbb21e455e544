//! Files: values go to them and come from them. What is read is passive, so that derivatives end there.
//!
//! To MPI an active datatype describes the values in memory, so its own calls find them. Only a blocking read of active doubles
//! side by side is one of plain doubles into the beginning of the buffer, which are then put in their places: MPICH tells a
//! wrong count where a file ends before a buffer with gaps does.

use super::dispatch;
use crate::datatype::{
    BufferTriple, Layout, Mark, RecvBuffer, activity, is_passive, why_not_in_file,
};
use crate::error::{Code, Error};
use crate::mpi::{Datatype, MpiResult, Status};

/// What a call writes to a file.
pub fn written(call: &str, data: &BufferTriple) -> MpiResult<()> {
    match layout(data.datatype())? {
        Some(layout) => data.source("buf", layout, 1).map(drop),
        None => dispatch::left(call, data),
    }
}

/// How the active values lie that MPI finds in the buffer; none if it is passive.
fn layout(datatype: Datatype) -> MpiResult<Option<Layout>> {
    if let Some(why) = why_not_in_file(datatype) {
        return Err(Error::new(Code::Unsupported, why).into());
    }
    if is_passive(datatype) { Ok(None) } else { activity(datatype) }
}

/// A buffer of active values that a call reads into.
pub struct Reading {
    sink: RecvBuffer,
    /// MPI writes doubles side by side, from the beginning of the buffer on.
    is_packed: bool,
}

impl Reading {
    /// None where the data are passive. `at_once`: the call is blocking.
    pub fn into(data: &BufferTriple, at_once: bool) -> MpiResult<Option<Self>> {
        let Some(layout) = layout(data.datatype())? else { return Ok(None) };
        let sink = data.sink("buf", layout, 1)?;
        let is_packed = at_once && data.datatype() == Datatype::active_double();
        Ok(Some(Self { sink, is_packed }))
    }

    /// Whether the call is to read so many doubles as there are items.
    pub const fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// MPI has written what `status` tells, or may write all of it.
    pub fn finish(mut self, status: Option<&Status>) -> MpiResult<()> {
        let n = match status {
            Some(status) => self.sink.source().doubles_in(status.bytes()?).min(self.sink.len()),
            None => self.sink.len(),
        };
        if self.is_packed {
            return self.sink.settle(n, Mark::PASSIVE);
        }
        self.sink.end_derivatives(n);
        Ok(())
    }
}
