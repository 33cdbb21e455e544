//! Point to point: active messages out and in, and their adjoints.

use super::argument;
use super::channel::{AT_ONCE, Channel, Window};
use super::recording::{ids, on_tape, state};
use super::traffic::{Parcel, Traffic};
use super::{Private, communicator, statistics};
use crate::error::Result;
use crate::mpi::raw::constants;
use crate::mpi::transfer::{self, Exchange, Transfer};
use crate::mpi::{Argument, Comm, Datatype, Mark, Outcome, Sink, Source, Staging, Status};
use crate::tape::{self, Event, Ids, Sweep};
use std::ffi::c_int;

/// A message that left: its adjoint comes back from where it went.
struct Sent {
    private: &'static Private,
    dest: c_int,
    tag: c_int,
    ids: Ids,
}

impl Event for Sent {
    const NAME: &'static str = "Send";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width) = (self.ids.len(), sweep.width());
        let traffic = sweep.companion::<Traffic>();
        let adjoint = traffic.receive(self.private, self.dest, self.tag, n, width)?;
        sweep.add(&self.ids, adjoint.as_slice());
        sweep.companion::<Traffic>().keep(adjoint);
        Ok(())
    }
}

/// A message that arrived, with what really came: source, tag and count.
struct Received {
    private: &'static Private,
    source: c_int,
    tag: c_int,
    first: u32,
    n: u32,
    post: u64,
    release: u32,
}

impl Event for Received {
    const NAME: &'static str = "Recv";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width, event) = (crate::count::wide32(self.n), sweep.width(), sweep.event_index());
        let mut data = sweep.companion::<Traffic>().memory(n * width);
        sweep.take(self.first, n, data.as_mut_slice());
        let parcel =
            Parcel { private: self.private, peer: self.source, tag: self.tag, n, width, data };
        sweep.companion::<Traffic>().deliver(self.post, self.release, event, parcel)
    }
}

/// A send that the tape will see: what leaves, and where its adjoint comes back.
struct Outgoing {
    private: &'static Private,
    ids: Ids,
}

impl Outgoing {
    /// Packs the values into `data`; tells what is to be recorded, if anything is. That is found out before
    /// anything is sent: a buffer that the tape refuses stays at home.
    fn pack(source: &Source, dest: c_int, comm: Comm, data: &mut [f64]) -> Outcome<Option<Self>> {
        if dest == constants().proc_null || source.is_empty() {
            return Ok(None);
        }
        let shape = source.pack(data);
        statistics::sent_forward(source.len());
        let recorded = tape::current(|tape| {
            if !tape.recording() {
                return Ok(None);
            }
            let private = communicator::of(comm)?;
            Ok(Some(Self { private, ids: ids(tape, source, shape)? }))
        });
        recorded.unwrap_or(Ok(None))
    }

    /// Records the message, which has been sent.
    fn record(outgoing: Option<Self>, dest: c_int, tag: c_int) -> Outcome<()> {
        let Some(Self { private, ids }) = outgoing else { return Ok(()) };
        let sent = Sent { private, dest, tag, ids };
        let recorded = tape::current(|tape| tape.record(0, |_, _| sent).map(|_| ()));
        Ok(recorded.unwrap_or(Ok(()))?)
    }
}

/// A receive that was posted while a tape recorded.
#[derive(Debug)]
pub struct Incoming {
    serial: u64,
    private: &'static Private,
    post: u64,
}

impl Incoming {
    /// Numbers a receive that is about to be posted, if a tape records.
    fn post(n: usize, source: c_int, comm: Comm) -> Outcome<Option<Self>> {
        if n == 0 || source == constants().proc_null {
            return Ok(None);
        }
        let Some(serial) = state() else { return Ok(None) };
        let private = communicator::of(comm)?;
        Ok(Some(Self { serial, private, post: private.with_window(Window::post) }))
    }

    /// The receive is not going to complete, or brought nothing.
    fn withdraw(&self) {
        self.private.with_window(|window| window.close(self.post));
    }

    /// Records what arrived and returns the marks of its values.
    fn record(&self, n: usize, status: &Status) -> Outcome<Mark> {
        let channel =
            Channel { private: self.private.index, peer: status.source(), tag: status.tag() };
        let closed = self.private.with_window(|window| window.close(self.post));
        on_tape(self.serial, |tape| {
            let &Self { private, post, .. } = self;
            // In a program that completes in order nothing is ever remembered.
            let release = if closed.remembered {
                tape.companion::<Traffic>().order.release(channel, post)
            } else {
                AT_ONCE
            };
            let mut event = 0;
            let n32 = u32::try_from(n).unwrap_or(u32::MAX);
            let first = tape.record(n, |first, index| {
                event = index;
                let Channel { peer: source, tag, .. } = channel;
                Received { private, source, tag, first, n: n32, post, release }
            })?;
            if closed.older {
                let order = &mut tape.companion::<Traffic>().order;
                private.with_window(|window| order.remember(channel, post, event, window));
            } else if closed.settled {
                tape.companion::<Traffic>().order.settle(channel.private);
            }
            Ok(Mark { first, tag: tape.tag() })
        })
    }
}

/// Takes what arrived out of `data` and into the user's buffer.
pub fn accept(
    incoming: Option<&Incoming>,
    sink: &mut Sink,
    data: &[f64],
    status: &Status,
) -> Outcome<()> {
    let received = if status.source() == constants().proc_null {
        0
    } else {
        status.count(Datatype::double())?.unwrap_or(0).min(data.len())
    };
    let Some(incoming) = incoming else {
        sink.unpack(&data[..received], Mark::PASSIVE);
        return Ok(());
    };
    if received == 0 {
        incoming.withdraw();
        return Ok(());
    }
    let mark = incoming.record(received, status);
    // The values have arrived, whatever the tape says.
    sink.unpack(&data[..received], *mark.as_ref().unwrap_or(&Mark::PASSIVE));
    mark.map(|_| ())
}

/// A receive that was posted has failed.
pub fn refuse(incoming: Option<&Incoming>) {
    if let Some(incoming) = incoming {
        incoming.withdraw();
    }
}

/// How many doubles a message between this rank and `peer` may hold.
fn room(n: usize, peer: c_int) -> usize {
    if peer == constants().proc_null { 0 } else { n }
}

pub fn send(buf: &Argument, dest: c_int, tag: c_int, comm: Comm) -> Outcome<()> {
    let source = &argument::source("buf", buf)?;
    let mut data = Staging::take(room(source.len(), dest));
    let outgoing = Outgoing::pack(source, dest, comm, data.as_mut_slice())?;
    transfer::send(comm, data.as_slice(), dest, tag)?;
    Outgoing::record(outgoing, dest, tag)
}

pub fn recv(buf: &Argument, source: c_int, tag: c_int, comm: Comm) -> Outcome<Status> {
    let sink = &mut argument::sink("buf", buf)?;
    let incoming = Incoming::post(sink.len(), source, comm)?;
    let mut data = Staging::take(room(sink.len(), source));
    let status = transfer::receive(comm, data.as_mut_slice(), source, tag);
    let status = status.inspect_err(|_| refuse(incoming.as_ref()))?;
    accept(incoming.as_ref(), sink, data.as_slice(), &status)?;
    Ok(status)
}

/// Starts a send in `transfer`, which is idle.
pub fn isend(
    buf: &Argument,
    dest: c_int,
    tag: c_int,
    comm: Comm,
    transfer: &mut Transfer,
) -> Outcome<()> {
    let source = &argument::source("buf", buf)?;
    let data = transfer.room(room(source.len(), dest));
    let outgoing = Outgoing::pack(source, dest, comm, data)?;
    transfer.send(comm, dest, tag)?;
    Outgoing::record(outgoing, dest, tag)
}

/// Starts a receive in `transfer`, which is idle. Tells where its values go, and what the tape will be told.
pub fn irecv(
    buf: &Argument,
    source: c_int,
    tag: c_int,
    comm: Comm,
    transfer: &mut Transfer,
) -> Outcome<(Sink, Option<Incoming>)> {
    let sink = argument::sink("buf", buf)?;
    let incoming = Incoming::post(sink.len(), source, comm)?;
    transfer.room(room(sink.len(), source));
    transfer.receive(comm, source, tag).inspect_err(|_| refuse(incoming.as_ref()))?;
    Ok((sink, incoming))
}

/// One half of a Sendrecv: who, and under which tag.
#[derive(Clone, Copy)]
pub struct Envelope {
    pub peer: c_int,
    pub tag: c_int,
}

/// The send is recorded first: its adjoint is waited for only when that of the receive is under way.
pub fn sendrecv(
    send: &Argument,
    to: Envelope,
    receive: &Argument,
    from: Envelope,
    comm: Comm,
) -> Outcome<Status> {
    let source = &argument::source("sendbuf", send)?;
    let sink = &mut argument::sink("recvbuf", receive)?;
    let mut data = Staging::take(room(source.len(), to.peer));
    let outgoing = Outgoing::pack(source, to.peer, comm, data.as_mut_slice())?;
    let incoming = Incoming::post(sink.len(), from.peer, comm)?;
    let mut room = Staging::take(room(sink.len(), from.peer));
    let exchange = Exchange {
        data: data.as_slice(),
        dest: to.peer,
        sendtag: to.tag,
        room: room.as_mut_slice(),
        source: from.peer,
        recvtag: from.tag,
    };
    let status = transfer::sendrecv(comm, exchange).inspect_err(|_| refuse(incoming.as_ref()))?;
    let recorded = Outgoing::record(outgoing, to.peer, to.tag);
    accept(incoming.as_ref(), sink, room.as_slice(), &status)?;
    recorded.map(|()| status)
}
