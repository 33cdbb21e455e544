//! What has become of a call: whether MPI is to make it, or what the library has made of it.

use super::argument::one_passive;
use super::collective::{AdjointRule, StartedCollective};
use super::request::{Pending, Request};
use super::{bytes, tangents};
use crate::datatype::BufferTriple;
use crate::mpi::{CallForm, Comm, MpiResult, Op};
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

/// A call that does not block, of a collective or several.
pub fn started(pending: impl Into<Box<dyn Pending>>, comm: Comm) -> MpiResult<Dispatched> {
    Ok(Started(Request::collective(pending, comm)))
}

/// Ends a collective of the library's as the call does.
pub fn moving<R: AdjointRule>(
    forward: StartedCollective<R>,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    match call_form {
        CallForm::Blocking => forward.finish().map(|()| Complete),
        CallForm::Nonblocking => started(forward, comm),
    }
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

/// A reduction by one of its two ways.
pub fn reducing(
    comm: Comm,
    call_form: CallForm,
    now: impl FnOnce() -> MpiResult<()>,
    begin: impl FnOnce() -> MpiResult<Box<dyn Pending>>,
) -> MpiResult<Dispatched> {
    match call_form {
        CallForm::Blocking => now().map(|()| Complete),
        CallForm::Nonblocking => started(begin()?, comm),
    }
}
