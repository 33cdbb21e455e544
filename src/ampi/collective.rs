//! Collectives: how they are recorded and reversed, whatever they move and whether or not they block.
//!
//! A call is a rule, which knows what is taken, sent and added on the way back. It has two halves, its start
//! and its completion; a blocking call has both at one place of the tape. A sweep meets the completion first:
//! there the adjoints of what was written are taken and set off, unless a collective that was started later on
//! the same communicator has to set off before. Where the sweep meets the start, what has come home is added.
//! All ranks start the collectives of a communicator in one order, so they set off in one order, the reverse.
//! Ranks that only contribute to a result hand their part over and go on.
//!
//! A call that does not make its members wait for each other may be passed by some long before others come to it,
//! and where that decided what they did next, a collective of adjoints could wait for ever. In a program that polls
//! its adjoints travel point to point instead, over the edges by which the values went: each member sends at its
//! completion and receives at its start, in no order with other calls. So do those of a blocking call among few ranks,
//! because that is faster.

use super::channel::{AT_ONCE, Channel, Closed, Window};
use super::check::{self, Portions, Posted};
use super::counts::StoredCounts;
use super::peer_exchange::{Edges, IN_ORDER, Way, few, polling};
use super::recording::{on_tape, state};
use super::request::Pending;
use super::stamp::{self, Call, Stamp};
use super::target::Target;
use super::traffic::{Completion, PendingAdjoint, Traffic, with_traffic};
use super::{AdjointComm, communicator, statistics};
use crate::count::narrow32;
use crate::datatype::Mark;
use crate::error::{Code, Error, Result};
use crate::mpi::transfer::Transfer;
use crate::mpi::{CallForm, Comm, Failure, MpiResult, Operation, Reach, Staging};
use crate::tape::{self, Dependence, Event, Ids, Position, Seen, Sweep, Tape};
use std::ffi::c_int;

/// Whether a call makes its members wait for each other, by what they receive. All members must say the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// No member completes the call before all have started it.
    Together,
    /// The same; and the data are so long that among few ranks they cost less over the edges.
    TogetherAndLong,
    /// Some may.
    Apart,
    /// Some may; and more data would go over the edges than by a collective.
    ApartAndHeavy,
}

impl Members {
    pub const fn together_if(all_wait: bool) -> Self {
        if all_wait { Self::Together } else { Self::Apart }
    }
}

/// How adjoints travel.
#[derive(Clone, Copy)]
enum Back {
    /// By a collective of this form: where no member completes the call before all have started it, it may block if the
    /// call does. That costs MPI less, and nothing holds it back.
    Collective(CallForm),
    /// Over the edges: `IN_ORDER`, or under a tag of the call's own. None where that is yet to be counted.
    Edges(Option<c_int>),
}

/// What a collective is recorded on: the tape, and where its adjoint travels. None if nothing is recorded.
pub struct Recording {
    serial: u64,
    private: &'static AdjointComm,
    back: Back,
}

impl Recording {
    /// A blocking call may enter its communicator, since all members are in it; one that only starts may not
    /// wait for them.
    pub fn set(
        comm: Comm,
        call_form: CallForm,
        members: impl FnOnce() -> Members,
    ) -> MpiResult<Option<Self>> {
        if tape::checking() && state().is_none() {
            check::started(communicator::lookup(comm), None).completed();
        }
        match (state(), call_form) {
            (Some(serial), CallForm::Blocking) => {
                let private = communicator::of_collective(comm)?;
                Ok(Some(Self::on(serial, private, call_form, members())))
            }
            _ => Self::apart(comm, members),
        }
    }

    /// As `set` of a call that only starts and that some members cannot know to be active.
    pub fn apart(comm: Comm, members: impl FnOnce() -> Members) -> MpiResult<Option<Self>> {
        communicator::refuse_inter(comm)?;
        let Some(serial) = state() else { return Ok(None) };
        let private = communicator::of(comm)?;
        Ok(Some(Self::on(serial, private, CallForm::Nonblocking, members())))
    }

    fn on(
        serial: u64,
        private: &'static AdjointComm,
        call_form: CallForm,
        members: Members,
    ) -> Self {
        let blocks = call_form == CallForm::Blocking;
        let among_few = blocks && few(private.size);
        let by_edges = Back::Edges(blocks.then_some(IN_ORDER));
        let back = match members {
            Members::TogetherAndLong if among_few => by_edges,
            Members::Together | Members::TogetherAndLong => Back::Collective(call_form),
            Members::Apart if among_few => by_edges,
            _ if polling() => by_edges,
            _ => Back::Collective(CallForm::Nonblocking),
        };
        Self { serial, private, back }
    }

    /// As `set` on an intercommunicator, whose calls are reversed over their edges; under `tag` if they have been counted, as also
    /// members do who do not record them.
    pub fn across(comm: Comm, tag: Option<c_int>) -> MpiResult<Option<Self>> {
        let Some(serial) = state() else { return Ok(None) };
        let private = communicator::of(comm)?;
        Ok(Some(Self { serial, private, back: Back::Edges(tag) }))
    }

    /// Whether the adjoints travel over the edges.
    pub const fn by_edges(&self) -> bool {
        !matches!(self.back, Back::Collective(_))
    }
}

/// Names the call whose adjoint has failed.
#[cold]
fn of_call(name: &str, Error { code, message }: Error) -> Error {
    Error::new(code, format!("the adjoint of {name}: {message}"))
}

/// Ids of consecutive outputs; none where a call wrote nothing.
#[derive(Debug, Clone, Copy)]
pub struct Outputs {
    first: u32,
    n: u32,
}

impl Outputs {
    pub const fn count(self) -> usize {
        crate::count::wide32(self.n)
    }

    /// `n` of them, from the `at`th on.
    fn part(self, at: usize, n: usize) -> Self {
        assert!(at + n <= self.count(), "outputs of the call");
        Self { first: self.first + narrow32(at), n: narrow32(n) }
    }

    /// Moves the adjoints to the beginning of `data`.
    pub fn take_into(self, sweep: &mut Sweep<'_>, data: &mut [f64]) {
        let n = self.count() * sweep.width();
        sweep.take(self.first, self.count(), &mut data[..n]);
    }

    /// The adjoints, taken, behind `lead` elements of room.
    pub fn take(self, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        let width = sweep.width();
        let mut data = Staging::take((lead + self.count()) * width);
        self.take_into(sweep, &mut data.as_mut_slice()[lead * width..]);
        data
    }

    /// The same, with room before the part of each of `ranks`.
    pub fn take_parts(
        self,
        counts: &StoredCounts,
        ranks: usize,
        lead: usize,
        sweep: &mut Sweep<'_>,
    ) -> Staging {
        if lead == 0 {
            return self.take(0, sweep);
        }
        let width = sweep.width();
        let mut data = Staging::take((lead * ranks + self.count()) * width);
        let (mut rest, mut at) = (data.as_mut_slice(), 0);
        for rank in 0..ranks {
            let n = counts.read(sweep).of(rank);
            let (part, others) = rest.split_at_mut((lead + n) * width);
            self.part(at, n).take_into(sweep, &mut part[lead * width..]);
            (rest, at) = (others, at + n);
        }
        data
    }
}

/// A call's adjoint.
pub trait AdjointRule: Copy + Send + 'static {
    const NAME: &'static str;
    const REACH: Reach = Reach::All;

    fn private(&self) -> &'static AdjointComm;

    /// What its adjoints are stamped as; None if some members may not have it on record.
    fn call(&self) -> Option<Call>;

    /// What all members must have alike: root, operation, count; -1 where it may differ. None of a call that some
    /// of them cannot know to be active.
    fn signature(&self) -> Option<[i64; 3]>;

    /// What this rank exchanges with each of the others, where that differs from rank to rank.
    fn portions(&self, tape: &Tape, portions: &mut Portions);

    /// Keeps what the way back needs of the packed values that this rank sent and received.
    fn save_for_reverse(&self, tape: &mut Tape, sent: &[f64], received: &[f64]);

    /// Takes the outputs' adjoints: what this rank sends home, each message behind `lead` elements of room: one for the
    /// stamp of what departs.
    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging;

    /// Sets them off. Waits for other ranks only if `call_form` is blocking.
    fn start_reverse(
        &self,
        taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint>;

    /// Adds what has come home to the adjoints of what was read.
    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()>;

    /// Whether adjoints are multiplied on their way, so that names do not come through.
    fn has_factors(&self) -> bool {
        false
    }

    /// What this rank read.
    fn operands(&self) -> Option<&Ids>;

    /// Whose values this rank received, and where they are in what it takes.
    fn sources(&self, sweep: &Sweep<'_>) -> Edges;

    /// Who received values of this rank, and where they are in what it read.
    fn destinations(&self, sweep: &Sweep<'_>) -> Edges;

    /// Whether each output came from one member, so that over the edges its adjoint is taken as it leaves.
    fn is_parted(&self) -> bool {
        false
    }

    /// As `start_reverse`, over the edges. Returns what stays here for `receive`.
    fn send(&self, taken: Staging, way: Way, sweep: &mut Sweep<'_>) -> Result<Staging> {
        self.sources(sweep).keeping_own().send(way, &taken, sweep.width(), sweep)
    }

    /// As `accumulate`, over the edges.
    fn receive(&self, kept: Staging, way: Way, sweep: &mut Sweep<'_>) -> Result<()> {
        let Some(ids) = self.operands() else { return Ok(()) };
        self.destinations(sweep).keeping_own().collect(way, &kept, ids, sweep)
    }
}

/// How the adjoints of a call travel.
#[derive(Clone, Copy)]
enum Route {
    /// By a collective, which has its place in the order of the communicator, an event that must have been
    /// passed before it, a number among those on record, and its form.
    Collective { post: u64, release: u32, number: u32, call_form: CallForm },
    /// Over the edges, under a tag; with a number if that is `IN_ORDER`.
    Edges { tag: c_int, number: u32 },
}

/// Takes, and sends over the edges. Returns the way, and what stays.
fn send_off<R: AdjointRule>(
    rule: R,
    outputs: Outputs,
    route: Route,
    tag: c_int,
    sweep: &mut Sweep<'_>,
) -> Result<(Way, Staging)> {
    let way = Way { private: rule.private(), tag, stamp: stamp_of(&rule, route, sweep) };
    if rule.is_parted() {
        let width = sweep.width();
        statistics::sent_back(outputs.count() * width);
        let edges = rule.sources(sweep).keeping_own();
        let kept = edges.send_parts(way, width, sweep, |at, out, sweep| {
            outputs.part(at, out.len() / width).take_into(sweep, out);
        })?;
        return Ok((way, kept));
    }
    let taken = rule.take_outputs(outputs, 0, sweep);
    statistics::sent_back(taken.len());
    Ok((way, rule.send(taken, way, sweep)?))
}

/// Takes and sets off now, or once those started later have.
fn leave<R: AdjointRule>(
    rule: R,
    outputs: Outputs,
    route: Route,
    start: u32,
    sweep: &mut Sweep<'_>,
) -> Result<Option<PendingAdjoint>> {
    let (post, release, call_form) = match route {
        Route::Collective { post, release, call_form, .. } => (post, release, call_form),
        Route::Edges { tag, .. } => {
            let (Way { stamp, .. }, kept) = send_off(rule, outputs, route, tag, sweep)?;
            let tag = Some(tag);
            return Ok(Some(PendingAdjoint { tag, stamp, kept, ..PendingAdjoint::default() }));
        }
    };
    let taken = rule.take_outputs(outputs, 1, sweep);
    statistics::sent_back(taken.len());
    let stamp = stamp_of(&rule, route, sweep);
    let set_off = move |sweep: &mut Sweep<'_>| {
        // A member that could not know of the call has none of it on record.
        if rule.signature().is_some() {
            check::adjoint_set_off(rule.private(), sweep.depth());
        }
        let way = match call_form {
            CallForm::Blocking => sweep.companion::<Traffic>().make_way(),
            CallForm::Nonblocking => Ok(()),
        };
        let pending = way
            .and_then(|()| rule.start_reverse(taken, stamp, call_form, sweep))
            .map_err(|error| of_call(R::NAME, error))?;
        Ok(PendingAdjoint { stamp, ..pending })
    };
    if release == AT_ONCE && sweep.companion::<Traffic>().may_depart() {
        return set_off(sweep).map(Some);
    }
    let event = sweep.event_index();
    let channel = channel_of(rule.private());
    let departure = Box::new(move |sweep: &mut Sweep<'_>| {
        let pending = set_off(sweep)?;
        sweep.companion::<Traffic>().open(start, pending);
        Ok(())
    });
    sweep.companion::<Traffic>().hold(channel, post, release, departure);
    while let Some(departure) = sweep.companion::<Traffic>().next_departure(channel, event) {
        departure(sweep)?;
    }
    Ok(None)
}

/// Zero where some members may not have the call on record.
fn stamp_of<R: AdjointRule>(rule: &R, route: Route, sweep: &mut Sweep<'_>) -> Stamp {
    let (Some(call), Some(signature)) = (rule.call(), rule.signature()) else {
        return Stamp::default();
    };
    let number = match route {
        Route::Collective { number, .. } | Route::Edges { tag: IN_ORDER, number } => {
            sweep.companion::<Traffic>().number_from_base(rule.private(), number)
        }
        Route::Edges { .. } => stamp::UNNUMBERED,
    };
    Stamp::new(call, signature, number, sweep.width())
}

/// Waits for what this rank needs, and adds it.
fn arrive<R: AdjointRule>(rule: R, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
    let arrived = match pending {
        PendingAdjoint { tag: Some(tag), stamp, kept, .. } => {
            rule.receive(kept, Way { private: rule.private(), tag, stamp }, sweep)
        }
        pending => rule.accumulate(pending, sweep),
    };
    arrived.map_err(|error| of_call(R::NAME, error))
}

/// All collectives of a communicator are one channel.
const fn channel_of(private: &AdjointComm) -> Channel {
    Channel { private: private.index, peer: -1, tag: 0 }
}

/// What a call tells of its outputs.
fn depend<R: AdjointRule>(rule: &R, on: &mut Dependence<'_, '_>) -> Result<()> {
    if rule.has_factors() {
        return on.unknown(
            "the product of several ranks' values is not followed; give the pattern yourself",
        );
    }
    on.across_ranks(super::ACROSS_RANKS)
}

/// A blocking call.
struct BlockingEvent<R> {
    rule: R,
    outputs: Outputs,
    route: Route,
}

impl<R: AdjointRule> Event for BlockingEvent<R> {
    const NAME: &'static str = R::NAME;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let event = sweep.event_index();
        let Self { rule, outputs, route } = *self;
        if let Route::Edges { tag, .. } = route {
            let (way, kept) = send_off(rule, outputs, route, tag, sweep)?;
            return rule.receive(kept, way, sweep).map_err(|error| of_call(R::NAME, error));
        }
        let pending = match leave(rule, outputs, route, event, sweep)? {
            Some(pending) => Some(pending),
            None => sweep.companion::<Traffic>().finish_open(event),
        };
        // Whatever was started later has set off before, so that nothing holds this one.
        arrive(rule, pending.unwrap_or_default(), sweep)
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        depend(&self.rule, on)
    }

    fn seen(&self) -> Option<Seen> {
        Some(Seen::Exchange { waits: true })
    }
}

/// The start of a nonblocking call.
struct StartEvent<R> {
    rule: R,
}

impl<R: AdjointRule> Event for StartEvent<R> {
    const NAME: &'static str = R::NAME;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let event = sweep.event_index();
        match sweep.companion::<Traffic>().finish_open(event) {
            Some(pending) => arrive(self.rule, pending, sweep),
            // Its completion is not in the range.
            None => Ok(()),
        }
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        depend(&self.rule, on)
    }

    fn seen(&self) -> Option<Seen> {
        Some(Seen::Exchange { waits: true })
    }
}

/// The completion of a nonblocking call.
struct CompletionEvent<R> {
    rule: R,
    outputs: Outputs,
    route: Route,
    start: u32,
}

impl<R: AdjointRule> Event for CompletionEvent<R> {
    const NAME: &'static str = R::NAME;

    fn reverse(&mut self, sweep: &mut Sweep<'_>) -> Result<()> {
        let Self { rule, outputs, route, start } = *self;
        let pending = leave(rule, outputs, route, start, sweep)?;
        if let Some(pending) = pending {
            sweep.companion::<Traffic>().open(self.start, pending);
        }
        Ok(())
    }

    fn depend(&mut self, on: &mut Dependence<'_, '_>) -> Result<()> {
        depend(&self.rule, on)
    }

    fn seen(&self) -> Option<Seen> {
        Some(Seen::Exchange { waits: false })
    }
}

/// Hands over what others wait for.
pub fn contribute(pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
    with_traffic(sweep, |traffic, _| {
        pending.operations().try_for_each(|operation| traffic.contribute(operation))
    })
}

/// Waits for what this rank needs.
pub fn arrived(operation: Option<Operation>, sweep: &mut Sweep<'_>) -> Result<Staging> {
    let Some(operation) = operation else { return Ok(Staging::default()) };
    if operation.is_complete() {
        return Ok(operation.into_received());
    }
    with_traffic(sweep, |traffic, _| traffic.wait(operation))
}

/// As `arrived`, of what has to bear stamps: an error unless it `fits`.
pub fn arrived_stamped(
    operation: Option<Operation>,
    fits: impl Fn(&[f64], &Sweep<'_>) -> Result<()>,
    sweep: &mut Sweep<'_>,
) -> Result<Staging> {
    if let Some(operation) = operation.as_ref().filter(|operation| operation.raises_elsewhere()) {
        with_traffic(sweep, |traffic, sweep| traffic.look(operation, |data| fits(data, sweep)))?;
    }
    let data = arrived(operation, sweep)?;
    fits(data.as_slice(), sweep)?;
    Ok(data)
}

/// Waits for one adjoint an operand, behind the stamps of so many `members` in sum, and adds.
pub fn collect(
    pending: PendingAdjoint,
    members: usize,
    ids: &Ids,
    sweep: &mut Sweep<'_>,
) -> Result<()> {
    let stamp = pending.stamp;
    let adjoints = arrived_stamped(pending.main, |data, _| stamp.check(data[0], members), sweep)?;
    let width = sweep.width();
    sweep.add(ids, &adjoints.as_slice()[width..][..ids.len() * width]);
    Ok(())
}

/// Waits for adjoints in parts, each from one of so many `ranks` and behind its stamp, and adds.
pub fn collect_parts(
    pending: PendingAdjoint,
    counts: &StoredCounts,
    ranks: usize,
    ids: &Ids,
    sweep: &mut Sweep<'_>,
) -> Result<()> {
    let (stamp, width) = (pending.stamp, sweep.width());
    let fits = |data: &[f64], sweep: &Sweep<'_>| {
        stamp.check_parts(data, counts.read(sweep).all(ranks), width)
    };
    let mut adjoints = arrived_stamped(pending.main, fits, sweep)?;
    stamp::join(adjoints.as_mut_slice(), counts.read(sweep).all(ranks), width);
    sweep.add(ids, &adjoints.as_slice()[..ids.len() * width]);
    Ok(())
}

struct OpenRecord<R> {
    serial: u64,
    rule: R,
    outputs: usize,
    place: Place,
    /// If the call does not block: the place on the tape right behind the event of its start.
    start: Option<Position>,
    /// Its number, once the event of its start is on the tape.
    number: u32,
    logged: Posted,
}

/// What a call is known by among those of its communicator.
#[derive(Clone, Copy)]
enum Place {
    Post(u64, CallForm),
    Tag(c_int),
}

/// A collective whose forward half has started.
struct UnderWay<R> {
    operation: Operation,
    target: Target,
    record: Option<OpenRecord<R>>,
    /// What the tape had against it. The values are delivered all the same, since other ranks count on this one.
    refused: Option<Failure>,
}

/// What is left of a call: nothing if it has blocked.
pub type Unfinished = Option<Box<dyn Pending>>;

/// Carries out a collective, or starts it. `rule` is asked for before anything is sent, while the operands are what they
/// are; `outputs` counts the values that the call receives, kept ones included.
pub fn carry_out<R: AdjointRule>(
    call_form: CallForm,
    recording: Option<Recording>,
    outputs: usize,
    target: Target,
    rule: impl FnOnce(&mut Tape, &'static AdjointComm) -> Result<R>,
    operation: impl FnOnce() -> MpiResult<Operation>,
) -> MpiResult<Unfinished> {
    let (mut record, mut refused) = (None, None);
    if let Some(recording) = recording {
        match open(recording, outputs, rule) {
            Ok(opened) => record = Some(opened),
            Err(failure) => refused = Some(failure),
        }
    }
    let mut operation = operation().inspect_err(|_| withdraw(record.as_ref()))?;
    if call_form == CallForm::Blocking {
        // Where it is: moves of these structures are a large part of a small call.
        let mut target = target;
        return complete(&mut operation, &mut target, record.as_ref(), refused).map(|()| None);
    }
    if let Some(record) = &mut record {
        let rule = record.rule;
        let begun = on_tape(record.serial, |tape| {
            tape.record(0, |_, _| StartEvent { rule })?;
            let behind = tape.position();
            Ok((behind, numbered(&rule, record.place, behind.event - 1, tape)))
        });
        match begun {
            Ok((behind, number)) => (record.start, record.number) = (Some(behind), number),
            Err(failure) => refused = Some(failure),
        }
    }
    if refused.is_some() {
        withdraw(record.take().as_ref());
    }
    Ok(Some(Box::new(UnderWay { operation, target, record, refused })))
}

/// Puts a call on record.
#[inline(always)]
fn open<R: AdjointRule>(
    Recording { serial, private, back }: Recording,
    outputs: usize,
    rule: impl FnOnce(&mut Tape, &'static AdjointComm) -> Result<R>,
) -> MpiResult<OpenRecord<R>> {
    // Counted also where the tape refuses the call, which other members may record.
    let back = match back {
        Back::Edges(None) => Back::Edges(Some(private.next_tag(R::REACH))),
        back => back,
    };
    let rule = on_tape(serial, |tape| rule(tape, private))?;
    let place = match back {
        Back::Collective(form) => Place::Post(private.collectives.with(Window::post), form),
        Back::Edges(tag) => Place::Tag(tag.unwrap_or(IN_ORDER)),
    };
    let checked = tape::checking();
    let by_edges = matches!(place, Place::Tag(_));
    let logged = if checked { log(serial, &rule, by_edges)? } else { Posted::default() };
    Ok(OpenRecord { serial, rule, outputs, place, start: None, number: 0, logged })
}

/// Tells checking what is recorded.
fn log<R: AdjointRule>(serial: u64, rule: &R, by_edges: bool) -> MpiResult<Posted> {
    let started = |[root, operation, count]: [i64; 3]| {
        check::started(Some(rule.private()), Some([root, operation, count, by_edges.into()]))
    };
    let logged = rule.signature().map_or_else(Posted::default, started);
    let mut portions = Portions::default();
    on_tape(serial, |tape| {
        rule.portions(tape, &mut portions);
        Ok(())
    })?;
    check::exchanged(rule.private(), logged, portions);
    Ok(logged)
}

fn withdraw<R: AdjointRule>(record: Option<&OpenRecord<R>>) {
    if let Some(record) = record {
        if let Place::Post(post, _) = record.place {
            record.rule.private().collectives.with(|window| window.close(post));
        }
        record.logged.withdrawn();
    }
}

/// MPI is through with `operation`: writes what was received, and records the completion.
fn complete<R: AdjointRule>(
    operation: &mut Operation,
    target: &mut Target,
    record: Option<&OpenRecord<R>>,
    refused: Option<Failure>,
) -> MpiResult<()> {
    let (sent, received) = operation.memory();
    let recorded = match record {
        Some(record) => record.complete(sent, received),
        None => Ok(Mark::PASSIVE),
    };
    // The values have arrived, whatever the tape says.
    let mark = *recorded.as_ref().unwrap_or(&Mark::PASSIVE);
    let written = target.unpack(sent, received, mark);
    match refused {
        Some(failure) => Err(failure),
        None => recorded.and(written),
    }
}

impl<R: AdjointRule> Pending for UnderWay<R> {
    fn hand_over(&mut self) -> Transfer {
        self.operation.hand_over()
    }

    fn finish(&mut self) -> MpiResult<()> {
        let (record, refused) = (self.record.take(), self.refused.take());
        complete(&mut self.operation, &mut self.target, record.as_ref(), refused)
    }

    fn fail(&mut self) {
        withdraw(self.record.take().as_ref());
    }
}

impl<R: AdjointRule> OpenRecord<R> {
    /// Records the completion and returns the marks of what was received.
    fn complete(&self, sent: &[f64], received: &[f64]) -> MpiResult<Mark> {
        let &Self { serial, rule, outputs, place, start, number, logged } = self;
        logged.completed();
        let private = rule.private();
        let closed = place.close(private);
        on_tape(serial, |tape| {
            // What was kept at the start went with it.
            if start.is_some_and(|behind| tape.check_position("start", &behind).is_err()) {
                return Err(forgotten(R::NAME));
            }
            rule.save_for_reverse(tape, sent, received);
            let n = narrow32(outputs);
            let number = if start.is_some() {
                number
            } else {
                numbered(&rule, place, tape.event_count(), tape)
            };
            let counts = (outputs, number);
            let outputs = |first| Outputs { first, n };
            let first =
                match start {
                    None => place.record(closed, private, tape, counts, |first, route| {
                        BlockingEvent { rule, outputs: outputs(first), route }
                    }),
                    Some(behind) => place.record(closed, private, tape, counts, |first, route| {
                        let start = behind.event - 1;
                        CompletionEvent { rule, outputs: outputs(first), route, start }
                    }),
                }?;
            Ok(Mark { first, tag: tape.tag() })
        })
    }
}

/// The number of a call that starts at `event`, if its adjoints are stamped.
fn numbered<R: AdjointRule>(rule: &R, place: Place, event: u32, tape: &mut Tape) -> u32 {
    match (place, rule.call()) {
        (Place::Post(..) | Place::Tag(IN_ORDER), Some(_)) => {
            tape.companion::<Traffic>().number(rule.private(), event)
        }
        _ => 0,
    }
}

impl Place {
    /// MPI is through with the call, whatever becomes of its record.
    fn close(self, private: &AdjointComm) -> Closed {
        match self {
            Self::Post(post, _) => private.collectives.with(|window| window.close(post)),
            Self::Tag(_) => Closed::default(),
        }
    }

    fn record<E: Event>(
        self,
        closed: Closed,
        private: &'static AdjointComm,
        tape: &mut Tape,
        (outputs, number): (usize, u32),
        event: impl FnOnce(u32, Route) -> E,
    ) -> Result<u32> {
        match self {
            Self::Post(post, call_form) => {
                let completion = Completion {
                    channel: channel_of(private),
                    post,
                    closed,
                    window: &private.collectives,
                    book: |traffic| &mut traffic.collectives,
                };
                completion.record(tape, outputs, |first, release| {
                    event(first, Route::Collective { post, release, number, call_form })
                })
            }
            Self::Tag(tag) => {
                tape.record(outputs, |first, _| event(first, Route::Edges { tag, number }))
            }
        }
    }
}

#[cold]
fn forgotten(call: &str) -> Error {
    let why = format!(
        "{call}: a reset of the tape, or the end of a nest, has removed the start of the request; complete requests before that"
    );
    Error::new(Code::Stale, why)
}
