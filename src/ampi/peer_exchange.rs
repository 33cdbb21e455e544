//! Adjoints that travel point to point over the edges of a collective: from a member who received something to
//! each member who had sent it, and to nobody else.
//!
//! They travel among the members in reverse order, where nothing of the user's does. All messages of one call
//! have one tag. Where two ranks share several edges, both go through them in one order. The edges of a collective from a
//! member to itself need no message.

use super::AdjointComm;
use super::adjoint_comm::NAMED_TAGS;
use super::counts::Counts;
use super::queues::{AdjointMessage, pieces};
use super::stamp::Stamp;
use super::traffic::{Traffic, receive_adjoints};
use crate::error::{Code, Error, Result};
use crate::mpi::list::listable;
use crate::mpi::message::Envelope;
use crate::mpi::{List, Payload, Staging, wide_int};
use crate::options;
use crate::tape::{Ids, Sweep};
use std::ffi::c_int;
use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// `ADMPI_POLLING=1`, or the call.
static POLLING: LazyLock<AtomicBool> = LazyLock::new(|| options::polling().into());

/// Whether what a program does next may depend on what has arrived by then, so that a collective in which ranks did
/// not wait for each other may not do so on its way back.
pub fn polling() -> bool {
    POLLING.load(Ordering::Relaxed)
}

pub fn set_polling(on: bool) {
    POLLING.store(on, Ordering::Relaxed);
}

/// The tag of blocking calls, whose adjoints two members exchange in one order.
pub const IN_ORDER: c_int = NAMED_TAGS - 2;

/// What the messages of one call have alike.
#[derive(Clone, Copy)]
pub struct Way {
    pub private: &'static AdjointComm,
    pub tag: c_int,
    pub stamp: Stamp,
}

/// Whether messages over the edges cost less, for so many ranks, than a nonblocking collective of MPI.
pub fn few(ranks: c_int) -> bool {
    static MOST: LazyLock<c_int> = LazyLock::new(options::edge_ranks);
    ranks <= *MOST
}

/// One edge at this rank: whom it leads to, by the rank on the mirror, and the part of a packed array that belongs
/// to it.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    pub peer: c_int,
    pub at: usize,
    pub n: usize,
}

listable!(Edge);

/// The edges at this rank that carry anything.
#[derive(Debug, Default)]
pub struct Edges {
    peers: Peers,
    own: Own,
    is_reversed: bool,
}

#[derive(Debug)]
enum Peers {
    /// So many ranks of the mirror from `first` downwards. Each has `n` values, `step` behind those of the one before.
    Row {
        first: c_int,
        ranks: usize,
        n: usize,
        step: usize,
    },
    List(List<Edge>),
}

impl Default for Peers {
    fn default() -> Self {
        Self::Row { first: 0, ranks: 0, n: 0, step: 0 }
    }
}

/// What becomes of an edge from this rank to itself.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Own {
    #[default]
    IsSent,
    Stays,
    IsDropped,
}

/// Each part travels behind one element of stamp.
const LEAD: usize = 1;

/// Of a piece of that, which begins at `start`: its first value, and how many elements are before that.
const fn beyond(start: usize) -> (usize, usize) {
    (start.saturating_sub(LEAD), LEAD.saturating_sub(start))
}

fn mirrored(private: &AdjointComm, rank: usize) -> c_int {
    c_int::try_from(rank).map_or(-1, |rank| private.mirrored(rank))
}

impl Edges {
    pub fn of(edges: impl IntoIterator<Item = Edge>) -> Self {
        let list = edges.into_iter().filter(|edge| edge.n > 0).collect();
        Self { peers: Peers::List(list), ..Self::default() }
    }

    fn row(private: &AdjointComm, ranks: Range<usize>, n: usize, step: usize) -> Self {
        let first = mirrored(private, ranks.start);
        let ranks = if n > 0 { ranks.len() } else { 0 };
        Self { peers: Peers::Row { first, ranks, n, step }, ..Self::default() }
    }

    /// The same `n` values for each of `ranks`.
    pub fn alike(private: &AdjointComm, ranks: Range<usize>, n: usize) -> Self {
        Self::row(private, ranks, n, 0)
    }

    /// All of `n` values for one member.
    pub fn one(private: &AdjointComm, rank: c_int, n: usize) -> Self {
        let rank = wide_int(rank);
        Self::row(private, rank..rank + 1, n, 0)
    }

    /// A share for each member, one behind the other.
    pub fn shares(private: &AdjointComm, counts: Counts<'_>) -> Self {
        if let Counts::Each(n) = counts {
            return Self::row(private, 0..private.ranks(), n, n);
        }
        let mut at = 0;
        Self::of((0..private.ranks()).map(|rank| {
            let n = counts.of(rank);
            let edge = Edge { peer: mirrored(private, rank), at, n };
            at += n;
            edge
        }))
    }

    /// In the reverse order.
    pub const fn reversed(mut self) -> Self {
        self.is_reversed = true;
        self
    }

    /// Without that to this rank itself.
    pub const fn to_others(mut self) -> Self {
        self.own = Own::IsDropped;
        self
    }

    /// Without messages of this rank to itself: what it would send stays.
    pub const fn keeping_own(mut self) -> Self {
        if matches!(self.own, Own::IsSent) {
            self.own = Own::Stays;
        }
        self
    }

    fn len(&self) -> usize {
        match &self.peers {
            Peers::Row { ranks, .. } => *ranks,
            Peers::List(list) => list.len(),
        }
    }

    fn edge(&self, i: usize) -> Edge {
        let i = if self.is_reversed { self.len() - 1 - i } else { i };
        match &self.peers {
            &Peers::Row { first, n, step, .. } => {
                Edge { peer: first - c_int::try_from(i).unwrap_or(0), at: i * step, n }
            }
            Peers::List(list) => list[i],
        }
    }

    /// Those to other ranks, or those that stay.
    fn which(&self, private: &AdjointComm, stays: bool) -> impl Iterator<Item = Edge> {
        let (own, rule) = (private.mirror().rank, self.own);
        (0..self.len()).map(|i| self.edge(i)).filter(move |edge| match rule {
            _ if edge.peer != own => !stays,
            Own::IsSent => !stays,
            Own::Stays => stays,
            Own::IsDropped => false,
        })
    }

    /// As `send_parts`, of what has been taken.
    pub fn send(
        &self,
        way: Way,
        taken: &Staging,
        columns: usize,
        sweep: &mut Sweep<'_>,
    ) -> Result<Staging> {
        self.send_parts(way, columns, sweep, |at, out, _| {
            out.copy_from_slice(&taken.as_slice()[at * columns..][..out.len()]);
        })
    }

    /// Sends each its part, with `columns` doubles for each value, behind the stamp. `part` gives the values from a place of
    /// the packed array on. Does not wait. Returns the parts that stay, one behind the other.
    pub fn send_parts(
        &self,
        Way { private, tag, stamp }: Way,
        columns: usize,
        sweep: &mut Sweep<'_>,
        mut part: impl FnMut(usize, &mut [f64], &mut Sweep<'_>),
    ) -> Result<Staging> {
        let mut kept = Staging::default();
        for Edge { at, n, .. } in self.which(private, true) {
            let before = kept.len();
            kept.grow(before + n * columns);
            part(at, &mut kept.as_mut_slice()[before..], sweep);
        }
        let depth = sweep.depth();
        for Edge { peer, at, n } in self.which(private, false) {
            for piece in pieces(LEAD + n, columns) {
                let n = piece.len();
                let (first, ahead) = beyond(piece.start);
                let mut data = sweep.companion::<Traffic>().memory(n * columns);
                let (head, values) = data.as_mut_slice().split_at_mut(ahead * columns);
                head.fill(stamp.word());
                part(at + first, values, sweep);
                let (data, private) = (Payload::Own(data), private.mirror());
                sweep.companion::<Traffic>().send(AdjointMessage {
                    private,
                    depth,
                    peer,
                    tag,
                    n,
                    width: columns,
                    data,
                })?;
            }
        }
        Ok(kept)
    }

    /// Gives each part to `each`, with its place in the packed array: those that were `kept`, then those that it waits for,
    /// piece by piece. They have `columns` doubles a value. An error if another stamp is before one.
    pub fn receive(
        &self,
        Way { private, tag, stamp }: Way,
        kept: &Staging,
        columns: usize,
        sweep: &mut Sweep<'_>,
        mut each: impl FnMut(usize, &[f64], &mut Sweep<'_>),
    ) -> Result<()> {
        let way = (private.mirror(), sweep.depth());
        let mut rest = kept.as_slice();
        for Edge { at, n, .. } in self.which(private, true) {
            let (part, others) = rest.split_at(n * columns);
            each(at, part, sweep);
            rest = others;
        }
        for Edge { peer, at, n } in self.which(private, false) {
            let other_length = |error: Error| match error.code {
                Code::Mismatch => stamp.other_length(way.0.users_rank(peer)),
                _ => error,
            };
            let (from, mut fits) = (Envelope::new(peer, tag), Ok(()));
            let received =
                receive_adjoints(sweep, way, from, LEAD + n, columns, |before, piece, sweep| {
                    let (first, ahead) = beyond(before);
                    if ahead > 0 {
                        fits = stamp.check(piece[0], 1);
                    }
                    if fits.is_ok() {
                        each(at + first, &piece[ahead * columns..], sweep);
                    }
                });
            fits.and(received.map_err(other_length))?;
        }
        Ok(())
    }

    /// Waits for the adjoints of each part of what this rank sent, and adds them and those that were `kept`.
    pub fn collect(
        &self,
        way: Way,
        kept: &Staging,
        ids: &Ids,
        sweep: &mut Sweep<'_>,
    ) -> Result<()> {
        let width = sweep.width();
        self.receive(way, kept, width, sweep, |at, piece, sweep| {
            sweep.add(&ids.part(at..at + piece.len() / width), piece);
        })
    }
}
