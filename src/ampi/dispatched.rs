//! What has become of a call: whether MPI is to make it, or what the library has made of it.

use super::argument::one_passive;
use super::collective::Unfinished;
use super::request::Request;
use super::{bytes, tangents};
use crate::datatype::BufferTriple;
use crate::mpi::{Comm, MpiResult, Op};
use crate::tape;

/// What has become of a call.
pub enum Dispatched {
    /// MPI is to make it.
    Passive,
    /// It is complete.
    Complete,
    /// It has started.
    Started(Box<Request>),
}

use Dispatched::{Complete, Passive, Started};

/// A call on passive data, of which `sent` looks at those that leave.
pub fn passive(sent: impl FnOnce() -> MpiResult<()>) -> MpiResult<Dispatched> {
    if tape::checking() {
        sent()?;
    }
    Ok(Passive)
}

/// What has become of a collective that the library has made.
pub fn moving(unfinished: Unfinished, comm: Comm) -> MpiResult<Dispatched> {
    Ok(unfinished.map_or(Complete, |pending| Started(Request::collective(pending, comm))))
}

/// The two buffers of a reduction, and the operation.
#[derive(Clone, Copy)]
pub struct Operands {
    pub send: BufferTriple,
    pub receive: BufferTriple,
    pub op: Op,
}

impl Operands {
    pub const fn all(&self) -> (&BufferTriple, &BufferTriple, Op) {
        (&self.send, &self.receive, self.op)
    }

    pub fn are_passive(&self) -> MpiResult<bool> {
        tangents::check_tangents(self.op, self.send.datatype())?;
        one_passive(self.send.datatype())
    }

    /// What this rank brings to a reduction on passive data, which MPI computes with.
    pub fn none_brought(&self) -> MpiResult<()> {
        bytes::none_in(if self.send.is_in_place() { &self.receive } else { &self.send })
    }
}
