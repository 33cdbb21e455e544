//! Which calls are MPI's own: those whose data are passive. The others are the library's.
//!
//! What MPI is to make goes back to the caller, who knows the addresses and calls MPI last, when nothing of the library's is
//! left to unwind. In checking mode its data are looked at before: as bytes, active values mean nothing to a receiver.
//!
//! Of a message one datatype tells all. The caller asks (`is_passive`), so that outside of checking mode a passive message owes
//! the library no more than that question, and hands the answer on. Of a collective the question is part of the call: it may fail.

use super::argument::{Many, all_passive, neighbours_passive, one_passive, rooted_passive};
use super::collective::{Forward, Rule};
use super::operator::Extent;
use super::request::{Pending, Request};
use super::{bytes, local, message, movement, neighbor, reduction, scan as scans, tangents};
use crate::datatype::is_passive;
use crate::datatype::{Argument, Pieces};
use crate::mpi::message::{Envelope, Message, Mode};
use crate::mpi::{Comm, How, Op, Outcome, Status, StatusSlot};
use crate::tape;
use std::ffi::c_int;

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

/// A call on passive data, of which `sent` looks at those that leave. A reduction has none, since MPI computes with them.
fn passive(sent: impl FnOnce() -> Outcome<()>) -> Outcome<Dispatched> {
    if tape::checking() {
        sent()?;
    }
    Ok(Passive)
}

#[inline(always)]
pub fn send(
    is_passive: bool,
    data: &Argument,
    to: Envelope,
    comm: Comm,
    mode: &Mode,
    how: How,
) -> Outcome<Dispatched> {
    if is_passive {
        return passive(|| bytes::none_in(data));
    }
    match how {
        How::Now => message::send(data, to, comm, mode).map(|()| Complete),
        How::Begin => Request::send(data, to, comm, mode).map(Started),
    }
}

pub fn send_init(
    is_passive: bool,
    data: &Argument,
    to: Envelope,
    comm: Comm,
    mode: &'static Mode,
) -> Outcome<Dispatched> {
    if is_passive {
        return Ok(Passive);
    }
    Request::send_init(data, to, comm, mode).map(Started)
}

#[inline(always)]
pub fn recv(
    is_passive: bool,
    data: &Argument,
    from: Envelope,
    comm: Comm,
    status: &mut StatusSlot,
) -> Outcome<Dispatched> {
    if is_passive {
        return Ok(Passive);
    }
    message::recv(data, from, comm).map(|received| received_as(&received, status))
}

fn received_as(received: &Status, status: &mut StatusSlot) -> Dispatched {
    status.set(received);
    Complete
}

#[inline(always)]
pub fn irecv(is_passive: bool, data: &Argument, from: Envelope, comm: Comm) -> Outcome<Dispatched> {
    if is_passive {
        return Ok(Passive);
    }
    Request::receive(data, from, comm).map(Started)
}

pub fn recv_init(
    is_passive: bool,
    data: &Argument,
    from: Envelope,
    comm: Comm,
) -> Outcome<Dispatched> {
    if is_passive {
        return Ok(Passive);
    }
    Request::receive_init(data, from, comm).map(Started)
}

pub fn sendrecv(
    is_passive: bool,
    (send, to): (&Argument, Envelope),
    (receive, from): (&Argument, Envelope),
    comm: Comm,
    status: &mut StatusSlot,
) -> Outcome<Dispatched> {
    if is_passive {
        return passive(|| bytes::none_in(send));
    }
    message::sendrecv(send, to, receive, from, comm).map(|received| received_as(&received, status))
}

pub fn sendrecv_replace(
    is_passive: bool,
    data: &Argument,
    to: Envelope,
    from: Envelope,
    comm: Comm,
    status: &mut StatusSlot,
) -> Outcome<Dispatched> {
    if is_passive {
        return passive(|| bytes::none_in(data));
    }
    message::sendrecv_replace(data, to, from, comm).map(|received| received_as(&received, status))
}

/// Whether MPI is to receive a message that a probe has matched.
fn is_left(data: &Argument, message: &Message<'_>) -> bool {
    let passive = is_passive(data.datatype());
    if passive {
        message::give_up(message);
    }
    passive
}

pub fn mrecv(
    data: &Argument,
    mut message: Message<'_>,
    status: &mut StatusSlot,
) -> Outcome<Dispatched> {
    if is_left(data, &message) {
        return Ok(Passive);
    }
    message::mrecv(data, &mut message).map(|received| received_as(&received, status))
}

pub fn imrecv(data: &Argument, mut message: Message<'_>, comm: Comm) -> Outcome<Dispatched> {
    if is_left(data, &message) {
        return Ok(Passive);
    }
    Request::receive_matched(data, &mut message, comm).map(Started)
}

/// Ends a collective of the library's as the call does.
fn moving<R: Rule>(forward: Forward<R>, comm: Comm, how: How) -> Outcome<Dispatched> {
    match how {
        How::Now => forward.finish().map(|()| Complete),
        How::Begin => Ok(Started(Request::collective(forward, comm))),
    }
}

pub fn bcast(data: &Argument, root: c_int, comm: Comm, how: How) -> Outcome<Dispatched> {
    if one_passive(data.datatype())? {
        let sends = || bytes::is_root(root, comm);
        return passive(|| if sends() { bytes::none_in(data) } else { Ok(()) });
    }
    moving(movement::bcast(data, root, comm, how)?, comm, how)
}

pub fn gather(
    send: &Argument,
    receive: &Many,
    root: c_int,
    comm: Comm,
    how: How,
) -> Outcome<Dispatched> {
    if rooted_passive(send, receive, root, comm)? {
        let sends = || bytes::serves_root(root, comm);
        return passive(|| if sends() { bytes::none_in(send) } else { Ok(()) });
    }
    moving(movement::gather(send, receive, root, comm, how)?, comm, how)
}

pub fn scatter(
    call: &str,
    send: &Many,
    receive: &Argument,
    root: c_int,
    comm: Comm,
    how: How,
) -> Outcome<Dispatched> {
    if rooted_passive(receive, send, root, comm)? {
        let sends = || bytes::is_root(root, comm);
        return passive(|| if sends() { bytes::none_to_ranks(call, send, comm) } else { Ok(()) });
    }
    moving(movement::scatter(send, receive, root, comm, how)?, comm, how)
}

pub fn allgather(send: &Argument, receive: &Many, comm: Comm, how: How) -> Outcome<Dispatched> {
    if all_passive(&Many::Each(*send), receive, comm)? {
        return passive(|| bytes::none_in(send));
    }
    moving(movement::allgather(send, receive, comm, how)?, comm, how)
}

pub fn alltoall(
    call: &str,
    send: &Many,
    receive: &Many,
    comm: Comm,
    how: How,
) -> Outcome<Dispatched> {
    if all_passive(send, receive, comm)? {
        return passive(|| bytes::none_to_ranks(call, send, comm));
    }
    moving(movement::alltoall(send, receive, comm, how)?, comm, how)
}

pub fn neighbor_allgather(
    send: &Argument,
    receive: &Many,
    comm: Comm,
    how: How,
) -> Outcome<Dispatched> {
    if neighbours_passive(&Many::Each(*send), receive, comm)? {
        return passive(|| bytes::none_in(send));
    }
    moving(neighbor::allgather(send, receive, comm, how)?, comm, how)
}

pub fn neighbor_alltoall(
    call: &str,
    send: &Many,
    receive: &Many,
    comm: Comm,
    how: How,
) -> Outcome<Dispatched> {
    if neighbours_passive(send, receive, comm)? {
        return passive(|| bytes::none_to_neighbours(call, send, comm));
    }
    moving(neighbor::alltoall(send, receive, comm, how)?, comm, how)
}

/// The two buffers of a reduction, and the operation.
#[derive(Clone, Copy)]
pub struct Operands {
    pub send: Argument,
    pub receive: Argument,
    pub op: Op,
}

impl Operands {
    fn are_passive(&self) -> Outcome<bool> {
        tangents::check_tangents(self.op, self.send.datatype())?;
        one_passive(self.send.datatype())
    }
}

/// A reduction by one of its two ways.
fn reducing(
    comm: Comm,
    how: How,
    now: impl FnOnce() -> Outcome<()>,
    begin: impl FnOnce() -> Outcome<Box<dyn Pending>>,
) -> Outcome<Dispatched> {
    match how {
        How::Now => now().map(|()| Complete),
        How::Begin => Ok(Started(Request::collective(begin()?, comm))),
    }
}

pub fn reduce(operands: &Operands, root: c_int, comm: Comm, how: How) -> Outcome<Dispatched> {
    if operands.are_passive()? {
        return Ok(Passive);
    }
    let Operands { send, receive, op } = operands;
    let now = || reduction::reduce(send, receive, *op, root, comm);
    reducing(comm, how, now, || reduction::ireduce(send, receive, *op, root, comm))
}

pub fn allreduce(operands: &Operands, comm: Comm, how: How) -> Outcome<Dispatched> {
    if operands.are_passive()? {
        return Ok(Passive);
    }
    let Operands { send, receive, op } = operands;
    let now = || reduction::allreduce(send, receive, *op, comm);
    reducing(comm, how, now, || reduction::iallreduce(send, receive, *op, comm))
}

pub fn scan(operands: &Operands, extent: Extent, comm: Comm, how: How) -> Outcome<Dispatched> {
    if operands.are_passive()? {
        return Ok(Passive);
    }
    let Operands { send, receive, op } = operands;
    let now = || scans::scan(send, receive, *op, comm, extent);
    reducing(comm, how, now, || scans::iscan(send, receive, *op, comm, extent))
}

pub fn reduce_scatter(pieces: &Pieces, op: Op, comm: Comm, how: How) -> Outcome<Dispatched> {
    tangents::check_tangents(op, pieces.datatype())?;
    if one_passive(pieces.datatype())? {
        return Ok(Passive);
    }
    let now = || reduction::reduce_scatter(pieces, op, comm);
    reducing(comm, how, now, || reduction::ireduce_scatter(pieces, op, comm))
}

pub fn reduce_local(operands: &Operands) -> Outcome<Dispatched> {
    let Operands { send: left, receive: right, op } = operands;
    tangents::check_tangents(*op, left.datatype())?;
    if is_passive(left.datatype()) {
        return Ok(Passive);
    }
    local::reduce(left, right, *op).map(|()| Complete)
}
