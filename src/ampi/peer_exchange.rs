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
use super::traffic::{Traffic, with_traffic};
use crate::error::{Code, Error, Result};
use crate::mpi::list::listable;
use crate::mpi::message::Envelope;
use crate::mpi::{List, Payload, Staging};
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

/// The edges at this rank that carry anything.
#[derive(Debug, Default)]
pub struct Edges {
    /// By messages.
    sent: List<Edge>,
    /// What stays with this rank.
    kept: List<Edge>,
}

listable!(Edge);

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
        let sent = edges.into_iter().filter(|edge| edge.n > 0).collect();
        Self { sent, kept: List::default() }
    }

    /// The same `n` values for each of `ranks`.
    pub fn alike(private: &AdjointComm, ranks: Range<usize>, n: usize) -> Self {
        Self::of(ranks.map(|rank| Edge { peer: mirrored(private, rank), at: 0, n }))
    }

    /// All of `n` values for one member.
    pub fn one(private: &AdjointComm, rank: c_int, n: usize) -> Self {
        Self::of([Edge { peer: private.mirrored(rank), at: 0, n }])
    }

    /// A share for each member, one behind the other.
    pub fn shares(private: &AdjointComm, counts: Counts<'_>) -> Self {
        let mut at = 0;
        Self::of((0..private.ranks()).map(|rank| {
            let n = counts.of(rank);
            let edge = Edge { peer: mirrored(private, rank), at, n };
            at += n;
            edge
        }))
    }

    /// In the reverse order.
    pub fn reversed(mut self) -> Self {
        self.sent.reverse();
        self
    }

    /// Without that to this rank itself.
    pub fn to_others(mut self, private: &AdjointComm) -> Self {
        let own = private.mirror().rank;
        self.sent.retain(|edge| edge.peer != own);
        self
    }

    /// Without messages of this rank to itself.
    pub fn keeping_own(mut self, private: &AdjointComm) -> Self {
        let own = private.mirror().rank;
        if self.sent.iter().any(|edge| edge.peer == own) {
            self.kept = self.sent.iter().filter(|edge| edge.peer == own).copied().collect();
            self.sent.retain(|edge| edge.peer != own);
        }
        self
    }

    /// Sends each its part of `taken`, which has `columns` doubles for each value, behind the stamp. Does not wait. Returns
    /// the parts that stay, one behind the other.
    pub fn send(
        &self,
        Way { private, tag, stamp }: Way,
        taken: &Staging,
        columns: usize,
        sweep: &mut Sweep<'_>,
    ) -> Result<Staging> {
        let (private, depth) = (private.mirror(), sweep.depth());
        for &Edge { peer, at, n } in self.sent.iter() {
            let part = &taken.as_slice()[at * columns..];
            for piece in pieces(LEAD + n, columns) {
                let n = piece.len();
                let (first, ahead) = beyond(piece.start);
                let mut data = Staging::take(n * columns);
                let (head, values) = data.as_mut_slice().split_at_mut(ahead * columns);
                head.fill(stamp.word());
                values.copy_from_slice(&part[first * columns..][..values.len()]);
                let data = Payload::Own(data);
                let message = AdjointMessage { private, depth, peer, tag, n, width: columns, data };
                sweep.companion::<Traffic>().send(message)?;
            }
        }
        let mut kept = Staging::default();
        for &Edge { at, n, .. } in self.kept.iter() {
            let before = kept.len();
            kept.grow(before + n * columns);
            kept.as_mut_slice()[before..]
                .copy_from_slice(&taken.as_slice()[at * columns..][..n * columns]);
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
        mut each: impl FnMut(usize, &[f64]),
    ) -> Result<()> {
        let way = (private.mirror(), sweep.depth());
        let mut rest = kept.as_slice();
        for &Edge { at, n, .. } in self.kept.iter() {
            let (part, others) = rest.split_at(n * columns);
            each(at, part);
            rest = others;
        }
        with_traffic(sweep, |traffic, _| {
            self.sent.iter().try_for_each(|&Edge { peer, at, n }| {
                let (from, mut fits) = (Envelope::new(peer, tag), Ok(()));
                let received = traffic.receive(way, from, LEAD + n, columns, |before, piece| {
                    let (first, ahead) = beyond(before);
                    if ahead > 0 {
                        fits = stamp.check(piece[0], 1);
                    }
                    each(at + first, &piece[ahead * columns..]);
                });
                let other_length = |error: Error| match error.code {
                    Code::Mismatch => stamp.other_length(way.0.users_rank(peer)),
                    _ => error,
                };
                fits.and(received.map_err(other_length))
            })
        })
    }

    /// Waits for the adjoints of each part of what this rank sent, and adds them and those that were `kept`.
    pub fn collect(
        &self,
        way: Way,
        kept: &Staging,
        ids: &Ids,
        sweep: &mut Sweep<'_>,
    ) -> Result<()> {
        if self.sent.is_empty() && self.kept.is_empty() {
            return Ok(());
        }
        let width = sweep.width();
        let mut sum = Staging::zeros(ids.len() * width);
        self.receive(way, kept, width, sweep, |at, piece| {
            let place = sum.as_mut_slice()[at * width..].iter_mut();
            place.zip(piece).for_each(|(sum, t)| *sum += t);
        })?;
        sweep.add(ids, sum.as_slice());
        Ok(())
    }
}
