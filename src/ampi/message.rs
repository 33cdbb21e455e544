//! Point to point: active messages out and in, and their adjoints.

use super::argument;
use super::channel::Channel;
use super::recording::{ids, on_tape, state};
use super::traffic::{Parcel, Traffic, with_traffic};
use super::{Private, communicator, statistics};
use crate::error::Result;
use crate::mpi::raw::constants;
use crate::mpi::transfer::{self, Exchange, Transfer};
use crate::mpi::{Argument, Comm, Datatype, Mark, Outcome, Sink, Source, Staging, Status};
use crate::tape::{Event, Ids, Sweep};
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
        let adjoint = with_traffic(sweep, |traffic, _| {
            traffic.receive(self.private, self.dest, self.tag, n, width)
        })?;
        sweep.add(&self.ids, adjoint.as_slice());
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
        let mut data = Staging::take(n * width);
        sweep.take(self.first, n, data.as_mut_slice());
        let parcel =
            Parcel { private: self.private, peer: self.source, tag: self.tag, n, width, data };
        with_traffic(sweep, |traffic, _| traffic.deliver(self.post, self.release, event, parcel))
    }
}

/// A send whose start the tape will see.
pub struct Outgoing {
    serial: u64,
    private: &'static Private,
    dest: c_int,
    tag: c_int,
    ids: Ids,
}

impl Outgoing {
    /// Packs the values; tells what is to be recorded, if anything is.
    fn pack(
        source: &Source,
        dest: c_int,
        tag: c_int,
        comm: Comm,
    ) -> Outcome<(Staging, Option<Self>)> {
        if dest == constants().proc_null {
            return Ok((Staging::default(), None));
        }
        let serial = state().filter(|_| !source.is_empty());
        let private = serial.map(|_| communicator::of(comm)).transpose()?;
        let mut data = Staging::take(source.len());
        let shape = source.pack(data.as_mut_slice());
        let record = match serial.zip(private) {
            None => None,
            Some((serial, private)) => {
                // Before anything is sent: a buffer that the tape refuses stays at home.
                let ids = on_tape(serial, |tape| ids(tape, source, shape))?;
                Some(Self { serial, private, dest, tag, ids })
            }
        };
        statistics::sent_forward(source.len());
        Ok((data, record))
    }

    fn record(self) -> Outcome<()> {
        let Self { private, dest, tag, ids, .. } = self;
        on_tape(self.serial, |tape| tape.record(0, |_, _| Sent { private, dest, tag, ids }))
            .map(|_| ())
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
        Ok(Some(Self { serial, private, post: private.window().post() }))
    }

    /// The receive is not going to complete, or brought nothing.
    fn withdraw(&self) {
        self.private.window().close(self.post);
    }

    /// Records what arrived and returns the marks of its values.
    fn record(&self, n: usize, status: &Status) -> Outcome<Mark> {
        let channel =
            Channel { private: self.private.index, peer: status.source(), tag: status.tag() };
        let older = self.private.window().close(self.post);
        on_tape(self.serial, |tape| {
            let traffic = tape.companion::<Traffic>();
            let release = traffic.order.release(channel, self.post);
            let &Self { private, post, .. } = self;
            let mut event = 0;
            let n32 = u32::try_from(n).unwrap_or(u32::MAX);
            let first = tape.record(n, |first, index| {
                event = index;
                let Channel { peer: source, tag, .. } = channel;
                Received { private, source, tag, first, n: n32, post, release }
            })?;
            let window = private.window();
            let traffic = tape.companion::<Traffic>();
            if older {
                traffic.order.remember(channel, post, event, &window);
            } else if window.is_quiet() {
                traffic.order.settle(channel.private);
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

/// Where a message from `source` may arrive.
fn room(sink: &Sink, source: c_int) -> Staging {
    Staging::take(if source == constants().proc_null { 0 } else { sink.len() })
}

pub fn send(buf: &Argument, dest: c_int, tag: c_int, comm: Comm) -> Outcome<()> {
    let source = &argument::source("buf", buf)?;
    let (data, outgoing) = Outgoing::pack(source, dest, tag, comm)?;
    transfer::send(comm, data.as_slice(), dest, tag)?;
    outgoing.map_or(Ok(()), |outgoing| outgoing.record())
}

pub fn recv(buf: &Argument, source: c_int, tag: c_int, comm: Comm) -> Outcome<Status> {
    let sink = &mut argument::sink("buf", buf)?;
    let incoming = Incoming::post(sink.len(), source, comm)?;
    let mut data = room(sink, source);
    let status = transfer::receive(comm, data.as_mut_slice(), source, tag);
    let status = status.inspect_err(|_| refuse(incoming.as_ref()))?;
    accept(incoming.as_ref(), sink, data.as_slice(), &status)?;
    Ok(status)
}

pub fn isend(buf: &Argument, dest: c_int, tag: c_int, comm: Comm) -> Outcome<Transfer> {
    let source = &argument::source("buf", buf)?;
    let (data, outgoing) = Outgoing::pack(source, dest, tag, comm)?;
    let transfer = Transfer::send(comm, data, dest, tag)?;
    if let Some(outgoing) = outgoing {
        outgoing.record()?;
    }
    Ok(transfer)
}

/// A receive that has been posted: the request, where its values go, and what the tape will be told.
pub type Posted = (Transfer, Sink, Option<Incoming>);

pub fn irecv(buf: &Argument, source: c_int, tag: c_int, comm: Comm) -> Outcome<Posted> {
    let sink = argument::sink("buf", buf)?;
    let incoming = Incoming::post(sink.len(), source, comm)?;
    let transfer = Transfer::receive(comm, room(&sink, source), source, tag);
    let transfer = transfer.inspect_err(|_| refuse(incoming.as_ref()))?;
    Ok((transfer, sink, incoming))
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
    let (data, outgoing) = Outgoing::pack(source, to.peer, to.tag, comm)?;
    let incoming = Incoming::post(sink.len(), from.peer, comm)?;
    let mut room = room(sink, from.peer);
    let exchange = Exchange {
        data: data.as_slice(),
        dest: to.peer,
        sendtag: to.tag,
        room: room.as_mut_slice(),
        source: from.peer,
        recvtag: from.tag,
    };
    let status = transfer::sendrecv(comm, exchange).inspect_err(|_| refuse(incoming.as_ref()))?;
    let recorded = outgoing.map_or(Ok(()), |outgoing| outgoing.record());
    accept(incoming.as_ref(), sink, room.as_slice(), &status)?;
    recorded.map(|()| status)
}
