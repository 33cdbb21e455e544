//! Point to point: active messages out and in, and their adjoints.

use super::argument;
use super::channel::{Channel, Window};
use super::check::{self, Posted};
use super::communicator::{self, Claim};
use super::recording::{ids, on_tape, state};
use super::traffic::{Completion, Parcel, Traffic};
use super::wire::doubles;
use super::{Private, statistics};
use crate::error::{Code, Error, Result};
use crate::mpi::message::{self, Envelope, Exchange, Message, Mode};
use crate::mpi::raw::constants;
use crate::mpi::transfer::Transfer;
use crate::mpi::{Argument, Comm, Mark, Outcome, Serial, Sink, Source, Staging, Status};
use crate::tape::{self, Event, Ids, Sweep};
use std::collections::BTreeMap;
use std::ffi::c_int;

/// A message that left: its adjoint comes back from where it went.
struct Sent {
    private: &'static Private,
    to: Envelope,
    ids: Ids,
}

impl Event for Sent {
    const NAME: &'static str = "Send";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width) = (self.ids.len(), sweep.width());
        let traffic = sweep.companion::<Traffic>();
        let adjoint = traffic.receive(self.private, self.to, n, width)?;
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

/// How a call finds the private communicator, once it knows that it needs one.
trait Route: FnOnce() -> Outcome<&'static Private> {}
impl<F: FnOnce() -> Outcome<&'static Private>> Route for F {}

/// A send that the tape will see: whose adjoint comes back, and from where.
type Outgoing = Option<Sent>;

/// Packs the values into `data`; tells what is to be recorded, if anything is. That is found out before
/// anything is sent: a buffer that the tape refuses stays at home.
fn pack(source: &Source, to: Envelope, route: impl Route, data: &mut [f64]) -> Outcome<Outgoing> {
    if to.peer == constants().proc_null || source.is_empty() {
        return Ok(None);
    }
    let shape = source.pack(data);
    statistics::sent_forward(source.len());
    if tape::checking() && state().is_none() {
        if let Ok(private) = route() {
            check::sent(private, to.peer, to.tag, source.len(), false);
        }
        return Ok(None);
    }
    let recorded = tape::current(|tape| {
        if !tape.recording() {
            return Ok(None);
        }
        let private = route()?;
        Ok(Some(Sent { private, to, ids: ids(tape, source, shape)? }))
    });
    recorded.unwrap_or(Ok(None))
}

/// Records a message, which has been sent.
fn record(outgoing: Outgoing) -> Outcome<()> {
    let Some(sent) = outgoing else { return Ok(()) };
    if tape::checking() {
        check::sent(sent.private, sent.to.peer, sent.to.tag, sent.ids.len(), true);
    }
    let recorded = tape::current(|tape| tape.record(0, |_, _| sent).map(|_| ()));
    Ok(recorded.unwrap_or(Ok(()))?)
}

/// What the tape will be told of a receive: its place in the order of its channel.
#[derive(Debug, Clone, Copy)]
struct Post {
    private: &'static Private,
    post: u64,
}

impl Post {
    fn next(private: &'static Private) -> Self {
        Self { private, post: private.receives.with(Window::post) }
    }

    /// The receive is not going to complete, or brought nothing.
    fn withdraw(self) {
        self.private.receives.with(|window| window.close(self.post));
    }

    /// Records what arrived on the tape that recorded the start, and returns the marks of its values.
    fn record(self, serial: u64, n: usize, status: &Status) -> Outcome<Mark> {
        let Self { private, post } = self;
        let channel = Channel { private: private.index, peer: status.source(), tag: status.tag() };
        let window = &private.receives;
        let closed = window.with(|window| window.close(post));
        on_tape(serial, |tape| {
            let completion =
                Completion { channel, post, closed, window, book: |traffic| &mut traffic.order };
            let n32 = u32::try_from(n).unwrap_or(u32::MAX);
            let first = completion.record(tape, n, |first, release| {
                let Channel { peer: source, tag, .. } = channel;
                Received { private, source, tag, first, n: n32, post, release }
            })?;
            Ok(Mark { first, tag: tape.tag() })
        })
    }
}

/// A receive under way: where its values go, and what was decided at its start.
#[derive(Debug)]
pub struct Arrival {
    sink: Sink,
    /// The tape that recorded then; none for a message that is not recorded.
    post: Option<(u64, Post)>,
    logged: Posted,
}

impl Arrival {
    /// Numbers a receive that is about to be posted, if a tape records.
    fn expect(sink: Sink, from: Envelope, route: impl Route) -> Outcome<Self> {
        let mut logged = Posted::default();
        if sink.is_empty() || from.peer == constants().proc_null {
            return Ok(Self { sink, post: None, logged });
        }
        let Some(serial) = state() else {
            if tape::checking()
                && let Ok(private) = route()
            {
                logged = check::posted(private, false);
            }
            return Ok(Self { sink, post: None, logged });
        };
        let private = route()?;
        if tape::checking() {
            logged = check::posted(private, true);
        }
        Ok(Self { sink, post: Some((serial, Post::next(private))), logged })
    }

    /// As `expect` for a message that a probe has matched, which was its posting.
    fn claim(sink: Sink, message: &Message<'_>) -> Outcome<Self> {
        let serial = state().filter(|_| !sink.is_empty() && !message.is_from_nobody());
        let matched = Matched::take(message);
        match (serial, matched) {
            (Some(serial), Some(Matched { post, logged, .. })) => {
                logged.is_recorded(true);
                Ok(Self { sink, post: Some((serial, post)), logged })
            }
            (Some(_), None) => {
                let why = "message: not matched by AMPI_Mprobe or AMPI_Improbe on a communicator that the library knows";
                Err(Error::new(Code::Unsupported, why).into())
            }
            (None, matched) => {
                let logged =
                    matched.map_or_else(Posted::default, |Matched { post, logged, .. }| {
                        post.withdraw();
                        logged
                    });
                Ok(Self { sink, post: None, logged })
            }
        }
    }

    /// Takes what arrived out of `data` and into the user's buffer.
    pub fn accept(&mut self, data: &[f64], status: &Status) -> Outcome<()> {
        let received = if status.source() == constants().proc_null {
            0
        } else {
            status.doubles()?.unwrap_or(0).min(data.len())
        };
        if received == 0 {
            self.logged.withdrawn();
        } else {
            self.logged.received(status.source(), status.tag(), received);
        }
        let Some((serial, post)) = self.post.take() else {
            self.sink.unpack(&data[..received], Mark::PASSIVE);
            return Ok(());
        };
        if received == 0 {
            post.withdraw();
            return Ok(());
        }
        let mark = post.record(serial, received, status);
        // The values have arrived, whatever the tape says.
        self.sink.unpack(&data[..received], *mark.as_ref().unwrap_or(&Mark::PASSIVE));
        mark.map(|_| ())
    }

    /// The receive has failed, or was cancelled.
    pub fn refuse(&mut self) {
        self.logged.withdrawn();
        if let Some((_, post)) = self.post.take() {
            post.withdraw();
        }
    }

    /// Accepts what a call has brought into `data`.
    fn end(&mut self, data: &[f64], received: Outcome<Status>) -> Outcome<Status> {
        let status = received.inspect_err(|_| self.refuse())?;
        self.accept(data, &status)?;
        Ok(status)
    }
}

/// A message that a probe has matched and nobody has received. It is posted like any receive: those posted
/// before and after it are in the order of their channel with it.
struct Matched {
    comm: Comm,
    post: Post,
    logged: Posted,
}

/// By the handles' numbers, which are unique while they live.
static MATCHED: Serial<BTreeMap<usize, Matched>> = Serial::new(BTreeMap::new());

impl Matched {
    fn take(message: &Message<'_>) -> Option<Self> {
        MATCHED.with(|matched| matched.remove(&message.key()))
    }
}

/// A probe has matched `message` on `comm`. Whether it is active is known when it is received.
pub fn matched(message: &Message<'_>, comm: Comm) {
    if message.is_from_nobody() {
        return;
    }
    let Some(private) = communicator::lookup(comm) else { return };
    let logged = if tape::checking() { check::posted(private, false) } else { Posted::default() };
    let new = Matched { comm, post: Post::next(private), logged };
    // One that was received behind the library's back has left its number to another.
    if let Some(old) = MATCHED.with(|matched| matched.insert(message.key(), new)) {
        old.post.withdraw();
        old.logged.withdrawn();
    }
}

/// A matched message turns out to be passive.
pub fn give_up(message: &Message<'_>) {
    if let Some(Matched { post, logged, .. }) = Matched::take(message) {
        post.withdraw();
        logged.withdrawn();
    }
}

/// Where errors of receiving `message` are raised.
pub fn comm_of(message: &Message<'_>) -> Comm {
    MATCHED
        .with(|matched| matched.get(&message.key()).map(|matched| matched.comm))
        .unwrap_or_else(Comm::world)
}

/// How many doubles a message between this rank and `peer` may hold.
fn room(n: usize, peer: c_int) -> usize {
    if peer == constants().proc_null { 0 } else { n }
}

/// Calls `f` with room for `n` doubles: on the stack, where a message is short.
#[inline]
fn with_room<R>(n: usize, f: impl FnOnce(&mut [f64]) -> R) -> R {
    const SHORT: usize = 16;
    if n <= SHORT { f(&mut [0.0; SHORT][..n]) } else { f(Staging::take(n).as_mut_slice()) }
}

pub fn send(buf: &Argument, to: Envelope, comm: Comm, mode: &Mode) -> Outcome<()> {
    let source = &argument::source("buf", buf)?;
    with_room(room(source.len(), to.peer), |data| {
        let outgoing = pack(source, to, || communicator::of(comm), data)?;
        message::send(comm, data, &doubles(data.len())?, to, mode)?;
        record(outgoing)
    })
}

pub fn recv(buf: &Argument, from: Envelope, comm: Comm) -> Outcome<Status> {
    let sink = argument::sink("buf", buf)?;
    with_room(room(sink.len(), from.peer), |data| {
        let items = doubles(data.len())?;
        let mut arrival = Arrival::expect(sink, from, || communicator::of(comm))?;
        let received = message::receive(comm, data, &items, from);
        arrival.end(data, received)
    })
}

pub fn mrecv(buf: &Argument, message: &mut Message<'_>) -> Outcome<Status> {
    let sink = argument::sink("buf", buf)?;
    with_room(sink.len(), |data| {
        let items = doubles(data.len())?;
        let mut arrival = Arrival::claim(sink, message)?;
        let received = message.receive(data, &items);
        arrival.end(data, received)
    })
}

/// Starts a send in `transfer`, which is idle.
pub fn isend(
    buf: &Argument,
    to: Envelope,
    comm: Comm,
    mode: &Mode,
    transfer: &mut Transfer,
) -> Outcome<()> {
    let source = &argument::source("buf", buf)?;
    let n = room(source.len(), to.peer);
    let outgoing = pack(source, to, || communicator::of(comm), transfer.room(n))?;
    transfer.send(comm, &doubles(n)?, to, mode)?;
    record(outgoing)
}

/// Starts a receive in `transfer`, which is idle.
pub fn irecv(
    buf: &Argument,
    from: Envelope,
    comm: Comm,
    transfer: &mut Transfer,
) -> Outcome<Arrival> {
    let sink = argument::sink("buf", buf)?;
    let n = room(sink.len(), from.peer);
    transfer.room(n);
    let items = doubles(n)?;
    let mut arrival = Arrival::expect(sink, from, || communicator::of(comm))?;
    transfer.receive(comm, &items, from).inspect_err(|_| arrival.refuse())?;
    Ok(arrival)
}

/// As `irecv` of a message that a probe has matched.
pub fn imrecv(
    buf: &Argument,
    message: &mut Message<'_>,
    transfer: &mut Transfer,
) -> Outcome<Arrival> {
    let sink = argument::sink("buf", buf)?;
    transfer.room(sink.len());
    let items = doubles(sink.len())?;
    let mut arrival = Arrival::claim(sink, message)?;
    transfer.receive_matched(message, &items).inspect_err(|_| arrival.refuse())?;
    Ok(arrival)
}

/// What a persistent request does whenever it is started. The communicator may have been freed by then.
#[derive(Debug)]
pub struct Again {
    what: What,
    with: Envelope,
    claim: Option<Claim>,
}

#[derive(Debug)]
enum What {
    Send(Source),
    /// MPI's request is made anew for each start.
    SendOnce(Source, Comm, &'static Mode),
    Receive(Sink),
}

impl Again {
    /// Starts a request that rests. A receive's completion will need what is returned.
    pub fn start(&self, transfer: &mut Transfer) -> Outcome<Option<Arrival>> {
        let private = self.claim.as_ref().map(Claim::private);
        let route = || private.ok_or_else(communicator::unknown);
        if let What::SendOnce(_, comm, mode) = &self.what {
            transfer.free()?;
            let items = doubles(transfer.room_again().len())?;
            transfer.send_init(*comm, &items, self.with, mode)?;
        }
        match &self.what {
            What::Send(source) | What::SendOnce(source, ..) => {
                let outgoing = pack(source, self.with, route, transfer.room_again())?;
                transfer.start()?;
                record(outgoing)?;
                Ok(None)
            }
            What::Receive(sink) => {
                let mut arrival = Arrival::expect(sink.clone(), self.with, route)?;
                transfer.start().inspect_err(|_| arrival.refuse())?;
                Ok(Some(arrival))
            }
        }
    }
}

/// Makes a persistent send of `transfer`, which is idle.
pub fn send_init(
    buf: &Argument,
    to: Envelope,
    comm: Comm,
    mode: &'static Mode,
    transfer: &mut Transfer,
) -> Outcome<Again> {
    let source = argument::source("buf", buf)?;
    let n = room(source.len(), to.peer);
    transfer.room(n);
    transfer.send_init(comm, &doubles(n)?, to, mode)?;
    let what = if mode.once { What::SendOnce(source, comm, mode) } else { What::Send(source) };
    Ok(Again { what, with: to, claim: Claim::on(comm) })
}

/// Makes a persistent receive of `transfer`, which is idle.
pub fn recv_init(
    buf: &Argument,
    from: Envelope,
    comm: Comm,
    transfer: &mut Transfer,
) -> Outcome<Again> {
    let sink = argument::sink("buf", buf)?;
    let n = room(sink.len(), from.peer);
    transfer.room(n);
    transfer.receive_init(comm, &doubles(n)?, from)?;
    Ok(Again { what: What::Receive(sink), with: from, claim: Claim::on(comm) })
}

/// The send is recorded first: its adjoint is waited for only when that of the receive is under way.
fn exchange(
    source: &Source,
    to: Envelope,
    sink: Sink,
    from: Envelope,
    comm: Comm,
    route: impl Route + Copy,
) -> Outcome<Status> {
    let mut data = Staging::take(room(source.len(), to.peer));
    let mut place = Staging::take(room(sink.len(), from.peer));
    let (sent, wanted) = (&doubles(data.len())?, &doubles(place.len())?);
    let outgoing = pack(source, to, route, data.as_mut_slice())?;
    let mut arrival = Arrival::expect(sink, from, route)?;
    let (data, room) = (data.as_slice(), place.as_mut_slice());
    let received = message::sendrecv(comm, Exchange { data, sent, to, room, wanted, from });
    let recorded = if received.is_ok() { record(outgoing) } else { Ok(()) };
    let status = arrival.end(place.as_slice(), received)?;
    recorded.map(|()| status)
}

pub fn sendrecv(
    send: &Argument,
    to: Envelope,
    receive: &Argument,
    from: Envelope,
    comm: Comm,
) -> Outcome<Status> {
    let source = argument::source("sendbuf", send)?;
    exchange(&source, to, argument::sink("recvbuf", receive)?, from, comm, || {
        communicator::of(comm)
    })
}

pub fn sendrecv_replace(
    buf: &Argument,
    to: Envelope,
    from: Envelope,
    comm: Comm,
) -> Outcome<Status> {
    let sink = argument::sink("buf", buf)?;
    exchange(&sink.source().clone(), to, sink, from, comm, || communicator::of(comm))
}

/// Lower tags are those of neighbours' slots.
const AMONG_MEMBERS: c_int = 32766;

/// A message to one member of `private` and one from another (either may be MPI_PROC_NULL), for calls that the
/// library puts together of messages.
pub fn between_members(
    private: &'static Private,
    source: &Source,
    to: c_int,
    sink: Sink,
    from: c_int,
) -> Outcome<()> {
    let (to, from) = (Envelope::new(to, AMONG_MEMBERS), Envelope::new(from, AMONG_MEMBERS));
    exchange(source, to, sink, from, private.comm()?, || Ok(private)).map(|_| ())
}
