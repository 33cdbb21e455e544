//! Collectives of intercommunicators: each group gets what the other one sends.
//!
//! The values travel by MPI's own call. The adjoints travel from rank to rank over the edges by which the values went, on a
//! communicator of both groups, under a tag of the call's own: no member of a group waits for another one of it, whichever
//! order they complete their calls in. A rooted call is counted by all members, also by those beside the root, who cannot
//! tell whether it is active.

use super::argument::{Many, sink, source};
use super::buffers::{packed, packed_parts};
use super::builtin_op::{Kind, Operator};
use super::check::Portions;
use super::collective::{AdjointRule, Outputs, Recording, Unfinished, carry_out};
use super::counts::{Counts, Form, StoredCounts};
use super::movement::target;
use super::peer_exchange::{Edge, Edges};
use super::recording::ids;
use super::stamp::{Call, Stamp};
use super::target::{Part, Target};
use super::traffic::PendingAdjoint;
use super::{AdjointComm, communicator, wire};
use crate::datatype::{BufferTriple, Content, Pieces, RecvBuffer, SendBuffer, Sources, content};
use crate::error::{Code, Error, Result};
use crate::mpi::handle::Role;
use crate::mpi::{
    CallForm, Comm, Datatype, Item, MpiResult, Op, Reach, Staging, is_in_place, wide_int,
};
use crate::tape::{Ids, Stored, Sweep, Tape};
use std::ffi::c_int;

/// Whom values come from, or go to, by ranks of the other group.
#[derive(Debug, Clone, Copy)]
enum Side {
    Nobody,
    One(c_int, usize),
    /// The same `n` values for each of so many ranks.
    Alike(usize, usize),
    /// A part for each.
    Shares(usize, StoredCounts),
}

impl Side {
    fn edges(&self, private: &AdjointComm, sweep: &Sweep<'_>) -> Edges {
        let first = private.across();
        let peer = |rank: usize| c_int::try_from(rank).map_or(-1, |rank| first + rank);
        match *self {
            Self::Nobody => Edges::default(),
            Self::One(rank, n) => Edges::of([Edge { peer: first + rank, at: 0, n }]),
            Self::Alike(ranks, n) => {
                Edges::of((0..ranks).map(|rank| Edge { peer: peer(rank), at: 0, n }))
            }
            Self::Shares(ranks, counts) => {
                let mut at = 0;
                Edges::of((0..ranks).map(|rank| {
                    let n = counts.read(sweep).of(rank);
                    let edge = Edge { peer: peer(rank), at, n };
                    at += n;
                    edge
                }))
            }
        }
    }
}

/// What a result is to the operands of each rank of the other group, which this rank has seen.
#[derive(Debug, Clone, Copy)]
struct Partials {
    operator: Operator,
    /// Operands of one rank.
    n: usize,
    /// One behind the other.
    all: Stored<f64>,
}

#[derive(Debug, Clone, Copy)]
pub struct Across {
    private: &'static AdjointComm,
    call: Call,
    /// The operation's number, or -1.
    operation: i64,
    /// What this rank sent.
    ids: Option<Ids>,
    sources: Side,
    destinations: Side,
    partials: Option<Partials>,
}

impl AdjointRule for Across {
    const NAME: &'static str = "a collective of an intercommunicator";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(self.call)
    }

    /// Roots and counts differ between the groups.
    fn signature(&self) -> Option<[i64; 3]> {
        Some([-1, self.operation, -1])
    }

    fn portions(&self, _: &Tape, _: &mut Portions) {}

    fn save_for_reverse(&self, tape: &mut Tape, _: &[f64], received: &[f64]) {
        if let Some(Partials { operator, n, all }) = self.partials {
            let mut of_one = vec![0.0; all.len() / n.max(1)];
            for i in 0..n {
                operator.partials(i, n, received, &mut of_one);
                let places = tape.stored_mut(&all)[i..].iter_mut().step_by(n);
                places.zip(&of_one).for_each(|(place, &d)| *place = d);
            }
        }
    }

    fn take_outputs(&self, outputs: Outputs, _: usize, sweep: &mut Sweep<'_>) -> Staging {
        let taken = outputs.take(0, sweep);
        let Some(Partials { n, all, .. }) = &self.partials else { return taken };
        let (width, partials) = (sweep.width(), sweep.stored(all));
        let mut parts = Staging::take(partials.len() * width);
        let places = parts.as_mut_slice().chunks_exact_mut(width.max(1));
        for (i, (place, d)) in places.zip(partials).enumerate() {
            let result = &taken.as_slice()[i % n * width..][..width];
            // Zero times infinity counts as zero.
            let times = |y: f64| if *d == 0.0 || y == 0.0 { 0.0 } else { d * y };
            place.iter_mut().zip(result).for_each(|(place, &y)| *place = times(y));
        }
        parts
    }

    /// Its adjoints always travel over the edges.
    fn start_reverse(
        &self,
        _: Staging,
        _: Stamp,
        _: CallForm,
        _: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        unreachable!("a call with a tag")
    }

    fn accumulate(&self, _: PendingAdjoint, _: &mut Sweep<'_>) -> Result<()> {
        unreachable!("a call with a tag")
    }

    fn has_factors(&self) -> bool {
        self.partials.is_some_and(|partials| partials.operator.kind == Kind::Product)
    }

    fn operands(&self) -> Option<&Ids> {
        self.ids.as_ref()
    }

    fn sources(&self, sweep: &Sweep<'_>) -> Edges {
        self.sources.edges(self.private, sweep)
    }

    fn destinations(&self, sweep: &Sweep<'_>) -> Edges {
        self.destinations.edges(self.private, sweep)
    }
}

/// What a rank does in a call with a root, and the call's tag; None where MPI is to say that the root is wrong. To be called
/// for every rooted call of an intercommunicator, active or not.
pub struct Rooted {
    pub role: Role,
    tag: Option<c_int>,
}

impl Rooted {
    pub fn of(root: c_int, comm: Comm) -> Option<Self> {
        let role = comm.role(root).ok()?;
        let tag = communicator::lookup(comm).map(|private| private.next_tag(Reach::All));
        Some(Self { role, tag })
    }

    /// Whether this rank is beside the root, and its arguments are those of an active call.
    pub fn is_beside(&self, datatype: Datatype) -> bool {
        self.role == Role::Bystander && content(datatype) == Content::Active
    }
}

fn remote(comm: Comm) -> MpiResult<usize> {
    comm.partners().map(wide_int)
}

fn rule(private: &'static AdjointComm, call: Call) -> Across {
    let (sources, destinations) = (Side::Nobody, Side::Nobody);
    Across { private, call, operation: -1, ids: None, sources, destinations, partials: None }
}

pub fn bcast(
    buffer: &BufferTriple,
    rooted: &Rooted,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let recording = Recording::across(comm, rooted.tag)?;
    if rooted.role == Role::Root {
        let (source, ranks) = (Sources::One(source("buffer", buffer)?), remote(comm)?);
        let (data, shape) = packed_parts(&source, recording.is_some())?;
        return carry_out(
            call_form,
            recording,
            0,
            Target::Nothing,
            |tape, private| {
                let ids = ids(tape, &source, shape)?;
                let destinations = Side::Alike(ranks, ids.len());
                Ok(Across { ids: Some(ids), destinations, ..rule(private, Call::Bcast) })
            },
            || wire::bcast(comm, data, root, call_form),
        );
    }
    let sink = sink("buffer", buffer)?;
    let (n, words) = (sink.len(), sink.source().words());
    carry_out(
        call_form,
        recording,
        n,
        Target::All(sink),
        |_, private| Ok(Across { sources: Side::One(root, n), ..rule(private, Call::Bcast) }),
        || wire::bcast(comm, Staging::take(words), root, call_form),
    )
}

/// What MPI wants of a rank whose part does not count: as much room as others have for theirs.
fn ignored(counts: Counts<'_>) -> Staging {
    match counts {
        Counts::Each(n) => Staging::take(n),
        Counts::List(..) => Staging::default(),
    }
}

pub fn gather(
    send: &BufferTriple,
    receive: &Many,
    rooted: &Rooted,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let recording = Recording::across(comm, rooted.tag)?;
    if rooted.role == Role::Root {
        let ranks = remote(comm)?;
        let (sinks, parts) = receive.sinks("recvbuf", ranks)?;
        let (total, room) = (parts.doubles().total(ranks)?, parts.wire().total(ranks)?);
        return carry_out(
            call_form,
            recording,
            total,
            target(sinks, &parts, None),
            |tape, private| {
                let sources = Side::Shares(ranks, parts.doubles().store(tape)?);
                Ok(Across { sources, ..rule(private, Call::Gather) })
            },
            || {
                let (room, shares) = (Staging::take(room), parts.wire());
                wire::gather(comm, ignored(shares), room, shares, 1, root, call_form)
            },
        );
    }
    let source = Sources::One(source("sendbuf", send)?);
    let (data, shape) = packed_parts(&source, recording.is_some())?;
    let (words, form) = (data.len(), receive.form());
    carry_out(
        call_form,
        recording,
        0,
        Target::Nothing,
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let destinations = Side::One(root, ids.len());
            Ok(Across { ids: Some(ids), destinations, ..rule(private, Call::Gather) })
        },
        || {
            let shares = form.map_or(Counts::Each(words), |form| Counts::List(&[], form));
            wire::gather(comm, data, Staging::default(), shares, 1, root, call_form)
        },
    )
}

pub fn scatter(
    send: &Many,
    receive: &BufferTriple,
    rooted: &Rooted,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let recording = Recording::across(comm, rooted.tag)?;
    if rooted.role == Role::Root {
        let ranks = remote(comm)?;
        let (source, parts) = send.sources("sendbuf", ranks)?;
        parts.doubles().total(ranks)?;
        let (data, shape) = packed_parts(&source, recording.is_some())?;
        return carry_out(
            call_form,
            recording,
            0,
            Target::Nothing,
            |tape, private| {
                let ids = Some(ids(tape, &source, shape)?);
                let destinations = Side::Shares(ranks, parts.doubles().store(tape)?);
                Ok(Across { ids, destinations, ..rule(private, Call::Scatter) })
            },
            || {
                let shares = parts.wire();
                wire::scatter(comm, data, ignored(shares), shares, 1, root, call_form)
            },
        );
    }
    let sink = sink("recvbuf", receive)?;
    let (n, words, form) = (sink.len(), sink.source().words(), send.form());
    carry_out(
        call_form,
        recording,
        n,
        Target::All(sink),
        |_, private| Ok(Across { sources: Side::One(root, n), ..rule(private, Call::Scatter) }),
        || {
            let shares = form.map_or(Counts::Each(words), |form| Counts::List(&[], form));
            let (whole, part) = (Staging::default(), Staging::take(words));
            wire::scatter(comm, whole, part, shares, 1, root, call_form)
        },
    )
}

pub fn allgather(
    send: &BufferTriple,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let (source, ranks) = (source("sendbuf", send)?, remote(comm)?);
    let (sinks, parts) = receive.sinks("recvbuf", ranks)?;
    let recording = Recording::across(comm, None)?;
    let (data, shape) = packed(&source, recording.is_some())?;
    let (total, room) = (parts.doubles().total(ranks)?, parts.wire().total(ranks)?);
    carry_out(
        call_form,
        recording,
        total,
        target(sinks, &parts, None),
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let sources = Side::Shares(ranks, parts.doubles().store(tape)?);
            let destinations = Side::Alike(ranks, ids.len());
            Ok(Across { ids: Some(ids), sources, destinations, ..rule(private, Call::Allgather) })
        },
        || {
            let (room, shares) = (Staging::take(room), parts.wire());
            wire::allgather(comm, data, room, shares, 1, Reach::All, call_form)
        },
    )
}

pub fn alltoall(
    send: &Many,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let ranks = remote(comm)?;
    let (source, sent) = send.sources("sendbuf", ranks)?;
    let (sinks, received) = receive.sinks("recvbuf", ranks)?;
    sent.doubles().total(ranks)?;
    let recording = Recording::across(comm, None)?;
    let (data, shape) = packed_parts(&source, recording.is_some())?;
    let (total, room) = (received.doubles().total(ranks)?, received.wire().total(ranks)?);
    carry_out(
        call_form,
        recording,
        total,
        target(sinks, &received, None),
        |tape, private| {
            let ids = Some(ids(tape, &source, shape)?);
            let sources = Side::Shares(ranks, received.doubles().store(tape)?);
            let destinations = Side::Shares(ranks, sent.doubles().store(tape)?);
            Ok(Across { ids, sources, destinations, ..rule(private, Call::Alltoall) })
        },
        || {
            let (room, shares) = (Staging::take(room), (sent.wire(), received.wire()));
            wire::alltoall(comm, data, room, shares, 1, Reach::All, call_form)
        },
    )
}

/// Where the result of `n` values goes, from its `begin`th on: that of a SUM comes from MPI's reduction, others from the
/// operands of all ranks, which the way back needs.
fn result(sink: RecvBuffer, operator: Operator, n: usize, begin: usize) -> Target {
    if !operator.is_sum() {
        return Target::Joined { sink, operator, n, begin };
    }
    let own = sink.len();
    if own == n {
        return Target::All(sink);
    }
    let part = |n: usize, sink| Part { n, words: n * operator.words(), sink };
    let parts = [part(begin, None), part(own, Some(sink)), part(n - begin - own, None)];
    Target::Parts(parts.into_iter().collect())
}

/// Whom a result of `n` values comes from.
fn contributors(
    ranks: usize,
    n: usize,
    operator: Operator,
    tape: &mut Tape,
) -> Result<(Side, Option<Partials>)> {
    if operator.is_sum() {
        return Ok((Side::Alike(ranks, n), None));
    }
    let all = tape.reserve(ranks * n)?;
    Ok((Side::Shares(ranks, StoredCounts::Each(n)), Some(Partials { operator, n, all })))
}

fn operator_of(op: Op, buffer: &BufferTriple) -> MpiResult<Operator> {
    Operator::of(op, buffer.datatype()).map_err(|failure| {
        let error = failure.into_error("an operation");
        let why = format!(
            "{}; on an intercommunicator only MPI's own operations are differentiated",
            error.message
        );
        Error::new(Code::Unsupported, why).into()
    })
}

pub fn reduce(
    (send, receive, op): (&BufferTriple, &BufferTriple, Op),
    rooted: &Rooted,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let recording = Recording::across(comm, rooted.tag)?;
    if rooted.role == Role::Root {
        let operator = operator_of(op, receive)?;
        let (sink, ranks) = (operator.sink("recvbuf", receive)?, remote(comm)?);
        let (n, words) = (sink.len(), sink.len() * operator.words());
        return carry_out(
            call_form,
            recording,
            n,
            result(sink, operator, n, 0),
            |tape, private| {
                let (sources, partials) = contributors(ranks, n, operator, tape)?;
                let operation = operator.number();
                Ok(Across { operation, sources, partials, ..rule(private, Call::Reduce) })
            },
            || {
                let own = Staging::zeros(words);
                if operator.is_sum() {
                    let (room, (item, op)) = (Staging::take(words), operator.forward()?);
                    return wire::reduce(comm, own, room, item, op, root, call_form);
                }
                let room = Staging::take(ranks * words);
                wire::gather(comm, own, room, Counts::Each(words), 1, root, call_form)
            },
        );
    }
    let operator = operator_of(op, send)?;
    let source = operator.source("sendbuf", send)?;
    let (data, shape) = packed(&source, recording.is_some())?;
    carry_out(
        call_form,
        recording,
        0,
        Target::Nothing,
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let (operation, destinations) = (operator.number(), Side::One(root, ids.len()));
            Ok(Across { operation, ids: Some(ids), destinations, ..rule(private, Call::Reduce) })
        },
        || {
            let none = Staging::default();
            if operator.is_sum() {
                let (item, op) = operator.forward()?;
                return wire::reduce(comm, data, none, item, op, root, call_form);
            }
            let shares = Counts::Each(data.len());
            wire::gather(comm, data, none, shares, 1, root, call_form)
        },
    )
}

/// A call on a rank beside the root, whose arguments mean nothing: MPI is given none of them, since Open MPI knows no sum of
/// active doubles, and the layer for large counts would look at their type.
pub fn beside(call: Beside, root: c_int, comm: Comm, call_form: CallForm) -> MpiResult<Unfinished> {
    carry_out(
        call_form,
        None,
        0,
        Target::Nothing,
        |_, private| Ok(rule(private, Call::Bcast)),
        || {
            let (own, none) = (Staging::zeros(1), Staging::default());
            let shares =
                |form: Option<Form>| form.map_or(Counts::Each(1), |form| Counts::List(&[], form));
            match call {
                Beside::Bcast => wire::bcast(comm, own, root, call_form),
                Beside::Gather(form) => {
                    wire::gather(comm, own, none, shares(form), 1, root, call_form)
                }
                Beside::Scatter(form) => {
                    wire::scatter(comm, none, own, shares(form), 1, root, call_form)
                }
                Beside::Reduce => {
                    wire::reduce(comm, own, none, Item::double(), Op::sum(), root, call_form)
                }
            }
        },
    )
}

/// A rooted call, and the form of its counts.
#[derive(Debug, Clone, Copy)]
pub enum Beside {
    Bcast,
    Gather(Option<Form>),
    Scatter(Option<Form>),
    Reduce,
}

pub fn allreduce(
    (send, receive, op): (&BufferTriple, &BufferTriple, Op),
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let operator = operator_of(op, send)?;
    let (source, sink) = (operator.source("sendbuf", send)?, operator.sink("recvbuf", receive)?);
    let n = sink.len();
    let target = result(sink, operator, n, 0);
    combined(&source, operator, (n, target), comm, call_form)
}

/// Each rank gets its share of what an Allreduce would bring. The adjoints of all of that go back: no rank knows the shares
/// of the other group.
pub fn reduce_scatter(
    pieces: &Pieces,
    op: Op,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    if is_in_place(pieces.parts().0) {
        let why = "sendbuf is MPI_IN_PLACE, which an intercommunicator does not allow";
        return Err(Error::new(Code::Argument, why).into());
    }
    let (place, members) = (wide_int(comm.rank()?), wide_int(comm.size()?));
    let operands = pieces.operands(members)?;
    let operator = operator_of(op, &operands)?;
    let source = operator.source("sendbuf", &operands)?;
    let sink = operator.sink("recvbuf", &pieces.result(place, members)?)?;
    let share = |rank| Ok(operator.source("sendbuf", &pieces.share(rank, members)?)?.len());
    let begin = (0..place).map(share).sum::<MpiResult<usize>>()?;
    let n = source.len();
    combined(&source, operator, (n, result(sink, operator, n, begin)), comm, call_form)
}

/// A reduction whose `n` values all ranks of the other group get.
fn combined(
    source: &SendBuffer,
    operator: Operator,
    (n, target): (usize, Target),
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let ranks = remote(comm)?;
    let recording = Recording::across(comm, None)?;
    let (data, shape) = packed(source, recording.is_some())?;
    let words = data.len();
    carry_out(
        call_form,
        recording,
        n,
        target,
        |tape, private| {
            let ids = ids(tape, source, shape)?;
            let (sources, partials) = contributors(ranks, n, operator, tape)?;
            let (operation, destinations) = (operator.number(), Side::Alike(ranks, ids.len()));
            let ids = Some(ids);
            let call = Call::Allreduce;
            Ok(Across { operation, ids, sources, destinations, partials, ..rule(private, call) })
        },
        || {
            if operator.is_sum() {
                let (room, (item, op)) = (Staging::take(words), operator.forward()?);
                return wire::allreduce_apart(comm, data, room, item, op, call_form);
            }
            let (room, shares) = (Staging::take(ranks * words), Counts::Each(words));
            wire::allgather(comm, data, room, shares, 1, Reach::All, call_form)
        },
    )
}
