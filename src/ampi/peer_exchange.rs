//! Adjoints that travel point to point over the edges of a collective: from a member who received something to
//! each member who had sent it, and to nobody else.
//!
//! They travel among the members in reverse order, where nothing of the user's does. All messages of one call
//! have one tag. Where two ranks share several edges, both go through them in one order.

use super::AdjointComm;
use super::counts::Counts;
use super::queues::{AdjointMessage, pieces};
use super::stamp::Stamp;
use super::traffic::{Traffic, with_traffic};
use crate::error::Result;
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
pub struct Edges(List<Edge>);

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
        Self(edges.into_iter().filter(|edge| edge.n > 0).collect())
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
        self.0.reverse();
        self
    }

    /// Without that to this rank itself.
    pub fn to_others(mut self, private: &AdjointComm) -> Self {
        let own = private.mirrored(private.rank);
        self.0.retain(|edge| edge.peer != own);
        self
    }

    /// Sends each its part of `taken`, which has `columns` doubles for each value, behind the stamp. Does not wait.
    pub fn send(
        &self,
        private: &AdjointComm,
        tag: c_int,
        stamp: Stamp,
        taken: &Staging,
        columns: usize,
        sweep: &mut Sweep<'_>,
    ) -> Result<()> {
        let (private, depth) = (private.mirror(), sweep.depth());
        for &Edge { peer, at, n } in self.0.iter() {
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
        Ok(())
    }

    /// Waits for each part, of `columns` doubles a value, and gives it to `each` piece by piece, with the place of the
    /// first value in the packed array. An error if another stamp is before it.
    pub fn receive(
        &self,
        private: &AdjointComm,
        tag: c_int,
        stamp: Stamp,
        columns: usize,
        sweep: &mut Sweep<'_>,
        mut each: impl FnMut(usize, &[f64]),
    ) -> Result<()> {
        let way = (private.mirror(), sweep.depth());
        with_traffic(sweep, |traffic, _| {
            self.0.iter().try_for_each(|&Edge { peer, at, n }| {
                let (from, mut fits) = (Envelope::new(peer, tag), Ok(()));
                traffic.receive(way, from, LEAD + n, columns, |before, piece| {
                    let (first, ahead) = beyond(before);
                    if ahead > 0 {
                        fits = stamp.check(piece[0], 1);
                    }
                    each(at + first, &piece[ahead * columns..]);
                })?;
                fits
            })
        })
    }

    /// Waits for the adjoints of each part of what this rank sent, and adds them.
    pub fn collect(
        &self,
        private: &AdjointComm,
        tag: c_int,
        stamp: Stamp,
        ids: &Ids,
        sweep: &mut Sweep<'_>,
    ) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let width = sweep.width();
        let mut sum = Staging::zeros(ids.len() * width);
        self.receive(private, tag, stamp, width, sweep, |at, piece| {
            let place = sum.as_mut_slice()[at * width..].iter_mut();
            place.zip(piece).for_each(|(sum, t)| *sum += t);
        })?;
        sweep.add(ids, sum.as_slice());
        Ok(())
    }
}
