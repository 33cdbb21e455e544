//! Which calls are MPI's own: those whose data are passive. The others are the library's.
//!
//! What MPI is to make goes back to the caller, who knows the addresses and calls MPI last, when nothing of the library's is
//! left to unwind. In checking mode its data are looked at before: as bytes, active values mean nothing to a receiver.
//!
//! Of a message one datatype tells all. The caller asks (`is_passive`), so that outside of checking mode a passive message owes
//! the library no more than that question, and hands the answer on. Of a collective the question is part of the call: it may fail.
//!
//! Here are the messages, and the collectives that have a form for intercommunicators. The others stand with their rules.

pub use super::dispatched::{Dispatched, Operands};

use super::argument::{Many, all_passive, one_passive, rooted_passive};
use super::dispatched::{moving, passive};
use super::inter::{self, Beside, Rooted};
use super::request::Request;
use super::{bytes, check, communicator, exchange, message, movement, recording, reduction};
use crate::datatype::{BufferTriple, is_passive, is_passive_message};
use crate::mpi::handle::Role;
use crate::mpi::message::{Envelope, Message, Mode};
use crate::mpi::{CallForm, Comm, MpiResult, Status, StatusSlot};
use crate::tape;
use Dispatched::{Complete, Passive, Started};
use std::ffi::c_int;

#[inline(always)]
pub fn send(
    is_passive: bool,
    data: &BufferTriple,
    to: Envelope,
    comm: Comm,
    mode: &Mode,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if is_passive {
        return passive(|| bytes::none_in(data));
    }
    match call_form {
        CallForm::Blocking => message::send(data, to, comm, mode).map(|()| Complete),
        CallForm::Nonblocking => Request::send(data, to, comm, mode).map(Started),
    }
}

/// What a call sends that is not differentiated, and so MPI's own.
pub fn left(call: &str, sent: &BufferTriple) -> MpiResult<()> {
    if !is_passive(sent.datatype()) {
        return Err(recording::no_adjoint().into());
    }
    if tape::checking() {
        check::enter(call);
        bytes::none_in(sent)?;
    }
    Ok(())
}

/// In checking mode each start of the request looks at what a passive one sends.
pub fn send_init(
    is_passive: bool,
    data: &BufferTriple,
    to: Envelope,
    comm: Comm,
    mode: &Mode,
) -> MpiResult<Dispatched> {
    if is_passive {
        return Ok(Passive);
    }
    Request::send_init(data, to, comm, mode).map(Started)
}

#[inline(always)]
pub fn recv(
    is_passive: bool,
    data: &BufferTriple,
    from: Envelope,
    comm: Comm,
    status: &mut StatusSlot,
) -> MpiResult<Dispatched> {
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
pub fn irecv(
    is_passive: bool,
    data: &BufferTriple,
    from: Envelope,
    comm: Comm,
) -> MpiResult<Dispatched> {
    if is_passive {
        return Ok(Passive);
    }
    Request::receive(data, from, comm).map(Started)
}

pub fn recv_init(
    is_passive: bool,
    data: &BufferTriple,
    from: Envelope,
    comm: Comm,
) -> MpiResult<Dispatched> {
    if is_passive {
        return Ok(Passive);
    }
    Request::receive_init(data, from, comm).map(Started)
}

pub fn sendrecv(
    is_passive: bool,
    (send, to): (&BufferTriple, Envelope),
    (receive, from): (&BufferTriple, Envelope),
    comm: Comm,
    status: &mut StatusSlot,
) -> MpiResult<Dispatched> {
    if is_passive {
        return passive(|| bytes::none_in(send));
    }
    exchange::sendrecv(send, to, receive, from, comm).map(|received| received_as(&received, status))
}

pub fn sendrecv_replace(
    is_passive: bool,
    data: &BufferTriple,
    to: Envelope,
    from: Envelope,
    comm: Comm,
    status: &mut StatusSlot,
) -> MpiResult<Dispatched> {
    if is_passive {
        return passive(|| bytes::none_in(data));
    }
    exchange::sendrecv_replace(data, to, from, comm).map(|received| received_as(&received, status))
}

pub fn isendrecv(
    is_passive: bool,
    send: (&BufferTriple, Envelope),
    receive: (&BufferTriple, Envelope),
    comm: Comm,
) -> MpiResult<Dispatched> {
    if is_passive {
        return passive(|| bytes::none_in(send.0));
    }
    Request::exchange(send, receive, comm).map(Started)
}

/// Whether MPI is to receive a message that a probe has matched.
fn is_left(data: &BufferTriple, message: &Message<'_>) -> bool {
    let passive = is_passive_message(data.datatype());
    if passive {
        message::give_up(message);
    }
    passive
}

pub fn mrecv(
    data: &BufferTriple,
    mut message: Message<'_>,
    status: &mut StatusSlot,
) -> MpiResult<Dispatched> {
    if is_left(data, &message) {
        return Ok(Passive);
    }
    message::mrecv(data, &mut message).map(|received| received_as(&received, status))
}

pub fn imrecv(data: &BufferTriple, mut message: Message<'_>, comm: Comm) -> MpiResult<Dispatched> {
    if is_left(data, &message) {
        return Ok(Passive);
    }
    Request::receive_matched(data, &mut message, comm).map(Started)
}

pub fn bcast(
    data: &BufferTriple,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if communicator::is_inter(comm) {
        let Some(rooted) = Rooted::of(root, comm) else { return Ok(Passive) };
        if rooted.is_beside(data.datatype()) {
            return moving(inter::beside(Beside::Bcast, root, comm, call_form)?, comm);
        }
        if rooted.role == Role::Bystander || one_passive(data.datatype())? {
            let sends = rooted.role == Role::Root;
            return passive(|| if sends { bytes::none_in(data) } else { Ok(()) });
        }
        return moving(inter::bcast(data, &rooted, root, comm, call_form)?, comm);
    }
    if one_passive(data.datatype())? {
        let sends = || bytes::is_root(root, comm);
        return passive(|| if sends() { bytes::none_in(data) } else { Ok(()) });
    }
    moving(movement::bcast(data, root, comm, call_form)?, comm)
}

pub fn gather(
    send: &BufferTriple,
    receive: &Many,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    let inter = communicator::is_inter(comm);
    let rooted = if inter { Rooted::of(root, comm) } else { None };
    if rooted.as_ref().is_some_and(|rooted| rooted.is_beside(send.datatype())) {
        let beside = Beside::Gather(receive.form());
        return moving(inter::beside(beside, root, comm, call_form)?, comm);
    }
    if rooted_passive(send, receive, root, comm)? {
        let sends = || bytes::serves_root(root, comm);
        return passive(|| if sends() { bytes::none_in(send) } else { Ok(()) });
    }
    if let Some(rooted) = rooted {
        let begun = inter::gather(send, receive, &rooted, root, comm, call_form)?;
        return moving(begun, comm);
    }
    moving(movement::gather(send, receive, root, comm, call_form)?, comm)
}

pub fn scatter(
    call: &str,
    send: &Many,
    receive: &BufferTriple,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    let inter = communicator::is_inter(comm);
    let rooted = if inter { Rooted::of(root, comm) } else { None };
    if rooted.as_ref().is_some_and(|rooted| rooted.is_beside(receive.datatype())) {
        let beside = Beside::Scatter(send.form());
        return moving(inter::beside(beside, root, comm, call_form)?, comm);
    }
    if rooted_passive(receive, send, root, comm)? {
        let sends = || bytes::is_root(root, comm);
        return passive(|| if sends() { bytes::none_to_ranks(call, send, comm) } else { Ok(()) });
    }
    if let Some(rooted) = rooted {
        let begun = inter::scatter(send, receive, &rooted, root, comm, call_form)?;
        return moving(begun, comm);
    }
    moving(movement::scatter(send, receive, root, comm, call_form)?, comm)
}

pub fn allgather(
    call: &str,
    send: &BufferTriple,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if all_passive(&Many::Each(*send), receive, comm)? {
        return passive(|| match send.is_in_place() {
            true => bytes::none_of_own(call, receive, comm),
            false => bytes::none_in(send),
        });
    }
    if communicator::is_inter(comm) {
        return moving(inter::allgather(send, receive, comm, call_form)?, comm);
    }
    moving(movement::allgather(send, receive, comm, call_form)?, comm)
}

pub fn alltoall(
    call: &str,
    send: &Many,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if all_passive(send, receive, comm)? {
        let sent = if send.is_in_place() { receive } else { send };
        return passive(|| bytes::none_to_ranks(call, sent, comm));
    }
    if communicator::is_inter(comm) {
        return moving(inter::alltoall(send, receive, comm, call_form)?, comm);
    }
    moving(movement::alltoall(send, receive, comm, call_form)?, comm)
}

pub fn reduce(
    operands: &Operands,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if communicator::is_inter(comm) {
        let Some(rooted) = Rooted::of(root, comm) else { return Ok(Passive) };
        if rooted.is_beside(operands.send.datatype()) {
            return moving(inter::beside(Beside::Reduce, root, comm, call_form)?, comm);
        }
        if rooted.role == Role::Bystander || operands.are_passive()? {
            let brings = rooted.role == Role::Leaf;
            return passive(|| if brings { operands.none_brought() } else { Ok(()) });
        }
        return moving(inter::reduce(operands.all(), &rooted, root, comm, call_form)?, comm);
    }
    if operands.are_passive()? {
        let brings = || bytes::serves_root(root, comm);
        return passive(|| if brings() { operands.none_brought() } else { Ok(()) });
    }
    let Operands { send, receive, op } = operands;
    moving(reduction::reduce(send, receive, *op, root, comm, call_form)?, comm)
}

pub fn allreduce(operands: &Operands, comm: Comm, call_form: CallForm) -> MpiResult<Dispatched> {
    if operands.are_passive()? {
        return passive(|| operands.none_brought());
    }
    if communicator::is_inter(comm) {
        return moving(inter::allreduce(operands.all(), comm, call_form)?, comm);
    }
    let Operands { send, receive, op } = operands;
    moving(reduction::allreduce(send, receive, *op, comm, call_form)?, comm)
}
