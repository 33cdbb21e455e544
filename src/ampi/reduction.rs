//! Reductions: Allreduce, Reduce, and Reduce_scatter with or without counts.
//!
//! What an operation needs on the way back beside the result's adjoint t:
//! - SUM: nothing.
//! - PROD: the product over the ranks below and that over the ranks above, by two Exscans over what each rank
//!   keeps of its own values; no division, hence exact with zeros.
//! - MIN, MAX and those of pairs: whether this rank's item equals the result and no lower rank's does: the lowest
//!   such rank is the winner, once. Where all ranks have the result, a bit an element says the first, and an
//!   Exscan of the bits the second. Elsewhere the result travels beside t, and an Exscan tells the best item of
//!   the lower ranks.
//!
//! The Exscans go between ranks that did not hear of each other in the run. Where adjoints may travel only as the
//! values did, whoever holds a result other than a sum gets all operands instead of it, keeps them, and sends each
//! rank the adjoint of its own.

use super::argument::one_passive;
use super::buffers::packed;
use super::builtin_op::{Kind, Operator};
use super::check::Portions;
use super::collective::{
    AdjointRule, Members, Outputs, Recording, Unfinished, arrived, arrived_stamped, carry_out,
    contribute,
};
use super::counts::{Counts, Form, OwnedCounts, StoredCounts};
use super::dispatched::{Dispatched, moving, passive};
use super::peer_exchange::Edges;
use super::recording::ids;
use super::stamp::{self, Call, Stamp};
use super::tangents::check_tangents;
use super::target::Target;
use super::traffic::PendingAdjoint;
use super::wire::{self, failed};
use super::{AdjointComm, bytes, communicator, inter, user_op};
use crate::datatype::{BufferTriple, Pieces, RecvBuffer};
use crate::error::{Code, Error, Result};
use crate::mpi::{CallForm, Comm, Item, MpiResult, Op, Operation, Reach, Staging, times, wide_int};
use crate::tape::{Ids, Stored, Sweep, Tape};
use std::ffi::c_int;

fn copy(values: &[f64]) -> Staging {
    let mut data = Staging::take(values.len());
    data.as_mut_slice().copy_from_slice(values);
    data
}

/// Sends `own` round by an Exscan in both directions: the products of the other ranks' values.
fn others_product(
    private: &AdjointComm,
    depth: u32,
    own: &[f64],
) -> Result<[Option<Box<Operation>>; 2]> {
    let exscan = |private: &AdjointComm| {
        let mut out = Staging::take(own.len());
        out.as_mut_slice().fill(1.0);
        let product = wire::exscan_product(private.comm(depth)?, copy(own), out);
        Ok(Some(Box::new(product.map_err(failed)?)))
    };
    Ok([exscan(private)?, exscan(private.mirror())?])
}

/// As `arrived`, of what the ranks below or above bring.
fn others_arrived(operation: Option<Box<Operation>>, sweep: &mut Sweep<'_>) -> Result<Staging> {
    arrived(operation.map(|operation| *operation), sweep)
}

/// Multiplies adjoints by the products of what the others brought.
fn scale(t: &mut [f64], width: usize, below: &[f64], above: &[f64]) {
    for (t, (&below, &above)) in t.chunks_exact_mut(width).zip(below.iter().zip(above)) {
        let factor = times(below, above);
        for t in t {
            *t = times(factor, *t);
        }
    }
}

/// Zeroes the adjoints of elements that are not `won`.
fn keep_won(t: &mut [f64], width: usize, won: impl Fn(usize) -> bool) {
    for (i, t) in t.chunks_exact_mut(width).enumerate() {
        if !won(i) {
            t.fill(0.0);
        }
    }
}

/// What is kept of an Allreduce for the way back.
#[derive(Debug, Clone, Copy)]
enum Kept {
    Nothing,
    /// This rank's values.
    Values(Stored<f64>),
    /// A bit an element: this rank's item equals the result.
    Candidates(Stored<u64>),
}

#[derive(Clone, Copy)]
struct Allreduced {
    private: &'static AdjointComm,
    operator: Operator,
    ids: Ids,
    kept: Kept,
}

impl AdjointRule for Allreduced {
    const NAME: &'static str = "Allreduce";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(Call::Allreduce)
    }

    fn signature(&self) -> Option<[i64; 3]> {
        let n = i64::try_from(self.ids.len()).unwrap_or(-1);
        Some([-1, self.operator.number(), n])
    }

    fn save_for_reverse(&self, tape: &mut Tape, sent: &[f64], received: &[f64]) {
        if let Kept::Candidates(stored) = &self.kept {
            let block = 64 * self.operator.words();
            let blocks = sent.chunks(block).zip(received.chunks(block));
            for (word, (x, result)) in tape.stored_mut(stored).iter_mut().zip(blocks) {
                *word = self.operator.matches(x, result);
            }
        }
    }

    /// All members have the same counts.
    fn portions(&self, _: &Tape, _: &mut Portions) {}

    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        outputs.take(lead, sweep)
    }

    fn start_reverse(
        &self,
        mut taken: Staging,
        stamp: Stamp,
        call_form: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        let depth = sweep.depth();
        stamp.put(taken.as_mut_slice(), [self.ids.len()], sweep.width());
        let comm = self.private.comm(depth)?;
        let sum = wire::allreduce(comm, taken, Item::double(), Op::sum(), call_form);
        let mut pending = PendingAdjoint::of(sum.map_err(failed)?);
        match &self.kept {
            Kept::Nothing => {}
            Kept::Values(own) => {
                let own = sweep.stored(own);
                [pending.below, pending.above] = others_product(self.private, depth, own)?;
            }
            Kept::Candidates(own) => {
                let own = sweep.stored(own);
                let mut data = Staging::take(own.len());
                for (slot, &word) in data.as_mut_slice().iter_mut().zip(own) {
                    *slot = f64::from_bits(word);
                }
                let none = Staging::zeros(own.len());
                pending.below =
                    Some(Box::new(wire::exscan_bits(comm, data, none).map_err(failed)?));
            }
        }
        Ok(pending)
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        let width = sweep.width();
        let (stamp, members) = (pending.stamp, self.private.ranks());
        let fits = |data: &[f64], _: &Sweep<'_>| stamp.check(data[0], members);
        let mut t = arrived_stamped(pending.main, fits, sweep)?;
        let t = &mut t.as_mut_slice()[width..];
        let (below, above) =
            (others_arrived(pending.below, sweep)?, others_arrived(pending.above, sweep)?);
        match &self.kept {
            Kept::Nothing => {}
            Kept::Values(_) => scale(t, width, below.as_slice(), above.as_slice()),
            Kept::Candidates(own) => {
                let (own, below) = (sweep.stored(own), below.as_slice());
                let won = |i: usize| (own[i / 64] & !below[i / 64].to_bits()) >> (i % 64) & 1 != 0;
                keep_won(t, width, won);
            }
        }
        sweep.add(&self.ids, t);
        Ok(())
    }

    fn has_factors(&self) -> bool {
        self.operator.kind == Kind::Product
    }

    fn operands(&self) -> Option<&Ids> {
        Some(&self.ids)
    }

    /// Over the edges goes only what nobody waited for: nothing.
    fn sources(&self, _: &Sweep<'_>) -> Edges {
        Edges::default()
    }

    fn destinations(&self, _: &Sweep<'_>) -> Edges {
        Edges::default()
    }
}

/// `send` and `receive` have one count and datatype.
pub fn allreduce(
    send: &BufferTriple,
    receive: &BufferTriple,
    op: Op,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    match user_op::find_for(op, receive.datatype()) {
        None => start_allreduce(send, receive, op, comm, call_form),
        Some(users) => {
            let now = || users.allreduce(send, receive, comm);
            user_op::in_form(call_form, now, || users.iallreduce(send, receive, comm))
        }
    }
}

fn start_allreduce(
    send: &BufferTriple,
    receive: &BufferTriple,
    op: Op,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let operator = Operator::of(op, receive.datatype())?;
    let source = operator.source_or_in_place("sendbuf", send)?;
    let sink = operator.sink("recvbuf", receive)?;
    let source = source.unwrap_or_else(|| sink.source().clone());
    let n = sink.len();
    let recording = Recording::set(comm, call_form, || Members::together_if(n > 0))?;
    let (data, shape) = packed(&source, recording.is_some())?;
    let values = if operator.kind == Kind::Product && recording.is_some() {
        copy(data.as_slice())
    } else {
        Staging::default()
    };
    // The items are compared with the result where a tape will ask who won.
    let apart = operator.is_extremum() && recording.is_some();
    carry_out(
        call_form,
        recording,
        n,
        Target::All(sink),
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let kept = match operator.kind {
                Kind::Sum => Kept::Nothing,
                Kind::Product => Kept::Values(tape.store_from(values.as_slice())?),
                Kind::Min | Kind::Max => Kept::Candidates(tape.store::<u64>(n.div_ceil(64))?),
            };
            Ok(Allreduced { private, operator, ids, kept })
        },
        || {
            let (item, op) = operator.forward()?;
            if apart {
                let out = Staging::take(data.len());
                wire::allreduce_apart(comm, data, out, item, op, call_form)
            } else {
                wire::allreduce(comm, data, item, op, call_form)
            }
        },
    )
}

/// Who has the result of a reduction.
#[derive(Debug, Clone, Copy)]
enum Holder {
    Root(c_int),
    /// Each rank a share.
    All(StoredCounts),
}

/// A reduction whose whole result is not on every rank: the adjoints travel to all, the result beside them where
/// it decides who won.
#[derive(Debug, Clone, Copy)]
struct Reduced {
    private: &'static AdjointComm,
    holder: Holder,
    operator: Operator,
    ids: Ids,
    /// This rank's items, unless the operation is SUM; if `joined`, the items of all ranks, where a result is held.
    own: Stored<f64>,
    /// Where it is held, for extrema.
    result: Stored<f64>,
    /// Holders have all operands.
    joined: bool,
}

impl Reduced {
    /// Words that travel for each element: the adjoints, and the result's item.
    fn columns(&self, width: usize) -> usize {
        width + if self.operator.is_extremum() { self.operator.words() } else { 0 }
    }

    fn is_sum(&self) -> bool {
        self.operator.kind == Kind::Sum
    }

    fn at_root(&self) -> bool {
        matches!(self.holder, Holder::Root(root) if root == self.private.rank)
    }

    /// It gets the adjoints of one that has the result.
    fn off_root(&self) -> bool {
        matches!(self.holder, Holder::Root(root) if root != self.private.rank)
    }

    /// The adjoints of all ranks' operands of the share that this rank holds, one rank behind the other.
    fn take_joined(&self, outputs: Outputs, sweep: &mut Sweep<'_>) -> Staging {
        let (n, width, ranks) = (outputs.count(), sweep.width(), self.private.ranks());
        let t = outputs.take(0, sweep);
        let (t, own) = (t.as_slice(), sweep.stored(&self.own));
        let mut data = Staging::zeros(ranks * n * width);
        let mut factors = vec![0.0; ranks];
        for i in 0..n {
            self.operator.partials(i, n, own, &mut factors);
            let t = &t[i * width..][..width];
            for (rank, &factor) in factors.iter().enumerate() {
                let place = &mut data.as_mut_slice()[(rank * n + i) * width..][..width];
                place.iter_mut().zip(t).for_each(|(place, &t)| *place = times(factor, t));
            }
        }
        data
    }

    /// How many elements of the result the `i`th of its holders has.
    fn share(&self, i: usize, sweep: &Sweep<'_>) -> usize {
        match &self.holder {
            Holder::Root(_) => self.ids.len(),
            Holder::All(counts) => counts.read(sweep).of(i),
        }
    }

    /// Zeroes the adjoints of elements that others have won, and moves those of all shares together.
    fn settle_shares(&self, data: &mut [f64], below: &[f64], sweep: &Sweep<'_>) {
        let (own, operator) = (sweep.stored(&self.own), self.operator);
        let (lowest, words) = (self.private.rank == 0, operator.words());
        let (width, columns) = (sweep.width(), self.columns(sweep.width()));
        let holders = match self.holder {
            Holder::Root(_) => 1,
            Holder::All(_) => self.private.ranks(),
        };
        let (mut from, mut at) = (0, 0);
        for holder in 0..holders {
            let n = self.share(holder, sweep);
            let (t, result) = data[from..from + n * columns].split_at_mut(n * width);
            let items = at * words..(at + n) * words;
            let (own, below) = (&own[items.clone()], &below[items]);
            let won =
                |i| operator.same(i, own, result) && (lowest || operator.yields(i, below, result));
            keep_won(t, width, won);
            data.copy_within(from..from + n * width, at * width);
            from += n * columns;
            at += n;
        }
    }
}

impl AdjointRule for Reduced {
    const NAME: &'static str = "Reduce";

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        Some(match self.holder {
            Holder::Root(_) => Call::Reduce,
            Holder::All(_) => Call::ReduceScatter,
        })
    }

    fn signature(&self) -> Option<[i64; 3]> {
        let root = match self.holder {
            Holder::Root(root) => root.into(),
            Holder::All(_) => -1,
        };
        Some([root, self.operator.number(), i64::try_from(self.ids.len()).unwrap_or(-1)])
    }

    fn save_for_reverse(&self, tape: &mut Tape, _: &[f64], received: &[f64]) {
        if self.joined {
            return tape.stored_mut(&self.own).copy_from_slice(&received[..self.own.len()]);
        }
        tape.stored_mut(&self.result).copy_from_slice(&received[..self.result.len()]);
    }

    /// All members have the same counts.
    fn portions(&self, _: &Tape, _: &mut Portions) {}

    /// Nothing comes back to the root of a sum: it gives its adjoints away and goes on.
    fn take_outputs(&self, outputs: Outputs, lead: usize, sweep: &mut Sweep<'_>) -> Staging {
        if self.joined {
            return self.take_joined(outputs, sweep);
        }
        let width = sweep.width();
        let (n, columns) = (self.share(self.private.place(), sweep), self.columns(width));
        if self.off_root() {
            return if lead > 0 { stamp::room(n, columns) } else { Staging::default() };
        }
        let mut whole = Staging::take((lead + n) * columns);
        let data = &mut whole.as_mut_slice()[lead * columns..];
        outputs.take_into(sweep, data);
        data[n * width..].copy_from_slice(sweep.stored(&self.result));
        if self.is_sum() && self.at_root() {
            sweep.add(&self.ids, data);
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
        let (depth, n) = (sweep.depth(), self.ids.len());
        let comm = self.private.comm(depth)?;
        let columns = self.columns(sweep.width());
        if !self.off_root() {
            let own = self.share(self.private.place(), sweep);
            stamp.put(taken.as_mut_slice(), [own], columns);
        }
        let all = match &self.holder {
            &Holder::Root(root) => wire::bcast(comm, taken, root, call_form),
            Holder::All(counts) => {
                let room = Staging::take((self.private.ranks() + n) * columns);
                let lengths = counts.read(sweep).widened(1);
                let shares = lengths.borrowed();
                wire::allgather(comm, taken, room, shares, columns, Reach::All, call_form)
            }
        };
        let mut pending = PendingAdjoint::of(all.map_err(failed)?);
        let own = sweep.stored(&self.own);
        match self.operator.kind {
            Kind::Sum => {}
            Kind::Product => {
                [pending.below, pending.above] = others_product(self.private, depth, own)?
            }
            Kind::Min | Kind::Max => {
                let (item, op) = self.operator.of_the_ranks_below().map_err(failed)?;
                let out = Staging::take(own.len());
                let below = wire::exscan(comm, copy(own), out, item, op, CallForm::Nonblocking);
                pending.below = Some(Box::new(below.map_err(failed)?));
            }
        }
        Ok(pending)
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        if self.is_sum() && self.at_root() {
            return contribute(pending, sweep);
        }
        let (width, columns) = (sweep.width(), self.columns(sweep.width()));
        let (stamp, ranks) = (pending.stamp, self.private.ranks());
        let fits = |data: &[f64], sweep: &Sweep<'_>| match &self.holder {
            Holder::Root(_) => stamp.check(data[0], 1),
            Holder::All(counts) => stamp.check_parts(data, counts.read(sweep).all(ranks), columns),
        };
        let mut data = arrived_stamped(pending.main, fits, sweep)?;
        let data = match &self.holder {
            Holder::Root(_) => &mut data.as_mut_slice()[columns..],
            Holder::All(counts) => {
                stamp::join(data.as_mut_slice(), counts.read(sweep).all(ranks), columns);
                data.as_mut_slice()
            }
        };
        let (below, above) =
            (others_arrived(pending.below, sweep)?, others_arrived(pending.above, sweep)?);
        match self.operator.kind {
            Kind::Sum => {}
            Kind::Product => scale(data, width, below.as_slice(), above.as_slice()),
            Kind::Min | Kind::Max => self.settle_shares(data, below.as_slice(), sweep),
        }
        sweep.add(&self.ids, &data[..self.ids.len() * width]);
        Ok(())
    }

    fn has_factors(&self) -> bool {
        self.operator.kind == Kind::Product
    }

    fn operands(&self) -> Option<&Ids> {
        Some(&self.ids)
    }

    fn sources(&self, sweep: &Sweep<'_>) -> Edges {
        let n = match self.holder {
            Holder::Root(_) if !self.at_root() => 0,
            _ => self.share(self.private.place(), sweep),
        };
        if self.joined {
            return Edges::shares(self.private, Counts::Each(n));
        }
        let all = Edges::alike(self.private, 0..self.private.ranks(), n);
        if self.at_root() { all.to_others() } else { all }
    }

    fn destinations(&self, sweep: &Sweep<'_>) -> Edges {
        match &self.holder {
            Holder::Root(_) if self.is_sum() && self.at_root() => Edges::default(),
            &Holder::Root(root) => Edges::one(self.private, root, self.ids.len()),
            Holder::All(counts) => Edges::shares(self.private, counts.read(sweep)),
        }
    }
}

/// `send` and `receive` have one count and datatype; `receive` is significant on the root.
pub fn reduce(
    send: &BufferTriple,
    receive: &BufferTriple,
    op: Op,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    match user_op::find_for(op, send.datatype()) {
        None => start_reduce(send, receive, op, root, comm, call_form),
        Some(users) => {
            let now = || users.reduce(send, receive, root, comm);
            user_op::in_form(call_form, now, || users.ireduce(send, receive, root, comm))
        }
    }
}

fn start_reduce(
    send: &BufferTriple,
    receive: &BufferTriple,
    op: Op,
    root: c_int,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let operator = Operator::of(op, send.datatype())?;
    let at_root = comm.rank()? == root;
    let source = operator.source_or_in_place("sendbuf", send)?;
    let sink = if at_root { Some(operator.sink("recvbuf", receive)?) } else { None };
    let Some(source) = source.or_else(|| sink.as_ref().map(|sink| sink.source().clone())) else {
        let why = "sendbuf is MPI_IN_PLACE, which only the root may pass";
        return Err(Error::new(Code::Argument, why).into());
    };
    let recording = Recording::set(comm, call_form, || members(false, operator))?;
    let joined = is_joined(operator, recording.as_ref());
    let (data, shape) = packed(&source, recording.is_some())?;
    let values = kept_values(operator, &data, recording.is_some() && !joined);
    let outputs = if at_root { source.len() } else { 0 };
    let operands = if joined { wide_int(comm.size()?) * outputs * operator.words() } else { 0 };
    carry_out(
        call_form,
        recording,
        outputs,
        sink.map_or(Target::Nothing, |sink| target(sink, operator, joined)),
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let own = store_own(tape, &values, operands)?;
            let result = store_result(tape, operator, if joined { 0 } else { outputs })?;
            let holder = Holder::Root(root);
            Ok(Reduced { private, holder, operator, ids, own, result, joined })
        },
        || {
            if joined {
                let share = Counts::Each(data.len());
                return wire::gather(
                    comm,
                    data,
                    Staging::take(operands),
                    share,
                    1,
                    root,
                    call_form,
                );
            }
            let (item, op) = operator.forward()?;
            let out = Staging::take(outputs * operator.words());
            wire::reduce(comm, data, out, item, op, root, call_form)
        },
    )
}

/// What a rank keeps of what it brings.
fn kept_values(operator: Operator, data: &Staging, recorded: bool) -> Staging {
    if recorded && operator.kind != Kind::Sum { copy(data.as_slice()) } else { Staging::default() }
}

/// Over the edges, the operands of other operations than SUM go to who holds the result.
fn members(all_wait: bool, operator: Operator) -> Members {
    match operator.kind {
        _ if all_wait => Members::Together,
        Kind::Sum => Members::Apart,
        _ => Members::ApartAndHeavy,
    }
}

/// Whether those who hold the result of a call get all operands.
fn is_joined(operator: Operator, recording: Option<&Recording>) -> bool {
    operator.kind != Kind::Sum && recording.is_some_and(Recording::by_edges)
}

/// Where the result goes.
fn target(sink: RecvBuffer, operator: Operator, joined: bool) -> Target {
    let n = sink.len();
    if joined { Target::Joined { sink, operator, n, begin: 0 } } else { Target::All(sink) }
}

/// What this rank brings, or room for `operands` words of all.
fn store_own(tape: &mut Tape, values: &Staging, operands: usize) -> Result<Stored<f64>> {
    if operands > 0 { tape.store(operands) } else { tape.store_from(values.as_slice()) }
}

/// Room for the result of `n` elements, where it decides who won.
fn store_result(tape: &mut Tape, operator: Operator, n: usize) -> Result<Stored<f64>> {
    tape.store::<f64>(if operator.is_extremum() { n * operator.words() } else { 0 })
}

/// Each rank gets its share of the result, in place at the beginning of the buffer, of which MPI itself may
/// overwrite the rest.
pub fn reduce_scatter(
    pieces: &Pieces,
    op: Op,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    check_tangents(op, pieces.datatype())?;
    if one_passive(pieces.datatype())? {
        return passive(|| bytes::none_in_pieces(pieces, comm));
    }
    if communicator::is_inter(comm) {
        return moving(inter::reduce_scatter(pieces, op, comm, call_form)?, comm);
    }
    match user_op::find_for(op, pieces.datatype()) {
        None => moving(start_reduce_scatter(pieces, op, comm, call_form)?, comm),
        Some(users) => {
            let now = || users.reduce_scatter(pieces, comm);
            let begun = user_op::in_form(call_form, now, || users.ireduce_scatter(pieces, comm))?;
            moving(begun, comm)
        }
    }
}

fn start_reduce_scatter(
    pieces: &Pieces,
    op: Op,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let operator = Operator::of(op, pieces.datatype())?;
    let (place, ranks) = (wide_int(comm.rank()?), wide_int(comm.size()?));
    let source = operator.source("sendbuf", &pieces.operands(ranks)?)?;
    let sink = operator.sink("recvbuf", &pieces.result(place, ranks)?)?;
    let lengths = if pieces.has_counts() {
        let share =
            |rank| Ok(operator.source("sendbuf", &pieces.share(rank, ranks)?)?.len() as u64);
        OwnedCounts::List((0..ranks).map(share).collect::<MpiResult<_>>()?, Form::Int)
    } else {
        OwnedCounts::Each(sink.len())
    };
    let recording =
        Recording::set(comm, call_form, || members(lengths.borrowed().is_full(), operator))?;
    let joined = is_joined(operator, recording.as_ref());
    let (data, shape) = packed(&source, recording.is_some())?;
    let values = kept_values(operator, &data, recording.is_some() && !joined);
    let n = sink.len();
    let operands = if joined { ranks * n * operator.words() } else { 0 };
    carry_out(
        call_form,
        recording,
        n,
        target(sink, operator, joined),
        |tape, private| {
            let ids = ids(tape, &source, shape)?;
            let own = store_own(tape, &values, operands)?;
            let result = store_result(tape, operator, if joined { 0 } else { n })?;
            let holder = Holder::All(lengths.borrowed().store(tape)?);
            Ok(Reduced { private, holder, operator, ids, own, result, joined })
        },
        || {
            if joined {
                let words = |n: usize| (n * operator.words()) as u64;
                let sent: Vec<u64> =
                    (0..ranks).map(|rank| words(lengths.borrowed().of(rank))).collect();
                let received = vec![words(n); ranks];
                // The form that fits whatever the counts are.
                let list = |words| Counts::List(words, Form::Large);
                let shares = (list(&sent), list(&received));
                let room = Staging::take(operands);
                return wire::alltoall(comm, data, room, shares, 1, Reach::All, call_form);
            }
            let (item, op) = operator.forward()?;
            let (part, shares) = (Staging::take(n * operator.words()), lengths.borrowed());
            wire::reduce_scatter(comm, data, part, shares, 1, item, op, call_form)
        },
    )
}
