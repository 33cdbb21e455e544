//! A send and a receive in one call.

use super::message::{Arrival, FindComm, Outgoing, irecv_into, room};
use super::wire::items;
use super::{AdjointComm, argument, communicator, late};
use crate::datatype::{BufferTriple, Content, RecvBuffer, SendBuffer, content};
use crate::datatype::{is_passive, is_passive_message, passive_layout};
use crate::error::{Code, Error};
use crate::mpi::message::{self, Envelope, Exchange, Mode};
use crate::mpi::raw::constants;
use crate::mpi::transfer::Transfer;
use crate::mpi::{Comm, MpiResult, Staging, Status};
use crate::tape;
use std::ffi::c_int;

/// The send is recorded first: its adjoint is waited for only when that of the receive is under way. The values are
/// packed, since the buffers may be one.
fn exchange(
    source: &SendBuffer,
    to: Envelope,
    sink: RecvBuffer,
    from: Envelope,
    comm: Comm,
    find_comm: impl FindComm,
) -> MpiResult<Status> {
    let (n, wanted) = (room(source, to.peer), room(sink.source(), from.peer));
    let mut data = Staging::take(n);
    let (sent, wanted) = (&items(source, n)?, &items(sink.source(), wanted)?);
    let mut outgoing = Outgoing::NOTHING;
    outgoing.prepare(source, to, find_comm, Some(data.as_mut_slice()))?;
    let mut arrival = Arrival::default();
    arrival.expect(sink, from, find_comm)?;
    let mut place = arrival.room(wanted.len()).inspect_err(|_| arrival.refuse())?;
    let (data, room) = (data.as_slice().into(), arrival.place(&mut place));
    let received = message::sendrecv(comm, Exchange { data, sent, to, room, wanted, from });
    let recorded = if received.is_ok() { outgoing.record(to) } else { Ok(()) };
    let status = arrival.end(place.as_slice(), received)?;
    recorded.map(|()| status)
}

/// The buffers of a send-receive, of which both are active or neither.
fn both_sides(
    (send, to): (&BufferTriple, Envelope),
    (receive, from): (&BufferTriple, Envelope),
) -> MpiResult<(SendBuffer, RecvBuffer)> {
    // What carries nothing may have any type.
    let carries = |side: &BufferTriple, peer: c_int| match content(side.datatype()) {
        Content::Active => true,
        Content::Passive => !(side.is_nothing() || peer == constants().proc_null),
        Content::Untold => false,
    };
    let (sends, receives) = (carries(send, to.peer), carries(receive, from.peer));
    let packed = send.is_packed() || receive.is_packed();
    if sends && receives && !packed && is_passive(send.datatype()) != is_passive(receive.datatype())
    {
        let why = "one of sendtype and recvtype is active and the other passive: both must be active, or both passive; to exchange active for passive data use AMPI_Irecv, AMPI_Send and AMPI_Wait";
        return Err(Error::new(Code::Unsupported, why).into());
    }
    let source = match sends {
        // Beside packed bytes.
        true if is_passive_message(send.datatype()) => {
            send.source("sendbuf", passive_layout(send.datatype(), send.items())?, 1)?
        }
        true => argument::source_of_message("sendbuf", send)?,
        false => SendBuffer::default(),
    };
    let sink = match receives {
        true if is_passive_message(receive.datatype()) => {
            receive.sink("recvbuf", passive_layout(receive.datatype(), receive.items())?, 1)?
        }
        true => argument::sink_of_message("recvbuf", receive)?,
        false => RecvBuffer::default(),
    };
    Ok((source, sink))
}

pub fn sendrecv(
    send: &BufferTriple,
    to: Envelope,
    receive: &BufferTriple,
    from: Envelope,
    comm: Comm,
) -> MpiResult<Status> {
    let (source, sink) = both_sides((send, to), (receive, from))?;
    exchange(&source, to, sink, from, comm, || communicator::of(comm))
}

/// Starts both halves: the receive in `transfer`, which is idle. The send is recorded first, as in `exchange`, and leaves from a
/// copy, which outlives the request: the buffers may be one, and the receive alone completes the request. It starts first: if
/// it failed after the receive, that would be left and take another message.
pub fn isendrecv(
    (send, to): (&BufferTriple, Envelope),
    (receive, from): (&BufferTriple, Envelope),
    comm: Comm,
    transfer: &mut Transfer,
    arrival: &mut Arrival,
) -> MpiResult<()> {
    let (source, sink) = both_sides((send, to), (receive, from))?;
    let n = room(&source, to.peer);
    let items = items(&source, n)?;
    let (mut sent, mut outgoing) = (Transfer::default(), Outgoing::NOTHING);
    let copy = sent.room(n);
    outgoing.prepare(&source, to, || communicator::of(comm), Some(copy))?;
    sent.send(comm, &items, to, &Mode::STANDARD)?;
    late::orphan(sent);
    outgoing.record(to)?;
    irecv_into(sink, from, comm, transfer, arrival)
}

pub fn sendrecv_replace(
    buf: &BufferTriple,
    to: Envelope,
    from: Envelope,
    comm: Comm,
) -> MpiResult<Status> {
    let sink = argument::sink_of_message("buf", buf)?;
    let source = if buf.is_packed() { buf.packed_source("buf")? } else { sink.source().clone() };
    exchange(&source, to, sink, from, comm, || communicator::of(comm))
}

/// Neighbours have tag 0, and checking the next one.
const AMONG_MEMBERS: c_int = 32766;

/// A message to one member of `private` and one from another (either may be MPI_PROC_NULL), for calls that the
/// library puts together of messages.
pub fn between_members(
    private: &'static AdjointComm,
    source: &SendBuffer,
    to: c_int,
    sink: RecvBuffer,
    from: c_int,
) -> MpiResult<()> {
    let (to, from) = (Envelope::new(to, AMONG_MEMBERS), Envelope::new(from, AMONG_MEMBERS));
    // Apart from adjoints that travel under the same tag while a callback runs.
    let comm = private.comm(tape::depth())?;
    exchange(source, to, sink, from, comm, || Ok(private)).map(|_| ())
}
