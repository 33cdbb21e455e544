//! The adjoints of a sweep on their way: what a tape keeps of them between events and between sweeps.

use super::channel::{AT_ONCE, Channel, Closed, Held, Order, Window};
use super::hash::Table;
use super::late::{self, leave_to_mpi};
use super::queues::{AdjointMessage, SendQueues, in_a_piece, pieces, test};
use super::stamp::Stamp;
use super::wire::{doubles, failed};
use super::{AdjointComm, check};
use crate::error::{Code, Error, Result};
use crate::mpi::error::is_truncation;
use crate::mpi::message::{self, Envelope};
use crate::mpi::{
    Comm, Doubles, Failure, MpiResult, Operation, Payload, Serial, Staging, Status, is_live,
};
use crate::tape::{self, Companion, Event, Position, Sweep, Tape};
use std::collections::VecDeque;
use std::ffi::c_int;

/// The operations that carry the adjoints of one collective; which ones there are is the call's own affair. Boxed but
/// for the first, which is mostly the only one: what comes home is handed on several times.
#[derive(Debug, Default)]
pub struct PendingAdjoint {
    pub main: Option<Operation>,
    /// What the ranks below bring.
    pub below: Option<Box<Operation>>,
    /// What the ranks above bring.
    pub above: Option<Box<Operation>>,
    /// What stays here for what comes home.
    pub kept: Staging,
    /// If the adjoints travel over the edges: their tag.
    pub tag: Option<c_int>,
    /// Else what they are stamped with.
    pub stamp: Stamp,
}

impl PendingAdjoint {
    pub fn of(main: Operation) -> Self {
        Self { main: Some(main), ..Self::default() }
    }

    pub fn operations(self) -> impl Iterator<Item = Operation> {
        let others = [self.below, self.above].into_iter().flatten().map(|other| *other);
        self.main.into_iter().chain(others)
    }
}

/// The adjoint of a collective whose turn has not come: starts it.
pub type Departure = Box<dyn FnOnce(&mut Sweep<'_>) -> Result<()> + Send>;

/// What a sweep has under way.
#[derive(Default)]
struct InFlight {
    send_queues: SendQueues,
    held: Held<AdjointMessage>,
    /// Collectives that must not start yet.
    departures: Held<Departure>,
    /// Those that have started, by the event at which they are finished.
    open: Table<u32, PendingAdjoint>,
    /// Contributions to collectives whose result others need.
    contributions: VecDeque<Operation>,
    target: Position,
    /// The event at which the tape or nest begins.
    base: u32,
}

impl InFlight {
    /// Operations that have not been seen to be complete.
    fn operations(&mut self) -> impl Iterator<Item = Operation> + '_ {
        let sends = self.send_queues.drain();
        let open = self.open.drain().flat_map(|(_, pending)| pending.operations());
        sends.chain(self.contributions.drain(..)).chain(open)
    }

    /// Whether something waits for events further down.
    fn waits(&self) -> bool {
        !self.held.is_empty() || !self.departures.is_empty() || !self.open.is_empty()
    }

    /// Forgets what waits for events further down. What has started is left to MPI.
    fn forget(&mut self) {
        self.held.clear();
        self.departures.clear();
        leave_to_mpi(self.open.drain().flat_map(|(_, pending)| pending.operations()));
    }
}

/// What a tape keeps of its adjoint traffic, between events and between sweeps.
#[derive(Default)]
pub struct Traffic {
    /// For receives that complete later, while recording.
    pub order: Order,
    /// For collectives that complete later.
    pub collectives: Order,
    /// The events at which the collectives of each private communicator were started.
    started: Vec<Vec<u32>>,
    /// Memory of the last small message, for the next one.
    spare: Staging,
    in_flight: InFlight,
    sweeping: bool,
    /// What the sweeps have under way that wait for a callback which sweeps a nest of its own, outermost first. A nest
    /// waits for its own adjoints only: the others may go through after the callback, not before.
    interrupted: Vec<InFlight>,
    /// Where the next sweep must begin, if adjoints wait for it.
    resume: Option<Position>,
    /// What that was when the last sweep began.
    resumed: Option<Position>,
}

impl Drop for Traffic {
    fn drop(&mut self) {
        if is_live() {
            for one in self.interrupted.iter_mut().chain([&mut self.in_flight]) {
                leave_to_mpi(one.operations());
            }
        }
    }
}

#[cold]
fn not_received(failure: Failure, rank: c_int) -> Error {
    failure.into_error(format_args!("receiving adjoints from rank {rank}"))
}

/// The length of a message that did not go into its room.
const MORE: usize = usize::MAX;

#[cold]
fn not_as_many(
    private: &AdjointComm,
    received: Option<usize>,
    n: usize,
    width: usize,
    from: Envelope,
) -> Error {
    let received = match received {
        None => "a part of the".to_owned(),
        // A whole piece, where the last was to come: others may follow.
        Some(MORE) => format!("more than {}", n * width),
        Some(more) if more > n * width => format!("at least {more}"),
        Some(received) => received.to_string(),
    };
    let (peer, tag) = (private.users_rank(from.peer), from.tag);
    Error::new(
        Code::Mismatch,
        format!(
            "rank {peer} returned {received} adjoints for {n} values in {width} directions (tag {tag}): both ends must record a message, or neither"
        ),
    )
}

/// The completion of a receive or of a collective, which takes its turn in a sweep.
pub struct Completion<'a> {
    pub channel: Channel,
    pub post: u64,
    pub closed: Closed,
    pub window: &'a Serial<Window>,
    /// Where such completions are booked.
    pub book: fn(&mut Traffic) -> &mut Order,
}

impl Completion<'_> {
    /// Records it. `event` is told the first id of its `outputs` and the event that its adjoint waits for.
    #[inline(always)]
    pub fn record<E: Event>(
        self,
        tape: &mut Tape,
        outputs: usize,
        event: impl FnOnce(u32, u32) -> E,
    ) -> Result<u32> {
        // In a program that completes in order nothing is ever remembered.
        if self.closed.is_in_order() {
            return tape.record(outputs, |first, _| event(first, AT_ONCE));
        }
        self.record_in_turn(tape, outputs, event)
    }

    #[inline(never)]
    fn record_in_turn<E: Event>(
        self,
        tape: &mut Tape,
        outputs: usize,
        event: impl FnOnce(u32, u32) -> E,
    ) -> Result<u32> {
        let Self { channel, post, closed, window, book } = self;
        let release =
            if closed.remembered { book(tape.companion()).release(channel, post) } else { AT_ONCE };
        let mut place = 0;
        let first = tape.record(outputs, |first, index| {
            place = index;
            event(first, release)
        })?;
        if closed.older {
            let order = book(tape.companion());
            window.with(|window| order.remember(channel, post, place, window));
        } else if closed.settled {
            book(tape.companion()).settle(channel.private);
        }
        Ok(first)
    }
}

impl Traffic {
    /// Memory for `n` doubles of a message.
    #[inline(always)]
    pub fn memory(&mut self, n: usize) -> Staging {
        let mut memory = std::mem::take(&mut self.spare);
        memory.reshape(n);
        memory
    }

    /// Gives memory back.
    #[inline]
    pub fn keep(&mut self, mut memory: Staging) {
        memory.shrink();
        self.spare = memory;
    }

    /// The adjoint of a receive, or a piece of it: sent now, or once those posted later on its channel have left.
    #[inline(always)]
    pub fn deliver(
        &mut self,
        post: u64,
        release: u32,
        event: u32,
        message: AdjointMessage,
    ) -> Result<()> {
        if release == AT_ONCE && self.in_flight.held.is_empty() {
            return self.send(message);
        }
        let channel =
            Channel { private: message.private.index, peer: message.peer, tag: message.tag };
        let ends = message.n < in_a_piece(message.width);
        self.in_flight.held.hold(channel, post, release, message);
        while ends && let Some(mut message) = self.in_flight.held.next(channel, event) {
            self.in_flight.send_queues.send(&mut message)?;
        }
        Ok(())
    }

    /// Sends behind all that was sent to the peer before.
    #[inline]
    pub fn send(&mut self, mut message: AdjointMessage) -> Result<()> {
        self.in_flight.send_queues.send(&mut message)?;
        if let Payload::Own(data) = message.data
            && !data.is_empty()
        {
            self.keep(data);
        }
        Ok(())
    }

    /// The adjoint of a send: waits for `n` values of `width` directions, piece by piece. `each` is told how many came before.
    pub fn receive(
        &mut self,
        route: (&AdjointComm, u32),
        from: Envelope,
        n: usize,
        width: usize,
        mut each: impl FnMut(usize, &[f64]),
    ) -> Result<()> {
        let mut room = self.memory(n.min(in_a_piece(width)) * width);
        for piece in pieces(n, width) {
            let (before, wanted) = (piece.start * width, piece.len() * width);
            let received = self.receive_message(route, from, room.as_mut_slice())?;
            if received != Some(wanted) {
                let received = received.map(|received| before + received);
                return Err(not_as_many(route.0, received, n, width, from));
            }
            check::adjoint_taken(route.0, route.1, from.peer);
            each(piece.start, &room.as_slice()[..wanted]);
        }
        self.keep(room);
        Ok(())
    }

    /// As `receive` of less than a piece, for which `room` is made.
    pub fn receive_short(
        &mut self,
        route: (&AdjointComm, u32),
        from: Envelope,
        n: usize,
        width: usize,
        room: &mut [f64],
    ) -> Result<()> {
        match self.receive_message(route, from, room)? {
            Some(received) if received == room.len() => {
                check::adjoint_taken(route.0, route.1, from.peer);
                Ok(())
            }
            received => Err(not_as_many(route.0, received, n, width, from)),
        }
    }

    /// Waits for a message, and tells how many adjoints it brings, unless a part of one. `MORE` if they are more than there is
    /// room for.
    #[inline(always)]
    fn receive_message(
        &mut self,
        (private, depth): (&AdjointComm, u32),
        from: Envelope,
        room: &mut [f64],
    ) -> Result<Option<usize>> {
        let comm = private.comm(depth)?;
        let failed = |failure| not_received(failure, private.users_rank(from.peer));
        let items = doubles(room.len()).map_err(failed)?;
        let received = if self.in_flight.send_queues.has_no_queue() {
            message::receive(comm, &mut *room, &items, from)
        } else {
            self.receive_while_sending(comm, room, &items, from)?
        };
        match received.and_then(|status| status.doubles()) {
            Err(failure) if is_truncation(failure.code()) => Ok(Some(MORE)),
            received => received.map_err(failed),
        }
    }

    #[cold]
    fn receive_while_sending(
        &mut self,
        comm: Comm,
        room: &mut [f64],
        items: &Doubles,
        from: Envelope,
    ) -> Result<MpiResult<Status>> {
        let begun = Operation::receive(comm, Staging::take(room.len()), items, from);
        let mut operation = match begun {
            Ok(operation) => operation,
            Err(failure) => return Ok(Err(failure)),
        };
        loop {
            match operation.test_status() {
                Ok(None) => {}
                Ok(Some(status)) => {
                    room.copy_from_slice(operation.into_received().as_slice());
                    return Ok(Ok(status));
                }
                Err(failure) => return Ok(Err(failure)),
            }
            self.in_flight.send_queues.pump()?;
            std::thread::yield_now();
        }
    }

    /// A collective starts at `event`: how many the tape has on record before it.
    pub fn number(&mut self, private: &AdjointComm, event: u32) -> u32 {
        if self.started.len() <= private.index {
            self.started.resize_with(private.index + 1, Vec::new);
        }
        let started = &mut self.started[private.index];
        started.push(event);
        u32::try_from(started.len() - 1).unwrap_or(u32::MAX)
    }

    /// The same number counted from where the tape or nest that is swept begins: below, members may differ.
    pub fn number_from_base(&self, private: &AdjointComm, number: u32) -> u32 {
        let base = self.in_flight.base;
        if base == 0 {
            return number;
        }
        let below = self.started[private.index].partition_point(|&event| event < base);
        number.wrapping_sub(u32::try_from(below).unwrap_or(u32::MAX))
    }

    /// Whether a collective may start at once, as far as others are held back.
    pub fn may_depart(&self) -> bool {
        self.in_flight.departures.is_empty()
    }

    /// Holds a collective back until event `release` and those posted later have passed.
    pub fn hold(&mut self, channel: Channel, post: u64, release: u32, departure: Departure) {
        self.in_flight.departures.hold(channel, post, release, departure);
    }

    /// The next collective that may start now that `event` is being passed.
    pub fn next_departure(&mut self, channel: Channel, event: u32) -> Option<Departure> {
        self.in_flight.departures.next(channel, event)
    }

    /// A collective has started that is finished at `event`.
    pub fn open(&mut self, event: u32, pending: PendingAdjoint) {
        self.in_flight.open.insert(event, pending);
    }

    /// What was started for `event`, if its completion was swept.
    pub fn finish_open(&mut self, event: u32) -> Option<PendingAdjoint> {
        self.in_flight.open.remove(&event)
    }

    /// Hands over a contribution that others wait for.
    pub fn contribute(&mut self, operation: Operation) -> Result<()> {
        while let Some(oldest) = self.in_flight.contributions.front_mut() {
            if !test(oldest)? {
                break;
            }
            self.in_flight.contributions.pop_front();
        }
        self.in_flight.contributions.push_back(operation);
        Ok(())
    }

    /// Waits for an operation while the queue moves, where MPI might raise its error on the user's communicator: what
    /// arrives is an error before.
    pub fn look(
        &mut self,
        operation: &Operation,
        fits: impl FnOnce(&[f64]) -> Result<()>,
    ) -> Result<()> {
        loop {
            if let Some(arrived) = operation.over().map_err(failed)? {
                return fits(arrived);
            }
            if !self.in_flight.send_queues.has_no_queue() {
                self.in_flight.send_queues.pump()?;
                std::thread::yield_now();
            }
        }
    }

    /// Waits for an operation while the queue moves.
    pub fn wait(&mut self, mut operation: Operation) -> Result<Staging> {
        if self.in_flight.send_queues.has_no_queue() {
            operation.wait().map_err(failed)?;
        } else {
            while !operation.test().map_err(failed)? {
                self.in_flight.send_queues.pump()?;
                std::thread::yield_now();
            }
        }
        Ok(operation.into_received())
    }

    /// Before a call that blocks until others come to it, who may need what is queued to do so.
    #[inline]
    pub fn make_way(&mut self) -> Result<()> {
        if self.in_flight.send_queues.has_no_queue() {
            Ok(())
        } else {
            self.in_flight.send_queues.empty_queue()
        }
    }

    /// Before a wait that does not move the queue.
    pub fn start_queued(&mut self) -> Result<()> {
        self.in_flight.send_queues.start_all()
    }

    fn flush(&mut self) -> Result<()> {
        self.in_flight.send_queues.flush()?;
        while let Some(operation) = self.in_flight.contributions.pop_front() {
            self.wait(operation)?;
        }
        Ok(())
    }

    /// Forgets what was held back, and moves what is under way. Tells whether all sends to members of `private` have
    /// left. In a callback the sweep outside goes on: what it has under way stays, and what it sends may wait for that.
    pub fn give_up(&mut self, private: &AdjointComm) -> Result<bool> {
        if self.sweeping && tape::depth() > 0 {
            return Ok(true);
        }
        self.in_flight.forget();
        self.resume = None;
        self.in_flight.send_queues.advance()?;
        Ok(self.in_flight.send_queues.has_sent_all(private))
    }

    /// Collectives that some have not started never end.
    pub fn leave_contributions(&mut self) {
        leave_to_mpi(self.in_flight.contributions.drain(..));
    }
}

/// The same place, whatever the tags of the values made from it on.
fn same_place(a: &Position, b: &Position) -> bool {
    (a.event, a.id, a.statement, a.argument) == (b.event, b.id, b.statement, b.argument)
}

impl Companion for Traffic {
    fn begin(
        &mut self,
        from: &Position,
        to: &Position,
        base: &Position,
        _whole: bool,
        _seeded: bool,
    ) -> Result<()> {
        if self.sweeping {
            self.interrupted.push(std::mem::take(&mut self.in_flight));
        } else if let Some(resume) = &self.resume
            && !same_place(resume, from)
        {
            return Err(Error::new(
                Code::Range,
                format!(
                    "from (event {}) is not where the last sweep ended (event {}): adjoints of messages that cross that place wait; continue from there, or call admpi_tape_abandon_sweep on all ranks",
                    from.event, resume.event
                ),
            ));
        }
        self.resumed = self.resume.take();
        self.sweeping = true;
        self.in_flight.target = *to;
        self.in_flight.base = base.event;
        Ok(())
    }

    /// Where the way was to end and its nest began counts from the next beginning on only.
    fn withdraw(&mut self) {
        match self.interrupted.pop() {
            Some(outer) => self.in_flight = outer,
            None => self.sweeping = false,
        }
        self.resume = self.resumed.take();
    }

    fn pause(&mut self) -> Result<()> {
        self.start_queued()
    }

    fn end(&mut self, bottom: bool) -> Result<()> {
        let ended = self.finish(bottom);
        let Some(outer) = self.interrupted.pop() else {
            self.sweeping = false;
            return ended;
        };
        let mut inner = std::mem::replace(&mut self.in_flight, outer);
        let waits = inner.waits();
        self.in_flight.contributions.extend(inner.operations());
        self.resume = None;
        ended?;
        if !waits {
            return Ok(());
        }
        Err(Error::new(
            Code::Range,
            "a callback swept part of a nest, and adjoints wait for the rest: sweep the nest as a whole",
        ))
    }

    fn may_end(&self, call: &str, event: u32) -> Result<()> {
        if is_live() {
            late::release_orphans();
        }
        match self.resume {
            Some(place) if place.event > event => Err(Error::new(
                Code::Range,
                format!(
                    "{call}: adjoints of messages that cross the place where the last sweep ended (event {}) wait; continue from there, or call admpi_tape_abandon_sweep on all ranks",
                    place.event
                ),
            )),
            _ => Ok(()),
        }
    }

    fn forget(&mut self, &Position { event, .. }: &Position) {
        self.order.cut(event);
        self.collectives.cut(event);
        for started in &mut self.started {
            started.truncate(started.partition_point(|&start| start < event));
        }
    }
}

impl Traffic {
    /// At the end of a sweep, or of a part of one.
    fn finish(&mut self, bottom: bool) -> Result<()> {
        if !bottom {
            self.resume = self.in_flight.waits().then_some(self.in_flight.target);
            return self.start_queued();
        }
        if self.in_flight.waits() {
            self.in_flight.forget();
            return Err(Error::new(
                Code::Range,
                "adjoints of receives or collectives that started before this nest wait for others outside it; complete requests in the nest that started them",
            ));
        }
        self.flush()
    }
}

/// The adjoints of what was sent: waits for `n` values of `width` directions and gives them to `each`, piece by piece, which is
/// told how many came before.
#[inline]
pub fn receive_adjoints(
    sweep: &mut Sweep<'_>,
    route: (&AdjointComm, u32),
    from: Envelope,
    n: usize,
    width: usize,
    mut each: impl FnMut(usize, &[f64], &mut Sweep<'_>),
) -> Result<()> {
    if n >= in_a_piece(width) {
        return with_traffic(sweep, |traffic, sweep| {
            traffic.receive(route, from, n, width, |before, piece| each(before, piece, sweep))
        });
    }
    let traffic = sweep.companion::<Traffic>();
    let mut room = traffic.memory(n * width);
    traffic.receive_short(route, from, n, width, room.as_mut_slice())?;
    each(0, room.as_slice(), sweep);
    sweep.companion::<Traffic>().keep(room);
    Ok(())
}

/// Runs `f` with the tape's traffic taken out, so that it may wait beside the sweep.
pub fn with_traffic<R>(
    sweep: &mut Sweep<'_>,
    f: impl FnOnce(&mut Traffic, &mut Sweep<'_>) -> Result<R>,
) -> Result<R> {
    let mut traffic = sweep.detach::<Traffic>();
    let done = f(&mut traffic, sweep);
    sweep.attach(traffic);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(event: u32) -> Position {
        Position { event, ..Position::default() }
    }

    #[test]
    fn test_traffic_withdrawn_sweep_leaves_no_trace() {
        let (here, below, base) = (place(9), place(4), place(2));
        let mut traffic = Traffic::default();
        traffic.resume = Some(here);
        traffic.begin(&here, &below, &base, false, true).unwrap();
        assert!(traffic.sweeping && traffic.resume.is_none());

        let (inner, outer) = (place(20), traffic.in_flight.base);
        traffic.begin(&inner, &here, &here, false, true).unwrap();
        assert_eq!((traffic.interrupted.len(), traffic.in_flight.base), (1, here.event));
        traffic.withdraw();
        assert_eq!((traffic.interrupted.len(), traffic.in_flight.base), (0, outer));
        assert!(traffic.sweeping && traffic.resume.is_none());

        let mut traffic = Traffic::default();
        traffic.resume = Some(here);
        traffic.begin(&here, &below, &base, false, true).unwrap();
        traffic.withdraw();
        assert!(!traffic.sweeping && traffic.resume == Some(here));
    }
}
