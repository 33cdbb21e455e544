//! Collectives that move values: Bcast, Gather, Scatter, Allgather, Alltoall, with or without counts.

use super::AdjointComm;
use super::argument::{Many, sink, sink_or_in_place, source_or_in_place};
use super::buffers::{Sinks, packed_by, packed_parts};
use super::check::Portions;
use super::collective::{
    AdjointRule, Members, Outputs, Recording, Unfinished, carry_out, collect, collect_parts,
    contribute,
};
use super::counts::{Counts, PartCounts, StoredCounts};
use super::peer_exchange::Edges;
use super::recording::ids;
use super::stamp::{self, Call, Stamp};
use super::target::{Part, Target};
use super::traffic::PendingAdjoint;
use super::wire::{self, failed};
use crate::datatype::{BufferTriple, SendBuffer, Shape, Sources};
use crate::error::{Code, Error, Result};
use crate::mpi::{CallForm, Comm, Failure, Item, MpiResult, Op, Reach, Staging, wide_int};
use crate::tape::{Ids, Sweep, Tape};
use std::ffi::c_int;

fn one(source: SendBuffer) -> Sources {
    Sources::One(source)
}

/// Where the parts of all ranks go; one part may be kept.
pub fn target(sinks: Sinks, parts: &PartCounts, kept: Option<usize>) -> Target {
    match (sinks, kept) {
        (Sinks::One(sink), None) => Target::All(sink),
        (Sinks::One(sink), Some(kept)) => Target::But { sink, n: parts.doubles().of(kept), kept },
        (Sinks::List(mut sinks), kept) => {
            let part = |(rank, sink)| {
                let (n, words) = parts.of(rank);
                Part { n, words, sink: (Some(rank) != kept).then_some(sink) }
            };
            Target::Parts(sinks.drain().enumerate().map(part).collect())
        }
    }
}

#[derive(Clone, Copy)]
struct Broadcast {
    private: &'static AdjointComm,
    root: c_int,
    n: usize,
    /// What the root sent: its values keep their ids.
    ids: Option<Ids>,
}

impl AdjointRule for Broadcast {
    const NAME: &'static str = "Bcast";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(Call::Bcast)
    }

    fn signature(&self) -> Option<[i64; 3]> {
        Some([self.root.into(), -1, i64::try_from(self.n).unwrap_or(-1)])
    }

    /// All members have the same counts.
    fn portions(&self, _: &Tape, _: &mut Portions) {}

    /// The way back needs no values.
    fn save_for_reverse(&self, _: &mut Tape, _: &[f64], _: &[f64]) {}

    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        match &self.ids {
            Some(_) if lead == 0 => Staging::default(),
            Some(ids) => Staging::zeros((lead + ids.len()) * sweep.width()),
            None => outputs.take(lead, sweep),
        }
    }

    fn start_reverse(
        &self,
        mut taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        stamp.put(taken.as_mut_slice(), [self.n], sweep.width());
        let n = if self.ids.is_some() { taken.len() } else { 0 };
        let (comm, sum) = (self.private.comm(sweep.depth())?, Staging::take(n));
        wire::reduce(comm, taken, sum, Item::double(), Op::sum(), self.root, call_form)
            .map(PendingAdjoint::of)
            .map_err(failed)
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        match &self.ids {
            Some(ids) => collect(pending, self.private.ranks(), ids, sweep),
            None => contribute(pending, sweep),
        }
    }

    fn operands(&self) -> Option<&Ids> {
        self.ids.as_ref()
    }

    fn sources(&self, _: &Sweep<'_>) -> Edges {
        match &self.ids {
            Some(_) => Edges::default(),
            None => Edges::one(self.private, self.root, self.n),
        }
    }

    fn destinations(&self, _: &Sweep<'_>) -> Edges {
        let all = 0..self.private.ranks();
        Edges::alike(self.private, all, self.n).to_others()
    }
}

pub fn bcast(
    buffer: &BufferTriple,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let buffer = sink("buffer", buffer)?;
    let recording = Recording::set(comm, call_form, || Members::Apart)?;
    let (n, words) = (buffer.len(), buffer.source().words());
    if comm.rank()? == root {
        let source = one(buffer.source().clone());
        let (data, shape) = packed_parts(&source, recording.is_some())?;
        return carry_out(
            call_form,
            recording,
            0,
            Target::Nothing,
            |tape, private| {
                Ok(Broadcast { private, root, n, ids: Some(ids(tape, &source, shape)?) })
            },
            || wire::bcast(comm, data, root, call_form),
        );
    }
    carry_out(
        call_form,
        recording,
        n,
        Target::All(buffer),
        |_, private| Ok(Broadcast { private, root, n, ids: None }),
        || wire::bcast(comm, Staging::take(words), root, call_form),
    )
}

#[derive(Clone, Copy)]
pub struct Gathered {
    private: &'static AdjointComm,
    root: c_int,
    /// What this rank sent; a root in place has sent nothing.
    ids: Option<Ids>,
    /// This rank's part.
    n: usize,
    counts: StoredCounts,
}

impl Gathered {
    const fn at_root(&self) -> bool {
        self.private.rank == self.root
    }
}

impl AdjointRule for Gathered {
    const NAME: &'static str = "Gather";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(Call::Gather)
    }

    fn signature(&self) -> Option<[i64; 3]> {
        Some([self.root.into(), -1, self.counts.each()])
    }

    fn portions(&self, tape: &Tape, portions: &mut Portions) {
        if self.counts.each() < 0 && self.at_root() {
            for (peer, rank) in self.private.others() {
                portions.receives(peer, self.counts.read(tape).of(rank));
            }
        } else if self.counts.each() < 0 {
            portions.sends(self.root, self.n);
        }
    }

    /// The way back needs no values.
    fn save_for_reverse(&self, _: &mut Tape, _: &[f64], _: &[f64]) {}

    /// The root's own part needs no message.
    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        if !self.at_root() {
            return Staging::default();
        }
        let whole = outputs.take_parts(&self.counts, self.private.ranks(), lead, sweep);
        if let Some(ids) = &self.ids {
            let (width, place) = (sweep.width(), self.private.place());
            let own = (lead * (place + 1) + self.counts.read(sweep).below(place)) * width;
            sweep.add(ids, &whole.as_slice()[own..own + self.n * width]);
        }
        whole
    }

    fn start_reverse(
        &self,
        mut taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        let (comm, width) = (self.private.comm(sweep.depth())?, sweep.width());
        if self.at_root() {
            let parts = self.counts.read(sweep).all(self.private.ranks());
            stamp.put(taken.as_mut_slice(), parts, width);
        }
        let (room, lengths) = (stamp::room(self.n, width), self.counts.read(sweep).widened(1));
        wire::scatter(comm, taken, room, lengths.borrowed(), width, self.root, call_form)
            .map(PendingAdjoint::of)
            .map_err(failed)
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        match &self.ids {
            Some(ids) if !self.at_root() => collect(pending, 1, ids, sweep),
            _ => contribute(pending, sweep),
        }
    }

    fn operands(&self) -> Option<&Ids> {
        self.ids.as_ref()
    }

    fn sources(&self, sweep: &Sweep<'_>) -> Edges {
        if !self.at_root() {
            return Edges::default();
        }
        Edges::shares(self.private, self.counts.read(sweep)).to_others()
    }

    fn destinations(&self, _: &Sweep<'_>) -> Edges {
        Edges::one(self.private, self.root, self.n).to_others()
    }
}

/// `receive` is significant on the root.
pub fn gather(
    send: &BufferTriple,
    receive: &Many,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let source = source_or_in_place("sendbuf", send)?.map(one);
    if comm.rank()? == root {
        let (sinks, parts) = receive.sinks("recvbuf", wide_int(comm.size()?))?;
        return gather_to(source, sinks, &parts, comm, call_form);
    }
    let Some(source) = source else { return Err(in_place_off_root("sendbuf")) };
    let recording = Recording::set(comm, call_form, || Members::Apart)?;
    let n = source.len();
    let (data, shape) = packed_parts(&source, recording.is_some())?;
    let words = data.len();
    let form = receive.form();
    carry_out(
        call_form,
        recording,
        0,
        Target::Nothing,
        |tape, private| {
            let counts = match form {
                Some(form) => StoredCounts::none(form, tape)?,
                None => StoredCounts::Each(n),
            };
            Ok(Gathered { private, root, ids: Some(ids(tape, &source, shape)?), n, counts })
        },
        || {
            let shares = form.map_or(Counts::Each(words), |form| Counts::List(&[], form));
            wire::gather(comm, data, Staging::default(), shares, 1, root, call_form)
        },
    )
}

/// A gather on its root, which has sent nothing if it is in place.
pub fn gather_to(
    source: Option<Sources>,
    sinks: Sinks,
    parts: &PartCounts,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let (root, ranks) = (comm.rank()?, wide_int(comm.size()?));
    let place = wide_int(root);
    let n = parts.doubles().of(place);
    same_length(source.as_ref().map(|source| (source.len(), source.words())), parts.of(place))?;
    let recording = Recording::set(comm, call_form, || Members::Apart)?;
    let (data, shape) = match &source {
        Some(source) => packed_parts(source, recording.is_some())?,
        None => own_values(&sinks, parts, place, recording.is_some())?,
    };
    let (total, room) = (parts.doubles().total(ranks)?, parts.wire().total(ranks)?);
    let target = target(sinks, parts, source.is_none().then_some(place));
    carry_out(
        call_form,
        recording,
        total,
        target,
        |tape, private| {
            let ids = source.as_ref().map(|source| ids(tape, source, shape)).transpose()?;
            Ok(Gathered { private, root, ids, n, counts: parts.doubles().store(tape)? })
        },
        || {
            let shares = parts.wire();
            wire::gather(comm, data, Staging::take(room), shares, 1, root, call_form)
        },
    )
}

/// What a rank that sends in place has in its own part of the receive buffer.
fn own_values(
    sinks: &Sinks,
    parts: &PartCounts,
    place: usize,
    recorded: bool,
) -> MpiResult<(Staging, Shape)> {
    let ((n, words), sources) = (parts.of(place), sinks.sources());
    let own = sources.part(place, n);
    packed_by(&own, recorded, words, |data| sources.pack_part(place, n, data))
}

fn in_place_off_root(name: &str) -> Failure {
    Error::new(Code::Argument, format!("{name} is MPI_IN_PLACE, which only the root may pass"))
        .into()
}

/// What a rank sends to itself is what it receives from itself: so many doubles, and words.
fn same_length(sent: Option<(usize, usize)>, received: (usize, usize)) -> MpiResult<()> {
    let Some(sent) = sent.filter(|&sent| sent != received) else { return Ok(()) };
    let ((sent, words), (n, room)) = (sent, received);
    let why = if sent == n {
        format!(
            "sendcount describes {words} passive words beside active doubles, and recvcount {room}: they must agree"
        )
    } else {
        format!("sendcount describes {sent} active doubles, and recvcount {n}: they must agree")
    };
    Err(Error::new(Code::Argument, why).into())
}

#[derive(Clone, Copy)]
struct Scattered {
    private: &'static AdjointComm,
    root: c_int,
    /// What the root sent.
    ids: Option<Ids>,
    /// This rank's part.
    n: usize,
    /// Whether it was received: a root in place has received nothing.
    receives: bool,
    counts: StoredCounts,
}

impl AdjointRule for Scattered {
    const NAME: &'static str = "Scatter";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(Call::Scatter)
    }

    fn signature(&self) -> Option<[i64; 3]> {
        Some([self.root.into(), -1, self.counts.each()])
    }

    fn portions(&self, tape: &Tape, portions: &mut Portions) {
        if self.counts.each() < 0 && self.ids.is_some() {
            for (peer, rank) in self.private.others() {
                portions.sends(peer, self.counts.read(tape).of(rank));
            }
        } else if self.counts.each() < 0 {
            portions.receives(self.root, self.n);
        }
    }

    /// The way back needs no values.
    fn save_for_reverse(&self, _: &mut Tape, _: &[f64], _: &[f64]) {}

    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        if self.receives {
            outputs.take(lead, sweep)
        } else {
            Staging::zeros((lead + self.n) * sweep.width())
        }
    }

    fn start_reverse(
        &self,
        mut taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        let (comm, width) = (self.private.comm(sweep.depth())?, sweep.width());
        stamp.put(taken.as_mut_slice(), [self.n], width);
        let room = self.ids.map_or(0, |ids| (self.private.ranks() + ids.len()) * width);
        let (room, lengths) = (Staging::take(room), self.counts.read(sweep).widened(1));
        wire::gather(comm, taken, room, lengths.borrowed(), width, self.root, call_form)
            .map(PendingAdjoint::of)
            .map_err(failed)
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        match &self.ids {
            Some(ids) => collect_parts(pending, &self.counts, self.private.ranks(), ids, sweep),
            None => contribute(pending, sweep),
        }
    }

    fn operands(&self) -> Option<&Ids> {
        self.ids.as_ref()
    }

    fn sources(&self, _: &Sweep<'_>) -> Edges {
        if self.receives { Edges::one(self.private, self.root, self.n) } else { Edges::default() }
    }

    fn destinations(&self, sweep: &Sweep<'_>) -> Edges {
        let all = Edges::shares(self.private, self.counts.read(sweep));
        if self.receives { all } else { all.to_others() }
    }
}

/// `send` is significant on the root.
pub fn scatter(
    send: &Many,
    receive: &BufferTriple,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let sink = sink_or_in_place("recvbuf", receive)?;
    let (rank, ranks) = (comm.rank()?, wide_int(comm.size()?));
    if rank != root {
        let Some(sink) = sink else { return Err(in_place_off_root("recvbuf")) };
        let recording = Recording::set(comm, call_form, || Members::Apart)?;
        let (n, words) = (sink.len(), sink.source().words());
        let form = send.form();
        return carry_out(
            call_form,
            recording,
            n,
            Target::All(sink),
            |tape, private| {
                let counts = match form {
                    Some(form) => StoredCounts::none(form, tape)?,
                    None => StoredCounts::Each(n),
                };
                Ok(Scattered { private, root, ids: None, n, receives: true, counts })
            },
            || {
                let shares = form.map_or(Counts::Each(words), |form| Counts::List(&[], form));
                let (whole, part) = (Staging::default(), Staging::take(words));
                wire::scatter(comm, whole, part, shares, 1, root, call_form)
            },
        );
    }
    let (source, parts) = send.sources("sendbuf", ranks)?;
    let (n, words) = parts.of(wide_int(rank));
    same_length(sink.as_ref().map(|sink| (sink.len(), sink.source().words())), (n, words))?;
    parts.doubles().total(ranks)?;
    let recording = Recording::set(comm, call_form, || Members::Apart)?;
    let (data, shape) = packed_parts(&source, recording.is_some())?;
    let receives = sink.is_some();
    carry_out(
        call_form,
        recording,
        if receives { n } else { 0 },
        sink.map_or(Target::Nothing, Target::All),
        |tape, private| {
            let ids = Some(ids(tape, &source, shape)?);
            Ok(Scattered { private, root, ids, n, receives, counts: parts.doubles().store(tape)? })
        },
        || {
            let shares = parts.wire();
            wire::scatter(comm, data, Staging::take(words), shares, 1, root, call_form)
        },
    )
}

#[derive(Clone, Copy)]
pub struct Allgathered {
    private: &'static AdjointComm,
    ids: Ids,
    counts: StoredCounts,
}

impl AdjointRule for Allgathered {
    const NAME: &'static str = "Allgather";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(Call::Allgather)
    }

    fn signature(&self) -> Option<[i64; 3]> {
        Some([-1, -1, self.counts.each()])
    }

    fn portions(&self, tape: &Tape, portions: &mut Portions) {
        if self.counts.each() < 0 {
            for (peer, rank) in self.private.others() {
                portions.sends(peer, self.ids.len());
                portions.receives(peer, self.counts.read(tape).of(rank));
            }
        }
    }

    /// The way back needs no values.
    fn save_for_reverse(&self, _: &mut Tape, _: &[f64], _: &[f64]) {}

    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        outputs.take_parts(&self.counts, self.private.ranks(), lead, sweep)
    }

    fn start_reverse(
        &self,
        mut taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        let (comm, width) = (self.private.comm(sweep.depth())?, sweep.width());
        stamp.put(taken.as_mut_slice(), self.counts.read(sweep).all(self.private.ranks()), width);
        let (room, lengths) =
            (stamp::room(self.ids.len(), width), self.counts.read(sweep).widened(1));
        let (shares, item, op) = (lengths.borrowed(), Item::double(), Op::sum());
        wire::reduce_scatter(comm, taken, room, shares, width, item, op, call_form)
            .map(PendingAdjoint::of)
            .map_err(failed)
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        collect(pending, self.private.ranks(), &self.ids, sweep)
    }

    fn operands(&self) -> Option<&Ids> {
        Some(&self.ids)
    }

    fn is_parted(&self) -> bool {
        true
    }

    fn sources(&self, sweep: &Sweep<'_>) -> Edges {
        Edges::shares(self.private, self.counts.read(sweep))
    }

    fn destinations(&self, _: &Sweep<'_>) -> Edges {
        Edges::alike(self.private, 0..self.private.ranks(), self.ids.len())
    }
}

pub fn allgather(
    send: &BufferTriple,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let source = source_or_in_place("sendbuf", send)?.map(one);
    let (sinks, parts) = receive.sinks("recvbuf", wide_int(comm.size()?))?;
    allgather_to(source, sinks, &parts, comm, call_form)
}

/// From so many doubles on the adjoints of an Allgather leave from the tape, and are added as they come, rather than be
/// reduced by MPI.
const LONG: usize = 1 << 15;

/// In place nothing but the rank's own part is sent, and that part is kept.
pub fn allgather_to(
    source: Option<Sources>,
    sinks: Sinks,
    parts: &PartCounts,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let (place, ranks) = (wide_int(comm.rank()?), wide_int(comm.size()?));
    let n = parts.doubles().of(place);
    same_length(source.as_ref().map(|source| (source.len(), source.words())), parts.of(place))?;
    let (total, room) = (parts.doubles().total(ranks)?, parts.wire().total(ranks)?);
    let members = || match parts.doubles().is_full() {
        true if total >= LONG => Members::TogetherAndLong,
        is_full => Members::together_if(is_full),
    };
    let recording = Recording::set(comm, call_form, members)?;
    let (data, shape) = match &source {
        Some(source) => packed_parts(source, recording.is_some())?,
        None => own_values(&sinks, parts, place, recording.is_some())?,
    };
    let own = sinks.sources();
    let target = target(sinks, parts, source.is_none().then_some(place));
    carry_out(
        call_form,
        recording,
        total,
        target,
        |tape, private| {
            let ids = match &source {
                Some(source) => ids(tape, source, shape)?,
                None => ids(tape, &own.part(place, n), shape)?,
            };
            Ok(Allgathered { private, ids, counts: parts.doubles().store(tape)? })
        },
        || {
            let (room, shares) = (Staging::take(room), parts.wire());
            wire::allgather(comm, data, room, shares, 1, Reach::All, call_form)
        },
    )
}

#[derive(Clone, Copy)]
pub struct Exchanged {
    private: &'static AdjointComm,
    ids: Ids,
    sent: StoredCounts,
    received: StoredCounts,
}

impl AdjointRule for Exchanged {
    const NAME: &'static str = "Alltoall";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(Call::Alltoall)
    }

    fn signature(&self) -> Option<[i64; 3]> {
        Some([-1, -1, self.sent.each()])
    }

    fn portions(&self, tape: &Tape, portions: &mut Portions) {
        if self.sent.each() < 0 {
            for (peer, rank) in self.private.others() {
                portions.sends(peer, self.sent.read(tape).of(rank));
                portions.receives(peer, self.received.read(tape).of(rank));
            }
        }
    }

    /// The way back needs no values.
    fn save_for_reverse(&self, _: &mut Tape, _: &[f64], _: &[f64]) {}

    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        outputs.take_parts(&self.received, self.private.ranks(), lead, sweep)
    }

    fn start_reverse(
        &self,
        mut taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        let (comm, width) = (self.private.comm(sweep.depth())?, sweep.width());
        let ranks = self.private.ranks();
        stamp.put(taken.as_mut_slice(), self.received.read(sweep).all(ranks), width);
        let room = Staging::take((ranks + self.ids.len()) * width);
        let (received, sent) =
            (self.received.read(sweep).widened(1), self.sent.read(sweep).widened(1));
        let shares = (received.borrowed(), sent.borrowed());
        wire::alltoall(comm, taken, room, shares, width, Reach::All, call_form)
            .map(PendingAdjoint::of)
            .map_err(failed)
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        collect_parts(pending, &self.sent, self.private.ranks(), &self.ids, sweep)
    }

    fn operands(&self) -> Option<&Ids> {
        Some(&self.ids)
    }

    fn is_parted(&self) -> bool {
        true
    }

    fn sources(&self, sweep: &Sweep<'_>) -> Edges {
        Edges::shares(self.private, self.received.read(sweep))
    }

    fn destinations(&self, sweep: &Sweep<'_>) -> Edges {
        Edges::shares(self.private, self.sent.read(sweep))
    }
}

/// In place the receive buffer is sent, and all of it is received anew.
pub fn alltoall(
    send: &Many,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let ranks = wide_int(comm.size()?);
    let received = receive.sinks("recvbuf", ranks)?;
    let sent = if send.is_in_place() { None } else { Some(send.sources("sendbuf", ranks)?) };
    alltoall_to(sent, received, comm, call_form)
}

pub fn alltoall_to(
    sent: Option<(Sources, PartCounts)>,
    (sinks, received): (Sinks, PartCounts),
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let ranks = wide_int(comm.size()?);
    let (source, apart) = match sent {
        None => (sinks.sources(), None),
        Some((source, parts)) => (source, Some(parts)),
    };
    let place = wide_int(comm.rank()?);
    same_length(apart.as_ref().map(|sent| sent.of(place)), received.of(place))?;
    let sent = apart.as_ref().unwrap_or(&received);
    sent.doubles().total(ranks)?;
    // With counts no rank knows those between others.
    let recording = Recording::set(comm, call_form, || {
        Members::together_if(matches!(received.doubles(), Counts::Each(n) if n > 0))
    })?;
    let (data, shape) = packed_parts(&source, recording.is_some())?;
    let (total, room) = (received.doubles().total(ranks)?, received.wire().total(ranks)?);
    let target = target(sinks, &received, None);
    carry_out(
        call_form,
        recording,
        total,
        target,
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let (sent, received) = (sent.doubles().store(tape)?, received.doubles().store(tape)?);
            Ok(Exchanged { private, ids, sent, received })
        },
        || {
            let room = Staging::take(room);
            let shares = (sent.wire(), received.wire());
            wire::alltoall(comm, data, room, shares, 1, Reach::All, call_form)
        },
    )
}
