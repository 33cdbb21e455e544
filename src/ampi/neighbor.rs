//! Neighbourhood collectives: on Cartesian, graph and distributed-graph communicators.
//!
//! The values travel by MPI's own call. The adjoints travel from slot to slot, point to point among the members
//! in reverse order, where nothing else is sent: a neighbourhood call of MPI would need the graph turned round.
//! A slot without a neighbour (MPI_PROC_NULL) receives nothing and keeps its value and its derivative.
//!
//! Where two ranks are neighbours twice, which part arrives in which slot differs from MPI to MPI. In calls that
//! send a part of its own to each neighbour, every part therefore travels behind a double that holds the sender's
//! slot, and the adjoints go back in the order of these. What all neighbours get alike needs none.

use super::argument::{Many, neighbours_passive, source};
use super::buffers::{packed, packed_by};
use super::check::Portions;
use super::collective::{AdjointRule, Members, Outputs, Recording, Unfinished, carry_out};
use super::counts::{Form, OwnedCounts, PartCounts, StoredCounts};
use super::dispatched::{Dispatched, moving, passive};
use super::peer_exchange::{Edge, Edges, Way};
use super::recording::ids;
use super::stamp::{Call, Stamp};
use super::target::{Part, Target};
use super::traffic::PendingAdjoint;
use super::{AdjointComm, bytes, wire};
use crate::datatype::{BufferTriple, RecvBuffer, Sources};
use crate::error::Result;
use crate::mpi::list::listable;
use crate::mpi::{CallForm, Comm, List, MpiResult, Reach, Staging, quirks};
use crate::tape::{Ids, Stored, Sweep, Tape};
use std::ffi::c_int;

/// The ends of edges at this rank, slot by slot.
struct Ends {
    ranks: List<c_int>,
    parts: PartCounts,
}

impl Ends {
    /// The doubles of all slots, each behind `gap` others.
    fn total(&self, gap: usize) -> MpiResult<usize> {
        self.parts.doubles().widened(gap).borrowed().total(self.ranks.len())
    }

    /// The words of each slot's message.
    fn wire(&self, gap: usize) -> OwnedCounts {
        self.parts.wire().widened(gap)
    }

    /// Where each slot's message begins, in words.
    fn places(&self, gap: usize) -> List<u64> {
        let wire = self.wire(gap);
        let mut at = 0;
        let end = |slot| {
            at += wire.borrowed().of(slot) as u64;
            at
        };
        std::iter::once(0).chain((0..self.ranks.len()).map(end)).take(self.ranks.len()).collect()
    }

    /// Keeps them on the tape, the neighbours by their ranks on the mirror.
    fn store(&self, tape: &mut Tape, private: &AdjointComm) -> Result<StoredEnds> {
        let peer = |&rank: &c_int| if rank < 0 { NOBODY } else { private.mirrored(rank) };
        let peers: List<c_int> = self.ranks.iter().map(peer).collect();
        Ok(StoredEnds {
            peers: tape.store_from(&peers)?,
            counts: self.parts.doubles().store(tape)?,
        })
    }
}

listable!((u64, Edge));

const NOBODY: c_int = -1;

#[derive(Clone, Copy)]
struct StoredEnds {
    peers: Stored<c_int>,
    counts: StoredCounts,
}

impl StoredEnds {
    /// The edge of each slot; the parts lie one behind the other, each behind `gap` doubles.
    fn edges(&self, gap: usize, sweep: &Sweep<'_>) -> List<Edge> {
        let mut at = 0;
        let edge = |(slot, &peer)| {
            let length = self.counts.read(sweep).of(slot);
            at += gap;
            let n = if peer == NOBODY { 0 } else { length };
            let edge = Edge { peer, at, n };
            at += length;
            edge
        };
        sweep.stored(&self.peers).iter().enumerate().map(edge).collect()
    }

    /// The neighbours and what they are sent or send.
    fn portions(&self, private: &AdjointComm, tape: &Tape) -> Vec<(c_int, usize)> {
        let peers = tape.stored(&self.peers).iter().zip(0..);
        let there = peers.filter(|&(&peer, slot)| {
            let other = private.mirrored(peer) != private.rank;
            peer != NOBODY && other && self.counts.read(tape).of(slot) > 0
        });
        there
            .map(|(&peer, slot)| (private.mirrored(peer), self.counts.read(tape).of(slot)))
            .collect()
    }
}

#[derive(Clone, Copy)]
struct Neighbours {
    private: &'static AdjointComm,
    /// What this rank sent.
    ids: Ids,
    sources: StoredEnds,
    destinations: StoredEnds,
    /// Each slot has a datatype of its own: a rank without neighbours has none, and cannot tell from them whether the
    /// call is active.
    has_types: bool,
    /// For each source the slot of the sender that its part came from, where these differ: until the call is complete
    /// the place of the double that tells it. The part follows that double.
    origins: Option<Stored<u64>>,
}

impl Neighbours {
    const fn gap(&self) -> usize {
        self.origins.is_some() as usize
    }
}

/// Calls follow each other in one order.
const TAG: c_int = 0;

impl AdjointRule for Neighbours {
    const NAME: &'static str = "Neighbor";
    const REACH: Reach = Reach::Neighbours;

    fn private(&self) -> &'static AdjointComm {
        self.private
    }

    fn call(&self) -> Option<Call> {
        let call =
            if self.origins.is_some() { Call::NeighborAlltoall } else { Call::NeighborAllgather };
        (!self.has_types).then_some(call)
    }

    fn signature(&self) -> Option<[i64; 3]> {
        (!self.has_types).then_some([-1; 3])
    }

    fn portions(&self, tape: &Tape, portions: &mut Portions) {
        for (peer, n) in self.destinations.portions(self.private, tape) {
            portions.sends(peer, n);
        }
        for (peer, n) in self.sources.portions(self.private, tape) {
            portions.receives(peer, n);
        }
    }

    fn save_for_reverse(&self, tape: &mut Tape, _: &[f64], received: &[f64]) {
        let Some(origins) = &self.origins else { return };
        for origin in tape.stored_mut(origins) {
            *origin = received[crate::count::wide(*origin)].to_bits();
        }
    }

    /// The stamps come with the messages.
    fn take_outputs(&self, outputs: Outputs, _: usize, sweep: &mut Sweep<'_>) -> Staging {
        outputs.take(0, sweep)
    }

    fn start_reverse(
        &self,
        taken: Staging,
        stamp: Stamp,
        _: CallForm,
        sweep: &mut Sweep<'_>,
    ) -> Result<PendingAdjoint> {
        let kept = self.send(taken, Way { private: self.private, tag: TAG, stamp }, sweep)?;
        Ok(PendingAdjoint { kept, ..PendingAdjoint::default() })
    }

    fn accumulate(&self, pending: PendingAdjoint, sweep: &mut Sweep<'_>) -> Result<()> {
        let way = Way { private: self.private, tag: TAG, stamp: pending.stamp };
        self.receive(pending.kept, way, sweep)
    }

    fn operands(&self) -> Option<&Ids> {
        Some(&self.ids)
    }

    fn sources(&self, sweep: &Sweep<'_>) -> Edges {
        let mut edges = self.sources.edges(self.gap(), sweep);
        if let Some(origins) = &self.origins {
            let mut ordered: List<(u64, Edge)> =
                sweep.stored(origins).iter().copied().zip(edges.iter().copied()).collect();
            // As a stable sort, without its memory.
            ordered.sort_unstable_by_key(|&(origin, edge)| (origin, edge.at));
            edges = ordered.iter().map(|&(_, edge)| edge).collect();
        }
        Edges::of(edges.drain())
    }

    fn destinations(&self, sweep: &Sweep<'_>) -> Edges {
        let mut edges = self.destinations.edges(0, sweep);
        if self.origins.is_none() {
            edges.iter_mut().for_each(|edge| edge.at = 0);
        }
        Edges::of(edges.drain())
    }
}

/// Where what the sources send goes, each part behind `gap` doubles that nobody wants.
fn target(mut sinks: List<RecvBuffer>, sources: &Ends, gap: usize) -> Target {
    let parts = sinks.drain().zip(sources.ranks.iter()).flat_map(|(sink, &rank)| {
        let (n, words) = (sink.len(), sink.source().words());
        let part = Part { n, words, sink: (rank >= 0).then_some(sink) };
        (gap > 0).then_some(Part { n: gap, words: gap, sink: None }).into_iter().chain([part])
    });
    Target::Parts(parts.collect())
}

/// Allgather and Allgatherv among neighbours.
pub fn allgather(
    send: &BufferTriple,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if neighbours_passive(&Many::Each(*send), receive, comm)? {
        return passive(|| bytes::none_in(send));
    }
    moving(start_allgather(send, receive, comm, call_form)?, comm)
}

fn start_allgather(
    send: &BufferTriple,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let source = source("sendbuf", send)?;
    let (sources, destinations) = comm.neighbours()?;
    let sinks = receive.sink_list("recvbuf", sources.len())?;
    let sources = Ends { parts: receive.lengths("recvbuf", &sinks)?, ranks: sources };
    let destinations = Ends { ranks: destinations, parts: PartCounts::each(&source) };
    let recording = Recording::set(comm, call_form, || Members::Apart)?;
    let (data, shape) = packed(&source, recording.is_some())?;
    let (total, wire) = (sources.total(0)?, sources.wire(0));
    let room = wire.borrowed().total(sources.ranks.len())?;
    carry_out(
        call_form,
        recording,
        total,
        target(sinks, &sources, 0),
        |tape, private| {
            Ok(Neighbours {
                private,
                ids: ids(tape, &source, shape)?,
                sources: sources.store(tape, private)?,
                destinations: destinations.store(tape, private)?,
                has_types: false,
                origins: None,
            })
        },
        || {
            let (room, shares) = (Staging::take(room), wire.borrowed());
            wire::allgather(comm, data, room, shares, 1, Reach::Neighbours, call_form)
        },
    )
}

/// Alltoall, Alltoallv and Alltoallw among neighbours.
pub fn alltoall(
    call: &str,
    send: &Many,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Dispatched> {
    if neighbours_passive(send, receive, comm)? {
        return passive(|| bytes::none_to_neighbours(call, send, comm));
    }
    moving(start_alltoall(send, receive, comm, call_form)?, comm)
}

/// Packed doubles need no types of their own.
fn start_alltoall(
    send: &Many,
    receive: &Many,
    comm: Comm,
    call_form: CallForm,
) -> MpiResult<Unfinished> {
    let (sources, destinations) = comm.neighbours()?;
    let (slots, gap) = (sources.len(), 1);
    let sinks = receive.sink_list("recvbuf", sources.len())?;
    let sources = Ends { parts: receive.lengths("recvbuf", &sinks)?, ranks: sources };
    let buffers = send.source_list("sendbuf", destinations.len())?;
    let destinations = Ends { parts: send.lengths("sendbuf", &buffers)?, ranks: destinations };
    // A rank without neighbours cannot tell from its datatypes, of which it has none, whether a call is active: if
    // it passed by, the others would wait for it to enter.
    let has_types = send.has_types();
    let recording = if has_types {
        Recording::apart(comm, || Members::Apart)?
    } else {
        Recording::set(comm, call_form, || Members::Apart)?
    };
    // A rank without neighbours takes the call for a passive one: the others must then make the same call of MPI's.
    let apart = has_types && quirks::NEIGHBOR_ALLTOALLW_LOSES_PARTS;
    let form = |counts: OwnedCounts| if apart { counts.in_form(Form::Large) } else { counts };
    let (sent, received) = (form(destinations.wire(gap)), form(sources.wire(gap)));
    let words = sent.borrowed().total(destinations.ranks.len())?;
    let source = Sources::List(buffers);
    let (data, shape) = packed_by(&source, recording.is_some(), words, |data| {
        let shape = source.pack_behind(gap, data);
        let mut at = 0;
        for (slot, part) in (0..).zip(source.list()) {
            data[at] = f64::from_bits(slot);
            at += gap + part.words();
        }
        shape
    })?;
    let (total, room) = (sources.total(gap)?, received.borrowed().total(slots)?);
    carry_out(
        call_form,
        recording,
        total,
        target(sinks, &sources, gap),
        |tape, private| {
            Ok(Neighbours {
                private,
                ids: ids(tape, &source, shape)?,
                sources: sources.store(tape, private)?,
                destinations: destinations.store(tape, private)?,
                has_types,
                origins: Some(tape.store_from(&sources.places(gap))?),
            })
        },
        || {
            let (room, shares) = (Staging::take(room), (sent.borrowed(), received.borrowed()));
            wire::alltoall(comm, data, room, shares, 1, Reach::Neighbours, call_form)
        },
    )
}
