//! Point to point: active messages out and in, and their adjoints. Long: every way of sending and receiving, which share all.

use super::argument;
use super::channel::{Channel, Window};
use super::check::{self, Posted};
use super::communicator::{self, Claim};
use super::queues::{AdjointMessage, pieces};
use super::recording::{check_tape, ids, on_tape, state};
use super::traffic::{Completion, Traffic, receive_adjoints};
use super::wire::items;
use super::{AdjointComm, statistics};
use crate::count::{narrow32, wide32};
use crate::datatype::require_installed;
use crate::datatype::{BufferTriple, Mark, RecvBuffer, SendBuffer};
use crate::error::{Code, Error, Result};
use crate::large::limit::small;
use crate::mpi::error::is_truncation;
use crate::mpi::message::{self, Envelope, Message, Mode};
use crate::mpi::raw::constants;
use crate::mpi::transfer::Transfer;
use crate::mpi::{Comm, Doubles, MpiResult, Payload, Serial, Staging, Status, Writable, quirks};
use crate::tape::{self, Dependence, Event, Ids, Seen, Sweep, Tape};
use crate::trace::{self, Way};
use std::collections::BTreeMap;
use std::ffi::c_int;

/// A message that left: its adjoint comes back from where it went.
struct Sent {
    private: &'static AdjointComm,
    to: Envelope,
    ids: Ids,
}

impl Event for Sent {
    const NAME: &'static str = "Send";

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let (n, width) = (self.ids.len(), sweep.width());
        let way = (self.private, sweep.depth());
        let mut short = SHORT;
        if n * width > short.len() {
            return receive_adjoints(sweep, way, self.to, n, width, |at, piece, sweep| {
                sweep.add(&self.ids.part(at..at + piece.len() / width), piece);
            });
        }
        let adjoint = &mut short[..n * width];
        sweep.companion::<Traffic>().receive_short(way, self.to, n, width, adjoint)?;
        sweep.add(&self.ids, adjoint);
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.across_ranks(crate::ampi::ACROSS_RANKS)
    }

    fn seen(&self) -> Option<Seen> {
        let Envelope { peer, tag } = self.to;
        Some(seen(self.private, (peer, tag), Way::Out, 0, self.ids.len()))
    }
}

/// What a trace is told of a message. The ranks of an intercommunicator are of two groups, so no arrow joins its messages.
fn seen(
    private: &AdjointComm,
    (peer, tag): (c_int, c_int),
    way: Way,
    order: u64,
    n: usize,
) -> Seen {
    if private.is_inter() {
        return Seen::Exchange { waits: way == Way::Out };
    }
    let (comm, own, peer) =
        (private.name(), private.users_rank(private.rank), private.users_rank(peer));
    Seen::Message { message: trace::Message { comm, own, peer, tag, way, order }, n }
}

/// From how many adjoints on they are sent from where they lie. It pays from there on, more the longer the message is
/// (bench_halo).
const WORTH_LENDING: usize = 1024;

/// A message that arrived, with what really came: source, tag and count.
struct Received {
    private: &'static AdjointComm,
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
        let (n, width) = (wide32(self.n), sweep.width());
        statistics::sent_back(n * width);
        if n * width >= WORTH_LENDING {
            return self.reverse_long(n, width, sweep);
        }
        let data = Payload::Own(taken(self.first, n, sweep));
        self.send_back(n, data, sweep)
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        on.across_ranks(crate::ampi::ACROSS_RANKS)
    }

    fn seen(&self) -> Option<Seen> {
        Some(seen(self.private, (self.source, self.tag), Way::In, self.post, wide32(self.n)))
    }
}

impl Received {
    #[inline(never)]
    fn reverse_long(&self, n: usize, width: usize, sweep: &mut Sweep<'_>) -> Result<()> {
        let mut first = self.first;
        for piece in pieces(n, width) {
            let n = piece.len();
            let lent = sweep.lend(first, n).map(Payload::Lent);
            let data = lent.unwrap_or_else(|| Payload::Own(taken(first, n, sweep)));
            self.send_back(n, data, sweep)?;
            first += u32::try_from(n).expect("ids that were given out");
        }
        Ok(())
    }

    /// Sends the adjoints of `n` values, or holds them back.
    #[inline(always)]
    fn send_back(&self, n: usize, data: Payload, sweep: &mut Sweep<'_>) -> Result<()> {
        let (width, depth, event) = (sweep.width(), sweep.depth(), sweep.event_index());
        let &Self { private, source: peer, tag, .. } = self;
        let adjoint = AdjointMessage { private, depth, peer, tag, n, width, data };
        sweep.companion::<Traffic>().deliver(self.post, self.release, event, adjoint)
    }
}

/// The adjoints of `n` values from `first` on, in memory of a message.
#[inline(always)]
fn taken(first: u32, n: usize, sweep: &mut Sweep<'_>) -> Staging {
    let width = sweep.width();
    let mut data = sweep.companion::<Traffic>().memory(n * width);
    sweep.take(first, n, data.as_mut_slice());
    data
}

/// How a call finds the private communicator, once it knows that it needs one.
pub(super) trait FindComm: Copy + FnOnce() -> MpiResult<&'static AdjointComm> {}
impl<F: Copy + FnOnce() -> MpiResult<&'static AdjointComm>> FindComm for F {}

/// What the tape will be told of a send whose adjoint comes back; nothing, without a private communicator.
pub(super) struct Outgoing {
    private: Option<&'static AdjointComm>,
    ids: Ids,
}

impl Outgoing {
    pub(super) const NOTHING: Self = Self { private: None, ids: Ids::Passive(0) };

    /// Packs the values into `data`, if they are not to be sent from where they lie, and finds out what is to be
    /// recorded. That before anything is sent: a buffer that the tape refuses stays at home.
    #[inline(always)]
    pub(super) fn prepare(
        &mut self,
        source: &SendBuffer,
        to: Envelope,
        find_comm: impl FindComm,
        data: Option<&mut [f64]>,
    ) -> MpiResult<()> {
        if to.peer == constants().proc_null || source.words() == 0 {
            return Ok(());
        }
        let shape = data.map_or_else(|| source.shape(), |data| source.pack(data));
        if source.is_empty() {
            return Ok(());
        }
        statistics::sent_forward(source.len());
        if tape::checking() && state().is_none() {
            log_unrecorded(to, source.len(), find_comm);
        }
        let found = tape::current(|tape| {
            if tape.recording() {
                let private = find_comm()?;
                self.ids = ids(tape, source, shape)?;
                self.private = Some(private);
            }
            Ok(())
        });
        found.unwrap_or_else(|| check_tape(source, || shape))
    }

    /// Records the message, which has been sent.
    #[inline(always)]
    pub(super) fn record(self, to: Envelope) -> MpiResult<()> {
        let Self { private: Some(private), ids } = self else { return Ok(()) };
        if tape::checking() {
            check::sent(private, to.peer, to.tag, ids.len(), true);
        }
        let event = Sent { private, to, ids };
        let recorded = tape::current(|tape| tape.record(0, |_, _| event).map(|_| ()));
        Ok(recorded.unwrap_or(Ok(()))?)
    }
}

#[cold]
fn log_unrecorded(to: Envelope, n: usize, find_comm: impl FindComm) {
    if let Ok(private) = find_comm() {
        check::sent(private, to.peer, to.tag, n, false);
    }
}

/// The items of a message whose `n` values MPI may send from where they lie.
#[inline]
fn ready(source: &SendBuffer, n: usize) -> Option<Doubles> {
    let as_they_are = if source.is_plain() {
        n <= 1 || quirks::GAPS_ARE_FAST_FROM.is_some_and(|least| n >= least)
    } else {
        source.is_packed()
    };
    as_they_are.then(|| i64::try_from(n).ok().and_then(small).map(Doubles::each)).flatten()
}

/// As `ready` of what is sent again and again. The elements of a matrix may lie elsewhere by then.
fn ready_again(source: &SendBuffer, n: usize) -> Option<Doubles> {
    if source.is_of_elements() { None } else { ready(source, n) }
}

/// What the tape will be told of a receive: its place in the order of its channel.
#[derive(Debug, Clone, Copy)]
struct Post {
    private: &'static AdjointComm,
    post: u64,
}

impl Post {
    #[inline(always)]
    fn next(private: &'static AdjointComm) -> Self {
        Self { private, post: private.receives.with(Window::post) }
    }

    /// The receive is not going to complete, or brought nothing.
    fn withdraw(self) {
        self.private.receives.with(|window| window.close(self.post));
    }

    /// Records what arrived on the tape that recorded the start, and returns the marks of its values.
    #[inline(always)]
    fn record(self, serial: u64, n: usize, status: &Status) -> MpiResult<Mark> {
        let Self { private, post } = self;
        let channel = Channel { private: private.index, peer: status.source(), tag: status.tag() };
        let window = &private.receives;
        let closed = window.with(|window| window.close(post));
        on_tape(serial, |tape| {
            let completion =
                Completion { channel, post, closed, window, book: |traffic| &mut traffic.order };
            let n32 = narrow32(n);
            let first = completion.record(tape, n, |first, release| {
                let Channel { peer: source, tag, .. } = channel;
                Received { private, source, tag, first, n: n32, post, release }
            })?;
            Ok(Mark { first, tag: tape.tag() })
        })
    }
}

/// A receive under way: where its values go, and what was decided at its start.
#[derive(Debug, Default)]
pub struct Arrival {
    sink: RecvBuffer,
    /// The tape that recorded then; none for a message that is not recorded.
    post: Option<(u64, Post)>,
    /// A tape recorded, and nothing is known of the communicator of packed bytes, which are passive as a rule.
    unknown: bool,
    logged: Posted,
}

impl Arrival {
    /// Numbers a receive that is about to be posted, if a tape records.
    #[inline(always)]
    pub(super) fn expect(
        &mut self,
        sink: RecvBuffer,
        from: Envelope,
        find_comm: impl FindComm,
    ) -> MpiResult<()> {
        (self.sink, self.post, self.logged) = (sink, None, Posted::default());
        if self.sink.is_empty() || from.peer == constants().proc_null {
            return if self.sink.source().is_of_packed() {
                self.expect_packed(from, find_comm)
            } else {
                Ok(())
            };
        }
        self.expect_some(from, find_comm)
    }

    /// What packed bytes hold is known when they are here.
    #[cold]
    fn expect_packed(&mut self, from: Envelope, find_comm: impl FindComm) -> MpiResult<()> {
        self.unknown = false;
        if from.peer == constants().proc_null || self.sink.source().words() == 0 {
            return Ok(());
        }
        if state().is_some() && find_comm().is_err() {
            self.unknown = true;
            return Ok(());
        }
        self.expect_some(from, find_comm)
    }

    #[inline(always)]
    fn expect_some(&mut self, from: Envelope, find_comm: impl FindComm) -> MpiResult<()> {
        let Some(serial) = state() else {
            if tape::checking()
                && let Ok(private) = find_comm()
            {
                self.logged = check::posted(private, from, false);
            }
            return Ok(());
        };
        let private = find_comm()?;
        if tape::checking() {
            self.logged = check::posted(private, from, true);
        }
        self.post = Some((serial, Post::next(private)));
        Ok(())
    }

    /// As `expect` for a message that a probe has matched, which was its posting.
    fn claim(sink: RecvBuffer, message: &Message<'_>) -> MpiResult<Self> {
        let packed = sink.source().is_of_packed();
        let some = (packed || !sink.is_empty()) && !message.is_from_nobody();
        let serial = state().filter(|_| some);
        let matched = Matched::take(message);
        if packed && serial.is_some() && matched.is_none() {
            return Ok(Self { sink, unknown: true, ..Self::default() });
        }
        match (serial, matched) {
            (Some(serial), Some(Matched { post, logged, .. })) => {
                logged.is_recorded(true);
                Ok(Self { sink, post: Some((serial, post)), unknown: false, logged })
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
                Ok(Self { sink, post: None, unknown: false, logged })
            }
        }
    }

    /// Lets go of a matrix whose elements the buffer is.
    #[inline]
    pub fn forget(&mut self) {
        if !self.sink.is_plain() {
            self.sink = RecvBuffer::default();
        }
    }

    /// Asks for what `accept` will need: among many receives it has left the cache since their start.
    #[inline]
    pub fn fetch_ahead(&self) {
        self.sink.fetch_ahead();
    }

    /// Takes what arrived into the user's buffer: out of `data`, or from where MPI has put it there.
    #[inline(always)]
    pub fn accept(&mut self, data: &[f64], status: &Status) -> MpiResult<()> {
        let mixed = !self.sink.is_plain() && self.sink.source().mixed_bytes().is_some();
        if mixed && self.sink.source().is_of_packed() {
            return self.accept_packed(data, status);
        }
        let bytes = if status.source() == constants().proc_null {
            0
        } else if mixed {
            status.bytes()?
        } else {
            match status.doubles()? {
                Some(received) => 8 * received,
                None => self.spoil(),
            }
        };
        let doubles = if mixed { self.sink.source().doubles_in(bytes) } else { bytes / 8 };
        let received = doubles.min(self.sink.len());
        if received == 0 {
            self.logged.withdrawn();
        } else {
            self.logged.received(status.source(), status.tag(), received);
        }
        let Some((serial, post)) = self.post.take() else {
            return self.put(data, bytes, received, Mark::PASSIVE);
        };
        if received == 0 {
            post.withdraw();
            // Passive parts at most.
            return self.put(data, bytes, 0, Mark::PASSIVE);
        }
        match post.record(serial, received, status) {
            Ok(mark) => self.put(data, bytes, received, mark),
            Err(failure) => {
                // The values have arrived, whatever the tape says.
                let _ = self.put(data, bytes, received, Mark::PASSIVE);
                Err(failure)
            }
        }
    }

    /// As `accept` of packed bytes, which tell what is active among them.
    #[cold]
    fn accept_packed(&mut self, data: &[f64], status: &Status) -> MpiResult<()> {
        let nobody = status.source() == constants().proc_null;
        let bytes = if nobody { 0 } else { status.bytes()?.min(8 * data.len()) };
        self.sink.unpack_bytes(data, bytes, Mark::PASSIVE)?;
        let n = self.sink.packed_doubles(bytes);
        if n == 0 {
            self.refuse();
            return Ok(());
        }
        self.logged.received(status.source(), status.tag(), n);
        let recorded = match self.post.take() {
            Some((serial, post)) => post.record(serial, n, status),
            None if self.unknown => Err(communicator::unknown()),
            None => Ok(Mark::PASSIVE),
        };
        // The values have arrived, whatever the tape says.
        self.sink.adopt_packed(bytes, *recorded.as_ref().unwrap_or(&Mark::PASSIVE));
        recorded.map(|_| ())
    }

    /// Writes `bytes` with `n` active doubles among them.
    #[inline(always)]
    fn put(&mut self, data: &[f64], bytes: usize, n: usize, mark: Mark) -> MpiResult<()> {
        if self.sink.is_direct() {
            self.sink.settle(n, mark)
        } else {
            self.sink.unpack_bytes(data, bytes.min(8 * data.len()), mark)
        }
    }

    /// What MPI has put into the buffer are no doubles, or the beginning of a message that is too long: it has no
    /// derivative. None of it counts as received.
    #[cold]
    fn spoil(&mut self) -> usize {
        self.sink.spoil();
        0
    }

    /// Room for what the buffer itself cannot take side by side.
    #[inline]
    pub(super) fn room(&mut self, n: usize) -> MpiResult<Staging> {
        if n > 0 {
            self.sink.lend(true)?;
        }
        let direct = n == 0 || self.sink.is_direct();
        Ok(if direct { Staging::default() } else { Staging::take(n) })
    }

    /// Where MPI is to write: to the user's buffer if it can, which spares a copy, else to `room`.
    #[inline]
    pub(super) fn place<'a>(&'a mut self, room: &'a mut Staging) -> Writable<'a> {
        if self.sink.is_direct() { (&mut self.sink).into() } else { room.as_mut_slice().into() }
    }

    /// The receive has failed by MPI's `code`.
    #[cold]
    pub fn fail(&mut self, code: c_int) {
        if is_truncation(code) {
            self.spoil();
        }
        self.refuse();
    }

    /// Whether a tape waits for it that is not the calling thread's.
    pub fn is_elsewhere(&self) -> bool {
        let serial = self.post.as_ref().map(|&(serial, _)| serial);
        serial.is_some() && serial != tape::current(|tape| tape.serial())
    }

    /// The receive could not start, or was cancelled.
    pub fn refuse(&mut self) {
        self.logged.withdrawn();
        if let Some((_, post)) = self.post.take() {
            post.withdraw();
        }
    }

    /// Accepts what a call has brought.
    #[inline]
    pub(super) fn end(&mut self, data: &[f64], received: MpiResult<Status>) -> MpiResult<Status> {
        let status = match received {
            Ok(status) => status,
            Err(failure) => {
                self.fail(failure.code());
                return Err(failure);
            }
        };
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
    let any = Envelope::new(constants().any_source, constants().any_tag);
    let logged = check::posted(private, any, false);
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

/// Memory of the last short message that was sent, for the next one.
static SPARE: Serial<Option<Staging>> = Serial::new(None);

/// How many words of 8 bytes a message between `buffer` and `peer` may hold.
pub(super) fn room(buffer: &SendBuffer, peer: c_int) -> usize {
    if peer == constants().proc_null { 0 } else { buffer.words() }
}

/// Room on the stack for short messages.
const SHORT: [f64; 16] = [0.0; 16];

#[inline(always)]
pub fn send(buf: &BufferTriple, to: Envelope, comm: Comm, mode: &Mode) -> MpiResult<()> {
    let source = &argument::source_of_message("buf", buf)?;
    let n = room(source, to.peer);
    let find_comm = || communicator::of(comm);
    if let Some(items) = ready(source, n) {
        let mut outgoing = Outgoing::NOTHING;
        outgoing.prepare(source, to, find_comm, None)?;
        message::send(comm, source, &items, to, mode)?;
        return outgoing.record(to);
    }
    send_packed(source, n, to, comm, mode)
}

/// As `send`, from a copy of the values side by side.
#[inline(never)]
fn send_packed(
    source: &SendBuffer,
    n: usize,
    to: Envelope,
    comm: Comm,
    mode: &Mode,
) -> MpiResult<()> {
    // Taken out: MPI may call back. What is little comes back to be used again.
    let mut data = SPARE.with(Option::take).unwrap_or_default();
    data.reshape(n);
    let mut outgoing = Outgoing::NOTHING;
    outgoing.prepare(source, to, || communicator::of(comm), Some(data.as_mut_slice()))?;
    message::send(comm, data.as_slice(), &items(source, n)?, to, mode)?;
    data.shrink();
    SPARE.with(|spare| *spare = Some(data));
    outgoing.record(to)
}

#[inline(always)]
pub fn recv(buf: &BufferTriple, from: Envelope, comm: Comm) -> MpiResult<Status> {
    let sink = argument::sink_of_message("buf", buf)?;
    let n = room(sink.source(), from.peer);
    let items = items(sink.source(), n)?;
    let mut arrival = Arrival::default();
    arrival.expect(sink, from, || communicator::of(comm))?;
    let mut data = arrival.room(n).inspect_err(|_| arrival.refuse())?;
    let received = message::receive(comm, arrival.place(&mut data), &items, from);
    arrival.end(data.as_slice(), received)
}

pub fn mrecv(buf: &BufferTriple, message: &mut Message<'_>) -> MpiResult<Status> {
    let sink = argument::sink_of_message("buf", buf)?;
    let items = items(sink.source(), sink.source().words())?;
    let mut arrival = Arrival::claim(sink, message)?;
    let mut data = arrival.room(items.len()).inspect_err(|_| arrival.refuse())?;
    let received = message.receive(arrival.place(&mut data), &items);
    arrival.end(data.as_slice(), received)
}

/// Lets `transfer` send from where the values lie, or from room that it has for them; tells the items.
#[inline(always)]
fn lay_out(
    source: &mut SendBuffer,
    n: usize,
    ready: impl FnOnce(&SendBuffer, usize) -> Option<Doubles>,
    transfer: &mut Transfer,
) -> MpiResult<Doubles> {
    match ready(source, n) {
        Some(items) if source.hold() => {
            source.lend_to(transfer);
            Ok(items)
        }
        _ => {
            transfer.room(n);
            items(source, n)
        }
    }
}

/// The same for a receive.
#[inline(always)]
fn lay_out_room(sink: &mut RecvBuffer, n: usize, transfer: &mut Transfer) -> MpiResult<Doubles> {
    if sink.is_direct() {
        sink.lend_to(transfer);
    } else {
        transfer.room(n);
    }
    items(sink.source(), n)
}

/// Starts a send in `transfer`, which is idle.
#[inline(always)]
pub fn isend(
    buf: &BufferTriple,
    to: Envelope,
    comm: Comm,
    mode: &Mode,
    transfer: &mut Transfer,
) -> MpiResult<()> {
    let mut source = argument::source_of_message("buf", buf)?;
    let n = room(&source, to.peer);
    let items = lay_out(&mut source, n, ready, transfer)?;
    let mut outgoing = Outgoing::NOTHING;
    outgoing.prepare(&source, to, || communicator::of(comm), transfer.room_again())?;
    transfer.send(comm, &items, to, mode)?;
    source.hold_by(transfer);
    outgoing.record(to)
}

/// Starts a receive in `transfer`, which is idle. Its completion will need `arrival`.
#[inline(always)]
pub fn irecv(
    buf: &BufferTriple,
    from: Envelope,
    comm: Comm,
    transfer: &mut Transfer,
    arrival: &mut Arrival,
) -> MpiResult<()> {
    irecv_into(argument::sink_of_message("buf", buf)?, from, comm, transfer, arrival)
}

#[inline(always)]
pub(super) fn irecv_into(
    mut sink: RecvBuffer,
    from: Envelope,
    comm: Comm,
    transfer: &mut Transfer,
    arrival: &mut Arrival,
) -> MpiResult<()> {
    let n = room(sink.source(), from.peer);
    if n > 0 {
        sink.lend(false)?;
    }
    let items = lay_out_room(&mut sink, n, transfer)?;
    arrival.expect(sink, from, || communicator::of(comm))?;
    transfer.receive(comm, &items, from).inspect_err(|_| arrival.refuse())
}

/// As `irecv` of a message that a probe has matched.
pub fn imrecv(
    buf: &BufferTriple,
    message: &mut Message<'_>,
    transfer: &mut Transfer,
) -> MpiResult<Arrival> {
    let mut sink = argument::sink_of_message("buf", buf)?;
    let n = sink.source().words();
    sink.lend(false)?;
    let items = lay_out_room(&mut sink, n, transfer)?;
    let mut arrival = Arrival::claim(sink, message)?;
    transfer.receive_matched(message, &items).inspect_err(|_| arrival.refuse())?;
    Ok(arrival)
}

/// Where the messages of a persistent request go. The user may have freed the communicator when it starts.
#[derive(Debug)]
pub struct Route {
    pub comm: Comm,
    pub with: Envelope,
    /// Where their adjoints go; none on a communicator that the library does not know.
    pub private: Option<&'static AdjointComm>,
    /// Lives as long as the request.
    pub claim: Option<Claim>,
}

impl Route {
    pub fn new(comm: Comm, with: Envelope) -> Self {
        let claim = Claim::on(comm);
        Self { comm, with, private: claim.as_ref().map(Claim::private), claim }
    }

    fn find(&self) -> MpiResult<&'static AdjointComm> {
        self.private.ok_or_else(communicator::unknown)
    }
}

/// What a persistent request does whenever it is started.
#[derive(Debug)]
pub struct Again {
    what: What,
    route: Route,
}

#[derive(Debug)]
enum What {
    Send(SendBuffer),
    Receive(RecvBuffer),
}

impl Again {
    /// Starts a request that rests. A receive's completion will need `arrival`; tells whether it is one.
    pub fn start(&self, transfer: &mut Transfer, arrival: &mut Arrival) -> MpiResult<bool> {
        let with = self.route.with;
        let find_comm = || self.route.find();
        match &self.what {
            What::Send(source) => {
                let anew = looked_at(source)?;
                let source = anew.as_ref().unwrap_or(source);
                let mut outgoing = Outgoing::NOTHING;
                outgoing.prepare(source, with, find_comm, transfer.room_again())?;
                transfer.start()?;
                outgoing.record(with)?;
                Ok(false)
            }
            What::Receive(sink) => {
                arrival.expect(sink.clone(), with, find_comm)?;
                transfer.start().inspect_err(|_| arrival.refuse())?;
                Ok(true)
            }
        }
    }

    /// Starts a send on a thread that is not the tape's, which is to be told of it by `record_late`.
    pub fn start_elsewhere(&self, transfer: &mut Transfer) -> MpiResult<()> {
        if let (What::Send(source), Some(data)) = (&self.what, transfer.room_again()) {
            looked_at(source)?.as_ref().unwrap_or(source).pack(data);
        }
        transfer.start()
    }

    /// Records a send that `start_elsewhere` has started, and that is not complete: the buffer holds what was sent.
    pub fn record_late(&self, tape: &mut Tape) -> MpiResult<()> {
        let (What::Send(source), to) = (&self.what, self.route.with) else { return Ok(()) };
        if to.peer == constants().proc_null || source.is_empty() {
            return Ok(());
        }
        let anew = looked_at(source)?;
        let source = anew.as_ref().unwrap_or(source);
        statistics::sent_forward(source.len());
        let (private, ids) = (self.route.find()?, ids(tape, source, source.shape())?);
        tape.record(0, |_, _| Sent { private, to, ids })?;
        Ok(())
    }
}

/// What a buffer is at a start, where it may have become another one.
#[inline]
fn looked_at(source: &SendBuffer) -> MpiResult<Option<SendBuffer>> {
    if source.is_plain() { Ok(None) } else { source.looked_at_anew() }
}

/// Makes a persistent send of `transfer`, which is idle.
pub fn send_init(
    buf: &BufferTriple,
    route: Route,
    mode: &Mode,
    transfer: &mut Transfer,
) -> MpiResult<Again> {
    require_installed()?;
    let mut source = argument::source_of_message("buf", buf)?;
    let n = room(&source, route.with.peer);
    let items = lay_out(&mut source, n, ready_again, transfer)?;
    transfer.send_init(route.comm, &items, route.with, mode)?;
    Ok(Again { what: What::Send(source), route })
}

/// Makes a persistent receive of `transfer`, which is idle.
pub fn recv_init(buf: &BufferTriple, route: Route, transfer: &mut Transfer) -> MpiResult<Again> {
    require_installed()?;
    let mut sink = argument::sink_of_message("buf", buf)?;
    let n = room(sink.source(), route.with.peer);
    let items = lay_out_room(&mut sink, n, transfer)?;
    transfer.receive_init(route.comm, &items, route.with)?;
    Ok(Again { what: What::Receive(sink), route })
}
